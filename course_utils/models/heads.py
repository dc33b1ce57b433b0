"""Heads: what is put on top of an encoder to answer one kind of question.

An encoder is a model from ids, int (batch, tokens), 0 for padding, to a list of hidden states
(batch, tokens, channels), the embeddings first, the last layer last. A head shares its weights,
so that training the head's model trains the encoder too, unless `encoder.trainable` is False.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.data.base import one_of, whole_number
from course_utils.layers.attention import MASK_VALUE

FEATURES = (
    "embeddings",
    "second to last",
    "last",
    "sum of the last four",
    "concatenation of the last four",
    "sum of all",
)
POOLS = ("first", "mean")


def sequence_classifier(encoder, classes, pool="first", dropout=0.1, name="classifier"):
    """One answer a text: ids (batch, tokens) → logits (batch, classes).

    pool: "first" reads the state of the first token, <sos>, as BERT does; "mean" the mean
    of all states but the pads'. Raises ValueError for another pool, or classes under 2.
    """
    whole_number("classes", classes, at_least=2)
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(pooled(encoder(ids)[-1], ids, pool))
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name=name)


def token_classifier(encoder, classes, dropout=0.1, name="tagger"):
    """One answer a token: ids (batch, tokens) → logits (batch, tokens, classes)."""
    whole_number("classes", classes, at_least=2)
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name=name)


def span_answerer(encoder, dropout=0.1, name="span_answerer"):
    """Where an answer starts and ends: ids (batch, tokens) → {"start", "end"}.

    Both are scores, (batch, tokens). Question and text stand in one row; each end has a
    vector of its own, compared with every token's state. Pads score far below the rest.
    Source: Devlin et al. (2019), section 4.2.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2, dtype="float32", name="ends")(x)
    scores = ops.where(ops.expand_dims(ops.not_equal(ids, 0), -1), scores, MASK_VALUE)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]}, name=name)


def choice_scorer(encoder, choices, pool="first", dropout=0.1, name="choice_scorer"):
    """Which of some answers fits: ids (batch, choices, tokens) → logits (batch, choices).

    Every choice is read by itself, with the question, and gets one number; the softmax
    runs over the choices. Source: Devlin et al. (2019), section 4.4.
    """
    whole_number("choices", choices, at_least=2)
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    scores = layers.Dense(1, dtype="float32", name="score")(x)
    return keras.Model(ids, ops.reshape(scores, (-1, choices)), name=name)


@keras.saving.register_keras_serializable(package="course_utils")
class OneRowAChoice(keras.layers.Layer):
    """(batch, choices, tokens) → (batch · choices, tokens)."""

    def call(self, ids):
        return ops.reshape(ids, (-1, ops.shape(ids)[-1]))


def feature_classifier(encoder, features, classes, pool="mean", name="features"):
    """A classifier on frozen hidden layers: ids (batch, tokens) → logits (batch, classes).

    features: one of `FEATURES` (the rows of BERT's table 7). The encoder is frozen; the weights
    of a sum are learned, softmax of one number a layer.
    Raises ValueError for other features, and where the encoder has too few hidden layers.
    """
    one_of("features", features, FEATURES)
    whole_number("classes", classes, at_least=2)
    encoder.trainable = False
    ids = keras.Input((None,), dtype="int32")
    states = encoder(ids, training=False)
    if "four" in features and len(states) < 5:
        raise ValueError(
            f"{features} needs an encoder of four blocks, this one has {len(states) - 1}"
        )
    x = pooled(combined(states, features), ids, pool)
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name=name)


def combined(states, features):
    """The hidden states, one of `FEATURES`, that a frozen encoder hands to its head."""
    if features == "embeddings":
        return states[0]
    if features in ("last", "second to last"):
        return states[-1 if features == "last" else -2]
    if features.startswith("concatenation"):
        return layers.Concatenate()(states[-4:])
    return LayerMix()(states[-4:] if "four" in features else states)


@keras.saving.register_keras_serializable(package="course_utils")
class LayerMix(keras.layers.Layer):
    """Σ_l softmax(w)_l · h_l: a weighted sum of layers, with one learned number a layer.

    Call: a list of (batch, tokens, channels) → (batch, tokens, channels).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, states, mask=None):
        return mask[0] if mask else None

    def build(self, shapes):
        self.scores = self.add_weight(shape=(len(shapes),), initializer="zeros", name="scores")

    def call(self, states):
        shares = ops.cast(ops.softmax(self.scores), states[0].dtype)
        return ops.tensordot(shares, ops.stack(states), axes=1)

    def compute_output_shape(self, shapes):
        return shapes[0]


def pooled(states, ids, pool):
    """One vector a text, (batch, channels), from its states: "first" token's, or the "mean"."""
    one_of("pool", pool, POOLS)
    if pool == "first":
        return states[:, 0]
    padding_mask = ops.expand_dims(ops.cast(ops.not_equal(ids, 0), states.dtype), -1)
    return ops.sum(states * padding_mask, axis=1) / ops.maximum(
        ops.sum(padding_mask, axis=1), 1
    )


def best_span(start, end, allowed=None, longest=None):
    """The best pair of ends, NumPy: start and end (batch, tokens) → int (batch, 2).

    The pair with the largest start + end score among those whose end does not stand before
    their start. allowed: bool (batch, tokens), where an answer may lie (in the text, not in the
    question); longest: tokens at most.
    """
    start, end = np.asarray(start, "float64"), np.asarray(end, "float64")
    tokens = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    distance = np.arange(tokens)[None, :] - np.arange(tokens)[:, None]
    possible = (distance >= 0) & (distance < (longest or tokens))
    if allowed is not None:
        allowed = np.asarray(allowed, bool)
        possible = possible & allowed[:, :, None] & allowed[:, None, :]
    best = np.where(possible, scores, -np.inf).reshape(len(scores), -1).argmax(axis=1)
    return np.stack([best // tokens, best % tokens], axis=1)
