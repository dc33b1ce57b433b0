"""The committed notebooks: as new as their sources, executed, and in keeping with the rules."""

import json
import subprocess
import sys

import nbformat
import pytest

from tools import rules
from tools.build import build
from tools.shows import ROOT
from tools.source import assemble, lectures

LECTURES = lectures()
NOTEBOOKS = ROOT / "notebooks"
each_lecture = pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)


def committed(lecture):
    return nbformat.read(NOTEBOOKS / f"{lecture.stem}.ipynb", 4)


def without_outputs(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return json.loads(nbformat.writes(notebook))


def test_every_lecture_has_a_notebook_and_every_notebook_a_lecture():
    names = [path.stem for path in LECTURES]
    assert names
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == names


@each_lecture
def test_notebook_is_as_new_as_its_source_and_the_library_that_it_shows(lecture):
    fresh, stored = without_outputs(assemble(lecture)), without_outputs(committed(lecture))
    assert stored["metadata"] == fresh["metadata"]
    differing = [
        new["id"]
        for new, old in zip(fresh["cells"], stored["cells"], strict=False)
        if new != old
    ]
    assert (differing, len(stored["cells"])) == ([], len(fresh["cells"])), (
        "run `make notebooks`"
    )


@each_lecture
@pytest.mark.parametrize(
    "rule",
    [
        rules.metadata,
        rules.style,
        rules.executed,
        rules.reproducible,
        rules.alternative_texts,
        rules.full_precision,
    ],
    ids=lambda rule: rule.__name__,
)
def test_notebook_keeps_the_rule(lecture, rule):
    assert rule(committed(lecture)) == []


@each_lecture
def test_instructor_notebook_passes_its_checks_and_names_what_it_uses(lecture, tmp_path):
    [outcome] = build([lecture], tmp_path, "instructor")
    assert outcome.error is None, outcome.error
    notebook = nbformat.read(outcome.notebook, 4)
    for rule in (rules.metadata, rules.executed, rules.reproducible, rules.alternative_texts):
        assert rule(notebook) == []
    # Only here is the code whole: sources lack what `shows=` fills in, students' the solutions.
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F"]
    done = subprocess.run([*command, outcome.notebook], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
