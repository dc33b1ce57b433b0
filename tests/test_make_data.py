"""Makers of the frozen data: the files are theirs, and a change of a grammar shows there."""

import lzma
from collections import Counter

import pytest

from course_utils.data import base
from lectures.lecture_05 import pairs as lecture
from tools.make_data import english_french as grammar
from tools.make_data import reviews, temperature


def kept(name: str) -> list[list[str]]:
    """The rows of a kept file, its header first."""
    text = lzma.decompress((base.DATA / name).read_bytes()).decode()
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.parametrize("maker", [reviews, temperature])
def test_the_kept_file_is_what_its_maker_writes(maker, tmp_path, monkeypatch):
    name = maker.__name__.rpartition(".")[2] + ".csv.xz"
    before = (base.DATA / name).read_bytes()
    monkeypatch.setattr(base, "DATA", tmp_path)
    maker.write()
    assert lzma.decompress((tmp_path / name).read_bytes()) == lzma.decompress(before)


def test_the_kept_pairs_are_what_their_maker_writes():
    rows = {part: [] for part in grammar.SIZES}
    for part, *row in kept("english_french.csv.xz")[1:]:
        rows[part].append(tuple(row))
    held = grammar.held_out()
    assert rows["val"] == held["val"] and rows["test"] == held["test"]
    assert rows["train"][:500] == grammar.training(held, 500)
    assert {part: len(found) for part, found in rows.items()} == grammar.SIZES
    assert grammar.EXAMPLE[0] not in {row[0] for part in rows.values() for row in part}
    lengths = Counter(len(english.split()) for english, _, _ in rows["test"])
    assert set(lengths) == set(range(4, 26))
    assert max(lengths.values()) < 4 * min(lengths.values())
    nouns, adjectives = grammar.ANIMALS + grammar.THINGS, grammar.BEFORE + grammar.COLOURS
    assert set(lecture.NOUNS) == {word for noun in nouns for word in noun.english}
    assert set(lecture.ADJECTIVES) == {one.english for one in adjectives + grammar.QUALITIES}


def test_the_example_of_the_lecture():
    cat, house = grammar.ANIMALS[0], grammar.THINGS[0]
    black, red = ({"colour": grammar.COLOURS[place]} for place in (0, 2))
    phrase = grammar.joined(
        grammar.noun_words(cat, False, "definite", {"before": grammar.BEFORE[0]} | black),
        grammar.verb_words(grammar.VERBS[0], False, negated=True),
        grammar.noun_words(house, False, "definite", red, denied=True),
    )
    words, places = zip(*grammar.surface(phrase.french), strict=True)
    assert (" ".join(phrase.english), " ".join(words)) == grammar.EXAMPLE
    assert places == (0, 1, 3, 2, 4, 6, 5, 7, 9, 8)


def test_french_elides_and_denies_and_english_says_an():
    elided, vowels = {"l'", "d'", "n'", "qu'"}, grammar.VOWELS
    for _, *texts in kept("english_french.csv.xz")[1::3]:
        english, french = (text.split() for text in texts[:2])
        for word, following in zip(french, [*french[1:], "."], strict=True):
            if following[0] in vowels:
                # "vieux" itself may: the plural of "vieil" is "vieux".
                assert word not in {*grammar.BEFORE_VOWEL, "nouveau", "beau"}, french
            else:
                assert word not in {*elided, "cet", "vieil", "nouvel", "bel"}, french
            assert word != "de" or following not in ("le", "les", "des"), french
        for word, following in zip(english, [*english[1:], "."], strict=True):
            assert word not in ("a", "an") or (word == "an") == (following[0] in vowels), (
                english
            )
        denied = french.count("ne") + french.count("n'")
        assert english.count("not") == french.count("pas") == denied
