"""Lecture 03: gates in NumPy against Keras, the library's two cells, the lecture's readers."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest

from course_utils import layers
from course_utils.lectures import lecture_02, lecture_03
from tools.part import slice_cells
from tools.source import LECTURES, assemble

BATCH, STEPS, INPUTS, UNITS, WORDS = 3, 9, 4, 5, 50
CELLS = ("PeepholeLSTMCell", "CoupledLSTMCell")
NAMES = ("lstm", "gru", "gru_reset_after", *CELLS)
READERS = ("simple_rnn_32", "lstm_32", "gru_32", "bidirectional_32", "stacked_32")
REAL = [pytest.param(f"imdb {name}", marks=pytest.mark.slow) for name in READERS[:4]]
NEEDED = (
    "review_model, imdb_model, readers, marked_symbols, first_of_others, always_first, moved"
)


def sequences():
    x = np.random.default_rng(1).normal(size=(BATCH, STEPS, INPUTS)).astype("float32")
    mask = np.arange(STEPS) < np.array([[STEPS], [4], [1]])
    mask[1, 1] = False  # a hole, where the cell state has to wait as well
    return x, mask


def scramble(layer):
    """Draw all weights, so that biases and peepholes are no zeros any more."""
    generator = np.random.default_rng(0)
    layer.set_weights([generator.normal(size=w.shape) for w in layer.get_weights()])


def keras_layer(name, return_sequences=False, scrambled=True):
    keras.utils.set_random_seed(0)
    if name in CELLS:
        layer = keras.layers.RNN(getattr(layers, name)(UNITS))
    elif name == "lstm":
        layer = keras.layers.LSTM(UNITS)
    else:
        layer = keras.layers.GRU(UNITS, reset_after=name == "gru_reset_after")
    layer.return_sequences = return_sequences
    layer.build((None, STEPS, INPUTS))
    if scrambled:
        scramble(layer)
    return layer


def in_numpy(name, weights, x, **arguments):
    steps = dict(zip(CELLS, (lecture_03.peephole_step, lecture_03.coupled_step), strict=True))
    if name == "gru_reset_after":
        return lecture_03.gru_forward(x, *weights, **arguments)
    if name == "gru":
        return lecture_03.gru_forward(x, *weights, step=lecture_03.gru_step, **arguments)
    step = steps.get(name, lecture_03.lstm_step)
    return lecture_03.lstm_forward(x, *weights, step=step, **arguments)


# NumPy and Keras


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
    longer = np.pad(x, ((0, 0), (0, 50), (0, 0)), constant_values=1)
    longer_mask = np.pad(mask, ((0, 0), (0, 50)))
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
    ("name", "count"), list(zip(NAMES, (200, 150, 165, 215, 150), strict=True))
)
def test_parameters(name, count):
    assert keras_layer(name).count_params() == count
    if name not in CELLS:
        assert lecture_03.count_parameters(name, INPUTS, UNITS) == count


@pytest.mark.parametrize(
    ("name", "fresh"),
    [("lstm", [0, 1, 0, 0]), (CELLS[0], [0, 1, 0, 0]), (CELLS[1], [1, 0, 0])],
)
def test_a_fresh_bias_is_one_for_the_forget_gate_alone(name, fresh):
    bias = keras_layer(name, scrambled=False).get_weights()[2]
    assert np.array_equal(bias, np.repeat(fresh, UNITS))


@pytest.mark.parametrize(
    ("block", "far", "cell", "shown"),
    [
        (0, 50, 0.25 + np.tanh(1), 0.5),  # the input gate opens
        (1, -50, 0.5 * np.tanh(1), 0.5),  # the forget gate closes
        (2, 50, 0.25 + 0.5, 0.5),  # the candidate is 1
        (3, 50, 0.25 + 0.5 * np.tanh(1), 1.0),  # the output gate opens
    ],
)
def test_keras_order_is_input_forget_candidate_output(block, far, cell, shown):
    """Move one block of the bias far and see in Keras' own states which gate it was."""
    layer = keras.layers.LSTM(UNITS, return_state=True)
    layer.build((None, 1, INPUTS))
    start = [np.full((1, UNITS), value, "float32") for value in (0, 0.5)]
    bias = np.zeros((4, UNITS), "float32")
    bias[2] = 1.0  # a candidate, so that an open input gate shows
    bias[block] += far
    layer.set_weights([*(np.zeros_like(w) for w in layer.get_weights()[:2]), bias.reshape(-1)])
    _, h, c = (np.array(part)[0, 0] for part in layer(np.zeros((1, 1, INPUTS)), start))
    assert np.isclose(c, cell, atol=1e-6)
    assert np.isclose(h, np.tanh(cell) * shown, atol=1e-6)


def test_the_trace_and_the_forget_gate_are_what_the_loop_does():
    x, _ = sequences()
    weights = keras_layer("lstm").get_weights()
    trace = lecture_03.lstm_trace(x, *weights)
    assert all(part.shape == (BATCH, STEPS, UNITS) for part in trace.values())
    assert np.array_equal(trace["hidden"], lecture_03.lstm_forward(x, *weights))
    assert np.allclose(trace["hidden"], trace["output"] * np.tanh(trace["cell"]))
    before = np.pad(trace["cell"], ((0, 0), (1, 0), (0, 0)))[:, :-1]
    cell = trace["forget"] * before + trace["input"] * trace["candidate"]
    assert np.allclose(trace["cell"], cell, atol=1e-6)
    gate = lecture_03.forget_gate(x[:, 4], trace["hidden"][:, 3], *weights)
    assert np.allclose(trace["forget"][:, 4], gate, atol=1e-6)


def test_the_sigmoid_of_large_numbers_is_silent():
    with np.errstate(all="raise"):
        assert np.array_equal(lecture_03.sigmoid(np.float32([-1e4, 0, 1e4])), [0, 0.5, 1])


def test_half_of_the_memory_is_left_after_the_half_life():
    for steps in (1, 7, 50):
        gate = lecture_03.sigmoid(lecture_03.forget_bias(steps))
        assert gate**steps == pytest.approx(0.5)


def test_the_forms_of_the_gru_differ_unless_the_candidates_matrix_is_diagonal():
    x, _ = sequences()
    W, U, b = keras_layer("gru").get_weights()
    rows = np.stack([b, np.zeros_like(b)])

    def difference():
        cho = lecture_03.gru_forward(x, W, U, b, step=lecture_03.gru_step)
        return np.abs(cho - lecture_03.gru_forward(x, W, U, rows)).max()

    assert difference() > 0.01
    U[:, 2 * UNITS :] *= np.eye(UNITS)
    assert difference() < 1e-6


def test_an_update_gate_of_one_keeps_the_state():
    W, U = np.ones((INPUTS, 3 * UNITS)), np.ones((UNITS, 3 * UNITS))
    b = np.repeat([1e3, 0.0, 0.0], UNITS)
    x, h = sequences()[0][:, 0], np.full((BATCH, UNITS), 0.3)
    assert np.array_equal(lecture_03.gru_step(x, h, W, U, b), h)
    rows = np.stack([b, 0 * b])
    assert np.array_equal(lecture_03.gru_step_reset_after(x, h, W, U, rows), h)


# The library's cells


def test_a_peephole_cell_without_peepholes_is_an_lstm():
    x, mask = sequences()
    plain = keras_layer("lstm", return_sequences=True)
    looking = keras_layer("PeepholeLSTMCell", return_sequences=True, scrambled=False)
    assert not np.any(looking.get_weights()[3])

    def difference(peepholes):
        looking.set_weights([*plain.get_weights(), np.full((3, UNITS), peepholes)])
        return np.abs(np.array(plain(x, mask=mask)) - np.array(looking(x, mask=mask))).max()

    assert difference(0.0) < 1e-6
    assert difference(1.0) > 0.01


def test_a_coupled_cell_is_an_lstm_whose_input_gate_is_one_minus_forget():
    x, _ = sequences()
    coupled, full = keras_layer("CoupledLSTMCell"), keras_layer("lstm")
    # 1 - sigmoid(a) = sigmoid(-a): the same columns, turned round, are the input gate's.
    full.set_weights(
        [np.concatenate([-w[..., :UNITS], w], axis=-1) for w in coupled.get_weights()]
    )
    assert np.abs(np.array(coupled(x)) - np.array(full(x))).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_a_cell_in_a_model_reloads_ignores_pads_and_learns(name, texts, tmp_path):
    keras.utils.set_random_seed(0)
    given = [keras.Input((None,), dtype="int32")]
    given += [keras.layers.Embedding(WORDS, 6, mask_zero=True)]
    loop = keras.layers.RNN(getattr(layers, name)(8))
    dense = keras.layers.Dense(1, activation="sigmoid", dtype="float32")
    model = keras.Sequential([*given, loop, dense])
    scramble(model)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    first = model.predict(texts, verbose=0)
    assert np.array_equal(first, again.predict(texts, verbose=0))
    padded = np.pad(texts, ((0, 0), (0, 50)))
    assert np.abs(first - model.predict(padded, verbose=0)).max() < 1e-6
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy")
    labels = np.array([[0.0], [1.0], [0.0], [1.0], [0.0], [1.0]])
    before = [weight.copy() for weight in model.get_weights()]
    losses = model.fit(texts, labels, epochs=40, verbose=0).history["loss"]
    assert losses[-1] < 0.7 * losses[0]
    assert all(np.any(a != b) for a, b in zip(before, model.get_weights(), strict=True))


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_remade_stacked_read_backwards_and_gives_its_states(name):
    Cell = getattr(layers, name)
    again = Cell.from_config(Cell(7, name="mine").get_config())
    assert (again.units, again.name, list(again.state_size)) == (7, "mine", [7, 7])
    x, _ = sequences()
    assert keras.layers.RNN([Cell(4), Cell(2)])(x).shape == (BATCH, 2)
    assert keras.layers.Bidirectional(keras.layers.RNN(Cell(4)))(x).shape == (BATCH, 8)
    output, h, c = keras.layers.RNN(Cell(4), return_state=True)(x)
    assert np.array_equal(np.array(output), np.array(h)) and c.shape == (BATCH, 4)
    policy = keras.dtype_policies.DTypePolicy("mixed_bfloat16")
    cell = Cell(UNITS, dtype=policy)
    assert "bfloat16" in str(keras.layers.RNN(cell, dtype=policy)(x).dtype)
    assert "float32" in str(cell.kernel.dtype)


@pytest.mark.parametrize("units", [0, -3, 2.5, "8", None, True])
def test_units_have_to_be_a_whole_number_of_at_least_one(units):
    for name in CELLS:
        with pytest.raises(ValueError, match="units"):
            getattr(layers, name)(units)


# What the lecture defines itself


@pytest.fixture(scope="module")
def lecture():
    """What the lecture defines, without running it."""
    names = {}
    exec(slice_cells(assemble(LECTURES / "03_lstm_gru.py"), NEEDED).cells[0].source, names)
    return SimpleNamespace(**names)


@pytest.fixture(scope="module", params=[*READERS, *REAL])
def model(request, lecture):
    keras.utils.set_random_seed(0)
    kind, _, name = request.param.rpartition(" ")
    if kind:
        return lecture.imdb_model(lecture.readers[name], WORDS, name)
    return lecture.review_model(WORDS, lecture.readers[name])


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def test_readers_ignore_pads_see_the_order_and_reload(model, texts, tmp_path):
    before = verdicts(model, texts)
    for pads in (1, 7, 50):
        longer = np.pad(texts, ((0, 0), (0, pads)))
        assert np.abs(before - verdicts(model, longer)).max() < 1e-5
    full = texts[:1]
    assert np.abs(before[:1] - verdicts(model, full[:, ::-1])).max() > 1e-4
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(before, verdicts(again, texts))


def test_pads_are_zero_in_both_directions_and_repeat_the_last_state_in_one():
    x = np.random.default_rng(0).normal(size=(1, 6, 3)).astype("float32")
    mask = np.array([[True, True, True, True, False, False]])
    one = keras.layers.LSTM(4, return_sequences=True)
    both = keras.layers.Bidirectional(keras.layers.LSTM(4, return_sequences=True))
    ends = keras.layers.Bidirectional(keras.layers.LSTM(4))
    states, double, _ = [np.array(layer(x, mask=mask)) for layer in (one, both, ends)]
    assert np.array_equal(states[0, 5], states[0, 3]) and states[0, 5].any()
    assert not double[0, 4:].any()
    ends.set_weights(both.get_weights())
    verdict = np.array(ends(x, mask=mask))[0]
    assert np.allclose(verdict[:4], double[0, 3, :4], atol=1e-6)
    assert np.allclose(verdict[4:], double[0, 0, 4:], atol=1e-6)


def test_recurrent_dropout_is_one_mask_a_row_and_sequence():
    start = {"kernel_initializer": "ones", "recurrent_initializer": "identity"}
    more = {"recurrent_dropout": 0.5, "return_sequences": True}
    loop = keras.layers.SimpleRNN(64, activation="linear", **start, **more)
    impulse = np.zeros((2, 4, 1), "float32")
    impulse[:, 0] = 1
    states = np.array(loop(impulse, training=True))
    alive = states > 0
    assert alive[:, 0].all() and np.array_equal(alive[:, 1], alive[:, 3])
    assert not np.array_equal(alive[0, 1], alive[1, 1])
    assert set(np.unique(states[:, 3])) == {0, 8}


def test_recurrent_dropout_never_drops_the_memory():
    layer = keras.layers.LSTM(32, recurrent_dropout=0.5, return_state=True)
    layer.build((None, None, 3))
    kernel, recurrent, bias = layer.get_weights()
    layer.set_weights([0 * kernel, 0 * recurrent, 100 * np.repeat([0, 1, 0, 0], 32)])
    h, c = np.zeros((1, 32), "float32"), np.ones((1, 32), "float32")
    silence = np.zeros((1, 5, 3), "float32")
    _, _, memory = layer(silence, initial_state=[h, c], training=True)
    assert np.allclose(np.array(memory), 1)


def test_marked_symbols_are_what_the_slide_says(lecture):
    x, answers, back = lecture.marked_symbols(500, seed=3)
    assert x.shape == (500, 100, 5) and x.dtype == "float32"
    assert (x[..., :4].sum(axis=-1) == 1).all()  # one symbol a step
    assert (x[..., 4].sum(axis=1) == 1).all()  # one marker a sequence
    place = x[..., 4].argmax(axis=1)
    assert np.array_equal(99 - place, back)
    assert np.array_equal(x[np.arange(500), place, :4].argmax(axis=1), answers)
    assert set(answers) == {0, 1, 2, 3}
    assert back.min() < 5 and back.max() > 95
    assert np.array_equal(x, lecture.marked_symbols(500, seed=3)[0])
    assert not np.array_equal(x, lecture.marked_symbols(500, seed=4)[0])


def test_the_tasks_that_mislead_ask_for_the_first_symbol(lecture):
    x, answers = lecture.first_of_others(300, 0, 10)
    assert x.shape == (300, 11) and x.max() == 15
    assert np.array_equal(x[:, 0], answers) and answers.max() == 7
    assert (x[:, 1:] >= 8).all()  # the noise uses other symbols
    x, answers = lecture.always_first(300, 0, 20)
    assert x.shape == (300, 21, 5)
    assert (x[:, 0, 4] == 1).all() and not x[:, 1:, 4].any()
    assert np.array_equal(x[:, 0, :4].argmax(axis=1), answers) and set(answers) == {0, 1, 2, 3}


LOOPS = {"SimpleRNN": lecture_02.forward, "GRU": lecture_03.gru_forward}
LOOPS["LSTM"] = lecture_03.lstm_forward


@pytest.mark.parametrize(("name", "loop"), LOOPS.items())
def test_the_imaginary_nudge_agrees_with_finite_differences(lecture, name, loop):
    keras.utils.set_random_seed(0)
    layer = getattr(keras.layers, name)(6)
    layer.build((None, None, 4))
    weights = [array.astype(float) for array in layer.get_weights()]
    x = np.random.default_rng(1).normal(size=(1, 8, 4))
    direction = np.random.default_rng(0).normal(size=(1, 4))
    direction /= np.linalg.norm(direction)
    for back in (0, 3, 7):
        nudge = np.zeros_like(x)
        nudge[:, -1 - back] = 1e-6 * direction
        states = [loop(x + sign * nudge, *weights, return_sequences=False) for sign in (1, -1)]
        expected = np.linalg.norm((states[0] - states[1]) / 2e-6)
        reached = lecture.moved(lambda x: loop(x, *weights, return_sequences=False), x, back)
        assert reached == pytest.approx(expected, rel=1e-4)
