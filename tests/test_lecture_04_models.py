"""The models of lecture 04: pads, time, reloading."""

import keras
import numpy as np
import pytest
from defined import defined
from keras import layers

WORDS = 50
PADS = (1, 2, 3, 7, 50)
STEPS = 48


@pytest.fixture(scope="module")
def lecture():
    """The functions that the lecture's source defines at its top level, by name."""
    return defined("04_conv1d", words=WORDS, kinds=())


def random_biases(model):
    """Zero biases would hide what a pad does: give every bias a value, up to deep inside."""
    draw = np.random.default_rng(3)
    weights = model.get_weights()
    model.set_weights([w if w.ndim > 1 else w + draw.normal(size=w.shape) for w in weights])
    return model


CLASSIFIERS = {
    "phrase_1": lambda lecture: lecture["phrase_net"](WORDS, kernel_size=1),
    "phrase_5": lambda lecture: lecture["phrase_net"](WORDS, dropout=0.3),
    "slides": lambda lecture: lecture["text_convnet"](WORDS, dropout=0.3, words_dropped=0.2),
    "no sigmoid": lambda lecture: lecture["text_convnet"](WORDS, sigmoid=False),
    "dilated": lambda lecture: lecture["dilated_net"](WORDS),
    "conv and GRU": lambda lecture: lecture["conv_gru"](),
}


@pytest.fixture(params=CLASSIFIERS)
def classifier(request, lecture):
    keras.utils.set_random_seed(0)
    return random_biases(CLASSIFIERS[request.param](lecture))


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


def test_pads_change_nothing(classifier):
    assert max(moved(classifier, texts())) < 1e-5


def test_the_slides_listing_fails_the_padding_test(lecture):
    listing = random_biases(lecture["slides_listing"](WORDS, sigmoid=False))
    assert min(moved(listing, texts(shortest=41))[-2:]) > 1e-3


def test_pooling_same_is_moved_by_one_pad_and_not_by_fifty(lecture):
    keras.utils.set_random_seed(0)
    model = random_biases(lecture["text_convnet"](WORDS, pooling=lecture["pool_same"]))
    ids = texts()[:, : STEPS - 3]  # a multiple of five
    changes = moved(model, ids)
    assert min(changes[:3]) > 1e-4
    assert changes[-1] < 1e-6


@pytest.mark.parametrize(
    ("part", "fault"), [("pooling", "pool_valid"), ("convolve", "convolve_masking_once")]
)
def test_half_a_cure_fails_the_padding_test(lecture, part, fault):
    keras.utils.set_random_seed(0)
    faulty = {part: lecture[fault]}
    model = random_biases(lecture["text_convnet"](WORDS, sigmoid=False, **faulty))
    assert max(moved(model, texts())) > 1e-4


def test_a_saved_model_reloads_with_equal_outputs(classifier, tmp_path):
    classifier.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(verdicts(classifier, texts()), verdicts(again, texts()))


def test_the_motion_net_itself_mixes_no_frames(lecture):
    keras.utils.set_random_seed(0)
    model = lecture["motion_net"](layers.Dense(64, activation="relu"), "motion")
    clips = np.random.default_rng(0).normal(size=(4, 12, 12, 12, 1)).astype("float32")
    changed = clips.copy()
    changed[:, 7] += 1
    before, after = verdicts(model, clips), verdicts(model, changed)
    assert before.shape == (4, 12, 5)
    differs = np.abs(before - after).max(axis=(0, 2)) > 1e-4
    assert differs.tolist() == [frame == 7 for frame in range(12)]


def test_no_later_word_reaches_the_dilated_answers_before_it(lecture):
    keras.utils.set_random_seed(0)
    model = lecture["dilated_net"](WORDS)
    (last,) = [layer for layer in model.layers if getattr(layer, "dilation_rate", 0) == (32,)]
    answers = keras.Model(model.input, last.output)
    ids = np.random.default_rng(0).integers(2, WORDS, size=(2, STEPS))
    changed = ids.copy()
    changed[:, 30] = ids[:, 30] % (WORDS - 2) + 2
    before, after = verdicts(answers, ids), verdicts(answers, changed)
    assert np.array_equal(before[:, :30], after[:, :30])
    assert np.abs(before[:, 30:] - after[:, 30:]).max() > 1e-5


def test_moved_filler_leaves_the_order_of_the_verdicts(lecture):
    text = "The plot was dull. One two three. The cast was good. " + "Four five six. " * 4
    framed = lecture["moved"](text.strip(), "turn", least=5)
    assert framed.startswith("Four five six. Four five six. The plot was dull. One two")
    assert sorted(framed.split()) == sorted(text.split())
    assert lecture["moved"](text, "plain") == text
