"""The plots of the pages in `results/`: read from the lectures' `page.py`, and drawn.

A page says of each plot, by its name:

- `title`, and if need be `label` (of the values), `xlabel`, `caption`, `log` (axes: "x", "xy");
- `runs`, the model, data set and metric of a recorded value (`records.values`), in which {arm}
  and {by} stand for each of `arms` and of `by`: a list, or a mapping from what the plot calls
  them. Without `by` each arm is a row of dots, the best first (unless `ordered`);
- or `tables` of measurements, whose `columns` are the series, the number on the x-axis and the
  value; without `columns` the first column is the series, and the names of the others start
  with the number. `rows` chooses rows: {column: value}. `costs` is a table of step times;
- or `data`, computed by the page.
"""

import json
import re
import statistics
from typing import NamedTuple

from benchmarks.peers import FLAGGED, OURS
from course_utils import plotting, results
from tools.records import in_groups, values
from tools.source import lectures, page

CALLS = {"train": "a step of training", "infer": "inference"}
COSTS = {
    "columns": ("layer", "length", "milliseconds"),
    "label": "milliseconds a step",
    "xlabel": "length in steps",
    "caption": "TensorFlow on the CPU.",
    "log": "xy",
}


class Plot(NamedTuple):
    """One picture of a page; `data` is {series: {category: [one value per run]}}.

    kind: "dots" (a row per category), "profile" (categories side by side, a colour per series)
        or "lines" (categories are numbers, an axis or both logarithmic; a line per run).
    """

    name: str
    title: str
    kind: str
    label: str
    data: dict
    xlabel: str = ""
    caption: str = ""
    log: str = ""


def pages():
    """Return what the lectures' `page.py` say, by the lectures' names."""
    found = {source.stem: page(source) for source in lectures()}
    return {lecture: said for lecture, said in found.items() if said.TITLE}


def plot(
    lecture, name, *, title, label="test accuracy", xlabel="", caption="", log="", costs="",
    runs="", arms=(), by=None, ordered=False, tables=(), columns=None, rows=None, data=None,
):  # fmt: skip
    """Return a plot as a lecture's page describes it."""
    if costs:
        return plot(lecture, name, title=title, tables=[costs], **COSTS)
    if by is not None:
        kind = "profile"
        data = {
            text: _runs(lecture, runs.replace("{arm}", str(arm)), by, "{by}")
            for text, arm in _named(arms).items()
        }
    elif runs:
        kind, data = "dots", {"": _runs(lecture, runs, arms, "{arm}")}
        if not ordered:
            sign = 1 if runs.endswith(("loss", "mae")) else -1
            best = sorted(data[""].items(), key=lambda row: sign * statistics.fmean(row[1]))
            data = {"": dict(best)}
    else:
        kind, data = "lines", data or _tabled(lecture, tables, columns, rows or {}, log)
    return Plot(name, title, kind, label, data, xlabel, caption, log)


def _runs(lecture, runs, categories, place):
    """The runs of each category, a mapping or a list, for which `place` stands."""
    return {
        text: values(lecture, runs.replace(place, str(category)))
        for text, category in _named(categories).items()
    }


def _named(choices):
    return choices if isinstance(choices, dict) else {str(one): one for one in choices}


def _tabled(lecture, tables, columns, rows, log):
    data = {}
    for row in (row for table in tables for row in results.load_table(lecture, table)):
        if columns:
            series, number, value = (row[column] for column in columns)
            points = {number: value}
        elif rows.items() <= row.items():
            (_, series), *points = (item for item in row.items() if item[0] not in rows)
            points = {int(column.split()[0]): float(value) for column, value in points}
        else:
            continue
        for number, value in points.items():
            if value > 0 or "y" not in log:
                data.setdefault(str(series), {}).setdefault(number, []).append(value)
    return data


def speed():
    """Return the plots of how fast the course's models are, and how their cost grows."""
    drawn, grows, sessions = [], {}, quick()
    for (kind, machine), models in peers().items():
        data = {}
        for (model, call), sides in models.items():
            fastest = [
                min(
                    (
                        rounds
                        for side, rounds in sides.items()
                        if side != FLAGGED and (side in OURS) == own
                    ),
                    key=statistics.median,
                )
                for own in (False, True)
            ]
            ratio = [theirs / ours for theirs, ours in zip(*fastest, strict=True)]
            data.setdefault(CALLS[call], {})[model] = ratio
        notebooks = [
            min(of.values()) / of["default"] for of in sessions.get(machine, {}).values()
        ]
        title = f"Speed beside the fastest peer: {machine}"
        said = (
            "Above 1 the course's model, on the best of its backends, is faster than the "
            "fastest of torch, timm and KerasHub; a dot is a round. KerasHub's encoder has "
            "the same sizes; keras.io's translator is another model, with wider heads: what "
            "they learn is below."
        )
        if notebooks:
            data["a notebook"] = {"sessions": notebooks}
            said += (
                " Sessions are quick notebooks, a dot each: the time at the best of all "
                "settings over that at the default."
            )
        drawn.append(Plot(kind, title, "dots", "peer's time / ours", data, caption=said))
    for row in results.load_table("speed", "growth"):
        for unit in ("milliseconds", "megabytes"):
            of = grows.setdefault((row["grows"], unit), {}).setdefault(row["architecture"], {})
            of[row["size"]] = [row[unit]]
    said = (
        "With JAX, on a CPU: loss and gradients, without the optimizer's update. Memory is "
        "what XLA sets aside for intermediate results, without weights and batch."
    )
    for (what, unit), data in grows.items():
        title = f"{'Time' if unit == 'milliseconds' else 'Memory'} of a step against {what}"
        name = f"{unit}-{what}"
        drawn.append(Plot(name, title, "lines", unit, data, what, said, "xy"))
    return drawn


def peers():
    """Return {(table, hardware): {(model, call): {side: milliseconds of rounds}}}."""
    found = {}
    for table in by_processor("peers"):
        for row in table["rows"]:
            if row["side"] != "product":  # the processor's peak
                of = found.setdefault((table["name"], hardware(table)), {})
                of.setdefault((row["model"], row["call"]), {})[row["side"]] = row["rounds"]
    return found


def quick():
    """Return {hardware: {notebook: {setting: seconds of a session}}}."""
    found = {}
    for table in by_processor("quick"):
        for row in table["rows"]:
            of = found.setdefault(hardware(table), {}).setdefault(row["notebook"], {})
            of[row["setting"]] = row["seconds"]
    return found


def hardware(table):
    """Return on what a table of speeds was measured."""
    return table["hardware"] + " with AVX-512" * table["name"].endswith("-avx-512")


def by_processor(name):
    """Return the tables of speeds of which each kind of processor has its own."""
    paths = sorted((results.RESULTS / "speed").glob(f"measured-{name}-*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def describe(plot):
    """Return the alternative text: what is plotted, with the numbers that stand in the plot.

    Those are the means, or all runs if they fall into groups; of dots in several series the
    medians.
    """
    said, told = [], median if plot.kind == "dots" and len(plot.data) > 1 else spoken
    for series, categories in plot.data.items():
        points = list(categories.items())
        if plot.kind == "lines" and len(points) > 2:
            points = [points[0], points[-1]]
        shown = ", ".join(f"{category} {told(found)}" for category, found in points)
        said.append(f"{series}: {shown}" if series else shown)
    return f"{plot.title}; {plot.label}. {'; '.join(said)}."


def median(numbers):
    """Return the median as text."""
    return f"{statistics.median(numbers):.2f}"


def spoken(numbers):
    """Return the mean as text, or all values where the runs fall into groups."""
    shown = sorted(numbers) if in_groups(numbers) else [statistics.fmean(numbers)]
    return " / ".join(f"{v:.2f}" if 0.1 <= abs(v) < 10 else f"{v:.2g}" for v in shown)


def draw(plot, path):
    """Write a plot as PNG."""
    rows = len(names(plot))
    height = 0.95 + 0.34 * rows if plot.kind == "dots" else 3.6
    drawing, axis = plotting.figure(7.5, height)
    DRAWN[plot.kind](axis, plot)
    axis.set_title(plot.title)
    drawing.savefig(path, dpi=110, metadata={"Software": None})


def draw_dots(axis, plot):
    """Draw a row per category: a dot per run, a stroke at the mean unless they fall apart.

    Series share the rows, each in its colour, with a stroke and a number at the median.
    """
    many = len(plot.data) > 1
    rows, step = names(plot), 0.5 / len(plot.data)
    for index, (series, groups) in enumerate(plot.data.items()):
        for name, found in groups.items():
            place = rows.index(name) + (index - (len(plot.data) - 1) / 2) * step
            label = series if name == next(iter(groups)) else None
            dots = {"color": plotting.COLOURS[index], "alpha": 0.6, "label": label}
            axis.plot(found, [place] * len(found), "o", **dots)
            if many or not in_groups(found):
                middle = statistics.median(found) if many else statistics.fmean(found)
                axis.plot([middle], [place], "|", color="black", markersize=8 if many else 14)
    for place, name in enumerate(rows):
        all_runs = [groups[name] for groups in plot.data.values() if name in groups]
        told = ", ".join(map(median, all_runs)) if many else spoken(*all_runs)
        where = {"xycoords": ("axes fraction", "data"), "va": "center"}
        axis.annotate(told, (1.01, place), **where)
    axis.set_yticks(range(len(rows)), rows)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xlabel(
        f"{plot.label}: dots, and a stroke at their median"
        if many
        else f"{plot.label}: a dot a run, a stroke the mean"
    )
    if many:
        axis.axvline(1, color="grey", linewidth=0.8)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=len(plot.data))


def names(plot):
    """Return a plot's categories, in the order in which its series have them."""
    return list(dict.fromkeys(name for groups in plot.data.values() for name in groups))


def draw_profile(axis, plot):
    """Draw categories side by side: a dot per run; a line, or a stroke each, at the medians."""
    rows, step = names(plot), 0.5 / len(plot.data)
    line = "-" if all(re.search(r"\d", name) for name in rows) else "_"  # numbers in order
    for index, (series, groups) in enumerate(plot.data.items()):
        look = plotting.look(index)
        places = [n + (index - (len(plot.data) - 1) / 2) * step for n in range(len(rows))]
        for place, name in zip(places, rows, strict=True):
            runs, label = groups[name], series if name == rows[0] else None
            dots = {"linestyle": "none", "alpha": 0.6, "label": label}
            axis.plot([place] * len(runs), runs, **look, **dots)
        middle = [statistics.median(groups[name]) for name in rows]
        axis.plot(places, middle, line, markersize=14, color=look["color"])
    crowded = sum(map(len, rows)) > 60 or len(rows) > 8
    turned = {"rotation": 25, "ha": "right"} if crowded else {}
    axis.set_xticks(range(len(rows)), rows, **turned)
    axis.set(ylabel=plot.label, xlabel=plot.xlabel)
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_lines(axis, plot):
    """Draw values by a number, a line per run."""
    for index, (series, groups) in enumerate(plot.data.items()):
        look = plotting.look(index)
        for run in range(max(map(len, groups.values()))):
            points = [(x, found[run]) for x, found in groups.items() if run < len(found)]
            label = series if run == 0 else None
            axis.plot(*zip(*points, strict=True), **look, markersize=4, label=label)
    axis.set(ylabel=plot.label, xlabel=plot.xlabel)
    if "x" in plot.log:
        largest = max(x for groups in plot.data.values() for x in groups)
        axis.set_xscale("log", base=2 if largest < 200_000 else 10)
        axis.xaxis.set_major_formatter(
            plotting.matplotlib.ticker.StrMethodFormatter("{x:,.0f}")
        )
    if "y" in plot.log:
        axis.set_yscale("log")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


DRAWN = {"dots": draw_dots, "profile": draw_profile, "lines": draw_lines}
