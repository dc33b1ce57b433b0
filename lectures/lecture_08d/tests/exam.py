"""The results of lab 8d's drawn exam questions, computed a second time."""

import math


def loop(steps, h):
    """All states of the steps (a, b), one after another."""
    states = []
    for a, b in steps:
        h = a * h + b
        states.append(h)
    return states


def opened(x):
    return 1 / (1 + math.exp(-x))


def kernel_and_state(a, b, x, share):
    kernel = loop([(a, b), (a, 0), (a, 0), (a, 0)], 0)  # the answer to an input of 1
    late = 0
    while a**late * 100 >= share:
        late += 1
    return kernel, loop([(a, b * one) for one in x], 0)[-1], late


def combined_in_both_orders(a, b, start):
    def line(*chosen):
        """The pair of a row of steps, from where they lead 0 and 1."""
        steps = [(a[k], b[k]) for k in chosen]
        low, high = (loop(steps, h)[-1] for h in (0, 1))
        return high - low, low

    every = list(zip(a, b, strict=True))
    states = loop(every, start)[-1], loop([every[0], every[2]], start)[-1]
    return *line(0, 1), *line(1, 2), *line(0, 1, 2), states[0], *line(0, 2), states[1]


def passes_of_a_scan(steps, each, pause, middle, position):
    reach, passes, combined = 1, 0, 0
    while reach < steps:
        combined += len(range(reach, steps))
        reach, passes = 2 * reach, passes + 1
    holds = [{t} for t in range(position + 1)]
    for done in range(middle):
        before = [set()] * 2**done + holds
        holds = [own | earlier for own, earlier in zip(holds, before, strict=False)]
    found = sorted(holds[position])
    return (
        passes,
        combined,
        steps - 1,
        found[0],
        found[-1],
        steps * each / 1e3,
        passes * pause / 1e3,
    )


def mingru_with_a_mask(z, g, hidden, start):
    read = [t for t in range(4) if t != hidden]
    steps = {t: (opened(-z[t]), opened(z[t]) * g[t]) for t in read}
    states = loop(steps.values(), start)
    states.insert(hidden, states[hidden - 1])
    after = [steps[t] for t in read if t > hidden]
    return [opened(z[t]) for t in read], states, loop(after, 0)[-1]


def in_log_space(a, logs, written):
    infinite = next(t for t in range(10_000) if a**-t > 3.4e38)
    nothing = next(t for t in range(10_000) if t * math.log(a) < math.log(1.4e-45))
    L = [sum(logs[: t + 1]) for t in range(3)]
    steps = zip(map(math.exp, logs), written, strict=True)
    return infinite, nothing, *L, loop(steps, 0)[-1]


def kept_while_writing(blocks, width, tokens, N, attending):
    def cache(layers, length):
        return sum(width + width for _ in range(layers)) * length

    selective = [width * N] * blocks
    longer = next(length for length in range(100) if cache(blocks, length) > sum(selective))
    hybrid = cache(attending, tokens) + sum(selective[attending:])
    return sum([width] * blocks), sum(selective), cache(blocks, tokens), hybrid, longer
