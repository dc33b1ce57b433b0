"""One str is no list of texts: every function that takes texts, or lists of words, says so."""

from types import SimpleNamespace

import numpy as np
import pytest

from course_utils.data import Vocabulary, pad
from lectures import lecture_01, lecture_05, lecture_06b, lecture_06c
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import sentence_vocabulary
from lectures.lecture_06b import on_imdb, pretraining, tokenizers
from lectures.lecture_07b import images

TEXTS = ["good film", "a film"]
VOCABULARY = Vocabulary(["good", "film"])
WORDS = tokenizers.train("words", TEXTS, 20)
SENTENCES = sentence_vocabulary([["good", "film", "a"]])
TAGGED = SimpleNamespace(inputs=[["good", "film"]], targets=[[1, 0]])

TAKE_TEXTS = {
    "Vocabulary": lambda given: Vocabulary(given).words,
    "Vocabulary.encode": VOCABULARY.encode,
    "train": lambda given: tokenizers.train("words", given, 20).entries,
    "encode": lambda given: WORDS.encode(given, 4).tolist(),
    "of_words": WORDS.of_words,
    "windows": lambda given: pretraining.windows(WORDS, given, 4).tolist(),
    "bleu": lambda given: translation.bleu(given, TEXTS),
    "by_length": lambda given: lecture_05.by_length(given, TEXTS, [2, 2], [(1, 4)]),
    "lecture 1, encode": lambda given: lecture_01.encode(given, VOCABULARY.index),
    "lecture 1, ngrams": lambda given: lecture_01.ngrams(given, 2),
    "compare_tokenizers": lambda given: lecture_06b.compare_tokenizers({"w": WORDS}, given),
    "readable": on_imdb.readable,
    "teacher_forced": lambda given: images.teacher_forced(given, SENTENCES, 4)[0].tolist(),
}
TAKE_LISTS = {
    "from_texts": lambda given: Vocabulary.from_texts(given, 9).words,
    "sentence_vocabulary": lambda given: sentence_vocabulary(given).words,
    "look_up_tags": lambda given: lecture_06c.look_up_tags(TAGGED, given),
}
NO_LIST = ["good film", b"good film", None, 7, {"good": 1}, np.array("good film")]


@pytest.mark.parametrize("take", TAKE_TEXTS.values(), ids=TAKE_TEXTS)
def test_texts(take):
    wrong = [["good", None], ["good", 3.5], [b"good"], [["good", "film"]], np.array([TEXTS])]
    for given in [*NO_LIST, *wrong, np.array([1.0])]:
        with pytest.raises(ValueError, match="has to be a list of str"):
            take(given)
    expected = take(TEXTS)
    for given in [tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), iter(TEXTS)]:
        assert take(given) == expected


@pytest.mark.parametrize("take", TAKE_LISTS.values(), ids=TAKE_LISTS)
def test_lists_of_words(take):
    words = [text.split() for text in TEXTS]
    for given in [*NO_LIST, TEXTS, [*words, "film"], [*words, None], np.array(TEXTS)]:
        with pytest.raises(ValueError, match="has to be a list of lists of str"):
            take(given)
    expected = take(words)
    for given in (tuple(map(tuple, words)), np.array(words), iter(words), map(iter, words)):
        assert take(given) == expected


def test_lists_of_ids():
    for given in [*NO_LIST, TEXTS, [[1], 2], [[1.5]], [["1"]], [[None]], [[[1]]]]:
        with pytest.raises(ValueError, match="sequences has to be"):
            pad(given, 2)
    for given in ([[1, 2, 3]], ((1, 2, 3),), np.array([[1, 2, 3]]), iter([[1, 2, 3]])):
        assert pad(given, 2).tolist() == [[2, 3]]
