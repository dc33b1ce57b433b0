"""What a student has solved: `progress.json`, which lies beside the student's own notebooks.

Remembering never stops a notebook: what cannot be read is set aside and named; what cannot be
written is told in one line, and kept as long as the session lasts.
"""

import json
from pathlib import Path

from filelock import FileLock

from course_utils import results

FILE = Path("progress.json")  # `make lab` makes it; where there is none, nothing is written
LOCK = Path(".progress.lock")
STATES = ("solved", "not yet")

_session = {}  # what this kernel has judged, an entry per exercise
_unsaved = set()


def remember(identifier, state, mistake=None):
    """Keep an exercise's state and, if an answer was refused, the meaning of its mistake.

    Only this exercise's entry is written: what another kernel has written meanwhile stays.
    """
    new = {"state": state, "mistakes": [mistake] if mistake else []}
    _session[identifier] = _joined(_session.get(identifier), new)
    _unsaved.add(identifier)
    if not FILE.is_file():
        return
    try:
        with FileLock(LOCK, timeout=10):
            kept = _read()
            changed = {name: _joined(kept.get(name), _session[name]) for name in _unsaved}
            results.write(FILE, kept | changed)
        _unsaved.clear()
    except (OSError, NotImplementedError) as error:  # the latter: no locks on this file system
        print(f"{identifier} is not kept in {FILE}: {error}")


def entries():
    """Return `{exercise: {"state": "solved" or "not yet", "mistakes": their meanings}}`."""
    kept = {}
    if FILE.is_file():
        try:
            kept = _read()
        except OSError as error:
            print(f"{FILE} cannot be read: {error}")
    newest = kept | {name: _session[name] for name in _session if name in _unsaved}
    found = {name: _joined(None, entry) for name, entry in newest.items()}
    return {name: entry for name, entry in found.items() if entry["state"] in STATES}


def _read():
    """The file's object; a file that holds none is set aside, and an empty one begun."""
    try:
        kept = json.loads(FILE.read_bytes() or b"{}")  # in UTF-8, -16 or -32, BOM or not
        if isinstance(kept, dict):
            return kept
        problem = "it is no object"
    except (ValueError, RecursionError) as error:
        problem = error
    number = 1
    while (aside := FILE.with_name(f"{FILE.stem}-damaged-{number}{FILE.suffix}")).exists():
        number += 1
    empty = results.write(FILE.with_suffix(".new"), {})  # a full disk fails here
    FILE.rename(aside)
    empty.replace(FILE)
    _unsaved.update(_session)
    print(f"{FILE} is damaged ({problem}): it is kept as {aside}, and a new one is begun")
    return {}


def _joined(before, entry):
    """The entry, with the mistakes of the one before; older files have the state alone."""
    state = entry.get("state") if isinstance(entry, dict) else entry
    mistakes = [
        mistake
        for one in (before, entry)
        if isinstance(one, dict) and isinstance(one.get("mistakes"), list)
        for mistake in one["mistakes"]
        if isinstance(mistake, str)
    ]
    return {"state": state, "mistakes": list(dict.fromkeys(mistakes))}
