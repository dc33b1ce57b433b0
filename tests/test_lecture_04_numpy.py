"""Lecture 04 against Keras and brute force: convolution, receptive field; the moving clips."""

import keras
import numpy as np
import pytest

from course_utils.lectures import lecture_04
from course_utils.lectures.lecture_04 import MOVES, convolve, load_motion, output_length

BATCH, STEPS, CHANNELS, FILTERS = 3, 23, 4, 5


def weights(kernel, seed=0):
    draw = np.random.default_rng(seed)
    K = draw.normal(size=(kernel, CHANNELS, FILTERS)).astype("float32")
    return K, draw.normal(size=FILTERS).astype("float32")


def sequences(steps=STEPS, seed=1):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(BATCH, steps, CHANNELS)).astype("float32")


@pytest.mark.parametrize("padding", lecture_04.PADDINGS)
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)])
@pytest.mark.parametrize("kernel", [1, 4, 5])
@pytest.mark.parametrize("steps", [STEPS, 16])
def test_convolution_equals_keras(kernel, stride, dilation, padding, steps):
    K, b = weights(kernel)
    x = sequences(steps)
    layer = keras.layers.Conv1D(
        FILTERS, kernel, strides=stride, padding=padding, dilation_rate=dilation
    )
    layer.build(x.shape)
    layer.set_weights([K, b])
    theirs = np.array(layer(x))
    ours = convolve(x, K, b, stride, padding, dilation)
    assert ours.shape == theirs.shape
    assert ours.shape[1] == output_length(steps, kernel, stride, padding, dilation)
    assert np.abs(ours - theirs).max() < 1e-5


@pytest.mark.parametrize("dilation", [1, 3])
def test_the_exercises_functions_agree_with_the_convolution(dilation):
    K, b = weights(4)
    x = sequences()
    causal = convolve(x, K, b, 1, "causal", dilation)
    assert np.abs(lecture_04.causal_convolution(x, K, b, dilation) - causal).max() < 1e-5
    assert lecture_04.conv_parameters(4, CHANNELS, FILTERS) == K.size + b.size


@pytest.mark.parametrize(
    ("settings", "telling"),
    [
        ({"padding": "full"}, "'valid', 'same', 'causal'"),
        ({"stride": 0}, "stride"),
        ({"dilation": 1.5}, "dilation"),
        ({"dilation": 12}, "25 steps wide"),
    ],
)
def test_wrong_settings_are_refused(settings, telling):
    with pytest.raises(ValueError, match=telling):
        convolve(sequences(), *weights(3), **settings)


def test_inputs_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="batch, steps, channels"):
        convolve(sequences()[0], *weights(3))
    with pytest.raises(ValueError, match="2 channels"):
        convolve(sequences()[..., :2], *weights(3))


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
        x = convolve(x, *ones, stride, "valid", dilation)
    reached = np.flatnonzero(x[:, 2, 0])
    assert reached[-1] - reached[0] + 1 == seen


def test_the_largest_real_output_leaves_pads_out():
    K, b = weights(3)
    x = sequences()
    mask = np.arange(STEPS) < np.array([[STEPS], [9], [1]])
    found = lecture_04.largest_real_output(x, mask, K, b - 100)
    alone = lecture_04.largest_real_output(x[1:2, :9], mask[1:2, :9], K, b - 100)
    assert found.shape == (BATCH, FILTERS) and found.max() < 0
    assert np.abs(found[1:2] - alone).max() < 1e-4


@pytest.fixture(scope="module")
def motion():
    return load_motion(train=200, val=50, test=50)


def test_shapes_and_names_of_clips(motion):
    assert [len(part) for part in (motion.train, motion.val, motion.test)] == [200, 50, 50]
    inputs, targets = motion.train.inputs, motion.train.targets
    assert (inputs.shape, inputs.dtype) == ((200, 12, 12, 12, 1), "float32")
    assert (targets.shape, targets.dtype) == ((200, 12), "int32")
    assert motion.class_names == lecture_04.MOTIONS
    other = load_motion(train=4, val=1, test=1, frames=7, size=9).train.inputs
    assert other.shape == (4, 7, 9, 9, 1)


def test_the_target_is_the_move_from_the_frame_before():
    clips = load_motion(train=100, val=1, test=1, noise=0).train
    for clip, motions in zip(clips.inputs[..., 0], clips.targets, strict=True):
        for before, after, motion in zip(clip, clip[1:], motions[1:], strict=False):
            assert np.array_equal(np.roll(before, MOVES[motion], axis=(0, 1)), after)


def test_the_motion_changes_within_each_clip_but_not_before_the_third_frame(motion):
    changes = np.diff(motion.train.targets, axis=1) != 0
    assert set(changes.sum(axis=1)) == {1, 2}
    assert not changes[:, 0].any()


def test_a_single_frame_says_nothing_about_the_motion():
    clips = load_motion(train=5_000, val=1, test=1, noise=0).train
    assert np.abs(np.bincount(clips.targets.ravel()) / clips.targets.size - 0.2).max() < 0.02
    for motion in range(5):
        seen = clips.inputs[clips.targets == motion].mean(axis=0)
        assert seen.std() < 0.2 * seen.mean()


def test_the_seed_decides_and_the_parts_differ(motion):
    again = load_motion(train=200, val=50, test=50)
    assert np.array_equal(again.train.inputs, motion.train.inputs)
    other = load_motion(train=200, val=50, test=50, seed=1)
    assert not np.array_equal(other.train.targets, motion.train.targets)
    assert not np.array_equal(motion.val.targets, motion.test.targets)


@pytest.mark.parametrize(
    "wrong",
    [{"train": 0}, {"val": True}, {"frames": 3}, {"size": 9.5}, {"noise": 2}, {"seed": -1}],
)
def test_a_wrong_argument_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load_motion(**wrong)
