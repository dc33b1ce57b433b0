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

    Args:
        times: datetime64[h] (hours,), each an hour after the one before.
        values: float64 (hours, columns), all of them finite.
        columns: their names.
        target, unit: the column that is to be forecast, and its unit.
        cuts: hours at which the validation part begins, the test part begins, and the test
            part ends, counted from 0; the training part begins at 0.
        filled: bool (hours,), True where the source has no value and one was put in so that
            the hours stay whole; `cut_windows` leaves them out.
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

    def __len__(self):
        return len(self.times)

    def hours(self, part):
        """Return the hours of a part as a slice."""
        place = PARTS.index(part)
        return slice((0, *self.cuts)[place], self.cuts[place])

    def column(self):
        """Return the values of the target, float64 (hours,)."""
        return self.values[:, self.columns.index(self.target)]

    def __repr__(self):
        sizes = " / ".join(f"{part.stop - part.start:,}" for part in map(self.hours, PARTS))
        return f"Series({self.name}: {sizes} hours train / val / test; target {self.target})"


def load_series(source="embedded"):
    """Load an hourly `Series` with a target to forecast, cut by time.

    Args:
        source: "embedded", four years of the course's own weather (target: temperature in °C;
            cut after two years and three); "etth1", the oil temperature of a power transformer
            with six loads (Zhou et al., 2021; cut after 12, 16 and 20 months of 30 days, as in
            the paper); or "jena", hourly means of the weather station of the Max Planck
            Institute for Biogeochemistry, 2009 to 2016 (target: T (degC); cut after six years
            and seven).

    Raises:
        ConnectionError: where a real series cannot be had.
    """
    loaders = {"embedded": _embedded, "etth1": _etth1, "jena": _jena}
    one_of("source", source, tuple(loaders))
    series = loaders[source]()
    first, last = series.times[0], series.times[series.cuts[-1] - 1]
    print(f"{series!r} in {series.unit}, {first} to {last}\n{series.source}")
    return series


def window_pairs(values, length, horizon):
    """Return all windows on an array: each one's inputs, and the targets that follow them.

    Window k begins at hour k; its targets are the `horizon` hours after its inputs.

    Args:
        values: (hours, …).

    Returns:
        Inputs (windows, length, …) and targets (windows, horizon, …).
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

    Windows that touch a filled hour of the series are left out.

    Returns:
        Inputs float32 (windows, length): the target column, in its own unit, up to hour t.
        Targets float32 (windows, horizon): the same column at the hours t+1 … t+horizon.
        Column "time": hour t of each window, datetime64[h].
    """
    length = whole_number("length", length, at_least=1)
    horizon = whole_number("horizon", horizon, at_least=1)
    read = series.column()

    def split(part):
        hours = series.hours(part)
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

    Filled hours do not count.
    """
    hours = series.hours("train")
    kept = slice(None) if series.filled is None else ~series.filled[hours]
    values = series.column()[hours][kept]
    return float(values.mean()), float(values.std())


def _hours_before(years, times):
    """How many hours of the series lie before each of these years begins."""
    return tuple(int((np.datetime64(f"{y}-01-01T00", "h") - times[0]) / HOUR) for y in years)


def _embedded():
    def arrange(table):
        first, last = (np.datetime64(table["date"][end], "D") for end in (0, -1))
        times = np.arange(first, last + 1).astype("datetime64[h]").repeat(24)
        columns = ("temperature", "pressure")
        values = [np.array(" ".join(table[name]).split(), float) for name in columns]
        return times + np.arange(len(times)) % 24, np.column_stack(values), columns

    times, values, columns = read_table("temperature.csv.xz", arrange)
    return Series(
        "temperature",
        times,
        values,
        columns,
        "temperature",
        "°C",
        _hours_before((2023, 2024, 2025), times),
        source="made by tools.make_data.temperature",
        licence="CC0",
    )


def _etth1():
    path = download(ETTH1, ETTH1_SHA256)
    with reading(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        (_, *columns), *rows = (row for row in csv.reader(lines) if row)
        values = np.array([row[1:] for row in rows], float)
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
    """Read the archive's CSV: times datetime64[m] (rows,) and values (rows, 14).

    It has no published checksum, so whatever cannot be the archive raises ValueError.
    """
    (_, *columns), *rows = (row for row in csv.reader(text.splitlines()) if row)
    if columns != JENA_COLUMNS or len(rows) < JENA_ROWS:
        raise ValueError(f"{len(rows):,} rows with the columns {columns}")
    values = np.array([row[1:] for row in rows], float)
    times = [datetime.strptime(row[0], "%d.%m.%Y %H:%M:%S") for row in rows]
    times = np.array(times, "datetime64[m]")
    if (times.astype(int) % 10).any():
        raise ValueError("the times are not all on a ten-minute mark")
    return times, values


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
