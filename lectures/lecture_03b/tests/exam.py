"""The results of lab 3b's drawn exam questions, computed a second time."""

import math
from statistics import fmean


def windows_by_part(hours, length, horizon, cut):
    train = hours * cut[0] // 100
    ends = [train, train + hours * cut[1] // 100]
    last = length + horizon - 1  # of a window that begins at hour 0

    def inside(start, end):
        return sum(k + last < end for k in range(start, end))

    apart, free = 0, ends[0]
    while free + last < ends[1]:
        apart, free = apart + 1, free + last + 1
    crossing = sum(k + last >= train for k in range(train))
    return inside(0, train), inside(*ends), apart, crossing


def naive_forecasts(train, after):
    def mae(forecasts):
        return fmean(abs(a - b) for a, b in zip(forecasts, after, strict=True))

    *_, x, y, z = train
    found = mae([z] * 4), mae([x, y, z, x])
    scale = fmean(abs(train[k + 3] - train[k]) for k in range(3))
    return *found, *(one / scale for one in found)


def ridge_of_changes(f, y, strength, last):
    def loss(w, penalty):
        return sum((w * a - b) ** 2 for a, b in zip(f, y, strict=True)) + penalty * w * w

    def smallest(penalty):  # of a parabola, from three of its points
        low, middle, high = (loss(w, penalty) for w in (-1, 0, 1))
        return (low - high) / (2 * (low - 2 * middle + high))

    forecast = last[1] + smallest(strength) * (last[1] - last[0])
    return smallest(0), smallest(strength), forecast, forecast + 10


def pinball(outcomes, q, forecasts):
    def loss(f):
        return fmean(q * (y - f) if y > f else (1 - q) * (f - y) for y in outcomes)

    return *map(loss, forecasts), min(forecasts, key=loss)


def rolling_origins(hours, length, horizon, step, first):
    windows = [k for k in range(hours) if k + length + horizon <= hours]
    known = [k for k in range(first) if k + length + horizon - 1 <= first + length - 1]
    origins = [o for o in range(first, hours, step) if o + step <= len(windows)]
    return len(windows), first - len(known), len(known), len(origins), origins[-1]


def interval_of_a_gain(hours, spread, gain, block):
    errors = [math.sqrt(spread**2 * size / hours) for size in (1, block)]
    return *errors, *(1.96 * error for error in errors)
