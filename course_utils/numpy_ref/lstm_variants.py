"""Two variants of the LSTM in plain NumPy, one step each; `lstm.forward` runs them.

Shapes: x (batch, inputs), h and c (batch, units); rows are multiplied from the left.
"""

import numpy as np

from course_utils.numpy_ref.lstm import sigmoid


def peephole_step(x, h, c, W, U, b, peepholes):
    """Take one step of an LSTM whose gates also look at the cell state.

    Args:
        W, U, b: as in `lstm`: input gate, forget gate, candidate, output gate.
        peepholes: (3, units), one weight a unit: on the input gate and the forget gate, which
            look at the old c, and on the output gate, which looks at the new one.

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
        W, U, b: (inputs, 3·units), (units, 3·units), (3·units,): forget gate, candidate,
            output gate.

    Source: Greff et al., "LSTM: a search space odyssey" (2017), there called CIFG and written
    f = 1 - i: the same network with f and i exchanged.
    """
    f, g, o = np.split(x @ W + h @ U + b, 3, axis=-1)
    c = sigmoid(f) * c + (1 - sigmoid(f)) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, c
