"""Record full runs as JSON and read them back: every figure in the text comes from here.

A run is `results/<lecture>/<model>-<dataset>-seed<k>.json`; a table of measurements, such as
gradients by distance, is `results/<lecture>/measured-<name>.json`.
"""

import contextlib
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import warnings
from html import escape
from importlib import metadata
from pathlib import Path

from course_utils import session

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
_PACKAGES = ("keras", "tensorflow", "jax", "numpy", "scikit-learn", "tensorflow-datasets")


def record(
    lecture,
    model,
    dataset,
    metrics,
    *,
    seed=None,
    source=None,
    history=None,
    parameters=None,
    epochs=None,
    seconds_per_epoch=None,
    examples_per_second=None,
    peak_memory_bytes=None,
    precision=None,
    settings=None,
):
    """Write one run as JSON in the full profile, and return its path; else return None.

    lecture: its name, such as "01_imdb_embeddings". model, dataset: short names in lower case
    with underscores. metrics: an object such as `{"val_accuracy": 0.75}`. seed: by default the
    session's. history: a list of values an epoch, by metric. settings: what was set by hand
    (learning rate, length, …), as an object.
    """
    if session.profile() != "full":
        return None
    seed = session_seed() if seed is None else int(seed)
    run = {
        "lecture": lecture,
        "model": model,
        "dataset": dataset,
        "source": source,
        "profile": "full",
        "seed": seed,
        "metrics": metrics,
        "history": history,
        "parameters": parameters,
        "epochs": epochs,
        "seconds_per_epoch": seconds_per_epoch,
        "examples_per_second": examples_per_second,
        "peak_memory_bytes": peak_memory_bytes,
        "settings": settings,
        **_circumstances(precision),
    }
    return write(folder() / lecture / f"{model}-{dataset}-seed{seed}.json", run)


def record_table(lecture, name, rows, note=None):
    """Write a table of measurements, `measured-<name>.json`, as `record` writes a run.

    rows: a list of objects, one a row, with the same keys. note: what was measured, and how.
    """
    if session.profile() != "full":
        return None
    table = {"lecture": lecture, "name": name, "note": note, "rows": rows}
    table |= _circumstances(None)
    return write(folder() / lecture / f"measured-{name}.json", table)


def files(lecture):
    """Return the files of a lecture's recorded runs, in order."""
    found = sorted((RESULTS / lecture).glob("*-seed*.json"))
    return [path for path in found if not path.stem.startswith("measured-")]


def load(lecture, model=None, dataset=None):
    """Return the recorded runs of a lecture, sorted by model, data set and seed.
    Raises ValueError for what has no recorded runs; a damaged file is left out with a warning.
    """
    runs = []
    for path in files(lecture):
        try:
            runs.append(_read(path))
        except ValueError as error:
            warnings.warn(f"{error}; it is left out: delete it, record it again", stacklevel=2)
    if not runs:
        recorded = ", ".join(sorted({path.parent.name for path in RESULTS.glob("*/*-seed*")}))
        raise ValueError(f"no recorded run of {lecture!r}; there are those of: {recorded}")
    if model is not None and model not in {run["model"] for run in runs}:
        recorded = ", ".join(sorted({run["model"] for run in runs}))
        raise ValueError(f"{lecture} has no recorded run of {model!r}; it has: {recorded}")
    runs = [run for run in runs if model in (None, run["model"])]
    if dataset is not None and dataset not in {run["dataset"] for run in runs}:
        recorded = ", ".join(sorted({run["dataset"] for run in runs}))
        raise ValueError(f"{lecture} has no such run on {dataset!r}; it has: {recorded}")
    runs = [run for run in runs if dataset in (None, run["dataset"])]
    return sorted(runs, key=lambda run: (run["model"], run["dataset"], run["seed"]))


def load_table(lecture, name):
    """Return the rows of a recorded table; a ValueError names those that are recorded."""
    path = RESULTS / lecture / f"measured-{name}.json"
    if not path.is_file():
        tables = sorted(file.stem for file in path.parent.glob("measured-*"))
        tables = ", ".join(table.removeprefix("measured-") for table in tables)
        raise ValueError(f"{lecture} has no table {name!r}; it has: {tables}")
    return _read(path)["rows"]


def mean(runs, metric):
    """Return mean and spread (standard deviation over the seeds) of a recorded metric."""
    values = [run["metrics"][metric] for run in runs if run["metrics"].get(metric) is not None]
    if not values:
        raise ValueError(f"no recorded run has the metric {metric!r}")
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


class Table:
    """Rows shown as a table, in a notebook and on a slide; each row is a dict."""

    def __init__(self, rows, columns=None):
        self.rows = list(rows)
        self.columns = columns or list(dict.fromkeys(key for row in self.rows for key in row))

    def cells(self):
        return [[_cell(row.get(name)) for name in self.columns] for row in self.rows]

    def markdown(self):
        lines = [self.columns, ["---"] * len(self.columns), *self.cells()]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _repr_html_(self):
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self):
        grid = [self.columns, *self.cells()]
        widths = [max(len(row[i]) for row in grid) for i in range(len(self.columns))]
        rows = [zip(row, widths, strict=True) for row in grid]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in rows
        )


def session_seed():
    """The seed that `cu.start` was given; 0 where there is no session."""
    begun = session.current()
    return begun.seed if begun else 0


def hardware():
    """Return the processor (and its cores) or the accelerators that did the work."""
    machines = len(session.workers()[1])
    times = f"{machines} machines, each " if machines > 1 else ""
    if "keras" in sys.modules and (devices := session.accelerators()):
        return f"{times}{len(devices)} × {devices[0].name}"
    return f"{times}{os.cpu_count()} cores of {_processor()}"


def versions():
    """Return the versions of Python and of the packages that decide a result."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def folder():
    """Where runs are written: $COURSE_RESULTS, which `make full` sets, else build/results."""
    return Path(os.environ.get("COURSE_RESULTS", ROOT / "build" / "results"))


def _circumstances(precision):
    backend, keras = None, sys.modules.get("keras")
    if keras:
        backend = keras.backend.backend()
        precision = precision or keras.config.dtype_policy().name
    return {
        "hardware": hardware(),
        "backend": backend,
        "precision": precision or "float32",
        "versions": versions(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _commit(),
    }


def _commit():
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
    options = {"encoding": "utf-8", "stderr": subprocess.DEVNULL}
    try:
        return subprocess.check_output(command, **options).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _processor():
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from None


def write(path, content):
    """Write an object as JSON, floats to six digits, so that no half file can be left."""
    beside = path.with_suffix(f".{os.getpid()}.part")  # of two that write, the last one wins
    text = json.dumps(_rounded(content), indent=1, ensure_ascii=False)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text + "\n", encoding="utf-8")
        beside.replace(path)
    return path


@contextlib.contextmanager
def writing(path):
    """Say what could not be written, as on a full disk, and how to go on."""
    try:
        yield
    except OSError as error:
        told = f"{error.strerror or error}; mend that and run again: no saved epoch is lost"
        raise OSError(error.errno, told, str(path)) from error


def _rounded(value):
    if isinstance(value, dict):
        return {str(key): _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value


def _cell(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 1e-3 or not value else f"{value:g}"
    return f"{value:,}" if type(value) is int else str(value)
