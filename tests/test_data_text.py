"""Words, vocabularies and padding."""

import numpy as np
import pytest

from course_utils.data import PAD, UNKNOWN, Vocabulary, pad, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A GOOD film.", ["a", "good", "film"]),
        ("I don't know", ["i", "don't", "know"]),
        ("I don’t know", ["i", "don't", "know"]),
        ("'quoted' and rock'n'roll", ["quoted", "and", "rock'n'roll"]),
        ("the dogs' tails", ["the", "dogs", "tails"]),
        ("one<br /><br />two<br>three", ["one", "two", "three"]),
        ("10/10, well-made: 2001!", ["10", "10", "well", "made", "2001"]),
        ("snake_case", ["snake", "case"]),
        ("Amélie et l'été", ["amélie", "et", "l'été"]),
        ("a < b > c", ["a", "b", "c"]),
        ("... !!", []),
        ("", []),
    ],
)
def test_tokenize(text, words):
    assert tokenize(text) == words


def test_vocabulary_is_ordered_by_frequency_then_alphabet():
    vocabulary = Vocabulary.from_texts([["b", "a", "c"], ["b", "d", "b"]], size=10)
    assert vocabulary.words == ["<pad>", "<unknown>", "b", "a", "c", "d"]
    assert vocabulary.index["b"] == 2
    assert len(vocabulary) == 6
    assert "d" in vocabulary and "e" not in vocabulary


def test_vocabulary_size_counts_padding_and_unknown():
    vocabulary = Vocabulary.from_texts([["b", "a", "b"]], size=3)
    assert vocabulary.words == ["<pad>", "<unknown>", "b"]


def test_encode_and_decode():
    vocabulary = Vocabulary(["good", "film"])
    ids = vocabulary.encode(["film", "good", "popcorn"])
    assert ids == [3, 2, UNKNOWN]
    assert vocabulary.decode(np.array([*ids, PAD, PAD])) == "film good <unknown>"


@pytest.mark.parametrize("ids", [[4], [-1]])
def test_decode_refuses_an_id_without_a_word(ids):
    with pytest.raises(ValueError, match="from 0 to 3"):
        Vocabulary(["good", "film"]).decode(ids)


@pytest.mark.parametrize("words", [["a", "a"], ["<pad>"]])
def test_vocabulary_refuses_a_word_twice(words):
    with pytest.raises(ValueError, match="once"):
        Vocabulary(words)


@pytest.mark.parametrize("size", [2, 0, -1, 10.0, "10", None, True])
def test_vocabulary_refuses_a_wrong_size(size):
    with pytest.raises(ValueError, match="at least 3"):
        Vocabulary.from_texts([["a"]], size)


def test_pad_fills_at_the_end_and_cuts_the_wanted_side():
    rows = pad([[2, 3], [4, 5, 6, 7], []], length=3)
    assert rows.dtype == np.int32
    assert rows.tolist() == [[2, 3, 0], [5, 6, 7], [0, 0, 0]]
    assert pad([[4, 5, 6, 7]], length=3, keep="first").tolist() == [[4, 5, 6]]
    assert pad([], length=3).shape == (0, 3)


@pytest.mark.parametrize("length", [0, -3, 2.5, "3", None, True])
def test_pad_refuses_a_wrong_length(length):
    with pytest.raises(ValueError, match="length has to be a whole number of at least 1"):
        pad([[2]], length)


def test_pad_refuses_an_unknown_side():
    with pytest.raises(ValueError, match="'last', 'first'"):
        pad([[2]], 3, keep="middle")
