"""Visit the course as a stranger does: a fresh clone, an empty home, every command and page.

    python -m tools.visit                        up to half an hour
    python -m tools.visit --leave run test-fast  without these targets

It clones what is committed here into a new folder, runs there what README.md, CONTRIBUTING.md
and the Makefile offer, and looks in a browser at what that made. It prints a line a step, with
its seconds; a step that fails is named, with what to do, and its clone stays.
"""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from tools.command_line import parser
from tools.lint_slides import LOCAL, NoBrowser, browser, chromium, watched
from tools.shows import ROOT
from tools.source import lectures

LECTURE = "02_simple_rnn"
RUN = {  # targets in this order, with their arguments
    ".venv/installed": "",
    "help": "",
    "run": "",
    "lab": "",
    "progress": "",
    "notebook": f"LECTURE={LECTURE}",
    "notebooks": "",
    "check": f"LECTURE={LECTURE}",
    "test-fast": "",
    "results": "",
    "slides": "",
    "lecturer": "",
    "site": "",
    "instructor": "",
    "handout": "",
    "colab-zip": "",
    "clean": "",
}
LEFT_OUT = {
    "test": "every change has it run by .ci/run",
    "full": "trains for hours",
    "bench": "measures on a quiet machine only",
    "lock": "would pin other versions",
    "colab-check": "makes an environment of its own",
    "visit": "is this",
}
VIEWS = {  # what a browser opens of a target's build/, and what has to be there
    "slides": (f"{LECTURE}.html", "text=Exercise 02.1"),
    "lecturer": ("index.html", f"a[href='{LECTURE}/deck.html']"),
}
OURS = ("COURSE_", "PYTHONPATH", "VIRTUAL_ENV", "KERAS_", "JUPYTER", "XDG_", "MAKE")
DRAWING = 'img[src^="data:image/svg+xml"]'
TERM = "spectral radius"
IN_VIEW = """term => [...document.querySelectorAll("h2")].some(one => {
    const { top } = one.getBoundingClientRect();
    return one.innerText.startsWith(term) && 0 < top && top < 1000;
})"""
STDERR = '[data-mime-type="application/vnd.jupyter.stderr"]'


class Failed(Exception):
    """A step failed; the message says how, and what to do."""


def make(target: str, clone: Path, environment: dict[str, str]) -> None:
    """Run a target in the clone; raises Failed where it fails or writes to stderr."""
    command = ["make", *f"{target} {RUN[target]}".split()]
    options = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    done = subprocess.run(command, cwd=clone, env=environment, **options)
    again = f"In the clone, try: {' '.join(command)}"
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failed(f"it ended with {done.returncode}:\n{last}\n{again}")
    if done.stderr and target != ".venv/installed":  # pip's warnings are its own
        raise Failed(f"it works, but wrote to stderr:\n{done.stderr}{again}")


def unchanged(clone: Path) -> None:
    """Raise Failed where the targets have changed what is committed."""
    command = ["git", "-C", str(clone), "status", "--porcelain"]
    options = {"capture_output": True, "encoding": "utf-8", "check": True}
    changed = subprocess.run(command, **options).stdout
    if changed:
        raise Failed(f"they are built otherwise:\n{changed}Build and commit them anew")


@contextmanager
def jupyter(command: list[str], folder: Path, environment: dict[str, str]):
    """Start JupyterLab by a command; yields the address of a notebook, whose name is {}."""
    options = {
        "cwd": folder,
        "env": environment,
        "encoding": "utf-8",
        "start_new_session": True,
    }
    options |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **options) as running:
        try:
            said = []
            for line in running.stderr:
                said.append(line)
                found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\S*\?token=(\w+)", line)
                if found:
                    break
            else:
                raise Failed(f"JupyterLab does not start:\n{''.join(said[-20:])}")
            yield f"{found[1]}/lab/tree/{{}}?token={found[2]}"
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.communicate(timeout=60)


def run_all(running, address: str) -> int:
    """Run All Cells of LECTURE in JupyterLab; return how many outputs are on stderr.

    Before, the notebook is untrusted, and has to show its drawings all the same; afterwards a
    term in it has to lead to the glossary.
    """
    source = lectures([LECTURE])[0].read_text(encoding="utf-8")
    drawings = source.count("cu.figures.show(")
    shown = f"document.querySelectorAll('{DRAWING}').length == {drawings}"
    page = running.new_page(viewport={"width": 1200, "height": 40_000})  # all cells at once
    page.goto(address)
    page.wait_for_function(shown, timeout=120_000)
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).first.click()
    page.get_by_text("[*]:").first.wait_for(timeout=120_000)
    page.wait_for_function("!document.body.innerText.includes('[*]:')", timeout=300_000)
    written = page.locator(STDERR).count()
    page.set_viewport_size({"width": 1200, "height": 1000})
    page.get_by_role("link", name=TERM).first.click()
    page.wait_for_function(IN_VIEW, arg=TERM)
    return written


def lab(clone: Path, environment: dict[str, str], running) -> None:
    """Open and run a notebook by `make lab`; raises Failed where it prints on stderr."""
    unseen = environment | {"BROWSER": "true"}  # that command instead of the user's browser
    with jupyter(["make", "lab"], clone, unseen) as address:
        if run_all(running, address.format(f"{LECTURE}.ipynb")):
            raise Failed(f"{LECTURE} prints on stderr: mend what make lab shows in red")


def look(address: str, sought: str, running) -> None:
    """Open a page; raises Failed where it asks for something outside or a script fails.

    sought: Playwright's selector of what has to be there.
    """
    page, outside, errors = watched(running, (*LOCAL, "http://127.0.0.1:"))
    page.goto(address)
    page.locator(sought).first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.context.close()
    if outside or errors:
        raise Failed(f"{address} asks for {outside}, scripts fail with {errors}; mend the page")


@contextmanager
def web(folder: Path):
    """Serve a folder to this machine; yields its address."""
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def steps(clone: Path, environment: dict[str, str], leave: list[str], running):
    """Yield the steps: the line that it gets, and the function that does it."""
    yield "git clone", partial(subprocess.run, ["git", "clone", "-q", ROOT, clone], check=True)
    for target in RUN:
        if target == "clean":
            yield "what is committed", partial(unchanged, clone)
        if target in leave:
            continue
        if target == "lab":
            yield "make lab, Run All", partial(lab, clone, environment, running)
            continue
        yield f"make {target}", partial(make, target, clone, environment)
        if target in VIEWS:
            name, sought = VIEWS[target]
            address = (clone / "build" / target / name).as_uri()
            yield f"look at {name}", partial(look, address, sought, running)
        if target == "site":
            with web(clone / "build" / "site") as address:
                yield "look at the site", partial(look, address, "text=The lectures", running)
                for term in bilingual("forget gate"):
                    page = f"{address}/search.html?q={quote(term)}"
                    found = "#search-results a[href^='glossary.html']"
                    yield f"search for {term}", partial(look, page, found, running)


def bilingual(term: str) -> tuple[str, str]:
    """Return a term of the glossary, and its Persian."""
    with (ROOT / "lectures" / "glossary.csv").open(encoding="utf-8", newline="") as file:
        return term, {row["term"]: row["persian"] for row in csv.DictReader(file)}[term]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    reading = parser("tools.visit", __doc__)
    reading.add_argument("--leave", nargs="*", default=[], choices=RUN, metavar="TARGET")
    leave = reading.parse_args(arguments).leave
    try:
        chromium()
    except NoBrowser as error:
        sys.exit(f"visit: {error}")
    folder = Path(tempfile.mkdtemp(prefix="visit-"))
    (folder / "home").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment = kept | {"HOME": str(folder / "home")}
    with browser() as running:
        for name, work in steps(folder / "course", environment, leave, running):
            began = time.monotonic()
            try:
                work()
            except Exception as error:  # of whatever kind, the step is to be named
                sys.exit(f"{name}: FAILED\n{error}\nThe clone is {folder / 'course'}")
            print(f"{name:32} {time.monotonic() - began:5.0f} s", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
