"""What a Vision Transformer costs, by formula: its parameters, part by part.

Source: Dosovitskiy et al., "An image is worth 16x16 words" (2021), equations 1 to 4, table 1.
"""

from course_utils.data.base import one_of
from course_utils.data.images import patch_grid
from course_utils.models.vision import VIT_SIZES


def parameters(image, channels, patch, embed_dim, mlp_dim, num_layers, classes, pool="class"):
    """Count a Vision Transformer's weights, part by part; their sum is the whole.

    The number of heads does not matter: together they are as wide as one.

    Args:
        image: its side, or (height, width).
        patch: the side of a patch.
        embed_dim, mlp_dim: widths of a token's vector and of the feed-forward network.
        pool: "class" for a class token with a position of its own, "mean" for neither.

    Returns:
        A dictionary from a part's name to its number of weights.

    Raises:
        ValueError: for an image that the patch does not divide, and for another pool.
    """
    one_of("pool", pool, ("class", "mean"))
    rows, columns = patch_grid(image, patch)
    extra = int(pool == "class")
    return {
        "projection": patch * patch * channels * embed_dim + embed_dim,
        "class token": extra * embed_dim,
        "positions": (rows * columns + extra) * embed_dim,
        "attention": num_layers * 4 * (embed_dim * embed_dim + embed_dim),
        "feed-forward": num_layers * (2 * embed_dim * mlp_dim + mlp_dim + embed_dim),
        "norms": (2 * num_layers + 1) * 2 * embed_dim,
        "head": embed_dim * classes + classes,
    }


def published(size, image=224, classes=1000):
    """The same for a published size, such as "B/16", and colour images.

    Raises:
        ValueError: for another size, naming those that are published.
    """
    one_of("size", size, tuple(VIT_SIZES))
    settings = {name: value for name, value in VIT_SIZES[size].items() if name != "num_heads"}
    return parameters(image, 3, classes=classes, **settings)
