"""The project's page tells what a student can do, and its report has two pages."""

import ast
import importlib
import inspect
import re

import pytest

from tools import lecturer, lint_slides, paper
from tools.source import PROJECT

TEXT = PROJECT.with_name("project.md").read_text(encoding="utf-8")
LINES = ["Open because", "Data", "Baseline to beat", "First step"]
LINES += ["Fair here means", "Stretch goal", "Code", "Builds on"]
PROPOSALS = dict(re.findall(r"^### (\d)\. .+\n\n((?:- .*\n|  .*\n)+)", TEXT, re.MULTILINE))
LOADER = re.compile(r"`([\w.]*load_\w+\([^`]*\)|few_reviews\(\))`(?: of\s+`([\w.]+)`)?")


@pytest.mark.parametrize("number", list("12345678"))
def test_a_proposal_says_all_and_its_loaders_take_what_they_are_given(number):
    said = PROPOSALS[number]
    assert re.findall(r"^- \*\*(.+?)\.?\*\*", said, re.MULTILINE) == LINES
    calls = LOADER.findall(said)
    assert calls
    named = next((module for _, module in calls if module), None)
    for call, module in calls:
        tree = ast.parse(call, mode="eval").body
        name = ast.unparse(tree.func).removeprefix("cu.data.")
        own = "course_utils.data" if call.startswith("cu.") else module or named
        place = importlib.import_module(own)
        given = {keyword.arg: None for keyword in tree.keywords}
        inspect.signature(getattr(place, name)).bind(*tree.args, **given)


def test_the_points_add_up_and_most_are_for_the_protocol():
    rows = re.findall(
        r"^\| \*{0,2}([\w ]+?)\*{0,2} \| \*{0,2}(\d+)\*{0,2} \|", TEXT, re.MULTILINE
    )
    points = {what: int(number) for what, number in rows if not what.isdigit()}
    assert points.pop("sum") == sum(points.values()) == 100
    assert sum(points[one] for one in ("fair comparison", "baseline", "seeds and test")) > 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    into = tmp_path_factory.mktemp("lecturer")
    with lint_slides.browser() as running:
        lecturer.write_course(into, running)
    return into


@pytest.mark.slow
def test_the_lecturers_folder_has_the_project_and_a_report_of_two_pages(folder):
    for name in paper.PAGES:
        html = (folder / f"{name}.html").read_text(encoding="utf-8")
        assert "claims" not in html
        addresses = re.findall(r"<(?:a|img)\b[^>]*?(?:href|src)=\"([^\"]+)", html)
        inside = [one for one in addresses if not re.match(r"https:|data:image", one)]
        assert all((folder / one).is_file() for one in inside), inside
    assert len(re.findall(rb"/Type */Page\b", (folder / "report.pdf").read_bytes())) == 2
