"""Sentences with named entities: the course's own, and WNUT17's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from course_utils.data import entities_grammar
from course_utils.data.base import Dataset, Split, one_of

IGNORE = -1


def load_entities(
    source: str = "embedded",
    sizes: dict[str, int] | None = None,
    seed: int = entities_grammar.SEED,
    new: float = entities_grammar.NEW,
) -> Dataset:
    """Sentences as lists of words, with a BIO tag a word.

    source: "embedded", the course's own 2,000 / 300 / 500 by a grammar (person, film, place,
        organisation), with the column "new" (bool): the sentence holds a name that no training
        sentence has. Or "wnut17", 3,394 / 1,009 / 1,287 of messages and comments (Derczynski
        et al., 2017; six types), whose entities hardly ever occur twice.
    sizes, seed, new: of the embedded set, see `entities_grammar.make_sentences`.

    Each part: inputs an object array of lists of str, capitals kept; targets an object array
    of lists of tag ids; `class_names[id]` is the tag, and "O" is 0.

    Raises ValueError for a wrong argument, and ConnectionError when WNUT17 is neither here nor
    to be had.
    """
    one_of("source", source, ("embedded", "wnut17"))
    if source == "wnut17":
        from course_utils.data import entities_wnut17

        dataset = entities_wnut17.load()
    else:
        dataset = _embedded(sizes or entities_grammar.SIZES, seed, new)
    shown = " / ".join(f"{len(dataset.split(part)):,}" for part in ("train", "val", "test"))
    types = sorted({tag[2:] for tag in dataset.class_names[1:]})
    print(
        f"{dataset.name}: {shown} sentences for training / validation / test; "
        f"{', '.join(types)}; {dataset.source}"
    )
    return dataset


def tagged_split(sentences: Sequence[Sequence], tags: Sequence[str]) -> Split:
    """A Split of (words, tags as str) or (words, tags as str, new)."""
    index = {tag: number for number, tag in enumerate(tags)}
    news = [sentence[2] for sentence in sentences if len(sentence) > 2]
    return Split(
        rows_of([list(sentence[0]) for sentence in sentences]),
        rows_of([[index[tag] for tag in sentence[1]] for sentence in sentences]),
        columns={"new": np.array(news)} if news else None,
    )


def rows_of(lists: Sequence) -> np.ndarray:
    """An object array (rows,) of lists, also where all lists have one length."""
    rows = np.empty(len(lists), object)
    for row, content in enumerate(lists):  # one assignment would make a table of equal lists
        rows[row] = content
    return rows


def align_tags(tags: Sequence[int], word_ids: Sequence[int | None], ignore: int = IGNORE):
    """A tag for each piece of a sentence whose words were cut into pieces.

    tags: one a word. word_ids: for each piece the place of its word, None for a special piece:
        `tokenizer.encode(words, is_pretokenized=True).word_ids` of the tokenizers library.

    Returns a list of ids: the first piece of a word carries the word's tag; the others, and
    the special ones, carry `ignore`, so that a word counts once (`ignore_class=-1`).
    """
    aligned, before = [], None
    for word in word_ids:
        first = word is not None and word != before
        aligned.append(tags[word] if first else ignore)
        before = word
    return aligned


def look_up_tags(train: Split, sentences) -> list[list[int]]:
    """The baseline without a context: each word's most frequent tag in training, else O."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for words, tags in zip(train.inputs, train.targets, strict=True):
        for word, tag in zip(words, tags, strict=True):
            counts[word][tag] += 1
    best = {
        word: min(found, key=lambda tag: (-found[tag], tag)) for word, found in counts.items()
    }
    return [[best.get(word, 0) for word in words] for words in sentences]


def _embedded(sizes: dict[str, int], seed: int, new: float) -> Dataset:
    made = entities_grammar.make_sentences(sizes, seed, new)
    tags = entities_grammar.TAGS
    return Dataset(
        "entities",
        *(tagged_split(made[part], tags) for part in ("train", "val", "test")),
        class_names=tags,
        source="made by course_utils.data.entities_grammar",
        licence="CC0",
    )
