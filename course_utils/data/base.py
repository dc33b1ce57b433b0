"""What all loaders share: splits and datasets, words and padding, checks of arguments."""

from __future__ import annotations

import csv
import io
import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from course_utils.data.files import reading
from course_utils.data.words import find_words, plain

DATA = Path(__file__).resolve().parents[2] / "data"
PAD, UNKNOWN = 0, 1
START, END = 2, 3  # <sos> and <eos>, where a vocabulary has them
SPECIAL_WORDS = ("<pad>", "<unknown>")

_MARKUP = re.compile(r"<br\s*/?>")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def one_of(name: str, value, allowed: Sequence[str]) -> None:
    """Raise ValueError, which names the choices, unless value is one of them."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"unknown {name} {value!r}: choose one of {choices}")


def whole_number(name: str, value, at_least: int) -> int:
    """Return a whole number, NumPy's too, as Python's int, which Keras wants."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ValueError(
            f"{name} has to be a whole number of at least {at_least}, got {value!r}"
        )
    return int(value)


def not_negative(name: str, value) -> float:
    """Return a finite number of at least 0 as Python's float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < np.inf:
        raise ValueError(f"{name} has to be a number of at least 0, got {value!r}")
    return float(value)


def share(name: str, value) -> float:
    """Return a number from 0 to 1 as Python's float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} has to be a share between 0 and 1, got {value!r}")
    return float(value)


def texts(name: str, value) -> list[str]:
    """Return the texts of a list, tuple, generator, array or table column as a list.

    Raises:
        ValueError: for a single str, which is an iterable of its letters, and anything else.
    """
    rows = _rows(name, value, "a list of str", range(1, 2))
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            raise ValueError(f"{name} has to be a list of str, got {row!r} at place {place}")
    return rows


def lists(name: str, value, of: str) -> list:
    """Return an iterable of lists as a list.

    Args:
        of: what the inner lists hold, for the error.

    Raises:
        ValueError: for a str, for rows of str, which are iterables of letters, and for rows
            that are not iterable.
    """
    wanted = f"a list of lists of {of}"
    rows = _rows(name, value, wanted, range(1, 3))
    for place, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
            raise ValueError(f"{name} has to be {wanted}, got {row!r} at place {place}")
    return rows


def _rows(name: str, value, wanted: str, dimensions: range) -> list:
    one = isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable)
    if one or getattr(value, "ndim", 1) not in dimensions:
        raise ValueError(f"{name} has to be {wanted}, got {type(value).__name__} {value!r}")
    return list(value)


def whole_ids(ids: Iterable[int], size: int) -> list[int]:
    """Return one row of ids, each of which a vocabulary of this size has, as Python's ints."""
    try:
        numbers = [index(number) for number in ids]
    except TypeError:
        numbers = [-1]
    if not all(0 <= number < size for number in numbers):
        raise ValueError(f"ids go from 0 to {size - 1}, one row of whole numbers: got {ids!r}")
    return numbers


@dataclass(frozen=True)
class Split:
    """One part of a dataset; everything in it has the same number of rows.

    Lists of numbers or of str, and columns of a table, become arrays.

    Args:
        inputs: array (examples, …), or a dict of arrays where a model has several inputs.
        targets: array (examples, …).
        weights: array (examples,) or (examples, steps): how much each counts in the loss.
        columns: dict of further arrays (examples, …), such as a review's phenomenon.

    Raises:
        ValueError: for what cannot become an array, and where numbers of rows differ.
    """

    inputs: Any
    targets: np.ndarray
    weights: np.ndarray | None = None
    columns: dict[str, np.ndarray] | None = None

    def __post_init__(self):
        if not isinstance(self.columns, (dict, type(None))):
            raise ValueError(f"columns has to be a dict of arrays, got {self.columns!r}")
        rows: dict[str, int] = {}

        def as_arrays(name, part):
            if isinstance(part, dict):
                return {key: as_arrays(key, value) for key, value in part.items()}
            array = _as_array(name, part)
            rows[name] = array.shape[0]
            return array

        for name in ("inputs", "targets", "weights", "columns"):
            part = getattr(self, name)
            if part is not None or name in ("inputs", "targets"):
                object.__setattr__(self, name, as_arrays(name, part))
        if len(set(rows.values())) > 1:
            raise ValueError(f"all parts of a Split need the same number of rows, got {rows}")

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, rows) -> Split:
        """Return the split of these rows: a list of indices, a boolean mask or a slice."""
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1:
                raise ValueError(f"rows has to be a list, a mask or a slice, got {rows!r}")
            rows = rows if rows.size else rows.astype(int)

        def chosen(part):
            if isinstance(part, dict):
                return {name: array[rows] for name, array in part.items()}
            return None if part is None else part[rows]

        return Split(*map(chosen, (self.inputs, self.targets, self.weights, self.columns)))


def _as_array(name: str, part):
    if hasattr(part, "to_numpy"):  # a table's column, whose row labels are not places
        part = part.to_numpy()
    if isinstance(part, (list, tuple)):
        if part and all(isinstance(one, str) for one in part):
            return rows_of(part)
        try:
            array = np.array(part)
        except ValueError:
            array = None
        if array is None or array.dtype == object:
            hint = "`pad` makes one of lists of different lengths"
            raise ValueError(f"{name} of a Split has to be an array: {hint}")
        return array
    if not getattr(part, "shape", ()):
        raise ValueError(f"{name} of a Split has to be an array, got {part!r}")
    return part


@dataclass(frozen=True)
class Dataset:
    """A training, a validation and a test split, and what is needed to read them.

    Args:
        vocabulary: a `Vocabulary` for texts, or a dict of them.
        class_names: what the targets 0, 1, … mean.
    """

    name: str
    train: Split
    val: Split
    test: Split
    vocabulary: Any = None
    class_names: tuple[str, ...] | None = None
    source: str = ""
    licence: str = ""

    def split(self, name: str) -> Split:
        one_of("split", name, ("train", "val", "test"))
        return getattr(self, name)

    @property
    def sizes(self) -> str:
        return " / ".join(f"{len(part):,}" for part in (self.train, self.val, self.test))

    def __repr__(self) -> str:
        return f"Dataset({self.name}: {self.sizes} train / val / test)"

    def announce(self, details: str) -> Dataset:
        """Print the sizes of the parts, then the details; return the dataset itself."""
        print(f"{self.name}: {self.sizes} for training / validation / test{details}")
        return self


def tokenize(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and `<br />`.

    A word is a run of letters and digits with their marks; an apostrophe inside it stays:
    `don't` is one word. `words.plain` says what becomes of Unicode's further characters.
    """
    return find_words(_WORD, _MARKUP.sub(" ", plain(text)))


class Vocabulary:
    """The known words; a word's place in the list is its id.

    Args:
        words: the real words, each once; "<pad>", 0, and "<unknown>", 1, come before them.
    """

    def __init__(self, words: Iterable[str]):
        self.words = [*SPECIAL_WORDS, *texts("words", words)]
        self.index = {word: number for number, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            raise ValueError("a vocabulary holds every word once, <pad>, <unknown> by itself")

    @classmethod
    def from_texts(cls, token_lists: Iterable[Sequence[str]], size: int) -> Vocabulary:
        """Count the words of tokenised texts and keep the most frequent ones, in that order.

        Equally frequent words stand in alphabetical order, so that ids never depend on chance.

        Args:
            size: entries at most, "<pad>" and "<unknown>" among them; at least 3.
        """
        rows = lists("token_lists", token_lists, "str")
        return cls.from_counts(Counter(word for tokens in rows for word in tokens), size)

    @classmethod
    def from_counts(cls, counts: dict[str, int], size: int) -> Vocabulary:
        """As `from_texts`, from a dict of word to number of occurrences."""
        size = whole_number("vocabulary size", size, at_least=3)
        return cls(by_frequency(counts)[: size - len(SPECIAL_WORDS)])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words)"

    def encode(self, tokens: Iterable[str]) -> list[int]:
        return [self.index.get(word, UNKNOWN) for word in texts("tokens", tokens)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words of these ids with blanks between them, without padding."""
        ids = whole_ids(ids, len(self))
        return " ".join(self.words[number] for number in ids if number != PAD)


def rows_of(values: Iterable) -> np.ndarray:
    """Return an object array (rows,), also of lists of one length, which NumPy would stack."""
    values = list(values)
    rows = np.empty(len(values), object)
    for row, value in enumerate(values):
        rows[row] = value
    return rows


def by_frequency(counts: dict[str, int]) -> list[str]:
    """Return the words by frequency, equally frequent ones in alphabetical order."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def pad(sequences: Sequence[Sequence[int]], length: int, keep: str = "last") -> np.ndarray:
    """Bring rows to one length: fill short ones with 0 at the end, cut long ones.

    Args:
        keep: which end of a long row survives, "last" or "first".

    Returns:
        int32 (rows, length).
    """
    length = whole_number("length", length, at_least=1)
    one_of("keep", keep, ("last", "first"))
    sequences = lists("sequences", sequences, "ids")
    rows = np.full((len(sequences), length), PAD, "int32")
    for row, sequence in zip(rows, sequences, strict=True):
        kept = np.asarray(sequence[-length:] if keep == "last" else sequence[:length])
        if kept.size and (kept.dtype.kind not in "iu" or kept.ndim > 1):
            raise ValueError(
                f"sequences has to be lists of ids, whole numbers: got {sequence!r}"
            )
        row[: len(kept)] = kept
    return rows


def read_table(name: str, arrange: Callable[[dict], dict]) -> dict:
    """Return what `arrange` makes of the table data/<name>: a dict of columns, tuples of str.

    Raises:
        FileNotFoundError: without the file.
        ValueError: where it is damaged, or where `arrange` raises one.
    """
    path = DATA / name
    remedy = (
        f"It belongs to the course: get it back with `git checkout data/{name}`, or make it "
        f"with `python -m tools.make_data.{name.removesuffix('.csv.xz')}`."
    )
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. {remedy}")
    with reading(path, remedy):
        text = lzma.decompress(path.read_bytes()).decode()
        header, *rows = csv.reader(io.StringIO(text))
        return arrange(dict(zip(header, zip(*rows, strict=True), strict=True)))
