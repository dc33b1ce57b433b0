"""The attention layers: dropout, shapes of masks, rows without a key."""

import keras
import numpy as np
import pytest
from keras import ops
from redrawn import scrambled

from course_utils import layers
from course_utils.layers.attention import masked_softmax

DIM, HEADS = 8, 4


def vectors(tokens=7, seed=0):
    shape = (2, tokens, DIM)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def multi_head(dropout=0.0):
    layer = layers.MultiHeadAttention(DIM, HEADS, dropout=dropout)
    layer.build((None, None, DIM), (None, None, DIM))
    return scrambled(layer) if not dropout else layer


def test_dropout_works_in_training_alone_and_leaves_the_returned_weights_whole():
    layer, x = multi_head(dropout=0.5), vectors()
    assert np.array_equal(layer(x, x), layer(x, x))
    assert not np.array_equal(layer(x, x, training=True), layer(x, x, training=True))
    _, weights = layer(x, x, training=True, return_attention_scores=True)
    assert np.allclose(np.array(weights).sum(axis=-1), 1, atol=1e-5)


def test_a_query_that_may_look_at_nothing_gets_zeros():
    x = vectors()
    mask = np.ones((2, 7, 7), bool)
    mask[1, 3] = False
    found, weights = layers.ScaledDotProductAttention()(
        x, x, attention_mask=mask, return_attention_scores=True
    )
    assert not np.array(found)[1, 3].any() and not np.array(weights)[1, 3].any()
    layer = multi_head()
    bias = layer.output_projection.get_weights()[1]
    for scores in (False, True):
        found = layer(x, x, attention_mask=mask, return_attention_scores=scores)
        found = np.array(found[0] if scores else found)
        assert np.allclose(found[1, 3], bias, atol=1e-6)
        assert np.isfinite(found).all()


@pytest.mark.parametrize("shape", [(7, 7), (1, 7), (2, 7, 7), (2, 1, 7), (1, 7, 7), (7, 1)])
def test_a_mask_may_leave_out_the_batch_or_stand_for_all(shape):
    x, layer = vectors(), multi_head()
    mask = np.random.default_rng(2).random(shape) < 0.7
    whole = np.broadcast_to(mask, (2, 7, 7))
    found = layer(x, x, attention_mask=mask)
    assert np.allclose(found, layer(x, x, attention_mask=whole), atol=1e-6)
    scaled = layers.ScaledDotProductAttention()
    assert np.allclose(
        scaled(x, x, attention_mask=mask), scaled(x, x, attention_mask=whole), atol=1e-6
    )


@pytest.mark.parametrize("shape", [(7, 5), (2, 5, 7), (2, 7, 6), (3, 7, 7), (7,), (2, 7, 7, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_of_the_wrong_shape_is_refused(shape, causal):
    x, mask = vectors(), np.ones(shape, bool)
    with pytest.raises(ValueError, match="the mask has the shape"):
        multi_head()(x, x, attention_mask=mask, use_causal_mask=causal)
    with pytest.raises(ValueError, match="the mask has the shape"):
        layers.ScaledDotProductAttention()(x, x, attention_mask=mask)


@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_of_another_source_is_refused(causal):
    x, mask = vectors(), np.ones((2, 9), bool)
    with pytest.raises(ValueError, match="the mask has the shape"):
        multi_head()(x, x, value_mask=mask, use_causal_mask=causal)
    for layer in (layers.LuongAttention(DIM), layers.BahdanauAttention(DIM)):
        with pytest.raises(ValueError, match="the mask has the shape"):
            layer(x, x, value_mask=mask)


def test_a_single_key_gets_all_the_weight_without_a_warning(recwarn):
    x = vectors()
    found = layers.ScaledDotProductAttention()(x, x[:, :1])
    assert np.allclose(found, np.repeat(x[:, :1], 7, axis=1))
    nothing = np.zeros((2, 7, 1), bool)
    masked = layers.ScaledDotProductAttention()(x, x[:, :1], attention_mask=nothing)
    assert not np.array(masked).any()
    assert not [w for w in recwarn if "softmax" in str(w.message)]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("offset", [0, -3e4, -65_000, -1e6, -1e30, 1e5])
def test_the_weights_of_scores_of_any_size_add_up_to_1(offset, dtype):
    if abs(offset) > 65_000 and dtype == "float16":
        pytest.skip("float16 has no such number")
    mask = np.array([[True, True, False], [False, False, True], [False, False, False]])
    scores = ops.cast(offset + 64 * np.array([[1.0, 0, 2]] * 3), dtype)
    found = ops.convert_to_numpy(ops.cast(masked_softmax(scores, mask), "float32"))
    assert np.allclose(found.sum(axis=-1), [1, 1, 0], atol=1e-2)
    assert not found[~mask].any()
    assert found[0, 0] >= found[0, 1]


@pytest.mark.parametrize("hidden", [np.nan, np.inf, -np.inf, 1e30])
def test_a_score_that_is_hidden_changes_no_weight_and_no_gradient(hidden):
    scores = keras.Variable([[-7e4, -7e4 + 1, hidden], [hidden] * 3])
    mask = np.array([[True, True, False], [False] * 3])
    layer = keras.layers.Lambda(lambda _: masked_softmax(scores.value, mask)[None])
    layer.scores = scores
    model = keras.Sequential([layer])
    expected = [[1 / (1 + np.e), np.e / (1 + np.e), 0], [0, 0, 0]]
    found = ops.convert_to_numpy(model(np.zeros((1, 1))))
    assert np.allclose(found[0], expected, atol=1e-6)
    model.compile(keras.optimizers.SGD(1.0), "mse")
    model.train_on_batch(np.zeros((1, 1)), np.ones((1, 2, 3)))
    moved = ops.convert_to_numpy(scores) - np.array(
        [[-7e4, -7e4 + 1, hidden], [hidden] * 3], "float32"
    )
    assert np.isfinite(ops.convert_to_numpy(scores)[0, :2]).all()
    assert np.nan_to_num(moved)[~mask].max() == 0
