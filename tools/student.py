"""Turn a lecture's cells into a student's or an instructor's notebook."""

import re

from nbformat import NotebookNode

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
ALIKE = re.compile(r"\s*#.*\b(BEGIN|END)\W+SOLUTION", re.IGNORECASE)


def student(notebook: NotebookNode, lecture: str) -> NotebookNode:
    """Drop notes and solution-only cells; put runnable stubs where the solutions are.

    Raises:
        ValueError: for a solution without a beginning or an end; names lecture and cell.
    """
    notebook.cells = [cell for cell in notebook.cells if not _for_instructors(cell)]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = stub(cell.source, f"{lecture}, cell {cell.id}")
    return notebook


def instructor(notebook: NotebookNode, lecture: str) -> NotebookNode:
    """Keep everything, once the solutions' markers are found in order."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            stub(cell.source, f"{lecture}, cell {cell.id}")
    return notebook


def stub(source: str, where: str) -> str:
    """Return `source` with every solution replaced by a line that runs and does nothing.

    Inside a function that line is `...  # your code here`; at the margin it is the comment
    alone, since Jupyter would print the value of a last `...`.
    """
    lines, inside = [], None
    for number, line in enumerate(source.split("\n"), start=1):
        marker = line.strip()
        if ALIKE.match(line) and marker not in (BEGIN, END):
            raise ValueError(f"{where}, line {number}: {marker!r} is neither {BEGIN} nor {END}")
        if marker == BEGIN:
            if inside:
                raise ValueError(f"{where}, line {number}: {BEGIN} inside a solution")
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}...  # your code here" if indent else "# your code here")
            inside = number
        elif marker == END:
            if not inside:
                raise ValueError(f"{where}, line {number}: {END} without {BEGIN}")
            inside = None
        elif not inside:
            lines.append(line)
    if inside:
        raise ValueError(f"{where}, line {inside}: {BEGIN} without {END}")
    return "\n".join(lines)


def _for_instructors(cell: NotebookNode) -> bool:
    notes = cell.metadata.get("slideshow", {}).get("slide_type") == "notes"
    return notes or "solution-only" in cell.metadata.get("tags", [])
