"""From text to numbers: words, a vocabulary, rows of one length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from course_utils.data.arguments import one_of, whole_number

PAD, UNKNOWN = 0, 1
START, END = 2, 3  # <sos> and <eos>, where a vocabulary has them
SPECIAL_WORDS = ("<pad>", "<unknown>")

_MARKUP = re.compile(r"<br\s*/?>")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def tokenize(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation and line-break markup.

    A word is a run of letters and digits; an apostrophe inside it stays: `don't` is one word.
    """
    return _WORD.findall(_MARKUP.sub(" ", text.lower().replace("’", "'")))


class Vocabulary:
    """The known words; a word's place in the list is its id.

    words: list, `words[0]` is "<pad>" and `words[1]` "<unknown>". index: dict from word to id.
    """

    def __init__(self, words: Iterable[str]):
        """words: the real ones, in the order of their ids, which start at 2."""
        self.words = [*SPECIAL_WORDS, *words]
        self.index = {word: number for number, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            raise ValueError(
                "a vocabulary holds every word once, and <pad>, <unknown> by itself"
            )

    @classmethod
    def from_texts(cls, token_lists: Iterable[Sequence[str]], size: int) -> Vocabulary:
        """The most frequent words of tokenised texts, the most frequent first.

        size: at most so many entries, "<pad>" and "<unknown>" among them; at least 3.
        Equally frequent words stand in alphabetical order: ids never depend on chance.
        """
        return cls.from_counts(Counter(word for tokens in token_lists for word in tokens), size)

    @classmethod
    def from_counts(cls, counts: dict[str, int], size: int) -> Vocabulary:
        """The same from a dict of word to number of occurrences."""
        whole_number("vocabulary size", size, at_least=3)
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked[: size - len(SPECIAL_WORDS)])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words)"

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """The ids of these words; 1 for a word that is not in the vocabulary."""
        return [self.index.get(word, UNKNOWN) for word in tokens]

    def decode(self, ids: Iterable[int]) -> str:
        """The words of these ids with blanks between them; padding is left out."""
        ids = [int(number) for number in ids]
        strange = [number for number in ids if not 0 <= number < len(self)]
        if strange:
            raise ValueError(f"ids go from 0 to {len(self) - 1}, got {strange[0]}")
        return " ".join(self.words[number] for number in ids if number != PAD)


def pad(sequences: Sequence[Sequence[int]], length: int, keep: str = "last") -> np.ndarray:
    """Rows of one length: short ones are filled with 0 at the end, long ones cut.

    keep: which end of a long one survives, "last" or "first". Returns int32 (rows, length).
    """
    whole_number("length", length, at_least=1)
    one_of("keep", keep, ("last", "first"))
    rows = np.full((len(sequences), length), PAD, "int32")
    for row, sequence in zip(rows, sequences, strict=True):
        kept = sequence[-length:] if keep == "last" else sequence[:length]
        row[: len(kept)] = kept
    return rows
