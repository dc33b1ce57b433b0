"""Time each quick notebook as a student runs it: plain Jupyter, all cores, one after another.

    python -m benchmarks.sessions

The seconds count from starting the kernel to the end of the last cell.
"""

import os
import tempfile
import time

import nbformat
from nbclient import NotebookClient

from course_utils import results
from tools.shows import ROOT
from tools.source import lectures

PASSED_ON = ("PATH", "HOME", "LANG")  # what a student's shell has, and nothing of the course's


def seconds(path):
    """Return how long a notebook takes in a fresh kernel."""
    notebook = nbformat.read(path, 4)
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=None, resources={"metadata": {"path": folder}}
        )
        began = time.perf_counter()
        client.execute(env=env)
        return time.perf_counter() - began


def main():
    """Measure, print and record."""
    rows = []
    for source in lectures():
        taken = seconds(ROOT / "notebooks" / f"{source.stem}.ipynb")
        rows.append({"notebook": source.stem, "seconds": round(taken)})
        print(f"{source.stem:24} {taken:5.0f} s", flush=True)
    note = "seconds of a quick notebook as a student runs it, all cores, nothing beside"
    results.record_table("speed", "quick", rows, note)


if __name__ == "__main__":
    main()
