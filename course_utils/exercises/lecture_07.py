"""Exercises of lecture 07: patches, counting, rollout, another resolution."""

import numpy as np
from keras import ops
from scipy.ndimage import zoom

from course_utils.exercises import exercise
from course_utils.lectures import lecture_07


@exercise(
    "07.1",
    lecture_07.tokens_and_weights,
    mistakes=[
        (lambda: (8, 3136), "32/4 = 8 cuts one side only: there are rows and columns"),
        (lambda: (1024, 3136), "that is the number of pixels: a token is a patch of 4·4"),
        (lambda: (65, 3136), "there is no class token here"),
        (lambda: (256, 3136), "both sides are divided by 4, so 1024 pixels by 16"),
        (lambda: (64, 3072), "the bias is missing: each of the 64 channels has one"),
        (lambda: (64, 1088), "a patch has 4·4·3 numbers: the colours belong to it"),
        (lambda: (64, 64 * 3136), "all patches share one E and one b: count them once"),
    ],
    takes=3,
    level=1,
    hints=["Both sides of the image are cut.", "Which shape has E, and which has b?"],
    reasoning="Patches form a grid of 8 by 8; E is (4·4·3, 64), and b has 64 numbers.",
    solved="Both sides are cut: patches half as wide mean four times the tokens.",
)
def no_arguments(draw):
    yield ()


def joined(sizes="rcppk", axes=(0, 1, 3, 2, 4, 5), order="C"):
    """`from_patches` with another first reshape, other axes exchanged, or another order."""

    def wrong(patches, height, width, p):
        side = {"r": height // p, "c": width // p, "p": p, "k": -1}
        split = patches.reshape(len(patches), *map(side.get, sizes), order=order)
        return split.transpose(axes).reshape(len(patches), height, width, -1, order=order)

    return wrong


@exercise(
    "07.2",
    lecture_07.from_patches,
    mistakes=[
        (joined(axes=range(6)), "a reshape alone stacks patch after patch: swap two axes"),
        (joined("rpcpk"), "first split into the axes as they lie in memory; then swap"),
        (joined("crppk", (0, 2, 3, 1, 4, 5)), "patches come row by row, not column by column"),
        (joined(axes=(0, 1, 4, 2, 3, 5)), "each patch is transposed: its rows are the image's"),
        (joined("rckpp", (0, 1, 4, 2, 5, 3)), "within a patch the channels come last"),
        (joined(axes=(0, 2, 1, 3, 4, 5)), "the wrong two axes: pixel rows follow patch rows"),
        (joined(order="F"), 'order="F" runs along columns: NumPy\'s own order is row by row'),
        (lambda x, h, w, p: joined()(x, w, h, p), "height and width are mixed up"),
    ],
    takes=8,
    level=2,
    hints=["Which six axes lie in memory, in which order?", "Which two change places?"],
    reasoning="What was split, swapped and flattened comes back by the same steps.",
    solved="Splitting an axis moves nothing; the swap alone moves numbers.",
)
def patches(draw):
    for height, width, channels, p in ((2, 4, 1, 2), (6, 12, 3, 3), (8, 12, 2, 4)):
        images = draw.integers(100, size=(2, height, width, channels))
        yield lecture_07.to_patches(images, p), height, width, p


C, M = 768, 3072
BLOCK = 4 * (C * C + C) + 2 * C * M + M + C + 4 * C
MISSING = {
    380 * C: "that is B/16 at 224×224: at 384×384 there are more positions",
    C: "768 short: the class token, its position or the projection's bias is missing",
    2 * C: "1,536 short: the last norm, or two of class token, its position and E's bias",
    769_000: "the head is missing: a matrix from 768 to 1,000 classes, and biases",
    1_000: "1,000 short: the biases of the head",
    577 * C: "the table of positions is missing",
    12 * 4 * C: "12·4·768 short: the attention's biases, or both norms of each block",
    12 * 2 * C: "12·2·768 short: a block has two norms, each with a gain and a shift",
    12 * (M + C): "the biases of the feed-forward networks are missing",
    12 * (C * C + C): "the attention's output has a matrix and a bias, too, like Q, K and V",
    12 * C * C: "attention has four matrices: query, key, value and the output",
    12 * 4 * (C * C + C - 12 * 64 * 65): "a head maps 768 channels to 64, not 64 to 64",
    16 * 16 * 2 * C: "a patch has 16·16·3 numbers: the colours belong to it",
    11 * BLOCK: "that is one block: there are 12",
}


@exercise(
    "07.3",
    lecture_07.parameters_of_b16,
    mistakes=[
        (lambda count=count: lecture_07.parameters_of_b16() - count, meaning)
        for count, meaning in MISSING.items()
    ],
    takes=10,
    level=2,
    hints=["L/16's table has all the parts.", "Which single part depends on the image's size?"],
    reasoning="Only the table of positions depends on the image: 577 rows, not 197.",
    solved="Of 86,859,496 parameters the positions alone depend on the image's size.",
    equal=np.array_equal,
)
def none_either(draw):
    yield ()


def product(mix=lambda A, one: (A + one) / 2, heads=np.mean, step=lambda B, R: B @ R, turn=1):
    """`rollout_matrix` with another mixture, mean of heads, product, or order of blocks."""

    def wrong(weights):
        R = np.eye(weights[0].shape[-1])
        for A in weights[::turn]:
            R = step(mix(heads(A, axis=1), np.eye(A.shape[-1])), R)
        return np.broadcast_to(R, weights[0][:, 0].shape)

    return wrong


@exercise(
    "07.4",
    lecture_07.rollout_matrix,
    mistakes=[
        (product(lambda A, one: A), "the identity is missing: a token keeps half of itself"),
        (product(turn=-1), "the order is reversed: block 1 acts first, so it stands right"),
        (product(lambda A, one: A + one), "rows have to add up to 1: halve the sum"),
        (product(heads=np.sum), "take the mean over the heads, not the sum"),
        (product(heads=np.max), "take the mean over the heads, not the maximum"),
        (product(step=lambda B, R: B), "that is the last block alone: multiply all"),
        (product(step=lambda B, R: B * R), "multiply matrices, @, not element by element"),
        (
            product(lambda A, one: A, step=lambda A, R: (A @ R + np.eye(R.shape[-1])) / 2),
            "a residual adds what came in, R, not the first input: ½ A R + ½ R",
        ),
        (lambda weights: product()(weights).swapaxes(1, 2), "transposed: rows are outputs"),
    ],
    takes=10,
    level=3,
    hints=["Which block acts first on the input?", "On which side of the product is it then?"],
    reasoning="Each block mixes the rows of what came before, so it multiplies from the left.",
    solved="The block that acts first stands on the right.",
)
def weights(draw):
    for batch, heads, blocks, tokens in ((1, 1, 2, 2), (2, 3, 1, 4), (2, 3, 3, 5)):
        powers = np.exp(4 * draw.normal(size=(blocks, batch, heads, tokens, tokens)))
        yield (list(powers / powers.sum(axis=-1, keepdims=True)),)


def moved(read=ops.image.resize, turn=1, keep=1.0):
    """`interpolate_positions` that reads the plane otherwise, or turns or scales parts."""

    def wrong(positions, old, new, extra):
        plane = np.array(read(positions[extra:].reshape(*old[::turn], -1), new))
        return np.concatenate([keep * positions[:extra], plane.reshape(new[0] * new[1], -1)])

    return wrong


def stretched(rows, count):
    steps = (np.arange(count) + 0.5) * len(rows) / count - 0.5
    return np.stack([np.interp(steps, np.arange(len(rows)), one) for one in rows.T], axis=1)


def cornered(plane, new):
    return zoom(plane, (new[0] / len(plane), new[1] / plane.shape[1], 1), order=1)


@exercise(
    "07.5",
    lecture_07.interpolate_positions,
    mistakes=[
        (
            moved(lambda x, new: stretched(x.reshape(-1, x.shape[-1]), new[0] * new[1])),
            "you stretched the list, not the plane: neighbours below each other are lost",
        ),
        (
            lambda x, old, new, extra: stretched(x, extra + new[0] * new[1]),
            "the extra rows were stretched with the others: set them aside first",
        ),
        (lambda *given: moved()(*given)[given[-1] :], "the extra rows in front are missing"),
        (lambda *given: np.roll(moved()(*given), -given[-1], 0), "the extra rows come first"),
        (moved(keep=0.0), "the extra rows have to stay as they are"),
        (moved(turn=-1), "rows and columns of the old grid are mixed up"),
        (moved(lambda x, new: ops.image.resize(x, new, "bicubic")), "bicubic; use bilinear"),
        (moved(lambda x, new: ops.image.resize(x, new, "nearest")), "nearest; use bilinear"),
        (moved(cornered), "corners are aligned (scipy's zoom): align the patches' centres"),
    ],
    takes=10,
    level=3,
    hints=["The rows in front are in no plane.", "Which are ops.image.resize's channels?"],
    reasoning="Position vectors on a grid are an image of embed_dim channels: resize it.",
    solved="A class token has no position in the plane; all others are interpolated in it.",
)
def positions(draw):
    for old, new, extra in (((1, 2), (1, 3), 1), ((2, 3), (4, 3), 1), ((3, 2), (4, 7), 2)):
        yield draw.normal(size=(extra + old[0] * old[1], 4)).round(1), old, new, extra
