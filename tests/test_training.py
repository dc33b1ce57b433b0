"""Training: what a run tells, the best epoch, and going on after a kill."""

import errno
import inspect
import json
import subprocess
import sys

import keras
import numpy as np
import pytest
from test_results import KEYS

from course_utils import results, training
from course_utils.data import Dataset, Split


@pytest.fixture(autouse=True)
def checkpoints(monkeypatch, tmp_path):
    monkeypatch.setattr(training, "CHECKPOINTS", tmp_path / "checkpoints")
    return tmp_path / "checkpoints"


def points(seed=0):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(300, 4)).astype("float32")
    whole = Split(inputs, (inputs[:, 0] > 0).astype("int32"))
    parts = [whole.take(slice(*ends)) for ends in ((200,), (200, 250), (250, 300))]
    return Dataset("points", *parts, None, ["no", "yes"], "drawn here", "CC0")


DATA = points()


def make_model(declared=True):
    keras.utils.set_random_seed(0)
    layers = [keras.Input((4,))] if declared else []
    layers += [keras.layers.Dense(3, "relu"), keras.layers.Dropout(0.2)]
    model = keras.Sequential([*layers, keras.layers.Dense(1, "sigmoid")], name="line")
    model.compile(keras.optimizers.Adam(0.05), "bce", metrics=["accuracy"])
    return model


class Batches(keras.utils.PyDataset):
    """Draws a new order in each epoch, from a generator of its own."""

    def __init__(self):
        super().__init__()
        self.part, self.draw = points().train, np.random.default_rng(7)
        self.on_epoch_end()

    def on_epoch_end(self):
        self.order = self.draw.permutation(len(self.part))

    def __len__(self):
        return 4

    def __getitem__(self, number):
        rows = self.order[32 * number :][:32]
        return self.part.inputs[rows], self.part.targets[rows]


class Killed(training.Clock):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 3:
            raise KeyboardInterrupt
        super().on_epoch_begin(epoch, logs)


def kill(model, data, **arguments):
    """Train for three epochs of six, and no further."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training, "Clock", Killed)
        training.fit(model, data, 6, resume=True, **arguments)


def test_patience_keeps_the_weights_of_the_best_epoch():
    class Spoil(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch >= 3:
                self.model.set_weights([-weight for weight in self.model.get_weights()])

    model = make_model()
    run = training.fit(model, DATA, epochs=9, patience=2, callbacks=[Spoil()])
    assert run.epochs < 9 and run.best() == max(run.history["val_accuracy"])
    _, accuracy = model.evaluate(DATA.val.inputs, DATA.val.targets, verbose=0)
    assert accuracy == pytest.approx(run.best(), abs=1e-6)


@pytest.mark.weekly
@pytest.mark.parametrize("arrays", [True, False], ids=["arrays", "batches"])
@pytest.mark.parametrize("declared", [True, False], ids=["built", "built by its first batch"])
def test_killed_run_ends_as_an_unbroken_one(declared, arrays, monkeypatch):
    how = {"patience": 6, "monitor": "val_loss"}

    def parts():
        return DATA if arrays else (Batches(), DATA.val)

    unbroken = make_model(declared=declared)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(training, "CHECKPOINTS", training.CHECKPOINTS / "unbroken")
        wanted = training.fit(unbroken, parts(), 6, resume=True, **how)
    kill(make_model(declared=declared), parts(), **how)
    [state] = training.CHECKPOINTS.glob("line-*/state.json")
    before = json.loads(state.read_text(encoding="utf-8"))["seconds"]
    model = make_model(declared=declared)
    run = training.fit(model, parts(), 6, resume=True, **how)
    assert run.history == wanted.history
    assert run.best_epoch == wanted.best_epoch
    assert len(before) == 3 and run.seconds > sum(seconds for seconds, _, _ in before)
    for given, due in zip(model.get_weights(), unbroken.get_weights(), strict=True):
        np.testing.assert_array_equal(given, due)


def test_finished_run_is_not_trained_again_until_it_is_recorded(checkpoints, capsys):
    first = make_model()
    run = training.fit(first, DATA, 4, patience=4, resume=True)
    again = make_model()
    repeated = training.fit(again, DATA, 2, patience=4, resume=True)
    assert "resume=False" in capsys.readouterr().out
    assert (repeated.history, repeated.best_epoch) == (run.history, run.best_epoch)
    assert repeated.seconds == run.seconds
    for given, due in zip(again.get_weights(), first.get_weights(), strict=True):
        np.testing.assert_array_equal(given, due)
    repeated.record("00_test")
    assert not list(checkpoints.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed", [{"data": points(seed=1)}, {"batch_size": 32}, {"monitor": "loss"}]
)
def test_another_experiment_does_not_take_the_checkpoint(checkpoints, changed):
    for more in ({}, changed):
        training.fit(make_model(), **{"data": DATA, "epochs": 1, "resume": True} | more)
    assert len(list(checkpoints.iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["half weights", "no weights", "half a state"])
def test_checkpoint_of_no_use_is_set_aside(checkpoints, capsys, damage):
    kill(make_model(), DATA)
    [weights] = checkpoints.glob("*/last-3.weights.h5")
    [state] = checkpoints.glob("*/state.json")
    if damage == "no weights":
        weights.unlink()
    else:
        path = state if damage == "half a state" else weights
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    before = {path.name: path.read_bytes() for path in state.parent.glob("*.*")}
    run = training.fit(make_model(), DATA, 4, resume=True)
    told = capsys.readouterr().out
    assert str(state.parent) in told
    assert run.epochs == 4
    [aside] = checkpoints.glob("*-damaged-1")
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == before


def test_checkpoint_of_another_keras_is_refused_and_left_as_it_is(checkpoints):
    kill(make_model(), DATA)
    [state] = checkpoints.glob("*/state.json")
    state.write_text(
        json.dumps(json.loads(state.read_text(encoding="utf-8")) | {"keras": "3.1.0"}),
        encoding="utf-8",
    )
    before = {path: path.read_bytes() for path in checkpoints.rglob("*.*")}
    with pytest.raises(ValueError, match="Keras 3.1.0: install that version to go on"):
        training.fit(make_model(), DATA, 4, resume=True)
    assert {path: path.read_bytes() for path in checkpoints.rglob("*.*")} == before


def test_full_disk_stops_with_advice_and_loses_no_saved_epoch(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    copy = training.shutil.copyfile

    def full(*given, **settings):
        raise OSError(errno.ENOSPC, "No space left on device")

    class Filling(training.Clock):
        def on_epoch_begin(self, epoch, logs=None):
            monkeypatch.setattr(training.shutil, "copyfile", full if epoch == 2 else copy)
            super().on_epoch_begin(epoch, logs)

    how = {"resume": True, "patience": 9, "monitor": "loss"}
    with monkeypatch.context() as patch, pytest.raises(OSError, match="no saved epoch is lost"):
        patch.setattr(training, "Clock", Filling)
        training.fit(make_model(), DATA, 4, **how)
    monkeypatch.setattr(training.shutil, "copyfile", copy)
    run = training.fit(make_model(), DATA, 3, **how)
    monkeypatch.setenv("COURSE_PROFILE", "full")
    with monkeypatch.context() as disk, pytest.raises(OSError, match="line-points-seed0.json"):
        disk.setattr(results.Path, "write_text", full)
        run.record("00_test")
    assert run.checkpoint.is_dir() and run.record("00_test").is_file()
    assert not run.checkpoint.exists()


@pytest.mark.parametrize(
    ("error", "size", "advice"),
    [
        (RuntimeError("RESOURCE_EXHAUSTED: Out of memory"), 64, "batch_size=32"),
        (MemoryError(), 1, "smaller model"),
    ],
)
def test_out_of_memory_names_the_batch_size_to_try(error, size, advice):
    class Exhaust(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            raise error

    with pytest.raises(MemoryError, match=advice):
        training.fit(make_model(), DATA, 1, size, callbacks=[Exhaust()])


class Forgetful(keras.Model):
    """A model with dropout whose `call` takes no `training`."""

    def __init__(self):
        super().__init__()
        self.dropout, self.dense = keras.layers.Dropout(0.5), keras.layers.Dense(1)
        self.compile("sgd", "mse")

    def call(self, x):
        return self.dense(self.dropout(x))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"model": Forgetful()}, "call.*training=None"),
        ({"epochs": 0}, "epochs"),
        ({"batch_size": 0}, "batch_size"),
        ({"patience": 0}, "patience"),
        ({"resume": "no"}, "resume"),
        ({"monitor": "val_f1"}, "val_accuracy"),
        ({"data": None}, "Dataset"),
        ({"data": (np.ones((3, 4)), np.ones(3))}, "Dataset"),
        ({"data": (Split(["good", "bad"], np.ones(2)), None)}, "inputs of the training.*list"),
        ({"data": (Split(np.array(["good"]), np.ones(1)), None)}, "inputs.*<U4: encode"),
        ({"data": (Split(np.array(["a"], object), np.ones(1)), None)}, "inputs.*object"),
        ({"data": (Split(np.ones((2, 4)), ["no", "yes"]), None)}, "targets of the training"),
        ({"data": (DATA.train, Split(["good"], np.ones(1)))}, "inputs of the validation"),
        ({"callbacks": keras.callbacks.History()}, "callbacks has to be a list"),
        ({"callbacks": [keras.callbacks.History]}, "callbacks has to be a list"),
        ({"callbacks": None}, "callbacks has to be a list"),
        ({"settings": {"model": make_model}}, r"settings\['model'\]"),
        ({"settings": {"clip": np.inf}}, r"settings\['clip'\] is inf"),
        ({"settings": 0.01}, "settings has to be a dict"),
        ({"model": keras.Sequential([keras.Input((4,))])}, "compile"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, told):
    with pytest.raises(ValueError, match=told):
        training.fit(**{"model": make_model(), "data": DATA, "epochs": 1} | arguments)


VALUES = [0.5, 0.9, 0.1, 0.7, 0.3]
ARGUMENTS = {"num_classes": 2, "target_class_ids": [1], "fn": lambda true, given: given}
ARGUMENTS |= dict.fromkeys(("recall", "precision", "specificity", "sensitivity"), 0.5)
METRICS = [
    kind
    for _, kind in inspect.getmembers(keras.metrics, inspect.isclass)
    if issubclass(kind, keras.metrics.Metric)
]


class Kept(keras.callbacks.Callback):
    """Keeps each epoch's weights."""

    def __init__(self):
        super().__init__()
        self.weights = []

    def on_epoch_end(self, epoch, logs=None):
        self.weights.append(self.model.get_weights()[0])


def faked(kind):
    """A metric of Keras' that takes any shapes; `on_paper` gives it values."""

    class Faked(kind):
        def update_state(self, *given, **settings):
            pass

        def result(self):
            return keras.ops.zeros(())

    wanted = inspect.signature(kind).parameters
    return Faked(name="faked", **{key: ARGUMENTS[key] for key in wanted if key in ARGUMENTS})


def line(metrics):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=metrics)
    return model


def on_paper(model):
    """Let the model's `fit` only call the callbacks, with one of `VALUES` at each epoch."""

    def fit(callbacks, **arguments):
        called = keras.callbacks.CallbackList(callbacks, model=model)
        called.on_train_begin()
        for epoch, value in enumerate(VALUES):
            called.on_epoch_begin(epoch)
            model.set_weights([weight + 1 for weight in model.get_weights()])
            called.on_epoch_end(epoch, {"loss": 1.0, "val_loss": 1.0, "val_faked": value})
        called.on_train_end()

    model.fit = fit
    return model


@pytest.mark.parametrize("kind", METRICS, ids=lambda kind: kind.__name__)
def test_the_best_epoch_is_that_of_keras_for_each_of_its_metrics(kind):
    kept, metric = Kept(), faked(kind)
    model = on_paper(line([metric]))
    keras_own = keras.callbacks.EarlyStopping("val_faked", patience=9)
    how = {"monitor": "val_faked", "patience": 9, "callbacks": [kept, keras_own]}
    if not hasattr(metric, "_direction"):
        with pytest.raises(
            ValueError, match="rise or fall is not known; choose one of: loss, v"
        ):
            training.fit(model, DATA, 5, **how)
        assert not kept.weights
        return
    run = training.fit(model, DATA, 5, **how)
    assert run.best_epoch == keras_own.best_epoch + 1 in (2, 3)
    assert run.best() == VALUES[keras_own.best_epoch]
    np.testing.assert_array_equal(model.get_weights()[0], kept.weights[keras_own.best_epoch])


def own(true, given):
    return given


class Both(keras.utils.PyDataset):
    """Two outputs, a and b."""

    def __len__(self):
        return 1

    def __getitem__(self, number):
        return np.ones((2, 4)), {"a": np.ones((2, 1)), "b": np.ones((2, 1))}


def two_outputs():
    inputs = keras.Input((4,))
    outputs = {name: keras.layers.Dense(1, name=name)(inputs) for name in "ab"}
    model = keras.Model(inputs, outputs)
    metrics = {"a": ["mae", "accuracy"], "b": [keras.metrics.R2Score(), "mae"]}
    model.compile("sgd", "mse", metrics=metrics)
    return model


SHOWN = ["mae", "accuracy", keras.losses.mean_squared_error, keras.metrics.AUC(name="loss_auc")]


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        ("loss val_loss mae val_mae mean_squared_error val_mean_squared_error", "min"),
        ("accuracy val_accuracy loss_auc val_loss_auc", "max"),
        ("a_loss val_a_loss val_b_loss a_mae val_b_mae", "min"),
        ("val_a_accuracy b_r2_score val_b_r2_score", "max"),
    ],
)
def test_directions_of_names_as_keras_logs_them(names, mode):
    model, part = line(SHOWN), DATA.train
    if " a_" in f" {names} " or "_a_" in names:
        model, part = two_outputs(), Both()
    training._build(model, part, needs_metrics=True)
    found = {training._mode(model, name, validated=True) for name in names.split()}
    assert found == {mode}


@pytest.mark.parametrize(
    ("metrics", "monitor", "told"),
    [
        ([own], "val_own", "rise or fall is not known; choose one of: loss, val_loss; or"),
        (["mae"], "val_f1", "not measured; choose one of: loss, mae, val_loss, val_mae"),
        (["mae"], 3, "not measured"),
        (["mae"], None, "'val_accuracy' is not measured; choose"),
    ],
)
def test_a_monitor_without_a_direction_is_refused_before_the_first_epoch(
    metrics, monitor, told
):
    kept = Kept()
    with pytest.raises(ValueError, match=told):
        training.fit(line(metrics), DATA, 1, patience=1, monitor=monitor, callbacks=[kept])
    assert not kept.weights


def test_a_monitor_of_a_validation_part_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no validation part; choose one of: loss"):
        training.fit(line(["mae"]), (DATA.train, None), 1, monitor="val_loss")


def test_a_metric_of_ones_own_says_its_direction_as_those_of_keras_do():
    for direction, best in (("up", 2), ("down", 3)):
        metric = faked(keras.metrics.Mean)
        metric._direction = direction
        how = {"monitor": "val_faked", "patience": 9}
        assert training.fit(on_paper(line([metric])), DATA, 5, **how).best_epoch == best


def test_numbers_may_be_those_of_numpy():
    sizes = {"epochs": np.int64(1), "batch_size": np.int32(50), "patience": np.uint8(1)}
    run = training.fit(make_model(), DATA, **sizes, resume=True)
    assert run.epochs == 1 and run.checkpoint.is_dir()


@pytest.mark.slow
def test_of_two_that_train_the_same_the_second_waits_or_does_not_save(checkpoints):
    class Second(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            told = (
                rf"another kernel \(process {training.os.getpid()}\) trains this; wait for it"
            )
            with pytest.raises(RuntimeError, match=told):
                training.fit(make_model(), DATA, 2, callbacks=[Second()], resume=True)
            if epoch == 1:
                training.fit(make_model(), DATA, 1, resume=False)
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.fit(make_model(), DATA, 2, callbacks=[Second()], resume=True)
    [state] = checkpoints.glob("*/state.json")
    assert json.loads(state.read_text(encoding="utf-8"))["epoch"] == 1


HOLD = """
import os, sys, time
from pathlib import Path
import filelock
lock, owner = map(Path, sys.argv[1:])
with filelock.FileLock(lock):
    owner.write_text(str(os.getpid()))
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_lock_ends_with_its_process_and_a_record_waits_for_nobody():
    run = training.fit(make_model(), DATA, 1, resume=True)
    paths = [str(run.checkpoint / name) for name in (training.LOCK, training.OWNER)]
    command = [sys.executable, "-c", HOLD, *paths]
    other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RuntimeError, match=f"process {other.pid}"):
            training.fit(make_model(), DATA, 2, resume=True)
        run.record("00_test")
        assert (run.checkpoint / "state.json").is_file()
    finally:
        other.kill()
        other.communicate()
    assert training.fit(make_model(), DATA, 2, resume=True).epochs == 2


def test_runs_are_recorded_in_the_full_profile_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    settings = {"rate": np.float32(0.05), "data": results.Path("points"), "sizes": {3, 1}}
    run = training.fit(make_model(), DATA, epochs=2, resume=False, settings=settings)
    assert (run.epochs, run.parameters) == (2, 19)
    assert run.history["loss"][-1] < run.history["loss"][0]
    assert run.best() == run.history["val_accuracy"][-1]
    with pytest.raises(ValueError, match="val_loss"):
        run.best("bleu")
    assert run.record("00_test", test_accuracy=0.5) is None
    monkeypatch.setenv("COURSE_PROFILE", "full")
    path = run.record("00_test", test_accuracy=0.5)
    assert path == tmp_path / "00_test" / "line-points-seed0.json"
    recorded = json.loads(path.read_text(encoding="utf-8"))
    assert set(KEYS) <= set(recorded)
    assert recorded["metrics"]["test_accuracy"] == 0.5
    assert recorded["settings"] == {"rate": 0.05, "data": "points", "sizes": [1, 3]}
    assert len(recorded["history"]["val_accuracy"]) == 2
    assert recorded["profile"] == "full"
    for seed, value in enumerate((0.7, 0.8, 0.9)):
        results.record("00_test", "counting", "points", {"val_accuracy": value}, seed=seed)
    average, spread = results.mean(results.load("00_test", "counting"), "val_accuracy")
    assert (average, spread) == pytest.approx((0.8, 0.1))
    with pytest.raises(ValueError, match="counting"):
        results.load("00_test", "forest")


def test_a_step_is_traced_once():
    class Counted(keras.layers.Layer):
        traced = 0

        def call(self, inputs, training=False):
            Counted.traced += bool(training)
            return inputs

    model = keras.Sequential([keras.Input((3,)), Counted(), keras.layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    part = Split(np.ones((8, 3), "float32"), np.zeros(8, "int32"))
    training.fit(model, (part, None), 2, batch_size=4)
    assert Counted.traced == 1


def test_xla_is_left_out_where_it_does_not_pay(monkeypatch):
    monkeypatch.setattr(training.session, "accelerators", lambda: [])
    recurrent = keras.Sequential([keras.Input((4, 1)), keras.layers.LSTM(2)])
    dense = make_model()
    if keras.backend.backend() != "tensorflow":
        assert training._xla_pays(dense, DATA.train, 1, 64)
        return
    assert not training._xla_pays(dense, DATA.train, 1_000, 64)
    assert not training._xla_pays(recurrent, DATA.train, 1, 64)
    assert training._xla_pays(recurrent, DATA.train, 1_000, 64)
    monkeypatch.setenv("COURSE_PROFILE", "full")
    assert training._xla_pays(dense, DATA.train, 1, 64)
