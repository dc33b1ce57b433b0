"""Lecture 4's exam questions with drawn numbers."""

import numpy as np

from lectures import lecture_04
from lectures.exam_questions import (
    DrawAgain,
    Question,
    listed,
    num,
    offer,
    products,
    question,
    row,
    signed,
    some,
    tenths,
    whole,
)


@question(points=6)
def convolution_by_hand(draw):
    x, K, b = whole(draw, -2, 5, count=7), whole(draw, -2, 2, count=3), whole(draw, -2, 2)
    if 0 in K or len(set(x)) < 5 or K[::-1] == K:
        raise DrawAgain
    inputs, kernel = np.array(x)[None, :, None], np.array(K)[:, None, None]
    valid, strided, dilated = (
        lecture_04.convolve(inputs, kernel, b, **how)[0, :, 0]
        for how in ({}, {"stride": 2}, {"dilation": 2})
    )
    causal = lecture_04.causal_convolution(inputs, kernel, b)[0, :2, 0]
    asked = rf"""$x = {listed(x)}$, one channel, $K = {row(K)}$, $b = {num(b)}$. Compute the
    outputs (a) for `valid` padding, (b) for `valid` padding with stride 2, (c) for `valid`
    padding with dilation 2 and stride 1, and (d) the first two outputs for `causal` padding
    with dilation 1."""
    answer = rf"""(a) The first is ${products(K, x[:3])} {signed(b)} = {num(valid[0])}$; all:
    ${listed(valid)}$ (2 points). (b) Every second of them: ${listed(strided)}$ (1 point). (c)
    The windows reach over five steps: ${listed(dilated)}$ (2 points). (d) The windows are $0,
    0, {x[0]}$ and $0, {x[0]}, {x[1]}$: ${listed(causal)}$ (1 point)."""
    given = {"x": x, "K": K, "b": b}
    return Question(asked, answer, given, (*valid, *strided, *dilated, *causal))


@question(points=6)
def shapes_of_a_convnet(draw):
    vocabulary, width = whole(draw, 2_000, 20_000, 500), whole(draw, 16, 128, 8)
    filters, kernels = whole(draw, 16, 96, 8, count=2), whole(draw, 3, 7, count=2)
    pool, dilation, pooled = whole(draw, 2, 5), whole(draw, 1, 3), whole(draw, 20, 60)
    words = pool * pooled
    left = pooled - (kernels[1] - 1) * dilation
    counts = [
        vocabulary * width,
        kernels[0] * width * filters[0] + filters[0],
        kernels[1] * filters[0] * filters[1] + filters[1],
        filters[1] + 1,
    ]
    asked = f"""Texts of {words} ids pass `Embedding({vocabulary}, {width})`,
    `Conv1D({filters[0]}, {kernels[0]}, padding="same")`, `MaxPooling1D({pool})`,
    `Conv1D({filters[1]}, {kernels[1]}, dilation_rate={dilation})`, `GlobalMaxPooling1D()`,
    `Dense(1)`. Give shape (without the batch) and parameters after each layer, and the sum."""
    shapes = [
        f"({words}, {width})",
        f"({words}, {filters[0]})",
        f"({pooled}, {filters[0]})",
        f"({left}, {filters[1]})",
        f"({filters[1]},)",
    ]
    answer = rf"""{shapes[0]}, ${num(counts[0])}$; {shapes[1]}, ${kernels[0]} \cdot {width}
    \cdot {filters[0]} + {filters[0]} = {num(counts[1])}$; {shapes[2]}, $0$; {shapes[3]}, since
    the windows reach over {(kernels[1] - 1) * dilation + 1} steps, ${kernels[1]} \cdot
    {filters[0]} \cdot {filters[1]} + {filters[1]} = {num(counts[2])}$; {shapes[4]}, $0$; (1,),
    ${num(counts[3])}$. The sum is ${num(sum(counts))}$. Half a point for each of the six shapes
    (3 points) and for each of the four counts above 0, and one point for the sum (3 points in
    all)."""
    given = {
        "words": words,
        "vocabulary": vocabulary,
        "width": width,
        "filters": filters,
        "kernels": kernels,
        "pool": pool,
        "dilation": dilation,
    }
    return Question(asked, answer, given, (*shapes, *counts, sum(counts)))


@question(points=5)
def field_of_a_stack(draw):
    kernels, pool = whole(draw, 2, 7, count=3), whole(draw, 2, 4)
    dilations, words = whole(draw, 1, 4, count=2), whole(draw, 20, 3_000)
    stack = [
        (kernels[0], 1, 1),
        (pool, pool, 1),
        (kernels[1], 1, dilations[0]),
        (kernels[2], 1, dilations[1]),
    ]
    fields = [lecture_04.receptive_field(stack[: n + 1]) for n in range(4)]
    needed = next(n for n in range(1, 20) if 2 ** (n + 1) - 1 >= words)
    asked = f"""(a) Compute the receptive field of one output of this stack: convolution of
    width {kernels[0]}; pooling by {pool} (stride {pool}); convolution of width {kernels[1]}
    with dilation {dilations[0]}; convolution of width {kernels[2]} with dilation
    {dilations[1]}. (b) Convolutions of width 3 have the dilations 1, 2, 4, …. Derive how many
    words $n$ of them see, and say how many are needed for {words:,} words."""
    answer = rf"""(a) ${fields[0]}$; pooling adds ${pool - 1}$: ${fields[1]}$, jump {pool};
    ${kernels[1] - 1} \cdot {dilations[0]} \cdot {pool}$: ${fields[2]}$; ${kernels[2] - 1} \cdot
    {dilations[1]} \cdot {pool}$: ${fields[3]}$ (3 points). (b) $1 + 2\sum_{{i=0}}^{{n-1}} 2^i =
    2^{{n+1}} - 1$ (1 point), so ${needed}$ layers, which see ${num(2 ** (needed + 1) - 1)}$
    words (1 point)."""
    given = {"kernels": kernels, "pool": pool, "dilations": dilations, "words": words}
    return Question(asked, answer, given, (fields[3], needed))


@question(points=4)
def dense_or_convolution(draw):
    steps, channels = whole(draw, 40, 200), whole(draw, 8, 64, 2)
    filters, kernel = whole(draw, 8, 96, 2), whole(draw, 3, 9)
    if channels == filters:
        raise DrawAgain
    dense = steps * channels * steps * filters + steps * filters
    local = kernel * channels * filters + filters
    asked = f"""A layer turns inputs ({steps}, {channels}) into outputs ({steps}, {filters}).
    Compare the parameters of a `Dense` layer on the flattened input with those of
    `Conv1D({filters}, {kernel}, padding="same")`. By which factor do they differ? Which two
    assumptions about the data make the saving possible?"""
    answer = rf"""Dense: ${num(steps * channels)} \cdot {num(steps * filters)} +
    {num(steps * filters)} = {num(dense)}$ (1 point). Convolution: ${kernel} \cdot {channels}
    \cdot {filters} + {filters} = {num(local)}$ (1 point), fewer by a factor of
    ${num(dense / local)}$ (1 point). What matters is local, and it means the same at every
    position (1 point)."""
    given = {"steps": steps, "channels": channels, "filters": filters, "kernel": kernel}
    return Question(asked, answer, given, (dense, local, dense / local))


@question(points=5)
def time_against_length(draw):
    fixed, each = tenths(draw, 0.5, 5, 0.1), tenths(draw, 0.005, 0.04, 0.001)
    lengths = [whole(draw, 50, 300, 10), whole(draw, 800, 3_000, 50)]
    times = [round(fixed + each * length, 3) for length in lengths]
    slope = np.log(times[1] / times[0]) / np.log(lengths[1] / lengths[0])
    asked = rf"""A training step of a convolutional network takes {times[0]} ms at {lengths[0]}
    words and {times[1]} ms at {lengths[1]:,} words. (a) What is the mean slope of its curve in
    a plot with two logarithmic axes? (b) Fit $a + bS$ and explain $a$ and $b$. (c) At which
    length are both parts equal, and which slope does the curve approach far beyond it?"""
    answer = rf"""(a) $\ln({num(times[1] / times[0])}) / \ln({num(lengths[1] / lengths[0])}) =
    {num(slope)}$ (1 point). (b) $b = {num(times[1] - times[0])} /
    {num(lengths[1] - lengths[0])} = {num(each)}$ ms a word (1 point), $a = {num(times[0])} -
    {num(each * lengths[0])} = {num(fixed)}$ ms (1 point); $a$ is the cost of a step whatever
    the length, $b$ the work for each word (1 point). (c) $a / b = {num(fixed / each)}$ words; 1
    (1 point)."""
    given = {"lengths": lengths, "times": times}
    return Question(asked, answer, given, (slope, each, fixed, fixed / each))


@question(points=4)
def largest_of_a_filter(draw):
    names = some(draw, ["film", "plot", "cast", "end", "score", "scene", "tone"], 6)
    channels = [whole(draw, -4, 6, count=2) for _ in names]
    K, b = [whole(draw, -3, 3, count=2) for _ in range(2)], whole(draw, -6, 3)
    inputs, kernel = np.array(channels)[None], np.array(K)[:, :, None]
    sums = lecture_04.convolve(inputs, kernel, b)[0, :, 0]
    right = max(0, float(sums.max()))
    if sums.max() <= 0 or (sums == sums.max()).sum() > 1 or not all(map(any, K)):
        raise DrawAgain
    flipped = lecture_04.convolve(inputs, kernel[::-1], b)[0, :, 0]
    window = int(sums.argmax())
    vectors = ", ".join(f"*{w}* ${row(v)}$" for w, v in zip(names, channels, strict=True))
    asked = rf"""A text has the six words {vectors}, given with their vectors of two channels.
    One filter of width 2 has $K_0 = {row(K[0])}$ for the first word of its window, $K_1 =
    {row(K[1])}$ for the second, and $b = {num(b)}$; ReLU and a global maximum follow. What is
    the output?"""
    answer = rf"""The five windows give ${listed(sums)}$ (2 points); ReLU sets negative ones to
    0 (1 point). The largest is ${num(right)}$, of *{names[window]} {names[window + 1]}* (1
    point)."""
    given = {"channels": channels, "K": K, "b": b}
    mistakes = [
        (max(0, flipped.max()), "the kernel was turned round"),
        (max(0, right - b), "the bias was left out"),
        (np.maximum(sums, 0).sum(), "summed over the windows"),
        (np.maximum(sums, 0).mean(), "averaged over the windows"),
        (max(0, sums[0]), "only the first window was computed"),
        (max(0, sums.min()), "the minimum"),
    ]
    return offer(draw, Question(asked, answer, given, (right,)), mistakes)
