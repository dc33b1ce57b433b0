"""The key of a checkpoint: equal for the same experiment in every process, for no other one."""

import linecache
import os
import subprocess
import sys

import keras
import numpy as np
import pytest

from course_utils import results
from course_utils.data import Split
from course_utils.fingerprint import Fingerprint
from course_utils.layers import MultiHeadAttention, attention

# What a notebook holds; each case exchanges one piece of its text for another.
NOTEBOOK = """
RATE = 0.3

def helper(x):
    return 2 * x

class Own(keras.layers.Layer):
    def call(self, x):
        # a remark
        return helper(x)

def scaled(factor):
    def inner(x):
        return factor * x
    return inner

def loss(true, given, weight=0.5):
    return weight * keras.ops.mean((true - given) ** 2)

def metric(true, given):
    return keras.ops.mean(given) * RATE

class Data(keras.utils.PyDataset):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def __len__(self):
        return 1

    def __getitem__(self, number):
        return self.rows + 0, self.rows[:, :1]

class Callback(keras.callbacks.Callback):
    every = 5

    def on_epoch_end(self, epoch, logs=None):
        self.seen = {1, 2, 3}

class Falling(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.1 / (keras.ops.cast(step, "float32") + 1)

keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input((4,)), Own(), keras.layers.Lambda(lambda x: x + 1),
    keras.layers.Lambda(scaled(2)), keras.layers.Dense(3, lambda x: x * 3),
    keras.layers.Dense(1),
])
model.compile(keras.optimizers.SGD(Falling(), momentum=0.25), loss, metrics=[metric])
callbacks = [
    Callback(), keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: epoch + 5),
    keras.callbacks.ReduceLROnPlateau(factor=0.75),
]
data = Data(np.ones((2, 4)))
key = Fingerprint(data, None, callbacks, (64, None)).digest(model)
"""


def key(*exchanged):
    """The key of the notebook, with one piece of its text exchanged for another."""
    text = NOTEBOOK
    if exchanged:
        assert text.count(exchanged[0]) == 1
        text = text.replace(*exchanged)
    scope = {"keras": keras, "np": np, "Fingerprint": Fingerprint, "__name__": "__main__"}
    # As a notebook keeps its cells: Keras warns of a lambda by its source.
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(keepends=True), "<cell>")
    exec(compile(text, "<cell>", "exec"), scope)
    return scope["key"]


@pytest.fixture(scope="module")
def usual():
    return key()


CHANGES = {
    "helper of a layer": ("return 2 * x", "return 3 * x"),
    "layer": ("return helper(x)", "return helper(x) + 1"),
    "lambda": ("x + 1", "x + 2"),
    "closure": ("scaled(2)", "scaled(3)"),
    "lambda as an activation": ("x * 3", "x * 4"),
    "loss": ("given) ** 2", "given) ** 4"),
    "default": ("weight=0.5", "weight=0.6"),
    "global value": ("RATE = 0.3", "RATE = 0.4"),
    "metric": ("mean(given)", "max(given)"),
    "data's code": ("self.rows + 0", "self.rows + 1"),
    "data": ("np.ones((2, 4))", "np.zeros((2, 4))"),
    "callback": ("{1, 2, 3}", "{1, 2, 4}"),
    "attribute of a class": ("every = 5", "every = 6"),
    "lambda of a callback": ("epoch + 5", "epoch + 6"),
    "number of a callback": ("factor=0.75", "factor=0.5"),
    "schedule": ("0.1 / (", "0.2 / ("),
    "optimizer": ("momentum=0.25", "momentum=0.5"),
    "settings": ("(64, None)", "(32, None)"),
}
SAME = {
    "remark": ("# a remark", "# another remark"),
    "name of a variable": (
        "def helper(x):\n    return 2 * x",
        "def helper(y):\n    return 2 * y",
    ),
    "line": ("RATE = 0.3", "\n\nRATE = 0.3"),
    "order of a set": ("{1, 2, 3}", "{3, 2, 1}"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_experiment_has_another_key(usual, change):
    assert key(*change) != usual


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_what_does_not_change_the_training_keeps_the_key(usual, change):
    assert key(*change) == usual


@pytest.mark.slow
def test_the_key_is_the_same_in_another_process(usual, tmp_path):
    head = "import keras, numpy as np\nfrom course_utils.fingerprint import Fingerprint\n"
    script = tmp_path / "notebook_of_another_name.py"
    script.write_text(head + NOTEBOOK + "print('key', key)\n", encoding="utf-8")
    path = os.pathsep.join([str(results.ROOT), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": "7"}
    command = [sys.executable, str(script)]
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, env=env, encoding="utf-8"
    ).stdout
    assert told.split()[-2:] == ["key", usual]


def of_keras(dropout=0.2, activation="relu", loss="bce", rate=0.05, seed=0, joined="Add"):
    keras.utils.set_random_seed(seed)
    x = keras.Input((4,))
    hidden = keras.layers.Dropout(dropout)(keras.layers.Dense(4, activation)(x))
    model = keras.Model(x, getattr(keras.layers, joined)()([x, hidden]))
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    return Fingerprint(None).digest(model)


def test_each_setting_of_a_model_of_keras_own_layers_counts():
    changes = {"dropout": 0.3, "activation": "tanh", "loss": "mse", "rate": 0.04, "seed": 1}
    keys = [
        of_keras(**{name: value}) for name, value in (changes | {"joined": "Average"}).items()
    ]
    assert len({of_keras(), of_keras(), *keys}) == 1 + len(keys)


def attending():
    keras.utils.set_random_seed(0)
    x = keras.Input((3, 4))
    model = keras.Model(x, MultiHeadAttention(4, 2)(x, x))
    model.compile("sgd", "mse")
    return Fingerprint(Split(np.ones((2, 3, 4)), np.ones(2)), None).digest(model)


def test_a_function_of_the_library_without_its_mask_has_another_key(monkeypatch):
    usual = attending()
    assert attending() == usual

    def masked_softmax(scores, mask=None):
        return keras.ops.softmax(scores)

    monkeypatch.setattr(attention, "masked_softmax", masked_softmax)
    assert attending() != usual


def test_a_file_of_the_library_with_other_content_has_another_key(monkeypatch, tmp_path):
    from course_utils import fingerprint

    folder = tmp_path / "course_utils" / "layers"
    folder.mkdir(parents=True)
    monkeypatch.setattr(fingerprint.results, "ROOT", tmp_path)
    keys = []
    for text in ("scores = 1", "scores = 1", "scores = 2"):
        (folder / "attention.py").write_text(text, encoding="utf-8")
        fingerprint._library.cache_clear()
        keys.append(attending())
    fingerprint._library.cache_clear()
    assert keys[0] == keys[1] != keys[2]


def test_models_without_a_configuration_are_told_apart_by_what_they_hold():
    class Power(Own):
        def __init__(self, parts, power):
            self._power = power
            super().__init__(parts)

        def call(self, x):
            return self.inner(x) ** self._power

    def make(power, dropout=0.2):
        keras.utils.set_random_seed(0)
        inner = [keras.Input((4,)), keras.layers.Dropout(dropout), keras.layers.Dense(1)]
        model = Power(inner, power)
        model.compile("adam", "mse")
        return Fingerprint(None).digest(model)

    assert make(1) == make(1)
    assert len({make(1), make(2), make(1, dropout=0.3)}) == 3


class Own(keras.Model):
    def __init__(self, parts):
        super().__init__()
        self.inner = keras.Sequential(parts)
        self(np.ones((1, 4), "float32"))

    def call(self, x):
        return self.inner(x)


@pytest.mark.parametrize("kind", [keras.Sequential, Own])
def test_a_model_that_was_trained_and_set_back_has_its_key_again(kind):
    keras.utils.set_random_seed(0)
    model = kind([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    weights, first = model.get_weights(), Fingerprint(None).digest(model)
    model.fit(np.ones((2, 4)), np.ones((2, 1)), verbose=0)
    assert Fingerprint(None).digest(model) != first
    model.set_weights(weights)
    model.optimizer.iterations.assign(0)
    assert Fingerprint(None).digest(model) == first


def test_data_that_draws_is_not_moved_and_counts_with_its_generator():
    class Drawing(keras.utils.PyDataset):
        def __init__(self):
            super().__init__()
            self._draw = np.random.default_rng(7)

    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    one, other = Drawing(), Drawing()
    assert Fingerprint(one).digest(model) == Fingerprint(other).digest(model)
    assert one._draw.random() == other._draw.random()
    one._draw.random()
    assert Fingerprint(one).digest(model) != Fingerprint(other).digest(model)
