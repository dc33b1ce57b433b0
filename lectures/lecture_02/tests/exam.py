"""The results of lecture 2's drawn exam questions, computed a second time."""

import math
from statistics import fmean


def layer_parameters(vocabulary, width, first, second, classes):
    def recurrent(inputs, units):
        return inputs * units + units * units + units

    counts = [vocabulary * width, recurrent(width, first), recurrent(first, second)]
    counts.append((second + 1) * classes)
    return *counts, sum(counts)


def masked_states(W, U, b, x, pad):
    def states(skipped):
        h = 0.0
        for step, value in enumerate(x, start=1):
            h = h if step == skipped else math.tanh(W * value + U * h + b)
            yield h

    return *states(None), *states(pad)


def through_time(W, U, x, y):
    def states(W, U, b):
        h_1 = math.tanh(W * x[0] + b)
        return h_1, math.tanh(W * x[1] + U * h_1 + b)

    def slope(*direction, step=1e-5):
        ends = []
        for sign in (1, -1):
            moved = [a + sign * step * d for a, d in zip((W, U, 0), direction, strict=True)]
            ends.append((states(*moved)[1] - y) ** 2 / 2)
        return (ends[0] - ends[1]) / (2 * step)

    return *states(W, U, 0), slope(1, 0, 0), slope(0, 1, 0), slope(0, 0, 1)


def output_gradients(h, p, target):
    delta = [share - (place == target) for place, share in enumerate(p, start=1)]
    return *delta, *(a * d for a in h for d in delta), math.log(1 / p[target - 1])


def decay_and_growth(weight, slope, power, steps, large):
    share, needed = 1.0, 0
    while share >= 10**-power:
        share, needed = share * weight * slope, needed + 1
    return needed, math.exp(steps * math.log(large * slope))


def clipping(arrays, limit):
    def cut(numbers, norm):
        return [x * min(1, limit / norm) for x in numbers]

    both = [x for numbers in arrays for x in numbers]
    return *(x for one in arrays for x in cut(one, math.hypot(*one))), *cut(
        both, math.hypot(*both)
    )


def perplexity(true, p, temperature):
    loss = fmean(-math.log(one) for one in true)
    raised = [math.exp(math.log(one) / temperature) for one in p]
    return loss, math.exp(loss), *(one / sum(raised) for one in raised)
