"""What the tests of layers share: weights drawn again, dropout that falls alike."""

from contextlib import contextmanager

import numpy as np

from course_utils.checks import redrawn


def scrambled(model):
    """Fresh biases are zero and would hide faults: draw all weights again."""
    return redrawn(model, seed=1)


class Redrawn:
    """Calls a layer in training so that each call draws the same dropout."""

    def __init__(self, layer):
        self.layer = layer
        self.states = [(v, v.numpy()) for v in layer.variables if "seed" in v.path]
        assert self.states

    def __call__(self, *arguments, **keywords):
        for variable, value in self.states:
            variable.assign(value)
        return self.layer(*arguments, training=True, **keywords)


@contextmanager
def in_policy(policy):
    """What is built inside computes in another precision."""
    import keras

    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def unmoved(model, before):
    """The weights that training left as they were, but for keys' biases.

    One bias for all keys moves every score of a row alike: the softmax does not see it.
    """
    pairs = zip(model.weights, before, strict=True)
    still = [weight.path for weight, old in pairs if np.array_equal(weight.numpy(), old)]
    return [path for path in still if "key/bias" not in path and "seed" not in path]
