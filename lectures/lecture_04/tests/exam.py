"""The results of lecture 4's drawn exam questions, computed a second time."""

import math


def convolution_by_hand(x, K, b):
    def at(places):
        return b + sum(k * x[p] for k, p in zip(K, places, strict=True) if p >= 0)

    valid = [at((t, t + 1, t + 2)) for t in range(5)]
    dilated = [at((t, t + 2, t + 4)) for t in range(3)]
    return *valid, *valid[::2], *dilated, at((-2, -1, 0)), at((-1, 0, 1))


def shapes_of_a_convnet(words, vocabulary, width, filters, kernels, pool, dilation):
    pooled = len(range(0, words - pool + 1, pool))
    left = sum(t + dilation * (kernels[1] - 1) < pooled for t in range(pooled))
    shapes = [(words, width), (words, filters[0]), (pooled, filters[0]), (left, filters[1])]
    one, two = filters
    counts = [vocabulary * width, one * (1 + kernels[0] * width), two * (1 + kernels[1] * one)]
    counts.append(1 + two)
    return *map(str, shapes), str((two,)), *counts, sum(counts)


def field_of_a_stack(kernels, pool, dilations, words):
    def below(places, kernel, stride=1, dilation=1):
        return {place * stride + j * dilation for place in places for j in range(kernel)}

    seen = below({0}, kernels[2], dilation=dilations[1])
    seen = below(seen, kernels[1], dilation=dilations[0])
    seen = below(below(seen, pool, stride=pool), kernels[0])
    layers = next(n for n in range(1, 40) if 1 + sum(2 * 2**i for i in range(n)) >= words)
    return max(seen) - min(seen) + 1, layers


def dense_or_convolution(steps, channels, filters, kernel):
    dense = (steps * channels + 1) * steps * filters
    local = (kernel * channels + 1) * filters
    return dense, local, dense / local


def time_against_length(lengths, times):
    each = (times[1] - times[0]) / (lengths[1] - lengths[0])
    fixed = (times[0] * lengths[1] - times[1] * lengths[0]) / (lengths[1] - lengths[0])
    rise = math.log10(times[1]) - math.log10(times[0])
    return rise / (math.log10(lengths[1]) - math.log10(lengths[0])), each, fixed, fixed / each


def largest_of_a_filter(channels, K, b):
    found = [0]
    for first, second in zip(channels, channels[1:], strict=False):
        pairs = [*zip(first, K[0], strict=True), *zip(second, K[1], strict=True)]
        found.append(b + sum(x * k for x, k in pairs))
    return (max(found),)
