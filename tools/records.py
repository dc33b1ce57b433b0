"""The recorded runs, read from disk once for all who ask of them."""

import functools

from course_utils import results


@functools.cache
def runs(lecture):
    """Return a lecture's recorded runs, {(model, data set): runs by seed}."""
    found = {}
    for run in results.load(lecture):
        found.setdefault((run["model"], run["dataset"]), []).append(run)
    return found


def runs_of(lecture, model, dataset):
    """Return the runs of one model on one data set, by seed.

    Raises:
        ValueError: where none is recorded; names those that are.
    """
    recorded = runs(lecture)
    if (model, dataset) not in recorded:
        known = ", ".join(sorted(f"{one} on {other}" for one, other in recorded))
        raise ValueError(f"{lecture} has no run of {model!r} on {dataset!r}; it has: {known}")
    return recorded[model, dataset]
