"""Lecture 08: token mixing, the split gate and how it starts, which tokens reach which.

S tokens of C channels; D units before the gate.
"""

import numpy as np

from course_utils.numpy_ref.mixer import gelu


def norm(x):
    """Every token to mean 0 and deviation 1 over its channels: LayerNorm, nothing learned."""
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def mix_tokens(x, W_1, W_2):
    """Mixer's first equation: x plus what two layers over the tokens make of norm(x).

    Each of the C channels goes through the same two layers, with GELU between them and without
    biases. `norm` normalises every row of what it gets; `gelu` is the exact one.

    Args:
        x: (S, C).
        W_1, W_2: (S, D_S) and (D_S, S), to the right of what they multiply.

    Returns:
        An array (S, C).
    """
    return x + (gelu(norm(x).T @ W_1) @ W_2).T


def split_gate(z, W, b):
    """gMLP's gate: Z_1 ⊙ (W norm(Z_2) + b), with Z_1 and Z_2 the halves of every token.

    `norm` normalises every row of what it gets.

    Args:
        z: (S, D). Z_1 is the first half of the channels, which passes.
        W: (S, S), whose row i is about output token i.
        b: (S,), one number a token.

    Returns:
        An array (S, D/2).
    """
    half = z.shape[-1] // 2
    return z[:, :half] * (W @ norm(z[:, half:]) + b[:, None])


def new_gate(S):
    """W and b of a new split gate for S tokens, which lets Z_1 pass unchanged.

    Returns:
        A pair of NumPy arrays: W (S, S) and b (S,).
    """
    return np.zeros((S, S)), np.ones(S)


def influence(block, x):
    """Find out which input tokens change which output tokens.

    Args:
        block: a function from (S, C) to (S, C).
        x: (S, C), not to be changed.

    Returns:
        A boolean array (S, S): True in row i, column j, where any channel of output token i
        changes by more than 0.0001 when input token j is replaced by random numbers.
    """
    before, changes = block(x), []
    for token in range(len(x)):
        replaced = np.array(x)
        replaced[token] = np.random.default_rng(token).normal(size=x.shape[1])
        changes.append(np.abs(block(replaced) - before).max(axis=1) > 1e-4)
    return np.array(changes).T


def double_resolution(W, side):
    """Enlarge a gate's W to images of twice the side, so that each token becomes 2×2.

    When all four children equal their parent, each child receives what the parent received.

    Args:
        W: (S, S), learned for S = side · side tokens, numbered row by row.
        side: the number of tokens along one side.

    Returns:
        An array (4S, 4S).
    """
    grid = W.reshape(side, side, side, side)
    for axis in range(4):
        grid = np.repeat(grid, 2, axis=axis)
    return grid.reshape(4 * side**2, 4 * side**2) / 4
