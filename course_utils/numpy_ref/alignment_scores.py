"""How well does a decoder state fit each encoder state? Four scores in plain NumPy.

Shapes: query (…, T, d_s), the decoder states s; keys (…, S, d_h), the encoder states h; every
score (…, T, S), a row for each target token, a column for each source token. Leading axes (a
batch) go along. Rows are multiplied from the left, so that a W is Keras' kernel.

Sources: Luong, Pham and Manning, "Effective approaches to attention-based neural machine
translation" (2015), equation 8; Bahdanau, Cho and Bengio, "Neural machine translation by
jointly learning to align and translate" (2015), appendix A.1.2.
"""

import numpy as np


def dot_score(query, keys):
    """s · h, for states of equal width (Luong, "dot")."""
    return query @ np.swapaxes(keys, -1, -2)


def general_score(query, keys, W):
    """s W h, with W (d_s, d_h) and no bias (Luong, "general"); the widths may differ."""
    return query @ W @ np.swapaxes(keys, -1, -2)


def concat_score(query, keys, W_c, v):
    """v · tanh([s; h] W_c), with W_c (d_s + d_h, units) and v (units,) (Luong, "concat")."""
    T, S = query.shape[-2], keys.shape[-2]
    queries = np.repeat(query[..., :, None, :], S, axis=-2)
    keys = np.repeat(keys[..., None, :, :], T, axis=-3)
    return np.tanh(np.concatenate([queries, keys], axis=-1) @ W_c) @ v


def additive_score(query, keys, W_s, W_h, v):
    """v · tanh(s W_s + h W_h), with W_s (d_s, units), W_h (d_h, units), v (units,) (Bahdanau).

    The same numbers as `concat_score` with W_c = [W_s; W_h], the one laid above the other.
    """
    sums = (query @ W_s)[..., :, None, :] + (keys @ W_h)[..., None, :, :]
    return np.tanh(sums) @ v
