"""The results of lecture 7's drawn exam questions, computed a second time."""

import math


def vit_sizes(side, channels, patch, width, inner, blocks, classes):
    def dense(inputs, outputs):
        return (inputs + 1) * outputs

    tokens = 1 + (side // patch) * (side // patch)
    block = 4 * dense(width, width) + dense(width, inner) + dense(inner, width) + 2 * 2 * width
    projection = dense(patch * patch * channels, width)
    whole = projection + width + tokens * width + blocks * block + 2 * width
    return projection, tokens * width, whole + dense(width, classes)


def multiplications_of_a_vit(side, patch, width, inner, blocks):
    tokens = 1 + (side // patch) ** 2

    def product(a, b, c):
        return blocks * a * b * c / 1e6

    parts = [
        4 * product(tokens, width, width),
        product(tokens, width, tokens) + product(tokens, tokens, width),
        product(tokens, width, inner) + product(tokens, inner, width),
    ]
    return tokens, *(round(one, 3) for one in parts), 2 * width + inner


def rollout_of_two_blocks(first, second):
    # One path after another: half of the weight of a token stays where it is.
    found = [0.0] * 3
    for middle in range(3):
        upper = (second[middle] + (middle == 0)) / 2
        for end in range(3):
            found[end] += upper * (first[middle][end] + (middle == end)) / 2
    ahead = "a" if found[1] > found[2] else "b"
    return *found, ahead, "a" if second[1] > second[2] else "b"


def cut_with_overlap(patch, stride, height, width, channels, filters):
    starts = [range(0, side - patch + 1, stride) for side in (height, width)]
    left = [side - patch - one[-1] for side, one in zip((height, width), starts, strict=True)]
    rows, columns = map(len, starts)
    return rows, columns, rows * columns, *left, (patch * patch * channels + 1) * filters


def another_resolution(old, new, width, patch):
    tokens = [1 + ((grid * patch) // patch) ** 2 for grid in (old, new)]
    ratio = math.exp(math.log(tokens[1]) - math.log(tokens[0]))
    return *tokens, width * (new + old) * (new - old), ratio, ratio * ratio


def trained_head(width, inner, new):
    return (width * inner + inner + inner * new + new,)
