"""Real pairs with English from Tatoeba, as packed by manythings.org: French and Spanish.

Of French there are several editions. Google's storage serves a later one than that of
2017-09-29, on which the course's figures were measured; `Dataset.source` names the edition that
was loaded. To have that of 2017, put its fra-eng.zip into <Keras' home>/datasets.
"""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from hashlib import blake2b
from pathlib import Path

from course_utils.data.download import download
from course_utils.data.pairs import LONGEST, Rows
from course_utils.data.pairs_text import is_word, tokenize_sentence

STORE = "https://storage.googleapis.com/download.tensorflow.org/data/"
SPANISH_SHA256 = "0c4fd7825d3d872488d38c157f784e035edab4f2ff0df25a2a208790ecb5b58f"
ARCHIVES = {
    "french": ("fra-eng.zip", "fra.txt", None),
    "spanish": ("spa-eng.zip", "spa.txt", SPANISH_SHA256),
}
AT_LEAST = 100_000  # pairs
LICENCE = "CC BY 2.0 FR, tatoeba.org by way of manythings.org/anki"
# How many sources of up to so many words validation and test have each; at most a third of
# those there are, so that training knows long ones too.
HELD_OUT = {8: 700, 13: 700, 18: 480, LONGEST: 120}


def parts(source: str, direction: str) -> tuple[dict[str, Rows], str]:
    """Training, validation and test pairs of "french" or "spanish", and where they are from.

    What is held out is drawn by a hash of the source's words, so it is the same for every limit
    on lengths and numbers. It has one row a source, whose first translation is the target.

    Raises ConnectionError without the archive, ValueError when it is damaged.
    """
    lines, origin = read(source)
    pairs = [(tokenize_sentence(english), tokenize_sentence(other)) for english, other in lines]
    if direction == "to_english":
        pairs = [(other, english) for english, other in pairs]
    return split(pairs), origin


def read(source: str) -> tuple[list[tuple[str, str]], str]:
    """The pairs (English, other) as they stand in the archive, and the name of its edition."""
    packed, member, sha256 = ARCHIVES[source]
    path = download(STORE + packed, sha256, folder="datasets")
    try:
        with zipfile.ZipFile(path) as archive:
            files = {Path(name).name: name for name in archive.namelist()}
            text = archive.read(files[member]).decode()
            about = archive.read(files["_about.txt"]).decode() if "_about.txt" in files else ""
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and run again") from error
    # Later editions have a third field, which names the authors.
    rows = [line.split("\t") for line in text.splitlines()]
    lines = [(row[0], row[1]) for row in rows if len(row) > 1]
    if len(lines) < AT_LEAST:
        raise ValueError(
            f"{path} has {len(lines):,} pairs; at least {AT_LEAST:,} belong there: "
            "delete it and run again"
        )
    date = re.search(r"\d{4}-\d\d-\d\d", about)
    edition = f"edition of {date[0]}" if date else "edition without a date"
    return lines, f"Tatoeba, {packed}, {edition}, {len(lines):,} pairs"


def split(pairs: list[tuple[list[str], list[str]]]) -> dict[str, Rows]:
    """Pairs of tokens as training, validation and test; no source is in two of them."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for source, target in pairs:
        if source and target:
            words = " ".join(token for token in source if is_word(token))
            groups[words].append((" ".join(source), " ".join(target)))
    # The order of a hash is a shuffle that is the same on every machine.
    ordered = sorted(groups, key=_hash)
    by_length: dict[int, list[str]] = {most: [] for most in HELD_OUT}
    for key in ordered:
        length = len(groups[key][0][0].split())
        bin_of_it = next((most for most in HELD_OUT if length <= most), None)
        if bin_of_it is not None:
            by_length[bin_of_it].append(key)
    held: dict[str, set[str]] = {"test": set(), "val": set()}
    for most, keys in by_length.items():
        count = min(HELD_OUT[most], len(keys) // 3)
        held["test"].update(keys[:count])
        held["val"].update(keys[count : 2 * count])
    out = held["test"] | held["val"]
    train = {pair for key in ordered if key not in out for pair in groups[key]}
    drawn = sorted(train, key=lambda pair: _hash("\t".join(pair)))
    found = {"train": Rows([a.split() for a, _ in drawn], [b.split() for _, b in drawn])}
    for name, keys in held.items():
        found[name] = _one_a_source([groups[key] for key in ordered if key in keys])
    return found


def _one_a_source(groups: list[list[tuple[str, str]]]) -> Rows:
    sources, references = [], []
    for group in groups:
        source = group[0][0]
        sources.append(source.split())
        references.append(list(dict.fromkeys(b for a, b in group if a == source)))
    return Rows(sources, [targets[0].split() for targets in references], references)


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()
