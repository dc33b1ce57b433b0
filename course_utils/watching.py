"""Watch a student's training: which rows of which part it gets, how many batches, what loss."""

import contextlib
import inspect
import itertools
import math
import threading
from collections import Counter
from functools import cached_property
from unittest import mock

import keras
import numpy as np

from course_utils.exercises import require

SAMPLE = 400  # rows of a training that are looked up one by one
FEW = 20  # numbers, by whose order a row is not known
SHIFTS = 2  # pixels by which augmentation may move an image
LEAKS = {
    "validation": "you train on the validation {}: they tell when to stop and what to choose",
    "test": "you train on the test {}: they are read once, at the end",
    "unseen": "you train on {} that you were not given",
}


def floored(value):
    """Return a figure with two digits, rounded down: what is missed never looks reached."""
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


@contextlib.contextmanager
def watched_training(
    data=None, *, unseen=None, called="examples", augmented=False, batches=None, batch_size=None
):
    """See what a student's function trains on; at the end refuse what is not asked, by name.

    All that Keras' `fit` and `train_on_batch` get is seen, of any model.

    Args:
        data: what the function is given: a `Dataset`, or a dictionary of some of "train",
            "validation", "test", whose values are `Split`s or arrays of inputs; further keys
            name rows that it may not train on ("reviews without a label").
        unseen: inputs, or a `Split`, on which the answer is judged and which it was not given.
        called: what one calls the examples: "reviews".
        augmented: whether training rows may be images that are changed ones of `data`.
        batches, batch_size: the most that are allowed.

    Yields:
        A `Training`, which judges the model.

    Example:
        >>> shown, unseen = kept_back(data)
        >>> with watched_training(shown, unseen=unseen, called="reviews") as training:
        ...     model = training.trained(train(shown))
        >>> training.reaches(accuracy(model, unseen), 0.9, "accuracy on new reviews")
    """
    keras.utils.set_random_seed(0)
    training = Training(_Parts(_named(data, unseen), augmented))
    fit, train_on_batch = keras.Model.fit, keras.Model.train_on_batch
    apply = keras.optimizers.Optimizer.apply

    def watched_fit(model, *given, **settings):
        call = inspect.signature(fit).bind(model, *given, **settings)
        call.apply_defaults()
        training.begin(model)
        arguments = call.arguments
        size = arguments["batch_size"] or 32
        arguments["x"] = training.watch(
            arguments["x"],
            arguments["y"],
            arguments["sample_weight"],
            size,
            arguments["steps_per_epoch"],
        )
        training.see_chosen_by(arguments["validation_data"])
        arguments["callbacks"] = [*_listed(arguments["callbacks"]), _Losses(training)]
        with training.fitting():
            return fit(*call.args, **call.kwargs)

    def watched_batch(model, *given, **settings):
        arguments = inspect.signature(train_on_batch).bind(model, *given, **settings).arguments
        training.begin(model)
        training.see(*(arguments.get(name) for name in ("x", "y", "sample_weight")))
        with training.fitting():
            found = train_on_batch(model, *given, **settings)
        losses = found.values() if isinstance(found, dict) else np.ravel(found)
        training.losses.append(float(next(iter(losses))))
        return found

    def watched_apply(*given, **settings):
        training.alone |= not training.inside
        return apply(*given, **settings)

    with (
        mock.patch.object(keras.Model, "fit", watched_fit),
        mock.patch.object(keras.Model, "train_on_batch", watched_batch),
        mock.patch.object(keras.optimizers.Optimizer, "apply", watched_apply),
    ):
        yield training
    training.refuse_leaks(called)
    count, largest = len(training.losses), training.largest
    require(not batches or count <= batches, f"{count} batches, and {batches} are allowed")
    told = f"batches of {largest} {called}, and {batch_size} are allowed"
    require(not batch_size or largest <= batch_size, told)


class Training:
    """What was trained while a student's function ran.

    models: those that were fitted. losses: of each batch. largest: rows of the largest batch.
    seen: how many rows of which part, "" where they are of none. given: the last inputs and
    targets. weighted: whether there were sample weights. inside: whether `fit` runs. alone:
    whether an optimizer was applied without it. chosen_by_test: whether it validated on tests.
    """

    def __init__(self, parts):
        self.parts, self.models, self.losses = parts, [], []
        self.largest, self.seen, self.given, self.weighted = 0, Counter(), None, False
        self.lock = threading.Lock()  # Keras reads a PyDataset from several threads
        self.inside = self.alone = self.chosen_by_test = False

    @contextlib.contextmanager
    def fitting(self):
        """Say that what happens in the block is seen."""
        before, self.inside = self.inside, True
        try:
            yield
        finally:
            self.inside = before

    def begin(self, model):
        if not any(model is one for one in self.models):
            self.models.append(model)

    def watch(self, x, y, weights, size, steps):
        """Look at what `fit` gets; return what it has to get in its place."""
        if isinstance(x, keras.utils.PyDataset):
            return _Seen(x, self.see)
        if inspect.isgenerator(x):
            return self._looked_through(x)
        if hasattr(x, "__getitem__") or keras.ops.is_tensor(x):
            self.see(x, y, weights, size)
        else:  # tf.data, a loader of torch: one epoch of it
            for batch in itertools.islice(x, steps):
                self.see(*batch[:3])
        return x

    def see_chosen_by(self, data):
        """Refuse to choose an epoch by the test examples, which are read once, at the end."""
        if data is not None and isinstance(data, tuple | list):
            rows = self.parts.of(data[0])
            self.chosen_by_test |= bool(rows.get("test"))

    def _looked_through(self, batches):
        for batch in batches:
            self.see(*batch[:3])
            yield batch

    def see(self, x, y=None, weights=None, size=None):
        with self.lock:
            self.weighted |= weights is not None
            rows = len(keras.tree.flatten(x)[0])
            self.largest = max(self.largest, min(rows, size or rows))
            self.given = x, y
            rank = None if y is None else len(keras.tree.flatten(y)[0].shape)
            labelled = None in (rank, self.parts.rank) or rank == self.parts.rank
            for part, count in self.parts.of(x).items():
                # Without labels a model may read what it is not to learn the labels of.
                if labelled or part == "test":
                    self.seen[part] += count

    def refuse_leaks(self, called):
        """Refuse rows of another part than the training part, by the part's name."""
        told = f"you look at the test {called} while you train: validate on others"
        require(not self.chosen_by_test, told)
        for part, count in self.seen.items():
            told = LEAKS.get(part, f"you train on {part}").format(called)
            few = count <= 0.005 * self.seen.total()
            require(few or part in ("", "train"), told)
        other = self.seen[""] > 0.02 * self.seen.total() and "train" in self.parts.rows
        require(not other or self.parts.augmented, f"you train on other {called} than you got")

    def trained(self, model, given=None):
        """Return the model if it is the one that was trained, and is the given one."""
        told = "return the trained model" if given is None else "return the model that you got"
        require(isinstance(model, keras.Model), told)
        require(
            given is None or model is given, "train the model that you are given, and return it"
        )
        told = "train by `fit`: a loop of your own is not seen, and what it reads neither"
        require(not self.alone, told)
        require(self.losses, "the model is not trained: call `fit`")
        fitted = {id(weight) for one in self.models for weight in one.trainable_weights}
        shared = any(id(weight) in fitted for weight in model.trainable_weights)
        require(shared, "you return another model than the one that was trained")
        return model

    def reaches(self, value, asked, what, advice=None):
        """Require that a figure such as the accuracy is reached; else say what would help.

        advice: in place of what the losses of the training tell.
        """
        told = f"{what} is {floored(value)}, and {asked} is asked. {advice or self.advice()}"
        require(value >= asked, told)
        self.require_learned()

    def require_learned(self):
        """Refuse a model that was as good before: its weights were learned elsewhere."""
        few = max(1, len(self.losses) // 10)
        first, last = self.losses[0], np.mean(self.losses[-few:])
        told = f"the loss was as low at the first batch as at the last ({last:.3g}): "
        require(last < 0.9 * first, f"{told}the weights were not learned in this training")

    def advice(self):
        """What the losses of the training tell."""
        losses, count = np.array(self.losses), len(self.losses)
        if not np.isfinite(losses).all():
            return "The loss became NaN: take a smaller learning rate, or clipnorm=1.0."
        if count < 20:
            return f"Few batches, {count}: train longer."
        few = max(1, count // 10)
        before, last = losses[-2 * few : -few].mean(), losses[-few:].mean()
        fell = f"from {losses[0]:.3g} to {last:.3g} in {count} batches"
        if last > 1.1 * losses[0]:
            return f"The loss rose ({fell}): take a much smaller learning rate."
        if last > 0.9 * losses[0]:
            return f"The loss hardly fell ({fell}): try a larger and a smaller learning rate."
        if last < 0.1 * losses[0]:
            return f"The training examples are known well ({fell}), new ones are not."
        if last < 0.97 * before:
            return f"The loss was still falling ({fell}): train longer."
        return f"The loss falls no more ({fell}): try another learning rate, and train longer."


class _Losses(keras.callbacks.Callback):
    """Keep each batch's loss; Keras tells the mean since the epoch began."""

    def __init__(self, training):
        super().__init__()
        self.training = training

    def on_epoch_begin(self, epoch, logs=None):
        self.sum, self.seen = 0.0, 0

    def on_train_batch_end(self, batch, logs=None):
        mean = float((logs or {}).get("loss", 0.0))
        count = batch + 1 - self.seen  # several, where the model runs them as one step
        self.training.losses += [(mean * (batch + 1) - self.sum) / count] * count
        self.sum, self.seen = mean * (batch + 1), batch + 1


class _Seen(keras.utils.PyDataset):
    """A `PyDataset` whose batches are shown to `see`."""

    def __init__(self, batches, see):
        super().__init__(workers=batches.workers, max_queue_size=batches.max_queue_size)
        self.batches, self.see = batches, see
        self.on_epoch_begin, self.on_epoch_end = batches.on_epoch_begin, batches.on_epoch_end

    @property
    def num_batches(self):
        return self.batches.num_batches

    def __getitem__(self, number):
        batch = self.batches[number]
        self.see(*batch[:3])
        return batch


class _Parts:
    """Rows of the parts of a data set, to be found again in what a training gets."""

    def __init__(self, inputs, augmented):
        self.augmented, self.images, self.looked = augmented, {}, 0
        targets = getattr(inputs.get("train"), "targets", None)
        self.rank = None if targets is None else targets.ndim
        self.tables, self.rows, self.texts = {}, {}, {}
        for name, part in inputs.items():
            table = self.tables[name] = _table(getattr(part, "inputs", part))
            self.rows[name] = set(map(_key, table))
            self.texts[name] = b"|".join(map(_key, table)) if table.dtype.kind in "iu" else b""
            if augmented:
                self.images[name] = table
                self.shape = np.shape(getattr(part, "inputs", part))[1:3]

    def of(self, inputs):
        """Count the rows by the part that they stem from, "" where that is none."""
        table, counts, unknown = _table(inputs), Counter(), []
        for row, key in zip(table, map(_key, table), strict=True):
            part = next((name for name, keys in self.rows.items() if key in keys), None)
            if part:
                counts[part] += 1
            else:
                unknown.append(row)
        step = max(1, len(unknown) // 200)
        if unknown and self.looked < SAMPLE:
            chosen = unknown[::step]
            self.looked += len(chosen)
            found = self._images(chosen) if self.augmented else map(self._changed, chosen)
            for part in found:
                counts[part] += step
        return counts

    def _changed(self, row):
        """The part with this row before it was scaled, or cut to another length, or ""."""
        if row.dtype.kind == "f":
            key, known = _order(row), self._orders
            return next((name for name, keys in known.items() if key in keys), "")
        key = _key(row)
        return next((name for name, text in self.texts.items() if key in text), "")

    @cached_property
    def _orders(self):
        return {
            name: set(map(_order, table if table.shape[1] > FEW else []))
            for name, table in self.tables.items()
        }

    def _images(self, rows):
        """Of which part each image is a changed one, "" where none is clearly the nearest."""
        rows = np.stack(rows).reshape(len(rows), *self.shape, -1)
        names = list(self.rows)
        far = np.stack([
            _distances(rows, self.images[name].reshape(-1, *rows.shape[1:])) for name in names
        ])  # fmt: skip
        from_train = far[names.index("train")]
        # Of an image that is mostly moved off, or mixed, the nearest one says little.
        clear = (far.min(axis=0) < 0.5 * from_train) & (far.min(axis=0) < 0.03)
        return [
            names[one] if sure else "" for one, sure in zip(far.argmin(0), clear, strict=True)
        ]


def _distances(rows, images):
    """How far each row is from the nearest image, shifted and mirrored in all ways."""
    height, width = rows.shape[1:3]
    moves = range(-SHIFTS, SHIFTS + 1)
    least = np.full(len(rows), np.inf)
    for down, right, mirrored in itertools.product(moves, moves, (1, -1)):
        seen = [rows, images[:, :, ::mirrored]]
        cut = [
            part[:, max(0, sign * down) : height + min(0, sign * down),
                 max(0, sign * right) : width + min(0, sign * right)].reshape(len(part), -1)
            for part, sign in zip(seen, (1, -1), strict=True)
        ]  # fmt: skip
        squares = [(part**2).sum(axis=1) for part in cut]
        far = squares[0][:, None] + squares[1] - 2 * cut[0] @ cut[1].T
        least = np.minimum(least, far.min(axis=1) / np.maximum(squares[0], 1e-6))
    return least


def _named(data, unseen):
    """The parts of what is given, by name, training first: what stands in it is allowed."""
    if not isinstance(data, dict | type(None)):
        data = {"train": data.train, "validation": data.val, "test": data.test}
    parts = (data or {}) | {"unseen": unseen}
    return {name: part for name, part in parts.items() if part is not None}


def _table(inputs):
    """A row of numbers for each example; of several inputs, of the one with most numbers.

    Of several rows of ids the first: batches trim each to a length of its own.
    """
    arrays = [np.asarray(one) for one in keras.tree.flatten(inputs)]
    ids = all(one.dtype.kind in "iu" for one in arrays)
    array = arrays[0] if ids else max(arrays, key=lambda one: one[:1].size)
    return array.reshape(len(array), -1)


def _key(row):
    """What makes a row known again: ids without pads around them, numbers to four digits."""
    if row.dtype.kind in "iub":
        return np.trim_zeros(row).astype("int64").tobytes()
    if row.dtype.kind == "f":
        return (np.round(row.astype("float32"), 4) + 0).tobytes()
    return "\0".join(map(str, row)).encode()


def _order(row):
    """The order of a row's numbers, which scaling and shifting leave as it is."""
    return np.argsort(row, kind="stable").astype("uint16").tobytes()


def _listed(callbacks):
    return (
        list(callbacks)
        if isinstance(callbacks, list | tuple)
        else [callbacks] * bool(callbacks)
    )
