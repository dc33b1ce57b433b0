"""Pairs of sentences: the embedded ones, and Tatoeba's with a stand-in archive."""

import zipfile

import numpy as np
import pytest

from course_utils.data import END, START, UNKNOWN
from lectures.lecture_05 import pairs as module
from lectures.lecture_05.pairs import (
    decode_sentence,
    encode_sentence,
    load_pairs,
    sentence_vocabulary,
    tokenize_sentence,
)


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
        assert ((source != 0).sum(axis=1) == split.columns["words"]).all()
    for vocabulary in embedded.vocabulary.values():
        assert vocabulary.words[:4] == ["<pad>", "<unknown>", "<sos>", "<eos>"]
    sources = [set(embedded.split(part).columns["source_text"]) for part in module.PARTS]
    assert len(sources[1]) == 400 and len(sources[2]) == 600
    assert len(set.union(*sources)) == sum(map(len, sources))


def test_words_and_ids_say_the_same(embedded):
    vocabulary = embedded.vocabulary
    columns = embedded.test.columns
    for row in range(0, 600, 40):
        text = columns["source_text"][row]
        assert vocabulary["source"].decode(embedded.test.inputs["source"][row]) == text
        decoded = decode_sentence(embedded.test.targets[row], vocabulary["target"])
        assert columns["references"][row] == (columns["target_text"][row],) == (decoded,)
        ids = embedded.test.inputs["source"][row, : columns["words"][row]]
        assert (encode_sentence(text, vocabulary["source"])[0] == ids).all()


def test_alignment_names_source_words():
    pairs = load_pairs(max_pairs=300)
    assert len(pairs.train) == 300
    split = pairs.test
    places, words = split.columns["alignment"], split.columns["words"]
    real = split.inputs["target"][:, 1:] != 0
    assert (places < words[:, None]).all()
    assert (places[:, :-1][~real] == -1).all() and (places[:, -1] == -1).all()
    assert (places[:, :-1][real] >= 0).all()


def test_limits():
    pairs = load_pairs(source_vocab_size=30, target_vocab_size=40, max_words=9)
    assert len(pairs.vocabulary["source"]) == 30 and len(pairs.vocabulary["target"]) == 40
    assert pairs.train.inputs["source"].shape[1] <= 9 and pairs.train.targets.shape[1] == 10
    assert (pairs.test.inputs["source"] == UNKNOWN).any()


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
    said = decode_sentence([START, *ids[0], END, 5], vocabulary)
    assert said == vocabulary.decode(ids[0]) == "the cat , the <unknown>"
    with pytest.raises(ValueError, match="no word to translate"):
        encode_sentence("?!", vocabulary)


# Forty sources of two to nine words, each with two translations; written for this test.
LINES = [
    f"{'Very ' * (k % 8)}good {word}{mark}\t{'très ' * (k % 8)}{how} l'{word}{mark}"
    for k, word in enumerate("alpha bravo carla delta echo fred gina hugo ida jack".split() * 4)
    for how in ("bon", "bien")
    for mark in (("." if k < 20 else " !"),)
]


def pack(path, lines):
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("fra.txt", "\n".join(lines))
        packed.writestr("_about.txt", "Date of this file:\n2017-09-29\n")


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """The path of a small fra-eng.zip in the place of the real one."""
    path = tmp_path / "fra-eng.zip"
    pack(path, LINES)
    monkeypatch.setattr(module, "AT_LEAST", 10)
    monkeypatch.setattr(module, "download", lambda *address, **more: path)
    return path


def test_real_pairs_are_split_by_their_source(archive):
    with pytest.warns(UserWarning, match="another edition than that of 2017-09-29"):
        pairs = load_pairs("french")
    assert pairs.name == "tatoeba_french" and "edition of 2017-09-29" in pairs.source

    def words(part):
        texts = pairs.split(part).columns["source_text"]
        return [" ".join(w for w in text.split() if w.isalpha()) for text in texts]

    train, val, test = (set(words(part)) for part in module.PARTS)
    assert len(train | val | test) == len(train) + len(val) + len(test)
    assert len(words("test")) == len(test) > 5 and len(train) > 5
    assert {len(references) for references in pairs.test.columns["references"]} == {2}
    assert "l'" in pairs.vocabulary["target"].words
    assert "très" in pairs.vocabulary["target"] and "very" in pairs.vocabulary["source"]


def test_limits_of_real_pairs_leave_the_parts_as_they_are(archive):
    whole, some = load_pairs("french"), load_pairs("french", max_words=7, max_pairs=6)
    assert len(some.train) == 6 and some.train.columns["words"].max() <= 7
    assert set(some.test.columns["source_text"]) < set(whole.test.columns["source_text"])
    assert set(some.train.columns["source_text"]) < set(whole.train.columns["source_text"])
    again = load_pairs("french", max_words=7, max_pairs=6)
    assert (again.train.columns["target_text"] == some.train.columns["target_text"]).all()


def test_a_damaged_or_foreign_archive_is_refused(archive):
    pack(archive, LINES[:5])
    with pytest.raises(ValueError, match="at least 10"):
        load_pairs("french")
    archive.write_bytes(b"half an archive")
    with pytest.raises(ValueError, match="damaged"):
        load_pairs("french")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "german"}, "'embedded', 'french', 'spanish'"),
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
