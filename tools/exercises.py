"""What a lecture says of its exercises, held against how its `exercises.py` declares them."""

import ast
import os
import re
from pathlib import Path

from nbformat import NotebookNode

from tools.shows import ROOT

HEADING = re.compile(r"(?m)^#+ Exercise (\d\d[a-z]?\.\d+)\b.*$")
USE = re.compile(r"\bexercises\.(?:use|check)\(\s*[\"']([^\"']+)[\"']")


def complete(notebook: NotebookNode, lecture: str, root: Path) -> None:
    """Put an exercise's level and minutes under its heading, from its declaration."""
    known, used = declared(lecture, root), {}
    for cell in notebook.cells:
        code = cell.cell_type == "code"
        for identifier in (USE if code else HEADING).findall(cell.source):
            if identifier not in known:
                raise ValueError(
                    f"{lecture}, cell {cell.id}: no exercise {identifier!r}; declare it in "
                    f"exercises.py, which has: {', '.join(known) or 'none'}"
                )
            if code and used.setdefault(identifier, cell.id) != cell.id:
                raise ValueError(
                    f"{lecture}, cell {cell.id}: exercise {identifier} is used in cell "
                    f"{used[identifier]} already; remove one, or declare another exercise"
                )
        if not code:
            cell.source = HEADING.sub(lambda found: _heading(found, known), cell.source)


def start_no_backend() -> None:
    """Let Keras compute with NumPy: declarations are read, and nothing is trained.

    For commands, before the first exercise is read: TensorFlow starts slowly and writes to
    stderr.
    """
    os.environ["KERAS_BACKEND"] = "numpy"


def declared(lecture: str, root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Return the exercises that are declared for a lecture: (level, minutes) by identifier.

    Their file is read, not run: it imports a backend.
    """
    folder = root / "lectures" / f"lecture_{lecture.partition('_')[0]}"
    found, file = {}, folder / "exercises.py"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exercise":
            settings = {part.arg: getattr(part.value, "value", None) for part in node.keywords}
            level, takes = settings.get("level"), settings.get("takes")
            identifier = node.args[0].value
            if level not in range(1, 6) or not isinstance(takes, int):
                raise ValueError(
                    f"{file}, line {node.lineno}: exercise {identifier} has level {level} and "
                    f"takes {takes}; write its level= (1 to 5) and takes= (whole minutes)"
                )
            found[identifier] = level, takes
    return found


def _heading(found: re.Match, known: dict) -> str:
    level, takes = known[found[1]]
    return f"{found[0]}\n\n{'●' * level}{'○' * (5 - level)} · {takes} minutes"
