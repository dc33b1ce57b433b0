"""What the full profile of lecture 07 records: digits, other images first, maps."""

import keras

from course_utils import results
from course_utils.data.images import load_digits
from lectures.lecture_07 import (
    INTERPOLATIONS,
    LEARNING_RATE,
    LECTURE,
    agreement,
    enlarged,
    take_weights,
    transfer,
)
from lectures.lecture_07.digits import digit_convnet, digit_vit, record_digits, train_on_images

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
    for name in ("figures", "mnist"):
        transfer.record_transfer(name)


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
