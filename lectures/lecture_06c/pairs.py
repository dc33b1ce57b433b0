"""Lab 06c's pairs of sentences: the course's own, MNLI and RTE, and the rows that models read.

The course's own are made by `tools.make_data.sentence_pairs`. MNLI (Williams et al., "A
broad-coverage challenge corpus for sentence understanding through inference", 2018) and RTE
(Dagan et al., 2006, and its successors) come through TFDS, in GLUE's form (Wang et al., 2018).
Of both, the published validation part is the test part, since the labels of the published test
part are not public; validation is cut from training by whole premises.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, read_table
from course_utils.data.download import prepared, records
from lectures.lecture_06b import PARTS

LABELS = ("entails", "neither", "contradicts")  # in MNLI's order


class Glue(NamedTuple):
    """A task of GLUE: its name in TFDS, its features, how many pairs there are."""

    name: str
    archive: str
    features: tuple[str, str]
    train: int
    tested: str
    test: int
    held_out: int
    labels: tuple[str, ...]
    licence: str


PUBLISHED = {
    "mnli": Glue(
        "glue/mnli:2.0.0",
        "https://dl.fbaipublicfiles.com/glue/data/MNLI.zip",
        ("premise", "hypothesis"),
        392_702,
        "validation_matched",
        9_815,
        4_000,
        LABELS,
        "OANC, CC BY 3.0, CC BY-SA 3.0 and others by genre",
    ),
    "rte": Glue(
        "glue/rte:2.0.0",
        "https://dl.fbaipublicfiles.com/glue/data/RTE.zip",
        ("sentence1", "sentence2"),
        2_490,
        "validation",
        277,
        250,
        ("entails", "does not entail"),
        "no licence is stated; passages of news, released for research",
    ),
}


def load_sentence_pairs(source: str = "embedded") -> Dataset:
    """Pairs of a premise and a hypothesis, and whether the one entails the other.

    Inputs {"premise", "hypothesis"}: object arrays of str. Targets: int32 (pairs,), an index
    into `class_names`.

    Args:
        source: "embedded", 12,000 / 600 / 1,800 pairs by a grammar, or through TFDS "mnli",
            about 388,700 / 4,000 / 9,815 pairs, or "rte", about 2,200 / 250 / 277, whose labels
            are "entails" and "does not entail". The course's own have the columns "phenomenon"
            (negation, quantity, roles, hypernyms), "clauses" (int32, of the premise: 1 to 3)
            and "distance" (int32, the words between the clause that decides and the
            hypothesis), and no premise is in two parts.

    Raises:
        ValueError: for another source, a label that it does not have, an empty sentence.
        ConnectionError: where MNLI or RTE cannot be had.
    """
    one_of("source", source, ("embedded", *PUBLISHED))
    if source == "embedded":
        parts, names = read_table("sentence_pairs.csv.xz", _own), LABELS
        made_by, licence = "made by tools.make_data.sentence_pairs", "CC0"
    else:
        task = PUBLISHED[source]
        parts, names, licence = _published(task), task.labels, task.licence
        made_by = f"https://gluebenchmark.com (TFDS {task.name.partition(':')[0]})"
    name = "sentence_pairs" if source == "embedded" else source
    dataset = Dataset(name, *parts, class_names=names, source=made_by, licence=licence)
    return dataset.announce(f", as text; {made_by}")


def _own(table) -> list[Split]:
    where, columns = np.array(table["split"]), {"phenomenon": np.array(table["phenomenon"])}
    for name in ("clauses", "distance"):
        columns[name] = np.array(table[name], int).astype("int32")
    for label in set(table["label"]):
        one_of("label", label, LABELS)
    labels = [LABELS.index(label) for label in table["label"]]
    whole = _split(table["premise"], table["hypothesis"], labels, LABELS, columns)
    return [whole.take(where == part) for part in PARTS]


def _split(premises, hypotheses, labels, names: Sequence[str], columns=None) -> Split:
    """Check the pairs: raises ValueError for an empty sentence and for a label without name."""
    inputs = {"premise": np.array(premises, object), "hypothesis": np.array(hypotheses, object)}
    for row, (premise, hypothesis, label) in enumerate(
        zip(*inputs.values(), labels, strict=True)
    ):
        for name, side in (("premise", premise), ("hypothesis", hypothesis)):
            if not side.split():
                raise ValueError(f"pair {row} has an empty {name}: a pair needs two sentences")
        if label not in range(len(names)):
            told = ", ".join(f"{number} ({name})" for number, name in enumerate(names))
            raise ValueError(f"pair {row} has the label {label}; the labels are {told}")
    return Split(inputs, np.array(labels, "int32"), columns=columns)


def _published(task: Glue) -> list[Split]:
    """Training, validation and test of a task of GLUE, in the order of a hash of each pair."""
    builder = prepared(task.name, task.archive, f"the pairs of {task.name}")
    train, test = (
        _read(builder, task, "train", task.train),
        _read(builder, task, task.tested, task.test),
    )
    tested = {_plain(premise) for premise, *_ in test}
    train = [row for row in train if _plain(row[0]) not in tested]
    counts = Counter(_plain(premise) for premise, *_ in train)
    held_out, left = set(), task.held_out
    for premise in sorted(counts, key=_digest):
        if left <= 0:
            break
        held_out.add(premise)
        left -= counts[premise]
    val = [row for row in train if _plain(row[0]) in held_out]
    train = [row for row in train if _plain(row[0]) not in held_out]
    return [_split(*zip(*rows, strict=True), task.labels) for rows in (train, val, test)]


def _read(builder, task: Glue, part: str, count: int) -> list[tuple[str, str, int]]:
    rows: list[tuple[str, str, int]] = []
    for batch in records(builder, part, count):
        sides = ([text.decode().strip() for text in batch[name]] for name in task.features)
        rows += zip(*sides, map(int, batch["label"]), strict=True)
    return sorted(rows, key=lambda row: (_digest("\n".join(row[:2])), row[2]))


def _plain(premise: str) -> str:
    """A premise without what a copy of it may differ in: upper case and blanks."""
    return " ".join(premise.lower().split())


def _digest(text: str) -> bytes:
    return blake2b(text.encode()).digest()
