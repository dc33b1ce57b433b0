"""A student's own copies of the course's files: an update replaces what nobody has changed.

A notebook counts as changed where the source of a cell differs from what was copied. Its bytes
do not count, nor its outputs: JupyterLab saves what was only opened, with other metadata.
"""

import hashlib
import itertools
import json
import os
from pathlib import Path
from typing import NamedTuple

from course_utils import saving

NOTE = ".copied.json"


class Version(NamedTuple):
    """Digests of a file: of its bytes, and of what a student may change in it."""

    whole: str
    cells: str | None  # None for what cannot be read


class Copies:
    """The folder of a student's copies, with its note of which versions were copied."""

    def __init__(self, folder: Path):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.copied = _note(folder / NOTE)

    def place(self, name: str, content: bytes) -> str:
        """Put a file into the folder and return the name that it has there.

        Where a student's work, or what cannot be read, has its own name, it is called `…-new`,
        or `…-new-2` and so on.
        """
        stem, ending = os.path.splitext(name)
        added = itertools.chain(["", "-new"], map("-new-{}".format, itertools.count(2)))
        return next(one for more in added if self._holds(one := stem + more + ending, content))

    def readable(self, name: str) -> bool:
        """Return whether a file can be read, a notebook as such."""
        return self._present(name).cells is not None

    def save(self) -> None:
        """Write the note."""
        write(self.folder / NOTE, json.dumps(self.copied, indent=1).encode())

    def _holds(self, name, content):
        """Whether a file is of this version, which is written where nobody's work is lost."""
        latest, before = version(name, content), self.copied.get(name)
        mine = self._present(name) if os.path.lexists(self.folder / name) else None
        if mine and mine.cells != latest.cells and not (before and mine.cells == before.cells):
            on_latest = before and before.cells == latest.cells
            return bool(on_latest and mine.cells is not None)
        if mine is None or before not in (None, latest):
            write(self.folder / name, content)
        self.copied[name] = latest
        return True

    def _present(self, name):
        try:
            return version(name, (self.folder / name).read_bytes())
        except OSError:  # a folder, a link that leads nowhere, a file that is not allowed
            return Version("", None)


def version(name: str, content: bytes) -> Version:
    """Return the digests of a file; in all but notebooks every byte counts."""
    whole = hashlib.sha256(content).hexdigest()
    if not name.endswith(".ipynb"):
        return Version(whole, whole)
    try:
        cells = json.loads(content)["cells"]
        cells = [[cell["cell_type"], "".join(cell["source"])] for cell in cells]
    except (ValueError, TypeError, KeyError, RecursionError):
        return Version(whole, None)
    # JupyterLab adds an empty cell when the last one is run.
    written = json.dumps([cell for cell in cells if cell[1].strip()])
    return Version(whole, hashlib.sha256(written.encode()).hexdigest())


def write(path: Path, content: bytes) -> None:
    """Write a file, or leave it as it was; through a link, the file that it leads to."""
    with saving.whole(Path(os.path.realpath(path))) as beside:
        beside.write_bytes(content)


def _note(path):
    """Read the note; one that is damaged or foreign counts as not there."""
    try:
        kept = json.loads(path.read_bytes())
        return {name: Version(whole, cells) for name, (whole, cells) in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
