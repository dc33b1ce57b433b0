"""Lab 3c, memory: one fair grid of cells, starting biases, learning rates and distances."""

import keras
import numpy as np
from keras import layers, ops

from lectures.lecture_03 import marked_symbols, start_bias

LECTURE = "03c_lab_memory"
CELLS = {"SimpleRNN": (layers.SimpleRNN, None)}
CELLS |= {f"LSTM {bias}": (layers.LSTM, bias) for bias in (0, 1, 3, 5)}
CELLS |= {f"GRU {bias}": (layers.GRU, bias) for bias in (0, 1, 3, 5)}
LEARNING_RATES = (0.001, 0.003, 0.01)
TASKS = {  # length of a sequence, and whether the mark is always at its first step
    "random 100": (100, False),
    "first 20": (21, True),
    "first 40": (41, True),
    "first 80": (81, True),
}


def recall(layer, bias, learning_rate, steps, first, batches, seed=0):
    """Train a new layer to recall the marked symbol; return its accuracy on new sequences.

    `layer`, such as `layers.LSTM(32)`, is not built yet; `bias` goes to `start_bias`, and None
    leaves Keras' own. It learns from so many `batches` of 64 sequences, each seen once.
    """
    sequence = keras.Input((steps, 5))
    output = layers.Dense(4, activation="softmax", dtype="float32")(layer(sequence))
    model = keras.Model(sequence, output)
    if bias is not None:
        start_bias(layer, bias)
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", steps_per_execution=10)
    x, answers, _ = marked_symbols(64 * batches, seed, steps, first)
    model.fit(x, answers, batch_size=64, shuffle=False, verbose=0)
    x, answers, _ = marked_symbols(4_000, 10_000 + seed, steps, first)
    named = model.predict(x, batch_size=500, verbose=0).argmax(axis=-1)
    return float((named == answers).mean())


def kept_per_step(layer):
    """Return the share of the cell state that an LSTM keeps in one step, one number per unit.

    The step is probed: a cell state of 1, a hidden state of 0 and an input of 0 go in.

    Args:
        layer: a built `keras.layers.LSTM`. Its one step is `layer.cell(x, [h, c])` with x
            (batch, inputs), h and c (batch, units); it returns h and the new states [h, c].

    Returns:
        NumPy array (units,).
    """
    x = np.zeros((1, layer.cell.kernel.shape[0]), "float32")
    h, c = np.zeros((1, layer.units), "float32"), np.ones((1, layer.units), "float32")
    _, (_, new_c) = layer.cell(x, [h, c])
    return ops.convert_to_numpy(new_c)[0]


def misplaced_bias(layer, bias):
    """Set a starting bias as a student did it, in the wrong place."""
    W, U, b = layer.get_weights()
    b[: layer.units] = bias
    layer.set_weights([W, U, b])


def train_far_recaller(batches=600):
    """Build a network, and train it by `fit` to recall the first of 81 symbols; return it.

    Input: float32 (batch, 81, 5), as `marked_symbols(count, seed, steps=81, first=True)` makes
    them. Output: probabilities of the four symbols (batch, 4). Take any recurrent layer of
    Keras with 32 units, `start_bias(layer, bias)` and a learning rate of your choice.

    Args:
        batches: how many batches of 64 sequences it is trained on, each seen once.
    """
    keras.utils.set_random_seed(0)
    sequence, layer = keras.Input((81, 5)), layers.GRU(32)
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(layer(sequence)))
    start_bias(layer, 3)
    optimizer = keras.optimizers.Adam(0.003, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    x, answers, _ = marked_symbols(64 * batches, seed=1, steps=81, first=True)
    model.fit(x, answers, batch_size=64, verbose=2)
    return model
