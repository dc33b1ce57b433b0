"""Translate without a recurrent network: align, cut into blocks, choose by linear models.

What the networks are compared with. It learns from the same pairs, in three steps:

1. `align` finds the source word of each target word, by counting (IBM's model 1 with a
   preference for the diagonal; Dyer, Chahuneau and Smith, "A simple, fast, and effective
   reparameterization of IBM model 2", 2013).
2. A pair is cut into **blocks**, the smallest runs of source words whose translations stand
   together and in the blocks' order: *black cat* with *chat noir*. A new sentence is cut into
   the longest runs that were a block in at least a tenth of their occurrences.
3. Where a block has several translations (*petit, petite, petits*), a linear model on the
   words around it, fitted by ridge regression, chooses one.
"""

from collections import Counter, defaultdict

import numpy as np
from scipy.sparse import csr_array

from course_utils.data.base import END

DIAGONAL = 6.0  # how fast the preference falls off the diagonal
ROUNDS = 8
LONGEST = 5  # words of a block
RARE = 3  # fewer occurrences do not count


def align(source, target):
    """Return for each target word the position of its source word, int (pairs, T).

    source (pairs, S), target (pairs, T): ids, 0 at pads.
    """
    read, written = source != 0, target != 0
    i = np.arange(source.shape[1])[:, None] / read.sum(axis=1)[:, None, None]
    t = np.arange(target.shape[1]) / written.sum(axis=1)[:, None, None]
    near = np.exp(-DIAGONAL * np.abs(i - t)) * read[:, :, None] * written[:, None, :]
    words = source.max() + 1, target.max() + 1
    pair = source[:, :, None] * words[1] + target[:, None, :]
    table = np.ones(words)  # probability of a target word given a source word
    for _ in range(ROUNDS):
        share = table.ravel()[pair] * near
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-30)
        counts = np.bincount(pair.ravel(), share.ravel(), table.size).reshape(words)
        table = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-30)
    return share.argmax(axis=1)


def blocks(positions, words):
    """Return the blocks of a pair: (first, last) of the source, (first, last) of the target.

    positions: for each target word the position of its source word; words: of the source.
    """
    starts = [(0, 0)]
    for t in range(1, len(positions)):
        read = max(positions[:t]) + 1
        if read <= min(positions[t:]):
            starts.append((read, t))
    ends = [*starts[1:], (words, len(positions))]
    return [((i, j), (t, u)) for (i, t), (j, u) in zip(starts, ends, strict=True)]


def training_blocks(split):
    """Return {block: rows} of a split of pairs; a row is (source, first, last, translation).

    A block has up to `LONGEST` words, `RARE` occurrences, and is a block in at least a tenth of
    the places where its words follow each other.
    """
    target = np.where(split.targets == END, 0, split.targets)
    positions = align(split.inputs["source"], target)
    found, runs = defaultdict(list), Counter()
    for ids, said, places in zip(split.inputs["source"], target, positions, strict=True):
        source, words = tuple(ids[ids != 0].tolist()), tuple(said[said != 0].tolist())
        lengths = range(1, LONGEST + 1)
        runs.update(source[i : i + n] for n in lengths for i in range(len(source) + 1 - n))
        for (i, j), (t, u) in blocks(places[: len(words)].tolist(), len(source)):
            found[source[i:j]].append((source, i, j, words[t:u]))
    return {
        block: rows
        for block, rows in found.items()
        if block in runs and len(rows) >= max(RARE, runs[block] / 10)
    }


class WindowTranslator:
    """Blocks, and linear models on `width` words on both sides; `strength` of their ridge."""

    def __init__(self, width, strength, vocabulary):
        self.width, self.strength, self.vocabulary = width, strength, vocabulary
        self.columns = len(vocabulary["source"])

    def fit(self, blocks):
        """Learn from the `training_blocks`; return self."""
        self.choices = {block: self.choice(rows) for block, rows in blocks.items()}
        return self

    def window(self, source, i, j):
        """The columns of the words around source[i:j]: each place has its own."""
        ends = (0,) * self.width
        padded = ends + source + ends
        around = padded[i : i + self.width] + padded[self.width + j : 2 * self.width + j]
        return [place * self.columns + word for place, word in enumerate(around)]

    def choice(self, rows):
        """Return a block's translations, and weights that score them by a window."""
        counts = Counter(said for *_, said in rows)
        choices = [said for said, count in counts.items() if count >= RARE]
        if len(choices) < 2:
            return [counts.most_common(1)[0][0]], None
        rows = [row for row in rows if row[-1] in choices]
        columns = np.array([self.window(*place) for *place, _ in rows])
        shape = len(rows), 2 * self.width * self.columns
        ones, starts = np.ones(columns.size), np.arange(len(rows) + 1) * columns.shape[1]
        x = csr_array((ones, columns.ravel(), starts), shape=shape)
        y = np.eye(len(choices))[[choices.index(said) for *_, said in rows]]
        square = (x.T @ x).toarray() + self.strength * np.eye(shape[1])
        return choices, np.linalg.solve(square, x.T @ y)

    def translate(self, source):
        """Return the translations of rows of ids (sentences, S), as texts."""
        texts = []
        for row in source:
            ids, i, written = tuple(row[row != 0].tolist()), 0, []
            while i < len(ids):
                ends = range(min(len(ids), i + LONGEST), i, -1)
                j = next((j for j in ends if ids[i:j] in self.choices), i + 1)
                choices, weights = self.choices.get(ids[i:j], ([()], None))
                best = 0
                if weights is not None:
                    best = weights[self.window(ids, i, j)].sum(axis=0).argmax()
                written += choices[best]
                i = j
            texts.append(self.vocabulary["target"].decode(written))
        return texts
