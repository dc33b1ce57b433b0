"""Mixer's block: equal to NumPy, what it mixes, saving, and the sizes it refuses."""

import numpy as np
import pytest
from redrawn import Redrawn, scrambled
from scipy.special import erf

import course_utils as cu
from course_utils.layers.mlp import FixedSize, MixerBlock
from course_utils.lectures import lecture_08
from course_utils.lectures.lecture_07 import gelu

S, C, D_S, D_C = 6, 8, 5, 12


def vectors(tokens=S, seed=0):
    return np.random.default_rng(seed).normal(size=(3, tokens, C)).astype("float32")


def block(**settings):
    """A block with all weights drawn anew, and x and its output."""
    made = MixerBlock(D_S, D_C, **settings)
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
    by_tanh = lecture_08.mixer_block(x, weights_of(made), lecture_08.gelu_tanh)
    assert 1e-5 < np.abs(found - by_tanh).max() < 1e-2


def test_the_two_gelus_are_keras_and_differ_little():
    import keras

    x = np.linspace(-6, 6, 2001)
    exact, by_tanh = gelu(x), lecture_08.gelu_tanh(x)
    assert np.abs(exact - x * 0.5 * (1 + erf(x / 2**0.5))).max() < 1e-12
    with cu.full_precision():
        for approximate, expected in ((False, exact), (True, by_tanh)):
            found = keras.ops.gelu(x.astype("float32"), approximate=approximate)
            assert np.abs(np.array(found) - expected).max() < 1e-5
    assert 1e-4 < np.abs(exact - by_tanh).max() < 5e-4


def test_token_mixing_treats_channels_alike_and_channel_mixing_tokens():
    weights, x = weights_of(block()), vectors()
    turn = [3, 1, 0, 2, 7, 6, 5, 4]
    mixed = lecture_08.token_mixing(x, weights["token_mixing"])
    turned = lecture_08.token_mixing(x[..., turn], weights["token_mixing"])
    assert np.abs(mixed[..., turn] - turned).max() < 1e-6
    mixed = lecture_08.mlp(x, *weights["channel_mixing"])
    turned = lecture_08.mlp(x[:, ::-1], *weights["channel_mixing"])
    assert np.abs(mixed[:, ::-1] - turned).max() < 1e-6


def test_every_output_token_hears_of_every_input_token():
    with cu.full_precision():
        made, x = block(), vectors()
        for token in range(S):
            changed = x.copy()
            changed[:, token] = vectors(seed=1)[:, token]
            moved = np.abs(np.array(made(changed)) - np.array(made(x))).max(axis=-1)
            assert moved.min() > 1e-4


def test_channel_mixing_is_a_one_by_one_convolution():
    import keras

    with cu.full_precision():
        made, x = block(), vectors()
        W_3, b_3, W_4, b_4 = numbers(made.channel_mixing)
        grid = x.reshape(3, 2, 3, C)
        hidden = keras.layers.Conv2D(D_C, 1, activation="gelu")
        output = keras.layers.Conv2D(C, 1)
        output(hidden(grid))
        hidden.set_weights([W_3[None, None], b_3])
        output.set_weights([W_4[None, None], b_4])
        found = np.array(output(hidden(grid))).reshape(3, S, C)
        assert np.abs(found - np.array(made.channel_mixing(x))).max() < 1e-5


def test_it_has_two_norms_and_hidden_widths_of_its_own():
    made = block()
    expected = 4 * C + (2 * S * D_S + D_S + S) + (2 * C * D_C + D_C + C)
    assert made.count_params() == expected


def test_dropout_falls_in_training_alone():
    made, x = block(dropout=0.5), vectors()
    assert np.array_equal(made(x), made(x))
    assert np.abs(np.array(Redrawn(made)(x)) - np.array(made(x))).max() > 0.1


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
