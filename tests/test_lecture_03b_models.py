"""The lab's forecasters: untrained they are naive; no leak, reloading."""

import ast
from pathlib import Path

import numpy as np
import pytest

from course_utils.data import load_series
from course_utils.numpy_ref.forecasting import ridge, ridge_error

LECTURE = "03b_lab_forecasting"
SOURCE = Path(__file__).resolve().parent.parent / "lectures" / f"{LECTURE}.py"
NETWORKS = ("linear", "conv1d", "lstm", "gru", "stacked", "stacked_dropout")


@pytest.fixture(scope="module")
def lecture():
    """Functions of the lecture and `bodies`, as they stand in its source."""
    import keras
    from keras import layers

    wanted = {
        *("last_value", "same_hour_yesterday", "week_mean", "by_hour", "changes"),
        *("ridge_path", "forecaster", "convolutions", "stack", "day_classifier", "convolve"),
    }
    nodes = [
        node
        for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
        if (isinstance(node, ast.FunctionDef) and node.name in wanted)
        or (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "bodies")
    ]
    names = {"keras": keras, "layers": layers, "np": np, "mean": 12.0, "deviation": 4.0}
    exec(compile(ast.Module(nodes, []), str(SOURCE), "exec"), names)
    assert wanted <= set(names)
    keras.utils.set_random_seed(0)
    return names


@pytest.fixture
def window():
    steps = np.random.default_rng(0).normal(size=(5, 168)).astype("float32")
    return steps.cumsum(axis=1) + 15


def network(lecture, name):
    hours, body = lecture["bodies"][name]
    return lecture["forecaster"](body(), hours, name, change=name != "gru_level")


def moved(model):
    """The same model, with random weights in the last layer instead of zeros."""
    last = [layer for layer in model.layers if layer.__class__.__name__ == "Dense"][-1]
    draw = np.random.default_rng(1)
    last.set_weights([draw.normal(size=weights.shape) for weights in last.get_weights()])
    return model


@pytest.mark.parametrize("name", NETWORKS)
def test_untrained_it_is_the_last_value(lecture, window, name):
    paths = network(lecture, name).predict(window, verbose=0)
    assert paths.shape == (5, 24)
    assert np.abs(paths - lecture["last_value"](window)).max() < 1e-5


def test_the_level_begins_at_the_training_mean(lecture, window):
    assert np.allclose(network(lecture, "gru_level").predict(window, verbose=0), 12.0)


@pytest.mark.parametrize("name", NETWORKS)
def test_ten_degrees_more_in_are_ten_degrees_more_out(lecture, window, name):
    model = moved(network(lecture, name))
    paths, warmer = (model.predict(x, verbose=0) for x in (window, window + 10))
    assert np.abs(warmer - paths - 10).max() < 1e-3
    assert np.abs(paths - window[:, -1:]).max() > 0.1


@pytest.mark.parametrize("name", [*NETWORKS, "gru_level"])
def test_it_reads_its_last_hours_and_no_others(lecture, window, name):
    model, hours = moved(network(lecture, name)), lecture["bodies"][name][0]
    other = window.copy()
    other[:, :-hours] += 7
    assert np.array_equal(*(model.predict(x, verbose=0) for x in (window, other)))
    # A loop may have forgotten its first hour; the others read every hour by a weight.
    other[:, -hours if name in ("linear", "conv1d") else -3] += 7
    before, after = (model.predict(x, verbose=0) for x in (window, other))
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("name", ["conv1d", "stacked_dropout", "gru_level"])
def test_a_saved_model_reloads_with_equal_outputs(lecture, window, name, tmp_path):
    import keras

    model = moved(network(lecture, name))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(*(m.predict(window, verbose=0) for m in (model, again)))


def test_day_classifiers_give_probabilities(lecture):
    model = lecture["day_classifier"](lecture["convolve"](), "days")
    chances = model.predict(np.random.default_rng(0).normal(size=(7, 24)), verbose=0)
    assert chances.shape == (7, 5) and np.allclose(chances.sum(axis=1), 1, atol=1e-5)


def test_a_naive_forecast_of_a_whole_day_is_right_on_a_series_that_repeats(lecture):
    x = np.tile(np.arange(24.0), 8)[None]
    for name in ("same_hour_yesterday", "week_mean"):
        assert np.array_equal(lecture[name](x[:, :168]), x[:, 168:192])
    assert np.array_equal(lecture["last_value"](x[:, :168]), np.full((1, 24), 23.0))


def test_ridge_equals_scikit_learn():
    from sklearn.linear_model import Ridge

    draw = np.random.default_rng(0)
    features, targets = draw.normal(size=(200, 9)) + 3, draw.normal(size=(200, 4)) + 5
    ours, theirs = ridge(features, targets, 7.0), Ridge(7.0).fit(features, targets)
    assert np.allclose(ours[1:], theirs.coef_.T) and np.allclose(ours[0], theirs.intercept_)


def test_pressure_helps_on_the_courses_own_weather():
    series = load_series()
    alone, both = (
        ridge_error(series, columns, change=True, strengths=(1.0,))
        for columns in (("temperature",), series.columns)
    )
    assert both < 0.97 * alone
