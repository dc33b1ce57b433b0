"""Tokenised texts kept in data/cache, so that a long tokenisation runs once.

A kept file is a plain `.npz` (no pickle). It is written beside its place and renamed when it is
whole; zip files carry a checksum of every array, which reading verifies, and the recipe says
what it was made from and how. Whatever does not fit is made again.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_utils.data import folders
from course_utils.data.text import PAD, Vocabulary, tokenize

RECIPE = "course tokens 1"


@dataclass(frozen=True)
class Tokens:
    """Tokenised texts, one after the other, as numbers into a list of their distinct words.

    words: the distinct words. ids: int32 (words in all texts,). lengths: int32 (texts,).
    labels: int32 (texts,).
    """

    words: list[str]
    ids: np.ndarray
    lengths: np.ndarray
    labels: np.ndarray

    def rows(self, start: int, stop: int | None) -> Tokens:
        """The texts from start up to stop."""
        ends = np.concatenate([[0], np.cumsum(self.lengths)])
        stop = len(self.lengths) if stop is None else stop
        rows = slice(start, stop)
        ids = self.ids[ends[start] : ends[stop]]
        return Tokens(self.words, ids, self.lengths[rows], self.labels[rows])

    def counts(self) -> dict[str, int]:
        """How often each word occurs."""
        numbers = np.bincount(self.ids, minlength=len(self.words)).tolist()
        return {
            word: number for word, number in zip(self.words, numbers, strict=True) if number
        }

    def ids_in(self, vocabulary: Vocabulary) -> np.ndarray:
        """All words as ids of a vocabulary: int32 (words in all texts,)."""
        return np.array(vocabulary.encode(self.words), "int32")[self.ids]

    def padded(self, vocabulary: Vocabulary, length: int, keep: str) -> np.ndarray:
        """The same as `pad` of the encoded texts, in one go: int32 (texts, length)."""
        kept = np.minimum(self.lengths, length)
        # Each text is a run that is kept and one that is cut, the latter often empty.
        runs = [self.lengths - kept, kept] if keep == "last" else [kept, self.lengths - kept]
        stays = np.tile([keep == "first", keep == "last"], len(kept))
        words = np.repeat(stays, np.stack(runs, axis=1).ravel())
        rows = np.full((len(kept), length), PAD, "int32")
        rows[np.arange(length) < kept[:, None]] = self.ids_in(vocabulary)[words]
        return rows


def tokens_of(texts: np.ndarray, labels: np.ndarray) -> Tokens:
    """Tokenise texts."""
    numbers: dict[str, int] = {}
    ids: list[np.ndarray] = []
    for text in texts:
        row = [numbers.setdefault(word, len(numbers)) for word in tokenize(text)]
        ids.append(np.array(row, "int32"))
    lengths = np.array([len(row) for row in ids], "int32")
    return Tokens(list(numbers), np.concatenate(ids), lengths, labels.astype("int32"))


def cached(name: str, origin: str, count: int, make: Callable[[], Tokens]) -> Tokens:
    """Tokens from data/cache/<name>.npz if that is whole and of this origin, else made anew."""
    path = folders.CACHE / f"{name}.npz"
    recipe = f"{RECIPE}; {origin}; {count} texts"
    if path.exists():
        try:
            return _read(path, recipe, count)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            print(f"{path} is not used and made again: {error}", flush=True)
    made = make()
    try:
        _write(path, recipe, made)
    except OSError as error:
        print(f"the tokenised reviews could not be kept in {path}: {error}", flush=True)
    return made


def _read(path, recipe: str, count: int) -> Tokens:
    with np.load(path, allow_pickle=False) as file:
        if str(file["recipe"]) != recipe:
            raise ValueError(f"made as {str(file['recipe'])!r}, wanted {recipe!r}")
        words = file["words"].tobytes().decode().split("\n")
        found = Tokens(words, file["ids"], file["lengths"], file["labels"])
    sizes_fit = len(found.lengths) == len(found.labels) == count
    if not sizes_fit or found.lengths.sum() != len(found.ids) or found.ids.max() >= len(words):
        raise ValueError("its arrays do not fit together")
    return found


def _write(path, recipe: str, tokens: Tokens) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            np.savez(
                file,
                recipe=np.array(recipe),
                words=np.frombuffer("\n".join(tokens.words).encode(), "uint8"),
                ids=tokens.ids,
                lengths=tokens.lengths,
                labels=tokens.labels,
            )
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
