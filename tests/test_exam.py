"""Exam questions with drawn numbers, and the papers that are made of them."""

import math
import re
import runpy
from itertools import chain

import pytest

from tools import exam
from tools.shows import ROOT

SEEDS = range(200)
POINTS = re.compile(r"\((\d+) points?\b")
QUESTIONS = [
    pytest.param(lecture, one, id=f"{lecture}-{one.__name__}")
    for lecture in exam.numbers()
    for one in exam.declared(lecture)
]


def flat(values):
    """Numbers and words, out of lists in lists."""
    if isinstance(values, list | tuple):
        return list(chain.from_iterable(map(flat, values)))
    return [values]


def second(lecture, name):
    folder = ROOT / "lectures" / f"lecture_{lecture}" / "tests"
    return runpy.run_path(str(folder / "exam.py"))[name]


@pytest.mark.parametrize("lecture", exam.numbers())
def test_a_lecture_has_five_questions_that_compute(lecture):
    assert len(exam.declared(lecture)) >= 5


@pytest.mark.parametrize("lecture, one", QUESTIONS)
def test_answers_are_those_of_a_second_computation(lecture, one):
    again = second(lecture, one.__name__)
    for seed in SEEDS:
        drawn = exam.drawn(lecture, one, seed)
        found, wanted = flat(drawn.result), flat(again(**drawn.given))
        assert len(found) == len(wanted), seed
        for mine, other in zip(found, wanted, strict=True):
            if isinstance(mine, str) or isinstance(other, str):
                assert mine == other, (seed, drawn.given)
            else:
                assert math.isclose(mine, other, rel_tol=1e-5, abs_tol=1e-6), (seed, drawn)


@pytest.mark.parametrize("lecture, one", QUESTIONS)
def test_the_key_states_the_result_and_gives_all_points(lecture, one):
    for seed in SEEDS:
        drawn = exam.drawn(lecture, one, seed)
        for value in flat(drawn.result):
            assert exam.shown(value) in drawn.answer, (seed, value, drawn.answer)
        assert sum(map(int, POINTS.findall(drawn.answer))) == drawn.points, drawn.answer


@pytest.mark.parametrize("lecture, one", QUESTIONS)
def test_no_two_seeds_are_alike(lecture, one):
    drawn = [exam.drawn(lecture, one, seed) for seed in SEEDS]
    assert len({question.asked for question in drawn}) == len(SEEDS)
    assert len({repr(question.given) for question in drawn}) == len(SEEDS)
    for question in drawn:
        if question.choices:
            assert len(set(question.choices)) == 4
            right = question.choices["abcd".index(question.right)]
            assert right == f"${exam.shown(question.result[0])}$"
