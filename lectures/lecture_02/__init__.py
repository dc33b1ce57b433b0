"""Lecture 02 in plain NumPy: the simple recurrent network, its loss, learning through it.

One notation: W on the input, U on the state, V on the way out; b and c the biases. Rows are
multiplied from the left, as Keras does, so `W` is Keras' kernel and `U` its recurrent_kernel.

Shapes: x (batch, steps, inputs), states (batch, steps, units), probabilities and targets
(batch, steps) over `outputs` symbols, mask (batch, steps) with True where a step is real;
W (inputs, units), U (units, units), b (units,), V (units, outputs), c (outputs,).

Source: Elman, "Finding structure in time" (1990), with the state fed back; the gradients are
those of Goodfellow, Bengio and Courville, "Deep Learning" (2016), equations 10.22 to 10.28.
"""

import keras
import numpy as np
from keras import layers

LECTURE = "02_simple_rnn"
IMDB = {  # the recorded variants: a mask or none, and where the pads stand
    "simple_rnn_32": {"mask": True, "pads": "last"},
    "simple_rnn_32_no_mask": {"mask": False, "pads": "last"},
    "simple_rnn_32_pads_first": {"mask": False, "pads": "first"},
}


def rnn_step(x, h, W, U, b):
    """Take one step of the loop for a batch: h_t = tanh(x_t W + h_{t-1} U + b).

    Args:
        x, h: x_t, (batch, inputs), and h_{t-1}, (batch, units).
        W, U, b: (inputs, units), (units, units), (units,).

    Returns:
        h_t, a NumPy array (batch, units).
    """
    return np.tanh(x @ W + h @ U + b)


def forward(x, W, U, b, mask=None, return_sequences=True):
    """Run `rnn_step` over all steps, starting from a state of zeros.

    Args:
        x: (batch, steps, inputs).
        W, U, b: (inputs, units), (units, units), (units,).
        mask: bool (batch, steps), True where a step is real; at a pad the state is handed on
            unchanged. None: every step is real.
        return_sequences: True for all states, False for the last one.

    Returns:
        NumPy array: all states, (batch, steps, units), or the last one, (batch, units).
    """
    h, states = np.zeros((len(x), len(U)), x.dtype), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def predict(states, V, c):
    """Turn each state into probabilities over the symbols, (batch, steps, outputs)."""
    # The softmax; taking the largest logit off changes nothing and keeps exp from overflowing.
    logits = states @ V + c
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def backward(x, states, probabilities, targets, U, V):
    """Send the loss back through time: the five gradients of the summed cross-entropy.

    Args:
        x: (batch, steps, inputs).
        states: h_1 … h_T, (batch, steps, units); h_0 is zero.
        probabilities: p_t, (batch, steps, symbols).
        targets: y_t, int (batch, steps).
        U, V: (units, units), (units, symbols).

    Returns:
        A dictionary with the gradients of c, b, V, W and U under "c", "b", "V", "W" and "U",
        NumPy arrays of the shapes of the parameters, summed over steps and batch.
    """
    errors = probabilities - np.eye(probabilities.shape[-1])[targets]
    before = np.concatenate([np.zeros_like(states[:, :1]), states[:, :-1]], axis=1)
    inner, carried = np.zeros_like(states), np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        inner[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = inner[:, t] @ U.T
    return {
        "c": errors.sum(axis=(0, 1)),
        "b": inner.sum(axis=(0, 1)),
        "V": np.einsum("bth,bto->ho", states, errors),
        "W": np.einsum("bti,bth->ih", x, inner),
        "U": np.einsum("btg,bth->gh", before, inner),
    }


def carry_back(gradient, states, U, linear=False):
    """Carry a gradient at the last state, (batch, units), back through the loop, step by step.

    linear: leave the tanh's slope out, to see what the matrix does by itself.
    Returns dL/dh_t for every step, (batch, steps, units).
    """
    carried = np.zeros_like(states)
    carried[:, -1] = gradient
    for t in reversed(range(1, states.shape[1])):
        slope = 1.0 if linear else 1 - states[:, t] ** 2
        carried[:, t - 1] = (carried[:, t] * slope) @ U.T
    return carried


def rescale(U, radius):
    """Scale a matrix so that its largest eigenvalue has the absolute value `radius`."""
    return U * (radius / np.abs(np.linalg.eigvals(U)).max())


def build_writer(symbols):
    """Build and compile a network that predicts the next symbol at every step; return it.

    Input: ids, int (batch, steps), of any number of steps. Output: probabilities of the symbol
    that follows each of them, (batch, steps, symbols). In between: an embedding of 16 numbers
    and a SimpleRNN of 64 units. Compiled with Adam (learning rate 0.005, clipnorm 1), the loss
    "sparse_categorical_crossentropy" and the metric "accuracy".

    Args:
        symbols: how many different symbols there are.
    """
    ids = keras.Input((None,), dtype="int32")
    states = layers.SimpleRNN(64, return_sequences=True)(layers.Embedding(symbols, 16)(ids))
    output = layers.Dense(symbols, activation="softmax", dtype="float32")(states)
    model = keras.Model(ids, output, name="writer")
    optimizer = keras.optimizers.Adam(0.005, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def write(first, length, choose, embedding, W, U, b, V, c):
    """Write symbols one after the other: each is read to choose the next, the state goes on.

    Args:
        first: the id of the symbol to begin with.
        length: how many symbols to write.
        choose: function of probabilities, (symbols,), that returns an id.
        embedding: (symbols, inputs), the vector of each symbol.
        W, U, b: (inputs, units), (units, units), (units,), as in `rnn_step`.
        V, c: (units, symbols) and (symbols,): probabilities are softmax(h V + c).

    Returns:
        A list of the `length` written ids, without `first`.
    """
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = int(choose(predict(h, V, c)[0]))
        written.append(last)
    return written


def last_real_state(states, lengths):
    """Return the state after each text's last real word, (batch, units).

    Args:
        states: (batch, steps, units), from a loop without a mask over padded texts.
        lengths: int (batch,), how many words each text really has.
    """
    last = states[np.arange(len(states)), lengths - 1]
    return np.where(lengths[:, None] > 0, last, 0)  # a text without a word has no last one


def review_model(vocab_size, mask=True, dropout=0.0, name="simple_rnn_32"):
    """Read a review, ids (batch, words); return the probability of praise (batch, 1)."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, 32, mask_zero=mask)(ids)
    x = layers.SpatialDropout1D(dropout)(x)
    x = layers.SimpleRNN(32)(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name=name)


def add_pads(ids, pads, count=10):
    """Return the texts with so many more pads, "first" (in front) or "last" (at the end)."""
    return np.pad(ids, ((0, 0), (count, 0) if pads == "first" else (0, count)))
