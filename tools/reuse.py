"""Remember what a built notebook was made from: what has not changed is not run again."""

import hashlib
import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.shows import ROOT

SOURCES = ("course_utils", "data", "results", "tools", "requirements.lock", "pyproject.toml")
IGNORED = {"__pycache__", "cache", "node_modules", ".ipynb_checkpoints"}


@dataclass
class Built:
    """What is known about a built notebook: what it came from, its bytes, how it went."""

    key: str
    notebook: str
    seconds: float
    headline: str


def key(lecture: Path, audience: str, root: Path = ROOT) -> str:
    """Return a hash of all that decides the notebook: sources, data, results, versions."""
    digest = hashlib.sha256()
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    digest.update(f"{audience} {platform.python_version()} {backend}".encode())
    for path in [lecture, *(file for name in SOURCES for file in _files(root / name))]:
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def digest(notebook: Path) -> str | None:
    """Return the hash of a file's bytes, None where there is no file."""
    if not notebook.is_file():
        return None
    return hashlib.sha256(notebook.read_bytes()).hexdigest()


def remembered(notebook: Path) -> Built | None:
    """Return what was noted when `notebook` was built, if anything was."""
    try:
        return Built(**json.loads(_note(notebook).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def remember(notebook: Path, built: Built) -> None:
    """Note down how `notebook` was built."""
    note = _note(notebook)
    note.parent.mkdir(exist_ok=True)
    note.write_text(json.dumps(asdict(built), indent=1))


def set_aside(notebook: Path) -> Path | None:
    """Rename a notebook that was worked in since it was built; returns the new name."""
    built = remembered(notebook)
    if built is None or digest(notebook) in (None, built.notebook):
        return None
    number = 1
    while (kept := notebook.with_name(f"{notebook.stem}-yours-{number}.ipynb")).exists():
        number += 1
    return notebook.rename(kept)


def _note(notebook: Path) -> Path:
    return notebook.parent / ".built" / f"{notebook.stem}.json"


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.is_file())
    return [file for file in found if not IGNORED & set(file.relative_to(path).parts)]
