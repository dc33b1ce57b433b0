"""Answers to the exercises of lab 03b, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils import training
from course_utils.data import Split
from lectures.lecture_03b import BODIES, forecaster

# 03b.1


@right("03b.1")
def trailing_mean(x, hours):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[hours:] - total[:-hours]) / hours


@right("03b.1")
def trailing_mean(x, hours):
    return np.array([x[t - hours + 1 : t + 1].mean() for t in range(hours - 1, len(x))])


@right("03b.1")
def trailing_mean(x, hours):
    return np.lib.stride_tricks.sliding_window_view(x, hours).mean(axis=-1)


@right("03b.1")
def trailing_mean(x, hours):
    means = [sum(x[:hours]) / hours]
    for old, new in zip(x, x[hours:]):
        means.append(means[-1] + (new - old) / hours)
    return np.array(means)


@wrong("03b.1", says="a centred mean uses later hours")
def trailing_mean(x, hours):
    return np.convolve(x, np.ones(hours) / hours, "same")


@wrong("03b.1", says="only whole windows")
def trailing_mean(x, hours):
    return np.convolve(x, np.ones(hours) / hours)


@wrong("03b.1", says="leave out the first hours − 1 steps")
def trailing_mean(x, hours):
    return np.array([x[max(0, t - hours + 1) : t + 1].mean() for t in range(len(x))])


@wrong("03b.1", says="the last mean covers")
def trailing_mean(x, hours):
    return np.array([x[t : t + hours].mean() for t in range(len(x) - hours)])


@wrong("03b.1", says="the means")
def trailing_mean(x, hours):
    return np.array([x[t - hours : t].mean() for t in range(hours, len(x) + 1)])[::-1]


@wrong("03b.1", says="the sum")
def trailing_mean(x, hours):
    return np.convolve(x, np.ones(hours), "valid")


@wrong("03b.1", says="a NumPy array is asked for")
def trailing_mean(x, hours):
    return [x[t : t + hours].mean() for t in range(len(x) - hours + 1)]


@wrong("03b.1", says="the windows overlap")
def trailing_mean(x, hours):
    return np.array([x[t : t + hours].mean() for t in range(0, len(x) - hours + 1, hours)])


@wrong("03b.1", says="the means")
def trailing_mean(x, hours):
    return np.median(np.lib.stride_tricks.sliding_window_view(x, hours), axis=-1)


@wrong("03b.1", says="the means have the shape")
def trailing_mean(x, hours):
    return np.lib.stride_tricks.sliding_window_view(x, hours).mean(axis=0)


@wrong("03b.1", says="the means")
def trailing_mean(x, hours):
    means = [x[0]]
    for value in x[1:]:
        means.append(means[-1] + (value - means[-1]) / hours)
    return np.array(means[hours - 1 :])


# 03b.2


@right("03b.2")
def seasonal_naive(windows, horizon, period):
    times = -(-horizon // period)
    return np.tile(windows[:, -period:], (1, times))[:, :horizon]


@right("03b.2")
def seasonal_naive(windows, horizon, period):
    path = windows.copy()
    for _ in range(horizon):
        path = np.concatenate([path, path[:, [-period]]], axis=1)
    return path[:, windows.shape[1] :]


@right("03b.2")
def seasonal_naive(windows, horizon, period):
    length = windows.shape[1]
    return np.stack([windows[:, length - period + k % period] for k in range(horizon)], axis=1)


@right("03b.2")
def seasonal_naive(windows, horizon, period):
    out = np.empty((windows.shape[0], horizon))
    for k in range(horizon):
        out[:, k] = windows[:, k - period] if k < period else out[:, k - period]
    return out


@wrong("03b.2", says="move along")
def seasonal_naive(windows, horizon, period):
    return np.repeat(windows[:, -period, None], horizon, axis=1)


@wrong("03b.2", says="that ignores the period")
def seasonal_naive(windows, horizon, period):
    return np.repeat(windows[:, -1:], horizon, axis=1)


@wrong("03b.2", says="a long horizon")
def seasonal_naive(windows, horizon, period):
    return windows[:, -period:][:, :horizon]


@wrong("03b.2", says="the last period counts")
def seasonal_naive(windows, horizon, period):
    return windows[:, np.arange(horizon) % period]


@wrong("03b.2", says="-period:")
def seasonal_naive(windows, horizon, period):
    return windows[:, -horizon:]


@wrong("03b.2", says="return `horizon` hours, not more")
def seasonal_naive(windows, horizon, period):
    return np.tile(windows[:, -period:], (1, horizon))


@wrong("03b.2", says="the forecasts")
def seasonal_naive(windows, horizon, period):
    return windows[:, -period:][:, np.arange(horizon) // period]


@wrong("03b.2", says="the forecasts")
def seasonal_naive(windows, horizon, period):
    return np.repeat(windows[:, -period:], 2, axis=1)[:, :horizon]


@wrong("03b.2", says="the forecasts")
def seasonal_naive(windows, horizon, period):
    mean = windows[:, -period:].mean(axis=1, keepdims=True)
    return np.repeat(mean, horizon, axis=1)


@wrong("03b.2", says="after a period, repeat all")
def seasonal_naive(windows, horizon, period):
    return np.stack([windows[:, -period + k] for k in range(horizon)], axis=1)


@wrong("03b.2", says="the forecasts")
def seasonal_naive(windows, horizon, period):
    return windows[-period:][np.arange(horizon) % min(period, len(windows))]


@wrong("03b.2", says="the forecasts have the shape (12,)")
def seasonal_naive(windows, horizon, period):
    return np.squeeze(windows)[..., -period:][..., np.arange(horizon) % period]


# 03b.3


def changes(inputs):
    return inputs - inputs[:, -1:]


@right("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    last = inputs[:, [-1]].copy()
    F, Y = inputs - last, targets - last
    w = np.linalg.inv(F.T @ F + strength * np.identity(len(F.T))) @ (F.T @ Y)
    return (new_inputs - new_inputs[:, [-1]]) @ w + new_inputs[:, [-1]]


@right("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    from sklearn.linear_model import Ridge

    ridge = Ridge(strength, fit_intercept=False)
    ridge.fit(changes(inputs), targets - inputs[:, -1:])
    return ridge.predict(changes(new_inputs)) + new_inputs[:, -1:]


@right("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - inputs[:, -1][:, None]
    n = F.shape[1]
    F = np.vstack([F, strength**0.5 * np.eye(n)])
    Y = np.vstack([Y, np.zeros((n, Y.shape[1]))])
    w = np.linalg.lstsq(F, Y, rcond=None)[0]
    return changes(new_inputs) @ w + new_inputs[:, -1][:, None]


@right("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - inputs[:, -1:]
    weights = F.T @ np.linalg.solve(F @ F.T + strength * np.eye(len(F)), Y)
    return new_inputs[:, -1:] + changes(new_inputs) @ weights


def solved(F, Y, strength):
    return np.linalg.solve(F.T @ F + strength * np.eye(F.shape[1]), F.T @ Y)


@wrong("03b.3", says="that is the change")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    return changes(new_inputs) @ solved(changes(inputs), targets - inputs[:, -1:], strength)


@wrong("03b.3", says="fit changes on changes")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    return new_inputs @ solved(inputs, targets, strength)


@wrong("03b.3", says="changes an argument in place")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    inputs -= inputs[:, -1:].copy()
    w = solved(inputs, targets, strength)
    return changes(new_inputs) @ w + new_inputs[:, -1:]


@wrong("03b.3", says="the penalty is missing")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    w = np.linalg.lstsq(changes(inputs), targets - inputs[:, -1:], rcond=None)[0]
    return changes(new_inputs) @ w + new_inputs[:, -1:]


@wrong("03b.3", says="fit without a constant")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    from sklearn.linear_model import Ridge

    ridge = Ridge(alpha=strength).fit(changes(inputs), targets - inputs[:, -1:])
    return ridge.predict(changes(new_inputs)) + new_inputs[:, -1:]


@wrong("03b.3", says="the penalty is missing")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - inputs[:, -1:]
    w = np.linalg.inv(F.T @ F + strength) @ F.T @ Y
    return changes(new_inputs) @ w + new_inputs[:, -1:]


@wrong("03b.3", says="from the last *input* hour")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - targets[:, -1:]
    return changes(new_inputs) @ solved(F, Y, strength) + new_inputs[:, -1:]


@wrong("03b.3", says="do not fit")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F = inputs - inputs[:, -1]
    return new_inputs @ solved(F, targets, strength)


@wrong("03b.3", says="the forecasts")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - inputs[:, -1:]
    return changes(inputs) @ solved(F, Y, strength) + inputs[:, -1:]


@wrong("03b.3", says="the forecasts")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = np.diff(inputs, axis=1), targets - inputs[:, -1:]
    return np.diff(new_inputs, axis=1) @ solved(F, Y, strength) + new_inputs[:, -1:]


@wrong("03b.3", says="columns meet")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = changes(inputs), targets - inputs[:, -1:]
    w = np.linalg.solve(F @ F.T + strength * np.eye(len(F)), Y)
    return changes(new_inputs) @ w + new_inputs[:, -1:]


@wrong("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = inputs - inputs[:, -1:], targets - inputs[:, -1:]
    weights = np.linalg.solve(F.T @ F + 50 * np.eye(F.shape[1]), F.T @ Y)
    return new_inputs[:, -1:] + (new_inputs - new_inputs[:, -1:]) @ weights


@wrong("03b.3")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    F, Y = inputs - inputs[:, -1:], targets - inputs[:, -1:]
    penalty = strength / 300 * np.eye(F.shape[1])
    weights = np.linalg.solve(F.T @ F / len(F) + penalty, F.T @ Y / len(F))
    return new_inputs[:, -1:] + (new_inputs - new_inputs[:, -1:]) @ weights


@wrong("03b.3", says="is a view")
def forecast_by_changes(inputs, targets, new_inputs, strength):
    inputs, targets, new_inputs = inputs.copy(), targets.copy(), new_inputs.copy()
    last, new = inputs[:, -1:], new_inputs[:, -1:]
    targets -= last
    inputs -= last
    new_inputs -= new
    return new_inputs @ solved(inputs, targets, strength) + new


# 03b.4


def circle(share):
    return np.sin(2 * np.pi * share), np.cos(2 * np.pi * share)


@right("03b.4")
def calendar(times):
    hour = times.astype("datetime64[h]").astype(int) % 24
    year = times.astype("datetime64[Y]").astype("datetime64[D]")
    day = (times.astype("datetime64[D]") - year).astype(int)
    return np.stack([*circle(hour / 24), *circle(day / 365.25)], axis=1)


@right("03b.4")
def calendar(times):
    hour = np.array([int(str(time)[11:13]) for time in times])
    first = np.array([np.datetime64(str(time)[:4] + "-01-01") for time in times])
    day = (times.astype("datetime64[D]") - first).astype(float)
    return np.array([*circle(hour / 24), *circle(day / 365.25)]).T


@right("03b.4")
def calendar(times):
    rows = []
    for time in times.astype("datetime64[s]").tolist():
        day = time.timetuple().tm_yday - 1
        rows.append([*circle(time.hour / 24), *circle(day / 365.25)])
    return np.array(rows)


@right("03b.4")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days) / np.timedelta64(1, "D")
    day = (days - times.astype("datetime64[Y]")) / np.timedelta64(1, "D") / 365.25
    angles = 2 * np.pi * np.array([hour, day])
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).reshape(4, -1).T


@wrong("03b.4", says="one turn a day")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    return np.column_stack([*circle(hour / 12), *circle(day / 365.25)])


@wrong("03b.4", says="the first day of the year is day 0")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int) + 1
    return np.column_stack([*circle(hour / 24), *circle(day / 365.25)])


@wrong("03b.4", says="sine first, then cosine")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    return np.column_stack([*circle(hour / 24)[::-1], *circle(day / 365.25)[::-1]])


@wrong("03b.4", says="the calendar inputs have the shape (4, 6)")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    return np.array([*circle(hour / 24), *circle(day / 365.25)])


@wrong("03b.4", says="a whole number")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (times - times.astype("datetime64[Y]")).astype(int) / 24
    return np.column_stack([*circle(hour / 24), *circle(day / 365.25)])


@wrong("03b.4", says="the hour first")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    return np.column_stack([*circle(day / 365.25), *circle(hour / 24)])


@wrong("03b.4", says="the calendar inputs")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    month = times.astype("datetime64[M]").astype(int) % 12
    return np.column_stack([*circle(hour / 24), *circle(month / 12)])


@wrong("03b.4", says="the calendar inputs")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    one, other = hour / 24, day / 365.25
    return np.column_stack([np.sin(one), np.cos(one), np.sin(other), np.cos(other)])


@wrong("03b.4", says="divide the day of the year by 365.25")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    day = (days - times.astype("datetime64[Y]")).astype(int)
    return np.column_stack([*circle(hour / 24), *circle(day / 365)])


@wrong("03b.4", says="AttributeError")
def calendar(times):
    return np.column_stack([*circle(times.hour / 24), *circle(times.dayofyear / 365.25)])


@wrong("03b.4", says="the calendar inputs")
def calendar(times):
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int)
    week = days.astype(int) % 7
    return np.column_stack([*circle(hour / 24), *circle(week / 7)])


@wrong("03b.4")
def calendar(times):
    hour = 2 * np.pi * (times.astype(int) % 24) / 24
    days = (times - times[0].astype("datetime64[Y]")).astype(int) // 24
    day = 2 * np.pi * days / 365.25
    return np.column_stack([np.sin(hour), np.cos(hour), np.sin(day), np.cos(day)])


# 03b.5


@right("03b.5")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        total = 0.0
        for k, q in enumerate(quantiles):
            error = targets - forecasts[..., k]
            total += ops.mean(q * ops.relu(error) + (1 - q) * ops.relu(-error))
        return total / len(quantiles)

    return loss


@right("03b.5")
def pinball_loss(quantiles):
    q = np.array(quantiles, "float32")

    def loss(y_true, y_pred):
        e = ops.expand_dims(y_true, -1) - y_pred
        return ops.mean(ops.where(e > 0, q * e, (q - 1) * e))

    return loss


@right("03b.5")
def pinball_loss(quantiles):
    q = ops.convert_to_tensor(quantiles, dtype="float32")
    below = lambda y, f: ops.cast(y[..., None] < f, "float32")
    return lambda y, f: ops.mean((y[..., None] - f) * (q - below(y, f)))


@right("03b.5")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        e = ops.expand_dims(targets, 2) - forecasts
        q = ops.reshape(ops.array(quantiles, "float32"), (1, 1, -1))
        return ops.mean(0.5 * ops.abs(e) + (q - 0.5) * e)

    return loss


@wrong("03b.5", says="q and 1 − q")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = forecasts - targets[..., None]
        return ops.mean(ops.maximum(q * e, (q - 1) * e))

    return loss


@wrong("03b.5", says="the loss")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.mean(ops.maximum(q * e, (1 - q) * e))

    return loss


@wrong("03b.5", says="NumPy has no gradients")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = np.array(quantiles)
        e = np.asarray(targets)[..., None] - np.asarray(forecasts)
        return np.maximum(q * e, (q - 1) * e).mean()

    return loss


@wrong("03b.5", says="the mean over all")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.mean(ops.maximum(q * e, (q - 1) * e), axis=-1)

    return loss


@wrong("03b.5", says="the mean over all, not the sum")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.sum(ops.maximum(q * e, (q - 1) * e))

    return loss


@wrong("03b.5", says="a last axis for the quantiles")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets - forecasts
        return ops.mean(ops.maximum(q * e, (q - 1) * e))

    return loss


@wrong("03b.5", says="over the quantiles, too")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.mean(ops.sum(ops.maximum(q * e, (q - 1) * e), axis=-1))

    return loss


@wrong("03b.5", says="return a function")
def pinball_loss(quantiles):
    return ops.array(quantiles, "float32")


@wrong("03b.5", says="in the line")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        e = targets[..., None] - forecasts
        return ops.mean(ops.maximum(quantiles * e, (quantiles - 1) * e))

    return loss


@wrong("03b.5", says="the loss")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.mean(ops.where(e > 0, q * e, (q - 1) * e) ** 2)

    return loss


@wrong("03b.5", says="the loss")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.mean(ops.array(quantiles, "float32"))
        e = targets[..., None] - forecasts
        return ops.mean(ops.maximum(q * e, (q - 1) * e))

    return loss


@wrong("03b.5", says="return a function")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.array(quantiles, "float32")
        e = targets[..., None] - forecasts
        return ops.mean(ops.maximum(q * e, (q - 1) * e))


@wrong("03b.5", says="use keras.ops")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        difference = np.array(targets)[:, :, None] - np.array(forecasts)
        q = np.array(quantiles)
        return ops.convert_to_tensor(np.maximum(q * difference, (q - 1) * difference).mean())

    return loss


@wrong("03b.5", says="no gradient reaches the forecasts")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.convert_to_tensor(quantiles, "float32")
        difference = targets[:, :, None] - ops.round(forecasts * 1e5) / 1e5
        return ops.mean(ops.maximum(q * difference, (q - 1) * difference))

    return loss


@wrong("03b.5")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.convert_to_tensor(quantiles, "float32")
        difference = targets[:, :, None] - forecasts
        losses = ops.maximum(q * difference, (q - 1) * difference)
        return ops.sum(losses) / (5 * 4 * len(quantiles))

    return loss


@wrong("03b.5", says="not the gradients")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.convert_to_tensor(quantiles, "float32")
        e = targets[:, :, None] - forecasts
        return ops.mean(ops.where(e > 0, q * e, ops.stop_gradient((q - 1) * e)))

    return loss


@wrong("03b.5", says="the loss")
def pinball_loss(quantiles):
    def loss(targets, forecasts):
        q = ops.convert_to_tensor(sorted(quantiles), "float32")
        e = targets[:, :, None] - forecasts
        return ops.mean(ops.maximum(q * e, (q - 1) * e))

    return loss


# 03b.6


def fitted(data, split=None, body="linear", rate=0.003, epochs=6, quantiles=(0.1, 0.9)):
    model = forecaster(BODIES[body](), scale=5.0, outputs=2)
    model.compile(keras.optimizers.Adam(rate), pinball_loss(list(quantiles)))
    split = split or data.train
    model.fit(split.inputs, split.targets, batch_size=64, epochs=epochs, verbose=0)
    return model


def joined(*splits):
    names = ("inputs", "targets")
    return Split(*(np.concatenate([getattr(one, name) for one in splits]) for name in names))


@right("03b.6", trains=True)
def train_quantiles(data):
    return fitted(data, rate=0.002, epochs=8)


@right("03b.6", trains=True)
def train_quantiles(data):
    class Interval(keras.Model):
        def __init__(self):
            super().__init__()
            self.change = layers.Dense(48, kernel_initializer="zeros")

        def call(self, windows):
            last = windows[:, -1:]
            path = ops.reshape(self.change((windows - last) / 5.0), (-1, 24, 2)) * 5.0
            return last[:, :, None] + path

    model = Interval()
    model.compile(keras.optimizers.Adam(0.003), pinball_loss([0.1, 0.9]))
    training.fit(model, data, epochs=6, batch_size=64)
    return model


def outside(data, split, epochs):
    """Trained on changes, which are computed before the network and undone behind it."""
    last = split.inputs[:, -1:]
    network = keras.Sequential([layers.Dense(48), layers.Reshape((24, 2))])
    network.compile(keras.optimizers.Adam(0.002), pinball_loss([0.1, 0.9]))
    x, y = (split.inputs - last) / 5, (split.targets - last) / 5
    network.fit(x, y, batch_size=64, epochs=epochs, verbose=0)
    windows = keras.Input((96,))
    now = windows[:, -1:]
    return keras.Model(windows, now[:, :, None] + 5 * network((windows - now) / 5))


@right("03b.6", trains=True)
def train_quantiles(data):
    return outside(data, data.train, epochs=6)


@wrong("03b.6", says="you train on the validation windows", trains=True)
def train_quantiles(data):
    return outside(data, joined(data.train, data.val), epochs=1)


@wrong("03b.6", says="other windows than you got", trains=True)
def train_quantiles(data):
    from lectures.lecture_03b.series import cut_windows, load_series

    return fitted(data, cut_windows(load_series(), 96, 24).train, epochs=1)


@wrong("03b.6", says="you train on the validation windows", trains=True)
def train_quantiles(data):
    return fitted(data, joined(data.train, data.val), epochs=1)


@wrong("03b.6", says="you train on the test windows", trains=True)
def train_quantiles(data):
    return fitted(data, joined(data.train, data.test), epochs=1)


@wrong("03b.6", says="you train on the validation windows", trains=True)
def train_quantiles(data):
    from lectures.lecture_03b.series import cut_windows, load_series

    whole = cut_windows(load_series(), 96, 24)
    return fitted(data, joined(whole.train, whole.val), epochs=1)


@wrong("03b.6", says="other windows than you got", trains=True)
def train_quantiles(data):
    draw = np.random.default_rng(0)
    noise = Split(draw.normal(size=(640, 96)), draw.normal(size=(640, 24)))
    return fitted(data, noise, epochs=1)


@wrong("03b.6", says="quantile 0.1 comes first", trains=True)
def train_quantiles(data):
    return fitted(data, quantiles=(0.9, 0.1), epochs=2)


@wrong("03b.6", says="of the validation targets lie between", trains=True)
def train_quantiles(data):
    return fitted(data, quantiles=(0.25, 0.75), epochs=4)


@wrong("03b.6", says="the loss", trains=True)
def train_quantiles(data):
    return fitted(data, rate=1e-6, epochs=1)


@wrong("03b.6", says="of the first three hours lie inside", trains=True)
def train_quantiles(data):
    one = forecaster(BODIES["linear"](), scale=5.0)
    one.compile(keras.optimizers.Adam(0.003), "mae")
    one.fit(data.train.inputs, data.train.targets, batch_size=64, epochs=3, verbose=0)
    path = one.output
    return keras.Model(one.input, ops.stack([path - 2.9, path + 2.9], axis=-1))


@wrong("03b.6", says="the model is not trained")
def train_quantiles(data):
    return forecaster(BODIES["linear"](), scale=5.0, outputs=2)


@wrong("03b.6", says="two quantiles for 24 hours", trains=True)
def train_quantiles(data):
    model = forecaster(BODIES["linear"](), scale=5.0)
    model.compile("adam", "mae")
    model.fit(data.train.inputs[:640], data.train.targets[:640], verbose=0)
    return model


@wrong("03b.6", says="return the trained model", trains=True)
def train_quantiles(data):
    model = forecaster(BODIES["linear"](), scale=5.0, outputs=2)
    model.compile(keras.optimizers.Adam(0.003), pinball_loss([0.1, 0.9]))
    return training.fit(model, data, epochs=1, batch_size=512)


# 03b.7


@right("03b.7")
def block_means(values, starts, block):
    total = np.cumsum(np.insert(values, 0, 0.0))
    sums = total[starts + block] - total[starts]
    return sums.sum(axis=1) / (block * starts.shape[1])


@right("03b.7")
def block_means(values, starts, block):
    means = []
    for row in starts:
        means.append(np.concatenate([values[s : s + block] for s in row]).mean())
    return np.array(means)


@right("03b.7")
def block_means(values, starts, block):
    windows = np.lib.stride_tricks.sliding_window_view(values, block).mean(axis=1)
    return windows[starts].mean(axis=-1)


@right("03b.7")
def block_means(values, starts, block):
    return np.mean([values[starts + k].mean(axis=1) for k in range(block)], axis=0)


@wrong("03b.7", says="each start stands for a block")
def block_means(values, starts, block):
    return values[starts].mean(axis=1)


@wrong("03b.7", says="a block has `block` steps")
def block_means(values, starts, block):
    return np.mean([values[starts + k].mean(axis=1) for k in range(block + 1)], axis=0)


@wrong("03b.7", says="not its distance")
def block_means(values, starts, block):
    means = values[starts[..., None] + np.arange(block)].mean(axis=(1, 2))
    return means - values.mean()


@wrong("03b.7", says="one mean for each resample")
def block_means(values, starts, block):
    return values[starts[..., None] + np.arange(block)].mean()


@wrong("03b.7", says="the mean runs over all blocks")
def block_means(values, starts, block):
    return values[starts[..., None] + np.arange(block)].mean(axis=-1)


@wrong("03b.7", says="that is the sum")
def block_means(values, starts, block):
    return values[starts[..., None] + np.arange(block)].sum(axis=(1, 2))


@wrong("03b.7", says="the means")
def block_means(values, starts, block):
    return np.mean([values[starts - k].mean(axis=1) for k in range(block)], axis=0)


@wrong("03b.7", says="the means")
def block_means(values, starts, block):
    return values[starts[..., None] + np.arange(block)].sum(axis=(1, 2)) / block


@wrong("03b.7", says="the means")
def block_means(values, starts, block):
    return np.mean([values[starts * block + k].mean(axis=1) for k in range(block)], axis=0)


@wrong("03b.7", says="a NumPy array is asked for")
def block_means(values, starts, block):
    return [np.mean([values[s : s + block] for s in row]) for row in starts]


@wrong("03b.7", says="not resamples")
def block_means(values, starts, block):
    return values[starts[..., None] + np.arange(block)].mean(axis=(0, 2))


@wrong("03b.7", says="TypeError")
def block_means(values, starts, block):
    return values[starts : starts + block].mean(axis=1)


@wrong("03b.7")
def block_means(values, starts, block):
    steps = starts[:, :, None] + np.arange(block)
    return values[np.minimum(steps, len(values) - 2)].mean(axis=(1, 2))
