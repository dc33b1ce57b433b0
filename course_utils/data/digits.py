"""Real handwritten digits of 8×8 pixels, which come with scikit-learn: no download."""

from __future__ import annotations

import numpy as np

from course_utils.data.arguments import whole_number
from course_utils.data.balanced import balanced_order
from course_utils.data.dataset import Dataset, Split

SIZES = {"train": 1_200, "val": 200, "test": 397}
CLASS_NAMES = tuple("0123456789")
SOURCE = (
    "scikit-learn's load_digits: the test part of Alpaydin and Kaynak, "
    '"Optical recognition of handwritten digits" (1998), UCI Machine Learning Repository'
)
LICENCE = "CC BY 4.0"
_CUT = 1797  # the seed of the cut: whatever the caller draws, nothing leaves the test part


def load_digits(train: int = 1_200, seed: int = 0) -> Dataset:
    """The 1,797 digits: a test part of 397 and a validation part of 200, always the same ones.

    Each part: inputs float32 (digits, 8, 8, 1), 0 the paper and 1 the ink; targets int32
    (digits,). Every part holds the ten classes nearly alike.

    train: so many of the other 1,200, equally many of each digit as far as that goes.
    seed: draws which, and their order.

    Who wrote which digit is not known: the same thirteen people wrote in all parts.

    Raises ValueError for a wrong argument.
    """
    whole_number("train", train, at_least=1)
    if train > SIZES["train"]:
        raise ValueError(f"train can be {SIZES['train']:,} at most, got {train!r}")
    whole_number("seed", seed, at_least=0)
    from sklearn.datasets import load_digits as load

    images, labels = load(return_X_y=True)
    images = (images.reshape(-1, 8, 8, 1) / 16).astype("float32")
    labels = labels.astype("int32")
    order = balanced_order(labels, np.random.default_rng(_CUT))
    test, val, others = np.split(order, [SIZES["test"], SIZES["test"] + SIZES["val"]])
    drawn = others[balanced_order(labels[others], np.random.default_rng(seed))[:train]]
    dataset = Dataset(
        "digits",
        *(Split(images[rows], labels[rows]) for rows in (drawn, val, test)),
        class_names=CLASS_NAMES,
        source=SOURCE,
        licence=LICENCE,
    )
    print(
        f"digits: {len(drawn):,} / {len(val)} / {len(test)} for training / validation / test, "
        "8×8 pixels; scikit-learn's load_digits"
    )
    return dataset
