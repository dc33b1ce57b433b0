"""The models of lecture 04: what pads do without a mask, and which frames are seen."""

import keras
import numpy as np
from keras import layers

from lectures import lecture_04

WORDS = 50
PADS = (7, 50)
STEPS = 48


def random_biases(model):
    """Zero biases would hide what a pad does: give every bias a value, up to deep inside."""
    draw = np.random.default_rng(3)
    weights = model.get_weights()
    model.set_weights([w if w.ndim > 1 else w + draw.normal(size=w.shape) for w in weights])
    return model


def texts(shortest=1):
    draw = np.random.default_rng(0)
    lengths = np.append(draw.integers(shortest, STEPS, size=14), [STEPS, shortest])
    ids = draw.integers(2, WORDS, size=(16, STEPS)).astype("int32")
    return ids * (np.arange(STEPS) < lengths[:, None])


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def moved(model, ids):
    """Largest change of a verdict for each number of pads added."""
    before = verdicts(model, ids)
    return [
        np.abs(verdicts(model, np.pad(ids, ((0, 0), (0, pads)))) - before).max()
        for pads in PADS
    ]


def test_the_slides_network_fails_the_padding_test():
    keras.utils.set_random_seed(0)
    network = random_biases(lecture_04.slides_network(WORDS))
    assert min(moved(network, texts(shortest=41))) > 1e-4


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


def test_no_later_word_reaches_the_dilated_answers_before_it():
    keras.utils.set_random_seed(0)
    model = lecture_04.dilated_net(WORDS)
    (last,) = [layer for layer in model.layers if getattr(layer, "dilation_rate", 0) == (32,)]
    answers = keras.Model(model.input, last.output)
    ids = np.random.default_rng(0).integers(2, WORDS, size=(2, STEPS))
    changed = ids.copy()
    changed[:, 30] = ids[:, 30] % (WORDS - 2) + 2
    before, after = verdicts(answers, ids), verdicts(answers, changed)
    assert np.array_equal(before[:, :30], after[:, :30])
    assert np.abs(before[:, 30:] - after[:, 30:]).max() > 1e-5


def test_moved_filler_leaves_the_order_of_the_verdicts():
    text = "The plot was dull. One two three. The cast was good. " + "Four five six. " * 4
    framed = lecture_04._to_the_front(text.strip(), "turn", least=5)
    assert framed.startswith("Four five six. Four five six. The plot was dull. One two")
    assert sorted(framed.split()) == sorted(text.split())
    assert lecture_04._to_the_front(text, "plain") == text
