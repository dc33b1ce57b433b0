"""Lecture 2's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_02
from lectures.exam_questions import (
    DrawAgain,
    Question,
    factor,
    frac,
    listed,
    matrix,
    mixed,
    num,
    one_of,
    question,
    row,
    shares,
    signed,
    tenths,
    whole,
)

HALVES = [-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2]


@question(points=4)
def layer_parameters(draw):
    vocabulary, width = whole(draw, 1_000, 30_000, 100), whole(draw, 8, 64, 4)
    first, second = whole(draw, 10, 64, 2, count=2)
    classes = whole(draw, 2, 12)
    table = vocabulary * width
    counts = [
        first * (width + first + 1),
        second * (first + second + 1),
        second * classes + classes,
    ]
    whole_model = table + sum(counts)
    asked = f"""A model consists of `Embedding({vocabulary}, {width})`, `SimpleRNN({first},
    return_sequences=True)`, `SimpleRNN({second})` and `Dense({classes})`. Give the parameters
    of every layer and their sum."""
    answer = rf"""${num(vocabulary)} \cdot {width} = {num(table)}$; ${first}\,({width} + {first}
    + 1) = {num(counts[0])}$; ${second}\,({first} + {second} + 1) = {num(counts[1])}$; ${second}
    \cdot {classes} + {classes} = {num(counts[2])}$ (3 points; 1 off for each wrong one);
    together ${num(whole_model)}$ (1 point)."""
    given = {
        "vocabulary": vocabulary,
        "width": width,
        "first": first,
        "second": second,
        "classes": classes,
    }
    return Question(asked, answer, given, (table, *counts, whole_model))


@question(points=5)
def masked_states(draw):
    W, U = one_of(draw, HALVES), tenths(draw, -1, 1)
    b, x = one_of(draw, [-0.5, 0, 0.5, 1]), [one_of(draw, HALVES) for _ in range(3)]
    pad = whole(draw, 2, 3)
    mask = np.array([[step != pad for step in (1, 2, 3)]])
    weights = np.array([[W]]), np.array([[U]]), np.array([b])
    inputs = np.array(x)[None, :, None]
    states = lecture_02.forward(inputs, *weights)[0, :, 0]
    masked = lecture_02.forward(inputs, *weights, mask=mask)[0, :, 0]
    before = np.array([0, *states[:2]])
    sums = W * np.array(x) + U * before + b
    if not U or max(map(abs, sums)) > 3:
        raise DrawAgain
    others = "the last state is that of step 2" if pad == 3 else "step 3 starts from $h_1$"
    asked = rf"""A SimpleRNN (tanh, $h_0 = 0$) has one input and one unit, $W = {num(W)}$, $U =
    {num(U)}$, $b = {num(b)}$, and reads $x = {row(x)}$. (a) Compute $h_1, h_2, h_3$. (b) What
    are the three states if a mask says that step {pad} is a pad?"""
    answer = rf"""(a) $h_t = \tanh(W x_t + U h_{{t-1}} + b)$ with the sums ${row(sums)}$: the
    states are ${row(states)}$ (3 points). (b) At step {pad} the state is handed on, and
    {others}: ${row(masked)}$ (2 points)."""
    given = {"W": W, "U": U, "b": b, "x": x, "pad": pad}
    return Question(asked, answer, given, (*states, *masked))


@question(points=8)
def through_time(draw):
    W, U = one_of(draw, HALVES), tenths(draw, -1.5, 1.5)
    x, y = [one_of(draw, HALVES) for _ in range(2)], tenths(draw, -1, 1, 0.05)
    weights = np.array([[W]]), np.array([[U]]), np.zeros(1)
    states = lecture_02.forward(np.array(x)[None, :, None], *weights)
    h_1, h_2 = states[0, :, 0]
    if not U or abs(W * x[0]) > 2 or abs(W * x[1] + U * h_1) > 2:
        raise DrawAgain
    errors = np.array([[[0.0], [h_2 - y]]])
    a_1, a_2 = lecture_02.through_time(errors, states, weights[1], np.eye(1))[0, :, 0]
    g_1, g_2 = a_2 * U, h_2 - y
    nabla_W, nabla_U, nabla_b = x[0] * a_1 + x[1] * a_2, h_1 * a_2, a_1 + a_2
    asked = rf"""A SimpleRNN (tanh, $h_0 = 0$) has one input and one unit, $W = {num(W)}$, $U =
    {num(U)}$, $b = 0$, and reads $x = {row(x)}$.
    The loss is $L = \frac12\,(h_2 - y)^2$ with $y = {num(y)}$. Compute the states, then the
    derivatives of $L$ with respect to $W$, $U$ and $b$ by back-propagation through time."""
    answer = rf"""$h_1 = \tanh({num(W * x[0])}) = {num(h_1)}$, $h_2 =
    \tanh({num(W * x[1] + U * h_1)}) = {num(h_2)}$ (1 point). Error at the output: $g_2 = h_2 -
    y = {num(g_2)}$ (1 point); $a_2 = (1 - h_2^2)\,g_2 = {num(a_2)}$ (1 point); $g_1 = a_2 U =
    {num(g_1)}$ (1 point), since step 1 has no loss of its own; $a_1 = (1 - h_1^2)\,g_1 =
    {num(a_1)}$ (1 point). Sums: $\nabla_W = x_1 a_1 + x_2 a_2 = {num(nabla_W)}$ (1 point);
    $\nabla_U = h_0 a_1 + h_1 a_2 = {num(nabla_U)}$ (1 point); $\nabla_b = a_1 + a_2 =
    {num(nabla_b)}$ (1 point)."""
    given = {"W": W, "U": U, "x": x, "y": y}
    return Question(asked, answer, given, (h_1, h_2, nabla_W, nabla_U, nabla_b))


@question(points=5)
def output_gradients(draw):
    h = [one_of(draw, [-0.8, -0.5, -0.2, 0.2, 0.4, 0.5, 0.8]) for _ in range(3)]
    p, target = shares(draw, 4, 20), whole(draw, 1, 4)
    x = np.zeros((1, 1, 1))
    states, probabilities = np.array(h)[None, None], np.array(p)[None, None]
    zeros = np.zeros((3, 3)), np.zeros((3, 4))
    found = lecture_02.backward(x, states, probabilities, np.array([[target - 1]]), *zeros)
    nth = ("first", "second", "third", "fourth")[target - 1]
    asked = rf"""The output layer computes $p = \text{{softmax}}(hV + c)$. At one step the state
    is $h = {row(h)}$, the softmax gives $p = {row(p)}$ and
    the {nth} symbol is the right one. Compute this step's contribution to $\nabla_c$ and
    $\nabla_V$, and its loss. Why does every row of $\nabla_V$ sum to 0?"""
    answer = rf"""$\delta = p - \text{{one-hot}} = {row(found["c"])}$, which is the contribution
    to $\nabla_c$ (1 point). $h^\top\delta = {matrix(found["V"])}$ (2 points). Loss: $-\ln
    {num(p[target - 1])} = {num(-np.log(p[target - 1]))}$ (1 point). $p$ and the one-hot row
    both sum to 1, so $\delta$ sums to 0, and each row is a multiple of $\delta$ (1 point)."""
    given = {"h": h, "p": p, "target": target}
    result = (*found["c"], *found["V"].ravel(), -np.log(p[target - 1]))
    return Question(asked, answer, given, result)


@question(points=5)
def decay_and_growth(draw):
    weight, slope = tenths(draw, 0.8, 1.05, 0.01), tenths(draw, 0.5, 0.9, 0.01)
    power, steps = whole(draw, 3, 9), whole(draw, 20, 60)
    large = tenths(draw, 1.3, 2.2, 0.01)
    shrink, grow = weight * slope, large * slope
    exact = -power * np.log(10) / np.log(shrink)
    if shrink > 0.95 or grow < 1.05 or abs(exact - round(exact)) < 0.05:
        raise DrawAgain
    needed, growth = int(np.ceil(exact)), grow**steps
    asked = rf"""A single unit has the recurrent weight ${num(weight)}$, and the slope of its
    tanh is ${num(slope)}$ at every step. (a) After how many steps has its gradient fallen below
    $10^{{-{power}}}$ of its value? (b) With a weight of ${num(large)}$ and the same slope, by
    which factor does it grow over {steps} steps? (c) Say for both cases what clipping to norm 1
    can do."""
    answer = rf"""(a) Factor ${num(weight)} \cdot {num(slope)} = {num(shrink)}$ a step; $n > \ln
    10^{{-{power}}} / \ln {num(shrink)} = {num(exact)}$, so after ${needed}$ steps (2 points).
    (b) Factor ${num(large)} \cdot {num(slope)} = {num(grow)}$, and ${num(grow)}^{{{steps}}} =
    {num(growth)}$ (1 point). (c) In the second case clipping bounds the step (1 point). In the
    first it changes nothing: the share of the distant part in the gradient stays as small (1
    point)."""
    given = {"weight": weight, "slope": slope, "power": power, "steps": steps, "large": large}
    return Question(asked, answer, given, (needed, growth))


@question(points=5)
def clipping(draw):
    triples = [(3, 4, 5), (6, 8, 10), (5, 12, 13), (8, 15, 17), (9, 12, 15), (7, 24, 25)]
    arrays, norms = [], []
    for scale in (10, one_of(draw, [20, 25, 40, 50, 80, 100, 125, 200, 250, 400])):
        *legs, norm = one_of(draw, triples)
        signs = whole(draw, -1, 1, 2, count=2)
        arrays.append(
            [sign * leg / scale for sign, leg in zip(signs, mixed(draw, legs), strict=True)]
        )
        norms.append(norm / scale)
    limit = tenths(draw, 0.2, 1.2, 0.05)
    if norms[0] <= limit or norms[1] >= limit:
        raise DrawAgain
    clipped = np.array(arrays[0]) * limit / norms[0]
    whole_norm = np.hypot(*norms)
    together = np.array(arrays) * limit / whole_norm
    asked = rf"""The gradients of two weight arrays are ${row(arrays[0])}$ and
    ${row(arrays[1])}$. Give both after `clipnorm={num(limit)}` and after
    `global_clipnorm={num(limit)}`. Which of the two keeps the direction of the step?"""
    answer = rf"""Norms ${num(norms[0])}$ and ${num(norms[1])}$. `clipnorm` shortens only the
    first, to ${row(clipped)}$, and leaves ${row(arrays[1])}$ (2 points). Global norm
    $\sqrt{{{num(norms[0] ** 2)} {signed(norms[1] ** 2)}}} = {num(whole_norm)}$; both times
    ${num(limit)} / {factor(whole_norm)}$: ${row(together[0])}$ and ${row(together[1])}$ (2
    points). The global one keeps the direction, because all entries are scaled by one factor (1
    point)."""
    given = {"arrays": arrays, "limit": limit}
    return Question(asked, answer, given, (*clipped, *arrays[1], *together.ravel()))


@question(points=5)
def perplexity(draw):
    powers = whole(draw, 0, 5, count=6)
    p, temperature = shares(draw, 4, 20), one_of(draw, [0.5, 0.25, 0.2])
    if sum(powers) % 6 or len(set(p)) < 3 or len(set(powers)) < 3:
        raise DrawAgain
    true = [0.5**power for power in powers]
    value = 2 ** (sum(powers) // 6)
    raised = np.array(p) ** (1 / temperature)
    sharp = lecture_02.predict(np.log(np.array(p))[None] / temperature, np.eye(4), 0)[0]
    shown = listed(frac(1, 2**power) if power else "1" for power in powers)
    asked = rf"""(a) A model gives the six true characters of a short text the probabilities
    ${shown}$. Compute its loss per character and the perplexity. (b) A softmax gives $p =
    {row(p)}$. Compute the distribution at temperature {temperature}."""
    answer = rf"""(a) The product is $2^{{-{sum(powers)}}}$, so the mean loss is
    $\frac{{{sum(powers)}}}{{6}} \ln 2 = {num(sum(powers) / 6 * np.log(2))}$ (1 point) and the
    perplexity $2^{{{sum(powers)}/6}} = {value}$ (1 point). (b) To the power
    {round(1 / temperature)}: ${row(raised)}$ (1 point), sum ${num(raised.sum())}$ (1 point), so
    ${row(sharp)}$ (1 point)."""
    given = {"true": true, "p": p, "temperature": temperature}
    return Question(asked, answer, given, (sum(powers) / 6 * np.log(2), value, *sharp))
