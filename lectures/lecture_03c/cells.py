"""Two variants of the LSTM as Keras cells: `keras.layers.RNN(PeepholeLSTMCell(32))`."""

import keras
from keras import ops

from lectures.lecture_03.cells import GatedCell


@keras.saving.register_keras_serializable(package="course_utils")
class PeepholeLSTMCell(GatedCell):
    """An LSTM cell whose gates also look at the cell state, for `keras.layers.RNN`.

        i = σ(xW_i + hU_i + p_i·c + b_i)    f = σ(xW_f + hU_f + p_f·c + b_f)
        c' = f·c + i·tanh(xW_g + hU_g + b_g)
        o = σ(xW_o + hU_o + p_o·c' + b_o)   h' = o·tanh(c')

    Shapes: inputs (batch, inputs), states h and c (batch, units) each; kernel (inputs, 4·units)
    and recurrent_kernel (units, 4·units), columns i, f, g, o as in Keras' LSTM; bias
    (4·units,), 1 for f at the start; peepholes (3, units) for i, f, o, 0 at the start, where
    the cell is a plain LSTM.

    Source: Gers and Schmidhuber, "Recurrent nets that time and count" (2000).
    """

    fresh = (0, 1, 0, 0)

    def build(self, input_shape):
        super().build(input_shape)
        self.peepholes = self.add_weight(
            shape=(3, self.units), initializer="zeros", name="peepholes"
        )

    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        p_i, p_f, p_o = ops.split(self.peepholes, 3)
        c_new = ops.sigmoid(f + p_f * c) * c + ops.sigmoid(i + p_i * c) * ops.tanh(g)
        h = ops.sigmoid(o + p_o * c_new) * ops.tanh(c_new)
        return h, [h, c_new]


@keras.saving.register_keras_serializable(package="course_utils")
class CoupledLSTMCell(GatedCell):
    """An LSTM cell that writes as much as it forgets, for `keras.layers.RNN`.

        f = σ(xW_f + hU_f + b_f)    i = 1 − f    o = σ(xW_o + hU_o + b_o)
        c' = f·c + i·tanh(xW_g + hU_g + b_g)     h' = o·tanh(c')

    Shapes: inputs (batch, inputs), states h and c (batch, units) each; kernel (inputs, 3·units)
    and recurrent_kernel (units, 3·units), columns f, g, o; bias (3·units,), 1 for f at the
    start.

    Source: Greff et al., "LSTM: a search space odyssey" (2017), there called CIFG and written
    f = 1 − i: there the input gate owns the weights, whose signs are the opposite.
    """

    fresh = (1, 0, 0)

    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]
