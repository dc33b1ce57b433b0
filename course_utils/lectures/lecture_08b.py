"""Lab 08b: how gates start, W tied by distance, attention inside a gate, bands in W."""

import numpy as np

from course_utils.numpy_ref.attention import softmax


def initial_weights(gate, S, draw):
    """W and b of a new gate for S tokens, sampled so that training can start.

    f(Z) = W norm(Z) + b. An additive gate, Z + f(Z), a multiplicative one, Z ⊙ f(Z), and a
    split one, Z_1 ⊙ f(Z_2), return Z (or Z_1) within 0.01. A linear gate returns f(Z): numbers
    of about the size of norm(Z), other ones for each token, and nothing that is added to all.

    Args:
        gate: "linear", "additive", "multiplicative" or "split".
        S: the number of tokens.
        draw: a `numpy.random.Generator`.

    Returns:
        A pair of arrays: W (S, S) and b (S,).
    """
    size = (3 / S) ** 0.5 if gate == "linear" else 1e-4 / S
    b = np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)
    return draw.uniform(-size, size, (S, S)), b


def toeplitz(t):
    """One weight for each distance: W (S, S) with W[i, j] = t[i − j + S − 1].

    t: an array (2S − 1,).
    """
    S = (len(t) + 1) // 2
    return t[np.arange(S)[:, None] - np.arange(S) + S - 1]


def attentive_gate(passed, mixed, q, k, v, W_O):
    """Tiny attention inside the split gate: Z_1 ⊙ (mixed + softmax(q kᵀ / √w) v W_O).

    `softmax` normalises the last axis.

    Args:
        passed: Z_1, (S, D/2).
        mixed: W norm(Z_2) + b, (S, D/2).
        q, k, v: query, key and value of the S tokens, (S, w) each.
        W_O: (w, D/2).

    Returns:
        An array (S, D/2).
    """
    return passed * (mixed + softmax(q @ k.T / q.shape[1] ** 0.5) @ v @ W_O)


def band_share(W):
    """How much of W's squared weight its diagonals' means explain, and how much by chance.

    Args:
        W: (S, S).

    Returns:
        Two numbers from 0 to 1: the share Σ_d n_d m_d² / Σ_ij W_ij², where diagonal d has n_d
        entries with the mean m_d; and its mean for independent entries, the number of
        diagonals over the number of entries. A Toeplitz matrix has the share 1.
    """
    S, explained = len(W), 0.0
    for offset in range(1 - S, S):
        diagonal = np.diagonal(W, offset)
        explained += len(diagonal) * diagonal.mean() ** 2
    return explained / (W**2).sum(), (2 * S - 1) / S**2
