"""One vector for a whole text: the mean or the maximum of its real tokens.

A text without a real token gets zeros. Keras' own `GlobalAveragePooling1D` divides by their
number and gives NaN there; one such row in a batch makes every weight NaN.
"""

import keras
from keras import ops


def masked_mean(x, mask):
    """The mean of the real tokens, 0 where a row has none: (batch, channels).

    x: (batch, tokens, channels). mask: (batch, tokens), True or 1 = a real token.
    """
    real = ops.cast(mask, "bool")[..., None]
    number = ops.sum(ops.cast(real, x.dtype), axis=1)
    return ops.sum(ops.where(real, x, 0.0), axis=1) / ops.maximum(number, 1.0)


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedAveragePooling1D(keras.layers.Layer):
    """`masked_mean` as a layer, which takes the mask of its input where it has one.

    Call: x (batch, tokens, channels); mask (batch, tokens), True = a real token, or None: all
    are real. Returns (batch, channels).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, x, mask=None):
        return ops.mean(x, axis=1) if mask is None else masked_mean(x, mask)

    def compute_mask(self, x, mask=None):
        return None

    def compute_output_shape(self, x_shape):
        return (x_shape[0], x_shape[-1])
