"""Draw what a network of patches sees: pictures, patches, maps over patches.

Pictures are (height, width) or (height, width, 1) grey, ink dark on paper, or (height, width,
3) in colour, all in [0, 1].
"""

import numpy as np

from course_utils.data.images import patch_grid
from course_utils.numpy_ref.patches import to_patches
from course_utils.plotting import COLOURS, figure, show

SIZE = 1.25
"""The side of a small picture, in inches."""


def show_images(pictures, titles, alt):
    """Show pictures in a row, each under its title.

    Raises:
        ValueError: unless there are as many titles as pictures, and at least one.
    """
    _as_many("titles", titles, pictures)
    drawing, axes = figure(SIZE * len(pictures), SIZE + 0.3, columns=len(pictures))
    for axis, picture, title in zip(np.atleast_1d(axes), pictures, titles, strict=True):
        _picture(axis, picture)
        axis.set_title(title, fontsize=10)
    show(drawing, alt)


def show_patches(picture, patch, alt=None):
    """Show a picture with the cuts between its patches, and its patches in a row, numbered.

    Raises:
        ValueError: for a picture that the patch does not divide.
    """
    picture = _with_channels(picture)
    rows, columns = patch_grid(picture.shape[:2], patch)
    tokens = to_patches(picture[None], patch)[0].reshape(-1, patch, patch, picture.shape[-1])
    drawing, axes = figure(10.4, 2.6)
    axes.remove()
    whole, *parts = _layout(drawing, len(tokens))
    _picture(whole, picture)
    for cut in range(1, rows):
        whole.axhline(cut * patch - 0.5, color=COLOURS[1], linewidth=1.5)
    for cut in range(1, columns):
        whole.axvline(cut * patch - 0.5, color=COLOURS[1], linewidth=1.5)
    for number, (axis, token) in enumerate(zip(parts, tokens, strict=True)):
        _picture(axis, token)
        axis.set_xlabel(str(number), fontsize=9)
    said = f"A picture cut into {rows} by {columns} patches; beside it the {len(tokens)} "
    show(drawing, alt or said + "patches as a sequence, numbered row by row.")


def show_maps(maps, alt, title=None):
    """Show one small map for each place of a grid, at that place, with one scale for all.

    Args:
        maps: (rows, columns, height, width), such as how alike each position's vector is to
            those of all others.
    """
    maps = np.asarray(maps, dtype=float)
    rows, columns = maps.shape[:2]
    cell = 3.6 / max(rows, columns)
    drawing, axes = figure(cell * columns + 1.2, cell * rows + 0.4, columns, rows)
    for place in np.ndindex(rows, columns):
        axis = np.reshape(axes, (rows, columns))[place]
        drawn = axis.imshow(maps[place], cmap="RdBu_r", vmin=-1, vmax=1)
        _bare(axis)
    drawing.colorbar(drawn, ax=axes, shrink=0.9)
    if title:
        drawing.suptitle(title, fontsize=11)
    show(drawing, alt)


def show_over(picture, maps, titles, alt):
    """Show a picture, and beside it once under each map, a colour for each of its patches.

    Args:
        maps: arrays (rows, columns), a number from 0 on for each patch; each map has a scale
            of its own, from 0 (clear) to its largest number (dark).
    """
    _as_many("titles", titles, maps)
    picture = _with_channels(picture)
    drawing, axes = figure(2.1 * (len(maps) + 1), 2.4, columns=len(maps) + 1)
    _picture(axes[0], picture)
    axes[0].set_title("the picture", fontsize=10)
    height, width = picture.shape[:2]
    for axis, values, title in zip(axes[1:], maps, titles, strict=True):
        values = np.asarray(values, dtype=float)
        _picture(axis, picture)
        extent = (-0.5, width - 0.5, height - 0.5, -0.5)
        strength = 0.85 * values / (values.max() or 1.0)
        axis.imshow(
            np.full_like(strength, 1.0),
            cmap="Oranges",
            vmin=0,
            vmax=1.3,
            alpha=strength,
            extent=extent,
        )
        axis.set_title(title, fontsize=10)
    show(drawing, alt)


def overlay(axis, image, weights):
    """The picture in grey, and the attention to its patches, (S,), over it in orange."""
    side = round(len(weights) ** 0.5)
    large = np.kron(weights.reshape(side, side), np.ones((len(image) // side,) * 2))
    axis.imshow(image.squeeze(), cmap="Greys", vmin=0, vmax=1.3)
    alpha = 0.65 * np.clip(large * 3, 0, 1)
    axis.imshow(large, cmap="Oranges", alpha=alpha, vmin=0, vmax=1.2)
    _bare(axis)


def draw_maps(image, maps, titles, alt):
    """The picture once a step, its attention laid over it: maps (steps, S)."""
    drawing, axes = figure(2.0 * len(maps), 2.5, columns=len(maps))
    for axis, weights, title in zip(axes, maps, titles, strict=True):
        overlay(axis, image, weights)
        axis.set_title(title, fontsize=11)
    show(drawing, alt)


def _layout(drawing, count):
    """Axes for a picture on the left and `count` patches on the right, at most 16 a line."""
    lines = -(-count // 16)
    in_line = min(count, 16)
    grid = drawing.add_gridspec(lines, in_line + 5)
    axes = [drawing.add_subplot(grid[:, :4])]
    for number in range(count):
        line, place = divmod(number, in_line)
        axes.append(drawing.add_subplot(grid[line, place + 5]))
    return axes


def _picture(axis, picture):
    picture = _with_channels(picture)
    grey = picture.shape[-1] == 1
    axis.imshow(picture[..., 0] if grey else picture, cmap="gray_r", vmin=0, vmax=1)
    _bare(axis)


def _bare(axis):
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(False)
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color("#BBBBBB")


def _with_channels(picture):
    picture = np.asarray(picture)
    return picture[..., None] if picture.ndim == 2 else picture


def _as_many(name, given, pictures):
    if len(given) != len(pictures) or len(given) == 0:
        raise ValueError(f"{len(given)} {name} do not fit {len(pictures)} pictures or maps")
