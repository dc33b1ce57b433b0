"""Lab 08b's recorded comparison on pairs of sentences: gMLP, aMLP and a Transformer.

All arms read both sentences in one row, and lab 6c's `record_pair_arm` trains them in the same
stages and batches. Source of the question: Liu et al., "Pay attention to MLPs"
(2021), sections 4.2 and 4.3.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.layers import GMLPBlock
from course_utils.layers.transformer import new_norm
from lectures.lecture_06b import pooled
from lectures.lecture_06c import pair_rows
from lectures.lecture_06c.pair_runs import LENGTH, both_at_once
from lectures.lecture_06c.pairs import LABELS

# Four gMLP blocks stand beside the two of the Transformer, which have two parts each. The
# widths give all arms nearly the same number of parameters.
BLOCKS = 4


def gate_reader(vocab_size, mlp_dim, tiny_attention=0):
    """A gMLP for pairs: rows of ids and segments, (batch, 2, 32), → logits (batch, 3).

    As `pair_encoder` with `pair_classifier`, but with gMLP blocks and, as in the paper, without
    vectors for the positions, each of which has its own row of W.
    """
    start = keras.initializers.RandomNormal(stddev=0.02)
    rows = keras.Input((2, LENGTH), dtype="int32")
    ids, segments = rows[:, 0], rows[:, 1]
    x = layers.Embedding(vocab_size, 64, start, name="tokens")(ids)
    x = x + layers.Embedding(2, 64, start, name="segment_vectors")(segments)
    x = new_norm("norm")(x)
    for number in range(BLOCKS):
        block = GMLPBlock(mlp_dim, tiny_attention=tiny_attention, name=f"block_{number}")
        x = block(x, mask=ops.not_equal(ids, 0))
    x = pooled(new_norm("final_norm")(x), ids, "mean")
    return keras.Model(rows, layers.Dense(len(LABELS), dtype="float32")(x), name="gate_reader")


def gates(mlp_dim, tiny_attention=0):
    """An arm of `gate_reader`, as lab 6c declares them: tokenizer → rows of a part, model."""

    def new_arm(tokenizer):
        def rows(part):  # one array, so that all its 32 columns are kept: W needs them
            return np.stack([*pair_rows(part, tokenizer, LENGTH).values()], axis=1)

        return rows, gate_reader(len(tokenizer), mlp_dim, tiny_attention)

    return new_arm


# Of each arm what it is, and the learning rates that it chooses from: the best lies inside.
PAIR_ARMS = {
    "pair_gmlp": (gates(mlp_dim=162), (2e-3, 4e-3, 8e-3)),
    "pair_amlp": (gates(mlp_dim=120, tiny_attention=16), (5e-4, 1e-3, 2e-3)),
    "pair_transformer": (both_at_once, (5e-4, 1e-3, 2e-3)),
}
