"""Hiding tokens for a masked language model, in plain NumPy.

Of all ordinary tokens a share is chosen. The model has to say what stood at each of the chosen
places; in its input 80 % of them are the mask, 10 % another word, and 10 % stay as they were,
so that it cannot rely on seeing a mask where it will be asked.

Source: Devlin, Chang, Lee and Toutanova, "BERT" (2019), section 3.1.
"""

from typing import NamedTuple

import numpy as np

from course_utils.data.base import share as check_share


class Masked(NamedTuple):
    """What a masked language model reads, and what it is asked.

    inputs: int32 (batch, tokens), the chosen places replaced.
    places: int32 (batch, count), the chosen places of each row.
    targets: int32 (batch, count), what stood there.
    weights: float32 (batch, count), 1 for a question, 0 where a row has fewer than `count`.
    """

    inputs: np.ndarray
    places: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


def mask_tokens(ids, special, mask_id, vocab_size, generator, share=0.15):
    """Choose places and hide what stands there; every batch of one width has as many places.

    A row is asked `share` of its ordinary tokens, at least one. The fixed number of places lets
    a model gather them before the product with the vocabulary: a sixth of its cost.

    Args:
        ids: int (batch, tokens).
        special: ids that are never chosen and never drawn, such as padding and separators.
        mask_id: the id of the mask. words: how many ids there are.
        generator: a NumPy generator.

    Returns:
        `Masked`, with count = ⌈share · tokens⌉.

    Raises:
        ValueError: for ids without two axes or outside the vocabulary, or another share.
    """
    ids = np.asarray(ids)
    check_share("share", share)
    if ids.ndim != 2:
        raise ValueError(f"ids has to be (batch, tokens), got the shape {ids.shape}")
    if not 0 <= mask_id < vocab_size or (
        ids.size and not 0 <= ids.min() <= ids.max() < vocab_size
    ):
        raise ValueError(f"ids and mask_id have to be from 0 to {vocab_size - 1}")
    never = [*special, mask_id]
    ordinary = ~np.isin(ids, never)
    count = max(1, int(np.ceil(share * ids.shape[1] - 1e-9)))
    # Special tokens sort behind all others.
    order = np.where(ordinary, generator.random(ids.shape), 2.0).argsort(axis=1)
    places = order[:, :count]
    asked = np.round(share * ordinary.sum(axis=1)).clip(1, count)
    asked = np.minimum(asked, ordinary.sum(axis=1))
    weights = np.arange(places.shape[1]) < asked[:, None]

    true = np.take_along_axis(ids, places, axis=1)
    lot = generator.random(places.shape)
    others = generator.choice(np.setdiff1d(np.arange(vocab_size), never), places.shape)
    shown = np.where(lot < 0.8, mask_id, np.where(lot < 0.9, others, true))
    inputs = ids.copy()
    np.put_along_axis(inputs, places, np.where(weights, shown, true), axis=1)
    return Masked(
        inputs.astype("int32"),
        places.astype("int32"),
        np.where(weights, true, 0).astype("int32"),
        weights.astype("float32"),
    )
