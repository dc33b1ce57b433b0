"""Labelled sets for the heads of lab 06b: entities, questions, choices, summaries.

The course's own were made by the grammars of `tools.make_data` and are kept in data/.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, read_table, rows_of
from course_utils.data.download import download

PARTS = ("train", "val", "test")
TYPES = ("person", "film", "place", "organisation")
WNUT17_TYPES = ("person", "location", "group", "creative-work", "corporation", "product")
WNUT17 = "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/"
WNUT17_FILES = (
    ("wnut17train.conll", "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5"),
    ("emerging.dev.conll", "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8"),
    (
        "emerging.test.annotated",
        "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
    ),
)


def load_entities(source: str = "embedded") -> Dataset:
    """Sentences with named entities, a BIO tag a word.

    Inputs: an object array of lists of str, capitals kept. Targets: an object array of lists of
    tag ids; `class_names[id]` is the tag, and "O" is 0.
    source: "embedded", 6,000 / 300 / 500 sentences by a grammar (person, film, place,
        organisation), with the column "new" (bool): the sentence holds a name that no training
        sentence has. Or "wnut17", 3,394 / 1,009 / 1,287 messages and comments (Derczynski et
        al., 2017; six types), whose entities hardly ever occur twice.
    Raises ValueError for another source, ConnectionError without WNUT17.
    """
    one_of("source", source, ("embedded", "wnut17"))
    types = TYPES if source == "embedded" else WNUT17_TYPES
    tags = ("O", *(f"{letter}-{name}" for name in types for letter in "BI"))

    def tagged(words, names, **columns):
        index = {tag: number for number, tag in enumerate(tags)}
        ids = [[index[name] for name in row] for row in names]
        return Split(rows_of(words), rows_of(ids), columns=columns or None)

    if source == "embedded":

        def sentences(words, names, new):
            return tagged(map(str.split, words), map(str.split, names), new=new == "1")

        return _kept("entities", sentences, tags)
    source = "https://github.com/leondz/emerging_entities_17 (Derczynski et al., 2017)"
    parts = (tagged(*_wnut17(*file, tags)) for file in WNUT17_FILES)
    dataset = Dataset("wnut17", *parts, None, tags, source, "CC BY 4.0")
    return dataset.announce(f"; {source}")


def load_questions() -> Dataset:
    """Span answering: 8,000 / 300 / 500 reviews, each with a question.

    Inputs {"text", "question"}: object arrays of lists of str, lower case, a full stop being a
    word of its own. Targets: int32 (reviews, 2), the first and the last word of the answer,
    both inclusive. Column "question_kind": the question without what differs from review to
    review. Half of the names in val and test occur in no training review.
    """

    def questions(texts, asked, kinds, first, last):
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["question"] = rows_of(map(str.split, asked))
        spans = np.stack([first, last], axis=1).astype("int32")
        return Split(inputs, spans, columns={"question_kind": np.array(kinds)})

    return _kept("questions", questions)


def load_choices() -> Dataset:
    """Multiple choice: 8,000 / 300 / 500 reviews with four endings, of which one fits.

    Inputs {"text": object array of lists of str, "endings": object array (reviews, 4) of lists
    of str}, lower case. Targets: int32 (reviews,), the place of the ending that fits, 0 to 3.
    """

    def choices(texts, endings, fits):
        words = [ending.split() for row in endings for ending in row.split("|")]
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["endings"] = rows_of(words).reshape(len(fits), -1)
        return Split(inputs, np.array(fits).astype("int32"))

    return _kept("choices", choices)


def load_summaries() -> Dataset:
    """Conditional generation: 4,000 / 300 / 500 reviews and what they say, briefly.

    Inputs: an object array of str, the reviews; targets: an object array of str, such as
    "acting good , plot bad".
    """
    return _kept("summaries", lambda *pair: Split(*(np.array(side, object) for side in pair)))


def _kept(name: str, split, class_names=None) -> Dataset:
    """The frozen set of this name; `split` makes a Split of its columns but the first."""

    def arrange(table):
        where = np.array(table.pop("split"))
        columns = [np.array(column, object) for column in table.values()]
        return [split(*(c[where == part] for c in columns)) for part in PARTS]

    source, parts = f"made by tools.make_data.{name}", read_table(f"{name}.csv.gz", arrange)
    dataset = Dataset(name, *parts, class_names=class_names, source=source, licence="CC0")
    return dataset.announce(f"; {source}")


def _wnut17(name: str, sha256: str, tags: Sequence[str]):
    instead = "load_entities('embedded') needs no download."
    path = download(WNUT17 + name, sha256, "datasets/course/wnut17", instead)
    return read_conll(path.read_text("utf-8"), tags)


def read_conll(text: str, tags: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Words and tags of a file with "word<tab>tag" a line, a blank line between sentences.
    Raises ValueError, which names the line, for another line or an unknown tag.
    """
    sentences: list[list[tuple[str, str]]] = [[]]
    for number, line in enumerate(text.split("\n"), start=1):
        word, tab, tag = line.rstrip("\r").partition("\t")
        if not line.strip():
            sentences.append([])
        elif tab and tag in tags:
            sentences[-1].append((word, tag))
        else:
            raise ValueError(f"line {number} is no word with one of {', '.join(tags)}")
    sentences = [sentence for sentence in sentences if sentence]
    return tuple([[pair[k] for pair in sentence] for sentence in sentences] for k in (0, 1))
