"""Pairs of sentences about films: does the second follow from the first?

    roles     who did what to whom; the second sentence may be in the passive voice
    clause    two clauses, an adjective each; the second sentence gives a noun its own one, or
              that of the other clause
    verdict   praise of one thing, blame of another; the second sentence judges one of the two
              in other words: what is "superb" is "good", and "not bad"
    negation  one of two clauses is negated; the second sentence says one again, or denies it

Pairs come in fours, two first sentences A, B with two second ones A', B'. 1: it follows.

            A'   B'
       A    1    0
       B    0    1

A and B hold the same words in another order. So of the four, exactly two are right for everyone
who reads the second sentence alone, or the first alone, or counts the words of both.

Easier fours are for training alone: their first sentences have one clause, and differ in its
subject or in what is said of it. There a comparison of single words is of use.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from course_utils.data.entities_grammar import Namer
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, NEGATORS, PRAISING

KINDS = ("roles", "clause", "verdict", "negation")
TWO_CLAUSES = KINDS[1:]

PERSONS = (
    "actor baker barber captain clerk cook critic dancer director driver farmer gardener "
    "hunter judge lawyer mayor miner neighbour officer painter pilot reporter singer soldier "
    "student tailor thief waiter widow writer"
).split()
# Regular ones only: their past tense is their participle, in both voices the same word.
VERBS = (
    "accused admired avoided betrayed blamed called defended followed greeted helped hired "
    "ignored insulted invited obeyed pardoned praised recognised replaced rescued "
    "surprised thanked trusted visited warned watched"
).split()
ADJECTIVES = "calm dark gentle loud modern odd quiet serious simple slow".split()
GOOD = ("good", "fine", "a success", "a pleasure", "not bad", "not a failure")
BAD = ("bad", "disappointing", "a failure", "not good", "not a success", "not a pleasure")

# First sentences have the plain form, which stands first; second ones any, or the one after it.
EVENTS = (
    "the {agent} {verb} the {patient}",
    "the {patient} was {verb} by the {agent}",
    "it was the {agent} who {verb} the {patient}",
    "it was the {patient} who was {verb} by the {agent}",
)
CLAUSES = (
    "the {subject} was {adjective}",
    "it was the {subject} that was {adjective}",
    "what was {adjective} was the {subject}",
    "we found that the {subject} was {adjective}",
)
# What may open a clause, and so move it by one to four words.
OPENINGS = (
    "again",
    "for once",
    "this time",
    "after the break",
    "to our surprise",
    "in the second half",
    "from the first minute",
    "on the whole",
    "as always",
    "without any doubt",
)
JOINTS = ("and", "but", "while")
MOVED = 0.5  # the share of clauses with an opening


class Pair(NamedTuple):
    """first, second: texts. follows: 1 or 0. kind: of `KINDS`. four: the number of its four."""

    first: str
    second: str
    follows: int
    kind: str
    four: int


def make_pairs(kind: str, counts: dict[str, int], seed: int, moved: bool):
    """Lists of `Pair`s by part, the same for the same arguments.

    counts: how many fours for each part, which are made in this order. moved: whether openings
    of different lengths move the clauses of the first sentence, and the second has any form.

    No first sentence comes in two fours. Raises ValueError when there are too few of them.
    """
    write = Writer(Random(f"{kind} {seed}"), moved)
    known: set[str] = set()
    parts: dict[str, list[Pair]] = {}
    four = 0
    for part, count in counts.items():
        parts[part] = []
        attempts = 0
        while len(parts[part]) < 4 * count:
            attempts += 1
            if attempts > 100 + 20 * count:
                raise ValueError(
                    f"the grammar has too few different sentences of kind {kind!r}: ask for "
                    "fewer pairs, for more kinds, or for moved=True"
                )
            made = write.four(kind, four)
            firsts = {pair.first for pair in made}
            if known & firsts:
                continue
            known |= firsts
            parts[part] += made
            four += 1
    return parts


def make_easier_pairs(kind: str, count: int, seed: int, moved: bool, four: int):
    """A list of `Pair`s, `count` fours of a kind of two clauses, whose firsts have one only.

    four: the number of the first four. Sentences may come again: there are not many.
    """
    write = Writer(Random(f"easier {kind} {seed}"), moved, easier=True)
    return [pair for number in range(count) for pair in write.four(kind, four + number)]


class Writer(Namer):
    """Draws fours: the method of a kind returns [A, B] and [A', B']."""

    def __init__(self, generator: Random, moved: bool, easier: bool = False):
        super().__init__(generator)
        self.moved, self.easier = moved, easier

    def four(self, kind: str, number: int) -> list[Pair]:
        """The pairs (A, A'), (A, B'), (B, A'), (B, B')."""
        firsts, seconds = getattr(self, kind)()
        return [
            Pair(firsts[row], seconds[column], int(row == column), kind, number)
            for row in (0, 1)
            for column in (0, 1)
        ]

    def roles(self):
        """An event with two persons, who change places."""
        persons, verb = self.sample(PERSONS, 2), self.choose(VERBS)
        first = self.first([EVENTS[0]])
        return [
            [
                form.format(agent=agent, patient=patient, verb=verb)
                for agent, patient in (persons, persons[::-1])
            ]
            for form in (first, self.second(EVENTS))
        ]

    def clause(self):
        """Two adjectives change places."""
        words = self.sample(ADJECTIVES, 2)
        return self.judged((words, words[::-1]), (words, words[::-1]))

    def verdict(self):
        """Praise and blame change places; the second sentence has other words for them."""
        words = [self.choose(PRAISING), self.choose(DAMNING)]
        answers = [self.choose(GOOD), self.choose(BAD)]
        return self.judged((words, words[::-1]), (answers, answers[::-1]))

    def negation(self):
        """A negator changes places."""
        (one, other), negator = self.sample(ADJECTIVES, 2), self.choose(NEGATORS)
        said = ((f"{negator} {one}", other), (one, f"{negator} {other}"))
        return self.judged(said, ((f"not {one}", one), (other, f"not {other}")))

    def judged(self, said, true):
        """Two clauses on two subjects, and second sentences on one of them.

        said[i][k]: what the first sentence i says of the subject k. true[k][i]: what is true of
        the subject k after the first sentence i, and not after the other one.
        """
        subjects = self.sample(FILM_SUBJECTS, 2)
        if self.easier:
            return self.one_clause(subjects, said, true)
        first = self.first(
            [
                CLAUSES[0].format(subject=subject, adjective=f"{{{place}}}")
                for place, subject in enumerate(subjects)
            ]
        )
        asked, second = int(self.random() * 2), self.second(CLAUSES)
        return [
            [first.format(*words) for words in said],
            [second.format(subject=subjects[asked], adjective=word) for word in true[asked]],
        ]

    def one_clause(self, subjects, said, true):
        """As `judged`, of one clause: another subject, or something else said of the same."""
        asked, first = int(self.random() * 2), self.first([CLAUSES[0]])
        words, answers = [said[i][asked] for i in (0, 1)], true[asked]
        if self.random() < 0.5:
            words, answers = words[:1] * 2, answers[:1] * 2
        else:
            subjects = subjects[:1] * 2
        return [
            [
                form.format(subject=subject, adjective=word)
                for subject, word in zip(subjects, told, strict=True)
            ]
            for form, told in ((first, words), (self.second(CLAUSES), answers))
        ]

    def first(self, clauses: list[str]) -> str:
        """The first sentence: its clauses, half of them behind an opening if they are moved."""
        text = ""
        for opening, clause in zip(self.sample(OPENINGS, len(clauses)), clauses, strict=True):
            if self.moved and self.random() < MOVED:
                clause = f"{opening} {clause}" if text else f"{opening}, {clause}"
            text += f", {self.choose(JOINTS)} {clause}" if text else clause
        return as_text(text)

    def second(self, forms: tuple[str, ...]) -> str:
        """The second sentence's form: any; the one after the plain form if nothing is moved."""
        return as_text(self.choose(forms) if self.moved else forms[1])


def as_text(sentence: str) -> str:
    """The sentence with a capital and a full stop."""
    return f"{sentence[0].upper()}{sentence[1:]}."
