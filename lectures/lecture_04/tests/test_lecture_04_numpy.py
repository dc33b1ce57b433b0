"""Lecture 04 against Keras and brute force: convolution, receptive field; the moving clips."""

import keras
import numpy as np
import pytest

from course_utils.checks import redrawn
from lectures import lecture_04
from lectures.lecture_04 import MOVES, convolve, load_motion


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)])
@pytest.mark.parametrize("kernel", [1, 4, 5])
@pytest.mark.parametrize("steps", [23, 16])
def test_convolution_equals_keras(kernel, stride, dilation, steps):
    x = np.random.default_rng(1).normal(size=(3, steps, 4)).astype("float32")

    def in_keras(padding):
        layer = keras.layers.Conv1D(5, kernel, stride, padding, dilation_rate=dilation)
        layer.build(x.shape)
        return np.array(redrawn(layer)(x)), *layer.get_weights()

    theirs, K, b = in_keras("valid")
    np.testing.assert_allclose(convolve(x, K, b, stride, dilation), theirs, atol=1e-5)
    if stride == 1:  # our causal convolution has no other
        theirs, K, b = in_keras("causal")
        ours = lecture_04.causal_convolution(x, K, b, dilation)
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("stack", "seen"),
    [
        ([(5, 1, 1)], 5),
        ([(7, 1, 1), (5, 5, 1), (7, 1, 1)], 41),
        ([(3, 1, 2**k) for k in range(6)], 127),
        ([(4, 3, 1), (2, 2, 1), (3, 1, 2)], 31),
    ],
)
def test_the_receptive_field_is_what_a_stack_sees(stack, seen):
    assert lecture_04.receptive_field(stack) == seen
    steps = 200
    x = np.eye(steps)[..., None]  # each row has a single step that counts
    for kernel, stride, dilation in stack:
        ones = np.ones((kernel, 1, 1)), np.zeros(1)
        x = convolve(x, *ones, stride, dilation)
    reached = np.flatnonzero(x[:, 2, 0])
    assert reached[-1] - reached[0] + 1 == seen


@pytest.fixture(scope="module")
def motion():
    return load_motion(train=200)


def test_shapes_and_names_of_clips(motion):
    assert [len(part) for part in (motion.train, motion.val, motion.test)] == [200, 300, 1_000]
    inputs, targets = motion.train.inputs, motion.train.targets
    assert (inputs.shape, inputs.dtype) == ((200, 12, 12, 12, 1), "float32")
    assert (targets.shape, targets.dtype) == ((200, 12), "int32")
    assert motion.class_names == lecture_04.MOTIONS
    changes = np.diff(targets, axis=1) != 0  # none before the third frame
    assert set(changes.sum(axis=1)) == {1, 2} and not changes[:, 0].any()


def test_the_target_is_the_move_from_the_frame_before():
    clips = load_motion(train=100, noise=0).train
    for clip, motions in zip(clips.inputs[..., 0], clips.targets, strict=True):
        for before, after, motion in zip(clip, clip[1:], motions[1:], strict=False):
            assert np.array_equal(np.roll(before, MOVES[motion], axis=(0, 1)), after)


def test_a_single_frame_says_nothing_about_the_motion():
    clips = load_motion(train=5_000, noise=0).train
    assert np.abs(np.bincount(clips.targets.ravel()) / clips.targets.size - 0.2).max() < 0.02
    for motion in range(5):
        seen = clips.inputs[clips.targets == motion].mean(axis=0)
        assert seen.std() < 0.2 * seen.mean()


def test_the_seed_decides_and_the_parts_differ(motion):
    again = load_motion(train=200)
    assert np.array_equal(again.train.inputs, motion.train.inputs)
    other = load_motion(train=200, seed=1)
    assert not np.array_equal(other.train.targets, motion.train.targets)
    assert not np.array_equal(motion.val.targets, motion.test.targets)


@pytest.mark.parametrize(
    "wrong",
    [{"train": 0}, {"train": True}, {"noise": 2}, {"seed": -1}],
)
def test_a_wrong_argument_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load_motion(**wrong)
