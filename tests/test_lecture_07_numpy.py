"""Patches and counts of lecture 07 in NumPy: Keras' own patches, stripes, the table."""

import numpy as np
import pytest

from course_utils.numpy_ref.patches import to_patches
from course_utils.numpy_ref.vision_cost import parameters, published


@pytest.mark.parametrize(("side", "patch", "channels"), [(8, 2, 1), (12, 3, 3), (12, 4, 2)])
def test_patches_are_those_of_keras(side, patch, channels):
    from keras import ops

    images = np.random.default_rng(0).normal(size=(2, side, side, channels)).astype("float32")
    theirs = np.array(ops.image.extract_patches(images, patch))
    ours = to_patches(images, patch)
    assert np.array_equal(theirs.reshape(ours.shape), ours)


def test_a_direct_reshape_gives_stripes():
    pixels = np.arange(64).reshape(1, 8, 8, 1)
    rows = {value // 8 for value in pixels.reshape(16, 4)[0]}
    of_square = {value // 8 for value in to_patches(pixels, 2)[0, 0]}
    assert rows == {0} and of_square == {0, 1}


def test_the_parts_of_the_lectures_table():
    count = published("L/16")
    assert count["projection"] == 787_456
    assert count["class token"] + count["positions"] == 202_752
    assert count["attention"] == 24 * 4_198_400
    assert count["feed-forward"] == 24 * 8_393_728
    assert count["norms"] + count["head"] == 24 * 4_096 + 1_027_048
    assert sum(count.values()) == 304_326_632


def test_only_positions_know_the_size_of_the_picture():
    small, large = (parameters(side, 3, 16, 768, 3072, 12, classes=1000) for side in (224, 384))
    assert {part for part in small if small[part] != large[part]} == {"positions"}
    assert sum(large.values()) == 86_859_496
