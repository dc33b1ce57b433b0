"""What reads the reviews of lecture 04 without a network: linear models of short phrases."""

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression


def phrases_of(ids, lengths):
    """Return the phrases of these lengths in a padded review: (last word's place, phrase)."""
    ids = tuple(ids[ids > 0].tolist())
    return [
        (start + n - 1, ids[start : start + n])
        for n in lengths
        for start in range(len(ids) - n + 1)
    ]


def count_phrases(data, lengths=(3,)):
    """Fit a linear model on which phrases occur in a review: (score of reviews, weights).

    Its regularisation is chosen on validation reviews; a score above 0 stands for praise.
    """

    def named(ids):
        return [
            dict.fromkeys((phrase for _, phrase in phrases_of(row, lengths)), 1) for row in ids
        ]

    counter = DictVectorizer()
    train = counter.fit_transform(named(data.train.inputs))
    val = counter.transform(named(data.val.inputs))
    fits = [
        LogisticRegression(C=C, max_iter=500).fit(train, data.train.targets)
        for C in (1, 100, 10_000)
    ]
    best = max(fits, key=lambda fit: fit.score(val, data.val.targets))
    weights = dict(zip(counter.feature_names_, best.coef_[0], strict=True))
    return lambda ids: best.decision_function(counter.transform(named(ids))), weights


def last_phrase(data):
    """Weigh phrases by `count_phrases`; the last one that weighs enough decides alone.

    How much is enough is chosen on validation reviews, as a share of the largest weight.
    """
    lengths = (1, 2, 3)
    _, weights = count_phrases(data, lengths)

    def by_word(row):
        summed = np.zeros(len(row))
        for place, phrase in phrases_of(row, lengths):
            summed[place] += weights.get(phrase, 0)
        return summed

    def score(ids, least):
        summed = (by_word(row)[::-1] for row in ids)
        return np.array([next((one for one in each if abs(one) > least), 0) for each in summed])

    def right(least):
        return ((score(data.val.inputs, least) > 0) == data.val.targets).mean()

    least = max(max(weights.values()) * np.arange(0.1, 1, 0.1), key=right)
    return lambda ids: score(ids, least)


RIVALS = {
    "phrases": lambda data: count_phrases(data)[0],
    "last phrase": last_phrase,
}
