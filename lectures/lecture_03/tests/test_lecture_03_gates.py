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


@pytest.mark.parametrize(
    ("block", "far", "cell", "shown"),
    [
        (0, 50, 0.25 + np.tanh(1), 0.5),  # the input gate opens
        (1, -50, 0.5 * np.tanh(1), 0.5),  # the forget gate closes
        (2, 50, 0.25 + 0.5, 0.5),  # the candidate is 1
        (3, 50, 0.25 + 0.5 * np.tanh(1), 1.0),  # the output gate opens
    ],
)
def test_keras_order_is_input_forget_candidate_output(block, far, cell, shown):
    """Move one block of the bias far and see in Keras' own states which gate it was."""
    layer = keras.layers.LSTM(UNITS, return_state=True)
    layer.build((None, 1, INPUTS))
    start = [np.full((1, UNITS), value, "float32") for value in (0, 0.5)]
    bias = np.zeros((4, UNITS), "float32")
    bias[2] = 1.0  # a candidate, so that an open input gate shows
    bias[block] += far
    layer.set_weights([*(np.zeros_like(w) for w in layer.get_weights()[:2]), bias.reshape(-1)])
    _, h, c = (np.array(part)[0, 0] for part in layer(np.zeros((1, 1, INPUTS)), start))
    assert np.isclose(c, cell, atol=1e-6)
    assert np.isclose(h, np.tanh(cell) * shown, atol=1e-6)


def test_the_sigmoid_of_large_numbers_is_silent():
    with np.errstate(all="raise"):
        assert np.array_equal(lecture_03.sigmoid(np.float32([-1e4, 0, 1e4])), [0, 0.5, 1])


def test_half_of_the_memory_is_left_after_the_half_life():
    for steps in (1, 7, 50):
        gate = lecture_03.sigmoid(lecture_03.forget_bias(steps))
        assert gate**steps == pytest.approx(0.5)


def test_the_forms_of_the_gru_differ_unless_the_candidates_matrix_is_diagonal():
    x, _ = sequences()
    W, U, b = keras_layer("gru").get_weights()
    rows = np.stack([b, np.zeros_like(b)])

    def difference():
        cho = lecture_03.gru_forward(x, W, U, b, step=lecture_03.gru_step)
        return np.abs(cho - lecture_03.gru_forward(x, W, U, rows)).max()

    assert difference() > 0.01
    U[:, 2 * UNITS :] *= np.eye(UNITS)
    assert difference() < 1e-6


def test_an_update_gate_of_one_keeps_the_state():
    W, U = np.ones((INPUTS, 3 * UNITS)), np.ones((UNITS, 3 * UNITS))
    b = np.repeat([1e3, 0.0, 0.0], UNITS)
    x, h = sequences()[0][:, 0], np.full((BATCH, UNITS), 0.3)
    assert np.array_equal(lecture_03.gru_step(x, h, W, U, b), h)
    rows = np.stack([b, 0 * b])
    assert np.array_equal(lecture_03.gru_step_reset_after(x, h, W, U, rows), h)


def test_the_trace_is_what_the_loop_does():
    x, _ = sequences()
    weights = keras_layer("lstm").get_weights()
    trace = lecture_03.lstm_trace(x, *weights)
    assert all(part.shape == (BATCH, STEPS, UNITS) for part in trace.values())
    assert np.array_equal(trace["hidden state"], lecture_03.lstm_forward(x, *weights))
    shown = trace["output gate"] * np.tanh(trace["cell state"])
    assert np.allclose(trace["hidden state"], shown)


def test_the_cell_starts_with_the_bias_that_it_is_given():
    cell = LSTMCell(UNITS, forget_bias=3.0)
    cell.build((None, INPUTS))
    assert np.array_equal(cell.get_weights()[2], np.repeat([0, 3, 0, 0], UNITS))


@pytest.mark.parametrize("name", ["lstm", "gru", "gru_reset_after"])
def test_the_starting_bias_is_that_of_the_gate_that_keeps(name):
    x, _ = sequences()
    layer = keras_layer(name)
    layer.set_weights([w * 0.1 for w in layer.get_weights()])
    lecture_03.start_bias(layer, 50)
    kept = "tanh" if name == "lstm" else None
    start = [np.full((BATCH, UNITS), 0.3, "float32")] * (2 if kept else 1)
    if kept:
        layer.return_state = True
        assert (np.array(layer(x, start)[2]) > 0.3 - 5).all()
        bias = layer.get_weights()[2].reshape(4, UNITS)
        assert (bias[1] == 50).all() and (np.abs(bias[[0, 2, 3]]) < 1).all()
    else:
        assert np.allclose(np.array(layer(x, initial_state=start[0])), 0.3, atol=1e-4)
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
