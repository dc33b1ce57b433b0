"""Answers that students gave or might give, kept to see what the checks say of them.

They are definitions in `lectures/lecture_<number>/tests/answers.py`, below `right` or `wrong`:

    @wrong("02.1", says="tanh")
    def rnn_step(x, h, W, U, b):
        return x @ W + h @ U + b

That file is read, not imported: its definitions see what a student's notebook has imported and
defined, and what the file itself has without a mark. Of a layer a method will do, or a class
without bases that holds some: the rest is the course's own.
"""

import ast
import functools
import inspect
import linecache
import textwrap
from dataclasses import dataclass

import pytest

from course_utils import exercises
from tools import scopes
from tools.shows import ROOT, built


def right(identifier, trains=False):
    """Mark an answer that is right, however different it is from the course's own.

    Args:
        identifier: the exercise.
        trains: it takes long: it is tried with COURSE_ROUNDS=2 alone.
    """
    return lambda definition: definition


def wrong(identifier, says=None, trains=False):
    """Mark an answer that is wrong.

    Args:
        identifier: the exercise.
        says: words that the message has to have; None for a mistake without a name of its own.
        trains: it takes long: it is tried with COURSE_ROUNDS=2 alone.
    """
    return lambda definition: definition


def tier(identifier):
    """The mark of a test of many answers: weekly where each of them trains a network."""
    asked = exercises.find(identifier)
    trained = asked.properties or asked.trains or identifier in ("08.6", "08c.6", "08c.10")
    return pytest.mark.weekly if trained else pytest.mark.slow


@dataclass(frozen=True)
class Answer:
    """A marked definition: its text, and what its mark says."""

    identifier: str
    right: bool
    source: str
    place: str
    says: str | None = None
    trains: bool = False

    @property
    def name(self):
        return ast.parse(self.source).body[-1].name

    def definition(self):
        """What the definition gives in a student's notebook."""
        scope = dict(names(self.identifier.partition(".")[0]))
        cell = f"<answer {self.place}>"
        linecache.cache[cell] = (len(self.source), None, self.source.splitlines(True), cell)
        exec(compile(self.source, cell, "exec"), scope)
        return scope[self.name]


def file(lecture):
    return ROOT / "lectures" / f"lecture_{lecture}" / "tests" / "answers.py"


@functools.cache
def collected():
    """All marked answers, in the order of the lectures and of their files."""
    found = []
    for lecture in exercises.lectures():
        path = file(lecture)
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for node in ast.parse(text).body:
            if (call := _mark(node)) is None:
                continue
            settings = {part.arg: ast.literal_eval(part.value) for part in call.keywords}
            settings |= dict(zip(("says",), map(ast.literal_eval, call.args[1:]), strict=False))
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            kept = "\n".join(
                [
                    *(f"@{ast.unparse(one)}" for one in node.decorator_list if one is not call),
                    *lines,
                ]
            )
            is_right, place = (
                call.func.id == "right",
                f"{path.parent.parent.name}:{node.lineno}",
            )
            identifier = ast.literal_eval(call.args[0])
            text_ = _completed(identifier, f"{kept}\n")
            found.append(Answer(identifier, is_right, text_, place, **settings))
    return found


def _completed(identifier, text):
    """The text of a whole class, where it holds methods of one alone."""
    node, reference = ast.parse(text).body[0], exercises.find(identifier).reference
    method = isinstance(node, ast.FunctionDef) and inspect.isclass(reference)
    if not method and (not isinstance(node, ast.ClassDef) or node.bases):
        return text
    written = {one.name: _text(one, text) for one in ([node] if method else node.body)}
    whole = built(f"{reference.__module__}.{reference.__qualname__}", solved=True)
    for one in reversed(ast.parse(whole).body[0].body):
        if getattr(one, "name", "") in written:
            lines = whole.splitlines()
            new = textwrap.indent(written[one.name], "    ").splitlines()
            first = min(part.lineno for part in [one, *one.decorator_list]) - 1
            whole = "\n".join([*lines[:first], *new, *lines[one.end_lineno :]])
    return f"{whole}\n"


def _text(node, text):
    first = min(one.lineno for one in [node, *node.decorator_list])
    return textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))


def _mark(node):
    """The call of `right` or `wrong` over a definition."""
    for one in getattr(node, "decorator_list", []):
        if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("right", "wrong"):
            return one
    return None


@functools.cache
def names(lecture):
    """The names that a student's notebook has: imports, and the course's own definitions."""
    scope = scopes.names(lecture)
    exec(compile(unmarked(lecture), str(file(lecture)), "exec"), scope)
    return scope


def unmarked(lecture):
    """What stands in a lecture's file without a mark, but for the import of this module."""
    path = file(lecture)
    body = ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "").body
    kept = [
        ast.unparse(one)
        for one in body
        if _mark(one) is None and getattr(one, "module", "") != "answers"
    ]
    return "\n".join(kept) + "\n"
