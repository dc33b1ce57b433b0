"""Tie the recorded runs to the code: which of them would today's code no longer make so?

    python -m tools.recipes                      # names each record that differs, and why
    python -m tools.recipes NN_name --confirm    # keeps today's recipes of a lecture's records

`tools.dry` builds the recipe of every record from the code, without training. Here they are
compared with those kept in results/recipes/, one file per lecture. `make full` keeps the
recipes of what it records; --confirm keeps those of older records that hold nothing else:
parameters, epochs, learning rate and settings.
"""

import concurrent.futures
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys

from course_utils import results, saving
from tools.closure import closure
from tools.command_line import parser
from tools.execute import environment, exit_with
from tools.shows import ROOT
from tools.source import lecture, lectures

KEPT = results.RESULTS / "recipes"
CACHE = ROOT / "build" / "recipes"
MEASURED = ("step-time", "attention-cost", "mixing-cost", "cached-decoding", "length-buckets")
SEED = r"(?<=-seed)\d+$|(?<=-)\d+$"  # at the end of a record's name
LIKE = {"start": 0.3}  # how far floats may differ, as a share of themselves
ALIKE = 2e-3
# Settings that hang on what was measured, or on the data that a stand-in takes the place of.
CHOSEN = {"learning_rate", "rate", "validation_by_learning_rate", "strength", "rates", "C"}
CHOSEN |= {"shared_words", "words_of_text", "answers", "one_seed_because"}


def built(path):
    """Return today's recipes of a lecture's records: {record: recipe}.

    They are built again only when code that `record` reaches has changed.
    """
    number, key = path.parent.name.removeprefix("lecture_"), code(path)
    kept = CACHE / f"{number}-{key}.json"
    if not kept.is_file():
        # NumPy is the quickest to build with; the recipes are those of any backend.
        env = environment(COURSE_PROFILE="full") | {"KERAS_BACKEND": "numpy"}
        command = [sys.executable, "-c", f"from tools import dry\ndry.main({number!r})"]
        ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8")
        if ran.returncode:
            told = "\n".join(ran.stderr.splitlines()[-12:])
            raise RuntimeError(f"{path.stem}: record_all fails in the dry mode:\n{told}")
        for old in CACHE.glob(f"{number}-*.json"):
            old.unlink()
        with saving.whole(kept) as beside:
            beside.write_text(ran.stdout, encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


@functools.cache
def code(path):
    """What stands for the code that a lecture's recipes are built by."""
    number = path.parent.name.removeprefix("lecture_")
    files = closure(f"import lectures.lecture_{number}.record\n") | {
        tool: hashlib.sha256((ROOT / tool).read_bytes()).hexdigest()
        for tool in ("tools/dry.py", "tools/stand_ins.py")
    }
    files["keras"] = importlib.metadata.version("keras")
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]


def of(name, recipes):
    """The recipe of a record, which those of all seeds share; None where there is none."""
    return recipes.get(name) or recipes.get(re.sub(SEED, "0", name))


def records(path):
    """Return a lecture's records by their names, those apart that `benchmarks` measures."""
    found = {file.stem: file for file in sorted((results.RESULTS / path.stem).glob("*.json"))}
    timed = tuple(f"measured-{table}" for table in MEASURED)
    return {name: file for name, file in found.items() if not name.startswith(timed)}


def kept(path):
    """Return the kept recipes of a lecture's records: {record: its trainings}."""
    text = _file(path)
    return {
        name: [
            {"about": text["trainings"][key], "rates": rates, "seeds": seeds}
            for key, rates, seeds in made_of
        ]
        for name, made_of in text["records"].items()
    }


def _file(path):
    file = KEPT / f"{path.stem}.json"
    if not file.is_file():
        return {"trainings": {}, "records": {}}
    return json.loads(file.read_text(encoding="utf-8"))


def keep(path, recipes, checked=False):
    """Write a lecture's recipes, those of records that are gone left out.

    checked: whether today's code makes them all: it need not be asked again until it changes.
    """
    trainings, made_of = {}, {}
    for name, recipe in sorted(recipes.items()):
        if name not in records(path):
            continue
        made_of[name] = []
        for one in recipe:
            key = hashlib.sha256(json.dumps(one["about"]).encode()).hexdigest()[:10]
            trainings[key] = one["about"]
            made_of[name].append([key, one["rates"], one["seeds"]])
    text = {"trainings": dict(sorted(trainings.items())), "records": made_of}
    text["code"] = {"checked": code(path)} if checked else {}
    with saving.whole(KEPT / f"{path.stem}.json") as beside:
        beside.write_text(_lines(text) + "\n", encoding="utf-8")


def stale(path):
    """Return {record: why its recipe is not, or no longer, that of today's code}."""
    before = kept(path)
    if _file(path).get("code") == {"checked": code(path)} and before.keys() >= set(
        records(path)
    ):
        return {}
    today, found = built(path), {}
    for name in records(path):
        recipe = of(name, today)
        if name not in before:
            found[name] = "no recipe of it is kept"
        elif not recipe:
            found[name] = "record_all does not record it"
        elif why := difference(before[name], recipe["trainings"]):
            found[name] = why
    return found


def states(folder):
    """Return when each record of a folder was written: {record: nanoseconds}."""
    return {path.stem: path.stat().st_mtime_ns for path in folder.glob("*.json")}


def keep_new(path, written):
    """Keep the recipes of what has just been recorded."""
    today = built(path)
    new = {name: of(name, today)["trainings"] for name in written if of(name, today)}
    keep(path, kept(path) | new)


def difference(before, today):
    """Say where two recipes differ first; None where they agree."""
    if len(before) != len(today):
        return f"{len(before)} trainings made it, today there are {len(today)}"
    for was, now in zip(before, today, strict=True):
        if why := _unlike("", was, now):
            return why
    return None


def _unlike(place, was, now, tolerance=ALIKE):
    told = f"{place or 'it'}: {_short(was)} is now {_short(now)}"
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        steps = [(f"{place}, {key}".removeprefix(", about").lstrip(", "), key) for key in was]
        pairs = [(step, was[key], now[key], LIKE.get(key, tolerance)) for step, key in steps]
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        numbered = enumerate(zip(was, now, strict=True))
        pairs = [(f"{place} {k}", *pair, tolerance) for k, pair in numbered]
    elif isinstance(was, str) and isinstance(now, str):
        return None if _texts_alike(was, now, tolerance) else told
    elif isinstance(was, float) and isinstance(now, float):
        return None if abs(was - now) <= tolerance * max(abs(was), abs(now)) + 1e-6 else told
    else:
        return None if was == now else told
    return next(filter(None, (_unlike(*pair) for pair in pairs)), None)


def _texts_alike(was, now, tolerance):
    """Compare descriptions; those of arrays of floats end in three figures."""
    if was == now:
        return True
    pattern = r"(\(.*\) float\d+)((?: -?[\d.e+-]+)+)"
    both = [re.fullmatch(pattern, text) for text in (was, now)]
    if not all(both) or both[0][1] != both[1][1]:
        return False
    figures = [list(map(float, match[2].split())) for match in both]
    scale = max(1e-6, *map(abs, figures[0]))
    return all(abs(a - b) <= 10 * tolerance * scale for a, b in zip(*figures, strict=True))


def _short(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:150]} …"


def confirm(path):
    """Keep today's recipes of the records that say nothing else; return {record: why not}."""
    today, recipes, refused = built(path), {}, {}
    for name, file in records(path).items():
        record, recipe = json.loads(file.read_text(encoding="utf-8")), of(name, today)
        if not recipe:
            refused[name] = "record_all does not record it"
        elif why := contradiction(record, recipe, of(re.sub(SEED, "0", name), today) or recipe):
            refused[name] = why
        else:
            recipes[name] = recipe["trainings"]
    keep(path, recipes, not refused)
    return refused


def contradiction(record, recipe, tuned):
    """Say what a record holds that its recipe does not; None where they agree.

    tuned: the recipe of seed 0, which tries all the learning rates.
    """
    for key in ("parameters", "epochs"):
        had, has = record.get(key), recipe.get(key)
        if had is not None and has is not None and had != has:
            early = key == "epochs" and had < has  # training may stop early
            if not early:
                return f"{key}: {had} in the record, {has} today"
    old, new = record.get("settings") or {}, recipe.get("settings") or {}
    rates = {rate for one in tuned["trainings"] for rate in one["rates"]}
    rate = old.get("learning_rate", old.get("rate"))
    if rate is not None and not isinstance(rate, dict | list) and rate not in rates:
        return f"learning rate: {rate} in the record, {sorted(rates)} today"
    for key in (old.keys() & new.keys()) - CHOSEN:
        if old[key] != new[key] and not key.startswith("rate,"):
            return f"{key}: {old[key]} in the record, {new[key]} today"
    return None


def _lines(text):
    """JSON with one line per training and record, which a diff can show."""
    parts = []
    for name, entries in text.items():
        rows = [
            f'  "{key}": {json.dumps(value, ensure_ascii=False)}'
            for key, value in entries.items()
        ]
        parts.append(f' "{name}": {{\n' + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}"


def main(arguments=None):
    """Run the command line; returns the exit code."""
    reading = parser("tools.recipes", __doc__)
    reading.add_argument("lecture", type=lecture, nargs="?", help="its name; all unless given")
    reading.add_argument("--confirm", action="store_true", help="keep the recipes of today")
    given = reading.parse_args(arguments)
    found = False
    paths = [given.lecture] if given.lecture else lectures()
    look = confirm if given.confirm else stale
    for path in paths:
        code(path)  # here: Python 3.11 cannot parse in several threads
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, told in zip(paths, pool.map(look, paths), strict=True):
            for name, why in told.items():
                print(f"{path.stem}/{name}: {why}")
                found = True
            if not told:
                keep(path, kept(path), checked=True)
    return int(found)


if __name__ == "__main__":
    exit_with(main)
