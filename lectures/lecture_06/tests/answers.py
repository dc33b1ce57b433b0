"""Answers to the exercises of lecture 06, as students write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils import data, schedules, training
from course_utils.layers.attention import masked_softmax
from lectures.lecture_05.pairs import load_pairs


@right("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    if key is None:
        key = value
    d_k = query.shape[-1]
    scores = ops.einsum("...td,...sd->...ts", query, key) / d_k**0.5
    weights = masked_softmax(scores, attention_mask)
    output = self.dropout(weights) @ value
    if return_attention_scores:
        return output, weights
    return output


@right("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scale = np.sqrt(query.shape[-1])
    scores = ops.matmul(query / scale, ops.swapaxes(key, -2, -1))
    alpha = masked_softmax(scores, mask=attention_mask)
    context = ops.matmul(self.dropout(alpha), value)
    return [context, alpha] if return_attention_scores else context


@right("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    keys = key if key is not None else value
    scores = query @ ops.moveaxis(keys, -1, -2)
    scores = scores / ops.sqrt(ops.cast(ops.shape(query)[-1], "float32"))
    weights = masked_softmax(scores, attention_mask)
    dropped = self.dropout(weights)
    return (dropped @ value, weights) if return_attention_scores else dropped @ value


@right("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    if key is None:
        key = value
    scores = ops.sum(query[..., :, None, :] * key[..., None, :, :], axis=-1)
    scores = scores * query.shape[-1] ** -0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.sum(self.dropout(weights)[..., None] * value[..., None, :, :], axis=-2)
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "open")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    rows = [ops.sum(query[..., t, None, :] * key, axis=-1) for t in range(query.shape[-2])]
    scores = ops.stack(rows, axis=-2) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "√d_k")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    weights = masked_softmax(ops.matmul(query, ops.swapaxes(key, -1, -2)), attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "heads")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.transpose(key, (0, 2, 1))) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "key")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = key or value
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = self.dropout(masked_softmax(scores, attention_mask))
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(self.dropout(scores), attention_mask)
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) * query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / value.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if attention_mask is not None:
        scores = ops.where(attention_mask, scores, -1e9)
    weights = ops.softmax(scores)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, key) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@wrong("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(weights, self.dropout(value))
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "transposed")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(key, ops.swapaxes(query, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = ops.matmul(self.dropout(weights), value)
    return (context, weights) if return_attention_scores else context


@right("06.2")
class MultiHeadAttention:
    def split(self, x):
        d_k = self.embed_dim // self.num_heads
        x = ops.reshape(x, (-1, ops.shape(x)[1], self.num_heads, d_k))
        return ops.swapaxes(x, 1, 2)

    def join(self, x):
        x = ops.swapaxes(x, 1, 2)
        return ops.reshape(x, (ops.shape(x)[0], -1, self.embed_dim))

    def attend(self, query, keys, values, mask=None):
        q = self.split(self.query(query))
        context, weights = self.attention(
            q, values, key=keys, attention_mask=mask, return_attention_scores=True
        )
        return self.output_projection(self.join(context)), weights


@right("06.2")
class MultiHeadAttention:
    def split(self, x):
        heads = ops.split(x, self.num_heads, axis=-1)
        return ops.stack(heads, axis=1)

    def join(self, x):
        return ops.concatenate([x[:, head] for head in range(self.num_heads)], axis=-1)

    def attend(self, query, keys, values, mask=None):
        q = self.split(self.query(query))
        found = self.attention(q, values, keys, mask, return_attention_scores=True)
        return self.output_projection(self.join(found[0])), found[1]


@wrong("06.2", "embed_dim // num_heads")
class MultiHeadAttention:
    def split(self, x):
        batch, tokens, _ = ops.shape(x)
        x = ops.reshape(x, (batch, tokens, self.num_heads, -1))
        return ops.transpose(x, [0, 2, 1, 3])


@right("06.2")
class MultiHeadAttention:
    def split(self, x):
        batch, tokens, width = ops.shape(x)
        x = ops.reshape(x, (batch, tokens, self.num_heads, width // self.num_heads))
        return ops.transpose(x, [0, 2, 1, 3])

    def join(self, x):
        batch, _, tokens, _ = ops.shape(x)
        x = ops.transpose(x, [0, 2, 1, 3])
        return ops.reshape(x, (batch, tokens, self.embed_dim))

    def attend(self, query, keys, values, mask=None):
        q = self.split(self.query(query))
        context, weights = self.attention(
            q, values, keys, attention_mask=mask, return_attention_scores=True
        )
        return [self.output_projection(self.join(context)), weights]


@right("06.2")
class MultiHeadAttention:
    def split(self, x):
        d_k = self.embed_dim // self.num_heads
        return ops.stack(
            [x[:, :, k * d_k : (k + 1) * d_k] for k in range(self.num_heads)], axis=1
        )

    def join(self, x):
        return ops.concatenate(ops.unstack(x, self.num_heads, axis=1), axis=-1)

    def attend(self, query, keys, values, mask=None):
        result = self.attention(
            query=self.split(self.query(query)),
            value=values,
            key=keys,
            attention_mask=mask,
            return_attention_scores=True,
        )
        return self.output_projection(self.join(result[0])), result[1]


@wrong("06.2", "ops.shape")
class MultiHeadAttention:
    def split(self, x):
        b, n, d = x.shape
        x = ops.reshape(x, (b, n, self.num_heads, d // self.num_heads))
        return ops.transpose(x, (0, 2, 1, 3))

    def join(self, x):
        b, h, n, d = x.shape
        return ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (b, n, h * d))


@wrong("06.2", "ops.shape")
class MultiHeadAttention:
    def split(self, x):
        x = ops.reshape(x, (x.shape[0], x.shape[1], self.num_heads, -1))
        return ops.transpose(x, (0, 2, 1, 3))


@wrong("06.2")
class MultiHeadAttention:
    def split(self, x):
        d_k = self.embed_dim // self.num_heads
        return ops.reshape(x, (-1, self.num_heads, ops.shape(x)[1], d_k))

    def join(self, x):
        return ops.reshape(x, (-1, ops.shape(x)[2], self.embed_dim))


@wrong("06.2")
class MultiHeadAttention:
    def split(self, x):
        d_k = self.embed_dim // self.num_heads
        x = ops.reshape(x, (-1, ops.shape(x)[1], d_k, self.num_heads))
        return ops.transpose(x, (0, 3, 1, 2))

    def join(self, x):
        x = ops.transpose(x, (0, 2, 3, 1))
        return ops.reshape(x, (-1, ops.shape(x)[1], self.embed_dim))


@wrong("06.2")
class MultiHeadAttention:
    def join(self, x):
        return ops.reshape(x, (-1, ops.shape(x)[2], self.embed_dim))


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.split(query), values, keys, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(context)), weights


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.query(query), values, keys, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(context)), weights


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.split(self.query(query)), keys, values, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(context)), weights


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context = self.attention(self.split(self.query(query)), values, keys, mask)
        return self.output_projection(self.join(context))


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.split(self.query(query)), values, keys, return_attention_scores=True
        )
        return self.output_projection(self.join(context)), weights


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.split(self.query(query)),
            self.split(self.value(values)),
            self.split(self.key(keys)),
            mask,
            return_attention_scores=True,
        )
        return self.output_projection(self.join(context)), weights


@wrong("06.2")
class MultiHeadAttention:
    def attend(self, query, keys, values, mask=None):
        context, weights = self.attention(
            self.split(self.query(query)), values, keys, mask, return_attention_scores=True
        )
        return self.join(self.output_projection(context)), weights


@right("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    table = np.zeros((self.max_length, d), dtype="float32")
    p = np.arange(self.max_length)[:, None]
    speeds = np.exp(-np.log(10000.0) * np.arange(0, d, 2) / d)
    table[:, 0::2] = np.sin(p * speeds)
    table[:, 1::2] = np.cos(p * speeds)
    self.table = table


@right("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    i = np.arange(d) // 2
    angles = np.arange(self.max_length).reshape(-1, 1) / 10000 ** (2 * i / d)
    waves = np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))
    self.table = waves.astype("float32")


@right("06.3")
def build(self, input_shape):
    rows = []
    for p in range(self.max_length):
        row = []
        for i in range(input_shape[-1] // 2):
            angle = p / 10_000 ** (2 * i / input_shape[-1])
            row += [np.sin(angle), np.cos(angle)]
        rows.append(row)
    self.table = np.array(rows, dtype=np.float32)


@right("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    i = np.repeat(np.arange(0, d, 2), 2)
    phase = np.tile([0, np.pi / 2], d // 2)
    positions = np.arange(self.max_length)[:, np.newaxis]
    self.table = np.sin(positions / 10_000 ** (i / d) + phase).astype("float32")
    super().build(input_shape)


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    self.table = np.concatenate([np.sin(angles), np.cos(angles)], axis=-1).astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(self.max_length, d)


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(input_shape[1])[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, d)
    self.table = table.astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    i = np.arange(d)
    angles = np.arange(self.max_length)[:, None] / 10_000 ** (2 * i / d)
    self.table = np.where(i % 2 == 0, np.sin(angles), np.cos(angles)).astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    i = np.arange(d)
    angles = np.arange(self.max_length)[:, None] / 10_000 ** (i / d)
    self.table = np.where(i % 2 == 0, np.sin(angles), np.cos(angles)).astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    self.table = np.stack([np.sin(angles), np.cos(angles)], axis=-1).astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    table = np.stack([np.sin(angles), np.cos(angles)]).reshape(self.max_length, d)
    self.table = table.astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    self.table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(d, -1).T


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] / 10_000 ** (np.arange(d // 2) / d)
    table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, d)
    self.table = table.astype("float32")


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)
    self.positions = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, d)


@wrong("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    angles = np.arange(self.max_length) * 10_000.0 ** (-np.arange(0, d, 2) / d)
    self.table = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, d)


@right("06.4")
def call(self, x, mask=None):
    x = self.residual(x, self.attention_norm, lambda y: self.attention(y, y, value_mask=mask))
    x = self.residual(x, self.feed_forward_norm, self.feed_forward)
    return x


@right("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(query=y, value=y, key=y, value_mask=mask)

    def think(y):
        return self.feed_forward(y)

    after = self.residual(x, self.attention_norm, attend)
    return self.residual(after, self.feed_forward_norm, think)


@right("06.4")
def call(self, x, mask=None):
    if self.norm == "pre":
        y = self.attention_norm(x)
        x = x + self.dropout(self.attention(y, y, value_mask=mask))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
    x = self.attention_norm(x + self.dropout(self.attention(x, x, value_mask=mask)))
    return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


@right("06.4")
def call(self, x, mask=None):
    attention_mask = None
    if mask is not None:
        attention_mask = ops.repeat(mask[:, None], ops.shape(x)[1], axis=1)

    def attend(y):
        return self.attention(y, y, attention_mask=attention_mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4", "mask may be None")
def call(self, x, mask=None):
    x = self.residual(x, self.attention_norm, lambda y: self.attention(y, y, None, mask))
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4", "mask may be None")
def call(self, x, mask=None):
    mask = ops.repeat(mask[:, None], ops.shape(x)[1], axis=1)

    def attend(y):
        return self.attention(y, y, attention_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y, value_mask=mask)

    self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    attended = self.residual(x, self.attention_norm, self.attention(x, x, value_mask=mask))
    return self.residual(attended, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    attended = self.residual(x, self.attention_norm, self.attention)
    return self.residual(attended, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y, attention_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, value_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y, value_mask=mask)

    x = self.residual(x, attend, self.attention_norm)
    return self.residual(x, self.feed_forward, self.feed_forward_norm)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        self.attention(y, y, value_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y, value_mask=mask)

    x = self.residual(x, self.feed_forward_norm, self.feed_forward)
    return self.residual(x, self.attention_norm, attend)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return y + self.attention(y, y, value_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        return self.attention(y, y, value_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    x = self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.4")
def call(self, x, mask=None):
    def attend(y):
        y = self.attention_norm(y)
        return self.attention(y, y, value_mask=mask)

    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@right("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    x = self.residual(
        x, self.attention_norm, lambda y: self.attention(y, y, use_causal_mask=True)
    )
    if encoded is not None:
        x = self.residual(
            x,
            self.cross_norm,
            lambda y: self.cross_attention(y, encoded, value_mask=encoded_mask),
        )
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@right("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        places = ops.arange(ops.shape(y)[1])
        return self.attention(y, y, attention_mask=places[:, None] >= places[None])

    def cross(y):
        return self.cross_attention(y, encoded, key=encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    x = x if encoded is None else self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@right("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        n = ops.shape(y)[1]
        return self.attention(y, y, attention_mask=ops.tril(ops.ones((n, n))))

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if self.cross:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@right("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    steps = [(self.attention_norm, lambda y: self.attention(y, y, use_causal_mask=True))]
    if encoded is not None:
        mask = {} if encoded_mask is None else {"value_mask": encoded_mask}
        steps += [(self.cross_norm, lambda y: self.cross_attention(y, encoded, **mask))]
    for norm, sublayer in [*steps, (self.feed_forward_norm, self.feed_forward)]:
        x = self.residual(x, norm, sublayer)
    return x


@wrong("06.5", "open")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, attention_mask=np.tri(y.shape[1], dtype=bool))

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y)

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5", "encoded_mask")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask & True)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(encoded, y, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(y, encoded, attention_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(y, y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True, value_mask=encoded_mask)

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(y, self.cross_norm(encoded), value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, attention_mask=ops.tril(ops.ones(ops.shape(y)[1])))

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    x = self.residual(x, self.attention_norm, attend)
    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@wrong("06.5")
def call(self, x, encoded=None, encoded_mask=None):
    def attend(y):
        return self.attention(y, y, use_causal_mask=True)

    def cross(y):
        return self.cross_attention(y, encoded, value_mask=encoded_mask)

    if encoded is not None:
        x = self.residual(x, self.cross_norm, cross)
    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


@right("06.6")
class Transformer:
    def encode(self, source):
        mask = source != 0
        states = self.embed(self.source_embedding, source)
        for block in self.encoder:
            states = block(states, mask=mask)
        if self.norm == "pre":
            states = self.encoder_norm(states)
        return states, mask

    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, mask)
        return self.logits(x)


@right("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.cast(source, "bool")
        x = self.embed(self.source_embedding, source)
        for number in range(len(self.encoder)):
            x = self.encoder[number](x, mask)
        return [self.encoder_norm(x) if self.norm == "pre" else x, mask]

    def call(self, inputs, training=None):
        source, target = inputs["source"], inputs["target"]
        found = self.encode(source)
        x = self.embed(self.target_embedding, target)
        for block in self.decoder:
            x = block(x, found[0], encoded_mask=found[1])
        logits = self.logits(x)
        return logits


@right("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.greater(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm if self.norm == "pre" else ops.copy)(x), mask

    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded=encoded, encoded_mask=mask, training=training)
        return self.logits(x)


@right("06.6")
class Transformer:
    def encode(self, source):
        from functools import reduce

        mask = ops.not_equal(source, ops.zeros_like(source))
        start = self.embed(self.source_embedding, source)
        x = reduce(lambda x, block: block(x, mask=mask), self.encoder, start)
        return (x, mask) if self.norm == "post" else (self.encoder_norm(x), mask)


@wrong("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return x, mask


@wrong("06.6", "post")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return self.encoder_norm(x), mask


@wrong("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            y = block(x, mask=mask)
        return (self.encoder_norm(y) if self.norm == "pre" else y), mask


@wrong("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(source, self.source_embedding)
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask


@wrong("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding(source))
        for block in self.encoder:
            x = block(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask


@wrong("06.6")
class Transformer:
    def encode(self, source):
        mask = ops.not_equal(source, 0)
        x = self.embed(self.source_embedding, source)
        x = self.encoder(x, mask=mask)
        return (self.encoder_norm(x) if self.norm == "pre" else x), mask


@right("06.6")
class Transformer:
    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded)
        return self.logits(x)


@wrong("06.6")
class Transformer:
    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, mask)
        return self.logits(x)


@wrong("06.6")
class Transformer:
    def call(self, inputs, training=None):
        source, target = inputs
        encoded, mask = self.encode(source)
        x = self.embed(self.target_embedding, target)
        for block in self.decoder:
            x = block(x, encoded, mask)
        return self.logits(x)


@wrong("06.6")
class Transformer:
    def call(self, inputs, training=None):
        encoded = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded)
        return self.logits(x)


@wrong("06.6")
class Transformer:
    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["target"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, mask)
        return self.logits(x)


@wrong("06.6")
class Transformer:
    def call(self, inputs, training=None):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, mask)
        return x


@wrong("06.6", "training")
class Transformer:
    def call(self, inputs):
        encoded, mask = self.encode(inputs["source"])
        x = self.embed(self.target_embedding, inputs["target"])
        for block in self.decoder:
            x = block(x, encoded, mask)
        return self.logits(x)


@right("06.7")
def lookahead(model, source, target):
    def logits(ids):
        return ops.convert_to_numpy(model({"source": source, "target": ids}, training=False))

    before, largest = logits(target), 0
    for j in range(target.shape[1]):
        other = np.array(target)
        other[:, j] = 4 + (target[:, j] == 4)
        moved = (np.abs(logits(other) - before) > 1e-6).any(axis=(0, 2))
        for t in range(j):
            if moved[t]:
                largest = max(largest, j - t)
    return largest


@right("06.7")
def lookahead(model, source, target):
    before = np.asarray(model.predict({"source": source, "target": target}, verbose=0))
    found = [0]
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = np.where(changed[:, j] == 4, 5, 4)
        after = np.asarray(model.predict({"source": source, "target": changed}, verbose=0))
        moved = ~np.isclose(before, after, atol=1e-6).all(axis=(0, 2))
        found += [j - t for t in np.flatnonzero(moved[:j])]
    return int(max(found))


@right("06.7")
def lookahead(model, source, target):
    T, first = target.shape[1], []
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    for j in range(T):
        changed = target.copy()
        changed[:, j] = np.where(changed[:, j] != 4, 4, 5)
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.where(np.abs(after - before).sum(axis=(0, 2)) > 1e-5)[0]
        first.append(j - min([*moved, j]))
    return max(first)


@right("06.7")
def lookahead(model, source, target):
    def logits(ids):
        return ops.convert_to_numpy(model({"source": source, "target": ids}))

    before = logits(target)
    for k in range(target.shape[1] - 1, 0, -1):
        for j in range(k, target.shape[1]):
            changed = target.copy()
            changed[:, j] = np.where(target[:, j] == 4, 5, 4)
            if np.abs(logits(changed)[:, j - k] - before[:, j - k]).max() > 1e-6:
                return k
    return 0


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    for j in range(1, target.shape[1]):
        target[:, j] = np.where(target[:, j] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": source, "target": target}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        if moved[:j].any():
            return j - int(moved.argmax())
    return 0


@right("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j:] = np.where(target[:, j:] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@right("06.7")
def lookahead(model, source, target):
    T, targets = target.shape[1], []
    for j in range(T):
        changed = target.copy()
        changed[:, j] = np.where(target[:, j] == 4, 5, 4)
        targets.append(changed)
    every = {
        "source": np.tile(source, (T + 1, 1)),
        "target": np.concatenate([target, *targets]),
    }
    before, *after = np.split(model.predict_on_batch(every), T + 1)
    moved = [np.abs(one - before).max(axis=(0, 2)) > 1e-5 for one in after]
    return max([j - t for j in range(T) for t in range(j) if moved[j][t]], default=0)


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = np.where(target[:, j] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-2
        moved[j] = True
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[0, j] = 5 if target[0, j] == 4 else 4
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        moved[j] = True
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, source.shape[1]):
        changed = source.copy()
        changed[:, j] = np.where(source[:, j] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": changed, "target": target}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = np.where(target[:, j] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        moved[j] = True
        furthest = max(furthest, int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    leaks = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = np.where(target[:, j] == 4, 5, 4)
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        leaks += bool((np.abs(after - before)[:, :j] > 1e-5).any())
    return leaks


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = 4
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        moved[j] = True
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = model({"source": source, "target": target}, training=True)
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = np.where(target[:, j] == 4, 5, 4)
        after = model({"source": source, "target": changed}, training=True)
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        moved[j] = True
        furthest = max(furthest, j - int(moved.argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model({"source": source, "target": target}))
    furthest = 0
    for j in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, j] = 0
        after = ops.convert_to_numpy(model({"source": source, "target": changed}))
        moved = np.abs(after - before).max(axis=(0, 2)) > 1e-5
        moved[j] = True
        furthest = max(furthest, j - int(moved[:-2].argmax()))
    return furthest


@wrong("06.7")
def lookahead(model, source, target):
    before = ops.convert_to_numpy(model(source, target))
    return int(np.abs(before).argmax())


LOSS = {"from_logits": True, "ignore_class": 0}


@right("06.8", trains=True)
def two_epochs(model, batches):
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, 2 * len(batches), warmup_target=0.008, warmup_steps=100
    )
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss, metrics=["accuracy"])
    model.fit(batches, epochs=2, verbose=0)
    return model


@right("06.8", trains=True)
def two_epochs(model, batches):
    schedule = schedules.WarmupCosine(0.008, 2 * len(batches), 50)
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.AdamW(schedule, weight_decay=1e-4, clipnorm=1.0), loss)
    model.fit(batches, epochs=2, verbose=0)
    return model


@right("06.8", trains=True)
def two_epochs(model, batches):
    schedule = schedules.WarmupCosine(0.008, 2 * len(batches))
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.Adam(schedule, beta_2=0.98, clipnorm=1.0), loss)
    for _ in range(2):
        model.fit(batches, verbose=0)
    return model


@wrong("06.8", "0.6 is asked", trains=True)
def two_epochs(model, batches):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(batches, steps_per_epoch=30, verbose=0)
    return model


@wrong("06.8", "are allowed", trains=True)
def two_epochs(model, batches):
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    x, y = batches[0]
    model.fit({name: ids[:1] for name, ids in x.items()}, y[:1], epochs=2000, verbose=0)
    return model


@wrong("06.8", "validation sentences", trains=True)
def two_epochs(model, batches):
    val = load_pairs().val
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(batches, steps_per_epoch=2, verbose=0)
    model.fit(val.inputs, val.targets, batch_size=64, verbose=0, steps_per_epoch=2)
    return model


@wrong("06.8", "test sentences", trains=True)
def two_epochs(model, batches):
    test = load_pairs().test
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(test.inputs, test.targets, batch_size=64, verbose=0, steps_per_epoch=2)
    return model


@wrong("06.8", "pads count", trains=True)
def two_epochs(model, batches):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(batches, steps_per_epoch=2, verbose=0)
    return model


@wrong("06.8", "from_logits", trains=True)
def two_epochs(model, batches):
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(batches, steps_per_epoch=2, verbose=0)
    return model


@wrong("06.8", "model that you", trains=True)
def two_epochs(model, batches):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    return model.fit(batches, steps_per_epoch=2, verbose=0)


@wrong("06.8", "not trained", trains=True)
def two_epochs(model, batches):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    return model


@wrong("06.8", trains=True)
def two_epochs(model, batches):
    model.fit(batches, epochs=2, verbose=0)
    return model


@wrong("06.1", "only predicts")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = self.dropout(weights, training=True) @ value
    return (context, weights) if return_attention_scores else context


@wrong("06.1", "in training")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, attention_mask)
    context = self.dropout(weights, training=False) @ value
    return (context, weights) if return_attention_scores else context


@right("06.1")
def call(self, query, value, key=None, attention_mask=None, return_attention_scores=False):
    key = value if key is None else key
    r = query.shape[-1] ** 0.25
    scores = ops.matmul(query / r, ops.swapaxes(key / r, -1, -2))
    weights = masked_softmax(scores, attention_mask)
    context = self.dropout(weights) @ value
    return (context, weights) if return_attention_scores else context


@wrong("06.3", "NumPy array of float32")
def build(self, input_shape):
    d = input_shape[-1]
    p = np.arange(self.max_length)[:, None]
    i = np.arange(d // 2)
    angles = p / 10000 ** (2 * i / d)
    table = np.zeros((self.max_length, d), "float32")
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    self.table = self.add_weight(shape=table.shape, initializer="zeros", trainable=False)
    self.table.assign(table)


@right("06.3")
def build(self, input_shape):
    d = input_shape[-1]
    f = 10_000.0 ** (-np.arange(d // 2) * 2 / d)
    z = np.exp(1j * np.arange(self.max_length)[:, None] * f)
    self.table = (
        np.stack([z.imag, z.real], axis=2).reshape(self.max_length, -1).astype(np.float32)
    )


@wrong("06.7")
def lookahead(model, source, target):
    call = lambda ids: np.array(model({"source": source, "target": ids}))
    before = call(target)
    best = 0
    for j in range(target.shape[1]):
        new = target.copy()
        new[:, j] = np.where(target[:, j] == 4, 5, 4)
        diff = np.abs(call(new) - before)
        for t in range(max(0, j - 3), j):
            if diff[:, t].max() > 1e-5:
                best = max(best, j - t)
    return best


@wrong("06.7")
def lookahead(model, source, target):
    call = lambda ids: np.array(model({"source": source, "target": ids}))
    before = call(target)
    best = 0
    for j in range(target.shape[1] - 1):
        new = target.copy()
        new[:, j] = np.where(target[:, j] == 4, 5, 4)
        diff = np.abs(call(new) - before)
        for t in range(j):
            if diff[:, t].max() > 1e-5:
                best = max(best, j - t)
    return best


@right("06.7")
def lookahead(model, source, target):
    n = target.shape[1]
    out = lambda ids: np.asarray(model({"source": source, "target": ids}))
    base = out(target)
    changed = []
    for j in range(n):
        new = np.array(target)
        new[:, j] = 9 - np.clip(new[:, j], 4, 5)
        changed.append(out(new))
    for k in range(n - 1, 0, -1):
        for t in range(n - k):
            if np.abs(changed[t + k][:, t] - base[:, t]).max() > 1e-5:
                return k
    return 0


@wrong("06.6", "only predicts")
def call(self, inputs, training=None):
    encoded, mask = self.encode(inputs["source"])
    x = self.embed(self.target_embedding, inputs["target"])
    for block in self.decoder:
        x = block(x, encoded, encoded_mask=mask, training=True)
    return self.logits(x)


@wrong("06.6", "in training")
def call(self, inputs, training=None):
    encoded, mask = self.encode(inputs["source"])
    x = self.embed(self.target_embedding, inputs["target"])
    for block in self.decoder:
        x = block(x, encoded, encoded_mask=mask, training=False)
    return self.logits(x)


@right("06.6")
def call(self, inputs, training=None):
    source, target = inputs["source"], inputs["target"]
    memory, real = self.encode(source)
    hidden = self.embed(self.target_embedding, target)
    for i in range(len(self.decoder)):
        hidden = self.decoder[i](hidden, memory, real, training=training)
    return self.logits(hidden)
