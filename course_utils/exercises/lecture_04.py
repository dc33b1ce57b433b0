"""The exercises of lecture 04: counting, a causal convolution, what a stack sees, pads."""

import numpy as np

from course_utils.exercises import exercise
from course_utils.lectures import lecture_04
from course_utils.lectures.lecture_04 import convolve

BIASES = "each filter has one bias, whatever it reads: as many as there are filters"
CHANNELS = "a filter reads all channels, and has a weight for each"


@exercise(
    "04.1",
    lecture_04.conv_parameters,
    mistakes=[
        (lambda k, c, f: k * c * f, "the biases are missing: one for each filter"),
        *[(lambda k, c, f, n=n: k * f + n * f, CHANNELS) for n in (0, 1)],
        *[(lambda k, c, f, n=n: k * c * f + (1, k, c)[n], BIASES) for n in (0, 1, 2)],
        *[(lambda k, c, f, n=n: k * c * f + (k, c)[n] * f, BIASES) for n in (0, 1)],
        *[(lambda k, c, f, n=n: k * c + n * c, "that is one filter alone") for n in (0, 1)],
        (lambda k, c, f: c * f + f, "each place of the window has its own weights"),
    ],
    takes=2,
    level=1,
    hints=["How many numbers does one filter multiply?", "A window is (kernel, channels)."],
    reasoning="A filter has a weight for each place and channel of its window, and one bias.",
    solved="The length of the text is not in it: one kernel serves every place.",
)
def _layers(draw):
    yield 7, 128, 32
    yield tuple(map(int, draw.permutation([3, 5, 11])))


HOLES = "holes make a window wider: it spans (kernel - 1) · dilation + 1 steps"


@exercise(
    "04.2",
    lecture_04.count_windows,
    mistakes=[
        (lambda n, k, s, d: (n - k) // s + 1, HOLES),
        (lambda n, k, s, d: (n - k * d) // s + 1, f"k steps have k - 1 gaps: {HOLES}"),
        (lambda n, k, s, d: (n - (k - 1) * d) // s + 1, f"the + 1 is missing: {HOLES}"),
        (lambda n, k, s, d: n - (k - 1) * d, "only multiples of the stride are starts"),
        (lambda n, k, s, d: n - k + 1, "stride and dilation are missing"),
        (lambda n, k, s, d: (n - (k - 1) * d - 1) // s, "the window at the start counts, too"),
        (lambda n, k, s, d: (n - (k - 1) * d) // s, "divide before you add 1"),
        (lambda n, k, s, d: -(-(n - (k - 1) * d - 1) // s) + 1, "half windows: round down"),
        (lambda n, k, s, d: (n - (k - 1) * d - 1) / s + 1, "half a window does not count"),
        (lambda n, k, s, d: -(-n // s), "no zeros are added: that is padding 'same'"),
    ],
    takes=5,
    level=2,
    hints=["How many steps from a window's first to its last?", "Where may a window start?"],
    reasoning="The last start is steps - wide; every stride-th start counts, and the first.",
    solved="Ask this of your shortest text before you train.",
)
def _sizes(draw):
    yield from [(10, 3, 1, 1), (11, 4, 2, 1), (23, 4, 3, 2), (9, 3, 1, 4), (20, 3, 4, 3)]


def _front(zeros, after=lambda k, d: 0, step=None, times=0):
    """A loop with so many zeros in front; times: how often b is added besides."""

    def answer(x, K, b, d):
        padded = np.pad(x, ((0, 0), (zeros(len(K), d), after(len(K), d)), (0, 0)))
        y = np.zeros((len(x), x.shape[1], K.shape[2])) + b + times * b
        for start, part in zip(range(0, 99, step or d), K, strict=False):
            y += padded[:, start : start + x.shape[1]] @ part
        return y

    return answer


def _gaps(k, d):
    return (k - 1) * d


def _few(x, K, b, d):
    padded = np.pad(x, ((0, 0), (len(K) - 1, 0), (0, 0)))
    return sum(padded[:, j * d : j * d + x.shape[1]] @ K[j] for j in range(len(K))) + b


def _late(x, K, b, d):
    return np.pad(convolve(x, K, b, dilation=d), ((0, 0), (_gaps(len(K), d), 0), (0, 0)))


def _rolled(x, K, b, d):
    return sum(np.roll(x, j * d, axis=1) @ K[-1 - j] for j in range(len(K))) + b


causal = _front(_gaps)
FEW = "the kernel has holes: it needs (k - 1) · dilation zeros in front, not k - 1"
MANY = "too many zeros in front: K[-1] is for the present step"


@exercise(
    "04.3",
    lecture_04.causal_convolution,
    mistakes=[
        (_few, FEW),
        *[(_front(lambda k, d: k - 1, n), FEW) for n in (lambda k, d: 0, lambda k, d: k * d)],
        *[(_front(n), MANY) for n in (lambda k, d: k * d, lambda k, d: _gaps(k, d) + 1)],
        (_front(lambda k, d: 0, _gaps), "zeros come before x, not after: this sees the future"),
        (lambda x, K, b, d: convolve(x, K, b, 1, "same", d), "all zeros come before x"),
        (lambda x, K, b, d: convolve(x, K, b, 1, "valid", d), "put zeros before x"),
        (_late, "zeros come before x, not before the outputs"),
        (_rolled, "np.roll brings the last steps to the front: put zeros there"),
        (lambda x, K, b, d: causal(x, K[::-1], b, d), "K[-1], not K[0], is for the present"),
        (_front(_gaps, step=1), "place j reads j · dilation steps further on"),
        (lambda x, K, b, d: causal(x, K, b, 1), "dilation is missing"),
        (lambda x, K, b, d: causal(x, K, 0 * b, d), "the bias b is missing"),
        *[(_front(_gaps, times=n), "add b once, not for each place of K") for n in (2, 3)],
    ],
    takes=10,
    level=3,
    hints=["How many zeros belong before x?", "One `@ K[j]` for each place j of the kernel."],
    reasoning="With (k - 1) · dilation zeros in front the last place meets the present step.",
    solved="With this, a convolution may forecast, and write.",
)
def _sequences(draw):
    for batch, steps, channels, filters, k, d in [(1, 4, 1, 1, 3, 1), (2, 12, 4, 5, 3, 3)]:
        sizes = (batch, steps, channels), (k, channels, filters), filters
        yield *(draw.normal(size=size).round(1) for size in sizes), d


def _seen(add, jump=lambda j, s, d: j * s, start=1):
    """A receptive field; add: what a layer adds; jump: the jump above it."""

    def answer(stack):
        seen, now = start, 1
        for k, s, d in stack:
            seen += add(k, s, d, now)
            now = jump(now, s, d)
        return seen

    return answer


def _added(k, s, d, j):
    return (k - 1) * d * j


ADDS = "windows overlap: a layer adds (k - 1) · d · jump"


@exercise(
    "04.4",
    lecture_04.receptive_field,
    mistakes=[
        (_seen(lambda k, s, d, j: (k - 1) * j), "dilation makes a kernel wider: (k - 1) · d"),
        (_seen(lambda k, s, d, j: (k - 1) * d), "multiply by all strides below the layer"),
        (_seen(lambda k, s, d, j: k, start=0), f"you add up the kernels, but {ADDS}"),
        (_seen(lambda k, s, d, j: k * d * j), f"k places have k - 1 gaps: {ADDS}"),
        (_seen(lambda k, s, d, j: (k * d - 1) * j), "k · d is too wide: (k - 1) · d"),
        *[(_seen(lambda k, s, d, j: _added(k, s, d, j) + j, start=n), ADDS) for n in (0, 1)],
        (
            _seen(lambda k, s, d, j: _added(k, s, d, j) * s),
            "its own stride is for layers above",
        ),
        (_seen(_added, lambda j, s, d: s), "jumps multiply: after strides 2 and 3 it is 6"),
        (_seen(_added, lambda j, s, d: j + s - 1), "jumps multiply, they do not add up"),
        (_seen(_added, lambda j, s, d: j * s * d), "the jump grows by the stride alone, not d"),
        (_seen(_added, lambda j, s, d: j * d), "the jump grows by the stride, not by d"),
        (_seen(_added, start=0), "start with 1, the word itself"),
        (lambda stack: lecture_04.receptive_field(stack[::-1]), "begin with the lowest layer"),
    ],
    takes=10,
    level=3,
    hints=["Carry two numbers upwards: what is seen, and how far apart neighbours are.", ADDS],
    reasoning="A kernel reaches k - 1 gaps further; a gap is d neighbours, each a jump apart.",
    solved="The slides' network sees 41 words, and that is not all that it uses.",
)
def _stacks(draw):
    yield ([(5, 1, 1)],)
    yield ([(7, 1, 1), (5, 5, 1), (7, 1, 1)],)
    yield ([(4, 2, 1), (3, 3, 2), (3, 2, 3), (2, 1, 2)],)


def _largest(fill=-np.inf, before=True, after=np.where, read=lambda y: y.max(axis=1)):
    """A masked maximum; fill: what pads become after the convolution."""

    def answer(x, mask, K, b):
        real = mask[..., None]
        return read(after(real, convolve(x * real if before else x, K, b, 1, "same"), fill))

    return answer


def _valid(cut):
    """Whole windows only; cut: the part of the mask that goes with them, by the kernel."""

    def answer(x, mask, K, b):
        y = convolve(x * mask[..., None], K, b)
        return np.where(mask[:, cut(len(K)), None], y, -np.inf).max(axis=1)

    return answer


def _nan(x, mask, K, b):
    return convolve(np.where(mask[..., None], x, -np.inf), K, b, padding="same").max(axis=1)


ZERO = "0 is more than any negative output: without ReLU a pad has to become −∞"
SMALL = "pads win where all outputs are less than what you put there: take −∞"
WHOLE = "whole windows only: take padding 'same', an output for each step"
CUTS = (lambda k: slice(k - 1, None), lambda k: slice(None, 1 - k), lambda k: slice(None))


@exercise(
    "04.5",
    lecture_04.largest_real_output,
    mistakes=[
        *[(_largest(0, before), ZERO) for before in (True, False)],
        *[(_largest(fill), SMALL) for fill in (-1, -10, -100, -999)],
        (_largest(before=False), "a window at the end still reads pads: mask x, too"),
        (_nan, "−∞ in x makes every window NaN: zeros before, −∞ after"),
        (_largest(after=lambda r, y, f: y), "outputs at pads still count: mask them, too"),
        (_largest(before=False, after=lambda r, y, f: y), "nothing is masked yet"),
        (_largest(read=lambda y: np.maximum(y, 0).max(axis=1)), "no ReLU here"),
        (_largest(after=lambda r, y, f: y * np.where(r, 1, f)), "not y · −∞: use np.where"),
        (_largest(after=lambda r, y, f: np.where(r, f, y)), "the mask is True at real steps"),
        (_largest(read=lambda y: y.max(axis=-1)), "the maximum goes over the steps, axis 1"),
        (_largest(read=lambda y: y.max(axis=(0, 1))), "one maximum for each text"),
        *[(_valid(cut), WHOLE) for cut in CUTS],
        (lambda x, m, K, b: convolve(x * m[..., None], K, b).max(axis=1), WHOLE),
    ],
    takes=5,
    level=3,
    hints=["`convolve(…, padding='same')`: what do pads do before and after it?", ZERO],
    reasoning="Zeros before, so that no window reads a pad; −∞ after, so that no pad wins.",
    solved="One mask for what goes in, one for what comes out.",
)
def _padded(draw):
    mask = np.arange(8) < np.array([[8], [5], [2]])
    x = np.where(mask[..., None], 10 * draw.normal(size=(3, 8, 4)), 30)
    yield x, mask, 5 * draw.normal(size=(3, 4, 5)), np.full(5, -1e3)  # all outputs negative
