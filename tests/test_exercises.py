"""Every exercise of every lecture: its solution passes, its stub waits, mistakes are explained.

The solutions and the wrong answers stand in each lecture's own `test_lecture_*_checks.py`.
"""

import importlib
from pathlib import Path

import numpy as np
import pytest

from course_utils import checks

FILES = sorted(Path(__file__).parent.glob("test_lecture_*_checks.py"))
MODULES = [importlib.import_module(path.stem) for path in FILES]
SOLUTIONS = {name: right for module in MODULES for name, right in module.SOLUTIONS.items()}
FUNCTIONS = [name for name, right in SOLUTIONS.items() if callable(right)]
WRONG = [mistake for module in MODULES for mistake in module.WRONG]
STUBS = [..., None, lambda *_: None, lambda *_: ...]


def test_every_exercise_has_a_solution_and_two_wrong_answers():
    assert sorted(SOLUTIONS) == checks.identifiers()
    for identifier in SOLUTIONS:
        assert sum(mistake[0] == identifier for mistake in WRONG) >= 2, identifier


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_the_solution_passes(identifier, capsys):
    checks.check(identifier, SOLUTIONS[identifier])
    assert capsys.readouterr().out.startswith(f"{identifier}: correct. ")


def in_float32(value):
    return np.float32(value) if getattr(value, "dtype", None) == np.float64 else value


def as_lists(value):
    if isinstance(value, tuple):
        return [as_lists(part) for part in value]
    return in_float32(value).tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@pytest.mark.parametrize(
    "identifier", [name for name in SOLUTIONS if callable(SOLUTIONS[name])]
)
def test_the_solution_in_float32_given_as_lists_passes(identifier, capsys):
    def answer(*arguments):
        return as_lists(SOLUTIONS[identifier](*map(in_float32, arguments)))

    checks.check(identifier, answer)
    assert capsys.readouterr().out.startswith(f"{identifier}: correct. ")


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_the_stub_is_not_solved_yet(identifier, capsys):
    for stub in STUBS if identifier in FUNCTIONS else STUBS[:2]:
        checks.check(identifier, stub)
        assert capsys.readouterr().out == f"{identifier}: not solved yet\n"


@pytest.mark.parametrize(("identifier", "answer", "telling"), WRONG)
def test_a_wrong_answer_is_told_why(identifier, answer, telling, capsys):
    checks.check(identifier, answer)
    said = capsys.readouterr().out
    assert said.startswith(f"{identifier}: not yet: ")
    assert telling in said
