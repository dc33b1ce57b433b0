"""Exercises of lab 03b: a leak, naive forecasts, ridge, quantiles, block bootstrap."""

import contextlib
import io

import keras
import numpy as np
from keras import ops

from course_utils.data.series import cut_windows, load_series, window_pairs
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_03b
from course_utils.lectures.lecture_03b import (
    block_means,
    calendar,
    seasonal_naive,
    trailing_mean,
)


def _mean_of(x, hours, where):
    return np.convolve(x, np.ones(hours) / hours, where)


@exercise(
    "03b.1",
    trailing_mean,
    mistakes=[
        (lambda x, h: _mean_of(x, h, "same"), "a centred mean uses later hours: the leak"),
        (lambda x, h: _mean_of(x, h, "full")[: len(x)], "the first means lack values: begin at "
         "step hours − 1"),
        (lambda x, h: _mean_of(x, h, "full"), "only whole windows: steps − hours + 1 values"),
        (lambda x, h: trailing_mean(x, h + 1), "each mean covers `hours` values, not one more"),
        (lambda x, h: trailing_mean(x, h - 1), "each mean is one value short"),
        (lambda x, h: trailing_mean(x, h) * h, "that is the sum: divide by `hours`"),
        (lambda x, h: trailing_mean(x, h)[1:], "the first mean is missing"),
        (lambda x, h: trailing_mean(x, h)[:-1], "the last mean is missing: it ends with x[-1]"),
        (lambda x, h: x[: len(x) // h * h].reshape(-1, h).mean(axis=1), "the windows overlap"),
        (lambda x, h: np.array([np.median(w) for w in
         np.lib.stride_tricks.sliding_window_view(x, h)]), "the mean, not the median"),
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
        (lambda w, h, p: np.repeat(w[:, -p][:, None], h, axis=1), "move along: each hour has "
         "its own, one period earlier"),
        (lambda w, h, p: w[:, -p:][:, :h], "a long horizon: repeat the period"),
        (_repeated(lambda p: slice(-p - 1, -1)), "off by one: hour t+1 is like t + 1 − period"),
        (lambda w, h, p: w[:, -p:][:, ::-1][:, np.arange(h) % p], "backwards: t+1 comes first"),
        (_repeated(lambda p: slice(0, p)), "the last period counts, not the first"),
        (lambda w, h, p: np.tile(w[:, -p:], (1, h)), "return `horizon` hours, not more"),
        (lambda w, h, p: seasonal_naive(w, h, p)[0], "one forecast for each window"),
        (lambda w, h, p: w[:, -h:], "go back by the period, not by the horizon"),
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


def _turns(hours=24, days=365.25, order=(0, 1, 2, 3), turn=2 * np.pi, start=0):
    def tell(times):
        date = times.astype("datetime64[D]")
        hour = (times - date).astype(int) / hours
        day = ((date - times.astype("datetime64[Y]")).astype(int) + start) / days
        columns = [f(turn * part) for part in (hour, day) for f in (np.sin, np.cos)]
        return np.column_stack([columns[k] for k in order])

    return tell


@exercise(
    "03b.4",
    calendar,
    mistakes=[
        (_turns(hours=23), "a day has 24 hours: hour 23 is not hour 0"),
        (_turns(days=365), "divide the day of the year by 365.25"),
        (_turns(hours=1, days=1), "divide by 24 and by 365.25: one turn a day, one a year"),
        (_turns(turn=1), "a whole turn is 2π"),
        (_turns(turn=np.pi), "a whole turn is 2π, not π"),
        (_turns(turn=360), "NumPy's sine takes radians: 2π for a whole turn"),
        (_turns(start=1), "the first day of the year is day 0"),
        (_turns(order=(1, 0, 3, 2)), "sine first, then cosine"),
        (_turns(order=(2, 3, 0, 1)), "the hour of the day comes first"),
        (_turns(order=(0, 2, 1, 3)), "the order: sine and cosine of the hour, then of the day"),
        (_turns(order=(0, 1)), "the day of the year is missing"),
        (_turns(order=(0, 2)), "sine alone cannot tell morning from evening: cosine, too"),
        (lambda times: calendar(times).T, "(hours, 4): one row an hour"),
        (lambda times: calendar(times)[:, :2] * 0, "the angles are all zero: check your units"),
    ],
    takes=6,
    level=2,
    hints=[
        'times.astype("datetime64[D]") is the day; the difference is the hour, as timedelta.',
        '(days - times.astype("datetime64[Y]")).astype(int) is the day of the year.',
    ],
    reasoning="On a circle, hour 23 and hour 0 are neighbours; as numbers they are far apart.",
    solved="Known for every future hour, and free: the first inputs to add.",
)
def _times(draw):
    start = np.datetime64("2023-06-30T05", "h")
    yield start + np.arange(0, 50, 7)
    yield np.datetime64("2024-01-01T00", "h") + draw.integers(0, 8784, size=6)


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
        (fitted(constant=True), "fit without a constant: no change in, no change out"),
        (fitted(penalty=0), "the penalty is missing: λI with λ = strength"),
        (lambda i, t, n, s: np.linalg.inv(0 * i.T @ i), "F has a column of zeros: add λI"),
        (lambda i, t, n, s: i - i[:, -1], "subtract by row: `inputs[:, -1:]`"),
    ],
    takes=8,
    level=3,
    hints=["F = inputs - inputs[:, -1:]; what is Y?", "What is subtracted has to come back."],
    reasoning="With changes in and out, 10 °C more in is 10 °C more out.",
    solved="What is subtracted comes back: the level never has to be learned.",
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


@exercise(
    "03b.5",
    lecture_03b.pinball_loss,
    mistakes=[
        (pinball(lambda q, d: ops.abs(d)), "that is the absolute error: it aims at the median"),
        (pinball(lambda q, d: d**2), "that is the squared error: it aims at the mean"),
        (
            pinball(lambda q, d: ops.maximum((1 - q) * d, -q * d)),
            "q and 1 − q are swapped, or forecast and target",
        ),
        (pinball(lambda q, d: q * d), "below the forecast the weight is 1 − q"),
        (pinball(lambda q, d: ops.maximum(q * d, (1 - q) * d)), "below, it is (1 − q)·(f − y)"),
        (pinball(lambda q, d: ops.maximum(q * d, 0)), "errors below the forecast count, too"),
        (pinball(_tilted, mean=ops.sum), "the mean over all, not the sum"),
        (pinball(lambda q, d: 2 * _tilted(q, d)), "twice too large"),
        (lambda quantiles: lecture_03b.pinball_loss(quantiles[:1]), "use all the quantiles"),
    ],
    takes=6,
    level=3,
    hints=[
        "targets[:, :, None] - forecasts has the shape (batch, horizon, quantiles).",
        "ops.maximum(q * difference, (q - 1) * difference) is the right one of both cases.",
    ],
    reasoning="Being too low costs q, too high 1 − q: balanced where a share q lies below.",
    solved="One line turns any network into a forecaster of intervals.",
    run=lambda answer, quantiles, y, f: float(
        answer(quantiles)(ops.convert_to_tensor(y), ops.convert_to_tensor(f))
    ),
)
def _forecasts(draw):
    for quantiles in ([0.2], [0.1, 0.9], [0.05, 0.3, 0.7]):
        shape = 3, 4, len(quantiles)
        yield (
            quantiles,
            draw.normal(size=shape[:2]).astype("float32"),
            draw.normal(size=shape).astype("float32"),
        )


def _covers(train, data):
    """Train as the student does; True where 75 to 85 % of the validation targets are inside."""
    if train is lecture_03b.train_quantiles:  # trained in the tests, not at every check
        return True
    model = train(data)
    require(isinstance(model, keras.Model), "return the trained model")
    shape = model.output_shape
    require(shape == (None, 24, 2), f"two quantiles for 24 hours, (batch, 24, 2), not {shape}")
    low, high = np.moveaxis(model.predict(data.val.inputs, verbose=0), -1, 0)
    require((low <= high).mean() > 0.99, "quantile 0.1 comes first, then 0.9")
    inside = lecture_03b.coverage(model, data.val)
    require(
        0.75 <= inside <= 0.85,
        f"{inside:.0%} of the validation targets lie between the two; 75 to 85 % are asked. "
        "Is the loss pinball_loss([0.1, 0.9])? Then train longer, or change the learning rate.",
    )
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
    solved="A forecast without an interval hides what it does not know.",
    run=_covers,
    limit=300,
)
def _weather(draw):
    with contextlib.redirect_stdout(io.StringIO()):  # the lab has said what it loads
        data = cut_windows(load_series(), lecture_03b.HOURS, lecture_03b.HORIZON)
    yield (data,)


@exercise(
    "03b.7",
    block_means,
    mistakes=[
        (lambda v, s, b: v[s].mean(axis=1), "each start stands for a block of `block` steps"),
        (lambda v, s, b: block_means(v, s, b + 1), "a block has `block` steps, not one more"),
        (lambda v, s, b: block_means(v, s, b - 1), "a block has `block` steps, not one less"),
        (lambda v, s, b: block_means(v, s, b).mean(), "one mean for each resample"),
        (
            lambda v, s, b: v[s[:, :, None] + np.arange(b)].mean(axis=2),
            "the mean runs over all blocks of a resample",
        ),
        (lambda v, s, b: block_means(v, s, b) * b * s.shape[1], "that is the sum: the mean"),
        (lambda v, s, b: block_means(v, s * b, 1), "a start is a step, not a block's number"),
        (lambda v, s, b: v[s[:, :, None] + np.arange(b)].mean(axis=(0, 1)), "axes 1 and 2"),
    ],
    takes=6,
    level=3,
    hints=[
        "starts[:, :, None] + np.arange(block) are all steps.",
        "Average over axes 1 and 2.",
    ],
    reasoning="Neighbouring hours err alike; whole blocks keep that, single hours would not.",
    solved="Resampled by the hour, the interval would be several times too narrow.",
)
def _blocks(draw):
    for steps, resamples, blocks, block in ((20, 3, 2, 4), (50, 5, 4, 7)):
        starts = draw.integers(
            0, (steps - block) // max(blocks, block), size=(resamples, blocks)
        )
        starts[0, 0] = 1
        yield draw.normal(size=steps), starts, block
