"""The simple recurrent network in plain NumPy: the loop, its loss, and learning through it.

One notation: W on the input, U on the state, V on the way out; b and c the biases. Rows are
multiplied from the left, as Keras does, so `W` is Keras' kernel and `U` its recurrent_kernel.

Shapes: x (batch, steps, inputs), states (batch, steps, units), probabilities and targets
(batch, steps) over `outputs` symbols, mask (batch, steps) with True where a step is real;
W (inputs, units), U (units, units), b (units,), V (units, outputs), c (outputs,).

Source: Elman, "Finding structure in time" (1990), with the state fed back; the gradients are
those of Goodfellow, Bengio and Courville, "Deep Learning" (2016), equations 10.22 to 10.28.
"""

import numpy as np


def step(x, h, W, U, b):
    """Take one step: the new state from this input and the state before."""
    return np.tanh(x @ W + h @ U + b)


def forward(x, W, U, b, mask=None, return_sequences=True, initial=None):
    """Run the loop over all steps; a masked step leaves the state as it was.

    Returns:
        All states (batch, steps, units), or the last one (batch, units) if not
        `return_sequences`.
    """
    batch, steps, _ = x.shape
    h = np.zeros((batch, len(U)), x.dtype) if initial is None else initial
    states = []
    for t in range(steps):
        new = step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def predict(states, V, c):
    """Turn each state into probabilities over the symbols (batch, steps, outputs)."""
    logits = states @ V + c
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def loss(probabilities, targets, mask=None):
    """Sum the cross-entropy over all real steps (a sum, so that the formulas stay short)."""
    right = np.take_along_axis(probabilities, targets[..., None], axis=-1)[..., 0]
    padding_mask = np.ones(targets.shape) if mask is None else mask
    return -(np.log(right) * padding_mask).sum()


def backward(x, states, probabilities, targets, U, V, mask=None, truncate=None, initial=None):
    """Send the loss back through time: the gradients of `loss` for all five parameters.

    At each step, from the last to the first:
        error  δ_t = p_t − onehot(y_t)
        g_t    = δ_t·Vᵀ + a_{t+1}·Uᵀ      what reaches the state
        a_t    = (1 − h_t²)·g_t           what passes through the tanh
    and then  ∇c = Σ δ_t,  ∇b = Σ a_t,  ∇V = Σ h_t⊗δ_t,  ∇W = Σ x_t⊗a_t,  ∇U = Σ h_{t−1}⊗a_t.

    With `truncate=k` nothing is carried back over a multiple of k steps: the states still flow
    on from chunk to chunk, the gradient stops between them.

    Returns:
        A dictionary of arrays: "c", "b", "V", "W", "U".
    """
    padding_mask = np.ones(targets.shape, bool) if mask is None else mask
    errors = probabilities - np.eye(probabilities.shape[-1])[targets]
    errors = errors * padding_mask[..., None]
    before = np.zeros_like(states[:, :1]) if initial is None else initial[:, None]
    before = np.concatenate([before, states[:, :-1]], axis=1)
    inner = np.zeros_like(states)
    carried = np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        reaching = errors[:, t] @ V.T + carried
        inner[:, t] = (1 - states[:, t] ** 2) * reaching * padding_mask[:, t, None]
        carried = np.where(padding_mask[:, t, None], inner[:, t] @ U.T, carried)
        if truncate and t % truncate == 0:
            carried = np.zeros_like(carried)
    return {
        "c": errors.sum(axis=(0, 1)),
        "b": inner.sum(axis=(0, 1)),
        "V": np.einsum("bth,bto->ho", states, errors),
        "W": np.einsum("bti,bth->ih", x, inner),
        "U": np.einsum("btg,bth->gh", before, inner),
    }


def carry_back(gradient, states, U, mask=None, linear=False):
    """Carry a gradient at the last state back through the loop, step by step.

    Args:
        gradient: dL/dh at the last state (batch, units).
        linear: leave the tanh's slope out, to see what the matrix does by itself.

    Returns:
        dL/dh_t for every step (batch, steps, units).
    """
    steps = states.shape[1]
    carried = np.zeros_like(states)
    carried[:, -1] = gradient
    for t in reversed(range(1, steps)):
        slope = 1.0 if linear else 1 - states[:, t] ** 2
        back = (carried[:, t] * slope) @ U.T
        if mask is not None:
            back = np.where(mask[:, t, None], back, carried[:, t])
        carried[:, t - 1] = back
    return carried


def rescale(U, radius):
    """Scale a matrix so that its largest eigenvalue has the absolute value `radius`."""
    return U * (radius / np.abs(np.linalg.eigvals(U)).max())


def clip(gradient, limit):
    """Shorten a gradient to the norm `limit`; a shorter one passes unchanged."""
    norm = np.linalg.norm(gradient)
    return gradient * (limit / norm) if norm > limit else gradient
