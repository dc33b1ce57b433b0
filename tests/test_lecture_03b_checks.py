"""The checks of lab 03b: solutions pass, stubs are unsolved, mistakes are explained."""

import numpy as np
import pytest

from course_utils import checks


def windows(x, length, horizon, seam=0, missing=0, step=1):
    starts = range(0, len(x) - length - horizon + 1 - missing - max(seam, 0), step)
    begin = length + seam
    return (
        np.stack([x[s : s + length] for s in starts]),
        np.stack([x[s + begin : s + begin + horizon] for s in starts]),
    )


def scaled(values, hours):
    return (values - values[:hours].mean(axis=0)) / values[:hours].std(axis=0)


def by_parts(values, hours):
    parts = values[:hours], values[hours:]
    return np.concatenate([(part - part.mean(axis=0)) / part.std(axis=0) for part in parts])


def fitted(inputs, targets, new, *, x=True, y=True, new_x=True, back="new"):
    """The solution, or one with something left out."""
    last, new_last = inputs[:, -1:], new[:, -1:]
    weights = np.linalg.lstsq(inputs - x * last, targets - y * last, rcond=None)[0]
    base = {"new": new_last, "old": last[-1], "none": 0.0}[back]
    return base + (new - new_x * new_last) @ weights


def in_place(inputs, targets, new):
    last, new_last = inputs[:, -1:], new[:, -1:]
    inputs -= last
    targets -= last
    new -= new_last
    return new @ np.linalg.lstsq(inputs, targets, rcond=None)[0] + new_last


def with_a_constant(inputs, targets, new):
    moved, new_moved = (np.insert(x - x[:, -1:], 0, 1, axis=1) for x in (inputs, new))
    weights = np.linalg.lstsq(moved, targets - inputs[:, -1:], rcond=None)[0]
    return new[:, -1:] + new_moved @ weights


def own_last(inputs, targets, new):
    shifted = targets - targets[:, -1:] + inputs[:, -1:]
    return fitted(inputs, shifted, new)


def error(forecasts, targets, deviation):
    return deviation * np.abs(forecasts - targets).mean(axis=0)


SOLUTIONS = {
    "03b.1": lambda x, t: x[t - 23 : t + 1],
    "03b.2": windows,
    "03b.3": scaled,
    "03b.4": fitted,
    "03b.5": error,
}

WRONG = [
    ("03b.1", lambda x, t: x[t + 1 : t + 25], "the answer itself"),
    ("03b.1", lambda x, t: np.repeat(x[t], 24), "repeats the last value"),
    ("03b.1", lambda x, t: np.repeat(x[t - 24], 24), "move along"),
    ("03b.1", lambda x, t: np.repeat(x[t - 23], 24), "move along"),
    ("03b.1", lambda x, t: x[t - 24 : t], "off by one"),
    ("03b.1", lambda x, t: x[t - 22 : t + 2], "the future"),
    ("03b.1", lambda x, t: x[-24:], "end of the whole series"),
    ("03b.1", lambda x, t: x[t - 47 : t - 23], "two days back"),
    ("03b.1", lambda x, t: x[t - 23 : t + 1][::-1], "backwards"),
    ("03b.1", lambda x, t: x[t - 24], "shape"),
    ("03b.1", lambda x, t: x[t - 24 : t + 1], "shape"),
    ("03b.1", lambda x, t: x[:24], "t + k - 24"),
    ("03b.2", lambda x, w, h: windows(x, w, h, seam=-1), "a leak"),
    ("03b.2", lambda x, w, h: windows(x, w, h, seam=1), "an hour is missing"),
    ("03b.2", lambda x, w, h: windows(x, w, h, missing=1), "the last window is missing"),
    ("03b.2", lambda x, w, h: [p[1:] for p in windows(x, w, h)], "the first window"),
    ("03b.2", lambda x, w, h: windows(x, w, h, step=w), "an hour after the one before"),
    ("03b.2", lambda x, w, h: windows(x, w, h)[0], "two arrays"),
    ("03b.2", lambda x, w, h: windows(x, w, h)[::-1], "shape"),
    ("03b.2", lambda x, w, h: (windows(x, w, h)[0], windows(x, w, h)[1][1:]), "needs both"),
    ("03b.2", lambda x, w, h: ([[1.0], [1.0, 2.0]], [[1.0]]), "equally long"),
    ("03b.2", lambda x, w, h: [part[::-1] for part in windows(x, w, h)], "window k"),
    ("03b.3", lambda v, n: (v - v.mean(axis=0)) / v.std(axis=0), "a leak"),
    ("03b.3", lambda v, n: (v - v[:n].mean()) / v[:n].std(), "one mean for all columns"),
    ("03b.3", lambda v, n: v - v[:n].mean(axis=0), "half done"),
    ("03b.3", lambda v, n: v / v[:n].std(axis=0), "half done"),
    ("03b.3", lambda v, n: (v - v[:n].mean(axis=0)) / v[:n].var(axis=0), "variance"),
    ("03b.3", by_parts, "scale of its own"),
    ("03b.3", lambda v, n: scaled(v.T, None).T, "each hour by its own"),
    ("03b.3", lambda v, n: np.concatenate([scaled(v, n)[:n], v[n:]]), "not scaled yet"),
    ("03b.3", lambda v, n: v * np.nan, "finite"),
    ("03b.3", lambda v, n: scaled(v, n)[:n], "shape"),
    ("03b.3", lambda v, n: v * 0, "column by column"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, back="none"), "that is the change"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, back="none", y=False), "must change too"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, y=False), "the target must change"),
    (
        "03b.4",
        lambda i, t, n: fitted(i, t, n, x=False, y=False, new_x=False, back="none"),
        "levels in",
    ),
    # The last value is one of the inputs, so this gives the same as levels throughout.
    ("03b.4", lambda i, t, n: fitted(i, t, n, x=False, new_x=False), "levels in"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, x=False), "the inputs must change"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, new_x=False), "like those that were fitted"),
    ("03b.4", lambda i, t, n: fitted(i, t, n, back="old"), "each its own"),
    ("03b.4", in_place, "is a view"),
    ("03b.4", with_a_constant, "has a constant"),
    ("03b.4", own_last, "hour t"),
    ("03b.4", lambda i, t, n: n[:, :3], "10 higher"),
    ("03b.4", lambda i, t, n: n, "shape"),
    ("03b.5", lambda f, t, d: d * np.abs((f - t).mean(axis=0)), "signs cancelled"),
    ("03b.5", lambda f, t, d: d * (f - t).mean(axis=0), "no absolute value"),
    ("03b.5", lambda f, t, d: np.abs(f - t).mean(axis=0), "scaled units"),
    ("03b.5", lambda f, t, d: np.abs(f - t).mean(axis=0) / d, "divided"),
    ("03b.5", lambda f, t, d: d * np.abs(f - t).mean(), "axis=0"),
    ("03b.5", lambda f, t, d: d * np.abs(f - t).mean(axis=1), "over the windows"),
    ("03b.5", lambda f, t, d: d * ((f - t) ** 2).mean(axis=0), "mean square"),
    ("03b.5", lambda f, t, d: d * np.sqrt(((f - t) ** 2).mean(axis=0)), "root"),
    ("03b.5", lambda f, t, d: d * np.abs(f).mean(axis=0), "deviation ·"),
    ("03b.5", lambda f, t, d: d * np.abs(f - t).sum(axis=0), "the sum"),
    ("03b.5", lambda f, t, d: [[1.0], [1.0, 2.0]], "array of numbers"),
    ("03b.5", lambda f, t, d: f[:3], "shape"),
]


def test_strict_raises(monkeypatch):
    monkeypatch.setenv("COURSE_STRICT", "1")
    with pytest.raises(AssertionError, match="the answer itself"):
        checks.check("03b.1", lambda x, t: x[t + 1 : t + 25])
