"""Lab 05b's translator without a network: alignment, phrases, trigrams, search."""

import numpy as np
import pytest

from course_utils.data.base import END, START
from lectures.lecture_05b import phrases


def test_points_keep_what_both_directions_say_and_grow_by_neighbours():
    # the black cat sleeps -> le chat noir dort; one direction misses that black is noir
    assert phrases.points([0, 2, 1, 3], [0, 2, 1, 3]) == {(0, 0), (1, 2), (2, 1), (3, 3)}
    assert (1, 2) in phrases.points([0, 2, 1, 3], [0, 0, 1, 3])


def test_phrase_pairs_are_whole_inside_their_alignment():
    source, target = ("the", "black", "cat"), ("le", "chat", "noir")
    found = phrases.phrase_pairs(source, target, {(0, 0), (1, 2), (2, 1)})
    assert (("black", "cat"), ("chat", "noir")) in found
    assert (("the", "black", "cat"), target) in found
    assert not any(one == ("the", "black") for one, _ in found)
    found = phrases.phrase_pairs(("go",), ("ne", "va"), {(0, 1)})
    assert set(found) == {(("go",), ("va",)), (("go",), ("ne", "va"))}


def test_trigrams_sum_to_one():
    trigrams = phrases.Trigrams([(5, 6, 5), (6, 7)], 8)
    for before in ((START, START), (START, 5), (5, 6), (7, 7)):
        total = sum(trigrams.probability(before, word) for word in range(8))
        assert total == pytest.approx(1)
    assert trigrams.log_p((6, 5), END) > trigrams.log_p((6, 5), 7)


def test_a_counted_translator_moves_the_adjective():
    draw = np.random.default_rng(0)
    nouns, adjectives = draw.integers(10, 14, 300), draw.integers(20, 24, 300)
    source = np.stack([np.full(300, 4), adjectives, nouns], axis=1)  # the black cat
    target = np.stack([np.full(300, 5), nouns + 20, adjectives + 20], axis=1)  # le chat noir
    model = phrases.count_phrases(source, target, 50)
    assert model.translate(np.array([[4, 21, 12, 0]])) == [[5, 32, 41]]
    assert model.translate(np.array([[4, 9]])) == [[5]]  # a word that no phrase has


def test_nothing_counted_translates_to_nothing():
    rows = np.array([[4, 5]])
    assert phrases.count_phrases(rows, rows, 9, epochs=0).translate(rows) == [[]]
