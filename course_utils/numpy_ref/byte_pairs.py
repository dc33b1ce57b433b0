"""Byte pair encoding by hand: which pieces of words a tokenizer learns, and how it cuts.

It starts from single characters and joins, again and again, the pair of neighbours that occurs
most often. Ties: the pair whose left piece has the lowest number, then the right one; the
characters are numbered by code point, the joined pieces behind them in the order of their
birth. With this rule all merges equal those of the `tokenizers` library.

Source: Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword
units" (2016), algorithm 1. (Gage's "A new algorithm for data compression", 1994, joined bytes.)
"""

from collections import Counter

from course_utils.data.base import whole_number


def train_bpe(counts, merges):
    """Learn so many merges, or as many as there are pairs to join.

    Args:
        counts: dict from word to how often it occurs.
        merges: how many.

    Returns:
        list of (left piece, right piece), the first learnt first.

    Raises:
        ValueError: for a number of merges that is no whole number from 0 on.
    """
    whole_number("merges", merges, at_least=0)
    numbers = {c: n for n, c in enumerate(sorted({c for word in counts for c in word}))}
    pieces = {word: list(word) for word in counts}
    learnt = []
    for _ in range(merges):
        pairs = count_pairs(pieces, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], numbers[p[0]], numbers[p[1]]))
        learnt.append(best)
        numbers.setdefault("".join(best), len(numbers))
        pieces = {word: merge(parts, *best) for word, parts in pieces.items()}
    return learnt


def count_pairs(pieces, counts):
    """Return how often each pair of neighbours occurs, words counted as often as they occur.

    Args:
        pieces: dict from word to its list of pieces. counts: dict from word to a number.
    """
    pairs = Counter()
    for word, parts in pieces.items():
        for pair in zip(parts, parts[1:], strict=False):
            pairs[pair] += counts[word]
    return pairs


def merge(pieces, left, right):
    """Return the pieces with each `left` that stands before a `right` joined to it.

    From left to right, no piece used twice: a a a becomes aa a.
    """
    joined, place = [], 0
    while place < len(pieces):
        if pieces[place : place + 2] == [left, right]:
            joined.append(left + right)
            place += 2
        else:
            joined.append(pieces[place])
            place += 1
    return joined


def apply_merges(word, merges):
    """Cut a word into pieces: from its characters, join the pair that was learnt earliest.

    Args:
        word: str. merges: list of (left piece, right piece), as `train_bpe` returns it.
    """
    rank = {pair: number for number, pair in enumerate(map(tuple, merges))}
    pieces = list(word)
    while True:
        pairs = [pair for pair in zip(pieces, pieces[1:], strict=False) if pair in rank]
        if not pairs:
            return pieces
        pieces = merge(pieces, *min(pairs, key=rank.get))
