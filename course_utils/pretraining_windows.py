"""Long texts cut into rows of one length."""

import numpy as np

from course_utils.data.base import whole_number
from course_utils.tokenizers import START

SHORTEST = 8


def windows(tokenizer, texts, length):
    """Rows of `length` ids out of long texts: int32 (rows, length), 0 behind the last token.

    Each row starts with <sos> and goes on where the row before it stopped; no row holds two
    texts. What is left of a text is dropped where it has fewer than 8 tokens, unless it is the
    whole text.

    tokenizer: one of `course_utils.tokenizers`. Raises ValueError for a length under 2.
    """
    whole_number("length", length, at_least=2)
    step, rows = length - 1, []
    for text in texts:
        ids = tokenizer.ids(str(text))
        starts = range(0, max(1, len(ids) - SHORTEST), step)
        rows += [[START, *ids[start : start + step]] for start in starts]
    filled = np.zeros((len(rows), length), "int32")
    for row, ids in zip(filled, rows, strict=True):
        row[: len(ids)] = ids
    return filled
