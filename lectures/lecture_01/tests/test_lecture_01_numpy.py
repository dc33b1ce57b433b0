"""Lecture 01's NumPy forms: equal to Keras, their gradients to automatic and numerical ones."""

import numpy as np
import pytest
from scipy import sparse

from lectures import lecture_01
from lectures.lecture_01 import word_vectors

REVIEWS = np.array([[2, 3, 2, 0, 0], [4, 4, 4, 4, 2]], "int32")


@pytest.fixture
def generator():
    return np.random.default_rng(1)


def test_multi_hot_rows_skip_the_padding():
    rows = lecture_01.multi_hot(REVIEWS, 5)
    assert rows.tolist() == [[0, 0, 1, 1, 0], [0, 0, 1, 0, 1]]
    padded = np.pad(REVIEWS, ((0, 0), (0, 7)))
    np.testing.assert_array_equal(lecture_01.multi_hot(padded, 5), rows)


def test_ngrams():
    expected = ["not", "at", "all", "not at", "at all"]
    assert lecture_01.ngrams(["not", "at", "all"], 2) == expected
    assert lecture_01.ngrams(["alone"], 3) == ["alone"]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_log_ratios(form):
    features = form(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1]]))
    ratios = lecture_01.log_ratios(features, np.array([1, 1, 0]))
    expected = np.log([(3 / 6) / (1 / 5), (1 / 6) / (2 / 5), (2 / 6) / (2 / 5)])
    np.testing.assert_allclose(ratios, expected)


def test_pairs():
    assert lecture_01.skip_gram_pairs(["a", "b", "c", "d"], 2) == [
        ("a", "b"), ("a", "c"),
        ("b", "a"), ("b", "c"), ("b", "d"),
        ("c", "a"), ("c", "b"), ("c", "d"),
        ("d", "b"), ("d", "c"),
    ]  # fmt: skip


def test_counted_pairs_are_the_listed_pairs_with_weights(generator):
    ids = generator.integers(2, 9, 60)
    expected = np.zeros((9, 9))
    for place, centre in enumerate(ids):
        for other in range(max(0, place - 3), min(60, place + 4)):
            if other != place:
                expected[centre, ids[other]] += 1 - (abs(other - place) - 1) / 3
    np.testing.assert_allclose(word_vectors.count_pairs(ids, 9, 3), expected, rtol=1e-5)


def test_no_pair_crosses_reviews_or_holds_an_unknown_word():
    table = word_vectors.count_pairs(np.array([2, 3, 0, 0, 4, 1, 3]), 5, 2)
    assert table[3, 4] == table[4, 3] == 0.5
    assert table[2, 3] == table[3, 2] == 1
    assert table.sum() == 3


def test_with_noise_puts_the_real_context_first_and_samples_by_frequency():
    pairs = np.tile([[2, 3]], (4_000, 1))
    centre, candidates, targets = lecture_01.with_noise(pairs, np.array([0, 0, 16, 1]))
    assert (centre == 2).all()
    assert (candidates[:, 0] == 3).all()
    assert targets[:, 0].all()
    assert targets.sum() == len(pairs)
    assert (candidates[:, 1:] == 2).mean() == pytest.approx(8 / 9, abs=0.02)  # 16 ** 0.75 = 8


@pytest.fixture
def problem(generator):
    table = generator.integers(0, 9, (7, 7)).astype(float)
    table += table.T
    noise = lecture_01.noise_distribution(table.sum(axis=1)).astype(float)
    return generator.normal(size=(7, 3)), generator.normal(size=(3, 7)), table, noise


def test_gradients_are_those_of_the_mean_sampled_loss(problem):
    """Of five noise words a pair the mean is taken instead of a draw."""
    inputs, outputs, table, noise = problem
    nudges = [1e-5 * np.random.default_rng(2).normal(size=v.shape) for v in (inputs, outputs)]
    refusals = 5 * table.sum(axis=1, keepdims=True) * noise
    losses = []
    for sign in (1, -1):
        logits = (inputs + sign * nudges[0]) @ (outputs + sign * nudges[1])
        loss = table * np.log1p(np.exp(-logits)) + refusals * np.log1p(np.exp(logits))
        losses.append(loss.sum())
    computed = word_vectors.expected_gradients(inputs, outputs, table, noise)
    expected = sum((g * nudge).sum() for g, nudge in zip(computed, nudges, strict=True))
    assert (losses[0] - losses[1]) / 2 == pytest.approx(expected, rel=1e-6)
    assert noise.sum() == pytest.approx(1, abs=1e-6)


def test_free_logits_settle_at_the_shifted_mutual_information(problem):
    """Levy and Goldberg (2014): where the gradient is zero, for full-rank vectors."""
    _, _, table, noise = problem
    table = table + 1
    best = np.log(table / (5 * table.sum(axis=1, keepdims=True) * noise))
    gradients = word_vectors.expected_gradients(best, np.eye(7), table, noise)
    assert np.abs(gradients[0]).max() < 1e-9
    assert np.abs(gradients[1]).max() < 1e-9


WORDS = np.array(["king", "man", "woman", "queen", "the"])
VECTORS = np.array([[3.0, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0.9], [-9, 9, 9]])


def test_analogy_leaves_out_the_question_and_measures_angles():
    answers = lecture_01.analogy("man", "woman", "king", WORDS, VECTORS)
    assert answers == ["queen", "the"]
    doubled = VECTORS * np.array([[1], [1], [1], [1], [50]])
    assert lecture_01.analogy("man", "woman", "king", WORDS, doubled) == answers


def test_neighbours_exclude_the_word_and_name_unknown_ones():
    near = lecture_01.neighbours("king", WORDS, VECTORS)
    assert near[0][0] == "queen" and 1 > near[0][1] > near[-1][1]
    assert sorted(word for word, _ in near) == ["man", "queen", "the", "woman"]
    with pytest.raises(KeyError, match="emperor"):
        lecture_01.neighbours("emperor", WORDS, VECTORS)
