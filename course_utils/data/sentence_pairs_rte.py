"""RTE: does a hypothesis follow from a passage of news? Through TFDS, glue/rte.

The pairs of four public challenges (Dagan et al., 2006, and those of 2006, 2007 and 2009),
joined by GLUE (Wang et al., 2018). 2,490 are published for training, 277 for validation.

Several pairs share a premise, so this loader cuts by premise, upper case and blanks
disregarded:

1. The published validation part is the test part, all 277; the labels of the published test
   part are not public.
2. 24 of its premises stand in the published training part, too. The training pairs with these
   are left out.
3. Of the others, whole premises in the order of a hash of their text are held out, until there
   are `VALIDATION` pairs or just more. They are the validation part.

GLUE's label 0 is "entailment"; here it is target 1, "follows". Order: a hash of the text, the
same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from course_utils.data.base import Dataset, Split
from course_utils.data.download import prepared

ARCHIVE = "https://dl.fbaipublicfiles.com/glue/data/RTE.zip"
NAME = "glue/rte:2.0.0"
PARTS = {"train": 2_490, "validation": 277}
VALIDATION = 250
SOURCE = "https://gluebenchmark.com (TFDS glue/rte)"
LICENCE = "no licence is stated; passages of news, released for research"


def load() -> Dataset:
    """RTE cut by premise: what this module's first lines say.

    Raises ConnectionError when the pairs are neither here nor to be had.
    """
    from course_utils.data.sentence_pairs import CLASS_NAMES

    train, test = _read("train"), _read("validation")
    left_out, held_out = cut_by_premise([first for first, _, _ in train], test)
    return Dataset(
        "rte",
        _split(np.array(train, object)[~left_out & ~held_out]),
        _split(np.array(train, object)[held_out]),
        _split(np.array(test, object)),
        class_names=CLASS_NAMES,
        source=SOURCE,
        licence=LICENCE,
    )


def same_premise(text: str) -> str:
    """What two texts have in common that count as one premise."""
    return " ".join(text.lower().split())


def cut_by_premise(premises: Sequence[str], test: Sequence[Sequence]):
    """Two boolean masks over premises: left out of training, held out for validation.

    test: rows whose first entry is a premise of the test part.
    """
    plain = [same_premise(premise) for premise in premises]
    of_test = {same_premise(row[0]) for row in test}
    left_out = np.array([premise in of_test for premise in plain], bool)
    held_out = np.zeros(len(plain), bool)
    by_premise: dict[str, list[int]] = {}
    for row in np.flatnonzero(~left_out):
        by_premise.setdefault(plain[row], []).append(row)
    for premise in sorted(by_premise, key=_digest):
        if held_out.sum() >= VALIDATION:
            break
        held_out[by_premise[premise]] = True
    return left_out, held_out


def _digest(text: str) -> bytes:
    return blake2b(text.encode()).digest()


def _split(rows) -> Split:
    from course_utils.data.sentence_pairs import pair_split

    firsts, seconds, targets = zip(*rows, strict=True)
    return pair_split(firsts, seconds, targets, ["rte"] * len(rows), [-1] * len(rows))


def _read(part: str) -> list[tuple[str, str, int]]:
    """Premise, hypothesis and target of a part of TFDS, ordered by hash."""
    builder = prepared(NAME, ARCHIVE, "RTE's pairs")
    import tensorflow_datasets

    rows: list[tuple[str, str, int]] = []
    batches = builder.as_dataset(split=part, batch_size=1_000, shuffle_files=False)
    for batch in tensorflow_datasets.as_numpy(batches):
        columns = (batch[name].tolist() for name in ("sentence1", "sentence2", "label"))
        rows += [
            (first.decode().strip(), second.decode().strip(), int(label == 0))
            for first, second, label in zip(*columns, strict=True)
        ]
    if len(rows) != PARTS[part]:
        raise RuntimeError(
            f"{builder.data_dir} holds {len(rows):,} pairs ({part}) instead of "
            f"{PARTS[part]:,}: delete that folder and run again"
        )
    return sorted(rows, key=lambda row: (_digest(f"{row[0]}\n{row[1]}"), row[2]))
