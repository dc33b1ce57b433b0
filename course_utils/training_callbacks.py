"""The callbacks behind `training.fit`: best epoch, clock, progress, resuming after a kill."""

import hashlib
import json
import os
import shutil
import statistics
import sys
import time

import keras

from course_utils import results

CHECKPOINTS = results.ROOT / "build" / "checkpoints"


class BestEpoch(keras.callbacks.Callback):
    """Remember the weights of the best epoch; stop after `patience` epochs without a better."""

    def __init__(self, monitor, patience):
        super().__init__()
        self.monitor, self.patience = monitor, patience
        self.sign = -1 if "loss" in monitor else 1
        self.epoch, self.value, self.wait, self.weights = 0, None, 0, None

    @property
    def exhausted(self):
        """Whether patience has run out."""
        return self.patience is not None and self.wait >= self.patience

    def on_epoch_end(self, epoch, logs=None):
        if self.patience is None:
            return
        if self.monitor not in (logs or {}):
            known = ", ".join(logs or {})
            raise ValueError(f"monitor={self.monitor!r} was not measured; there are: {known}")
        value = float(logs[self.monitor])
        if self.value is None or self.sign * value > self.sign * self.value:
            self.epoch, self.value, self.wait = epoch + 1, value, 0
            self.weights = self.model.get_weights()
        else:
            self.wait += 1
        if self.exhausted:
            self.model.stop_training = True


class Clock(keras.callbacks.Callback):
    """Measure the seconds of each epoch, and those of its training alone."""

    def __init__(self):
        super().__init__()
        self.epochs, self.training = [], []
        self._testing = 0.0

    def on_epoch_begin(self, epoch, logs=None):
        self._testing, self._began = 0.0, time.perf_counter()

    def on_test_begin(self, logs=None):
        self._test_began = time.perf_counter()

    def on_test_end(self, logs=None):
        self._testing += time.perf_counter() - self._test_began

    def on_epoch_end(self, epoch, logs=None):
        seconds = time.perf_counter() - self._began
        self.epochs.append(seconds)
        self.training.append(seconds - self._testing)

    def per_epoch(self):
        """Median seconds of an epoch; the first, which compiles, counts only if alone."""
        return statistics.median(self.epochs[1:] or self.epochs or [0.0])

    def rate(self, examples):
        """Training examples a second, by the same median."""
        seconds = statistics.median(self.training[1:] or self.training or [0.0])
        return examples / seconds if seconds else 0.0


class Log(keras.callbacks.Callback):
    """Keep the history, print a line an epoch, and show live progress to whoever looks on."""

    def __init__(self, history, epochs):
        super().__init__()
        self.history, self.epochs = history, epochs
        self.every = max(1, round(epochs / 10))
        self.live = sys.stdout.isatty() or (
            "ipykernel" in sys.modules and os.environ.get("COURSE_PROGRESS", "1") != "0"
        )

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch, self._began = epoch + 1, time.perf_counter()
        self._shown = self._began

    def on_train_batch_end(self, batch, logs=None):
        now = time.perf_counter()
        if self.live and now - self._shown > 0.5:
            self._shown = now
            steps = f"/{self.params['steps']}" if self.params.get("steps") else ""
            seconds = now - self._began
            text = f"epoch {self._epoch}: step {batch + 1}{steps}, {seconds:.0f} s"
            print(f"\r{text:<96}", end="", flush=True)

    def on_epoch_end(self, epoch, logs=None):
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(float(value))
        number = epoch + 1
        if number == 1 or number % self.every == 0 or number == self.epochs:
            ordered = sorted(
                logs or {}, key=lambda name: (name.startswith("val_"), "loss" not in name)
            )
            figures = "  ".join(f"{name} {logs[name]:.3f}" for name in ordered)
            line = f"epoch {number:>{len(str(self.epochs))}}/{self.epochs}  {figures}"
            print(f"\r{line:<96}" if self.live else line, flush=True)


class Saver(keras.callbacks.Callback):
    """Save every whole epoch, so that a killed run goes on behind it.

    The state file is renamed into place last: what it names is always complete.
    """

    def __init__(self, model, examples, best, log):
        super().__init__()
        self.best, self.log = best, log
        identity = json.dumps(
            [
                model.name,
                [type(layer).__name__ for layer in model.layers],
                [list(weight.shape) for weight in model.weights],
                {**model.optimizer.get_config(), "name": None},
                examples,
                results.session_seed(),
                keras.backend.backend(),
            ],
            default=str,
        )
        key = hashlib.sha256(identity.encode()).hexdigest()[:12]
        self.folder = CHECKPOINTS / f"{model.name}-{key}"
        self.state = self.folder / "state.json"

    def restore(self, model):
        """Load what an earlier run saved, if it did; return how many epochs were done."""
        if not self.state.is_file():
            return 0
        state = json.loads(self.state.read_text(encoding="utf-8"))
        model.optimizer.build(model.trainable_variables)
        best = self.best
        best.epoch, best.value, best.wait = state["best"]
        if best.epoch:
            model.load_weights(self._weights("best", best.epoch))
            best.weights = model.get_weights()
        model.load_weights(self._weights("last", state["epoch"]))
        self.log.history.update(state["history"])
        return state["epoch"]

    def on_epoch_end(self, epoch, logs=None):
        number = epoch + 1
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = {self._weights("last", number)}
        self.model.save_weights(self._weights("last", number))
        if self.best.epoch:
            kept.add(self._weights("best", self.best.epoch))
            if self.best.epoch == number:
                self.model.save_weights(self._weights("best", number))
        state = {
            "epoch": number,
            "best": [self.best.epoch, self.best.value, self.best.wait],
            "history": self.log.history,
        }
        beside = self.state.with_suffix(".part")
        beside.write_text(json.dumps(state), encoding="utf-8")
        beside.replace(self.state)
        for path in self.folder.glob("*.weights.h5"):
            if path not in kept:
                path.unlink()

    def remove(self):
        """Delete what was saved, once the run has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _weights(self, kind, epoch):
        return self.folder / f"{kind}-{epoch}.weights.h5"
