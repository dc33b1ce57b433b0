"""Exercises of lab 3c: starting biases, a probe, two cells, a far recaller."""

import inspect

import keras
import numpy as np
from keras import layers, ops

from course_utils.checks import learns_alike, redrawn, require_learning
from course_utils.exercises import exercise, require
from lectures import lecture_03, lecture_03c
from lectures.lecture_03 import sigmoid
from lectures.lecture_03.exercises import (
    CELL,
    arrays,
    cells,
    in_models,
    new_loop,
    recalls,
    run_cell,
    tried,
    untrained,
)
from lectures.lecture_03c.cells import CoupledLSTMCell


def _drawn(kind, inputs, units):
    """A layer, built for so many inputs, with all its weights drawn."""
    layer = kind(units)
    layer.build((None, None, inputs))
    return redrawn(layer, 1.0)


def _biased(start, name, inputs, units, bias):
    """What is left in all weights of a Keras layer once its starting bias was set."""
    layer = _drawn(getattr(layers, name), inputs, units)
    start(layer, bias)
    require_learning(layer)
    return tuple(weight.reshape(-1) for weight in layer.get_weights())


def _refuses(start):
    """The property that a layer without such a gate raises ValueError."""
    other, raised = layers.SimpleRNN(3), None
    other.build((None, None, 2))
    try:
        start(other, 1.0)
    except Exception as error:
        raised = type(error)
    require(raised is ValueError, "right for both; for another layer, `raise ValueError(…)`")


SECOND = "layer.units : 2 * layer.units"  # the block of an LSTM's forget gate
THIRD = "2 * layer.units : 3 * layer.units"
FIRST = "0, : layer.units"  # the row and the block of a GRU's update gate


@exercise(
    "03c.1",
    lecture_03.start_bias,
    mistakes=[
        ("layer.set_weights([W, U, b])", "",
         "get_weights returns copies: hand them back with set_weights"),
        (SECOND, ": layer.units", "that is the input gate; the forget gate follows"),
        (FIRST, f"0, {SECOND}", "a GRU's update gate is its first block"),
        (SECOND, THIRD, FIRST, f"0, {THIRD}", "that is the candidate's block"),
        (SECOND, ":", FIRST, "0", "set one block of the bias, not all"),
        (SECOND, "1", FIRST, "0, 0", "set `units` columns"),
        ("[0, :", "[1, :", "of a GRU's two rows take the first: it belongs to the input"),
        ("[0, :", "[:, :", "of a GRU's two rows take one, or the bias counts twice"),
        ("] = bias", "] += bias", "set the bias, do not add"),
        ("get_weights()", "get_weights()\n    b[:] = 0",
         "leave the biases of the other gates as they are"),
    ],
    takes=6,
    level=2,
    hints=[
        "W, U, b = layer.get_weights(); change a block of b; layer.set_weights([W, U, b]).",
        "An LSTM's b is (4 · units,), a GRU's (2, 3 · units); take its first row",
    ],
    reasoning="Forget gate: second block of an LSTM. Update gate: first block of a GRU.",
    compares=("the kernel", "the recurrent kernel", "the bias"),
    solved="One line of bias is one of the strongest settings of a recurrent network.",
    run=_biased,
    properties=[_refuses],
)  # fmt: skip
def built_layers(draw):
    for name, bias in (("LSTM", 4.5), ("GRU", 3.0), ("LSTM", -2.0), ("GRU", 0.0)):
        yield name, int(draw.integers(2, 5)), int(draw.integers(3, 7)), bias


def _probe(answer, inputs, units, bias):
    layer = _drawn(layers.LSTM, inputs, units)
    lecture_03.start_bias(layer, bias)
    W, U, b = layer.get_weights()
    b[units : 2 * units] += np.linspace(-1, 1, units)  # each unit keeps another share
    layer.set_weights([W, U, b])
    before = layer.get_weights()
    found = answer(layer)
    kept = all(map(np.array_equal, before, layer.get_weights()))
    require(kept, "your probe changes the layer's weights: leave them as they are")
    return found


@exercise(
    "03c.2",
    lecture_03c.kept_per_step,
    mistakes=[
        ("new[1] - new[0]", "new[1]",
         "that is f · 1 + i · g: subtract what the step writes from a cell state of 0"),
        ("[1][1]", "[0]", "that is the hidden state h; the states are [h, c]"),
        ("new[1] - new[0]", "new[0]", "start with a cell state of 1, too"),
        ("h = np.zeros", "h = np.ones", "start with a hidden state of 0"),
        ("x = np.zeros", "x = np.ones", "the input is 0"),
        ("new[0])[0]", "new[0]).mean()", "return a number for each unit"),
        ("new[0])[0]", "new[0])[0].mean() + 0 * h[0]", "each unit keeps a share of its own"),
        ("[h, np.full_like(h, c)]", "[np.full_like(h, c), h]",
         "the states are [h, c]: h is 0, and c is 0 or 1"),
        (lambda layer: layer.get_weights()[2][layer.units : 2 * layer.units],
         "that is the bias; run one step, `layer.cell(x, [h, c])`"),
        (lambda layer: sigmoid(layer.get_weights()[2][: layer.units]), "that is the gate i"),
        (lambda layer: np.full(layer.units, sigmoid(1.0)), "look into the layer that is given"),
        ("new[1] - new[0]", "1 - new[1] + new[0]", "return what is kept, not what is lost"),
        ("new[0])[0]", "new[0])", "return one dimension, (units,): row 0"),
    ],
    takes=6,
    level=2,
    hints=[
        "layer.cell(x, [h, c]) takes arrays of the shapes (1, inputs) and (1, units).",
        "The new cell state is f · c + i · g: run the step for c = 0 and c = 1, and subtract.",
    ],
    reasoning="Two probed steps show what the forget gate does, whatever the step writes.",
    compares="the share that each unit keeps",
    solved="A probe of one step finds bugs that shapes and losses hide.",
    run=_probe,
)  # fmt: skip
def lstm_layers(draw):
    for bias in (1.0, -2.0):
        yield int(draw.integers(2, 5)), int(draw.integers(3, 7)), bias


KEPT = "z * h + (1 - z) * g"
B_G = "b[1, -len(U) :]"  # what row 1 adds to the candidate


@exercise(
    "03c.4",
    lecture_03.gru_step_reset_after,
    mistakes=[
        (KEPT, "(1 - z) * h + z * g", "in this course z = 1 keeps the old state"),
        (KEPT, "(1 - z) * g", "the old state is missing: z·h + (1 − z)·g"),
        ("(1 - z) * g", "g", "the candidate is scaled by 1 − z"),
        ("r * h_g", f"(r * h) @ U[:, -len(U) :] + {B_G}", "multiply first, reset afterwards"),
        ("r * h_g", "h_g", "the reset gate is not used"),
        ("r * h_g", f"r * (h_g - {B_G}) + {B_G}",
         "row 1 of b stands inside the reset: r·(h U + b)"),
        ("x_z, x_r, x_g =", "x_r, x_z, x_g =", "h_z, h_r, h_g =", "h_r, h_z, h_g =",
         "the columns stand in the order z, r, candidate"),
        (" + b[1]", "", "row 1 of b is missing: it belongs to h U"),
        (" + b[0]", "", "row 0 of b is missing: it belongs to x W"),
        ("b[1]", "b[0]", "b has two rows: b[1] is added to h U"),
        (lambda x, h, W, U, b: lecture_03.gru_step(x, h, W, U, b[0]), "that is Cho's form"),
        ("W + b[0]", "W + b[1]", "U + b[1]", "U + b[0]",
         "the rows of b are swapped: row 0 belongs to x W"),
        ("b[0]", "b", "b has two rows: b[0] for x W, b[1] for h U"),
    ],
    takes=5,
    level=3,
    hints=["Split x W + b[0] and h U + b[1] into three blocks.", "Then tanh(x_g + r·h_g)."],
    reasoning="With the reset after it, one product with the state serves all three blocks.",
    compares="the new state",
    solved="Two forms, two functions of the same weights: say which GRU you mean.",
)  # fmt: skip
def grus(draw):
    yield from arrays(draw, 3, rows=(2,))


def _starts(Cell):
    """The property that the forget gate starts with a bias of 1."""
    cell = Cell(2)
    cell.build((None, 3))
    starts = np.array_equal(cell.get_weights()[-1], [1, 1, 0, 0, 0, 0])
    require(starts, "right, but leave fresh = (1, 0, 0): 1 for the forget gate, 0 elsewhere")


NO_GATE = "f = ops.sigmoid(f)", ""  # then f is not squashed yet


@exercise(
    "03c.5",
    CoupledLSTMCell,
    mistakes=[
        ("h, [h, c]", "h, [c, h]", "the states are [h, c]: h first"),
        ("h, [h, c]", "h", "return two things: h and [h, c]"),
        ("return h,", "return c,", "the cell's output is h, not c"),
        (*NO_GATE, "the gates need a sigmoid"),
        (*NO_GATE, "f * c", "ops.sigmoid(f) * c", "first the sigmoid, then 1 − f"),
        ("(1 - f)", "f", "the input gate is 1 − f, not f"),
        ("(1 - f) * ", "", "the input gate, 1 − f, is missing"),
        ("f * c + (1 - f)", "(1 - f) * c + f", "f keeps the old c, 1 − f writes"),
        ("c = f * c", "new = f * c", "[h, c]", "[h, new]", "h shows the new cell state"),
        ("ops.tanh(c)", "c", "h = o · tanh(c): the tanh is missing"),
        ("ops.sigmoid(o) * ", "", "the output gate is missing"),
        ("f, g, o =", "g, f, o =", "the order is forget gate, candidate, output gate"),
        ("ops.tanh(g)", "g", "the candidate is not squashed: ops.tanh"),
        ("f, g, o =", "f, o, g =", "the order is forget gate, candidate, output gate"),
        ("ops.sigmoid(f)", "ops.sigmoid(f + 1)", "the forget bias is in the sums: add no 1"),
        ("self.sums(inputs, h)", "self.sums(inputs, c)", "the gates read h, not c"),
    ],
    takes=8,
    level=3,
    hints=["f, g, o = self.sums(inputs, h): three blocks.", "c = f · c + (1 − f) · tanh(g)."],
    reasoning="What is forgotten makes room for what is written.",
    compares=CELL,
    solved="One gate does the work of two, and a quarter of the weights goes.",
    run=run_cell,
    properties=[_starts, in_models, learns_alike(CoupledLSTMCell, new_loop, (4, 2))],
)  # fmt: skip
def coupled_cells(draw):
    yield from cells(draw)


def _without_loop(model, x):
    """The model's outputs once all weights of its last recurrent layer are 0."""
    inside = [layer for layer in model._flatten_layers() if isinstance(layer, layers.RNN)]
    reader = inside[-1]
    kept = reader.get_weights()
    reader.set_weights([0 * weight for weight in kept])
    outputs = model.predict(x, verbose=0)
    reader.set_weights(kept)
    return outputs


def _reads_forwards(model):
    """Refuse a model whose last state need not hold the first symbol."""
    if not isinstance(model, keras.Model) or not model.built:
        return
    inside = [layer for layer in model._flatten_layers() if isinstance(layer, layers.RNN)]
    told = (
        "your layer reads from the end, too, where the mark is the last thing that it reads: "
    )
    told += "read forwards, without Bidirectional and go_backwards"
    require(not any(layer.go_backwards for layer in inside), told)
    if not inside:
        return
    x, *_ = lecture_03.marked_symbols(8, seed=2, steps=81, first=True)
    outputs = _without_loop(model, x)
    told = "something besides the last state reaches the Dense layer: then nothing has to be "
    require(np.allclose(outputs, outputs[:1], atol=1e-4), told + "remembered")


def recalls_far(advice):
    """As `recalls`, 80 steps back, where the last state alone may know the mark."""
    judged = recalls(advice, steps=81, first=True)

    def trains(train):
        def checked():
            default = getattr(inspect.signature(train).parameters.get("batches"), "default", 0)
            fewer = [default - 1] if isinstance(default, int) and default > 1 else []
            model = train(*fewer)
            _reads_forwards(model)
            if fewer and getattr(model, "optimizer", None):
                count = int(ops.convert_to_numpy(model.optimizer.iterations))
                told = f"`batches` is an argument: {fewer[0]} are asked, you train on {count}"
                require(count == fewer[0], told)
            return model

        judged(checked)

    return trains


@exercise(
    "03c.3",
    lecture_03c.train_far_recaller,
    mistakes=[
        (lambda: tried(untrained(1, 81)), "a Dense layer of 4 follows one state"),
        (lambda: lecture_03c.train_far_recaller(10), "first train longer"),
        (lambda: untrained(4, 81), "the model is not trained"),
        (lambda: {}, "return the trained model"),
    ],
    takes=10,
    level=3,
    hints=[
        "The grid names two cells that learn it at every learning rate.",
        "layers.GRU(32), start_bias(layer, 3), Adam(0.003, clipnorm=1.0), 600 batches.",
    ],
    reasoning="In the grid a GRU with this bias solves it at every learning rate.",
    solved="You chose a setting from evidence, not by trial and error.",
    trains=recalls_far(
        "Near 0.25 nothing was learned: see in the grid which cells and biases recall 80 steps "
        "back, and at which learning rate."
    ),
    limit=300,
)
def no_arguments(draw):
    yield ()
