"""The mean of a text's real tokens: its values, and 0 for a text of pads."""

import keras
import numpy as np
import pytest
from keras import ops

from course_utils.layers import MaskedAveragePooling1D
from course_utils.layers.attention import masked_mean

REAL = np.array([[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]])


def negative_vectors():
    return -1 - np.random.default_rng(0).random((3, 4, 5)).astype("float32")


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
@pytest.mark.parametrize("pad", [0.0, 1e3, np.nan, np.inf])
def test_pooling_reads_the_real_tokens_alone_and_gives_0_where_there_is_none(pad, dtype):
    x = negative_vectors()
    expected = np.stack([x[0].mean(axis=0), x[1, 1:3].mean(axis=0), np.zeros(5)])
    x[REAL == 0] = pad
    assert np.allclose(masked_mean(x, REAL.astype(dtype)), expected, atol=1e-6)


def test_a_row_without_a_token_learns_nothing_and_spoils_no_gradient():
    table = keras.layers.Embedding(9, 3)
    ids = np.array([[4, 7, 0], [0, 0, 0]])
    inputs = keras.Input((None,), dtype="int32")
    pooled = masked_mean(table(inputs), ops.not_equal(inputs, 0))
    model = keras.Model(inputs, pooled)
    before = np.zeros((9, 3))
    before[4], before[7] = [1, 0, 1], [0, 1, 0]
    table.set_weights([before])
    model.compile(keras.optimizers.SGD(1.0), "mse")
    model.train_on_batch(ids, np.full((2, 3), 3.0))
    after = table.get_weights()[0]
    assert np.isfinite(after).all()
    assert {*np.flatnonzero((before != after).any(axis=1))} == {4, 7}


def test_the_layer_is_keras_own_where_every_row_has_a_token():
    x, keras_own = negative_vectors()[:2], keras.layers.GlobalAveragePooling1D()
    for mask in (REAL[:2] > 0, None):
        ours = MaskedAveragePooling1D()(x, mask=mask)
        assert np.allclose(ours, keras_own(x, mask=mask), atol=1e-6)


def test_the_layer_takes_the_mask_of_the_layer_before_it_and_keeps_it_to_itself():
    vectors = keras.layers.Embedding(9, 3, mask_zero=True)
    ids = np.array([[4, 7, 0], [0, 0, 0]])
    pooled = MaskedAveragePooling1D()(vectors(ids))
    expected = [ops.convert_to_numpy(vectors(ids))[0, :2].mean(axis=0), np.zeros(3)]
    assert np.allclose(ops.convert_to_numpy(pooled), expected, atol=1e-6)
    assert getattr(pooled, "_keras_mask", None) is None
