"""A time series: hourly values in named columns, cut by time into three parts."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from numbers import Integral
from pathlib import Path

import numpy as np

from course_utils.data import temperature
from course_utils.data.base import Dataset, Split, one_of

SOURCES = ("embedded", "etth1", "jena")
PARTS = ("train", "val", "test")
HOUR = np.timedelta64(1, "h")


@dataclass(frozen=True)
class Series:
    """An hourly series without gaps, and where it is cut.

    times: datetime64[h] (hours,), each an hour after the one before.
    values: float64 (hours, columns), all of them finite, in the unit of their column.
    columns, units: a name and a unit for each column; "" where the unit is not stated.
    target: the column that is to be forecast.
    cuts: hours at which the validation part begins, the test part begins, and the test part
        ends, counted from 0; the training part begins at 0.
    filled: bool (hours,), True where the source has no value and one was put in so that the
        hours stay whole; None where there are none. `cut_windows` leaves them out.
    labels: further columns (hours,) that are not for forecasting, such as the kind of the day.

    Raises ValueError for gaps, repeated hours, values that are not finite, columns and units
    that do not fit, an unknown target, or cuts outside the series.
    """

    name: str
    times: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...]
    units: tuple[str, ...]
    target: str
    cuts: tuple[int, int, int]
    filled: np.ndarray | None = None
    labels: dict[str, np.ndarray] | None = None
    source: str = ""
    licence: str = ""

    def __post_init__(self):
        if self.values.shape != (len(self.times), len(self.columns)):
            raise ValueError(
                f"values have the shape {self.values.shape}; {len(self.times)} hours of "
                f"{len(self.columns)} columns need ({len(self.times)}, {len(self.columns)})"
            )
        if len(self.units) != len(self.columns):
            raise ValueError(f"{len(self.columns)} columns need as many units: {self.units}")
        if len(set(self.columns)) < len(self.columns):
            raise ValueError(f"a column's name stands there twice: {self.columns}")
        one_of("target", self.target, self.columns)
        refuse_gaps(self.times)
        if not np.isfinite(self.values).all():
            hour, column = np.argwhere(~np.isfinite(self.values))[0]
            raise ValueError(
                f"{self.columns[column]} at {self.times[hour]} is {self.values[hour, column]}; "
                "every hour needs a finite number"
            )
        whole = len(self.cuts) == 3 and all(isinstance(cut, Integral) for cut in self.cuts)
        if not whole or not 0 < self.cuts[0] < self.cuts[1] < self.cuts[2] <= len(self):
            raise ValueError(
                f"cuts are {self.cuts}; three rising whole hours from 1 to {len(self)} "
                "are needed: where validation begins, where test begins, where test ends"
            )

    def __len__(self) -> int:
        return len(self.times)

    def hours(self, part: str) -> slice:
        """The hours of "train", "val" or "test". Raises ValueError for another name."""
        one_of("part", part, PARTS)
        place = PARTS.index(part)
        return slice((0, *self.cuts)[place], self.cuts[place])

    def column(self, name: str | None = None) -> np.ndarray:
        """The values of one column, (hours,); of the target for None."""
        name = self.target if name is None else name
        one_of("column", name, self.columns)
        return self.values[:, self.columns.index(name)]

    @property
    def unit(self) -> str:
        """The target's unit."""
        return self.units[self.columns.index(self.target)]

    def __repr__(self) -> str:
        sizes = " / ".join(f"{part.stop - part.start:,}" for part in map(self.hours, PARTS))
        return f"Series({self.name}: {sizes} hours train / val / test; {self.target})"


def load_series(source: str = "embedded") -> Series:
    """An hourly series with a target to forecast, cut by time.

    source: "embedded", four years of the course's own weather (target: temperature in °C; cut
        after two years and after three); "etth1", the oil temperature of a power transformer
        with six loads, 2016 to 2018 (Zhou et al., 2021; target: OT in °C; cut after 12 and 16
        months of 30 days, and used up to 20, as in the paper); or "jena", the weather station
        of the Max Planck Institute for Biogeochemistry, 2009 to 2016 (hourly means; target:
        T (degC); cut after six years and after seven).

    Raises ValueError for another source, FileNotFoundError without data/temperature.csv.gz,
    and ConnectionError when a real series is neither here nor to be had.
    """
    one_of("source", source, SOURCES)
    if source == "embedded":
        series = _embedded()
    else:
        from course_utils.data import series_archives

        series = getattr(series_archives, source)()
    first, last = series.times[0], series.times[series.cuts[-1] - 1]
    print(f"{series!r} in {series.unit}, {first} to {last}\n{series.source}")
    return series


def load_days() -> Dataset:
    """Which kind of day was it? The days of the embedded series, each with its 24 temperatures.

    inputs: float32 (days, 24) in °C, from midnight on. targets: int32, what the weather did:
    class_names says what 0 to 4 mean. Cut by time like the series: 730 / 365 / 366 days.
    """
    series = _embedded()
    inputs = series.column().reshape(-1, 24).astype("float32")
    targets = series.labels["kind"].reshape(-1, 24)[:, 0]
    parts = [slice(part.start // 24, part.stop // 24) for part in map(series.hours, PARTS)]
    splits = [Split(inputs[part], targets[part]) for part in parts]
    return Dataset(
        "days",
        *splits,
        class_names=temperature.KINDS,
        source=series.source,
        licence=series.licence,
    )


def read_series(
    path,
    target: str,
    cuts: Sequence[int],
    units: Mapping[str, str] | None = None,
    name: str | None = None,
    **about: str,
) -> Series:
    """A series out of a CSV file of your own: a time in the first column, numbers in the rest.

    One row an hour, the first row names the columns; times as in 2016-07-01 00:00:00.

    target: the column to forecast. cuts: see `Series`. units: by column name, where known.
    about: `source` and `licence`.

    Raises ValueError for an empty file, text where a number should be, empty fields, gaps,
    repeated hours and whatever else `Series` refuses; the message names the row or the hour.
    """
    path = Path(path)
    try:
        header, *rows = csv.reader(path.read_text("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is no text in UTF-8: {error}") from None
    except ValueError:
        raise ValueError(f"{path.name} is empty: the first row names the columns") from None
    if len(header) < 2:
        line = f"{path.name}, line 1: {','.join(header)!r}"
        raise ValueError(f"{line} names no column beside the time; commas part the fields")
    header = [column.strip() for column in header]
    times, values = [], []
    for number, row in ((n, row) for n, row in enumerate(rows, start=2) if row):
        line = f"{path.name}, line {number}"
        if len(row) != len(header):
            raise ValueError(f"{line}: {len(row)} fields; the header has {len(header)}")
        times.append(_hour(row[0], line))
        values.append([_number(*pair, line) for pair in zip(header[1:], row[1:], strict=True)])
    columns = tuple(header[1:])
    for column in units or ():
        one_of("column in units", column, columns)
    return Series(
        name or path.stem,
        np.array(times, "datetime64[h]"),
        np.array(values, float).reshape(len(times), len(columns)),
        columns,
        tuple((units or {}).get(column, "") for column in columns),
        target,
        tuple(np.atleast_1d(cuts).tolist()),
        **about,
    )


def refuse_gaps(times: np.ndarray) -> None:
    """Raise ValueError unless each time is one hour after the one before."""
    if len(times) == 0:
        raise ValueError("the series is empty: it has no hours")
    steps = np.diff(times)
    if (steps == HOUR).all():
        return
    place = np.flatnonzero(steps != HOUR)[0]
    what = "a gap" if steps[place] > HOUR else "an hour that is repeated or out of order"
    raise ValueError(
        f"the series has {what}: after {times[place]} comes {times[place + 1]}; a series needs "
        "every hour once, in order"
    )


def _hour(text: str, line: str) -> np.datetime64:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        time = None
    if time is None or time.tzinfo:
        what = "a time with a zone" if time else "no time"
        raise ValueError(f"{line}: {text!r} is {what}; write it as 2016-07-01 00:00:00")
    hour = np.datetime64(time, "h")
    if hour != np.datetime64(time):
        raise ValueError(f"{line}: {text!r} is not on the hour; one row an hour is needed")
    return hour


def _number(column: str, text: str, line: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{line}: {column} is {text!r}; a number is needed") from None


def _embedded() -> Series:
    table = temperature.read()
    starts = [np.datetime64(f"{year}-01-01T00", "h") for year in (2023, 2024, 2025)]
    return Series(
        "temperature",
        table["time"],
        np.column_stack([table["temperature"], table["pressure"]]),
        ("temperature", "pressure"),
        ("°C", "hPa"),
        "temperature",
        tuple(int((start - table["time"][0]).astype(int)) for start in starts),
        labels={"kind": table["kind"]},
        source="made by course_utils.data.temperature",
        licence="CC0",
    )
