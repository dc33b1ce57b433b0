"""NumPy's numbers do whatever Python's do, in every loader and function that takes some."""

import numpy as np
import pytest

from course_utils import data, pretraining, tokenizers
from course_utils.data import images
from course_utils.data.reviews import make_reviews

PIXELS = np.arange(2 * 8 * 8).reshape(2, 8, 8)
TOKENIZER = tokenizers.train("characters", ["a film"])
TIMES = np.datetime64("2020-01-01T00", "h") + np.arange(60)
VALUES = np.arange(60.0)[:, None]


def small_series(*cuts):
    return data.Series("small", TIMES, VALUES, ("warmth",), "warmth", "°C", cuts)


SERIES = small_series(30, 45, 60)


WHOLE = {
    "pad": lambda n: data.pad([[1, 2, 3]], n(2)),
    "vocabulary": lambda n: data.Vocabulary.from_texts([["a", "b"]], n(3)).words,
    "load_digits": lambda n: data.load_digits(n(20), seed=n(3)).train.inputs,
    "load_reviews": lambda n: data.load_reviews("ids", n(50), n(9)).val.inputs,
    "make_reviews": lambda n: make_reviews(n(3), n(1), far=(n(6), n(9)))["text"],
    "unlabelled_reviews": lambda n: data.unlabelled_reviews(n(3), n(1)),
    "load_pairs": lambda n: (
        data.load_pairs("embedded", n(30), n(40), n(9), n(20)).train.targets
    ),
    "cut_windows": lambda n: data.cut_windows(SERIES, n(3), n(2)).val.inputs,
    "window_pairs": lambda n: data.window_pairs(VALUES, n(3), n(2))[1],
    "cuts": lambda n: small_series(n(20), n(40), n(60)).cuts,
    "random_translate": lambda n: data.random_translate(PIXELS, n(2)),
    "patch_grid": lambda n: images.patch_grid((n(8), n(4)), n(2)),
    "sides": lambda n: images.sides("image", n(8)),
    "windows": lambda n: pretraining.windows(TOKENIZER, ["a film"], n(4)),
    "train": lambda n: tokenizers.train("words", ["a film"], n(7)).entries,
}


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
@pytest.mark.parametrize("call", WHOLE.values(), ids=WHOLE)
def test_whole_numbers(call, kind):
    given, expected = call(kind), call(int)
    assert np.array_equal(given, expected)
    if isinstance(given, tuple):  # sizes, which Keras wants as Python's
        assert {type(number) for number in given} == {int}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_shares(kind):
    def made(number):
        mixture = {"far": number(0.5), "plain": number(0.5)}
        return make_reviews(5, 0, mixture=mixture, distractors=number(0.25))["text"].tolist()

    assert made(kind) == made(float)


@pytest.mark.parametrize("wrong", [np.float64(3), np.bool_(True), np.array([3]), "3", None])
@pytest.mark.parametrize("name", ["pad", "load_digits", "cut_windows", "random_translate"])
def test_what_is_no_whole_number_is_refused(name, wrong):
    with pytest.raises(ValueError, match="has to be a whole number"):
        WHOLE[name](lambda number: wrong)
