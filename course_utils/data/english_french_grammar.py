"""English sentences with their French translation, made by a small grammar.

What makes them worth translating: gender and number, which French marks on article, adjective
and verb; adjectives before or behind the noun; *ne … pas* around the verb; forms that hang on
the next word (*vieil*, *cet*, *l'*). Elided words are tokens of their own: `l' oiseau`.

`english_french` keeps the default set in data/english_french.csv.gz.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import NamedTuple

import numpy as np

from course_utils.data.arguments import one_of, share, whole_number
from course_utils.data.english_french_phrases import surface
from course_utils.data.english_french_writer import Writer

SHORTEST, LONGEST = 4, 25
LENGTHS = ("skewed", "uniform")
MOST_NEGATION = 0.9
SEED = 0


class Pairs(NamedTuple):
    """english, french: object arrays of str, words with blanks between them.

    alignments: object array of tuples, for each French word the place of the English word that
    it translates. *ne* goes with `does`, *pas* with `not`, *de* of *pas de* with the article.
    """

    english: np.ndarray
    french: np.ndarray
    alignments: np.ndarray


def make_pairs(
    count: int,
    seed: int,
    *,
    lengths: str = "skewed",
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    negation: float = 0.3,
    relatives: float = 0.35,
    without: Collection[str] = (),
    distinct: bool = False,
) -> Pairs:
    """Make pairs; the same arguments always give the same ones.

    lengths: of the English sentences, "uniform" between shortest and longest, or "skewed":
        shortest + floor(n · u^1.5) with n lengths and u uniform, so that short ones are common.
    negation: the share of clauses that are negated before they are chosen by their length.
    relatives: the same for clauses with a relative clause, in sentences of 9 words or more.
    without: English sentences that must not come.
    distinct: whether no English sentence may come twice.

    Raises ValueError for anything else, and when there are too few sentences.
    """
    whole_number("count", count, at_least=1)
    whole_number("seed", seed, at_least=0)
    one_of("lengths", lengths, LENGTHS)
    whole_number("shortest", shortest, at_least=SHORTEST)
    whole_number("longest", longest, at_least=shortest)
    if longest > LONGEST:
        raise ValueError(f"longest can be {LONGEST} words at most, got {longest!r}")
    share("negation", negation)
    if negation > MOST_NEGATION:
        raise ValueError(
            f"negation can be {MOST_NEGATION} at most, got {negation!r}: "
            "no sentence of four words is negated"
        )
    share("relatives", relatives)

    generator = Random(seed)
    writer = Writer(generator, negation, relatives)
    barred = set(without)
    made = []
    attempts = 0
    while len(made) < count:
        attempts += 1
        if attempts > 100 + 20 * count:
            raise ValueError(
                f"this grammar has too few different sentences for a count of {count}: "
                "ask for fewer, or for longer ones"
            )
        drawn = generator.random() ** (1.5 if lengths == "skewed" else 1)
        phrase = writer.sentence(shortest + int((longest - shortest + 1) * drawn))
        english = " ".join(phrase.english)
        if english in barred:
            continue
        if distinct:
            barred.add(english)
        words, places = zip(*surface(phrase.french), strict=True)
        made.append((english, " ".join(words), places))
    columns = [np.empty(count, object) for _ in Pairs._fields]
    for column, values in zip(columns, zip(*made, strict=True), strict=True):
        column[:] = values
    return Pairs(*columns)
