"""What was trained beforehand and comes with the course."""

from datetime import UTC, datetime

import numpy as np

from course_utils import results, saving, session

SHIPPED = results.RESULTS / "shipped"


def load_pretrained(name):
    """The arrays of a shipped file, by their names."""
    results.check_name("name", name)
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
    results.check_name("name", name)
    settings = results.plain_settings(settings)
    for key, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{key} is an array of objects; ship text as a unicode array")
    if session.profile() != "full" or results.session_seed() != 0:
        return None
    path = results.folder() / "shipped" / f"{name}.npz"
    with saving.whole(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)
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
    results.write(path.with_suffix(".json"), made)
    return path
