"""Training: what a run tells, the best epoch, and going on after a kill."""

import errno
import json

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


def make_model(dropout=0.2, activation="relu", loss="bce", rate=0.05, declared=True, seed=0):
    keras.utils.set_random_seed(seed)
    layers = [keras.Input((4,))] if declared else []
    layers += [keras.layers.Dense(3, activation), keras.layers.Dropout(dropout)]
    model = keras.Sequential([*layers, keras.layers.Dense(1, "sigmoid")], name="line")
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    return model


class Batches(keras.utils.PyDataset):
    """Draws its order anew in each epoch, from a generator of its own."""

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


class Kill(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 3:
            raise KeyboardInterrupt


def kill(model, data, **arguments):
    """Train for three epochs of six, and no further."""
    with pytest.raises(KeyboardInterrupt):
        training.fit(model, data, 6, callbacks=[Kill()], resume=True, **arguments)


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


@pytest.mark.slow
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


OTHER_MODELS = {"dropout": 0.3, "activation": "tanh", "loss": "mse", "rate": 0.04, "seed": 1}
OTHER_FITS = {"data": points(seed=1), "batch_size": 32}


@pytest.mark.slow
@pytest.mark.parametrize("changed", OTHER_MODELS | OTHER_FITS)
def test_another_experiment_does_not_take_the_checkpoint(checkpoints, changed):
    training.fit(make_model(), DATA, 1, resume=True)
    model = {name: value for name, value in OTHER_MODELS.items() if name == changed}
    how = {name: value for name, value in OTHER_FITS.items() if name == changed}
    training.fit(make_model(**model), **{"data": DATA, "epochs": 2, "resume": True} | how)
    assert len(list(checkpoints.iterdir())) == 2


def test_models_without_a_configuration_are_told_apart_by_their_settings():
    class Own(keras.Model):
        def __init__(self, inner, power):
            super().__init__()
            self.inner, self.power = inner, power

        def call(self, x):
            return self.inner(x) ** self.power

    def make(power, dropout=0.2):
        model = Own(make_model(dropout=dropout), power)
        model(np.zeros((1, 4), "float32"))
        model.compile("adam", "mse")
        return training._key(model, [training._content(DATA.train), 64])

    assert make(1) == make(1)
    assert len({make(1), make(2), make(1, dropout=0.3)}) == 3


def test_data_sets_that_draw_are_not_moved_by_taking_their_fingerprint():
    one, other = Batches(), Batches()
    assert training._content(one) == training._content(other)
    one.on_epoch_end()
    assert training._content(one) != training._content(other)
    np.testing.assert_array_equal(Batches().order, other.order)


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
    before = {path.name: path.read_bytes() for path in state.parent.iterdir()}
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


def test_a_mended_layer_starts_afresh():
    def key(code):
        scope = {"keras": keras, "__name__": "__main__"}
        exec("class Own(keras.layers.Layer):\n    def call(self, x):\n" + code, scope)
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((4,)), scope["Own"](), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        return training._key(model, [])

    doubled = key("        return 2 * x\n")
    assert doubled == key("        # a comment\n        return 2 * x\n")
    assert doubled != key("        return 3 * x\n")
    within = "        return [one for one in [x] if len(x.shape) in {%s}][0]\n"
    assert key(within % "1, 2, 3") == key(within % "3, 2, 1") != key(within % "2, 3, 4")


def test_full_disk_stops_with_advice_and_loses_no_saved_epoch(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    copy = training.shutil.copyfile

    def full(*given, **settings):
        raise OSError(errno.ENOSPC, "No space left on device")

    class Fill(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            monkeypatch.setattr(training.shutil, "copyfile", full if epoch == 2 else copy)

    how = {"resume": True, "patience": 9, "monitor": "loss"}
    with pytest.raises(OSError, match="line-.*run again|run again.*line-"):
        training.fit(make_model(), DATA, 4, callbacks=[Fill()], **how)
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
        ({"model": keras.Sequential([keras.Input((4,))])}, "compile"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, told):
    with pytest.raises(ValueError, match=told):
        training.fit(**{"model": make_model(), "data": DATA, "epochs": 1} | arguments)


def test_runs_are_recorded_in_the_full_profile_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    run = training.fit(make_model(), DATA, epochs=2, resume=False)
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
