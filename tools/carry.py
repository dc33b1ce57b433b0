"""Carry what a student wrote in a notebook over into the course's newer version of it.

An answer is a definition that an exercise asks for and that is no longer the stub, right or
not. It goes to the exercise of its identifier and name, with what it needs of cells that the
student added. A text that the student added follows the cell that it followed. Other code stays
in the earlier copy: a cell of the course's in which a student tried another number would run
in place of the newer one.
"""

import ast
import json

import nbformat
from nbformat.v4 import new_markdown_cell

from tools import copies
from tools.exercises import USE
from tools.submissions import Answers, binds, unwritten

ASKS = "# The course's new version of this exercise asks for:"
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
NEWS = "carried"  # in a notebook's metadata: what an update did


def over(mine: bytes, latest: bytes, known: list[str] | None, kept: str) -> bytes:
    """Return the course's notebook with what the student's copy adds to an older version.

    Args:
        mine: the student's copy.
        latest: the course's version.
        known: `copies.digest` of the cells of the version that was copied; None where nobody
            knows them, and then no texts are carried.
        kept: the name under which the student's copy is kept; `news` tells it.
    """
    cells, notebook = copies.cells(mine), nbformat.reads(latest.decode(), 4)
    course = {copies.digest((cell.cell_type, cell.source)) for cell in notebook.cells}
    told = _answers(cells, notebook, course, known)
    told += _texts(cells, notebook, known)
    notebook.metadata[NEWS] = {"told": told, "kept": kept}
    return (nbformat.writes(notebook, indent=1, ensure_ascii=True) + "\n").encode()


def news(notebook: bytes) -> tuple[list[str], str]:
    """Return what `over` told of a notebook, sentences, and the name of the earlier copy."""
    try:
        found = json.loads(notebook)["metadata"][NEWS]
        return [str(one) for one in found["told"]], str(found["kept"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return [], ""


def _answers(cells, notebook, course, known):
    """Put a student's answers into a notebook; return what to tell of them."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    asking = Answers([cell.source for cell in code])
    own = Answers([source for kind, source in cells if kind == "code"])
    wanted, before = _asked(asking), _asked(own)
    # Of a check that the student deleted its definition may still be there.
    before += [one for one in wanted if one[1] not in {name for _, name in before}]
    given = {name for _, node in asking.statements for name in binds(node)}
    carried, told = [], []
    for identifier, name in before:
        fitting = [one for one, other in wanted if other == name]
        now = identifier if identifier in fitting else next(iter(fitting), None)
        place, stub = now and asking.of(now, name) or (None, None)
        text = _written(own, identifier, name, stub, given, course)
        if not text:
            continue
        if not stub:
            told.append(f"It no longer asks for `{name}` (exercise {identifier}).")
            continue
        cell, check = code[place], next(one for one in code if now in USE.findall(one.source))
        if known is not None and copies.digest(("code", cell.source)) not in known:
            told.append(f"Exercise {now} has changed: the comment above your answer says how.")
            asks = "\n".join([ASKS, *(f"# {one}".rstrip() for one in cell.source.splitlines())])
            text = text if asks in text else f"{asks}\n\n{text}"
        cell.source = text
        for one in (cell, check):  # what the course's own run printed
            one.outputs, one.execution_count = [], None
        carried.append(now if now == identifier else f"{identifier} (now {now})")
    if carried:
        told.insert(0, f"It holds your answers to {', '.join(carried)}: run it to check them.")
    return told


def _texts(cells, notebook, known):
    """Put the texts that a student added into a notebook; return what to tell of them."""
    places, after, added = {}, 0, {}
    for place, cell in enumerate(notebook.cells):
        for name in (cell.source, *USE.findall(cell.source)):
            places.setdefault(name, place)
    for kind, source in cells:
        found = [places[one] for one in (source, *USE.findall(source)) if one in places]
        if found:
            after = found[0]
        elif kind == "markdown" and known and copies.digest((kind, source)) not in known:
            added.setdefault(after, []).append(new_markdown_cell(source))
    notebook.cells = [
        one
        for place, cell in enumerate(notebook.cells)
        for one in (cell, *added.get(place, []))
    ]
    return ["Your own texts are there as well."] if added else []


def _asked(answers):
    """Pairs (exercise, name of its definition), as the check cells of a notebook have them."""
    checks = [node for _, node in answers.statements if USE.search(ast.unparse(node))]
    parts = [part for node in checks for part in ast.walk(node) if isinstance(part, ast.Call)]
    asked = [part.args for part in parts if USE.search(ast.unparse(part))]
    pairs = [pair for pair in asked if [*map(type, pair)] == [ast.Constant, ast.Name]]
    return list(dict.fromkeys((identifier.value, name.id) for identifier, name in pairs))


def _written(own, identifier, name, stub, given, course):
    """The code of a student's answer with what it needs; "" where only the stub is there."""
    named = own.called(identifier, name) == name
    place, node = (named and own.of(identifier, name)) or (None, None)
    if not isinstance(node, DEFINES) or _open(node, stub):
        place = own.broken_place(name)
        return "" if place is None else own.cells[place]
    cell = own.cells[place]
    if copies.digest(("code", cell)) in course:  # a definition that the lecture shows
        return ""
    try:
        needed = own.needed(identifier, name, given)[:-1]
    except (SyntaxError, ValueError, RecursionError):  # such as a return outside a function
        needed = []
    asked = {one for _, one in _asked(own)}
    beside = [one for where, one in own.statements if where == place and one is not node]
    if alone := not any(USE.search(ast.unparse(one)) or asked & binds(one) for one in beside):
        needed = [one for one in needed if one not in beside]
    where = {id(one): number for number, one in own.statements}
    helpers = [own.text(where[id(one)], one) for one in needed]
    return "\n\n".join([*helpers, cell if alone else own.text(place, node)])


def _open(node, stub):
    """Whether nothing is written yet of what an exercise asks for."""
    left = unwritten(node)
    return bool(left) and left >= (unwritten(stub) if stub else left)
