"""English sentences with their French translation, made by a small grammar.

    python -m tools.make_data.english_french

writes data/english_french.csv.xz. What makes them worth translating: gender and number, which
French marks on article, adjective and verb; adjectives before or after the noun; *ne … pas*
around the verb; forms that hang on the next word (*vieil*, *cet*, *l'*). Elided words are
tokens of their own: `l' oiseau`.

81 English and 122 French words. No French noun or adjective here begins with h, so that whether
a word elides what stands before it can be seen from its first letter.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from course_utils.data.reviews import Drawer
from tools.make_data import write_table

SIZES = {"train": 12_000, "val": 400, "test": 600}
SEED = 0
SHORTEST, LONGEST = 4, 25
NEGATION = 0.3  # of the clauses, before they are chosen by their length
RELATIVES = 0.35  # of the clauses in longer sentences: those with a relative clause
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

# English and French; in none of the parts, so that the lectures can translate it.
EXAMPLE = (
    "the small black cat does not see the red house",
    "le petit chat noir ne voit pas la maison rouge",
)


class Noun(NamedTuple):
    """Both numbers; what moves can be heard and followed, under what shelters one can be."""

    english: tuple[str, str]
    french: tuple[str, str]
    feminine: bool
    moves: bool = False
    shelters: bool = False


class Adjective(NamedTuple):
    """French: masculine, feminine, their plurals; the masculine before a vowel, if another."""

    english: str
    french: tuple[str, str, str, str]
    before_vowel: str | None = None


class Verb(NamedTuple):
    """Third persons, and which objects (None: it has none) and whether indefinite ones."""

    english: tuple[str, str]
    french: tuple[str, str]
    objects: str | None = "any"
    indefinite: bool = True


ANIMALS = (
    Noun(("cat", "cats"), ("chat", "chats"), False, moves=True),
    Noun(("dog", "dogs"), ("chien", "chiens"), False, moves=True),
    Noun(("horse", "horses"), ("cheval", "chevaux"), False, moves=True),
    Noun(("bird", "birds"), ("oiseau", "oiseaux"), False, moves=True),
    Noun(("cow", "cows"), ("vache", "vaches"), True, moves=True),
    Noun(("goat", "goats"), ("chèvre", "chèvres"), True, moves=True),
    Noun(("hen", "hens"), ("poule", "poules"), True, moves=True),
    Noun(("spider", "spiders"), ("araignée", "araignées"), True, moves=True),
)
THINGS = (
    Noun(("house", "houses"), ("maison", "maisons"), True),
    Noun(("church", "churches"), ("église", "églises"), True),
    Noun(("flower", "flowers"), ("fleur", "fleurs"), True),
    Noun(("car", "cars"), ("voiture", "voitures"), True, moves=True, shelters=True),
    Noun(("tree", "trees"), ("arbre", "arbres"), False, shelters=True),
    Noun(("bridge", "bridges"), ("pont", "ponts"), False, shelters=True),
    Noun(("garden", "gardens"), ("jardin", "jardins"), False),
    Noun(("boat", "boats"), ("bateau", "bateaux"), False, moves=True),
)

# In French the first group stands before the noun, the other two after it: the colour first.
BEFORE = (
    Adjective("small", ("petit", "petite", "petits", "petites")),
    Adjective("old", ("vieux", "vieille", "vieux", "vieilles"), "vieil"),
    Adjective("new", ("nouveau", "nouvelle", "nouveaux", "nouvelles"), "nouvel"),
    Adjective("beautiful", ("beau", "belle", "beaux", "belles"), "bel"),
)
COLOURS = (
    Adjective("black", ("noir", "noire", "noirs", "noires")),
    Adjective("white", ("blanc", "blanche", "blancs", "blanches")),
    Adjective("red", ("rouge", "rouge", "rouges", "rouges")),
    Adjective("green", ("vert", "verte", "verts", "vertes")),
    Adjective("grey", ("gris", "grise", "gris", "grises")),
)
QUALITIES = (
    Adjective("strange", ("étrange", "étrange", "étranges", "étranges")),
    Adjective("quiet", ("tranquille", "tranquille", "tranquilles", "tranquilles")),
    Adjective("dangerous", ("dangereux", "dangereuse", "dangereux", "dangereuses")),
)

VERBS = (
    Verb(("sees", "see"), ("voit", "voient")),
    Verb(("watches", "watch"), ("regarde", "regardent")),
    Verb(("finds", "find"), ("trouve", "trouvent")),
    Verb(("likes", "like"), ("aime", "aiment"), indefinite=False),  # but not "pas de"
    Verb(("follows", "follow"), ("suit", "suivent"), "moving"),
    Verb(("hears", "hear"), ("entend", "entendent"), "moving"),
    Verb(("sleeps", "sleep"), ("dort", "dorment"), None),
    Verb(("waits", "wait"), ("attend", "attendent"), None),
)
ADVERBS = {"often": "souvent", "always": "toujours"}
CONJUNCTIONS = {"and": "et", "but": "mais", "when": "quand", "because": "parce que"}
PLACES = {"near": "près de", "behind": "derrière", "under": "sous"}

# English singular and plural; French masculine, feminine, plural.
DETERMINERS = {
    "definite": (("the", "the"), ("le", "la", "les")),
    "indefinite": (("a", "some"), ("un", "une", "des")),
    "near by": (("this", "these"), ("ce", "cette", "ces")),
    "mine": (("my", "my"), ("mon", "ma", "mes")),
}
DENIED = (("a", "any"), "de")

BEFORE_VOWEL = {"le": "l'", "la": "l'", "ce": "cet", "ma": "mon"}
BEFORE_VOWEL |= {"de": "d'", "ne": "n'", "que": "qu'"}
VOWELS = "aeiouéèêâîôû"


class Phrase(NamedTuple):
    """Words; the French ones each with the place of the English word that they translate."""

    english: list[str]
    french: list[tuple[str, int]]


def plain(english: str, french: str) -> Phrase:
    """One English word that one or more French ones translate."""
    return Phrase([english], [(word, 0) for word in french.split()])


def joined(*phrases: Phrase) -> Phrase:
    """One phrase after the other, in both languages."""
    english, french = [], []
    for phrase in phrases:
        french += [(word, len(english) + place) for word, place in phrase.french]
        english += phrase.english
    return Phrase(english, french)


def noun_words(noun, plural, kind, adjectives, denied=False, after_de=False) -> Phrase:
    """*an old grey bird* and *un vieil oiseau gris*.

    Args:
        noun: a Noun.
        plural: whether there are several.
        kind: of determiner, a key of DETERMINERS.
        adjectives: by "before", "colour", "quality", in English order.
        denied: the object of a negated verb: its *un* or *des* becomes *de*.
        after_de: after a preposition that ends in *de*, which swallows *des*.
    """
    articles, forms = DETERMINERS[kind]
    form = forms[2 if plural else noun.feminine]
    if kind == "indefinite" and denied:
        articles, form = DENIED
    elif kind == "indefinite" and plural and (after_de or "before" in adjectives):
        form = None if after_de else "de"
    said = [adjective.english for adjective in adjectives.values()]
    english = [articles[plural], *said, noun.english[plural]]
    if english[:1] == ["a"] and english[1][0] in VOWELS:
        english[0] = "an"

    written = noun.french[plural]
    french = [(form, 0)] if form else []
    for group in ("before", "noun", "colour", "quality"):
        if group == "noun":
            french.append((written, len(english) - 1))
        elif group in adjectives:
            adjective = adjectives[group]
            word = adjective.french[2 * plural + noun.feminine]
            if group == "before" and word == adjective.french[0] and not plural:
                word = written[0] in VOWELS and adjective.before_vowel or word
            french.append((word, english.index(adjective.english)))
    return Phrase(english, french)


def verb_words(verb: Verb, plural: bool, negated: bool, adverb: str | None = None) -> Phrase:
    """*does not often see* and *ne voit pas souvent*; adverb: a key of ADVERBS."""
    denial = ["do" if plural else "does", "not"] if negated else []
    english = [*denial, *filter(None, [adverb]), verb.english[plural or negated]]
    last = len(english) - 1
    french = [(verb.french[plural], last)]
    if negated:
        french = [("ne", 0), *french, ("pas", 1)]
    if adverb:
        french.append((ADVERBS[adverb], last - 1))
    return Phrase(english, french)


def surface(french: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """French as it is written: `le oiseau` becomes `l' oiseau`, `de le chat` `du chat`."""
    written = []
    for word, place in reversed(french):
        following = written[-1][0] if written else ""
        if following and following[0] in VOWELS:
            word = BEFORE_VOWEL.get(word, word)
        if word == "de" and following in ("le", "les"):
            written[-1] = ("du" if following == "le" else "des", written[-1][1])
            continue
        written.append((word, place))
    return written[::-1]


class Writer(Drawer):
    """Each method draws one kind of phrase."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.used: frozenset[Noun] = frozenset()
        self.waiting = (defaultdict(list), defaultdict(list))

    def sentence(self, length: int) -> Phrase:
        """A sentence of so many English words, of one to three clauses."""
        relatives = RELATIVES if length >= RELATIVES_FROM else 0.0
        self.used = frozenset()
        links = list(CONJUNCTIONS.items())
        first, *others = self.clause_lengths(length)
        phrase = self.clause_of(first, relatives)
        for part in others:
            link = plain(*links.pop(int(self.random() * len(links))))
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
        waiting, before = self.waiting[bool(relatives)], self.used
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
        negated = self.chance(NEGATION)
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
        nouns = [noun for noun in ANIMALS + THINGS if noun.moves or verb.objects == "any"]
        more = {"indefinite": verb.indefinite, "relative": relative, "place": place}
        return self.noun_phrase(nouns, self.chance(PLURAL), denied=negated, **more)

    def place(self) -> Phrase:
        """*near the old house* and *près de la vieille maison*."""
        english, french = self.choose(tuple(PLACES.items()))
        nouns = [noun for noun in THINGS if english != "under" or noun.shelters]
        noun = self.noun_phrase(nouns, self.chance(PLURAL), after_de=french.endswith(" de"))
        return joined(plain(english, french), noun)

    def relative(self, noun: Noun, plural: bool) -> Phrase:
        """*that watches the cow*, of an animal; *that the cow watches*, of anything."""
        negated, adverb = self.chance(NEGATION), self.adverb(ADVERB / 2)
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
        self, nouns, plural, indefinite=True, relative=False, place=0.0, **forms
    ) -> Phrase:
        """Determiner, adjectives, noun, and what is said of it.

        Args:
            nouns: those to choose from.
            plural: whether there are several.
            indefinite: whether the determiner may be.
            relative: whether a relative clause follows; otherwise a place by a probability.
            place: that probability.
            forms: `denied` or `after_de`, see `noun_words`.
        """
        noun = self.choose([noun for noun in nouns if noun not in self.used] or nouns)
        self.used |= {noun}
        kind = self.draw(KINDS)
        if kind == "indefinite" and not indefinite:
            kind = "definite"
        # "my cat that sleeps" would want a comma, and "pas de chat qui …" a subjunctive.
        if relative and (kind == "mine" or forms.get("denied")):
            kind = "definite"
        shape = self.draw(SHAPES)
        options = {"before": BEFORE, "colour": COLOURS, "quality": QUALITIES}
        if shape == ("quality", "before"):
            # Of "strange" and "beautiful" neither clearly comes first in English.
            options["before"] = BEFORE[:3]
        adjectives = {group: self.choose(options[group]) for group in shape}
        phrase = noun_words(noun, plural, kind, adjectives, **forms)
        if relative:
            return joined(phrase, self.relative(noun, plural))
        return joined(phrase, self.place()) if self.chance(place) else phrase

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


def make_pairs(
    count, seed, without, uniform=False, distinct=True
) -> list[tuple[str, str, str]]:
    """Rows of English, French and alignment; the same arguments always give the same ones.

    The alignment has for each French word the place of the English word that it translates.
    *ne* goes with `does`, *pas* with `not`, *de* of *pas de* with the article.

    Args:
        count: how many rows.
        seed: of the random numbers.
        without: English sentences that must not come.
        uniform: whether the English sentences are of every length alike; else they have
            SHORTEST + floor(n · u^1.5) words with n lengths and u uniform: most are short.
        distinct: whether no English sentence may come twice.
    """
    writer, barred, made = Writer(seed), set(without), []
    while len(made) < count:
        drawn = writer.random() ** (1 if uniform else 1.5)
        phrase = writer.sentence(SHORTEST + int((LONGEST - SHORTEST + 1) * drawn))
        english = " ".join(phrase.english)
        if english in barred:
            continue
        if distinct:
            barred.add(english)
        words, places = zip(*surface(phrase.french), strict=True)
        made.append((english, " ".join(words), " ".join(map(str, places))))
    return made


def held_out() -> dict[str, list[tuple[str, str, str]]]:
    """Validation and test pairs.

    Test sentences are of every length alike, no two are equal, and validation has none of
    them. Lengths in validation are skewed, as in training.
    """
    example = {EXAMPLE[0]}
    test = make_pairs(SIZES["test"], SEED + 1, example, uniform=True)
    without = example | {english for english, _, _ in test}
    return {"val": make_pairs(SIZES["val"], SEED + 2, without), "test": test}


def training(held: dict[str, list[tuple[str, str, str]]], count: int):
    """The first training pairs: none of those held out, nor `EXAMPLE`.

    Of four words there are so many in training that some come twice.
    """
    barred = {english for rows in held.values() for english, _, _ in rows}
    return make_pairs(count, SEED, {EXAMPLE[0], *barred}, distinct=False)


def write() -> None:
    """Make all pairs and keep them."""
    held = held_out()
    parts = {"train": training(held, SIZES["train"]), **held}
    rows = [(part, *row) for part, pairs in parts.items() for row in pairs]
    write_table("english_french.csv.xz", ("split", "english", "french", "alignment"), rows)


if __name__ == "__main__":
    write()
