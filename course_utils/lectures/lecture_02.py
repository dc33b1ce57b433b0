"""Lecture 02 in plain NumPy: the simple recurrent network, its loss, learning through it.

One notation: W on the input, U on the state, V on the way out; b and c the biases. Rows are
multiplied from the left, as Keras does, so `W` is Keras' kernel and `U` its recurrent_kernel.

Shapes: x (batch, steps, inputs), states (batch, steps, units), probabilities and targets
(batch, steps) over `outputs` symbols, mask (batch, steps) with True where a step is real;
W (inputs, units), U (units, units), b (units,), V (units, outputs), c (outputs,).

Source: Elman, "Finding structure in time" (1990), with the state fed back; the gradients are
those of Goodfellow, Bengio and Courville, "Deep Learning" (2016), equations 10.22 to 10.28.
"""

import numpy as np


def rnn_step(x, h, W, U, b):
    """Take one step of the loop for a batch: h_t = tanh(x_t W + h_{t-1} U + b).

    Args:
        x, h: x_t, (batch, inputs), and h_{t-1}, (batch, units).
        W, U, b: (inputs, units), (units, units), (units,).

    Returns:
        h_t, (batch, units).
    """
    return np.tanh(x @ W + h @ U + b)


def forward(x, W, U, b, mask=None, return_sequences=True):
    """Return all states, or only the last one, (batch, units); a masked step changes none."""
    h, states = np.zeros((len(x), len(U)), x.dtype), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def predict(states, V, c):
    """Turn each state into probabilities over the symbols, (batch, steps, outputs)."""
    logits = states @ V + c
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def loss(probabilities, targets):
    """Sum the cross-entropy over all steps (a sum, so that the formulas stay short)."""
    right = np.take_along_axis(probabilities, targets[..., None], axis=-1)
    return -np.log(right).sum()


def backward(x, states, probabilities, targets, U, V, truncate=None):
    """Send the loss back through time: the gradients of `loss`, "c", "b", "V", "W" and "U".

    At each step, from the last to the first:
        error  δ_t = p_t − onehot(y_t)
        g_t    = δ_t·Vᵀ + a_{t+1}·Uᵀ      what reaches the state
        a_t    = (1 − h_t²)·g_t           what passes through the tanh
    and then  ∇c = Σ δ_t,  ∇b = Σ a_t,  ∇V = Σ h_t⊗δ_t,  ∇W = Σ x_t⊗a_t,  ∇U = Σ h_{t−1}⊗a_t.

    With `truncate=k` nothing is carried back over a multiple of k steps: the states still flow
    on from chunk to chunk, the gradient stops between them.
    """
    errors = probabilities - np.eye(probabilities.shape[-1])[targets]
    before = np.concatenate([np.zeros_like(states[:, :1]), states[:, :-1]], axis=1)
    inner, carried = np.zeros_like(states), np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        inner[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = inner[:, t] @ U.T
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
    """Carry a gradient at the last state, (batch, units), back through the loop, step by step.

    linear: leave the tanh's slope out, to see what the matrix does by itself.
    Returns dL/dh_t for every step, (batch, steps, units).
    """
    carried = np.zeros_like(states)
    carried[:, -1] = gradient
    for t in reversed(range(1, states.shape[1])):
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


def parameters(vocab_size, embed_dim, units):
    """Count the parameters of Embedding, SimpleRNN (last state) and one output neuron.

    The vocabulary has `vocab_size` words of `embed_dim` numbers, the loop `units` units.
    """
    loop = units * units + units * embed_dim + units
    neuron = units + 1
    return vocab_size * embed_dim + loop + neuron


def last_real_state(states, lengths):
    """Return the state after each text's last real word, (batch, units).

    Args:
        states: (batch, steps, units), from a loop without a mask over padded texts.
        lengths: int (batch,), how many words each text really has.
    """
    return states[np.arange(len(states)), lengths - 1]


def gradient_of_U(states, reaching):
    """Compute the gradient of U for one text.

    Args:
        states: (steps, units), h_1 … h_T; h_0 is zero.
        reaching: (steps, units), g_1 … g_T, the gradients that reach these states.

    Returns:
        (units, units), in the layout of U: a row for each unit of the state that U met.
    """
    inner = (1 - states**2) * reaching
    before = np.concatenate([np.zeros_like(states[:1]), states[:-1]])
    return before.T @ inner


def truncated_gradient_of_U(states, errors, U, V, k):
    """Compute the gradient of U for one text, carrying none back over a multiple of k steps.

    Args:
        states: (steps, units), h_1 … h_T; h_0 is zero.
        errors: (steps, symbols), δ_1 … δ_T, the gradients of the logits.
        U: (units, units). V: (units, symbols).
        k: nothing is carried from step k + 1 back to step k, from 2k + 1 back to 2k, …

    Returns:
        (units, units), in the layout of U.
    """
    gradient, carried = np.zeros_like(U), np.zeros(len(U))
    for t in reversed(range(len(states))):
        inner = (1 - states[t] ** 2) * (errors[t] @ V.T + carried)
        if t > 0:
            gradient += np.outer(states[t - 1], inner)
        carried = np.zeros(len(U)) if t % k == 0 else inner @ U.T
    return gradient
