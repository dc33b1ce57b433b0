"""Sinusoidal positions in plain NumPy, and the rotation that moves them.

    PE(p, 2i) = sin(p / 10000^(2i/d))      PE(p, 2i+1) = cos(p / 10000^(2i/d))

Source: Vaswani et al., "Attention is all you need" (2017), section 3.5.
"""

import numpy as np


def frequencies(embed_dim):
    """How many radians each pair of channels turns a token: (embed_dim / 2,), from 1 downwards.

    Raises:
        ValueError: for an odd embed_dim; sine and cosine come in pairs.
    """
    if embed_dim % 2 or embed_dim < 2:
        raise ValueError(f"embed_dim has to be even and at least 2, got {embed_dim}")
    return 10000.0 ** (-np.arange(0, embed_dim, 2) / embed_dim)


def sinusoidal_positions(tokens, embed_dim):
    """A vector for each position 0 … tokens - 1: (tokens, embed_dim), sine, cosine by turns."""
    angles = np.arange(tokens)[:, None] * frequencies(embed_dim)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, embed_dim)


def rotation(embed_dim, k):
    """The matrix R_k (embed_dim, embed_dim) with PE(p + k) = R_k PE(p) for every p.

    Each pair (sine, cosine) is turned by its own angle, k times its frequency.
    """
    R = np.zeros((embed_dim, embed_dim))
    for pair, angle in enumerate(k * frequencies(embed_dim)):
        sine, cosine = np.sin(angle), np.cos(angle)
        here = slice(2 * pair, 2 * pair + 2)
        R[here, here] = [[cosine, sine], [-sine, cosine]]
    return R
