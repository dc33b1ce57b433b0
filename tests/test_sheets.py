"""Every lecture's sheet, what is refused in one, and the folder that a lecturer takes along."""

import re

import pytest

from tools import lecturer, lint_slides, sheets, slides
from tools.source import assemble, heading, lectures

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


def test_a_summary_of_two_pages_is_refused(tmp_path):
    for name in (*lecturer.SLIDES, "summary.pdf"):
        (tmp_path / name).write_bytes(2 * b"<< /Type /Page >>")
    with pytest.raises(slides.SlidesFailed, match=r"summary\.pdf has 2 pages, not 1"):
        lecturer.check_pages(tmp_path, [[slides.Slide([], [[]])] * 2])


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
    asked = [lecturer.questions(part, answers=True) for part in (sheet.self_test, sheet.exam)]
    text = "\n\n".join(["# A page", lecturer.exercise_sheet(source, answers=True), *asked])
    html = lecturer.page("A page", text)
    [foot] = re.findall(r"<footer>(.*?)</footer>", html, re.DOTALL)
    assert "From word embeddings to gMLP, in Keras, by the course" in foot
    assert (
        'href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>; code: MIT' in foot
    )
    asked = slides.EXERCISE.findall(source.read_text(encoding="utf-8").replace("# #", "#"))
    levels = [int(level) for level in re.findall(r"<h(\d)", html)]
    assert levels[0] == 1 and levels.count(1) == 1 and levels.count(2) == len(asked) + 10 + 10
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


@pytest.mark.slow
def test_the_lecturers_folder_is_whole(tmp_path):
    with lint_slides.browser() as running:
        source = lectures()[0]
        sections = lecturer.write_lecture(source, tmp_path / source.stem, running)
    index = lecturer.index({source.stem: sections}, tmp_path)
    linked = set(re.findall(rf"\]\({source.stem}/(.+?)\)", index))
    assert linked == set(lecturer.FILES) == {path.name for path in tmp_path.glob("*/*")}
    assert 80 <= sum(minutes for _, minutes, _ in sections) <= 100
    for name in filter(lambda name: name.endswith(".pdf"), lecturer.FILES):
        content = (tmp_path / source.stem / name).read_bytes()
        assert b"/StructTreeRoot" in content and b"/Outlines" in content, name
        assert re.search(rb"/Lang ?\(en", content), name
    assert "<strong>Why.</strong>" in (tmp_path / source.stem / "solutions.html").read_text(
        encoding="utf-8"
    )
