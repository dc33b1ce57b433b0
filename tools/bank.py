"""Write the question bank: questions and glossary, for other programs to import.

    python -m tools.bank                    every lecture, into build/bank
    python -m tools.bank NN_name            one of them

- `moodle.xml`: self-tests as multiple choice with feedback, exams as essays whose answer only
  graders see; a category for each lecture.
- `canvas/`: a zip (QTI) for each self-test and each exam. Canvas has no place for what only
  graders see: exams come without answers.
- `questions.csv`: all of it in Markdown, one question per row, one paragraph per line.
- `anki.apkg`: the glossary and the summaries as cards. A later import updates the cards and
  keeps what a student has learned.
"""

import csv
import re
import sys
import textwrap
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import genanki
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from course_utils import saving
from tools import glossary, sheets, slides, slides_cells
from tools.course import course
from tools.shows import ROOT
from tools.source import lectures, number

INTO = ROOT / "build" / "bank"
COLUMNS = ["id", "lecture", "part", "points", "question", *"abcd", "right", "answer"]
LEAD = re.compile(r"\*\*(.+?)[.:?]?\*\*", re.DOTALL)
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
# A line's end within a sentence: none before an item, a row, a heading or a formula by itself.
WRAPPED = re.compile(r"(?<=\S)\n *(?=[^\s])(?![-*+] |\d+[.)] |[|>#]|\$\$|```)")
# Anki knows note types and decks by their numbers: these must never change.
CARD = genanki.Model(
    1_734_105_411,
    "Course card",
    fields=[{"name": "Front"}, {"name": "Back"}],
    templates=[
        {
            "name": "Card",
            "qfmt": "{{Front}}",
            "afmt": "{{FrontSide}}<hr id=answer>{{Back}}",
        }
    ],
    css=".card { font: 20px/1.5 sans-serif; max-width: 40em; margin: auto; } "
    "td, th { padding: 0.2em 0.6em; text-align: left; }",
)
DECKS = {"Glossary": 1_734_105_412, "Summaries": 1_734_105_413}


class _Delimited:
    """Formulas as Moodle and Anki expect them in HTML."""

    def place(self, tex: str, display: bool) -> str:
        return rf"\[{escape(tex)}\]" if display else rf"\({escape(tex)}\)"


def html(text: str) -> str:
    """Return Markdown as HTML without colours of code, its formulas between \\( and \\)."""
    made = slides_cells.markdown(text, _Delimited()).strip()
    return re.sub(r"</?span[^>]*>", "", made)


def parts(sheet: sheets.Sheet) -> dict[str, list[sheets.Question]]:
    """Return the questions of a sheet by what each part is called in the bank."""
    return {"self-test": sheet.self_test, "exam": sheet.exam}


def moodle(chosen: list[Path]) -> bytes:
    """Return the questions of lectures as Moodle XML."""
    quiz = ElementTree.Element("quiz")
    for source in chosen:
        sheet = sheets.read(source)
        for part, asked in parts(sheet).items():
            names = (course().name, f"{number(source)} {sheet.title}", part.capitalize())
            path = "/".join(["$course$/top", *(one.replace("/", "//") for one in names)])
            category = ElementTree.SubElement(quiz, "question", type="category")
            _text(category, "category", path)
            for place, one in enumerate(asked, start=1):
                _moodle_question(quiz, one, f"{number(source)} {part} {place:02}")
    ElementTree.indent(quiz)
    return ElementTree.tostring(quiz, encoding="utf-8", xml_declaration=True)


def _moodle_question(quiz, one, name):
    question = ElementTree.SubElement(quiz, "question", type="essay")
    _text(question, "name", name)
    _text(question, "questiontext", html(one.stem), format="html")
    for tag, text in (
        ("defaultgrade", str(one.points or 1)),
        ("idnumber", name.replace(" ", "-")),
    ):
        ElementTree.SubElement(question, tag).text = text
    if not one.choices:
        ElementTree.SubElement(question, "responseformat").text = "editor"
        _text(question, "graderinfo", html(one.answer), format="html")
        return
    question.set("type", "multichoice")
    _text(question, "generalfeedback", html(one.answer), format="html")
    # Reasons name choices by their letters, which have to stay.
    for tag, text in (
        ("single", "true"),
        ("shuffleanswers", "false"),
        ("answernumbering", "abc"),
    ):
        ElementTree.SubElement(question, tag).text = text
    for letter, choice in one.choices.items():
        answer = _text(question, "answer", html(choice), format="html")
        answer.set("fraction", "100" if letter == one.right else "0")


def _text(parent, tag, text, **attributes):
    found = ElementTree.SubElement(parent, tag, attributes)
    ElementTree.SubElement(found, "text").text = text
    return found


def canvas(title: str, asked: list[sheets.Question]) -> QTI:
    """Return a self-test or an exam as a quiz for Canvas."""
    lines = [f"Quiz title: {title}"]
    for place, one in enumerate(asked, start=1):
        points = f"Points: {one.points or 1}"
        lines += ["", f"Title: Question {place}", points, _item(f"{place}.", one.stem)]
        if not one.choices:
            lines.append("____")
            continue
        lines.append(_item("...", one.answer))
        lines += [
            _item(f"{'*' * (letter == one.right)}{letter})", choice)
            for letter, choice in one.choices.items()
        ]
    return QTI(Quiz("\n".join(lines), config=Config(), source_name=title))


def _item(mark, text):
    """An item of text2qti's format, all of whose lines stand below the first."""
    indent = " " * (len(mark) + 1)
    return textwrap.indent(text, indent).replace(indent, f"{mark} ", 1)


def unwrapped(text: str) -> str:
    """Return Markdown with each paragraph in one line; code, lists and tables keep theirs."""
    parts = FENCED.split(text)
    return "".join(
        [WRAPPED.sub(" ", part) if k % 2 == 0 else part for k, part in enumerate(parts)]
    )


def rows(chosen: list[Path]) -> list[dict[str, str]]:
    """Return the questions of lectures as rows of a table, in Markdown."""
    found = []
    for source in chosen:
        sheet = sheets.read(source)
        for part, asked in parts(sheet).items():
            for place, one in enumerate(asked, start=1):
                row = {
                    "id": f"{number(source)}-{part}-{place:02}",
                    "lecture": f"{number(source)} {sheet.title}",
                    "part": part,
                    "points": one.points or 1,
                    "question": unwrapped(one.stem),
                    "right": one.right,
                    "answer": unwrapped(one.answer),
                }
                found.append(row | one.choices)
    return found


def anki(chosen: list[Path]) -> genanki.Package:
    """Return the cards of lectures: their terms in the glossary, and their summaries."""
    decks = {
        name: genanki.Deck(identifier, f"{course().name}::{name}")
        for name, identifier in DECKS.items()
    }

    def add(deck, key, front, back, lecture):
        # Anki finds a card again by its guid.
        guid, tags = genanki.guid_for(deck, *key), [f"lecture-{lecture}"]
        decks[deck].add_note(genanki.Note(CARD, [front, back], guid=guid, tags=tags))

    numbers = {number(source) for source in chosen}
    for row in glossary.csv_rows("glossary"):
        if row["lecture"] in numbers:
            persian = f'<p dir="rtl" lang="fa">{escape(row["persian"])}</p>'
            back = f"{persian}{html(row['meaning'])}"
            add("Glossary", [row["term"]], escape(row["term"]), back, row["lecture"])
    for source in chosen:
        sheet = sheets.read(source)
        above = f"<p>{number(source)} · {escape(sheet.title)}</p>"
        for lead, text in summary_parts(sheet.summary):
            key = [number(source), lead]
            add("Summaries", key, above + html(lead or "In short"), html(text), number(source))
    return genanki.Package([*decks.values()])


def summary_parts(summary: str) -> list[tuple[str, str]]:
    """Return a summary in parts: the lead-in with which each begins ("" without), its text."""
    found = []
    for block in re.split(r"\n\n+", summary):
        lead = LEAD.match(block)
        if lead or not found:
            found.append((" ".join(lead[1].split()) if lead else "", block))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n\n{block}")
    return found


def write(chosen: list[Path], into: Path) -> None:
    """Write the bank of lectures into a folder."""
    with saving.whole(into / "moodle.xml") as beside:
        beside.write_bytes(moodle(chosen))
    with (
        saving.whole(into / "questions.csv") as beside,
        # With the mark by which spreadsheets know UTF-8.
        beside.open("w", encoding="utf-8-sig", newline="") as file,
    ):
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows(chosen))
    with saving.whole(into / "anki.apkg") as beside:
        anki(chosen).write_to_file(beside)
    for source in chosen:
        sheet = sheets.read(source)
        for part, asked in parts(sheet).items():
            quiz = canvas(f"{number(source)} {sheet.title}: {part}", asked)
            with saving.whole(into / "canvas" / f"{source.stem}-{part}.zip") as beside:
                quiz.save(beside)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    given = slides.command_line("bank", __doc__, INTO, arguments)
    try:
        write(given.lectures or lectures(), given.into)
    except (ValueError, OSError) as error:
        sys.exit(f"bank: {error}")
    print(f"The question bank is in {given.into}: Moodle, Canvas, CSV and Anki.")


if __name__ == "__main__":
    main()
