"""Time a training step against the length of the texts, for recurrent and convolutional layers.

    python -m benchmarks.step_time

A step is forward, backward and update of one layer with a classifier on top, on a batch of
random vectors. The lengths of one layer are measured in turn, one round after the other.
"""

import keras
import numpy as np
from keras import layers

from benchmarks.timing import record_by_length

LECTURE = "04_conv1d"
BATCH, CHANNELS, UNITS = 32, 32, 32
LENGTHS = (64, 128, 256, 512, 1024, 2048)
LAYERS = {
    "SimpleRNN(32)": lambda: layers.SimpleRNN(UNITS),
    "LSTM(32)": lambda: layers.LSTM(UNITS),
    "GRU(32)": lambda: layers.GRU(UNITS),
    "Conv1D(32, 7), global max": lambda: keras.Sequential(
        [layers.Conv1D(UNITS, 7, activation="relu"), layers.GlobalMaxPooling1D()]
    ),
}


def step(make, length):
    """Return a function that takes one training step on texts of `length` vectors."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(BATCH, length, CHANNELS)).astype("float32")
    y = draw.integers(2, size=(BATCH, 1)).astype("float32")
    vectors = keras.Input((length, CHANNELS))
    model = keras.Model(vectors, layers.Dense(1, activation="sigmoid")(make()(vectors)))
    model.compile("adam", "binary_crossentropy")
    return lambda: model.train_on_batch(x, y)


def main(repeats=15):
    """Measure, print and record."""
    of = f"batch of {BATCH}, {CHANNELS} channels"
    record_by_length(LECTURE, "step-time", LAYERS, step, LENGTHS, of, repeats)


if __name__ == "__main__":
    main()
