"""Make notebooks from lectures; run only those whose outputs an edit may have changed.

    python -m tools.notebook                                  all, into build/run
    python -m tools.notebook NN_name --into notebooks         one (a name or a file) into DIR
    python -m tools.notebook --into notebooks --dry           say which would run and why
    python -m tools.notebook --for instructor --into DIR      with solutions and notes
    python -m tools.notebook --for handout --into DIR         whose students get no solutions

A lecture is run in the quick profile, by one thread, and its notebook says in its metadata what
it was made from (`made_from`): the code of its cells, the modules that this code reaches, the
data and recorded runs that it names (`tools.closure`), the settings. While these are as they
were, on whatever machine, the outputs in the notebook are kept and nothing is run: text,
comments, docstrings and drawings are exchanged in seconds. Where any of them changed, the whole
lecture is run again, and on another processor its numbers may then move in the last digits and
what hangs on them. Versions of Python and of packages are not looked at: to see what new ones
print, delete the notebooks and build them again.

A notebook for instructors or to hand out is never run. It takes its outputs from the student's
in notebooks/; an instructor's exercises and their checks have none until somebody runs it. That
its solutions are accepted is for the tests to say.

Two lectures run at a time, and after a failure no further one. A notebook is replaced only when
all went well, and one that somebody worked in is set aside first (in notebooks/ git keeps it).
"""

import hashlib
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from course_utils import explore, figures, saving
from tools import glossary, rules
from tools.closure import closure, code_of
from tools.command_line import parser
from tools.execute import QUICK, LectureFailed, environment, execute, exit_with
from tools.shows import ROOT
from tools.source import AUDIENCES, DRAWN, PROJECT, add_lectures, assemble, lectures, titles

NOTEBOOKS = ROOT / "notebooks"
JOBS = 2
TIMEOUT = 1200
"""Seconds that a cell may take in the quick profile: far more than any should, busy or not."""


@dataclass
class Outcome:
    """How a lecture went: `error` is None where it went well."""

    lecture: str
    notebook: Path
    seconds: float = 0.0
    headline: str = ""
    note: str = ""
    error: str | None = None


def build(sources: list[Path], into: Path, audience: str = "student") -> list[Outcome]:
    """Make notebooks, running those that have to be run, and the glossary that they lead to."""
    writable(into)
    assembled = {path: assemble(path, audience) for path in sources}
    for path, notebook in assembled.items():
        if faults := rules.metadata(notebook) + rules.alternative_texts(notebook):
            raise ValueError("\n".join(f"{_from_here(path)}: {fault}" for fault in faults))
    outcomes = [Outcome(path.stem, into / f"{path.stem}.ipynb") for path in sources]

    def attempt(make, notebook, outcome, *more):
        began = time.monotonic()
        try:
            return make(notebook, outcome, *more)
        except (LectureFailed, OSError) as error:
            outcome.error = str(error)
        finally:
            outcome.seconds = time.monotonic() - began

    def run(notebook, outcome):
        if any(other.error for other in outcomes):
            outcome.note = "not run"
            return
        attempt(_run, notebook, outcome)
        state = "failed" if outcome.error else "done"
        _say(f"{outcome.lecture}  {state}, {outcome.seconds:.0f} s")

    # Kernels are run beside the main thread, which is left free for Control-C.
    pool, runs = ThreadPoolExecutor(JOBS), []
    for (path, notebook), outcome in zip(assembled.items(), outcomes, strict=True):
        if attempt(_keep, notebook, outcome, path, audience) is False:
            runs.append((notebook, outcome))
    for future in [pool.submit(run, *one) for one in runs]:
        future.result()
    if audience != "instructor" and not any(outcome.error for outcome in outcomes):
        page = into / glossary.PAGE
        page.write_text(glossary.entries(titles()), encoding="utf-8", newline="\n")
    return outcomes


def foretell(sources: list[Path], into: Path) -> str:
    """Return a line for each notebook: whether it would run, and what has changed for it."""
    lines = []
    for source in sources:
        path = into / f"{source.stem}.ipynb"
        made, before = made_from(assemble(source)), _made(_read(path))
        changed = sorted(name for name in made | before if made.get(name) != before.get(name))
        why = f"run: {', '.join(changed)}" if before else "run: it is not built yet"
        lines.append(f"{_from_here(path)}  {why if made != before else 'keep its outputs'}")
    return "\n".join(lines)


def made_from(notebook: NotebookNode) -> dict[str, str]:
    """Return all that decides the outputs of a lecture's assembled notebook.

    A short hash of each module and data file that its cells reach (of a folder in `results/`
    one for all its files), of the cells' code, and of the settings that they run with.
    """
    cells = [cell for cell in _code(notebook) if cell.id != "colab"]
    filled = [cell.metadata.get(key) for cell in cells for key in ("shows", "builds")]
    named = [f"import {name}" for name in filled if name]
    settings = QUICK | {"KERAS_BACKEND": os.environ.get("KERAS_BACKEND", "tensorflow")}
    parts = {
        "code cells": [(cell.id, code_of(cell.source)) for cell in cells],
        "settings": settings,
    }
    for file, digest in closure("\n\n".join([*named, *(c.source for c in cells)])).items():
        recorded = file.startswith("results/")
        place = "/".join(file.split("/")[:2]) if recorded else file
        parts.setdefault(place, []).append((file, digest))
    return {
        name: hashlib.sha256(json.dumps(part).encode()).hexdigest()[:8]
        for name, part in parts.items()
    }


def graft(notebook: NotebookNode, built: NotebookNode) -> None:
    """Give cells the outputs that cells of the same id and code have in a built notebook.

    A drawing's output is its file as it is now, and what moves gets the scripts of now.
    """
    done = {cell.id: cell for cell in _code(built)}
    for cell in _code(notebook):
        old = done.get(cell.id)
        # The first cell prints nothing here, whatever it does on Colab.
        if old and (cell.id == "colab" or code_of(old.source) == code_of(cell.source)):
            cell.outputs, cell.execution_count = old.outputs, old.execution_count
            if "answer" in old.metadata:
                cell.metadata["answer"] = old.metadata.answer
            if drawing := DRAWN.fullmatch(cell.source.strip()):
                cell.outputs = [new_output("display_data", figures.bundle(drawing[1]))]
            for output in [*cell.outputs, *cell.metadata.get("answer", [])]:
                if explore.MARK in output.get("data", {}).get("text/html", ""):
                    output.data["text/html"] = explore.renewed(output.data["text/html"])


def headline(notebook: NotebookNode) -> str:
    """Return the last line that the cell tagged `headline` printed; "" where there is none."""
    for cell in notebook.cells:
        if "headline" in cell.metadata.get("tags", []):
            outputs = cell.metadata.get("answer", cell.outputs)
            printed = "".join(out.text for out in outputs if out.output_type == "stream")
            return next(iter(reversed(printed.strip().splitlines())), "")
    return ""


def writable(folder: Path) -> None:
    """Make `folder`; OSError before the slow work where no file can be written there."""
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook beside `path` and rename it: no half-written one is ever there.

    Two builds at once do not disturb each other: the last one's is kept.
    """
    nbformat.validate(notebook)
    text = nbformat.writes(notebook, indent=1, ensure_ascii=False) + "\n"
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        with saving.whole(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")


def _code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _run(notebook, outcome):
    """Run a notebook and write it; now and then a line says where it is."""
    name, made = outcome.lecture, notebook.metadata.made_from
    cells, began, said = len(_code(notebook)), time.monotonic(), [time.monotonic()]

    def at(cell):
        now = time.monotonic()
        if now - said[0] > 10:
            said[0] = now
            _say(f"{name}  cell {cell} of {cells}, {now - began:.0f} s")

    _say(f"{name}  running")
    log = ROOT / "build" / "logs" / f"{name}.log"
    execute(notebook, environment(**QUICK), log, on_cell=at, timeout=TIMEOUT)
    notebook.metadata["made_from"] = made
    if faults := rules.executed(notebook) + rules.alternative_texts(notebook):
        raise LectureFailed("\n".join(faults))
    _replace(notebook, outcome)


def _say(line):
    print(line + "\n", end="", flush=True)


def _keep(notebook, outcome, path, audience):
    """Make a notebook without running it; returns whether that was possible."""
    taken = audience != "student"
    made = made_from(assemble(path) if taken else notebook)
    notebook.metadata["made_from"] = made
    old = _read(outcome.notebook)
    if _edited(outcome.notebook) and _made(old) == made:
        outcome.headline, outcome.note = headline(old), "unchanged (edited by you)"
        return True
    source = NOTEBOOKS / f"{path.stem}.ipynb" if taken else outcome.notebook
    built = _read(source)
    if _made(built) != made:
        if taken:
            command = f"make notebook LECTURE={path.stem}"
            raise LectureFailed(f"{_from_here(source)} is older than the lecture: {command}")
        return False
    graft(notebook, built)
    if audience == "instructor":
        for cell in _code(notebook):
            if {"exercise", "check"} & set(cell.metadata.get("tags", [])):
                cell.outputs, cell.execution_count = [], None
            cell.outputs = cell.metadata.pop("answer", cell.outputs)
    outcome.note = "not run: its code is as it was"
    _replace(notebook, outcome)
    return True


def _read(path):
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError):
        return None


def _made(notebook):
    return notebook and notebook.metadata.get("made_from") or {}


def _replace(notebook, outcome):
    """Write a notebook, once what somebody made of the old one is set aside."""
    path = outcome.notebook
    if _edited(path):
        taken = len(list(path.parent.glob(f"{path.stem}-yours-*.ipynb")))
        kept = path.rename(path.with_name(f"{path.stem}-yours-{taken + 1}.ipynb"))
        outcome.note = f"your edited copy is now {kept.name}"
    write(notebook, path)
    outcome.headline = headline(notebook)
    if path.parent.resolve() != NOTEBOOKS:
        _note(path).parent.mkdir(exist_ok=True)
        _note(path).write_text(_digest(path), encoding="utf-8")


def _edited(path):
    """Whether a notebook is another than the one that was written here."""
    known = path.is_file() and _note(path).is_file()
    return known and _digest(path) != _note(path).read_text(encoding="utf-8")


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _note(path):
    return path.parent / ".built" / path.stem


def report(outcomes: list[Outcome]) -> str:
    """Return the closing table, then what stopped the build where something did."""
    rows = [("lecture", "seconds", "headline", "where to look", "")]
    for one in outcomes:
        said = "FAILED" if one.error else one.headline
        where = _from_here(one.notebook)
        rows.append((one.lecture, f"{one.seconds:.0f}", said, where, one.note))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    for one in filter(lambda one: one.error, outcomes):
        lines += ["", f"{one.lecture} failed: {one.error}"]
        if one.notebook.is_file():
            lines.append(f"{_from_here(one.notebook)} is as it was before.")
    return "\n".join(lines)


def _from_here(path):
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    reading = parser("tools.notebook", __doc__)
    add_lectures(reading)
    reading.add_argument("--into", type=Path, default=ROOT / "build" / "run", metavar="DIR")
    reading.add_argument("--for", dest="audience", choices=AUDIENCES, default="student")
    reading.add_argument("--dry", action="store_true", help="run nothing; say what would run")
    given = reading.parse_args(arguments)
    try:
        if given.dry:
            print(foretell(given.lectures or [*lectures(), PROJECT], given.into))
            return 0
        outcomes = build(given.lectures or [*lectures(), PROJECT], given.into, given.audience)
    except (OSError, ValueError) as error:
        print(f"Nothing was built: {error}", file=sys.stderr)
        return 1
    print("\n" + report(outcomes), flush=True)
    return int(any(outcome.error for outcome in outcomes))


if __name__ == "__main__":
    exit_with(main)
