"""Lab 07b, its recorded experiments: readers of canvases, a captioner of shapes."""

import keras
import numpy as np
from keras import layers

from course_utils import models, schedules, training
from lectures.lecture_07b import (
    CAPTIONS,
    LEARNING_RATES,
    LECTURE,
    CanvasEncoder,
    ConvnetToText,
    ImageToText,
    captioned,
    compile_reader,
    cross_attention,
    effect_of_blanking,
    judged,
    new_captioner,
    weights_by_cell,
    write,
)
from lectures.lecture_07b.images import (
    FreshCanvases,
    load_canvases,
    load_shapes,
    load_source,
    scaled,
)

MNIST = {"patch": 7, "embed_dim": 96, "num_heads": 4, "mlp_dim": 192, "num_layers": 3}


class WithoutPositions(CanvasEncoder):
    """The encoder with its patches as a set."""

    def make_layers(self):
        super().make_layers()
        self.positions = layers.Identity()


def mass_on_cell(weights, grid):
    """How much of step k's attention, (images, T, S), lies on cell k, and how often the most.

    Returns {"mass": the mean share, "largest": how often no cell has more}.
    """
    by_cell, own = weights_by_cell(weights[:, : grid**2], grid), np.arange(grid**2)
    largest = by_cell.argmax(axis=-1) == own
    return {"mass": by_cell[:, own, own].mean(), "largest": largest.mean()}


def train_on_canvases(model, source, grid, steps, learning_rate, seed):
    """Train a reader on fresh canvases; return its `Run`, these, and those it is judged on."""
    held_out, length = load_canvases(source, grid=grid), grid**2 + 1
    digits, some = load_source(source).train, held_out.val.take(slice(100))
    fresh = FreshCanvases(digits, held_out.vocabulary, 100, seed, grid=grid)
    exact = []

    def watch(epoch, logs):
        written = write(model, some.inputs["image"], length)
        exact.append(judged(written, some.targets)["exact_match"])

    compile_reader(model, steps)
    model.optimizer.learning_rate = schedules.WarmupCosine(learning_rate, steps)
    watching = {"callbacks": [keras.callbacks.LambdaCallback(on_epoch_end=watch)]}
    parts, watching["source"] = (fresh, held_out.val), held_out.source
    run = training.fit(model, parts, steps // 100, resume=False, **watching)
    run.seed, run.history["val_exact"] = seed, exact
    return run, fresh, held_out


ASKED = {"one_seed_because": "it asks whether the loss falls, and names no winner"}


def record_convnet(attention, learning_rate, seed):
    """Train a reader with a convnet on nine digits; record how its validation loss falls."""
    keras.utils.set_random_seed(seed)
    model = ConvnetToText(14, attention)
    run = train_on_canvases(model, "digits", 3, 1_500, learning_rate, seed)[0]
    name = f"conv_gru{'_attention' * attention}_{learning_rate}"
    run.settings = ASKED | {"learning_rate": learning_rate}
    run.record(LECTURE, name, "digits_3x3")


def record_reader(name, source, seed, steps, learning_rate, kind=CanvasEncoder, **encoder):
    """Train and record a Vision Transformer that reads canvases of 2 × 2 digits."""
    keras.utils.set_random_seed(seed)
    model = ImageToText(kind(56 if source == "mnist" else 16, **encoder), 14, 5)
    run, fresh, canvases = train_on_canvases(model, source, 2, steps, learning_rate, seed)
    image, targets = canvases.test.inputs["image"], canvases.test.targets
    found = judged(write(model, image, 5), targets)
    found |= mass_on_cell(cross_attention(model, canvases.test.inputs), 2)
    known = write(model, scaled(fresh.images[:1_000]), 5)
    found["exact_known_digits"] = judged(known, fresh.targets[:1_000])["exact_match"]
    effects = effect_of_blanking(lambda images: write(model, images, 5), image[:500], 2)
    found["blank_own"] = np.diag(effects).mean()
    found["blank_other"] = effects[:, :4][~np.eye(4, dtype=bool)].mean()
    run.settings = {"steps": steps, "learning_rate": learning_rate, "encoder": encoder}
    run.record(LECTURE, name, f"{source}_2x2", **found)


def record_all(seed):
    """Train and record what the lab shows as recorded: the full profile."""
    record_reader("vit", "digits", seed, 3_000, 2e-3)
    record_reader("vit_no_positions", "digits", seed, 3_000, 2e-3, WithoutPositions)
    record_reader("vit", "mnist", seed, 10_000, 1.5e-3, **MNIST)
    caption_shapes(seed)
    for attention in (False, True):
        for learning_rate in LEARNING_RATES:
            record_convnet(attention, learning_rate, seed)


def caption_shapes(seed):
    """Train a captioner, judge and record it; seed 0 is kept with the course."""
    shapes = load_shapes(count=CAPTIONS["count"], seed=seed)
    keras.utils.set_random_seed(seed)
    model = new_captioner()
    steps = CAPTIONS["epochs"] * -(-CAPTIONS["count"] // 64)
    compile_reader(model, steps)
    model.optimizer.learning_rate = schedules.WarmupCosine(CAPTIONS["learning_rate"], steps)
    run = training.fit(model, shapes, CAPTIONS["epochs"], settings=CAPTIONS)
    right = captioned(model, shapes.test, shapes.vocabulary)
    new = shapes.test.columns["held_out"]
    found = {"exact_known_pairs": right[~new].mean(), "exact_new_pairs": right[new].mean()}
    run.record(LECTURE, "captioner", "shapes", exact_match=right.mean(), **found)
    if seed == 0:
        arrays = {f"{number:02}": array for number, array in enumerate(model.get_weights())}
        made_by = f"{LECTURE}/captioner-shapes-seed0"
        models.save_pretrained("captioner", arrays, made_by, **CAPTIONS)
