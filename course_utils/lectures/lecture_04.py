"""Convolution over time in plain NumPy, how far a stack of them sees, and clips that move.

    y_t = b + Σ_j x_{t·stride + j·dilation} K_j

K is laid over the sequence as it is, not flipped: mathematics calls that cross-correlation, and
it is what every deep-learning library computes under the name of convolution.

Shapes: x (batch, steps, channels), K (kernel, channels, filters), b (filters,), mask
(batch, steps) with True where a step is real.

Source: Waibel et al., "Phoneme recognition using time-delay neural networks" (1989); dilation:
Yu and Koltun, "Multi-scale context aggregation by dilated convolutions" (2016), section 2.
"""

import numpy as np

from course_utils.data.base import Dataset, Split, one_of, share, whole_number

PADDINGS = ("valid", "same", "causal")

MOTIONS = ("still", "left", "right", "up", "down")
MOVES = np.array([(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)])  # rows, columns, by motion
SHAPES = np.array(
    [
        [(1, 1, 1), (1, 1, 1), (1, 1, 1)],
        [(0, 1, 0), (1, 1, 1), (0, 1, 0)],
        [(1, 0, 1), (0, 1, 0), (1, 0, 1)],
        [(1, 1, 1), (1, 0, 1), (1, 1, 1)],
        [(1, 1, 1), (0, 1, 0), (0, 1, 0)],
    ],
    "float32",
)


def convolve(x, K, b, stride=1, padding="valid", dilation=1):
    """Slide every filter along the sequence: (batch, output steps, filters).

    "valid" takes only windows that lie inside the sequence; "same" pads both sides with zeros
    so that ⌈steps / stride⌉ outputs come; "causal" pads the left side alone, so that no output
    sees a later step.

    Raises:
        ValueError: for another padding, a stride or dilation under 1, channels that do not
            fit, or a kernel that is wider than the sequence.
    """
    if x.ndim != 3:
        raise ValueError(f"x has to be (batch, steps, channels), got the shape {x.shape}")
    if x.shape[-1] != K.shape[1]:
        raise ValueError(f"x has {x.shape[-1]} channels, the kernel takes {K.shape[1]}")
    kernel, steps = len(K), x.shape[1]
    count = output_length(steps, kernel, stride, padding, dilation)
    left, right = pads(steps, kernel, stride, padding, dilation)
    x = np.pad(x, ((0, 0), (left, right), (0, 0)))
    y = np.zeros((len(x), count, K.shape[2]), x.dtype) + b
    for j in range(kernel):
        start = j * dilation
        y += x[:, start : start + (count - 1) * stride + 1 : stride] @ K[j]
    return y


def output_length(steps, kernel, stride=1, padding="valid", dilation=1):
    """Return the number of output steps.

    Raises:
        ValueError: as `convolve`.
    """
    one_of("padding", padding, PADDINGS)
    sizes = {"steps": steps, "kernel": kernel, "stride": stride, "dilation": dilation}
    for name, value in sizes.items():
        whole_number(name, value, at_least=1)
    if padding != "valid":
        return -(-steps // stride)
    wide = width(kernel, dilation)
    if wide > steps:
        holes = f" (kernel {kernel} with dilation {dilation})" if dilation > 1 else ""
        raise ValueError(
            f"the kernel is {wide} steps wide{holes}, the sequence only {steps}: "
            f"with padding='valid' it needs at least {wide}"
        )
    return count_windows(steps, kernel, stride, dilation)


def pads(steps, kernel, stride=1, padding="valid", dilation=1):
    """Return how many zeros come before and after the sequence: (left, right)."""
    count = output_length(steps, kernel, stride, padding, dilation)
    wide = width(kernel, dilation)
    if padding == "valid":
        return 0, 0
    if padding == "causal":
        return wide - 1, 0
    total = max((count - 1) * stride + wide - steps, 0)
    return total // 2, total - total // 2


def width(kernel, dilation=1):
    """Return how many steps a kernel with holes spans from its first to its last."""
    return (kernel - 1) * dilation + 1


def conv_parameters(kernel, channels, filters):
    """Return how many parameters a Conv1D layer with biases has.

    Args:
        kernel: how many steps a window spans.
        channels: the numbers at each step of the input.
        filters: the numbers at each step of the output.
    """
    return kernel * channels * filters + filters


def count_windows(steps, kernel, stride, dilation):
    """Return the number of windows that lie inside a sequence, with no zeros added.

    Args:
        steps: the length of the sequence, at least that of a window.
        kernel: how many steps a window reads.
        stride: how many steps the next window starts later.
        dilation: how many steps apart two neighbours within a window are.
    """
    wide = (kernel - 1) * dilation + 1
    return (steps - wide) // stride + 1


def causal_convolution(x, K, b, dilation):
    """Return the convolution of which no output sees a later step, (batch, steps, filters).

    Args:
        x: (batch, steps, channels).
        K: (kernel, channels, filters); K[-1] is for the present step, K[-2] for the step
            `dilation` before it, and so on. Steps before the first one count as zeros.
        b: (filters,).
        dilation: how many steps apart two neighbours within a window are.
    """
    before, steps = (len(K) - 1) * dilation, x.shape[1]
    padded = np.pad(x, ((0, 0), (before, 0), (0, 0)))
    y = np.zeros((len(x), steps, K.shape[2])) + b
    for j in range(len(K)):
        y += padded[:, j * dilation : j * dilation + steps] @ K[j]
    return y


def receptive_field(stack):
    """Return how many steps of the input one output of a stack of layers sees.

    Args:
        stack: a list with (kernel, stride, dilation) of each layer, convolution or pooling,
            from the input upwards.
    """
    seen, jump = 1, 1  # jump: how many input steps lie between two neighbours of this layer
    for kernel, stride, dilation in stack:
        seen += (kernel - 1) * dilation * jump
        jump *= stride
    return seen


def largest_real_output(x, mask, K, b):
    """Convolve with padding "same", without ReLU; return each filter's largest real output.

    Args:
        x: (batch, steps, channels); what stands at pads is not zero, and must not count.
        mask: (batch, steps), True where a step is real.
        K, b: (kernel, channels, filters) and (filters,).

    Returns:
        The maximum over the real steps, (batch, filters).
    """
    y = convolve(x * mask[..., None], K, b, padding="same")
    return np.where(mask[..., None], y, -np.inf).max(axis=1)


def load_motion(train=2_000, val=300, test=1_000, frames=12, size=12, noise=0.1, seed=0):
    """Return clips of one shape that moves a pixel a frame and changes its motion.

    It changes once or twice. What leaves the canvas on one side comes in on the other, and
    place and shape are drawn without regard to the motion: a single frame tells nothing of it.

    Args:
        train, val, test: numbers of clips.
        frames, size: of a clip, and rows and columns of a frame; at least 4 and 6.
        noise: standard deviation of what is added to each pixel, from 0 to 1.

    Returns:
        A Dataset. Its inputs are float32 (clips, frames, size, size, 1), 0 the background and 1
        the shape. Its targets are int32 (clips, frames), the motion that brought the shape from
        the frame before to this one, an index into `class_names`; before the first frame
        nothing moved, and its target is the motion that goes on after it.

    Raises:
        ValueError: for a wrong argument.
    """
    sizes = {"train": train, "val": val, "test": test}
    for name, count in sizes.items():
        whole_number(name, count, at_least=1)
    whole_number("frames", frames, at_least=4)
    whole_number("size", size, at_least=6)
    whole_number("seed", seed, at_least=0)
    share("noise", noise)
    parts = [
        _clips(np.random.default_rng((seed, part)), count, frames, size, noise)
        for part, count in enumerate(sizes.values())
    ]
    source = "made by course_utils.lectures.lecture_04"
    return Dataset("motion", *parts, class_names=MOTIONS, source=source, licence="CC0")


def _clips(draw, count, frames, size, noise):
    targets = _motions(draw, count, frames)
    moves = MOVES[targets]
    moves[:, 0] = draw.integers(size, size=(count, 2))  # where the shape stands at first
    corner = moves.cumsum(axis=1)
    shape = SHAPES[draw.integers(len(SHAPES), size=count)]
    clips = np.zeros((count, frames, size, size), "float32")
    clip, frame = np.ogrid[:count, :frames]
    for row, column in np.ndindex(3, 3):
        places = (corner + (row, column)) % size
        clips[clip, frame, places[..., 0], places[..., 1]] = shape[:, None, row, column]
    clips += noise * draw.standard_normal(clips.shape, dtype="float32")
    return Split(clips[..., None], targets)


def _motions(draw, count, frames):
    """Return one motion a frame, (count, frames): two or three in a row, neighbours unlike."""
    kinds = len(MOTIONS)
    first = draw.integers(kinds, size=count)
    second = (first + draw.integers(1, kinds, size=count)) % kinds
    third = (second + draw.integers(1, kinds, size=count)) % kinds
    change = draw.integers(2, frames - 1, size=count)
    another = change + draw.integers(2, frames, size=count)  # in many clips after the end
    changes = np.stack([change, another], axis=1)
    number = (np.arange(frames)[:, None] >= changes[:, None]).sum(axis=-1)
    return np.choose(number, [first[:, None], second[:, None], third[:, None]]).astype("int32")
