"""The course's drawings are whole files that say what they show."""

import re

import pytest

from course_utils import figures
from tools.source import lectures


@pytest.mark.parametrize("path", figures.files().values(), ids=lambda path: path.stem)
def test_a_drawing_stands_by_itself(path):
    svg = path.read_text(encoding="utf-8")
    assert len(figures.alternative_text(svg)) > 100
    assert "viewBox" in svg and 'fill="#FFFFFF"' in svg
    assert "href" not in svg and "url(http" not in svg
    [width] = re.findall(r'<svg[^>]* width="(\d+)"', svg)
    assert int(width) <= 900


def test_every_drawing_is_shown_in_a_lecture():
    text = "".join(path.read_text(encoding="utf-8") for path in lectures())
    assert [name for name in figures.files() if f'figures.show("{name}")' not in text] == []
