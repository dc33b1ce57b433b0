"""Answers to the exercises of lecture 03, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from lectures.lecture_03 import marked_symbols, sigmoid
from lectures.lecture_03.cells import GatedCell

# 03.1


@right("03.1")
def lstm_step(x, h, c, W, U, b):
    units = h.shape[1]
    z = x @ W + h @ U + b
    i, f, g, o = (z[:, k * units : (k + 1) * units] for k in range(4))
    new_c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(new_c), new_c


@right("03.1")
def lstm_step(x, h, c, W, U, b):
    blocks = (np.concatenate([x, h], -1) @ np.concatenate([W, U]) + b).reshape(len(x), 4, -1)
    i, f, o = (1 / (1 + np.exp(-blocks[:, k])) for k in (0, 1, 3))
    c = f * c + i * np.tanh(blocks[:, 2])
    return o * np.tanh(c), c


@right("03.1")
def lstm_step(x, h, c, W, U, b):
    parts = []
    for w, u, bias in zip(np.hsplit(W, 4), np.hsplit(U, 4), np.split(b, 4)):
        parts.append(x.dot(w) + h.dot(u) + bias)
    gates = [sigmoid(parts[k]) for k in (0, 1, 3)]
    c_t = gates[1] * c + gates[0] * np.tanh(parts[2])
    h_t = gates[2] * np.tanh(c_t)
    return (h_t, c_t)


@right("03.1")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * (2 * sigmoid(2 * g) - 1)
    return [sigmoid(o) * np.tanh(c), c]


@wrong("03.1", says="return h first, then c")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return c, sigmoid(o) * np.tanh(c)


@wrong("03.1", says="return 2 results: the hidden state h, the cell state c")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c)


@wrong("03.1", says="the hidden state h, the cell state c; you returned 3")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, h, c


@wrong("03.1", says="add no 1")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="add the bias b once")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split((x @ W + b) + (h @ U + b), 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="not the old one")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    return sigmoid(o) * np.tanh(c), sigmoid(f) * c + sigmoid(i) * np.tanh(g)


@wrong("03.1", says="the sigmoid is missing")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


@wrong("03.1", says="the hidden state h")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return np.tanh(o) * np.tanh(c), c


@wrong("03.1", says="the hidden state h")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + (1 - sigmoid(f)) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="split columns")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="3 columns meet 5 rows")
def lstm_step(x, h, c, W, U, b):
    z = x @ W + h @ U + b
    i, f, g, o = z[:, 0::4], z[:, 1::4], z[:, 2::4], z[:, 3::4]
    c = sigmoid(f) @ c + sigmoid(i) @ np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="the hidden state h")
def lstm_step(x, h, c, W, U, b):
    z = x @ W + h @ U + b
    i, f, g, o = z[:, 0::4], z[:, 1::4], z[:, 2::4], z[:, 3::4]
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


@wrong("03.1", says="the hidden state h")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c) + h, c


@wrong("03.1", says="a NumPy array is asked for, not a tensor")
def lstm_step(x, h, c, W, U, b):
    i, f, g, o = ops.split(ops.convert_to_tensor(x @ W + h @ U + b), 4, axis=-1)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


# 03.2


@right("03.2")
class LSTMCell(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)

    def call(self, inputs, states):
        i, f, g, o = self.sums(inputs, states[0])
        new_c = states[1] * ops.sigmoid(f) + ops.tanh(g) * ops.sigmoid(i)
        new_h = ops.tanh(new_c) * ops.sigmoid(o)
        return new_h, [new_h, new_c]


@right("03.2")
class LSTMCell(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)

    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.add(
            ops.multiply(keras.activations.sigmoid(f), c),
            ops.multiply(keras.activations.sigmoid(i), keras.activations.tanh(g)),
        )
        return ops.sigmoid(o) * ops.tanh(c), (ops.sigmoid(o) * ops.tanh(c), c)


@right("03.2")
class LSTMCell(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)

    def call(self, inputs, states, training=False):
        h, c = states
        z = ops.matmul(inputs, self.kernel) + ops.matmul(h, self.recurrent_kernel) + self.bias
        n = self.units
        i, f, o = (ops.sigmoid(z[:, k * n : (k + 1) * n]) for k in (0, 1, 3))
        c = f * c + i * ops.tanh(z[:, 2 * n : 3 * n])
        h = o * ops.tanh(c)
        return h, [h, c]


@right("03.2")
class LSTMCell(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)

    def call(self, inputs, states):
        i, f, g, o = self.sums(inputs, states[0])
        squash = lambda x: 0.5 * (ops.tanh(0.5 * x) + 1)
        memory = squash(f) * states[1] + squash(i) * ops.tanh(g)
        shown = squash(o) * ops.tanh(memory)
        return shown, [shown, memory]


class Started(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)


@wrong("03.2", says="return the states as a list")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, c


@wrong("03.2", says="return two things")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c)


@wrong("03.2", says="h first, then c")
class LSTMCell(Started):
    def call(self, inputs, states):
        c, h = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [c, h]


@wrong("03.2", says="h first, then c")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [c, h]


@wrong("03.2", says="not with NumPy")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return h, [h, c]


@wrong("03.2", says="use keras.ops")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * np.tanh(g)
        h = ops.sigmoid(o) * np.tanh(c)
        return h, [h, c]


@wrong("03.2", says="the output of one step should be (2, 3), not (2, 2, 3)")
class LSTMCell(Started):
    def call(self, inputs, states):
        i, f, g, o = self.sums(inputs, states)
        c = ops.sigmoid(f) * states[1] + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03.2", says="add no 1")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f + 1.0) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03.2", says="the output of one step")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.relu(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03.2", says="the output of one step")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.softmax(o) * ops.tanh(c), [h, c]


@wrong("03.2", says="the new hidden state h")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        return ops.sigmoid(o) * ops.tanh(c), [h, c]


@wrong("03.2", says="the cell's output is h")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return c, [h, c]


@wrong("03.2", says="NameError")
class LSTMCell(Started):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03.2", says="leave __init__")
class LSTMCell(GatedCell):
    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.fresh = (0, 1, 0, 0)

    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03.2")
def call(self, inputs, states):
    h, c = states
    sums = ops.concatenate(self.sums(inputs, h), axis=-1)
    i, f, g, o = sums[:, :4], sums[:, 4:8], sums[:, 8:12], sums[:, 12:]
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    h = ops.sigmoid(o) * ops.tanh(c)
    return h, [h, c]


# 03.3


@right("03.3")
def forget_bias(half_life):
    f = np.power(2.0, -1 / half_life)
    return -np.log(1 / f - 1)


@right("03.3")
def forget_bias(half_life):
    import math

    n = math.log(2) / half_life
    return -math.log(math.expm1(n))


@right("03.3")
def forget_bias(half_life):
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        if sigmoid(middle) ** half_life < 0.5:
            low = middle
        else:
            high = middle
    return middle


@right("03.3")
def forget_bias(half_life):
    gate = np.exp(np.log(0.5) / half_life)
    return np.log(gate) - np.log1p(-gate)


@right("03.3")
def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return float(2 * np.arctanh(2 * gate - 1))


@wrong("03.3", says="that is the gate")
def forget_bias(half_life):
    return np.exp(-np.log(2) / half_life)


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    return np.log(half_life)


@wrong("03.3", says="the sign is wrong")
def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return np.log((1 - gate) / gate)


@wrong("03.3", says="not 0.5")
def forget_bias(half_life):
    gate = np.exp(-1 / half_life)
    return np.log(gate / (1 - gate))


@wrong("03.3", says="fⁿ = 0.5")
def forget_bias(half_life):
    gate = 1 - 0.5 / half_life
    return np.log(gate / (1 - gate))


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    return np.log(0.5) / half_life


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return np.arctanh(gate)


@wrong("03.3", says="fⁿ = 0.5")
def forget_bias(half_life):
    gate = 1 - 1 / half_life
    return np.log(gate / (1 - gate))


@wrong("03.3", says="natural logarithm")
def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return np.log10(gate / (1 - gate))


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    gate = 0.5 ** (1 / half_life)
    return gate / (1 - gate)


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    return -np.log(half_life - 1)


@wrong("03.3", says="the gate is the sigmoid's result")
def forget_bias(half_life):
    return sigmoid(0.5 ** (1 / half_life))


@wrong("03.3", says="the bias is")
def forget_bias(half_life):
    return 1 / (1 + np.exp(-half_life))


# 03.4


def recaller(cell, batches=600, rate=0.01, seed=1, clipnorm=1.0, body=None):
    sequence = keras.Input((100, 5))
    state = body(sequence) if body else layers.RNN(cell)(sequence)
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(state))
    optimizer = keras.optimizers.Adam(rate, clipnorm=clipnorm)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    x, answers, _ = marked_symbols(64 * batches, seed=seed)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@right("03.4", trains=True)
def train_recaller():
    return recaller(LSTMCell(32, forget_bias=forget_bias(20)), batches=1_000, seed=5)


@right("03.4", trains=True)
def train_recaller():
    class Reader(keras.Model):
        def __init__(self):
            super().__init__()
            self.reader = layers.RNN(LSTMCell(32, forget_bias=forget_bias(10)))
            self.names = layers.Dense(4, activation="softmax")

        def call(self, x):
            return self.names(self.reader(x))

    keras.utils.set_random_seed(0)
    model = Reader()
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["acc"])
    x, answers, _ = marked_symbols(64 * 1_000, seed=1)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@wrong("03.4", says="first train longer", trains=True)
def train_recaller():
    return recaller(LSTMCell(32, forget_bias=forget_bias(10)), batches=100)


@wrong("03.4", says="a Dense layer of 4 follows one state", trains=True)
def train_recaller():
    body = layers.RNN(LSTMCell(32), return_sequences=True)
    sequence = keras.Input((100, 5))
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(body(sequence)))
    model.compile("adam", "sparse_categorical_crossentropy")
    x, answers, _ = marked_symbols(64, seed=1)
    model.fit(x, np.repeat(answers[:, None], 100, axis=1), verbose=0)
    return model


@wrong("03.4", says="no layer of the model is recurrent", trains=True)
def train_recaller():
    def body(x):
        return ops.sum(x[..., :4] * x[..., 4:], axis=1)

    return recaller(None, 300, 0.05, body=body)


@wrong("03.4", says="does not read all 100 symbols", trains=True)
def train_recaller():
    loop = layers.RNN(LSTMCell(32, forget_bias=forget_bias(10)))
    return recaller(None, 60, body=lambda x: loop(x[..., :4] * x[..., 4:]))


@wrong("03.4", says="the model is not trained")
def train_recaller():
    sequence = keras.Input((100, 5))
    state = layers.RNN(LSTMCell(32))(sequence)
    return keras.Model(sequence, layers.Dense(4, activation="softmax")(state))


@wrong("03.4", says="return the trained model", trains=True)
def train_recaller():
    model = recaller(LSTMCell(32), batches=2)
    return model.fit(*marked_symbols(64, seed=1)[:2], verbose=0)


@wrong("03.4", says="softmax in the last layer", trains=True)
def train_recaller():
    sequence = keras.Input((100, 5))
    model = keras.Model(sequence, layers.Dense(4)(layers.RNN(LSTMCell(32))(sequence)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss)
    model.fit(*marked_symbols(640, seed=1)[:2], verbose=0)
    return model


@wrong("03.4", says="not your own: layers.RNN(LSTMCell", trains=True)
def train_recaller():
    return recaller(None, 2, body=layers.LSTM(32))


# 03.5


@right("03.5")
def gru_step(x, h, W, U, b):
    n = h.shape[1]
    z = sigmoid(x @ W[:, :n] + h @ U[:, :n] + b[:n])
    r = sigmoid(x @ W[:, n : 2 * n] + h @ U[:, n : 2 * n] + b[n : 2 * n])
    g = np.tanh(x @ W[:, 2 * n :] + (r * h) @ U[:, 2 * n :] + b[2 * n :])
    return h + (1 - z) * (g - h)


@right("03.5")
def gru_step(x, h, W, U, b):
    n = len(U)
    gates = sigmoid(np.hstack([x, h]) @ np.vstack([W, U])[:, : 2 * n] + b[: 2 * n])
    z, r = np.hsplit(gates, 2)
    g = np.tanh(np.hstack([x, r * h]) @ np.vstack([W, U])[:, 2 * n :] + b[2 * n :])
    return z * h + g - z * g


@right("03.5")
def gru_step(x, h, W, U, b):
    (W_z, W_r, W_g), (U_z, U_r, U_g), (b_z, b_r, b_g) = (
        np.split(one, 3, axis=-1) for one in (W, U, b)
    )
    z = 1 / (1 + np.exp(-(x @ W_z + h @ U_z + b_z)))
    r = 1 / (1 + np.exp(-(x @ W_r + h @ U_r + b_r)))
    new = np.tanh(x @ W_g + np.multiply(r, h) @ U_g + b_g)
    return np.where(True, z * h + (1 - z) * new, h)


@right("03.5")
def gru_step(x, h, W, U, b):
    s = (x @ W + b).reshape(len(x), 3, -1)
    V = U.reshape(len(U), 3, -1)
    z, r = (sigmoid(s[:, k] + h @ V[:, k]) for k in (0, 1))
    return z * h + (1 - z) * np.tanh(s[:, 2] + np.einsum("bi,ij->bj", r * h, V[:, 2]))


@wrong("03.5", says="z = 1 keeps the old state")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return (1 - z) * h + z * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="reset first")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(h @ U, 3, axis=1)
    z, r = sigmoid(a[0] + u[0]), sigmoid(a[1] + u[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * u[2])


@wrong("03.5", says="the order z, r, candidate")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    r, z = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return z * h + (1 - z) * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="the new state")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return z * h + (1 - z) * np.tanh((r * (a[2] + h)) @ u[2])


@wrong("03.5", says="the bias b is missing")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return z * h + (1 - z) * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="the new state")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = a[0] + h @ u[0], a[1] + h @ u[1]
    return z * h + (1 - z) * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="columns meet")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + u[0] @ h), sigmoid(a[1] + u[1] @ h)
    return z * h + (1 - z) * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="the new state is a tuple")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    h = z * h + (1 - z) * np.tanh(a[2] + (r * h) @ u[2])
    return h, [h]


@wrong("03.5", says="the old state is missing")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return (1 - z) * np.tanh(a[2] + (r * h) @ u[2])


@wrong("03.5", says="the new state")
def gru_step(x, h, W, U, b):
    a = np.split(x @ W + b, 3, axis=1)
    u = np.split(U, 3, axis=1)
    z, r = sigmoid(a[0] + h @ u[0]), sigmoid(a[1] + h @ u[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * h + h @ u[2])


# 03.6


@right("03.6")
def both_ends(states, mask):
    units = states.shape[2] // 2
    rows = [np.append(s[m][-1, :units], s[0, units:]) for s, m in zip(states, mask)]
    return np.array(rows)


@right("03.6")
def both_ends(states, mask):
    forward, backward = np.split(states, 2, axis=-1)
    last = np.count_nonzero(mask, axis=-1)[:, None, None] - 1
    return np.hstack([np.take_along_axis(forward, last, axis=1)[:, 0], backward[:, 0]])


@right("03.6")
def both_ends(states, mask):
    n = states.shape[-1] // 2
    steps = states.shape[1]
    last = steps - 1 - mask[:, ::-1].argmax(axis=1)
    out = states[np.arange(len(states)), last].copy()
    out[:, n:] = states[:, 0, n:]
    return out


@right("03.6")
def both_ends(states, mask):
    units = states.shape[-1] // 2
    is_last = mask & ~np.pad(mask[:, 1:], ((0, 0), (0, 1)))
    forward = np.einsum("bs,bsj->bj", is_last.astype(float), states[..., :units])
    return np.concatenate((forward, states[:, 0, units:]), axis=1)


@wrong("03.6", says="zero for every padded text")
def both_ends(states, mask):
    return states[:, -1, :]


@wrong("03.6", says="the backward half has read one word")
def both_ends(states, mask):
    return states[np.arange(len(states)), mask.sum(axis=1) - 1]


@wrong("03.6", says="the backward half ends at step 0")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    return np.hstack([states[np.arange(len(states)), last, :u], states[:, -1, u:]])


@wrong("03.6", says="the states of both ends")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = np.minimum(mask.sum(axis=1), mask.shape[1] - 1)
    return np.hstack([states[np.arange(len(states)), last, :u], states[:, 0, u:]])


@wrong("03.6", says="the states of both ends have the shape")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    return np.stack([states[np.arange(len(states)), last, :u], states[:, 0, u:]])


@wrong("03.6", says="the states of both ends")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = np.abs(states).sum(axis=-1).astype(bool).sum(axis=1) - 1
    return np.hstack([states[np.arange(len(states)), last, :u], states[:, 0, u:]])


@wrong("03.6", says="take it at the first")
def both_ends(states, mask):
    u = states.shape[-1]  # the whole, not a half
    last = mask.sum(axis=1) - 1
    return np.hstack([states[np.arange(len(states)), last, :u], states[:, 0, u:]])


@wrong("03.6", says="the states of both ends")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    return np.hstack([states[:, last, :u].mean(axis=1), states[:, 0, u:]])


@wrong("03.6", says="the forward half comes first")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    return np.hstack([states[:, 0, u:], states[np.arange(len(states)), last, :u]])


@wrong("03.6", says="the states of both ends")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask.sum(axis=1) - 1
    return states[np.arange(len(states)), last, :u]


@wrong("03.6", says="each text has its own length")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    last = mask[0].sum() - 1
    return np.hstack([states[:, last, :u], states[:, 0, u:]])


@wrong("03.6", says="the states of both ends")
def both_ends(states, mask):
    u = states.shape[-1] // 2
    real = states * mask[..., None]
    return np.hstack([real[..., :u].max(axis=1), real[:, 0, u:]])


@wrong("03.6")
def both_ends(states, mask):
    units = states.shape[-1] // 2
    last = np.maximum(mask.sum(axis=1) - 1, 1)
    forward = states[np.arange(len(states)), last, :units]
    return np.concatenate([forward, states[:, 0, units:]], axis=-1)
