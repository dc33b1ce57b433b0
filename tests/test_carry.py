"""An update of the course: answers live on in the new version, and nothing is lost."""

import ast
import json
import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import carry, copies, lab
from tools.shows import ROOT
from tools.source import assemble, lectures

CHANGED = lectures()[1::6]  # three of the course's own
STUB = 'def {name}({arguments}):\n    """Return {what}."""\n    ...  # your code here'
USED = '{name} = cu.exercises.use("{identifier}", {name})'
NAME = "09_nine.ipynb"


def stub(name="double", arguments="x", what="twice x"):
    return STUB.format(name=name, arguments=arguments, what=what)


def used(identifier="09.1", name="double"):
    return USED.format(identifier=identifier, name=name)


def solved(name="double", arguments="x"):
    return stub(name, arguments).replace("...  # your code here", "return 2 * x  # mine")


def written(*sources):
    """Return a notebook's bytes; a source that begins with # is text."""
    cells = [
        (new_markdown_cell if one.startswith("# ") else new_code_cell)(one) for one in sources
    ]
    return nbformat.writes(new_notebook(cells=cells)).encode()


COURSE = ("# Nine", "import numpy as np", stub(), used(), "print(double(3))")


def carried(mine, latest, course=COURSE):
    """Return the cells' sources after an update, and what is told of it."""
    known = [copies.digest(cell) for cell in copies.cells(written(*course))]
    renewed = carry.over(written(*mine), written(*latest), known, "kept.ipynb")
    nbformat.validate(nbformat.reads(renewed.decode(), 4))
    again = carry.over(renewed, written(*latest), known, "kept.ipynb")
    assert copies.cells(again) == copies.cells(renewed)  # so an interrupted update can go on
    return [source for _, source in copies.cells(renewed)], carry.news(renewed)[0]


NEWER = ("# Nine, better", "import numpy as np\nimport math", stub(), used(), "print(1)")


@pytest.mark.parametrize(
    ("mine", "latest", "expected", "told"),
    [
        pytest.param([solved()], NEWER, solved(), "answers to 09.1", id="in place"),
        pytest.param([stub()], NEWER, stub(), "", id="stub"),
        pytest.param([stub() + "\n# todo"], NEWER, stub(), "", id="only a comment"),
        pytest.param([stub(), solved()], NEWER, solved(), "09.1", id="in a cell of its own"),
        pytest.param(
            ["import os  # mine\ny = 3", "def three():\n    return y", solved() + "\nthree()"],
            NEWER,
            solved() + "\nthree()",
            "09.1",
            id="what it does not need stays",
        ),
        pytest.param(
            ["f = 2", "def half(x): return x / f", "def double(x): return half(4 * x)"],
            NEWER,
            "f = 2\n\ndef half(x): return x / f\n\ndef double(x): return half(4 * x)",
            "09.1",
            id="with what it needs",
        ),
        pytest.param(["double = lambda x: x"], NEWER, "double = lambda x: x", "", id="lambda"),
        pytest.param(
            ["def double(x:\n  mine"], NEWER, "def double(x:\n  mine", "", id="broken"
        ),
        pytest.param(
            [solved() + "\n" + used() + "\nother = 3"],
            NEWER,
            solved(),
            "",
            id="check in the cell",
        ),
        pytest.param(
            [solved()],
            (*NEWER[:3], used("09.2"), "1"),
            solved(),
            "09.1 (now 09.2)",
            id="another number",
        ),
        pytest.param(
            [solved()],
            ("# Nine", stub("twice"), used(name="twice")),
            None,
            "no longer asks for `double` (exercise 09.1)",
            id="another name",
        ),
        pytest.param(
            [solved()], ("# Nine",), None, "no longer asks for `double`", id="vanished"
        ),
        pytest.param(["from numpy import double"], NEWER, stub(), "", id="no definition"),
    ],
)
def test_an_answer_goes_to_its_exercise(mine, latest, expected, told):
    found, said = carried([*COURSE[:2], *mine, *COURSE[3:]], latest)
    if expected:
        assert expected in found and (expected == stub() or stub() not in found)
    asked = [latest[0], *latest[3:]] if expected else latest
    assert set(asked) <= set(found)  # what the course changed is there
    assert told in " ".join(said) and bool(said) == bool(told or expected != stub())


def test_an_exercise_that_changed_keeps_the_answer_below_what_it_asks_now():
    newer = stub(arguments="x, times")
    found, said = carried((*COURSE[:2], solved(), *COURSE[3:]), (*COURSE[:2], newer, used()))
    (cell,) = (one for one in found if solved() in one)
    assert "# def double(x, times):" in cell and ast.parse(cell).body[-1].name == "double"
    assert "Exercise 09.1 has changed" in " ".join(said)


def test_an_answer_in_the_cell_of_another_one_goes_alone():
    course = (*COURSE, stub("triple"), used("09.2", "triple"))
    both = solved() + "\n\n" + solved("triple")
    mine = (*COURSE[:2], both, *COURSE[3:], course[-1])
    found, _ = carried(mine, (*NEWER, *course[-2:]), course)
    assert solved() in found and solved("triple") in found and both not in found


def test_texts_that_were_added_follow_the_cell_that_they_followed():
    mine = (*COURSE[:2], "# mine, of import", solved(), COURSE[3], "# mine, of 09.1", "1 / 0")
    found, said = carried(mine, (*NEWER[:2], "# new", *NEWER[2:]))
    assert found.index("# mine, of import") == 1 and "1 / 0" not in found
    assert found.index("# mine, of 09.1") == found.index(used()) + 1
    assert "# Nine" not in found and said[-1] == "Your own texts are there as well."


def test_where_nobody_knows_what_was_copied_answers_alone_are_carried():
    mine = written(*COURSE[:2], "# mine", solved(), COURSE[3])
    renewed = carry.over(mine, written(*NEWER), None, "kept.ipynb")
    sources = [source for _, source in copies.cells(renewed)]
    assert sources == [solved() if one == stub() else one for one in NEWER]
    assert carry.news(renewed)[0] == ["It holds your answers to 09.1: run it to check them."]


STRANGE = {
    "half a character": "# \ud800",
    "a null byte": "def double(x):\0",
    "too deep": f"double = {'-' * 5000}1",
    "a return outside": "def double(x):\n    return f(x)\n\nf = abs\nreturn 3",
    "a check by a variable": "cu.exercises.use(which, double)\ncu.exercises.use('09.1')",
    "a line of the shell": "!ls\n%time\n" + solved(),
}


@pytest.mark.parametrize("strange", STRANGE)
def test_whatever_stands_in_a_copy_it_is_kept_and_the_lab_opens(strange, tmp_path):
    course, work = tmp_path / "notebooks", tmp_path / "work"
    course.mkdir()
    (course / NAME).write_bytes(written(*COURSE))
    lab.prepare(course, work)
    mine = json.loads(written(*COURSE, "x"))
    mine["cells"][-1] |= {"source": STRANGE[strange]}
    mine["cells"][-1] |= {"cell_type": "markdown"} if strange == "half a character" else {}
    (work / NAME).write_text(json.dumps(mine), encoding="utf-8")
    before = (work / NAME).read_bytes()
    (course / NAME).write_bytes(written(*NEWER))
    page = nbformat.read(work / lab.prepare(course, work), 4).cells[0].source
    assert before in [path.read_bytes() for path in work.glob("*.ipynb")]
    assert f"{NAME}" in page.partition(lab.ADVICE)[0]


def test_what_the_courses_own_run_printed_goes_with_the_stub():
    latest = nbformat.reads(written(*NEWER).decode(), 4)
    for cell in latest.cells[2:]:
        cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="old")], 1
    mine = written(*COURSE[:2], solved(), *COURSE[3:])
    found = json.loads(carry.over(mine, nbformat.writes(latest).encode(), [], "kept"))
    assert [len(cell.get("outputs", [])) for cell in found["cells"]] == [0, 0, 0, 0, 1]


@pytest.fixture
def worked(tmp_path):
    """A student who has solved three notebooks of the course, and then its update."""
    course, work = tmp_path / "notebooks", tmp_path / "work"
    course.mkdir()
    for path in CHANGED:
        content = (ROOT / "notebooks" / f"{path.stem}.ipynb").read_bytes()
        (course / f"{path.stem}.ipynb").write_bytes(content)
    lab.prepare(course, work)
    (work / "progress.json").write_text('{"mine": 1}', encoding="utf-8")
    answers = {}
    for path in CHANGED:
        copy = work / f"{path.stem}.ipynb"
        answers[copy.name] = solve(copy, assemble(path, "instructor"))
        update(course / copy.name)
    return course, work, answers


def solve(path, instructor):
    """Put the solutions into a copy, as JupyterLab would save it; return their sources."""
    notebook, done = nbformat.read(path, 4), []
    solutions = {cell.id: cell.source for cell in instructor.cells}
    for cell in notebook.cells:
        if cell.cell_type == "code" and "exercise" in cell.metadata.get("tags", []):
            cell.source = solutions[cell.id].partition("\n")[2] + "\n# mine"
            done.append(cell.source)
        cell.pop("id"), cell.metadata.clear()
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    path.write_text(json.dumps(notebook, indent=4), encoding="utf-8")
    return done


def update(path):
    """Change a text, a cell of code and the order of a notebook of the course."""
    notebook = nbformat.read(path, 4)
    notebook.cells[0].source += "\n\nAn erratum."
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code[1].source += "\n# faster now"
    notebook.cells.insert(3, new_markdown_cell("What is new."))
    nbformat.write(notebook, path)


def check(course, work, answers, before):
    """Nothing is lost: answers in the course's new version, the earlier copies beside."""
    page = nbformat.read(work / lab.START, 4).cells[0].source
    assert page.index("new version") < page.index(lab.ADVICE)
    for name, solutions in answers.items():
        found, latest = (copies.cells((where / name).read_bytes()) for where in (work, course))
        sources = [source for _, source in found]
        assert solutions and [one for one in sources if one in solutions] == solutions
        rest = [cell for cell in latest if not cell[1].endswith("...  # your code here")]
        assert [cell for cell in found if cell in rest] == rest
        assert len(found) == len(latest)
        (kept,) = work.glob(f"{name[:-6]}-before-*.ipynb")
        assert kept.read_bytes() == before[name] and f"]({kept.name})" in page
    assert (work / "progress.json").read_text(encoding="utf-8") == '{"mine": 1}'
    assert not list(work.glob("*.part")) and not list(work.glob("*-new*"))


def test_three_changed_notebooks_take_the_solutions_over_and_keep_the_copies_of_before(worked):
    course, work, answers = worked
    before = {name: (work / name).read_bytes() for name in answers}
    for _ in range(2):  # the second start changes nothing
        lab.prepare(course, work)
        check(course, work, answers, before)


# Before a new version is written, before the next notebook is, and before the note is.
@pytest.mark.slow
@pytest.mark.parametrize("writes", [1, 2, 7])
def test_an_interrupted_update_loses_nothing(worked, writes, monkeypatch):
    course, work, answers = worked
    before = {name: (work / name).read_bytes() for name in answers}
    left, replace = writes, os.replace

    def killed(path, target):
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        replace(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(copies.Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            lab.prepare(course, work)
    for name, content in before.items():
        kept = [path.read_bytes() for path in work.glob(f"{name[:-6]}*.ipynb")]
        assert content in kept
    lab.prepare(course, work)
    check(course, work, answers, before)
