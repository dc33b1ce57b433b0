"""Lab 3b's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_03b
from lectures.exam_questions import (
    DrawAgain,
    Question,
    frac,
    listed,
    num,
    one_of,
    products,
    question,
    row,
    tenths,
    whole,
)
from lectures.lecture_03b.series import window_pairs


@question(points=5)
def windows_by_part(draw):
    hours, length = whole(draw, 10_000, 40_000, 20), whole(draw, 24, 240, 12)
    horizon = whole(draw, 6, 48, 6)
    cut = one_of(draw, [(60, 20, 20), (70, 15, 15), (80, 10, 10), (50, 25, 25)])
    parts = [hours * share // 100 for share in cut]
    both = length + horizon
    counts = [len(window_pairs(np.zeros(part), length, horizon)[0]) for part in parts[:2]]
    apart = parts[1] // both
    asked = f"""{hours:,} hours of data are cut {cut[0]} : {cut[1]} : {cut[2]} by time. Windows
    have {length} inputs and {horizon} targets and cross no cut. (a) How many windows do the
    training and the validation part have? (b) How many validation windows share no hour with
    each other? (c) How many windows of the whole series cross the first cut, and why would they
    be a leak in training?"""
    answer = rf"""(a) $n - {both} + 1$ for $n$ hours: ${num(parts[0])} - {both - 1} =
    {num(counts[0])}$ (1 point) and ${num(parts[1])} - {both - 1} = {num(counts[1])}$ (1 point).
    (b) $\lfloor {num(parts[1])} / {both} \rfloor = {apart}$ (1 point). (c) All that begin in
    the last ${both - 1}$ training hours: ${both - 1}$ windows (1 point). Some of their hours
    lie in the validation part: the model would be fitted to what it is judged on (1 point)."""
    given = {"hours": hours, "length": length, "horizon": horizon, "cut": cut}
    return Question(asked, answer, given, (*counts, apart, both - 1))


@question(points=5)
def naive_forecasts(draw):
    level = whole(draw, 3, 30, count=3)
    train = [
        *level,
        *(
            value + change
            for value, change in zip(level, whole(draw, -2, 3, count=3), strict=True)
        ),
    ]
    after = [
        value + change
        for value, change in zip(
            [*train[3:], train[3]], whole(draw, -3, 4, count=4), strict=True
        )
    ]
    if (
        min(abs(a - b) for a, b in zip(level, [*level[1:], level[0]], strict=True)) < 2
        or level == train[3:]
    ):
        raise DrawAgain
    history = np.array([train], float)
    forecasts = [lecture_03b.seasonal_naive(history, 4, period)[0] for period in (1, 3)]
    errors = [np.abs(np.array(after) - forecast) for forecast in forecasts]
    unit = np.abs(np.array(train[3:]) - train[:3])
    maes = [one.mean() for one in errors]
    asked = rf"""A series with period 3 begins ${listed(train)}$ (training) and goes on with
    ${listed(after)}$. Forecast these four values at the end of the training part, by the last
    value and by the seasonal naive forecast. Give the MAE of both, and their MASE with respect
    to the seasonal naive forecast
    on the training part."""
    answer = rf"""Last value: ${listed(forecasts[0])}$, errors ${listed(errors[0])}$, MAE
    ${num(maes[0])}$ (1 point). Seasonal: ${listed(forecasts[1])}$, because the value three
    steps before the fourth is itself a forecast; errors ${listed(errors[1])}$, MAE
    ${num(maes[1])}$ (2 points). Training errors of the seasonal forecast: ${listed(unit)}$,
    mean ${num(unit.mean())}$ (1 point). MASE ${num(maes[0] / unit.mean())}$ and
    ${num(maes[1] / unit.mean())}$ (1 point)."""
    given = {"train": train, "after": after}
    return Question(asked, answer, given, (*maes, *(mae / unit.mean() for mae in maes)))


@question(points=5)
def ridge_of_changes(draw):
    f, y = whole(draw, -3, 3, count=3), tenths(draw, -2, 2, 0.5, 3)
    strength, last = whole(draw, 1, 9), whole(draw, 5, 30, count=2)
    square, cross = sum(a * a for a in f), sum(a * b for a, b in zip(f, y, strict=True))
    change = last[1] - last[0]
    if 0 in f or abs(cross) < 1 or not change:
        raise DrawAgain
    inputs = np.array([[10 - a, 10] for a in f], float)
    targets = 10 + np.array(y)[:, None]
    weights, forecasts = [cross / square, cross / (square + strength)], []
    for shift in (0, 10):
        new = np.array([last], float) + shift
        forecasts.append(
            float(lecture_03b.forecast_by_changes(inputs, targets, new, strength)[0, 0])
        )
    asked = rf"""Ridge regression without a constant, one feature $f$ (the change during the
    last hour), one target (the change during the next): $f = {row(f)}$, $y = {row(y)}$. Compute
    the weight for $\lambda = 0$ and for $\lambda = {strength}$, and with the latter the
    forecast for a window that ends with {last[0]}, {last[1]}. What does it become if all values
    of the window rise by 10, and why?"""
    answer = rf"""$f^\top y = {products(f, y)} = {num(cross)}$, $f^\top f = {square}$ (1 point).
    $w = {frac(cross, square)} = {num(weights[0])}$; with $\lambda = {strength}$:
    ${frac(cross, square + strength)} = {num(weights[1])}$ (2 points). Feature ${change}$,
    forecast change ${num(weights[1] * change)}$, level ${num(forecasts[0])}$ (1 point).
    ${num(forecasts[1])}$, since the change does not see the level, which is only added (1
    point)."""
    given = {"f": f, "y": y, "strength": strength, "last": last}
    return Question(asked, answer, given, (*weights, *forecasts))


@question(points=5)
def pinball(draw):
    outcomes = sorted(whole(draw, 1, 30, count=5))
    q, places = one_of(draw, [0.1, 0.2, 0.7, 0.75, 0.8, 0.9]), (1, 2, 4)
    forecasts = [outcomes[place] for place in places]
    if len(set(outcomes)) < 5:
        raise DrawAgain
    losses = []
    for forecast in forecasts:
        error = np.array(outcomes) - forecast
        losses.append(float(np.maximum(q * error, (q - 1) * error).mean()))
    if len({num(loss) for loss in losses}) < 3:
        raise DrawAgain
    best = forecasts[int(np.argmin(losses))]
    ways = []
    for forecast in forecasts:
        above = sum(y - forecast for y in outcomes if y > forecast)
        below = sum(forecast - y for y in outcomes if y < forecast)
        way = rf"({num(q)} \cdot {above} + {num(1 - q)} \cdot {below}) / 5"
        ways.append(f"{forecast}: ${way} = {num(losses[len(ways)])}$")
    asked = rf"""The outcomes are {", ".join(map(str, outcomes))}. (a) Compute the mean pinball
    loss for $q = {q}$ of the constant forecasts {forecasts[0]}, {forecasts[1]} and
    {forecasts[2]}. (b) Which of the three is best? (c) Which share of many outcomes lies below
    the best constant forecast, and why?"""
    answer = rf"""(a) {"; ".join(ways)} (3 points). (b) ${best}$ (1 point). (c) The share $q =
    {q}$: raising the forecast a little costs $1 - q$ for each outcome below and saves $q$ for
    each above, which balances where a share $q$ lies below (1 point)."""
    given = {"outcomes": outcomes, "q": q, "forecasts": forecasts}
    return Question(asked, answer, given, (*losses, best))


@question(points=5)
def rolling_origins(draw):
    hours, length = whole(draw, 2_000, 9_000, 10), whole(draw, 48, 240, 12)
    horizon, step = whole(draw, 6, 48), whole(draw, 100, 500, 10)
    windows = hours - length - horizon + 1
    first = whole(draw, 500, 1_200, 10)
    folds = (windows - first) // step
    last = first + (folds - 1) * step
    if folds < 3:
        raise DrawAgain
    asked = f"""Window $k$ has the inputs $k, \\dots, k + {length - 1}$ and the targets $k +
    {length}, \\dots, k + {length + horizon - 1}$, counted from 0, in a series of {hours:,}
    hours. A backtest with a rolling origin fits on the windows before window $o$ whose targets
    are all known at the last input hour of window $o$, and then forecasts the windows $o,
    \\dots, o + {step - 1}$; $o = {first}$ comes first, then $o = {first + step}$, and so on
    while there are {step} windows. (a) How many windows has the series? (b) How many directly
    before $o$ are left out of the fit? (c) How many windows are fitted on at the first origin?
    (d) How many origins are there, and which is the last?"""
    answer = rf"""(a) ${hours} - {length + horizon} + 1 = {num(windows)}$ (1 point). (b) At the
    origin all hours before $o + {length}$ are known; $k + {length + horizon - 1} < o +
    {length}$ means $k \le o - {horizon}$, so the windows $o - {horizon - 1}, \dots, o - 1$ are
    left out: ${horizon - 1}$ (2 points). (c) $k = 0, \dots, {first - horizon}$:
    ${num(first - horizon + 1)}$ (1 point). (d) $\lfloor ({windows} - {first}) / {step} \rfloor
    = {folds}$; the last is ${num(last)}$ (1 point)."""
    given = {"hours": hours, "length": length, "horizon": horizon, "step": step, "first": first}
    return Question(
        asked, answer, given, (windows, horizon - 1, first - horizon + 1, folds, last)
    )


@question(points=5)
def interval_of_a_gain(draw):
    hours, spread = whole(draw, 2_400, 17_520, 120), tenths(draw, 0.6, 2.4, 0.1)
    gain, block = tenths(draw, 0.03, 0.3, 0.01), one_of(draw, [24, 48, 96, 120, 168])
    errors = [spread / (hours / size) ** 0.5 for size in (1, block)]
    widths = [1.96 * error for error in errors]
    clear = ["does not contain 0" if gain > width else "contains 0" for width in widths]
    asked = rf"""Over {hours:,} hours, the difference of two models' errors has mean {gain} °C
    and standard deviation {spread} °C. Give a 95 % interval for the mean (± 1.96 standard
    errors) (a) if all hours were independent, (b) if only one hour in {block} counted as
    independent. (c) What do you report, and what does neither interval cover?"""
    answer = rf"""(a) ${spread} / \sqrt{{{num(hours)}}} = {num(errors[0])}$, so ${gain} \pm
    {num(widths[0])}$, which {clear[0]} (2 points). (b) ${num(hours / block)}$ effective hours:
    ${num(errors[1])}$, so ${gain} \pm {num(widths[1])}$, which {clear[1]} (2 points). (c)
    Errors of neighbouring hours are correlated, so the second is nearer to the truth; neither
    covers other years or another training seed (1 point)."""
    given = {"hours": hours, "spread": spread, "gain": gain, "block": block}
    return Question(asked, answer, given, (*errors, *widths))
