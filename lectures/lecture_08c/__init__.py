"""Lab 8c: what a fair choice among training runs needs, in NumPy and Keras."""

import keras
import numpy as np

from course_utils import models, plotting
from course_utils.layers import MixerBlock
from lectures.lecture_05 import softmax
from lectures.lecture_07.augment import random_flip, random_translate
from lectures.lecture_07.digits import DIGITS, train_on_images


def standard_errors_apart(first, second, images):
    """How many standard errors lie between two accuracies on as many test images each?

    An accuracy p on n images has the standard error √(p (1 − p) / n). The standard error of a
    difference is the square root of the sum of both squared standard errors.

    Args:
        first, second: two accuracies between 0 and 1, measured independently.
        images: n, the same for both.

    Returns:
        A number, positive where `first` is larger.
    """
    variance = (first * (1 - first) + second * (1 - second)) / images
    return (first - second) / variance**0.5


def select(runs, accuracy, images, repeats=4_000, seed=0):
    """Simulate what is reported when the best of several equal models is chosen.

    In truth, every model is right on each image with the same probability. It is measured on
    `images` validation images and, independently, on as many test images.
    `np.random.default_rng(seed).binomial(images, accuracy, size)` draws how many are right.

    Args:
        runs: how many models there are to choose from.
        accuracy: the probability that a model is right.
        images: how many validation images there are, and how many test images.
        repeats: how often the whole choice is simulated; the results are means over these.

    Returns:
        A pair: the mean reported test accuracy of a model chosen by its test accuracy, and of
        a model chosen by its validation accuracy.
    """
    draw = np.random.default_rng(seed)
    validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
    chosen = validation.argmax(axis=1)
    return test.max(axis=1).mean(), test[np.arange(repeats), chosen].mean()


def next_rates(tried):
    """Say which learning rates a sweep should try next.

    The best value at an end of a grid says only that the grid was too small: go one step
    further there, by the factor between neighbours. A best value inside ends the sweep.

    Args:
        tried: a dictionary {learning rate: validation accuracy} in any order, at least two;
            each learning rate is the same multiple of the next smaller one.

    Returns:
        A list of one learning rate, or an empty list.
    """
    rates = sorted(tried)
    factor, best = rates[1] / rates[0], max(tried, key=tried.get)
    if best == rates[0]:
        return [best / factor]
    return [best * factor] if best == rates[-1] else []


def random_shift(images, pixels, seed):
    """Shift each image by its own whole number of pixels; zeros come in where it left.

    The moves are drawn as `np.random.default_rng(seed).integers(-pixels, pixels + 1,
    size=(len(images), 2))`: how far down and how far to the right (negative: up, left).

    Args:
        images: (images, height, width, channels), not to be changed.
        pixels: how far an image moves at most, up or down and left or right.

    Returns:
        A new array of the same shape and dtype.
    """
    draw, (height, width) = np.random.default_rng(seed), images.shape[1:3]
    moves = draw.integers(-pixels, pixels + 1, size=(len(images), 2))
    framed = np.pad(images, [(0, 0), (pixels, pixels), (pixels, pixels), (0, 0)])
    shifted = np.empty_like(images)
    for number, (down, right) in enumerate(moves):
        top, left = pixels - down, pixels - right
        shifted[number] = framed[number, top : top + height, left : left + width]
    return shifted


def scene():
    """A drawn image, (32, 32, 3): a red square and a blue disc at the edges, on white."""
    image = np.ones((32, 32, 3), "float32")
    image[2:12, 1:11] = 0.84, 0.37, 0.0
    rows, columns = np.mgrid[:32, :32]
    image[(rows - 23) ** 2 + (columns - 24) ** 2 < 36] = 0.0, 0.45, 0.70
    return image


def pipeline_a(images, seed):
    """Shift by up to four pixels and mirror, by np.roll."""
    moves = np.random.default_rng(seed).integers(-4, 5, size=(len(images), 2))
    rolled = [np.roll(image, move, (0, 1)) for image, move in zip(images, moves, strict=True)]
    return random_flip(np.array(rolled), [2, seed])


def pipeline_b(images, seed):
    """Shift by up to four pixels and mirror, as another student wrote it."""
    return random_flip(random_translate(images, 4, [1, seed]), [2, seed])


def pipeline_c(images, seed):
    """Shift by up to four pixels and mirror, as we wrote it first."""
    return random_flip(random_translate(images, 4, [1, seed]), [1, seed])


def rim_sides(images):
    """Say on which side augmented white images have their black rim.

    A rim is a column of pixels that are zero from top to bottom.

    Args:
        images: (images, height, width, 1), white (ones) before they were shifted.

    Returns:
        The shares of the images with a rim at the left edge, with neither, and with a rim at
        the right edge: three numbers.
    """
    black = images[..., 0].max(axis=1) == 0
    left, right = black[:, 0].mean(), black[:, -1].mean()
    return left, 1 - left - right, right


def zero_start(mixer):
    """Let a new Mixer start with token mixing switched off; return the same model.

    In each `MixerBlock` among `mixer.layers`, `block.token_mixing.layers` holds the two Dense
    layers over the tokens. Set the `kernel` of the last one to zero, by `kernel.assign(…)`;
    all other weights stay as they are.

    Args:
        mixer: a Keras model whose weights have just been initialised.
    """
    for layer in mixer.layers:
        if isinstance(layer, MixerBlock):
            kernel = layer.token_mixing.layers[-1].kernel
            kernel.assign(np.zeros(kernel.shape))
    return mixer


def digit_mixer(num_layers=3):
    """A new Mixer for 8×8 digits in 16 patches."""
    size = {"patch": 2, "embed_dim": 32, "token_mlp_dim": 32, "channel_mlp_dim": 96}
    return models.mixer_model(**DIGITS, **size, num_layers=num_layers)


def train_recipe(digits):
    """Train a Mixer on 100 digits by a recipe of your choice; return it.

    `digit_mixer()` makes a new network and `zero_start(mixer)` changes its start.
    `train_on_images(mixer, digits, learning_rate, epochs, change=change)` trains it and prints
    the validation accuracy. An epoch has 100 batches of 64; at least two are needed, as the
    learning rate rises during the first. `change` is called as `change(images, seed=…)`, with
    another seed for each batch, and returns augmented images; None trains without.

    Args:
        digits: a Dataset with the parts `train` (100 images) and `val` (200).

    Returns:
        The trained model.
    """
    keras.utils.set_random_seed(0)
    mixer = digit_mixer()

    def shift(images, seed):  # by one pixel; a mirrored digit is another one
        return random_shift(images, 1, seed)

    train_on_images(mixer, digits, 0.032, epochs=5, change=shift)
    return mixer


def choose(validation):
    """Choose a plan by validation, and say what to report of it.

    Args:
        validation: a dictionary {plan: list of validation accuracies, one per seed}.

    Returns:
        Of the plans with at least three seeds, the one with the highest mean: its name, the
        mean, and the standard deviation over the seeds (divisor: seeds − 1).
    """
    tried = {name: np.mean(found) for name, found in validation.items() if len(found) > 2}
    best = max(tried, key=tried.get)
    return best, tried[best], np.std(validation[best], ddof=1)


def calibration_error(logits, targets, bins=10):
    """Compute the expected calibration error (ECE) of a classifier.

    `softmax(logits)` gives the probabilities. The largest of an example is its confidence, and
    its class is predicted. The range from 0 to 1 is divided into `bins` bins of equal width; B
    is the set of the n_B examples whose confidence lies in one of them, the last of which
    includes 1. (No confidence lies on the border of two bins.)

    ECE = Σ n_B / n · abs(acc(B) − conf(B)), over all bins that are not empty

    acc(B) is the share of B that is predicted correctly, conf(B) the mean confidence in B.

    Args:
        logits: (n, classes).
        targets: (n,), the right classes.

    Returns:
        A number from 0 to 1.
    """
    probabilities = softmax(logits)
    confidence = probabilities.max(axis=-1)
    correct = probabilities.argmax(axis=-1) == targets
    numbers = np.minimum((confidence * bins).astype(int), bins - 1)  # 1 is in the last bin
    error = 0
    for number in set(numbers):
        inside = numbers == number
        gap = abs(correct[inside].mean() - confidence[inside].mean())
        error += inside.mean() * gap
    return error


def fit_temperature(model, digits):
    """Find the temperature τ by which the logits of a trained network have to be divided.

    Of the temperatures `np.geomspace(0.1, 10, 101)`, it is the one with the smallest
    cross-entropy of logits / τ on the *validation* part. The network stays as it is.

    Args:
        model: a Keras model; `model(images)` gives logits, (images, classes).
        digits: a Dataset with the parts `train`, `val` and `test`, each with `inputs` and
            `targets` (the right classes).

    Returns:
        The temperature, a number.
    """
    logits = model(digits.val.inputs)
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def loss(temperature):
        return float(cross_entropy(digits.val.targets, logits / temperature))

    return min(np.geomspace(0.1, 10, 101), key=loss)


def draw_reliability(networks, targets):
    """Draw a reliability diagram: accuracy by confidence, a dot for each of ten bins.

    networks: the logits of each, `{label: (examples, classes)}`. The area of a dot grows with
    the number of its examples; a bin without any has none.
    """
    figure, axis = plotting.figure(5.6, 3.4)
    axis.plot([0, 1], [0, 1], **plotting.GUIDE)
    told = []
    for (label, logits), colour in zip(networks.items(), plotting.COLOURS, strict=False):
        probabilities = softmax(logits)
        confidence = probabilities.max(axis=-1)
        correct = probabilities.argmax(axis=-1) == targets
        numbers = np.minimum((confidence * 10).astype(int), 9)
        count, sure, right = (np.bincount(numbers, one) for one in (None, confidence, correct))
        used = count > 0
        x, y = sure[used] / count[used], right[used] / count[used]
        axis.plot(x, y, color=colour, linewidth=1)
        axis.scatter(x, y, 12 + count[used], color=colour, alpha=0.7, label=label)
        told += [f"{label}: {y[-1]:.2f} correct at a confidence of {x[-1]:.2f}"]
    axis.set(xlabel="mean confidence in the bin", ylabel="accuracy in the bin")
    axis.legend()
    plotting.show(figure, f"Accuracy by confidence. In the last bin, {'; '.join(told)}.")
