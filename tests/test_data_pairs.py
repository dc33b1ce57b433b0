"""Pairs of sentences: the embedded ones, Tatoeba's with a stand-in archive, their batches."""

import gzip
import sys
import urllib.error
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from course_utils.data.english_french_grammar import make_pairs

from course_utils.data import (
    END,
    START,
    UNKNOWN,
    decode_sentence,
    encode_sentence,
    english_french,
    folders,
    length_buckets,
    load_pairs,
    pairs_tatoeba,
    tokenize_sentence,
)
from course_utils.data.translation import sentence_vocabulary


@pytest.fixture(scope="module")
def embedded():
    return load_pairs()


def test_shapes_and_special_ids(embedded):
    for part, size in (("train", 12_000), ("val", 400), ("test", 600)):
        split = embedded.split(part)
        source, target = split.inputs["source"], split.inputs["target"]
        assert len(split) == size and source.shape == (size, 25)
        assert target.shape == split.targets.shape
        assert source.dtype == target.dtype == split.targets.dtype == np.int32
        assert (target[:, 0] == START).all() and not (target[:, 1:] == START).any()
        assert ((split.targets == END).sum(axis=1) == 1).all() and not (source == END).any()
        # What goes in at a step is what had to come out at the step before.
        assert (target[:, 1:] == np.where(split.targets == END, 0, split.targets)[:, :-1]).all()
        assert ((source != 0).sum(axis=1) == split.columns["words"]).all()
    for vocabulary in embedded.vocabulary.values():
        assert vocabulary.words[:4] == ["<pad>", "<unknown>", "<sos>", "<eos>"]


def test_words_and_ids_say_the_same(embedded):
    vocabulary = embedded.vocabulary
    columns = embedded.test.columns
    for row in range(0, 600, 40):
        text = columns["source_text"][row]
        assert vocabulary["source"].decode(embedded.test.inputs["source"][row]) == text
        assert (
            decode_sentence(embedded.test.targets[row], vocabulary["target"])
            == (columns["target_text"][row])
        )
        assert columns["references"][row] == (columns["target_text"][row],)
        assert (encode_sentence(text, vocabulary["source"])[0]).tolist() == (
            embedded.test.inputs["source"][row, : columns["words"][row]].tolist()
        )


def test_no_sentence_of_test_or_validation_is_in_training(embedded):
    train, val, test = (
        set(embedded.split(part).columns["source_text"]) for part in ("train", "val", "test")
    )
    assert not train & test and not train & val and not val & test
    assert len(test) == 600 and len(val) == 400
    assert english_french.EXAMPLE[0] not in train | val | test


def test_test_lengths_are_uniform_and_training_lengths_skewed(embedded):
    test = np.bincount(embedded.test.columns["words"], minlength=26)[4:]
    train = np.bincount(embedded.train.columns["words"], minlength=26)[4:]
    assert test.min() >= 12 and test.max() <= 45
    assert train[0] > 3 * train[-1] > 600


@pytest.mark.parametrize("direction", ["from_english", "to_english"])
def test_alignment_names_source_words(direction):
    pairs = load_pairs(direction=direction, max_pairs=300)
    assert len(pairs.train) == 300
    split = pairs.test
    places, words = split.columns["alignment"], split.columns["words"]
    real = split.inputs["target"][:, 1:] != 0
    assert (places < words[:, None]).all()
    assert (places[:, :-1][~real] == -1).all() and (places[:, -1] == -1).all()
    assert (places[:, :-1][real] >= 0).mean() > 0.99


def test_directions_are_each_other_the_wrong_way_round(embedded):
    back = load_pairs(direction="to_english")
    assert (back.test.columns["source_text"] == embedded.test.columns["target_text"]).all()
    assert (back.test.columns["target_text"] == embedded.test.columns["source_text"]).all()
    assert back.vocabulary["source"].words == embedded.vocabulary["target"].words


def test_limits(capsys):
    pairs = load_pairs(source_vocab_size=30, target_vocab_size=40, max_words=9)
    assert len(pairs.vocabulary["source"]) == 30 and len(pairs.vocabulary["target"]) == 40
    assert pairs.train.inputs["source"].shape[1] <= 9 and pairs.train.targets.shape[1] == 10
    assert (pairs.test.inputs["source"] == UNKNOWN).any()
    said = capsys.readouterr().out
    assert "% of the test unknown" in said and "30 source words" in said


def test_the_kept_file_is_what_the_grammar_makes():
    kept = english_french.read()
    held = english_french.held_out()
    some = make_pairs(500, english_french.SEED, without=english_french.barred(held))
    for name, made in {**held, "train": some}.items():
        for column, wanted in zip(kept[name], made, strict=True):
            assert (column[: len(wanted)] == wanted).all(), name
    assert (folders.DATA / english_french.NAME).stat().st_size < 1_000_000


def test_writing_gives_the_same_file(tmp_path, monkeypatch):
    parts = english_french.read()
    before = (folders.DATA / english_french.NAME).read_bytes()
    monkeypatch.setattr(folders, "DATA", tmp_path)
    english_french.write(parts)
    again = (tmp_path / english_french.NAME).read_bytes()
    assert gzip.decompress(again) == gzip.decompress(before)
    (tmp_path / english_french.NAME).write_bytes(again[:-9])
    with pytest.raises(ValueError, match="damaged"):
        load_pairs()
    (tmp_path / english_french.NAME).unlink()
    with pytest.raises(FileNotFoundError, match="git checkout"):
        load_pairs()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Vois-tu l'arbre ?", "vois -tu l' arbre ?"),
        ("Y a-t-il quelqu’un aujourd'hui?", "y a -t-il quelqu'un aujourd'hui ?"),
        ("Qu'il n'attende pas, s'il dort…", "qu' il n' attende pas , s' il dort …"),
        ("Don't stop: it's well-known!", "don't stop : it's well-known !"),
        ("¿Dónde está el gato?", "¿ dónde está el gato ?"),
        ("E\u0301te\u0301\u202f!", "été !"),
    ],
)
def test_tokens(text, tokens):
    assert tokenize_sentence(text) == tokens.split()
    assert tokenize_sentence(tokens) == tokens.split()


def test_encode_sentence():
    vocabulary = sentence_vocabulary([["the", "cat", ","]])
    ids = encode_sentence("The cat, the tiger.", vocabulary)
    assert ids.dtype == np.int32 and ids.shape == (1, 5)
    assert vocabulary.decode(ids[0]) == "the cat , the <unknown>"
    for text in ("", "  ", "?!"):
        with pytest.raises(ValueError, match="no word to translate"):
            encode_sentence(text, vocabulary)


def test_batches_trim_each_side_to_its_own_width(embedded):
    batches = length_buckets(embedded.train, 64)
    seen = {}
    for number in range(len(batches)):
        inputs, targets = batches[number]
        assert inputs["target"].shape == targets.shape
        seen.setdefault(inputs["source"].shape[1], set()).add(targets.shape[1])
        assert inputs["source"].shape[1] < targets.shape[1]
    assert 1 < len(seen) <= 5 and all(len(widths) == 1 for widths in seen.values())
    first, second = batches[0][0], batches[1][0]
    assert all(first[name].shape[1] < second[name].shape[1] for name in first)
    real = sum((batches[k][1] != 0).sum() for k in range(len(batches)))
    assert real == (embedded.train.targets != 0).sum()
    words = sum((batches[k][0]["source"] != 0).sum() for k in range(len(batches)))
    assert words == embedded.train.columns["words"].sum()


# Forty sources of two to nine words, each with two translations; written for this test.
LINES = [
    f"{'Very ' * (k % 8)}good {word}{mark}\t{'très ' * (k % 8)}{how} l'{word}{mark}"
    for k, word in enumerate("alpha bravo carla delta echo fred gina hugo ida jack".split() * 4)
    for how in ("bon", "bien")
    for mark in (("." if k < 20 else " !"),)
]


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A small fra-eng.zip in the place of the real one."""
    path = tmp_path / "fra-eng.zip"

    def write(lines=LINES):
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("fra.txt", "\n".join(lines))
            packed.writestr("_about.txt", "Date of this file:\n2017-09-29\n")

    write()
    monkeypatch.setattr(pairs_tatoeba, "AT_LEAST", 10)
    monkeypatch.setattr(pairs_tatoeba, "download", lambda *address, **more: path)
    return SimpleNamespace(path=path, write=write)


def test_real_pairs_are_split_by_their_source(archive):
    pairs = load_pairs("french")
    assert pairs.name == "tatoeba_french" and "edition of 2017-09-29" in pairs.source

    def words(part):
        texts = pairs.split(part).columns["source_text"]
        return [" ".join(w for w in text.split() if w.isalpha()) for text in texts]

    train, val, test = (set(words(part)) for part in ("train", "val", "test"))
    assert not train & test and not train & val and not val & test
    assert len(words("test")) == len(test) > 5 and len(train) > 5
    for references in pairs.test.columns["references"]:
        assert len(references) == 2
    assert "l'" in pairs.vocabulary["target"].words


def test_limits_of_real_pairs_leave_the_parts_as_they_are(archive):
    whole, some = load_pairs("french"), load_pairs("french", max_words=7, max_pairs=6)
    assert len(some.train) == 6 and some.train.columns["words"].max() <= 7
    assert set(some.test.columns["source_text"]) < set(whole.test.columns["source_text"])
    assert set(some.train.columns["source_text"]) < set(whole.train.columns["source_text"])
    again = load_pairs("french", max_words=7, max_pairs=6)
    assert (again.train.columns["target_text"] == some.train.columns["target_text"]).all()
    with pytest.raises(ValueError, match="leaves a part without any pair"):
        load_pairs("french", max_words=1)


def test_real_pairs_to_english(archive):
    pairs = load_pairs("french", "to_english")
    assert "très" in pairs.vocabulary["source"] and "very" in pairs.vocabulary["target"]


def test_a_damaged_or_foreign_archive_is_refused(archive):
    archive.write(LINES[:5])
    with pytest.raises(ValueError, match="5 pairs; at least 10"):
        load_pairs("french")
    archive.path.write_bytes(b"half an archive")
    with pytest.raises(ValueError, match="damaged"):
        load_pairs("french")


@pytest.mark.parametrize("source", ["french", "spanish"])
def test_no_network_says_what_to_do(source, monkeypatch, tmp_path):
    def nobody_answers(*args, **kwargs):
        raise urllib.error.URLError("Name or service not known")

    keras = SimpleNamespace(utils=SimpleNamespace(get_file=nobody_answers))
    monkeypatch.setitem(sys.modules, "keras", keras)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(ConnectionError) as caught:
        load_pairs(source)
    message = str(caught.value)
    assert pairs_tatoeba.STORE in message and "Name or service not known" in message
    assert f"into {tmp_path / 'datasets'} and" in message and "COURSE_PROFILE=quick" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "german"}, "'embedded', 'french', 'spanish'"),
        ({"direction": "back"}, "'from_english', 'to_english'"),
        ({"source_vocab_size": 4}, "source_vocab_size"),
        ({"target_vocab_size": 2.5}, "target_vocab_size"),
        ({"max_words": 0}, "max_words"),
        ({"max_words": 3}, "leaves a part without any pair"),
        ({"max_pairs": -1}, "max_pairs"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_pairs(**arguments)
