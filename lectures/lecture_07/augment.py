"""Images changed without changing what they show: moved, and mirrored.

Each function takes images (images, height, width) or (images, height, width, channels) and
returns as many of the same shape and dtype. Each draws from its own seed, a whole number or
several. Two changes of the same images need two seeds: with one
they draw the same numbers, and just those images would be mirrored that were moved left.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_utils.data.base import whole_number


def random_translate(
    images: np.ndarray, pixels: int = 1, seed: int | list[int] = 0
) -> np.ndarray:
    """Move each image by its own whole number of pixels, down or up and right or left.

    What is moved over the rim is lost, and zeros come in on the other side.

    Args:
        pixels: how far at most; each of the (2 · pixels + 1)² moves is equally likely, staying
            among them.
    """
    images = _images(images)
    pixels = whole_number("pixels", pixels, at_least=0)
    moves = np.random.default_rng(seed).integers(
        -pixels, pixels, size=(len(images), 2), endpoint=True
    )
    rims = [(0, 0), (pixels, pixels), (pixels, pixels)] + [(0, 0)] * (images.ndim - 3)
    windows = sliding_window_view(np.pad(images, rims), images.shape[1:3], axis=(1, 2))
    chosen = windows[np.arange(len(images)), *(pixels - moves).T]
    return np.ascontiguousarray(np.moveaxis(chosen, (-2, -1), (1, 2)))


def random_flip(images: np.ndarray, seed: int | list[int] = 0) -> np.ndarray:
    """Flip each image left to right with probability one half."""
    images = _images(images).copy()
    flipped = np.random.default_rng(seed).random(len(images)) < 0.5
    images[flipped] = images[flipped, :, ::-1]
    return images


def _images(images) -> np.ndarray:
    images = np.asarray(images)
    if images.ndim not in (3, 4):
        raise ValueError(f"images have to be (images, height, width, …), got {images.shape}")
    return images
