"""What the full profile of lecture 08 records: the arms of its experiments on digits."""

import keras
from keras import ops
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from course_utils import models, results
from course_utils.data.images import load_digits
from course_utils.models.mlp import MLP_SIZES
from lectures.lecture_07.digits import (
    digit_convnet,
    digit_vit,
    flat,
    record_digits,
    record_shifts,
    train_on_images,
)
from lectures.lecture_08 import (
    GATES_HELD,
    LECTURE,
    digit_gmlp,
    digit_mixer,
    finds_mirror,
    hold,
    mirrored,
)


def record_all(seed):
    """Train and record what the lecture shows as recorded: seed 0 trains all five seeds."""
    if not seed:
        record_digit_arms()
        record_sizes()
        record_mirror()
        record_shifted()


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


def record_mirror():
    """Record the gate's four rows on mirrored halves, and two rivals that see pixels."""
    data = mirrored(load_digits())
    for name, learned in GATES_HELD.items():
        tried = {rate: _on_mirrored(data, learned, rate, 0) for rate in (1e-3, 4e-3, 1.6e-2)}
        rate = max(tried, key=lambda rate: tried[rate][1].best("val_accuracy"))
        others = [_on_mirrored(data, learned, rate, seed) for seed in (1, 2)]
        for seed, (model, run) in enumerate([tried[rate], *others]):
            named = model.predict(data.test.inputs, verbose=0).argmax(axis=1)
            W = ops.convert_to_numpy(model.get_layer("block_0").gate.W)
            run.seed, run.settings = seed, {"learning_rate": rate}
            measured = {"test_accuracy": float((named == data.test.targets).mean())}
            measured["mirror_rows"] = finds_mirror(W, 4)
            run.record(LECTURE, name, "mirrored_digits", **measured)
    record_mirror_rivals(data)


def _on_mirrored(data, learned, rate, seed):
    keras.utils.set_random_seed(seed)
    model = hold(digit_gmlp(), *learned)
    return model, train_on_images(model, data, rate, seed=seed)


def record_mirror_rivals(data):
    """Record what pixels alone tell, and products of two pixels; C by validation."""
    train, val, test = (flat(part) for part in (data.train, data.val, data.test))
    rows = []
    for name, make in (
        ("logistic regression on pixels", lambda C: LogisticRegression(C=C, max_iter=5_000)),
        ("SVM on products of two pixels", lambda C: SVC(kernel="poly", degree=2, coef0=1, C=C)),
    ):
        fitted = [make(C).fit(*train) for C in (0.01, 0.1, 1, 10, 100, 1_000)]
        best = max(fitted, key=lambda model: model.score(*val))
        row = {"model": name, "C": best.C, "val_accuracy": best.score(*val)}
        rows.append(row | {"test_accuracy": best.score(*test)})
    note = "mirrored halves of 1,200 digits, the network's images; C chosen on validation"
    results.record_table(LECTURE, "mirror-rivals", rows, note)


def record_shifted():
    """Record four networks of 100 digits on test digits moved one pixel to either side."""
    home = "07_vision_transformer"
    arms = [(home, "convnet", digit_convnet), (home, "vit", digit_vit)]
    arms += [(LECTURE, "mixer", digit_mixer), (LECTURE, "gmlp", digit_gmlp)]
    record_shifts(LECTURE, arms, 100)
