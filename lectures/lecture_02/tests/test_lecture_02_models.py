"""The review model of the lecture: pads in front and at the end, and the order of words."""

import numpy as np

from lectures.lecture_02 import add_pads, last_real_state, review_model

WORDS = 50


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def padded(ids, pads=15):
    return np.pad(ids, ((0, 0), (0, pads)))


def test_pads_change_nothing_at_either_end(texts):
    model = review_model(WORDS, dropout=0.3)
    for more in (padded(texts), np.pad(texts, ((0, 0), (15, 0)))):
        assert np.abs(verdicts(model, texts) - verdicts(model, more)).max() < 1e-6


def test_a_model_without_a_mask_fails_the_padding_test(texts):
    model = review_model(WORDS, mask=False)
    assert np.abs(verdicts(model, texts) - verdicts(model, padded(texts))).max() > 1e-3


def test_the_order_of_words_changes_the_verdict(texts):
    model = review_model(WORDS)
    full = texts[:1]
    assert np.abs(verdicts(model, full) - verdicts(model, full[:, ::-1])).max() > 1e-4


def test_pads_are_added_where_they_are_asked_for(texts):
    assert np.array_equal(add_pads(texts, "last", 3)[:, :-3], texts)
    assert np.array_equal(add_pads(texts, "first", 3)[:, 3:], texts)


def test_a_text_without_a_word_has_no_last_state_but_zeros():
    states = np.ones((2, 3, 4))
    picked = last_real_state(states, np.array([2, 0]))
    assert np.array_equal(picked, [np.ones(4), np.zeros(4)])
