"""Mixer's block: equal to NumPy, what it mixes, saving, and the sizes it refuses."""

import numpy as np
import pytest
from redrawn import scrambled

import course_utils as cu
from course_utils.layers.mlp import FixedSize, MixerBlock
from lectures import lecture_08

S, C, D_S, D_C = 6, 8, 5, 12


def vectors(tokens=S, seed=0):
    return np.random.default_rng(seed).normal(size=(3, tokens, C)).astype("float32")


def block():
    """A block with all weights drawn again, and x and its output."""
    made = MixerBlock(D_S, D_C)
    made.build((None, S, C))
    return scrambled(made)


def numbers(layer):
    return [weight.numpy() for weight in layer.weights]


def weights_of(made):
    """The block's weights as the reference takes them."""
    return {
        name: numbers(getattr(made, name))
        for name in ("token_norm", "token_mixing", "channel_norm", "channel_mixing")
    }


def test_a_block_is_the_numpy_block():
    with cu.full_precision():
        made, x = block(), vectors()
        found = np.array(made(x))
    assert np.abs(found - lecture_08.mixer_block(x, weights_of(made))).max() < 1e-5


def test_a_fixed_size_lets_one_size_through():
    ids = FixedSize((4,), dtype="int32")
    assert np.array_equal(ids(np.arange(8).reshape(2, 4)), [[0, 1, 2, 3], [4, 5, 6, 7]])
    with pytest.raises(ValueError, match="built for 4 tokens and cannot take 2 tokens"):
        ids(np.arange(8).reshape(4, 2))
    images = FixedSize.from_config(FixedSize((2, 3, 1)).get_config())
    assert images(np.zeros((1, 2, 3, 1))).shape == (1, 2, 3, 1)
    with pytest.raises(ValueError, match="images of 2 × 3 × 1 and cannot take images of 3 × 2"):
        images(np.zeros((1, 3, 2, 1)))
    with pytest.raises(ValueError, match="a row for|one row for each number of a patch"):
        images(np.zeros((1, 2, 3, 3)))
