"""Write RESULTS.md and its pictures from the recorded runs in `results/`; trains nothing.

    python -m tools.results            write them
    python -m tools.results --check    say whether RESULTS.md is up to date (exit code 1 if not)

`results/published.json` holds the figures that the lecture slides print, by lecture and model;
they stand beside ours.
"""

import argparse
import json
import sys

from course_utils import plotting, results

ROOT = results.ROOT
PAGE = ROOT / "RESULTS.md"
PLOTS = results.RESULTS / "plots"
ABOUT = """\
# Results

Every figure in the lectures comes from a recorded full run: one JSON file a run in `results/`,
with its seed, settings, hardware, versions, date and commit. This page is generated from them
(`make results`); `make full LECTURE=… SEEDS=0,1,2` trains and records anew.

Figures are mean ± standard deviation over the seeds. Validation is cut from the training part;
the test part was read once, by the model of the best validation epoch (or, where there are no
epochs, by the settings that did best on validation). "Slides" is what the lecture slides print.
Seconds were taken on a machine that had other work as well: read them as orders of magnitude.
"""
METRICS = {
    "val_accuracy": "validation accuracy",
    "test_accuracy": "test accuracy",
    "val_mae": "validation error, °C",
    "test_mae": "test error, °C",
    "exact_match": "exact match",
    "bleu": "BLEU",
    "span_f1": "span F1",
}
LEFT_OUT = {*METRICS, "val_loss", "best_epoch"}


def page():
    """Return RESULTS.md's text."""
    published = json.loads((results.RESULTS / "published.json").read_text(encoding="utf-8"))
    parts = [ABOUT]
    for lecture in lectures():
        parts += [
            f"## {lecture}\n",
            runs_table(lecture, published.get(lecture, {})).markdown(),
            "",
        ]
        picture = PLOTS / f"{lecture}.png"
        if tested(lecture):
            parts += [f"![{describe(lecture)}]({picture.relative_to(ROOT).as_posix()})\n"]
        parts += list(measured(lecture))
    return "\n".join(parts).rstrip() + "\n"


def lectures():
    """Return the lectures that have recorded runs, in order."""
    folders = (path for path in results.RESULTS.iterdir() if path.is_dir())
    return sorted(path.name for path in folders if results.load(path.name))


def runs_table(lecture, published):
    """Return the lecture's runs, a row for each model and data set, as a `Table`."""
    rows = []
    for row in results.summary(lecture):
        shown = {"model": row["model"], "data": row["data"]}
        shown |= {label: row.get(name) for name, label in METRICS.items()}
        shown["slides"] = published.get(row["model"])
        shown["other figures"] = others(lecture, row)
        names = ("seeds", "parameters", "seconds an epoch", "hardware", "date")
        rows.append(shown | {name: row[name] for name in names})
    used = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return results.Table(rows, used)


def others(lecture, row):
    """Return the means of a row's further metrics in one line, None where there are none."""
    runs = results.load(lecture, row["model"], row["data"])
    names = [name for name in runs[0]["metrics"] if name not in LEFT_OUT]
    means = ((name.replace("_", " "), results.mean(runs, name)[0]) for name in names)
    return ", ".join(f"{name} {mean:.3g}" for name, mean in means) or None


def measured(lecture):
    """Yield each recorded table of measurements as Markdown: heading, note, rows."""
    for path in sorted((results.RESULTS / lecture).glob("measured-*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        yield f"### {lecture}: {table['name'].replace('_', ' ')}\n"
        note = (table["note"] or "").rstrip(".")
        said = f"{note[:1].upper()}{note[1:]}. " if note else ""
        yield f"{said}{table['hardware']}, {table['date']}.\n"
        yield results.Table(table["rows"]).markdown() + "\n"


def tested(lecture):
    """Return the test accuracies of the recorded runs, by model and data set, best first."""
    groups = {}
    for run in results.load(lecture):
        if run["metrics"].get("test_accuracy") is not None:
            name = f"{run['model']} · {run['dataset']}"
            groups.setdefault(name, []).append(run["metrics"]["test_accuracy"])
    return dict(sorted(groups.items(), key=lambda group: -sum(group[1]) / len(group[1])))


def describe(lecture):
    """Return the alternative text of the lecture's picture."""
    means = [f"{name} {sum(seeds) / len(seeds):.3f}" for name, seeds in tested(lecture).items()]
    return f"Test accuracy, a dot a seed; means, best first: {', '.join(means)}."


def draw(lecture):
    """Write the picture of the lecture's test accuracies."""
    groups = tested(lecture)
    drawing, axis = plotting.figure(8.0, 0.9 + 0.3 * len(groups))
    for place, seeds in enumerate(groups.values()):
        axis.plot(seeds, [place] * len(seeds), "o", color=plotting.COLOURS[0], alpha=0.6)
        mean = sum(seeds) / len(seeds)
        axis.plot([mean], [place], "|", color="black", markersize=14)
        axis.annotate(
            f"{mean:.3f}", (1.01, place), xycoords=("axes fraction", "data"), va="center"
        )
    axis.set_yticks(range(len(groups)), groups)
    axis.set_ylim(len(groups) - 0.5, -0.5)
    axis.set(xlabel="test accuracy, a dot a seed, a stroke the mean", title=lecture)
    PLOTS.mkdir(parents=True, exist_ok=True)
    drawing.savefig(PLOTS / f"{lecture}.png", dpi=110, metadata={"Software": None})


def phenomena():
    """Return mean accuracy by phenomenon on the course's own reviews, for README's picture."""
    models = {
        "counting words": ("02_simple_rnn", "counting"),
        "a simple recurrent network": ("02_simple_rnn", "simple_rnn_32"),
        "an LSTM": ("03_lstm_gru", "lstm_32"),
        "a Transformer encoder": ("06_transformer", "encoder"),
    }
    return {
        label: {
            name: results.mean(results.load(lecture, model, "reviews"), name)[0]
            for name in ("plain", "negation", "turn", "far")
        }
        for label, (lecture, model) in models.items()
    }


def draw_phenomena():
    """Write README's picture: what counting misses, what the loop loses, what gates hold."""
    title = "accuracy by what the verdict hangs on"
    drawing = plotting.bar_figure(phenomena(), chance=0.5, title=title)
    drawing.savefig(PLOTS / "phenomena.png", dpi=110, metadata={"Software": None})


def exact_by_length():
    """Return the mean share of sentences translated word for word, by source length."""
    models = {
        "one vector (lecture 5)": ("05_attention", "plain"),
        "GRU with attention (lecture 5)": ("05_attention", "dot"),
        "Transformer (lecture 6)": ("06_transformer", "transformer"),
    }
    lengths = ("4–8", "9–13", "14–18", "19–25")
    return {
        label: {
            f"{words} words": results.mean(
                results.load(lecture, model, "english_french"), f"exact {words}"
            )[0]
            for words in lengths
        }
        for label, (lecture, model) in models.items()
    }


def draw_translation():
    """Write README's second picture: what one vector loses with length."""
    title = "sentences translated word for word, by length"
    drawing = plotting.bar_figure(exact_by_length(), ylabel="share", title=title)
    drawing.savefig(PLOTS / "translation.png", dpi=110, metadata={"Software": None})


def main(arguments=None):
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser("python -m tools.results", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="only say whether it is up to date"
    )
    if parser.parse_args(arguments).check:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page():
            return 0
        print("RESULTS.md is older than results/: run `make results`.", file=sys.stderr)
        return 1
    for lecture in lectures():
        if tested(lecture):
            draw(lecture)
    draw_phenomena()
    draw_translation()
    beside = PAGE.with_suffix(".part")
    beside.write_text(page(), encoding="utf-8")
    beside.replace(PAGE)
    print(f"wrote {PAGE.name}: {', '.join(lectures()) or 'no recorded run yet'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
