"""The results of lecture 1's drawn exam questions, computed a second time."""

import math


def tf_idf_row(documents, frequencies, counts):
    pairs = zip(counts, frequencies, strict=True)
    raw = [n * (1 - math.log((1 + df) / (1 + documents))) for n, df in pairs]
    return [x / math.hypot(*raw) for x in raw]


def flatten_or_average(vocabulary, width, length, classes):
    def flat(length):
        return vocabulary * width + (length * width + 1) * classes

    return flat(length), flat(1), flat(length + 1) - flat(length), 0


def training_rows(lengths, window, noise):
    pairs = sum(0 < abs(i - j) <= window for n in lengths for i in range(n) for j in range(n))
    return (pairs + pairs * noise,)


def negative_sampling(u, v_c, v_1, v_2, rate):
    def loss(u):
        def say(v, sign):
            return math.log(1 + math.exp(-sign * sum(a * b for a, b in zip(u, v, strict=True))))

        return say(v_c, 1) + say(v_1, -1) + say(v_2, -1)

    def slope(axis, step=1e-5):
        ends = [[x + s * (k == axis) for k, x in enumerate(u)] for s in (step, -step)]
        return (loss(ends[0]) - loss(ends[1])) / (2 * step)

    gradient = [slope(axis) for axis in range(3)]
    return loss(u), *gradient, *(x - rate * g for x, g in zip(u, gradient, strict=True))


def noise_words(frequencies, pairs, noise):
    flattened = [math.sqrt(n) * math.sqrt(math.sqrt(n)) for n in frequencies]
    sampled = [n / sum(flattened) for n in flattened]
    drawn = pairs * noise
    return *sampled, drawn * sampled[-1], drawn * frequencies[-1] / sum(frequencies)


def cosine_neighbour(vectors, weights):
    angles = [math.atan2(y, x) for x, y in vectors]
    cosines = [math.cos(angle - angles[0]) for angle in angles[1:]]
    nearest = angles[1 + cosines.index(max(cosines))]
    mean = [weights[0] * f(angles[0]) + weights[1] * f(nearest) for f in (math.cos, math.sin)]
    return *cosines, *mean
