"""The review model of the lecture: pads, time, reloading, parameters."""

import keras
import numpy as np
import pytest
from defined import defined

from course_utils.lectures import lecture_02

WORDS = 50


@pytest.fixture(scope="module")
def review_model():
    """The lecture's `review_model`, as it stands in the lecture's source."""
    keras.utils.set_random_seed(0)
    return defined("02_simple_rnn")["review_model"]


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def behind(ids, pads=15):
    return np.pad(ids, ((0, 0), (0, pads)))


def test_pads_change_nothing_behind_or_in_front(review_model, texts):
    model = review_model(WORDS, dropout=0.3)
    for padded in (behind(texts), np.pad(texts, ((0, 0), (15, 0)))):
        assert np.abs(verdicts(model, texts) - verdicts(model, padded)).max() < 1e-6


def test_the_listing_without_a_mask_fails_the_padding_test(review_model, texts):
    model = review_model(WORDS, units=10, mask=False)
    assert np.abs(verdicts(model, texts) - verdicts(model, behind(texts))).max() > 1e-3


def test_a_later_word_changes_no_earlier_state(review_model, texts):
    model = review_model(WORDS)
    loop = keras.layers.SimpleRNN(32, return_sequences=True)
    states = keras.Sequential([model.layers[1], loop])
    changed = texts.copy()
    changed[0, 12] = texts[0, 12] % (WORDS - 2) + 2
    before, after = verdicts(states, texts), verdicts(states, changed)
    assert np.array_equal(before[0, :12], after[0, :12])
    assert np.abs(before[0, 12:] - after[0, 12:]).max() > 1e-4


def test_a_saved_model_reloads_with_equal_outputs(review_model, texts, tmp_path):
    model = review_model(WORDS, dropout=0.3)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(verdicts(model, texts), verdicts(again, texts))


def test_the_order_of_words_changes_the_verdict(review_model, texts):
    model = review_model(WORDS)
    full = texts[:1]
    assert np.abs(verdicts(model, full) - verdicts(model, full[:, ::-1])).max() > 1e-4


def test_parameters_of_the_slides_model(review_model):
    model = review_model(10_000, units=10)
    assert model.layers[3].count_params() == 430
    assert model.count_params() == lecture_02.parameters(10_000, 32, 10) == 320_430 + 11
