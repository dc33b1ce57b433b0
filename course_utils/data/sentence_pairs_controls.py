"""What sentence pairs give away to someone who reads too little.

A model of pairs has shown nothing until it is above all of these. On the embedded pairs each is
right in exactly half of the test, because every pair has a partner which looks the same to it
and has the other answer. On collected pairs some are above the majority: people who write a
hypothesis that follows borrow more of the premise's words than others.

Source: Gururangan et al., "Annotation artifacts in natural language inference data" (2018), for
reading the hypothesis alone.
"""

from __future__ import annotations

import numpy as np

from course_utils.data.base import Dataset, Split, tokenize, whole_number

STRENGTHS = (0.01, 0.1, 1.0)


def controls(dataset: Dataset, seed: int = 0) -> dict[str, float]:
    """Test accuracies of the majority and of three logistic regressions.

    "majority": the commoner target in training. "second alone": which words the second text
    holds. "bag of both": which words the first holds, which the second, and which both.
    "overlap and lengths": five numbers, see `overlap`. The strength of each regression
    (scikit-learn's C) is chosen on the validation part; the test part is read once.

    dataset: of `load_sentence_pairs`. seed: of the solver's order.

    Raises ValueError for a dataset without the inputs "first" and "second", or a wrong seed.
    """
    whole_number("seed", seed, at_least=0)
    inputs = dataset.train.inputs
    if not isinstance(inputs, dict) or not {"first", "second"} <= set(inputs):
        raise ValueError("controls need pairs: a dataset with the inputs 'first' and 'second'")
    parts = [dataset.train, dataset.val, dataset.test]
    common = np.bincount(dataset.train.targets, minlength=2).argmax()
    alone, both = zip(*_bags(parts), strict=True)
    return {
        "majority": float((dataset.test.targets == common).mean()),
        "second alone": _regression(alone, parts, seed),
        "bag of both": _regression(both, parts, seed),
        "overlap and lengths": _regression([overlap(part) for part in parts], parts, seed),
    }


def overlap(split: Split) -> np.ndarray:
    """What tells how much the texts have in common, without a word of theirs: (pairs, 5).

    How many words are shared, their share of the second text's, whether they are all of them,
    and the logarithms of both lengths.
    """
    rows = []
    for first, second in zip(split.inputs["first"], split.inputs["second"], strict=True):
        first, second = tokenize(first), tokenize(second)
        words = set(second)
        shared = len(set(first) & words)
        rows.append(
            (
                shared,
                shared / max(len(words), 1),
                shared == len(words),
                np.log1p(len(first)),
                np.log1p(len(second)),
            )
        )
    return np.array(rows, "float64")


def _bags(parts):
    """For each part the words of the second text, and of first, second, and both: 0 or 1."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import CountVectorizer

    train = parts[0].inputs
    cut = CountVectorizer(analyzer=tokenize, binary=True, dtype="float64")
    cut.fit([*train["first"], *train["second"]])
    for part in parts:
        first, second = (cut.transform(part.inputs[name]) for name in ("first", "second"))
        yield second, hstack([first, second, first.multiply(second)], format="csr")


def _regression(features, parts, seed: int) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import MaxAbsScaler

    scaler = MaxAbsScaler().fit(features[0])
    train, val, test = (scaler.transform(part) for part in features)
    best, kept = -1.0, None
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, solver="liblinear", random_state=seed)
        score = model.fit(train, parts[0].targets).score(val, parts[1].targets)
        if score > best:
            best, kept = score, model
    return float(kept.score(test, parts[2].targets))
