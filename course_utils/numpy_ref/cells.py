"""Attention over patches, put together by the cells of a canvas."""

import numpy as np


def weights_by_cell(weights, grid):
    """How much of each step's attention falls on each cell of a grid × grid canvas.

    Args:
        weights: (…, T, S), S patches of a square picture, row by row.
        grid: cells along a side.

    Returns:
        (…, T, grid²), cells row by row: sums over each cell's patches.

    Raises:
        ValueError: where the patches are no square, or a cell is no whole number of them.
    """
    weights = np.asarray(weights)
    *before, patches = weights.shape
    side = round(patches**0.5)
    if side**2 != patches or side % grid:
        raise ValueError(f"{patches} patches cannot be shared among {grid}×{grid} cells")
    inside = side // grid
    # Row of cells, row inside the cell, column of cells, column inside the cell.
    parts = weights.reshape(*before, grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1)).reshape(*before, grid**2)
