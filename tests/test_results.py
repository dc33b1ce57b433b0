"""RESULTS.md and the recorded runs that it is written from."""

import json
import re

import pytest

from course_utils import models, results
from tools import findings, records
from tools import results as writer

LECTURES = sorted({path.parent.name for path in results.RESULTS.glob("*/*-seed*.json")})
KEYS = (
    "lecture model dataset source profile seed metrics history parameters epochs "
    "seconds_per_epoch examples_per_second hardware backend precision versions date commit"
).split()


@pytest.mark.parametrize("lecture", LECTURES)
def test_recorded_runs_are_whole_and_named_after_themselves(lecture):
    for path in results.files(lecture):
        run = json.loads(path.read_text(encoding="utf-8"))
        assert set(KEYS) <= set(run), path
        assert path.parent.name == run["lecture"]
        assert path.stem == f"{run['model']}-{run['dataset']}-seed{run['seed']}"
        assert run["profile"] == "full"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"]), path
        for name, value in run["metrics"].items():
            assert not name.endswith("accuracy") or 0 <= value <= 1, (path, name)


def test_every_model_has_three_seeds_or_says_why_it_has_one():
    for lecture in LECTURES:
        for names, runs in records.runs(lecture).items():
            excused = [(run.get("settings") or {}).get("one_seed_because") for run in runs]
            seeds = {run["seed"] for run, why in zip(runs, excused, strict=True) if not why}
            assert not seeds or seeds >= {0, 1, 2}, (lecture, names)


def test_written_pages_are_up_to_date_and_their_plots_are_there():
    assert writer.outdated() == []
    for page, text in writer.pages().items():
        pictures = re.findall(r"!\[(.+?)\]\((.+?)\)", text)
        assert pictures
        for alt, path in pictures:
            assert len(alt) > 20
            assert (page.parent / path).is_file(), path


def test_every_record_has_a_name_in_words_and_every_name_a_record():
    words = writer.names()
    runs = [run for lecture in LECTURES for run in results.load(lecture)]
    assert {run["dataset"] for run in runs} == set(words["datasets"])
    for lecture, about in words["lectures"].items():
        recorded = {run["model"] for run in runs if run["lecture"] == lecture}
        assert recorded == set(about["models"]), lecture
    assert {run["lecture"] for run in runs} == set(words["lectures"])


def test_findings_are_ten_and_their_runs_carry_them():
    found = findings.findings()
    assert len(found) + 1 == 10
    assert all(one.holds() for one in found)
    assert all(len(arm) >= 3 for one in found for arm in one.arms.values())
    assert all(round(ours) == printed for printed, ours in findings.sizes().values())


def test_runs_in_groups_are_shown_each_and_others_by_mean_and_spread():
    assert findings.figure([0.7, 0.72, 0.74]) == "0.720 ± 0.020"
    assert findings.figure([0.99, 0.5, 0.98]) == "0.500 / 0.980 / 0.990"


def test_overlapping_sides_and_outdated_pages_are_refused(monkeypatch):
    arms = {"one": [0.4, 0.6], "other": [0.5, 0.7]}
    one = findings.Finding("", "one is below", "accuracy", arms, ("other",), "02_simple_rnn")
    assert not one.holds()
    monkeypatch.setattr(writer.findings, "findings", lambda: [one])
    with pytest.raises(ValueError, match="one is below"):
        writer.front()
    monkeypatch.setattr(writer, "front", lambda: "other")
    assert writer.ROOT / "RESULTS.md" in writer.outdated()


@pytest.mark.parametrize(
    "path", sorted(models.SHIPPED.glob("*.npz")), ids=lambda path: path.stem
)
def test_shipped_weights_are_small_and_name_the_run_that_made_them(path):
    assert path.stat().st_size < (4e6 if path.stem.endswith("_encoder") else 2e6)
    made = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert (results.RESULTS / f"{made['run']}.json").is_file()
    assert made["seed"] == 0 and made["date"]
    arrays = models.load_pretrained(path.stem).values()
    assert all(array.dtype.kind in "fiU" for array in arrays)


def test_what_is_not_recorded_names_what_is():
    with pytest.raises(ValueError, match="it has"):
        results.load_table("01_imdb_embeddings", "nothing")
    with pytest.raises(ValueError, match="01_imdb_embeddings"):
        results.load("99_no")
    with pytest.raises(ValueError, match="it has: imdb, reviews"):
        results.load("02_simple_rnn", "simple_rnn_32", "imbd")


def test_damaged_file_is_named_and_the_rest_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    run = {"model": "net", "dataset": "points"}
    results.write(tmp_path / "00_test" / "net-points-seed1.json", {**run, "seed": 1})
    (tmp_path / "00_test" / "net-points-seed0.json").write_text('{"rows": [', encoding="utf-8")
    with pytest.warns(match="net-points-seed0.json.*record it again"):
        [run] = results.load("00_test")
    assert run["seed"] == 1
    (tmp_path / "00_test" / "measured-half.json").write_text('{"rows": [', encoding="utf-8")
    with pytest.raises(ValueError, match=r"measured-half.json.*damaged"):
        results.load_table("00_test", "half")
