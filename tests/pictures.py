"""Pictures without a grid, for the tests of augmentation and compression."""

import numpy as np


def textures(count, side=32, seed=0):
    """Images with detail of every size and no grid: uint8 (count, side, side, 3)."""
    draw = np.random.default_rng(seed)
    coarse = draw.normal(128, 40, size=(count, side // 4 + 2, side // 4 + 2, 3))
    smooth = coarse.repeat(4, axis=1).repeat(4, axis=2)[:, 3 : side + 3, 3 : side + 3]
    return np.clip(smooth + draw.normal(0, 12, size=smooth.shape), 0, 255).astype("uint8")
