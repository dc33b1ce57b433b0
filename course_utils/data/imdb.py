"""IMDB's film reviews (Maas et al., 2011) through TensorFlow Datasets.

TensorFlow is needed to read the records, not for what was tokenised once: `tokens` keeps that
in data/cache. The reviews come in the order of a hash of their text, which is a shuffle that is
the same on every machine. The first 5,000 of the training part are for validation; as equal
texts stand side by side, the cut puts none of them into both parts.
"""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np

from course_utils.data.arguments import one_of, whole_number
from course_utils.data.cache import Tokens, cached, tokens_of
from course_utils.data.dataset import Dataset, Split
from course_utils.data.download import prepared
from course_utils.data.text import Vocabulary

ARCHIVE = "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
NAME = "imdb_reviews/plain_text:1.0.0"
SIZES = {"train": 25_000, "test": 25_000, "unsupervised": 50_000}
VALIDATION = 5_000
CLASS_NAMES = ("negative", "positive")
SOURCE = "https://ai.stanford.edu/~amaas/data/sentiment/ (TFDS imdb_reviews)"
LICENCE = "no licence is stated; reviews by users of IMDb, released for research"


def load(form: str, vocab_size: int, length: int | None, keep: str) -> Dataset:
    """The dataset of `load_reviews(source="imdb")`, whose arguments are checked there."""
    training = tokens("train")
    vocabulary = Vocabulary.from_counts(training.rows(VALIDATION, None).counts(), vocab_size)

    def whole(part: str) -> Split:
        if form == "text":
            return Split(*read(part))
        found = training if part == "train" else tokens(part)
        return Split(found.padded(vocabulary, length, keep), found.labels)

    train = whole("train")
    return Dataset(
        "imdb_reviews",
        train.take(slice(VALIDATION, None)),
        train.take(slice(VALIDATION)),
        whole("test"),
        vocabulary,
        CLASS_NAMES,
        SOURCE,
        LICENCE,
    )


class Corpus(NamedTuple):
    """Many texts as one row of ids: text k is `ids[offsets[k]:offsets[k + 1]]`.

    ids: int32 (words,), 1 for unknown ones, no padding. offsets: int64 (texts + 1,).
    """

    ids: np.ndarray
    offsets: np.ndarray
    vocabulary: Vocabulary


def load_reviews_corpus(vocab_size: int = 10_000) -> Corpus:
    """The 25,000 training and 50,000 unlabelled IMDB reviews as word ids, for skip-gram.

    The vocabulary is counted in all 75,000, so its ids differ from those of `load_reviews`;
    test texts are never in it. Raises ValueError for a vocabulary size below 3, and
    ConnectionError when the reviews are neither here nor to be had.
    """
    whole_number("vocab_size", vocab_size, at_least=3)
    parts = [tokens("train"), tokens("unsupervised")]
    counts: Counter = Counter()
    for part in parts:
        counts.update(part.counts())
    vocabulary = Vocabulary.from_counts(counts, vocab_size)
    ids = np.concatenate([part.ids_in(vocabulary) for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    return Corpus(ids, np.concatenate([[0], np.cumsum(lengths, dtype="int64")]), vocabulary)


def tokens(part: str) -> Tokens:
    """The tokenised reviews of a part of TFDS: read from data/cache, or made and kept there."""
    one_of("part", part, tuple(SIZES))

    def make() -> Tokens:
        print(f"tokenising {SIZES[part]:,} reviews ({part}), once …", flush=True)
        return tokens_of(*read(part))

    return cached(f"imdb_{part}", f"{NAME} {part}", SIZES[part], make)


def read(part: str) -> tuple[np.ndarray, np.ndarray]:
    """The texts (object array of str) and labels (int32, -1 for none) of a part of TFDS."""
    one_of("part", part, tuple(SIZES))
    builder = _prepared()
    import tensorflow_datasets

    texts: list[bytes] = []
    labels: list[int] = []
    batches = builder.as_dataset(split=part, batch_size=1_000, shuffle_files=False)
    for batch in tensorflow_datasets.as_numpy(batches):
        texts += batch["text"].tolist()
        labels += batch["label"].tolist()
    if len(texts) != SIZES[part]:
        raise RuntimeError(
            f"{builder.data_dir} holds {len(texts):,} reviews ({part}) instead of "
            f"{SIZES[part]:,}: delete that folder and run again"
        )
    order = sorted(
        range(len(texts)), key=lambda row: (blake2b(texts[row]).digest(), labels[row])
    )
    return (
        np.array([texts[row].decode() for row in order], object),
        np.array([labels[row] for row in order], "int32"),
    )


def _prepared():
    """TFDS's builder with its records on the disk, downloaded if need be."""
    return prepared(
        NAME,
        ARCHIVE,
        "IMDB's reviews",
        at_hand=lambda home: _archive_in(home / "downloads"),
        by_hand="put that file into {home}/downloads/manual, or ",
    )


def _archive_in(downloads: Path) -> bool:
    """Whether TFDS will find the archive there, whole: what is half loaded lies in *.tmp.*."""
    found = downloads.rglob("*aclImdb_v1*.tar.gz")
    return any(".tmp." not in str(path.relative_to(downloads)) for path in found)
