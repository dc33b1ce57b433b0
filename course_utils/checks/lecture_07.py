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


@exercise(
    "07.2", solved="Split both sides, swap the inner axes, flatten: the swap is the point."
)
def cut(answer):
    """Patches, row by row, each in the order row, column, channel."""
    for height, width, channels, p in [(4, 6, 1, 2), (6, 9, 3, 3), (8, 12, 2, 4)]:
        images = np.arange(2.0 * height * width * channels)
        images = images.reshape(2, height, width, channels)
        truth = to_patches(images, p)
        got = array(call(answer, images.copy(), p), truth.shape, "a row a patch: ")
        batch, tokens, numbers = truth.shape
        split = images.reshape(2, height // p, p, width // p, p, channels)
        by_columns = split.transpose(0, 3, 1, 2, 4, 5).reshape(truth.shape)
        refuse(
            got,
            [
                (
                    [images.reshape(truth.shape)],
                    "a direct reshape gives stripes: patch 0 holds only pixels of the top row; "
                    "split both sides first",
                ),
                (
                    [split.reshape(truth.shape)],
                    "both sides are split, but no axes swapped: these are stripes still",
                ),
                (
                    [by_columns],
                    "the patches come column by column: patch 1 should lie to the right of "
                    "patch 0",
                ),
                (
                    [split.transpose(0, 1, 3, 4, 2, 5).reshape(truth.shape)],
                    "each patch lies on its side: within it rows come first, then columns",
                ),
                (
                    [split.transpose(0, 1, 3, 5, 2, 4).reshape(truth.shape)]
                    if channels > 1
                    else [],
                    "within a patch the order is row, column, channel: the channels come last",
                ),
                (
                    [split.transpose(0, 2, 4, 1, 3, 5).reshape(batch, tokens, numbers)],
                    "these are pixels of the same place in all patches: the grid's two axes "
                    "come first",
                ),
            ],
        )
        require(close(got, truth), "the squares of p·p pixels, row by row")


B16 = {"patch": 16, "dim": 768, "hidden": 3072, "blocks": 12, "classes": 1000}


@exercise(
    "07.3",
    solved="Of 86,859,496 weights one row alone, the positions, knows the size of the picture.",
)
def weights_of_b16(answer):
    """B/16 at 384×384."""
    got = number(answer)
    count = parameters(384, 3, **B16)
    truth, C = sum(count.values()), B16["dim"]
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
