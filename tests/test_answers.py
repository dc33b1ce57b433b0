"""What the checks say of students' answers: fair to right ones, of use to wrong ones."""

import os
import re

import pytest
from answers import collected, tier

from course_utils import exercises, progress

# Names of a backend's or of Keras' insides, which help no student.
INTERNAL = re.compile(
    r"\{\{|\[Op:|as_list|SymbolicTensor|EagerTensor|KerasTensor|function_node|tf\.Tensor|"
    r"Arguments received|Traceback|0x[0-9a-f]{6}|device:|\bresult \d|Graph execution"
)


AT_LENGTH = pytest.mark.skipif(
    "COURSE_ROUNDS" not in os.environ, reason="hours: run it with COURSE_ROUNDS=2"
)


def each(wanted):
    """All answers of an exercise together: what a check has computed serves the next one."""
    chosen = {}
    for answer in collected():
        if answer.right is wanted:
            chosen.setdefault((answer.identifier, answer.trains), []).append(answer)
    return pytest.mark.parametrize(
        "answers",
        [
            pytest.param(answers, id=f"{identifier}-trains" if trains else identifier,
                         marks=[tier(identifier), *([AT_LENGTH] if trains else [])])
            for (identifier, trains), answers in chosen.items()
        ],
    )  # fmt: skip


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    monkeypatch.setattr(progress, "_session", {})
    monkeypatch.setattr(exercises, "_accepted", {})


@each(True)
def test_right_answers_are_accepted(answers):
    refused = {}
    for answer in answers:
        found = exercises.judge(answer.identifier, answer.definition())
        if found.state != "solved":
            refused[answer.place] = found.message
    assert not refused


@each(False)
def test_wrong_answers_are_refused_and_told_why(answers):
    unclear = {}
    for answer in answers:
        found = exercises.judge(answer.identifier, answer.definition())
        said = " ".join(found.message.split()).casefold()
        if (
            found.state != "not yet"
            or (answer.says or "").casefold() not in said
            or INTERNAL.search(found.message)
            or len(exercises._filled(found.message).splitlines()) > exercises.LINES
        ):
            unclear[answer.place] = found.message
    assert not unclear
