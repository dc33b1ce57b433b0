"""Lecture 05: its NumPy, our layers and Keras' own give the same numbers."""

import keras
import numpy as np
import pytest

from course_utils import layers
from lectures import lecture_05
from lectures.lecture_05 import additive_score, dot_attention, softmax
from lectures.lecture_05.pairs import load_pairs

BATCH, T, S, WIDTH, UNITS = 3, 4, 6, 5, 7
LENGTHS = np.array([S, 4, 1])
NAMES = ["dot", "general", "bahdanau"]


def states(encoder_width=WIDTH):
    """Decoder states, encoder states and where the source is real, three sentences."""
    draw = np.random.default_rng(0)
    query = draw.normal(size=(BATCH, T, WIDTH)).astype("float32")
    encoded = draw.normal(size=(BATCH, S, encoder_width)).astype("float32")
    return query, encoded, np.arange(S) < LENGTHS[:, None]


def built(name, encoder_width=WIDTH):
    keras.utils.set_random_seed(0)
    bahdanau = name == "bahdanau"
    layer = layers.BahdanauAttention(UNITS) if bahdanau else layers.LuongAttention(UNITS, name)
    layer.build((None, T, WIDTH), (None, S, encoder_width))
    return layer


def in_numpy(name, layer, query, encoded, mask=None):
    """The same layer by the formulas: what it returns, and the weights α."""
    have = {weight.path.split("/", 1)[-1]: weight.numpy() for weight in layer.weights}
    if name == "bahdanau":
        W_s, W_h, v = (have[f"{part}/kernel"] for part in ("W_s", "W_h", "v"))
        scores = additive_score(query, encoded, W_s, W_h, v[:, 0])
    else:
        projected = query @ have["W"] if name == "general" else query
        scores = projected @ encoded.swapaxes(1, 2)
    alpha = softmax(scores, None if mask is None else mask[:, None])
    found = alpha @ encoded
    if name == "bahdanau":
        return found, alpha
    joined = np.concatenate([found, query], axis=-1)
    return np.tanh(joined @ have["W_c/kernel"]), alpha


def distance(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    return np.abs(ours - theirs).max()


@pytest.mark.parametrize(
    ("name", "width"), [*[(name, WIDTH) for name in NAMES], *[(name, 3) for name in NAMES[1:]]]
)
@pytest.mark.parametrize("masked", [False, True])
def test_numpy_equals_our_layer(name, width, masked):
    query, encoded, mask = states(width)
    mask = mask if masked else None
    layer = built(name, width)
    ours, alpha = in_numpy(name, layer, query, encoded, mask)
    theirs, scores = layer(query, encoded, value_mask=mask, return_attention_scores=True)
    assert distance(ours, theirs) < 1e-5
    assert distance(alpha, scores) < 1e-5


def test_the_exercises_attention_is_keras_attention():
    query, encoded, mask = states()
    theirs, scores = keras.layers.Attention()(
        [query, encoded], mask=[None, mask], return_attention_scores=True
    )
    alpha, found = dot_attention(query, encoded, mask)
    assert distance(alpha, scores) < 1e-5
    assert distance(found, theirs) < 1e-5


@pytest.mark.parametrize("masked", [False, True])
def test_the_additive_score_is_keras_additive_attention_of_projected_states(masked):
    query, encoded, mask = states()
    layer = built("bahdanau")
    W_s, W_h, v = layer.W_s.kernel.numpy(), layer.W_h.kernel.numpy(), layer.v.kernel.numpy()
    theirs = keras.layers.AdditiveAttention()
    theirs.build([(None, T, UNITS), (None, S, WIDTH), (None, S, UNITS)])
    theirs.set_weights([v[:, 0]])
    found, scores = theirs(
        [query @ W_s, encoded, encoded @ W_h],
        mask=[None, mask, None] if masked else None,
        return_attention_scores=True,
    )
    ours, alpha = in_numpy("bahdanau", layer, query, encoded, mask if masked else None)
    assert distance(alpha, scores) < 1e-5
    assert distance(ours, found) < 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_a_source_without_a_word_gives_weights_of_zero(name):
    query, encoded, mask = states()
    mask[1] = False
    layer = built(name)
    found, alpha = layer(query, encoded, value_mask=mask, return_attention_scores=True)
    assert not np.array(alpha)[1].any() and np.isfinite(np.array(found)).all()
    ours, weights = in_numpy(name, layer, query, encoded, mask)
    assert distance(ours, found) < 1e-5
    assert distance(weights, alpha) < 1e-5


def test_the_masked_loss_is_keras_cross_entropy_without_class_0():
    draw = np.random.default_rng(0)
    targets = draw.integers(1, 8, size=(BATCH, S)) * (np.arange(S) < LENGTHS[:, None])
    logits = draw.normal(size=(BATCH, S, 8)).astype("float32")
    theirs = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    assert distance(lecture_05.masked_loss(logits, targets), theirs(targets, logits)) < 1e-5


@pytest.mark.slow
def test_the_shift_is_that_of_the_data_set():
    split, french = load_pairs().test, load_pairs().vocabulary["target"]
    texts = split.columns["target_text"][:50]
    read, write = lecture_05.shift([french.encode(text.split()) for text in texts])
    width = read.shape[1]
    assert np.array_equal(read, split.inputs["target"][:50, :width])
    assert np.array_equal(write, split.targets[:50, :width])


def test_softmax_is_stable_masks_before_and_leaves_an_empty_row_empty():
    scores = np.array([[1e4, 0.0, -1e4], [5.0, 5.0, 5.0], [1.0, 2.0, 3.0]], "float32")
    mask = np.array([[True] * 3, [True, False, True], [False] * 3])
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        weights = softmax(scores, mask)
    assert weights.dtype == np.float32
    assert np.array_equal(weights, np.float32([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 0]]))
    assert np.allclose(softmax(scores), softmax(scores + 100), atol=1e-5)


def test_a_swap_exchanges_one_word_for_another_of_its_kind():
    pairs = load_pairs()
    source, english = pairs.test.inputs["source"][:200], pairs.vocabulary["source"]
    kinds = [set(english.encode(words)) for words in lecture_05.ALIKE]
    assert not any(1 in kind for kind in kinds)
    for position in (0, 2, 5):
        other = lecture_05.swaps(source, english, position)
        rows = np.flatnonzero(other[:, position] != source[:, position])
        assert len(rows) > 50
        for row in rows:
            one = {source[row, position], other[row, position]}
            assert any(one <= kind for kind in kinds)
        assert np.array_equal(np.delete(other, position, 1), np.delete(source, position, 1))
