"""Write RESULTS.md, a page a lecture and their plots from the recorded runs; trains nothing.

    python -m tools.results

`results/names.json` says in words what each recorded model, data set and metric is;
`results/published.json` holds the figures that the slides and papers print.
"""

import json
import statistics
from collections import Counter
from datetime import date

from course_utils import plotting, results, saving
from tools import findings, records, result_plots
from tools.command_line import parser

ROOT = results.ROOT
PLOTS = results.RESULTS / "plots"
FRONT = """\
# Results

The ten main findings. All but the first, which is a count, rest on recorded runs with at least
the seeds 0, 1 and 2 (one JSON file a run in `results/`). `make results` computes the figures,
mean ± standard deviation, from them and refuses to write where the two sides of a finding
overlap. Plots and all other figures are on a page a lecture.

"""
ABOUT = """\
Figures are mean ± standard deviation over the runs; where runs fall into groups that a mean
would hide, every run is given (a / b / c). Validation data come from the training part; a run
reads the test part once, with the weights that training left: those of the last epoch, or of
the best one on validation where training stops early. Where recipes were chosen with earlier
test accuracies in view, the lecture says so. Seconds were taken on machines that had other work
as well: read them as orders of magnitude.
"""


def names():
    """Return what records are called in words: metrics, data sets, lectures with models."""
    return json.loads((results.RESULTS / "names.json").read_text(encoding="utf-8"))


def lectures():
    """Return the lectures that have recorded runs, in order."""
    folders = (path for path in results.RESULTS.iterdir() if path.is_dir())
    return sorted(path.name for path in folders if results.files(path.name))


def pages():
    """Return {path: text} of everything that is written, plots apart."""
    texts = {ROOT / "RESULTS.md": front(), results.RESULTS / "speed.md": speed()}
    return texts | {results.RESULTS / f"{name}.md": page(name) for name in lectures()}


def plots():
    """Return {path: plot} of the pages' and README's plots."""
    found = {
        PLOTS / f"{lecture}-{plot.name}.png": plot
        for lecture in lectures()
        for plot in result_plots.plots(lecture)
    }
    found |= {PLOTS / f"speed-{plot.name}.png": plot for plot in result_plots.speed()}
    for plot in (result_plots.phenomena(), result_plots.translation()):
        found[PLOTS / f"{plot.name}.png"] = plot
    return found


def front():
    """Return RESULTS.md: the ten findings, then the pages."""
    titles = {name: about["title"] for name, about in names()["lectures"].items()}

    def link(lecture):
        number = lecture.split("_")[0]
        return f"[{number} {titles[lecture]}](results/{lecture}.md)"

    rows = [
        {
            "finding": f"{findings.equal_sizes()} of parameters",
            "figures": ", ".join(
                f"{name.split()[1]} {ours:.1f} ({printed})"
                for name, (printed, ours) in findings.sizes().items()
            )
            + " million, printed in brackets",
            "runs an arm": "–",
            "more": link("08_mixer_gmlp"),
        }
    ]
    for one in findings.findings():
        if not one.holds():
            raise ValueError(f"the recorded runs do not carry: {one.sentence}")
        rows.append(
            {
                "finding": one.sentence,
                "figures": f"{one.metric}: {one.figures()}",
                "runs an arm": len(next(iter(one.arms.values()))),
                "more": link(one.lecture),
            }
        )
    table = results.Table([{"": number} | row for number, row in enumerate(rows, 1)])
    links = "All pages: " + " · ".join([*map(link, lectures()), "[speed](results/speed.md)"])
    picture = f"![{overview_text()}](results/plots/findings.png)"
    return f"{FRONT}{table.markdown()}\n\n{links}\n\n{picture}\n"


def overview_text():
    """Return the alternative text of the overview."""
    return "The findings that rest on runs, a dot a run: " + "; ".join(
        f"{one.title}: {one.figures()}" for one in findings.findings()
    )


def draw_overview(path):
    """Write the findings that rest on runs as small plots, three in a row."""
    drawing, axes = plotting.figure(13.0, 6.6, columns=3, rows=3)
    for axis, one in zip(axes.flat, findings.findings(), strict=True):
        result_plots.draw_dots(axis, one.plot())
        axis.set_title(one.title)
        axis.set_xlabel(one.metric)
    drawing.savefig(path, dpi=90, metadata={"Software": None})


def page(lecture):
    """Return a lecture's page: plots, the figures of its dots as a table, then every run."""
    about = names()["lectures"][lecture]
    runs = [run for group in records.runs(lecture).values() for run in group]
    number = lecture.split("_")[0]
    parts = [
        f"# {number} {about['title']}: recorded runs\n",
        f"[The lecture](../notebooks/{lecture}.ipynb) · [all findings](../RESULTS.md) · "
        f"{circumstances(runs)}\n",
        ABOUT,
    ]
    drawn = result_plots.plots(lecture)
    for plot in drawn:
        picture = f"plots/{lecture}-{plot.name}.png"
        parts += [f"## {plot.title}\n", f"![{result_plots.describe(plot)}]({picture})\n"]
        parts += [f"{plot.caption}\n"] if plot.caption else []
    rows = [
        {"plot": plot.title, "what": arm, "figure": f"{plot.label} {findings.figure(found)}"}
        for plot in drawn
        if plot.kind == "dots"
        for arm, found in plot.data[""].items()
    ]
    tables = [f"{results.Table(rows).markdown()}\n"] if rows else []
    tables.append(details("Every recorded run", runs_table(lecture).markdown()))
    measured_tables = list(measured(lecture))
    if measured_tables:
        tables.append(details("Tables of measurements", "\n".join(measured_tables)))
    return "\n".join([*parts, "## Figures\n", *tables])


def speed():
    """Return the page of speeds: against peers, growth, the quick notebooks."""
    parts = [
        "# Speed\n",
        "[All findings](../RESULTS.md) · `make bench` measures the times.\n",
    ]
    for plot in result_plots.speed():
        picture = f"plots/speed-{plot.name}.png"
        parts += [f"## {plot.title}\n", f"![{result_plots.describe(plot)}]({picture})\n"]
        parts += [f"{plot.caption}\n"] if plot.caption else []
    quick = {}
    for row in results.load_table("speed", "quick"):
        quick.setdefault(row["notebook"], {})[row["setting"]] = row["seconds"]
    sums = {
        name: sum(row[name] for row in quick.values()) for name in next(iter(quick.values()))
    }
    rows = [{"notebook": name} | row for name, row in ({**quick, "all": sums}).items()]
    parts += [
        "## Seconds of the quick notebooks\n",
        "As a student runs them. By default TensorFlow compiles with XLA where that pays.\n",
        f"{results.Table(rows).markdown()}\n",
    ]
    slopes = {}
    for row in results.load_table("speed", "growth"):
        time, memory = (abs(round(row[f"slope of {what}"], 1)) for what in ("time", "memory"))
        found = f"{time} and {memory}"
        slopes.setdefault(row["architecture"], {})[row["grows"]] = found
    rows = [{"architecture": name} | grows for name, grows in slopes.items()]
    parts += [
        "## Exponents\n",
        "How time and memory of a step grow: exponents of the three largest sizes.\n",
        f"{results.Table(rows).markdown()}\n",
        "## Milliseconds\n",
    ]
    for (_, hardware, call), models in result_plots.peers().items():
        rows = [
            {"model": model, "call": call}
            | {side: f"{statistics.median(rounds):.1f}" for side, rounds in sides.items()}
            for model, sides in models.items()
        ]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        whole = [{name: row.get(name) for name in columns} for row in rows]
        parts += [f"On {hardware}:\n", f"{results.Table(whole).markdown()}\n"]
    parts += [
        "## What wide heads learn\n",
        "A head of keras.io's translator is as wide as a token, a head of the course's "
        "embed_dim / num_heads. Eight epochs of the course's take no longer than three of the "
        "other's. After as much time the course's BLEU is ahead on each seed, after as many "
        "epochs it is behind:\n",
        f"{results.Table(results.load_table('speed', 'translation')).markdown()}\n",
    ]
    return "\n".join([*parts, details("Tables of measurements", "\n".join(measured("speed")))])


def details(title, text):
    """Return text that a reader unfolds."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>\n"


def circumstances(runs):
    """Return in a line how many runs there are, from when, and on what they were trained."""
    days = sorted(date.fromisoformat(run["date"]) for run in runs)
    span = " to ".join(f"{day.day} {day:%B %Y}" for day in dict.fromkeys((days[0], days[-1])))
    places = Counter((run["hardware"], run["backend"], run["precision"]) for run in runs)
    where = "; ".join(
        f"{count} on {hardware}, {backend or 'no backend'}, {precision}"
        for (hardware, backend, precision), count in places.most_common()
    )
    return f"{len(runs)} runs, {span}: {where}."


def runs_table(lecture):
    """Return a row for each recorded model and data set, in words."""
    words = names()
    models, metrics = words["lectures"][lecture]["models"], words["metrics"]
    published = json.loads((results.RESULTS / "published.json").read_text(encoding="utf-8"))
    groups = records.runs(lecture)
    rows = []
    for model, dataset in sorted(groups, key=lambda name: name[::-1]):
        runs = groups[model, dataset]
        seconds = [run["seconds_per_epoch"] for run in runs if run["seconds_per_epoch"]]
        rows.append(
            {
                "what was trained": models[model],
                "data": words["datasets"][dataset],
                "figures": figures(runs, metrics),
                "slides": published.get(lecture, {}).get(model),
                "runs": len(runs),
                "parameters": runs[0]["parameters"],
                "s an epoch": f"{result_plots.mean(seconds):.2g}" if seconds else None,
                "record": f"`{model}-{dataset}`",
            }
        )
    used = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return results.Table(rows, used)


def figures(runs, metrics):
    """Return the runs' main metrics as text; all of their metrics where none is a main one."""
    recorded = list(runs[0]["metrics"])
    shown = [name for name in metrics if name in recorded] or recorded
    found = {
        name: [run["metrics"][name] for run in runs if run["metrics"].get(name) is not None]
        for name in shown
    }
    return "; ".join(
        f"{metrics.get(name, name.replace('_', ' '))} {findings.figure(values)}"
        for name, values in found.items()
        if values
    )


def measured(lecture):
    """Yield each recorded table of measurements as Markdown; long ones as a link."""
    for path in sorted((results.RESULTS / lecture).glob("measured-*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        note = (table["note"] or "").rstrip(".")
        name = table["name"].replace("_", " ").replace("-", " ")
        link = f"[{name}]({lecture}/{path.name})"
        said = ", ".join(filter(None, [note, table["hardware"], table["date"]]))
        yield f"**{link}**: {said}.\n"
        if len(table["rows"]) <= 24:
            yield results.Table(table["rows"]).markdown() + "\n"


def outdated():
    """Return the written files that are missing or other than they should be."""
    texts = pages()
    wrong = [
        path
        for path, text in texts.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    drawn = {*plots(), PLOTS / "findings.png"}
    return wrong + sorted(drawn ^ set(PLOTS.glob("*.png")))


def main():
    """Write pages and plots."""
    parser("tools.results", __doc__).parse_args()
    PLOTS.mkdir(parents=True, exist_ok=True)
    drawn = plots()
    for path in set(PLOTS.glob("*.png")) - {*drawn, PLOTS / "findings.png"}:
        path.unlink()
    for path, plot in drawn.items():
        result_plots.draw(plot, path)
    draw_overview(PLOTS / "findings.png")
    for path, text in pages().items():
        with saving.whole(path) as beside:
            beside.write_text(text, encoding="utf-8")
    print(f"wrote RESULTS.md, {len(lectures()) + 1} pages, {len(drawn) + 1} plots")


if __name__ == "__main__":
    main()
