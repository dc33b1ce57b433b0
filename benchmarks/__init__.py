"""Speed, judged as ratios within one run: `make bench` records it for the lectures to show.

They record with COURSE_PROFILE=full alone, and into COURSE_RESULTS, as `make bench` sets them.
"""

from benchmarks import worker
from tools.command_line import one_of, read_early

SIDE = {"weights": {"help": "the file of weights that the sides share"}}
TABLES = one_of(["step-time", "attention-cost", "mixing-cost"])
MODELS = one_of(["matmul", *worker.BATCHES])

read_early(
    by_length={"table": {"nargs": "*", "type": TABLES, "help": "of these; all unless given"}},
    kills={"kills": {"nargs": "?", "type": int, "help": "how many; 50 unless given"}},
    peers={"model": {"nargs": "*", "type": MODELS, "help": "compare these; all unless given"}},
    peers_ours=SIDE,
    peers_torch=SIDE,
)
