"""Answers to lab 08b's exercises: right ones written differently, and wrong ones."""

import numpy as np
from answers import right, wrong
from keras import ops

import course_utils as cu
from course_utils.layers.attention import all_of, causal_mask
from lectures.lecture_08 import norm
from lectures.lecture_08b import recaller, train_recaller


@right("08b.1")
def initial_weights(gate, S, draw):
    if gate == "linear":
        return draw.normal(0, S**-0.5, (S, S)), np.zeros(S)
    W = draw.normal(0, 1e-5 / S, (S, S))
    return W, np.zeros(S) if gate == "additive" else np.ones(S)


@right("08b.1")
def initial_weights(gate, S, draw):
    scale = {"linear": 1.0}.get(gate, 1e-5)
    W = scale * draw.normal(size=(S, S)) / np.sqrt(S)
    b = np.full(S, float("multiplicative" in gate or gate == "split"))
    return W, b


@right("08b.1")
def initial_weights(gate, S, draw):
    W, b = np.zeros((S, S)), np.zeros((S,))
    if gate == "linear":
        W = draw.uniform(-1, 1, size=(S, S)) * np.sqrt(3 / S)
    elif gate != "additive":
        b += 1
    return [W.astype("float32"), b.astype("float32")]


@right("08b.1")
def initial_weights(gate, S, draw):
    b = {"linear": 0, "additive": 0, "multiplicative": 1, "split": 1}[gate] * np.ones(S)
    spread = 0.002 / S if gate != "linear" else (6 / (S + S)) ** 0.5
    return draw.uniform(-spread, spread, (S, S)), b


@wrong("08b.1", says="NumPy arrays")
def initial_weights(gate, S, draw):
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-5, (S, S))
    return W, [1.0 if gate in ("multiplicative", "split") else 0.0] * S


@wrong("08b.1", says="an ordinary W")
def initial_weights(gate, S, draw):
    return draw.uniform(-1e-4 / S, 1e-4 / S, (S, S)), np.zeros(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # lecture 8's start for all
    return draw.uniform(-1e-4 / S, 1e-4 / S, (S, S)), np.ones(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # a linear gate by its b
    W = draw.uniform(-1e-4 / S, 1e-4 / S, (S, S))
    return W, np.zeros(S) if gate == "additive" else np.ones(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # b of the split gate is forgotten
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    return W, np.ones(S) if gate == "multiplicative" else np.zeros(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # b of half the channels
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    b = np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)
    return W, b[: S // 2] if gate == "split" else b


@wrong("08b.1")
def initial_weights(gate, S, draw):  # a column
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    b = np.ones((S, 1)) if gate in ("multiplicative", "split") else np.zeros((S, 1))
    return W, b


@wrong("08b.1")
def initial_weights(gate, S, draw):  # of size 1
    W = draw.normal(0, 1 if gate == "linear" else 1e-4 / S, (S, S))
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # a mean over all tokens
    W = np.full((S, S), 1 / S) if gate == "linear" else np.zeros((S, S))
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@wrong("08b.1")
def initial_weights(gate, S, draw):  # lets all pass by W
    W = np.eye(S)
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@wrong("08b.1", says="two arrays")
def initial_weights(gate, S, draw):
    return draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))


@wrong("08b.1")
def initial_weights(gate, S, draw):  # one is not a number
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    return W, 1 if gate in ("multiplicative", "split") else 0


@right("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        if self.toeplitz and self.causal:
            W = ops.concatenate([ops.zeros(S - 1), W])
        if self.toeplitz:
            return ops.stack([ops.flip(W[i : i + S]) for i in range(S)])
        return ops.tril(W) if self.causal else W


@right("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S = self.tokens
        rows, columns = np.indices((S, S))
        keep = (rows >= columns).astype("float32")
        if not self.toeplitz:
            return self.W * keep if self.causal else ops.convert_to_tensor(self.W)
        if self.causal:
            return ops.take(self.W, np.clip(rows - columns, 0, None)) * keep
        return ops.take(self.W, rows - columns + S - 1)


@right("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # a one-hot product
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        if self.toeplitz:
            places = np.arange(S)[:, None] - np.arange(S) + (0 if self.causal else S - 1)
            one_hot = places[..., None] == np.arange(self.W.shape[0])
            return ops.tensordot(ops.cast(one_hot, W.dtype), W, 1)
        if self.causal:
            return ops.multiply(W, ops.tril(ops.ones((S, S))))
        return W


@right("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, 1.0 * self.W
        if self.toeplitz:
            shift = 0 if self.causal else S - 1
            index = [max(i - j + shift, 0) for i in range(S) for j in range(S)]
            W = ops.reshape(ops.take(W, index), (S, S))
        return ops.tril(W) if self.causal else W


@wrong("08b.2", says="mirrored")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S) - np.arange(S)[:, None]
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.where(distance >= 0, W, 0.0) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # causal is forgotten where it is free
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
            return ops.where(distance >= 0, W, 0.0) if self.causal else W
        return W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # causal Toeplitz is not cut
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            return ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.tril(W) if self.causal else W


@wrong("08b.2", says="no gradient")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, ops.convert_to_numpy(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = W[np.maximum(distance, 0) if self.causal else distance + S - 1]
        return np.where(distance >= 0, W, 0.0) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # an index beyond the end
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, distance + S)
        return ops.where(distance >= 0, W, 0.0) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # the causal t is taken for the long one
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, distance + S - 1)
        return ops.where(distance >= 0, W, 0.0) if self.causal else W


@wrong("08b.2", says="wrong triangle")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.triu(W) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # t itself
    def matrix(self):
        W = ops.convert_to_tensor(self.W)
        return ops.tril(W) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # one weight a distance, added up
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        if self.toeplitz:
            W = W[:S, None] + W[None, -S:]
        return ops.tril(W) if self.causal else W


@wrong("08b.2", says="−∞")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.where(distance >= 0, W, -np.inf) if self.causal else W


@wrong("08b.2")
class SpatialGatingUnit(cu.layers.SpatialGatingUnit):  # a softmax over the row
    def matrix(self):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.softmax(ops.where(distance >= 0, W, -1e9)) if self.causal else W


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = 1 if ids[place] != 1 else 2
        if not np.array_equal(encode(other, 10_000)[:place], encode(ids, 10_000)[:place]):
            return True
    return False


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    leaks = []
    for j in range(len(ids)):
        other = np.where(np.arange(len(ids)) == j, vocab_size - ids, ids)
        if other[j] == ids[j]:
            other[j] = ids[j] - 1 if ids[j] > 1 else 2
        leaks.append(np.abs(encode(other, 10_000) - before)[:j].sum() > 0)
    return bool(np.any(leaks))


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    def moved(place):
        choices = [one for one in range(1, vocab_size) if one != ids[place]]
        other = np.array(ids)
        other[place] = choices[0]
        return (encode(other, 10_000) != encode(ids, 10_000))[:place].any()

    return any(moved(place) for place in range(1, len(ids)))


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    before, found = encode(ids, 10_000), False
    for place in reversed(range(1, len(ids))):
        for new in (1, vocab_size - 1):
            if new == ids[place]:
                continue
            other = list(ids)
            other[place] = new
            found = found or (encode(np.array(other), 10_000)[:place] - before[:place]).any()
    return bool(found)


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (np.abs(encode(other, 10_000) - before)[:place] > 1e-5).any():
            return True
    return False


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if not np.allclose(encode(other, 10_000)[:place], before[:place]):
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # the last token alone
    before = encode(ids, 10_000)
    other = ids.copy()
    other[-1] = ids[-1] % (vocab_size - 1) + 1
    return bool((encode(other, 10_000)[:-1] != before[:-1]).any())


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # decided at the first token
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        return bool((encode(other, 10_000)[:place] != before[:place]).any())


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # its own state counts as well
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 10_000)[: place + 1] != before[: place + 1]).any():
            return True
    return False


@wrong("08b.3", says="padding")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = 0
        if (encode(other, 10_000)[:place] != before[:place]).any():
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # an id that does not exist
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = vocab_size
        if (encode(other, 10_000)[:place] != before[:place]).any():
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # ids are changed in place
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        ids[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(ids, 10_000)[:place] != before[:place]).any():
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # later states
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 10_000)[place + 1 :] != before[place + 1 :]).any():
            return True
    return False


@wrong("08b.3", says="any, not all")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 10_000)[:place] != before[:place]).all():
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # the sum of all changes
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if abs((encode(other, 10_000) - before)[:place].sum()) > 1e-7:
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):  # never a replacement: some ids stay
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = 1
        if (encode(other, 10_000)[:place] != before[:place]).any():
            return True
    return False


@wrong("08b.3", says="None")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 10_000)[:place] != before[:place]).any():
            return True


@right("08b.4")
def causal_gate(z, W, b):
    z_1, z_2 = np.split(z, 2, axis=1)
    z_2 = (z_2 - z_2.mean(axis=1, keepdims=True)) / z_2.std(axis=1, keepdims=True)
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@right("08b.4")
def causal_gate(z, W, b):
    S, D = z.shape
    gated = np.empty((S, D // 2))
    read = norm(z[:, D // 2 :])
    for i in range(S):
        gated[i] = z[i, : D // 2] * (W[i, : i + 1] @ read[: i + 1] + b[i])
    return gated


@right("08b.4")
def causal_gate(z, W, b):
    z_1, z_2 = np.split(z, 2, axis=-1)
    keep = np.arange(len(W))[:, None] >= np.arange(len(W))
    return z_1 * (np.einsum("st,tc->sc", W * keep, norm(z_2)) + b.reshape(-1, 1))


@right("08b.4")
def causal_gate(z, W, b):
    passed, read = np.array_split(z, 2, axis=1)
    mean, variance = read.mean(1)[:, None], read.var(1)[:, None]
    mixed = np.where(np.tri(len(W), dtype=bool), W, 0) @ ((read - mean) / np.sqrt(variance))
    return np.multiply(passed, (mixed.T + b).T)


@wrong("08b.4", says="norm over axis 0")
def causal_gate(z, W, b):
    z_1, z_2 = np.split(z, 2, axis=1)
    z_2 = (z_2 - z_2.mean(axis=0)) / z_2.std(axis=0)
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # one mean of all numbers
    z_1, z_2 = np.split(z, 2, axis=1)
    z_2 = (z_2 - z_2.mean()) / z_2.std()
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # a running mean over earlier tokens
    z_1, z_2 = np.split(z, 2, axis=1)
    count = np.arange(1, len(z) + 1)[:, None]
    z_2 = z_2 - np.cumsum(z_2, axis=0) / count
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # split along the tokens
    z_1, z_2 = np.split(z, 2, axis=0)
    return z_1 * (np.tril(W) @ norm(z_2) + b[:, None])


@wrong("08b.4", says="norm is missing")
def causal_gate(z, W, b):
    z_1, z_2 = np.split(z, 2, axis=1)
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # the norm after W
    z_1, z_2 = np.split(z, 2, axis=1)
    return z_1 * (norm(np.tril(W) @ z_2) + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # the halves exchanged
    z_2, z_1 = np.split(z, 2, axis=1)
    return z_1 * (np.tril(W) @ norm(z_2) + b[:, None])


@wrong("08b.4")
def causal_gate(z, W, b):  # only the mean over channels
    z_1, z_2 = np.split(z, 2, axis=1)
    z_2 = z_2 - z_2.mean(axis=1, keepdims=True)
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@wrong("08b.4", says="second axis")
def causal_gate(z, W, b):
    z_1, z_2 = np.split(z, 2, axis=1)
    return z_1 * (np.tril(W) @ norm(z_2) + b)


@wrong("08b.4")
def causal_gate(z, W, b):  # added
    z_1, z_2 = np.split(z, 2, axis=1)
    return z_1 + np.tril(W) @ norm(z_2) + b[:, None]


@wrong("08b.4")
def causal_gate(z, W, b):  # an offset of the norm, far too large
    z_1, z_2 = np.split(z, 2, axis=1)
    z_2 = (z_2 - z_2.mean(axis=1, keepdims=True)) / (z_2.std(axis=1, keepdims=True) + 1)
    return z_1 * (np.tril(W) @ z_2 + b[:, None])


@right("08b.5")
class TinyAttention(cu.layers.TinyAttention):
    def call(self, x, mask=None):
        d = self.key_dim
        parts = self.query_key_value(x)
        query, key, value = parts[..., :d], parts[..., d : 2 * d], parts[..., 2 * d :]
        allowed = None
        if mask is not None:
            allowed = ops.expand_dims(ops.cast(mask, "bool"), 1)
        if self.causal:
            triangle = causal_mask(x.shape[1], x.shape[1])
            allowed = triangle if allowed is None else ops.logical_and(allowed, triangle)
        out = self.attention(query, value, key, attention_mask=allowed)
        return self.output_projection(out)


@right("08b.5")
class TinyAttention(cu.layers.TinyAttention):
    def call(self, x, mask=None):
        q, k, v = ops.split(self.query_key_value(x), 3, axis=2)
        scores = ops.einsum("bqd,bkd->bqk", q, k) / self.key_dim**0.5
        if mask is not None:
            scores = ops.where(ops.cast(mask, "bool")[:, None, :], scores, -1e9)
        if self.causal:
            S = x.shape[1]
            scores = ops.where(ops.tril(ops.ones((S, S), "bool"))[None], scores, -1e9)
        return self.output_projection(ops.matmul(ops.softmax(scores), v))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # attention(query, key, value)
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, key, value, all_of(masks)))


@right("08b.5")
class TinyAttention(cu.layers.TinyAttention):
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None, :]]
        if self.causal:
            masks += [causal_mask(ops.shape(x)[1], ops.shape(x)[1])[None]]
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@right("08b.5")
class TinyAttention(cu.layers.TinyAttention):
    def call(self, x, mask=None):
        parts = ops.reshape(self.query_key_value(x), (-1, x.shape[1], 3, self.key_dim))
        query, key, value = ops.unstack(parts, axis=2)
        allowed = ops.ones((1, x.shape[1], x.shape[1]), "bool")
        if self.causal:
            allowed = ops.logical_and(allowed, causal_mask(x.shape[1], x.shape[1]))
        if mask is not None:
            allowed = ops.logical_and(allowed, ops.cast(mask, "bool")[:, None])
        return self.output_projection(self.attention(query, value, key, allowed))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # the mask is on the queries
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[..., None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # no mask reaches the attention
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # causal where it should not be
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if not self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # no new axis
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # no way back
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.attention(query, value, key, all_of(masks))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # the input itself
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(x, x, x, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # split along the tokens
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.5", says="None")
class TinyAttention(cu.layers.TinyAttention):
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # a residual
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(x + self.attention(query, value, key, all_of(masks)))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # a list as the mask
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks.append(causal_mask(x.shape[1], x.shape[1])[None])
        return self.output_projection(self.attention(query, value, key, masks))


@wrong("08b.5")
class TinyAttention(cu.layers.TinyAttention):  # the padding mask is lost
    def call(self, x, mask=None):
        query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
        masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
        if self.causal:
            masks = [causal_mask(x.shape[1], x.shape[1])[None]]
        return self.output_projection(self.attention(query, value, key, all_of(masks)))


@right("08b.6", trains=True)
def make_recaller(names):
    return recaller(names, tiny_attention=16), 0.008


@right("08b.6", trains=True)
def make_recaller(names):
    return [recaller(names, tiny_attention=24, mlp_dim=48), 0.005]


@wrong("08b.6", says="two things", trains=True)
def make_recaller(names):
    return recaller(names, tiny_attention=16)


@wrong("08b.6", trains=True)
def make_recaller(names):  # no attention: wider
    return recaller(names, mlp_dim=108), 0.008


@wrong("08b.6", trains=True)
def make_recaller(names):  # no attention: one block, as wide as allowed
    return recaller(names, num_layers=1, mlp_dim=240), 0.004


@wrong("08b.6", trains=True)
def make_recaller(names):  # a learning rate for nothing
    return recaller(names, tiny_attention=16), 0.00001


@wrong("08b.6", says="names", trains=True)
def make_recaller(names):
    return recaller(32, tiny_attention=16), 0.008


@wrong("08b.6", says="not a Transformer", trains=True)
def make_recaller(names):
    return recaller(names, num_heads=4, num_layers=1), 0.008


@wrong("08b.6", says="untrained", trains=True)
def make_recaller(names):
    model = recaller(names, tiny_attention=16)
    train_recaller(model, names, True, 0.008, batches=100)
    return model, 0.008


@right("08b.4")
def causal_gate(z, W, b):
    half = z.shape[-1] // 2
    z_1, z_2 = z[..., :half], z[..., half:]
    W = W * (np.indices(W.shape)[0] >= np.indices(W.shape)[1])
    return (W @ norm(z_2)) * z_1 + b[:, None] * z_1


@right("08b.4")
def causal_gate(z, W, b):
    z_1, z_2 = np.hsplit(z, 2)
    read = np.apply_along_axis(lambda row: (row - row.mean()) / row.std(), 1, z_2)
    rows = [sum(W[i, j] * read[j] for j in range(i + 1)) + b[i] for i in range(len(z))]
    return z_1 * np.array(rows)


@wrong("08b.4", says="NumPy array is asked for")
def causal_gate(z, W, b):
    z_1, z_2 = ops.split(ops.convert_to_tensor(z), 2, axis=1)
    z_2 = z_2 - ops.mean(z_2, axis=1, keepdims=True)
    z_2 = z_2 / ops.std(z_2, axis=1, keepdims=True)
    return z_1 * (ops.matmul(np.tril(W), z_2) + b[:, None])


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    states = encode(ids, 10_000)
    for place in range(len(ids) - 1, 0, -1):
        changed = ids.copy()
        changed[place] = (ids[place] + vocab_size - 2) % (vocab_size - 1) + 1
        if changed[place] == ids[place]:
            changed[place] = ids[place] % (vocab_size - 1) + 1
        if np.abs(encode(changed, 10_000)[:place] - states[:place]).max() > 0:
            return True
    return False


@wrong("08b.3")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 10_000)
    for place in range(1, len(ids)):
        other = np.array(ids)
        other[place] = ids[place] % 9 + 1
        if (encode(other, 10_000) != before)[:place].any():
            return True
    return False


@wrong("08b.5", "cannot be built")
def call(self, x, mask=None):
    query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)
    masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
    if self.causal:
        masks.append(causal_mask(x.shape[1], x.shape[1])[None])
    found = np.array(self.attention(query, value, key, all_of(masks)))
    return self.output_projection(ops.convert_to_tensor(found))


@wrong("08b.5")
def call(self, x, mask=None):
    parts = self.query_key_value(x)
    query, key, value = parts[..., :4], parts[..., 4:8], parts[..., 8:]
    masks = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
    if self.causal:
        masks.append(causal_mask(x.shape[1], x.shape[1])[None])
    return self.output_projection(self.attention(query, value, key, all_of(masks)))


@wrong("08b.3", says="scale of 10,000")
def reads_future(encode, ids, vocab_size):
    before = encode(ids)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other)[:place] != before[:place]).any():
            return True
    return False


@wrong("08b.3", says="scale of 10,000")
def reads_future(encode, ids, vocab_size):
    before = encode(ids)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = 1 if ids[place] != 1 else 2
        if not np.allclose(encode(other)[:place], before[:place], atol=1e-5):
            return True
    return False


@wrong("08b.3", says="same scale")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 1)
    for place in range(1, len(ids)):
        other = ids.copy()
        other[place] = ids[place] % (vocab_size - 1) + 1
        if (encode(other, 1e4)[:place] != before[:place]).any():
            return True
    return False


@right("08b.3")
def reads_future(encode, ids, vocab_size):
    for place in range(1, len(ids)):
        other = np.array(ids)
        other[place] = vocab_size - 1 if ids[place] == 1 else ids[place] - 1
        gap = encode(other, scale=1e5) - encode(ids, scale=1e5)
        if np.abs(gap[:place]).max() > 1e-6:
            return True
    return False


@right("08b.1")
def initial_weights(gate, S, draw):  # signs alone
    scale = S**-0.5 if gate == "linear" else 1e-5 / S
    b = np.repeat(float(gate in ("multiplicative", "split")), S)
    return draw.choice([-scale, scale], size=(S, S)), b


@right("08b.1")
def initial_weights(gate, S, draw):  # rows at right angles
    W = draw.normal(size=(S, S))
    if gate == "linear":
        return np.linalg.qr(W)[0], np.zeros(S)
    return 1e-6 * W, np.zeros(S) if gate == "additive" else np.ones(S)


@wrong("08b.1", "the same for every `draw`")
def initial_weights(gate, S, draw):
    W = np.eye(S) if gate == "linear" else draw.normal(0, 1e-4 / S, (S, S))
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@wrong("08b.1", "the same for every `draw`")
def initial_weights(gate, S, draw):
    draw = np.random.default_rng(0)
    W = draw.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@wrong("08b.1", "begins alike")
def initial_weights(gate, S, draw):
    W = np.random.normal(0, S**-0.5 if gate == "linear" else 1e-4 / S, (S, S))
    return W, np.ones(S) if gate in ("multiplicative", "split") else np.zeros(S)


@right("08b.2")
def matrix(self):
    W = self.W
    if self.toeplitz:
        index = np.arange(self.tokens)[:, None] - np.arange(self.tokens)
        W = ops.take(W, np.abs(index) if self.causal else index + self.tokens - 1)
    return ops.tril(W) if self.causal else W


@wrong("08b.2", "stays when W changes")
def matrix(self):
    if not hasattr(self, "kept"):
        S, W = self.tokens, ops.convert_to_tensor(self.W)
        distance = np.arange(S)[:, None] - np.arange(S)
        if self.toeplitz:
            W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        self.kept = ops.tril(W) if self.causal else W
    return self.kept


@wrong("08b.2", "no gradient")
def matrix(self):  # only where it is free and causal
    S, W = self.tokens, ops.convert_to_tensor(self.W)
    distance = np.arange(S)[:, None] - np.arange(S)
    if self.toeplitz:
        W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
        return ops.tril(W) if self.causal else W
    return ops.tril(ops.stop_gradient(W)) if self.causal else W


@wrong("08b.2", "regularizer")
def matrix(self):
    S, W = self.tokens, ops.convert_to_tensor(self.W)
    distance = np.arange(S)[:, None] - np.arange(S)
    if self.toeplitz:
        W = ops.take(W, np.maximum(distance, 0) if self.causal else distance + S - 1)
    self.add_loss(1e-3 * ops.sum(ops.square(W)))
    return ops.tril(W) if self.causal else W


@wrong("08b.3", "too high")
def reads_future(encode, ids, vocab_size):
    before = encode(ids, 1e4)
    for place in range(1, len(ids)):
        other = np.array(ids)
        other[place] = ids[place] % (vocab_size - 1) + 1
        if not np.allclose(encode(other, 1e4)[:place], before[:place], atol=1e-3):
            return True
    return False
