"""Count words in plain NumPy: one-hot, multi-hot, counts, n-grams, naive-Bayes log ratios."""

import numpy as np


def one_hot(ids, size):
    """Write every id as a row of zeros with a single one.

    Args:
        ids: whole numbers, any shape.
        size: entries of the vocabulary; ids run from 0 to size - 1.

    Returns:
        float32, shape of `ids` plus (size,).

    Raises:
        IndexError: for an id outside the vocabulary.
    """
    return np.eye(size, dtype="float32")[ids]


def counts(reviews, size):
    """Count how often each word stands in each review.

    Args:
        reviews: int, (reviews, length), filled up with 0, which is no word.
        size: entries of the vocabulary.

    Returns:
        float32, (reviews, size); column 0 stays empty.
    """
    table = np.zeros((len(reviews), size), "float32")
    for row, ids in zip(table, reviews, strict=True):
        np.add.at(row, ids[ids != 0], 1)
    return table


def multi_hot(reviews, size):
    """Say of each word whether it stands in each review: 1 or 0.

    Args:
        reviews: int, (reviews, length), filled up with 0, which is no word.
        size: entries of the vocabulary.

    Returns:
        float32, (reviews, size); column 0 stays empty.
    """
    table = np.zeros((len(reviews), size), "float32")
    for row, ids in zip(table, reviews, strict=True):
        row[ids[ids != 0]] = 1
    return table


def ngrams(tokens, longest):
    """Return all runs of 1 to `longest` neighbouring tokens, each joined by blanks.

    Raises:
        ValueError: for `longest` under 1.
    """
    if longest < 1:
        raise ValueError(f"an n-gram has at least one word, got longest={longest}")
    return [
        " ".join(tokens[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(tokens) - size + 1)
    ]


def log_ratios(features, targets):
    """Return each feature's naive-Bayes log ratio: how much likelier it is under praise.

    Add one to each count, so that no feature is impossible; turn the counts of each class into
    shares; take the logarithm of their ratio. Source: Wang and Manning (2012), "Baselines and
    Bigrams".

    Args:
        features: (reviews, size), 0 or 1 or counts; NumPy or SciPy sparse.
        targets: 0 or 1, (reviews,).

    Returns:
        float64, (size,): above 0 speaks for class 1, below 0 for class 0.
    """
    praised = 1 + np.asarray(features[targets == 1].sum(axis=0)).ravel()
    damned = 1 + np.asarray(features[targets == 0].sum(axis=0)).ravel()
    return np.log((praised / praised.sum()) / (damned / damned.sum()))
