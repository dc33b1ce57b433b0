"""What the full profile of lecture 02 records: reviews by kind, and IMDB."""

import keras
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import data, results, training
from lectures.lecture_02 import (
    IMDB,
    LECTURE,
    add_pads,
    last_words,
    review_model,
)

WINDOW, STRENGTH = 30, 0.1  # best on validation of 10, 20, 30 words and of C = 0.1, 1, 10


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    count_words(seed)
    read_reviews(seed)
    for name in IMDB:
        train_on_imdb(name, seed)


def count_words(seed):
    """Record logistic regressions on words, bigrams, and those of the last words, by kind."""
    reviews = data.load_reviews(form="text")
    for name, longest in (("counting", 1), ("counting_bigrams", 2)):
        found = by_kind(counted(reviews, longest, 999), reviews.test)
        results.record(LECTURE, name, "reviews", found, seed=seed)
    found = by_kind(counted(reviews, 2, WINDOW, STRENGTH), reviews.test)
    settings = {"window": WINDOW, "strength": STRENGTH, "one_seed_because": "nothing is random"}
    results.record(
        LECTURE, "counting_last_words", "reviews", found, seed=seed, settings=settings
    )


def counted(reviews, longest, window, strength=1.0):
    """Return which test reviews a logistic regression on n-grams reads correctly, bool."""
    counter = CountVectorizer(ngram_range=(1, longest), binary=True)
    model = LogisticRegression(C=strength, max_iter=1000)
    seen, unseen = (last_words(part.inputs, window) for part in (reviews.train, reviews.test))
    model.fit(counter.fit_transform(seen), reviews.train.targets)
    return model.predict(counter.transform(unseen)) == reviews.test.targets


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
