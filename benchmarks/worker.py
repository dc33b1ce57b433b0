"""A process that trains or runs one model at a time when told to: one side of `peers`.

It imports nothing of the course, so that the peers' environment can run it, too.
"""

import json
import sys
import time


def serve(sides):
    """Obey lines of JSON on stdin until it ends; answer each with one line on stdout.

    {"make": name, "side": side}   → {"numbers": its parameters, "outputs": some of its outputs}
    {"run": "train" or "infer"}    → {"seconds": of one call}

    sides: functions by name that take a model's name and return its functions
    {"train", "infer"}, its number of parameters, and its outputs on the shared batch, a list.
    """
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    calls = {}
    for line in sys.stdin:
        told = json.loads(line)
        if "make" in told:
            calls, numbers, outputs = sides[told["side"]](told["make"])
            answer = {"numbers": numbers, "outputs": outputs}
        else:
            began = time.perf_counter()
            calls[told["run"]]()
            answer = {"seconds": time.perf_counter() - began}
        print(json.dumps(answer), file=answers, flush=True)
