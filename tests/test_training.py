import json

import numpy as np
import pytest

from course_utils import results, session, training, training_callbacks
from course_utils.data import Dataset, Split


@pytest.fixture
def keras():
    import keras

    keras.utils.set_random_seed(0)
    return keras


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(300, 4)).astype("float32")
    targets = (inputs[:, 0] > 0).astype("int32")
    parts = [Split(inputs[a:b], targets[a:b]) for a, b in ((0, 200), (200, 250), (250, 300))]
    return Dataset("points", *parts, None, ["no", "yes"], "drawn here", "CC0")


def make_model(keras, name="line", declared=True):
    layers = [keras.Input((4,))] if declared else []
    model = keras.Sequential([*layers, keras.layers.Dense(1, "sigmoid")], name=name)
    model.compile(keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
    return model


def test_run_tells_what_was_trained(keras, data):
    run = training.fit(make_model(keras), data, epochs=3)
    assert run.epochs == 3
    assert run.parameters == 5
    assert run.history["loss"][-1] < run.history["loss"][0]
    assert run.examples_per_second > 0
    assert run.peak_memory_bytes > 1e7
    assert run.best("val_accuracy") == run.history["val_accuracy"][-1]


def test_patience_keeps_the_weights_of_the_best_epoch(keras, data):
    class Spoil(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch >= 3:
                self.model.set_weights([-weight for weight in self.model.get_weights()])

    model = make_model(keras)
    run = training.fit(model, data, epochs=9, patience=2, callbacks=[Spoil()])
    assert run.epochs < 9
    _, accuracy = model.evaluate(data.val.inputs, data.val.targets, verbose=0)
    assert accuracy == pytest.approx(max(run.history["val_accuracy"]), abs=1e-6)
    assert run.best() == max(run.history["val_accuracy"])


@pytest.mark.parametrize("declared", [True, False], ids=["built", "built by its first batch"])
def test_killed_run_goes_on_with_nothing_lost_but_its_epoch(
    keras, data, monkeypatch, tmp_path, declared
):
    monkeypatch.setattr(training_callbacks, "CHECKPOINTS", tmp_path)

    class Kill(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 3:
                raise KeyboardInterrupt

    first = make_model(keras, declared=declared)
    with pytest.raises(KeyboardInterrupt):
        training.fit(first, data, epochs=6, patience=6, callbacks=[Kill()], resume=True)
    reached = first.get_weights()
    steps = int(first.optimizer.iterations)

    keras.backend.clear_session()
    second = make_model(keras, declared=declared)
    seen = {}

    class Look(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            seen["weights"] = self.model.get_weights()
            seen["steps"] = int(self.model.optimizer.iterations)

    run = training.fit(second, data, epochs=6, patience=6, callbacks=[Look()], resume=True)
    for before, after in zip(reached, seen["weights"], strict=True):
        np.testing.assert_array_equal(before, after)
    assert seen["steps"] == steps > 0
    assert run.epochs == 6
    assert not list(tmp_path.iterdir())


def test_half_written_epoch_is_not_taken_for_whole(keras, data, monkeypatch, tmp_path):
    monkeypatch.setattr(training_callbacks, "CHECKPOINTS", tmp_path)
    real = training_callbacks.Saver.on_epoch_end

    def cut_off(self, epoch, logs=None):
        if epoch == 2:
            self._weights("last", 3).write_bytes(b"half")
            raise KeyboardInterrupt
        real(self, epoch, logs)

    monkeypatch.setattr(training_callbacks.Saver, "on_epoch_end", cut_off)
    with pytest.raises(KeyboardInterrupt):
        training.fit(make_model(keras), data, epochs=4, resume=True)
    monkeypatch.setattr(training_callbacks.Saver, "on_epoch_end", real)
    keras.backend.clear_session()
    assert training.fit(make_model(keras), data, epochs=4, resume=True).epochs == 4


@pytest.mark.parametrize("arguments", [{"epochs": 0}, {"epochs": 2, "patience": 0}])
def test_bad_numbers_are_refused_before_training(keras, data, arguments):
    with pytest.raises(ValueError, match="at least 1"):
        training.fit(make_model(keras), data, **arguments)


def test_model_must_be_compiled(keras, data):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="compile"):
        training.fit(model, data, epochs=1)


def test_unknown_monitor_names_those_measured(keras, data):
    with pytest.raises(ValueError, match="val_accuracy"):
        training.fit(make_model(keras), data, epochs=1, patience=1, monitor="val_f1")


def test_record_writes_in_the_full_profile_alone(keras, data, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    run = training.fit(make_model(keras), data, epochs=2, resume=False)
    assert run.record("00_test", test_accuracy=0.5) is None
    monkeypatch.setenv("COURSE_PROFILE", "full")
    path = run.record("00_test", test_accuracy=0.5)
    assert path == tmp_path / "00_test" / "line-points-seed0.json"
    recorded = json.loads(path.read_text())
    wanted = (
        "lecture model dataset source profile seed metrics history parameters epochs "
        "seconds_per_epoch examples_per_second hardware backend precision versions date commit"
    )
    assert set(wanted.split()) <= set(recorded)
    assert recorded["metrics"]["test_accuracy"] == 0.5
    assert len(recorded["history"]["val_accuracy"]) == 2
    assert recorded["profile"] == "full"


def test_recorded_runs_come_back_with_mean_and_spread(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    for seed, value in enumerate((0.7, 0.8, 0.9)):
        results.record("00_test", "counting", "points", {"val_accuracy": value}, seed=seed)
    average, spread = results.mean(results.load("00_test", "counting"), "val_accuracy")
    assert average == pytest.approx(0.8)
    assert spread == pytest.approx(0.1)
    with pytest.raises(ValueError, match="counting"):
        results.load("00_test", "forest")


def test_sessions_refuse_what_they_do_not_know(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "slow")
    with pytest.raises(ValueError, match="'quick' and 'full'"):
        session.start()
    monkeypatch.setenv("COURSE_PROFILE", "quick")
    with pytest.raises(ValueError, match="whole number"):
        session.start(seed=-1)


def test_a_step_is_traced_once(keras):
    class Counted(keras.layers.Layer):
        traced = 0

        def call(self, inputs, training=False):
            Counted.traced += bool(training)
            return inputs

    inputs = keras.Input((3,))
    model = keras.Model(inputs, keras.layers.Dense(2)(Counted()(inputs)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    part = Split(np.ones((8, 3), "float32"), np.zeros(8, "int32"))
    training.fit(model, (part, None), 2, batch_size=4)
    assert Counted.traced == 1
