"""What every loader of the course returns: a `Dataset` of three `Split`s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.data.arguments import one_of


@dataclass(frozen=True)
class Split:
    """One part of a dataset; everything in it has the same number of rows.

    inputs: array (examples, …), or a dict of such arrays where a model has several inputs.
    targets: array (examples, …).
    weights: None, or array (examples,) or (examples, steps): how much each counts in the loss.
    columns: None, or a dict of further arrays (examples,), such as the phenomenon of a review.

    Raises ValueError when the numbers of rows differ.
    """

    inputs: Any
    targets: np.ndarray
    weights: np.ndarray | None = None
    columns: dict[str, np.ndarray] | None = None

    def __post_init__(self):
        rows = {name: len(array) for name, array in self._arrays()}
        if len(set(rows.values())) > 1:
            raise ValueError(f"all parts of a Split need the same number of rows, got {rows}")

    def _arrays(self):
        if isinstance(self.inputs, dict):
            yield from self.inputs.items()
        else:
            yield "inputs", self.inputs
        yield "targets", self.targets
        if self.weights is not None:
            yield "weights", self.weights
        yield from (self.columns or {}).items()

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, rows) -> Split:
        """The split of these rows: indices, a boolean mask or a slice."""

        def chosen(part):
            if isinstance(part, dict):
                return {name: array[rows] for name, array in part.items()}
            return None if part is None else part[rows]

        return Split(
            chosen(self.inputs),
            chosen(self.targets),
            chosen(self.weights),
            chosen(self.columns),
        )


@dataclass(frozen=True)
class Dataset:
    """A training, a validation and a test split, and what is needed to read them.

    vocabulary: a `Vocabulary` for texts, otherwise None.
    class_names: what the targets 0, 1, … mean.
    source: where the data come from. licence: under which terms.
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
        """The part of this name: "train", "val" or "test". Raises ValueError for another."""
        one_of("split", name, ("train", "val", "test"))
        return getattr(self, name)

    def __repr__(self) -> str:
        sizes = " / ".join(f"{len(part):,}" for part in (self.train, self.val, self.test))
        return f"Dataset({self.name}: {sizes} train / val / test)"
