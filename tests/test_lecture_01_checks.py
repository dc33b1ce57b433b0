"""Each check of lecture 01: a solution passes, a stub is unsolved, a mistake explained."""

import numpy as np
import pytest

import course_utils as cu
from course_utils.numpy_ref import bag_of_words, skip_gram


def multi_hot_row(ids, size):
    return bag_of_words.multi_hot(np.array([ids]), size)[0]


def counts_row(ids, size):
    return bag_of_words.counts(np.array([ids]), size)[0]


def row_with_padding(ids, size):
    row = np.zeros(size)
    row[ids] = 1
    return row


def lookup_by_product(ids, matrix):
    rows = bag_of_words.one_hot(ids, len(matrix))
    return rows, rows @ matrix


def matrix_times_rows(ids, matrix):
    rows = bag_of_words.one_hot(ids, len(matrix))
    return rows, matrix @ rows.T


def columns_of_matrix(ids, matrix):
    rows = bag_of_words.one_hot(ids, len(matrix))
    return rows, rows @ matrix.T


def as_wide_as_the_vectors(ids, matrix):
    rows = bag_of_words.one_hot(ids, max(matrix.shape[1], 5))
    return rows, rows @ np.ones((rows.shape[1], matrix.shape[1]))


def eight_columns(ids, matrix):
    return bag_of_words.one_hot(ids, 8), matrix[ids]


def pairs(tokens):
    return skip_gram.pairs(tokens, 2)


def pairs_with_itself(tokens):
    return [
        (centre, context)
        for place, centre in enumerate(tokens)
        for context in tokens[max(0, place - 2) : place + 3]
    ]


def pairs_to_the_right(tokens):
    return [
        (centre, context)
        for place, centre in enumerate(tokens)
        for context in tokens[place + 1 : place + 3]
    ]


def pairs_of_different_words(tokens):
    return [pair for pair in pairs(tokens) if pair[0] != pair[1]]


def pairs_of_window_one(tokens):
    return skip_gram.pairs(tokens, 1)


def pairs_of_window_three(tokens):
    return skip_gram.pairs(tokens, 3)


def analogy(first, second, third, words, vectors):
    return skip_gram.analogy(first, second, third, words, vectors)[0]


def _target(first, second, third, words, vectors):
    a, b, c = (list(words).index(word) for word in (first, second, third))
    return vectors[b] - vectors[a] + vectors[c], [a, b, c]


def analogy_with_question_words(first, second, third, words, vectors):
    unit = skip_gram.unit(vectors)
    target, _ = _target(first, second, third, words, unit)
    return words[np.argmax(unit @ target)]


def analogy_without_lengths(first, second, third, words, vectors):
    target, asked = _target(first, second, third, words, vectors)
    scores = vectors @ target
    scores[asked] = -np.inf
    return words[np.argmax(scores)]


def analogy_with_wrong_sign(first, second, third, words, vectors):
    return analogy(second, first, third, words, vectors)


PRAISE = "The plot was clever and hardly ever dull"
BLAME = "The plot was dull and hardly ever clever"

SOLUTIONS = {
    "01.1": multi_hot_row,
    "01.2": lookup_by_product,
    "01.3": pairs,
    "01.4": analogy,
    "01.5": ((PRAISE, 1), (BLAME, 0)),
}

WRONG = [
    ("01.1", counts_row, "a count"),
    ("01.1", row_with_padding, "word 0 is no word"),
    ("01.1", lambda ids, size: np.zeros(len(ids)), "one column for each"),
    ("01.1", lambda ids, size: np.ones(size) * (np.arange(size) > 0), "does not occur"),
    ("01.2", matrix_times_rows, "wrong side"),
    ("01.2", columns_of_matrix, "wrong side"),
    ("01.2", as_wide_as_the_vectors, "shape (5, 5)"),
    ("01.2", eight_columns, "as wide as the vocabulary"),
    ("01.2", lambda ids, matrix: matrix[ids], "return two arrays"),
    ("01.3", pairs_with_itself, "itself"),
    ("01.3", pairs_to_the_right, "both sides"),
    ("01.3", pairs_of_different_words, "compare places"),
    ("01.3", pairs_of_window_one, "is missing"),
    ("01.3", pairs_of_window_three, "at most two apart"),
    ("01.4", analogy_with_question_words, "again"),
    ("01.4", analogy_without_lengths, "length"),
    ("01.4", analogy_with_wrong_sign, "second − first + third"),
    ("01.5", ((PRAISE, 1), ("The plot was awful", 0)), "sort both"),
    ("01.5", ((PRAISE, 1), (BLAME, 1)), "equal labels"),
    ("01.5", ((PRAISE, 1), (BLAME + " dull", 0)), "not equally often"),
    ("01.5", ((PRAISE, 1), (PRAISE.upper(), 0)), "word for word the same"),
    ("01.5", PRAISE, "(text, label)"),
]


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_solution_passes(identifier, capsys):
    cu.checks.check(identifier, SOLUTIONS[identifier])
    assert capsys.readouterr().out.startswith(f"{identifier}: correct.")


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_stub_is_not_solved(identifier, capsys):
    def stub(*arguments): ...

    for answer in (..., None) if identifier == "01.5" else (stub, ..., None):
        cu.checks.check(identifier, answer)
        assert capsys.readouterr().out == f"{identifier}: not solved yet\n"


@pytest.mark.parametrize("identifier,answer,telling", WRONG)
def test_mistake_is_explained(identifier, answer, telling, capsys):
    cu.checks.check(identifier, answer)
    output = capsys.readouterr().out
    assert output.startswith(f"{identifier}: not yet: ")
    assert telling in output
