"""What the embedded reviews are for, on three seeds: the lectures rest on these margins."""

import numpy as np
import pytest

from course_utils.data import load_reviews, tokenize
from course_utils.data.reviews_grammar import PHENOMENA

SEEDS = (0, 1, 2)


def by_phenomenon(predicted, split) -> dict[str, float]:
    right = predicted == split.targets
    return {kind: right[split.columns["phenomenon"] == kind].mean() for kind in PHENOMENA}


def counting(seed: int, longest_phrase: int) -> dict[str, float]:
    """Logistic regression on which words, or phrases of so many words, occur."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    reviews = load_reviews(form="text", seed=seed)
    words = CountVectorizer(
        analyzer="word",
        tokenizer=tokenize,
        token_pattern=None,
        lowercase=False,
        binary=True,
        ngram_range=(1, longest_phrase),
    )
    features = words.fit_transform(reviews.train.inputs)
    model = LogisticRegression(max_iter=1_000).fit(features, reviews.train.targets)
    return by_phenomenon(model.predict(words.transform(reviews.test.inputs)), reviews.test)


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_words_reads_negation_backwards(seed):
    accuracy = counting(seed, longest_phrase=1)
    assert accuracy["plain"] >= 0.98
    assert accuracy["negation"] <= 0.10
    assert 0.40 <= accuracy["turn"] <= 0.60
    assert 0.50 <= accuracy["far"] <= 0.75


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_pairs_of_words_reads_negation_but_no_turn(seed):
    accuracy = counting(seed, longest_phrase=2)
    assert accuracy["plain"] >= 0.98
    assert accuracy["negation"] >= 0.98
    assert 0.40 <= accuracy["turn"] <= 0.60


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gated_network_reads_everything(seed):
    import keras

    class StopWhenLearned(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs):
            self.model.stop_training = logs["val_accuracy"] >= 0.995

    reviews = load_reviews(seed=seed)
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [
            keras.layers.Embedding(len(reviews.vocabulary), 16, mask_zero=True),
            keras.layers.LSTM(32),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    optimizer = keras.optimizers.Adam(1e-2, clipnorm=1.0)
    model.compile(optimizer, loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(
        reviews.train.inputs,
        reviews.train.targets,
        batch_size=64,
        epochs=10,
        verbose=0,
        validation_data=(reviews.val.inputs, reviews.val.targets),
        callbacks=[StopWhenLearned()],
    )
    predicted = model.predict(reviews.test.inputs, batch_size=500, verbose=0)[:, 0] > 0.5
    accuracy = by_phenomenon(predicted, reviews.test)
    assert all(accuracy[kind] >= 0.95 for kind in PHENOMENA), accuracy


def test_the_shipped_reviews_are_those_of_seed_0():
    shipped, made = load_reviews(), load_reviews(seed=0)
    assert np.array_equal(shipped.train.inputs, made.train.inputs)
