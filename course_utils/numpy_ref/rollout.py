"""Attention rollout: how much of each input token is in the output, through all blocks.

    A_l = mean over heads of block l's weights
    M_l = (A_l + I), each row divided by its sum      R = M_L ⋯ M_2 M_1

I stands for the residual connection, by which a token keeps itself.

Source: Abnar and Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
"""

import numpy as np

from course_utils.data.arguments import one_of


def rollout_matrix(weights):
    """Return R = B_L ⋯ B_2 B_1, with B_l = ½ (mean over the heads of A_l) + ½ I.

    Args:
        weights: the attention weights A_l, a list, first block first, of arrays (batch, heads,
            tokens, tokens).

    Returns:
        (batch, tokens, tokens): each row says what an output token consists of, and sums to 1.

    Source: Abnar and Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
    """
    identity = np.eye(weights[0].shape[-1])
    R = identity
    for A in weights:
        R = (A.mean(axis=1) + identity) / 2 @ R
    return R


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
