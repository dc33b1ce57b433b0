"""WNUT17's messages and comments with entities (Derczynski et al., 2017), downloaded once."""

from __future__ import annotations

from pathlib import Path

from course_utils.data.base import Dataset
from course_utils.data.download import download
from course_utils.data.entities import tagged_split

HOME = "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/"
FILES = {
    "train": (
        "wnut17train.conll",
        "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5",
    ),
    "val": (
        "emerging.dev.conll",
        "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8",
    ),
    "test": (
        "emerging.test.annotated",
        "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
    ),
}
TYPES = ("person", "location", "group", "creative-work", "corporation", "product")
TAGS = ("O", *(f"{letter}-{name}" for name in TYPES for letter in "BI"))


def load() -> Dataset:
    """The dataset of `load_entities("wnut17")`, whose arguments are checked there."""
    parts = {part: parse(_file(*file).read_text("utf-8")) for part, file in FILES.items()}
    return Dataset(
        "wnut17",
        *(tagged_split(parts[part], TAGS) for part in ("train", "val", "test")),
        class_names=TAGS,
        source="https://github.com/leondz/emerging_entities_17 (Derczynski et al., 2017)",
        licence="CC BY 4.0",
    )


def parse(text: str) -> list[tuple[list[str], list[str]]]:
    """The sentences of a file with "word<tab>tag" a line and a blank line between sentences.

    Raises ValueError, which names the line, for another line or an unknown tag.
    """
    sentences: list[tuple[list[str], list[str]]] = []
    words: list[str] = []
    tags: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            word, tab, tag = line.rstrip("\r").partition("\t")
            if not tab or tag not in TAGS:
                raise ValueError(f"line {number} is no word with one of {', '.join(TAGS)}")
            words.append(word)
            tags.append(tag)
        elif words:
            sentences.append((words, tags))
            words, tags = [], []
    return sentences


def _file(name: str, sha256: str) -> Path:
    instead = "load_entities('embedded') needs no download."
    return download(HOME + name, sha256, "datasets/course/wnut17", instead)
