"""What the full profile of lecture 03 records: a grid of cells, and readers of IMDB."""

from functools import partial

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import data, results, training
from lectures.lecture_01 import ngrams
from lectures.lecture_03 import IMDB_READERS, LECTURE, start_bias

GRID = {  # a cell's name, its Keras layer and its starting bias
    "SimpleRNN": (layers.SimpleRNN, None),
    "LSTM, bias 1": (layers.LSTM, 1),
    "LSTM, bias 3": (layers.LSTM, 3),
    "GRU, bias 0": (layers.GRU, 0),
    "GRU, bias 3": (layers.GRU, 3),
}

LEARNING_RATES = (0.001, 0.003, 0.01)

BY_PHENOMENON = {"LSTM, bias 1": "lstm_32", "GRU, bias 0": "gru_32"}  # later lectures' lines

IMDB = {"length": 500, "words dropped": 0.25, "dropout": 0.5, "epochs": 8}


RATES_TRIED = {  # on IMDB, by one seed, besides each reader's own learning rate
    "simple_rnn_32": (0.0005, 0.002, 0.004, 0.008),
    "lstm_32": (0.001, 0.002, 0.004),
    "gru_32": (0.001, 0.002, 0.004),
    "bidirectional_32": (0.001, 0.002, 0.008),
}


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    if not seed:
        count_phrases()
    review_grid(seed)
    for name in IMDB_READERS:
        train_on_imdb(name, seed)
        for learning_rate in [] if seed else RATES_TRIED[name]:
            train_on_imdb(name, seed, learning_rate)


def phrases(text, longest, sentences=None):
    """The n-grams of a review, a string; or of so many of its first sentences."""
    return ngrams(data.tokenize(".".join(text.split(".")[:sentences])), longest)


def count_phrases():
    """Record logistic regression on the n-grams of reviews, chosen as the grid's cells are."""
    reviews = data.load_reviews(form="text")
    found = best_count(reviews, "n-grams") | best_count(reviews, "first sentence", 1)
    settings = {"longest": 4, "one_seed_because": "nothing in it is random"}
    results.record(LECTURE, "counting", "reviews", found, seed=0, settings=settings)


def best_count(reviews, name, sentences=None):
    """Return the accuracies on far reviews (of the test part by kind) of the best of twelve."""
    parts, runs = (reviews.train, reviews.val, reviews.test), []
    for longest in (1, 2, 3, 4):
        analyzer = partial(phrases, longest=longest, sentences=sentences)
        counter = CountVectorizer(analyzer=analyzer, binary=True)
        counter.fit(parts[0].inputs)
        train, *others = (counter.transform(part.inputs) for part in parts)
        for strength in (1.0, 10.0, 100.0):
            model = LogisticRegression(C=strength, max_iter=2_000)
            model.fit(train, parts[0].targets)
            found = {}
            for part, split, counts in zip(
                ("validation", "test"), parts[1:], others, strict=True
            ):
                correct, of = (
                    model.predict(counts) == split.targets,
                    split.columns["phenomenon"],
                )
                found[f"{name}: {part}"] = float(correct[of == "far"].mean())
            found[f"{name}: test, turn"] = float(correct[of == "turn"].mean())
            runs.append((found[f"{name}: validation"], found))
    return max(runs, key=lambda run: run[0])[1]


def review_grid(seed):
    """Train every cell of `GRID` at every learning rate with both kinds of batches; record.

    The metrics are accuracies on far reviews, by cell, learning rate, batches and part; the
    best LSTM and GRU are recorded by phenomenon, too.
    """
    reviews = data.load_reviews()
    found = {}
    for cell, (layer_class, bias) in GRID.items():
        for learning_rate in LEARNING_RATES:
            for kind in ("by length", "mixed"):
                keras.utils.set_random_seed(seed)
                ids, reader = keras.Input((None,), dtype="int32"), layer_class(32)
                embedding = layers.Embedding(len(reviews.vocabulary), 32, mask_zero=True)
                verdict = layers.Dense(1, activation="sigmoid", dtype="float32")
                model = keras.Model(ids, verdict(reader(embedding(ids))))
                if bias is not None:
                    start_bias(reader, bias)
                optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
                model.compile(optimizer, "binary_crossentropy")
                train = reviews.train
                if kind == "mixed":
                    model.fit(train.inputs, train.targets, batch_size=64, epochs=10, verbose=0)
                else:
                    model.fit(data.length_buckets(train, 64), epochs=10, verbose=0)
                for part, split in (("validation", reviews.val), ("test", reviews.test)):
                    praise = model.predict(split.inputs, batch_size=500, verbose=0)[:, 0]
                    correct, of = (praise > 0.5) == split.targets, split.columns["phenomenon"]
                    reached = {one: float(correct[of == one].mean()) for one in np.unique(of)}
                    found[f"{cell}, {learning_rate}, {kind}: {part}"] = reached["far"]
                if (learning_rate, kind) == (0.01, "by length") and cell in BY_PHENOMENON:
                    results.record(LECTURE, BY_PHENOMENON[cell], "reviews", reached, seed=seed)
    settings = {"epochs": 10, "batch": 64, "units": 32}
    results.record(LECTURE, "grid", "reviews", found, seed=seed, settings=settings)


def train_on_imdb(name, seed, learning_rate=None):
    """Train a reader of `IMDB_READERS`, keep its best epoch, read the test set once; record.

    With another learning rate only the validation accuracy is recorded, as `<name>_at_<rate>`.
    """
    reader, best = IMDB_READERS[name]
    imdb = data.load_imdb("ids", 5_000, IMDB["length"])
    parts = imdb.train, imdb.val, imdb.test
    train, val, test = (data.length_buckets(part, 128) for part in parts)
    keras.utils.set_random_seed(seed)
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(5_000, 32, mask_zero=True)(ids)
    # A word is dropped whole; the cell still takes a step, on a vector of zeros.
    x = layers.Dropout(IMDB["words dropped"], noise_shape=(None, None, 1))(x)
    x = layers.SpatialDropout1D(IMDB["dropout"])(x)
    x = layers.Dropout(IMDB["dropout"])(reader()(x))
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    model = keras.Model(ids, verdict, name=name)
    epochs, settings = IMDB["epochs"], IMDB | {"learning_rate": learning_rate or best}
    falling = keras.optimizers.schedules.CosineDecay(learning_rate or best, epochs * len(train))
    optimizer = keras.optimizers.Adam(falling, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    how = {"source": imdb.source, "settings": settings}
    run = training.fit(model, (train, val), epochs, patience=epochs, **how)
    if learning_rate:
        file = f"{name}_at_{learning_rate}".replace(".", "_")
        settings["one_seed_because"] = "it chooses a learning rate on validation"
        found = {"val_accuracy": run.best()}
        results.record(LECTURE, file, "imdb", found, settings=settings)
    else:
        accuracy = model.evaluate(test, verbose=0)[1]
        run.record(LECTURE, dataset="imdb", test_accuracy=accuracy)
