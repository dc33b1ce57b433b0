"""Lecture 03: the steps in NumPy against Keras, its cell, its tasks and its trainings."""

import keras
import numpy as np
import pytest

from lectures import lecture_03
from lectures.lecture_03.cells import LSTMCell

BATCH, STEPS, INPUTS, UNITS = 3, 9, 4, 5
NAMES = ("lstm", "gru", "gru_reset_after", "LSTMCell")


def sequences():
    x = np.random.default_rng(1).normal(size=(BATCH, STEPS, INPUTS)).astype("float32")
    mask = np.arange(STEPS) < np.array([[STEPS], [4], [1]])
    mask[1, 1] = False  # a hole, where the cell state has to wait as well
    return x, mask


def keras_layer(name, return_sequences=False):
    """A layer whose weights are all drawn, so that no bias is zero."""
    if name == "LSTMCell":
        layer = keras.layers.RNN(LSTMCell(UNITS))
    elif name == "lstm":
        layer = keras.layers.LSTM(UNITS)
    else:
        layer = keras.layers.GRU(UNITS, reset_after=name == "gru_reset_after")
    layer.return_sequences = return_sequences
    layer.build((None, STEPS, INPUTS))
    generator = np.random.default_rng(0)
    layer.set_weights([generator.normal(size=w.shape) for w in layer.get_weights()])
    return layer


def in_numpy(name, weights, x, **arguments):
    if name == "gru_reset_after":
        return lecture_03.gru_forward(x, *weights, **arguments)
    if name == "gru":
        return lecture_03.gru_forward(x, *weights, step=lecture_03.gru_step, **arguments)
    return lecture_03.lstm_forward(x, *weights, **arguments)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("return_sequences", [False, True])
def test_numpy_equals_keras(name, masked, return_sequences):
    x, mask = sequences()
    mask = mask if masked else None
    layer = keras_layer(name, return_sequences)
    theirs = np.array(layer(x, mask=mask))
    ours = in_numpy(name, layer.get_weights(), x, mask=mask, return_sequences=return_sequences)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    assert np.abs(ours - theirs).max() < 1e-5


def test_the_sigmoid_of_large_numbers_is_silent():
    with np.errstate(all="raise"):
        assert np.array_equal(lecture_03.sigmoid(np.float32([-1e4, 0, 1e4])), [0, 0.5, 1])


def test_half_of_the_memory_is_left_after_the_half_life():
    for steps in (1, 7, 50):
        gate = lecture_03.sigmoid(lecture_03.forget_bias(steps))
        assert gate**steps == pytest.approx(0.5)


def test_a_new_cell_is_the_layer_with_this_bias():
    x = np.random.default_rng(1).normal(size=(BATCH, STEPS, 32))
    for bias in (None, 3):
        keras.utils.set_random_seed(5)
        layer = keras.layers.SimpleRNN(32) if bias is None else keras.layers.LSTM(32)
        layer.build((None, None, 32))
        if bias:
            lecture_03.start_bias(layer, bias)
        ours = lecture_03.new_cell(bias, 5)(x)
        assert np.allclose(ours, np.array(layer(x.astype("float32"))), atol=1e-5)


def test_the_cell_starts_with_the_bias_that_it_is_given():
    cell = LSTMCell(UNITS, forget_bias=3.0)
    cell.build((None, INPUTS))
    assert np.array_equal(cell.get_weights()[2], np.repeat([0, 3, 0, 0], UNITS))


@pytest.mark.parametrize("name", ["lstm", "gru", "gru_reset_after"])
def test_the_starting_bias_is_that_of_the_gate_that_keeps(name):
    layer = keras_layer(name, return_sequences=True)
    layer.set_weights([w * 0.1 for w in layer.get_weights()])
    before = layer.get_weights()[2]
    lecture_03.start_bias(layer, 50)
    if name == "lstm":  # its cell state grows at every step
        assert np.flatnonzero(layer.get_weights()[2] != before).tolist() == [*range(5, 10)]
    else:
        start = np.full((BATCH, UNITS), 0.3, "float32")
        kept = np.array(layer(sequences()[0], initial_state=start))
        assert np.allclose(kept, 0.3, atol=1e-4)
    with pytest.raises(ValueError, match="LSTM or GRU"):
        lecture_03.start_bias(keras.layers.SimpleRNN(2), 1)


def test_the_ends_are_what_keras_picks():
    x, _ = sequences()
    mask = np.arange(STEPS) < np.array([[STEPS], [4], [1]])
    both = keras.layers.Bidirectional(keras.layers.LSTM(4, return_sequences=True))
    ends = keras.layers.Bidirectional(keras.layers.LSTM(4))
    states = np.array(both(x, mask=mask))
    ends.build(x.shape)
    ends.set_weights(both.get_weights())
    assert not states[1, 4:].any()
    theirs = np.array(ends(x, mask=mask))
    assert np.allclose(lecture_03.both_ends(states, mask), theirs, atol=1e-6)


def test_marked_symbols_are_what_the_slide_says():
    for first in (False, True):
        x, answers, back = lecture_03.marked_symbols(500, seed=3, steps=20, first=first)
        assert x.shape == (500, 20, 5) and (x[..., :4].sum(axis=-1) == 1).all()
        place = x[..., 4].argmax(axis=1)
        assert (x[..., 4].sum(axis=1) == 1).all() and np.array_equal(place, 19 - back)
        assert np.array_equal(x[np.arange(500), place, :4].argmax(axis=1), answers)
        assert set(place) == ({0} if first else set(range(20)))


def test_far_derivatives_are_not_rounding():
    noise = np.random.default_rng(0).normal(size=(2, 61, 32))
    near, far = lecture_03.moved(lecture_03.new_cell(0, seed=0), noise, (40, 60))
    assert far < near / 1_000, "a new LSTM with bias 0 loses more than a decade in ten steps"
