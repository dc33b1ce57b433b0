"""The credits of a film, and one line of them: does the line stand there?

    first                                      second         follows
    Anna baker, Emil pilot, Paul thief         Emil pilot     1
    Anna pilot, Emil baker, Paul thief         Emil pilot     0

Fours as in `sentence_pairs_grammar`: two first texts in which two persons change their parts,
and two second ones. So nobody who counts words, or reads one text alone, is right in more than
half of the test. What is asked for stands at any place among the others, and the others differ
from it in the person, the part, or both.

Source: the task is associative recall; Arora et al., "Zoology: measuring and improving recall
in efficient language models" (2023), on why it parts attention from fixed mixing.
"""

from __future__ import annotations

from random import Random

from course_utils.data.arguments import whole_number
from course_utils.data.dataset import Dataset
from course_utils.data.entities_grammar import Namer
from course_utils.data.sentence_pairs import CLASS_NAMES, SIZES, pair_split
from course_utils.data.sentence_pairs_grammar import PERSONS

NAMES = (
    "Ada Anna Ben Carl Clara Dora Emil Emma Felix Fred Greta Hanna Hugo Ida Ivo Jonas Karla "
    "Lena Leo Lisa Marta Max Mira Nils Nora Olga Oskar Otto Paul Rosa Sara Theo Tom Ulla "
    "Vera Viktor Wanda Willi Zeno Zora"
).split()


def load_credits(entries: int = 16, train: int = 36_000, seed: int = 0) -> Dataset:
    """Pairs of texts; the target is 1 where the second one is an entry of the first.

    Each part: inputs {"first", "second"}, object arrays of str; targets int32 (pairs,); columns
    "kind", which is "credits", and "four", int32. 480 pairs for validation, 1,920 for the test.

    entries: of the first texts of validation and test, 2 to 30; those of training have any
        number from 1 on. With a single entry the second text has its part or another one.
    train: how many training pairs, a multiple of 4. The other parts do not depend on it.
    seed: of what is drawn.

    Raises ValueError for a wrong argument.
    """
    whole_number("entries", entries, at_least=2)
    whole_number("train", train, at_least=4)
    whole_number("seed", seed, at_least=0)
    if entries > len(PERSONS):
        raise ValueError(f"entries has to be at most {len(PERSONS)}, got {entries!r}")
    if train % 4:
        raise ValueError(f"train has to be a multiple of 4, got {train!r}")
    dataset = Dataset(
        "credits",
        *(
            _split(size, entries, part == "train", Writer(Random(f"credits {part} {seed}")))
            for part, size in (SIZES | {"train": train}).items()
        ),
        class_names=CLASS_NAMES,
        source="made by course_utils.data.credits",
        licence="CC0",
    )
    sizes = " / ".join(f"{len(dataset.split(part)):,}" for part in SIZES)
    print(f"credits: {sizes} for training / validation / test, as text; {dataset.source}")
    return dataset


def _split(size, entries, fewer, write):
    rows = []
    for number in range(size // 4):
        count = 1 + int(write.random() * entries) if fewer else entries
        rows += [(*pair, "credits", number) for pair in write.four(count)]
    return pair_split(*zip(*write.sample(rows, len(rows)), strict=True))


class Writer(Namer):
    """Draws fours of pairs: (first, second, follows)."""

    def four(self, count: int) -> list[tuple[str, str, int]]:
        """The pairs (A, A'), (A, B'), (B, A'), (B, B') of credits of so many entries."""
        names, parts = self.sample(NAMES, count), self.sample(PERSONS, max(2, count))
        asked = int(self.random() * count)
        other = (asked + 1 + int(self.random() * (len(parts) - 1))) % len(parts)
        changed = list(parts)
        changed[asked], changed[other] = parts[other], parts[asked]
        firsts, seconds = [], []
        for told in (parts, changed):
            lines = [f"{name} {part}" for name, part in zip(names, told, strict=False)]
            firsts.append(", ".join(lines))
            seconds.append(lines[asked])
        return [
            (first, second, int(row == column))
            for row, first in enumerate(firsts)
            for column, second in enumerate(seconds)
        ]
