"""How far a written text is from the true one: edit distance, and the error rate of a set."""

from __future__ import annotations

from collections.abc import Sequence


def edit_distance(written: Sequence, true: Sequence) -> int:
    """The fewest tokens to leave out, put in or replace, to turn one text into the other.

    written, true: lists of tokens, or texts, of which each character is a token then.

    Source: Levenshtein, "Binary codes capable of correcting deletions, insertions and
    reversals" (1966); row by row as by Wagner and Fischer (1974). The same with the whole
    table: `course_utils.numpy_ref.edit_distance`.
    """
    row = list(range(len(true) + 1))
    for number, own in enumerate(written, start=1):
        above, row = row, [number]
        for place, wanted in enumerate(true):
            kept = above[place] + (own != wanted)
            row.append(min(above[place + 1] + 1, row[place] + 1, kept))
    return row[-1]


def error_rate(written: Sequence[str], true: Sequence[str]) -> float:
    """All edits of a set over all of its true tokens: word, character or digit error rate.

    written, true: texts, tokens with blanks between them. The rate can exceed 1: too many
    tokens are errors, too.

    Raises ValueError when there are none, not as many of both, or no true token at all.
    """
    if isinstance(written, str) or isinstance(true, str):
        raise ValueError("written and true have to be lists of texts, not one text")
    if len(written) != len(true):
        raise ValueError(f"there are {len(written)} written texts and {len(true)} true ones")
    tokens = sum(len(text.split()) for text in true)
    if not tokens:
        raise ValueError("an error rate needs at least one true token")
    pairs = zip(written, true, strict=True)
    return sum(edit_distance(own.split(), text.split()) for own, text in pairs) / tokens
