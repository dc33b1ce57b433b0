"""Assignments for nbgrader: students get our notebooks, and the points that are due."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from answers import collected

from tools import colab_check, exercises, grade, nbgrader, source
from tools.execute import environment
from tools.shows import STUB

PLACE = Path(__file__).parents[1] / "build" / "nbgrader-environment"
PINS = Path(__file__).with_name("nbgrader.txt")
LECTURE = "02_simple_rnn"
NUMBER = LECTURE.partition("_")[0]
SOLUTION = re.compile(r"### BEGIN SOLUTION\n.*?### END SOLUTION", re.DOTALL)
HIDDEN = re.compile(r"\n?### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", re.DOTALL)
WARNING = "import warnings\n    warnings.warn('odd')"
POINTS = """
import json
from nbgrader.api import Gradebook

pytestmark = pytest.mark.slow
with Gradebook("sqlite:///gradebook.db") as book:
    grades = [
        (one.student.id, grade.cell.name, grade.score)
        for one in book.assignment_submissions("LECTURE")
        for notebook in one.notebooks
        for grade in notebook.grades
    ]
print(json.dumps(grades))
"""


@pytest.mark.parametrize("path", source.lectures(), ids=lambda path: path.stem)
def test_without_nbgraders_marks_an_assignment_is_the_handout(path):
    found, points = nbgrader.assignment(path), {}
    for cell in found.cells:
        about = cell.metadata.pop("nbgrader", {})
        if about.get("grade"):
            assert about["locked"]
            points[about["grade_id"]] = about["points"]
        cell.source = HIDDEN.sub("", SOLUTION.sub(STUB, cell.source))
    assert found == source.assemble(path, "handout")
    assert points == {
        f"exercise-{identifier.replace('.', '-')}": minutes
        for identifier, (_, minutes) in exercises.declared(path.stem).items()
    }


def test_what_a_lecturer_has_changed_is_kept(tmp_path, capsys):
    arguments = [LECTURE, "--into", str(tmp_path)]
    name = f"source/{LECTURE}/{LECTURE}.ipynb"
    assert nbgrader.main(arguments) == 0
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert nbgrader.main(arguments) == 0
    assert written == {path: path.read_bytes() for path in written}
    changed = (tmp_path / name).read_text(encoding="utf-8").replace('"points": ', '"points": 1')
    (tmp_path / name).write_text(changed, encoding="utf-8")
    capsys.readouterr()
    assert nbgrader.main(arguments) == 0
    assert (tmp_path / name).read_text(encoding="utf-8") == changed
    assert f"{tmp_path / name} has been changed" in capsys.readouterr().out


@pytest.fixture(scope="module")
def programs():
    """The folder of nbgrader's programs, in an environment of its own that is kept."""
    installed, pins = PLACE / "pins.txt", PINS.read_text(encoding="utf-8")
    folder = PLACE / ("Scripts" if os.name == "nt" else "bin")
    if not (installed.is_file() and installed.read_text(encoding="utf-8") == pins):
        try:
            colab_check.uv("venv", "--clear", "--python", sys.executable, str(PLACE))
            python = str(folder / "python")
            colab_check.uv("pip", "install", "--python", python, "-r", str(PINS))
        except RuntimeError as error:
            pytest.skip(f"nbgrader cannot be installed: {error}")
        installed.write_text(pins, encoding="utf-8")
    return folder


@pytest.mark.weekly
def test_nbgrader_gives_the_points_that_grade_gives(tmp_path, programs):
    course, kernel = tmp_path / "course", tmp_path / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"argv": argv, "display_name": "Course", "language": "python"}
    kernel.write_text(json.dumps(about), encoding="utf-8")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    path = os.pathsep.join([str(programs), os.environ["PATH"]])  # nbgrader calls alembic
    env = environment(JUPYTER_PATH=str(tmp_path), PATH=path, **nowhere)

    def run(program, *arguments):
        command = [str(programs / program), *arguments]
        done = subprocess.run(
            command, cwd=course, env=env, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    assert nbgrader.main([LECTURE, "--into", str(course)]) == 0
    run("nbgrader", "generate_assignment", LECTURE)
    mistake = next(
        one for one in collected()
        if one.identifier == f"{NUMBER}.2" and one.says and not one.trains
    )  # fmt: skip
    for student in ("right", "stub", "wrong"):
        _hand_in(course, student, mistake)
    run("nbgrader", "autograde", LECTURE)
    run("nbgrader", "generate_feedback", LECTURE)
    run("nbgrader", "export")

    given = json.loads(run("python", "-c", POINTS.replace("LECTURE", LECTURE)))
    theirs = {
        (student, name.removeprefix("exercise-").replace("-", ".")): points
        for student, name, points in given
    }
    assert grade.main([str(course / "submitted"), "--into", str(tmp_path / "grades")]) == 0
    ours = {
        (row["student"], row["exercise"]): int(row["points"])
        for row in _rows(tmp_path / "grades" / "grades.csv")
    }
    assert theirs == ours
    minutes = [takes for _, takes in exercises.declared(LECTURE).values()]
    due = {"right": sum(minutes), "stub": 0, "wrong": minutes[0] + sum(minutes[3:])}
    exported = _rows(course / "grades.csv")
    assert {row["student_id"]: float(row["score"]) for row in exported} == due
    assert {float(row["max_score"]) for row in exported} == {sum(minutes)}
    feedback = course / "feedback" / "wrong" / LECTURE / f"{LECTURE}.html"
    assert mistake.says in feedback.read_text(encoding="utf-8")
    for student in due:
        autograded = course / "autograded" / student / LECTURE / f"{LECTURE}.ipynb"
        for cell in nbformat.read(autograded, 4).cells:
            if any(output.output_type == "error" for output in cell.get("outputs", [])):
                assert cell.metadata.nbgrader.grade  # nothing but what is not solved fails


def _rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _hand_in(course, student, mistake):
    """Hand in what students got, filled in; the first answer of two writes a warning.

    "wrong" has the mistake in the second exercise, no check of the first, and a check of the
    third, which is not solved, that says nothing of it.
    """
    name = f"{LECTURE}/{LECTURE}.ipynb"
    found = nbformat.read(course / "release" / name, 4)
    cells = {
        cell.metadata.nbgrader.grade_id: cell
        for cell in found.cells
        if "nbgrader" in cell.metadata
    }
    if student != "stub":
        solved = nbformat.read(course / "source" / name, 4)
        for cell in solved.cells:
            if "builds" in cell.metadata:
                cells[cell.metadata.nbgrader.grade_id].source = cell.source
        first = cells[f"answer-{NUMBER}-1"]
        first.source = first.source.replace("### BEGIN SOLUTION", WARNING)
    if student == "wrong":
        cells[f"answer-{NUMBER}-2"].source = mistake.source
        third = cells[f"answer-{NUMBER}-3"]
        third.source = SOLUTION.sub(STUB, third.source)
        cells[f"exercise-{NUMBER}-3"].source = "print('solved')"
        found.cells.remove(cells[f"exercise-{NUMBER}-1"])
    path = course / "submitted" / student / name
    path.parent.mkdir(parents=True)
    nbformat.write(found, path)
