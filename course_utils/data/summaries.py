"""Short summaries of made reviews: what was good and what was bad.

A review judges two to four things about the film, some by a denial ("never dull"), between
sentences that judge nothing, or judge popcorn and seats. The summary names what belongs to the
film, in the order of the review, as good or bad: "acting good , plot bad".
"""

from __future__ import annotations

from random import Random

import numpy as np

from course_utils.data.base import Dataset, Split
from course_utils.data.entities_grammar import Namer, check_sizes
from course_utils.data.made import assemble
from course_utils.data.reviews import (
    DAMNING,
    FILM_SUBJECTS,
    NEGATORS,
    NEUTRAL,
    OTHER_SUBJECTS,
    PRAISING,
    SLOTS,
)

SIZES = {"train": 4_000, "val": 300, "test": 500}
SEED = 0
VERDICTS = (2, 4)
FILLER = 0.5  # the chance of a sentence that judges nothing before each verdict
DISTRACTORS = 0.3  # the chance that it judges something else than the film


def load_summaries(sizes: dict[str, int] = SIZES, seed: int = SEED) -> Dataset:
    """Reviews and their summaries, for conditional generation.

    Each part: inputs an object array of str, the review with capitals and full stops as in
    `load_reviews`; targets an object array of str, the summary, words with blanks between;
    columns "verdicts" (int32, how many the summary has) and "negated" (bool: the review denies
    at least one). Reviews have 8 to 80 words, summaries 5 to 11.

    Raises ValueError for other parts than train, val and test, or sizes and seeds that are no
    whole numbers.
    """
    check_sizes(sizes, seed)
    write = Namer(Random(seed))
    made: set[str] = set()
    # The test part first, so that it is the same for any size of the others.
    splits = {part: _split(write, sizes[part], made) for part in reversed(SIZES)}
    return assemble("summaries", splits, "as text")


def _split(write: Namer, size: int, made: set[str]) -> Split:
    rows = []
    while len(rows) < size:
        row = _example(write)
        if row[0] not in made:
            made.add(row[0])
            rows.append(row)
    texts, summaries, verdicts, negated = zip(*rows, strict=True)
    columns = {"verdicts": np.array(verdicts, "int32"), "negated": np.array(negated)}
    return Split(np.array(texts, object), np.array(summaries, object), columns=columns)


def _example(write: Namer) -> tuple[str, str, int, bool]:
    """The review, its summary, the number of verdicts, whether one is denied."""
    few, many = VERDICTS
    subjects = list(FILM_SUBJECTS)
    sentences, parts, any_negated = [], [], False
    for _ in range(few + int(write.random() * (many - few + 1))):
        if write.random() < FILLER:
            sentences.append(_filler(write))
        subject = subjects.pop(int(write.random() * len(subjects)))
        good, negated = write.random() < 0.5, write.random() < 0.3
        adjective = write.choose(PRAISING if good != negated else DAMNING)
        denial = f"{write.choose(NEGATORS)} " if negated else ""
        sentences.append(f"the {subject} was {denial}{adjective}")
        parts.append(f"{subject} {'good' if good else 'bad'}")
        any_negated |= negated
    if write.random() < FILLER:
        sentences.append(_filler(write))
    review = " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
    return review, " , ".join(parts), len(parts), any_negated


def _filler(write: Namer) -> str:
    if write.random() < DISTRACTORS:
        return f"the {write.choose(OTHER_SUBJECTS)} was {write.choose(PRAISING + DAMNING)}"
    slots = {slot: write.choose(words) for slot, words in SLOTS.items()}
    return write.choose(NEUTRAL).format(**slots)
