"""Attention over patches, put together by the cells of a canvas."""


def weights_by_cell(weights, grid):
    """Return how much of each step's attention falls on each cell of a canvas.

    Args:
        weights: (…, S), attention to the S patches of a square image, row by row.
        grid: cells on each side; every cell is a square of patches.

    Returns:
        (…, grid²): the sum over each cell's patches, cells row by row.
    """
    inside = round(weights.shape[-1] ** 0.5) // grid
    # Row of cells, row inside the cell, column of cells, column inside the cell.
    parts = weights.reshape(*weights.shape[:-1], grid, inside, grid, inside)
    return parts.sum(axis=(-3, -1)).reshape(*weights.shape[:-1], grid**2)
