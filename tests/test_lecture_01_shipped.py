"""What lecture 01 ships and has recorded: vectors, and the figures its text rests on."""

import numpy as np
import pytest

import course_utils as cu
from course_utils import models, results
from course_utils.numpy_ref import skip_gram

LECTURE = "01_imdb_embeddings"


@pytest.fixture(scope="module")
def vectors():
    return models.load_pretrained("skip_gram_imdb")


def test_shipped_vectors_are_small_and_plain(vectors):
    path = models.SHIPPED / "skip_gram_imdb.npz"
    assert path.stat().st_size < 1_000_000
    assert vectors["words"].dtype.kind == "U"
    assert vectors["vectors"].dtype == np.float16
    assert 3_000 <= len(vectors["words"]) <= 4_000
    assert vectors["vectors"].shape == (len(vectors["words"]), 100)
    assert len(set(vectors["words"])) == len(vectors["words"])
    assert np.isfinite(vectors["vectors"]).all()


def test_shipped_vectors_name_the_run_that_made_them():
    made = models.provenance("skip_gram_imdb")
    assert (results.RESULTS / f"{made['run']}.json").is_file()
    assert made["seed"] == 0 and made["date"]
    assert "never the test texts" in made["settings"]["which"]


def test_shipped_vectors_know_relatives_and_trades(vectors):
    words, table = vectors["words"], vectors["vectors"].astype("float32")
    assert skip_gram.analogy("man", "woman", "actor", words, table) == ["actress"]
    near = [word for word, _ in skip_gram.neighbours("boring", words, table, 5)]
    assert "dull" in near


def test_an_unknown_name_lists_the_choices():
    with pytest.raises(ValueError, match="skip_gram_imdb"):
        cu.models.load_pretrained("word2vec")


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
    assert '"which": "all"' in path.with_suffix(".json").read_text()
    monkeypatch.setattr(results, "session_seed", lambda: 1)
    assert models.save_pretrained("other", arrays, "some/run") is None


def test_ship_refuses_objects():
    with pytest.raises(ValueError, match="unicode array"):
        models.save_pretrained("tiny", {"words": np.array(["a", None], object)}, "some/run")


def metric(model, name):
    runs = results.load(LECTURE, model, "imdb")
    assert [run["seed"] for run in runs] == [0, 1, 2]
    return [run["metrics"][name] for run in runs]


def test_the_slides_network_reaches_what_the_slides_report():
    assert all(0.745 <= value <= 0.775 for value in metric("flatten_last_20", "val_accuracy"))
    assert {run["parameters"] for run in results.load(LECTURE, "flatten_last_20")} == {80_161}


def test_the_best_bag_of_ngrams_reads_nine_in_ten():
    assert all(value >= 0.90 for value in metric("bigrams_200k_log_ratios", "test_accuracy"))


def test_vectors_brought_along_win_with_few_labels():
    frozen, learned = (
        metric("frozen_200", "test_accuracy"),
        metric("learned_200", "test_accuracy"),
    )
    assert min(frozen) > max(learned)
    many = {start: np.mean(metric(f"{start}_20000", "test_accuracy")) for start in STARTS}
    assert max(many, key=many.get) == "fine_tuned"
    assert min(many, key=many.get) == "frozen"


STARTS = ("learned", "frozen", "fine_tuned")


def test_analogies_are_asked_by_the_list():
    assert min(metric("skip_gram", "analogies_asked")) >= 25
