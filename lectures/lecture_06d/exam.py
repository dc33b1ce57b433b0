"""Lab 6d's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_06d
from lectures.exam_questions import (
    DrawAgain,
    Question,
    known,
    listed,
    num,
    offer,
    one_of,
    question,
    row,
    shares,
    tenths,
    whole,
)
from lectures.lecture_03 import sigmoid


@question(points=6)
def rotary_scores(draw):
    q, k = whole(draw, -3, 3, count=2), whole(draw, -3, 3, count=2)
    m, gap, shift = whole(draw, 2, 90), whole(draw, -3, 3), whole(draw, 10, 400)
    if not any(q) or not any(k) or not gap or q == k:
        raise DrawAgain

    def turned(x, position):
        return np.array(lecture_06d.rotate(np.array([[[x]]], "float64"), np.array([position])))[
            0, 0, 0
        ]

    n = m + gap
    score, swapped = float(turned(q, 0) @ turned(k, gap)), float(turned(q, 0) @ turned(k, -gap))
    key = turned(k, gap)
    asked = rf"""Rotary positions with $d_k = 2$, that is one pair, turned by the angle $p \cdot
    1$ in radians at position $p$; $q = {row(q)}$, $k = {row(k)}$. (a) Show that $(R_m q) \cdot
    (R_n k)$ depends on $n - m$ alone. (b) Compute it for $m = {m}$, $n = {n}$. (c) What is it
    for $m = {m + shift}$, $n = {n + shift}$, and what for $m = {n}$, $n = {m}$?
    {known(cos=[abs(gap)], sin=[abs(gap)])}"""
    answer = rf"""(a) $(R_m q)^\top R_n k = q^\top R_m^\top R_n k$; $R_m^\top = R_{{-m}}$, and
    angles add up, so $R_{{-m}} R_n = R_{{n-m}}$ (2 points). (b) $R_{{{gap}}} k = {row(key)}$ (1
    point), product with $q$: ${num(score)}$ (1 point). (c) ${num(score)}$ again (1 point); the
    angle changes its sign: ${num(swapped)}$ (1 point)."""
    given = {"q": q, "k": k, "m": m, "n": n}
    return Question(asked, answer, given, (score, swapped))


@question(points=5)
def two_norms(draw):
    x, shift = whole(draw, -6, 9, count=4), whole(draw, 5, 30)
    if len(set(x)) < 3 or not sum(x):
        raise DrawAgain
    array = np.array(x, float)
    mean, variance, square = array.mean(), array.var(), (array**2).mean()
    layer, rms = (array - mean) / variance**0.5, array / square**0.5
    moved = (array[0] + shift) / ((array + shift) ** 2).mean() ** 0.5
    asked = rf"""(a) Compute LayerNorm and RMSNorm (scale 1, shift 0, $\epsilon = 0$) of
    ${row(x)}$. (b) {shift} is added to each number. What becomes of the first number under
    either norm? (c) How many learned numbers has each at width $d$?"""
    answer = rf"""(a) Mean ${num(mean)}$, variance ${num(variance)}$: ${row(layer)}$ (2 points,
    1 for mean and variance); mean square ${num(square)}$: ${row(rms)}$ (1 point). (b) LayerNorm
    does not change, ${num(layer[0])}$; RMSNorm gives ${num(moved)}$ (1 point). (c) $2d$ and $d$
    (1 point)."""
    given = {"x": x, "shift": shift}
    return Question(asked, answer, given, (*layer, *rms, moved))


@question(points=5)
def gated_network(draw):
    width, inner = whole(draw, 128, 2_048, 64), whole(draw, 300, 6_000, 60)
    gate, up = tenths(draw, -3, 3, 0.5, 2), whole(draw, -5, 5, count=2)
    if 0 in up or not any(gate):
        raise DrawAgain
    narrow = 2 * inner // 3
    plain, gated = 2 * width * inner, 3 * width * inner
    entering = [g * sigmoid(g) * u for g, u in zip(gate, up, strict=True)]
    asked = rf"""A block has $d = {width}$ and a feed-forward network with inner width
    {inner:,}, without biases. (a) How many weights has it, and how many has SwiGLU of the same
    inner width? (b) Which inner width gives SwiGLU as many weights as the plain network? (c)
    For one token $xW_g = {row(gate)}$ and $xW_u = {row(up)}$: what goes into $W_d$?
    {known(sigma=gate)}"""
    answer = rf"""(a) $2 \cdot {width} \cdot {num(inner)} = {num(plain)}$ (1 point); $3 \cdot
    {width} \cdot {num(inner)} = {num(gated)}$ (1 point). (b) $\frac23 \cdot {num(inner)} =
    {num(narrow)}$ (1 point). (c) $\text{{silu}}(a) = a\,\sigma(a)$:
    ${row([g * sigmoid(g) for g in gate])}$, times $xW_u$: ${row(entering)}$ (2 points)."""
    given = {"width": width, "inner": inner, "gate": gate, "up": up}
    return Question(asked, answer, given, (plain, gated, narrow, *entering))


@question(points=6)
def cache_of_a_text(draw):
    layers, heads, head = (
        whole(draw, 8, 80, 2),
        whole(draw, 8, 64, 8),
        one_of(draw, [64, 80, 96, 128]),
    )
    tokens, memory = whole(draw, 1_024, 16_384, 512), whole(draw, 16, 80, 4)
    groups = one_of(draw, [2, 4, 8])
    if heads <= groups:
        raise DrawAgain
    full, small = (2 * layers * kept * head * tokens * 2 for kept in (heads, groups))
    fit = [memory * 2**30 // size for size in (full, small)]
    saved = 2 * heads * head * (heads - groups) * head
    asked = rf"""A model has {layers} layers, width {heads * head:,} and {heads} heads of
    {head}. (a) How many bytes does the cache take for a text of {tokens:,} tokens with 16 bits
    a number, with as many key-value heads as query heads and with {groups}? (b) How many such
    texts fit into {memory} GiB ($2^{{30}}$ bytes each) in either case? (c) How many weights do
    grouped queries save in $W^K$ and $W^V$ of one layer?"""
    answer = rf"""(a) $2 \cdot {layers} \cdot {heads} \cdot {head} \cdot {num(tokens)} \cdot 2 =
    {num(full)}$ bytes (2 points); with {groups} heads ${num(small)}$ (1 point). (b)
    ${num(fit[0])}$ and ${num(fit[1])}$ (1 point). (c) The matrices shrink from {heads * head:,}
    to {groups * head:,} columns: $2 \cdot {num(heads * head)} \cdot
    {num((heads - groups) * head)} = {num(saved)}$ (2 points)."""
    given = {
        "layers": layers,
        "heads": heads,
        "head": head,
        "tokens": tokens,
        "memory": memory,
        "groups": groups,
    }
    return Question(asked, answer, given, (full, small, *fit, saved))


@question(points=5)
def next_word(draw):
    p, top = shares(draw, 5, 50), one_of(draw, [0.6, 0.7, 0.8, 0.85, 0.9])
    logits = np.log(p)
    sharp = lecture_06d.next_word_probabilities(logits, 0.5)
    cut = lecture_06d.next_word_probabilities(logits, top_p=top)
    both = lecture_06d.next_word_probabilities(logits, 0.5, top)
    kept = [int((one > 0).sum()) for one in (cut, both)]
    near = [
        abs(total - top) for one in (p, sharp) for total in np.cumsum(sorted(one, reverse=True))
    ]
    if len(set(p)) < 5 or kept[0] == kept[1] or min(near) < 0.01 or kept[1] == 1:
        raise DrawAgain
    asked = rf"""Five words have the probabilities ${listed(p)}$. Compute the distribution after
    (a) a temperature of 0.5, (b) top-p with $p = {top}$, (c) first the temperature, then top-p.
    (d) Why does the order of the two matter?"""
    answer = rf"""(a) Squares, divided by their sum ${num(sum(one**2 for one in p))}$:
    ${listed(sharp)}$ (2 points). (b) {kept[0]} words reach {top}: ${listed(cut)}$ (1 point).
    (c) Now {kept[1]} words suffice: ${listed(both)}$ (1 point). (d) The temperature changes how
    many words reach $p$ (1 point)."""
    given = {"p": p, "top": top}
    return Question(asked, answer, given, (*sharp, *cut, *both))


@question(points=4)
def positions_computed(draw):
    prompt, written = whole(draw, 20, 900), whole(draw, 30, 700)
    right = sum(prompt + n for n in range(written))
    asked = f"""A decoder reads a prompt of {prompt} tokens and writes {written} tokens after
    it. It has no cache: each new token is predicted from the whole text so far, the prompt
    included. How many token positions does it compute in all? (The last written token is not
    read any more.)"""
    answer = rf"""Before token $n + 1$ it reads ${prompt} + n$ positions, $n = 0, \dots,
    {written - 1}$ (1 point): ${written} \cdot {prompt} + \frac{{{written} \cdot
    {written - 1}}}{{2}} = {num(right)}$ (3 points)."""
    mistakes = [
        (prompt + written - 1, "this is the number with a cache"),
        (written * (prompt + written), "padded to the full length"),
        (written * (written - 1) // 2, "the prompt was left out"),
        (written * (written - 1) // 2 + prompt, "the prompt was read once"),
        (right + prompt + written, "the last token was read again"),
    ]
    given = {"prompt": prompt, "written": written}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)
