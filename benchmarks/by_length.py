"""Time a training step of layers against the length of what they read.

    python -m benchmarks.by_length                 all tables
    python -m benchmarks.by_length mixing-cost     one of them

A step is forward, backward and update of one layer with a classifier on top, on a batch of
random vectors. The lengths of one layer are measured in turn, one round after the other.
"""

import sys
from typing import NamedTuple

import keras
import numpy as np
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved, record


class Table(NamedTuple):
    """What is measured for a lecture: layers by name, on a batch of `channels` wide vectors."""

    lecture: str
    layers: dict
    batch: int
    channels: int
    lengths: tuple
    optimizer: type = keras.optimizers.Adam


def attention(x):
    """Self-attention of all tokens, pads none."""
    return cu.layers.MultiHeadAttention(x.shape[-1], 2)(x, x)


def mlp_over_tokens(x, mlp_dim):
    """Mixer's token mixing, as `MixerBlock` has it: transpose, two Dense layers, transpose."""
    turned = layers.Dense(mlp_dim, activation="gelu")(layers.Permute((2, 1))(x))
    return layers.Permute((2, 1))(layers.Dense(x.shape[1])(turned))


def gate(x):
    """The split gate on four times the channels, as many as a block's `U` makes."""
    return cu.layers.SpatialGatingUnit()(layers.Concatenate()([x] * 4))


def convolution(x):
    """A convolution, of whose places the largest value of each channel counts."""
    return layers.GlobalMaxPooling1D()(layers.Conv1D(32, 7, activation="relu")(x))


TABLES = {
    "step-time": Table(
        "04_conv1d",
        {
            "SimpleRNN(32)": lambda x: layers.SimpleRNN(32)(x),
            "LSTM(32)": lambda x: layers.LSTM(32)(x),
            "GRU(32)": lambda x: layers.GRU(32)(x),
            "Conv1D(32, 7), global max": convolution,
        },
        batch=32,
        channels=32,
        lengths=(64, 128, 256, 512, 1024, 2048),
    ),
    "attention-cost": Table(
        "06_transformer",
        {
            "self-attention(64, 2 heads)": attention,
            "GRU(64)": lambda x: layers.GRU(64, return_sequences=True)(x),
            "Conv1D(64, 7)": lambda x: layers.Conv1D(64, 7, padding="same")(x),
        },
        batch=4,
        channels=64,
        lengths=(64, 128, 256, 512, 1024, 2048),
    ),
    "mixing-cost": Table(
        "08_mixer_gmlp",
        {
            "attention(64, 2 heads)": attention,
            "token mixing, D_S = 256": lambda x: mlp_over_tokens(x, 256),
            "token mixing, D_S = 2 S": lambda x: mlp_over_tokens(x, 2 * x.shape[1]),
            "gate, one S × S matrix": gate,
        },
        batch=4,
        channels=64,
        lengths=(64, 256, 512, 1024, 2048),
        optimizer=keras.optimizers.SGD,  # the cheapest update: the matrices of some grow with S
    ),
}


def step(table, name, length):
    """Return a function that takes one training step on texts of `length` vectors."""
    draw, of = np.random.default_rng(0), TABLES[table]
    x = draw.normal(size=(of.batch, length, of.channels)).astype("float32")
    y = draw.integers(2, size=(of.batch, 1)).astype("float32")
    vectors = keras.Input((length, of.channels))
    read = of.layers[name](vectors)
    if len(read.shape) == 3:  # a vector at each place
        read = layers.GlobalAveragePooling1D()(read)
    model = keras.Model(vectors, layers.Dense(1, activation="sigmoid")(read))
    model.compile(of.optimizer(), "binary_crossentropy")
    return lambda: model.train_on_batch(x, y)


def main(tables, repeats=9):
    """Measure, print and record."""
    session = cu.start(seed=0)
    for table in tables or TABLES:
        of, rows = TABLES[table], []
        for name in of.layers:
            cases = {length: step(table, name, length) for length in of.lengths}
            for length, seconds in interleaved(cases, repeats).items():
                rows.append({"layer": name, "length": length, "milliseconds": 1000 * seconds})
                print(f"{name:28} {length:5} {seconds * 1000:8.1f} ms", flush=True)
        note = f"milliseconds a training step with {session.backend}: batch of {of.batch}, "
        note += f"{of.channels} channels, median of {repeats}"
        record(of.lecture, table, rows, note, session.backend)


if __name__ == "__main__":
    main(sys.argv[1:])
