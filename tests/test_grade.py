"""A class of thirty hands in: everyone gets the points that are due, and nobody more."""

import csv
import time

import nbformat
import pytest
from answers import collected

from course_utils import exercises
from tools import grade, source
from tools.exercises import USE
from tools.shows import built

pytestmark = pytest.mark.slow
PATHS = {source.number(path): path for path in source.lectures()}
ASKED = {number: exercises.identifiers(number) for number in PATHS}


def right(identifier):
    """The course's own definition as a student would have typed it."""
    asked = exercises.find(identifier).reference
    return built(f"{asked.__module__}.{asked.__qualname__}", solved=True)


def kept(identifier, is_right=False):
    """An answer of the tests, and what is said of it."""
    return next(
        one for one in collected()
        if (one.identifier, one.right, one.trains) == (identifier, is_right, False)
        and (is_right or one.says)
    )  # fmt: skip


def notebook(lecture, answers, change=None):
    """A student's notebook of a lecture with these answers in place of the stubs."""
    found, stub = source.assemble(PATHS[lecture]), None
    for cell in found.cells:
        if "builds" in cell.metadata:
            stub = cell
        for identifier in USE.findall(cell.source):
            if identifier in answers:
                stub.source = answers[identifier]
            else:
                stub.source = built(stub.metadata["builds"])
    if change:
        change(found)
    return nbformat.writes(found)


def code(cells):
    return [cell for cell in cells if cell.cell_type == "code"]


def all_right(lecture):
    return {identifier: right(identifier) for identifier in ASKED[lecture]}


def states(lecture, default="open", **others):
    return dict.fromkeys(ASKED[lecture], default) | {
        name.replace("_", "."): state for name, state in others.items()
    }


def first(text):
    """A change that puts code before everything else."""
    return lambda found: found.cells.insert(0, nbformat.v4.new_code_cell(text))


def with_outputs(found):
    for cell in code(found.cells):
        cell.outputs = [nbformat.v4.new_output("stream", text="✓ 02.1: correct.")]


def without_checks(found):
    found.cells = [cell for cell in found.cells if not USE.search(cell.source)] + [
        cell for cell in found.cells if USE.search(cell.source)
    ][:1]


def other_names(found):
    for number, cell in enumerate(found.cells):
        cell.id, cell.metadata = f"cell-{number}", {}


def broken(found):
    code(found.cells)[6].source = "def (:\n"


LOOP = "def rnn_step(x, h, W, U, b):\n    while True:\n        pass\n"
EATER = "def rnn_step(x, h, W, U, b):\n    return [bytearray(10**9) for _ in range(90)]\n"
EXIT = "import os\ndef rnn_step(x, h, W, U, b):\n    os._exit(0)\n"
WRONG = "def rnn_step(x, h, W, U, b):\n    return np.tanh(x @ W + h @ U)\n"
EQUAL = (
    "class Same:\n    def __eq__(self, other):\n        return True\n"
    "    __array_priority__ = 9\n\ndef rnn_step(x, h, W, U, b):\n    return Same()\n"
)
REDEFINED = (
    "import course_utils as cu\ncu.exercises.use = lambda name, answer: answer\n"
    "cu.exercises.judge = cu.exercises._judge = lambda *given: None\n"
)
IN_ANSWER = (
    "def rnn_step(x, h, W, U, b):\n    from course_utils import exercises\n"
    "    object.__setattr__(exercises.find('02.1'), 'equal', lambda *both: True)\n"
    "    return x\n"
)
NETWORK = (
    "def rnn_step(x, h, W, U, b):\n    import socket\n"
    "    socket.create_connection(('127.0.0.1', 9))\n    return x\n"
)
ELSEWHERE = "def rnn_step(x, h, W, U, b):\n    open('OUTSIDE', 'w').write('x')\n    return x\n"
JAX = "import os\nos.environ['KERAS_BACKEND'] = 'jax'\n"
HELPER = "def squashed(z):\n    return np.tanh(z)\n"
HELPED = "def rnn_step(x, h, W, U, b):\n    return squashed(x @ W + h @ U + b)\n"


def one(identifier, text):
    return {identifier: text}


def the_class(outside):
    """Yield (student, lecture, text of the notebook, expected states), thirty in all."""
    for lecture in ("02", "05b", "06d"):
        yield (
            f"right {lecture}",
            lecture,
            notebook(lecture, all_right(lecture)),
            states(lecture, "solved"),
        )
    for lecture in ("02", "04", "05b", "06d"):
        yield f"stub {lecture}", lecture, notebook(lecture, {}), states(lecture)
    for identifier in "02.1 02.2 02.5 02.6 04.1 04.3 05b.1 05b.4 06d.1 06d.6".split():
        lecture = identifier.partition(".")[0]
        text = notebook(lecture, {identifier: kept(identifier).source})
        expected = states(lecture) | {identifier: "not yet"}
        yield f"mistake {identifier}", lecture, text, expected
    hostile = {
        "endless loop": (LOOP, "stopped"),
        "memory eater": (EATER, "stopped"),
        "exit": (EXIT, "stopped"),
        "own equality": (EQUAL, "not yet"),
        "forgery in an answer": (IN_ANSWER, "refused"),
        "network": (NETWORK, "refused"),
        "writes elsewhere": (ELSEWHERE.replace("OUTSIDE", str(outside)), "refused"),
    }
    for name, (text, state) in hostile.items():
        yield name, "02", notebook("02", one("02.1", text)), states("02") | {"02.1": state}
    wrong = one("02.1", WRONG)
    refused = states("02") | {"02.1": "not yet"}
    yield "redefined check", "02", notebook("02", wrong, first(REDEFINED)), refused
    yield "edited outputs", "02", notebook("02", wrong, with_outputs), refused
    solved = all_right("02")
    yield "deleted checks", "02", notebook("02", solved, without_checks), states("02", "solved")
    yield "other names", "02", notebook("02", solved, other_names), states("02", "solved")
    yield "under JAX", "02", notebook("02", solved, first(JAX)), states("02", "solved")
    cut = one("02.1", "def rnn_step(x, h, W, U, b):\n    return np.tanh(x @ W +\n")
    yield "syntax error", "02", notebook("02", cut), refused
    helped = notebook("02", one("02.1", HELPED), first(HELPER))
    yield "helper", "02", helped, states("02") | {"02.1": "solved"}


def test_a_class_of_thirty_gets_what_is_due(tmp_path):
    outside, folder = tmp_path / "forged", tmp_path / "class"
    expected, began = {}, time.monotonic()
    for student, lecture, text, due in the_class(outside):
        path = folder / student / f"{PATHS[lecture].stem}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        expected |= {(student, exercise): state for exercise, state in due.items()}
    assert len({student for student, _ in expected}) == 31
    assert grade.main([str(folder), "--into", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    found = {(row["student"], row["exercise"]): row["state"] for row in rows}
    assert found == expected
    for row in rows:
        due = exercises.find(row["exercise"]).takes * (row["state"] == "solved")
        assert int(row["points"]) == due
    assert not outside.exists()
    print(f"{time.monotonic() - began:.0f} s")
