"""Lab 5b's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_05b
from lectures.exam_questions import (
    DrawAgain,
    Question,
    frac,
    listed,
    num,
    offer,
    one_of,
    question,
    some,
    tenths,
    whole,
)

NOUNS = "cat dog boy girl king nurse baker pilot singer farmer teacher driver".split()
ADJECTIVES = "old young red small tall kind loud quiet happy tired brave proud".split()
VERBS = "sees paints carries finds follows helps hears leaves loves meets".split()
PLACES = "garden kitchen station market river castle forest office school park".split()
KEPT = ((60, 80), (40, 58), (26, 38), (15, 24))  # percent of the n-grams, n = 1 to 4
ENDS = "today again now here alone early".split()


@question(points=8)
def bleu_of_a_set(draw):
    nouns, adjectives = some(draw, NOUNS, 3), some(draw, ADJECTIVES, 2)
    reference = f"the {adjectives[0]} {nouns[0]} {one_of(draw, VERBS)} the {nouns[1]}"
    reference = f"{reference} in the {one_of(draw, PLACES)} {one_of(draw, ENDS)}".split()
    said = list(reference)
    for change in some(draw, ("drop", "put in", "replace"), 2):
        if change == "drop":
            del said[whole(draw, 0, len(said) - 1)]
        elif change == "put in":
            said.insert(said.index("the", 3) + 1, adjectives[1])
        else:
            said = [nouns[2] if word == nouns[1] else word for word in said]
    counts = []
    for n in range(1, 5):
        runs = [
            [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]
            for words in (said, reference)
        ]
        shared = sum(min(runs[0].count(run), runs[1].count(run)) for run in set(runs[0]))
        counts.append((shared, len(runs[0])))
    if not counts[3][0] or len(set(said)) < 6 or counts[0][0] == counts[0][1]:
        raise DrawAgain
    sentences = whole(draw, 8, 40)
    words = [whole(draw, 8 * sentences, 12 * sentences) for _ in range(2)]
    totals = [words[0] - n * sentences for n in range(4)]
    found = [
        total * whole(draw, *share) // 100 for total, share in zip(totals, KEPT, strict=True)
    ]
    rest = list(zip(found, totals, strict=True))
    score = lecture_05b.bleu([said], [reference])
    product = float(np.prod([shared / total for shared, total in counts]))
    summed = [(a + c, b + d) for (a, b), (c, d) in zip(counts, rest, strict=True)]
    lengths = [len(said) + words[0], len(reference) + words[1]]
    precision = float(np.exp(np.mean([np.log(a / b) for a, b in summed])))
    penalties = [
        min(1.0, float(np.exp(1 - r / n))) for n, r in ((len(said), len(reference)), lengths)
    ]
    of_the_pair, of_the_rest, of_all = (
        ", ".join(f"$p_{n} = {a}/{b}$" for n, (a, b) in enumerate(one, start=1))
        for one in (counts, rest, summed)
    )
    asked = f"""(a) Compute BLEU of the translation "{" ".join(said)}" for the reference
    "{" ".join(reference)}": the four clipped precisions, the brevity penalty and the score. (b)
    The rest of the test set, {sentences} sentences, has {of_the_rest}, with {words[0]} words in
    the translations and {words[1]} in the references. Compute BLEU of the whole test set."""
    answer = rf"""(a) {of_the_pair} (2 points; 1 with one mistake). The product is
    ${num(product)}$, its fourth root ${num(product**0.25)}$; {len(said)} words for
    {len(reference)}: the brevity penalty is ${num(penalties[0])}$ (1 point). BLEU
    ${num(score)}$ (1 point). (b) Counts are summed before they are divided: {of_all} (2
    points), fourth root of the product ${num(precision)}$, {lengths[0]} words for {lengths[1]}:
    ${num(penalties[1])}$ (1 point). BLEU ${num(100 * penalties[1] * precision)}$ (1 point)."""
    given = {"said": said, "reference": reference, "rest": [list(one) for one in rest]}
    result = (product, score, 100 * penalties[1] * precision)
    return Question(asked, answer, given | {"words": words}, result)


@question(points=4)
def precision_of_a_set(draw):
    lengths = whole(draw, 2, 14, count=3)
    shared = [whole(draw, 0, length) for length in lengths]
    if len(set(lengths)) < 3 or not 0 < sum(shared) < sum(lengths):
        raise DrawAgain
    right = sum(shared) / sum(lengths)
    each = [a / b for a, b in zip(shared, lengths, strict=True)]
    both = list(zip(shared, lengths, strict=True))
    asked = f"""A test set has three sentences. Of the {lengths[0]}, {lengths[1]} and
    {lengths[2]} words of their translations, {shared[0]}, {shared[1]} and {shared[2]} are in
    the reference (each counted as often as the reference has it, at most). What is $p_1$ of the
    test set?"""
    answer = rf"""BLEU sums before it divides (2 points): ${frac(sum(shared), sum(lengths))} =
    {num(right)}$ (2 points)."""
    mistakes = [
        (sum(each) / 3, "the mean of the sentences' precisions"),
        (sum(shared) / 3 / max(lengths), "all were taken to be as long as the longest"),
        (np.prod(each) ** (1 / 3), "their geometric mean"),
        (max(each), "the best sentence alone"),
        (min(each), "the worst sentence alone"),
    ]
    given = {"pairs": [list(pair) for pair in both]}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)


@question(points=6)
def beam_of_two(draw):
    first = sorted(whole(draw, 20, 50, count=2), reverse=True)
    first.append(100 - sum(first))
    second = whole(draw, 50, 98, count=3)
    names = ["A", "B", "C"]
    totals = {}
    for name, p, q in zip(names, first, second, strict=True):
        totals |= {f"{name} x": p * q / 10_000, f"{name} y": p * (100 - q) / 10_000}
    ranked = sorted(totals, key=totals.get, reverse=True)
    best = totals[ranked[0]]
    if not first[0] > first[1] > first[2] > 10 or best - totals[ranked[1]] < 0.005:
        raise DrawAgain
    logs = np.log(first) - np.log(100)

    def step(token, state):
        log_p = np.full(9, -np.inf)
        if state is None:
            log_p[4:7] = logs
            return log_p, "second"
        log_p[7:9] = np.log([second[token - 4], 100 - second[token - 4]]) - np.log(100)
        return log_p, state

    found = [lecture_05b.beam_search(step, None, beams, 2)[0] for beams in (1, 2, 3)]
    words = [" ".join("ABCxy"[token - 4] for token in one) for one in found]
    if words[0] == words[2]:
        raise DrawAgain
    after = "; ".join(
        f"after {n} x {q / 100}, y {round(1 - q / 100, 2)}"
        for n, q in zip(names, second, strict=True)
    )
    asked = f"""All translations have two words. First word: A {first[0] / 100}, B
    {first[1] / 100}, C {first[2] / 100}. Second word, given the first: {after}. Which
    translation do (a) greedy decoding, (b) a beam of 2, (c) a beam of 3 find, and with which
    probability? (d) Which one is the most probable, and which of the three searches make a
    search error?"""
    errors = [
        name
        for name, one in zip(("greedy decoding", "the beam of 2"), words, strict=False)
        if one != ranked[0]
    ]
    answer = rf"""(a) {words[0]} with ${num(totals[words[0]])}$ (1 point). (b) A and B are kept;
    candidates A x ${num(totals["A x"])}$, A y ${num(totals["A y"])}$, B x
    ${num(totals["B x"])}$, B y ${num(totals["B y"])}$: {words[1]} with
    ${num(totals[words[1]])}$ (2 points). (c) C is kept, too, with C x ${num(totals["C x"])}$
    and C y ${num(totals["C y"])}$: {words[2]} with ${num(totals[words[2]])}$ (1 point). (d)
    {ranked[0]} (1 point); a search error is made by {" and ".join(errors)} (1 point)."""
    given = {"first": first, "second": second}
    return Question(asked, answer, given, (*words, *(totals[one] for one in words)))


@question(points=5)
def normalised_by_length(draw):
    lengths = sorted(whole(draw, 3, 16, count=2))
    short, long = -tenths(draw, 1, 5, 0.01), -tenths(draw, 1.2, 9, 0.01)
    divisors = [((5 + n) / 6) ** 0.6 for n in lengths]
    scores = [short / divisors[0], long / divisors[1]]
    means = [short / lengths[0], long / lengths[1]]
    if (
        lengths[1] - lengths[0] < 2
        or short <= long
        or abs(scores[0] - scores[1]) < 0.03
        or means[0] > means[1]
    ):
        raise DrawAgain
    named = [f"the one of {n} tokens" for n in lengths]
    winner = named[int(np.argmax(scores))]
    asked = rf"""A finished translation of {lengths[0]} tokens has log-probability
    ${num(short)}$, one of {lengths[1]} tokens ${num(long)}$. Which one wins (a) without
    normalisation, (b) with the divisor $((5 + n)/6)^{{0.6}}$, (c) with the divisor $n$? (d)
    What goes wrong if the divisor grows too fast with $n$?"""
    answer = rf"""(a) {named[0]} (1 point). (b) Divisors ${num(divisors[0])}$ and
    ${num(divisors[1])}$, scores ${num(scores[0])}$ and ${num(scores[1])}$: {winner} (2 points).
    (c) Mean per token ${num(means[0])}$ and ${num(means[1])}$: {named[1]} (1 point). (d) Long
    translations win, with repetitions and additions (1 point)."""
    given = {"lengths": lengths, "short": short, "long": long}
    return Question(asked, answer, given, (*scores, *means, winner))


@question(points=5)
def input_feeding(draw):
    width, units = whole(draw, 16, 128), whole(draw, 32, 256, 4)
    words, steps = whole(draw, 800, 20_000, 100), whole(draw, 8, 40)
    plain = 3 * (width * units + units**2 + 2 * units)
    fed = 3 * ((width + units) * units + units**2 + 2 * units)
    output = units * words + words
    asked = rf"""A decoder has embeddings of width {width} for {words:,} words, a GRU of {units}
    units with two bias vectors a gate, and a Dense output layer with bias that reads an
    attention vector of length {units}. (a) Count the parameters of the GRU without and with
    input feeding of the attention vector. (b) By which share of the parameters that embedding,
    GRU and output layer have without it does input feeding enlarge the decoder? (c) How many
    times, one after another, does attention have to be computed in training with teacher
    forcing on a target of {steps} tokens, without and with it?"""
    whole_decoder = width * words + plain + output
    answer = rf"""(a) $3\,({width} \cdot {units} + {units}^2 + 2 \cdot {units}) = {num(plain)}$
    (1 point); $3\,({width + units} \cdot {units} + {units}^2 + 2 \cdot {units}) = {num(fed)}$
    (1 point), that is $3 \cdot {units}^2 = {num(fed - plain)}$ more (1 point). (b)
    ${num(fed - plain)} / {num(whole_decoder)} = {num((fed - plain) / whole_decoder)}$ (1
    point). (c) $1$: all words at once after the GRU; with it ${steps}$ times, because the next
    GRU step needs $\tilde a_t$ (1 point)."""
    given = {"width": width, "units": units, "words": words, "steps": steps}
    return Question(asked, answer, given, (plain, fed, (fed - plain) / whole_decoder, 1, steps))


@question(points=4)
def chosen_setting(draw):
    rates = some(draw, [0.0003, 0.001, 0.002, 0.003, 0.01, 0.03], 3)
    losses = [tenths(draw, 1.1, 1.9, 0.01, 3) for _ in rates]
    by_rate = dict(zip(rates, losses, strict=True))
    means = [sum(one) / 3 for one in losses]
    best = lecture_05b.best_setting(lambda rate, seed: by_rate[rate][seed], rates, [0, 1, 2])
    luckiest = rates[int(np.argmin([min(one) for one in losses]))]
    lowest = sorted(min(one) for one in losses)
    if best == luckiest or lowest[0] == lowest[1] or len(set(map(num, means))) < 3:
        raise DrawAgain
    lines = "\n    ".join(
        f"| {rate} | {', '.join(map(str, one))} |" for rate, one in by_rate.items()
    )
    asked = f"""A translator was trained with three learning rates and three seeds each.
    Validation losses:

    | learning rate | losses |
    | --- | --- |
    {lines}

    (a) Which learning rate is chosen? (b) Which one would the smallest single loss have chosen,
    and why is that a bad rule? (c) When is the test part read?"""
    answer = rf"""(a) Means ${listed(means)}$ (1 point): {best} (1 point). (b) {luckiest}; it
    rewards a large spread, for which one lucky run suffices (1 point). (c) Once, with the
    chosen learning rate, after all choices (1 point)."""
    given = {"rates": rates, "losses": losses}
    return Question(asked, answer, given, (*means, str(best), str(luckiest)))
