"""Answers to the exercises of lab 06d, as students write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops


@right("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    i = np.arange(d_k // 2)
    theta = ops.cast(positions, "float32")[:, None] * base ** (-2.0 * i / d_k)
    theta = ops.cast(theta, "float32")
    cos, sin = ops.cos(theta), ops.sin(theta)
    even, odd = x[..., 0::2], x[..., 1::2]
    first, second = even * cos - odd * sin, even * sin + odd * cos
    return ops.reshape(ops.stack([first, second], -1), ops.shape(x))


@right("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = np.repeat(base ** (-np.arange(0, d_k, 2) / d_k), 2).astype("float32")
    angles = ops.outer(ops.cast(positions, "float32"), speeds)
    swapped = ops.reshape(ops.stack([-x[..., 1::2], x[..., ::2]], axis=-1), ops.shape(x))
    return x * ops.cos(angles) + swapped * ops.sin(angles)


@right("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    p = ops.reshape(ops.cast(positions, "float32"), (-1, 1))
    columns = []
    for pair in range(d_k // 2):
        angle = p[:, 0] * float(base ** (-2 * pair / d_k))
        even, odd = x[..., 2 * pair], x[..., 2 * pair + 1]
        columns.append(even * ops.cos(angle) - odd * ops.sin(angle))
        columns.append(even * ops.sin(angle) + odd * ops.cos(angle))
    return ops.stack(columns, axis=-1)


@right("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    pairs = ops.reshape(x, (*ops.shape(x)[:-1], d_k // 2, 2))
    angles = ops.cast(positions, "float32")[:, None] / base ** (np.arange(0, d_k, 2) / d_k)
    angles = ops.cast(angles, "float32")
    cos, sin = ops.cos(angles), ops.sin(angles)
    even = pairs[..., 0] * cos - pairs[..., 1] * sin
    odd = pairs[..., 0] * sin + pairs[..., 1] * cos
    return ops.reshape(ops.stack([even, odd], axis=-1), ops.shape(x))


@wrong("06d.1", "keras.ops")
def rotate(x, positions, base=10_000.0):
    x, d_k = np.asarray(x), x.shape[-1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, d_k, 2) / d_k)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., ::2] = even * np.cos(angles) - odd * np.sin(angles)
    turned[..., 1::2] = even * np.sin(angles) + odd * np.cos(angles)
    return turned


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    angles = ops.cast(positions, "float32")[:, None] * ops.cast(
        base ** (-np.arange(0, d_k, 2) / d_k), "float32"
    )
    first, second = ops.split(x, 2, axis=-1)
    cos, sin = ops.cos(angles), ops.sin(angles)
    return ops.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    return ops.concatenate([even * cos - odd * sin, even * sin + odd * cos], axis=-1)


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(d_k // 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos + odd * sin, odd * cos - even * sin], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(ops.arange(ops.shape(x)[2]), "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    return ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    waves = ops.reshape(ops.stack([ops.sin(angles), ops.cos(angles)], -1), (-1, d_k))
    return x + waves


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32") * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (10_000 ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.1")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = np.deg2rad(ops.cast(positions, "float32")[:, None] * speeds)
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@right("06d.2")
def call(self, x):
    return x / ops.sqrt(ops.mean(x**2, axis=-1, keepdims=True) + self.epsilon) * self.scale


@right("06d.2")
def call(self, x):
    mean = ops.mean(ops.square(x), axis=-1)
    return self.scale * x * ops.rsqrt(mean + self.epsilon)[..., None]


@right("06d.2")
def call(self, x):
    total = ops.sum(x * x, axis=-1, keepdims=True) / x.shape[-1]
    return ops.multiply(x, ops.power(total + self.epsilon, -0.5)) * self.scale


@right("06d.2")
def call(self, x):
    mean = ops.einsum("...c,...c->...", x, x)[..., None] / ops.shape(x)[-1]
    return x / (mean + self.epsilon) ** 0.5 * self.scale


@wrong("06d.2", "keepdims")
def call(self, x):
    return x * ops.rsqrt(ops.mean(ops.square(x), axis=-1) + self.epsilon) * self.scale


@wrong("06d.2", "epsilon")
def call(self, x):
    return x * ops.rsqrt(ops.mean(ops.square(x), axis=-1, keepdims=True) + 1e-6) * self.scale


@wrong("06d.2")
def call(self, x):
    return x * ops.rsqrt(ops.mean(ops.square(x), axis=-1, keepdims=True)) * self.scale


@wrong("06d.2")
def call(self, x):
    return x / ops.sqrt(ops.mean(ops.square(x), axis=-1, keepdims=True) + self.epsilon)


@wrong("06d.2")
def call(self, x):
    mean, variance = ops.moments(x, axes=-1, keepdims=True)
    return (x - mean) * ops.rsqrt(variance + self.epsilon) * self.scale


@wrong("06d.2")
def call(self, x):
    return x / (ops.mean(ops.square(x), axis=-1, keepdims=True) + self.epsilon) * self.scale


@wrong("06d.2")
def call(self, x):
    norm = ops.sqrt(ops.sum(ops.square(x), axis=-1, keepdims=True) + self.epsilon)
    return x / norm * self.scale


@wrong("06d.2")
def call(self, x):
    return x * ops.rsqrt(ops.mean(ops.square(x)) + self.epsilon) * self.scale


@wrong("06d.2")
def call(self, x):
    root = ops.sqrt(ops.mean(x, axis=-1, keepdims=True) ** 2 + self.epsilon)
    return x / root * self.scale


@wrong("06d.2")
def call(self, x):
    return x * ops.rsqrt(ops.mean(ops.abs(x), axis=-1, keepdims=True)) * self.scale


@wrong("06d.2", "compiled")
def call(self, x):
    mean = np.mean(np.square(np.asarray(x)), axis=-1, keepdims=True)
    return x / np.sqrt(mean + self.epsilon) * self.scale


@right("06d.3")
def call(self, x):
    gate = self.gate(x)
    return self.down(gate * ops.sigmoid(gate) * self.up(x))


@right("06d.3")
def call(self, x):
    return self.down(self.up(x) * keras.activations.silu(self.gate(x)))


@right("06d.3")
def call(self, x):
    opened = layers.Activation("silu")(self.gate(x))
    return self.down(layers.multiply([opened, self.up(x)]))


@right("06d.3")
def call(self, x):
    gate = ops.matmul(x, self.gate.kernel)
    hidden = gate / (1 + ops.exp(-gate)) * ops.matmul(x, self.up.kernel)
    return ops.matmul(hidden, self.down.kernel)


@wrong("06d.3")
def call(self, x):
    return self.down(ops.silu(self.up(x)) * self.gate(x))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.sigmoid(self.gate(x)) * self.up(x))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.gelu(self.gate(x)) * self.up(x))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.silu(self.gate(x)) + self.up(x))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.silu(self.gate(x)) @ self.up(x))


@wrong("06d.3")
def call(self, x):
    return ops.silu(self.gate(x)) * self.up(x)


@wrong("06d.3")
def call(self, x):
    return x + self.down(ops.silu(self.gate(x)) * self.up(x))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.silu(self.gate(x)))


@wrong("06d.3")
def call(self, x):
    return self.down(ops.silu(self.gate(x)) * x)


@wrong("06d.3")
def call(self, x):
    return ops.silu(self.down(self.gate(x) * self.up(x)))


@wrong("06d.3")
def call(self, x):
    return self.up(ops.silu(self.gate(x)) * self.down(x))


@right("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k = (
        ops.reshape(
            ops.tile(k[:, :, None], (1, 1, g, 1, 1)), (-1, self.num_heads, k.shape[2], self.d_k)
        )
        if k.shape[2] is not None
        else ops.repeat(k, g, axis=1)
    )
    v = ops.repeat(v, g, axis=1)
    context = self.attention(q, v, k, attention_mask=mask)
    context = ops.swapaxes(context, 1, 2)
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@right("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    heads = [
        self.attention(q[:, h], v[:, h // g], k[:, h // g], attention_mask=mask)
        for h in range(self.num_heads)
    ]
    return self.output_(ops.concatenate(heads, axis=-1))


@right("06d.4")
def attend(self, q, k, v, mask):
    which = np.arange(self.num_heads) // (self.num_heads // self.num_kv_heads)
    k, v = ops.take(k, which, axis=1), ops.take(v, which, axis=1)
    scores = ops.matmul(q, ops.swapaxes(k, -1, -2)) / self.d_k**0.5
    weights = ops.softmax(ops.where(mask, scores, -1e9))
    context = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
    return self.output_(
        ops.reshape(context, (-1, ops.shape(context)[1], self.num_heads * self.d_k))
    )


@right("06d.4")
def attend(self, q, k, v, mask):
    g, parts = self.num_heads // self.num_kv_heads, []
    for head in range(self.num_kv_heads):
        group = q[:, head * g : (head + 1) * g]
        key, value = k[:, head : head + 1], v[:, head : head + 1]
        key, value = ops.repeat(key, g, axis=1), ops.repeat(value, g, axis=1)
        parts.append(self.attention(group, value, key, attention_mask=mask))
    context = ops.transpose(ops.concatenate(parts, axis=1), (0, 2, 1, 3))
    d = self.num_heads * self.d_k
    return self.output_(ops.reshape(context, (-1, ops.shape(context)[1], d)))


@wrong("06d.4", "ops.shape(x)")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    batch, tokens, heads, width = context.shape
    return self.output_(ops.reshape(context, (batch, tokens, heads * width)))


@wrong("06d.4", "given")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    T = ops.shape(q)[2]
    mask = ops.tril(ops.ones((T, T)))
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, T, self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.tile(k, (1, g, 1, 1)), ops.tile(v, (1, g, 1, 1))
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = self.attention(q, v, k, attention_mask=mask)
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = ops.transpose(self.attention(q, k, v, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = ops.transpose(self.attention(q, v, k), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=2), ops.repeat(v, g, axis=2)
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    q = ops.mean(ops.reshape(q, (-1, self.num_kv_heads, 2, *q.shape[2:])), axis=2)
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (*context.shape[:2], -1)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    k, v = ops.repeat(k, self.num_heads, axis=1), ops.repeat(v, self.num_heads, axis=1)
    context = self.attention(q, v[:, : self.num_heads], k[:, : self.num_heads], mask)
    context = ops.transpose(context, (0, 2, 1, 3))
    return self.output_(ops.reshape(context, (-1, ops.shape(q)[2], self.num_heads * self.d_k)))


@wrong("06d.4")
def attend(self, q, k, v, mask):
    g = self.num_heads // self.num_kv_heads
    k, v = ops.repeat(k, g, axis=1), ops.repeat(v, g, axis=1)
    context = self.attention(q, v, k, attention_mask=mask)
    return self.output_(ops.mean(context, axis=1))


@right("06d.5")
def step(self, x, cache, position):
    position = ops.cast(position, "int32")
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    cache = {
        "keys": ops.slice_update(cache["keys"], (0, 0, position, 0), k),
        "values": ops.slice_update(cache["values"], (0, 0, position, 0), v),
    }
    places = ops.arange(cache["keys"].shape[2])
    return self.attend(q, cache["keys"], cache["values"], places[None] <= position), cache


@right("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.expand_dims(position, 0))
    length = ops.shape(cache["keys"])[2]
    here = (ops.arange(length) == position)[:, None]
    keys = ops.where(here, k, cache["keys"])
    values = ops.where(here, v, cache["values"])
    mask = ops.reshape(ops.arange(length) <= position, (1, length))
    return self.attend(q, keys, values, mask), {"keys": keys, "values": values}


@right("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.stack([position]))
    length = cache["keys"].shape[2]
    here = ops.cast(ops.one_hot(position, length), k.dtype)[None, None, :, None]
    keys = cache["keys"] * (1 - here) + k * here
    values = cache["values"] * (1 - here) + v * here
    seen = ops.less_equal(ops.arange(length), position)[None]
    return [self.attend(q, keys, values, seen), dict(keys=keys, values=values)]


@right("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, position + ops.zeros((1,), "int32"))
    new = {}
    for name, part in (("keys", k), ("values", v)):
        new[name] = ops.slice_update(cache[name], [0, 0, position, 0], part)
    mask = ops.arange(ops.shape(new["keys"])[2]) < position + 1
    return self.attend(q, new["keys"], new["values"], mask[None, :]), new


@right("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    for name, new in (("keys", k), ("values", v)):
        cache[name] = ops.slice_update(cache[name], (0, 0, position, 0), new)
    written = ops.arange(ops.shape(cache["keys"])[2]) <= position
    return self.attend(q, cache["keys"], cache["values"], written[None]), cache


@wrong("06d.5", "whole cache")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    seen = keys[:, :, : position + 1], values[:, :, : position + 1]
    return self.attend(q, *seen, None), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.concatenate([cache["keys"][:, :, :position], k], axis=2)
    values = ops.concatenate([cache["values"][:, :, :position], v], axis=2)
    mask = ops.ones((1, position + 1), "bool")
    return self.attend(q, keys, values, mask), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.arange(1))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, position)
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) < position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(cache["keys"])[2]) <= position)[None]
    return self.attend(q, cache["keys"], cache["values"], written), cache


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    mask = ops.ones((1, keys.shape[2]), "bool")
    return self.attend(q, keys, values, mask), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written), (keys, values)


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written)


@wrong("06d.5")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, position, 0, 0), k)
    values = ops.slice_update(cache["values"], (0, position, 0, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.5", "tensor")
def step(self, x, cache, position):
    q, k, v = self.project(x, np.array([position]))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.5")
def step(self, x, cache, position):
    return self(x), cache


@right("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = np.asarray(logits, float) / temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    total, kept = 0.0, np.zeros_like(p)
    for word in np.argsort(p)[::-1]:
        if total >= top_p:
            break
        kept[word] = p[word]
        total += p[word]
    return kept / kept.sum()


@right("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = logits / temperature
    p = np.exp(z - np.logaddexp.reduce(z))
    order = np.argsort(p)[::-1]
    count = np.searchsorted(np.cumsum(p[order]), top_p - 1e-12) + 1
    result = np.zeros(len(p))
    result[order[:count]] = p[order[:count]]
    return result / result.sum()


@right("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    p = ops.convert_to_numpy(ops.softmax(np.asarray(logits, "float64") / temperature))
    ranks = np.argsort(np.argsort(-p))
    before = np.array([p[ranks < rank].sum() for rank in ranks])
    p = np.where(before < top_p, p, 0)
    return p / p.sum()


@right("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    order = np.argsort(-z, kind="stable")
    sorted_p = np.exp(z[order]) / np.exp(z).sum()
    keep = np.concatenate([[True], np.cumsum(sorted_p)[:-1] < top_p])
    p = np.zeros(len(z))
    p[order] = sorted_p * keep
    return p / p.sum()


@wrong("06d.6", "largest")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    p = np.exp(logits / temperature)
    p = p / p.sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return p / p.sum()


@wrong("06d.6", "exactly")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    ranked = np.sort(p)[::-1]
    least = ranked[np.searchsorted(np.cumsum(ranked), min(top_p, 1 - 1e-12))]
    p = np.where(p >= least, p, 0)
    return p / p.sum()


@wrong("06d.6", "exactly")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before > top_p]] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    p[order[np.cumsum(p[order]) > top_p]] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    p[p < top_p] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = logits - logits.max()
    p = np.exp(z) / np.exp(z).sum() / temperature
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return p


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    kept = p[order[before < top_p]]
    return kept / kept.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    before = np.cumsum(p) - p
    p[before >= top_p] = 0.0
    return p / p.sum()


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return int(np.argmax(p))


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    z[order[before >= top_p]] = 0.0
    return np.exp(z) / np.exp(z).sum()


@wrong("06d.2", "do not learn")
def build(self, x_shape):
    self.scale = self.add_weight(shape=(x_shape[-1],), initializer="ones", trainable=False)


@wrong("06d.2", "weights are 1")
def build(self, x_shape):
    self.scale = self.add_weight(shape=(x_shape[-1],), initializer="zeros")


@wrong("06d.3", "shapes")
def build(self, x_shape):
    self.gate = layers.Dense(self.mlp_dim, use_bias=False)
    self.up = layers.Dense(5, use_bias=False)
    self.down = layers.Dense(x_shape[-1], use_bias=False)
    hidden = (*x_shape[:-1], self.mlp_dim)
    for layer, shape in ((self.gate, x_shape), (self.up, x_shape), (self.down, hidden)):
        layer.build(shape)


@wrong("06d.4", "shapes")
def attend(self, q, k, v, mask):
    k, v = ops.repeat(k, 2, axis=1), ops.repeat(v, 2, axis=1)
    context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
    shape = (-1, ops.shape(context)[1], self.num_heads * self.d_k)
    return self.output_(ops.reshape(context, shape))


@right("06d.4")
def attend(self, q, k, v, mask):
    group, heads = self.num_heads // self.num_kv_heads, []
    for head in range(self.num_heads):
        keys, values = k[:, head // group], v[:, head // group]
        scores = ops.matmul(q[:, head], ops.swapaxes(keys, -1, -2)) / self.d_k**0.5
        weights = ops.softmax(ops.where(mask, scores, -1e9))
        heads.append(ops.matmul(weights, values))
    return self.output_(ops.concatenate(heads, axis=-1))


@wrong("06d.5", "your code stops")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    here = ops.arange(7)[:, None] == position
    keys = ops.where(here, k, cache["keys"])
    values = ops.where(here, v, cache["values"])
    written = (ops.arange(7) <= position)[None]
    return self.attend(q, keys, values, written), {"keys": keys, "values": values}


@wrong("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    powers = np.exp(np.maximum(logits - np.max(logits), -10) / temperature)
    p = powers / powers.sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return p / p.sum()


@wrong("06d.1", "whole positions")
def rotate(x, positions, base=10_000.0):
    d_k = x.shape[-1]
    angles = positions[:, None] * base ** (-np.arange(0, d_k, 2) / d_k)
    cos, sin = ops.cos(angles), ops.sin(angles)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


@wrong("06d.5", "attends only to itself")
def step(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
    values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
    seen = (ops.arange(ops.shape(keys)[2]) == position)[None]
    return self.attend(q, keys, values, seen), {"keys": keys, "values": values}


@wrong("06d.6", "do not round")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - np.max(logits)) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    before = np.cumsum(p[order]) - p[order]
    p[order[before >= top_p]] = 0.0
    return np.round(p / p.sum(), 6)


@right("06d.6")
def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    z = (logits - np.max(logits)) / temperature
    p = np.exp(z) / np.exp(z).sum()
    order = np.argsort(-p)
    count = int(np.sum(np.cumsum(p[order]) < top_p)) + 1
    kept = np.zeros_like(p)
    kept[order[:count]] = p[order[:count]]
    return (kept / kept.sum()).astype("float32")


@right("06d.7")
def mixture_of_experts(x, router, experts):
    logits = x @ router
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    winner = p.argmax(axis=1)
    y = np.zeros(x.shape)
    for token in range(len(x)):
        i = winner[token]
        y[token] = p[token, i] * experts[i](x[token : token + 1])[0]
    f = np.array([(winner == i).mean() for i in range(len(experts))])
    return y, f, len(experts) * (f * p.mean(axis=0)).sum()


@right("06d.7")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    onehot = np.eye(len(experts))[p.argmax(-1)]
    f, P = onehot.mean(0), p.mean(0)
    y = np.zeros_like(x)
    for i in range(len(experts)):
        rows = np.flatnonzero(onehot[:, i])
        if len(rows):
            y[rows] = experts[i](x[rows]) * p[rows, i][:, None]
    return y, f, len(experts) * f @ P


@right("06d.7")
def mixture_of_experts(x, router, experts):
    p, n = softmax(x @ router), len(experts)
    chosen, gate = p.argmax(axis=1), p.max(axis=1)
    order = np.argsort(chosen, kind="stable")  # sort the tokens by expert, and back
    counts = np.array([np.sum(chosen == i) for i in range(n)])
    groups = np.split(x[order], np.cumsum(counts)[:-1])
    done = np.concatenate([expert(group) for expert, group in zip(experts, groups)])
    y = np.empty_like(x)
    y[order] = done * gate[order, None]
    return y, counts / len(x), n * np.dot(counts / len(x), p.mean(axis=0))


@right("06d.7")
def mixture_of_experts(x, router, experts):
    p = np.array(ops.softmax(x @ router, axis=-1))
    y, f, loss = np.zeros_like(x), [], 0.0
    for i, expert in enumerate(experts):
        mine = np.argmax(p, axis=1) == i
        y[mine] = expert(x[mine]) * p[mine][:, i : i + 1]
        f.append(mine.sum() / len(x))
        loss += f[-1] * p[:, i].mean() * len(experts)
    return y, np.array(f), loss


@right("06d.7")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    best = np.argmax(x @ router, axis=1)  # the softmax keeps the order
    y = np.stack([p[t, best[t]] * experts[best[t]](x[t]) for t in range(len(x))])
    shares = np.zeros(len(experts))
    np.add.at(shares, best, 1 / len(x))
    return y, shares, len(experts) * sum(shares[i] * p[:, i].mean() for i in range(len(shares)))


@right("06d.7")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i in set(chosen.tolist()):
        y[chosen == i] = experts[i](x[chosen == i])
    y = y * np.take_along_axis(p, chosen[:, None], axis=1)
    f = np.histogram(chosen, bins=np.arange(len(experts) + 1))[0] / chosen.size
    return y, f, np.mean(f * p.mean(axis=0)) * len(experts) ** 2


@wrong("06d.7", "the experts compute")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    everything = np.stack([expert(x) for expert in experts])
    y = everything[chosen, np.arange(len(x))] * p.max(axis=-1)[:, None]
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "the experts compute")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    mask = p == p.max(axis=-1, keepdims=True)
    y = sum((mask * p)[:, i, None] * expert(x) for i, expert in enumerate(experts))
    f = mask.mean(axis=0)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "multiplied by its probability")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "one expert per token")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    y = sum(p[:, [i]] * expert(x) for i, expert in enumerate(experts))
    f = np.bincount(p.argmax(axis=-1), minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "not by the logit")
def mixture_of_experts(x, router, experts):
    logits = x @ router
    p = softmax(logits)
    chosen = logits.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = logits[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "over the experts")
def mixture_of_experts(x, router, experts):
    e = np.exp(x @ router)
    p = e / e.sum(axis=0)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "the number of experts")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, f @ p.mean(axis=0)


@wrong("06d.7", "the share 0")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "a count has no gradient")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * f)


@wrong("06d.7", "return three")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    return y, np.bincount(chosen, minlength=len(experts)) / len(x)


@wrong("06d.7", "divide the counts")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts))
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "residual")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = x.copy()
    for i, expert in enumerate(experts):
        y[chosen == i] += p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7", "in place")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    for i, expert in enumerate(experts):
        x[chosen == i] = p[chosen == i, i, None] * expert(x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return x, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7")
def mixture_of_experts(x, router, experts):
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = []
    for i, expert in enumerate(experts):  # in the order of the experts, not of the tokens
        y.append(p[chosen == i, i, None] * expert(x[chosen == i]))
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return np.concatenate(y), f, len(experts) * np.sum(f * p.mean(axis=0))


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    m = np.full((q.shape[0], 1), -np.inf)
    l = np.zeros((q.shape[0], 1))
    o = np.zeros((q.shape[0], v.shape[1]))
    for j in range(0, k.shape[0], block):
        s = (q @ k[j : j + block].T) / np.sqrt(q.shape[1])
        new = np.maximum(m, s.max(axis=1, keepdims=True))
        p = np.exp(s - new)
        l = np.exp(m - new) * l + p.sum(axis=1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / l


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    context = []
    for query in q / q.shape[-1] ** 0.5:
        m, total, values = -np.inf, 0.0, 0.0
        for j in range(0, len(k), block):
            s = k[j : j + block] @ query
            new = max(m, s.max())
            total = total * np.exp(m - new) + np.exp(s - new).sum()
            values = values * np.exp(m - new) + np.exp(s - new) @ v[j : j + block]
            m = new
        context.append(values / total)
    return np.array(context)


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    d = q.shape[-1] ** 0.5
    starts = range(0, len(k), block)
    m = np.max([(q @ k[j : j + block].T / d).max(axis=1) for j in starts], axis=0)[:, None]
    total, o = 0, 0  # twice through the keys: first the maximum, then the sums
    for j in starts:
        p = np.exp(q @ k[j : j + block].T / d - m)
        total, o = total + p.sum(axis=1, keepdims=True), o + p @ v[j : j + block]
    return o / total


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    """With the context divided after each block, and multiplied again."""
    m, total, context = None, None, None
    while len(k):
        s = q @ k[:block].T / q.shape[-1] ** 0.5
        top = s.max(axis=1, keepdims=True)
        new = top if m is None else np.maximum(m, top)
        p = np.exp(s - new)
        here = p.sum(axis=1, keepdims=True)
        if m is None:
            total, context = here, p @ v[:block] / here
        else:
            old = total * np.exp(m - new)
            context = (old * context + p @ v[:block]) / (old + here)
            total = old + here
        m, k, v = new, k[block:], v[block:]
    return context


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    log_sum, context = np.full(len(q), -np.inf), np.zeros((len(q), v.shape[1]))
    for j in range(0, len(k), block):
        s = np.einsum("td,sd->ts", q, k[j : j + block]) / q.shape[1] ** 0.5
        new = np.logaddexp(log_sum, np.logaddexp.reduce(s, axis=1))
        context = np.exp(log_sum - new)[:, None] * context
        context += np.exp(s - new[:, None]) @ v[j : j + block]
        log_sum = new
    return context


@right("06d.8")
def attention_by_blocks(q, k, v, block):
    ones = np.concatenate([v, np.ones((len(v), 1))], axis=1)  # the sum is one more value
    m, sums = np.full(len(q), -1e30), np.zeros((len(q), v.shape[1] + 1))
    for start in range(0, len(k), block):
        here = slice(start, min(start + block, len(k)))
        s = q @ k[here].T * q.shape[-1] ** -0.5
        new = np.maximum(m, s.max(-1))
        sums = sums * np.exp(m - new)[:, None] + np.exp(s - new[:, None]) @ ones[here]
        m = new
    return sums[:, :-1] / sums[:, -1:]


@wrong("06d.8", "all scores are kept")
def attention_by_blocks(q, k, v, block):
    s = q @ k.T / q.shape[-1] ** 0.5
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    return p @ v / p.sum(axis=-1, keepdims=True)


@wrong("06d.8", "all scores are kept")
def attention_by_blocks(q, k, v, block):
    starts = range(0, len(k), block)
    s = [q @ k[j : j + block].T / q.shape[-1] ** 0.5 for j in starts]
    return softmax(np.concatenate(s, axis=1)) @ v


@wrong("06d.8", "subtract the running maximum")
def attention_by_blocks(q, k, v, block):
    total, o = 0, 0
    for j in range(0, len(k), block):
        p = np.exp(q @ k[j : j + block].T / q.shape[-1] ** 0.5)
        total, o = total + p.sum(axis=-1, keepdims=True), o + p @ v[j : j + block]
    return o / total


@wrong("06d.8", "cannot be averaged")
def attention_by_blocks(q, k, v, block):
    found = []
    for j in range(0, len(k), block):
        weights = softmax(q @ k[j : j + block].T / q.shape[-1] ** 0.5)
        found.append(weights @ v[j : j + block])
    return sum(found) / len(found)


@wrong("06d.8", "a maximum of its own")
def attention_by_blocks(q, k, v, block):
    m, total, o = -np.inf, 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = max(m, s.max())
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / total


@wrong("06d.8", "the running sum")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / total


@wrong("06d.8", "the running context")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = o + p @ v[j : j + block]
        m = new
    return o / total


@wrong("06d.8", "both running sums")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        m = np.maximum(m, s.max(axis=-1, keepdims=True))
        total = total + np.exp(s - m).sum(axis=-1, keepdims=True)
        o = o + np.exp(s - m) @ v[j : j + block]
    return o / total


@wrong("06d.8", "the last block")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for n in range(len(k) // block):
        here = slice(n * block, (n + 1) * block)
        s = q @ k[here].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[here]
        m = new
    return o / total


@wrong("06d.8", "divided by √d_k")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / total


@wrong("06d.8", "the old maximum is lost")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
    return o / total


@wrong("06d.8", "at the end")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o


@wrong("06d.8", "all blocks so far")
def attention_by_blocks(q, k, v, block):
    m, total, o = -np.inf, 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = s.max(axis=-1, keepdims=True)
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / total


@wrong("06d.8")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[:block][: p.shape[1]]
        m = new
    return o / total


@wrong("06d.8", "begins at")
def attention_by_blocks(q, k, v, block):
    m, total, o = np.zeros((len(q), 1)), 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))  # wrong where all scores are low
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + block]
        m = new
    return o / total


@right("06d.7")
def mixture_of_experts(x, router, experts):  # counts in a loop
    f, P, y, N = np.zeros(len(experts)), np.zeros(len(experts)), [], len(experts)
    for token in x:
        p = softmax(token @ router)
        i = int(np.argmax(p))
        f[i] += 1 / len(x)
        P += p / len(x)
        y.append(p[i] * experts[i](token[None])[0])
    return np.array(y), f, N * sum(f * P)


@wrong("06d.7")
def mixture_of_experts(x, router, experts):  # gate before the expert
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = expert(p[chosen == i, i, None] * x[chosen == i])
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(experts) * np.sum(f * p.mean(axis=0))


@wrong("06d.7")
def mixture_of_experts(x, router, experts):  # number of used experts
    p = softmax(x @ router)
    chosen = p.argmax(axis=-1)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        y[chosen == i] = expert(x[chosen == i]) * p[chosen == i, i, None]
    f = np.bincount(chosen, minlength=len(experts)) / len(x)
    return y, f, len(set(chosen)) * np.sum(f * p.mean(axis=0))


@right("06d.8")
def attention_by_blocks(q, k, v, block):  # by logaddexp of blocks' own softmaxes
    logs, outs = [], []
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / np.sqrt(k.shape[1])
        log = np.logaddexp.reduce(s, axis=1, keepdims=True)
        logs.append(log)
        outs.append(np.exp(s - log) @ v[j : j + block])
    logs, outs = np.stack(logs), np.stack(outs)
    w = np.exp(logs - np.logaddexp.reduce(logs, axis=0))
    return (w * outs).sum(axis=0)


@right("06d.8")
def attention_by_blocks(q, k, v, block):  # recursion
    def part(k, v):
        if len(k) > block:
            ma, la, oa = part(k[:block], v[:block])
            mb, lb, ob = part(k[block:], v[block:])
            m = np.maximum(ma, mb)
            a, b = np.exp(ma - m), np.exp(mb - m)
            return m, a * la + b * lb, a * oa + b * ob
        s = q @ k.T / q.shape[-1] ** 0.5
        m = s.max(axis=-1, keepdims=True)
        return m, np.exp(s - m).sum(axis=-1, keepdims=True), np.exp(s - m) @ v

    _, l, o = part(k, v)
    return o / l


@wrong("06d.8", says="take `block` keys")
def attention_by_blocks(q, k, v, block):  # row by row, no blocks
    out = []
    for query in q:
        s = k @ query / q.shape[-1] ** 0.5
        e = np.exp(s - s.max())
        out.append(e @ v / e.sum())
    return np.array(out)


@wrong("06d.8", says="take `block` keys")
def attention_by_blocks(q, k, v, block):  # a block of one's own, two
    m, total, o = np.full((len(q), 1), -np.inf), 0, 0
    for j in range(0, len(k), 2):
        s = q @ k[j : j + 2].T / q.shape[-1] ** 0.5
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        p = np.exp(s - new)
        total = np.exp(m - new) * total + p.sum(axis=-1, keepdims=True)
        o = np.exp(m - new) * o + p @ v[j : j + 2]
        m = new
    return o / total


@wrong("06d.8")
def attention_by_blocks(q, k, v, block):  # first block's maximum
    m, total, o = None, 0, 0
    for j in range(0, len(k), block):
        s = q @ k[j : j + block].T / q.shape[-1] ** 0.5
        m = s.max(axis=-1, keepdims=True) if m is None else m
        p = np.exp(s - m)
        total, o = total + p.sum(axis=-1, keepdims=True), o + p @ v[j : j + block]
    return o / total
