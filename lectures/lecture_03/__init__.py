"""Lecture 03, LSTM and GRU: their steps in NumPy, the loops around them, two tasks.

W on the input, U on the state, b the bias, in Keras' order of columns, a block of `units` each:
input gate, forget gate, candidate g, output gate; in a GRU update gate, reset gate, candidate.
Shapes: x (batch, steps, inputs), or (batch, inputs) at one step; h and c (batch, units); mask
(batch, steps), True where a step is real.
"""

from functools import partial

import keras
import numpy as np
from keras import layers

from lectures import lecture_02
from lectures.lecture_03.cells import LSTMCell

LECTURE = "03_lstm_gru"
IMDB_READERS = {  # the recorded runs' names: a reader, and its best learning rate
    "simple_rnn_32": (lambda: layers.SimpleRNN(32), 0.001),
    "lstm_32": (lambda: layers.LSTM(32), 0.008),
    "gru_32": (lambda: layers.GRU(32), 0.008),
    "bidirectional_32": (lambda: layers.Bidirectional(layers.LSTM(32)), 0.004),
}


def sigmoid(x):
    """Squash to between 0 and 1: 1 / (1 + exp(-x)), in a form that never overflows."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def lstm_step(x, h, c, W, U, b):
    """Take one step of an LSTM.

    Args:
        x: the input x_t, (batch, inputs).
        h, c: the hidden state h_{t-1} and the cell state c_{t-1}, (batch, units) each.
        W, U, b: (inputs, 4·units), (units, 4·units), (4·units,). Their columns are four blocks
            of `units`: input gate, forget gate, candidate, output gate.

    Returns:
        The new hidden state h_t and the new cell state c_t, NumPy arrays (batch, units).

    Source: Hochreiter and Schmidhuber, "Long short-term memory" (1997), with the forget gate
    of Gers, Schmidhuber and Cummins, "Learning to forget" (2000).
    """
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, c


def lstm_forward(x, W, U, b, step=lstm_step, mask=None, return_sequences=True):
    """Run `step` over all steps; a masked step hands h and c on unchanged.

    Returns all hidden states (batch, steps, units), or the last one (batch, units).
    """
    h = c = np.zeros((len(x), len(U)), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new_h, new_c = step(x[:, t], h, c, W, U, b)
        real = True if mask is None else mask[:, t, None]  # True: every step is a word
        h, c = np.where(real, new_h, h), np.where(real, new_c, c)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def new_cell(bias, seed, step=lstm_step):
    """A function from x to the last state of a new Keras layer with 32 inputs and 32 units.

    It is an LSTM whose forget gate has this bias, run by `step`; with None a SimpleRNN.
    """
    keras.utils.set_random_seed(seed)
    layer = layers.SimpleRNN(32) if bias is None else layers.LSTM(32)
    layer.build((None, None, 32))
    if bias is None:
        run = lecture_02.forward
    else:
        start_bias(layer, bias)
        run = partial(lstm_forward, step=step)
    W, U, b = (array.astype(float) for array in layer.get_weights())
    return lambda x: run(x, W, U, b, return_sequences=False)


def moved(run, x, distances):
    """The change of the last state per unit of change in the input, for each distance."""
    nudge = np.random.default_rng(1).normal(size=x[:, 0].shape)
    nudge *= 1e-2 / np.linalg.norm(nudge, axis=-1, keepdims=True)
    nudges = np.zeros((len(distances), *x.shape))
    for one, back in zip(nudges, distances, strict=True):
        one[:, -1 - back] = nudge
    there, back = (run((x + sign * nudges).reshape(-1, *x.shape[1:])) for sign in (1, -1))
    change = (there - back) / 2e-2  # from -1e-2 to 1e-2; smaller ones drown in rounding
    return np.linalg.norm(change, axis=-1).reshape(len(distances), -1).mean(axis=1)


def forget_bias(half_life):
    """Return the bias with which a forget gate keeps half of the cell state for so many steps.

    Args:
        half_life: after how many steps half of c is left, when nothing is written and the gate
            sees its bias alone: c_t = f · c_{t-1} with f = sigmoid(bias).

    Returns:
        The bias, a number.
    """
    gate = 0.5 ** (1 / half_life)
    return np.log(gate / (1 - gate))


def gru_step(x, h, W, U, b):
    """Take one step of the GRU as Cho et al. published it: the reset precedes the product.

    Args:
        x: the input x_t, (batch, inputs).
        h: the state h_{t-1}, (batch, units).
        W, U, b: (inputs, 3·units), (units, 3·units), (3·units,). Their columns are three blocks
            of `units`: update gate z, reset gate r, candidate.

    Returns:
        The new state h_t, a NumPy array (batch, units); where z is 1, the old state is kept.

    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014),
    equations 5 to 8. In Keras: GRU(units, reset_after=False).
    """
    x_z, x_r, x_g = np.split(x @ W + b, 3, axis=-1)
    U_z, U_r, U_g = np.split(U, 3, axis=-1)
    z = sigmoid(x_z + h @ U_z)
    r = sigmoid(x_r + h @ U_r)
    g = np.tanh(x_g + (r * h) @ U_g)
    return z * h + (1 - z) * g


def gru_step_reset_after(x, h, W, U, b):
    """Take one step of Keras' default GRU: the reset comes after the product with U.

    Args:
        x: the input x_t, (batch, inputs).
        h: the state h_{t-1}, (batch, units).
        W, U: (inputs, 3·units) and (units, 3·units), in blocks: z, r, candidate.
        b: (2, 3·units): row 0 is added to the product with W, row 1 to the product with U.

    Returns:
        The new state h_t, a NumPy array (batch, units); where z is 1, the old state is kept.
    """
    x_z, x_r, x_g = np.split(x @ W + b[0], 3, axis=-1)
    h_z, h_r, h_g = np.split(h @ U + b[1], 3, axis=-1)
    z = sigmoid(x_z + h_z)
    r = sigmoid(x_r + h_r)
    g = np.tanh(x_g + r * h_g)
    return z * h + (1 - z) * g


def gru_forward(x, W, U, b, step=gru_step_reset_after, mask=None, return_sequences=True):
    """Run `step` over all steps, as `lstm_forward` does."""
    h = np.zeros((len(x), len(U)), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new = step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def both_ends(states, mask):
    """Return what a bidirectional layer knows once each direction has read the whole text.

    Args:
        states: (batch, steps, 2·units), the forward half first, as Keras'
            Bidirectional(LSTM(units, return_sequences=True)) returns them.
        mask: bool (batch, steps), True for words, False for the pads that follow them.

    Returns:
        (batch, 2·units): first the forward half, then the backward half, each taken at the step
        where it has read the whole text.
    """
    units = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    forward = states[np.arange(len(states)), last, :units]
    return np.concatenate([forward, states[:, 0, units:]], axis=-1)


def marked_symbols(count, seed, steps=100, first=False):
    """Make sequences in which one of four symbols is marked: the one to be recalled.

    Args:
        count: how many sequences.
        seed: the same seed makes the same sequences.
        steps: length of a sequence.
        first: True to mark the first symbol always, False to mark one at a random step.

    Returns:
        x, float32 (count, steps, 5): a one-hot symbol and the marker bit; answers, int32
        (count,), the marked symbols; back, int (count,): how many steps before the last one
        the marked symbol stands.
    """
    draw = np.random.default_rng(seed)
    ids = draw.integers(4, size=(count, steps))
    place = np.zeros(count, int) if first else draw.integers(steps, size=count)
    marker = np.arange(steps) == place[:, None]
    x = np.concatenate([np.eye(4, dtype="float32")[ids], marker[..., None]], axis=-1)
    return x, ids[np.arange(count), place].astype("int32"), steps - 1 - place


def recall_model(cell):
    """Build and compile a network that reads (batch, 100, 5) and names one of four symbols."""
    sequence = keras.Input((100, 5))
    state = layers.RNN(cell)(sequence)
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(state))
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def train_recaller():
    """Train a network to recall the marked symbol; return the trained Keras model.

    Make it by `recall_model(LSTMCell(32, forget_bias=...))`, whose bias your half-life sets.
    `marked_symbols(count, seed)` returns so many sequences (count, 100, 5), the answers
    (count,), and how far back each mark stands. Call `fit` for one epoch with batches of 64
    sequences, as many as the network needs.
    """
    keras.utils.set_random_seed(0)
    model = recall_model(LSTMCell(32, forget_bias=forget_bias(10)))
    x, answers, _ = marked_symbols(64 * 600, seed=1)
    model.fit(x, answers, batch_size=64, verbose=2)
    return model


def start_bias(layer, bias):
    """Set the bias of a built LSTM's forget gate, or of a built default GRU's update gate.

    Both are the gate that keeps. Of the GRU's two rows of biases, which are added, the second
    stays as it is. Raises ValueError for another kind of layer.
    """
    if not isinstance(layer, layers.LSTM | layers.GRU):
        raise ValueError(f"start_bias needs a keras.layers.LSTM or GRU, not {layer!r}")
    W, U, b = layer.get_weights()
    if isinstance(layer, layers.LSTM):
        b[layer.units : 2 * layer.units] = bias
    else:
        np.atleast_2d(b)[0, : layer.units] = bias  # of two rows the first is the input's
    layer.set_weights([W, U, b])
