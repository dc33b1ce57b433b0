"""Draw alignment maps."""

import numpy as np


def draw_map(axis, weights, columns, rows, title):
    """Draw a row for each word written, a column for each word read; what is NaN is grey."""
    axis.set_facecolor("#CCCCCC")
    axis.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(len(columns)), columns, rotation=45, ha="left")
    axis.set_yticks(range(len(rows)), rows)
    axis.xaxis.tick_top()
    axis.grid(False)
    axis.set_title(title)


def strongest(weights, columns, rows):
    """For the alternative text: where each row is largest, unless that is near 0."""
    weights = np.nan_to_num(weights)
    found = zip(rows, weights.argmax(axis=1), weights.max(axis=1), strict=True)
    return ", ".join(f"{word} at {columns[i]}" for word, i, value in found if value > 0.05)
