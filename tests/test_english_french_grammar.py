"""The English–French grammar: agreement, order, negation, elision, alignment, arguments."""

from collections import Counter

import numpy as np
import pytest
from course_utils.data.english_french_grammar import make_pairs
from course_utils.data.english_french_phrases import (
    joined,
    noun_words,
    plain,
    surface,
    verb_words,
)
from course_utils.data.english_french_words import (
    ADVERBS,
    ANIMALS,
    BEFORE,
    BEFORE_VOWEL,
    COLOURS,
    CONJUNCTIONS,
    PLACES,
    QUALITIES,
    THINGS,
    VERBS,
    VOWELS,
)
from course_utils.data.english_french_writer import Writer

from course_utils.data import english_french

NOUNS = {
    word: (noun, plural)
    for noun in ANIMALS + THINGS
    for plural, word in enumerate(noun.english)
}
ADJECTIVES = {adjective.english: adjective for adjective in BEFORE + COLOURS + QUALITIES}
FIRST = {adjective.english for adjective in BEFORE}
SINGULAR = {
    "the": ("le la l' du".split(), ["le", "l'", "du"], ["la", "l'"]),
    "a": ("un une de d'".split(), ["un", "de", "d'"], ["une", "de", "d'"]),
    "an": ("un une de d'".split(), ["un", "de", "d'"], ["une", "de", "d'"]),
    "this": ("ce cet cette".split(), ["ce", "cet"], ["cette"]),
    "my": ("mon ma".split(), ["mon"], ["ma", "mon"]),
}
PLURAL = {
    "the": ["les", "des"],
    "some": ["des", "de"],
    "any": ["de", "d'"],
    "these": ["ces"],
    "my": ["mes"],
}


@pytest.fixture(scope="module")
def pairs():
    """Every third kept pair: words of both languages, alignment."""
    parts = english_french.read().values()
    rows = [row for part in parts for row in zip(*part, strict=True)]
    return [(english.split(), french.split(), places) for english, french, places in rows[::3]]


def french_of(places, french, place) -> list[str]:
    """The French words that translate one English word."""
    return [word for word, where in zip(french, places, strict=True) if where == place]


def test_vocabularies_hold_every_word(pairs):
    english = {word for row in pairs for word in row[0]}
    french = {word for row in pairs for word in row[1]}
    assert (len(english), len(french)) == (81, 122)


def test_the_example_of_the_lecture():
    cat, house = NOUNS["cat"][0], NOUNS["house"][0]
    small, black = BEFORE[0], COLOURS[0]
    phrase = joined(
        noun_words(cat, False, "definite", {"before": small, "colour": black}),
        verb_words(VERBS[0], False, negated=True),
        noun_words(house, False, "definite", {"colour": COLOURS[2]}, denied=True),
    )
    words, places = zip(*surface(phrase.french), strict=True)
    assert (" ".join(phrase.english), " ".join(words)) == english_french.EXAMPLE
    assert places == (0, 1, 3, 2, 4, 6, 5, 7, 9, 8)


@pytest.mark.parametrize(
    ("noun", "plural", "kind", "adjectives", "more", "english", "french"),
    [
        ("bird", 0, "definite", {}, {}, "the bird", "l' oiseau"),
        ("bird", 0, "indefinite", {"before": "old"}, {}, "an old bird", "un vieil oiseau"),
        ("birds", 1, "indefinite", {"before": "old"}, {}, "some old birds", "de vieux oiseaux"),
        (
            "birds",
            1,
            "indefinite",
            {"colour": "grey"},
            {},
            "some grey birds",
            "des oiseaux gris",
        ),
        ("tree", 0, "near by", {}, {}, "this tree", "cet arbre"),
        ("tree", 0, "near by", {"before": "new"}, {}, "this new tree", "ce nouvel arbre"),
        (
            "tree",
            0,
            "near by",
            {"before": "beautiful"},
            {},
            "this beautiful tree",
            "ce bel arbre",
        ),
        ("church", 0, "mine", {}, {}, "my church", "mon église"),
        ("church", 0, "mine", {"before": "old"}, {}, "my old church", "ma vieille église"),
        (
            "car",
            0,
            "indefinite",
            {"quality": "dangerous", "colour": "white"},
            {},
            "a dangerous white car",
            "une voiture blanche dangereuse",
        ),
        ("horse", 0, "indefinite", {}, {"denied": True}, "a horse", "de cheval"),
        ("horses", 1, "indefinite", {}, {"denied": True}, "any horses", "de chevaux"),
        ("spider", 0, "indefinite", {}, {"denied": True}, "a spider", "d' araignée"),
        ("horse", 0, "definite", {}, {"denied": True}, "the horse", "le cheval"),
    ],
)
def test_noun_phrases(noun, plural, kind, adjectives, more, english, french):
    chosen = {group: ADJECTIVES[word] for group, word in adjectives.items()}
    phrase = noun_words(NOUNS[noun][0], bool(plural), kind, chosen, **more)
    assert " ".join(phrase.english) == english
    assert " ".join(word for word, _ in surface(phrase.french)) == french


@pytest.mark.parametrize(
    ("noun", "plural", "kind", "french"),
    [
        ("garden", False, "definite", "près du jardin"),
        ("house", False, "definite", "près de la maison"),
        ("tree", False, "definite", "près de l' arbre"),
        ("trees", True, "definite", "près des arbres"),
        ("tree", False, "indefinite", "près d' un arbre"),
        ("trees", True, "indefinite", "près d' arbres"),
        ("houses", True, "indefinite", "près de maisons"),
        ("houses", True, "mine", "près de mes maisons"),
    ],
)
def test_de_and_the_article(noun, plural, kind, french):
    place = plain("near", PLACES["near"])
    phrase = joined(place, noun_words(NOUNS[noun][0], plural, kind, {}, after_de=True))
    assert " ".join(word for word, _ in surface(phrase.french)) == french


def test_nouns_are_translated_and_their_determiners_and_adjectives_agree(pairs):
    checked = Counter()
    for english, french, places in pairs:
        for place, word in enumerate(english):
            if word not in NOUNS:
                continue
            noun, plural = NOUNS[word]
            assert french_of(places, french, place) == [noun.french[plural]]
            start = place - 1
            while english[start] in ADJECTIVES:
                adjective = ADJECTIVES[english[start]]
                form = adjective.french[2 * plural + noun.feminine]
                if noun.french[0][0] in VOWELS and not plural and not noun.feminine:
                    form = adjective.before_vowel or form
                assert french_of(places, french, start) == [form], (english, french)
                checked["adjectives"] += 1
                start -= 1
            found = french_of(places, french, start)
            if not found:
                assert english[start] == "some" and "près" in french
            elif plural:
                assert found[0] in PLURAL[english[start]]
            else:
                assert found[0] in SINGULAR[english[start]][2 if noun.feminine else 1]
            checked["nouns"] += 1
    assert checked["nouns"] > 10_000 and checked["adjectives"] > 5_000


def test_adjectives_before_and_behind_the_noun(pairs):
    for english, french, places in pairs:
        where = {place: number for number, place in enumerate(places)}
        for place, word in enumerate(english):
            if word in ADJECTIVES:
                noun = next(k for k in range(place, len(english)) if english[k] in NOUNS)
                assert (where[place] < where[noun]) == (word in FIRST), (english, french)


def test_verbs_keep_their_number_and_negation_stands_around_them(pairs):
    forms = {
        english: verb.french[number]
        for verb in VERBS
        for number, english in enumerate(verb.english)
    }
    denied = 0
    for english, french, places in pairs:
        for place, word in enumerate(english):
            if word not in forms:
                continue
            behind = place - 2 if english[place - 1] in ADVERBS else place - 1
            helpers = [behind] if english[behind] == "not" else []
            form = forms[word]
            if helpers:
                singular = english[helpers[0] - 1] == "does"
                verb = next(verb for verb in VERBS if word == verb.english[1])
                form = verb.french[not singular]
            (at,) = [k for k, where in enumerate(places) if where == place]
            assert french[at] == form
            if helpers:
                denied += 1
                assert french[at - 1] == ("n'" if form[0] in VOWELS else "ne")
                assert french[at + 1] == "pas"
        assert english.count("not") == french.count("pas")
        assert english.count("not") == french.count("ne") + french.count("n'")
    assert denied > 1_000


def test_denied_indefinite_objects_have_de(pairs):
    seen = Counter()
    for english, french, _ in pairs:
        for place, word in enumerate(french):
            if word == "pas":
                rest = french[place + 1 :]
                rest = rest[1:] if rest[:1] and rest[0] in ADVERBS.values() else rest
                seen[rest[0] if rest else ""] += 1
        if "any" in english:
            before = english[: english.index("any")]
            assert "not" in before[-3:]
    assert seen["de"] and seen["d'"] and seen["les"]
    assert not {"un", "une", "des"} & set(seen)


def test_elision_and_forms_before_vowels(pairs):
    elided = {"l'", "d'", "n'", "qu'"}
    for _, french, _ in pairs:
        for word, following in zip(french, [*french[1:], "."], strict=True):
            if following[0] in VOWELS:
                # "vieux" itself may: the plural of "vieil" is "vieux".
                assert word not in {*BEFORE_VOWEL, "nouveau", "beau"}, french
            else:
                assert word not in {*elided, "cet", "vieil", "nouvel", "bel"}, french
            assert word != "de" or following not in ("le", "les", "des"), french


def test_english_is_correct_too(pairs):
    for english, _, _ in pairs:
        for word, following in zip(english, [*english[1:], "."], strict=True):
            if word in ("a", "an"):
                assert (word == "an") == (following[0] in "aeiou"), english
        # No verb without a subject: one finite verb a clause and one a relative clause.
        finite = sum(
            word in {form for verb in VERBS for form in verb.english} for word in english
        )
        clauses = 1 + sum(word in CONJUNCTIONS for word in english)
        assert finite == clauses + english.count("that") and clauses <= 3


def test_one_translation_each_in_both_directions(pairs):
    for one, other in ((0, 1), (1, 0)):
        known = {}
        for row in pairs:
            assert known.setdefault(tuple(row[one]), row[other]) == row[other]


def test_phenomena_are_common(pairs):
    long = [row for row in pairs if len(row[0]) >= 9]
    assert 0.2 < np.mean(["that" in english for english, _, _ in long]) < 0.45
    assert 0.25 < np.mean(["not" in english for english, _, _ in pairs]) < 0.45
    crossing = [list(places) != sorted(places) for _, _, places in pairs]
    assert np.mean(crossing) > 0.7


def test_lengths():
    uniform = [len(text.split()) for text in make_pairs(400, 0, lengths="uniform").english]
    skewed = [len(text.split()) for text in make_pairs(400, 0).english]
    assert set(uniform) == set(range(4, 26))
    assert min(skewed) == 4 and np.mean(skewed) < np.mean(uniform) - 1
    some = make_pairs(50, 0, shortest=7, longest=8).english
    assert {len(text.split()) for text in some} == {7, 8}


def test_same_seed_same_pairs():
    first, again, other = (make_pairs(60, seed) for seed in (5, 5, 6))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first.english != other.english).any()


def test_shares():
    assert not any(" not " in text for text in make_pairs(100, 0, negation=0.0).english)
    often = make_pairs(100, 0, negation=0.9, shortest=8).french
    assert np.mean([" pas" in text for text in often]) > 0.8
    assert not any(" that " in text for text in make_pairs(100, 0, relatives=0.0).english)


def test_without_and_distinct(monkeypatch):
    first = make_pairs(50, 0, distinct=True)
    assert len(set(first.english)) == 50
    assert not set(make_pairs(50, 0, without=first.english).english) & set(first.english)
    monkeypatch.setattr(Writer, "sentence", lambda self, length: plain("the", "le"))
    with pytest.raises(ValueError, match="too few different sentences"):
        make_pairs(2, 0, distinct=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": 0}, "count"),
        ({"seed": -1}, "seed"),
        ({"lengths": "long"}, "'skewed', 'uniform'"),
        ({"shortest": 3}, "at least 4"),
        ({"longest": 3}, "at least 4"),
        ({"longest": 26}, "25 words at most"),
        ({"negation": 2}, "between 0 and 1"),
        ({"negation": 0.95}, "0.9 at most"),
        ({"relatives": "often"}, "between 0 and 1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_pairs(**{"count": 5, "seed": 0, **arguments})
