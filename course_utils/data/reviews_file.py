"""The default output of the review grammar, kept in data/reviews.csv.gz.

`python -m course_utils.data.reviews_file` writes it.
"""

from __future__ import annotations

import csv
import gzip
import inspect
import io
import zlib

import numpy as np

from course_utils.data import folders
from course_utils.data.arguments import one_of
from course_utils.data.reviews_grammar import SEED, SIZES, make_reviews

NAME = "reviews.csv.gz"
SETTINGS = tuple(inspect.signature(make_reviews).parameters)[2:]


def generate(seed: int = SEED, **grammar) -> dict[str, np.ndarray]:
    """Reviews by the grammar as columns: split, label (int32), phenomenon, text.

    grammar: the settings of `make_reviews`. Raises ValueError for one that it does not have.
    """
    for name in set(grammar) - set(SETTINGS):
        one_of("setting of the grammar", name, ("seed", *SETTINGS))
    reviews = make_reviews(sum(SIZES.values()), seed, **grammar)
    return {
        "split": np.repeat(list(SIZES), list(SIZES.values())),
        "label": reviews.labels,
        "phenomenon": reviews.phenomena,
        "text": reviews.texts,
    }


def read() -> dict[str, np.ndarray]:
    """The kept reviews, as `generate()` gives them.

    Raises FileNotFoundError without the file, ValueError when it is damaged.
    """
    path = folders.DATA / NAME
    remedy = (
        f"It belongs to the course: get it back with `git checkout data/{NAME}`, or make it "
        "with `python -m course_utils.data.reviews_file`."
    )
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. {remedy}")
    try:
        rows = list(csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is damaged ({error}). {remedy}") from error
    return {
        "split": np.array([row["split"] for row in rows]),
        "label": np.array([int(row["label"]) for row in rows], "int32"),
        "phenomenon": np.array([row["phenomenon"] for row in rows]),
        "text": np.array([row["text"] for row in rows], object),
    }


def write() -> None:
    """Make the default reviews and keep them."""
    table = generate()
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    folders.DATA.mkdir(exist_ok=True)
    # Without the time of writing, so that the same reviews give the same file.
    whole = gzip.compress(lines.getvalue().encode(), compresslevel=9, mtime=0)
    (folders.DATA / NAME).write_bytes(whole)


if __name__ == "__main__":
    write()
