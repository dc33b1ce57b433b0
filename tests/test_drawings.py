"""The course's drawings are whole files that say what they show."""

import re

import pytest

from course_utils import figures


@pytest.mark.parametrize("name", figures.names())
def test_a_drawing_stands_by_itself(name):
    svg = (figures.DRAWINGS / f"{name}.svg").read_text(encoding="utf-8")
    assert len(figures.alternative_text(svg)) > 100
    assert "viewBox" in svg and 'fill="#FFFFFF"' in svg
    assert "href" not in svg and "url(http" not in svg
    [width] = re.findall(r'<svg[^>]* width="(\d+)"', svg)
    assert int(width) <= 900


def test_every_drawing_is_shown_in_a_lecture():
    lectures = figures.DRAWINGS.parents[1] / "lectures"
    text = "".join(path.read_text(encoding="utf-8") for path in lectures.glob("*.py"))
    assert [name for name in figures.names() if f'figures.show("{name}")' not in text] == []
