"""Translate real sentences without a network: phrases and a trigram model, both counted.

What the networks are compared with: phrase-based translation (Koehn, Och and Marcu,
"Statistical phrase-based translation", 2003) without reordering between phrases, in four steps.

1. Align the words of each pair in both directions by lecture 5's `windows.align`; keep what
   both directions say, and grow it by neighbours that one of them says.
2. Every run of source words whose alignments stay inside a run of target words is a
   **phrase pair**; count them all.
3. Count the n-grams of the French side, up to trigrams, smoothed as by Witten and Bell (1991).
4. Cut a new sentence into phrases from left to right, and search with a beam for the French
   phrases of the largest weighted sum of log-probabilities.
"""

import heapq
from collections import Counter, defaultdict

import numpy as np

from course_utils import training
from course_utils.data.base import END, START
from lectures.lecture_05.windows import align

LONGEST = 5  # words of a phrase
CHOICES = 12  # translations of a phrase
BEAM = 12  # beginnings for each number of source words
RARE = 1e-6  # of a word that no phrase has


def points(there, back):
    """Return the alignment, pairs (i, t) of positions, from one in each direction.

    there: for each target word its source position. back: for each source word its target
    position.
    """
    one, other = {(i, t) for t, i in enumerate(there)}, set(enumerate(back))
    found, free = one & other, one ^ other
    while True:
        read, written = {i for i, _ in found}, {t for _, t in found}
        new = {
            (i, t)
            for i, t in free - found
            if (i not in read or t not in written)
            and any((i + a, t + b) in found for a in (-1, 0, 1) for b in (-1, 0, 1))
        }
        if not new:
            return found
        found |= new


def phrase_pairs(source, target, aligned):
    """Return the phrase pairs of a sentence pair: tuples of words, and alignment points."""
    found, taken = [], {t for _, t in aligned}
    for i in range(len(source)):
        for j in range(i + 1, min(len(source), i + LONGEST) + 1):
            inside = [t for k, t in aligned if i <= k < j]
            if not inside:
                continue
            first, last = min(inside), max(inside)
            if any(first <= t <= last and not i <= k < j for k, t in aligned):
                continue
            while True:  # words without an alignment may stand at the ends
                end = last
                while True:
                    if end - first <= LONGEST:
                        found.append((source[i:j], target[first : end + 1]))
                    end += 1
                    if end in taken or end >= len(target):
                        break
                first -= 1
                if first in taken or first < 0:
                    break
    return found


class Trigrams:
    """Log-probabilities of a word after two others, counted in rows of ids without pads."""

    def __init__(self, rows, words):
        self.words, self.counts = words, Counter()
        for row in rows:
            row = (START, START, *row, END)
            for t in range(2, len(row)):
                self.counts.update(row[t - n : t + 1] for n in range(3))
        self.totals, self.kinds = Counter(), Counter()
        for run, count in self.counts.items():
            self.totals[run[:-1]] += count
            self.kinds[run[:-1]] += 1
        self.known = {}

    def log_p(self, before, word):
        """before: the two words before."""
        run = (*before, word)
        if run not in self.known:
            self.known[run] = float(np.log(self.probability(before, word)))
        return self.known[run]

    def probability(self, before, word):
        less = self.probability(before[1:], word) if before else 1 / self.words
        kinds, total = self.kinds[before], self.totals[before]
        if not total:
            return less
        return (self.counts[(*before, word)] + kinds * less) / (total + kinds)


class PhraseTranslator:
    """Phrases with the log-probabilities of their translations, and a model of the target.

    phrases: {source words: {target words: count}}. The score of a translation is the mean of
    log p(target | source) and log p(source | target) over its phrases, plus `fluency` times the
    trigrams' log-probability, plus `length` for each word.
    """

    def __init__(self, phrases, trigrams):
        self.trigrams, self.fluency, self.length = trigrams, 1.0, 0.0
        back = Counter()
        for table in phrases.values():
            back.update(table)
        self.options = {}
        for source, table in phrases.items():
            total = sum(table.values())
            costs = {said: (np.log(count / total) + np.log(count / back[said])) / 2
                     for said, count in table.items()}  # fmt: skip
            self.options[source] = heapq.nlargest(CHOICES, costs.items(), lambda one: one[1])

    def translate(self, source):
        """Return the translations of rows of ids (sentences, S), lists of ids."""
        return [self.search(tuple(row[row != 0].tolist())) for row in source]

    def search(self, source):
        stacks = [{} for _ in range(len(source) + 1)]
        stacks[0][START, START] = 0.0, ()
        for i, stack in enumerate(stacks[:-1]):
            kept = heapq.nlargest(BEAM, stack.items(), key=lambda one: one[1][0])
            for j in range(i + 1, min(len(source), i + LONGEST) + 1):
                unknown = [((), np.log(RARE))] if j == i + 1 else ()
                for said, cost in self.options.get(source[i:j], unknown):
                    for before, (total, words) in kept:
                        score, last = total + cost + self.length * len(said), before
                        for word in said:
                            score += self.fluency * self.trigrams.log_p(last, word)
                            last = last[1], word
                        if last not in stacks[j] or score > stacks[j][last][0]:
                            stacks[j][last] = score, (*words, *said)
        ends = (
            (score + self.fluency * self.trigrams.log_p(last, END), words)
            for last, (score, words) in stacks[-1].items()
        )
        return list(max(ends)[1])


@training.handmade
def count_phrases(source, target, words, epochs=1):
    """Return a `PhraseTranslator` of pairs, rows of ids with 0 at the end.

    words: of the target's vocabulary. epochs: 1, or 0 to count nothing.
    """
    phrases, rows = defaultdict(Counter), []
    if epochs:
        alignments = align(source, target), align(target, source)
        for read, said, there, back in zip(source, target, *alignments, strict=True):
            read, said = (tuple(ids[ids != 0].tolist()) for ids in (read, said))
            rows.append(said)
            found = points(there[: len(said)].tolist(), back[: len(read)].tolist())
            for one, other in phrase_pairs(read, said, found):
                phrases[one][other] += 1
    return PhraseTranslator(phrases, Trigrams(rows, words))
