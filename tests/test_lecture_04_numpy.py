"""The NumPy convolution of lecture 04 against Keras; receptive fields against brute force."""

import numpy as np
import pytest

from course_utils.numpy_ref import conv1d

BATCH, STEPS, CHANNELS, FILTERS = 3, 23, 4, 5
COMBINATIONS = [
    (kernel, stride, dilation, padding)
    for kernel in (1, 4, 5)
    for stride, dilation in ((1, 1), (2, 1), (3, 1), (1, 2), (1, 3))
    for padding in conv1d.PADDINGS
]


def weights(kernel, seed=0):
    draw = np.random.default_rng(seed)
    K = draw.normal(size=(kernel, CHANNELS, FILTERS)).astype("float32")
    return K, draw.normal(size=FILTERS).astype("float32")


def sequences(steps=STEPS, seed=1):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(BATCH, steps, CHANNELS)).astype("float32")


@pytest.mark.parametrize(("kernel", "stride", "dilation", "padding"), COMBINATIONS)
@pytest.mark.parametrize("steps", [STEPS, 16])
def test_convolution_equals_keras(kernel, stride, dilation, padding, steps):
    import keras

    K, b = weights(kernel)
    x = sequences(steps)
    layer = keras.layers.Conv1D(
        FILTERS, kernel, strides=stride, padding=padding, dilation_rate=dilation
    )
    layer.build((None, steps, CHANNELS))
    layer.set_weights([K, b])
    theirs = np.array(layer(x))
    ours = conv1d.convolve(x, K, b, stride, padding, dilation)
    assert ours.shape == theirs.shape
    assert ours.shape[1] == conv1d.output_length(steps, kernel, stride, padding, dilation)
    assert np.abs(ours - theirs).max() < 1e-5


def test_the_kernel_is_not_flipped():
    x = np.array([1.0, 0, 0, 0]).reshape(1, 4, 1)
    K = np.array([1.0, 2, 3]).reshape(3, 1, 1)
    y = conv1d.convolve(x, K, np.zeros(1), padding="same")
    assert y.ravel().tolist() == [2, 1, 0, 0]


def test_causal_outputs_see_nothing_later():
    K, b = weights(3)
    x = sequences()
    changed = x.copy()
    changed[:, 10] += 1
    before, after = [conv1d.convolve(part, K, b, 1, "causal", 4) for part in (x, changed)]
    moved = np.abs(before - after).max(axis=(0, 2)) > 0
    assert np.flatnonzero(moved).tolist() == [10, 14, 18]


@pytest.mark.parametrize(
    ("sizes", "numbers"),
    [({}, ("7", "5")), ({"kernel": 4, "dilation": 3}, ("10", "5", "kernel 4"))],
)
def test_a_kernel_wider_than_the_sequence_is_refused(sizes, numbers):
    kernel = sizes.pop("kernel", 7)
    K, b = weights(kernel)
    with pytest.raises(ValueError, match="wide") as refused:
        conv1d.convolve(sequences(5), K, b, **sizes)
    assert all(number in str(refused.value) for number in numbers)
    with pytest.raises(ValueError, match="wide"):
        conv1d.output_length(5, kernel, **sizes)
    assert conv1d.convolve(sequences(5), K, b, padding="same").shape[1] == 5


@pytest.mark.parametrize(
    ("sizes", "telling"),
    [
        ({"padding": "full"}, "'valid', 'same', 'causal'"),
        ({"stride": 0}, "stride"),
        ({"dilation": 0}, "dilation"),
        ({"stride": 1.5}, "stride"),
    ],
)
def test_wrong_settings_are_refused(sizes, telling):
    K, b = weights(3)
    with pytest.raises(ValueError, match=telling):
        conv1d.convolve(sequences(), K, b, **sizes)


@pytest.mark.parametrize("padding", conv1d.PADDINGS)
@pytest.mark.parametrize("wrong", ["steps", "kernel", "stride", "dilation"])
def test_pads_refuse_what_a_convolution_refuses(wrong, padding):
    sizes = {"steps": 9, "kernel": 3, "stride": 1, "dilation": 1, "padding": padding}
    with pytest.raises(ValueError, match=wrong):
        conv1d.pads(**{**sizes, wrong: 0})


def test_a_sequence_without_a_batch_is_refused():
    with pytest.raises(ValueError, match="batch, steps, channels"):
        conv1d.convolve(sequences()[0], *weights(3))


@pytest.mark.parametrize("layer", [(0, 1), (3, 0), (3, 1, 0), (3, 1.5)])
def test_a_stack_with_a_number_under_one_is_refused(layer):
    with pytest.raises(ValueError, match="at least 1"):
        conv1d.receptive_field([(3, 1), layer])


def test_channels_have_to_fit():
    K, b = weights(3)
    with pytest.raises(ValueError, match="2 channels"):
        conv1d.convolve(sequences()[..., :2], K, b)


def test_the_longest_kernel_that_fits_gives_one_output():
    K, b = weights(STEPS)
    assert conv1d.convolve(sequences(), K, b).shape == (BATCH, 1, FILTERS)


@pytest.mark.parametrize(
    ("stack", "seen"),
    [
        ([(5, 1)], 5),
        ([(3, 1), (3, 1)], 5),
        ([(7, 1), (5, 5), (7, 1)], 41),
        ([(3, 1, 2**k) for k in range(6)], 127),
        ([(4, 3), (2, 2), (3, 1, 2)], 31),
    ],
)
def test_the_receptive_field_is_what_a_stack_sees(stack, seen):
    assert conv1d.receptive_field(stack) == seen
    steps = 200
    x = np.zeros((steps, steps, 1))
    x[np.arange(steps), np.arange(steps), 0] = 1  # each row has a single step that counts
    for kernel, stride, *dilation in stack:
        x = conv1d.convolve(x, np.ones((kernel, 1, 1)), np.zeros(1), stride, "valid", *dilation)
    reached = np.flatnonzero(x[:, 2, 0])
    assert reached[-1] - reached[0] + 1 == seen


def test_global_max_leaves_pads_out():
    x = -1 - np.abs(sequences())
    mask = np.arange(STEPS) < np.array([[STEPS], [9], [1]])
    x[~mask] = 7.0
    largest = conv1d.global_max(x, mask)
    assert largest.shape == (BATCH, CHANNELS)
    assert np.array_equal(largest[1], x[1, :9].max(axis=0))
    assert (largest < 0).all() and (conv1d.global_max(x)[1:] == 7).all()
