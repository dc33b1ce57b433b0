"""Labelled images: scikit-learn's 8×8 digits, and larger ones through TensorFlow Datasets.

The records are read in TFDS's order, which is the same on every machine. Images are kept as
uint8 until the wanted ones are chosen: as float32 they take four times the memory.
"""

from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps
from scipy.fft import dctn

from course_utils.data.base import Dataset, Split, one_of, whole_number
from course_utils.data.download import prepared, records

DIGITS = {"train": 1_200, "val": 200, "test": 397}
DIGITS_CUT = 1797  # the cut's own seed: whatever the caller draws, the test part stays
NOT_ORIGINAL = "NOT THE ORIGINAL PIXELS: recompressed as JPEG"


def load_digits(train: int = 1_200, seed: int = 0) -> Dataset:
    """The 1,797 digits: a test part of 397 and a validation part of 200, always the same ones.

    Each part: inputs float32 (digits, 8, 8, 1), 0 the paper and 1 the ink; targets int32
    (digits,). Every part holds the ten classes nearly alike.
    train: so many of the other 1,200, equally many of each digit as far as that goes.
    seed: draws which, and their order.
    Who wrote which digit is not known: the same thirteen people wrote in all parts.
    """
    train = whole_number("train", train, at_least=1)
    if train > DIGITS["train"]:
        raise ValueError(f"train can be {DIGITS['train']:,} at most, got {train!r}")
    seed = whole_number("seed", seed, at_least=0)
    from sklearn.datasets import load_digits as load

    images, labels = load(return_X_y=True)
    images = (images.reshape(-1, 8, 8, 1) / 16).astype("float32")
    labels = labels.astype("int32")
    order = balanced_order(labels, np.random.default_rng(DIGITS_CUT))
    test, val, others = np.split(order, [DIGITS["test"], DIGITS["test"] + DIGITS["val"]])
    drawn = others[balanced_order(labels[others], np.random.default_rng(seed))[:train]]
    return Dataset(
        "digits",
        *(Split(images[rows], labels[rows]) for rows in (drawn, val, test)),
        class_names=tuple("0123456789"),
        source="scikit-learn's load_digits: the test part of Alpaydin and Kaynak, "
        '"Optical recognition of handwritten digits" (1998), UCI Machine Learning Repository',
        licence="CC BY 4.0",
    ).announce(", 8×8 pixels; scikit-learn's load_digits")


class Collection(NamedTuple):
    """tfds: its name there. shape: of an image, as it is loaded. val: cut from train.

    exact: whether images come pixel by pixel as published, so that a JPEG trace is a fault.
    square: whether they are published in one size and as squares.
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


_KRIZ = "https://www.cs.toronto.edu/~kriz/"
_CIFAR = Collection(
    "cifar10:3.0.2",
    f"{_KRIZ}cifar-10-binary.tar.gz",
    (32, 32, 3),
    50_000,
    5_000,
    10_000,
    f"{_KRIZ}cifar.html",
    "no licence is stated; released for research (Krizhevsky, 2009)",
    exact=True,
)
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
    "cifar10": _CIFAR,
    "cifar100": _CIFAR._replace(
        tfds="cifar100:3.0.2", archive=f"{_KRIZ}cifar-100-binary.tar.gz"
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
    """Images with one class each, in three parts.

    Each part: inputs (images, side, side, channels), float32 from 0 to 1 or uint8 from 0 to
    255; targets int32 (images,); `class_names` in TFDS's order.
    name: "mnist", 28×28×1, ten digits; "cifar10" and "cifar100", 32×32×3, 10 and 100 classes;
        "oxford_pets", photographs of 37 breeds of cats and dogs, of many sizes: the middle
        square of each, resized to 64×64×3.
    seed: draws the validation part (5,000 images of the published training part, of the pets
        368, all classes alike) and then the order of the others: their first n hold all
        classes alike, too. The test part is the published one.

    Where CIFAR's pixels are not the published ones (`recompressed`), `source` says so in
    capitals and the name ends in "_recompressed".
    Raises ConnectionError where the images cannot be had.
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
    print(
        f"{name}: {dataset.sizes} for training / validation / test, "
        f"{side}×{side} pixels, {dtype}; {dataset.source}"
    )
    return dataset


def balanced_order(labels: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """The places of the labels, int (examples,): one of each class, another of each, and so on.

    So the first n hold equally many of every class, give or take one, for as long as every
    class lasts. The order within a class, and of the classes in a round, is drawn.
    """
    shuffled = draw.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    counts = np.unique(labels, return_counts=True)[1]
    rounds = np.concatenate([np.arange(count) for count in counts])
    return by_class[np.lexsort((draw.random(len(labels)), rounds))]


def recompressed(images: np.ndarray) -> bool:
    """Whether small images, uint8 (images, 32, 32, 3), were compressed as JPEG.

    JPEG cuts an image into blocks of 8×8 from its upper left corner and rounds away most of
    each block's high frequencies: many of them are all but zero on this grid, far fewer in
    blocks four pixels off it (at quality 75 shares of about 0.9 and 0.2, at 95 0.7 and 0.2).
    Images that were scaled down behind their last JPEG compression, as the published CIFAR ones
    were, have no such grid: the shares differ by a few hundredths. This is evidence of a grid,
    not a comparison with the original.
    """
    on, off = (_zero_share(images[:, k : k + 24, k : k + 24]) for k in (0, 4))
    return bool(on - off > 0.1)


def _zero_share(images: np.ndarray) -> float:
    """How many of the high frequencies of brightness in 8×8 blocks are below one grey level."""
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
    """The middle square of a pet, uint8 (height, width, 3), resized to 64×64."""
    return np.asarray(ImageOps.fit(Image.fromarray(image), (64, 64), Image.Resampling.BILINEAR))


def sides(name, value):
    """(height, width) of a side or a pair of sides."""
    pair = value if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2:
        raise ValueError(f"{name} has to be one side or (height, width), got {value!r}")
    return tuple(whole_number(name, side, at_least=1) for side in pair)


def patch_grid(image, patch):
    """How many patches lie below and beside each other: (rows, columns).

    A side has to be a multiple of the patch's: a strided convolution would silently drop the
    rim.
    """
    patch = whole_number("patch", patch, at_least=1)
    height, width = sides("image", image)
    for name, side in (("height", height), ("width", width)):
        if side % patch:
            below = side // patch * patch
            sizes = f"{below} or {below + patch}" if below else f"{patch}"
            fitting = range(1, min(height, width) + 1)
            patches = [str(size) for size in fitting if not (height % size or width % size)]
            raise ValueError(
                f"an image of {height}×{width} cannot be cut into patches of {patch}×{patch}: "
                f"its {name} {side} is not divisible by {patch}; {sizes} "
                f"would be, or take a patch of {', '.join(patches)}"
            )
    return height // patch, width // patch


def check_images(shape):
    """Raise ValueError unless the shape is that of images (batch, height, width, channels)."""
    if len(shape) != 4:
        hint = "; grey pictures need an axis for it: images[..., None]" * (len(shape) == 3)
        raise ValueError(
            f"images have to be (batch, height, width, channels), got {tuple(shape)}{hint}"
        )
