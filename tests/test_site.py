"""The site's pages: their links, the library's reference, notation."""

import base64
import shutil

import nbformat
import pytest

from course_utils import figures
from tests import slides_sample as sample
from tools import glossary, lint_slides, sheets, site
from tools.source import lectures, tidy

pytestmark = pytest.mark.slow

SHEET = lectures()[0].stem
NUMBERS = {source.stem.partition("_")[0]: source for source in lectures()}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "PAGES", folder)
        site.write_pages()
    return folder


def test_every_link_and_picture_of_a_page_is_there(pages):
    broken = [
        f"{path.name}: {address}"
        for path in pages.rglob("*.md")
        for _, _, address in site.LINK.findall(path.read_text(encoding="utf-8"))
        if "://" not in address and not address.startswith("#")
        if not (path.parent / address.partition("#")[0]).exists()
    ]
    assert broken == []


def test_an_old_notebook_makes_no_page(tmp_path):
    changed = tmp_path / lectures()[0].name
    changed.write_text(
        lectures()[0].read_text(encoding="utf-8").replace("# # ", "# # New: "), encoding="utf-8"
    )
    with pytest.raises(ValueError, match=f"New: .*make notebook LECTURE={changed.stem}"):
        site.as_new(changed)


def test_every_lecture_and_module_has_its_pages(pages):
    for source in lectures():
        for folder, ending in (("lectures", "ipynb"), ("sheets", "md")):
            assert (pages / folder / f"{source.stem}.{ending}").is_file()
    for path in (site.ROOT / "results").glob("*.md"):
        assert (pages / "results" / path.name).is_file()
    page = pages / "library" / "course_utils.layers.attention.md"
    reference = page.read_text(encoding="utf-8")
    assert ".. automodule:: course_utils.layers.attention\n" in reference


def test_symbols_belong_to_lectures():
    rows = glossary.csv_rows("notation")
    assert {row["lecture"] for row in rows} <= set(NUMBERS)
    pairs = [(row["symbol"], row["lecture"], row["meaning"]) for row in rows]
    assert len(set(pairs)) == len(pairs)


@pytest.fixture(scope="module")
def small_site(pages, tmp_path_factory):
    """Return the folder of a site with one lecture, as Sphinx makes it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(pages / "_static", folder / "from" / "_static")
    shutil.copy(pages / "conf.py", folder / "from")
    picture = figures.as_image("image/png", base64.b64decode(sample.PIXEL), "A plot", 770, 350)
    plot = nbformat.v4.new_output("display_data", picture)
    table = "<table><tr>" + "<td>a_wide_cell_of_a_table</td>" * 9 + "</tr></table>"
    cells = [
        sample.markdown("# A lecture\n\n" + "Some words end with the formula $x_t = 1$. " * 9),
        sample.markdown("## course_utils.models.a_long_module.a_longer_name\n\nپدینگ"),
        sample.markdown("$$" + "x_1 + x_2 + " * 30 + "x_3$$"),
        sample.markdown("| | b |\n| --- | --- |\n| c | d |"),
        sample.code(f"text = '{'long ' * 17}'", [sample.printed("word" * 60 + "\n")]),
        sample.code("1", [plot], tags=["hide-input"]),
        sample.code("1", [sample.shown("text/html", table)]),
    ]
    for number, cell in enumerate(cells):
        cell.update(id=f"cell-{number}")
    notebook = nbformat.v4.new_notebook(cells=cells)
    tidy(notebook)
    nbformat.write(notebook, folder / "from" / "lecture.ipynb")
    text = site.index("The lectures", ["lecture", f"sheets/{SHEET}", f"explore/{SHEET}"])
    (folder / "from" / "lectures.md").write_text(text, encoding="utf-8")
    for kind in ("sheets", "explore"):
        (folder / "from" / kind).mkdir()
        page = (pages / kind / f"{SHEET}.md").read_text(encoding="utf-8")
        page = page.replace(f"(../lectures/{SHEET}.ipynb)", "(../lecture.ipynb)")
        (folder / "from" / kind / f"{SHEET}.md").write_text(page, encoding="utf-8")
    (folder / "from" / "index.md").write_text(
        site.index("A course", ["lectures"]), encoding="utf-8"
    )
    assert site.made(folder / "from", folder / "made", folder / "notes")
    return folder / "made"


SEEN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (selector) => all(selector).filter((one) => one.checkVisibility());
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const wide = all("article *").filter((one) => one.scrollWidth > one.clientWidth + 1 &&
    one.clientWidth && !one.closest("mjx-container, .math") &&
    !(scrolls(one) && one.querySelector("table")));
  const lone = all("span.math").filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one.nextSibling);
    return range.getBoundingClientRect().left < one.getBoundingClientRect().right - 4;
  });
  return {
    wide: wide.map((one) => one.outerHTML.slice(0, 200)),
    page: document.documentElement.scrollWidth - innerWidth,
    lone: lone.length,
    search: shown(".search-button__button").length,
    pictures: all("article img").map((one) => one.alt),
    unnamed: all("summary").filter((one) =>
      !(one.ariaLabel || one.textContent).trim()).length,
    labels: all("summary, button.search-button-field").filter((one) => one.ariaLabel &&
      one.innerText.trim() && !one.ariaLabel.includes(one.innerText.trim())).length,
    outside: all(".sidebar-primary-item").filter((one) =>
      !one.closest("nav, [role=navigation]")).length,
    corners: all("th").filter((one) => !one.textContent.trim()).length,
    foot: document.querySelector("footer .extra_footer")?.innerText,
    language: document.documentElement.lang,
    unsaid: all("mjx-container:not(:has(math))").length,
  };
}"""


@pytest.mark.parametrize("width", [1366, 390])
def test_a_page_shows_all_of_itself_to_everybody(small_site, width, axe):
    try:
        with lint_slides.browser() as running:
            page = running.new_page(viewport={"width": width, "height": 800})
            page.goto((small_site / "lecture.html").as_uri())
            page.wait_for_function("document.querySelectorAll('mjx-container').length == 10")
            seen = page.evaluate(SEEN) | {"axe": axe(page)}
    except lint_slides.NoBrowser as error:
        pytest.skip(f"pages are looked at in a browser: {error}")
    assert "code: MIT" in seen.pop("foot")
    assert seen == {
        "wide": [],
        "page": 0,
        "lone": 0,
        "search": 1,
        "pictures": ["A plot"],
        "unnamed": 0,
        "labels": 0,
        "outside": 0,
        "corners": 0,
        "language": "en",
        "unsaid": 0,
        "axe": [],
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_self_test_is_taken_on_its_page(small_site, theme, axe):
    right = sheets.read(lectures()[0]).self_test[0].right
    try:
        with lint_slides.browser() as running:
            page, outside, errors = lint_slides.watched(running)
            page.goto((small_site / "sheets" / f"{SHEET}.html").as_uri())
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            page.locator(f".self-test [data-choice={right}]").first.click()
            page.locator(".self-test li").nth(1).locator("button").last.click()
            assert axe(page, ".self-test") == []
            page.reload()
            score = page.locator(".self-test .score [role=status]").inner_text()
            assert score.endswith("2 of 10 answered") and outside == errors == []
    except lint_slides.NoBrowser as error:
        pytest.skip(f"pages are looked at in a browser: {error}")


def test_a_search_finds_english_and_persian_without_a_server(small_site):
    try:
        with lint_slides.browser() as running:
            page, outside, _ = lint_slides.watched(running)
            for word in ("formula", "پدینگ"):
                page.goto(f"{(small_site / 'search.html').as_uri()}?q={word}")
                page.locator("#search-results a[href^='lecture.html']").first.wait_for()
            assert outside == []
    except lint_slides.NoBrowser as error:
        pytest.skip(f"pages are looked at in a browser: {error}")
