"""Decks: what is on the slides, what is not, and what stops them."""

import re

import nbformat
import pytest

from course_utils import exercises
from tests import slides_sample as sample
from tools import slides
from tools import slides_cells as cells
from tools.source import assemble

LECTURE = slides.ROOT / "tests" / "odd" / "sample_lecture.py"


@pytest.fixture(scope="module")
def page(npm):
    """Return the sample's deck, as it stands in its file."""
    html, errors = slides.deck(sample.lecture(), "sample")
    assert errors == []
    return html


def test_each_cell_goes_to_its_slide():
    columns = slides.grouped(sample.lecture())
    assert [len(column) for column in columns] == [1, 2, 1, 1, 1]
    title, idea = columns[0][0], columns[1][0]
    assert title.notes == ["Say **hello**; $a_t$ is near 1."]
    assert [len(group) for group in idea.groups] == [1, 1]
    assert slides.heading(idea) == "The idea"
    assert slides.heading(columns[1][1]) == ""


def test_a_question_gets_its_minutes_from_the_answer_and_notes_from_the_exercise():
    asked = exercises.find(exercises.identifiers()[0])
    more = [
        sample.markdown(f"## Exercise {asked.identifier} · Build one\n\nDo.", kind="slide"),
        sample.code("def lstm_step(): ...", kind="subslide", tags=["exercise"]),
        sample.markdown(f"({asked.takes + 5} minutes) Let them work.", kind="notes"),
    ]
    question, answer = slides.grouped(sample.lecture(*more))[-1]
    assert (question.minutes, answer.minutes) == (asked.takes, 5)
    assert asked.hints[0] in question.notes[0] and asked.mistakes[0][1] in question.notes[0]


def test_the_deck_shows_the_lecture(page):
    assert "<title>A sample lecture · " in page
    assert '<p class="course-name">' in page
    assert '<div class="fragment">' in page
    assert '<h2 class="again">The idea</h2>' in page
    assert 'alt="A square" src="data:image/svg+xml;base64,' in page
    assert re.search(r'<pre class="output">\(2, 3\)</pre>', page)
    assert '<aside class="notes"><p>Say <strong>hello</strong>; <mjx-container' in page
    assert re.search(r'<div class="licence"><p>.*, by the course.*CC BY 4\.0</a>', page)
    count = page.count("<mjx-container")
    assert count == page.count("<math alttext=") == page.count('focusable="false" viewBox')
    assert 'alttext="\\nabla_U = \\sum_t \\delta_t h_{t-1}^\\top"' in page


def test_the_deck_leaves_out_what_is_hidden_and_is_one_file_and_always_the_same(page):
    body = page[page.index('<div class="slides">') : page.index("<script>")]
    text = re.sub(r"<[^>]*>", "", body)
    assert "hidden" not in text and "import" not in text
    assert not re.search(r'<(link|img|iframe)\b[^>]*(src|href)="(?!data:)', body)
    assert not re.search(r"<script\b[^>]", page)
    assert not re.search(r"url\((?!data:)", page[: page.index("</head>")])
    assert slides.deck(sample.lecture(), "sample")[0] == page


def test_an_error_in_tex_is_named(page):
    wrong = sample.lecture(sample.markdown("## Wrong\n\n$\\frac{1}$ and $\\nosuch$"))
    errors = slides.deck(wrong, "sample")[1]
    assert len(errors) == 2 and "\\frac" in errors[0] and "\\nosuch" in errors[1]


@pytest.fixture
def built(tmp_path):
    """Write the sample lecture's student notebook with an output that only it can know."""
    notebook = assemble(LECTURE)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
            cell.outputs = [sample.printed(f"printed by {cell.id}\n")]
    path = tmp_path / "sample_lecture.ipynb"
    nbformat.write(notebook, path)
    return path


def test_outputs_come_from_the_built_notebook_and_answers_stand_below(built):
    lecture = slides.lecture_cells(LECTURE, built)
    code = [cell for cell in lecture.cells if cell.cell_type == "code"]
    [answer] = [cell for cell in code if "builds" in cell.metadata]
    others = [cell for cell in code if cell is not answer]
    assert all(cell.outputs[0].text == f"printed by {cell.id}\n" for cell in others)
    assert "2 * number" in answer.source and not answer.outputs
    assert answer.metadata["slideshow"] == {"slide_type": "subslide"}
    text = "\n".join(cell.source for cell in lecture.cells)
    assert "not solved yet" not in text
    assert "Say that nobody will ever give this lecture." in text


def test_an_old_notebook_makes_no_deck(built, tmp_path):
    with pytest.raises(slides.SlidesFailed, match="absent.ipynb"):
        slides.lecture_cells(LECTURE, tmp_path / "absent.ipynb")
    changed = tmp_path / "changed.py"
    changed.write_text(
        LECTURE.read_text(encoding="utf-8").replace('("one", "two")', '("one",)'),
        encoding="utf-8",
    )
    with pytest.raises(slides.SlidesFailed, match="older"):
        slides.lecture_cells(changed, built)


def test_a_slide_shows_the_first_line_of_a_docstring():
    source = 'def one(a):\n    """Add one.\n\n    a: number.\n    """\n    return a'
    assert cells.brief(source) == 'def one(a):\n    """Add one."""\n    return a'
    short = 'class Two:\n    """Two."""\n\n    x = """a\n    b"""'
    assert cells.brief(short) == short


def test_what_a_cell_prints_in_pieces_is_joined():
    pieces = [sample.printed("one\n"), sample.printed("two\n"), sample.shown("text/plain", "x")]
    texts = [piece.get("text") for piece in cells.joined(pieces)]
    assert texts == ["one\ntwo\n", None]


def test_of_a_long_class_the_built_method_alone_is_shown():
    method = "    def call(self, x):\n        return x"
    short = f"# file.py\n@registered\nclass Layer(Base):\n{method}\n"
    assert slides.method_alone(short, "file.Layer.call") == short
    rows = "\n".join(f"        self.part_{n} = {n}" for n in range(30))
    head = "# file.py\n@registered\nclass Layer(Base):"
    long = f"{head}\n    def build(self):\n{rows}\n\n{method}\n"
    shown = slides.method_alone(long, "file.Layer.call")
    assert shown == f"# file.py\nclass Layer(Base):\n    # …\n{method}"
    assert slides.method_alone(long, "file.Layer") == long
