"""Kill trainings at random moments and compare them, once ended, with an unbroken one.

    KERAS_BACKEND=jax python -m benchmarks.kills [50]

Half of the kills come at any moment, half as soon as an epoch is being saved. Equal means: each
loss and accuracy, best epoch and last weights, bit for bit, on one thread; and the seconds of
the epochs before a kill are those that were measured then.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from course_utils import results
from tools.shows import ROOT

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "COURSE_DETERMINISTIC": "1",
    "COURSE_PROFILE": "full",
}
AT_MOST = 3  # kills of one training, so that it ends


def train(folder):
    """Train in `folder`, going on where an earlier process was killed; leave result.json."""
    import course_utils as cu
    from course_utils import training
    from course_utils.data import Split

    cu.start(seed=3)
    import keras

    training.CHECKPOINTS = folder / "checkpoints"
    draw = np.random.default_rng(0)
    inputs = draw.normal(size=(4_400, 12)).astype("float32")
    targets = np.prod(inputs[:, :2], axis=1) + draw.normal(size=len(inputs)) > 0
    whole = Split(inputs, targets.astype("int32"))
    layers = [keras.layers.Dense(32, "relu"), keras.layers.Dropout(0.2)]
    layers = [keras.Input((12,)), *layers, keras.layers.Dense(1, "sigmoid")]
    model = keras.Sequential(layers, name="killed")
    model.compile(keras.optimizers.Adam(0.003), "binary_crossentropy", metrics=["accuracy"])
    parts = whole.take(slice(4_000)), whole.take(slice(4_000, None))
    run = cu.training.fit(model, parts, 12, 8, patience=3, monitor="val_loss")
    [state] = training.CHECKPOINTS.glob("*/state.json")
    result = {
        "history": run.history,
        "best_epoch": run.best_epoch,
        "weights": [weight.tobytes().hex() for weight in model.get_weights()],
        "seconds": json.loads(state.read_text(encoding="utf-8"))["seconds"],
        "total": run.seconds,
    }
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


def start(folder):
    script = "import pathlib, sys; from benchmarks import kills; "
    script += "kills.train(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(folder)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | ONE_THREAD, **quiet)


def ended(child, folder):
    """Wait until a training ends, and return its result."""
    _, errors = child.communicate()
    if child.returncode:
        raise RuntimeError(errors)
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


def killed(folder, draw, seconds, at_most):
    """Train with kills; return the result and for each kill whether it fell into the saving.

    Args:
        folder: an empty one, to train in.
        draw: Python's generator.
        seconds: of an unbroken training, its epochs alone.
        at_most: so many kills.
    """
    falls, before = [], []
    while True:
        child = start(folder)
        while not list(folder.glob("checkpoints/*")) and child.poll() is None:
            time.sleep(0.01)
        if len(falls) == at_most or not _wait_to_kill(child, folder, draw, seconds):
            result = ended(child, folder)
            return result | {"kept": result["seconds"][: len(before)] == before}, falls
        child.kill()
        child.communicate()
        [checkpoint] = folder.glob("checkpoints/*")
        files = {path.name for path in checkpoint.glob("*.*")} - {"state.json"}
        state = {"weights": {}, "seconds": []}
        if (checkpoint / "state.json").exists():
            state = json.loads((checkpoint / "state.json").read_text(encoding="utf-8"))
        falls.append(files != set(state["weights"]))  # some lie there that it does not name yet
        before = state["seconds"] if state["seconds"][: len(before)] == before else ["changed"]


def _wait_to_kill(child, folder, draw, seconds):
    """Wait for a random moment; return whether the training was still at work then."""
    until = time.monotonic() + draw.uniform(0, seconds)
    saves = draw.random() < 0.5
    while child.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    if saves:
        seen = set(folder.glob("checkpoints/*/*.*"))
        while child.poll() is None and set(folder.glob("checkpoints/*/*.*")) <= seen:
            time.sleep(0.001)
        time.sleep(draw.uniform(0, 0.02))
    return child.poll() is None and not (folder / "result.json").exists()


def equal(one, other):
    """Whether two results agree in everything but the seconds, which are whole."""
    same = all(one[key] == other[key] for key in ("history", "best_epoch", "weights"))
    whole = one["kept"] and len(one["seconds"]) == len(one["history"]["loss"])
    return same and whole and one["total"] == sum(epoch[0] for epoch in one["seconds"])


def main(kills=50):
    """Kill so many times, compare, print and record; return how many kills did harm."""
    draw, rows = random.Random(0), []
    with tempfile.TemporaryDirectory() as folder:
        wanted = ended(start(Path(folder)), Path(folder))
    while (left := kills - sum(row["kills"] for row in rows)) > 0:
        with tempfile.TemporaryDirectory() as folder:
            at_most = min(left, AT_MOST)
            result, falls = killed(Path(folder), draw, wanted["total"], at_most)
        row = {"training": len(rows), "kills": len(falls), "while_saving": sum(falls)}
        rows.append({**row, "equal": equal(result, wanted)})
        print(rows[-1], flush=True)
    good = sum(row["kills"] for row in rows if row["equal"])
    saving = sum(row["while_saving"] for row in rows)
    print(f"{good} of {kills} kills left an equal result; {saving} fell into the saving")
    note = "trainings killed and started again, on one thread, against an unbroken one"
    import keras  # which tells the record the backend

    results.record_table("speed", f"kills-{keras.backend.backend()}", rows, note)
    return kills - good


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
