"""Positions that are added to a sequence: fixed waves, or learned vectors."""

import keras
import numpy as np
from keras import ops

from course_utils.data.arguments import whole_number


class Positions(keras.layers.Layer):
    """What both kinds share: a table (max_length, channels) whose rows are added to the tokens.

    Call: x (batch, tokens, channels) → the same shape; start: the place of x's first token, for
    a decoder that gets one token at a time.

    Raises ValueError for a sequence longer than the table.
    """

    def __init__(self, max_length, **kwargs):
        super().__init__(**kwargs)
        whole_number("max_length", max_length, at_least=1)
        self.max_length = max_length
        self.supports_masking = True

    def call(self, x, start=0):
        self.check(x.shape[1])
        places = start + ops.arange(ops.shape(x)[1])
        return x + ops.cast(ops.take(self.table, places, axis=0), x.dtype)

    def check(self, tokens):
        """Raise ValueError where the table has fewer positions than `tokens`."""
        if isinstance(tokens, int) and tokens > self.max_length:
            raise ValueError(
                f"the sequence has {tokens} tokens, but there are only {self.max_length} "
                "positions: cut it, or build the layer with a larger max_length"
            )

    def get_config(self):
        return {**super().get_config(), "max_length": self.max_length}


@keras.saving.register_keras_serializable(package="course_utils")
class SinusoidalPositions(Positions):
    """Adds waves: sine of 10,000^(-2i/d)·position in channel 2i, its cosine in channel 2i + 1.

    Raises ValueError for an odd number of channels, and for a sequence longer than the table.

    Source: Vaswani et al., "Attention is all you need" (2017), section 3.5.
    """

    def build(self, input_shape):
        channels = input_shape[-1]
        if channels % 2:
            raise ValueError(f"sine and cosine come in pairs: {channels} channels are odd")
        speeds = 10_000.0 ** (-np.arange(0, channels, 2) / channels)
        angles = np.arange(self.max_length)[:, None] * speeds
        waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
        self.table = waves.reshape(self.max_length, channels).astype("float32")


@keras.saving.register_keras_serializable(package="course_utils")
class LearnedPositions(Positions):
    """Adds a vector of its own, learned, for each position; N(0, 0.02²) at the start.

    Raises ValueError for a sequence longer than the table.

    Source: Devlin et al., "BERT" (2019), section 3; Radford et al. (2018), section 4.1.
    """

    def build(self, input_shape):
        self.table = self.add_weight(
            shape=(self.max_length, input_shape[-1]),
            initializer=keras.initializers.RandomNormal(stddev=0.02),
            name="table",
        )
