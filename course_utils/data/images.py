"""The 8×8 digits, an order that holds classes alike, and the sizes of images and patches."""

import numpy as np

from course_utils.data.base import Dataset, Split, whole_number

DIGITS = {"train": 1_200, "val": 200, "test": 397}
DIGITS_CUT = 1797  # the cut's own seed: whatever the caller draws, the test part stays


def load_digits(train: int = 1_200, seed: int = 0) -> Dataset:
    """Load scikit-learn's 1,797 digits; 397 for testing, 200 for validation, always the same.

    Every part holds the ten classes nearly alike. Who wrote which digit is not known: the same
    thirteen people wrote in all parts.

    Args:
        train: how many of the other 1,200; equally many of each digit as far as that goes.
        seed: draws which, and their order.

    Returns:
        A `Dataset` with inputs float32 (digits, 8, 8, 1), 0 the paper and 1 the ink, and
        targets int32 (digits,).
    """
    train = whole_number("train", train, at_least=1)
    if train > DIGITS["train"]:
        raise ValueError(f"train can be {DIGITS['train']:,} at most, got {train!r}")
    seed = whole_number("seed", seed, at_least=0)
    from sklearn.datasets import load_digits as load

    images, labels = load(return_X_y=True)
    images = (images.reshape(-1, 8, 8, 1) / 16).astype("float32")
    labels = labels.astype("int32")
    order = balanced_order(labels, np.random.default_rng(DIGITS_CUT))
    test, val, others = np.split(order, [DIGITS["test"], DIGITS["test"] + DIGITS["val"]])
    drawn = others[balanced_order(labels[others], np.random.default_rng(seed))[:train]]
    return Dataset(
        "digits",
        *(Split(images[rows], labels[rows]) for rows in (drawn, val, test)),
        class_names=tuple("0123456789"),
        source="scikit-learn's load_digits: the test part of Alpaydin and Kaynak, "
        '"Optical recognition of handwritten digits" (1998), UCI Machine Learning Repository',
        licence="CC BY 4.0",
    ).announce(", 8×8 pixels; scikit-learn's load_digits")


def balanced_order(labels: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return the places of the labels: one of each class, another of each, and so on.

    So the first n hold equally many of every class, give or take one, for as long as every
    class lasts. The order within a class, and of the classes in a round, is drawn.
    """
    shuffled = draw.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    counts = np.unique(labels, return_counts=True)[1]
    rounds = np.concatenate([np.arange(count) for count in counts])
    return by_class[np.lexsort((draw.random(len(labels)), rounds))]


def sides(name, value):
    """Return (height, width) of a side or a pair of sides."""
    pair = value if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2:
        raise ValueError(f"{name} has to be one side or (height, width), got {value!r}")
    return tuple(whole_number(name, side, at_least=1) for side in pair)


def patch_grid(image, patch):
    """Return how many patches lie below and beside each other: (rows, columns).

    A side has to be a multiple of the patch's: a strided convolution would silently drop the
    rim.
    """
    patch = whole_number("patch", patch, at_least=1)
    height, width = sides("image", image)
    for name, side in (("height", height), ("width", width)):
        if side % patch:
            below = side // patch * patch
            sizes = f"{below} or {below + patch}" if below else f"{patch}"
            fitting = range(1, min(height, width) + 1)
            patches = [str(size) for size in fitting if not (height % size or width % size)]
            raise ValueError(
                f"an image of {height}×{width} cannot be cut into patches of {patch}×{patch}: "
                f"its {name} {side} is not divisible by {patch}; {sizes} "
                f"would be, or take a patch of {', '.join(patches)}"
            )
    return height // patch, width // patch


def check_images(shape):
    """Raise ValueError unless the shape is that of images (batch, height, width, channels)."""
    if len(shape) != 4:
        hint = "; grey images need an axis for it: images[..., None]" * (len(shape) == 3)
        raise ValueError(
            f"images have to be (batch, height, width, channels), got {tuple(shape)}{hint}"
        )
