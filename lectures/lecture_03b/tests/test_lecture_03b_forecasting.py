"""Lab 03b: untrained networks are naive; no leak; ridge; blocks; quantiles; neighbours."""

import keras
import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_pinball_loss

from course_utils.data import Split
from lectures import lecture_03b
from lectures.lecture_03b.series import cut_windows, load_series


@pytest.fixture
def window():
    steps = np.random.default_rng(0).normal(size=(5, lecture_03b.HOURS)).astype("float32")
    return steps.cumsum(axis=1) + 15


def moved(model):
    """The same model, with random weights in the last layer instead of zeros."""
    last = [layer for layer in model.layers if isinstance(layer, keras.layers.Dense)][-1]
    draw = np.random.default_rng(1)
    last.set_weights([draw.normal(size=weights.shape) for weights in last.get_weights()])
    return model


@pytest.mark.slow
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("name", lecture_03b.BODIES)
def test_a_network_starts_naive_and_moves_with_the_level(window, name, outputs):
    model = lecture_03b.forecaster(lecture_03b.BODIES[name](), 4.0, outputs)
    naive = lecture_03b.seasonal_naive(window, 24, 1)
    naive = naive if outputs == 1 else naive[:, :, None]
    assert np.abs(model.predict(window, verbose=0) - naive).max() < 1e-5
    before = moved(model).predict(window, verbose=0)
    assert before.shape == ((5, 24) if outputs == 1 else (5, 24, 2))
    assert np.abs(before - naive).max() > 0.1
    assert np.abs(model.predict(window + 10, verbose=0) - before - 10).max() < 1e-3


def test_a_seasonal_forecast_is_right_on_a_series_that_repeats():
    day = np.random.default_rng(0).normal(size=24)
    window = np.tile(day, 4)[None]
    assert np.array_equal(lecture_03b.seasonal_naive(window, 48, 24), np.tile(day, 2)[None])


def test_ridge_on_changes_equals_scikit_learn():
    x = np.random.default_rng(2).normal(size=(60, 9)).cumsum(axis=1)
    inputs, targets = x[:40, :6], x[:40, 6:]
    model = Ridge(7.0, fit_intercept=False).fit(
        inputs - inputs[:, -1:], targets - inputs[:, -1:]
    )
    new = x[40:, :6]
    expected = new[:, -1:] + model.predict(new - new[:, -1:])
    found = lecture_03b.forecast_by_changes(inputs, targets, new, 7.0)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_pinball_loss_equals_scikit_learn():
    draw = np.random.default_rng(3)
    y, f = draw.normal(size=(7, 4)), draw.normal(size=(7, 4, 2))
    expected = np.mean(
        [mean_pinball_loss(y, f[:, :, k], alpha=q) for k, q in enumerate((0.1, 0.7))]
    )
    loss = lecture_03b.pinball_loss([0.1, 0.7])(y.astype("float32"), f.astype("float32"))
    assert float(loss) == pytest.approx(expected, rel=1e-5)


def test_blocks_widen_the_interval_of_a_series_whose_neighbours_agree():
    noise = np.random.default_rng(4).normal(size=100).repeat(50)
    single, blocks = (np.ptp(lecture_03b.bootstrap_interval(noise, b)) for b in (1, 250))
    assert blocks > 3 * single


def test_a_rolling_origin_fits_nothing_that_it_is_asked_for():
    x = np.random.default_rng(5).normal(size=(600, 120)).cumsum(axis=1)
    inputs, targets = x[:, :96], x[:, 96:]
    before = list(lecture_03b.rolling_origin(inputs, targets, 400, 100))
    targets = targets.copy()
    targets[400 - 23 :] += 100.0  # window 376 is the last whose targets are known
    after = list(lecture_03b.rolling_origin(inputs, targets, 400, 100))
    targets[400 - 24] += 100.0
    earlier = next(lecture_03b.rolling_origin(inputs, targets, 400, 100))
    assert not np.array_equal(before[0][1], earlier[1])
    assert [origin for origin, _, _ in before] == [400, 500]
    assert np.array_equal(before[0][1], after[0][1])
    assert not np.array_equal(before[1][1], after[1][1])


def test_ridge_with_what_is_known_moves_with_the_level_unless_it_reads_it():
    data = cut_windows(load_series(), 96, 24)
    train, val = data.train.take(slice(None, None, 20)), data.val.take(slice(None, None, 400))
    warmer = Split(val.inputs + 10, val.targets, columns=val.columns)
    for known in lecture_03b.KNOWN:
        gain = lecture_03b.ridge_with(known, train, warmer)
        gain -= lecture_03b.ridge_with(known, train, val)
        assert np.allclose(gain, 10, atol=1e-3) != ("level" in known)


def test_similar_windows_that_lie_near_are_left_out():
    x = np.arange(100.0)[:, None]
    fit, judge = np.delete(np.arange(100), 50), np.array([50])
    forecast, away = lecture_03b.nearest_forecast(x, x, fit, judge, count=2)
    assert away == 1 and forecast == 50
    forecast, away = lecture_03b.nearest_forecast(x, x, fit, judge, apart=10, count=2)
    assert away == 10 and forecast == 50
