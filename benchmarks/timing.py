"""Time several things in turn, so that a machine that slows down slows all of them."""

import statistics
import time

import course_utils as cu


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


def record_by_length(lecture, table, layers, step, lengths, of, repeats):
    """Measure, print and record milliseconds a training step of layers against the length.

    layers: functions by name. step(make, length): a function without arguments that takes one
    step of such a layer; the lengths of one layer are measured in turn. of: what is trained on,
    for the note. The table's name ends in the backend, TensorFlow apart.
    """
    session, rows = cu.start(seed=0), []
    for name, make in layers.items():
        cases = {length: step(make, length) for length in lengths}
        for length, seconds in interleaved(cases, repeats).items():
            rows.append({"layer": name, "length": length, "milliseconds": seconds * 1000})
            print(f"{name:28} {length:5} {seconds * 1000:8.1f} ms", flush=True)
    suffix = "" if session.backend == "tensorflow" else f"-{session.backend}"
    note = f"milliseconds a training step with {session.backend}: {of}, median of {repeats}"
    cu.results.record_table(lecture, f"{table}{suffix}", rows, note)
