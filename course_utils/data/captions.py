"""Short texts about pictures as token ids, ready for teacher forcing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from course_utils.data.base import END, PAD, START, UNKNOWN, Vocabulary, pad
from course_utils.data.translation import MARKS


def caption_vocabulary(words: Iterable[str]) -> Vocabulary:
    """<pad>, <unknown>, <sos>, <eos> with the ids 0 to 3, as in the translating lectures, and
    then these words: `course_utils.decoding` counts on the first four."""
    return Vocabulary([*MARKS, *words])


def teacher_forced(texts: Sequence[str], vocabulary: Vocabulary, length: int | None = None):
    """What a decoder reads and what it is to say, a step each.

    texts: words with blanks between them. length: T, the steps; None: one more than the longest
    text has words.

    Returns (ids, targets, weights): int32 (texts, T), <sos> and the words; int32 (texts, T),
    the words and <eos>; float32 (texts, T), 1 at these and 0 at the padding behind them.

    Raises ValueError for a word that the vocabulary does not have, and for a text that is
    longer than length - 1.
    """
    rows = [vocabulary.encode(text.split()) for text in texts]
    for text, row in zip(texts, rows, strict=True):
        if UNKNOWN in row:
            raise ValueError(f"the vocabulary does not have every word of {text!r}")
    longest = 1 + max(map(len, rows), default=0)
    length = longest if length is None else length
    if longest > length:
        raise ValueError(f"with <eos> there are {longest} tokens: length={length!r} is too few")
    targets = pad([[*row, END] for row in rows], length)
    ids = pad([[START, *row] for row in rows], length)
    return ids, targets, (targets != PAD).astype("float32")
