"""Lab 6b's exam questions with drawn numbers."""

from collections import Counter

import numpy as np

from lectures import lecture_06b
from lectures.exam_questions import (
    DrawAgain,
    Question,
    listed,
    num,
    one_of,
    question,
    shares,
    tenths,
    whole,
)

CORPORA = (
    ("low lower new newer lowest", ("renew", "slower")),
    ("hug pug pun bun hugs", ("bugs", "gun")),
    ("tap tape map maple tip", ("apple", "tampa")),
    ("red reader trend rest tree", ("dread", "trees")),
    ("cane can canoe ocean one", ("noon", "canon")),
    ("lit little till tile tilt", ("title", "lilt")),
)
SPECIAL = 5  # ids below it are <pad>, <unknown>, <sos>, <eos>, <mask>


@question(points=6)
def merges_by_hand(draw):
    text, strange = one_of(draw, CORPORA)
    words = text.split()
    counts = dict(zip(words, whole(draw, 2, 25, count=5), strict=True))
    merges, split = lecture_06b.train_bpe(counts, 3), {word: list(word) for word in counts}
    steps = []
    for pair in merges:
        found = lecture_06b.count_pairs(split, counts)
        ranked = found.most_common(2)
        if ranked[0][1] == ranked[1][1]:
            raise DrawAgain
        steps.append(ranked[0][1])
        split = {word: lecture_06b.merge(tokens, *pair) for word, tokens in split.items()}
    cut = []
    for word in strange:
        tokens = list(word)
        for pair in merges:
            tokens = lecture_06b.merge(tokens, *pair)
        cut.append(" · ".join(tokens))
    told = ", ".join(f"*{word}* ({count} times)" for word, count in counts.items())
    joined = ["".join(pair) for pair in merges]
    asked = f"""A corpus has the words {told}. (a) Learn the first three merges of BPE, with how
    often each pair occurs. (b) How are *{strange[0]}* and *{strange[1]}* cut with them?
    Characters that do not occur in the corpus stay as they are. (c) How many tokens has the
    corpus after the three merges?"""
    tokens = sum(len(split[word]) * count for word, count in counts.items())
    pairs = zip(merges, steps, strict=True)
    answer = rf"""(a) {"; ".join(f"*{' '.join(pair)}* ${count}$" for pair, count in pairs)},
    that is {", ".join(joined)} (3 points). (b) {cut[0]}; {cut[1]} (2 points). (c)
    ${num(sum(len(word) * count for word, count in counts.items()))}$ characters, less one for
    each pair that was joined: ${num(tokens)}$ (1 point)."""
    given = {"counts": counts, "strange": list(strange)}
    return Question(asked, answer, given, (*joined, *steps, *cut, tokens))


@question(points=5)
def predictions(draw):
    texts, length = whole(draw, 8, 256, 8), whole(draw, 64, 1_024, 4)
    share, epochs = tenths(draw, 0.1, 0.3, 0.01), whole(draw, 2, 12)
    masked, causal = share * texts * length, texts * (length - 1)
    hidden = [part * masked for part in (0.8, 0.1, 0.1)]
    asked = f"""A batch has {texts} texts of {length:,} tokens. (a) How many predictions does
    BERT's objective make on average with {share:.0%}, and how many of these positions hold a
    mask, a random token, the original? (b) How many predictions does a causal model make? (c)
    How many epochs does the masked model need to make as many predictions as the causal one in
    {epochs} epochs (a number with decimals), and what is *not* equal then?""".replace(
        "%", " %"
    )
    answer = rf"""(a) ${num(share)} \cdot {texts} \cdot {num(length)} = {num(masked)}$ (1
    point); ${num(hidden[0])}$, ${num(hidden[1])}$, ${num(hidden[2])}$ (1 point). (b) ${texts}
    \cdot {num(length - 1)} = {num(causal)}$ (1 point). (c) ${epochs} \cdot {num(causal)} /
    {num(masked)} = {num(epochs * causal / masked)}$ (1 point); the masked model reads the text
    more often: computation and the number of updates are larger (1 point)."""
    given = {"texts": texts, "length": length, "share": share, "epochs": epochs}
    return Question(asked, answer, given, (masked, *hidden, causal, epochs * causal / masked))


@question(points=5)
def unigram_baseline(draw):
    p, losses = shares(draw, 5, 20), tenths(draw, 0.3, 2.4, 0.05, 3)
    if len(set(p)) < 3:
        raise DrawAgain
    equal, unigram = float(np.log(5)), float(-(np.array(p) * np.log(p)).sum())
    verdicts = []
    for loss in losses:
        if min(abs(loss - equal), abs(loss - unigram)) < 0.04:
            raise DrawAgain
        if loss > equal:
            verdicts.append("worse than equal probabilities")
        elif loss > unigram:
            verdicts.append("worse than the unigram baseline")
        else:
            verdicts.append("uses context")
    if len(set(verdicts)) < 2:
        raise DrawAgain
    asked = rf"""Five tokens have the shares ${listed(p)}$. (a) Compute the loss and the
    perplexity of equal probabilities and of the unigram baseline. (b) Three models have
    validation losses of ${listed(losses)}$. What can be said about each, if nothing leaks?"""
    answer = rf"""(a) Equal: $\ln 5 = {num(equal)}$, perplexity 5 (1 point). Unigram: $-\sum p
    \ln p = {num(unigram)}$ (1 point), perplexity ${num(np.exp(unigram))}$ (1 point). (b)
    {"; ".join(f"${num(loss)}$: {said}" for loss, said in zip(losses, verdicts, strict=True))}
    (2 points; 1 for two of them)."""
    given = {"p": p, "losses": losses}
    return Question(asked, answer, given, (equal, unigram, np.exp(unigram), *verdicts))


@question(points=5)
def adapters(draw):
    blocks, width, rank = whole(draw, 2, 48), whole(draw, 128, 2_048, 8), whole(draw, 2, 64)
    chosen = one_of(
        draw,
        ["$W^Q$", "$W^Q$ and $W^V$", "$W^Q$, $W^K$ and $W^V$", "$W^Q$, $W^K$, $W^V$ and $W^O$"],
    )
    matrices = chosen.count("W")
    trained, weights = blocks * matrices * 2 * rank * width, 12 * blocks * width**2
    asked = rf"""An encoder has {blocks} blocks with $d = {width}$; a block has $12 d^2$ weights
    (biases neglected). Adapters of rank {rank} stand on {chosen} of each block. (a) How many
    weights are trained? (b) What share of the blocks' weights is that? (c) With $y = xW +
    s(xA)B$ and $g = \partial L / \partial y$, write the gradients of $A$ and $B$ and say which
    of them is zero at the start."""
    answer = rf"""(a) ${blocks} \cdot {matrices} \cdot {rank} \cdot ({width} + {width}) =
    {num(trained)}$ (1 point). (b) Of ${num(weights)}$: ${num(trained / weights)}$ (1 point).
    (c) $\partial L / \partial B = s\,(xA)^\top g$, $\partial L / \partial A = s\,x^\top (g
    B^\top)$ (2 points); with $B = 0$ the gradient of $A$ is zero in the first step (1
    point)."""
    given = {"blocks": blocks, "width": width, "rank": rank, "matrices": matrices}
    return Question(asked, answer, given, (trained, trained / weights))


@question(points=6)
def masked_row(draw):
    length = whole(draw, 6, 8)
    ids = [2, *whole(draw, 5, 60, count=length), 3, 0]
    chance, noise = tenths(draw, 0.01, 0.4, 0.01, len(ids)), whole(draw, 5, 60, count=len(ids))
    share = one_of(draw, [0.1, 0.2, 0.3])
    edges = [share, 0.9 * share, 0.8 * share]
    if min(abs(value - edge) for value in chance for edge in edges) < 0.004:
        raise DrawAgain
    inputs, targets = lecture_06b.hide_tokens(
        *(np.array([one]) for one in (ids, chance, noise)), share
    )
    inputs, targets = inputs[0].tolist(), targets[0].tolist()
    kinds = Counter(
        "mask" if new == 4 else "noise" if new != old else "kept"
        for old, new, target in zip(ids, inputs, targets, strict=True)
        if target
    )
    if (
        kinds["mask"] < 2
        or len(kinds) < 2
        or not any(c < share and i < SPECIAL for c, i in zip(chance, ids, strict=True))
    ):
        raise DrawAgain
    asked = rf"""A row of ids is ${listed(ids)}$; ids below 5 are special tokens (0 pad, 2
    start, 3 end, 4 mask). BERT's rule with a share of {share} is applied with the uniform
    numbers ${listed(chance)}$ and the random tokens ${listed(noise)}$: an ordinary token is
    chosen where its number is below the share; of this range the first 80 % become a mask, the
    next 10 % the random token, and the rest stay. Give the inputs and the targets (0 = not
    asked), and the number of predictions."""
    answer = rf"""Masks below ${num(edges[2])}$, random tokens below ${num(edges[1])}$,
    unchanged below ${share}$; special tokens are never chosen (1 point). Inputs
    ${listed(inputs)}$ (2 points). Targets ${listed(targets)}$ (2 points). Predictions:
    ${sum(map(bool, targets))}$ (1 point)."""
    given = {"ids": ids, "chance": chance, "noise": noise, "share": share}
    return Question(asked, answer, given, (*inputs, *targets, sum(map(bool, targets))))


@question(points=4)
def leaked_tests(draw):
    tests, share = whole(draw, 500, 5_000, 100), whole(draw, 2, 20)
    others, harm = whole(draw, 60, 90), whole(draw, 1, 12)
    copies = tests * share // 100
    measured = share / 100 + (1 - share / 100) * others / 100
    asked = f"""Of {tests:,} test texts, {share} % stand in the pre-training corpus. All of
    these are answered correctly because of the leak, and {others} % of the others. (a) How many
    copies are there? (b) Which accuracy is measured? (c) Which one would it be if {harm} % had
    leaked?"""
    second = harm / 100 + (1 - harm / 100) * others / 100
    answer = rf"""(a) ${num(copies)}$ (1 point). (b) ${num(share / 100)} +
    {num(1 - share / 100)} \cdot {num(others / 100)} = {num(measured)}$ (2 points), instead of
    ${num(others / 100)}$. (c) ${num(second)}$ (1 point)."""
    if harm == share:
        raise DrawAgain
    given = {"tests": tests, "share": share, "others": others, "harm": harm}
    return Question(asked, answer, given, (measured, second, copies))
