"""Attention in plain NumPy: weights from scores, an average of values, several heads, masks.

Shapes: query (…, T, d), keys (…, S, d), values (…, S, d_v), scores and weights α (…, T, S).
Leading axes (batch, heads) go along. A mask is True where a token may be looked at, as in
Keras, and has to fit (…, T, S), a side of 1 standing for all.

Sources: Bahdanau, Cho and Bengio (2015), equations 5 and 6; Luong, Pham and Manning (2015),
equation 5; Vaswani et al., "Attention is all you need" (2017), equation 1 and section 3.2.2.
"""

import numpy as np


def softmax(scores, mask=None):
    """Turn each row of scores into weights that sum to 1; a masked place gets exactly 0.

    The mask works before the exponential. A row without any open place becomes all zeros.
    """
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total > 0, total, 1)


def context(weights, values):
    """c_t = Σ_s α_ts · value_s: the average of the values by weight, (…, T, d_v)."""
    return weights @ values


def attention_vector(context, query, W_c):
    """Luong's ã_t = tanh([c_t; s_t] W_c), with W_c (d_v + d, units) and no bias."""
    return np.tanh(np.concatenate([context, query], axis=-1) @ W_c)


def scaled_dot_product(query, keys, values, mask=None):
    """softmax(QKᵀ / √d_k) V: the output (…, T, d_v) and the weights (…, T, S)."""
    scores = query @ np.swapaxes(keys, -1, -2) / query.shape[-1] ** 0.5
    weights = softmax(scores, mask)
    return weights @ values, weights


def split_heads(x, num_heads):
    """Cut each vector into heads: (…, tokens, d) becomes (…, heads, tokens, d / heads).

    Raises:
        ValueError: where d cannot be cut into so many equal parts.
    """
    *batch, tokens, embed_dim = x.shape
    if embed_dim % num_heads:
        raise ValueError(
            f"embed_dim has to be divisible by num_heads, "
            f"got embed_dim={embed_dim}, num_heads={num_heads}"
        )
    return np.swapaxes(x.reshape(*batch, tokens, num_heads, embed_dim // num_heads), -3, -2)


def merge_heads(x):
    """Lay the heads side by side again: (…, heads, tokens, d_k) becomes (…, tokens, d)."""
    x = np.swapaxes(x, -3, -2)
    return x.reshape(*x.shape[:-2], -1)


def multi_head(query, values, weights, num_heads, mask=None):
    """Look from every query token at all value tokens, in several heads at once.

    Args:
        query: (…, T, d).
        values: (…, S, d), the query itself for self-attention; keys are made of it as well.
        weights: W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O; each W (d, d), each b (d,).
        mask: (…, T, S), the same for every head.

    Returns:
        The output (…, T, d) and the weights α (…, heads, T, S).
    """
    W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O = weights
    Q = split_heads(query @ W_Q + b_Q, num_heads)
    K = split_heads(values @ W_K + b_K, num_heads)
    V = split_heads(values @ W_V + b_V, num_heads)
    mask = None if mask is None else mask[..., None, :, :]
    found, alpha = scaled_dot_product(Q, K, V, mask)
    return merge_heads(found) @ W_O + b_O, alpha


def causal_mask(T):
    """True where a token may look: at itself and at earlier ones, (T, T)."""
    return np.tril(np.ones((T, T), bool))


def padding_mask(ids):
    """True at the real tokens, along the keys: ids (…, S) give (…, 1, S)."""
    return (ids != 0)[..., None, :]


def decoder_mask(ids):
    """Neither a later token nor a pad: both masks at once, ids (…, T) give (…, T, T)."""
    return causal_mask(ids.shape[-1]) & padding_mask(ids)
