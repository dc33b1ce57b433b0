"""Every lecture's sheet, what is refused in one, and the folder that a lecturer takes along."""

import re
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from pypdf import PdfReader, PdfWriter

from tools import exercises, lecturer, lint_slides, paper, sheets, slides
from tools.source import assemble, heading, lectures

pytestmark = pytest.mark.slow

TEST = "{k}. Why?\n    - a) this\n    - b) that\n    - c) neither\n\n    **b)** Because.\n"
EXAM = "{k}. (5 points) Compute\n   it.\n\n    **Answer.** Seven (5).\n"


def written(folder, test=TEST, exam=EXAM, summary="# One\n\n## Summary\n\nShort.\n"):
    parts = [summary, "\n## Self-test\n\n", *(test.format(k=k) for k in range(1, 11))]
    parts += ["\n## Exam\n\n", *(exam.format(k=k) for k in range(1, 11))]
    (folder / "sheet.md").write_text("".join(parts), encoding="utf-8")


def test_a_sheet_is_read(tmp_path):
    written(tmp_path)
    sheet = sheets.read(tmp_path / "01_one.py")
    assert (sheet.title, sheet.summary) == ("One", "Short.")
    assert sheet.self_test[9].right == "b" and sheet.self_test[0].answer == "**b)** Because."
    assert sheet.exam[2].asked == "Compute\nit." and sheet.exam[2].answer == "Seven (5)."


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"summary": "# One\n\n"}, "its parts are"),
        ({"test": TEST.replace("**b)**", "b")}, "self-test 1: it needs choices"),
        ({"test": TEST.replace("**b)**", "**d)**")}, "self-test 1: it needs choices"),
        ({"test": TEST.replace("{k}", "1")}, "not 1 to 10"),
        ({"exam": EXAM.replace("**Answer.**", "Seven")}, "exam 1: it needs"),
        ({"exam": EXAM.replace("5 points", "6 points")}, "60 points"),
    ],
)
def test_what_is_wrong_in_a_sheet_is_told(tmp_path, fault, said):
    written(tmp_path, **fault)
    with pytest.raises(ValueError, match=re.escape(said)):
        sheets.read(tmp_path / "01_one.py")


@pytest.mark.parametrize("source", lectures(), ids=lambda path: path.stem)
def test_every_lecture_has_a_sheet_whose_right_answers_show_no_pattern(source):
    sheet = sheets.read(source)
    assert sheet.title == heading(assemble(source))
    letters = [question.right for question in sheet.self_test]
    assert max(map(letters.count, "abcd")) <= 4


def test_the_syllabus_names_every_self_test_and_the_commands_that_draw_and_mark():
    text = paper.PAGES["syllabus"].read_text(encoding="utf-8")
    plan = text.partition("\n| week |")[2].partition("\n\n")[0]
    assert re.findall(r"self-test (\d)", plan) == [*"12345678"]
    assert "`make exam SEED=" in text and "`make grade SUBMISSIONS=" in text


def test_a_summary_of_two_pages_is_refused(tmp_path):
    writer = PdfWriter()
    for _ in range(2):
        writer.add_blank_page(100, 100)
    for name in ("handout.pdf", "summary.pdf"):
        writer.write(tmp_path / name)
    with pytest.raises(slides.SlidesFailed, match=r"summary\.pdf has 2 pages, not 1"):
        lecturer.check_pages(tmp_path, [[slides.Slide([], [[]])] * 2])


def test_minutes_are_counted_by_slide_and_an_exercise_is_a_section():
    def slide(said, minutes, exercise=None):
        text = slides.text(said, "a")
        return slides.Slide([], [[text]], exercise, minutes=minutes)

    column = [slide("## Idea", 3), slide("## Exercise", 5, "01.1"), slide("Yes.", 1, "01.1")]
    found = lecturer.sections([[*column, slide("After", 2)], [slide("## More", 4)]])
    assert found == [("Idea", 5, False), ("Exercise", 6, True), ("More", 4, False)]


def test_pages_of_a_lecture_have_its_number_and_the_exercises_their_sum(npm):
    made = lecturer.pages(lectures()[1])
    for name, html in made.items():
        assert re.search(r"<h1[^>]*>02 · The simple recurrent network: ", html), name
    due = [takes for _, takes in exercises.declared(lectures()[1].stem).values()]
    told = f"<strong>Total:</strong> {sum(due)} points in {len(due)} exercises."
    assert told in made["exercises.html"]


def lines(source):
    """Return the lines of code, without what a handout may show: comments and indents."""
    rows = (" ".join(row.split()) for row in source.splitlines())
    return [row for row in rows if row and not row.startswith("#")]


@pytest.mark.parametrize("source", lectures(), ids=lambda path: path.stem)
def test_a_handout_shows_what_is_asked_and_no_answer(source):
    built = slides.ROOT / "notebooks" / f"{source.stem}.ipynb"
    deck, handout = (slides.lecture_cells(source, built, solved) for solved in (True, False))
    answers = [cell for cell in deck.cells if "builds" in cell.metadata]
    contracts = [cell for cell in handout.cells if "contract" in cell.metadata.get("tags", [])]
    assert contracts and len(contracts) <= len(answers)
    assert all(cell in deck.cells for cell in handout.cells)
    kept = [set(lines(cell.source)) for cell in handout.cells if cell.cell_type == "code"]
    for answer in answers:
        assert not any(set(lines(answer.source)) <= rows for rows in kept), answer.source


def test_a_page_names_its_authors_and_licence_and_skips_no_heading(npm):
    source = lectures()[1]
    sheet = sheets.read(source)
    asked = [paper.questions(part, answers=True) for part in (sheet.self_test, sheet.exam)]
    text = "\n\n".join(["# A page", lecturer.exercise_sheet(source, answers=True), *asked])
    html = paper.page("A page", text)
    [foot] = re.findall(r"<footer>(.*?)</footer>", html, re.DOTALL)
    assert "From word embeddings to gMLP, in Keras, by the course" in foot
    assert (
        'href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>; code: MIT' in foot
    )
    asked = slides.EXERCISE.findall(source.read_text(encoding="utf-8").replace("# #", "#"))
    levels = [int(level) for level in re.findall(r"<h(\d)", html)]
    assert levels[0] == 1 and levels.count(1) == 1 and levels.count(2) == len(asked) + 10 + 10
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


def figures(pdf):
    """Return what the figures of a tagged PDF are called, in its order."""
    found, parts = [], [pdf.trailer["/Root"]["/StructTreeRoot"]]
    while parts:
        part = parts.pop().get_object()
        if isinstance(part, list):
            parts += reversed(part)
        elif isinstance(part, dict):
            found += [part.get("/Alt")] if part.get("/S") == "/Figure" else []
            parts += [part["/K"]] if "/K" in part else []
    return found


@pytest.fixture(scope="module")
def browser(npm, browser):
    """Decks and papers need npm's packages as well."""
    return browser


CODE = "\n".join(f"line_{row} = {row}" for row in range(14))
ASKED = [
    sheets.Question(f"First {k}: $x_{{{k}}} < W$\n\n```python\n{CODE}\n```\n\nLast {k}.", "", k)
    for k in range(1, 9)
]


def test_an_exam_can_be_handed_out(browser, tmp_path, axe):
    text = f"# An exam\n\n{paper.head(ASKED)}\n\n{paper.questions(ASKED, answers=False)}"
    html, path = tmp_path / "exam.html", tmp_path / "exam.pdf"
    html.write_text(paper.page("An exam", text), encoding="utf-8")
    paper.print_pdf(browser, html, path)
    pdf = PdfReader(path)
    texts = [" ".join(page.extract_text().split()) for page in pdf.pages]
    for wanted in (
        "An exam",
        "Name",
        "Student number",
        "Date",
        "Aids:",
        "72 minutes",
        "36 points",
    ):
        assert wanted in texts[0], wanted
    assert "Points 1 2 3 4 5 6 7 8 36" in texts[0]
    assert all(f"{number} / {len(texts)}" in text for number, text in enumerate(texts, 1))
    assert all("Name: ___" in text for text in texts[1:])
    for k in range(1, 9):  # on one page, with its code
        [whole] = [text for text in texts if f"Question {k} " in text or f"Last {k}." in text]
        assert re.search(rf"Question {k} .*First {k}:.*line_0.*line_13.*Last {k}\.", whole)
    assert pdf.outline[1][0].title == "Question 1 (1 point)"
    assert figures(pdf) == [f"x {k} less than upper W" for k in range(1, 9)]
    page = browser.new_page()
    page.goto(html.as_uri())
    page.emulate_media(media="print")
    heights = [one.bounding_box()["height"] for one in page.locator(".room").all()]
    assert heights == pytest.approx([k * heights[0] for k in range(1, 9)], abs=1)
    assert heights[0] > 40
    assert axe(page) == []
    page.close()


def test_a_paper_begins_with_a_question_and_its_choices_have_boxes(browser, tmp_path):
    asked = [sheets.Question(f"```python\n{CODE}\n```\n\nWhy?\n\n- a) this\n- b) that", "", 12)]
    html, path = tmp_path / "exam.html", tmp_path / "exam.pdf"
    text = f"# An exam\n\n{paper.head(asked)}\n\n{paper.questions(asked, answers=False)}"
    html.write_text(paper.page("An exam", text), encoding="utf-8")
    paper.print_pdf(browser, html, path)
    first, second = (page.extract_text() for page in PdfReader(path).pages)
    assert re.search(r"Question 1 .*line_13.*Why\?.*a\) this.*b\) that", first, re.DOTALL)
    assert "•" not in first and "Name" in second


def test_the_lecturers_folder_is_whole(browser, axe, tmp_path, monkeypatch):
    source = lectures()[1]
    monkeypatch.setattr(lint_slides, "browser", lambda: nullcontext(browser))
    lecturer.main([source.stem, "--into", str(tmp_path)])
    folder = tmp_path / source.stem
    assert set(lecturer.FILES) == {path.name for path in folder.iterdir()}
    course = {f"{name}.html" for name in paper.PAGES} | {"report.pdf"}
    course |= {"project_start.ipynb", "moodle.xml", "questions.csv", "anki.apkg", "canvas"}
    for html in sorted(tmp_path.rglob("*.html")):
        page, outside, errors = lint_slides.watched(browser)
        page.goto(html.as_uri())
        links = page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)")
        parts = [urlsplit(link) for link in links]
        files = [Path(url2pathname(one.path)) for one in parts if one.scheme == "file"]
        assert all(file.exists() for file in files), (html, files)
        if html.stem == "index":
            assert {file.name for file in files} == {*lecturer.FILES, *course}
        unsaid = page.locator("mjx-container:not(:has(math[alttext]))").count()
        assert (axe(page), unsaid, outside, errors) == ([], 0, [], []), html
        page.context.close()
    for path in folder.glob("*.pdf"):
        pdf = PdfReader(path)
        root, title = pdf.trailer["/Root"], pdf.metadata.title
        assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en", path
        assert sheets.read(source).title in title and pdf.outline, path
        assert all(figures(pdf)), path
    built = slides.ROOT / "notebooks" / f"{source.stem}.ipynb"
    columns = slides.grouped(slides.lecture_cells(source, built))
    notes = PdfReader(folder / lecturer.SLIDES[1])
    assert len(notes.pages) == sum(map(len, columns))
    formulas = (folder / "exam.html").read_text(encoding="utf-8").count("<mjx-container")
    assert len(figures(PdfReader(folder / "exam.pdf"))) == formulas > 0
    assert "<strong>Why.</strong>" in (folder / "solutions.html").read_text(encoding="utf-8")
