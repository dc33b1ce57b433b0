"""The exercises of lecture 05: dot attention, a mask, a masked loss, a score, decoding."""

import numpy as np

from course_utils.data.base import END, START
from course_utils.exercises import exercise
from course_utils.lectures import lecture_05
from course_utils.lectures.lecture_05 import general_score, softmax

ROOT = "that is the scaled score of lecture 6: here nothing is divided by √d"


def _attend(weigh=softmax, average=lambda alpha, scores, s, h: alpha @ h, both=True):
    """Dot attention; average: of weights, scores, decoder's and encoder's states."""

    def answer(s, h):
        scores = s @ h.T
        found = average(weigh(scores), scores, s, h)
        return (weigh(scores), found) if both else found

    return answer


@exercise(
    "05.1",
    lecture_05.dot_attention,
    mistakes=[
        (_attend(lambda scores: softmax(scores.T).T), "the softmax is over S, axis 1"),
        (_attend(lambda scores: _weights(scores, None)), "each row of weights sums to 1"),
        (_attend(lambda scores: scores), "these are the scores: the softmax is missing"),
        (_attend(np.exp), "divide the exponentials by the sum of their row"),
        (_attend(lambda scores: scores / scores.sum(axis=1, keepdims=True)), "exp is missing"),
        (lambda s, h: _attend()(s / s.shape[1] ** 0.5, h), ROOT),
        (_attend(average=lambda a, e, s, h: e @ h), "average by the weights, not the scores"),
        (_attend(average=lambda a, e, s, h: a.T @ s), "average the encoder's states"),
        (_attend(average=lambda a, e, s, h: a @ s), "average the encoder's states"),
        (_attend(average=lambda a, e, s, h: a.T @ h), "row t of α belongs to word t: no .T"),
        (_attend(both=False), "return two arrays: (weights, contexts)"),
        (lambda s, h: _attend()(s, h)[::-1], "the weights come first, then the contexts"),
    ],
    takes=3,
    level=2,
    hints=["Compare all states by one matrix product.", "Over which axis do weights sum to 1?"],
    reasoning="Row t of the scores compares word t with all of the source; so row by row.",
    solved="Compare, softmax, average: that is all of attention.",
)
def _states(draw):
    for T, S, d in [(2, 3, 2), (4, 3, 5), (3, 3, 2)]:
        yield draw.normal(size=(T, d)), draw.normal(size=(S, d))


def _quietly(answer, *arguments):
    with np.errstate(all="ignore"):
        return answer(*arguments)


def _weights(scores, axis=-1, largest=np.max):
    powers = np.exp(scores - largest(scores, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _overflowing(scores, axis=-1):
    return _weights(scores, axis, largest=lambda *_, **__: 0)


WEIGH = _weights, _overflowing


def _again(scores, real, weigh):
    weights = weigh(scores) * real
    return weights / weights.sum(axis=-1, keepdims=True)


def _filled(fill):
    return lambda e, real, weigh: weigh(np.where(real, e, fill))


LARGE = "large scores overflow: take each row's largest real score off first"
LESS = "that is not small enough for all scores: take −∞"
NAN = "0 · ∞ is NaN: put −∞ in place of a score (np.where), do not multiply"
TWICE = "a large score of a pad leaves 0 / 0: mask the scores, before the softmax"
MASKS = [
    (lambda e, real, weigh: weigh(e), "nothing is masked yet: pads have weights"),
    (lambda e, real, weigh: weigh(e) * real, "mask the scores: so rows sum to less than 1"),
    (_again, TWICE),
    (_filled(0), "a score of 0 still gets the weight e⁰ = 1: a masked score has to be −∞"),
    *[(_filled(fill), LESS) for fill in (-1, -10, -100)],
    *[(lambda e, real, weigh, n=n: weigh(e - n * (1 - real)), LESS) for n in (1, 10, 100)],
    (lambda e, real, weigh: weigh(np.where(real, -np.inf, e)), "you mask the real words"),
    (lambda e, real, weigh: weigh(e + (1 - real) * -np.inf), NAN),
    (lambda e, real, weigh: weigh(e * np.where(real, 1, -np.inf)), NAN),
    (lambda e, real, weigh: weigh(np.where(real, e, -np.inf), 1), "softmax over S, not over T"),
    (
        lambda e, real, weigh: weigh(np.where(real.mT, e, -np.inf)),
        "it fits S: mask[:, None, :]",
    ),
]


def _masked(change, weigh=_overflowing):
    return lambda scores, mask: change(scores, mask[:, None, :], weigh)


@exercise(
    "05.2",
    lecture_05.masked_weights,
    mistakes=[
        *[(_masked(change, weigh), told) for weigh in WEIGH for change, told in MASKS],
        *[(_masked(_filled(fill)), LARGE) for fill in (-np.inf, -1e9)],
        (lambda e, mask: _masked(_filled(-np.inf))(e - e.max(), mask), LARGE),
    ],
    takes=5,
    level=2,
    hints=["Which score has the weight 0?", "mask[:, None, :] fits (batch, T, S)."],
    reasoning="−∞ in place of a score gives the weight 0, and the others share the whole.",
    solved="Mask before the softmax, and the rows add up to 1 by themselves.",
    run=_quietly,
)
def _scores(draw):
    mask = np.arange(4) < np.array([[4], [2], [1]])
    for T, factor in [(4, 1), (4, 20), (4, 800), (5, 800)]:
        yield factor * draw.normal(size=(3, T, 4)), mask


def _log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _mean(losses, y):
    return losses[y != 0].mean()


def _product(losses, y):
    return (losses * (y != 0)).sum() / (y != 0).sum()


def _added(number, weigh):
    return lambda e: np.log(weigh(e) + number)


def _loss(average=_mean, log=_log_softmax):
    def answer(logits, targets):
        at_targets = np.take_along_axis(log(logits), targets[..., None], axis=-1)[..., 0]
        return average(-at_targets, targets)

    return answer


LOGS = [
    _log_softmax,
    lambda e: np.log(_weights(e)),
    lambda e: np.log(_overflowing(e)),
    lambda e: e - np.log(np.exp(e).sum(axis=-1, keepdims=True)),
]
AVERAGES = [
    (lambda e, y: e.mean(), "the pads' losses take part: leave out the targets that are 0"),
    (lambda e, y: (e * (y != 0)).mean(), "more pads, less loss: divide by the real targets"),
    (lambda e, y: e[y != 0].sum(), "that is the sum: divide by the number of real targets"),
    (lambda e, y: (e * (y != 0)).sum() / len(y), "divide by all real targets, not sentences"),
    (
        lambda e, y: np.mean([_mean(*row) for row in zip(e, y, strict=True)]),
        "a mean of the sentences' means gives a short sentence's words too much weight",
    ),
    (lambda e, y: e[(y != 0) & (y != END)].mean(), "<eos> has to be predicted, too"),
    (lambda e, y: -_mean(e, y), "the sign: a loss is minus the logarithm"),
    (lambda e, y: _mean(e, y) / np.log(2), "that is in bits: take the natural logarithm"),
    (lambda e, y: e * (y != 0), "one number is asked: the mean over the real targets"),
]
INFINITE = "∞ or NaN for large logits: logits - log(sum(exp(logits))), the largest off first"
ADDED = "a number added to p cuts large losses off: take logits - log(sum(exp(logits)))"


@exercise(
    "05.3",
    lecture_05.masked_loss,
    mistakes=[
        *[(_loss(average, log), told) for log in LOGS for average, told in AVERAGES],
        *[(_loss(mean, log), INFINITE) for log in LOGS[1:] for mean in (_mean, _product)],
        *[(_loss(log=_added(10.0**-n, weigh)), ADDED) for n in range(6, 13) for weigh in WEIGH],
        *[(_loss(log=lambda e, n=n: n * _weights(e)), "take −log of p") for n in (1, -1)],
        (_loss(log=lambda e: _weights(e) - 1), "cross-entropy is −log p, not 1 − p"),
        (_loss(log=lambda e: e), "the softmax is missing"),
        (_loss(log=lambda e: np.log(_weights(e, axis=1))), "softmax over the words, axis -1"),
    ],
    takes=10,
    level=3,
    hints=["−log softmax at the target: np.take_along_axis.", "Divide by how many?"],
    reasoning="Losses of real positions alone are averaged; the largest logit off, none is ∞.",
    solved="Append pads to a batch: a right loss does not move.",
    run=_quietly,
)
def _sentences(draw):
    for lengths, words, factor in [((3, 2), 5, 1), ((6, 3, 2), 8, 3), ((6, 4, 2), 7, 400)]:
        targets = draw.integers(4, words, size=(len(lengths), lengths[0]))
        for row, length in zip(targets, lengths, strict=True):
            row[length - 1 :] = 0
            row[length - 1] = END
        yield factor * draw.normal(size=(*targets.shape, words)), targets


TURNS = ".T turns all axes round, the batch, too: np.swapaxes(keys, -1, -2)"
WT = "that is Wᵀ: the decoder's state meets W's rows"
AXES = np.transpose, np.matrix_transpose
DOT = "that is the dot score: W is missing"


@exercise(
    "05.4",
    general_score,
    mistakes=[
        (lambda q, k, W: q @ W @ k.T, TURNS),
        (lambda q, k, W: q @ (W @ k.T), TURNS),
        *[(lambda q, k, W, turn=turn: q @ W.T @ turn(k), WT) for turn in AXES],
        *[(lambda q, k, W, turn=turn: q @ turn(k), DOT) for turn in AXES],
        (lambda q, k, W: softmax(general_score(q, k, W)), "the scores: before the softmax"),
        (lambda q, k, W: np.tanh(general_score(q, k, W)), "tanh is in the additive score"),
        (lambda q, k, W: general_score(q, k, W).mT, "a row for each written word: (…, T, S)"),
        (lambda q, k, W: general_score(q, k, W) / W.shape[0] ** 0.5, ROOT),
    ],
    takes=3,
    level=2,
    hints=["Which side of W meets the decoder's state?", "Its shape says so if d_s ≠ d_h."],
    reasoning="s W is as wide as h; then every row meets every state, as in the dot score.",
    solved="One matrix learns which coordinates of s and h speak of the same.",
)
def _pairs(draw):
    for batch, d_s, d_h in [((), 2, 2), ((), 3, 2), ((2,), 3, 2)]:
        sizes = (*batch, 3, d_s), (*batch, 4, d_h), (d_s, d_h)
        yield tuple(draw.normal(size=size) for size in sizes)


def _run(answer, script, max_length):
    """What the answer returns for a model that says the script, and what it fed the model."""
    fed = []

    def step(token, state):
        if len(fed) > max_length + 2:
            raise RuntimeError("step was called more than max_length times")
        fed.append((int(np.asarray(token).reshape(-1)[0]), state))
        logits = np.zeros(9)
        logits[script[min(len(fed), len(script)) - 1]] = 5
        return logits, state + 1

    return answer(step, 0, max_length), fed


def _decoder(first=START, own=True, keep=True, eos=False, sos=False, more=0, stop=END):
    """Decoding with a fault; more: steps after the bound."""

    def decode(step, state, max_length):
        token, written = first, [START] if sos else []
        for _ in range(max_length + more):
            logits, new = step(token if own else first, state)
            state, token = new if keep else state, int(np.argmax(logits))
            written.append(token)
            if token == stop:
                return written if eos else written[:-1]
        return written

    return decode


def _none_at_the_bound(step, state, max_length):
    words = lecture_05.decode(step, state, max_length)
    return words if len(words) < max_length else None


@exercise(
    "05.5",
    lecture_05.decode,
    mistakes=[
        *[(_decoder(more=99, eos=n), "bound the loop: <eos> need not come") for n in (0, 1)],
        (_none_at_the_bound, "return the words after the loop, too: <eos> need not come"),
        (_decoder(more=1), "at most max_length words: yours is one too many"),
        (_decoder(more=-1), "max_length words are allowed: yours is one too few"),
        (_decoder(stop=None), "it writes on after <eos>: stop there"),
        (_decoder(eos=True), "<eos> is a signal, not a word: leave it out"),
        *[(_decoder(sos=True, eos=n), "<sos> was not written: no word") for n in (0, 1)],
        (_decoder(own=False), "step has to read the word that was just written"),
        (_decoder(keep=False), "the state that step returns goes into the next step"),
        *[(_decoder(first=token), "the first token is <sos>, START") for token in (0, 1, END)],
    ],
    takes=10,
    level=3,
    hints=["Four things can be forgotten.", "The state, the own word, the end, the bound."],
    reasoning="Each step reads the last word and state; END or the bound ends the loop.",
    solved="Its own words in, one word out, and a bound: so any model writes.",
    run=_run,
)
def _models(draw):
    yield [5, 7, 4, END, 6, 6, 6], 6
    yield [5, 8], 4
    yield [END, 5, 5], 6
