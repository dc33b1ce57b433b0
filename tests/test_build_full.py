"""`make full` records a lecture in the full profile, seed by seed; what it prints is seen."""

import json

import pytest

from tools import full

pytestmark = pytest.mark.weekly

RECORD = """\
import os

from course_utils import results


def record_all(seed):
    print(os.environ["COURSE_PROFILE"], seed, os.environ.get("OMP_NUM_THREADS"))
    results.record("09_training", "model", "data", {"loss": 1.0}, seed=seed)
    if seed == 7:
        raise OSError("no network")
"""


@pytest.fixture
def lecture(tmp_path, monkeypatch):
    """Return a lecture in a folder of its own; which recipes would be kept is in `kept`."""
    folder = tmp_path / "lectures" / "lecture_09"
    folder.mkdir(parents=True)
    (folder / "record.py").write_text(RECORD, encoding="utf-8")
    path = folder / "09_training.py"
    path.write_text('# %% [markdown] tags=["title"]\n# # Training\n', encoding="utf-8")
    monkeypatch.setattr(full, "FULL", tmp_path / "full")
    monkeypatch.setattr(
        full.recipes,
        "keep_new",
        lambda path, written: kept.append(written),
    )
    known = f"import lectures\nlectures.__path__.append({str(folder.parent)!r})\n"
    (tmp_path / "sitecustomize.py").write_text(known, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    global kept
    kept = []
    return path


def run(lecture, seeds, *more):
    results = lecture.parents[2] / "results"
    return full.main([str(lecture), "--seeds", seeds, "--results", str(results), *more])


def test_each_seed_is_trained_and_recorded_with_its_recipe(lecture, capfd):
    assert run(lecture, "0,3") == 0
    said = capfd.readouterr().out
    assert "full 0 None" in said and "full 3 None" in said
    written = sorted(path for path in (lecture.parents[2] / "results").rglob("*.json"))
    assert [path.stem for path in written] == ["model-data-seed0", "model-data-seed3"]
    run_of = json.loads(written[0].read_text(encoding="utf-8"))
    assert run_of["profile"] == "full" and run_of["clean"] in (True, False, None)
    log = (lecture.parents[2] / "full" / "09_training-seed3.log").read_text(encoding="utf-8")
    assert "full 3 None\n" in log
    assert kept == [["model-data-seed0"], ["model-data-seed3"]]


def test_one_statement_may_take_the_place_of_all(lecture, capfd):
    only = "results.record('09_training', 'other', 'data', {}, seed=seed + 1)"
    assert run(lecture, "1", "--only", only) == 0
    assert kept == [["other-data-seed2"]]
    assert run(lecture, "1", "--only", "record(") == 1
    assert "Nothing was trained" in capfd.readouterr().err


def test_failure_passes_through_and_ends_the_seeds(lecture, capfd):
    assert run(lecture, "7,8") == 1
    said = capfd.readouterr()
    assert "seed 7, failed: OSError: no network" in said.err and "full 8" not in said.out
    log = (lecture.parents[2] / "full" / "09_training-seed7.log").read_text(encoding="utf-8")
    assert "full 7 None" in log and "OSError: no network" in log


def test_data_that_cannot_be_had_are_named_before_training(lecture, capfd, monkeypatch):
    says = "REAL_DATA = [\"lectures.lecture_03b.series.load_series('etth1')\"]"
    lecture.with_name("page.py").write_text(says, encoding="utf-8")
    monkeypatch.setenv("KERAS_HOME", str(lecture.parent))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers there
    assert run(lecture, "0") == 1
    said = capfd.readouterr()
    assert said.err.startswith("Nothing was trained: ETTh1.csv") and "By hand:" in said.err
    assert "record_all" not in said.out


@pytest.mark.parametrize("seeds", ["", "a", "-1", "1.5"])
def test_wrong_seeds_are_refused_first(lecture, capfd, seeds):
    with pytest.raises(SystemExit, match="2"):
        full.main([str(lecture), f"--seeds={seeds}"])
    assert "write whole numbers, such as 0,1,2" in capfd.readouterr().err
    (lecture.parents[2] / "results").touch()  # a file for a folder
    assert run(lecture, "0") == 1
    said = capfd.readouterr()
    assert "results" in said.err and "record_all" not in said.out
