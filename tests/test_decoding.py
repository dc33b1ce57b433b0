"""Greedy and beams: bounded, equal with and without a cache, right on paper."""

from functools import cache

import keras
import numpy as np
import pytest
from chains import END, PAD, SIZES, START, WORDS, Chain, rerun, without_pads
from redrawn import scrambled

from course_utils import decoding, models
from lectures.lecture_05.translators import RecurrentTranslator

STEPS = 7


A, B, C = 4, 5, 6
MISSED = {START: {A: 0.6, B: 0.4}, A: {C: 0.4, B: 0.3, END: 0.3}, C: {END: 0.5, A: 0.5}}
TEMPTING = {START: {A: 1.0}, A: {END: 0.51, B: 0.49}, B: {C: 1.0}, C: {7: 1.0}, 7: {END: 1.0}}
ONE = np.array([[5, 6]])


def on_paper(chances, function=decoding.greedy, source=ONE, max_length=9, **arguments):
    model = Chain(chances)
    return function(model, source, max_length, step=model.step, **arguments), model


@cache
def made(kind):
    """A translator of this kind, and its step; compiling that is slow, one will do."""
    keras.utils.set_random_seed(0)
    if kind == "pre":
        model = models.Transformer(WORDS, WORDS, **SIZES)
    else:
        model = RecurrentTranslator(WORDS, WORDS, 6, 8, kind)
    ids = np.ones((1, 3), "int32")
    model({"source": ids, "target": ids})
    scrambled(model)
    return model, decoding.compiled(model.step, model) if kind == "pre" else model.step


@pytest.fixture
def sources(texts):
    return np.where(texts == 0, 0, texts % (WORDS - 4) + 4)[2:, :6]


def log_chances(model, source, tokens):
    """Sum of the log-probabilities of each row's tokens, by one call without a cache."""
    before = np.pad(tokens[:, :-1], ((0, 0), (1, 0)), constant_values=START)
    logits = without_pads(model({"source": source, "target": before}))
    logits -= np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    taken = np.take_along_axis(logits, tokens[..., None], axis=-1)[..., 0]
    ended = np.cumsum(tokens == END, axis=1) - (tokens == END)
    return np.where(ended == 0, taken, 0).sum(axis=1)  # a pad after the end is -inf


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bahdanau", "pre"])
def test_one_beam_is_greedy_and_more_find_likelier_words(kind, sources):
    model, step = made(kind)
    greedy = decoding.greedy(model, sources, STEPS, step=step)
    one, _ = decoding.beam_search(model, sources, STEPS, num_beams=1, step=step)
    assert np.array_equal(one, greedy)
    beams, scores = decoding.beam_search(model, sources, STEPS, 4, 0.0, step=step)
    found = log_chances(model, sources, beams)
    assert np.abs(scores - found).max() < 1e-3
    ended = (greedy == END).any(axis=1)  # a beam prefers what is finished
    assert (found >= log_chances(model, sources, greedy) - 1e-3)[ended].all()


def test_a_row_is_translated_as_if_it_were_alone(sources):
    model, step = made("pre")
    together, scores = decoding.beam_search(model, sources, STEPS, step=step)
    for row in (0, 3):
        alone, score = decoding.beam_search(model, sources[row : row + 1], STEPS, step=step)
        assert np.array_equal(alone[0], together[row, : alone.shape[1]])
        assert np.isclose(score[0], scores[row], atol=1e-4)


def test_a_beam_finds_what_greedy_misses():
    greedy, _ = on_paper(MISSED)
    assert greedy.tolist() == [[A, C, END]]  # ties go to the first: <eos> is 3, A is 4
    (found, scores), _ = on_paper(MISSED, decoding.beam_search, num_beams=2, length_penalty=0)
    assert found.tolist() == [[B, END]]
    assert np.isclose(scores[0], np.log(0.4))


@pytest.mark.parametrize(
    ("penalty", "tokens", "chance"), [(0, [A, END], 0.51), (1, [A, B, C, 7, END], 0.49)]
)
def test_the_length_penalty_divides_by_the_length(penalty, tokens, chance):
    how = {"num_beams": 2, "length_penalty": penalty}
    (found, scores), _ = on_paper(TEMPTING, decoding.beam_search, **how)
    assert found.tolist() == [tokens]
    assert np.isclose(scores[0], np.log(chance) / ((5 + len(tokens)) / 6) ** penalty)


def test_a_long_one_that_can_still_win_is_waited_for():
    # Five tokens reach -0.479, and two have -0.512; four would reach -0.532.
    close = TEMPTING | {A: {END: 0.55, B: 0.45}}
    how = {"num_beams": 2, "length_penalty": 1, "max_length": 5}
    (found, _), _ = on_paper(close, decoding.beam_search, **how)
    assert found.tolist() == [[A, B, C, 7, END]]


@pytest.mark.parametrize("penalty", [0, 2])
def test_one_beam_stops_where_greedy_stops_whatever_the_penalty(penalty):
    how = {"num_beams": 1, "length_penalty": penalty}
    (found, _), beam = on_paper(TEMPTING, decoding.beam_search, max_length=50, **how)
    alone, greedy = on_paper(TEMPTING, max_length=50)
    assert found.tolist() == alone.tolist() == [[A, END]]
    assert beam.steps == greedy.steps == 2


def test_a_model_that_never_ends_is_stopped():
    forever = {START: {A: 1.0}, A: {A: 1.0}}
    found, model = on_paper(forever, max_length=7)
    assert found.tolist() == [[A] * 7]
    assert model.steps == 7
    (found, scores), model = on_paper(forever, decoding.beam_search, max_length=7, num_beams=3)
    assert found.tolist() == [[A] * 7] and scores.tolist() == [0.0]
    assert model.steps == 7


@pytest.mark.parametrize("function", [decoding.greedy, decoding.beam_search])
@pytest.mark.parametrize(
    ("how", "message"),
    [
        *(
            ({"source": source}, "rows of at least one token")
            for source in (np.zeros((2, 4)), ONE * [[1], [0]], np.zeros((0, 4)), ONE[0])
        ),
        ({"source": ONE + 0.5}, "ids, whole numbers"),
        ({"max_length": 0}, "max_length has to be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_translated_is_refused(function, how, message):
    with pytest.raises(ValueError, match=message):
        on_paper(MISSED, function, **how)


@pytest.mark.parametrize(
    "how", [{"num_beams": 0}, {"length_penalty": -0.1}, {"length_penalty": np.inf}]
)
def test_wrong_beams_are_refused(how):
    with pytest.raises(ValueError, match=f"{[*how][0]} has to be"):
        on_paper(MISSED, decoding.beam_search, **how)


def test_more_words_than_positions_are_refused(sources):
    model, step = made("pre")
    with pytest.raises(ValueError, match="only 40 positions"):
        decoding.greedy(model, sources, 41, step=step)


def test_a_compiled_step_reads_the_weights_of_today(sources):
    model, step = made("pre")
    kept = model.get_weights()
    before = decoding.greedy(model, sources, 4, step=step)
    model.set_weights([w[::-1] for w in kept])
    after = decoding.greedy(model, sources, 4, step=step)
    start = np.full((len(sources), 1), START)
    expected = rerun(lambda ids: model({"source": sources, "target": ids}), start, 5)[:, 1:]
    model.set_weights(kept)
    assert not np.array_equal(before, after)
    assert np.array_equal(after, expected)


@pytest.mark.parametrize("function", [decoding.greedy, decoding.beam_search])
def test_a_model_whose_logits_are_none_is_not_decoded(function):
    with pytest.raises(ValueError, match="logits have to be numbers"):
        on_paper({START: {A: np.nan}}, function)


def test_a_pad_is_never_written():
    padding = {START: {PAD: 0.9, A: 0.1}, A: {PAD: 0.9, END: 0.1}}
    (beam, _), _ = on_paper(padding, decoding.beam_search, num_beams=np.int64(4))
    greedy, _ = on_paper(padding, max_length=np.int64(9))
    assert greedy.tolist() == beam.tolist() == [[A, END]]
