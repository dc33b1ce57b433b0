"""Lecture 06: the Transformer in plain NumPy."""

import numpy as np

from course_utils.numpy_ref.attention import softmax


def scaled_scores(Q, K, num_heads):
    """Return the scaled scores of one head, before the softmax.

    Args:
        Q: the head's queries, (T, d_k).
        K: the head's keys, (S, d_k).
        num_heads: how many such heads the layer has.

    Returns:
        The scores QKᵀ, (T, S), scaled as in the paper.
    """
    return Q @ K.T / np.sqrt(Q.shape[-1])


def causal_attention_mask(T):
    """Return which tokens a token may attend to: itself and all earlier ones.

    Returns:
        bool (T, T): True where the token of the row may attend to the token of the column.
    """
    return np.tril(np.ones((T, T), bool))


def decoder_mask(ids):
    """Return which tokens a decoder's tokens may attend to: no later token, and no pad.

    Args:
        ids: int (batch, T), 0 for pads, which may stand anywhere.

    Returns:
        bool (batch, T, T): True where the token of the row may attend to the token of the
        column. The rows of pads obey the same rule as all others: nothing reads them.
    """
    T = ids.shape[-1]
    return np.tril(np.ones((T, T), bool)) & (ids != 0)[..., None, :]


def cached_step(x, positions, keys, values, W_Q, W_K, W_V):
    """Run one head of causal self-attention on one new token, with cached keys and values.

    Args:
        x: the new token's embedding, (d,), its position not yet added.
        positions: the table of positions, (max_length, d); row p belongs to the p-th token.
        keys, values: those of the t tokens before, (t, d_k) each.
        W_Q, W_K, W_V: (d, d_k) each.

    Returns:
        The new token's output, (d_k,), then all keys and all values so far, (t + 1, d_k) each.
    """
    x = x + positions[len(keys)]
    keys = np.concatenate([keys, [x @ W_K]])
    values = np.concatenate([values, [x @ W_V]])
    weights = softmax(keys @ (x @ W_Q) / np.sqrt(keys.shape[1]))
    return weights @ values, keys, values
