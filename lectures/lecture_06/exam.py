"""Lecture 6's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_06
from lectures.exam_questions import (
    DrawAgain,
    Question,
    known,
    listed,
    mixed,
    num,
    offer,
    question,
    row,
    tenths,
    whole,
)


@question(points=6)
def attention_by_hand(draw):
    q, k = ([whole(draw, 0, 2, count=4) for _ in range(2)] for _ in range(2))
    v = [whole(draw, -3, 5, count=2) for _ in range(2)]
    scores = np.array(q) @ np.array(k).T
    gaps = scores[:, 0] - scores[:, 1]
    if not all(map(any, [*q, *k, *v])) or v[0] == v[1] or 0 in gaps or max(abs(gaps)) > 6:
        raise DrawAgain
    arrays = [np.array(one, float) for one in (q, k, v)]
    output, weights = lecture_06.scaled_dot_product(*arrays)
    causal, seen = lecture_06.scaled_dot_product(*arrays, np.tril(np.ones((2, 2), bool)))
    sharp = 1 / (1 + np.exp(-gaps[0]))
    asked = rf"""Two tokens have the queries $q_1 = {row(q[0])}$, $q_2 = {row(q[1])}$, the keys
    $k_1 = {row(k[0])}$, $k_2 = {row(k[1])}$ and the values $v_1 = {row(v[0])}$, $v_2 =
    {row(v[1])}$. Compute weights and outputs of scaled dot-product attention (a) without a
    mask, (b) with the causal mask. (c) What would be the first row of weights without the
    scale? {known(sigma=[*(gap / 2 for gap in gaps), gaps[0]])}"""
    answer = rf"""Scores ${row(scores[0])}$ and ${row(scores[1])}$, divided by $\sqrt 4$:
    ${row(scores[0] / 2)}$ and ${row(scores[1] / 2)}$ (1 point). (a) Two weights are the sigmoid
    of the difference and the rest: ${row(weights[0])}$ and ${row(weights[1])}$ (2 points);
    outputs ${row(output[0])}$ and ${row(output[1])}$ (1 point). (b) First row ${row(seen[0])}$
    with output ${row(causal[0])}$; the second row is unchanged (1 point). (c)
    ${row([sharp, 1 - sharp])}$ (1 point)."""
    given = {"q": q, "k": k, "v": v}
    result = (*weights.ravel(), *output.ravel(), *causal[0], sharp, 1 - sharp)
    return Question(asked, answer, given, result)


@question(points=6)
def transformer_sizes(draw):
    width, inner = whole(draw, 64, 1_024, 32), whole(draw, 256, 4_096, 64)
    layers, words = whole(draw, 2, 8), whole(draw, 5_000, 40_000, 500)
    parts = lecture_06.transformer_parameters(width, inner, layers, words)
    whole_model = sum(parts.values())
    attention, feed = 4 * width**2, 2 * width * inner + inner + width
    encoder, decoder = attention + feed + 4 * width, 2 * attention + feed + 6 * width
    asked = rf"""Count the parameters of a Transformer with $d = {width}$, a feed-forward
    network of inner width {inner:,}, {layers} encoder and {layers} decoder blocks, and one
    embedding matrix of {words:,} tokens that serves source, target and output. The attention
    and the output layer have no biases, the feed-forward network has; positions are sinusoidal;
    a LayerNorm follows each part of a block, and there is no norm at the end. Give an encoder
    block, a decoder block and the whole. How do the counts change with twice as many heads?"""
    answer = rf"""Attention $4 \cdot {width}^2 = {num(attention)}$; feed-forward $2 \cdot
    {width} \cdot {num(inner)} + {num(inner)} + {width} = {num(feed)}$; a norm
    ${num(2 * width)}$ (2 points). Encoder block with two norms ${num(encoder)}$ (1 point);
    decoder block with a second attention and three norms ${num(decoder)}$ (1 point). Whole:
    ${layers}\,({num(encoder)} + {num(decoder)}) + {num(words)} \cdot {width} =
    {num(whole_model)}$ (1 point). They do not: more heads share the same columns (1
    point)."""
    given = {"width": width, "inner": inner, "layers": layers, "words": words}
    return Question(asked, answer, given, (encoder, decoder, whole_model))


@question(points=5)
def open_pairs(draw):
    target = whole(draw, 2, 20, count=4)
    if len(set(target)) < 4:
        raise DrawAgain
    T = max(target) + whole(draw, 0, 9)
    causal = [n * (n + 1) // 2 + (T - n) * n for n in target]
    right = sum(causal)
    asked = f"""A batch has four target texts of {target[0]}, {target[1]}, {target[2]} and
    {target[3]} tokens, padded to {T}. In the decoder's self-attention a query, pads included,
    may attend to a key that is no pad and does not come later. How many of the ${T} \\cdot {T}$
    (query, key) pairs of a text are open, in all four texts together?"""
    answer = rf"""Of a text of $n$ tokens, query $t$ sees $\min(t, n)$ keys (1 point):
    $\frac{{n(n + 1)}}{{2}} + ({T} - n)\,n$ (2 points), that is ${listed(causal)}$ (1 point);
    together ${num(right)}$ (1 point)."""
    given = {"lengths": target, "T": T}
    mistakes = [
        (sum(n * (n + 1) // 2 for n in target), "the queries at pads were left out"),
        (4 * T * (T + 1) // 2, "the padding mask was left out"),
        (sum(T * n for n in target), "the causal mask was left out"),
        (right - sum(target), "a token may not see itself"),
    ]
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)


@question(points=5)
def attention_or_recurrence(draw):
    width, lengths = (
        whole(draw, 64, 1_024, 16),
        [whole(draw, 20, 300, 4), whole(draw, 1_100, 8_000, 20)],
    )
    if lengths[0] >= width:
        raise DrawAgain
    attention = [2 * S * S * width + 4 * S * width**2 for S in lengths]
    recurrent = [6 * S * width**2 for S in lengths]
    millions = [round(value / 1e6, 3) for value in (*attention, *recurrent)]
    ratio = attention[1] / recurrent[1]
    asked = rf"""A self-attention layer needs $2S^2 d + 4Sd^2$ multiplications, a GRU of the
    same width $6Sd^2$. (a) From which $S$ on does attention need more? (b) Compute both, in
    millions, for $d = {width}$ and $S = {lengths[0]}$ and $S = {num(lengths[1])}$, and the
    factor between them at the larger one. (c) Why can attention take less time even where it
    needs more multiplications?"""
    answer = rf"""(a) $2S^2 d > 2Sd^2$, that is $S > d = {num(width)}$ (1 point). (b)
    ${num(millions[0])}$ against ${num(millions[2])}$ million (1 point); ${num(millions[1])}$
    against ${num(millions[3])}$ million (1 point), a factor of ${num(ratio)}$ (1 point). (c)
    Attention consists of a few large matrix products, which run in parallel; the GRU has $S$
    small products that wait for one another (1 point)."""
    given = {"width": width, "lengths": lengths}
    return Question(asked, answer, given, (width, *millions, ratio))


@question(points=5)
def products_of_positions(draw):
    places, shifts = whole(draw, 2, 60, count=2), whole(draw, 1, 20, count=2)
    if places[0] == places[1] or shifts[0] == shifts[1]:
        raise DrawAgain
    table = lecture_06.sinusoidal_positions(100, 4)
    found = [float(table[p] @ table[p + k]) for p, k in zip(places, shifts, strict=True)]
    shown = [known(cos=[k, k / 100])[1:-1] for k in shifts]
    asked = rf"""Sinusoidal positions with $d = 4$ and the base 10,000. (a) Show that $PE(p)
    \cdot PE(p + k)$ depends on $k$ alone. (b) Compute $PE({places[0]}) \cdot
    PE({places[0] + shifts[0]})$ and $PE({places[1]}) \cdot PE({places[1] + shifts[1]})$. (c)
    Which channels tell neighbours apart, and what are the others for? ({shown[0]}, {shown[1]};
    angles in radians)"""
    answer = rf"""(a) A pair of channels with the frequency $\omega$ contributes $\sin(\omega
    p)\sin(\omega(p + k)) + \cos(\omega p)\cos(\omega(p + k)) = \cos(\omega k)$ (2 points). (b)
    Frequencies 1 and 1/100: $\cos {shifts[0]} + \cos {num(shifts[0] / 100)} = {num(found[0])}$
    and $\cos {shifts[1]} + \cos {num(shifts[1] / 100)} = {num(found[1])}$ (2 points). (c) The
    fast ones tell neighbours apart but repeat after about six positions; the slow ones tell
    distant positions apart (1 point)."""
    given = {"places": places, "shifts": shifts}
    return Question(asked, answer, given, tuple(found))


@question(points=5)
def normed_token(draw):
    middle, spread = whole(draw, -4, 9), whole(draw, 1, 4)
    outer = whole(draw, 1, 3)
    x = [middle + spread * part for part in mixed(draw, [-1, 1, -outer, outer])]
    gain, shift = tenths(draw, 0.5, 2, 0.5, 4), whole(draw, -2, 2, count=4)
    if len(set(gain)) < 2:
        raise DrawAgain
    normed = lecture_06.layer_norm(np.array(x, float), np.ones(4), np.zeros(4), 0)
    result = lecture_06.layer_norm(np.array(x, float), np.array(gain), np.array(shift), 0)
    variance = float(np.var(x))
    asked = rf"""A token's vector is $x = {row(x)}$. (a) Compute its LayerNorm with gain 1,
    shift 0 and $\epsilon = 0$. (b) Compute it with the gain ${row(gain)}$ and the shift
    ${row(shift)}$. (c) What becomes of (b) if 5 is added to every channel of $x$, and what if
    $x$ is doubled?"""
    answer = rf"""(a) Mean ${num(middle)}$, variance ${num(variance)}$ (1 point):
    ${row(normed)}$ (2 points). (b) ${row(result)}$ (1 point). (c) Nothing in either case (1
    point)."""
    given = {"x": x, "gain": gain, "shift": shift}
    return Question(asked, answer, given, (*normed, *result))
