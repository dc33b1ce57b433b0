"""Train a compiled Keras model: progress, best epoch, resuming after a kill, what it cost."""

import contextlib
import inspect
import json
import math
import os
import random
import re
import shutil
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import filelock
import keras
import numpy as np

from course_utils import results, saving, session
from course_utils.data import Split
from course_utils.data.base import whole_number
from course_utils.data.download import sha256_of
from course_utils.fingerprint import Fingerprint

CHECKPOINTS = results.ROOT / "build" / "checkpoints"
LOCK, OWNER = "lock", "process"  # files in a checkpoint's folder
XLA_PAYS_AFTER = 300  # steps
RECORDED = ("seed", "source", "precision", "settings", *results.MEASURED)


@dataclass
class Run:
    """What a training run gave and what it took.

    `history` holds a list of values per epoch, by metric; `best_epoch` counts from 1;
    `seconds_per_epoch` includes validation, `examples_per_second` counts training alone. All
    epochs count, those before a kill included. `settings` are those that `fit` was given.
    """

    model: str
    dataset: str
    source: str | None
    seed: int
    history: dict
    monitor: str
    best_epoch: int
    seconds: float
    seconds_per_epoch: float
    examples_per_second: float
    parameters: int
    device: str
    peak_memory_bytes: int
    backend: str
    precision: str
    settings: dict | None = None
    versions: dict = field(default_factory=results.versions)
    checkpoint: Path | None = field(default=None, repr=False)

    @property
    def epochs(self):
        return len(self.history["loss"])

    def best(self, metric=None):
        """Return a metric's value at the best epoch; by default the monitored one's."""
        metric = metric or self.monitor
        if metric not in self.history:
            raise ValueError(
                f"no metric {metric!r}; the history has: {', '.join(self.history)}"
            )
        return self.history[metric][self.best_epoch - 1]

    def record(self, lecture, model=None, dataset=None, **metrics):
        """Write the run as JSON in the full profile (see `results.record`); return the path.

        What `fit` had saved to go on from is then deleted, unless another process trains from
        it.

        Args:
            model, dataset: other names than their own.
            metrics: figures beside the best validation value, as `test_accuracy=…`.
        """
        validation = {name: self.best(name) for name in self.history if name.startswith("val_")}
        path = results.record(
            lecture,
            model or self.model,
            dataset or self.dataset,
            {**validation, "best_epoch": self.best_epoch, **metrics},
            **{name: getattr(self, name) for name in RECORDED},
        )
        if self.checkpoint and self.checkpoint.is_dir():
            with contextlib.suppress(RuntimeError), _alone(self.checkpoint):
                shutil.rmtree(self.checkpoint, ignore_errors=True)
        return path


HANDMADE = []


def handmade(function):
    """Mark a function that trains without Keras, for `epochs`: a recipe has its arguments."""
    HANDMADE.append(function)
    return function


def fit(
    model,
    data,
    epochs,
    batch_size=64,
    patience=None,
    monitor=None,
    callbacks=(),
    resume=None,
    source=None,
    settings=None,
):
    """Train `model`, which the caller has compiled, and return a `Run`.

    In the quick profile on a CPU, TensorFlow compiles with XLA only where that pays: recurrent
    layers, batches of one shape, more than some 300 steps. Elsewhere compile(jit_compile=…)
    decides.

    A run goes on after the last whole epoch of a killed one if all of this is the same: model,
    its starting weights, what it was compiled with, the data, callbacks, their code and the
    library's, batch size, seed, backend, monitor and patience. A training `PyDataset` is told
    that so many epochs are over (`on_epoch_begin`, `on_epoch_end`); make a new one for each
    fit: one that was read from is another one. A finished run counts as well until its `record`
    was called.

    Args:
        data: a `Dataset`, of which `train` and `val` are used, or a pair of `Split`s of numbers
            or of `keras.utils.PyDataset`s; the second may be None.
        batch_size: a PyDataset brings its own batches instead.
        patience: stop after so many epochs without a better `monitor` and keep the best epoch's
            weights; None trains to the end and keeps the last weights.
        monitor: the metric that decides the best epoch, and that `Run.best` gives, with "val_"
            before its name for the validation part; by default "val_accuracy". Whether it
            should rise or fall is what Keras knows of it.
        callbacks: a list of Keras' callbacks.
        resume: True to save every epoch under `build/checkpoints/` and to go on from there;
            False neither saves nor reads; None, the default: True in the full profile alone.
        source: where the data came from, for the record; a `Dataset` says so itself.
        settings: what was set by hand (learning rate, length, …), a dict for the record.

    Raises:
        ValueError: for a wrong argument, and for a model that is not compiled.
        RuntimeError: where another process trains the same.
        MemoryError: where the memory does not suffice; it says which batch size to try.
    """
    train, validation = _parts(data)
    epochs = whole_number("epochs", epochs, at_least=1)
    batch_size = whole_number("batch_size", batch_size, at_least=1)
    patience = None if patience is None else whole_number("patience", patience, at_least=1)
    settings = results.plain_settings(settings)
    _validate(model, train, validation, callbacks, resume)
    resuming = session.profile() == "full" if resume is None else resume
    # Before the first batch is drawn: that changes a data set which draws by chance.
    chosen = (batch_size, monitor, patience)
    decisive = Fingerprint(train, validation, callbacks, chosen) if resuming else None
    rows = getattr(train, "batch_size", batch_size)
    examples = getattr(train, "examples", len(train) * rows)
    examples = examples if _is_batched(train) else len(train)
    watched = monitor or ("val_accuracy" if patience else None)
    _build(model, train, needs_metrics=watched not in (None, "loss", "val_loss"))
    mode = _mode(model, watched, validation is not None) if watched else None
    if not _xla_pays(model, train, epochs, batch_size):
        model.jit_compile = False
    clock, log = Clock(), Log(epochs, watched)
    stopping = patience and keras.callbacks.EarlyStopping(
        watched, patience=patience, mode=mode, restore_best_weights=True
    )
    used = [clock, log, *([stopping] if stopping else []), *callbacks]
    checkpoint = None
    if resuming:
        checkpoint = Checkpoint(model, decisive.digest(model), clock, log, stopping)
        used.append(checkpoint)
    with checkpoint.alone() if checkpoint else contextlib.nullcontext():
        done = checkpoint.restore() if checkpoint else 0
        if not _is_finished(done, epochs, stopping):
            if (resuming or len(session.workers()[1]) > 1) and not _is_batched(train):
                train = ShuffledBatches(train, batch_size, done)
            elif _is_batched(train):
                _go_through(train, done)
            _train(model, train, validation, done, epochs, batch_size, used, rows)
        elif stopping:
            model.set_weights(stopping.best_weights)
    return Run(
        model=model.name,
        dataset=getattr(data, "name", "data"),
        source=source or getattr(data, "source", None),
        seed=results.session_seed(),
        history=log.history,
        monitor=watched or "val_accuracy",
        best_epoch=stopping.best_epoch + 1 if stopping else len(log.history["loss"]),
        seconds=clock.seconds(),
        seconds_per_epoch=clock.per_epoch(),
        examples_per_second=clock.rate(examples),
        parameters=model.count_params(),
        device=results.hardware(),
        peak_memory_bytes=session.peak_memory_bytes(),
        backend=keras.backend.backend(),
        precision=keras.config.dtype_policy().name,
        settings=settings,
        checkpoint=checkpoint and checkpoint.folder,
    )


def _is_finished(done, epochs, stopping):
    """Whether an earlier run had reached the end; say from where this one goes on."""
    exhausted = stopping and stopping.wait >= stopping.patience
    if not done:
        return False
    if done >= epochs or exhausted:
        print(
            f"{done} epochs were trained before, {epochs} asked for: that result is taken "
            "(resume=False trains from the start)"
        )
        return True
    print(f"going on after epoch {done}, which an earlier run had reached")
    return False


def _go_through(batches, epochs):
    """Bring a data set to where it was after so many epochs."""
    for _ in range(epochs):
        batches.on_epoch_begin()
        batches.on_epoch_end()


def _train(model, train, validation, done, epochs, batch_size, callbacks, rows):
    train = OwnRows(train, done) if len(session.workers()[1]) > 1 else train
    with _memory_suffices(rows):
        model.fit(
            **_training_arguments(train, batch_size),
            validation_data=_validation_data(validation),
            validation_batch_size=None if _is_batched(validation) else batch_size,
            initial_epoch=done,
            epochs=epochs,
            verbose=0,
            callbacks=callbacks,
        )


class ShuffledBatches(keras.utils.PyDataset):
    """Batches of a `Split`, in an order that its epoch decides, whatever was drawn before.

    The order that Keras draws comes, by backend, from generators that cannot be set back.
    """

    def __init__(self, split, batch_size, epoch):
        super().__init__()
        self.split, self.batch_size, self.epoch = split, batch_size, epoch
        self.on_epoch_begin()

    def on_epoch_begin(self):
        drawn = np.random.default_rng([results.session_seed(), self.epoch])
        self.order = drawn.permutation(len(self.split))

    def on_epoch_end(self):
        self.epoch += 1

    def __len__(self):
        return math.ceil(len(self.split) / self.batch_size)

    def __getitem__(self, number):
        rows = self.order[number * self.batch_size :][: self.batch_size]
        return _arrays(self.split.take(rows))


class OwnRows(keras.utils.PyDataset):
    """Of each batch the rows of this machine; what does not fill all devices is left out.
    Raises AssertionError where the machines would go on after different epochs.
    """

    def __init__(self, batches, done):
        from jax.experimental import multihost_utils

        super().__init__()
        self.batches, (self.number, addresses) = batches, session.workers()
        self.machines, self.devices = len(addresses), len(keras.distribution.list_devices())
        self.on_epoch_begin, self.on_epoch_end = batches.on_epoch_begin, batches.on_epoch_end
        told = "each machine has to see the same build/checkpoints, or give resume=False"
        multihost_utils.assert_equal(np.int32(done), told)

    def __len__(self):
        return len(self.batches)

    def __getitem__(self, number):
        batch = self.batches[number]
        rows = len(keras.tree.flatten(batch)[0])
        if rows < self.devices:
            raise ValueError(f"{self.devices} devices cannot share a batch of {rows} rows")
        share = rows // self.devices * self.devices // self.machines
        own = slice(self.number * share, (self.number + 1) * share)
        return keras.tree.map_structure(lambda array: array[own], batch)


class Clock(keras.callbacks.Callback):
    """Measure the seconds of each epoch, those of its training alone, and whether it compiled.

    `epochs` has [seconds, seconds of training, first epoch of its process] for each.
    """

    def __init__(self):
        super().__init__()
        self.epochs, self.compiles = [], True

    def on_epoch_begin(self, epoch, logs=None):
        self.testing, self.began = 0.0, time.perf_counter()

    def on_test_begin(self, logs=None):
        self.test_began = time.perf_counter()

    def on_test_end(self, logs=None):
        self.testing += time.perf_counter() - self.test_began

    def on_epoch_end(self, epoch, logs=None):
        seconds = time.perf_counter() - self.began
        self.epochs.append([seconds, seconds - self.testing, self.compiles])
        self.compiles = False

    def seconds(self):
        return sum(seconds for seconds, _, _ in self.epochs)

    def per_epoch(self, column=0):
        """Median of a column of `epochs`; those that compile count if there are no others."""
        usual = [epoch for epoch in self.epochs if not epoch[2]]
        return statistics.median(epoch[column] for epoch in usual or self.epochs)

    def rate(self, examples):
        return examples / self.per_epoch(column=1)


class Log(keras.callbacks.Callback):
    """Keep the history, print a line per epoch, and show live progress to those who watch.

    monitor: a metric that has to be among those measured, or None.
    """

    def __init__(self, epochs, monitor):
        super().__init__()
        self.history, self.epochs, self.monitor = {}, epochs, monitor
        self.every = max(1, round(epochs / 10))
        self.live = sys.stdout.isatty() or (
            "ipykernel" in sys.modules and os.environ.get("COURSE_PROGRESS", "1") != "0"
        )

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch, self.began = epoch + 1, time.perf_counter()
        self.shown = self.began

    def on_train_batch_end(self, batch, logs=None):
        now = time.perf_counter()
        if self.live and now - self.shown > 0.5:
            self.shown = now
            steps = f"/{self.params['steps']}" if self.params.get("steps") else ""
            seconds = now - self.began
            text = f"epoch {self.epoch}: step {batch + 1}{steps}, {seconds:.0f} s"
            print(f"\r{text:<96}", end="", flush=True)

    def on_epoch_end(self, epoch, logs=None):
        if self.monitor and self.monitor not in logs:  # as of a train_step that leaves it out
            known = ", ".join(logs)
            raise ValueError(f"monitor={self.monitor!r} was not measured; there are: {known}")
        for name, value in logs.items():
            self.history.setdefault(name, []).append(float(value))
        number = epoch + 1
        if number == 1 or number % self.every == 0 or number == self.epochs:
            order = sorted(logs, key=lambda name: (name.startswith("val_"), "loss" not in name))
            figures = "  ".join(f"{name} {logs[name]:.3f}" for name in order)
            line = f"epoch {number:>{len(str(self.epochs))}}/{self.epochs}  {figures}"
            print(f"\r{line:<96}" if self.live else line, flush=True)


class Checkpoint(keras.callbacks.Callback):
    """Save every whole epoch, so that a killed run goes on after it.

    The state file is renamed into place last: what it names is complete, and it has the digests
    of the files of weights. Between machines, only the first one takes the lock.
    """

    def __init__(self, network, key, clock, log, stopping):
        super().__init__()
        self.network, self.clock, self.log, self.stopping = network, clock, log, stopping
        self.folder = CHECKPOINTS / f"{re.sub(r'_[0-9]+$', '', network.name)}-{key}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state, self.found = self.folder / "state.json", None

    def alone(self):
        """A context in which no other process trains from this folder."""
        return contextlib.nullcontext() if session.workers()[0] else _alone(self.folder)

    def restore(self):
        """Load what an earlier run saved whole; return how many epochs were done."""
        if not self.state.is_file():
            return 0
        try:
            state = json.loads(self.state.read_text(encoding="utf-8"))
            for name, digest in state["weights"].items():
                if sha256_of(self.folder / name) != digest:
                    raise ValueError(f"{name} is not as it was written")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            number = 1 + len(list(CHECKPOINTS.glob(f"{self.folder.name}-damaged-*")))
            aside = self.folder.with_name(f"{self.folder.name}-damaged-{number}")
            aside.mkdir()
            for path in self.folder.iterdir():
                if path.name not in (LOCK, OWNER):
                    path.rename(aside / path.name)
            print(
                f"{self.folder} is unusable ({error}): it is kept as {aside.name}, and "
                "training starts from the beginning"
            )
            return 0
        if state["keras"] != keras.__version__:
            raise ValueError(
                f"{self.folder} was written by Keras {state['keras']}: install that version to "
                "go on, or move the folder away to start from the beginning"
            )
        self.found = state
        self.network.optimizer.build(self.network.trainable_variables)
        if self.stopping:
            self.network.load_weights(self._weights("best", state["stopping"]["best_epoch"]))
            state["stopping"]["best_weights"] = self.network.get_weights()
        self.network.load_weights(self._weights("last", state["epoch"] - 1))
        self.log.history.update(state["history"])
        self.clock.epochs += state["seconds"]
        self.go_on()
        return state["epoch"]

    def go_on(self):
        """Set random numbers, and what was the best, as they were after the last epoch."""
        numbers = self.found["random"]
        random.setstate((numbers["python"][0], tuple(numbers["python"][1]), None))
        np.random.set_state(numbers["numpy"])  # noqa: NPY002 (Keras shuffles with it)
        if torch := _torch():
            torch.set_rng_state(torch.tensor(numbers["torch"], dtype=torch.uint8))
        for variable, value in zip(_seeds(self.network), numbers["model"], strict=True):
            variable.assign(np.asarray(value, "uint32"))
        if self.stopping:
            vars(self.stopping).update(self.found["stopping"])

    def on_train_begin(self, logs=None):
        # Saving is a common step of all machines; what the first one writes is what is read.
        if number := session.workers()[0]:
            self.folder /= f"worker-{number}"
            self.folder.mkdir(exist_ok=True)
            self.state = self.folder / self.state.name

    def on_epoch_begin(self, epoch, logs=None):
        # Until here EarlyStopping has forgotten everything, and Keras has drawn a first batch.
        if self.found:
            self.go_on()
            self.found = None

    def on_epoch_end(self, epoch, logs=None):
        try:
            self._save(epoch)
        except OSError as error:
            told = (
                f"{error.strerror or error}; solve that and run again: no saved epoch is lost"
            )
            raise OSError(error.errno, told, str(self.folder)) from error

    def _save(self, epoch):
        kept = {self._weights("last", epoch)}
        self.model.save_weights(self._weights("last", epoch))
        if self.stopping:
            best = self.stopping.best_epoch
            kept.add(self._weights("best", best))
            if best == epoch:
                shutil.copyfile(self._weights("last", epoch), self._weights("best", best))
        state = {
            "keras": keras.__version__,
            "epoch": epoch + 1,
            "history": self.log.history,
            "seconds": self.clock.epochs,
            "random": {
                "python": random.getstate(),
                "numpy": np.random.get_state(),  # noqa: NPY002
                "torch": _torch() and _torch().get_rng_state().numpy(),
                "model": [keras.ops.convert_to_numpy(one) for one in _seeds(self.model)],
            },
            "stopping": self.stopping
            and {name: getattr(self.stopping, name) for name in ("best", "best_epoch", "wait")},
            "weights": {path.name: sha256_of(path) for path in kept},
        }
        text = json.dumps(state, default=lambda array: array.tolist())
        with saving.whole(self.state) as beside:
            beside.write_text(text, encoding="utf-8")
        for path in [*self.folder.glob("*.weights.h5"), *self.folder.glob("*.part")]:
            if path not in kept:
                path.unlink()

    def _weights(self, kind, epoch):
        return self.folder / f"{kind}-{epoch + 1}.weights.h5"


@contextlib.contextmanager
def _alone(folder):
    """Keep other processes out of a folder; raise RuntimeError where one is inside.

    The lock is the operating system's: it ends with its process, however that ends.
    """
    lock, owner = filelock.FileLock(folder / LOCK), folder / OWNER
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        number = owner.read_text(encoding="utf-8") if owner.is_file() else "unknown"
        raise RuntimeError(
            f"another kernel (process {number}) trains this; wait for it or pass resume=False"
        ) from None
    try:
        owner.write_text(str(os.getpid()), encoding="utf-8")
        yield
    finally:
        lock.release()


def _parts(data):
    pair = data if isinstance(data, tuple | list) else ()
    if hasattr(data, "train") and hasattr(data, "val"):
        pair = (data.train, data.val)
    part = Split | keras.utils.PyDataset
    if len(pair) == 2 and isinstance(pair[0], part) and isinstance(pair[1], part | None):
        return pair
    raise ValueError(
        "data has to be a Dataset, or a pair (training, validation) of Splits or PyDatasets "
        f"whose second may be None; got {type(data).__name__}"
    )


def _is_batched(part):
    return isinstance(part, keras.utils.PyDataset)


def _validate(model, train, validation, callbacks, resume):
    if not any(resume is allowed for allowed in (True, False, None)):
        raise ValueError(f"resume has to be True, False or None, got {resume!r}")
    listed = callbacks if isinstance(callbacks, list | tuple) else [None]
    if not all(isinstance(one, keras.callbacks.Callback) for one in listed):
        raise ValueError(f"callbacks has to be a list of Keras' callbacks, got {callbacks!r}")
    if not getattr(model, "compiled", False):
        raise ValueError("the model is not compiled: call model.compile(…) before fit")
    if len(train) == 0:
        raise ValueError("the training part is empty")
    for name, part in (("training", train), ("validation", validation)):
        if isinstance(part, Split):
            _validate_arrays(name, part)
    drops = any(one.rate for one in _inside(model, keras.layers.Dropout))
    if drops and "training" not in inspect.signature(model.call).parameters:
        raise ValueError(
            f"{model.name} has dropout, which Keras' fit leaves off, as its `call` takes no "
            "`training`: write `def call(self, inputs, training=None)`"
        )


def _inside(model, kind):
    """The layers of a kind, those inside layers too; Keras has no public way to these."""
    return [layer for layer in model._flatten_layers() if isinstance(layer, kind)]


def _validate_arrays(name, part):
    inputs = part.inputs if isinstance(part.inputs, dict) else {"inputs": part.inputs}
    weights = {} if part.weights is None else {"weights": part.weights}
    for what, array in {**inputs, "targets": part.targets, **weights}.items():
        dtype = getattr(array, "dtype", None)
        if dtype is None or re.search("object|time|[Ss]tr|[SU]\\d", str(dtype)):
            found = type(array).__name__ + (f" of {dtype}" if dtype is not None else "")
            raise ValueError(
                f"{what} of the {name} part has to be an array of numbers, got {found}: encode "
                "texts as ids, and make arrays of lists with np.array"
            )


def _build(model, part, needs_metrics):
    """Make weights, metrics and the optimizer's own numbers before the first step.

    Saved weights need a built model, and a metric's direction a built metric. A step that makes
    variables is traced twice by TensorFlow, which takes longer than a short training; JAX
    compiles it once in any case.
    """
    if model.built and keras.backend.backend() == "jax" and not needs_metrics:
        return
    batch = part[0] if _is_batched(part) else (part.inputs, part.targets)
    inputs, targets, weights = keras.utils.unpack_x_y_sample_weight(
        keras.tree.map_structure(lambda array: array[:2], batch)
    )
    outputs = model(inputs)
    model.compute_loss(inputs, targets, outputs, weights)
    model.compute_metrics(inputs, targets, outputs, weights)
    model.reset_metrics()
    model.optimizer.build(model.trainable_variables)


def _mode(model, monitor, validated):
    """Return "min" or "max" for a metric's name; raise ValueError where nobody knows."""
    modes = {"up": "max", "down": "min"}
    measured = {name: modes.get(one) for name, one in _directions(model).items()}
    measured |= {f"val_{name}": one for name, one in measured.items()} if validated else {}
    if measured.get(monitor):
        return measured[monitor]
    choices = ", ".join(name for name, known in measured.items() if known)
    if monitor not in measured:
        without = "" if validated else ", there being no validation part"
        raise ValueError(
            f"monitor={monitor!r} is not measured{without}; choose one of: {choices}"
        )
    raise ValueError(
        f"whether monitor={monitor!r} should rise or fall is not known; choose one of: "
        f"{choices}; or give the metric what Keras' own have: an attribute _direction, "
        '"up" or "down"'
    )


def _directions(model):
    """The direction of each metric, "up", "down" or None, by the name that Keras logs.

    Where a loss is the sum of several, each is a metric without a direction of its own.
    """
    found = {"loss": "down"}
    losses = getattr(model, "_compile_loss", None)  # there is no public name for them
    for metric in model.metrics:
        if not getattr(metric, "built", True):
            continue
        result = metric.result()
        several = isinstance(result, dict)  # as of all those given to compile
        names = list(result) if several else [metric.name]
        each = getattr(metric, "metrics", [None] * len(names)) if several else [metric]
        for name, one in zip(names, each, strict=True):
            down = "down" if losses and any(one is part for part in losses.metrics) else None
            found[name] = getattr(one, "_direction", down or found.get(name))
    return found


def _xla_pays(model, part, epochs, batch_size):
    """Whether TensorFlow's compiler saves more than it takes in a short training on a CPU.

    It shortens recurrent steps, and takes some seconds more for each shape of a batch; for the
    other models of the quick notebooks it saves nothing in all (`benchmarks/sessions.py`). Long
    trainings and accelerators are left to Keras.
    """
    if keras.backend.backend() != "tensorflow" or session.profile() == "full":
        return True
    recurrent = any(_inside(model, keras.layers.RNN))
    long = epochs * len(part) > XLA_PAYS_AFTER * batch_size
    return bool(session.accelerators()) or (recurrent and long and not _is_batched(part))


@contextlib.contextmanager
def _memory_suffices(size):
    """Say which size of a batch to try where the backend's memory did not suffice."""
    try:
        yield
    except Exception as error:
        names = ("ResourceExhaustedError", "OutOfMemoryError", "MemoryError")
        if type(error).__name__ not in names and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        remedy = f"batch_size={size // 2}" if size > 1 else "shorter inputs or a smaller model"
        raise MemoryError(f"batches of {size} do not fit: try {remedy}") from error


def _training_arguments(part, batch_size):
    if _is_batched(part):
        return {"x": part, "shuffle": not isinstance(part, ShuffledBatches | OwnRows)}
    arrays = {"x": part.inputs, "y": part.targets, "sample_weight": part.weights}
    return {**arrays, "batch_size": batch_size}


def _validation_data(part):
    return part if part is None or _is_batched(part) else _arrays(part)


def _arrays(part):
    given = (part.inputs, part.targets)
    return given if part.weights is None else (*given, part.weights)


def _torch():
    """Torch where it is the backend: its dropout draws from its own generator (of the CPU)."""
    return sys.modules["torch"] if keras.backend.backend() == "torch" else None


def _seeds(model):
    """The states of the random generators inside, such as Dropout's: no weights to Keras."""
    weights = {id(weight) for weight in model.weights}
    return [one for one in model.non_trainable_variables if id(one) not in weights]
