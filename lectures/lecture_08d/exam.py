"""Lab 8d's exam questions with drawn numbers."""

import math
from itertools import accumulate

import numpy as np

from lectures.exam_questions import (
    DrawAgain,
    Question,
    factor,
    known,
    listed,
    num,
    one_of,
    question,
    row,
    signed,
    tenths,
    whole,
)
from lectures.lecture_03 import sigmoid
from lectures.lecture_08d import log_space_scan, recurrence_kernel
from lectures.lecture_08d.recurrences import combine


@question(points=5)
def kernel_and_state(draw):
    a, b = tenths(draw, 0.3, 0.95, 0.05), tenths(draw, 0.5, 5, 0.5)
    x, share = whole(draw, -4, 6, count=4), whole(draw, 1, 20)
    if x.count(0) > 1:
        raise DrawAgain
    kernel = recurrence_kernel(np.array([a]), np.array([b]), 4)[:, 0].tolist()
    state = float(np.dot(kernel, x[::-1]))
    exact = math.log(share / 100) / math.log(a)
    if abs(exact - round(exact)) < 0.02:
        raise DrawAgain
    late = math.ceil(exact)
    terms = " + ".join(
        rf"{factor(weight)} \cdot {factor(one)}"
        for weight, one in zip(kernel, x[::-1], strict=True)
    )
    asked = rf"""One channel has the linear recurrence $h_t = {num(a)}\,h_{{t-1}} + {num(b)}\,
    x_t$ with $h_{{-1}} = 0$. (a) Write the first four numbers of the kernel with which a causal
    convolution computes the same states. (b) Compute $h_3$ for the inputs $(x_0, \ldots, x_3) =
    {row(x)}$ by it. (c) From how many steps back on does an input count less than {share} % of
    what the newest one counts? (d) Which four numbers stand in the last row of
    the matrix $(4, 4)$ that computes $h_0$ to $h_3$, from left to right?"""
    answer = rf"""(a) Number $k$ is $b\,a^k$: ${row(kernel)}$ (1 point). (b) The newest input
    meets the first number: ${terms} = {num(state)}$ (2 points). (c) ${num(a)}^k < {
        share / 100
    }$ needs $k > {num(exact)}$, so from {late} steps back on (1 point). (d) The kernel from its
    end: ${row(kernel[::-1])}$ (1 point)."""
    given = {"a": a, "b": b, "x": x, "share": share}
    return Question(asked, answer, given, (*kernel, state, late))


@question(points=6)
def combined_in_both_orders(draw):
    a, b = tenths(draw, 0.1, 0.9, 0.1, 3), whole(draw, -5, 5, count=3)
    start = whole(draw, -4, 4)
    if len(set(a)) < 3 or not all(b) or not start:
        raise DrawAgain
    one, two, three = zip(a, b, strict=True)
    left, right = combine(one, two), combine(two, three)
    all_three, hidden = combine(left, three), combine(one, three)
    state, masked = all_three[0] * start + all_three[1], hidden[0] * start + hidden[1]
    asked = rf"""Three steps $h \mapsto a h + b$ follow one another; as pairs $(a, b)$ they are
    first ${row(one)}$, then ${row(two)}$, then ${row(three)}$. (a) Combine the first two
    into one pair, and this pair with the third step. (b) Combine the last two first, and the
    first step with this pair. (c) Which property of the operation do the two results show, and
    what does a scan need it for? (d) Compute the state after the three steps from $h =
    {num(start)}$. (e) A mask hides the second step. Which pair does it become, and what is the
    state now?"""
    answer = rf"""(a) $(a_2 a_1,\ a_2 b_1 + b_2) = {row(left)}$ (1 point); with the third:
    ${row(all_three)}$ (1 point). (b) ${row(right)}$, and with the first again
    ${row(all_three)}$ (1 point). (c) It is associative: neighbours may be combined in any
    grouping, and so in parallel (1 point). (d) ${num(all_three[0])} \cdot {factor(start)}
    {signed(all_three[1])} = {num(state)}$ (1 point). (e) $(1, 0)$; the first and the third step
    make ${row(hidden)}$, and the state is ${num(masked)}$ (1 point)."""
    given = {"a": a, "b": b, "start": start}
    return Question(asked, answer, given, (*left, *right, *all_three, state, *hidden, masked))


@question(points=6)
def passes_of_a_scan(draw):
    steps, each = whole(draw, 100, 20_000), tenths(draw, 0.5, 9, 0.1)
    pause, middle = whole(draw, 5, 90), whole(draw, 2, 5)
    position = whole(draw, 3, 60)
    passes = math.ceil(math.log2(steps))
    if passes * pause >= steps * each:  # the scan is to be faster
        raise DrawAgain
    combined = sum(steps - 2**done for done in range(passes))
    first = max(0, position - 2**middle + 1)
    loop, scan = steps * each / 1000, passes * pause / 1000
    asked = rf"""A linear recurrence over $S = {num(steps)}$ steps is computed by the doubling
    scan: the first pass combines each step with the step before it, the next one with what
    stands two positions before, then four, and so on. (a) How many passes are there? (b) How
    many combinations are computed in all, if a position that has nothing so far before it
    computes none? How many does a loop over the steps need? (c) Which steps are combined at
    position {position} after {middle} passes (the first and the last of them; all are counted
    from 0)? (d) On a GPU a step of the loop takes {each} µs, and a pass of the scan, which
    computes all positions at once, {pause} µs. How many milliseconds do both take? Why can the
    scan be faster, although it computes more?"""
    answer = rf"""(a) $\log_2 {num(steps)}$, rounded up: {passes} (1 point). (b) Pass $p = 1,
    2, \ldots$ combines $S - 2^{{p-1}}$ positions: ${passes} \cdot {num(steps)} -
    (2^{{{passes}}} - 1) = {num(combined)}$ (1 point); the loop needs $S - 1 = {num(steps - 1)}$
    (1 point). (c) The reach is $2^{{{middle}}} = {2**middle}$ steps, as far as there are so
    many: from ${first}$ to ${position}$ (1 point). (d) Loop ${num(steps)} \cdot
    {each} / 1000 = {num(loop)}$, scan ${passes} \cdot {pause} / 1000 = {num(scan)}$ (1 point).
    The combinations of a pass do not wait for each other; in the loop each step waits for the
    one before (1 point)."""
    given = {
        "steps": steps, "each": each, "pause": pause, "middle": middle, "position": position
    }  # fmt: skip
    return Question(
        asked, answer, given, (passes, combined, steps - 1, first, position, loop, scan)
    )


def states_from(start, pairs):
    """Return the states after each of the steps (a, b), by the lecture's operation."""
    return [b for _, b in accumulate(pairs, combine, initial=(0, start))][1:]


@question(points=6)
def mingru_with_a_mask(draw):
    z, g = tenths(draw, -3, 3, 0.5, 4), tenths(draw, -3, 4, 0.5, 4)
    hidden, start = whole(draw, 1, 2), tenths(draw, -2, 2, 0.5)
    if len(set(z)) < 3 or len(set(g)) < 3 or 0 in g or not start:
        raise DrawAgain
    gate = sigmoid(np.array(z)).tolist()
    pairs = [(1 - share, share * new) for share, new in zip(gate, g, strict=True)]
    pairs[hidden] = (1, 0)
    wrong = [*pairs[:hidden], (0, 0), *pairs[hidden + 1 :]]
    states, (*_, lost) = states_from(start, pairs), states_from(start, wrong)
    read = [t for t in range(4) if t != hidden]
    shares = [gate[t] for t in read]
    asked = rf"""One unit of minGRU reads four tokens from the state $h_{{-1}} = {num(start)}$.
    The sums of its gate are $x_t W_z + b_z = {listed(z)}$, its candidates $g_t = {listed(g)}$.
    A mask hides token {hidden} (tokens are counted from 0). (a) Compute the gates of the three
    other tokens. (b) Which numbers does the hidden step keep and write? (c) Compute the four
    states. (d) Someone sets both numbers of the hidden step to 0. Which last state results, and
    what has been lost? {known(sigma=[z[t] for t in read])}"""
    answer = rf"""(a) ${listed(shares)}$ (1 point). (b) It keeps 1 and writes 0: $h \mapsto 1
    \cdot h + 0$ (1 point). (c) $h_t = (1 - z_t)\,h_{{t-1}} + z_t\,g_t$ gives
    ${listed(states)}$, where $h_{hidden} = h_{hidden - 1}$ (3 points, 1 for each state that is
    computed). (d) ${num(lost)}$: the step keeps nothing, so that all that was read before
    the hidden token is forgotten (1 point)."""
    given = {"z": z, "g": g, "hidden": hidden, "start": start}
    return Question(asked, answer, given, (*shares, *states, lost))


@question(points=6)
def in_log_space(draw):
    a = tenths(draw, 0.1, 0.49, 0.01)
    logs, written = tenths(draw, -2, -0.1, 0.1, 3), whole(draw, 1, 9, count=3)
    largest, smallest = 3.4e38, 1.4e-45
    exact = math.log(largest) / -math.log(a), math.log(smallest) / math.log(a)
    if any(abs(one - round(one)) < 0.05 for one in exact) or len(set(written)) < 2:
        raise DrawAgain
    infinite, nothing = map(math.ceil, exact)
    shape = (1, 3, 1)
    states = log_space_scan(np.reshape(logs, shape), np.log(np.reshape(written, shape)))
    state = float(states[0, 2, 0])
    L = np.cumsum(logs).round(6).tolist()
    far, near = round(L[2] - L[0], 6), round(L[2] - L[1], 6)
    asked = rf"""The states of $h_t = a_t h_{{t-1}} + b_t$ are to be computed as $h_t = A_t
    \sum_{{s \le t}} b_s / A_s$ with $A_t = a_1 a_2 \cdots a_t$. (a) Let every $a_t$ be
    {num(a)} and every $b_t$ be 1. The largest number of float32 is $3.4 \cdot 10^{{38}}$. From
    which $t$ on is $b_t / A_t$ larger? (b) The smallest positive number of float32 is $1.4
    \cdot 10^{{-45}}$. From which $t$ on is the exact $A_t$ smaller? What is $h_t$ when
    float32 has 0 for $A_t$ and $\infty$ for the sum? (c) Now three steps: $\log a_t =
    {listed(logs)}$ and $b_t = {listed(written)}$ for $t = 1, 2, 3$. Compute $L_1, L_2, L_3$
    with $L_t = \log A_t$, and $h_3$ from the differences $L_3 - L_s$. (d) Why can no $e^{{L_t -
    L_s}}$ with $s \le t$ overflow? {known(exp=[far, near])}"""
    answer = rf"""(a) ${num(a)}^{{-t}} > 3.4 \cdot 10^{{38}}$ needs $t > \ln(3.4 \cdot
    10^{{38}}) / (-\ln {num(a)}) = {num(exact[0])}$: from {infinite} on (1 point). (b) In the
    same way $t > {num(exact[1])}$: from {nothing} on (1 point); $0 \cdot \infty$ is not a
    number, NaN (1 point). (c) ${listed(L)}$ (1 point); $h_3 = {written[0]}\,e^{{{num(far)}}} +
    {written[1]}\,e^{{{num(near)}}} + {written[2]} = {num(state)}$ (1 point). (d) Every $\log
    a_t \le 0$, so $L_t \le L_s$, and the power lies between 0 and 1 (1 point)."""
    given = {"a": a, "logs": logs, "written": written}
    return Question(asked, answer, given, (infinite, nothing, *L, state))


@question(points=5)
def kept_while_writing(draw):
    blocks, width = whole(draw, 6, 48), whole(draw, 128, 4_096, 64)
    tokens, N = whole(draw, 1_000, 90_000, 100), one_of(draw, [4, 8, 16, 32, 64, 128])
    attending = whole(draw, 1, 5)
    small, selective = blocks * width, blocks * width * N
    cache = 2 * blocks * width * tokens
    hybrid = 2 * attending * width * tokens + (blocks - attending) * width * N
    longer = N // 2 + 1
    asked = rf"""Language models with {blocks} blocks of {num(width)} channels write a text. How
    many numbers does each have to keep after {num(tokens)} tokens, if it consists (a) of minGRU
    layers with as many units, (b) of selective states with $N = {N}$ numbers for each channel,
    (c) a Transformer with a cache of keys and values, (d) a hybrid with {attending} of the
    blocks as in (c) and the others as in (b)? (e) From how many tokens on does the Transformer
    keep more than the model of (b)? Which advantage does it buy with this?"""
    answer = rf"""(a) ${blocks} \cdot {num(width)} = {num(small)}$, whatever the length (1
    point). (b) $N$ times as many: ${num(selective)}$ (1 point). (c) A key and a value for each
    token in each block: $2 \cdot {blocks} \cdot {num(width)} \cdot {num(tokens)} =
    {num(cache)}$ (1 point). (d) $2 \cdot {attending} \cdot {num(width)} \cdot {num(tokens)} +
    {blocks - attending} \cdot {num(width)} \cdot {N} = {num(hybrid)}$ (1 point). (e) $2S > N$
    from {longer} tokens on; it still has every pair of key and value by itself, where a
    selective state holds sums of them (1 point)."""
    given = {
        "blocks": blocks, "width": width, "tokens": tokens, "N": N, "attending": attending
    }  # fmt: skip
    return Question(asked, answer, given, (small, selective, cache, hybrid, longer))
