"""What lab 03c records: cells, starting biases, learning rates, distances; cheap rivals."""

import keras
from keras import layers

from course_utils import results
from lectures.lecture_03c import (
    CELLS,
    LEARNING_RATES,
    LECTURE,
    MOVED,
    TASKS,
    recall,
    rivals,
    variants,
)

SETTINGS = {"batches": 1_000, "batch": 64, "units": 32}


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    recall_grid(seed)
    recall_variants(seed, "random 100")
    recall_variants(seed, "first 80")
    recall_moved(seed)
    recall_rivals(seed)


def trained(seed, cell, bias, task, rate, **how):
    """Train one new cell; return its accuracy."""
    keras.utils.set_random_seed(seed)
    return recall(cell(32), bias, rate, *TASKS[task], 1_000, seed, **how)


def keep(name, found, seed, **settings):
    """Record accuracies by name."""
    results.record(LECTURE, name, "marked_symbols", found, seed=seed, settings=settings)


def recall_grid(seed):
    """Train every cell on every task at every learning rate; record the accuracies."""
    found = {}
    for task in TASKS:
        for cell, (layer, bias) in CELLS.items():
            for rate in LEARNING_RATES:
                found[f"{task}, {cell}, {rate}"] = trained(seed, layer, bias, task, rate)
    keep("grid", found, seed, **SETTINGS)


def recall_variants(seed, task):
    """Train other starts and other cells on one task; record the accuracies."""
    found = {
        f"{cell}, {rate}": trained(seed, layer, bias, task, rate)
        for cell, (layer, bias) in variants(TASKS[task][0]).items()
        for rate in LEARNING_RATES
    }
    keep(f"variants_{task.replace(' ', '_')}", found, seed, **SETTINGS)


def recall_moved(seed):
    """Train Keras' defaults on "first 40" with a quarter of the marks moved, or none."""
    found = {
        f"{cell}, {where}, {rate}": trained(seed, layer, None, "first 40", rate, moved=moved)
        for cell, layer in (("LSTM", layers.LSTM), ("GRU", layers.GRU))
        for where, moved in MOVED.items()
        for rate in LEARNING_RATES
    }
    keep("moved", found, seed, **SETTINGS)


def recall_rivals(seed):
    """Fit models without a state to every task; record their accuracies."""
    found = {
        f"{task}, {name}": accuracy
        for task, how in TASKS.items()
        for name, accuracy in rivals(*how, seed).items()
    }
    keep("rivals", found, seed, sequences=8_000)
