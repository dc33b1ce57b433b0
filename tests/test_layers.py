"""What every layer has to hold: reloading, half precision, learning, masks, leaks, refusals."""

import keras
import numpy as np
import pytest
from keras import ops
from redrawn import Redrawn, in_policy, scrambled, unmoved

from course_utils import layers
from course_utils.layers.mlp import GATES
from lectures.lecture_03.cells import LSTMCell
from lectures.lecture_03c.cells import CoupledLSTMCell, PeepholeLSTMCell

TOKENS, KEYS, DIM, HEADS = 6, 5, 8, 4
BLOCK = {"embed_dim": DIM, "num_heads": HEADS, "mlp_dim": 12, "dropout": 0.3}
MULTI = {"embed_dim": 12, "num_heads": 4, "dropout": 0.3}
MIXER = {"token_mlp_dim": 5, "channel_mlp_dim": 12}
ATTENTION = {
    "scaled": (layers.ScaledDotProductAttention, {"dropout": 0.3}),
    "bahdanau": (layers.BahdanauAttention, {"units": 5}),
    "dot": (layers.LuongAttention, {"units": 5, "score": "dot"}),
    "general": (layers.LuongAttention, {"units": 5, "score": "general"}),
    "multi head": (layers.MultiHeadAttention, MULTI),
    "decoder pre": (layers.TransformerDecoderBlock, BLOCK),
    "decoder post": (layers.TransformerDecoderBlock, BLOCK | {"norm": "post"}),
}
WIDTH = {"mlp_dim": 10, "dropout": 0.3}
GMLP = {
    "tied": {"toeplitz": True, "causal": True, "gate": "additive"},
    "tiny": {"tiny_attention": 4},
    "tiny causal": {
        "tiny_attention": 4,
        "causal": True,
        "gate": "multiplicative",
        "mlp_dim": 9,
    },
}
TEXTS = {
    "encoder pre": (layers.TransformerEncoderBlock, BLOCK),
    "encoder post": (layers.TransformerEncoderBlock, BLOCK | {"norm": "post"}),
    "gpt pre": (layers.TransformerDecoderBlock, BLOCK | {"cross": False}),
    "gpt post": (layers.TransformerDecoderBlock, BLOCK | {"cross": False, "norm": "post"}),
    "sinusoidal": (layers.SinusoidalPositions, {"max_length": 60}),
    "learned": (layers.LearnedPositions, {"max_length": 60}),
    "class token": (layers.ClassToken, {}),
    "attention in a gate": (layers.TinyAttention, {"output_dim": 5, "key_dim": 3}),
    **{f"gate {gate}": (layers.SpatialGatingUnit, {"gate": gate}) for gate in GATES},
    **{f"gmlp {name}": (layers.GMLPBlock, WIDTH | more) for name, more in GMLP.items()},
}
OTHERS = {
    "mixer": (layers.MixerBlock, MIXER),
    "size": (layers.FixedSize, {"size": (TOKENS, DIM)}),
    "average": (layers.MaskedAveragePooling1D, {}),
    "patches": (layers.PatchEmbedding, {"embed_dim": 5, "patch": 2}),
    "lstm": (LSTMCell, {"units": 5, "forget_bias": 2.0}),
    "peephole": (PeepholeLSTMCell, {"units": 5}),
    "coupled": (CoupledLSTMCell, {"units": 5}),
}
ALL = ATTENTION | TEXTS | OTHERS
HALF = [kind for kind in ALL if kind != "size"]
LEARN = [kind for kind in ALL if kind not in ("scaled", "size", "sinusoidal", "average")]
READERS = ("encoder", "attention", "gate", "gmlp tiny")
MASKED = [*ATTENTION, *(k for k in TEXTS if k.startswith(READERS) and k != "gmlp tiny causal")]
CAUSAL = ["decoder pre", "decoder post", "gpt pre", "gpt post", "gmlp tied", "gmlp tiny causal"]


def make(kind):
    layer, settings = ALL[kind]
    return layer(**settings)


def vectors(tokens=TOKENS, seed=0, channels=DIM):
    shape = (3, tokens, channels)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def given(kind):
    if kind == "patches":
        return [vectors(16).reshape(3, 4, 8, 4)]
    return [vectors(), vectors(KEYS, seed=1)] if kind in ATTENTION else [vectors()]


def model_for(kind):
    """The layer as a model, with all its weights drawn again."""
    keras.utils.set_random_seed(0)
    inputs = [keras.Input(x.shape[1:]) for x in given(kind)]
    layer = make(kind)
    if kind in ("lstm", "peephole", "coupled"):
        layer = keras.layers.RNN(layer)
    return scrambled(keras.Model(inputs, layer(*inputs)))


def test_every_layer_is_in_the_table():
    assert {
        layer.__name__ for layer, _ in ALL.values() if layer.__module__.startswith("course")
    } == {name for name in dir(layers) if isinstance(getattr(layers, name), type)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_a_layer_is_remade_from_its_config_and_reloads_with_equal_outputs(kind, tmp_path):
    layer, model = make(kind), model_for(kind)
    assert type(layer).from_config(layer.get_config()).get_config() == layer.get_config()
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(model(given(kind)), again(given(kind)))


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("kind", HALF)
def test_half_precision_stays_close_where_a_row_has_no_token_too(kind, policy):
    def ask(model):
        real = np.arange(TOKENS) < np.array([[6], [3], [0]])
        if kind in MASKED:
            return called(model.layers[-1], vectors(), real, kind)
        return model(given(kind))

    expected = np.array(ask(model_for(kind)))
    with in_policy(policy):
        model = model_for(kind)
    found = ask(model)
    assert found.dtype == policy.removeprefix("mixed_")
    assert all(weight.dtype == "float32" for weight in model.trainable_weights)
    error = np.array(ops.cast(found, "float32")) - expected
    assert np.abs(error).max() < 0.04 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEARN)
def test_every_weight_learns(kind):
    model = model_for(kind)
    before = model.get_weights()
    model.compile(keras.optimizers.SGD(1.0), "mse", run_eagerly=True)
    model.train_on_batch(given(kind), np.ones(model(given(kind)).shape))
    assert unmoved(model, before) == []


def called(layer, x, mask, kind):
    """The layer's output for x, whose tokens are real where the mask is True."""
    if kind in ATTENTION:
        name = {"scaled": "attention_mask"}.get(kind, "value_mask")
        name = "encoded_mask" if kind.startswith("decoder") else name
        return layer(vectors(), x, **{name: mask[:, None] if kind == "scaled" else mask})
    return layer(x, mask=mask)


@pytest.mark.parametrize("kind", MASKED)
def test_what_stands_in_pads_changes_nothing_and_words_there_do(kind):
    layer = make(kind)
    x, real = vectors(), np.arange(TOKENS) < np.array([[6], [4], [1]])
    called(layer, x, real, kind)
    scrambled(layer)
    seen = slice(None) if kind in ATTENTION else real
    before = np.array(called(layer, x, real, kind))[seen]
    other = np.where(real[..., None], x, vectors(seed=1))
    assert np.array_equal(before, np.array(called(layer, other, real, kind))[seen])
    everywhere = np.array(called(layer, other, np.ones_like(real), kind))[seen]
    assert np.abs(before - everywhere).max() > 1e-3
    if not kind.startswith(("gate", "gmlp")):
        longer = np.pad(x, ((0, 0), (0, 50), (0, 0)), constant_values=2.0)
        longer = np.array(called(layer, longer, np.pad(real, ((0, 0), (0, 50))), kind))
        longer = longer if kind in ATTENTION else longer[:, :TOKENS]
        assert np.abs(before - longer[seen]).max() < 1e-5


@pytest.mark.parametrize("pad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", MASKED)
def test_a_number_that_is_none_reaches_no_real_token_from_a_pad(kind, pad):
    layer = make(kind)
    x, real = vectors(), np.arange(TOKENS) < np.array([[6], [4], [0]])
    called(layer, x, real, kind)
    scrambled(layer)
    seen = slice(None) if kind in ATTENTION else real
    before = np.array(called(layer, x, real, kind))[seen]
    x[~real] = pad
    after = np.array(called(layer, x, real, kind))[seen]
    assert np.isfinite(after).all()
    assert np.array_equal(before, after)


@pytest.mark.parametrize("dropout", [False, True])
@pytest.mark.parametrize("kind", CAUSAL)
def test_a_later_token_changes_nothing_before_it(kind, dropout):
    layer = make(kind)
    rest = [vectors(KEYS, seed=1)] if kind in ATTENTION else []
    x, changed = vectors(), vectors()
    changed[:, 3] = vectors(seed=1)[:, 3]
    layer(x, *rest)
    scrambled(layer)
    look = Redrawn(layer) if dropout else layer
    before, after = np.array(look(x, *rest)), np.array(look(changed, *rest))
    assert np.array_equal(before[:, :3], after[:, :3])
    assert np.abs(before - after)[:, 3:].max(axis=(0, 2)).min() > 1e-4
    assert not dropout or np.abs(before - np.array(layer(x, *rest))).max() > 1e-3


@pytest.mark.parametrize("kind", TEXTS)
def test_a_mask_comes_from_the_input_and_goes_on(kind):
    ids = np.array([[3, 4, 5, 6, 0, 0]])
    layer, x = make(kind), keras.layers.Embedding(9, DIM, mask_zero=True)(ids)
    mask = layer(x)._keras_mask
    front = [True] if kind == "class token" else []
    assert np.array_equal(mask, [[*front, True, True, True, True, False, False]])
    scrambled(layer)
    if kind in MASKED:
        found = np.array(layer(x))
        assert np.array_equal(found, layer(np.array(x), mask=ids != 0))
        assert np.abs(found - np.array(layer(np.array(x)))).max() > 1e-3


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: layers.MultiHeadAttention(8, 3), "divisible by num_heads, got 8 and 3"),
        (lambda: layers.MultiHeadAttention(8, 0), "num_heads"),
        (lambda: layers.MultiHeadAttention(8, 2.0), "num_heads"),
        (lambda: layers.LuongAttention(4, "additive"), "'dot', 'general'"),
        (lambda: layers.LuongAttention(4)(vectors(), vectors()[..., :5]), "choose 'general'"),
        (lambda: layers.TransformerEncoderBlock(8, 2, 4, norm="mid"), "'pre', 'post'"),
        (lambda: make("decoder pre")(vectors()), "cross=True needs"),
        (lambda: make("gpt pre")(vectors(), vectors()), "takes none"),
        (lambda: layers.SinusoidalPositions(0), "max_length"),
        (lambda: layers.SinusoidalPositions(9)(vectors()[..., :7]), "7 channels are odd"),
        (lambda: layers.SinusoidalPositions(5)(vectors()), "6 tokens, .* only 5 positions"),
        (lambda: layers.LearnedPositions(5)(vectors()), "6 tokens, .* only 5 positions"),
        (lambda: layers.MixerBlock(4, 4)(vectors()[0]), "batch, tokens, channels"),
        (lambda: layers.MixerBlock(4, 4).build((None, None, 8)), "fixed number of tokens"),
        (lambda: layers.GMLPBlock(8).build((None, None, 8)), "fixed number of tokens"),
        (lambda: layers.GMLPBlock(7), "even mlp_dim, got 7"),
        (lambda: layers.GMLPBlock(8, "none"), "choose one of 'linear'"),
        (lambda: layers.SpatialGatingUnit().build((None, 6, 7)), "even width, got 7"),
        (lambda: layers.SpatialGatingUnit("half"), "'additive', 'multiplicative', 'split'"),
        (lambda: layers.SpatialGatingUnit(spread=-1), "spread"),
        (lambda: layers.SpatialGatingUnit(spread="big"), "spread"),
        (lambda: layers.PatchEmbedding(4, 2.0), "patch"),
        (lambda: PeepholeLSTMCell(0), "units"),
    ],
)
def test_wrong_arguments_are_refused_by_name(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()


@pytest.mark.parametrize("kind", ["mixer", "gmlp tiny", "gate split"])
def test_another_number_of_tokens_is_refused_with_the_reason(kind):
    layer = make(kind)
    layer(vectors())
    for tokens in (TOKENS - 1, TOKENS + 1, 1):
        with pytest.raises(ValueError, match=f"for 6 tokens and cannot take {tokens}: the wei"):
            layer(vectors(tokens))
