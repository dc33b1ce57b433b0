"""The Transformer that translates: encoder, decoder, and decoding with a cache."""

import keras
from keras import ops

from course_utils.data.arguments import whole_number
from course_utils.layers.transformer import (
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.models.embedding import token_embedding


@keras.saving.register_keras_serializable(package="course_utils")
class Transformer(keras.Model):
    """Encoder and decoder of `num_layers` blocks each, for pairs of token ids, 0 behind them.

    Call: {"source": int (batch, S), "target": int (batch, T)}, the target beginning with
    <sos>. Returns logits float32 (batch, T, target words): row t is about the token behind
    target token t, and sees no later one. Pads of the source are attended to by nobody.

    source_vocab_size, target_vocab_size: sizes of the vocabularies. embed_dim, num_heads,
    mlp_dim, dropout, norm: as in the blocks. max_length: the most tokens on either side.
    shared: one matrix for both embeddings and the output, as in the paper; needs one vocabulary
    for both languages.

    To decode: `state = model.start(source, max_length)`, then `logits, state =
    model.step(tokens, position, state)`; `course_utils.decoding` does it.

    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Vaswani et al., "Attention is all you need" (2017).
    """

    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        embed_dim=64,
        num_heads=4,
        mlp_dim=128,
        num_layers=2,
        max_length=64,
        dropout=0.0,
        norm="pre",
        shared=False,
        **kwargs,
    ):
        super().__init__(**kwargs)
        whole_number("num_layers", num_layers, at_least=1)
        if shared and source_vocab_size != target_vocab_size:
            raise ValueError(
                "one shared matrix needs one vocabulary for both languages, got "
                f"{source_vocab_size} and {target_vocab_size} words"
            )
        self.settings = {
            "source_vocab_size": source_vocab_size,
            "target_vocab_size": target_vocab_size,
            "embed_dim": embed_dim,
            "num_heads": num_heads,
            "mlp_dim": mlp_dim,
            "num_layers": num_layers,
            "max_length": max_length,
            "dropout": dropout,
            "norm": norm,
            "shared": shared,
        }
        block = {
            "embed_dim": embed_dim,
            "num_heads": num_heads,
            "mlp_dim": mlp_dim,
            "dropout": dropout,
            "norm": norm,
        }
        self.embed_dim, self.norm, self.shared = embed_dim, norm, shared
        self.source_embedding = token_embedding(
            source_vocab_size, embed_dim, "source_embedding"
        )
        self.target_embedding = (
            self.source_embedding
            if shared
            else token_embedding(target_vocab_size, embed_dim, "target_embedding")
        )
        self.positions = SinusoidalPositions(max_length, name="positions")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")
        numbers = range(num_layers)
        self.encoder = [TransformerEncoderBlock(**block, name=f"encoder_{k}") for k in numbers]
        self.decoder = [TransformerDecoderBlock(**block, name=f"decoder_{k}") for k in numbers]
        if norm == "pre":
            self.encoder_norm = new_norm("encoder_norm")
            self.decoder_norm = new_norm("decoder_norm")
        if not shared:
            self.to_words = keras.layers.Dense(
                target_vocab_size, dtype="float32", name="to_words"
            )

    def build(self, input_shape=None):
        tokens = (None, None, self.embed_dim)
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
        """What the decoder attends to: (batch, S, embed_dim), padding mask: (batch, S)."""
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask

    def embed(self, embedding, ids, start=0):
        """Token vectors with positions: (batch, tokens, embed_dim)."""
        x = self.positions(embedding(ids) * self.embed_dim**0.5, start=start)
        return self.dropout(x)

    def logits(self, x):
        """Scores for every word of the target language: float32 (batch, T, target words)."""
        x = self.decoder_norm(x) if self.norm == "pre" else x
        return self.target_embedding(x, reverse=True) if self.shared else self.to_words(x)

    def start(self, source, max_length):
        """Read the source, int (batch, S); the state with caches for `max_length` tokens."""
        self.positions.check(max_length)
        encoded, mask = self.encode(source)
        batch = ops.shape(source)[0]
        caches = [block.start(batch, max_length, encoded, mask) for block in self.decoder]
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
