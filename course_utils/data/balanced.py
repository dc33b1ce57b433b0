"""An order of labelled examples in which every beginning holds all classes alike."""

from __future__ import annotations

import numpy as np


def balanced_order(labels: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """The places of the labels, int (examples,): one of each class, another of each, and so on.

    So the first n of it hold equally many of every class, give or take one, for as long as
    every class lasts. Which example of a class comes when, and in which order the classes of a
    round come, is drawn.
    """
    shuffled = draw.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    counts = np.unique(labels, return_counts=True)[1]
    rounds = np.concatenate([np.arange(count) for count in counts])
    return by_class[np.lexsort((draw.random(len(labels)), rounds))]
