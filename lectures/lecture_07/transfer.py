"""Lecture 07: pre-train on drawn figures or on MNIST, fine-tune on few digits."""

import keras
import numpy as np

from course_utils import data
from course_utils.data.base import one_of
from lectures.lecture_07 import LECTURE, take_weights
from lectures.lecture_07.digits import digit_vit, record_digits, train_on_images
from lectures.lecture_07.image_sets import load_images

PRETRAINING = {"learning_rate": 4e-3, "batches": 1_000, "images": 55_000}
FIGURES = {  # ten classes of strokes from -1 to 1: (x, y) to (x, y), y downwards
    "bar": "-1 0 1 0",
    "cross": "-1 0 1 0, 0 -1 0 1",
    "corner": "-.7 -1 -.7 1, -.7 1 .8 1",
    "T": "-1 -1 1 -1, 0 -1 0 1",
    "U": "-.8 -1 -.8 1, -.8 1 .8 1, .8 1 .8 -1",
    "square": "-.8 -.8 .8 -.8, .8 -.8 .8 .8, .8 .8 -.8 .8, -.8 .8 -.8 -.8",
    "triangle": "0 -1 .9 .8, .9 .8 -.9 .8, -.9 .8 0 -1",
    "zigzag": "-.8 -1 .8 -1, .8 -1 -.8 1, -.8 1 .8 1",
    "two bars": "-1 -.6 1 -.6, -1 .6 1 .6",
    "arrow": "0 1 0 -1, 0 -1 -.7 -.2, 0 -1 .7 -.2",
}


def draw_figures(count, seed=0):
    """Draw simple figures of ten classes, `FIGURES`: images (count, 8, 8, 1) and labels.

    Each is turned by up to 20 degrees, moved and stretched, and drawn with a pen of its own
    width; 0 is paper and 1 is ink, as in the digits. `seed`: a number, or several.
    """
    draw = np.random.default_rng(seed)
    labels = draw.integers(len(FIGURES), size=count).astype("int32")
    strokes = [
        np.array([stroke.split() for stroke in figure.split(",")], float).reshape(-1, 2, 2)
        for figure in FIGURES.values()
    ]
    most = max(map(len, strokes))  # a shorter figure repeats its last stroke
    strokes = np.stack([one[np.minimum(np.arange(most), len(one) - 1)] for one in strokes])
    turn, pen = draw.uniform(-0.35, 0.35, count), draw.uniform(0.7, 1.1, (count, 1, 1))
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]).transpose(
        2, 0, 1
    )
    R = R * draw.uniform(1.8, 3.2, (count, 1, 2))
    points = strokes[labels] @ R[:, None] + draw.uniform(2.8, 4.2, (count, 1, 1, 2))
    start, along = points[:, :, :1], points[:, :, 1:] - points[:, :, :1]
    pixels = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(64, 2)
    share = ((pixels - start) * along).sum(-1, keepdims=True) / (along**2).sum(
        -1, keepdims=True
    )
    distance = np.linalg.norm(start + share.clip(0, 1) * along - pixels, axis=-1).min(axis=1)
    images = (pen[:, 0] + 0.3 - distance).clip(0, 1)
    return images.reshape(count, 8, 8, 1).astype("float32"), labels


def load_source(name, seed=0):
    """A `Dataset` to pre-train on: "figures", made by the course, or "mnist", at 8×8 pixels."""
    one_of("name", name, ("figures", "mnist"))
    if name == "figures":
        parts = [
            data.Split(*draw_figures(count, [seed, part]))
            for part, count in enumerate((PRETRAINING["images"], 1_000, 1_000))
        ]
        about = {"source": "made by the course", "licence": "CC0"}
        return data.Dataset(name, *parts, class_names=tuple(FIGURES), **about)
    mnist = load_images("mnist", seed=seed)

    def small(split):  # the middle 24×24 pixels, averaged by threes
        blocks = split.inputs[:, 2:-2, 2:-2].reshape(-1, 8, 3, 8, 3, 1)
        return data.Split(blocks.mean(axis=(2, 4)), split.targets)

    parts = map(small, (mnist.train, mnist.val, mnist.test))
    about = {"source": mnist.source, "licence": mnist.licence}
    return data.Dataset(name, *parts, class_names=mnist.class_names, **about)


def pretrain(source, seed=0, batches=PRETRAINING["batches"]):
    """Pre-train the Vision Transformer for digits on a source; return the model and its run."""
    keras.utils.set_random_seed(seed)
    model, epochs = digit_vit(), 4
    steps, rate = batches // epochs, PRETRAINING["learning_rate"]
    run = train_on_images(model, source, rate, epochs, seed=seed, steps=steps)
    return model, run


def record_transfer(name):
    """Pre-train with three seeds, fine-tune each on 100 digits, tuned as from scratch."""
    trained = []
    for seed in range(3):
        model, run = pretrain(load_source(name, seed), seed)
        run.seed, run.settings = seed, PRETRAINING
        run.record(LECTURE, f"source_{name}", name)
        trained.append(model)

    def start(model, seed):
        take_weights(model, trained[seed], head=False)

    record_digits(LECTURE, f"vit_after_{name}", digit_vit, 100, start=start, seeds=range(3))


def fine_tune_published(preset, images, labels, epochs):
    """Fine-tune a pre-trained ViT of KerasHub, and return it; `pip install keras-hub` first.

    preset: its name, or a folder. images: uint8 (n, height, width, 3). labels: int (n,).
    """
    import keras_hub

    classes = int(labels.max()) + 1
    model = keras_hub.models.ImageClassifier.from_preset(preset, num_classes=classes)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.AdamW(5e-5), loss, metrics=["accuracy"])
    draw = np.random.default_rng(0)
    for _ in range(epochs):  # KerasHub takes examples in the order in which they are given
        order = draw.permutation(len(images))
        model.fit(images[order], labels[order], batch_size=16)
    return model
