"""Batches of texts of like length, so that little time goes into padding."""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np

from course_utils.data.base import PAD, Split, whole_number


def length_buckets(
    split: Split, batch_size: int, boundaries: Sequence[int] | None = None
) -> LengthBuckets:
    """Batches whose rows are trimmed to the width of their bucket, for `model.fit`.

    split: inputs int (rows, length) with 0 behind the last word, or a dict of such arrays.
        Arrays of the same length hold the same steps and are trimmed alike; another one, such
        as a sentence beside its translation, is trimmed to its own longest row of the bucket.
        A text counts as long as the longest of its arrays.
    boundaries: the widths of the buckets, increasing; texts longer than the last get a bucket
        as wide as the longest. None takes five widths with about equally many texts each.

    The rows of each bucket, and the batches, come in a new order every epoch, drawn from a
    seed that is always the same. Raises ValueError for anything else.
    """
    if not isinstance(split, Split) or not len(split):
        raise ValueError(f"length_buckets takes a Split with at least one row, got {split!r}")
    whole_number("batch_size", batch_size, at_least=1)
    return LengthBuckets(split, batch_size, boundaries)


class LengthBuckets(keras.utils.PyDataset):
    """What `length_buckets` returns; item k is (inputs, targets) or (inputs, targets, weights).

    Every row comes once an epoch. What does not fill a batch moves to the next wider bucket, so
    that only one batch is smaller: with JAX each new shape costs a compilation. The first two
    batches are the narrowest and the widest, because Keras takes the signature of the whole
    epoch from them and TensorFlow would refuse what is longer later.
    """

    def __init__(self, split, batch_size, boundaries):
        super().__init__()
        self.split = split
        self.batch_size, self.examples = batch_size, len(split)
        self.generator = np.random.default_rng(0)
        lengths = _lengths(split.inputs)
        self.lengths = np.max(list(lengths.values()), axis=0)
        self.widths = _widths(self.lengths, boundaries)
        self.trimmed = [_trimmed(lengths, self.lengths, width) for width in self.widths]
        self.on_epoch_end()

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, number: int):
        rows, bucket = self.batches[number]
        part, widths = self.split.take(rows), self.trimmed[bucket]

        def trim(array):
            """Arrays that have one value a word are trimmed with their words."""
            if array.ndim < 2 or array.shape[1] not in widths:
                return array
            return array[:, : widths[array.shape[1]]]

        if isinstance(part.inputs, dict):
            inputs = {name: trim(array) for name, array in part.inputs.items()}
        else:
            inputs = trim(part.inputs)
        others = (part.targets,) if part.weights is None else (part.targets, part.weights)
        return inputs, *map(trim, others)

    def on_epoch_end(self) -> None:
        """Called by Keras: a new order for the next epoch."""
        order = self.generator.permutation(len(self.lengths))
        bucket = np.searchsorted(self.widths, self.lengths)[order]
        batches: list[tuple[np.ndarray, int]] = []
        waiting = order[:0]
        for number in range(len(self.widths)):
            waiting = np.concatenate([waiting, order[bucket == number]])
            while len(waiting) >= self.batch_size:
                batches.append((waiting[: self.batch_size], number))
                waiting = waiting[self.batch_size :]
        if len(waiting):
            batches.append((waiting, number))
        narrowest, *between = batches[:-1] or batches
        widest = batches[-1:] if len(batches) > 1 else []
        between = [between[k] for k in self.generator.permutation(len(between))]
        self.batches = [narrowest, *widest, *between]


def _lengths(inputs) -> dict[int, np.ndarray]:
    """Real words in each row, (rows,): up to the last one that is no padding, at least 1.

    The keys are the lengths of the arrays; those of one length share the longest of their rows.
    """
    lengths: dict[int, np.ndarray] = {}
    for array in inputs.values() if isinstance(inputs, dict) else [inputs]:
        if getattr(array, "ndim", 0) != 2 or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(
                "length_buckets takes rows of word ids, an int array (rows, length): "
                'load_reviews(form="ids")'
            )
        places = np.where(array != PAD, np.arange(1, array.shape[1] + 1), 0)
        real = np.maximum(places.max(axis=1, initial=0), 1)
        lengths[array.shape[1]] = np.maximum(real, lengths.get(array.shape[1], real))
    return lengths


def _trimmed(lengths: dict[int, np.ndarray], longest: np.ndarray, width: int) -> dict[int, int]:
    """To which width the arrays of each length are trimmed in the bucket of this width.

    It also takes what did not fill a batch in the narrower ones.
    """
    if len(lengths) == 1:
        return dict.fromkeys(lengths, width)
    inside = longest <= width
    return {full: int(real[inside].max(initial=1)) for full, real in lengths.items()}


def _widths(lengths: np.ndarray, boundaries) -> list[int]:
    longest = int(lengths.max())
    if boundaries is None:
        quantiles = np.quantile(lengths, [0.2, 0.4, 0.6, 0.8, 1.0], method="higher")
        return [int(width) for width in np.unique(quantiles)]
    boundaries = list(boundaries)
    for width in boundaries:
        whole_number("each of boundaries", width, at_least=1)
    if not boundaries or boundaries != sorted(set(boundaries)):
        raise ValueError(f"boundaries have to be widths that increase, got {boundaries!r}")
    enough = next((width for width in boundaries if width >= longest), longest)
    return [width for width in boundaries if width < longest] + [enough]
