"""Makers of the course's own data: `python -m tools.make_data.reviews` writes its file.

A grammar whose settings a lecture varies, that of the reviews, is part of the library.
"""

import csv
import io
import lzma
from collections.abc import Iterable

from tools.command_line import read_early

read_early()

from course_utils.data import base  # noqa: E402  it imports Keras


def write_table(name: str, header: Iterable[str], rows: Iterable[Iterable]) -> None:
    """Keep a table as data/<name>, with the same bytes whenever it is the same table."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    packed = lzma.compress(lines.getvalue().encode(), preset=9 | lzma.PRESET_EXTREME)
    (base.DATA / name).write_bytes(packed)
