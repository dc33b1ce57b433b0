"""What the full profile of lecture 02 records: reviews by kind, and IMDB."""

import keras
import numpy as np

from course_utils import data, results, training
from lectures.lecture_02 import (
    IMDB,
    LECTURE,
    add_pads,
    build_writer,
    count_contexts,
    count_words,
    late_turns,
    next_characters,
    review_model,
)

WINDOW, STRENGTH = 30, 0.1  # best on validation of 10, 20, 30 words and of C = 0.1, 1, 10


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    count(seed)
    train_writer(seed)
    for learning_rate in (0.001, 0.003, 0.01):
        read_reviews(seed, learning_rate)
    read_reviews(seed, distractors=0.0)
    for name in IMDB:
        train_on_imdb(name, seed)


def count(seed):
    """Record logistic regressions on words, bigrams, and those of the last words, by kind."""
    reviews = data.load_reviews(form="text")
    for name, longest in (("counting", 1), ("counting_bigrams", 2), ("counting_trigrams", 3)):
        found = counted(reviews, longest, 999)
        settings = {"one_seed_because": "nothing is random"}
        results.record(LECTURE, name, "reviews", found, seed=seed, settings=settings)
    found = counted(reviews, 2, WINDOW, STRENGTH)
    settings = {"window": WINDOW, "strength": STRENGTH, "one_seed_because": "nothing is random"}
    results.record(
        LECTURE, "counting_last_words", "reviews", found, seed=seed, settings=settings
    )


def counted(reviews, longest, window, strength=1.0):
    """Return the test accuracy, by kind, of a logistic regression on n-grams."""
    predict = count_words(reviews.train, longest, window, strength)
    return by_kind(predict(reviews.test.inputs) == reviews.test.targets, reviews.test)


def by_kind(correct, split):
    """Return the share of reviews read correctly, by kind."""
    kinds = split.columns["phenomenon"]
    return {str(kind): float(correct[kinds == kind].mean()) for kind in np.unique(kinds)}


def read_reviews(seed, learning_rate=0.003, **grammar):
    """Train the reader of section "Back to the reviews" for ten epochs, and record it.

    0.003 is the best of 0.001, 0.003 and 0.01 on validation. Metrics are the accuracy by kind
    and, as "turn, 30 words on", that of new turns by the words after the deciding verdict, in
    tens. Without distractors *far* reviews judge the film alone, in training and in the test.
    """
    reviews = data.load_reviews(**grammar)
    keras.utils.set_random_seed(seed)
    name = "simple_rnn_32_film_alone" if grammar else "simple_rnn_32"
    name += f"_at_{learning_rate}".replace(".", "_") if learning_rate != 0.003 else ""
    model = review_model(len(reviews.vocabulary), name=name)
    optimizer = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    batches = [data.length_buckets(part, 64) for part in (reviews.train, reviews.val)]
    settings = {"learning_rate": learning_rate}
    run = training.fit(model, batches, 10, source=reviews.source, settings=settings)
    if learning_rate != 0.003:  # its validation decides; the test set is not read
        run.record(LECTURE, dataset="reviews")
        return
    correct = judged(model, reviews.test.inputs) == reviews.test.targets
    found = by_kind(correct, reviews.test)
    if not grammar:
        _, ids, labels, tens = late_turns(reviews.vocabulary)
        right = judged(model, data.pad(ids, max(map(len, ids)))) == labels
        found |= {f"turn, {10 * ten} words on": right[tens == ten].mean() for ten in range(7)}
    found = {name: float(value) for name, value in found.items()}
    run.record(LECTURE, dataset="reviews", test_accuracy=float(correct.mean()), **found)


def train_writer(seed):
    """Train the writer for twenty epochs, and record its perplexity on the held-out windows.

    `after_6_epochs` is that of the notebook's budget, `five_grams` that of counting.
    """
    parts, alphabet = next_characters()
    keras.utils.set_random_seed(seed)
    model = build_writer(len(alphabet))
    optimizer = keras.optimizers.Adam(0.005, clipnorm=1.0)
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    how = {"source": "this course's lectures", "settings": {"learning_rate": 0.005}}
    run = training.fit(model, parts, epochs=20, batch_size=32, **how)
    perplexity = np.exp(run.history["val_loss"])
    ngrams, _ = count_contexts(*(part.inputs.ravel() for part in parts), len(alphabet))
    found = {"perplexity": perplexity[-1], "after_6_epochs": perplexity[5]}
    found = {name: float(value) for name, value in found.items()}
    run.record(LECTURE, dataset="prose", **found, five_grams=ngrams[-1])


def judged(model, ids):
    """Return which reviews a model takes for praise, bool (batch,)."""
    return model.predict(ids, batch_size=500, verbose=0)[:, 0] > 0.5


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
