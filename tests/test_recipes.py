"""Records are tied to the code that makes them, by what it builds and not by its words."""

import copy
import json
import subprocess
import sys
import textwrap

import pytest

from tools import recipes, source
from tools.execute import environment
from tools.shows import ROOT

pytestmark = pytest.mark.slow

EXPERIMENT = textwrap.dedent(
    """
    import keras
    import numpy as np
    from keras import layers, ops

    from course_utils import data, results, schedules, training

    class Pool(layers.Layer):
        def call(self, x, mask=None):
            kept = ops.cast(mask, "float32")[..., None]
            return ops.sum(x * kept, axis=1) / ops.maximum(ops.sum(kept, axis=1), 1)

    def loss(truth, logit):
        return keras.losses.binary_crossentropy(truth, logit, from_logits=True)

    def train(learning_rate, seed):
        reviews = data.load_reviews(length=60)
        keras.utils.set_random_seed(seed)
        ids = keras.Input((None,), dtype="int32")
        x = layers.Embedding(len(reviews.vocabulary), 8, mask_zero=True)(ids)
        x = layers.Dropout(0.5)(layers.LSTM(6, return_sequences=True)(x))
        model = keras.Model(ids, layers.Dense(1)(Pool()(x)), name="reader")
        schedule = schedules.WarmupCosine(learning_rate, 500, 100)
        model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
        return training.fit(model, reviews, epochs=8, batch_size=32)

    def record_all(seed):
        compare(seed)

    def compare(seed):
        runs = [train(rate, seed) for rate in (0.002, 0.008)]
        min(runs, key=lambda run: run.history["val_loss"][-1]).record("09", "reader", "reviews")
        results.record("09", "both", "reviews", {}, seed=seed)
    """
)
CHANGED = {
    "size": ("LSTM(6", "LSTM(5"),
    "rate": ("0.008)", "0.02)"),
    "dropout": ("Dropout(0.5)", "Dropout(0.1)"),
    "epochs": ("epochs=8", "epochs=3"),
    "data": ("length=60", "length=60, keep='first'"),
    "loss": ("from_logits=True", "from_logits=False"),
    "mask": ("x * kept", "x"),
    "seed": ("set_random_seed(seed)", "set_random_seed(7)"),
    "seed 0 always": ("set_random_seed(seed)", "set_random_seed(0)"),
    "batch": ("batch_size=32", "batch_size=64"),
    "schedule": ("500, 100", "500, 10"),
    "clipping": (", clipnorm=1.0", ""),
    "start": ("layers.LSTM(6", "layers.LSTM(6, unit_forget_bias=False"),
}
RENAMED = {
    "variable": ("kept", "real"),
    "class": ("Pool", "MaskedMean"),
    "function": ("loss)", "entropy)", "def loss(", "def entropy("),
    "written otherwise": ("runs = [train(rate, seed) for rate in (0.002, 0.008)]",
                          "runs = list(map(lambda r: train(r, seed), (0.002, 0.008)))"),
    "model's name": ('name="reader"', 'name="other"'),
}  # fmt: skip
BUILD = """
import json, sys
from tools.dry import recipes
for text in json.load(sys.stdin):
    scope = {}
    exec(text, scope)
    print(json.dumps(recipes(scope["record_all"])))
"""


@pytest.fixture(scope="module")
def built():
    """Return the recipes of the experiment as it is, and after each edit."""
    edits = {"nothing": ()} | CHANGED | RENAMED
    texts = []
    for edit in edits.values():
        text = EXPERIMENT
        for old, new in zip(edit[::2], edit[1::2], strict=True):
            assert old in text
            text = text.replace(old, new)
        texts.append(text)
    ran = subprocess.run(
        [sys.executable, "-c", BUILD],
        input=json.dumps(texts),
        capture_output=True,
        encoding="utf-8",
        env=environment(COURSE_PROFILE="full") | {"KERAS_BACKEND": "numpy"},
        cwd=ROOT,
    )
    assert not ran.returncode, ran.stderr
    return dict(zip(edits, map(json.loads, ran.stdout.splitlines()), strict=True))


def test_a_run_is_made_of_its_training_and_lists_the_rates_it_was_chosen_among(built):
    (training,) = built["nothing"]["reader-reviews-seed0"]["trainings"]
    assert training["rates"] == [0.002, 0.008] and training["seeds"] == ["the seed"]
    about = training["about"]
    assert "Embedding(input_dim=" in about["model"][1] and "mask_zero=True" in about["model"][1]
    assert about["fit"] == {"epochs": 8, "batch size": 32}
    assert built["nothing"]["both-reviews-seed0"]["trainings"] == [training]


@pytest.mark.parametrize("what", CHANGED)
def test_what_changes_a_training_changes_its_recipe(built, what):
    for record, was in built["nothing"].items():
        assert recipes.difference(was["trainings"], built[what][record]["trainings"])


@pytest.mark.parametrize("what", RENAMED)
def test_a_renaming_changes_no_recipe(built, what):
    for record, was in built["nothing"].items():
        assert not recipes.difference(was["trainings"], built[what][record]["trainings"])


def test_the_reason_is_told_in_words(built):
    def why(what):
        one = "reader-reviews-seed0"
        return recipes.difference(
            built["nothing"][one]["trainings"], built[what][one]["trainings"]
        )

    assert why("epochs") == "fit, epochs: 8 is now 3"
    assert why("size").startswith("model 2: LSTM(") and "units=5" in why("size")
    assert why("mask").startswith("probe: ")
    assert why("seed") == "seeds 0: the seed is now 7"


def test_figures_may_differ_as_they_do_between_processors(built):
    was = built["nothing"]["reader-reviews-seed0"]["trainings"]
    other = copy.deepcopy(was)
    other[0]["about"]["probe"] *= 1.0001
    assert not recipes.difference(was, other)
    other[0]["about"]["probe"] *= 1.01
    assert recipes.difference(was, other)


def test_recipes_are_built_again_when_the_code_has_changed(monkeypatch, tmp_path):
    path = source.lectures()[0]
    recipe = {"trainings": [{"about": {"fit": {"epochs": 2}}, "rates": [], "seeds": ["0"]}]}
    monkeypatch.setattr(recipes, "KEPT", tmp_path)
    monkeypatch.setattr(recipes, "records", lambda path: {"one": None})
    monkeypatch.setattr(recipes, "code", lambda path: "as it was")
    recipes.keep(path, {"one": recipe["trainings"]}, checked=True)
    monkeypatch.setattr(recipes, "built", lambda path: {})
    assert recipes.stale(path) == {}  # nothing is built
    monkeypatch.setattr(recipes, "code", lambda path: "another")
    assert recipes.stale(path) == {"one": "record_all does not record it"}
    monkeypatch.setattr(recipes, "built", lambda path: {"one": recipe})
    assert recipes.stale(path) == {}


@pytest.mark.parametrize("path", source.lectures(), ids=lambda path: path.stem)
def test_every_record_is_what_todays_code_makes(path):
    assert recipes.stale(path) == {}
