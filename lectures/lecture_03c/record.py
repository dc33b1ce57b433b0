"""What lab 03c records: cells, starting biases, learning rates, distances; cheap rivals."""

import time

import keras
import numpy as np
from keras import layers

from course_utils import results, session
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

KERNELS = {  # by name, layers of 256 units
    "LSTM": lambda: layers.LSTM(256),
    "LSTM, dropout": lambda: layers.LSTM(256, dropout=0.3),
    "LSTM, recurrent dropout": lambda: layers.LSTM(256, recurrent_dropout=0.3),
    "LSTM, no bias": lambda: layers.LSTM(256, use_bias=False),
    "LSTM, use_cudnn=False": lambda: layers.LSTM(256, use_cudnn=False),
    "RNN(LSTMCell)": lambda: layers.RNN(layers.LSTMCell(256)),
    "GRU": lambda: layers.GRU(256),
    "SimpleRNN": lambda: layers.SimpleRNN(256),
}
SETTINGS = {"batches": 1_000, "batch": 64, "units": 32}


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    recall_grid(seed)
    recall_variants(seed, "random 100")
    recall_variants(seed, "first 80")
    recall_moved(seed)
    recall_rivals(seed)
    if session.accelerators():
        time_kernels()


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


def time_kernels():
    """Time one batch of training of each layer in `KERNELS`, on a GPU."""
    batches = 50
    x = np.random.default_rng(0).normal(size=(64 * batches, 200, 64)).astype("float32")
    rows, policy = [], keras.config.dtype_policy()
    keras.config.set_dtype_policy("float32")
    for name, layer in KERNELS.items():
        model = keras.Sequential([keras.Input(x.shape[1:]), layer(), layers.Dense(1)])
        model.compile("adam", "mse")
        seconds = []
        for _ in range(3):  # the first epoch compiles
            began = time.perf_counter()
            model.fit(x, x[:, 0, 0], batch_size=64, verbose=0)
            seconds.append(time.perf_counter() - began)
        rows.append({"layer": name, "milliseconds a batch": 1_000 * min(seconds) / batches})
    note = "one batch of training: 64 sequences of 200 steps, 64 inputs, 256 units, float32"
    results.record_table(LECTURE, "step-time-kernel", rows, note)
    keras.config.set_dtype_policy(policy)
