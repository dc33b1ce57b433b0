"""Lab 3c: cells against NumPy, recurrent dropout, the probe, the far recaller."""

import keras
import numpy as np
import pytest

from course_utils.checks import redrawn
from course_utils.exercises import Wrong
from lectures import lecture_03c
from lectures.lecture_03 import lstm_forward, marked_symbols, sigmoid, start_bias
from lectures.lecture_03c import cells
from lectures.lecture_03c.exercises import _reads_forwards


def peephole_step(peepholes):
    """A NumPy step by Gers and Schmidhuber (2000)."""

    def step(x, h, c, W, U, b):
        p_i, p_f, p_o = peepholes
        i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
        new = sigmoid(f + p_f * c) * c + sigmoid(i + p_i * c) * np.tanh(g)
        return sigmoid(o + p_o * new) * np.tanh(new), new

    return step


def coupled_step(x, h, c, W, U, b):
    """A NumPy step by Greff et al. (2017), with f and i exchanged."""
    f, g, o = np.split(x @ W + h @ U + b, 3, axis=-1)
    c = sigmoid(f) * c + (1 - sigmoid(f)) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@pytest.mark.parametrize(
    ("Cell", "parameters", "blocks"),
    [(cells.PeepholeLSTMCell, 215, [0, 1, 0, 0]), (cells.CoupledLSTMCell, 150, [1, 0, 0])],
)
def test_a_cell_equals_numpy_under_a_mask(Cell, parameters, blocks):
    x = np.random.default_rng(1).normal(size=(3, 9, 4)).astype("float32")
    mask = np.arange(9) < np.array([[9], [4], [1]])
    mask[1, 1] = False
    layer = keras.layers.RNN(Cell(5), return_sequences=True)
    layer.build(x.shape)
    assert layer.count_params() == parameters
    assert np.array_equal(layer.get_weights()[2], np.repeat(blocks, 5))
    W, U, b, *peepholes = redrawn(layer).get_weights()
    step = peephole_step(*peepholes) if peepholes else coupled_step
    theirs = np.array(layer(x, mask=mask))
    assert np.abs(theirs - lstm_forward(x, W, U, b, step=step, mask=mask)).max() < 1e-5


def test_recurrent_dropout_is_one_mask_per_row_and_sequence():
    loop = keras.layers.SimpleRNN(
        64, activation="linear", kernel_initializer="ones", recurrent_initializer="identity",
        recurrent_dropout=0.5, return_sequences=True, seed=1,
    )  # fmt: skip
    impulse = np.zeros((2, 4, 1), "float32")
    impulse[:, 0] = 1
    states = np.array(loop(impulse, training=True))
    kept = states[:, 1] > 0
    assert all(np.array_equal(states[:, t] > 0, kept) for t in (2, 3))
    assert not np.array_equal(kept[0], kept[1]) and 0.2 < kept.mean() < 0.8


def test_recurrent_dropout_never_drops_the_memory():
    layer = keras.layers.LSTM(64, recurrent_dropout=0.9, return_state=True, seed=0)
    layer.build((None, 5, 1))
    layer.set_weights([np.zeros_like(weight) for weight in layer.get_weights()])
    start_bias(layer, 50)
    start = [np.zeros((1, 64), "float32"), np.ones((1, 64), "float32")]
    _, _, c = layer(np.zeros((1, 5, 1), "float32"), start, training=True)
    assert np.allclose(c, 1)


def test_the_probe_finds_the_misplaced_bias():
    layer = keras.layers.LSTM(4)
    layer.build((None, None, 3))
    lecture_03c.misplaced_bias(layer, 5)
    assert np.allclose(lecture_03c.kept_per_step(layer), sigmoid(1))
    start_bias(layer, 5)
    assert np.allclose(lecture_03c.kept_per_step(layer), sigmoid(5))


def test_a_quarter_of_the_marks_moves_with_its_answers():
    x, answers, _ = marked_symbols(4_000, 0, 41, True)
    before = x.copy()
    moved, right = lecture_03c.move_marks(x, answers, range(31, 41), 0)
    marks, away = moved[..., 4].argmax(axis=1), moved[:, 0, 4] == 0
    assert (moved[..., 4].sum(axis=1) == 1).all() and np.array_equal(x, before)
    assert abs(away.mean() - 0.25) < 0.03 and set(marks[away]) == set(range(31, 41))
    assert np.array_equal(right, moved[np.arange(4_000), marks, :4].argmax(axis=-1))


def test_a_closed_start_sets_two_gates():
    layer = keras.layers.LSTM(3)
    layer.build((None, None, 2))
    lecture_03c.closed(5)(layer)
    assert np.array_equal(layer.get_weights()[2], np.repeat([-5, 5, 0, 0], 3))


def reader(loop):
    sequence = keras.Input((81, 5))
    return keras.Model(sequence, keras.layers.Dense(4, activation="softmax")(loop(sequence)))


def test_a_far_recaller_reads_forwards_and_its_last_state_alone_is_asked():
    GRU, flat = keras.layers.GRU, keras.layers.Flatten()
    _reads_forwards(reader(GRU(3)))

    def around(x):
        return keras.layers.Concatenate()([GRU(3)(x), flat(x)])

    for loop in (keras.layers.Bidirectional(GRU(3)), GRU(3, go_backwards=True), around):
        with pytest.raises(Wrong, match="read forwards|besides the last state"):
            _reads_forwards(reader(loop))
