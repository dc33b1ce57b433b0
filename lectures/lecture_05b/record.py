"""What the full profile of lab 05b records: tricks, real sentences, the first batches."""

import keras
import numpy as np
from keras import ops

from course_utils import results
from lectures.lecture_05 import OWN, judge, train, translation, translator
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05.record import tune_and_record
from lectures.lecture_05b import LECTURE, REAL, REAL_BINS, TRICKS, real_pairs


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    tune_and_record(TRICKS, seed, LECTURE, TRICKS)
    record_longer(seed)
    record_first_batches(seed)
    record_real_pairs(("plain", "bahdanau", "dot"), seed)


def record_longer(seed):
    """Train input feeding for twice the epochs, at its learning rate, and record it."""
    pairs, settings = load_pairs(), OWN | {"epochs": 2 * OWN["epochs"]}
    rows = results.load_table(LECTURE, "rates-dot_fed")
    rate = min(rows, key=lambda row: row["loss"])["rate"]
    keras.utils.set_random_seed(seed)
    model = translator("dot_fed", pairs, settings, TRICKS)
    run = train(model, pairs, settings, rate)
    run.record(LECTURE, "dot_fed_long", pairs.name, **judge(model, pairs))


def train_on_real_pairs(name, seed, pairs, settings=REAL):
    """Train a translator on real pairs; return it and its run."""
    keras.utils.set_random_seed(seed)
    model = translator(name, pairs, settings)
    if settings["bias"] == "log frequencies":
        words = len(pairs.vocabulary["target"])
        model.to_words.bias.assign(translation.log_frequencies(pairs.train.targets, words))
    return model, train(model, pairs, settings, settings["learning_rate"])


def record_real_pairs(names, seed):
    """Train on real pairs, judge once on the test part, by length, and record."""
    pairs = real_pairs()
    for name in names:
        model, run = train_on_real_pairs(name, seed, pairs)
        run.record(LECTURE, name, pairs.name, **judge(model, pairs, REAL_BINS))


def record_first_batches(seed):
    """Train for 400 batches from both biases; record the loss and how many ã are saturated."""
    some = REAL | {"pairs": 25_600, "epochs": 1}
    pairs = real_pairs(some["pairs"])
    record_unigram(pairs)
    for name in ("plain", "dot"):
        for bias in ("zeros", "log frequencies"):
            settings = some | {"bias": bias}
            model, run = train_on_real_pairs(name, seed, pairs, settings)
            found = {"saturated": saturated(model, pairs.val)} if model.attention else {}
            run.record(LECTURE, f"{name}_{bias.split()[-1]}", "first_400_batches", **found)


def record_unigram(pairs):
    """Record the validation loss of the unigram baseline, which knows the frequencies alone."""
    log_p = translation.log_frequencies(pairs.train.targets, len(pairs.vocabulary["target"]))
    loss = -log_p[pairs.val.targets[pairs.val.targets != 0]].mean()
    note = f"validation loss of the word frequencies of {len(pairs.train.targets):,} pairs"
    results.record_table(LECTURE, "unigram", [{"loss": loss}], note)


def saturated(model, split):
    """Return the share of the numbers of ã that lie within 0.05 of an end of the tanh, ±1."""
    split = split.take(slice(200))
    source, target = split.inputs["source"], split.inputs["target"]
    encoded, last, mask = model.encode(source)
    states = model.decoder(model.target_embedding(target), initial_state=last)[0]
    found = np.abs(ops.convert_to_numpy(model.attend(states, encoded, mask)))
    return (found[split.targets != 0] > 0.95).mean()
