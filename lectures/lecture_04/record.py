"""What the full profile of lecture 04 records: reviews, times, moving clips, and IMDB."""

import keras
import numpy as np

from course_utils import data as sets
from course_utils import results, training
from lectures.lecture_04 import (
    KINDS,
    MEMORIES,
    NETWORKS,
    by_phenomenon,
    framed_reviews,
    imdb_network,
    load_motion,
    motion_net,
    put_in_front,
    slides_network,
)
from lectures.lecture_04.rivals import RIVALS

LECTURE = "04_conv1d"


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    record_reviews(seed)
    record_moved(seed)
    if seed == 0:  # nothing in these depends on it
        record_rivals()
    clips = load_motion(train=4_000)
    for name in MEMORIES:
        train_on_motion(name, clips, 12, 64, seed)
    for name in ("slides_network", "conv_gru", "listing"):
        train_on_imdb(name, seed)


def record_reviews(seed):
    """Record every network on the reviews as they are and with neutral text at both ends.

    All get ten epochs and batches of 64; the best of three learning rates on validation reviews
    is taken, then the test reviews are read.
    """
    for data in (sets.load_reviews(length=200), framed_reviews()):
        for name, make in NETWORKS.items():
            runs = []
            for rate in (0.001, 0.003, 0.01):
                keras.utils.set_random_seed(seed)
                model = make(len(data.vocabulary))
                adam = keras.optimizers.Adam(rate, clipnorm=1.0)
                model.compile(adam, "binary_crossentropy", metrics=["accuracy"])
                settings = {"learning_rate": rate, "batch_size": 64}
                run = training.fit(model, data, 10, batch_size=64, settings=settings)
                runs.append((run.history["val_accuracy"][-1], rate, run, model))
            _, rate, run, model = max(runs, key=lambda each: each[0])
            found = by_phenomenon(model, data.test)
            reached = {str(each[1]): each[0] for each in runs}
            run.settings["validation_by_learning_rate"] = reached
            run.record(LECTURE, name, data.name, **found)


def record_rivals():
    """Record what linear models of phrases reach without a network, by kind of review."""
    rows = []
    for data in (sets.load_reviews(length=200), framed_reviews()):
        for name, make in RIVALS.items():
            right = (make(data)(data.test.inputs) > 0) == data.test.targets
            kinds = data.test.columns["phenomenon"]
            found = {kind: float(right[kinds == kind].mean()) for kind in KINDS}
            rows.append({"rival": name, "reviews": data.name} | found)
    note = (
        "test accuracy of linear models on phrases of three words; last phrase: a rule on the "
    )
    note += "weights of one to three words, the last that weighs enough decides"
    results.record_table(LECTURE, "rivals", rows, note)


def record_moved(seed):
    """Record the accuracy when neutral words are put in front of the test reviews.

    The network is the one of width 5 of `record_reviews`, trained again with the learning rate
    that it chose; only the test reviews change.
    """
    data = sets.load_reviews(length=200)
    (run,) = (
        run for run in results.load(LECTURE, "phrase_5", data.name) if run["seed"] == seed
    )
    keras.utils.set_random_seed(seed)
    model = NETWORKS["phrase_5"](len(data.vocabulary))
    adam = keras.optimizers.Adam(run["settings"]["learning_rate"], clipnorm=1.0)
    model.compile(adam, "binary_crossentropy", metrics=["accuracy"])
    training.fit(model, data, 10, batch_size=64)
    rows = []
    for count in range(7):
        moved = put_in_front(data.test, data.vocabulary, count)
        rows.append({"words in front": count} | by_phenomenon(model, moved))
    note = "accuracy of the convolution of width 5, by how many neutral words are put in front "
    results.record_table(LECTURE, f"moved-{seed}", rows, note + "of the test reviews")


def train_on_motion(name, clips, epochs, batch_size, seed):
    """Train and record a network of `MEMORIES`; return its accuracy at each of 12 frames."""
    keras.utils.set_random_seed(seed)
    model = motion_net(MEMORIES[name]())
    optimizer = keras.optimizers.Adam(5e-3, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    run = training.fit(model, clips, epochs, batch_size=batch_size)
    answers = model.predict(clips.test.inputs, batch_size=500, verbose=0).argmax(axis=-1)
    by_frame = (answers == clips.test.targets).mean(axis=0)
    frames = {f"frame_{k}": float(value) for k, value in enumerate(by_frame, start=1)}
    run.record(LECTURE, name, "motion", test_accuracy=by_frame.mean(), **frames)
    return by_frame


IMDB = {"length": 500, "epochs": 8, "learning_rate": 4e-3}
DROPPED = {"words dropped": 0.25, "dropout": 0.5}  # not by the slides' own network


def train_on_imdb(name, seed):
    """Train and record a convnet on IMDB: the best of 8 epochs, the test set read at the end.

    name: "slides_network" or "conv_gru", masked and with dropout, or "listing", the slides' own
    with its sigmoid: no mask, no dropout, every review padded to 500 words.
    """
    data = sets.load_imdb("ids", 5_000, IMDB["length"])
    widths = [IMDB["length"]] if name == "listing" else None  # shorter batches would hide pads
    train, val, test = (
        sets.length_buckets(part, 128, widths) for part in (data.train, data.val, data.test)
    )
    keras.utils.set_random_seed(seed)
    model = slides_network(5_000) if name == "listing" else imdb_network(name)
    rate, epochs = IMDB["learning_rate"], IMDB["epochs"]
    decay = keras.optimizers.schedules.CosineDecay(rate, epochs * len(train))
    optimizer = keras.optimizers.Adam(decay, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    settings = IMDB if name == "listing" else IMDB | DROPPED
    how = {"patience": epochs, "source": data.source, "settings": settings}
    run = training.fit(model, (train, val), epochs, **how)
    accuracy = model.evaluate(test, verbose=0)[1]
    longer = [np.pad(data.val.inputs[:500], ((0, 0), (0, pads))) for pads in (0, 50)]
    before, after = [model.predict(ids, batch_size=100, verbose=0) for ids in longer]
    found = {"test_accuracy": accuracy, "moved_by_pads": float(np.abs(after - before).max())}
    run.record(LECTURE, name, "imdb", **found)
