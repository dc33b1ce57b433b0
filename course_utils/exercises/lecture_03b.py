"""Exercises of lab 03b: a leak, naive forecasts, ridge, quantiles, block bootstrap."""

import contextlib
import dataclasses
import io

import keras
import numpy as np
from keras import ops
from sklearn.linear_model import Ridge

from course_utils.data.series import cut_windows, load_series, window_pairs
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_03b
from course_utils.lectures.lecture_03b import (
    block_means,
    calendar,
    seasonal_naive,
    trailing_mean,
)


def _mean_of(x, hours, where="valid"):
    return np.convolve(x, np.ones(hours) / hours, where)


@exercise(
    "03b.1",
    trailing_mean,
    mistakes=[
        (lambda x, h: _mean_of(x, h, "same"), "a centred mean uses later hours: the leak"),
        (lambda x, h: _mean_of(x, h, "same")[h - 1 :], "a centred mean uses later hours"),
        (lambda x, h: _mean_of(x, h, "full")[: len(x)], "the first means lack values: begin at "
         "step hours − 1"),
        (lambda x, h: _mean_of(x, h, "full"), "only whole windows: steps − hours + 1 values"),
        (lambda x, h: [x[max(0, t + 1 - h) : t + 1].mean() for t in range(len(x))],
         "leave out the first hours − 1 steps, whose means lack values"),
        (lambda x, h: np.append(np.full(h - 1, np.nan), trailing_mean(x, h)),
         "leave out the first hours − 1 steps; do not fill them"),
        (lambda x, h: _mean_of(x[:-1], h - 1), "the present value counts, too"),
        (lambda x, h: trailing_mean(x, h) * h / (h - 1), "divide by hours, not by hours − 1"),
        (lambda x, h: trailing_mean(x, 7), "`hours` is an argument: do not write 7"),
        (lambda x, h: x[-h:].mean(), "one mean for every step, not the last alone"),
        (lambda x, h: trailing_mean(x, h + 1), "each mean covers `hours` values, not one more"),
        (lambda x, h: trailing_mean(x, h - 1), "each mean is one value short"),
        (lambda x, h: _mean_of(x[1:], h - 1), "each mean is one value short"),
        (lambda x, h: x.cumsum()[h - 1 :] / np.arange(h, len(x) + 1), "`hours` values each"),
        (lambda x, h: trailing_mean(x, h) * h, "that is the sum: divide by `hours`"),
        (lambda x, h: trailing_mean(x, h)[1:], "the first mean is missing"),
        (lambda x, h: trailing_mean(x, h)[:-1], "the last mean is missing: it ends with x[-1]"),
        (lambda x, h: x[: len(x) // h * h].reshape(-1, h).mean(axis=1), "the windows overlap"),
        (lambda x, h: np.median(window_pairs(x, h, 0)[0], axis=1), "the mean, not the median"),
    ],
    takes=5,
    level=2,
    hints=["Which values may the mean at step t use?", 'np.convolve(…, "valid") has no edges.'],
    reasoning="The mean at step t covers t − hours + 1 to t, so the future cannot move it.",
    solved="Change the future and compare: the test finds every leak of this kind.",
)  # fmt: skip
def _series(draw):
    for steps, hours in ((8, 3), (20, 5), (30, 4)):
        yield draw.normal(size=steps).cumsum(), hours


def _repeated(start):
    return lambda w, h, p: w[:, start(p)][:, np.arange(h) % p]


@exercise(
    "03b.2",
    seasonal_naive,
    mistakes=[
        (lambda w, h, p: np.repeat(w[:, -1:], h, axis=1), "that ignores the period"),
        (lambda w, h, p: w[:, [-p] * h], "move along: each hour has its own value"),
        (lambda w, h, p: w[:, -p:][:, :h], "a long horizon: repeat the period"),
        (_repeated(lambda p: slice(-p - 1, -1)), "off by one: hour t+1 is like t + 1 − period"),
        (lambda w, h, p: w[:, -p:][:, (np.arange(h) + 1) % p], "off by one: t+1 comes first"),
        (lambda w, h, p: seasonal_naive(w, h, 24), "`period` is an argument: do not write 24"),
        (lambda w, h, p: w[:, (np.arange(h) - p).clip(max=-1)], "after a period, repeat all"),
        (lambda w, h, p: w[:, -p:][:, ::-1][:, np.arange(h) % p], "backwards: t+1 comes first"),
        (_repeated(lambda p: slice(0, p)), "the last period counts, not the first"),
        (lambda w, h, p: np.tile(w[:, -p:], (1, h)), "return `horizon` hours, not more"),
        (lambda w, h, p: seasonal_naive(w, h, p)[0], "one forecast for each window"),
        (lambda w, h, p: w[:, -h:], "go back by the period, not by the horizon"),
        (lambda w, h, p: w[:, -p:].repeat(-(-h // p), axis=1)[:, :h], "np.tile, not np.repeat"),
        (lambda w, h, p: np.resize(w[:, -p:], (len(w), h)), "np.resize mixes the windows"),
        (lambda w, h, p: w[:, -p:].mean(axis=1, keepdims=True).repeat(h, 1), "values, no mean"),
    ],
    takes=5,
    level=2,
    hints=["windows[:, -period:] is the last period.", "np.arange(horizon) % period repeats."],
    reasoning="For k up to the period the value is known; after it, the same period repeats.",
    solved="Two naive forecasts in one function: period 1 and period 24.",
)  # fmt: skip
def _periods(draw):
    for count, hours, horizon, period in ((2, 6, 5, 3), (3, 30, 7, 24), (3, 9, 4, 1)):
        yield draw.normal(size=(count, hours)), horizon, period


def _turns(order=(0, 1, 2, 3), turn=2 * np.pi, hour=None, day=None):
    """Another calendar: hour, day: the part of the turn, of whole hours since 1970 or dates."""

    def tell(times):
        date = times.astype("datetime64[D]")
        since = (date - times.astype("datetime64[Y]")).astype(int)
        angles = hour(times) if hour else times.astype(int) % 24 / 24
        angles = angles, day(times, since) if day else since / 365.25
        columns = [f(turn * part) for part in angles for f in (np.sin, np.cos)]
        return np.column_stack([columns[k] for k in order])

    return tell


@exercise(
    "03b.4",
    calendar,
    mistakes=[
        (_turns(hour=lambda t: t.astype(int) % 24 / 23), "hour 23 is not hour 0: divide by 24"),
        (_turns(hour=lambda t: (t.astype(int) + 1) / 24), "the first hour of a day is hour 0"),
        (_turns(hour=lambda t: np.arange(len(t)) / 24), "the hour of the day, not the index"),
        (_turns(day=lambda t, day: day / 365), "divide the day of the year by 365.25"),
        (_turns(day=lambda t, day: (day + 1) / 365.25), "the first day of the year is day 0"),
        (_turns(day=lambda t, day: t.astype(int) // 24 / 365.25), "not the days since 1970"),
        (_turns(day=lambda t, day: (day + t.astype(int) / 24 % 1) / 365.25), "whole days only"),
        (_turns(day=lambda t, day: (t - t.astype("M8[M]")).astype(int) // 24 / 365.25),
         "the day of the year, not of the month"),
        (_turns(day=lambda t, day: t.astype("M8[M]").astype(int) / 12), "day, not month"),
        (_turns(hour=lambda t: t.astype(int) % 24, day=lambda t, day: day), "divide by 24 and "
         "by 365.25: one turn a day, one a year"),
        (_turns(turn=1), "a whole turn is 2π"),
        (_turns(turn=np.pi), "a whole turn is 2π, not π"),
        (_turns(turn=360), "NumPy's sine takes radians: 2π for a whole turn"),
        (_turns(order=(1, 0, 3, 2)), "sine first, then cosine"),
        (_turns(order=(2, 3, 0, 1)), "the hour of the day comes first"),
        (_turns(order=(0, 2, 1, 3)), "the order: sine and cosine of the hour, then of the day"),
        (_turns(order=(0, 1)), "the day of the year is missing"),
        (_turns(order=(0, 2)), "sine alone cannot tell morning from evening: cosine, too"),
        (lambda times: calendar(times).T, "(hours, 4): one row an hour"),
    ],
    takes=6,
    level=2,
    hints=[
        'times.astype("datetime64[D]") is the day; the difference is the hour, as timedelta.',
        '(days - times.astype("datetime64[Y]")).astype(int) is the day of the year.',
    ],
    reasoning="On a circle, hour 23 and hour 0 are neighbours; as numbers they are far apart.",
    solved="Known for every future hour, and free: the first inputs to add.",
)  # fmt: skip
def _times(draw):
    start = np.datetime64("2023-06-30T05", "h")
    yield start + np.arange(0, 50, 7)
    yield np.datetime64("2024-01-01T00", "h") + draw.integers(0, 8784, size=6)


def fitted(x=-1, y=-1, new=-1, back=-1, penalty=1, own=False):
    """Fit with other anchors: the place of the hour that is subtracted, None for none."""

    def at(array, place):
        if place == "mean":
            return array.mean(axis=1, keepdims=True)
        return 0 if place is None else array[:, place : place + 1 or None]

    def forecast(inputs, targets, later, strength):
        F, Y = inputs - at(inputs, x), targets - at(targets if own else inputs, y)
        G = later - at(later, new)
        held = penalty * strength * np.eye(F.shape[1])
        weights = np.linalg.pinv(F.T @ F + held) @ F.T @ Y
        return (inputs[-1, -1] if back == "old" else at(later, back)) + G @ weights

    return forecast


def _ridge(change, **options):
    def forecast(inputs, targets, later, strength):
        fit = Ridge(strength, **options).fit(change(inputs), targets - inputs[:, -1:])
        return later[:, -1:] + fit.predict(change(later))

    return forecast


VIEW = "`inputs[:, -1:]` is a view: after `inputs -= …` it holds zeros"


@exercise(
    "03b.3",
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
        (
            _ridge(lambda x: x - x[:, -1:]),
            "fit without a constant: no change in, no change out",
        ),
        (
            _ridge(lambda x: np.c_[x - x[:, -1:], np.ones(len(x))], fit_intercept=False),
            "fit without a column of ones: no change in, no change out",
        ),
        (fitted(penalty=0), "the penalty is missing: λI with λ = strength"),
        (fitted(penalty=50), "add λI, not λ²I"),
        (fitted(penalty=300), "add λI as it is, not times the number of windows"),
        (fitted(penalty=1 / 300), "FᵀF and FᵀY are sums: do not divide by the windows"),
        (_ridge(np.diff, fit_intercept=False), "subtract the last value, not the hour before"),
        (lambda i, t, n, s: np.linalg.inv(0 * i.T @ i), "F has a column of zeros: add λI"),
        (lambda i, t, n, s: i - i[:, -1], "subtract by row: `inputs[:, -1:]`"),
    ],
    takes=8,
    level=3,
    hints=["F = inputs - inputs[:, -1:]; what is Y?", "What is subtracted has to come back."],
    reasoning="With changes in and out, 10 °C more in is 10 °C more out.",
    solved="10 °C more in every input hour give exactly 10 °C more in the forecast.",
)
def levels(draw):
    x = draw.normal(size=400).cumsum() + 10 * np.sin(np.arange(400) / 4) + 50
    inputs, targets = window_pairs(x, 6, 3)
    yield inputs[:300], targets[:300], inputs[350:] + 7.0, 50.0


def pinball(weights, mean=ops.mean):
    """Another loss: weights(q, difference)."""

    def make(quantiles):
        def loss(targets, forecasts):
            q = ops.convert_to_tensor(quantiles, "float32")
            difference = targets[:, :, None] - forecasts
            return mean(weights(q, difference))

        return loss

    return make


def _tilted(q, d):
    return ops.maximum(q * d, (q - 1) * d)


def _number(answer, quantiles, y, f):
    require(callable(loss := answer(quantiles)), "return a function, the loss")
    found = loss(ops.convert_to_tensor(y), ops.convert_to_tensor(f))
    require(ops.is_tensor(found), "compute a tensor with keras.ops: NumPy has no gradients")
    require(found.shape == (), f"one number, the mean over all, not the shape {found.shape}")
    return float(found)


@exercise(
    "03b.5",
    lecture_03b.pinball_loss,
    mistakes=[
        (pinball(lambda q, d: ops.abs(d)), "that is the absolute error: it aims at the median"),
        (pinball(lambda q, d: d**2), "that is the squared error: it aims at the mean"),
        (pinball(lambda q, d: _tilted(q, -d)), "q and 1 − q, or y and f, are swapped"),
        (pinball(lambda q, d: q * d), "below the forecast the weight is 1 − q"),
        (pinball(lambda q, d: ops.maximum(q * d, (1 - q) * d)), "below, it is (1 − q)·(f − y)"),
        (pinball(lambda q, d: ops.maximum(q * d, 0)), "errors below the forecast count, too"),
        (pinball(_tilted, mean=ops.sum), "the mean over all, not the sum"),
        (pinball(lambda q, d: 2 * _tilted(q, d)), "twice too large"),
        (pinball(lambda q, d: ops.where(d > 0, q, 1 - q) * d**2), "differences, no squares"),
        (pinball(lambda q, d: -_tilted(q, -d)), "the larger of the two cases: the maximum"),
        (pinball(lambda q, d: ops.where(d > 0, q, 1 - q) * d), "below, f − y: it is positive"),
        (pinball(_tilted, lambda x: ops.mean(ops.sum(x, -1))), "the mean, not the sum, over q"),
        (lambda q: lecture_03b.pinball_loss(q[:1]), "use all the quantiles"),
        (lambda q: lambda y, f: lecture_03b.pinball_loss(q[-1:])(y, f[:, :, -1:]),
         "use all the quantiles: what the loop finds adds up"),
        (lambda q: lecture_03b.pinball_loss([0.1, 0.5, 0.9]), "use the given quantiles"),
        (lambda q: lambda f, y: lecture_03b.pinball_loss(q)(y, f), "the targets come first"),
        (lambda q: lambda y, f: ops.mean(_tilted(ops.array(q, "float32"), y[:, None] - f)),
         "targets[:, :, None]: a last axis for the quantiles"),
    ],
    takes=6,
    level=3,
    hints=[
        "targets[:, :, None] - forecasts has the shape (batch, horizon, quantiles).",
        "ops.maximum(q * difference, (q - 1) * difference) is the right one of both cases.",
    ],
    reasoning="Being too low costs q, too high 1 − q: balanced where a share q lies below.",
    solved="With one output a quantile, this loss makes any network forecast them.",
    run=_number,
)  # fmt: skip
def _forecasts(draw):
    for quantiles in ([0.2], [0.1, 0.9], [0.05, 0.3, 0.7]):
        shape = 3, 4, len(quantiles)
        y, f = draw.normal(size=shape[:2]), draw.normal(size=shape)
        yield quantiles, y.astype("float32"), f.astype("float32")


def _covers(train, data):
    """Train as the student does; True where 75 to 85 % of the validation targets are inside."""
    if train is lecture_03b.train_quantiles:  # trained in the tests, not at every check
        return True
    few = [
        part.take(slice(None, None, 24)) for part in (data.val, data.test)
    ]  # not to train on
    model = train(dataclasses.replace(data, val=few[0], test=few[1]))
    require(isinstance(model, keras.Model), "return the trained model")
    shape = model.output_shape
    require(shape == (None, 24, 2), f"two quantiles for 24 hours, (batch, 24, 2), not {shape}")
    low, high = np.moveaxis(model.predict(data.val.inputs, verbose=0), -1, 0)
    require((low <= high).mean() > 0.1, "quantile 0.1 comes first, then 0.9")
    inside = lecture_03b.coverage(model, data.val)
    require(
        0.75 <= inside <= 0.85,
        f"{inside:.0%} of the validation targets lie between the two; 75 to 85 % are asked. "
        "Is it data.train and pinball_loss([0.1, 0.9])? Then train it longer.",
    )
    below, above = (data.val.targets < low).mean(), (data.val.targets > high).mean()
    sides = f"{below:.0%} lie below, {above:.0%} above: about 10 % are asked on each side"
    require(abs(below - above) < 0.1, sides)
    require((low <= high).mean() > 0.99, "the two quantiles cross: train longer, on data.train")
    width = float((high - low).mean())
    require(width < 8, f"the interval is {width:.1f} °C wide on average: 7 are enough")
    return True


def untrained(outputs):
    return lambda data: lecture_03b.forecaster(lecture_03b.BODIES["linear"](), 5.0, outputs)


@exercise(
    "03b.6",
    lecture_03b.train_quantiles,
    mistakes=[
        (untrained(1), "two quantiles for 24 hours"),
        (untrained(2), "of the validation targets lie between the two"),
        (lambda data: {}, "return the trained model"),
    ],
    takes=10,
    level=3,
    hints=[
        'forecaster(BODIES["linear"](), scale=5.0, outputs=2) is the network.',
        "Adam(0.003), pinball_loss([0.1, 0.9]), 6 epochs, batches of 64.",
    ],
    reasoning="Each output is drawn to its own quantile; a fifth of the targets stays outside.",
    solved="Check its coverage by season, too, before you promise it.",
    run=_covers,
    limit=300,
)
def _weather(draw):
    with contextlib.redirect_stdout(io.StringIO()):  # the lab has said what it loads
        data = cut_windows(load_series(), lecture_03b.HOURS, lecture_03b.HORIZON)
    yield (data,)


def _steps(starts, block):
    return starts[..., None] + np.arange(block)


def _each(values, starts, block):
    return values[_steps(starts, block)].mean(axis=2)


@exercise(
    "03b.7",
    block_means,
    mistakes=[
        (lambda v, s, b: v[s].mean(axis=1), "each start stands for a block of `block` steps"),
        (lambda v, s, b: block_means(v, s, b + 1), "a block has `block` steps, not one more"),
        (lambda v, s, b: block_means(v, s, b - 1), "a block has `block` steps, not one less"),
        (lambda v, s, b: block_means(v, s + 1, b), "a block begins at its start"),
        (lambda v, s, b: np.array([v[np.unique(_steps(row, b))].mean() for row in s]),
         "a step that is sampled twice counts twice"),
        (lambda v, s, b: block_means(abs(v), s, b), "the values keep their signs"),
        (lambda v, s, b: np.median(v[_steps(s, b)], axis=(1, 2)), "the mean, not a median"),
        (lambda v, s, b: block_means(v, s, b).mean(), "one mean for each resample"),
        (lambda v, s, b: _each(v, s, b), "the mean runs over all blocks of a resample"),
        (lambda v, s, b: np.median(_each(v, s, b), axis=1), "the mean, not the median"),
        (lambda v, s, b: _each(v, s, b).std(axis=1), "the mean, not the spread"),
        (lambda v, s, b: _each(v, s, b)[:, 0], "all blocks, not the first alone"),
        (lambda v, s, b: _each(v, s - b + 1, b).mean(axis=1), "a block runs forward"),
        (lambda v, s, b: block_means(v, s, b) * b * s.shape[1] / len(v), "divide by the "
         "number of resampled steps, not by the length of the series"),
        (lambda v, s, b: block_means(v, s, b) * b * s.shape[1], "that is the sum: the mean"),
        (lambda v, s, b: block_means(v, s * b, b), "a start is a step, not a block's number"),
        (lambda v, s, b: _each(v, s, b).mean(axis=0), "average over blocks, not resamples"),
    ],
    takes=6,
    level=3,
    hints=["starts[:, :, None] + np.arange(block) are all steps.", "Average over axes 1, 2."],
    reasoning="Neighbouring hours err alike; whole blocks keep that, single hours would not.",
    solved="Resampled by the hour, the interval would be several times too narrow.",
)  # fmt: skip
def _blocks(draw):
    for steps, resamples, blocks, block in ((20, 3, 2, 4), (50, 5, 4, 7)):
        starts = draw.integers(0, (steps - block) // block, size=(resamples, blocks))
        starts[0, 0] = 1
        yield draw.normal(size=steps), starts, block
