"""Time each quick notebook as a student runs it, and with other settings than the default ones.

    python -m benchmarks.sessions

The seconds count from starting the kernel to the end of the last cell, in plain Jupyter, on all
cores; the settings of a notebook are timed one after the other. Beside them stand the seconds
inside `fit`, where the settings differ: with TensorFlow `course_utils.training.fit` compiles
with XLA where it takes that to pay ("default"), everywhere, or nowhere.
"""

import os
import tempfile
import time

import nbformat
from nbclient import NotebookClient

from benchmarks.timing import processor
from course_utils import results
from tools.shows import ROOT
from tools.source import lectures

PASSED_ON = ("PATH", "HOME", "LANG")  # what a student's shell has, and nothing of the course's
XLA = "from course_utils import training\ntraining._xla_pays = lambda *unused: {}\n"
SETTINGS = {  # what runs before the first cell, and the backend
    "default": ("", "tensorflow"),
    "XLA everywhere": (XLA.format(True), "tensorflow"),
    "no XLA": (XLA.format(False), "tensorflow"),
    "JAX": ("", "jax"),
}
TIMED = """
import course_utils, keras, time
fit, training_seconds = keras.Model.fit, []
def timed(*arguments, **named):
    began = time.perf_counter()
    try:
        return fit(*arguments, **named)
    finally:
        training_seconds.append(time.perf_counter() - began)
keras.Model.fit = timed
"""


def seconds(path, setting="default"):
    """Return how long a notebook takes in a fresh kernel, and how long its trainings do."""
    before, backend = SETTINGS[setting]
    notebook = nbformat.read(path, 4)
    report = nbformat.v4.new_code_cell("print(sum(training_seconds))")
    notebook.cells = [nbformat.v4.new_code_cell(TIMED + before), *notebook.cells, report]
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=None, resources={"metadata": {"path": folder}}
        )
        began = time.perf_counter()
        client.execute(env={**env, "KERAS_BACKEND": backend})
        taken = time.perf_counter() - began
    return taken, float(report.outputs[0].text)


def main():
    """Measure, print and record."""
    rows = []
    for source in lectures():
        path = ROOT / "notebooks" / f"{source.stem}.ipynb"
        for setting in SETTINGS:
            whole, training = map(round, seconds(path, setting))
            row = {"notebook": source.stem, "setting": setting, "seconds": whole}
            rows.append(row | {"seconds in fit": training})
            print(f"{source.stem:24} {setting:16} {whole:4} s, {training:4} in fit", flush=True)
    note = (
        "a quick notebook as a student runs it, from the kernel's start to its last cell, all "
        "cores, nothing beside"
    )
    results.record_table("speed", f"quick-{processor()}", rows, note)


if __name__ == "__main__":
    main()
