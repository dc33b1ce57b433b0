"""Splits and datasets."""

import numpy as np
import pytest

from course_utils.data import Dataset, Split


def test_split_takes_rows_of_everything():
    split = Split(
        {"source": np.arange(6).reshape(3, 2), "target": np.arange(3)},
        np.array([0, 1, 0]),
        weights=np.array([1.0, 2.0, 3.0]),
        columns={"phenomenon": np.array(["plain", "far", "turn"])},
    )
    part = split.take([2, 1])
    assert len(split) == 3 and len(part) == 2
    assert part.inputs["source"].tolist() == [[4, 5], [2, 3]]
    assert part.inputs["target"].tolist() == [2, 1]
    assert part.targets.tolist() == [0, 1]
    assert part.weights.tolist() == [3.0, 2.0]
    assert part.columns["phenomenon"].tolist() == ["turn", "far"]


def test_split_without_weights_and_columns():
    part = Split(np.arange(3), np.arange(3)).take(np.array([True, False, True]))
    assert part.weights is None and part.columns is None
    assert part.inputs.tolist() == [0, 2]


@pytest.mark.parametrize(
    "other",
    [
        {"targets": np.zeros(2)},
        {"targets": np.zeros(3), "weights": np.zeros(2)},
        {"targets": np.zeros(3), "columns": {"phenomenon": np.zeros(4)}},
    ],
)
def test_split_refuses_different_numbers_of_rows(other):
    with pytest.raises(ValueError, match="same number of rows"):
        Split(np.zeros((3, 2)), **other)


def test_dataset_gives_its_parts_by_name():
    parts = [Split(np.zeros(size), np.zeros(size)) for size in (3, 2, 1)]
    dataset = Dataset("small", *parts)
    assert [dataset.split(name) for name in ("train", "val", "test")] == parts
    assert "3 / 2 / 1" in repr(dataset)
    with pytest.raises(ValueError, match="'train', 'val', 'test'"):
        dataset.split("validation")
