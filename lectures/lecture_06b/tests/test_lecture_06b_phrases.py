"""SST-2's phrases, with a stand-in for TensorFlow Datasets: the cut by whole sentences."""

import numpy as np
import pytest

from course_utils.data.reviews import FILM_SUBJECTS, PRAISING
from lectures.lecture_06b import phrases

SENTENCES = [
    f"the {subject} of {film} was {word} from the first minute to its end"
    for subject in FILM_SUBJECTS
    for film in ("velmora", "kison", "trano", "dulan")
    for word in PRAISING[:5]
]
CUT = [(text, text[:30].rsplit(" ", 1)[0], "its end") for text in SENTENCES]
PHRASES = np.array(CUT, object).ravel()


@pytest.fixture(autouse=True)
def builder(tfds, monkeypatch):
    monkeypatch.setattr(phrases, "PARTS", {"train": len(PHRASES), "validation": 7})
    monkeypatch.setattr(phrases, "VALIDATION", 20)
    parts = {"train": PHRASES, "validation": ["so it was great "] * 7}
    batches = {}
    for part, texts in parts.items():
        encoded = np.array([text.encode() for text in texts], object)
        batches[part] = [{"sentence": encoded, "label": np.arange(len(texts)) % 2}]
    return tfds(batches)


def test_phrases_come_in_three_parts_and_none_of_a_held_out_sentence_is_trained_on():
    dataset = phrases.load_phrases()
    assert len(dataset.val) == 20 and len(dataset.test) == 7
    assert dataset.val.columns["whole"].all() and dataset.test.targets.dtype == np.int32
    assert dataset.test.inputs[0] == "so it was great"
    lengths = [len(text.split()) for text in dataset.train.inputs]
    assert dataset.train.columns["words"].tolist() == lengths
    labels = {text: set() for text in PHRASES}
    for row, text in enumerate(PHRASES):
        labels[text].add(row % 2)
    held_out = [f" {text} " for text in dataset.val.inputs]
    for text in dataset.train.inputs:
        assert len(text.split()) < 4 or not any(f" {text} " in whole for whole in held_out)
    assert "its end" in dataset.train.inputs
    for part in (dataset.train, dataset.val):
        assert set(part.inputs[part.columns["whole"]]) <= set(SENTENCES)
        assert all(y in labels[x] for x, y in zip(part.inputs, part.targets, strict=True))
