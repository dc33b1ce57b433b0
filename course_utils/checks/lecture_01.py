"""The checks of lecture 01: multi-hot rows, lookup, pairs, analogy, fooling counters."""

from collections.abc import Iterable

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.data import tokenize
from course_utils.numpy_ref import bag_of_words, skip_gram


def _numbers(value, what):
    """Return what a student gave as float64, or refuse what is no array of numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array(None)
    require(
        array.dtype.kind in "biuf",
        f"{what} should be an array of numbers, with rows of one length; yours is {value!r}",
    )
    return array.astype("float64")


@exercise(
    "01.1",
    solved="Length, repetition and order are gone: one yes or no a word is all the model sees.",
)
def multi_hot_row(answer):
    ids, size = [5, 3, 5, 5, 0, 0], 7
    row = _numbers(call(answer, ids, size), "the row")
    require(
        row.shape == (size,),
        f"the row needs one column for each of the {size} entries of the vocabulary, "
        f"yours has shape {row.shape}",
    )
    require(row[0] == 0, "column 0 is switched on, but word 0 is no word: it is padding")
    require(
        row.max() <= 1,
        f"word 5 occurs three times and your cell says {row.max():g}: that is a count; a cell "
        "says yes or no, at most 1",
    )
    require(
        row[5] == 1 and row[3] == 1,
        "words 3 and 5 occur: their columns should be 1 (ids is a list: make it an array "
        "if you compare all of it with 0)",
    )
    require(row.sum() == 2, "a word that does not occur should have a 0")
    again = _numbers(call(answer, [2], 4), "the row")
    require(again.tolist() == [0, 0, 1, 0], "for ids [2] and size 4 the row is [0, 0, 1, 0]")


@exercise(
    "01.2",
    solved="Multiplying by a one-hot row reads one row of the matrix: that is an embedding.",
)
def lookup_by_product(answer):
    for vocabulary, dimensions in ((5, 5), (9, 4)):
        matrix = np.arange(1.0, vocabulary * dimensions + 1).reshape(vocabulary, dimensions)
        matrix **= 1.1
        ids = np.array([3, 1, 1, 4, 0])
        pair = _pair(answer, ids, matrix)
        rows = _numbers(pair[0], "what you return first, the one-hot rows,")
        product = _numbers(pair[1], "what you return second, the product,")
        width = rows.shape[-1] if rows.ndim else 0
        require(
            width == vocabulary,
            f"a one-hot row is as wide as the vocabulary, here {vocabulary}: one column a "
            f"word; yours has {width}",
        )
        expected = bag_of_words.one_hot(ids, vocabulary)
        require(
            rows.shape == expected.shape and (rows == expected).all(),
            f"for ids {ids.tolist()} the one-hot rows should have shape {expected.shape}, "
            "with a single 1 each, in the column of the id",
        )
        wrong_side = (
            product.shape in (matrix[ids].shape, matrix[ids].T.shape)
            and not _same(product, matrix[ids])
            and any(
                _same(product, wrong)
                for wrong in (matrix[:, ids], matrix.T[ids], matrix[ids].T)
            )
        )
        require(
            not wrong_side,
            "you multiplied from the wrong side: words are the *rows* of the matrix, so the "
            "one-hot rows stand on the left, one_hot @ matrix",
        )
        require(
            product.shape != matrix[ids].shape or _same(product, matrix[ids]),
            "the product has the right shape but other numbers than the rows "
            f"{ids.tolist()} of the matrix: multiply with @, not *, and the matrix as it is",
        )
        require(
            _same(product, matrix[ids]),
            f"the product should be the rows {ids.tolist()} of the matrix, "
            f"shape {matrix[ids].shape}; yours has shape {product.shape}",
        )


def _pair(answer, ids, matrix):
    pair = call(answer, ids, matrix)
    require(
        isinstance(pair, tuple | list) and len(pair) == 2,
        "return two arrays, the one-hot rows and their product with the matrix",
    )
    return pair


def _same(one, other):
    return one.shape == other.shape and np.allclose(one, other)


@exercise(
    "01.3",
    solved="Every word is centre once and context several times, and no label was needed.",
)
def pairs_in_window_two(answer):
    tokens = "we saw a very dull film".split()
    expected = skip_gram.pairs(tokens, 2)
    found = _listed(answer, tokens)
    itself = [pair for pair in found if pair[0] == pair[1]]
    require(not itself, f"{itself[:1]} pairs a word with itself: offset 0 is not context")
    ahead = {pair for pair in expected if tokens.index(pair[1]) > tokens.index(pair[0])}
    require(
        set(found) != ahead,
        "you only look to the right: context is both sides, so (saw, we) belongs as well as "
        "(we, saw)",
    )
    require(
        set(found) != set(expected) - ahead,
        "you only look to the left: context is both sides, so (we, saw) belongs as well as "
        "(saw, we)",
    )
    far = sorted(set(found) - set(expected))
    require(not far, f"{far[:1]} is not a pair of words at most two apart")
    lacking = sorted(set(expected) - set(found))
    require(not lacking, f"{lacking[:1]} is missing: they stand at most two words apart")
    require(
        len(found) == len(expected), "each pair of places counts once; yours come more often"
    )
    twice = _listed(answer, ["no", "no"])
    require(
        len(twice) == 2,
        "in “no no” each is the other's context: compare places, not words, to leave out a "
        "word's own place",
    )


def _listed(answer, tokens):
    found = call(answer, tokens)
    require(
        not isinstance(found, set | frozenset),
        "a set keeps equal pairs only once, but a pair that comes up twice is to be learned "
        "twice: return a list",
    )
    require(
        isinstance(found, Iterable) and not isinstance(found, str | dict),
        f"return a list of pairs (centre, context); yours is {found!r}",
    )
    found = call(list, found)
    for pair in found:
        require(
            isinstance(pair, tuple | list | np.ndarray)
            and len(pair) == 2
            and all(isinstance(word, str) for word in pair),
            f"each entry should be two words, (centre, context); one of yours is {pair!r}",
        )
    return [tuple(pair) for pair in found]


@exercise(
    "01.4",
    solved="Leaving out the question's words is part of the method: without it most analogies "
    "answer with a word you gave.",
)
def analogy(answer):
    # Made so that each usual mistake answers with another word than the method.
    words = np.array(["man", "woman", "king", "queen", "prince", "the"])
    vectors = np.array(
        [
            [0.0, -0.3, 1.0, 0.0],
            [0.0, 0.3, 1.0, 0.0],
            [2.0, -0.3, 1.0, 0.0],
            [2.1, 0.1, 0.5, 0.8],
            [1.8, -0.5, 0.3, -0.7],
            [3.0, 5.0, 15.0, 4.0],
        ]
    )
    reply = str(call(answer, "man", "woman", "king", words, vectors))
    require(
        reply not in ("man", "woman", "king"),
        f"you found {reply} again: the words of the question lie nearest to the target, leave "
        "them out",
    )
    require(
        reply != "the",
        "“the” won by its length: a long vector has large products with all others; divide "
        "each vector by its length before you compare",
    )
    require(reply in words, f"return one of the words; yours is {reply!r}")
    require(
        reply == "queen",
        f"man : woman :: king gives {reply}; the target is second − first + third",
    )
    back = str(call(answer, "woman", "man", "queen", words, vectors))
    require(back == "king", f"woman : man :: queen should give king, yours gives {back}")


@exercise(
    "01.5",
    solved="No weights on words can separate this pair, however many dimensions a word has. "
    "Reading in order can.",
)
def fool_every_counter(answer):
    shape = "give two reviews, each as (text, label): ((text, 1), (text, 0))"
    require(isinstance(answer, tuple | list) and len(answer) == 2, shape)
    for review in answer:
        require(isinstance(review, tuple | list) and len(review) == 2, shape)
        require(isinstance(review[0], str) and np.isscalar(review[1]), shape)
        require(review[1] in (0, 1), shape)
    (first, first_label), (second, second_label) = answer
    require(
        first_label != second_label,
        f"both labels are {first_label}: equal labels fool nobody, one review must praise and "
        "the other damn",
    )
    one, other = tokenize(first), tokenize(second)
    require(len(one) > 1, "write at least two words")
    require(one != other, "the two reviews are word for word the same: no reader could tell")
    differing = sorted(set(one) ^ set(other))
    require(
        not differing,
        f"a counter sees different words ({', '.join(differing[:4])}): sort both, they must "
        "match",
    )
    require(
        sorted(one) == sorted(other),
        "the same words, but not equally often: a count of words tells them apart; sort both, "
        "they must match",
    )
