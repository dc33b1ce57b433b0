"""RESULTS.md and the recorded runs that it is written from."""

import datetime
import json
import re
from pathlib import Path

import numpy as np
import pytest

from course_utils import models, results, saving
from tools import records, result_plots
from tools import results as writer
from tools.source import page

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
    for path, text in writer.written().items():
        pictures = re.findall(r"!\[(.+?)\]\((.+?)\)", text)
        assert pictures
        for alt, picture in pictures:
            assert len(alt) > 20
            assert (path.parent / picture).is_file(), picture


def test_every_record_has_a_name_in_words_and_every_name_a_record():
    pages, datasets = result_plots.pages(), writer.names()["datasets"]
    assert sorted(pages) == LECTURES
    for lecture, said in pages.items():
        runs = results.load(lecture)
        assert {run["model"] for run in runs} == set(said.MODELS), lecture
        assert {run["dataset"] for run in runs} <= set(datasets), lecture


def test_a_lecture_may_have_no_page_and_a_plot_has_no_unknown_keys(tmp_path):
    assert not page(tmp_path / "09_name.py").TITLE
    said = {"title": "", "runs": "{arm} imdb test_accuracy", "arms": [], "captoin": ""}
    with pytest.raises(TypeError, match="captoin"):
        result_plots.plot(LECTURES[0], "name", **said)


def test_findings_fit_on_a_screen_and_their_runs_carry_them():
    found = writer.findings()
    told = [said.FINDINGS for said in result_plots.pages().values()]
    assert len(found) == sum(map(len, told)) <= 10  # no two have one rank
    for one in found:
        if one.counted:
            assert re.match(r"(\d+) of \1 ", one.sentence)
        else:
            assert one.holds() and min(map(len, one.arms.values())) >= 3


def test_runs_in_groups_are_shown_each_and_others_by_mean_and_spread():
    assert records.figure([0.7, 0.72, 0.74]) == "0.720 ± 0.020"
    assert records.figure([0.99, 0.5, 0.98]) == "0.500 / 0.980 / 0.990"


def test_what_the_page_of_speeds_says_of_the_translators_holds():
    found = {}
    for row in results.load_table("speed", "translation"):
        for name in ("BLEU", "validation loss"):
            found.setdefault((row["model"], row["epochs"], name), []).append(row[name])
    bleu, loss = (
        [
            np.array(found[model, epochs, name])
            for model, epochs in (("keras.io's", 3), ("the course's", 8), ("the course's", 3))
        ]
        for name in ("BLEU", "validation loss")
    )
    assert len(bleu[0]) == 3
    assert (bleu[1] > bleu[0]).all() and (bleu[2] < bleu[0]).all()
    assert (loss[1] > loss[0]).all() and (loss[2] > loss[0]).all()


def test_overlapping_sides_and_outdated_pages_are_refused(monkeypatch):
    arms = {"above": {"other": [0.5, 0.7]}, "below": {"one": [0.4, 0.6]}}
    one = writer.Finding(LECTURES[0], "one is below", "", **arms)
    assert not one.holds()
    monkeypatch.setattr(writer, "findings", lambda: [one])
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


PLAIN = [
    (np.float32(0.1), 0.1),
    (np.int64(3), 3),
    (np.bool_(True), True),
    (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (np.array([0.25, np.nan]), [0.25, None]),
    (np.array(["a", 1, None], object), ["a", 1, None]),
    (np.longdouble(0.5), 0.5),
    (float("-inf"), None),
    (1 / 3, 0.333333),
    ((1, (2,)), [1, [2]]),
    ({3, 1, 2.5}, [1, 2.5, 3]),
    (frozenset({"b", "a", 1}), [1, "a", "b"]),
    (range(3), [0, 1, 2]),
    (Path("data") / "x", str(Path("data") / "x")),
    (datetime.date(2026, 11, 26), "2026-11-26"),
    (np.datetime64("2026-11-26"), "2026-11-26"),
    ({np.int64(2): {"a": np.float16(0.5)}}, {"2": {"a": 0.5}}),
]


@pytest.mark.parametrize(("value", "written"), PLAIN)
def test_what_json_can_hold_is_written(value, written, tmp_path):
    path = results.write(tmp_path / "one.json", {"value": value})

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    text = path.read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=refuse) == {"value": written}


@pytest.mark.parametrize(
    "value", [len, object(), 1j, b"raw", np.array([1j]), np.timedelta64(1, "s"), {(1, 2): 3}]
)
def test_what_json_cannot_hold_is_refused_by_name_in_the_quick_profile_too(value):
    with pytest.raises(ValueError, match=r"metrics\['a'\]"):
        results.record("00_test", "net", "points", {"a": value})
    with pytest.raises(ValueError, match=r"rows\[0\]\['a'\]"):
        results.record_table("00_test", "table", [{"a": value}])
    with pytest.raises(ValueError, match=r"settings\['a'\]"):
        results.record("00_test", "net", "points", {}, settings={"a": value})
    with pytest.raises(ValueError, match=r"settings\['a'\]"):
        models.save_pretrained("tiny", {}, "00_test/net", a=value)


def test_settings_have_to_be_finite_and_a_dict():
    for settings, told in (({"a": [np.nan]}, r"settings\['a'\]\[0\] is nan"), (3, "dict")):
        with pytest.raises(ValueError, match=told):
            results.record("00_test", "net", "points", {}, settings=settings)


NAMES = ["../oops", "..", ".", "", " ", "a/b", "/etc", "a\\b", "C:x", "a\0b", "a\nb", "aux"]
NAMES += ["NUL.txt", "com1", ".hidden", "ends.", "ends ", "what?", 3, None, Path("a")]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names_that_are_no_files_are_refused_by_argument(name):
    for argument, call in (
        ("lecture", lambda: results.record(name, "net", "points", {})),
        ("lecture", lambda: results.load(name)),
        ("model", lambda: results.record("00_test", name, "points", {})),
        ("dataset", lambda: results.record("00_test", "net", name, {})),
        ("name", lambda: results.record_table("00_test", name, [])),
        ("name", lambda: results.load_table("00_test", name)),
        ("name", lambda: models.load_pretrained(name)),
        ("name", lambda: models.save_pretrained(name, {}, "00_test/net")),
    ):
        with pytest.raises(ValueError, match=f"^{argument} becomes the name of a file"):
            call()


def test_every_recorded_name_is_allowed():
    for path in [*results.RESULTS.glob("*/*.json"), *results.RESULTS.glob("*/*.npz")]:
        results.check_name("lecture", path.parent.name)
        results.check_name("name", path.stem)


def test_a_table_in_markdown_keeps_its_cells_apart():
    table = results.Table([{"a|b": "x | y", "c": "two\nlines"}, {"a|b": np.float32(0.5)}])
    assert table.markdown() == (
        "| a\\|b | c |\n| --- | --- |\n| x \\| y | two<br>lines |\n| 0.500 | – |"
    )


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_what_fails_or_is_interrupted_leaves_the_older_file_alone(error, tmp_path):
    path = tmp_path / "one.json"
    path.write_text("older", encoding="utf-8")
    with pytest.raises(type(error)) as raised, saving.whole(path) as beside:
        beside.write_text("half", encoding="utf-8")
        raise error
    assert [found.name for found in tmp_path.iterdir()] == ["one.json"]
    assert path.read_text(encoding="utf-8") == "older"
    if isinstance(error, OSError):
        assert str(raised.value) == f"[Errno 28] No space left: {str(path)!r}"


def test_what_cannot_be_renamed_into_place_leaves_nothing(tmp_path):
    (tmp_path / "one.json").mkdir()
    with pytest.raises(OSError, match="one.json'$"):
        results.write(tmp_path / "one.json", {})
    assert [found.name for found in tmp_path.iterdir()] == ["one.json"]
