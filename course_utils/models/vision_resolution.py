"""A trained Vision Transformer at another image size: its positions are interpolated."""

import keras
import numpy as np
from keras import ops

from course_utils.data.patch_grid import patch_grid, sides
from course_utils.layers.transformer import LearnedPositions
from course_utils.layers.vision import PatchEmbedding


def interpolate_positions(positions, old_grid, new_grid, extra=1):
    """Interpolate learned positions bilinearly to another grid of patches.

    The patches' centres are aligned, as in `keras.ops.image.resize`.

    Args:
        positions: (extra + old rows · old columns, embed_dim), the grid row by row.
        old_grid, new_grid: (rows, columns).
        extra: rows in front that have no position in the plane, such as the class token's;
            they stay as they are.

    Returns:
        A NumPy array (extra + new rows · new columns, embed_dim).

    Raises:
        ValueError: where positions and old grid do not fit each other.

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), section 3.2.
    """
    rows, columns = old_grid
    if len(positions) != extra + rows * columns:
        raise ValueError(
            f"positions have the shape {positions.shape}, but a grid of {rows}×{columns} with "
            f"{extra} in front needs ({extra + rows * columns}, embed_dim)"
        )
    grid = positions[extra:].reshape(rows, columns, -1)
    moved = ops.image.resize(grid, new_grid, data_format="channels_last")
    moved = ops.convert_to_numpy(moved).reshape(-1, positions.shape[1])
    return np.concatenate([positions[:extra], moved.astype(positions.dtype)])


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
