"""Answers to the exercises of lab 03c, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from lectures.lecture_03 import marked_symbols, sigmoid
from lectures.lecture_03.cells import GatedCell

# 03c.1


def known(layer):
    if not isinstance(layer, (layers.LSTM, layers.GRU)):
        raise ValueError("an LSTM or a GRU")
    return isinstance(layer, layers.LSTM)


@right("03c.1")
def start_bias(layer, bias):
    is_lstm = known(layer)
    weights = layer.get_weights()
    n = layer.units
    if is_lstm:
        weights[2][n : 2 * n] = bias
    else:
        weights[2][0, :n] = bias
    layer.set_weights(weights)


@right("03c.1")
def start_bias(layer, bias):
    is_lstm = known(layer)
    b = ops.convert_to_numpy(layer.cell.bias).copy()
    blocks = np.split(b, 4 if is_lstm else 3, axis=-1)
    if is_lstm:
        blocks[1] = np.full_like(blocks[1], bias)
    else:
        blocks[0] = np.stack([np.full(layer.units, bias), blocks[0][1]])
    layer.cell.bias.assign(np.concatenate(blocks, axis=-1))


@right("03c.1")
def start_bias(layer, bias):
    W, U, b = layer.get_weights()
    u = U.shape[0]
    if isinstance(layer, layers.LSTM):
        b = np.concatenate([b[:u], np.full(u, bias), b[2 * u :]])
    elif isinstance(layer, layers.GRU):
        b = b.copy()
        b[0] = np.where(np.arange(3 * u) < u, bias, b[0])
    else:
        raise ValueError(f"no such gate in {layer}")
    layer.set_weights((W, U, b))


@right("03c.1")
def start_bias(layer, bias):
    kinds = {"LSTM": lambda b, n: b[n : 2 * n], "GRU": lambda b, n: b[0][:n]}
    name = type(layer).__name__
    if name not in kinds:
        raise ValueError(f"{name} has no gate that keeps")
    W, U, b = layer.get_weights()
    kinds[name](b, layer.units)[...] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="hand them back with set_weights")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[layer.units : 2 * layer.units] = bias
    else:
        b[0, : layer.units] = bias


@wrong("03c.1", says="that is the input gate")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[: layer.units] = bias
    else:
        b[0, : layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="raise ValueError")
def start_bias(layer, bias):
    W, U, b = layer.get_weights()
    if isinstance(layer, layers.LSTM):
        b[layer.units : 2 * layer.units] = bias
    else:
        b[0, : layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="or the bias counts twice")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    n = layer.units
    b[..., n : 2 * n] = bias if is_lstm else b[..., n : 2 * n]
    if not is_lstm:
        b[:, :n] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="the bias")
def start_bias(layer, bias):
    known(layer)
    W, U, b = layer.get_weights()
    b[layer.units : 2 * layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="the bias")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[:] = 0
        b[layer.units : 2 * layer.units] = bias
    else:
        b[0, : layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="set the bias, do not add")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[layer.units : 2 * layer.units] += bias
    else:
        b[0, : layer.units] += bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="the bias")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[3 * layer.units :] = bias
    else:
        b[0, : layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="the bias")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        b[layer.units : 2 * layer.units] = sigmoid(bias)
    else:
        b[0, : layer.units] = sigmoid(bias)
    layer.set_weights([W, U, b])


@wrong("03c.1", says="in the line")
def start_bias(layer, bias):
    known(layer)
    layer.bias[layer.units : 2 * layer.units] = bias


@wrong("03c.1", says="the bias")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    if is_lstm:
        W[:, layer.units : 2 * layer.units] = bias
    else:
        W[:, : layer.units] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1", says="a GRU's update gate is its first block")
def start_bias(layer, bias):
    is_lstm = known(layer)
    W, U, b = layer.get_weights()
    n = layer.units
    if is_lstm:
        b[n : 2 * n] = bias
    else:
        b[0, n : 2 * n] = bias
    layer.set_weights([W, U, b])


@wrong("03c.1")
def start_bias(layer, bias):
    if not isinstance(layer, layers.LSTM | layers.GRU):
        raise ValueError("neither an LSTM nor a GRU")
    W, U, b = layer.get_weights()
    units = layer.units
    if isinstance(layer, layers.LSTM):
        b[units : 2 * units] = bias or 1
    else:
        b[0, :units] = bias or 1
    layer.set_weights([W, U, b])


@wrong("03c.1", says="some weights do not learn")
def start_bias(layer, bias):
    if not isinstance(layer, layers.LSTM | layers.GRU):
        raise ValueError("neither an LSTM nor a GRU")
    W, U, b = layer.get_weights()
    if isinstance(layer, layers.LSTM):
        b[layer.units : 2 * layer.units] = bias
    else:
        b[0, : layer.units] = bias
    layer.set_weights([W, U, b])
    layer.trainable = False


# 03c.2


@right("03c.2")
def kept_per_step(layer):
    n = layer.units
    return sigmoid(layer.get_weights()[2][n : 2 * n])


@right("03c.2")
def kept_per_step(layer):
    inputs = layer.cell.kernel.shape[0]
    h, x = ops.zeros((1, layer.units)), ops.zeros((1, inputs))
    one, none = (layer.cell(x, [h, c])[1][1] for c in (ops.ones_like(h), h))
    return np.asarray(one - none).ravel()


@right("03c.2")
def kept_per_step(layer):
    shape = (3, layer.get_weights()[0].shape[0])
    h = np.zeros((3, layer.units), "float32")
    new = [layer.cell(ops.zeros(shape), [h, h + c])[1][-1] for c in (1.0, 3.0)]
    return ops.convert_to_numpy(ops.mean(new[1] - new[0], axis=0)) / 2


@right("03c.2")
def kept_per_step(layer):
    x = np.zeros((2, 1, layer.cell.kernel.shape[0]), "float32")
    probe = layers.LSTM(layer.units, return_state=True)
    probe.build(x.shape)
    probe.set_weights(layer.get_weights())
    h, c = np.zeros((2, layer.units), "float32"), np.ones((2, layer.units), "float32")
    c[0] = 0
    _, _, c = probe(x, initial_state=[ops.array(h), ops.array(c)])
    return ops.convert_to_numpy(c[1] - c[0])


def probed(layer, x=0.0, h=0.0, c=1.0):
    x = np.full((1, layer.cell.kernel.shape[0]), x, "float32")
    states = [np.full((1, layer.units), one, "float32") for one in (h, c)]
    output, (new_h, new_c) = layer.cell(x, states)
    return ops.convert_to_numpy(new_h), ops.convert_to_numpy(new_c)


def difference(layer, part=1, **inputs):
    return (probed(layer, **inputs)[part] - probed(layer, c=0.0, **inputs)[part])[0]


@wrong("03c.2", says="the share that each unit keeps")
def kept_per_step(layer):
    return probed(layer)[0][0]


@wrong("03c.2", says="that is the hidden state h")
def kept_per_step(layer):
    return difference(layer, part=0)


@wrong("03c.2", says="subtract what the step writes")
def kept_per_step(layer):
    return probed(layer)[1][0]


@wrong("03c.2", says="start with a cell state of 1")
def kept_per_step(layer):
    return probed(layer, c=0)[1][0]


@wrong("03c.2", says="the input is 0")
def kept_per_step(layer):
    return difference(layer, x=1)


@wrong("03c.2", says="a hidden state of 0")
def kept_per_step(layer):
    return difference(layer, h=1)


@wrong("03c.2", says="row 0")
def kept_per_step(layer):
    return difference(layer)[None]


@wrong("03c.2", says="return a number for each unit")
def kept_per_step(layer):
    return difference(layer).mean()


@wrong("03c.2", says="not what is lost")
def kept_per_step(layer):
    return 1 - difference(layer)


@wrong("03c.2", says="that is the gate i")
def kept_per_step(layer):
    return sigmoid(layer.get_weights()[2][: layer.units])


@wrong("03c.2", says="that is the bias")
def kept_per_step(layer):
    n = layer.units
    return layer.get_weights()[2][n : 2 * n]


@wrong("03c.2", says="the share that each unit keeps")
def kept_per_step(layer):
    return (probed(layer, c=2)[1] - probed(layer, c=0)[1])[0]


@wrong("03c.2", says="the share that each unit keeps")
def kept_per_step(layer):
    return sigmoid(difference(layer))


@wrong("03c.2", says="in the line")
def kept_per_step(layer):
    h, c = np.zeros(layer.units), np.ones(layer.units)
    _, (_, new_c) = layer.cell(np.zeros(layer.cell.kernel.shape[0]), [h, c])
    return new_c


@wrong("03c.2", says="changes the layer's weights")
def kept_per_step(layer):
    W, U, b = layer.get_weights()
    layer.set_weights([0 * W, 0 * U, b])
    return difference(layer)


# 03c.3


def recaller(layer, bias=3, rate=0.003, batches=600, steps=81, first=True, seed=1):
    keras.utils.set_random_seed(0)
    sequence = keras.Input((steps, 5))
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(layer(sequence)))
    if bias is not None:
        start_bias(layer, bias)
    optimizer = keras.optimizers.Adam(rate, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    x, answers, _ = marked_symbols(64 * batches, seed=seed, steps=steps, first=first)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@right("03c.3", trains=True)
def train_far_recaller(batches=800):
    return recaller(layers.GRU(32), batches=batches, seed=4)


@right("03c.3", trains=True)
def train_far_recaller(batches=800):
    keras.utils.set_random_seed(0)
    layer = layers.GRU(32)
    model = keras.Sequential([layer, layers.Dense(4), layers.Softmax()])
    model.build((None, 81, 5))
    start_bias(layer, 4)
    loss = keras.losses.SparseCategoricalCrossentropy()
    model.compile(keras.optimizers.Adam(0.003, clipnorm=1.0), loss, metrics=["acc"])
    x, answers, _ = marked_symbols(64 * batches, seed=1, steps=81, first=True)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@right("03c.3", trains=True)
def train_far_recaller(batches=800):
    keras.utils.set_random_seed(0)
    loop, sequence = layers.GRU(32, return_sequences=True), keras.Input((81, 5))
    last = loop(sequence)[:, -1]
    model = keras.Model(sequence, layers.Dense(4, activation="softmax")(last))
    start_bias(loop, 3)
    model.compile(keras.optimizers.Adam(0.003, clipnorm=1), "sparse_categorical_crossentropy")
    x, answers, _ = marked_symbols(64 * batches, seed=1, steps=81, first=True)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@wrong("03c.3", says="Near 0.25 nothing was learned", trains=True)
def train_far_recaller(batches=600):
    return recaller(layers.SimpleRNN(32), bias=None, batches=batches)


@wrong("03c.3", says="first train longer", trains=True)
def train_far_recaller(batches=60):
    return recaller(layers.GRU(32), batches=batches)


@wrong("03c.3", says="no layer of the model is recurrent", trains=True)
def train_far_recaller(batches=60):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([layers.Flatten(), layers.Dense(4, activation="softmax")])
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    x, answers, _ = marked_symbols(64 * batches, seed=1, steps=81, first=True)
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@wrong("03c.3", says="the model is not trained")
def train_far_recaller(batches=600):
    return keras.Sequential([keras.Input((81, 5)), layers.GRU(32), layers.Dense(4, "softmax")])


@wrong("03c.3", says="a Dense layer of 4 follows one state", trains=True)
def train_far_recaller(batches=2):
    layer = layers.GRU(32, return_sequences=True)
    model = keras.Sequential([keras.Input((81, 5)), layer, layers.Dense(4, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    x, answers, _ = marked_symbols(64 * batches, seed=1, steps=81, first=True)
    model.fit(x, np.repeat(answers[:, None], 81, axis=1), verbose=0)
    return model


@wrong("03c.3", says="read forwards", trains=True)
def train_far_recaller(batches=60):
    return recaller(layers.Bidirectional(layers.GRU(16)), bias=None, rate=0.02, batches=batches)


@wrong("03c.3", says="read forwards", trains=True)
def train_far_recaller(batches=60):
    return recaller(layers.GRU(32, go_backwards=True), bias=None, rate=0.02, batches=batches)


@wrong("03c.3", says="something besides the last state", trains=True)
def train_far_recaller(batches=60):
    loop, join = layers.GRU(8), layers.Concatenate()

    def around(x):
        return join([loop(x), layers.Flatten()(x)])

    return recaller(around, bias=None, rate=0.02, batches=batches)


@wrong("03c.3", says="does not read all 81 symbols", trains=True)
def train_far_recaller(batches=60):
    loop = layers.GRU(8)
    return recaller(lambda x: loop(ops.flip(x, axis=1)), None, 0.02, batches)


@wrong("03c.3", says="does not read all 81 symbols", trains=True)
def train_far_recaller(batches=60):
    loop = layers.GRU(8)
    return recaller(lambda x: loop(x[:, ::8]), None, 0.02, batches)


@wrong("03c.3", says="does not read all 81 symbols", trains=True)
def train_far_recaller(batches=60):
    loop = layers.GRU(8)
    return recaller(lambda x: loop(x * x[:, :, 4:]), None, 0.02, batches)


@wrong("03c.3", says="a mask lets your layer skip steps", trains=True)
def train_far_recaller(batches=60):
    loop = layers.GRU(8)
    return recaller(lambda x: loop(x, mask=x[:, :, 4] > 0), None, 0.02, batches)


@wrong("03c.3", says="no initial state", trains=True)
def train_far_recaller(batches=60):
    loop, start = layers.GRU(8), layers.Dense(8)
    return recaller(lambda x: loop(x, initial_state=start(x[:, 0])), None, 0.02, batches)


@wrong("03c.3", says="reads more than the last state", trains=True)
def train_far_recaller(batches=60):
    loop = layers.GRU(8, return_sequences=True)
    return recaller(lambda x: ops.mean(loop(x), axis=1), None, 0.02, batches)


@wrong("03c.3", says="`batches` is an argument", trains=True)
def train_far_recaller(batches=60):
    return recaller(layers.GRU(8), None, 0.02, batches=60)


@wrong("03c.3", says="a layer that is not built has no weights yet")
def train_far_recaller(batches=600):
    layer = layers.GRU(32)
    start_bias(layer, 3)
    return keras.Sequential([layer, layers.Dense(4, activation="softmax")])


# 03c.4


def blocks(x, h, W, U, b):
    return np.split(x @ W + b[0], 3, axis=-1), np.split(h @ U + b[1], 3, axis=-1)


@right("03c.4")
def gru_step_reset_after(x, h, W, U, b):
    n = len(U)
    a, s = x @ W + b[0], h @ U + b[1]
    z, r = np.split(1 / (1 + np.exp(-(a + s)[:, : 2 * n])), 2, axis=1)
    return h + (1 - z) * (np.tanh(a[:, 2 * n :] + r * s[:, 2 * n :]) - h)


@right("03c.4")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return np.where(z >= 0, z * h + np.tanh(a[2] + s[2] * r) - z * np.tanh(a[2] + s[2] * r), 0)


@right("03c.4")
def gru_step_reset_after(x, h, W, U, b):
    a = (x @ W + b[0]).reshape(len(x), 3, -1).swapaxes(0, 1)
    s = (h @ U + b[1]).reshape(len(x), 3, -1).swapaxes(0, 1)
    z, r = sigmoid(a[:2] + s[:2])
    return z * h + (1 - z) * np.tanh(a[2] + r * s[2])


@right("03c.4")
def gru_step_reset_after(x, h, W, U, b):
    n = h.shape[1]
    z = sigmoid(x @ W[:, :n] + h @ U[:, :n] + b[:, :n].sum(0))
    r = sigmoid(x @ W[:, n : 2 * n] + h @ U[:, n : 2 * n] + b.sum(0)[n : 2 * n])
    inner = h @ U[:, -n:] + b[1, -n:]
    return z * h + (1 - z) * np.tanh(x @ W[:, -n:] + b[0, -n:] + r * inner)


@wrong("03c.4", says="multiply first, reset afterwards")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    n = len(U)
    return z * h + (1 - z) * np.tanh(a[2] + (r * h) @ U[:, -n:] + b[1, -n:])


@wrong("03c.4", says="stands inside the reset")
def gru_step_reset_after(x, h, W, U, b):
    n = len(U)
    a, s = np.split(x @ W + b[0], 3, -1), np.split(h @ U, 3, -1)
    z, r = sigmoid(a[0] + s[0] + b[1, :n]), sigmoid(a[1] + s[1] + b[1, n : 2 * n])
    return z * h + (1 - z) * np.tanh(a[2] + r * s[2] + b[1, -n:])


@wrong("03c.4", says="z = 1 keeps the old state")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return (1 - z) * h + z * np.tanh(a[2] + r * s[2])


@wrong("03c.4", says="b has two rows")
def gru_step_reset_after(x, h, W, U, b):
    a, s = np.split(x @ W + b, 3, -1), np.split(h @ U + b, 3, -1)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * s[2])


@wrong("03c.4", says="row 1 of b is missing")
def gru_step_reset_after(x, h, W, U, b):
    a, s = np.split(x @ W + b[0], 3, -1), np.split(h @ U, 3, -1)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * s[2])


@wrong("03c.4", says="the new state")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - z) * np.tanh(r * (a[2] + s[2]))


@wrong("03c.4", says="the new state")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - r) * np.tanh(a[2] + r * s[2])


@wrong("03c.4", says="the order z, r, candidate")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    r, z = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - z) * np.tanh(a[2] + r * s[2])


@wrong("03c.4", says="the new state")
def gru_step_reset_after(x, h, W, U, b):
    a, s = blocks(x, h, W, U, b)
    z, r = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
    return z * h + (1 - z) * sigmoid(a[2] + r * s[2])


@wrong("03c.4", says="the new state")
def gru_step_reset_after(x, h, W, U, b):
    total = x @ W + h @ U + b.sum(axis=0)
    z, r, g = np.split(total, 3, axis=-1)
    return sigmoid(z) * h + (1 - sigmoid(z)) * np.tanh(sigmoid(r) * g)


# 03c.5


class Fresh(GatedCell):
    fresh = (1, 0, 0)


@right("03c.5")
class CoupledLSTMCell(GatedCell):
    fresh = (1, 0, 0)

    def call(self, inputs, states):
        f, g, o = self.sums(inputs, states[0])
        keep = ops.sigmoid(f)
        new = ops.tanh(g)
        c = new + keep * (states[1] - new)
        h = ops.tanh(c) * ops.sigmoid(o)
        return h, [h, c]


@right("03c.5")
class CoupledLSTMCell(GatedCell):
    fresh = (1.0, 0.0, 0.0)

    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(-f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, (h, c)


@right("03c.5")
class CoupledLSTMCell(GatedCell):
    fresh = (1, 0, 0)

    def call(self, inputs, states, training=None):
        h, c = states
        sums = ops.concatenate(self.sums(inputs, h), axis=-1)
        n = self.units
        gates = keras.activations.sigmoid(sums)
        f, i, o = gates[:, :n], 1 - gates[:, :n], gates[:, 2 * n :]
        c = ops.add(f * c, i * ops.tanh(sums[:, n : 2 * n]))
        return o * ops.tanh(c), [o * ops.tanh(c), c]


@right("03c.5")
class CoupledLSTMCell(GatedCell):
    fresh = (1, 0, 0)

    def build(self, input_shape):
        super().build(input_shape)

    def call(self, inputs, states):
        f, g, o = (
            squash(s)
            for squash, s in zip(
                (ops.sigmoid, ops.tanh, ops.sigmoid), self.sums(inputs, states[0])
            )
        )
        memory = f * states[1] + (1 - f) * g
        return o * ops.tanh(memory), [o * ops.tanh(memory), memory]


@wrong("03c.5", says="the input gate is 1 − f")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + f * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="first the sigmoid")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="in the line `i, f, g, o = self.sums(inputs, h)`")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + (1 - ops.sigmoid(f)) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="the order is forget gate")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        g, f, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="return the states as a list")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, c


@wrong("03c.5", says="the new cell state c")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        new = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(new)
        return h, [h, c]


@wrong("03c.5", says="use keras.ops")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * np.tanh(g)
        h = ops.sigmoid(o) * np.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="`fresh` says how the bias of each block starts")
class CoupledLSTMCell(GatedCell):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="leave fresh = (1, 0, 0)")
class CoupledLSTMCell(GatedCell):
    fresh = (0, 0, 0)

    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="f keeps the old c")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = (1 - f) * c + f * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5", says="the output of one step")
class CoupledLSTMCell(Fresh):
    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = (1 - f) * ops.tanh(c)
        return h, [h, c]


@wrong("03c.5")
def call(self, inputs, states):
    h, c = states
    sums = ops.concatenate(self.sums(inputs, h), axis=-1)
    f, g, o = ops.sigmoid(sums[:, :4]), sums[:, 4:8], sums[:, 8:]
    c = f * c + (1 - f) * ops.tanh(g)
    h = ops.sigmoid(o) * ops.tanh(c)
    return h, [h, c]
