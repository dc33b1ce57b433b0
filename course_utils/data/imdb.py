"""IMDB's film reviews (Maas et al., 2011) through TensorFlow Datasets.

TensorFlow is needed to read the records, not for what was tokenised once: `tokens` keeps that
in data/cache. The reviews come in the order of a hash of their text, which is a shuffle that is
the same on every machine. The first 5,000 of the training part are for validation; as equal
texts stand side by side, the cut puts none of them into both parts.
"""

import itertools
from collections import Counter
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from course_utils import saving
from course_utils.data.base import DATA, Dataset, Split, Vocabulary, pad, tokenize
from course_utils.data.download import prepared, records
from course_utils.data.files import reading
from course_utils.data.reviews import check_form

ARCHIVE = "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
NAME = "imdb_reviews/plain_text:1.0.0"
SOURCE = "https://ai.stanford.edu/~amaas/data/sentiment/ (TFDS imdb_reviews)"
SIZES = {"train": 25_000, "test": 25_000, "unsupervised": 50_000}
VALIDATION = 5_000
CACHE = DATA / "cache"
RECIPE = 2  # of the tokens in the cache; another way to split words needs another number


def load_imdb(
    form: str = "ids", vocab_size: int = 10_000, length: int | None = None, keep: str = "last"
) -> Dataset:
    """Load IMDB's 20,000 / 5,000 / 25,000 labelled reviews, with target 1 for praise (int32).

    Args:
        form, vocab_size, length, keep: as in `load_reviews`; "ids" need a length.

    Raises:
        ConnectionError: where the reviews cannot be had.
    """
    vocab_size, length = check_form(form, vocab_size, length, keep)
    if form == "ids" and length is None:
        raise ValueError("form='ids' needs a length in words, for example length=500")
    training = tokens("train")
    vocabulary = Vocabulary.from_counts(training.counts(skip=VALIDATION), vocab_size)

    def whole(part: str) -> Split:
        if form == "text":
            return Split(*read(part))
        found = training if part == "train" else tokens(part)
        ends = np.cumsum(found.lengths)[:-1]
        rows = np.split(found.ids_in(vocabulary), ends)
        return Split(pad(rows, length, keep), found.labels)

    train = whole("train")
    shape = f"{length} words each" if form == "ids" else "as text"
    return Dataset(
        "imdb_reviews",
        train.take(slice(VALIDATION, None)),
        train.take(slice(VALIDATION)),
        whole("test"),
        vocabulary,
        ("negative", "positive"),
        SOURCE,
        "no licence is stated; reviews by users of IMDb, released for research",
    ).announce(f", {shape}\n{len(vocabulary):,} words in the vocabulary; {SOURCE}")


class Tokens(NamedTuple):
    """Tokenised texts, one after the other, as numbers into a list of their distinct words."""

    words: list[str]
    ids: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray

    def counts(self, skip: int = 0) -> Counter:
        """How often each word occurs after the first texts, of which `skip` are left out."""
        numbers = np.bincount(self.ids[self.lengths[:skip].sum() :])
        return Counter({self.words[k]: int(numbers[k]) for k in np.flatnonzero(numbers)})

    def ids_in(self, vocabulary: Vocabulary) -> np.ndarray:
        return np.array(vocabulary.encode(self.words), "int32")[self.ids]


def tokens(part: str) -> Tokens:
    """Return the tokenised reviews of a part of TFDS: from data/cache, or made and kept there.

    A kept file is written beside its place and renamed when it is whole; zip files carry a
    checksum of every array, which reading verifies. Whatever cannot be read is made again.
    """
    path = CACHE / f"imdb_{part}_{RECIPE}.npz"
    if path.exists():
        try:
            with reading(path), np.load(path, allow_pickle=False) as file:
                words = file["words"].tobytes().decode().split("\n")
                return Tokens(words, file["ids"], file["lengths"], file["labels"])
        except (OSError, ValueError) as error:
            print(f"{path} is not used and made again: {error}", flush=True)
    print(f"tokenising {SIZES[part]:,} reviews ({part}), once …", flush=True)
    numbers: dict[str, int] = {}
    texts, labels = read(part)
    rows = [[numbers.setdefault(w, len(numbers)) for w in tokenize(text)] for text in texts]
    lengths = np.array([len(row) for row in rows], "int32")
    ids = np.fromiter(itertools.chain.from_iterable(rows), "int32", lengths.sum())
    made = Tokens(list(numbers), ids, lengths, labels)
    words = np.frombuffer("\n".join(made.words).encode(), "uint8")
    try:
        with saving.whole(path) as beside, beside.open("wb") as file:
            np.savez(file, **{**made._asdict(), "words": words})
    except OSError as error:
        print(f"the tokenised reviews could not be kept in {path}: {error}", flush=True)
    return made


def read(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the texts (object array of str) and labels (int32, -1 for none) of a part."""
    texts: list[bytes] = []
    labels: list[int] = []
    for batch in records(prepared(NAME, ARCHIVE, "IMDB's reviews"), part, SIZES[part]):
        texts += batch["text"].tolist()
        labels += batch["label"].tolist()
    hashes = [blake2b(text).digest() for text in texts]
    order = sorted(range(len(texts)), key=lambda row: (hashes[row], labels[row]))
    decoded = np.array([text.decode() for text in texts], object)
    return decoded[order], np.array(labels, "int32")[order]
