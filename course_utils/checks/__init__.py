"""The checks behind the exercises: `check("02.3", answer)` says whether an answer is right.

A lecture's checks stand in `course_utils/checks/lecture_<number>.py`, each a function under
`@exercise(id, solved=…)` that calls `require(condition, explanation)`.
"""

import importlib
import os
import pkgutil
import traceback

_REGISTRY = {}


class _Wrong(Exception):
    """An answer that is not right yet; the text explains the mistake."""


class _NotSolved(Exception):
    """An answer that is still the stub."""


def exercise(identifier, solved):
    """Register the decorated function as the check of exercise `identifier`.

    Args:
        identifier: lecture and number, such as "02.3".
        solved: one sentence that a right answer earns: what to take from the exercise.
    """

    def register(function):
        _REGISTRY[identifier] = (function, solved)
        return function

    return register


def require(condition, explanation):
    """Refuse the answer with `explanation` unless `condition` holds."""
    if not condition:
        raise _Wrong(explanation)


def call(function, *arguments, **keywords):
    """Call a student's function; a stub counts as not solved, its errors as a wrong answer."""
    if function is None or function is ...:
        raise _NotSolved
    require(callable(function), f"this should be a function, but it is {function!r}")
    try:
        result = function(*arguments, **keywords)
    except Exception as error:
        line = _own_line(error)
        where = f" in the line `{line}`" if line else ""
        raise _Wrong(f"your code raised {type(error).__name__}: {error}{where}") from error
    if result is None or result is ...:
        raise _NotSolved
    return result


def _own_line(error):
    """The innermost line of the student's own code, "" where the call itself failed."""
    called = traceback.extract_tb(error.__traceback__)[1:]
    own = [frame.line for frame in called if "-packages" not in frame.filename]
    return own[-1] if own else ""


def check(identifier, answer):
    """Print whether `answer` solves the exercise, and if not, what is wrong and why.

    Args:
        identifier: the exercise, such as "02.3".
        answer: a value or a function, as the exercise asks.

    Raises:
        ValueError: for an exercise that does not exist.
        AssertionError: with COURSE_STRICT=1, when the answer is not right.
    """
    function, solved = _find(identifier)
    try:
        if answer is None or answer is ...:
            raise _NotSolved
        function(answer)
    except _NotSolved:
        verdict, message = False, f"{identifier}: not solved yet"
    except _Wrong as wrong:
        verdict, message = False, f"{identifier}: not yet: {wrong}"
    else:
        verdict, message = True, f"{identifier}: correct. {solved}"
    if not verdict and os.environ.get("COURSE_STRICT") == "1":
        raise AssertionError(message)
    print(message)


def identifiers():
    """Return the identifiers of all exercises, in order."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(_REGISTRY)


def _find(identifier):
    if identifier not in _REGISTRY and identifier not in identifiers():
        raise ValueError(f"no exercise {identifier!r}; there are: {', '.join(identifiers())}")
    return _REGISTRY[identifier]
