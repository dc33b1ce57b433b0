"""Checks of lab 08b: the split gate, starts, ties. `lecture_08b_attention` has the others."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, refuse
from course_utils.numpy_ref import gmlp


def _norm(x):
    """Every row to mean 0 and deviation 1."""
    x = np.asarray(x, dtype=float)
    return (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 1e-3)


def _shape(answer):
    """The shape of an answer, None where it has none."""
    try:
        return np.shape(answer)
    except Exception:  # lists of unlike lengths, and whatever a library raises for its own
        return None


@exercise("08b.1", solved="One half says what; the other, mixed, says how much.")
def split_gate(answer):
    """Z_1 ⊙ (W norm(Z_2) + b)."""
    draw = np.random.default_rng(0)
    for S, D in [(4, 8), (3, 8), (6, 4)]:
        Z, W, b = draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)
        got = call(answer, Z.copy(), _norm, W.copy(), b.copy())
        first, second = gmlp.halves(Z)
        f = gmlp.spatial(_norm(second), W, b)
        require(
            _shape(got) != (S // 2, D),
            f"the tokens were cut: {S} became {S // 2}. Cut the channels, Z[:, : D // 2], and "
            "print the shapes of both halves",
        )
        got = array(got, (S, D // 2))
        raw, whole = gmlp.spatial(second, W, b), gmlp.spatial(_norm(Z)[:, D // 2 :], W, b)
        other = first * (W @ _norm(second) + np.resize(b, D // 2))
        swapped = second * gmlp.spatial(_norm(first), W, b)
        turned = first * gmlp.spatial(_norm(second), W.T, b)
        mistakes = [
            (
                [second * f],
                "the mixed half was multiplied by its own raw values: the half that passes is "
                "the first one, Z_1",
            ),
            ([first * raw], "the second half goes into W unnormalised: norm it first"),
            (
                [first * whole],
                "the norm went over all channels: norm the second half alone, after the cut",
            ),
            ([first * gmlp.spatial(_norm(second), W, 0 * b)], "b is missing"),
            (
                [first * gmlp.spatial(_norm(second), W, 0 * b + 1)],
                "b is given: leave it as it is",
            ),
            (
                [swapped],
                "the halves are exchanged: the second is mixed, the first passes",
            ),
            (
                [turned],
                "W is turned round: row i belongs to output token i, W @ norm(Z_2)",
            ),
            ([first + f], "the halves are added: a gate multiplies"),
            ([f], "this is f alone: multiply it by the half that passes, Z_1"),
            (
                [first + first * f],
                "Z_1 is added once more: that belongs outside the gate",
            ),
        ]
        if S == D // 2:
            late = "b runs along the tokens, one number for each: b[:, None]"
            mistakes.append(([other], late))
        refuse(got, mistakes)
        require(close(got, first * f), "Z_1 times (W norm(Z_2) + b), number by number")


@exercise("08b.2", solved="What a gate does before it has learned anything is your decision.")
def fresh_gate(answer):
    """Starts of the four gates, judged by what they let through."""
    for S in (8, 64):
        for gate in gmlp.GATES:
            pair = call(answer, gate, S, np.random.default_rng(1))
            try:
                W, b = pair
            except (TypeError, ValueError):
                require(False, "return two arrays: (W, b)")
            W = array(W, (S, S), f"{gate}, W: ")
            b = array(b, (S,), f"{gate}, b: ")
            _judge_start(gate, S, W, b)


def _judge_start(gate, S, W, b):
    Z = np.random.default_rng(2).normal(size=(S, 32))
    passed, read = gmlp.halves(Z) if gate == "split" else (Z, Z)
    f = gmlp.spatial(_norm(read), W, b)
    mixed = gmlp.spatial(_norm(read), W, 0 * b)
    where = f"{gate}, {S} tokens: "
    if gate == "linear":
        require(
            np.abs(b).max() < 0.01,
            f"{where}b should be 0: here it would be added to every channel of all sentences",
        )
        require(
            mixed.std() > 0.3,
            f"{where}the output is nearly constant: with W near zero a linear gate is silent, "
            "whatever is read. Give it an ordinary random W",
        )
        require(
            np.ptp(mixed, axis=0).max() > 0.1,
            f"{where}all tokens come out alike: W's rows are equal. Draw each entry by itself",
        )
        require(
            mixed.std() < 3,
            f"{where}its numbers are {mixed.std():.0f} times those of norm(Z): a sum of S "
            "products of size 1 has the size √S, so divide by it",
        )
        return
    multiplies = gate != "additive"
    if multiplies:
        out, quiet = passed * f, np.abs(f).max() < 0.1
        require(
            not quiet,
            f"{where}the gate is shut: f is nearly 0 and multiplies. Let b be 1",
        )
    else:
        out = passed + f
        require(
            not close(np.round(b), np.ones(S)),
            f"{where}b = 1 is added here, and shifts every number by one: let b be 0",
        )
    off = np.abs(out - passed).max()
    scrambled = np.abs(mixed).max() > 0.005
    require(
        off < 0.01 or not scrambled,
        f"{where}what comes out is up to {off:.2g} away from what should pass: W scrambles the "
        "tokens. Draw it within, say, ±0.0001 / S"
        + (", and let b be 1" if multiplies and np.abs(b).max() < 0.1 else ""),
    )
    require(
        off < 0.01,
        f"{where}what comes out is up to {off:.2g} away from what should pass: b should be "
        + ("1" if multiplies else "0"),
    )


@exercise(
    "08b.3", solved="2S − 1 weights in place of S², and every pair of tokens teaches one."
)
def tie(answer):
    """A Toeplitz matrix from its 2S − 1 weights."""
    for S in (4, 2, 7):
        t = np.random.default_rng(S).normal(size=2 * S - 1)
        got = call(answer, t.copy())
        require(
            _shape(got) != (S - 1, S - 1),
            f"{2 * S - 1} weights are those of {S} tokens, not of {S - 1}: of 2S weights one "
            "would never be used. S = (len(t) + 1) // 2",
        )
        got = array(got, (S, S))
        distance = np.arange(S)[:, None] - np.arange(S)
        truth = gmlp.toeplitz(t)
        mistakes = [
            (
                [t[-distance + S - 1]],
                "the mirror image: you took j − i. Put a single 1 into t and see which way the "
                "tokens are shifted: the last entry of t belongs to i = S − 1, j = 0",
            ),
            (
                [t[distance]],
                "a negative index counts from the end in NumPy: add S − 1, and the smallest "
                "distance, −(S − 1), finds t[0]",
            ),
            (
                [t[np.abs(distance)], t[np.abs(distance) + S - 1]],
                "left and right are not the same: the distance has a sign, i − j",
            ),
            (
                [t[distance % S]],
                "not a circle: −1 and S − 1 are two distances, with a weight each",
            ),
        ]
        refuse(got, mistakes)
        require(close(got, truth), "W[i, j] = t[i − j + S − 1]")
