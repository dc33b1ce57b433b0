"""The readers of the lecture: pads, reloading, both directions; its tasks."""

import ast
from pathlib import Path

import numpy as np
import pytest

from course_utils.numpy_ref import gru, lstm, simple_rnn

LECTURE = "03_lstm_gru"
SOURCE = Path(__file__).resolve().parent.parent / "lectures" / f"{LECTURE}.py"
WORDS = 50
READERS = ("simple_rnn_32", "lstm_32", "gru_32", "bidirectional_32", "stacked_32")
NAMES = {
    "review_model",
    "imdb_model",
    "IMDB",
    "readers",
    "marked_symbols",
    "first_of_others",
    "always_first",
    "moved",
}


def named(node):
    """The name that a top-level statement defines, or None."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return getattr(node, "name", None)


@pytest.fixture(scope="module")
def lecture():
    """What the lecture defines, as it stands in its source."""
    import keras
    from keras import layers

    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    definitions = [node for node in tree.body if named(node) in NAMES]
    assert {named(node) for node in definitions} == NAMES
    names = {"keras": keras, "layers": layers, "np": np}
    exec(compile(ast.Module(definitions, []), str(SOURCE), "exec"), names)
    return names


@pytest.fixture(scope="module", params=READERS)
def model(request, lecture):
    import keras

    keras.utils.set_random_seed(0)
    return lecture["review_model"](WORDS, lecture["readers"][request.param])


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def test_the_lecture_has_these_readers(lecture):
    assert tuple(lecture["readers"]) == READERS


@pytest.mark.parametrize("pads", [1, 7, 50])
def test_pads_change_nothing(model, texts, pads):
    longer = np.pad(texts, ((0, 0), (0, pads)))
    assert np.abs(verdicts(model, texts) - verdicts(model, longer)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS[:4])
def test_pads_change_nothing_in_the_model_for_real_reviews(lecture, texts, reader):
    model = lecture["imdb_model"](lecture["readers"][reader], WORDS, reader)
    before = verdicts(model, texts)
    for pads in (1, 7, 50):
        longer = np.pad(texts, ((0, 0), (0, pads)))
        assert np.abs(verdicts(model, longer) - before).max() < 1e-5


def test_a_saved_model_reloads_with_equal_outputs(model, texts, tmp_path):
    import keras

    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(verdicts(model, texts), verdicts(again, texts))


def test_the_order_of_words_changes_the_verdict(model, texts):
    full = texts[:1]
    assert np.abs(verdicts(model, full) - verdicts(model, full[:, ::-1])).max() > 1e-4


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_a_later_word_changes_no_earlier_state(name):
    import keras

    layer = getattr(keras.layers, name)(8, return_sequences=True)
    x = np.random.default_rng(0).normal(size=(1, 9, 4)).astype("float32")
    changed = x.copy()
    changed[0, 5] += 1
    before, after = [keras.ops.convert_to_numpy(layer(part)) for part in (x, changed)]
    assert np.array_equal(before[0, :5], after[0, :5])
    assert np.abs(before[0, 5:] - after[0, 5:]).max() > 1e-4


def test_pads_are_zero_in_both_directions_and_repeat_the_last_state_in_one():
    import keras

    layers = keras.layers
    x = np.random.default_rng(0).normal(size=(1, 6, 3)).astype("float32")
    mask = np.array([[True, True, True, True, False, False]])
    one = layers.LSTM(4, return_sequences=True)
    both = layers.Bidirectional(layers.LSTM(4, return_sequences=True))
    ends = layers.Bidirectional(layers.LSTM(4))
    states, double, _ = [
        keras.ops.convert_to_numpy(layer(x, mask=mask)) for layer in (one, both, ends)
    ]
    assert np.array_equal(states[0, 5], states[0, 3]) and states[0, 5].any()
    assert not double[0, 4:].any()
    ends.set_weights(both.get_weights())
    verdict = keras.ops.convert_to_numpy(ends(x, mask=mask))[0]
    assert np.allclose(verdict[:4], double[0, 3, :4], atol=1e-6)
    assert np.allclose(verdict[4:], double[0, 0, 4:], atol=1e-6)


def test_recurrent_dropout_is_one_mask_a_row_and_sequence():
    import keras

    loop = keras.layers.SimpleRNN(
        64,
        activation="linear",
        kernel_initializer="ones",
        recurrent_initializer="identity",
        recurrent_dropout=0.5,
        return_sequences=True,
    )
    impulse = np.zeros((2, 4, 1), "float32")
    impulse[:, 0] = 1
    states = keras.ops.convert_to_numpy(loop(impulse, training=True))
    alive = states > 0
    assert alive[:, 0].all() and np.array_equal(alive[:, 1], alive[:, 3])
    assert not np.array_equal(alive[0, 1], alive[1, 1])
    assert set(np.unique(states[:, 3])) == {0, 8}


def test_recurrent_dropout_never_drops_the_memory():
    import keras

    layer = keras.layers.LSTM(
        32, unit_forget_bias=False, bias_initializer="zeros", recurrent_dropout=0.5
    )
    layer.build((None, None, 3))
    kernel, recurrent, bias = layer.get_weights()
    layer.set_weights([0 * kernel, 0 * recurrent, bias + 100 * np.repeat([0, 1, 0, 0], 32)])
    h, c = np.zeros((1, 32), "float32"), np.ones((1, 32), "float32")
    silence = np.zeros((1, 5, 3), "float32")
    layer.return_state = True
    _, _, memory = layer(silence, initial_state=[h, c], training=True)
    assert np.allclose(keras.ops.convert_to_numpy(memory), 1)


def test_marked_symbols_are_what_the_slide_says(lecture):
    x, answers, back = lecture["marked_symbols"](500, seed=3)
    assert x.shape == (500, 100, 5) and x.dtype == "float32"
    assert (x[..., :4].sum(axis=-1) == 1).all()  # one symbol a step
    assert (x[..., 4].sum(axis=1) == 1).all()  # one marker a sequence
    place = x[..., 4].argmax(axis=1)
    assert np.array_equal(99 - place, back)
    assert np.array_equal(x[np.arange(500), place, :4].argmax(axis=1), answers)
    assert set(answers) == {0, 1, 2, 3}
    assert back.min() < 5 and back.max() > 95
    again, _, _ = lecture["marked_symbols"](500, seed=3)
    assert np.array_equal(x, again)
    assert not np.array_equal(x, lecture["marked_symbols"](500, seed=4)[0])


def test_the_tasks_that_mislead_ask_for_the_first_symbol(lecture):
    x, answers = lecture["first_of_others"](300, 0, 10)
    assert x.shape == (300, 11) and x.max() == 15
    assert np.array_equal(x[:, 0], answers) and answers.max() == 7
    assert (x[:, 1:] >= 8).all()  # the noise uses other symbols
    x, answers = lecture["always_first"](300, 0, 20)
    assert x.shape == (300, 21, 5)
    assert (x[:, 0, 4] == 1).all() and not x[:, 1:, 4].any()
    assert np.array_equal(x[:, 0, :4].argmax(axis=1), answers) and set(answers) == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["SimpleRNN", "GRU", "LSTM"])
def test_the_imaginary_nudge_agrees_with_finite_differences(lecture, name):
    import keras

    keras.utils.set_random_seed(0)
    layer = getattr(keras.layers, name)(6)
    layer.build((None, None, 4))
    weights = [array.astype(float) for array in layer.get_weights()]
    loop = {"SimpleRNN": simple_rnn, "LSTM": lstm, "GRU": gru}[name].forward
    x = np.random.default_rng(1).normal(size=(1, 8, 4))
    direction = np.random.default_rng(0).normal(size=(1, 4))
    direction /= np.linalg.norm(direction)
    for back in (0, 3, 7):
        nudge = np.zeros_like(x)
        nudge[:, -1 - back] = 1e-6 * direction
        states = [loop(x + sign * nudge, *weights, return_sequences=False) for sign in (1, -1)]
        expected = np.linalg.norm((states[0] - states[1]) / 2e-6)
        run = lecture["moved"](lambda x: loop(x, *weights, return_sequences=False), x, back)
        assert run == pytest.approx(expected, rel=1e-4)
