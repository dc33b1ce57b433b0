"""What lecture 01 ships: its vectors, and how weights are shipped."""

import json

import numpy as np
import pytest

from course_utils import models, results
from lectures.lecture_01 import analogy, neighbours


@pytest.fixture(scope="module")
def vectors():
    return models.load_pretrained("skip_gram_imdb")


def test_shipped_vectors_are_whole_and_not_of_the_test_texts(vectors):
    assert vectors["vectors"].dtype == np.float16
    assert 3_000 <= len(set(vectors["words"])) == len(vectors["words"]) <= 4_000
    assert vectors["vectors"].shape == (len(vectors["words"]), 100)
    assert np.isfinite(vectors["vectors"]).all()
    made = (models.SHIPPED / "skip_gram_imdb.json").read_text(encoding="utf-8")
    assert "never" in json.loads(made)["settings"]["which"]


def test_shipped_vectors_know_relatives_and_trades(vectors):
    words, table = vectors["words"], vectors["vectors"].astype("float32")
    assert analogy("man", "woman", "actor", words, table)[0] == "actress"
    near = [word for word, _ in neighbours("boring", words, table)[:5]]
    assert "dull" in near


def test_ship_writes_arrays_and_provenance_in_the_full_profile(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    arrays = {"words": np.array(["a", "b"]), "vectors": np.ones((2, 3), "float16")}
    monkeypatch.setenv("COURSE_PROFILE", "quick")
    assert models.save_pretrained("tiny", arrays, "some/run") is None
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setattr(results, "session_seed", lambda: 0)
    path = models.save_pretrained("tiny", arrays, "some/run", which="all")
    with np.load(path, allow_pickle=False) as stored:
        assert stored["words"].tolist() == ["a", "b"]
    assert '"which": "all"' in path.with_suffix(".json").read_text(encoding="utf-8")
    monkeypatch.setattr(results, "session_seed", lambda: 1)
    assert models.save_pretrained("other", arrays, "some/run") is None


def test_an_unknown_name_and_objects_are_refused():
    with pytest.raises(ValueError, match="skip_gram_imdb"):
        models.load_pretrained("word2vec")
    with pytest.raises(ValueError, match="unicode"):
        models.save_pretrained("tiny", {"words": np.array(["a", None], object)}, "some/run")
