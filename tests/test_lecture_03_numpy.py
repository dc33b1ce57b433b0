"""Gates in NumPy against Keras; the two cells of the library as layers of a model."""

import numpy as np
import pytest

from course_utils import layers
from course_utils.numpy_ref import gru, lstm
from course_utils.numpy_ref.lstm_variants import coupled_step, peephole_step

BATCH, STEPS, INPUTS, UNITS = 3, 9, 4, 5
CELLS = ["PeepholeLSTMCell", "CoupledLSTMCell"]
NAMES = ["lstm", "gru", "gru_reset_after", *CELLS]


def sequences(seed=1):
    x = np.random.default_rng(seed).normal(size=(BATCH, STEPS, INPUTS)).astype("float32")
    lengths = np.array([STEPS, 4, 1])
    return x, np.arange(STEPS) < lengths[:, None]


def behind(x, mask, pads=50):
    """Put pads that are no zeros behind the texts."""
    filler = np.ones((len(x), pads, INPUTS), "float32")
    no = np.zeros((len(x), pads), bool)
    return np.concatenate([x, filler], axis=1), np.concatenate([mask, no], axis=1)


def keras_layer(name, return_sequences=False, scrambled=True):
    """Build a Keras layer; scrambled, its biases and peepholes are no zeros any more."""
    import keras

    keras.utils.set_random_seed(0)
    arguments = {"return_sequences": return_sequences}
    layer = {
        "lstm": lambda: keras.layers.LSTM(UNITS, **arguments),
        "gru": lambda: keras.layers.GRU(UNITS, reset_after=False, **arguments),
        "gru_reset_after": lambda: keras.layers.GRU(UNITS, **arguments),
        "PeepholeLSTMCell": lambda: keras.layers.RNN(
            layers.PeepholeLSTMCell(UNITS), **arguments
        ),
        "CoupledLSTMCell": lambda: keras.layers.RNN(layers.CoupledLSTMCell(UNITS), **arguments),
    }[name]()
    layer.build((None, STEPS, INPUTS))
    if scrambled:
        scramble(layer)
    return layer


def scramble(layer):
    generator = np.random.default_rng(0)
    layer.set_weights([generator.normal(size=w.shape) for w in layer.get_weights()])


def in_numpy(name, weights, x, **arguments):
    steps = {"PeepholeLSTMCell": peephole_step, "CoupledLSTMCell": coupled_step}
    if name in steps:
        return lstm.forward(x, *weights, step=steps[name], **arguments)
    module = gru if name.startswith("gru") else lstm
    return module.forward(x, *weights, **arguments)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("return_sequences", [False, True])
def test_numpy_equals_keras(name, masked, return_sequences):
    x, mask = sequences()
    mask = mask if masked else None
    layer = keras_layer(name, return_sequences)
    theirs = np.array(layer(x, mask=mask))
    ours = in_numpy(name, layer.get_weights(), x, mask=mask, return_sequences=return_sequences)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    assert np.abs(ours - theirs).max() < 1e-5


@pytest.mark.parametrize("name", NAMES)
def test_pads_change_nothing_under_a_mask_and_something_without(name):
    x, mask = sequences()
    longer, longer_mask = behind(x, mask)
    layer = keras_layer(name)
    plain = np.array(layer(x, mask=mask))
    assert np.abs(plain - np.array(layer(longer, mask=longer_mask))).max() < 1e-6
    assert np.abs(plain - np.array(layer(longer))).max() > 0.01
    weights, last = layer.get_weights(), {"return_sequences": False}
    ours = in_numpy(name, weights, x, mask=mask, **last)
    assert np.array_equal(ours, in_numpy(name, weights, longer, mask=longer_mask, **last))


@pytest.mark.parametrize("name", NAMES)
def test_a_later_word_changes_no_earlier_state(name):
    x, _ = sequences()
    changed = x.copy()
    changed[:, 6] += 1
    layer = keras_layer(name, return_sequences=True)
    before, after = np.array(layer(x)), np.array(layer(changed))
    assert np.array_equal(before[:, :6], after[:, :6])
    assert np.abs(before[:, 6:] - after[:, 6:]).max() > 1e-3


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("lstm", 4 * (UNITS * INPUTS + UNITS**2 + UNITS)),
        ("gru", 150),
        ("gru_reset_after", 165),
        ("PeepholeLSTMCell", 4 * (UNITS * INPUTS + UNITS**2 + UNITS) + 3 * UNITS),
        ("CoupledLSTMCell", 3 * (UNITS * INPUTS + UNITS**2 + UNITS)),
    ],
)
def test_parameters(name, count):
    assert keras_layer(name).count_params() == count


@pytest.mark.parametrize(
    ("name", "fresh"),
    [
        ("lstm", [0, 1, 0, 0]),
        ("PeepholeLSTMCell", [0, 1, 0, 0]),
        ("CoupledLSTMCell", [1, 0, 0]),
    ],
)
def test_a_fresh_bias_is_one_for_the_forget_gate_alone(name, fresh):
    bias = keras_layer(name, scrambled=False).get_weights()[2]
    assert np.array_equal(bias, np.repeat(fresh, UNITS))


@pytest.mark.parametrize(
    ("block", "expected"),
    [(0, "input gate open"), (1, "forgets"), (2, "writes"), (3, "shows")],
)
def test_keras_order_is_input_forget_candidate_output(block, expected):
    """Move one block of the bias far and see in Keras' own states which gate it was."""
    import keras

    layer = keras.layers.LSTM(UNITS, return_state=True)
    layer.build((None, 1, INPUTS))
    c_before = np.full((1, UNITS), 0.5, "float32")
    start = [np.zeros((1, UNITS), "float32"), c_before]
    zeros = [np.zeros_like(w) for w in layer.get_weights()[:2]]
    bias = np.zeros((4, UNITS), "float32")
    bias[2] = 1.0  # a candidate, so that an open input gate shows
    bias[block] += 50.0 if block != 1 else -50.0
    layer.set_weights([*zeros, bias.reshape(-1)])
    _, h, c = (np.array(part)[0, 0] for part in layer(np.zeros((1, 1, INPUTS)), start))
    written = np.tanh(1.0)
    cell = {
        "input gate open": 0.25 + written,
        "forgets": 0.5 * written,
        "writes": 0.25 + 0.5,
        "shows": 0.25 + 0.5 * written,
    }[expected]
    assert np.isclose(c, cell, atol=1e-6)
    assert np.isclose(h, np.tanh(cell) * (1.0 if expected == "shows" else 0.5), atol=1e-6)


def test_the_trace_is_what_the_loop_does():
    x, _ = sequences()
    weights = keras_layer("lstm").get_weights()
    trace = lstm.trace(x, *weights)
    assert all(part.shape == (BATCH, STEPS, UNITS) for part in trace.values())
    assert np.array_equal(trace["hidden"], lstm.forward(x, *weights))
    assert np.allclose(trace["hidden"], trace["output"] * np.tanh(trace["cell"]))
    before = np.pad(trace["cell"], ((0, 0), (1, 0), (0, 0)))[:, :-1]
    cell = trace["forget"] * before + trace["input"] * trace["candidate"]
    assert np.allclose(trace["cell"], cell, atol=1e-6)


def test_the_sigmoid_of_large_numbers_is_silent():
    with np.errstate(all="raise"):
        assert np.array_equal(lstm.sigmoid(np.float32([-1e4, 0, 1e4])), [0, 0.5, 1])


def test_the_forms_of_the_gru_differ_unless_the_candidates_matrix_is_diagonal():
    x, _ = sequences()
    generator = np.random.default_rng(3)
    W = generator.normal(size=(INPUTS, 3 * UNITS))
    U = generator.normal(size=(UNITS, 3 * UNITS))
    b = generator.normal(size=3 * UNITS)
    rows = np.stack([b, np.zeros_like(b)])
    assert np.abs(gru.forward(x, W, U, b) - gru.forward(x, W, U, rows)).max() > 0.01
    U[:, 2 * UNITS :] *= np.eye(UNITS)
    assert np.abs(gru.forward(x, W, U, b) - gru.forward(x, W, U, rows)).max() < 1e-12


def test_an_update_gate_of_one_keeps_the_state():
    W, U = np.ones((INPUTS, 3 * UNITS)), np.ones((UNITS, 3 * UNITS))
    b = np.repeat([1e3, 0.0, 0.0], UNITS)
    x, h = sequences()[0][:, 0], np.full((BATCH, UNITS), 0.3)
    assert np.array_equal(gru.step(x, h, W, U, b), h)
    assert np.array_equal(gru.step_reset_after(x, h, W, U, np.stack([b, 0 * b])), h)


def test_a_peephole_cell_without_peepholes_is_an_lstm():
    x, mask = sequences()
    plain = keras_layer("lstm", return_sequences=True)
    looking = keras_layer("PeepholeLSTMCell", return_sequences=True, scrambled=False)
    assert not np.any(looking.get_weights()[3])
    looking.set_weights([*plain.get_weights(), np.zeros((3, UNITS))])
    assert np.abs(np.array(plain(x, mask=mask)) - np.array(looking(x, mask=mask))).max() < 1e-6
    looking.set_weights([*plain.get_weights(), np.ones((3, UNITS))])
    assert np.abs(np.array(plain(x, mask=mask)) - np.array(looking(x, mask=mask))).max() > 0.01


def test_a_coupled_cell_is_an_lstm_whose_input_gate_is_one_minus_forget():
    x, _ = sequences()
    coupled = keras_layer("CoupledLSTMCell")
    full = keras_layer("lstm")
    # 1 - sigmoid(a) = sigmoid(-a): the same columns, turned round, are the input gate's.
    full.set_weights(
        [np.concatenate([-w[..., :UNITS], w], axis=-1) for w in coupled.get_weights()]
    )
    assert np.abs(np.array(coupled(x)) - np.array(full(x))).max() < 1e-6


def classifier(name, words=30):
    import keras

    keras.utils.set_random_seed(0)
    cell = getattr(layers, name)(8)
    return keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            keras.layers.Embedding(words, 6, mask_zero=True),
            keras.layers.RNN(cell),
            keras.layers.Dense(1, activation="sigmoid", dtype="float32"),
        ]
    )


@pytest.fixture
def texts():
    ids = np.random.default_rng(0).integers(2, 30, size=(64, 12)).astype("int32")
    lengths = np.random.default_rng(1).integers(1, 13, size=(64, 1))
    return ids * (np.arange(12) < lengths)


@pytest.mark.parametrize("name", CELLS)
def test_a_saved_model_reloads_with_equal_outputs(name, texts, tmp_path):
    import keras

    model = classifier(name)
    scramble(model)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    first = model.predict(texts, verbose=0)
    assert np.array_equal(first, again.predict(texts, verbose=0))
    padded = np.pad(texts, ((0, 0), (0, 50)))
    assert np.abs(first - model.predict(padded, verbose=0)).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_training_lowers_the_loss(name, texts):
    model = classifier(name)
    model.compile("adam", "binary_crossentropy")
    model.optimizer.learning_rate = 0.01
    labels = (texts[:, 0] > 15).astype("float32")[:, None]
    fresh = [weight.copy() for weight in model.get_weights()]
    losses = model.fit(texts, labels, epochs=20, batch_size=32, verbose=0).history["loss"]
    assert losses[-1] < 0.7 * losses[0]
    moved = [np.any(a != b) for a, b in zip(fresh, model.get_weights(), strict=True)]
    assert all(moved), "every weight learns, peepholes as well"


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_remade_from_its_config(name):
    cell = getattr(layers, name)(7, name="mine", dtype="float32")
    again = type(cell).from_config(cell.get_config())
    assert (again.units, again.name, again.output_size) == (7, "mine", 7)
    assert list(again.state_size) == [7, 7]


@pytest.mark.parametrize("name", CELLS)
def test_cells_can_be_stacked_read_backwards_and_give_their_states(name, texts):
    import keras

    cell = getattr(layers, name)
    x = np.random.default_rng(0).normal(size=(2, 6, INPUTS)).astype("float32")
    assert keras.layers.RNN([cell(4), cell(3)])(x).shape == (2, 3)
    assert keras.layers.Bidirectional(keras.layers.RNN(cell(4)))(x).shape == (2, 8)
    output, h, c = keras.layers.RNN(cell(4), return_state=True)(x)
    assert np.array_equal(np.array(output), np.array(h)) and c.shape == (2, 4)


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_computes_in_half_precision_where_it_is_told_to(name):
    import keras

    policy = keras.dtype_policies.DTypePolicy("mixed_bfloat16")
    cell = getattr(layers, name)(UNITS, dtype=policy)
    layer = keras.layers.RNN(cell, dtype=policy)
    output = layer(np.ones((2, 6, INPUTS), "float32"))
    assert "bfloat16" in str(output.dtype)
    assert "float32" in str(cell.kernel.dtype)


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("units", [0, -3, 2.5, "8", None, True])
def test_units_have_to_be_a_whole_number_of_at_least_one(name, units):
    with pytest.raises(ValueError, match="units has to be a whole number of at least 1"):
        getattr(layers, name)(units)


def test_a_wrong_name_is_told_which_layers_there_are():
    with pytest.raises(AttributeError, match="PeepholeLSTMCell"):
        layers.PeepholeCell  # noqa: B018
    assert set(CELLS) <= set(dir(layers))
