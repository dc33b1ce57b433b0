"""Every exercise of every lecture: its solution passes, its stub waits, mistakes are explained.

The solutions and the wrong answers stand in each lecture's own `test_lecture_*_checks.py`.
"""

import importlib
from pathlib import Path

import pytest

from course_utils import checks

FILES = sorted(Path(__file__).parent.glob("test_lecture_*_checks.py"))
MODULES = [importlib.import_module(path.stem) for path in FILES]
SOLUTIONS = {name: right for module in MODULES for name, right in module.SOLUTIONS.items()}
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


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_the_stub_is_not_solved_yet(identifier, capsys):
    asks_for_a_function = callable(SOLUTIONS[identifier])
    for stub in STUBS if asks_for_a_function else STUBS[:2]:
        checks.check(identifier, stub)
        assert capsys.readouterr().out == f"{identifier}: not solved yet\n"


@pytest.mark.parametrize(("identifier", "answer", "telling"), WRONG)
def test_a_wrong_answer_is_told_why(identifier, answer, telling, capsys):
    checks.check(identifier, answer)
    said = capsys.readouterr().out
    assert said.startswith(f"{identifier}: not yet: ")
    assert telling in said
