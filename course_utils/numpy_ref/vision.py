"""The Vision Transformer in plain NumPy: patches, class token, positions, pre-norm blocks.

    z_0 = [x_class; x_1 E; …; x_S E] + E_pos
    z'  = z + MSA(LN(z))       z = z' + MLP(LN(z'))       y = LN(z)[0] W + b

Weights are a dictionary: "patches" holds E (patch·patch·channels, embed_dim) and its bias,
"class_token" (embed_dim,) or None, "positions" (tokens, embed_dim), "blocks" one dictionary
each as in `transformer.py`, "final_norm" gain and shift, "logits" W and b.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 4.
"""

import numpy as np

from course_utils.lectures.lecture_06 import layer_norm, multi_head, residual
from course_utils.numpy_ref.mixer import gelu
from course_utils.numpy_ref.patches import to_patches


def block(x, weights, num_heads):
    """One pre-norm encoder block with GELU: x (…, tokens, embed_dim) → the same shape."""
    W_1, b_1, W_2, b_2 = weights["feed_forward"]

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads)[0]

    def think(y):
        return gelu(y @ W_1 + b_1) @ W_2 + b_2

    x = residual(x, attend, weights["attention_norm"], "pre")
    return residual(x, think, weights["feed_forward_norm"], "pre")


def vision_transformer(images, weights, patch, num_heads):
    """Images (batch, height, width, channels) to logits (batch, classes).

    Without a class token the head reads the mean of all tokens.
    """
    E, bias = weights["patches"]
    x = to_patches(images, patch) @ E + bias
    token = weights["class_token"]
    if token is not None:
        x = np.concatenate([np.broadcast_to(token, (len(x), 1, len(token))), x], axis=1)
    x = x + weights["positions"]
    for each in weights["blocks"]:
        x = block(x, each, num_heads)
    x = layer_norm(x, *weights["final_norm"])
    W, b = weights["logits"]
    return (x.mean(axis=1) if token is None else x[:, 0]) @ W + b
