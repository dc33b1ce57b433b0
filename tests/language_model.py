"""A decoder alone, as of GPT, which generates with a cache."""

import keras
from keras import ops

from course_utils.data.base import one_of, share
from course_utils.layers import TransformerDecoderBlock
from course_utils.layers.transformer import new_norm, sizes
from course_utils.models.transformer import POSITIONS, token_embedding


@keras.saving.register_keras_serializable(package="course_utils")
class LanguageModel(keras.Model):
    """`num_layers` blocks of causal self-attention; embedding and output share one matrix.

    Call: int (batch, T), 0 after the last token. Returns logits float32 (batch, T, words): row
    t is about the token after token t, and sees no later one.

    Settings: as of `transformer_encoder`; GPT has positions="learned".

    To generate: `state = model.start(batch, max_length)`, then `logits, state =
    model.step(tokens, position, state)`; `course_utils.decoding.generate` does it.
    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Radford et al., "Improving language understanding by generative pre-training"
    (2018); the normalisation before each sublayer is that of GPT-2 (2019).
    """

    def __init__(
        self,
        vocab_size,
        embed_dim=64,
        num_heads=4,
        mlp_dim=256,
        num_layers=2,
        max_length=64,
        dropout=0.0,
        positions="sinusoidal",
        **kwargs,
    ):
        super().__init__(**kwargs)
        one_of("positions", positions, tuple(POSITIONS))
        vocab_size, num_layers, max_length = sizes(
            vocab_size=vocab_size, num_layers=num_layers, max_length=max_length
        )
        block = {"embed_dim": embed_dim, "num_heads": num_heads, "mlp_dim": mlp_dim}
        block = dict(zip(block, sizes(**block), strict=True))
        block |= {"dropout": share("dropout", dropout)}
        self.settings = block | {"vocab_size": vocab_size, "num_layers": num_layers}
        self.settings |= {"max_length": max_length, "positions": positions}
        self.embed_dim = embed_dim = block["embed_dim"]
        self.tokens = token_embedding(vocab_size, embed_dim, "tokens")
        self.positions = POSITIONS[positions](max_length, name="positions")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")
        block |= {"activation": "gelu", "cross": False}
        numbers = range(num_layers)
        self.blocks = [TransformerDecoderBlock(**block, name=f"block_{k}") for k in numbers]
        self.final_norm = new_norm("final_norm")

    def build(self, input_shape=None):
        self.tokens.build()
        for layer in (self.positions, *self.blocks, self.final_norm):
            layer.build((None, None, self.embed_dim))

    def call(self, ids, training=None):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.logits(x)

    def embed(self, ids, start=0):
        """Token vectors with positions: (batch, tokens, embed_dim)."""
        x = self.positions(self.tokens(ids) * self.embed_dim**0.5, start=start)
        return self.dropout(x)

    def logits(self, x):
        """Scores for every word: float32 (batch, T, words)."""
        return self.tokens(self.final_norm(x), reverse=True)

    def start(self, batch, max_length):
        """An empty state with caches for `max_length` tokens."""
        self.positions.check(max_length)
        caches = [block.start(batch, max_length) for block in self.blocks]
        return {f"block_{number}": cache for number, cache in enumerate(caches)}

    def step(self, tokens, position, state):
        """Logits (batch, words) after one token each, int (batch,), and the new state."""
        x = self.embed(ops.expand_dims(tokens, 1), start=position)
        state = dict(state)
        for number, block in enumerate(self.blocks):
            x, state[f"block_{number}"] = block.step(x, state[f"block_{number}"], position)
        return self.logits(x)[:, 0], state

    def get_config(self):
        return {**super().get_config(), **self.settings}
