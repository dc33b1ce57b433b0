"""IMDB's reviews, with a stand-in for TensorFlow Datasets, and the cache of their words."""

import shutil

import numpy as np
import pytest

from course_utils.data import UNKNOWN, download, imdb, load_imdb, pad, tokenize
from lectures.lecture_01.word_vectors import train_on_imdb_corpus
from lectures.lecture_06b.texts import imdb_texts

SIZES = {"train": 40, "test": 30, "unsupervised": 50}
TEXTS = {
    "train": [f"Film {k % 7} was <br />good, film word{k}" for k in range(40)],
    "test": [f"Only-here zebra {k}" for k in range(30)],
    "unsupervised": [f"Popcorn again and again, number {k}" for k in range(50)],
}


def batches(backwards=False):
    found = {}
    for part, texts in TEXTS.items():
        encoded = np.array([text.encode() for text in texts], object)
        labels = np.arange(len(texts)) % 2 if part != "unsupervised" else np.full(50, -1)
        order = slice(None, None, -1 if backwards else 1)
        found[part] = [{"text": encoded[order], "label": labels[order]}]
    return found


@pytest.fixture
def builder(tfds, tmp_path, monkeypatch):
    monkeypatch.setattr(imdb, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(imdb, "SIZES", dict(SIZES))
    monkeypatch.setattr(imdb, "VALIDATION", 8)
    return tfds(batches())


@pytest.mark.parametrize(("length", "keep"), [(3, "first"), (3, "last"), (9, "last")])
def test_ids_and_text_are_the_same_reviews_in_any_order(builder, tfds, length, keep):
    ids = load_imdb(length=length, keep=keep)
    tfds(batches(backwards=True))
    text = load_imdb(form="text")
    assert [len(ids.split(name)) for name in ("train", "val", "test")] == [32, 8, 30]
    for name in ("train", "val", "test"):
        numbers, words = ids.split(name), text.split(name)
        assert numbers.inputs.dtype == numbers.targets.dtype == np.int32
        encoded = [ids.vocabulary.encode(tokenize(review)) for review in words.inputs]
        assert (numbers.inputs == pad(encoded, length, keep)).all()
        assert (numbers.targets == words.targets).all()
        places = [TEXTS["test" if name == "test" else "train"].index(t) for t in words.inputs]
        assert words.targets.tolist() == [place % 2 for place in places]
    with pytest.raises(ValueError, match="length=500"):
        load_imdb()


def test_the_vocabulary_knows_the_training_part_alone(builder):
    reviews, texts = load_imdb(length=6), load_imdb(form="text")
    training = {word for text in texts.train.inputs for word in tokenize(text)}
    assert set(reviews.vocabulary.words[2:]) == training
    assert {word for text in texts.val.inputs for word in tokenize(text)} - training
    assert (reviews.test.inputs[:, 2] == UNKNOWN).all()


def test_vectors_and_pre_training_never_see_test_texts(builder):
    assert sorted(imdb_texts()) == sorted(TEXTS["unsupervised"] + TEXTS["train"])
    words, vectors, length = train_on_imdb_corpus(size=20, embed_dim=2, window=2, epochs=1)
    texts = [tokenize(text) for text in TEXTS["unsupervised"] + TEXTS["train"]]
    assert length == sum(map(len, texts)) and len(words) == len(vectors) == 18
    assert "test" not in builder.parts_read


@pytest.mark.parametrize("kept", [lambda whole: whole, lambda whole: whole[:-1], lambda _: b""])
def test_a_whole_cache_is_taken_and_a_damaged_one_is_not(builder, kept):
    first = load_imdb(length=6)
    (path,) = imdb.CACHE.glob("imdb_train*.npz")
    before = path.read_bytes()
    path.write_bytes(kept(before))
    damaged = path.read_bytes() != before
    second = load_imdb(length=6)
    assert (first.train.inputs == second.train.inputs).all()
    assert (first.train.targets == second.train.targets).all()
    assert builder.parts_read == ["train", "test"] + ["train"] * damaged


def test_a_cache_that_cannot_be_written_is_said_and_does_not_stop(builder, capsys):
    imdb.CACHE.write_text("no folder", encoding="utf-8")
    assert len(load_imdb(length=6).train) == 32
    assert "could not be kept" in capsys.readouterr().out


@pytest.mark.parametrize("load", [lambda: load_imdb(length=6), imdb_texts])
def test_no_network_says_what_to_do(load, builder, tfds, no_network, tmp_path):
    shutil.rmtree(tmp_path / "tfds")
    tfds({}, prepared=False)
    with pytest.raises(ConnectionError) as caught:
        load()
    message = str(caught.value)
    assert imdb.ARCHIVE in message and "Name or service not known" in message
    assert str(tmp_path / "tfds" / "downloads" / "manual") in message
    assert "COURSE_PROFILE=quick" in message
    assert not imdb.CACHE.exists()


def test_an_archive_put_there_by_hand_needs_no_network(tmp_path):
    assert not download._archive_in(tmp_path / "none", imdb.ARCHIVE)
    half = tmp_path / "aclImdb_v1PaujRp.tar.gz.tmp.a14560e6" / "aclImdb_v1.tar.gz"
    half.parent.mkdir()
    half.touch()
    assert not download._archive_in(tmp_path, imdb.ARCHIVE)
    (tmp_path / "manual").mkdir()
    (tmp_path / "manual" / "aclImdb_v1.tar.gz").touch()
    assert download._archive_in(tmp_path, imdb.ARCHIVE)
