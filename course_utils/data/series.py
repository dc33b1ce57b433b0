"""Hourly series, cut by time into three parts; windows on them that know no later hour."""

import csv
import zipfile
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, read_table, whole_number
from course_utils.data.download import download
from course_utils.data.files import reading

PARTS = ("train", "val", "test")
HOUR = np.timedelta64(1, "h")
ETTH1 = "https://raw.githubusercontent.com/zhouhaoyi/ETDataset/main/ETT-small/ETTh1.csv"
ETTH1_SHA256 = "f18de3ad269cef59bb07b5438d79bb3042d3be49bdeecf01c1cd6d29695ee066"
JENA = (
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/jena_climate_2009_2016.csv.zip"
)
JENA_COLUMNS = (
    "p (mbar)|T (degC)|Tpot (K)|Tdew (degC)|rh (%)|VPmax (mbar)|VPact (mbar)|VPdef (mbar)|"
    "sh (g/kg)|H2OC (mmol/mol)|rho (g/m**3)|wv (m/s)|max. wv (m/s)|wd (deg)"
).split("|")
JENA_ROWS = 400_000  # at least; eight years of ten-minute readings are about 420,000
MONTH = 30 * 24


@dataclass(frozen=True)
class Series:
    """An hourly series without gaps, and where it is cut.

    times: datetime64[h] (hours,), each an hour after the one before.
    values: float64 (hours, columns), all of them finite.
    columns: their names. target, unit: the column that is to be forecast, and its unit.
    cuts: hours at which the validation part begins, the test part begins, and the test part
        ends, counted from 0; the training part begins at 0.
    filled: bool (hours,), True where the source has no value and one was put in so that the
        hours stay whole; None where there are none. `cut_windows` leaves them out.
    """

    name: str
    times: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...]
    target: str
    unit: str
    cuts: tuple[int, int, int]
    filled: np.ndarray | None = None
    source: str = ""
    licence: str = ""

    def __post_init__(self):
        for name, kinds, what in (("times", "M", "times"), ("values", "fiu", "numbers")):
            if getattr(getattr(self, name), "dtype", np.dtype(object)).kind not in kinds:
                got = getattr(self, name)
                raise ValueError(f"{name} have to be an array of {what}, got {got!r}")
        shape = (len(self.times), len(self.columns))
        if self.values.shape != shape:
            raise ValueError(f"values have the shape {self.values.shape} instead of {shape}")
        one_of("target", self.target, self.columns)
        steps = np.diff(self.times)
        for place in np.flatnonzero(steps != HOUR)[:1]:
            before, after = self.times[place : place + 2]
            what = "a gap" if after > before else "an hour repeated or out of order"
            raise ValueError(f"the series has {what}: after {before} comes {after}")
        for hour, column in np.argwhere(~np.isfinite(self.values))[:1]:
            found = f"{self.times[hour]} is {self.values[hour, column]}"
            raise ValueError(f"{self.columns[column]} at {found}, not a finite number")
        cuts = [whole_number("each of cuts", hour, at_least=0) for hour in self.cuts or ()]
        if len(cuts) != 3 or (np.diff([0, *cuts, len(self) + 1]) <= 0).any():
            raise ValueError(
                f"cuts are three rising hours from 1 to {len(self)}, not {self.cuts}"
            )
        object.__setattr__(self, "cuts", tuple(cuts))
        if self.filled is not None:
            filled = np.asarray(self.filled)
            if filled.dtype != bool or filled.shape != (len(self),):
                got = f"{filled.dtype} of shape {filled.shape}"
                raise ValueError(f"filled has to be bool of shape ({len(self)},), got {got}")
            object.__setattr__(self, "filled", filled)

    def __len__(self):
        return len(self.times)

    def hours(self, part):
        one_of("part", part, PARTS)
        place = PARTS.index(part)
        return slice((0, *self.cuts)[place], self.cuts[place])

    def column(self, name=None):
        name = self.target if name is None else name
        one_of("column", name, self.columns)
        return self.values[:, self.columns.index(name)]

    def __repr__(self):
        sizes = " / ".join(f"{part.stop - part.start:,}" for part in map(self.hours, PARTS))
        return f"Series({self.name}: {sizes} hours train / val / test; target {self.target})"


def load_series(source="embedded"):
    """Return an hourly `Series` with a target to forecast, cut by time.

    source: "embedded", four years of the course's own weather (target: temperature in °C; cut
        after two years and three); "etth1", the oil temperature of a power transformer with six
        loads (Zhou et al., 2021; cut after 12, 16 and 20 months of 30 days, as in the paper);
        or "jena", hourly means of the weather station of the Max Planck Institute for
        Biogeochemistry, 2009 to 2016 (target: T (degC); cut after six years and seven).
    Raises ConnectionError where a real series cannot be had.
    """
    loaders = {"embedded": _embedded, "etth1": _etth1, "jena": _jena}
    one_of("source", source, tuple(loaders))
    series = loaders[source]()
    first, last = series.times[0], series.times[series.cuts[-1] - 1]
    print(f"{series!r} in {series.unit}, {first} to {last}\n{series.source}")
    return series


def window_pairs(values, length, horizon):
    """Return all windows on an array: each one's inputs, and the targets that follow them.

    Window k begins at hour k; its targets are the `horizon` hours behind its inputs.

    values: (hours, …). Returns inputs (windows, length, …) and targets (windows, horizon, …).
    Raises ValueError for a length under 1, a horizon under 0, and fewer hours than both.
    """
    length = whole_number("length", length, at_least=1)
    horizon = whole_number("horizon", horizon, at_least=0)
    if length + horizon > len(values):
        raise ValueError(f"{len(values)} hours are fewer than {length} + {horizon}")
    both = np.lib.stride_tricks.sliding_window_view(values, length + horizon, axis=0)
    both = np.moveaxis(both, -1, 1)
    return both[:, :length], both[:, length:]


def cut_windows(series, length, horizon):
    """Return the windows of each part of a series as a `Dataset`; none of them crosses a cut.

    inputs: float32 (windows, length), the target column, in its own unit, up to hour t.
    targets: float32 (windows, horizon): the same column at the hours t+1 … t+horizon.
    columns["time"]: hour t of each window, datetime64[h].

    Windows that touch a filled hour of the series are left out.
    """
    length = whole_number("length", length, at_least=1)
    horizon = whole_number("horizon", horizon, at_least=1)
    read = series.column()

    def split(part):
        hours = series.hours(part)
        if length + horizon > len(read[hours]):
            have = f"{part} of {series.name} has only {len(read[hours])} hours"
            raise ValueError(f"{have}; a window and its horizon need {length + horizon}")
        inputs, targets = window_pairs(read[hours], length, horizon)
        times = series.times[hours][length - 1 :][: len(targets)]
        kept = slice(None)
        if series.filled is not None:
            both, _ = window_pairs(series.filled[hours], length + horizon, 0)
            kept = ~both.any(axis=1)
        inputs, targets = (part[kept].astype("float32") for part in (inputs, targets))
        return Split(inputs, targets, columns={"time": times[kept]})

    parts = map(split, PARTS)
    return Dataset(series.name, *parts, source=series.source, licence=series.licence)


def training_scale(series):
    """Return mean and standard deviation of the target, over the training part alone.

    Filled hours do not count. Raises ValueError where nothing can be divided by the standard
    deviation: all hours are filled, or all values equal.
    """
    hours = series.hours("train")
    kept = slice(None) if series.filled is None else ~series.filled[hours]
    values = series.column()[hours][kept]
    if not len(values) or values.min() == values.max():
        only = f"only the value {values[0]}" if len(values) else "no value"
        raise ValueError(f"{series.target} of {series.name} has {only} in training: no scale")
    return float(values.mean()), float(values.std())


def _hours_before(years, times):
    """How many hours of the series lie before each of these years begins."""
    return tuple(int((np.datetime64(f"{y}-01-01T00", "h") - times[0]) / HOUR) for y in years)


def _embedded():
    table = read_temperature()
    return Series(
        "temperature",
        table["time"],
        np.column_stack([table["temperature"], table["pressure"]]),
        ("temperature", "pressure"),
        "temperature",
        "°C",
        _hours_before((2023, 2024, 2025), table["time"]),
        source="made by tools.make_data.temperature",
        licence="CC0",
    )


def _etth1():
    path = download(ETTH1, ETTH1_SHA256)
    with reading(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        (_, *columns), *rows = (row for row in csv.reader(lines) if row)
        values = _numbers(rows, columns)
        times = np.array([row[0] for row in rows], "datetime64[h]")
    return Series(
        "etth1",
        times,
        values,
        tuple(columns),
        "OT",
        "°C",
        (12 * MONTH, 16 * MONTH, 20 * MONTH),
        source="https://github.com/zhouhaoyi/ETDataset, ETTh1 (Zhou et al., 2021)",
        licence="CC BY-ND 4.0",
    )


def _jena():
    hours, means, filled = hourly_means(*_read_jena())
    # Without the wind's direction: 359 and 1 degree do not have the mean 180.
    return Series(
        "jena",
        hours,
        means[:, :-1],
        tuple(JENA_COLUMNS[:-1]),
        "T (degC)",
        "°C",
        (*_hours_before((2015, 2016), hours), len(hours)),
        filled,
        source=f"{JENA} (Max Planck Institute for Biogeochemistry)",
        licence="none is stated; name the Max Planck Institute for Biogeochemistry",
    )


def _read_jena():
    packed = download(JENA)
    with reading(packed):
        with zipfile.ZipFile(packed) as archive:
            text = archive.read("jena_climate_2009_2016.csv").decode()
        return parse_jena(text)


def parse_jena(text):
    """Return times datetime64[m] (rows,) and values (rows, 14) of the archive's CSV.

    It has no published checksum, so ValueError is raised for whatever cannot be the archive.
    """
    (_, *columns), *rows = (row for row in csv.reader(text.splitlines()) if row)
    if columns != JENA_COLUMNS or len(rows) < JENA_ROWS:
        raise ValueError(f"{len(rows):,} rows with the columns {columns}")
    values = _numbers(rows, columns)
    times = [datetime.strptime(row[0], "%d.%m.%Y %H:%M:%S") for row in rows]
    times = np.array(times, "datetime64[m]")
    if (times.astype(int) % 10).any():
        raise ValueError("the times are not all on a ten-minute mark")
    return times, values


def _numbers(rows, columns):
    """The values float (rows, columns) of rows of text, each with its time first.

    Raises ValueError, which names the row and the column, for what is not a number.
    """
    for number, (time, *values) in enumerate(rows, start=1):
        if len(values) != len(columns):
            got = f"{len(values)} values instead of {len(columns)}"
            raise ValueError(f"row {number} ({time}) has {got}")
    try:
        return np.array([row[1:] for row in rows], float)
    except ValueError:
        for number, (time, *values) in enumerate(rows, start=1):
            for column, value in zip(columns, values, strict=True):
                try:
                    float(value)
                except ValueError:
                    told = f"{column} in row {number} ({time}) is {value!r}, not a number"
                    raise ValueError(told) from None
        raise


def hourly_means(times, values):
    """Turn ten-minute readings to hours: times datetime64[h], means, which hours were filled.

    The reading at 01:00 tells of the ten minutes before it, so the hour from 00:00 on is the
    mean of the readings from 00:10 to 01:00. A time that occurs twice counts once, by its first
    reading. Readings of -9999, which wind speeds have where the instrument failed, are left
    out. An hour without a reading of some column gets a straight line between its neighbours,
    the later one included, and is marked as filled.
    """
    times, first = np.unique(times, return_index=True)
    values = np.where(values[first] <= -9000, np.nan, values[first])
    hour = (times - np.timedelta64(10, "m")).astype("datetime64[h]")
    hours = np.arange(hour[0], hour[-1] + 1)
    place = (hour - hour[0]).astype(int)
    means = np.empty((len(hours), values.shape[1]))
    filled = np.zeros(len(hours), bool)
    for column, readings in enumerate(values.T):
        there = np.isfinite(readings)
        counts = np.bincount(place[there], minlength=len(hours))
        sums = np.bincount(place[there], readings[there], minlength=len(hours))
        known = counts > 0
        filled |= ~known
        sums[known] /= counts[known]
        means[:, column] = np.interp(np.arange(len(hours)), np.flatnonzero(known), sums[known])
    return hours, means, filled


KINDS = ("clear", "overcast", "cold front", "warm front", "shower")


def read_temperature() -> dict[str, np.ndarray]:
    """Hourly weather from 2021 to 2024, as columns of equal length.

    Returns `time` (datetime64[h]), `temperature` in °C and `pressure` in hPa (float64) and
    `kind`, that of the day (int32, an index of KINDS).
    """
    return read_table("temperature.csv.xz", _arrays)


def _arrays(table) -> dict[str, np.ndarray]:
    first, last = (np.datetime64(table["date"][end], "D") for end in (0, -1))
    time = np.arange(first, last + 1).astype("datetime64[h]").repeat(24)
    kinds = [KINDS.index(kind) for kind in table["kind"]]
    return {
        "time": time + np.arange(len(time)) % 24,
        "temperature": np.array(" ".join(table["temperature"]).split(), float),
        "pressure": np.array(" ".join(table["pressure"]).split(), float),
        "kind": np.repeat(np.array(kinds, "int32"), 24),
    }
