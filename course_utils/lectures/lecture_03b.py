"""Forecasting: ridge regression on windows of a series, and the answers to the lab's exercises.

Shapes: windows (windows, hours) end with hour t, targets (windows, horizon) begin at t+1.
"""

import numpy as np
from sklearn.linear_model import Ridge

from course_utils.data.series import cut_windows, training_scale


def ridge(features, targets, strength):
    """Weights (1 + features, targets) of ridge regression (Hoerl and Kennard, 1970).

    features: (examples, features). targets: (examples, targets). The first row, a constant, is
    not held small.
    """
    F = np.column_stack([np.ones(len(features)), features]).astype("float64")
    held = strength * np.eye(F.shape[1])
    held[0, 0] = 0.0
    return np.linalg.solve(F.T @ F + held, F.T @ targets.astype("float64"))


def ridge_error(series, columns, change):
    """Mean absolute error of ridge regression on the validation part, in the target's unit.

    96 hours are read, 24 are forecast; the best of three strengths counts. columns: what is
    read, the target among them. change: predict the change from the last value, not the level.
    """
    data = cut_windows(series, 96, 24, columns)
    mean, deviation = training_scale(series, columns)
    target, parts = list(columns).index(series.target), {}
    for name in ("train", "val"):
        part = data.split(name)
        last = part.inputs[:, -1:, :]
        x = (part.inputs - (last if change else mean)) / deviation
        base = last[:, :, target] if change else mean[target]
        y = (part.targets - base) / deviation[target]
        parts[name] = x.reshape(len(part), -1), y
    x, y = parts["val"]
    fits = [Ridge(strength).fit(*parts["train"]) for strength in (1.0, 1e2, 1e4)]
    return min(float(deviation[target] * np.abs(fit.predict(x) - y).mean()) for fit in fits)


def yesterday_path(x, t):
    """Return the forecast for the hours t+1 … t+24: each as the same hour one day before.

    x: a whole series (hours,), its future included. t: the hour it is now, at least 23.
    Returns an array (24,).
    """
    return x[t - 23 : t + 1]


def scaled(values, training_hours):
    """Return all hours, each column scaled to mean 0 and deviation 1 of the training part.

    values: (hours, columns). training_hours: how many of the first hours are for training.
    """
    known = values[:training_hours]
    return (values - known.mean(axis=0)) / known.std(axis=0)


def forecast_by_changes(inputs, targets, new_inputs, strength):
    """Fit ridge regression, without a constant, to changes from the last value, and forecast.

    inputs: (windows, length). targets: (windows, horizon). new_inputs: (others, length).
    strength: λ in w = (FᵀF + λI)⁻¹ FᵀY.

    Returns levels (others, horizon), not changes.
    """
    F, Y = inputs - inputs[:, -1:], targets - inputs[:, -1:]
    weights = np.linalg.solve(F.T @ F + strength * np.eye(F.shape[1]), F.T @ Y)
    return new_inputs[:, -1:] + (new_inputs - new_inputs[:, -1:]) @ weights


def error_by_hour(forecasts, targets, deviation):
    """Return the mean absolute error for each hour ahead in degrees, (24,).

    forecasts, targets: scaled, (windows, 24). deviation: how many degrees one unit is.
    """
    return deviation * np.abs(forecasts - targets).mean(axis=0)
