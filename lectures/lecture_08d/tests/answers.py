"""Answers to the exercises of lab 08d, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from lectures.lecture_03 import marked_symbols
from lectures.lecture_08d import recurrences
from lectures.lecture_08d.recurrences import linear_scan

# 08d.1


@right("08d.1")
def recurrence_kernel(a, b, steps):
    rows = [b]
    for _ in range(steps - 1):
        rows.append(rows[-1] * a)
    return np.array(rows)


@right("08d.1")
def recurrence_kernel(a, b, steps):
    impulse, h, states = np.eye(steps)[0], 0 * a, []
    for x in impulse:
        h = a * h + b * x
        states.append(h)
    return np.stack(states)


@right("08d.1")
def recurrence_kernel(a, b, steps):
    return np.power.outer(a, np.arange(steps)).T * b


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # the first row twice
    k = np.maximum(np.arange(steps) - 1, 0)
    return b * a ** k[:, None]


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # normalised
    kernel = b * a ** np.arange(steps)[:, None]
    return kernel / kernel.sum(axis=0)


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # one a for all channels
    return b * a.mean() ** np.arange(steps)[:, None]


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # an exponential of its own
    return b * np.exp(-a * np.arange(steps)[:, None])


@wrong("08d.1")
def recurrence_kernel(a, b, steps):
    return b + a ** np.arange(steps)[:, None]


@right("08d.1")
def recurrence_kernel(a, b, steps):  # cumprod
    factors = np.concatenate([np.ones((1, len(a))), np.tile(a, (steps - 1, 1))])
    return np.cumprod(factors, axis=0) * b


@right("08d.1")
def recurrence_kernel(a, b, steps):  # vander
    return np.vander(a, steps, increasing=True).T * b


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # a = 0 gives nan
    return b * np.exp(np.arange(steps)[:, None] * np.log(a))


@wrong("08d.1")
def recurrence_kernel(a, b, steps):  # squared doubling
    rows = [b]
    for _ in range(steps - 1):
        a = a * a
        rows.append(b * a)
    return np.array(rows)


@wrong("08d.1", says="in place")
def recurrence_kernel(a, b, steps):  # in place of b
    rows = []
    for _ in range(steps):
        rows.append(b.copy())
        b *= a
    return np.array(rows)


# 08d.2


@right("08d.2")
def combine(earlier, later):
    return [earlier[0] * later[0], later[1] + earlier[1] * later[0]]


@right("08d.2")
def combine(earlier, later):
    (a, b), (c, d) = earlier, later
    return ops.multiply(c, a), ops.add(ops.multiply(c, b), d)


@wrong("08d.2", says="summand b")
def combine(earlier, later):  # the mean of both
    return earlier[0] * later[0], (earlier[1] + later[1]) / 2


@wrong("08d.2")
def combine(earlier, later):  # as if for convolutions: both multiplied
    return earlier[0] * later[0], earlier[1] * later[1]


@wrong("08d.2")
def combine(earlier, later):  # each b decays by the other's a
    return earlier[0] * later[0], later[0] * earlier[1] + earlier[0] * later[1]


@wrong("08d.2")
def combine(earlier, later):
    return later


@right("08d.2")
def combine(earlier, later):  # composed functions
    def first(h):
        return earlier[0] * h + earlier[1]

    def both(h):
        return later[0] * first(h) + later[1]

    b = both(0)
    return both(1) - b, b


@right("08d.2")
def combine(earlier, later):  # matrices
    a1, b1 = earlier
    a2, b2 = later
    zero, one = ops.zeros_like(a1), ops.ones_like(a1)
    bottom = ops.stack([zero, one], axis=-1)
    M1 = ops.stack([ops.stack([a1, b1], axis=-1), bottom], axis=-2)
    M2 = ops.stack([ops.stack([a2, b2], axis=-1), bottom], axis=-2)
    M = ops.matmul(M2, M1)
    return M[..., 0, 0], M[..., 0, 1]


@wrong("08d.2", says="train")
def combine(earlier, later):  # NumPy
    (a, b), (c, d) = earlier, later
    return np.multiply(a, c), np.add(np.multiply(c, b), d)


@wrong("08d.2")
def combine(earlier, later):  # gate as minGRU: 1 - a
    (a, b), (c, d) = earlier, later
    return a * c, c * b + (1 - c) * d


@wrong("08d.2", says="factor a")
def combine(earlier, later):  # the mean of the factors
    (a, b), (c, d) = earlier, later
    return (a + c) / 2, c * b + d


@wrong("08d.2", says="summand b")
def combine(earlier, later):  # the share that is lost
    (a, b), (c, d) = earlier, later
    return a * c, (1 - c) * b + d


@wrong("08d.2", says="train")
def combine(earlier, later):  # stop_gradient
    (a, b), (c, d) = earlier, later
    return ops.stop_gradient(a * c), c * b + d


# 08d.3


class Gates(layers.Layer):
    """What the answers to 08d.3 and 08d.4 share with the course's cell."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = self.output_size = units

    def build(self, inputs_shape):
        start = np.repeat([-3.0, 0.0], self.units)
        self.kernel = self.add_weight(shape=(inputs_shape[-1], 2 * self.units), name="kernel")
        self.bias = self.add_weight(shape=start.shape, initializer="zeros", name="bias")

    def gates(self, inputs):
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        return 1 - ops.sigmoid(z), ops.sigmoid(z) * g

    def call(self, inputs, states):
        kept, written = self.gates(inputs)
        h = kept * states[0] + written
        return h, [h]


@right("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):
        sums = inputs @ self.kernel + self.bias
        z = ops.sigmoid(sums[..., : self.units])
        return ops.sigmoid(-sums[..., : self.units]), sums[..., self.units :] * z


@right("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):
        sums = ops.einsum("...i,ij->...j", inputs, self.kernel) + self.bias
        z, g = ops.split(sums, [self.units], axis=-1)
        gate = 1 / (1 + ops.exp(-z))
        return [1.0 - gate, gate * g]


@wrong("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):  # the mask of a new cell: the bias by hand, too
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        z = ops.sigmoid(z - 3)
        return 1 - z, z * g


@wrong("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):  # every second column
        sums = ops.matmul(inputs, self.kernel) + self.bias
        z, g = ops.sigmoid(sums[..., ::2]), sums[..., 1::2]
        return 1 - z, z * g


@wrong("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):  # softmax over the channels
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        z = ops.softmax(z, axis=-1)
        return 1 - z, z * g


@wrong("08d.3", says="train")
class MinGRUGates(Gates):
    def gates(self, inputs):
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        z = ops.stop_gradient(ops.sigmoid(z))
        return 1 - z, z * g


@wrong("08d.3")
class MinGRUGates(Gates):
    def gates(self, inputs):  # ReLU as in a linear attention
        z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
        z = ops.sigmoid(z)
        return 1 - z, z * ops.relu(g)


@right("08d.3")
def gates(self, inputs):  # two products
    W_z, W_g = self.kernel[:, : self.units], self.kernel[:, self.units :]
    b_z, b_g = self.bias[: self.units], self.bias[self.units :]
    z = keras.activations.sigmoid(ops.dot(inputs, W_z) + b_z)
    g = ops.dot(inputs, W_g) + b_g
    return ops.subtract(1.0, z), ops.multiply(z, g)


@right("08d.3")
def gates(self, inputs):  # tensordot, tanh for sigmoid
    sums = ops.tensordot(inputs, self.kernel, axes=1) + self.bias
    sums = ops.reshape(sums, (*ops.shape(sums)[:-1], 2, self.units))
    z = 0.5 * (1 + ops.tanh(sums[..., 0, :] / 2))
    return 1 - z, sums[..., 1, :] * z


@wrong("08d.3", says="train")
def gates(self, inputs):  # NumPy
    sums = np.array(inputs) @ np.array(self.kernel) + np.array(self.bias)
    z, g = np.split(sums, 2, axis=-1)
    z = 1 / (1 + np.exp(-z))
    return 1 - z, z * g


@wrong("08d.3")
def gates(self, inputs):  # bias twice on z
    z, g = ops.split(ops.matmul(inputs, self.kernel) + self.bias, 2, axis=-1)
    z = ops.sigmoid(z + self.bias[: self.units])
    return 1 - z, z * g


@wrong("08d.3")
def gates(self, inputs):  # kept between calls
    if not hasattr(self, "sums"):
        self.sums = ops.matmul(inputs, self.kernel) + self.bias
    z, g = ops.split(self.sums, 2, axis=-1)
    z = ops.sigmoid(z)
    return 1 - z, z * g


# 08d.5


@right("08d.5")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        if self.go_backwards:
            sequences = ops.flip(sequences, axis=1)
            mask = None if mask is None else ops.flip(mask, axis=1)
        kept, written = self.cell.gates(sequences)
        if mask is not None:
            real = ops.cast(mask, written.dtype)[:, :, None]
            kept, written = real * kept + 1 - real, real * written
        states = linear_scan(kept, written)
        left = linear_scan(kept, ops.concatenate([kept[:, :1], 0 * kept[:, 1:]], axis=1))
        states = states + left * initial_state[0][:, None]
        return states[:, -1], states, [states[:, -1]]


@right("08d.5")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        kept, written = self.cell.gates(sequences)
        if mask is not None:
            kept = ops.where(ops.expand_dims(mask, -1), kept, ops.ones_like(kept))
            written = ops.where(ops.expand_dims(mask, -1), written, ops.zeros_like(written))
        if self.go_backwards:
            kept, written = kept[:, ::-1], written[:, ::-1]
        before = ops.expand_dims(initial_state[0], 1)
        kept = ops.concatenate([0 * kept[:, :1], kept], axis=1)
        states = linear_scan(kept, ops.concatenate([before, written], axis=1))[:, 1:]
        last = states[:, -1]
        return last, states, (last,)


@wrong("08d.5", says="backwards")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        kept, written = self.cell.gates(sequences)
        if mask is not None:
            real = mask[..., None]
            kept, written = ops.where(real, kept, 1), ops.where(real, written, 0)
        if self.go_backwards:
            kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)
        first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
        states = linear_scan(kept, ops.concatenate([first, written[:, 1:]], axis=1))
        last = states[:, -1]
        if self.go_backwards:  # turned back into the order of the text
            states = ops.flip(states, axis=1)
        return last, states, [last]


@wrong("08d.5")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        if mask is not None:  # pads set to 0 in the input, as for a convolution
            sequences = ops.where(mask[..., None], sequences, 0)
        if self.go_backwards:
            sequences = ops.flip(sequences, axis=1)
        kept, written = self.cell.gates(sequences)
        first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
        states = linear_scan(kept, ops.concatenate([first, written[:, 1:]], axis=1))
        return states[:, -1], states, [states[:, -1]]


@wrong("08d.5")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        kept, written = self.cell.gates(sequences)
        if self.go_backwards:
            kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)
        first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
        states = linear_scan(kept, ops.concatenate([first, written[:, 1:]], axis=1))
        if mask is not None:  # hidden afterwards
            states = ops.where(mask[..., None], states, 0)
        return states[:, -1], states, [states[:, -1]]


@wrong("08d.5")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        kept, written = self.cell.gates(sequences)
        states = linear_scan(written, kept)
        return states[:, -1], states, [states[:, -1]]


@wrong("08d.5", says="three things")
class ScannedRNN(layers.RNN):
    def inner_loop(self, sequences, initial_state, mask, training=False):
        return linear_scan(*self.cell.gates(sequences))


def scanned(self, kept, written, state):
    first = written[:, :1] + kept[:, :1] * state[:, None]
    states = linear_scan(kept, ops.concatenate([first, written[:, 1:]], axis=1))
    return states[:, -1], states, [states[:, -1]]


@right("08d.5")
def inner_loop(self, sequences, initial_state, mask, training=False):  # cumprod for the start
    if self.go_backwards:
        sequences = ops.flip(sequences, axis=1)
        if mask is not None:
            mask = ops.flip(mask, axis=1)
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        hidden = ops.logical_not(mask)[:, :, None]
        kept = ops.where(hidden, ops.ones_like(kept), kept)
        written = written * ops.cast(mask[:, :, None], written.dtype)
    states = linear_scan(kept, written)
    states += ops.cumprod(kept, axis=1) * ops.expand_dims(initial_state[0], axis=1)
    last_state = states[:, -1, :]
    return last_state, states, [last_state]


@right("08d.5")
def inner_loop(self, sequences, initial_state, mask, training=False):  # one-hot start
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        m = ops.cast(ops.expand_dims(mask, 2), kept.dtype)
        kept = kept * m + (1 - m)
        written = written * m
    S = kept.shape[1]
    if self.go_backwards:
        turned = np.arange(S)[::-1]
        kept, written = ops.take(kept, turned, axis=1), ops.take(written, turned, axis=1)
    first = ops.cast(np.arange(S) == 0, kept.dtype)[None, :, None]
    written = written + first * kept * initial_state[0][:, None, :]
    h = linear_scan(kept, written)
    return h[:, S - 1], h, [h[:, S - 1]]


@wrong("08d.5")
def inner_loop(
    self, sequences, initial_state, mask, training=False
):  # start before mask, forwards alone
    kept, written = self.cell.gates(sequences)
    if self.go_backwards:
        if mask is not None:
            kept = ops.where(mask[..., None], kept, 1)
            written = ops.where(mask[..., None], written, 0)
        return scanned(self, ops.flip(kept, 1), ops.flip(written, 1), initial_state[0])
    first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
    written = ops.concatenate([first, written[:, 1:]], axis=1)
    if mask is not None:
        kept = ops.where(mask[..., None], kept, 1)
        written = ops.where(mask[..., None], written, 0)
    states = linear_scan(kept, written)
    return states[:, -1], states, [states[:, -1]]


@wrong("08d.5", says="train")
def inner_loop(self, sequences, initial_state, mask, training=False):  # NumPy for the mask
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        real = np.array(mask)[..., None]
        kept, written = np.where(real, kept, 1), np.where(real, written, 0)
    if self.go_backwards:
        kept, written = ops.flip(kept, 1), ops.flip(written, 1)
    return scanned(self, kept, written, initial_state[0])


@wrong("08d.5", says="train")
def inner_loop(
    self, sequences, initial_state, mask, training=False
):  # mask in the gates stops gradients
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        real = ops.cast(mask, kept.dtype)[..., None]
        kept = ops.stop_gradient(real * kept + 1 - real)
        written = real * written
    if self.go_backwards:
        kept, written = ops.flip(kept, 1), ops.flip(written, 1)
    return scanned(self, kept, written, initial_state[0])


@wrong("08d.5")
def inner_loop(
    self, sequences, initial_state, mask, training=False
):  # last by the number of real tokens
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        kept, written = (
            ops.where(mask[..., None], kept, 1),
            ops.where(mask[..., None], written, 0),
        )
    if self.go_backwards:
        kept, written = ops.flip(kept, 1), ops.flip(written, 1)
    last, states, _ = scanned(self, kept, written, initial_state[0])
    if mask is not None:
        at = ops.sum(ops.cast(mask, "int32"), axis=1) - 1
        last = ops.take_along_axis(states, at[:, None, None], axis=1)[:, 0]
    return last, states, [last]


@wrong("08d.5")
def inner_loop(self, sequences, initial_state, mask, training=False):  # cumulative products
    kept, written = self.cell.gates(sequences)
    if mask is not None:
        kept, written = (
            ops.where(mask[..., None], kept, 1),
            ops.where(mask[..., None], written, 0),
        )
    if self.go_backwards:
        kept, written = ops.flip(kept, 1), ops.flip(written, 1)
    A = ops.cumprod(kept, axis=1)
    states = A * (initial_state[0][:, None] + ops.cumsum(written / A, axis=1))
    return states[:, -1], states, [states[:, -1]]


def hidden(kept, written, mask):
    if mask is None:
        return kept, written
    real = mask[..., None]
    return ops.where(real, kept, 1), ops.where(real, written, 0)


@right("08d.5")
def inner_loop(self, sequences, initial_state, mask, training=False):  # one step more
    parts = hidden(*self.cell.gates(sequences), mask)
    kept, written = [ops.flip(part, axis=1) if self.go_backwards else part for part in parts]
    before = initial_state[0][:, None, :]
    kept = ops.concatenate([ops.ones_like(before), kept], axis=1)
    states = linear_scan(kept, ops.concatenate([before, written], axis=1))[:, 1:]
    return states[:, -1], states, [states[:, -1]]


@wrong("08d.5", says="loop over the steps")
def inner_loop(self, sequences, initial_state, mask, training=False):  # step by step
    kept, written = hidden(*self.cell.gates(sequences), mask)
    if self.go_backwards:
        kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)
    h, states = initial_state[0], []
    for t in range(kept.shape[1]):
        h = kept[:, t] * h + written[:, t]
        states.append(h)
    return h, ops.stack(states, axis=1), [h]


@wrong("08d.5", says="all states read forwards with a mask after a state that is not 0")
def inner_loop(self, sequences, initial_state, mask, training=False):  # a start that is hidden
    kept, written = self.cell.gates(sequences)
    if self.go_backwards:
        kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)
        mask = None if mask is None else ops.flip(mask, axis=1)
    first = written[:, :1] + kept[:, :1] * initial_state[0][:, None]
    written = ops.concatenate([first, written[:, 1:]], axis=1)
    states = linear_scan(*hidden(kept, written, mask))
    return states[:, -1], states, [states[:, -1]]


@wrong("08d.5", says="axis 0 is reversed")
def inner_loop(self, sequences, initial_state, mask, training=False):  # the batch turned
    kept, written = hidden(*self.cell.gates(sequences), mask)
    if self.go_backwards:
        kept, written = ops.flip(kept, axis=0), ops.flip(written, axis=0)
    return scanned(self, kept, written, initial_state[0])


# 08d.6


@right("08d.6")
def log_space_scan(log_kept, log_written):
    h = np.full_like(log_kept[:, 0], -np.inf)
    states = []
    for t in range(log_kept.shape[1]):
        h = np.logaddexp(log_kept[:, t] + h, log_written[:, t])
        states.append(h)
    return np.exp(np.stack(states, axis=1))


@right("08d.6")
def log_space_scan(log_kept, log_written):
    L = np.cumsum(log_kept, axis=1)
    inside = log_written - L
    largest = np.maximum.accumulate(inside, axis=1)
    total, states = 0, []
    for t in range(L.shape[1]):
        before = largest[:, max(t - 1, 0)]
        total = total * np.exp(before - largest[:, t]) + np.exp(inside[:, t] - largest[:, t])
        states.append(np.exp(L[:, t] + largest[:, t]) * total)
    return np.stack(states, axis=1)


@wrong("08d.6")
def log_space_scan(log_kept, log_written):
    L = np.cumsum(log_kept, axis=1)
    inside = log_written - L
    largest = inside.max(axis=1, keepdims=True)  # of all steps, not of those up to t
    total = np.cumsum(np.exp(inside - largest), axis=1)
    return np.exp(L + largest + np.log(total))


@wrong("08d.6")
def log_space_scan(log_kept, log_written):
    L = np.cumsum(log_kept, axis=1)
    return np.exp(L + np.logaddexp.reduce(log_written - L, axis=1, keepdims=True))


@wrong("08d.6")
def log_space_scan(log_kept, log_written):
    L = np.clip(np.cumsum(log_kept, axis=1), -80, 0)  # so that nothing overflows
    return np.exp(L) * np.cumsum(np.exp(log_written - L), axis=1)


@wrong("08d.6")
def log_space_scan(log_kept, log_written):
    L = np.cumsum(log_kept, axis=1) - log_kept  # one step short
    return np.exp(L + np.logaddexp.accumulate(log_written - L, axis=1))


@right("08d.6")
def log_space_scan(log_kept, log_written):  # a loop over the steps
    h, states = 0, []
    for t in range(log_kept.shape[1]):
        h = np.exp(log_kept[:, t]) * h + np.exp(log_written[:, t])
        states.append(h)
    return np.stack(states, axis=1)


@right("08d.6")
def log_space_scan(log_kept, log_written):  # the table
    L = np.cumsum(log_kept, axis=1)
    S = L.shape[1]
    out = np.empty_like(L)
    for t in range(S):
        terms = L[:, t, None] - L[:, : t + 1] + log_written[:, : t + 1]
        out[:, t] = np.exp(terms).sum(axis=1)
    return out


@wrong("08d.6")
def log_space_scan(log_kept, log_written):  # window of fifty
    out = np.zeros_like(log_kept)
    L = np.cumsum(log_kept, axis=1)
    for t in range(L.shape[1]):
        first = max(0, t - 50)
        terms = L[:, t, None] - L[:, first : t + 1] + log_written[:, first : t + 1]
        out[:, t] = np.exp(terms).sum(axis=1)
    return out


@wrong("08d.6")
def log_space_scan(log_kept, log_written):  # no axis
    L = np.cumsum(log_kept).reshape(log_kept.shape)
    return np.exp(L + np.logaddexp.accumulate(log_written - L, axis=1))


@wrong("08d.6")
def log_space_scan(log_kept, log_written):  # eps
    A = np.cumprod(np.exp(log_kept), axis=1) + 1e-30
    return A * np.cumsum(np.exp(log_written) / A, axis=1)


# 08d.4


@right("08d.4")
class MinGRUCell(Gates):
    def call(self, inputs, states):
        (h,) = states
        kept, written = self.gates(inputs)
        new = ops.add(ops.multiply(kept, h), written)
        return new, [new]


@right("08d.4")
class MinGRUCell(Gates):
    def call(self, x, states):
        z, g = ops.split(x @ self.kernel + self.bias, 2, axis=-1)
        h = states[0] + ops.sigmoid(z) * (g - states[0])
        return h, (h,)


@wrong("08d.4")
class MinGRUCell(Gates):
    def call(self, inputs, states):
        kept, written = self.gates(inputs)
        h = ops.tanh(kept * states[0] + written)
        return h, [h]


@wrong("08d.4")
class MinGRUCell(Gates):
    def call(self, inputs, states):
        kept, written = self.gates(inputs)
        h = kept * (states[0] + written)
        return h, [h]


@wrong("08d.4")
class MinGRUCell(Gates):
    def call(self, inputs, states):
        kept, written = self.gates(inputs)
        return kept * states[0] + written, [kept * states[0]]


@right("08d.4")
def call(self, inputs, states):  # destructured
    [before] = states
    kept, written = self.gates(inputs)
    after = written + before * kept
    return after, [after]


@right("08d.4")
def call(self, inputs, states):  # dots
    gates = self.gates(inputs)
    pair = ops.stack([states[0], ops.ones_like(states[0])])
    h_t = ops.einsum("ibu,ibu->bu", ops.stack(gates), pair)
    return h_t, [h_t]


@wrong("08d.4", says="train")
def call(self, inputs, states):  # NumPy
    kept, written = self.gates(inputs)
    h = np.array(kept) * np.array(states[0]) + np.array(written)
    return h, [h]


@wrong("08d.4", says="train")
def call(self, inputs, states):  # stop_gradient
    kept, written = self.gates(inputs)
    h = kept * ops.stop_gradient(states[0]) + written
    return h, [h]


@wrong("08d.4")
def call(self, inputs, states):  # a state of its own
    if not hasattr(self, "h"):
        self.h = states[0]
    kept, written = self.gates(inputs)
    self.h = kept * self.h + written
    return self.h, [self.h]


@wrong("08d.4")
def call(self, inputs, states):  # first example's state
    kept, written = self.gates(inputs)
    h = kept * states[0][0] + written
    return h, [h]


# 08d.7


def reader(x, answers, body=None):
    keras.utils.set_random_seed(1)
    inputs = keras.Input((100, 5))
    state = (body or recurrences.ScannedRNN(recurrences.MinGRUCell(32)))(inputs)
    model = keras.Model(inputs, layers.Dense(4, activation="softmax")(state))
    optimizer = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy")
    model.fit(x, answers, batch_size=64, verbose=0)
    return model


@right("08d.7", trains=True)
def train_recaller(batches=600):
    x, answers, _ = marked_symbols(64 * batches, seed=5)
    return reader(x, answers)


@wrong("08d.7", says="not your own", trains=True)
def train_recaller(batches=2):
    x, answers, _ = marked_symbols(64 * batches, seed=5)
    return reader(x, answers, body=layers.LSTM(32))


@wrong("08d.7", trains=True)
def train_recaller(batches=2):
    x, answers, _ = marked_symbols(64 * batches, seed=5)
    return reader(x, answers, body=layers.GlobalAveragePooling1D())


@wrong("08d.7", says="train longer", trains=True)
def train_recaller(batches=30):
    x, answers, _ = marked_symbols(64 * batches, seed=5)
    return reader(x, answers)
