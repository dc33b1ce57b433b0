"""Credits and one entry: who reads too little is right in half of the test."""

import numpy as np
import pytest

from course_utils import data
from course_utils.data.credits import NAMES
from course_utils.data.sentence_pairs_controls import controls
from course_utils.data.sentence_pairs_grammar import PERSONS


@pytest.fixture(scope="module", params=[2, 16])
def credits(request):
    return request.param, data.load_credits(request.param, train=2_000)


def entries(text):
    return [tuple(entry.split()) for entry in text.split(", ")]


def fours(part):
    numbers = part.columns["four"]
    return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]


def test_a_pair_follows_where_the_line_is_an_entry(credits):
    for part in (credits[1].train, credits[1].val, credits[1].test):
        for first, second, follows in zip(
            part.inputs["first"], part.inputs["second"], part.targets, strict=True
        ):
            told = entries(first)
            assert follows == (tuple(second.split()) in told)
            names, parts = zip(*told, strict=True)
            assert len(set(names)) == len(set(parts)) == len(told)
            assert set(names) <= set(NAMES) and set(parts) <= set(PERSONS)


def test_fours_have_the_same_words_in_the_test_and_any_number_of_entries_in_training(credits):
    count, made = credits
    for part in (made.val, made.test):
        for four in fours(part):
            firsts, seconds = (list(part.inputs[name][four]) for name in ("first", "second"))
            assert len(four) == 4 and part.targets[four].sum() == 2
            assert len({tuple(sorted(first.replace(",", "").split())) for first in firsts}) == 1
            assert len(set(firsts)) == len(set(seconds)) == 2
            assert {len(entries(first)) for first in firsts} == {count}
            words = set(firsts[0].replace(",", "").split())
            assert all(set(second.split()) <= words for second in seconds)
    sizes = [len(entries(first)) for first in made.train.inputs["first"]]
    assert set(sizes) == set(range(1, count + 1))


def test_what_is_asked_for_stands_anywhere(credits):
    count, made = credits
    places = [
        entries(first).index(tuple(second.split()))
        for first, second, follows in zip(
            made.test.inputs["first"],
            made.test.inputs["second"],
            made.test.targets,
            strict=True,
        )
        if follows
    ]
    shares = np.bincount(places, minlength=count) / len(places)
    assert len(shares) == count and abs(shares - 1 / count).max() < 0.06


def test_whoever_reads_too_little_is_right_in_half_of_the_test(credits):
    assert set(controls(credits[1]).values()) == {0.5}


def test_the_same_arguments_make_the_same_credits_and_no_test_text_is_trained_on():
    made, again = (data.load_credits(16, train=400) for _ in range(2))
    more, other = data.load_credits(16, train=800), data.load_credits(16, train=400, seed=1)
    for part in ("train", "val", "test"):
        texts = list(made.split(part).inputs["first"])
        assert texts == list(again.split(part).inputs["first"])
        assert texts != list(other.split(part).inputs["first"])
    assert list(made.test.inputs["first"]) == list(more.test.inputs["first"])
    assert not set(more.train.inputs["first"]) & set(more.test.inputs["first"])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"entries": 1}, "at least 2"),
        ({"entries": 31}, "at most 30"),
        ({"entries": 2.5}, "whole number"),
        ({"train": 10}, "multiple of 4"),
        ({"train": 0}, "at least 4"),
        ({"seed": -1}, "at least 0"),
    ],
)
def test_wrong_arguments_are_refused(wrong, told):
    with pytest.raises(ValueError, match=told):
        data.load_credits(**wrong)
