"""The results of lecture 6's drawn exam questions, computed a second time."""

import math
from statistics import fmean


def attention_by_hand(q, k, v):
    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    def weights(query, scale):
        powers = [math.exp(dot(query, key) / scale) for key in k]
        return [power / sum(powers) for power in powers]

    rows = [weights(query, 2) for query in q]
    outputs = [dot(one, channel) for one in rows for channel in zip(*v, strict=True)]
    return *rows[0], *rows[1], *outputs, *v[0], *weights(q[0], 1)


def transformer_sizes(width, inner, layers, words):
    def block(attentions):
        norms = (attentions + 1) * 2 * width
        return (
            attentions * 4 * width * width + (width + 1) * inner + (inner + 1) * width + norms
        )

    return block(1), block(2), layers * (block(1) + block(2)) + words * width


def open_pairs(lengths, T):
    return (sum(k <= t and k < n for n in lengths for t in range(T) for k in range(T)),)


def attention_or_recurrence(width, lengths):
    attention = [(2 * S * width * S + 4 * S * width * width) / 1e6 for S in lengths]
    recurrent = [6 * S * width * width / 1e6 for S in lengths]
    millions = [round(one, 3) for one in (*attention, *recurrent)]
    return width, *millions, (lengths[1] + 2 * width) / (3 * width)


def products_of_positions(places, shifts):
    def product(p, q):
        return sum(
            math.sin(p * w) * math.sin(q * w) + math.cos(p * w) * math.cos(q * w)
            for w in (1, 0.01)
        )

    return [product(p, p + k) for p, k in zip(places, shifts, strict=True)]


def normed_token(x, gain, shift):
    deviation = math.sqrt(fmean(value**2 for value in x) - fmean(x) ** 2)
    normed = [(value - fmean(x)) / deviation for value in x]
    return *normed, *(n * g + s for n, g, s in zip(normed, gain, shift, strict=True))
