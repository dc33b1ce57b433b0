"""Texts to pre-train on, which need no label: by the reviews' grammar, and IMDB's."""

import numpy as np

from course_utils.data import imdb
from course_utils.data.base import whole_number
from course_utils.data.reviews import (
    DAMNING,
    FILM_SUBJECTS,
    NEGATORS,
    PRAISING,
    Drawer,
    make_reviews,
    read_reviews,
)

BETWEEN = (
    "to my surprise",
    "if you ask me",
    "in the second half",
    "as far as I could see",
    "for most of the evening",
    "from the first scene to the last",
)


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


def distant_texts(count: int) -> tuple[list[str], np.ndarray]:
    """Make reviews whose adjectives stand some words behind "was" and behind a negator.

    Of the two verdicts of a review one is denied, the other stated: "The plot was never to my
    surprise dull and the cast was if you ask me superb." So each review has a negator, a
    praising and a damning adjective, and only what the negator belongs to tells its label.

    Returns:
        Texts, all different, and int32 (count,), 1 for praise.
    """
    write, made = Drawer("distant"), {}
    while len(made) < count:
        label, denied = write.random() < 0.5, write.random() < 0.5
        clauses = []
        for _ in range(2):
            adjectives = PRAISING if label != denied else DAMNING
            words = ["the", write.choose(FILM_SUBJECTS), "was"]
            words += [write.choose(NEGATORS)] if denied else []
            words += [write.choose(BETWEEN), write.choose(adjectives)]
            clauses.append(" ".join(words))
            denied = not denied
        made.setdefault(f"T{' and '.join(clauses)[1:]}.", int(label))
    return list(made), np.array(list(made.values()), "int32")


def imdb_texts() -> np.ndarray:
    """Load IMDB's 75,000 reviews outside its test part, the 50,000 without a label first."""
    return np.concatenate([imdb.read("unsupervised")[0], imdb.read("train")[0]])
