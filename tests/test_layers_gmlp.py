"""gMLP's block and gate: equal to NumPy, the start, leaks, pads, Toeplitz, tiny attention."""

import numpy as np
import pytest
from redrawn import Redrawn, scrambled

import course_utils as cu
from course_utils.layers.mlp import GATES, GMLPBlock, SpatialGatingUnit, TinyAttention
from course_utils.lectures import lecture_08
from course_utils.lectures.lecture_06 import layer_norm
from course_utils.lectures.lecture_07 import gelu
from course_utils.lectures.lecture_08b import toeplitz

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
CAUSAL = [kind for kind in KINDS if kind.get("causal")]
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


def numbers(layer):
    return [weight.numpy() for weight in layer.weights]


def by_distance(t, causal):
    """W of the weights by distance; a causal W has those of 0 and more only."""
    return toeplitz(np.concatenate([np.zeros(len(t) - 1), t]) if causal else t)


def weights_of(made):
    """The block's weights as the reference takes them."""
    U, b_U = numbers(made.U)
    V, b_V = numbers(made.V)
    gate_norm = numbers(made.gate.norm)
    weights = {"norm": numbers(made.norm), "gate_norm": gate_norm, "U": U, "b_U": b_U}
    weights |= {"W": made.gate.W.numpy(), "b": made.gate.b.numpy(), "V": V, "b_V": b_V}
    if made.gate.toeplitz:
        weights["W"] = by_distance(weights["W"], made.gate.causal)
    if made.attention is not None:
        weights["attention"] = [
            *numbers(made.attention.query_key_value),
            *numbers(made.attention.output_projection),
        ]
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


def feed_forward(x, weights, width=D):
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


def test_a_row_of_w_is_about_an_output_token():
    with cu.full_precision():
        made = SpatialGatingUnit("linear")
        made.build((None, S, C))
        W = np.zeros((S, S))
        W[4, 1] = 1.0
        made.W.assign(W)
        found = np.array(made(vectors()))
    assert not np.delete(found, 4, axis=1).any() and np.abs(found[:, 4]).max() > 0.1


@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("kind", CAUSAL, ids=name_of)
def test_a_causal_block_does_not_see_later_tokens(kind, dropout):
    made, x = block(dropout=dropout, **kind), vectors()
    look = Redrawn(made) if dropout else made
    changed = x.copy()
    changed[:, 3] = vectors(seed=1)[:, 3]
    before, after = np.array(look(x)), np.array(look(changed))
    assert np.array_equal(before[:, :3], after[:, :3])
    assert np.abs(before - after)[:, 3:].max(axis=(0, 2)).min() > 1e-4
    free = block(**kind | {"causal": False})
    assert np.abs(np.array(free(x)) - np.array(free(changed)))[:, :3].max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
def test_toeplitz_is_the_full_w_that_it_stands_for(causal):
    with cu.full_precision():
        tied, full = block(toeplitz=True, causal=causal), block(causal=causal)
        t, W = tied.gate.W.numpy(), np.array(tied.gate.matrix())
        assert t.shape == ((S,) if causal else (2 * S - 1,))
        for i in range(S):
            for j in range(S):
                later = causal and j > i
                assert W[i, j] == (0 if later else t[i - j + (0 if causal else S - 1)])
        assert np.array_equal(W, by_distance(t, causal))
        for one, other in zip(full.weights, tied.weights, strict=True):
            one.assign(W if one is full.gate.W else other)
        assert np.abs(np.array(full(vectors())) - np.array(tied(vectors()))).max() < 1e-5
    assert full.count_params() - tied.count_params() == S * S - len(t)


def test_every_tied_weight_learns_from_all_its_places():
    import keras

    made = SpatialGatingUnit("additive", toeplitz=True)
    inputs = keras.Input((S, C))
    model = keras.Model(inputs, made(inputs))
    model.compile(keras.optimizers.SGD(1.0), "mse")
    before = made.W.numpy()
    model.train_on_batch(vectors(), vectors(seed=1))
    assert (made.W.numpy() != before).all()


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_what_stands_in_pads_changes_no_real_token(kind):
    with cu.full_precision():
        made, x = block(**kind), vectors()
        before = np.array(made(x, mask=REAL))
        for other in (vectors(seed=1), np.full_like(x, np.inf)):
            after = np.array(made(np.where(REAL[..., None], x, other), mask=REAL))
            if np.isfinite(other).all() or not kind.get("tiny_attention"):
                assert np.array_equal(before[REAL], after[REAL])
        unmasked = np.array(made(x))
        assert np.abs(before - unmasked)[1:][REAL[1:]].max() > 1e-3 or kind.get("causal")


def test_the_mask_comes_from_the_input_and_goes_on():
    import keras

    ids = np.array([[3, 4, 5, 6, 0, 0]])
    x = keras.layers.Embedding(9, C, mask_zero=True)(ids)
    made = block(tiny_attention=4)
    found = made(x)
    assert np.array_equal(found._keras_mask, ids != 0)
    assert np.array_equal(found, made(np.array(x), mask=ids != 0))
    assert np.abs(np.array(found) - np.array(made(np.array(x)))).max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
def test_tiny_attention_is_the_numpy_one(causal):

    with cu.full_precision():
        made = TinyAttention(5, 4, causal=causal)
        made.build((None, S, C))
        x = vectors()
        found = np.array(scrambled(made)(x, mask=REAL))
    mask = REAL[:, None] & (np.tril(np.ones((S, S), bool)) if causal else np.ones((S, S), bool))
    expected = lecture_08.tiny_attention(x, *numbers(made), mask)
    assert found.shape == (3, S, 5) and np.abs(found - expected).max() < 1e-5
    assert TinyAttention(5).key_dim == 64
    assert made.count_params() == (C * 12 + 12) + (4 * 5 + 5)


@pytest.mark.parametrize("kind", [*KINDS[:4], KINDS[5], KINDS[7], KINDS[9]], ids=name_of)
def test_a_block_counts_as_the_formula(kind):
    assert block(**kind).count_params() == lecture_08.gmlp_block_parameters(S, C, D, **kind)


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[6], KINDS[8]], ids=name_of)
def test_a_block_is_remade_and_saved(kind, tmp_path):
    import keras

    again = GMLPBlock.from_config(block(dropout=0.3, **kind).get_config())
    assert again.get_config() == block(dropout=0.3, **kind).get_config() | {"name": again.name}
    inputs = keras.Input((S, C))
    model = scrambled(keras.Model(inputs, GMLPBlock(D, **kind)(inputs)))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(model(vectors()), loaded(vectors()))


@pytest.mark.parametrize("layer", [SpatialGatingUnit("additive", True, True), TinyAttention(5)])
def test_the_parts_are_remade_from_their_config(layer):
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("kind", [KINDS[3], KINDS[-2]], ids=name_of)
def test_half_precision_stays_close(kind, policy):
    import keras

    before = keras.config.dtype_policy()
    expected = np.array(block(**kind)(vectors(), mask=REAL))
    keras.config.set_dtype_policy(policy)
    try:
        half = block(**kind)(vectors(), mask=REAL)
        found = keras.ops.convert_to_numpy(keras.ops.cast(half, "float32"))
    finally:
        keras.config.set_dtype_policy(before)
    assert np.abs(found - expected)[REAL].max() < 0.03 * np.abs(expected).max()


def test_another_number_of_tokens_is_refused_with_the_reason():
    made = block()
    for tokens in (S - 1, S + 1, 1):
        with pytest.raises(ValueError, match=f"for 6 tokens and cannot take {tokens}: the wei"):
            made(vectors(tokens))
    with pytest.raises(ValueError, match="fixed number of tokens"):
        GMLPBlock(D).build((None, None, C))


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: GMLPBlock(7), "split gate needs an even mlp_dim, got 7"),
        (lambda: SpatialGatingUnit().build((None, S, 7)), "needs an even width, got 7"),
        (
            lambda: SpatialGatingUnit("half"),
            "'half': choose one of 'linear', 'additive', 'multiplicative', 'split'",
        ),
        (lambda: SpatialGatingUnit(spread=-1), "spread"),
        (lambda: SpatialGatingUnit(spread="big"), "spread"),
        (lambda: GMLPBlock(8, "none"), "choose one of 'linear'"),
        (lambda: GMLPBlock(0), "mlp_dim has to be a whole number of at least 1"),
        (lambda: GMLPBlock(8, tiny_attention=-1), "tiny_attention has to be a whole number"),
        (lambda: GMLPBlock(8, dropout=2), "dropout has to be a share"),
        (lambda: TinyAttention(4, 0), "key_dim has to be a whole number"),
    ],
)
def test_wrong_settings_are_told(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()
    assert GMLPBlock(7, "additive").settings["mlp_dim"] == 7
