"""Lecture 08: its NumPy and its counts, its networks, its training images, its maps."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

from course_utils import data
from course_utils.lectures import lecture_08
from course_utils.lectures.lecture_07 import gelu
from course_utils.models.mlp import MLP_SIZES
from tools.part import slice_cells
from tools.source import LECTURES, assemble

pytestmark = pytest.mark.slow

NAMES = (
    "digit_model draws shrunk shuffled with_new_head photograph_model Photographs OneSeed "
    "Varied train_on_photographs moved_to on_photographs place_maps deep_start FOUR"
).split()


@pytest.fixture(scope="module")
def lecture():
    """What the lecture defines, without running it."""
    notebook = assemble(LECTURES / "08_mixer_gmlp.py")
    code = slice_cells(notebook, f"({', '.join(NAMES)})").cells[0].source
    quiet = [line for line in code.split("\n") if not line.startswith("session = ")]
    space = {"session": SimpleNamespace(seed=0, profile="quick")}
    exec("\n".join(quiet), space)
    return SimpleNamespace(**{name: space[name] for name in NAMES})


@pytest.mark.parametrize(
    ("kind", "count"),
    [("mixer", 54_810), ("gmlp", 59_322), ("vit", 58_138), ("convnet", 56_394)],
)
def test_the_four_networks_for_digits_are_of_one_size(lecture, kind, count):
    assert kind in lecture.FOUR
    model = lecture.digit_model(kind)
    assert model.count_params() == count
    assert model(np.zeros((2, 8, 8, 1), "float32")).shape == (2, 10)


@pytest.mark.parametrize("kind", ["gmlp", "gmlp_no_W", "gmlp_no_gate", "gmlp_b_zero"])
def test_a_gate_that_is_held_does_not_learn(lecture, kind):
    model = lecture.digit_model(kind)
    gates = [layer.gate for layer in model.layers if hasattr(layer, "gate")]
    learning = {id(variable) for variable in model.trainable_variables}
    assert len(gates) == 4
    for gate in gates:
        assert (gate.b.numpy() == (kind != "gmlp_b_zero")).all()
        assert (id(gate.W) in learning) == (kind in ("gmlp", "gmlp_b_zero"))
        assert (id(gate.b) in learning) == (kind != "gmlp_no_gate")


def test_draws_take_each_example_before_any_comes_again(lecture):
    split = data.Split(np.arange(10), np.arange(10))
    drawn = lecture.draws(split, 25, seed=0)
    assert len(drawn) == 25 and np.array_equal(drawn.inputs, drawn.targets)
    assert sorted(drawn.inputs[:10]) == sorted(drawn.inputs[10:20]) == list(range(10))
    assert not np.array_equal(drawn.inputs[:10], drawn.inputs[10:20])


def test_mnist_is_shrunk_by_means_of_its_middle(lecture):
    pictures = np.zeros((1, 28, 28, 1), "float32")
    pictures[0, 2:5, 5:8] = 0.5
    pictures[0, 0, 0] = 9.0  # in the margin
    small = lecture.shrunk(data.Split(pictures, np.array([7])))
    assert small.inputs.shape == (1, 8, 8, 1) and small.targets.tolist() == [7]
    assert small.inputs[0, 0, 1, 0] == 0.5 and small.inputs.sum() == 0.5


def test_one_order_of_the_pixels_serves_all_parts(lecture):
    pictures = np.arange(128, dtype="float32").reshape(2, 8, 8, 1)
    split = lecture.shuffled(data.Split(pictures, np.zeros(2)))
    first, second = split.inputs.reshape(2, 64)
    assert sorted(first) == list(range(64)) and np.array_equal(second, first + 64)
    assert not np.array_equal(first, np.arange(64))


def test_a_new_head_sits_on_the_same_body(lecture):
    body = lecture.digit_model("gmlp")
    body.name = "gmlp"
    draw = np.random.default_rng(0)
    body.set_weights([draw.normal(size=w.shape) for w in body.get_weights()])
    fresh = lecture.with_new_head(body)
    pairs = list(zip(body.get_weights(), fresh.get_weights(), strict=True))
    assert all(np.array_equal(old, new) for old, new in pairs[:-2])
    assert not np.array_equal(*pairs[-2])


def test_photographs_are_moved_anew_in_each_epoch_and_the_others_never(lecture):
    pictures = np.random.default_rng(0).integers(0, 256, (10, 32, 32, 3)).astype("uint8")
    split = data.Split(pictures, np.arange(10))
    moved, still = (lecture.Photographs(split, 4, 10, augment) for augment in (True, False))
    assert len(moved) == 3 and moved.examples == 10
    batches = [moved[number] for number in range(3)]
    shares = np.concatenate([answers for _, answers in batches])
    assert np.array_equal(shares, np.eye(10))
    first = batches[0][0]
    assert first.dtype == np.float32 and -2 <= first.min() < first.max() <= 2
    assert np.array_equal(first, moved[0][0])
    moved.on_epoch_end()
    assert not np.array_equal(first, moved[0][0])
    before = still[0][0]
    assert before == pytest.approx((pictures[:4] / 255 - 0.5) * 4, abs=5e-7)
    still.on_epoch_end()
    assert np.array_equal(before, still[0][0])


def test_photographs_are_moved_to_the_left_as_often_as_to_the_right(lecture):
    white = data.Split(np.full((1_000, 32, 32, 1), 255, "uint8"), np.zeros(1_000, int))
    moves = {}
    for batches in (lecture.Photographs, lecture.OneSeed):
        pictures = batches(white, 1_000, 10, augment=True)[0][0][..., 0]
        moves[batches] = lecture.moved_to((pictures > 0).astype("uint8"))
    assert abs(np.sign(moves[lecture.Photographs]).mean()) < 0.1
    assert set(moves[lecture.Photographs]) == set(range(-4, 5))
    assert set(moves[lecture.OneSeed]) == set(range(5))


def test_varied_photographs_are_turned_and_recoloured_too_in_training_only(lecture):
    pictures = np.random.default_rng(0).integers(0, 256, (200, 32, 32, 3)).astype("uint8")
    split = data.Split(pictures, np.zeros(200, int))
    kinds = lecture.Varied, lecture.Photographs
    varied, plain = (kind(split, 200, 10, augment=True)[0][0] for kind in kinds)
    assert varied.dtype == plain.dtype and varied.shape == plain.shape
    brightness = (varied.mean(axis=(1, 2, 3)) + 2) / (plain.mean(axis=(1, 2, 3)) + 2)
    assert brightness.min() < 0.6 and brightness.max() > 1.2
    assert np.array_equal(*(kind(split, 200, 10)[0][0] for kind in kinds))
    white = data.Split(np.full((200, 32, 32, 3), 255, "uint8"), np.zeros(200, int))
    grey = lecture.Varied(white, 200, 10, augment=True)[0][0][..., 0]
    lit = grey >= grey.max(axis=(1, 2), keepdims=True)
    box = lit.any(axis=1, keepdims=True) & lit.any(axis=2, keepdims=True)
    assert (lit == box).all(axis=(1, 2)).mean() < 0.3


def test_a_mixer_that_starts_deaf_differs_in_one_matrix_a_block_and_learns_it_first(lecture):
    usual, model = (
        lecture.photograph_model("mixer", 32, 10, plan) for plan in ("deep", "deep_deaf")
    )
    pairs = zip(usual.get_weights(), model.get_weights(), strict=True)
    assert sum(not np.array_equal(*pair) for pair in pairs) == 8
    blocks = [layer for layer in model.layers if hasattr(layer, "token_mixing")]

    def kernels(number):
        return [block.token_mixing.layers[number].kernel.numpy() for block in blocks]

    assert len(blocks) == 8 and not np.any(kernels(-1))
    # Without weight decay, which would move what gets no gradient.
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    pictures = np.random.default_rng(0).normal(size=(8, 32, 32, 3)).astype("float32")
    first = kernels(0)
    model.train_on_batch(pictures, np.arange(8))
    assert all(np.any(kernel) for kernel in kernels(-1))
    assert np.array_equal(kernels(0), first)
    model.train_on_batch(pictures, np.arange(8))
    assert all(np.any(now != then) for now, then in zip(kernels(0), first, strict=True))


def test_photograph_models_take_other_pictures_and_a_plan_its_networks_alone(lecture):
    pets = lecture.photograph_model("mixer", 64, 37)
    assert pets(np.zeros((1, 64, 64, 3), "float32")).shape == (1, 37)
    with pytest.raises(ValueError, match="'mixer'"):
        lecture.train_on_photographs("vit", plan="long_deaf")


def test_mixed_photographs_show_their_shares_and_the_same_ones_to_every_network(lecture):
    pictures = np.repeat(np.arange(0, 250, 25, dtype="uint8"), 32 * 32 * 3)
    split = data.Split(pictures.reshape(10, 32, 32, 3), np.arange(10))
    one, other = (lecture.Photographs(split, 10, 10, mix=True) for _ in range(2))
    mixed = 0
    for _ in range(30):
        (shown, shares), again = one[0], other[0]
        assert np.array_equal(shown, again[0]) and np.array_equal(shares, again[1])
        grey = (shown.mean(axis=(1, 2, 3)) + 2) / 4 * 255
        assert grey == pytest.approx(shares @ np.arange(0, 250, 25), abs=0.01)
        mixed += not np.array_equal(shares, np.eye(10))
        one.on_epoch_end()
        other.on_epoch_end()
    assert 5 < mixed < 25


@pytest.mark.parametrize(
    ("plan", "mixer", "apart"), [((), 128_906, 1.1), (("short",), 4_493_066, 1.02)]
)
def test_photograph_models_are_of_one_size(lecture, plan, mixer, apart):
    counts = [
        lecture.photograph_model(kind, 32, 10, *plan).count_params() for kind in lecture.FOUR
    ]
    assert counts[0] == mixer
    assert max(abs(np.log(count / mixer)) for count in counts) < np.log(apart)


def test_a_map_shows_a_row_of_w_at_its_own_place(lecture):
    W = np.arange(256.0).reshape(16, 16)
    drawn = lecture.place_maps(W)
    for token in range(16):
        row, column = divmod(token, 4)
        block = drawn[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert np.array_equal(block, W[token].reshape(4, 4))


def test_a_deep_stack_grows_with_the_spread_of_w(lecture):
    cases = (1e-6, 1.0), (1.0, 1.0), (1e-6, 0.0)
    small, wild, shut = (lecture.deep_start(*case, num_layers=3) for case in cases)
    assert wild[0] > 1.5 * small[0] and shut[0] < small[0]
    assert small[1] > 0.1


def test_a_table_about_photographs_never_mixes_two_copies_of_them(lecture, monkeypatch):
    ours = "cifar10_recompressed"
    recorded = {("mixer_long", "cifar10"), ("mixer_long", ours), ("mixer_varied", ours)}

    def runs_of(model, pictures):
        return [pictures] if (model, pictures) in recorded else []

    monkeypatch.setitem(lecture.on_photographs.__globals__, "runs_of", runs_of)
    assert lecture.on_photographs("long") == {"long": {"Mixer": ["cifar10"]}}
    both = lecture.on_photographs("long", "varied")
    assert both == {"long": {"Mixer": [ours]}, "varied": {"Mixer": [ours]}}
    assert lecture.on_photographs("short") == {"short": {}}


def vectors(*shape):
    return np.random.default_rng(0).normal(size=shape)


def test_token_mixing_is_a_product_from_the_left():
    x, W_1, W_2 = vectors(2, 6, 8), vectors(6, 5), vectors(5, 6)
    mixed = lecture_08.token_mixing(x, (W_1, np.zeros(5), W_2, np.zeros(6)))
    assert np.allclose(mixed, W_2.T @ gelu(W_1.T @ x))


def test_a_gate_that_is_shut_returns_the_blocks_input():
    x = vectors(6, 8)
    weights = {"norm": [1, 0], "gate_norm": [1, 0], "U": vectors(8, 10), "b_U": vectors(10)}
    weights |= {"W": np.zeros((6, 6)), "V": vectors(5, 8), "b_V": np.zeros(8)}
    assert np.array_equal(lecture_08.gmlp_block(x, weights | {"b": np.zeros(6)}), x)
    assert np.abs(lecture_08.gmlp_block(x, weights | {"b": np.ones(6)}) - x).max() > 0.1


@pytest.mark.parametrize("tokens", [16, 64])
def test_how_near_zero_w_has_to_start(tokens):
    """1e-6 mixes nothing to 1e-4, 1e-3 does; the error grows with S."""
    z, W = vectors(tokens, 96), vectors(tokens, tokens)

    def error(deviation):
        gated = lecture_08.split_gate(z, deviation * W, np.ones(tokens))
        return np.abs(gated - z[:, :48]).max()

    assert error(1e-6) < 1e-4 < 1e-2 < error(1e-3)


@pytest.mark.parametrize("size", MLP_SIZES["mixer"])
def test_the_papers_counts_are_those_without_the_head(size):
    parts, printed = lecture_08.mixer_parameters(**MLP_SIZES["mixer"][size]), lecture_08.PRINTED
    with_head = sum(parts.values())
    assert round((with_head - parts["logits"]) / 1e6) == printed["mixer"][size]
    agrees = round(with_head / 1e6) == printed["mixer"][size]
    assert agrees == (size in ("S/32", "B/32"))


def test_the_split_halves_what_the_gate_hands_on():
    whole = lecture_08.gmlp_block_parameters(64, 256, 1024, gate="multiplicative")
    assert whole - lecture_08.gmlp_block_parameters(64, 256, 1024) == 512 * 256 + 2 * 512


def test_an_enlarged_w_gives_each_child_what_its_parent_got():
    W, z = vectors(9, 9), vectors(3, 3, 5)

    def doubled(grid):
        return grid.repeat(2, axis=0).repeat(2, axis=1).reshape(36, 5)

    large = lecture_08.double_resolution(W, 3)
    assert np.allclose(large @ doubled(z), doubled((W @ z.reshape(9, 5)).reshape(3, 3, 5)))
