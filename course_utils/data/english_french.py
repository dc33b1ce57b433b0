"""The default output of the English–French grammar, kept in data/english_french.csv.gz.

`python -m course_utils.data.english_french` writes it.
"""

from __future__ import annotations

import numpy as np

from course_utils.data import kept
from course_utils.data.english_french_grammar import SEED, Pairs, make_pairs

NAME = "english_french.csv.gz"
SIZES = {"train": 12_000, "val": 400, "test": 600}
# English and French; in none of the parts, so that the lectures can translate it.
EXAMPLE = (
    "the small black cat does not see the red house",
    "le petit chat noir ne voit pas la maison rouge",
)


def generate(seed: int = SEED) -> dict[str, Pairs]:
    """Training, validation and test pairs.

    Test sentences are of every length alike, no two are equal, and validation has none of
    them. Neither is in training, nor is `EXAMPLE`. Lengths in training and validation are
    skewed: of four words there are so many in training that some come twice.
    """
    held = held_out(seed)
    return {"train": make_pairs(SIZES["train"], seed, without=barred(held)), **held}


def held_out(seed: int = SEED) -> dict[str, Pairs]:
    """Validation and test pairs alone, as `generate` makes them."""
    example = {EXAMPLE[0]}
    test = make_pairs(
        SIZES["test"], seed + 1, lengths="uniform", distinct=True, without=example
    )
    without = example | set(test.english)
    return {
        "val": make_pairs(SIZES["val"], seed + 2, distinct=True, without=without),
        "test": test,
    }


def barred(held: dict[str, Pairs]) -> set[str]:
    """The English sentences that training must not have."""
    return {EXAMPLE[0], *held["val"].english, *held["test"].english}


def read() -> dict[str, Pairs]:
    """The kept pairs, as `generate()` gives them.

    Raises FileNotFoundError without the file, ValueError when it is damaged.
    """
    return kept.read(NAME, "course_utils.data.english_french", _parts)


def _parts(table) -> dict[str, Pairs]:
    splits = np.array(table["split"])
    english, french = (np.array(table[name], object) for name in ("english", "french"))
    places = np.empty(len(splits), object)
    places[:] = [tuple(map(int, row.split())) for row in table["alignment"]]
    if {name: int((splits == name).sum()) for name in SIZES} != SIZES:
        raise ValueError(f"it does not hold {SIZES}")
    rows = {name: splits == name for name in SIZES}
    return {name: Pairs(english[k], french[k], places[k]) for name, k in rows.items()}


def write(parts: dict[str, Pairs] | None = None) -> None:
    """Keep these pairs; without any, make the default ones."""
    rows = [
        (name, english, french, " ".join(map(str, places)))
        for name, pairs in (parts or generate()).items()
        for english, french, places in zip(*pairs, strict=True)
    ]
    kept.write(NAME, ("split", "english", "french", "alignment"), rows)


if __name__ == "__main__":
    write()
