"""Exercises of lecture 03: gates, LSTM and GRU."""

from itertools import product

import numpy as np

from course_utils.exercises import exercise
from course_utils.lectures import lecture_03
from course_utils.lectures.lecture_03 import sigmoid


def arrays(draw, blocks, states=1, rows=()):
    """Yield x, h, (c,) W, U, b twice for a cell with so many blocks of columns."""
    for batch, inputs, units in ((5, 2, 3), (7, 4, 5)):
        shapes = [(batch, inputs), *[(batch, units)] * states]
        shapes += [(height, blocks * units) for height in (inputs, units)]
        yield tuple(draw.normal(size=shape) for shape in [*shapes, (*rows, blocks * units)])


def count(blocks=(4, 3, 3), rows=(1, 1, 2), W=lambda i, u: i * u, U=lambda i, u: u * u):
    """Count so many blocks and rows of biases: LSTM, GRU, GRU with the reset after."""

    def counted(cell, inputs, units):
        kind = ("lstm", "gru", "gru_reset_after").index(cell)
        block = W(inputs, units) + U(inputs, units) + rows[kind] * units
        return blocks[kind] * block

    return counted


@exercise(
    "03.1",
    lecture_03.count_parameters,
    mistakes=[
        (count((1, 1, 1)), "that is one block of columns, as in a SimpleRNN; there are more"),
        (count((3, 2, 2)), "the candidate is a block, too, with a W, U and b of its own"),
        (count((4, 4, 4)), "a GRU has three blocks: two gates and the candidate"),
        (count(rows=(1, 1, 1)), "with gru_reset_after b has two rows, for x W and for h U"),
        (count(rows=(2, 2, 2)), "only gru_reset_after has two rows of biases"),
        (count(rows=(0, 0, 0)), "the biases are missing"),
        (count(rows=(1 / 4, 1 / 3, 1 / 3)), "each block has biases of its own, one per unit"),
        (count(U=lambda i, u: i * i), "U meets the state, not the input: (units, units)"),
        (count(W=lambda i, u: u * u), "W has one row per input, not one per unit"),
        (count(U=lambda i, u: 0), "U is missing in each block"),
    ],
    takes=4,
    level=2,
    hints=["One block of columns is a SimpleRNN.", "How many blocks? How many rows has b?"],
    reasoning="Gates and candidate are one block each; a reset after the product adds biases.",
    solved="One SimpleRNN a block: four for an LSTM, three for a GRU.",
)
def cells(draw):
    for inputs, units in [(13, 3), (4, 5), (32, 32)]:
        yield from ((cell, inputs, units) for cell in ("lstm", "gru", "gru_reset_after"))


def gate(block=1, squash=sigmoid, x_too=1, h_too=1, bias=lambda b, own: b[own], cut=None):
    """Take another block for the forget gate, or leave something out."""

    def sliced(x, h, W, U, b):
        own = cut or slice(block * len(U), (block + 1) * len(U))
        return squash(x_too * x @ W[:, own] + h_too * h @ U[:, own] + bias(b, own))

    return sliced


ORDER = "the order of the blocks is input, forget, candidate, output"


@exercise(
    "03.2",
    lecture_03.forget_gate,
    mistakes=[
        (gate(0), f"that is the block of the input gate; {ORDER}"),
        (gate(2), f"that is the block of the candidate; {ORDER}"),
        (gate(3), f"that is the block of the output gate; {ORDER}"),
        (gate(cut=slice(1, None, 4)), "the blocks stand side by side; they do not alternate"),
        (gate(cut=slice(None)), "return one block of columns, not all four"),
        (gate(cut=slice(2, 4)), "use len(U); `units` still has its value of a cell above"),
        (gate(bias=lambda b, own: 0), "the bias is missing; it has four blocks, too"),
        (gate(bias=lambda b, own: b[: len(b) // 4]), "slice the bias as you slice W and U"),
        (gate(bias=lambda b, own: b), "slice the bias, too: it holds those of all four blocks"),
        (gate(h_too=0), "the gate reads the state, too: add h U"),
        (gate(x_too=0), "the gate reads the input, too: add x W"),
        (gate(squash=np.asarray), "a gate is a number between 0 and 1: apply the sigmoid"),
        (gate(squash=np.tanh), "tanh goes from -1 to 1; a gate goes from 0 to 1: the sigmoid"),
        (gate(squash=lambda s: sigmoid(-s)), "that is 1 - f: check the sign in the sigmoid"),
        (lambda x, h, W, U, b: np.split(x @ W, 4)[1], "split the columns: axis=-1"),
        (lambda x, h, W, U, b: x @ W[len(U) : 2 * len(U)], "slice columns, W[:, …], not rows"),
    ],
    takes=4,
    level=1,
    hints=["How many units are there? `len(U)`.", "Columns from units to 2 · units."],
    reasoning="All gates stand side by side; one slice of columns picks a gate's W, U and b.",
    solved="Keras keeps four matrices in one: input, forget, candidate, output, side by side.",
)
def lstms(draw):
    yield from arrays(draw, 4)


NEW = {  # the new state, from z, h and the candidate g
    "in this exercise z = 1 keeps the old state": lambda z, h, g: (1 - z) * h + z * g,
    "the old state is missing: z·h + (1 - z)·candidate": lambda z, h, g: (1 - z) * g,
    "the candidate is scaled by 1 - z": lambda z, h, g: z * h + g,
}
INNER = {  # what goes into the candidate's tanh
    "multiply first, reset afterwards": lambda x, r, hU, b, h, U: x + (r * h) @ U + b,
    "the reset gate is not used": lambda x, r, hU, b, h, U: x + hU + b,
    "b₁ stands inside the reset: r·(h U + b₁)": lambda x, r, hU, b, h, U: x + r * hU + b,
    "b₁ is missing in the candidate": lambda x, r, hU, b, h, U: x + r * hU,
    "the reset scales only what comes from h": lambda x, r, hU, b, h, U: r * (x + hU + b),
}


def gru(new=None, inner=None, squash=np.tanh, order=(0, 1, 2), rows=np.asarray):
    """Take a GRU step in which something differs."""

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
    "03.3",
    lecture_03.gru_step_reset_after,
    mistakes=[
        *((gru(new=wrong), said) for said, wrong in NEW.items()),
        *((gru(inner=wrong), said) for said, wrong in INNER.items()),
        (gru(order=(1, 0, 2)), "the columns stand in the order z, r, candidate"),
        (gru(squash=sigmoid), "the candidate needs tanh: it must be able to lower the state"),
        (gru(squash=np.asarray), "the candidate is squashed by tanh"),
        (gru(rows=lambda b: b * [[1], [0]]), "row 1 of b is missing: it belongs to h U"),
        (gru(rows=lambda b: b * [[0], [1]]), "row 0 of b is missing: it belongs to x W"),
        (gru(rows=lambda b: b[::-1]), "the rows of b are swapped: row 0 belongs to x W"),
        (lambda x, h, W, U, b: np.split(x @ W, 3), "split the columns: axis=-1"),
        (lambda x, h, W, U, b: x @ W + b, "b has two rows: b[0] for x W, b[1] for h U"),
        *(
            (gru(new, inner), f"{one}; and {other}")
            for (one, new), (other, inner) in product(NEW.items(), INNER.items())
        ),
    ],
    takes=8,
    level=3,
    hints=["np.split(…, 3, axis=-1), once for x W, once for h U.", "Then tanh(x_g + r·h_g)."],
    reasoning="With the reset after it, one product with the state serves all three blocks.",
    solved="Two conventions of z, two places of the reset: say which GRU you mean.",
)
def grus(draw):
    yield from arrays(draw, 3, rows=(2,))


RIGHT = lecture_03.forget_bias


def logit(p):
    return np.log(p / (1 - p))


@exercise(
    "03.4",
    RIGHT,
    mistakes=[
        (lambda n: 0.5 ** (1 / n), "that is the gate; find the bias whose sigmoid it is"),
        (lambda n: sigmoid(0.5 ** (1 / n)), "the gate is the sigmoid's result: invert it"),
        (lambda n: np.log(0.5) / n, "the inverse of the sigmoid is ln(f / (1 - f)), not ln f"),
        (lambda n: -RIGHT(n), "the sign is wrong: a negative bias forgets within a few steps"),
        (lambda n: logit(np.exp(-1 / n)), "after n steps 1/e = 0.37 is left, not 0.5"),
        (lambda n: logit(1 - 0.5 / n), "each step takes a share of what is left: fⁿ = 0.5"),
        (lambda n: logit(0.5**n), "0.5ⁿ is n halvings; the gate needs n steps for one"),
        (lambda n: RIGHT(n) - 1, "return the whole bias, not what is added to Keras' 1"),
        (lambda n: RIGHT(n) / np.log(2), "the sigmoid uses e: take the natural logarithm"),
        (lambda n: n, "with so large a bias the gate is 1: solve sigmoid(b)ⁿ = 0.5 for b"),
        (lambda n: RIGHT(50), "that is the bias of 50 steps: compute it from half_life"),
    ],
    takes=5,
    level=2,
    hints=["First find the gate f with fⁿ = 0.5.", "Then the bias whose sigmoid is f."],
    reasoning="The gate is the n-th root of 0.5; the bias is its logit, ln(f / (1 - f)).",
    solved="A gate of 0.986 sounds like nearly everything; fifty steps on, half is gone.",
)
def half_lives(draw):
    yield from ((50,), (7,), (int(draw.integers(100, 300)),))


def cell(c=None, h=None, order=(0, 1, 2), squash=(sigmoid, np.tanh, sigmoid), bias=1):
    """Take a coupled step in which something differs: c(f, g, c, h), h(f, o, new c, c), …"""

    def step(x, old_h, old_c, W, U, b):
        sums = np.split(x @ W + old_h @ U + bias * b, 3, axis=-1)
        f, g, o = (f(sums[k]) for f, k in zip(squash, order, strict=True))
        new = c(f, g, old_c, old_h) if c else f * old_c + (1 - f) * g
        return h(f, o, new, old_c) if h else o * np.tanh(new), new

    return step


@exercise(
    "03.5",
    lecture_03.coupled_step,
    mistakes=[
        (lambda *given: lecture_03.coupled_step(*given)[::-1], "return h first, then c"),
        (cell(lambda f, g, c, h: f * c + f * g), "the input gate is 1 - f, not f"),
        (cell(lambda f, g, c, h: f * c + g), "the input gate, 1 - f, is missing"),
        (cell(lambda f, g, c, h: (1 - f) * c + f * g), "f keeps the old c, 1 - f writes"),
        (cell(lambda f, g, c, h: f * h + (1 - f) * g), "f keeps the old c, not the old h"),
        (cell(lambda f, g, c, h: c + (1 - f) * g), "the forget gate is missing"),
        (cell(squash=(sigmoid, np.asarray, sigmoid)), "the candidate is squashed by tanh"),
        (cell(squash=(sigmoid, sigmoid, sigmoid)), "tanh, not the sigmoid, squashes g"),
        (cell(squash=(np.asarray, np.tanh, sigmoid)), "the sigmoid squashes the forget gate"),
        (cell(squash=(sigmoid, np.tanh, np.asarray)), "the sigmoid squashes the output gate"),
        (cell(bias=0), "the bias b is missing"),
        (cell(h=lambda f, o, new, old: o * np.tanh(old)), "h shows the new c, not the old one"),
        (cell(h=lambda f, o, new, old: o * new), "h = o · tanh(c): the tanh is missing"),
        (cell(h=lambda f, o, new, old: np.tanh(new)), "h lacks the output gate"),
        (cell(h=lambda f, o, new, old: f * np.tanh(new)), "h takes the last block, not f"),
        (cell(order=(1, 0, 2)), "the order of the blocks is forget, candidate, output"),
        (cell(order=(0, 2, 1)), "the order of the blocks is forget, candidate, output"),
        (cell(lambda f, g, c, h: f * c + (1 - logit(f)) * g), "1 - f, too, takes the gate"),
        (lecture_03.lstm_step, "split the columns, axis=-1, into three blocks, not four"),
    ],
    takes=8,
    level=3,
    hints=["First c, with f and 1 - f.", "Then h = o · tanh(c), with the new c."],
    reasoning="What is forgotten makes room for what is written.",
    solved="One gate does the work of two, and a quarter of the weights goes.",
)
def coupled(draw):
    yield from arrays(draw, 3, states=2)
