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
    """Raise ValueError unless value is among the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"unknown {name} {value!r}: choose one of {choices}")


def whole_number(name: str, value, at_least: int) -> int:
    """Return value, which may be one of NumPy's, as an int of Python's, which Keras wants.
    Raises ValueError unless it is a whole number of at least so much.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ValueError(
            f"{name} has to be a whole number of at least {at_least}, got {value!r}"
        )
    return int(value)


def not_negative(name: str, value) -> float:
    """Return value as a float of Python's; raise ValueError unless it is a number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, Real) or not value >= 0:
        raise ValueError(f"{name} has to be a number of at least 0, got {value!r}")
    return float(value)


def share(name: str, value) -> float:
    """Return value as a float of Python's; raise ValueError unless it is from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise ValueError(f"{name} has to be a share between 0 and 1, got {value!r}")
    return float(value)


def texts(name: str, value) -> list[str]:
    """Return the texts of a list, tuple, generator, array or column of a table as a list.

    Raises ValueError for one str, which is an iterable of its letters, and for anything else.
    """
    rows = _rows(name, value, "a list of str", range(1, 2))
    for place, row in enumerate(rows):
        if not isinstance(row, str):
            raise ValueError(f"{name} has to be a list of str, got {row!r} at place {place}")
    return rows


def lists(name: str, value, of: str) -> list:
    """Return an iterable of lists as a list. of: what those hold, for the error.

    Raises ValueError for one str, or rows of it, which are iterables of letters, and for rows
    that are no iterables.
    """
    rows = _rows(name, value, f"a list of lists of {of}", range(1, 3))
    for place, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
            got = f"{row!r} at place {place}"
            raise ValueError(f"{name} has to be a list of lists of {of}, got {got}")
    return rows


def _rows(name: str, value, wanted: str, dimensions: range) -> list:
    one = isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable)
    if one or getattr(value, "ndim", 1) not in dimensions:
        raise ValueError(f"{name} has to be {wanted}, got {type(value).__name__} {value!r}")
    return list(value)


def whole_ids(ids: Iterable[int], size: int) -> list[int]:
    """Return one row of ids, Python's or NumPy's whole numbers, as Python's.

    Raises ValueError unless each of them is one of a vocabulary with so many entries.
    """
    try:
        numbers = [index(number) for number in ids]
    except TypeError:
        numbers = None
    if numbers is None or not all(0 <= number < size for number in numbers):
        raise ValueError(f"ids go from 0 to {size - 1}, one row of whole numbers: got {ids!r}")
    return numbers


@dataclass(frozen=True)
class Split:
    """One part of a dataset; everything in it has the same number of rows.

    inputs: array (examples, …), or a dict of such arrays where a model has several inputs.
    targets: array (examples, …).
    weights: None, or array (examples,) or (examples, steps): how much each counts in the loss.
    columns: None, or a dict of further arrays (examples, …), such as a review's phenomenon.
    Lists of numbers, or of str, and columns of a table become arrays. Raises ValueError for
    what cannot become one, lists of several lengths, and when the numbers of rows differ.
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
        """The split of these rows: indices, a boolean mask or a slice.

        Raises ValueError for a mask of another length and for indices that it does not have.
        """
        if not isinstance(rows, slice):
            rows = _row_numbers(rows, len(self))

        def chosen(part):
            if isinstance(part, dict):
                return {name: array[rows] for name, array in part.items()}
            return None if part is None else part[rows]

        return Split(*map(chosen, (self.inputs, self.targets, self.weights, self.columns)))


def _as_array(name: str, part):
    if hasattr(part, "to_numpy"):  # the column of a table, which has numbers of rows of its own
        part = part.to_numpy()
    if isinstance(part, (list, tuple)):
        if part and all(isinstance(one, str) for one in part):
            return rows_of(part)
        try:
            array = np.array(part)
        except ValueError:
            array = None
        if array is None or array.dtype == object:
            hint = "lists of several lengths become one by `pad`, for example"
            raise ValueError(f"{name} of a Split has to be an array: {hint}")
        return array
    if not getattr(part, "shape", ()):
        raise ValueError(f"{name} of a Split has to be an array, got {part!r}")
    return part


def _row_numbers(rows, count: int) -> np.ndarray:
    """Rows as an array by which arrays with so many rows can be indexed."""
    found = np.asarray(rows)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "biu"):
        raise ValueError(
            "rows has to be a list of indices, a boolean mask or a slice, "
            f"got {found.dtype} of shape {found.shape}"
        )
    if found.dtype == bool:
        if len(found) != count:
            raise ValueError(f"rows is a mask of {len(found)} for {count} rows")
        return found
    if found.size and not (-count <= found.min() and found.max() < count):
        got = f"{found.min()} to {found.max()}"
        raise ValueError(f"rows has to be indices of {count} rows, got {got}")
    return found if found.size else found.astype(int)


@dataclass(frozen=True)
class Dataset:
    """A training, a validation and a test split, and what is needed to read them.

    vocabulary: a `Vocabulary` for texts. class_names: what the targets 0, 1, … mean.
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
        """Print how large its parts are, and these details; return the dataset itself."""
        print(f"{self.name}: {self.sizes} for training / validation / test{details}")
        return self


def tokenize(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation and line-break markup.

    A word is a run of letters and digits with their marks; an apostrophe inside it stays:
    `don't` is one word. `plain` says what becomes of Unicode's further characters.
    """
    return find_words(_WORD, _MARKUP.sub(" ", plain(text)))


class Vocabulary:
    """The known words; a word's place in the list is its id.

    words: the real ones; "<pad>", 0, and "<unknown>", 1, come before them.
    Raises ValueError for a word that comes twice, and for what is no list of str.
    """

    def __init__(self, words: Iterable[str]):
        self.words = [*SPECIAL_WORDS, *texts("words", words)]
        self.index = {word: number for number, word in enumerate(self.words)}
        if len(self.index) < len(self.words):
            raise ValueError("a vocabulary holds every word once, <pad>, <unknown> by itself")

    @classmethod
    def from_texts(cls, token_lists: Iterable[Sequence[str]], size: int) -> Vocabulary:
        """The most frequent words of tokenised texts, the most frequent first.

        size: at most so many entries, "<pad>" and "<unknown>" among them; at least 3.
        Equally frequent words stand in alphabetical order: ids never depend on chance.
        """
        rows = lists("token_lists", token_lists, "str")
        return cls.from_counts(Counter(word for tokens in rows for word in tokens), size)

    @classmethod
    def from_counts(cls, counts: dict[str, int], size: int) -> Vocabulary:
        """The same from a dict of word to number of occurrences."""
        if not isinstance(counts, Mapping):
            raise ValueError(f"counts has to be a dict of word to number, got {counts!r}")
        texts("words", counts.keys())
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
        """The words of these ids with blanks between them; padding is left out."""
        ids = whole_ids(ids, len(self))
        return " ".join(self.words[number] for number in ids if number != PAD)


def rows_of(values: Iterable) -> np.ndarray:
    """An object array (rows,), also of lists of one length, of which NumPy makes a table."""
    values = list(values)
    rows = np.empty(len(values), object)
    for row, value in enumerate(values):
        rows[row] = value
    return rows


def by_frequency(counts: dict[str, int]) -> list[str]:
    """The words, the most frequent first, equally frequent ones by the alphabet."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def pad(sequences: Sequence[Sequence[int]], length: int, keep: str = "last") -> np.ndarray:
    """Rows of one length: short ones are filled with 0 at the end, long ones cut.

    keep: which end of a long one survives, "last" or "first". Returns int32 (rows, length).
    Raises ValueError for what is no list of lists of ids.
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
    """What `arrange` makes of the table data/<name>: it is given the columns, tuples of str."""
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
