"""The checks of lecture 03: solutions pass, stubs are unsolved, mistakes are explained."""

import math

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref import gru, lstm
from course_utils.numpy_ref.lstm import sigmoid


def parameters(cell, inputs, units):
    blocks = {"lstm": 4, "gru": 3, "gru_reset_after": 3}[cell]
    rows = 2 if cell == "gru_reset_after" else 1
    return blocks * (inputs * units + units * units + rows * units)


def forget_gate(x, h, W, U, b, block=1, squash=sigmoid):
    own = slice(block * len(U), (block + 1) * len(U))
    return squash(x @ W[:, own] + h @ U[:, own] + b[own])


def gru_step(x, h, W, U, b):
    x_z, x_r, x_g = np.split(x @ W + b[0], 3, axis=-1)
    h_z, h_r, h_g = np.split(h @ U + b[1], 3, axis=-1)
    z, r = sigmoid(x_z + h_z), sigmoid(x_r + h_r)
    return z * h + (1 - z) * np.tanh(x_g + r * h_g)


def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return np.log(gate / (1 - gate))


def logit(gate):
    return math.log(gate / (1 - gate))


def coupled_step(x, h, c, W, U, b):
    f, g, o = np.split(x @ W + h @ U + b, 3, axis=-1)
    f = sigmoid(f)
    c = f * c + (1 - f) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def blocks_of(n):
    return lambda cell, inputs, units: n * (inputs * units + units**2 + units)


def counted(wrong):
    """Right for the LSTM and Cho's GRU, and `wrong(inputs, units)` for the default GRU."""

    def answer(cell, inputs, units):
        if cell == "gru_reset_after":
            return wrong(inputs, units)
        return parameters(cell, inputs, units)

    return answer


def sliced_by(wrong):
    """A forget gate from `wrong(whole sum, units)`."""
    return lambda x, h, W, U, b: wrong(x @ W + h @ U + b, len(U))


def grus(candidate=None, new=None, order=(0, 1, 2)):
    """A GRU with another candidate(x_g, h_g, r, b_g, h, U_g) or another new state(z, h, g)."""

    def answer(x, h, W, U, b):
        x_z, x_r, x_g = (np.split(x @ W + b[0], 3, axis=-1)[k] for k in order)
        h_z, h_r, h_g = (np.split(h @ U + b[1], 3, axis=-1)[k] for k in order)
        z, r = sigmoid(x_z + h_z), sigmoid(x_r + h_r)
        own = slice(2 * len(U), None)
        inner = (x_g, h_g, r, b[1, own], h, U[:, own])
        g = candidate(*inner) if candidate else np.tanh(x_g + r * h_g)
        return new(z, h, g) if new else z * h + (1 - z) * g

    return answer


def before(x_g, h_g, r, b_g, h, U_g):
    return np.tanh(x_g + (r * h) @ U_g + b_g)


def writes(z, h, g):
    return (1 - z) * h + z * g


def cells(wrong):
    """A coupled step from `wrong(f, g, o, c)`, the three sums and the old cell state."""
    return lambda x, h, c, W, U, b: wrong(*np.split(x @ W + h @ U + b, 3, axis=-1), c)


def with_cell(wrong):
    """A coupled step whose new c is `wrong(f, candidate, c)`."""

    def answer(f, g, o, c):
        c = wrong(sigmoid(f), np.tanh(g), c)
        return sigmoid(o) * np.tanh(c), c

    return cells(answer)


def with_output(wrong):
    """A coupled step with the right c, whose h is `wrong(o, new c, old c, f)`."""

    def answer(f, g, o, c):
        new = sigmoid(f) * c + (1 - sigmoid(f)) * np.tanh(g)
        return wrong(sigmoid(o), new, c, sigmoid(f)), new

    return cells(answer)


def in_place(x, h, c, W, U, b):
    """Right, but it writes into what it was given."""
    W *= 1.0
    h_new, c_new = coupled_step(x, h, c, W, U, b)
    for part in (x, h, c, W, U, b):
        part[...] = 0
    return h_new, c_new


SOLUTIONS = {
    "03.1": parameters,
    "03.2": forget_gate,
    "03.3": gru_step,
    "03.4": forget_bias,
    "03.5": coupled_step,
}

WRONG = [
    ("03.1", blocks_of(1), "that is one block"),
    ("03.1", blocks_of(3), "which has its W, U and b too"),
    ("03.1", blocks_of(4), "no output gate"),
    ("03.1", lambda cell, i, u: 4 * (i * u + u * u), "biases are missing"),
    ("03.1", lambda cell, i, u: 4 * (i * u + u * u) + u, "biases of its own"),
    ("03.1", lambda cell, i, u: 4 * (i * u + i * i + u), "U is (units, units)"),
    ("03.1", lambda cell, i, u: 4 * (2 * u * u + u), "a row for each input"),
    ("03.1", lambda cell, i, u: 4 * (i * u + u), "U is missing"),
    ("03.1", lambda cell, i, u: 4 * (i * u + u * u + 2 * u), "only gru_reset_after"),
    ("03.1", lambda cell, i, u: 1, "count W, U and b"),
    ("03.1", lambda cell, i, u: [i, u], "one number"),
    ("03.1", counted(lambda i, u: parameters("gru", i, u)), "b has two rows"),
    ("03.1", counted(lambda i, u: parameters("gru", i, u) + u), "second row"),
    ("03.1", counted(lambda i, u: 2 * (i * u + u * u + 2 * u)), "3 blocks, two gates"),
    ("03.1", counted(lambda i, u: parameters("lstm", i, u)), "no output gate"),
    ("03.1", counted(lambda i, u: 0.5), "not 0.5"),
    ("03.2", lambda *a: forget_gate(*a, block=0), "block of the input gate"),
    ("03.2", lambda *a: forget_gate(*a, block=2), "block of the candidate"),
    ("03.2", lambda *a: forget_gate(*a, block=3), "block of the output gate"),
    ("03.2", lambda *a: forget_gate(*a, block=3), "input, forget, candidate, output"),
    ("03.2", lambda *a: forget_gate(*a, squash=np.tanh), "tanh goes from -1"),
    ("03.2", lambda *a: forget_gate(*a, squash=np.asarray), "squash it"),
    ("03.2", lambda *a: 1 - forget_gate(*a), "that is 1 - f"),
    ("03.2", sliced_by(lambda s, u: sigmoid(s)), "one block of columns"),
    ("03.2", sliced_by(lambda s, u: sigmoid(s[:, 1::4])), "take turns"),
    ("03.2", lambda x, h, W, U, b: forget_gate(x, h, W, U, 0 * b), "bias is missing"),
    ("03.2", lambda x, h, W, U, b: forget_gate(x, h, W, U, np.roll(b, 5)), "another block"),
    ("03.2", lambda x, h, W, U, b: forget_gate(x, 0 * h, W, U, b), "state too"),
    ("03.2", lambda x, h, W, U, b: forget_gate(0 * x, h, W, U, b), "input too"),
    ("03.2", lambda x, h, W, U, b: forget_gate(x, -h, W, U, b), "from units to 2"),
    ("03.2", lambda x, h, W, U, b: sigmoid(x @ W[5:10] + h @ U[5:10] + b), "W[5:10]"),
    ("03.2", lambda x, h, W, U, b: sigmoid(x @ W[:, 3:6] + b[3:6]), "not (4, 3)"),
    ("03.2", lambda x, h, W, U, b: [[1.0], [1.0, 2.0]], "array of numbers"),
    ("03.3", grus(new=writes), "z = 1 keeps the old state"),
    ("03.3", grus(before), "multiplies first and resets afterwards"),
    ("03.3", grus(before, writes), "form in which z = 1 writes; and Keras multiplies first"),
    ("03.3", grus(lambda x, h, *_: np.tanh(x + h)), "used nowhere"),
    ("03.3", grus(lambda x, h, r, b, *_: np.tanh(x + r * (h - b) + b)), "sits inside"),
    ("03.3", grus(lambda x, h, r, b, *_: np.tanh(x + r * (h - b))), "missing in the candidate"),
    ("03.3", grus(lambda x, h, r, *_: x + r * h), "squashed by tanh"),
    ("03.3", grus(lambda x, h, r, *_: sigmoid(x + r * h)), "able to lower"),
    ("03.3", grus(order=(1, 0, 2)), "order z, r, candidate"),
    ("03.3", grus(new=lambda z, h, g: (1 - z) * g), "old state is missing"),
    ("03.3", grus(new=lambda z, h, g: z * h + g), "scaled by 1 - z"),
    ("03.3", grus(lambda x, h, r, *_: np.tanh(r * (x + h))), "not x W + b₀"),
    ("03.3", grus(new=lambda z, h, g: g), "it should be z·h"),
    ("03.3", lambda x, h, W, U, b: gru_step(x, h, W, U, b * [[1], [0]]), "row 1 of b"),
    ("03.3", lambda x, h, W, U, b: gru_step(x, h, W, U, b * [[0], [1]]), "row 0 of b"),
    ("03.3", lambda x, h, W, U, b: gru_step(x, h, W, U, b[::-1]), "exchanged"),
    ("03.3", lambda x, h, W, U, b: gru.step(x, h, W, U, b.sum(axis=0)), "resets afterwards"),
    ("03.3", lambda x, h, W, U, b: gru.step(x, h, W, U, b), "your code raised"),
    ("03.3", lambda x, h, W, U, b: gru_step(x, h, W, U, b)[0], "one state a text"),
    ("03.4", lambda n: n, "forgets nothing"),
    ("03.4", lambda n: 0.5 ** (1 / n), "the gate, not its logit"),
    ("03.4", lambda n: sigmoid(0.5 ** (1 / n)), "invert it"),
    ("03.4", lambda n: math.log(0.5) / n, "not ln f"),
    ("03.4", lambda n: -forget_bias(n), "sign"),
    ("03.4", lambda n: logit(math.exp(-1 / n)), "1/e"),
    ("03.4", lambda n: logit(1 - 1 / n), "1/e"),
    ("03.4", lambda n: logit(1 - 0.5 / n), "what is left"),
    ("03.4", lambda n: logit(0.5**n), "halvings"),
    ("03.4", lambda n: forget_bias(n) - 1, "Keras' 1"),
    ("03.4", lambda n: forget_bias(n) / math.log(2), "natural logarithm"),
    ("03.4", lambda n: math.log(n / math.log(2)), "first the gate"),
    ("03.4", lambda n: math.nan, "first the gate"),
    ("03.4", lambda n: 4.2746, "for a half-life of 7"),
    ("03.4", lambda n: "4.3 or so", "one number"),
    ("03.5", with_cell(lambda f, g, c: f * c + f * g), "wrote with f again"),
    ("03.5", with_cell(lambda f, g, c: f * c + g), "input gate is missing"),
    ("03.5", with_cell(lambda f, g, c: (1 - f) * c + f * g), "other way round"),
    ("03.5", with_cell(lambda f, g, c: c + (1 - f) * g), "forget gate is missing"),
    ("03.5", with_cell(lambda f, g, c: f * c + (1 - f) * np.arctanh(g)), "squashed by tanh"),
    ("03.5", with_cell(lambda f, g, c: logit_c(f, g, c)), "squash the forget gate"),
    ("03.5", with_cell(lambda f, g, c: np.tanh(f * c + (1 - f) * g)), "c: it should be"),
    ("03.5", lambda x, h, c, *w: coupled_step(x, h, h, *w), "not the old h"),
    ("03.5", with_cell(lambda f, g, c: 0 * c), "c: it should be"),
    ("03.5", lambda x, h, c, W, U, b: coupled_step(x, h, c, W, U, 0 * b), "bias b is missing"),
    ("03.5", lambda x, h, c, W, U, b: coupled_step(x, h, c, W, U, b)[::-1], "exchanged"),
    ("03.5", lambda x, h, c, W, U, b: coupled_step(x, h, c, W, U, b)[0], "two arrays"),
    ("03.5", lambda x, h, c, W, U, b: 3.0, "two arrays"),
    ("03.5", lambda x, h, c, W, U, b: (h[0], c), "h: the result should have the shape"),
    ("03.5", lambda x, h, c, W, U, b: lstm.step(x, h, c, W, U, b), "a quarter is gone"),
    ("03.5", 7, "should be a function"),
    (
        "03.5",
        lambda x, h, c, *weights: coupled_step(x, h, c, *(np.roll(w, 5, -1) for w in weights)),
        "another order",
    ),
    ("03.5", with_output(lambda o, new, old, f: o * np.tanh(old)), "old c out"),
    ("03.5", with_output(lambda o, new, old, f: o * new), "tanh is missing"),
    ("03.5", with_output(lambda o, new, old, f: np.tanh(new)), "output gate is missing"),
    ("03.5", with_output(lambda o, new, old, f: f * np.tanh(new)), "that is the forget gate"),
    ("03.5", with_output(lambda o, new, old, f: (1 - f) * np.tanh(new)), "the input gate; the"),
    ("03.5", with_output(lambda o, new, old, f: np.log(o / (1 - o)) * np.tanh(new)), "sigmoid"),
    ("03.5", with_output(lambda o, new, old, f: new), "c is right. h: it should be"),
]


def logit_c(f, g, c):
    f = np.log(f / (1 - f))
    return f * c + (1 - f) * g


@pytest.mark.parametrize("identifier", SOLUTIONS)
def test_a_solution_that_gives_tensors_passes(identifier, capsys):
    from keras import ops

    checks.check(identifier, lambda *a: ops.convert_to_tensor(SOLUTIONS[identifier](*a)))
    assert f"{identifier}: correct. " in capsys.readouterr().out


def test_other_right_ways_pass(capsys):
    checks.check("03.4", lambda n: -math.log(2 ** (1 / n) - 1))
    checks.check("03.5", in_place)
    checks.check("03.2", lambda *arguments: lstm.gates(*arguments)[1])
    assert capsys.readouterr().out.count("correct. ") == 3


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="z = 1 keeps"):
        checks.check("03.3", grus(new=writes))
