"""Edit distance by its whole table, as on the slide.

Source: Wagner and Fischer, "The string-to-string correction problem" (1974), after Levenshtein
(1966).
"""

import numpy as np


def edit_table(written, true):
    """How many edits turn the first i tokens of one text into the first j of another.

    Args:
        written, true: lists of tokens, of T and S tokens.

    Returns:
        int (T + 1, S + 1). A table's cell is the cheapest of three: from above, a token is left
        out; from the left, one is put in; from above left, one is kept or replaced. The last
        cell is the distance of the whole texts.
    """
    table = np.zeros((len(written) + 1, len(true) + 1), int)
    table[:, 0], table[0] = range(len(written) + 1), range(len(true) + 1)
    for i, own in enumerate(written, start=1):
        for j, wanted in enumerate(true, start=1):
            kept = table[i - 1, j - 1] + (own != wanted)
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, kept)
    return table
