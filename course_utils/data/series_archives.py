"""Real hourly series, downloaded once by `keras.utils.get_file`: ETTh1 and the Jena climate."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import datetime

import numpy as np

from course_utils.data.download import download
from course_utils.data.series import Series, read_series

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


def etth1() -> Series:
    """The Electricity Transformer dataset's first hourly file; see `load_series`."""
    return read_series(
        download(ETTH1, ETTH1_SHA256),
        target="OT",
        cuts=(12 * MONTH, 16 * MONTH, 20 * MONTH),
        units={"OT": "°C"},
        name="etth1",
        source="https://github.com/zhouhaoyi/ETDataset, ETTh1 (Zhou et al., 2021)",
        licence="CC BY-ND 4.0",
    )


def jena() -> Series:
    """The weather of Jena as hourly means of what was read every ten minutes.

    - A time that occurs twice counts once, by its first reading.
    - Readings of -9999, which wind speeds have where the instrument failed, are left out.
    - The wind's direction is dropped: 359 and 1 degree do not have the mean 180.
    - An hour without a reading of some column gets a straight line between its neighbours, the
      later one included, so it is marked in `filled`; `cut_windows` leaves such hours out.
    """
    packed = download(JENA)
    try:
        with zipfile.ZipFile(packed) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith("2016.csv")]
            text = archive.read(name).decode()
    except (zipfile.BadZipFile, ValueError) as error:
        raise ValueError(f"{packed} is damaged ({error}): delete it and run again") from error
    times, values, columns = parse_jena(text, JENA_COLUMNS, JENA_ROWS)
    hours, means, filled = hourly_means(times, values)
    kept = [place for place, column in enumerate(columns) if column != "wd (deg)"]
    columns = tuple(columns[place] for place in kept)
    starts = [np.datetime64(f"{year}-01-01T00", "h") for year in (2015, 2016)]
    return Series(
        "jena",
        hours,
        means[:, kept],
        columns,
        tuple(_jena_unit(column) for column in columns),
        "T (degC)",
        (*(int((start - hours[0]).astype(int)) for start in starts), len(hours)),
        filled,
        source=f"{JENA} (Max Planck Institute for Biogeochemistry)",
        licence="none is stated; name the Max Planck Institute for Biogeochemistry",
    )


def parse_jena(text: str, columns=None, at_least: int = 1):
    """Times datetime64[m] (rows,), values (rows, columns), column names of the archive's CSV.

    columns: those that have to be there, None for any. at_least: rows.

    Raises ValueError for other columns, fewer rows, text in a number's place, or times that
    are not on a ten-minute mark.
    """
    header, *rows = [row for row in csv.reader(io.StringIO(text)) if row] or [[]]
    found = header[1:]
    if columns is not None and list(columns) != found:
        raise ValueError(f"Jena's columns are {found}; expected {list(columns)}")
    if len(rows) < at_least:
        raise ValueError(f"Jena's file has {len(rows):,} rows; at least {at_least:,} needed")
    try:
        # 31.12.2009 23:50:00
        times = np.array([datetime.strptime(row[0], "%d.%m.%Y %H:%M:%S") for row in rows])
        values = np.array([row[1:] for row in rows], float)
    except ValueError as error:
        raise ValueError(f"Jena's file has something else than numbers: {error}") from error
    times = times.astype("datetime64[m]")
    if (times.astype(int) % 10).any():
        raise ValueError("Jena's times are not all on a ten-minute mark")
    return times, values, found


def hourly_means(times: np.ndarray, values: np.ndarray):
    """Ten-minute readings to hours: times datetime64[h], means, and which hours were filled.

    The reading at 01:00 tells of the ten minutes before it, so the hour from 00:00 on is the
    mean of the readings from 00:10 to 01:00.
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


def _jena_unit(column: str) -> str:
    unit = column[column.index("(") + 1 : column.rindex(")")]
    return "°C" if unit == "degC" else unit
