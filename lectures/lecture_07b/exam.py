"""Lab 7b's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_07b
from lectures.exam_questions import (
    DrawAgain,
    Question,
    frac,
    listed,
    num,
    offer,
    question,
    row,
    some,
    tenths,
    whole,
)
from lectures.lecture_06 import scaled_dot_product


@question(points=6)
def edits(draw):
    true = whole(draw, 0, 9, count=5)
    written = list(true)
    del written[whole(draw, 0, 3)]
    written.insert(whole(draw, 1, 4), whole(draw, 0, 9))
    if draw.random() < 0.5:
        written[whole(draw, 0, 4)] = whole(draw, 0, 9)
    short = whole(draw, 0, 9, count=whole(draw, 2, 4))
    table = lecture_07b.edit_table(written, true)
    distance, wrong = (
        int(table[-1, -1]),
        sum(a != b for a, b in zip(written, true, strict=True)),
    )
    if wrong <= distance or distance < 2:
        raise DrawAgain
    rate = distance / (5 + len(short))
    lines = [
        ["", "–", *true],
        *([digit, *cells] for digit, cells in zip(["–", *written], table, strict=True)),
    ]
    shown = [f"| {' | '.join(map(str, line))} |" for line in lines]
    shown.insert(1, "| --- |" + " --- |" * 6)
    asked = f"""A reader writes `{" ".join(map(str, written))}`; the true number is
    `{" ".join(map(str, true))}`. (a) Fill the table of edit distances and give the distance.
    (b) How many digits are wrong when they are compared position by position? (c) A second text
    is read correctly: `{" ".join(map(str, short))}`. Give the digit error rate and the exact
    match of the two texts together."""
    joined = "\n    ".join(shown)
    answer = rf"""(a) Rows: the first 0 to 5 written digits; columns: the first 0 to 5 true
    ones.

    {joined}

    Distance ${distance}$ (3 points). (b) ${wrong}$ (1 point). (c) Error rate
    ${frac(distance, 5 + len(short))} = {num(rate)}$ (1 point); exact match ${num(0.5)}$ (1
    point)."""
    given = {"true": true, "written": written, "short": short}
    return Question(asked, answer, given, (distance, wrong, rate, 0.5))


@question(points=5)
def one_step_of_attention(draw):
    parts, values = (
        some(draw, [1, 2, 3, 4, 5, 6], 3),
        [whole(draw, -4, 9, count=2) for _ in range(3)],
    )
    total = sum(parts)
    keys = np.zeros((3, 4))
    keys[:, 0] = 2 * np.log(parts)
    query = np.array([[1.0, 0, 0, 0]])
    context, weights = (
        one[0] for one in scaled_dot_product(query, keys, np.array(values, float))
    )
    sharp = np.array(parts) ** 2 / sum(part**2 for part in parts)
    asked = rf"""One step of a decoder attends to three patches; $d_k = 4$. The dot products of
    its query with the three keys are $2 \ln {parts[0]}$, $2 \ln {parts[1]}$ and $2 \ln
    {parts[2]}$; the values are ${row(values[0])}$, ${row(values[1])}$ and ${row(values[2])}$.
    (a) Compute weights and context. (b) What would the weights be without the factor
    $1/\sqrt{{d_k}}$? (c) Why is the factor there?"""
    answer = rf"""(a) Divided by $\sqrt 4$, exponentials ${listed(parts)}$ (1 point), sum
    {total}: weights ${row(weights)}$ (1 point), context ${row(context)}$ (1 point). (b)
    Exponentials ${listed(part**2 for part in parts)}$: ${row(sharp)}$ (1 point). (c) Dot
    products of vectors with independent entries of variance 1 have variance $d_k$; without the
    factor a wide head would start with a saturated softmax and small gradients (1 point)."""
    given = {"parts": parts, "values": values}
    return Question(asked, answer, given, (*weights, *context, *sharp))


@question(points=5)
def classes_or_decoder(draw):
    symbols, length, longer = whole(draw, 10, 40), whole(draw, 2, 3), whole(draw, 4, 5)
    channels, width = whole(draw, 16, 256, 2), whole(draw, 16, 128, 2)
    vocabulary = symbols + 4
    classes = [symbols**count * (channels + 1) for count in (length, longer)]
    decoder = vocabulary * width + vocabulary * (width + 1)
    asked = rf"""Codes of {length} characters, from an alphabet of {symbols}, are to be read.
    Compare (a) a classifier with one class for each code on a pooled vector of {channels}
    channels with (b) those weights of a decoder of width {width} that depend on its vocabulary
    (the alphabet and four special tokens): an embedding, and an output layer with biases. Count
    the parameters of both. (c) How does each count change for {longer} characters? (d) Name one
    further advantage of the decoder."""
    answer = rf"""(a) ${symbols}^{length} \cdot ({channels} + 1) = {num(classes[0])}$ (1 point).
    (b) ${vocabulary} \cdot {width} + {vocabulary} \cdot ({width} + 1) = {num(decoder)}$ (1
    point). (c) ${symbols}^{longer} \cdot {channels + 1} = {num(classes[1])}$ (1 point);
    unchanged (1 point). (d) What is learned about a character serves all codes that contain it,
    those never seen in training included (1 point)."""
    given = {
        "symbols": symbols,
        "length": length,
        "longer": longer,
        "channels": channels,
        "width": width,
    }
    return Question(asked, answer, given, (classes[0], decoder, classes[1]))


@question(points=5)
def exact_numbers(draw):
    percent, lengths = tenths(draw, 0.5, 6, 0.1), sorted(some(draw, range(3, 15), 3))
    wanted, target = whole(draw, 90, 99), whole(draw, 5, 12)
    right = 1 - percent / 100
    found = [right**length for length in lengths]
    needed, spare = (wanted / 100) ** (1 / target), whole(draw, 2, 9)
    measured = round(found[1] + spare / 100, 2)
    if measured > 0.99:
        raise DrawAgain
    asked = rf"""A reader has an error rate of {percent} % a digit. (a) Give the expected exact
    match for {lengths[0]}, {lengths[1]} and {lengths[2]} digits if errors are independent. (b)
    Which accuracy a digit is needed for {wanted} % exact match with {target} digits? (c) The
    measured exact match of {lengths[1]} digits is {measured}. What does that say about the
    errors?"""
    answer = rf"""(a) ${num(right)}$ to the power of each length: ${listed(found)}$ (2 points).
    (b) ${num(wanted / 100)}^{{1/{target}}} = {num(needed)}$ (1 point). (c) It is above
    ${num(found[1])}$, so errors are not independent: they cluster in few texts, such as badly
    written ones (2 points)."""
    given = {"percent": percent, "lengths": lengths, "wanted": wanted, "target": target}
    return Question(asked, answer, given, (*found, needed))


@question(points=4)
def attention_by_cell(draw):
    parts = whole(draw, 0, 9, count=16)
    total = sum(parts)
    weights = np.array(parts) / 100
    weights[0] += 1 - weights.sum()
    if total > 92 or total < 60:
        raise DrawAgain
    percents = [round(100 * one) for one in weights]
    cells = lecture_07b.weights_by_cell(np.array(percents), 2)
    lines = "\n    ".join(
        " ".join(f"{value:3}" for value in percents[4 * k : 4 * k + 4]) for k in range(4)
    )
    right = int(cells.max())
    asked = f"""A canvas of 2×2 cells, one digit in each, is cut into 4×4 patches. One step of a
    decoder attends to the 16 patches with these weights, in percent:

    ```text
    {lines}
    ```

    How many percent fall on the cell that gets most?"""
    blocks = np.array(percents).reshape(4, 4)
    answer = rf"""A cell is a square of 2×2 patches (1 point). The four sums are
    ${listed(cells)}$ (2 points): ${right}$ % (1 point)."""
    mistakes = [
        (max(percents), "the largest patch"),
        (blocks.sum(axis=1).max(), "the largest row"),
        (blocks.sum(axis=0).max(), "the largest column"),
        (
            max(sum(percents[4 * k : 4 * k + 4]) for k in range(4)) - min(percents),
            "a row without a patch",
        ),
        (right / 4, "the mean over the cell's patches"),
    ]
    given = {"percents": percents}
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)


@question(points=5)
def captioner_of_patches(draw):
    side, patch, words = whole(draw, 6, 16), whole(draw, 2, 8), whole(draw, 14, 400)
    width, written = whole(draw, 32, 256, 16), whole(draw, 5, 24)
    patches = side**2
    weights = patch * patch * width + width
    table = words * width
    products = 2 * written * patches * width
    asked = rf"""A captioner cuts grey images of {side * patch}×{side * patch} pixels into
    patches of {patch}×{patch}, projects them to {width} channels and writes at most {written}
    tokens from a vocabulary of {words}; one matrix embeds the tokens and, transposed, gives
    their logits. (a) How many patches are there? (b) Give the parameters of the projection and
    of that matrix. (c) What shape have the cross-attention weights of one head for a batch of 8
    images? (d) How many multiplications take $QK^\top$ and the weights times $V$ together, in
    all heads, for one image?"""
    answer = rf"""(a) ${patches}$ (1 point). (b) ${patch}^2 \cdot {width} + {width} =
    {num(weights)}$ (1 point) and ${words} \cdot {width} = {num(table)}$ (1 point). (c) (8,
    {written}, {patches}) (1 point). (d) $2 \cdot {written} \cdot {patches} \cdot {width} =
    {num(products)}$ (1 point)."""
    given = {"side": side, "patch": patch, "words": words, "width": width, "written": written}
    return Question(
        asked, answer, given, (patches, weights, table, products, f"(8, {written}, {patches})")
    )
