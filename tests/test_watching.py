"""Trainings of students: leaks are refused by name, the model is judged from outside."""

import dataclasses

import keras
import numpy as np
import pytest
from keras import layers

from course_utils import checks, training, watching
from course_utils.data.base import Dataset, Split
from course_utils.exercises import Wrong

pytestmark = pytest.mark.slow

SIDE = 8


def images(seed, count):
    draw = np.random.default_rng(seed)
    x = draw.random((count, SIDE, SIDE, 1)).astype("float32") * (
        draw.random((count, 1, 1, 1)) + 1
    )
    return Split(x, (x.mean(axis=(1, 2, 3)) > 0.7).astype(int))


@pytest.fixture(scope="module")
def data():
    return Dataset("any", images(0, 200), images(1, 60), images(2, 60))


UNSEEN = images(3, 60)


def network(**how):
    model = keras.Sequential([layers.Flatten(), layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(how.get("rate", 0.01)), loss)
    return model


def fitted(x, y, **how):
    model = network(**how)
    model.fit(x, y, batch_size=how.get("size", 32), epochs=how.get("epochs", 2), verbose=0)
    return model


def joined(*splits):
    return (
        np.concatenate([getattr(s, name) for s in splits]) for name in ("inputs", "targets")
    )


class Batches(keras.utils.PyDataset):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x) // 20

    def __getitem__(self, number):
        rows = slice(20 * number, 20 * number + 20)
        return self.x[rows], self.y[rows]


def by_batches(x, y):
    model = network()
    model.fit(Batches(x, y), verbose=0)
    return model


def by_generator(x, y):
    model = network()
    model.fit((one for one in [(x[:32], y[:32]), (x[32:], y[32:])]), verbose=0)
    return model


def by_hand(x, y):
    model = network()
    model.build((None, SIDE, SIDE, 1))
    model.train_on_batch(x, y)
    return model


def by_course(x, y):
    model = network()
    training.fit(model, (Split(x, y), None), epochs=1)
    return model


WAYS = [fitted, by_batches, by_generator, by_hand, by_course]


def judged(data, train, **asked):
    with checks.watched_training(data, unseen=UNSEEN, called="images", **asked) as watched:
        model = watched.trained(train())
    return watched, model


@pytest.mark.parametrize("way", WAYS)
def test_a_training_on_the_training_part_is_seen_and_accepted(data, way):
    watched, model = judged(data, lambda: way(data.train.inputs, data.train.targets))
    assert set(watched.seen) == {"train"} and watched.losses
    assert checks.predicted(model, UNSEEN.inputs, (2,), "logits").shape == (60, 2)


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("leak", "telling"),
    [
        (lambda data: data.val, "the validation images"),
        (lambda data: data.test, "the test images"),
        (lambda data: UNSEEN, "images that you were not given"),
    ],
)
def test_what_is_no_training_data_is_refused_by_name(data, way, leak, telling, augmented):
    with pytest.raises(Wrong, match=telling):
        judged(data, lambda: way(*joined(data.train, leak(data))), augmented=augmented)


def test_other_data_are_refused_and_changed_images_are_not(data):
    x, y = data.train.inputs, data.train.targets
    noise = np.random.default_rng(5).normal(size=x.shape)
    for changed in (np.roll(x, 1, axis=2), x[:, :, ::-1], x + 0.05 * noise):
        judged(data, lambda changed=changed: fitted(changed, y), augmented=True)
    with pytest.raises(Wrong, match="other images"):
        judged(data, lambda: fitted(noise, y))
    shifted = np.roll(np.concatenate([x, data.val.inputs]), 1, axis=2)
    with pytest.raises(Wrong, match="validation images"):
        targets = np.concatenate([y, data.val.targets])
        judged(data, lambda: fitted(shifted, targets), augmented=True)


def test_texts_that_are_padded_or_cut_are_known_again():
    draw = np.random.default_rng(0)
    rows = draw.integers(1, 99, size=(40, 12)) * (np.arange(12) < draw.integers(5, 12, (40, 1)))
    data = {"train": rows[:20], "reviews without a label": rows[20:]}
    for changed in (rows[:, :8], np.pad(rows, ((0, 0), (3, 4)))):
        found = checks.watched_training(data)
        with found as watched:
            watched.see(changed[:20])
        assert set(watched.seen) == {"train"}
        with (
            pytest.raises(Wrong, match="you train on reviews without a label"),
            checks.watched_training(data) as watched,
        ):
            watched.see(changed)


@pytest.mark.parametrize("scaled", [lambda x: (x - 1.3) / 0.7, lambda x: x - x[:, -1:, -1:]])
def test_rows_of_numbers_are_known_again_when_they_were_scaled_outside_the_model(data, scaled):
    x, y = data.train.inputs, data.train.targets
    watched, _ = judged(data, lambda: fitted(scaled(x), y))
    assert set(watched.seen) == {"train"}
    both, targets = joined(data.train, data.val)
    with pytest.raises(Wrong, match="validation images"):
        judged(data, lambda: fitted(scaled(both), targets))


@pytest.mark.parametrize(
    ("asked", "telling"),
    [
        ({"batches": 5}, "14 batches, and 5 are allowed"),
        ({"batch_size": 16}, "batches of 32 images, and 16 are allowed"),
    ],
)
def test_more_than_is_asked_is_refused(data, asked, telling):
    with pytest.raises(Wrong, match=telling):
        judged(data, lambda: fitted(data.train.inputs, data.train.targets), **asked)


def test_batches_that_run_as_one_step_are_counted_each(data):
    def train():
        model = fitted(data.train.inputs, data.train.targets)
        model.compile("sgd", model.loss, steps_per_execution=7)
        model.fit(data.train.inputs, data.train.targets, verbose=0)
        return model

    with pytest.raises(Wrong, match="21 batches, and 20 are allowed"):
        judged(data, train, batches=20)


def test_an_epoch_is_not_chosen_by_the_test_examples(data):
    def train(part):
        model = fitted(data.train.inputs, data.train.targets)
        model.fit(
            data.train.inputs,
            data.train.targets,
            verbose=0,
            validation_data=(part.inputs, part.targets),
        )
        return model

    judged(data, lambda: train(data.val))
    with pytest.raises(Wrong, match="look at the test images while you train"):
        judged(data, lambda: train(data.test))


def test_the_trained_model_has_to_come_back(data):
    x, y = data.train.inputs, data.train.targets
    for train, telling in (
        (lambda: {}, "return the trained model"),
        (network, "call `fit`"),
        (lambda: (fitted(x, y), by_hand(x, y), network())[2], "another model"),
    ):
        with pytest.raises(Wrong, match=telling):
            judged(data, train)
    with (
        pytest.raises(Wrong, match="that you are given"),
        checks.watched_training(data) as watched,
    ):
        watched.trained(fitted(x, y), given=network())


def test_models_of_every_kind_are_judged_from_outside(data):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = network()

        def call(self, x):
            return self.inner(x)

    def train(model):
        model.compile("adam", "mse", metrics=[keras.metrics.MeanSquaredError(name="mine")])
        model.fit(data.train.inputs, np.eye(2)[data.train.targets], verbose=0)
        return model

    for model in (Own(), keras.Sequential([network(), layers.Softmax()])):
        found = judged(data, lambda model=model: train(model))[1]
        checks.predicted(found, UNSEEN.inputs, (2,), "probabilities")
        with pytest.raises(Wrong, match=r"should be \(batch, 3\), three classes"):
            checks.predicted(found, UNSEEN.inputs, (3,), "three classes")


@pytest.mark.parametrize(
    ("how", "advice"),
    [
        ({"rate": 1e-7, "epochs": 8}, "hardly fell"),
        ({"rate": 1e3, "epochs": 8}, "rose"),
        ({"rate": 1e38, "epochs": 8}, "NaN"),
        ({"rate": 0.003, "epochs": 1}, "Few batches, 7"),
    ],
)
def test_advice_fits_the_losses(data, how, advice):
    x, y = data.train.inputs, data.train.targets
    watched, _ = judged(data, lambda: fitted(x, y, **how))
    with pytest.raises(Wrong, match=f"accuracy is 0.50, and 0.9 is asked. .*({advice})"):
        watched.reaches(0.5, 0.9, "accuracy")


def test_a_figure_is_reached_by_learning(data):
    x, y = data.train.inputs, data.train.targets
    learned, _ = judged(data, lambda: fitted(x, y, rate=0.1, epochs=20))
    learned.reaches(0.95, 0.9, "accuracy")
    done, _ = judged(data, lambda: fitted(x, y, rate=1e-9))
    with pytest.raises(Wrong, match="were not learned in this training"):
        done.reaches(0.95, 0.9, "accuracy")


def test_a_loop_of_ones_own_is_refused(data):
    def train():
        model = network()
        model.build((None, SIDE, SIDE, 1))
        model.optimizer.apply(
            [keras.ops.zeros(one.shape) for one in model.trainable_weights],
            model.trainable_weights,
        )
        return model

    with pytest.raises(Wrong, match="train by `fit`"):
        judged(data, train)


def test_training_data_that_are_loaded_anew_are_known(data):
    shown, unseen = checks.kept_back(data)
    with (
        pytest.raises(Wrong, match="other images"),
        checks.watched_training(shown, unseen=unseen, called="images"),
    ):
        fitted(data.train.inputs, data.train.targets)


def test_judging_examples_are_not_among_what_is_given(data):
    shown, unseen = checks.kept_back(data)
    watched, _ = judged(shown, lambda: fitted(shown.train.inputs, shown.train.targets))
    with pytest.raises(Wrong, match="not given"):
        replaced = dataclasses.replace(shown, val=None)
        with checks.watched_training(replaced, unseen=unseen):
            fitted(*joined(shown.train, unseen))


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.8388, "0.83"), (0.84, "0.84"), (0.29, "0.29"), (1.0, "1.00"), (0.0, "0.00")],
)
def test_a_figure_that_is_missed_never_looks_reached(value, told):
    assert watching.floored(value) == told
