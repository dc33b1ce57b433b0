"""The default output of the course's generators, kept as compressed tables in data/."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable

from course_utils.data import folders


def read(name: str, maker: str, arrange: Callable[[dict], dict]) -> dict:
    """What `arrange` makes of data/<name>: it is given the columns, tuples of str by header.

    maker: the module that writes the file.

    Raises FileNotFoundError without the file, ValueError when it is damaged.
    """
    path = folders.DATA / name
    remedy = (
        f"It belongs to the course: get it back with `git checkout data/{name}`, or make it "
        f"with `python -m {maker}`."
    )
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. {remedy}")
    try:
        text = gzip.decompress(path.read_bytes()).decode()
        header, *rows = csv.reader(io.StringIO(text))
        return arrange(dict(zip(header, zip(*rows, strict=True), strict=True)))
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, KeyError) as error:
        raise ValueError(f"{path} is damaged ({error}). {remedy}") from error


def write(name: str, header: Iterable[str], rows: Iterable[Iterable]) -> None:
    """Keep a table as data/<name>, with the same bytes whenever it is the same table."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    folders.DATA.mkdir(exist_ok=True)
    beside = folders.DATA / f".{name}.part"
    beside.write_bytes(gzip.compress(lines.getvalue().encode(), compresslevel=9, mtime=0))
    beside.replace(folders.DATA / name)
