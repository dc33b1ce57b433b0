"""Files and TFDS records that are downloaded once; what to do where that cannot be."""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import keras
import numpy as np

DISK_FAULTS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT)
QUICK = "COURSE_PROFILE=quick needs no download."


def download(
    address: str,
    sha256: str | None = None,
    folder: str = "datasets/course",
    without: str = QUICK,
    name: str | None = None,
) -> Path:
    """The file of this address, from <Keras' home>/<folder> or downloaded there.

    without: what to use instead, for the error's last line. name: what the file is called
    there; by default as in its address.
    Raises ConnectionError, which says what to do, when it is not to be had.
    """
    home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")
    name = name or address.rsplit("/", 1)[1]
    there = home / folder / name
    if sha256 and there.is_file() and sha256_of(there) != sha256:  # Keras would delete it
        raise ConnectionError(
            f"{there} is not the file that the course was made with: move it away, run again"
        )
    try:
        where = {"cache_dir": str(home), "cache_subdir": folder}
        check = {"file_hash": sha256, "hash_algorithm": "sha256"}
        return Path(keras.utils.get_file(name, address, **where, **check))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            raise
        raise ConnectionError(
            f"{name} is not on this machine and could not be had.\n"
            f"Tried: {address} through keras.utils.get_file, which failed with "
            f"{type(error).__name__}: {error}\n"
            f"By hand: save it as {there} and run again.\n"
            f"Without it: {without}"
        ) from error


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def prepared(
    name: str,
    archive: str,
    what: str,
    at_hand: Callable[[Path], bool] = lambda home: False,
    by_hand: str = "",
):
    """TFDS's builder with its records on the disk, downloaded if need be.

    archive: the address that TFDS will fetch. what: the data, in the plural. at_hand: whether
    TFDS will find the archive under its home. by_hand: a further way to get it there; "{home}"
    stands for TFDS's home. Raises ConnectionError, which says what to do, if it is missing.
    """
    import tensorflow_datasets

    builder = tensorflow_datasets.builder(name)
    home = Path(builder.data_dir).parents[2]
    try:
        if not Path(builder.data_dir).exists() and not at_hand(home):
            reach(archive)
        builder.download_and_prepare()
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            raise
        raise ConnectionError(
            f"{what} are not on this machine and could not be had.\n"
            f"Tried: {archive} through tensorflow_datasets.builder({name!r}), "
            f"which failed with {type(error).__name__}: {error}\n"
            f"By hand: {by_hand.format(home=home)}put the folder {builder.data_dir} of a "
            "machine that has it to the same place here, and run again.\n"
            f"Without: {QUICK}"
        ) from error
    return builder


def records(builder, part: str, count: int, batch_size: int | None = 1_000) -> Iterator[dict]:
    """The labelled records of a part in TFDS's order, the same on every machine.

    Each is a dict of arrays with so many records in a row, or of one record for None.
    Raises RuntimeError at the end when there are not `count` of them.
    """
    import tensorflow_datasets

    found = 0
    batches = builder.as_dataset(split=part, batch_size=batch_size, shuffle_files=False)
    for batch in tensorflow_datasets.as_numpy(batches):
        found += np.size(batch["label"])
        if found <= count:
            yield batch
    if found != count:
        raise RuntimeError(
            f"{builder.data_dir} holds {found:,} records ({part}) instead of {count:,}: "
            "delete that folder and run again"
        )


def reach(address: str) -> None:
    """Raise OSError at once if nothing answers there: TFDS would try for several minutes."""
    try:
        urlopen(Request(address, method="HEAD"), timeout=20).close()
    except HTTPError as error:
        if error.code in (403, 404, 407):
            raise
