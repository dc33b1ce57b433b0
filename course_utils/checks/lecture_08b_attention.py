"""Checks of lab 08b: attention inside a gate, and bands. `lecture_08b` has the others."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.numpy_ref import gmlp
from course_utils.numpy_ref.attention import softmax
from course_utils.plotting_gates import band_share, by_distance


@exercise("08b.4", solved="W says where to look, always; the head asks each sentence anew.")
def attentive_gate(answer):
    """Z_1 ⊙ (mixed + attention)."""
    draw = np.random.default_rng(4)
    for S, half, width in [(4, 6, 3), (5, 5, 2), (3, 3, 3)]:
        passed, mixed = draw.normal(size=(2, S, half))
        q, k, v = 2 * draw.normal(size=(3, S, width))
        W_O = draw.normal(size=(width, half))
        given = [part.copy() for part in (passed, mixed, q, k, v, W_O)]
        got = array(call(answer, *given), (S, half))

        def attended(scale, axis=-1, q=q, k=k, v=v, W_O=W_O):
            scores = q @ k.T / scale
            weights = softmax(scores.T).T if axis == 0 else softmax(scores)
            return weights @ v @ W_O

        right = attended(width**0.5)
        wide = [
            passed * (mixed + attended(size**0.5)) for size in (2 * half, half) if size != width
        ]
        mistakes = [
            (
                wide,
                "the scores are too flat: their scale is the root of the head's own width w, "
                "not of D",
            ),
            ([passed * (mixed + attended(1.0))], "the scores are not scaled: divide by √w"),
            ([passed * (mixed + attended(float(width)))], "divide by √w, not by w"),
            (
                [passed * mixed + right],
                "the attention was added after the product: it is not in the gate, and Z_1 "
                "cannot switch it off",
            ),
            (
                [passed * (mixed + attended(width**0.5, axis=0))],
                "each token's weights have to sum to 1 over the tokens that it looks at",
            ),
            ([passed * mixed], "the attention is missing"),
            ([passed * right], "W's part is missing: add the attention to `mixed`"),
            ([passed + mixed + right], "a gate multiplies: Z_1 times the sum"),
            ([passed * (mixed * right)], "the attention is added to `mixed`, not multiplied"),
            (
                [passed * (mixed + (q @ k.T / width**0.5) @ v @ W_O)],
                "the softmax of the scores is missing",
            ),
        ]
        refuse(got, mistakes)
        require(
            close(got, passed * (mixed + right)), "Z_1 ⊙ (mixed + softmax(q kᵀ / √w) v W_O)"
        )


@exercise("08b.5", solved="A share means something beside what chance would give.")
def banded(answer):
    """How much of W its diagonals explain, and how much by chance."""
    draw = np.random.default_rng(5)
    noise = draw.normal(size=(6, 6))
    band = gmlp.toeplitz(draw.normal(size=9)) + 0.3 * draw.normal(size=(5, 5))
    for W in (band, noise, noise + noise.T, gmlp.toeplitz(draw.normal(size=7))):
        _judge_bands(call(answer, W.copy()), W)


def _judge_bands(pair, W):
    S = len(W)
    try:
        got, chance = pair
    except (TypeError, ValueError):
        require(False, "return two numbers: the share, and what chance alone would leave")
    got, chance = number(got), number(chance)
    means, total = by_distance(W), (W**2).sum()
    lengths = S - np.abs(np.arange(1 - S, S))

    def is_near(value):
        return abs(got - value) < 1e-4

    even, odd = (W + W.T) / 2, (W - W.T) / 2
    symmetry = [(even**2).sum() / total, 1 - (odd**2).sum() / total]
    toeplitz = bool(np.isclose(band_share(W), 1))
    if not toeplitz or not is_near(1):
        require(
            not any(is_near(value) for value in symmetry) or is_near(band_share(W)),
            "this is how symmetric W is, which is another thing: a band need not be symmetric, "
            "and a symmetric matrix need have no band",
        )
    require(
        not is_near((means**2).sum() / total),
        "each diagonal's mean counts as often as it has entries: times n_d",
    )
    require(
        not is_near((lengths * means).sum() ** 2 / S**2 / total),
        "that is one mean of all of W: take one a diagonal",
    )
    own = np.array([np.abs(np.diagonal(W, -d)).mean() for d in range(1 - S, S)])
    require(
        not is_near((lengths * own**2).sum() / total) or is_near(band_share(W)),
        "take the mean of the entries with their signs: noise would not cancel otherwise",
    )
    require(
        not is_near((lengths * np.abs(means)).sum() / np.abs(W).sum())
        or is_near(band_share(W)),
        "squared weight: square the means and the entries",
    )
    half = (lengths * means**2)[S - 1 :].sum() / total
    require(
        not is_near(half) or is_near(band_share(W)),
        "only one side: the offsets run from −(S − 1) to S − 1",
    )
    require(
        is_near(band_share(W)),
        f"the share should be {band_share(W):.3f} here, and you have {got:.3f}: n_d · m_d², "
        "summed, over the sum of all squares",
    )
    require(
        not (abs(chance) < 1e-9 or abs(chance - 1) < 1e-9),
        "the chance level is missing: without it nobody knows whether a share is large",
    )
    require(
        not abs(chance - 1 / S) < 1e-6,
        "there are not S diagonals but 2S − 1, each worth one of S² entries",
    )
    require(abs(chance - (2 * S - 1) / S**2) < 1e-6, "by chance: (2S − 1) / S²")
