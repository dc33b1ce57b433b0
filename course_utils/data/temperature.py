"""The course's own weather: hourly temperature and pressure of a place that does not exist."""

import numpy as np

from course_utils.data.base import read_table

KINDS = ("clear", "overcast", "cold front", "warm front", "shower")


def read() -> dict[str, np.ndarray]:
    """Hourly weather from 2021 to 2024, as columns of equal length.

    Returns `time` (datetime64[h]), `temperature` in °C and `pressure` in hPa (float64) and
    `kind`, that of the day (int32, an index of KINDS).
    Raises FileNotFoundError without data/temperature.csv.gz, ValueError when it is damaged.
    """
    return read_table("temperature.csv.gz", _arrays)


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
