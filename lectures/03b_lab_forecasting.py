# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   title: "Lab: forecasting"
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # Forecasting without fooling yourself
#
# **Lab 3b** · leaks, baselines, intervals, and when a difference is one

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) This is a lab: the room works and you walk around. Its subject is evaluation, not
# architecture. Ask how they would forecast tomorrow's temperature without a computer. "Like
# today" is the answer to wait for; everything in this lab has to beat that sentence.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What you will be able to do
#
# 1. find a leak from the future by a test of three lines
# 2. build naive forecasts, ridge regression and calendar inputs, and measure them first
# 3. train linear, convolutional and recurrent forecasters, compared fairly
# 4. forecast an interval, and check that it covers what it promises
# 5. backtest with a rolling origin, and say whether a difference is more than chance

# %% [markdown] slideshow={"slide_type": "skip"}
# **You need** lecture 3 (LSTM and GRU) and a first idea of a convolution: a short window of
# weights that slides along the series. **It takes** eighty minutes, of which the seven
# exercises take about forty-five.
#
# The series is the course's own weather, four years by the hour, made by a generator with
# seasons, days and fronts. After an exercise, the rest of the notebook runs on your own
# definition if it is correct, and on the course's otherwise; so you can always run on.
#
# A generator knows its own truth, so a claim can be checked; a real series, the oil temperature
# of a transformer (ETTh1), stands beside it in the recorded runs. Its licence does not allow us
# to draw it here.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Say which kind of claim is allowed today: an error in degrees, beside that of a
# naive forecast, on hours that no decision has touched.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)  # before Keras is imported, so that its backend starts quietly
LECTURE = "03b_lab_forecasting"

import keras
import numpy as np
from keras import layers, ops
from sklearn.neighbors import KNeighborsRegressor

from course_utils import training
from course_utils.data import cut_windows
from course_utils.lectures.lecture_03b import (
    BODIES,
    HORIZON,
    HOURS,
    bootstrap_interval,
    coverage,
    record_forecasts,
    ridge_with_calendar,
    rolling_origin,
)

# %% [markdown] slideshow={"slide_type": "slide"}
# ## The series, cut by time

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
series = cu.data.load_series("embedded")
values, unit = series.column(), series.unit
drawing, axes = cu.plotting.figure(9, 2.8)
days = values[: series.cuts[1]].reshape(-1, 24)
axes.fill_between(range(len(days)), days.min(axis=1), days.max(axis=1), alpha=0.6)
for cut, part in zip((0, *series.cuts[:2]), ("training", "validation", "test"), strict=True):
    axes.axvline(cut / 24, color="black", linewidth=1)
    axes.annotate(part, (cut / 24 + 10, 34), fontsize=10)
axes.set(xlabel="day", ylabel="°C, lowest to highest", ylim=(-25, 42), xlim=(0, 4 * 365))
cu.plotting.show(
    drawing,
    "Daily lows and highs of the training and the validation years, from about -20 to 35 °C, "
    "with cuts after two and after three years. The test year is left white.",
)

# %% [markdown] slideshow={"slide_type": "-"}
# Two years for training, one for validation, one for the test. **The test year stays closed**
# until the last section: it is neither drawn nor scored.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Ask why we do not shuffle as with the reviews. Reviews do not depend on each
# other; hours do. We shall measure what shuffling does. And ask why the test part is not even
# drawn: whoever has seen it makes decisions that fit it.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Something is wrong here
#
# A colleague extrapolates the trend: the change of a smoothed series (mean of 7 hours) goes on
# for three hours. It beats the naive forecast by far:


# %% slideshow={"slide_type": "-"}
def colleagues_mean(x, hours):
    return np.convolve(x, np.ones(hours) / hours, "same")


past = values[: series.cuts[1]]
slope = np.diff(colleagues_mean(past, 7))
now = np.arange(50, len(past) - 50)
print(f"last value, 3 hours ahead:  {np.abs(past[now + 3] - past[now]).mean():.2f} °C")
trend = past[now] + 3 * slope[now - 1]
print(f"trend, 3 hours ahead:       {np.abs(past[now + 3] - trend).mean():.2f} °C")

# %% [markdown] slideshow={"slide_type": "-"}
# **The test for every leak:** change the future and see whether the past moves.

# %% slideshow={"slide_type": "fragment"} tags=["nbval-check-output"]
changed = past.copy()
changed[5_000:] += 100
moved = np.flatnonzero(colleagues_mean(changed, 7) != colleagues_mean(past, 7))
print("first smoothed hour that moves:", moved[0], "- changed from hour 5000 on")

# %% [markdown] slideshow={"slide_type": "skip"}
# A centred mean of seven hours contains three hours of the future: the smoothed value of hour
# $t$ knows $t+3$, which is exactly the hour that the trend is asked for. In a table of features
# nobody can see that. The test can: it adds 100 °C to every hour from 5,000 on and looks for
# the first smoothed value that changes. Every feature of every forecasting model deserves this
# test. Other leaks that it finds are gaps filled by interpolation, a mean and a standard
# deviation computed on the whole series, and a table that was sorted wrongly.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Let them find the cause before the exercise: a centred mean of seven hours
# contains three hours of the future. In a table nobody sees it. Other leaks of the same kind: a
# scale computed on all hours, a gap filled by interpolation, a table sorted wrongly.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.1 · Mend the leak
#
# Compute the means so that none of them uses a later hour.

# %% builds="course_utils.lectures.lecture_03b.trailing_mean" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
trailing_mean = cu.exercises.use("03b.1", trailing_mean)

# %% slideshow={"slide_type": "skip"}
honest = np.diff(np.append(np.full(6, np.nan), trailing_mean(past, 7)))
trend = past[now] + 3 * honest[now - 1]
print(f"trend without the leak: {np.abs(past[now + 3] - trend).mean():.2f} °C")
unmoved = trailing_mean(changed, 7)[: 5_000 - 6] == trailing_mean(past, 7)[: 5_000 - 6]
print("means before the change that move:", int((~unmoved).sum()))

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Without the leak, smoothing makes the forecast *worse* than the last value: it
# lags behind. So the whole gain was future. Ask who has seen a moving average in a table of
# features.

# %% [markdown] slideshow={"slide_type": "skip"}
# ## Windows
#
# From hour $t$: the last 96 hours in, the next 24 hours out.

# %% slideshow={"slide_type": "skip"}
cu.figures.show("03b_windows")

# %% [markdown] slideshow={"slide_type": "skip"}
# Each part of the series gets windows of its own, and no window crosses a cut. The windows
# overlap by all but one hour. So the 17,401 training windows are far fewer *independent*
# examples than their number suggests, a fact that will come back twice: when we shuffle, and
# when we ask whether a difference is more than chance.

# %% slideshow={"slide_type": "skip"} tags=["nbval-check-output"]
data = cut_windows(series, HOURS, HORIZON)
for name in ("train", "val"):
    part = data.split(name)
    print(f"{name:6s} inputs {part.inputs.shape}  targets {part.targets.shape}")

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.2 · Naive forecasts
#
# "Like the last value" (period 1) and "like the same hour yesterday" (period 24).

# %% builds="course_utils.lectures.lecture_03b.seasonal_naive" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
seasonal_naive = cu.exercises.use("03b.2", seasonal_naive)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Windows first: 96 hours in, 24 out, none across a cut; two neighbours share 95 of
# their 96 input hours. While they work, ask for a ranking of the two: for the next hour, for
# hour 12 and for hour 24. At hour 24 they are equal by construction: both say the value of hour
# t.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A baseline that learns: ridge regression
#
# $$w = (F^\top F + \lambda I)^{-1} F^\top Y$$
#
# A row of $F$ is a window, a row of $Y$ its 24 targets; $\lambda$ keeps the weights $w$ small.
# We subtract the last value from both: the model predicts the **change**, and does not have to
# know whether it is January or July.

# %% slideshow={"slide_type": "-"}
cu.figures.show("03b_change")

# %% [markdown] slideshow={"slide_type": "skip"}
# Least squares has one best answer, found by solving a system of equations. It needs no epochs
# and no learning rate, and $\lambda$ hardly matters here, because there are thousands of
# windows for 96 weights. What matters is what goes in. If we predicted the *level*, a series
# that drifts would show the model values in the test year that it has never seen. The change
# from the last value stays in the same range.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Follow the two paths: the last value goes around the model and is added at the
# end. This is a residual connection around the whole model, and the idea of NLinear (Zeng et
# al., 2023). What does the model forecast if it says nothing? The last value.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.3 · Ridge regression on changes
#
# Fit on changes from the last value, forecast levels. The weights are the formula above.

# %% builds="course_utils.lectures.lecture_03b.forecast_by_changes" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
forecast_by_changes = cu.exercises.use("03b.3", forecast_by_changes)

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) A test that they can invent themselves: add ten degrees to everything, and the
# forecast must rise by ten. In-place subtraction is a trap: `inputs[:, -1:]` is a view, which
# becomes zero itself.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.4 · Calendar inputs
#
# The hour and the date of the future are **known**. As numbers, hour 23 and hour 0 are far
# apart; on a circle they are neighbours.

# %% builds="course_utils.lectures.lecture_03b.calendar" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
calendar = cu.exercises.use("03b.4", calendar)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Sine alone is not enough: six in the morning and six in the evening have the same
# cosine, midnight and noon the same sine. Together they name each hour once.

# %% slideshow={"slide_type": "skip"}
hours = np.arange("2023-01-01T00", "2023-01-03T00", dtype="datetime64[h]")
drawing, axes = cu.plotting.figure(7, 2.2)
for column, name in zip(calendar(hours).T[:2], ("sine", "cosine"), strict=True):
    axes.plot(column, label=name)
axes.set(xlabel="hour of two days")
axes.legend()
cu.plotting.show(drawing, "Sine and cosine of the hour over two days: two shifted waves.")

# %% [markdown] slideshow={"slide_type": "slide"}
# ### Error hour by hour, on the validation year
#
# **Predict:** which forecast is best one hour ahead, and which twelve hours ahead?

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
val, train = data.val, data.train
forecasts = {
    "last value": seasonal_naive(val.inputs, HORIZON, 1),
    "same hour yesterday": seasonal_naive(val.inputs, HORIZON, 24),
    "ridge": forecast_by_changes(train.inputs, train.targets, val.inputs, 100.0),
    "ridge and calendar": ridge_with_calendar(train, val),
}
by_hour = {name: np.abs(path - val.targets).mean(axis=0) for name, path in forecasts.items()}
drawing, axes = cu.plotting.figure(8, 3.2)
for name, errors in by_hour.items():
    axes.plot(range(1, HORIZON + 1), errors, label=f"{name}: {errors.mean():.2f} °C")
axes.set(xlabel="hours ahead", ylabel="mean absolute error, °C", xticks=(1, 6, 12, 18, 24))
axes.legend(fontsize=9)
said = [f"{name} {e[0]:.1f}, {e[11]:.1f}, {e[23]:.1f}" for name, e in by_hour.items()]
cu.plotting.show(drawing, "Error at 1, 12 and 24 hours ahead in °C: " + "; ".join(said))

# %% [markdown] slideshow={"slide_type": "-"}
# The last value is good for an hour and worst half a day ahead. "Better than the naive
# forecast" means nothing unless it says **which one and how far ahead**.

# %% [markdown] slideshow={"slide_type": "skip"}
# Errors in degrees cannot be compared between series. MASE (Hyndman and Koehler, 2006) divides
# by the error of a naive forecast on the training part; below 1 is better than naive.
#
# Exactly 24 hours ahead the two naive forecasts are the same number by construction: both say
# the value of hour $t$. The calendar helps a little at every distance: in spring the days get
# warmer, which 96 hours of temperature do not say.

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) The arch of the last value is the day: worst when it is farthest from itself. The
# calendar helps where the series does not say itself where in the year it is. Ridge has no
# seeds and no epochs, and it takes a tenth of a second.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Networks, compared fairly
#
# All read the same 96 hours, predict the change, and have their last layer at zero:
# **untrained, they are the last value.** **Predict** how much better than ridge the best one
# will be.

# %% shows="course_utils.lectures.lecture_03b.forecaster" slideshow={"slide_type": "skip"}
# filled by the build

# %% slideshow={"slide_type": "skip"}
model = forecaster(BODIES["conv1d"](), mean_change=5.0)
start = model.predict(val.inputs[:100], verbose=0)
last = seasonal_naive(val.inputs[:100], HORIZON, 1)
print("untrained = last value:", np.abs(start - last).max() < 1e-4)
keras.utils.set_random_seed(session.seed)
model.compile(keras.optimizers.Adam(0.003, clipnorm=1.0), loss="mae")
few = data.train.take(slice(None, None, session.pick(quick=4, full=1)))
run = cu.training.fit(model, (few, val), 4, batch_size=64, monitor="val_loss")

# %% slideshow={"slide_type": "-"} tags=["answers-prediction", "hide-input"]
NAMES = {
    "ridge": "ridge",
    "linear": "linear\nlayer",
    "conv1d": "conv",
    "gru": "GRU",
    "lstm": "LSTM",
}
panels = {
    title: {
        "a seed": {
            label: [run["metrics"]["val_mae"] for run in cu.results.load(LECTURE, name, source)]
            for name, label in NAMES.items()
        }
    }
    for title, source in (("own weather", "temperature"), ("oil (ETTh1)", "etth1"))
}
cu.plotting.dots(panels, ylabel="validation MAE, °C", limits=(1.0, 2.6))

# %% [markdown] slideshow={"slide_type": "-"} claims=["max(recorded(name, 'temperature', 'val_mae').max() for name in ('conv1d', 'gru', 'lstm')) < recorded('ridge', 'temperature', 'val_mae').min()"]
# On our weather the nonlinear networks are ahead: its fronts have a shape. On the oil
# temperature of a real transformer (ETTh1), a linear model is as good as any of them.
# **Measure, on your series.**

# %% [markdown] slideshow={"slide_type": "skip"}
# Each network had eight epochs, its learning rate from the same three values and its best
# epoch, all chosen on validation; a dot is one of three seeds. Ridge is deterministic. The
# linear layer computes the same function as ridge, trained on absolute instead of squared
# errors. Zeng et al. (2023) found that such layers beat much larger Transformers on several
# series of this kind.

# %% slideshow={"slide_type": "skip"}
if session.profile == "full":  # remakes what is recorded: 24 runs
    for source in ("embedded", "etth1"):
        record_forecasts(LECTURE, cu.data.load_series(source), session.seed)

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Two series, two answers, and that is the lesson. Ask what is in the weather that a
# linear model cannot use: a pressure front begins like many other days, and what follows
# depends on a combination of hours. Nobody may conclude "networks win" or "linear wins" from
# one series.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Forecast an interval
#
# A forecast of 12 °C says nothing about its own uncertainty. A **quantile** forecast $f$ for $q
# = 0.9$ should lie above 90 % of the outcomes $y$. The **pinball loss** makes a network do
# that:
#
# $$\ell_q(y, f) = \begin{cases} q\,(y - f) & y \ge f \\ (1 - q)\,(f - y) & y < f \end{cases}$$

# %% [markdown] slideshow={"slide_type": "notes"}
# (3 minutes) Draw the loss for q = 0.9: steep where the forecast is too low, flat where it is
# too high. Ask where it is smallest if the outcomes are 1, 2, …, 10: between 9 and 10. For q =
# 0.5 it is half the absolute error, whose minimum is the median.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.5 · Pinball loss
#
# Return a Keras loss for several quantiles at the same time.

# %% builds="course_utils.lectures.lecture_03b.pinball_loss" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
pinball_loss = cu.exercises.use("03b.5", pinball_loss)

# %% [markdown] slideshow={"slide_type": "notes"}
# (6 minutes) Shapes first: targets (batch, horizon), forecasts (batch, horizon, quantiles). One
# maximum instead of the two cases.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ### Exercise 03b.6 · Train an interval
#
# `forecaster(body, mean_change, outputs=2)` makes a network with two outputs; `BODIES` has
# bodies. Train it with your loss until 75 % to 85 % of the validation targets lie inside.

# %% builds="course_utils.lectures.lecture_03b.train_quantiles" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
train_quantiles = cu.exercises.use("03b.6", train_quantiles)

# %% slideshow={"slide_type": "skip"}
interval = train_quantiles(data)

# %% slideshow={"slide_type": "subslide"} tags=["hide-input"]
window = 24 * 130
low, high = interval.predict(val.inputs[window : window + 1], verbose=0)[0].T
drawing, axes = cu.plotting.figure(8, 3)
axes.plot(range(-47, 1), val.inputs[window, -48:], color="black", label="past")
ahead = range(1, HORIZON + 1)
axes.plot(ahead, val.targets[window], color="black", linestyle="--", label="what came")
axes.fill_between(ahead, low, high, alpha=0.4, label="80 % interval")
axes.set(xlabel="hours from now", ylabel="°C")
axes.legend()
cu.plotting.show(
    drawing,
    f"Two days of temperature and an interval for the next 24 hours, {high[0] - low[0]:.1f} °C "
    f"wide at the first hour and {high[-1] - low[-1]:.1f} °C at the last.",
)

# %% slideshow={"slide_type": "-"}
print(f"inside the 80 % interval, validation year: {coverage(interval, val):.0%}")

# %% [markdown] slideshow={"slide_type": "skip"}
# Nothing in the network or the optimizer is new: two outputs instead of one, and another loss.
# An interval that covers 80 % on average may still cover 70 % in winter and 90 % in summer, so
# check it by season, by month and by hours ahead before you promise it to anybody. **Conformal
# prediction** widens or narrows such an interval by a constant, measured on held-out hours,
# until it covers what it should.

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) The interval opens like a trumpet: the network has learned how its uncertainty
# grows. Ask whether 80 % on average is enough. In winter it may be 70 % and in summer 90 %;
# check by season before you promise anything.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Is the difference more than chance?
#
# Ridge with and without calendar differ little over a year. But the year is **one** sample, and
# neighbouring hours err alike. The **block bootstrap** resamples whole blocks of two weeks.

# %% [markdown] slideshow={"slide_type": "skip"}
# Take the difference of two errors at each hour. If hours were independent, one could resample
# single hours and see how much the mean difference varies. They are not: a front that one model
# misses spoils two days in a row. Blocks that are longer than such spells keep the dependence.

# %% [markdown] slideshow={"slide_type": "-"} tags=["exercise"]
# ### Exercise 03b.7 · Resample in blocks
#
# Given the steps at which the blocks begin, compute the mean of every resample.

# %% builds="course_utils.lectures.lecture_03b.block_means" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
block_means = cu.exercises.use("03b.7", block_means)

# %% slideshow={"slide_type": "subslide"}
errors = {name: np.abs(path - val.targets).mean(axis=1) for name, path in forecasts.items()}
gain = errors["ridge"] - errors["ridge and calendar"]
draw = np.random.default_rng(0)
for block, name in ((1, "single hours"), (24 * 14, "blocks of two weeks")):
    starts = draw.integers(0, len(gain) - block + 1, size=(1_000, len(gain) // block))
    low, high = np.percentile(block_means(gain, starts, block), [2.5, 97.5])
    print(f"gain of the calendar {gain.mean():.3f} °C; {name}: {low:.3f} to {high:.3f}")

# %% [markdown] slideshow={"slide_type": "-"}
# Single hours pretend to know the gain almost four times as precisely as two-week blocks do.

# %% [markdown] slideshow={"slide_type": "notes"}
# (8 minutes) Ask how many independent samples a year of hours contains: not 8,700, rather some
# dozens. If the interval of the blocks contains zero, the honest sentence is "we cannot tell".

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Backtest with a rolling origin
#
# In use, a model is refitted as time goes on. So move the **origin** month by month: fit on
# everything before it, forecast the month after it.

# %% slideshow={"slide_type": "-"} tags=["hide-input"]
inputs = np.concatenate([train.inputs, val.inputs]).astype("float64")
targets = np.concatenate([train.targets, val.targets])
month, first = 24 * 30, len(train)
rolled, naive = [], []
for origin, path, truth in rolling_origin(inputs, targets, first, month):
    rolled.append(np.abs(path - truth).mean())
    yesterday = seasonal_naive(inputs[origin : origin + month], HORIZON, 24)
    naive.append(np.abs(yesterday - truth).mean())
drawing, axes = cu.plotting.figure(8, 2.8)
axes.plot(range(1, len(naive) + 1), naive, marker="o", label="same hour yesterday")
axes.plot(range(1, len(rolled) + 1), rolled, marker="o", label="ridge, refitted every month")
axes.set(xlabel="month of the validation year", ylabel="MAE, °C", ylim=(0, None))
axes.legend()
cu.plotting.show(
    drawing,
    f"Error month by month: yesterday {min(naive):.1f} to {max(naive):.1f} °C, ridge "
    f"{min(rolled):.1f} to {max(rolled):.1f} °C, lower in every month.",
)

# %% [markdown] slideshow={"slide_type": "skip"}
# `rolling_origin` leaves out the windows whose targets reach beyond the origin; a fit on them
# would have seen the beginning of the month that it forecasts. Two decisions remain: whether
# old data are kept (an *expanding* window, as here) or dropped (a *sliding* one), which is
# better where the series changes its character.

# %% [markdown] slideshow={"slide_type": "-"}
# Months differ more than models. A single number for a year hides which months are hard.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Windows whose targets reach beyond the origin are left out of the fit; forgetting
# that is another leak. Ask what a customer wants to know: the worst month, usually.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## What can go wrong: a shuffled split
#
# "Every window is an example, so shuffle them and split." **Predict** what that does to a
# nearest-neighbour forecast, which copies what followed the most similar windows.

# %% slideshow={"slide_type": "-"} tags=["answers-prediction"]
x, y = inputs[:, -48:] - inputs[:, -1:], targets - inputs[:, -1:]
count = len(train)
weeks = np.arange(len(x)) // (24 * 28) % 3 == 2  # every third block of four weeks is judged
near = np.convolve(weeks, np.ones(289), "same") > 0  # with six days on both sides left out
order = np.random.default_rng(0).permutation(len(x))
splits = {
    "by time": (np.arange(count - 72), np.arange(count, len(x))),
    "blocks, purged": (np.flatnonzero(~near), np.flatnonzero(weeks)),
    "shuffled": (order[:count], order[count:]),
}
for name, (fit, judge) in splits.items():
    judge = judge[::10]
    nearest = KNeighborsRegressor(5).fit(x[fit], y[fit])
    error = np.abs(nearest.predict(x[judge]) - y[judge]).mean() / np.abs(y[judge]).mean()
    print(f"{name:15s} error {error:.2f} of the last value's")

# %% [markdown] slideshow={"slide_type": "skip"}
# Shuffled, the most similar window begins an hour earlier, and what followed it *is* the
# answer. Whole blocks with a gap around them give the honest figure.

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) Neighbouring windows share 95 of 96 hours. The middle row shows that it is the
# leak and not the season: blocks from all seasons, with a gap, are as hard as a split by time.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Now open the test year, once
#
# The model with the smallest error on validation is chosen. One number, one interval.

# %% slideshow={"slide_type": "-"}
models = {
    "ridge and calendar": lambda part: ridge_with_calendar(train, part),
    "convolution": lambda part: model.predict(part.inputs, batch_size=512, verbose=0),
}
best = min(models, key=lambda name: np.abs(models[name](val) - val.targets).mean())
test = data.test
chosen = np.abs(models[best](test) - test.targets).mean(axis=1)
naive = np.abs(seasonal_naive(test.inputs, HORIZON, 24) - test.targets).mean(axis=1)
low, high = bootstrap_interval(naive - chosen, block=24 * 14)
print(f"{best} {chosen.mean():.2f} °C, same hour yesterday {naive.mean():.2f} °C")
print(f"better by {(naive - chosen).mean():.2f} °C, 95 % interval {low:.2f} to {high:.2f}")
print(f"inside the 80 % interval: {coverage(interval, test):.0%}")

# %% slideshow={"slide_type": "skip"} tags=["headline"]
print(f"test year: {best} {chosen.mean():.1f} °C, same hour yesterday {naive.mean():.1f} °C")

# %% [markdown] slideshow={"slide_type": "notes"}
# (2 minutes) If the result disappoints, it stays as it is: whoever goes back and changes the
# model has no test year any more.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## Summary
#
# - naive forecasts first; say which one, and how far ahead
# - cut by time; find leaks by a test: change the future, compare the past
# - predict the change; add the calendar; a linear model may win, or may not: measure
# - quantiles by pinball loss; check the coverage
# - compare by blocks, backtest with a rolling origin, open the test part once

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Have five people say one line each, with the reason. Then ask what they would
# change in a forecast of their own, at work or in a thesis, tomorrow morning.

# %% [markdown] slideshow={"slide_type": "skip"}
# ### Papers
#
# - Hoerl, Kennard (1970). *Ridge regression.* · Koenker, Bassett (1978). *Regression
#   quantiles.*
# - Künsch (1989). *The jackknife and the bootstrap for general stationary observations.*
#   Blocks.
# - Hyndman, Koehler (2006). *Another look at measures of forecast accuracy.* MASE.
# - Zhou and others (2021). *Informer.* The ETT data.
# - Zeng, Chen, Zhang, Xu (2023). *Are Transformers effective for time series forecasting?*
# - Hyndman, Athanasopoulos (2021). *Forecasting: principles and practice*, third edition: ETS,
#   ARIMA.
