"""Lab 08d: four forms of one recurrence, scans with masks, and input that is empty."""

import keras
import numpy as np
import pytest
from keras import layers, ops

from lectures import lecture_08d
from lectures.lecture_08d.recurrences import (
    MinGRUCell,
    ScannedRNN,
    SelectiveState,
    combine,
    doubling_scan,
    linear_scan,
)


def as_scan(a, b, x):
    return linear_scan(ops.broadcast_to(a, x.shape), b * x)


FORMS = lecture_08d.as_convolution, lecture_08d.as_matrix, as_scan


def drawn(*shape, low=-1.0, high=1.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype("float32")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("steps", [1, 2, 37, 64])
def test_each_form_gives_the_states_of_the_loop(form, steps):
    a, b, x = drawn(3, low=0.0), drawn(3, seed=1), ops.convert_to_tensor(drawn(2, steps, 3))
    loop = lecture_08d.as_loop(a, b, x)
    np.testing.assert_allclose(form(a, b, x), loop, atol=1e-5)


@pytest.mark.parametrize("form", [lecture_08d.as_loop, *FORMS])
def test_pads_behind_the_words_change_no_state_of_a_word(form):
    a, b, x = drawn(3, low=0.0), drawn(3, seed=1), drawn(2, 20, 3)
    padded = np.concatenate([x, np.zeros((2, 7, 3), "float32")], axis=1)
    states = (form(a, b, ops.convert_to_tensor(one)) for one in (x, padded))
    short, long = map(ops.convert_to_numpy, states)
    np.testing.assert_allclose(long[:, :20], short, atol=1e-5)


@pytest.mark.parametrize("shape", [(2, 33, 3), (1, 1, 2), (2, 16, 3, 4)])
def test_the_two_scans_agree(shape):
    kept, written = map(ops.convert_to_tensor, (drawn(*shape, low=0.0), drawn(*shape, seed=1)))
    known = ops.associative_scan(combine, (kept, written), axis=1)[1]
    np.testing.assert_allclose(doubling_scan(kept, written), known, atol=1e-5)
    np.testing.assert_allclose(linear_scan(kept, written), known, atol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [{}, {"go_backwards": True}, {"return_sequences": True, "go_backwards": True}],
)
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("started", [False, True])
def test_a_scanned_cell_is_keras_loop(settings, hidden, started):
    x, cell = drawn(3, 11, 2), MinGRUCell(4)
    mask = ops.convert_to_tensor(np.arange(11) < np.array([[11], [6], [1]])) if hidden else None
    state = [ops.convert_to_tensor(drawn(3, 4, seed=3))] if started else None
    loop = layers.RNN(cell, **settings)(x, mask=mask, initial_state=state)
    scan = ScannedRNN(cell, **settings)(x, mask=mask, initial_state=state)
    if settings == {"return_sequences": True, "go_backwards": True} and hidden:
        loop, scan = loop[:, -1], scan[:, -1]  # before its first word a row has no state in TF
    np.testing.assert_allclose(scan, loop, atol=1e-5)


def test_a_mask_that_hides_everything_leaves_the_state_as_it_was():
    x, none = drawn(2, 5, 3), ops.zeros((2, 5), "bool")
    before = ops.convert_to_tensor(drawn(2, 4, seed=2))
    scan = ScannedRNN(MinGRUCell(4))
    np.testing.assert_array_equal(scan(x, mask=none, initial_state=[before]), before)
    np.testing.assert_array_equal(scan(x, mask=none), 0)
    np.testing.assert_array_equal(SelectiveState(4)(x, mask=none), 0)


def test_an_empty_sequence_is_refused_by_name():
    with pytest.raises(ValueError, match="sequence of no step"):
        ScannedRNN(MinGRUCell(3))(np.zeros((1, 0, 2), "float32"))


def test_hidden_tokens_leave_a_selective_state_as_it_is():
    x, layer = drawn(2, 9, 3), SelectiveState(4)
    mask = np.ones((2, 9), bool)
    mask[:, 3:5] = False
    whole = ops.convert_to_numpy(layer(x, mask=ops.convert_to_tensor(mask)))
    alone = ops.convert_to_numpy(layer(np.delete(x, [3, 4], axis=1)))
    np.testing.assert_allclose(np.delete(whole, [3, 4], axis=1), alone, atol=1e-5)


def test_a_selective_state_is_its_two_equations():
    x, layer = drawn(1, 6, 3), SelectiveState(2, state=3)
    layer.build(x.shape)
    for number, weight in enumerate(layer.weights):
        weight.assign(drawn(*weight.shape, seed=number))
    W = {weight.name: ops.convert_to_numpy(weight) for weight in layer.weights}
    H, outputs = np.zeros((2, 3)), []
    for step in x[0]:
        u, k, q = step @ W["W_u"], step @ W["W_k"], step @ W["W_q"]
        delta = np.log1p(np.exp(step @ W["W_delta"] + W["b_delta"]))
        H = np.exp(-delta[:, None] * np.exp(W["log_A"])) * H + np.outer(delta * u, k)
        outputs.append(H @ q + W["D"] * u)
    np.testing.assert_allclose(ops.convert_to_numpy(layer(x))[0], outputs, atol=1e-5)


@pytest.mark.parametrize("mixer", ["minGRU", "selective"])
def test_a_later_token_changes_no_earlier_state(mixer):
    layer, x = lecture_08d.MIXERS[mixer](), drawn(1, 8, 3)
    other = x.copy()
    other[:, 5:] += 1
    before, after = (ops.convert_to_numpy(layer(one)) for one in (x, other))
    np.testing.assert_allclose(after[:, :5], before[:, :5], atol=1e-6)
    assert np.abs(after[:, 5:] - before[:, 5:]).max() > 1e-3


def test_models_with_scans_reload(tmp_path):
    model = keras.Sequential(
        [
            keras.Input((6, 3)),
            layers.Bidirectional(ScannedRNN(MinGRUCell(4), return_sequences=True)),
            SelectiveState(4, state=2),
        ]
    )
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    x = drawn(2, 6, 3)
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))


def test_cumulative_products_underflow_and_log_space_does_not():
    kept, written = drawn(1, 400, 1, low=0.2, high=0.9), np.ones((1, 400, 1), "float32")
    scan = ops.convert_to_numpy(doubling_scan(kept, written))
    with np.errstate(all="ignore"):
        short = lecture_08d.cumulative_scan(kept, written)
    assert np.allclose(short[:, :50], scan[:, :50], atol=1e-3) and np.isnan(short[0, -1, 0])
    logs = lecture_08d.log_space_scan(np.log(kept), np.log(written))
    np.testing.assert_allclose(logs, scan, rtol=1e-2)


def test_a_list_of_pairs_has_its_answer_in_it():
    x, values = lecture_08d.pairs_to_recall(50, seed=0, pairs=7)
    assert x.shape == (50, 8, 64) and x[:, :-1].sum() == 50 * 7 * 2 and x[:, -1].sum() == 50
    keys, seen = x[:, :-1, :32].argmax(axis=-1), x[:, :-1, 32:].argmax(axis=-1)
    asked = x[:, -1, :32].argmax(axis=-1)
    assert all(len(set(row)) == 7 for row in keys)
    assert (seen[keys == asked[:, None]] == values).all()
