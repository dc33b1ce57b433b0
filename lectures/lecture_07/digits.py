"""Networks of one size on few handwritten digits, each tuned alike: lectures 7 and 8.

Every arm trains 500 batches of 64. Its learning rate is the best of one grid by accuracy on
the validation digits, the mean of two seeds; then five seeds read the test digits once.
"""

import dataclasses

import keras
import numpy as np
from keras import layers

from course_utils import results, schedules, training
from course_utils.data.images import load_digits
from course_utils.models.transformer import vision_transformer
from lectures.lecture_07.augment import random_translate

LEARNING_RATES = (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2)
TUNING_SEEDS, SEEDS = range(2), range(5)
SIDEWAYS = {"as they are": 0, "left": -1, "right": 1}
DIGITS = {"image": 8, "channels": 1, "classes": 10}
VIT = DIGITS | {"patch": 2, "embed_dim": 48, "num_heads": 4, "mlp_dim": 192, "num_layers": 2}


class ImageBatches(keras.utils.PyDataset):
    """Batches of 64 images in random order, none twice before all have come; `steps` per epoch.

    change: a function of images and seed=, called on each batch, or None.
    """

    def __init__(self, split, steps, seed=0, change=None):
        super().__init__()
        self.split, self.steps, self.seed, self.change = split, steps, seed, change
        self.epoch, self.batch_size = 0, 64

    def __len__(self):
        return self.steps

    def __getitem__(self, step):
        number = self.epoch * self.steps + step
        count, first = len(self.split), 64 * number
        rounds = range(first // count, (first + 63) // count + 1)
        order = [np.random.default_rng([self.seed, one]).permutation(count) for one in rounds]
        rows = np.concatenate(order)[first % count :][:64]
        images = self.split.inputs[rows]
        if self.change:
            images = self.change(images, seed=[self.seed, number])
        return images, self.split.targets[rows]

    def on_epoch_end(self):
        self.epoch += 1


def digit_vit(**changes):
    """A Vision Transformer for digits: 58,234 weights with its class token."""
    return vision_transformer(**VIT | changes)


def digit_convnet():
    """3×3 convolutions with LayerNorm and ReLU, pooling between them, then the mean."""
    images = x = keras.Input((8, 8, 1))
    for number, width in enumerate((32, 64, 64)):
        x = layers.MaxPooling2D()(x) if number else x
        x = layers.Conv2D(width, 3, padding="same")(x)
        x = layers.ReLU()(layers.LayerNormalization(epsilon=1e-6)(x))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(images, layers.Dense(10, dtype="float32")(x), name="convnet")


def train_on_images(model, data, learning_rate, epochs=5, seed=0, steps=100, change=None):
    """Compile and train a classifier of images, always in the same way; return its `Run`.

    AdamW with weight decay 0.05, gradients clipped to a norm of 1, a warm-up of 100 batches,
    then a cosine down to 0.
    """
    schedule = schedules.WarmupCosine(learning_rate, epochs * steps)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.05, global_clipnorm=1.0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    batches = ImageBatches(data.train, steps, seed, change)
    return training.fit(model, (batches, data.val), epochs, source=data.source, resume=False)


def wrong_digits(model, split, move=False):
    """Which digits a model names wrongly: their rows. move: each by up to one pixel."""
    images = random_translate(split.inputs, 1, seed=1) if move else split.inputs
    named = model.predict(images, batch_size=500, verbose=0).argmax(axis=1)
    return np.flatnonzero(named != split.targets).tolist()


def record_digits(lecture, name, build, count, start=None, seeds=SEEDS, rates=LEARNING_RATES):
    """Tune an arm on `count` training digits, then record its test accuracy for five seeds.

    Recorded as `{name}_{count}-digits-seed{k}`; "wrong" and "wrong_moved" hold the rows of the
    test digits that it named wrongly, so that two arms can be compared digit by digit.
    start: a function of the new model and the seed that sets the weights to start from.
    """
    tried = {}
    for rate in rates:
        runs = [_run(build, count, rate, seed, start) for seed in TUNING_SEEDS]
        tried[rate] = runs, float(np.mean([run.best("val_accuracy") for _, run, _ in runs]))
    rate = max(tried, key=lambda rate: tried[rate][1])
    rows = [{"learning_rate": one, "val_accuracy": value} for one, (_, value) in tried.items()]
    note = f"{name} on {count} digits: validation accuracy, mean of {len(TUNING_SEEDS)} seeds"
    results.record_table(lecture, f"rates-{name}-{count}", rows, note)
    others = [_run(build, count, rate, seed, start) for seed in seeds[2:]]
    trained = tried[rate][0] + others
    for seed, (model, run, data) in enumerate(trained):
        wrong, moved = (wrong_digits(model, data.test, move) for move in (False, True))
        run.seed, run.settings = seed, {"learning_rate": rate}
        accuracies = {
            "test_accuracy": 1 - len(wrong) / len(data.test),
            "shifted_accuracy": 1 - len(moved) / len(data.test),
        }
        lists = {"wrong": wrong, "wrong_moved": moved}
        run.record(lecture, f"{name}_{count}", "digits", **accuracies, **lists)


def _run(build, count, learning_rate, seed, start):
    keras.utils.set_random_seed(seed)
    model, data = build(), load_digits(count, seed=seed)
    if start:
        start(model, seed)
    return model, train_on_images(model, data, learning_rate, seed=seed), data


def moved_sideways(split, columns):
    """The images of a part, moved by so many pixels to the right (negative: to the left).

    Sideways nearly all ink stays on the image (digits leave their outer columns empty); up and
    down an eighth of it would be lost.
    """
    images = np.roll(split.inputs, columns, axis=2)
    if columns:
        images[:, :, 0 if columns > 0 else -1] = 0
    return dataclasses.replace(split, inputs=images)


def record_shifts(lecture, arms, count):
    """Train recorded arms again; record them on test digits moved one pixel to either side.

    arms: (lecture of its records, name, function that builds it), each as in `record_digits`.
    """
    rows = []
    for home, name, build in arms:
        for seed, recorded in enumerate(results.load(home, f"{name}_{count}", "digits")[:3]):
            rate = recorded["settings"]["learning_rate"]
            model, _, data = _run(build, count, rate, seed, None)
            row = {"network": name, "seed": seed}
            for said, columns in SIDEWAYS.items():
                moved = moved_sideways(data.test, columns)
                row[said] = 1 - len(wrong_digits(model, moved)) / len(moved)
            rows.append(row)
    note = "accuracy on the test digits as they are, and one pixel to the left and right"
    results.record_table(lecture, f"shifts-{count}", rows, note)


def flat(split):
    """The pixels of a part, one row per image, and the targets."""
    return split.inputs.reshape(len(split), -1), split.targets
