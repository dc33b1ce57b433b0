"""The digits, whose held-out parts never change, and an order that holds classes alike."""

from hashlib import blake2b

import numpy as np
import pytest
from sklearn.datasets import load_digits

from course_utils import data
from course_utils.data import images
from course_utils.data.images import balanced_order


def test_every_beginning_of_the_order_holds_the_classes_alike():
    labels = np.repeat([0, 1, 2], [5, 9, 30])
    order = balanced_order(labels, np.random.default_rng(0))
    assert sorted(order) == list(range(44))
    for n in range(1, 16):
        counts = np.bincount(labels[order[:n]], minlength=3)
        assert counts.max() - counts.min() <= 1
    other = balanced_order(labels, np.random.default_rng(1))
    assert not np.array_equal(order, other)


def test_the_parts_of_the_digits():
    digits = data.load_digits()
    assert [len(digits.split(part)) for part in images.DIGITS] == [1_200, 200, 397]
    for part in images.DIGITS:
        inputs, targets = digits.split(part).inputs, digits.split(part).targets
        assert inputs.shape[1:] == (8, 8, 1) and inputs.dtype == np.float32
        assert inputs.min() == 0 and inputs.max() == 1 and targets.dtype == np.int32
        share = np.bincount(targets) / len(targets)
        assert np.abs(share - 0.1).max() < 0.01
    parts = [digits.split(part).inputs for part in images.DIGITS]
    together = np.concatenate(parts).reshape(-1, 64)
    assert sorted(map(tuple, together * 16)) == sorted(map(tuple, load_digits().data))


def test_held_out_digits_never_change_and_few_training_ones_are_balanced():
    first, other = data.load_digits(), data.load_digits(train=100, seed=3)
    for part in ("val", "test"):
        assert np.array_equal(first.split(part).inputs, other.split(part).inputs)
    pixels = (first.test.inputs * 16).astype("int8").tobytes()
    assert blake2b(pixels, digest_size=6).hexdigest() == "4bcfa973687b"
    assert np.bincount(other.train.targets).tolist() == [10] * 10
    few = data.load_digits(train=100).train
    assert np.array_equal(few.inputs, first.train.inputs[:100])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"train": 0}, "train"), ({"train": 1_201}, "1,200"), ({"seed": -1}, "seed")],
)
def test_a_wrong_argument_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        data.load_digits(**wrong)
