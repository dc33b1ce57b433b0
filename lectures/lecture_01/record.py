"""What the full profile of lecture 01 records: twenty words, counting, few labels."""

from dataclasses import replace
from functools import partial

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression

from course_utils import models, results, training
from course_utils.data import load_imdb, tokenize
from course_utils.layers import MaskedAveragePooling1D
from lectures.lecture_01 import flatten_network, log_ratios, ngrams, unit
from lectures.lecture_01.word_vectors import LECTURE, record_skip_gram


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    record_skip_gram(seed)
    flatten_on_imdb(seed)
    count_on_imdb(seed)
    shipped = models.load_pretrained("skip_gram_imdb")
    start_on_imdb(shipped["words"], shipped["vectors"].astype("float32"), seed)


def flatten_on_imdb(seed):
    """Record the slides' network on twenty words of each review of IMDB, its first or last."""
    for keep in ("last", "first"):
        data = load_imdb(length=20, keep=keep)
        keras.utils.set_random_seed(seed)
        model = flatten_network(20)
        model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
        settings = {"length": 20, "keep": keep, "optimizer": "rmsprop", "batch_size": 32}
        run = training.fit(model, data, 10, batch_size=32, settings=settings)
        found = model.evaluate(data.test.inputs, data.test.targets, verbose=0)[1]
        run.record(LECTURE, f"flatten_{keep}_20", "imdb", test_accuracy=found)


def pretrained_table(vocabulary, words, vectors):
    """Return an embedding table for a vocabulary, (size, dimensions), from word vectors.

    The vectors are scaled to length 1, centred, and scaled to one spread; words without a
    vector get zeros.
    """
    directions = unit(vectors)
    directions = 3 * (directions - directions.mean(axis=0)) / directions.std()
    place = {word: number for number, word in enumerate(words)}
    table = np.zeros((len(vocabulary), vectors.shape[1]), "float32")
    for number, word in enumerate(vocabulary.words):
        if word in place:
            table[number] = directions[place[word]]
    return table


def train_from(start, data, table, labels, epochs, learning_rate, seed):
    """Train the averaging classifier on few labels; return its Run and its model.

    start: "learned" (a random table, trained), "frozen" (`table`, left as it is) or
    "fine_tuned" (`table`, trained). The best epoch on 1,000 validation reviews is kept.
    """
    keras.utils.set_random_seed(seed)
    embedding = layers.Embedding(*table.shape, mask_zero=True, trainable=start != "frozen")
    pool, verdict = MaskedAveragePooling1D(), layers.Dense(1, activation="sigmoid")
    model = keras.Sequential([keras.Input((None,), dtype="int32"), embedding, pool, verdict])
    if start != "learned":
        embedding.set_weights([table])
    optimizer = keras.optimizers.Adam(learning_rate)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    order = np.random.default_rng(seed).permutation(len(data.train))[:labels]
    few = replace(data, train=data.train.take(order), val=data.val.take(slice(0, 1_000)))
    return training.fit(model, few, epochs, batch_size=32, patience=epochs), model


def count_on_imdb(seed):
    """Record logistic regression on words and n-grams of IMDB, weighted in three ways.

    The strength of the regularisation is chosen on 5,000 validation reviews, which the seed
    selects; the test set is read once, afterwards.
    """
    data = load_imdb(form="text")
    texts = [*data.train.inputs, *data.val.inputs]
    tokens = np.array([tokenize(text) for text in texts], object)
    targets = np.concatenate([data.train.targets, data.val.targets])
    test_tokens = [tokenize(text) for text in data.test.inputs]
    order = np.random.default_rng(seed).permutation(len(targets))
    fit_on, choose_on = order[len(data.val) :], order[: len(data.val)]
    for name, (longest, columns, weights) in {
        "multi_hot_10k": (1, 10_000, None),
        "tf_idf_10k": (1, 10_000, "tf-idf"),
        "bigrams_200k": (2, 200_000, None),
        "tf_idf_bigrams_200k": (2, 200_000, "tf-idf"),
        "bigrams_200k_log_ratios": (2, 200_000, "log ratios"),
    }.items():
        counter = CountVectorizer(
            analyzer=partial(ngrams, longest=longest),
            binary=weights != "tf-idf",
            max_features=columns,
        )
        train = counter.fit_transform(tokens[fit_on]).astype("float64")
        val, test = counter.transform(tokens[choose_on]), counter.transform(test_tokens)
        if weights == "tf-idf":
            scale = TfidfTransformer().fit(train)
            train, val, test = (scale.transform(part) for part in (train, val, test))
        elif weights == "log ratios":
            ratios = log_ratios(train, targets[fit_on])
            train, val, test = (part.multiply(ratios).tocsr() for part in (train, val, test))
        runs = []
        for strength in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0):
            model = LogisticRegression(C=strength, solver="liblinear")
            model.fit(train, targets[fit_on])
            runs.append((model.score(val, targets[choose_on]), strength, model))
        chosen, strength, model = max(runs, key=lambda run: run[0])
        found = {"val_accuracy": chosen, "test_accuracy": model.score(test, data.test.targets)}
        settings = {"strength": strength, "columns": train.shape[1]}
        parameters = train.shape[1] + 1
        results.record(LECTURE, name, "imdb", found, parameters=parameters, settings=settings)


def start_on_imdb(words, vectors, seed):
    """Record `train_from` on IMDB: each start and number of labels, its learning rate chosen.

    A word without a vector counts as unknown in all three, so that they read the same words.
    Of six learning rates the best on validation reviews is taken, then the test set is read.
    """
    data = load_imdb(length=200)
    shared = np.isin(data.vocabulary.words, ["<pad>", *words])

    def known(split):
        return replace(split, inputs=np.where(shared[split.inputs], split.inputs, 1))

    data = replace(data, train=known(data.train), val=known(data.val), test=known(data.test))
    table = pretrained_table(data.vocabulary, words, vectors)
    for labels, epochs in {200: 80, 2_000: 40, 20_000: 12}.items():
        for start in ("learned", "frozen", "fine_tuned"):
            runs = []
            for rate in (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1):
                run, model = train_from(start, data, table, labels, epochs, rate, seed)
                runs.append((max(run.history["val_accuracy"]), rate, run, model))
            _, rate, run, model = max(runs, key=lambda each: each[0])
            found = model.evaluate(data.test.inputs, data.test.targets, verbose=0)[1]
            run.settings = {
                "labels": labels,
                "length": 200,
                "shared_words": int(shared.sum()) - 1,
                "learning_rate": rate,
                "validation_by_learning_rate": {str(each[1]): each[0] for each in runs},
                "batch_size": 32,
            }
            name = f"{start}_{labels}"
            run.record(LECTURE, name, "imdb", test_accuracy=found)
