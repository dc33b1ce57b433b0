"""Several attentions side by side, each with matrices of its own."""

import keras
from keras import ops

from course_utils.data.arguments import whole_number
from course_utils.layers.attention import ScaledDotProductAttention, check_mask


@keras.saving.register_keras_serializable(package="course_utils")
class MultiHeadAttention(keras.layers.Layer):
    """Concat(head_1, …, head_h) W^O with head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Call: query (batch, queries, channels), value (batch, keys, channels), key like value, by
    default the value itself. What may be attended to, True = yes: value_mask (batch, keys),
    taken from the value where it has one; attention_mask (batch, queries, keys) or
    (queries, keys); use_causal_mask: query t attends to keys 0 … t only. All given ones have to
    agree. Returns (batch, queries, embed_dim) and, with return_attention_scores, the weights
    (batch, heads, queries, keys), before dropout.

    embed_dim: the channels of the result; each head has d_k = embed_dim // num_heads of them.
    The matrices W^Q, W^K, W^V of all heads stand side by side in `query`, `key`, `value`, head
    after head. dropout: the share of weights set to 0 in training.

    Raises ValueError when embed_dim is not divisible by num_heads, and for a mask of the wrong
    shape.

    Source: Vaswani et al., "Attention is all you need" (2017), section 3.2.2.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        whole_number("embed_dim", embed_dim, at_least=1)
        whole_number("num_heads", num_heads, at_least=1)
        if embed_dim % num_heads:
            raise ValueError(
                f"embed_dim has to be divisible by num_heads, got {embed_dim} and {num_heads}: "
                "each head takes embed_dim // num_heads channels"
            )
        self.embed_dim, self.num_heads, self.dropout_rate = embed_dim, num_heads, dropout
        self.query = keras.layers.Dense(embed_dim, name="query")
        self.key = keras.layers.Dense(embed_dim, name="key")
        self.value = keras.layers.Dense(embed_dim, name="value")
        self.output_projection = keras.layers.Dense(embed_dim, name="output")
        self.supports_masking = True
        self.attention = ScaledDotProductAttention(dropout=dropout, name="attention")

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
        keys, values = self.keys_and_values(value, key)
        output, weights = self.attend(query, keys, values, all_of(masks))
        return (output, weights) if return_attention_scores else output

    def keys_and_values(self, value, key=None):
        """Keys and values of every head: twice (batch, heads, keys, d_k)."""
        key = value if key is None else key
        return self.split(self.key(key)), self.split(self.value(value))

    def attend(self, query, keys, values, mask=None):
        """Output (batch, queries, embed_dim), weights, for keys and values split into heads."""
        contexts, weights = self.attention(
            self.split(self.query(query)), values, keys, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(contexts)), weights

    def split(self, x):
        """(batch, tokens, embed_dim) → (batch, heads, tokens, d_k)."""
        x = ops.reshape(
            x, (-1, ops.shape(x)[1], self.num_heads, self.embed_dim // self.num_heads)
        )
        return ops.transpose(x, (0, 2, 1, 3))

    def join(self, x):
        """(batch, heads, tokens, d_k) → (batch, tokens, embed_dim)."""
        x = ops.transpose(x, (0, 2, 1, 3))
        return ops.reshape(x, (-1, ops.shape(x)[1], self.embed_dim))

    def get_config(self):
        return {
            **super().get_config(),
            "embed_dim": self.embed_dim,
            "num_heads": self.num_heads,
            "dropout": self.dropout_rate,
        }


def causal_mask(queries, keys):
    """True where a query may look: at keys that do not come later, (queries, keys)."""
    return ops.arange(queries)[:, None] >= ops.arange(keys)


def all_of(masks):
    """One mask that is True where all are; None without any."""
    combined = None
    for mask in masks:
        combined = mask if combined is None else ops.logical_and(combined, mask)
    return combined
