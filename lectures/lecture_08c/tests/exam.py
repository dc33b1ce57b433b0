"""The results of lab 8c's drawn exam questions, computed a second time."""

import math
from statistics import fmean, stdev


def errors_of_accuracies(first, second, images, fewer, gap):
    def error(percent, n):
        return math.sqrt(percent * (100 - percent) / n) / 100

    def apart(n):
        return (first - second) / 100 / math.hypot(error(first, n), error(second, n))

    middle = (first + second) / 2
    needed = 2 * (2 / gap) ** 2 * middle * (100 - middle)
    return (
        error(first, images),
        error(second, images),
        apart(images),
        apart(fewer),
        math.ceil(round(needed, 6)),
    )


def plan_by_validation(plans):
    means = {plan: fmean(found) for plan, found in plans.items()}
    second, best = sorted((plan for plan in plans if len(plans[plan]) >= 3), key=means.get)[-2:]
    errors = [stdev(plans[plan]) / math.sqrt(len(plans[plan])) for plan in (best, second)]
    apart = (means[best] - means[second]) / math.hypot(*errors)
    return *means.values(), best, stdev(plans[best]), second, apart


def luck_of_the_best(ahead, percent, many, few):
    errors = [math.sqrt(percent * (100 - percent)) / math.sqrt(n) for n in (many, few)]
    return *errors, *(percent + ahead * error for error in errors), percent


def cost_of_a_search(plans, seeds, epochs, images):
    runs = [p * s for p, s in zip(plans, seeds, strict=True)]
    millions = [n * e * images / 1_000_000 for n, e in zip(runs, epochs, strict=True)]
    return *millions, runs[0], runs[0] * epochs[0] / (runs[1] * epochs[1])


def warmup_and_cosine(peak, warmup, steps, at):
    found = []
    for step in at:
        angle = math.pi * max(0, step - warmup) / (steps - warmup)
        found.append(1_000 * peak * min(step / warmup, math.cos(angle / 2) ** 2))
    return *found, (warmup + steps) // 2


def next_of_a_sweep(rates, accuracies, minutes, seeds):
    best = accuracies.index(max(accuracies))
    factor = rates[1] / rates[0]
    beyond = rates[0] / factor if best == 0 else rates[3] * factor
    return 1_000 * beyond, (len(rates) + 1) * seeds * minutes


def calibration_in_bins(counts, sure, right, ahead, temperature):
    total = sum(counts)
    bins = list(zip(counts, sure, right, strict=True))
    error = sum(abs(hits - count * p) for count, p, hits in bins) / total
    confidence = sum(count * p for count, p, _ in bins) / total
    softmax = [math.exp(ahead / one) / (math.exp(ahead / one) + 1) for one in (1, temperature)]
    accuracies = [hits / count for count, _, hits in bins]
    return *accuracies, error, sum(right) / total, confidence, *softmax
