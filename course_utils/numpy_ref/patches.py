"""An image as a sequence of patches, by reshape alone, and back.

Shapes: images (batch, height, width, channels), patches (batch, S, patch·patch·channels), with
S tokens row by row; within a patch the order is row, column, channel.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), section 3.1.
"""

import numpy as np

from course_utils.data.images import check_images, patch_grid


def to_patches(images, patch):
    """Cut images into patches and lay each out as one row.

    Both sides are split first, and the two inner axes are swapped: a direct reshape would give
    stripes instead of squares.

    Raises:
        ValueError: for images of another rank, or of sides not divisible by the patch.
    """
    images = np.asarray(images)
    check_images(images.shape)
    batch, *image, channels = images.shape
    rows, columns = patch_grid(image, patch)
    split = images.reshape(batch, rows, patch, columns, patch, channels)
    return split.swapaxes(2, 3).reshape(batch, rows * columns, patch * patch * channels)


def from_patches(patches, image, patch):
    """Put the patches of `to_patches` together again: (batch, height, width, channels).

    Args:
        patches: (batch, S, patch·patch·channels).
        image: the side of the images, or (height, width).

    Raises:
        ValueError: where patches and image do not fit each other.
    """
    patches = np.asarray(patches)
    rows, columns = patch_grid(image, patch)
    if patches.ndim != 3:
        raise ValueError(
            f"patches have to be (batch, tokens, patch·patch·channels), got {patches.shape}"
        )
    batch, tokens, length = patches.shape
    if tokens != rows * columns:
        raise ValueError(
            f"there are {tokens} patches, but an image of {rows * patch}×{columns * patch} "
            f"has {rows}·{columns} = {rows * columns} of {patch}×{patch}"
        )
    if length % patch**2:
        raise ValueError(
            f"each patch has {length} values, which is not divisible by the {patch**2} pixels "
            f"of {patch}×{patch}"
        )
    split = patches.reshape(batch, rows, columns, patch, patch, -1)
    return split.swapaxes(2, 3).reshape(batch, rows * patch, columns * patch, -1)
