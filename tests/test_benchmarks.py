"""The benchmarks take steps that train, and time their cases in turn."""

import json
from contextlib import nullcontext

import nbformat
import numpy as np
import pytest
from nbclient.exceptions import CellExecutionError

from benchmarks import by_length, calls, kernels, length_buckets, sessions, worker
from benchmarks.timing import interleaved
from course_utils import data


def test_cases_are_called_in_turn_and_the_median_is_kept(monkeypatch):
    clock = iter([0, 1, 0, 5, 0, 3, 0, 6, 0, 2, 0, 7])
    monkeypatch.setattr("benchmarks.timing.time.perf_counter", lambda: next(clock))
    called = []
    cases = {name: lambda name=name: called.append(name) for name in "ab"}
    assert interleaved(cases, repeats=3) == {"a": 2, "b": 6}
    assert called == list("ababab") + list("ab")


@pytest.mark.weekly
def test_a_session_is_a_students_and_a_cell_that_fails_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    for code, fails in (('assert "COURSE_PROFILE" not in os.environ', False), ("1 / 0", True)):
        cell = nbformat.v4.new_code_cell(f"import os\n{code}")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "a.ipynb")
        with pytest.raises(CellExecutionError) if fails else nullcontext():
            whole, training = sessions.seconds(tmp_path / "a.ipynb")
            assert 0 == training < whole < 600


@pytest.mark.parametrize(
    ("table", "name"),
    [(table, name) for table, of in by_length.TABLES.items() for name in of.layers],
)
@pytest.mark.weekly
def test_a_step_trains(table, name):
    step = by_length.step(table, name, 16)
    losses = [float(np.asarray(step())) for _ in range(8)]
    assert losses[-1] < losses[0]


@pytest.fixture
def rows(monkeypatch, tmp_path):
    """What a benchmark recorded, as rows of its table."""
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))

    def read(pattern):
        [path] = tmp_path.glob(f"{pattern}*.json")
        return json.loads(path.read_text(encoding="utf-8"))["rows"]

    return read


@pytest.mark.parametrize("table", by_length.TABLES)
@pytest.mark.weekly
def test_times_are_recorded_by_layer_and_length(monkeypatch, rows, table):
    of = by_length.TABLES[table]._replace(lengths=(8, 16))
    monkeypatch.setitem(by_length.TABLES, table, of)
    by_length.main([table], repeats=1)
    found = {(row["layer"], row["length"]) for row in rows(f"{of.lecture}/measured-{table}")}
    assert found == {(name, length) for name in of.layers for length in (8, 16)}


@pytest.mark.parametrize("model", kernels.WAYS)
@pytest.mark.weekly
def test_other_ways_give_equal_numbers_or_are_refused(monkeypatch, model):
    make, ways = kernels.WAYS[model]
    monkeypatch.setattr(worker, "STEPS", 3)
    size = worker.TEXT if make is kernels.reader else kernels.SIZE
    shape = (12, size["tokens"], size.get("channels") or size["embed_dim"])
    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    found = kernels.measured(make, ways, 4, x, repeats=1)
    assert set(found) == {(way, call) for way in ways for call in ("train", "infer")}
    assert min(found.values()) > 0
    monkeypatch.setattr(kernels.OnePass, "call", lambda layer, q, v, k, *given, **told: (v, v))
    monkeypatch.setattr(
        kernels.OneProductCell, "sums", lambda cell, x, h: 0 * cell.bias + h[:, :1]
    )
    with pytest.raises(AssertionError, match="one p"):
        kernels.measured(make, ways, 4, x, repeats=0)


@pytest.mark.weekly
def test_each_way_to_call_a_model_gives_the_same():
    ways = calls.ways("encoder")
    one = [ways[name]() for name in ways if name.endswith("1 example")]
    many = [ways[name]() for name in ways if "by" in name]
    for found in (one, many):
        for other in found[1:]:
            np.testing.assert_allclose(other, found[0], atol=1e-5)


@pytest.mark.parametrize("name", length_buckets.NETWORKS)
@pytest.mark.weekly
def test_an_epoch_of_each_network_trains(name):
    draw = np.random.default_rng(0)
    kept = np.arange(24) < 12 + np.arange(64)[:, None] % 12
    ids = draw.integers(2, 50, size=(64, 24)) * kept
    split = data.Split(ids.astype("int32"), (ids[:, 0] > 25).astype("int32"))
    train = length_buckets.epoch(name, data.length_buckets(split, 32))
    losses = [train().history["loss"][0] for _ in range(4)]
    assert losses[-1] < losses[0]
