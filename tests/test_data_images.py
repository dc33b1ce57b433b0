"""Digits, changed images, and TFDS's images with a stand-in for TensorFlow Datasets."""

import io
from hashlib import blake2b

import numpy as np
import pytest
from PIL import Image
from PIL.Image import open as open_image
from sklearn.datasets import load_digits

from course_utils import data
from course_utils.data import images
from course_utils.data.images import balanced_order, recompressed
from tests.pictures import textures


def through_jpeg(pixels, quality):
    returned = []
    for image in pixels:
        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=quality)
        returned.append(np.array(open_image(file)))
    return np.stack(returned)


def test_every_beginning_of_the_order_holds_the_classes_alike():
    labels = np.repeat([0, 1, 2], [5, 9, 30])
    order = balanced_order(labels, np.random.default_rng(0))
    assert sorted(order) == list(range(44))
    for n in range(1, 16):
        counts = np.bincount(labels[order[:n]], minlength=3)
        assert counts.max() - counts.min() <= 1
    other = balanced_order(labels, np.random.default_rng(1))
    assert not np.array_equal(order, other)


def test_the_parts_of_the_digits():
    digits = data.load_digits()
    assert [len(digits.split(part)) for part in images.DIGITS] == [1_200, 200, 397]
    for part in images.DIGITS:
        inputs, targets = digits.split(part).inputs, digits.split(part).targets
        assert inputs.shape[1:] == (8, 8, 1) and inputs.dtype == np.float32
        assert inputs.min() == 0 and inputs.max() == 1 and targets.dtype == np.int32
        share = np.bincount(targets) / len(targets)
        assert np.abs(share - 0.1).max() < 0.01
    parts = [digits.split(part).inputs for part in images.DIGITS]
    together = np.concatenate(parts).reshape(-1, 64)
    assert sorted(map(tuple, together * 16)) == sorted(map(tuple, load_digits().data))


def test_held_out_digits_never_change_and_few_training_ones_are_balanced():
    first, other = data.load_digits(), data.load_digits(train=100, seed=3)
    for part in ("val", "test"):
        assert np.array_equal(first.split(part).inputs, other.split(part).inputs)
    pixels = (first.test.inputs * 16).astype("int8").tobytes()
    assert blake2b(pixels, digest_size=6).hexdigest() == "4bcfa973687b"
    assert np.bincount(other.train.targets).tolist() == [10] * 10
    few = data.load_digits(train=100).train
    assert np.array_equal(few.inputs, first.train.inputs[:100])


@pytest.mark.parametrize("channels", [(), (3,)])
def test_a_shifted_picture_is_the_same_one_elsewhere(channels):
    pictures = np.random.default_rng(0).integers(1, 256, size=(200, 6, 5, *channels))
    pictures = pictures.astype("uint8")
    moved = data.random_translate(pictures, pixels=2)
    framed = np.pad(pictures, [(0, 0), (2, 2), (2, 2)] + [(0, 0)] * len(channels))
    windows = np.lib.stride_tricks.sliding_window_view(framed, (6, 5), axis=(1, 2))
    windows = np.moveaxis(windows, (-2, -1), (3, 4))
    same = (windows == moved[:, None, None]).reshape(200, 25, -1).all(axis=-1)
    assert (same.sum(axis=1) == 1).all() and same.any(axis=0).all()


def test_a_seed_decides_and_shape_and_dtype_stay():
    pictures = textures(40, side=8)
    new, again, other = (data.random_translate(pictures, 1, seed) for seed in (0, 0, 1))
    assert np.array_equal(new, again) and not np.array_equal(new, other)
    assert (new.shape, new.dtype) == (pictures.shape, pictures.dtype)


def test_about_half_are_mirrored_and_the_given_ones_stay():
    pictures = textures(400, side=8)
    before = pictures.copy()
    mirrored = data.random_flip(pictures)
    same = (mirrored == pictures).all(axis=(1, 2, 3))
    assert np.array_equal(mirrored[~same], pictures[~same][:, :, ::-1])
    assert 160 < same.sum() < 240
    assert np.array_equal(pictures, before)


@pytest.fixture
def stand_in(tfds, monkeypatch):
    """Call it with a name and images: from then on TFDS has these, labelled in turn."""

    def install(name, train, test, classes=10, val=20):
        def records(pixels):
            labels = np.arange(len(pixels)) % classes
            batches = [slice(start, start + 16) for start in range(0, len(pixels), 16)]
            places = range(len(pixels)) if name == "oxford_pets" else batches
            return [{"image": pixels[rows], "label": labels[rows]} for rows in places]

        parts = {"train": records(train), "test": records(test)}
        sizes = {"train": len(train), "val": val, "test": len(test)}
        changed = images.COLLECTIONS[name]._replace(**sizes)
        monkeypatch.setitem(images.COLLECTIONS, name, changed)
        return tfds(parts, class_names=[f"class {number}" for number in range(classes)])

    return install


def test_images_in_three_parts(stand_in):
    train, test = textures(100), textures(40, seed=1)
    stand_in("cifar100", train, test)
    dataset = data.load_images("cifar100", dtype="uint8")
    assert [len(dataset.split(part)) for part in images.DIGITS] == [80, 20, 40]
    assert np.array_equal(dataset.test.inputs, test) and dataset.test.inputs.dtype == np.uint8
    assert np.array_equal(dataset.test.targets, np.arange(40) % 10)
    assert np.bincount(dataset.val.targets).tolist() == [2] * 10
    order = [image.tobytes() for part in (dataset.train, dataset.val) for image in part.inputs]
    places = np.array([order.index(image.tobytes()) for image in train])
    assert sorted(places) == list(range(100))
    labels = np.concatenate([dataset.train.targets, dataset.val.targets])
    assert np.array_equal(labels[places], np.arange(100) % 10)
    assert dataset.class_names == tuple(f"class {k}" for k in range(10))
    assert images.NOT_ORIGINAL not in dataset.source and dataset.licence
    assert dataset.name == "cifar100"


def test_images_as_float_and_another_seed(stand_in):
    stand_in("cifar10", textures(100), textures(40, seed=1))
    one, other = data.load_images("cifar10"), data.load_images("cifar10", seed=1)
    assert one.train.inputs.dtype == np.float32 and 0.9 < one.train.inputs.max() <= 1
    assert set(np.bincount(one.train.targets[:20], minlength=10)) == {2}
    assert not np.array_equal(other.val.inputs, one.val.inputs)
    assert np.array_equal(other.test.inputs, one.test.inputs)


@pytest.mark.parametrize("quality", [75, 95])
def test_a_copy_through_jpeg_is_said_in_capitals(stand_in, quality, capsys):
    plain = textures(100)
    copied = through_jpeg(plain, quality)
    assert recompressed(copied) and not recompressed(plain)
    # Cut out of a larger one off the grid: not what the check is about.
    assert not recompressed(through_jpeg(textures(100, side=48), quality)[:, 2:34, 6:38])
    stand_in("cifar10", copied, textures(16))
    dataset = data.load_images("cifar10")
    assert images.NOT_ORIGINAL in dataset.source and dataset.name == "cifar10_recompressed"
    assert images.NOT_ORIGINAL in capsys.readouterr().out


def test_pets_are_cut_to_a_square_and_resized(stand_in):
    draw = np.random.default_rng(0)
    heights, widths = draw.integers(70, 140, size=(2, 30))
    photographs = []
    for height, width in zip(heights, widths, strict=True):
        rows, columns = np.mgrid[:height, :width]
        inside = (abs(rows - height / 2 + 0.5) < 20) & (abs(columns - width / 2 + 0.5) < 20)
        photographs.append(np.where(inside[..., None], [250, 120, 10], 40).astype("uint8"))
    stand_in("oxford_pets", photographs, photographs[:9], classes=5, val=5)
    pets = data.load_images("oxford_pets", dtype="uint8")
    assert pets.train.inputs.shape == (25, 64, 64, 3) and len(pets.test) == 9
    assert (pets.train.inputs[:, 32, 32] == [250, 120, 10]).all()
    assert (pets.train.inputs[:, [0, -1], :, :] == 40).all()
    shares = (pets.test.inputs[..., 0] > 145).mean(axis=(1, 2))
    short = np.minimum(heights, widths)[:9]
    assert np.allclose(shares, (40 / short) ** 2, rtol=0.1)
    noise = draw.integers(0, 256, size=(640, 640, 3)).astype("uint8")
    assert images._resized(noise).std() < 0.15 * noise.std()  # smoothed, not picked


@pytest.mark.parametrize("size", [39, 41])
def test_damaged_records_are_no_network_fault(stand_in, monkeypatch, size):
    stand_in("cifar10", textures(100), textures(40))
    changed = images.COLLECTIONS["cifar10"]._replace(test=size)
    monkeypatch.setitem(images.COLLECTIONS, "cifar10", changed)
    with pytest.raises(RuntimeError, match="40"):
        data.load_images("cifar10")


@pytest.mark.parametrize(
    ("load", "wrong", "said"),
    [
        (data.random_flip, {"images": np.zeros((8, 8))}, "height"),
        (data.random_translate, {"images": np.zeros((4, 8, 8)), "pixels": -1}, "pixels"),
        (data.load_digits, {"train": 0}, "train"),
        (data.load_digits, {"train": 1_201}, "1,200"),
        (data.load_digits, {"seed": -1}, "seed"),
        (data.load_images, {"name": "imagenet"}, "'oxford_pets'"),
        (data.load_images, {"name": "mnist", "dtype": "float16"}, "'uint8'"),
        (data.load_images, {"name": "mnist", "seed": None}, "seed"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_read(monkeypatch, load, wrong, said):
    monkeypatch.setattr(images, "prepared", None)
    with pytest.raises(ValueError, match=said):
        load(**wrong)
