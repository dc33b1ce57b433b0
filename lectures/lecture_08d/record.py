"""What lab 08d records: recall of marks and of pairs, reviews, and what a step costs.

The networks are one block of 32 channels around the layer that mixes tokens (minGRU on reviews:
also two), else alike but for attention's positions (`mixed`). Marks and reviews are recorded at
all of `RATES`, pairs and sizes of the state at the two larger ones.
"""

import statistics
import time

import keras
import numpy as np
from keras import layers, ops

from course_utils import data, results
from course_utils.layers import MaskedAveragePooling1D, MultiHeadAttention
from lectures.lecture_03 import marked_symbols
from lectures.lecture_08d import (
    LECTURE,
    MIXERS,
    SYMBOLS,
    UNITS,
    block,
    mixed,
    pairs_to_recall,
    recaller,
)
from lectures.lecture_08d.recurrences import MinGRUCell, ScannedRNN, SelectiveState

RATES, PAIRS, STATES = (0.001, 0.003, 0.01), (4, 8, 16), (1, 2, 4, 8, 16)
MARKS = {"batches": 500, "batch": 64, "steps": 100, "units": UNITS}
ASKED = {"batches": 1_000, "batch": 64, "symbols": SYMBOLS, "units": UNITS}
REVIEWS = {"epochs": 6, "batch": 64, "units": UNITS}
LENGTHS, COST_BATCH, COST_UNITS = (128, 256, 512, 1_024, 2_048), 4, 64


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    recall_marks(seed)
    recall_pairs(seed)
    vary_state(seed)
    read_reviews(seed)
    if not seed:
        time_steps()


def fitted(model, train, test, learning_rate):
    """Train a recaller on (x, answers), each batch once; return its accuracy on `test`."""
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", steps_per_execution=10)
    model.fit(*train, batch_size=64, shuffle=False, verbose=0)
    named = model.predict(test[0], batch_size=500, verbose=0).argmax(axis=-1)
    return float((named == test[1]).mean())


def recall_marks(seed):
    """Recall one marked symbol of a hundred; record each mixer's accuracy by learning rate."""
    train, test = (
        marked_symbols(count, at + seed)[:2] for count, at in ((64 * 500, 0), (4_000, 10_000))
    )
    found = {}
    for mixer in MIXERS:
        for rate in RATES:
            keras.utils.set_random_seed(seed)
            model = recaller(mixer, 100, 5, 4)
            found[f"{mixer}, {rate}"] = fitted(model, train, test, rate)
    results.record(LECTURE, "marks", "marked_symbols", found, seed=seed, settings=MARKS)


def pair_parts(seed, pairs):
    """Pairs to train on and to test with, each made once."""
    counts = ((64 * 1_000, 0), (4_000, 10_000))
    return [pairs_to_recall(count, at + seed, pairs) for count, at in counts]


def recall_pairs(seed):
    """Recall the value of a key among more and more pairs; record as `recall_marks` does."""
    found = {}
    for pairs in PAIRS:
        train, test = pair_parts(seed, pairs)
        for mixer in MIXERS:
            for rate in RATES[1:]:
                keras.utils.set_random_seed(seed)
                model = recaller(mixer, pairs + 1, 2 * SYMBOLS, SYMBOLS)
                found[f"{pairs} pairs, {mixer}, {rate}"] = fitted(model, train, test, rate)
    results.record(LECTURE, "pairs", "key_values", found, seed=seed, settings=ASKED)


def vary_state(seed):
    """Recall one of 16 values with selective states of other sizes, all else alike."""
    found, (train, test) = {}, pair_parts(seed, 16)
    for state in STATES:
        for rate in RATES[1:]:
            keras.utils.set_random_seed(seed)
            inputs = keras.Input((17, 2 * SYMBOLS))
            x = block(layers.Dense(UNITS)(inputs), SelectiveState(UNITS, state))
            last = layers.LayerNormalization()(x)[:, -1]
            model = keras.Model(inputs, layers.Dense(SYMBOLS, activation="softmax")(last))
            found[f"{state}, {rate}"] = fitted(model, train, test, rate)
    results.record(LECTURE, "states", "key_values", found, seed=seed, settings=ASKED)


def read_reviews(seed):
    """Judge the course's reviews; record the test accuracy of each mixer by phenomenon.

    The mean of all words' last vectors is judged; attention reads both directions, as an
    encoder does, the others forwards. minGRU is tried with two blocks, too.
    """
    reviews, found = data.load_reviews(), {}
    arms = {mixer: (mixer, 1) for mixer in MIXERS} | {"minGRU, two blocks": ("minGRU", 2)}
    for arm, (mixer, blocks) in arms.items():
        for rate in RATES:
            keras.utils.set_random_seed(seed)
            ids = keras.Input((reviews.train.inputs.shape[1],), dtype="int32")
            x = layers.Embedding(len(reviews.vocabulary), UNITS, mask_zero=True)(ids)
            for _ in range(blocks):
                x = mixed(x, mixer, causal=False)
            verdict = layers.Dense(1, activation="sigmoid", dtype="float32")
            model = keras.Model(ids, verdict(MaskedAveragePooling1D()(x)))
            optimizer = keras.optimizers.Adam(rate, clipnorm=1.0)
            model.compile(optimizer, "binary_crossentropy", steps_per_execution=10)
            model.fit(
                reviews.train.inputs, reviews.train.targets, 64, REVIEWS["epochs"], verbose=0
            )
            praise = model.predict(reviews.test.inputs, batch_size=500, verbose=0)[:, 0] > 0.5
            correct = praise == reviews.test.targets
            of = reviews.test.columns["phenomenon"]
            for kind in np.unique(of):
                found[f"{arm}, {rate}: {kind}"] = float(correct[of == kind].mean())
    results.record(LECTURE, "readers", "reviews", found, seed=seed, settings=REVIEWS)


def timed(length):
    """The layers whose training steps are timed, by name, of 64 units."""

    def attention():
        inputs = keras.Input((length, COST_UNITS), batch_size=COST_BATCH)
        mixer = MultiHeadAttention(COST_UNITS, num_heads=4)
        return keras.Model(inputs, mixer(inputs, inputs, use_causal_mask=True))

    return {
        "LSTM": lambda: layers.LSTM(COST_UNITS, return_sequences=True),
        "GRU": lambda: layers.GRU(COST_UNITS, return_sequences=True),
        "minGRU, loop": lambda: layers.RNN(MinGRUCell(COST_UNITS), return_sequences=True),
        "minGRU, scan": lambda: ScannedRNN(MinGRUCell(COST_UNITS), return_sequences=True),
        "attention": attention,
    }


def time_steps():
    """Time training steps of one layer by length, in turn; record the medians, and memory.

    Memory is what the compiled step allocates besides its inputs and outputs; JAX alone says.
    """
    rows = []
    for length in LENGTHS:
        x = np.random.default_rng(0).normal(size=(COST_BATCH, length, COST_UNITS))
        x, models, seconds = x.astype("float32"), {}, {}
        for name, layer in timed(length).items():
            model = keras.Sequential([keras.Input(batch_shape=x.shape), layer()])
            model.compile(keras.optimizers.SGD(1e-3), "mse")
            model.train_on_batch(x, x)  # compiles
            models[name], seconds[name] = model, []
        for _ in range(15):
            for name, model in models.items():
                began = time.perf_counter()
                model.train_on_batch(x, x)
                seconds[name].append(time.perf_counter() - began)
        for name, model in models.items():
            middle = 1_000 * statistics.median(seconds[name])
            row = {"length": length, "layer": name, "milliseconds a step": middle}
            rows.append(row | {"MB": megabytes(model, x)})
    note = (
        "a training step of one layer of 64 units, 4 sequences, float32, medians of 15 in turn"
    )
    results.record_table(LECTURE, "cost", rows, note)


def megabytes(model, x):
    """What the gradient of a model's squared outputs allocates, in MB; None but with JAX."""
    if keras.backend.backend() != "jax":
        return None
    import jax

    def loss(weights):
        outputs, _ = model.stateless_call(weights, model.non_trainable_variables, x)
        return ops.sum(ops.square(outputs))

    weights = [variable.value for variable in model.trainable_variables]
    step = jax.jit(jax.grad(loss)).lower(weights).compile()
    return step.memory_analysis().temp_size_in_bytes / 1e6
