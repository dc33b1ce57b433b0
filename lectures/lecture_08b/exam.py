"""Lab 8b's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_08b
from lectures.exam_questions import (
    DrawAgain,
    Question,
    frac,
    listed,
    matrix,
    num,
    offer,
    products,
    question,
    row,
    tenths,
    whole,
)
from lectures.lecture_08 import gmlp_block_parameters


@question(points=6)
def three_gates(draw):
    S, width, widened = (
        whole(draw, 32, 256, 8),
        whole(draw, 24, 256, 8),
        whole(draw, 64, 768, 16),
    )
    head = whole(draw, 8, 64, 8)
    half = widened // 2
    free = gmlp_block_parameters(S, width, widened)
    bound = gmlp_block_parameters(S, width, widened, toeplitz=True)
    added = gmlp_block_parameters(S, width, widened, tiny_attention=head) - free
    asked = rf"""A gMLP block has $S = {S}$, $C = {width}$, $D = {widened}$ and the split gate.
    Count its parameters with biases and norms (a) with a free $W$, (b) with a Toeplitz $W$. (c)
    How many are added by tiny attention with $d_k = {head}$? (d) Which share of the block's
    parameters does the Toeplitz $W$ save?"""
    answer = rf"""(a) Block norm ${2 * width}$; $U$: ${width} \cdot {widened} + {widened} =
    {num(width * widened + widened)}$; gate: norm ${widened}$, $W$ ${num(S * S)}$, $b$ ${S}$;
    $V$: ${half} \cdot {width} + {width} = {num(half * width + width)}$; sum ${num(free)}$ (2
    points). (b) ${2 * S - 1}$ weights instead of ${num(S * S)}$: ${num(bound)}$ (1 point). (c)
    $QKV$: ${width} \cdot {3 * head} + {3 * head}$; output ${head} \cdot {half} + {half}$; sum
    ${num(added)}$ (2 points). (d) ${num((free - bound) / free)}$ (1 point)."""
    given = {"S": S, "width": width, "widened": widened, "head": head}
    return Question(asked, answer, given, (free, bound, added, (free - bound) / free))


@question(points=5)
def toeplitz_by_hand(draw):
    t, z = whole(draw, -2, 4, count=7), whole(draw, -2, 3, count=4)
    if len(set(t)) < 4 or z.count(0) > 2 or not any(t[:3]):
        raise DrawAgain
    W = lecture_08b.toeplitz(np.array(t))
    free, causal = W @ z, np.tril(W) @ z
    asked = rf"""$S = 4$ and $t = {row(t)}$ with $W_{{ij}} = t_{{i-j+3}}$, all indices counted
    from 0. (a) Write $W$. (b) Compute $Wz$ for $z = {row(z)}$. (c) Compute the product of the
    causal $W$ with $z$. (d) Which weights of $t$ does the causal model use?"""
    answer = rf"""(a) ${matrix(W)}$ (2 points). (b) ${row(free)}$ (1 point). (c) What stands
    above the diagonal counts as 0: ${row(causal)}$ (1 point). (d) $t_3$ to $t_6$, the distances
    0 to 3 (1 point)."""
    given = {"t": t, "z": z}
    return Question(asked, answer, given, (*free, *causal))


@question(points=5)
def perplexities(draw):
    powers, gap = whole(draw, 1, 6, count=4), tenths(draw, 0.02, 0.6, 0.01)
    tokens, length = whole(draw, 12, 300), tenths(draw, 2, 5, 0.1)
    if sum(powers) % 2 or len(set(powers)) < 2:
        raise DrawAgain
    loss = sum(powers) / 4 * np.log(2)
    value, per_character = float(np.exp(loss)), tokens ** (1 / length)
    shown = listed(frac(1, 2**power) for power in powers)
    asked = rf"""(a) A causal model of characters gives four true characters probabilities of
    ${shown}$. Give loss and perplexity. (b) A second one has a loss smaller by {gap}. What is
    its perplexity? (c) A causal model of subword tokens of {length} characters each, on
    average, has the perplexity {tokens} per token. What is that per character? (d) Which of the
    three models predicts a text best, if these are their mean losses on it?"""
    best = ["the first", "the second", "the third"][
        int(np.argmin([value, value * np.exp(-gap), per_character]))
    ]
    answer = rf"""(a) $\frac{{{sum(powers)}}}{{4}} \ln 2 = {num(loss)}$ (1 point); perplexity
    $2^{{{sum(powers)}/4}} = {num(value)}$ (1 point). (b) Smaller by the factor $e^{{{gap}}}$:
    ${num(value * np.exp(-gap))}$ (1 point). (c) The loss is spread over the characters:
    ${tokens}^{{1/{length}}} = {num(per_character)}$ (1 point). (d) The best is {best}, by the
    perplexity per character (1 point)."""
    given = {"powers": powers, "gap": gap, "tokens": tokens, "length": length}
    return Question(
        asked, answer, given, (loss, value, value * np.exp(-gap), per_character, best)
    )


@question(points=5)
def gate_with_pads(draw):
    W, z = [tenths(draw, -1, 3, 0.5, 4) for _ in range(4)], whole(draw, -3, 4, count=4)
    passed, b = whole(draw, -2, 4, count=4), whole(draw, -1, 2)
    weights = np.array(W)
    free, masked = weights @ z + b, weights[:, :3] @ z[:3] + b
    if not z[3] or any(free[:3] == masked[:3]) or 0 in passed[:3] or len(set(z)) < 3:
        raise DrawAgain
    output = masked[:3] * passed[:3]
    asked = rf"""$W = {matrix(W)}$ and every $b$ is {b}; one channel of $\text{{LN}}(Z_2)$ is
    ${row(z)}$, the same channel of $Z_1$ is ${row(passed)}$, and the fourth token is a pad. (a)
    Compute $W\,\text{{LN}}(Z_2) + b$ of the three real tokens without a mask and with one. (b)
    Give the output of the split gate for the three real tokens, with the mask. (c) How does one
    test that pads change nothing?""".replace("is -1;", "is −1;")
    answer = rf"""(a) Without: ${row(free[:3])}$ (1 point); with the pad read as 0:
    ${row(masked[:3])}$ (2 points). (b) ${row(output)}$ (1 point). (c) Put other content into
    the pads and compare the states of the real tokens: no difference (1 point)."""
    given = {"W": W, "z": z, "passed": passed, "b": b}
    return Question(asked, answer, given, (*free[:3], *masked[:3], *output))


@question(points=5)
def equal_weights(draw):
    width, widened, S = whole(draw, 16, 512, 8), whole(draw, 64, 1_024, 4), whole(draw, 12, 200)
    bias = tenths(draw, 1, 5, 0.5)
    split, matched = width * widened + widened * width // 2, 3 * widened // 4
    bound, passing = (3 / S) ** 0.5, 1 / (1 + np.exp(-bias))
    asked = rf"""(a) A split gate with $D = {widened}$, $C = {width}$ is compared with a
    multiplicative gate at equal numbers of weights in $U$ and $V$. How many are these, and
    which $D'$ does the latter get? (b) A linear gate for $S = {S}$ is started uniformly in
    $[-r, r]$. Determine $r$ so that the output has the variance of its normalised input. (c) A
    gate $Z_1 \odot s\big(f(Z_2)\big)$ with the logistic function $s$ starts with $W$ near 0 and
    $b = {num(bias)}$. Which share of $Z_1$ passes, and which disadvantage has a still larger
    $b$?"""
    answer = rf"""(a) $CD + \frac{{D}}{{2}} C = 1.5\,CD = {num(split)}$ (1 point); the other
    gate has $2CD'$, so $D' = 0.75\,D = {num(matched)}$ (1 point). (b) A sum of $S$ independent
    terms needs $\text{{Var}}(W_{{ij}}) = 1/S$; uniform: $r^2/3 = 1/{S}$, so $r = {num(bound)}$
    (1 point). (c) ${num(passing)}$ (1 point); the derivative $s(1 - s)$ is almost 0, so $W$ and
    $b$ learn slowly (1 point)."""
    given = {"width": width, "widened": widened, "S": S, "bias": bias}
    return Question(asked, answer, given, (split, matched, bound, passing))


@question(points=4)
def averaged_diagonals(draw):
    W = [whole(draw, -3, 6, count=3) for _ in range(3)]
    means = lecture_08b.diagonal_means(np.array(W, float))
    z = whole(draw, 1, 4, count=3)
    right = float((lecture_08b.toeplitz(means) @ z)[0])
    mistakes = [
        (float((np.array(W) @ z)[0]), "$W$ was used as it is"),
        (
            float((lecture_08b.toeplitz(means[::-1]) @ z)[0]),
            "the distances have the wrong sign",
        ),
        (float((lecture_08b.toeplitz(means) @ z)[2]), "this is the third number"),
        (float((np.tril(lecture_08b.toeplitz(means)) @ z)[0]), "a causal matrix was taken"),
        (float(np.mean(W) * sum(z)), "one mean for all entries"),
    ]
    asked = rf"""A free $W = {matrix(W)}$ is made a Toeplitz matrix: every entry is replaced by
    the mean of its diagonal. What is the first number of the new matrix times $z =
    {row(z)}$?"""
    answer = rf"""The means of the diagonals that begin in the first row are ${num(means[2])}$,
    ${num(means[1])}$ and ${num(means[0])}$ (2 points). ${products(means[2::-1], z)} =
    {num(right)}$ (2 points)."""
    given = {"W": W, "z": z}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)
