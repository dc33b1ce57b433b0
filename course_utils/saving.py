"""Write files whole: what fails or is interrupted leaves nothing half written."""

import contextlib
import os


@contextlib.contextmanager
def whole(path):
    """Yield a path beside `path` to write to; it is renamed into place at the end.

    Of two processes that write, the last one wins. Raises OSError, naming `path`, where it
    cannot be written, as on a full disk; then, and after an interruption, an older file is as
    it was.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        beside.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
