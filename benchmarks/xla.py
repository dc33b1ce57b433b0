"""Time a training step of each lecture's main model with XLA and without.

    python -m benchmarks.xla

A batch of 32 at the quick profile's sizes, all of the machine. Both ways are timed in turn; the
first call, which compiles, is timed by itself. With batches of several lengths every length
compiles once more.

On two cores that others used too (November 2026), without and with XLA: an LSTM's step 42 and
19 ms, a GRU's 58 and 29, a Transformer's 77 and 58, a Vision Transformer's 24 and 16, Conv1D's
4.8 and 4.4; the first call 3 to 7 s longer for recurrent layers, 7 to 20 s for Transformers.
"""

import time

import keras
import numpy as np
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved
from course_utils import models
from course_utils.lectures.lecture_07b import CanvasEncoder, ImageToText

BATCH, WORDS, LENGTH, PAIR = 32, 1_000, 100, 16


def reader(*behind):
    """A reader of reviews: embedding, what is given, one logit."""
    start = [keras.Input((LENGTH,)), layers.Embedding(WORDS, 32, mask_zero=True)]
    return keras.Sequential([*start, *behind, layers.Dense(1)])


def read(encoder):
    """A classifier on the last states of an encoder of ids."""
    ids = keras.Input((LENGTH,), dtype="int32")
    return keras.Model(ids, layers.Dense(1)(encoder(ids)[-1][:, 0]))


def forecaster():
    """A week of hours, eight columns, to one number."""
    return keras.Sequential([keras.Input((168, 8)), layers.GRU(32), layers.Dense(1)])


MODELS = {
    "01 embedding, mean": lambda: reader(layers.GlobalAveragePooling1D()),
    "02 SimpleRNN(32)": lambda: reader(layers.SimpleRNN(32)),
    "03 LSTM(32)": lambda: reader(layers.LSTM(32)),
    "03 GRU(32)": lambda: reader(layers.GRU(32)),
    "03b GRU(32) on a week": forecaster,
    "04 Conv1D(32, 7), maximum": lambda: reader(
        layers.Conv1D(32, 7, activation="relu"), layers.GlobalMaxPooling1D()
    ),
    "05 GRU translator": lambda: models.RecurrentTranslator(WORDS, WORDS),
    "06 Transformer": lambda: models.Transformer(WORDS, WORDS),
    "06b encoder": lambda: read(models.transformer_encoder(WORDS, 64, 4, 256, 2, LENGTH)),
    "07 Vision Transformer": lambda: models.vision_transformer(8, 1, 2, 48, 4, 192, 2, 10),
    "07b ViT and decoder": lambda: ImageToText(CanvasEncoder(16), 20, 16),
    "08 Mixer": lambda: models.mixer_model(8, 1, 2, 48, 32, 192, 4, 10),
    "08 gMLP": lambda: models.gmlp_model(8, 1, 2, 48, 192, 4, 10),
    "08b gMLP on text": lambda: read(models.gmlp_text(WORDS, LENGTH)),
}


def batch(model):
    """Random inputs and targets of the shapes that `model` takes."""
    draw = np.random.default_rng(0)
    if isinstance(model, ImageToText):
        ids = draw.integers(5, 20, (BATCH, PAIR))
        image = draw.random((BATCH, 16, 16, 1), "float32")
        return {"image": image, "ids": ids}, ids
    if isinstance(model, models.RecurrentTranslator | models.Transformer):
        ids = draw.integers(5, WORDS, (BATCH, PAIR))
        return {"source": ids, "target": ids}, ids
    shape = (BATCH, *[side or 8 for side in model.input_shape[1:]])
    if len(shape) == 2:
        return draw.integers(5, WORDS, shape), draw.integers(2, size=(BATCH, 1))
    targets = draw.integers(10, size=BATCH) if len(shape) == 4 else draw.random((BATCH, 1))
    return draw.random(shape, "float32"), targets


def step(make, jit):
    """A function that takes a training step, and the seconds that its first call took."""
    model = make()
    inputs, targets = batch(model)
    loss = "mse"
    if model(inputs).shape[-1] > 1:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, jit_compile=jit)
    began = time.perf_counter()
    model.train_on_batch(inputs, targets)
    seconds = time.perf_counter() - began
    return lambda: model.train_on_batch(inputs, targets), seconds


def main(repeats=15):
    """Measure, print and record."""
    cu.start(seed=0)
    rows = []
    print(f"{'':28}milliseconds a step      seconds for the first\n{'':28}without with XLA")
    for name, make in MODELS.items():
        steps = {jit: step(make, jit) for jit in (False, True)}
        taken = interleaved({jit: call for jit, (call, _) in steps.items()}, repeats)
        plain, xla = (1000 * seconds for seconds in taken.values())
        first, first_xla = (seconds for _, seconds in steps.values())
        print(f"{name:28}{plain:8.1f}{xla:8.1f}{first:9.1f}{first_xla:8.1f}", flush=True)
        pays = 1000 * (first_xla - first) / (plain - xla) if xla < plain else None
        rows.append(
            {
                "model": name,
                "milliseconds without": plain,
                "milliseconds with XLA": xla,
                "seconds for the first without": first,
                "seconds for the first with XLA": first_xla,
                "steps after which XLA pays": pays and round(pays),
            }
        )
    note = f"a training step of {BATCH} examples with TensorFlow, median of {repeats}"
    cu.results.record_table("speed", "compilers", rows, note)


if __name__ == "__main__":
    main()
