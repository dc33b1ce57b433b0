"""The exercises of lab 08b: the split gate again, starts, ties, tiny attention, bands."""

import numpy as np

from course_utils.exercises import exercise
from course_utils.exercises.lecture_08 import SPLIT_GATE_MISTAKES, gates
from course_utils.layers.mlp import GATES
from course_utils.lectures import lecture_08, lecture_08b
from course_utils.lectures.lecture_05 import softmax
from course_utils.lectures.lecture_08b import band_share

exercise(
    "08b.1",
    lecture_08.split_gate,
    mistakes=SPLIT_GATE_MISTAKES,
    takes=3,
    level=2,
    hints=["Split the channels, then norm one half.", "Along which axis does b run?"],
    reasoning="W and b mix the second half over the tokens; the result scales the first half.",
    solved="One half carries the content; the other, mixed over tokens, scales it.",
)(gates)


def _start(ones=("multiplicative", "split"), wide=("linear",), rows=None, scale=1):
    """A start with b = 1 for some gates and an ordinary W for some; rows: different ones."""

    def start(gate, S, draw):
        size = scale * (3 / S) ** 0.5 if gate in wide else 1e-4 / S
        W = draw.uniform(-size, size, (rows or S, S)) + np.zeros((S, S))
        return W, np.full(S, float(gate in ones))

    return start


def _effects(answer, S):
    """What W and b of each gate do at the start, in words."""
    return tuple(_effect(S, *answer(gate, S, np.random.default_rng(1))) for gate in GATES)


def _effect(S, W, b):
    W, b = np.asarray(W, dtype=float), np.asarray(b, dtype=float)
    if W.shape != (S, S) or b.shape != (S,):
        return f"W {W.shape} and b {b.shape}"
    mixed = W @ lecture_08.norm(np.random.default_rng(2).normal(size=(S, 32)))
    sizes = [("nothing", 0.003), ("little", 0.3), ("as much as it reads", 3), ("more", np.inf)]
    size = next(name for name, limit in sizes if mixed.std() < limit)
    spread = np.ptp(mixed, axis=0).max()
    alike = " the same for all tokens," if spread < 0.1 < mixed.std() else ""
    near = [value for value in (0, 1) if np.abs(b - value).max() < 0.01]
    return f"W adds {size},{alike} b is {near[0] if near else 'neither 0 nor 1'}"


@exercise(
    "08b.2",
    lecture_08b.initial_weights,
    mistakes=[
        (_start(ones=()), "the gate is shut: f is about 0 and multiplies; let b be 1"),
        (_start(ones=GATES), "b = 1 is added here, to every number: let b be 0"),
        (_start(wide=()), "a linear gate with W near 0 returns nothing: give it an ordinary W"),
        (_start(wide=GATES), "W scrambles the tokens: let it be near 0, and b decide"),
        (_start(wide=GATES, ones=()), "W near 0, or it scrambles; b = 1 if it multiplies"),
        (_start(rows=1), "all rows of W are equal, so all tokens come out alike"),
        (_start(scale=8), "a sum of S products of size 1 has the size √S: divide by it"),
        (lambda gate, S, draw: _start()(gate, S, draw)[0], "return two arrays, W and b"),
    ],
    takes=8,
    level=3,
    hints=["What is f if W is near 0?", "A sum of S independent products has the size √S."],
    reasoning="With W near 0, f is b; a linear gate has only W, its variance is 1/S.",
    solved="What a gate does before it has learned anything is your decision.",
    run=_effects,
)
def _tokens(draw):
    yield 8
    yield 64


def _tied(index, tokens=lambda t: (len(t) + 1) // 2):
    def tie(t):
        S = tokens(t)
        return t[index(np.arange(S)[:, None] - np.arange(S), S)]

    return tie


@exercise(
    "08b.3",
    lecture_08b.toeplitz,
    mistakes=[
        (_tied(lambda d, S: -d + S - 1), "mirrored: the last weight is W[S − 1, 0]"),
        (_tied(lambda d, S: d), "a negative index counts from the end: add S − 1"),
        (_tied(lambda d, S: np.abs(d)), "left and right have different weights: no np.abs"),
        (_tied(lambda d, S: np.abs(d) + S - 1), "left and right have different weights"),
        (_tied(lambda d, S: d % S), "not a circle: −1 and S − 1 are two distances"),
        (_tied(lambda d, S: d + S - 1, lambda t: len(t) // 2), "S is (len(t) + 1) / 2"),
    ],
    takes=5,
    level=2,
    hints=["np.arange(S)[:, None] - np.arange(S) is i − j.", "The smallest i − j is −(S − 1)."],
    reasoning="Row minus column is the distance; + S − 1 makes the smallest one the index 0.",
    solved="2S − 1 weights in place of S², and every pair of tokens trains one of them.",
)
def _weights(draw):
    for S in (2, 3, 6):
        yield draw.normal(size=2 * S - 1)


def _attend(
    out=lambda p, m, a: p * (m + a), scale=lambda p, q: q.shape[1] ** 0.5, weigh=softmax
):
    """A gate with attention; p: Z_1, m: what W mixed, a: what attention adds."""
    return lambda p, m, q, k, v, W_O: out(p, m, weigh(q @ k.T / scale(p, q)) @ v @ W_O)


@exercise(
    "08b.4",
    lecture_08b.attentive_gate,
    mistakes=[
        (_attend(scale=lambda p, q: p.shape[1] ** 0.5), "the scale is √w, of the head's width"),
        (_attend(scale=lambda p, q: len(q) ** 0.5), "the scale is √w, not √S"),
        (_attend(scale=lambda p, q: 1), "the scores are not scaled: divide by √w"),
        (_attend(scale=lambda p, q: q.shape[1]), "divide by √w, not by w"),
        (_attend(weigh=lambda s: softmax(s.T)), "the scores are q kᵀ, not k qᵀ"),
        (_attend(weigh=lambda s: softmax(s.T).T), "softmax over the keys: each row sums to 1"),
        (_attend(weigh=lambda s: softmax(s.ravel()).reshape(s.shape)), "one softmax a row"),
        (_attend(weigh=np.asarray), "the softmax of the scores is missing"),
        (_attend(lambda p, m, a: p * m + a), "add attention before Z_1 multiplies"),
        (_attend(lambda p, m, a: p * m), "the attention is missing"),
        (_attend(lambda p, m, a: p * a), "`mixed` is missing: add the attention to it"),
        (_attend(lambda p, m, a: p + m + a), "a gate multiplies: Z_1 times the sum"),
        (_attend(lambda p, m, a: p * m * a), "attention is added to `mixed`, not multiplied"),
    ],
    takes=6,
    level=2,
    hints=["The scale is the root of the head's width.", "Add before Z_1 multiplies."],
    reasoning="Inside the gate, Z_1 can switch off what attention found, and what W mixed.",
    solved="W attends to the same positions always; the head computes them for each sentence.",
)
def _heads(draw):
    for S, half, width in [(2, 3, 4), (5, 6, 3)]:
        sizes = [(S, half)] * 2 + [(S, width)] * 3 + [(width, half)]
        yield tuple(2 * draw.normal(size=size) for size in sizes)


def _bands(W, value=np.mean, power=2, lengths=True, first=-99):
    offsets = range(max(first, 1 - len(W)), len(W))
    diagonals = [np.diagonal(W, offset) for offset in offsets]
    parts = [value(d) ** power * (len(d) if lengths else 1) for d in diagonals]
    return sum(parts) / (np.abs(W) ** power).sum()


@exercise(
    "08b.5",
    band_share,
    mistakes=[
        (lambda W: (_bands(W, lengths=False), 0.0), "each mean counts n_d times"),
        (lambda W: (_bands(W, lambda d: np.abs(d).mean()), 1.0), "keep the signs in the mean"),
        (lambda W: (_bands(W, lambda d: (d**2).mean() ** 0.5), 0), "square the mean, no entry"),
        (lambda W: (_bands(W, lambda d: abs(d.mean()), 1), 0), "square, do not take np.abs"),
        (lambda W: (((W + W.T) ** 2).sum() / 4 / (W**2).sum(), 1), "that is W's symmetry"),
        (lambda W: (W.size * W.mean() ** 2 / (W**2).sum(), 0), "one mean for each diagonal"),
        (lambda W: (_bands(W, first=0), 0), "one side only: begin at −(S − 1)"),
        (lambda W: (100 * band_share(W)[0], 100 * band_share(W)[1]), "a share, not per cent"),
        (lambda W: band_share(W)[::-1], "the share first, then chance"),
        (lambda W: (0, 1 / len(W)), "there are 2S − 1 diagonals, not S"),
        (lambda W: (0, 1 - band_share(W)[1]), "diagonals over entries: (2S − 1) / S²"),
        (lambda W: band_share(W)[0], "return two numbers: the share, and chance"),
    ],
    takes=10,
    level=3,
    hints=["np.diagonal(W, offset), from −(S − 1) to S − 1.", "There are 2S − 1 diagonals."],
    reasoning="Replacing a diagonal by its mean leaves n_d m_d² of its squared weight.",
    solved="A share means something only beside what chance would give.",
)
def _matrices(draw):
    for S in (3, 5):
        yield draw.normal(size=(S, S))
        yield lecture_08b.toeplitz(draw.normal(size=2 * S - 1)) + 0.3 * draw.normal(size=(S, S))
