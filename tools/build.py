"""Build notebooks from lectures: put together, execute in the quick profile, check, write.

    python -m tools.build                              every lecture into build/run
    python -m tools.build 02_simple_rnn --into DIR     one lecture (a name or a file) into DIR
    python -m tools.build --instructor --into DIR      with solutions and notes, COURSE_STRICT=1

With `--reuse` a notebook is left as it is when nothing it came from has changed. Two lectures
run at a time (`--jobs`), each with one thread. A notebook is replaced only when all went well.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools import reuse
from tools.execute import QUICK, LectureFailed, environment, execute, exit_with
from tools.progress import Progress
from tools.shows import ROOT
from tools.source import assemble, lectures

TIMEOUT = 600
"""Seconds that a cell may take in the quick profile: far more than any should."""


@dataclass
class Outcome:
    """How a lecture went: `error` is None where it went well."""

    lecture: str
    notebook: Path
    seconds: float = 0.0
    headline: str = ""
    note: str = ""
    error: str | None = None


def headline(notebook: NotebookNode) -> str:
    """Return the last line that the cell tagged `headline` printed; "" where there is none."""
    for cell in notebook.cells:
        if "headline" in cell.metadata.get("tags", []):
            printed = "".join(out.text for out in cell.outputs if out.output_type == "stream")
            return next(iter(reversed(printed.strip().splitlines())), "")
    return ""


def writable(folder: Path) -> None:
    """Make `folder`, and find out before the slow work whether files can be written there.

    Raises:
        LectureFailed: when they cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 1_000_000)
    except OSError as error:
        reason = error.strerror or error
        raise LectureFailed(f"cannot write into {folder}: {reason}") from None


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook beside `path` and rename it: no half-written one is ever there."""
    nbformat.validate(notebook)
    text = nbformat.writes(notebook, indent=1, ensure_ascii=False) + "\n"
    beside = path.with_suffix(".ipynb.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise LectureFailed(f"cannot write {path}: {error.strerror or error}") from None


def build(
    sources: list[Path],
    into: Path,
    audience: str = "student",
    reusing: bool = False,
    jobs: int = 2,
) -> list[Outcome]:
    """Build notebooks, and after a failure start no further one.

    Args:
        sources: the lectures.
        into: the folder of the notebooks, made where it is missing.
        audience: "student" or "instructor".
        reusing: True to leave alone what has not changed, and to set edited notebooks aside.
        jobs: how many lectures run at a time.

    Raises:
        LectureFailed: when `into` cannot be written.
        ValueError: for a wrong lecture source.
    """
    writable(into)
    notebooks = {path: assemble(path, audience) for path in sources}
    outcomes, failed = [], []

    def one(path: Path) -> Outcome:
        outcome = Outcome(path.stem, into / f"{path.stem}.ipynb")
        if failed:
            return Outcome(path.stem, outcome.notebook, note="not run")
        progress.started(path.stem)
        try:
            _execute(path, notebooks[path], outcome, audience, progress, reusing)
        except LectureFailed as error:
            outcome.error = str(error)
            failed.append(outcome)
        outcome.seconds = progress.ended(path.stem, "failed" if outcome.error else "done")
        if reusing and not outcome.error:
            _remember(path, outcome, audience)
        return outcome

    pool = ThreadPoolExecutor(jobs)
    with Progress() as progress:
        running = []
        for path in sources:
            known = _unchanged(path, into, audience) if reusing else None
            if known:
                outcomes.append(known)
                continue
            code = [cell for cell in notebooks[path].cells if cell.cell_type == "code"]
            progress.waiting(path.stem, len(code))
            running.append(pool.submit(one, path))
        outcomes += [future.result() for future in running]
    return sorted(outcomes, key=lambda outcome: outcome.lecture)


def _execute(path, notebook, outcome, audience, progress, reusing):
    strict = {"COURSE_STRICT": "1"} if audience == "instructor" else {}
    log = ROOT / "build" / "logs" / f"{path.stem}-{audience}.log"
    env = environment(**QUICK, **strict)
    at_cell = partial(progress.at, path.stem)
    execute(notebook, env, log, on_cell=at_cell, timeout=TIMEOUT)
    kept = reuse.set_aside(outcome.notebook) if reusing else None
    outcome.note = f"your edited copy is now {kept.name}" if kept else ""
    write(notebook, outcome.notebook)
    outcome.headline = headline(notebook)


def _remember(path, outcome, audience):
    bytes_hash = reuse.digest(outcome.notebook)
    key = reuse.key(path, audience)
    seconds = round(outcome.seconds, 1)
    reuse.remember(outcome.notebook, reuse.Built(key, bytes_hash, seconds, outcome.headline))


def _unchanged(path, into, audience):
    notebook = into / f"{path.stem}.ipynb"
    built = reuse.remembered(notebook)
    if built is None or not notebook.is_file() or built.key != reuse.key(path, audience):
        return None
    edited = reuse.digest(notebook) != built.notebook
    note = "unchanged, not run again" + (" (edited by you)" if edited else "")
    return Outcome(path.stem, notebook, built.seconds, built.headline, note)


def report(outcomes: list[Outcome]) -> str:
    """Return the closing table, then what stopped the build where something did."""
    rows = [("lecture", "seconds", "headline", "where to look", "")]
    rows += [
        (
            outcome.lecture,
            f"{outcome.seconds:.0f}",
            "FAILED" if outcome.error else outcome.headline,
            _from_here(outcome.notebook),
            outcome.note,
        )
        for outcome in outcomes
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    for outcome in outcomes:
        if outcome.error:
            lines += ["", f"{outcome.lecture} failed: {outcome.error}"]
            if outcome.notebook.is_file():
                lines.append(f"{_from_here(outcome.notebook)} is as it was before.")
    return "\n".join(lines)


def _from_here(path):
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tools.build", None, __doc__, formatter_class=kind
    )
    parser.add_argument("lectures", nargs="*", help="names or files; all where none is given")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "run", metavar="DIR")
    parser.add_argument("--instructor", action="store_true", help="solutions in, checks strict")
    parser.add_argument("--reuse", action="store_true", help="run only what has changed")
    parser.add_argument("--jobs", type=int, default=2, help="lectures at a time (2)")
    given = parser.parse_args(arguments)
    audience = "instructor" if given.instructor else "student"
    try:
        sources = lectures(given.lectures)
        outcomes = build(sources, given.into, audience, given.reuse, given.jobs)
    except (LectureFailed, ValueError) as error:
        print(f"Nothing was built: {error}", file=sys.stderr)
        return 1
    print("\n" + report(outcomes), flush=True)
    return int(any(outcome.error for outcome in outcomes))


if __name__ == "__main__":
    exit_with(main)
