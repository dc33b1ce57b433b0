"""Lecture 7's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_07
from lectures.exam_questions import (
    DrawAgain,
    Question,
    matrix,
    num,
    offer,
    one_of,
    question,
    row,
    shares,
    whole,
)


@question(points=6)
def vit_sizes(draw):
    patch, grid, channels = (
        one_of(draw, [4, 8, 14, 16]),
        whole(draw, 3, 16),
        one_of(draw, [1, 3]),
    )
    width, inner = whole(draw, 32, 512, 16), whole(draw, 64, 2_048, 32)
    blocks, classes = whole(draw, 2, 16), whole(draw, 3, 200)
    side = patch * grid
    parts = lecture_07.vit_parameters(side, channels, patch, width, inner, blocks, classes)
    whole_model = sum(parts.values())
    attention, feed = (parts[name] // blocks for name in ("attention", "feed-forward"))
    asked = rf"""A ViT has images of {side}×{side} pixels with {channels}
    channel{"s" * (channels > 1)}, patches of {patch}×{patch}, a class token, learned positions,
    $C = {width}$ channels, a feed-forward network of inner width $M = {inner}$, $L = {blocks}$
    blocks with two LayerNorms each, a final LayerNorm, and a head for {classes} classes. All
    projections have biases. Count its parameters, part by part."""
    answer = rf"""$S = {grid}^2 = {grid**2}$ (1 point). Projection: ${patch * patch * channels}
    \cdot {width} + {width} = {num(parts["projection"])}$; class token ${width}$; positions
    $({grid**2} + 1) \cdot {width} = {num(parts["positions"])}$ (2 points; 1 if the class token
    has no position). A block: attention $4\,({width}^2 + {width}) = {num(attention)}$,
    feed-forward $2 \cdot {width} \cdot {num(inner)} + {num(inner)} + {width} = {num(feed)}$,
    norms $4 \cdot {width} = {num(4 * width)}$, times {blocks}:
    ${num(blocks * (attention + feed + 4 * width))}$ (2 points). Final norm ${num(2 * width)}$,
    head ${width} \cdot {classes} + {classes} = {num(parts["head"])}$. Sum: ${num(whole_model)}$
    (1 point)."""
    given = {
        "side": side,
        "channels": channels,
        "patch": patch,
        "width": width,
        "inner": inner,
        "blocks": blocks,
        "classes": classes,
    }
    return Question(
        asked, answer, given, (parts["projection"], parts["positions"], whole_model)
    )


@question(points=6)
def multiplications_of_a_vit(draw):
    patch, grid = one_of(draw, [4, 8, 14, 16]), whole(draw, 4, 20)
    width, inner, blocks = (
        whole(draw, 32, 512, 16),
        whole(draw, 64, 2_048, 32),
        whole(draw, 2, 12),
    )
    side = patch * grid
    tokens = grid**2 + 1
    found = lecture_07.multiplications(side, 3, patch, width, inner, blocks, 10)
    names = ("attention matrices", "token pairs", "feed-forward")
    millions = [round(found[name] / 1e6, 3) for name in names]
    asked = rf"""A ViT with a class token reads images of {side}×{side} pixels in patches of
    {patch}×{patch}; it has $L = {blocks}$ blocks, $C = {width}$ channels and a feed-forward
    network of inner width $M = {inner}$. (a) How many tokens has a block? (b) Count the
    multiplications inside matrix products of all blocks, in millions, separately for the
    matrices Q, K, V, O, for the token pairs, and for the feed-forward network. (c) From which
    number of tokens on do the pairs cost more than everything else? Derive the condition."""
    answer = rf"""(a) $T = {grid}^2 + 1 = {tokens}$ (1 point). (b) $4TC^2L$:
    ${num(millions[0])}$ (1 point); $2T^2CL$: ${num(millions[1])}$ (1 point); $2TCML$:
    ${num(millions[2])}$ (1 point). (c) $2T^2C > 4TC^2 + 2TCM$; division by $2TC$ gives $T > 2C
    + M = {num(2 * width + inner)}$ (2 points)."""
    given = {"side": side, "patch": patch, "width": width, "inner": inner, "blocks": blocks}
    return Question(asked, answer, given, (tokens, *millions, 2 * width + inner))


@question(points=5)
def rollout_of_two_blocks(draw):
    first = [shares(draw, 3, 10) for _ in range(3)]
    second = shares(draw, 3, 10)
    weights = [np.array([[first]]), np.array([[[second, [0, 1, 0], [0, 0, 1]]]])]
    found = lecture_07.rollout(weights)[0]
    halved = (np.array(first) + np.eye(3)) / 2
    top = (np.array(second) + [1, 0, 0]) / 2
    if abs(found[1] - found[2]) < 0.02 or (found[1] - found[2]) * (second[1] - second[2]) >= 0:
        raise DrawAgain
    ahead, last = ("ab"[int(one[1] < one[2])] for one in (found, second))
    asked = rf"""There are a class token and two patches $a$, $b$, in this order. The head
    averages are $\overline{{A_1}} = {matrix(first)}$, and the first row of $\overline{{A_2}}$
    is ${row(second)}$. Compute the first row of the rollout. Compare it with the attention of
    the last block and explain the difference."""
    answer = rf"""$B_1 = {matrix(halved)}$ (1 point); first row of $B_2$: ${row(top)}$ (1
    point). Product: ${row(found)}$ (2 points). The last block attends more to position
    ${last}$ than to ${ahead}$, but after the first block every position holds a mixture of all
    three tokens, and in sum more of ${ahead}$ arrives than of ${last}$ (1 point)."""
    given = {"first": first, "second": second}
    return Question(asked, answer, given, (*found, ahead, last))


@question(points=5)
def cut_with_overlap(draw):
    patch, stride = whole(draw, 4, 16, 2), whole(draw, 3, 16)
    height, width = whole(draw, 40, 260), whole(draw, 40, 260)
    channels, filters = one_of(draw, [1, 3]), whole(draw, 32, 512, 16)
    if stride > patch or height == width:
        raise DrawAgain
    rows, columns = ((side - patch) // stride + 1 for side in (height, width))
    left = [
        side - (count - 1) * stride - patch
        for side, count in ((height, rows), (width, columns))
    ]
    parameters = patch * patch * channels * filters + filters
    if not any(left):
        raise DrawAgain
    asked = rf"""`Conv2D({filters}, {patch}, strides={stride})` without padding turns images of
    {height}×{width} pixels with {channels} channel{"s" * (channels > 1)} into tokens. (a) Give
    the numbers of rows, of columns and of tokens. (b) How many rows of pixels at the lower edge
    and columns at the right edge does no token see? (c) Give the parameters of the layer. (d)
    When is it the same function as "cut, flatten, multiply by $E$, add $b$" with patches that
    do not overlap?"""
    answer = rf"""(a) $\lfloor ({height} - {patch}) / {stride} \rfloor + 1 = {rows}$ and
    $\lfloor ({width} - {patch}) / {stride} \rfloor + 1 = {columns}$, so ${num(rows * columns)}$
    tokens (2 points). (b) ${left[0]}$ and ${left[1]}$ (1 point). (c) ${patch}^2 \cdot
    {channels} \cdot {filters} + {filters} = {num(parameters)}$ (1 point). (d) If the stride
    equals the side of the patch (1 point)."""
    given = {
        "patch": patch,
        "stride": stride,
        "height": height,
        "width": width,
        "channels": channels,
        "filters": filters,
    }
    return Question(asked, answer, given, (rows, columns, rows * columns, *left, parameters))


@question(points=5)
def another_resolution(draw):
    patch, (old, new) = one_of(draw, [8, 14, 16, 32]), whole(draw, 6, 30, count=2)
    width = whole(draw, 64, 1_024, 4)
    if new <= old + 1:
        raise DrawAgain
    tokens = [grid**2 + 1 for grid in (old, new)]
    more = (tokens[1] - tokens[0]) * width
    growth = tokens[1] / tokens[0]
    asked = rf"""A ViT with a class token, patches of {patch}×{patch} and $C = {width}$ was
    trained on images of {old * patch}×{old * patch} pixels and is fine-tuned at
    {new * patch}×{new * patch}. (a) Give the number of tokens of a block before and after. (b)
    How many parameters does the table of positions gain, and where do the new rows come from?
    (c) By which factor grow the products with the matrices Q, K, V, O, and by which the
    products of token pairs?"""
    answer = rf"""(a) ${num(tokens[0])}$ and ${num(tokens[1])}$ (1 point). (b)
    ${num(tokens[1] - tokens[0])} \cdot {width} = {num(more)}$ (1 point); the old ones are
    interpolated on the grid, the class token's row stays (1 point). (c) ${num(growth)}$ (1
    point), and its square, ${num(growth**2)}$ (1 point)."""
    given = {"old": old, "new": new, "width": width}
    given |= {"patch": patch}
    return Question(asked, answer, given, (*tokens, more, growth, growth**2))


@question(points=4)
def trained_head(draw):
    width, old, new = (
        whole(draw, 64, 1_024, 16),
        whole(draw, 20, 1_000, 10),
        whole(draw, 3, 120),
    )
    inner = whole(draw, 16, 256, 8)
    right = (width + 1) * inner + (inner + 1) * new
    asked = f"""A ViT with $C = {width}$ was pre-trained on {old} classes. Its blocks are
    frozen, its head is replaced by `Dense({inner}, activation="gelu")` and `Dense({new})` on
    the class token. How many parameters are trained?"""
    answer = rf"""Only the new layers learn (1 point): $({width} + 1) \cdot {inner} =
    {num((width + 1) * inner)}$ (1 point) and $({inner} + 1) \cdot {new} =
    {num((inner + 1) * new)}$ (1 point), together ${num(right)}$ (1 point)."""
    mistakes = [
        (width * inner + inner * new, "the biases were left out"),
        ((width + 1) * new, "the hidden layer was left out"),
        (right + (width + 1) * old, "the old head was kept"),
        ((width + 1) * inner + (inner + 1) * old, "the new head has the old classes"),
    ]
    given = {"width": width, "inner": inner, "new": new}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)
