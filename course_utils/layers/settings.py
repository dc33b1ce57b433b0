"""Settings of layers and models: sizes are checked, NumPy's numbers become Python's."""

import keras
import numpy as np

from course_utils.data.base import whole_number


def sizes(**given):
    """A list of int. Raises ValueError naming one that is no whole number of at least 1."""
    return [whole_number(name, size, at_least=1) for name, size in given.items()]


def take_numpy(*kinds):
    """Let Keras note down the settings of these layers: it can save Python's numbers alone.

    Done from outside, so that the classes which students read are plain layers of Keras.
    """
    for kind in kinds:
        kind.__new__ = _with_plain_settings


def _with_plain_settings(cls, *args, **kwargs):
    args = [plain(value) for value in args]
    return keras.layers.Layer.__new__(
        cls, *args, **{name: plain(kwargs[name]) for name in kwargs}
    )


def plain(value):
    """A number of NumPy as one of Python, also inside a tuple; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value
