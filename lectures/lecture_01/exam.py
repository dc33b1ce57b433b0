"""Lecture 1's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_01
from lectures.exam_questions import (
    DrawAgain,
    Question,
    factor,
    known,
    listed,
    num,
    offer,
    question,
    row,
    shares,
    some,
    whole,
)


def sigmoid(x):
    """σ, the logistic function."""
    return 1 / (1 + np.exp(-x))


WORDS = "superb dull clever slow witty bleak bold flat tender noisy grim neat".split()


@question(points=5)
def tf_idf_row(draw):
    documents = whole(draw, 11, 99)
    frequencies = sorted(whole(draw, 1, documents, count=3), reverse=True)
    counts, words = whole(draw, 1, 4, count=3), some(draw, WORDS, 3)
    if len(set(frequencies)) < 3 or len(set(counts)) == 1:
        raise DrawAgain
    ratios = [(1 + documents) / (1 + df) for df in frequencies]
    scaled = lecture_01.tf_idf(np.array([counts], float), np.array(frequencies), documents)[0]
    idf = np.log(ratios) + 1
    weighted = counts * idf
    asked = rf"""A training set has $N = {documents}$ documents. The words
    {", ".join(f"*{word}*" for word in words)} occur in {frequencies[0]}, {frequencies[1]} and
    {frequencies[2]} of them. A text contains them {counts[0]}, {counts[1]} and {counts[2]}
    times, and no other known word. Compute its tf-idf row over these three columns, with the
    formula of the lecture and scaled to length 1. Which word weighs most? {known(ln=ratios)}"""
    answer = rf"""$\text{{idf}}(w) = \ln\frac{{1 + N}}{{1 + \text{{df}}(w)}} + 1$:
    ${listed(idf)}$ (2 points). Times the counts: ${row(weighted)}$ (1 point), of length
    ${num(np.linalg.norm(weighted))}$ (1 point). Scaled: ${row(scaled)}$;
    *{words[int(scaled.argmax())]}* weighs most (1 point)."""
    given = {"documents": documents, "frequencies": frequencies, "counts": counts}
    return Question(asked, answer, given, tuple(scaled))


@question(points=4)
def flatten_or_average(draw):
    vocabulary, width = whole(draw, 1_000, 30_000, 50), whole(draw, 8, 96, 4)
    length, classes = whole(draw, 15, 80), whole(draw, 3, 12)
    table = vocabulary * width
    flat, mean = length * width * classes + classes, width * classes + classes
    asked = f"""Two networks read {length} ids from a vocabulary of {vocabulary:,} entries
    (padding and unknown included) with `Embedding({vocabulary}, {width})` and end in
    `Dense({classes})` with a bias. One flattens the vectors, the other averages them. How many
    parameters has each, and how many does each gain if the texts become one word longer?"""
    answer = rf"""Table: ${num(vocabulary)} \cdot {width} = {num(table)}$ in both (1 point).
    Flatten: ${length} \cdot {width} \cdot {classes} + {classes} = {num(flat)}$, together
    ${num(table + flat)}$ (1 point). Average: ${width} \cdot {classes} + {classes} =
    {num(mean)}$, together ${num(table + mean)}$ (1 point). A further word adds ${width} \cdot
    {classes} = {num(width * classes)}$ weights to the first and none, that is $0$, to the
    second (1 point)."""
    given = {"vocabulary": vocabulary, "width": width, "length": length, "classes": classes}
    return Question(asked, answer, given, (table + flat, table + mean, width * classes, 0))


@question(points=4)
def training_rows(draw):
    lengths, window, noise = whole(draw, 12, 99, count=3), whole(draw, 2, 5), whole(draw, 2, 9)
    pairs = [len(lecture_01.skip_gram_pairs(["w"] * n, window)) for n in lengths]
    rows = sum(pairs) * (1 + noise)
    total = sum(lengths)
    asked = f"""A corpus has three texts of {lengths[0]}, {lengths[1]} and {lengths[2]} words.
    Skip-gram with a window of {window} takes its pairs from each text by itself, and adds
    {noise} noise words to every real context. How many (centre, word) rows does the network
    train on in one epoch?"""
    answer = rf"""$n$ words and a window $m$ give $m\,(2n - m - 1)$ pairs (2 points):
    ${listed(pairs)}$, together ${num(sum(pairs))}$ (1 point). Each comes with {noise} noise
    words: ${num(sum(pairs))} \cdot {1 + noise} = {num(rows)}$ (1 point)."""
    one = Question(
        asked, answer, {"lengths": lengths, "window": window, "noise": noise}, (rows,)
    )
    mistakes = [
        (2 * window * total * (1 + noise), "the ends of the texts were forgotten"),
        (window * (2 * total - window - 1) * (1 + noise), "the three texts were joined"),
        (sum(pairs) * noise, "the real contexts were left out"),
        (sum(pairs), "the noise words were left out"),
        (rows // 2, "each pair was counted in one direction only"),
    ]
    return offer(draw, one, mistakes)


@question(points=7)
def negative_sampling(draw):
    u, v_c, v_1, v_2 = (whole(draw, -1, 2, count=3) for _ in range(4))
    rate = whole(draw, 1, 10) / 10
    scores = [int(np.dot(u, v)) for v in (v_c, v_1, v_2)]
    if len(set(scores)) < 3 or max(map(abs, scores)) > 2 or not all(map(any, (v_c, v_1, v_2))):
        raise DrawAgain
    errors = [sigmoid(scores[0]) - 1, sigmoid(scores[1]), sigmoid(scores[2])]
    terms = [-np.log(sigmoid(s)) for s in (scores[0], -scores[1], -scores[2])]
    gradient = np.dot(errors, [v_c, v_1, v_2])
    moved = u - rate * gradient
    asked = rf"""$u = {row(u)}$ is a centre vector, $v_c = {row(v_c)}$ its real context, $v_1 =
    {row(v_1)}$ and $v_2 = {row(v_2)}$ are two noise words. Compute the loss of negative
    sampling, its gradient with respect to $u$, and $u$ after one step with learning rate
    ${num(rate)}$. {known(sigma=[*scores, *(-s for s in scores[1:])])}"""
    answer = rf"""Products: ${listed(scores)}$ (1 point). Loss: $-\ln\sigma({num(scores[0])}) -
    \ln\sigma({num(-scores[1])}) - \ln\sigma({num(-scores[2])}) = {" + ".join(map(num, terms))}
    = {num(sum(terms))}$ (2 points). Gradient: ${factor(errors[0])}\,{row(v_c)} +
    {num(errors[1])}\,{row(v_1)} + {num(errors[2])}\,{row(v_2)} = {row(gradient)}$ (3 points,
    one for each term). Step: $u - {num(rate)}\,\nabla_u = {row(moved)}$ (1 point)."""
    given = {"u": u, "v_c": v_c, "v_1": v_1, "v_2": v_2, "rate": rate}
    return Question(asked, answer, given, (sum(terms), *gradient, *moved))


@question(points=5)
def noise_words(draw):
    roots = sorted(some(draw, range(1, 11), 4), reverse=True)
    pairs, noise = whole(draw, 1_000, 90_000, 1_000), whole(draw, 2, 20)
    frequencies = [root**4 for root in roots]
    sampled = lecture_01.noise_distribution(np.array(frequencies, float))
    words, times = some(draw, WORDS, 4), pairs * noise * sampled[-1]
    shown = ", ".join(
        f"*{word}* ${num(count)}$" for word, count in zip(words, frequencies, strict=True)
    )
    asked = rf"""The words of a small corpus have these frequencies: {shown}. (a) With which
    probability is each sampled as a noise word, if frequencies are raised to the power 0.75?
    (b) How often is the rarest one sampled, on average, for ${num(pairs)}$ pairs with {noise}
    noise words each? (c) How often would that be without the power?"""
    cubes = [root**3 for root in roots]
    plain = frequencies[-1] / sum(frequencies)
    answer = rf"""(a) All four are fourth powers, of ${listed(roots)}$, so the power 0.75 makes
    them ${listed(cubes)}$ (1 point), with the sum ${num(sum(cubes))}$: ${listed(sampled)}$ (2
    points). (b) ${num(pairs)} \cdot {noise} \cdot {num(sampled[-1])} = {num(times)}$ (1 point).
    (c) Share ${num(plain)}$, so ${num(pairs * noise * plain)}$ times (1 point)."""
    given = {"frequencies": frequencies, "pairs": pairs, "noise": noise}
    return Question(asked, answer, given, (*sampled, times, pairs * noise * plain))


@question(points=5)
def cosine_neighbour(draw):
    lengths = {(3, 4): 5, (4, 3): 5, (6, 8): 10, (8, 6): 10, (5, 12): 13, (12, 5): 13}
    lengths |= {(1, 0): 1, (0, 2): 2, (8, 15): 17, (15, 8): 17, (9, 12): 15, (12, 9): 15}
    chosen = some(draw, list(lengths), 4)
    signs = [whole(draw, -1, 1, 2, count=2) for _ in chosen]
    vectors = [
        [a * s for a, s in zip(*both, strict=True)] for both in zip(chosen, signs, strict=True)
    ]
    weights = shares(draw, 2, 10)
    words = some(draw, WORDS, 4)
    products_ = [int(np.dot(vectors[0], other)) for other in vectors[1:]]
    directions = lecture_01.unit(np.array(vectors, float))
    cosines = directions[1:] @ directions[0]
    nearest, largest = int(cosines.argmax()), int(np.argmax(products_))
    if len({num(c) for c in cosines}) < 3 or cosines.max() < 0 or nearest == largest:
        raise DrawAgain
    mean = weights[0] * directions[0] + weights[1] * directions[1 + nearest]
    asked = rf"""Word vectors:
    {", ".join(f"*{w}* ${row(v)}$" for w, v in zip(words, vectors, strict=True))}. (a) Compute
    the cosine of *{words[0]}* with each of the others. (b) Which of them is its nearest
    neighbour by cosine, and which one by the plain product? Why do they differ? (c) Scale
    *{words[0]}* and its nearest neighbour by cosine to length 1 and give ${weights[0]}$ times
    the first plus ${weights[1]}$ times the second."""
    answer = rf"""(a) Lengths ${listed(lengths[one] for one in chosen)}$; products
    ${listed(products_)}$ (1 point); cosines ${listed(cosines)}$ (1 point). (b)
    *{words[1 + nearest]}* by cosine, *{words[1 + largest]}* by the product (1 point); the
    product also grows with the length of a vector (1 point). (c) ${row(mean)}$ (1 point)."""
    given = {"vectors": vectors, "weights": weights}
    return Question(asked, answer, given, (*cosines, *mean))
