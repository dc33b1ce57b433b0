"""Translate without a recurrent network: align, cut into blocks, choose by linear models.

What the networks are compared with. It learns from the same pairs, in three steps:

1. `align` finds the source word of each target word, by counting (IBM's model 1 with a
   preference for the diagonal; Dyer, Chahuneau and Smith, "A simple, fast, and effective
   reparameterization of IBM model 2", 2013).
2. A pair is cut into **blocks**, the smallest runs of source words whose translations stand
   together and in the blocks' order: *black cat* with *chat noir*. A new sentence is cut into
   the longest blocks that training had often enough.
3. Where a block has several translations (*petit, petite, petits*), a linear model on the
   words around it, fitted by ridge regression, chooses one.
"""

from collections import Counter, defaultdict

import numpy as np

from course_utils.data.base import END

DIAGONAL = 6.0  # how fast the preference falls off the diagonal
ROUNDS = 8
LONGEST = 5  # words of a block


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


class WindowTranslator:
    """Blocks, and linear models on `width` words on both sides; `strength` of their ridge.

    A block counts from `rare` occurrences on, and so does a translation of it.
    """

    def __init__(self, width, strength, rare=3):
        self.width, self.strength, self.rare = width, strength, rare

    def fit(self, split, vocabulary):
        """Learn from a split of pairs; return self."""
        target = np.where(split.targets == END, 0, split.targets)
        positions = align(split.inputs["source"], target)
        self.columns = len(vocabulary["source"])
        seen = defaultdict(list)
        for ids, said, places in zip(split.inputs["source"], target, positions, strict=True):
            source, words = ids[ids != 0], said[said != 0]
            for (i, j), (t, u) in blocks(places[: len(words)].tolist(), len(source)):
                if 0 < j - i <= LONGEST:
                    row = self.window(source, i, j), tuple(words[t:u].tolist())
                    seen[tuple(source[i:j].tolist())].append(row)
        often = {block: rows for block, rows in seen.items() if len(rows) >= self.rare}
        self.choices = {block: self.choice(rows) for block, rows in often.items()}
        return self

    def window(self, source, i, j):
        """The columns of the words around source[i:j]: each place has its own."""
        padded = np.pad(source, self.width)
        around = *padded[i : i + self.width], *padded[self.width + j : 2 * self.width + j]
        return [place * self.columns + word for place, word in enumerate(around)]

    def choice(self, rows):
        """Return a block's translations, and weights that score them by a window."""
        counts = Counter(said for _, said in rows)
        said = [words for words, count in counts.items() if count >= self.rare]
        said = said or [counts.most_common(1)[0][0]]
        if len(said) == 1 or not self.width:
            return [max(said, key=counts.get)], None
        rows = [row for row in rows if row[1] in said]
        columns, at = np.unique([window for window, _ in rows], return_inverse=True)
        x = np.zeros((len(rows), len(columns)), "float32")
        np.put_along_axis(x, at.reshape(len(rows), -1), 1, axis=1)
        y = np.eye(len(said), dtype="float32")[[said.index(words) for _, words in rows]]
        penalty = self.strength * np.eye(len(columns), dtype="float32")
        weights = np.zeros((2 * self.width * self.columns, len(said)), "float32")
        weights[columns] = np.linalg.solve(x.T @ x + penalty, x.T @ y)
        return said, weights

    def translate(self, source, vocabulary):
        """Return the translations of rows of ids (sentences, S), as texts."""
        texts = []
        for ids in source:
            ids, i, written = ids[ids != 0], 0, []
            while i < len(ids):
                ends = range(min(len(ids), i + LONGEST), i, -1)
                j = next((j for j in ends if tuple(ids[i:j].tolist()) in self.choices), i + 1)
                said, weights = self.choices.get(tuple(ids[i:j].tolist()), ([()], None))
                best = 0
                if weights is not None:
                    best = weights[self.window(ids, i, j)].sum(axis=0).argmax()
                written += said[best]
                i = j
            texts.append(vocabulary["target"].decode(written))
        return texts
