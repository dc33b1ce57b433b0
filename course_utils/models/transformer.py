"""The Transformer: encoder, encoder and decoder, Vision Transformer, and published sizes."""

import keras
from keras import ops

from course_utils.data.base import one_of, share, whole_number
from course_utils.data.images import sides
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
    sizes,
)
from course_utils.layers.vision import ClassToken, PatchEmbedding

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
    (batch, tokens), 0 after the last token; pads are attended to by nobody.

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

    # The default; a class that notebooks show names it again, and finds the student's own.
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
        """Logits (batch, target words) after one token each, int (batch,), and the state."""
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
    """Encoder and decoder of `num_layers` blocks each, for pairs of token ids, 0 after them.

    Call: {"source": int (batch, S), "target": int (batch, T)}, the target beginning with
    <sos>. Returns logits float32 (batch, T, target words): row t is about the token after
    target token t, and sees no later one. Pads of the source are attended to by nobody.

    embed_dim, num_heads, mlp_dim, dropout, norm: as in the blocks. max_length: the most tokens
    on either side. shared: one matrix for both embeddings and the output, as in the paper;
    needs one vocabulary for both languages.

    To decode: `state = model.start(source, max_length)`, then `logits, state =
    model.step(tokens, position, state)`; `course_utils.decoding` does it.
    Raises ValueError for settings that do not fit, and for more than `max_length` tokens.

    Source: Vaswani et al., "Attention is all you need" (2017).
    """

    # Looked up where the class is defined: in a notebook that is the student's own layer.
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


VIT_SIZES = {
    size: {
        "patch": int(size.partition("/")[2]),
        "embed_dim": embed_dim,
        "num_heads": num_heads,
        "mlp_dim": 4 * embed_dim,
        "num_layers": num_layers,
    }
    for size, embed_dim, num_heads, num_layers in (
        # Touvron et al., "DeiT" (2021), table 1; named so by Steiner et al., "How to train your
        # ViT?" (2021).
        ("Ti/16", 192, 3, 12),
        ("S/16", 384, 6, 12),
        # Dosovitskiy et al., "An image is worth 16x16 words" (2021), table 1.
        ("B/32", 768, 12, 12),
        ("B/16", 768, 12, 12),
        ("L/32", 1024, 16, 24),
        ("L/16", 1024, 16, 24),
        ("H/14", 1280, 16, 32),
    )
}


def vision_transformer(
    image, channels, patch, embed_dim, num_heads, mlp_dim, num_layers, classes,
    pool="class", positions="learned", name="vision_transformer",
):  # fmt: skip
    """A Keras model: images (batch, height, width, channels) → logits float32 (batch, classes).

    Args:
        image: its side, or (height, width). channels: of its pixels. patch: side of a patch.
        embed_dim, num_heads, mlp_dim: of each of the num_layers encoder blocks, which are
            pre-norm with activation="gelu".
        classes: how many logits the Dense layer at the end gives.
        pool: what that layer reads after the last LayerNorm: "class", a class token, or
            "mean", the mean of all tokens, without a class token.
        positions: "learned", or "none" to leave them out.
        name: of the model.

    Raises ValueError for settings that do not fit.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 4.
    """
    whole_number("num_layers", num_layers, at_least=1)
    one_of("pool", pool, ("class", "mean"))
    one_of("positions", positions, ("learned", "none"))
    images = keras.Input((*sides("image", image), channels), name="images")
    x = PatchEmbedding(embed_dim, patch, name="patches")(images)
    if pool == "class":
        x = ClassToken(name="class_token")(x)
    if positions == "learned":
        x = LearnedPositions(x.shape[1], name="positions")(x)
    for number in range(num_layers):
        block = {"activation": "gelu", "name": f"block_{number}"}
        x = TransformerEncoderBlock(embed_dim, num_heads, mlp_dim, **block)(x)
    x = new_norm("final_norm")(x)
    x = ops.take(x, 0, axis=1) if pool == "class" else ops.mean(x, axis=1)
    logits = keras.layers.Dense(classes, dtype="float32", name="logits")(x)
    return keras.Model(images, logits, name=name)


def vit(size, image=224, classes=1000):
    """A Vision Transformer of a published size, such as "B/16", for colour images."""
    one_of("size", size, tuple(VIT_SIZES))
    name = f"vit_{size.replace('/', '_')}"
    return vision_transformer(image, 3, classes=classes, name=name, **VIT_SIZES[size])
