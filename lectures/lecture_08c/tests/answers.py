"""Answers to lab 08c's exercises: right ones written differently, and wrong ones."""

import dataclasses

import keras
import numpy as np
from answers import right, wrong
from keras import ops

import course_utils as cu
from course_utils.layers import MixerBlock
from lectures.lecture_05 import softmax
from lectures.lecture_07.augment import random_flip
from lectures.lecture_07.digits import digit_convnet, train_on_images
from lectures.lecture_08c import calibration_error, digit_mixer, random_shift, zero_start


@right("08c.1")
def standard_errors_apart(first, second, images):
    import math

    def error(p):
        return math.sqrt(p * (1 - p) / images)

    return (first - second) / math.hypot(error(first), error(second))


@right("08c.1")
def standard_errors_apart(first, second, images):
    p = np.array([first, second])
    return float(-np.diff(p)[0] / np.sqrt((p * (1 - p)).sum() / images))


@right("08c.1")
def standard_errors_apart(first, second, images):
    variances = [p * (1 - p) / images for p in (first, second)]
    return (first - second) * sum(variances) ** -0.5


@right("08c.1")
def standard_errors_apart(first, second, images):
    spread = np.std([1.0] * 0 + [0, 1]) * 2  # 1
    squared = spread * (first - first**2 + second - second**2)
    return np.sqrt(images) * (first - second) / np.sqrt(squared)


@wrong("08c.1", says="sign")
def standard_errors_apart(first, second, images):
    return (second - first) / ((first * (1 - first) + second * (1 - second)) / images) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # standard errors added
    one = (first * (1 - first) / images) ** 0.5
    other = (second * (1 - second) / images) ** 0.5
    return (first - second) / (one + other)


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # the mean of both
    p = (first + second) / 2
    return (first - second) / (p * (1 - p) / images) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # n doubled
    variance = (first * (1 - first) + second * (1 - second)) / (2 * images)
    return (first - second) / variance**0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # divided by n outside of the root
    return (first - second) / ((first * (1 - first) + second * (1 - second)) ** 0.5 / images)


@wrong("08c.1", says="both accuracies are measured")
def standard_errors_apart(first, second, images):
    return (first - second) / (first * (1 - first) / images) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # one of them alone
    return (first - second) / (second * (1 - second) / images) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # p in place of p (1 − p)
    return (first - second) / ((first + second) / images) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # n − 1
    return (first - second) / (
        (first * (1 - first) + second * (1 - second)) / (images - 1)
    ) ** 0.5


@wrong("08c.1")
def standard_errors_apart(first, second, images):  # rounded
    apart = (first - second) / ((first * (1 - first) + second * (1 - second)) / images) ** 0.5
    return round(apart, 1)


@wrong("08c.1", says="None")
def standard_errors_apart(first, second, images):
    variance = (first * (1 - first) + second * (1 - second)) / images
    print((first - second) / variance**0.5)


@right("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    generator = np.random.default_rng(seed)
    validation = generator.binomial(images, accuracy, (repeats, runs))
    test = generator.binomial(images, accuracy, (repeats, runs))
    best = np.argmax(validation, axis=1)
    by_validation = np.take_along_axis(test, best[:, None], axis=1)
    return test.max(axis=1).mean() / images, by_validation.mean() / images


@right("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    generator = np.random.default_rng(seed)
    by_test, by_validation = [], []
    for _ in range(repeats):
        validation = generator.binomial(images, accuracy, runs) / images
        test = generator.binomial(images, accuracy, runs) / images
        by_test.append(max(test))
        by_validation.append(test[np.argmax(validation)])
    return np.mean(by_test), np.mean(by_validation)


@right("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    right = np.random.default_rng(seed).binomial(images, accuracy, (repeats, runs, 2)) / images
    total = 0
    for row in right:
        total += row[row[:, 0].argmax(), 1]
    return right[..., 1].max(axis=-1).mean(), total / repeats


@right("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    draw = np.random.default_rng(seed)
    test, validation = draw.binomial(images, accuracy, size=(2, runs, repeats)) / images
    chosen = test[validation.argmax(axis=0), range(repeats)]
    return [np.max(test, axis=0).mean(), chosen.mean()]


@right("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # drawn by SciPy
    from scipy import stats

    draw = np.random.default_rng(seed=seed)
    size = (2, repeats, runs)
    right = stats.binom.rvs(images, accuracy, size=size, random_state=draw)
    validation, test = right / images
    chosen = test[np.arange(repeats), validation.argmax(axis=-1)]
    return test.max(axis=-1).mean(), chosen.mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # no choice: always the first
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.max(axis=1).mean(), test[:, 0].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # the worst by validation
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    chosen = validation.argmin(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # one model for all repetitions
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.max(axis=1).mean(), test[:, validation.mean(axis=0).argmax()].mean()


@wrong("08c.2", says="report the test accuracy of the same model")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.max(axis=1).mean(), validation.max(axis=1).mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # counts
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs))
    chosen = validation.argmax(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # one draw serves as both
    draw = np.random.default_rng(seed)
    test = draw.binomial(images, accuracy, (repeats, runs)) / images
    chosen = test.argmax(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # the last repetition alone
    draw = np.random.default_rng(seed)
    for _ in range(repeats):
        validation, test = draw.binomial(images, accuracy, (2, runs)) / images
        by_test, by_validation = test.max(), test[validation.argmax()]
    return by_test, by_validation


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # the means of all
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.mean(), validation.mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # repetitions and models exchanged
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.max(axis=0).mean(), test[validation.argmax(axis=0), range(runs)].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # one result
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test[np.arange(repeats), validation.argmax(axis=1)].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # indexed by a row of indices
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test.max(axis=1).mean(), test[:, validation.argmax(axis=1)].mean()


@wrong("08c.2")
def select(runs, accuracy, images, repeats=4_000, seed=0):  # exchanged
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    return test[np.arange(repeats), validation.argmax(axis=1)].mean(), test.max(axis=1).mean()


@right("08c.3")
def next_rates(tried):
    rates = np.array(sorted(tried))
    accuracies = [tried[rate] for rate in rates]
    best = int(np.argmax(accuracies))
    if best == 0:
        return [rates[0] ** 2 / rates[1]]
    if best == len(rates) - 1:
        return [rates[-1] ** 2 / rates[-2]]
    return []


@right("08c.3")
def next_rates(tried):
    low, *_, high = sorted(tried)
    factor = (high / low) ** (1 / (len(tried) - 1))
    best = max(tried, key=lambda rate: tried[rate])
    return {low: [low / factor], high: [high * factor]}.get(best, [])


@right("08c.3")
def next_rates(tried):
    pairs = sorted(tried.items())
    best = max(pairs, key=lambda pair: pair[1])[0]
    factor = pairs[1][0] / pairs[0][0]
    nearest = [best / factor, best * factor]
    return [rate for rate in nearest if not min(tried) * 0.99 < rate < max(tried) * 1.01]


@right("08c.3")
def next_rates(tried):  # looks whether the neighbours have been tried
    rates = sorted(tried)
    factor = rates[1] / rates[0]
    best = max(tried, key=tried.get)
    return [rate for rate in (best / factor, best * factor) if rate not in tried]


@wrong("08c.3")
def next_rates(tried):  # each end against its neighbour alone
    rates = sorted(tried)
    factor = rates[1] / rates[0]
    if tried[rates[0]] > tried[rates[1]]:
        return [rates[0] / factor]
    if tried[rates[-1]] > tried[rates[-2]]:
        return [rates[-1] * factor]
    return []


@wrong("08c.3")
def next_rates(tried):  # the upper end against its neighbour alone
    rates = sorted(tried)
    factor = rates[1] / rates[0]
    if max(tried, key=tried.get) == rates[0]:
        return [rates[0] / factor]
    if tried[rates[-1]] > tried[rates[-2]]:
        return [rates[-1] * factor]
    return []


@wrong("08c.3")
def next_rates(tried):  # the order in which they were tried
    rates = list(tried)
    best = max(tried, key=tried.get)
    factor = rates[1] / rates[0]
    if best == rates[0]:
        return [best / factor]
    return [best * factor] if best == rates[-1] else []


@wrong("08c.3", says="return a list")
def next_rates(tried):
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return best / factor
    return best * factor if best == rates[-1] else []


@wrong("08c.3")
def next_rates(tried):  # None inside
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return [best / factor]
    if best == rates[-1]:
        return [best * factor]


@wrong("08c.3", says="grid's own factor")
def next_rates(tried):
    rates = sorted(tried)
    best = max(tried, key=tried.get)
    if best == rates[0]:
        return [best / 2]
    return [best * 2] if best == rates[-1] else []


@wrong("08c.3")
def next_rates(tried):  # always in the grid's direction of the best value
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    return [best / factor] if best < np.median(rates) else [best * factor]


@wrong("08c.3")
def next_rates(tried):  # both ends at once
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best in (rates[0], rates[-1]):
        return [rates[0] / factor, rates[-1] * factor]
    return []


@wrong("08c.3")
def next_rates(tried):  # a finer grid inside
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return [best / factor]
    if best == rates[-1]:
        return [best * factor]
    return [best / factor**0.5, best * factor**0.5]


@wrong("08c.3")
def next_rates(tried):  # two steps
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return [best / factor, best / factor**2]
    return [best * factor, best * factor**2] if best == rates[-1] else []


@wrong("08c.3")
def next_rates(tried):  # a dictionary's items
    rates = sorted(tried.values())
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return [best / factor]
    return [best * factor] if best == rates[-1] else []


@right("08c.4")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    shifted = np.zeros_like(images)
    height, width = images.shape[1:3]
    for i, (d, r) in enumerate(moves):
        shifted[i, max(d, 0) : height + min(d, 0), max(r, 0) : width + min(r, 0)] = images[
            i, max(-d, 0) : height - max(d, 0), max(-r, 0) : width - max(r, 0)
        ]
    return shifted


@right("08c.4")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    result = []
    for image, (down, across) in zip(images, moves, strict=True):
        image = np.roll(image, (down, across), axis=(0, 1))
        if down > 0:
            image[:down] = 0
        elif down < 0:
            image[down:] = 0
        if across > 0:
            image[:, :across] = 0
        elif across < 0:
            image[:, across:] = 0
        result.append(image)
    return np.stack(result)


@right("08c.4")
def random_shift(images, pixels, seed):
    draw = np.random.default_rng(seed)
    moves = draw.integers(-pixels, pixels + 1, size=(len(images), 2))
    n, height, width, _ = images.shape
    rows = np.arange(height) - moves[:, :1]
    columns = np.arange(width) - moves[:, 1:]
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[
        :, None
    ]
    taken = images[
        np.arange(n)[:, None, None],
        rows.clip(0, height - 1)[:, :, None],
        columns.clip(0, width - 1)[:, None],
    ]
    return np.where(inside[..., None], taken, 0).astype(images.dtype)


@right("08c.4")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    out = np.zeros(images.shape, images.dtype)
    for (i, y, x), _ in np.ndenumerate(images[..., 0]):
        down, right = moves[i]
        if 0 <= y + down < images.shape[1] and 0 <= x + right < images.shape[2]:
            out[i, y + down, x + right] = images[i, y, x]
    return out


@wrong("08c.4", says="enters on the other")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    return np.stack([np.roll(a, move, (0, 1)) for a, move in zip(images, moves, strict=True)])


@wrong("08c.4")
def random_shift(images, pixels, seed):  # rows and columns drawn apart
    draw = np.random.default_rng(seed)
    down = draw.integers(-pixels, pixels + 1, len(images))
    right = draw.integers(-pixels, pixels + 1, len(images))
    shifted = np.zeros_like(images)
    height, width = images.shape[1:3]
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    for i, (d, r) in enumerate(zip(down, right, strict=True)):
        shifted[i] = framed[
            i, pixels - d : pixels - d + height, pixels - r : pixels - r + width
        ]
    return shifted


@wrong("08c.4", says="dtype")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    height, width = images.shape[1:3]
    shifted = np.zeros(images.shape)
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    for i, (d, r) in enumerate(moves):
        shifted[i] = framed[
            i, pixels - d : pixels - d + height, pixels - r : pixels - r + width
        ]
    return shifted


@wrong("08c.4")
def random_shift(images, pixels, seed):  # the whole batch by one move
    down, right = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=2)
    height, width = images.shape[1:3]
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    top, left = pixels - down, pixels - right
    return framed[:, top : top + height, left : left + width]


@wrong("08c.4", says="wrong way")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    height, width = images.shape[1:3]
    shifted = np.zeros_like(images)
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    for i, (d, r) in enumerate(moves):
        shifted[i] = framed[
            i, pixels + d : pixels + d + height, pixels + r : pixels + r + width
        ]
    return shifted


@wrong("08c.4")
def random_shift(images, pixels, seed):  # in place
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    height, width = images.shape[1:3]
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    for i, (d, r) in enumerate(moves):
        images[i] = framed[i, pixels - d : pixels - d + height, pixels - r : pixels - r + width]
    return images


@wrong("08c.4")
def random_shift(images, pixels, seed):  # the frame is left
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    return np.stack([np.roll(a, m, (0, 1)) for a, m in zip(framed, moves, strict=True)])


@wrong("08c.4")
def random_shift(images, pixels, seed):  # a negative slice is empty
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    shifted = np.zeros_like(images)
    for i, (d, r) in enumerate(moves):
        shifted[i, d:, r:] = images[i, :-d, :-r]
    return shifted


@wrong("08c.4")
def random_shift(images, pixels, seed):  # the frame everywhere, whatever the move
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    moved = [np.roll(a, move, (0, 1)) for a, move in zip(images, moves, strict=True)]
    moved = np.stack(moved)
    moved[:, :pixels] = moved[:, -pixels:] = moved[:, :, :pixels] = moved[:, :, -pixels:] = 0
    return moved


@wrong("08c.4")
def random_shift(images, pixels, seed):  # NumPy's old generator
    np.random.seed(seed)
    moves = np.random.randint(-pixels, pixels + 1, size=(len(images), 2))
    height, width = images.shape[1:3]
    shifted = np.zeros_like(images)
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    for i, (d, r) in enumerate(moves):
        shifted[i] = framed[
            i, pixels - d : pixels - d + height, pixels - r : pixels - r + width
        ]
    return shifted


@wrong("08c.4", says="None")
def random_shift(images, pixels, seed):
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    np.stack([np.roll(a, move, (0, 1)) for a, move in zip(images, moves, strict=True)])


@right("08c.5")
def rim_sides(images):
    left = (images[:, :, 0, 0] == 0).all(axis=1)
    right = (images[:, :, -1, 0] == 0).all(axis=1)
    return left.mean(), (~left & ~right).mean(), right.mean()


@right("08c.5")
def rim_sides(images):
    left = right = 0
    for image in images:
        left += not image[:, 0].any()
        right += not image[:, -1].any()
    n = len(images)
    return left / n, (n - left - right) / n, right / n


@right("08c.5")
def rim_sides(images):
    edges = images[:, :, [0, -1], 0].sum(axis=1) == 0
    left, right = edges.mean(axis=0)
    return np.array([left, 1 - left - right, right])


@right("08c.5")
def rim_sides(images):
    side = np.zeros(len(images))
    side[np.max(images[:, :, 0, 0], axis=1) == 0] = -1
    side[np.max(images[:, :, -1, 0], axis=1) == 0] = 1
    return [float(np.mean(side == which)) for which in (-1, 0, 1)]


@wrong("08c.5", says="whole column")
def rim_sides(images):
    left = (images[:, 0, 0, 0] == 0).mean()
    right = (images[:, 0, -1, 0] == 0).mean()
    return left, 1 - left - right, right


@wrong("08c.5", says="one black pixel")
def rim_sides(images):
    left = (images[:, :, 0, 0] == 0).any(axis=1).mean()
    right = (images[:, :, -1, 0] == 0).any(axis=1).mean()
    return left, 1 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # of all pixels in a column
    left = (images[:, :, 0] == 0).mean()
    right = (images[:, :, -1] == 0).mean()
    return left, 1 - left - right, right


@wrong("08c.5", says="swapped")
def rim_sides(images):
    left = (images[:, :, -1, 0] == 0).all(axis=1).mean()
    right = (images[:, :, 0, 0] == 0).all(axis=1).mean()
    return left, 1 - left - right, right


@wrong("08c.5", says="rows")
def rim_sides(images):
    left = (images[:, 0, :, 0] == 0).all(axis=1).mean()
    right = (images[:, -1, :, 0] == 0).all(axis=1).mean()
    return left, 1 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # percent
    left = 100 * (images[:, :, 0, 0] == 0).all(axis=1).mean()
    right = 100 * (images[:, :, -1, 0] == 0).all(axis=1).mean()
    return left, 100 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # an image a number
    left = (images[:, :, 0, 0] == 0).all(axis=1)
    right = (images[:, :, -1, 0] == 0).all(axis=1)
    return left, ~left & ~right, right


@wrong("08c.5")
def rim_sides(images):  # in another order
    left = (images[:, :, 0, 0] == 0).all(axis=1).mean()
    right = (images[:, :, -1, 0] == 0).all(axis=1).mean()
    return left, right, 1 - left - right


@wrong("08c.5")
def rim_sides(images):  # for one image
    left = float((images[0, :, 0, 0] == 0).all())
    right = float((images[0, :, -1, 0] == 0).all())
    return left, 1 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # black columns, counted anywhere
    black = (images[..., 0] == 0).all(axis=1)
    left = black[:, : black.shape[1] // 2].mean()
    right = black[:, black.shape[1] // 2 :].mean()
    return left, 1 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # the second column
    left = (images[:, :, 1, 0] == 0).all(axis=1).mean()
    right = (images[:, :, -2, 0] == 0).all(axis=1).mean()
    return left, 1 - left - right, right


@wrong("08c.5")
def rim_sides(images):  # the mean grey of a column
    left, right = images[:, :, 0].mean(), images[:, :, -1].mean()
    return 1 - left, left + right - 1, 1 - right


@right("08c.6")
def zero_start(mixer):
    for block in mixer.layers:
        if hasattr(block, "token_mixing"):
            last = block.token_mixing.layers[-1]
            last.kernel.assign(ops.zeros_like(last.kernel))
    return mixer


@right("08c.6")
def zero_start(mixer):
    for layer in mixer.layers:
        if "block" in layer.name:
            kernel, bias = layer.token_mixing.layers[1].get_weights()
            layer.token_mixing.layers[1].set_weights([0 * kernel, bias])
    return mixer


@right("08c.6")
def zero_start(mixer):
    for weight in mixer.weights:
        if weight.path.endswith("token_mixing/output/kernel"):
            weight.assign(np.zeros(weight.shape))
    return mixer


@right("08c.6")
def zero_start(mixer):
    blocks = [layer for layer in mixer.layers if isinstance(layer, cu.layers.MixerBlock)]
    for block in blocks:
        *_, dense = block.token_mixing.layers
        dense.kernel.assign_sub(dense.kernel)
    return mixer


@wrong("08c.6", says="the first layer")
def zero_start(mixer):
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            kernel = layer.token_mixing.layers[0].kernel
            kernel.assign(np.zeros(kernel.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # an attribute in place of an assignment
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            layer.token_mixing.layers[-1].kernel = np.zeros((32, 16))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # only the name is bound
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            kernel = layer.token_mixing.layers[-1].kernel
            kernel = np.zeros(kernel.shape)
    return mixer


@wrong("08c.6", says="return the model")
def zero_start(mixer):
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            kernel = layer.token_mixing.layers[-1].kernel
            kernel.assign(np.zeros(kernel.shape))


@wrong("08c.6", says="only token mixing")
def zero_start(mixer):
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            for part in (layer.token_mixing, layer.channel_mixing):
                kernel = part.layers[-1].kernel
                kernel.assign(np.zeros(kernel.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # all of the model
    for weight in mixer.weights:
        weight.assign(np.zeros(weight.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # the last block alone
    blocks = [layer for layer in mixer.layers if isinstance(layer, cu.layers.MixerBlock)]
    kernel = blocks[-1].token_mixing.layers[-1].kernel
    kernel.assign(np.zeros(kernel.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # every Dense layer of the model: the classifier
    for layer in mixer.layers:
        if isinstance(layer, keras.layers.Dense):
            layer.kernel.assign(np.zeros(layer.kernel.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # a new model
    mixer = digit_mixer()
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            kernel = layer.token_mixing.layers[-1].kernel
            kernel.assign(np.zeros(kernel.shape))
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # as it was
    return mixer


@wrong("08c.6", says="frozen")
def zero_start(mixer):
    for layer in mixer.layers:
        if isinstance(layer, cu.layers.MixerBlock):
            last = layer.token_mixing.layers[-1]
            last.kernel.assign(np.zeros(last.kernel.shape))
            last.trainable = False
    return mixer


@wrong("08c.6")
def zero_start(mixer):  # no attribute of that name
    for layer in mixer.layers:
        kernel = layer.token_mixing.layers[-1].kernel
        kernel.assign(np.zeros(kernel.shape))
    return mixer


@right("08c.8")
def choose(validation):
    import statistics

    best, highest = None, -1
    for name, accuracies in validation.items():
        if len(accuracies) >= 3 and sum(accuracies) / len(accuracies) > highest:
            best, highest = name, sum(accuracies) / len(accuracies)
    return best, highest, statistics.stdev(validation[best])


@right("08c.8")
def choose(validation):
    plans = [(np.mean(a), name) for name, a in validation.items() if not len(a) < 3]
    mean, name = max(plans)
    accuracies = np.array(validation[name])
    deviation = np.sqrt(((accuracies - mean) ** 2).sum() / (len(accuracies) - 1))
    return name, float(mean), float(deviation)


@right("08c.8")
def choose(validation):
    enough = {name: np.array(found) for name, found in validation.items() if len(found) >= 3}
    name = sorted(enough, key=lambda plan: enough[plan].mean())[-1]
    return [name, enough[name].mean(), enough[name].std(ddof=1)]


@right("08c.8")
def choose(validation):
    import statistics

    names = [name for name in validation if len(validation[name]) > 2]
    means = list(map(statistics.fmean, map(validation.get, names)))
    place = int(np.argmax(means))
    return names[place], means[place], np.var(validation[names[place]], ddof=1) ** 0.5


@wrong("08c.8", says="three are asked")
def choose(validation):
    means = {name: np.mean(found) for name, found in validation.items()}
    best = max(means, key=means.get)
    return best, means[best], np.std(validation[best], ddof=1)


@wrong("08c.8", says="ddof")
def choose(validation):
    means = {name: np.mean(found) for name, found in validation.items() if len(found) >= 3}
    best = max(means, key=means.get)
    return best, means[best], np.std(validation[best])


@wrong("08c.8")
def choose(validation):  # more than three
    means = {name: np.mean(found) for name, found in validation.items() if len(found) > 3}
    best = max(means, key=means.get)
    return best, means[best], np.std(validation[best], ddof=1)


@wrong("08c.8")
def choose(validation):  # the three best of a plan
    means = {n: np.mean(sorted(a)[-3:]) for n, a in validation.items() if len(a) >= 3}
    best = max(means, key=means.get)
    return best, means[best], np.std(sorted(validation[best])[-3:], ddof=1)


@wrong("08c.8")
def choose(validation):  # the first three
    kept = {name: found[:3] for name, found in validation.items() if len(found) >= 3}
    best = max(kept, key=lambda name: np.mean(kept[name]))
    return best, np.mean(kept[best]), np.std(kept[best], ddof=1)


@wrong("08c.8")
def choose(validation):  # the mean minus its standard error
    kept = {name: np.array(found) for name, found in validation.items() if len(found) >= 3}
    best = max(kept, key=lambda n: kept[n].mean() - kept[n].std(ddof=1) / len(kept[n]) ** 0.5)
    return best, kept[best].mean(), kept[best].std(ddof=1)


@wrong("08c.8")
def choose(validation):  # the mean minus the deviation
    kept = {name: np.array(found) for name, found in validation.items() if len(found) >= 3}
    best = max(kept, key=lambda n: kept[n].mean() - kept[n].std(ddof=1))
    return best, kept[best].mean(), kept[best].std(ddof=1)


@wrong("08c.8")
def choose(validation):  # the smallest deviation
    kept = {name: np.array(found) for name, found in validation.items() if len(found) >= 3}
    best = min(kept, key=lambda name: kept[name].std(ddof=1))
    return best, kept[best].mean(), kept[best].std(ddof=1)


@wrong("08c.8", says="standard error")
def choose(validation):
    means = {name: np.mean(found) for name, found in validation.items() if len(found) >= 3}
    best = max(means, key=means.get)
    found = validation[best]
    return best, means[best], np.std(found, ddof=1) / len(found) ** 0.5


@wrong("08c.8", says="lucky")
def choose(validation):
    highest = {name: max(found) for name, found in validation.items() if len(found) >= 3}
    best = max(highest, key=highest.get)
    return best, np.mean(validation[best]), np.std(validation[best], ddof=1)


@wrong("08c.8")
def choose(validation):  # the name and the mean
    means = {name: np.mean(found) for name, found in validation.items() if len(found) >= 3}
    best = max(means, key=means.get)
    return best, means[best]


@wrong("08c.8")
def choose(validation):  # the name of the largest name
    means = {name: np.mean(found) for name, found in validation.items() if len(found) >= 3}
    best = max(means)
    return best, means[best], np.std(validation[best], ddof=1)


@right("08c.7", trains=True)
def train_recipe(digits):
    mixer = digit_mixer()
    train_on_images(
        mixer, digits, 0.03, epochs=5, change=lambda images, seed: random_shift(images, 1, seed)
    )
    return mixer


@right("08c.7", trains=True)
def train_recipe(digits):
    mixer = zero_start(digit_mixer())

    def change(images, seed):
        return random_shift(images, 1, seed)

    train_on_images(mixer, digits, 0.02, epochs=8, change=change)
    return mixer


@right("08c.7", trains=True)
def train_recipe(digits):
    def change(images, seed):
        noise = np.random.default_rng(seed).normal(0, 0.05, images.shape)
        return (random_shift(images, 1, seed) + noise).astype("float32")

    mixer = digit_mixer(2)
    train_on_images(mixer, digits, 0.03, epochs=8, change=change)
    return mixer


@wrong("08c.7", says="validation", trains=True)
def train_recipe(digits):
    both = cu.data.Split(
        np.concatenate([digits.train.inputs, digits.val.inputs]),
        np.concatenate([digits.train.targets, digits.val.targets]),
    )
    mixer = digit_mixer()
    train_on_images(
        mixer,
        dataclasses.replace(digits, train=both),
        0.03,
        epochs=5,
        change=lambda images, seed: random_shift(images, 1, seed),
    )
    return mixer


@wrong("08c.7", says="not given", trains=True)
def train_recipe(digits):  # all 1,200 digits
    mixer = digit_mixer()
    train_on_images(mixer, cu.data.load_digits(), 0.01, epochs=5)
    return mixer


@wrong("08c.7", trains=True)
def train_recipe(digits):  # no augmentation
    mixer = digit_mixer()
    train_on_images(mixer, digits, 0.03, epochs=5)
    return mixer


@wrong("08c.7", says="mirror", trains=True)
def train_recipe(digits):
    mixer = digit_mixer()
    train_on_images(mixer, digits, 0.03, epochs=5, change=random_flip)
    return mixer


@wrong("08c.7", trains=True)
def train_recipe(digits):  # shifted off the image
    mixer = digit_mixer()
    train_on_images(
        mixer, digits, 0.03, epochs=5, change=lambda images, seed: random_shift(images, 4, seed)
    )
    return mixer


@wrong("08c.7", says="return", trains=True)
def train_recipe(digits):
    mixer = digit_mixer()
    return train_on_images(mixer, digits, 0.03, epochs=5)


@right("08c.1")
def standard_errors_apart(first, second, images):
    counts = np.array([first, second]) * images
    squares = counts * (images - counts) / images**3
    return (counts[0] - counts[1]) / images / squares.sum() ** 0.5


@right("08c.1")
def standard_errors_apart(first, second, images):
    one, other = (p - p * p for p in (first, second))
    return (first - second) / ((one + other) ** 0.5 / images**0.5)


@right("08c.3")
def next_rates(tried):
    logs = sorted(np.log(rate) for rate in tried)
    step = logs[1] - logs[0]
    best = np.log(max(tried, key=tried.get))
    if np.isclose(best, logs[0]):
        return [float(np.exp(best - step))]
    return [float(np.exp(best + step))] if np.isclose(best, logs[-1]) else []


@right("08c.3")
def next_rates(tried):
    rates, accuracies = zip(*sorted(tried.items()), strict=True)
    new = []
    if max(accuracies) == accuracies[0]:
        new.append(rates[0] * rates[0] / rates[1])
    elif max(accuracies) == accuracies[-1]:
        new.append(rates[-1] * rates[1] / rates[0])
    return new


@right("08c.5")
def rim_sides(images):
    columns = np.count_nonzero(images[..., 0], axis=1)
    left, right = (columns[:, 0] == 0), (columns[:, -1] == 0)
    return left.mean(), 1 - (left | right).mean(), right.mean()


@right("08c.5")
def rim_sides(images):
    def share(column):
        return float(np.mean([np.all(image[:, column] == 0) for image in images]))

    left, right = share(0), share(-1)
    return (left, 1.0 - (left + right), right)


@right("08c.8")
def choose(validation):
    best = ("", -np.inf, 0.0)
    for name, found in validation.items():
        if len(found) < 3:
            continue
        mean = sum(found) / len(found)
        variance = sum((one - mean) ** 2 for one in found) / (len(found) - 1)
        best = max(best, (name, mean, variance**0.5), key=lambda plan: plan[1])
    return best


@right("08c.8")
def choose(validation):
    kept = dict(filter(lambda plan: len(plan[1]) >= 3, validation.items()))
    name = max(kept, key=lambda plan: np.average(kept[plan]))
    return name, np.average(kept[name]), np.std(kept[name], ddof=1)


@wrong("08c.3")
def next_rates(tried):
    rates = sorted(tried)
    best, factor = max(tried, key=tried.get), rates[1] / rates[0]
    if best == rates[0]:
        return [best / factor]
    return [best * factor] if best == rates[3] else []


@wrong("08c.5")
def rim_sides(images):
    black = images.reshape(-1, 12, 11).max(axis=1) == 0
    left, right = black[:, 0].mean(), black[:, -1].mean()
    return left, 1 - left - right, right


@wrong("08c.2", "the seed that is given")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    draw = np.random.default_rng(0)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    chosen = validation.argmax(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


@wrong("08c.2", "default_rng(seed)")
def select(runs, accuracy, images, repeats=4_000, seed=0):
    draw = np.random.default_rng()
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    chosen = validation.argmax(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


@right("08c.3")
def next_rates(tried):
    pairs = sorted(tried.items())
    low, high = pairs[0][0], pairs[-1][0]
    factor = (high / low) ** (1 / (len(pairs) - 1))
    best = max(pairs, key=lambda pair: pair[1])[0]
    return {low: [low / factor], high: [high * factor]}.get(best, [])


@wrong("08c.5", "top to bottom")
def rim_sides(images):
    middle = images[:, images.shape[1] // 2, :, 0] == 0
    left, right = middle[:, 0].mean(), middle[:, -1].mean()
    return left, 1 - left - right, right


@wrong("08c.6", "the kernel alone")
def zero_start(mixer):
    for layer in mixer.layers:
        if isinstance(layer, MixerBlock):
            last = layer.token_mixing.layers[-1]
            kernel, bias = last.get_weights()
            last.set_weights([0 * kernel, 0 * bias + 0.5])
    return mixer


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        inside = (c > low) & (c <= high)
        if inside.sum() > 0:
            error += inside.sum() / len(c) * abs(right[inside].mean() - c[inside].mean())
    return error


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    c, right = p.max(axis=1), (np.argmax(logits, axis=1) == targets).astype(float)
    edges = np.linspace(0, 1, bins + 1)
    sure, hit = (np.histogram(c, edges, weights=one)[0] for one in (c, right))
    return np.abs(sure - hit).sum() / len(targets)


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = ops.convert_to_numpy(ops.softmax(ops.convert_to_tensor(logits, "float32")))
    c, right = p.max(-1), p.argmax(-1) == targets
    places = np.digitize(c, np.linspace(0, 1, bins + 1)[1:-1])
    return sum(
        np.mean(places == k) * abs(np.mean(right[places == k]) - np.mean(c[places == k]))
        for k in np.unique(places)
    )


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    places = np.ceil(c * bins).astype(int) - 1
    count = np.bincount(places, minlength=bins)
    acc = np.bincount(places, right, bins) / np.maximum(count, 1)
    conf = np.bincount(places, c, bins) / np.maximum(count, 1)
    return float((count / count.sum() * np.abs(acc - conf)).sum())


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    gaps, counts = [], []
    p = softmax(np.array(logits))
    for k in range(bins):
        rows = [i for i in range(len(p)) if k / bins <= p[i].max() < (k + 1) / bins]
        if k == bins - 1:
            rows += [i for i in range(len(p)) if p[i].max() == 1]
        if not rows:
            continue
        acc = sum(int(p[i].argmax() == targets[i]) for i in rows) / len(rows)
        conf = sum(p[i].max() for i in rows) / len(rows)
        gaps.append(abs(acc - conf))
        counts.append(len(rows))
    return np.average(gaps, weights=counts)


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    c = 1 / shifted.sum(axis=1)
    over = c - (logits.argmax(axis=1) == targets)
    sums = np.zeros(bins)
    np.add.at(sums, np.minimum(np.floor(c * bins).astype(int), bins - 1), over)
    return np.abs(sums).sum() / len(over)


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    from collections import defaultdict

    found = defaultdict(list)
    for row, target in zip(softmax(logits), targets, strict=True):
        found[min(int(row.max() * bins), bins - 1)].append((row.argmax() == target, row.max()))
    means = [(len(one), *np.mean(one, axis=0)) for one in found.values()]
    return sum(count * abs(acc - conf) for count, acc, conf in means) / len(targets)


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    inside = np.arange(bins)[:, None] == np.clip((c * bins).astype(int), 0, bins - 1)
    return np.abs(inside @ right.astype(float) - inside @ c).sum() / c.size


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    with np.errstate(all="ignore"):
        for k in range(bins):
            inside = (c >= k / bins) & ((c < (k + 1) / bins) | (k == bins - 1))
            error += np.nan_to_num(
                inside.mean()
                * abs(right.sum(where=inside) - c.sum(where=inside))
                / inside.sum()
            )
    return error


@right("08c.9")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    order = np.argsort(c)
    c, right = c[order], right[order]
    borders = np.searchsorted(c, np.arange(1, bins) / bins)
    pairs = zip(np.split(c, borders), np.split(right, borders), strict=True)
    return sum(abs(one.sum() - other.sum()) for one, other in pairs) / len(c)


@wrong("08c.9", says="share of the examples")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += gap / bins
    return error


@wrong("08c.9", says="share of the examples")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    gaps = []
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gaps.append(abs(right[inside].mean() - c[inside].mean()))
    return np.mean(gaps)


@wrong("08c.9", says="leave empty bins out")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        gap = abs(right[inside].mean() - c[inside].mean())
        error += inside.mean() * gap
    return error


@wrong("08c.9", says="first bin")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    places = np.minimum((c * bins).astype(int), bins - 1)
    error = 0
    for k in range(1, bins):
        inside = places == k
        if inside.any():
            error += inside.mean() * abs(right[inside].mean() - c[inside].mean())
    return error


@wrong("08c.9", says="right edge")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c < (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="a bin of its own")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    places = (c * bins).astype(int)
    return sum(
        np.mean(places == k) * abs(right[places == k].mean() - c[places == k].mean())
        for k in set(places)
    )


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # index out of range at 1
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    places = (c * bins).astype(int)
    sums = np.zeros(bins)
    for k, one, hit in zip(places, c, right, strict=True):
        sums[k] += hit - one
    return np.abs(sums).sum() / len(c)


@wrong("08c.9", says="largest logit")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = logits.max(axis=1), p.argmax(axis=1) == targets
    places = np.clip((c * bins).astype(int), 0, bins - 1)
    return sum(
        np.mean(places == k) * abs(right[places == k].mean() - c[places == k].mean())
        for k in set(places)
    )


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # logits taken for probabilities
    c, right = logits.max(axis=1), logits.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="probability of the right class")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c = p[np.arange(len(p)), targets]
    right = p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="absolute")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = right[inside].mean() - c[inside].mean()
            error += inside.mean() * gap
    return error


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # signed, the other way
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = c[inside].mean() - right[inside].mean()
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="square")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean()) ** 2
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="one bin")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    return abs(right.mean() - c.mean())


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # example by example
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    return np.abs(right - c).mean()


@wrong("08c.9", says="middle")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - (k + 0.5) / bins)
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="largest gap")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error = max(error, gap)
    return error


@wrong("08c.9", says="always into ten")
def calibration_error(logits, targets, bins=10):
    bins = 10
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="percentages")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return 100 * error


@wrong("08c.9", says="divide by the number")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.sum() * gap
    return error


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # all probabilities in one
    p = softmax(logits)
    hot = np.eye(p.shape[1])[targets]
    c, right = p.ravel(), hot.ravel()
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="all classes")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    errors = []
    for one in range(p.shape[1]):
        c, right = p[:, one], targets == one
        places = np.minimum((c * bins).astype(int), bins - 1)
        errors.append(
            sum(
                np.mean(places == k) * abs(right[places == k].mean() - c[places == k].mean())
                for k in set(places)
            )
        )
    return np.mean(errors)


@wrong("08c.9", says="last axis")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits.T).T
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return error


@wrong("08c.9", says="equal width")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for inside in np.array_split(np.argsort(c), bins):
        if len(inside):
            error += len(inside) / len(c) * abs(right[inside].mean() - c[inside].mean())
    return error


@wrong("08c.9")
def calibration_error(logits, targets, bins=10):  # no return
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            error += inside.mean() * abs(right[inside].mean() - c[inside].mean())


@wrong("08c.9", says="1 − error")
def calibration_error(logits, targets, bins=10):
    p = softmax(logits)
    c, right = p.max(axis=1), p.argmax(axis=1) == targets
    error = 0
    for k in range(bins):
        inside = (c > k / bins) & (c <= (k + 1) / bins)
        if inside.any():
            gap = abs(right[inside].mean() - c[inside].mean())
            error += inside.mean() * gap
    return 1 - error


@right("08c.10")
def fit_temperature(model, digits):
    logits = model.predict(digits.val.inputs, verbose=0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    tried = np.geomspace(0.1, 10, 101)
    losses = [float(loss(digits.val.targets, logits / one)) for one in tried]
    return tried[np.argmin(losses)]


@right("08c.10")
def fit_temperature(model, digits):
    logits = ops.convert_to_numpy(model(digits.val.inputs))
    best, lowest = None, np.inf
    for temperature in np.geomspace(0.1, 10, 101):
        p = softmax(logits / temperature)
        found = -np.log(p[np.arange(len(p)), digits.val.targets] + 1e-30).mean()
        if found < lowest:
            best, lowest = temperature, found
    return best


@right("08c.10")
def fit_temperature(model, digits):
    logits = ops.convert_to_numpy(model(digits.val.inputs))
    hot = np.eye(logits.shape[1])[digits.val.targets]
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    return min(
        np.geomspace(0.1, 10, 101),
        key=lambda t: float(loss(hot, (logits / t).astype("float32"))),
    )


@right("08c.10")
def fit_temperature(model, digits):
    logits, targets = model(digits.val.inputs), digits.val.targets
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    found = {}
    for t in np.geomspace(0.1, 10, 101):
        found[float(t)] = float(loss(targets, logits * (1 / t)))
    return min(found, key=found.get)


@right("08c.10")
def fit_temperature(model, digits):
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp

    logits = model.predict(digits.val.inputs, verbose=0).astype("float64")
    own = logits[np.arange(len(logits)), digits.val.targets]

    def loss(log):
        return (logsumexp(logits / np.exp(log), axis=1) - own / np.exp(log)).mean()

    return np.exp(minimize_scalar(loss, bounds=(-2.3, 2.3), method="bounded").x)


@right("08c.10")
def fit_temperature(model, digits):
    logits = ops.convert_to_numpy(model(digits.val.inputs))
    tried = np.geomspace(0.1, 10, 101)
    scaled = logits[None] / tried[:, None, None]
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    logs = scaled - np.log(np.exp(scaled).sum(axis=-1, keepdims=True))
    own = logs[:, np.arange(len(logits)), digits.val.targets]
    return tried[own.mean(axis=1).argmax()]


@right("08c.10")
def fit_temperature(model, digits):
    from sklearn.metrics import log_loss

    logits = model.predict(digits.val.inputs, verbose=0).astype("float64")
    classes = range(logits.shape[1])

    def loss(t):
        return log_loss(digits.val.targets, softmax(logits / t), labels=classes)

    return sorted(np.geomspace(0.1, 10, 101), key=loss)[0]


@right("08c.10")
def fit_temperature(model, digits):
    logits = model(digits.val.inputs)
    cross_entropy = keras.losses.SparseCategoricalCrossentropy()

    def loss(temperature):
        return float(cross_entropy(digits.val.targets, ops.softmax(logits / temperature)))

    return min(np.geomspace(0.1, 10, 101), key=loss)


@right("08c.10")
def fit_temperature(model, digits):
    logits = model(digits.val.inputs)
    losses = keras.losses.sparse_categorical_crossentropy
    tried = np.geomspace(0.1, 10, 101)
    found = [
        float(ops.sum(losses(digits.val.targets, logits / t, from_logits=True))) for t in tried
    ]
    return float(tried[int(np.argmin(found))])


@right("08c.10")
def fit_temperature(model, digits):
    part = digits.split("val")
    logits = ops.convert_to_numpy(model(part.inputs))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
    pairs = [
        (ops.convert_to_numpy(loss(part.targets, logits / np.float32(t))).mean(), t)
        for t in np.geomspace(0.1, 10, 101)
    ]
    return min(pairs)[1]


@wrong("08c.10", says="test part")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.test.inputs)
    return min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.test.targets, logits / t))
    )


@wrong("08c.10", says="training part")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.train.inputs)
    return min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.train.targets, logits / t))
    )


@wrong("08c.10", says="divide the logits")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits * t))
    )


@wrong("08c.10", says="accuracy is the same")
def fit_temperature(model, digits):
    logits = model.predict(digits.val.inputs, verbose=0)

    def accuracy(t):
        return np.mean((logits / t).argmax(axis=1) == digits.val.targets)

    return max(np.geomspace(0.1, 10, 101), key=accuracy)


@wrong("08c.10", says="end of the grid")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return max(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )


@wrong("08c.10", says="from_logits=True")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy()
    logits = model(digits.val.inputs)
    return min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )


@wrong("08c.10", says="return its temperature")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return min(float(loss(digits.val.targets, logits / t)) for t in np.geomspace(0.1, 10, 101))


@wrong("08c.10", says="index")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    losses = [float(loss(digits.val.targets, logits / t)) for t in np.geomspace(0.1, 10, 101)]
    return np.argmin(losses)


@wrong("08c.10", says="not the logits")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    best = min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )
    return logits / best


@wrong("08c.10", says="before the softmax")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    p = ops.softmax(model(digits.val.inputs))
    return min(np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, p / t)))


@wrong("08c.10", says="not by the calibration error")
def fit_temperature(model, digits):
    logits = model.predict(digits.val.inputs, verbose=0)

    def error(t):
        return calibration_error(logits / t, digits.val.targets)

    return min(np.geomspace(0.1, 10, 101), key=error)


@wrong("08c.10", says="below 1")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return min(
        np.geomspace(1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )


@wrong("08c.10", says="above 1")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return min(
        np.geomspace(0.1, 1, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )


@wrong("08c.10")
def fit_temperature(model, digits):  # whole numbers
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    return min(np.arange(1, 10), key=lambda t: float(loss(digits.val.targets, logits / t)))


@wrong("08c.10")
def fit_temperature(model, digits):  # as trained
    return 1.0


@wrong("08c.10", says="divide the logits")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    best = min(
        np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t))
    )
    return 1 / best


@wrong("08c.10")
def fit_temperature(model, digits):  # confidence by accuracy
    logits = model.predict(digits.val.inputs, verbose=0)
    confidence = softmax(logits).max(axis=1).mean()
    return confidence / np.mean(logits.argmax(axis=1) == digits.val.targets)


@wrong("08c.10")
def fit_temperature(model, digits):  # the spread of the logits
    logits = model.predict(digits.val.inputs, verbose=0)
    return logits.std()


@wrong("08c.10")
def fit_temperature(model, digits):  # mean confidence as the accuracy
    logits = model.predict(digits.val.inputs, verbose=0)

    def gap(t):
        right = logits.argmax(axis=1) == digits.val.targets
        return abs(softmax(logits / t).max(axis=1).mean() - right.mean())

    return min(np.geomspace(0.1, 10, 101), key=gap)


@wrong("08c.10", says="return")
def fit_temperature(model, digits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    logits = model(digits.val.inputs)
    min(np.geomspace(0.1, 10, 101), key=lambda t: float(loss(digits.val.targets, logits / t)))


@wrong("08c.10")
def fit_temperature(model, digits):  # validation and test together
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    both = np.concatenate([digits.val.inputs, digits.test.inputs])
    targets = np.concatenate([digits.val.targets, digits.test.targets])
    logits = model(both)
    return min(np.geomspace(0.1, 10, 101), key=lambda t: float(loss(targets, logits / t)))


@wrong("08c.10")
def fit_temperature(model, digits):  # the entropy, without targets
    p = ops.convert_to_numpy(ops.softmax(model(digits.val.inputs)))

    def entropy(t):
        q = p ** (1 / t) / (p ** (1 / t)).sum(axis=1, keepdims=True)
        return -(q * np.log(q + 1e-12)).sum(axis=1).mean()

    return min(np.geomspace(0.1, 10, 101), key=entropy)


@wrong("08c.7", says="train a Mixer", trains=True)
def train_recipe(digits):  # an easier network
    model = digit_convnet()
    train_on_images(
        model,
        digits,
        0.008,
        epochs=2,
        change=lambda images, seed: random_shift(images, 1, seed),
    )
    return model
