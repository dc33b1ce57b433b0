"""Every kind of tokenizer cuts texts, the same again, and refuses the same things."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lectures.lecture_06b.tokenizers import KINDS, SPECIAL, START, train

TEXTS = ["the film was good", "the plot was dull"]
LONG = [
    "The plot was superb and the cast was splendid.",
    "The music was never dull, the script was hardly weak.",
    "We saw it on a Friday with my sister; the hall was half full.",
] * 5
STRANGE = "The ending was 👍, сказал Иван."
LEAST = {"unigram": 21, "sentencepiece": 21, "sentencepiece_bytes": 277}


@pytest.fixture(scope="module", params=KINDS)
def trained(request):
    return train(request.param, TEXTS, 300)


@pytest.mark.parametrize("kind", KINDS)
def test_a_size_is_enough_or_the_least_one_is_told(kind):
    least = LEAST.get(kind, len(SPECIAL) + 1)
    with pytest.raises(ValueError, match=f"size has to be .*at least {least}"):
        train(kind, TEXTS, least - 1)
    assert len(train(kind, TEXTS, np.int64(least))) >= least


@pytest.mark.parametrize("texts", [[], [""], ["  ", "\n\t"], ["\ufeff\u200b"], ["\0"]])
def test_texts_without_a_character_are_refused(texts):
    with pytest.raises(ValueError, match="needs texts .* got none"):
        train("bpe", texts, 300)


@pytest.mark.parametrize("text", [None, 3, b"film", ["film"]])
def test_what_is_no_text_is_refused(trained, text):
    for read in (trained.ids, trained.tokens):
        with pytest.raises(ValueError, match="a text"):
            read(text)


def test_an_empty_text_has_no_pieces(trained):
    assert trained.ids("") == trained.tokens("") == []
    assert trained.text([]) == ""


def test_ids_are_whole_numbers_of_the_vocabulary(trained):
    last = len(trained) - 1
    wrong = [[-1], [last + 1], [2.0], [None], "12", None, 3, [[2]], np.array([[2]])]
    for ids in [*wrong, np.array([2.0]), np.array([-1])]:
        with pytest.raises(ValueError, match=f"ids go from 0 to {last}"):
            trained.text(ids)
    ids = trained.ids("the film")
    told = trained.text(ids)
    for given in (np.array(ids), tuple(ids), iter(ids), np.array(ids, "uint16")):
        assert trained.text(given) == told
    assert isinstance(trained.text([last]), str)


def test_numpys_str_is_a_str(trained):
    text = np.array(TEXTS)[0]
    assert trained.ids(text) == trained.ids(str(text))
    assert trained.encode(np.array(TEXTS), np.int64(4)).shape == (2, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tokenizer_knows_its_own_texts_and_is_the_same_again(kind):
    first, again = (train(kind, LONG, 300) for _ in range(2))
    for cutting in ("tokens", "ids"):
        found = [[getattr(one, cutting)(text) for text in LONG] for one in (first, again)]
        assert found[0] == found[1]
    for text in LONG[:3]:
        assert SPECIAL[1] not in first.tokens(text)
        assert len(first.tokens(text)) == len(first.ids(text))
        assert max(first.ids(text)) < len(first)
    if kind in ("bpe", "byte_bpe", "wordpiece", "unigram", "sentencepiece"):
        assert 0 not in first.ids("a <pad> b")
    rows = first.encode(LONG[:2], 12)
    assert rows.shape == (2, 12) and (rows[:, 0] == START).all()


@pytest.mark.parametrize("kind", KINDS)
def test_only_bytes_know_characters_never_seen(kind):
    tokenizer = train(kind, LONG, 400)
    survives = kind in ("byte_bpe", "sentencepiece_bytes")
    assert (tokenizer.text(tokenizer.ids(STRANGE)) == STRANGE) == survives
    assert (1 in tokenizer.ids(STRANGE)) != ("byte" in kind)


@pytest.mark.slow
def test_unigram_ids_are_the_same_in_every_process():
    code = (
        "from lectures.lecture_06b.tokenizers import train; "
        f"print(train('unigram', {LONG}, 60).ids({LONG[0]!r}))"
    )
    hashes = [{**os.environ, "PYTHONHASHSEED": str(seed)} for seed in range(2)]
    told = [subprocess.check_output([sys.executable, "-c", code], env=env) for env in hashes]
    assert told[0] == told[1]


def test_words_cut_one_by_one_know_their_place():
    tokenizer = train("wordpiece", LONG, 60)
    ids, places = tokenizer.of_words(["the", "splendid", "hall"])
    assert len(ids) == len(places) and set(places) == {0, 1, 2} and places == sorted(places)


def test_another_kind_is_refused_with_the_names():
    with pytest.raises(ValueError, match="wordpiece"):
        train("word piece", TEXTS)
