"""Write the lectures as a course directory for nbgrader, with an assignment per lecture.

    python -m tools.nbgrader                      all lectures, into build/nbgrader
    python -m tools.nbgrader NN_name --into DIR   one of them, into DIR

`source/NN_name/` holds the lecturer's notebook. An exercise's cell has the solution between
nbgrader's marks; the cell that checks it is a locked test with the exercise's minutes as
points, and hidden lines take them away from a wrong answer. nbgrader's own commands do the
rest: its configuration, written here, names them. A file that somebody has changed since it was
written is left as it is.

nbgrader restores a check that a student has edited or deleted. It does not protect against the
students' code: that runs in the process that grades it, with the grader's rights, and can award
itself points, read and change the grader's files, and use the network. It also needs the whole
notebook: one whose code ends the kernel, or that lacks an answer together with its check, gets
no points at all, and only the log of `nbgrader autograde` says so. `python -m tools.grade
DIR/submitted` judges the same answers in closed processes: run it, too, and compare the points.
"""

import json
import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools import copies, exercises, glossary
from tools.command_line import parser
from tools.execute import QUICK, exit_with
from tools.notebook import TIMEOUT, writable
from tools.shows import ROOT, STUB, marked
from tools.source import add_lectures, assemble, lectures, titles

INTO = ROOT / "build" / "nbgrader"
CHECK = re.compile(exercises.USE.pattern + r",\s*(\w+)\)")
HIDDEN = """\
### BEGIN HIDDEN TESTS
import sys

sys.stderr = sys.stdout  # nbgrader gives no points to a cell that writes a warning
if "{name}" not in globals():  # the answer is no Python, but later exercises build on it
    {name} = cu.exercises.find("{identifier}").reference
### END HIDDEN TESTS
{check}
### BEGIN HIDDEN TESTS
if {name} is not cu.exercises.accepted("{identifier}") or (
    {name} is cu.exercises.find("{identifier}").reference
):
    raise AssertionError("{identifier} is not solved: no points")
### END HIDDEN TESTS"""
CONFIG = f'''\
"""The settings of nbgrader for this course. In this folder, for a lecture NN_name:

    nbgrader generate_assignment NN_name    writes release/, which students get
    nbgrader autograde NN_name              runs submitted/<student>/NN_name/NN_name.ipynb
    nbgrader generate_feedback NN_name      writes feedback/, a page per student
    nbgrader export                         writes grades.csv

Keep a class in a folder of its own: submissions and gradebook.db come to lie beside this file,
and `make clean` removes build/.

The kernel `python3` has to see the course: install it into JupyterHub's environment, or run
`python -m ipykernel install --user` with the course's own Python.
"""

import os

c = get_config()
# For JupyterHub's exchange of assignments, name your course:
# c.CourseDirectory.course_id = "course101"

# What students get in place of a solution.
c.ClearSolutions.code_stub = {{"python": {STUB!r}}}
# A check that a student has deleted is put back, and fails or passes as any other.
c.OverwriteCells.add_missing_cells = True

# A training has a limit of its own, below this one.
c.Execute.timeout = {TIMEOUT}
c.Execute.startup_timeout = 180
# What the backend's C++ code writes is not the student's.
c.Execute.extra_arguments = ["--IPKernelApp.capture_fd_output=False"]
# The small data of the course: no network.
os.environ |= {json.dumps(QUICK | {"COURSE_STRICT": "0"}, indent=4)}
'''


def assignment(path: Path) -> NotebookNode:
    """Return a lecture's notebook with the solutions, and with nbgrader's metadata."""
    notebook = assemble(path, "handout")
    minutes = {name: takes for name, (_, takes) in exercises.declared(path.stem).items()}
    answer = None
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if "builds" in cell.metadata:
            answer = cell
        for identifier, name in CHECK.findall(cell.source):
            number = identifier.replace(".", "-")
            answer.source = marked(answer.metadata["builds"])
            answer.metadata["nbgrader"] = _about(f"answer-{number}", solution=True)
            cell.source = HIDDEN.format(identifier=identifier, name=name, check=cell.source)
            cell.metadata["nbgrader"] = _about(
                f"exercise-{number}", grade=True, locked=True, points=minutes[identifier]
            )
    nbformat.validate(notebook)
    return notebook


def _about(name, **more):
    fixed = {"grade_id": name, "schema_version": 3, "cell_type": "code", "task": False}
    return NotebookNode(dict.fromkeys(("grade", "solution", "locked"), False) | fixed | more)


def write(sources: list[Path], into: Path) -> list[str]:
    """Write the course directory; return the names of files that are left as they are."""
    entries = glossary.entries(titles()).encode()
    files = {"nbgrader_config.py": CONFIG.encode()}
    for path in sources:
        text = nbformat.writes(assignment(path), indent=1, ensure_ascii=False) + "\n"
        files[f"source/{path.stem}/{path.stem}.ipynb"] = text.encode()
        files[f"source/{path.stem}/{glossary.PAGE}"] = entries
    writable(into)
    ours, kept = copies.Copies(into), []
    for name, content in files.items():
        latest, before = copies.version(name, content), ours.copied.get(name)
        path = into / name
        if path.is_file():
            # Points are metadata, and so every byte counts.
            present = copies.version(name, path.read_bytes()).whole
            if present not in (latest.whole, before and before.whole):
                kept.append(name)
                continue
        copies.write(path, content)
        ours.copied[name] = latest
    ours.save()
    return kept


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    reading = parser("tools.nbgrader", __doc__)
    add_lectures(reading)
    reading.add_argument("--into", type=Path, default=INTO, metavar="DIR")
    given = reading.parse_args(arguments)
    try:
        kept = write(given.lectures or lectures(), given.into)
    except (OSError, ValueError) as error:
        print(f"nbgrader: {error}", file=sys.stderr)
        return 1
    for name in kept:
        print(f"{given.into / name} has been changed: it stays; move it away for a new one")
    print(f"{given.into}: its nbgrader_config.py names the next commands")
    return 0


if __name__ == "__main__":
    exit_with(main)
