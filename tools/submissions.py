"""Read what students hand in: notebooks in folders and zip files, as platforms give them.

Nothing is run here. Of a notebook only the code of its cells counts: outputs, metadata and
names of cells do not.
"""

import ast
import io
import re
import symtable
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from tools.exercises import USE, declared
from tools.source import lectures, number

LARGEST = 50_000_000  # bytes of a notebook, unpacked
PLATFORMS = (
    re.compile(r"^(?P<student>.+?)_(?P<id>\d+)_assignsubmission_\w+?_?(?P<name>\d\d.*)?$"),
    re.compile(r"^(?P<student>[^_]+)(?:_LATE)?_(?P<id>\d+)_\d+_(?P<name>.+)$"),
)
COPIED = re.compile(r"\s*\(\d+\)$|-Copy\d*$")
# A cell magic that runs the cell as it is.
TIMED = re.compile(r"\A(\s*)%%(?:time|timeit|capture|prun)\b[^\n]*(?=\n|\Z)")
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
    changed: tuple = ()
    number: str = ""  # by which a platform tells students of one name apart


def read(folder: Path) -> list[Submission]:
    """Return all notebooks in a folder or a zip file, ordered by student and lecture.

    Of several that a student hands in for a lecture the newest one is taken; the note of it
    names the others.

    Raises:
        ValueError: where there is no such folder or zip file, or no notebook in it.
    """
    if not folder.exists():
        raise ValueError(f"there is no {folder}: name a folder or a zip file of notebooks")
    found = _submissions([*_files(folder)])
    if not any(one.cells or one.problem != NOTHING for one in found):
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


NOTHING = "handed in, but no notebook (*.ipynb) among it"


def _submissions(files):
    """Return what files hand in; `NOTHING` is the problem of who handed in other things."""
    inside = _shared([place for place, *_ in files])
    files = [(PurePosixPath(*place.parts[inside:]), *more) for place, *more in files]
    notebooks = [one for one in files if one[1] is not None]
    found = [_submission(*one) for one in notebooks]
    named = {}
    for one in found:
        named.setdefault(one.student, set()).add(one.number)
    for one in found:
        if len(named[one.student]) > 1:
            one.student = f"{one.student} ({one.number})"
    known = {one.student for one in found}
    for place, *_ in files:
        student, _, number = _named(place)
        whose = len(place.parts) > 1 or number
        if whose and not known & {student, f"{student} ({number})"}:
            found.append(Submission(student, str(place), problem=NOTHING))
            known.add(student)
    return found


def _shared(places):
    """How many folders lie around the students' own: all notebooks' places begin with these."""
    places, depth = [one for one in places if one.suffix.lower() == ".ipynb"], 0
    while len({place.parts[: depth + 1] for place in places}) == 1:
        inside = [place.parts[depth + 1 :] for place in places]
        folders = {parts[0] for parts in inside if len(parts) > 1}
        files = {_owner(parts[0]) for parts in inside if len(parts) == 1} - {""}
        # A student's folder holds notebooks of several lectures, whose names are no one's.
        alone = any(len(parts) < 2 for parts in inside)
        if len(files) < 2 and (alone or len(folders) < 2):
            return depth
        depth += 1
    return depth


def _owner(name):
    """What a notebook's name holds besides the lecture's."""
    name = COPIED.sub("", PurePosixPath(name).stem)
    name = COPIED.sub("", re.sub("|".join(path.stem for path in lectures()), "", name))
    return "" if name.startswith("-before-") else name.strip("_- .")


def _platform(name):
    return next(filter(None, (pattern.match(name) for pattern in PLATFORMS)), None)


def _files(folder):
    """What was handed in: (path, bytes or an error's text, when it was changed).

    In place of bytes stands None for what is no notebook, an empty folder among it.
    """
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
        elif path.is_file() or not any(path.iterdir()):
            yield place if path.is_file() else place / "nothing", None, ()


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
        if hidden:
            continue
        if not (packed or place.suffix.lower() == ".ipynb"):
            yield inside / place / ("nothing" * entry.is_dir()), None, ()
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
    student, name, number_ = _named(place)
    found = Submission(student, str(place), changed=changed, number=number_)
    if isinstance(content, str):
        found.problem = content
        return found
    try:
        wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if wide else "utf-8-sig")
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
    """Whose a file is, by its folder or its name; the notebook's name; a platform's number."""
    name = COPIED.sub("", unicodedata.normalize("NFC", place.stem))
    outer = [unicodedata.normalize("NFC", part) for part in place.parts[:-1]]
    for part in (*outer, name):
        if platform := _platform(part):
            named = platform["name"] if part == name else name
            return platform["student"], named or name, platform["id"]
    if outer:
        return outer[0], name, ""
    lecture = re.search("|".join(path.stem for path in lectures()), name)
    return _owner(name) or name, lecture[0] if lecture else name, ""


def parsed(source: str) -> ast.Module:
    """Return a cell's code, magics as calls of IPython's; raises SyntaxError."""
    code = TIMED.sub(r"\1", source)  # a line stays a line
    try:
        return ast.parse(code)
    except SyntaxError as error:
        try:
            return ast.parse(TransformerManager().transform_cell(code))
        except SyntaxError:
            raise error from None


def unwritten(node: ast.stmt) -> set[str]:
    """The names of the functions in a definition that are nothing but `...`."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.FunctionDef)]
    bodies = {part.name: part.body[bool(ast.get_docstring(part)) :] for part in parts}
    return {name for name, body in bodies.items() if [*map(ast.unparse, body)] == ["..."]}


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
        self.texts = [ast.unparse(node) for _, node in self.statements]

    @property
    def postponed(self) -> bool:
        """Whether annotations are not to be evaluated."""
        return any("from __future__ import annotations" in text for text in self.texts)

    def of(self, identifier: str, name: str) -> tuple[int, ast.stmt] | None:
        """Return (place, node) of the definition that a check was shown last.

        Where that is still the stub, a later one.
        """
        index = self._index(identifier, name)
        return None if index is None else self.statements[index]

    def called(self, identifier: str, name: str) -> str:
        """Return the name of the answer: the one that its check has, if it has another."""
        given = re.compile(rf"[\"']{re.escape(identifier)}[\"'],\s*(\w+)\)")
        shown = [found[1] for text in self.texts if (found := given.search(text))]
        known = set().union(*(binds(node) for _, node in self.statements), [name])
        return next((one for one in reversed(shown) if one in known), name)

    def _checked(self, identifier):
        """The place of the last check among the statements; None without one."""
        found = [i for i, text in enumerate(self.texts) if identifier in USE.findall(text)]
        return found[-1] if found else None

    def _index(self, identifier, name):
        name, checked = self.called(identifier, name), self._checked(identifier)
        found = [
            index
            for index, (_, node) in enumerate(self.statements)
            if name in binds(node) and not USE.search(self.texts[index])
        ]
        before = [index for index in found if checked is None or index < checked]
        if not found:
            return None
        stub = not before or unwritten(self.statements[before[-1]][1])
        return found[-1] if stub else before[-1]

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

    def needed(self, identifier: str, name: str, given: set[str]) -> list[ast.stmt]:
        """Return the statements that an answer needs, in their order, itself last.

        Of a name that is bound several times those before the check count, if there are some.
        given: names that the grader has already, other answers and the lecture's own.
        """
        itself = self._index(identifier, name)
        limit = max(itself, self._checked(identifier) or itself)
        wanted, chosen, todo = set(), set(), [itself]
        while todo:
            for one in uses(self.statements[todo.pop()][1]) - given - wanted:
                wanted.add(one)
                found = {
                    index
                    for index, (_, other) in enumerate(self.statements)
                    if index != itself
                    and one in binds(other)
                    and not USE.search(self.texts[index])
                }
                before = {index for index in found if index < limit}
                todo += (before or found) - chosen
                chosen |= before or found
        # Nobody knows what these bind.
        chosen |= {i for i, text in enumerate(self.texts) if text.endswith(" import *")}
        return [self.statements[index][1] for index in (*sorted(chosen - {itself}), itself)]


FILLS = {"append", "extend", "insert", "update", "add", "setdefault"}


def binds(node: ast.stmt) -> set[str]:
    """The names that a top-level statement defines, changes or fills."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            found.add(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            found |= {(one.asname or one.name).partition(".")[0] for one in part.names}
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif getattr(part, "attr", None) in FILLS or (
            isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)
        ):
            found |= {getattr(part.value, "id", None)} - {None}
    return found


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
