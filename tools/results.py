"""Write RESULTS.md, a page per lecture and their plots from the recorded runs; trains nothing.

    python -m tools.results

A lecture's `page.py` says what its page plots, what its recorded models are called, and which
main findings it tells; a lecture without one has no page. `results/names.json` says in words
what each data set and metric is; `results/published.json` holds the figures that the slides and
papers print.
"""

import json
import statistics
from collections import Counter
from datetime import date
from typing import NamedTuple

from benchmarks.peers import ONE_PASS
from course_utils import plotting, results, saving
from tools import recipes, records, result_plots
from tools.command_line import parser
from tools.execute import exit_with

ROOT = results.ROOT
PLOTS = results.RESULTS / "plots"
OVERVIEW = PLOTS / "findings.png"
FRONT = """\
# Results

The main findings. All but a count of parameters rest on recorded runs with at least the seeds
0, 1 and 2 (one JSON file per run in `results/`). `make results` computes the figures, mean ±
standard deviation, from them and refuses to write where the two sides of a finding overlap.
Plots and all other figures are on one page per lecture.

"""
ABOUT = """\
Figures are mean ± standard deviation over the runs; where runs fall into groups that a mean
would hide, every run is given (a / b / c). Validation data come from the training part; a run
reads the test part once, with the weights that training left: those of the last epoch, or of
the best one on validation where training stops early. Where recipes were chosen with earlier
test accuracies in view, the lecture says so. Seconds were taken on machines that had other work
as well: read them as orders of magnitude.
"""


class Finding(NamedTuple):
    """A sentence of RESULTS.md, and what carries it: {arm: one value per run}, or a count.

    Each run of the arms `above` has to lie above every run of those `below`.
    """

    lecture: str
    sentence: str
    title: str
    label: str = "test accuracy"
    above: dict = {}
    below: dict = {}
    counted: str = ""

    @property
    def arms(self):
        """All arms, the higher ones first."""
        return self.above | self.below

    def holds(self):
        """Say whether the recorded runs carry the sentence."""
        return min(sum(self.above.values(), [])) > max(sum(self.below.values(), []))

    def figures(self):
        """Return mean ± standard deviation of each arm, all its runs where they fall apart."""
        return "; ".join(f"{arm} {records.figure(runs)}" for arm, runs in self.arms.items())


def findings():
    """Return the main findings in the order of their ranks."""
    told = {}
    for lecture, page in result_plots.pages().items():
        for rank, said in page.FINDINGS.items():
            words = {name: said[name] for name in said if name != "runs"}
            for side in {"above", "below"} & set(words):
                words[side] = {
                    arm: records.values(lecture, said["runs"].replace("{arm}", at))
                    for arm, at in said[side].items()
                }
            told[rank] = Finding(lecture, **words)
    return [told[rank] for rank in sorted(told)]


def names():
    """Return what metrics and data sets are called in words."""
    return json.loads((results.RESULTS / "names.json").read_text(encoding="utf-8"))


def written():
    """Return {path: text} of everything that is written, plots apart."""
    texts = {ROOT / "RESULTS.md": front(), results.RESULTS / "speed.md": speed()}
    for lecture, about in result_plots.pages().items():
        texts[results.RESULTS / f"{lecture}.md"] = page(lecture, about)
    return texts


def plots():
    """Return {path: plot} of the pages' and README's plots."""
    found = {PLOTS / f"speed-{plot.name}.png": plot for plot in result_plots.speed()}
    for lecture, about in result_plots.pages().items():
        for start, plotted in ((f"{lecture}-", about.PLOTS), ("", about.FRONT_PLOTS)):
            for name, said in plotted.items():
                path = PLOTS / f"{start}{name}.png"
                found[path] = result_plots.plot(lecture, name, **said)
    return found


def front():
    """Return RESULTS.md: the main findings, then the pages."""
    links = {
        lecture: f"[{lecture.split('_')[0]} {about.TITLE}](results/{lecture}.md)"
        for lecture, about in result_plots.pages().items()
    }
    rows = []
    for number, one in enumerate(findings(), start=1):
        if not one.counted and not one.holds():
            raise ValueError(f"the recorded runs do not carry: {one.sentence}")
        rows.append(
            {
                "": number,
                "finding": one.sentence,
                "figures": one.counted or f"{one.label}: {one.figures()}",
                "runs an arm": "–" if one.counted else len(next(iter(one.above.values()))),
                "more": links[one.lecture],
            }
        )
    pages = "All pages: " + " · ".join([*links.values(), "[speed](results/speed.md)"])
    said = "; ".join(f"{one.title}: {one.figures()}" for one in findings() if one.arms)
    picture = (
        f"![The findings that rest on runs, a dot a run: {said}](results/plots/findings.png)"
    )
    return f"{FRONT}{results.Table(rows).markdown()}\n\n{pages}\n\n{picture}\n"


def draw_overview():
    """Write the findings that rest on runs as small plots, three in a row."""
    drawn = [one for one in findings() if one.arms]
    rows = -(-len(drawn) // 3)
    drawing, axes = plotting.figure(13.0, 2.2 * rows, columns=3, rows=rows)
    for axis, one in zip(axes.flat, drawn, strict=False):
        plot = result_plots.Plot("", one.title, "dots", one.label, {"": one.arms})
        result_plots.draw_dots(axis, plot)
        axis.set_title(one.title)
        axis.set_xlabel(one.label)
    for axis in axes.flat[len(drawn) :]:
        axis.remove()
    drawing.savefig(OVERVIEW, dpi=90, metadata={"Software": None})


def pictures(named, drawn):
    """Return plots in Markdown, each with its heading, alternative text and caption."""
    parts = []
    for plot in drawn:
        picture = f"plots/{named}-{plot.name}.png"
        parts += [f"## {plot.title}\n", f"![{result_plots.describe(plot)}]({picture})\n"]
        parts += [f"{plot.caption}\n"] if plot.caption else []
    return parts


def page(lecture, about):
    """Return a lecture's page: plots, the figures of its dots as a table, then every run."""
    runs = [run for group in records.runs(lecture).values() for run in group]
    drawn = [result_plots.plot(lecture, name, **said) for name, said in about.PLOTS.items()]
    parts = [
        f"# {lecture.split('_')[0]} {about.TITLE}: recorded runs\n",
        f"[The lecture](../notebooks/{lecture}.ipynb) · [all findings](../RESULTS.md) · "
        f"{circumstances(runs)}\n",
        ABOUT,
        *pictures(lecture, drawn),
        "## Figures\n",
    ]
    rows = [
        {"plot": plot.title, "what": arm, "figure": f"{plot.label} {records.figure(found)}"}
        for plot in drawn
        if plot.kind == "dots"
        for arm, found in plot.data[""].items()
    ]
    parts += [f"{results.Table(rows).markdown()}\n"] if rows else []
    parts.append(details("Every recorded run", runs_table(lecture, about.MODELS).markdown()))
    tables = list(measured(lecture))
    parts += [details("Tables of measurements", "\n".join(tables))] if tables else []
    return "\n".join(parts)


def speed():
    """Return the page of speeds: against peers, growth, the quick notebooks."""
    parts = [
        "# Speed\n",
        "[All findings](../RESULTS.md) · `make bench` measures the times, but those of what "
        "translators learn and of killed trainings ([CONTRIBUTING](../CONTRIBUTING.md)).\n",
        *pictures("speed", result_plots.speed()),
    ]
    parts += [
        "## Seconds of the quick notebooks\n",
        "As a student runs them, start-up included. By default TensorFlow compiles with XLA "
        "where that pays.\n",
    ]
    for hardware, quick in result_plots.quick().items():
        rows = [{"notebook": name} | row for name, row in quick.items()]
        settings = list(rows[0])[1:]
        rows.append(
            {"notebook": "all"} | {one: sum(row[one] for row in rows) for one in settings}
        )
        parts += [f"On {hardware}:\n", f"{results.Table(rows).markdown()}\n"]
    slopes = {}
    for row in results.load_table("speed", "growth"):
        time, memory = (round(row[f"slope of {what}"], 1) + 0.0 for what in ("time", "memory"))
        slopes.setdefault(row["architecture"], {})[row["grows"]] = f"{time} and {memory}"
    rows = [{"architecture": name} | grows for name, grows in slopes.items()]
    parts += [
        "## Exponents\n",
        "How time and memory of a step grow: exponents of the three largest sizes.\n",
        f"{results.Table(rows).markdown()}\n",
        "## Milliseconds\n",
        "Of a step on one batch: *train* is forward, backward and Adam's update, *infer* a "
        "batch of `predict`. Sizes and batches stand in `benchmarks/worker.py`, the peers' "
        "versions in `benchmarks/peers.txt`. *Keras on torch* is the course's model on Keras' "
        "third backend; *torch, eager* and *torch.compile* are timm's models, or torch's own "
        "layers, run as written and compiled. *Sums in one pass* is XLA with the environment "
        f"variable `XLA_FLAGS={ONE_PASS['XLA_FLAGS']}`, set before Python starts. XLA then "
        "adds up long sums in one go, less exactly; some models gain by it, others lose. "
        "The course leaves it alone, and the plots above do without it.\n",
    ]
    for (_, hardware), models in result_plots.peers().items():
        rows = [
            {"model": model, "call": call}
            | {side: f"{statistics.median(rounds):.1f}" for side, rounds in sides.items()}
            for (model, call), sides in models.items()
        ]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        whole = [{name: row.get(name) for name in columns} for row in rows]
        parts += [f"On {hardware}:\n", f"{results.Table(whole).markdown()}\n"]
    for kind, (title, explained) in BESIDE.items():
        parts += [f"## {title}\n", f"{explained}\n"]
        for hardware, rows in side_by_side(kind).items():
            parts += [f"On {hardware}:\n", f"{results.Table(rows).markdown()}\n"]
    parts += [
        "## What the two translators learn\n",
        "A head of keras.io's translator is as wide as a token, a head of the course's "
        "embed_dim / num_heads; its norms stand behind the sublayers, the course's before "
        "them. Eight epochs of the course's take no longer than three of the other's, both "
        "timed without dropout. After as much time the course's BLEU is ahead on each seed, "
        "though its validation loss is not; after as many epochs both are behind:\n",
        f"{results.Table(results.load_table('speed', 'translation')).markdown()}\n",
    ]
    return "\n".join([*parts, details("Tables of measurements", "\n".join(measured("speed")))])


# Tables of speeds that every backend has of its own, and what the page says of them.
BESIDE = {
    "calls": (
        "Milliseconds of a call of `predict`, and of other ways to the same numbers",
        "*1,000 by 32* are 1,000 examples in batches of 32; *compiled* is one function that "
        "`tf.function` or `jax.jit` made of the model.",
    ),
    "kernels": (
        "Milliseconds of a step if layers were written otherwise",
        "All ways give the same numbers; each is a class of `benchmarks/kernels.py`, whose "
        "docstring says what it does otherwise.",
    ),
}


SHOWN = {*BESIDE, "translation"}  # their figures stand on the page already


def side_by_side(kind):
    """Return {hardware: rows of a table of speeds, a column a backend and figure}."""
    found = {}
    for table in result_plots.by_processor(kind):
        for row in table["rows"]:
            names = {name: row[name] for name in ("model", "call", "way") if name in row}
            rows = found.setdefault(result_plots.hardware(table), {})
            figures = {
                f"{row['backend']}, {name}".removesuffix(", milliseconds"): value
                for name, value in row.items()
                if name not in names and name != "backend"
            }
            of = rows.setdefault(tuple(names.values()), names)
            of |= figures
    return {hardware: list(rows.values()) for hardware, rows in found.items()}


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


def runs_table(lecture, models):
    """Return a row for each recorded model and data set, in words."""
    words = names()
    published = json.loads((results.RESULTS / "published.json").read_text(encoding="utf-8"))
    groups, rows = records.runs(lecture), []
    for (model, dataset), runs in sorted(groups.items(), key=lambda one: one[0][::-1]):
        seconds = [run["seconds_per_epoch"] for run in runs if run["seconds_per_epoch"]]
        rows.append(
            {
                "what was trained": models[model],
                "data": words["datasets"][dataset],
                "figures": figures(runs, words["metrics"]),
                "slides": published.get(lecture, {}).get(model),
                "runs": len(runs),
                "parameters": runs[0]["parameters"],
                "s an epoch": f"{statistics.fmean(seconds):.2g}" if seconds else None,
                "record": f"`{model}-{dataset}`",
            }
        )
    used = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return results.Table(rows, used)


def figures(runs, metrics):
    """Return the runs' main metrics as text; all of their metrics where none is a main one."""
    recorded = list(runs[0]["metrics"])
    told = []
    for name in [name for name in metrics if name in recorded] or recorded:
        found = [run["metrics"].get(name) for run in runs]
        if found := [value for value in found if value is not None]:
            said = metrics.get(name, name.replace("_", " "))
            told.append(f"{said} {records.figure(found)}")
    return "; ".join(told)


def measured(lecture):
    """Yield each recorded table of measurements as Markdown; long ones as a link."""
    for path in sorted((results.RESULTS / lecture).glob("measured-*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        note = (table["note"] or "").rstrip(".")
        name = table["name"].replace("_", " ").replace("-", " ")
        link = f"[{name}]({lecture}/{path.name})"
        said = ", ".join(filter(None, [note, table["hardware"], table["date"]]))
        yield f"**{link}**: {said}.\n"
        elsewhere = lecture == "speed" and table["name"].partition("-")[0] in SHOWN
        if len(table["rows"]) <= 24 and not elsewhere:
            yield results.Table(table["rows"]).markdown() + "\n"


def outdated():
    """Return the written files that are missing or other than they should be."""
    wrong = [
        path
        for path, text in written().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    return wrong + sorted({*plots(), OVERVIEW} ^ set(PLOTS.glob("*.png")))


def main():
    """Write pages and plots; name the records that today's code would not make."""
    parser("tools.results", __doc__).parse_args()
    PLOTS.mkdir(parents=True, exist_ok=True)
    drawn, texts = plots(), written()
    for path in set(PLOTS.glob("*.png")) - {*drawn, OVERVIEW}:
        path.unlink()
    for path, plot in drawn.items():
        result_plots.draw(plot, path)
    draw_overview()
    for path, text in texts.items():
        with saving.whole(path) as beside:
            beside.write_text(text, encoding="utf-8")
    print(f"wrote {len(texts)} pages and {len(drawn) + 1} plots")
    return recipes.main([])


if __name__ == "__main__":
    exit_with(main)
