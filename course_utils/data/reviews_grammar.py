"""Film reviews made by a small grammar, whose verdict hangs on one known phenomenon each.

    plain     three verdicts that agree:          "The plot was clever and …"
    negation  two verdicts, each negated:         "The plot was never dull and …"
    turn      two opposite verdicts far apart, of which the later counts
    far       one verdict at the start, then many sentences about something else,
              some of which praise or damn popcorn, seats or the weather

`reviews_file` keeps the default set in data/reviews.csv.gz.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import numpy as np

from course_utils.data.arguments import share, whole_number, word_range
from course_utils.data.reviews_words import (
    DAMNING,
    FILM_SUBJECTS,
    NEGATORS,
    NEUTRAL,
    OTHER_SUBJECTS,
    PRAISING,
    SLOTS,
)

PHENOMENA = ("plain", "negation", "turn", "far")
MIXTURE = {"plain": 0.4, "negation": 0.2, "turn": 0.2, "far": 0.2}
SEED = 0
SIZES = {"train": 4_000, "val": 400, "test": 2_000}


class Reviews(NamedTuple):
    """texts: object array of str; labels: int32, 1 praises; phenomena: array of str."""

    texts: np.ndarray
    labels: np.ndarray
    phenomena: np.ndarray


def make_reviews(
    count: int,
    seed: int,
    *,
    mixture: Mapping[str, float] = MIXTURE,
    before: tuple[int, int] = (0, 12),
    after: tuple[int, int] = (0, 10),
    turn: tuple[int, int] = (40, 55),
    after_turn: tuple[int, int] = (6, 12),
    far: tuple[int, int] = (60, 105),
    distractors: float = 0.35,
    distractors_elsewhere: float = 0.05,
) -> Reviews:
    """Make reviews, no text twice; the same arguments always give the same reviews.

    mixture: the share of each phenomenon; one that is left out gets none; they sum to 1.
    The ranges are pairs (fewest, most) in words, filled up with whole sentences, so that the
    last sentence may run a few words over: `before` and `after` the verdicts of plain and
    negated reviews, `turn` between the two verdicts, `after_turn` behind the second one,
    `far` behind the only one.
    distractors: the share of sentences behind a far verdict which praise or damn something that
    is no part of the film; distractors_elsewhere: the same in all other filler.
    Raises ValueError for anything else.
    """
    whole_number("count", count, at_least=1)
    whole_number("seed", seed, at_least=0)
    _check_mixture(mixture)
    ranges = {"before": before, "after": after, "turn": turn, "after_turn": after_turn}
    for name, value in {**ranges, "far": far}.items():
        word_range(name, value)
    share("distractors", distractors)
    share("distractors_elsewhere", distractors_elsewhere)

    write = _Writer(Random(seed))
    aside = distractors_elsewhere

    def review(phenomenon: str, label: int) -> list[str]:
        if phenomenon == "far":
            return [write.verdict(label), *write.filler(far, distractors)]
        if phenomenon == "turn":
            first, second = write.verdict(1 - label), write.verdict(label)
            between = write.filler(turn, aside)
            return [first, *between, second, *write.filler(after_turn, aside)]
        negated = phenomenon == "negation"
        verdict = f"{write.verdict(label, negated)} and {write.verdict(label, negated)}"
        sentences = [*write.filler(before, aside), verdict, *write.filler(after, aside)]
        return sentences if negated else [*sentences, write.verdict(label)]

    made: dict[str, tuple[int, str]] = {}
    attempts = 0
    while len(made) < count:
        phenomenon = write.draw(mixture)
        label = int(write.random() < 0.5)
        made.setdefault(_as_text(review(phenomenon, label)), (label, phenomenon))
        attempts += 1
        if attempts > 100 + 20 * count:
            raise ValueError(
                f"this grammar has too few different reviews for a count of {count}: "
                "ask for fewer, or for longer filler"
            )
    labels, phenomena = zip(*made.values(), strict=True)
    return Reviews(np.array(list(made), object), np.array(labels, "int32"), np.array(phenomena))


def _check_mixture(mixture: Mapping[str, float]) -> None:
    if not isinstance(mixture, Mapping) or not mixture or set(mixture) - set(PHENOMENA):
        raise ValueError(
            f"mixture has to be a dict from {', '.join(PHENOMENA)} to shares, got {mixture!r}"
        )
    for name, value in mixture.items():
        share(f"mixture[{name!r}]", value)
    if not math.isclose(sum(mixture.values()), 1, abs_tol=1e-6):
        raise ValueError(f"the shares of mixture have to sum to 1, got {mixture!r}")


class _Writer:
    """Draws clauses and sentences."""

    def __init__(self, generator: Random):
        # Of all its methods, Python promises for this one alone that it never changes.
        self.random = generator.random

    def choose(self, options):
        return options[int(self.random() * len(options))]

    def draw(self, shares: Mapping[str, float]) -> str:
        """One phenomenon, by the given shares."""
        point = self.random()
        for name, size in shares.items():
            if size and point < size:
                return name
            point -= size
        return next(name for name in reversed(shares) if shares[name])

    def verdict(self, label: int, negated: bool = False) -> str:
        """A clause about the film: label 1 praises, if negated by denying a fault."""
        clause = f"the {self.choose(FILM_SUBJECTS)} was"
        if negated:
            clause = f"{clause} {self.choose(NEGATORS)}"
        praising_words = bool(label) != negated
        return f"{clause} {self.choose(PRAISING if praising_words else DAMNING)}"

    def filler(self, length_range: tuple[int, int], distractors: float) -> list[str]:
        """Sentences that give no verdict on the film: so many words, or a few more."""
        low, high = length_range
        wanted = low + int(self.random() * (high - low + 1))
        sentences: list[str] = []
        neutral: list[str] = []
        length = 0
        while length < wanted:
            if not neutral:
                neutral = list(NEUTRAL)
            if self.random() < distractors:
                sentence = (
                    f"the {self.choose(OTHER_SUBJECTS)} was {self.choose(PRAISING + DAMNING)}"
                )
            else:
                # Each at most once until all have been used: a review that says the same
                # sentence twice in a row reads badly.
                fillings = {slot: self.choose(words) for slot, words in SLOTS.items()}
                sentence = neutral.pop(int(self.random() * len(neutral))).format(**fillings)
            sentences.append(sentence)
            length += len(sentence.split())
        return sentences


def _as_text(sentences: list[str]) -> str:
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
