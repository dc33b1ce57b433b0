"""Make the decks: one offline HTML file a lecture, with speaker notes, into build/slides.

    python -m tools.slides                    every lecture
    python -m tools.slides NN_name            one of them

Nothing is executed: the text and the code come from lectures/, the exercises with the library's
answers, and the outputs from the built notebook in notebooks/.
"""

import re
import sys
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from string import Template

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from course_utils import exercises, saving
from tools import slides_cells as cells
from tools import slides_exercise
from tools import slides_npm as npm
from tools.command_line import parser
from tools.course import KEYS, course
from tools.exercises import start_no_backend
from tools.rules import named
from tools.shows import ROOT
from tools.source import add_lectures, assemble, lectures

INTO = ROOT / "build" / "slides"
LONGEST = 13  # lines of code that leave room for a sentence
MINUTES = re.compile(r"^\((\d+) minutes?\b", re.MULTILINE)
EXERCISE = re.compile(r"^#+ (Exercise (\S+) · .*)", re.MULTILINE)
SOLVED = ": a solution"  # what the title of its slide ends in


class SlidesFailed(ValueError):
    """A deck could not be made; the message says which and why."""


@dataclass
class Slide:
    """One slide: groups of cells, of which all but the first appear on a key, and the notes."""

    tags: list[str]
    groups: list[list[NotebookNode]]
    exercise: str | None = None  # such as "03.1": it poses the exercise, or shows its solution
    answers: bool = False
    notes: list[str] = field(default_factory=list)
    minutes: int = 0


def outputs(built: Path) -> dict[tuple[str, str], list]:
    """Return the outputs of a built notebook by the id and the source of each code cell."""
    if not built.is_file():
        raise SlidesFailed(f"there is no {built.name} yet: make notebook LECTURE={built.stem}")
    return {
        (cell.id, cell.source): cell.metadata.get("answer", cell.outputs)
        for cell in nbformat.read(built, as_version=4).cells
        if cell.cell_type == "code"
    }


def lecture_cells(source: Path, built: Path, solved: bool = True) -> NotebookNode:
    """Return the lecture with its notes, and the built notebook's outputs.

    Each exercise shows its contract; where it is solved, its solution follows.
    """
    known, notebook, kept = outputs(built), assemble(source, "instructor"), []
    asked = None
    for cell in notebook.cells:
        if "check" in cell.metadata.get("tags", []):
            continue
        if found := cell.cell_type == "markdown" and EXERCISE.search(cell.source):
            asked = found
        if "builds" in cell.metadata:
            if told := cell.metadata.get("formulas"):
                [shown] = [one.source for one in notebook.cells if one.id == told]
                kept.append(text(re.sub("^#.*\n", "", shown), f"{cell.id}-formulas"))
            kept += exercise(cell, asked, solved)
            continue
        if title := cell.metadata.get("heading"):
            kind = "slide" if kind_of(cell) == "slide" else "subslide"
            kept.append(text(f"### {title}", f"{cell.id}-heading", kind))
            cell.metadata["slideshow"] = {"slide_type": "-"}
        if cell.cell_type == "code":
            if (cell.id, cell.source) not in known:
                raise SlidesFailed(
                    f"{source.stem}: {built.name} is older than the lecture ({named(cell)} "
                    f"is missing or different): make notebook LECTURE={source.stem}"
                )
            cell.outputs = known[cell.id, cell.source]
        kept.append(cell)
    notebook.cells = kept
    return notebook


def kind_of(cell: NotebookNode) -> str:
    """Return a cell's slide type."""
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def text(source: str, identifier: str, kind: str = "-", tags=()) -> NotebookNode:
    """Return a cell that stands on slides alone."""
    metadata = {"slideshow": {"slide_type": kind}, "tags": [*tags]}
    return new_markdown_cell(source, id=identifier, metadata=metadata)


def exercise(cell: NotebookNode, asked: re.Match, solved: bool) -> list[NotebookNode]:
    """Return what slides show in place of an exercise's cell: contract, and solution."""
    name = cell.metadata["builds"]
    contract = new_raw_cell(slides_exercise.contract(name), id=f"{cell.id}-contract")
    below = "subslide" if kind_of(cell) == "subslide" else "-"
    contract.metadata = NotebookNode(slideshow={"slide_type": below}, tags=["contract"])
    if not solved:
        return [contract]
    parts = [contract]
    whole = slides_exercise.solution(name, cell.metadata.get("later", ""))
    for number, code in enumerate(halves(cells.narrow(whole))):
        title = text(f"## {asked[1]}{SOLVED}", f"{cell.id}-heading-{number}", "subslide")
        # The title comes first: whoever presses a key too often has not given the answer away.
        shown = NotebookNode(slide_type="-" if number else "fragment")
        metadata = {"builds": name, "slideshow": shown}
        part = new_code_cell(code, id=f"{cell.id}-{number}", metadata=metadata)
        parts += [title, part]
    why = exercises.find(asked[2]).reasoning if len(code.splitlines()) <= LONGEST else ""
    return [*parts, text(why, f"{cell.id}-why", tags=["why"])]


def halves(code: str) -> list[str]:
    """Divide code that is too long for a slide before the outermost line near its middle."""
    rows = code.splitlines()
    if len(rows) <= 1.4 * LONGEST:
        return [code]
    middle = len(rows) // 2
    near = [row for row in range(len(rows)) if rows[row] and abs(row - middle) < len(rows) / 5]
    depths = {row: len(rows[row]) - len(rows[row].lstrip()) for row in near}
    first = min(near, key=lambda row: (depths[row], abs(row - middle)))
    return ["\n".join(rows[:first]), "\n".join(rows[first:])]


def grouped(notebook: NotebookNode) -> list[list[Slide]]:
    """Group cells into columns of slides: a slide begins a column, subslides follow below.

    An exercise has slides of its own, and so has what follows its solution.
    """
    columns: list[list[Slide]] = []
    asked = None
    for cell in notebook.cells:
        kind = kind_of(cell)
        if kind == "skip":
            continue
        if kind == "notes" and columns:
            columns[-1][-1].notes.append(cell.source)
            continue
        tags = cell.metadata.get("tags", [])
        found = cell.cell_type == "markdown" and EXERCISE.search(cell.source)
        if found or kind == "slide":
            asked = found[2] if found else None
        if kind == "slide" or not columns:
            columns.append([])
        column = columns[-1]
        if kind in ("slide", "subslide") or not column or column[-1].exercise != asked:
            column.append(Slide(tags, [[]], asked, cell.source.endswith(SOLVED)))
        slide = column[-1]
        if kind == "fragment":
            slide.groups.append([])
        slide.groups[-1].append(cell)
        if {"contract", "why"} & set(tags):
            asked = None
    for column in columns:
        time(column)
        for slide, below in pairwise(column):
            parts = slide.exercise == below.exercise and not heading(below)
            if parts and not slide.notes:  # one slide in two parts
                slide.notes, below.tags = below.notes, [*below.tags, "same-notes"]
    return columns


def time(column: list[Slide]) -> None:
    """Give each slide its minutes; one with an exercise has notes in any case.

    The minutes of an exercise stand with those of its answer, on the next slide that has some;
    all but one of them belong to the question, before which students work. The notes say so.
    """
    told = {
        cell.source
        for slide in column
        for group in slide.groups
        for cell in group
        if "why" in cell.metadata.get("tags", [])
    }
    for slide in column:
        slide.minutes = sum(map(int, MINUTES.findall("\n".join(slide.notes))))
    for place, slide in enumerate(column):
        if not slide.exercise:
            continue
        asked = exercises.find(slide.exercise)
        answer = next((later for later in column[place + 1 :] if later.minutes), None)
        if not slide.minutes and not slide.answers and answer and answer.minutes > 1:
            whole = answer.minutes
            slide.minutes = min(asked.takes, whole - 1)
            answer.minutes -= slide.minutes
            some = f"{answer.minutes} minute{'s' * (answer.minutes != 1)} for this slide"
            some = f"({some}; {whole} with the exercise"
            answer.notes = [MINUTES.sub(some, "\n\n".join(answer.notes), count=1)]
        above = column[place - 1] if place else None
        if slide.notes:
            continue
        if above and above.exercise == slide.exercise and not heading(slide):
            slide.notes, slide.tags = above.notes, [*slide.tags, "same-notes"]
        elif not slide.answers:
            slide.notes.append(to_the_lecturer(asked, slide.minutes))
        elif asked.reasoning not in told:  # on the slides
            slide.notes.append(asked.reasoning)


def to_the_lecturer(asked: exercises.Exercise, minutes: int) -> str:
    """Return the notes of a slide that poses an exercise, from its declaration.

    minutes: what the slide has, or 0.
    """
    here = f", {minutes} of them on this slide" if 0 < minutes < asked.takes else ""
    meanings = list(dict.fromkeys(meaning for *_, meaning in asked.declared))[:3]
    hints, meanings = (
        "\n".join(f"- {one}" for one in said) for said in (asked.hints, meanings)
    )
    return (
        f"They have {asked.takes} minutes{here}; level {asked.level} of 5. If they are stuck:"
        f"\n\n{hints}\n\nMistakes to expect, as the check tells them:\n\n{meanings}"
    )


def heading(slide: Slide) -> str:
    """Return the Markdown of the heading that a slide begins with, "" where it has none."""
    first = next((cell for group in slide.groups for cell in group), None)
    found = re.match(r"#{1,3} +(.+)", first.source) if first else None
    return found[1].strip() if found and first.cell_type == "markdown" else ""


def section(slide: Slide, deck_name: str, above: str, formulas: cells.Formulas) -> str:
    """Render one slide; one without a heading repeats that of the slide above it."""
    about, parts, title = course(), [], "title" in slide.tags
    if title:
        logo = f'<img class="logo" alt="" src="{about.logo}">\n' if about.logo else ""
        parts.append(f'{logo}<p class="course-name">{escape(about.name)}</p>\n')
    if above and above != heading(slide):
        again = cells.markdown(f"## {above}", formulas)
        parts.append(again.replace("<h2>", '<h2 class="again">'))
    for number, group in enumerate(slide.groups):
        inner = "".join(cells.cell(cell, formulas) for cell in group)
        parts.append(f'<div class="fragment">\n{inner}</div>\n' if number else inner)
    if title:
        keys = [f"<kbd>{key}</kbd> {escape(about.words[does])}" for key, does in KEYS.items()]
        licence = cells.markdown(about.licence, formulas)
        below = f'{licence}<p class="keys">{" ".join(keys)}</p>'
        parts.append(f'<div class="licence">{below}</div>\n')
    notes = "".join(cells.markdown(note, formulas) for note in slide.notes)
    parts += [f'<aside class="notes">{notes}</aside>\n'] if notes else []
    parts.append(f'<div class="foot"><span>{deck_name}</span><span></span></div>\n')
    kinds = [*slide.tags]
    if slide.exercise:
        kinds += ["exercise", *(["solution"] if slide.answers else [])]
    marks = f'class="{" ".join(dict.fromkeys(kinds))}" data-timing="{60 * slide.minutes}"'
    marks += f' data-exercise="{slide.exercise}"' if slide.exercise else ""
    return f"<section {marks}>\n{''.join(parts)}</section>\n"


def deck(notebook: NotebookNode, lecture: str) -> tuple[str, list[str]]:
    """Return a deck as one HTML page that needs nothing else, and the errors in its TeX."""
    title = notebook.metadata.get("title", lecture)
    name, formulas = f"{escape(course().name)} · {escape(title)}", cells.Formulas()
    sections = ""
    for column in grouped(notebook):
        inner, above = [], ""
        for slide in column:
            above = heading(slide) or above
            inner.append(section(slide, name, above, formulas))
        sections += f"<section>\n{''.join(inner)}</section>\n" if inner[1:] else inner[0]
    slides, errors = formulas.filled(sections)
    styles = [npm.asset("reset.css"), npm.asset("reveal.css"), read("deck.css")]
    scripts = [npm.asset("reveal.js"), npm.asset("plugin/notes.js"), read("deck.js")]
    parts = [f'<div class="reveal">\n<div class="slides">\n{slides}</div>\n</div>']
    # A string in a script must not end it.
    scripts = [re.sub(r"</(script)", r"<\\/\1", one, flags=re.IGNORECASE) for one in scripts]
    parts += [f"<script>{script}</script>" for script in scripts]
    look = "dark" if course().dark else "light"
    page = whole_page(title, "\n".join(parts), slides, "\n".join(styles), look)
    return page, [f"{lecture}: {error}" for error in errors]


def whole_page(title: str, body: str, text: str, styles: str, look: str) -> str:
    """Return an HTML page that needs nothing else, with the fonts that `text` asks for."""
    return Template(read("page.html")).substitute(
        title=escape(title),
        course=escape(course().name),
        language=course().language,
        look=look,
        fonts=npm.font_faces(text),
        styles=f"{styles}\n:root {{ --accent: {course().accent}; }}",
        body=body,
    )


def command_line(module: str, about: str, into: Path, arguments: list[str] | None):
    """Read a command line that names lectures and a folder to write into."""
    reading = parser(f"tools.{module}", about)
    add_lectures(reading)
    reading.add_argument("--into", type=Path, default=into, metavar="DIR")
    return reading.parse_args(arguments)


def read(name: str) -> str:
    """Return a file of our own template."""
    return (npm.TEMPLATE / name).read_text(encoding="utf-8")


def make(source: Path, built: Path, into: Path, solved: bool = True) -> Path:
    """Write the deck of one lecture; return its path."""
    page, errors = deck(lecture_cells(source, built, solved), source.stem)
    if errors:
        raise SlidesFailed("\n".join(errors))
    path = into / f"{source.stem}.html"
    with saving.whole(path) as beside:
        beside.write_text(page, encoding="utf-8", newline="\n")
    return path


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    given = command_line("slides", __doc__, INTO, arguments)
    start_no_backend()
    try:
        for source in given.lectures or lectures():
            path = make(source, ROOT / "notebooks" / f"{source.stem}.ipynb", given.into)
            print(f"{path}  {path.stat().st_size / 1e6:.1f} MB", flush=True)
    except (npm.MissingTools, ValueError, OSError) as error:
        sys.exit(f"slides: {error}")
    print("Open one in a browser. Keys: S speaker view, O overview, F full screen, E with or")
    print("without the exercises (90 or some 45 minutes), ? help.")
    print("For a PDF add ?print-pdf to the address and print.")


if __name__ == "__main__":
    main()
