"""What a lecture says of its exercises, held against how the library declares them."""

import ast
import re
from pathlib import Path

from nbformat import NotebookNode

HEADING = re.compile(r"(?m)^(#+ Exercise (\d\d[a-z]?\.\d+)\b.*)$")
USE = re.compile(r"\bexercises\.(?:use|check)\(\s*[\"']([^\"']+)[\"']")


def complete(notebook: NotebookNode, lecture: str, root: Path) -> None:
    """Put an exercise's level and minutes under its heading, from its declaration.

    Raises:
        ValueError: for an exercise that is not declared or is used twice; names the lecture,
            the cell and what to do.
    """
    number = lecture.partition("_")[0]
    file = root / "course_utils" / "exercises" / f"lecture_{number}.py"
    known = declared(file) if file.is_file() else {}
    used = {}
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


def declared(file: Path) -> dict[str, tuple[int, int]]:
    """Return the exercises that a file declares: (level, minutes) by identifier.

    The file is read, not run: it imports a backend.
    """
    found = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "exercise":
            settings = {part.arg: getattr(part.value, "value", 0) for part in node.keywords}
            found[node.args[0].value] = settings["level"], settings["takes"]
    return found


def _named(cell: NotebookNode) -> list[str]:
    if cell.cell_type == "code":
        return USE.findall(cell.source)
    return [identifier for _, identifier in HEADING.findall(cell.source)]


def _heading(heading: str, identifier: str, known: dict) -> str:
    level, takes = known[identifier]
    return f"{heading}\n\n{'●' * level}{'○' * (5 - level)} · {takes} minutes"
