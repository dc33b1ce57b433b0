"""Lecture 8's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_08
from lectures.exam_questions import (
    DrawAgain,
    Question,
    matrix,
    num,
    offer,
    question,
    row,
    tenths,
    whole,
)


@question(points=6)
def two_blocks(draw):
    side, width = whole(draw, 4, 16), whole(draw, 16, 256, 8)
    tokens_inner, channels_inner = whole(draw, 12, 256, 4), whole(draw, 48, 1_024, 16)
    widened = whole(draw, 48, 1_024, 16)
    S = side**2
    mixer = lecture_08.mixer_block_parameters(S, width, tokens_inner, channels_inner)
    gmlp = lecture_08.gmlp_block_parameters(S, width, widened)
    half = widened // 2
    asked = rf"""Count the parameters, biases and norms included, of (a) a Mixer block with $S =
    {S}$, $C = {width}$, $D_S = {tokens_inner}$, $D_C = {channels_inner}$; (b) a gMLP block with
    $S = {S}$, $C = {width}$, $D = {widened}$ and the split gate. (c) Which of the two grows
    faster for large $S$, and why?"""
    answer = rf"""(a) Token mixing $2 \cdot {S} \cdot {tokens_inner} + {tokens_inner} + {S} =
    {num(mixer["token mixing"])}$; channel mixing $2 \cdot {width} \cdot {channels_inner} +
    {channels_inner} + {width} = {num(mixer["channel mixing"])}$; norms $4 \cdot {width} =
    {num(mixer["norms"])}$; together ${num(sum(mixer.values()))}$ (2 points). (b) $U$: ${width}
    \cdot {widened} + {widened} = {num(width * widened + widened)}$; gate: ${S}^2 + {S} =
    {num(S * S + S)}$ and its norm on {half} channels ${widened}$; $V$: ${half} \cdot {width} +
    {width} = {num(half * width + width)}$; block norm ${2 * width}$; together ${num(gmlp)}$ (3
    points; 1 off for forgetting that the split halves $V$ and the gate's norm). (c) gMLP:
    $S^2$, against $S$ times the fixed $2D_S + 1$ in a Mixer (1 point)."""
    given = {
        "S": S,
        "width": width,
        "tokens_inner": tokens_inner,
        "channels_inner": channels_inner,
        "widened": widened,
    }
    return Question(asked, answer, given, (sum(mixer.values()), gmlp))


@question(points=6)
def split_gate(draw):
    first, second = ([whole(draw, -3, 4, count=2) for _ in range(3)] for _ in range(2))
    W, b = [tenths(draw, -1, 2, 0.5, 3) for _ in range(3)], whole(draw, -1, 2, count=3)
    if any(a == c for a, c in second) or sum(value == 0 for one in W for value in one) not in (
        2,
        3,
        4,
    ):
        raise DrawAgain
    normed = lecture_08.norm(np.array(second, float))
    mixed = np.array(W) @ normed + np.array(b)[:, None]
    z = np.concatenate([first, second], axis=1).astype(float)
    settings = (np.ones(2), np.zeros(2), 0), np.array(W), np.array(b)
    output = lecture_08.spatial_gating_unit(z, *settings)
    readers = ", ".join(str(1 + j) for j in range(3) if j == 0 or W[0][j])
    asked = rf"""Three tokens have the halves $Z_1 = {matrix(first)}$ and $Z_2 =
    {matrix(second)}$. A split gate has $W = {matrix(W)}$, $b = {row(b)}$, and a LayerNorm with
    gain 1, shift 0 and $\epsilon = 0$. (a) Compute its output. (b) Which tokens of its input
    can change the first token of the output? (c) What would the output be with $W = 0$ and $b =
    1$?"""
    answer = rf"""(a) Each row of $Z_2$ has two channels, so its norm is 1 for the larger and −1
    for the smaller: $\text{{LN}}(Z_2) = {matrix(normed)}$ (1 point). $W\,\text{{LN}}(Z_2) + b =
    {matrix(mixed)}$ (2 points; $b$ is added to a whole row), output ${matrix(output)}$ (1
    point). (b) Of the tokens counted from 1: {readers}. The first one acts through $Z_1$,
    each of them through $Z_2$ where the first row of $W$ is not 0 (1 point). (c)
    $Z_1$ itself (1 point)."""
    given = {"first": first, "second": second, "W": W, "b": b}
    return Question(asked, answer, given, (*output.ravel(), readers))


@question(points=5)
def costs_of_mixing(draw):
    width, tokens_inner, widened = (
        whole(draw, 32, 256, 8),
        whole(draw, 32, 512, 8),
        whole(draw, 64, 1_024, 16),
    )
    sides = [whole(draw, 4, 9), whole(draw, 10, 20)]
    counts = []
    for side in sides:
        S = side**2
        counts.append(
            (
                2 * S * S * width,
                4 * S * width**2,
                2 * S * tokens_inner * width,
                S * S * widened // 2,
            )
        )
    thousands = [[round(one / 1_000, 3) for one in line] for line in counts]
    ratio = (sides[1] / sides[0]) ** 2
    asked = rf"""Tokens have $C = {width}$ channels; token mixing in a Mixer has the inner width
    $D_S = {tokens_inner}$, a gMLP block the inner width $D = {widened}$. Give the
    multiplications of one layer, in thousands, for $S = {sides[0] ** 2}$ and $S =
    {sides[1] ** 2}$: (a) attention, token pairs and matrices Q, K, V, O separately; (b) token
    mixing; (c) the product with $W$ in a split gate. (d) By which factors do they grow?"""
    answer = rf"""(a) Pairs $2S^2C$: ${num(thousands[0][0])}$ and ${num(thousands[1][0])}$;
    matrices $4SC^2$: ${num(thousands[0][1])}$ and ${num(thousands[1][1])}$ (2 points). (b)
    $2SD_SC$: ${num(thousands[0][2])}$ and ${num(thousands[1][2])}$ (1 point). (c) $S^2 D/2$:
    ${num(thousands[0][3])}$ and ${num(thousands[1][3])}$ (1 point). (d) Pairs and $W$ by
    ${num(ratio**2)}$, the two others by ${num(ratio)}$ (1 point)."""
    given = {"width": width, "tokens_inner": tokens_inner, "widened": widened, "sides": sides}
    return Question(asked, answer, given, (*thousands[0], *thousands[1], ratio**2, ratio))


@question(points=5)
def order_of_parts(draw):
    neither, a, b = (
        tenths(draw, 50, 70, 0.5),
        tenths(draw, 4, 25, 0.5),
        tenths(draw, 4, 25, 0.5),
    )
    lost = tenths(draw, 2, 20, 0.5)
    both = neither + a + b - lost
    if lost > min(a, b) or both > 97 or abs(a - b) < 1:
        raise DrawAgain
    rows = [neither, neither + a, neither + b, both]
    last = [both - rows[2], both - rows[1]]
    asked = rf"""A network has two optional parts A and B. Test accuracies: neither {rows[0]} %,
    A alone {rows[1]} %, B alone {rows[2]} %, both {rows[3]} %. (a) Give the contribution of A
    when it is added first and when it is added last, and the same of B. (b) What would a paper
    claim about A and B that shows only the rows neither, A, both? (c) By how many
    points do both together gain less than the two alone in sum, and what does that mean?"""
    answer = rf"""(a) A: ${num(a)}$ first, ${num(last[0])}$ last (1 point); B: ${num(b)}$ first,
    ${num(last[1])}$ last (1 point). (b) A brings ${num(a)}$ points and B only ${num(last[1])}$
    (1 point). (c) By ${num(lost)}$ points (1 point): in part, either one can replace the other
    (1 point)."""
    given = {"neither": neither, "alone": rows[1:3], "both": both}
    return Question(asked, answer, given, (a, last[0], b, last[1], lost))


@question(points=5)
def paired_errors(draw):
    images, shared = whole(draw, 300, 2_000, 20), whole(draw, 5, 60)
    only = whole(draw, 4, 40, count=2)
    if only[1] - only[0] < 5 or shared + only[1] > images // 4:
        raise DrawAgain
    wrong = [shared + one for one in only]
    accuracies = [1 - one / images for one in wrong]
    gap = accuracies[0] - accuracies[1]
    error = sum(p * (1 - p) / images for p in accuracies) ** 0.5
    paired = (only[1] - only[0]) / sum(only) ** 0.5
    if paired < 1.1 * gap / error:  # hardly a difference to explain
        raise DrawAgain
    asked = rf"""Two networks read the same {images:,} test images. A is wrong on {wrong[0]}, B
    on {wrong[1]}, both on {shared}. (a) Give the accuracies. (b) Compute the standard error of
    their difference as if the two test sets were independent; how many standard errors are they
    apart? (c) Give the numbers of images on which only A, or only B, is wrong; the standard
    error of the difference of these two numbers is about the square root of their sum. How many
    standard errors is that? (d) Explain the difference."""
    answer = rf"""(a) ${num(accuracies[0])}$ and ${num(accuracies[1])}$ (1 point). (b)
    ${num(error)}$ (1 point), so ${num(gap / error)}$ (1 point). (c) ${only[0]}$ and
    ${only[1]}$; difference ${only[1] - only[0]}$, error $\sqrt{{{sum(only)}}}$: ${num(paired)}$
    (1 point). (d) The {shared} images that are hard for both add noise to each accuracy but not
    to the difference (1 point)."""
    given = {"images": images, "wrong": wrong, "shared": shared}
    return Question(asked, answer, given, (*accuracies, error, gap / error, *only, paired))


@question(points=4)
def weights_of_a_gmlp(draw):
    patch, side = whole(draw, 4, 16, 2), whole(draw, 4, 16)
    width, widened, blocks = (
        whole(draw, 32, 256, 8),
        whole(draw, 64, 1_024, 16),
        whole(draw, 2, 30),
    )
    count = lecture_08.gmlp_block_parameters
    small, large = (blocks * count(tokens, width, widened) for tokens in (side**2, 4 * side**2))
    S, half = 4 * side**2, widened // 2
    asked = f"""A gMLP has {blocks} blocks with $C = {width}$, $D = {widened}$ and split gates,
    and reads images of {side * patch}×{side * patch} pixels in patches of {patch}×{patch}. It
    is built again for images of twice the side, with patches of the same size. How many
    parameters do its blocks have then, with biases and norms?"""
    answer = rf"""$S = {side**2}$ before and ${S}$ after (1 point). A block has two norms with
    ${2 * width}$ and ${widened}$, $U$ with ${width} \cdot {widened} + {widened} =
    {num(width * widened + widened)}$, a gate with ${S}^2 + {S} = {num(S * S + S)}$ and $V$ with
    ${half} \cdot {width} + {width} = {num(half * width + width)}$ (2 points). Times {blocks}:
    ${num(large)}$ (1 point)."""
    mistakes = [
        (small, "this is the number before"),
        (blocks * count(S, width, widened, gate="multiplicative"), "the split was forgotten"),
        (2 * small, "the blocks were taken to grow with the side"),
        (4 * small, "all parameters were taken to grow with the tokens"),
        (
            blocks * count(2 * side**2, width, widened),
            "the tokens were doubled, not quadrupled",
        ),
    ]
    given = {"side": side, "blocks": blocks, "patch": patch, "width": width, "widened": widened}
    return offer(draw, Question(asked, answer, given, (large,)), mistakes)
