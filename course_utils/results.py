"""Record full runs as JSON and read them back: every figure in the text comes from here.

A run is `results/<lecture>/<model>-<dataset>-seed<k>.json`; a table of measurements, such as
gradients by distance, is `results/<lecture>/measured-<name>.json`.
"""

import contextlib
import datetime
import json
import math
import operator
import os
import platform
import re
import statistics
import subprocess
import sys
import warnings
from html import escape
from importlib import metadata
from pathlib import Path

import numpy as np

from course_utils import saving, session

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
SHIPPED = RESULTS / "shipped"
_NO_NAME = re.compile(
    # What leads elsewhere, what Windows refuses in a name, and what it takes for a device.
    r"""[/\\:*?"<>|\x00-\x1f]|^\s|[\s.]$|^$|^\.+|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)""",
    re.IGNORECASE,
)
MEASURED = ("history", "parameters", "epochs", "seconds_per_epoch", "examples_per_second")
MEASURED += ("peak_memory_bytes",)
CODE = ("course_utils", "lectures", "data")  # whose state a record tells: committed, or not
_PACKAGES = ("keras", "tensorflow", "jax", "numpy", "scikit-learn", "tensorflow-datasets")


def record(
    lecture,
    model,
    dataset,
    metrics,
    *,
    seed=None,
    source=None,
    precision=None,
    settings=None,
    **measured,
):
    """Write one run as JSON in the full profile, and return its path; else return None.

    Args:
        lecture: its name, that of its text without the suffix.
        model, dataset: short names in lower case with underscores.
        metrics: an object such as `{"val_accuracy": 0.75}`; what is not finite is written as
            null.
        seed: by default the session's.
        settings: what was set by hand (learning rate, length, …), as an object.
        measured: what `MEASURED` names, where it is known.

    Raises:
        ValueError: whatever the profile, for a name that is no file's and for what JSON cannot
            hold (see `plain`).
    """
    for argument, name in (("lecture", lecture), ("model", model), ("dataset", dataset)):
        check_name(argument, name)
    if unknown := set(measured) - set(MEASURED):
        raise TypeError(f"a record has no {', '.join(sorted(unknown))}")
    seed = session_seed() if seed is None else operator.index(seed)
    run = {
        "lecture": lecture,
        "model": model,
        "dataset": dataset,
        "source": source,
        "profile": "full",
        "seed": seed,
        "metrics": plain("metrics", metrics),
        **plain("measured", dict.fromkeys(MEASURED) | measured),
        "settings": plain_settings(settings),
    }
    if session.profile() != "full":
        return None
    run |= _circumstances(precision)
    return write(folder() / lecture / f"{model}-{dataset}-seed{seed}.json", run)


def record_table(lecture, name, rows, note=None):
    """Write a table of measurements, `measured-<name>.json`, as `record` writes a run.

    rows: a list of objects with the same keys. note: what was measured, and how.
    """
    check_name("lecture", lecture)
    check_name("name", name)
    table = {"lecture": lecture, "name": name, "note": note, "rows": plain("rows", rows)}
    if session.profile() != "full":
        return None
    table |= _circumstances(None)
    return write(folder() / lecture / f"measured-{name}.json", table)


def files(lecture):
    """Return the files of a lecture's recorded runs, in order."""
    check_name("lecture", lecture)
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
    for key, wanted in (("model", model), ("dataset", dataset)):
        recorded = sorted({run[key] for run in runs})
        if wanted not in (None, *recorded):
            there = ", ".join(recorded)
            raise ValueError(f"{lecture} has no such run of {key} {wanted!r}; it has: {there}")
        runs = [run for run in runs if wanted in (None, run[key])]
    return sorted(runs, key=lambda run: (run["model"], run["dataset"], run["seed"]))


def load_table(lecture, name):
    """Return the rows of a recorded table; a ValueError names those that are recorded."""
    check_name("lecture", lecture)
    check_name("name", name)
    path = RESULTS / lecture / f"measured-{name}.json"
    if not path.is_file():
        tables = sorted(file.stem for file in path.parent.glob("measured-*"))
        tables = ", ".join(table.removeprefix("measured-") for table in tables)
        raise ValueError(f"{lecture} has no table {name!r}; it has: {tables}")
    return _read(path)["rows"]


def load_pretrained(name):
    """The arrays of a shipped file, by their names."""
    check_name("name", name)
    path = SHIPPED / f"{name}.npz"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.npz"))) or "none"
        raise ValueError(f"no shipped file {name!r}; there are: {names}")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def save_pretrained(name, arrays, run, **settings):
    """Write a shipped file and what made it in the full profile with seed 0; else do nothing.

    arrays: `{name: array}`, text as a unicode array. run: what made it, a recorded run's name
    with its lecture. Returns the path or None. Raises ValueError for an array of objects, a
    name that is no file's, and settings that JSON cannot hold.
    """
    check_name("name", name)
    settings = plain_settings(settings)
    for key, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{key} is an array of objects; ship text as a unicode array")
    if session.profile() != "full" or session_seed() != 0:
        return None
    path = folder() / "shipped" / f"{name}.npz"
    with saving.whole(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)
    made = {
        "name": name,
        "run": run,
        "seed": 0,
        "date": _today(),
        "settings": settings,
        "arrays": {key: [*array.shape, str(array.dtype)] for key, array in arrays.items()},
        "hardware": hardware(),
        "versions": versions(),
    }
    write(path.with_suffix(".json"), made)
    return path


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

    def _grid(self):
        return [[str(name) for name in self.columns], *self.cells()]

    def markdown(self):
        head, *rows = [[_in_markdown(cell) for cell in row] for row in self._grid()]
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _repr_html_(self):
        names, *rows = self._grid()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self):
        grid = self._grid()
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
        "date": _today(),
        "commit": _git("rev-parse", "--short=12", "HEAD"),
        "clean": None if (changed := _git("status", "--short", *CODE)) is None else not changed,
    }


def _today():
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _git(*words):
    options = {"encoding": "utf-8", "stderr": subprocess.DEVNULL}
    try:
        return subprocess.check_output(["git", "-C", str(ROOT), *words], **options).strip()
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
    text = json.dumps(plain("content", content), indent=1, ensure_ascii=False, allow_nan=False)
    with saving.whole(path) as beside:
        beside.write_text(text + "\n", encoding="utf-8")
    return path


def check_name(argument, name):
    """Raise ValueError unless a file can be called so, on Windows too."""
    if not isinstance(name, str) or _NO_NAME.search(name):
        raise ValueError(
            f"{argument} becomes the name of a file: letters, digits, _, - and points between "
            f"them; got {name!r}"
        )


def plain_settings(settings):
    """Return settings as JSON holds them; raise ValueError for any others."""
    if not isinstance(settings, dict | None):
        raise ValueError(f"settings has to be a dict, got {settings!r}")
    return plain("settings", settings, measured=False)


def plain(name, value, measured=True):
    """Return a value as JSON holds it, floats to six digits.

    Arrays and tuples become lists, sets sorted ones, paths, dates and the keys of objects
    strings. name: what the value is called in the ValueError for anything else. measured: None
    stands for what is not finite; it is refused in what was set by hand.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value) and not measured:
            raise ValueError(f"{name} is {value}, which JSON cannot hold")
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {
            _key(name, key): plain(f"{name}[{key!r}]", item, measured)
            for key, item in value.items()
        }
    if isinstance(value, set | frozenset):
        listed = plain(name, list(value), measured)
        return sorted(listed, key=lambda one: (isinstance(one, str), one))
    if isinstance(value, list | tuple | range):
        return [plain(f"{name}[{at}]", item, measured) for at, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if hasattr(value, "__array__") and (listed := _listed(value)) is not None:
        return plain(name, listed, measured)
    raise ValueError(
        f"{name} cannot be written as JSON: give numbers, texts, paths or dates, or lists, "
        f"sets, dicts or arrays of them; got {value!r}"
    )


def _listed(value):
    """Python's numbers, texts or lists in an array or tensor; None for anything else."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "fV":  # V: bfloat16
            array = array.astype("float64")
    except Exception:  # whatever a tensor raises that cannot be read
        return None
    if array.dtype.kind == "M":
        array = array.astype(str)
    nested = array.dtype.kind == "O" and array.ndim > 0
    return array.tolist() if array.dtype.kind in "biufU" or nested else None


def _key(name, key):
    if isinstance(key, str | int | float | os.PathLike) or np.isscalar(key):
        return str(key)
    raise ValueError(f"the keys of {name} have to be texts or numbers, got {key!r}")


def _in_markdown(cell):
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "<br>")


def _cell(value):
    value = value.item() if isinstance(value, np.generic) else value
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 1e-3 or not value else f"{value:g}"
    return f"{value:,}" if type(value) is int else str(value)
