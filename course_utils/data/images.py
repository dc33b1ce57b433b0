"""Labelled pictures through TensorFlow Datasets: digits, small photographs, cats and dogs.

The records are read in TFDS's order, which is the same on every machine. Pictures are kept as
uint8 until the wanted ones are chosen: as float32 they take four times the memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.data.arguments import one_of, whole_number
from course_utils.data.balanced import balanced_order
from course_utils.data.dataset import Dataset, Split
from course_utils.data.download import prepared
from course_utils.data.jpeg_trace import recompressed

DTYPES = ("float32", "uint8")
NOT_ORIGINAL = "NOT THE ORIGINAL PIXELS: recompressed as JPEG"
BATCH = 500


class Collection(NamedTuple):
    """tfds: its name there. shape: of a picture, None where they differ. val: cut from train.

    exact: whether pictures come pixel by pixel as published, so that a JPEG trace is a fault.
    """

    tfds: str
    archive: str
    what: str
    shape: tuple[int, int, int] | None
    train: int
    val: int
    test: int
    home: str
    licence: str
    exact: bool = False


_CIFAR = "https://www.cs.toronto.edu/~kriz/"
_RESEARCH = "no licence is stated; released for research (Krizhevsky, 2009)"
COLLECTIONS = {
    "mnist": Collection(
        "mnist:3.0.1",
        "https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
        "MNIST's digits",
        (28, 28, 1),
        60_000,
        5_000,
        10_000,
        "http://yann.lecun.com/exdb/mnist/",
        "CC BY-SA 3.0 (LeCun, Cortes and Burges)",
    ),
    "cifar10": Collection(
        "cifar10:3.0.2",
        f"{_CIFAR}cifar-10-binary.tar.gz",
        "CIFAR-10's pictures",
        (32, 32, 3),
        50_000,
        5_000,
        10_000,
        f"{_CIFAR}cifar.html",
        _RESEARCH,
        exact=True,
    ),
    "cifar100": Collection(
        "cifar100:3.0.2",
        f"{_CIFAR}cifar-100-binary.tar.gz",
        "CIFAR-100's pictures",
        (32, 32, 3),
        50_000,
        5_000,
        10_000,
        f"{_CIFAR}cifar.html",
        _RESEARCH,
        exact=True,
    ),
    "oxford_pets": Collection(
        "oxford_iiit_pet",
        "https://thor.robots.ox.ac.uk/~vgg/data/pets/images.tar.gz",
        "the Oxford-IIIT pets",
        None,
        3_680,
        368,
        3_669,
        "https://www.robots.ox.ac.uk/~vgg/data/pets/",
        "CC BY-SA 4.0 (Parkhi et al., 2012)",
    ),
}
PETS_SIDE = 64


def load_images(
    name: str,
    train: int | None = None,
    side: int | None = None,
    dtype: str = "float32",
    seed: int = 0,
) -> Dataset:
    """Pictures with one class each, in three parts.

    Each part: inputs (pictures, side, side, channels), float32 from 0 to 1 or uint8 from 0 to
    255; targets int32 (pictures,); `class_names` in TFDS's order.

    name: "mnist", 28×28×1, ten digits; "cifar10" and "cifar100", 32×32×3, 10 and 100 classes;
        "oxford_pets", photographs of 37 breeds of cats and dogs, of many sizes: the middle
        square of each, resized.
    train: how many training pictures, all classes alike as far as that goes; None: all.
    side: to which height and width to resize, linearly, smoothing first where it gets smaller;
        None: as published, pets 64.
    dtype: "float32" or "uint8".
    seed: draws the validation part (5,000 pictures of the published training part, of the pets
        368, all classes alike) and then the training pictures. The test part is the published
        one.

    Whether CIFAR's pictures are the published ones is looked up in their pixels (`jpeg_trace`);
    where they are not, `source` says so in capitals and the name ends in "_recompressed".

    Raises ValueError for a wrong argument, and ConnectionError when the pictures are neither
    here nor to be had.
    """
    one_of("name", name, tuple(COLLECTIONS))
    collection = COLLECTIONS[name]
    most = collection.train - collection.val
    train = most if train is None else train
    whole_number("train", train, at_least=1)
    if train > most:
        raise ValueError(f"train can be {most:,} at most for {name!r}, got {train!r}")
    if side is None:
        side = collection.shape[0] if collection.shape else PETS_SIDE
    whole_number("side", side, at_least=1)
    one_of("dtype", dtype, DTYPES)
    whole_number("seed", seed, at_least=0)

    builder = prepared(collection.tfds, collection.archive, collection.what)
    images, labels, altered = _read(builder, "train", collection, side)
    draw = np.random.default_rng(seed)
    val, others = np.split(balanced_order(labels, draw), [collection.val])
    rows = others[balanced_order(labels[others], draw)[:train]]
    parts = [Split(_as(dtype, images[part]), labels[part]) for part in (rows, val)]
    del images
    images, labels, _ = _read(builder, "test", collection, side)
    parts.append(Split(_as(dtype, images), labels))

    source = f"{collection.home} (TFDS {collection.tfds})"
    source += f", {NOT_ORIGINAL}" if altered else ""
    sizes = " / ".join(f"{len(part):,}" for part in parts)
    print(
        f"{name}: {sizes} for training / validation / test, {side}×{side} pixels, {dtype}; "
        f"{source}"
    )
    names = tuple(builder.info.features["label"].names)
    name += "_recompressed" if altered else ""
    return Dataset(name, *parts, class_names=names, source=source, licence=collection.licence)


def resized(images: np.ndarray, side: int) -> np.ndarray:
    """The middle squares of uint8 (pictures, height, width, channels), resized: uint8, too.

    Each new pixel is a weighted mean under a triangle: linear interpolation where the picture
    grows, and where it shrinks a triangle as much wider.
    """
    height, width = images.shape[1:3]
    short = min(height, width)
    top, left = (height - short) // 2, (width - short) // 2
    images = images[:, top : top + short, left : left + short]
    if short == side:
        return images
    step = short / side
    centres = (np.arange(side) + 0.5) * step - 0.5
    reach = np.abs(np.arange(short) - centres[:, None]) / max(step, 1)
    weights = np.maximum(1 - reach, 0).astype("float32")
    weights /= weights.sum(axis=1, keepdims=True)
    rows = np.einsum("or,brcx->bocx", weights, images.astype("float32"), optimize=True)
    squares = np.einsum("oc,brcx->brox", weights, rows, optimize=True)
    return np.rint(squares).astype("uint8")


def _read(builder, part: str, collection: Collection, side: int):
    """Pictures (uint8) and labels (int32) of a part, and whether they bear a trace of JPEG."""
    import tensorflow_datasets

    size = getattr(collection, part)
    batch_size = BATCH if collection.shape else None
    channels = collection.shape[-1] if collection.shape else 3
    images = np.empty((size, side, side, channels), "uint8")
    labels = np.empty(size, "int32")
    altered, found = False, 0
    records = builder.as_dataset(split=part, batch_size=batch_size, shuffle_files=False)
    for batch in tensorflow_datasets.as_numpy(records):
        pictures, classes = batch["image"], np.atleast_1d(batch["label"])
        if batch_size is None:
            pictures = pictures[None]
        if found == 0 and collection.exact:
            altered = recompressed(pictures)
        rows = slice(found, min(found + len(classes), size))
        found += len(classes)
        if found <= size:
            images[rows], labels[rows] = resized(pictures, side), classes
    if found != size:
        raise RuntimeError(
            f"{Path(builder.data_dir)} holds {found:,} pictures ({part}) instead of {size:,}: "
            "delete that folder and run again"
        )
    return images, labels, altered


def _as(dtype: str, images: np.ndarray) -> np.ndarray:
    return images if dtype == "uint8" else np.divide(images, 255, dtype="float32")
