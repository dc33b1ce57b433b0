"""The models of lecture 04: what pads do without a mask, and which frames are seen."""

import keras
import numpy as np
from keras import layers

from course_utils import data as sets
from course_utils.checks import redrawn
from lectures import lecture_04
from lectures.lecture_04.rivals import phrases_of

WORDS = 50
STEPS = 48


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def test_the_slides_network_fails_the_padding_test():
    network = redrawn(lecture_04.slides_network(WORDS), 0.2)  # a zero bias hides a pad
    ids = np.random.default_rng(0).integers(2, WORDS, size=(16, STEPS))
    before = verdicts(network, ids)
    for pads in (7, 50):
        after = verdicts(network, np.pad(ids, ((0, 0), (0, pads))))
        assert np.abs(after - before).max() > 1e-4


def test_the_motion_net_itself_mixes_no_frames():
    keras.utils.set_random_seed(0)
    model = lecture_04.motion_net(layers.Dense(64, activation="relu"))
    clips = np.random.default_rng(0).normal(size=(4, 12, 12, 12, 1)).astype("float32")
    changed = clips.copy()
    changed[:, 7] += 1
    before, after = verdicts(model, clips), verdicts(model, changed)
    assert before.shape == (4, 12, 5)
    differs = np.abs(before - after).max(axis=(0, 2)) > 1e-4
    assert differs.tolist() == [frame == 7 for frame in range(12)]


def test_moved_filler_leaves_the_order_of_the_verdicts():
    text = "The plot was dull. One two three. The cast was good. " + "Four five six. " * 4
    framed = lecture_04._to_the_front(text.strip(), "turn", least=5)
    assert framed.startswith("Four five six. Four five six. The plot was dull. One two")
    assert sorted(framed.split()) == sorted(text.split())
    assert lecture_04._to_the_front(text, "plain") == text


def test_words_are_put_in_front_of_a_review_and_the_review_stays():
    reviews = sets.load_reviews(length=200)
    moved = lecture_04.put_in_front(reviews.val, reviews.vocabulary, 3)
    assert moved.inputs.shape == (400, 203)
    before = reviews.vocabulary.encode(["cold", "that", "night"])
    for ids, longer in zip(reviews.val.inputs, moved.inputs, strict=True):
        assert longer[:3].tolist() == list(before)
        assert np.array_equal(longer[3:], ids)


def test_a_phrase_has_the_place_of_its_last_word():
    ids = np.array([5, 6, 7, 8, 0, 0])
    assert phrases_of(ids, (3,)) == [(2, (5, 6, 7)), (3, (6, 7, 8))]
