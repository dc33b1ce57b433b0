"""The review model of the lecture: pads in front and at the end, and the order of words."""

import numpy as np

from lectures.lecture_02 import (
    add_pads,
    count_contexts,
    judge,
    judge_in_a_batch,
    review_model,
    verdicts,
)

WORDS = 50


def answers(model, ids):
    return model.predict(ids, verbose=0)


def padded(ids, pads=15):
    return np.pad(ids, ((0, 0), (0, pads)))


def test_pads_change_nothing_at_either_end(texts):
    model = review_model(WORDS, dropout=0.3)
    for more in (padded(texts), np.pad(texts, ((0, 0), (15, 0)))):
        assert np.abs(answers(model, texts) - answers(model, more)).max() < 1e-6


def test_a_model_without_a_mask_fails_the_padding_test(texts):
    model = review_model(WORDS, mask=False)
    assert np.abs(answers(model, texts) - answers(model, padded(texts))).max() > 1e-3


def test_the_order_of_words_changes_the_verdict(texts):
    model = review_model(WORDS)
    full = texts[:1]
    assert np.abs(answers(model, full) - answers(model, full[:, ::-1])).max() > 1e-4


def test_pads_are_added_where_they_are_asked_for(texts):
    assert np.array_equal(add_pads(texts, "last", 3)[:, :-3], texts)
    assert np.array_equal(add_pads(texts, "first", 3)[:, 3:], texts)


def test_the_planted_bug_lies_in_the_pads_alone(texts):
    weights = review_model(WORDS).get_weights()
    words = [row[row > 0] for row in texts]
    alone = [judge_in_a_batch([one], *weights)[0] for one in words]
    assert np.allclose(judge(words, *weights), alone, atol=1e-5)
    assert not np.allclose(judge_in_a_batch(words, *weights), alone, atol=1e-3)


def test_verdicts_on_the_film_alone_are_found():
    text = "The coffee was dull. The plot was never dull. We left. The cast was fresh. I ate."
    assert verdicts(text) == [8, 14]


def test_counting_knows_a_text_that_repeats_itself():
    train, held_out = np.tile([0, 1, 2], 400), np.tile([0, 1, 2], 20)
    perplexities, counts = count_contexts(train, held_out, symbols=4, longest=3)
    assert perplexities[0] > 2.9 and perplexities[1] < 1.1 and counts == 9
