"""The Transformer's blocks and positions."""

from numbers import Integral

import keras
import numpy as np
from keras import ops

from course_utils.data.base import one_of, share, whole_number
from course_utils.layers.attention import MultiHeadAttention


class Positions(keras.layers.Layer):
    """What both kinds share: a table (max_length, channels) whose rows are added to the tokens.

    Call: x (batch, tokens, channels) → the same shape; start: the place of x's first token, for
    a decoder that gets one token at a time.
    Raises ValueError for a sequence longer than the table; where one graph of TensorFlow takes
    sequences of many lengths, it can only raise TensorFlow's InvalidArgumentError, which says
    the same.
    """

    def __init__(self, max_length, **kwargs):
        super().__init__(**kwargs)
        self.max_length = whole_number("max_length", max_length, at_least=1)
        self.supports_masking = True

    def call(self, x, start=0):
        places = start + ops.arange(self.check(ops.shape(x)[1]))
        return x + ops.cast(ops.take(self.table, places, axis=0), x.dtype)

    def compute_output_shape(self, x_shape, start_shape=None):
        # Without it Keras tries call with an open length set to 83 where the backend is torch.
        self.check(x_shape[1])
        return x_shape

    def check(self, tokens):
        """Return `tokens`, None or a number; raise where the table has fewer positions."""
        remedy = "cut it, or build the layer with a larger max_length"
        there_are = f"but there are only {self.max_length} positions: {remedy}"
        if tokens is None:
            return None
        if isinstance(tokens, Integral):
            if tokens > self.max_length:
                raise ValueError(f"the sequence has {tokens} tokens, {there_are}")
            return tokens
        import tensorflow  # whose graphs alone leave a length open until they run

        message = f"the sequence has too many tokens, {there_are}"
        fits = tensorflow.debugging.assert_less_equal(tokens, self.max_length, message)
        with tensorflow.control_dependencies([fits]):
            return tensorflow.identity(tokens)


@keras.saving.register_keras_serializable(package="course_utils")
class SinusoidalPositions(Positions):
    """Adds waves: sine of 10,000^(-2i/d)·position in channel 2i, its cosine in channel 2i + 1.
    Raises ValueError for an odd number of channels, and for a sequence longer than the table.

    Source: Vaswani et al., "Attention is all you need" (2017), section 3.5.
    """

    def build(self, input_shape):
        """Make `self.table`, float32 (self.max_length, channels = input_shape[-1])."""
        channels = input_shape[-1]
        if channels % 2:
            raise ValueError(f"sine and cosine come in pairs: {channels} channels are odd")
        angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (
            -np.arange(0, channels, 2) / channels
        )
        waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        self.table = waves.reshape(self.max_length, channels).astype("float32")


@keras.saving.register_keras_serializable(package="course_utils")
class LearnedPositions(Positions):
    """Adds a vector of its own, learned, for each position; N(0, 0.02²) at the start.
    Raises ValueError for a sequence longer than the table.

    Source: Devlin et al., "BERT" (2019), section 3; Radford et al. (2018), section 4.1.
    """

    def build(self, input_shape):
        self.table = self.add_weight(
            shape=(self.max_length, input_shape[-1]),
            initializer=keras.initializers.RandomNormal(stddev=0.02),
            name="table",
        )


class TransformerBlock(keras.layers.Layer):
    """What both blocks share: settings, residual connections, the feed-forward network.

        pre: x + sublayer(norm(x))        post: norm(x + sublayer(x))

    embed_dim: channels of the tokens, divisible by num_heads. mlp_dim: units of the
    feed-forward network. dropout: the share of weights, and of each sublayer's output, that
    training sets to 0. norm: "pre" or "post". activation: of the feed-forward network.
    Raises ValueError for settings that do not fit.

    Source: Vaswani et al., "Attention is all you need" (2017), sections 3.1 and 3.3 (post);
    Xiong et al., "On layer normalization in the Transformer architecture" (2020) (pre).
    """

    # The default; a class that notebooks show names it again, and finds the student's own.
    attention_layer = MultiHeadAttention

    def __init__(
        self,
        embed_dim,
        num_heads,
        mlp_dim,
        dropout=0.0,
        norm="pre",
        activation="relu",
        **kwargs,
    ):
        super().__init__(**kwargs)
        one_of("norm", norm, ("pre", "post"))
        self.norm = norm
        self.attention = self.attention_layer(embed_dim, num_heads, dropout, name="attention")
        self.attention_norm = new_norm("attention_norm")
        mlp_dim = whole_number("mlp_dim", mlp_dim, at_least=1)
        hidden = keras.layers.Dense(mlp_dim, activation=activation, name="hidden")
        output = keras.layers.Dense(self.attention.embed_dim, name="output")
        self.feed_forward = keras.Sequential([hidden, output], name="feed_forward")
        self.feed_forward_norm = new_norm("feed_forward_norm")
        self.dropout = keras.layers.Dropout(share("dropout", dropout), name="dropout")
        self.supports_masking = True

    def build(self, x_shape):
        self.attention.build(x_shape, x_shape)
        for layer in (self.attention_norm, self.feed_forward, self.feed_forward_norm):
            layer.build(x_shape)

    def residual(self, x, norm, sublayer):
        """x plus what the sublayer makes of it, normalised before or after."""
        if self.norm == "pre":
            return x + self.dropout(sublayer(norm(x)))
        return norm(x + self.dropout(sublayer(x)))

    def attention_weights(self, x, mask=None):
        """The weights of self-attention, no token hidden: (batch, heads, tokens, tokens)."""
        x = self.attention_norm(x) if self.norm == "pre" else x
        return self.attention(x, x, value_mask=mask, return_attention_scores=True)[1]


def new_norm(name):
    """A layer normalisation over the channels."""
    return keras.layers.LayerNormalization(epsilon=1e-6, name=name)


@keras.saving.register_keras_serializable(package="course_utils")
class TransformerEncoderBlock(TransformerBlock):
    """Self-attention over all real tokens, then a feed-forward network at each token.

    Call: x (batch, tokens, embed_dim); mask (batch, tokens), True = a real token, taken from x
    where it has one. Returns (batch, tokens, embed_dim). Sublayers: `attention` and
    `feed_forward`, with `attention_norm` and `feed_forward_norm`, joined by `residual`.
    """

    # Looked up where the class is defined: in a notebook that is the student's own layer.
    attention_layer = MultiHeadAttention

    def call(self, x, mask=None):
        def attend(x):
            return self.attention(x, x, value_mask=mask)

        x = self.residual(x, self.attention_norm, attend)
        return self.residual(x, self.feed_forward_norm, self.feed_forward)


class CachedBlock(TransformerBlock):
    """What a decoder's block has besides its `call`: how it decodes token by token.

    `cache = block.start(…)`, then `x, cache = block.step(x, cache, position)` with one token
    each. cross: False leaves the attention to an encoder out: the block of GPT.
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        mlp_dim,
        dropout=0.0,
        norm="pre",
        activation="relu",
        cross=True,
        **kwargs,
    ):
        super().__init__(embed_dim, num_heads, mlp_dim, dropout, norm, activation, **kwargs)
        self.cross = cross
        if cross:
            name = "cross_attention"
            self.cross_attention = self.attention_layer(
                embed_dim, num_heads, dropout, name=name
            )
            self.cross_norm = new_norm("cross_norm")

    def build(self, x_shape, encoded_shape=None):
        if self.cross != (encoded_shape is not None):
            raise ValueError("a block with cross=True needs `encoded`, one without takes none")
        super().build(x_shape)
        if self.cross:
            self.cross_attention.build(x_shape, encoded_shape)
            self.cross_norm.build(x_shape)

    def start(self, batch, max_length, encoded=None, encoded_mask=None):
        """An empty cache for max_length tokens: keys, values (batch, heads, max_length, d_k).

        What comes from the encoder is projected here, once, and not at each step.
        """
        num_heads = self.attention.num_heads
        shape = (batch, num_heads, max_length, self.attention.embed_dim // num_heads)
        empty = ops.zeros(shape, self.compute_dtype)
        cache = {"keys": empty, "values": empty}
        if self.cross:
            keys, values = self.cross_attention.keys_and_values(encoded)
            if encoded_mask is None:
                encoded_mask = ops.ones(ops.shape(encoded)[:2])
            cache |= {"cross_keys": keys, "cross_values": values}
            cache["cross_mask"] = ops.cast(encoded_mask, "bool")[:, None, None]
        return cache

    def step(self, x, cache, position):
        """One token x (batch, 1, embed_dim) at `position`; its output and the new cache."""
        cache = dict(cache)

        def look_back(x):
            key, value = self.attention.keys_and_values(x)
            place = (0, 0, position, 0)
            cache["keys"] = ops.slice_update(cache["keys"], place, key)
            cache["values"] = ops.slice_update(cache["values"], place, value)
            written = (ops.arange(ops.shape(cache["keys"])[2]) <= position)[None]
            return self.attention.attend(x, cache["keys"], cache["values"], written)[0]

        def look_across(x):
            keys, values = cache["cross_keys"], cache["cross_values"]
            return self.cross_attention.attend(x, keys, values, cache["cross_mask"])[0]

        x = self.residual(x, self.attention_norm, look_back)
        if self.cross:
            x = self.residual(x, self.cross_norm, look_across)
        return self.residual(x, self.feed_forward_norm, self.feed_forward), cache

    def cross_weights(self, x, encoded, encoded_mask=None):
        """The weights of the attention to the encoder: (batch, heads, tokens, keys)."""

        def attend(x):
            return self.attention(x, x, use_causal_mask=True)

        x = self.residual(x, self.attention_norm, attend)
        x = self.cross_norm(x) if self.norm == "pre" else x
        return self.cross_attention(
            x, encoded, value_mask=encoded_mask, return_attention_scores=True
        )[1]


@keras.saving.register_keras_serializable(package="course_utils")
class TransformerDecoderBlock(CachedBlock):
    """Causal self-attention, attention to the encoder's output, a feed-forward network.

    Call: x (batch, tokens, embed_dim); encoded (batch, keys, embed_dim); encoded_mask (batch,
    keys), True = a real token of the source, taken from encoded where it has one. Returns
    (batch, tokens, embed_dim). Pads after x need no mask: no real token sees later ones.
    Without `encoded` (a block built with cross=False) the middle sublayer is left out.
    Sublayers: `attention`, `cross_attention`, `feed_forward`, each with a norm of that name:
    `attention_norm`, `cross_norm`, `feed_forward_norm`.
    """

    # Looked up where the class is defined: in a notebook that is the student's own layer.
    attention_layer = MultiHeadAttention

    def call(self, x, encoded=None, encoded_mask=None):
        def attend(x):
            return self.attention(x, x, use_causal_mask=True)

        def attend_across(x):
            return self.cross_attention(x, encoded, value_mask=encoded_mask)

        x = self.residual(x, self.attention_norm, attend)
        if encoded is not None:
            x = self.residual(x, self.cross_norm, attend_across)
        return self.residual(x, self.feed_forward_norm, self.feed_forward)


def sizes(**given):
    """A list of int. Raises ValueError naming one that is no whole number of at least 1."""
    return [whole_number(name, size, at_least=1) for name, size in given.items()]


def take_numpy(*kinds):
    """Let Keras note down the settings of these layers: it can save Python's numbers alone.

    Done from outside, so that the classes which students read are plain layers of Keras.
    """
    for kind in kinds:
        kind.__new__ = _with_plain_settings


def _with_plain_settings(cls, *args, **kwargs):
    args = [plain(value) for value in args]
    return keras.layers.Layer.__new__(
        cls, *args, **{name: plain(kwargs[name]) for name in kwargs}
    )


def plain(value):
    """A number of NumPy as one of Python, also inside a tuple; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value


take_numpy(
    LearnedPositions,
    MultiHeadAttention,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
)
