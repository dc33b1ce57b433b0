"""SST-2's phrases, with a stand-in for TensorFlow Datasets: the cut by whole sentences."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from course_utils import data
from course_utils.data import download, phrases
from course_utils.data.reviews import FILM_SUBJECTS, PRAISING

SENTENCES = [
    f"the {subject} of {film} was {word} from the first minute to its end"
    for subject in FILM_SUBJECTS
    for film in ("velmora", "kison", "trano", "dulan")
    for word in PRAISING[:5]
]
PHRASES = np.array(
    [part for text in SENTENCES for part in (text, text[:30].rsplit(" ", 1)[0], "its end")],
    object,
)


def test_no_phrase_of_a_held_out_sentence_is_trained_on():
    held_out, left_out, whole = phrases.cut_by_sentence(PHRASES, validation=20)
    assert set(PHRASES[whole]) == set(SENTENCES) and whole.sum() == len(SENTENCES)
    assert held_out.sum() == 20 and not (held_out & left_out).any() and whole[held_out].all()
    trained = PHRASES[~held_out & ~left_out]
    for text in PHRASES[held_out]:
        assert not [p for p in trained if len(p.split()) >= 4 and f" {p} " in f" {text} "]
    assert "its end" in trained


def test_shared_runs():
    assert data.shared_runs(["a b c d e"], ["x b c d e"]) == 0.5
    assert data.shared_runs(["a b c"], ["a b c"]) == 0
    assert data.shared_runs(["a b c d", "a b c d"], ["a b c d"]) == 1


class Builder:
    def __init__(self, folder, prepared=True):
        self.data_dir = str(folder / "glue" / "sst2" / "2.0.0")
        if prepared:
            (folder / "glue" / "sst2" / "2.0.0").mkdir(parents=True)

    def download_and_prepare(self):
        pass

    def as_dataset(self, split, batch_size, shuffle_files):
        texts = PHRASES if split == "train" else np.array(["so it was great "] * 7, object)
        encoded = np.array([text.encode() for text in texts], object)
        return [{"sentence": encoded, "label": np.arange(len(texts)) % 2}]


@pytest.fixture
def builder(tmp_path, monkeypatch):
    made = Builder(tmp_path)
    stand_in = SimpleNamespace(builder=lambda name: made, as_numpy=lambda batches: batches)
    monkeypatch.setitem(sys.modules, "tensorflow_datasets", stand_in)
    monkeypatch.setattr(phrases, "PARTS", {"train": len(PHRASES), "validation": 7})
    monkeypatch.setattr(phrases, "VALIDATION", 20)
    return made


def test_phrases_come_in_three_parts(builder):
    dataset = data.load_phrases()
    assert len(dataset.val) == 20 and len(dataset.test) == 7
    assert dataset.val.columns["whole"].all() and dataset.test.targets.dtype == np.int32
    assert dataset.test.inputs[0] == "so it was great"
    assert dataset.train.columns["words"].tolist() == [
        len(t.split()) for t in dataset.train.inputs
    ]
    labels = {text: set() for text in PHRASES}
    for row, text in enumerate(PHRASES):
        labels[text].add(row % 2)
    for part in (dataset.train, dataset.val):
        assert all(y in labels[x] for x, y in zip(part.inputs, part.targets, strict=True))


def test_without_the_phrases_it_is_said_what_to_do(builder, monkeypatch, tmp_path):
    def nobody_answers(*given, **settings):
        raise OSError("Name or service not known")

    absent = Builder(tmp_path / "elsewhere", prepared=False)
    sys.modules["tensorflow_datasets"].builder = lambda name: absent
    monkeypatch.setattr(download, "urlopen", nobody_answers)
    with pytest.raises(ConnectionError, match="Name or service not known") as refused:
        data.load_phrases()
    assert phrases.ARCHIVE in str(refused.value) and absent.data_dir in str(refused.value)


def test_a_full_disk_and_missing_records_are_no_network_faults(builder, monkeypatch):
    monkeypatch.setitem(phrases.PARTS, "validation", 8)
    with pytest.raises(RuntimeError, match="holds 7 phrases"):
        data.load_phrases()

    def full():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(builder, "download_and_prepare", full)
    with pytest.raises(OSError, match="No space left") as refused:
        data.load_phrases()
    assert not isinstance(refused.value, ConnectionError)
