"""Exercises of lab 3c: starting biases, a probe, two cells, a far recaller."""

from itertools import product

import numpy as np
from keras import layers, ops

from course_utils.exercises import exercise, require
from course_utils.exercises.lecture_03 import NEW, arrays, cells, recalls, run_cell, untrained
from course_utils.layers import CoupledLSTMCell
from course_utils.lectures import lecture_03, lecture_03c
from course_utils.lectures.lecture_03 import sigmoid


def _biased(start, name, inputs, units, bias):
    """What is left in all weights of a Keras layer once its starting bias was set."""
    layer = getattr(layers, name)(units)
    layer.build((None, None, inputs))
    draw = np.random.default_rng(1)
    layer.set_weights([draw.normal(size=weight.shape) for weight in layer.weights])
    start(layer, bias)
    return tuple(weight.reshape(-1) for weight in layer.get_weights())


def _put(where=lambda lstm, u: slice(u, 2 * u) if lstm else slice(u), rows=0, keep=True):
    """Set the bias in other columns, or other rows of a GRU's two."""

    def start(layer, bias):
        W, U, b = layer.get_weights()
        b = b if keep else np.zeros_like(b)
        columns = where(isinstance(layer, layers.LSTM), layer.units)
        place = (rows, columns) if b.ndim == 2 else columns
        b[place] = bias(b[place]) if callable(bias) else bias
        layer.set_weights([W, U, b])

    return start


def _never_set(layer, bias):
    layer.get_weights()[2][layer.units : 2 * layer.units] = bias


def _refuses(start):
    """The property that a layer without such a gate raises ValueError."""
    other, raised = layers.SimpleRNN(3), None
    other.build((None, None, 2))
    try:
        start(other, 1.0)
    except Exception as error:
        raised = type(error)
    require(raised is ValueError, "right for both; for another layer, `raise ValueError(…)`")


@exercise(
    "03c.1",
    lecture_03.start_bias,
    mistakes=[
        (_never_set, "get_weights returns copies: hand them back with set_weights"),
        (_put(lambda lstm, u: slice(u)), "that is the input gate; the forget gate follows"),
        (_put(lambda lstm, u: slice(u, 2 * u)), "a GRU's update gate is its first block"),
        (_put(lambda lstm, u: slice(2 * u, 3 * u)), "that is the candidate's block"),
        (_put(lambda lstm, u: slice(None)), "set one block of the bias, not all"),
        (_put(lambda lstm, u: slice(2 * u, 3 * u) if lstm else slice(u)),
         "that is the candidate's block; an LSTM's forget gate is the second"),
        (_put(lambda lstm, u: slice(None) if lstm else slice(u)), "set one block, not all"),
        *[(_put(lambda lstm, u, at=at: slice(at(u), at(u) + 1) if lstm else slice(1)),
           "set `units` columns") for at in (lambda u: 1, lambda u: u)],
        (_put(rows=1), "of a GRU's two rows take the first: it belongs to the input"),
        (_put(rows=slice(None)), "of a GRU's two rows take one, or the bias counts twice"),
        (_put(lambda lstm, u: slice(3 * u, None) if lstm else slice(u)),
         "that is the output gate; the forget gate is the second block"),
        (lambda layer, bias: _put()(layer, lambda b: b + bias), "set the bias, do not add"),
        (lambda layer, bias: _put()(layer, sigmoid(bias)), "the bias itself, not its sigmoid"),
        (lambda layer, bias: _put()(layer, bias if layer.get_weights()[2].ndim == 1 else -bias),
         "the same sign for a GRU: where z is 1, the old state is kept"),
        (_put(lambda lstm, u: slice(u, 2 * u), rows=slice(None)),
         "a GRU's update gate is its first block, and the second row stays"),
        (_put(keep=False), "leave the biases of the other gates as they are"),
    ],
    takes=6,
    level=2,
    hints=[
        "W, U, b = layer.get_weights(); change a block of b; layer.set_weights([W, U, b]).",
        "An LSTM's b is (4 · units,), a GRU's (2, 3 · units); take its first row",
    ],
    reasoning="Forget gate: second block of an LSTM. Update gate: first block of a GRU.",
    solved="One line of bias is one of the strongest settings of a recurrent network.",
    run=_biased,
    properties=[_refuses],
)  # fmt: skip
def built_layers(draw):
    for name in ("LSTM", "GRU"):
        yield name, int(draw.integers(2, 5)), int(draw.integers(3, 7)), 4.5


def _probe(answer, inputs, units, bias):
    layer = layers.LSTM(units)
    layer.build((None, None, inputs))
    draw = np.random.default_rng(2)
    layer.set_weights([draw.normal(size=weight.shape) for weight in layer.weights])
    lecture_03.start_bias(layer, bias)
    return answer(layer)


def _probed(x=0.0, h=0.0, c=1.0, part=1, mean=False):
    """Probe with other numbers, or return another part."""

    def probe(layer):
        fill = lambda value, size: np.full((1, size), value, "float32")  # noqa: E731
        states = [fill(h, layer.units), fill(c, layer.units)]
        _, states = layer.cell(fill(x, layer.cell.kernel.shape[0]), states)
        found = ops.convert_to_numpy(states[part])[0]
        return found.mean() if mean else found

    return probe


@exercise(
    "03c.2",
    lecture_03c.kept_per_step,
    mistakes=[
        (_probed(part=0), "that is the hidden state h; the states are [h, c]"),
        (_probed(c=0.0), "start with a cell state of 1"),
        (_probed(h=1.0), "start with a hidden state of 0"),
        (_probed(x=1.0), "the input is 0"),
        (_probed(mean=True), "return a number for each unit"),
        (_probed(c=0.0, h=1.0), "the states are [h, c]: h is 0 and c is 1"),
        (lambda layer: layer.get_weights()[2][layer.units : 2 * layer.units],
         "that is the bias; run one step, `layer.cell(x, [h, c])`"),
        (lambda layer: sigmoid(layer.get_weights()[2][: layer.units]), "that is the gate i"),
        (lambda layer: sigmoid(layer.get_weights()[2]), "those are four gates; probe a step"),
        (lambda layer: np.full(layer.units, sigmoid(1.0)), "look into the layer that is given"),
        (lambda layer: _probed()(layer)[0], "a number for each unit, not for the first alone"),
        (lambda layer: 1 - _probed()(layer), "return what is kept, not what is lost"),
        (lambda layer: _probed()(layer)[None], "return one dimension, (units,): row 0"),
    ],
    takes=6,
    level=2,
    hints=[
        "layer.cell(x, [h, c]) takes arrays of the shapes (1, inputs) and (1, units).",
        "The new cell state is what is left of the 1: f · 1 + i · g.",
    ],
    reasoning="One probed step shows what the forget gate really does.",
    solved="A probe of one step finds bugs that shapes and losses hide.",
    run=_probe,
)  # fmt: skip
def lstm_layers(draw):
    for bias in (1.0, -2.0):
        yield int(draw.integers(2, 5)), int(draw.integers(3, 7)), bias


INNER = {  # what goes into the candidate's tanh
    "multiply first, reset afterwards": lambda x, r, hU, b, h, U: x + (r * h) @ U + b,
    "the reset gate is not used": lambda x, r, hU, b, h, U: x + hU + b,
    "row 1 of b stands inside the reset: r·(h U + b)": lambda x, r, hU, b, h, U: x + r * hU + b,
    "row 1 of b is missing in the candidate": lambda x, r, hU, b, h, U: x + r * hU,
    "row 1 of b counts once: inside the reset": lambda x, r, hU, b, h, U: x + r * (hU + b) + b,
    "r scales only what comes from h": lambda x, r, hU, b, h, U: r * (x + hU + b),
    "r scales what comes from h, not x W": lambda x, r, hU, b, h, U: r * x + hU + b,
    "r keeps the old state, not 1 − r": lambda x, r, hU, b, h, U: x + (1 - r) * (hU + b),
}


def after(new=None, inner=None, squash=np.tanh, order=(0, 1, 2), rows=np.asarray):
    """Keras' default GRU step in which something differs."""

    def step(x, h, W, U, b):
        b = rows(b)
        x_z, x_r, x_g = (np.split(x @ W + b[0], 3, axis=-1)[k] for k in order)
        h_z, h_r, h_g = (np.split(h @ U + b[1], 3, axis=-1)[k] for k in order)
        z, r, b_g = sigmoid(x_z + h_z), sigmoid(x_r + h_r), b[1, -len(U) :]
        parts = x_g, r, h_g - b_g, b_g, h, U[:, -len(U) :]
        g = squash(inner(*parts) if inner else x_g + r * h_g)
        return new(z, h, g) if new else z * h + (1 - z) * g

    return step


@exercise(
    "03c.4",
    lecture_03.gru_step_reset_after,
    mistakes=[
        *((after(new=wrong), said) for said, wrong in NEW.items()),
        *((after(inner=wrong), said) for said, wrong in INNER.items()),
        *((after(order=order), "the columns stand in the order z, r, candidate")
          for order in product(range(3), repeat=3) if order != (0, 1, 2)),
        (after(squash=sigmoid), "the candidate needs tanh: it must be able to be negative"),
        (after(squash=np.asarray), "the candidate is squashed by tanh"),
        (after(rows=lambda b: b * [[1], [0]]), "row 1 of b is missing: it belongs to h U"),
        (after(rows=lambda b: b * [[0], [1]]), "row 0 of b is missing: it belongs to x W"),
        (after(rows=lambda b: b[[0, 0]]), "b has two rows: b[1] is added to h U"),
        (lambda x, h, W, U, b: lecture_03.gru_step(x, h, W, U, b[0]), "that is Cho's form"),
        (after(rows=lambda b: b[::-1]), "the rows of b are swapped: row 0 belongs to x W"),
        (lambda x, h, W, U, b: np.split(x @ W, 3), "split the columns: axis=-1"),
        (lambda x, h, W, U, b: x @ W + b, "b has two rows: b[0] for x W, b[1] for h U"),
    ],
    takes=5,
    level=3,
    hints=["Split x W + b[0] and h U + b[1] into three blocks.", "Then tanh(x_g + r·h_g)."],
    reasoning="With the reset after it, one product with the state serves all three blocks.",
    solved="Two forms, two functions of the same weights: say which GRU you mean.",
)  # fmt: skip
def grus(draw):
    yield from arrays(draw, 3, rows=(2,))


def coupled(
    new_c, new_h=lambda o, c, old: o * ops.tanh(c), order=(0, 1, 2), squash=ops.tanh,
    states=lambda h, c, old: (h, [h, c]),
):  # fmt: skip
    """A coupled cell with another c(f, g, c, h), another h, or another order of blocks."""

    class Cell(CoupledLSTMCell):
        def call(self, inputs, given):
            h, c = given
            sums = self.sums(inputs, h)
            f, g, o = (sums[k] for k in order)
            new = new_c(ops.sigmoid(f), squash(g), c, h)
            return states(new_h(ops.sigmoid(o), new, c), new, c)

    return Cell


class Exchanged(CoupledLSTMCell):
    def call(self, inputs, given):
        return super().call(inputs, given[::-1])


def raw(f):
    return ops.log(f / (1 - f))


def _starts(Cell):
    """The property that the forget gate starts with a bias of 1."""
    cell = Cell(2)
    cell.build((None, 3))
    starts = np.array_equal(cell.get_weights()[-1], [1, 1, 0, 0, 0, 0])
    require(starts, "right, but leave fresh = (1, 0, 0): 1 for the forget gate, 0 elsewhere")


def right(f, g, c, h):
    return f * c + (1 - f) * g


@exercise(
    "03c.5",
    CoupledLSTMCell,
    mistakes=[
        (coupled(right, states=lambda h, c, _: (h, [c, h])), "the states are [h, c]: h first"),
        (coupled(right, states=lambda h, c, _: h), "return h, and the new states [h, c]"),
        (coupled(right, states=lambda h, _, old: (h, [h, old])), "hand on the new c"),
        (Exchanged, "the states are [h, c]: h first"),
        (coupled(right, states=lambda h, c, _: (c, [h, c])), "the cell's output is h, not c"),
        (coupled(right, states=lambda *_: None), "return h, and the new states [h, c]"),
        (coupled(lambda f, g, c, h: raw(f) * c + (1 - raw(f)) * g), "the gates need a sigmoid"),
        (coupled(right, lambda o, c, old: raw(o) * ops.tanh(c)), "σ(…) for the output gate"),
        (coupled(lambda f, g, c, h: ops.tanh(right(f, g, c, h)), lambda o, c, old: o * c),
         "the tanh belongs to h, not to the cell state that is handed on"),
        (coupled(lambda f, g, c, h: f * c + (1 - raw(f)) * g), "first the sigmoid, then 1 − f"),
        (coupled(lambda f, g, c, h: f * c + ops.sigmoid(1 - raw(f)) * g), "1 − σ(…) for i"),
        (coupled(lambda f, g, c, h: f * c + f * g), "the input gate is 1 − f, not f"),
        (coupled(lambda f, g, c, h: f * c + g), "the input gate, 1 − f, is missing"),
        (coupled(lambda f, g, c, h: (1 - f) * c + f * g), "f keeps the old c, 1 − f writes"),
        (coupled(lambda f, g, c, h: f * h + (1 - f) * g), "f keeps the old c, not the old h"),
        (coupled(lambda f, g, c, h: c + (1 - f) * g), "the forget gate is missing"),
        (coupled(right, lambda o, c, old: o * ops.tanh(old)), "h shows the new cell state"),
        (coupled(right, lambda o, c, old: o * c), "h = o · tanh(c): the tanh is missing"),
        (coupled(right, lambda o, c, old: ops.tanh(c)), "the output gate is missing"),
        (coupled(right, order=(1, 0, 2)), "the order is forget gate, candidate, output gate"),
        (coupled(right, order=(0, 2, 1)), "the order is forget gate, candidate, output gate"),
        (coupled(right, squash=ops.copy), "the candidate is not squashed: ops.tanh"),
        (coupled(right, squash=ops.sigmoid), "the candidate takes tanh, not the sigmoid"),
    ],
    takes=8,
    level=3,
    hints=["f, g, o = self.sums(inputs, h): three blocks.", "c = f · c + (1 − f) · tanh(g)."],
    reasoning="What is forgotten makes room for what is written.",
    solved="One gate does the work of two, and a quarter of the weights goes.",
    run=run_cell,
    properties=[_starts],
)  # fmt: skip
def coupled_cells(draw):
    yield from cells(draw)


@exercise(
    "03c.3",
    lecture_03c.train_far_recaller,
    mistakes=[
        (lambda: untrained(1), "a Dense layer of 4 follows"),
        (lambda: lecture_03c.train_far_recaller(10), "give it more batches"),
        (lambda: {}, "return the trained model"),
    ],
    takes=10,
    level=3,
    hints=[
        "The grid names two cells that learn it at every learning rate.",
        "layers.GRU(32), start_bias(layer, 3), Adam(0.003, clipnorm=1.0), 600 batches.",
    ],
    reasoning="With no easy examples, only a gate that starts open lets the gradient arrive.",
    solved="You chose a setting from evidence, not by trial and error.",
    run=recalls(
        lecture_03c.train_far_recaller,
        "Near 0.25 nothing was learned: see in the grid which cells and biases recall 80 steps "
        "back at which learning rate. Above it, training was too short: give it more batches.",
        steps=81,
        first=True,
    ),
    limit=300,
)
def no_arguments(draw):
    yield ()
