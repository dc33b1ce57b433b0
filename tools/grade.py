"""Grade what a class hands in: a folder, or a zip file, of its notebooks.

    python -m tools.grade FOLDER                        into build/grades/<folder's name>
    python -m tools.grade FOLDER --lecture NN_name      only this lecture's notebooks
    python -m tools.grade FOLDER --solutions            feedback with the solutions

A student's name is that of the folder in which the notebook lies, or stands in the file's name;
what Moodle and Canvas add to names is taken off. Only definitions count. They are judged in
processes of their own, against this course and not against what the student's notebook says,
printed or stored (`tools.judging`). Out come `grades.csv`, `totals.csv` (with the number by
which a platform knows a student), `class.html` and a page of feedback a student. What has been
judged is kept: an interrupted run goes on, and what had to be stopped is judged again.

An answer that names what leads to the grader, to the solutions or out of its folder (`exec`,
`os`, `f_back`, …) is refused and listed to be looked at by hand. Python cannot lock a process
in for certain: run this as a user who may lose nothing, and look at what is refused.
"""

import argparse
import csv
import dataclasses
import functools
import hashlib
import io
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from course_utils import exercises, saving
from tools import copies, source, submissions
from tools.closure import closure
from tools.command_line import parser
from tools.execute import THREADS, environment, exit_with
from tools.shows import ROOT

INTO = ROOT / "build" / "grades"
COLUMNS = ("student", "exercise", "points", "minutes", "state", "mistake")
TOTALS = ("student", "number", "lecture", "points", "of")


def grade(found: list[submissions.Submission], into: Path) -> list[dict]:
    """Judge submissions; return a row for each student and exercise, or unreadable file.

    A row has `COLUMNS`, and message, answer, place and notes besides.
    """
    from tools import judging  # starts a backend, when the command line has been read

    def judged(one, kept, read):
        if one.problem:
            return []
        if kept.is_file():
            return [
                judging.Judged(**entry)
                for entry in json.loads(kept.read_text(encoding="utf-8"))
            ]
        began = time.monotonic()
        try:
            entries = judging.judge(one.lecture, one.cells, read)
        except Exception as error:  # whatever a notebook does, the others are graded
            told = f"the grader itself failed here ({type(error).__name__}: {error})"
            failed = {"state": "stopped", "message": told}
            return [dataclasses.replace(entry, **failed) for entry in read]
        if not any(entry.state == "stopped" for entry in entries):  # another run may be quieter
            with saving.whole(kept) as beside:
                beside.write_text(
                    json.dumps([asdict(entry) for entry in entries]), encoding="utf-8"
                )
        solved = sum(entry.state == "solved" for entry in entries)
        seconds = time.monotonic() - began
        print(f"{one.student}, {one.lecture}: {solved} of {len(entries)}, {seconds:.0f} s")
        return entries

    kept = [into / "judged" / f"{_key(one)}.json" for one in found]
    read = [[] if one.problem else judging.read(one.lecture, one.cells) for one in found]
    rows = []
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        for one, entries in zip(found, pool.map(judged, found, kept, read), strict=True):
            rows += _rows(one, entries)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return rows


def _key(one):
    text = json.dumps([one.cells, _judging(one.lecture)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def _judging(lecture):
    """The code by which a lecture's answers are judged."""
    asked = f"import lectures.lecture_{lecture}.exercises\n" if lecture else ""
    return closure(f"import tools.judging\n{asked}")


def _rows(one, entries):
    about = {"student": one.student, "place": one.place, "notes": one.notes}
    about |= {"number": one.number, "lecture": one.lecture}
    if one.problem:
        return [about | {
            "exercise": "", "points": 0, "minutes": 0, "state": "unreadable",
            "mistake": one.problem, "message": one.problem, "answer": "",
        }]  # fmt: skip
    minutes = {entry.identifier: exercises.find(entry.identifier).takes for entry in entries}
    return [
        about
        | {
            "exercise": entry.identifier,
            "points": minutes[entry.identifier] * (entry.state == "solved"),
            "minutes": minutes[entry.identifier],
            "state": entry.state,
            "mistake": _mistake(entry),
            "message": entry.message,
            "answer": entry.source,
        }
        for entry in entries
    ]


def _mistake(entry):
    """What was wrong, in a line: the declared mistake, or what the student is told."""
    told = entry.message.removeprefix(f"{entry.identifier}: ").removeprefix("not yet: ")
    shown = entry.state not in ("solved", "open", "missing")
    return entry.mistake or told.partition("\n")[0] * shown


def _totals(rows):
    """A row for each student and lecture, as platforms take them."""
    found = {}
    for row in rows:
        about = {name: row[name] for name in ("student", "number", "lecture")}
        total = found.setdefault(tuple(about.values()), about | {"points": 0, "of": 0})
        total["points"] += row["points"]
        total["of"] += row["minutes"]
    return [*found.values()]


def _table(columns, rows):
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns, extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def write(rows: list[dict], into: Path, solutions: bool) -> str:
    """Write the tables, the class's page and the students' pages; return the first's name.

    A table in which the lecturer has changed something stays; the new one is put beside it.
    """
    from tools import grade_pages

    ours = copies.Copies(into)
    placed = ours.place("grades.csv", _table(COLUMNS, rows))
    ours.place("totals.csv", _table(TOTALS, _totals(rows)))
    ours.save()
    for name, text in grade_pages.pages(rows, solutions).items():
        with saving.whole(into / name) as beside:
            beside.write_text(text, encoding="utf-8")
    return placed


def _named(text):
    if not text:
        raise argparse.ArgumentTypeError("name a folder or a zip file: SUBMISSIONS=folder")
    return Path(text)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    reading = parser("tools.grade", __doc__)
    reading.add_argument("submissions", type=_named, metavar="FOLDER")
    reading.add_argument("--lecture", type=source.lecture, help="its name; all unless given")
    reading.add_argument("--solutions", action="store_true", help="show them in the feedback")
    reading.add_argument("--into", type=Path, metavar="DIR")
    given = reading.parse_args(arguments)
    try:
        found = submissions.read(given.submissions)
    except (OSError, ValueError) as error:
        print(f"grade: {error}", file=sys.stderr)
        return 1
    if given.lecture:
        wanted = source.number(given.lecture)
        for one in found:
            if not one.problem and one.lecture != wanted:
                print(f"{one.place} is of lecture {one.lecture}: left out")
        found = [one for one in found if one.problem or one.lecture == wanted]
    for one in found:
        for told in [one.problem, *one.notes]:
            if told:
                print(f"{one.place}: {told}")
    # Two notebooks are judged side by side, each by one thread.
    os.environ.update(environment() | dict.fromkeys(THREADS, "1") | {"MPLBACKEND": "Agg"})
    into = given.into or INTO / given.submissions.resolve().stem
    rows = grade(found, into)
    placed = write(rows, into, given.solutions)
    students = len({row["student"] for row in rows})
    print(f"{students} students: {into / placed}, {into / 'class.html'}")
    return 0


if __name__ == "__main__":
    exit_with(main)
