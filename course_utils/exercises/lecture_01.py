"""The exercises of lecture 01: rows of words, a lookup, pairs, the analogy, fooled counters."""

import numpy as np

from course_utils.data import tokenize
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_01
from course_utils.lectures.lecture_01 import multi_hot_row, skip_gram_pairs, unit

NO_COUNT = "that is a count: a word that comes up twice gets 1, too"


@exercise(
    "01.1",
    multi_hot_row,
    mistakes=[
        (lambda ids, n: np.isin(range(n), ids), "0 is padding, no word: its column stays 0"),
        (lambda ids, n: np.bincount(ids, minlength=n) * (np.arange(n) > 0), NO_COUNT),
        (lambda ids, n: np.bincount(ids, minlength=n), "0 is no word, and a count is too much"),
        (lambda ids, n: multi_hot_row([i for i in ids if i > 1], n), "1 is a word, too"),
        (lambda ids, n: np.eye(n)[[i for i in ids if i]], "one row in all, not one each"),
        (lambda ids, n: multi_hot_row(np.subtract(ids, 1), n), "word 5 has column 5, not 4"),
        (lambda ids, n: multi_hot_row(ids, max(ids) + 1), "a row has `size` columns"),
        (lambda ids, n: np.ones(n), "`ids` is a list: `ids != 0` is a single True"),
        (lambda ids, n: multi_hot_row(ids[1:2], n), "`ids` is a list: ids[ids != 0] is one id"),
    ],
    takes=2,
    level=1,
    hints=["Start from np.zeros(size).", "An array takes a list of places: row[places] = 1."],
    reasoning="Setting a column to 1 twice is as good as once; column 0 would tell the length.",
    solved="Length, repetition and order are gone: one yes or no a word is all a model sees.",
)
def _reviews(draw):
    yield [3, 1, 3, 0, 0], 6
    yield [*map(int, draw.integers(1, 8, size=9)), 7, 7, 0], 11


class _NoLookup(np.ndarray):
    def __getitem__(self, *_, **__):
        raise IndexError("no indexing into `matrix`")

    take = __getitem__


WIDE = "a one-hot row is as wide as the vocabulary"


def _product(out):
    return lambda ids, matrix: out(np.eye(len(matrix))[ids], matrix)


@exercise(
    "01.2",
    lecture_01.lookup_by_product,
    mistakes=[
        (lambda ids, matrix: (ids, matrix[ids]), "multiply instead"),
        (_product(lambda y, E: (y, E @ y)), "the one-hot rows stand left of `matrix`"),
        (_product(lambda y, E: (y, y * E)), "`*` multiplies number by number: take `@`"),
        (_product(lambda y, E: (y @ E, y)), "the one-hot rows come first"),
        (_product(lambda y, E: y @ E), "return two arrays"),
        (_product(lambda y, E: (y.T, y @ E)), "the one-hot rows are transposed"),
        (_product(lambda y, E: (y.max(0), y.max(0) @ E)), "each id has a row of its own"),
        (lambda ids, E: np.eye(E.shape[1])[ids], WIDE),
        (lambda ids, E: np.eye(max(ids) + 1)[ids] @ E, WIDE),
    ],
    takes=3,
    level=2,
    hints=["A one-hot row has a column for every word.", "In row i, column ids[i] is 1."],
    reasoning="All terms of a sum but one are zero, so the product picks one row of `matrix`.",
    solved="Multiplying by a one-hot row reads one row of the matrix: that is an embedding.",
    run=lambda answer, ids, matrix: answer(ids, matrix.view(_NoLookup)),
)
def _tables(draw):
    yield np.array([2, 0, 2]), draw.normal(size=(4, 2))
    yield np.append(draw.integers(0, 8, size=5), 7), draw.normal(size=(9, 4))


def _pairs(near):
    """Wrong pairs; near: of tokens t, places i and j, window w."""
    return lambda t, w: [
        (t[i], t[j]) for i in range(len(t)) for j in range(len(t)) if near(t, i, j, w)
    ]


def _wraps(t, i, j, w):
    return 0 < abs(j - i) <= w or i + len(t) - j <= w


def _empty(t, i, j, w):
    return 0 < abs(j - i) <= w and (j > i or i >= w)


def _listed(found, order):
    return found if found is None or isinstance(found, str) else order(found)


@exercise(
    "01.3",
    skip_gram_pairs,
    mistakes=[
        (_pairs(lambda t, i, j, w: abs(j - i) <= w), "no place is its own context"),
        (_pairs(lambda t, i, j, w: 0 < j - i <= w), "you look only to the right"),
        (_pairs(lambda t, i, j, w: 0 < i - j <= w), "you look only to the left"),
        (_pairs(lambda t, i, j, w: j != i and -w <= j - i < w), "range leaves its end out"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < w), "your window is one too small"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < w + 2), "your window is one too large"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < 3), "use `window`, not always 2"),
        (_pairs(lambda t, i, j, w: t[i] != t[j] and abs(j - i) <= w), "equal words are pairs"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - t.index(t[i])) <= w), "index finds the first"),
        (_pairs(_wraps), "a place under 0 counts from the end: nothing stands there"),
        (_pairs(_empty), "tokens[i - window : i] is empty where i - window is under 0"),
        (lambda t, w: set(skip_gram_pairs(t, w)), "equal pairs count: return a list, no set"),
    ],
    takes=3,
    level=2,
    hints=["Loop over the places with enumerate.", "tokens[max(0, i - window) : i] is left."],
    reasoning="At the edges there are fewer neighbours: `0 <= place + offset` sees to it.",
    solved="Every word is centre once and context several times, and no label was needed.",
    run=lambda answer, *arguments: _listed(answer(*arguments), sorted),
)
def _sentences(draw):
    yield ["no", "no", "no"], 1
    yield "a very dull film indeed".split(), 2
    yield "the plot was dull and the cast was dull".split(), 3


def _ranked(target=lambda a, b, c: b - a + c, scale=unit, ranks=unit, leave=slice(3), out=list):
    def rank(first, second, third, words, vectors):
        asked = [list(words).index(word) for word in (first, second, third)]
        ranked = np.argsort(-ranks(vectors) @ target(*scale(vectors)[asked]))
        return out([words[place] for place in ranked if place not in asked[leave]])

    return rank


@exercise(
    "01.4",
    lecture_01.analogy,
    mistakes=[
        (_ranked(lambda a, b, c: a - b + c), "the step goes from first to second"),
        (_ranked(lambda a, b, c: b + a - c), "start at third: subtract first, not third"),
        (_ranked(lambda a, b, c: b - a), "that is only the step: start at third"),
        (_ranked(lambda a, b, c: c), "those are the neighbours of third"),
        (_ranked(scale=np.array, ranks=np.array), "scale all vectors to length 1"),
        (_ranked(scale=np.array), "scale the vectors to length 1 before you subtract"),
        (_ranked(ranks=np.array), "long vectors win: compare with vectors of length 1"),
        (
            lambda *a: [*lecture_01.analogy(*a), *sorted(a[:3], key=list(a[3]).index)],
            "leave the words of the question out, do not rank them last",
        ),
        (_ranked(leave=slice(0)), "leave out the words of the question"),
        (_ranked(leave=slice(2)), "leave out third, too"),
        (_ranked(out=lambda found: found[::-1]), "the best comes last"),
        (_ranked(out=lambda found: found[:1]), "return all words, not only the best"),
        (_ranked(out=lambda found: found[0]), "return a list of all words, not only the best"),
    ],
    takes=5,
    level=3,
    hints=["What if some vectors are ten times longer?", "np.argsort(-closeness) ranks."],
    reasoning="After scaling, a product is a cosine, and no long vector wins by its length.",
    solved="Leaving out the question's words is part of the method: they often lie nearest.",
    run=lambda answer, *arguments: _listed(answer(*arguments), np.ravel),
)
def _questions(draw):
    words = np.array("man woman king queen the film actor actress plot he she prince".split())
    vectors = draw.uniform(0.2, 3, size=(12, 1)) * draw.normal(size=(12, 5))
    yield "woman", "man", "queen", words, vectors


NOT_FOOLED = [
    (lambda: ("dull", "good"), "return two pairs, ((text, 1), (text, 0))"),
    (lambda: (("not bad", 1), ("bad", 1)), "one review praises (label 1), the other damns (0)"),
    (lambda: (("not bad", 1), ("Not bad!", 0)), "they have the same words in the same order"),
    (lambda: (("not bad", 1), ("not good", 0)), "a counter sees different words: sort both"),
    (lambda: (("not bad", 1), ("bad, bad, not", 0)), "a count of each word tells them apart"),
]


def _fools(answer):
    try:
        (one, praise), (other, blame) = answer()
        one, other, labels = tokenize(one), tokenize(other), {praise, blame}
    except (AttributeError, TypeError, ValueError):
        require(False, NOT_FOOLED[0][1])
    alike = [one != other, set(one) == set(other), sorted(one) == sorted(other)]
    for holds, (_, meaning) in zip([True, labels == {0, 1}, *alike], NOT_FOOLED, strict=True):
        require(holds, meaning)


@exercise(
    "01.5",
    lecture_01.fool_every_counter,
    mistakes=NOT_FOOLED,
    takes=3,
    level=1,
    hints=["Sort the words of both: they must match.", "Exchange what is denied and what not."],
    reasoning="A sum over words is the same in every order; here only the order differs.",
    solved="No weights on words can separate this pair: only reading in order can.",
    equal=lambda given, expected: True,
    properties=[_fools],
)
def _nothing(draw):
    yield ()
