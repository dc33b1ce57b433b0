"""Attention rollout: how much of each input token is in the output, through all blocks.

    A_l = mean over heads of block l's weights
    M_l = (A_l + I), each row divided by its sum      R = M_L ⋯ M_2 M_1

I stands for the residual connection, by which a token keeps itself.

Source: Abnar and Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
"""

import numpy as np

from course_utils.data.base import one_of


def rollout_matrix(weights):
    """R (batch, tokens, tokens): a row says what an output token is made of, and sums to 1.

    Args:
        weights: a list, first block first, of (batch, heads, tokens, tokens).

    Raises:
        ValueError: without any block, and for shapes that are not those of weights.
    """
    if len(weights) == 0:
        raise ValueError("rollout needs the weights of at least one block, got none")
    shapes = {np.shape(part) for part in weights}
    sizes = {(shape[0], *shape[2:]) for shape in shapes if len(shape) == 4}
    if len(sizes) != 1 or any(len(shape) != 4 or shape[2] != shape[3] for shape in shapes):
        raise ValueError(
            "each block's weights have to be (batch, heads, tokens, tokens), the same batch "
            f"and tokens in all, got {', '.join(str(shape) for shape in sorted(shapes))}"
        )
    product = np.eye(np.shape(weights[0])[-1])
    for part in weights:
        mixed = np.mean(part, axis=1) + np.eye(np.shape(part)[-1])
        product = mixed / mixed.sum(axis=-1, keepdims=True) @ product
    return product


def rollout(weights, pool="class"):
    """What the head reads, told by input tokens: (batch, tokens), each row sums to 1.

    Args:
        weights: as in `rollout_matrix`; from a model: `attention_weights(model, images)`.
        pool: "class" for the row of the first token, "mean" for the mean of all rows.

    Raises:
        ValueError: for weights of another shape, and for another pool.
    """
    one_of("pool", pool, ("class", "mean"))
    product = rollout_matrix(weights)
    return product[:, 0] if pool == "class" else product.mean(axis=1)
