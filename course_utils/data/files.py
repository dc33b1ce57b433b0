"""What is said of a file whose bytes are damaged: one place for all archives and tables."""

from __future__ import annotations

import csv
import errno
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# What readers raise for damaged bytes: a compression method that does not exist is
# NotImplementedError, a flag that says "encrypted" RuntimeError.
DAMAGE = (ArithmeticError, EOFError, LookupError, RuntimeError, ValueError)
DAMAGE += (csv.Error, lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error)


@contextmanager
def reading(path: Path, remedy: str = "Delete it and run again.") -> Iterator[None]:
    """Turn what damaged bytes raise into a ValueError that names the file and the remedy."""
    try:
        yield
    except (*DAMAGE, OSError) as error:
        # Damage too: a wrong offset in a zip file (EINVAL), what bz2 refuses (no errno).
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        told = f"{type(error).__name__}: {error}"
        raise ValueError(f"{path} is damaged ({told}). {remedy}") from error
