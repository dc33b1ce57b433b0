"""Check of lecture 06: decoding with kept keys and values."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, refuse
from course_utils.numpy_ref.attention import softmax


@exercise("06.5", solved="Every token's key and value is made once, and never again.")
def cached_step(answer):
    """One step of decoding with kept keys and values."""
    draw = np.random.default_rng(0)
    tokens, d, d_k = 5, 6, 4
    X, table = draw.normal(size=(tokens, d)), draw.normal(size=(8, d))
    W_Q, W_K, W_V = draw.normal(size=(3, d, d_k)) / d
    placed = X + table[:tokens]
    Q, K, V = placed @ W_Q, placed @ W_K, placed @ W_V
    keys, values = np.zeros((0, d_k)), np.zeros((0, d_k))
    for t in range(tokens):
        given = X[t].copy(), table.copy(), keys.copy(), values.copy(), W_Q, W_K, W_V
        got = call(answer, *given)
        require(
            isinstance(got, (tuple, list)) and len(got) == 3,
            "return three things: the output, the keys and the values",
        )
        where = f"token {t + 1}: "
        require(
            np.shape(got[1]) != (t, d_k) or np.shape(got[2]) != (t, d_k),
            f"{where}the cache did not grow; the next token needs this one's key and value",
        )
        output = array(got[0], (d_k,), f"{where}the output is one vector; ")
        new_keys = array(got[1], (t + 1, d_k), f"{where}a key for each token so far; ")
        new_values = array(got[2], (t + 1, d_k), f"{where}a value for each token so far; ")
        _explain(where, X[t], table, t, (new_keys, new_values), (W_Q, W_K, W_V), keys)
        scores = K[: t + 1] @ Q[t]
        weights = softmax(scores / np.sqrt(d_k))
        alone = softmax(scores[:t] / np.sqrt(d_k)) @ V[:t] if t else np.zeros(d_k)
        refuse(
            output,
            [
                (
                    [softmax(scores) @ V[: t + 1]] if t else [],
                    f"{where}the scale √d_k is missing",
                ),
                (
                    [softmax(scores / np.sqrt(d)) @ V[: t + 1]] if t else [],
                    f"{where}divided by the width of x; the scores are sums over d_k products",
                ),
                (
                    [softmax(K[: t + 1] @ (X[t] @ W_Q) / np.sqrt(d_k)) @ V[: t + 1]]
                    if t
                    else [],
                    f"{where}the query needs its position, too",
                ),
                (
                    [alone] if t else [],
                    f"{where}it may look at itself, too: append key and value before looking",
                ),
                (
                    [weights @ K[: t + 1]],
                    f"{where}the weights average the values, not the keys",
                ),
                (
                    [V[: t + 1].mean(axis=0), V[t]] if t else [],
                    f"{where}the weights come from its query and all keys",
                ),
                (
                    [softmax(K[: t + 1] @ X[t, :d_k] / np.sqrt(d_k)) @ V[: t + 1]] if t else [],
                    f"{where}the query is (x + position) times W_Q",
                ),
            ],
        )
        require(
            close(output, weights @ V[: t + 1]),
            f"{where}not what causal attention over the whole gives: scores of the new query "
            "with all keys, softmax, average of all values",
        )
        keys, values = K[: t + 1], V[: t + 1]


def _explain(where, x, table, t, grown, weights, kept):
    """Refuse new keys and values that are not those of token t."""
    _, W_K, W_V = weights
    key, value = grown[0][-1], grown[1][-1]
    truth = x + table[t]
    require(
        len(kept) == 0 or close(grown[0][:-1], kept),
        f"{where}the kept keys have to stay as they are, in front; the new one comes last",
    )
    require(
        t == 0 or not close(key, (x + table[0]) @ W_K),
        f"{where}the position is always 0: the second token differs from the first. It stands "
        f"behind {t} others, so its position is len(keys)",
    )
    require(
        not close(key, x @ W_K), f"{where}the position is missing: x + positions[len(keys)]"
    )
    require(
        not close(key, (x + table[t + 1]) @ W_K),
        f"{where}positions count from 0: its own is len(keys) before the new key is appended",
    )
    require(
        not (close(key, truth @ W_V) and close(value, truth @ W_K)),
        f"{where}keys and values have changed places",
    )
    require(
        close(key, truth @ W_K) and close(value, truth @ W_V),
        f"{where}its key is (x + position) @ W_K, its value (x + position) @ W_V",
    )
