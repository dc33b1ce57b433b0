"""What a lecture says of its exercises, held against how its `exercises.py` declares them."""

import ast
import os
import re
from pathlib import Path

from nbformat import NotebookNode

from tools.shows import ROOT

HEADING = re.compile(r"(?m)^(#+ Exercise (\d\d[a-z]?\.\d+)\b.*)$")
USE = re.compile(r"\bexercises\.(?:use|check)\(\s*[\"']([^\"']+)[\"']")


def complete(notebook: NotebookNode, lecture: str, root: Path) -> None:
    """Put an exercise's level and minutes under its heading, from its declaration.

    Raises:
        ValueError: for an exercise that is not declared or is used twice; names the lecture,
            the cell and what to do.
    """
    known, used, file = declared(lecture, root), {}, _file(lecture, root)
    for cell in notebook.cells:
        where = f"{lecture}, cell {cell.id}"
        code = cell.cell_type == "code"
        for identifier in _named(cell):
            if identifier not in known:
                raise ValueError(
                    f"{where}: no exercise {identifier!r}; declare it in {file.name}, which "
                    f"has: {', '.join(known) or 'none'}"
                )
            if code and identifier in used:
                raise ValueError(
                    f"{where}: exercise {identifier} is used in cell {used[identifier]} "
                    "already; remove one, or declare another exercise"
                )
            if code:
                used[identifier] = cell.id
        if not code:
            cell.source = HEADING.sub(
                lambda found: _heading(*found.groups(), known), cell.source
            )


def start_no_backend() -> None:
    """Let Keras compute with NumPy: declarations are read, and nothing is trained.

    For commands, before the first exercise is read: TensorFlow starts slowly and writes to
    stderr.
    """
    os.environ["KERAS_BACKEND"] = "numpy"


def declared(lecture: str, root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Return the exercises that are declared for a lecture: (level, minutes) by identifier.

    Their file is read, not run: it imports a backend.

    Raises:
        ValueError: for an exercise without its level or minutes; names file and line.
    """
    found, file = {}, _file(lecture, root)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exercise":
            settings = {part.arg: getattr(part.value, "value", None) for part in node.keywords}
            level, takes = settings.get("level"), settings.get("takes")
            identifier = node.args[0].value
            if level not in range(1, 6) or not isinstance(takes, int) or takes < 1:
                raise ValueError(
                    f"{file}, line {node.lineno}: exercise {identifier} has level {level} and "
                    f"takes {takes}; write its level= (1 to 5) and takes= (whole minutes)"
                )
            found[identifier] = level, takes
    return found


def _file(lecture: str, root: Path) -> Path:
    number = lecture.partition("_")[0]
    return root / "lectures" / f"lecture_{number}" / "exercises.py"


def _named(cell: NotebookNode) -> list[str]:
    if cell.cell_type == "code":
        return USE.findall(cell.source)
    return [identifier for _, identifier in HEADING.findall(cell.source)]


def _heading(heading: str, identifier: str, known: dict) -> str:
    level, takes = known[identifier]
    return f"{heading}\n\n{'●' * level}{'○' * (5 - level)} · {takes} minutes"
