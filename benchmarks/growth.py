"""Time and memory of a training step against length, width, vocabulary and batch size.

    KERAS_BACKEND=jax python -m benchmarks.growth

For each architecture one of the four grows while the others stay at `BASE`. The memory is what
XLA sets aside for a step's intermediate results, beside weights and batch: the compiler's own
figure, the same in every run. The slope is that of a straight line through the logarithms, of
the three largest sizes: 1 is growth in proportion, 2 as the square.
"""

import jax
import keras
import numpy as np
from keras import layers, ops

import course_utils as cu
from benchmarks.timing import interleaved

BASE = {"length": 128, "width": 64, "vocabulary": 2_000, "batch": 16}
SIZES = {
    "length": (128, 256, 512, 1024),
    "width": (64, 128, 256, 512),
    "vocabulary": (2_000, 8_000, 32_000, 128_000),
    "batch": (16, 32, 64, 128),
}
LAST = 3


ARCHITECTURES = {
    "SimpleRNN": lambda x: layers.SimpleRNN(x.shape[-1], return_sequences=True)(x),
    "LSTM": lambda x: layers.LSTM(x.shape[-1], return_sequences=True)(x),
    "GRU": lambda x: layers.GRU(x.shape[-1], return_sequences=True)(x),
    "Conv1D": lambda x: layers.Conv1D(x.shape[-1], 7, padding="same")(x),
    "Transformer": lambda x: cu.layers.TransformerEncoderBlock(x.shape[-1], 4, 2 * x.shape[-1])(
        x
    ),
    "Mixer": lambda x: cu.layers.MixerBlock(2 * x.shape[1], 2 * x.shape[-1])(x),
    "gMLP": lambda x: cu.layers.GMLPBlock(2 * x.shape[-1])(x),
}


def step(block, length, width, vocabulary, batch):
    """Return a function that takes a compiled training step, and its memory in bytes.

    A step gives the loss and the gradients of all weights; ids are embedded, go through the
    block, and their mean gives one logit.
    """
    ids = keras.Input((length,), dtype="int32")
    x = layers.Embedding(vocabulary, width)(ids)
    model = keras.Model(ids, layers.Dense(1)(ops.mean(block(x), axis=1)))
    draw = np.random.default_rng(0)
    x = draw.integers(vocabulary, size=(batch, length)).astype("int32")
    y = draw.integers(2, size=(batch, 1)).astype("float32")
    fixed = [weight.value for weight in model.non_trainable_variables]

    def loss(weights):
        logits, _ = model.stateless_call(weights, fixed, x, training=True)
        return keras.losses.BinaryCrossentropy(from_logits=True)(y, logits)

    weights = [weight.value for weight in model.trainable_variables]
    compiled = jax.jit(jax.value_and_grad(loss)).lower(weights).compile()
    memory = compiled.memory_analysis().temp_size_in_bytes
    return lambda: jax.block_until_ready(compiled(weights)), memory


def slope(sizes, values):
    """Return the exponent of the growth over the `LAST` sizes."""
    x, y = np.log(sizes[-LAST:]), np.log(values[-LAST:])
    return float(np.polyfit(x, y, 1)[0])


def main(repeats=5):
    """Measure, print and record."""
    if cu.start(seed=0).backend != "jax":
        raise SystemExit("memory is XLA's figure, which JAX gives: set KERAS_BACKEND=jax")
    rows = []
    for what, sizes in SIZES.items():
        for name, block in ARCHITECTURES.items():
            measured = []
            for size in sizes:
                keras.backend.clear_session()
                run, memory = step(block, **BASE | {what: size})
                measured.append((interleaved({what: run}, repeats)[what], memory))
            times, memories = zip(*measured, strict=True)
            rows += [
                {
                    "architecture": name,
                    "grows": what,
                    "size": size,
                    "milliseconds": 1e3 * took,
                    "megabytes": memory / 2**20,
                    "slope of time": slope(sizes, times),
                    "slope of memory": slope(sizes, memories),
                }
                for size, took, memory in zip(sizes, times, memories, strict=True)
            ]
            print(rows[-1], flush=True)
    base = ", ".join(f"{name} {size:,}" for name, size in BASE.items())
    note = f"a training step with JAX, one of these grows: {base}; median of {repeats}"
    cu.results.record_table("speed", "growth", rows, note)


if __name__ == "__main__":
    main()
