"""Larger labelled images through TensorFlow Datasets: MNIST, CIFAR-10, photographs of pets.

The records are read in TFDS's order, which is the same on every machine. Images are kept as
uint8 until the wanted ones are chosen: as float32 they take four times the memory.
"""

from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps
from scipy.fft import dctn

from course_utils.data.base import Dataset, Split, one_of, whole_number
from course_utils.data.download import prepared, records
from course_utils.data.images import balanced_order

NOT_ORIGINAL = "NOT THE ORIGINAL PIXELS: recompressed as JPEG"


class Collection(NamedTuple):
    """What TFDS calls it, and what it holds.

    shape: of an image, as it is loaded. val: cut from train. exact: whether images come pixel
    by pixel as published, so that a trace of JPEG is a fault. square: whether they are
    published in one size and as squares.
    """

    tfds: str
    archive: str
    shape: tuple[int, int, int]
    train: int
    val: int
    test: int
    home: str
    licence: str
    exact: bool = False
    square: bool = True


COLLECTIONS = {
    "mnist": Collection(
        "mnist:3.0.1",
        "https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
        (28, 28, 1),
        60_000,
        5_000,
        10_000,
        "http://yann.lecun.com/exdb/mnist/",
        "CC BY-SA 3.0 (LeCun, Cortes and Burges)",
    ),
    "cifar10": Collection(
        "cifar10:3.0.2",
        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        (32, 32, 3),
        50_000,
        5_000,
        10_000,
        "https://www.cs.toronto.edu/~kriz/cifar.html",
        "no licence is stated; released for research (Krizhevsky, 2009)",
        exact=True,
    ),
    "oxford_pets": Collection(
        "oxford_iiit_pet",
        "https://thor.robots.ox.ac.uk/~vgg/data/pets/images.tar.gz",
        (64, 64, 3),
        3_680,
        368,
        3_669,
        "https://www.robots.ox.ac.uk/~vgg/data/pets/",
        "CC BY-SA 4.0 (Parkhi et al., 2012)",
        square=False,
    ),
}


def load_images(name: str, dtype: str = "float32", seed: int = 0) -> Dataset:
    """Load images with one class each, in three parts; the test part is the published one.

    Where CIFAR-10's pixels are not the published ones (`recompressed`), `source` says so in
    capitals and the dataset's name ends in "_recompressed".

    Args:
        name: "mnist", 28×28×1; "cifar10", 32×32×3; or "oxford_pets", photographs of 37 breeds
            of cats and dogs, of which the middle square is resized to 64×64×3.
        dtype: "float32", from 0 to 1, or "uint8", from 0 to 255.
        seed: draws the validation part (5,000 images of the published training part; 368 of
            the pets), then the order of the others. Their first n hold all classes alike.

    Returns:
        A `Dataset` with inputs (images, side, side, channels) and targets int32 (images,).

    Raises:
        ConnectionError: where the images cannot be had.
    """
    one_of("name", name, tuple(COLLECTIONS))
    collection = COLLECTIONS[name]
    one_of("dtype", dtype, ("float32", "uint8"))
    seed = whole_number("seed", seed, at_least=0)

    builder = prepared(collection.tfds, collection.archive, f"the images of {name}")
    images, labels = _read(builder, "train", collection)
    altered = collection.exact and recompressed(images[:500])
    draw = np.random.default_rng(seed)
    val, others = np.split(balanced_order(labels, draw), [collection.val])
    rows = others[balanced_order(labels[others], draw)]

    def split(images, labels):
        pixels = images if dtype == "uint8" else np.divide(images, 255, dtype="float32")
        return Split(pixels, labels)

    parts = [split(images[part], labels[part]) for part in (rows, val)]
    del images
    parts.append(split(*_read(builder, "test", collection)))

    dataset = Dataset(
        name + "_recompressed" * altered,
        *parts,
        class_names=tuple(builder.info.features["label"].names),
        source=f"{collection.home} (TFDS {collection.tfds})" + f", {NOT_ORIGINAL}" * altered,
        licence=collection.licence,
    )
    side = collection.shape[0]
    return dataset.announce(f", {side}×{side} pixels, {dtype}; {dataset.source}")


def recompressed(images: np.ndarray) -> bool:
    """Whether small images, uint8 (images, 32, 32, 3), were compressed as JPEG.

    JPEG cuts an image into blocks of 8×8 from its upper left corner and rounds away most of
    each block's high frequencies: many of them are all but zero on this grid, far fewer in
    blocks four pixels off it (shares of about 0.9 and 0.2 at quality 75, of 0.7 and 0.2 at 95).
    Images that were scaled down after their last JPEG compression, as the published CIFAR ones
    were, have no such grid: the shares differ by a few hundredths. This is evidence of a grid,
    not a comparison with the original.
    """
    on, off = (_zero_share(images[:, k : k + 24, k : k + 24]) for k in (0, 4))
    return bool(on - off > 0.1)


def _zero_share(images: np.ndarray) -> float:
    """The share of the high frequencies of brightness in 8×8 blocks below one grey level."""
    brightness = images @ np.array([0.299, 0.587, 0.114], "float32")
    blocks = brightness.reshape(-1, 3, 8, 3, 8).swapaxes(2, 3)
    frequencies = dctn(blocks, axes=(-2, -1), norm="ortho")
    high = np.add.outer(np.arange(8), np.arange(8)) >= 8
    return float((np.abs(frequencies[..., high]) < 1).mean())


def _read(builder, part: str, collection: Collection) -> tuple[np.ndarray, np.ndarray]:
    """Images (uint8) and labels (int32) of a part of TFDS."""
    size = getattr(collection, part)
    images = np.empty((size, *collection.shape), "uint8")
    labels = np.empty(size, "int32")
    start = 0
    for batch in records(builder, part, size, 500 if collection.square else None):
        rows = slice(start, start + np.size(batch["label"]))
        images[rows] = batch["image"] if collection.square else _resized(batch["image"])
        labels[rows] = batch["label"]
        start = rows.stop
    return images, labels


def _resized(image: np.ndarray) -> np.ndarray:
    """The middle square of an image, uint8 (height, width, 3), resized to 64×64."""
    return np.asarray(ImageOps.fit(Image.fromarray(image), (64, 64), Image.Resampling.BILINEAR))
