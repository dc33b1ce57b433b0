"""An encoder alone, which hands out the states of all its layers."""

import keras
from keras import ops

from course_utils.data.arguments import one_of, whole_number
from course_utils.layers.transformer import (
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.models.embedding import POSITIONS, token_embedding


def transformer_encoder(
    vocab_size,
    embed_dim=64,
    num_heads=4,
    mlp_dim=256,
    num_layers=2,
    max_length=64,
    dropout=0.0,
    causal=False,
    positions="sinusoidal",
    name="encoder",
):
    """A Keras model: token ids → num_layers + 1 hidden states, (batch, tokens, embed_dim).

    The first are the embeddings with their positions, the last is normalised. Input: int
    (batch, tokens), 0 behind the last token; pads are attended to by nobody.

    vocab_size: of the vocabulary. embed_dim, num_heads, mlp_dim, dropout: as in the blocks.
    max_length: the most tokens. causal: True lets no token see a later one. positions:
    "sinusoidal", or "learned" as in BERT (they start small beside our embeddings, and are slow
    to be found).

    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Devlin et al., "BERT" (2019), with the normalisation before each sublayer.
    """
    whole_number("num_layers", num_layers, at_least=1)
    one_of("positions", positions, tuple(POSITIONS))
    ids = keras.Input((None,), dtype="int32", name="ids")
    padding_mask = ops.not_equal(ids, 0)
    x = token_embedding(vocab_size, embed_dim, "tokens")(ids)
    x = keras.layers.Rescaling(embed_dim**0.5, name="scale")(x)
    x = POSITIONS[positions](max_length, name="positions")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(num_layers):
        block = {"activation": "gelu", "name": f"block_{number}"}
        if causal:
            x = TransformerDecoderBlock(
                embed_dim, num_heads, mlp_dim, dropout, cross=False, **block
            )(x)
        else:
            x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, dropout, **block)(
                x, mask=padding_mask
            )
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)
