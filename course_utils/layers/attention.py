"""Attention: masks, the scores of Bahdanau and Luong, scaled dot products, several heads.

Also the mean of a text's real tokens, which is attention with equal weights.
"""

from functools import reduce

import keras
from keras import ops

from course_utils.data.base import one_of, whole_number

MASK_VALUE = -6e4  # the smallest round number that float16 still holds


def masked_softmax(scores, mask=None):
    """Weights that add up to 1 over the last axis, and 0 where the mask is False.

    Shapes: scores (…, queries, keys); mask broadcasts to it, True = may be attended to. A row
    without any True gives weights 0, not NaN.
    """
    if mask is None:
        return softmax(scores)
    check_mask(mask, scores.shape)
    mask = ops.cast(mask, "bool")
    largest = ops.max(ops.where(mask, scores, -float("inf")), axis=-1, keepdims=True)
    weights = softmax(ops.where(mask, scores - largest, MASK_VALUE))
    return weights * ops.cast(mask, weights.dtype)


def softmax(scores):
    """Over the last axis; Keras' own warns where there is a single key, as at a first step."""
    if scores.shape[-1] == 1:
        return ops.exp(scores - scores)
    return ops.softmax(scores, axis=-1)


def zero_hidden(x, mask):
    """Return x with 0 where no query may attend to: a weight of 0 would not hide NaN there.

    Shapes: x (…, keys, channels); mask (…, queries, keys), True = may be attended to, or None.
    """
    if mask is None:
        return x
    check_mask(mask, (*x.shape[:-2], None, x.shape[-2]))
    seen = ops.any(ops.cast(mask, "bool"), axis=-2)
    return ops.where(seen[..., None], x, 0.0)


def check_mask(mask, shape):
    """Raise ValueError unless the mask broadcasts to the scores' shape (…, queries, keys)."""
    fits = 2 <= len(mask.shape) <= len(shape) and all(
        have in (1, want) or not (isinstance(have, int) and isinstance(want, int))
        for have, want in zip(tuple(mask.shape)[::-1], tuple(shape)[::-1], strict=False)
    )
    if not fits:
        raise ValueError(
            f"the mask has the shape {tuple(mask.shape)}, but the scores have "
            f"{tuple(shape)}, that is (…, queries, keys); an axis of 1 stands for all"
        )


@keras.saving.register_keras_serializable(package="course_utils")
class ScaledDotProductAttention(keras.layers.Layer):
    """softmax(QKᵀ / √d_k) V, without weights of its own.

    Call: query (…, queries, d_k), value (…, keys, d_v), key (…, keys, d_k), by default the
    value; attention_mask (…, queries, keys), True = attend. Returns (…, queries, d_v) and, with
    return_attention_scores, also the weights (…, queries, keys). A query that may attend to
    nothing gets zeros.

    dropout: the share of weights that training sets to 0 before the average is taken; the
    weights returned are those before. Raises ValueError for a mask of the wrong shape.

    Source: Vaswani et al., "Attention is all you need" (2017), equation 1.
    """

    def __init__(self, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.dropout = keras.layers.Dropout(dropout)
        self.supports_masking = True

    def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
        key = value if key is None else key
        value, key = (zero_hidden(each, attention_mask) for each in (value, key))
        scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
        weights = masked_softmax(scores, attention_mask)
        context = ops.matmul(self.dropout(weights), value)
        return (context, weights) if return_attention_scores else context


@keras.saving.register_keras_serializable(package="course_utils")
class BahdanauAttention(keras.layers.Layer):
    """Additive attention: score(s, h) = v · tanh(s W_s + h W_h), context c = Σ α h.

    Call: query, the decoder's states (batch, queries, channels), value, the encoder's states
    (batch, keys, channels); value_mask (batch, keys), True = a real token, or None: Keras hands
    on the value's own. Returns the contexts (batch, queries, channels of value) and, with
    return_attention_scores, the weights α (batch, queries, keys).

    units: the length of v.

    Source: Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align
    and translate" (2015), equations 5 and 6, and appendix A.1.2.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.supports_masking = True
        self.W_s = keras.layers.Dense(units, use_bias=False, name="W_s")
        self.W_h = keras.layers.Dense(units, use_bias=False, name="W_h")
        self.v = keras.layers.Dense(1, use_bias=False, name="v")

    def build(self, query_shape, value_shape):
        self.W_s.build(query_shape)
        self.W_h.build(value_shape)
        self.v.build((*query_shape[:-1], self.units))

    def call(self, query, value, value_mask=None, return_attention_scores=False):
        return self.attend(query, self.W_h(value), value, value_mask, return_attention_scores)

    def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
        """Attend with keys = h W_h given, so that a decoder computes them once for all steps.

        Shapes: query (batch, T, d_s), keys (batch, S, units), value (batch, S, d_h), value_mask
        (batch, S), True = a real token. Returns the contexts (batch, T, d_h) or, with
        return_attention_scores, the pair of contexts and weights (batch, T, S).
        """
        hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
        scores = ops.squeeze(self.v(hidden), -1)
        mask = None if value_mask is None else value_mask[:, None]
        weights = masked_softmax(scores, mask)
        context = ops.matmul(weights, zero_hidden(value, mask))
        return (context, weights) if return_attention_scores else context


@keras.saving.register_keras_serializable(package="course_utils")
class LuongAttention(keras.layers.Layer):
    """Multiplicative attention: context c = Σ α h, attention vector ã = tanh([c; s] W_c).

        dot: score(s, h) = s · h        general: score(s, h) = (s W) · h

    Call: query, the decoder's states s (batch, T, d), value, the encoder's states h (batch, S,
    d); value_mask (batch, S), True = a real token, or None: Keras hands on the value's own.
    Returns ã (batch, T, units) and, with return_attention_scores, the pair of ã and the weights
    α (batch, T, S).

    units: the length of ã. score: "dot" or "general". `self.W_c` makes ã out of [c; s], its
    tanh included; `self.W`, only with the general score, is (d of s, d of h).
    Raises ValueError for another score, and for the dot score of states of unlike length.

    Source: Luong, Pham and Manning, "Effective approaches to attention-based neural machine
    translation" (2015), equations 5 and 8; their h_t is our s, their h̄_s our h.
    """

    SCORES = ("dot", "general")

    def __init__(self, units, score="dot", **kwargs):
        super().__init__(**kwargs)
        one_of("score", score, self.SCORES)
        self.units, self.score = units, score
        self.supports_masking = True
        self.W_c = keras.layers.Dense(units, use_bias=False, activation="tanh", name="W_c")

    def build(self, query_shape, value_shape):
        s, h = query_shape[-1], value_shape[-1]
        if self.score == "dot" and s != h:
            raise ValueError(
                f"the dot score needs states of one length, got {s} (query) and {h} (value): "
                "choose 'general'"
            )
        if self.score == "general":
            self.W = self.add_weight(shape=(s, h), name="W")
        self.W_c.build((*query_shape[:-1], h + s))

    def call(self, query, value, value_mask=None, return_attention_scores=False):
        projected = query if self.score == "dot" else ops.matmul(query, self.W)
        mask = None if value_mask is None else value_mask[:, None]
        value = zero_hidden(value, mask)
        scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
        weights = masked_softmax(scores, mask)
        context = ops.matmul(weights, value)
        attention_vector = self.W_c(ops.concatenate([context, query], axis=-1))
        return (attention_vector, weights) if return_attention_scores else attention_vector


class HeadProjections(keras.layers.Layer):
    """What surrounds the heads of `MultiHeadAttention`: four projections, and one mask of all.

    `query`, `key`, `value` and `output_projection` are Dense layers with embed_dim units, the
    matrices W^Q, W^K, W^V of all heads side by side, head after head, and W^O; `attention` is
    the layer that attends inside each head.
    """

    # The default; a class that notebooks show names it again, and finds the student's own.
    attention_layer = ScaledDotProductAttention

    def __init__(self, embed_dim, num_heads, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        embed_dim = whole_number("embed_dim", embed_dim, at_least=1)
        num_heads = whole_number("num_heads", num_heads, at_least=1)
        if embed_dim % num_heads:
            raise ValueError(
                f"embed_dim has to be divisible by num_heads, got {embed_dim} and {num_heads}: "
                "each head takes embed_dim // num_heads channels"
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.query = keras.layers.Dense(embed_dim, name="query")
        self.key = keras.layers.Dense(embed_dim, name="key")
        self.value = keras.layers.Dense(embed_dim, name="value")
        self.output_projection = keras.layers.Dense(embed_dim, name="output")
        self.supports_masking = True
        self.attention = self.attention_layer(dropout=dropout, name="attention")

    def build(self, query_shape, value_shape, key_shape=None):
        self.query.build(query_shape)
        self.key.build(key_shape or value_shape)
        self.value.build(value_shape)
        self.output_projection.build((*query_shape[:-1], self.embed_dim))

    def call(
        self,
        query,
        value,
        key=None,
        value_mask=None,
        attention_mask=None,
        use_causal_mask=False,
        return_attention_scores=False,
    ):
        masks = []
        if value_mask is not None:
            masks.append(ops.cast(value_mask, "bool")[:, None, None])
        if attention_mask is not None:
            mask = ops.cast(attention_mask, "bool")
            masks.append(mask[:, None] if len(mask.shape) == 3 else mask)
        if use_causal_mask:
            masks.append(causal_mask(ops.shape(query)[1], ops.shape(value)[1]))
        for mask in masks:
            check_mask(mask, (query.shape[0], self.num_heads, query.shape[1], value.shape[1]))
        if value_mask is not None:
            key = value if key is None else key
            value, key = (zero_hidden(x, value_mask[:, None]) for x in (value, key))
        keys, values = self.keys_and_values(value, key)
        output, weights = self.attend(query, keys, values, all_of(masks))
        return (output, weights) if return_attention_scores else output

    def keys_and_values(self, value, key=None):
        """Keys and values of every head: twice (batch, heads, keys, d_k)."""
        key = value if key is None else key
        return self.split(self.key(key)), self.split(self.value(value))


@keras.saving.register_keras_serializable(package="course_utils")
class MultiHeadAttention(HeadProjections):
    """Concat(head_1, …, head_h) W^O with head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Call: query (batch, queries, channels), value (batch, keys, channels), key like value, by
    default the value itself. What may be attended to, True = yes: value_mask (batch, keys),
    taken from the value where it has one; attention_mask (batch, queries, keys) or
    (queries, keys); use_causal_mask: query t attends to keys 0 … t only. All given ones have to
    agree. Returns (batch, queries, embed_dim) and, with return_attention_scores, the weights
    (batch, heads, queries, keys), before dropout.

    embed_dim: the channels of the result; each head has d_k = embed_dim // num_heads of them.
    dropout: the share of weights set to 0 in training.
    Raises ValueError when embed_dim is not divisible by num_heads, and for a mask of the wrong
    shape.

    Source: Vaswani et al., "Attention is all you need" (2017), section 3.2.2.
    """

    # Looked up where the class is defined: in a notebook that is the student's own layer.
    attention_layer = ScaledDotProductAttention

    def split(self, x):
        """Give each head its group of neighbouring channels.

        x: (batch, tokens, embed_dim). Returns (batch, num_heads, tokens, d_k).
        """
        shape = (-1, ops.shape(x)[1], self.num_heads, self.embed_dim // self.num_heads)
        return ops.transpose(ops.reshape(x, shape), (0, 2, 1, 3))

    def join(self, x):
        """Lay the heads side by side again.

        x: (batch, num_heads, tokens, d_k). Returns (batch, tokens, embed_dim).
        """
        x = ops.transpose(x, (0, 2, 1, 3))
        return ops.reshape(x, (-1, ops.shape(x)[1], self.embed_dim))

    def attend(self, query, keys, values, mask=None):
        """Project the query, attend in every head with `self.attention`, mix the results.

        query: (batch, queries, channels), not yet projected. keys, values: projected and split.
        mask: None, or ready for `self.attention`: it fits (batch, heads, queries, keys).
        Returns the output (batch, queries, embed_dim), after W^O, and the attention weights.
        """
        contexts, weights = self.attention(
            self.split(self.query(query)), values, keys, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(contexts)), weights


def causal_mask(queries, keys):
    """True where a query may look: at keys that do not come later, (queries, keys)."""
    return ops.arange(queries)[:, None] >= ops.arange(keys)


def all_of(masks):
    """One mask that is True where all are; None without any."""
    return reduce(ops.logical_and, masks) if masks else None


def masked_mean(x, mask):
    """The mean of the real tokens, 0 where a row has none: (batch, channels).

    Keras' own `GlobalAveragePooling1D` gives NaN for such a row, which makes every weight NaN.

    x: (batch, tokens, channels). mask: (batch, tokens), True or 1 = a real token.
    """
    real = ops.cast(mask, "bool")[..., None]
    number = ops.sum(ops.cast(real, x.dtype), axis=1)
    return ops.sum(ops.where(real, x, 0.0), axis=1) / ops.maximum(number, 1.0)


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedAveragePooling1D(keras.layers.Layer):
    """`masked_mean` as a layer, which takes the mask of its input where it has one.

    Call: x (batch, tokens, channels); mask (batch, tokens), True = a real token, or None: all
    are real. Returns (batch, channels).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, x, mask=None):
        return ops.mean(x, axis=1) if mask is None else masked_mean(x, mask)

    def compute_mask(self, x, mask=None):
        return None

    def compute_output_shape(self, x_shape):
        return (x_shape[0], x_shape[-1])
