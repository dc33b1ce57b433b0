"""The Transformer's encoder and decoder block in plain NumPy, pre-norm and post-norm.

    post-norm, as published:   x = norm(x + part(x))
    pre-norm, as most today:   x = x + part(norm(x))

Shapes: x (…, T, d), encoded (…, S, d), masks (…, T, S) with True where a token may be looked
at. A block's weights are a dictionary: "attention" and "cross" hold the eight of `multi_head`,
"feed_forward" holds W_1, b_1, W_2, b_2; "attention_norm", "cross_norm" and "feed_forward_norm"
hold gain and shift.

Sources: Vaswani et al., "Attention is all you need" (2017), section 3; pre-norm: Xiong et al.,
"On layer normalization in the Transformer architecture" (2020); Ba, Kiros and Hinton, "Layer
normalization" (2016), equation 4.
"""

import numpy as np

from course_utils.data.base import one_of
from course_utils.numpy_ref.attention import causal_mask, multi_head

NORMS = ("pre", "post")


def layer_norm(x, gain, shift, epsilon=1e-6):
    """Bring each token's vector to mean 0 and deviation 1, then stretch and shift it."""
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gain + shift


def feed_forward(x, W_1, b_1, W_2, b_2):
    """max(0, x W_1 + b_1) W_2 + b_2, for each token alone; W_1 (d, hidden), W_2 (hidden, d)."""
    return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2


def residual(x, part, norm_weights, norm):
    """Add to x what a part of the block makes of it, with the norm before or after.

    Raises:
        ValueError: for a norm other than "pre" and "post".
    """
    one_of("norm", norm, NORMS)
    if norm == "pre":
        return x + part(layer_norm(x, *norm_weights))
    return layer_norm(x + part(x), *norm_weights)


def encoder_block(x, weights, num_heads, mask=None, norm="pre"):
    """Every token looks at all others, then thinks for itself: (…, T, d)."""

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads, mask)[0]

    def think(y):
        return feed_forward(y, *weights["feed_forward"])

    x = residual(x, attend, weights["attention_norm"], norm)
    return residual(x, think, weights["feed_forward_norm"], norm)


def decoder_block(
    x, weights, num_heads, encoded=None, mask=None, encoded_mask=None, norm="pre"
):
    """Look back, look at the source, think: (…, T, d).

    The causal mask is always on; `mask` adds to it (pads). Without `encoded` there is no look
    at the source: GPT's block.
    """
    causal = causal_mask(x.shape[-2])
    mask = causal if mask is None else causal & mask

    def look_back(y):
        return multi_head(y, y, weights["attention"], num_heads, mask)[0]

    def look_across(y):
        return multi_head(y, encoded, weights["cross"], num_heads, encoded_mask)[0]

    def think(y):
        return feed_forward(y, *weights["feed_forward"])

    x = residual(x, look_back, weights["attention_norm"], norm)
    if encoded is not None:
        x = residual(x, look_across, weights["cross_norm"], norm)
    return residual(x, think, weights["feed_forward_norm"], norm)
