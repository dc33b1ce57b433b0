"""What the sets made by the course's own grammars share: parts put together and told."""

from __future__ import annotations

from course_utils.data.base import Dataset, Split


def assemble(name: str, splits: dict[str, Split], form: str) -> Dataset:
    """The Dataset of these parts, made by course_utils.data.<name>; prints a line about it."""
    source = f"made by course_utils.data.{name}"
    train, val, test = (splits[part] for part in ("train", "val", "test"))
    sizes = f"{len(train):,} / {len(val):,} / {len(test):,}"
    print(f"{name}: {sizes} for training / validation / test, {form}; {source}")
    return Dataset(name, train, val, test, source=source, licence="CC0")
