"""What the full profile of lab 05b records: tricks, real sentences, the first batches."""

import itertools

import keras
import numpy as np
import sacrebleu
from keras import ops

from course_utils import results
from course_utils.data.base import END, PAD
from lectures.lecture_05 import (
    OWN,
    by_length,
    judge,
    train,
    translation,
    translator,
)
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05.record import tune_and_record
from lectures.lecture_05b import (
    LECTURE,
    REAL,
    REAL_BINS,
    TRICKS,
    errors,
    real_pairs,
    shipped,
)
from lectures.lecture_05b.phrases import count_phrases

FIRST = REAL | {"pairs": 25_600, "epochs": 1}  # 400 batches
BIASES = ("zeros", "log frequencies")


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    tune_and_record(TRICKS, seed, LECTURE, TRICKS)
    record_longer(seed)
    if not seed:
        record_errors()
        record_phrases()
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


def record_errors():
    """Record which errors the shipped networks of lecture 5 make, and with how many beams."""
    pairs, rows = load_pairs(), []
    for name in ("plain", "dot"):
        model = shipped(name, pairs)
        for beams in (1, 4):
            rows.append({"network": name, "beams": beams} | errors(model, pairs, beams))
    results.record_table(LECTURE, "errors", rows, "shares of the own pairs' test sentences")


def train_on_real_pairs(name, seed, pairs, settings=REAL):
    """Train a translator on real pairs; return it and its run."""
    keras.utils.set_random_seed(seed)
    model = translator("dot" if name == "linear" else name, pairs, settings)
    if name == "linear":
        model.attend.W_c.activation = keras.activations.linear
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


def record_phrases():
    """Record the translator without a network, its two weights chosen on validation."""
    pairs, tried = real_pairs(), {}
    target, vocabulary = pairs.train.targets, pairs.vocabulary["target"]
    words = np.where(target == END, PAD, target)
    model = count_phrases(pairs.train.inputs["source"], words, len(vocabulary))

    def translated(split):
        return [vocabulary.decode(ids) for ids in model.translate(split.inputs["source"])]

    some = pairs.val.take(slice(None, None, 4))  # of all lengths
    for model.fluency in (0.3, 0.5, 0.7, 1.0):
        for model.length in (0.0, -0.5, 0.5):
            found = translation.bleu(translated(some), some.columns["references"])
            tried.setdefault(found, (model.fluency, model.length))
    model.fluency, model.length = tried[max(tried)]
    texts, lengths = translated(pairs.test), pairs.test.columns["words"]
    references = pairs.test.columns["references"]
    found = {
        "validation": max(tried),
        "phrases": len(model.options),
        "exact_match": translation.exact_match(texts, references),
        "bleu": translation.bleu(texts, references),
        "interval": interval(texts, references),
    }
    first = [some[0] for some in references]
    for row, single in zip(
        by_length(texts, references, lengths, REAL_BINS),
        by_length(texts, first, lengths, REAL_BINS),
        strict=True,
    ):
        low, high = map(int, row["words"].split("–"))
        known = [len(some) for some, n in zip(references, lengths, strict=True)
                 if low <= n <= high]  # fmt: skip
        found[f"bleu {row['words']}"] = row["bleu"]
        found[f"single {row['words']}"] = single["bleu"]
        found[f"references {row['words']}"] = np.mean(known)
    settings = {"fluency": model.fluency, "length": model.length}
    settings |= {"one_seed_because": "nothing in it is random"}
    results.record(LECTURE, "phrases", pairs.name, found, seed=0, settings=settings)


def interval(texts, references):
    """Return the half width of BLEU's 95 % interval, by 1,000 draws of the sentences."""
    streams = list(itertools.zip_longest(*references))
    judge = sacrebleu.metrics.BLEU(tokenize="none", force=True)
    return judge.corpus_score(texts, streams, n_bootstrap=1000)._ci


def record_first_batches(seed):
    """Train for 400 batches from both biases, and without the tanh; record ã."""
    pairs = real_pairs(FIRST["pairs"])
    record_unigram(pairs)
    record_attention_vectors(seed, ("dot_zeros", "dot_frequencies", "linear_zeros"))
    for bias in BIASES:
        _, run = train_on_real_pairs("plain", seed, pairs, FIRST | {"bias": bias})
        run.record(LECTURE, f"plain_{bias.split()[-1]}", "first_400_batches")


def record_attention_vectors(seed, names):
    """Train attention for 400 batches; record the loss and what its ã is like."""
    pairs = real_pairs(FIRST["pairs"])
    arms = {f"dot_{bias.split()[-1]}": ("dot", bias) for bias in BIASES}
    arms |= {"linear_zeros": ("linear", "zeros")}  # without the tanh
    for name in names:
        kind, bias = arms[name]
        model, run = train_on_real_pairs(kind, seed, pairs, FIRST | {"bias": bias})
        run.record(LECTURE, name, "first_400_batches", **about_vectors(model, pairs.val))


def record_unigram(pairs):
    """Record the validation loss of the unigram baseline, which knows the frequencies alone."""
    log_p = translation.log_frequencies(pairs.train.targets, len(pairs.vocabulary["target"]))
    loss = -log_p[pairs.val.targets[pairs.val.targets != 0]].mean()
    note = f"validation loss of the word frequencies of {len(pairs.train.targets):,} pairs"
    results.record_table(LECTURE, "unigram", [{"loss": loss}], note)


def about_vectors(model, split):
    """Return how saturated and how constant the attention vectors ã are.

    `saturated`: the share of their numbers beyond ±0.95. `states`: the same of the GRU's
    states. `constant`: the share of the units that are beyond 0.95, or beyond −0.95, at more
    than 95 % of the words. `mean_loss`: the loss if each ã is replaced by their mean; `loss`:
    without that.
    """
    split = split.take(slice(200))
    real, source, target = split.targets != 0, split.inputs["source"], split.inputs["target"]
    encoded, last, mask = model.encode(source)
    states = model.decoder(model.target_embedding(target), initial_state=last)[0]
    found = ops.convert_to_numpy(model.attend(states, encoded, mask))[real]
    sides = [(side * found > 0.95).mean(axis=0) for side in (1, -1)]
    losses = []
    for vectors in (found, np.broadcast_to(found.mean(axis=0), found.shape)):
        log_p = ops.convert_to_numpy(ops.log_softmax(model.to_words(vectors)))
        losses.append(-np.take_along_axis(log_p, split.targets[real][:, None], axis=1).mean())
    return {
        "saturated": (np.abs(found) > 0.95).mean(),
        "constant": (np.maximum(*sides) > 0.95).mean(),
        "states": (np.abs(ops.convert_to_numpy(states)[real]) > 0.95).mean(),
        "loss": losses[0],
        "mean_loss": losses[1],
    }
