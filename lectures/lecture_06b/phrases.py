"""SST-2: phrases of film reviews with a verdict (Socher et al., 2013), through TFDS.

Its training part holds 67,349 phrases: whole sentences, and the parts of their parse trees. A
cut at random puts parts of a sentence to one side and the sentence to the other: 93 % of the
four-word runs of 800 phrases cut so stand in training, too; of the published validation part
3.9 % do. So this loader cuts by whole sentences, after which 3.8 % are shared:

1. A phrase is whole if no other phrase of the training part contains it, word for word.
2. `VALIDATION` of the whole ones of at least `SHORTEST` words are held out, the first in the
   order of a hash of their text. They alone are the validation part.
3. Every training phrase of `RUN` words or more that a held-out sentence contains is left out
   of training. Shorter ones ("a good film") belong to no sentence in particular and stay.

The published validation part is the test part, read once; the labels of the published test
part are not public. Order: a hash of the text, the same on every machine.
"""

from hashlib import blake2b

import numpy as np

from course_utils.data.base import Dataset, Split
from course_utils.data.download import prepared, records

ARCHIVE = "https://dl.fbaipublicfiles.com/glue/data/SST-2.zip"
NAME = "glue/sst2:2.0.0"
PARTS = {"train": 67_349, "validation": 872}
VALIDATION = 800
SHORTEST = 8
RUN = 4
SOURCE = "https://nlp.stanford.edu/sentiment/ (TFDS glue/sst2)"


def load_phrases() -> Dataset:
    """Load SST-2, cut by whole sentences, as this module's first lines say.

    Returns:
        A `Dataset` of 61,258 phrases for training, 800 sentences for validation, 872 for test.
        Inputs: object array of str (words with blanks between, lower case as published).
        Targets: int32, 1 for praise. Columns: "whole" (bool: no part of a longer phrase) and
        "words" (int32).

    Raises:
        ConnectionError: where the phrases cannot be had.
    """
    builder = prepared(NAME, ARCHIVE, "SST-2's phrases")
    texts, labels = _read(builder, "train")
    held_out, left_out, whole = cut_by_sentence(texts)
    training = Split(texts, labels, columns={"whole": whole, "words": _lengths(texts)})
    test_texts, test_labels = _read(builder, "validation")
    columns = {"whole": np.ones(len(test_texts), bool), "words": _lengths(test_texts)}
    return Dataset(
        "sst2",
        training.take(~held_out & ~left_out),
        training.take(held_out),
        Split(test_texts, test_labels, columns=columns),
        class_names=("negative", "positive"),
        source=SOURCE,
        licence="no licence is stated; sentences of reviews, released for research",
    ).announce(
        f", as text; {SOURCE}\n"
        f"{left_out.sum():,} phrases of the validation sentences are left out of training"
    )


def cut_by_sentence(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three boolean masks over texts: held out, left out of training, whole.

    A text that another one contains does not count as whole.
    """
    plain = [" ".join(text.split()) for text in texts]
    contained: set[str] = set()
    whole = np.zeros(len(plain), bool)
    longest_first = sorted(range(len(plain)), key=lambda row: -plain[row].count(" "))
    for row in longest_first:
        if plain[row] not in contained:
            whole[row] = True
            contained.update(_parts(plain[row], 1))
    candidates = [row for row in np.flatnonzero(whole) if plain[row].count(" ") + 1 >= SHORTEST]
    held_out = np.zeros(len(plain), bool)
    held_out[candidates[:VALIDATION]] = True
    parts = {part for row in np.flatnonzero(held_out) for part in _parts(plain[row], RUN)}
    left_out = np.array([text in parts for text in plain]) & ~held_out
    return held_out, left_out, whole


def _parts(text: str, shortest: int):
    words = text.split(" ")
    for start in range(len(words)):
        for stop in range(start + shortest, len(words) + 1):
            yield " ".join(words[start:stop])


def _lengths(texts) -> np.ndarray:
    return np.array([len(text.split()) for text in texts], "int32")


def _read(builder, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Texts (object array of str) and labels (int32) of a part of TFDS, ordered by hash."""
    rows: list[tuple[bytes, bytes, int]] = []
    for batch in records(builder, part, PARTS[part]):
        pairs = zip(batch["sentence"].tolist(), batch["label"].tolist(), strict=True)
        rows += [(blake2b(text).digest(), text.strip(), label) for text, label in pairs]
    rows.sort()
    return (
        np.array([text.decode() for _, text, _ in rows], object),
        np.array([label for _, _, label in rows], "int32"),
    )
