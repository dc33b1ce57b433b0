"""RESULTS.md and the recorded runs that it is written from."""

import json
import re

import pytest

from course_utils import results
from tools import results as writer

LECTURES = sorted(path.name for path in results.RESULTS.iterdir() if path.is_dir())
RUNS = [path for lecture in LECTURES for path in results.files(lecture)]
KEYS = (
    "lecture model dataset source profile seed metrics history parameters epochs "
    "seconds_per_epoch examples_per_second hardware backend precision versions date commit"
).split()


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_recorded_run_is_whole_and_named_after_itself(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    assert set(KEYS) <= set(run)
    assert path.parent.name == run["lecture"]
    assert path.stem == f"{run['model']}-{run['dataset']}-seed{run['seed']}"
    assert run["profile"] == "full"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"])
    for name, value in run["metrics"].items():
        if name.endswith("accuracy"):
            assert 0 <= value <= 1, name


def test_every_model_has_three_seeds_or_says_why_it_has_one():
    seeds = {}
    for path in RUNS:
        run = json.loads(path.read_text(encoding="utf-8"))
        if not (run.get("settings") or {}).get("one_seed_because"):
            key = run["lecture"], run["model"], run["dataset"]
            seeds.setdefault(key, set()).add(run["seed"])
    assert seeds
    assert {key: found for key, found in seeds.items() if found != {0, 1, 2}} == {}


def test_page_is_up_to_date_and_its_pictures_are_there():
    assert writer.main(["--check"]) == 0
    text = writer.PAGE.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[(.+?)\]\((.+?)\)", text)
    assert pictures
    for alt, path in pictures:
        assert len(alt) > 20
        assert (results.ROOT / path).is_file(), path


def test_page_reports_mean_spread_and_the_slides_figure(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    for seed, value in enumerate((0.7, 0.8, 0.9)):
        results.record("00_test", "counting", "points", {"val_accuracy": value}, seed=seed)
    results.record_table(
        "00_test", "speeds", [{"length": 64, "seconds": 0.25}], note="One step."
    )
    published = {"00_test": {"counting": "validation 0.75"}}
    (tmp_path / "published.json").write_text(json.dumps(published))
    text = writer.page()
    assert "0.8000 ± 0.1000 | validation 0.75 | 3 |" in text
    assert "One step." in text
    assert "| 64 | 0.250 |" in text


def test_outdated_page_is_reported(monkeypatch, tmp_path, capsys):
    (tmp_path / "RESULTS.md").write_text("old")
    monkeypatch.setattr(writer, "PAGE", tmp_path / "RESULTS.md")
    assert writer.main(["--check"]) == 1
    assert "make results" in capsys.readouterr().err


def test_unknown_table_names_those_there_are():
    with pytest.raises(ValueError, match="it has"):
        results.load_table("01_imdb_embeddings", "nothing")
