"""Speed, judged as ratios within one run: `make bench` records it for the lectures to show."""

from benchmarks import sizes
from tools.command_line import one_of, read_early

SIDE = {"weights": {"help": "the file of weights that the sides share"}}
MODELS = one_of(["matmul", *sizes.BATCHES])

read_early(
    kills={"kills": {"nargs": "?", "type": int, "help": "how many; 50 unless given"}},
    peers={"model": {"nargs": "*", "type": MODELS, "help": "compare these; all unless given"}},
    peers_ours=SIDE,
    peers_torch=SIDE,
)
