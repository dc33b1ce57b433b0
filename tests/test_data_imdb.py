"""IMDB's reviews, with a stand-in for TensorFlow Datasets, and the cache of their words."""

import sys
import urllib.error
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.data import (
    UNKNOWN,
    cache,
    download,
    folders,
    imdb,
    load_imdb_corpus,
    load_imdb_unlabelled,
    load_reviews,
    pad,
    tokenize,
)

SIZES = {"train": 40, "test": 30, "unsupervised": 50}
TEXTS = {
    "train": [f"Film {k % 7} was <br />good, film word{k}" for k in range(40)],
    "test": [f"Only-here zebra {k}" for k in range(30)],
    "unsupervised": [f"Popcorn again and again, number {k}" for k in range(50)],
}


class Builder:
    """TFDS's builder as far as the course uses it."""

    def __init__(self, folder, prepared=True):
        self.data_dir = str(folder / "imdb_reviews" / "plain_text" / "1.0.0")
        self.failure = None
        self.read = []
        if prepared:
            (folder / "imdb_reviews" / "plain_text" / "1.0.0").mkdir(parents=True)

    def download_and_prepare(self):
        if self.failure:
            raise self.failure

    def as_dataset(self, split, batch_size, shuffle_files):
        self.read.append(split)
        texts = np.array([text.encode() for text in TEXTS[split]], object)
        labels = (
            np.full(len(texts), -1) if split == "unsupervised" else np.arange(len(texts)) % 2
        )
        return [{"text": texts, "label": labels}]


@pytest.fixture
def builder(tmp_path, monkeypatch):
    made = Builder(tmp_path / "tensorflow_datasets")
    stand_in = SimpleNamespace(builder=lambda name: made, as_numpy=lambda batches: batches)
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", stand_in)
    monkeypatch.setattr(folders, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(imdb, "SIZES", SIZES)
    monkeypatch.setattr(imdb, "VALIDATION", 8)
    return made


def test_parts_and_their_sizes(builder):
    reviews = load_imdb(length=6)
    assert [len(reviews.split(name)) for name in ("train", "val", "test")] == [32, 8, 30]
    assert reviews.train.inputs.shape == (32, 6) and reviews.train.inputs.dtype == np.int32
    assert reviews.train.targets.dtype == np.int32
    assert builder.read == ["train", "test"]


def test_ids_and_text_are_the_same_reviews(builder):
    ids, text = load_imdb(length=6), load_imdb(form="text")
    for name in ("train", "val", "test"):
        numbers, words = ids.split(name), text.split(name)
        encoded = [ids.vocabulary.encode(tokenize(review)) for review in words.inputs]
        assert (numbers.inputs == pad(encoded, 6)).all()
        assert (numbers.targets == words.targets).all()
        places = [TEXTS["test" if name == "test" else "train"].index(t) for t in words.inputs]
        assert words.targets.tolist() == [place % 2 for place in places]


def test_the_vocabulary_knows_the_training_part_alone(builder):
    reviews = load_imdb(length=6)
    texts = load_imdb(form="text")
    training = {word for text in texts.train.inputs for word in tokenize(text)}
    assert set(reviews.vocabulary.words[2:]) == training
    validation = {word for text in texts.val.inputs for word in tokenize(text)}
    assert validation - training
    assert "zebra" not in reviews.vocabulary
    assert (reviews.test.inputs[:, 2] == UNKNOWN).all()


def test_the_order_of_the_records_does_not_matter(builder, monkeypatch, tmp_path):
    before = load_imdb(form="text")
    backwards = {part: texts[::-1] for part, texts in TEXTS.items()}
    monkeypatch.setitem(globals(), "TEXTS", backwards)
    after = load_imdb(form="text")
    for name in ("train", "val", "test"):
        assert before.split(name).inputs.tolist() == after.split(name).inputs.tolist()


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("length", [1, 4, 6, 9])
def test_both_ways_of_padding_agree(builder, length, keep):
    reviews = load_imdb(length=length, keep=keep)
    texts = load_imdb(form="text").test.inputs
    encoded = [reviews.vocabulary.encode(tokenize(text)) for text in texts]
    assert (reviews.test.inputs == pad(encoded, length, keep)).all()


def test_unlabelled_texts(builder):
    assert sorted(load_imdb_unlabelled()) == sorted(TEXTS["unsupervised"])


def test_corpus_is_training_and_unlabelled_text_never_test(builder):
    corpus = load_imdb_corpus(1_000)
    assert corpus.ids.dtype == np.int32 and len(corpus.offsets) == 40 + 50 + 1
    found = [
        corpus.vocabulary.decode(corpus.ids[start:stop])
        for start, stop in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)
    ]
    texts = TEXTS["train"] + TEXTS["unsupervised"]
    assert sorted(found) == sorted(" ".join(tokenize(text)) for text in texts)
    assert "zebra" not in corpus.vocabulary and "test" not in builder.read
    assert (load_imdb_corpus(5).ids < 5).all()
    with pytest.raises(ValueError, match="at least 3"):
        load_imdb_corpus(2)


def test_what_is_cached_is_not_read_again(builder, monkeypatch):
    first = load_imdb(length=6)
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    second = load_imdb(length=6)
    assert (first.train.inputs == second.train.inputs).all()
    assert [path.name for path in folders.CACHE.iterdir()] != []
    assert not [path for path in folders.CACHE.iterdir() if path.suffix != ".npz"]


def flip_a_byte(whole: bytes) -> bytes:
    middle = whole.index(b"ids.npy") + 150
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda whole: b"something else",
        flip_a_byte,
    ],
)
def test_a_damaged_cache_is_not_taken_for_whole(builder, damage, capsys):
    first = load_imdb(length=6)
    path = folders.CACHE / "imdb_train.npz"
    path.write_bytes(damage(path.read_bytes()))
    capsys.readouterr()
    second = load_imdb(length=6)
    assert (first.train.inputs == second.train.inputs).all()
    assert "imdb_train.npz is not used and made again" in capsys.readouterr().out
    assert builder.read == ["train", "test", "train"]


def test_a_foreign_cache_is_not_taken(builder, monkeypatch, capsys):
    load_imdb(length=6)
    (folders.CACHE / "imdb_test.npz").replace(folders.CACHE / "imdb_train.npz")
    load_imdb(length=6)
    assert "is not used and made again: made as" in capsys.readouterr().out
    monkeypatch.setattr(cache, "RECIPE", "another way to split words")
    load_imdb(length=6)
    assert "another way to split words" in capsys.readouterr().out


def test_arrays_that_do_not_fit_are_not_taken(builder, monkeypatch, capsys):
    made = imdb.tokens("train")
    recipe = f"{cache.RECIPE}; {imdb.NAME} train; 40 texts"
    broken = cache.Tokens(made.words, made.ids[:-1], made.lengths, made.labels)
    cache._write(folders.CACHE / "imdb_train.npz", recipe, broken)
    assert (imdb.tokens("train").ids == made.ids).all()
    assert "do not fit together" in capsys.readouterr().out


def test_writing_cut_off_leaves_nothing(builder, monkeypatch, capsys):
    def half(file, **arrays):
        file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(cache.np, "savez", half)
    with pytest.raises(KeyboardInterrupt):
        load_imdb(length=6)
    assert list(folders.CACHE.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_said_and_does_not_stop(builder, monkeypatch, capsys):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache, "_write", refuse)
    assert len(load_imdb(length=6).train) == 32
    said = capsys.readouterr().out
    assert said.count("could not be kept") == 2 and "Permission denied" in said


def test_a_file_in_the_place_of_the_cache_folder(builder, capsys):
    folders.CACHE.write_text("no folder")
    assert len(load_imdb(length=6).train) == 32
    assert "could not be kept" in capsys.readouterr().out


def test_too_few_records_are_refused(builder, monkeypatch):
    monkeypatch.setitem(SIZES, "train", 41)
    with pytest.raises(RuntimeError, match="holds 40 reviews .train. instead of 41"):
        load_imdb(length=6)
    assert not (folders.CACHE / "imdb_train.npz").exists()


def test_unknown_parts_are_refused(builder):
    for function in (imdb.tokens, imdb.read):
        with pytest.raises(ValueError, match="'train', 'test', 'unsupervised'"):
            function("validation")


LOADERS = [
    lambda: load_imdb(length=6),
    lambda: load_imdb(form="text"),
    load_imdb_unlabelled,
    load_imdb_corpus,
]


@pytest.mark.parametrize("loader", LOADERS)
def test_no_network_says_what_to_do(loader, builder, monkeypatch, tmp_path):
    def nobody_answers(*args, **kwargs):
        raise urllib.error.URLError("Name or service not known")

    absent = Builder(tmp_path / "elsewhere", prepared=False)
    sys.modules["tensorflow_datasets"].builder = lambda name: absent
    monkeypatch.setattr(download, "urlopen", nobody_answers)
    with pytest.raises(ConnectionError) as caught:
        loader()
    message = str(caught.value)
    assert imdb.ARCHIVE in message and "Name or service not known" in message
    assert str(tmp_path / "elsewhere" / "downloads" / "manual") in message
    assert "COURSE_PROFILE=quick" in message
    assert not folders.CACHE.exists()


def test_a_download_that_fails_half_way_says_the_same(builder):
    builder.failure = RuntimeError("Artifact has wrong checksum")
    with pytest.raises(ConnectionError, match="RuntimeError: Artifact has wrong checksum"):
        load_imdb(length=6)


def test_a_full_disk_is_no_network_fault(builder):
    builder.failure = OSError(28, "No space left on device")
    with pytest.raises(OSError, match="No space left") as caught:
        load_imdb(length=6)
    assert not isinstance(caught.value, ConnectionError)


def test_an_archive_put_there_by_hand_needs_no_network(tmp_path):
    assert not imdb._archive_in(tmp_path / "none")
    half = tmp_path / "aclImdb_v1PaujRp.tar.gz.tmp.a14560e6" / "aclImdb_v1.tar.gz"
    half.parent.mkdir()
    half.touch()
    assert not imdb._archive_in(tmp_path)
    (tmp_path / "manual").mkdir()
    (tmp_path / "manual" / "aclImdb_v1.tar.gz").touch()
    assert imdb._archive_in(tmp_path)


def test_half_a_download_is_not_whole_for_tfds(tmp_path, monkeypatch):
    """TFDS prepares beside the place and renames: what was cut off does not count."""
    tfds = pytest.importorskip("tensorflow_datasets", reason="TFDS is a full-profile need")
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
    beside = tmp_path / "imdb_reviews" / "plain_text" / "incomplete.5WPJNS_1.0.0"
    beside.mkdir(parents=True)
    (beside / "imdb_reviews-train.tfrecord-00000-of-00001").write_bytes(b"half")
    builder = tfds.builder(imdb.NAME, data_dir=str(tmp_path))
    assert not builder.is_prepared()
    (tmp_path / "downloads" / "manual").mkdir(parents=True)
    (tmp_path / "downloads" / "manual" / "aclImdb_v1.tar.gz").write_bytes(b"half an archive")
    monkeypatch.setattr(tfds, "builder", lambda name: builder)
    monkeypatch.setattr(folders, "CACHE", tmp_path / "cache")
    with pytest.raises(ConnectionError, match="checksum"):
        load_imdb(length=6)
    assert not builder.is_prepared() and not (tmp_path / "cache").exists()
