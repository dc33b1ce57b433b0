"""The LSTM and variants of it as Keras cells: `keras.layers.RNN(LSTMCell(32))`."""

import keras
from keras import ops

from course_utils.data.base import whole_number


class GatedCell(keras.layers.Layer):
    """What LSTM cells share: kernel, recurrent_kernel and bias, one block of columns per gate.

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
