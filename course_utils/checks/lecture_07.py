"""Checks of lecture 07: patches and counting."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.numpy_ref.patches import to_patches
from course_utils.numpy_ref.vision_cost import parameters


@exercise(
    "07.1", solved="Both sides are cut: a patch half as wide means four times the tokens."
)
def tokens_and_weights(answer):
    """Tokens of a picture, weights of the projection."""
    try:
        tokens, weights = answer
    except (TypeError, ValueError):
        require(False, "two numbers are asked for: (tokens, weights)")
    tokens, weights = number(tokens), number(weights)
    hints = {
        8: "32/4 = 8 is one side only: there are as many rows of patches as columns",
        1024: "that is the number of pixels: a token is a patch of 4·4 of them",
        192: "64 patches, whatever the colours: the 3 channels of a pixel stay in its patch",
        65: "there is no class token here",
        256: "4·4 pixels fit into each patch: 1024/16, not 1024/4",
    }
    require(tokens == 64, f"the tokens: {hints.get(tokens, 'rows of patches times columns')}")
    hints = {
        3072: "64 short: each of the C = 64 channels has a bias, too",
        1088: "a patch has 4·4·3 numbers: the colours belong to it",
        1024: "a patch has 4·4·3 numbers, and there is a bias",
        7168: "the patches share one E: it is counted once, and not for each token",
        200704: "all 64 patches share one E and b: count them once",
        196608: "all 64 patches share one E: count it once; and the bias is missing",
        3120: "the bias has a number for each of the 64 channels, not for each of 48",
        3073: "the bias has 64 numbers, one for each channel",
    }
    require(weights == 3136, f"the weights: {hints.get(weights, 'E is (4·4·3, 64), b has 64')}")


@exercise("07.2", solved="What was split, swapped and flattened comes back the same way.")
def together(answer):
    """Pictures from their patches."""
    for height, width, channels, p in [(6, 8, 1, 2), (6, 12, 3, 3), (8, 12, 2, 4)]:
        truth = np.arange(2.0 * height * width * channels)
        truth = truth.reshape(2, height, width, channels)
        patches, rows, columns = to_patches(truth, p), height // p, width // p
        given = call(answer, patches.copy(), height, width, p)
        got = array(given, truth.shape, "pictures, with rows, columns and channels: ")
        split = patches.reshape(2, rows, columns, p, p, channels)
        too_early = patches.reshape(2, rows, p, columns, p, channels)
        of_columns = patches.reshape(2, columns, rows, p, p, channels)
        of_channels = patches.reshape(2, rows, columns, channels, p, p)
        refuse(
            got,
            [
                (
                    [patches.reshape(truth.shape)],
                    "a reshape alone lays the patches' numbers one after the other: the top "
                    "row of pixels would be patch 0. Swap axes between two reshapes",
                ),
                (
                    [too_early.swapaxes(2, 3).reshape(truth.shape)],
                    "first the axes as they lie in memory: rows of patches, columns of "
                    "patches, then the patch's own p, p, c; only then the swap",
                ),
                (
                    [of_columns.transpose(0, 2, 3, 1, 4, 5).reshape(truth.shape)],
                    "patch 1 lies to the right of patch 0, not below: patches come row by row",
                ),
                (
                    [split.transpose(0, 1, 4, 2, 3, 5).reshape(truth.shape)],
                    "each patch lies on its side: its own rows belong to the picture's height",
                ),
                (
                    [of_channels.transpose(0, 1, 4, 2, 5, 3).reshape(truth.shape)]
                    if channels > 1
                    else [],
                    "within a patch the order is row, column, channel: the channels come last",
                ),
                (
                    [split.swapaxes(1, 2).reshape(truth.shape)],
                    "the wrong two axes: the row within a patch has to come right behind the "
                    "row of patches",
                ),
            ],
        )
        require(close(got, truth), "the pictures that were cut: compare with from_patches")


B16 = {"patch": 16, "embed_dim": 768, "mlp_dim": 3072, "num_layers": 12, "classes": 1000}


@exercise(
    "07.3",
    solved="Of 86,859,496 weights one row alone, the positions, knows the size of the picture.",
)
def weights_of_b16(answer):
    """B/16 at 384×384."""
    got = number(answer)
    count = parameters(384, 3, **B16)
    truth, C = sum(count.values()), B16["embed_dim"]
    small = sum(parameters(224, 3, **B16).values())
    heads = 12 * 12 * 4 * (64 * 64 + 64)
    one_block = (count["attention"] + count["feed-forward"]) // 12 + 4 * C
    mistakes = {
        small: "that is B/16 at 224×224: at 384×384 there are more positions",
        truth - C: "768 short: the class token, or its position, is missing",
        truth - 2 * C: "1,536 short: class token and its position, or the last norm",
        truth - 3 * C: "2,304 short: class token, its position, the last norm: two are missing "
        "at least",
        small - C: "at 224×224, and 768 short: the class token, or its position",
        truth - count["head"]: "the head is missing: 768 to 1,000 classes, and their biases",
        truth - 1000: "1,000 short: the head's biases",
        truth - C * 1000: "the head has a matrix, too: 768·1,000",
        truth - count["positions"]: "the table of positions is missing",
        truth - 12 * 4 * C: "12·4·768 short: the attention's biases, or each block's two norms",
        truth
        - 12 * 2 * C: "12·2·768 short: a block has two norms with a gain and a shift each",
        truth - 12 * (3072 + C): "the feed-forward networks' biases are missing",
        truth - 12 * C * C: "attention has four matrices: query, key, value, and the output",
        truth
        - count["attention"]
        + heads: "all 12 heads together are 768 wide: count 4·C² once",
        truth - 16 * 16 * 2 * C: "a patch has 16·16·3 numbers: the colours belong to it",
        truth - 11 * one_block: "that is one block: there are 12",
    }
    for wrong, explanation in mistakes.items():
        require(got != wrong, explanation)
    gap = f"{abs(got - truth):,.0f} too {'many' if got > truth else 'few'}"
    require(
        got == truth,
        f"{gap}: projection, class token, 577 positions, 12 blocks (attention, feed-forward, "
        "two norms), a last norm, the head",
    )
