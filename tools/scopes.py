"""The names that a student's definition sees: what the lecture imports and defines."""

import ast
import builtins
import contextlib
import functools
import importlib

from tools import source


@functools.cache
def _filled(lecture):
    """The lecture's code cells without answers: (text, name of a definition that it shows)."""
    (path,) = (one for one in source.lectures() if source.number(one) == lecture)
    return [
        (cell.source, cell.metadata.get("builds") or cell.metadata.get("shows"))
        for cell in source.assemble(path).cells
        if cell.cell_type == "code"
    ]


def names(lecture: str) -> dict:
    """Return what a notebook of the lecture has: its imports, and the course's definitions."""
    scope = {"__builtins__": builtins, "__name__": "__main__"}
    for text, filled in _filled(lecture):
        _define(text, scope)
        if filled:
            _define_shown(filled, scope)
    return scope


def _define(text, scope):
    """Run a cell's imports and undecorated functions, no more."""
    lines = [line for line in text.splitlines() if not line.startswith(("%", "!"))]
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.FunctionDef) and not node.decorator_list
        ):
            with contextlib.suppress(NameError):  # a default that is computed in a cell
                exec(compile(ast.Module([node], []), "<notebook>", "exec"), scope)


def _define_shown(name, scope):
    """Bind the library's definition that a cell shows, or asks to build."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        scope[parts[length]] = getattr(module, parts[length])
        return
