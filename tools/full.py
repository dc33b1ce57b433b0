"""Train a lecture's models on the real data, once per seed, and record the runs in results/.

    python -m tools.full NN_name --seeds 0,1,2
    python -m tools.full NN_name --only "train()"

The lecture runs in the full profile with all of the machine. What its cells print is shown as
it comes and kept in build/full/, with the executed notebook.
"""

import argparse
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.command_line import parser
from tools.execute import LectureFailed, environment, execute, exit_with
from tools.notebook import writable, write
from tools.part import cut_down
from tools.shows import ROOT
from tools.source import assemble, lecture, page

FULL = ROOT / "build" / "full"


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


def train(
    lecture: Path, seed: int, results: Path, folder: Path, statement: str | None = None
) -> None:
    """Run `lecture` in the full profile with one seed, recording into `results`.

    With a statement only that is run, and what it needs of the lecture. The log and the
    executed notebook go into `folder`.
    """
    name = f"{lecture.stem}-seed{seed}"
    notebook = assemble(lecture)
    if statement:
        notebook = cut_down(notebook, statement)
    env = environment(
        COURSE_PROFILE="full", COURSE_SEED=str(seed), COURSE_RESULTS=str(results.resolve())
    )
    began = time.monotonic()
    with (folder / f"{name}.log").open("w", encoding="utf-8") as log:

        def say(text):
            # A line that is drawn over and over is for terminals.
            drawn_over = text.startswith("\r") and "\n" not in text
            for file in (sys.stdout, log):
                if file.isatty():
                    print(text, end="", file=file, flush=True)
                elif not drawn_over:
                    print(text.replace("\r", ""), end="", file=file, flush=True)

        say(f"— {name}: starting\n")
        total = sum(cell.cell_type == "code" for cell in notebook.cells)

        def at(cell):
            say(f"— {name}: cell {cell} of {total}, {time.monotonic() - began:.0f} s\n")

        try:
            execute(notebook, env, folder / f"{name}-kernel.log", at, say)
            write(notebook, folder / f"{name}.ipynb")
        except LectureFailed as error:
            print(f"\n{name} failed: {error}", file=log)
            raise
        say(f"— {name}: done in {(time.monotonic() - began) / 60:.1f} minutes\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    reading = parser("tools.full", __doc__)
    reading.add_argument("lecture", type=lecture, help="its name, NN_name")
    reading.add_argument("--seeds", type=seeds, default="0,1,2", help="0,1,2 unless given")
    reading.add_argument("--only", help="run one statement of the lecture, such as train()")
    place = {"type": Path, "default": ROOT / "results", "metavar": "DIR"}
    reading.add_argument("--results", **place, help="where to record")
    given = reading.parse_args(arguments)
    chosen = given.lecture
    try:
        writable(FULL)
        writable(given.results)
        if given.only:
            cut_down(assemble(chosen), given.only)
        else:
            fetch(chosen)
    except (LectureFailed, OSError, ValueError) as error:
        print(f"Nothing was trained: {error}", file=sys.stderr)
        return 1
    # Kernels are run beside the main thread, which is left free for Control-C.
    pool = ThreadPoolExecutor(1)
    for seed in given.seeds:
        try:
            pool.submit(train, chosen, seed, given.results, FULL, given.only).result()
        except LectureFailed as error:
            print(f"\n{chosen.stem}, seed {seed}, failed: {error}", file=sys.stderr)
            log = FULL / f"{chosen.stem}-seed{seed}.log"
            print(f"All that it printed is in {log}.", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    exit_with(main)
