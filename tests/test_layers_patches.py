"""Patches by reshape and by convolution, the class token, rollout: equalities and refusals."""

import numpy as np
import pytest
from redrawn import scrambled

import course_utils as cu
from course_utils.layers.vision import ClassToken, PatchEmbedding
from lectures.lecture_07 import from_patches, rollout, to_patches

DIM, PATCH = 5, 4


def images(height=8, width=12, channels=3):
    shape = (2, height, width, channels)
    return np.random.default_rng(0).normal(size=shape).astype("float32")


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("patch", [1, 2, 4])
def test_patches_are_squares_row_by_row_and_go_back(patch, channels):
    x = images(channels=channels)
    patches = to_patches(x, patch)
    rows, columns = 8 // patch, 12 // patch
    assert patches.shape == (2, rows * columns, patch * patch * channels)
    for row in range(rows):
        for column in range(columns):
            below, beside = row * patch, column * patch
            square = x[:, below : below + patch, beside : beside + patch]
            found = patches[:, row * columns + column]
            assert np.array_equal(found, square.reshape(2, -1))
    assert np.array_equal(from_patches(patches, 8, 12, patch), x)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("patch", [1, 2, 4])
def test_a_strided_convolution_is_reshape_and_matrix(patch, channels):
    x, layer = images(channels=channels), PatchEmbedding(DIM, patch)
    with cu.full_precision():
        layer.build(x.shape)
        kernel, bias = scrambled(layer).get_weights()
        expected = to_patches(x, patch) @ kernel.reshape(-1, DIM) + bias
        assert np.abs(np.array(layer(x)) - expected).max() < 1e-5


def test_bytes_are_projected_as_numbers():
    layer = PatchEmbedding(DIM, PATCH)
    x = np.random.default_rng(0).integers(0, 256, size=(2, 8, 8, 1)).astype("uint8")
    with cu.full_precision():
        assert np.array_equal(np.array(layer(x)), np.array(layer(x.astype("float32"))))


def test_a_class_token_stands_in_front_of_untouched_tokens():
    x = images().reshape(2, -1, 3)
    layer = ClassToken()
    assert not np.array(layer(x))[:, 0].any()
    token = scrambled(layer).get_weights()[0]
    found = np.array(layer(x))
    assert found.shape == (2, 97, 3) and layer.count_params() == 3
    assert np.array_equal(found[:, 1:], x)
    assert np.array_equal(found[:, 0], np.stack([token, token]))


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: to_patches(images(10, 8), 4), "10×8 .* 4×4: its height 10 .* 8 or 12 would"),
        (lambda: to_patches(images(8, 10), 4), "width 10 .* 8 or 12 .* a patch of 1, 2$"),
        (lambda: to_patches(images(3, 3), 4), "height 3 is not divisible by 4; 4 would be"),
        (lambda: to_patches(images()[..., 0], 4), r"got \(2, 8, 12\); grey .* images\[..., N"),
        (lambda: to_patches(images()[0, 0], 4), r"channels\), got \(12, 3\)$"),
        (lambda: to_patches(images(), 0), "patch has to be a whole number of at least 1"),
        (lambda: PatchEmbedding(4, 4)(images(10, 8)), "height 10 is not divisible by 4"),
        (lambda: PatchEmbedding(4, 4)(images()[..., 0]), "channels"),
    ],
)
def test_images_that_do_not_fit_are_told_what_would(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()


def test_a_built_layer_refuses_other_channels_and_takes_other_sizes():
    layer = PatchEmbedding(DIM, PATCH, name="patches")
    assert layer(images()).shape == (2, 6, DIM)
    assert layer(images(4, 8)).shape == (2, 2, DIM)
    with pytest.raises(ValueError, match="expected axis -1 .* value 3"):
        layer(images(channels=1))
    with pytest.raises(ValueError, match="width 10 is not divisible by 4"):
        layer(images(8, 10))


def weights(tokens=6, num_heads=3, seed=0):
    """Attention weights that differ much from token to token."""
    scores = np.random.default_rng(seed).normal(size=(2, num_heads, tokens, tokens)) * 4
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def test_rollout_is_the_product_of_half_attention_and_half_identity():
    first, second = weights(seed=0), weights(seed=1, num_heads=2)
    half = [part.mean(axis=1) / 2 + np.eye(6) / 2 for part in (first, second)]
    found = rollout([first, second])
    assert np.abs(found - (half[1] @ half[0])[:, 0]).max() < 1e-12
    assert np.abs(found - rollout([second, first])).max() > 0.01
    assert np.abs(found.sum(axis=-1) - 1).max() < 1e-12 and found[:, 0].min() >= 1 / 4
