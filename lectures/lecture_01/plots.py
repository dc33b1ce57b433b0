"""The plots of the first lectures: learning curves, and accuracies as bars."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils import plotting
from course_utils.plotting import COLOURS

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
