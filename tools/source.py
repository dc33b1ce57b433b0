"""Read a lecture's py:percent source and put its notebook together, not yet executed."""

import argparse
import hashlib
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from tools import colab_cell, exercises, glossary
from tools.closure import code_of
from tools.course import course
from tools.shows import ROOT, built, shown

LECTURES = ROOT / "lectures"
PROJECT = ROOT / "project" / "project_start.py"  # a notebook that is no lecture
AUDIENCES = ("student", "instructor", "handout")
NO_SOLUTIONS = '\nos.environ["COURSE_SOLUTIONS"] = "0"  # your lecturer keeps the solutions'
PARTS = ("__init__.py", "exercises.py", "sheet.md")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT = (
    "slideshow",
    "tags",
    "shows",
    "builds",
    "jupyter",
    "cellView",
    "heading",
    "formulas",
    "later",
)
DRAWN = re.compile(r'cu\.figures\.show\("([^"]*)"\);?')


def lectures(names: list[str] = (), folder: Path = LECTURES) -> list[Path]:
    """Return the sources of the named lectures, of all where none is named.

    A name is a lecture's (`NN_name`) or a file's.

    Raises:
        ValueError: for a name that is neither; lists the lectures. For a folder that is no
            lecture yet; says what to do.
    """
    known = {path.stem: path for path in filter(None, map(_text, folder.glob("lecture_*")))}
    known = dict(sorted(known.items()))
    chosen = []
    for name in names or known:
        path = known.get(Path(name).stem) if Path(name).parent == Path() else Path(name)
        if path is None or not path.is_file():
            raise ValueError(f"no lecture {name!r}; the lectures are: {', '.join(known)}")
        chosen.append(path)
    return chosen


def number(source: Path) -> str:
    """Return a lecture's number, such as "03b", from its text or its folder."""
    return source.stem.removeprefix("lecture_").partition("_")[0]


def page(source: Path) -> SimpleNamespace:
    """Return what a lecture says of its recorded runs in its `page.py`, where it has one.

    Its constants: TITLE, MODELS (in words, by their names), REAL_DATA (the calls that download
    what the full profile trains on), PLOTS and FRONT_PLOTS (`tools.result_plots`), FINDINGS
    (`tools.results`).
    """
    path = source.with_name("page.py")
    empty = dict.fromkeys(("MODELS", "PLOTS", "FRONT_PLOTS", "FINDINGS"), {})
    said = runpy.run_path(str(path)) if path.is_file() else {}
    return SimpleNamespace(**{"TITLE": "", "REAL_DATA": ()} | empty | said)


def _text(place):
    """The text of a lecture's folder, once nothing is missing there."""
    if all(item.name == "__pycache__" for item in place.iterdir()):
        return None  # git leaves it of a lecture that was removed
    found = sorted(path for path in place.glob("*.py") if path.name[0].isdigit())
    own = number(place)
    if not re.fullmatch(r"\d\d[a-z]?", own):
        raise ValueError(f"{place}: name it lecture_NN: two digits, and a letter for a lab")
    if len(found) != 1:
        names = " and ".join(path.name for path in found) or "none"
        raise ValueError(f"{place} holds one text, {own}_<name>.py; there is {names}")
    if number(found[0]) != own:
        raise ValueError(f"{place} holds {found[0].name}: name it {own}_…, as its folder")
    for part in PARTS:
        if not (place / part).is_file():
            raise ValueError(f"{place} has no {part}: write one, as in the other lectures")
    return found[0]


def lecture(name: str) -> Path:
    """Return the source of a lecture that a command line names, as `lectures` does."""
    try:
        return lectures([name])[0]
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def add_lectures(reading: argparse.ArgumentParser) -> None:
    """Let a command line name lectures."""
    about = "names or files of lectures; all where none is given"
    reading.add_argument("lectures", nargs="*", type=lecture, help=about)


def titles() -> dict[str, str]:
    """Return what each lecture is called, with its number, by its name."""
    found = {}
    for path in lectures():
        title = re.search(r"^# # (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)[1]
        found[path.stem] = f"{number(path)} · {title}"
    return found


def heading(notebook: NotebookNode) -> str:
    """Return what a lecture calls itself in its first line, without the marks of a heading."""
    return notebook.cells[0].source.partition("\n")[0].lstrip("# ")


def assemble(path: Path, audience: str = "student", root: Path = ROOT) -> NotebookNode:
    """Return a lecture's notebook without outputs, the same bytes for the same sources.

    Args:
        path: the lecture's source.
        audience: "student", "instructor", or "handout" for students who get no solutions.
        root: the folder that the names in `shows=` start from.

    Raises:
        ValueError: for a wrong `shows=`, `builds=` or exercise, and for bold text that is no
            term of the glossary; names the lecture and the cell.
    """
    notebook = jupytext.read(path, fmt="py:percent")
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type != "raw"]  # claims
    _give_ids(notebook)
    exercises.complete(notebook, path.stem, root)
    for cell in notebook.cells:
        if "shows" in cell.metadata or "builds" in cell.metadata:
            _fill(cell, path.stem, audience, root)
    if audience != "instructor":
        notebook.cells = [
            cell
            for cell in notebook.cells
            if cell.metadata.get("slideshow", {}).get("slide_type") != "notes"
        ]
        glossary.link(notebook, path.stem)  # a deck is one file, which leads nowhere
    kept = audience == "handout" or (audience == "student" and not course().solutions)
    _frame(notebook, path.stem, NO_SOLUTIONS if kept else "")
    for cell in notebook.cells:
        kept = {key: cell.metadata[key] for key in KEPT if key in cell.metadata}
        cell.metadata = NotebookNode(kept)
    tidy(notebook)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def tidy(notebook: NotebookNode) -> None:
    """Leave no trace of the machine in the notebook's own metadata."""
    title = notebook.metadata.get("title")
    notebook.metadata = NotebookNode(kernelspec=KERNEL, language_info={"name": "python"})
    if title:
        notebook.metadata["title"] = title


def _give_ids(notebook: NotebookNode) -> None:
    """Name each cell so that an edit elsewhere, and one of text, changes no id.

    An id is the cell's `name=`, else that of its code; text is named after the code above it.
    """
    counts, above = {}, "text"
    for cell in notebook.cells:
        name = above
        if cell.cell_type == "code":
            filled = (cell.metadata.get(key, "") for key in ("shows", "builds"))
            text = "\0".join([*filled, code_of(cell.source)])
            name = hashlib.sha256(text.encode()).hexdigest()[:8]
        name = re.sub(r"[^A-Za-z0-9_-]", "-", cell.metadata.get("name") or name)[:56]
        counts[name] = counts.get(name, 0) + 1
        cell["id"] = name if counts[name] == 1 else f"{name}-{counts[name]}"
        if cell.cell_type == "code":
            above = f"{cell.id}-text"


def _fill(cell: NotebookNode, lecture: str, audience: str, root: Path) -> None:
    where = f"{lecture}, cell {cell.id}"
    written = [line for line in cell.source.splitlines() if line and not line.startswith("#")]
    if cell.cell_type != "code" or written:
        raise ValueError(
            f"{where}: a cell with shows= or builds= is a code cell with no code of its own"
        )
    try:
        if "builds" in cell.metadata:
            cell.source = built(cell.metadata["builds"], root, solved=audience == "instructor")
        else:
            cell.source = shown(cell.metadata["shows"], root)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _frame(notebook: NotebookNode, lecture: str, more: str) -> None:
    """Put the badges and Colab's first cell below the title, and the licence at the end."""
    badges = colab_cell.badges(lecture)
    added = [new_markdown_cell(badges, id="colab-badge")] if badges else []
    first = new_code_cell(colab_cell.first_cell(lecture) + more, id="colab")
    first.metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}  # a click opens
    added += [first, new_markdown_cell(course().licence, id="licence")]
    for cell in added:
        cell.metadata["slideshow"] = {"slide_type": "skip"}
    notebook.cells = [*notebook.cells[:1], *added[:-1], *notebook.cells[1:], added[-1]]
