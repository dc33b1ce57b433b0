"""Lab 8c: training on CIFAR-10 by a plan, and the gate to the recorded runs.

All plans: AdamW with weight decay 0.05, each weight's gradient clipped to a norm of 1, batches
of 128, a warm-up of 100 batches and a cosine down to 0; half of the batches are mixed by
CutMix.
"""

from typing import NamedTuple

import keras
import numpy as np

from course_utils import data, models, results, schedules, training
from lectures.lecture_05 import softmax
from lectures.lecture_07.augment import random_flip, random_translate
from lectures.lecture_07.digits import SEEDS, ImageBatches
from lectures.lecture_07.image_sets import load_images
from lectures.lecture_08c import (
    calibration_error,
    digit_mixer,
    fit_temperature,
    random_shift,
    zero_start,
)

LECTURE, CIFAR = "08c_lab_recipe", "cifar10_recompressed"
TRAINING_IMAGES = 45_000


class Plan(NamedTuple):
    """How a network is trained on CIFAR-10; `record` names its recorded runs."""

    record: str
    network: str
    epochs: int
    learning_rate: float
    strong: bool = False  # also rotated, stretched and recoloured
    zero: bool = False  # the last matrix of each token mixing starts at zero
    bug: bool = False  # shift and mirror share a seed
    images: int = TRAINING_IMAGES


PLANS = {
    "mixer-20": Plan("mixer_short", "Mixer", 20, 0.001),
    "mixer-60": Plan("mixer_long", "Mixer", 60, 0.002),
    "mixer-60-strong": Plan("mixer_varied", "Mixer", 60, 0.002, True),
    "mixer-60-zero": Plan("mixer_long_deaf", "Mixer", 60, 0.002, zero=True),
    "mixer-60-strong-zero": Plan("mixer_varied_deaf", "Mixer", 60, 0.002, True, True),
    "mixer-150-strong-zero": Plan("mixer_varied_deaf_150", "Mixer", 150, 0.002, True, True),
    "gmlp-20": Plan("gmlp_short", "gMLP", 20, 0.001),
    "gmlp-60": Plan("gmlp_long", "gMLP", 60, 0.001),
}
BUGGY = {
    f"{name}-bug": PLANS[name]._replace(record=f"{PLANS[name].record}_one_seed", bug=True)
    for name in ("mixer-20", "mixer-60", "gmlp-20", "gmlp-60")
}
SWEEP = {
    f"{kind}-20-bug at {rate}": BUGGY[f"{kind}-20-bug"]._replace(
        record=f"{kind}_short_one_seed_rate_{rate}", learning_rate=rate
    )
    for kind in ("mixer", "gmlp")
    for rate in (0.002, 0.004)
}
SMALL = {  # for machines without a GPU
    "mixer-small": Plan("mixer_deep", "Mixer", 12, 0.002, images=10_000),
    "mixer-small-zero": Plan("mixer_deep_deaf", "Mixer", 12, 0.002, zero=True, images=10_000),
}
ALL_PLANS = PLANS | BUGGY | SWEEP | SMALL
DIGIT_RECIPES = {  # one part of the recipe for digits changed in each
    "digits_recipe": {},
    "digits_not_shifted": {"shift": False},
    "digits_smoothed": {"smoothing": 0.1},
    "digits_cutmix": {"mix": True},
}
SIZES = {
    "Mixer": {"embed_dim": 256, "token_mlp_dim": 256, "channel_mlp_dim": 1024, "num_layers": 8},
    "gMLP": {"embed_dim": 256, "mlp_dim": 1024, "num_layers": 11},
}
SMALL_MIXER = {"embed_dim": 64, "token_mlp_dim": 64, "channel_mlp_dim": 256, "num_layers": 8}


class RunLog:
    """The recorded runs by plan: validation is open, the test part is read once per network."""

    def __init__(self):
        self.revealed = {}

    def table(self, *names):
        """Show plans with what the slides left out and their validation accuracy."""
        rows = []
        for name in names or PLANS:
            plan, found = ALL_PLANS[name], self.validation(name)
            deviation = f" ± {np.std(found, ddof=1):.3f}" if len(found) > 1 else ""
            rows.append({
                "plan": name,
                "epochs": plan.epochs,
                "learning rate": str(plan.learning_rate),
                "augmentation": "strong" if plan.strong else "usual",
                "start": "zero" if plan.zero else "default",
                "seeds": len(found),
                "validation": f"{np.mean(found):.3f}{deviation}",
            })  # fmt: skip
        return results.Table(rows)

    def validation(self, name):
        """Return the validation accuracies of a plan, one per seed."""
        return [run["metrics"]["val_accuracy"] for run in _runs(name)]

    def curve(self, name, metric="val_accuracy"):
        """Return "accuracy", "val_accuracy", "loss" or "val_loss" by epoch: (seeds, epochs)."""
        return np.array([run["history"][metric] for run in _runs(name)])

    def reveal_test(self, name):
        """Return the test accuracies of one plan, one per seed; once per network.

        Raises ValueError for a second plan of the same network.
        """
        network = ALL_PLANS[name].network
        chosen = self.revealed.setdefault(network, name)
        if chosen != name:
            raise ValueError(
                f"the test part was read for {chosen!r}: to look at {name!r} as well would be "
                "to choose by test accuracy. Report what you chose."
            )
        print(f"test part read for {', '.join(self.revealed.values())}")
        return [run["metrics"]["test_accuracy"] for run in _runs(name)]


def _runs(name):
    data.base.one_of("plan", name, tuple(ALL_PLANS))
    return results.load(LECTURE, ALL_PLANS[name].record, CIFAR)


class Photographs(keras.utils.PyDataset):
    """Batches of photographs from −2 to 2, with a share for each class; augmented by `plan`."""

    def __init__(self, split, batch_size, plan=None):
        super().__init__()
        self.split, self.batch_size, self.plan = split, batch_size, plan
        self.examples, self.epoch, self.order = len(split), 0, np.arange(len(split))

    def __len__(self):
        return (self.examples + self.batch_size - 1) // self.batch_size

    def __getitem__(self, number):
        rows = self.order[number * self.batch_size : (number + 1) * self.batch_size]
        images = self.split.inputs[rows]
        shares = np.eye(10, dtype="float32")[self.split.targets[rows]]
        if self.plan:
            shift, mirror, mix, turn, colour = ([k, self.epoch, number] for k in range(1, 6))
            images = random_translate(images, 4, shift)
            images = random_flip(images, shift if self.plan.bug else mirror)
            if self.plan.strong:
                images = random_affine(images, 20, 0.2, turn)
                images = color_jitter(images, 0.5, colour)
            images, shares = cutmix(images, shares, mix)
        return np.divide(images, 255, dtype="float32") * 4 - 2, shares

    def on_epoch_end(self):
        self.epoch += 1
        if self.plan:
            self.order = np.random.default_rng(self.epoch).permutation(self.examples)


def random_affine(images, degrees, stretch, seed):
    """Each image stretched and then turned about its middle, in its own way: the same shape.

    images: (images, height, width) or with channels last. Height and width are multiplied by
    two factors drawn from 1 − stretch to 1 + stretch, and the angle is drawn up to so many
    degrees either way. Each new pixel is the nearest one to the place that it comes from (no
    blur), and zeros come in from outside.
    """
    draw = np.random.default_rng(seed)
    angles = np.deg2rad(draw.uniform(-degrees, degrees, len(images))).astype("float32")
    factors = draw.uniform(1 - stretch, 1 + stretch, (2, len(images), 1, 1)).astype("float32")
    height, width = images.shape[1:3]
    down, across = _turned_places(images, angles)
    framed = np.pad(images, [(0, 0), (1, 1), (1, 1)] + [(0, 0)] * (images.ndim - 3))
    row = np.rint(down / factors[0] + (height + 1) / 2).astype("int32").clip(0, height + 1)
    column = np.rint(across / factors[1] + (width + 1) / 2).astype("int32").clip(0, width + 1)
    picture = np.arange(len(images))[:, None, None]
    places = (picture * (height + 2) + row) * (width + 2) + column
    return framed.reshape(-1, *images.shape[3:]).take(places, axis=0)


def color_jitter(images, strength, seed):
    """Each image with its own saturation, contrast and brightness, changed in this order.

    images: (images, height, width, 3), from 0 to 255. Each change moves the pixels away from a
    plain image or towards it, base + factor · (pixels − base), with a factor drawn from
    1 − strength to 1 + strength: from the image in grey (saturation), from its mean grey
    (contrast), from black (brightness). The result is cut off at 0 and 255.
    Source: Haeberli and Voorhies, "Image processing by linear interpolation and extrapolation"
    (1994); grey as in ITU-R BT.601.
    """
    draw = np.random.default_rng(seed)
    factors = draw.uniform(1 - strength, 1 + strength, (3, len(images), 1, 1, 1))
    saturation, contrast, brightness = factors.astype("float32")
    pixels = images.astype("float32")
    grey = (pixels @ np.array([0.299, 0.587, 0.114], "float32"))[..., None]
    pixels = grey + saturation * (pixels - grey)
    mean = grey.mean(axis=(1, 2), keepdims=True)
    pixels = np.clip(brightness * (mean + contrast * (pixels - mean)), 0, 255)
    whole = np.issubdtype(images.dtype, np.integer)
    return (np.rint(pixels) if whole else pixels).astype(images.dtype)


def cutmix(images, shares, seed):
    """With probability one half, a square of every image comes from another image.

    images: square ones. shares: how much of each class an image shows, (images, classes): 1
    for its own class and 0 for the others.

    The square's area is drawn evenly from 0 to the whole image, its place evenly from those
    where it fits; size and place are the same for the whole batch. The last image gives to the
    first one, the last but one to the second, and so on. The shares are mixed as the areas.
    Returns images and shares; those given stay as they are.
    Source: Yun et al., "CutMix" (2019), section 3, with squares inside the image.
    """
    side = images.shape[1]
    draw = np.random.default_rng(seed)
    if draw.random() >= 0.5:
        return images, shares
    cut = round(side * np.sqrt(draw.random()))
    row, column = draw.integers(0, side - cut, size=2, endpoint=True)
    square = np.s_[:, row : row + cut, column : column + cut]
    mixed, given = images.copy(), cut**2 / side**2
    mixed[square] = images[::-1][square]
    return mixed, ((1 - given) * shares + given * shares[::-1]).astype(shares.dtype)


def _turned_places(images, angles):
    """Rows and columns, from the middle, that a turned image's pixels come from."""
    height, width = images.shape[1:3]
    middle = np.array([height - 1, width - 1], "float32") / 2
    down, across = np.mgrid[:height, :width].astype("float32") - middle[:, None, None]
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return cosine * down + sine * across, cosine * across - sine * down


def cifar_model(plan):
    """A new network for 32×32 photographs in 64 patches."""
    size = SIZES[plan.network] if plan.images == TRAINING_IMAGES else SMALL_MIXER
    make = models.mixer_model if plan.network == "Mixer" else models.gmlp_model
    model = make(image=32, channels=3, classes=10, patch=4, **size)
    return zero_start(model) if plan.zero else model


def record_all(seed):
    """Train and record every plan, three seeds each, the sweep's one; made for a GPU."""
    for name in ALL_PLANS:
        if name not in SWEEP or not seed:
            train_on_cifar10(name, seed)
    if not seed:
        record_calibration()


class MixedDigits(ImageBatches):
    """Batches of digits with a share for each class; `mix`: half of them by CutMix."""

    def __init__(self, split, seed, change, mix):
        super().__init__(split, 100, seed, change)
        self.mix = mix

    def __getitem__(self, step):
        images, targets = super().__getitem__(step)
        shares = np.eye(10, dtype="float32")[targets]
        draws = [self.seed, self.epoch * self.steps + step, 1]
        return cutmix(images, shares, draws) if self.mix else (images, shares)


def record_calibration():
    """Train on 100 digits by each recipe, five seeds; record how well it is calibrated."""
    for name, parts in DIGIT_RECIPES.items():
        for seed in SEEDS:
            keras.utils.set_random_seed(seed)
            digits = data.load_digits(100, seed=seed)
            model, run = train_on_digits(digits, seed, **parts)
            run.seed, run.settings = seed, {"learning_rate": 0.032, "batch": 64} | parts
            run.record(LECTURE, name, digits.name, **calibration(model, digits))


def train_on_digits(digits, seed, shift=True, smoothing=0.0, mix=False):
    """Train a Mixer as exercise 08c.7's solution does, one part of the recipe changed."""

    def change(images, seed):
        return random_shift(images, 1, seed)

    model, epochs = digit_mixer(), 5
    batches = MixedDigits(digits.train, seed, change if shift else None, mix)
    val = data.Split(digits.val.inputs, np.eye(10, dtype="float32")[digits.val.targets])
    schedule = schedules.WarmupCosine(0.032, epochs * len(batches))
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.05, global_clipnorm=1.0)
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=smoothing)
    model.compile(optimizer, loss, metrics=["accuracy"])
    run = training.fit(model, (batches, val), epochs, source=digits.source, resume=False)
    return model, run


def calibration(model, digits):
    """What confidence and accuracy are on the test digits, before and after a temperature.

    "error_by_chance" is the mean calibration error of 200 draws in which each digit is right
    with the probability that the network's confidence says.
    """
    logits, targets = model.predict(digits.test.inputs, verbose=0), digits.test.targets
    confidence = softmax(logits).max(axis=-1)
    temperature = fit_temperature(model, digits)
    named = logits.argmax(axis=-1)
    other, draw, drawn = (named + 1) % 10, np.random.default_rng(0), []
    for _ in range(200):
        right = draw.random(len(targets)) < confidence
        drawn.append(calibration_error(logits, np.where(right, named, other)))
    return {
        "test_accuracy": float(np.mean(named == targets)),
        "confidence": float(np.mean(confidence)),
        "calibration_error": float(calibration_error(logits, targets)),
        "error_by_chance": float(np.mean(drawn)),
        "temperature": float(temperature),
        "calibration_error_after": float(calibration_error(logits / temperature, targets)),
    }


def train_on_cifar10(name, seed):
    """Train by a plan and record the run; a sweep's runs do not read the test part."""
    plan = ALL_PLANS[name]
    keras.utils.set_random_seed(seed)
    photographs = load_images("cifar10", dtype="uint8", seed=seed)
    part = photographs.train.take(slice(plan.images))
    batches, val = Photographs(part, 128, plan), Photographs(photographs.val, 500)
    model = cifar_model(plan)
    schedule = schedules.WarmupCosine(plan.learning_rate, plan.epochs * len(batches))
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.05, clipnorm=1.0)
    loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    settings, tested = plan._asdict() | {"batch": 128}, {}
    if name in SWEEP:
        settings["one_seed_because"] = "a choice of the learning rate, by validation"
    about = {"source": photographs.source, "settings": settings}
    run = training.fit(model, (batches, val), plan.epochs, **about)
    if name not in SWEEP:
        test = Photographs(photographs.test, 500)
        score = model.evaluate(test, verbose=0, return_dict=True)["accuracy"]
        tested = {"test_accuracy": score}
    run.record(LECTURE, plan.record, photographs.name, **tested)
    return model
