"""Checks of lab 03b: forecasting."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, refuse


@exercise("03b.1", solved="It costs one line, so no model is worth anything until it beats it.")
def yesterday_path(answer):
    """The same hour of the day before, for 24 hours."""
    x = np.random.default_rng(0).normal(size=200).cumsum()
    for t in (100, 60, 23):
        got = array(call(answer, x.copy(), t), (24,), "one value for each of 24 hours: ")
        ahead = np.arange(1, 25)
        flat = [np.repeat(x[t - back], 24) for back in (24, 23) if back <= t]
        off = "off by one: a day before t + 1 is t - 23, and a day before t + 24 is t itself"
        mistakes = [
            ([x[t + ahead]], "that is the answer itself: an error of 0 should alarm you"),
            (
                [np.repeat(x[t], 24)],
                "that repeats the last value; move along: yesterday has 24 values",
            ),
            (flat, "one value for all hours: move along with the hour, from t - 23 to t"),
            ([x[t + ahead - 25]] if t > 23 else [], off),
            ([x[t + ahead - 23]], f"{off}; your last value is of hour t + 1, the future"),
            (
                [x[t + ahead - 48]] if t > 47 else [],
                "that is two days back: 24 hours before t + k is t + k - 24",
            ),
            ([x[t + ahead - 24][::-1]], "backwards: the first value belongs to hour t + 1"),
            ([x[-24:]], "that is the end of the whole series: at hour t it is the future"),
        ]
        refuse(got, mistakes)
        require(close(got, x[t + ahead - 24]), "hour t + k should get the value of t + k - 24")


@exercise("03b.2", solved="The seam between inputs and targets is where most leaks are.")
def make_windows(answer):
    """Inputs and targets of all windows."""
    x = np.random.default_rng(0).normal(size=40)
    for length, horizon in ((5, 3), (6, 1), (30, 10)):
        got = call(answer, x.copy(), length, horizon)
        require(
            isinstance(got, (tuple, list)) and len(got) == 2,
            "return two arrays, the inputs and the targets",
        )
        count = len(x) - length - horizon + 1
        both = np.lib.stride_tricks.sliding_window_view(x, length + horizon)
        inputs = _rows(got[0], length, "inputs")
        targets = _rows(got[1], horizon, "targets")
        require(
            len(inputs) == len(targets),
            f"{len(inputs)} inputs but {len(targets)} targets: each window needs both",
        )
        seam = inputs[0, -1] == targets[0, 0]
        require(
            not seam,
            "a leak: the last input hour equals the first target; targets begin one hour later",
        )
        require(
            inputs[0, 0] == targets[0, 0] or not np.isclose(inputs[0, 0], x[1]),
            "the first window is missing: its inputs begin with x[0]",
        )
        require(
            not np.isclose(targets[0, 0], x[length + 1]),
            "an hour is missing between the inputs and the targets: after x[0:length] comes "
            "x[length]",
        )
        require(
            len(inputs) != count - 1,
            f"{count - 1} windows of {len(x)} hours: the last window is missing, there are "
            "hours - length - horizon + 1",
        )
        require(
            len(inputs) == count,
            f"{len(inputs)} windows, but {len(x)} hours with length {length} and horizon "
            f"{horizon} give {count}: each begins an hour after the one before",
        )
        require(
            close(inputs, both[:, :length]),
            "inputs: window k should hold x[k] to x[k + length - 1]",
        )
        require(
            close(targets, both[:, length:]),
            "targets: window k should hold the horizon hours after its inputs",
        )


@exercise("03b.3", solved="A scale is a parameter too: it is learned from the training part.")
def scaled(answer):
    """Columns scaled by the training part."""
    draw = np.random.default_rng(0)
    values = draw.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [5.0, 100.0, -2.0]
    values[40:] += [3.0, 40.0, 1.0]
    known = values[:40]
    got = array(call(answer, values.copy(), 40), (60, 3))
    moved = values.copy()
    moved[40:] += 100
    later = array(call(answer, moved, 40), (60, 3))
    require(np.isfinite(got).all(), "some of the scaled values are no finite numbers")
    require(
        close(got[:40], later[:40]),
        "a leak: the scaled training part moved when only the test part was changed; take the "
        "mean and the deviation from the first training_hours hours",
    )
    require(
        not any(close(got[:, 0], other[:, 0]) for other in _half_scaled(values, known)),
        "half done: subtract the mean and divide by the standard deviation, both",
    )
    mistakes = [
        (
            (values - known.mean()) / known.std(),
            "one mean for all columns: degrees and hectopascals need their own, axis=0",
        ),
        (
            _standard(values.T).T,
            "that scales each hour by its own columns: the mean runs over the hours, axis=0",
        ),
        (
            (values - known.mean(axis=0)) / known.var(axis=0),
            "divide by the standard deviation, not by its square, the variance",
        ),
        (
            np.concatenate([_standard(known), _standard(values[40:])]),
            "each part has a scale of its own: use the training part's for all hours",
        ),
        (
            np.concatenate([_standard(known), values[40:]]),
            "the hours behind the training part are not scaled yet",
        ),
    ]
    refuse(got, [([wrong], explanation) for wrong, explanation in mistakes])
    unbiased = (values - known.mean(axis=0)) / known.std(axis=0, ddof=1)
    require(
        close(got, (values - known.mean(axis=0)) / known.std(axis=0)) or close(got, unbiased),
        "it should be (values - mean) / deviation, column by column, of the training part",
    )


@exercise("03b.4", solved="What is subtracted comes back: the level never has to be learned.")
def forecast_by_changes(answer):
    """Least squares on changes from the last value."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=400).cumsum() + 10 * np.sin(np.arange(400) / 4) + 50
    both = np.lib.stride_tricks.sliding_window_view(x, 9)
    inputs, targets, new = both[:300, :6], both[:300, 6:], both[350:, :6] + 7.0

    def fit(F, Y):
        return np.linalg.lstsq(F, Y, rcond=None)[0]

    last, new_last = inputs[:, -1:], new[:, -1:]
    weights = fit(inputs - last, targets - last)
    truth = new_last + (new - new_last) @ weights
    got = array(call(answer, inputs.copy(), targets.copy(), new.copy()), truth.shape)
    moved = new - new_last
    level = moved @ fit(inputs - last, targets)
    ones = [np.insert(part, 0, 1.0, axis=1) for part in (inputs - last, moved)]
    too = (
        "the target must change too: subtract the last value from the targets as well, "
        "otherwise changes have to explain a level"
    )
    mistakes = [
        (truth - new_last, "that is the change: add the last value of each new window"),
        (new_last + level, too),
        (level, f"{too} (`x[:, -1:]` is a view: after `x -= …` it holds zeros)"),
        (new @ fit(inputs, targets), "levels in, levels out: fit changes on changes"),
        (
            new_last + moved @ fit(inputs, targets - last),
            "the inputs must change too: subtract each window's last value from them",
        ),
        (
            new_last + new @ weights,
            "subtract the new windows' last values too, like those that were fitted",
        ),
        (last[-1] + moved @ weights, "add the last values of the new windows, each its own"),
        (
            new_last + moved @ fit(inputs - last, targets - targets[:, -1:]),
            "what the targets lose is the last value of their *inputs*, hour t",
        ),
        (
            new_last + ones[1] @ fit(ones[0], targets - last),
            "that has a constant: fit without one, so that no change in means no change out",
        ),
    ]
    refuse(got, [([wrong], explanation) for wrong, explanation in mistakes])
    require(
        close(got, truth),
        "fit changes on changes, forecast the change of the new windows, add their last value; "
        "test it: with all new inputs 10 higher, the forecast has to be 10 higher",
    )


@exercise(
    "03b.5", solved="One number hides the day: hour 1 and hour 24 are different problems."
)
def error_by_hour(answer):
    """Mean absolute error for each hour ahead, in degrees."""
    draw = np.random.default_rng(0)
    forecasts, targets, unit = draw.normal(size=(50, 24)), draw.normal(size=(50, 24)), 9.18
    missed = forecasts - targets
    got = call(answer, forecasts.copy(), targets.copy(), unit)
    axis = "the mean runs over the windows, axis=0"
    got = array(got, (24,), f"one error for each hour ahead, {axis}: ")
    truth, mean, square = (f(missed).mean(axis=0) for f in (np.abs, np.asarray, np.square))
    mistakes = [
        (
            [np.abs(mean), unit * np.abs(mean)],
            "signs cancelled: take the absolute value of each error first, then the mean",
        ),
        (
            [scale * mean for scale in (1, unit, -1, -unit)],
            "there is no absolute value: too high and too low cancel",
        ),
        ([truth], "these are scaled units: multiply by the deviation to get degrees"),
        (
            [scale * square for scale in (1, unit, unit**2)],
            "that is the mean square: take absolute values, which stay in degrees",
        ),
        (
            [np.sqrt(square), unit * np.sqrt(square)],
            "that is the root of the mean square: take the mean of the absolute errors",
        ),
        ([truth / unit], "multiply by the deviation: you divided by it"),
        ([truth * unit * len(missed)], "that is the sum over the windows: take the mean"),
    ]
    refuse(got, mistakes)
    require(close(got, unit * truth), "it should be deviation · mean of |forecast - target|")


def _rows(part, width, name):
    try:
        part = np.asarray(part, dtype=float)
    except Exception:  # a tensor of any library raises its own kind
        require(False, f"the {name} should be one array: are all windows equally long?")
    require(
        part.ndim == 2 and part.shape[1] == width and len(part) > 0,
        f"the {name} should have the shape (windows, {width}), not {part.shape}",
    )
    return part


def _half_scaled(values, known):
    yield values - known.mean(axis=0)
    yield values / known.std(axis=0)


def _standard(part):
    return (part - part.mean(axis=0)) / part.std(axis=0)
