"""Short clips of a moving shape, with the motion named frame by frame."""

from __future__ import annotations

from numbers import Real

import numpy as np

from course_utils.data.base import Dataset, Split, whole_number

CLASS_NAMES = ("still", "left", "right", "up", "down")
STEPS = np.array([(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0)])  # rows, columns, by class
SHAPES = np.array(
    [
        [(1, 1, 1), (1, 1, 1), (1, 1, 1)],
        [(0, 1, 0), (1, 1, 1), (0, 1, 0)],
        [(1, 0, 1), (0, 1, 0), (1, 0, 1)],
        [(1, 1, 1), (1, 0, 1), (1, 1, 1)],
        [(1, 1, 1), (0, 1, 0), (0, 1, 0)],
    ],
    "float32",
)


def load_motion(
    train: int = 2_000,
    val: int = 300,
    test: int = 1_000,
    frames: int = 12,
    size: int = 12,
    noise: float = 0.1,
    seed: int = 0,
) -> Dataset:
    """Clips of one shape that moves a pixel a frame and changes its motion once or twice.

    inputs: float32 (clips, frames, size, size, 1), 0 the background, 1 the shape, with noise
        of this standard deviation on top.
    targets: int32 (clips, frames), the motion that brought the shape from the frame before to
        this one, an index into `class_names`. Before the first frame there was none: its target
        is the motion that goes on behind it, which nobody can see there.

    What leaves the canvas on one side comes in on the other, so that a single frame says
    nothing about the motion: place and shape are drawn without regard to it.
    Everything is made on the spot from the seed; nothing is stored.
    Raises ValueError for a wrong argument.
    """
    sizes = {"train": train, "val": val, "test": test}
    for name, count in sizes.items():
        whole_number(name, count, at_least=1)
    whole_number("frames", frames, at_least=4)
    whole_number("size", size, at_least=6)
    whole_number("seed", seed, at_least=0)
    if isinstance(noise, bool) or not isinstance(noise, Real) or not 0 <= noise <= 1:
        raise ValueError(f"noise has to be a standard deviation from 0 to 1, got {noise!r}")
    parts = [
        _clips(np.random.default_rng((seed, part)), count, frames, size, noise)
        for part, count in enumerate(sizes.values())
    ]
    return Dataset(
        "motion",
        *parts,
        class_names=CLASS_NAMES,
        source="made by course_utils.data.motion",
        licence="CC0",
    )


def _clips(draw, count: int, frames: int, size: int, noise: float) -> Split:
    targets = _motions(draw, count, frames)
    steps = STEPS[targets]
    steps[:, 0] = draw.integers(size, size=(count, 2))  # where the shape stands at first
    corner = steps.cumsum(axis=1)
    shape = SHAPES[draw.integers(len(SHAPES), size=count)]
    clips = np.zeros((count, frames, size, size), "float32")
    clip, frame = np.ogrid[:count, :frames]
    for row, column in np.ndindex(3, 3):
        places = (corner + (row, column)) % size
        clips[clip, frame, places[..., 0], places[..., 1]] = shape[:, None, row, column]
    clips += noise * draw.standard_normal(clips.shape, dtype="float32")
    return Split(clips[..., None], targets)


def _motions(draw, count: int, frames: int) -> np.ndarray:
    """One motion a frame (count, frames): two or three in a row, each other than the last."""
    kinds = len(CLASS_NAMES)
    first = draw.integers(kinds, size=count)
    second = (first + draw.integers(1, kinds, size=count)) % kinds
    third = (second + draw.integers(1, kinds, size=count)) % kinds
    change = draw.integers(2, frames - 1, size=count)
    another = change + draw.integers(2, frames, size=count)  # in many clips behind the end
    changes = np.stack([change, another], axis=1)
    number = (np.arange(frames)[:, None] >= changes[:, None]).sum(axis=-1)
    return np.choose(number, [first[:, None], second[:, None], third[:, None]]).astype("int32")
