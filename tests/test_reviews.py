"""load_reviews on the embedded set."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from course_utils.data import PAD, UNKNOWN, load_reviews, tokenize


def test_ids_and_text_are_the_same_reviews():
    ids, text = load_reviews(), load_reviews(form="text")
    for part, size in (("train", 4_000), ("val", 400), ("test", 2_000)):
        numbers, words = ids.split(part), text.split(part)
        assert len(numbers) == len(words) == size
        assert numbers.inputs.dtype == np.int32 and words.inputs.dtype == object
        assert numbers.targets.dtype == np.int32 and set(numbers.targets) == {0, 1}
        assert (numbers.targets == words.targets).all()
        assert (numbers.columns["phenomenon"] == words.columns["phenomenon"]).all()
        assert ids.vocabulary.decode(numbers.inputs[7]) == " ".join(tokenize(words.inputs[7]))
    assert ids.class_names == ("negative", "positive")
    assert "CC0" in ids.licence


def test_padding_is_behind_and_words_are_ranked_by_frequency():
    reviews = load_reviews()
    real = reviews.train.inputs != PAD
    assert (real[:, :-1] >= real[:, 1:]).all()
    counts = np.bincount(reviews.train.inputs[real], minlength=len(reviews.vocabulary))[2:]
    assert (counts[:-1] >= counts[1:]).all() and counts[-1] > 0


def test_the_length_is_that_of_the_longest_training_review():
    reviews, texts = load_reviews(), load_reviews(form="text")
    longest = max(len(tokenize(text)) for text in texts.train.inputs)
    assert reviews.train.inputs.shape[1] == reviews.test.inputs.shape[1] == longest


@pytest.mark.parametrize("keep", ["first", "last"])
def test_the_kept_side(keep):
    texts = load_reviews(form="text").train.inputs
    reviews = load_reviews(length=5, keep=keep)
    words = tokenize(texts[0])
    expected = words[:5] if keep == "first" else words[-5:]
    assert reviews.vocabulary.decode(reviews.train.inputs[0]) == " ".join(expected)


def test_a_word_of_the_test_part_alone_is_unknown(monkeypatch):
    from course_utils.data import reviews_file

    table = reviews_file.read()
    place = np.flatnonzero(table["split"] == "test")[0]
    table["text"][place] = "Zebra " + table["text"][place]
    monkeypatch.setattr(reviews_file, "read", lambda: table)
    reviews = load_reviews(keep="first")
    assert "zebra" not in reviews.vocabulary
    assert reviews.test.inputs[0, 0] == UNKNOWN


def test_a_small_vocabulary_keeps_the_most_frequent_words():
    small, whole = load_reviews(vocab_size=20), load_reviews()
    assert small.vocabulary.words == whole.vocabulary.words[:20]
    assert small.train.inputs.max() == 19
    assert (small.train.inputs == UNKNOWN).any()


def test_another_grammar_makes_other_reviews():
    far = load_reviews(mixture={"far": 1.0}, far=(10, 20), seed=5)
    assert set(far.train.columns["phenomenon"]) == {"far"}
    assert far.train.inputs.shape[1] < 45


def test_it_says_what_was_loaded(capsys):
    load_reviews(length=30)
    line = capsys.readouterr().out
    assert "4,000 / 400 / 2,000" in line and "30 words each" in line


def test_it_is_quick():
    seconds = []
    for _ in range(3):
        start = time.process_time()
        load_reviews()
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "yelp"}, "'embedded', 'imdb'"),
        ({"source": None}, "'embedded', 'imdb'"),
        ({"form": "letters"}, "'ids', 'text'"),
        ({"keep": "middle"}, "'last', 'first'"),
        ({"vocab_size": 2}, "at least 3"),
        ({"vocab_size": 1e4}, "at least 3"),
        ({"vocab_size": None}, "at least 3"),
        ({"length": 0}, "at least 1"),
        ({"length": "long"}, "at least 1"),
        ({"form": "text", "length": 20}, "form='ids'"),
        ({"irony": 0.5}, "mixture.*distractors"),
        ({"count": 5}, "mixture.*distractors"),
        ({"mixture": {"plain": 0.5}}, "sum to 1"),
        ({"seed": -1}, "seed"),
    ],
)
@pytest.mark.parametrize("source", ["embedded", "imdb"])
def test_wrong_arguments_before_anything_slow(source, arguments, message, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", None)
    if source == "imdb" and not {"irony", "count", "mixture", "seed"}.isdisjoint(arguments):
        message = "only source='embedded'"
    with pytest.raises(ValueError, match=message):
        load_reviews(**{"source": source, "length": 10, **arguments})


def test_imdb_needs_a_length():
    with pytest.raises(ValueError, match="length=500"):
        load_reviews(source="imdb")


def test_a_missing_file_says_how_to_get_it_back(tmp_path, monkeypatch):
    monkeypatch.setattr("course_utils.data.folders.DATA", tmp_path)
    with pytest.raises(FileNotFoundError, match="git checkout data/reviews.csv.gz"):
        load_reviews()


@pytest.mark.parametrize("damage", [lambda whole: whole[:5_000], lambda whole: b"no gzip file"])
def test_a_damaged_file_says_how_to_get_it_back(damage, tmp_path, monkeypatch):
    from course_utils.data import folders, reviews_file

    whole = (folders.DATA / reviews_file.NAME).read_bytes()
    (tmp_path / reviews_file.NAME).write_bytes(damage(whole))
    monkeypatch.setattr("course_utils.data.folders.DATA", tmp_path)
    with pytest.raises(ValueError, match="git checkout data/reviews.csv.gz"):
        load_reviews()


WITHOUT_TENSORFLOW = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "tensorflow_datasets"):
            raise ImportError(f"{name} is not installed here")

sys.meta_path.insert(0, Refuse())
import course_utils as cu

reviews = cu.data.load_reviews()
assert not {"keras", "jax", "sklearn"} & set(sys.modules), "loading needs no backend"
batch = cu.data.length_buckets(reviews.train, 64)[0]
assert batch[0].shape[0] == 64
assert sys.modules["keras"].backend.backend() == "jax"
"""


def test_jax_without_tensorflow_and_from_another_folder(tmp_path):
    pytest.importorskip("jax", reason="JAX is an extra of the course")
    root = os.path.dirname(os.path.dirname(__file__))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TENSORFLOW],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": root},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_shipped_reviews_are_those_of_seed_0():
    shipped, made = load_reviews(), load_reviews(seed=0)
    assert np.array_equal(shipped.train.inputs, made.train.inputs)
