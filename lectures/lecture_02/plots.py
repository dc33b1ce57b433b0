"""The figures of lecture 02: gradients, states, accuracies."""

import numpy as np

from course_utils import plotting, results
from lectures.lecture_02 import LECTURE

KINDS = ("plain", "negation", "turn", "far")


def shaded_text(characters, states, unit):
    """Show a text, each character shaded by the state of one unit after reading it."""
    rows, width = 4, 60
    figure, axis = plotting.figure(9.5, 2.4)
    shades = states[: rows * width, unit].reshape(rows, width)
    axis.imshow(shades, cmap="RdBu", vmin=-1, vmax=1, aspect="auto", alpha=0.6)
    for place, character in enumerate(characters[: rows * width]):
        axis.text(place % width, place // width, character, ha="center", va="center")
    plotting.frame(axis)
    axis.set_title(f"state of unit {unit}: red −1, blue +1")
    plotting.show(figure, f"Held-out text, each character shaded by the state of unit {unit}.")


def reading(words, places, answers, states, V):
    """Show the answer and all states over a review, whose verdicts end at `places`."""
    figure, axes = plotting.figure(9.5, 3.2, rows=2)
    axes[0].plot(answers, color=plotting.COLOURS[0])
    axes[0].axhline(0.5, **plotting.GUIDE)
    axes[0].set(ylabel="praise", ylim=(0, 1), xlim=(-0.5, len(words) - 0.5))
    order = np.argsort(V[:, 0])
    axes[1].imshow(states[:, order].T, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes[1].set(ylabel="units", xlabel="red −1, blue +1")
    axes[1].grid(False)
    names = [" ".join(words[place - 3 : place + 1]) for place in places]
    axes[0].set_xticks(places, ["", ""])
    axes[1].set_xticks(places, names)
    first, second = places
    plotting.show(
        figure,
        "Over the words of one turn: the probability of praise if the text ended here, and the "
        f"states of all units. After the first verdict {answers[first]:.2f}, before the second "
        f"{answers[second - 4]:.2f}, at the end {answers[-1]:.2f}.",
    )


def by_distance(right, tens, norms):
    """Show accuracy by tens of words after the verdict, above the gradient by words back."""
    figure, axes = plotting.figure(9.5, 3.8, rows=2)
    told = []
    for (name, found), style in zip(right.items(), ("o-", "s--"), strict=True):
        curve = [found[tens == ten].mean() for ten in range(7)]
        axes[0].plot(10 * np.arange(7) + 5, curve, style, label=name)
        told.append(f"{name}: {' '.join(f'{value:.2f}' for value in curve)}")
    axes[0].axhline(0.5, **plotting.GUIDE)
    axes[0].legend(loc="lower left")
    axes[0].set(ylabel="accuracy", ylim=(0, 1.05), xlim=(0, 70))
    axes[1].plot(norms, color=plotting.COLOURS[2])
    axes[1].set(yscale="log", ylabel="gradient", xlim=(0, 70), xlabel="words back from the end")
    plotting.show(
        figure,
        f"Accuracy by tens of words after the deciding verdict. {'; '.join(told)}. Below, the "
        f"norm of the logit's gradient: {norms[0]:.1e} at the last word, {norms[30]:.1e} at 30 "
        f"words back, {norms[60]:.1e} at 60.",
    )


def gradients(by_distance):
    """Show `gradient_by_distance` for several matrices: as it is, with mean slopes, without."""
    figure, axes = plotting.figure(9.5, 3.8, columns=3)
    titles = {
        "of tanh": "with tanh",
        "their mean": "in each step the mean slope",
        "left out": "no tanh",
    }
    for axis, (slopes, title) in zip(axes, titles.items(), strict=True):
        for radius in (0.5, 1, 0, 1.5, 3):
            name = f"spectral radius {radius}" if radius else "orthogonal"
            axis.plot(by_distance(radius, slopes), label=name)
        axis.set(yscale="log", xlabel="steps back", ylim=(1e-12, 1e12))
        axis.set_title(title)
    axes[0].set_ylabel("norm of the gradient")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    plotting.show(
        figure,
        "Norm of the gradient against steps back, on a logarithmic scale. With tanh radius 3 "
        "rises and all others fall, radius 0.5 fastest, radius 1.5 slowest. With the mean "
        "slope of each step radius 3 falls, to about 9e-5 after 90 steps. Without tanh the "
        "orthogonal matrix stays at one, radius 1.5 and 3 leave the axis, radius 0.5 falls.",
    )


def by_kind(read):
    """Show the accuracy of a run by kind of review, beside the recorded ones."""
    recorded = {}
    for title, name, runs in (
        ("words and bigrams", "counting_bigrams", 1),
        ("… of the last 30 words", "counting_last_words", 1),
        ("SimpleRNN", "simple_rnn_32", 3),
    ):
        found = [run["metrics"] for run in results.load(LECTURE, name, "reviews")[:runs]]
        recorded[title] = {kind: [one[kind] for one in found] for kind in KINDS}
    this = {"SimpleRNN": {kind: [read[kind]] for kind in KINDS}}
    panels = {"recorded (SimpleRNN: three seeds)": recorded, "this run": this}
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
