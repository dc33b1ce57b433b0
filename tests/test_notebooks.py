"""The committed notebooks: as new as their sources, executed, and in keeping with the rules."""

import contextlib
import functools
import inspect
import json
import subprocess
import sys
from copy import deepcopy

import keras
import nbformat
import pytest

import course_utils as cu
from tools import exercises, glossary, rules
from tools.notebook import NOTEBOOKS, made_from, write
from tools.part import slice_cells, used
from tools.source import assemble, lectures, titles

LECTURES = lectures()
BUILT_ON = (
    "01_",
    "02_",
    "03_",
    "03c",
    "04_",
    "06b",
    "06c",
    "08_",
)  # lectures whose cells run on what students built
MEND = "run `make notebooks`"
each_lecture = pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)


def committed(lecture):
    return nbformat.read(NOTEBOOKS / f"{lecture.stem}.ipynb", 4)


def without_outputs(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("answer", None)
    return json.loads(nbformat.writes(notebook))


def test_every_lecture_has_a_notebook_and_every_notebook_a_lecture():
    names = [path.stem for path in LECTURES]
    assert names
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == names


def test_the_glossary_is_as_new_as_its_table():
    stored = (NOTEBOOKS / glossary.PAGE).read_text(encoding="utf-8")
    assert stored == glossary.entries(titles()), MEND


@each_lecture
def test_notebook_is_as_new_as_its_source_and_the_library_that_it_shows(lecture):
    notebook = assemble(lecture)
    notebook.metadata["made_from"] = made_from(lecture, notebook)
    fresh, stored = without_outputs(notebook), without_outputs(committed(lecture))
    pairs = zip(fresh["cells"], stored["cells"], strict=False)
    differing = [new["id"] for new, old in pairs if new != old]
    assert (differing, len(stored["cells"])) == ([], len(fresh["cells"])), MEND
    assert stored["metadata"] == fresh["metadata"], MEND


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


@pytest.mark.slow  # it trains what the exercises train
@each_lecture
def test_every_solution_is_accepted_where_a_refusal_is_an_error(lecture, monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    notebook = assemble(lecture, "instructor")
    checks = [cell for cell in notebook.cells if "check" in cell.metadata.get("tags", [])]
    assert checks
    for check in checks:
        needed, checked = slice_cells(deepcopy(notebook), check.source).cells
        names = {}
        exec(needed.source, names)
        exec(checked.source, names)


class Enough(Exception):
    """The student's code was reached."""


@pytest.mark.slow
@pytest.mark.parametrize("lecture", [path for path in LECTURES if path.stem[:3] in BUILT_ON],
                         ids=lambda path: path.stem)  # fmt: skip
def test_the_rest_of_a_notebook_runs_on_the_students_own_code(lecture, monkeypatch):
    """A right but different definition is called by a cell behind its exercise."""
    notebook, called = assemble(lecture, "instructor"), set()

    def use(identifier, answer):
        """Stand in for a student's definition: the right results by other code."""
        right = answer.call if inspect.isclass(answer) else answer

        @functools.wraps(right)
        def own(*args, **kwargs):
            called.add(identifier)
            return right(*args, **kwargs)

        if not inspect.isclass(answer):
            return own
        return type(answer.__name__, (answer,), {"call": own, "__module__": "student"})

    def stop(model, data, *args, **kwargs):
        part = getattr(data, "train", None) or data[0]
        batch = part[0][0] if hasattr(part, "__getitem__") else part.inputs
        model(keras.tree.map_structure(lambda array: array[:2], batch))
        raise Enough

    monkeypatch.setattr(cu.exercises, "use", use)
    monkeypatch.setattr(cu.training, "fit", stop)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for place, cell in enumerate(code):
        found = exercises.USE.search(cell.source)
        if not found or "exercises.use" not in cell.source:
            continue
        name = cell.source.split(" =")[0]
        for later in code[place + 1 :]:
            if found[1] in called:
                break
            if name not in used(later.source):
                continue
            if "builds" in later.metadata:  # the student's own code calls it
                called.add(found[1])
                break
            before = deepcopy(notebook)
            before.cells = before.cells[: notebook.cells.index(later) + 1]
            needed, last = slice_cells(before, later.source).cells
            names = {}
            # What loops bind is left out of the slice; another cell has to do then.
            with contextlib.suppress(Enough):
                exec(needed.source, names)
                called.discard(found[1])
                exec(last.source, names)
        assert found[1] in called, f"{name} of exercise {found[1]} is used by no later cell"


@each_lecture
def test_instructor_notebook_names_what_it_uses(lecture, tmp_path):
    notebook = assemble(lecture, "instructor")
    assert rules.metadata(notebook) == []
    # Only here is the code whole: sources lack what `shows=` fills in, students' the solutions.
    path = tmp_path / "instructor.ipynb"
    write(notebook, path)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F", path]
    command += ["--output-format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    # An exercise defines anew what a lecture may have imported before.
    built = [f"`{cell.metadata['builds'].split('.')[-1]}`" for cell in notebook.cells
             if "builds" in cell.metadata]  # fmt: skip
    found = [
        (fault["code"], fault["message"])
        for fault in json.loads(done.stdout)
        if fault["code"] != "F811" or not any(name in fault["message"] for name in built)
    ]
    assert found == []
