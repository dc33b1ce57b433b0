"""The GRU in plain NumPy, in both of Keras' forms, and the loop around it.

One notation: W on the input, U on the state, b the bias; rows are multiplied from the left. The
columns stand in Keras' order, one block of `units` each: update gate z, reset gate r,
candidate. In both forms z near 1 KEEPS the old state, as Cho et al. and Keras have it; Chung
et al. (2014) and many slides let z near 1 write: the same network with z and 1 - z exchanged.

Shapes: x (batch, steps, inputs), or (batch, inputs) at one step; h (batch, units);
mask (batch, steps) with True where a step is real; W (inputs, 3·units), U (units, 3·units).

Source: Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014),
equations 5 to 8; its first version has the form with the reset after the product.
"""

import numpy as np

from course_utils.numpy_ref.lstm import sigmoid


def step(x, h, W, U, b):
    """Take one step of Cho's form, reset before the product; b (3·units,).

    Keras: GRU(units, reset_after=False).
    """
    x_z, x_r, x_g = np.split(x @ W + b, 3, axis=-1)
    U_z, U_r, U_g = np.split(U, 3, axis=-1)
    z = sigmoid(x_z + h @ U_z)
    r = sigmoid(x_r + h @ U_r)
    candidate = np.tanh(x_g + (r * h) @ U_g)
    return z * h + (1 - z) * candidate


def step_reset_after(x, h, W, U, b):
    """Take one step with the reset after the product; b (2, 3·units): for the input, the state.

    Keras: GRU(units), the default, because fast GPU kernels compute this form.
    """
    x_z, x_r, x_g = np.split(x @ W + b[0], 3, axis=-1)
    h_z, h_r, h_g = np.split(h @ U + b[1], 3, axis=-1)
    z = sigmoid(x_z + h_z)
    r = sigmoid(x_r + h_r)
    candidate = np.tanh(x_g + r * h_g)
    return z * h + (1 - z) * candidate


def forward(x, W, U, b, mask=None, return_sequences=True):
    """Run the loop over all steps, in the form that b's shape asks for.

    A masked step leaves the state as it was.

    Returns:
        All states (batch, steps, units), or the last one (batch, units) if not
        `return_sequences`.
    """
    take_step = step if b.ndim == 1 else step_reset_after
    h = np.zeros((len(x), len(U)), x.dtype)
    states = []
    for t in range(x.shape[1]):
        new = take_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h
