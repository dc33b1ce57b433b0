"""What the full profile of lecture 08 records: the arms of its experiments on digits."""

import keras

from course_utils import models, results
from course_utils.models.mlp import MLP_SIZES
from lectures.lecture_07.digits import record_digits
from lectures.lecture_08 import GATES_HELD, LECTURE, digit_gmlp, digit_mixer, hold


def record_all(seed):
    """Train and record what the lecture shows as recorded: seed 0 trains all five seeds."""
    if not seed:
        record_digit_arms()
        record_sizes()


def record_sizes():
    """Record the parameters of the published sizes, built as Keras models without memory."""
    rows = []
    for title, sizes, build in (
        ("Mixer", MLP_SIZES["mixer"], models.mixer),
        ("gMLP", MLP_SIZES["gmlp"], models.gmlp),
    ):
        for size in sizes:
            with keras.StatelessScope():
                rows.append({"model": f"{title} {size}", "built": build(size).count_params()})
    note = "weights of the built Keras models, 224×224, 1,000 classes"
    results.record_table(LECTURE, "built-sizes", rows, note)


def record_digit_arms():
    """Record every arm of this lecture on few digits, each with its own learning rate."""
    for count in (100, 1_200):
        record_digits(LECTURE, "mixer", digit_mixer, count)
        record_digits(LECTURE, "gmlp", digit_gmlp, count)
    for name in ("gmlp_neither", "gmlp_b", "gmlp_W"):
        learned = GATES_HELD[name]
        record_digits(LECTURE, name, lambda held=learned: hold(digit_gmlp(), *held), 1_200)
