"""The images of lab 07b and their texts, made by the course.

Canvases of handwritten digits, and scenes of two coloured shapes with captions.
"""

import keras
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_utils import data
from course_utils.data import base
from course_utils.data.base import one_of, whole_number
from lectures.lecture_05.pairs import MARKS
from lectures.lecture_07.image_sets import load_images

PARTS = ("train", "val", "test")
VALIDATION, TEST = 500, 1_000

SHAPES = ("circle", "square", "triangle")
# They differ in brightness as well as in hue: no kind of colour blindness merges two.
COLOURS = {
    "black": (0.05, 0.05, 0.05),
    "blue": (0.0, 0.35, 0.70),
    "red": (0.85, 0.22, 0.10),
    "yellow": (0.95, 0.80, 0.20),
}
RELATIONS = ("left of", "right of", "above", "below")
OPPOSITE = (1, 0, 3, 2)  # of the relations
OBJECTS = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)  # sorted
HELD_OUT = ("blue triangle", "red circle")
WORDS = ("a", *COLOURS, *SHAPES, "left", "right", "of", "above", "below")
LONGEST = 9  # "a red circle left of a blue square" and <eos>
SIDE = 32
SQUARE, TRIANGLE = 0.886, 0.68  # half a side and the inner radius, in radii of the circle


def inputs_and_targets(tokens):
    """Return what a decoder reads and what it should write, one step apart.

    Args:
        tokens: int (texts, k): ids of words, 4 or more, with the pad 0 after a text's last.

    Returns:
        (ids, targets), int32 (texts, k + 1) each: <sos> (2) and the words; the words and <eos>
        (3). All that follows is 0.
    """
    ids = np.pad(tokens, ((0, 0), (1, 0)), constant_values=2)
    targets = np.pad(tokens, ((0, 0), (0, 1)))
    targets[np.arange(len(tokens)), (tokens != 0).sum(axis=1)] = 3
    return ids.astype("int32"), targets.astype("int32")


def teacher_forced(texts, vocabulary, steps):
    """Return texts, words with blanks between them, as (ids, targets), (texts, steps) each."""
    rows = [vocabulary.encode(text.split()) for text in base.texts("texts", texts)]
    return inputs_and_targets(data.pad(rows, steps - 1))


def make_canvases(images, labels, count, grid=2, shift=0, seed=0):
    """Compose canvases of grid × grid cells, each with a digit sampled from these.

    images: (digits, side, side, 1). labels: int (digits,), 0 to 9. shift: a digit lies up to so
    many pixels off the middle of its cell, cut off at the rim. seed: one or several numbers.

    Returns (canvases, answers): (count, grid · side, grid · side, 1) of the images' dtype;
    object (count,) of the digits, cells row by row, such as "3 1 4 1".
    """
    draw, side = np.random.default_rng(seed), images.shape[1]
    chosen = draw.integers(len(images), size=(count, grid**2))
    corners = shift - draw.integers(-shift, shift, size=(*chosen.shape, 2), endpoint=True)
    framed = np.pad(images[..., 0], [(0, 0), (shift, shift), (shift, shift)])
    windows = sliding_window_view(framed, (side, side), axis=(1, 2))
    placed = windows[chosen, *np.moveaxis(corners, -1, 0)]
    canvases = placed.reshape(count, grid, grid, side, side).swapaxes(2, 3)
    answers = [" ".join(map(str, row)) for row in labels[chosen]]
    return canvases.reshape(count, grid * side, grid * side, 1), np.array(answers, object)


def cells_of(canvases, grid):
    """The pixels of each cell: (count, H, W, 1) becomes (count · grid², pixels of a cell)."""
    count, side = len(canvases), canvases.shape[1] // grid
    cells = canvases.reshape(count, grid, side, grid, side).swapaxes(2, 3)
    return cells.reshape(count * grid**2, side**2)


def scaled(images):
    """Return images as float32 from 0 to 1, also those of bytes."""
    return np.divide(images, 255, dtype="float32") if images.dtype == np.uint8 else images


def load_source(source):
    """Return the digits that canvases are made of: "digits", scikit-learn's, or "mnist"."""
    one_of("source", source, ("digits", "mnist"))
    return load_images("mnist", dtype="uint8") if source == "mnist" else data.load_digits()


def load_canvases(source="digits", grid=2, count=64, shift=1, seed=0):
    """Load canvases of grid × grid cells and the digits on them, ready for teacher forcing.

    The digits are split before canvases are made of them: those on the 500 validation and the
    1,000 test canvases were never trained on.

    source: "digits", cells of 8 pixels; or "mnist", of 28, through TensorFlow Datasets.
    count: of the training canvases. grid, shift: as in `make_canvases`. seed: of the canvases;
    the parts of the digits stay as they are.

    Returns a `Dataset`. Inputs: "image", float32 (canvases, H, W, 1) from 0 to 1, and "ids",
    int32 (canvases, T), <sos> and the digits, T = grid² + 1; targets: the digits and <eos>.
    Column "answer": the digits as text, such as "3 1 4 1".
    Raises ConnectionError when MNIST is not to be had, ValueError for a wrong argument.
    """
    for name, number in {"count": count, "grid": grid}.items():
        whole_number(name, number, at_least=1)
    for name, number in {"shift": shift, "seed": seed}.items():
        whole_number(name, number, at_least=0)
    digits = load_source(source)
    vocabulary = data.Vocabulary([*MARKS, *digits.class_names])
    splits = []
    for number, (part, size) in enumerate(zip(PARTS, (count, VALIDATION, TEST), strict=True)):
        own = digits.split(part)
        images, answers = make_canvases(
            own.inputs, own.targets, size, grid, shift, seed=(seed, number)
        )
        ids, targets = teacher_forced(answers, vocabulary, grid**2 + 1)
        inputs = {"image": scaled(images), "ids": ids}
        splits.append(data.Split(inputs, targets, None, {"answer": answers}))
    print(
        f"canvases: {count:,} / {VALIDATION:,} / {TEST:,} for training / validation / test, "
        f"{images.shape[1]}×{images.shape[1]} pixels with {grid**2} digits"
    )
    return data.Dataset(
        f"canvases_{source}",
        *splits,
        vocabulary,
        source=f"composed by the course; digits: {digits.source}",
        licence=digits.licence,
    )


class FreshCanvases(keras.utils.PyDataset):
    """Batches of 64 canvases of a split's digits, an epoch of `steps`, others in each epoch."""

    def __init__(self, digits, vocabulary, steps=100, seed=0, grid=2):
        super().__init__()
        self.digits, self.vocabulary, self.grid = digits, vocabulary, grid
        self.steps, self.seed, self.batch_size = steps, 1_000 * (1 + seed), 64
        self.on_epoch_end()

    def on_epoch_end(self):
        self.seed += 1
        digits, count = self.digits, 64 * self.steps
        self.images, self.answers = make_canvases(
            digits.inputs, digits.targets, count, self.grid, shift=1, seed=self.seed
        )
        length = self.grid**2 + 1
        self.ids, self.targets = teacher_forced(self.answers, self.vocabulary, length)

    def __len__(self):
        return self.steps

    def __getitem__(self, number):
        rows = slice(64 * number, 64 * number + 64)
        return {"image": scaled(self.images[rows]), "ids": self.ids[rows]}, self.targets[rows]


def load_shapes(count=8_000, seed=0):
    """Load images of two shapes and a caption each, such as "a blue square above a red circle".

    Two captions of every image are true, this one and "a red circle below a blue square". So
    that there is one to learn, the object whose name comes first in the alphabet is named
    first. Judge a written caption by both: `exact_match(written, columns["references"])` of
    `lectures.lecture_05.translation`. The objects of `HELD_OUT` are in no training or
    validation image, though their colours and shapes are, each with others; in half of the
    test images one object is such a pair, in the other half none.

    count: of the training images; 500 are for validation and 1,000 for the test.
    seed: of everything; nothing is stored. Raises ValueError for a wrong argument.

    Returns a `Dataset`. Inputs: "image", float32 (images, 32, 32, 3) from 0 to 1, and "ids",
    int32 (images, 9), <sos> and the caption; targets: the caption and <eos>, 0 after it.
    Columns: "caption"; "references", a tuple of both true captions; "held_out", bool: one of
    the two objects is a held-out one.
    """
    whole_number("count", count, at_least=1)
    whole_number("seed", seed, at_least=0)
    vocabulary = data.Vocabulary([*MARKS, *WORDS])
    held = np.flatnonzero(np.isin(OBJECTS, HELD_OUT))
    splits = []
    for part, size in enumerate((count, VALIDATION, TEST)):
        draw = np.random.default_rng((seed, part))
        new = draw.permutation(np.arange(size) < (size // 2 if part == 2 else 0))
        objects = sample_objects(new, held, draw)
        relations = draw.integers(len(RELATIONS), size=size)
        captions = captions_of(objects, relations)
        others = captions_of(objects[:, ::-1], np.take(OPPOSITE, relations))
        references = np.empty(size, object)
        references[:] = list(zip(captions, others, strict=True))
        held_out = np.isin(objects, held).any(axis=1)
        columns = {"caption": captions, "references": references, "held_out": held_out}
        ids, targets = teacher_forced(captions, vocabulary, LONGEST)
        inputs = {"image": draw_scenes(objects, relations, draw), "ids": ids}
        splits.append(data.Split(inputs, targets, None, columns))
    print(
        f"shapes: {count:,} / {VALIDATION:,} / {TEST:,} images for training / validation / "
        f"test, {SIDE}×{SIDE} pixels; held out of training: {', '.join(HELD_OUT)}"
    )
    return data.Dataset(
        "shapes", *splits, vocabulary, source="made by the course", licence="CC0"
    )


def sample_objects(new, held, draw):
    """Sample two different objects a scene, int (scenes, 2), the first in the alphabet first.

    A scene that is `new` has one of the held-out objects, the others have none.
    """
    known = np.setdiff1d(np.arange(len(OBJECTS)), held)
    one = draw.integers(len(known), size=len(new))
    # A step of 1 to len - 1 around the circle of objects never comes back to the same one.
    another = (one + draw.integers(1, len(known), size=len(new))) % len(known)
    one, another = known[one], known[another]
    one = np.where(new, held[draw.integers(len(held), size=len(new))], one)
    return np.sort(np.stack([one, another], axis=1), axis=1)


def captions_of(objects, relations):
    """Return "a blue square above a red circle" for each scene: object (scenes,)."""
    rows = zip(objects, relations, strict=True)
    texts = [f"a {OBJECTS[a]} {RELATIONS[r]} a {OBJECTS[b]}" for (a, b), r in rows]
    return np.array(texts, object)


def draw_scenes(objects, relations, draw):
    """Draw one image per scene, float32 (scenes, 32, 32, 3), smooth edges; nothing overlaps.

    objects: int (scenes, 2), places in `OBJECTS`. relations: int (scenes,), places in
    `RELATIONS`: where the first object is, seen from the second. `draw` decides on radii, 3.8
    to 5.2 pixels, and on centres, 13 to 15.5 pixels apart, up to 3 pixels off the axis.
    """
    count = len(objects)
    radii = draw.uniform(3.8, 5.2, size=(count, 2)).astype("float32")
    along = draw.uniform(7.5, 10, size=(count, 1))
    along = np.concatenate([along, along + draw.uniform(13, 15.5, size=(count, 1))], axis=1)
    across = draw.uniform(9, 23, size=(count, 1)) + draw.uniform(-1.5, 1.5, size=(count, 2))
    later, upright = relations % 2 == 1, relations > 1  # right of, below; above, below
    along[later] = along[later, ::-1]
    rows = np.where(upright[:, None], along, across).astype("float32")
    columns = np.where(upright[:, None], across, along).astype("float32")
    palette = np.array(list(COLOURS.values()), "float32")
    middles = np.arange(SIDE, dtype="float32") + 0.5
    images = np.ones((count, SIDE, SIDE, 3), "float32")
    for k in (0, 1):
        colours, shapes = np.divmod(objects[:, k], len(SHAPES))
        down = (middles - rows[:, k : k + 1])[:, :, None]
        right = (middles - columns[:, k : k + 1])[:, None]
        covered = cover(shapes, down, right, radii[:, k, None, None])[..., None]
        images += covered * (palette[colours][:, None, None] - images)
    return images


def cover(shapes, down, right, radii):
    """How much of each pixel a shape covers: float32 (scenes, 32, 32), 1 inside, 0 outside."""
    slope = np.abs(right) * np.float32(3**0.5 / 2) - down / 2
    beyond = [  # pixels from the edge, positive outside
        np.hypot(down, right) - radii,
        np.maximum(np.abs(down), np.abs(right)) - SQUARE * radii,
        np.maximum(down, slope) - TRIANGLE * radii,
    ]
    return np.clip(0.5 - np.choose(shapes[:, None, None], beyond), 0, 1)
