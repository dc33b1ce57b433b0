"""Lab 03b: untrained its networks are naive; no leak, reloading; ridge regression."""

import keras
import numpy as np
import pytest
from sklearn.linear_model import Ridge

from course_utils.data import load_series
from course_utils.lectures import lecture_03b
from tools.part import slice_cells
from tools.source import LECTURES, assemble

NETWORKS = ("linear", "conv1d", "lstm", "gru", "stacked", "stacked_dropout")
NAIVE = "last_value, same_hour_yesterday, week_mean"
NEEDED = f"forecaster, bodies, {NAIVE}, day_classifier, convolve"
LEFT_OUT = ("session = ", "own = ", "series = ", "source = ", "mean, deviation = ")


@pytest.fixture(scope="module")
def lecture():
    """What the lab defines, without running it, with a scale of our own."""
    code = slice_cells(assemble(LECTURES / "03b_lab_forecasting.py"), NEEDED).cells[0].source
    space = {"mean": 12.0, "deviation": 4.0}
    exec("\n".join(li for li in code.split("\n") if not li.startswith(LEFT_OUT)), space)
    return space


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


def paths(model, window):
    return model.predict(window, verbose=0)


@pytest.mark.parametrize("name", [*NETWORKS, "gru_level"])
def test_a_network_starts_naive_reads_its_hours_and_reloads(lecture, window, name, tmp_path):
    model, hours = network(lecture, name), lecture["bodies"][name][0]
    naive = 12.0 if name == "gru_level" else lecture["last_value"](window)
    assert paths(model, window).shape == (5, 24)
    assert np.abs(paths(model, window) - naive).max() < 1e-5
    before = paths(moved(model), window)
    assert np.abs(before - naive).max() > 0.1
    if name != "gru_level":  # ten degrees more in are ten degrees more out
        assert np.abs(paths(model, window + 10) - before - 10).max() < 1e-3
    other = window.copy()
    other[:, :-hours] += 7
    assert np.array_equal(paths(model, other), before)
    # A loop may have forgotten its first hour; the others read every hour by a weight.
    other[:, -hours if name in ("linear", "conv1d") else -3] += 7
    assert not np.array_equal(paths(model, other), before)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert np.array_equal(paths(again, window), before)


def test_day_classifiers_give_probabilities(lecture):
    model = lecture["day_classifier"](lecture["convolve"](), "days")
    probabilities = model.predict(np.random.default_rng(0).normal(size=(7, 24)), verbose=0)
    assert probabilities.shape == (7, 5)
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)


def test_a_naive_forecast_of_a_whole_day_is_right_on_a_series_that_repeats(lecture):
    x = np.tile(np.arange(24.0), 8)[None]
    for name in ("same_hour_yesterday", "week_mean"):
        assert np.array_equal(lecture[name](x[:, :168]), x[:, 168:192])
    assert np.array_equal(lecture["last_value"](x[:, :168]), np.full((1, 24), 23.0))


def test_ridge_equals_scikit_learn():
    draw = np.random.default_rng(0)
    features, targets = draw.normal(size=(200, 9)) + 3, draw.normal(size=(200, 4)) + 5
    ours = lecture_03b.ridge(features, targets, 7.0)
    theirs = Ridge(7.0).fit(features, targets)
    assert np.allclose(ours[1:], theirs.coef_.T) and np.allclose(ours[0], theirs.intercept_)


def test_a_forecast_by_changes_moves_with_the_level():
    x = np.random.default_rng(0).normal(size=(60, 9)).cumsum(axis=1)
    given = x[:40, :6], x[:40, 6:]
    low, high = (
        lecture_03b.forecast_by_changes(*given, x[40:, :6] + level, 1.0) for level in (0, 10)
    )
    assert np.allclose(high, low + 10)


def test_pressure_helps_on_the_courses_own_weather():
    series = load_series()
    columns = ("temperature",), series.columns
    alone, both = (lecture_03b.ridge_error(series, some, change=True) for some in columns)
    assert alone == pytest.approx(1.907808, abs=1e-6)  # as with the lab's own formula
    assert both < 0.97 * alone
