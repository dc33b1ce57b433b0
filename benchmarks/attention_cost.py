"""Time a training step of self-attention against length, beside a GRU and a convolution.

    python -m benchmarks.attention_cost

A step is forward, backward and update of one layer with a classifier on top, on a batch of
random vectors. The lengths of one layer are measured in turn, one round after the other.
"""

import keras
import numpy as np
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved

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


def step(layer, length, batch=BATCH, optimizer="adam"):
    """Return a function that takes one training step on texts of `length` vectors."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=(batch, length, CHANNELS)).astype("float32")
    y = draw.integers(2, size=(batch, 1)).astype("float32")
    vectors = keras.Input((length, CHANNELS))
    mean = layers.GlobalAveragePooling1D()(layer(vectors))
    model = keras.Model(vectors, layers.Dense(1, activation="sigmoid")(mean))
    model.compile(optimizer, "binary_crossentropy")
    return lambda: model.train_on_batch(x, y)


def main(repeats=15):
    """Measure, print and record."""
    session = cu.start(seed=0)
    rows = []
    for name, make in LAYERS.items():
        taken = interleaved({length: step(make, length) for length in LENGTHS}, repeats)
        for length, seconds in taken.items():
            rows.append({"layer": name, "length": length, "milliseconds": seconds * 1000})
            print(f"{name:28} {length:5} {seconds * 1000:8.1f} ms", flush=True)
    suffix = "" if session.backend == "tensorflow" else f"-{session.backend}"
    note = (
        f"milliseconds a training step with {session.backend}: batch of {BATCH}, {CHANNELS} "
        f"channels, median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"attention-cost{suffix}", rows, note)


def translators(repeats=15):
    """Measure a training step of whole translators on this backend, print and record."""
    session = cu.start(seed=0)
    kinds = {
        "GRU + attention": lambda: cu.models.RecurrentTranslator(80, 120, 64, 128, "dot"),
        "Transformer": lambda: cu.models.Transformer(80, 120, max_length=128),
    }
    steps = {}
    for name, make in kinds.items():
        for length in (16, 32, 64, 128):
            draw, model = np.random.default_rng(0), make()
            ids = draw.integers(4, 80, size=(3, 64, length)).astype("int32")
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile("adam", loss)
            given = {"source": ids[0], "target": ids[1]}
            steps[name, length] = lambda m=model, x=given, y=ids[2]: m.train_on_batch(x, y)
    taken = interleaved(steps, repeats)
    rows = [
        {"translator": name}
        | {f"{k} tokens": f"{s * 1000:.0f} ms" for (of, k), s in taken.items() if of == name}
        for name in kinds
    ]
    print(rows)
    note = f"a training step, batch of 64, with {session.backend}, median of {repeats}"
    cu.results.record_table(LECTURE, f"translator-step-{session.backend}", rows, note)


if __name__ == "__main__":
    main()
