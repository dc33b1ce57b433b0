"""gMLP in plain NumPy: a feed-forward network with a gate that looks along the tokens.

    Z = σ(norm(X) U + b_U)        Z̃ = s(Z)        Y = X + Z̃ V + b_V
    s(Z) = Z_1 ⊙ f(Z_2)           f(Z_2) = W norm(Z_2) + b

Shapes: X (…, S, C), S tokens of C channels; U (C, D); Z (…, S, D), cut along the channels into
Z_1 and Z_2 (…, S, D/2); W (S, S), whose row i is about output token i; b (S,), one number a
token; V (D/2, C).

Source: Liu, Dai, So and Le, "Pay attention to MLPs" (2021), equations 1, 2 and 4; the other
gates: section 4.1, table 3; tiny attention: section 4.3; Toeplitz: what section 4.1 sees the
learned W resemble.
"""

import numpy as np

from course_utils.data.base import one_of
from course_utils.numpy_ref.attention import causal_mask, scaled_dot_product
from course_utils.numpy_ref.mixer import gelu
from course_utils.numpy_ref.transformer import layer_norm

GATES = ("linear", "additive", "multiplicative", "split")


def halves(z):
    """Cut every token's vector in two: (…, S, D) becomes twice (…, S, D/2).

    Raises:
        ValueError: where D is odd.
    """
    width = z.shape[-1]
    if width % 2:
        raise ValueError(f"an odd width cannot be cut into two halves: {width}")
    return z[..., : width // 2], z[..., width // 2 :]


def spatial(z, W, b):
    """f(Z) = W Z + b: every channel over its tokens, all channels by the same W."""
    return W @ z + b[:, None]


def spatial_gating_unit(z, norm, W, b, gate="split", attended=0.0, padding_mask=None):
    """What the gate lets through: (…, S, D/2) for "split", else (…, S, D).

        linear: f(Z)    additive: Z + f(Z)    multiplicative: Z ⊙ f(Z)    split: Z_1 ⊙ f(Z_2)

    Args:
        z: (…, S, D).
        norm: gain and shift of the norm of what W reads.
        W, b: (S, S) and (S,).
        gate: one of `GATES`.
        attended: the tiny attention's output, shaped like f; it is added to f.
        real: bool (…, S), False at pads, which W then reads as zeros.

    Raises:
        ValueError: for another gate, and for an odd width to split.
    """
    one_of("gate", gate, GATES)
    passed, read = halves(z) if gate == "split" else (z, z)
    read = layer_norm(read, *norm)
    if padding_mask is not None:
        read = np.where(padding_mask[..., None], read, 0)
    f = spatial(read, W, b) + attended
    if gate == "linear":
        return f
    return passed + f if gate == "additive" else passed * f


def tiny_attention(x, W_qkv, b_qkv, W_O, b_O, mask=None):
    """One small head: (…, S, C) → (…, S, what W_O gives).

    Args:
        x: (…, S, C), the block's input behind its norm.
        W_qkv, b_qkv: (C, 3·width) and (3·width,): query, key and value side by side.
        W_O, b_O: (width, D/2) and (D/2,).
        mask: fits (…, S, S), True where a token may be looked at.
    """
    query, keys, values = np.split(x @ W_qkv + b_qkv, 3, axis=-1)
    return scaled_dot_product(query, keys, values, mask)[0] @ W_O + b_O


def toeplitz(t, causal=False):
    """W with W[i, j] = t[i − j + S − 1]: one weight for each distance, (S, S).

    t: (2S − 1,); with causal (S,), from distance 0 upwards, and zeros above the diagonal.
    """
    S = len(t) if causal else (len(t) + 1) // 2
    distance = np.arange(S)[:, None] - np.arange(S)
    if causal:
        return np.where(distance >= 0, t[np.maximum(distance, 0)], 0)
    return t[distance + S - 1]


def gmlp_block(x, weights, gate="split", causal=False, padding_mask=None, activation=gelu):
    """Normalise, widen, gate, narrow, and add the input as it came: (…, S, C).

    Args:
        x: (…, S, C).
        weights: a dictionary: "norm" and "gate_norm" hold gain and shift; "U", "b_U", "W",
            "b", "V", "b_V"; with tiny attention also "attention": the four that
            `tiny_attention` takes.
        gate: one of `GATES`.
        causal: only what stands on and below W's diagonal counts, and the tiny attention looks
            back alone.
        real: bool (…, S), False at pads.
    """
    S = x.shape[-2]
    y = layer_norm(x, *weights["norm"])
    attended = 0.0
    if "attention" in weights:
        mask = causal_mask(S) if causal else np.ones((S, S), bool)
        mask = mask if padding_mask is None else mask & padding_mask[..., None, :]
        attended = tiny_attention(y, *weights["attention"], mask)
    W = np.tril(weights["W"]) if causal else weights["W"]
    z = activation(y @ weights["U"] + weights["b_U"])
    z = spatial_gating_unit(
        z, weights["gate_norm"], W, weights["b"], gate, attended, padding_mask
    )
    return x + z @ weights["V"] + weights["b_V"]
