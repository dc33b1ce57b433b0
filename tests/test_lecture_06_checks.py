"""The checks of lecture 06: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks
from course_utils.numpy_ref.attention import decoder_mask, softmax, split_heads


def scaled(Q, K, num_heads, by=lambda d_k, num_heads: np.sqrt(d_k)):
    return Q @ K.T / by(Q.shape[-1], num_heads)


def cosine(Q, K, num_heads):
    return scaled(Q / np.linalg.norm(Q, axis=1)[:, None], K, 1, lambda *_: 1) / np.linalg.norm(
        K, axis=1
    )


def causal(T):
    return np.tril(np.ones((T, T), bool))


def both(ids, join=np.logical_and, rows=False):
    real = np.asarray(ids) != 0
    return join(causal(real.shape[1]), real[..., None] if rows else real[:, None])


def step(x, table, keys, values, W_Q, W_K, W_V, **mistake):
    """The right step, and its plausible mistakes."""
    place = mistake.get("place", len)(keys)
    asks = x
    x = x + (0 if place is None else table[place])
    asks = (asks if mistake.get("unplaced") else x) @ W_Q
    old = keys, values
    keys = np.concatenate([keys, [x @ W_K]])
    values = np.concatenate([values, [x @ W_V]])
    if mistake.get("in_front"):
        keys, values = np.roll(keys, 1, axis=0), np.roll(values, 1, axis=0)
    seen = old if mistake.get("blind") and len(old[0]) else (keys, values)
    width = len(x) if mistake.get("width") else keys.shape[1]
    scores = seen[0] @ asks / (1 if mistake.get("unscaled") else np.sqrt(width))
    read = seen[0] if mistake.get("keys_twice") else seen[1]
    output = softmax(scores) @ read
    if mistake.get("forgets"):
        keys, values = old
    return (output, values, keys) if mistake.get("swapped") else (output, keys, values)


def mistaken(**mistake):
    return lambda *given: step(*given, **mistake)


SOLUTIONS = {
    "06.1": scaled,
    "06.2": causal,
    "06.3": lambda x, num_heads: split_heads(x, num_heads),
    "06.4": lambda ids: decoder_mask(np.asarray(ids)),
    "06.5": step,
}

WRONG = [
    ("06.1", lambda Q, K, h: Q @ K.T, "before scaling"),
    ("06.1", lambda Q, K, h: scaled(Q, K, h, lambda d, h: d), "it should be 1"),
    ("06.1", lambda Q, K, h: scaled(Q, K, h, lambda d, h: np.sqrt(d * h)), "the heads share d"),
    ("06.1", lambda Q, K, h: scaled(Q, K, h, lambda d, h: np.sqrt(h)), "has no part in it"),
    ("06.1", lambda Q, K, h: scaled(Q, K, h, lambda d, h: np.sqrt(d // h)), "one head already"),
    ("06.1", lambda Q, K, h: Q @ K.T / np.sqrt(len(K)), "not the number of tokens"),
    ("06.1", lambda Q, K, h: Q @ K.T * np.sqrt(Q.shape[1]), "do not multiply"),
    ("06.1", lambda Q, K, h: softmax(scaled(Q, K, h)), "without the softmax"),
    ("06.1", cosine, "that is the cosine"),
    ("06.1", lambda Q, K, h: Q @ K.T + 1, "over √d_k"),
    ("06.1", lambda Q, K, h: K @ Q.T, "a row for each query"),
    ("06.2", lambda T: causal(T).T, "sees all"),
    ("06.2", lambda T: np.tril(np.ones((T, T), bool), -1), "row 1 is empty"),
    ("06.2", lambda T: ~causal(T), "not “hide”"),
    ("06.2", lambda T: np.ones((T, T)), "future has to be hidden"),
    ("06.2", lambda T: np.eye(T), "earlier tokens"),
    ("06.2", lambda T: np.tril(np.ones((T, T)), 1), "at no others"),
    ("06.2", lambda T: np.where(causal(T), 0, -np.inf), "comes in later"),
    ("06.2", lambda T: T, "one field for each pair"),
    (
        "06.3",
        lambda x, h: x.reshape(len(x), h, x.shape[1], x.shape[2] // h),
        "you mixed time and head",
    ),
    (
        "06.3",
        lambda x, h: x.reshape(len(x), x.shape[1], h, x.shape[2] // h),
        "cut, but not turned",
    ),
    (
        "06.3",
        lambda x, h: np.repeat(x[:, None], h, axis=1),
        "times the parameters",
    ),
    (
        "06.3",
        lambda x, h: np.moveaxis(x.reshape(*x.shape[:2], -1, h), 3, 1),
        "neighbouring columns",
    ),
    ("06.3", lambda x, h: split_heads(x, h)[:, ::-1], "columns i·d_k"),
    ("06.3", lambda x, h: x, "(batch, heads, tokens, d_k)"),
    ("06.4", lambda ids: both(ids, np.logical_or), "with OR the pads"),
    ("06.4", lambda ids: both(ids, rows=True), "on the query axis"),
    ("06.4", lambda ids: both(ids) & both(ids, rows=True), "leave them open"),
    ("06.4", lambda ids: np.repeat(causal(4)[None], 3, axis=0), "the pads are not hidden"),
    ("06.4", lambda ids: np.repeat((ids != 0)[:, None], 4, axis=1), "the future is not hidden"),
    ("06.4", lambda ids: ~both(ids), "not “hide”"),
    ("06.4", lambda ids: causal(4).T & (ids != 0)[:, None], "turned over"),
    ("06.4", lambda ids: np.tril(both(ids), -1), "row 1 is empty"),
    ("06.4", lambda ids: both(np.sort(ids == 0) == 0), "need not stand at the end"),
    ("06.4", lambda ids: both(np.where(np.asarray(ids) > 3, ids, 0)), "only 0 is a pad"),
    ("06.4", lambda ids: np.zeros((3, 4, 4)), "along the last axis"),
    ("06.4", lambda ids: causal(4), "each pair"),
    ("06.5", mistaken(place=lambda keys: 0), "the second token differs"),
    ("06.5", mistaken(place=lambda keys: None), "the position is missing"),
    ("06.5", mistaken(place=lambda keys: len(keys) + 1), "count from 0"),
    ("06.5", mistaken(blind=True), "look at itself"),
    ("06.5", mistaken(unscaled=True), "the scale"),
    ("06.5", mistaken(width=True), "the width of x"),
    ("06.5", mistaken(unplaced=True), "needs its position"),
    ("06.5", mistaken(keys_twice=True), "not the keys"),
    ("06.5", mistaken(forgets=True), "did not grow"),
    ("06.5", mistaken(swapped=True), "changed places"),
    ("06.5", mistaken(in_front=True), "the new one comes last"),
    ("06.5", lambda *given: step(*given)[0], "return three things"),
    ("06.5", lambda *given: (2 * step(*given)[0], *step(*given)[1:]), "causal attention"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="row 1 is empty"):
        checks.check("06.2", lambda T: np.tril(np.ones((T, T), bool), -1))
