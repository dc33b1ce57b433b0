"""Lab 3c, memory: one fair grid of cells, starting biases, learning rates and distances."""

import functools

import keras
import numpy as np
from keras import layers, ops
from sklearn.linear_model import LogisticRegression

from course_utils import results
from lectures.lecture_03 import marked_symbols, start_bias
from lectures.lecture_03c.cells import CoupledLSTMCell, PeepholeLSTMCell

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
MOVED = {"none": None, "near": range(31, 41), "far": range(10)}  # of 41 steps


@functools.lru_cache(maxsize=2)
def sequences(*settings):
    """Make sequences by `marked_symbols`, once for runs that follow each other."""
    return marked_symbols(*settings)


def recall(layer, bias, learning_rate, steps, first, batches, seed=0, moved=None):
    """Train a new layer to recall the marked symbol; return its accuracy on new sequences.

    Args:
        layer: such as `layers.LSTM(32)`, not built yet.
        bias: what `start_bias` is given; None leaves Keras' own, and a function of the built
            layer sets its biases itself.
        steps, first: as in `marked_symbols`.
        batches: of 64 sequences, each seen once.
        moved: a range of steps; in a quarter of the training sequences the mark is moved to one
            of them. The new sequences stay as they are.
    """
    sequence = keras.Input((steps, 5))
    output = layers.Dense(4, activation="softmax", dtype="float32")(layer(sequence))
    model = keras.Model(sequence, output)
    if callable(bias):
        bias(layer)
    elif bias is not None:
        start_bias(layer, bias)
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", steps_per_execution=10)
    x, answers, _ = sequences(64 * batches, seed, steps, first)
    if moved is not None:
        x, answers = move_marks(x, answers, moved, seed)
    model.fit(x, answers, batch_size=64, shuffle=False, verbose=0)
    x, answers, _ = sequences(4_000, 10_000 + seed, steps, first)
    named = model.predict(x, batch_size=500, verbose=0).argmax(axis=-1)
    return float((named == answers).mean())


def move_marks(x, answers, steps, seed):
    """Move the mark of a quarter of the sequences to one of `steps`; return x and answers."""
    draw = np.random.default_rng(seed)
    rows = np.flatnonzero(draw.random(len(x)) < 1 / 4)
    chosen = draw.choice(steps, size=len(rows))
    x, answers = x.copy(), answers.copy()
    x[rows, :, 4] = 0
    x[rows, chosen, 4] = 1
    answers[rows] = x[rows, chosen, :4].argmax(axis=-1)
    return x, answers


def closed(bias):
    """Return a function that starts an LSTM's forget gates at `bias`, its input gates at -bias.

    bias: a number, or one number for each unit.
    """

    def start(layer):
        start_bias(layer, bias)
        W, U, b = layer.get_weights()
        b[: layer.units] = -b[layer.units : 2 * layer.units]
        layer.set_weights([W, U, b])

    return start


def chrono(steps):
    """Return a function that starts an LSTM of 32 units as Tallec and Ollivier (2018) do."""
    return closed(np.log(np.random.default_rng(0).uniform(1, steps - 1, size=32)))


def starting(Cell, *fresh):
    """Return a function that makes a layer of 32 such cells with these biases at the start."""

    def layer(units):
        cell = Cell(units)
        cell.fresh = fresh
        return layers.RNN(cell)

    return layer


def identity_rnn(units):
    """A simple RNN that starts as a copy of its state (Le, Jaitly and Hinton, 2015)."""
    return layers.SimpleRNN(units, activation="relu", recurrent_initializer="identity")


def variants(steps):
    """What is compared with the grid: {name: (layer, bias)}, as in `CELLS`."""
    return {f"LSTM {bias}": (layers.LSTM, bias) for bias in (1, 3, 5)} | {
        "LSTM 5, input -5": (layers.LSTM, closed(5)),
        "LSTM chrono": (layers.LSTM, chrono(steps)),
        "coupled 1": (starting(CoupledLSTMCell, 1, 0, 0), None),
        "coupled 3": (starting(CoupledLSTMCell, 3, 0, 0), None),
        "coupled 5": (starting(CoupledLSTMCell, 5, 0, 0), None),
        "peephole 3": (starting(PeepholeLSTMCell, 0, 3, 0, 0), None),
        "SimpleRNN identity": (identity_rnn, None),
    }


def rivals(steps, first, seed=0):
    """Return the accuracy of three models without a state on the same task, by name.

    Logistic regressions, trained on 8,000 sequences, see how often each symbol occurs; the
    whole window, a weight for each symbol at each step; or symbol times marker, summed over
    the steps.
    """
    seen = {
        "symbol counts": lambda x: x[:, :, :4].sum(axis=1),
        "window": lambda x: x.reshape(len(x), -1),
        "symbol × marker": lambda x: (x[:, :, :4] * x[:, :, 4:]).sum(axis=1),
    }
    x, answers, _ = marked_symbols(8_000, seed, steps, first)
    new, right, _ = marked_symbols(4_000, 10_000 + seed, steps, first)
    return {
        name: LogisticRegression().fit(features(x), answers).score(features(new), right)
        for name, features in seen.items()
    }


def accuracies(columns):
    """Return recorded accuracies, one per seed: {learning rate: {column: accuracies}}.

    columns: {column: (recorded model, name of the accuracy)}, the learning rate left as {}.
    """
    return {
        f"learning rate {rate}": {
            column: [run["metrics"][name.format(rate)] for run in results.load(LECTURE, model)]
            for column, (model, name) in columns.items()
        }
        for rate in LEARNING_RATES
    }


def kept_per_step(layer):
    """Return the share of the cell state that an LSTM keeps in one step, one number per unit.

    The step is probed with an input of 0 and a hidden state of 0: a cell state that is larger
    by 1 leaves a new cell state that is larger by this share.

    Args:
        layer: a built `keras.layers.LSTM`. Its one step is `layer.cell(x, [h, c])` with x
            (batch, inputs), h and c (batch, units); it returns h and the new states [h, c].

    Returns:
        NumPy array (units,).
    """
    x = np.zeros((1, layer.cell.kernel.shape[0]), "float32")
    h = np.zeros((1, layer.units), "float32")
    new = [layer.cell(x, [h, np.full_like(h, c)])[1][1] for c in (0, 1)]
    return ops.convert_to_numpy(new[1] - new[0])[0]


def misplaced_bias(layer, bias):
    """Set a starting bias as a student did it, in the wrong place."""
    W, U, b = layer.get_weights()
    b[: layer.units] = bias
    layer.set_weights([W, U, b])


def train_far_recaller(batches=600):
    """Build a network, and train it by `fit` to recall the first of 81 symbols; return it.

    Input: float32 (batch, 81, 5), as `marked_symbols(count, seed, steps=81, first=True)` makes
    them. Output: probabilities of the four symbols (batch, 4), a Dense layer on the last state
    of a recurrent layer of Keras that reads forwards. Choose the layer, 32 units, its bias by
    `start_bias(layer, bias)` and the learning rate.

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
