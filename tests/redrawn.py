"""What the tests of layers share: weights drawn anew, and dropout that falls alike."""

import numpy as np


def scrambled(model):
    """Fresh biases are zero and would hide faults: draw all weights anew."""
    draw = np.random.default_rng(1)
    model.set_weights([draw.normal(size=w.shape) / 2 for w in model.get_weights()])
    return model


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
