"""Canvases with several handwritten digits, to be read out in order."""

from __future__ import annotations

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, true_or_false, whole_number
from course_utils.data.canvases_drawing import draw_canvases
from course_utils.data.captions import caption_vocabulary, teacher_forced

SOURCES = ("digits", "mnist")
VALIDATION, TEST = 500, 1_000
_PARTS = ("train", "val", "test")


def make_canvases(
    images: np.ndarray,
    labels: np.ndarray,
    count: int,
    grid: int = 2,
    cell: int | None = None,
    shift: int = 0,
    scattered: bool = False,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Canvases of grid × grid cells, each with a digit drawn from these, row by row.

    images: (digits, side, side, 1). labels: int (digits,), 0 to 9. count: how many canvases.
    cell: a cell's side in pixels; None: the digit's side, or, where scattered, a quarter more,
    rounded up to a multiple of four (8: 12; 28: 36).
    shift: each digit lies up to so many pixels off the middle of its cell, in both directions,
    what goes over the cell's rim being cut off.
    scattered: 1 to grid² digits in cells drawn by chance, anywhere inside them; the others stay
    empty. `shift` does not count here.

    Returns (pictures, answers): (count, grid · cell, grid · cell, 1) of the images' dtype, and
    an object array (count,) of the digits in reading order, such as "3 1 4 1".

    Raises ValueError for a wrong argument.
    """
    whole_number("seed", seed, at_least=0)
    canvases = draw_canvases(images, labels, count, grid, cell, shift, scattered, seed)
    return canvases.pictures, canvases.answers


def load_canvases(
    source: str = "digits",
    grid: int = 2,
    scattered: bool = False,
    count: int = 20_000,
    shift: int = 1,
    seed: int = 0,
) -> Dataset:
    """Canvases of grid × grid cells and the digits on them, ready for teacher forcing.

    The digits are split before canvases are made of them: those on the 500 validation and the
    1,000 test canvases were never trained on.

    Each part: inputs "image", float32 (canvases, H, W, 1) from 0 to 1, and "ids", int32
    (canvases, T), <sos> and the digits; targets int32 (canvases, T), the digits and <eos>, 0
    behind; weights float32 (canvases, T), 0 at that padding. T is grid² + 1. `vocabulary` gives
    <pad>, <unknown>, <sos>, <eos> the ids 0 to 3, as in the translating lectures; then come
    "0" to "9". Columns: "answer", the digits as text, such as "3 1 4 1"; "alignment", int32
    (canvases, T), the cell that each target is written in (row by row from 0), -1 for none.

    source: "digits", scikit-learn's, cells of 8 pixels (scattered: 12); or "mnist", cells of
        28 pixels (scattered: 36), through TensorFlow Datasets.
    count: how many training canvases. grid, scattered, shift: as in `make_canvases`.
    seed: draws canvases, training ones and others; the parts of the digits stay as they are.

    Raises ValueError for a wrong argument, and ConnectionError when MNIST is neither here nor
    to be had.
    """
    one_of("source", source, SOURCES)
    whole_number("count", count, at_least=1)
    whole_number("grid", grid, at_least=1)
    whole_number("shift", shift, at_least=0)
    true_or_false("scattered", scattered)
    whole_number("seed", seed, at_least=0)
    if source == "digits":
        from course_utils.data.images import load_digits

        digits = load_digits()
    else:
        from course_utils.data.images import load_images

        digits = load_images("mnist", dtype="uint8")
    vocabulary = caption_vocabulary(digits.class_names)

    def split(part: str, canvas_count: int) -> Split:
        images, labels = digits.split(part).inputs, digits.split(part).targets
        canvases = draw_canvases(
            images,
            labels,
            canvas_count,
            grid,
            shift=shift,
            scattered=scattered,
            seed=(seed, _PARTS.index(part)),
        )
        length = grid**2 + 1
        ids, targets, weights = teacher_forced(canvases.answers, vocabulary, length)
        pictures = canvases.pictures
        if pictures.dtype == np.uint8:
            pictures = np.divide(pictures, 255, dtype="float32")
        columns = {
            "answer": canvases.answers,
            "alignment": np.pad(canvases.cells, ((0, 0), (0, 1)), constant_values=-1),
        }
        return Split({"image": pictures, "ids": ids}, targets, weights, columns)

    splits = [split(*part) for part in zip(_PARTS, (count, VALIDATION, TEST), strict=True)]
    sizes = " / ".join(f"{len(part):,}" for part in splits)
    side = splits[0].inputs["image"].shape[1]
    digits_said = f"1 to {grid**2} digits, scattered" if scattered else f"{grid**2} digits"
    print(
        f"canvases: {sizes} for training / validation / test, {side}×{side} pixels with "
        f"{digits_said}; composed by course_utils.data.canvases"
    )
    return Dataset(
        f"canvases_{source}" + ("_scattered" if scattered else ""),
        *splits,
        vocabulary,
        source=f"composed by course_utils.data.canvases; digits: {digits.source}",
        licence=digits.licence,
    )
