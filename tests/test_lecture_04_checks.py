"""The checks of lecture 04: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref.conv1d import convolve


def windows(steps, kernel, stride, dilation):
    return (steps - (kernel - 1) * dilation - 1) // stride + 1


def causal(x, K, b, dilation=1, before=None, behind=0):
    before = (len(K) - 1) * dilation if before is None else before
    padded = np.pad(x, ((0, 0), (before, behind), (0, 0)))
    y = np.zeros((len(x), x.shape[1], K.shape[2])) + b
    for j in range(len(K)):
        y += padded[:, j * dilation : j * dilation + x.shape[1]] @ K[j]
    return y


def centred(x, K, b, dilation=1):
    return convolve(x, K, b, 1, "same", dilation)


def too_few_zeros(x, K, b, dilation=1):
    left = len(K) - 1
    return causal(x, K, b, dilation, left, (len(K) - 1) * dilation - left)


def seen(stack, start=1, add=1, holes=True, jumps=True, early=False):
    total, jump = start, 1
    for kernel, stride, dilation in stack:
        jump *= stride if early else 1
        wide = (kernel - 1) * (dilation if holes else 1) + 1
        total += (wide - add) * (jump if jumps else 1)
        jump *= 1 if early else stride
    return total


def masked(x, mask, K, b, before=True, least=-np.inf, after=True):
    y = convolve(x * mask[..., None] if before else x, K, b, padding="same")
    return (np.where(mask[..., None], y, least) if after else y).max(axis=1)


SOLUTIONS = {
    "04.1": lambda k, c, f: k * c * f + f,
    "04.2": windows,
    "04.3": causal,
    "04.4": seen,
    "04.5": masked,
}

WRONG = [
    ("04.1", lambda k, c, f: k * c * f, "one bias a filter is missing"),
    ("04.1", lambda k, c, f: k * f + f, "spans all 128 channels"),
    ("04.1", lambda k, c, f: k * f, "spans all 128 channels"),
    ("04.1", lambda k, c, f: k * c * f + 1, "one bias for each filter"),
    ("04.1", lambda k, c, f: k * c * f + c, "one bias for each filter"),
    ("04.1", lambda k, c, f: k * (c + 1) * f, "not to each place"),
    ("04.1", lambda k, c, f: k * c, "that is one filter"),
    ("04.1", lambda k, c, f: 5, "and biases"),
    ("04.1", lambda k, c, f: [k, c], "one number"),
    ("04.2", lambda s, k, t, d: s - k + 1, "count only every"),
    ("04.2", lambda s, k, t, d: s - (k - 1) * d, "count only every"),
    ("04.2", lambda s, k, t, d: (s - k) // t + 1, "holes make the window wider"),
    ("04.2", lambda s, k, t, d: (s - k * d) // t + 1, "gaps between them"),
    ("04.2", lambda s, k, t, d: (s - (k - 1) * d - 1) // t, "one more"),
    ("04.2", lambda s, k, t, d: (s - (k - 1) * d - 1) / t + 1, "does not fit whole"),
    ("04.2", lambda s, k, t, d: -(-(s - (k - 1) * d - 1) // t) + 1, "round down"),
    ("04.2", lambda s, k, t, d: round((s - (k - 1) * d - 1) / t) + 1, "round down"),
    ("04.2", lambda s, k, t, d: float("inf"), "does not fit whole"),
    ("04.2", lambda s, k, t, d: s, "no zeros are added"),
    ("04.2", lambda s, k, t, d: 77, "last that fits"),
    ("04.2", lambda s, k, t, d: "many", "one number"),
    ("04.3", too_few_zeros, "(k - 1) * d"),
    ("04.3", centred, "changing word 10 changed answer"),
    ("04.3", lambda x, K, b, d=1: causal(x, K[::-1], b, d), "turned round"),
    ("04.3", lambda x, K, b, d=1: causal(x, K, 0 * b, d), "bias b is missing"),
    ("04.3", lambda x, K, b, d=1: causal(x, K, b, 1), "dilation is not used"),
    (
        "04.3",
        lambda x, K, b, d=1: causal(x, K, b, 1, (len(K) - 1) * d),
        "dilation is not used",
    ),
    ("04.3", lambda x, K, b, d=1: causal(x, K, len(K) * b, d), "added once"),
    ("04.3", lambda x, K, b, d=1: convolve(x, K, b), "as many answers as steps"),
    (
        "04.3",
        lambda x, K, b, d=1: causal(x, K, b, d, (len(K) - 1) * d + 1),
        "one zero too many",
    ),
    ("04.3", lambda x, K, b, d=1: 2 * causal(x, K, b, d), "by hand"),
    ("04.3", lambda x, K, b, d=1: [[1.0], [1.0, 2.0]], "array of numbers"),
    ("04.4", lambda stack: sum(k for k, _, _ in stack), "neighbours overlap"),
    ("04.4", lambda stack: seen(stack, holes=False), "holes make a kernel wider"),
    ("04.4", lambda stack: seen(stack, jumps=False), "one step is five words"),
    ("04.4", lambda stack: seen(stack, early=True), "add first"),
    ("04.4", lambda stack: checks.lecture_04._last_jump(stack), "strides multiply"),
    ("04.4", lambda stack: seen(stack, start=0), "start with 1"),
    ("04.4", lambda stack: 1000, "from 1 upwards"),
    ("04.4", lambda stack: stack, "one number"),
    ("04.5", lambda *given: masked(*given, least=0), "0 beats a negative"),
    ("04.5", lambda *given: masked(*given, before=False, least=0), "0 beats a negative"),
    ("04.5", lambda *given: masked(*given, before=False), "still read a pad"),
    ("04.5", lambda *given: masked(*given, after=False), "the bias is not"),
    ("04.5", lambda *given: masked(*given, before=False, after=False), "nothing is masked"),
    ("04.5", lambda *given: np.maximum(masked(*given), 0), "no ReLU here"),
    ("04.5", lambda *given: masked(*given) * -np.inf, "behind the convolution"),
    ("04.5", lambda x, mask, K, b: np.ones((3, 5)), "then the maximum"),
    ("04.5", lambda x, mask, K, b: x, "one number a filter"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="one bias a filter"):
        checks.check("04.1", lambda k, c, f: k * c * f)
