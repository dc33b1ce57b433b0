"""The course's weather, series from archives, windows without leakage, the scale."""

import dataclasses
import hashlib
import zipfile

import numpy as np
import pytest

from lectures.lecture_03b import series as series_module
from lectures.lecture_03b.series import (
    Series,
    cut_windows,
    load_series,
    training_scale,
    window_pairs,
)


def small(hours=60, cuts=(30, 45, 60), **other):
    values = np.random.default_rng(0).normal(size=(hours, 2)) * [1.0, 50.0] + [10.0, 1000.0]
    times = np.datetime64("2020-01-01T00", "h") + np.arange(hours)
    given = {"name": "small", "times": times, "values": values, "cuts": cuts, "unit": "°C"}
    given |= {"columns": ("warmth", "pressure"), "target": "warmth"}
    return Series(**given | other)


def test_the_embedded_series(capsys):
    series = load_series()
    assert len(series) == 35_064 and series.columns == ("temperature", "pressure")
    assert series.unit == "°C" and series.licence == "CC0"
    assert str(series.times[series.cuts[0]]) == "2023-01-01T00"
    assert "17,520 / 8,760 / 8,784 hours" in capsys.readouterr().out
    assert (np.diff(series.times) == series_module.HOUR).all() and series.filled is None


@pytest.mark.parametrize(
    ("call", "telling"),
    [
        (lambda: load_series("stocks"), "'embedded', 'etth1', 'jena'"),
        (lambda: window_pairs(np.zeros(60), 0, 4), "length"),
        (lambda: window_pairs(np.zeros(60), 60, 1), "60 hours are fewer than 60"),
        (lambda: cut_windows(small(), 6, 0), "horizon"),
        (lambda: cut_windows(small(), 6.5, 4), "whole number"),
        (lambda: cut_windows(small(), 12, 4), "15 hours are fewer than 12"),
    ],
)
def test_a_wrong_argument_is_refused(call, telling):
    with pytest.raises(ValueError, match=telling):
        call()


def test_inputs_end_at_hour_t_targets_begin_after_it_and_none_crosses_a_cut():
    series = small()
    data = cut_windows(series, 6, 4)
    for part in series_module.PARTS:
        split, hours = data.split(part), series.hours(part)
        x = series.column()[hours].astype("float32")
        assert len(split) == len(x) - 6 - 4 + 1
        for k in range(len(split)):
            assert np.array_equal(split.inputs[k], x[k : k + 6])
            assert np.array_equal(split.targets[k], x[k + 6 : k + 10])
            assert split.columns["time"][k] == series.times[hours][k + 5]


def test_filled_hours_are_left_out_of_windows_and_scale():
    filled = np.arange(60) == 10
    series = small(filled=filled)
    times = cut_windows(series, 6, 4).train.columns["time"]
    ends = (times - series.times[0]).astype(int)
    assert len(ends) == 21 - 10
    assert all(not filled[end - 5 : end + 5].any() for end in ends)
    assert training_scale(series)[0] == np.delete(series.column()[:30], 10).mean()


def test_the_scale_is_that_of_the_training_part_alone():
    series = small()
    changed = dataclasses.replace(series, values=series.values.copy())
    changed.values[30:] += 100
    assert training_scale(series) == training_scale(changed)
    mean, deviation = training_scale(series)
    scaled = (series.column()[:30] - mean) / deviation
    assert np.isclose(scaled.mean(), 0) and np.isclose(scaled.std(), 1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where files are put by hand, under a home of Keras that is empty."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.setattr("course_utils.data.download.urlopen", None)
    folder = tmp_path / "datasets" / "course"
    folder.mkdir(parents=True)
    return folder


def test_etth1_from_a_file_put_there_by_hand(folder, monkeypatch):
    times = np.datetime64("2016-07-01", "s") + np.arange(14_405) * np.timedelta64(1, "h")
    rows = [f"{time},1.5,{k % 24}".replace("T", " ") for k, time in enumerate(times)]
    text = "\n".join(["date,HUFL,OT", *rows]).encode()
    (folder / "ETTh1.csv").write_bytes(text)
    with pytest.raises(ConnectionError):  # another file than the published one
        load_series("etth1")
    monkeypatch.setattr(series_module, "ETTH1_SHA256", hashlib.sha256(text).hexdigest())
    series = load_series("etth1")
    assert series.target == "OT" and series.unit == "°C" and "BY-ND" in series.licence
    assert series.cuts == (8_640, 11_520, 14_400)
    assert series.column()[:26].tolist() == [*range(24), 0, 1]
    assert str(series.times[30]) == "2016-07-02T06"


@pytest.fixture
def short(monkeypatch):
    """A few rows are enough for an archive of Jena."""
    monkeypatch.setattr(series_module, "JENA_ROWS", 1)


def jena_text(rows):
    return "\n".join(["Date Time," + ",".join(series_module.JENA_COLUMNS), *rows])


def jena_row(day, hour, minute, value, wind=1.0):
    readings = ",".join(map(str, [value] * 11 + [wind] * 3))
    return f"{day:02}.01.2009 {hour:02}:{minute:02}:00,{readings}"


def test_jena_becomes_hourly_means_without_faulty_values(short):
    rows = [jena_row(1, 0, m, m) for m in (10, 20, 30, 40, 50)] + [jena_row(1, 1, 0, 60)]
    rows += [jena_row(1, 1, m, 7, wind=-9999 if m < 40 else 2.0) for m in (10, 20, 30, 40)]
    rows += [jena_row(1, 1, 40, 99)]  # a time that occurs twice
    rows += [jena_row(1, 4, 10, 10)]  # two hours without any reading
    rows += ["", jena_row(1, 5, 10, 10, wind=-9999), jena_row(1, 6, 10, 10)]
    times, values = series_module.parse_jena(jena_text(rows))
    hours, means, filled = series_module.hourly_means(times, values)
    assert [str(hour)[-2:] for hour in hours] == ["00", "01", "02", "03", "04", "05", "06"]
    assert means[:5, 1].tolist() == [35, 7, 8, 9, 10]
    wind = series_module.JENA_COLUMNS.index("wv (m/s)")
    assert means[:2, wind].tolist() == [1, 2]
    assert filled.tolist() == [False, False, True, True, False, True, False]


@pytest.mark.slow
def test_jena_from_a_file_put_there_by_hand(folder, short):
    times = np.arange("2009-01-01T00:10", "2017-01-01T00:10", 60, dtype="datetime64[m]")
    gap = np.searchsorted(times, np.datetime64("2014-12-30"))
    times = np.delete(times, range(gap, gap + 5)).astype(object)
    rows = [f"{time:%d.%m.%Y %H:%M:%S}" + ",1.0" * 14 for time in times]
    with zipfile.ZipFile(folder / "jena_climate_2009_2016.csv.zip", "w") as archive:
        archive.writestr("jena_climate_2009_2016.csv", jena_text(rows))
    series = load_series("jena")
    assert series.unit == "°C" and series.target == "T (degC)"
    assert "wd (deg)" not in series.columns and len(series.columns) == 13
    assert str(series.times[series.cuts[0]]) == "2015-01-01T00" and series.filled.sum() == 5
    assert len(series) == series.cuts[-1] == 70_128
    (folder / "jena_climate_2009_2016.csv.zip").write_bytes(b"half of it")
    with pytest.raises(ValueError, match="damaged"):
        load_series("jena")


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        (jena_text([jena_row(1, 0, 10, "warm")]), "'warm'"),
        (jena_text([jena_row(1, 0, 10, "1,5"), jena_row(1, 0, 20, 1)]), "inhomogeneous"),
        (jena_text(["2009-01-01 00:10:00" + ",1" * 14]), "2009-01-01"),
        (jena_text([jena_row(1, 0, 13, 5)]), "ten-minute"),
        (jena_text([]), "0 rows"),
        ("Date Time,T\n", "columns"),
    ],
)
def test_another_file_than_jena_is_refused(short, text, telling):
    with pytest.raises(ValueError, match=telling):
        series_module.parse_jena(text)
