"""The rest of each notebook, on right answers that are not the course's own."""

import os

import pytest
from answers import collected, unmarked

from course_utils import exercises as engine
from tools import exercises, source
from tools.execute import QUICK, environment, execute
from tools.shows import built

ROUNDS = int(os.environ.get("COURSE_ROUNDS", "0"))  # minutes a notebook and round
# Trainings take two batches an epoch here, and no check asks what they reach.
SHORT = """
import functools
import keras
from course_utils import exercises

fit = keras.Model.fit

@functools.wraps(fit)
def short(model, *given, **settings):
    return fit(model, *given, **settings | {"steps_per_epoch": 2, "validation_steps": 1})

keras.Model.fit = short
for identifier in exercises.identifiers(LECTURE):
    asked = exercises.find(identifier)
    if asked.trains:
        object.__setattr__(asked, "trains", lambda answer, *given: None)
"""


def answers_of(lecture):
    """The right answers of each exercise of a lecture."""
    found = {identifier: [] for identifier in engine.identifiers(lecture)}
    for answer in collected():
        if answer.right and answer.identifier in found:
            found[answer.identifier].append(answer)
    return found


def rounds():
    for path in source.lectures():
        longest = max(map(len, answers_of(source.number(path)).values()), default=0)
        for number in range(min(longest, ROUNDS)):
            yield pytest.param(path, number, id=f"{path.stem}-{number + 1}")


def filled(path, number):
    """A student's notebook with the answers of one round in place of the stubs."""
    notebook, lecture = source.assemble(path), source.number(path)
    answers, stub = answers_of(lecture), None
    helpers = unmarked(lecture)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        if "builds" in cell.metadata:
            stub = cell
        for identifier in exercises.USE.findall(cell.source):
            if chosen := answers[identifier][: number + 1]:
                stub.source = helpers + chosen[-1].source
                helpers = ""  # once: they import names that an answer above may have defined
            else:
                stub.source = built(stub.metadata["builds"], solved=True)
    code[0].source += f"\nLECTURE = {lecture!r}\n{SHORT}"
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize(("path", "number"), rounds())
def test_the_rest_runs_on_right_answers(path, number, tmp_path):
    """A check that refuses raises, as in a lecturer's notebook, and names its cell."""
    notebook = filled(path, number)
    env = environment(**QUICK | {"COURSE_STRICT": "1"})
    execute(notebook, env, tmp_path / "log", lambda cell: None, timeout=600)
