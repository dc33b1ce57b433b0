"""Make an exam paper whose numbers are drawn, its key and its list of points.

    python -m tools.exam --seed 7 --lectures 01,02,03     into build/exam/01-02-03-seed-7

The questions are functions of a generator in each lecture's `exam.py`
(`lectures/exam_questions.py`). A seed chooses as many of them as fit into the minutes, evenly
from the lectures, and draws their numbers: it always gives the same paper. Choose a seed that
nobody guesses: the course is public.
"""

import argparse
import importlib
import inspect
import re
import sys
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase

import numpy as np

from course_utils import saving
from lectures.exam_questions import LETTERS, Question, mixed, num
from tools import lint_slides, paper, sheets, source
from tools import slides_npm as npm
from tools.command_line import parser
from tools.exercises import start_no_backend
from tools.shows import ROOT

INTO = ROOT / "build" / "exam"
MINUTES = 90  # of an exam, usually
SETTINGS = "such as SEED=7 LECTURES=01,02,03"
SHOW_THE_WAY = "Tick one answer, and show how you found it."
GRADING = (
    "The key is computed without rounding and prints three or four decimals, of very small and "
    "very large results three significant digits. What rounding on the way explains is right, "
    "and a consequential error costs points once."
)


def numbers() -> list[str]:
    """Return the numbers of the lectures that have drawn questions, such as "03b"."""
    return [
        source.number(path) for path in source.lectures() if path.with_name("exam.py").is_file()
    ]


def declared(lecture: str) -> list[Callable]:
    """Return a lecture's questions, in the order of its `exam.py`."""
    module = importlib.import_module(f"lectures.lecture_{lecture}.exam")
    return [
        one
        for one in vars(module).values()
        if inspect.isfunction(one) and hasattr(one, "points")
    ]


def drawn(lecture: str, one: Callable, seed: int) -> Question:
    """Return a question as a seed draws it, whatever else is on the paper."""
    name = zlib.crc32(f"{lecture} {one.__name__}".encode())
    return one(np.random.default_rng([seed, name]))


def chosen(lectures: list[str], seed: int, minutes: int) -> list[tuple[str, Callable]]:
    """Choose questions by a seed, evenly from the lectures, as many as fit into the minutes.

    Raises:
        ValueError: where there is no time for one question of each lecture; says how much is
            needed.
    """
    draw = np.random.default_rng(seed)
    left = {one: mixed(draw, declared(one)) for one in lectures}
    cheapest = {lecture: min(one.points for one in left[lecture]) for lecture in lectures}
    room, least = minutes // paper.MINUTES, sum(cheapest.values())
    if room < least:
        raise ValueError(
            f"one question of each lecture takes {paper.MINUTES * least} minutes, and there "
            f"are {minutes}: name fewer lectures, or give more MINUTES"
        )
    found, complete = [], True
    while complete and any(left.values()):
        for lecture in mixed(draw, [one for one in lectures if left[one]]):
            kept = sum(cheapest.values())  # for lectures that have no question yet
            free = room - kept + cheapest.pop(lecture, 0)
            fits = next((one for one in left[lecture] if one.points <= free), None)
            if not fits:
                complete = False
                continue
            left[lecture].remove(fits)
            found.append((lecture, fits))
            room -= fits.points
    return [
        (lecture, one)
        for lecture in lectures
        for one in declared(lecture)
        if (lecture, one) in found
    ]


def variant(seed: int) -> str:
    """Return two letters that tell variants apart and do not tell the seed."""
    number = int.from_bytes(sha256(f"{seed}".encode()).digest())
    return "".join(ascii_uppercase[number // 26**place % 26] for place in range(2))


def shown(value: float | str) -> str:
    """Return a result as the key states it, in TeX or a word."""
    return value if isinstance(value, str) else num(value)


def printed(one: Question) -> sheets.Question:
    """Return a question with its choices in Markdown, as papers have it."""
    lines = [f"- {letter}) {one}" for letter, one in zip(LETTERS, one.choices, strict=False)]
    asked = "\n".join([one.asked, "", SHOW_THE_WAY, "", *lines]) if lines else one.asked
    return sheets.Question(asked, one.answer, one.points, one.right)


def results(one: Question) -> str:
    """Return what a right answer states, in a line of Markdown."""
    told = [value if isinstance(value, str) else f"${num(value)}$" for value in one.result]
    return "; ".join([f"**{one.right})**", *told] if one.right else told)


def pages(lectures: list[str], seed: int, minutes: int) -> dict[str, str]:
    """Return paper, key and list of points, as HTML by name."""
    questions = [
        (lecture, drawn(lecture, one, seed)) for lecture, one in chosen(lectures, seed, minutes)
    ]
    asked = [printed(one) for _, one in questions]
    called = {name.partition("_")[0]: title for name, title in source.titles().items()}
    rows = [
        f"| {number} | {lecture} | {one.points} | {results(one)} |"
        for number, (lecture, one) in enumerate(questions, start=1)
    ]
    total, code = sum(one.points for one in asked), variant(seed)
    points = ["| question | lecture | points | results |", "| --- | --- | --- | --- |", *rows]
    texts = {
        "paper": f"{paper.head(asked)}\n\n{paper.questions(asked, answers=False)}",
        "key": f"{GRADING}\n\n{paper.questions(asked, answers=True)}",
        "points": "\n".join([*points, f"| | | **{total}** | |"]),
    }
    about = f"Lectures: {'; '.join(called[lecture] for lecture in lectures)}."
    titles = {"paper": "Exam", "key": "Exam: key", "points": "Exam: points and results"}
    return {
        name: paper.page(
            f"{title}, variant {code}", f"# {title}, variant {code}\n\n{about}\n\n{texts[name]}"
        )
        for name, title in titles.items()
    }


def _whole(text):
    if not text:
        raise argparse.ArgumentTypeError(f"it is missing, {SETTINGS}")
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on, such as 7")
    return int(text)


def _lectures(text):
    known = numbers()
    parts = [part.strip().lower() for part in text.split(",")]
    asked = [re.sub(r"^\d(?!\d)", r"0\g<0>", source.number(Path(one))) for one in parts if one]
    if not asked:
        raise argparse.ArgumentTypeError(f"they are missing, {SETTINGS}")
    for one in asked:
        if one not in known:
            choices = ", ".join(known)
            raise argparse.ArgumentTypeError(
                f"there is no lecture {one!r} with drawn questions; name some of {choices}, "
                "with commas between"
            )
    return [one for one in known if one in asked]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    reading = parser("tools.exam", __doc__)
    reading.add_argument("--seed", type=_whole, required=True, help="which variant")
    reading.add_argument("--lectures", type=_lectures, required=True, help="such as 01,02,03b")
    reading.add_argument("--minutes", type=_whole, default=MINUTES, help="90 unless told")
    reading.add_argument("--into", type=Path, metavar="DIR")
    given = reading.parse_args(arguments)
    start_no_backend()
    into = given.into or INTO / f"{'-'.join(given.lectures)}-seed-{given.seed}"
    try:
        for name, html in pages(given.lectures, given.seed, given.minutes).items():
            with saving.whole(into / f"{name}.html") as beside:
                beside.write_text(html, encoding="utf-8")
        with ExitStack() as stack:
            try:
                running = stack.enter_context(lint_slides.browser())
            except lint_slides.NoBrowser as error:
                print(f"{error}: there are no PDFs")
            else:
                for html in sorted(into.glob("*.html")):
                    with saving.whole(html.with_suffix(".pdf")) as beside:
                        paper.print_pdf(running, html, beside)
    except (npm.MissingTools, ValueError, OSError) as error:
        sys.exit(f"exam: {error}")
    print(f"{into}: {', '.join(path.name for path in sorted(into.iterdir()))}")


if __name__ == "__main__":
    main()
