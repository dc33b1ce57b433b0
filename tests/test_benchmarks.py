"""The benchmarks take steps that train, and time their cases in turn."""

import json

import numpy as np
import pytest

from benchmarks import images_a_second, length_buckets, mixing_cost, step_time, xla
from benchmarks.timing import interleaved
from course_utils import data

pytestmark = pytest.mark.slow


def test_cases_are_called_in_turn_and_the_median_is_kept(monkeypatch):
    clock = iter([0, 1, 0, 5, 0, 3, 0, 6, 0, 2, 0, 7])
    monkeypatch.setattr("benchmarks.timing.time.perf_counter", lambda: next(clock))
    called = []
    cases = {name: lambda name=name: called.append(name) for name in "ab"}
    assert interleaved(cases, repeats=3) == {"a": 2, "b": 6}
    assert called == list("ababab") + list("ab")


@pytest.mark.parametrize("name", step_time.LAYERS)
def test_a_step_of_each_layer_trains(name):
    step = step_time.step(step_time.LAYERS[name](), length=16)
    losses = [float(np.asarray(step())) for _ in range(8)]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", ["03 GRU(32)", "07b ViT and decoder", "08 Mixer"])
def test_a_step_without_xla_trains(name):
    train, _ = xla.step(xla.MODELS[name], jit=False)
    losses = [float(np.asarray(train())) for _ in range(4)]
    assert losses[-1] < losses[0]


def test_step_times_are_recorded_by_layer_and_length(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(step_time, "LENGTHS", (8, 16))
    step_time.main(repeats=1)
    [path] = tmp_path.glob("04_conv1d/measured-step-time*.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    assert {(row["layer"], row["length"]) for row in table["rows"]} == {
        (name, length) for name in step_time.LAYERS for length in (8, 16)
    }
    assert all(row["milliseconds"] > 0 for row in table["rows"])


@pytest.mark.parametrize("name", length_buckets.NETWORKS)
def test_an_epoch_of_each_network_trains(name):
    draw = np.random.default_rng(0)
    ids = draw.integers(2, 50, size=(64, 24)) * (
        np.arange(24) < 12 + np.arange(64)[:, None] % 12
    )
    split = data.Split(ids.astype("int32"), (ids[:, 0] > 25).astype("int32"))
    train = length_buckets.epoch(name, data.length_buckets(split, 32))
    losses = [train().history["loss"][0] for _ in range(4)]
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("name", [*mixing_cost.LAYERS, *mixing_cost.FORMS])
def test_a_step_of_each_way_to_mix_tokens_trains(name):
    layer = (mixing_cost.LAYERS | mixing_cost.FORMS)[name]
    step = mixing_cost.step(layer, length=8)
    losses = [float(np.asarray(step())) for _ in range(8)]
    assert losses[-1] < losses[0]


def test_mixing_times_are_recorded_by_layer_and_length(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(mixing_cost, "LENGTHS", (8, 16))
    monkeypatch.setattr(mixing_cost, "FORM_LENGTHS", (8,))
    mixing_cost.main(repeats=1)
    [path] = tmp_path.glob("08_mixer_gmlp/measured-mixing-cost*.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    assert {(row["layer"], row["length"]) for row in table["rows"]} == {
        (name, length) for name in mixing_cost.LAYERS for length in (8, 16)
    }
    [path] = tmp_path.glob("08_mixer_gmlp/measured-token-mixing-forms*.json")
    forms = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [row["form"] for row in forms] == list(mixing_cost.FORMS)
    assert forms[0]["ratio"] == 1 and all(row["ratio"] > 0 for row in forms)


def test_images_a_second_are_recorded_by_model(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(images_a_second, "BATCH", 2)
    monkeypatch.setattr(images_a_second, "MODELS", {"convnet": images_a_second.convnet})
    images_a_second.main(repeats=1)
    [path] = tmp_path.glob("08_mixer_gmlp/measured-images-a-second*.json")
    [row] = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert row["model"] == "convnet" and row["trained"] > 0 and row["classified"] > 0


def test_the_models_compared_by_images_a_second_are_of_one_size():
    counts = [make().count_params() for make in images_a_second.MODELS.values()]
    assert max(counts) < 1.1 * min(counts)
