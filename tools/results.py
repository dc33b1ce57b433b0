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
"""
METRICS = {
    "val_accuracy": "validation accuracy",
    "test_accuracy": "test accuracy",
    "analogies": "analogies right",
}


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
        if curves(lecture):
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
        names = ("seeds", "parameters", "seconds an epoch", "hardware", "date")
        rows.append(shown | {name: row[name] for name in names})
    used = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    return results.Table(rows, used)


def measured(lecture):
    """Yield each recorded table of measurements as Markdown: heading, note, rows."""
    for path in sorted((results.RESULTS / lecture).glob("measured-*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        yield f"### {lecture}: {table['name'].replace('_', ' ')}\n"
        yield f"{table['note'] or ''} {table['hardware']}, {table['date']}.\n".lstrip()
        yield results.Table(table["rows"]).markdown() + "\n"


def curves(lecture):
    """Return the recorded runs that have a validation curve, by model and data set."""
    groups = {}
    for run in results.load(lecture):
        if (run["history"] or {}).get("val_accuracy"):
            groups.setdefault(f"{run['model']} · {run['dataset']}", []).append(run)
    return groups


def describe(lecture):
    """Return the alternative text of the lecture's picture."""
    best = [
        f"{name} {max(max(run['history']['val_accuracy']) for run in runs):.3f}"
        for name, runs in curves(lecture).items()
    ]
    return f"Validation accuracy by epoch, a line a seed; highest values: {', '.join(best)}."


def draw(lecture):
    """Write the picture of the lecture's validation curves."""
    drawing, axis = plotting.figure(8.0, 4.0)
    for index, (name, runs) in enumerate(curves(lecture).items()):
        colour = plotting.COLOURS[index % len(plotting.COLOURS)]
        style = "-" if index < len(plotting.COLOURS) else "--"
        for number, run in enumerate(runs):
            line = run["history"]["val_accuracy"]
            label = None if number else name
            axis.plot(
                range(1, len(line) + 1), line, style, color=colour, linewidth=1.2, label=label
            )
    axis.set(xlabel="epoch", ylabel="validation accuracy", title=lecture)
    axis.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    PLOTS.mkdir(parents=True, exist_ok=True)
    drawing.savefig(PLOTS / f"{lecture}.png", dpi=110, metadata={"Software": None})


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
        if curves(lecture):
            draw(lecture)
    beside = PAGE.with_suffix(".part")
    beside.write_text(page(), encoding="utf-8")
    beside.replace(PAGE)
    print(f"wrote {PAGE.name}: {', '.join(lectures()) or 'no recorded run yet'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
