"""Logistic regressions on few labels: on counted words, or on any other vectors of texts."""

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from lectures.lecture_06b import PARTS


def labelled(name, scores):
    """Validation and test accuracy under the names of a record."""
    return {f"{name}: {part}": value for part, value in zip(PARTS[1:], scores, strict=True)}


def count_words(unlabelled, sizes=(50, 200)):
    """What turns texts into vectors: {"tfidf": functions, "lsa": functions}, to choose from.

    Both: words, or words and pairs of words. LSA: the tf-idf vectors, cut to `sizes` numbers by
    a singular value decomposition of the unlabelled texts.
    """
    found = {"tfidf": [], "lsa": []}
    for pairs in (1, 2):
        counted = TfidfVectorizer(
            sublinear_tf=True, min_df=3, ngram_range=(1, pairs), max_features=200_000
        )
        vectors = counted.fit_transform(unlabelled)
        found["tfidf"].append(counted.transform)
        for size in sizes:
            svd = TruncatedSVD(min(size, vectors.shape[1]), random_state=0).fit(vectors)
            found["lsa"].append(make_pipeline(counted, svd).transform)
    return found


def best_probe(ways, train, labels, val, val_labels, test, test_labels):
    """The `probe` that validation prefers, over several ways to turn texts into vectors."""
    tried = [
        probe(way(train), labels, way(val), val_labels, way(test), test_labels) for way in ways
    ]
    return max(tried, key=lambda one: one[0])


def probe(train, labels, val, val_labels, test, test_labels):
    """(validation, test) accuracy of a logistic regression, its C chosen on validation."""
    tried = []
    for C in np.logspace(-3, 3, 7):
        model = LogisticRegression(C=C, solver="liblinear").fit(train, labels)
        tried.append((model.score(val, val_labels), model.score(test, test_labels)))
    return max(tried, key=lambda one: one[0])
