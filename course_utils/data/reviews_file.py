"""The default output of the review grammar, kept in data/reviews.csv.gz.

`python -m course_utils.data.reviews_file` writes it.
"""

from __future__ import annotations

import inspect

import numpy as np

from course_utils.data import kept
from course_utils.data.arguments import one_of
from course_utils.data.reviews_grammar import SEED, SIZES, make_reviews

NAME = "reviews.csv.gz"
SETTINGS = tuple(inspect.signature(make_reviews).parameters)[2:]


def generate(seed: int = SEED, **grammar) -> dict[str, np.ndarray]:
    """Reviews by the grammar as columns: split, label (int32), phenomenon, text.

    grammar: the settings of `make_reviews`. Raises ValueError for one that it does not have.
    """
    for name in set(grammar) - set(SETTINGS):
        one_of("setting of the grammar", name, ("seed", *SETTINGS))
    reviews = make_reviews(sum(SIZES.values()), seed, **grammar)
    return {
        "split": np.repeat(list(SIZES), list(SIZES.values())),
        "label": reviews.labels,
        "phenomenon": reviews.phenomena,
        "text": reviews.texts,
    }


def read() -> dict[str, np.ndarray]:
    """The kept reviews, as `generate()` gives them.

    Raises FileNotFoundError without the file, ValueError when it is damaged.
    """
    return kept.read(NAME, "course_utils.data.reviews_file", _arrays)


def _arrays(table) -> dict[str, np.ndarray]:
    return {
        "split": np.array(table["split"]),
        "label": np.array([int(label) for label in table["label"]], "int32"),
        "phenomenon": np.array(table["phenomenon"]),
        "text": np.array(table["text"], object),
    }


def write() -> None:
    """Make the default reviews and keep them."""
    table = generate()
    kept.write(NAME, table, zip(*table.values(), strict=True))


if __name__ == "__main__":
    write()
