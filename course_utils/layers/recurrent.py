"""The LSTM and variants of it as Keras cells: `keras.layers.RNN(LSTMCell(32))`."""

import keras
from keras import ops

from course_utils.data.base import whole_number


class GatedCell(keras.layers.Layer):
    """What LSTM cells share: kernel, recurrent_kernel and bias, a block of columns a gate.

    `fresh` names the start of each block's bias: 1 for the forget gate, 0 for all others.
    """

    fresh = ()

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        whole_number("units", units, at_least=1)
        self.units = units
        self.state_size = [units, units]
        self.output_size = units

    def build(self, input_shape):
        add, units, columns = self.add_weight, self.units, len(self.fresh) * self.units
        shape = (input_shape[-1], columns)
        self.kernel = add(shape=shape, initializer="glorot_uniform", name="kernel")
        self.recurrent_kernel = add(
            shape=(units, columns), initializer="orthogonal", name="recurrent_kernel"
        )

        def ones_and_zeros(shape, dtype):
            return ops.repeat(ops.array(self.fresh, dtype), units)

        self.bias = add(shape=(columns,), initializer=ones_and_zeros, name="bias")

    def sums(self, inputs, h):
        """What goes into each gate and the candidate: a list of arrays (batch, units)."""
        sums = ops.matmul(inputs, self.kernel) + ops.matmul(h, self.recurrent_kernel)
        return ops.split(sums + self.bias, len(self.fresh), axis=-1)


@keras.saving.register_keras_serializable(package="course_utils")
class LSTMCell(GatedCell):
    """One step of an LSTM, for `keras.layers.RNN`.

        i = σ(xW_i + hU_i + b_i)    f = σ(xW_f + hU_f + b_f)    o = σ(xW_o + hU_o + b_o)
        c' = f·c + i·tanh(xW_g + hU_g + b_g)                    h' = o·tanh(c')

    `call` takes the inputs (batch, inputs) and the states [h, c], (batch, units) each; it
    returns h' and the new states [h', c'].

    forget_bias: the forget gate's bias at the start; the other biases start at 0.
    """

    def __init__(self, units, forget_bias=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.forget_bias = forget_bias
        self.fresh = (0, forget_bias, 0, 0)

    def call(self, inputs, states):
        h, c = states
        i, f, g, o = self.sums(inputs, h)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


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
    f = 1 − i: the same network with f and i exchanged.
    """

    fresh = (1, 0, 0)

    def call(self, inputs, states):
        h, c = states
        f, g, o = self.sums(inputs, h)
        f = ops.sigmoid(f)
        c = f * c + (1 - f) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]
