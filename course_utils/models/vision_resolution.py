"""A trained Vision Transformer at another image size: its positions are interpolated."""

import keras
import numpy as np

from course_utils.data.base import whole_number
from course_utils.data.images import patch_grid, sides
from course_utils.layers.transformer import LearnedPositions
from course_utils.layers.vision import PatchEmbedding


def interpolate_positions(positions, old_grid, new_grid, extra=1):
    """Positions for another grid of patches, bilinear between the four nearest old ones.

    The pixels' centres are aligned, edges are held, and nothing is smoothed first (no
    antialias): `keras.ops.image.resize` in its default form. The same grid gives the same
    numbers.

    positions: (extra + old rows · old columns, embed_dim), row by row. old_grid, new_grid: the
    side of a square grid, or (rows, columns). extra: the tokens in front, such as the class
    token; their positions are not touched. Returns NumPy (extra + new rows · new columns,
    embed_dim).

    Raises ValueError where positions and old grid do not fit each other.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), section 3.2.
    """
    whole_number("extra", extra, at_least=0)
    positions = np.asarray(positions)
    old, new = sides("old_grid", old_grid), sides("new_grid", new_grid)
    if positions.ndim != 2 or len(positions) != extra + old[0] * old[1]:
        raise ValueError(
            f"positions have the shape {positions.shape}, but a grid of {old[0]}×{old[1]} with "
            f"{extra} in front needs ({extra + old[0] * old[1]}, embed_dim)"
        )
    grid = positions[extra:].reshape(*old, -1)
    below, beside = (between(*pair) for pair in zip(old, new, strict=True))
    moved = np.einsum("ir,jc,rcd->ijd", below, beside, grid).reshape(new[0] * new[1], -1)
    return np.concatenate([positions[:extra], moved.astype(positions.dtype)])


def between(old, new):
    """The share of each of `old` places in each of `new` along one side: (new, old)."""
    places = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    return np.maximum(0, 1 - np.abs(places[:, None] - np.arange(old)))


def at_resolution(model, image):
    """The same network for images of another size, not compiled, with the weights carried over.

    model: one of `vision_transformer`. image: the new side, or (height, width). Only the
    learned positions change, by `interpolate_positions`; the model given stays as it is.

    Raises ValueError for an image that the patch does not divide, and for another kind of
    model.
    """
    patches = [layer for layer in model.layers if isinstance(layer, PatchEmbedding)]
    if len(patches) != 1:
        raise ValueError(f"{model.name!r} has no PatchEmbedding: only a model of patches can")
    patch, (_, *old_image, channels) = patches[0].patch, model.input_shape
    old, new = patch_grid(old_image, patch), patch_grid(image, patch)
    old_tokens, new_tokens = old[0] * old[1], new[0] * new[1]

    def anew(layer):
        config = layer.get_config()
        if isinstance(layer, LearnedPositions):
            config["max_length"] += new_tokens - old_tokens
        return type(layer).from_config(config)

    images = keras.Input((*sides("image", image), channels), name=model.input.name)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(patches[0].dtype_policy)  # parts of a block are made by it
    try:
        moved = keras.models.clone_model(model, input_tensors=images, clone_function=anew)
    finally:
        keras.config.set_dtype_policy(before)
    for before, after in zip(model.layers, moved.layers, strict=True):
        weights = before.get_weights()
        if isinstance(before, LearnedPositions):
            extra = before.max_length - old_tokens
            weights = [interpolate_positions(weights[0], old, new, extra)]
        after.set_weights(weights)
    return moved
