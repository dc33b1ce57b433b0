"""`make full` runs a lecture in the full profile, a seed at a time; what it prints is seen."""

import pytest

from tools import full

pytestmark = pytest.mark.slow

LECTURE = """\
# %% [markdown] tags=["title"]
# # Training

# %%
import os
from pathlib import Path

seed = os.environ["COURSE_SEED"]
print(os.environ["COURSE_PROFILE"], seed, os.environ.get("OMP_NUM_THREADS"))

# %%
print("\\rdrawn over", end="", flush=True)
print("\\rlearnt", flush=True)
Path(os.environ["COURSE_RESULTS"], f"run-seed{seed}.json").write_text("{}")

# %%
if seed == "7":
    raise OSError("no network")
"""


@pytest.fixture
def lecture(tmp_path, monkeypatch):
    monkeypatch.setattr(full, "FULL", tmp_path / "full")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    path = tmp_path / "09_training.py"
    path.write_text(LECTURE, encoding="utf-8")
    return path


def run(lecture, seeds):
    results = lecture.parent / "results"
    return full.main([str(lecture), "--seeds", seeds, "--results", str(results)])


def test_each_seed_is_trained_and_recorded(lecture, capfd):
    assert run(lecture, "0,3") == 0
    said = capfd.readouterr().out
    assert "full 0 None" in said and "full 3 None" in said
    assert "learnt\n" in said and "drawn over" not in said
    results = sorted(path.name for path in (lecture.parent / "results").iterdir())
    assert results == ["run-seed0.json", "run-seed3.json"]
    log = (lecture.parent / "full" / "09_training-seed3.log").read_text(encoding="utf-8")
    assert "full 3 None\n" in log
    assert (lecture.parent / "full" / "09_training-seed3.ipynb").is_file()


def test_failure_passes_through_and_ends_the_seeds(lecture, capfd):
    assert run(lecture, "7,8") == 1
    said = capfd.readouterr()
    assert "seed 7" in said.err and "cell 4 of 4" in said.err
    assert "OSError: no network" in said.err and "seed8" not in said.out
    log = (lecture.parent / "full" / "09_training-seed7.log").read_text(encoding="utf-8")
    assert "full 7 None" in log and "OSError: no network" in log


def test_data_that_cannot_be_had_are_named_before_training(lecture, capfd, monkeypatch):
    says = "REAL_DATA = [\"lectures.lecture_03b.series.load_series('etth1')\"]"
    lecture.with_name("page.py").write_text(says, encoding="utf-8")
    monkeypatch.setenv("KERAS_HOME", str(lecture.parent))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nobody answers there
    assert run(lecture, "0") == 1
    said = capfd.readouterr()
    assert said.err.startswith("Nothing was trained: ETTh1.csv") and "By hand:" in said.err
    assert "starting" not in said.out


@pytest.mark.parametrize("seeds", ["", "a", "-1", "1.5"])
def test_wrong_seeds_are_refused_first(lecture, capfd, seeds):
    with pytest.raises(SystemExit, match="2"):
        full.main([str(lecture), f"--seeds={seeds}"])
    assert "write whole numbers, such as 0,1,2" in capfd.readouterr().err
    (lecture.parent / "results").touch()  # a file for a folder
    assert run(lecture, "0") == 1
    said = capfd.readouterr()
    assert "results" in said.err and "starting" not in said.out
