"""The results of lecture 8's drawn exam questions, computed a second time."""

import math


def layer(inputs, outputs):
    return (inputs + 1) * outputs


def two_blocks(S, width, tokens_inner, channels_inner, widened):
    mixer = layer(S, tokens_inner) + layer(tokens_inner, S) + 2 * 2 * width
    mixer += layer(width, channels_inner) + layer(channels_inner, width)
    half = widened // 2
    gate = S * (S + 1) + 2 * half
    return mixer, 2 * width + layer(width, widened) + gate + layer(half, width)


def split_gate(first, second, W, b):
    signs = [(1, -1) if left > right else (-1, 1) for left, right in second]
    output = []
    for passed, weights, bias in zip(first, W, b, strict=True):
        for channel in (0, 1):
            read = sum(w * sign[channel] for w, sign in zip(weights, signs, strict=True))
            output.append(passed[channel] * (read + bias))
    readers = {1} | {number for number, weight in enumerate(W[0], start=1) if weight}
    return *output, ", ".join(map(str, sorted(readers)))


def costs_of_mixing(width, tokens_inner, widened, sides):
    def counts(S):
        pairs, matrices = S * width * S * 2, S * width * width * 4
        mixing = width * (S * tokens_inner + tokens_inner * S)
        return [
            round(one / 1000, 3) for one in (pairs, matrices, mixing, S * S * (widened / 2))
        ]

    less, more = (counts(side * side) for side in sides)
    return *less, *more, more[0] / less[0], more[1] / less[1]


def order_of_parts(neither, alone, both):
    first = [one - neither for one in alone]
    last = [both - one for one in reversed(alone)]
    return first[0], last[0], first[1], last[1], sum(first) + neither - both


def paired_errors(images, wrong, shared):
    accuracies = [(images - one) / images for one in wrong]
    error = math.hypot(*(math.sqrt(p * (1 - p) / images) for p in accuracies))
    a, b = (one - shared for one in wrong)
    return (
        *accuracies,
        error,
        (accuracies[0] - accuracies[1]) / error,
        a,
        b,
        (b - a) / math.sqrt(a + b),
    )


def weights_of_a_gmlp(side, blocks, patch, width, widened):
    tokens = (2 * side * patch // patch) ** 2
    return (blocks * two_blocks(tokens, width, 1, 1, widened)[1],)
