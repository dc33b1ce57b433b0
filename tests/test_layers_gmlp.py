"""gMLP's block and gate: equal to NumPy, the start, leaks, pads, Toeplitz, tiny attention."""

import numpy as np
import pytest
from redrawn import scrambled

import course_utils as cu
from course_utils.layers.mlp import GATES, GMLPBlock, SpatialGatingUnit
from lectures import lecture_08
from lectures.lecture_06 import layer_norm
from lectures.lecture_07 import gelu
from lectures.lecture_08b import block_weights, toeplitz

S, C, D = 6, 8, 10
KINDS = [
    *({"gate": gate} for gate in GATES),
    {"causal": True},
    {"toeplitz": True},
    {"toeplitz": True, "causal": True, "gate": "additive"},
    {"tiny_attention": 4},
    {"tiny_attention": 4, "causal": True, "toeplitz": True},
    {"tiny_attention": 4, "gate": "multiplicative"},
]
REAL = np.arange(S) < np.array([[S], [4], [1]])


def name_of(kind):
    return " ".join(str(part) for part in kind.values())


def vectors(tokens=S, seed=0, channels=C):
    shape = (3, tokens, channels)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def fresh(**settings):
    import keras

    keras.utils.set_random_seed(0)
    made = GMLPBlock(D, **settings)
    made.build((None, S, C))
    return made


def block(**settings):
    return scrambled(fresh(**settings))


def by_distance(t, causal):
    """W of the weights by distance; a causal W has those of 0 and more only."""
    return toeplitz(np.concatenate([np.zeros(len(t) - 1), t]) if causal else t)


def weights_of(made):
    """The block's weights as the reference takes them."""
    weights = block_weights(made)
    if made.gate.toeplitz:
        weights["W"] = by_distance(weights["W"], made.gate.causal)
    return weights


@pytest.mark.parametrize("padding_mask", [None, REAL], ids=["whole", "padded"])
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_a_block_is_the_numpy_block(kind, padding_mask):
    with cu.full_precision():
        made, x = block(**kind), vectors()
        found = np.array(made(x, mask=padding_mask))
    expected = lecture_08.gmlp_block(
        x, weights_of(made), kind.get("gate", "split"), kind.get("causal", False), padding_mask
    )
    assert np.abs(found - expected).max() < 1e-5 * max(1, np.abs(expected).max())


def feed_forward(x, weights, width):
    """The block with a gate that is shut to other tokens: Z, or its first half, as it is."""
    z = gelu(layer_norm(x, *weights["norm"]) @ weights["U"] + weights["b_U"])
    return x + z[..., :width] @ weights["V"] + weights["b_V"]


@pytest.mark.parametrize("toeplitz", [False, True])
@pytest.mark.parametrize("gate", ["split", "multiplicative", "additive"])
def test_a_new_block_is_a_plain_feed_forward(gate, toeplitz):
    with cu.full_precision():
        made, x = fresh(gate=gate, toeplitz=toeplitz), vectors()
        width = D // 2 if gate == "split" else D
        plain = feed_forward(x, weights_of(made), width)
        assert np.abs(np.array(made(x)) - plain).max() < 1e-3
        assert np.abs(plain - x).max() > 0.1
        wide = fresh(gate=gate, toeplitz=toeplitz, spread=0.3)
        plain = feed_forward(x, weights_of(wide), width)
        assert np.abs(np.array(wide(x)) - plain).max() > 0.01
        changed = x.copy()
        changed[:, 2] = vectors(seed=1)[:, 2]
        moved = np.abs(np.array(made(changed)) - np.array(made(x))).max(axis=(0, 2))
        assert np.delete(moved, 2).max() < 1e-3 and moved[2] > 0.1


@pytest.mark.parametrize("gate", GATES)
def test_b_starts_at_one_where_it_multiplies_and_w_near_zero_but_for_linear(gate):
    made = SpatialGatingUnit(gate)
    made.build((None, 50, D))
    b, W = made.b.numpy(), made.W.numpy()
    assert b.shape == (50,) and (b == (gate in ("multiplicative", "split"))).all()
    limit = (3 / 50) ** 0.5 if gate == "linear" else 1e-4 / 50
    assert 0.9 * limit < np.abs(W).max() <= limit


@pytest.mark.parametrize("causal", [False, True])
def test_toeplitz_w_has_one_weight_a_distance(causal):
    gate = block(toeplitz=True, causal=causal).gate
    t, W = gate.W.numpy(), np.array(gate.matrix())
    for i, j in np.ndindex(S, S):
        later = causal and j > i
        assert W[i, j] == (0 if later else t[i - j + (0 if causal else S - 1)])


@pytest.mark.parametrize("kind", [*KINDS[:4], KINDS[5], KINDS[7], KINDS[9]], ids=name_of)
def test_a_block_counts_as_the_formula(kind):
    assert block(**kind).count_params() == lecture_08.gmlp_block_parameters(S, C, D, **kind)
