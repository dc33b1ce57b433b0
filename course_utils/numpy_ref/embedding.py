"""An embedding in plain NumPy: a lookup, which is a product with one-hot rows."""

import numpy as np

from course_utils.numpy_ref.bag_of_words import one_hot


def lookup(ids, matrix):
    """Return the rows of `matrix` that `ids` name.

    Args:
        ids: int, any shape.
        matrix: (vocabulary, dimensions), one row a word.

    Returns:
        Shape of `ids` plus (dimensions,).
    """
    return matrix[ids]


def lookup_by_product(ids, matrix):
    """Return the same rows as `lookup`, by multiplying one-hot rows with the matrix.

    Args:
        ids: int, any shape.
        matrix: (vocabulary, dimensions), one row a word.

    Returns:
        Shape of `ids` plus (dimensions,).
    """
    return one_hot(ids, len(matrix)) @ matrix


def lookup_gradient(ids, gradient, size):
    """Return the gradient of the matrix: each word gathers what arrives at its places.

    Args:
        ids: int, any shape.
        gradient: of the looked-up vectors, shape of `ids` plus (dimensions,).
        size: entries of the vocabulary.

    Returns:
        (size, dimensions); rows of words that did not occur are zero.
    """
    total = np.zeros((size, gradient.shape[-1]), gradient.dtype)
    np.add.at(total, ids, gradient)
    return total


def masked_mean(vectors, mask):
    """Average the vectors of each review over its real words only.

    Args:
        vectors: (reviews, length, dimensions).
        mask: bool, (reviews, length), True at real words.

    Returns:
        (reviews, dimensions); zeros for a review without a word.
    """
    kept = vectors * mask[..., None]
    return kept.sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)


def flatten_dense(ids, matrix, kernel, bias):
    """Look up, lay the vectors side by side, weigh and squash them: the slides' network.

    Args:
        ids: int, (reviews, length).
        matrix: (vocabulary, dimensions).
        kernel: (length · dimensions, 1): its own weights for every place.
        bias: (1,).

    Returns:
        Probability of praise, (reviews, 1).
    """
    flat = lookup(ids, matrix).reshape(len(ids), -1)
    return 1 / (1 + np.exp(-(flat @ kernel + bias)))
