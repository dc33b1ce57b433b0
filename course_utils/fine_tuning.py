"""Train a model again and again from chosen starts, on few labelled examples."""

import keras
import numpy as np

from course_utils.data.base import whole_number


def balanced_sample(labels, count, seed):
    """Rows of `count` examples, as many of one label as of the other, none twice.

    labels: int (examples,), 0 or 1; count: an even number. All arms of a comparison get the
    same draw: same seed, same rows. Raises ValueError for an odd count or too few examples.
    """
    whole_number("count", count, at_least=2)
    groups = [np.flatnonzero(np.asarray(labels) == label) for label in (0, 1)]
    if count % 2 or count // 2 > min(map(len, groups)):
        raise ValueError(
            f"count has to be even and at most twice {min(map(len, groups))}, got {count}"
        )
    generator = np.random.default_rng(seed)
    rows = [generator.choice(group, count // 2, replace=False) for group in groups]
    return generator.permutation(np.concatenate(rows))


def init_head_by_probe(model, ids, labels, strength=0.01):
    """Set a classifier's last layer to a logistic regression on what goes into it.

    A fresh head sends large, aimless gradients through the encoder and spoils what it knew.
    Fine-tuning that starts from a fitted head changes it with care.

    model: ends in a Dense layer of two logits. ids: int (examples, tokens), labels: 0 or 1.
    strength: how far the regression may follow the examples (scikit-learn's C), its features
    scaled to deviation 1. Raises ValueError for a model with another last layer.

    Source: Kumar et al., "Fine-tuning can distort pretrained features and underperform
    out-of-distribution" (2022).
    """
    from sklearn.linear_model import LogisticRegression

    head = model.layers[-1]
    if not isinstance(head, keras.layers.Dense) or head.units != 2:
        raise ValueError(f"the last layer has to be Dense with 2 units, it is {head.name!r}")
    features = keras.Model(model.input, head.input).predict(ids, verbose=0)
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
    fitted = LogisticRegression(C=strength, max_iter=2_000)
    fitted.fit((features - mean) / deviation, labels)
    direction = fitted.coef_[0] / deviation
    offset = fitted.intercept_[0] - direction @ mean
    signs = np.array([-0.5, 0.5])
    head.set_weights([direction[:, None] * signs, offset * signs])


class Restart:
    """Set a compiled model back to its start: `Restart(model, encoder)(encoder_weights)`.

    A new model for every row of a table would be traced and compiled anew each time; the same
    model with its first weights, and with empty optimizer slots, is as good as new.

    encoder: the part of the model whose weights a call may replace; None keeps the first ones.
    """

    def __init__(self, model: keras.Model, encoder: keras.Model):
        self.model, self.encoder = model, encoder
        model.optimizer.build(model.trainable_variables)
        self.weights = model.get_weights()
        self.slots = [keras.ops.convert_to_numpy(slot) for slot in model.optimizer.variables]

    def __call__(self, encoder_weights=None):
        self.model.set_weights(self.weights)
        if encoder_weights is not None:
            self.encoder.set_weights(encoder_weights)
        for slot, value in zip(self.model.optimizer.variables, self.slots, strict=True):
            slot.assign(value)
        return self.model
