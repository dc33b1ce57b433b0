"""The linter finds every planted fault and no other; the course's own decks have none."""

from itertools import chain

import pytest
from pypdf import PdfReader

from course_utils import figures
from tests import slides_sample as sample
from tools import lint_slides, paper, slides
from tools.source import lectures

pytestmark = pytest.mark.slow

WIDE = " + ".join(f"x_{{{number}}}" for number in range(60))
OUT = '<p style="margin-left:-60px">out of the frame</p>'
TINY = '<span style="font-size:9px">so small</span>'


def printing(output):
    """A slide with a cell that gives this output."""
    return sample.code("1", [output], kind="slide")


SMALL = '<div class="source"><pre style="font-size:18px !important">x = 1</pre></div>'

PLOT = sample.picture(sample.PIXEL, "A plot")


def said():
    """What a plot shows."""
    return sample.markdown("It rises.", kind="-")


def question(title, minutes="4 minutes"):
    """A slide that poses exercise 02.3, and what it says below."""
    return sample.markdown(f"{title}### Exercise 02.3 · A network\n\n{minutes}")


FAULTS = {
    "it stands under an exercise's title": [sample.markdown("More.", kind="subslide")],
    "too full": [sample.markdown("## Fault\n\n" + "- a line\n" * 25)],
    "code or output is too wide": [sample.code(f"text = '{'a' * 130}'", kind="slide")],
    "a formula is too wide": [sample.markdown(f"## Fault\n\n$${WIDE}$$")],
    "a table is too wide": [sample.markdown(f"## Fault\n\n|a|\n|-|\n|{'w' * 130}|")],
    "text of 9.0 px": [sample.markdown(f"## Fault\n\n{TINY} and not so small")],
    "code or output of 18px": [sample.markdown(f"## Fault\n\n{SMALL}")],
    "an output in columns is too wide": [printing(sample.printed(("number" + " " * 4) * 20))],
    "TeX error": [sample.markdown("## Fault\n\nThe root $\\sqrt{2$ of two")],
    "TeX that nobody set": [sample.markdown("## Fault\n\nA lost \\frac12 of it")],
    "a table that nobody set": [sample.markdown("## Fault\n\n|a|b|\n|-|-|\n|c|a long\ncell|")],
    "broken picture": [printing(sample.picture("bm90aGluZw==", "Nothing")), said()],
    "a picture has no alt text": [printing(sample.picture(sample.PIXEL, "")), said()],
    "labels of 12.4 px in a plot": [
        printing(sample.picture(sample.PIXEL, "A plot", 1600, 300)),
        said(),
    ],
    "px in a drawing: tiny": [printing(sample.drawing("tiny", 8, 200))],
    "a label does not fit into its box: long": [printing(sample.drawing("long", 20, 40))],
    "a plot without its conclusion": [printing(PLOT)],
    "the conclusion is shown before its plot": [
        sample.code("1", [PLOT], kind="slide", tags=["answers-prediction"]),
        said(),
    ],
    "the exercise's slide has no contract": [question("")],
    "the slide is empty but for its heading": [sample.markdown("## Fault")],
    "something sticks out": [sample.markdown(f"## Fault\n\n{OUT}")],
}
SOUND = [
    printing(PLOT),
    said(),
    sample.code("1", [PLOT], kind="slide", tags=["answers-prediction"]),
    sample.markdown("It rises. Why?", kind="fragment"),
    printing(sample.drawing("long", 20, 90)),
    question(""),
    sample.contract(),
]
OUTSIDE = sample.markdown('## Fault\n\n<img alt="far" src="https://example.org/far.png">')


@pytest.fixture(scope="module")
def browser(npm, browser):
    """Decks and papers need npm's packages as well."""
    return browser


def write(folder, notebook):
    """Write a deck of given cells through the real template."""
    path = folder / "sample.html"
    path.write_text(slides.deck(notebook, "sample")[0], encoding="utf-8")
    return path


def test_every_planted_fault_is_found_and_no_other(browser, tmp_path):
    deck = write(tmp_path, sample.lecture(*chain(*FAULTS.values())))
    problems, notes = lint_slides.lint(browser, deck)
    assert len(notes) == 7 + len(FAULTS)
    found = {problem.slide: problem.text for problem in problems}
    for number, fault in enumerate(FAULTS, start=8):
        assert fault in found.get(number, ""), (fault, found)
    assert len(problems) == len(FAULTS), [str(problem) for problem in problems]


def test_what_looks_like_a_fault_and_is_none_passes(browser, tmp_path):
    problems, notes = lint_slides.lint(browser, write(tmp_path, sample.lecture(*SOUND)))
    assert problems == [], "\n".join(map(str, problems))
    assert [number for number, one in enumerate(notes, 1) if one] == [1, 6, 7, 11]


def test_an_exercise_under_another_title_is_found(browser, tmp_path):
    cells = [question("## Another title\n\n"), sample.contract()]
    problems, _ = lint_slides.lint(browser, write(tmp_path, sample.lecture(*cells)))
    texts = [problem.text for problem in problems]
    assert any("stands under" in text for text in texts), texts


def test_requests_to_outside_and_missing_notes_are_found(browser, tmp_path):
    notebook = sample.lecture(OUTSIDE)
    notebook.cells = [notebook.cells[0], notebook.cells[-1]]
    problems, _ = lint_slides.lint(browser, write(tmp_path, notebook))
    texts = [problem.text for problem in problems]
    assert "it asks for https://example.org/far.png" in texts
    assert "it has no speaker notes" in texts


def test_the_speaker_view_shows_the_notes(browser, tmp_path):
    page, outside, errors = lint_slides.opened(browser, write(tmp_path, sample.lecture()))
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text("Say hello").wait_for(timeout=20_000)
    assert notes.locator("mjx-container svg").count() == 1
    assert (outside, errors) == ([], [])
    page.context.close()


def test_every_slide_can_be_read_by_a_machine(browser, tmp_path, axe):
    page, _, _ = lint_slides.opened(browser, write(tmp_path, sample.lecture()))
    for _ in range(page.evaluate("Reveal.getTotalSlides()")):
        assert axe(page) == []
        page.evaluate("Reveal.next()")
    page.context.close()


def test_a_key_leaves_the_exercises_out_and_brings_them_back(browser, tmp_path):
    page, _, _ = lint_slides.opened(browser, write(tmp_path, sample.lecture()))
    for part, count in (("?short", 5), ("html#", 7)):
        page.keyboard.press("e")
        page.wait_for_url(lambda address, part=part: part in f"{address}#")
        page.wait_for_selector("html[data-deck-ready='1']")
        assert page.evaluate("Reveal.getTotalSlides()") == count
        numbers = page.locator(".foot span:last-child").all_text_contents()
        assert numbers == [f"{number} / {count}" for number in range(1, count + 1)]
    page.context.close()


def test_a_deck_prints_one_page_a_slide(browser, tmp_path):
    deck = write(tmp_path, sample.lecture())
    page, outside, errors = lint_slides.opened(browser, deck, "?print-pdf")
    page.locator(".pdf-page").first.wait_for()
    assert page.locator(".pdf-page").count() == 7
    idea = page.get_by_text("The idea").first.bounding_box()
    assert (idea["x"], idea["width"]) == (48, 1184)
    assert page.locator(".slides [aria-hidden=true]:is(section)").count() == 0
    assert (outside, errors) == ([], [])
    page.context.close()


def test_the_lecturers_pdf_has_the_notes_below_their_slide(browser, tmp_path):
    more = sample.lecture(sample.markdown("A long story. " * 500, kind="notes"))
    deck = write(tmp_path, more)
    page, _, _ = lint_slides.opened(browser, deck, "?print-pdf&showNotes=true")
    boxes = [one.bounding_box() for one in page.locator(".pdf-page").all()]
    notes = [one.bounding_box() for one in page.locator(".speaker-notes-pdf").all()]
    for box, note in ((boxes[0], notes[0]), (boxes[-1], notes[-1])):
        assert note["y"] == box["y"] + 720
    page.context.close()
    paper.print_pdf(browser, deck, tmp_path / "notes.pdf", "?print-pdf&showNotes=true")
    texts = [one.extract_text() for one in PdfReader(tmp_path / "notes.pdf").pages]
    assert len(texts) == 8  # one each of seven slides, and what the last one's notes need
    assert " ".join(texts).count("story.") == 500


def test_a_note_of_two_slides_is_printed_once(browser, tmp_path):
    notes = sample.markdown("Said once.", kind="notes")
    parts = [sample.markdown("## Two"), sample.markdown("Second.", kind="subslide"), notes]
    deck = write(tmp_path, sample.lecture(*parts))
    page, _, _ = lint_slides.opened(browser, deck, "?print-pdf&showNotes=true")
    said = page.locator(".speaker-notes-pdf").get_by_text("Said once.")
    assert [one.is_visible() for one in said.all()] == [True, False]
    page.context.close()


COLLIDING = """() => {
  const svg = document.querySelector("svg"), frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim());
  const boxes = texts.map((one) => [one.textContent.trim(), one.getBoundingClientRect()]);
  const found = boxes.filter(([_, box]) => box.left < frame.left - 1 || box.top < frame.top - 1
    || box.right > frame.right + 1 || box.bottom > frame.bottom + 1).map(([text]) => text);
  boxes.forEach(([one, a], place) => boxes.slice(place + 1).forEach(([other, b]) => {
    const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    const covers = width > 2 && height > 0.45 * Math.min(a.height, b.height);
    if (covers) found.push(`${one}|${other}`);
  }));
  return found;
}"""


def test_no_text_of_a_drawing_leaves_it_or_covers_another(browser):
    page, found = browser.new_page(), {}
    for path in figures.files().values():
        # DejaVu is among the widest of the fonts that "sans-serif" may stand for.
        svg = path.read_text(encoding="utf-8").replace("sans-serif", "DejaVu Sans, sans-serif")
        page.set_content(svg)
        found |= {path.stem: texts} if (texts := page.evaluate(COLLIDING)) else {}
    page.close()
    assert found == {}


@pytest.mark.parametrize("source", lectures(), ids=lambda path: path.stem)
def test_the_decks_of_the_course_are_sound(browser, source, tmp_path):
    built = slides.ROOT / "notebooks" / f"{source.stem}.ipynb"
    problems, notes = lint_slides.lint(browser, slides.make(source, built, tmp_path))
    assert problems == [], "\n".join(map(str, problems))
    columns = slides.grouped(slides.lecture_cells(source, built))
    shown = [slide for column in columns for slide in column]
    noted = zip(shown, notes, strict=True)  # a solution may say it all on its slide
    assert [
        slides.heading(slide) for slide, one in noted if not one and not slide.answers
    ] == []
    minutes = sum(slide.minutes for slide in shown)
    assert (60 if "_lab_" in source.stem else 80) <= minutes <= 100
