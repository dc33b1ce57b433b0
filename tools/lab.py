"""Open a student's own copies of the notebooks in JupyterLab: `work/`, which git ignores.

    python -m tools.lab
    python -m tools.lab progress     which exercises are solved there

An update of the course replaces what nobody has worked in. Of a notebook in which a cell was
changed it keeps the earlier copy beside, and carries the answers into the new version
(`tools.carry`); the start page tells of it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_utils import exercises, progress
from tools import carry, copies, glossary, paper, self_test
from tools.command_line import parser
from tools.course import course
from tools.exercises import start_no_backend
from tools.shows import ROOT
from tools.source import PROJECT, heading, lectures, tidy

WORK, START = ROOT / "work", "START.ipynb"
PAGES = ROOT / "build" / "lab"  # served as they are: what lies in work/ may keep no score
MINUTES = re.compile(r"^[●○]{5} · (\d+) minutes$", re.MULTILINE)
ADVICE = (
    "Your copies of the notebooks lie in this folder, `work/`; an update of the course carries "
    "your answers into its new version and keeps your earlier copy. Begin anywhere: **Run → "
    "Run All Cells** works on unsolved notebooks, too. Terms in bold lead to the "
    f"[glossary, English and Persian]({glossary.PAGE}). To begin a lecture again, rename your "
    "copy and start `make lab` again."
)
RULES = (
    "[Rules, proposals, marks](/static/project/project.html), "
    "[an example report](/static/project/report.html)"
)
# A started session keeps the backend's messages off the page.
PROGRESS = "import course_utils as cu\n\nsession = cu.start(seed=0)\ncu.exercises.progress()"
SETTINGS = Path(__file__).parent / "jupyter"  # defaults: no question on news, no news


def prepare(notebooks: Path, work: Path) -> str:
    """Copy notebooks and glossary into `work` and write its start page; return the page's name.

    Raises:
        ValueError: for a file of the course that is no notebook.
        OSError: where `work` cannot be written.
    """
    sources = {path.name: path.read_bytes() for path in sorted(notebooks.glob("*.ipynb"))}
    for name, content in sources.items():
        if copies.version(name, content).cells is None:
            raise ValueError(
                f"{notebooks / name} is damaged: git checkout notebooks/{name} restores it"
            )
    pages = {path.name: path.read_bytes() for path in notebooks.glob("*.md")}
    mine = copies.Copies(work)
    notices = [_notice(mine, name, content) for name, content in (sources | pages).items()]
    page = nbformat.writes(start_page(sources, list(filter(None, notices))))
    start = mine.place(START, page.encode())
    mine.save()
    if not os.path.lexists(work / progress.FILE):
        copies.write(work / progress.FILE, b"{}\n")
    return start


def start_page(sources: dict[str, bytes], notices: list[str]) -> nbformat.NotebookNode:
    """Return the notebook that JupyterLab opens: news, lectures, progress."""
    lines = [f"# {course().name}", ""]
    if notices:
        lines += ["**An update of the course:**", "", *(f"- {one}" for one in notices), ""]
    lines += [ADVICE, "", "| lecture | exercises | their minutes | questions |"]
    lines.append("| --- | --- | --- | --- |")
    tested = {source.stem for source in lectures()}
    for name, content in sources.items():
        notebook = nbformat.reads(content.decode(), 4)
        stem, number = name.removesuffix(".ipynb"), name.partition("_")[0]
        test = f"[Self-test {number}](/static/self-tests/{stem}.html)" if stem in tested else ""
        minutes = MINUTES.findall("\n\n".join(cell.source for cell in notebook.cells))
        called, whole = f"{number} {heading(notebook)}", sum(map(int, minutes))
        if stem == PROJECT.stem:
            called = f"The project: {heading(notebook).lower()}"
            lines.append(f"| [{called}]({name}) | | | {RULES} |")
            continue
        lines.append(f"| [{called}]({name}) | {len(minutes)} | {whole} | {test} |")
    # The ids of cells are drawn; named, the same page gives the same bytes.
    cells = [new_markdown_cell("\n".join(lines), id="lectures")]
    page = new_notebook(cells=[*cells, new_code_cell(PROGRESS, id="progress")])
    tidy(page)  # JupyterLab asks for a kernel where a notebook names none
    return page


def jupyterlab(work: Path, start: str) -> list[str]:
    """Return the command that opens a folder in JupyterLab, with a notebook in it."""
    command = [sys.executable, "-m", "jupyterlab", "--ServerApp.root_dir", str(work)]
    command.append(f"--ServerApp.extra_static_paths={PAGES}")  # at /static/
    return [*command, f"--LabApp.default_url=/lab/tree/{start}", "--allow-root"]


def quiet(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment that gives JupyterLab our defaults; a user's settings go first."""
    paths = filter(None, (str(SETTINGS), environment.get("JUPYTER_CONFIG_PATH")))
    solutions = {} if course().solutions else {"COURSE_SOLUTIONS": "0"}
    return {**environment, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths), **solutions}


def _notice(mine, name, content):
    """Place a file; return what to tell the student, "" where there is nothing."""
    try:
        placed = mine.place(name, content, carry.over if name.endswith(".ipynb") else None)
    except Exception as error:  # a full disk, a cell that no parser survives: the lab opens
        why = getattr(error, "strerror", None) or error
        return f"`{name}` could not be brought up to date and stays as it is: {why}."
    if placed == name:
        told, kept = carry.news((mine.folder / name).read_bytes())
        if not (kept and (mine.folder / kept).is_file()):
            return ""
        told = " ".join([f"[{name}]({name}) is a new version.", *told])
        return f"{told} Your earlier copy: [{kept}]({kept}). Delete it to end this notice."
    told = "cannot be read and stays as it is; the course's version"
    if mine.readable(name):
        told = "has a newer version, as you have worked in it"
    return f"`{name}` {told}: [{placed}]({placed})"


def main(arguments: list[str] | None = None) -> int:
    """Copy, write the start page, and run JupyterLab until it is ended."""
    reading = parser("tools.lab", __doc__)
    about = "print which exercises are solved, and start nothing"
    reading.add_argument("progress", nargs="?", choices=["progress"], help=about)
    if reading.parse_args(arguments).progress:
        if not WORK.is_dir():
            sys.exit("There is no work/ yet: make lab makes it.")
        os.chdir(WORK)  # where it is kept
        start_no_backend()
        print(exercises.progress())
        return 0
    try:
        self_test.write(PAGES / "self-tests")
        paper.write_pages(("project", "report"), PAGES / "project")
        start = prepare(ROOT / "notebooks", WORK)
    except ValueError as error:
        sys.exit(f"lab: {error}")
    except OSError as error:
        sys.exit(f"lab: work/ cannot be written ({error}); your work is kept")
    try:
        return subprocess.run(jupyterlab(WORK, start), env=quiet(os.environ)).returncode
    except KeyboardInterrupt:  # JupyterLab has asked and ended by itself
        return 0


if __name__ == "__main__":
    sys.exit(main())
