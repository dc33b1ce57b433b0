"""Sinusoidal positions in plain NumPy, and the rotation that moves them.

    PE(p, 2i) = sin(p / 10000^(2i/d))      PE(p, 2i+1) = cos(p / 10000^(2i/d))

Source: Vaswani et al., "Attention is all you need" (2017), section 3.5.
"""

import numpy as np


def frequencies(dim):
    """How many radians each pair of channels turns a token: (dim / 2,), from 1 downwards.

    Raises:
        ValueError: for an odd dim; sine and cosine come in pairs.
    """
    if dim % 2 or dim < 2:
        raise ValueError(f"dim has to be even and at least 2, got {dim}")
    return 10000.0 ** (-np.arange(0, dim, 2) / dim)


def sinusoidal_positions(tokens, dim):
    """A vector for each position 0 … tokens - 1: (tokens, dim), sine and cosine by turns."""
    angles = np.arange(tokens)[:, None] * frequencies(dim)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, dim)


def rotation(dim, k):
    """The matrix R_k (dim, dim) with PE(p + k) = R_k PE(p), whatever the position p.

    Each pair (sine, cosine) is turned by its own angle, k times its frequency.
    """
    R = np.zeros((dim, dim))
    for pair, angle in enumerate(k * frequencies(dim)):
        sine, cosine = np.sin(angle), np.cos(angle)
        here = slice(2 * pair, 2 * pair + 2)
        R[here, here] = [[cosine, sine], [-sine, cosine]]
    return R
