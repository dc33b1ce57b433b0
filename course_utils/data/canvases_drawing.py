"""Draws canvases of digits: which digit comes into which cell, and where in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from course_utils.data.augment import placed
from course_utils.data.base import whole_number


class Canvases(NamedTuple):
    """pictures: (canvases, side, side, 1). answers: object (canvases,) of str, "3 1 4 1".

    cells: int32 (canvases, grid²), the cell of each digit in reading order, -1 behind the last.
    """

    pictures: np.ndarray
    answers: np.ndarray
    cells: np.ndarray


def draw_canvases(
    images: np.ndarray,
    labels: np.ndarray,
    count: int,
    grid: int = 2,
    cell: int | None = None,
    shift: int = 0,
    scattered: bool = False,
    seed: int | tuple[int, ...] = 0,
) -> Canvases:
    """The canvases of `make_canvases`, and where their digits are. seed: int, or several."""
    images, labels = _checked(images, labels)
    whole_number("count", count, at_least=1)
    whole_number("grid", grid, at_least=1)
    whole_number("shift", shift, at_least=0)
    side = images.shape[1]
    if cell is None:
        cell = -(-side * 5 // 16) * 4 if scattered else side
    whole_number("cell", cell, at_least=side)
    draw = np.random.default_rng(seed)
    chosen = draw.integers(len(images), size=(count, grid**2))
    filled = np.ones(chosen.shape, bool)
    spare = cell - side
    if scattered:
        most = draw.integers(1, grid**2, size=(count, 1), endpoint=True)
        filled = draw.permuted(np.arange(grid**2) < most, axis=1)
        corners = draw.integers(0, spare, size=(*chosen.shape, 2), endpoint=True)
    else:
        off = draw.integers(-shift, shift, size=(*chosen.shape, 2), endpoint=True)
        corners = off + spare // 2
    pictures = np.zeros((count, grid * cell, grid * cell, 1), images.dtype)
    for number, (row, column) in enumerate(np.ndindex(grid, grid)):
        here = np.flatnonzero(filled[:, number])
        down, across = (slice(place * cell, (place + 1) * cell) for place in (row, column))
        pictures[here, down, across] = placed(
            images[chosen[here, number]], corners[here, number], (cell, cell)
        )
    return Canvases(pictures, _answers(labels[chosen], filled), _cells(filled))


def _answers(digits: np.ndarray, filled: np.ndarray) -> np.ndarray:
    words = [
        " ".join(str(digit) for digit, there in zip(*row, strict=True) if there)
        for row in zip(digits.tolist(), filled.tolist(), strict=True)
    ]
    answers = np.empty(len(words), object)
    answers[:] = words
    return answers


def _cells(filled: np.ndarray) -> np.ndarray:
    """The numbers of the filled cells of each row, in order, and -1 for the others."""
    order = np.argsort(~filled, axis=1, kind="stable")
    return np.where(np.take_along_axis(filled, order, axis=1), order, -1).astype("int32")


def _checked(images, labels) -> tuple[np.ndarray, np.ndarray]:
    images, labels = np.asarray(images), np.asarray(labels)
    if images.ndim != 4 or images.shape[1] != images.shape[2] or images.shape[3] != 1:
        raise ValueError(f"images have to be (digits, side, side, 1), got {images.shape}")
    if labels.shape != images.shape[:1] or not len(labels):
        raise ValueError(
            f"labels have to be (digits,) for {len(images)} images, got {labels.shape}"
        )
    return images, labels
