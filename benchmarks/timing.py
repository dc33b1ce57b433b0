"""What the benchmarks share: they time several things in turn, and record a table."""

import re
import statistics
import time
from pathlib import Path

from course_utils import results


def interleaved(cases, repeats):
    """Call every case once unmeasured, then each in turn, `repeats` times.

    A machine that slows down slows all of them.

    Args:
        cases: functions without arguments, by name.
        repeats: how many times each is measured, at least 1.

    Returns:
        The median of the seconds that each took, by name.
    """
    for case in cases.values():
        case()
    seconds = {name: [] for name in cases}
    for _ in range(repeats):
        for name, case in cases.items():
            began = time.perf_counter()
            case()
            seconds[name].append(time.perf_counter() - began)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def processor():
    """Return the kind of processor, as names of tables have it: each has tables of its own.

    One name stands for processors with and without AVX-512, on which other libraries lead.
    """
    name = "-".join(re.findall(r"\w\w+", results.hardware().split(" of ")[-1])).lower()
    flags = Path("/proc/cpuinfo")
    wide = flags.is_file() and " avx512f " in flags.read_text(encoding="utf-8")
    return name + "-avx-512" * wide


def record(lecture, table, rows, note, backend):
    """Record a table, whose name ends in the backend, TensorFlow apart."""
    suffix = "" if backend == "tensorflow" else f"-{backend}"
    results.record_table(lecture, f"{table}{suffix}", rows, note)
