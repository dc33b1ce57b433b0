"""Exercises of lab 03b: forecasting."""

import numpy as np

from course_utils.data.series import window_pairs
from course_utils.exercises import exercise
from course_utils.lectures import lecture_03b
from course_utils.lectures.lecture_03b import error_by_hour, scaled, yesterday_path


@exercise(
    "03b.1",
    yesterday_path,
    mistakes=[
        (lambda x, t: x[t + 1 : t + 25], "that is the answer itself: an error of 0 is a leak"),
        (lambda x, t: x[t : t + 24], "from t + 1 on that is the future: go one day back"),
        (lambda x, t: np.repeat(x[t], 24), "that repeats the last value; yesterday has 24"),
        (lambda x, t: np.repeat(x[t - 24], 24), "one value for all hours: move along with k"),
        (lambda x, t: x[t - 24 : t], "off by one: a day before t + 24 is t itself"),
        (lambda x, t: x[t - 22 : t + 2], "off by one: your last value is of t + 1, the future"),
        (lambda x, t: x[t - 24 : t + 1], "these are 25 values: start at t + 1 - 24"),
        (lambda x, t: x[t - 23 : t], "these are 23 values: the last one, x[t], is missing"),
        (lambda x, t: x[t - 23 : t + 1][::-1], "backwards: the first value is for hour t + 1"),
        (lambda x, t: x[-24:], "that is the end of the whole series: the future at hour t"),
        (lambda x, t: x[t - 24], "return one value for each of 24 hours"),
    ],
    takes=3,
    level=1,
    hints=["Which index is a day before t + 1?", "And which is a day before t + 24?"],
    reasoning="A day before t + k is t + k - 24: from t - 23 for k = 1 to t for k = 24.",
    solved="It costs one line, so no model is worth anything until it beats it.",
)
def walks(draw):
    for hours, t in ((200, 100), (120, 60), (80, 50)):
        yield draw.normal(size=hours).cumsum(), t


def windows(before=0, seam=0, missing=0, step=1):
    """Cut windows with another seam, or with some missing at the start or the end."""

    def cut(x, length, horizon):
        last = len(x) - length - horizon - max(seam, 0) - missing
        starts, begin = range(before, last + 1, step), length + seam
        targets = [x[s + begin : s + begin + horizon] for s in starts]
        return np.stack([x[s : s + length] for s in starts]), np.stack(targets)

    return cut


@exercise(
    "03b.2",
    window_pairs,
    mistakes=[
        (windows(seam=-1), "a leak: the last input hour is the first target, too"),
        (windows(seam=1), "an hour is missing between inputs and targets: after t comes t + 1"),
        (windows(missing=1), "the last window is missing: hours - length - horizon + 1"),
        (windows(before=1), "the first window is missing: its inputs begin with x[0]"),
        (lambda x, n, m: windows(step=n + m)(x, n, m), "windows overlap, by all but an hour"),
        (lambda x, n, m: window_pairs(x, n, m)[::-1], "inputs first, then targets"),
        (lambda x, n, m: window_pairs(x, n, m)[0], "return two arrays, inputs and targets"),
        (lambda x, n, m: window_pairs(x, m, n), "length is that of the inputs"),
        (lambda x, n, m: windows(missing=1 - m)(x, n, m), "the last windows run over the end"),
    ],
    takes=6,
    level=2,
    hints=["The first inputs are x[0:length].", "Where does the last window begin?"],
    reasoning="Window k has inputs k … k + length - 1; its targets begin one hour later.",
    solved="The seam between inputs and targets is where most leaks are.",
)
def series(draw):
    for hours, length, horizon in ((8, 3, 2), (40, 6, 1), (40, 30, 7)):
        yield draw.normal(size=hours), length, horizon


def standard(part, known, axis=0, spread=None):
    return (part - known.mean(axis)) / (known if spread is None else spread).std(axis)


@exercise(
    "03b.3",
    scaled,
    mistakes=[
        (lambda v, n: standard(v, v), "a leak: mean and deviation come from the training part"),
        (lambda v, n: standard(v, v[n:]), "that is the scale of the hours after training"),
        (lambda v, n: standard(v, v[:n], None), "each column needs its own mean: axis=0"),
        (lambda v, n: v - v[:n].mean(axis=1), "the mean runs over the hours, axis=0"),
        (lambda v, n: standard(v, v[:n], spread=v), "a leak: the deviation knows all hours"),
        (lambda v, n: standard(v, v, spread=v[:n]), "a leak: the mean knows all hours"),
        (lambda v, n: v - v[:n].mean(axis=0), "half done: divide by the deviation, too"),
        (lambda v, n: v / v[:n].std(axis=0), "half done: subtract the mean, too"),
        (lambda v, n: (v - v[:n].mean(axis=0)) / v[:n].var(axis=0), "that is the variance"),
        (lambda v, n: np.vstack([standard(w, w) for w in (v[:n], v[n:])]), "use one scale"),
        (lambda v, n: np.concatenate([scaled(v, n)[:n], v[n:]]), "scale the later hours, too"),
        (lambda v, n: scaled(v, n)[:n], "return all hours, not only the training part"),
    ],
    takes=4,
    level=1,
    hints=["Which hours may the mean know?", "Which axis do mean and deviation run over?"],
    reasoning="The scale is a parameter: it is fitted on the training part, column by column.",
    solved="A scale is a parameter too: it is learned from the training part.",
    equal=lambda given, right: (
        np.shape(given) == right.shape
        and any(np.allclose(given, c * right, 1e-4, 1e-5) for c in (1, np.sqrt(39 / 40)))
    ),
)
def tables(draw):
    values = draw.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [5.0, 100.0, -2.0]
    values[40:] += [3.0, 40.0, 1.0]
    yield values, 40


def fitted(x=-1, y=-1, new=-1, back=-1, constant=False, penalty=1, own=False):
    """Fit with other anchors: the place of the hour that is subtracted, None for none."""

    def at(array, place):
        if place == "mean":
            return array.mean(axis=1, keepdims=True)
        return 0 if place is None else array[:, place : place + 1 or None]

    def forecast(inputs, targets, later, strength):
        F, Y = inputs - at(inputs, x), targets - at(targets if own else inputs, y)
        G = later - at(later, new)
        if constant:
            F, G = np.insert(F, 0, 1, axis=1), np.insert(G, 0, 1, axis=1)
        held = penalty * strength * np.eye(F.shape[1])
        weights = np.linalg.pinv(F.T @ F + held) @ F.T @ Y
        return (inputs[-1, -1] if back == "old" else at(later, back)) + G @ weights

    return forecast


VIEW = "`inputs[:, -1:]` is a view: after `inputs -= …` it holds zeros"


@exercise(
    "03b.4",
    lecture_03b.forecast_by_changes,
    mistakes=[
        (fitted(back=None), "that is the change: add the last value of each new window"),
        (fitted(y=None), f"the targets are levels: subtract the last input hour; {VIEW}"),
        (fitted(y=None, back=None), f"subtract the last input hour, and add it again; {VIEW}"),
        (fitted(None, None, None, None), "levels in, levels out: fit changes on changes"),
        (fitted(None, -1, None), "the inputs must be changes, too: subtract the last value"),
        (fitted(x=None), "the inputs that are fitted must be changes, too"),
        (fitted(new=None), "subtract the last values of the new windows, too"),
        (fitted(back="old"), "add the last values of the new windows, each its own"),
        (fitted(0, 0, 0, 0), "subtract the last hour of each window, not the first"),
        (fitted("mean", "mean", "mean", "mean"), "subtract the last hour, not the mean"),
        (fitted(own=True), "subtract from the targets the last hour of their inputs, hour t"),
        (fitted(constant=True), "fit without a constant: no change in, no change out"),
        (fitted(penalty=0), "the penalty is missing: λI with λ = strength"),
        (lambda i, t, n, s: np.linalg.inv(0 * i.T @ i), "F has a column of zeros: add λI"),
        (lambda i, t, n, s: i - i[:, -1], "subtract by row: `inputs[:, -1:]`"),
    ],
    takes=10,
    level=3,
    hints=["F = inputs - inputs[:, -1:]; what is Y?", "What is subtracted has to come back."],
    reasoning="With changes in and out, 10 °C more in is 10 °C more out.",
    solved="What is subtracted comes back: the level never has to be learned.",
)
def levels(draw):
    x = draw.normal(size=400).cumsum() + 10 * np.sin(np.arange(400) / 4) + 50
    inputs, targets = window_pairs(x, 6, 3)
    yield inputs[:300], targets[:300], inputs[350:] + 7.0, 50.0


@exercise(
    "03b.5",
    error_by_hour,
    mistakes=[
        (lambda f, t, d: d * np.abs((f - t).mean(axis=0)), "np.abs before the mean"),
        (lambda f, t, d: d * (f - t).mean(axis=0), "too high and too low cancel: use np.abs"),
        (lambda f, t, d: np.abs(d * f - t).mean(axis=0), "scale the difference, not one part"),
        (lambda f, t, d: error_by_hour(f, t, 1), "that is in scaled units, not in degrees"),
        (lambda f, t, d: error_by_hour(f, t, 1 / d), "multiply by the deviation"),
        (lambda f, t, d: error_by_hour(f, t, d).mean(), "one error per hour: axis=0"),
        (lambda f, t, d: error_by_hour(f.T, t.T, d), "the mean runs over the windows, axis=0"),
        (lambda f, t, d: d * ((f - t) ** 2).mean(axis=0), "that is the mean square, not in °C"),
        (lambda f, t, d: d * ((f - t) ** 2).mean(axis=0) ** 0.5, "that is a root mean square"),
        (lambda f, t, d: len(f) * error_by_hour(f, t, d), "that is the sum over the windows"),
    ],
    takes=4,
    level=1,
    hints=["First the absolute value, then the mean.", "Over which axis does the mean run?"],
    reasoning="In a difference the mean of the scale cancels; only the deviation is left.",
    solved="One number hides the day: hour 1 and hour 24 are different problems.",
)
def forecasts(draw):
    yield draw.normal(size=(50, 24)), draw.normal(size=(50, 24)), 9.18
