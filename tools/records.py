"""The recorded runs, read from disk once, and how their figures are given in text."""

import functools
import statistics

from course_utils import results


@functools.cache
def runs(lecture):
    """Return a lecture's recorded runs: {(model, data set): runs by seed}."""
    found = {}
    for run in results.load(lecture):
        found.setdefault((run["model"], run["dataset"]), []).append(run)
    return found


def runs_of(lecture, model, dataset):
    """Return the runs of one model on one data set, by seed."""
    recorded = runs(lecture)
    if (model, dataset) not in recorded:
        known = ", ".join(sorted(f"{one} on {other}" for one, other in recorded))
        raise ValueError(f"{lecture} has no run of {model!r} on {dataset!r}; it has: {known}")
    return recorded[model, dataset]


def values(lecture, said):
    """Return a recorded metric, one value per run in the order of the seeds.

    Args:
        lecture: the lecture that recorded it, unless `said` names another.
        said: model, data set and metric, such as "lstm_32 imdb test_accuracy"; of another
            lecture "NN_name/lstm_32 imdb test_accuracy".
    """
    place, dataset, metric = said.split(" ", 2)
    *other, model = place.split("/")
    found = [run["metrics"].get(metric) for run in runs_of(*other or [lecture], model, dataset)]
    return [value for value in found if value is not None]


def in_groups(numbers):
    """Say whether runs fall into groups that a mean would hide: a gap of a tenth or more."""
    ordered = sorted(numbers)
    gaps = [b - a for a, b in zip(ordered, ordered[1:], strict=False)]
    return max(gaps, default=0) > max(0.05, 0.1 * max(map(abs, ordered)))


def figure(found):
    """Return runs as text: mean ± standard deviation, or each where a mean would hide them."""
    digits = 3 if max(map(abs, found)) < 10 else 1
    if len(found) == 1 or in_groups(found):
        return " / ".join(f"{value:.{digits}f}" for value in sorted(found))
    return f"{statistics.fmean(found):.{digits}f} ± {statistics.stdev(found):.{digits}f}"
