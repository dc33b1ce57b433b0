"""Read what students hand in: notebooks in folders and zip files, as platforms give them.

Nothing is run here. Of a notebook only the code of its cells counts: outputs, metadata and
names of cells do not.
"""

import ast
import hashlib
import io
import re
import symtable
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import nbformat

from tools.exercises import USE, declared
from tools.source import lectures, number

LARGEST = 50_000_000  # bytes of a notebook, unpacked
MOODLE = re.compile(r"^(?P<student>.+?)_\d+_assignsubmission_file_?(?P<name>.*)$")
CANVAS = re.compile(r"^(?P<student>[^_]+)(?:_LATE)?_\d+_\d+_(?P<name>.+)$")
IGNORED = {"__MACOSX", ".ipynb_checkpoints", ".git", "__pycache__"}


@dataclass
class Submission:
    """A student's notebook.

    place: its path in what was handed in. cells: the code cells' text, magics made Python.
    lecture: such as "03b"; "" with a problem. problem: why it cannot be judged, "" if it can.
    notes: what a lecturer may want to know.
    """

    student: str
    place: str
    cells: list[str] = field(default_factory=list)
    lecture: str = ""
    problem: str = ""
    notes: list[str] = field(default_factory=list)
    digest: str = ""
    changed: tuple = ()


def read(folder: Path) -> list[Submission]:
    """Return all notebooks in a folder or a zip file, ordered by student and lecture.

    Of several that a student hands in for a lecture the newest one is taken; the note of it
    names the others.

    Raises:
        ValueError: where there is no such folder or zip file, or no notebook in it.
    """
    if not folder.exists():
        raise ValueError(f"there is no {folder}: name a folder or a zip file of notebooks")
    found = [_submission(*one) for one in _files(folder)]
    if not found:
        raise ValueError(
            f"{folder} holds no notebook (*.ipynb): unpack what the platform gave you there, "
            "or name its zip file"
        )
    newest = {}
    for one in sorted(found, key=lambda one: one.changed):
        key = one.student, one.lecture or one.place
        if key in newest:
            one.notes += [*newest[key].notes, f"an older one is left out: {newest[key].place}"]
        newest[key] = one
    return sorted(newest.values(), key=lambda one: (one.student.casefold(), one.lecture))


def _files(folder):
    """Each notebook as (path in the folder, bytes or an error's text, when it was changed)."""
    if folder.is_file():
        yield from _zipped(folder.name, folder.read_bytes(), PurePosixPath())
        return
    for path in sorted(folder.rglob("*")):
        place = PurePosixPath(path.relative_to(folder).as_posix())
        if IGNORED & set(place.parts) or path.name.startswith("._"):
            continue
        if path.suffix.lower() == ".zip" and path.is_file():
            yield from _zipped(path.name, path.read_bytes(), place.with_suffix(""))
        elif path.suffix.lower() == ".ipynb" and path.is_file():
            too_large = path.stat().st_size > LARGEST
            content = f"it is larger than {LARGEST:,} bytes" if too_large else path.read_bytes()
            yield place, content, (path.stat().st_mtime,)


def _zipped(name, content, inside, depth=1):
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile:
        yield inside / name, "it is no zip file, or half of one: download it again", ()
        return
    for entry in archive.infolist():
        place = PurePosixPath(entry.filename.replace("\\", "/"))
        hidden = IGNORED & set(place.parts) or place.name.startswith("._")
        packed = place.suffix.lower() == ".zip" and depth < 3  # a student's in the platform's
        if hidden or not (packed or place.suffix.lower() == ".ipynb"):
            continue
        if entry.file_size > LARGEST:
            found = f"it is larger than {LARGEST:,} bytes"
        else:
            try:
                found = archive.read(entry)
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
                found = f"it cannot be unpacked: {error}"
        if packed and isinstance(found, bytes):
            yield from _zipped(place.name, found, inside / place.with_suffix(""), depth + 1)
        else:
            yield inside / place, found, tuple(entry.date_time)


def _submission(place, content, changed):
    student, name = _named(place)
    found = Submission(student, str(place), changed=changed)
    if isinstance(content, str):
        found.problem = content
        return found
    found.digest = hashlib.sha256(content).hexdigest()[:16]
    try:
        text = content.decode("utf-8-sig")
        notebook = nbformat.reads(text, 4)
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        found.cells = [str(source) for source in cells]
    except Exception as error:  # whatever a damaged file makes of the reader
        what = type(error).__name__
        found.problem = f"it is no notebook, or a damaged one ({what}): ask for it again"
        return found
    known = {number(path): set(declared(path.stem)) for path in lectures()}
    asked = Counter(
        identifier.partition(".")[0]
        for source in found.cells
        for identifier in USE.findall(source)
    )
    from_name = re.match(r"\d\d[a-z]?(?=_)", name)
    likely = next((one for one, _ in asked.most_common()), from_name and from_name[0])
    if likely not in known:
        found.problem = (
            f"it asks for exercises of a lecture {likely} that this edition does not have: "
            "grade it with the edition that was handed out"
            if likely
            else "no exercise of this course stands in it"
        )
        return found
    found.lecture = likely
    used = {one for source in found.cells for one in USE.findall(source)}
    if strange := sorted(
        used - known[likely] - {one for all_ in known.values() for one in all_}
    ):
        found.notes.append(
            f"of another edition: this one has no exercise {', '.join(strange)}; grade it with "
            "the edition that was handed out"
        )
    return found


def _named(place):
    """Whose a file is, by its folder or its name, and the name of the notebook."""
    name = place.stem
    if platform := MOODLE.match(name) or CANVAS.match(name):
        return platform["student"], platform["name"]
    outer = place.parts[:-1]
    if outer:
        moodle = MOODLE.match(outer[0])
        return (moodle["student"] if moodle else outer[0]), name
    known = "|".join(path.stem for path in lectures())
    rest = re.sub(rf"({known}|\b\d\d[a-z]?(?=_|$))", "", name)
    rest = re.sub(r"\s*\(\d+\)$|-\d+$", "", rest).strip("_- .")
    lecture = re.search(rf"{known}", name)
    return rest or name, lecture[0] if lecture else name


def parsed(source: str) -> ast.Module:
    """Return a cell's code without magics; raises SyntaxError."""
    kept = ["" if re.match(r"\s*[%!?]", line) else line for line in source.splitlines()]
    if kept and source.lstrip().startswith("%%"):
        kept = []
    return ast.parse("\n".join(kept))


@dataclass
class Answers:
    """The definitions of a notebook, and what they need.

    statements: all top-level statements in order: (number of the cell, node). broken: cells
    that are no Python: {number: what is wrong}.
    """

    cells: list[str]
    statements: list = field(default_factory=list)
    broken: dict = field(default_factory=dict)

    def __post_init__(self):
        for place, source in enumerate(self.cells):
            try:
                body = parsed(source).body
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                line = getattr(error, "lineno", None)
                said = getattr(error, "msg", None) or error
                self.broken[place] = f"line {line}: {said}" if line else str(said)
                continue
            self.statements += [(place, node) for node in body]

    def of(self, identifier: str, name: str) -> tuple[int, ast.stmt] | None:
        """Return (place, node) of the definition of `name` that a check was shown last."""
        checked = [
            index
            for index, (place, node) in enumerate(self.statements)
            if identifier in USE.findall(ast.unparse(node))
        ]
        found = [
            index
            for index, (place, node) in enumerate(self.statements)
            if name in binds(node) and not USE.search(ast.unparse(node))
        ]
        before = [index for index in found if checked and index < checked[-1]]
        chosen = (before or found)[-1:]
        return self.statements[chosen[0]] if chosen else None

    def text(self, place: int, node: ast.stmt) -> str:
        """A statement as the student wrote it, with its comments."""
        first = min(one.lineno for one in [node, *getattr(node, "decorator_list", [])])
        return "\n".join(self.cells[place].splitlines()[first - 1 : node.end_lineno])

    def told_broken(self, name: str) -> str:
        """Say what is wrong in a cell that would define `name`; "" where there is none."""
        return self.broken.get(self.broken_place(name), "")

    def broken_place(self, name: str) -> int | None:
        """Return the number of the first cell that is no Python and would define `name`."""
        defines = re.compile(rf"(?m)^\s*(?:def|class)\s+{name}\b|^{name}\s*=")
        found = (place for place in self.broken if defines.search(self.cells[place]))
        return next(found, None)

    def needed(self, node: ast.stmt, given: set[str]) -> list[ast.stmt]:
        """Return the statements that a definition needs, in their order, itself last.

        given: names that the grader has already, other answers and the lecture's own.
        """
        wanted, chosen, todo = set(), {}, [node]
        while todo:
            for name in uses(todo.pop()):
                if name in wanted or name in given:
                    continue
                wanted.add(name)
                for index, (_, other) in enumerate(self.statements):
                    if (
                        other is not node
                        and name in binds(other)
                        and not USE.search(ast.unparse(other))
                    ):
                        chosen[index] = other
                        todo.append(other)
        return [chosen[index] for index in sorted(chosen)] + [node]


def binds(node: ast.stmt) -> set[str]:
    """The names that a top-level statement defines or changes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in node.names}
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def uses(node: ast.stmt) -> set[str]:
    """The names that a statement takes from the notebook, those of its functions among them."""
    todo, found = [symtable.symtable(ast.unparse(node), "<cell>", "exec")], set()
    while todo:
        table = todo.pop()
        todo += table.get_children()
        top = table.get_type() == "module"
        found |= {
            one.get_name()
            for one in table.get_symbols()
            if one.is_referenced() and (top or one.is_global())
        }
    return found
