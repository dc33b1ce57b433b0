"""A class of thirty hands in: everyone gets the points that are due, and nobody more."""

import csv
import inspect
import itertools
import shutil
import zipfile

import nbformat
import numpy as np
import pytest
from answers import collected

from course_utils import exercises
from tools import grade, grade_pages, judging, source, submissions
from tools.exercises import USE
from tools.shows import built

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
EXIT = "def rnn_step(x, h, W, U, b):\n    from posix import _exit\n    _exit(0)\n"
WRONG = "def rnn_step(x, h, W, U, b):\n    return np.tanh(x @ W + h @ U)\n"
HALF_A_MESSAGE = (
    "def rnn_step(x, h, W, U, b):\n    from struct import pack\n"
    "    from posix import write\n"
    "    for number in range(3, 60):\n        try:\n"
    "            write(number, pack('!i', 10**6) + b'{')\n"
    "        except OSError:\n            pass\n"
    "    while True:\n        pass\n"
)
NO_DICT = HALF_A_MESSAGE.replace("10**6) + b'{'", "2) + b'[]'")
EQUAL = (
    "class Same:\n    def __eq__(self, other):\n        return True\n"
    "    __array_priority__ = 9\n\ndef rnn_step(x, h, W, U, b):\n    return Same()\n"
)
REDEFINED = (
    "import course_utils as cu\ncu.exercises.use = lambda name, answer: answer\n"
    "cu.exercises.judge = cu.exercises._judge = lambda *given: None\n"
)
FRAME = (
    "def rnn_step(x, h, W, U, b):\n    try:\n        raise ValueError\n"
    "    except ValueError as error:\n        frame = error.__traceback__.tb_frame.f_back\n"
    "    return frame\n"
)
BY_WORD = "def rnn_step(x, h, W, U, b):\n    return getattr(x, '__globals__', x)\n"
SOLUTION = (
    "from course_utils.exercises import find\n\n"
    "def rnn_step(x, h, W, U, b):\n    return find('02.1').reference(x, h, W, U, b)\n"
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
GIVEN = "def rnn_step(x, h, W, U, b):\n    return x if os.getcwd() else h\n"
HELPER = "def squashed(z):\n    return np.tanh(z)\n"
HELPED = "def rnn_step(x, h, W, U, b):\n    return squashed(x @ W + h @ U + b)\n"


def one(identifier, text):
    return {identifier: text}


def the_class(outside):
    """Yield (student, lecture, text of the notebook, expected states)."""
    for lecture in ("02", "05b", "06d"):
        yield (
            f"right {lecture}",
            lecture,
            notebook(lecture, all_right(lecture)),
            states(lecture, "solved"),
        )
    for lecture in ("02", "04", "05b", "06d"):
        yield f"stub {lecture}", lecture, notebook(lecture, {}), states(lecture)
    for identifier in "02.1 02.2 02.5 02.6 04.1 04.3 05b.1 05b.4 06d.2 06d.6".split():
        lecture = identifier.partition(".")[0]
        text = notebook(lecture, {identifier: kept(identifier).source})
        expected = states(lecture) | {identifier: "not yet"}
        yield f"mistake {identifier}", lecture, text, expected
    hostile = {
        "endless loop": (LOOP, "stopped"),
        "memory eater": (EATER, "stopped"),
        "exit": (EXIT, "stopped"),
        "half a message": (HALF_A_MESSAGE, "stopped"),
        "another message": (NO_DICT, "stopped"),
        "own equality": (EQUAL, "not yet"),
        "forgery in an answer": (IN_ANSWER, "refused"),
        "frames": (FRAME, "refused"),
        "by a word": (BY_WORD, "refused"),
        "the solution": (SOLUTION, "refused"),
        "network": (NETWORK, "refused"),
        "writes elsewhere": (ELSEWHERE.replace("OUTSIDE", str(outside)), "refused"),
    }
    for name, (text, state) in hostile.items():
        yield name, "02", notebook("02", one("02.1", text)), states("02") | {"02.1": state}
    ways = notebook("02", one("02.1", GIVEN), first("import os\n"))
    yield "what the first cell imports", "02", ways, states("02") | {"02.1": "refused"}
    wrong = one("02.1", WRONG)
    refused = states("02") | {"02.1": "not yet"}
    yield "redefined check", "02", notebook("02", wrong, first(REDEFINED)), refused
    yield "edited outputs", "02", notebook("02", wrong, with_outputs), refused
    rest = {name: text for name, text in all_right("02").items() if name != "02.1"}
    early = states("02", "solved", **{"02_1": "open"})
    yield "stub at first", "02", notebook("02", rest), early
    yield "wrong at first", "02", notebook("02", rest | wrong), early | {"02.1": "not yet"}
    solved = all_right("02")
    yield "deleted checks", "02", notebook("02", solved, without_checks), states("02", "solved")
    yield "other names", "02", notebook("02", solved, other_names), states("02", "solved")
    yield "under JAX", "02", notebook("02", solved, first(JAX)), states("02", "solved")
    cut = one("02.1", "def rnn_step(x, h, W, U, b):\n    return np.tanh(x @ W +\n")
    yield "syntax error", "02", notebook("02", cut), refused
    helped = notebook("02", one("02.1", HELPED), first(HELPER))
    yield "helper", "02", helped, states("02") | {"02.1": "solved"}


@pytest.mark.weekly
def test_a_class_gets_what_is_due(tmp_path):
    outside, folder = tmp_path / "forged", tmp_path / "class"
    expected = {}
    for student, lecture, text, due in the_class(outside):
        path = folder / student / f"{PATHS[lecture].stem}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        expected |= {(student, exercise): state for exercise, state in due.items()}
    assert grade.main([str(folder), "--into", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    found = {(row["student"], row["exercise"]): row["state"] for row in rows}
    assert found == expected
    for row in rows:
        due = exercises.find(row["exercise"]).takes * (row["state"] == "solved")
        assert int(row["points"]) == due
    assert not outside.exists()


NAME = f"{PATHS['02'].stem}.ipynb"
STUB = notebook("02", {})


@pytest.mark.parametrize(
    ("place", "student"),
    [
        (f"Anna Müller/{NAME}", "Anna Müller"),
        (f"Anna Müller/work/deeper/{NAME}", "Anna Müller"),
        (f"Anna Müller_123_assignsubmission_file_/{NAME}", "Anna Müller"),
        (f"Anna Müller_123_assignsubmission_file/{NAME}", "Anna Müller"),
        (f"Anna Müller_123_assignsubmission_file_{NAME}", "Anna Müller"),
        (f"mulleranna_1234_5678_{NAME}", "mulleranna"),
        (f"mulleranna_LATE_1234_5678_{NAME.replace('.', '-1.')}", "mulleranna"),
        (f"Anna Müller {NAME}", "Anna Müller"),
        (NAME.replace(".ipynb", "_anna (2).ipynb"), "anna"),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_student_is_named_by_folder_or_file(tmp_path, place, student, zipped):
    path = tmp_path / "class" / place
    path.parent.mkdir(parents=True)
    path.write_text(STUB, encoding="utf-8")
    handed_in = tmp_path / "class"
    if zipped:
        handed_in = shutil.make_archive(tmp_path / "all", "zip", handed_in)
    (found,) = submissions.read(tmp_path / handed_in)
    assert (found.student, found.lecture, found.problem) == (student, "02", "")


def half(content):
    return content[: len(content) // 2]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.ipynb", b"", "no notebook, or a damaged one"),
        ("half.ipynb", half(STUB.encode()), "no notebook, or a damaged one"),
        ("list.ipynb", b"[]", "no notebook, or a damaged one"),
        ("other.ipynb", nbformat.writes(nbformat.v4.new_notebook()).encode(),
         "no exercise of this course stands in it"),
        ("later.ipynb", STUB.replace("02.", "99.").encode(), "a lecture 99 that this edition"),
        ("all.zip", b"PK", "no zip file, or half of one"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_and_the_rest_is_graded(tmp_path, name, content, told):
    (tmp_path / "Anna").mkdir()
    (tmp_path / "Anna" / name).write_bytes(content)
    (tmp_path / "Ben").mkdir()
    (tmp_path / "Ben" / NAME).write_text(STUB, encoding="utf-8")
    anna, ben = submissions.read(tmp_path)
    assert told in anna.problem and anna.student == "Anna"
    assert (ben.student, ben.lecture, ben.problem) == ("Ben", "02", "")
    (row,) = grade._rows(anna, [])
    assert (row["points"], row["state"]) == (0, "unreadable")


def test_of_several_the_newest_counts_and_the_others_are_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for day, name in ((3, NAME), (9, f"new/{NAME}"), (5, f"old/{NAME}")):
            entry = zipfile.ZipInfo(f"Anna/{name}", (2026, 11, day, 0, 0, 0))
            archive.writestr(entry, STUB.replace("Exercise", f"Exercise {day}"))
        archive.writestr("__MACOSX/Anna/._x.ipynb", "")
    (found,) = submissions.read(tmp_path / "class.zip")
    assert found.place == f"Anna/new/{NAME}"
    assert {note.partition(": ")[2] for note in found.notes} == {
        f"Anna/{NAME}", f"Anna/old/{NAME}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("places", "students"),
    [
        ((f"class 02/Anna/{NAME}", f"class 02/Ben/{NAME}"), {"Anna", "Ben"}),
        ((f"class 02/Anna {NAME}", f"class 02/Ben {NAME}"), {"Anna", "Ben"}),
        ((f"all/Bob_1_assignsubmission_file_/{NAME}",), {"Bob"}),
        ((f"Bob_1_assignsubmission_file_/{NAME}", f"Bob_2_assignsubmission_file_/{NAME}"),
         {"Bob (1)", "Bob (2)"}),
        ((f"Gruppe 12 {NAME}", f"Gruppe 13 {NAME}"), {"Gruppe 12", "Gruppe 13"}),
        ((NAME.replace(".", "_team-1."), NAME.replace(".", "_team-2.")), {"team-1", "team-2"}),
        ((f"Anna/{NAME}", f"Anna/old/{NAME}"), {"Anna"}),
        ((f"Ju\u0308rgen/{NAME}", f"J\u00fcrgen/{NAME}"), {"J\u00fcrgen"}),
        ((f"Anna/{NAME}", "Ben/report.pdf", "Eve/", "grades.csv"), {"Anna", "Ben", "Eve"}),
    ],
)  # fmt: skip
def test_students_are_told_apart_and_nobody_vanishes(tmp_path, places, students):
    for place in places:
        path = tmp_path / "in" / place
        if place.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STUB, encoding="utf-8")
    found = submissions.read(tmp_path / "in")
    assert {one.student for one in found} == students
    nothing = {one.student for one in found if one.problem == submissions.NOTHING}
    assert nothing == ({"Ben", "Eve"} if "grades.csv" in places else set())


STEP = "def rnn_step(x, h, W, U, b):\n    return np.tanh(x @ W + h @ U + b)"
CHECK = 'rnn_step = cu.exercises.use("02.1", rnn_step)'


@pytest.mark.parametrize(
    "cells",
    [
        ["%%time\n" + STEP, CHECK],
        [STEP + "\nrnn_step?\nfiles = !ls", CHECK],
        [STEP.replace("x @ W", "x @ (W\n% 1e9)"), CHECK],
        ["from numpy import *", STEP.replace("np.tanh", "tanh"), CHECK],
        ["try:\n    from numpy import tanh as squash\nexcept ImportError:\n    pass",
         STEP.replace("np.tanh", "squash"), CHECK],
        ["if True:\n    def squash(z):\n        return np.tanh(z)",
         STEP.replace("np.tanh", "squash"), CHECK],
        ["OFF = {}", "OFF['b'] = 1", "ONES = []\nONES.append(1)",
         STEP.replace("+ b", "+ OFF['b'] * ONES[0] * b"), CHECK],
        ["def one(z):\n    return np.tanh(z)", STEP.replace("np.tanh", "one"), CHECK,
         "one = 1"],
        ["from __future__ import annotations", STEP.replace("x,", "x: Tensor,"), CHECK],
        ["def rnn_step(x, h, W, U, b):\n    ...", CHECK, STEP],
        [STEP.replace("rnn_step", "step"), 'step = cu.exercises.use("02.1", step)'],
        ["def rnn_step(:", STEP, CHECK, "rnn_step = 1 / 0 if False else rnn_step"],
    ],
)  # fmt: skip
def test_what_an_answer_needs_is_found_wherever_it_stands(cells):
    answers = submissions.Answers(cells)
    scope = {"np": np, "cu": None}
    found = judging._define(answers, "02.1", "rnn_step", scope)
    assert set(scope) == {"np", "cu"}
    x, h, W, U = (np.full(shape, 0.1) for shape in ((2, 3), (2, 4), (3, 4), (4, 4)))
    assert np.allclose(found(x, h, W, U, 0.5), np.tanh(x @ W + h @ U + 0.5))


@pytest.mark.parametrize(
    "line",
    [
        "import lectures.lecture_02 as own; own.rnn_step(x)",
        "from lectures.lecture_02 import rnn_step as own",
        "from course_utils import differences",
        "eval('1')",
        "setattr(np, 'tanh', np.sin)",
        "list(map(setattr, [np], ['tanh'], [0]))",
        "x.__dict__.clear()",
        "'{0.f_back}'.format(x)",
        "open('there', 'w')",
    ],
)
def test_an_answer_that_reaches_for_the_grader_is_refused(line):
    text = f"def rnn_step(x, h, W, U, b):\n    {line}\n    return x"
    with pytest.raises(judging.Reaching, match="it names `"):
        judging._define(submissions.Answers([text, CHECK]), "02.1", "rnn_step", {"np": np})


def test_a_zip_in_the_platforms_zip_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "hers.zip", "w") as archive:
        archive.writestr(NAME, STUB)
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.write(tmp_path / "hers.zip", "Anna_1_assignsubmission_file_/hers.zip")
    (found,) = submissions.read(tmp_path / "class.zip")
    assert (found.student, found.lecture) == ("Anna", "02")


@pytest.mark.parametrize(
    ("place", "told"),
    [("nowhere", "there is no"), ("empty", "holds no notebook"), ("", "name a folder")],
)
def test_nothing_to_grade_is_an_error(tmp_path, capsys, place, told):
    (tmp_path / "empty").mkdir()
    try:
        assert grade.main([str(tmp_path / place) if place else ""]) == 1
    except SystemExit as end:
        assert end.code == 2
    assert told in capsys.readouterr().err


TYPED = """def convolve(x, K, b, stride=1, dilation=1):
    width = (len(K) - 1) * dilation + 1
    found = []
    for begin in range(0, x.shape[1] - width + 1, stride):
        found.append(np.einsum("bkc,kcf->bf", x[:, begin : begin + width : dilation], K) + b)
    return np.stack(found, axis=1)
"""


def row(student, answer, **more):
    return {
        "student": student, "place": f"{student}/{NAME}", "notes": [], "exercise": "04.1",
        "number": "", "lecture": "04",
        "points": 0, "minutes": 10, "state": "not yet", "mistake": "the bias b is missing",
        "message": "04.1: not yet: the bias b is missing", "answer": answer,
    } | more  # fmt: skip


def test_pages_show_what_is_alike_the_mistakes_and_no_solution():
    rows = [row("Anna", TYPED), row("Ben", TYPED + "# mine\n"),
            row("Eve", TYPED.replace("found", "outputs").replace("begin", "t")),
            row("<b>Dora</b>", "def convolve():\n    pass\n", mistake="")]  # fmt: skip
    assert [pair[:2] for pair in grade_pages.alike(rows)] == [("Anna", "Ben")]
    made = grade_pages.pages(rows, solutions=False)
    whole, dora = made["class.html"], made["students/b_Dora_b.html"]
    assert "the bias b is missing" in whole and "Anna and Ben" in whole
    assert "<b>Dora" not in whole and "&lt;b&gt;Dora" in dora
    hint = exercises.find("04.1").hints[0]
    assert hint.split(":")[0] in dora and "wide = " not in dora
    assert "wide = " in grade_pages.pages(rows, True)["students/b_Dora_b.html"]


def test_three_who_wrote_the_same_and_who_took_the_solution_are_named():
    names = ("Anna", "Ben", "Carl")
    pairs = grade_pages.alike([row(name, TYPED) for name in names])
    assert [pair[:2] for pair in pairs] == [*itertools.combinations(names, 2)]
    own = inspect.getsource(exercises.find("04.1").reference)
    rows = [row("Anna", TYPED, state="solved"), row("Ben", own, state="solved")]
    page = grade_pages.pages(rows, False)["class.html"]
    assert "As the course's own solution: 04.1: Ben." in page


def test_totals_are_given_by_student_and_lecture(tmp_path):
    rows = [row("Anna", TYPED, number="12", points=points) for points in (0, 7)]
    grade.write([*rows, row("Anna", TYPED, number="12", lecture="05")], tmp_path, False)
    assert (tmp_path / "totals.csv").read_text(encoding="utf-8-sig").splitlines() == [
        "student,number,lecture,points,of", "Anna,12,04,7,20", "Anna,12,05,0,10",
    ]  # fmt: skip


def test_a_table_that_the_lecturer_changed_stays(tmp_path):
    first, second = [row("Anna", TYPED)], [row("Anna", TYPED, points=10)]
    assert grade.write(first, tmp_path, False) == "grades.csv"
    assert grade.write(second, tmp_path, False) == "grades.csv"
    mine = (tmp_path / "grades.csv").read_bytes() + b"by hand"
    (tmp_path / "grades.csv").write_bytes(mine)
    assert grade.write(first, tmp_path, False) == "grades-new.csv"
    assert (tmp_path / "grades.csv").read_bytes() == mine
