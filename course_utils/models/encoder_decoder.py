"""The Transformer that translates: encoder, decoder, and decoding with a cache."""

import keras
from keras import ops

from course_utils.data.arguments import whole_number
from course_utils.layers.positions import SinusoidalPositions
from course_utils.layers.transformer import (
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.models.embedding import token_embedding


@keras.saving.register_keras_serializable(package="course_utils")
class Transformer(keras.Model):
    """Encoder and decoder of `blocks` blocks each, for pairs of token ids, 0 behind them.

    Call: {"source": int (batch, S), "target": int (batch, T)}, the target beginning with
    <sos>. Returns logits float32 (batch, T, target words): row t is about the token behind
    target token t, and sees no later one. Pads of the source are attended to by nobody.

    source_words, target_words: sizes of the vocabularies. dim, heads, hidden, dropout, norm: as
    in the blocks. length: the most tokens on either side. shared: one matrix for both
    embeddings and the output, as in the paper; needs one vocabulary for both languages.

    To decode: `state = model.start(source, length)`, then `logits, state = model.step(tokens,
    position, state)`; `course_utils.decoding` does it.

    Raises ValueError for settings that do not fit, and for more than `length` tokens.

    Source: Vaswani et al., "Attention is all you need" (2017).
    """

    def __init__(
        self,
        source_words,
        target_words,
        dim=64,
        heads=4,
        hidden=128,
        blocks=2,
        length=64,
        dropout=0.0,
        norm="pre",
        shared=False,
        **kwargs,
    ):
        super().__init__(**kwargs)
        whole_number("blocks", blocks, at_least=1)
        if shared and source_words != target_words:
            raise ValueError(
                "one shared matrix needs one vocabulary for both languages, got "
                f"{source_words} and {target_words} words"
            )
        self.settings = {
            "source_words": source_words,
            "target_words": target_words,
            "dim": dim,
            "heads": heads,
            "hidden": hidden,
            "blocks": blocks,
            "length": length,
            "dropout": dropout,
            "norm": norm,
            "shared": shared,
        }
        block = {"dim": dim, "heads": heads, "hidden": hidden, "dropout": dropout, "norm": norm}
        self.dim, self.norm, self.shared = dim, norm, shared
        self.source_embedding = token_embedding(source_words, dim, "source_embedding")
        self.target_embedding = (
            self.source_embedding
            if shared
            else token_embedding(target_words, dim, "target_embedding")
        )
        self.positions = SinusoidalPositions(length, name="positions")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")
        numbers = range(blocks)
        self.encoder = [TransformerEncoderBlock(**block, name=f"encoder_{k}") for k in numbers]
        self.decoder = [TransformerDecoderBlock(**block, name=f"decoder_{k}") for k in numbers]
        if norm == "pre":
            self.encoder_norm = new_norm("encoder_norm")
            self.decoder_norm = new_norm("decoder_norm")
        if not shared:
            self.to_words = keras.layers.Dense(target_words, dtype="float32", name="to_words")

    def build(self, input_shape=None):
        tokens = (None, None, self.dim)
        self.source_embedding.build()
        if not self.shared:
            self.target_embedding.build()
            self.to_words.build(tokens)
        for layer in (self.positions, *self.encoder):
            layer.build(tokens)
        for layer in self.decoder:
            layer.build(tokens, tokens)
        if self.norm == "pre":
            self.encoder_norm.build(tokens)
            self.decoder_norm.build(tokens)

    def call(self, inputs):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, encoded_mask=mask)
        return self.logits(x)

    def encode(self, source):
        """What the decoder looks at: (batch, S, dim), and which of it is real: (batch, S)."""
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask

    def embed(self, embedding, ids, start=0):
        """Token vectors with positions: (batch, tokens, dim)."""
        x = self.positions(embedding(ids) * self.dim**0.5, start=start)
        return self.dropout(x)

    def logits(self, x):
        """Scores for every word of the target language: float32 (batch, T, target words)."""
        x = self.decoder_norm(x) if self.norm == "pre" else x
        return self.target_embedding(x, reverse=True) if self.shared else self.to_words(x)

    def start(self, source, length):
        """Read the source, int (batch, S), once; the state with caches for `length` tokens."""
        self.positions.check(length)
        encoded, mask = self.encode(source)
        batch = ops.shape(source)[0]
        caches = [block.start(batch, length, encoded, mask) for block in self.decoder]
        return {f"block_{number}": cache for number, cache in enumerate(caches)}

    def step(self, tokens, position, state):
        """Logits (batch, target words) behind one token each, int (batch,), and the state."""
        x = self.embed(self.target_embedding, tokens[:, None], start=position)
        state = dict(state)
        for number, block in enumerate(self.decoder):
            x, state[f"block_{number}"] = block.step(x, state[f"block_{number}"], position)
        return self.logits(x)[:, 0], state

    def alignment(self, source, target):
        """Where the last block looks in the source: weights (batch, heads, T, S)."""
        encoded, mask = self.encode(source)
        x = self.embed(self.target_embedding, target)
        for block in self.decoder[:-1]:
            x = block(x, encoded, encoded_mask=mask)
        return self.decoder[-1].attention_weights(x, encoded, mask)

    def get_config(self):
        return {**super().get_config(), **self.settings}
