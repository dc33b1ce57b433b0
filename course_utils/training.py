"""Train a compiled Keras model: progress, best epoch, resuming after a kill, what it cost."""

from dataclasses import dataclass, field

import keras

from course_utils import results, session
from course_utils.training_callbacks import BestEpoch, Clock, Log, Saver


@dataclass
class Run:
    """What a training run gave and what it took.

    `history` holds a list of values an epoch, by metric; `best_epoch` counts from 1;
    `seconds_per_epoch` includes validation, `examples_per_second` counts training alone.
    """

    model: str
    dataset: str
    source: str | None
    seed: int
    history: dict
    best_epoch: int
    seconds: float
    seconds_per_epoch: float
    examples_per_second: float
    parameters: int
    device: str
    peak_memory_bytes: int
    backend: str
    precision: str
    versions: dict = field(default_factory=results.versions)

    @property
    def epochs(self):
        """How many epochs were trained."""
        return len(self.history["loss"])

    def best(self, metric="val_accuracy"):
        """Return a metric's value at the best epoch, whose weights the model holds."""
        if metric not in self.history:
            raise ValueError(
                f"no metric {metric!r}; the history has: {', '.join(self.history)}"
            )
        return self.history[metric][self.best_epoch - 1]

    def record(self, lecture, model=None, dataset=None, settings=None, **metrics):
        """Write the run as JSON in the full profile (see `results.record`); return the path.

        Args:
            lecture: the lecture's name.
            model, dataset: other names than the model's and the data's own.
            settings: what was set by hand (learning rate, length, …).
            **metrics: figures beside the best validation value, such as `test_accuracy=…`.
        """
        validation = {name: self.best(name) for name in self.history if name.startswith("val_")}
        return results.record(
            lecture,
            model or self.model,
            dataset or self.dataset,
            {**validation, "best_epoch": self.best_epoch, **metrics},
            seed=self.seed,
            source=self.source,
            history=self.history,
            parameters=self.parameters,
            epochs=self.epochs,
            seconds_per_epoch=self.seconds_per_epoch,
            examples_per_second=self.examples_per_second,
            peak_memory_bytes=self.peak_memory_bytes,
            precision=self.precision,
            settings=settings,
        )


def fit(
    model,
    data,
    epochs,
    batch_size=64,
    patience=None,
    monitor="val_accuracy",
    callbacks=(),
    resume=None,
    source=None,
):
    """Train `model`, which the caller has compiled, and return a `Run`.

    One line an epoch is printed (about ten lines where there are more), and live progress while
    an epoch runs. With `patience` the model ends up with the weights of its best epoch.

    Args:
        model: a compiled Keras model.
        data: a `Dataset`, of which `train` and `val` are used, or a pair of `Split`s or of
            `keras.utils.PyDataset`s.
        epochs: how many times to go through the training part, at least 1.
        batch_size: examples a step; a PyDataset brings its own.
        patience: stop after so many epochs without a better `monitor` and keep the best epoch's
            weights; None trains to the end and keeps the last weights.
        monitor: the metric that decides the best epoch; a loss should fall, all else rise.
        callbacks: further Keras callbacks.
        resume: True to save every epoch under `build/checkpoints/` and, after a kill, to go on
            behind the last whole epoch; by default in the full profile.
        source: where the data came from, for the record; a `Dataset` says so itself.

    Raises:
        ValueError: for epochs, a batch size or a patience under 1, a model that is not
            compiled, or data without training examples.
    """
    train, validation = (data.train, data.val) if hasattr(data, "train") else data
    _validate(model, train, epochs, batch_size, patience)
    examples = _examples(train, batch_size)
    best, clock, log = BestEpoch(monitor, patience), Clock(), Log({}, epochs)
    used = [clock, log, best, *callbacks]
    done = 0
    _build(model, train)
    if session.profile() == "full" if resume is None else resume:
        saver = Saver(model, examples, best, log)
        done = saver.restore(model)
        used.append(saver)
        if done:
            print(f"going on behind epoch {done}, which an earlier run had reached")
    if done < epochs and not best.exhausted:
        model.fit(
            **_training_arguments(train, batch_size),
            validation_data=_validation_data(validation),
            validation_batch_size=None if _is_batched(validation) else batch_size,
            initial_epoch=done,
            epochs=epochs,
            verbose=0,
            callbacks=used,
        )
    if best.weights is not None:
        model.set_weights(best.weights)
    for callback in used:
        if isinstance(callback, Saver):
            callback.remove()
    return Run(
        model=model.name,
        dataset=getattr(data, "name", "data"),
        source=source or getattr(data, "source", None),
        seed=results.session_seed(),
        history=log.history,
        best_epoch=best.epoch or len(log.history["loss"]),
        seconds=sum(clock.epochs),
        seconds_per_epoch=clock.per_epoch(),
        examples_per_second=clock.rate(examples),
        parameters=model.count_params(),
        device=results.hardware(),
        peak_memory_bytes=session.peak_memory_bytes(),
        backend=keras.backend.backend(),
        precision=keras.config.dtype_policy().name,
    )


def _validate(model, train, epochs, batch_size, patience):
    limits = {"epochs": epochs, "batch_size": batch_size, "patience": patience}
    for name, value in limits.items():
        if name == "patience" and value is None:
            continue
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} is {value!r}; it must be a whole number of at least 1")
    if not getattr(model, "compiled", False):
        raise ValueError("the model is not compiled: call model.compile(…) before fit")
    if len(train) == 0:
        raise ValueError("the training part is empty")


def _build(model, part):
    """Make weights, metrics and the optimizer's own numbers before the first step.

    Saved weights need a built model. A step that makes variables is traced twice by TensorFlow,
    which takes longer than a short training; JAX compiles it once in any case.
    """
    if model.built and keras.backend.backend() == "jax":
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


def _is_batched(part):
    return isinstance(part, keras.utils.PyDataset)


def _examples(part, batch_size):
    if _is_batched(part):
        return getattr(part, "examples", len(part) * batch_size)
    return len(part)


def _training_arguments(part, batch_size):
    if _is_batched(part):
        return {"x": part}
    return {
        "x": part.inputs,
        "y": part.targets,
        "sample_weight": part.weights,
        "batch_size": batch_size,
    }


def _validation_data(part):
    if part is None or _is_batched(part):
        return part
    given = (part.inputs, part.targets)
    return given if part.weights is None else (*given, part.weights)
