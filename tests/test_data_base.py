"""Splits, datasets, words and padding; arguments; what is said of a missing or damaged file."""

import lzma

import numpy as np
import pytest

from course_utils.data import (
    PAD,
    UNKNOWN,
    Dataset,
    Split,
    Vocabulary,
    base,
    load_reviews,
    pad,
    tokenize,
)
from course_utils.data.download import download
from lectures import lecture_06c
from lectures.lecture_03b import series
from lectures.lecture_05 import pairs


def test_split_takes_rows_of_everything():
    inputs = {"source": np.arange(6).reshape(3, 2), "target": np.arange(3)}
    columns = {"phenomenon": np.array(["plain", "far", "turn"])}
    split = Split(inputs, np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), columns)
    part = split.take([2, 1])
    assert len(split) == 3 and len(part) == 2
    assert part.inputs["source"].tolist() == [[4, 5], [2, 3]]
    assert part.inputs["target"].tolist() == [2, 1]
    assert part.targets.tolist() == [0, 1] and part.weights.tolist() == [3.0, 2.0]
    assert part.columns["phenomenon"].tolist() == ["turn", "far"]
    two = np.zeros(2)
    for other in ({"targets": two}, {"weights": two}, {"columns": {"phenomenon": two}}):
        with pytest.raises(ValueError, match="rows"):
            Split(np.zeros((3, 2)), **{"targets": np.zeros(3)} | other)


@pytest.mark.parametrize(
    "rows", [[True, False], np.ones((3, 1), bool), [0.0, 1.0], [3], [-4], [[0, 1]], 2, None]
)
def test_rows_that_a_split_does_not_have_are_refused(rows):
    with pytest.raises((ValueError, IndexError)):
        Split(np.arange(3), np.arange(3)).take(rows)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([-1, 0], [2, 0]),
        ((1,), [1]),
        (slice(1, None), [1, 2]),
        (np.array([True, False, True]), [0, 2]),
        ([False] * 3, []),
    ],
)
def test_rows_that_a_split_has(rows, expected):
    part = Split(np.arange(3), np.arange(3)).take(rows)
    assert part.inputs.tolist() == part.targets.tolist() == expected


def test_a_split_makes_arrays_of_lists():
    texts = ["a good film", "a film", "film"]
    split = Split({"text": texts, "ids": [[2, 3], [4, 5], [6, 7]]}, [0, 1, 0], [1.0, 2.0, 3.0])
    part = split.take([2, 0])
    assert part.inputs["text"].dtype == object and part.inputs["text"].tolist() == texts[::-2]
    assert part.inputs["ids"].tolist() == [[6, 7], [2, 3]]
    assert part.targets.tolist() == [0, 0] and part.weights.tolist() == [3.0, 1.0]

    class Column:
        def to_numpy(self):
            return np.arange(3)

    assert Split(Column(), Column()).take([2]).inputs.tolist() == [2]


@pytest.mark.parametrize("wrong", [[[1], [2, 3], [4]], None, "one", 3, [None, 1, 2], [{}] * 3])
@pytest.mark.parametrize("name", ["inputs", "targets"])
def test_what_is_no_array_is_no_part_of_a_split(wrong, name):
    given = {"inputs": np.zeros(3), "targets": np.zeros(3)} | {name: wrong}
    with pytest.raises(ValueError, match=f"{name} of a Split has to be an array"):
        Split(**given)
    with pytest.raises(ValueError, match="columns has to be a dict"):
        Split(np.zeros(3), np.zeros(3), columns=np.zeros(3))


def test_a_part_that_a_dataset_does_not_have_is_refused_with_the_names():
    part = Split(np.zeros(1), np.zeros(1))
    with pytest.raises(ValueError, match="'val'"):
        Dataset("small", part, part, part).split("validation")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A GOOD film.", ["a", "good", "film"]),
        ("'quoted' and rock'n'roll, don’t", ["quoted", "and", "rock'n'roll", "don't"]),
        ("one<br /><br />two<br>three", ["one", "two", "three"]),
        ("10/10, well-made: snake_case", ["10", "10", "well", "made", "snake", "case"]),
        ("a < b > c ... !!", ["a", "b", "c"]),
    ],
)
def test_tokenize(text, words):
    assert tokenize(text) == words


def test_vocabulary_is_ordered_by_frequency_then_alphabet():
    texts = [["b", "d", "a"], ["b", "c", "b"]]
    vocabulary = Vocabulary.from_texts(texts, size=10)
    assert vocabulary.words == ["<pad>", "<unknown>", "b", "a", "c", "d"]
    assert vocabulary.index["b"] == 2 and "d" in vocabulary and "e" not in vocabulary
    assert Vocabulary.from_texts(texts, size=3).words == ["<pad>", "<unknown>", "b"]


def test_encode_and_decode():
    vocabulary = Vocabulary(["good", "film"])
    ids = vocabulary.encode(["film", "good", "popcorn"])
    assert ids == [3, 2, UNKNOWN]
    assert vocabulary.decode(np.array([*ids, PAD, PAD])) == "film good <unknown>"
    for strange in ([4], [-1], [2.0], 3):
        with pytest.raises(ValueError, match="from 0 to 3"):
            vocabulary.decode(strange)
    for words in (["a", "a"], ["<pad>"]):
        with pytest.raises(ValueError, match="once"):
            Vocabulary(words)


def test_pad_fills_at_the_end_and_cuts_the_wanted_side():
    rows = pad([[2, 3], [4, 5, 6, 7], []], length=3)
    assert rows.dtype == np.int32
    assert rows.tolist() == [[2, 3, 0], [5, 6, 7], [0, 0, 0]]
    assert pad([[4, 5, 6, 7]], length=3, keep="first").tolist() == [[4, 5, 6]]
    with pytest.raises(ValueError, match="'first'"):
        pad([[2]], 3, keep="middle")


@pytest.mark.parametrize("wrong", [1, np.float64(3), True, np.bool_(True), "3", None])
def test_what_is_no_such_number_is_refused_by_name(wrong):
    with pytest.raises(ValueError, match="vocabulary size has to be a whole .* at least 3"):
        Vocabulary.from_texts([["a"]], wrong)
    for check in (base.share, base.not_negative):
        with pytest.raises(ValueError, match="rate has to be"):
            check("rate", np.inf if wrong in (1, 3.0) and wrong is not True else wrong)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32])
def test_numbers_of_numpy_become_pythons(kind):
    if kind is not np.float32:
        assert type(base.whole_number("size", kind(3), at_least=3)) is int
    for check in (base.share, base.not_negative):
        assert check("rate", kind(1)) == 1 and type(check("rate", kind(1))) is float
        with pytest.raises(ValueError, match="rate has to be"):
            check("rate", np.float32(-0.5))


@pytest.mark.parametrize(
    ("load", "name"),
    [
        (load_reviews, "reviews.csv.xz"),
        (pairs.load_pairs, "english_french.csv.xz"),
        (series.load_series, "temperature.csv.xz"),
    ],
)
def test_a_missing_or_damaged_file_says_how_to_get_it_back(load, name, tmp_path, monkeypatch):
    whole = (base.DATA / name).read_bytes()
    monkeypatch.setattr(base, "DATA", tmp_path)
    with pytest.raises(FileNotFoundError, match=f"git checkout data/{name}"):
        load()
    head = lzma.decompress(whole).split(b"\n")[:3]
    for damaged in (whole[:5_000], b"no xz file", lzma.compress(b"\n".join(head) + b"\n?")):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(ValueError, match=f"git checkout data/{name}"):
            load()


@pytest.mark.parametrize(
    ("load", "source", "address", "folder"),
    [
        (series.load_series, "etth1", series.ETTH1, "course"),
        (pairs.load_pairs, "french", pairs.STORE, ""),
        (lecture_06c.load_entities, "wnut17", lecture_06c.WNUT17, "course/wnut17"),
    ],
)
def test_no_network_says_what_to_do(
    load, source, address, folder, no_network, monkeypatch, tmp_path
):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(ConnectionError, match="needs no download") as refused:
        load(source)
    where = tmp_path / "datasets" / folder
    for told in (address, "Name or service not known", f"save it as {where}"):
        assert told in str(refused.value)


def test_a_file_with_another_checksum_is_kept_and_named(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    there = tmp_path / "datasets" / "pairs.zip"
    there.parent.mkdir()
    there.write_bytes(b"mine")
    with pytest.raises(ConnectionError, match="pairs.zip is not the file .* move it away"):
        download("https://example.org/pairs.zip", "0" * 64, "datasets")
    assert there.read_bytes() == b"mine"
