"""Answers to lecture 08's exercises: right ones written differently, and wrong ones."""

import dataclasses

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

import course_utils as cu
from course_utils.layers import PatchEmbedding
from course_utils.layers.mlp import GateParts, GMLPParts, MixerParts, two_layers
from lectures.lecture_07.digits import train_on_images
from lectures.lecture_08 import dense, digit_gmlp, hold


@right("08.1")
class MixerBlock(MixerParts):
    def build(self, x_shape):
        _, S, C = x_shape
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, S)
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, C)

    def call(self, x):
        y = ops.transpose(self.token_norm(x), (0, 2, 1))
        x = x + ops.transpose(self.token_mixing(y), (0, 2, 1))
        x += self.channel_mixing(self.channel_norm(x))
        return x


@right("08.1")
class MixerBlock(MixerParts):  # the networks in another order, of other classes
    def build(self, x_shape):
        S, C = x_shape[1], x_shape[2]
        self.channel_mixing = keras.Sequential(
            [
                layers.Dense(self.channel_mlp_dim, activation=keras.activations.gelu),
                layers.Dense(C),
            ]
        )
        self.token_mixing = keras.Sequential()
        self.token_mixing.add(layers.Dense(self.token_mlp_dim))
        self.token_mixing.add(layers.Activation("gelu"))
        self.token_mixing.add(layers.Dense(S))
        super().build(x_shape)

    def call(self, x):
        swap = layers.Permute((2, 1))
        u = layers.add([x, swap(self.token_mixing(swap(self.token_norm(x))))])
        return layers.add([u, self.channel_mixing(self.channel_norm(u))])


@right("08.1")
class MixerBlock(MixerParts):  # token mixing with einsum
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[-2])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[-1])
        for network, width in (
            (self.token_mixing, x_shape[-2]),
            (self.channel_mixing, x_shape[-1]),
        ):
            network.build((None, None, width))

    def call(self, x):
        columns = ops.einsum("bsc->bcs", self.token_norm(x))
        u = x + ops.einsum("bcs->bsc", self.token_mixing(columns))
        return self.channel_mixing(self.channel_norm(u)) + u


@right("08.1")
class MixerBlock(MixerParts):
    def build(self, x_shape):
        batch, tokens, channels = x_shape
        self.token_mixing = two_layers("tokens", self.token_mlp_dim, tokens)
        self.channel_mixing = two_layers("channels", self.channel_mlp_dim, channels)
        self.token_norm.build(x_shape)
        self.channel_norm.build(x_shape)

    def mix_tokens(self, x):
        return ops.moveaxis(self.token_mixing(ops.moveaxis(x, 1, 2)), 1, 2)

    def call(self, x):
        skip = x
        x = self.mix_tokens(self.token_norm(x))
        x = x + skip
        skip = x
        x = self.channel_mixing(self.channel_norm(x))
        return x + skip


@wrong("08.1", says="swap the axes before it")
class MixerBlock(MixerParts):
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        u = x + self.token_mixing(self.token_norm(x))
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # not swapped back before the channels
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        x = ops.swapaxes(x, 1, 2)
        u = x + self.token_mixing(self.token_norm(x))
        u = ops.swapaxes(u, 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1", says="D_S and back to S")
class MixerBlock(MixerParts):  # the hidden units and the width exchanged
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", x_shape[1], self.token_mlp_dim)
        self.channel_mixing = two_layers("channel_mixing", x_shape[2], self.channel_mlp_dim)

    def call(self, x):
        u = x + ops.swapaxes(self.token_mixing(ops.swapaxes(self.token_norm(x), 1, 2)), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1", says="is missing")
class MixerBlock(MixerParts):  # named otherwise
    def build(self, x_shape):
        self.tokens_network = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        y = ops.swapaxes(self.token_norm(x), 1, 2)
        u = x + ops.swapaxes(self.tokens_network(y), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # made in call, new each time
    def build(self, x_shape):
        self.tokens = x_shape[1]

    def call(self, x):
        y = ops.swapaxes(self.token_norm(x), 1, 2)
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, self.tokens)
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x.shape[2])
        u = x + ops.swapaxes(self.token_mixing(y), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # a GELU once more
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        y = ops.swapaxes(self.token_norm(x), 1, 2)
        u = x + ops.swapaxes(ops.gelu(self.token_mixing(y)), 1, 2)
        return u + ops.gelu(self.channel_mixing(self.channel_norm(u)))


@wrong("08.1", says="None")
class MixerBlock(MixerParts):
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        u = x + ops.swapaxes(self.token_mixing(ops.swapaxes(self.token_norm(x), 1, 2)), 1, 2)
        u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # norms over the tokens: after the swap
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        y = self.token_norm(ops.swapaxes(x, 1, 2))
        u = x + ops.swapaxes(self.token_mixing(y), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # channels first
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        u = x + self.channel_mixing(self.channel_norm(x))
        return u + ops.swapaxes(self.token_mixing(ops.swapaxes(self.token_norm(u), 1, 2)), 1, 2)


@wrong("08.1")
class MixerBlock(MixerParts):  # both residuals from x
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        u = x + ops.swapaxes(self.token_mixing(ops.swapaxes(self.token_norm(x), 1, 2)), 1, 2)
        return x + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # the residual is the normalised input
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        x = self.token_norm(x)
        u = x + ops.swapaxes(self.token_mixing(ops.swapaxes(x, 1, 2)), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@wrong("08.1")
class MixerBlock(MixerParts):  # the axes of the batch
    def build(self, x_shape):
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, x_shape[1])
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, x_shape[2])

    def call(self, x):
        u = x + ops.swapaxes(self.token_mixing(ops.swapaxes(self.token_norm(x), 0, 2)), 0, 2)
        return u + self.channel_mixing(self.channel_norm(u))


@right("08.2")
class SpatialGatingUnit(GateParts):
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


@right("08.2")
class SpatialGatingUnit(GateParts):
    def call(self, z):
        half = z.shape[-1] // 2
        passed, read = z[..., :half], z[..., half:]
        f = ops.einsum("st,btc->bsc", self.W, self.norm(read))
        return ops.multiply(passed, f + ops.reshape(self.b, (1, -1, 1)))


@right("08.2")
class SpatialGatingUnit(GateParts):  # by a transposition, as Dense layers do
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=2)
        columns = ops.swapaxes(self.norm(z_2), 1, 2)
        f = ops.matmul(columns, ops.transpose(self.W)) + self.b
        return z_1 * ops.swapaxes(f, 1, 2)


@right("08.2")
class SpatialGatingUnit(GateParts):
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, -1)
        gate = ops.tensordot(self.W, self.norm(z_2), axes=[[1], [1]])
        gate = ops.transpose(gate, (1, 0, 2)) + ops.expand_dims(self.b, 1)
        return gate * z_1


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # the norm of the whole, of half the width
    def call(self, z):
        z_1, z_2 = ops.split(self.norm(z), 2, axis=-1)
        return z_1 * (ops.matmul(self.W, z_2) + self.b[:, None])


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # b is added to Z_1's product
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * ops.matmul(self.W, self.norm(z_2)) + self.b[:, None]


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # the norm after the product
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (self.norm(ops.matmul(self.W, z_2)) + self.b[:, None])


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # one half gates itself
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_2 * (ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


@wrong("08.2", says="b has one number per token")
class SpatialGatingUnit(GateParts):
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (ops.matmul(self.W, self.norm(z_2)) + self.b)


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # Keras' Dense in its place
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (layers.Dense(z_1.shape[-1])(self.norm(z_2)) + self.b[:, None])


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # W element by element
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (self.W * self.norm(z_2) + self.b[:, None])


@wrong("08.2", says="None")
class SpatialGatingUnit(GateParts):
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        f = ops.matmul(self.W, self.norm(z_2)) + self.b[:, None]
        z_1 * f


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # interleaved halves
    def call(self, z):
        z_1, z_2 = z[..., ::2], z[..., 1::2]
        return z_1 * (ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # a 1 is added, as if b began at zero
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * (1 + ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # both halves come back
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        z_2 = ops.matmul(self.W, self.norm(z_2)) + self.b[:, None]
        return z_1, z_2


@wrong("08.2")
class SpatialGatingUnit(GateParts):  # tanh, as in an LSTM
    def call(self, z):
        z_1, z_2 = ops.split(z, 2, axis=-1)
        return z_1 * ops.tanh(ops.matmul(self.W, self.norm(z_2)) + self.b[:, None])


@right("08.3")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x + self.V(self.gate(self.U(self.norm(x))))


@right("08.3")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        shortcut = x
        x = self.norm(x)
        x = self.U(x)
        x = self.gate(x)
        x = self.V(x)
        return layers.Add()([shortcut, x])


@right("08.3")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, inputs):
        y = inputs
        for part in (self.norm, self.U, self.gate, self.V):
            y = part(y)
        return ops.add(y, inputs)


@wrong("08.3")
class GMLPBlock(GMLPParts):  # V before the gate
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x + self.gate(self.V(self.U(self.norm(x))))


@wrong("08.3", says="residual")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        x = self.norm(x)
        return x + self.V(self.gate(self.U(x)))


@wrong("08.3", says="residual is missing")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return self.V(self.gate(self.U(self.norm(x))))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # a Transformer's two halves
    gate_layer = SpatialGatingUnit

    def call(self, x):
        u = x + self.V(self.gate(self.U(self.norm(x))))
        return u + self.V(self.gate(self.U(self.norm(u))))


@wrong("08.3", says="None")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        x = x + self.V(self.gate(self.U(self.norm(x))))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # multiplied, as a gate is
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x * self.V(self.gate(self.U(self.norm(x))))


@wrong("08.3", says="GELU already")
class GMLPBlock(GMLPParts):
    gate_layer = SpatialGatingUnit

    def call(self, x):
        z = keras.activations.gelu(self.U(self.norm(x)))
        return x + self.V(self.gate(z))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # the gate alone
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x + self.gate(self.norm(x))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # split by hand, before a gate that splits
    gate_layer = SpatialGatingUnit

    def call(self, x):
        z_1, z_2 = ops.split(self.U(self.norm(x)), 2, axis=-1)
        return x + self.V(z_1 * self.gate(z_2))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # a new layer for the way back
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x + layers.Dense(x.shape[-1])(self.gate(self.U(self.norm(x))))


@wrong("08.3")
class GMLPBlock(GMLPParts):  # called without its argument
    gate_layer = SpatialGatingUnit

    def call(self, x):
        return x + self.V(self.gate(self.U))


@right("08.4")
def influence(block, x):
    S = len(x)
    table = np.zeros((S, S), dtype=bool)
    before = block(x)
    for j in range(S):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        for i in range(S):
            table[i, j] = np.abs(block(other)[i] - before[i]).max() > 0.0001
    return table


@right("08.4")
def influence(block, x):
    generator = np.random.default_rng(5)
    columns = []
    for j in range(x.shape[0]):
        other = np.where(np.arange(len(x))[:, None] == j, generator.normal(size=x.shape), x)
        columns.append((np.abs(block(other.astype(x.dtype)) - block(x)) > 1e-4).any(axis=1))
    return np.stack(columns, axis=1)


@right("08.4")
def influence(block, x):
    before = np.asarray(block(x))
    result = np.empty((len(x), len(x)), bool)
    for token, _ in enumerate(x):
        changed = np.copy(x)
        changed[token] = np.random.rand(x.shape[1])
        result[:, token] = np.max(np.abs(np.asarray(block(changed)) - before), axis=-1) > 1e-4
    return result


@right("08.4")
def influence(block, x):
    def column(j):
        y = np.concatenate([x[:j], np.random.normal(0, 3, (1, x.shape[1])), x[j + 1 :]])
        return np.abs(block(y) - block(x)).max(1) > 1e-4

    return np.array([column(j) for j in range(len(x))]).T


@wrong("08.4")
def influence(block, x):  # the diagonal is set by hand
    table = np.eye(len(x), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        for i in range(len(x)):
            if i != j:
                table[i, j] = np.abs(block(other)[i] - before[i]).max() > 1e-4
    return table


@wrong("08.4")
def influence(block, x):  # noise in place of another token
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] += np.random.default_rng(j).normal(0, 0.01, x.shape[1])
        table[:, j] = np.abs(block(other) - before).max(axis=1) > 1e-4
    return table


@wrong("08.4", says="transposed")
def influence(block, x):
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        table[j] = np.abs(block(other) - before).max(axis=1) > 1e-4
    return table


@wrong("08.4")
def influence(block, x):  # the given array is changed
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        x[j] = np.random.normal(size=x.shape[1])
        table[:, j] = np.abs(block(x) - before).max(axis=1) > 1e-4
    return table


@wrong("08.4")
def influence(block, x):  # exact, without a limit
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        table[:, j] = (block(other) != before).any(axis=1)
    return table


@wrong("08.4")
def influence(block, x):  # all channels have to change
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        table[:, j] = (np.abs(block(other) - before) > 1e-4).all(axis=1)
    return table


@wrong("08.4")
def influence(block, x):  # compared with another limit
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        table[:, j] = np.abs(block(other) - before).max(axis=1) > 0.01
    return table


@wrong("08.4")
def influence(block, x):  # a channel is replaced
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(x.shape[1]):
        other = x.copy()
        other[:, j] = np.random.normal(size=len(x))
        table[:, j] = np.abs(block(other) - before).max(axis=1) > 1e-4
    return table


@wrong("08.4")
def influence(block, x):  # without its own token
    table = np.zeros((len(x), len(x)), dtype=bool)
    before = block(x)
    for j in range(len(x)):
        other = np.delete(x, j, axis=0)
        table[:, j] = np.abs(block(other) - before).max(axis=1) > 1e-4
    return table


@wrong("08.4")
def influence(block, x):  # the mean over channels
    before = block(x)
    table = []
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        table.append(np.linalg.norm(block(other) - before, axis=1) > 1e-4)
    return np.array(table).T


@wrong("08.4")
def influence(block, x):  # the indices
    before = block(x)
    pairs = []
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.normal(size=x.shape[1])
        moved = np.abs(block(other) - before).max(axis=1) > 1e-4
        pairs += [(int(i), j) for i in np.flatnonzero(moved)]
    return pairs


@right("08.6")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if isinstance(layer, GMLPBlock):
            layer.gate.W.trainable = learn_W
            layer.gate.b.trainable = learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros_like(layer.gate.W))
    return model


@right("08.6")
def hold(model, learn_W, learn_b):
    for layer in model._flatten_layers():
        if layer.name == "gate":
            layer.W.trainable, layer.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.W.assign(0 * layer.W)
    return model


@right("08.6")
def hold(model, learn_W, learn_b):
    for gate in [layer.gate for layer in model.layers if "block" in layer.name]:
        gate.b.trainable = bool(learn_b)
        gate.W.trainable = bool(learn_W)
        if not learn_W:
            gate.W.assign(np.zeros((gate.tokens, gate.tokens)))
        if not learn_b:
            gate.b.assign(np.ones(gate.tokens))
    return model


@right("08.6")
def hold(model, learn_W, learn_b):
    for weight in model.weights:
        if weight.path.endswith("gate/W"):
            weight.trainable = learn_W
            if not learn_W:
                weight.assign(ops.zeros(weight.shape))
        elif weight.path.endswith("gate/b"):
            weight.trainable = learn_b
    return model


@wrong("08.6", says="nothing is held")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if layer.name == "gate":
            layer.W.trainable, layer.b.trainable = learn_W, learn_b
    return model


@wrong("08.6", says="set to 0")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # another constant
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(0.5 * ops.ones(layer.gate.W.shape))
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # a W that learns begins at another constant
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            layer.gate.W.assign(learn_W * 0.5 * ops.ones(layer.gate.W.shape))
    return model


@wrong("08.6", says="only W and b are held")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.trainable = learn_W or learn_b
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))
    return model


@wrong("08.6", says="return the model")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))


@wrong("08.6", says="stay weights")
def hold(model, learn_W, learn_b):
    for layer in model.layers:
        if hasattr(layer, "gate"):
            if not learn_W:
                layer.gate.W = ops.zeros(layer.gate.W.shape)
            if not learn_b:
                layer.gate.b = ops.ones(layer.gate.b.shape)
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # the two exchanged
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.b.trainable, layer.gate.W.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # held where it should learn
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = not learn_W, not learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # b at 0, too
    for layer in model.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))
            if not learn_b:
                layer.gate.b.assign(ops.zeros(layer.gate.b.shape))
    return model


@wrong("08.6")
def hold(model, learn_W, learn_b):  # compiled first, changed afterwards on a copy
    copy = keras.models.clone_model(model)
    for layer in copy.layers:
        if hasattr(layer, "gate"):
            layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
            if not learn_W:
                layer.gate.W.assign(ops.zeros(layer.gate.W.shape))
    return copy


@wrong("08.6")
def hold(model, learn_W, learn_b):  # no such attribute
    for layer in model.layers:
        layer.gate.W.trainable, layer.gate.b.trainable = learn_W, learn_b
    return model


@right("08.7")
def double_resolution(W, side):
    S = side * side
    grid = W.reshape(side, 1, side, 1, side, 1, side, 1) / 4
    return np.tile(grid, (1, 2, 1, 2, 1, 2, 1, 2)).reshape(4 * S, 4 * S)


@right("08.7")
def double_resolution(W, side):
    parent = np.arange(side * side).reshape(side, side)
    parent = np.kron(parent, np.ones((2, 2), int)).ravel()
    return W[parent][:, parent] / 4


@right("08.7")
def double_resolution(W, side):
    large = np.zeros((4 * side**2, 4 * side**2))
    for i, j in np.ndindex(large.shape):
        (a, b), (c, d) = divmod(i, 2 * side), divmod(j, 2 * side)
        large[i, j] = W[a // 2 * side + b // 2, c // 2 * side + d // 2] / 4
    return large


@right("08.7")
def double_resolution(W, side):
    rows = [side * (i // 2) + j // 2 for i in range(2 * side) for j in range(2 * side)]
    return 0.25 * W[np.ix_(rows, rows)]


@wrong("08.7", says="no neighbours in the sequence")
def double_resolution(W, side):
    return np.repeat(np.repeat(W, 4, axis=0), 4, axis=1) / 4


@wrong("08.7")
def double_resolution(W, side):  # the sum, not shared out
    parent = np.kron(np.arange(side * side).reshape(side, side), np.ones((2, 2), int)).ravel()
    return W[np.ix_(parent, parent)]


@wrong("08.7")
def double_resolution(W, side):  # halved
    parent = np.kron(np.arange(side * side).reshape(side, side), np.ones((2, 2), int)).ravel()
    return W[np.ix_(parent, parent)] / 2


@wrong("08.7")
def double_resolution(W, side):  # interpolated
    grid = W.reshape(side, side, side * side)
    large = ops.image.resize(grid, (2 * side, 2 * side), data_format="channels_last")
    return ops.convert_to_numpy(large).reshape(4 * side**2, side * side).repeat(4, axis=1) / 4


@wrong("08.7")
def double_resolution(W, side):  # rows alone
    parent = np.kron(np.arange(side * side).reshape(side, side), np.ones((2, 2), int)).ravel()
    return W[parent]


@wrong("08.7")
def double_resolution(W, side):  # columns alone
    parent = np.kron(np.arange(side * side).reshape(side, side), np.ones((2, 2), int)).ravel()
    return W[:, parent] / 4


@wrong("08.7")
def double_resolution(W, side):  # four axes are left
    grid = W.reshape(side, side, side, side)
    for axis in range(4):
        grid = np.repeat(grid, 2, axis=axis)
    return grid / 4


@wrong("08.7")
def double_resolution(W, side):  # only the first child
    large = np.zeros((4 * side**2, 4 * side**2))
    large[::4, ::4] = W
    return large


@wrong("08.7")
def double_resolution(W, side):  # transposed axes
    grid = W.reshape(side, side, side, side).transpose(1, 0, 3, 2)
    for axis in range(4):
        grid = np.repeat(grid, 2, axis=axis)
    return grid.reshape(4 * side**2, -1) / 4


@wrong("08.7")
def double_resolution(W, side):  # reshaped to the wrong sides
    return np.kron(W, np.ones((2, 2))).reshape(4 * side**2, 4 * side**2) / 4


@right("08.8")
def mixer_block_parameters(S, C, D_S, D_C):
    return {
        "token mixing": S * D_S + D_S + D_S * S + S,
        "channel mixing": C * D_C + D_C + D_C * C + C,
        "norms": 4 * C,
    }


@right("08.8")
def mixer_block_parameters(S, C, D_S, D_C):
    counts = dict(norms=2 * (C + C))
    for name, width, hidden in (("token mixing", S, D_S), ("channel mixing", C, D_C)):
        counts[name] = dense(width, hidden) + dense(hidden, width)
    return counts


@right("08.8")
def mixer_block_parameters(S, C, D_S, D_C):
    token = 2 * S * D_S + S + D_S
    channel = 2 * C * D_C + C + D_C
    return {"channel mixing": channel, "token mixing": token, "norms": C * 4}


@right("08.8")
def mixer_block_parameters(S, C, D_S, D_C):
    block = MixerBlock(D_S, D_C)
    block.build((None, S, C))
    return {
        "token mixing": block.token_mixing.count_params(),
        "channel mixing": block.channel_mixing.count_params(),
        "norms": block.token_norm.count_params() + block.channel_norm.count_params(),
    }


@wrong("08.8", says="keys")
def mixer_block_parameters(S, C, D_S, D_C):
    return {"tokens": dense(S, D_S) + dense(D_S, S), "channels": 0, "norms": 4 * C}


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # exchanged
    return {
        "token mixing": dense(C, D_C) + dense(D_C, C),
        "channel mixing": dense(S, D_S) + dense(D_S, S),
        "norms": 4 * C,
    }


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # one layer each
    return {"token mixing": dense(S, D_S), "channel mixing": dense(C, D_C), "norms": 4 * C}


@wrong("08.8", says="two LayerNorms")
def mixer_block_parameters(S, C, D_S, D_C):
    return {
        "token mixing": dense(S, D_S) + dense(D_S, S),
        "channel mixing": dense(C, D_C) + dense(D_C, C),
        "norms": 2 * C,
    }


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # the norm before token mixing is over tokens
    return {
        "token mixing": dense(S, D_S) + dense(D_S, S),
        "channel mixing": dense(C, D_C) + dense(D_C, C),
        "norms": 2 * S + 2 * C,
    }


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # strings
    return {
        "token mixing": f"{dense(S, D_S) + dense(D_S, S):,}",
        "channel mixing": f"{dense(C, D_C) + dense(D_C, C):,}",
        "norms": f"{4 * C:,}",
    }


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # a sum
    return dense(S, D_S) + dense(D_S, S) + dense(C, D_C) + dense(D_C, C) + 4 * C


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # once for each token, once for each channel
    return {
        "token mixing": C * (dense(S, D_S) + dense(D_S, S)),
        "channel mixing": S * (dense(C, D_C) + dense(D_C, C)),
        "norms": 4 * C,
    }


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # the weights alone, everywhere
    return {"token mixing": 2 * S * D_S, "channel mixing": 2 * C * D_C, "norms": 2 * C}


@wrong("08.8")
def mixer_block_parameters(S, C, D_S, D_C):  # from one mixing to the other
    return {
        "token mixing": dense(S, D_S) + dense(D_S, C),
        "channel mixing": dense(C, D_C) + dense(D_C, S),
        "norms": 4 * C,
    }


@right("08.5", trains=True)
def train_gmlp(block, digits):
    model = digit_gmlp(block)
    train_on_images(model, digits, 0.004)
    return model


@right("08.5", trains=True)
def train_gmlp(block, digits):
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, 2)(images)
    for _ in range(4):
        x = block(192)(x)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    x = ops.mean(x, axis=1)
    model = keras.Model(images, layers.Dense(10)(x))
    train_on_images(model, digits, 0.008)
    return model


@right("08.5", trains=True)
def train_gmlp(block, digits):  # three wider blocks, trained by fit
    model = keras.Sequential([keras.Input((8, 8, 1)), PatchEmbedding(48, 2)])
    for _ in range(3):
        model.add(block(256))
    model.add(layers.LayerNormalization(epsilon=1e-6))
    model.add(layers.GlobalAveragePooling1D())
    model.add(layers.Dense(10))
    optimizer = keras.optimizers.Adam(0.003)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    model.fit(digits.train.inputs, digits.train.targets, 64, epochs=26, verbose=0)
    return model


@right("08.5", trains=True)
def train_gmlp(block, digits):  # a subclass
    class Network(keras.Model):
        def __init__(self):
            super().__init__()
            self.patches = PatchEmbedding(48, 2)
            self.blocks = [block(192) for _ in range(4)]
            self.norm = layers.LayerNormalization(epsilon=1e-6)
            self.pool = layers.GlobalAveragePooling1D()
            self.head = layers.Dense(10)

        def call(self, images):
            x = self.patches(images)
            for one in self.blocks:
                x = one(x)
            return self.head(self.pool(self.norm(x)))

    model = Network()
    train_on_images(model, digits, 0.004)
    return model


@wrong("08.5", says="mean", trains=True)
def train_gmlp(block, digits):
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, 2)(images)
    for _ in range(3):
        x = block(192)(x)
    x = layers.Flatten()(layers.LayerNormalization(epsilon=1e-6)(x))
    model = keras.Model(images, layers.Dense(10)(x))
    train_on_images(model, digits, 0.004)
    return model


@wrong("08.5", says="Sequential", trains=True)
def train_gmlp(block, digits):
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, 2)(images)
    x = keras.Sequential([block(192) for _ in range(4)])(x)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    model = keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
    train_on_images(model, digits, 0.004)
    return model


@wrong("08.5", says="validation", trains=True)
def train_gmlp(block, digits):
    model = digit_gmlp(block)
    both = cu.data.Split(
        np.concatenate([digits.train.inputs, digits.val.inputs]),
        np.concatenate([digits.train.targets, digits.val.targets]),
    )
    train_on_images(model, dataclasses.replace(digits, train=both), 0.004)
    return model


@wrong("08.5", says="no softmax", trains=True)
def train_gmlp(block, digits):
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, 2)(images)
    for _ in range(3):
        x = block(192)(x)
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization(epsilon=1e-6)(x))
    model = keras.Model(images, layers.Dense(10, activation="softmax")(x))
    train_on_images(model, digits, 0.004)
    return model


@wrong("08.5", says="logits", trains=True)
def train_gmlp(block, digits):  # ten classes are forgotten
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, 2)(images)
    for _ in range(3):
        x = block(192)(x)
    x = layers.GlobalAveragePooling1D()(x)
    model = keras.Model(images, x)
    train_on_images(model, digits, 0.004)
    return model


@wrong("08.5", says="batches", trains=True)
def train_gmlp(block, digits):
    model = digit_gmlp(block)
    train_on_images(model, digits, 0.004, epochs=10)
    return model


@wrong("08.5", says="learning rate", trains=True)
def train_gmlp(block, digits):
    model = digit_gmlp(block)
    train_on_images(model, digits, 0.00001)
    return model


@wrong("08.5", says="return", trains=True)
def train_gmlp(block, digits):
    model = digit_gmlp(block)
    return train_on_images(model, digits, 0.004)


@right("08.7")
def double_resolution(W, side):
    U = np.kron(np.eye(side), np.ones((2, 1)))  # (2 side, side): each row twice
    U = np.kron(U, U)
    return U @ W @ U.T / 4


@right("08.7")
def double_resolution(W, side):
    parts = np.array_split(np.asarray(W), side, axis=0)  # a row of the grid each
    rows = np.concatenate([np.tile(np.repeat(one, 2, axis=0), (2, 1)) for one in parts])
    parts = np.array_split(rows, side, axis=1)
    return np.concatenate([np.tile(np.repeat(one, 2, axis=1), 2) for one in parts], axis=1) / 4


@wrong("08.7", says="NumPy array is asked for")
def double_resolution(W, side):
    parents = [r // 2 * side + c // 2 for r in range(2 * side) for c in range(2 * side)]
    return [[W[i, j] / 4 for j in parents] for i in parents]


@right("08.8")
def mixer_block_parameters(S, C, D_S, D_C):
    sizes = {"token mixing": (S, D_S), "channel mixing": (C, D_C)}
    counts = {name: 2 * n * hidden + n + hidden for name, (n, hidden) in sizes.items()}
    return counts | {"norms": 2 * sum([C, C])}


@right("08.4")
def influence(block, x):
    base = block(x)
    noise = np.random.default_rng(11).uniform(-5, 5, size=x.shape)
    others = [np.where(np.eye(len(x))[:, j : j + 1] > 0, noise, x) for j in range(len(x))]
    moved = np.stack([np.abs(block(other) - base).max(axis=-1) for other in others], axis=-1)
    return moved > 1e-4


@wrong("08.4", says="NumPy array is asked for")
def influence(block, x):
    before, columns = block(x), []
    for j in range(len(x)):
        other = x.copy()
        other[j] = np.random.default_rng(j + 7).normal(size=x.shape[1])
        columns.append(np.abs(block(other) - before).max(axis=1) > 1e-4)
    return [[bool(columns[j][i]) for j in range(len(x))] for i in range(len(x))]


@right("08.6")
def hold(model, learn_W, learn_b):
    gates = [getattr(layer, "gate", None) for layer in model.layers]
    for gate in filter(None, gates):
        for weight, learns in ((gate.W, learn_W), (gate.b, learn_b)):
            weight.trainable = learns
        if not gate.W.trainable:
            gate.W.assign(ops.zeros(gate.W.shape))
    return model


@wrong("08.1", says="cut and pad nothing")
class MixerBlock(MixerParts):
    def build(self, x_shape):
        self.S, C = x_shape[1:]
        self.token_mixing = two_layers("token_mixing", self.token_mlp_dim, self.S)
        self.channel_mixing = two_layers("channel_mixing", self.channel_mlp_dim, C)
        self.token_mixing.build((None, C, self.S))
        self.channel_mixing.build(x_shape)

    def call(self, x):
        missing = max(0, self.S - x.shape[1])
        x = ops.pad(x, [[0, 0], [0, missing], [0, 0]])[:, : self.S]
        y = ops.swapaxes(self.token_norm(x), 1, 2)
        u = x + ops.swapaxes(self.token_mixing(y), 1, 2)
        return u + self.channel_mixing(self.channel_norm(u))
