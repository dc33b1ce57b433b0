"""The course's own weather: hourly temperature and pressure of a place that does not exist.

    python -m tools.make_data.temperature

writes data/temperature.csv.xz. Every day has a kind, drawn by a Markov chain. Clear days have a
wide daily cycle, overcast ones a narrow one. On the others something happens at an hour drawn
at random: a cold front takes the temperature down within about three hours, a warm front up
within about eight, a shower takes it down at once and gives it back over the next hours.
Pressure falls for most of a day before a front, far more before a cold one: it knows something
that the temperature does not know yet.
"""

from __future__ import annotations

import numpy as np

from tools.make_data import write_table

SEED = 0
YEARS = 4
KINDS = ("clear", "overcast", "cold front", "warm front", "shower")
NEXT = np.array(
    [
        [0.50, 0.12, 0.11, 0.12, 0.15],
        [0.15, 0.38, 0.16, 0.16, 0.15],
        [0.37, 0.25, 0.10, 0.15, 0.13],
        [0.17, 0.28, 0.30, 0.10, 0.15],
        [0.28, 0.28, 0.14, 0.10, 0.20],
    ]
)
"""The chance of each kind after each kind of day; rows add up to 1."""


def make_temperature() -> dict[str, np.ndarray]:
    """Hourly weather from 2021 on, as columns of equal length.

    Returns `time` (datetime64[h]), `temperature` in °C (float64, rounded to 0.1), `pressure` in
    hPa (float64, rounded to 1) and `kind`, that of the day (int32, an index of KINDS).
    """
    draw = np.random.default_rng(SEED)
    time = np.arange(np.datetime64("2021", "h"), np.datetime64(str(2021 + YEARS), "h"))
    days, hours = len(time) // 24, len(time)
    hour = np.arange(hours)
    season = -np.cos(2 * np.pi * (hour / 24 - 20) / 365.25)  # -1 late in January, 1 in July

    kinds = [1]
    for _ in range(days - 1):
        kinds.append(int(draw.choice(len(KINDS), p=NEXT[kinds[-1]])))
    kinds = np.array(kinds, "int32")

    # How wide the daily cycle is, by kind and season, without a jump at midnight.
    width = np.array([4.6, 1.0, 1.6, 1.6, 1.3])[kinds] * draw.uniform(0.75, 1.25, size=days)
    width = np.repeat(width, 24) * (1 + 0.35 * season)
    width = np.convolve(np.pad(width, 4, "edge"), np.full(9, 1 / 9), "valid")
    cycle = width * np.cos(2 * np.pi * (hour % 24 - 15) / 24)

    mass, pressure = _events(kinds, hours, draw)
    temperature = 10 + 9 * season + cycle + mass + _walk(draw, hours, 0.85, 0.3)
    pressure = 1014 + pressure + _walk(draw, hours, 0.99, 0.25)
    return {
        "time": time,
        "temperature": temperature.round(1) + 0.0,
        "pressure": pressure.round(),
        "kind": np.repeat(kinds, 24),
    }


def _events(kinds, hours, draw):
    """What fronts and showers do to temperature and pressure, hour by hour."""
    hour = np.arange(hours)
    step, dip, wet = np.zeros(hours), np.zeros(hours), np.zeros(hours)
    for day in np.flatnonzero(kinds >= 2):
        passes = day * 24 + int(draw.integers(3, 21))
        if kinds[day] == 4:
            after = hour[passes : passes + 12] - passes
            wet[passes : passes + 12] = -draw.uniform(2.5, 5) * np.exp(-after / 2.0)
            continue
        cold = kinds[day] == 2
        size = -draw.uniform(4, 9) if cold else draw.uniform(3, 7)
        pace = draw.uniform(0.5, 0.9) if cold else draw.uniform(1.5, 2.5)
        near = slice(max(0, passes - 30), min(hours, passes + 30))
        along = 1 / (1 + np.exp(-(hour[near] - passes) / pace))
        step[near] += size * np.diff(along, prepend=along[0])
        before = np.clip((hour[near] - passes + 20) / 20, 0, 1)
        after = np.exp(-np.clip(hour[near] - passes, 0, None) / (5 if cold else 14))
        dip[near] -= (draw.uniform(8, 14) if cold else draw.uniform(2, 5)) * before * after
    mass = np.zeros(hours)
    for now in range(1, hours):  # a new mass of air takes on the season's temperature
        mass[now] = 0.992 * mass[now - 1] + step[now]
    return mass + wet, dip


def _walk(draw, hours, memory, size):
    """Noise with a memory: x_t = memory · x_(t-1) + size · a standard normal number."""
    noise = size * draw.normal(size=hours)
    for now in range(1, hours):
        noise[now] += memory * noise[now - 1]
    return noise


def write() -> None:
    """Make the default weather and keep it, one line per day."""
    hours = make_temperature()
    table = {name: column.reshape(-1, 24) for name, column in hours.items()}
    days = [
        (
            time[0].astype("datetime64[D]"),
            KINDS[kind[0]],
            " ".join(f"{value:.1f}" for value in temperature),
            " ".join(f"{value:.0f}" for value in pressure),
        )
        for time, temperature, pressure, kind in zip(*table.values(), strict=True)
    ]
    write_table("temperature.csv.xz", ["date", "kind", "temperature", "pressure"], days)


if __name__ == "__main__":
    write()
