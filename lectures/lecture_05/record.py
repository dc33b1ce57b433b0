"""What the full profile of lecture 05 records: its translators, and how far gradients reach."""

import keras
import numpy as np
from keras import layers, ops

from course_utils import models, results
from course_utils.layers import LuongAttention
from lectures.lecture_03.cells import LSTMCell
from lectures.lecture_05 import (
    BINS,
    CLASSMATES,
    FIXED,
    LECTURE,
    LONG,
    OWN,
    TRANSLATORS,
    WIDE,
    aligned,
    by_length,
    judge,
    on_pads,
    translation,
    translator,
    tune,
)
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05.windows import WindowTranslator, training_blocks

SHIPPED = ("plain", "dot", "classmate")  # seed 0's weights come with the course


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    tune_and_record(TRANSLATORS, seed)
    if not seed:
        record_blocks()
        record_windows()


def tune_and_record(names, seed, lecture=LECTURE, kinds=TRANSLATORS):
    """Train translators on the own pairs; judge them once on the test part, and record them."""
    pairs = load_pairs()
    for name in names:
        settings = OWN if "attention" in kinds[name] else FIXED
        settings = {"wide": WIDE, "classmate": CLASSMATES}.get(name, settings)

        def build(name=name, settings=settings):
            return translator(name, pairs, settings, kinds)

        model, run, _ = tune(name, build, pairs, settings, seed, lecture)
        found = judge(model, pairs, beams=name != "classmate")
        if name == "classmate":
            found |= on_pads(model, pairs)
        elif model.attention:
            found |= aligned(model, pairs)
        run.record(lecture, name, pairs.name, **found)
        if name in SHIPPED and seed == 0:
            arrays = {f"{number:02}": array for number, array in enumerate(model.get_weights())}
            made_by = f"{lecture}/{name}-{pairs.name}-seed0"
            models.save_pretrained(f"translator_{name}", arrays, made_by, **run.settings)


def record_blocks():
    """Record the translator without a network, its two settings chosen on validation."""
    pairs, tried = load_pairs(), {}
    blocks = training_blocks(pairs.train)
    for width in (2, 3, 4):
        for strength in (0.1, 1.0, 10.0):
            model = WindowTranslator(width, strength, pairs.vocabulary).fit(blocks)
            texts = model.translate(pairs.val.inputs["source"])
            right = translation.exact_match(texts, pairs.val.columns["references"])
            tried.setdefault(right, model)
    best, split = tried[max(tried)], pairs.test
    texts = best.translate(split.inputs["source"])
    references, words = split.columns["references"], split.columns["words"]
    long = words > LONG
    found = {
        "validation": max(tried),
        "exact_match": translation.exact_match(texts, references),
        "exact_long": translation.exact_match(np.array(texts)[long], references[long]),
    }
    for row in by_length(texts, references, words, BINS):
        found[f"exact {row['words']}"] = row["exact_match"]
    settings = {"width": best.width, "strength": best.strength}
    settings |= {"one_seed_because": "nothing in it is random"}
    results.record(LECTURE, "blocks", pairs.name, found, seed=0, settings=settings)


def gradient_by_distance(kind, size, length=101, units=64):
    """Return the mean norm of the last output's gradient at each input, the last one first.

    An embedding of zeros is added to the inputs; one step of plain SGD with a learning rate of
    1 moves it by minus the gradient, on any backend. size: standard deviation of the inputs.
    """
    cells = {
        "SimpleRNN": lambda: layers.SimpleRNN(units, return_sequences=True),
        "GRU": lambda: layers.GRU(units, return_sequences=True),
        "LSTM": lambda: layers.LSTM(units, return_sequences=True),
        "LSTM, forget bias 4": lambda: layers.RNN(LSTMCell(units, 4.0), return_sequences=True),
        "GRU and attention": lambda: layers.GRU(units, return_sequences=True),
    }
    norms = []
    for draw in range(5):
        keras.utils.set_random_seed(draw)
        positions, noise = keras.Input((length,), dtype="int32"), keras.Input((length, units))
        added = layers.Embedding(length, units, "zeros")
        states = cells[kind]()(noise + added(positions))
        last = states[:, -1:]
        if kind == "GRU and attention":
            last = LuongAttention(units, "general")(last, states)
        output = layers.Dense(1, use_bias=False)(last)[:, 0]
        model = keras.Model([positions, noise], output)
        model.compile(keras.optimizers.SGD(1.0), lambda truth, output: ops.sum(output))
        inputs = size * np.random.default_rng(draw).normal(size=(1, length, units))
        model.train_on_batch([np.arange(length)[None], inputs], np.zeros((1, 1)))
        norms.append(np.linalg.norm(added.get_weights()[0], axis=1)[::-1])
    return np.mean(norms, axis=0)


def record_windows():
    """Record the gradients by distance for inputs of two sizes, as two tables."""
    kinds = ("SimpleRNN", "GRU", "LSTM", "LSTM, forget bias 4", "GRU and attention")
    for size, name in ((1.0, "reference-window"), (0.05, "reference-window-small")):
        rows = []
        for kind in kinds:
            norms = gradient_by_distance(kind, size)
            reach = {f"{k}": norms[k] / norms[0] for k in (0, 1, 2, 5, 10, 20, 50, 100)}
            rows.append({"reader": kind, **reach})
        note = (
            "norm of the last output's gradient at the word so many steps back, over that at "
            f"the last word; new networks of 64 units, inputs of standard deviation {size}, "
            "mean of 5 draws"
        )
        results.record_table(LECTURE, name, rows, note)
