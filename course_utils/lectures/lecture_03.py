"""LSTM and GRU in plain NumPy: gates, steps, the loops around them, and what to know of them.

One notation: W on the input, U on the state, b the bias; rows are multiplied from the left. The
columns stand in Keras' order, one block of `units` each: input gate, forget gate, candidate,
output gate in an LSTM; update gate, reset gate, candidate in a GRU. So W is Keras' kernel and U
its recurrent_kernel. (The letter for an LSTM's candidate is g here; Keras says c.)

Shapes: x (batch, steps, inputs), or (batch, inputs) at one step; h and c (batch, units); mask
(batch, steps), True where a step is real; W (inputs, blocks·units), U (units, blocks·units) and
b (blocks·units,), with 4 blocks in an LSTM, 3 in a GRU and in a coupled LSTM.
"""

import numpy as np


def sigmoid(x):
    """Squash to between 0 and 1: 1 / (1 + exp(-x)), in a form that never overflows."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def lstm_gates(x, h, W, U, b):
    """Return input gate, forget gate, candidate and output gate, each (batch, units)."""
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
    return sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)


def lstm_step(x, h, c, W, U, b):
    """Take one step: the new state h and the new cell state c.

    Source: Hochreiter and Schmidhuber, "Long short-term memory" (1997), with the forget gate
    of Gers, Schmidhuber and Cummins, "Learning to forget" (2000).
    """
    i, f, g, o = lstm_gates(x, h, W, U, b)
    c = f * c + i * g
    h = o * np.tanh(c)
    return h, c


def lstm_forward(x, *weights, step=lstm_step, mask=None, return_sequences=True):
    """Run the loop over all steps; a masked step leaves h and c as they were.

    weights: W, U, b and whatever else `step` takes after h and c, as `peephole_step` does.
    Returns all states h (batch, steps, units), or the last one (batch, units).
    """
    h = c = np.zeros((len(x), len(weights[1])), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new_h, new_c = step(x[:, t], h, c, *weights)
        padding_mask = True if mask is None else mask[:, t, None]
        h, c = np.where(padding_mask, new_h, h), np.where(padding_mask, new_c, c)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def lstm_trace(x, W, U, b):
    """Run the loop and keep everything to draw it: by name, arrays (batch, steps, units)."""
    h = c = np.zeros((len(x), len(U)), x.dtype)
    rows = []
    for t in range(x.shape[1]):
        values = lstm_gates(x[:, t], h, W, U, b)
        h, c = lstm_step(x[:, t], h, c, W, U, b)
        rows.append((*values, c, h))
    names = ("input", "forget", "candidate", "output", "cell", "hidden")
    return dict(zip(names, np.array(rows).transpose(1, 2, 0, 3), strict=True))


def peephole_step(x, h, c, W, U, b, peepholes):
    """Take one step of an LSTM whose gates also look at the cell state.

    peepholes: (3, units), one weight a unit: on the input gate and the forget gate, which look
    at the old c, and on the output gate, which looks at the new one.
    Source: Gers and Schmidhuber, "Recurrent nets that time and count" (2000).
    """
    p_i, p_f, p_o = peepholes
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
    c_new = sigmoid(f + p_f * c) * c + sigmoid(i + p_i * c) * np.tanh(g)
    h = sigmoid(o + p_o * c_new) * np.tanh(c_new)
    return h, c_new


def coupled_step(x, h, c, W, U, b):
    """Take one step of an LSTM that writes as much as it forgets: i = 1 - f.

    Args:
        x, h, c: (batch, inputs), (batch, units), (batch, units).
        W, U, b: (inputs, 3·units), (units, 3·units), (3·units,): forget gate, candidate,
            output gate.

    Returns:
        The new state h and the new cell state c, each (batch, units).

    Source: Greff et al., "LSTM: a search space odyssey" (2017), there called CIFG and written
    f = 1 - i: the same network with f and i exchanged.
    """
    f, g, o = np.split(x @ W + h @ U + b, 3, axis=-1)
    c = sigmoid(f) * c + (1 - sigmoid(f)) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, c


def gru_step(x, h, W, U, b):
    """Take one step of Cho's form, reset before the product; b (3·units,).

    z near 1 KEEPS the old state, as Cho et al. and Keras have it; Chung et al. (2014) and many
    slides let z near 1 write: the same network with z and 1 - z exchanged. Keras: GRU(units,
    reset_after=False). Source: Cho et al., "Learning phrase representations using RNN
    encoder-decoder" (2014), equations 5 to 8.
    """
    x_z, x_r, x_g = np.split(x @ W + b, 3, axis=-1)
    U_z, U_r, U_g = np.split(U, 3, axis=-1)
    z = sigmoid(x_z + h @ U_z)
    r = sigmoid(x_r + h @ U_r)
    candidate = np.tanh(x_g + (r * h) @ U_g)
    return z * h + (1 - z) * candidate


def gru_step_reset_after(x, h, W, U, b):
    """Take one step of Keras' default GRU, whose reset comes after the product.

    Args:
        x, h: (batch, inputs) and (batch, units).
        W, U: (inputs, 3·units) and (units, 3·units): update gate z, reset gate r, candidate.
        b: (2, 3·units), row 0 for the input, row 1 for the state.

    Returns:
        The new state (batch, units); z = 1 keeps the old one.
    """
    x_z, x_r, x_g = np.split(x @ W + b[0], 3, axis=-1)
    h_z, h_r, h_g = np.split(h @ U + b[1], 3, axis=-1)
    z = sigmoid(x_z + h_z)
    r = sigmoid(x_r + h_r)
    candidate = np.tanh(x_g + r * h_g)
    return z * h + (1 - z) * candidate


def gru_forward(x, W, U, b, step=gru_step_reset_after, mask=None, return_sequences=True):
    """Run the loop over all steps, in the form that `step` takes; see `lstm_forward`."""
    h = np.zeros((len(x), len(U)), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new = step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def count_parameters(cell, inputs, units):
    """Return how many parameters a Keras layer has.

    Args:
        cell: "lstm", "gru" (Cho's form) or "gru_reset_after" (Keras' default).
        inputs, units: the length of a step's input, and of the state.
    """
    blocks = 4 if cell == "lstm" else 3
    rows_of_biases = 2 if cell == "gru_reset_after" else 1
    return blocks * (inputs * units + units * units + rows_of_biases * units)


def forget_gate(x, h, W, U, b):
    """Return the forget gate of an LSTM, (batch, units), from Keras' arrays.

    Args:
        x, h: (batch, inputs) and (batch, units).
        W, U, b: (inputs, 4·units), (units, 4·units) and (4·units,).
    """
    units = len(U)
    own = slice(units, 2 * units)
    return sigmoid(x @ W[:, own] + h @ U[:, own] + b[own])


def forget_bias(half_life):
    """Return the forget bias b with which half of the memory is left after `half_life` steps.

    Nothing is written and the input is zero: c_t = f·c_{t-1} with f = sigmoid(b).
    """
    gate = 0.5 ** (1 / half_life)
    return np.log(gate / (1 - gate))
