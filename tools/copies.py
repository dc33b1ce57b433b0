"""A student's own copies of the course's files: an update replaces what nobody has changed.

A notebook counts as changed where the source of a cell differs from what was copied. Its bytes
do not count, nor its outputs, metadata and ids: JupyterLab saves what was only opened with
others. Of a changed one an update keeps the earlier copy under a name of its own.
"""

import hashlib
import itertools
import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from course_utils import saving

NOTE = ".copied.json"


class Version(NamedTuple):
    """Digests of a file: of its bytes, of what a student may change in it, of each cell."""

    whole: str
    cells: str | None  # None for what cannot be read
    each: list[str] | None = None  # None where an older edition of the course made the note


class Copies:
    """The folder of a student's copies, with its note of which versions were copied."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.copied = _note(folder / NOTE)

    def place(self, name: str, content: bytes, carry: Callable | None = None) -> str:
        """Put a file into the folder and return the name that it has there.

        Where a student's work, or what cannot be read, has its own name, it is called `…-new`,
        or `…-new-2` and so on.

        Args:
            name: the file's name.
            content: the course's version.
            carry: makes of (the student's copy, the course's version, the digests of the cells
                that were copied, the name under which the student's copy is kept) the content
                that takes its place. Without it the student's copy stays where it is.
        """
        stem, ending = os.path.splitext(name)
        added = itertools.chain(["", "-new"], map("-new-{}".format, itertools.count(2)))
        names = (stem + more + ending for more in added)
        return next(one for one in names if self._holds(one, content, carry))

    def readable(self, name: str) -> bool:
        """Return whether a file can be read, a notebook as such."""
        return self._present(name).cells is not None

    def save(self) -> None:
        """Write the note."""
        write(self.folder / NOTE, json.dumps(self.copied, indent=1).encode())

    def _holds(self, name, content, carry):
        """Whether a file is of this version, which is written where nobody's work is lost."""
        latest, before = version(name, content), self.copied.get(name)
        mine = self._present(name) if os.path.lexists(self.folder / name) else None
        if mine and mine.cells != latest.cells and not (before and mine.cells == before.cells):
            on_latest = before and before.cells == latest.cells
            if mine.cells is None or not (on_latest or carry):
                return False
            if not on_latest:
                self._renew(name, content, carry, before and before.each)
        elif mine is None or before not in (None, latest):
            write(self.folder / name, content)
        self.copied[name] = latest
        return True

    def _renew(self, name, content, carry, known):
        """Keep a student's copy beside, and write what `carry` makes of it."""
        mine = (self.folder / name).read_bytes()
        kept = self._free(name, mine)
        renewed = carry(mine, content, known, kept)
        # An update that was interrupted may have come as far as this.
        if version(name, renewed).cells != version(name, mine).cells:
            write(self.folder / kept, mine)
            write(self.folder / name, renewed)

    def _free(self, name, content):
        """A name for the earlier copy: of today, and of no file but one that is the same."""
        stem, ending = os.path.splitext(name)
        stem = f"{stem}-before-{date.today()}"
        added = itertools.chain([""], map("-{}".format, itertools.count(2)))
        places = (self.folder / f"{stem}{more}{ending}" for more in added)
        return next(
            path.name
            for path in places
            if not os.path.lexists(path) or path.is_file() and path.read_bytes() == content
        )

    def _present(self, name):
        try:
            return version(name, (self.folder / name).read_bytes())
        except OSError:  # a folder, a link that leads nowhere, a file that is not allowed
            return Version("", None)


def cells(content: bytes) -> list[tuple[str, str]]:
    """Return (type, source) of a notebook's cells; raises ValueError for what is none."""
    try:
        found = json.loads(content)["cells"]
        # JupyterLab adds an empty cell when the last one is run.
        written = [(cell["cell_type"], "".join(cell["source"])) for cell in found]
        return [(kind, source) for kind, source in written if source.strip()]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"no notebook: {error}") from None


def digest(cell: tuple[str, str]) -> str:
    """Return what tells a cell, as `cells` has it, from another one."""
    return hashlib.sha256(json.dumps(cell).encode()).hexdigest()[:16]


def version(name: str, content: bytes) -> Version:
    """Return the digests of a file; in all but notebooks every byte counts."""
    whole = hashlib.sha256(content).hexdigest()
    if not name.endswith(".ipynb"):
        return Version(whole, whole)
    try:
        found = cells(content)
    except ValueError:
        return Version(whole, None)
    written = hashlib.sha256(json.dumps(found).encode()).hexdigest()
    return Version(whole, written, [digest(cell) for cell in found])


def write(path: Path, content: bytes) -> None:
    """Write a file, or leave it as it was; through a link, the file that it leads to."""
    with saving.whole(Path(os.path.realpath(path))) as beside:
        beside.write_bytes(content)


def _note(path):
    """Read the note; one that is damaged or foreign counts as not there."""
    try:
        kept = json.loads(path.read_bytes())
        return {
            name: Version(whole, cells, *(each and list(each) for each in more))
            for name, (whole, cells, *more) in kept.items()
        }
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
