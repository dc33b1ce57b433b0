"""An image as a sequence of patches, by reshape alone, and back.

Shapes: images (batch, height, width, channels), patches (batch, S, patch·patch·channels), with
S tokens row by row; within a patch the order is row, column, channel.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), section 3.1.
"""

import numpy as np

from course_utils.data.patch_grid import check_images, patch_grid


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
