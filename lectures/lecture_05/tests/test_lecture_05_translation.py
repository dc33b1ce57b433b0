"""Exact match and BLEU, and translating with a model."""

import unicodedata

import numpy as np
import pytest

from course_utils import decoding
from course_utils.data.base import END
from lectures import lecture_05
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import sentence_vocabulary


def test_exact_match_counts_whole_sentences_and_any_reference():
    said = ["le chat dort", "le chien  dort", "la vache dort"]
    one = ["le chat dort", "le chien dort", "une vache dort"]
    assert translation.exact_match(said, one) == 2 / 3
    several = [["un chat dort", "le chat dort"], ["un chien dort"], ("la vache dort",)]
    assert translation.exact_match(said, several) == 2 / 3


def test_bleu_with_several_references():
    said = ["the cat sleeps here today", "a b c d e"]
    one = translation.bleu(said, ["the cat sleeps here now", "a b c d e"])
    two = translation.bleu(said, [["the cat sleeps here now", "here today"], ["a b c d e"]])
    assert one < two < 100
    exact = [["the cat sleeps here now", "the cat sleeps here today"], "a b c d e"]
    assert translation.bleu(said, exact) == 100
    assert translation.bleu(["l' oiseau dort"], ["l'oiseau dort"]) < 50


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("judge", [translation.exact_match, translation.bleu])
def test_equal_texts_in_two_normal_forms_are_equal(judge, form):
    right = unicodedata.normalize("NFC", "l' été à la forêt brûlée")
    said = unicodedata.normalize("NFD", right)
    whole = judge([right], [right])
    assert (
        judge([said], [unicodedata.normalize(form, right)]) == whole == judge([right], [[said]])
    )


def test_by_length():
    said = ["a b c d", "a b c d e", "x"]
    bins = ((4, 8), (9, 13), (19, 25))
    lengths = np.array([4, 8, 25])
    rows = lecture_05.by_length(said, ["a b c d", "a b c d f", ["y"]], lengths, bins)
    assert [row["words"] for row in rows] == ["4–8", "9–13", "19–25"]
    assert [row["sentences"] for row in rows] == [2, 0, 1]
    assert [row["exact_match"] for row in rows] == [0.5, None, 0.0]
    assert rows[0]["bleu"] == translation.bleu(said[:2], ["a b c d", "a b c d f"])
    assert rows[1]["bleu"] is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: translation.bleu([], []), "at least one"),
        (lambda: translation.exact_match(["a"], ["a", "b"]), "1 hypotheses and 2 references"),
        (lambda: translation.bleu(["a b"], "a b"), "references have to be a list"),
        (lambda: translation.exact_match(["a"], [["a", None]]), "None at place 1"),
        (lambda: translation.bleu(["a b"], [[]]), "at least one reference"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class Echo:
    """A model that says its source again, word by word, then <eos>."""

    def __init__(self, words: int):
        self.words = words
        self.batches = []

    def start(self, source, length):
        self.batches.append(tuple(source.shape))
        return {"source": source}

    def step(self, tokens, position, state):
        source = np.asarray(state["source"])
        position = int(position)
        said = np.full(len(source), END)
        if position < source.shape[1]:
            said = np.where(source[:, position] == 0, END, source[:, position])
        return np.eye(self.words, dtype="float32")[said], state


@pytest.fixture
def echo(monkeypatch):
    monkeypatch.setattr(decoding, "compiled", lambda function, model: function)
    vocabulary = sentence_vocabulary([["un", "chat", "noir", "dort"]])
    return Echo(len(vocabulary)), {"source": vocabulary, "target": vocabulary}


def test_translate_texts_and_ids(echo, monkeypatch):
    monkeypatch.setattr(translation, "BATCH", 2)
    model, vocabulary = echo
    assert translation.translate(model, "Un chat dort", vocabulary) == ["un chat dort"]
    texts = ["un chat", "chat noir dort", "dort", "un", "noir chat"]
    assert translation.translate(model, texts, vocabulary) == texts
    assert set(model.batches[1:]) == {(2, 3)}
    ids = np.array([[4, 5, 0]], "int32")
    said = vocabulary["source"].decode([4, 5])
    assert translation.translate(model, ids, vocabulary) == [said]
    assert translation.translate(model, texts, vocabulary, max_length=1)[1] == "chat"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "no word to translate"),
        ([], "no text"),
        (np.array([4, 5]), "rows"),
        (np.array([[4, 8]]), "ids go from 0 to 7"),
        (np.array([[4.0, 5.0]]), "source has to be a list of str"),
        (["un chat", None], "None at place 1"),
    ],
)
def test_wrong_arguments_of_translate(echo, source, message):
    with pytest.raises(ValueError, match=message):
        translation.translate(echo[0], source, echo[1])
