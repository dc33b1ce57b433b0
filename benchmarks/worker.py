"""A process that trains or runs one model at a time when told to: one side of `peers`.

It holds what both sides have to agree on, and imports nothing of the course, so that the peers'
environment can run it, too. A call's steps are timed from the end of its first one: what comes
before and after them (Keras builds a data pipeline, and may take seconds to take it down) a
training has once, not at each step.
"""

import json
import statistics
import sys
import time

import numpy as np

STEPS = 8  # of training or inference in a call
IMAGE = {"image": 32, "channels": 3, "patch": 4, "classes": 10}
VIT = {"embed_dim": 64, "num_heads": 4, "mlp_dim": 128, "num_layers": 6}
MIXER = {"embed_dim": 256, "token_mlp_dim": 128, "channel_mlp_dim": 1024, "num_layers": 8}
GMLP = {"embed_dim": 128, "mlp_dim": 768, "num_layers": 8}
TEXT = {"tokens": 200, "channels": 32, "units": 32}
BLOCKS = {"tokens": 64, "embed_dim": 128, "num_heads": 4, "mlp_dim": 512, "num_layers": 2}
PAIRS = {"tokens": 20, "words": 15_000, "embed_dim": 256, "num_heads": 8, "mlp_dim": 2_048}
BATCHES = {
    "Vision Transformer": 64,
    "Mixer": 32,
    "gMLP": 32,
    "LSTM": 128,
    "GRU": 128,
    "encoder": 64,
    "decoder": 64,
    "translator": 64,
}
IMAGES, READERS = ("Vision Transformer", "Mixer", "gMLP"), ("LSTM", "GRU")
SQUARE = 2_048  # rows of the matrices whose product shows the processor's peak


def batches(name):
    """Return inputs and targets of `STEPS` batches, the same numbers on every side."""
    draw, examples = np.random.default_rng(0), STEPS * BATCHES[name]
    if name in IMAGES:
        side = IMAGE["image"]
        x = draw.random((examples, side, side, IMAGE["channels"]), "float32")
        return x, draw.integers(IMAGE["classes"], size=examples)
    if name == "translator":
        ids = draw.integers(4, PAIRS["words"], (3, examples, PAIRS["tokens"])).astype("int32")
        return {"source": ids[0], "target": ids[1]}, ids[2]
    size = TEXT if name in READERS else BLOCKS
    shape = (examples, size["tokens"], size.get("channels") or size["embed_dim"])
    x = draw.normal(size=shape).astype("float32")
    return x, draw.integers(2, size=(examples, 1)).astype("float32")


class Steps:
    """Times steps: call `tick` after each; `seconds` gives the median of all but the first."""

    def __init__(self):
        self.ends = []

    def tick(self, *unused, **told):
        self.ends.append(time.perf_counter())

    def seconds(self):
        return statistics.median(np.diff(self.ends).tolist())


def serve(sides):
    """Obey lines of JSON on stdin until it ends; answer each with one line on stdout.

    {"make": name, "side": side}   → {"numbers": its parameters, "outputs": some of its outputs}
    {"run": "train" or "infer"}    → {"seconds": of one step}

    Args:
        sides: functions by name that take a model's name and return its functions
            {"train", "infer"} of `Steps`, its number of parameters, and some of its outputs on
            the shared batch, a list.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    calls = {}
    for line in sys.stdin:
        told = json.loads(line)
        if "make" in told:
            calls, numbers, outputs = sides[told["side"]](told["make"])
            answer = {"numbers": numbers, "outputs": outputs}
        else:
            steps = Steps()
            calls[told["run"]](steps)
            answer = {"seconds": steps.seconds()}
        print(json.dumps(answer), file=answers, flush=True)
