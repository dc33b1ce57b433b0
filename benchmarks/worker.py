"""A process that trains or runs one model at a time when told to: one side of `peers`.

It imports nothing of the course, so that the peers' environment can run it, too. A call's steps
are timed from the end of its first one: what comes before and behind them (Keras builds a data
pipeline, and may take seconds to take it down) a training has once, not at each step.
"""

import json
import statistics
import sys
import time


class Steps:
    """Times steps: call `tick` behind each; `seconds` gives the median of all but the first."""

    def __init__(self):
        self.ends = []

    def tick(self, *unused, **told):
        self.ends.append(time.perf_counter())

    def seconds(self):
        pairs = zip(self.ends, self.ends[1:], strict=False)
        return statistics.median(end - began for began, end in pairs)


def serve(sides):
    """Obey lines of JSON on stdin until it ends; answer each with one line on stdout.

    {"make": name, "side": side}   → {"numbers": its parameters, "outputs": some of its outputs}
    {"run": "train" or "infer"}    → {"seconds": of one step}

    sides: functions by name that take a model's name and return its functions
    {"train", "infer"} of `Steps`, its number of parameters, and some of its outputs on the
    shared batch, a list.
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
