"""Checks of lecture 07: rollout, and positions at another resolution."""

import numpy as np
from keras import ops

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, refuse
from course_utils.numpy_ref.rollout import rollout_matrix


@exercise("07.4", solved="The block that acts first stands on the right.")
def rolled_out(answer):
    """Attention rollout."""
    for weights in _unlike_blocks():
        batched = [part[None] for part in weights]
        truth = rollout_matrix(batched)[0]
        T = len(truth)
        got = array(call(answer, [part.copy() for part in weights]), (T, T), "a row a token: ")
        mixed = [(part.mean(axis=0) + np.eye(T)) / 2 for part in weights]
        bare = [part.mean(axis=0) for part in weights]
        refuse(
            got,
            [
                (
                    [_product(bare)],
                    "the identity is missing: by the residual a token keeps half of itself",
                ),
                (
                    [_product(mixed[::-1])] if len(mixed) > 1 else [],
                    "the product is turned round: its rows still add up to 1, but block 1 acts "
                    "first and stands on the right",
                ),
                (
                    [mixed[-1]] if len(mixed) > 1 else [],
                    "that is the last block alone: multiply it by those before it",
                ),
                (
                    [_product([2 * part for part in mixed])],
                    "rows have to add up to 1: half of the attention, half of the identity",
                ),
                (
                    [_product([(part.sum(axis=0) + np.eye(T)) / 2 for part in weights])],
                    "over the heads the mean is taken, not the sum",
                ),
                (
                    [np.mean(mixed, axis=0)] if len(mixed) > 1 else [],
                    "multiply the blocks, do not average: one works on what the other gives",
                ),
                (
                    [np.prod(mixed, axis=0)] if len(mixed) > 1 else [],
                    "a product of matrices, @, and not number by number",
                ),
                ([truth.T], "turned over: a row belongs to an output token"),
            ],
        )
        require(close(got, truth), "B = ½ mean over heads + ½ I, and R = B_L ⋯ B_2 B_1")


def _unlike_blocks():
    """Blocks that differ so much that the order of their product shows."""
    T = 4
    left = np.eye(T)[np.maximum(np.arange(T) - 1, 0)]
    to_last = np.eye(T)[np.full(T, T - 1)]
    even = np.full((T, T), 1 / T)
    yield [np.stack([left, even])]
    yield [np.stack([left, even]), np.stack([to_last, to_last])]
    yield [np.stack([to_last, left]), np.stack([even, to_last]), np.stack([left, left])]


def _product(matrices):
    product = np.eye(len(matrices[0]))
    for matrix in matrices:
        product = matrix @ product
    return product


@exercise("07.5", solved="A class token has no place in the plane; all others move with it.")
def at_grid(answer):
    """Positions on another square grid."""
    draw = np.random.default_rng(3)
    for old, new in [(3, 5), (4, 4), (4, 7), (2, 6)]:
        positions = draw.normal(size=(1 + old * old, 6))
        middles = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
        truth = _in_the_plane(positions, middles)
        got = array(
            call(answer, positions.copy(), new),
            truth.shape,
            "the class token's row and new² others: ",
        )
        token, grid = positions[:1], positions[1:]
        plane = truth[1:]
        turned = plane.reshape(new, new, -1).swapaxes(0, 1).reshape(plane.shape)
        rows_only = _stretched(grid, new * new)
        with_token = _stretched(positions, 1 + new * new)
        nearest = np.floor((np.arange(new) + 0.5) * old / new).astype(int)
        blocky = grid.reshape(old, old, -1)[nearest][:, nearest].reshape(plane.shape)
        cornered = _in_the_plane(positions, np.linspace(0, old - 1, new))
        mistakes = [
            (
                [np.concatenate([token, rows_only])],
                "the list was stretched, not the plane: neighbours below each other are lost",
            ),
            (
                [with_token],
                "the class token's row was stretched with the others: it has no place in the "
                "picture, set it aside first",
            ),
            ([np.concatenate([token, turned])], "rows and columns are mixed up"),
            (
                [_in_the_plane(_transposed(positions), middles)],
                "no transpose: the channels stand last already",
            ),
            ([_bicubic(positions, new)], "that is bicubic: bilinear is asked for"),
            ([np.concatenate([plane, token])], "the class token's row comes first"),
            ([np.concatenate([np.zeros_like(token), plane])], "keep the class token's row"),
            (
                [np.concatenate([token, blocky])],
                "that is the nearest old position: take the weighted mean of the four around",
            ),
            (
                [cornered],
                "the corners were laid on each other; a position is the middle of a patch",
            ),
        ]
        refuse(got, mistakes if new != old else [])
        require(close(got[:1], token), "the class token's row has to stay as it is")
        require(close(got, truth), "reshape to the plane, interpolate it, and back to a list")


def _stretched(rows, count):
    places = (np.arange(count) + 0.5) * len(rows) / count - 0.5
    return np.stack([np.interp(places, np.arange(len(rows)), one) for one in rows.T], axis=1)


def _transposed(positions):
    return np.concatenate([positions[:1], positions[1:].T.reshape(positions[1:].shape)])


def _bicubic(positions, new):
    old = round((len(positions) - 1) ** 0.5)
    plane = positions[1:].reshape(1, old, old, -1)
    plane = ops.convert_to_numpy(
        ops.image.resize(plane, (new, new), interpolation="bicubic", antialias=False)
    )
    return np.concatenate([positions[:1], plane.reshape(new * new, -1)])


def _in_the_plane(positions, places):
    """The grid read at these places of both its sides, the class token's row in front."""
    old = round((len(positions) - 1) ** 0.5)
    share = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(old)))
    plane = np.einsum("ir,jc,rcd->ijd", share, share, positions[1:].reshape(old, old, -1))
    return np.concatenate([positions[:1], plane.reshape(len(places) ** 2, -1)])
