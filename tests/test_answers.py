"""What the checks say of students' answers: fair to right ones, of use to wrong ones."""

import os
import re

import pytest
from answers import collected

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
    chosen = [answer for answer in collected() if answer.right is wanted]
    return pytest.mark.parametrize(
        "answer",
        [
            pytest.param(one, id=f"{one.identifier}-{one.place.partition(':')[2]}",
                         marks=[pytest.mark.slow, AT_LENGTH] if one.trains else [])
            for one in chosen
        ],
    )  # fmt: skip


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    monkeypatch.setattr(progress, "_session", {})
    monkeypatch.setattr(exercises, "_accepted", {})


@each(True)
def test_a_right_answer_is_accepted(answer):
    found = exercises.judge(answer.identifier, answer.definition())
    assert found.state == "solved", found.message


@each(False)
def test_a_wrong_answer_is_refused_and_told_why(answer):
    found = exercises.judge(answer.identifier, answer.definition())
    assert found.state == "not yet", found.message
    assert (answer.says or "").casefold() in " ".join(found.message.split()).casefold()
    assert not INTERNAL.search(found.message), found.message
    assert len(exercises._filled(found.message).splitlines()) <= exercises.LINES
