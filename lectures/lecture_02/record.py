"""What the full profile of lecture 02 records: far reviews, and readers of IMDB."""

import keras
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import data, results, training
from lectures.lecture_02 import IMDB, LECTURE, add_pads, review_model


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    count_words(seed)
    read_reviews(seed)
    without_distractors(seed)
    for name in IMDB:
        train_on_imdb(name, seed)


def count_words(seed):
    """Record logistic regressions on words, and on words and bigrams, by kind of review."""
    reviews = data.load_reviews(form="text")
    for name, longest in (("counting", 1), ("counting_bigrams", 2)):
        counter = CountVectorizer(ngram_range=(1, longest), binary=True)
        counted = LogisticRegression(max_iter=1000)
        counted.fit(counter.fit_transform(reviews.train.inputs), reviews.train.targets)
        praised = counted.predict(counter.transform(reviews.test.inputs))
        correct = praised == reviews.test.targets
        found = by_kind(correct, reviews.test)
        results.record(LECTURE, name, "reviews", found, seed=seed)


def by_kind(correct, split):
    """Return the share of reviews read correctly, by kind."""
    kinds = split.columns["phenomenon"]
    return {str(kind): float(correct[kinds == kind].mean()) for kind in np.unique(kinds)}


def read_reviews(seed):
    """Train the reader of section "Back to the reviews" for ten epochs, and record it."""
    reviews = data.load_reviews()
    keras.utils.set_random_seed(seed)
    model = review_model(len(reviews.vocabulary))
    optimizer = keras.optimizers.Adam(0.003, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    batches = [data.length_buckets(part, 64) for part in (reviews.train, reviews.val)]
    settings = {"learning_rate": 0.003}
    run = training.fit(model, batches, 10, source=reviews.source, settings=settings)
    praise = model.predict(reviews.test.inputs, batch_size=500, verbose=0)[:, 0]
    correct = (praise > 0.5) == reviews.test.targets
    found = by_kind(correct, reviews.test)
    run.record(LECTURE, dataset="reviews", test_accuracy=float(correct.mean()), **found)


def without_distractors(seed):
    """Record the accuracy on far reviews with and without distractors, by learning rate."""
    found = {}
    for share in (0.35, 0.0):
        reviews = data.load_reviews(distractors=share)
        for rate in (0.001, 0.003, 0.01):
            keras.utils.set_random_seed(seed)
            model = review_model(len(reviews.vocabulary))
            model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), "binary_crossentropy")
            model.fit(data.length_buckets(reviews.train, 64), epochs=10, verbose=0)
            for part, split in (("validation", reviews.val), ("test", reviews.test)):
                far = split.columns["phenomenon"] == "far"
                praise = model.predict(split.inputs[far], batch_size=500, verbose=0)[:, 0]
                correct = (praise > 0.5) == split.targets[far]
                found[f"distractors {share}, {rate}: {part}"] = float(correct.mean())
    settings = {"epochs": 10, "batch": 64, "units": 32}
    results.record(LECTURE, "distractors", "reviews", found, seed=seed, settings=settings)


def train_on_imdb(name, seed):
    """Train a variant of `IMDB`, keep its best epoch, read the test set once; record.

    `moved_by_pads` is how far ten pads more, on the side where the variant has its pads, move
    the probability of praise, on average over 500 validation reviews.
    """
    mask, pads = IMDB[name]["mask"], IMDB[name]["pads"]
    imdb = data.load_imdb(length=500)
    parts = [imdb.train, imdb.val, imdb.test]
    if pads == "first":
        parts = [
            data.Split(
                np.stack([np.roll(row, -np.count_nonzero(row)) for row in part.inputs]),
                part.targets,
            )
            for part in parts
        ]
    boundaries = None if mask else [500]  # with no mask, shorter batches would hide the pads
    train, val, test = [data.length_buckets(part, 128, boundaries) for part in parts]
    keras.utils.set_random_seed(seed)
    model = review_model(10_000, mask, dropout=0.4, name=name)
    optimizer = keras.optimizers.Adam(1e-3, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    how = {"source": imdb.source, "settings": {"length": 500, "dropout": 0.4, **IMDB[name]}}
    run = training.fit(model, (train, val), epochs=10, patience=4, **how)
    accuracy = model.evaluate(test, verbose=0)[1]
    some = parts[1].inputs[:500]
    before, after = (model.predict(ids, verbose=0) for ids in (some, add_pads(some, pads)))
    moved = float(np.abs(after - before).mean())
    run.record(LECTURE, dataset="imdb", test_accuracy=accuracy, moved_by_pads=moved)
