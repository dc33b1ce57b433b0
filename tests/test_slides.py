"""Decks: what is on the slides, what is not, and what stops them."""

import re
from types import SimpleNamespace

import nbformat
import pytest

from course_utils import exercises
from tests import slides_sample as sample
from tools import slides, slides_exercise
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
    assert [len(column) for column in columns] == [1, 2, 1, 1, 2]
    title, idea = columns[0][0], columns[1][0]
    assert title.notes == ["Say **hello**; $a_t$ is near 1."]
    assert [len(group) for group in idea.groups] == [1, 1]
    assert slides.heading(idea) == "The idea"
    assert slides.heading(columns[1][1]) == ""


def test_a_question_gets_its_minutes_from_the_answer_and_notes_from_the_exercise():
    asked = exercises.find(exercises.identifiers()[0])
    title = f"## Exercise {asked.identifier} · Build one"
    more = [
        sample.markdown(f"{title}\n\nDo."),
        sample.contract(),
        sample.markdown(f"{title}: a solution", kind="subslide"),
        sample.code("def lstm_step(): ..."),
        sample.markdown(f"({asked.takes + 5} minutes) Let them work.", kind="notes"),
    ]
    question, answer = slides.grouped(sample.lecture(*more))[-1]
    assert (question.minutes, answer.minutes) == (asked.takes, 5)
    assert asked.hints[0] in question.notes[0] and asked.mistakes[0][1] in question.notes[0]
    told = f"(5 minutes for this slide; {asked.takes + 5} with the exercise) Let them work."
    assert answer.notes == [told]


def test_notes_are_printed_once_and_repeat_nothing_of_the_slide():
    asked = exercises.find(exercises.identifiers()[0])
    title = f"## Exercise {asked.identifier} · Build one"
    more = [
        sample.markdown("## A long story"),
        sample.markdown("Its end.", kind="subslide"),
        sample.markdown("(2 minutes) Tell it.", kind="notes"),
        sample.markdown(f"{title}\n\nDo."),
        sample.markdown("Or this.", kind="subslide"),
        sample.contract(),
        sample.markdown(f"{title}: a solution", kind="subslide"),
        sample.code("def lstm_step(): ..."),
        sample.markdown(asked.reasoning, kind="-", tags=["why"]),
    ]
    (one, two), (first, second, answer) = slides.grouped(sample.lecture(*more))[-2:]
    assert one.notes == two.notes == ["(2 minutes) Tell it."]
    assert first.notes == second.notes and answer.notes == []
    assert ["same-notes" in part.tags for part in (one, two, first, second)] == [0, 1, 0, 1]


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
    assert 'alttext="h Subscript t Baseline equals upper W x Subscript t"' in page


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


def test_outputs_come_from_the_built_notebook_and_answers_stand_below(built, monkeypatch):
    asked = SimpleNamespace(reasoning="Two times are twice.")
    monkeypatch.setattr(exercises, "find", {"x": asked}.__getitem__)
    lecture = slides.lecture_cells(LECTURE, built)
    code = [cell for cell in lecture.cells if cell.cell_type == "code"]
    [answer] = [cell for cell in code if "builds" in cell.metadata]
    others = [cell for cell in code if cell is not answer]
    assert all(cell.outputs[0].text == f"printed by {cell.id}\n" for cell in others)
    assert answer.source == "def double(number):\n    return 2 * number"
    text = "\n".join(cell.source for cell in lecture.cells)
    assert slides.kind_of(answer) == "fragment"  # its title is shown first
    order = ["Return twice the number.", ": a solution", "2 * number", "Two times are twice."]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    handed_out = slides.lecture_cells(LECTURE, built, solved=False)
    assert not any("2 * number" in cell.source for cell in handed_out.cells)
    assert "not solved yet" not in text
    assert "Say that nobody will ever give this lecture." in text


def test_an_old_notebook_makes_no_deck(built, tmp_path, monkeypatch):
    monkeypatch.setattr(exercises, "find", {"x": SimpleNamespace(reasoning="")}.__getitem__)
    with pytest.raises(slides.SlidesFailed, match="absent.ipynb"):
        slides.lecture_cells(LECTURE, tmp_path / "absent.ipynb")
    changed = tmp_path / "changed.py"
    told = LECTURE.read_text(encoding="utf-8")
    told = told.replace('.double" slide', '.double" formulas="x" slide')
    told = told.replace(
        '["exercise"]\n# ## Ex', '["exercise"] name="x"\n# ## Ex'
    )  # shown before the answer
    told = told.replace('["headline"]\nprint("what', '["headline"]\nprint("how')
    changed.write_text(told, encoding="utf-8")
    with pytest.raises(slides.SlidesFailed, match="changed: .* is older than the lecture"):
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


def test_a_line_too_wide_for_a_slide_is_broken_and_its_comment_comes_first():
    call = f"answer = function({', '.join(['argument'] * 12)})"
    rows = cells.narrow(f"{call}  # why").splitlines()
    assert rows[:2] == ["# why", "answer = function("]
    assert max(map(len, rows)) <= cells.WIDEST
    assert cells.narrow(f"{call[:50]})") == f"{call[:50]})"


LAYER = '''
class Layer(Base):
    """A layer: y_t = x_t W.

    Call: x (batch, d_k). Raises ValueError for an odd number.

    Source: a paper (2017).
    """

    def build(self, shape):
        self.W = 1

    def call(self, x):
        if x % 2:
            raise ValueError("odd")

        x = ops.cast(x, "float32")
        return x @ self.W
'''


@pytest.fixture
def layer(tmp_path, monkeypatch):
    """Make a library of one layer, whose methods two exercises may ask for."""
    (tmp_path / "library.py").write_text(LAYER, encoding="utf-8")
    monkeypatch.setattr(slides_exercise, "ROOT", tmp_path)


def test_a_contract_has_signature_shapes_and_formula(layer):
    html = slides_exercise.contract("library.Layer.call")
    text = " ".join(re.sub("<[^>]*>", "", html).split())
    assert text == (
        "class Layer(Base): def call(self, x): A layer: yt = xt W. Call: x (batch, dk)."
    )
    assert "y<sub>t</sub>" in html
    both = slides_exercise.contract("library.Layer")
    assert both.count(">def<") == both.count("</div>") - 1 == 2


def test_a_solution_is_what_was_asked(layer):
    asked = "def call(self, x):\n    return x @ self.W"
    assert slides_exercise.solution("library.Layer.call") == asked
    assert slides_exercise.solution("library.Layer") == (
        f"def build(self, shape):\n    self.W = 1\n\n{asked}"
    )


def test_a_solution_leaves_cases_for_later_out(layer):
    left = slides_exercise.ROOT / "library.py"
    code = "def f(x, mask):\n    if mask:\n        x = 0\n    return x"
    left.write_text(code, encoding="utf-8")
    assert slides_exercise.solution("library.f", "mask") == "def f(x, mask):\n    return x"


def test_a_long_solution_is_divided():
    loop = ["def f():", *(f"    a = {n}" for n in range(8)), "    for b in a:"]
    code = "\n".join([*loop, *(f"        c = {n}" for n in range(8)), "    return c"])
    first, second = slides.halves(code)
    assert f"{first}\n{second}" == code and second.startswith("    for")
    assert slides.halves(first) == [first]


def test_a_slide_shows_the_first_paragraph_of_a_lead_and_the_output_alone():
    lead = sample.markdown("## Title\n\nFor all.\n\nFor readers.", tags=["lead"])
    assert "readers" not in (html := cells.cell(lead, cells.Formulas()))
    assert "Title" in html and "For all." in html
    measured = sample.code("measure()", [sample.printed("0.5")], tags=["slide-output"])
    html = cells.cell(measured, cells.Formulas())
    assert "measure" not in html and "0.5" in html


def test_what_follows_a_solution_is_no_exercise():
    more = [sample.code("double(2)", [sample.printed("4")])]
    question, answer, after = slides.grouped(sample.lecture(*more))[-1]
    assert (question.exercise, answer.exercise, after.exercise) == ("02.1", "02.1", None)
    assert answer.answers and not question.answers
