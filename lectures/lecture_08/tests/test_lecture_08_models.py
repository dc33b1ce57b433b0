"""Lecture 08: its NumPy, its counts, its networks, the ablation, a student's own blocks."""

import re

import keras
import numpy as np
import pytest
from keras import ops
from redrawn import in_policy, scrambled

import course_utils as cu
from course_utils import data, layers
from course_utils.layers.mlp import GateParts, GMLPParts
from course_utils.models.mlp import MLP_SIZES
from lectures import lecture_08
from tools.source import lectures

SMALL = {"image": 8, "channels": 1, "patch": 2, "classes": 3, "num_layers": 2}


def vectors(*shape):
    return np.random.default_rng(0).normal(size=shape)


def on_one(block, *shape):
    """A Keras block as a function of one example, for `influence`."""
    if not block.built:
        block.build((None, *shape))
    return lambda x: np.array(block(x[None].astype("float32")))[0]


@pytest.mark.parametrize(
    ("build", "count"), [(lecture_08.digit_mixer, 54_810), (lecture_08.digit_gmlp, 59_322)]
)
def test_the_networks_for_digits_are_of_one_size(build, count):
    model = build()
    assert model.count_params() == count
    assert model(np.zeros((2, 8, 8, 1), "float32")).shape == (2, 10)


def test_a_mixer_is_counted_block_by_block():
    sizes = {name: lecture_08.MIXER[name] for name in MLP_SIZES["mixer"]["S/16"]}
    digits = {"image": 8, "channels": 1, "classes": 10}
    assert sum(lecture_08.mixer_parameters(**sizes, **digits).values()) == 54_810

    def none(S, C, D_S, D_C):
        return dict.fromkeys(("token mixing", "channel mixing", "norms"), 0)

    parts = lecture_08.mixer_parameters(**sizes, **digits, block=none)
    assert parts["token mixing"] == parts["channel mixing"] == 0 and parts["norms"] == 128


@pytest.mark.parametrize("size", MLP_SIZES["mixer"])
def test_the_papers_counts_are_those_without_the_classifier(size):
    parts, printed = lecture_08.mixer_parameters(**MLP_SIZES["mixer"][size]), lecture_08.PRINTED
    whole = sum(parts.values())
    assert round((whole - parts["logits"]) / 1e6) == printed["mixer"][size]
    assert (round(whole / 1e6) == printed["mixer"][size]) == (size in ("S/32", "B/32"))


def test_the_split_halves_what_the_gate_hands_on():
    whole = lecture_08.gmlp_block_parameters(64, 256, 1024, gate="multiplicative")
    assert whole - lecture_08.gmlp_block_parameters(64, 256, 1024) == 512 * 256 + 2 * 512


def test_a_gate_that_is_shut_returns_the_blocks_input():
    x = vectors(6, 8)
    weights = {"norm": [1, 0], "gate_norm": [1, 0], "U": vectors(8, 10), "b_U": vectors(10)}
    weights |= {"W": np.zeros((6, 6)), "V": vectors(5, 8), "b_V": np.zeros(8)}
    assert np.array_equal(lecture_08.gmlp_block(x, weights | {"b": np.zeros(6)}), x)
    assert np.abs(lecture_08.gmlp_block(x, weights | {"b": np.ones(6)}) - x).max() > 0.1


def test_an_enlarged_w_gives_each_child_what_its_parent_got():
    W, z = vectors(9, 9), vectors(3, 3, 5)

    def doubled(grid):
        return grid.repeat(2, axis=0).repeat(2, axis=1).reshape(36, 5)

    large = lecture_08.double_resolution(W, 3)
    assert np.allclose(large @ doubled(z), doubled((W @ z.reshape(9, 5)).reshape(3, 3, 5)))


def test_a_new_gmlp_block_mixes_no_tokens_and_a_new_mixer_block_all():
    x = vectors(6, 8)
    gmlp, mixer = layers.GMLPBlock(12), layers.MixerBlock(5, 12)
    assert np.array_equal(lecture_08.influence(on_one(gmlp, 6, 8), x), np.eye(6, dtype=bool))
    assert lecture_08.influence(on_one(mixer, 6, 8), x).all()
    assert lecture_08.influence(on_one(scrambled(gmlp), 6, 8), x).all()


def test_the_table_has_outputs_in_rows():
    shift = np.eye(4, k=1)  # output i reads input i + 1
    assert np.array_equal(lecture_08.influence(lambda x: shift @ x, vectors(4, 3)), shift > 0)


@pytest.mark.slow
@pytest.mark.parametrize("learned", lecture_08.GATES_HELD.values(), ids=str)
def test_what_a_row_of_the_ablation_holds_stays_through_training(learned):
    model = lecture_08.gmlp_model(**SMALL, embed_dim=6, mlp_dim=8)
    assert lecture_08.hold(model, *learned) is model
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    gates = [layer.gate for layer in model.layers if hasattr(layer, "gate")]
    before = [(np.array(gate.W), np.array(gate.b)) for gate in gates]
    model.train_on_batch(vectors(8, 8, 8, 1).astype("float32"), np.arange(8) % 3)
    assert len(gates) == 2
    for gate, (W, b) in zip(gates, before, strict=True):
        assert np.array_equal(gate.W, W) != learned[0]
        assert np.array_equal(gate.b, b) != learned[1]
        assert learned[0] or not W.any()
        assert (b == 1).all()


def test_the_planted_bug_has_its_symptom():
    text = lectures(["08_mixer_gmlp"])[0].read_text(encoding="utf-8")
    [code] = re.findall(r"# ```python\n((?:#.*\n)+?)# ```", text)
    names = {"ops": ops}
    exec("".join(line[2:] or "\n" for line in code.splitlines(keepends=True)), names)
    model = lecture_08.gmlp_model(**SMALL, embed_dim=6, mlp_dim=8)
    assert names["hold"](model, False, False) is model
    assert len(model.trainable_variables) == len(model.variables)
    lecture_08.hold(model, False, False)
    assert len(model.variables) - len(model.trainable_variables) == 4


def test_errors_are_compared_digit_by_digit_and_seed_by_seed():
    def runs(*lists):
        return [{"metrics": {"wrong": rows}} for rows in lists]

    assert lecture_08.wrong_in_one(runs([1, 2, 3], [4]), runs([3], [4, 5])) == (2, 1)
    with pytest.raises(ValueError, match="shorter|longer"):
        lecture_08.wrong_in_one(runs([1]), runs([1], [2]))


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
def test_float16_cannot_hold_the_gradients_of_blank_patches(precision):
    """Two norms of zeros make a gradient a million times as large: no loss scale helps."""
    keras.utils.set_random_seed(0)
    with in_policy(f"mixed_{precision}"):
        model = lecture_08.digit_gmlp()
    split = data.load_digits().train.take(slice(64))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, auto_scale_loss=False)
    model.train_on_batch(split.inputs, split.targets)
    finite = all(np.isfinite(weight).all() for weight in model.get_weights())
    assert finite == (precision == "bfloat16")


class OwnMixer(layers.MixerBlock):
    """A student's block: right, by other code."""

    def call(self, x):
        first, second = self.token_mixing.layers
        y = ops.einsum("bsc,sd->bdc", self.token_norm(x), first.kernel) + first.bias[:, None]
        y = ops.einsum("bdc,ds->bsc", ops.gelu(y, approximate=False), second.kernel)
        u = x + y + second.bias[:, None]
        return self.channel_mixing(self.channel_norm(u)) + u


class OwnGate(GateParts):
    def call(self, z):
        half = z.shape[-1] // 2
        mixed = ops.einsum("ij,bjc->bic", self.W, self.norm(z[..., half:]))
        return (mixed + ops.reshape(self.b, (-1, 1))) * z[..., :half]


class OwnGMLP(GMLPParts):
    gate_layer = OwnGate

    def call(self, x):
        return self.V(self.gate(self.U(self.norm(x)))) + x


@pytest.mark.parametrize(
    ("build", "own"),
    [
        (lecture_08.digit_mixer, OwnMixer),
        (lecture_08.digit_gmlp, OwnGMLP),
        (lecture_08.digit_gmlp, lecture_08.GMLPBlock),
    ],
    ids=["mixer", "gmlp", "as the lecture shows it"],
)
def test_a_students_own_blocks_compute_what_the_courses_do(build, own):
    mine, course = build(own), scrambled(build())
    assert sum(isinstance(layer, own) for layer in mine.layers) >= 3
    mine.set_weights(course.get_weights())
    images = data.load_digits().test.inputs[:4]
    with cu.full_precision():
        assert np.abs(np.array(mine(images)) - np.array(course(images))).max() < 1e-4
