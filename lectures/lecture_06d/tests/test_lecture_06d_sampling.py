"""Sampling: only words that can come, bounded, the same by seed, equal without a cache."""

import keras
import numpy as np
import pytest
from chains import END, PAD, SIZES, START, WORDS, Chain, rerun
from redrawn import scrambled

from lectures.lecture_06c.language_model import LanguageModel
from lectures.lecture_06d.sampling import generate, next_tokens

LOGITS = np.log(np.array([[0.05, 0.5, 0.15, 0.3], [0.4, 0.1, 0.3, 0.2]]))


def shares(logits=LOGITS, draws=8000, **arguments):
    """How often each word of each row is drawn."""
    generator = np.random.default_rng(0)
    drawn = next_tokens(np.repeat(logits, draws, axis=0), generator, **arguments)
    assert drawn.dtype == np.int32
    words = np.arange(logits.shape[1])
    return (drawn.reshape(len(logits), draws, 1) == words).mean(axis=1)


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        ({"temperature": 0}, {1}, {0}),
        ({"temperature": 1e-300}, {1}, {0}),
        ({"temperature": 5e-324, "top_p": 0.9}, {1}, {0}),
        ({"temperature": np.float32(1e30)}, {0, 1, 2, 3}, {0, 1, 2, 3}),
        ({"top_p": 0.3}, {1}, {0}),
        ({"top_p": 0.6}, {1, 3}, {0, 2}),
        ({"top_p": 0.85}, {1, 2, 3}, {0, 2, 3}),
        ({"top_p": 1.0}, {0, 1, 2, 3}, {0, 1, 2, 3}),
        ({"temperature": 4.0, "top_p": 0.6}, {1, 2, 3}, {0, 2, 3}),
    ],
)
def test_the_likeliest_words_alone_come(arguments, first, second):
    found = shares(**arguments)
    assert [set(np.flatnonzero(row)) for row in found] == [first, second]
    if arguments == {"top_p": 0.6}:
        assert np.abs(found[0][[1, 3]] - [5 / 8, 3 / 8]).max() < 0.02


def test_a_word_without_a_chance_never_comes():
    logits = np.array([[-np.inf, 0.0, -np.inf, 0.0]])
    for arguments in ({}, {"top_p": 1.0}, {"temperature": 9.0}):
        assert np.flatnonzero(shares(logits, 500, **arguments)[0]).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("temperature", (-1, np.nan, np.inf, "1", None)),
        ("top_p", (0, 1.1, np.nan, np.inf, "0.9")),
    ],
)
def test_wrong_settings_of_sampling_are_refused(name, values):
    for value in values:
        with pytest.raises(ValueError, match=name):
            next_tokens(LOGITS, np.random.default_rng(0), **{name: value})


@pytest.mark.parametrize("row", [[0, np.nan, 1], [0, np.inf, 1], [-np.inf] * 3])
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_logits_without_a_possible_word_are_refused(row, temperature):
    logits = np.array([[0.0, 1, 2], row])
    with pytest.raises(ValueError, match="logits have to be numbers"):
        next_tokens(logits, np.random.default_rng(0), temperature)


@pytest.fixture(scope="module")
def language():
    keras.utils.set_random_seed(0)
    model = LanguageModel(WORDS, **SIZES)
    model(np.ones((1, 3), "int32"))
    return scrambled(model)


PROMPTS = np.array([[4, 5, 6], [7, 8, 9], [9, 4, 1]], "int32")


def test_generating_without_temperature_is_the_likeliest_word_without_a_cache(language):
    found = generate(language, PROMPTS, 9, temperature=0)  # compiles the step
    assert np.array_equal(found[:, :3], PROMPTS)
    expected = rerun(language, PROMPTS, 9)
    assert np.array_equal(found, expected[:, : found.shape[1]])
    assert not expected[:, found.shape[1] :].any()


def test_generating_is_bounded_repeats_itself_by_seed_and_ends_rows(language):
    how = {"temperature": np.float32(3)}
    one, same, other = (generate(language, PROMPTS, 20, k, **how) for k in (1, 1, 2))
    assert np.array_equal(one, same) and one.shape[1] <= 20
    assert one.shape != other.shape or not np.array_equal(one, other)
    assert one.min() >= 0 and one.max() < WORDS
    for row in one:
        ends = np.flatnonzero(row[3:] == END)
        if len(ends):
            assert not row[3 + ends[0] + 1 :].any()


@pytest.mark.parametrize(
    ("prompts", "max_length", "message"),
    [
        (np.zeros((2, 0)), 5, "at least one id"),
        (np.zeros((0, 2)), 5, "at least one id"),
        (np.array([[4, 0]]), 5, "no pads"),
        (np.array([4, 5]), 5, "prompts are rows"),
        (np.array([[4, 5]]), 2, "max_length has to be a whole number of at least 3"),
        (np.array([[4, 5]]), 41, "only 40 positions"),
    ],
)
def test_a_prompt_that_cannot_be_continued_is_refused(language, prompts, max_length, message):
    with pytest.raises(ValueError, match=message):
        generate(language, prompts, max_length)


def test_a_pad_is_never_written_and_what_never_ends_is_stopped():
    padding = {START: {PAD: 0.9, 4: 0.1}, 4: {PAD: 0.9, END: 0.1}}
    assert generate(Chain(padding), np.array([[START]]), 6).tolist() == [[START, 4, END]]
    forever = {START: {4: 1.0}, 4: {4: 1.0}}
    found = generate(Chain(forever), np.array([[START]]), np.int64(6), top_p=np.int64(1))
    assert found.tolist() == [[START] + [4] * 5]
