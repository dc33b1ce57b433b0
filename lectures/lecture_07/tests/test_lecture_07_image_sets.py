"""TFDS's images, with a stand-in for TensorFlow Datasets; CIFAR-10 recompressed or not."""

import io

import numpy as np
import pytest
from PIL import Image
from PIL.Image import open as open_image
from textures import textures

from lectures.lecture_07 import image_sets
from lectures.lecture_07.image_sets import load_images, recompressed

PARTS = ("train", "val", "test")


def through_jpeg(pixels, quality):
    returned = []
    for image in pixels:
        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=quality)
        returned.append(np.array(open_image(file)))
    return np.stack(returned)


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
        changed = image_sets.COLLECTIONS[name]._replace(**sizes)
        monkeypatch.setitem(image_sets.COLLECTIONS, name, changed)
        return tfds(parts, class_names=[f"class {number}" for number in range(classes)])

    return install


def test_images_in_three_parts(stand_in):
    train, test = textures(100), textures(40, seed=1)
    stand_in("cifar10", train, test)
    dataset = load_images("cifar10", dtype="uint8")
    assert [len(dataset.split(part)) for part in PARTS] == [80, 20, 40]
    assert np.array_equal(dataset.test.inputs, test) and dataset.test.inputs.dtype == np.uint8
    assert np.array_equal(dataset.test.targets, np.arange(40) % 10)
    assert np.bincount(dataset.val.targets).tolist() == [2] * 10
    order = [image.tobytes() for part in (dataset.train, dataset.val) for image in part.inputs]
    places = np.array([order.index(image.tobytes()) for image in train])
    assert sorted(places) == list(range(100))
    labels = np.concatenate([dataset.train.targets, dataset.val.targets])
    assert np.array_equal(labels[places], np.arange(100) % 10)
    assert dataset.class_names == tuple(f"class {k}" for k in range(10))
    assert image_sets.NOT_ORIGINAL not in dataset.source and dataset.licence
    assert dataset.name == "cifar10"


def test_images_as_float_and_another_seed(stand_in):
    stand_in("cifar10", textures(100), textures(40, seed=1))
    one, other = load_images("cifar10"), load_images("cifar10", seed=1)
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
    dataset = load_images("cifar10")
    assert image_sets.NOT_ORIGINAL in dataset.source and dataset.name == "cifar10_recompressed"
    assert image_sets.NOT_ORIGINAL in capsys.readouterr().out


def test_pets_are_cut_to_a_square_and_resized(stand_in):
    draw = np.random.default_rng(0)
    heights, widths = draw.integers(70, 140, size=(2, 30))
    photographs = []
    for height, width in zip(heights, widths, strict=True):
        rows, columns = np.mgrid[:height, :width]
        inside = (abs(rows - height / 2 + 0.5) < 20) & (abs(columns - width / 2 + 0.5) < 20)
        photographs.append(np.where(inside[..., None], [250, 120, 10], 40).astype("uint8"))
    stand_in("oxford_pets", photographs, photographs[:9], classes=5, val=5)
    pets = load_images("oxford_pets", dtype="uint8")
    assert pets.train.inputs.shape == (25, 64, 64, 3) and len(pets.test) == 9
    assert (pets.train.inputs[:, 32, 32] == [250, 120, 10]).all()
    assert (pets.train.inputs[:, [0, -1], :, :] == 40).all()
    shares = (pets.test.inputs[..., 0] > 145).mean(axis=(1, 2))
    short = np.minimum(heights, widths)[:9]
    assert np.allclose(shares, (40 / short) ** 2, rtol=0.1)
    noise = draw.integers(0, 256, size=(640, 640, 3)).astype("uint8")
    assert image_sets._resized(noise).std() < 0.15 * noise.std()  # smoothed, not picked


@pytest.mark.parametrize("size", [39, 41])
def test_damaged_records_are_no_network_fault(stand_in, monkeypatch, size):
    stand_in("cifar10", textures(100), textures(40))
    changed = image_sets.COLLECTIONS["cifar10"]._replace(test=size)
    monkeypatch.setitem(image_sets.COLLECTIONS, "cifar10", changed)
    with pytest.raises(RuntimeError, match="40"):
        load_images("cifar10")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": "imagenet"}, "'oxford_pets'"),
        ({"name": "mnist", "dtype": "float16"}, "'uint8'"),
        ({"name": "mnist", "seed": None}, "seed"),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_read(monkeypatch, wrong, said):
    monkeypatch.setattr(image_sets, "prepared", None)
    with pytest.raises(ValueError, match=said):
        load_images(**wrong)
