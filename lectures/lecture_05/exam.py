"""Lecture 5's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_05
from lectures.exam_questions import (
    DrawAgain,
    Question,
    known,
    listed,
    num,
    offer,
    question,
    row,
    shares,
    signed,
    tenths,
    whole,
)


@question(points=5)
def context_of_three_words(draw):
    parts, pad = whole(draw, 1, 9, count=3), whole(draw, 2, 20)
    states = [whole(draw, -4, 6, count=2) for _ in range(4)]
    if len(set(parts)) < 2 or sum(parts) > 20:
        raise DrawAgain
    scores = np.log([*parts, pad])[None]
    mask = np.array([[True, True, True, False]])
    weights = lecture_05.softmax(scores, mask)[0]
    context, leak = weights @ states, lecture_05.softmax(scores)[0, 3]
    total = sum(parts)
    names = ", ".join(f"$h_{i} = {row(h)}$" for i, h in enumerate(states[:3], start=1))
    asked = rf"""A decoder's state has the scores $\ln {parts[0]}$, $\ln {parts[1]}$ and $\ln
    {parts[2]}$ with three encoder states {names}, and the score $\ln {pad}$ with a pad, whose
    state is ${row(states[3])}$. Compute weights and context with the pad masked. Which weight
    would the pad get without the mask?"""
    answer = rf"""Exponentials ${listed(parts)}$, and 0 for the pad (1 point), sum {total}:
    weights ${row(weights)}$ (2 points). Context: ${row(context)}$ (1 point). Without the mask
    the pad would get ${pad} / {total + pad} = {num(leak)}$ (1 point)."""
    given = {"parts": parts, "pad": pad, "states": states}
    return Question(asked, answer, given, (*weights, *context, leak))


@question(points=6)
def translator_parameters(draw):
    source, target = whole(draw, 500, 9_000, 100, count=2)
    width, units = whole(draw, 16, 96, 8), whole(draw, 32, 160, 8)
    if source == target:
        raise DrawAgain
    tables, gru = width * (source + target), 3 * (width * units + units**2 + 2 * units)
    output = units * target + target
    plain = tables + 2 * gru + output
    luong = plain + units**2 + 2 * units**2
    asked = rf"""A translator has vocabularies of {source:,} source and {target:,} target words,
    embeddings of width {width}, encoder and decoder GRUs of {units} units (Keras' form, with
    two bias vectors for each of the three gates), and a Dense output layer with bias. Count its
    parameters (a) with the encoder's last state alone, (b) with Luong's general score and an
    attention vector of length {units} (no biases in either)."""
    answer = rf"""(a) Embeddings ${width} \cdot {num(source)} + {width} \cdot {num(target)} =
    {num(tables)}$ (1 point); each GRU $3\,({width} \cdot {units} + {units}^2 + 2 \cdot {units})
    = {num(gru)}$ (1 point); output ${units} \cdot {num(target)} + {num(target)} =
    {num(output)}$ (1 point); together ${num(plain)}$ (1 point). (b) Added: $W$ with ${units}^2
    = {num(units**2)}$ and $W_c$ with ${2 * units} \cdot {units} = {num(2 * units**2)}$ (1
    point); ${num(luong)}$ (1 point)."""
    given = {"source": source, "target": target, "width": width, "units": units}
    return Question(asked, answer, given, (plain, luong))


@question(points=4)
def three_means(draw):
    long, short = tenths(draw, 0.1, 4, 0.1, 4), tenths(draw, 0.1, 4, 0.1, 2)
    total = sum(long) + sum(short)
    right = total / 6
    asked = rf"""The cross-entropies of a batch of two sentences are ${listed(long)}$ and,
    followed by two pads, ${listed(short)}, \text{{pad}}, \text{{pad}}$. At the pads the network
    happens to have the cross-entropy 1. What is the loss of the lecture, the mean over real
    words?"""
    answer = rf"""${listed([*long, *short])}$ sum to ${num(total)}$ (2 points); six words are
    real (1 point): ${num(total)} / 6 = {num(right)}$ (1 point)."""
    mistakes = [
        (total / 8, "divided by all positions"),
        ((total + 2) / 8, "the pads were counted"),
        ((sum(long) / 4 + sum(short) / 2) / 2, "the mean of the sentences' means"),
        (total / 2, "divided by the number of sentences"),
    ]
    given = {"long": long, "short": short}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)


@question(points=4)
def exact_translations(draw):
    percent, short = tenths(draw, 90, 99.5, 0.1), whole(draw, 4, 9)
    long, wanted = whole(draw, 15, 40), whole(draw, 50, 95)
    share = percent / 100
    found = share**short, share**long, (wanted / 100) ** (1 / long)
    asked = rf"""A translator with greedy decoding has a next-word accuracy of {percent} % under
    teacher forcing. (a) Which share of translations of {short} and of {long} tokens is exact if
    errors are independent? (b) Which next-word accuracy makes {wanted} % of the translations of
    {long} tokens exact? (c) Does exposure bias lower these shares?"""
    answer = rf"""(a) ${num(share)}^{{{short}}} = {num(found[0])}$ (1 point),
    ${num(share)}^{{{long}}} = {num(found[1])}$ (1 point). (b) ${num(wanted / 100)}^{{1/{long}}}
    = {num(found[2])}$ (1 point). (c) No: until its first error the decoder reads the true
    words, as under teacher forcing (1 point)."""
    given = {"percent": percent, "short": short, "long": long, "wanted": wanted}
    return Question(asked, answer, given, found)


@question(points=5)
def derivative_of_a_context(draw):
    h, weights = whole(draw, -5, 9, count=4), shares(draw, 4, 20)
    if len(set(h)) < 4:
        raise DrawAgain
    context = float(np.dot(weights, h))
    slopes = np.array(weights) * (np.array(h) - context)
    step = float(slopes @ [1, 0, 0, 0]) * 0.1
    asked = rf"""Four encoder states are the numbers $h = {row(h)}$, with the attention weights
    $\alpha = {row(weights)}$, the softmax of the scores $e$. (a) Compute the context $c$. (b)
    Derive $\partial c / \partial e_j = \alpha_j (h_j - c)$ and compute it for all four scores.
    (c) By how much does $c$ change, to first order, if $e_1$ rises by 0.1?"""
    answer = rf"""(a) ${num(context)}$ (1 point). (b) $\partial \alpha_i / \partial e_j =
    \alpha_i (\delta_{{ij}} - \alpha_j)$, so the derivative is $\alpha_j h_j - \alpha_j \sum_i
    \alpha_i h_i$ (1 point): ${listed(slopes)}$ (2 points). (c) $0.1 \cdot
    {num(slopes[0]) if slopes[0] >= 0 else f"({num(slopes[0])})"} = {num(step)}$ (1 point)."""
    given = {"h": h, "weights": weights}
    return Question(asked, answer, given, (context, *slopes, step))


@question(points=6)
def additive_score(draw):
    s, h = whole(draw, -2, 2), whole(draw, -2, 3, count=2)
    W_s, W_h, v = (whole(draw, -2, 2, count=2) for _ in range(3))
    sums = [[s * a + state * b for a, b in zip(W_s, W_h, strict=True)] for state in h]
    inside = [abs(x) for one in sums for x in one]
    if not s or h[0] == h[1] or 0 in v or max(inside) > 3 or sum(x == 0 for x in inside) > 1:
        raise DrawAgain
    matrices = (np.array([one], float) for one in (W_s, W_h))
    scores = lecture_05.additive_score(
        np.array([[s]]), np.array(h)[:, None], *matrices, np.array(v)
    )[0]
    if abs(scores[0] - scores[1]) < 0.1:
        raise DrawAgain
    weights = lecture_05.softmax(scores)
    context = float(weights @ h)
    flat = [x for one in sums for x in one]
    asked = rf"""The decoder's state is the number $s = {num(s)}$, two encoder states are $h_1 =
    {num(h[0])}$ and $h_2 = {num(h[1])}$. The additive score has $W_s = {row(W_s)}$, $W_h =
    {row(W_h)}$ and $v = {row(v)}$. Compute both scores, the weights and the context.
    {known(tanh=flat)}"""
    answer = rf"""Sums $sW_s + h_iW_h$: ${row(sums[0])}$ and ${row(sums[1])}$ (1 point). Scores
    $v \cdot \tanh(\ldots)$: ${num(scores[0])}$ and ${num(scores[1])}$ (2 points). Weights: the
    difference is ${num(scores[0] - scores[1])}$, so ${num(weights[0])}$ and ${num(weights[1])}$
    (2 points). Context ${num(weights[0] * h[0])} {signed(weights[1] * h[1])} = {num(context)}$
    (1 point)."""
    given = {"s": s, "h": h, "W_s": W_s, "W_h": W_h, "v": v}
    return Question(asked, answer, given, (*scores, *weights, context))
