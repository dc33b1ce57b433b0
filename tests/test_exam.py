"""Exam questions with drawn numbers, and the papers that are made of them."""

import math
import re
import runpy
from itertools import chain

import pytest
from pypdf import PdfReader

from lectures.exam_questions import LETTERS
from tools import __main__ as entry
from tools import exam, lint_slides
from tools.shows import ROOT

pytestmark = pytest.mark.slow

SEEDS = range(200)
POINTS = re.compile(r"\((\d+) points?\b")
QUESTIONS = [
    pytest.param(lecture, one, id=f"{lecture}-{one.__name__}")
    for lecture in exam.numbers()
    for one in exam.declared(lecture)
]


def flat(values):
    """Numbers and words, out of lists in lists."""
    if isinstance(values, list | tuple):
        return list(chain.from_iterable(map(flat, values)))
    return [values]


def same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)


def test_every_lecture_has_five_questions_that_compute():
    assert exam.numbers() == [exam.source.number(path) for path in exam.source.lectures()]
    assert min(len(exam.declared(lecture)) for lecture in exam.numbers()) >= 5


@pytest.mark.parametrize("lecture, one", QUESTIONS)
def test_a_question_has_one_right_answer_and_no_twin(lecture, one):
    """The right answer is that of a second computation, in the lecture's `tests/exam.py`."""
    file = ROOT / "lectures" / f"lecture_{lecture}" / "tests" / "exam.py"
    again = runpy.run_path(str(file))[one.__name__]
    variants = [exam.drawn(lecture, one, seed) for seed in SEEDS]
    assert len({variant.asked for variant in variants}) == len(SEEDS)
    assert len({repr(variant.given) for variant in variants}) == len(SEEDS)
    for variant in variants:
        found, wanted = list(variant.result), flat(again(**variant.given))
        assert len(found) == len(wanted) and all(map(same, found, wanted)), variant
        answer = " ".join(variant.answer.split())
        for value in found:  # the key states it
            assert exam.shown(value) in answer, (value, answer)
        assert sum(map(int, POINTS.findall(answer))) == one.points, answer
        if variant.choices:
            right = variant.choices[LETTERS.index(variant.right)]
            assert right == f"${exam.shown(found[0])}$", variant
            assert len(set(variant.choices)) == len(LETTERS), variant


def test_right_choices_show_no_pattern():
    asked = [param.values for param in QUESTIONS]
    letters = [exam.drawn(*one, seed).right for one in asked for seed in range(9)]
    counts = [letters.count(letter) for letter in LETTERS]
    assert 0.7 * max(counts) < min(counts)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["--seed", "x", "--lectures", "01"], "'x' is no whole number from 0 on, such as 7"),
        (["--seed", "-1", "--lectures", "01"], "'-1' is no whole number from 0 on"),
        (["--seed", "7", "--lectures", "01,9"], "no lecture '09' with drawn questions; name"),
        (["--seed", "7", "--lectures", " ,"], "missing, such as SEED=7 LECTURES=01,02,03"),
        (["--seed", "", "--lectures", ""], "missing, such as SEED=7 LECTURES=01,02,03"),
        (["--seed", "7"], "required: --lectures"),
    ],
)
def test_bad_input_is_named(arguments, told, capsys):
    with pytest.raises(SystemExit):
        exam.main(arguments)
    assert told in capsys.readouterr().err


def test_lectures_are_named_as_one_types_them():
    assert exam._lectures("5B, 1,01_imdb_embeddings,") == ["01", "05b"]


@pytest.mark.parametrize("lectures", [["01"], ["01", "02", "03"], exam.numbers()[:9]])
def test_a_seed_chooses_what_fits_evenly_from_the_lectures(lectures):
    papers = {seed: exam.chosen(lectures, seed, exam.MINUTES) for seed in range(30)}
    assert papers[7] == exam.chosen(lectures, 7, exam.MINUTES)
    for found in papers.values():
        named = [lecture for lecture, _ in found]
        counts = [named.count(lecture) for lecture in lectures]
        assert named == sorted(named) and len(set(found)) == len(found)
        assert min(counts) >= 1 and max(counts) <= min(counts) + 1
        minutes = 2 * sum(one.points for _, one in found)
        assert minutes <= 90 and (minutes > 76 or lectures == ["01"])
    assert lectures == ["01"] or len(set(map(tuple, papers.values()))) > 20


def test_a_variant_is_two_letters_that_differ():
    codes = {exam.variant(seed) for seed in range(100)}
    assert len(codes) > 85 and all(re.fullmatch("[A-Z]{2}", code) for code in codes)


def test_make_and_the_command_have_the_same_minutes():
    [(_, words)] = entry.commands("exam", {"SEED": "7", "LECTURES": "01"})
    assert words[-2:] == ["--minutes", str(exam.MINUTES)]


def test_too_few_minutes_are_told(tmp_path):
    arguments = ["--seed", "7", "--lectures", "01,02", "--minutes", "10"]
    with pytest.raises(SystemExit, match=r"takes 1\d minutes, and there are 10: name fewer"):
        exam.main([*arguments, "--into", str(tmp_path)])


def test_formulas_of_all_questions_can_be_set(npm):
    shown = exam.pages(exam.numbers(), seed=11, minutes=10_000)
    choices = sum(bool(exam.drawn(*param.values, 11).choices) for param in QUESTIONS)
    for name in ("paper", "key"):
        assert shown[name].count('class="whole"') == len(QUESTIONS)
        assert shown[name].count("<li>") == len(LETTERS) * choices  # no formula became a list
        assert "<blockquote>" not in shown[name]
        assert shown[name].count('<div class="choices">') == choices
        body = shown[name].partition("<main>")[2]
        assert "$" not in re.sub(r"<[^>]+>", "", body)


def test_paper_key_and_points_are_printed(axe, tmp_path):
    exam.main(["--seed", "7", "--lectures", "04,01_imdb_embeddings", "--into", str(tmp_path)])
    names = {
        f"{name}.{ending}" for name in ("paper", "key", "points") for ending in ("html", "pdf")
    }
    assert {path.name for path in tmp_path.iterdir()} == names
    with lint_slides.browser() as running:
        for html in tmp_path.glob("*.html"):
            page, outside, errors = lint_slides.watched(running)
            page.goto(html.as_uri())
            assert (axe(page), outside, errors) == ([], [], []), html
    questions = [exam.drawn(*one, 7) for one in exam.chosen(["01", "04"], 7, exam.MINUTES)]
    total = sum(one.points for one in questions)
    for name in ("paper", "key", "points"):
        pdf = PdfReader(tmp_path / f"{name}.pdf")
        root = pdf.trailer["/Root"]
        assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en", name
        fonts = {
            font for page in pdf.pages for font in page["/Resources"].get("/Font", {}).values()
        }
        # Chromium embeds variable fonts, the course's own, as drawings without a name.
        called = {font.get_object().get("/BaseFont", "Source") for font in fonts}
        assert called and all("Source" in one or "DejaVu" in one for one in called), called
        texts = [" ".join(page.extract_text().split()) for page in pdf.pages]
        assert all(f"{k} / {len(texts)}" in text for k, text in enumerate(texts, 1)), name
        if name == "points":
            assert f"{total}" in texts[-1]
            continue
        for number in range(1, len(questions) + 1):  # once, on one page
            assert sum(bool(re.search(rf"Question {number}\b", one)) for one in texts) == 1
        assert ("Wrong:" in "".join(texts)) == (name == "key")
    paper = PdfReader(tmp_path / "paper.pdf").pages[0].extract_text()
    assert "variant 7" not in paper
    for told in (
        f"variant {exam.variant(7)}",
        "Name",
        "Student number",
        f"{2 * total} minutes",
        "Aids",
    ):
        assert told in " ".join(paper.split()), told
