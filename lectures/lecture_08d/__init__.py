"""Lab 08d: one linear recurrence in four forms, gates that read the input, and their limits.

Sources: Feng et al., "Were RNNs all we needed?" (2024); Gu and Dao, "Mamba" (2023);
associative recall: Arora et al., "Zoology" (2023).
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.layers import LearnedPositions, MultiHeadAttention
from lectures.lecture_03 import marked_symbols, start_bias
from lectures.lecture_08b import toeplitz
from lectures.lecture_08d.recurrences import (
    MinGRUCell,
    ScannedRNN,
    SelectiveState,
)

LECTURE = "08d_lab_linear_recurrence"
UNITS, SYMBOLS = 32, 32
MIXERS = {
    "LSTM": lambda: layers.LSTM(UNITS, return_sequences=True),
    "GRU": lambda: layers.GRU(UNITS, return_sequences=True),
    "minGRU": lambda: ScannedRNN(MinGRUCell(UNITS), return_sequences=True),
    "selective": lambda: SelectiveState(UNITS),
    "attention": lambda: MultiHeadAttention(UNITS, num_heads=4),
}


def as_loop(a, b, x):
    """h_t = a ⊙ h_{t−1} + b ⊙ x_t, one step after another.

    a, b: (channels,), a between 0 and 1. x: (batch, S, channels). Returns all states, of x's
    shape.
    """
    h, states = ops.zeros_like(x[:, 0]), []
    for t in range(x.shape[1]):
        h = a * h + b * x[:, t]
        states.append(h)
    return ops.stack(states, axis=1)


def recurrence_kernel(a, b, steps):
    """The kernel of the convolution that gives the states of h_t = a ⊙ h_{t−1} + b ⊙ x_t.

    Args:
        a, b: (channels,) each.
        steps: how many numbers a channel.

    Returns:
        NumPy array (steps, channels): row k is what is left, in h_t, of an input of 1 that
        came k steps before t.
    """
    return b * a ** np.arange(steps)[:, None]


def as_convolution(a, b, x):
    """The same states by a causal convolution, as in lecture 4, one kernel a channel."""
    steps = x.shape[1]
    kernel = recurrence_kernel(a, b, steps)[::-1, :, None]  # Keras does not mirror a kernel
    padded = ops.pad(x, [[0, 0], [steps - 1, 0], [0, 0]])
    return ops.depthwise_conv(padded, kernel.astype("float32"))


def as_matrix(a, b, x):
    """The same states by one Toeplitz matrix a channel, as in lab 8b."""
    kernel = recurrence_kernel(a, b, x.shape[1])
    none = np.zeros((len(kernel) - 1, len(a)))  # from later tokens
    W = [toeplitz(t) for t in np.concatenate([none, kernel]).T]
    return ops.einsum("cts,bsc->btc", np.array(W, "float32"), x)


def cumulative_scan(kept, written):
    """The states as cumulative products and sums: fast, elegant, and wrong.

    With A_t = kept_0 ⊙ … ⊙ kept_t: h_t = A_t ⊙ Σ_{s≤t} written_s / A_s.
    kept, written: NumPy arrays (batch, S, channels), kept above 0.
    """
    A = np.cumprod(kept, axis=1)
    return A * np.cumsum(written / A, axis=1)


def log_space_scan(log_kept, log_written):
    """The states of `cumulative_scan`, of which no part overflows or becomes 0 too early.

    With L_t = Σ_{s≤t} log kept_s: log h_t = L_t + log Σ_{s≤t} exp(log written_s − L_s).

    Args:
        log_kept, log_written: NumPy arrays (batch, S, channels).

    Returns:
        The states h, not their logarithms: NumPy array (batch, S, channels).
    """
    L = np.cumsum(log_kept, axis=1)
    return np.exp(L + np.logaddexp.accumulate(log_written - L, axis=1))


def block(x, mix):
    """One residual block around a layer that mixes tokens, as in lecture 6.

    x: (batch, S, UNITS). mix: a layer or function of that shape.
    """
    x = x + mix(layers.LayerNormalization()(x))
    normed = layers.LayerNormalization()(x)
    return x + layers.Dense(UNITS)(layers.Dense(2 * UNITS, activation="gelu")(normed))


def mixed(x, mixer, causal=True):
    """Put x (batch, S, UNITS) through one block of a kind of `MIXERS`, and a last norm.

    Attention also gets learned positions; the gates that keep start at a bias of 3.
    """
    layer = MIXERS[mixer]()
    if mixer == "attention":
        x = LearnedPositions(x.shape[1])(x)
        x = block(x, lambda normed: layer(normed, normed, use_causal_mask=causal))
    else:
        x = block(x, layer)
    if mixer in ("LSTM", "GRU"):
        start_bias(layer, 3)
    return layers.LayerNormalization()(x)


def recaller(mixer, steps, channels, classes):
    """A network that reads (batch, steps, channels) and names one class at the last step."""
    inputs = keras.Input((steps, channels))
    last = mixed(layers.Dense(UNITS)(inputs), mixer)[:, -1]
    outputs = layers.Dense(classes, activation="softmax", dtype="float32")(last)
    return keras.Model(inputs, outputs)


def pairs_to_recall(count, seed, pairs):
    """Make sequences of key–value pairs and, at the last step, one of the keys again.

    Args:
        count: how many sequences.
        seed: the same seed makes the same sequences.
        pairs: how many pairs, at most 32; their keys differ.

    Returns:
        x, float32 (count, pairs + 1, 64): one-hot key and value; the last value is empty.
        values, int32 (count,): what belongs to the last key.
    """
    draw, one_hot = np.random.default_rng(seed), np.eye(SYMBOLS, dtype="float32")
    keys = draw.random((count, SYMBOLS)).argsort(axis=1)[:, :pairs]
    values = draw.integers(SYMBOLS, size=(count, pairs))
    row, asked = np.arange(count), draw.integers(pairs, size=count)
    seen = np.concatenate([one_hot[keys], one_hot[values]], axis=-1)
    again = np.concatenate([one_hot[keys[row, asked]], np.zeros((count, SYMBOLS))], axis=-1)
    x = np.concatenate([seen, again[:, None]], axis=1).astype("float32")
    return x, values[row, asked].astype("int32")


def train_recaller(batches=500):
    """Build a network around your own minGRU, train it by `fit`, and return it.

    `x, answers, _ = marked_symbols(count, seed)` makes inputs x, float32 (count, 100, 5), and
    answers (count,). Output: the probabilities of the four symbols (batch, 4), a Dense layer on
    the last state of `ScannedRNN(MinGRUCell(32))`, which reads forwards. Choose the learning
    rate and what stands before the recurrence.

    Args:
        batches: how many batches of 64 sequences it is trained on, each seen once.
    """
    keras.utils.set_random_seed(0)
    inputs = keras.Input((100, 5))
    state = ScannedRNN(MinGRUCell(32))(layers.Dense(32)(inputs))
    model = keras.Model(inputs, layers.Dense(4, activation="softmax")(state))
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    x, answers, _ = marked_symbols(64 * batches, seed=1)
    model.fit(x, answers, batch_size=64, verbose=2)
    return model
