"""The LSTM in plain NumPy: gates, one step, the loop, and a trace for drawing.

One notation: W on the input, U on the state, b the bias; rows are multiplied from the left. The
columns stand in Keras' order, one block of `units` each: input gate, forget gate, candidate,
output gate. So `W` is Keras' kernel and `U` its recurrent_kernel. (The letter for the candidate
is g here, as in many papers; Keras says c, and the slides c with a tilde.)

Shapes: x (batch, steps, inputs), or (batch, inputs) at one step; h and c (batch, units);
mask (batch, steps) with True where a step is real; W (inputs, 4·units), U (units, 4·units),
b (4·units,).

Source: Hochreiter and Schmidhuber, "Long short-term memory" (1997), with the forget gate of
Gers, Schmidhuber and Cummins, "Learning to forget" (2000).
"""

import numpy as np


def sigmoid(x):
    """Squash to between 0 and 1: 1 / (1 + exp(-x)), in a form that never overflows."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def gates(x, h, W, U, b):
    """Return input gate, forget gate, candidate and output gate, each (batch, units)."""
    i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
    return sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)


def step(x, h, c, W, U, b):
    """Take one step: the new state h and the new cell state c."""
    i, f, g, o = gates(x, h, W, U, b)
    c = f * c + i * g
    h = o * np.tanh(c)
    return h, c


def forward(x, *weights, step=step, mask=None, return_sequences=True):
    """Run the loop over all steps; a masked step leaves h and c as they were.

    Args:
        weights: W, U, b and whatever else `step` takes after h and c.
        step: the cell; `peephole_step` and `coupled_step` fit as well.

    Returns:
        All states h (batch, steps, units), or the last one (batch, units) if not
        `return_sequences`.
    """
    h = c = np.zeros((len(x), len(weights[1])), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new_h, new_c = step(x[:, t], h, c, *weights)
        padding_mask = True if mask is None else mask[:, t, None]
        h, c = np.where(padding_mask, new_h, h), np.where(padding_mask, new_c, c)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def trace(x, W, U, b):
    """Run the loop and keep everything, to draw it.

    Returns:
        A dictionary of arrays (batch, steps, units): "input", "forget", "candidate", "output",
        "cell", "hidden".
    """
    h = c = np.zeros((len(x), len(U)), x.dtype)
    rows = []
    for t in range(x.shape[1]):
        values = gates(x[:, t], h, W, U, b)
        h, c = step(x[:, t], h, c, W, U, b)
        rows.append((*values, c, h))
    names = ("input", "forget", "candidate", "output", "cell", "hidden")
    return dict(zip(names, np.array(rows).transpose(1, 2, 0, 3), strict=True))
