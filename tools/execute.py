"""Run a notebook in a kernel of its own and keep what is the same every time."""

import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tools.shows import ROOT
from tools.source import tidy

THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
THREADS += ["TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"]
QUICK = dict.fromkeys(THREADS, "1") | {
    "COURSE_PROFILE": "quick",
    "COURSE_DETERMINISTIC": "1",
    "COURSE_PROGRESS": "0",
    "PYTHONHASHSEED": "0",
}
TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class LectureFailed(Exception):
    """A lecture's notebook could not be made; the message says which cell and why."""


def environment(**settings: str) -> dict[str, str]:
    """Return a kernel's environment: this one, the course's own settings out, these in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COURSE_")}
    paths = [str(ROOT), *filter(None, [kept.get("PYTHONPATH")])]
    always = {
        "PYTHONPATH": os.pathsep.join(paths),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "COURSE_PROGRESS": "0",
        "KERAS_BACKEND": kept.get("KERAS_BACKEND", "tensorflow"),
    }
    return kept | always | settings


def execute(
    notebook: NotebookNode,
    env: dict[str, str],
    log: Path,
    on_cell: Callable[[int], None],
    timeout: float | None = None,
) -> None:
    """Run every code cell, and leave in `notebook` outputs that a second run repeats.

    Args:
        notebook: changed in place.
        env: the kernel's environment.
        log: where the kernel's own stderr goes, such as TensorFlow's messages.
        on_cell: called with the number of the code cell (from 1) that starts.
        timeout: seconds that a cell may take.

    Raises:
        LectureFailed: when a cell raises or takes too long, or the kernel dies.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    number = 0

    def started(cell, **place):
        nonlocal number
        number = code.index(cell) + 1
        on_cell(number)

    client = NotebookClient(
        notebook,
        timeout=timeout,
        startup_timeout=180,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        # TensorFlow's C++ messages go to the log instead of into the notebook.
        extra_arguments=["--IPKernelApp.capture_fd_output=False"],
        on_cell_execute=started,
    )
    log.parent.mkdir(parents=True, exist_ok=True)
    # A folder of its own shows that the lecture depends on no working directory.
    with tempfile.TemporaryDirectory() as folder, log.open("w", encoding="utf-8") as messages:
        try:
            client.execute(env=env, cwd=folder, stdout=messages, stderr=messages)
        except CellExecutionError as error:
            outputs = [out for out in code[number - 1].outputs if out.output_type == "error"]
            traceback = "\n".join(line for out in outputs for line in out.traceback)
            plain = TERMINAL_COLOURS.sub("", traceback).strip()
            raise _failed(code, number, f"{error.ename}: {error.evalue}\n\n{plain}") from None
        except CellTimeoutError:
            reason = f"it took longer than {timeout:.0f} seconds"
            raise _failed(code, number, reason) from None
        except (DeadKernelError, RuntimeError) as error:
            said = log.read_text(encoding="utf-8", errors="replace").splitlines()
            last = "\n".join([line for line in said if "IPKernelApp" not in line][-15:])
            reason = f"the kernel died ({error}): out of memory?\n{last}".rstrip()
            raise _failed(code, number, reason) from None
    tidy(notebook)
    for cell in code:
        _clean(cell)


def exit_with(main: Callable[[], int]) -> None:
    """Run a command and exit with its code, on Control-C at once."""
    try:
        code = main()
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr, flush=True)
        # Kernels end with this process; an ordinary exit would wait for their threads.
        os._exit(130)
    sys.exit(code)


def _clean(cell):
    cell.metadata.pop("execution", None)
    tags = cell.metadata.get("tags", [])
    if "no-output" in tags:
        cell.outputs = []
    if "answers-prediction" in tags:
        # Students see it when they have run it; decks and lecturers' notebooks show it.
        cell.metadata["answer"], cell.outputs = cell.outputs, []
    for output in cell.outputs:
        if output.output_type == "error":
            # The rest of a traceback names files of this machine.
            output.traceback = [f"{output.ename}: {output.evalue}"]


def _failed(code, number, reason):
    if number == 0:
        return LectureFailed(f"before its first cell: {reason}")
    first = next(iter(code[number - 1].source.splitlines()), "")
    where = f"code cell {number} of {len(code)}, which begins"
    return LectureFailed(f"{where}\n    {first}\n{reason}")
