"""The NumPy loop of lecture 02 against Keras, autodiff and finite differences."""

import numpy as np
import pytest

from course_utils.numpy_ref import simple_rnn

BATCH, STEPS, INPUTS, UNITS, SYMBOLS = 3, 9, 4, 5, 6


def parameters(seed=0, dtype="float32"):
    generator = np.random.default_rng(seed)
    shapes = {
        "W": (INPUTS, UNITS),
        "U": (UNITS, UNITS),
        "b": (UNITS,),
        "V": (UNITS, SYMBOLS),
        "c": (SYMBOLS,),
    }
    return {k: (0.5 * generator.normal(size=s)).astype(dtype) for k, s in shapes.items()}


def sequences(seed=1, dtype="float32"):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(BATCH, STEPS, INPUTS)).astype(dtype)
    targets = generator.integers(SYMBOLS, size=(BATCH, STEPS))
    lengths = np.array([STEPS, 4, 1])
    return x, targets, np.arange(STEPS) < lengths[:, None]


def run(x, p, mask=None):
    states = simple_rnn.forward(x, p["W"], p["U"], p["b"], mask=mask)
    return states, simple_rnn.predict(states, p["V"], p["c"])


def total(x, targets, p, mask=None):
    return simple_rnn.loss(run(x, p, mask)[1], targets, mask)


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
    ours = simple_rnn.forward(
        x, p["W"], p["U"], p["b"], mask=mask, return_sequences=return_sequences
    )
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-5


def test_a_start_state_equals_keras():
    p = parameters()
    x, _, _ = sequences()
    start = np.full((BATCH, UNITS), 0.5, "float32")
    theirs = np.array(keras_layer(p)(x, initial_state=start))
    ours = simple_rnn.forward(x, p["W"], p["U"], p["b"], initial=start, return_sequences=False)
    assert np.abs(ours - theirs).max() < 1e-5


def test_pads_change_nothing_under_a_mask_and_something_without():
    p = parameters()
    x, _, _ = sequences()
    pads = np.ones((BATCH, 10, INPUTS), "float32")
    longer = np.concatenate([x, pads], axis=1)
    mask = np.arange(STEPS + 10) < np.full((BATCH, 1), STEPS)
    plain = simple_rnn.forward(x, p["W"], p["U"], p["b"], return_sequences=False)
    masked = simple_rnn.forward(
        longer, p["W"], p["U"], p["b"], mask=mask, return_sequences=False
    )
    unmasked = simple_rnn.forward(longer, p["W"], p["U"], p["b"], return_sequences=False)
    assert np.array_equal(plain, masked)
    assert np.abs(plain - unmasked).max() > 0.1


@pytest.mark.parametrize("masked", [False, True])
def test_the_five_formulas_equal_finite_differences(masked):
    p = parameters(dtype="float64")
    x, targets, mask = sequences(dtype="float64")
    mask = mask if masked else None
    states, probabilities = run(x, p, mask)
    ours = simple_rnn.backward(x, states, probabilities, targets, p["U"], p["V"], mask=mask)
    for name, value in p.items():
        numeric = np.zeros_like(value)
        for place in np.ndindex(value.shape):
            kept = value[place]
            value[place] = kept + 1e-6
            up = total(x, targets, p, mask)
            value[place] = kept - 1e-6
            numeric[place] = (up - total(x, targets, p, mask)) / 2e-6
            value[place] = kept
        assert relative_error(ours[name], numeric) < 1e-6, name


@pytest.mark.parametrize("masked", [False, True])
def test_the_five_formulas_equal_automatic_differentiation(masked):
    tensorflow = pytest.importorskip("tensorflow", reason="GradientTape is TensorFlow's own")
    p = parameters()
    x, targets, mask = sequences()
    mask = mask if masked else np.ones_like(mask)
    variables = {name: tensorflow.Variable(value) for name, value in p.items()}
    with tensorflow.GradientTape() as tape:
        h = tensorflow.zeros((BATCH, UNITS))
        total_loss = 0.0
        for t in range(STEPS):
            v = variables
            new = tensorflow.tanh(x[:, t] @ v["W"] + h @ v["U"] + v["b"])
            h = tensorflow.where(mask[:, t, None], new, h)
            losses = tensorflow.nn.sparse_softmax_cross_entropy_with_logits(
                targets[:, t], h @ v["V"] + v["c"]
            )
            total_loss += tensorflow.reduce_sum(losses * mask[:, t])
    theirs = tape.gradient(total_loss, variables)
    states, probabilities = run(x, p, mask)
    ours = simple_rnn.backward(x, states, probabilities, targets, p["U"], p["V"], mask=mask)
    for name in p:
        assert relative_error(ours[name], theirs[name].numpy()) < 1e-4, name


def test_truncation_stops_the_gradient_and_lets_the_state_go_on():
    p = parameters(dtype="float64")
    x, targets, _ = sequences(dtype="float64")
    states, probabilities = run(x, p)
    cut = simple_rnn.backward(x, states, probabilities, targets, p["U"], p["V"], truncate=3)
    by_chunks = dict.fromkeys(p, 0.0)
    state = np.zeros((BATCH, UNITS))
    for start in range(0, STEPS, 3):
        part = slice(start, start + 3)
        chunk = simple_rnn.backward(
            x[:, part],
            states[:, part],
            probabilities[:, part],
            targets[:, part],
            p["U"],
            p["V"],
            initial=state,
        )
        by_chunks = {name: by_chunks[name] + chunk[name] for name in p}
        state = states[:, part][:, -1]
    for name in p:
        assert np.allclose(cut[name], by_chunks[name]), name
    whole = simple_rnn.backward(x, states, probabilities, targets, p["U"], p["V"])
    assert np.allclose(cut["V"], whole["V"]) and np.allclose(cut["c"], whole["c"])
    assert relative_error(cut["U"], whole["U"]) > 1e-3
    never = simple_rnn.backward(
        x, states, probabilities, targets, p["U"], p["V"], truncate=STEPS
    )
    assert all(np.allclose(never[name], whole[name]) for name in p)


def test_carrying_back_is_the_derivative_of_the_last_state():
    p = parameters(dtype="float64")
    x, _, mask = sequences(dtype="float64")
    states = simple_rnn.forward(x, p["W"], p["U"], p["b"], mask=mask)
    direction = np.random.default_rng(2).normal(size=(BATCH, UNITS))
    carried = simple_rnn.carry_back(direction, states, p["U"], mask=mask)
    for t in range(STEPS - 1):
        rest = {"mask": mask[:, t + 1 :], "return_sequences": False}
        for unit in range(UNITS):
            nudge = np.zeros((BATCH, UNITS))
            nudge[:, unit] = 1e-6
            ends = [
                simple_rnn.forward(
                    x[:, t + 1 :], p["W"], p["U"], p["b"], initial=states[:, t] + s, **rest
                )
                for s in (nudge, -nudge)
            ]
            numeric = ((ends[0] - ends[1]) * direction).sum(axis=1) / 2e-6
            assert np.allclose(carried[:, t, unit], numeric, atol=1e-6)


def test_an_orthogonal_matrix_without_tanh_keeps_lengths():
    U = np.linalg.qr(np.random.default_rng(0).normal(size=(UNITS, UNITS)))[0]
    states = np.zeros((BATCH, 50, UNITS))
    carried = simple_rnn.carry_back(np.ones((BATCH, UNITS)), states, U, linear=True)
    assert np.allclose(np.linalg.norm(carried, axis=-1), np.sqrt(UNITS))


def test_rescale_sets_the_spectral_radius():
    U = simple_rnn.rescale(parameters(dtype="float64")["U"], 1.5)
    assert np.isclose(np.abs(np.linalg.eigvals(U)).max(), 1.5)


def test_clip_shortens_long_gradients_and_leaves_short_ones():
    assert np.allclose(simple_rnn.clip(np.array([30.0, 40.0]), 1.0), [0.6, 0.8])
    short = np.array([3e-9, 4e-9])
    assert np.array_equal(simple_rnn.clip(short, 1.0), short)
