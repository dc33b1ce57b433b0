"""What was trained beforehand and comes with the course: `load_pretrained(name)`.

A shipped file is `results/shipped/<name>.npz`, plain arrays without pickle; `<name>.json`
beside it says which run made it, when, and from which data.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from course_utils import results, session

SHIPPED = results.RESULTS / "shipped"


def load_pretrained(name):
    """Return the arrays of a shipped file, by their names.

    Raises:
        ValueError: for a name that is not shipped, listing those that are.
    """
    path = SHIPPED / f"{name}.npz"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.npz"))) or "none"
        raise ValueError(f"no shipped file {name!r}; there are: {names}")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def provenance(name):
    """Return which run made a shipped file, with seed, date, settings, hardware and versions.

    Raises:
        ValueError: for a name that is not shipped, listing those that are.
    """
    load_pretrained(name)
    return json.loads((SHIPPED / f"{name}.json").read_text(encoding="utf-8"))


def save_pretrained(name, arrays, run, **settings):
    """Write a shipped file and its provenance in the full profile with seed 0; else do nothing.

    Args:
        name: of the file, in lower case with underscores.
        arrays: `{name: array}`; text as a unicode array, never as objects.
        run: the recorded run that made it, `<lecture>/<model>-<dataset>-seed0`.
        settings: whatever else tells how: data, dimensions, epochs, …

    Returns:
        The file's path, or None.

    Raises:
        ValueError: for an array of objects, which could only be stored with pickle.
    """
    for key, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{key} is an array of objects; ship text as a unicode array")
    if session.profile() != "full" or results.session_seed() != 0:
        return None
    folder = Path(os.environ.get("COURSE_RESULTS", results.ROOT / "build" / "results"))
    path = folder / "shipped" / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part.npz")
    np.savez_compressed(beside, **arrays)
    beside.replace(path)
    made = {
        "name": name,
        "run": run,
        "seed": 0,
        "date": datetime.now(UTC).date().isoformat(),
        "settings": settings,
        "arrays": {key: [*array.shape, str(array.dtype)] for key, array in arrays.items()},
        "hardware": results.hardware(),
        "versions": results.versions(),
    }
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    return path
