"""Files and TFDS records that are downloaded once; what to do where that cannot be."""

import errno
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from course_utils import saving

DISK_FAULTS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT)
LIMIT = 30  # seconds in which a server has to send LEAST bytes
LEAST = 10_000
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
    there = home / folder / (name or address.rsplit("/", 1)[1])
    if there.is_file():
        if sha256 and sha256_of(there) != sha256:
            raise ConnectionError(
                f"{there} is not the file that the course was made with: move it away, "
                "run again"
            )
        return there
    try:
        print(f"downloading {address} …", flush=True)
        fetch(address, there, sha256)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FAULTS:
            raise
        raise ConnectionError(
            f"{there.name} is not on this machine and could not be had.\n"
            f"Tried: {address}, which failed with {type(error).__name__}: {error}\n"
            f"By hand: save it as {there} and run again.\n"
            f"Without it: {without}"
        ) from error
    return there


def fetch(address: str, path: Path, sha256: str | None = None) -> None:
    """Write what lies at an address to a path: all of it, or nothing.

    Raises TimeoutError where fewer than `LEAST` bytes come in `LIMIT` seconds (a server may
    never answer, or stop in the middle), OSError where it ends too early or has another
    checksum.
    """
    content = Loader(address).content()
    if sha256 and hashlib.sha256(content).hexdigest() != sha256:
        raise OSError("what came has another checksum than the course's file")
    with saving.whole(path) as beside:
        beside.write_bytes(content)


class Loader(threading.Thread):
    """Reads an address beside the one who waits: a name server, or a header that comes byte by
    byte, can keep a socket's own time limit from ever being reached.
    """

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.loaded = address, bytearray()
        self.error, self.given_up = None, False

    def run(self):
        try:
            with urlopen(self.address, timeout=LIMIT) as answer:
                while not self.given_up and (part := answer.read1(1 << 16)):
                    self.loaded += part
                expected = int(answer.headers.get("Content-Length") or len(self.loaded))
            if len(self.loaded) != expected:
                got = f"{len(self.loaded):,} of {expected:,} bytes"
                raise OSError(f"it ended after {got}")
        except Exception as error:
            self.error = error

    def content(self) -> bytes:
        self.start()
        try:
            while True:
                before = len(self.loaded)
                self.join(LIMIT)
                came = len(self.loaded) - before
                if self.is_alive() and came < LEAST:
                    raise TimeoutError(f"{came:,} bytes came in the last {LIMIT} seconds")
                if not self.is_alive():
                    break
        finally:
            self.given_up = True
        if self.error:
            raise self.error
        return bytes(self.loaded)


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
        with limited_requests():
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


@contextmanager
def limited_requests() -> Iterator[None]:
    """A time limit for TFDS' downloads: it sets none where it calls the library requests."""
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
        urlopen(Request(address, method="HEAD"), timeout=LIMIT).close()
    except HTTPError as error:
        if error.code in (403, 404, 407):
            raise
