"""Random contents in the form and size of what the course downloads, to build without it.

The loaders read these as they read the real files; so whatever a loader or an experiment does
to its data changes what comes out, on a machine without the data, too.
"""

import functools
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from course_utils import saving

WORDS = 40_000  # different ones, as frequent as Zipf's law has them
_CACHE = tempfile.TemporaryDirectory()
CHARACTERS = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TAGS = ("O", "O", "O", "O", "O", "B-person", "B-location")
FOLDER = Path(__file__).resolve().parent.parent / "build" / "stand-ins"
SIDES = {"mnist": (28, 1), "cifar10": (32, 3)}


@functools.cache
def _words() -> np.ndarray:
    draw = np.random.default_rng(0)
    letters = np.array(list("abcdefghiklmnoprstuvw"))
    drawn = letters[draw.integers(len(letters), size=(2 * WORDS, 6))]
    lengths = draw.integers(2, 7, size=2 * WORDS)
    spelt = ("".join(row[:length]) for row, length in zip(drawn, lengths, strict=True))
    return np.array(list(dict.fromkeys(spelt))[:WORDS], object)


def texts(count: int, seed: int, shortest: int = 12, longest: int = 24) -> list[str]:
    """Return texts of random words."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(shortest, longest, size=count, endpoint=True)
    rank = np.exp(draw.uniform(0, np.log(len(_words())), lengths.sum())).astype(int) - 1
    words = np.split(_words()[rank], np.cumsum(lengths)[:-1])
    return [" ".join(text) for text in words]


def prepared(name: str, archive: str, what: str) -> SimpleNamespace:
    """Stand in for `course_utils.data.download.prepared`."""
    label = SimpleNamespace(names=[str(number) for number in range(10)])
    return SimpleNamespace(name=name, info=SimpleNamespace(features={"label": label}))


def records(builder, part: str, count: int, batch_size: int | None = 1_000) -> Iterator[dict]:
    """Stand in for `course_utils.data.download.records`."""
    seed = sum(part.encode())
    draw, kind = np.random.default_rng(seed), re.split("[/:]", builder.name)[0]
    if kind in SIDES:
        side, channels = SIDES[kind]
        # Plain squares, as in JPEG: a loader recognises recompressed photographs by them.
        block = 4 if side % 8 else 8
        blocks = (500, side // block, side // block, channels)
        squares = draw.integers(256, size=blocks, dtype="uint8")
        images = squares.repeat(block, axis=1).repeat(block, axis=2)
        for start in range(0, count, batch_size):
            size = min(batch_size, count - start)
            yield {"image": images[:size], "label": np.arange(size) % 10}
        return
    column, words = ("sentence", (4, 9)) if kind == "glue" else ("text", (12, 24))
    rows = np.array([text.encode() for text in texts(count, seed, *words)], object)
    yield {column: rows, "label": draw.integers(2, size=count)}


def download(address: str, sha256=None, folder: str = "", name: str | None = None) -> Path:
    """Stand in for `course_utils.data.download.download`.

    Raises ValueError for an address without a stand-in.
    """
    file = name or address.rsplit("/", 1)[1]
    there = FOLDER / file
    if there.exists():
        return there
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(0)
    if file.endswith("-eng.zip"):
        pairs = zip(texts(110_000, 1, 2, 20), texts(110_000, 2, 2, 20), strict=True)
        with saving.whole(there) as beside, zipfile.ZipFile(beside, "w") as archive:
            archive.writestr(f"{file[:3]}.txt", "\n".join("\t".join(pair) for pair in pairs))
        return there
    if file.endswith((".conll", ".annotated")):
        rows = [
            "\n".join(f"{word}\t{draw.choice(TAGS)}" for word in text.split())
            for text in texts(1_000, sum(file.encode()))
        ]
        content = "\n\n".join(rows)
    elif file == "ETTh1.csv":
        hours = np.datetime64("2016-07-01T00", "h") + np.arange(17_420)
        values = np.cumsum(draw.normal(size=(17_420, 7)), axis=0).round(3)
        lines = [
            ",".join([str(hour).replace("T", " ") + ":00:00", *map(str, row)])
            for hour, row in zip(hours, values, strict=True)
        ]
        content = "\n".join(["date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT", *lines])
    elif file == "tinyshakespeare.txt":
        content = "".join(np.array(list(CHARACTERS))[draw.integers(65, size=1_115_394)])
    else:
        raise ValueError(f"{file} has no stand-in: write one in {Path(__file__).name}")
    with saving.whole(there) as beside:
        beside.write_text(content, encoding="utf-8")
    return there


def install() -> None:
    """Put the stand-ins in the place of downloads, in all modules that are loaded."""
    from course_utils.data import download as real
    from course_utils.data import imdb

    replace(real.prepared, prepared)
    replace(real.records, records)
    replace(real.download, download)
    imdb.CACHE = Path(_CACHE.name)


def replace(old, new) -> None:
    """Put one object in the place of another, in all modules of the course."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").split(".")[0] in ("course_utils", "lectures"):
            for name, value in list(vars(module).items()):
                if value is old:
                    setattr(module, name, new)
