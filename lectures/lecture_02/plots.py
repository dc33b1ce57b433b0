"""The figures of lecture 02: gradients and accuracies."""

import numpy as np

from course_utils import plotting, results
from course_utils.data import tokenize
from lectures.lecture_02 import LECTURE, forward, gradient_by_distance

KINDS = ("plain", "negation", "turn", "far")


def by_distance(right, tens, recorded):
    """Show the accuracy by tens of words after the deciding verdict; recorded runs are thin."""
    figure, axis = plotting.figure(7.5, 3)
    told = []
    for (name, found), style in zip(right.items(), ("o-", "s--"), strict=True):
        curve = [found[tens == ten].mean() for ten in range(7)]
        axis.plot(10 * np.arange(7) + 5, curve, style, label=name)
        told.append(f"{name}: {' '.join(f'{value:.2f}' for value in curve)}")
    for run in recorded:
        curve = [run["metrics"][f"turn, {10 * ten} words on"] for ten in range(7)]
        label = "recorded, five seeds" if run is recorded[0] else None
        axis.plot(10 * np.arange(7) + 5, curve, color=plotting.GREY, linewidth=0.8, label=label)
        told.append(f"recorded: {' '.join(f'{value:.2f}' for value in curve)}")
    axis.axhline(0.5, label="guessing", **plotting.GUIDE)
    axis.legend(loc="lower left")
    axis.set(ylabel="accuracy on new turns", ylim=(0, 1.05), xlim=(0, 70))
    axis.set_xlabel("words after the deciding verdict (about 200 reviews for each dot)")
    plotting.show(
        figure, f"Accuracy by tens of words after the deciding verdict. {'; '.join(told)}."
    )


def gradients(carry):
    """Show `gradient_by_distance` for several matrices, with the tanh's slope and without."""
    figure, axes = plotting.figure(9.5, 3.8, columns=2)
    for axis, tanh in zip(axes, (True, False), strict=True):
        for radius in (0.5, 1, 0, 1.5, 3):
            name = f"spectral radius {radius}" if radius else "orthogonal"
            axis.plot(gradient_by_distance(carry, radius, tanh), label=name)
        axis.set(yscale="log", xlabel="steps back, k", ylim=(1e-12, 1e12))
        axis.set_title("with the slopes of tanh" if tanh else "without slopes")
    axes[0].set_ylabel("norm of the gradient\n(last step: 1)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    plotting.show(
        figure,
        "Norm of the gradient against steps back, on a logarithmic scale. With the tanh's "
        "slopes radius 3 rises, to about 2e6 after 90 steps, and all others fall, radius 0.5 "
        "fastest, radius 1.5 slowest, to about 6e-4. Without slopes the orthogonal matrix "
        "stays at one, radius 1.5 and 3 leave the axis, radius 0.5 falls.",
    )


def by_kind(read):
    """Show the accuracy of a run by kind of review, beside the recorded ones."""
    recorded = {}
    for title, name in (
        ("words to trigrams", "counting_trigrams"),
        ("bigrams, last 30 words", "counting_last_words"),
        ("SimpleRNN", "simple_rnn_32"),
    ):
        found = [run["metrics"] for run in results.load(LECTURE, name, "reviews")]
        recorded[title] = {kind: [one[kind] for one in found] for kind in KINDS}
    this = {"SimpleRNN": {kind: [read[kind]] for kind in KINDS}}
    panels = {"recorded (SimpleRNN: five seeds)": recorded, "this run": this}
    plotting.dots(panels, ylabel="test accuracy", chance=0.5)


def masks():
    """Show the recorded accuracies on IMDB, with and without a mask."""
    titles = {
        "simple_rnn_32": "mask",
        "simple_rnn_32_pads_first": "no mask,\npads in front",
        "simple_rnn_32_no_mask": "no mask,\npads behind",
    }
    found = {
        title: [run["metrics"]["test_accuracy"] for run in results.load(LECTURE, name, "imdb")]
        for name, title in titles.items()
    }
    panels = {"IMDB, three seeds each": {"SimpleRNN": found}}
    plotting.dots(panels, ylabel="test accuracy", chance=0.5)


def state(model, vocabulary, text):
    """Draw a review model's state and logit, word by word; return a figure, its alt text."""
    embedding, W, U, b, V, c = model.get_weights()
    words = tokenize(text)
    states = forward(embedding[[vocabulary.encode(words)]], W, U, b)[0]
    logits = states @ V[:, 0] + c[0]
    figure, axes = plotting.figure(9.5, 3.8, rows=2)
    axes[0].imshow(states.T, cmap="PuOr_r", vmin=-1, vmax=1, aspect="auto")
    axes[0].set(ylabel="unit", xticks=[])
    axes[0].grid(False)
    axes[1].plot(logits, color=plotting.COLOURS[0])
    axes[1].axhline(0, **plotting.GUIDE)
    axes[1].set(ylabel="logit", xlim=(-0.5, len(words) - 0.5))
    axes[1].set_xticks(range(len(words)), words, rotation=60, ha="right")
    told = f"{logits[0]:.1f} after the first word, {logits[-1]:.1f} after the last"
    return figure, f"The state of 32 units and the logit, word by word; the logit is {told}."
