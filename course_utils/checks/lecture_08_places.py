"""Checks of lecture 08, continued: who hears whom, and a gate for larger pictures."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, refuse
from course_utils.lectures.lecture_06 import layer_norm


def _norm(x):
    return layer_norm(x, 1.0, 0.0)


def _tokenwise(x):
    return x + np.tanh(_norm(x) * 2)


def _neighbours(x):
    """Each token hears the norm of the one before it."""
    return x + 0.5 * np.roll(_norm(x), 1, axis=0)


def _one_listener(x):
    """Token 4 hears token 1; nobody else hears anybody."""
    y = _tokenwise(x)
    y[4] += _norm(x)[1]
    return y


@exercise("08.4", solved="Disturb one, look at all: so any block tells who hears whom.")
def who_hears_whom(answer):
    """For every token of the output: which tokens of the input move it."""
    x = np.random.default_rng(2).normal(size=(6, 8))
    alone = np.eye(6, dtype=bool)
    before = alone | (np.arange(6)[:, None] == (np.arange(6) + 1) % 6)
    one = alone.copy()
    one[4, 1] = True
    cases = (
        (_tokenwise, alone, "a block that works on every token alone"),
        (_neighbours, before, "a block in which each token hears the one before it"),
        (_one_listener, one, "a block in which only token 4 hears another one, token 1"),
    )
    for block, truth, which in cases:
        given = x.copy()
        got = array(call(answer, block, given), (6, 6), "a row and a column for each token: ")
        require(np.array_equal(given, x), "x itself was changed: work on a copy")
        require(
            np.isin(got, (0, 1)).all(),
            "that is how far they move: say True or False, whether it is more than 0.0001",
        )
        got = got.astype(bool)
        mistakes = [
            (truth & ~alone, "nothing on the diagonal: a token hears at least itself"),
            (truth.T, "turned round: row i is for the token that hears, as in W"),
            (
                alone,
                "only what was disturbed is seen to move. LayerNorm takes off a constant that "
                "you add, and a factor: put noise in its place; and look at the others",
            ),
            (
                np.zeros((6, 6), bool),
                "nothing is seen to move: compare with the block's output",
            ),
        ]
        for wrong, explanation in mistakes:
            require(
                not np.array_equal(got, wrong) or np.array_equal(wrong, truth),
                f"{which}: {explanation}",
            )
        require(
            np.array_equal(got, truth),
            f"{which}: {np.sum(got != truth)} of 36 are wrong; replace one token at a time, "
            "and ask for each token of the output whether it moved by more than 0.0001",
        )


@exercise("08.5", solved="Rows and columns are pictures, both: so W can be drawn larger.")
def double(answer):
    """W for pictures of twice the side."""
    draw = np.random.default_rng(3)
    for side in (2, 3):
        S = side * side
        W = draw.normal(size=(S, S))
        got = call(answer, W.copy(), side)
        require(
            np.shape(got) != (S, S),
            "that is the old resolution again: 4 S tokens need a W of (4 S, 4 S)",
        )
        got = array(got, (4 * S, 4 * S), "a row and a column for each new token: ")
        grid = W.reshape(side, side, side, side)
        for axis in range(4):
            grid = np.repeat(grid, 2, axis=axis)
        truth = grid.reshape(4 * S, 4 * S)
        four = np.ones((4, 4))
        flat = (
            "in a row of tokens its four children do not stand side by side: rows and columns "
            "of W are both grids; reshape to (side, side, side, side) and double each axis"
        )
        mistakes = [
            (
                [truth, 4 * truth],
                "four times as many tokens are added up now: divide by four, or everything "
                "that is heard grows",
            ),
            ([np.kron(W, four) / 4, np.kron(W, four)], flat),
            ([np.tile(W, (4, 4)) / 4, np.tile(W, (4, 4))], flat),
            ([np.resize(W, (4 * S, 4 * S)), np.resize(W, (4 * S, 4 * S)) / 4], flat),
            ([truth / 16], "divided by 16: only the columns are added up, so it is 4"),
        ]
        refuse(got, mistakes)
        z = draw.normal(size=(side, side, 5))
        heard = (W @ z.reshape(S, 5)).reshape(side, side, 5)
        large = z.repeat(2, axis=0).repeat(2, axis=1).reshape(4 * S, 5)
        wanted = heard.repeat(2, axis=0).repeat(2, axis=1).reshape(4 * S, 5)
        require(
            np.allclose(got @ large, wanted, atol=1e-4),
            "double a picture's tokens: each of the 2×2 children has to hear what its parent "
            "heard",
        )
