"""Lecture 07: counts, order, maps, resolution, transfer; a student's own network."""

import linecache

import keras
import numpy as np
import pytest
from keras import ops

import course_utils as cu
from course_utils.layers import LearnedPositions, TransformerEncoderBlock
from course_utils.layers.transformer import new_norm
from course_utils.layers.vision import FrontToken, PatchLayer
from lectures import lecture_07
from lectures.lecture_07 import attention_weights, transfer
from lectures.lecture_07 import digits as on_digits
from lectures.lecture_07.digits import VIT, digit_convnet, digit_vit
from tools.shows import built


@pytest.fixture(scope="module")
def digits():
    return cu.data.load_digits()


def fresh(**changes):
    keras.utils.set_random_seed(0)
    return digit_vit(**changes)


def test_sizes_are_those_that_the_lecture_says():
    assert digit_vit().count_params() == 58_234
    assert digit_convnet().count_params() == 56_714
    assert lecture_07.suspect_vit().count_params() == 58_234 - 17 * 48


def test_the_parts_of_a_published_size():
    count = lecture_07.published_parameters("L/16")
    assert count["projection"] == 787_456
    assert count["class token"] + count["positions"] == 202_752
    assert count["attention"] == 24 * 4_198_400
    large = lecture_07.published_parameters("B/16", 384)
    small = lecture_07.published_parameters("B/16")
    assert sum(large.values()) == 86_859_496
    assert {part for part in small if small[part] != large[part]} == {"positions"}


@pytest.mark.parametrize("image", [8, 12])
def test_the_formula_counts_what_runs(image):
    shape = VIT | {"image": image}
    x = np.ones((1, image, image, 1), "float32")
    model = fresh(image=image)
    del shape["num_heads"]
    counted = lecture_07.counted_products(model, x)
    assert counted == sum(lecture_07.multiplications(**shape).values())
    assert lecture_07.counted_products(model, np.repeat(x, 3, axis=0)) == 3 * counted
    before = ops.matmul
    with pytest.raises(ValueError):
        lecture_07.counted_products(model, x[:, 1:])
    assert ops.matmul is before


def test_shuffled_patches_move_the_logits_only_with_positions(digits):
    order = np.random.default_rng(4).permutation(16)
    some = digits.test.inputs[:5]
    with cu.full_precision():
        keras.utils.set_random_seed(0)
        models = digit_vit(), lecture_07.suspect_vit(), digit_convnet()
        moved = [lecture_07.moved_by_shuffling(model, some, 2, order) for model in models]
    assert moved[0] > 1e-3 and moved[1] < 1e-4 and moved[2] > 1e-3


def test_stretching_the_list_is_not_the_plane():
    ways = lecture_07.INTERPOLATIONS
    table = np.concatenate([[[9.0]], np.arange(16.0)[:, None]])
    plane, as_list, new = (ways[way](table, (4, 4), (6, 6)) for way in ways)
    assert plane[0, 0] == as_list[0, 0] == new[0, 0] == 9
    # In the plane the position below is a row of the old grid further on, in the list less.
    assert np.isclose(plane[15 + 6, 0] - plane[15, 0], 4 * 4 / 6)
    assert np.isclose(as_list[15 + 6, 0] - as_list[15, 0], 6 * 16 / 36)
    assert np.array_equal(ways["as a list"](table, (4, 4), (4, 4)), table)
    assert np.abs(new[1:]).max() < 0.2


def test_blank_patches_change_nothing_and_maps_are_compared_where_there_is_ink():
    class Brightness:
        def predict(self, images, **_):
            return np.repeat(images.reshape(len(images), -1).sum(axis=1)[:, None], 10, axis=1)

    images = np.zeros((2, 8, 8, 1), "float32")
    images[:, :2, :2] = 1.0
    falls = lecture_07.blanked(Brightness(), images, np.array([3, 7]))
    assert np.allclose(falls[:, 0], 4) and np.allclose(falls[:, 1:], 0)


def test_maps_of_a_model_agree_with_themselves(digits, monkeypatch):
    images, labels = digits.test.inputs[:20], digits.test.targets[:20]
    ink = lecture_07.to_patches(images, 2).sum(axis=-1)
    monkeypatch.setattr(lecture_07, "blanked", lambda *_: ink)
    found = lecture_07.agreement(fresh(), images, labels)
    assert np.isclose(found["ink"], 1) and abs(found["rollout"]) < 0.6


def test_figures_are_drawn_apart_and_come_again():
    images, labels = transfer.draw_figures(500, seed=[3, 1])
    again, _ = transfer.draw_figures(500, seed=[3, 1])
    assert images.shape == (500, 8, 8, 1) and np.array_equal(images, again)
    assert images.min() == 0 and 0.9 < images.max() <= 1 and set(labels) == set(range(10))
    means = [images[labels == k].mean(axis=0) for k in range(10)]
    apart = [np.abs(a - b).mean() for i, a in enumerate(means) for b in means[:i]]
    assert min(apart) > 0.02 and len({one.tobytes() for one in images}) == 500


def test_the_source_names_its_classes(monkeypatch):
    settings = transfer.PRETRAINING | {"images": 50}
    monkeypatch.setattr(transfer, "PRETRAINING", settings)
    source = transfer.load_source("figures")
    assert source.class_names == tuple(transfer.FIGURES) and len(source.train) == 50
    assert source.licence == "CC0"


def test_fine_tuning_starts_from_all_but_the_head():
    keras.utils.set_random_seed(1)
    trained, model = digit_vit(), digit_vit()
    head = model.get_weights()[-2:]
    lecture_07.take_weights(model, trained, head=False)
    assert all(map(np.array_equal, model.get_weights()[:-2], trained.get_weights()[:-2]))
    assert all(map(np.array_equal, model.get_weights()[-2:], head))


@pytest.mark.slow
def test_a_start_is_given_to_every_run_of_the_grid(monkeypatch, digits):
    seen, rates = [], []

    def train(model, data, rate, seed):
        rates.append(rate)
        run = cu.training.Run.__new__(cu.training.Run)
        run.best = lambda metric: 1.0 - abs(rate - 8e-3)
        run.record = lambda *arguments, **metrics: seen.append((run.seed, metrics))
        return run

    monkeypatch.setattr(on_digits, "train_on_images", train)
    started = []

    def start(model, seed):
        started.append(seed)

    on_digits.record_digits("none", "none", digit_vit, 100, start=start, seeds=range(3))
    assert started == [0, 1] * 6 + [2] and rates[-1] == 8e-3
    assert [seed for seed, _ in seen] == [0, 1, 2]
    wrong = seen[0][1]["wrong"]
    assert np.isclose(seen[0][1]["test_accuracy"], 1 - len(wrong) / 397)


class OwnPatches(PatchLayer):
    """As a student may write it: by reshape and Dense."""

    called = 0

    def build(self, shape):
        self.dense = keras.layers.Dense(self.embed_dim)
        self.dense.build((None, None, self.patch**2 * shape[-1]))

    def call(self, images):
        self.check(images.shape)
        OwnPatches.called += 1
        (height, width, channels), p = images.shape[1:], self.patch
        cut = ops.reshape(images, (-1, height // p, p, width // p, p, channels))
        rows = (-1, height * width // p**2, p * p * channels)
        return self.dense(ops.reshape(ops.transpose(cut, (0, 1, 3, 2, 4, 5)), rows))


class OwnToken(FrontToken):
    """As a student may write it: a weight with three axes."""

    called = 0

    def build(self, shape):
        self.token = self.add_weight(shape=(1, 1, shape[-1]), initializer="zeros")

    def call(self, x):
        OwnToken.called += 1
        return ops.concatenate([ops.tile(self.token, (ops.shape(x)[0], 1, 1)), x], axis=1)


@pytest.fixture(scope="module")
def own_vit():
    """The assembly on a student's own layers, as the notebook runs it."""
    scope = {"keras": keras, "ops": ops, "np": np, "PatchEmbedding": OwnPatches}
    scope |= {"ClassToken": OwnToken, "LearnedPositions": LearnedPositions}
    scope |= {"TransformerEncoderBlock": TransformerEncoderBlock, "new_norm": new_norm}
    scope |= {"sides": cu.data.images.sides, "one_of": cu.data.base.one_of}
    scope |= {"whole_number": cu.data.base.whole_number}
    source, cell = (
        built("course_utils.models.transformer.vision_transformer", solved=True),
        "<cell>",
    )
    linecache.cache[cell] = (len(source), None, source.splitlines(keepends=True), cell)
    exec(compile(source, cell, "exec"), scope)
    return scope["vision_transformer"]


@pytest.mark.slow
def test_the_notebook_runs_on_what_a_student_builds(own_vit, digits):
    assert cu.exercises.use("07.1", OwnPatches) is OwnPatches
    assert cu.exercises.use("07.2", OwnToken) is OwnToken
    assert cu.exercises.use("07.3", own_vit) is own_vit
    OwnPatches.called = OwnToken.called = 0
    own, course = own_vit(**VIT), fresh()
    shapes = [weight.shape for weight in own.weights]
    values = [w.reshape(s) for w, s in zip(course.get_weights(), shapes, strict=True)]
    own.set_weights(values)
    images = digits.test.inputs[:4]
    with cu.full_precision():
        assert np.abs(np.array(own(images)) - np.array(course(images))).max() < 1e-4
    assert OwnPatches.called and OwnToken.called
    assert len(attention_weights(own, images)) == 2
    larger = lecture_07.take_weights(own_vit(**VIT | {"image": 12}), own)
    assert np.array(larger(np.ones((1, 12, 12, 1), "float32"))).shape == (1, 10)


@pytest.mark.slow
def test_kerashubs_vit_is_fine_tuned_from_a_preset(tmp_path):
    hub = pytest.importorskip("keras_hub")
    backbone = hub.models.ViTBackbone(
        image_shape=(16, 16, 3),
        patch_size=8,
        num_layers=1,
        num_heads=2,
        hidden_dim=8,
        mlp_dim=8,
    )
    converter = hub.layers.ViTImageConverter(image_size=(16, 16))
    preprocessor = hub.models.ViTImageClassifierPreprocessor(image_converter=converter)
    classifier = hub.models.ViTImageClassifier(backbone, 5, preprocessor=preprocessor)
    classifier.save_to_preset(str(tmp_path / "small"))
    images = np.random.default_rng(0).integers(0, 256, (20, 28, 28, 3)).astype("uint8")
    labels = np.arange(20, dtype="int32") % 3
    preset = str(tmp_path / "small")
    model = transfer.fine_tune_published(preset, images, labels, epochs=1)
    assert model.predict(images[:2], verbose=0).shape == (2, 3)
    assert not np.array_equal(model.backbone.get_weights()[1], backbone.get_weights()[1])
