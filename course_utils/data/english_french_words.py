"""The words of the English–French grammar: 81 English and 122 French ones.

No French noun or adjective here begins with h, so that whether a word elides what stands before
it can be seen from its first letter.
"""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """Both numbers in both languages; moves: whether it can be heard
    and followed; shelters: whether one can be under it."""

    english: tuple[str, str]
    french: tuple[str, str]
    feminine: bool
    moves: bool = False
    shelters: bool = False


class Adjective(NamedTuple):
    """french: masculine, feminine, masculine plural, feminine plural.

    before_vowel: the masculine singular before a vowel, where it differs.
    """

    english: str
    french: tuple[str, str, str, str]
    before_vowel: str | None = None


class Verb(NamedTuple):
    """Third persons singular and plural; objects: "any", "moving", or None without an object.

    indefinite: whether the object may be indefinite (`aimer` goes badly with `pas de`).
    """

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

# In French the first group stands before the noun, the other two behind it: the colour first.
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
    Verb(("likes", "like"), ("aime", "aiment"), indefinite=False),
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

BEFORE_VOWEL = {
    "le": "l'",
    "la": "l'",
    "ce": "cet",
    "ma": "mon",
    "de": "d'",
    "ne": "n'",
    "que": "qu'",
}
VOWELS = "aeiouéèêâîôû"
