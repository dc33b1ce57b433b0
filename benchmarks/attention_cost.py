"""Time a training step of self-attention against length, beside a GRU and a convolution.

    python -m benchmarks.attention_cost

A step is forward, backward and update of one layer with a classifier on top, on a batch of
random vectors. The lengths of one layer are measured in turn, one round after the other.
"""

import keras
import numpy as np
from keras import layers

import course_utils as cu
from benchmarks.timing import record_by_length

LECTURE = "06_transformer"
BATCH, CHANNELS, HEADS = 4, 64, 2
LENGTHS = (64, 128, 256, 512, 1024, 2048)


def look_around(x):
    """Self-attention of all tokens, pads none."""
    return cu.layers.MultiHeadAttention(CHANNELS, HEADS)(x, x)


LAYERS = {
    "self-attention(64, 2 heads)": look_around,
    "GRU(64)": lambda x: layers.GRU(CHANNELS, return_sequences=True)(x),
    "Conv1D(64, 7)": lambda x: layers.Conv1D(CHANNELS, 7, padding="same")(x),
}


def step(layer, length, optimizer="adam"):
    """Return a function that takes one training step on texts of `length` vectors."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(BATCH, length, CHANNELS)).astype("float32")
    y = draw.integers(2, size=(BATCH, 1)).astype("float32")
    vectors = keras.Input((length, CHANNELS))
    mean = layers.GlobalAveragePooling1D()(layer(vectors))
    model = keras.Model(vectors, layers.Dense(1, activation="sigmoid")(mean))
    model.compile(optimizer, "binary_crossentropy")
    return lambda: model.train_on_batch(x, y)


def main(repeats=15):
    """Measure, print and record."""
    of = f"batch of {BATCH}, {CHANNELS} channels"
    record_by_length(LECTURE, "attention-cost", LAYERS, step, LENGTHS, of, repeats)


if __name__ == "__main__":
    main()
