"""Texts to pre-train on, which need no label: by the reviews' grammar, and IMDB's."""

import numpy as np

from course_utils.data import imdb
from course_utils.data.base import whole_number
from course_utils.data.reviews import make_reviews, read_reviews


def unlabelled_reviews(count: int, **grammar) -> np.ndarray:
    """Make texts by the grammar of `load_reviews`, other ones than `load_reviews()` has.

    None of them stands in the validation or the test part of `load_reviews()`.

    Args:
        grammar: settings of `make_reviews`.

    Returns:
        An object array (count,) of str, all different.
    """
    count = whole_number("count", count, at_least=1)
    kept = read_reviews()
    held_out = set(kept["text"][kept["split"] != "train"])
    texts = make_reviews(count + len(held_out), seed=1, **grammar)["text"]
    return np.array([text for text in texts if text not in held_out][:count], object)


def imdb_texts() -> np.ndarray:
    """Load IMDB's 75,000 reviews outside its test part, the 50,000 without a label first."""
    return np.concatenate([imdb.read("unsupervised")[0], imdb.read("train")[0]])
