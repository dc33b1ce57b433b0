"""Sentences and their translations: the course's own, and real ones from Tatoeba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from course_utils.data import english_french
from course_utils.data.arguments import one_of, whole_number
from course_utils.data.dataset import Dataset, Split
from course_utils.data.english_french_grammar import Pairs
from course_utils.data.pairs_text import sentence_vocabulary
from course_utils.data.text import END, START, UNKNOWN, Vocabulary, pad

SOURCES = ("embedded", "french", "spanish")
DIRECTIONS = ("from_english", "to_english")
PARTS = ("train", "val", "test")
WORDS = 8_000
LONGEST = 25


class Rows(NamedTuple):
    """Pairs of one part: tokens of the sources and of the targets, row by row.

    references: None, or all right translations of each source, each a str of tokens.
    alignments: None, or for each target token the place of its source token, -1 for none.
    """

    sources: Sequence[Sequence[str]]
    targets: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]] | None = None
    alignments: Sequence[Sequence[int]] | None = None

    def take(self, rows) -> Rows:
        """The pairs with these places."""
        return Rows(*(part and [part[row] for row in rows] for part in self))


def load_pairs(
    source: str = "embedded",
    direction: str = "from_english",
    source_vocab_size: int | None = None,
    target_vocab_size: int | None = None,
    max_words: int | None = None,
    max_pairs: int | None = None,
) -> Dataset:
    """Pairs of sentences as word ids, ready for teacher forcing.

    Each split has the inputs "source", int32 (pairs, S), and "target", int32 (pairs, T): <sos>
    and the translation; and the targets, int32 (pairs, T): the translation and <eos>. All are
    filled with 0 at the end. Ids 0 to 3 are <pad>, <unknown>, <sos>, <eos> in both languages;
    `vocabulary` is {"source": Vocabulary, "target": Vocabulary}, counted in training alone.
    Columns: "words", the source's length; "source_text" and "target_text", tokens with blanks
    between them; in validation and test "references", a tuple of all known translations.

    source: "embedded", the course's own 12,000 / 400 / 600 English–French pairs by a grammar,
        with the further column "alignment", int32 (pairs, T): the place of the source word that
        each target word translates, -1 for none; test sentences are of every length alike.
        "french" or "spanish", real pairs with English from Tatoeba: validation and test have
        about 2,000 different sources each, long ones more often than in training.
    direction: "from_english" or "to_english".
    source_vocab_size, target_vocab_size: entries of each vocabulary at most; None takes all
        words of the embedded set, the 8,000 most frequent ones of a real one.
    max_words: pairs with a longer source or target are left out; None stands for 25 in a real
        set.
    max_pairs: so many training pairs at most, drawn at random, but always the same ones.

    In a real set no source sentence is in two parts, upper case and punctuation disregarded.

    Raises ValueError for a wrong argument, FileNotFoundError without the embedded file, and
    ConnectionError when the real pairs are neither here nor to be had.
    """
    one_of("source", source, SOURCES)
    one_of("direction", direction, DIRECTIONS)
    for name, value in (
        ("source_vocab_size", source_vocab_size),
        ("target_vocab_size", target_vocab_size),
    ):
        if value is not None:
            whole_number(name, value, at_least=5)
    for name, value in (("max_words", max_words), ("max_pairs", max_pairs)):
        if value is not None:
            whole_number(name, value, at_least=1)
    if source == "embedded":
        parts = {
            name: _grammar_rows(pairs, direction)
            for name, pairs in english_french.read().items()
        }
        name = "english_french" if direction == "from_english" else "french_english"
        origin, licence = "made by the course's own grammar", "CC0"
    else:
        from course_utils.data import pairs_tatoeba

        source_vocab_size, target_vocab_size = (
            source_vocab_size or WORDS,
            target_vocab_size or WORDS,
        )
        max_words = max_words or LONGEST
        parts, origin = pairs_tatoeba.parts(source, direction)
        name = f"tatoeba_{source}" + ("" if direction == "from_english" else "_to_english")
        licence = pairs_tatoeba.LICENCE
    if max_words is not None:
        parts = {part: _short(rows, max_words) for part, rows in parts.items()}
    if not all(len(rows.sources) for rows in parts.values()):
        raise ValueError(f"max_words={max_words!r} leaves a part without any pair")
    if max_pairs is not None:
        train = parts["train"]
        parts["train"] = train.take(range(min(max_pairs, len(train.sources))))
    dataset = _dataset(name, parts, source_vocab_size, target_vocab_size, origin, licence)
    print(_summary(dataset))
    return dataset


def _grammar_rows(pairs: Pairs, direction: str) -> Rows:
    english = [text.split() for text in pairs.english]
    french = [text.split() for text in pairs.french]
    if direction == "from_english":
        return Rows(english, french, [(text,) for text in pairs.french], list(pairs.alignments))
    # An English word that several French ones translate goes with the first of them.
    back = [
        [places.index(place) if place in places else -1 for place in range(len(words))]
        for words, places in zip(english, pairs.alignments, strict=True)
    ]
    return Rows(french, english, [(text,) for text in pairs.english], back)


def _short(rows: Rows, most: int) -> Rows:
    fitting = [
        row
        for row, pair in enumerate(zip(rows.sources, rows.targets, strict=True))
        if max(map(len, pair)) <= most
    ]
    return rows.take(fitting)


def _dataset(name, parts, source_vocab_size, target_vocab_size, origin, licence) -> Dataset:
    vocabulary = {
        "source": sentence_vocabulary(parts["train"].sources, source_vocab_size),
        "target": sentence_vocabulary(parts["train"].targets, target_vocab_size),
    }
    source_width = max(len(tokens) for rows in parts.values() for tokens in rows.sources)
    target_width = 1 + max(len(tokens) for rows in parts.values() for tokens in rows.targets)

    def split(part: str) -> Split:
        rows = parts[part]
        sources = [vocabulary["source"].encode(tokens) for tokens in rows.sources]
        targets = [vocabulary["target"].encode(tokens) for tokens in rows.targets]
        columns = {
            "words": np.array([len(tokens) for tokens in rows.sources], "int32"),
            "source_text": _objects([" ".join(tokens) for tokens in rows.sources]),
            "target_text": _objects([" ".join(tokens) for tokens in rows.targets]),
        }
        if part != "train":
            columns["references"] = _objects(
                [tuple(references) for references in rows.references]
            )
        if rows.alignments is not None:
            columns["alignment"] = (
                pad([[place + 1 for place in row] for row in rows.alignments], target_width) - 1
            )
        return Split(
            {
                "source": pad(sources, source_width),
                "target": pad([[START, *ids] for ids in targets], target_width),
            },
            pad([[*ids, END] for ids in targets], target_width),
            columns=columns,
        )

    return Dataset(
        name, *(split(part) for part in PARTS), vocabulary, source=origin, licence=licence
    )


def _objects(values: list) -> np.ndarray:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _unknown(ids: np.ndarray) -> float:
    return float((ids == UNKNOWN).sum() / (ids != 0).sum())


def _summary(dataset: Dataset) -> str:
    parts = (dataset.train, dataset.val, dataset.test)
    sizes = " / ".join(f"{len(part):,}" for part in parts)
    widths = [dataset.train.inputs["source"].shape[1], dataset.train.targets.shape[1]]

    def words(side: str, ids: np.ndarray) -> str:
        known: Vocabulary = dataset.vocabulary[side]
        return f"{len(known):,} {side} words ({_unknown(ids):.1%} of the test unknown)"

    test = dataset.test
    return (
        f"{dataset.name}: {sizes} pairs for training / validation / test, "
        f"sources up to {widths[0]} words, targets up to {widths[1]}\n"
        f"{words('source', test.inputs['source'])}, {words('target', test.targets)}; "
        f"{dataset.source}"
    )
