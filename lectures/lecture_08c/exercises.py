"""Exercises of lab 8c: errors, choosing, sweeping, augmenting, starting, calibrating."""

from unittest import mock

import keras
import numpy as np
from keras import ops

from course_utils import data
from course_utils.checks import parts, predicted, watched_training
from course_utils.exercises import exercise, require, within
from course_utils.watching import floored
from lectures import lecture_08c
from lectures.lecture_05 import softmax
from lectures.lecture_07.augment import random_translate

SQUARES = "(first * (1 - first) + second * (1 - second))"
ROOTS = (SQUARES, "((first * (1 - first)) ** 0.5 + (second * (1 - second)) ** 0.5)")
APART = "(first - second) / variance**0.5"


@exercise(
    "08c.1",
    lecture_08c.standard_errors_apart,
    mistakes=[
        (" + second * (1 - second)", "",
         "both accuracies are measured: the difference has the error of both, squares added"),
        ("**0.5", "", "the square root is missing"),
        ("(first - second)", "(second - first)", "the sign: positive if first is larger"),
        ("(first - second)", "abs(first - second)", "keep the sign of the difference"),
        ("/ images", "", "divide by the number of images"),
        (SQUARES, "(first + second) * (1 - (first + second) / 2)",
         "each accuracy has its own p (1 − p): do not pool them"),
        ("(first - second)", "100 * (first - second)",
         "no percentages: a number of standard errors is asked"),
        (") + second", ") - second", "= (first", "= abs(first",
         "squared errors are added even though the accuracies are subtracted"),
        (" / variance**0.5", "", "divide the difference by its standard error"),
        (*ROOTS, "/ images", "/ images**0.5", "square the standard errors before you add them"),
        (APART, "variance**0.5",
         "that is the standard error of the difference; divide the difference by it"),
    ],
    compares="the number of standard errors",
    takes=4,
    level=2,
    hints=["The squared standard error of each accuracy is p (1 − p) / n.",
           "(first − second) / √(sum of both)."],
    reasoning="Independent errors add as squares, whether the numbers are added or subtracted.",
    solved="From now on, every accuracy that you report has an error.",
)  # fmt: skip
def two_accuracies(draw):
    for images in (100, 10_000):
        yield *(float(one) for one in draw.uniform(0.55, 0.95, 2).round(3)), images


def _reported(answer, runs, accuracy, images, repeats, seed):
    """Both accuracies; refused where they cannot be means over the repetitions."""
    found = answer(runs, accuracy, images, repeats, seed)
    reported = parts(found, "return two accuracies: of the choice by test, and by validation")
    require(max(map(float, reported)) <= 1, SHARES)
    whole = [float(one) * images for one in reported]
    require(all(abs(one - round(one)) > 1e-6 for one in whole), MEANS)
    return reported


class _Prepared:
    """Draws by which each model is right on as many validation as on test images."""

    def __init__(self, right):
        self.right, self.draw, self.calls, self.others = right, np.random.default_rng(0), 0, 0

    def binomial(self, n, p, size=None):
        shape = (size,) if isinstance(size, int | np.integer) else tuple(size or ())
        repeats, runs = self.right.shape
        if runs not in shape:
            self.others += 1
            return self.draw.binomial(n, p, size)
        if repeats in shape:
            rows = np.arange(repeats).reshape([-1 if one == repeats else 1 for one in shape])
        else:  # one repetition at a time, both parts at once or one after the other
            rows, self.calls = self.calls // (1 if 2 in shape else 2) % repeats, self.calls + 1
        columns = np.arange(runs).reshape([-1 if one == runs else 1 for one in shape])
        return np.broadcast_to(self.right[rows, columns], shape).copy()


def _chooses_in_each_repetition(select):
    """Where both accuracies of each model are equal, both choices find the highest, 0.75."""
    right = np.array([np.roll(np.arange(20, 31), 3 * row) for row in range(7)])
    prepared = _Prepared(right)
    with mock.patch.object(np.random, "default_rng", lambda *seed, **named: prepared):
        try:
            reported = select(11, 0.8, 40, 7, 0)
        except Exception:  # draws in another way, such as by SciPy
            return
    for name, one in zip(("test", "validation"), reported, strict=True):
        require(
            prepared.others or abs(float(one) - 30 / 40) < 1e-6,
            f"the choice by {name}: in each repetition choose the model with the highest "
            f"{name} accuracy, and report its test accuracy. Where each model is right on as "
            "many validation as test images, and the best on 0.75, you report "
            f"{float(one):.3f}",
        )


def _names_one_model(select):
    """With three repetitions of seven images, a chosen model's mean is a multiple of 1/21."""
    for seed in range(4):
        names = "test", "validation"
        for name, reported in zip(names, select(11, 0.8, 7, 3, seed), strict=True):
            right = float(reported) * 7 * 3
            require(
                abs(right - round(right)) < 1e-3,
                f"the choice by {name}: in each repetition, report the test accuracy of the "
                "one chosen model, not a mean over several models or what is true of all",
            )


def _draws_by_its_seed(select):
    """The same seed draws the same, another seed something else."""
    first, again, other = (select(5, 0.8, 5_000, 50, seed) for seed in (1, 1, 2))
    require(np.allclose(first, again), "one seed gives two results: default_rng(seed)")
    same = np.allclose(first, other)
    require(not same, "every seed gives the same: draw with the seed that is given")


MEANS = (
    "choose among the runs in each repetition, each newly drawn, then take the mean over the "
    "repetitions"
)
SHARES = "accuracies lie between 0 and 1: divide the number of right images by `images`"
BY_TEST = "test.max(axis=1).mean()"
BY_VALIDATION = "test[np.arange(repeats), chosen].mean()"
BOTH = f"{BY_TEST}, {BY_VALIDATION}"


@exercise(
    "08c.2",
    lecture_08c.select,
    mistakes=[
        (BY_VALIDATION, "validation.max(axis=1).mean()",
         "choose by validation, report the test accuracy of the same model"),
        (BOTH, "test.mean(), test.mean()", "simulate, and take the best of each choice"),
        (BOTH, "test.max(), test.mean()", MEANS),
        (BOTH, f"{BY_VALIDATION}, {BY_TEST}",
         "the results are swapped: first the choice by test"),
        ("/ images", "/ images * 100", SHARES),
        ("repeats, runs)", "repeats, 10)", "take `runs` models, not ten"),
        (BY_TEST, "np.maximum(validation, test).max(axis=1).mean()",
         "the best on the test images alone: validation has no part in the first result"),
    ],
    compares=("the accuracy of the choice by test", "the accuracy of the choice by validation"),
    takes=8,
    level=3,
    hints=[
        "draw.binomial(images, accuracy, (2, repeats, runs)) / images: validation and test.",
        "test.max(axis=1).mean(); then test[np.arange(repeats), validation.argmax(axis=1)].",
    ],
    reasoning="The validation luck of the chosen model says nothing about its test images.",
    solved="What chose the model cannot also judge it.",
    properties=[_names_one_model, _chooses_in_each_repetition, _draws_by_its_seed],
    run=_reported,
    equal=within(1e-3),
)  # fmt: skip
def equal_models(draw):
    yield 10, 0.8, 4_999, 4_000, int(draw.integers(100))
    yield 3, 0.6, 3_001, 8_000, int(draw.integers(100))


FACTOR = "rates[1] / rates[0]"
DOWN, UP = "[best / factor]", "[best * factor]"
ALWAYS = ("best == rates[0]", "True")


@exercise(
    "08c.3",
    lecture_08c.next_rates,
    mistakes=[
        ("sorted(tried)", "list(tried)", "sort the learning rates first"),
        ("max(tried", "min(tried", "the best is the one with the highest accuracy"),
        ("best == rates[-1]", "False", "the upper end counts too"),
        ("best == rates[0]", "tried[rates[0]] > tried[rates[1]]",
         "compare the end with all other learning rates, not with its neighbour alone"),
        (FACTOR, "rates[0] / rates[1]", "go beyond the end: those rates have been tried"),
        ("[]", "[best / factor, best * factor]", "inside the grid the sweep ends: []"),
        (DOWN, "best / factor", UP, "best * factor", "return a list: the learning rate in [ ]"),
        ("[]", "rates", DOWN, "[best / factor, *rates]", UP, "[*rates, best * factor]",
         "only the new learning rate, without those that have been tried"),
        ("max(tried, key=tried.get)", "max(tried)",
         "max(tried) is the largest learning rate; the best is max(tried, key=tried.get)"),
        (*ALWAYS, DOWN, "[best]", "that is the best; what should be tried next?"),
        (FACTOR, "2", "take the grid's own factor"),
        ("rates[0]:", "rates[0] and rates[2:]:", "rates[-1]", "rates[-1] and rates[2:]",
         "of two learning rates each is an end of the grid"),
        (DOWN, "[best - (rates[1] - rates[0])]", UP, "[best + (rates[1] - rates[0])]",
         "multiply by the factor; learning rates are spaced by ratios, not by differences"),
    ],
    compares="the list of learning rates",
    takes=5,
    level=2,
    hints=[
        "rates = sorted(tried); best = max(tried, key=tried.get).",
        "The factor is rates[1] / rates[0]: divide at the lower end, multiply at the upper.",
    ],
    reasoning="At an end, the best value may lie outside; the factor keeps the grid even.",
    solved="A sweep ends when its best value has a worse neighbour on either side.",
)  # fmt: skip
def sweeps(draw):
    for at, factor in ((0, 2), (3, 4), (1, 4), (2, 8), (0, 8), (3, 2)):
        rates = [0.001 * factor**k for k in range(4)]  # by powers of 2: no rounding
        found = (0.7 - 0.03 * np.abs(np.arange(4) - at)).round(3)
        order = draw.permutation(4)
        yield {rates[k]: float(found[k]) for k in (order if order[0] else order[::-1])}
    yield {0.001: 0.7, 0.002: 0.66, 0.004: 0.72, 0.008: 0.69}  # two peaks
    yield {0.001: 0.66, 0.002: 0.72, 0.004: 0.65, 0.008: 0.7}
    yield {0.004: 0.7, 0.001: 0.64, 0.002: 0.68}
    yield {0.008: 0.7, 0.002: 0.64}
    yield {0.008: 0.64, 0.002: 0.7}
    yield {0.001: 0.6, 0.002: 0.63, 0.004: 0.65, 0.008: 0.69, 0.016: 0.71}
    yield {0.001: 0.6, 0.002: 0.63, 0.004: 0.65, 0.008: 0.69, 0.016: 0.67}


def _moved(answer, images, pixels, seed):
    """The shifted images, as an array of the dtype of those given."""
    shifted = answer(images, pixels, seed)
    if shifted is None:
        return None
    dtype = np.asarray(shifted).dtype
    told = f"the dtype of the images is {images.dtype}, that of the result {dtype}: "
    require(dtype == images.dtype, told + "np.zeros_like(images) keeps it")
    return shifted


WRAPPED = ("(0, 0)])", '(0, 0)], "wrap")')


@exercise(
    "08c.4",
    lecture_08c.random_shift,
    mistakes=[
        (*WRAPPED, "what leaves on one side enters on the other: zeros enter"),
        ("pixels + 1", "pixels", "`integers` leaves its end out: pixels + 1"),
        (*WRAPPED,
         "shifted = ", "framed[:, :pixels] = framed[:, :, :pixels] = 0\n    shifted = ",
         "a negative move lets zeros in at the bottom or at the right"),
        ("(0, 0)])", '(0, 0)], "edge")', "zeros come in, not the border's own pixels"),
        ("pixels - down, pixels - right", "pixels + down, pixels + right",
         "the wrong way: positive moves go down and to the right"),
        ("(down, right)", "(right, down)", "first the move down, then to the right"),
        ("pixels - right", "pixels", "shift to the right as well"),
        ("(moves)", "([moves[0]] * len(moves))", "each image has a move of its own"),
        ("(moves)", "(np.abs(moves))", "moves go both ways"),
        ("default_rng(seed)", "default_rng(0)", "draw with the seed that is given"),
        ("(len(images), 2))", "(2, len(images))).T",
         "draw one row of two numbers per image: size=(len(images), 2)"),
    ],
    compares="the batch of shifted images",
    takes=8,
    level=2,
    hints=["Pad height and width with `pixels` zeros: each shift is a window of the result.",
           "The window of (down, right) begins at (pixels − down, pixels − right)."],
    reasoning="A padded image holds all shifts as windows, with zeros where nothing is.",
    solved="One line decides what enters at the border. Now see what others let in.",
    run=_moved,
)  # fmt: skip
def drawn_images(draw):
    for count, height, width, channels, pixels in ((3, 3, 4, 1, 1), (5, 6, 5, 3, 2)):
        images = draw.uniform(10, 250, (count, height, width, channels))
        dtype = "float32" if channels == 1 else "uint8"
        yield images.astype(dtype), pixels, int(draw.integers(1, 100))


BLACK = "images[..., 0].max(axis=1) == 0"


@exercise(
    "08c.5",
    lecture_08c.rim_sides,
    mistakes=[
        (".max(", ".min(",
         "one black pixel is no rim: an upward or downward shift has some in each column"),
        ("left, 1 - left - right, right", "right, 1 - left - right, left",
         "left and right swapped"),
        ("axis=1", "axis=2",
         "those are rows at the top and the bottom; columns are asked: axis 2"),
        (".mean()", ".sum()", "1 - left", "len(images) - left", "shares, not counts"),
        ("black[:, 0].mean(), black[:, -1].mean()",
         "(images[:, :, 0] == 0).mean(), (images[:, :, -1] == 0).mean()",
         "that is the share of black pixels in a column: a rim is black from top to bottom"),
        ("left, 1 - left - right, right", "left, right, 1 - left - right",
         "the order is: left, neither, right"),
        ("1 - left - right, ", "", "three shares are asked"),
        ("1 - left - right", "1 - left", "neither is what is left: 1 − left − right"),
        (BLACK, "images[:, 0, :, 0] == 0",
         "a corner is black after a shift down as well: look at the whole column"),
        (BLACK, "images[..., 0].mean(axis=1) < 0.5",
         "a move down by more than half blackens most of a column: a rim is black from top to "
         "bottom"),
        ("black[:, 0]", "black.any(axis=1)", "black[:, -1].mean()", "0.0",
         "a rim anywhere: look at the first column and at the last, each alone"),
    ],
    compares=("the share on the left", "the share with neither", "the share on the right"),
    takes=6,
    level=3,
    hints=[
        "images[:, :, 0, 0] is the first column of each image, images[:, :, -1, 0] the last.",
        "(column == 0).all(axis=1).mean() is the share with a rim on that side.",
    ],
    reasoning="On white images the rim shows the shift; its side shows the mirror, too.",
    solved="A probe with known images tests what no accuracy and no single image shows.",
)  # fmt: skip
def white_images(draw):
    for pixels, count, height, width in ((2, 7, 8, 9), (3, 50, 12, 11)):
        white = np.ones((count, height, width, 1), "float32")
        shifted = random_translate(white, pixels, int(draw.integers(100)))
        left = shifted[:, :, 0].max(axis=(1, 2)) == 0
        yield shifted[left | (np.arange(count) % 3 > 0)]
    images = np.ones((5, 7, 8, 1), "float32")
    images[:2, :, :2] = images[2, :, -1:] = images[2:4, :5] = 0  # two of them far down
    yield images


def _started(start, num_layers, seed):
    """What became of the weights of each block, and of all others."""
    keras.utils.set_random_seed(seed)
    mixer = lecture_08c.digit_mixer(num_layers)
    before = {weight.path: ops.convert_to_numpy(weight) for weight in mixer.weights}
    returned = start(mixer)
    require(isinstance(returned, keras.Model), "return the model")
    require(
        returned is mixer,
        "change the given model, and return it: another one has other weights",
    )
    found = {weight.path: _became(weight, before.get(weight.path)) for weight in mixer.weights}
    require(
        found.keys() == before.keys(),
        "a kernel is a weight: change its numbers by kernel.assign(…)",
    )
    frozen = [weight.path for weight in mixer.weights if not weight.trainable]
    require(not frozen, "leave all weights trainable: a frozen zero never learns to mix")
    ends = (
        "token_mixing/output/kernel",
        "token_mixing/hidden/kernel",
        "channel_mixing/output/kernel",
    )
    groups = [[found.pop(path) for path in before if path.endswith(end)] for end in ends]
    return (*groups, sorted(set(found.values())))


def _became(weight, before):
    if not np.any(weight) and np.any(before):
        return "zero"
    return "as it was" if np.array_equal(weight, before) else "other numbers"


LAST, ZEROED = "layer.token_mixing.layers[-1].kernel", "kernel.assign(np.zeros(kernel.shape))"
BOTH_LAYERS = (
    f"kernel = {LAST}", "for kernel in [one.kernel for one in layer.token_mixing.layers]:",
    ZEROED, f"    {ZEROED}",
)  # fmt: skip


@exercise(
    "08c.6",
    lecture_08c.zero_start,
    mistakes=[
        (*BOTH_LAYERS, "the first matrix stays: with both at zero neither can learn"),
        ("layers[-1]", "layers[0]",
         "that is the first layer; the last one writes into the stream"),
        ("layer.token_mixing", "layer.channel_mixing",
         "that is channel mixing; tokens are mixed in token_mixing"),
        (ZEROED, f"{ZEROED}\n            break", "every block, not the first alone"),
        (ZEROED, f"{ZEROED}\n            bias = layer.token_mixing.layers[-1].bias\n"
         "            bias.assign(keras.ops.ones_like(bias))",
         "the kernel alone: the bias of the layer stays as it is"),
        ("layers[-1].kernel", "layers[-1].bias",
         "no kernel has changed: `kernel.assign(…)`; a new bias is zero"),
        ("layer, MixerBlock", "layer, keras.layers.Dense", LAST, "layer.kernel",
         "the layers over the tokens are inside each MixerBlock; no kernel of theirs has "
         "changed"),
        (ZEROED, f"{ZEROED}\n            kernel = layer.channel_mixing.layers[-1].kernel\n"
         f"            {ZEROED}", "only token mixing: channel mixing stays as it is"),
        ("np.zeros(kernel.shape)", "0.01 * kernel", "small is not zero: exactly zero is asked"),
        (ZEROED, f"{ZEROED}\n            layer.token_mixing.layers[-1].trainable = False",
         "a frozen zero never learns to mix"),
        ("for layer", "mixer = keras.models.clone_model(mixer)\n    for layer",
         "change the given model, and return it"),
    ],
    compares=(
        "the last kernel of token mixing in each block",
        "the first kernel of token mixing in each block",
        "the last kernel of channel mixing in each block",
        "the state of the other weights",
    ),
    takes=6,
    level=2,
    hints=[
        "for layer in mixer.layers: if isinstance(layer, cu.layers.MixerBlock): …",
        "kernel = layer.token_mixing.layers[-1].kernel; kernel.assign(np.zeros(kernel.shape)).",
    ],
    reasoning="A zero last matrix makes the branch add nothing; its own gradient is not zero.",
    solved="The network starts as a stack of channel MLPs and learns to mix from there.",
    run=_started,
)  # fmt: skip
def mixers(draw):
    for num_layers in (2, 3):
        yield num_layers, int(draw.integers(100))


BAR = 0.84


def _reaches(train, digits, new):
    """Train on 100 digits; judge the model on digits that it never got."""
    with watched_training(digits, unseen=new, called="digits", augmented=True) as training:
        model = training.trained(train(digits))
    mixes = any(hasattr(layer, "token_mixing") for layer in model._flatten_layers())
    require(mixes, "train a Mixer, such as digit_mixer() makes: this network has no MixerBlock")

    def accuracy(images):
        names = predicted(model, images, (10,), "ten logits").argmax(axis=1)
        return float((names == new.targets).mean())

    reached = accuracy(new.inputs)
    if reached >= BAR:
        training.require_learned()
        return
    told = f"accuracy on digits that it never got is {floored(reached)}, and {BAR} is asked. "
    mirrored = accuracy(new.inputs[:, :, ::-1])
    require(mirrored < 0.6, f"{told}It reads mirrored digits, but a mirrored 2 is no digit")
    moved, far = (accuracy(random_translate(new.inputs, pixels, 1)) for pixels in (1, 3))
    few = "It was never shown shifted digits: of those it reads"
    require(reached < 0.6 or moved > 0.6 * reached, f"{told}{few} {moved:.2f}")
    off = "Shifts by more than a pixel push a digit off the image"
    require(far < 0.5 * reached, f"{told}{off}")
    training.reaches(reached, BAR, "accuracy on digits that it never got")


@exercise(
    "08c.7",
    lecture_08c.train_recipe,
    mistakes=[
        (lambda digits: {}, "return the trained model"),
        (lambda digits: lecture_08c.digit_mixer(), "the model is not trained"),
    ],
    takes=10,
    level=3,
    hints=[
        "train_on_images(mixer, digits, learning_rate=…, epochs=…, change=…) trains and shows "
        "validation accuracy after each epoch.",
        "change=lambda images, seed: random_shift(images, 1, seed); learning rate 0.032.",
    ],
    reasoning="Shifts by a pixel turn ten images a class into many; with them 0.84 is reached.",
    solved="One network, and a recipe that you can write down: report it with the number.",
    trains=_reaches,
    limit=300,
)  # fmt: skip
def few_digits(draw):
    yield data.load_digits(100), data.load_digits().train.take(slice(100, None))


DEVIATION = "np.std(validation[best], ddof=1)"


@exercise(
    "08c.8",
    lecture_08c.choose,
    mistakes=[
        (" if len(found) > 2", "",
         "a plan with one or two seeds cannot be chosen: three are asked"),
        ("np.mean", "np.max", "by the mean: a single lucky seed would choose otherwise"),
        ("np.mean", "np.median", "by the mean, not by the median"),
        ("max(tried, key=tried.get)", "max(tried, key=lambda name: tried[name] - "
         "np.std(validation[name], ddof=1) / len(validation[name]) ** 0.5)",
         "by the mean alone: nothing is subtracted from it"),
        (", ddof=1", "", "the divisor is the number of seeds − 1: ddof=1"),
        (f"tried[best], {DEVIATION}", f"{DEVIATION}, tried[best]",
         "first the mean, then the standard deviation"),
        (f" tried[best], {DEVIATION}", "", "return name, mean and standard deviation"),
        ("(found)", "(sorted(found)[-3:])", "all seeds of a plan, not its three best"),
        ("(found)", "(found[:3])", "[best], ddof", "[best][:3], ddof",
         "all seeds of a plan, not only the first three"),
        ("tried[best]", "max(validation[best])",
         "report the mean of the chosen plan, not its best seed"),
        ("return best", "return list(validation).index(best)",
         "return the plan's name, not its index"),
        ("np.std", "np.var", "that is the variance: take its root"),
        (DEVIATION, f"{DEVIATION} / len(validation[best]) ** 0.5",
         "that is the standard error of the mean; the standard deviation is asked"),
    ],
    compares=("the name", "the mean", "the standard deviation"),
    takes=5,
    level=2,
    hints=["First leave out the plans with fewer than three accuracies.",
           "max(means, key=means.get) names the best; np.std(…, ddof=1)."],
    reasoning="The mean of three seeds is less lucky than the best of them.",
    solved="The choice is made, and nobody has seen a test accuracy yet.",
)  # fmt: skip
def validations(draw):
    offsets = {
        "weak": [-0.07, -0.06, -0.065],
        "lucky seed": [-0.05, -0.04, 0.06],
        "five seeds": [-0.014, -0.015, -0.013, -0.014, -0.016],
        "steady": [-0.012, 0.0, 0.003],
        "even": [-0.009, -0.005, -0.005, -0.005],
        "flat": [-0.0085, -0.0085, -0.008],
        "two seeds": [0.05, 0.04],
        "one seed": [0.2],
        "upper median": [-0.06, 0.005, 0.006],
        "plain": [-0.02, -0.021, -0.022],
    }
    for base in draw.uniform(0.7, 0.74, 2):
        yield {name: (base + np.array(one)).round(4).tolist() for name, one in offsets.items()}
        offsets["steady"] = [-0.012, 0.0, 0.003, 0.001]


NUMBERS = "np.minimum((confidence * bins).astype(int), bins - 1)"
LARGEST = "confidence = probabilities.max(axis=-1)"
WEIGHTED = "error += inside.mean() * gap"
GAP = "abs(correct[inside].mean() - confidence[inside].mean())"


def _over_all_classes(logits, targets, bins=10):
    probabilities = softmax(logits)
    error = 0
    for one in range(logits.shape[1]):
        chance, right = probabilities[:, one], targets == one
        numbers = np.minimum((chance * bins).astype(int), bins - 1)
        for number in set(numbers):
            inside = numbers == number
            gap = abs(right[inside].mean() - chance[inside].mean())
            error += inside.mean() * gap
    return error / logits.shape[1]


def _equally_filled(logits, targets, bins=10):
    probabilities = softmax(logits)
    confidence = probabilities.max(axis=-1)
    correct = probabilities.argmax(axis=-1) == targets
    error = 0
    for inside in np.array_split(np.argsort(confidence), bins):
        if len(inside):
            gap = abs(correct[inside].mean() - confidence[inside].mean())
            error += len(inside) / len(targets) * gap
    return error


@exercise(
    "08c.9",
    lecture_08c.calibration_error,
    mistakes=[
        (WEIGHTED, "error += gap / len(set(numbers))",
         "weight each bin by its share of the examples, n_B / n, not all bins alike"),
        (WEIGHTED, "error += gap / bins",
         "weight each bin by its share of the examples, n_B / n, not by 1 / bins"),
        ("set(numbers)", "set(numbers) - {0}",
         "the first bin counts, too: many classes may leave the largest probability near 0"),
        ("in set(numbers)", "in range(bins)",
         "nan: the mean of a bin without examples; leave empty bins out"),
        (LARGEST, "confidence = logits.max(axis=-1)",
         "that is the largest logit: the confidence is a probability, after the softmax"),
        (NUMBERS, "(confidence * bins).astype(int)", "set(numbers)", "set(numbers) - {bins}",
         "a confidence of exactly 1 is in the last bin: its right edge is included"),
        (NUMBERS, "(confidence * bins).astype(int)",
         "a confidence of exactly 1 is in the last bin, not in a bin of its own"),
        (_over_all_classes,
         "the largest probability of each example alone, not those of all classes"),
        (LARGEST, "confidence = probabilities[np.arange(len(targets)), targets]",
         "that is the probability of the right class; the confidence is the largest one"),
        (f"gap = {GAP}", f"gap = {GAP[3:]}",
         "take the absolute value in each bin: too sure here does not make up for too unsure "
         "there"),
        (f"gap = {GAP}", f"gap = {GAP} ** 2", "the absolute value of the gap, not its square"),
        ("set(numbers)", "{0}", "numbers == number", "numbers >= 0",
         "that is one bin for all examples: compare in each bin"),
        (WEIGHTED, "error = max(error, gap)",
         "that is the largest gap of a bin; the weighted mean of all gaps is asked"),
        (f"gap = {GAP}",
         "gap = abs(correct[inside].mean() - (number + 0.5) / bins)",
         "conf(B) is the mean confidence of the examples in the bin, not the bin's middle"),
        (NUMBERS, "np.minimum((confidence * 10).astype(int), 9)",
         "divide into `bins` bins, not always into ten"),
        (_equally_filled, "bins of equal width, not of equally many examples"),
        ("softmax(logits)", "softmax(logits.T).T",
         "the softmax over the classes of one example: the last axis"),
        ("inside.mean() * gap", "inside.sum() * gap",
         "divide by the number of examples: a weight is n_B / n"),
        ("return error", "return 100 * error", "no percentages: a number from 0 to 1"),
        ("return error", "return 1 - error", "the error itself, not 1 − error"),
    ],
    compares="the calibration error",
    takes=10,
    level=3,
    hints=[
        "softmax(logits): its max(axis=-1) is the confidence, its argmax(axis=-1) the class.",
        "np.minimum((confidence * bins).astype(int), bins - 1) numbers the bins; then a loop.",
    ],
    reasoning="A bin's weight is its share of the examples: nearly empty bins hardly count.",
    solved="Accuracy asks whether the class is right; this asks what the probability is worth.",
)  # fmt: skip
def sure_and_unsure(draw):
    sizes = (12, 3, 5, 1.5), (60, 4, 10, 2.5), (200, 10, 8, 2), (60, 12, 5, 0.5)
    for count, classes, bins, scale in sizes:
        logits = draw.normal(0, scale, (count, classes))
        logits[: count // 6] = 0
        logits[np.arange(count // 6), draw.integers(0, classes, count // 6)] = 50  # sure
        targets = logits.argmax(axis=1)
        other = draw.random(count) < 0.3
        targets[other] = (targets[other] + 1) % classes
        confidence = softmax(logits).max(axis=-1)
        high = (confidence > 1 - 1 / bins) & (confidence < 1)
        targets[high] = logits.argmax(axis=1)[high]  # where 1 has a bin of its own, it shows
        edge = np.abs(confidence * bins - np.rint(confidence * bins)) < 1e-3
        kept = ~edge | (confidence == 1)
        yield logits[kept], targets[kept], bins


def _fitted(answer, train, val, test):
    """The temperature that an answer finds for a network whose images are its logits."""
    images = keras.Input((2, 5, 1))
    model = keras.Model(images, keras.layers.Flatten()(images))
    digits = data.Dataset("drawn", *(parts := (train, val, test)))
    before = [part.inputs.copy() for part in parts]
    found = answer(model, digits)
    same = all(map(np.array_equal, before, (part.inputs for part in parts)))
    require(same, "leave the digits as they are: you have changed their inputs")
    return found


LOSS = "float(cross_entropy(digits.val.targets, logits / temperature))"
LOGITS = "logits = model(digits.val.inputs)"
FIRST = (
    "that is an end of the grid: take the smallest cross-entropy, with from_logits=True; "
    "accuracy is the same at every τ"
)
BEST = "return min(np.geomspace(0.1, 10, 101), key=loss)"


@exercise(
    "08c.10",
    lecture_08c.fit_temperature,
    mistakes=[
        ("digits.val.inputs", "digits.test.inputs", "digits.val.t", "digits.test.t",
         "you fit on the test part: what chose τ cannot judge it; fit on validation"),
        ("digits.val.inputs", "digits.train.inputs", "digits.val.t", "digits.train.t",
         "you fit on the training part, where the network is surer; fit on validation"),
        ("logits / temperature", "logits * temperature",
         "divide the logits by τ; you multiply them"),
        (LOSS, "-float((keras.ops.convert_to_numpy(logits / temperature).argmax(axis=-1) "
         "== digits.val.targets).mean())",
         FIRST),
        ("min(np", "max(np", FIRST),
        (BEST, "return min(map(loss, np.geomspace(0.1, 10, 101)))",
         "that is the smallest cross-entropy; return its temperature"),
        (BEST, "return int(np.argmin([loss(one) for one in np.geomspace(0.1, 10, 101)]))",
         "that is the temperature's index; return the temperature"),
        (BEST, "return logits / min(np.geomspace(0.1, 10, 101), key=loss)",
         "return the temperature, not the logits"),
        ("from_logits=True", "", FIRST),
        (LOGITS, f"{LOGITS}\n    logits = keras.ops.softmax(logits)",
         "divide the logits, before the softmax, not the probabilities"),
        (LOSS, "lecture_08c.calibration_error("
         "keras.ops.convert_to_numpy(logits) / temperature, digits.val.targets)",
         "by the cross-entropy, not by the calibration error"),
        ("np.geomspace(0.1, 10, 101)", "np.geomspace(1, 10, 101)",
         "τ may be below 1: a network may be too unsure"),
        ("np.geomspace(0.1, 10, 101)", "np.geomspace(0.1, 1, 101)",
         "τ may be above 1: a network may be too sure"),
    ],
    compares="the temperature",
    equal=within(0.025),  # a finer search is right, too
    takes=6,
    level=2,
    hints=[
        "keras.losses.SparseCategoricalCrossentropy(from_logits=True)(targets, logits / τ).",
        "min(np.geomspace(0.1, 10, 101), key=…), on digits.val alone.",
    ],
    reasoning="One number is fitted on validation; it moves no logit past another.",
    solved="One number, no new training, and the same predictions.",
    run=_fitted,
)  # fmt: skip
def logits_as_images(draw):
    for temperatures in ((6.0, 2.5, 0.6), (0.2, 0.5, 1.6)):
        parts = []
        for temperature in temperatures:  # of train, val and test
            scores = draw.normal(0, 2, (400, 10))
            drawn = draw.gumbel(size=scores.shape) + scores
            images = (temperature * scores).reshape(-1, 2, 5, 1).astype("float32")
            parts.append(data.Split(images, drawn.argmax(axis=1).astype("int32")))
        yield tuple(parts)
