"""Time several things in turn, so that a machine that slows down slows all of them."""

import statistics
import time


def interleaved(cases, repeats):
    """Call every case once unmeasured, then each in turn, `repeats` times.

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
