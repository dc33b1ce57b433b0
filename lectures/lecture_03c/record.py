"""What the full profile of lab 03c records: the grid of cells, biases, rates, distances."""

import keras

from course_utils import results
from lectures.lecture_03c import CELLS, LEARNING_RATES, LECTURE, TASKS, recall


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    recall_grid(seed)


def recall_grid(seed):
    """Train every cell on every task at every learning rate; record the accuracies."""
    found = {}
    for task, (steps, first) in TASKS.items():
        for cell, (layer, bias) in CELLS.items():
            for rate in LEARNING_RATES:
                keras.utils.set_random_seed(seed)
                accuracy = recall(layer(32), bias, rate, steps, first, 1_000, seed)
                found[f"{task}, {cell}, {rate}"] = accuracy
    settings = {"batches": 1_000, "batch": 64, "units": 32}
    results.record(LECTURE, "grid", "marked_symbols", found, seed=seed, settings=settings)
