"""Draws sentences of a wanted length from the English–French grammar."""

from __future__ import annotations

from collections import defaultdict

from course_utils.data.english_french_phrases import (
    Phrase,
    joined,
    noun_words,
    plain,
    verb_words,
)
from course_utils.data.english_french_words import (
    ADVERBS,
    ANIMALS,
    BEFORE,
    COLOURS,
    CONJUNCTIONS,
    PLACES,
    QUALITIES,
    THINGS,
    VERBS,
    Noun,
    Verb,
)

RELATIVES_FROM = 9
SHORTEST_CLAUSE, LONGEST_CLAUSE = 4, 14
MOST_WAITING = 50
PLURAL, ADVERB, PLACE = 0.4, 0.2, 0.2
SUBJECT_RELATIVE = 0.6
# Which adjectives a noun has: in English a quality, one that French puts first, a colour.
SHAPES = (
    ((), 0.4),
    (("before",), 0.15),
    (("colour",), 0.15),
    (("quality",), 0.1),
    (("before", "colour"), 0.1),
    (("quality", "colour"), 0.06),
    (("quality", "before"), 0.04),
)
KINDS = (("definite", 0.4), ("indefinite", 0.25), ("near by", 0.15), ("mine", 0.2))


class Writer:
    """Each method draws one kind of phrase."""

    def __init__(self, generator, negation: float, relatives: float):
        # Of all its methods, Python promises for this one alone that it never changes.
        self.random = generator.random
        self.negation = negation
        self.relatives = relatives
        self.used: frozenset[Noun] = frozenset()
        self.waiting = (defaultdict(list), defaultdict(list))

    def sentence(self, length: int) -> Phrase:
        """A sentence of so many English words, of one to three clauses."""
        relatives = self.relatives if length >= RELATIVES_FROM else 0.0
        self.used = frozenset()
        links = list(CONJUNCTIONS)
        first, *others = self.clause_lengths(length)
        phrase = self.clause_of(first, relatives)
        for part in others:
            english = links.pop(int(self.random() * len(links)))
            link = plain(english, CONJUNCTIONS[english])
            phrase = joined(phrase, link, self.clause_of(part, relatives))
        return phrase

    def clause_lengths(self, length: int) -> list[int]:
        """How many English words each clause gets; one goes to each conjunction."""
        most = max(1, min(3, (length + 1) // (SHORTEST_CLAUSE + 1)))
        while True:
            count = 1 + int(self.random() * most)
            words = length - count + 1
            cuts = sorted(int(self.random() * (words + 1)) for _ in range(count - 1))
            ends = [0, *cuts, words]
            parts = [stop - start for start, stop in zip(ends, ends[1:], strict=False)]
            if min(parts) >= SHORTEST_CLAUSE and max(parts) <= LONGEST_CLAUSE:
                return parts

    def clause_of(self, length: int, relatives: float) -> Phrase:
        """A clause of so many English words, about other nouns than those before it.

        Clauses are drawn until one fits; the others wait for a sentence that they fit into.
        """
        waiting = self.waiting[bool(relatives)]
        before = self.used
        for number, (phrase, nouns) in enumerate(waiting[length]):
            if not nouns & before:
                del waiting[length][number]
                self.used = before | nouns
                return phrase
        while True:
            self.used = before
            phrase = self.clause(relatives)
            found = len(phrase.english)
            if found == length:
                return phrase
            if len(waiting[found]) < MOST_WAITING:
                waiting[found].append((phrase, self.used - before))

    def clause(self, relatives: float) -> Phrase:
        """Subject, verb, and an object or a place."""
        verb = self.choose(VERBS)
        plural = self.chance(PLURAL)
        negated = self.chance(self.negation)
        described = self.draw((("subject", 0.5), ("object", 0.5)))
        relative = described if self.chance(relatives) else None
        subject = self.noun_phrase(ANIMALS, plural, relative=relative == "subject", place=PLACE)
        verbs = verb_words(verb, plural, negated, self.adverb(ADVERB))
        if verb.objects is None:
            return joined(subject, verbs, *([self.place()] if self.chance(0.5) else []))
        described = relative == "object"
        return joined(subject, verbs, self.object_of(verb, negated, described, PLACE))

    def adverb(self, probability: float) -> str | None:
        """An English adverb, or none."""
        return self.choose(tuple(ADVERBS)) if self.chance(probability) else None

    def object_of(self, verb: Verb, negated: bool, relative=False, place=0.0) -> Phrase:
        """What is seen, heard, followed."""
        nouns = ANIMALS + THINGS
        if verb.objects == "moving":
            nouns = tuple(noun for noun in nouns if noun.moves)
        plural = self.chance(PLURAL)
        return self.noun_phrase(
            nouns,
            plural,
            denied=negated,
            indefinite=verb.indefinite,
            relative=relative,
            place=place,
        )

    def place(self) -> Phrase:
        """*near the old house* and *près de la vieille maison*."""
        english = self.choose(tuple(PLACES))
        french = PLACES[english]
        nouns = tuple(noun for noun in THINGS if english != "under" or noun.shelters)
        noun = self.noun_phrase(nouns, self.chance(PLURAL), after_de=french.endswith(" de"))
        return joined(plain(english, french), noun)

    def relative(self, noun: Noun, plural: bool) -> Phrase:
        """*that watches the cow*, of an animal; *that the cow watches*, of anything."""
        negated, adverb = self.chance(self.negation), self.adverb(ADVERB / 2)
        if noun in ANIMALS and self.chance(SUBJECT_RELATIVE):
            verb = self.choose(VERBS)
            parts = [plain("that", "qui"), verb_words(verb, plural, negated, adverb)]
            if verb.objects is not None:
                parts.append(self.object_of(verb, negated))
            elif self.chance(0.5):
                parts.append(self.place())
            return joined(*parts)
        allowed = ("any", "moving") if noun.moves else ("any",)
        verb = self.choose([verb for verb in VERBS if verb.objects in allowed])
        several = self.chance(PLURAL)
        subject = self.noun_phrase(ANIMALS, several)
        return joined(plain("that", "que"), subject, verb_words(verb, several, negated, adverb))

    def noun_phrase(
        self,
        nouns: tuple[Noun, ...],
        plural: bool,
        *,
        denied: bool = False,
        indefinite: bool = True,
        after_de: bool = False,
        relative: bool = False,
        place: float = 0.0,
    ) -> Phrase:
        """Determiner, adjectives, noun, and what is said of it.

        denied, after_de: see `noun_words`. indefinite: whether it may be indefinite.
        relative: with a relative clause; otherwise with a place by that probability.
        """
        noun = self.choose([noun for noun in nouns if noun not in self.used] or nouns)
        self.used |= {noun}
        kind = self.draw(KINDS)
        if kind == "indefinite" and not indefinite:
            kind = "definite"
        # "my cat that sleeps" would want a comma, and "pas de chat qui …" a subjunctive.
        if relative and (kind == "mine" or denied):
            kind = "definite"
        shape = self.draw(SHAPES)
        options = {"before": BEFORE, "colour": COLOURS, "quality": QUALITIES}
        if shape == ("quality", "before"):
            # Of "strange" and "beautiful" neither clearly comes first in English.
            options["before"] = BEFORE[:3]
        adjectives = {group: self.choose(options[group]) for group in shape}
        phrase = noun_words(noun, plural, kind, adjectives, denied=denied, after_de=after_de)
        if relative:
            return joined(phrase, self.relative(noun, plural))
        return joined(phrase, self.place()) if self.chance(place) else phrase

    def choose(self, options):
        """One of the options, all alike."""
        return options[int(self.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def draw(self, shares):
        """One of the options, each given with its share."""
        point = self.random()
        for option, size in shares:
            if point < size:
                return option
            point -= size
        return shares[-1][0]
