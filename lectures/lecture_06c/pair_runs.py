"""Lab 06c's recorded comparison on pairs of sentences: what each model may see.

All arms are trained alike: in stages, premises of one clause first, all at last. The learning
rate is the best of one grid on validation with seed 0; then three seeds read the test once.
"""

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import results, schedules
from lectures.lecture_06b import tokenizers
from lectures.lecture_06c import (
    pair_classifier,
    pair_encoder,
    pair_rows,
    rivals,
    side_by_side,
    single_rows,
)
from lectures.lecture_06c.pairs import LABELS

LENGTH, BATCH = 32, 32
STAGES = ((1, 6), (2, 8), (3, 14))  # premises of at most so many clauses, epochs
RATES = (2e-3, 4e-3)


def pair_tokenizer(data):
    """Whole words, those of the training part."""
    return tokenizers.train("words", np.concatenate([*data.train.inputs.values()]), 1_000)


def hypothesis_alone(tokenizer):
    """The rows of an arm, a function of a part, and its model: the hypothesis alone."""
    model = pair_classifier(pair_encoder(len(tokenizer), LENGTH), len(LABELS))
    return lambda part: single_rows(part, tokenizer, LENGTH, "hypothesis"), model


def bag_of_words(tokenizer):
    """Counts of both sentences and of the words that they share, one hidden layer."""
    counts = keras.Input((3 * len(tokenizer),))
    x = layers.Dense(128, activation="gelu")(counts)
    return lambda part: bags(part, tokenizer), keras.Model(counts, layers.Dense(len(LABELS))(x))


def both_apart(tokenizer):
    """Each sentence by itself: `side_by_side`."""

    def rows(part):
        sides = ("premise", "hypothesis")
        return {side: single_rows(part, tokenizer, LENGTH, side)["ids"] for side in sides}

    return rows, side_by_side(pair_encoder(len(tokenizer), LENGTH), len(LABELS))


def both_at_once(tokenizer):
    """Both sentences in one row: `pair_classifier`."""
    model = pair_classifier(pair_encoder(len(tokenizer), LENGTH), len(LABELS))
    return lambda part: pair_rows(part, tokenizer, LENGTH), model


ARMS = {
    "pair_hypothesis": hypothesis_alone,
    "pair_bag": bag_of_words,
    "pair_apart": both_apart,
    "pair_both": both_at_once,
}


def bags(part, tokenizer):
    """Counts of each side's words, and the smaller of the two: float32 (pairs, 3 · words)."""
    sides = []
    for side in ("premise", "hypothesis"):
        ids = [tokenizer.ids(text) for text in part.inputs[side]]
        sides.append([np.bincount(row, minlength=len(tokenizer)) for row in ids])
    premise, hypothesis = np.array(sides, "float32")
    return np.hstack([premise, hypothesis, np.minimum(premise, hypothesis)])


def cut(rows, chosen):
    """Some rows: an array, or a dict of arrays of ids, without columns that are 0 in all."""
    if isinstance(rows, dict):
        kept = {name: array[chosen] for name, array in rows.items()}
        length = max(int((array > 0).sum(axis=1).max()) for array in kept.values())
        return {name: array[:, :length] for name, array in kept.items()}
    return rows[chosen]


def fit_pairs(model, rows, train, learning_rate):
    """Train on `rows` of `train`, in stages by the number of clauses; returns nothing.

    AdamW, gradients clipped to a norm of 1; in each stage a warm-up, then a cosine down to 0.
    """
    for most, epochs in STAGES:
        chosen = train.columns["clauses"] <= most
        steps = epochs * (chosen.sum() // BATCH)
        schedule = schedules.WarmupCosine(learning_rate, steps, min(100, steps // 4))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(
            keras.optimizers.AdamW(schedule, weight_decay=0.01, global_clipnorm=1.0), loss
        )
        model.fit(cut(rows, chosen), train.targets[chosen], BATCH, epochs, verbose=0)


def right(model, rows, part):
    """Which pairs of a part the model answers right: bool (pairs,)."""
    return model.predict(rows, batch_size=300, verbose=0).argmax(axis=1) == part.targets


def by_column(hits, part):
    """Accuracy on the test part: of all pairs, by phenomenon, by clauses, by distance."""
    found = {"test_accuracy": hits.mean()}
    columns = part.columns
    for name in np.unique(columns["phenomenon"]):
        found[str(name)] = hits[columns["phenomenon"] == name].mean()
    for count in np.unique(columns["clauses"]):
        found[f"clauses {count}"] = hits[columns["clauses"] == count].mean()
    three = columns["clauses"] == 3
    for name, (least, most) in {"near": (0, 2), "middle": (3, 7), "far": (8, 99)}.items():
        chosen = three & (columns["distance"] >= least) & (columns["distance"] <= most)
        found[f"distance {name}"] = hits[chosen].mean()
    return found


def record_pair_arm(lecture, name, new_arm, data, rates=RATES):
    """Choose an arm's learning rate on validation with seed 0; record three seeds.

    new_arm: a function of a tokenizer that returns a function from a part to rows, and a new
    model. rates: the learning rates to choose from.
    """
    tokenizer = pair_tokenizer(data)

    def run(learning_rate, seed):
        keras.utils.set_random_seed(seed)
        rows, model = new_arm(tokenizer)
        fit_pairs(model, rows(data.train), data.train, learning_rate)
        return right(model, rows(data.val), data.val).mean(), model, rows

    tried = {rate: run(rate, 0) for rate in rates}
    best = max(tried, key=lambda rate: tried[rate][0])
    table = [{"learning_rate": rate, "val_accuracy": found[0]} for rate, found in tried.items()]
    results.record_table(lecture, f"rates-{name}", table, f"{name}, seed 0")
    for seed in range(3):
        reached, model, rows = run(best, seed) if seed else tried[best]
        found = by_column(right(model, rows(data.test), data.test), data.test)
        settings = {"learning_rate": best, "stages": STAGES, "batch_size": BATCH}
        results.record(
            lecture,
            name,
            data.name,
            {"val_accuracy": reached} | found,
            seed=seed,
            source=data.source,
            settings=settings,
            parameters=model.count_params(),
            epochs=sum(epochs for _, epochs in STAGES),
        )


def linear_pairs(data):
    """Test accuracy of logistic regressions on the hypothesis alone and on both sentences."""
    tokenizer = pair_tokenizer(data)
    words = TfidfVectorizer(ngram_range=(1, 3)).fit(data.train.inputs["hypothesis"])
    arms = {
        "hypothesis": lambda part: words.transform(part.inputs["hypothesis"]),
        "bag of words": lambda part: bags(part, tokenizer),
    }
    found = {}
    for name, features in arms.items():
        train, val, test = map(features, (data.train, data.val, data.test))
        fits = [
            LogisticRegression(C=C, max_iter=300, tol=1e-3).fit(train, data.train.targets)
            for C in rivals.STRENGTHS
        ]
        best = max(fits, key=lambda fit: fit.score(val, data.val.targets))
        found[name] = best.score(test, data.test.targets)
    return found
