"""The checks of lecture 08: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.lectures.lecture_06 import layer_norm
from course_utils.numpy_ref.mixer import gelu, gelu_tanh
from course_utils.numpy_ref.mlp_cost import mixer_parameters


def norm(x):
    return layer_norm(x, 1.0, 0.0)


def mix(x, W_1, W_2, sigma=gelu, over=norm):
    return x + (sigma(over(x).T @ W_1) @ W_2).T


def unturned(x, W_1, W_2):
    return x + gelu(norm(x) @ W_1) @ W_2 if x.shape[0] == x.shape[1] else mix(x, W_1, W_2)


def count(patch, C, D_S, D_C, num_layers, norms=2, colours=3, last=1, head=1):
    S = (224 // patch) ** 2
    mlps = 2 * S * D_S + D_S + S + 2 * C * D_C + D_C + C
    stem = patch * patch * colours * C + C
    return (
        stem
        + 2 * C * (norms * num_layers + last)
        + num_layers * mlps
        + head * (C * 1000 + 1000)
    )


def grown(patch, C, D_S, D_C, num_layers):
    return count(patch, C, D_S * (224 // patch) ** 2 // 49, D_C, num_layers)


def no_biases(patch, C, D_S, D_C, num_layers):
    biases = D_S + (224 // patch) ** 2 + D_C + C
    return count(patch, C, D_S, D_C, num_layers) - num_layers * biases


def gate(z, W, b, kind="right"):
    half = z.shape[1] // 2
    z_1, z_2 = z[:, :half], z[:, half:]
    heard = W @ norm(z_2) + b[:, None]
    return {
        "right": z_1 * heard,
        "ungated": heard,
        "one half": z_2 * heard,
        "swapped": z_2 * (W @ norm(z_1) + b[:, None]),
        "sum": z_1 + heard,
        "no norm": z_1 * (W @ z_2 + b[:, None]),
        "norm first": z_1 * (W @ norm(z)[:, half:] + b[:, None]),
        "both normed": norm(z_1) * heard,
        "turned": z_1 * (W.T @ norm(z_2) + b[:, None]),
        "no b": z_1 * (W @ norm(z_2)),
        "b along": z_1 * (W @ norm(z_2) + b) if len(b) == half else z_1 * heard,
        "whole": z * (W @ norm(z) + b[:, None]),
        "else": 2 * z_1 * heard,
    }[kind]


def fresh(S, W=0.0, b=1.0):
    return np.full((S, S), W), np.full(S, b)


def hears(block, x, noise=True, itself=True, limit=1e-6):
    found = []
    for token in range(len(x)):
        changed = x.copy()
        drawn = np.random.default_rng(token).normal(size=x.shape[1])
        changed[token] = drawn if noise else x[token] + 3.0
        far = np.abs(block(changed) - block(x)).max(axis=1)
        far[token] *= itself
        found.append(far > limit if limit else far)
    return np.array(found).T


def double(W, side, by=4):
    grid = np.asarray(W).reshape(side, side, side, side)
    for axis in range(4):
        grid = np.repeat(grid, 2, axis=axis)
    return grid.reshape(4 * side * side, 4 * side * side) / by


SOLUTIONS = {
    "08.1": mix,
    "08.2": count,
    "08.3": (gate, fresh),
    "08.4": hears,
    "08.5": double,
}

WRONG = [
    ("08.1", unturned, "S appears nowhere"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2, over=lambda y: norm(y.T).T), "over the tok"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2) - x, "x is missing"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2) - x + norm(x), "carries x as it came"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2, over=lambda y: y), "the norm is missing"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2, lambda y: y), "only one"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2, lambda y: np.maximum(y, 0)), "ReLU"),
    ("08.1", lambda x, W_1, W_2: mix(x, W_1, W_2, gelu_tanh), "by tanh"),
    ("08.1", lambda x, W_1, W_2: gelu(norm(x).T @ W_1) @ W_2, "turn back"),
    ("08.1", lambda x, W_1, W_2: 2 * x, "the norm over the channels"),
    ("08.1", lambda x, W_1, W_2: x @ W_1 @ W_2[:, :5] @ np.ones((3, 3)), "your code raised"),
    ("08.2", lambda *s: count(*s, norms=1), "two norms a block"),
    ("08.2", lambda *s: count(*s, norms=0), "two, with gain and shift"),
    ("08.2", lambda *s: count(*s, last=0), "behind the last block"),
    ("08.2", lambda *s: count(*s, norms=1, last=0), "one norm a block, and one"),
    ("08.2", lambda *s: count(*s, head=0), "the head is missing"),
    ("08.2", lambda *s: count(*s) - 1000, "the head's bias"),
    ("08.2", lambda *s: count(*s) - s[1], "the patches' projection"),
    ("08.2", lambda *s: count(*s, colours=1), "three colours"),
    ("08.2", no_biases, "of the two networks"),
    ("08.2", lambda *s: no_biases(*s) - s[1] - 1000, "all biases"),
    ("08.2", grown, "chosen apart"),
    ("08.2", lambda *s: count(*s) + (224 // s[0]) ** 2 * s[1], "are positions"),
    ("08.2", lambda *s: count(*s) + ((224 // s[0]) ** 2 + 1) * s[1], "a class tok"),
    ("08.2", lambda *s: 7, "the last norm, the head"),
    ("08.2", lambda *s: "many", "one number"),
    ("08.3", gate, "both functions"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "ungated"), fresh), "nothing is gated"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "one half"), fresh), "from one half"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "swapped"), fresh), "halves are swapped"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "sum"), fresh), "a gate multiplies"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "no norm"), fresh), "second half is missing"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "norm first"), fresh), "split first"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "both normed"), fresh), "as it is"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "turned"), fresh), "Wᵀ is used"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "no b"), fresh), "b is missing"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "b along"), fresh), "one number a token: b["),
    ("08.3", (lambda z, W, b: gate(z, W, b, "whole"), fresh), "half as many"),
    ("08.3", (lambda z, W, b: gate(z, W, b, "else"), fresh), "where b has one number"),
    ("08.3", (gate, lambda S: fresh(S, b=0.0)), "returns its input"),
    ("08.3", (gate, lambda S: fresh(S, b=0.5)), "has to be 1"),
    ("08.3", (gate, lambda S: fresh(S, W=0.1)), "near zero"),
    ("08.3", (gate, lambda S: np.eye(S)), "returns (W, b)"),
    ("08.4", lambda block, x: hears(block, x, noise=False), "LayerNorm takes off"),
    ("08.4", lambda block, x: np.eye(6, dtype=bool), "look at the others"),
    ("08.4", lambda block, x: hears(block, x).T, "turned round"),
    ("08.4", lambda block, x: hears(block, x, itself=False), "hears at least itself"),
    ("08.4", lambda block, x: hears(block, x, limit=None), "say True or False"),
    ("08.4", lambda block, x: hears(block, x, limit=99.0), "nothing on the diagonal"),
    ("08.4", lambda block, x: ~hears(block, x), "36 of 36"),
    ("08.4", lambda block, x: (x.fill(0), hears(block, x))[1], "work on a copy"),
    ("08.4", lambda block, x: hears(block, x)[0], "a row and a column"),
    ("08.5", lambda W, side: W, "the old resolution again"),
    ("08.5", lambda W, side: double(W, side, by=1), "divide by four"),
    ("08.5", lambda W, side: double(W, side, by=16), "only the columns"),
    ("08.5", lambda W, side: np.kron(W, np.ones((4, 4))) / 4, "both grids"),
    ("08.5", lambda W, side: np.tile(W, (4, 4)) / 4, "both grids"),
    ("08.5", lambda W, side: np.resize(W, (4 * len(W), 4 * len(W))), "both grids"),
    ("08.5", lambda W, side: double(W, side)[::-1], "what its parent"),
    ("08.5", lambda W, side: W.repeat(2, axis=0), "for each new token"),
]


def test_the_counted_sizes_are_those_of_the_library():
    assert count(14, 8, 4, 16, 3) == sum(mixer_parameters(14, 8, 4, 16, 3).values())


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="S appears nowhere"):
        checks.check("08.1", unturned)
