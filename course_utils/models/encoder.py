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
    words,
    dim=64,
    heads=4,
    hidden=256,
    blocks=2,
    length=64,
    dropout=0.0,
    causal=False,
    positions="sinusoidal",
    name="encoder",
):
    """A Keras model: token ids → a list of blocks + 1 hidden states, (batch, tokens, dim) each.

    The first are the embeddings with their positions, the last is normalised. Input: int
    (batch, tokens), 0 behind the last token; pads are attended to by nobody.

    words: size of the vocabulary. dim, heads, hidden, dropout: as in the blocks. length: the
    most tokens. causal: True lets no token see a later one. positions: "sinusoidal", or
    "learned" as in BERT (they start small beside our embeddings, and are slow to be found).

    Raises ValueError for settings that do not fit, and for more than `length` tokens.

    Source: Devlin et al., "BERT" (2019), with the normalisation before each sublayer.
    """
    whole_number("blocks", blocks, at_least=1)
    one_of("positions", positions, tuple(POSITIONS))
    ids = keras.Input((None,), dtype="int32", name="ids")
    real = ops.not_equal(ids, 0)
    x = token_embedding(words, dim, "tokens")(ids)
    x = keras.layers.Rescaling(dim**0.5, name="scale")(x)
    x = POSITIONS[positions](length, name="positions")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(blocks):
        block = {"activation": "gelu", "name": f"block_{number}"}
        if causal:
            x = TransformerDecoderBlock(dim, heads, hidden, dropout, cross=False, **block)(x)
        else:
            x = TransformerEncoderBlock(dim, heads, hidden, dropout, **block)(x, mask=real)
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)
