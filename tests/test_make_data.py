"""Makers of the frozen data: the files are theirs; the French agrees, the English is right."""

import lzma
from collections import Counter

import pytest

from course_utils.data import base
from lectures.lecture_05 import pairs as lecture
from tools.make_data import english_french as grammar
from tools.make_data import reviews, temperature

NOUNS = {
    word: (noun, plural)
    for noun in grammar.ANIMALS + grammar.THINGS
    for plural, word in enumerate(noun.english)
}
FORMS = {
    verb.english[number]: verb.french[number] for verb in grammar.VERBS for number in (0, 1)
}
ADJECTIVES = {
    adjective.english: adjective
    for adjective in grammar.BEFORE + grammar.COLOURS + grammar.QUALITIES
}
AN, UNE = ["un", "de", "d'"], ["une", "de", "d'"]
SINGULAR = (
    {"the": ["le", "l'", "du"], "a": AN, "an": AN, "this": ["ce", "cet"], "my": ["mon"]},
    {"the": ["la", "l'"], "a": UNE, "an": UNE, "this": ["cette"], "my": ["ma", "mon"]},
)
PLURAL = {"the": ["les", "des"], "some": ["des", "de"], "any": ["de", "d'"]}
PLURAL |= {"these": ["ces"], "my": ["mes"]}


def kept(name: str) -> list[list[str]]:
    """The rows of a kept file, its header first."""
    text = lzma.decompress((base.DATA / name).read_bytes()).decode()
    return [line.split(",") for line in text.splitlines()]


@pytest.fixture(scope="module")
def pairs():
    """Every third kept pair: words of both languages, alignment."""
    return [
        (english.split(), french.split(), [int(place) for place in places.split()])
        for _, english, french, places in kept("english_french.csv.xz")[1::3]
    ]


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
    assert set(lecture.NOUNS) == set(NOUNS)
    assert set(lecture.ADJECTIVES) == set(ADJECTIVES)


def french_of(places, french, place) -> list[str]:
    """The French words that translate one English word."""
    return [word for word, where in zip(french, places, strict=True) if where == place]


def test_the_example_of_the_lecture():
    cat, house = NOUNS["cat"][0], NOUNS["house"][0]
    black, red = ({"colour": grammar.COLOURS[place]} for place in (0, 2))
    phrase = grammar.joined(
        grammar.noun_words(cat, False, "definite", {"before": grammar.BEFORE[0]} | black),
        grammar.verb_words(grammar.VERBS[0], False, negated=True),
        grammar.noun_words(house, False, "definite", red, denied=True),
    )
    words, places = zip(*grammar.surface(phrase.french), strict=True)
    assert (" ".join(phrase.english), " ".join(words)) == grammar.EXAMPLE
    assert places == (0, 1, 3, 2, 4, 6, 5, 7, 9, 8)


def test_nouns_are_translated_and_their_determiners_and_adjectives_agree(pairs):
    adjectives = 0
    for english, french, places in pairs:
        where = {place: number for number, place in enumerate(places)}
        for place, word in enumerate(english):
            if word not in NOUNS:
                continue
            noun, plural = NOUNS[word]
            assert french_of(places, french, place) == [noun.french[plural]]
            start = place - 1
            while english[start] in ADJECTIVES:
                adjective = ADJECTIVES[english[start]]
                form = adjective.french[2 * plural + noun.feminine]
                if noun.french[0][0] in grammar.VOWELS and not plural and not noun.feminine:
                    form = adjective.before_vowel or form
                assert french_of(places, french, start) == [form], (english, french)
                assert (where[start] < where[place]) == (adjective in grammar.BEFORE), french
                adjectives += 1
                start -= 1
            found = french_of(places, french, start)
            if found:
                forms = PLURAL if plural else SINGULAR[noun.feminine]
                assert found[0] in forms[english[start]], (english, french)
            else:
                assert english[start] == "some" and "près" in french
    assert adjectives > 5_000


def test_verbs_keep_their_number_and_negation_stands_around_them(pairs):
    denied = 0
    for english, french, places in pairs:
        for place, word in enumerate(english):
            if word not in FORMS:
                continue
            behind = place - 2 if english[place - 1] in grammar.ADVERBS else place - 1
            negated, form = english[behind] == "not", FORMS[word]
            if negated:
                singular = english[behind - 1] == "does"
                verb = next(verb for verb in grammar.VERBS if word == verb.english[1])
                form = verb.french[not singular]
            (at,) = [k for k, where in enumerate(places) if where == place]
            assert french[at] == form
            if negated:
                denied += 1
                assert french[at - 1] == ("n'" if form[0] in grammar.VOWELS else "ne")
                assert french[at + 1] == "pas"
        assert english.count("not") == french.count("pas")
        assert english.count("not") == french.count("ne") + french.count("n'")
    assert denied > 1_000


def test_elision_and_forms_before_vowels(pairs):
    elided = {"l'", "d'", "n'", "qu'"}
    for _, french, _ in pairs:
        for word, following in zip(french, [*french[1:], "."], strict=True):
            if following[0] in grammar.VOWELS:
                # "vieux" itself may: the plural of "vieil" is "vieux".
                assert word not in {*grammar.BEFORE_VOWEL, "nouveau", "beau"}, french
            else:
                assert word not in {*elided, "cet", "vieil", "nouvel", "bel"}, french
            assert word != "de" or following not in ("le", "les", "des"), french


def test_english_is_correct_too(pairs):
    for english, _, _ in pairs:
        for word, following in zip(english, [*english[1:], "."], strict=True):
            if word in ("a", "an"):
                assert (word == "an") == (following[0] in "aeiou"), english
        # No verb without a subject: one finite verb a clause and one a relative clause.
        finite = sum(word in FORMS for word in english)
        clauses = 1 + sum(word in grammar.CONJUNCTIONS for word in english)
        assert finite == clauses + english.count("that") and clauses <= 3
