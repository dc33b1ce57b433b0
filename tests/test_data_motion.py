"""The clips of a moving shape: in step with their targets, seeded, quick to make."""

import time

import numpy as np
import pytest

from course_utils import data
from course_utils.data.motion import CLASS_NAMES, STEPS


@pytest.fixture(scope="module")
def motion():
    return data.load_motion(train=200, val=50, test=50)


def test_shapes_and_names(motion):
    assert [len(part) for part in (motion.train, motion.val, motion.test)] == [200, 50, 50]
    assert motion.train.inputs.shape == (200, 12, 12, 12, 1)
    assert motion.train.inputs.dtype == "float32"
    assert motion.train.targets.shape == (200, 12)
    assert motion.train.targets.dtype == "int32"
    assert motion.class_names == CLASS_NAMES and motion.source and motion.licence == "CC0"


def test_the_target_is_the_step_from_the_frame_before():
    clips = data.load_motion(train=100, val=1, test=1, noise=0).train
    for clip, motions in zip(clips.inputs[..., 0], clips.targets, strict=True):
        for before, after, motion in zip(clip, clip[1:], motions[1:], strict=False):
            assert np.array_equal(np.roll(before, STEPS[motion], axis=(0, 1)), after)


def test_the_motion_changes_within_each_clip_but_not_before_the_third_frame(motion):
    changes = np.diff(motion.train.targets, axis=1) != 0
    assert set(changes.sum(axis=1)) == {1, 2}
    assert not changes[:, 0].any()


def test_a_single_frame_says_nothing_about_the_motion():
    clips = data.load_motion(train=5_000, val=1, test=1, noise=0).train
    assert np.abs(np.bincount(clips.targets.ravel()) / clips.targets.size - 0.2).max() < 0.02
    for motion in range(5):
        seen = clips.inputs[clips.targets == motion].mean(axis=0)
        assert seen.std() < 0.2 * seen.mean()


def test_the_seed_decides_and_the_parts_differ(motion):
    again = data.load_motion(train=200, val=50, test=50)
    assert np.array_equal(again.train.inputs, motion.train.inputs)
    other = data.load_motion(train=200, val=50, test=50, seed=1)
    assert not np.array_equal(other.train.targets, motion.train.targets)
    assert not np.array_equal(motion.val.targets, motion.test.targets)


def test_it_is_made_in_well_under_a_second():
    begun = time.process_time()
    data.load_motion()
    assert time.process_time() - begun < 1


def test_other_sizes():
    clips = data.load_motion(train=4, val=1, test=1, frames=7, size=9)
    assert clips.train.inputs.shape == (4, 7, 9, 9, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"train": 0},
        {"val": True},
        {"test": "12"},
        {"frames": 3},
        {"size": 5},
        {"size": 9.5},
        {"noise": 2},
        {"noise": None},
        {"noise": "0.1"},
        {"noise": float("nan")},
        {"seed": -1},
        {"seed": None},
    ],
)
def test_a_wrong_argument_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        data.load_motion(**wrong)
