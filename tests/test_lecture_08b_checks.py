"""The checks of lab 08b: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref.attention import softmax


def gate(Z, norm, W, b):
    half = Z.shape[1] // 2
    return Z[:, :half] * (W @ norm(Z[:, half:]) + b[:, None])


def cut_tokens(Z, norm, W, b):
    half = len(Z) // 2
    return Z[:half] * (W[:half, :half] @ norm(Z[half : 2 * half]) + b[:half, None])


def parts(Z):
    half = Z.shape[1] // 2
    return Z[:, :half], Z[:, half:]


def along_channels(Z, norm, W, b):
    first, second = parts(Z)
    square = len(Z) == first.shape[1]
    return first * (W @ norm(second) + (b if square else b[:, None]))


def start(kind, S, draw, ones=("multiplicative", "split"), wide=("linear",), size=None):
    spread = (3 / S) ** 0.5 if size is None else size
    spread = spread if kind in wide else 1e-4 / S
    return draw.uniform(-spread, spread, (S, S)), np.full(S, 1.0 if kind in ones else 0.0)


GATES = ("linear", "additive", "multiplicative", "split")


def distances(S):
    return np.arange(S)[:, None] - np.arange(S)


def tied(t, index=lambda distance, S: distance + S - 1, tokens=None):
    S = tokens(len(t)) if tokens else (len(t) + 1) // 2
    return np.asarray(t)[index(distances(S), S)]


def look(q, k, v, W_O, scale=None, axis=-1):
    scores = q @ k.T / (np.sqrt(q.shape[1]) if scale is None else scale)
    return (softmax(scores) if axis == -1 else softmax(scores.T).T) @ v @ W_O


def attentive(passed, mixed, q, k, v, W_O, **how):
    return passed * (mixed + look(q, k, v, W_O, **how))


def means(W):
    S = len(W)
    found = [np.diagonal(W, offset) for offset in range(1 - S, S)]
    return np.array([d.mean() for d in found]), np.array([len(d) for d in found])


def bands(W):
    found, lengths = means(W)
    return (lengths * found**2).sum() / (W**2).sum(), (2 * len(W) - 1) / len(W) ** 2


SOLUTIONS = {
    "08b.1": gate,
    "08b.2": start,
    "08b.3": tied,
    "08b.4": attentive,
    "08b.5": bands,
}

WRONG = [
    (
        "08b.1",
        lambda Z, norm, W, b: parts(Z)[1] * (W @ norm(parts(Z)[1]) + b[:, None]),
        "the half that passes is the first",
    ),
    ("08b.1", cut_tokens, "print the shapes"),
    ("08b.1", lambda Z, norm, W, b: Z * (W @ norm(Z) + b[:, None]), "should have the shape"),
    ("08b.1", lambda Z, norm, W, b: gate(Z, lambda x: x, W, b), "norm it first"),
    (
        "08b.1",
        lambda Z, norm, W, b: parts(Z)[0] * (W @ parts(norm(Z))[1] + b[:, None]),
        "after the cut",
    ),
    ("08b.1", lambda Z, norm, W, b: gate(Z, norm, W, 0 * b), "b is missing"),
    ("08b.1", lambda Z, norm, W, b: gate(Z, norm, W, 0 * b + 1), "b is given"),
    (
        "08b.1",
        lambda Z, norm, W, b: gate(np.hstack(parts(Z)[::-1]), norm, W, b),
        "the halves are exchanged",
    ),
    ("08b.1", lambda Z, norm, W, b: gate(Z, norm, W.T, b), "W is turned round"),
    (
        "08b.1",
        lambda Z, norm, W, b: parts(Z)[0] + W @ norm(parts(Z)[1]) + b[:, None],
        "a gate multiplies",
    ),
    ("08b.1", lambda Z, norm, W, b: W @ norm(parts(Z)[1]) + b[:, None], "f alone"),
    (
        "08b.1",
        lambda Z, norm, W, b: parts(Z)[0] + gate(Z, norm, W, b),
        "outside the gate",
    ),
    ("08b.1", along_channels, "along the tokens"),
    ("08b.1", lambda Z, norm, W, b: 2 * gate(Z, norm, W, b), "number by number"),
    ("08b.2", lambda *given: start(*given, ones=()), "the gate is shut"),
    ("08b.2", lambda *given: start(*given, ones=(), wide=GATES), "W scrambles the tokens"),
    ("08b.2", lambda *given: start(*given, wide=GATES, size=0.05), "is silent"),
    ("08b.2", lambda *given: start(*given, ones=GATES), "b should be 0"),
    (
        "08b.2",
        lambda *given: start(*given, ones=("additive", "multiplicative", "split")),
        "shifts every number by one",
    ),
    ("08b.2", lambda *given: start(*given, wide=()), "is silent"),
    ("08b.2", lambda *given: start(*given, size=3.0), "divide by it"),
    ("08b.2", lambda *given: start(*given, wide=GATES), "W scrambles the tokens"),
    ("08b.2", lambda kind, S, draw: np.zeros((S, S)), "return two arrays"),
    ("08b.3", lambda t: tied(t, lambda d, S: -d + S - 1), "the mirror image"),
    ("08b.3", lambda t: tied(t, tokens=lambda count: count // 2), "never be used"),
    ("08b.3", lambda t: tied(t, lambda d, S: d), "counts from the end"),
    ("08b.3", lambda t: tied(t, lambda d, S: np.abs(d)), "left and right"),
    ("08b.3", lambda t: tied(t, lambda d, S: d % S), "not a circle"),
    ("08b.3", lambda t: 2 * tied(t), "W[i, j] = t[i − j + S − 1]"),
    (
        "08b.4",
        lambda z, m, q, k, v, o: attentive(z, m, q, k, v, o, scale=(2 * z.shape[1]) ** 0.5),
        "too flat",
    ),
    ("08b.4", lambda *given: attentive(*given, scale=1.0), "not scaled"),
    ("08b.4", lambda z, m, q, k, v, o: z * m + look(q, k, v, o), "after the product"),
    ("08b.4", lambda *given: attentive(*given, axis=0), "sum to 1"),
    ("08b.4", lambda z, m, q, k, v, o: z * m, "the attention is missing"),
    ("08b.4", lambda z, m, q, k, v, o: z * look(q, k, v, o), "W's part is missing"),
    ("08b.4", lambda z, m, q, k, v, o: z + m + look(q, k, v, o), "a gate multiplies"),
    ("08b.4", lambda z, m, q, k, v, o: z * m * look(q, k, v, o), "not multiplied"),
    (
        "08b.4",
        lambda z, m, q, k, v, o: z * (m + q @ k.T / np.sqrt(q.shape[1]) @ v @ o),
        "softmax of the scores is missing",
    ),
    ("08b.4", lambda *given: 2 * attentive(*given), "Z_1 ⊙"),
    (
        "08b.5",
        lambda W: (((W + W.T) ** 2).sum() / 4 / (W**2).sum(), bands(W)[1]),
        "how symmetric W is",
    ),
    ("08b.5", lambda W: (bands(W)[0], 0.0), "the chance level is missing"),
    ("08b.5", lambda W: bands(W)[0], "two numbers"),
    ("08b.5", lambda W: ((means(W)[0] ** 2).sum() / (W**2).sum(), bands(W)[1]), "times n_d"),
    ("08b.5", lambda W: (bands(np.abs(W))[0], bands(W)[1]), "with their signs"),
    (
        "08b.5",
        lambda W: (np.abs(means(W)[0] * means(W)[1]).sum() / np.abs(W).sum(), bands(W)[1]),
        "square the means",
    ),
    ("08b.5", lambda W: (len(W) * W.mean() ** 2, bands(W)[1]), "summed, over"),
    ("08b.5", lambda W: (bands(W)[0], 1 / len(W)), "2S − 1"),
    ("08b.5", lambda W: (bands(W)[0], 0.03), "by chance"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="the mirror image"):
        checks.check("08b.3", lambda t: tied(t, lambda d, S: -d + S - 1))
