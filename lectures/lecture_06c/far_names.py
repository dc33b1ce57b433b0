"""Texts whose names get their types far away: "we saw A and B. … The latter is a town …".

A window around a name tells that it is one, and nothing about its type.
"""

from random import Random

from course_utils.data.base import Dataset, Split, rows_of
from lectures.lecture_06c import TYPES, spans

SIZES = {"train": 6_000, "val": 300, "test": 500}
OPENINGS = (
    "we talked about {A} and {B} all evening",
    "my sister asked about {A} and {B}",
    "everybody knows {A} and {B} by now",
    "the papers wrote about {A} and {B}",
    "I had never heard of {A} and {B}",
)
BETWEEN = (
    "the seat was hard",
    "we walked home afterwards",
    "there was hardly a queue",
    "it was cold that night",
    "the bus was late",
)
ASIDES = ("they say", "I think", "of course", "we heard")
FACTS = {
    "person": ("directed it", "wrote the script", "is an actor", "plays a doctor"),
    "film": ("runs for two hours", "was shown twice", "won a prize", "is in colour"),
    "place": ("lies by the sea", "is a small town", "is hard to reach", "has four cinemas"),
    "organisation": ("hires actors", "lost money", "pays for films", "owns two cinemas"),
}


def far_names(near):
    """6,000 / 300 / 500 texts with two names each, tagged like the sentences they come from.

    near: what `load_entities` returns; the names are those of its persons. About half of the
    names of validation and test occur in no training text.
    """
    known = persons(near.train, near.class_names)
    draw, parts = Random(0), []
    for part, size in SIZES.items():
        own = [one for one in persons(near.split(part), near.class_names) if one not in known]
        made = [_text(draw, known, own or known, near.class_names) for _ in range(size)]
        words, tags = zip(*made, strict=True)
        parts.append(Split(rows_of(words), rows_of(tags)))
    source = "made by lectures.lecture_06c.far_names"
    made = Dataset("far_names", *parts, None, near.class_names, source, "CC0")
    return made.announce(f"; {source}")


def persons(part, class_names):
    """The last words of the persons in tagged sentences, sorted."""
    found = set()
    for words, tags in zip(part.inputs, part.targets, strict=True):
        named = spans([class_names[tag] for tag in tags])
        found |= {words[end] for _, end, kind in named if kind == "person"}
    return sorted(found)


def _text(draw, known, own, class_names):
    """The words of a text, and their tags as numbers."""
    names = dict.fromkeys(draw.choice(draw.choice((known, own))) for _ in range(2))
    while len(names) < 2:
        names[draw.choice(known)] = None
    kinds = [draw.choice(TYPES) for _ in names]
    tags = dict(zip(names, (class_names.index(f"B-{kind}") for kind in kinds), strict=True))
    sentences = [draw.choice(OPENINGS).format(**dict(zip("AB", names, strict=True)))]
    sentences += draw.sample(BETWEEN, draw.choice((0, 1)))
    told = []
    for which, kind in zip(("former", "latter"), kinds, strict=True):
        aside = f", {draw.choice(ASIDES)} , " if draw.random() < 0.5 else ""
        told.append(f"the {which} {aside}{draw.choice(FACTS[kind])}")
    sentences.append(" , and ".join(draw.sample(told, 2)))
    words = " ".join(f"{one[0].upper()}{one[1:]} ." for one in sentences).split()
    return words, [tags.get(word, 0) for word in words]
