"""Lab 3c's exam questions with drawn numbers."""

import numpy as np

from lectures.exam_questions import (
    DrawAgain,
    Question,
    factor,
    frac,
    known,
    num,
    question,
    signed,
    tenths,
    whole,
)
from lectures.lecture_03 import lstm_step, sigmoid


@question(points=5)
def log_bias(draw):
    horizon, steps = whole(draw, 10, 200), whole(draw, 10, 300)
    bias, other = tenths(draw, 1, 5, 0.1), whole(draw, 10, 120)
    gate = sigmoid(np.log(horizon))
    left, second = gate**steps, sigmoid(bias) ** other
    half = np.log(0.5) / np.log(gate)
    asked = rf"""A forget gate starts with the bias $\ln {horizon}$. (a) Show that it keeps
    $\frac{{{horizon}}}{{{horizon + 1}}}$ of the cell state a step. (b) What is left after
    {steps} steps, and after how many steps is half left (a number with decimals)? (c) What is
    left after {other} steps with the bias ${num(bias)}$?"""
    answer = rf"""(a) $\sigma(\ln T) = \frac{{1}}{{1 + e^{{-\ln T}}}} = \frac{{1}}{{1 + 1/T}} =
    \frac{{T}}{{T + 1}}$ (1 point), here ${num(gate)}$ (1 point). (b)
    $({horizon}/{horizon + 1})^{{{steps}}} = {num(left)}$ (1 point); $\ln 0.5 /
    \ln({horizon}/{horizon + 1}) = {num(half)}$ (1 point). (c)
    $\sigma({num(bias)})^{{{other}}} = {num(sigmoid(bias))}^{{{other}}} = {num(second)}$ (1
    point)."""
    given = {"horizon": horizon, "steps": steps, "bias": bias, "other": other}
    return Question(asked, answer, given, (gate, left, half, second))


@question(points=6)
def chrono(draw):
    u, g = whole(draw, 19, 199), tenths(draw, -0.9, 0.9, 0.1)
    start, steps = tenths(draw, -3, 3, 0.5), whole(draw, 5, 90)
    if not g or start == g:
        raise DrawAgain
    f, i = u / (u + 1), 1 / (u + 1)
    reached = g + (start - g) * f**steps
    open_limit = 0.5 * g / (1 - f)
    asked = rf"""Chrono initialisation sets $b_f = \ln u$ and $b_i = -b_f$; a unit has $u =
    {u}$. (a) Compute both gates of a new unit that sees its biases alone. Which relation holds
    between them for every $u$? (b) The candidate is constantly ${num(g)}$ and $c_0 =
    {num(start)}$. To which value does the cell state tend, and what is $c_{{{steps}}}$? (c) To
    which value would it tend if $b_i$ were 0?"""
    answer = rf"""(a) $f = {frac(u, u + 1)} = {num(f)}$, $i = \sigma(-\ln u) = {num(i)}$ (1
    point); $\sigma(-a) = 1 - \sigma(a)$, so $i = 1 - f$ (1 point). (b) The fixed point of $c =
    fc + ig$ is $ig / (1 - f) = {num(g)}$ (1 point). The distance to it shrinks by $f$ a step:
    $c_{{{steps}}} = {num(g)} {signed(start - g)} \cdot {num(f)}^{{{steps}}} = {num(reached)}$
    (2 points). (c) $0.5 \cdot {factor(g)} / {num(1 - f)} = {num(open_limit)}$: the cell would
    sum up everything, and $\tanh(c)$ would saturate (1 point)."""
    given = {"u": u, "g": g, "start": start, "steps": steps}
    return Question(asked, answer, given, (f, i, g, reached, open_limit))


@question(points=6)
def coupled_or_plain(draw):
    c, (f, g, i, o) = tenths(draw, -3, 3, 0.25), tenths(draw, -3, 3, 0.5, 4)
    if abs(c) < 0.5 or not g or f == -i:
        raise DrawAgain
    zeros = np.zeros((1, 1)), np.array([[c]]), np.zeros((1, 4)), np.zeros((1, 4))
    x, forget, candidate = np.zeros((1, 1)), sigmoid(f), np.tanh(g)
    coupled_h, coupled = (float(one[0, 0]) for one in lstm_step(x, *zeros, [-f, f, g, o]))
    plain_h, plain = (float(one[0, 0]) for one in lstm_step(x, *zeros, [i, f, g, o]))
    asked = rf"""A unit has $c_{{t-1}} = {num(c)}$; the sum of the forget gate is ${num(f)}$,
    that of the candidate ${num(g)}$, that of the output gate ${num(o)}$. Compute the new cell
    state and $h_t$ (a) of an LSTM with coupled gates, (b) of a plain LSTM whose input gate has
    the sum ${num(i)}$. (c) Why does a coupled cell never leave the range from −1 to 1 once it
    is in it? {known(sigma=[f, i, o], tanh=[g])}"""
    answer = rf"""$f = {num(forget)}$, $g = {num(candidate)}$, $o = {num(sigmoid(o))}$ (1
    point). (a) ${num(forget)} \cdot {factor(c)} + {num(1 - forget)} \cdot {factor(candidate)} =
    {num(coupled)}$ (1 point), $h_t = o\tanh c_t = {num(coupled_h)}$ (1 point). (b)
    ${num(forget)} \cdot {factor(c)} + {num(sigmoid(i))} \cdot {factor(candidate)} =
    {num(plain)}$ (1 point), $h_t = {num(plain_h)}$ (1 point). (c) $fc + (1 - f)\,g$ is a
    weighted mean of $c$ and $g$, and both lie in the range (1 point)."""
    given = {"c": c, "f": f, "g": g, "i": i, "o": o}
    return Question(asked, answer, given, (coupled, coupled_h, plain, plain_h))


@question(points=5)
def four_cells(draw):
    inputs, units = whole(draw, 8, 256, 2), whole(draw, 8, 256, 2)
    classes = whole(draw, 2, 60)
    head, block = (units + 1) * classes, units * (inputs + units + 1)
    cells = [4 * block, 4 * block + 3 * units, 3 * block, 3 * block + 3 * units]
    asked = f"""A network reads vectors of {inputs} numbers with one recurrent layer of {units}
    units and ends in `Dense({classes})`. Give its parameters with an LSTM, a peephole LSTM, a
    coupled LSTM and Keras' default GRU. Which share of an LSTM layer's parameters does coupling
    save, whatever the sizes?"""
    answer = rf"""One block: ${units}\,({inputs} + {units} + 1) = {num(block)}$; output layer
    ${num(head)}$ (1 point). LSTM: $4 \cdot {num(block)} + {num(head)} =
    {num(cells[0] + head)}$; peephole: $3 \cdot {units}$ more, ${num(cells[1] + head)}$ (1
    point). Coupled: three blocks, ${num(cells[2] + head)}$ (1 point). GRU: three blocks and a
    second row of biases, ${num(cells[3] + head)}$ (1 point). One block of four: a quarter (1
    point)."""
    given = {"inputs": inputs, "units": units, "classes": classes}
    return Question(asked, answer, given, tuple(cell + head for cell in cells))


@question(points=7)
def peephole_step(draw):
    c, (i, f, g, o) = tenths(draw, -2, 2, 0.5), tenths(draw, -2, 2, 0.5, 4)
    p = tenths(draw, -1, 1, 0.5, 3)
    if not c or not g or 0 in p:
        raise DrawAgain
    opened_i, opened_f = sigmoid(i + p[0] * c), sigmoid(f + p[1] * c)
    new = opened_f * c + opened_i * np.tanh(g)
    opened_o = sigmoid(o + p[2] * new)
    h = opened_o * np.tanh(new)
    asked = rf"""A peephole LSTM unit has $c_{{t-1}} = {num(c)}$ and the peephole weights $p_i =
    {num(p[0])}$, $p_f = {num(p[1])}$, $p_o = {num(p[2])}$. Without them, the sums would be
    ${num(i)}$ for the input gate, ${num(f)}$ for the forget gate, ${num(g)}$ for the candidate
    and ${num(o)}$ for the output gate. Compute $c_t$ and $h_t$. Which cell state does the
    output gate look at? {known(sigma=[i + p[0] * c, f + p[1] * c], tanh=[g])}"""
    answer = rf"""$i = \sigma({num(i)} {signed(p[0] * c)}) = {num(opened_i)}$ (1 point), $f =
    \sigma({num(f)} {signed(p[1] * c)}) = {num(opened_f)}$ (1 point), $g = \tanh({num(g)}) =
    {num(np.tanh(g))}$ (1 point). $c_t = {num(opened_f)} \cdot {factor(c)} + {num(opened_i)}
    \cdot {factor(np.tanh(g))} = {num(new)}$ (1 point). The output gate looks at the new one (1
    point): $o = \sigma({num(o)} {signed(p[2] * new)}) = {num(opened_o)}$ (1 point); $h_t =
    {num(h)}$ (1 point)."""
    given = {"c": c, "i": i, "f": f, "g": g, "o": o, "p": p}
    return Question(asked, answer, given, (new, h))


@question(points=4)
def start_of_all_gates(draw):
    bias, value = tenths(draw, 0.5, 4, 0.1), tenths(draw, -2, 2, 0.1)
    state, kept = tenths(draw, -1.5, 1.5, 0.1), tenths(draw, 0.5, 4, 0.1)
    if abs(value) < 0.3 or abs(state) < 0.3 or bias == kept:
        raise DrawAgain
    zeros = np.zeros((1, 1)), np.array([[state]]), np.zeros((1, 4)), np.zeros((1, 4))
    wrong = lstm_step(np.zeros((1, 1)), *zeros, [bias, kept, bias, bias])[1][0, 0]
    right = lstm_step(np.zeros((1, 1)), *zeros, [0, kept, 0, 0])[1][0, 0]
    written = lstm_step(np.zeros((1, 1)), *zeros, [0, kept, value, 0])[1][0, 0]
    asked = rf"""In an LSTM all weights start near 0, so that a new unit sees its biases alone.
    $c_{{t-1}} = {num(state)}$, $h_{{t-1}} = 0$, and the forget bias is ${num(kept)}$. Compute
    $c_t$ (a) if the three other biases are 0, (b) if they are ${num(bias)}$ by mistake, (c) if
    they are 0 and the input gives the candidate the sum ${num(value)}$. What is wrong with (b)?
    {known(sigma=[kept, bias], tanh=[bias, value])}"""
    answer = rf"""$f = {num(sigmoid(kept))}$. (a) $g = 0$, so $c_t = f\,c_{{t-1}} =
    {num(right)}$ (1 point). (b) ${num(right)} + {num(sigmoid(bias))} \cdot {num(np.tanh(bias))}
    = {num(wrong)}$ (1 point): it writes a constant at every step, whatever the input (1 point).
    (c) ${num(right)} + 0.5 \cdot {factor(np.tanh(value))} = {num(written)}$ (1 point)."""
    given = {"bias": bias, "value": value, "state": state, "kept": kept}
    return Question(asked, answer, given, (right, wrong, written))
