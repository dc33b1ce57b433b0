"""Edit distance in both forms, error rates, and attention put together by cells."""

import numpy as np
import pytest

from course_utils.edit_distance import edit_distance, error_rate
from course_utils.numpy_ref.cells import weights_by_cell
from course_utils.numpy_ref.edit_distance import edit_table


@pytest.mark.parametrize(
    ("written", "true", "edits"),
    [
        ("3141", "3141", 0),
        ("341", "3141", 1),
        ("1314", "3141", 2),
        ("", "3141", 4),
        ("3141", "", 4),
        ("kitten", "sitting", 3),
    ],
)
def test_edits_counted_by_hand(written, true, edits):
    assert edit_distance(written, true) == edits == edit_table(written, true)[-1, -1]


def test_both_forms_are_equal_and_a_distance():
    draw = np.random.default_rng(0)
    texts = [list(draw.integers(0, 3, size=draw.integers(0, 7))) for _ in range(12)]
    for one in texts:
        for other in texts:
            gap = edit_distance(one, other)
            assert gap == edit_table(one, other)[-1, -1] == edit_distance(other, one)
            assert abs(len(one) - len(other)) <= gap <= max(len(one), len(other))
            assert all(gap <= edit_distance(one, m) + edit_distance(m, other) for m in texts)


def test_the_error_rate_weighs_tokens_and_can_exceed_one():
    assert error_rate(["3 4 1", "7"], ["3 1 4 1", "7"]) == pytest.approx(1 / 5)
    assert error_rate(["1 2 3 4"], ["9"]) == 4
    assert error_rate([""], ["1 2"]) == 1


@pytest.mark.parametrize(
    ("written", "true", "telling"),
    [
        ("3", ["3"], "lists"),
        (["3"], [], "1 written"),
        ([""], [""], "true token"),
        ([], [], "true token"),
    ],
)
def test_nothing_to_compare_is_refused(written, true, telling):
    with pytest.raises(ValueError, match=telling):
        error_rate(written, true)


@pytest.mark.parametrize(("grid", "side"), [(2, 4), (2, 8), (3, 6)])
def test_a_patch_counts_for_the_cell_it_lies_in(grid, side):
    inside = side // grid
    for patch in range(side**2):
        row, column = divmod(patch, side)
        found = weights_by_cell(np.eye(side**2)[patch], grid)
        assert found.shape == (grid**2,)
        assert found.argmax() == row // inside * grid + column // inside and found.sum() == 1
