"""The Transformer: encoder, encoder and decoder, language model, and published sizes."""

import keras
from keras import ops

from course_utils.data.base import one_of, share
from course_utils.layers.settings import sizes
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)

POSITIONS = {"sinusoidal": SinusoidalPositions, "learned": LearnedPositions}


def token_embedding(vocab_size, embed_dim, name):
    """Vectors N(0, 1/embed_dim) for `vocab_size` ids; called with reverse=True it gives logits.

    Multiplied by √embed_dim, as the paper has it, they are as large as the positions.
    """
    vocab_size, embed_dim = sizes(vocab_size=vocab_size, embed_dim=embed_dim)
    return keras.layers.ReversibleEmbedding(
        vocab_size,
        embed_dim,
        embeddings_initializer=keras.initializers.RandomNormal(stddev=embed_dim**-0.5),
        reverse_dtype="float32",
        name=name,
    )


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

    embed_dim, num_heads, mlp_dim, dropout: as in the blocks. max_length: the most tokens.
    causal: True lets no token see a later one. positions: "sinusoidal", or "learned" as in BERT
    (they start small beside our embeddings, and are slow to be found).
    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Devlin et al., "BERT" (2019), with the normalisation before each sublayer.
    """
    num_layers, embed_dim = sizes(num_layers=num_layers, embed_dim=embed_dim)
    one_of("positions", positions, tuple(POSITIONS))
    dropout = share("dropout", dropout)
    ids = keras.Input((None,), dtype="int32", name="ids")
    padding_mask = ops.not_equal(ids, 0)
    x = token_embedding(vocab_size, embed_dim, "tokens")(ids)
    x = keras.layers.Rescaling(embed_dim**0.5, name="scale")(x)
    x = POSITIONS[positions](max_length, name="positions")(x)
    x = keras.layers.Dropout(dropout, name="dropout")(x)
    states = [x]
    for number in range(num_layers):
        block = {"dropout": dropout, "activation": "gelu", "name": f"block_{number}"}
        if causal:
            x = TransformerDecoderBlock(embed_dim, num_heads, mlp_dim, cross=False, **block)(x)
        else:
            block = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, **block)
            x = block(x, mask=padding_mask)
        states.append(x)
    states[-1] = new_norm("final_norm")(states[-1])
    return keras.Model(ids, states, name=name)


class TransformerParts(keras.Model):
    """What `Transformer` is made of: its layers and settings, and how it decodes with a cache.

    `source_embedding`, `target_embedding`, `positions`, the lists of blocks `encoder` and
    `decoder`, with norm="pre" `encoder_norm` and `decoder_norm`, `to_words`.
    """

    encoder_block, decoder_block = TransformerEncoderBlock, TransformerDecoderBlock
    positions_layer = SinusoidalPositions

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
        words = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size}
        source_vocab_size, target_vocab_size = sizes(**words)
        embed_dim, num_heads, mlp_dim, num_layers, max_length = sizes(
            embed_dim=embed_dim,
            num_heads=num_heads,
            mlp_dim=mlp_dim,
            num_layers=num_layers,
            max_length=max_length,
        )
        dropout = share("dropout", dropout)
        if shared and source_vocab_size != target_vocab_size:
            raise ValueError(
                "one shared matrix needs one vocabulary for both languages, got "
                f"{source_vocab_size} and {target_vocab_size} words"
            )
        words = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size}
        block = {"embed_dim": embed_dim, "num_heads": num_heads, "mlp_dim": mlp_dim}
        block |= {"dropout": dropout, "norm": norm}
        self.settings = words | block | {"num_layers": num_layers}
        self.settings |= {"max_length": max_length, "shared": shared}
        self.embed_dim, self.norm, self.shared = embed_dim, norm, shared
        source, target = "source_embedding", "target_embedding"
        self.source_embedding = token_embedding(source_vocab_size, embed_dim, source)
        self.target_embedding = self.source_embedding
        if not shared:
            self.target_embedding = token_embedding(target_vocab_size, embed_dim, target)
        self.positions = self.positions_layer(max_length, name="positions")
        self.dropout = keras.layers.Dropout(dropout, name="dropout")
        numbers = range(num_layers)
        self.encoder = [self.encoder_block(**block, name=f"encoder_{k}") for k in numbers]
        self.decoder = [self.decoder_block(**block, name=f"decoder_{k}") for k in numbers]
        if norm == "pre":
            self.encoder_norm = new_norm("encoder_norm")
            self.decoder_norm = new_norm("decoder_norm")
        if not shared:
            words = keras.layers.Dense(target_vocab_size, dtype="float32", name="to_words")
            self.to_words = words

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
        return self.decoder[-1].cross_weights(x, encoded, mask)

    def get_config(self):
        return {**super().get_config(), **self.settings}


@keras.saving.register_keras_serializable(package="course_utils")
class Transformer(TransformerParts):
    """Encoder and decoder of `num_layers` blocks each, for pairs of token ids, 0 behind them.

    Call: {"source": int (batch, S), "target": int (batch, T)}, the target beginning with
    <sos>. Returns logits float32 (batch, T, target words): row t is about the token behind
    target token t, and sees no later one. Pads of the source are attended to by nobody.

    embed_dim, num_heads, mlp_dim, dropout, norm: as in the blocks. max_length: the most tokens
    on either side. shared: one matrix for both embeddings and the output, as in the paper;
    needs one vocabulary for both languages.

    To decode: `state = model.start(source, max_length)`, then `logits, state =
    model.step(tokens, position, state)`; `course_utils.decoding` does it.
    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Vaswani et al., "Attention is all you need" (2017).
    """

    encoder_block, decoder_block = TransformerEncoderBlock, TransformerDecoderBlock
    positions_layer = SinusoidalPositions

    def encode(self, source):
        """Run the encoder: embed the source, then its blocks, then its last norm.

        source: int (batch, S), 0 at pads. Returns the states (batch, S, embed_dim) and the
        padding mask, bool (batch, S), True at words.
        """
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask

    def call(self, inputs, training=None):
        """Encode the source, run the decoder over the target, return the logits.

        `fit` tells a model that it trains only if `call` takes `training`; Keras hands it on to
        the dropout inside.
        """
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, encoded_mask=mask)
        return self.logits(x)


@keras.saving.register_keras_serializable(package="course_utils")
class LanguageModel(keras.Model):
    """`num_layers` blocks of causal self-attention; embedding and output share one matrix.

    Call: int (batch, T), 0 behind the last token. Returns logits float32 (batch, T, words): row
    t is about the token behind token t, and sees no later one.

    Settings: as of `transformer_encoder`; GPT has positions="learned".

    To generate: `state = model.start(batch, max_length)`, then `logits, state =
    model.step(tokens, position, state)`; so text can be sampled.
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
        """Logits (batch, words) behind one token each, int (batch,), and the new state."""
        x = self.embed(ops.expand_dims(tokens, 1), start=position)
        state = dict(state)
        for number, block in enumerate(self.blocks):
            x, state[f"block_{number}"] = block.step(x, state[f"block_{number}"], position)
        return self.logits(x)[:, 0], state

    def get_config(self):
        return {**super().get_config(), **self.settings}


TRANSFORMER_SIZES = {
    # Vaswani et al. (2017), table 3; one vocabulary of about 37,000 byte pairs, section 5.1.
    size: {
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "mlp_dim": 4 * embed_dim,
        "num_layers": 6,
        "dropout": dropout,
    }
    for size, embed_dim, num_heads, dropout in (("base", 512, 8, 0.1), ("big", 1024, 16, 0.3))
}


def transformer(size, vocab_size=37_000, max_length=512):
    """The paper's Transformer, "base" or "big": post-norm, one matrix for all embeddings.
    Raises ValueError for another size, naming those that are published.
    """
    one_of("size", size, tuple(TRANSFORMER_SIZES))
    settings = {"max_length": max_length, "norm": "post", "shared": True}
    return Transformer(vocab_size, vocab_size, **settings, **TRANSFORMER_SIZES[size], name=size)
