"""More reviews by the course's grammar, without labels: text to pre-train on."""

from __future__ import annotations

import numpy as np

from course_utils.data import reviews_file
from course_utils.data.arguments import whole_number
from course_utils.data.reviews_grammar import make_reviews


def unlabelled_reviews(count: int, seed: int = 1, **grammar) -> np.ndarray:
    """Texts by the grammar of `load_reviews()`: object array (count,) of str, all different.

    None of them stands in the validation or the test part of `load_reviews()`.
    seed: 0 is what those reviews were made from; another one gives other texts.
    grammar: the settings of `reviews_grammar.make_reviews`.

    Raises ValueError for a wrong argument, FileNotFoundError without data/reviews.csv.gz.
    """
    whole_number("count", count, at_least=1)
    kept = reviews_file.read()
    held_out = set(kept["text"][kept["split"] != "train"])
    texts = make_reviews(count + len(held_out), seed, **grammar).texts
    free = [text for text in texts if text not in held_out]
    return np.array(free[:count], object)
