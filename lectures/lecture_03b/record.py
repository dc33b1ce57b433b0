"""What the full profile of lab 03b records: every forecast of a series."""

import keras
import numpy as np
from sklearn.linear_model import Ridge

from course_utils import results, training
from lectures.lecture_03b import (
    BODIES,
    HORIZON,
    HOURS,
    STRENGTH,
    forecast_by_changes,
    forecaster,
    ridge_with_calendar,
    seasonal_naive,
)
from lectures.lecture_03b.series import cut_windows, load_series, training_scale

LECTURE = "03b_lab_forecasting"


def record_all(seed):
    """Train and record what the lab shows as recorded: 24 runs."""
    for source in ("embedded", "etth1"):
        record_forecasts(load_series(source), seed)


def record_forecasts(series, seed):
    """Record every forecast of a series: 96 hours are read by all, 24 are forecast.

    Networks get eight epochs, and the best of five learning rates and of the epochs on the
    validation part; the test part is read once, afterwards.
    """
    data = cut_windows(series, HOURS, HORIZON)
    train, (_, deviation) = data.train, training_scale(series)

    def errors(forecast):
        return {
            f"{part}_mae": float(np.abs(forecast(split.inputs, split) - split.targets).mean())
            for part, split in (("val", data.val), ("test", data.test))
        }

    levels = Ridge(STRENGTH).fit(train.inputs, train.targets)
    simple = {
        "last_value": lambda x, part: seasonal_naive(x, HORIZON, 1),
        "same_hour_yesterday": lambda x, part: seasonal_naive(x, HORIZON, 24),
        "ridge": lambda x, part: forecast_by_changes(train.inputs, train.targets, x, STRENGTH),
        "ridge_levels": lambda x, part: levels.predict(x),
        "ridge_calendar": lambda x, part: ridge_with_calendar(train, part),
    }
    for name, forecast in simple.items():
        results.record(LECTURE, name, series.name, errors(forecast), source=series.source)
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
        final = errors(lambda x, part, model=model: model.predict(x, 512, verbose=0))
        run.record(LECTURE, name, series.name, **final)
