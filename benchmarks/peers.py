"""Compare the course's main models with what a user would take instead, in one run.

    python -m benchmarks.peers [model …]

Each side is a process of its own, all of the machine its: the course on TensorFlow, JAX and
torch, and on TensorFlow with a setting of XLA that the course leaves alone; torch and timm;
KerasHub. They work in turn, one call after the other, with the same weights where they carry
over; equal outputs are asked for first, but of KerasHub and keras.io. A call trains, or infers
on, `worker.STEPS` batches, and tells the median of the seconds that a step took. `make bench`
installs the others into an environment of their own, from `benchmarks/peers.txt`. Each kind of
processor has a record of its own.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks import worker
from benchmarks.timing import processor
from course_utils import ROOT, results

PEERS = ROOT / ".peers" / "bin" / "python"
FLAGGED = "TensorFlow + XLA, sums in one pass"
SIDES = {  # the process, and what it is asked for
    "product": ("tensorflow", "matmul"),
    "TensorFlow": ("tensorflow", "plain"),
    "TensorFlow + XLA": ("tensorflow", "compiled"),
    FLAGGED: ("one-pass tensorflow", "compiled"),
    "JAX": ("jax", "compiled"),
    "Keras on torch": ("keras on torch", "plain"),
    "torch, eager": ("torch", "plain"),
    "torch.compile": ("torch", "compiled"),
    "KerasHub or keras.io, TensorFlow": ("tensorflow", "theirs"),
    "KerasHub or keras.io, + XLA": ("tensorflow", "theirs compiled"),
}
OURS = ("TensorFlow", "TensorFlow + XLA", "JAX", "Keras on torch")
PEERS_OF_TORCH = ("torch, eager", "torch.compile")
COMPARED = {
    "matmul": ("product",),
    "encoder": tuple(SIDES)[1:],
    "translator": (*OURS, FLAGGED, *tuple(SIDES)[-2:]),
}
TOLERANCE, UNMEASURED = 1e-5, 1  # the first call compiles
# XLA breaks long sums into short ones, which is more exact, and slower where they are many.
ONE_PASS = {"XLA_FLAGS": "--xla_disable_hlo_passes=tree_reduction_rewriter"}


class Side:
    """A process that serves one side's models."""

    def __init__(self, kind, weights):
        module = "benchmarks.peers_torch" if kind == "torch" else "benchmarks.peers_ours"
        backend = kind.split()[-1]
        python = PEERS if backend == "torch" else sys.executable
        set_to = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "1"}
        set_to |= {"KERAS_BACKEND": backend, "PYTHONPATH": str(ROOT)}
        set_to |= ONE_PASS if kind.startswith("one-pass") else {}
        self.process = subprocess.Popen(
            [python, "-m", module, weights],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=os.environ | set_to,
        )

    def ask(self, **told):
        print(json.dumps(told), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args} ended: {told}")
        return json.loads(answer)


def measured(name, weights, repeats):
    """Return the seconds of a step in each round, by call ("train", "infer") and side."""
    compared = COMPARED.get(name, (*OURS, FLAGGED, *PEERS_OF_TORCH))
    Path(weights).unlink(missing_ok=True)
    with contextlib.ExitStack() as stack:
        sides, known = {side: Side(SIDES[side][0], weights) for side in compared}, None
        for side in compared:
            stack.callback(sides[side].process.kill)
            what = SIDES[side][1]
            answer = sides[side].ask(make=name, side=what)
            known = known or answer
            if not what.startswith("theirs"):
                refuse_another(name, side, answer, known)
        taken = {"train": {}, "infer": {}}
        for run, of in taken.items():
            for number in range(repeats + UNMEASURED):
                for side in compared:
                    seconds = sides[side].ask(run=run)["seconds"]
                    if number >= UNMEASURED:
                        of.setdefault(side, []).append(seconds)
        return taken


def refuse_another(name, side, answer, known):
    """Raise RuntimeError unless a side's model has the parameters and outputs of the first."""
    apart = np.abs(np.subtract(answer["outputs"], known["outputs"])).max(initial=0)
    said = f"{name} of {side}: {answer['numbers']:,} weights, outputs {apart:.0e} apart"
    print(said, flush=True)
    if answer["numbers"] != known["numbers"] or apart > TOLERANCE:
        raise RuntimeError(said)


def mixer_flops():
    """Operations of a training step of the Mixer: three times those of its products."""
    image, size = worker.IMAGE, worker.MIXER
    tokens = (image["image"] // image["patch"]) ** 2
    hidden = size["token_mlp_dim"] + size["channel_mlp_dim"]
    each = image["patch"] ** 2 * image["channels"] + size["num_layers"] * 2 * hidden
    return 3 * 2 * tokens * size["embed_dim"] * each * worker.BATCHES["Mixer"]


def main(names, repeats=5):
    """Measure and print; record where all models are measured."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        weights = str(Path(folder, "weights.npz"))
        for name in names or ("matmul", *worker.BATCHES):
            for run, taken in measured(name, weights, repeats).items():
                for side, seconds in taken.items():
                    rounds = [1e3 * second for second in seconds]
                    middle = statistics.median(rounds)
                    row = {"model": name, "call": run, "side": side, "milliseconds": middle}
                    rows.append(row | {"rounds": rounds})
                    print(f"{name:20} {run:6} {side:32} {middle:8.1f} ms", flush=True)
            if not names:
                record(rows, repeats)
    middle = {(row["model"], row["call"], row["side"]): row["milliseconds"] for row in rows}
    if not names:
        peak = 2 * worker.SQUARE**3 / middle["matmul", "train", "product"]
        step = min(middle["Mixer", "train", side] for side in OURS)
        print(f"Mixer: {mixer_flops() / step / peak:.0%} of the peak, {peak / 1e6:.0f} GFLOP/s")


def record(rows, repeats):
    """Write what is measured so far; a run that ends early leaves that."""
    note = f"milliseconds a step, sides in turn, median of {repeats} calls of {worker.STEPS}"
    results.record_table("speed", f"peers-{processor()}", rows, note)


if __name__ == "__main__":
    main(sys.argv[1:])
