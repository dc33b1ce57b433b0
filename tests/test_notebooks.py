"""The committed notebooks: as new as their sources, executed, and in keeping with the rules."""

import json
import subprocess
import symtable
import sys

import nbformat
import pytest

from tools import exercises, glossary, rules
from tools.notebook import NOTEBOOKS, made_from, write
from tools.source import PROJECT, assemble, lectures, titles

LECTURES = [*lectures(), PROJECT]
TO_DO = "run `make notebooks`"
each_lecture = pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)


def used(code: str) -> set[str]:
    """The global names that some code reads, inside its functions too."""
    top = symtable.symtable(code, "lecture", "exec")
    names = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    tables = list(top.get_children())
    for table in tables:  # which grows by what is inside
        in_class = isinstance(table, symtable.Class)  # there `f = g(f)` reads a global f
        for symbol in table.get_symbols():
            if symbol.is_global() or (in_class and symbol.is_referenced()):
                names.add(symbol.get_name())
        tables += table.get_children()
    return names


def committed(lecture):
    path = NOTEBOOKS / f"{lecture.stem}.ipynb"
    assert path.is_file(), TO_DO
    return nbformat.read(path, 4)


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
    assert stored == glossary.entries(titles()), TO_DO


@pytest.mark.slow
@each_lecture
def test_notebook_is_as_new_as_its_source_and_the_library_that_it_shows(lecture):
    notebook = assemble(lecture)
    notebook.metadata["made_from"] = made_from(notebook)
    fresh, stored = without_outputs(notebook), without_outputs(committed(lecture))
    pairs = zip(fresh["cells"], stored["cells"], strict=False)
    differing = [new["id"] for new, old in pairs if new != old]
    assert (differing, len(stored["cells"])) == ([], len(fresh["cells"])), TO_DO
    assert stored["metadata"] == fresh["metadata"], TO_DO


@each_lecture
@pytest.mark.parametrize(
    "rule",
    [
        rules.metadata,
        rules.style,
        rules.executed,
        rules.reproducible,
        rules.alternative_texts,
        rules.plotted,
        rules.full_precision,
    ],
    ids=lambda rule: rule.__name__,
)
def test_notebook_keeps_the_rule(lecture, rule):
    assert rule(committed(lecture)) == []


@each_lecture
def test_the_rest_of_a_notebook_uses_what_the_student_built(lecture):
    """Below an exercise a later cell names what `use` gave back."""
    code = [cell for cell in assemble(lecture, "instructor").cells if cell.cell_type == "code"]
    for place, cell in enumerate(code):
        if exercises.USE.search(cell.source) and "exercises.use" in cell.source:
            name = cell.source.split(" =")[0]
            rest = cell.source.partition("exercises.use(")[2].partition(")")[2]
            later = used(rest).union(*(used(other.source) for other in code[place + 1 :]))
            assert name in later, f"cell {cell.id}: no later cell uses {name}"


@each_lecture
def test_instructor_notebook_names_what_it_uses(lecture, tmp_path):
    notebook = assemble(lecture, "instructor")
    assert rules.metadata(notebook) == []
    # Only here is the code whole: sources lack what `shows=` fills in, students' the solutions.
    path = tmp_path / "instructor.ipynb"
    write(notebook, path)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F", path]
    command += ["--output-format", "json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    # An exercise defines again what a lecture may have imported before.
    built = [f"`{cell.metadata['builds'].split('.')[-1]}`" for cell in notebook.cells
             if "builds" in cell.metadata]  # fmt: skip
    found = [
        (fault["code"], fault["message"])
        for fault in json.loads(done.stdout)
        if fault["code"] != "F811" or not any(name in fault["message"] for name in built)
    ]
    assert found == []
