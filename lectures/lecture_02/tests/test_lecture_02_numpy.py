"""The NumPy loop of lecture 02 against Keras, autodiff and finite differences."""

import numpy as np
import pytest

from lectures import lecture_02

BATCH, STEPS, INPUTS, UNITS, SYMBOLS = 3, 9, 4, 5, 6


def parameters(seed=0, dtype="float32"):
    generator = np.random.default_rng(seed)
    shapes = {"W": (INPUTS, UNITS), "U": (UNITS, UNITS), "b": (UNITS,)}
    shapes |= {"V": (UNITS, SYMBOLS), "c": (SYMBOLS,)}
    return {k: (0.5 * generator.normal(size=s)).astype(dtype) for k, s in shapes.items()}


def sequences(seed=1, dtype="float32"):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(BATCH, STEPS, INPUTS)).astype(dtype)
    targets = generator.integers(SYMBOLS, size=(BATCH, STEPS))
    lengths = np.array([STEPS, 4, 1])
    return x, targets, np.arange(STEPS) < lengths[:, None]


def run(x, p, mask=None):
    states = lecture_02.forward(x, p["W"], p["U"], p["b"], mask=mask)
    return states, lecture_02.predict(states, p["V"], p["c"])


def gradients(x, targets, p):
    states, probabilities = run(x, p)
    return lecture_02.backward(x, states, probabilities, targets, p["U"], p["V"])


def loss(probabilities, targets):
    """Sum the cross-entropy over all steps (a sum, so that the formulas stay short)."""
    right = np.take_along_axis(probabilities, targets[..., None], axis=-1)
    return -np.log(right).sum()


def relative_error(first, second):
    return np.linalg.norm(first - second) / np.linalg.norm(second)


def keras_layer(p, **arguments):
    import keras

    layer = keras.layers.SimpleRNN(UNITS, **arguments)
    layer.build((None, STEPS, INPUTS))
    layer.set_weights([p["W"], p["U"], p["b"]])
    return layer


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("return_sequences", [False, True])
def test_the_loop_equals_keras(masked, return_sequences):
    p = parameters()
    x, _, mask = sequences()
    mask = mask if masked else None
    layer = keras_layer(p, return_sequences=return_sequences)
    theirs = np.array(layer(x, mask=mask))
    ours = lecture_02.forward(x, p["W"], p["U"], p["b"], mask, return_sequences)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-5


def test_the_five_formulas_equal_automatic_differentiation():
    tensorflow = pytest.importorskip("tensorflow", reason="GradientTape is TensorFlow's own")
    p = parameters(dtype="float64")
    x, targets, _ = sequences(dtype="float64")
    v = {name: tensorflow.Variable(value) for name, value in p.items()}
    with tensorflow.GradientTape() as tape:
        h, total = tensorflow.zeros((BATCH, UNITS), "float64"), 0.0
        for t in range(STEPS):
            h = tensorflow.tanh(x[:, t] @ v["W"] + h @ v["U"] + v["b"])
            losses = tensorflow.nn.sparse_softmax_cross_entropy_with_logits(
                targets[:, t], h @ v["V"] + v["c"]
            )
            total += tensorflow.reduce_sum(losses)
    theirs = tape.gradient(total, v)
    assert np.isclose(loss(run(x, p)[1], targets), total)
    ours = gradients(x, targets, p)
    for name in p:
        assert relative_error(ours[name], theirs[name].numpy()) < 1e-9, name


def test_carrying_back_is_the_derivative_of_the_last_state():
    """A step's input moves the last state as far as what is carried back to the step says."""
    p = parameters(dtype="float64")
    x = sequences(dtype="float64")[0]
    arrays = p["W"], p["U"], p["b"]
    states = lecture_02.forward(x, *arrays)
    direction = np.random.default_rng(2).normal(size=(BATCH, UNITS))
    errors = np.zeros_like(states)
    errors[:, -1] = direction
    expected = lecture_02.through_time(errors, states, p["U"], np.eye(UNITS)) @ p["W"].T
    for t in range(STEPS):
        for column in range(INPUTS):
            nudge = np.zeros_like(x)
            nudge[:, t, column] = 1e-6
            ends = [lecture_02.forward(x + s, *arrays)[:, -1] for s in (nudge, -nudge)]
            numeric = ((ends[0] - ends[1]) * direction).sum(axis=1) / 2e-6
            assert np.allclose(expected[:, t, column], numeric, atol=1e-6)


@pytest.mark.parametrize(("radius", "tanh", "low", "high"), [
    (0, False, 0.999, 1.001),  # an orthogonal matrix keeps lengths
    (1.5, False, 1e14, 1e16),
    (1.5, True, 1e-4, 1e-2),
    (3, True, 1e5, 1e7),
])  # fmt: skip
def test_gradients_vanish_and_explode_as_the_lecture_says(radius, tanh, low, high):
    norms = lecture_02.gradient_by_distance(lecture_02.through_time, radius, tanh)
    assert norms[0] == 1 and low < norms[90] < high


def test_writing_carries_the_state_as_the_loop_does():
    p = parameters()
    embedding = np.random.default_rng(2).normal(size=(SYMBOLS, INPUTS)).astype("float32")
    names = ("W", "U", "b", "V", "c")
    written = lecture_02.write(1, 8, np.argmax, embedding, *(p[name] for name in names))
    read = embedding[[1, *written[:-1]]][None]
    assert run(read, p)[1][0].argmax(axis=-1).tolist() == written
