"""What the full profile of lab 03b records: every forecast of a series."""

from functools import partial

import keras
import numpy as np
from sklearn.linear_model import Ridge

from course_utils import results, training
from lectures.lecture_03b import (
    BODIES,
    HORIZON,
    HOURS,
    KNOWN,
    STRENGTH,
    STRENGTHS,
    forecast_by_changes,
    forecaster,
    ridge_with,
    seasonal_naive,
)
from lectures.lecture_03b.series import cut_windows, load_series, training_scale

LECTURE = "03b_lab_forecasting"
SURE = {"one_seed_because": "nothing is random"}


def record_all(seed):
    """Train and record what the lab shows as recorded: 20 runs and three tables."""
    for source in ("embedded", "etth1"):
        series = load_series(source)
        record_simple(series)
        record_linear(series)
        record_forecasts(series, seed)
    record_windows(load_series("embedded"))


def errors_of(forecast, data, parts=("val", "test")):
    """Return the errors of a forecast, a function of a Split, on these parts."""
    splits = {name: data.split(name) for name in parts}
    return {
        f"{name}_mae": float(np.abs(forecast(split) - split.targets).mean())
        for name, split in splits.items()
    }


def by_changes(train, strength):
    """Return ridge regression on changes alone, as a function of a Split."""
    inputs = train.inputs.astype("float64")
    return lambda part: forecast_by_changes(inputs, train.targets, part.inputs, strength)


def record_linear(series):
    """Record ridge regression by its inputs and by its strength; and its best, as a run.

    The strength is chosen on the validation part, the test part is read once, afterwards.
    """
    data, rows = cut_windows(series, HOURS, HORIZON), []
    for known in ("changes", *KNOWN):
        tried = []
        for strength in STRENGTHS:
            forecast = by_changes(data.train, strength)
            if known in KNOWN:
                forecast = partial(ridge_with, known, data.train, strength=strength)
            row = {"inputs": known, "strength": strength, **errors_of(forecast, data, ["val"])}
            rows.append(row)
            tried.append((row["val_mae"], strength, forecast))
        if known == "calendar and level":
            _, strength, forecast = min(tried, key=lambda one: one[0])
            results.record(
                LECTURE, "ridge_level", series.name, errors_of(forecast, data),
                source=series.source, settings={"strength": strength, **SURE},
            )  # fmt: skip
    note = "Mean absolute error of ridge regression, °C, by its inputs and by lambda."
    results.record_table(LECTURE, f"ridge-{series.name}", rows, note)


def record_windows(series):
    """Record what the strength does by the number of training windows, and one year's windows.

    The windows are spread over both training years; those of "first year" are all of it.
    """
    data, rows = cut_windows(series, HOURS, HORIZON), []
    for count in (100, 1_000, len(data.train)):
        some = np.linspace(0, len(data.train) - 1, count).astype(int)
        for strength in STRENGTHS:
            forecast = by_changes(data.train.take(some), strength)
            found = errors_of(forecast, data, ["val"])
            rows.append(
                {"windows": str(count), "inputs": "changes", "strength": strength, **found}
            )
    year = data.train.take(slice(0, 365 * 24 - HOURS - HORIZON + 1))
    for known in ("changes", "calendar"):
        forecast = by_changes(year, STRENGTH)
        if known in KNOWN:
            forecast = partial(ridge_with, known, year)
        found = errors_of(forecast, data, ["val"])
        rows.append({"windows": "first year", "inputs": known, "strength": STRENGTH, **found})
    note = "Mean absolute error of ridge regression, °C, by the training windows."
    results.record_table(LECTURE, "ridge-windows", rows, note)


def record_simple(series):
    """Record the forecasts that choose nothing: naive ones, and ridge regression at 100."""
    data = cut_windows(series, HOURS, HORIZON)
    train = data.train
    levels = Ridge(STRENGTH).fit(train.inputs, train.targets)
    simple = {
        "last_value": lambda part: seasonal_naive(part.inputs, HORIZON, 1),
        "same_hour_yesterday": lambda part: seasonal_naive(part.inputs, HORIZON, 24),
        "ridge": by_changes(train, STRENGTH),
        "ridge_levels": lambda part: levels.predict(part.inputs),
        "ridge_calendar": partial(ridge_with, "calendar", train),
    }
    for name, forecast in simple.items():
        results.record(
            LECTURE, name, series.name, errors_of(forecast, data),
            source=series.source, settings=SURE,
        )  # fmt: skip


def record_forecasts(series, seed):
    """Record the networks of a series: 96 hours are read by all, 24 are forecast.

    They get eight epochs, and the best of five learning rates and of the epochs on the
    validation part; the test part is read once, afterwards.
    """
    data = cut_windows(series, HOURS, HORIZON)
    _, deviation = training_scale(series)
    for name, body in BODIES.items():
        runs = []
        for rate in (0.0003, 0.001, 0.003, 0.01, 0.03):
            keras.utils.set_random_seed(seed)
            model = forecaster(body(), deviation)
            model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss="mae")
            settings = {"learning_rate": rate, "hours": HOURS, "batch_size": 64}
            run = training.fit(
                model, data, 8, batch_size=64, patience=8, monitor="val_loss",
                source=series.source, settings=settings,
            )  # fmt: skip
            runs.append((min(run.history["val_loss"]), rate, run, model))
        _, rate, run, model = min(runs, key=lambda each: each[0])
        run.settings["validation_by_learning_rate"] = {str(each[1]): each[0] for each in runs}
        final = errors_of(
            lambda part, model=model: model.predict(part.inputs, 512, verbose=0), data
        )
        run.record(LECTURE, name, series.name, **final)
