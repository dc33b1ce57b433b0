"""How an image is cut into square patches: the grid, and which sizes fit one."""

from course_utils.data.arguments import whole_number


def sides(name, value):
    """(height, width) of a side or a pair of sides; ValueError for anything else."""
    pair = value if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2:
        raise ValueError(f"{name} has to be one side or (height, width), got {value!r}")
    for side in pair:
        whole_number(name, side, at_least=1)
    return tuple(pair)


def patch_grid(image, patch):
    """How many patches lie below and beside each other: (rows, columns).

    image: its side, or (height, width). patch: the side of a patch.

    Raises ValueError where a side is no multiple of the patch: a strided convolution would
    silently drop the rim.
    """
    whole_number("patch", patch, at_least=1)
    height, width = sides("image", image)
    for name, side in (("height", height), ("width", width)):
        if side % patch:
            raise ValueError(
                f"an image of {height}×{width} cannot be cut into patches of {patch}×{patch}: "
                f"its {name} {side} is not divisible by {patch}; {fitting_sides(side, patch)} "
                f"would be, or take a patch of {fitting_patches(height, width)}"
            )
    return height // patch, width // patch


def fitting_sides(side, patch):
    """The multiples of the patch on both sides of `side`, in words."""
    below = side // patch * patch
    return f"{below} or {below + patch}" if below else f"{patch}"


def fitting_patches(height, width):
    """The patches that divide both sides, in words."""
    fit = [
        size for size in range(1, min(height, width) + 1) if not (height % size or width % size)
    ]
    return ", ".join(str(size) for size in fit)


def check_images(shape):
    """Raise ValueError unless the shape is that of images (batch, height, width, channels)."""
    if len(shape) != 4:
        hint = "; grey pictures need an axis for it: images[..., None]" * (len(shape) == 3)
        raise ValueError(
            f"images have to be (batch, height, width, channels), got {tuple(shape)}{hint}"
        )
