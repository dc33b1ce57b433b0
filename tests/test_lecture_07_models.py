"""The networks of lecture 07: equal sizes, batches, shifts."""

import ast
from pathlib import Path

import numpy as np
import pytest

import course_utils as cu
from course_utils.data.base import one_of
from course_utils.models.vision import vision_transformer

LECTURE = "07_vision_transformer"
SOURCE = Path(__file__).resolve().parent.parent / "lectures" / f"{LECTURE}.py"
TASKS = {
    "DIGITS": (58_138, 56_394),
    "MNIST": (138_890, 137_806),
    "CIFAR10": (141_898, 141_840),
}
KINDS = ("vit", "convnet", "vit_class", "vit_no_positions", "vit_patch_1", "vit_patch_4")


@pytest.fixture(scope="module")
def lecture():
    """What the lecture's source defines at its top level: functions, classes, settings."""
    import keras
    from keras import layers, ops

    def kept(node):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return True
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        target = node.target if isinstance(node, ast.AugAssign) else target
        return getattr(target, "id", "") in (*TASKS, "KINDS")

    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    names = {"keras": keras, "layers": layers, "ops": ops, "np": np, "cu": cu}
    names |= {"one_of": one_of, "vision_transformer": vision_transformer}
    body = [node for node in tree.body if kept(node)]
    exec(compile(ast.Module(body, []), str(SOURCE), "exec"), names)
    return names


@pytest.mark.parametrize("task", TASKS)
def test_both_networks_have_the_parameters_that_the_lecture_says(lecture, task):
    found = tuple(
        lecture["network"](kind, lecture[task]).count_params() for kind in ("vit", "convnet")
    )
    assert found == TASKS[task]
    assert abs(found[0] / found[1] - 1) < 0.035


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_names_ten_digits(lecture, kind):
    logits = lecture["network"](kind, lecture["DIGITS"])(np.ones((3, 8, 8, 1), "float32"))
    assert tuple(logits.shape) == (3, 10)


def test_another_kind_is_told_what_there_is(lecture):
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
    moved = cu.models.interpolate_positions(table, 4, 6, extra=0)
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

    from course_utils.numpy_ref.patches import from_patches, to_patches

    lecture |= {"to_patches": to_patches, "from_patches": from_patches}
    images = np.zeros((2, 8, 8, 1), "float32")
    images[:, :2, :2] = 1.0
    falls = lecture["blanked"](Brightness(), images, np.array([3, 7]))
    assert np.allclose(falls[:, 0], 4) and np.allclose(falls[:, 1:], 0)
