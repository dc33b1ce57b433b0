"""Claims about recorded runs, written in a lecture below the prose that makes them.

A raw cell below the text holds them, Python expressions that have to be true. `given` names
numbers of the prose that nobody measured: settings, definitions, a task's bar, a paper's
figure:

    # %% [raw]
    # near(recorded("lstm_32", "imdb").mean(), 0.887, 0.0005)
    # given(0.001)

In a sheet, in the README and on the project's pages the same stands in a comment,
`<!-- claims … -->`, below the summary or in the question. The build leaves them out. An
expression may use what `Records` offers (without a prefix), `near`, `ends`, `apart`, `spread`,
`p_value` and NumPy as `np`.

    python -m tools.claims [LECTURE …]

names the claims that do not hold, and the figures that have none (`tools.figures`).
"""

import functools
import itertools
import sys

import numpy as np

from course_utils import results
from tools import figures, records
from tools.command_line import parser
from tools.shows import ROOT
from tools.source import add_lectures, lectures


class Records:
    """The recorded runs and tables of one lecture, as its claims name them."""

    def __init__(self, lecture):
        self.lecture = lecture

    def recorded(self, model, dataset, metric="test_accuracy", lecture=None):
        """Return a metric, one value per seed."""
        runs = records.runs_of(lecture or self.lecture, model, dataset)
        return np.array([run["metrics"][metric] for run in runs])

    def curve(self, model, dataset, metric):
        """Return a metric by epoch: (seeds, epochs)."""
        runs = records.runs_of(self.lecture, model, dataset)
        return np.array([run["history"][metric] for run in runs])

    def about(self, model, dataset, key, lecture=None):
        """Return what a run says of itself (parameters, a setting, a list, …), by seed."""
        runs = records.runs_of(lecture or self.lecture, model, dataset)
        return [{**(run["settings"] or {}), **run["metrics"], **run}[key] for run in runs]

    def cell(self, table, *keys, lecture=None):
        """Return a number of a recorded table: the row's leading values, then the column.

        "{}" in the table's name stands for the seed: then one value per seed is returned.
        """
        if "{}" in table:
            tables = (table.format(seed) for seed in range(3))
            return np.array([self.cell(one, *keys, lecture=lecture) for one in tables])
        *leading, column = keys
        for row in results.load_table(lecture or self.lecture, table):
            if list(row.values())[: len(leading)] == leading:
                return float(row[column])
        raise ValueError(f"{self.lecture}: table {table!r} has no row {leading}")

    def positions(self, table):
        """Return four mean cosines per seed, of a table of position vectors on a square grid.

        Of neighbours, of positions that lie at least a side apart, of positions and those
        mirrored left to right, and top to bottom: (4, seeds).
        """
        found = []
        for seed in range(3):
            rows = results.load_table(self.lecture, table.format(seed))
            cosines = np.array([row["to"] for row in rows]) / 100
            side = int(len(cosines) ** 0.5)
            numbers = np.arange(side * side)
            row, column = np.divmod(numbers, side)
            steps = sum(np.abs(place[:, None] - place) for place in (row, column))
            left_right = cosines[numbers, row * side + side - 1 - column]
            top_bottom = cosines[numbers, (side - 1 - row) * side + column]
            parts = (cosines[steps == 1], cosines[steps >= side], left_right, top_bottom)
            found.append([part.mean() for part in parts])
        return np.array(found).T


def near(found, said, within):
    """Say whether all numbers lie within `within` of those that the prose gives."""
    return bool(np.allclose(found, said, rtol=0, atol=within))


def ends(found):
    """Return the lowest and the highest."""
    return np.array([np.min(found), np.max(found)])


def given(*numbers):
    """Name numbers that nobody measured."""
    return bool(numbers)


def apart(*arms):
    """Say whether each arm's lowest run lies above every run of the next arm."""
    return all(np.min(high) > np.max(low) for high, low in zip(arms, arms[1:], strict=False))


def spread(found):
    """Return the mean of runs, and their standard deviation."""
    return np.array([np.mean(found), np.std(found, ddof=1)])


def p_value(first, second):
    """Return the p-value of the paired permutation test of runs, paired by their seeds.

    Recorded accuracies are rounded to single precision, so sums that are equal count as equal
    if they differ by less than 1e-5.
    """
    gains = np.asarray(first) - np.asarray(second)
    signs = np.array(list(itertools.product((1, -1), repeat=len(gains))))
    return np.mean(abs(signs @ gains) > abs(gains.sum()) - 1e-5)


HELPERS = {one.__name__: one for one in (near, ends, apart, given, spread, p_value)}


@functools.cache
def holds(lecture, claim):
    """Evaluate one claim."""
    asked = Records(lecture)
    words = {name: getattr(asked, name) for name in dir(Records) if name[0] != "_"}
    answer = eval(claim, {"np": np, **HELPERS, **words})
    if not isinstance(answer, bool | np.bool_):
        raise ValueError(f"{lecture}: {claim!r} is neither true nor false")
    return bool(answer)


def faults(source):
    """Yield what is wrong with the figures of a lecture, or of a page, and where."""
    for path, sections in figures.places(source).items():
        for section in sections:
            place = path.relative_to(ROOT)
            for claim in section.claims:
                if not holds(source.stem, claim):
                    yield f"{place}, {section.heading!r}: it is not true that {claim}"
            for claim in section.unsaid():
                yield f"{place}, {section.heading!r}: the prose does not say so: {claim}"
            for one in section.unproved():
                yield f"{place}, line {one.line}: no claim beside it has {one.said!r}"


def main() -> int:
    """Name the faults of the named lectures, or of all and of the pages; return how many."""
    reading = parser("tools.claims", __doc__)
    add_lectures(reading)
    chosen = reading.parse_args().lectures or [*lectures(), *figures.PAGES]
    found = [fault for source in chosen for fault in faults(source)]
    print(*found or ["each claim holds, and each figure has one"], sep="\n")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
