"""The results of lab 6d's drawn exam questions, computed a second time."""

import cmath
import math
from statistics import fmean


def rotary_scores(q, k, m, n):
    def score(m, n):
        first = complex(*q) * cmath.exp(1j * m)
        return (first.conjugate() * complex(*k) * cmath.exp(1j * n)).real

    return score(m, n), score(n, m)


def two_norms(x, shift):
    def rms(values):
        return [value / math.sqrt(fmean(one * one for one in values)) for value in values]

    centred = [value - fmean(x) for value in x]
    return *rms(centred), *rms(x), rms([value + shift for value in x])[0]


def gated_network(width, inner, gate, up):
    entering = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up, strict=True)]
    plain = width * inner + inner * width
    return plain, plain + width * inner, plain / (3 * width), *entering


def cache_of_a_text(layers, heads, head, tokens, memory, groups):
    def size(kept):  # keys and values, two bytes a number
        return sum(2 * 2 * kept * head * tokens for _ in range(layers))

    saved = 2 * ((heads * head) ** 2 - heads * head * groups * head)
    sizes = size(heads), size(groups)
    return *sizes, *(memory * 1024**3 // one for one in sizes), saved


def next_word(p, top):
    def scaled(values):
        return [value / sum(values) for value in values]

    def nucleus(values):
        def before(value):
            return sum(other for other in values if other > value)

        return scaled([value if before(value) < top else 0.0 for value in values])

    sharp = scaled([one * one for one in p])
    return *sharp, *nucleus(p), *nucleus(sharp)


def positions_computed(prompt, written):
    positions, text = 0, prompt
    for _ in range(written):
        positions, text = positions + text, text + 1
    return (positions,)
