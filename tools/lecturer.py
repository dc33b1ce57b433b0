"""Make the folder that a lecturer takes to class: all of it opens without a network.

    python -m tools.lecturer                    every lecture, into build/lecturer
    python -m tools.lecturer NN_name            one of them

A lecture's folder holds the deck, its handout for students (a PDF without the exercises'
solutions), the slides with solutions and speaker notes as PDF, the notebook with solutions, the
exercise sheet with points, its solutions, the summary, the self-test and an exam paper of ten
questions, both with and without answers; the self-test is taken on its page. `bank/` has the
questions for Moodle, Canvas and Anki. `index.html` leads to all of them and tells the minutes
of each section; `syllabus.html` plans a semester, and `project.html` is the project, with its
starting notebook and an example report. Nothing is executed.
"""

import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from pypdf import PdfReader

from course_utils import exercises, figures
from tools import bank, glossary, lint_slides, paper, self_test, sheets, slides
from tools import slides_npm as npm
from tools.course import course
from tools.exercises import start_no_backend
from tools.shows import ROOT
from tools.source import DRAWN, PROJECT, assemble, lectures, number, titles

INTO = ROOT / "build" / "lecturer"
FILES = {  # of a lecture, in the order in which the index names them
    "deck.html": "deck",
    "handout.pdf": "handout",
    "slides-with-solutions-and-notes.pdf": "slides with solutions and notes",
    "solved.ipynb": "solved notebook",
    "exercises.html": "exercise sheet",
    "exercises.pdf": "PDF",
    "solutions.html": "solutions",
    "summary.html": "summary",
    "summary.pdf": "PDF",
    "self-test.html": "self-test",
    "self-test-answers.html": "self-test with answers",
    "exam.html": "exam",
    "exam.pdf": "PDF",
    "exam-answers.html": "exam with answers",
}
ABOUT = (
    "All of this opens without a network. In a deck: **S** speaker view with notes and clock, "
    "**E** leaves the exercises out (the short path), **?** all keys. The exercises carry a "
    "point a minute. `make exam SEED=… LECTURES=01,02,03` (`python -m tools.exam --seed … "
    "--lectures 01,02,03`) draws an exam paper of 90 minutes, its key and a list of points; "
    "another seed draws other questions and numbers. `make grade` marks exercises."
)
BANK = (
    "Question bank: [Moodle XML](bank/moodle.xml) · [CSV](bank/questions.csv) · "
    "[Anki deck](bank/anki.apkg) of glossary and summaries, for students · Canvas: a zip for "
    "each self-test and each exam in [bank/canvas](bank/canvas/)"
)
SLIDES = ("handout.pdf", "slides-with-solutions-and-notes.pdf")


def solved(source: Path, built: Path) -> NotebookNode:
    """Return the notebook with solutions and speaker notes, its outputs those of `built`."""
    known, notebook = slides.outputs(built), assemble(source, "instructor")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = known.get((cell.id, cell.source), [])
    return notebook


def exercise_sheet(source: Path, answers: bool) -> str:
    """Return a lecture's exercises in Markdown, a point a minute; with solutions or not."""
    parts, asked, points = [], None, 0
    for cell in assemble(source, "instructor" if answers else "student").cells:
        found = slides.EXERCISE.search(cell.source) if cell.cell_type == "markdown" else None
        if found:
            asked = exercises.find(found[2])
            points += asked.takes
            first, _, rest = cell.source[found.start() :].partition("\n")
            rest = glossary.LINK.sub(r"\1", rest)  # on paper
            parts.append([f"## {first.lstrip('# ')} {paper.worth(asked.takes)}\n{rest}"])
        elif asked and f'("{asked.identifier}"' in cell.source:
            if answers:
                parts[-1].append(f"**Why.** {asked.reasoning}")
            asked = None
        elif asked and (drawing := DRAWN.fullmatch(cell.source.strip())):
            parts[-1].append(figures.bundle(drawing[1])["text/html"])
        elif asked and cell.cell_type == "code":
            parts[-1].append(f"```python\n{cell.source}\n```")
        elif asked and cell.metadata.get("slideshow", {}).get("slide_type") != "notes":
            parts[-1].append(cell.source)
    total = f"**Total:** {points} points in {len(parts)} exercises."
    return "\n\n".join([total, *(paper.whole(*part) for part in parts)])


def pages(source: Path) -> dict[str, str]:
    """Return the pages of a lecture, by name."""
    sheet = sheets.read(source)
    texts = {
        "exercises.html": exercise_sheet(source, answers=False),
        "solutions.html": exercise_sheet(source, answers=True),
        "summary.html": sheet.summary,
    }
    for name, asked, answers in (
        ("self-test-answers.html", sheet.self_test, True),
        ("exam.html", sheet.exam, False),
        ("exam-answers.html", sheet.exam, True),
    ):
        texts[name] = paper.questions(asked, answers)
    texts["exam.html"] = f"{paper.head(sheet.exam)}\n\n{texts['exam.html']}"
    titles = {name: f"{number(source)} · {sheet.title}: {FILES[name]}" for name in texts}
    made = {
        name: paper.page(titles[name], f"# {titles[name]}\n\n{texts[name]}") for name in texts
    }
    return made | {"self-test.html": self_test.page(source)}


def check_pages(folder: Path, columns: list[list[slides.Slide]]) -> None:
    """Raise SlidesFailed unless a handout's slides have a page each, and the summary one."""
    handed_out = sum(not slide.answers for column in columns for slide in column)
    for name, pages in {SLIDES[0]: handed_out, "summary.pdf": 1}.items():
        found = len(PdfReader(folder / name).pages)
        if found != pages:
            raise slides.SlidesFailed(
                f"{folder / name} has {found} pages, not {pages}: shorten what runs over"
            )


def write_lecture(source: Path, into: Path, running) -> list[tuple[str, int, bool]]:
    """Write the folder of one lecture, with PDFs where a browser is running.

    Returns:
        Its `sections`.
    """
    into.mkdir(parents=True, exist_ok=True)
    built = ROOT / "notebooks" / f"{source.stem}.ipynb"
    columns = slides.grouped(slides.lecture_cells(source, built))
    deck = slides.make(source, built, into).replace(into / "deck.html")
    nbformat.write(solved(source, built), into / "solved.ipynb")
    for name, html in pages(source).items():
        (into / name).write_text(html, encoding="utf-8")
    if running:
        handout, lecturers = SLIDES
        with tempfile.TemporaryDirectory() as folder:
            unsolved = slides.make(source, built, Path(folder), solved=False)
            paper.print_pdf(running, unsolved, into / handout, "?print-pdf")
        paper.print_pdf(running, deck, into / lecturers, "?print-pdf&showNotes=true")
        for name in FILES:
            if name.endswith(".pdf") and name not in SLIDES:
                paper.print_pdf(running, (into / name).with_suffix(".html"), into / name)
        check_pages(into, columns)
    return sections(columns)


def sections(columns: list[list[slides.Slide]]) -> list[tuple[str, int, bool]]:
    """Return the sections of a lecture: heading, minutes, and whether it is an exercise.

    An exercise within a column is a section of its own.
    """
    found = {}
    for place, column in enumerate(columns):
        for slide in column:
            key = place, slide.exercise
            if key not in found:
                name = slides.heading(slide) or slides.heading(column[0])
                found[key] = [name, 0, slide.exercise is not None]
            found[key][1] += slide.minutes
    return [tuple(one) for one in found.values()]


def write_course(into: Path, running) -> None:
    """Write what belongs to no lecture: the syllabus, the project, its notebook and report."""
    shutil.copy(ROOT / "notebooks" / f"{PROJECT.stem}.ipynb", into)
    paper.write_pages(paper.PAGES, into)
    if running:
        paper.print_pdf(running, into / "report.html", into / "report.pdf")


def index(plans: dict[str, list], into: Path) -> str:
    """Return the page that leads to everything, in Markdown."""
    with_report = (into / "report.pdf").exists()
    lines = [
        f"# {course().name}",
        "",
        ABOUT,
        "",
        "[Syllabus for one semester](syllabus.html)",
        "",
        f"[The project](project.html), [its starting notebook]({PROJECT.stem}.ipynb), "
        "[an example report](report.html)" + " ([PDF](report.pdf))" * with_report,
        "",
        BANK,
        "",
    ]
    called = titles()
    for lecture, sections in plans.items():
        whole = sum(minutes for _, minutes, _ in sections)
        short = sum(minutes for _, minutes, exercise in sections if not exercise)
        links = [
            f"[{what}]({lecture}/{name})"
            for name, what in FILES.items()
            if (into / lecture / name).exists()
        ]
        lines += [f"## {called[lecture]}", "", " · ".join(links), ""]
        lines += [f"{whole} minutes; {short} without the exercises.", ""]
        lines += ["| section | minutes |", "| --- | --- |"]
        lines += [f"| {heading} | {minutes} |" for heading, minutes, _ in sections if minutes]
        lines.append("")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    given = slides.command_line("lecturer", __doc__, INTO, arguments)
    start_no_backend()
    try:
        with ExitStack() as stack:
            running, plans = None, {}
            try:
                running = stack.enter_context(lint_slides.browser())
            except lint_slides.NoBrowser as error:
                print(f"{error}: the folder gets no PDFs", flush=True)
            for source in given.lectures or lectures():
                began = time.monotonic()
                plans[source.stem] = write_lecture(source, given.into / source.stem, running)
                print(f"{source.stem:24} {time.monotonic() - began:5.0f} s", flush=True)
            write_course(given.into, running)
        bank.write(given.lectures or lectures(), given.into / "bank")
        html = paper.page("Index", index(plans, given.into))
        (given.into / "index.html").write_text(html, encoding="utf-8")
    except (npm.MissingTools, ValueError, OSError) as error:
        sys.exit(f"lecturer: {error}")
    print(f"Open {given.into / 'index.html'}; the folder can be copied as it is.")


if __name__ == "__main__":
    main()
