"""One statement of a lecture is run with what it needs, and no more."""

import nbformat
import pytest

from tools.part import cut_down

LECTURE = """
import math
import json

SIZE = {"width": 1}
SIZE |= {"depth": 2}
log = ["heavy"]


def area(scale):
    local = SIZE["width"] * SIZE["depth"]
    return round(math.sqrt(local * scale * FACTOR), 3)


total = 100
for step in range(3):
    log.append(step)
total = area(2)
with open(__file__) as file:
    first = file.readline()
print("not wanted")
FACTOR = 4
"""


def sliced(statement, lecture=LECTURE):
    """What is kept of a lecture for a statement: code."""
    cells = [nbformat.v4.new_markdown_cell("# A"), nbformat.v4.new_code_cell(lecture)]
    needed, last = cut_down(nbformat.v4.new_notebook(cells=cells), statement).cells
    assert last.source == statement
    return needed.source


def test_only_what_the_statement_needs_is_kept_and_runs():
    needed, names = sliced("result = area(2)"), {}
    exec(f"{needed}\nresult = area(2)", names)
    assert names["result"] == 4.0
    assert not {"json", "log", "total", "step"} & set(names)
    assert "print" not in needed


def test_the_last_assignment_before_the_use_counts_and_what_a_with_block_binds():
    needed = sliced("print(total)")
    assert "total = area(2)" in needed and "100" not in needed
    needed = sliced("print(first)")
    assert "readline" in needed and "total" not in needed


def test_a_global_that_a_class_body_shadows_is_kept():
    source = "def turn(x):\n    return -x\n\n\nclass Layer:\n    turn = staticmethod(turn)\n"
    names = {}
    exec(sliced("Layer()", source), names)
    assert names["Layer"].turn(1) == -1


@pytest.mark.parametrize("statement", ["print(1)", "area(", "volume(2)"])
def test_a_statement_without_the_lecture_is_refused(statement):
    with pytest.raises(ValueError, match="no Python|nothing that the lecture"):
        sliced(statement)
