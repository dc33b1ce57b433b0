"""What a gate has learned: its matrix W over the tokens, how far it is banded, and when."""

import numpy as np

from course_utils import plotting


def by_distance(W):
    """The mean of every diagonal of W (S, S): float (2S − 1,), from i − j = −(S − 1) upwards.

    Entry k holds the distance i − j = k − (S − 1), as in `numpy_ref.gmlp.toeplitz`; what lies
    before the middle is about tokens that stand behind token i.

    Raises ValueError for anything but a square matrix.
    """
    W = _square(W)
    S = len(W)
    return np.array([np.diagonal(W, -distance).mean() for distance in range(1 - S, S)])


def band_share(W):
    """The share of W's squared weight that the means of its diagonals explain, 0 to 1.

    A Toeplitz matrix has 1, independent draws have (2S − 1) / S² on average.

    Raises ValueError for anything but a square matrix, and for one of nothing but zeros.
    """
    W = _square(W)
    if not W.any():
        raise ValueError("a matrix of zeros has no weight to explain")
    S = len(W)
    lengths = S - np.abs(np.arange(1 - S, S))
    return float((lengths * by_distance(W) ** 2).sum() / (W**2).sum())


def gate_figure(matrices, reach=12):
    """Return a figure: each W as a picture, and below it the mean weight by distance.

    Args:
        matrices: `{title: W}`, W (S, S).
        reach: how far to both sides the means are drawn.
    """
    drawing, axes = plotting.figure(3.4 * len(matrices) + 0.4, 5.4, len(matrices), rows=2)
    axes = np.asarray(axes).reshape(2, len(matrices))
    axes[0, 0].get_gridspec().set_height_ratios([1.9, 1])
    for column, (title, W) in enumerate(matrices.items()):
        W = _square(W)
        above, below = axes[:, column]
        limit = np.quantile(np.abs(W), 0.995) or 1.0
        above.imshow(W, cmap="RdBu_r", vmin=-limit, vmax=limit)
        above.grid(False)
        above.set(title=title, xlabel="input token j")
        middle, most = len(W) - 1, min(reach, len(W) - 1)
        distances = np.arange(-most, most + 1)
        # Turned round, so that what stands to the right of token i is drawn to the right.
        below.bar(distances, by_distance(W)[middle - distances], color=plotting.COLOURS[0])
        below.set(xlabel="j − i: left and right of token i")
    axes[0, 0].set(ylabel="output token i")
    axes[1, 0].set(ylabel="mean weight")
    return drawing


def gates(matrices, alt, reach=12):
    """Show learned matrices over the tokens: see `gate_figure`; alt says what is to be seen."""
    plotting.show(gate_figure(matrices, reach), alt)


def waiting(lines, guesses, every, left=None):
    """Show losses by batches, a thin line a run, and where guessing by frequency lies, dashed.

    Args:
        lines: `{title: [losses of a run, ...]}`, a loss after every so many batches.
        guesses: the losses of guessing by frequency.
        every: batches between two losses.
        left: draw a dotted line at this share of the first guess.
    """
    drawing, axis = plotting.figure(9, 3.5)
    said = []
    for number, (title, runs) in enumerate(lines.items()):
        colour = plotting.COLOURS[number]
        axis.plot([], [], color=colour, label=title)
        for line in runs:
            steps = every * np.arange(1, len(line) + 1)
            axis.plot(steps, line, color=colour, linewidth=1.4)
            said.append(f"{title}: {line[0]:.2f} to {line[-1]:.2f}")
    for guess in guesses:
        axis.axhline(guess, color="#555555", linestyle="--", linewidth=1)
    if left is not None and guesses:
        axis.axhline(left * guesses[0], color="#555555", linestyle=":", linewidth=1)
    axis.set(xlabel="batches", ylabel="validation loss, nats")
    axis.legend(ncols=2)
    alt = "Loss by batches, guess by frequency dashed. " + "; ".join(said or ["no run yet"])
    plotting.show(drawing, alt + ".")


def _square(W):
    W = np.asarray(W, dtype=float)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not W.size:
        raise ValueError(f"W has to be a square matrix, got the shape {W.shape}")
    return W
