"""One-dimensional convolution in plain NumPy, and how far a stack of them sees.

    y_t = b + Σ_j x_{t·stride + j·dilation} K_j

K is laid over the sequence as it is, not flipped: mathematics calls that cross-correlation, and
it is what every deep-learning library computes under the name of convolution.

Shapes: x (batch, steps, channels), K (kernel, channels, filters), b (filters,), mask
(batch, steps) with True where a step is real.

Source: Waibel et al., "Phoneme recognition using time-delay neural networks" (1989); dilation:
Yu and Koltun, "Multi-scale context aggregation by dilated convolutions" (2016), section 2.
"""

import numpy as np

from course_utils.data.base import one_of, whole_number

PADDINGS = ("valid", "same", "causal")


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
    """How many windows there are: the number of output steps.

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
    return (steps - wide) // stride + 1


def pads(steps, kernel, stride=1, padding="valid", dilation=1):
    """How many zeros come before and behind the sequence: (left, right)."""
    count = output_length(steps, kernel, stride, padding, dilation)
    wide = width(kernel, dilation)
    if padding == "valid":
        return 0, 0
    if padding == "causal":
        return wide - 1, 0
    total = max((count - 1) * stride + wide - steps, 0)
    return total // 2, total - total // 2


def width(kernel, dilation=1):
    """How many steps a kernel with holes spans from its first to its last."""
    return (kernel - 1) * dilation + 1


def receptive_field(stack):
    """How many steps of the input one output of a stack of layers sees.

    Args:
        stack: for each layer, convolution or pooling, (kernel, stride) or
            (kernel, stride, dilation), from the input upwards.

    Raises:
        ValueError: for a number under 1.
    """
    seen, jump = 1, 1  # jump: how many input steps lie between two neighbours of this layer
    for kernel, stride, *dilation in stack:
        for value in (kernel, stride, *dilation):
            whole_number("each number of a layer", value, at_least=1)
        seen += (width(kernel, *dilation) - 1) * jump
        jump *= stride
    return seen


def global_max(x, mask=None):
    """The largest value of each channel over the real steps: (batch, channels).

    A masked step counts as −∞, never as 0: where all real values are negative, 0 would win.
    """
    if mask is not None:
        x = np.where(mask[..., None], x, -np.inf)
    return x.max(axis=1)
