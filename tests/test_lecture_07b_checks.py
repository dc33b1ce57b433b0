"""The checks of lab 07b: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref.cells import weights_by_cell


def shift(digits, end=True, copy=False, last=False, start=True):
    count = len(digits)
    empty = np.zeros((count, 1), int)
    ids = np.concatenate([np.full((count, 1), 2 if start else 0), digits], axis=1)
    targets = np.concatenate([digits, empty], axis=1)
    if end:
        places = np.full(count, -1) if last else (digits != 0).sum(axis=1)
        targets[np.arange(count), places] = 3
    return (targets, targets) if copy else (ids, targets)


def read_end(digits):
    ids, targets = shift(digits)
    ids[0, -1] = 3
    return ids, targets


def right(written, targets, end=True, behind=False):
    real = (targets != 0) | behind
    real &= end | (targets != 3)
    return ((written == targets) | ~real).all(axis=1)


def exact(written, targets):
    return right(written, targets).mean()


def each(written, targets, pads=False, end=False):
    counted = np.ones(targets.shape, bool) if pads else (targets != 0)
    return (written == targets)[counted & (end | (targets != 3))].mean()


def read(logits_of, length, place=None, own=True, keep=False, end=3, short=0, start=2):
    ids = np.zeros((1, length), int)
    ids[0, 0] = start
    written = []
    for step in range(length - short):
        token = int(logits_of(ids)[0, step if place is None else place].argmax())
        if token == end and not keep:
            break
        written.append(token)
        if token == end:
            break
        if step + 1 < length:
            ids[0, step + 1] = token if own else 9
    return written


def growing(logits_of, length):
    ids, written = np.array([[2]]), []
    for _ in range(length):
        token = int(logits_of(ids)[0, -1].argmax())
        if token == 3:
            break
        written.append(token)
        ids = np.append(ids, [[token]], axis=1)
    return written


def filled(logits_of, length):
    ids = np.full((1, length), 9)
    ids[0, 0] = 2
    return [int(logits_of(ids)[0, 0].argmax())]


def unbounded(logits_of, length):
    ids, token, written = np.zeros((1, length), int), 0, []
    ids[0, 0] = 2
    while token != 3:
        token = int(logits_of(ids)[0, min(len(written), length - 1)].argmax())
        written.append(token)
        if len(written) < length:
            ids[0, len(written)] = token
    return written[:-1]


def mass(weights):
    return weights_by_cell(weights.mean(axis=0), 2)


def wrong_reshape(weights):
    half = round(weights.shape[-1] ** 0.5) // 2
    return weights.mean(axis=0).reshape(5, 2, 2, half, half).sum(axis=(-1, -2)).reshape(5, 4)


def columns_first(weights):
    return mass(weights)[:, [0, 2, 1, 3]]


def every_second(weights):
    half = round(weights.shape[-1] ** 0.5) // 2
    return weights.mean(axis=0).reshape(5, half, 2, half, 2).sum(axis=(1, 3)).reshape(5, 4)


def settings(pictures, targets, vocabulary, **other):
    pictures = np.asarray(pictures)
    return {
        "image": pictures.shape[1:3],
        "channels": pictures.shape[3],
        "vocab_size": len(vocabulary),
        "max_length": np.asarray(targets).shape[1],
    } | other


SOLUTIONS = {
    "07b.1": lambda digits: shift(np.asarray(digits, int)),
    "07b.2": lambda written, targets: exact(np.asarray(written), np.asarray(targets)),
    "07b.3": read,
    "07b.4": lambda weights: mass(np.asarray(weights)),
    "07b.5": settings,
}

WRONG = [
    ("07b.1", lambda digits: shift(digits, copy=True), "learn to copy"),
    ("07b.1", lambda digits: shift(digits, end=False), "never learns to stop"),
    ("07b.1", lambda digits: shift(digits, last=True), "right behind the last digit"),
    ("07b.1", lambda digits: shift(digits, start=False), "begins with <sos>"),
    ("07b.1", read_end, "never has to read <eos>"),
    ("07b.1", lambda digits: shift(digits)[::-1], "begins with <sos>"),
    (
        "07b.1",
        lambda digits: (shift(digits)[0], np.where(shift(digits)[1] == 3, 2, 7)),
        "never written",
    ),
    ("07b.1", lambda digits: (shift(digits)[0] * 0 + 2, shift(digits)[1]), "the first"),
    ("07b.1", lambda digits: (shift(digits)[0], shift(digits)[1] * 0 + 3), "the second"),
    ("07b.1", lambda digits: 7, "return two things"),
    ("07b.1", lambda digits: (digits, digits), "shape"),
    ("07b.2", lambda w, t: (w == t).all(axis=1).mean(), "stop at the end sign"),
    ("07b.2", lambda w, t: right(w, t, end=False).mean(), "has to be right as well"),
    ("07b.2", each, "accuracy a digit"),
    ("07b.2", lambda w, t: each(w, t, end=True), "accuracy a token"),
    ("07b.2", lambda w, t: each(w, t, pads=True, end=True), "pads are counted"),
    ("07b.2", lambda w, t: 1 - exact(w, t), "share of wrong"),
    ("07b.2", lambda w, t: right(w, t).sum(), "number of right"),
    ("07b.2", lambda w, t: 0.1, "have to agree"),
    ("07b.2", right, "one number"),
    (
        "07b.3",
        lambda logits, length: read(logits, length, place=-1),
        "at step k read position k",
    ),
    ("07b.3", lambda logits, length: read(logits, length, own=False), "teacher forcing"),
    ("07b.3", lambda logits, length: read(logits, length, keep=True), "a signal"),
    ("07b.3", lambda logits, length: read(logits, length, end=-1), "behind <eos>"),
    ("07b.3", lambda logits, length: read(logits, length, short=1), "needs no place"),
    ("07b.3", lambda logits, length: read(logits, length, start=1), "has to be <sos>"),
    ("07b.3", growing, "one shape"),
    ("07b.3", lambda logits, length: read(logits, length)[:0], "append each token"),
    ("07b.3", lambda logits, length: read(logits, length, place=0), "of position k"),
    ("07b.3", filled, "behind the tokens"),
    ("07b.3", unbounded, "does not stop"),
    ("07b.3", lambda logits, length: [5], "never called"),
    ("07b.3", lambda logits, length: read(logits, length)[:3], "stood before"),
    ("07b.3", lambda logits, length: read(logits, length) or [1], "at once"),
    (
        "07b.3",
        lambda logits, length: logits(np.array([[2] + [0] * (length - 1)])).size,
        "a list",
    ),
    ("07b.4", wrong_reshape, "two cells"),
    ("07b.4", lambda weights: np.tile(mass(weights).mean(axis=0), (5, 1)), "a map of its own"),
    ("07b.4", lambda weights: mass(weights) * len(weights), "added up"),
    ("07b.4", lambda weights: mass(weights) * 4 / weights.shape[-1], "is a sum"),
    ("07b.4", columns_first, "row by row"),
    ("07b.4", every_second, "every second"),
    ("07b.4", lambda weights: weights_by_cell(weights[0], 2), "first head"),
    ("07b.4", lambda weights: mass(weights) * 0.9, "add up to 1"),
    ("07b.4", lambda weights: mass(weights)[:, ::-1], "mean of the heads"),
    ("07b.4", lambda weights: weights.mean(axis=0), "a column a cell"),
    ("07b.5", lambda p, t, v: settings(p, t, v, vocab_size=13), "has no class"),
    ("07b.5", lambda p, t, v: settings(p, t, v, patch=8), "still patches"),
    ("07b.5", lambda p, t, v: settings(p, t, v, vocab_size=6), "have rows"),
    ("07b.5", lambda p, t, v: settings(p, t, v, vocab_size=7), "what these targets hold"),
    ("07b.5", lambda p, t, v: settings(p, t, v, vocab_size=9), "do not hold has a row"),
    ("07b.5", lambda p, t, v: settings(p, t, v, vocab_size=11), "10 here"),
    ("07b.5", lambda p, t, v: settings(p, t, v, max_length=None), "one number"),
    ("07b.5", lambda p, t, v: settings(p, t, v, max_length=t), "one number"),
    ("07b.5", lambda p, t, v: settings(p, t, v, max_length=6), "<eos> needs a step"),
    ("07b.5", lambda p, t, v: settings(p, t, v, max_length=5), "have 9 steps"),
    ("07b.5", lambda p, t, v: settings(p, t, v, max_length=10), "are enough"),
    ("07b.5", lambda p, t, v: settings(p, t, v, image=p.shape[1:]), "the colours are"),
    ("07b.5", lambda p, t, v: settings(p, t, v, image=24), "40 wide"),
    ("07b.5", lambda p, t, v: settings(p, t, v, channels=1), "have 3"),
    ("07b.5", lambda p, t, v: {"image": p.shape[1:3]}, "there is no channels"),
    ("07b.5", lambda p, t, v: 4, "return a dict"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="learn to copy"):
        checks.check("07b.1", lambda digits: shift(digits, copy=True))
