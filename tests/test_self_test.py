"""The self-test as students take it: in a browser, by mouse and by keyboard."""

import json
import re
import time
from html import unescape
from itertools import chain

import pytest

from tools import self_test, sheets
from tools.source import lectures

pytestmark = pytest.mark.slow

SOURCE = lectures()[2]
ASKED = sheets.read(SOURCE).self_test
SCORE = ".score [role=status]"
KEPT = f"self-test {SOURCE.stem}"


@pytest.fixture(params=["light", "dark"])
def page(browser, request, tmp_path):
    """The page of a lecture's self-test, opened as a file in an empty browser."""
    (tmp_path / "test.html").write_text(self_test.page(SOURCE), encoding="utf-8")
    context = browser.new_context(color_scheme=request.param)
    asked, errors = [], []
    opened = context.new_page()
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("dialog", lambda dialog: dialog.accept())
    opened.goto((tmp_path / "test.html").as_uri())
    yield opened
    assert errors == [] and {url for url in asked if not url.startswith("file:")} == set()
    context.close()


def reload_until(page, wanted):
    """Reload until the score is ``wanted``: Chromium writes a page's storage a moment later."""
    until = time.monotonic() + 30
    page.reload()
    while page.locator(SCORE).inner_text() != wanted and time.monotonic() < until:
        page.reload()
    assert page.locator(SCORE).inner_text() == wanted


def wrong(one):
    return next(letter for letter in one.choices if letter != one.right)


def test_by_mouse_each_choice_is_explained_and_the_score_outlives_a_reload(page, axe):
    assert axe(page) == []
    for place, one in enumerate(ASKED):
        question = page.locator("ol > li").nth(place)
        assert not question.locator(".why").is_visible()
        chosen = wrong(one) if place < 3 else one.right
        question.locator(f"[data-choice={chosen}]").click()
        assert question.locator(".why").is_visible()
        said = "Right." if place >= 3 else f"Not quite: {one.right}) is right."
        assert question.locator(".verdict").inner_text() == said
        assert question.locator("button:enabled").count() == 0
    assert page.locator(SCORE).inner_text() == "Done: 7 of 10 right"
    reload_until(page, "Done: 7 of 10 right")
    assert page.locator(".why:visible").count() == 10
    assert page.locator("button.wrong").count() == 3
    assert axe(page) == []
    page.get_by_role("button", name="Start again").click()
    reload_until(page, "0 right, 0 of 10 answered")
    assert page.locator(".why:visible, .right, .wrong").count() == 0


def test_by_keyboard_alone(page):
    page.keyboard.press("Tab")  # the licence's link is below the test
    assert page.evaluate("document.activeElement.innerText") == "Start again"
    for place, one in enumerate(ASKED):
        for _ in range("abcd".index(one.right) + 1):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter" if place % 2 else "Space")
        assert page.evaluate("document.activeElement.className") == "why"  # read aloud
    assert page.locator(SCORE).inner_text() == "Done: 10 of 10 right"
    for _ in range(2 * len(ASKED)):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.innerText") == "Start again":
            break
    page.keyboard.press("Enter")
    assert page.locator(SCORE).inner_text() == "0 right, 0 of 10 answered"
    assert page.evaluate("document.activeElement.dataset.choice") == "a"


def test_start_again_asks_before_it_deletes(browser, tmp_path):
    (tmp_path / "test.html").write_text(self_test.page(SOURCE), encoding="utf-8")
    page = browser.new_page()  # dismisses what is asked
    page.goto((tmp_path / "test.html").as_uri())
    page.locator("[data-choice=a]").first.click()
    page.get_by_role("button", name="Start again").click()
    assert page.locator(SCORE).inner_text().endswith("1 of 10 answered")


def test_two_tabs_keep_what_was_chosen_in_both(page):
    other = page.context.new_page()
    other.goto(page.url)
    page.locator("[data-choice=a]").first.click()
    other.wait_for_function("name => localStorage.getItem(name)", arg=KEPT)
    other.locator("ol > li").nth(1).locator("[data-choice=a]").click()
    right = [one.right for one in ASKED[:2]].count("a")
    reload_until(page, f"{right} right, 2 of 10 answered")


@pytest.mark.parametrize("stored", ["5", '"abc"', "[1]", "true", "null", "no JSON"])
def test_what_is_no_score_is_written_over(page, stored):
    page.add_init_script(f"localStorage.setItem({json.dumps(KEPT)}, {json.dumps(stored)})")
    page.reload()
    page.locator(f"[data-choice={ASKED[0].right}]").first.click()
    assert page.locator(SCORE).inner_text() == "1 right, 1 of 10 answered"
    kept = json.loads(page.evaluate("name => localStorage.getItem(name)", KEPT))
    assert list(kept.values()) == [ASKED[0].right]


def test_a_question_with_a_new_wording_is_open_again(page, tmp_path):
    page.locator("[data-choice=a]").first.click()
    text = (tmp_path / "test.html").read_text(encoding="utf-8")
    key = page.locator("ol > li").first.get_attribute("data-key")
    reload_until(page, "0 right, 1 of 10 answered")
    (tmp_path / "test.html").write_text(text.replace(key, "changed"), encoding="utf-8")
    page.reload()
    assert page.locator(SCORE).inner_text() == "0 right, 0 of 10 answered"


def test_without_storage_it_is_taken_all_the_same(browser, tmp_path):
    (tmp_path / "test.html").write_text(self_test.page(SOURCE), encoding="utf-8")
    shown = '<iframe sandbox="allow-scripts" src="test.html" height="600"></iframe>'
    (tmp_path / "viewer.html").write_text(shown, encoding="utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "viewer.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(f"[data-choice={ASKED[0].right}]").first.click()
    kept = "1 right, 1 of 10 answered; this browser keeps nothing"
    assert frame.locator(SCORE).inner_text() == kept


def lengths(source):
    """Yield for each question the letters of its choices with their visible characters."""
    for question in self_test.form(sheets.read(source), source.stem).split("<li ")[1:]:
        choices = re.findall(r'data-choice="(.)">(.*?)</button>', question, re.DOTALL)
        yield {
            letter: len(unescape(re.sub(r"<[^>]+>", "", shown))) for letter, shown in choices
        }


def test_no_right_choice_is_given_away_by_its_length_or_its_place():
    asked = [one for source in lectures() for one in sheets.read(source).self_test]
    longest = 0
    for one, shown in zip(asked, chain(*map(lengths, lectures())), strict=True):
        first = [letter for letter in shown if shown[letter] == max(shown.values())]
        longest += (one.right in first) / len(first)
    assert 0.22 <= longest / len(asked) <= 0.28
    letters = [one.right for one in asked]
    assert all(0.2 <= letters.count(one) / len(asked) <= 0.3 for one in "abcd")


@pytest.mark.parametrize("source", lectures(), ids=lambda path: path.stem)
def test_every_page_has_all_questions_and_formulas(source):
    html = self_test.page(source)
    assert html.count("<li data-key=") == 10
    assert "\ue000" not in html and "<merror" not in html
    assert "$" not in html.partition("<script>")[0].partition('<div class="self-test"')[2]
