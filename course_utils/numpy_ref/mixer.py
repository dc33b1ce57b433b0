"""MLP-Mixer in plain NumPy: mix the tokens, then the channels.

    U = X + W_2 σ(W_1 LayerNorm(X))       every column, that is every channel, over the tokens
    Y = U + σ(LayerNorm(U) W_3) W_4       every row, that is every token, over the channels

Shapes: X (…, S, C), S tokens of C channels. As in the layers, each W stands to the right of
what it multiplies, and the tokens are laid into the last axis for it: token mixing has
W_1 (S, D_S), b_1 (D_S,), W_2 (D_S, S), b_2 (S,); channel mixing W_3 (C, D_C), b_3 (D_C,),
W_4 (D_C, C), b_4 (C,).

Sources: Tolstikhin et al., "MLP-Mixer: An all-MLP architecture for vision" (2021), equation 1
(both lines); Hendrycks and Gimpel, "Gaussian error linear units" (2016), section 2.
"""

import numpy as np
from scipy.special import erf

from course_utils.lectures.lecture_06 import layer_norm


def gelu(x):
    """x Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2, the share of a normal draw below x."""
    return x * (1 + erf(x / 2**0.5)) / 2


def gelu_tanh(x):
    """An approximation of `gelu`: at most 5e-4 away from it."""
    return x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2


def mlp(x, W_1, b_1, W_2, b_2, activation=gelu):
    """σ(x W_1 + b_1) W_2 + b_2, over the last axis of x."""
    return activation(x @ W_1 + b_1) @ W_2 + b_2


def token_mixing(x, weights, activation=gelu):
    """The same two layers for every channel, over its S tokens: (…, S, C) → (…, S, C)."""
    return np.swapaxes(mlp(np.swapaxes(x, -1, -2), *weights, activation), -1, -2)


def channel_mixing(x, weights, activation=gelu):
    """The same two layers for every token, over its C channels: (…, S, C) → (…, S, C)."""
    return mlp(x, *weights, activation)


def mixer_block(x, weights, activation=gelu):
    """Both mixings, each behind a norm of its own and added to what it read: (…, S, C).

    Args:
        x: (…, S, C).
        weights: a dictionary: "token_norm" and "channel_norm" hold gain and shift (C,) each,
            "token_mixing" W_1, b_1, W_2, b_2 and "channel_mixing" W_3, b_3, W_4, b_4.
        activation: σ, `gelu` or `gelu_tanh`.
    """
    x = x + token_mixing(
        layer_norm(x, *weights["token_norm"]), weights["token_mixing"], activation
    )
    return x + channel_mixing(
        layer_norm(x, *weights["channel_norm"]), weights["channel_mixing"], activation
    )
