"""What the full profile of lecture 01 records: twenty words, counting, few labels."""

from dataclasses import replace
from functools import partial

import keras
import numpy as np
from keras import layers
from scipy.sparse import csr_matrix, diags_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression

from course_utils import models, results, training
from course_utils.data import load_imdb, tokenize
from course_utils.layers import MaskedAveragePooling1D
from lectures.lecture_01 import flatten_network, log_ratios, ngrams, unit
from lectures.lecture_01.word_vectors import LECTURE, record_skip_gram

STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
EPOCHS = {200: 80, 2_000: 40, 20_000: 12}  # by the number of labels
COUNTED = {  # the longest n-gram, the number of columns, their weights
    "multi_hot_10k": (1, 10_000, None),
    "tf_idf_10k": (1, 10_000, "tf-idf"),
    "bigrams_200k": (2, 200_000, None),
    "tf_idf_bigrams_200k": (2, 200_000, "tf-idf"),
    "bigrams_200k_log_ratios": (2, 200_000, "log ratios"),
}


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    record_skip_gram(seed)
    for keep in ("last", "first"):
        flatten_on_imdb(keep, seed)
        count_twenty_words(keep)
    for name in COUNTED:
        count_on_imdb(name, seed)
    if seed == 0:  # nothing in it is random
        count_network_input()
    data, table = alike("skip_gram_imdb")
    count_few(data, seed)
    for labels in EPOCHS:
        for start in ("learned", "frozen", "fine_tuned"):
            start_on_imdb(start, labels, data, table, seed)
    exchange_vectors(data, table, seed)


def flatten_on_imdb(keep, seed):
    """Record the slides' network on twenty words of each review of IMDB, its first or last."""
    data = load_imdb(length=20, keep=keep)
    keras.utils.set_random_seed(seed)
    model = flatten_network(20)
    model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
    settings = {"length": 20, "keep": keep, "optimizer": "rmsprop", "batch_size": 32}
    run = training.fit(model, data, 10, batch_size=32, settings=settings)
    found = model.evaluate(data.test.inputs, data.test.targets, verbose=0)[1]
    run.record(LECTURE, f"flatten_{keep}_20", "imdb", test_accuracy=found)


def count_twenty_words(keep):
    """Record logistic regression on which words are among the same twenty."""
    data, how = load_imdb(length=20, keep=keep), {"one_seed_because": "nothing is random"}
    count_ids(f"words_{keep}_20", data, 1, None, 0, **how)


def count_network_input():
    """Record words and bigrams of what the networks of lectures 2 to 4 read of IMDB."""
    data, how = load_imdb("ids", 5_000, 500), {"one_seed_because": "nothing is random"}
    count_ids("counted_500", data, 2, "log ratios", 0, **how)


def count_few(data, seed):
    """Record tf-idf of words and bigrams of the input that `start_on_imdb` has, 200 labels."""
    count_ids("counted_200", few(data, 200, seed), 2, "tf-idf", seed)


def exchange_vectors(data, table, seed):
    """Record logistic regression on the mean vector of a review, with 200 labels.

    That is what the frozen table learns, without a learning rate: once with the table, once
    with its vectors exchanged among the words.
    """
    chosen, known = few(data, 200, seed), np.flatnonzero(table.any(axis=1))
    exchanged = table.copy()
    exchanged[known] = table[np.random.default_rng(seed).permutation(known)]
    splits = chosen.train, chosen.val, chosen.test
    counts = [counts_of(split.inputs, 1, np.arange(len(table))) for split in splits]
    shares = [diags_array(1 / np.maximum(one.sum(axis=1).A1, 1)) @ one for one in counts]
    for name, vectors in {"mean_vector": table, "exchanged": exchanged}.items():
        means, targets = [one @ vectors for one in shares], [one.targets for one in splits]
        sizes = {"parameters": table.shape[1] + 1, "columns": table.shape[1]}
        record_chosen(f"{name}_200", means, targets, seed, **sizes)


def count_ids(name, data, longest, weights, seed, **about):
    """Record logistic regression on n-grams of ids, its strength chosen on validation.

    longest: 1 or 2. weights: "tf-idf", "log ratios", or None for 1 where an n-gram occurs.
    """
    splits = data.train, data.val, data.test
    known = np.unique(keys_of(data.train.inputs, longest)[1])
    parts = [counts_of(split.inputs, longest, known) for split in splits]
    if weights != "tf-idf":
        parts = [(part > 0).astype("float64") for part in parts]
    parts = weighted(parts, data.train.targets, weights)
    record_chosen(name, parts, [split.targets for split in splits], seed, **about)


def weighted(parts, targets, weights):
    """Return counts of n-grams, weighted by what the first of the parts, with targets, says."""
    if weights == "tf-idf":
        scale = TfidfTransformer().fit(parts[0])
        return [scale.transform(part) for part in parts]
    if weights == "log ratios":
        ratios = log_ratios(parts[0], targets)
        return [part.multiply(ratios).tocsr() for part in parts]
    return parts


def keys_of(ids, longest):
    """Return the rows and numbers of all words, and with `longest` 2 of all pairs."""
    found = [(*np.nonzero(ids), ids[ids > 0])]
    if longest == 2:
        left, right = ids[:, :-1].astype("int64"), ids[:, 1:]
        both = (left > 0) & (right > 0)
        found.append((*np.nonzero(both), (left * 10_000 + right)[both]))
    rows, _, keys = map(np.concatenate, zip(*found, strict=True))
    return rows, keys


def counts_of(ids, longest, known):
    """Return how often each n-gram of the sorted `known` stands in each row, sparse."""
    rows, keys = keys_of(ids, longest)
    column = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    there = known[column] == keys
    ones = np.ones(there.sum())
    return csr_matrix((ones, (rows[there], column[there])), shape=(len(ids), len(known)))


def record_chosen(name, parts, targets, seed, parameters=None, **settings):
    """Fit logistic regression in each strength, record the best one on validation.

    parts, targets: of training, validation and test. parameters: where they do not follow
    from the data.
    """

    def attempt(strength):
        model = LogisticRegression(C=strength, solver="liblinear").fit(parts[0], targets[0])
        return model.score(parts[1], targets[1]), model

    strength, runs = choose(STRENGTHS, 1_000, attempt)
    chosen, model = runs[strength]
    found = {"val_accuracy": chosen, "test_accuracy": model.score(parts[2], targets[2])}
    settings |= {"strength": strength}
    about = {"parameters": parameters, "settings": settings, "seed": seed}
    results.record(LECTURE, name, "imdb", found, **about)


def choose(grid, most, attempt):
    """Return the value whose attempt has the best first entry, and all attempts by value.

    While the largest of the grid is the best, three times as much is tried as well.
    """
    runs, grid = {}, list(grid)
    for value in grid:
        runs[value] = attempt(value)
        best = max(runs, key=lambda each: runs[each][0])
        if value == best == grid[-1] and 3 * value <= most:
            grid.append(round(3 * best, 1))
    return best, runs


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
    chosen = few(data, labels, seed)
    return training.fit(model, chosen, epochs, batch_size=32, patience=epochs), model


def count_on_imdb(name, seed):
    """Record logistic regression on words and n-grams of IMDB, one of `COUNTED`.

    The strength of the regularisation is chosen on 5,000 validation reviews, which the seed
    selects; the test set is read once, afterwards.
    """
    longest, columns, weights = COUNTED[name]
    data = load_imdb(form="text")
    texts = [*data.train.inputs, *data.val.inputs]
    tokens = np.array([tokenize(text) for text in texts], object)
    targets = np.concatenate([data.train.targets, data.val.targets])
    order = np.random.default_rng(seed).permutation(len(targets))
    fit_on, choose_on = order[len(data.val) :], order[: len(data.val)]
    counter = CountVectorizer(
        analyzer=partial(ngrams, longest=longest),
        binary=weights != "tf-idf",
        max_features=columns,
    )
    train = counter.fit_transform(tokens[fit_on])
    test = counter.transform([tokenize(text) for text in data.test.inputs])
    parts = [
        part.astype("float64") for part in (train, counter.transform(tokens[choose_on]), test)
    ]
    labels = targets[fit_on], targets[choose_on], data.test.targets
    columns = train.shape[1]
    sizes = {"parameters": columns + 1, "columns": columns}
    record_chosen(name, weighted(parts, labels[0], weights), labels, seed, **sizes)


def alike(vectors):
    """Return the last 200 words of IMDB's reviews, and the table of shipped vectors for them.

    A word without a vector counts as unknown, so that all arms read the same words.
    """
    shipped, data = models.load_pretrained(vectors), load_imdb(length=200)
    words = shipped["words"]
    shared = np.isin(data.vocabulary.words, ["<pad>", *words])

    def known(split):
        return replace(split, inputs=np.where(shared[split.inputs], split.inputs, 1))

    data = replace(data, train=known(data.train), val=known(data.val), test=known(data.test))
    table = pretrained_table(data.vocabulary, words, shipped["vectors"].astype("float32"))
    return data, table


def few(data, labels, seed):
    """Return the data with as many training reviews, and 1,000 to choose settings on."""
    order = np.random.default_rng(seed).permutation(len(data.train))[:labels]
    return replace(data, train=data.train.take(order), val=data.val.take(slice(0, 1_000)))


def start_on_imdb(start, labels, data, table, seed):
    """Record `train_from` on IMDB, its learning rate chosen on validation reviews."""

    def attempt(rate):
        run, model = train_from(start, data, table, labels, EPOCHS[labels], rate, seed)
        return max(run.history["val_accuracy"]), run, model

    rate, runs = choose(RATES, RATES[-1], attempt)
    _, run, model = runs[rate]
    found = model.evaluate(data.test.inputs, data.test.targets, verbose=0)[1]
    run.settings = {
        "labels": labels,
        "length": 200,
        "shared_words": int(table.any(axis=1).sum()),
        "learning_rate": rate,
        "validation_by_learning_rate": {str(each): runs[each][0] for each in runs},
        "batch_size": 32,
    }
    run.record(LECTURE, f"{start}_{labels}", "imdb", test_accuracy=found)
