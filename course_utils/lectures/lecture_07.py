"""Lecture 07, the Vision Transformer: patches, a block in NumPy, counting, rollout, resolution.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021).
"""

import keras
import numpy as np
from keras import ops
from scipy.special import erf

from course_utils import plotting
from course_utils.data.base import one_of
from course_utils.data.images import check_images, patch_grid, sides
from course_utils.layers.transformer import LearnedPositions
from course_utils.lectures.lecture_06 import multi_head, residual
from course_utils.models.vision import VIT_SIZES


def to_patches(images, patch):
    """Cut images (batch, height, width, channels) into patches and lay each out as one row.

    Both sides are split first, and the two inner axes are swapped: a direct reshape would give
    stripes instead of squares.

    Returns (batch, S, patch·patch·channels), the S patches row by row; within a patch the order
    is row, column, channel. Raises ValueError for images of another rank, or of sides not
    divisible by the patch.
    """
    check_images(images.shape)
    batch, *image, channels = images.shape
    rows, columns = patch_grid(image, patch)
    split = images.reshape(batch, rows, patch, columns, patch, channels)
    return split.swapaxes(2, 3).reshape(batch, rows * columns, patch * patch * channels)


def from_patches(patches, height, width, p):
    """Put the patches of `to_patches` together again.

    Args:
        patches: (batch, S, p·p·c), the S = (height/p)·(width/p) patches row by row; within a
            patch the order is row, column, channel.
        height, width: sides of the images.
        p: side of a patch.

    Returns:
        The images (batch, height, width, c), by `reshape` and a swap of two axes, no loop.
    """
    split = patches.reshape(len(patches), height // p, width // p, p, p, -1)
    return split.swapaxes(2, 3).reshape(len(patches), height, width, -1)


def gelu(x):
    """x Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2, the share of a normal distribution below x.

    Source: Hendrycks and Gimpel, "Gaussian error linear units" (2016), section 2.
    """
    return x * (1 + erf(x / 2**0.5)) / 2


def block(x, weights, num_heads):
    """One pre-norm encoder block with GELU: x (…, tokens, embed_dim) → the same shape."""
    W_1, b_1, W_2, b_2 = weights["feed_forward"]

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads)[0]

    def think(y):
        return gelu(y @ W_1 + b_1) @ W_2 + b_2

    x = residual(x, attend, weights["attention_norm"], "pre")
    return residual(x, think, weights["feed_forward_norm"], "pre")


def tokens_and_weights():
    """Return (tokens, weights) of an image of 32×32 with 3 channels, cut into patches of 4×4.

    tokens: how many patches the image has (there is no class token). weights: how many
    parameters the projection x_s E + b to C = 64 channels has. Two whole numbers.
    """
    return (32 // 4) * (32 // 4), 4 * 4 * 3 * 64 + 64


def parameters_of_b16():
    """Return how many parameters ViT-B/16 has for images of 384×384 with 3 channels.

    Patches of 16×16, C = 768, M = 3072, L = 12 blocks, a class token, 1,000 classes. Write the
    whole number as a sum, a part a line: patches, class token and positions; a block, with
    attention, feed-forward network and two LayerNorms; the last LayerNorm; the head.
    """
    C, M, S = 768, 3072, (384 // 16) ** 2
    start = 16 * 16 * 3 * C + C + C + (S + 1) * C
    block = 4 * (C * C + C) + (C * M + M) + (M * C + C) + 2 * 2 * C
    return start + 12 * block + 2 * C + (C * 1000 + 1000)


def vit_parameters(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    """Count a Vision Transformer's parameters: a dictionary, part by part.

    The number of heads does not matter: together they are as wide as one. image: its side, or
    (height, width).
    """
    rows, columns = patch_grid(image, patch)
    return {
        "projection": patch * patch * channels * embed_dim + embed_dim,
        "class token": embed_dim,
        "positions": (rows * columns + 1) * embed_dim,
        "attention": num_layers * 4 * (embed_dim * embed_dim + embed_dim),
        "feed-forward": num_layers * (2 * embed_dim * mlp_dim + mlp_dim + embed_dim),
        "norms": (2 * num_layers + 1) * 2 * embed_dim,
        "head": embed_dim * classes + classes,
    }


def published_parameters(size):
    """Count the parameters of a published size, such as "B/16", part by part."""
    one_of("size", size, tuple(VIT_SIZES))
    settings = {name: value for name, value in VIT_SIZES[size].items() if name != "num_heads"}
    return vit_parameters(224, 3, classes=1000, **settings)


def rollout_matrix(weights):
    """Return R = B_L ⋯ B_2 B_1, with B_l = ½ (mean over the heads of A_l) + ½ I.

    Args:
        weights: the attention weights A_l, a list, first block first, of arrays (batch, heads,
            tokens, tokens).

    Returns:
        (batch, tokens, tokens): each row says what an output token consists of, and sums to 1.

    Source: Abnar and Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
    """
    identity = np.eye(weights[0].shape[-1])
    R = identity
    for A in weights:
        R = (A.mean(axis=1) + identity) / 2 @ R
    return R


def rollout(weights):
    """What the class token reads, told by input tokens: (batch, tokens), each row sums to 1.

    weights: as in `rollout_matrix`; from a model: `attention_weights(model, images)`.
    """
    return rollout_matrix(weights)[:, 0]


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
    """Return the same network for images of another size, not compiled, weights carried over.

    Only the learned positions change, by `interpolate_positions`; `model`, one of
    `vision_transformer`, stays as it is. image: the new side, or (height, width).
    Raises ValueError for an image that the patch does not divide.
    """
    patches = model.get_layer("patches")
    old_image, channels = model.input_shape[1:3], model.input_shape[3]
    old, new = patch_grid(old_image, patches.patch), patch_grid(image, patches.patch)
    more = new[0] * new[1] - old[0] * old[1]

    def anew(layer):
        config = layer.get_config()
        if isinstance(layer, LearnedPositions):
            config["max_length"] += more
        return type(layer).from_config(config)

    images = keras.Input((*sides("image", image), channels), name=model.input.name)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(patches.dtype_policy)  # parts of a block are made by it
    try:
        moved = keras.models.clone_model(model, input_tensors=images, clone_function=anew)
    finally:
        keras.config.set_dtype_policy(before)
    for own, other in zip(model.layers, moved.layers, strict=True):
        weights = own.get_weights()
        if isinstance(own, LearnedPositions):
            extra = own.max_length - old[0] * old[1]
            weights = [interpolate_positions(weights[0], old, new, extra)]
        other.set_weights(weights)
    return moved


def show_patches(image, patch, alt):
    """Show an image with the borders of its patches, and its patches in a row, numbered."""
    tokens = to_patches(image[None], patch)[0].reshape(-1, patch, patch, image.shape[-1])
    drawing, axes = plotting.figure(10.4, 2.6)
    axes.remove()
    grid = drawing.add_gridspec(1, len(tokens) + 5)
    whole = drawing.add_subplot(grid[:, :4])
    plotting.draw_image(whole, image)
    for border in np.arange(patch, len(image), patch) - 0.5:
        whole.axhline(border, color=plotting.COLOURS[1], linewidth=1.5)
        whole.axvline(border, color=plotting.COLOURS[1], linewidth=1.5)
    for number, token in enumerate(tokens):
        axis = drawing.add_subplot(grid[0, number + 5])
        plotting.draw_image(axis, token)
        axis.set_xlabel(str(number), fontsize=9)
    plotting.show(drawing, alt)


def show_maps(maps, alt, title):
    """Show one small map for each position of a grid, at that position, with one scale.

    maps: (rows, columns, height, width), numbers from -1 to 1, such as cosine similarities.
    """
    rows, columns = maps.shape[:2]
    cell = 3.6 / max(rows, columns)
    drawing, axes = plotting.figure(cell * columns + 1.2, cell * rows + 0.4, columns, rows)
    for place in np.ndindex(rows, columns):
        drawn = axes[place].imshow(maps[place], cmap="RdBu_r", vmin=-1, vmax=1)
        plotting.frame(axes[place])
    drawing.colorbar(drawn, ax=axes, shrink=0.9)
    drawing.suptitle(title, fontsize=11)
    plotting.show(drawing, alt)


def show_over(image, maps, titles, alt):
    """Show an image, and beside it once under each map: a number from 0 on for each patch.

    maps: arrays (rows, columns), each with a scale of its own, from 0 (clear) to its largest.
    """
    drawing, axes = plotting.figure(2.1 * (len(maps) + 1), 2.4, columns=len(maps) + 1)
    plotting.draw_image(axes[0], image)
    axes[0].set_title("the picture", fontsize=10)
    for axis, values, title in zip(axes[1:], maps, titles, strict=True):
        draw_over(axis, image, values / (values.max() or 1.0))
        axis.set_title(title, fontsize=10)
    plotting.show(drawing, alt)


def draw_over(axis, image, strength):
    """Draw an image, and over each of its patches orange as strong as (rows, columns) say."""
    plotting.draw_image(axis, image)
    extent = (-0.5, image.shape[1] - 0.5, image.shape[0] - 0.5, -0.5)
    over = {"cmap": "Oranges", "vmin": 0, "vmax": 1.3, "extent": extent}
    axis.imshow(np.ones_like(strength), alpha=0.85 * strength, **over)
