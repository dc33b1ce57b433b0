"""Pictures of two shapes: the captions are true, and what is held out is never trained on."""

from itertools import pairwise

import numpy as np
import pytest

from course_utils import data
from course_utils.data import END, PAD, START
from course_utils.data.shapes import HELD_OUT, OBJECTS
from course_utils.data.shapes_drawing import COLOURS, RELATIONS, SHAPES, draw_scenes
from course_utils.translation import exact_match


@pytest.fixture(scope="module")
def shapes():
    return data.load_shapes(count=2_000)


def read(caption):
    """The two objects and the relation between them."""
    for relation in RELATIONS:
        if f" {relation} " in caption:
            first, second = caption.split(f" {relation} ")
            return first.removeprefix("a "), relation, second.removeprefix("a ")
    raise AssertionError(caption)


def scene(shape, colour, relation=0, seed=0, count=50):
    """Pictures of this object and another one, twice the same colour."""
    shapes = np.tile([SHAPES.index(shape)] * 2, (count, 1))
    colours = np.tile([list(COLOURS).index(colour)] * 2, (count, 1))
    return draw_scenes(shapes, colours, np.full(count, relation), np.random.default_rng(seed))


def test_the_parts(shapes):
    assert [len(shapes.split(part)) for part in ("train", "val", "test")] == [2_000, 500, 1_000]
    part = shapes.train
    assert part.inputs["image"].shape == (2_000, 32, 32, 3)
    assert part.inputs["image"].dtype == np.float32
    assert part.inputs["image"].min() >= 0 and part.inputs["image"].max() == 1
    assert part.inputs["ids"].shape == part.targets.shape == part.weights.shape == (2_000, 9)
    assert (part.inputs["ids"][:, 0] == START).all()
    assert ((part.targets == END).sum(axis=1) == 1).all()
    assert np.array_equal(part.weights > 0, part.targets != PAD)
    for row in range(50):
        target = part.targets[row]
        said = target[: np.flatnonzero(target == END)[0]]
        assert shapes.vocabulary.decode(said) == part.columns["caption"][row]
        assert part.inputs["ids"][row, 1 : len(said) + 1].tolist() == said.tolist()
    assert shapes.licence == "CC0" and len(shapes.vocabulary) == 4 + 13


def test_every_caption_is_true_and_so_is_the_other(shapes):
    """Colours are found in the pixels; of two objects of one colour nothing is said here."""
    palette = np.array(list(COLOURS.values()))
    opposite = dict(zip(RELATIONS, ("right of", "left of", "below", "above"), strict=True))
    part, checked = shapes.test, 0
    for row, caption in enumerate(part.columns["caption"]):
        first, relation, second = read(caption)
        assert read(part.columns["other"][row]) == (second, opposite[relation], first)
        assert part.columns["references"][row] == (caption, part.columns["other"][row])
        assert part.columns["relation"][row] == relation
        picture = part.inputs["image"][row]
        near = np.abs(picture[:, :, None] - palette).max(axis=-1) < 0.01
        counts = near.sum(axis=(0, 1))
        colours = [list(COLOURS).index(name.split()[0]) for name in (first, second)]
        assert set(np.flatnonzero(counts)) == set(colours)
        if colours[0] != colours[1]:
            middles = [np.argwhere(near[..., colour]).mean(axis=0) for colour in colours]
            down, right = middles[0] - middles[1]
            said = ("above", "below") if abs(down) > abs(right) else ("left of", "right of")
            assert relation == said[int((down if said[0] == "above" else right) > 0)]
            checked += 1
    assert checked > 600


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    ("shape", "least", "most"),
    [("square", 0.95, 1.05), ("circle", 0.75, 0.85), ("triangle", 0.5, 0.72)],
)
def test_the_shapes_can_be_told_apart(shape, least, most, colour):
    """By how much of its bounding box a shape fills."""
    blue = COLOURS[colour][2]
    for picture in scene(shape, colour):
        cover = (1 - picture[..., 2]) / (1 - blue)
        gap = 9 + cover[:, 9:25].sum(axis=0).argmin()
        left = cover[:, :gap]
        box = left.sum(axis=0).max() * left.sum(axis=1).max()
        assert least < left.sum() / box < most


@pytest.mark.parametrize("relation", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_overlaps_or_is_cut_off(shape, relation):
    pictures = scene(shape, "black", relation, count=300)
    cover = (1 - pictures[..., 0]) / (1 - COLOURS["black"][0])
    areas = cover.sum(axis=(1, 2))
    alone = {"circle": np.pi, "square": 4 * 0.886**2, "triangle": 3 * 3**0.5 * 0.68**2}[shape]
    assert areas.min() > 2 * alone * 3.8**2 * 0.95 and areas.max() < 2 * alone * 5.2**2 * 1.05
    profile = cover.max(axis=2 if relation > 1 else 1)
    for row in profile:
        edges = np.flatnonzero(np.diff((row > 0.6).astype(int)) == 1)
        starts = len(edges) + (row[0] > 0.6)
        assert starts == 2


def test_held_out_objects_are_in_half_of_the_test_and_nowhere_else(shapes):
    for part in (shapes.train, shapes.val):
        assert not part.columns["held_out"].any()
        assert not any(name in text for name in HELD_OUT for text in part.columns["caption"])
    named = [any(name in text for name in HELD_OUT) for text in shapes.test.columns["caption"]]
    assert np.array_equal(named, shapes.test.columns["held_out"]) and sum(named) == 500
    for name in HELD_OUT:
        colour, shape = name.split()
        train = " ; ".join(shapes.train.columns["caption"])
        assert sum(f"{colour} {other}" in train for other in SHAPES) == 2
        assert sum(f"{other} {shape}" in train for other in COLOURS) == 3


def test_the_caption_follows_from_the_picture(shapes):
    counts = dict.fromkeys(RELATIONS, 0)
    for caption in shapes.train.columns["caption"]:
        first, relation, second = read(caption)
        assert first < second
        counts[relation] += 1
    assert min(counts.values()) > 400
    known = [name for name in OBJECTS if name not in HELD_OUT]
    named = [name for text in shapes.train.columns["caption"] for name in read(text)[::2]]
    assert min(named.count(name) for name in known) > 300
    assert exact_match(shapes.test.columns["other"], shapes.test.columns["references"]) == 1


def test_other_objects_or_none_held_out():
    other = data.load_shapes(count=500, held_out=["black square"])
    train = " ; ".join(other.train.columns["caption"])
    assert "black square" not in train and "red circle" in train
    assert other.test.columns["held_out"].sum() == 500
    none = data.load_shapes(count=500, held_out=[])
    assert not none.test.columns["held_out"].any()
    assert all(name in " ; ".join(none.train.columns["caption"]) for name in OBJECTS)


def test_the_seed_decides(shapes):
    again, other = data.load_shapes(count=50), data.load_shapes(count=50, seed=1)
    assert np.array_equal(again.test.inputs["image"], shapes.test.inputs["image"])
    assert list(other.test.columns["caption"]) != list(shapes.test.columns["caption"])


def test_colours_differ_in_brightness():
    brightness = sorted(np.array(list(COLOURS.values())) @ [0.299, 0.587, 0.114])
    assert all(b - a > 0.05 for a, b in pairwise([*brightness, 1.0]))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"count": 0}, "count"),
        ({"seed": -1}, "seed"),
        ({"held_out": ["green circle"]}, "'green circle'|red circle"),
        ({"held_out": "red circle"}, "list"),
        ({"held_out": [f"red {shape}" for shape in SHAPES]}, "colour 'red'"),
        ({"held_out": [f"{colour} circle" for colour in COLOURS]}, "shape 'circle'"),
    ],
)
def test_a_wrong_argument_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        data.load_shapes(**wrong)
