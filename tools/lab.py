"""Open a student's own copies of the notebooks in JupyterLab: `work/`, which git ignores.

    python -m tools.lab
    python -m tools.lab progress     which exercises are solved there

A copy that was worked in is never written again. Where the course has a newer notebook, an
untouched copy is exchanged; of a touched one the start page says that there is a newer one.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_utils import exercises
from tools import glossary
from tools.course import course
from tools.exercises import start_no_backend
from tools.shows import ROOT
from tools.source import heading

WORK, COPIED, START = ROOT / "work", ".copied.json", "START.ipynb"
MINUTES = re.compile(r"^[●○]{5} · (\d+) minutes$", re.MULTILINE)
ADVICE = (
    "Your copies of the notebooks lie in this folder, `work/`; an update of the course leaves "
    "alone whatever you have changed. Begin anywhere: **Run → Run All Cells** works on "
    "unsolved notebooks, too. Terms in bold lead to the "
    f"[glossary, English and Persian]({glossary.PAGE}). To begin a lecture afresh, rename your "
    "copy and start `make lab` again."
)


def copy(notebooks: Path, work: Path) -> list[str]:
    """Copy notebooks and glossary into `work`; return the names of what has a newer version.

    The folder keeps what was copied (`.copied.json`) to tell an untouched copy from another.
    """
    work.mkdir(exist_ok=True)
    note, newer = work / COPIED, []
    copied = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    for source in [*sorted(notebooks.glob("*.ipynb")), *notebooks.glob("*.md")]:
        target, content = work / source.name, source.read_bytes()
        if not target.exists() or _digest(target.read_bytes()) == copied.get(source.name):
            _write(target, content)
            copied[source.name] = _digest(content)
        elif copied.get(source.name) != _digest(content):
            newer.append(source.name)
    _write(note, json.dumps(copied, indent=1).encode())
    if not (work / "progress.json").exists():
        _write(work / "progress.json", b"{}\n")
    return newer


def start_page(notebooks: Path, newer: list[str]) -> nbformat.NotebookNode:
    """Return the notebook that JupyterLab opens: the lectures, and a cell with the progress."""
    lines = [f"# {course().name}", "", ADVICE, ""]
    lines += ["| lecture | exercises | their minutes |", "| --- | --- | --- |"]
    for path in sorted(notebooks.glob("*.ipynb")):
        notebook, number = nbformat.read(path, 4), path.stem.partition("_")[0]
        found = filter(None, (MINUTES.search(cell.source) for cell in notebook.cells))
        minutes = [int(one[1]) for one in found]
        link = f"[{number} {heading(notebook)}]({path.name})"
        lines.append(f"| {link} | {len(minutes)} | {sum(minutes)} |")
    if newer:
        names = ", ".join(f"`notebooks/{name}`" for name in newer)
        lines += [
            "",
            f"The course has newer versions of notebooks that you worked in: {names}.",
        ]
    # A started session keeps the backend's messages off the page.
    progress = (
        "import course_utils as cu\n\nsession = cu.start(seed=0)\ncu.exercises.progress()"
    )
    cells = [new_markdown_cell("\n".join(lines)), new_code_cell(progress)]
    return new_notebook(cells=cells)


def main() -> int:
    """Copy, write the start page, and run JupyterLab until it is ended."""
    if "progress" in sys.argv[1:]:
        if not WORK.is_dir():
            sys.exit("There is no work/ yet: make lab makes it.")
        os.chdir(WORK)  # where it is kept
        start_no_backend()
        print(exercises.progress())
        return 0
    newer = copy(ROOT / "notebooks", WORK)
    try:
        nbformat.write(start_page(ROOT / "notebooks", newer), WORK / START)
    except ValueError as error:
        sys.exit(f"lab: {error}")
    command = [sys.executable, "-m", "jupyterlab", "--ServerApp.root_dir", str(WORK)]
    command += [f"--LabApp.default_url=/lab/tree/{START}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:  # JupyterLab has asked and ended by itself
        return 0


def _write(path, content):
    beside = path.with_name(f"{path.name}.part")
    beside.write_bytes(content)
    beside.replace(path)


def _digest(content):
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
