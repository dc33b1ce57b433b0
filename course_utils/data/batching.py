"""Batches of texts of similar length, so that little time goes into padding."""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np

from course_utils.data.base import PAD, Split, whole_number


def length_buckets(
    split: Split,
    batch_size: int,
    boundaries: Sequence[int] | None = None,
    same_steps: Sequence[str] = (),
) -> LengthBuckets:
    """Make batches whose rows are trimmed to the width of their bucket, for `model.fit`.

    The rows of each bucket, and the batches, come in a new order every epoch, drawn from a
    seed that is always the same.

    Args:
        split: inputs int (rows, length) with 0 after the last word, or a dict of such arrays:
            each is trimmed to its own longest row of the bucket, a single one to the bucket's
            width. A text counts as long as the longest of its arrays.
        boundaries: increasing widths of the buckets; longer texts get a bucket of their own.
            None takes five widths with about equally many texts each.
        same_steps: names of arrays (rows, length, …) that hold the same steps and are trimmed
            alike: one or more inputs ("inputs" where there is no dict), and "targets" or
            "weights" where these have a value per step. Other targets and weights stay whole.
    """
    if not isinstance(split, Split) or not len(split):
        raise ValueError(f"length_buckets takes a Split with at least one row, got {split!r}")
    batch_size = whole_number("batch_size", batch_size, at_least=1)
    for array in _inputs(split).values():
        if getattr(array, "ndim", 0) != 2 or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(
                "length_buckets takes rows of word ids, an int array (rows, length): "
                'load_reviews(form="ids")'
            )
    _check_same_steps(split, same_steps)
    return LengthBuckets(split, batch_size, boundaries, tuple(same_steps))


class LengthBuckets(keras.utils.PyDataset):
    """What `length_buckets` returns; item k is (inputs, targets) or (inputs, targets, weights).

    Every row comes once per epoch. What does not fill a batch moves to the next wider bucket,
    so that only one batch is smaller: with JAX each new shape costs a compilation. The first
    two batches are the narrowest and the widest, because Keras takes the signature of the whole
    epoch from them and TensorFlow would refuse what is longer later.
    """

    def __init__(self, split, batch_size, boundaries, same_steps):
        super().__init__()
        self.split = split
        self.batch_size, self.examples = batch_size, len(split)
        self.generator = np.random.default_rng(0)
        inputs = _inputs(split)
        lengths = {name: _lengths(array) for name, array in inputs.items()}
        if same_steps:
            longest = np.max([lengths[name] for name in same_steps if name in lengths], axis=0)
            lengths |= dict.fromkeys(same_steps, longest)
        alone = len(lengths) == max(1, len(same_steps))
        self.lengths = np.max(list(lengths.values()), axis=0)
        self.widths = _widths(self.lengths, boundaries)
        self.trimmed = []
        for width in self.widths:
            inside = self.lengths <= width  # also what did not fill a batch of a narrower one
            self.trimmed.append(
                {
                    name: width if alone else int(real[inside].max(initial=1))
                    for name, real in lengths.items()
                }
            )
        self.stepwise = {"targets", "weights"} & {*same_steps} - {*inputs}
        self.on_epoch_end()

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, number: int):
        rows, bucket = self.batches[number]
        part, widths = self.split.take(rows), self.trimmed[bucket]
        inputs = {name: array[:, : widths[name]] for name, array in _inputs(part).items()}
        inputs = inputs if isinstance(part.inputs, dict) else inputs["inputs"]
        targets, weights = (
            getattr(part, name)[:, : widths[name]]
            if name in self.stepwise
            else getattr(part, name)
            for name in ("targets", "weights")
        )
        return (inputs, targets) if weights is None else (inputs, targets, weights)

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


def _inputs(split) -> dict[str, np.ndarray]:
    return split.inputs if isinstance(split.inputs, dict) else {"inputs": split.inputs}


def _check_same_steps(split: Split, names: Sequence[str]) -> None:
    """Raise ValueError unless these are names of arrays of one length, inputs among them."""
    arrays = {"targets": split.targets, "weights": split.weights, **_inputs(split)}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    known = not isinstance(names, str) and all(name in arrays for name in names)
    if not known or names and not set(names) & set(_inputs(split)):
        raise ValueError(
            "same_steps takes the names of arrays, an input among them, that hold the same "
            f"steps; there are: {', '.join(sorted(arrays))}; got {names!r}"
        )
    shapes = {name: arrays[name].shape for name in names}
    lengths = {shape[1:2] for shape in shapes.values()}
    if len(lengths) > 1 or () in lengths:
        raise ValueError(f"arrays of the same steps have one length, (rows, length): {shapes}")


def _lengths(ids: np.ndarray) -> np.ndarray:
    """Real words in each row, (rows,): up to the last one that is no padding, at least 1."""
    places = np.where(ids != PAD, np.arange(1, ids.shape[1] + 1), 0)
    return places.max(axis=1, initial=1)


def _widths(lengths: np.ndarray, boundaries) -> list[int]:
    longest = int(lengths.max())
    if boundaries is None:
        quantiles = np.quantile(lengths, [0.2, 0.4, 0.6, 0.8, 1.0], method="higher")
        return [int(width) for width in np.unique(quantiles)]
    boundaries = [whole_number("each of boundaries", width, at_least=1) for width in boundaries]
    if not boundaries or boundaries != sorted(set(boundaries)):
        raise ValueError(f"boundaries have to be widths that increase, got {boundaries!r}")
    enough = next((width for width in boundaries if width >= longest), longest)
    return [width for width in boundaries if width < longest] + [enough]
