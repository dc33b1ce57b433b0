"""The checks of lecture 02: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks


def run_forward(x_t, h_before, W, U, b):
    return np.tanh(x_t @ W + h_before @ U + b)


def before(states):
    return np.concatenate([np.zeros_like(states[:1]), states[:-1]])


def truncated(states, errors, U, V, k, chunk_start=0):
    gradient, carried = np.zeros_like(U), np.zeros(len(U))
    for t in reversed(range(len(states))):
        inner = (1 - states[t] ** 2) * (errors[t] @ V.T + carried)
        gradient += np.outer(before(states)[t], inner)
        carried = np.zeros(len(U)) if t % k == chunk_start else inner @ U.T
    return gradient


def fresh_states(states, errors, U, V, k):
    chunks = range(0, len(states), k)
    parts = [slice(start, start + k) for start in chunks]
    return sum(truncated(states[part], errors[part], U, V, k) for part in parts)


def last_chunk_only(states, errors, U, V, k):
    kept = np.zeros_like(errors)
    start = (len(states) - 1) // k * k
    kept[start:] = errors[start:]
    return truncated(states, kept, U, V, k)


def without_slope(states, errors, U, V, k):
    gradient, carried = np.zeros_like(U), np.zeros(len(U))
    for t in reversed(range(len(states))):
        reaching = errors[t] @ V.T + carried
        gradient += np.outer(before(states)[t], reaching)
        carried = np.zeros(len(U)) if t % k == 0 else reaching @ U.T
    return gradient


SOLUTIONS = {
    "02.1": lambda words, size, units: words * size + units * (units + size + 1) + units + 1,
    "02.2": run_forward,
    "02.3": lambda states, lengths: states[np.arange(len(states)), lengths - 1],
    "02.4": lambda states, reaching: before(states).T @ ((1 - states**2) * reaching),
    "02.5": truncated,
}

WRONG = [
    ("02.1", lambda w, s, u: w * s + 2 * u * u + u + u + 1, "as many rows"),
    ("02.1", lambda w, s, u: w * s + u * (u + s) + u + 1, "bias is missing"),
    ("02.1", lambda w, s, u: w * s + u * (u + s + 1) + u, "neuron has a bias"),
    ("02.1", lambda w, s, u: w * s + u * (u + s + 1), "neuron is missing"),
    ("02.1", lambda w, s, u: u * (u + s + 1) + u + 1, "embedding is missing"),
    ("02.1", lambda w, s, u: 7, "add up"),
    ("02.1", lambda w, s, u: [w * s, u], "one number"),
    ("02.1", lambda w, s, u: np.ones(3), "one number"),
    ("02.1", lambda w, s, u: w * s + u * (u + s + 1) + 1, "the neuron's weights"),
    ("02.2", lambda x, h, W, U, b: [[1.0], [1.0, 2.0]], "array of numbers"),
    ("02.3", lambda states, lengths: [states[0], states[0, 0]], "array of numbers"),
    ("02.2", lambda x, h, W, U, b: np.tanh(x @ W + h @ U.T + b), "no transpose"),
    ("02.2", lambda x, h, W, U, b: np.tanh(x @ W) + h @ U + b, "whole sum"),
    ("02.2", lambda x, h, W, U, b: x @ W + np.tanh(h @ U) + b, "whole sum"),
    ("02.2", lambda x, h, W, U, b: x @ W + h @ U + b, "tanh is missing"),
    ("02.2", lambda x, h, W, U, b: np.tanh(x @ W + h @ U), "bias b"),
    ("02.2", lambda x, h, W, U, b: np.tanh(x @ W), "tanh("),
    ("02.2", lambda x, h, W, U, b: (x @ W)[0], "shape"),
    ("02.3", lambda states, lengths: states[:, -1], "after the pads"),
    ("02.3", lambda states, lengths: states[np.arange(len(states)), lengths], "off by one"),
    ("02.3", lambda states, lengths: states[:, lengths - 1], "one state a text"),
    ("02.3", lambda states, lengths: states[:, 0], "n - 1"),
    ("02.4", lambda h, g: h.T @ ((1 - h**2) * g), "previous state"),
    ("02.4", lambda h, g: before(h).T @ g, "passes through the tanh"),
    ("02.4", lambda h, g: h.T @ g, "two things"),
    ("02.4", lambda h, g: before(h).T @ ((1 - before(h) ** 2) * g), "slope"),
    ("02.4", lambda h, g: ((1 - h**2) * g).T @ before(h), "transposed"),
    ("02.4", lambda h, g: np.roll(h, 1, axis=0).T @ ((1 - h**2) * g), "h_0 = 0"),
    ("02.4", lambda h, g: np.zeros((4, 4)), "sum of"),
    ("02.5", fresh_states, "the state goes on"),
    ("02.5", last_chunk_only, "early losses"),
    ("02.5", lambda h, d, U, V, k: truncated(h, d, U, V, 1000), "nothing is cut"),
    ("02.5", lambda h, d, U, V, k: truncated(h, d, U, V, k, k - 1), "wrong step"),
    ("02.5", lambda h, d, U, V, k: truncated(h, d, U, V, k).T, "transposed"),
    ("02.5", without_slope, "passes through the tanh"),
    ("02.5", lambda h, d, U, V, k: truncated(h, d, U.T, V, k), "whole gradient"),
    ("02.5", lambda h, d, U, V, k: truncated(h, d, U, V, 3), "wrong for chunks of"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="no transpose"):
        checks.check("02.2", lambda x, h, W, U, b: np.tanh(x @ W + h @ U.T + b))
