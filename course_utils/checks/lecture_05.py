"""Checks of lecture 05: attention, masks, the loss of real words, decoding."""

import numpy as np

from course_utils.checks import call, exercise, require
from course_utils.checks.answers import array, close, number, refuse
from course_utils.data.base import END, START
from course_utils.numpy_ref.alignment_scores import dot_score, general_score
from course_utils.numpy_ref.attention import softmax


@exercise("05.1", solved="Compare, softmax, average: that is all of attention.")
def dot_attention(answer):
    """Weights and contexts of the dot score."""
    draw = np.random.default_rng(0)
    for targets, sources in [(1, 3), (4, 3), (3, 3)]:
        states, encoded = draw.normal(size=(targets, 2)), draw.normal(size=(sources, 2))
        weights, found = _pair(call(answer, states.copy(), encoded.copy()))
        scores = dot_score(states, encoded)
        alpha = softmax(scores)
        over_targets = softmax(scores.T).T
        weights = array(weights, (targets, sources), "the weights: ")
        over = "each row of α must sum to 1 over the source words: the softmax went over the "
        scaled = "that is the scaled score of lecture 6: here nothing is divided by √d"
        mistakes = [
            ([scores], "these are the scores: the softmax is missing"),
            ([over_targets] if targets > 1 else [], f"{over}words that are written"),
            ([np.exp(scores)], "e to the scores, but not yet divided by its sum"),
            ([softmax(scores / 2**0.5)], scaled),
        ]
        refuse(weights, mistakes)
        require(close(weights, alpha), "the weights: softmax of s · h, over the source words")
        found = array(found, (targets, 2), "the contexts: ")
        if targets == sources:
            require(
                not close(found, alpha @ states),
                "average the encoder's states, not the decoder's",
            )
            require(
                not close(found, alpha.T @ encoded),
                "the weights are turned round: row t of α belongs to the written word t",
            )
        require(
            not close(found, scores @ encoded),
            "the contexts were made from the scores: take the weights",
        )
        require(
            close(found, alpha @ encoded), "the contexts: weights times the encoder's states"
        )


def _pair(result):
    try:
        weights, found = result
    except (TypeError, ValueError):
        require(False, "return two things: (weights, contexts)")
    return weights, found


@exercise("05.2", solved="Mask before the softmax, and the rows add up to 1 by themselves.")
def masked_weights(answer):
    """A softmax that leaves pads out."""
    draw = np.random.default_rng(1)
    scores = draw.normal(size=(3, 4, 4))
    mask = np.arange(4) < np.array([[4], [2], [1]])
    for factor in (1.0, 400.0):  # at 400 a bare exponential overflows
        given = factor * scores
        with np.errstate(all="ignore"):
            got = call(answer, given.copy(), mask.copy())
        got = array(got, given.shape, "as many weights as scores: ")
        truth = softmax(given, mask[:, None])
        late = "a mask after the softmax: rows sum to less than 1, because the pads have taken "
        zero = "a score of 0 still gets the weight e⁰ = 1: a masked score has to be −∞"
        mistakes = [
            ([softmax(given)], "nothing is masked yet: the pads have weights"),
            ([softmax(given) * mask[:, None]], f"{late}their share already"),
            ([softmax(given * mask[:, None])], zero),
        ]
        refuse(got, mistakes)
        require(
            not close(np.nan_to_num(got), softmax(given, mask[:, :, None])),
            "the mask is laid along the written words: it belongs to the last axis, "
            "mask[:, None, :]",
        )
        require(
            np.isfinite(got).all(),
            "∞ or NaN came out: take each row's largest real score off before the exponential",
        )
        require(
            np.abs(got * ~mask[:, None]).max() < 1e-6, "a pad has a weight left: it has to be 0"
        )
        require(
            np.allclose(got.sum(axis=-1), 1, atol=1e-4),
            "each row has to add up to 1 over the source words",
        )
        require(close(got, truth), "−∞ at the pads, then the softmax over the last axis")


@exercise("05.3", solved="Append pads to a batch: a right loss does not move.")
def masked_loss(answer):
    """Mean cross-entropy over real targets."""
    draw = np.random.default_rng(2)
    logits = draw.normal(size=(3, 6, 8)) * 3
    targets = draw.integers(4, 8, size=(3, 6))
    for row, words in enumerate((6, 3, 2)):
        targets[row, words - 1 :] = 0
        targets[row, words - 1] = END
    got = number(call(answer, logits.copy(), targets.copy()))
    losses = _losses(logits, targets)
    padding_mask = targets != 0
    truth = losses[padding_mask].mean()
    probabilities = np.take_along_axis(softmax(logits), targets[..., None], axis=-1)[..., 0]
    why = f"the loss is {truth:.3f}, and you have {got:.3f}"
    mistakes = [
        (losses.mean(), "the pads' losses take part: leave out the targets that are 0"),
        (
            (losses * padding_mask).mean(),
            "divided by all positions: this loss falls when you add pads; divide by the number "
            "of real targets",
        ),
        (losses[padding_mask].sum(), "that is the sum: divide by the number of real targets"),
        (
            ((losses * padding_mask).sum(axis=1) / padding_mask.sum(axis=1)).mean(),
            "that is the mean of the sentences' means: in it a short sentence's words count "
            "more",
        ),
        (
            losses[padding_mask & (targets != END)].mean(),
            "<eos> is left out: it has to be predicted, or no sentence ever ends",
        ),
        (
            losses[:, 1:][padding_mask[:, 1:]].mean(),
            "the first target is left out: <sos> is not among the targets, they begin with a "
            "word",
        ),
        (-truth, "the sign: a loss is minus the logarithm"),
        (
            probabilities[padding_mask].mean(),
            "these are probabilities: take minus their logarithm",
        ),
        (
            (1 - probabilities[padding_mask]).mean(),
            "cross-entropy is minus the logarithm, not 1 − p",
        ),
        (
            -np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0][
                padding_mask
            ].mean(),
            "these are the logits themselves: the softmax is missing",
        ),
        (truth / np.log(2), "that is in bits: take the natural logarithm, as Keras does"),
    ]
    for wrong, explanation in mistakes:
        require(not np.isclose(got, wrong, rtol=1e-4), f"{why}: {explanation}")
    require(np.isclose(got, truth, rtol=1e-4), f"{why}: mean of −log p over the real targets")
    with np.errstate(all="ignore"):
        large = number(call(answer, 400 * logits, targets.copy()))
    require(
        np.isfinite(large),
        "with large logits ∞ or NaN comes out: take each position's largest logit off first",
    )


def _losses(logits, targets):
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_chances = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_chances, targets[..., None], axis=-1)[..., 0]


@exercise("05.4", solved="One matrix learns which coordinates of s and h speak of the same.")
def general_scores(answer):
    """Luong's general score."""
    draw = np.random.default_rng(3)
    for wide in (3, 2):
        states, encoded = draw.normal(size=(4, 3)), draw.normal(size=(5, wide))
        W = draw.normal(size=(3, wide))
        got = call(answer, states.copy(), encoded.copy(), W.copy())
        got = array(got, (4, 5), "a row a written word, a column a source word: ")
        truth = general_score(states, encoded, W)
        mistakes = [([softmax(truth)], "before the softmax: the scores themselves are asked")]
        if wide == 3:
            mistakes += [
                (
                    [states @ W.T @ encoded.T],
                    "Wᵀ is used: s[i] meets row i of W, and h[j] column j (here W is not "
                    "symmetric, so it shows)",
                ),
                ([states @ encoded.T], "that is the dot score: W is not used"),
            ]
        mistakes += [([np.tanh(truth)], "no tanh here: that belongs to the additive score")]
        refuse(got, mistakes)
        shift = got - truth
        require(
            close(got, truth) or not np.allclose(shift, shift[:, :1], atol=1e-5),
            "a bias was added: the same for all source words, so the weights are equal, but it "
            "is not the paper's score",
        )
        require(close(got, truth), "row t, column s is states[t] · (W encoded[s])")


@exercise("05.5", solved="Its own words in, one word out, and a bound: so any model writes.")
def decode(answer):
    """Greedy decoding of one sentence."""
    script = [5, 7, 4, END, 6, 6, 6]
    got, fed = _decoded(answer, script, max_length=6)
    require(fed and fed[0][0] == START, "the first token that step gets has to be <sos>, 2")
    own = [token for token, _ in fed[1:4]]
    require(
        own == script[: len(own)],
        "step has to get the word that was just written, its own one, as the next token: "
        f"it wrote {script[: len(own)]} and was fed {own}",
    )
    places = [place for _, place in fed]
    require(
        places == list(range(len(places))),
        "the new state that step returns has to go into the next step",
    )
    require(
        got != script[:6],
        "it writes on behind <eos>: what stands there means nothing; stop at 3",
    )
    require(got != script[:4], "<eos> is a signal, not a word: leave it out")
    require(got != [START, *script[:3]], "<sos> was given, not written: leave it out")
    require(
        got == script[:3],
        f"the words {script[:3]} were the likeliest before <eos>, and you have {got}",
    )
    got, _ = _decoded(answer, [5] * 400, max_length=6)
    require(len(got) != 7, "at most length words: yours is one too many")
    require(
        got == [5] * 6,
        f"a model that never says <eos>: stop after max_length = 6 words, you have {len(got)}",
    )
    got, _ = _decoded(answer, [END, 5, 5], max_length=6)
    require(got == [], f"<eos> at once is an empty list, and you have {got}")


def _decoded(answer, script, max_length):
    """What the answer returns for a model that says the script, and what it was fed."""
    fed = []

    def step(token, state):
        if len(fed) > 300:
            raise RuntimeError("it does not stop: bound the loop, whatever the model says")
        fed.append((int(np.asarray(token).reshape(-1)[0]), int(state)))
        logits = np.zeros(9)
        logits[script[min(len(fed) - 1, len(script) - 1)]] = 5.0
        return logits, state + 1

    words = call(answer, step, 0, max_length)
    try:
        return [int(word) for word in words], fed
    except (TypeError, ValueError):
        require(False, f"return a list of word ids, not {words!r}")
