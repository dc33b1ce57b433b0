"""gMLP for text: an encoder that hands out the states of all its layers."""

import keras
from keras import ops

from course_utils.data.arguments import whole_number
from course_utils.layers.mlp import FixedSize, GMLPBlock
from course_utils.layers.transformer import new_norm
from course_utils.models.embedding import token_embedding


def gmlp_text(
    vocab_size,
    max_length=64,
    embed_dim=64,
    mlp_dim=256,
    num_layers=2,
    gate="split",
    causal=False,
    toeplitz=False,
    tiny_attention=0,
    dropout=0.0,
    spread=None,
    name="encoder",
):
    """A Keras model: token ids → num_layers + 1 states, (batch, max_length, embed_dim).

    The first are the embeddings, the last is normalised. Input: int (batch, max_length), 0
    behind the last token; pads change no real token. `course_utils.models.heads` and
    `course_utils.pretraining.PretrainingModel` take it like a `transformer_encoder`.

    vocab_size: of the vocabulary. max_length: S, the number of tokens of every row: unlike
    attention, W takes no other. embed_dim: C. mlp_dim, gate, causal, toeplitz, tiny_attention,
    dropout, spread: as in `GMLPBlock`. There are no positions: W has weights for each place.

    Raises ValueError for settings that do not fit, and for rows of another length.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 4.
    """
    for what, value in (
        ("vocab_size", vocab_size),
        ("max_length", max_length),
        ("embed_dim", embed_dim),
        ("num_layers", num_layers),
    ):
        whole_number(what, value, at_least=1)
    # The length is left open here, so that FixedSize can say why another does not do.
    ids = keras.Input((None,), dtype="int32", name="ids")
    fixed = FixedSize((max_length,), dtype="int32", name="length")(ids)
    padding_mask = ops.not_equal(fixed, 0)
    x = token_embedding(vocab_size, embed_dim, "tokens")(fixed)
    x = keras.layers.Rescaling(embed_dim**0.5, name="scale")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(num_layers):
        block = GMLPBlock(
            mlp_dim,
            gate,
            causal,
            toeplitz,
            tiny_attention,
            dropout,
            spread,
            name=f"block_{number}",
        )
        x = block(x, mask=padding_mask)
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)
