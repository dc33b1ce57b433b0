"""Windows on a series that learn nothing from the future, and a scale of the training part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, whole_number
from course_utils.data.series import PARTS, Series


def window_pairs(values, length, horizon):
    """All windows of one part: the last input is hour t, the targets are t+1 … t+horizon.

    values: (hours, …). Returns inputs (windows, length, …) and targets (windows, horizon, …);
    hours - length - horizon + 1 windows, each an hour later than the one before.
    """
    whole_number("length", length, at_least=1)
    whole_number("horizon", horizon, at_least=1)
    if length + horizon > len(values):
        raise ValueError(
            f"a window of {length} hours and its horizon of {horizon} need {length + horizon} "
            f"hours, but there are only {len(values)}"
        )
    both = np.lib.stride_tricks.sliding_window_view(values, length + horizon, axis=0)
    both = np.moveaxis(both, -1, 1)
    return both[:, :length], both[:, length:]


def cut_windows(
    series: Series, length: int, horizon: int, columns: Sequence[str] | None = None
) -> Dataset:
    """Windows of each part of a series, in its own units; none of them crosses a cut.

    inputs: float32 (windows, length) of the target column, or, where columns are named,
        (windows, length, columns). The last input is hour t.
    targets: float32 (windows, horizon): the target column at the hours t+1 … t+horizon.
    columns["time"]: hour t of each window, datetime64[h].

    Windows that touch a filled hour of the series are left out. Raises ValueError for a length
    or horizon below 1, more hours than the shortest part has, an unknown column, or filled
    hours that leave a part without windows.
    """
    whole_number("length", length, at_least=1)
    whole_number("horizon", horizon, at_least=1)
    if columns is not None:
        _check_names(columns, series)
    sizes = {part: series.hours(part).stop - series.hours(part).start for part in PARTS}
    shortest = min(sizes, key=sizes.get)
    if length + horizon > sizes[shortest]:
        raise ValueError(
            f"a window of {length} hours and its horizon of {horizon} need {length + horizon} "
            f"hours in one part, but {shortest} of {series.name} has only {sizes[shortest]}"
        )
    target = series.column()
    read = target if columns is None else np.stack([series.column(c) for c in columns], axis=1)

    def split(part: str) -> Split:
        hours = series.hours(part)
        inputs, _ = window_pairs(read[hours], length, horizon)
        _, targets = window_pairs(target[hours], length, horizon)
        times = series.times[hours][length - 1 :][: len(targets)]
        kept = slice(None)
        if series.filled is not None:
            before, after = window_pairs(series.filled[hours], length, horizon)
            kept = ~(before.any(axis=1) | after.any(axis=1))
            if not kept.any():
                raise ValueError(
                    f"no window of {length} + {horizon} hours in {part} is free of filled hours"
                )
        return Split(
            inputs[kept].astype("float32"),
            targets[kept].astype("float32"),
            columns={"time": times[kept]},
        )

    return Dataset(
        series.name,
        *(split(part) for part in PARTS),
        source=series.source,
        licence=series.licence,
    )


def training_scale(series: Series, columns: Sequence[str] | None = None):
    """Mean and standard deviation of each column, over the training part alone.

    columns: None for the target only, which gives two numbers; otherwise two arrays (columns,).
    Filled hours do not count. Raises ValueError for an unknown or a constant column.
    """
    hours = series.hours("train")
    kept = slice(None) if series.filled is None else ~series.filled[hours]
    if columns is not None:
        _check_names(columns, series)
    names = [series.target] if columns is None else list(columns)
    values = np.stack([series.column(name)[hours][kept] for name in names], axis=1)
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    if (deviation == 0).any():
        constant = names[int(np.argmin(deviation))]
        raise ValueError(f"{constant} never changes in the training part: it has no scale")
    return (float(mean[0]), float(deviation[0])) if columns is None else (mean, deviation)


def _check_names(columns, series):
    if isinstance(columns, str) or len(columns) == 0:
        raise ValueError(
            f"columns has to be a list of names out of {series.columns}, got {columns!r}"
        )
    for name in columns:
        one_of("column", name, series.columns)
