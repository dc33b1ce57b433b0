"""Lab 07b, its recorded experiments: readers of canvases, a captioner of shapes."""

import keras
import numpy as np
from keras import layers, ops
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from course_utils import models, results, schedules, training
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
    PARTS,
    FreshCanvases,
    cells_of,
    load_canvases,
    load_shapes,
    load_source,
    make_canvases,
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


def mass_of_best_head(model, inputs, grid):
    """The share on cell k of that head which gives it most at step k; the mean over steps."""
    weights = model.alignment(inputs["image"], inputs["ids"])[:, :, : grid**2]
    by_cell = weights_by_cell(ops.convert_to_numpy(ops.cast(weights, "float32")), grid)
    return np.diagonal(by_cell.mean(axis=0), axis1=-2, axis2=-1).max(axis=0).mean()


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
    found["mass_best_head"] = mass_of_best_head(model, canvases.test.inputs, 2)
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
    record_reader("vit_short", "digits", seed, 500, 4e-3)  # as the lab's exercise trains it
    record_reader("vit_no_positions", "digits", seed, 3_000, 2e-3, WithoutPositions)
    record_reader("vit", "mnist", seed, 10_000, 1.5e-3, **MNIST)
    if seed == 0:
        record_svm()
        record_caption_rivals()
    caption_shapes(seed)
    for attention in (False, True):
        for learning_rate in LEARNING_RATES:
            record_convnet(attention, learning_rate, seed)


def record_svm():
    """Record a cheap rival of the readers: an SVM that reads cell by cell.

    It is trained on the same digits, shifted like those of the canvases.
    """
    canvases, digits = load_canvases(), load_source("digits").train
    images, labels = make_canvases(digits.inputs, digits.targets, 12_000, grid=1, shift=1)
    pixels = images.reshape(len(images), -1)
    rows = []
    for C in (1, 10, 100):
        svm, row = SVC(C=C).fit(pixels, labels), {"C": C}
        for part in ("val", "test"):
            split = canvases.split(part)
            read = svm.predict(cells_of(split.inputs["image"], 2)).reshape(len(split), -1)
            right = read == [text.split() for text in split.columns["answer"]]
            row |= {f"{part}_digits": right.mean(), f"{part}_exact": right.all(axis=1).mean()}
        rows.append(row)
    rows.sort(key=lambda row: row["val_digits"], reverse=True)
    note = (
        "an SVM with a Gaussian kernel on a cell's pixels; the first row is best on validation"
    )
    results.record_table(LECTURE, "svm", rows, note)


def slots_of(captions):
    """The five choices in each caption: colour, shape, relation, colour, shape."""
    rows = [text.split() for text in captions]
    return np.array([(*row[1:3], " ".join(row[3:-3]), *row[-2:]) for row in rows], object)


def true_of(slots, split):
    """Which five choices make one of an image's two true captions: bool (images,)."""
    texts = [" ".join(("a", *row[:3], "a", *row[3:])) for row in slots]
    pairs = zip(texts, split.columns["references"], strict=True)
    return np.array([text in references for text, references in pairs])


def most_likely(encoder, scores):
    """The choice with the largest score in each of the encoder's five columns, (images, 5)."""
    ends = np.cumsum([len(names) for names in encoder.categories_])[:-1]
    parts = zip(encoder.categories_, np.split(scores, ends, axis=1), strict=True)
    return np.stack([names[part.argmax(axis=1)] for names, part in parts], axis=1)


def record_caption_rivals():
    """Record cheap rivals of the captioner: copying a caption, and five linear heads."""
    shapes, rows = load_shapes(count=CAPTIONS["count"]), []
    pixels = {part: shapes.split(part).inputs["image"] for part in PARTS}
    pixels = {part: images.reshape(len(images), -1) for part, images in pixels.items()}
    slots, new = slots_of(shapes.train.columns["caption"]), shapes.test.columns["held_out"]
    encoder = OneHotEncoder(sparse_output=False)
    choices = encoder.fit_transform(slots)
    nearest = KNeighborsClassifier(1).fit(pixels["train"], slots).predict
    chosen = [("nearest image", None, {part: nearest(pixels[part]) for part in PARTS[1:]})]
    for strength in (1, 10, 100):
        heads = Ridge(strength, solver="cholesky").fit(pixels["train"], choices).predict
        said = {part: most_likely(encoder, heads(pixels[part])) for part in PARTS[1:]}
        chosen.append(("five linear heads", strength, said))
    for name, strength, said in chosen:
        val, test = (true_of(said[part], shapes.split(part)) for part in PARTS[1:])
        row = {"model": name, "strength": strength, "val_exact": val.mean()}
        rows.append(row | {"known_pairs": test[~new].mean(), "new_pairs": test[new].mean()})
    rows.sort(key=lambda row: row["val_exact"], reverse=True)
    note = "on pixels: the caption of the nearest image; ridge regression on five choices"
    results.record_table(LECTURE, "caption-rivals", rows, note)


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
