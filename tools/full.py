"""Train what a lecture shows as recorded, on the real data, once per seed: into results/.

    python -m tools.full NN_name --seeds 0,1,2
    python -m tools.full NN_name --only "train_on_imdb('gru_32', seed)"

For each seed the lecture's `record.record_all(seed)` runs in the full profile with all of the
machine; --only runs a statement in the place of it, among the names of that module. What is
printed is shown as it comes and kept in build/full/. The recipes of the new records are kept,
too (`tools.recipes`).
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from tools import recipes
from tools.command_line import parser
from tools.execute import LectureFailed, environment, exit_with
from tools.notebook import writable
from tools.shows import ROOT
from tools.source import lecture, page

FULL = ROOT / "build" / "full"
SCRIPT = """
import course_utils as cu
session = cu.start()
from {module} import *
seed = session.seed
{statement}
"""


def seeds(text: str) -> list[int]:
    """Return the seeds that "0,1,2" names; ArgumentTypeError for anything else."""
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise argparse.ArgumentTypeError(f"SEEDS={text}: write whole numbers, such as 0,1,2")
    return [int(part) for part in text.split(",")]


def fetch(lecture: Path) -> None:
    """Have a lecture's real data on this machine before hours of training.

    In a process of its own, whose memory, a GPU's too, is free again afterwards.
    """
    for call in page(lecture).REAL_DATA:
        script = f"import {call.partition('(')[0].rpartition('.')[0]}\n{call}"
        ran = subprocess.run(
            [sys.executable, "-c", script],
            env=environment(COURSE_PROFILE="full"),
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        if ran.returncode:
            raise LectureFailed(ran.stderr.rpartition("ConnectionError: ")[2].strip())


def train(module: str, statement: str, seed: int, results: Path, log: Path) -> None:
    """Run a statement of a lecture's `record` in the full profile; record into `results`.

    Raises LectureFailed where it fails.
    """
    env = environment(
        COURSE_PROFILE="full", COURSE_SEED=str(seed), COURSE_RESULTS=str(results.resolve())
    )
    script = SCRIPT.format(module=module, statement=statement)
    began = time.monotonic()
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
    command = [sys.executable, "-u", "-c", script]
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(command, env=env, cwd=ROOT, errors="replace", **options) as ran,
    ):
        for line in ran.stdout:
            print(line, end="", flush=True)
            print(line, end="", file=file, flush=True)
    if ran.returncode:
        raise LectureFailed(log.read_text(encoding="utf-8").splitlines()[-1])
    print(f"done in {(time.monotonic() - began) / 60:.1f} minutes")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    reading = parser("tools.full", __doc__)
    reading.add_argument("lecture", type=lecture, help="its name, NN_name")
    reading.add_argument("--seeds", type=seeds, default="0,1,2", help="0,1,2 unless given")
    reading.add_argument("--only", help="run one statement of `record`, such as train(seed)")
    place = {"type": Path, "default": ROOT / "results", "metavar": "DIR"}
    reading.add_argument("--results", **place, help="where to record")
    given = reading.parse_args(arguments)
    chosen, statement = given.lecture, given.only or "record_all(seed)"
    try:
        compile(statement, "--only", "exec")
        writable(FULL)
        writable(given.results)
        fetch(chosen)
    except (LectureFailed, OSError, SyntaxError) as error:
        print(f"Nothing was trained: {error}", file=sys.stderr)
        return 1
    module = f"lectures.{chosen.parent.name}.record"
    for seed in given.seeds:
        name = f"{chosen.stem}, seed {seed}"
        print(f"— {name}: {statement}")
        log = FULL / f"{chosen.stem}-seed{seed}.log"
        before = recipes.states(given.results / chosen.stem)
        try:
            train(module, statement, seed, given.results, log)
        except LectureFailed as error:
            print(f"\n{name}, failed: {error}", file=sys.stderr)
            print(f"All that it printed is in {log}.", file=sys.stderr)
            return 1
        after = recipes.states(given.results / chosen.stem)
        recipes.keep_new(chosen, sorted(name for name, _ in after.items() - before.items()))
    return 0


if __name__ == "__main__":
    exit_with(main)
