"""The plots of the first lectures: learning curves, and accuracies as bars."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils import plotting
from course_utils.plotting import COLOURS
from lectures.lecture_01 import unit

_PARTS = (("accuracy", "training"), ("val_accuracy", "validation"))


def curves(run, recorded=None):
    """Draw how accuracy grew, and beside it the recorded full runs (a thin line per seed).

    run: a `Run`, or its history. recorded: from `results.load`.
    """
    history = getattr(run, "history", run)
    if not history.get("accuracy"):
        raise ValueError(f"curves draws accuracy; this history has: {', '.join(history)}")
    drawing, axes = plotting.figure(9.0 if recorded else 5.5, 3.2, columns=2 if recorded else 1)
    live, *full = np.atleast_1d(axes)
    _curve(live, [history])
    live.set(title="this run", xlabel="epoch", ylabel="accuracy")
    live.legend()
    alt = f"Learning curve of accuracy: {_ends(history)}."
    for axis in full:
        _curve(axis, [run["history"] for run in recorded])
        seeds = len(recorded)
        axis.set(title=f"recorded: {recorded[0]['dataset']}, {seeds} seeds", xlabel="epoch")
        axis.legend()
        ends = "; ".join(f"seed {run['seed']} {_ends(run['history'])}" for run in recorded)
        alt += f" Beside it the recorded full runs: {ends}."
    plotting.show(drawing, alt)


def bars(groups, chance=None):
    """Draw accuracies as grouped bars: a colour for each model, a group for each phenomenon.

    groups: `{model: {phenomenon: accuracy}}`. chance: where the dashed line of guessing lies.
    Raises ValueError for more models than there are colours.
    """
    if len(groups) > len(COLOURS):
        raise ValueError(f"bars takes at most {len(COLOURS)} models; it got {len(groups)}")
    names = list(dict.fromkeys(name for values in groups.values() for name in values))
    drawing, axis = plotting.figure(8.0, 3.2)
    width = 0.8 / len(groups)
    for index, (model, values) in enumerate(groups.items()):
        places = np.arange(len(names)) + (index - (len(groups) - 1) / 2) * width
        heights = [values.get(name, np.nan) for name in names]
        drawn = axis.bar(places, heights, width * 0.92, label=model, color=COLOURS[index])
        axis.bar_label(drawn, fmt="%.2f", padding=1)
    if chance is not None:
        axis.axhline(chance, **plotting.GUIDE)
        axis.annotate("guessing", (1, chance), xycoords=("axes fraction", "data"))
    axis.set_xticks(np.arange(len(names)), names)
    axis.set(ylabel="accuracy", ylim=(0, 1.12))
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=min(len(groups), 4))
    parts = [
        f"{model}: " + ", ".join(f"{name} {value:.2f}" for name, value in values.items())
        for model, values in groups.items()
    ]
    plotting.show(drawing, f"Bars of accuracy by group. {'; '.join(parts)}.")


def _curve(axis, histories):
    for offset, (name, label) in enumerate(_PARTS):
        lines = [history[name] for history in histories if history.get(name)]
        for index, line in enumerate(lines):
            axis.plot(
                range(1, len(line) + 1),
                line,
                color=COLOURS[offset],
                marker="o" if len(line) < 15 else None,
                markersize=3,
                linewidth=1.8 if len(lines) == 1 else 1.1,
                label=None if index else label,
            )
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))


def _ends(history):
    return ", ".join(
        f"{label} from {history[name][0]:.2f} to {history[name][-1]:.2f}"
        for name, label in _PARTS
        if history.get(name)
    )


def plane(panels):
    """Draw word vectors in the plane in which they differ most, a colour for each group.

    panels: `{title: (words, vectors, {group: its words})}`; vectors: (words, dimensions), which
    are scaled to length 1 before. Words are written out where there is room. Returns a
    figure and its alternative text.
    """
    drawing, axes = plotting.figure(9.6, 4.0, columns=len(panels))
    groups = list(dict.fromkeys(group for *_, found in panels.values() for group in found))
    drawn, described = {}, []
    for axis, (title, (words, vectors, found)) in zip(axes, panels.items(), strict=True):
        place = {word: number for number, word in enumerate(words)}
        rows = [place[word] for group in found.values() for word in group]
        directions = unit(np.asarray(vectors)[rows])
        _, _, main = np.linalg.svd(directions - directions.mean(axis=0), full_matrices=False)
        taken = []
        points = iter((directions - directions.mean(axis=0)) @ main[:2].T)
        for group, members in found.items():
            x, y = np.array([next(points) for _ in members]).T
            style = plotting.look(groups.index(group))
            [drawn[group]] = axis.plot(x, y, linestyle="none", alpha=0.7, label=group, **style)
            for word, *at in zip(members, x, y, strict=True):
                if all(abs(at[0] - a) > 0.3 or abs(at[1] - b) > 0.09 for a, b in taken):
                    axis.annotate(word, at, xytext=(4, 3), textcoords="offset points")
                    taken.append(at)
            described.append(f"{group} at {x.mean():.1f}, {y.mean():.1f}")
        axis.set_title(title, fontsize=11)
        axis.set(xticks=[], yticks=[])
        axis.margins(0.15)
        described[-len(found)] = f"{title}: {described[-len(found)]}"
    drawing.legend(drawn.values(), drawn, loc="outside lower center", ncols=4)
    return drawing, f"Word vectors in the plane. {'; '.join(described)}."
