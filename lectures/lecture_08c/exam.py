"""Lab 8c's exam questions with drawn numbers."""

from math import ceil

import numpy as np

from course_utils.schedules import WarmupCosine
from lectures import lecture_08c
from lectures.exam_questions import (
    DrawAgain,
    Question,
    listed,
    num,
    offer,
    one_of,
    question,
    some,
    tenths,
    whole,
)


@question(points=5)
def errors_of_accuracies(draw):
    first, second = sorted(tenths(draw, 60, 97, 0.5, 2), reverse=True)
    images, fewer = whole(draw, 2_000, 20_000, 500), whole(draw, 300, 1_500, 100)
    gap = one_of(draw, [0.5, 1, 2])
    if not 0.5 < first - second < 4:
        raise DrawAgain
    shares = first / 100, second / 100
    errors = [(p * (1 - p) / images) ** 0.5 for p in shares]
    apart = lecture_08c.standard_errors_apart(*shares, images)
    few = lecture_08c.standard_errors_apart(*shares, fewer)
    middle = sum(shares) / 2
    needed = 8 * middle * (1 - middle) / (gap / 100) ** 2
    asked = rf"""Two networks have accuracies of {first} % and {second} % on {images:,} test
    images each, measured independently. (a) Compute both standard errors. (b) How many standard
    errors are the accuracies apart? (c) How many would it be with {fewer:,} images each? (d)
    How many images are needed, about, to see a difference of {gap} points at
    ${num(100 * middle)}$ % as two standard errors? (e) Which error would remain with infinitely
    many images?"""
    answer = rf"""(a) ${num(errors[0])}$ and ${num(errors[1])}$ (1 point). (b) Together
    $\sqrt{{s_1^2 + s_2^2}} = {num(np.hypot(*errors))}$, so ${num(apart)}$ (1 point). (c)
    Smaller by $\sqrt{{{images}/{fewer}}}$: ${num(few)}$ (1 point). (d) $2\sqrt{{2p(1 - p)/n}} =
    {num(gap / 100)}$, so $n = 8p(1 - p)/{num(gap / 100)}^2 = {num(ceil(round(needed, 6)))}$ (1
    point). (e) That of the training: another seed gives another network (1 point)."""
    given = {"first": first, "second": second, "images": images, "fewer": fewer, "gap": gap}
    return Question(asked, answer, given, (*errors, apart, few, ceil(round(needed, 6))))


@question(points=5)
def plan_by_validation(draw):
    seeds = [3, one_of(draw, [1, 2]), 3, 4]
    plans = dict(
        zip("ABCD", (tenths(draw, 0.78, 0.84, 0.001, count) for count in seeds), strict=True)
    )
    name, mean, spread = lecture_08c.choose(plans)
    means = {plan: float(np.mean(found)) for plan, found in plans.items()}
    second = sorted((plan for plan in plans if plan not in ("B", name)), key=means.get)[-1]
    if means["B"] < mean or means[name] - means[second] < 0.001:
        raise DrawAgain
    other = float(np.std(plans[second], ddof=1))
    error = (spread**2 / len(plans[name]) + other**2 / len(plans[second])) ** 0.5
    apart = (mean - means[second]) / error
    lines = "; ".join(f"{plan} {', '.join(map(str, found))}" for plan, found in plans.items())
    asked = rf"""Validation accuracies of four plans, a number for each seed: {lines}. The rule:
    at least three seeds, highest mean. (a) Compute the means. (b) Which plan is chosen, and
    what is its standard deviation (divisor $n - 1$)? (c) By how many standard errors,
    $\sqrt{{s_1^2/n_1 + s_2^2/n_2}}$, is it ahead of the second of the plans that may be chosen?
    (d) Why is B not chosen, and what do you report?"""
    answer = rf"""(a) ${listed(means.values())}$ (1 point). (b) {name} (1 point),
    ${num(spread)}$ (1 point). (c) {second} is second, with the deviation ${num(other)}$;
    standard error ${num(error)}$, so ${num(apart)}$ (1 point). (d) Few seeds may be lucky ones;
    report {name} with mean and spread of its test accuracies and the number of seeds (1
    point)."""
    given = {"plans": plans}
    return Question(asked, answer, given, (*means.values(), name, spread, second, apart))


@question(points=5)
def luck_of_the_best(draw):
    k, ahead = one_of(draw, [(3, 0.85), (5, 1.16), (10, 1.54), (20, 1.87)])
    percent, many, few = (
        whole(draw, 60, 95),
        whole(draw, 4_000, 20_000, 100),
        whole(draw, 200, 1_500, 20),
    )
    share = percent / 100
    errors = [100 * (share * (1 - share) / n) ** 0.5 for n in (many, few)]
    reported = [percent + ahead * error for error in errors]
    if reported[1] > 98:
        raise DrawAgain
    asked = rf"""{k} models all have a true accuracy of {percent} %. The mean of the
    largest of {k} independent standard normal numbers is about {ahead}. (a) What is reported on
    average if the best by test accuracy is chosen, for {many:,} test images? (b) And for
    {few:,}? (c) What is reported if validation chooses, and why? (d) Real plans are *not*
    equal. Is the report of the best one by test still too high?"""
    answer = rf"""(a) Standard error ${num(errors[0])}$ points, so ${num(reported[0])}$ % (1
    point). (b) ${num(errors[1])}$ points, so ${num(reported[1])}$ % (1 point). (c) ${percent}$
    % (1 point): the luck that made a model win on validation is independent of its luck on the
    test part (1 point). (d) Yes, on average; less so, the larger the true differences are
    compared with the standard error (1 point)."""
    given = {"ahead": ahead, "percent": percent, "many": many, "few": few}
    return Question(asked, answer, given, (*errors, *reported, percent))


@question(points=4)
def cost_of_a_search(draw):
    plans, seeds, epochs = (
        whole(draw, 3, 9, count=2),
        whole(draw, 2, 5, count=2),
        whole(draw, 10, 120, 5, 2),
    )
    images = whole(draw, 10_000, 60_000, 1_000)
    used = [p * s * e * images for p, s, e in zip(plans, seeds, epochs, strict=True)]
    if used[0] <= 1.5 * used[1]:
        raise DrawAgain
    millions = [one / 1e6 for one in used]
    asked = f"""Network A got {plans[0]} plans with {seeds[0]} seeds of {epochs[0]} epochs each,
    network B {plans[1]} plans with {seeds[1]} seeds of {epochs[1]} epochs; there are {images:,}
    training images. (a) How many million samples did each search use? (b) How many
    final runs of A, of {epochs[0]} epochs each, does A's search cost? (c) A wins by 0.4 points.
    How many times the samples of B's search did its own use, and what follows about the
    architectures?"""
    answer = rf"""(a) A: ${plans[0]} \cdot {seeds[0]} \cdot {epochs[0]} \cdot {num(images)}$,
    ${num(millions[0])}$ million (1 point); B: ${num(millions[1])}$ million (1 point). (b)
    ${plans[0] * seeds[0]}$ runs (1 point). (c) ${num(used[0] / used[1])}$ times as many, so
    nothing follows about the architectures: give B the same budget (1 point)."""
    given = {"plans": plans, "seeds": seeds, "epochs": epochs, "images": images}
    return Question(asked, answer, given, (*millions, plans[0] * seeds[0], used[0] / used[1]))


@question(points=5)
def warmup_and_cosine(draw):
    peak, warmup = (
        one_of(draw, [0.0005, 0.001, 0.002, 0.003, 0.004, 0.006]),
        whole(draw, 200, 2_000, 50),
    )
    decay = whole(draw, 3_000, 60_000, 600)
    steps, early = warmup + decay, whole(draw, 20, warmup - 10, 10)
    late = sorted(some(draw, [1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 5 / 6], 2))
    asked_at = [early, *(warmup + round(decay * part) for part in late)]
    schedule = WarmupCosine(1.0, steps, warmup)
    found = [peak * float(schedule(step)) for step in asked_at]
    asked = rf"""The learning rate rises linearly from 0 to {peak} in {warmup:,} steps and then
    falls to 0 at step {steps:,} along a cosine. Compute it at the steps {asked_at[0]:,},
    {asked_at[1]:,} and {asked_at[2]:,}, in thousandths. At which step is it half of its highest
    value for the second time?"""
    half = warmup + decay // 2
    answer = rf"""Rising: ${num(peak)} \cdot {asked_at[0]}/{warmup}$, ${num(1_000 * found[0])}$
    thousandths (1 point). Falling: with $d$ the share of the {num(decay).replace("{,}", ",")}
    falling steps that is done, ${num(peak)}\,\frac{{1 + \cos \pi d}}{{2}}$ (1 point): $d =
    {num(late[0])}$ gives ${num(1_000 * found[1])}$ (1 point), $d = {num(late[1])}$ gives
    ${num(1_000 * found[2])}$ (1 point). At $d = \frac12$, step ${num(half)}$ (1 point)."""
    given = {"peak": peak, "warmup": warmup, "steps": steps, "at": asked_at}
    return Question(asked, answer, given, (*(1_000 * one for one in found), half))


@question(points=4)
def next_of_a_sweep(draw):
    factor, lowest = (
        one_of(draw, [2, 3, 4, 5, 10]),
        one_of(draw, [0.0001, 0.0002, 0.0003, 0.0005, 0.001]),
    )
    rates = [round(lowest * factor**n, 6) for n in range(4)]
    accuracies = tenths(draw, 0.7, 0.9, 0.001, 4)
    minutes, seeds = whole(draw, 3, 90), whole(draw, 2, 5)
    tried = dict(zip(rates, accuracies, strict=True))
    following = lecture_08c.next_rates(tried)
    if len(set(accuracies)) < 4 or not following:
        raise DrawAgain
    right = following[0] * 1_000
    best = max(tried, key=tried.get)
    shown = ", ".join(f"{rate * 1_000:g} → {accuracy}" for rate, accuracy in tried.items())
    asked = f"""A sweep found these mean validation accuracies, by learning rate in thousandths:
    {shown}. One run takes {minutes} minutes, and every learning rate gets {seeds} seeds. Which
    learning rate, in thousandths, has to be tried next, and what has the sweep then cost?"""
    cost = 5 * seeds * minutes
    answer = rf"""The best, {best * 1_000:g}, lies at an end of the grid (1 point); one step
    further, by the factor {factor}: ${num(right)}$ (2 points). Then five learning rates with
    {seeds} seeds have taken ${num(cost)}$ minutes (1 point)."""
    mistakes = [
        (best * 1_000, "the best so far may not be the best"),
        (best * factor * 1_000, "the wrong end"),
        (best / factor * 1_000, "the wrong end"),
        (sum(rates) / 4 * 1_000, "the mean of the grid"),
        (sum(sorted(rates)[1:3]) * 500, "the middle of the grid"),
    ]
    given = {"rates": rates, "accuracies": accuracies, "minutes": minutes, "seeds": seeds}
    return offer(draw, Question(asked, answer, given, (right, cost)), mistakes)


@question(points=5)
def calibration_in_bins(draw):
    counts = whole(draw, 20, 300, 10, 3)
    sure = [tenths(draw, low, low + 0.18, 0.01) for low in (0.41, 0.61, 0.81)]
    right = [whole(draw, count // 5, count - 1) for count in counts]
    ahead, temperature = tenths(draw, 1.5, 4, 0.1), one_of(draw, [0.5, 1.5, 2, 2.5, 3])
    total = sum(counts)
    accuracy, confidence = sum(right) / total, np.dot(counts, sure) / total
    if abs(confidence - accuracy) < 0.02 or len(set(counts)) < 3:
        raise DrawAgain
    rows = [np.log([p, (1 - p) / 2, (1 - p) / 2]) for p in sure]
    logits = np.repeat(rows, counts, axis=0)
    wrong = [np.arange(count) >= hits for count, hits in zip(counts, right, strict=True)]
    error = lecture_08c.calibration_error(logits, np.concatenate(wrong).astype(int), bins=5)
    before, after = (1 / (1 + np.exp(-ahead / one)) for one in (1, temperature))
    lines = "; ".join(
        f"{count} images, mean confidence {p}, {hits} correct"
        for count, p, hits in zip(counts, sure, right, strict=True)
    )
    asked = rf"""The test images of a classifier lie in three bins of confidence: {lines}. (a)
    Compute the accuracy in each bin. (b) Compute the expected calibration error. (c) Compute
    accuracy and mean confidence of all images. Is the network too sure, or too unsure? (d) An
    image has the logits {ahead} and 0 for two classes, and all others are far below. Compute
    its confidence, as it is and with $\tau = {temperature}$."""
    parts = [hits / count for hits, count in zip(right, counts, strict=True)]
    answer = rf"""(a) ${listed(parts)}$ (1 point). (b) $\sum_B \frac{{n_B}}{{n}} \lvert
    \text{{acc}}(B) - \text{{conf}}(B) \rvert$ with $n = {total}$ (1 point):
    ${num(error)}$ (1 point). (c) ${num(accuracy)}$ and ${num(confidence)}$: too
    {"sure" if confidence > accuracy else "unsure"} (1 point). (d) $1/(1 + e^{{-{ahead}}}) =
    {num(before)}$ and $1/(1 + e^{{-{ahead}/{temperature}}}) = {num(after)}$ (1 point)."""
    given = {"counts": counts, "sure": sure, "right": right}
    given |= {"ahead": ahead, "temperature": temperature}
    return Question(asked, answer, given, (*parts, error, accuracy, confidence, before, after))
