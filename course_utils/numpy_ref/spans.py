"""Entities as spans, and the F1 that counts whole spans only.

BIO tags: "B-film" begins a film, "I-film" goes on with it, "O" is outside. As in the published
scorer, an "I-film" that follows neither "B-film" nor "I-film" begins a film as well.

Source: Ramshaw and Marcus, "Text chunking using transformation-based learning" (1995); the
measure: Tjong Kim Sang and De Meulder, "Introduction to the CoNLL-2003 shared task" (2003).
"""


def spans(tags):
    """Return the set of (start, end, type) of a sentence's tags; end is the last word's place.

    Raises:
        ValueError: for a tag that is neither "O" nor "B-…" or "I-…".
    """
    found, start, kind = set(), None, None
    for place, tag in enumerate([*tags, "O"]):
        letter, _, name = str(tag).partition("-")
        if tag != "O" and (letter not in ("B", "I") or not name):
            raise ValueError(f"a tag is 'O', 'B-…' or 'I-…', got {tag!r}")
        goes_on = letter == "I" and name == kind
        if kind is not None and not goes_on:
            found.add((start, place - 1, kind))
            kind = None
        if tag != "O" and not goes_on:
            start, kind = place, name
    return found


def span_f1(true, predicted):
    """Return F1 over the spans of all sentences: both ends and the type have to be right.

    Args:
        true, predicted: lists of lists of tags, sentence by sentence.

    Returns:
        2 · hits / (true spans + predicted spans), the harmonic mean of precision and recall;
        0 where there is no hit.

    Raises:
        ValueError: for other numbers of sentences or of tags.
    """
    if len(true) != len(predicted):
        raise ValueError(f"{len(true)} true sentences, {len(predicted)} predicted ones")
    hits = total = 0
    for right, guess in zip(true, predicted, strict=True):
        if len(right) != len(guess):
            raise ValueError(
                f"a sentence has {len(right)} true and {len(guess)} predicted tags"
            )
        right, guess = spans(right), spans(guess)
        hits += len(right & guess)
        total += len(right) + len(guess)
    return 2 * hits / total if hits else 0.0
