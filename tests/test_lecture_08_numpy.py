"""Lecture 08 by hand: forms of token mixing, the start, printed counts, a larger picture."""

import numpy as np
import pytest

from course_utils.lectures.lecture_06 import layer_norm
from course_utils.models.mlp import MLP_SIZES
from course_utils.numpy_ref import gmlp, mixer, mlp_cost

S, C = 6, 8


def vectors(*shape):
    return np.random.default_rng(0).normal(size=shape)


def test_token_mixing_is_a_product_from_the_left():
    x, W_1, W_2 = vectors(2, S, C), vectors(S, 5), vectors(5, S)
    left = W_2.T @ mixer.gelu(W_1.T @ x)
    mixed = mixer.token_mixing(x, (W_1, np.zeros(5), W_2, np.zeros(S)))
    assert np.allclose(mixed, left)
    summed = np.einsum("bsc,sd->bdc", x, W_1)
    assert np.allclose(np.einsum("bdc,ds->bsc", mixer.gelu(summed), W_2), left)


def test_the_gelu_by_tanh_is_an_approximation():
    x = np.linspace(-5, 5, 1001)
    gap = np.abs(mixer.gelu(x) - mixer.gelu_tanh(x)).max()
    assert 4e-4 < gap < 5e-4


def block_weights(W, b, D=10):
    norms = [np.ones(C), np.zeros(C)], [np.ones(D // 2), np.zeros(D // 2)]
    weights = {"norm": norms[0], "gate_norm": norms[1], "U": vectors(C, D), "b_U": vectors(D)}
    return weights | {"W": W, "b": b, "V": vectors(D // 2, C), "b_V": np.zeros(C)}


def test_a_gate_that_is_shut_returns_the_blocks_input():
    x = vectors(S, C)
    shut = gmlp.gmlp_block(x, block_weights(np.zeros((S, S)), np.zeros(S)))
    assert np.array_equal(shut, x)
    open_gate = gmlp.gmlp_block(x, block_weights(np.zeros((S, S)), np.ones(S)))
    assert np.abs(open_gate - x).max() > 0.1


@pytest.mark.parametrize("tokens", [16, 64])
def test_how_near_zero_w_has_to_start(tokens):
    """Lecture 08: 1e-6 is deaf to 1e-4, 1e-3 is not; the error grows with S."""
    z = vectors(tokens, 96)
    norm = np.ones(48), np.zeros(48)
    W = np.random.default_rng(1).normal(size=(tokens, tokens))

    def error(deviation):
        gated = gmlp.spatial_gating_unit(z, norm, deviation * W, np.ones(tokens))
        return np.abs(gated - z[:, :48]).max()

    assert error(1e-6) < 1e-4 < 1e-2 < error(1e-3)


@pytest.mark.parametrize("size", MLP_SIZES["mixer"])
def test_the_papers_counts_are_those_without_the_head(size):
    settings = MLP_SIZES["mixer"][size]
    parts = mlp_cost.mixer_parameters(**settings)
    body = sum(parts.values()) - parts["logits"]
    assert parts["logits"] == settings["embed_dim"] * 1000 + 1000
    assert round(body / 1e6) == mlp_cost.PRINTED["mixer"][size]


def test_with_the_head_five_of_seven_counts_would_be_printed_otherwise():
    wrong = [
        size
        for size, settings in MLP_SIZES["mixer"].items()
        if round(sum(mlp_cost.mixer_parameters(**settings).values()) / 1e6)
        != mlp_cost.PRINTED["mixer"][size]
    ]
    assert wrong == ["S/16", "B/16", "L/32", "L/16", "H/14"]


def test_the_course_works_named_setting_has_four_and_a_half_million():
    named = {
        "patch": 4,
        "embed_dim": 256,
        "token_mlp_dim": 256,
        "channel_mlp_dim": 1024,
        "num_layers": 8,
    }
    parts = mlp_cost.mixer_parameters(**named, image=32, classes=10)
    assert sum(parts.values()) == 4_493_066


def test_the_split_halves_what_the_gate_hands_on():
    split = mlp_cost.gmlp_blocks(64, 256, 1024, 1)
    whole = mlp_cost.gmlp_blocks(64, 256, 1024, 1, gate="multiplicative")
    assert split["V"] - 256 == (whole["V"] - 256) / 2
    assert split["gate"] == whole["gate"] == 64 * 64 + 64


def test_a_doubled_w_tells_each_child_what_its_parent_heard():
    side = 3
    W, z = vectors(side**2, side**2), vectors(side, side, 5)
    grid = W.reshape(side, side, side, side)
    for axis in range(4):
        grid = grid.repeat(2, axis=axis)
    large = grid.reshape(4 * side**2, -1) / 4
    heard = (W @ z.reshape(-1, 5)).reshape(side, side, 5)
    doubled = z.repeat(2, axis=0).repeat(2, axis=1).reshape(-1, 5)
    assert np.allclose(
        large @ doubled, heard.repeat(2, axis=0).repeat(2, axis=1).reshape(-1, 5)
    )


def test_a_constant_added_to_a_token_is_lost_in_the_norm():
    """So it cannot show whether a block mixes; noise can."""
    x = vectors(S, C)
    assert np.allclose(layer_norm(x, 1, 0), layer_norm(x + 3, 1, 0))
