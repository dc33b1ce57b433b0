"""Phrases of the English–French grammar in both languages at once; nothing is drawn here."""

from __future__ import annotations

from typing import NamedTuple

from course_utils.data.english_french_words import (
    ADVERBS,
    BEFORE_VOWEL,
    DENIED,
    DETERMINERS,
    VOWELS,
    Adjective,
    Noun,
    Verb,
)


class Phrase(NamedTuple):
    """english: words. french: words, each with the place of the English one it translates."""

    english: list[str]
    french: list[tuple[str, int]]


def plain(english: str, french: str) -> Phrase:
    """One English word that one or more French ones translate."""
    return Phrase([english], [(word, 0) for word in french.split()])


def joined(*phrases: Phrase) -> Phrase:
    """One phrase after the other, in both languages."""
    english: list[str] = []
    french: list[tuple[str, int]] = []
    for phrase in phrases:
        french += [(word, len(english) + place) for word, place in phrase.french]
        english += phrase.english
    return Phrase(english, french)


def noun_words(
    noun: Noun,
    plural: bool,
    kind: str,
    adjectives: dict[str, Adjective],
    *,
    denied: bool = False,
    after_de: bool = False,
) -> Phrase:
    """*an old grey bird* and *un vieil oiseau gris*.

    kind: of determiner, a key of DETERMINERS. adjectives: by "before", "colour", "quality",
    in English order.
    denied: the object of a negated verb: its *un* or *des* becomes *de*.
    after_de: behind a preposition that ends in *de*, which swallows *des*.
    """
    articles, forms = DETERMINERS[kind]
    form = forms[2 if plural else noun.feminine]
    if kind == "indefinite" and denied:
        articles, form = DENIED
    elif kind == "indefinite" and plural and after_de:
        form = None
    elif kind == "indefinite" and plural and "before" in adjectives:
        form = "de"
    said = [adjective.english for adjective in adjectives.values()]
    english = [articles[plural], *said, noun.english[plural]]
    if english[:1] == ["a"] and english[1][0] in VOWELS:
        english[0] = "an"

    written = noun.french[plural]
    french = [] if form is None else [(form, 0)]
    for group in ("before", "noun", "colour", "quality"):
        if group == "noun":
            french.append((written, len(english) - 1))
        elif group in adjectives:
            adjective = adjectives[group]
            word = adjective.french[2 * plural + noun.feminine]
            if group == "before" and word == adjective.french[0] and not plural:
                vowel = written[0] in VOWELS
                word = adjective.before_vowel if vowel and adjective.before_vowel else word
            french.append((word, english.index(adjective.english)))
    return Phrase(english, french)


def verb_words(verb: Verb, plural: bool, negated: bool, adverb: str | None = None) -> Phrase:
    """*does not often see* and *ne voit pas souvent*; adverb: a key of ADVERBS."""
    english = [adverb] if adverb else []
    if negated:
        english = ["do" if plural else "does", "not", *english, verb.english[1]]
    else:
        english.append(verb.english[plural])
    last = len(english) - 1
    french = [(verb.french[plural], last)]
    if negated:
        french = [("ne", 0), *french, ("pas", 1)]
    if adverb:
        french.append((ADVERBS[adverb], last - 1))
    return Phrase(english, french)


def surface(french: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """French as it is written: `le oiseau` becomes `l' oiseau`, `de le chat` `du chat`."""
    written: list[tuple[str, int]] = []
    for word, place in reversed(french):
        following = written[-1][0] if written else ""
        if following and following[0] in VOWELS:
            word = BEFORE_VOWEL.get(word, word)
        if word == "de" and following in ("le", "les"):
            written[-1] = ("du" if following == "le" else "des", written[-1][1])
            continue
        written.append((word, place))
    return written[::-1]
