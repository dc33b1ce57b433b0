"""Exercises of lab 8c: errors of an accuracy, choosing, sweeping, augmenting, starting."""

import dataclasses

import keras
import numpy as np

from course_utils import data, layers
from course_utils.exercises import exercise, require, within
from course_utils.lectures import lecture_08c


def _apart(variance, root=True, sign=1):
    """Standard errors apart with another variance of p, q and n."""

    def wrong(first, second, images):
        spread = variance(first * (1 - first), second * (1 - second), images)
        return sign * (first - second) / (spread**0.5 if root else spread)

    return wrong


@exercise(
    "08c.1",
    lecture_08c.standard_errors_apart,
    mistakes=[
        (_apart(lambda p, q, n: p / n),
         "both accuracies are measured: the difference has the error of both, squares added"),
        (_apart(lambda p, q, n: q / n),
         "both accuracies are measured: the difference has the error of both, squares added"),
        (_apart(lambda p, q, n: (p**0.5 + q**0.5) ** 2 / n),
         "add the squared standard errors, then take the root"),
        (_apart(lambda p, q, n: (p + q) / n, root=False), "the square root is missing"),
        (_apart(lambda p, q, n: (p + q) / n, sign=-1), "the sign: positive if first is larger"),
        (lambda p, q, n: abs(_apart(lambda p, q, n: (p + q) / n)(p, q, n)),
         "keep the sign: negative where the first is smaller"),
        (_apart(lambda p, q, n: (p + q) / n**2), "the root spans n as well: √(p (1 − p) / n)"),
        (_apart(lambda p, q, n: p + q), "divide by the number of images"),
        (lambda p, q, n: (p - q) / ((p + q) * (2 - p - q) / 2 / n) ** 0.5,
         "each accuracy has its own p (1 − p): do not pool them"),
        (lambda p, q, n: 100 * (p - q) / ((p * (1 - p) + q * (1 - q)) / n) ** 0.5,
         "no percentages: a number of standard errors is asked"),
        (_apart(lambda p, q, n: (p + q) / (2 * n)), "add the squares; do not average them"),
        (_apart(lambda p, q, n: max(p - q, q - p) / n),
         "squared errors are added even though the accuracies are subtracted"),
        (_apart(lambda p, q, n: (p + q) / (n - 1)), "divide by n, not by n − 1"),
        (lambda p, q, n: (p - q) / ((p**2 + q**2) / n) ** 0.5,
         "the standard error has p (1 − p), not p²"),
        (lambda p, q, n: p - q, "divide the difference by its standard error"),
        (_apart(lambda p, q, n: ((p**0.5 + q**0.5) / 2) ** 2 / n),
         "add the squared standard errors, then take the root"),
        (_apart(lambda p, q, n: ((p / n) ** 0.5 + (q / n) ** 0.5)),
         "square the standard errors before you add them"),
        (_apart(lambda p, q, n: 1.96**2 * (p + q) / n), "no 1.96: count standard errors"),
        (lambda p, q, n: round(lecture_08c.standard_errors_apart(p, q, n), 1),
         "do not round: print rounded numbers later"),
        (lambda p, q, n: (p - q) * ((p * (1 - p) + q * (1 - q)) / n) ** 0.5,
         "divide by the standard error, do not multiply"),
        (lambda p, q, n: ((p * (1 - p) + q * (1 - q)) / n) ** 0.5,
         "that is the standard error of the difference; divide the difference by it"),
    ],
    takes=4,
    level=2,
    hints=[
        "The squared standard error of each accuracy is p (1 − p) / n.",
        "(first − second) / √(sum of both).",
    ],
    reasoning="Independent errors add as squares, whether the numbers are added or subtracted.",
    solved="From now on, every accuracy that you report has an error.",
)  # fmt: skip
def two_accuracies(draw):
    for images in (100, 10_000):
        yield *(float(one) for one in draw.uniform(0.55, 0.95, 2).round(3)), images


def _selected(report):
    """What is reported by another rule, of (repeats, runs) accuracies; the same draws."""

    def wrong(runs, accuracy, images, repeats=4_000, seed=0):
        draw = np.random.default_rng(seed)
        validation, test = draw.binomial(images, accuracy, (2, repeats, runs)) / images
        return report(validation, test, np.arange(repeats))

    return wrong


def _best(by, of, rows):
    return of[rows, by.argmax(axis=1)].mean()


def _reported(answer, runs, accuracy, images, repeats, seed):
    """Both accuracies; refused where they cannot be means over the repetitions."""
    reported = answer(runs, accuracy, images, repeats, seed)
    if isinstance(reported, tuple | list) and len(reported) == 2:
        require(max(map(float, reported)) <= 1, SHARES)
        whole = [float(one) * images for one in reported]
        require(all(abs(one - round(one)) > 1e-6 for one in whole), MEANS)
    return reported


def _names_one_model(select):
    """With three repetitions of seven images, a chosen model's mean is a multiple of 1/21."""
    for seed in range(4):
        for place, reported in enumerate(select(11, 0.8, 7, 3, seed), start=1):
            right = float(reported) * 7 * 3
            require(
                abs(right - round(right)) < 1e-3,
                f"result {place}: in each repetition, report the test accuracy of the one "
                "chosen model, not a mean over several models or what is true of all",
            )


CHOICE = "choose by validation, report the test accuracy of the same model"
MEANS = (
    "choose among the runs in each repetition, then take the mean over the repetitions, "
    "each drawn anew"
)
SHARES = "accuracies lie between 0 and 1: divide the number of right images by `images`"


@exercise(
    "08c.2",
    lecture_08c.select,
    mistakes=[
        (_selected(lambda v, t, r: (t.max(axis=1).mean(), v.max(axis=1).mean())), CHOICE),
        (_selected(lambda v, t, r: (t.mean(), t.mean())),
         "simulate, and take the best of each choice"),
        (_selected(lambda v, t, r: (t.max(), t.mean())), MEANS),
        (_selected(lambda v, t, r: (t.max(axis=0).mean(), _best(v, t, r))), MEANS),
        (_selected(lambda v, t, r: (_best(v, t, r), _best(t, t, r))),
         "the results are swapped: first the choice by test"),
        (_selected(lambda v, t, r: (t.max(axis=1).std(), t.std())), "means are asked"),
        (lambda runs, accuracy, images, repeats=4_000, seed=0: (accuracy, accuracy),
         "simulate, and take the best of each choice"),
        (_selected(lambda v, t, r: (_best(t, t, r) * 100, _best(v, t, r) * 100)), SHARES),
        (lambda runs, *others: lecture_08c.select(10, *others), "take `runs` models, not ten"),
        (_selected(lambda v, t, r: (np.maximum(v, t).max(axis=1).mean(), _best(v, t, r))),
         "the best on the test images alone: validation has no part in the first result"),
        (_selected(lambda v, t, r: (_best(t, t, r), t.min(axis=1).mean())), CHOICE),
    ],
    takes=8,
    level=3,
    hints=[
        "draw.binomial(images, accuracy, (2, repeats, runs)) / images: validation and test.",
        "test.max(axis=1).mean(); then test[np.arange(repeats), validation.argmax(axis=1)].",
    ],
    reasoning="The validation luck of the chosen model says nothing about its test images.",
    solved="What chose the model cannot also judge it.",
    properties=[_names_one_model],
    run=_reported,
    equal=within(1e-3),
)  # fmt: skip
def equal_models(draw):
    yield 10, 0.8, 4_999, 4_000, int(draw.integers(100))
    yield 3, 0.6, 4_999, 4_000, int(draw.integers(100))


def _stepped(step, by=max, order=sorted):
    """A sweep's next rates: step(smallest, largest, best, factor)."""

    def wrong(tried):
        rates, best = order(tried), by(tried, key=tried.get)
        return step(rates[0], rates[-1], best, rates[1] / rates[0])

    return wrong


def _one_step(low, high, best, factor):
    return [best / factor] if best == low else [best * factor] if best == high else []


INSIDE = "inside the grid the sweep ends: []"
BOTH_ENDS = "compare the best learning rate with the smallest and with the largest"


@exercise(
    "08c.3",
    lecture_08c.next_rates,
    mistakes=[
        (_stepped(_one_step, order=list), "sort the learning rates first"),
        (_stepped(_one_step, by=min), "the best is the one with the highest accuracy"),
        (_stepped(lambda a, b, c, f: [a / f] if c == a else []), "the upper end counts too"),
        (_stepped(lambda a, b, c, f: [b * f] if c == b else []), "the lower end counts too"),
        (_stepped(lambda a, b, c, f: [c * f] if c == a else [c / f] if c == b else []),
         "go beyond the end: those rates have been tried"),
        (_stepped(lambda a, b, c, f: [a / f, b * f]), "go on at the end that has the best"),
        (_stepped(lambda a, b, c, f: [a / f, b * f] if c in (a, b) else []),
         "go on at the end that has the best only"),
        (_stepped(lambda a, b, c, f: [c / f, c * f]), INSIDE),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, f) or [c * f**0.5]), INSIDE),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, f) or [c / f**0.5]), INSIDE),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, f) or [c]), INSIDE),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, f) or [c / f, c * f]), INSIDE),
        (_stepped(lambda a, b, c, f: [b * f] if c == a else [a / f] if c == b else []),
         "go on at the end that has the best"),
        (_stepped(_one_step, order=lambda tried: sorted(tried, key=tried.get)),
         "sort by learning rate, not by accuracy"),
        (_stepped(lambda a, b, c, f: c / f if c == a else c * f if c == b else []),
         "return a list: the learning rate in [ ]"),
        (lambda tried: sorted({*tried, *lecture_08c.next_rates(tried)}),
         "only the new learning rate, without those that have been tried"),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, f**2)),
         "one step further: divide or multiply by the factor once"),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, b / a)),
         "the factor between neighbours, not between the smallest and the largest"),
        (_stepped(lambda a, b, c, f: [b * f]),
         "max(tried) is the largest learning rate; the best is max(tried, key=tried.get)"),
        (_stepped(lambda a, b, c, f: [c * f]), BOTH_ENDS),
        (_stepped(lambda a, b, c, f: [c / f]), BOTH_ENDS),
        (_stepped(lambda a, b, c, f: []), "a best value at an end asks for more"),
        (_stepped(lambda a, b, c, f: [c]), "that is the best; what should be tried next?"),
        (_stepped(lambda a, b, c, f: c), "that is the best; what should be tried next?"),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, 2)), "take the grid's own factor"),
        (_stepped(lambda a, b, c, f: _one_step(a, b, c, 10)), "take the grid's own factor"),
        (_stepped(lambda a, b, c, f: [a - a * (f - 1)] if c == a
                  else [b + a * (f - 1)] if c == b else []),
         "multiply by the factor; learning rates are spaced by ratios, not by differences"),
        (_stepped(lambda a, b, c, f: [a - a * (f - 1)] if c == a
                  else [b + b * (1 - 1 / f)] if c == b else []),
         "multiply by the factor; learning rates are spaced by ratios, not by differences"),
    ],
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
    for at, factor in ((0, 2), (3, 3), (1, 3), (2, 4), (0, 3), (3, 4)):
        rates = [0.001 * factor**k for k in range(4)]
        found = (0.7 - 0.03 * np.abs(np.arange(4) - at)).round(3)
        order = draw.permutation(4)
        yield {rates[k]: float(found[k]) for k in (order if order[0] else order[::-1])}


def _shifted(moves=lambda moves, pixels: moves, mode="constant", fill=0.0, share=False, end=1):
    """`random_shift` with other moves, another border, or one move for all."""

    def wrong(images, pixels, seed):
        draw, (height, width) = np.random.default_rng(seed), images.shape[1:3]
        drawn = moves(draw.integers(-pixels, pixels + end, size=(len(images), 2)), pixels)
        drawn = np.repeat(drawn[:1], len(images), axis=0) if share else drawn
        room, side = [(0, 0), (9, 9), (9, 9), (0, 0)], {"constant_values": fill}
        framed = np.pad(images, room, mode, **(side if mode == "constant" else {}))
        corners = [(9 - down, 9 - right) for down, right in drawn]
        return np.array([
            one[top : top + height, left : left + width]
            for one, (top, left) in zip(framed, corners, strict=True)
        ])  # fmt: skip

    return wrong


def _moved(answer, images, pixels, seed):
    """The shifted images, as an array of the dtype of those given."""
    shifted = answer(images, pixels, seed)
    if shifted is None or shifted is ...:
        return None
    shifted = np.asarray(shifted)
    require(
        shifted.dtype == images.dtype,
        f"the dtype of the images is {images.dtype}, that of the result {shifted.dtype}: "
        "np.zeros_like(images) keeps it",
    )
    return shifted


def _half_cleared(images, pixels, seed):
    """`random_shift` by np.roll that clears what came in at the top and at the left alone."""
    moves = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(len(images), 2))
    pairs = zip(images, moves, strict=True)
    shifted = np.array([np.roll(image, move, (0, 1)) for image, move in pairs])
    for image, (down, right) in zip(shifted, moves, strict=True):
        image[: max(down, 0)], image[:, : max(right, 0)] = 0, 0
    return shifted


def _column_moves(images, pixels, seed):
    """`random_shift` with its moves drawn as two rows."""
    rows = np.random.default_rng(seed).integers(-pixels, pixels + 1, size=(2, len(images)))
    return _shifted(lambda moves, pixels: rows.T)(images, pixels, seed)


@exercise(
    "08c.4",
    lecture_08c.random_shift,
    mistakes=[
        (_shifted(mode="wrap"), "what leaves on one side enters on the other: zeros enter"),
        (_shifted(mode="wrap", end=0), "`integers` leaves its end out; and zeros enter"),
        (_shifted(end=0), "`integers` leaves its end out: pixels + 1"),
        (_half_cleared, "a negative move lets zeros in at the bottom or at the right"),
        (_shifted(mode="edge"), "zeros come in, not the border's own pixels"),
        (_shifted(mode="reflect"), "zeros come in, not a reflection"),
        (_shifted(fill=1.0), "zeros come in, not ones"),
        (_shifted(lambda m, p: -m), "the wrong way: positive moves go down and to the right"),
        (_shifted(lambda m, p: m[:, ::-1]), "first the move down, then to the right"),
        (_shifted(lambda m, p: m * [1, -1]), "the second number is to the right"),
        (_shifted(lambda m, p: m * [-1, 1]), "the first number is down, not up"),
        (_shifted(lambda m, p: m * [1, 0]), "shift to the right as well"),
        (_shifted(lambda m, p: m * [0, 1]), "shift downwards as well"),
        (_shifted(share=True), "each image has a move of its own"),
        (_shifted(lambda m, p: np.abs(m)), "moves go both ways"),
        (_shifted(lambda m, p: m * 0), "nothing has moved"),
        (_shifted(lambda m, p: m * 0 + p), "the moves are drawn, `pixels` is the limit"),
        (lambda images, pixels, seed: lecture_08c.random_shift(images, pixels, 0),
         "draw with the seed that is given"),
        (_column_moves, "draw one row of two numbers an image: size=(len(images), 2)"),
    ],
    takes=8,
    level=2,
    hints=[
        "Pad height and width with `pixels` zeros: each shift is a window of the result.",
        "The window of (down, right) begins at (pixels − down, pixels − right).",
    ],
    reasoning="A padded image holds all shifts as windows, with zeros where nothing is.",
    solved="One line decides what enters at the border. Now see what others let in.",
    run=_moved,
)  # fmt: skip
def drawn_images(draw):
    for count, height, width, channels, pixels in ((3, 3, 4, 1, 1), (5, 6, 5, 3, 2)):
        images = draw.uniform(10, 250, (count, height, width, channels))
        dtype = "float32" if channels == 1 else "uint8"
        yield images.astype(dtype), pixels, int(draw.integers(1, 100))


def _sides(black, order=(0, 1, 2)):
    """`rim_sides` by another test of black columns, or in another order."""

    def wrong(images):
        left, right = (black(images[:, :, side, 0]).mean() for side in (0, -1))
        return tuple(np.array([left, 1 - left - right, right])[list(order)])

    return wrong


@exercise(
    "08c.5",
    lecture_08c.rim_sides,
    mistakes=[
        (_sides(lambda column: (column == 0).any(axis=1)),
         "one black pixel is no rim: an upward or downward shift has some in each column"),
        (_sides(lambda column: (column > 0).all(axis=1)), "that counts columns without black"),
        (_sides(lambda column: (column == 0).all(axis=1), (2, 1, 0)), "left and right swapped"),
        (_sides(lambda column: (column == 0).all(axis=1), (0, 2, 1)),
         "the order: left, neither, right"),
        (lambda images: lecture_08c.rim_sides(images.swapaxes(1, 2)),
         "those are rows at the top and the bottom; columns are asked: axis 2"),
        (_sides(lambda column: column == 0), "a rim is black from top to bottom: all(axis=1)"),
        (lambda images: tuple(len(images) * np.array(lecture_08c.rim_sides(images))),
         "shares, not counts"),
        (lambda images: tuple(100 * np.array(lecture_08c.rim_sides(images))),
         "shares between 0 and 1, not percentages"),
        (lambda images: lecture_08c.rim_sides(images)[::2], "three shares are asked"),
        (lambda images: tuple((images[..., 0] == 0).all(axis=1).mean(axis=0)[[0, 8, -1]]),
         "neither is what is left: 1 − left − right"),
        (lambda images: (lambda left, neither, right: (left, 1 - left, right))(
            *lecture_08c.rim_sides(images)), "neither is what is left: 1 − left − right"),
        (_sides(lambda column: column[:, 0] == 0),
         "a corner is black after a shift down as well: look at the whole column"),
        (lambda images: (lambda rims: (rims.any(1).mean(), 1 - rims.any(1).mean(), 0.0))(
            (images[..., 0] == 0).all(axis=1)),
         "a rim anywhere: look at the first column and at the last, each alone"),
        (lambda images: (lambda left, _, right: (
            left, (images > 0).all((1, 2, 3)).mean(), right))(
                *lecture_08c.rim_sides(images)), "neither is what is left: 1 − left − right"),
        (lambda images: (lambda rims: (rims[:, :5].mean(), 0.0, rims[:, 6:].mean()))(
            (images[..., 0] == 0).all(axis=1)),
         "the share of images, not of columns: the first and the last column decide"),
    ],
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
    for pixels, count in ((2, 7), (3, 50)):
        white = np.ones((count, 12, 11, 1), "float32")
        shifted = data.random_translate(white, pixels, int(draw.integers(100)))
        left = shifted[:, :, 0].max(axis=(1, 2)) == 0
        yield shifted[left | (np.arange(count) % 3 > 0)]


def _started(start, num_layers, seed):
    keras.utils.set_random_seed(seed)
    mixer = lecture_08c.digit_mixer(num_layers)
    returned = start(mixer)
    require(returned is not None, "return the model")
    require(isinstance(returned, keras.Model), "return the model")
    frozen = [weight.path for weight in returned.weights if not weight.trainable]
    require(not frozen, "leave all weights trainable: a frozen zero never learns to mix")
    return tuple(keras.ops.convert_to_numpy(one) for one in returned.weights)


def _zeroed(part="token_mixing", which=(-1,), blocks=slice(None), what=("kernel",), value=0.0):
    """Set other weights of a Mixer's blocks."""

    def start(mixer):
        found = [layer for layer in mixer.layers if isinstance(layer, layers.MixerBlock)]
        for block in found[blocks]:
            for place in which:
                layer = getattr(block, part).layers[place]
                for name in what:
                    weight = getattr(layer, name)
                    weight.assign(np.full(weight.shape, value))
        return mixer

    return start


def _all_dense(mixer):
    """Set every Dense layer that the model holds directly: the logits."""
    mixer.layers[-1].kernel.assign(np.zeros(mixer.layers[-1].kernel.shape))
    return mixer


def _both_mixings(mixer):
    return _zeroed("channel_mixing")(_zeroed()(mixer))


def _every_kernel(mixer):
    for weight in mixer.weights:
        if "kernel" in weight.path:
            weight.assign(np.zeros(weight.shape))
    return mixer


def _scaled(mixer):
    for layer in mixer.layers:
        if isinstance(layer, layers.MixerBlock):
            kernel = layer.token_mixing.layers[-1].kernel
            kernel.assign(kernel * 0.01)
    return mixer


def _frozen(mixer):
    for layer in lecture_08c.zero_start(mixer).layers:
        if isinstance(layer, layers.MixerBlock):
            layer.token_mixing.layers[-1].trainable = False
    return mixer


def _rebuilt(mixer):
    return _zeroed()(keras.models.clone_model(mixer))


@exercise(
    "08c.6",
    lecture_08c.zero_start,
    mistakes=[
        (_zeroed(which=(0, -1)), "the first matrix stays: with both at zero neither can learn"),
        (_zeroed(which=(0,)), "that is the first layer; the last one writes into the stream"),
        (_zeroed("channel_mixing"), "that is channel mixing; tokens are mixed in token_mixing"),
        (_zeroed("channel_mixing", (0,)), "that is channel mixing, and its first layer"),
        (_zeroed("channel_mixing", (0, -1)), "that is channel mixing"),
        (_zeroed(blocks=slice(1)), "every block, not the first alone"),
        (_zeroed(blocks=slice(-1, None)), "every block, not the last alone"),
        (_zeroed(what=("bias",)),
         "no kernel has changed: `kernel.assign(…)`; a new bias is zero"),
        (_zeroed(value=1.0), "zeros, not ones"),
        (_zeroed(value=1e-2), "exactly zero"),
        (_all_dense, "the layers over the tokens are inside each MixerBlock"),
        (lambda mixer: mixer, "no kernel has changed: `kernel.assign(…)`; a new bias is zero"),
        (_both_mixings, "only token mixing: channel mixing stays as it is"),
        (_every_kernel, "only the last kernel of each token mixing, not every kernel"),
        (_scaled, "small is not zero: exactly zero is asked"),
        (_frozen, "a frozen zero never learns to mix"),
        (_rebuilt, "change the given model; a clone has other weights"),
    ],
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


BAR = 0.85


def _reaches(train):
    """Train on 100 digits and say what is missing; True where the bar is reached."""
    if train is lecture_08c.train_recipe:  # trained in the tests, not at every check
        return True
    digits = data.load_digits(100)
    model = train(dataclasses.replace(digits, test=None))
    require(isinstance(model, keras.Model), "return the trained model")
    shape = (None, 10)
    require(model.output_shape == shape, f"the output should be {shape}: ten logits")
    names = model.predict(digits.val.inputs, batch_size=200, verbose=0).argmax(axis=1)
    reached = float((names == digits.val.targets).mean())
    require(
        reached < 0.99,
        f"validation accuracy {reached:.2f} with 100 training digits: was the model trained on "
        "digits.val? Validation images may choose, not train",
    )
    require(
        reached >= BAR,
        f"validation accuracy {reached:.2f}, and {BAR} is asked. Without shifts it ends "
        "near 0.8; with them, raise the learning rate before you add epochs.",
    )
    return True


@exercise(
    "08c.7",
    lecture_08c.train_recipe,
    mistakes=[
        (lambda digits: {}, "return the trained model"),
        (lambda digits: lecture_08c.digit_mixer(), "and 0.85 is asked"),
    ],
    takes=10,
    level=3,
    hints=[
        "train_on_images(mixer, digits, learning_rate=…, epochs=…, change=…) trains and shows "
        "validation accuracy after each epoch.",
        "change=lambda images, seed: random_shift(images, 1, seed); learning rate 0.032.",
    ],
    reasoning="With ten images a class, shifts by a pixel add what the data lack.",
    solved="A recipe, not an architecture, made the difference.",
    run=_reaches,
    limit=300,
)  # fmt: skip
def no_arguments(draw):
    yield ()


def _chosen(score=np.mean, least=3, divisor=1, order=(0, 1, 2), by=max):
    """`choose` by another score, fewer seeds or another deviation."""

    def wrong(validation):
        tried = {
            name: score(found) for name, found in validation.items() if len(found) >= least
        }
        best = by(tried, key=tried.get)
        deviation = np.std(validation[best], ddof=divisor if len(validation[best]) > 1 else 0)
        told = best, tried[best], deviation
        return tuple(told[place] for place in order)

    return wrong


@exercise(
    "08c.8",
    lecture_08c.choose,
    mistakes=[
        (_chosen(least=1), "a plan with one or two seeds cannot be chosen: three are asked"),
        (_chosen(least=2), "a plan with two seeds cannot be chosen: three are asked"),
        (_chosen(np.max), "by the mean: a single lucky seed would choose otherwise"),
        (_chosen(np.min), "by the mean over the seeds, not by the worst seed"),
        (_chosen(np.median), "by the mean, not by the median"),
        (_chosen(by=min), "the highest mean"),
        (_chosen(divisor=0), "the divisor is the number of seeds − 1: ddof=1"),
        (_chosen(order=(0, 2, 1)), "first the mean, then the standard deviation"),
        (_chosen(order=(0,)), "return name, mean and standard deviation"),
        (_chosen(order=(0, 1)), "return name, mean and standard deviation"),
        (lambda validation: lecture_08c.choose(validation)[0],
         "return name, mean and standard deviation"),
        (_chosen(least=4), "three seeds are enough: at least three are asked"),
        (lambda validation: lecture_08c.choose(
            {name: found for name, found in validation.items() if len(found) == 3}),
         "at least three seeds: a plan with more may be chosen as well"),
        (lambda validation: _chosen()(
            {name: found[:3] for name, found in validation.items()}),
         "all seeds of a plan, not only the first three"),
        (_chosen(np.sum), "by the mean, not by the sum or the number of seeds"),
        (lambda validation: (lambda best: (
            best, np.mean(validation[best]), np.std(validation[best], ddof=1)))(
                max(validation, key=lambda name: len(validation[name]))),
         "by the mean, not by the sum or the number of seeds"),
        (_chosen(lambda found: np.mean(found) - np.std(found, ddof=1)),
         "by the mean alone, without taking off the standard deviation"),
        (lambda validation: (lambda name, mean, deviation: (
            name, max(validation[name]), deviation))(*lecture_08c.choose(validation)),
         "report the mean of the chosen plan, not its best seed"),
        (lambda validation: (lambda name, mean, deviation: (
            name, round(float(mean), 3), round(float(deviation), 3)))(
                *lecture_08c.choose(validation)), "do not round: print rounded numbers later"),
        (lambda validation: (lambda name, mean, deviation: (
            list(validation).index(name), mean, deviation))(*lecture_08c.choose(validation)),
         "return the plan's name, not its index"),
        (lambda validation: (lambda name, mean, deviation: (
            name, mean, np.std(sum(validation.values(), []), ddof=1)))(
                *lecture_08c.choose(validation)), "over the seeds of the chosen plan alone"),
        (lambda validation: (lambda name, mean, deviation: (
            name, mean, np.ptp(validation[name])))(*lecture_08c.choose(validation)),
         "that is the range; the standard deviation is asked"),
        (lambda validation: (lambda name, mean, deviation: (name, mean, deviation**2))(
            *lecture_08c.choose(validation)), "that is the variance: take its root"),
        (lambda validation: (lambda name, mean, deviation: (
            name, mean, deviation / len(validation[name]) ** 0.5))(
                *lecture_08c.choose(validation)),
         "that is the standard error of the mean; the standard deviation is asked"),
    ],
    takes=5,
    level=2,
    hints=[
        "First leave out the plans with fewer than three accuracies.",
        "max(means, key=means.get) names the best; np.std(…, ddof=1).",
    ],
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
