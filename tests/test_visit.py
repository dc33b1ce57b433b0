"""What a stranger reads of is there: links, headings, commands (`make visit` tries these)."""

import re
from urllib.parse import unquote

import pytest

from tools.__main__ import TARGETS, taken
from tools.shows import ROOT
from tools.source import lectures

NAMES = ("README.md", "CONTRIBUTING.md", "RESULTS.md", "results/*.md", "lectures/*.md")
NAMES += ("FAQ.md", "CODE_OF_CONDUCT.md", "project/*.md")
PAGES = [page for name in NAMES for page in sorted(ROOT.glob(name))]
LINK = re.compile(r"\]\(([^()\s]+)\)")


def headings(page):
    """Return the names that GitHub gives to the headings of a page."""
    titles = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    for address in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, heading = unquote(address).partition("#")
        target = page.parent / name if name else page
        if "://" not in address:
            assert target.exists(), address
            assert not heading or heading in headings(target), address


def test_every_target_is_tried_by_the_visit_or_left_out():
    targets = set(TARGETS)
    visit = (ROOT / ".ci" / "visit").read_text(encoding="utf-8")
    tried = re.search(r'^targets="([^"]+)"', visit, re.MULTILINE)[1].split()
    left_out = set(re.findall(r"[\w-]+", re.search(r"# Left out: ([^.]+)\.", visit)[1]))
    assert set(tried) <= targets <= {*tried, *left_out}
    lecture = re.search(r'case "\$target" in ([^)]+)\) given="LECTURE=', visit)[1].split(" | ")
    needed = {target for target in tried if "LECTURE" in taken(target)}
    assert set(lecture) == needed
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        called = r"(?:^|`)(?:make|[^`\n]+ -m tools) ([a-z][a-z-]*)"
        named = re.findall(called, text, re.MULTILINE)
        assert set(named) <= targets, page


def test_the_readme_counts_lectures_and_labs():
    labs = sum("_lab_" in source.stem for source in lectures())
    words = {8: "eight", 10: "ten", 18: "Eighteen"}  # another number: write README anew
    both, apart = words[len(lectures())], f"({words[len(lectures()) - labs]} lectures, "
    told = f"{both} Jupyter notebooks {apart}{words[labs]} labs)"
    assert told in (ROOT / "README.md").read_text(encoding="utf-8")
