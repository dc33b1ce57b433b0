"""Lab 03b: forecasts and their evaluation: naive, ridge, networks, quantiles, backtests.

Shapes: windows (windows, hours) end with hour t, targets (windows, horizon) begin at t+1.

Sources: Hoerl and Kennard (1970), ridge regression; Zeng, Chen, Zhang and Xu (2023), "Are
Transformers effective for time series forecasting?" (NLinear: a linear layer on changes from
the last value); Koenker and Bassett (1978), quantiles and their loss; Künsch (1989), the block
bootstrap; Politis and Romano (1992), its circular form.
"""

import keras
import numpy as np
from keras import layers, ops
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors

from course_utils import training

HOURS, HORIZON = 96, 24
STRENGTHS = 1.0, 100.0, 10_000.0  # of ridge regression: the grid
STRENGTH = 100.0


def trailing_mean(x, hours):
    """Smooth a series without using its future.

    Args:
        x: (steps,). hours: how many values each mean covers, the present one included.

    Returns:
        NumPy array (steps - hours + 1,): the first value is the mean of x[0] … x[hours - 1] and
        belongs to step hours - 1, the next one to step hours, and so on.
    """
    return np.convolve(x, np.ones(hours) / hours, "valid")


def seasonal_naive(windows, horizon, period):
    """Forecast that every hour will be like the hour `period` hours before it.

    Args:
        windows: (windows, hours), the last value is that of hour t.
        horizon: how many hours t+1, t+2, … to forecast; it may be longer than the period.
        period: 24 for "like yesterday", 1 for "like the last value"; at most `hours`.

    Returns:
        NumPy array (windows, horizon).
    """
    return windows[:, -period:][:, np.arange(horizon) % period]


def calendar(times):
    """Tell the hour of the day and the day of the year so that their ends meet.

    Args:
        times: datetime64[h], (hours,).

    Returns:
        NumPy array (hours, 4): sine and cosine of 2π · hour of the day / 24, then sine and
        cosine of 2π · (day of the year, from 0) / 365.25.
    """
    days = times.astype("datetime64[D]")
    hour = (times - days).astype(int) / 24
    day = (days - times.astype("datetime64[Y]")).astype(int) / 365.25
    return np.column_stack([
        np.sin(2 * np.pi * hour), np.cos(2 * np.pi * hour),
        np.sin(2 * np.pi * day), np.cos(2 * np.pi * day),
    ])  # fmt: skip


def forecast_by_changes(inputs, targets, new_inputs, strength):
    """Fit ridge regression, without a constant, to changes from the last value, and forecast.

    Args:
        inputs: (windows, length). targets: (windows, horizon).
        new_inputs: (others, length).
        strength: λ in w = (FᵀF + λI)⁻¹ FᵀY.

    Returns:
        Levels, not changes: (others, horizon).
    """
    F, Y = inputs - inputs[:, -1:], targets - inputs[:, -1:]
    weights = np.linalg.solve(F.T @ F + strength * np.eye(F.shape[1]), F.T @ Y)
    return new_inputs[:, -1:] + (new_inputs - new_inputs[:, -1:]) @ weights


KNOWN = {  # what is known at hour t besides the changes: columns for ridge regression
    "hour": lambda part: 10 * calendar(part.columns["time"])[:, :2],
    "season": lambda part: 10 * calendar(part.columns["time"])[:, 2:],
    "calendar": lambda part: 10 * calendar(part.columns["time"]),
    "level": lambda part: part.inputs[:, -1:],
    "hour and level": lambda part: np.column_stack([KNOWN["hour"](part), part.inputs[:, -1:]]),
    "season and level": lambda part: np.column_stack(
        [KNOWN["season"](part), part.inputs[:, -1:]]
    ),
    "calendar and level": lambda part: np.column_stack(
        [KNOWN["calendar"](part), part.inputs[:, -1:]]
    ),
}


def ridge_with(known, train, part, strength=STRENGTH):
    """Forecast a part by ridge regression on changes and on what else is known at hour t.

    Args:
        known: a key of `KNOWN`: "calendar" adds four columns, "calendar and level" five.
        train, part: Splits with `inputs`, `targets` and the column "time".
        strength: λ.

    Returns:
        Levels, (windows, horizon).
    """
    features = []
    for each in (train, part):
        moved = (each.inputs - each.inputs[:, -1:]).astype("float64")
        features.append(np.column_stack([moved, KNOWN[known](each)]))
    ridge = Ridge(strength).fit(features[0], train.targets - train.inputs[:, -1:])
    return part.inputs[:, -1:] + ridge.predict(features[1])


def forecaster(body, scale, outputs=1):
    """Return a network that forecasts the path by its change from the last value.

    Untrained, it forecasts the last value.

    Args:
        body: layers that turn (batch, HOURS, 1) into (batch, features).
        scale: the changes are divided by it, so that the network reads and writes numbers
            near 1.
        outputs: how many numbers to forecast per hour, such as quantiles.

    Returns:
        Keras model: windows (batch, HOURS) → (batch, HORIZON), or (batch, HORIZON, outputs)
        for several outputs.
    """
    window = keras.Input((HOURS,))
    last = window[:, -1:]
    moved = layers.Rescaling(1 / scale, dtype="float32")(window - last)
    features = keras.Sequential(body)(layers.Reshape((HOURS, 1))(moved))
    change = layers.Dense(HORIZON * outputs, kernel_initializer="zeros", dtype="float32")
    path = layers.Rescaling(scale, dtype="float32")(change(features))
    if outputs > 1:
        path, last = layers.Reshape((HORIZON, outputs))(path), last[:, :, None]
    return keras.Model(window, last + path)


BODIES = {
    "linear": lambda: [layers.Flatten()],
    "conv1d": lambda: [
        layers.Conv1D(32, 5, padding="causal", activation="relu"),
        layers.MaxPooling1D(2),
        layers.Conv1D(32, 5, padding="causal", activation="relu"),
        layers.Flatten(),
    ],
    "gru": lambda: [layers.GRU(32)],
    "lstm": lambda: [layers.LSTM(32)],
}


def pinball_loss(quantiles):
    """Return the loss whose smallest value is reached at the quantiles.

    Args:
        quantiles: a list such as [0.1, 0.5, 0.9].

    Returns:
        A function of targets (batch, horizon) and forecasts (batch, horizon, quantiles) that
        returns one number: the mean over all of q · (y − f) where y lies above the forecast f,
        and of (1 − q) · (f − y) where it lies below (Koenker and Bassett, 1978).
    """

    def loss(targets, forecasts):
        q = ops.convert_to_tensor(quantiles, "float32")
        difference = targets[:, :, None] - forecasts
        return ops.mean(ops.maximum(q * difference, (q - 1) * difference))

    return loss


def train_quantiles(data):
    """Train a network by `fit`, so that it forecasts an interval.

    Args:
        data: Dataset of windows: inputs (windows, 96), targets (windows, 24), in °C.

    Returns:
        A trained Keras model: windows (batch, 96) → (batch, 24, 2), the quantiles 0.1 and 0.9.
        Between the two lie 75 % to 85 % of the validation targets.
    """
    model = forecaster(BODIES["linear"](), scale=5.0, outputs=2)
    model.compile(keras.optimizers.Adam(0.003), pinball_loss([0.1, 0.9]))
    training.fit(model, data, epochs=6, batch_size=64, monitor="val_loss")
    return model


def coverage(model, part):
    """Return the share of a Split's targets that lie between the model's two quantiles."""
    low, high = np.moveaxis(model.predict(part.inputs, batch_size=512, verbose=0), -1, 0)
    return float(((low <= part.targets) & (part.targets <= high)).mean())


def block_means(values, starts, block):
    """Resample a series in blocks and return the mean of each resample.

    Args:
        values: (steps,), such as the difference of two errors, hour by hour.
        starts: int, (resamples, blocks): the steps at which the chosen blocks begin.
        block: how many steps a block has; none runs over the end.

    Returns:
        NumPy array (resamples,): the mean over all blocks of each resample.
    """
    steps = starts[:, :, None] + np.arange(block)
    return values[steps].mean(axis=(1, 2))


def nearest_forecast(x, y, fit, judge, apart=0, count=5):
    """Forecast the windows `judge` by the mean of what followed the most similar ones of `fit`.

    Args:
        x: inputs (windows, length). y: targets (windows, horizon). Both in the order of time.
        fit, judge: indices of windows.
        apart: windows of `fit` that begin fewer hours away than this are left out.
        count: how many similar windows to take.

    Returns:
        Forecasts (len(judge), horizon), and how many hours away the most similar window begins
        (len(judge),).
    """
    search = NearestNeighbors(n_neighbors=count + 2 * apart).fit(x[fit])
    similar = fit[search.kneighbors(x[judge], return_distance=False)]
    away = abs(similar - judge[:, None])
    first = np.argsort(away < apart, axis=1, kind="stable")[:, :count]
    chosen = np.take_along_axis(similar, first, axis=1)
    return y[chosen].mean(axis=1), abs(chosen[:, 0] - judge)


def bootstrap_interval(values, block):
    """Return the 2.5 % and the 97.5 % quantile of the mean of a series, by block bootstrap.

    The series is closed to a circle, so that every step is drawn equally often.
    """
    shape = 2_000, len(values) // block
    starts = np.random.default_rng(0).integers(0, len(values), size=shape)
    circle = np.append(values, values[: block - 1])
    return np.percentile(block_means(circle, starts, block), [2.5, 97.5])


def rolling_origin(inputs, targets, first, step):
    """Refit ridge regression at each origin on all windows before it; forecast the next ones.

    Windows whose targets reach beyond the origin are left out of the fit.

    Args:
        inputs, targets: (windows, hours) and (windows, horizon), in the order of time.
        first: the first origin.
        step: windows from one origin to the next.

    Yields:
        (origin, forecasts, targets).
    """
    for origin in range(first, len(inputs) - step + 1, step):
        known, asked = slice(0, origin - HORIZON + 1), slice(origin, origin + step)
        forecasts = forecast_by_changes(inputs[known], targets[known], inputs[asked], STRENGTH)
        yield origin, forecasts, targets[asked]
