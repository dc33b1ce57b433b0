"""Do anything that the course offers: `make TARGET` calls this, and Windows has no make.

    python -m tools                                 list the targets
    python -m tools check LECTURE=06_transformer    one of them, with what it is to know

Python 3.11, 3.12 or 3.13 is enough to begin: where .venv is missing, or older than
requirements.lock, it is made first, as fast as uv does where `uv run` starts this.
"""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

from tools.command_line import one_of, parser

ROOT = Path(__file__).resolve().parents[1]
FULL = "COURSE_PROFILE=full COURSE_RESULTS=results"
TESTS = "python -m pytest -n 3 --dist worksteal"

# What a target is to know, from the command line or the environment, and what else it is.
GIVEN = {
    "LECTURE": "",
    "SEEDS": "0,1,2",
    "ONLY": "",
    "DRY": "",
    "SUBMISSIONS": "",
    "SEED": "",
    "LECTURES": "",
    "MINUTES": "90",
}

# Of each target what it does, and its commands: the settings of one stand before it, and with
# DRY=1 only those are run that know it. `python` is .venv's.
TARGETS = {
    "help": ("say what each target does",),
    "install": ("install into .venv what the others need; they do so by themselves",),
    "run": (
        "run every lecture in the quick profile (build/run); needs nothing but Python",
        "python -m tools.notebook --into build/run",
    ),
    "test": (
        "check style, and run the tests",
        "python -m ruff check .",
        "python -m ruff format --check .",
        f"{TESTS} -m 'not weekly'",
    ),
    "test-fast": (
        "the quick ones of these tests, for the daily round",
        f"{TESTS} -m 'not slow and not weekly'",
    ),
    "test-all": (
        "these tests, those that take minutes each and hardly ever fail, the solved notebooks",
        TESTS,
        "python -m tools.nbval",
    ),
    "check": (
        "one lecture's tests, the answers to its exercises, its solved notebook: "
        "LECTURE=06_transformer",
        f"{TESTS} -k '$LECTURE or lecture_${{NUMBER}}_ or [${{NUMBER}}_ or [$NUMBER.'",
        "python -m tools.nbval '$LECTURE'",
    ),
    "lab": (
        "open your own copies of the notebooks (work/) in JupyterLab",
        "python -m tools.lab",
    ),
    "progress": (
        "say which exercises you have solved in work/",
        "python -m tools.lab progress",
    ),
    "notebook": (
        "build one committed notebook: LECTURE=06_transformer",
        "python -m tools.notebook '$LECTURE' --into notebooks $DRY",
    ),
    "notebooks": (
        "build the committed notebooks, running those whose code has changed "
        "[DRY=1: say which]",
        "python -m tools.notebook --into notebooks $DRY",
        "python -m tools.colab_cell",
    ),
    "slides": (
        "build the decks, one offline file each (build/slides)",
        "python -m tools.slides",
    ),
    "lecturer": (
        "the folder to take to class: decks, PDFs, solutions, exams (build/lecturer)",
        "python -m tools.lecturer",
    ),
    "bank": (
        "the questions for Moodle, Canvas and spreadsheets, the glossary for Anki (build/bank)",
        "python -m tools.bank",
    ),
    "exam": (
        "draw an exam paper with its key (build/exam): SEED=7 LECTURES=01,02,03 [MINUTES=90]",
        "python -m tools.exam --seed '$SEED' --lectures '$LECTURES' --minutes '$MINUTES'",
    ),
    "grade": (
        "judge what a class handed in: SUBMISSIONS=folder (build/grades)",
        "python -m tools.grade '$SUBMISSIONS'",
    ),
    "nbgrader": (
        "write the assignments of a course in nbgrader (build/nbgrader)",
        "python -m tools.nbgrader",
    ),
    "site": (
        "the course as web pages, with search and glossary (build/site)",
        "python -m tools.site",
    ),
    "instructor": (
        "build the notebooks with solutions and speaker notes (build/instructor)",
        "python -m tools.notebook --for instructor --into build/instructor",
    ),
    "handout": (
        "build the notebooks of students who get no solutions (build/handout)",
        "python -m tools.notebook --for handout --into build/handout",
    ),
    "full": (
        'train on the real data and record: LECTURE=… SEEDS=0,1,2 [ONLY="train(seed)"]',
        "python -m tools.full '$LECTURE' --seeds '$SEEDS' --only '$ONLY'",
    ),
    "results": ("write RESULTS.md from the recorded runs", "python -m tools.results"),
    "bench": (
        "measure speeds and record them in results/ (nothing else should run)",
        # torch and timm, which only this target compares with.
        "python -m uv venv --allow-existing --python .venv .peers",
        "python -m uv pip install --python .peers -r benchmarks/peers.txt",
        f"{FULL} python -m benchmarks.peers",
        f"{FULL} KERAS_BACKEND=jax python -m benchmarks.growth",
        f"{FULL} python -m benchmarks.sessions",
        f"{FULL} python -m benchmarks.by_length",
        f"{FULL} KERAS_BACKEND=jax python -m benchmarks.by_length step-time mixing-cost",
        f"{FULL} python -m benchmarks.length_buckets",
        f"{FULL} KERAS_BACKEND=jax python -m benchmarks.length_buckets",
        f"{FULL} python -m benchmarks.cached_decoding",
        f"{FULL} python -m benchmarks.calls",
        f"{FULL} KERAS_BACKEND=jax python -m benchmarks.calls",
        f"{FULL} python -m benchmarks.kernels",
        f"{FULL} KERAS_BACKEND=jax python -m benchmarks.kernels",
        "python -m benchmarks.explorables",
    ),
    "lock": (
        "pin every version again in requirements.lock",
        "python -m uv pip compile pyproject.toml --extra dev --extra jax --universal "
        "--python-version 3.11 --custom-compile-command 'make lock' --upgrade "
        "-o requirements.lock",
    ),
    "clean": (
        "remove what was built (build/, course.zip, caches); notebooks/ and .venv stay",
        "remove build course.zip .pytest_cache .ruff_cache",
    ),
    "colab-zip": (
        "write course.zip, to hand the course out without a public repository",
        "python -m tools.colab_zip",
    ),
    "colab-check": (
        "run the notebooks in a replica of Colab's image",
        "python -m tools.colab_check",
    ),
    "visit": (
        "clone the course and run every command that it offers, as a stranger would "
        "(up to half an hour)",
        "bash .ci/visit",
    ),
}


def listing() -> str:
    """Return the targets, one a line, with what each does."""
    lines = ["make TARGET, or anywhere: python -m tools TARGET", ""]
    return "\n".join([*lines, *(f"{name:12} {about}" for name, (about, *_) in TARGETS.items())])


def commands(target: str, given: dict[str, str]) -> list[tuple[dict[str, str], list[str]]]:
    """Return a target's commands: of each the settings and the words."""
    known = {name: os.environ.get(name, usual) for name, usual in GIVEN.items()} | given
    known |= {"NUMBER": known["LECTURE"].partition("_")[0]}
    dry = "--dry" if known["DRY"] else ""
    found = []
    for line in TARGETS[target][1:]:
        if dry and "$DRY" not in line:
            continue
        words = shlex.split(line.replace("$DRY", dry))
        words = [Template(word).substitute(known) for word in words]
        first = next(place for place, word in enumerate(words) if "=" not in word)
        found.append((dict(word.split("=") for word in words[:first]), words[first:]))
    return found


def taken(target: str) -> set[str]:
    """Return the names of `GIVEN` that a target's commands know."""
    lines = " ".join(TARGETS[target][1:]).replace("NUMBER", "LECTURE")
    return {name for name in GIVEN if re.search(rf"\$\{{?{name}\b", lines)}


def interpreter(system: str = os.name) -> Path:
    """Return the path of .venv's Python on a system such as this."""
    return ROOT / ".venv" / ("Scripts/python.exe" if system == "nt" else "bin/python")


def install() -> Path:
    """Install what requirements.lock names, unless that is done; return .venv's Python."""
    python, done = interpreter(), ROOT / ".venv" / "installed"
    lock = ROOT / "requirements.lock"
    if done.is_file() and python.is_file() and done.stat().st_mtime >= lock.stat().st_mtime:
        return python
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= (3, 14):
        sys.exit(f"This is Python {version}; the course's packages need 3.11, 3.12 or 3.13.")
    if not importlib.util.find_spec("ensurepip"):
        sys.exit("This Python lacks its venv module; Debian, Ubuntu: apt install python3-venv.")
    print(f"Installing into .venv with Python {version}; this takes a minute or two, once.")
    if not python.is_file():
        call([sys._base_executable, "-m", "venv", "--clear", str(ROOT / ".venv")])
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    uv = [os.environ["UV"]] if os.environ.get("UV") else []  # `uv run` says so where it is
    if not uv:
        pinned = re.findall(r"^uv==\S+", lock.read_text(encoding="utf-8"), re.MULTILINE)
        call([*pip, "--quiet", *pinned])
        uv = [str(python), "-m", "uv"]
    fast = [*uv, "pip", "install", "--python", str(python), "--compile-bytecode"]
    # uv reads no pip.conf, in which some networks name their mirror.
    if run([*fast, "-r", str(lock)]):
        call([*pip, "-r", str(lock)])
    call([*pip, "--quiet", "--no-deps", "--no-build-isolation", "-e", str(ROOT)])
    done.touch()
    return python


def call(words: list[str], **settings: str) -> None:
    """Run a program in the course's folder; where it fails, end with its exit code."""
    if code := run(words, **settings):
        sys.exit(code)


def run(words: list[str], **settings: str) -> int:
    """Run a program in the course's folder; return its exit code."""
    print(shlex.join([*(f"{name}={value}" for name, value in settings.items()), *words]))
    sys.stdout.flush()
    with subprocess.Popen(words, cwd=ROOT, env=os.environ | settings) as running:
        while running.poll() is None:
            try:
                running.wait()
            except KeyboardInterrupt:  # it goes to the program as well, which may ask
                continue
    return running.returncode


def remove(names: list[str]) -> None:
    """Remove files and folders of the course that may be there."""
    for path in (ROOT / name for name in names):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def main(arguments: list[str] | None = None) -> None:
    """Run a target's commands, up to the first that fails."""
    reading = parser("tools", f"{__doc__}\n{listing()}")
    reading.add_argument("target", nargs="?", default="help", type=one_of(TARGETS))
    reading.add_argument("given", nargs="*", metavar="NAME=value", help=", ".join(GIVEN))
    read = reading.parse_args(arguments)
    given = dict(word.partition("=")[::2] for word in read.given)
    if wrong := [word for word in read.given if word.partition("=")[0] not in GIVEN]:
        reading.error(
            f"there is no {wrong[0]!r}; the choices are NAME=value of {', '.join(GIVEN)}"
        )
    of_make = os.environ.pop("MAKEFLAGS", "").partition("-- ")[2].split()
    for name in dict.fromkeys(word.partition("=")[0] for word in (*of_make, *read.given)):
        if name in GIVEN and name not in taken(read.target):
            takes = ", ".join(sorted(taken(read.target))) or "nothing"
            reading.error(f"{read.target} takes no {name}; it takes {takes}")
    if read.target == "help":
        print(listing())
    if read.target == "install":
        install()
    for settings, (program, *words) in commands(read.target, given):
        if program == "remove":
            remove(words)
        else:
            call([str(install()) if program == "python" else program, *words], **settings)


if __name__ == "__main__":
    main()
