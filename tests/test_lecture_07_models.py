"""Lecture 07: patches, counts and figures; its networks' sizes, batches and shifts."""

import numpy as np
import pytest
from defined import defined

import course_utils as cu
from course_utils import plotting
from course_utils.data.base import one_of
from course_utils.lectures import lecture_07
from course_utils.lectures.lecture_07 import to_patches
from course_utils.models.vision import vision_transformer

TASKS = {"DIGITS": (58_138, 56_394), "MNIST": (138_890, 137_806), "CIFAR10": (141_898, 141_840)}
KINDS = ("vit", "convnet", "vit_class", "vit_no_positions", "vit_patch_1", "vit_patch_4")


def test_the_parts_of_the_lectures_table():
    count = lecture_07.published_parameters("L/16")
    assert count["projection"] == 787_456
    assert count["class token"] + count["positions"] == 202_752
    assert count["attention"] == 24 * 4_198_400
    assert count["feed-forward"] == 24 * 8_393_728
    assert count["norms"] + count["head"] == 24 * 4_096 + 1_027_048


def test_only_positions_depend_on_the_size_of_the_image():
    sizes = {"patch": 16, "embed_dim": 768, "mlp_dim": 3072, "num_layers": 12, "classes": 1000}
    small, large = (lecture_07.vit_parameters(side, 3, **sizes) for side in (224, 384))
    assert {part for part in small if small[part] != large[part]} == {"positions"}
    assert sum(large.values()) == lecture_07.parameters_of_b16() == 86_859_496


@pytest.fixture
def shown(monkeypatch):
    """The figures that are shown, with their alternative texts."""
    found = []
    monkeypatch.setattr(plotting, "show", lambda *figure_and_alt: found.append(figure_and_alt))
    return found


def shown_arrays(drawing):
    return [np.array(image.get_array()) for axis in drawing.axes for image in axis.images]


def test_the_patches_stand_row_by_row_beside_the_image(shown):
    image = np.arange(16.0).reshape(4, 4, 1) / 16
    lecture_07.show_patches(image, 2, "an image and its patches")
    [(drawing, alt)] = shown
    whole, *patches = shown_arrays(drawing)
    assert np.array_equal(whole, image[..., 0]) and len(patches) == 4
    assert np.array_equal(patches[1], image[:2, 2:, 0])
    assert np.array_equal(patches[2], image[2:, :2, 0])
    assert alt == "an image and its patches"


def test_a_map_lies_over_the_whole_image(shown):
    values = np.arange(4.0).reshape(2, 2)
    lecture_07.show_over(np.zeros((8, 8, 1)), [values, values * 0], ["one", "none"], "alt")
    [(drawing, _)] = shown
    overlay = drawing.axes[1].images[1]
    assert overlay.get_extent() == [-0.5, 7.5, 7.5, -0.5]
    strength = np.asarray(overlay.get_alpha())
    assert strength[0, 0] == 0 and strength[1, 1] == strength.max() > 0.5
    assert np.asarray(drawing.axes[2].images[1].get_alpha()).max() == 0


def test_maps_stand_at_their_places_with_one_scale(shown):
    maps = np.linspace(-1, 1, 2 * 3 * 2 * 3).reshape(2, 3, 2, 3)
    lecture_07.show_maps(maps, "alt", "title")
    [(drawing, _)] = shown
    drawn = shown_arrays(drawing)[:6]
    assert np.array_equal(np.array(drawn).reshape(maps.shape), maps)
    assert {axis.images[0].get_clim() for axis in drawing.axes[:6]} == {(-1, 1)}


@pytest.fixture(scope="module")
def lecture():
    given = {"one_of": one_of, "vision_transformer": vision_transformer}
    return defined("07_vision_transformer", (*TASKS, "KINDS"), **given)


@pytest.mark.parametrize("task", TASKS)
def test_both_networks_have_the_parameters_that_the_lecture_says(lecture, task):
    found = tuple(
        lecture["network"](kind, lecture[task]).count_params() for kind in ("vit", "convnet")
    )
    assert found == TASKS[task]
    assert abs(found[0] / found[1] - 1) < 0.035


def test_every_kind_names_ten_digits_and_there_is_no_other(lecture):
    for kind in KINDS:
        logits = lecture["network"](kind, lecture["DIGITS"])(np.ones((3, 8, 8, 1), "float32"))
        assert tuple(logits.shape) == (3, 10)
    with pytest.raises(ValueError, match="convnet.*vit_no_positions"):
        lecture["network"]("resnet", lecture["DIGITS"])


def part(count):
    images = np.arange(count, dtype="float32").reshape(count, 1, 1, 1)
    return cu.data.Split(images, np.arange(count))


@pytest.mark.parametrize("count", [100, 128, 1_000])
def test_batches_hold_every_picture_as_often(lecture, count):
    batches = lecture["Batches"](part(count), steps=25)
    assert len(batches) == 25
    drawn = np.concatenate([batches[step][1] for step in range(25)])
    times = np.bincount(drawn, minlength=count)
    assert len(drawn) == 1_600 and np.ptp(times) <= 1
    batches.on_epoch_end()
    assert not np.array_equal(batches[0][1], drawn[:64])


def test_batches_of_a_seed_come_again(lecture):
    first, again, other = (
        lecture["Batches"](part(200), 3, lecture["one_pixel"], seed) for seed in (4, 4, 5)
    )
    assert all(np.array_equal(*pair) for pair in zip(first[2], again[2], strict=True))
    assert not np.array_equal(first[2][1], other[2][1])


def test_each_batch_is_changed_anew_and_keeps_its_targets(lecture):
    seeds = []

    def change(images, seed):
        seeds.append(seed)
        return images + 1_000

    batches = lecture["Batches"](part(100), 5, change, seed=2)
    for _ in range(2):
        for step in range(5):
            images, targets = batches[step]
            assert np.array_equal(images[:, 0, 0, 0], targets + 1_000)
        batches.on_epoch_end()
    assert len(set(seeds)) == 10


def test_moving_and_mirroring_photographs_are_drawn_apart(lecture):
    images = np.zeros((4_000, 9, 9, 1), "float32")
    images[:, 4, 2] = 1.0
    images[:, 4, 3] = 0.5
    changed = lecture["cropped_and_mirrored"](images, seed=3)
    assert changed.shape == images.shape and set(np.unique(changed)) <= {0.0, 0.5, 1.0}
    rows, columns = np.divmod(changed.reshape(4_000, -1).argmax(axis=1), 9)
    whole = changed.reshape(4_000, -1).sum(axis=1) == 1.5
    mirrored = (columns > 0) & (
        changed[np.arange(4_000), rows, np.maximum(columns - 1, 0), 0] == 0.5
    )
    for row in range(9):  # the chance of a mirror is the same wherever the picture went
        chosen = whole & (rows == row)
        assert chosen.sum() > 200 and 0.35 < mirrored[chosen].mean() < 0.65


def test_the_stretched_list_is_not_the_plane(lecture):
    table = np.arange(16.0)[:, None]
    moved = lecture_07.interpolate_positions(table, (4, 4), (6, 6), extra=0)
    stretched = lecture["stretched"](table, 36)
    assert np.array_equal(lecture["stretched"](table, 16), table)
    # In the plane the place below is a row of the old grid further on, in the list less.
    assert np.isclose(moved[14 + 6] - moved[14], 4 * 4 / 6)
    assert np.isclose(stretched[14 + 6] - stretched[14], 6 * 16 / 36)
    assert np.abs(moved - stretched).max() > 0.5


def test_blanking_paper_changes_nothing_and_maps_are_compared_where_there_is_ink(lecture):
    class Brightness:
        def predict(self, images, **_):
            return np.repeat(images.reshape(len(images), -1).sum(axis=1)[:, None], 10, axis=1)

    lecture |= {"to_patches": to_patches, "from_patches": lecture_07.from_patches}
    images = np.zeros((2, 8, 8, 1), "float32")
    images[:, :2, :2] = 1.0
    falls = lecture["blanked"](Brightness(), images, np.array([3, 7]))
    assert np.allclose(falls[:, 0], 4) and np.allclose(falls[:, 1:], 0)
