"""Pictures of two coloured shapes, and captions; some pairs of shape and colour held out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course_utils.data.base import Dataset, Split, whole_number
from course_utils.data.captions import caption_vocabulary, teacher_forced
from course_utils.data.shapes_drawing import COLOURS, RELATIONS, SHAPES, draw_scenes

VALIDATION, TEST = 500, 1_000
OBJECTS = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)  # sorted
HELD_OUT = ("blue triangle", "red circle")
_OPPOSITE = (1, 0, 3, 2)  # of the relations
_WORDS = ("a", *COLOURS, *SHAPES, "left", "right", "of", "above", "below")
_LENGTH = 9  # "a red circle left of a blue square" and <eos>


def load_shapes(
    count: int = 8_000, held_out: Sequence[str] = HELD_OUT, seed: int = 0
) -> Dataset:
    """Pictures of two shapes and a caption each, such as "a blue square right of a red circle".

    Two captions of every picture are true, this one and "a red circle left of a blue square".
    So that there is one to learn, the object whose name comes first in the alphabet is named
    first ("blue square" before "red circle"; two equal objects never come). Judge a written
    caption by both: `course_utils.translation.exact_match(written, columns["references"])`.

    Each part: inputs "image", float32 (pictures, 32, 32, 3) from 0 to 1, and "ids", int32
    (pictures, 9), <sos> and the caption; targets int32 (pictures, 9), the caption and <eos>, 0
    behind; weights float32 (pictures, 9), 0 at that padding. `vocabulary` gives <pad>,
    <unknown>, <sos>, <eos> the ids 0 to 3, as in the translating lectures.
    Columns: "caption"; "other", the other true one; "references", a tuple of both; "relation",
    that of the caption; "held_out", bool: one of the two objects is a held-out one.

    count: how many training pictures; 500 are for validation and 1,000 for the test.
    held_out: objects, such as "red circle", that are in no training or validation picture or
        caption, though their colour and their shape are, each with others. In half of the test
        pictures one object is held out, in the other half none.
    seed: draws everything.

    Captions without a held-out object repeat between the parts: there are only 180 of them, and
    it is the picture that is new. Everything is made on the spot; nothing is stored.

    Raises ValueError for a wrong argument.
    """
    whole_number("count", count, at_least=1)
    whole_number("seed", seed, at_least=0)
    held = _held_out(held_out)
    vocabulary = caption_vocabulary(_WORDS)

    def split(part: int, size: int) -> Split:
        draw = np.random.default_rng((seed, part))
        new = np.arange(size) < size // 2 if part == 2 and len(held) else np.zeros(size, bool)
        first, second = _objects(draw.permutation(new), held, draw)
        relations = draw.integers(len(RELATIONS), size=size)
        both = np.stack([first, second], axis=1)
        colours, shapes = np.divmod(both, len(SHAPES))
        captions = _captions(first, relations, second)
        others = _captions(second, np.take(_OPPOSITE, relations), first)
        ids, targets, weights = teacher_forced(captions, vocabulary, _LENGTH)
        columns = {
            "caption": captions,
            "other": others,
            "references": _column(list(zip(captions, others, strict=True))),
            "relation": np.array(RELATIONS, object)[relations],
            "held_out": np.isin(both, held).any(axis=1),
        }
        pictures = draw_scenes(shapes, colours, relations, draw)
        return Split({"image": pictures, "ids": ids}, targets, weights, columns)

    splits = [split(part, size) for part, size in enumerate((count, VALIDATION, TEST))]
    sizes = " / ".join(f"{len(part):,}" for part in splits)
    said = ", ".join(OBJECTS[number] for number in held) or "nothing"
    print(
        f"shapes: {sizes} pictures for training / validation / test, 32×32 pixels; "
        f"held out of training: {said}; made by course_utils.data.shapes"
    )
    return Dataset(
        "shapes",
        *splits,
        vocabulary,
        source="made by course_utils.data.shapes",
        licence="CC0",
    )


def _objects(new: np.ndarray, held: np.ndarray, draw: np.random.Generator):
    """Two different objects a scene, the first in the alphabet first; a new scene has one of
    the held-out ones, the others have none."""
    known = np.setdiff1d(np.arange(len(OBJECTS)), held)
    one = draw.integers(len(known), size=len(new))
    # A step of 1 to len - 1 around the circle of objects never comes back to the same one.
    another = (one + draw.integers(1, len(known), size=len(new))) % len(known)
    one, another = known[one], known[another]
    if len(held):
        one = np.where(new, held[draw.integers(len(held), size=len(new))], one)
    return np.minimum(one, another), np.maximum(one, another)


def _captions(firsts, relations, seconds) -> np.ndarray:
    rows = zip(firsts, relations, seconds, strict=True)
    return _column([f"a {OBJECTS[a]} {RELATIONS[r]} a {OBJECTS[b]}" for a, r, b in rows])


def _column(values: list) -> np.ndarray:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _held_out(names: Sequence[str]) -> np.ndarray:
    """The places of these objects in `OBJECTS`."""
    if isinstance(names, str) or any(name not in OBJECTS for name in names):
        raise ValueError(
            f"held_out has to be a list of some of {', '.join(OBJECTS)}, got {names!r}"
        )
    known = [name.split() for name in OBJECTS if name not in names]
    for kind, words, place in (("colour", COLOURS, 0), ("shape", SHAPES, 1)):
        lost = [word for word in words if word not in {name[place] for name in known}]
        if lost:
            raise ValueError(
                f"held_out leaves no training object of the {kind} {lost[0]!r}: "
                "hold out fewer objects"
            )
    return np.array([number for number, name in enumerate(OBJECTS) if name in names], int)
