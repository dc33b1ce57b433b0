"""Write what a picture shows: two new encoders in front of two decoders that translated.

Both models take {"image": (batch, height, width, channels), "ids": int (batch, T)}, the ids
beginning with <sos>, and decode with `start` and `step` as the translators do.
"""

import keras
from keras import layers, ops

from course_utils.data.base import one_of, whole_number
from course_utils.data.images import check_images, patch_grid, sides
from course_utils.layers import LuongAttention
from course_utils.layers.transformer import (
    LearnedPositions,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
    new_norm,
)
from course_utils.layers.vision import PatchEmbedding
from course_utils.models.recurrent import ATTENTIONS, BahdanauDecoder, RecurrentTranslator
from course_utils.models.transformer import Transformer, token_embedding


@keras.saving.register_keras_serializable(package="course_utils")
class ImageToText(Transformer):
    """A Vision Transformer without a head, and the decoder of `Transformer` as it is.

    Call: {"image": (batch, height, width, channels), "ids": int (batch, T)}. Returns logits
    float32 (batch, T, words): row t is about the token behind token t, and sees no later one.
    Only `encode` is new: every patch becomes a token, and all of them are kept for the decoder.
    `embed`, `logits`, `start`, `step` and `alignment` are the Transformer's.

    image: its side, or (height, width). vocab_size: of the vocabulary. patch: the side of a
    patch. embed_dim, num_heads, mlp_dim, dropout: as in the blocks. num_encoder_layers,
    num_decoder_layers: how many. max_length: the most tokens that are written. positions: of
    the patches, "learned", or "none" to see what they do.

    Raises ValueError for settings that do not fit, and for pictures of another size.

    Sources: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 3;
    Vaswani et al., "Attention is all you need" (2017); the two of them joined, for lines of
    text: Li et al., "TrOCR" (2023).
    """

    def __init__(
        self,
        image,
        channels,
        vocab_size,
        patch=4,
        embed_dim=64,
        num_heads=4,
        mlp_dim=128,
        num_encoder_layers=2,
        num_decoder_layers=1,
        max_length=16,
        dropout=0.0,
        positions="learned",
        **kwargs,
    ):
        super(Transformer, self).__init__(**kwargs)  # the Transformer's own would read words
        counts = {
            "channels": channels,
            "vocab_size": vocab_size,
            "num_encoder_layers": num_encoder_layers,
        }
        for name, number in (counts | {"num_decoder_layers": num_decoder_layers}).items():
            whole_number(name, number, at_least=1)
        one_of("positions", positions, ("learned", "none"))
        rows, columns = patch_grid(image, patch)
        self.settings = {
            "image": sides("image", image),
            "channels": channels,
            "vocab_size": vocab_size,
            "patch": patch,
            "embed_dim": embed_dim,
            "num_heads": num_heads,
            "mlp_dim": mlp_dim,
            "num_encoder_layers": num_encoder_layers,
            "num_decoder_layers": num_decoder_layers,
            "max_length": max_length,
            "dropout": dropout,
            "positions": positions,
        }
        self.image_shape = (*sides("image", image), channels)
        self.patches = PatchEmbedding(embed_dim, patch, name="patches")
        self.places = (
            LearnedPositions(rows * columns, name="places") if positions == "learned" else None
        )
        block = {
            "embed_dim": embed_dim,
            "num_heads": num_heads,
            "mlp_dim": mlp_dim,
            "dropout": dropout,
        }
        self.encoder = [
            TransformerEncoderBlock(**block, activation="gelu", name=f"encoder_{number}")
            for number in range(num_encoder_layers)
        ]
        self.encoder_norm = new_norm("encoder_norm")
        self.set_up_decoder(block, num_decoder_layers, vocab_size, max_length)

    def set_up_decoder(self, block, num_layers, vocab_size, max_length):
        """What the inherited methods use: the names and layers of `Transformer`."""
        self.embed_dim, self.norm, self.shared = block["embed_dim"], "pre", False
        self.target_embedding = token_embedding(vocab_size, self.embed_dim, "target_embedding")
        self.positions = SinusoidalPositions(max_length, name="positions")
        self.dropout = layers.Dropout(block["dropout"], name="dropout")
        self.decoder = [
            TransformerDecoderBlock(**block, name=f"decoder_{number}")
            for number in range(num_layers)
        ]
        self.decoder_norm = new_norm("decoder_norm")
        self.to_words = layers.Dense(vocab_size, dtype="float32", name="to_words")

    def build(self, input_shape=None):
        tokens = (None, None, self.embed_dim)
        self.patches.build((None, *self.image_shape))
        self.target_embedding.build()
        for layer in (*self.encoder, self.encoder_norm, self.decoder_norm, self.to_words):
            layer.build(tokens)
        for layer in (self.places, self.positions):
            if layer is not None:
                layer.build(tokens)
        for layer in self.decoder:
            layer.build(tokens, tokens)

    def call(self, inputs):
        return super().call({"source": inputs["image"], "target": inputs["ids"]})

    def encode(self, image):
        """What the decoder looks at: patches (batch, S, embed_dim), none of them a pad."""
        check_size(image, self.image_shape)
        x = self.patches(image)
        if self.places is not None:
            x = self.places(x)
        x = self.dropout(x)
        for block in self.encoder:
            x = block(x)
        return self.encoder_norm(x), None


@keras.saving.register_keras_serializable(package="course_utils")
class ConvnetToText(RecurrentTranslator):
    """A convnet that reads, and the recurrent decoder of `RecurrentTranslator` as it is.

    Call: {"image": (batch, height, width, channels), "ids": int (batch, T)}. Returns logits
    float32 (batch, T, words). Only `encode` is new: each place of the last feature map is a
    state that may be looked at, and all of them together make the decoder's first state.
    `decode`, `weights_for`, `start` and `step` are the translator's.

    image: its side, or (height, width). vocab_size: of the vocabulary. filters: of the
    convolutions (3×3, ReLU), each before a pooling that halves both sides. embedding, units: of
    the decoder. attention: None (the first state is all that the decoder gets), "bahdanau", or
    Luong's with the score "dot", "general" or "concat".

    Raises ValueError for settings that do not fit, and for pictures of another size.

    Sources: Vinyals et al., "Show and tell" (2015), without attention; Xu et al., "Show, attend
    and tell" (2015), with it.
    """

    def __init__(
        self,
        image,
        channels,
        vocab_size,
        filters=(32, 64),
        embed_dim=64,
        units=128,
        attention=None,
        **kwargs,
    ):
        super(RecurrentTranslator, self).__init__(**kwargs)  # its own would read words
        counts = {
            "channels": channels,
            "vocab_size": vocab_size,
            "embed_dim": embed_dim,
            "units": units,
        }
        for name, number in counts.items():
            whole_number(name, number, at_least=1)
        if attention is not None:
            one_of("attention", attention, ATTENTIONS)
        if not filters:
            raise ValueError("filters has to hold at least one convolution's filters")
        patch_grid(image, 2 ** len(filters))
        self.settings = {
            "image": sides("image", image),
            "channels": channels,
            "vocab_size": vocab_size,
            "filters": tuple(filters),
            "embed_dim": embed_dim,
            "units": units,
            "attention": attention,
        }
        self.image_shape = (*sides("image", image), channels)
        self.attention, self.feed = attention, False
        self.convolutions = [
            layers.Conv2D(
                number,
                3,
                padding="same",
                activation="relu",
                data_format="channels_last",
                name=f"convolution_{place}",
            )
            for place, number in enumerate(filters)
        ]
        self.pool = layers.MaxPooling2D(2, data_format="channels_last", name="pool")
        self.states = layers.Dense(units, name="states")
        self.first = layers.Dense(units, activation="tanh", name="first")
        self.target_embedding = layers.Embedding(vocab_size, embed_dim, name="target_embedding")
        if attention == "bahdanau":
            self.decoder = BahdanauDecoder(units, name="decoder")
        else:
            self.decoder = layers.GRU(
                units, return_sequences=True, return_state=True, name="decoder"
            )
            if attention is not None:
                self.attend = LuongAttention(units, attention, name="attend")
        self.vocabulary = layers.Dense(vocab_size, dtype="float32", name="vocabulary")

    def call(self, inputs):
        return super().call({"source": inputs["image"], "target": inputs["ids"]})

    def encode(self, image):
        """States (batch, S, units), the decoder's first (batch, units), mask (batch, S)."""
        check_size(image, self.image_shape)
        x = ops.cast(image, self.compute_dtype)
        for convolution in self.convolutions:
            x = self.pool(convolution(x))
        places, channels = x.shape[1] * x.shape[2], x.shape[3]
        first = self.first(ops.reshape(x, (-1, places * channels)))
        states = self.states(ops.reshape(x, (-1, places, channels)))
        return states, first, ops.ones_like(states[..., 0], dtype="bool")

    def get_config(self):
        return {**super(RecurrentTranslator, self).get_config(), **self.settings}


def check_size(images, shape):
    """Raise ValueError unless these are pictures (batch, *shape)."""
    check_images(images.shape)
    if tuple(images.shape[1:]) != tuple(shape):
        raise ValueError(
            f"the model reads pictures of the shape {tuple(shape)}, got {images.shape[1:]}"
        )
