"""The review model of the lecture: pads, time, reloading, parameters; recorded claims."""

import ast
from pathlib import Path

import numpy as np
import pytest

from course_utils import results

LECTURE = "02_simple_rnn"
SOURCE = Path(__file__).resolve().parent.parent / "lectures" / f"{LECTURE}.py"
WORDS = 50


@pytest.fixture(scope="module")
def review_model():
    """The lecture's `review_model`, as it stands in the lecture's source."""
    import keras
    from keras import layers

    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    (definition,) = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "review_model"
    ]
    names = {"keras": keras, "layers": layers}
    exec(compile(ast.Module([definition], []), str(SOURCE), "exec"), names)
    keras.utils.set_random_seed(0)
    return names["review_model"]


def verdicts(model, ids):
    return model.predict(ids, verbose=0)


def behind(ids, pads=15):
    return np.pad(ids, ((0, 0), (0, pads)))


def test_pads_change_nothing(review_model, texts):
    model = review_model(WORDS, dropout=0.3)
    assert np.abs(verdicts(model, texts) - verdicts(model, behind(texts))).max() < 1e-6


def test_pads_in_front_or_behind_are_the_same_under_a_mask(review_model, texts):
    model = review_model(WORDS)
    in_front = np.pad(texts, ((0, 0), (15, 0)))
    assert np.abs(verdicts(model, texts) - verdicts(model, in_front)).max() < 1e-6


def test_the_listing_without_a_mask_fails_the_padding_test(review_model, texts):
    model = review_model(WORDS, units=10, mask=False)
    assert np.abs(verdicts(model, texts) - verdicts(model, behind(texts))).max() > 1e-3


def test_a_later_word_changes_no_earlier_state(review_model, texts):
    import keras

    model = review_model(WORDS)
    loop = keras.layers.SimpleRNN(32, return_sequences=True)
    states = keras.Sequential([model.layers[1], loop])
    changed = texts.copy()
    changed[0, 12] = texts[0, 12] % (WORDS - 2) + 2
    before, after = verdicts(states, texts), verdicts(states, changed)
    assert np.array_equal(before[0, :12], after[0, :12])
    assert np.abs(before[0, 12:] - after[0, 12:]).max() > 1e-4


def test_a_saved_model_reloads_with_equal_outputs(review_model, texts, tmp_path):
    import keras

    model = review_model(WORDS, dropout=0.3)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(verdicts(model, texts), verdicts(again, texts))


def test_the_order_of_words_changes_the_verdict(review_model, texts):
    model = review_model(WORDS)
    full = texts[:1]
    assert np.abs(verdicts(model, full) - verdicts(model, full[:, ::-1])).max() > 1e-4


def test_parameters_of_the_slides_model(review_model):
    model = review_model(10_000, units=10)
    assert model.layers[3].count_params() == 430
    assert model.count_params() == 320_430 + 11


def seeds(model, dataset):
    runs = results.load(LECTURE, model, dataset)
    assert [run["seed"] for run in runs] == [0, 1, 2]
    return runs


def metric(runs, name):
    return np.array([run["metrics"][name] for run in runs])


def test_recorded_the_loop_reaches_the_bar_on_real_reviews():
    runs = seeds("simple_rnn_32", "imdb")
    assert metric(runs, "val_accuracy").mean() >= 0.85
    assert all(run["source"] and run["seconds_per_epoch"] for run in runs)
    assert metric(runs, "moved_by_pads").max() < 1e-6


def test_recorded_the_listing_without_a_mask_is_moved_by_pads():
    assert metric(seeds("listing", "imdb"), "moved_by_pads").min() > 0.01


def test_recorded_without_a_mask_pads_behind_bury_the_text():
    assert metric(seeds("simple_rnn_32_no_mask", "imdb"), "val_accuracy").max() < 0.6


def test_recorded_counting_reads_negation_backwards_and_the_loop_does_not():
    counting, loop = seeds("counting", "reviews"), seeds("simple_rnn_32", "reviews")
    assert metric(counting, "negation").max() < 0.1
    assert metric(loop, "negation").mean() > 0.85
    assert metric(loop, "plain").min() > 0.95
    assert metric(loop, "far").max() < 0.65


def test_recorded_the_far_past_is_a_gamble_and_no_wall():
    runs = seeds("simple_rnn_32_far", "reviews")
    assert metric(runs, "60 to 105 words back, rate 0.005").max() < 0.65
    assert metric(runs, "150 to 180 words back, rate 0.005").max() < 0.65
    assert metric(runs, "150 to 180 words back, rate 0.001").min() > 0.75


def test_recorded_large_steps_close_the_path_back_and_small_ones_do_not():
    for seed in range(3):
        rows = results.load_table(LECTURE, f"reach-{seed}")
        far = {row["weights"]: float(row["80 words"]) for row in rows}
        assert far["untrained"] > 0.1
        assert far["buckets, rate 0.003"] < 0.02
        assert far["mixed, rate 0.001"] > 0.1


def test_recorded_a_symbol_is_kept_through_forty_others():
    runs = seeds("recall", "symbols")
    assert min(metric(runs, f"after {distance}").min() for distance in (5, 10, 20, 40)) > 0.99
