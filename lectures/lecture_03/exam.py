"""Lecture 3's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_03
from lectures.exam_questions import (
    DrawAgain,
    Question,
    factor,
    known,
    num,
    offer,
    question,
    signed,
    tenths,
    whole,
)
from lectures.lecture_03 import sigmoid


def halves(draw, largest, count=0):
    """Multiples of one half from -largest to largest."""
    return tenths(draw, -largest, largest, 0.5, count)


@question(points=5)
def lstm_unit(draw):
    c, (i, f, g, o) = tenths(draw, -3, 3, 0.25), halves(draw, 3, 4)
    if abs(c) < 0.5 or not g or len({i, f, o}) < 3:
        raise DrawAgain
    zeros = np.zeros((1, 1)), np.array([[c]]), np.zeros((1, 4)), np.zeros((1, 4))
    h, new = (
        float(one[0, 0]) for one in lecture_03.lstm_step(np.zeros((1, 1)), *zeros, [i, f, g, o])
    )
    asked = rf"""One unit of an LSTM has $c_{{t-1}} = {num(c)}$. The sums inside the functions
    are ${num(i)}$ for the input gate, ${num(f)}$ for the forget gate, ${num(g)}$ for the
    candidate and ${num(o)}$ for the output gate. Compute $c_t$ and $h_t$. Which share of a
    small change of $c_{{t-1}}$ arrives in $c_t$ directly? {known(sigma=[i, f, o], tanh=[g])}"""
    answer = rf"""$i = {num(sigmoid(i))}$, $f = {num(sigmoid(f))}$, $g = {num(np.tanh(g))}$, $o
    = {num(sigmoid(o))}$ (1 point). $c_t = f\,c_{{t-1}} + i\,g = {num(sigmoid(f) * c)}
    {signed(sigmoid(i) * np.tanh(g))} = {num(new)}$ (2 points). $h_t = o\tanh c_t = {num(h)}$ (1
    point). The share is the forget gate, ${num(sigmoid(f))}$ (1 point)."""
    given = {"c": c, "i": i, "f": f, "g": g, "o": o}
    return Question(asked, answer, given, (new, h, sigmoid(f)))


@question(points=6)
def cell_parameters(draw):
    inputs, units = whole(draw, 12, 256, 4), whole(draw, 8, 128, 4)
    batch, steps = whole(draw, 4, 64), whole(draw, 20, 300)
    if inputs == units:
        raise DrawAgain
    block = units * (inputs + units + 1)
    asked = f"""Vectors of {inputs} numbers are read by {units} units. Give the parameters of
    SimpleRNN, LSTM, GRU in both forms, and of a bidirectional LSTM with {units} units in each
    direction. What is the shape of the last one's output for a batch of {batch} texts of
    {steps} words, with and without `return_sequences`?"""
    answer = rf"""One block: ${units}\,({inputs} + {units} + 1) = {num(block)}$ for the
    SimpleRNN (1 point). LSTM: $4 \cdot {num(block)} = {num(4 * block)}$ (1 point). GRU: $3
    \cdot {num(block)} = {num(3 * block)}$ (1 point); with the second row of biases $+\, 3 \cdot
    {units}$: ${num(3 * block + 3 * units)}$ (1 point). Bidirectional: ${num(8 * block)}$ (1
    point). Shapes: $({batch}, {steps}, {2 * units})$ and $({batch}, {2 * units})$ (1 point)."""
    given = {"inputs": inputs, "units": units, "batch": batch, "steps": steps}
    counts = (block, 4 * block, 3 * block, 3 * block + 3 * units, 8 * block)
    shapes = f"({batch}, {steps}, {2 * units})", f"({batch}, {2 * units})"
    return Question(asked, answer, given, (*counts, *shapes))


@question(points=6)
def gru_both_forms(draw):
    h, (z, r, x_g) = tenths(draw, -1, 1, 0.1), halves(draw, 2, 3)
    u_g, second = halves(draw, 2), tenths(draw, -1, 1, 0.1)
    if min(map(abs, (h, u_g, second))) < 0.2 or not z or not r:
        raise DrawAgain
    weights = np.zeros((1, 1)), np.array([[h]]), np.zeros((1, 3)), np.array([[0, 0, u_g]])
    before = float(lecture_03.gru_step(*weights, np.array([z, r, x_g]))[0, 0])
    biases = np.array([[z, r, x_g], [0, 0, second]])
    after = float(lecture_03.gru_step_reset_after(*weights, biases)[0, 0])
    keep, reset = sigmoid(z), sigmoid(r)
    inner = x_g + reset * h * u_g, x_g + reset * (h * u_g + second)
    asked = rf"""One unit of a GRU has $h_{{t-1}} = {num(h)}$. The sums are ${num(z)}$ for $z$
    and ${num(r)}$ for $r$; $x_tW_g + b_g = {num(x_g)}$, $U_g = {num(u_g)}$. Compute $h_t$ (a)
    with the reset before the product, (b) with the reset after it and $b'_g = {num(second)}$.
    (c) When do the two forms agree for one unit? {known(sigma=[z, r])}"""
    answer = rf"""$z = {num(keep)}$, $r = {num(reset)}$ (1 point). (a) $g =
    \tanh({num(inner[0])}) = {num(np.tanh(inner[0]))}$ (1 point); $h_t = z\,h_{{t-1}} + (1 -
    z)\,g = {num(keep * h)} {signed((1 - keep) * np.tanh(inner[0]))} = {num(before)}$ (1 point).
    (b) $g = \tanh({num(x_g)} + {num(reset)} \cdot {factor(h * u_g + second)}) =
    \tanh({num(inner[1])}) = {num(np.tanh(inner[1]))}$ (1 point); $h_t = {num(after)}$ (1
    point). (c) If $b'_g = 0$, since numbers commute: $(r h)U_g = r(hU_g)$ (1 point)."""
    given = {"h": h, "z": z, "r": r, "x_g": x_g, "u_g": u_g, "second": second}
    return Question(asked, answer, given, (before, after))


@question(points=5)
def constant_gate(draw):
    gate, write = tenths(draw, 0.8, 0.99, 0.002), tenths(draw, 0.05, 0.5, 0.01)
    steps, share = whole(draw, 3, 8), whole(draw, 50, 99)
    exact = np.log(1 - share / 100) / np.log(gate)
    if abs(exact - round(exact)) < 0.05:
        raise DrawAgain
    limit, needed = write / (1 - gate), int(np.ceil(exact))
    reached = limit * (1 - gate**steps)
    asked = rf"""A unit has the constant forget gate ${num(gate)}$ and writes $i\,g =
    {num(write)}$ at every step, starting from $c_0 = 0$. (a) Derive $c_n$ and compute
    $c_{{{steps}}}$. (b) What is its limit? (c) At which step are {share} % of the limit
    reached? (d) What does a forget gate of exactly 1 mean?"""
    answer = rf"""(a) $c_n = {num(write)}\sum_{{k=0}}^{{n-1}}{num(gate)}^k =
    {num(write)}\,\frac{{1 - {num(gate)}^n}}{{{num(1 - gate)}}}$ (1 point), so $c_{{{steps}}} =
    {num(reached)}$ (1 point). (b) ${num(limit)}$ (1 point). (c) ${num(gate)}^n \le
    {num(1 - share / 100)}$ gives $n \ge {num(exact)}$: step ${needed}$ (1 point). (d) The sum
    grows without bound, $c_n = {num(write)}\,n$; nothing is forgotten, and $\tanh(c)$ saturates
    (1 point)."""
    given = {"gate": gate, "write": write, "steps": steps, "share": share}
    return Question(asked, answer, given, (reached, limit, needed))


@question(points=4)
def half_life(draw):
    steps, later = whole(draw, 5, 200), whole(draw, 10, 400)
    bias = float(lecture_03.forget_bias(steps))
    start, distance = tenths(draw, 0.5, 5, 0.1), whole(draw, 5, 90)
    gate = 0.5 ** (1 / steps)
    asked = rf"""(a) Which bias gives a forget gate that keeps half of the cell state for
    {steps} steps, when nothing is written and the gate sees its bias alone? (b) Which share
    does it leave after {later} steps? (c) Which share does a bias of ${num(start)}$ leave after
    {distance} steps?"""
    answer = rf"""(a) $f^{{{steps}}} = \frac12$, so $f = 0.5^{{1/{steps}}} = {num(gate)}$ (1
    point) and the bias $\ln\frac{{f}}{{1 - f}} = {num(bias)}$ (1 point). (b)
    $0.5^{{{later}/{steps}}} = {num(0.5 ** (later / steps))}$ (1 point). (c)
    $\sigma({num(start)})^{{{distance}}} = {num(sigmoid(start))}^{{{distance}}} =
    {num(sigmoid(start) ** distance)}$ (1 point)."""
    given = {"steps": steps, "later": later, "start": start, "distance": distance}
    return Question(
        asked, answer, given, (bias, 0.5 ** (later / steps), sigmoid(start) ** distance)
    )


@question(points=4)
def stacked_parameters(draw):
    width, first, second = whole(draw, 16, 128, 2), whole(draw, 8, 64, 4), whole(draw, 8, 64, 2)
    classes = whole(draw, 2, 20)
    lower = 2 * 4 * first * (width + first + 1)
    upper = 3 * second * (2 * first + second + 2)
    head = (second + 1) * classes
    asked = f"""Word vectors of {width} numbers go through `Bidirectional(LSTM({first},
    return_sequences=True))`, then through Keras' default `GRU({second})`, then through
    `Dense({classes})`. How many parameters do these three layers have together?"""
    answer = rf"""$2 \cdot 4 \cdot {first}\,({width} + {first} + 1) = {num(lower)}$ (1 point).
    The GRU reads {2 * first} numbers a step and has two rows of biases: $3 \cdot
    {second}\,({2 * first} + {second} + 2) = {num(upper)}$ (2 points). $({second} + 1) \cdot
    {classes} = {num(head)}$; together ${num(lower + upper + head)}$ (1 point)."""
    given = {"width": width, "first": first, "second": second, "classes": classes}
    one = Question(asked, answer, given, (lower + upper + head,))
    mistakes = [
        (lower + 3 * second * (first + second + 2) + head, "the GRU reads one direction only"),
        (lower + upper - 3 * second + head, "the GRU's second row of biases is missing"),
        (lower // 2 + upper + head, "the LSTM runs in one direction only"),
        (lower + 4 * second * (2 * first + second + 1) + head, "the GRU was taken for an LSTM"),
    ]
    return offer(draw, one, mistakes)
