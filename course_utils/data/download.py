"""Files and TFDS records that are downloaded once; what to do where that fails."""

import errno
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from course_utils import saving

DISK_FAULTS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT)
LIMIT = 30  # seconds in which a server has to send LEAST bytes
LEAST = 10_000


def download(
    address: str,
    sha256: str | None = None,
    folder: str = "datasets/course",
    name: str | None = None,
) -> Path:
    """Return the file of this address, downloaded to <Keras' home>/<folder> if need be.

    Args:
        name: what the file is called there; by default as in its address.

    Raises:
        ConnectionError: where it cannot be had; says what was tried and what to do.
    """
    home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")
    there = home / folder / (name or address.rsplit("/", 1)[1])
    if there.is_file():
        if sha256 and sha256_of(there) != sha256:
            raise ConnectionError(
                f"{there} is not the file that the course was made with: move it away, "
                "run again"
            )
        return there
    by_hand = f"save it as {there} and run again."
    with _told(f"{there.name} is not on this machine", address, by_hand):
        print(f"downloading {address} …", flush=True)
        content = _load(address)
        if sha256 and hashlib.sha256(content).hexdigest() != sha256:
            raise OSError("what came has another checksum than the course's file")
        with saving.whole(there) as beside:
            beside.write_bytes(content)
    return there


@contextmanager
def _told(missing: str, tried: str, by_hand: str) -> Iterator[None]:
    """Turn what a download raises into a ConnectionError; a full disk stays what it is."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            raise
        raise ConnectionError(
            f"{missing} and could not be had.\n"
            f"Tried: {tried}, which failed with {type(error).__name__}: {error}\n"
            f"By hand: {by_hand}\n"
            "Without it: COURSE_PROFILE=quick needs no download."
        ) from error


def _load(address: str) -> bytes:
    """Return what lies at an address, whole.

    It is read in a thread: a name server, or a header that comes byte by byte, can keep a
    socket's own time limit from ever being reached.
    """
    loaded, errors, given_up = bytearray(), [], threading.Event()

    def read():
        try:
            with urlopen(address, timeout=LIMIT) as answer:
                while not given_up.is_set() and (part := answer.read1(1 << 16)):
                    loaded.extend(part)
                expected = int(answer.headers.get("Content-Length") or len(loaded))
            if len(loaded) != expected:
                raise OSError(f"it ended after {len(loaded):,} of {expected:,} bytes")
        except Exception as error:
            errors.append(error)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        while reader.is_alive():
            before = len(loaded)
            reader.join(LIMIT)
            came = len(loaded) - before
            if reader.is_alive() and came < LEAST:
                raise TimeoutError(f"{came:,} bytes came in the last {LIMIT} seconds")
    finally:
        given_up.set()
    if errors:
        raise errors[0]
    return bytes(loaded)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def prepared(name: str, archive: str, what: str):
    """Return TFDS's builder with its records on the disk, downloaded if need be.

    Args:
        archive: the address that TFDS will fetch.
        what: the data, in the plural, for the error.

    Raises:
        ConnectionError: where they cannot be had; says what was tried and what to do.
    """
    import tensorflow_datasets

    builder = tensorflow_datasets.builder(name)
    home, folder = Path(builder.data_dir).parents[2], Path(builder.data_dir)
    by_hand = (
        f"put that file, and those that belong to it, into {home / 'downloads' / 'manual'}, or "
        f"put the folder {folder} of a machine that has it to the same place here; run again."
    )
    tried = f"{archive} through tensorflow_datasets.builder({name!r})"
    with _told(f"{what} are not on this machine", tried, by_hand):
        if not folder.exists() and not _archive_in(home / "downloads", archive):
            _reach(archive)
        with limited_requests():
            builder.download_and_prepare()
    return builder


def _archive_in(downloads: Path, archive: str) -> bool:
    """Whether TFDS will find the archive there, whole: what is half loaded lies in *.tmp.*."""
    stem, ending = archive.rsplit("/", 1)[1].split(".", 1)
    found = downloads.rglob(f"*{stem}*.{ending}")
    return any(".tmp." not in str(path.relative_to(downloads)) for path in found)


def _reach(address: str) -> None:
    """Raise OSError at once if nothing answers there: TFDS would try for several minutes."""
    try:
        urlopen(Request(address, method="HEAD"), timeout=LIMIT).close()
    except HTTPError as error:
        if error.code in (403, 404, 407):
            raise


@contextmanager
def limited_requests() -> Iterator[None]:
    """Set a time limit for TFDS's downloads: it calls the library requests without one."""
    import requests

    unlimited = requests.Session.request

    def request(*given, **settings):
        return unlimited(*given, **{"timeout": LIMIT} | settings)

    requests.Session.request = request
    try:
        yield
    finally:
        requests.Session.request = unlimited


def records(builder, part: str, count: int, batch_size: int | None = 1_000) -> Iterator[dict]:
    """Yield the labelled records of a part in TFDS's order, the same on every machine.

    Args:
        batch_size: how many records each dict of arrays holds; None for one record each.

    Raises:
        RuntimeError: at the end, where there are not `count` of them.
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
