"""`python -m tools` and `make` do the same, and `.venv` is made by a Python that fits."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tools import __main__ as entry
from tools.shows import ROOT

# What a version manager leaves on the path for a version that it does not run.
SHIM = "#!/bin/sh\necho 'command not found' >&2\nexit 127\n"
FITS = f'#!/bin/sh\nexec {sys.executable} "$@"\n'
needs_make = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("make"), reason="there is no make here"
)


def make(folder, *words, **programs):
    """Run make in a copy of the Makefile, with no other programs than these on the path."""
    folder.mkdir(exist_ok=True)
    for name, script in programs.items():
        name = name.replace("_", ".")
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o755)
    for part in ("tools", "course_utils"):
        if not (folder / part).exists():
            (folder / part).symlink_to(ROOT / part)
    shutil.copy(ROOT / "Makefile", folder)
    command = [shutil.which("make"), *words]
    options = {"capture_output": True, "encoding": "utf-8", "env": {"PATH": str(folder)}}
    return subprocess.run(command, cwd=folder, **options)


@pytest.mark.slow
@needs_make
def test_make_has_the_same_targets_and_hands_on_what_is_given(tmp_path):
    for target in entry.TARGETS:
        done = make(tmp_path / "one", "-n", target, python3_12=FITS)
        assert done.stdout == f"python3.12 -m tools {target}\n", done.stderr
    echo = {"python3_12": f'#!/bin/sh\ncase "$1" in -c) exec {sys.executable} "$@"; esac\n'}
    echo["python3_12"] += 'echo "$* $LECTURE $ONLY"\n'
    done = make(tmp_path / "two", "full", "LECTURE=02_x", "ONLY=train(seed)", **echo)
    assert done.stdout == "-m tools full 02_x train(seed)\n"


@needs_make
@pytest.mark.parametrize("given", ["LECTURE=02_x", "SOLUTIONS=1", "SEED=7 DRY=1"])
def test_what_a_target_does_not_take_is_refused(tmp_path, given, monkeypatch, capsys):
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    with pytest.raises(SystemExit) as stopped:
        entry.main(["lecturer", *given.split()])
    assert stopped.value.code == 2 and given.split("=")[0] in capsys.readouterr().err
    if "SOLUTIONS" not in given:  # any other variable may be make's own
        done = make(tmp_path / "one", "lecturer", *given.split(), python3_12=FITS)
        assert done.returncode and "lecturer takes no" in done.stderr


@needs_make
def test_make_passes_over_what_starts_no_python_that_fits_and_says_where_none_does(tmp_path):
    shims = {"python3_13": SHIM, "python3": SHIM}
    done = make(tmp_path / "none", "lab", **shims)
    assert done.returncode and "tried: python3.13 python3.12 python3.11 python3" in done.stderr
    done = make(tmp_path / "one", "-n", "lab", python3_11=FITS, **shims)
    assert done.stdout == "python3.11 -m tools lab\n"


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), 0), ((3, 11), 1), ((3, 13), 1), ((3, 14), 0), ((2, 7), 0)]
)
def test_an_old_and_a_too_new_python_do_not_fit(version, fits):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    question = re.search("^fits := (.+)$", makefile, re.MULTILINE)[1]
    planted = question.replace("sys.version_info[:2]", str(version))
    assert planted != question
    assert (subprocess.run([sys.executable, "-c", planted]).returncode == 0) == fits


@pytest.mark.parametrize("target", entry.TARGETS)
def test_each_command_of_a_target_can_be_started(target):
    for settings, (program, *words) in entry.commands(target, {"LECTURE": "01_x"}):
        assert program in ("python", "bash", "remove") and "$" not in str(words)
        assert set(settings) <= {"COURSE_PROFILE", "COURSE_RESULTS", "KERAS_BACKEND"}
        if program == "python":
            assert words[0] == "-m" and entry.importlib.util.find_spec(words[1])


def words(target, **given):
    return [one for _, one in entry.commands(target, given)]


def test_what_is_given_stays_one_word_and_dry_runs_what_knows_it(monkeypatch):
    monkeypatch.setenv("LECTURE", "01_from the environment")
    full = ["python", "-m", "tools.full", "02_x", "--seeds", "0,1,2", "--only", "f(1, 2)"]
    assert words("full", LECTURE="02_x", ONLY="f(1, 2)") == [full]
    assert words("notebook")[0][3] == "01_from the environment"
    assert words("check", LECTURE="06_x")[0][-1] == "06_x or lecture_06_ or [06_ or [06."
    assert [one[-1] for one in words("notebooks", DRY="1")] == ["--dry"]
    assert [one[-1] for one in words("notebooks")] == ["notebooks", "tools.colab_cell"]


def test_it_starts_in_a_python_without_packages():
    command = [sys.executable, "-S", "-m", "tools"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n{name} " in done.stdout for name in entry.TARGETS)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A checkout without .venv; yields it and the list of programs that are run."""
    (tmp_path / "requirements.lock").write_text("some==1\nuv==2.3\n", encoding="utf-8")
    started = []

    def run(words, **settings):
        started.append([str(word) for word in words])
        if "venv" in words:
            entry.interpreter().parent.mkdir(parents=True)
            entry.interpreter().touch()
        return 0

    monkeypatch.setattr(entry, "ROOT", tmp_path)
    monkeypatch.setattr(entry, "run", run)
    monkeypatch.delenv("UV", raising=False)
    return tmp_path, started


def kinds(started):
    known = ("venv", "uv==2.3", "-r", "-e", "tools.lab")
    return [next(one for one in words if one in known) for words in started]


@pytest.mark.parametrize("uv", ["", "/somewhere/uv"])
def test_the_environment_is_made_once_and_again_after_a_change_of_the_lock(
    bare, monkeypatch, uv
):
    folder, started = bare
    if uv:
        monkeypatch.setenv("UV", uv)
    entry.main(["lab"])
    fetched = [] if uv else ["uv==2.3"]
    assert kinds(started) == ["venv", *fetched, "-r", "-e", "tools.lab"]
    fast = started[1 + len(fetched)]
    assert (fast[0] == uv) == bool(uv) and str(entry.interpreter()) in fast
    del started[:]
    entry.main(["lab"])
    assert kinds(started) == ["tools.lab"]
    os.utime(folder / "requirements.lock", (2e9, 2e9))
    entry.main(["lab"])
    assert kinds(started[1:]) == [*fetched, "-r", "-e", "tools.lab"]


def test_where_uv_does_not_find_the_packages_pip_installs_them(bare, monkeypatch):
    started = bare[1]
    runs = entry.run
    monkeypatch.setattr(entry, "run", lambda words: runs(words) or int("uv" in words))
    entry.install()
    *_, by_uv, by_pip, _ = started
    assert "uv" in by_uv and "pip" in by_pip and by_uv[-2:] == by_pip[-2:]


def test_a_python_that_is_too_new_or_has_no_venv_is_told_before_anything_starts(
    bare, monkeypatch
):
    monkeypatch.setattr(entry.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="apt install python3-venv"):
        entry.main(["lab"])
    monkeypatch.setattr(entry.sys, "version_info", (3, 14, 0))
    with pytest.raises(SystemExit, match="Python 3.14.0; .* 3.11, 3.12 or 3.13"):
        entry.main(["lab"])
    assert bare[1] == []


def test_on_windows_the_environment_has_another_folder():
    assert entry.interpreter("nt").parts[-2:] == ("Scripts", "python.exe")
    assert entry.interpreter("posix").parts[-2:] == ("bin", "python")


def test_a_dev_container_and_binder_install_what_is_there():
    container = json.loads(
        (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    )
    python, _, module, target = container["postCreateCommand"].split()
    assert (python, module) == ("python", "tools") and target in entry.TARGETS
    needs = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8")
    for name in re.findall(r"^-[rc] (.+)$", needs, re.MULTILINE):
        assert (ROOT / ".binder" / name).is_file()


def test_clean_removes_what_was_built_and_nothing_else(bare):
    folder, started = bare
    for name in ("build/run/one.ipynb", "notebooks/one.ipynb", "course.zip"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    entry.main(["clean"])
    assert sorted(path.name for path in folder.iterdir()) == ["notebooks", "requirements.lock"]
    assert started == []


@pytest.mark.parametrize("code", [0, 3])
def test_what_fails_ends_with_its_code(code, capfd):
    program = [sys.executable, "-c", f"print('said'); raise SystemExit({code})"]
    if code:
        with pytest.raises(SystemExit) as ended:
            entry.call(program)
        assert ended.value.code == code
    else:
        entry.call(program)
    assert "said" in capfd.readouterr().out
