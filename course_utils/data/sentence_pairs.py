"""Two sentences: does the second follow from the first? The course's own pairs, and RTE's."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from course_utils.data import sentence_pairs_grammar
from course_utils.data.base import Dataset, Split, one_of, whole_number

NAMES = ("embedded", "rte")
KINDS = sentence_pairs_grammar.KINDS
CLASS_NAMES = ("does not follow", "follows")
# All can be divided into fours of one, two, three or four kinds.
SIZES = {"train": 12_000, "val": 480, "test": 1_920}


def load_sentence_pairs(
    name: str = "embedded",
    kinds: Sequence[str] | None = None,
    train: int | None = None,
    moved: bool = True,
    seed: int = 0,
    easier: int = 0,
) -> Dataset:
    """Pairs of texts; the target is 1 where the second one follows from the first.

    Each part: inputs {"first", "second"}, object arrays of str; targets int32 (pairs,), 1 or 0;
    columns "kind" and "four", int32, the number of the four that a pair belongs to.

    name: "embedded", the course's own pairs by a grammar of about 140 words, equally many of
        each kind, 480 for validation and 1,920 for the test. They come in fours, never parted:
        two first sentences of the same words, two second ones, of the four pairs two right. So
        whoever counts words, or reads one sentence alone, is right in exactly half of the test.
        Or "rte", 2,210 / 250 / 277 real pairs without kinds and fours (the kind is "rte", the
        four −1): see `sentence_pairs_rte`.
    kinds: some of "roles", "clause", "verdict", "negation", which `sentence_pairs_grammar`
        describes; None: all. Pairs of a kind are the same, whatever other kinds there are.
    train: how many training pairs, a multiple of 4 · kinds; None: 12,000. Test and validation
        do not depend on it.
    moved: whether phrases of one to four words open half of the first sentences' clauses, and
        second sentences have four forms, so that words move from place to place. False: in all
        pairs of a kind both sentences have their words in the same places, but for negators and
        verdicts of several words, which move what follows them.
    seed: of the grammar.
    easier: how many more training pairs have a first sentence of one clause; a multiple of 4 ·
        the kinds but "roles", which has one event anyhow. There the words that both sentences
        have do tell something.

    kinds, train, moved, seed and easier are for the embedded pairs, whose texts have up to 18
    and 10 words.

    Raises ValueError for a wrong argument, and ConnectionError when RTE is neither here nor to
    be had.
    """
    one_of("name", name, NAMES)
    if name == "rte":
        if (kinds, train, moved, seed, easier) != (None, None, True, 0, 0):
            raise ValueError("kinds, train, moved, seed and easier go with name='embedded'")
        from course_utils.data import sentence_pairs_rte

        dataset = sentence_pairs_rte.load()
    else:
        dataset = _embedded(_chosen(kinds), train, moved, seed, easier)
    sizes = " / ".join(f"{len(dataset.split(part)):,}" for part in SIZES)
    print(
        f"{dataset.name}: {sizes} for training / validation / test, as text; {dataset.source}"
    )
    return dataset


def pair_split(firsts, seconds, targets, kinds, fours) -> Split:
    """A Split of lists of the same length; texts become object arrays of str."""
    return Split(
        {"first": np.array(firsts, object), "second": np.array(seconds, object)},
        np.array(targets, "int32"),
        columns={"kind": np.array(kinds), "four": np.array(fours, "int32")},
    )


def _chosen(kinds) -> tuple[str, ...]:
    if kinds is None:
        return KINDS
    if isinstance(kinds, str) or not isinstance(kinds, Sequence) or not kinds:
        raise ValueError(f"kinds has to be a list of some of {', '.join(KINDS)}, got {kinds!r}")
    for kind in kinds:
        one_of("kind", kind, KINDS)
    if len(set(kinds)) < len(kinds):
        raise ValueError(f"kinds names one twice: {kinds!r}")
    return tuple(kind for kind in KINDS if kind in kinds)


def _embedded(
    kinds: tuple[str, ...], train: int | None, moved: bool, seed: int, easier: int
) -> Dataset:
    train = SIZES["train"] if train is None else train
    whole_number("train", train, at_least=1)
    step = 4 * len(kinds)
    if train % step:
        raise ValueError(
            f"train has to be a multiple of {step} (fours of {len(kinds)} kinds), got {train!r}"
        )
    if not isinstance(moved, bool):
        raise ValueError(f"moved has to be True or False, got {moved!r}")
    whole_number("seed", seed, at_least=0)
    whole_number("easier", easier, at_least=0)
    two_clauses = [kind for kind in kinds if kind in sentence_pairs_grammar.TWO_CLAUSES]
    if easier and (not two_clauses or easier % (4 * len(two_clauses))):
        raise ValueError(
            f"easier has to be a multiple of 4 for each of the kinds of two clauses, got "
            f"{easier!r} for {', '.join(two_clauses) or 'none of them'}"
        )
    # The test part first, so that it is the same for any size of training.
    counts = {
        part: size // step
        for part, size in (("test", SIZES["test"]), ("val", SIZES["val"]), ("train", train))
    }
    made = {
        kind: sentence_pairs_grammar.make_pairs(kind, counts, seed, moved) for kind in kinds
    }
    for kind in two_clauses if easier else ():
        count, four = easier // (4 * len(two_clauses)), sum(counts.values())
        made[kind]["train"] += sentence_pairs_grammar.make_easier_pairs(
            kind, count, seed, moved, four
        )
    return Dataset(
        "sentence_pairs",
        *(_split([made[kind][part] for kind in kinds], seed) for part in SIZES),
        class_names=CLASS_NAMES,
        source="made by course_utils.data.sentence_pairs_grammar",
        licence="CC0",
    )


def _split(by_kind, seed: int) -> Split:
    pairs, numbers, before = [], [], 0
    for made in by_kind:
        first_four = made[0].four
        pairs += made
        numbers += [before + pair.four - first_four for pair in made]
        before += len(made) // 4
    # Of all its methods, Python promises for `random` alone that it never changes.
    drawn = Random(f"order {seed}").random
    order = sorted(range(len(pairs)), key=[drawn() for _ in pairs].__getitem__)
    rows = [pairs[place] for place in order]
    return pair_split(
        [pair.first for pair in rows],
        [pair.second for pair in rows],
        [pair.follows for pair in rows],
        [pair.kind for pair in rows],
        [numbers[place] for place in order],
    )
