"""The Vision Transformer: NumPy, published counts, another resolution, rollout."""

import keras
import numpy as np
import pytest
from keras import ops
from redrawn import in_policy, scrambled

import course_utils as cu
from course_utils.models.transformer import VIT_SIZES, vision_transformer, vit
from lectures import lecture_07
from lectures.lecture_06 import layer_norm, multi_head, residual
from lectures.lecture_07 import attention_weights, gelu, interpolate_positions, take_weights

SIZES = {"patch": 4, "embed_dim": 12, "num_heads": 3, "mlp_dim": 20, "num_layers": 2}
SIZES |= {"classes": 7}
IMAGE, CHANNELS = (8, 12), 3


def make(image=IMAGE, **settings):
    """A small model with all weights drawn again."""
    keras.utils.set_random_seed(0)
    return scrambled(vision_transformer(image, CHANNELS, **SIZES | settings))


@pytest.fixture(scope="module", params=["class", "mean"])
def model(request):
    with cu.full_precision():
        return make(pool=request.param)


def images(height=8, width=12):
    shape = (3, height, width, CHANNELS)
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def read_out(model):
    """The model's weights as the reference takes them."""

    def block(layer):
        attention = layer.attention
        parts = (attention.query, attention.key, attention.value, attention.output_projection)
        return {
            "attention": [weight for part in parts for weight in part.get_weights()],
            "attention_norm": layer.attention_norm.get_weights(),
            "feed_forward": layer.feed_forward.get_weights(),
            "feed_forward_norm": layer.feed_forward_norm.get_weights(),
        }

    own = {layer.name: layer.get_weights() for layer in model.layers}
    blocks = [block(model.get_layer(f"block_{number}")) for number in range(2)]
    return own | {"blocks": blocks}


def block(x, weights):
    """One pre-norm encoder block with GELU: x (…, tokens, embed_dim) → the same shape."""
    W_1, b_1, W_2, b_2 = weights["feed_forward"]

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads=3)[0]

    def think(y):
        return gelu(y @ W_1 + b_1) @ W_2 + b_2

    x = residual(x, attend, weights["attention_norm"], "pre")
    return residual(x, think, weights["feed_forward_norm"], "pre")


def tokens_of(own):
    """Equation 1: patches times E, the class token in front, positions added."""
    kernel, bias = own["patches"]
    x = lecture_07.to_patches(images(), 4) @ kernel.reshape(-1, kernel.shape[-1]) + bias
    if "class_token" in own:
        x = np.concatenate([np.tile(own["class_token"][0], (3, 1, 1)), x], axis=1)
    return x + own["positions"][0]


def test_the_model_and_each_blocks_attention_are_the_equations(model):
    """Dosovitskiy et al. (2021), equations 1 to 4, block by block."""
    own = read_out(model)
    x = tokens_of(own)
    with cu.full_precision():
        weights = attention_weights(model, images())
    for own_block, found in zip(own["blocks"], weights, strict=True):
        normed = layer_norm(x, *own_block["attention_norm"])
        expected = multi_head(normed, normed, own_block["attention"], num_heads=3)[1]
        assert np.abs(found - expected).max() < 1e-5
        x = block(x, own_block)
    x = layer_norm(x, *own["final_norm"])
    W, b = own["logits"]
    expected = (x[:, 0] if "class_token" in own else x.mean(axis=1)) @ W + b
    with cu.full_precision():
        found = np.array(model(images()))
    assert found.shape == (3, 7) and found.dtype == np.float32
    assert np.abs(found - expected).max() < 1e-5 * max(1, np.abs(expected).max())
    assert np.ptp(found, axis=0).min() > 1e-3


def test_without_positions_patches_may_be_permuted():
    order = np.random.default_rng(0).permutation(6)
    shuffled = lecture_07.from_patches(lecture_07.to_patches(images(), 4)[:, order], *IMAGE, 4)
    with cu.full_precision():
        for positions, least, most in (("none", 0, 1e-4), ("learned", 0.01, np.inf)):
            model = make(positions=positions, num_layers=1)
            moved = np.abs(np.array(model(images())) - np.array(model(shuffled))).max()
            assert least <= moved <= most


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision_gives_logits_in_full(policy):
    with in_policy(policy):
        model = make(num_layers=1)
        logits = np.array(model(images()))
        weights = attention_weights(model, images())
    assert logits.dtype == np.float32 and np.isfinite(logits).all()
    assert all(part.dtype == np.float32 for part in weights)


def test_a_model_has_the_parameters_of_the_formula():
    shape = {name: value for name, value in SIZES.items() if name != "num_heads"}
    model = vision_transformer(IMAGE, CHANNELS, **SIZES)
    counted = lecture_07.vit_parameters(IMAGE, CHANNELS, **shape)
    assert model.count_params() == sum(counted.values())


def test_published_sizes_have_their_parameters():
    counts = {size: sum(lecture_07.published_parameters(size).values()) for size in VIT_SIZES}
    printed = {"Ti/16": 5_717_416, "S/16": 22_050_664, "B/32": 88_224_232, "B/16": 86_567_656}
    printed |= {"L/32": 306_535_400, "L/16": 304_326_632, "H/14": 632_045_800}
    assert counts == printed


@pytest.mark.slow
def test_a_published_size_is_built_as_counted():
    model = vit("B/16")
    assert model.count_params() == 86_567_656
    assert model.input_shape == (None, 224, 224, 3) and model.output_shape == (None, 1000)
    assert model.name == "vit_B_16"


def test_interpolation_between_four_is_known():
    corners = np.array([[9.0], [0.0], [2.0], [4.0], [6.0]])
    found = interpolate_positions(corners, (2, 2), (3, 3))
    assert found[0, 0] == 9
    assert np.abs(found[1:, 0] - [0, 1, 2, 2, 3, 4, 4, 5, 6]).max() < 1e-6
    back = interpolate_positions(found, (3, 3), (1, 1))
    assert np.abs(back[:, 0] - [9, 3]).max() < 1e-6


@pytest.mark.parametrize("new", [(3, 7), (8, 8), (2, 2)])
def test_interpolation_is_the_one_of_keras(new):
    positions = np.random.default_rng(0).normal(size=(2 + 12, 5)).astype("float32")
    found = interpolate_positions(positions, (3, 4), new, extra=2)
    how = {"interpolation": "bilinear", "antialias": False, "data_format": "channels_last"}
    grid = ops.image.resize(positions[2:].reshape(3, 4, 5), new, **how)
    assert np.array_equal(found[:2], positions[:2])
    assert np.abs(found[2:] - np.array(grid).reshape(-1, 5)).max() < 1e-5


@pytest.mark.parametrize("side", [8, 16])
def test_another_resolution_moves_the_positions_alone(side):
    with cu.full_precision():
        model = make(image=8)
        moved = take_weights(vision_transformer(side, CHANNELS, **SIZES), model)
        assert np.array(moved(images(side, side))).shape == (3, 7)
        if side == 8:
            assert np.array_equal(np.array(moved(images(8, 8))), np.array(model(images(8, 8))))
    for old, new in zip(model.weights, moved.weights, strict=True):
        before, after = (np.array(weight.numpy()) for weight in (old, new))
        if "positions" in old.path:
            expected = interpolate_positions(before, (2, 2), (side // 4, side // 4))
            assert np.array_equal(after, expected) and len(after) == 1 + (side // 4) ** 2
        else:
            assert np.array_equal(before, after)


def small(**changes):
    settings = {"image": 8, "channels": 1, **SIZES, "num_layers": 1}
    return vision_transformer(**settings | changes)


def dense_model():
    return keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Flatten()], name="flat")


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: small(image=10), "10×10 .* 4×4: its height 10 .* 8 or 12 would be"),
        (lambda: small(image=(8, 10)), "width 10 is not divisible by 4"),
        (lambda: small(image=8.0), "image has to be a whole number"),
        (lambda: small(num_layers=0), "num_layers has to be a whole number"),
        (lambda: small(pool="max"), "'class', 'mean'"),
        (lambda: small(positions="sinusoidal"), "'learned', 'none'"),
        (lambda: vit("B/8"), "'Ti/16', 'S/16', 'B/32', 'B/16', 'L/32', 'L/16', 'H/14'"),
        (lambda: vit("H/14", image=225), "225×225 .* 14×14: .* 224 or 238 would be"),
        (lambda: lecture_07.published_parameters("B/8"), "'Ti/16', 'S/16'"),
        (lambda: attention_weights(dense_model(), None), "'flat' has no TransformerEncoder"),
    ],
)
def test_wrong_arguments_are_told_what_is_allowed(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()
