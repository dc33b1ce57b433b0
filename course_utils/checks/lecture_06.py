"""Checks of lecture 06: the Transformer."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, refuse
from course_utils.numpy_ref.attention import softmax, split_heads


@exercise("06.1", solved="The width of one head, since the scores are sums over it.")
def scaled_scores(answer):
    """Scores divided by the root of a head's width."""
    draw = np.random.default_rng(0)
    for T, S, d_k, num_heads in [(3, 5, 16, 2), (5, 2, 9, 4)]:
        Q, K = draw.normal(size=(T, d_k)), draw.normal(size=(S, d_k))
        plain = Q @ K.T
        got = array(
            call(answer, Q.copy(), K.copy(), num_heads), (T, S), "a row for each query: "
        )
        d = d_k * num_heads
        refuse(
            got,
            [
                ([plain], "these are the scores before scaling"),
                (
                    [plain / d_k],
                    f"divided by d_k = {d_k} their deviation is 1/√{d_k}; it should be 1: take "
                    "the root",
                ),
                (
                    [plain / np.sqrt(d), plain / d],
                    f"the heads share d = {d}, but each score is a sum over one head's {d_k} "
                    "products only",
                ),
                (
                    [plain / np.sqrt(d_k / num_heads), plain / np.sqrt(d_k // num_heads)],
                    f"Q and K belong to one head already: its width is their {d_k} columns",
                ),
                (
                    [plain / np.sqrt(num_heads), plain / num_heads],
                    "the number of heads has no part in it",
                ),
                (
                    [plain / np.sqrt(S), plain / np.sqrt(T), plain / S, plain / T],
                    "the width of the vectors counts, not the number of tokens",
                ),
                (
                    [plain * np.sqrt(d_k)],
                    "divide, do not multiply: wide heads have large scores",
                ),
                (
                    [softmax(plain / np.sqrt(d_k)), softmax(plain)],
                    "the scores are asked for, without the softmax",
                ),
                (
                    [_cosines(Q, K)],
                    "that is the cosine: the paper divides all scores by the same number",
                ),
            ],
        )
        require(close(got, plain / np.sqrt(d_k)), "Q times K transposed, over √d_k")


def _cosines(Q, K):
    lengths = [np.linalg.norm(M, axis=1, keepdims=True) for M in (Q, K)]
    return Q @ K.T / (lengths[0] @ lengths[1].T)


@exercise("06.2", solved="One triangle, and training needs no loop any more.")
def who_may_look(answer):
    """The causal mask."""
    for T in (4, 6):
        got = _mask(call(answer, T), (T, T))
        places = np.arange(T)
        truth = places[:, None] >= places
        refuse(
            got,
            [
                (
                    [truth.T],
                    f"with the upper triangle token 1 sees all {T}, the future, and the last "
                    "one only itself: rows look, columns are looked at",
                ),
                (
                    [places[:, None] > places],
                    "row 1 is empty: a token may look at itself, since what it has to predict "
                    "is the next one",
                ),
                ([~truth], "True means “may look”, not “hide”"),
                (
                    [np.ones((T, T), bool)],
                    "everybody sees everything: the future has to be hidden",
                ),
                ([np.eye(T, dtype=bool)], "earlier tokens may be looked at, too"),
            ],
            np.array_equal,
        )
        require(np.array_equal(got, truth), "token t may look at tokens 1 to t, at no others")


def _mask(answer, shape):
    got = array(answer, shape, "one field for each pair of tokens: ")
    require(
        np.isin(got, (0, 1)).all(),
        "a mask says True or False (or 1 and 0); −∞ comes in later, when it is used",
    )
    return got.astype(bool)


@exercise("06.3", solved="Two lines, and all heads are computed in one product.")
def cut_into_heads(answer):
    """(batch, S, d) to (batch, heads, S, d_k)."""
    for batch, S, num_heads, d_k in [(2, 4, 3, 5), (3, 6, 2, 4)]:
        x = np.arange(batch * S * num_heads * d_k, dtype=float).reshape(
            batch, S, num_heads * d_k
        )
        got = call(answer, x.copy(), num_heads)
        require(
            np.shape(got) != (batch, num_heads, S, num_heads * d_k),
            f"each head should get {d_k} of the {num_heads * d_k} columns: heads of full width "
            f"have {num_heads} times the parameters",
        )
        require(
            np.shape(got) != (batch, S, num_heads, d_k),
            "cut, but not turned: the axis of the heads belongs before that of the tokens",
        )
        got = array(got, (batch, num_heads, S, d_k), "(batch, heads, tokens, d_k): ")
        truth = split_heads(x, num_heads)
        interleaved = np.moveaxis(x.reshape(batch, S, d_k, num_heads), 3, 1)
        refuse(
            got,
            [
                (
                    [x.reshape(batch, num_heads, S, d_k)],
                    "the shape is right, but you mixed time and head: one reshape fills head 1 "
                    "with the first tokens. Reshape to (batch, S, heads, d_k), then transpose",
                ),
                (
                    [interleaved],
                    "head 1 should get neighbouring columns, not every "
                    f"{num_heads}th one: reshape to (…, heads, d_k)",
                ),
            ],
        )
        require(close(got, truth), "token s of head i: columns i·d_k to (i + 1)·d_k of x[:, s]")


@exercise("06.4", solved="AND, with the pads along the keys.")
def decoder_mask(answer):
    """Causal and padding mask together."""
    ids = np.array([[2, 7, 8, 3], [2, 9, 0, 0], [2, 0, 5, 3]])
    got = _mask(call(answer, ids.copy()), (3, 4, 4))
    causal, padding_mask = np.tril(np.ones((4, 4), bool)), ids != 0
    columns, rows, places = padding_mask[:, None], padding_mask[..., None], np.arange(4)
    whole = np.broadcast_to(causal, (3, 4, 4))
    refuse(
        got,
        [
            (
                [causal | columns, causal | rows],
                "with OR the pads are visible: both have to allow it",
            ),
            (
                [causal & rows],
                "the padding mask is on the query axis: words still look at pads. Weights at "
                "pads should be 0 along the keys, the last axis",
            ),
            (
                [causal & rows & columns],
                "the pads' own rows are empty now: nobody reads them, so leave them open",
            ),
            ([whole], "the pads are not hidden: there is one in the middle of the last row"),
            ([np.broadcast_to(columns, (3, 4, 4))], "the future is not hidden"),
            ([~(causal & columns)], "True means “may look”, not “hide”"),
            (
                [np.tril(causal, -1) & columns],
                "row 1 is empty: a token may look at itself",
            ),
            (
                [causal & (places < padding_mask.sum(axis=1)[:, None])[:, None]],
                "pads need not stand at the end: ask each id whether it is 0",
            ),
            (
                [
                    causal & (ids > 3)[:, None],
                    causal & (ids > 1)[:, None] & (ids != 3)[:, None],
                ],
                "only 0 is a pad: <sos> and <eos> may be looked at",
            ),
            (
                [causal.T & columns],
                "the triangle is turned over: rows look, columns are looked at",
            ),
        ],
        np.array_equal,
    )
    require(np.array_equal(got, causal & columns), "causal AND (ids != 0) along the last axis")
