"""Ridge regression on windows of a series: the baseline of the forecasting lab."""

from __future__ import annotations

import numpy as np

from course_utils.data import cut_windows, training_scale


def ridge(features, targets, strength):
    """Weights (1 + features, targets) of ridge regression (Hoerl and Kennard, 1970).

    features: (examples, features). targets: (examples, targets). The first row of the weights
    is a constant, which is not held small.
    """
    F = np.column_stack([np.ones(len(features)), features]).astype("float64")
    held = strength * np.eye(F.shape[1])
    held[0, 0] = 0.0
    return np.linalg.solve(F.T @ F + held, F.T @ targets.astype("float64"))


def ridge_error(series, columns, change, strengths=(1.0, 1e2, 1e4), length=96, horizon=24):
    """Mean absolute error of the best ridge on the validation part, in the target's unit.

    columns: what is read, the target among them. change: True to predict the change from the
    last value, False for the level. strengths: tried one by one; the best one counts.
    """
    data = cut_windows(series, length, horizon, columns)
    mean, deviation = training_scale(series, columns)
    place, parts = list(columns).index(series.target), {}
    for name in ("train", "val"):
        part = data.split(name)
        last = part.inputs[:, -1:, :]
        x = (part.inputs - (last if change else mean)) / deviation
        base = last[:, :, place] if change else mean[place]
        parts[name] = x.reshape(len(part), -1), base, part.targets
    x, base, targets = parts["train"]
    fits = [ridge(x, (targets - base) / deviation[place], held) for held in strengths]
    x, base, targets = parts["val"]
    steps = [deviation[place] * (x @ weights[1:] + weights[0]) for weights in fits]
    return min(float(np.abs(base + step - targets).mean()) for step in steps)
