"""The results of lecture 3's drawn exam questions, computed a second time."""

import math


def opened(x):
    return 1 / (1 + math.exp(-x))


def lstm_unit(c, i, f, g, o):
    new = opened(f) * c + opened(i) * math.tanh(g)
    return new, opened(o) * math.tanh(new), opened(f)


def cell_parameters(inputs, units, batch, steps):
    def cell(blocks, biases=1):
        return blocks * (inputs * units + units**2 + biases * units)

    shapes = (f"({batch}, {steps}, {units + units})", f"({batch}, {units + units})")
    return cell(1), cell(4), cell(3), cell(3, biases=2), 2 * cell(4), *shapes


def gru_both_forms(h, z, r, x_g, u_g, second):
    def mixed(inner):
        return opened(z) * h + (1 - opened(z)) * math.tanh(inner)

    reset = opened(r)
    return mixed(x_g + u_g * (reset * h)), mixed(x_g + reset * (second + u_g * h))


def constant_gate(gate, write, steps, share):
    state, states = 0.0, []
    while len(states) < 5_000:
        state = gate * state + write
        states.append(state)
    needed = next(n for n, c in enumerate(states, 1) if c >= share / 100 * states[-1])
    return states[steps - 1], states[-1], needed


def half_life(steps, later, start, distance):
    gate = math.exp(-math.log(2) / steps)
    return -math.log(1 / gate - 1), gate**later, math.exp(distance * math.log(opened(start)))


def stacked_parameters(width, first, second, classes):
    lstm = 4 * (width * first + first * first + first)
    gru = 3 * (2 * first * second + second * second) + 6 * second
    return (2 * lstm + gru + second * classes + classes,)
