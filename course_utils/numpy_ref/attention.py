"""Attention in plain NumPy: weights from scores, an average of values.

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
