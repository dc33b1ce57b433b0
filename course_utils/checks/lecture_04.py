"""Checks of lecture 04: one-dimensional convolution."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number
from course_utils.numpy_ref import conv1d


@exercise("04.1", solved="The length of the text is not in it: one kernel serves every place.")
def conv_parameters(answer):
    """Parameters of a Conv1D layer."""
    for kernel, channels, filters in [(7, 128, 32), (3, 10, 4), (5, 6, 9)]:
        got = number(call(answer, kernel, channels, filters))
        truth = kernel * channels * filters + filters
        why = f"for ({kernel}, {channels}, {filters}) it is {truth:,}, and you have {got:,.10g}"
        require(got != truth - filters, f"{why}: one bias a filter is missing")
        require(
            got not in (kernel * filters + filters, kernel * filters),
            f"{why}: each filter spans all {channels} channels, and has a number for each",
        )
        require(
            got not in [truth - filters + biases for biases in (1, kernel, channels)],
            f"{why}: one bias for each filter, so {filters} of them",
        )
        require(
            got != truth - filters + kernel * filters,
            f"{why}: the bias belongs to the filter, not to each place of the window",
        )
        require(
            got != kernel * channels + channels and got != kernel * channels,
            f"{why}: that is one filter; there are {filters}",
        )
        require(got == truth, f"{why}: a number for each place, channel and filter, and biases")


@exercise("04.2", solved="Ask this of your shortest text before you train.")
def answers_of(answer):
    """How many windows padding "valid" has."""
    for steps, kernel, stride, dilation in [
        (10, 3, 1, 1),
        (11, 4, 2, 1),
        (10, 4, 2, 1),
        (20, 3, 1, 4),
        (23, 4, 3, 2),
        (7, 7, 1, 1),
    ]:
        got = number(call(answer, steps, kernel, stride, dilation))
        truth = conv1d.output_length(steps, kernel, stride, "valid", dilation)
        wide = conv1d.width(kernel, dilation)
        sizes = f"steps={steps}, kernel={kernel}, stride={stride}, dilation={dilation}"
        why = f"for {sizes} there are {truth} windows, and you have {got:.10g}"
        mistakes = {
            steps - wide + 1: f"count only every start that is a multiple of {stride}",
            steps - kernel + 1: f"count only every start that is a multiple of {stride}",
            (steps - kernel) // stride
            + 1: f"holes make the window wider: it spans {wide} words",
            (steps - kernel * dilation) // stride + 1: f"{kernel} words have {kernel - 1} gaps "
            f"between them: the window spans ({kernel} - 1) * {dilation} + 1 = {wide} words",
            (steps - wide) // stride: "the window at the very start counts too: one more",
            -(-(steps - wide) // stride)
            + 1: "the last start does not fit any more: round down",
            steps: "with 'valid' no zeros are added at the ends",
        }
        mistakes.pop(truth, None)
        require(got not in mistakes, f"{why}: {mistakes.get(got)}")
        require(got % 1 == 0, f"{why}: a window that does not fit whole does not count")
        require(got == truth, f"{why}: from the first start to the last that fits")


@exercise("04.3", solved="With this, a convolution may forecast, and write.")
def causal(answer):
    """A causal convolution in NumPy, with dilation."""
    draw = np.random.default_rng(0)
    K, b = draw.normal(size=(3, 4, 5)), draw.normal(size=5)
    x = draw.normal(size=(2, 12, 4))
    for dilation in (1, 3):

        def mine(sequence, dilation=dilation):
            given = sequence.copy(), K.copy(), b.copy(), dilation
            return array(call(answer, *given), (2, 12, 5), "as many answers as steps: ")

        got = mine(x)
        truth = conv1d.convolve(x, K, b, 1, "causal", dilation)
        before = (len(K) - 1) * dilation
        require(
            not close(got, conv1d.convolve(x, K[::-1], b, 1, "causal", dilation)),
            "the kernel is turned round: K[-1] meets the present word, K[0] the earliest",
        )
        if dilation > 1:
            require(
                not any(close(got, _padded(x, K, b, dilation, pads)) for pads in (2, 3)),
                f"the kernel has holes: put (k - 1) * d = {before} zeros in front, not k - 1",
            )
            far = np.pad(x, ((0, 0), (before, 0), (0, 0)))
            undilated = conv1d.convolve(far, K, b)[:, : x.shape[1]]
            require(
                not any(
                    close(got, y) for y in (conv1d.convolve(x, K, b, 1, "causal"), undilated)
                ),
                "the dilation is not used: place j of the kernel meets the word j * dilation "
                "behind the window's first",
            )
        require(not close(got, truth - b), "the bias b is missing")
        require(
            not close(got, truth + (len(K) - 1) * b),
            "the bias is added once to each answer, not once for each place of the kernel",
        )
        changed = x.copy()
        changed[:, 9] += 1
        moved = np.abs(mine(changed) - got).max(axis=(0, 2)) > 1e-9
        first = int(np.argmax(moved)) if moved.any() else 12
        require(
            first >= 9,
            f"changing word 10 changed answer {first + 1}: zeros belong in front only, so that "
            "no window reaches to the right",
        )
        require(
            first == 9,
            "changing word 10 has to change answer 10: the last place of the kernel meets the "
            "present word (one zero too many in front?)",
        )
        require(
            close(got, truth), "not the causal convolution yet: compare with one word by hand"
        )


def _padded(x, K, b, dilation, before):
    """What comes of too few zeros in front: the missing ones behind."""
    behind = (len(K) - 1) * dilation - before
    padded = np.pad(x, ((0, 0), (before, behind), (0, 0)))
    return conv1d.convolve(padded, K, b, 1, "valid", dilation)


@exercise("04.4", solved="The slides' network sees 41 words, and that is not all that it uses.")
def words_seen(answer):
    """The receptive field of a stack."""
    stacks = [
        [(5, 1, 1)],
        [(3, 1, 1), (3, 1, 1)],
        [(3, 1, 1), (3, 1, 2), (3, 1, 4)],
        [(7, 1, 1), (5, 5, 1), (7, 1, 1)],
        [(4, 2, 1), (3, 3, 1), (3, 1, 3)],
    ]
    for stack in stacks:
        got = number(call(answer, list(stack)))
        truth = conv1d.receptive_field(stack)
        why = f"{stack} sees {truth} words, and you have {got:.10g}"
        if len(stack) > 1:
            require(
                got
                not in (sum(k for k, _, _ in stack), sum((k - 1) * d + 1 for k, _, d in stack)),
                f"{why}: neighbours overlap, so a layer adds k - 1, not k",
            )
        undilated = conv1d.receptive_field([(k, s) for k, s, _ in stack])
        if undilated != truth:
            require(got != undilated, f"{why}: holes make a kernel wider: (k - 1) * dilation")
        without_jumps = 1 + sum((k - 1) * d for k, _, d in stack)
        if without_jumps != truth:
            require(
                got != without_jumps,
                f"{why}: behind a stride of 5 one step is five words: multiply what a layer "
                "adds by all strides below it",
            )
            require(
                got != _early_jump(stack),
                f"{why}: a layer's own stride counts for the layers above it only: add first, "
                "then multiply",
            )
            require(
                got == truth or got != _last_jump(stack),
                f"{why}: strides multiply: behind one of 2 and one of 3, a step is six words",
            )
        require(got != truth - 1, f"{why}: start with 1, the word itself")
        require(got == truth, f"{why}: add (k - 1) * d * jump for each layer, from 1 upwards")


def _early_jump(stack):
    seen, jump = 1, 1
    for kernel, stride, dilation in stack:
        jump *= stride
        seen += (kernel - 1) * dilation * jump
    return seen


def _last_jump(stack):
    strides = [1, *(stride for _, stride, _ in stack)]
    return 1 + sum((k - 1) * d * s for (k, _, d), s in zip(stack, strides, strict=False))


@exercise("04.5", solved="One mask for what goes in, one for what comes out.")
def largest_real_answer(answer):
    """Masked convolution and masked maximum."""
    draw = np.random.default_rng(0)
    K, b = draw.normal(size=(3, 4, 5)), np.full(5, -9.0)  # all real answers are negative
    x = draw.normal(size=(3, 8, 4))
    mask = np.arange(8) < np.array([[8], [5], [2]])
    x[~mask] = 3.0

    def convolved(vectors):
        return conv1d.convolve(vectors, K, b, padding="same")

    once, twice = convolved(x), convolved(x * mask[..., None])
    padding_mask = mask[..., None]
    given = x.copy(), mask.copy(), K.copy(), b.copy()
    got = array(call(answer, *given), (3, 5), "one number a filter and text: ")
    require(
        not any(close(got, (y * padding_mask).max(axis=1)) for y in (once, twice)),
        "0 beats a negative answer: where there is no ReLU, a pad has to become −∞",
    )
    require(
        not close(got, conv1d.global_max(once, mask)),
        "a window at the end still read a pad: multiply the vectors by the mask before the "
        "convolution, too",
    )
    require(
        not close(got, twice.max(axis=1)),
        "the answers at pads take part in the maximum: the vectors are 0 there, but "
        "the bias is not, and windows at the border hold words",
    )
    require(not close(got, once.max(axis=1)), "nothing is masked yet")
    largest = [y.max(axis=1) for y in (once, twice)]
    largest += [conv1d.global_max(y, mask) for y in (once, twice)]
    require(
        not any(close(got, np.maximum(found, 0)) for found in largest),
        "no ReLU here: negative answers stay as they are",
    )
    require(
        np.isfinite(got).all(),
        "∞ or NaN came out: −∞ belongs behind the convolution, and in place of an answer "
        "(`np.where`), not times it",
    )
    require(
        close(got, conv1d.global_max(twice, mask)),
        "zeros at the pads, then the convolution, then −∞ at the pads, then the maximum",
    )
