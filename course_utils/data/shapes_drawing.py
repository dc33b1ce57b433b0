"""Draws pictures of two coloured shapes on white."""

from __future__ import annotations

import numpy as np

SIDE = 32
SHAPES = ("circle", "square", "triangle")
# They differ in brightness as well as in hue: no kind of colour blindness merges two.
COLOURS = {
    "black": (0.05, 0.05, 0.05),
    "blue": (0.0, 0.35, 0.70),
    "red": (0.85, 0.22, 0.10),
    "yellow": (0.95, 0.80, 0.20),
}
RELATIONS = ("left of", "right of", "above", "below")
_BLOCK = 1_000  # pictures drawn at once: they fit into the processor's cache
_SQUARE, _TRIANGLE = 0.886, 0.68  # half a side and the inner radius, in radii of the circle


def draw_scenes(shapes, colours, relations, draw: np.random.Generator) -> np.ndarray:
    """One picture a row, float32 (scenes, 32, 32, 3), with smooth edges; nothing overlaps.

    shapes, colours: int (scenes, 2), places in `SHAPES` and `COLOURS`. relations: int
    (scenes,), places in `RELATIONS`: where the first object is, seen from the second. draw:
    decides on sizes (radius 3.8 to 5.2 pixels) and places: 13 to 15.5 pixels apart along the
    relation's direction, up to 3 pixels across it.
    """
    count = len(shapes)
    radii = draw.uniform(3.8, 5.2, size=(count, 2)).astype("float32")
    centres = _centres(relations, draw)
    palette = np.array(list(COLOURS.values()), "float32")
    pictures = np.ones((count, SIDE, SIDE, 3), "float32")
    for start in range(0, count, _BLOCK):
        rows = slice(start, start + _BLOCK)
        for k in (0, 1):
            cover = _cover(shapes[rows, k], centres[rows, k], radii[rows, k])[..., None]
            paint = palette[colours[rows, k]][:, None, None]
            pictures[rows] += cover * (paint - pictures[rows])
    return pictures


def _centres(relations, draw: np.random.Generator) -> np.ndarray:
    """Rows and columns of both objects: float32 (scenes, 2, 2)."""
    count = len(relations)
    along = draw.uniform(7.5, 10, size=count)
    distance = draw.uniform(13, 15.5, size=count)
    across = draw.uniform(9, 23, size=(count, 1)) + draw.uniform(-1.5, 1.5, size=(count, 2))
    along = np.stack([along, along + distance], axis=1)
    swapped = np.isin(relations, [RELATIONS.index("right of"), RELATIONS.index("below")])
    along[swapped] = along[swapped, ::-1]
    upright = np.isin(relations, [RELATIONS.index("above"), RELATIONS.index("below")])
    row = np.where(upright[:, None], along, across)
    column = np.where(upright[:, None], across, along)
    return np.stack([row, column], axis=-1).astype("float32")


def _cover(shapes, centres, radii) -> np.ndarray:
    """How much of each pixel a shape covers: float32 (scenes, 32, 32), 1 inside, 0 outside."""
    middles = np.arange(SIDE, dtype="float32") + 0.5
    down = (middles - centres[:, :1])[:, :, None]
    right = (middles - centres[:, 1:])[:, None, :]
    radii = radii[:, None, None]
    beyond = np.empty((len(shapes), SIDE, SIDE), "float32")  # pixels from the edge, + outside
    circle, square, triangle = (np.flatnonzero(shapes == k) for k in range(3))
    beyond[circle] = np.hypot(down[circle], right[circle]) - radii[circle]
    reach = np.maximum(np.abs(down[square]), np.abs(right[square]))
    beyond[square] = reach - _SQUARE * radii[square]
    slope = np.abs(right[triangle]) * np.float32(3**0.5 / 2) - down[triangle] / 2
    inner = _TRIANGLE * radii[triangle]
    beyond[triangle] = np.maximum(down[triangle], slope) - inner
    return np.clip(0.5 - beyond, 0, 1)
