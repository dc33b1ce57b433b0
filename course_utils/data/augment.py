"""Images changed without changing what they show: moved, turned, recoloured; and mixed.

Each function takes images (images, height, width) or (images, height, width, channels), raises
ValueError for anything else, and returns as many of the same shape and dtype. Each draws from
its own seed, a whole number or several. Two changes of the same images need two seeds: with one
they draw the same numbers, and just those images would be mirrored that were moved left.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_utils.data.base import share, whole_number


def random_translate(
    images: np.ndarray, pixels: int = 1, seed: int | list[int] = 0
) -> np.ndarray:
    """Each image moved by its own whole number of pixels, down or up and right or left.

    pixels: how far at most; each of the (2 · pixels + 1)² moves is equally likely, staying
    among them. What is moved over the rim is lost, and zeros come in on the other side.
    """
    images = _images(images)
    whole_number("pixels", pixels, at_least=0)
    moves = np.random.default_rng(seed).integers(
        -pixels, pixels, size=(len(images), 2), endpoint=True
    )
    windows = sliding_window_view(_framed(images, pixels), images.shape[1:3], axis=(1, 2))
    chosen = windows[np.arange(len(images)), *(pixels - moves).T]
    return np.ascontiguousarray(np.moveaxis(chosen, (-2, -1), (1, 2)))


def random_flip(images: np.ndarray, seed: int | list[int] = 0) -> np.ndarray:
    """Each image flipped left to right with probability one half."""
    images = _images(images).copy()
    flipped = np.random.default_rng(seed).random(len(images)) < 0.5
    images[flipped] = images[flipped, :, ::-1]
    return images


def random_affine(
    images: np.ndarray, degrees: float = 20.0, stretch: float = 0.2, seed: int | list[int] = 0
) -> np.ndarray:
    """Each image stretched and then turned about its middle, in its own way.

    Height and width are multiplied by two factors drawn from 1 − stretch to 1 + stretch, and
    the angle is drawn up to so many degrees either way. Each new pixel is the nearest one to
    the place that it comes from (no blur), and zeros come in
    from outside.
    """
    images = _images(images)
    _angle(degrees)
    if not 0 <= stretch < 1:
        raise ValueError(f"stretch has to be at least 0 and below 1, got {stretch!r}")
    draw = np.random.default_rng(seed)
    angles = np.deg2rad(draw.uniform(-degrees, degrees, len(images))).astype("float32")
    factors = draw.uniform(1 - stretch, 1 + stretch, (2, len(images), 1, 1)).astype("float32")
    height, width = images.shape[1:3]
    down, across = _turned_places(images, angles)
    framed = _framed(images)
    row = np.rint(down / factors[0] + (height + 1) / 2).astype("int32").clip(0, height + 1)
    column = np.rint(across / factors[1] + (width + 1) / 2).astype("int32").clip(0, width + 1)
    picture = np.arange(len(images))[:, None, None]
    places = (picture * (height + 2) + row) * (width + 2) + column
    return framed.reshape(-1, *images.shape[3:]).take(places, axis=0)


def color_jitter(
    images: np.ndarray, strength: float = 0.5, seed: int | list[int] = 0
) -> np.ndarray:
    """Each image with its own saturation, contrast and brightness, changed in this order.

    images: (images, height, width, 3), from 0 to 255. Each change moves the pixels away from a
    plain image or towards it, base + factor · (pixels − base), with a factor drawn from
    1 − strength to 1 + strength: from the image in grey (saturation), from its mean grey
    (contrast), from black (brightness). The result is cut off at 0 and 255.
    Source: Haeberli and Voorhies, "Image processing by linear interpolation and extrapolation"
    (1994); grey as in ITU-R BT.601.
    """
    images = _images(images)
    if images.shape[3:] != (3,):
        raise ValueError(f"images have to be (images, height, width, 3), got {images.shape}")
    share("strength", strength)
    draw = np.random.default_rng(seed)
    factors = draw.uniform(1 - strength, 1 + strength, (3, len(images), 1, 1, 1))
    saturation, contrast, brightness = factors.astype("float32")
    pixels = images.astype("float32")
    grey = (pixels @ np.array([0.299, 0.587, 0.114], "float32"))[..., None]
    pixels = grey + saturation * (pixels - grey)
    mean = grey.mean(axis=(1, 2), keepdims=True)
    pixels = np.clip(brightness * (mean + contrast * (pixels - mean)), 0, 255)
    return _like(pixels, images.dtype)


def cutmix(
    images: np.ndarray, shares: np.ndarray, seed: int | list[int] = 0
) -> tuple[np.ndarray, np.ndarray]:
    """With probability one half, a square of every image comes from another image.

    images: square ones. shares: how much of each class an image shows, (images, classes): 1
    for its own class and 0 for the others.

    The square's area is drawn evenly from 0 to the whole image, its place evenly from those
    where it fits; size and place are the same for the whole batch. The last image gives to the
    first one, the last but one to the second, and so on. The shares are mixed as the areas.
    Returns images and shares; those given stay as they are.
    Source: Yun et al., "CutMix" (2019), section 3, with squares inside the image.
    """
    images, shares = _images(images), np.asarray(shares)
    side = images.shape[1]
    if images.shape[2] != side or shares.shape[:1] != images.shape[:1]:
        got = f"{images.shape} and {shares.shape}"
        raise ValueError(f"need images (images, side, side, …), shares (images, …), got {got}")
    draw = np.random.default_rng(seed)
    if draw.random() >= 0.5:
        return images, shares
    cut = round(side * np.sqrt(draw.random()))
    row, column = draw.integers(0, side - cut, size=2, endpoint=True)
    square = np.s_[:, row : row + cut, column : column + cut]
    mixed, given = images.copy(), cut**2 / side**2
    mixed[square] = images[::-1][square]
    return mixed, ((1 - given) * shares + given * shares[::-1]).astype(shares.dtype)


def _framed(images: np.ndarray, rim: int = 1) -> np.ndarray:
    """Images in a rim of zeros, to which every place outside an image is moved."""
    return np.pad(images, [(0, 0), (rim, rim), (rim, rim)] + [(0, 0)] * (images.ndim - 3))


def _turned_places(images: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns, from the middle, that a turned image's pixels come from."""
    height, width = images.shape[1:3]
    middle = np.array([height - 1, width - 1], "float32") / 2
    down, across = np.mgrid[:height, :width].astype("float32") - middle[:, None, None]
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return cosine * down + sine * across, cosine * across - sine * down


def _like(pixels: np.ndarray, dtype) -> np.ndarray:
    """Pixels of that dtype, rounded if it has whole numbers only."""
    return (np.rint(pixels) if np.issubdtype(dtype, np.integer) else pixels).astype(dtype)


def _angle(degrees: float) -> None:
    if not 0 <= degrees <= 180:
        raise ValueError(f"degrees has to be between 0 and 180, got {degrees!r}")


def _images(images) -> np.ndarray:
    images = np.asarray(images)
    if images.ndim not in (3, 4):
        raise ValueError(f"images have to be (images, height, width, …), got {images.shape}")
    return images
