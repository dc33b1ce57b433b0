"""The exercises of lecture 07: solutions, and mistakes that are told why."""

import numpy as np
from keras import ops

from course_utils.checks.lecture_07_inside import _in_the_plane, _stretched
from course_utils.models.vision_resolution import interpolate_positions
from course_utils.numpy_ref.vision_cost import parameters

B16 = {"patch": 16, "embed_dim": 768, "mlp_dim": 3072, "num_layers": 12, "classes": 1000}
COUNT = sum(parameters(384, 3, **B16).values())


def together(patches, height, width, p, sizes="rcppk", axes=(0, 1, 3, 2, 4, 5)):
    sides = {"r": height // p, "c": width // p, "p": p, "k": -1}
    split = patches.reshape(len(patches), *(sides[size] for size in sizes))
    return split.transpose(axes).reshape(len(patches), height, width, -1)


def rolled(weights, half=0.5, keep=0.5, reverse=False):
    product = np.eye(np.shape(weights[0])[-1])
    for part in weights[::-1] if reverse else weights:
        product = (half * np.mean(part, axis=0) + keep * np.eye(len(product))) @ product
    return product


def mixed(weights):
    return [rolled([part]) for part in weights]


def of_heads(weights):
    product = np.eye(np.shape(weights[0])[-1])
    for part in weights:
        product = (np.sum(part, axis=0) + np.eye(len(product))) / 2 @ product
    return product


def moved(positions, new):
    return interpolate_positions(positions, round((len(positions) - 1) ** 0.5), new)


def grid(positions):
    side = round((len(positions) - 1) ** 0.5)
    return positions[1:].reshape(side, side, -1)


def turned(positions, new):
    plane = moved(positions, new)[1:].reshape(new, new, -1).swapaxes(0, 1)
    return np.concatenate([positions[:1], plane.reshape(new * new, -1)])


def nearest(positions, new):
    old = grid(positions)
    places = np.floor((np.arange(new) + 0.5) * len(old) / new).astype(int)
    plane = old[places][:, places].reshape(new * new, -1)
    return np.concatenate([positions[:1], plane])


def in_keras(positions, new, how):
    plane = ops.image.resize(grid(positions)[None], (new, new), interpolation=how)
    plane = ops.convert_to_numpy(plane)
    return np.concatenate([positions[:1], plane.reshape(new * new, -1)])


def transposed(positions, new):
    side = len(grid(positions))
    plane = positions[1:].T.reshape(1, side, side, -1)
    return moved(np.concatenate([positions[:1], plane.reshape(side * side, -1)]), new)


SOLUTIONS = {
    "07.1": (64, 3136),
    "07.2": together,
    "07.3": COUNT,
    "07.4": rolled,
    "07.5": moved,
}

WRONG = [
    ("07.1", (8, 3136), "one side only"),
    ("07.1", (1024, 3136), "number of pixels"),
    ("07.1", (65, 3136), "no class token"),
    ("07.1", (63, 3136), "rows of patches times columns"),
    ("07.1", (64, 3072), "64 short"),
    ("07.1", (64, 1088), "the colours belong"),
    ("07.1", (64, 200704), "count them once"),
    ("07.1", (64, 3120), "64 channels, not for each of 48"),
    ("07.1", (64, 3), "b has 64"),
    ("07.1", 64, "two numbers"),
    ("07.1", ("many", 3136), "one number"),
    ("07.2", lambda *given: together(*given, axes=range(6)), "a reshape alone"),
    ("07.2", lambda *given: together(*given, sizes="rpcpk"), "as they lie in memory"),
    ("07.2", lambda *given: together(*given, "crppk", (0, 2, 3, 1, 4, 5)), "row by row"),
    ("07.2", lambda *given: together(*given, axes=(0, 1, 4, 2, 3, 5)), "on its side"),
    (
        "07.2",
        lambda *given: together(*given, "rckpp", (0, 1, 4, 2, 5, 3)),
        "channels come last",
    ),
    ("07.2", lambda *given: together(*given, axes=(0, 2, 1, 3, 4, 5)), "the wrong two axes"),
    ("07.2", lambda *given: together(*given)[:, ::-1], "the pictures that were cut"),
    ("07.2", lambda patches, *_: patches, "should have the shape"),
    ("07.3", COUNT - 380 * 768, "at 224×224"),
    ("07.3", COUNT - 768, "768 short"),
    ("07.3", COUNT - 1536, "1,536 short"),
    ("07.3", COUNT - 769_000, "the head is missing"),
    ("07.3", COUNT - 577 * 768, "table of positions"),
    ("07.3", COUNT - 12 * 4 * 768, "12·4·768 short"),
    ("07.3", COUNT - 12 * 3840, "feed-forward networks' biases"),
    ("07.3", COUNT - 12 * 768**2, "four matrices"),
    ("07.3", COUNT - 11 * 7_087_872, "one block: there are 12"),
    ("07.3", COUNT + 5, "5 too many"),
    ("07.3", COUNT - 7, "7 too few"),
    ("07.4", lambda weights: rolled(weights, half=1, keep=0), "the identity is missing"),
    ("07.4", lambda weights: rolled(weights, reverse=True), "turned round"),
    (
        "07.4",
        lambda weights: rolled(weights, half=1, keep=0, reverse=len(weights) > 1),
        "the identity is missing",
    ),
    ("07.4", lambda weights: rolled(weights, half=1, keep=1), "half of the attention"),
    ("07.4", of_heads, "the mean is taken, not the sum"),
    ("07.4", lambda weights: mixed(weights)[-1], "the last block alone"),
    ("07.4", lambda weights: np.mean(mixed(weights), axis=0), "do not average"),
    ("07.4", lambda weights: np.prod(mixed(weights), axis=0), "product of matrices"),
    ("07.4", lambda weights: rolled(weights).T, "turned over"),
    ("07.4", lambda weights: rolled(weights)[0], "a row a token"),
    ("07.5", lambda positions, new: moved(positions, new)[1:], "class token's row and new²"),
    (
        "07.5",
        lambda positions, new: _stretched(positions, 1 + new * new),
        "set it aside first",
    ),
    (
        "07.5",
        lambda positions, new: np.concatenate(
            [positions[:1], _stretched(positions[1:], new * new)]
        ),
        "below each other are lost",
    ),
    ("07.5", turned, "rows and columns"),
    ("07.5", lambda positions, new: in_keras(positions, new, "bicubic"), "is bicubic"),
    ("07.5", transposed, "no transpose"),
    ("07.5", nearest, "nearest old position"),
    (
        "07.5",
        lambda positions, new: _in_the_plane(
            positions, np.linspace(0, len(grid(positions)) - 1, new)
        ),
        "the middle of a patch",
    ),
    ("07.5", lambda positions, new: np.roll(moved(positions, new), -1, axis=0), "comes first"),
    (
        "07.5",
        lambda positions, new: np.concatenate([0 * positions[:1], moved(positions, new)[1:]]),
        "keep the class token's row",
    ),
    ("07.5", lambda positions, new: 2 * moved(positions, new), "has to stay as it is"),
]


def test_what_the_checks_call_the_count_is_the_published_one():
    assert COUNT == 86_859_496
    assert sum(parameters(224, 3, **B16).values()) == 86_567_656
