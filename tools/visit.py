"""Visit the course as a stranger does: a fresh clone, an empty home, every command and page.

    python -m tools.visit                        up to half an hour
    python -m tools.visit --leave run test-fast  without these targets

It clones what is committed here into a new folder, runs there what README.md, CONTRIBUTING.md
and the Makefile offer, and opens in a browser what that made. It prints one line per step, with
its seconds; a step that fails is named, with what to do, and its clone stays.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tools.command_line import parser
from tools.lint_slides import NoBrowser, browser, watched
from tools.shows import ROOT
from tools.source import lectures

LECTURE = lectures()[0].stem
RUN = (".venv/installed", "help", "run", "lab", "progress", "notebook", "notebooks", "check")
RUN += ("test-fast", "results", "slides", "lecturer", "site", "instructor", "handout")
RUN += ("colab-zip", "clean")
OF_ONE_LECTURE = ("notebook", "check")
LEFT_OUT = {
    "test": "every change has it run by .ci/run",
    "full": "trains for hours",
    "bench": "measures on a quiet machine only",
    "lock": "would pin other versions",
    "colab-check": "makes an environment of its own",
    "visit": "is this",
}
VIEWS = {  # what a browser opens of a target's build/, and what has to be there
    "slides": (f"{LECTURE}.html", ".reveal .exercise"),
    "lecturer": ("index.html", f"a[href='{LECTURE}/deck.html']"),
    "site": ("search.html?q=پدینگ", "#search-results a[href^='glossary.html']"),  # padding
}
OURS = ("COURSE_", "PYTHONPATH", "VIRTUAL_ENV", "KERAS_", "JUPYTER", "XDG_", "MAKE")
READ = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}


class Failed(Exception):
    """A step failed; the message says how, and what to do."""


def make(target: str, clone: Path, environment: dict[str, str]) -> None:
    """Run a target in the clone; raises Failed where it fails or writes to stderr."""
    named = [f"LECTURE={LECTURE}"] if target in OF_ONE_LECTURE else []
    command = ["make", target, *named]
    done = subprocess.run(command, cwd=clone, env=environment, **READ)
    again = f"In the clone, try: {' '.join(command)}"
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failed(f"it ended with {done.returncode}:\n{last}\n{again}")
    if done.stderr and target != ".venv/installed":  # pip's warnings are its own
        raise Failed(f"it works, but wrote to stderr:\n{done.stderr}{again}")


def unchanged(clone: Path) -> None:
    """Raise Failed where the targets have changed what is committed."""
    changed = subprocess.run(["git", "-C", clone, "status", "--porcelain"], **READ).stdout
    if changed:
        raise Failed(f"these files were built otherwise:\n{changed}Build and commit them again")


@contextmanager
def jupyter(command: list[str], folder: Path, environment: dict[str, str]):
    """Start JupyterLab by a command; yields the address of a notebook, whose name is {}."""
    options = {"cwd": folder, "env": environment, "start_new_session": True}
    options |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(command, **options) as running:
        try:
            said = ""
            for line in running.stderr:
                said += line
                found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\S*\?token=(\w+)", line)
                if found:
                    break
            else:
                raise Failed(f"JupyterLab does not start:\n{said[-2000:]}")
            yield f"{found[1]}/lab/tree/{{}}?token={found[2]}"
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.communicate(timeout=60)


def lab(clone: Path, environment: dict[str, str]) -> None:
    """Start `make lab`, with a command that opens nothing instead of the user's browser."""
    with jupyter(["make", "lab"], clone, environment | {"BROWSER": "true"}):
        pass


def look(address: str, sought: str, running) -> None:
    """Open a page; raises Failed where it asks for something outside or a script fails.

    Args:
        address: the page's.
        sought: Playwright's selector of what has to be there.
        running: the browser.
    """
    page, outside, errors = watched(running)
    page.goto(address)
    page.locator(sought).first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.context.close()
    if outside or errors:
        raise Failed(f"{address} asks for {outside}, scripts fail with {errors}: fix the page")


def steps(clone: Path, environment: dict[str, str], leave: list[str], running):
    """Yield the steps: the name of each, and the function that does it."""
    yield "git clone", partial(subprocess.run, ["git", "clone", "-q", ROOT, clone], check=True)
    for target in RUN:
        if target == "clean":
            yield "what is committed", partial(unchanged, clone)
        if target not in leave:
            work = lab if target == "lab" else partial(make, target)
            yield f"make {target}", partial(work, clone, environment)
            if target in VIEWS:
                name, sought = VIEWS[target]
                address = f"{(clone / 'build' / target).as_uri()}/{name}"
                yield f"look at {name}", partial(look, address, sought, running)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    reading = parser("tools.visit", __doc__)
    reading.add_argument("--leave", nargs="*", default=[], choices=RUN, metavar="TARGET")
    leave = reading.parse_args(arguments).leave
    folder = Path(tempfile.mkdtemp(prefix="visit-"))
    (folder / "home").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment = kept | {"HOME": str(folder / "home")}
    try:
        with browser() as running:
            for name, work in steps(folder / "course", environment, leave, running):
                began = time.monotonic()
                try:
                    work()
                except Exception as error:  # of whatever kind, the step is to be named
                    sys.exit(f"{name}: FAILED\n{error}\nThe clone is {folder / 'course'}")
                print(f"{name:32} {time.monotonic() - began:5.0f} s", flush=True)
    except NoBrowser as error:
        sys.exit(f"visit: {error}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
