"""gMLP for text: an encoder that hands out the states of all its layers."""

import keras
from keras import ops

from course_utils.data.arguments import whole_number
from course_utils.layers.fixed_size import FixedSize
from course_utils.layers.gmlp import GMLPBlock
from course_utils.layers.transformer import new_norm
from course_utils.models.embedding import token_embedding


def gmlp_text(
    words,
    length=64,
    dim=64,
    hidden=256,
    blocks=2,
    gate="split",
    causal=False,
    toeplitz=False,
    tiny_attention=0,
    dropout=0.0,
    spread=None,
    name="encoder",
):
    """A Keras model: token ids → a list of blocks + 1 hidden states, (batch, length, dim) each.

    The first are the embeddings, the last is normalised. Input: int (batch, length), 0 behind
    the last token; pads change no real token. `course_utils.models.heads` and
    `course_utils.pretraining.WordGuesser` take it like a `transformer_encoder`.

    words: size of the vocabulary. length: S, the number of tokens of every row: unlike
    attention, W takes no other. dim: C. hidden, gate, causal, toeplitz, tiny_attention,
    dropout, spread: as in `GMLPBlock`. There are no positions: W has weights for each place.

    Raises ValueError for settings that do not fit, and for rows of another length.

    Source: Liu et al., "Pay attention to MLPs" (2021), section 4.
    """
    for what, value in (("words", words), ("length", length), ("dim", dim), ("blocks", blocks)):
        whole_number(what, value, at_least=1)
    # The length is left open here, so that FixedSize can say why another does not do.
    ids = keras.Input((None,), dtype="int32", name="ids")
    fixed = FixedSize((length,), dtype="int32", name="length")(ids)
    real = ops.not_equal(fixed, 0)
    x = token_embedding(words, dim, "tokens")(fixed)
    x = keras.layers.Rescaling(dim**0.5, name="scale")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(blocks):
        block = GMLPBlock(
            hidden,
            gate,
            causal,
            toeplitz,
            tiny_attention,
            dropout,
            spread,
            name=f"block_{number}",
        )
        x = block(x, mask=real)
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)
