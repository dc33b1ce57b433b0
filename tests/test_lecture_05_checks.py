"""The checks of lecture 05: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref.attention import softmax


def attend(states, encoded, axis=1, scale=1.0, values=None, swap=False):
    powers = np.exp(states @ encoded.T / scale)
    weights = powers / powers.sum(axis=axis, keepdims=True)
    found = (weights.T if swap else weights) @ (encoded if values is None else values)
    return weights, found


def weights(scores, mask, least=-np.inf, stable=True):
    scores = np.where(mask[:, None, :], scores, least)
    powers = np.exp(scores - (scores.max(axis=-1, keepdims=True) if stable else 0))
    return powers / powers.sum(axis=-1, keepdims=True)


def losses(logits, targets, stable=True):
    logits = logits - (logits.max(axis=-1, keepdims=True) if stable else 0)
    log_chances = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_chances, targets[..., None], axis=-1)[..., 0]


def loss(logits, targets, stable=True):
    return losses(logits, targets, stable)[targets != 0].mean()


def chance(logits, targets):
    return np.exp(-losses(logits, targets))[targets != 0].mean()


def mean_of_means(logits, targets):
    real = targets != 0
    return np.mean((losses(logits, targets) * real).sum(axis=1) / real.sum(axis=1))


def decode(step, state, length, start=2, end=3, bound=0, own=True, carry=True, keep=False):
    token, written, first = start, [], state
    for _ in range(length + bound):
        logits, state = step(token if own or not written else 4, state if carry else first)
        word = int(np.argmax(logits))
        if word == end and not keep:
            break
        written.append(word)
        if word == end:
            break
        token = word
    return written


def unbounded(step, state, length):
    token, written = 2, []
    while token != 3:
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        written.append(token)
    return written[:-1]


SOLUTIONS = {
    "05.1": attend,
    "05.2": weights,
    "05.3": loss,
    "05.4": lambda states, encoded, W: states @ W @ encoded.T,
    "05.5": decode,
}

WRONG = [
    ("05.1", lambda s, h: attend(s, h, axis=0), "over the source words"),
    ("05.1", lambda s, h: (s @ h.T, s @ h.T @ h), "the softmax is missing"),
    ("05.1", lambda s, h: (np.exp(s @ h.T), s), "not yet divided"),
    ("05.1", lambda s, h: attend(s, h, scale=2**0.5), "nothing is divided by √d"),
    ("05.1", lambda s, h: (attend(s, h)[0], attend(s, h)[0] @ h * 2), "times the encoder's"),
    ("05.1", lambda s, h: (attend(s, h)[0], s @ h.T @ h), "made from the scores"),
    (
        "05.1",
        lambda s, h: (attend(s, h)[0], attend(s, h)[0] @ (s if len(s) == len(h) else h)),
        "not the decoder's",
    ),
    ("05.1", lambda s, h: attend(s, h, swap=len(s) == len(h)), "turned round"),
    ("05.1", lambda s, h: attend(s, h)[0][0, 0], "return two things"),
    ("05.1", lambda s, h: attend(h, s), "the weights: "),
    ("05.1", lambda s, h: (np.full((len(s), len(h)), 1 / len(h)), s), "softmax of s · h"),
    ("05.2", lambda scores, mask: softmax(scores), "the pads have weights"),
    ("05.2", lambda scores, mask: softmax(scores) * mask[:, None], "less than 1"),
    ("05.2", lambda scores, mask: softmax(scores * mask[:, None]), "e⁰"),
    ("05.2", lambda scores, mask: weights(scores, mask, least=0.0), "e⁰"),
    ("05.2", lambda scores, mask: weights(scores, mask, stable=False), "∞ or NaN"),
    ("05.2", lambda scores, mask: softmax(scores, mask[:, :, None]), "laid along the written"),
    ("05.2", lambda scores, mask: weights(scores, mask, least=-1.0), "a weight left"),
    ("05.2", lambda scores, mask: weights(scores, mask) / 2, "add up to 1"),
    ("05.2", lambda scores, mask: weights(-scores, mask), "then the softmax"),
    ("05.2", lambda scores, mask: mask, "as many weights"),
    ("05.3", lambda logits, targets: losses(logits, targets).mean(), "take part"),
    (
        "05.3",
        lambda logits, targets: (losses(logits, targets) * (targets != 0)).mean(),
        "falls when you add pads",
    ),
    ("05.3", lambda logits, targets: losses(logits, targets)[targets != 0].sum(), "the sum"),
    ("05.3", mean_of_means, "a short sentence's words count"),
    ("05.3", lambda logits, targets: losses(logits, targets)[targets > 3].mean(), "<eos>"),
    ("05.3", lambda logits, targets: loss(logits[:, 1:], targets[:, 1:]), "first target"),
    ("05.3", lambda logits, targets: -loss(logits, targets), "the sign"),
    ("05.3", chance, "these are probabilities"),
    ("05.3", lambda logits, targets: 1 - chance(logits, targets), "not 1 − p"),
    ("05.3", lambda logits, targets: loss(logits, targets) / np.log(2), "in bits"),
    ("05.3", lambda logits, targets: loss(logits, targets, stable=False), "∞ or NaN"),
    (
        "05.3",
        lambda logits, targets: (
            -np.take_along_axis(logits, targets[..., None], -1)[targets != 0].mean()
        ),
        "the softmax is missing",
    ),
    ("05.3", lambda logits, targets: 0.5, "mean of −log p"),
    ("05.3", lambda logits, targets: logits, "one number"),
    (
        "05.4",
        lambda s, h, W: s @ (W.T if W.shape[0] == W.shape[1] else W) @ h.T,
        "Wᵀ is used",
    ),
    ("05.4", lambda s, h, W: s @ W @ h.T + (s @ np.ones(3))[:, None], "a bias was added"),
    ("05.4", lambda s, h, W: softmax(s @ W @ h.T), "before the softmax"),
    ("05.4", lambda s, h, W: np.tanh(s @ W @ h.T), "no tanh"),
    ("05.4", lambda s, h, W: s @ h.T if len(W) == len(W.T) else s, "dot score"),
    ("05.4", lambda s, h, W: (s @ W @ h.T).T, "a row a written word"),
    ("05.4", lambda s, h, W: 2 * s @ W @ h.T, "row t, column s"),
    ("05.5", lambda step, state, length: decode(step, state, length, start=0), "<sos>"),
    ("05.5", lambda step, state, length: decode(step, state, length, end=-1), "behind <eos>"),
    ("05.5", lambda step, state, length: decode(step, state, length, keep=True), "a signal"),
    ("05.5", lambda step, state, length: decode(step, state, length, own=False), "own one"),
    ("05.5", lambda step, state, length: decode(step, state, length, carry=False), "new state"),
    ("05.5", lambda step, state, length: decode(step, state, length, bound=1), "one too many"),
    ("05.5", lambda step, state, length: decode(step, state, length, bound=2), "length = 6"),
    ("05.5", lambda step, state, length: [2, *decode(step, state, length)], "was given"),
    ("05.5", unbounded, "does not stop"),
    ("05.5", lambda step, state, length: decode(step, state, length) or [1], "at once"),
    ("05.5", lambda step, state, length: 7, "a list of word ids"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="the softmax is missing"):
        checks.check("05.1", lambda s, h: (s @ h.T, s @ h.T @ h))
