"""Every kind of tokenizer refuses the same texts, sizes and ids, in the same words."""

import numpy as np
import pytest

from course_utils.tokenizers import KINDS, SPECIAL, train

TEXTS = ["the film was good", "the plot was dull"]
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [[], [""], ["  ", "\n\t"], ["\ufeff\u200b"], ["\0"]])
def test_texts_without_a_character_are_refused(kind, texts):
    with pytest.raises(ValueError, match="needs texts .* got none"):
        train(kind, texts, 300)


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_character_is_refused(kind):
    with pytest.raises(ValueError, match="half a character"):
        train(kind, ["good \ud800 film"], 300)


@pytest.mark.parametrize("text", [None, 3, b"film", ["film"], "\ud800"])
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
