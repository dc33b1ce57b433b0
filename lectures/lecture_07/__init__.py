"""Lecture 07, the Vision Transformer: patches, counting, maps, resolution, transfer.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021).
"""

import keras
import numpy as np
from keras import layers, ops
from scipy.special import erf
from scipy.stats import spearmanr

from course_utils import schedules
from course_utils.data.base import one_of
from course_utils.data.images import check_images, patch_grid
from course_utils.layers import (
    ClassToken,
    LearnedPositions,
    PatchEmbedding,
    TransformerEncoderBlock,
)
from course_utils.layers.transformer import new_norm
from course_utils.models.transformer import VIT_SIZES

LECTURE = "07_vision_transformer"
LEARNING_RATE = 4e-3


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
    """Put the patches of `to_patches` together again: (batch, height, width, channels)."""
    split = patches.reshape(len(patches), height // p, width // p, p, p, -1)
    return split.swapaxes(2, 3).reshape(len(patches), height, width, -1)


def gelu(x):
    """x Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2, the share of a normal distribution below x.

    Source: Hendrycks and Gimpel, "Gaussian error linear units" (2016), section 2.
    """
    return x * (1 + erf(x / 2**0.5)) / 2


def train_reader(model, digits):
    """Compile a classifier of digits, train it on `digits.train`, and return it.

    Args:
        model: untrained; images (batch, 8, 8, 1) → logits (batch, 10).
        digits: a `Dataset`; `digits.train.inputs` (1200, 8, 8, 1) and `digits.train.targets`
            (1200,), the digits as whole numbers.

    Returns:
        The same model. At most 500 batches of 64: 26 epochs of 19 batches are 494.
    """
    schedule = schedules.WarmupCosine(0.006, steps=494)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.05, global_clipnorm=1.0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    model.fit(digits.train.inputs, digits.train.targets, batch_size=64, epochs=26, verbose=0)
    return model


def suspect_vit():
    """A classmate's Vision Transformer for digits. It trains, and it has a bug."""
    images = keras.Input((8, 8, 1))
    x = PatchEmbedding(48, patch=2)(images)
    x = ClassToken()(x)
    LearnedPositions(17)(x)
    for _ in range(2):
        x = TransformerEncoderBlock(48, num_heads=4, mlp_dim=192, activation="gelu")(x)
    x = new_norm("final_norm")(x)
    return keras.Model(images, layers.Dense(10, dtype="float32")(x[:, 0]))


def moved_by_shuffling(model, images, patch, order):
    """Return how far the logits move when every image's patches are put into another order.

    Args:
        model: a function of images (batch, height, width, channels) that returns logits
            (batch, classes), a Keras tensor.
        images: a NumPy array (batch, height, width, channels).
        patch: the side of a patch.
        order: int (S,), the new order: at position s stands patch `order[s]`.

    Returns:
        The largest absolute change of any logit of any image, a number.
    """
    patches = to_patches(images, patch)[:, order]
    shuffled = from_patches(patches, *images.shape[1:3], patch)
    before, after = (ops.convert_to_numpy(model(x)) for x in (images, shuffled))
    return float(np.abs(after - before).max())


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


def published_parameters(size, image=224):
    """Count the parameters of a published size, such as "B/16", part by part."""
    one_of("size", size, tuple(VIT_SIZES))
    settings = {name: value for name, value in VIT_SIZES[size].items() if name != "num_heads"}
    return vit_parameters(image, 3, classes=1000, **settings)


def multiplications(image, channels, patch, embed_dim, mlp_dim, num_layers, classes):
    """Count the multiplications with which a Vision Transformer reads one image.

    Only those inside of matrix products count: (a, b) times (b, c) takes a·b·c.

    Args:
        image: the side of the square image. channels: of its pixels.
        patch: the side of a patch.
        embed_dim, mlp_dim: C and M. num_layers: L. classes: how many.

    Returns:
        A dictionary of whole numbers: "projection" of the patches, "attention matrices"
        (query, key, value and output), "token pairs" (QKᵀ, and the weights times V),
        "feed-forward", each for all L blocks, and "head". There is a class token.
    """
    S = (image // patch) ** 2
    T = S + 1
    return {
        "projection": S * patch * patch * channels * embed_dim,
        "attention matrices": num_layers * 4 * T * embed_dim * embed_dim,
        "token pairs": num_layers * 2 * T * T * embed_dim,
        "feed-forward": num_layers * 2 * T * embed_dim * mlp_dim,
        "head": embed_dim * classes,
    }


def counted_products(model, images):
    """Run a model once and count the multiplications of its matrix products and convolutions.

    Every `matmul` and `conv` that Keras calls is counted by the shapes that it really gets, on
    any backend. For one image give a batch of one.
    """
    from keras.src import ops as used

    found = []

    def counting(name, inner):
        original = getattr(used, name)

        def call(x, other, *more, **options):
            result = original(x, other, *more, **options)
            found.append(int(np.prod(result.shape)) * int(np.prod(inner(x, other))))
            return result

        return name, original, call

    kinds = [
        counting("matmul", lambda x, other: x.shape[-1:]),
        counting("conv", lambda x, kernel: kernel.shape[:-1]),
    ]
    try:
        for name, _, call in kinds:
            setattr(used, name, call)
            setattr(ops, name, call)
        model(images)
    finally:
        for name, original, _ in kinds:
            setattr(used, name, original)
            setattr(ops, name, original)
    return sum(found)


def attention_weights(model, images):
    """What each block's tokens look at: a list of float32 (batch, heads, tokens, tokens).

    model: one of `vision_transformer`. images: (batch, height, width, channels).
    Raises ValueError for a model without a TransformerEncoderBlock.
    """
    blocks = [layer for layer in model.layers if isinstance(layer, TransformerEncoderBlock)]
    if not blocks:
        raise ValueError(f"{model.name!r} has no TransformerEncoderBlock, so no weights of one")
    # Named, because Keras would unwrap a list of one.
    states = keras.Model(model.inputs[0], {block.name: block.input for block in blocks})(images)
    weights = [block.attention_weights(states[block.name]) for block in blocks]
    return [ops.convert_to_numpy(ops.cast(part, "float32")) for part in weights]


def rollout(weights):
    """How much each input token contributes to the class token, through all blocks.

    weights: from `attention_weights(model, images)`, a list, first block first, of arrays
    (batch, heads, tokens, tokens). Returns (batch, tokens), rows that add up to 1.

    Source: Abnar and Zuidema, "Quantifying attention flow in Transformers" (2020), section 3.
    """
    identity = np.eye(weights[0].shape[-1])
    R = identity
    for A in weights:
        R = (A.mean(axis=1) + identity) / 2 @ R
    return R[:, 0]


def blanked(model, images, targets):
    """How far the correct logit falls when a 2×2 patch becomes blank paper: (images, S)."""
    cut, rows = to_patches(images, 2), np.arange(len(images))
    right = model.predict(images, batch_size=500, verbose=0)[rows, targets]
    falls = []
    for position in range(cut.shape[1]):
        without = cut.copy()
        without[:, position] = 0
        without = from_patches(without, *images.shape[1:3], 2)
        logits = model.predict(without, batch_size=500, verbose=0)
        falls.append(right - logits[rows, targets])
    return np.stack(falls, axis=1)


def agreement(model, images, targets):
    """Mean rank correlation with the fall of the correct logit, over the patches with ink.

    Of the last block's attention, of rollout, and of the amount of ink in a patch.
    """
    weights = attention_weights(model, images)
    falls, ink = blanked(model, images, targets), to_patches(images, 2).sum(axis=-1)
    maps = {
        "last block": weights[-1].mean(axis=1)[:, 0, 1:],
        "rollout": rollout(weights)[:, 1:],
    }

    def correlation(of):
        pairs = zip(of, falls, ink > 0, strict=True)
        return [spearmanr(one[inked], fall[inked])[0] for one, fall, inked in pairs]

    return {name: float(np.mean(correlation(of))) for name, of in (maps | {"ink": ink}).items()}


def interpolate_positions(positions, old_grid, new_grid, extra=1):
    """Interpolate learned positions bilinearly to another grid of patches.

    The centres of the patches are aligned, as `keras.ops.image.resize` does it (the released
    code of the paper aligns the corners of the grids instead).

    Args:
        positions: (extra + old rows · old columns, embed_dim), the grid row by row.
        old_grid, new_grid: (rows, columns).
        extra: rows in front that belong to no patch, such as the class token's; they stay as
            they are.

    Returns:
        A NumPy array (extra + new rows · new columns, embed_dim).

    Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), section 3.2.
    """
    grid = positions[extra:].reshape(*old_grid, -1)
    moved = ops.image.resize(grid, new_grid, data_format="channels_last")
    moved = ops.convert_to_numpy(moved).reshape(-1, positions.shape[1])
    return np.concatenate([positions[:extra], moved.astype(positions.dtype)])


def _as_list(positions, old_grid, new_grid):
    """The rows stretched as one long list, without regard to the plane: the wrong way."""
    old, new = (rows * columns for rows, columns in (old_grid, new_grid))
    steps = (np.arange(new) + 0.5) * old / new - 0.5
    columns = [np.interp(steps, np.arange(old), one) for one in positions[1:].T]
    return np.concatenate([positions[:1], np.stack(columns, axis=1)])


def _fresh(positions, old_grid, new_grid):
    """New random rows, as before any training."""
    shape = (new_grid[0] * new_grid[1], positions.shape[1])
    return np.concatenate([positions[:1], np.random.default_rng(0).normal(0, 0.02, shape)])


INTERPOLATIONS = {"in the plane": interpolate_positions, "as a list": _as_list, "fresh": _fresh}


def take_weights(model, trained, interpolate=interpolate_positions, head=True):
    """Give a Vision Transformer the weights of another, whose images may have another size.

    Positions are interpolated where the number of patches differs. head: False to leave the
    last layer, the head, as it is. Returns `model`.
    """
    new = []
    for own, other in zip(model.weights, trained.weights, strict=True):
        value = ops.convert_to_numpy(other)
        if own.shape != other.shape and own.path.endswith("/table"):
            grids = [(round((table.shape[0] - 1) ** 0.5),) * 2 for table in (value, own)]
            value = interpolate(value, *grids)
        new.append(value)
    kept = [] if head else [ops.convert_to_numpy(weight) for weight in model.weights[-2:]]
    model.set_weights(new[: len(new) - len(kept)] + kept)
    return model


def enlarged(images, side):
    """Images enlarged by bilinear interpolation."""
    return ops.convert_to_numpy(ops.image.resize(images, (side, side)))
