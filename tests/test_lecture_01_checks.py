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


def row_as_list(ids, size):
    return [int(word != 0 and word in ids) for word in range(size)]


def row_of_truths(ids, size):
    return np.isin(np.arange(size), [word for word in ids if word])


def row_by_comparing_a_list(ids, size):
    row = np.zeros(size)
    row[ids[ids != 0]] = 1
    return row


def lookup_in_lists(ids, matrix):
    rows, product = lookup_by_product(ids, matrix)
    return [rows.tolist(), product.tolist()]


def lookup_cell_by_cell(ids, matrix):
    rows = bag_of_words.one_hot(ids, len(matrix))
    return rows, np.array([[row @ column for column in matrix.T] for row in rows], "float32")


def products_of_cells(ids, matrix):
    rows = bag_of_words.one_hot(ids, len(matrix))
    return rows, rows * matrix


def pairs_one_by_one(tokens):
    yield from pairs(tokens)


def pairs_past_the_end(tokens):
    for place, centre in enumerate(tokens):
        yield centre, tokens[place + 1]


def analogy_by_distance(first, second, third, words, vectors):
    unit = skip_gram.unit(vectors)
    target, asked = _target(first, second, third, words, unit)
    distances = np.linalg.norm(unit - skip_gram.unit(target[None]), axis=1)
    distances[asked] = np.inf
    return str(words[np.argmin(distances)])


OTHER_WAYS = [
    ("01.1", row_as_list),
    ("01.1", row_of_truths),
    ("01.2", lookup_in_lists),
    ("01.2", lookup_cell_by_cell),
    ("01.3", lambda tokens: [list(pair) for pair in pairs(tokens)]),
    ("01.3", lambda tokens: np.array(pairs(tokens))),
    ("01.3", pairs_one_by_one),
    ("01.4", analogy_by_distance),
    ("01.5", [[PRAISE, True], [BLAME, False]]),
    ("01.5", ((BLAME, np.int64(0)), (PRAISE, np.float32(1)))),
]

WRONG = [
    ("01.1", counts_row, "a count"),
    ("01.1", row_with_padding, "word 0 is no word"),
    ("01.1", lambda ids, size: np.zeros(len(ids)), "one column for each"),
    ("01.1", lambda ids, size: np.ones(size) * (np.arange(size) > 0), "does not occur"),
    ("01.1", row_by_comparing_a_list, "ids is a list"),
    ("01.1", lambda ids, size: [[1], [1, 2]], "array of numbers"),
    ("01.1", lambda ids, size: ["0"] * size, "array of numbers"),
    ("01.2", lambda ids, matrix: ([[1], [1, 2]], matrix[ids]), "first, the one-hot rows"),
    ("01.2", lambda ids, matrix: (lookup_by_product(ids, matrix)[0], "no"), "second"),
    ("01.2", products_of_cells, "multiply with @"),
    ("01.2", matrix_times_rows, "wrong side"),
    ("01.2", columns_of_matrix, "wrong side"),
    ("01.2", as_wide_as_the_vectors, "other numbers"),
    ("01.2", eight_columns, "as wide as the vocabulary"),
    ("01.2", lambda ids, matrix: matrix[ids], "return two arrays"),
    ("01.3", pairs_with_itself, "itself"),
    ("01.3", pairs_to_the_right, "both sides"),
    ("01.3", pairs_of_different_words, "compare places"),
    ("01.3", pairs_past_the_end, "your code raised IndexError"),
    ("01.3", lambda tokens: set(pairs(tokens)), "return a list"),
    ("01.3", lambda tokens: 18, "list of pairs"),
    ("01.3", lambda tokens: dict(pairs(tokens)), "list of pairs"),
    ("01.3", lambda tokens: tokens, "two words"),
    ("01.3", lambda tokens: [()], "two words"),
    ("01.3", lambda tokens: [([a], [b]) for a, b in pairs(tokens)], "two words"),
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
    ("01.5", ((PRAISE, np.array([1, 0])), (BLAME, 0)), "(text, label)"),
    ("01.5", ((PRAISE, "1"), (BLAME, "0")), "(text, label)"),
]


@pytest.mark.parametrize("identifier,answer", OTHER_WAYS)
def test_another_way_passes(identifier, answer, capsys):
    cu.checks.check(identifier, answer)
    assert capsys.readouterr().out.startswith(f"{identifier}: correct.")
