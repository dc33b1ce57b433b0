"""What the full profile of lecture 07 records: digits, other images first, maps."""

from dataclasses import replace
from functools import partial

import keras
import numpy as np
from keras import ops
from sklearn.svm import SVC

from course_utils import results
from course_utils.data.images import load_digits
from course_utils.models import vision_transformer
from lectures.lecture_07 import (
    INTERPOLATIONS,
    LEARNING_RATE,
    LECTURE,
    agreement,
    enlarged,
    take_weights,
    transfer,
)
from lectures.lecture_07.augment import random_flip, random_translate
from lectures.lecture_07.digits import (
    SEEDS,
    SIDEWAYS,
    TUNING_SEEDS,
    digit_convnet,
    digit_vit,
    flat,
    moved_sideways,
    record_digits,
    record_shifts,
    train_on_images,
)
from lectures.lecture_07.image_sets import load_images

COUNTS = (100, 1_200)  # training digits
ARMS = {
    "vit": digit_vit,
    "vit_mean": lambda: digit_vit(pool="mean"),
    "convnet": digit_convnet,
    "vit_no_positions": lambda: digit_vit(positions="none"),
}


def record_all(seed):
    """Train and record what the lecture shows as recorded.

    Seed 0 trains the arms on digits with all seeds.
    """
    record_maps(seed)
    if seed:
        return
    for arm, build in ARMS.items():
        for count in COUNTS if arm != "vit_no_positions" else (1_200,):
            record_digits(LECTURE, arm, build, count)
    record_patches()
    record_moved()
    record_svm()
    for name in ("figures", "mnist"):
        transfer.record_transfer(name)
    record_photographs()


PATCHES = {patch: partial(digit_vit, patch=patch) for patch in (1, 4, 8)}  # beside 2


def record_patches():
    """Record the Vision Transformer on 1,200 digits by its patch size, three seeds each.

    64 tokens take four times as long as 16: patches of one pixel have the learning rate of
    patches of two, the others are tuned like all arms.
    """
    for patch, build in PATCHES.items():
        rates = {"rates": (LEARNING_RATE,)} if patch == 1 else {}
        record_digits(LECTURE, f"vit_patch{patch}", build, 1_200, seeds=range(3), **rates)


def record_moved():
    """Record both networks of 1,200 digits on test digits moved one pixel to either side."""
    arms = [(LECTURE, "vit", digit_vit), (LECTURE, "convnet", digit_convnet)]
    record_shifts(LECTURE, arms, 1_200)


def moved_and_mirrored(images, seed):
    """Each image moved by up to four pixels, and half of them mirrored."""
    return random_flip(random_translate(images, 4, [*seed, 0]), [*seed, 1])


RATES = (1e-3, 2e-3, 4e-3)  # on photographs
PHOTOGRAPHS = {"image": 32, "channels": 3, "classes": 10, "patch": 4, "embed_dim": 64}
PHOTOGRAPHS |= {"num_heads": 4, "mlp_dim": 128, "num_layers": 4}


def record_photographs():
    """Record a ViT on 2,000 images of CIFAR-10, plain and augmented, and positions on 45,000.

    All train for 1,500 batches of 64. The learning rates of the two that are compared are the
    best of three on validation, by seed 0.
    """
    sets = [load_images("cifar10", seed=seed) for seed in range(3)]
    for seed, images in enumerate(sets):
        model, _ = _on_photographs(images, None, 2e-3, seed)
        record_positions(model, f"positions-{seed}")
    few = [replace(images, train=images.train.take(slice(2_000))) for images in sets]
    for name, change in {"vit": None, "vit_augmented": moved_and_mirrored}.items():
        tried = {rate: _on_photographs(few[0], change, rate, 0) for rate in RATES}
        reached = {rate: run.history["val_accuracy"][-1] for rate, (_, run) in tried.items()}
        rate = max(reached, key=reached.get)
        rows = [{"learning_rate": one, "val_accuracy": value} for one, value in reached.items()]
        note = f"{name}: validation accuracy of seed 0 after 1,500 batches"
        results.record_table(LECTURE, f"rates-{name}-photographs", rows, note)
        more = [_on_photographs(few[seed], change, rate, seed) for seed in (1, 2)]
        for seed, (model, run) in enumerate([tried[rate], *more]):
            train, test = (
                model.evaluate(part.inputs, part.targets, 500, verbose=0)[1]
                for part in (few[seed].train, few[seed].test)
            )
            run.seed, run.settings = seed, {"learning_rate": rate, "images": 2_000}
            run.record(LECTURE, name, few[0].name, train_accuracy=train, test_accuracy=test)


def _on_photographs(images, change, learning_rate, seed):
    keras.utils.set_random_seed(seed)
    model = vision_transformer(**PHOTOGRAPHS)
    how = {"epochs": 3, "seed": seed, "steps": 500, "change": change}
    return model, train_on_images(model, images, learning_rate, **how)


def record_positions(model, name):
    """Record the cosines between the position vectors of a ViT's patches."""
    table = next(weight for weight in model.weights if weight.path.endswith("/table"))
    vectors = ops.convert_to_numpy(table)[1:]  # without the class token's
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [{"to": np.rint(100 * (vectors @ one)).astype(int)} for one in vectors]
    note = "cosines between position vectors, in hundredths, a row a position"
    results.record_table(LECTURE, name, rows, note)


def record_maps(seed):
    """Train the Vision Transformer on 1,200 digits; record what its maps and positions do.

    Metrics: `agreement` on the test digits, and test accuracy at other resolutions, by how the
    positions got there.
    """
    keras.utils.set_random_seed(seed)
    model, digits = digit_vit(), load_digits(seed=seed)
    train_on_images(model, digits, LEARNING_RATE, seed=seed)
    found = agreement(model, digits.test.inputs, digits.test.targets)
    for side in (8, 12, 16):
        for way, interpolate in INTERPOLATIONS.items():
            larger = take_weights(digit_vit(image=side), model, interpolate)
            larger.compile(metrics=["accuracy"])
            images = enlarged(digits.test.inputs, side)
            accuracy = larger.evaluate(images, digits.test.targets, 500, verbose=0)[1]
            found[f"{side}, {way}"] = accuracy
    results.record(
        LECTURE, "maps", "digits", found, seed=seed, settings={"learning_rate": LEARNING_RATE}
    )


def record_svm():
    """Record a cheap rival of the networks: an SVM on the pixels, tuned like them."""
    rows = []
    for count in COUNTS:
        parts = [load_digits(count, seed=seed) for seed in SEEDS]
        fitted = {
            C: [SVC(C=C).fit(*flat(data.train)) for data in parts]
            for C in (0.1, 1, 10, 100, 1_000)
        }
        tuned = {
            C: np.mean([fitted[C][seed].score(*flat(parts[seed].val)) for seed in TUNING_SEEDS])
            for C in fitted
        }
        best = max(tuned, key=tuned.get)
        for seed, (model, data) in enumerate(zip(fitted[best], parts, strict=True)):
            row = {"digits": count, "seed": seed, "C": best}
            for said, columns in SIDEWAYS.items():
                row[said] = model.score(*flat(moved_sideways(data.test, columns)))
            rows.append(row)
    note = "an SVM with a Gaussian kernel on the pixels; C chosen on validation as the networks"
    results.record_table(LECTURE, "svm", rows, note)
