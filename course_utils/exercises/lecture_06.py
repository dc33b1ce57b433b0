"""Exercises of lecture 06: the Transformer."""

import numpy as np

from course_utils.exercises import exercise
from course_utils.lectures import lecture_06
from course_utils.lectures.lecture_05 import softmax
from course_utils.lectures.lecture_06 import split_heads


def scores(scale, then=lambda x: x):
    """Scores divided by `scale(d_k, num_heads, T, S)`."""
    return lambda Q, K, h: then(Q @ K.T / scale(Q.shape[1], h, len(Q), len(K)) ** 0.5)


HEAD = "Q and K belong to one head: a score adds up d_k products, and num_heads plays no part."
TOKENS = "The width of the vectors makes scores large, not the number of tokens."


@exercise(
    "06.1",
    lecture_06.scaled_scores,
    mistakes=[
        (scores(lambda *_: 1), "These are the scores before scaling."),
        (scores(lambda d, *_: d**2), "Divided by d_k the scores are too small: take the root."),
        (scores(lambda d, *_: 1 / d), "Divide, do not multiply: wide heads score high."),
        (scores(lambda d, h, *_: d * h), HEAD),
        (scores(lambda d, h, *_: d / h), HEAD),
        (scores(lambda d, h, T, S: S), TOKENS),
        (lambda Q, K, h: K @ Q.T / Q.shape[1] ** 0.5, "Queries are the rows, keys columns."),
        (scores(lambda d, *_: d, softmax), "Return the scores, without the softmax."),
    ],
    takes=4,
    level=1,
    hints=["How many products does a score add up?", "A sum of n numbers grows with √n."],
    reasoning="A sum of d_k products of variance 1 has deviation √d_k; divided by it, 1.",
    solved="The width of one head is the scale, since a score is a sum over it.",
)
def one_head(draw):
    for T, S, d_k, num_heads in [(2, 3, 5, 4), (3, 5, 16, 2)]:
        yield draw.normal(size=(T, d_k)), draw.normal(size=(S, d_k)), num_heads


@exercise(
    "06.2",
    lecture_06.causal_attention_mask,
    mistakes=[
        (lambda T: np.tri(T, dtype=bool).T, "That shows the future: the queries are the rows."),
        (lambda T: np.tri(T, k=-1, dtype=bool), "Row 1 is empty: it may attend to itself."),
        (lambda T: np.tri(T, k=1, dtype=bool), "The next token is visible: it is the answer."),
        (lambda T: ~np.tri(T, dtype=bool), "True means “may attend”, not “hidden”."),
        (lambda T: np.ones((T, T), bool), "The future is not hidden."),
        (lambda T: np.eye(T, dtype=bool), "Earlier tokens may be attended to as well."),
        (lambda T: np.where(np.tri(T), 0, -np.inf), "Return True and False; −∞ comes later."),
    ],
    takes=4,
    level=1,
    hints=["Write it for three tokens on paper.", "A triangle of ones: see np.tri."],
    reasoning="Row t is open up to column t: the token that is predicted is the next one.",
    solved="One triangle, and training predicts all positions at once.",
)
def lengths(draw):
    yield from (3, 5)


@exercise(
    "06.3",
    split_heads,
    mistakes=[
        (lambda x, h: x.reshape(len(x), h, x.shape[1], -1), "Split the last axis, transpose."),
        (lambda x, h: x.reshape(*x.shape[:2], h, -1), "Heads come before tokens: transpose."),
        (
            lambda x, h: np.moveaxis(x.reshape(*x.shape[:2], -1, h), 3, 1),
            "A head gets neighbouring columns: reshape to (…, num_heads, d_k).",
        ),
        (lambda x, h: np.repeat(x[:, None], h, 1), "A head gets d / num_heads columns, not d."),
        (lambda x, h: split_heads(x, h).swapaxes(0, 1), "The batch stays the first axis."),
        (lambda x, h: split_heads(x, h).swapaxes(2, 3), "Tokens come before columns."),
    ],
    takes=6,
    level=2,
    hints=["Split the last axis. Which comes first?", "Then exchange the middle two axes."],
    reasoning="A reshape keeps the numbers' order; only a transpose moves the heads forward.",
    solved="Two lines, and one product computes all heads.",
)
def token_vectors(draw):
    for batch, S, num_heads, d_k in [(1, 3, 2, 4), (2, 4, 3, 5)]:
        yield draw.integers(1, 99, (batch, S, num_heads * d_k)).astype(float), num_heads


def mask(rule=lambda causal, keys, queries: causal & keys, real=lambda ids: ids != 0):
    """A mask by `rule(causal, keys, queries)`, the last two True at real tokens."""
    return lambda ids: rule(
        np.tri(ids.shape[1], dtype=bool)[None], real(ids)[:, None], real(ids)[..., None]
    )


OR = "With OR the pads stay visible: both rules have to hold."
ONLY_0 = "Only 0 is a pad: <sos> and <eos> may be attended to."


@exercise(
    "06.4",
    lecture_06.decoder_mask,
    mistakes=[
        (mask(lambda c, k, q: c | k), OR),
        (mask(lambda c, k, q: c | ~k), "The pads are visible: ids != 0 says what is no pad."),
        (mask(lambda c, k, q: c & ~k), "Only pads are visible: ids != 0 says what is no pad."),
        (mask(lambda c, k, q: c & q), "Hide pads as keys, the last axis, not as queries."),
        (mask(lambda c, k, q: c & k & q), "The rows of pads obey the same rule as all others."),
        (mask(lambda c, k, q: c | k & False), "The pads are not hidden."),
        (mask(lambda c, k, q: k | c & False), "The future is not hidden."),
        (mask(lambda c, k, q: ~(c & k)), "True means “may attend”, not “hidden”."),
        (mask(lambda c, k, q: np.tril(c, -1) & k), "A token may attend to itself."),
        (mask(lambda c, k, q: c.swapaxes(1, 2) & k), "The queries are the rows: transpose."),
        (mask(real=lambda ids: ids > 3), ONLY_0),
        (mask(real=lambda ids: (ids != 0) & (ids != 3)), ONLY_0),
        (mask(real=lambda ids: np.sort(ids == 0) == 0), "Pads may stand anywhere."),
    ],
    takes=6,
    level=2,
    hints=["On which axis do the keys stand?", "Give ids != 0 a middle axis; join by &."],
    reasoning="One mask is the same for all texts, one for all queries: broadcasting.",
    solved="Both rules, joined by AND, with the pads along the keys.",
)
def decoder_ids(draw):
    yield np.array([[2, 7, 8, 3], [2, 9, 0, 0], [2, 0, 5, 3]])
    ids = draw.integers(4, 20, (2, 6))
    ids[:, 0], ids[0, 2], ids[0, 4], ids[1, 4:] = 2, 0, 3, 0
    yield ids


def step(at=lambda t: t, query=None, scale=lambda d, d_k: d_k**0.5, **wrong):
    """`cached_step` with one part changed."""

    def changed(x, positions, keys, values, W_Q, W_K, W_V):
        placed = x if at is None else x + positions[at(len(keys))]
        new, old = [[placed @ W_K], [placed @ W_V]], [keys, values]
        order = wrong.get("order", 1)
        pairs = zip(old, new[:: wrong.get("swap", 1)], strict=True)
        keys, values = grown = [np.concatenate(pair[::order]) for pair in pairs]
        seen = old if "before" in wrong else grown
        scores = seen[0] @ ((x if query else placed) @ W_Q) / scale(len(x), len(W_K[0]))
        output = wrong.get("weigh", softmax)(scores) @ seen[wrong.get("average", 1)]
        return (output, *(old if "forget" in wrong else grown))

    return changed


@exercise(
    "06.5",
    lecture_06.cached_step,
    mistakes=[
        (step(forget=True), "The caches did not grow: return them with the new key and value."),
        (step(at=None), "The position is missing: add its row of `positions` to x."),
        (step(at=lambda t: 0), "The position is always the first: t tokens stand before."),
        (step(at=lambda t: t + 1), "The position is one too far: positions count from 0."),
        (step(at=lambda t: t - 1), "The position is one too small: t tokens stand before."),
        (step(query=True), "The query needs its position, too."),
        (step(before=True), "It may attend to itself: append before computing the scores."),
        (step(swap=-1), "Keys and values have changed places."),
        (step(order=-1), "The old keys and values come first, the new ones last."),
        (step(scale=lambda d, d_k: 1), "The scale √d_k is missing."),
        (step(scale=lambda d, d_k: d**0.5), "A score is a sum over d_k products, not over d."),
        (step(scale=lambda d, d_k: d_k), "Divide by √d_k, not by d_k."),
        (step(average=0), "The weights average the values, not the keys."),
        (step(weigh=lambda s: s), "The softmax of the scores is missing."),
    ],
    takes=10,
    level=3,
    hints=["At which position does it stand?", "Append first, then compute the scores."],
    reasoning="t keys are cached, so the new token stands at position t, counted from 0.",
    solved="Each token's key and value is computed once and never again.",
)
def new_token(draw):
    for t in (1, 3, 0):
        d, d_k = 6, 4
        x, positions = draw.normal(size=d), draw.normal(size=(8, d))
        yield x, positions, *draw.normal(size=(2, t, d_k)), *draw.normal(size=(3, d, d_k))
