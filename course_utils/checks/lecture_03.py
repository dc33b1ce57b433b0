"""Checks of lecture 03: gates, LSTM and GRU."""

from itertools import permutations

import numpy as np

from course_utils.checks import call, exercise, lecture_03_gru, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.numpy_ref import gru, lstm_variants
from course_utils.numpy_ref.lstm import sigmoid

BATCH, INPUTS, UNITS = 4, 3, 5


def _case(blocks, bias_rows=()):
    """Return x, h, c, W, U, b for a cell of so many blocks of columns."""
    generator = np.random.default_rng(0)
    columns = blocks * UNITS
    shapes = [(BATCH, INPUTS), (BATCH, UNITS), (BATCH, UNITS)]
    shapes += [(INPUTS, columns), (UNITS, columns), (*bias_rows, columns)]
    return [generator.normal(size=shape) for shape in shapes]


def _copies(*arrays):
    return [part.copy() for part in arrays]


@exercise(
    "03.1",
    solved="One SimpleRNN a block: four for an LSTM, three for a GRU, and one row of biases "
    "more where the reset comes after the product.",
)
def parameters(answer):
    """Parameters of an LSTM and of both forms of the GRU."""
    # In the first pair no two mistakes count the same.
    for inputs, units in [(13, 3), (4, 5), (32, 32)]:
        for cell in ("lstm", "gru", "gru_reset_after"):
            _count(number(call(answer, cell, inputs, units)), cell, inputs, units)


def _count(got, cell, inputs, units):
    blocks, gates = (4, "three gates") if cell == "lstm" else (3, "two gates")
    rows = 2 if cell == "gru_reset_after" else 1
    matrices = units * inputs + units**2
    block = matrices + rows * units
    sizes = [matrices + n * units for n in (0, 1, 2)]
    mistakes = [
        (sizes, f"that is one block, a SimpleRNN; there are {blocks}: {gates}, candidate"),
        (
            [(blocks - 1) * size for size in sizes],
            f"{blocks} blocks, {gates} and the candidate, which has its W, U and b too",
        ),
        ([blocks * matrices], "the biases are missing"),
        (
            [blocks * matrices + n for n in (units, 2 * units, blocks)],
            f"each of the {blocks} blocks has biases of its own, one a unit",
        ),
        (
            [blocks * (units * inputs + inputs**2 + rows * units)],
            "U is (units, units) in each block: it meets the state, not the input",
        ),
        (
            [blocks * (2 * units**2 + n * units) for n in (1, 2)],
            "W has a row for each input, not for each unit",
        ),
        ([blocks * units * (inputs + n) for n in (0, 1, 2)], "U is missing in each block"),
    ]
    if cell != "lstm":
        too_many = "a GRU has three blocks, two gates and the candidate; no output gate"
        mistakes.append(([4 * size for size in sizes], too_many))
    if rows == 1:
        only = "in Keras only gru_reset_after has two rows of biases"
        mistakes.append(([blocks * sizes[2]], only))
    else:
        two = "with the reset after the product b has two rows, one for x W and one for h U"
        mistakes.append(([blocks * sizes[1]], two))
        long = f"the second row of biases is as long as the first, {blocks} · units"
        mistakes.append(([blocks * sizes[1] + n for n in (1, units)], long))
    truth = blocks * block
    why = f"{cell} with {units} units on {inputs} inputs has {truth:,}, not {got:,.10g}: "
    # With as many inputs as units some mistakes give the right number.
    mistakes = [(set(wrongs) - {truth}, why + what) for wrongs, what in mistakes]
    refuse(got, mistakes, same=float.__eq__)
    require(got == truth, f"{why}count W, U and b of one block, then count the blocks")


@exercise(
    "03.2",
    solved="Keras keeps four matrices in one: input, forget, candidate, output, side by side.",
)
def forget_gate(answer):
    """The forget gate of a batch, sliced out of Keras' arrays."""
    x, h, _, W, U, b = _case(4)
    got = call(answer, *_copies(x, h, W, U, b))
    got = array(got, (BATCH, UNITS), "one number a text and unit, from one block of columns: ")
    own = slice(UNITS, 2 * UNITS)
    whole, bare = x @ W + h @ U + b, (x @ W + h @ U)[:, own]
    i, f, g, o = np.split(whole, 4, axis=-1)
    of_others = [sigmoid(bare + np.roll(b, n * UNITS)[own]) for n in (1, 2, 3)]
    order = "the order is input, forget, candidate, output"
    mistakes = [
        ([sigmoid(i), np.tanh(i), i], f"that is the block of the input gate: {order}"),
        ([sigmoid(o), np.tanh(o), o], f"that is the block of the output gate: {order}"),
        ([sigmoid(g), np.tanh(g), g], f"that is the block of the candidate: {order}"),
        ([sigmoid(whole[:, 1::4])], "the blocks stand side by side; they do not take turns"),
        ([sigmoid(bare), np.tanh(bare)], "the bias is missing: it has four blocks as well"),
        (of_others, "the bias comes from another block: slice it like W and U"),
        ([sigmoid((x @ W + b)[:, own])], "the gate looks at the state too: add h U"),
        ([sigmoid((h @ U + b)[:, own])], "the gate looks at the input too: add x W"),
        ([f], "squash it: a gate is a number between 0 and 1, by the sigmoid"),
        ([np.tanh(f)], "tanh goes from -1 to 1; a gate goes from 0 to 1: the sigmoid"),
        ([sigmoid(-f)], "that is 1 - f: the sigmoid has exp of minus the sum below the line"),
    ]
    refuse(got, mistakes)
    require(close(got, sigmoid(f)), "it is σ(x W + h U + b) in columns from units to 2 · units")


@exercise(
    "03.3",
    solved="Two conventions of z, two places of the reset: four recipes, all called GRU. Say "
    "which one you mean.",
)
def gru_step(answer):
    """One step of Keras' GRU with the reset after the product."""
    x, h, _, W, U, b = _case(3, bias_rows=(2,))
    got = array(call(answer, *_copies(x, h, W, U, b)), (BATCH, UNITS), "one state a text: ")
    mistakes = lecture_03_gru.mistakes(x, h, W, U, b)
    refuse(got, [([wrong], said) for wrong, said in mistakes])
    require(
        close(got, gru.step_reset_after(x, h, W, U, b)),
        "it should be z·h + (1 - z)·tanh(x W + b₀ + r·(h U + b₁)): the tanh over the "
        "candidate's columns, z and r the sigmoids of theirs",
    )


@exercise(
    "03.4",
    solved="A gate of 0.986 sounds like nearly everything; fifty steps on, half is gone.",
)
def forget_bias(answer):
    """The forget bias with which half the memory is left after so many steps."""
    # At a half-life of one step mistakes and truth meet: it comes last.
    for n in (50, 7, 200, 1):
        got = number(call(answer, n))
        gate = 0.5 ** (1 / n)
        truth = _logit(gate)
        why = f"for a half-life of {n} it is {truth:.3f}, and you have {got:.3f}: "
        if n > 1:
            mistakes = _half_life_mistakes(n, gate)
            refuse(got, [(wrongs, why + what) for wrongs, what in mistakes], same=_near)
        require(
            _near(got, truth),
            f"{why}first the gate that has made 0.5 out of 1 after {n} steps, then the bias "
            "whose sigmoid it is",
        )


def _half_life_mistakes(n, gate):
    odds = gate / (1 - gate)
    return [
        ([n], f"with a bias of {n} the gate is 1 and forgets nothing; solve σ(b)^{n} = 0.5"),
        ([gate], "that is the gate, not its logit: the sigmoid stands between bias and gate"),
        ([sigmoid(gate)], "the bias goes into the sigmoid and the gate comes out: invert it"),
        ([np.log(gate)], "the sigmoid's inverse is the logit, ln(f / (1 - f)), not ln f"),
        ([-np.log(odds)], "the sign is wrong; a negative bias forgets within a few steps"),
        (
            [_logit(np.exp(-1 / n)), _logit(1 - 1 / n), np.exp(-1 / n), 1 - 1 / n],
            f"yours leaves 1/e, 0.37, after {n} steps; a half-life leaves 0.5",
        ),
        (
            [_logit(1 - 0.5 / n), 1 - 0.5 / n],
            f"a step takes a share of what is left, not 1/{2 * n} of the start: f^{n} = 0.5",
        ),
        ([_logit(0.5**n)], f"0.5^{n} is {n} halvings; the gate needs {n} steps for one"),
        ([np.log(odds) - 1], "give the whole bias, not what is added to Keras' 1"),
        ([np.log2(odds), np.log10(odds)], "the sigmoid is made of e: natural logarithm"),
    ]


def _logit(gate):
    return np.log(gate / (1 - gate))


def _near(answer, truth):
    # Float32 knows a gate near 1 only so well.
    return abs(answer - truth) <= 1e-3 * max(1, abs(truth))


@exercise(
    "03.5",
    solved="What is forgotten makes room for what is written; a quarter of the weights goes.",
)
def coupled_step(answer):
    """One step of the LSTM whose input gate is one minus its forget gate."""
    x, old_h, old_c, W, U, b = _case(3)
    h, c = _pair(call(_told_of_blocks(answer), *_copies(x, old_h, old_c, W, U, b)))
    true_h, true_c = lstm_variants.coupled_step(x, old_h, old_c, W, U, b)
    exchanged = close(h, true_c) and close(c, true_h)
    require(not exchanged, "right, but exchanged: return the new h first and then the new c")
    sums = np.split(x @ W + old_h @ U + b, 3, axis=-1)
    f, g, o = sigmoid(sums[0]), np.tanh(sums[1]), sigmoid(sums[2])
    linear, shown = (sums[1], sigmoid(sums[1])), np.tanh(true_c)
    others = list(permutations(sums))[1:]
    without_b = lstm_variants.coupled_step(x, old_h, old_c, W, U, 0 * b)[1]
    mistakes = [
        ([f * old_c + f * g], "the input gate is 1 - f; you wrote with f again"),
        ([f * old_c + g], "the input gate is missing: what is written is scaled by 1 - f"),
        ([(1 - f) * old_c + f * g], "the other way round: f scales the old c, 1 - f the new"),
        ([f * old_h + (1 - f) * g], "f keeps the old c, not the old h"),
        ([old_c + (1 - f) * g], "the forget gate is missing: the old c is scaled by f"),
        ([f * old_c + (1 - f) * part for part in linear], "the candidate is squashed by tanh"),
        ([sums[0] * old_c + (1 - sums[0]) * g], "squash the forget gate by the sigmoid"),
        (
            [sigmoid(p) * old_c + (1 - sigmoid(p)) * np.tanh(q) for p, q, _ in others],
            "another order of the columns: they are forget, candidate, output",
        ),
        ([without_b], "the bias b is missing"),
    ]
    refuse(c, [(wrongs, f"c: {why}") for wrongs, why in mistakes])
    require(close(c, true_c), "c: it should be f · c_before + (1 - f) · tanh(candidate's sum)")
    mistakes = [
        ([o * np.tanh(old_c)], "you let the old c out; h shows the new one"),
        ([o * true_c], "the tanh is missing: h = o · tanh(c)"),
        ([shown], "the output gate is missing: h = o · tanh(c)"),
        ([sums[2] * shown, np.tanh(sums[2]) * shown], "a gate is squashed by the sigmoid"),
        ([f * shown], "that is the forget gate; the output gate is the last block"),
        ([(1 - f) * shown], "that is the input gate; the output gate is the last block"),
    ]
    refuse(h, [(wrongs, f"c is right. h: {why}") for wrongs, why in mistakes])
    require(close(h, true_h), "c is right. h: it should be o · tanh(c), with the new c")


def _told_of_blocks(function):
    def told(*arguments):
        try:
            return function(*arguments)
        except ValueError as error:
            error.args = (f"{error}; a quarter is gone: three blocks of columns, not four",)
            raise

    return told if callable(function) else function


def _pair(result):
    try:
        h, c = result
    except Exception:  # a tensor of any library raises its own kind
        require(False, "return two arrays, the new h and the new c")
    return array(h, (BATCH, UNITS), "h: "), array(c, (BATCH, UNITS), "c: ")
