"""The course's weather, series from files and archives, windows without leakage, the scale."""

import dataclasses
import hashlib
import urllib.error
import zipfile
from pathlib import Path

import numpy as np
import pytest

from course_utils.data import (
    Series,
    cut_windows,
    load_days,
    load_series,
    read_series,
    series_archives,
    training_scale,
    window_pairs,
)


def small(hours=60, cuts=(30, 45, 60), **other):
    times = np.datetime64("2020-01-01T00", "h") + np.arange(hours)
    values = np.random.default_rng(0).normal(size=(hours, 2)) * [1.0, 50.0] + [10.0, 1000.0]
    given = {
        "name": "small",
        "times": times,
        "values": values,
        "columns": ("warmth", "pressure"),
        "units": ("°C", "hPa"),
        "target": "warmth",
        "cuts": cuts,
    }
    return Series(**{**given, **other})


# Series


def test_the_embedded_series(capsys):
    series = load_series()
    assert len(series) == 35_064 and series.columns == ("temperature", "pressure")
    assert series.unit == "°C" and series.licence == "CC0"
    assert [series.hours(p) for p in ("train", "val", "test")] == [
        slice(0, 17_520),
        slice(17_520, 26_280),
        slice(26_280, 35_064),
    ]
    assert str(series.times[series.cuts[0]]) == "2023-01-01T00"
    assert "17,520 / 8,760 / 8,784 hours" in capsys.readouterr().out
    assert (series.column() == series.column("temperature")).all()


def test_days_are_the_series_by_day():
    days, series = load_days(), load_series()
    assert [len(days.split(p)) for p in ("train", "val", "test")] == [730, 365, 366]
    assert days.train.inputs.shape == (730, 24) and days.train.inputs.dtype == np.float32
    assert np.allclose(days.val.inputs.ravel(), series.column()[series.hours("val")])
    assert set(days.train.targets) == set(range(5)) and len(days.class_names) == 5


@pytest.mark.parametrize(
    ("call", "telling"),
    [
        (lambda: load_series("stocks"), "'embedded', 'etth1', 'jena'"),
        (lambda: small().column("wind"), "'warmth', 'pressure'"),
        (lambda: small().hours("future"), "'train', 'val', 'test'"),
        (lambda: small(target="wind"), "'warmth', 'pressure'"),
        (lambda: small(cuts=(30, 45, 61)), "from 1 to 60"),
        (lambda: small(cuts=(45, 30, 60)), "rising"),
        (lambda: small(cuts=(0.5, 0.7, 1.0)), "whole hours from 1 to 60"),
        (lambda: small(columns=("warmth", "warmth")), "twice"),
        (lambda: small(cuts=(0, 30, 60)), "rising"),
        (lambda: small(units=("°C",)), "as many units"),
        (lambda: small(columns=("warmth",)), "need"),
    ],
)
def test_a_wrong_argument_is_refused(call, telling):
    with pytest.raises(ValueError, match=telling):
        call()


def test_gaps_repeated_hours_and_missing_values_are_refused():
    series = small()
    kept = np.arange(60) != 20
    with pytest.raises(ValueError, match=r"gap: after 2020-01-01T19 comes 2020-01-01T21"):
        small(59, (30, 45, 59), times=series.times[kept], values=series.values[kept])
    times = series.times.copy()
    times[20] = times[19]
    with pytest.raises(ValueError, match="repeated"):
        dataclasses.replace(series, times=times)
    values = series.values.copy()
    values[7, 1] = np.nan
    with pytest.raises(ValueError, match="pressure at 2020-01-01T07 is nan"):
        dataclasses.replace(series, values=values)
    with pytest.raises(ValueError, match="empty"):
        small(0)


def written(tmp_path, change=lambda lines: lines):
    lines = ["date,load,OT"] + [f"2016-07-01 {h:02}:00:00,{h}.5,{30 - h}" for h in range(24)]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(change(lines)) + "\n")
    return path


def test_a_file_of_your_own(tmp_path):
    series = read_series(written(tmp_path), "OT", (12, 18, 24), {"OT": "°C"})
    assert series.name == "mine" and series.columns == ("load", "OT")
    assert series.units == ("", "°C") and series.column()[3] == 27
    assert str(series.times[-1]) == "2016-07-01T23"


@pytest.mark.parametrize(
    ("change", "telling"),
    [
        (lambda ls: [line.replace("5.5", "n/a") for line in ls], "line 7: load is 'n/a'"),
        (lambda ls: [line.replace(",5.5", ",") for line in ls], "line 7: load is ''"),
        (lambda ls: [line.replace(",5.5", ",nan") for line in ls], "finite"),
        (lambda ls: ls[:9] + ls[10:], "gap"),
        (lambda ls: ls[:9] + ls[8:], "repeated"),
        (lambda ls: [*ls[:9], ls[9] + ",7", *ls[10:]], "line 10: 4 fields"),
        (lambda ls: [line.replace(" 08:00", " 08:30") for line in ls], "not on the hour"),
        (lambda ls: [line.replace("2016-07-01 08", "yesterday") for line in ls], "no time"),
        (lambda ls: [line.replace("2016-07-01 08:00:00", "") for line in ls], "no time"),
        (lambda ls: [line.replace("08:00:00", "08:00:00Z") for line in ls], "with a zone"),
        (lambda ls: [line.replace(",", ";") for line in ls], "commas part the fields"),
        (lambda ls: ls[:1], "empty"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, change, telling):
    with pytest.raises(ValueError, match=telling):
        read_series(written(tmp_path, change), "OT", (12, 18, 24))


@pytest.mark.parametrize(
    ("content", "other", "telling"),
    [
        (b"", {}, "mine.csv is empty"),
        ("date,T °C\n".encode("latin-1"), {}, "no text in UTF-8"),
        (None, {"cuts": 12}, "three rising whole hours"),
        (None, {"target": "T"}, "'load', 'OT'"),
        (None, {"units": "°C"}, "column in units"),
    ],
)
def test_another_file_or_argument_is_refused(tmp_path, content, other, telling):
    path = written(tmp_path)
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=telling):
        read_series(path, **{"target": "OT", "cuts": (12, 18, 24), **other})


# Windows and the scale


def test_inputs_end_at_hour_t_and_targets_begin_after_it():
    series = small()
    data = cut_windows(series, 6, 4)
    for part in ("train", "val", "test"):
        split, hours = data.split(part), series.hours(part)
        x = series.column()[hours].astype("float32")
        assert len(split) == len(x) - 6 - 4 + 1
        for k in (0, 3, len(split) - 1):
            assert np.array_equal(split.inputs[k], x[k : k + 6])
            assert np.array_equal(split.targets[k], x[k + 6 : k + 10])
            assert split.columns["time"][k] == series.times[hours][k + 5]
        assert split.targets[-1][-1] == x[-1]


def test_several_columns():
    data = cut_windows(small(), 6, 4, ("pressure", "warmth"))
    assert data.train.inputs.shape == (21, 6, 2) and data.train.targets.shape == (21, 4)
    assert np.array_equal(data.train.inputs[:, :, 1], cut_windows(small(), 6, 4).train.inputs)


@pytest.mark.parametrize("now", [12, 29, 30, 40, 50])
def test_changing_the_future_changes_no_earlier_input(now):
    series = small()
    changed = dataclasses.replace(series, values=series.values.copy())
    changed.values[now:] += 100
    for columns in (None, series.columns):
        before, after = (cut_windows(s, 6, 4, columns) for s in (series, changed))
        for part in ("train", "val", "test"):
            old, new = before.split(part), after.split(part)
            past = old.columns["time"] < series.times[now]
            assert np.array_equal(old.inputs[past], new.inputs[past])
            moved = (old.inputs != new.inputs).reshape(len(old), -1).any(axis=1)
            assert moved[~past].all()


def test_no_window_crosses_a_cut():
    series = small()
    marked = dataclasses.replace(series, values=np.zeros_like(series.values))
    for number, part in enumerate(("train", "val", "test")):
        marked.values[marked.hours(part)] = number
    data = cut_windows(marked, 6, 4)
    for number, part in enumerate(("train", "val", "test")):
        assert (data.split(part).inputs == number).all()
        assert (data.split(part).targets == number).all()


def test_filled_hours_are_left_out():
    filled = np.zeros(60, bool)
    filled[10] = True
    series = small(filled=filled)
    times = cut_windows(series, 6, 4).train.columns["time"]
    ends = (times - series.times[0]).astype(int)
    assert len(ends) == 21 - 10
    assert all(not filled[end - 5 : end + 5].any() for end in ends)
    filled[::5] = True
    with pytest.raises(ValueError, match="free of filled hours"):
        cut_windows(small(filled=filled), 6, 4)


@pytest.mark.parametrize(
    ("arguments", "telling"),
    [
        ((6, 0), "horizon has to be a whole number of at least 1"),
        ((0, 4), "length has to be a whole number of at least 1"),
        ((6.5, 4), "whole number"),
        ((100, 4), "need 104 hours in one part, but val of small has only 15"),
        ((12, 4), "need 16 hours"),
        ((6, 4, ("wind",)), "'warmth', 'pressure'"),
        ((6, 4, "warmth"), "a list of names"),
        ((6, 4, ()), "a list of names"),
    ],
)
def test_windows_that_cannot_be_cut_are_refused(arguments, telling):
    with pytest.raises(ValueError, match=telling):
        cut_windows(small(), *arguments)


def test_pairs_of_one_part():
    inputs, targets = window_pairs(np.arange(10), 4, 3)
    assert inputs.tolist()[-1] == [3, 4, 5, 6] and targets.tolist()[-1] == [7, 8, 9]
    assert len(inputs) == 10 - 4 - 3 + 1
    with pytest.raises(ValueError, match="only 6"):
        window_pairs(np.arange(6), 4, 3)
    with pytest.raises(ValueError, match="horizon"):
        window_pairs(np.arange(6), 4, 0)


def test_the_scale_is_that_of_the_training_part_alone():
    series = small()
    changed = dataclasses.replace(series, values=series.values.copy())
    changed.values[30:] += 100
    assert training_scale(series) == training_scale(changed)
    mean, deviation = training_scale(series, series.columns)
    scaled = (series.values[:30] - mean) / deviation
    assert np.allclose(scaled.mean(axis=0), 0) and np.allclose(scaled.std(axis=0), 1)
    flat = dataclasses.replace(series, values=np.ones_like(series.values))
    with pytest.raises(ValueError, match="never changes"):
        training_scale(flat)


# Archives


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """Keras' folder is empty and no address answers."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))

    def refuse(*_, **__):
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr("keras.src.utils.file_utils.urlretrieve", refuse)
    return tmp_path / "datasets" / "course"


@pytest.mark.parametrize("source", ["etth1", "jena"])
def test_without_a_network_the_error_says_what_to_do(offline, source):
    with pytest.raises(ConnectionError) as error:
        load_series(source)
    address = getattr(series_archives, source.upper())
    for told in (address, str(offline), "COURSE_PROFILE=quick"):
        assert told in str(error.value)


def test_etth1_from_a_file_put_there_by_hand(offline, monkeypatch):
    lines = ["date,HUFL,OT"]
    for hour in range(20 * series_archives.MONTH + 5):
        time = np.datetime64("2016-07-01T00", "h") + hour
        lines.append(f"{str(time).replace('T', ' ')}:00:00,1.5,{hour % 24}")
    offline.mkdir(parents=True)
    text = "\n".join(lines).encode()
    (offline / "ETTh1.csv").write_bytes(text)
    with pytest.raises(ConnectionError):  # another file than the published one
        load_series("etth1")
    (offline / "ETTh1.csv").write_bytes(text)  # Keras deletes what has another checksum
    monkeypatch.setattr(series_archives, "ETTH1_SHA256", hashlib.sha256(text).hexdigest())
    series = load_series("etth1")
    assert series.target == "OT" and series.unit == "°C" and series.units[0] == ""
    assert series.cuts == (8_640, 11_520, 14_400) and "BY-ND" in series.licence


@pytest.mark.skipif(
    not (Path.home() / ".keras/datasets/course/ETTh1.csv").is_file(), reason="no ETTh1 here"
)
def test_the_real_etth1():
    series = load_series("etth1")
    assert len(series) == 17_420 and len(series.columns) == 7
    mean, deviation = training_scale(series)
    assert abs(mean - 17.13) < 0.01 and abs(deviation - 9.18) < 0.01
    assert abs(series.column()[series.hours("test")].mean() - 4.85) < 0.01


def jena_text(rows):
    return "\n".join(["Date Time," + ",".join(series_archives.JENA_COLUMNS), *rows])


def jena_row(day, hour, minute, value, wind=1.0):
    return f"{day:02}.01.2009 {hour:02}:{minute:02}:00," + ",".join(
        [str(value)] * 11 + [str(wind)] * 3
    )


def test_jena_becomes_hourly_means_without_faulty_values():
    rows = [jena_row(1, 0, m, m) for m in (10, 20, 30, 40, 50)] + [jena_row(1, 1, 0, 60)]
    rows += [jena_row(1, 1, m, 7, wind=-9999 if m < 40 else 2.0) for m in (10, 20, 30, 40)]
    rows += [jena_row(1, 1, 40, 99)]  # a time that occurs twice
    rows += [jena_row(1, 4, 10, 10)]  # two hours without any reading
    times, values, columns = series_archives.parse_jena(
        jena_text(rows), series_archives.JENA_COLUMNS
    )
    hours, means, filled = series_archives.hourly_means(times, values)
    assert [str(hour)[-2:] for hour in hours] == ["00", "01", "02", "03", "04"]
    assert means[:, 1].tolist() == [35, 7, 8, 9, 10]
    assert means[:2, columns.index("wv (m/s)")].tolist() == [1, 2]
    assert filled.tolist() == [False, False, True, True, False]


def test_an_hour_that_lacks_one_column_is_marked():
    rows = [jena_row(1, h, 10, 5, wind=-9999 if h == 1 else h) for h in range(3)]
    times, values, _ = series_archives.parse_jena(jena_text(["", *rows]))
    assert series_archives.hourly_means(times, values)[2].tolist() == [False, True, False]


def test_jena_from_a_file_put_there_by_hand(offline, monkeypatch):
    times = np.arange("2009-01-01T00:10", "2017-01-01T00:10", 10, dtype="datetime64[m]")
    times = times[(times < np.datetime64("2014-12-30")) & (times.astype(int) % 60 == 10)]
    late = np.arange("2014-12-30T00:10", "2017-01-01T00:10", 60, dtype="datetime64[m]")
    stamps = [f"{t.astype(object):%d.%m.%Y %H:%M:%S}" for t in [*times, *late[5:]]]
    rows = [f"{stamp}," + ",".join(["1.0"] * 14) for stamp in stamps]
    monkeypatch.setattr(series_archives, "JENA_ROWS", 1_000)
    offline.mkdir(parents=True)
    with zipfile.ZipFile(offline / "jena_climate_2009_2016.csv.zip", "w") as archive:
        archive.writestr("jena_climate_2009_2016.csv", jena_text(rows))
    series = load_series("jena")
    assert series.unit == "°C" and series.target == "T (degC)"
    assert "wd (deg)" not in series.columns and len(series.columns) == 13
    assert str(series.times[series.cuts[0]]) == "2015-01-01T00" and series.filled.sum() == 5
    assert len(series) == series.cuts[-1] == 70_128


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        (jena_text([jena_row(1, 0, 10, "warm")]), "something else than numbers"),
        (jena_text(["2009-01-01 00:10:00" + ",1" * 14]), "something else than numbers"),
        (jena_text([jena_row(1, 0, 13, 5)]), "ten-minute"),
        (jena_text([]), "has 0 rows; at least 1"),
        ("Date Time,T\n", "columns are"),
    ],
)
def test_another_file_than_jena_is_refused(text, telling):
    with pytest.raises(ValueError, match=telling):
        series_archives.parse_jena(text, series_archives.JENA_COLUMNS)


SAMPLE = Path.home() / ".keras/datasets/course/jena_climate_sample.csv"


@pytest.mark.skipif(not SAMPLE.is_file(), reason="no fragment of Jena here")
def test_the_fragment_of_jena_is_read():
    times, values, columns = series_archives.parse_jena(SAMPLE.read_text())
    assert columns == series_archives.JENA_COLUMNS[:11]
    hours, means, filled = series_archives.hourly_means(times, values)
    assert len(hours) == 667 and not filled.any()
    assert np.isclose(means[0, 1], values[:6, 1].mean())
