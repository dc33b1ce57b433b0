"""Exercises of lab 03b: a leak, naive forecasts, ridge, quantiles, block bootstrap."""

import dataclasses

import keras
import numpy as np
from keras import layers, ops

from course_utils.checks import kept_back, predicted, vectors, watched_training
from course_utils.exercises import exercise, require
from lectures import lecture_03b
from lectures.lecture_03b import seasonal_naive, trailing_mean
from lectures.lecture_03b.series import cut_windows, load_series, window_pairs


@exercise(
    "03b.1",
    trailing_mean,
    mistakes=[
        ('"valid"', '"same"', "a centred mean uses later hours: the leak"),
        ('"valid")', '"full")[: len(x)]', "the first means lack values: begin at "
         "step hours − 1"),
        ('"valid"', '"full"', "only whole windows: steps − hours + 1 values"),
        (lambda x, h: [x[max(0, t + 1 - h) : t + 1].mean() for t in range(len(x))],
         "leave out the first hours − 1 steps, whose means lack values"),
        (lambda x, h: np.append(np.full(h - 1, np.nan), trailing_mean(x, h)),
         "leave out the first hours − 1 steps; do not fill them"),
        ("/ hours", "/ (hours - 1)", "divide by hours, not by hours − 1"),
        (lambda x, h: x[-h:].mean(), "one mean for every step, not the last alone"),
        (lambda x, h: trailing_mean(x, h + 1), "each mean covers `hours` values, not one more"),
        (lambda x, h: trailing_mean(x, h - 1), "each mean is one value short"),
        (" / hours", "", "that is the sum: divide by `hours`"),
        (lambda x, h: trailing_mean(x, h)[1:], "the first mean covers x[0] … x[hours − 1]"),
        (lambda x, h: trailing_mean(x, h)[:-1], "the last mean covers the last `hours` values"),
        (lambda x, h: x[: len(x) // h * h].reshape(-1, h).mean(axis=1), "the windows overlap"),
    ],
    takes=5,
    level=2,
    hints=["Which values may the mean at step t use?", 'np.convolve(…, "valid") has no edges.'],
    reasoning="The mean at step t covers t − hours + 1 to t, so the future cannot move it.",
    compares="the means",
    solved="Change the future and compare: the test finds every leak of this kind.",
)  # fmt: skip
def _series(draw):
    for steps, hours in ((8, 3), (20, 5), (30, 4), (9, 2), (7, 7)):
        yield draw.normal(size=steps).cumsum(), hours


@exercise(
    "03b.2",
    seasonal_naive,
    mistakes=[
        (lambda w, h, p: seasonal_naive(w, h, 1), "that ignores the period"),
        (lambda w, h, p: w[:, [-p] * h], "move along: each hour has its own value"),
        (lambda w, h, p: w[:, -p:][:, :h], "a long horizon: repeat the period"),
        ("-period:", "-period - 1 : -1", "off by one: hour t+1 is like t + 1 − period"),
        ("np.arange(horizon)", "(np.arange(horizon) + 1)", "off by one: t+1 comes first"),
        (lambda w, h, p: seasonal_naive(w, h, 24), "`period` is an argument: do not write 24"),
        (lambda w, h, p: w[:, (np.arange(h) - p).clip(max=-1)], "after a period, repeat all"),
        ("-period:]", "-period:][:, ::-1]", "backwards: t+1 comes first"),
        ("-period:", ":period", "the last period counts, not the first"),
        (lambda w, h, p: w[:, -h:], "the last hours count from the period on: -period:"),
        (lambda w, h, p: w[:, -p + np.arange(h)], "after a period, repeat all"),
        (lambda w, h, p: np.tile(w[:, -p:], (1, h)), "return `horizon` hours, not more"),
        (lambda w, h, p: seasonal_naive(w, h, p)[0], "one forecast for each window"),
    ],
    takes=5,
    level=2,
    hints=["windows[:, -period:] is the last period.", "np.arange(horizon) % period repeats."],
    reasoning="For k up to the period the value is known; after it, the same period repeats.",
    compares="the forecasts",
    solved="Two naive forecasts in one function: period 1 and period 24.",
)  # fmt: skip
def _periods(draw):
    sizes = (2, 6, 5, 3), (3, 30, 7, 24), (3, 9, 4, 1), (1, 5, 12, 5)
    for count, hours, horizon, period in sizes:
        yield draw.normal(size=(count, hours)), horizon, period


@exercise(
    "03b.4",
    lecture_03b.calendar,
    mistakes=[
        ("/ 24", "/ 23", "hour 23 is not hour 0: divide by 24"),
        ("(times - days)", "(times - days + 1)", "the first hour of a day is hour 0"),
        ("days - times", "times - times", 'astype("datetime64[Y]")).astype(int)',
         'astype("datetime64[Y]")).astype(int) / 24', "the day of the year is a whole number"),
        ("(times - days).astype(int)", "np.arange(len(times))",
         "the hour of the day, not the index"),
        *(("/ 365.25", f"/ {days}", "divide the day of the year by 365.25")
          for days in (365, 366)),
        ("/ 24", "/ 12", "a day has 24 hours: one turn a day"),
        ('[Y]")', '[Y]") + 1', "the first day of the year is day 0"),
        ("[Y]", "[M]", "the day of the year, not of the month"),
        (" / 24", "", " / 365.25", "", "divide by 24 and "
         "by 365.25: one turn a day, one a year"),
        ("2 * np.pi * ", "", "a whole turn is 2π"),
        ("2 * np.pi", "np.pi", "a whole turn is 2π, not π"),
        ("])", "])[:, [1, 0, 3, 2]]", "sine first, then cosine"),
        ("])", "])[:, [2, 3, 0, 1]]", "the hour first, then the day of the year"),
        ("])", "])[:, [0, 2]]", "the sine is the same at 3 and at 9 o'clock: cosine, too"),
    ],
    takes=6,
    level=2,
    hints=[
        'times.astype("datetime64[D]") is the day; the difference is the hour, as timedelta.',
        '(days - times.astype("datetime64[Y]")).astype(int) is the day of the year.',
    ],
    reasoning="On a circle, hour 23 and hour 0 are neighbours; as numbers they are far apart.",
    compares="the calendar inputs",
    solved="Known for every future hour, and free: the first inputs to add.",
)  # fmt: skip
def _times(draw):
    start = np.datetime64("2023-06-30T05", "h")
    yield start + np.arange(0, 50, 7)
    yield np.datetime64("2024-01-01T00", "h") + draw.integers(0, 8784, size=6)
    yield np.datetime64("2024-12-30T09", "h") + np.arange(0, 80, 7)  # over New Year


FITTED = "inputs - inputs[:, -1:],"
CHANGES = "(new_inputs - new_inputs[:, -1:])"
BACK = "new_inputs[:, -1:] + "
VIEW = "`inputs[:, -1:]` is a view: after `inputs -= …` it holds zeros"


@exercise(
    "03b.3",
    lecture_03b.forecast_by_changes,
    mistakes=[
        (BACK, "", "that is the change: add the last value of each new window; "
         "`new_inputs[:, -1:]` is a view: after `new_inputs -= …` it holds zeros"),
        ("targets - inputs[:, -1:]", "targets",
         f"the targets are levels: subtract the last input hour; {VIEW}"),
        (" - inputs[:, -1:]", "", BACK, "", CHANGES, "new_inputs",
         "levels in, levels out: fit changes on changes"),
        (FITTED, "inputs,", "the inputs that are fitted must be changes, too"),
        (CHANGES, "new_inputs", "subtract the last values of the new windows, too"),
        (BACK, "inputs[-1, -1] + ", "add the last values of the new windows, each its own"),
        ("-1:", ":1", "subtract the last hour of each window, not the first"),
        ("[:, -1:]", ".mean(axis=1, keepdims=True)", "subtract the last hour, not the mean"),
        (f"{CHANGES} @ weights", f"Ridge(strength).fit(F, Y).predict{CHANGES}",
         "fit without a constant: no change in, no change out"),
        ("solve(F.T @ F + strength * np.eye(F.shape[1]), F.T @ Y)", "pinv(F) @ Y",
         "the penalty is missing: λI with λ = strength"),
        ("strength *", "100 *", "λ is an argument, `strength`: do not write 100"),
        (FITTED, "inputs - inputs[:, -1],", "subtract by row: `inputs[:, -1:]`"),
        ("targets - inputs[:, -1:]", "targets - targets[:, -1:]",
         "the targets change from the last *input* hour"),
    ],
    takes=8,
    level=3,
    hints=["F = inputs - inputs[:, -1:]; what is Y?", "What is subtracted has to come back."],
    reasoning="With changes in and out, 10 °C more in is 10 °C more out.",
    compares="the forecasts",
    solved="10 °C more in every input hour give exactly 10 °C more in the forecast.",
)  # fmt: skip
def levels(draw):
    x = draw.normal(size=400).cumsum() + 10 * np.sin(np.arange(400) / 4) + 50
    for length, horizon, count, strength in ((6, 3, 300, 50.0), (4, 5, 200, 9.0)):
        inputs, targets = window_pairs(x, length, horizon)
        yield inputs[:count], targets[:count], inputs[count + 50 :] + 7.0, strength


def _number(answer, quantiles, y, f):
    require(callable(loss := answer(quantiles)), "return a function, the loss")
    found = loss(ops.convert_to_tensor(y), ops.convert_to_tensor(f))
    require(ops.is_tensor(found), "compute a tensor with keras.ops: NumPy has no gradients")
    require(found.shape == (), f"one number, the mean over all, not the shape {found.shape}")
    return float(found)


def _can_train(answer):
    """The property that a network learns with it as it should, from batches of unlike size."""
    y, q = np.random.default_rng(3).normal(size=(5, 4)), np.array([0.9, 0.2])
    model = keras.Sequential([keras.Input((3,)), layers.Dense(8), layers.Reshape((4, 2))])
    model.compile(keras.optimizers.SGD(0.5), answer(list(q)))
    try:
        model.fit(np.zeros((5, 3)), y, batch_size=2, shuffle=False, verbose=0)
    except ValueError as error:
        if "No gradients" not in str(error):
            raise
    learned, path = model.get_weights()[1], np.zeros((4, 2))  # the inputs are 0: the bias alone
    require(learned.any(), "the numbers are right, but no gradient reaches the forecasts")
    for batch in (y[:2], y[2:4], y[4:]):
        below = batch[:, :, None] < path
        path += 0.5 * (q - below).mean(axis=0) / path.size
    alike = np.allclose(learned, path.ravel(), atol=1e-4)
    cut = "the numbers are right, but not the gradients: some are cut or flow elsewhere"
    require(alike, cut)


TILTED = "ops.maximum(q * difference, (q - 1) * difference)"


@exercise(
    "03b.5",
    lecture_03b.pinball_loss,
    mistakes=[
        (TILTED, "ops.abs(difference)", "that is the absolute error: it aims at the median"),
        (TILTED, "difference**2", "that is the squared error: it aims at the mean"),
        ("targets[:, :, None] - forecasts", "forecasts - targets[:, :, None]",
         "q and 1 − q, or y and f, are swapped"),
        (TILTED, "q * difference", "below the forecast the weight is 1 − q"),
        ("(q - 1)", "(1 - q)", "below, it is (1 − q)·(f − y)"),
        ("(q - 1) * difference", "0", "errors below the forecast count, too"),
        ("ops.mean", "ops.sum", "the mean over all, not the sum"),
        ("ops.mean(", "ops.mean(len(quantiles) * ",
         "the mean over the quantiles, too, not their sum"),
        ("(quantiles,", "(quantiles[::-1],", "q and 1 − q, or y and f, are swapped"),
        ("ops.maximum", "ops.minimum", "the larger of the two cases: the maximum"),
        ("(quantiles,", "(quantiles[:1],", "use all the quantiles"),
        ("(quantiles,", "([0.1, 0.5, 0.9],", "use the given quantiles"),
        ("loss(targets, forecasts)", "loss(forecasts, targets)", "the targets come first"),
        *(("[:, :, None]", axes, "targets[:, :, None]: a last axis for the quantiles")
          for axes in ("[:, None]", "")),
    ],
    takes=6,
    level=3,
    hints=[
        "targets[:, :, None] - forecasts has the shape (batch, horizon, quantiles).",
        "ops.maximum(q * difference, (q - 1) * difference) is the right one of both cases.",
    ],
    reasoning="Being too low costs q, too high 1 − q: balanced where a share q lies below.",
    compares="the loss",
    solved="With one output per quantile, this loss makes any network forecast them.",
    run=_number,
    properties=[_can_train],
)  # fmt: skip
def _forecasts(draw):
    for batch, quantiles in ((5, [0.2, 0.6]), (6, [0.1, 0.9]), (4, [0.3, 0.7, 0.05])):
        shape = batch, 9 - batch, len(quantiles)
        yield quantiles, vectors(draw, *shape[:2]), vectors(draw, *shape)


def _covers(train, data):
    """Require that 75 to 85 % of the validation targets lie inside, on both sides alike."""
    few = slice(None, None, 24)  # to watch the training by
    train_part, _ = kept_back(data)
    shown = dataclasses.replace(train_part, val=data.val.take(few), test=data.test.take(few))
    kept = np.concatenate([data.val.inputs, data.test.inputs])
    with watched_training(shown, unseen=kept, called="windows") as training:
        model = training.trained(train(shown))
    found = predicted(model, data.val.inputs, (24, 2), "two quantiles for 24 hours")
    low, high = np.moveaxis(found, -1, 0)
    require((low <= high).mean() > 0.1, "quantile 0.1 comes first, then 0.9")
    inside = (low <= data.val.targets) & (data.val.targets <= high)
    require(
        0.75 <= inside.mean() <= 0.85,
        f"{inside.mean():.0%} of the validation targets lie between the two; 75 to 85 % are "
        f"asked. Is the loss pinball_loss([0.1, 0.9])? {training.advice()}",
    )
    below, above = (data.val.targets < low).mean(), (data.val.targets > high).mean()
    sides = f"{below:.0%} lie below, {above:.0%} above: about 10 % are asked on each side"
    require(abs(below - above) < 0.1, sides)
    require((low <= high).mean() > 0.99, "the two quantiles cross: train longer, on data.train")
    width = float((high - low).mean())
    require(width < 8, f"the interval is {width:.1f} °C wide on average: 7 are enough")
    early = inside[:, :3].mean()
    require(
        0.6 < early < 0.95,
        f"{early:.0%} of the targets of the first three hours lie inside: the interval has "
        "to be narrow where the forecast is sure. Is the loss pinball_loss([0.1, 0.9])?",
    )
    training.require_learned()


def tried(outputs, batches=1):
    """A training of so many batches."""

    def train(data):
        model = lecture_03b.forecaster(lecture_03b.BODIES["linear"](), 5.0, outputs)
        model.compile("adam", "mse")
        if batches:
            targets = data.train.targets[:64]
            targets = targets if outputs == 1 else np.stack([targets] * outputs, axis=-1)
            model.fit(data.train.inputs[:64], targets, verbose=0)
        return model

    return train


@exercise(
    "03b.6",
    lecture_03b.train_quantiles,
    mistakes=[
        (tried(1), "two quantiles for 24 hours"),
        (tried(2), "of the validation targets lie between the two"),
        (tried(2, batches=0), "the model is not trained"),
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
    trains=_covers,
    limit=300,
)
def _weather(draw):
    yield (cut_windows(load_series(), lecture_03b.HOURS, lecture_03b.HORIZON),)


@exercise(
    "03b.7",
    lecture_03b.block_means,
    mistakes=[
        (" + np.arange(block)", "", "each start stands for a block of `block` steps"),
        ("arange(block)", "arange(block + 1)", "a block has `block` steps, not one more"),
        ("= starts", "= 1 + starts", "a block begins at its start"),
        ("axis=(1, 2)", "", "one mean for each resample"),
        ("axis=(1, 2)", "axis=2", "the mean runs over all blocks of a resample"),
        ("axis=(1, 2))", "axis=2)[:, 0]", "all blocks, not the first alone"),
        ("mean(axis=(1, 2))", "sum(axis=(1, 2)) / len(values)", "divide by the "
         "number of resampled steps, not by the length of the series"),
        (".mean(", ".sum(", "that is the sum: the mean"),
        ("axis=(1, 2)", "axis=(0, 2)", "average over blocks, not resamples"),
        ("values[steps]", "(values - values.mean())[steps]",
         "the mean itself, not its distance from that of the series"),
    ],
    takes=6,
    level=3,
    hints=["starts[:, :, None] + np.arange(block) are all steps.", "Average over axes 1, 2."],
    reasoning="Neighbouring hours err alike; whole blocks keep that, single hours would not.",
    compares="the means",
    solved="Resampled by the hour, the interval of the gain is several times narrower.",
)  # fmt: skip
def _blocks(draw):
    for steps, resamples, blocks, block in ((20, 3, 2, 4), (50, 5, 4, 7), (9, 2, 2, 3)):
        starts = draw.integers(0, (steps - block) // block, size=(resamples, blocks))
        starts[0, 0], starts[1, 0] = 1, steps - block if block > 4 else 0
        yield draw.normal(size=steps), starts, block
