"""Lab 6c's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_06c
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
    whole,
)

KINDS = ("per", "loc", "org")


def _tagged(draw, length):
    """Draw BIO tags with names of one to three words."""
    tags = []
    while len(tags) < length:
        if draw.random() < 0.5:
            tags.append("O")
        else:
            kind = one_of(draw, KINDS)
            tags += [f"B-{kind}", *[f"I-{kind}"] * whole(draw, 0, 2)]
    return tags[:length]


def _mistaken(draw, tags):
    """Change two tags as a tagger would: an end, a kind, or a name that is none."""
    tags = list(tags)
    for place in some(draw, range(len(tags)), 2):
        tags[place] = (
            "O" if tags[place] != "O" and draw.random() < 0.6 else f"B-{one_of(draw, KINDS)}"
        )
    return tags


@question(points=6)
def f1_by_span(draw):
    true = [_tagged(draw, length) for length in (7, 5)]
    predicted = [_mistaken(draw, tags) for tags in true]
    found = [[lecture_06c.spans(tags) for tags in one] for one in (true, predicted)]
    hits = sum(len(a & b) for a, b in zip(*found, strict=True))
    names, said = (sum(map(len, one)) for one in found)
    right = sum(
        a == b for one in zip(true, predicted, strict=True) for a, b in zip(*one, strict=True)
    )
    f1 = lecture_06c.span_f1(true, predicted)
    if hits < 1 or names == said or hits in (names, said) or names < 3:
        raise DrawAgain
    lines = [
        f"{title:12}" + " ".join(f"{tag:6}" for tag in tags)
        for number in (0, 1)
        for title, tags in (
            (f"true {number + 1}", true[number]),
            (f"predicted {number + 1}", predicted[number]),
        )
    ]
    shown = "\n    ".join(line.rstrip() for line in lines)
    asked = f"""Two sentences, true and predicted tags. Count the names of both and the hits;
    compute precision, recall and F1 by span over both sentences, and the token accuracy. An
    `I-per` after neither `B-per` nor `I-per` begins a name, as in the published scorer; so it
    is with the other kinds.

    ```text
    {shown}
    ```"""
    answer = rf"""True names ${names}$, predicted ${said}$, hits ${hits}$ (2 points). Precision
    ${frac(hits, said)} = {num(hits / said)}$ (1 point), recall ${frac(hits, names)} =
    {num(hits / names)}$ (1 point), F1 $\frac{{2 \cdot {hits}}}{{{names} + {said}}} = {num(f1)}$
    (1 point). Tokens: ${frac(right, 12)} = {num(right / 12)}$ (1 point)."""
    given = {"true": true, "predicted": predicted}
    return Question(
        asked, answer, given, (names, said, hits, hits / said, hits / names, f1, right / 12)
    )


@question(points=4)
def four_heads(draw):
    width, millions = whole(draw, 64, 1_024, 32), whole(draw, 5, 340)
    classes, tags, choices = whole(draw, 2, 20), whole(draw, 5, 40), whole(draw, 3, 6)
    heads = [classes * (width + 1), tags * (width + 1), 2 * (width + 1), width + 1]
    share = max(heads) / millions / 1e6
    asked = f"""An encoder with $C = {width}$ channels and {millions} million parameters gets
    heads for (a) {classes} classes a text, (b) {tags} tags a token, (c) spans, (d) {choices}
    choices. Count the parameters of each head, with biases. What share of the encoder's
    parameters is the largest head?"""
    answer = rf"""(a) ${classes} \cdot {width + 1} = {num(heads[0])}$; (b) ${tags} \cdot
    {width + 1} = {num(heads[1])}$; (c) $2 \cdot {width + 1} = {num(heads[2])}$; (d)
    ${num(heads[3])}$, however many choices there are (3 points; 2 for three of them).
    ${num(share)}$ (1 point)."""
    given = {"width": width, "millions": millions, "classes": classes, "tags": tags}
    return Question(asked, answer, given, (*heads, share))


@question(points=6)
def best_answer(draw):
    start, end = whole(draw, 0, 9, count=7), whole(draw, 0, 9, count=7)
    places, allowed = [2, 3, 5, 6, 7, 8, 9], np.array([[False] * 2 + [True] * 5])
    totals = [
        (start[i] + end[j], places[i], places[j]) for i in range(2, 7) for j in range(i, 7)
    ]
    ranked = sorted(totals, reverse=True)
    best = [places[place] for place in lecture_06c.best_span([start], [end], allowed)[0]]
    inside = places[2 + int(np.argmax(start[2:]))], places[2 + int(np.argmax(end[2:]))]
    one_token = max((start[i] + end[i], places[i]) for i in range(2, 7))
    singles = [start[i] + end[i] for i in range(2, 7)]
    naive = places[int(np.argmax(start))], places[int(np.argmax(end))]
    ties = [max(one) for one in (start, end, start[2:], end[2:], singles)]
    lists = (start, end, start[2:], end[2:], singles)
    if ranked[0][0] == ranked[1][0] or inside[0] <= inside[1] or naive[0] > 3:
        raise DrawAgain
    if (
        any(one.count(top) > 1 for one, top in zip(lists, ties, strict=True))
        or best[0] == best[1]
    ):
        raise DrawAgain
    lines = "\n    ".join(
        f"{title:10}" + "  ".join(f"{value}" for value in one)
        for title, one in (("position", places), ("start", start), ("end", end))
    )
    asked = f"""The question stands at the positions 1 to 3, the text at 5 to 9. Which answer do
    you get by (a) the best start and the best end, (b) the same, but inside the text only, (c)
    the best pair inside the text? (d) Which one is it if answers have only one token? (e) How
    many pairs does (c) compare? (The positions 1 and 4 score lower than all of these.)

    ```text
    {lines}
    ```"""
    answer = rf"""(a) From ${naive[0]}$ to ${naive[1]}$: it begins in the question (1 point).
    (b) Start ${inside[0]}$, end ${inside[1]}$: empty (1 point). (c) $({best[0]}, {best[1]})$
    with ${ranked[0][0]}$ (2 points). (d) ${one_token[1]}$ with ${one_token[0]}$ (1 point). (e)
    $5 \cdot 6 / 2 = 15$ (1 point)."""
    given = {"start": start, "end": end}
    return Question(
        asked,
        answer,
        given,
        (*naive, *inside, ranked[0][0], one_token[1], 15, f"({best[0]}, {best[1]})"),
    )


@question(points=5)
def tags_of_tokens(draw):
    names = {"O": 0, "B-per": 1, "I-per": 2, "B-loc": 3, "I-loc": 4, "B-org": 5, "I-org": 6}
    tags = _tagged(draw, 6)
    pieces = whole(draw, 1, 3, count=6)
    if sum(tag != "O" for tag in tags) < 2 or max(pieces) < 2 or sum(pieces) > 11:
        raise DrawAgain
    numbers = [names[tag] for tag in tags]
    words = [None, *(word for word, count in enumerate(pieces) for _ in range(count)), None]
    labels = lecture_06c.align_tags(numbers, words)
    asked_for = sum(label >= 0 for label in labels)
    wrong = [numbers[word] if word is not None else 0 for word in words]
    begun = sum(label in (1, 3, 5) for label in wrong) - sum(
        label in (1, 3, 5) for label in labels
    )
    if not begun:
        raise DrawAgain
    shown = ", ".join("None" if word is None else str(word) for word in words)
    asked = f"""The tags are numbered
    {", ".join(f"`{name}` {number}" for name, number in names.items())}. A sentence of six words
    has the tags {", ".join(map(str, numbers))}; its tokens belong to the words `[{shown}]`. (a)
    Give the label of each token as the lab aligns them, −1 where nothing is asked. (b) How many
    labels count in the loss? (c) Give the labels of `[tags[w] if w is not None else 0 for w in
    word_ids]`. (d) How many more names begin in (c) than in the sentence?"""
    answer = rf"""(a) ${listed(labels)}$ (2 points). (b) The words' first tokens: ${asked_for}$
    (1 point). (c) ${listed(wrong)}$ (1 point). (d) Every later token of a word that begins a
    name begins one more: ${begun}$ (1 point)."""
    given = {"tags": numbers, "pieces": pieces}
    return Question(asked, answer, given, (*labels, asked_for, *wrong, begun))


@question(points=4)
def pairs_of_choices(draw):
    context, endings = whole(draw, 10, 300), whole(draw, 3, 24, count=4)
    rows = max(endings) + context + 3
    together = context + sum(endings) + 5
    right = 4 * rows**2
    asked = f"""A question of {context} tokens has four endings of {endings[0]}, {endings[1]},
    {endings[2]} and {endings[3]} tokens. BERT puts each choice into a row of its own, with the
    question and three special tokens ([CLS] and two [SEP]); pads fill it up to the longest. How
    many (query, key) pairs does one head of attention compute for the four rows, pads
    included?"""
    answer = rf"""A row has ${context} + {max(endings)} + 3 = {rows}$ tokens (2 points): $4
    \cdot {rows}^2 = {num(right)}$ (2 points)."""
    mistakes = [
        (rows**2, "only one row was counted"),
        ((4 * rows) ** 2, "all rows were joined into one"),
        (together**2, "the question was written once, with all endings after it"),
        (4 * rows * (rows + 1) // 2, "counted with a causal mask"),
        (sum((context + one + 3) ** 2 for one in endings), "the pads were left out"),
    ]
    given = {"context": context, "endings": endings}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)
