"""Exercises of lecture 05: teacher forcing, a loss, decoding, attention, training, a bug."""

import contextlib
import dataclasses
import io

import keras
import numpy as np
from keras import ops

from course_utils import data, translation
from course_utils.data.base import END, START
from course_utils.exercises import Wrong, exercise, require
from course_utils.layers import BahdanauAttention, LuongAttention
from course_utils.lectures import lecture_05


def _shift(read=lambda ids: [START, *ids], write=lambda ids: [*ids, END], more=1, front=False):
    """Teacher forcing with other rows, another width, or pads in front."""

    def answer(sentences):
        width = more + max(map(len, sentences))
        parts = [[row(ids) for ids in sentences] for row in (read, write)]
        return tuple(np.array([_padded(row, width, front) for row in rows]) for rows in parts)

    return answer


def _padded(row, width, front):
    pads = [0] * (width - len(row))
    return (pads + row if front else row + pads)[:width]


def _marks_behind(sentences):
    """<eos> behind the pads instead of behind the words."""
    read, write = _shift()(sentences)
    return read, np.array([[*row[row != END], END] for row in write])


@exercise(
    "05.1",
    lecture_05.shift,
    mistakes=[
        (_shift(write=lambda x: [START, *x]), "not shifted: it would learn to copy its input"),
        *[(_shift(write=lambda x: [START, *x, END], more=n), "<sos> is read, never written")
          for n in (1, 2)],
        (_shift(lambda x: [START, *x, END], lambda x: [START, *x, END], 2),
         "the two rows differ: one has <sos>, the other <eos>"),
        *[(_shift(read=lambda x: [START, *x, END], more=n), "the decoder never reads <eos>")
          for n in (1, 2)],
        (_shift(lambda x: [*x, END], lambda x: [START, *x]),
         "exchanged: it reads <sos> first and writes <eos> last"),
        (_shift(write=lambda x: x), "<eos> is missing: it could never stop"),
        (_shift(read=lambda x: x), "the first word that it reads is <sos>"),
        (_shift(read=lambda x: [END, *x]), "it reads START first, not END"),
        (_shift(write=lambda x: [*x, START]), "it writes END last, not START"),
        (_shift(front=True), "the pads stand at the end of a row"),
        (_shift(more=0), "the longest sentence needs one more column for its mark"),
        (_shift(more=2), "one column too many: the longest row is its words and one mark"),
        (lambda x: tuple(np.where(row, row, -1) for row in _shift()(x)), "a pad is a 0"),
        (_marks_behind, "<eos> stands right behind the last word, before the pads"),
    ],
    takes=5,
    level=1,
    hints=["A row is as wide as the longest sentence, plus one.", "[START, *ids], [*ids, END]"],
    reasoning="In each column stands what has just been read and what has to come next.",
    solved="One shift by one turns a sentence into as many predictions as it has words.",
)  # fmt: skip
def _id_lists(draw):
    yield ([[5, 7], [4]],)
    yield ([list(map(int, draw.integers(4, 30, n))) for n in (3, 6, 1)],)


def _log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _overflowing(logits):
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _mean(losses, y):
    return losses[y != 0].mean()


def _loss(average=_mean, log=_log_softmax):
    def answer(logits, targets):
        at_targets = np.take_along_axis(log(logits), targets[..., None], axis=-1)[..., 0]
        return average(-at_targets, targets)

    return answer


def _added(number):
    return lambda e: np.log(np.exp(_log_softmax(e)) + number)


AVERAGES = [
    (lambda e, y: e.mean(), "the pads' losses take part: leave out the targets that are 0"),
    (lambda e, y: (e * (y != 0)).mean(), "more pads, less loss: divide by the real targets"),
    (lambda e, y: e[y != 0].sum(), "that is the sum: divide by the number of real targets"),
    (lambda e, y: (e * (y != 0)).sum() / len(y), "divide by all real targets, not sentences"),
    (lambda e, y: np.mean([_mean(*row) for row in zip(e, y, strict=True)]),
     "a mean of the sentences' means gives a short sentence's words too much weight"),
    (lambda e, y: e[(y != 0) & (y != END)].mean(), "<eos> has to be predicted, too"),
    (lambda e, y: e[y == 0].mean(), "these are the losses of the pads: real targets are not 0"),
    (lambda e, y: np.exp(_mean(e, y)), "that is the perplexity: the loss is its logarithm"),
    (lambda e, y: -_mean(e, y), "the sign: a loss is minus the logarithm"),
    (lambda e, y: _mean(e, y) / np.log(2), "that is in bits: take the natural logarithm"),
    (lambda e, y: e * (y != 0), "one number is asked: the mean over the real targets"),
]  # fmt: skip
LOGS = (
    *(_log_softmax, _overflowing, lambda e: np.log(np.exp(_log_softmax(e)))),
    lambda e: np.log(np.exp(e) / np.exp(e).sum(axis=-1, keepdims=True)),
)
PLAIN = [  # logits taken for probabilities, as JAX and as TensorFlow do it
    lambda e: np.log(np.clip(e / e.sum(axis=-1, keepdims=True), 1e-7, 1 - 1e-7)),
    lambda e: _log_softmax(np.log(np.clip(e, 1e-7, 1 - 1e-7))),
]
INFINITE = "∞ or NaN for large logits: logits - log(sum(exp(logits))), the largest off first"
ADDED = "a number added to p cuts large losses off: take logits - log(sum(exp(logits)))"


def _quietly(answer, *arguments):
    with np.errstate(all="ignore"):
        return answer(*arguments)


@exercise(
    "05.2",
    lecture_05.masked_loss,
    mistakes=[
        *[(_loss(average, log), told) for log in LOGS for average, told in AVERAGES],
        *[(_loss(log=log), INFINITE) for log in LOGS[1:]],
        *[(_loss(log=_added(10.0**-n)), ADDED) for n in range(6, 13)],
        *[(_loss(log=log), "the outputs are logits: from_logits=True") for log in PLAIN],
        (_loss(log=lambda e: _log_softmax(np.exp(_log_softmax(e)))),
         "the softmax is taken twice: a cross-entropy of logits has its own"),
        (_loss(log=lambda e: np.exp(_log_softmax(e))), "take −log of p"),
        (_loss(log=lambda e: np.exp(_log_softmax(e)) - 1), "a loss is −log p, not 1 − p"),
        (_loss(log=lambda e: e), "the softmax is missing"),
        (_loss(log=lambda e: _log_softmax(e.swapaxes(1, 2)).swapaxes(1, 2)),
         "softmax over the words, axis -1"),
    ],
    takes=8,
    level=2,
    hints=["−log softmax at the target: np.take_along_axis.", "Divide by how many?"],
    reasoning="Losses of real positions alone are averaged; the largest logit off, none is ∞.",
    solved="Append pads to a batch: a right loss does not move.",
    run=_quietly,
)  # fmt: skip
def _sentences(draw):
    for lengths, words, factor in [((3, 2), 5, 1), ((6, 3, 2), 8, 3), ((6, 4, 2), 7, 400)]:
        targets = draw.integers(4, words, size=(len(lengths), lengths[0]))
        for row, length in zip(targets, lengths, strict=True):
            row[length - 1 :] = 0
            row[length - 1] = END
        yield factor * draw.normal(size=(*targets.shape, words)), targets


def _run(answer, script, max_length):
    """What the answer returns for a model that says the script, and what it fed the model."""
    fed = []

    def step(token, state):
        if len(fed) > max_length + 2:
            raise RuntimeError("step was called more than max_length times")
        fed.append((int(np.asarray(token).reshape(-1)[0]), state))
        logits = np.linspace(0, 0.1, 9)
        logits[script[min(len(fed), len(script)) - 1]] = 0.5
        return logits, state + 1

    return answer(step, 0, max_length), fed


def _decoder(
    first=START, own=True, keep=True, eos=False, sos=False, more=0, stop=(END,), best=np.argmax
):
    """Decoding with a mistake; more: steps after the bound."""

    def decode(step, state, max_length):
        token, written = first, [START] if sos else []
        for _ in range(max_length + more):
            logits, new = step(token if own else first, state)
            state, token = new if keep else state, int(best(logits))
            written.append(token)
            if token in stop:
                return written if eos else written[:-1]
        return written

    return decode


def _none_at_the_bound(step, state, max_length):
    words = lecture_05.decode(step, state, max_length)
    return words if len(words) < max_length else None


@exercise(
    "05.3",
    lecture_05.decode,
    mistakes=[
        *[(_decoder(more=99, eos=n), "bound the loop: <eos> need not come") for n in (0, 1)],
        (_none_at_the_bound, "return the words after the loop, too: <eos> need not come"),
        (_decoder(more=1), "at most max_length words: yours is one too many"),
        (_decoder(more=-1), "max_length words are allowed: yours is one too few"),
        *[(_decoder(stop=n), "it writes on after <eos>: stop there") for n in ((), (0,))],
        (_decoder(stop=(0, END)), "<eos> alone ends a sentence"),
        (_decoder(best=lambda x: x[3:].argmax() + 3), "take the largest logit, of all words"),
        (_decoder(best=lambda x: x[1:].argmax() + 1), "take the largest logit, of all words"),
        (_decoder(best=np.argmin), "the most probable word has the largest logit"),
        (lambda *given: (lecture_05.decode(*given), None)[1], "return the list of words"),
        (_decoder(eos=True), "<eos> is a signal, not a word: leave it out"),
        *[(_decoder(sos=True, eos=n), "<sos> was not written: no word") for n in (0, 1)],
        (_decoder(own=False), "step has to read the word that was just written"),
        (_decoder(keep=False), "the state that step returns goes into the next step"),
        *[(_decoder(first=token), "the first token is <sos>, START") for token in (0, 1, END)],
    ],
    takes=7,
    level=2,
    hints=["Four things can be forgotten.", "The state, the own word, the end, the bound."],
    reasoning="Each step reads the last word and state; END or the bound ends the loop.",
    solved="Its own words in, one word out, and a bound: so any model writes.",
    run=_run,
)
def _models(draw):
    yield [5, 7, 4, END, 6, 6, 6], 6
    yield [5, 8], 4
    yield [END, 5, 5], 6
    yield [5, 0, 2, 1, END], 6


LESS = "mask the scores, before the softmax: so the rows sum to less than 1"
ZERO = "a score of 0 still gets the weight e⁰ = 1: a masked score has to be −∞"
UNMASKED = "nothing is masked yet: pads have weights"
INVERTED = "you mask the real words: True means real"
TRANSPOSED = "the softmax goes over the source words, the last axis"
SCALED = "that is the scaled score of lecture 6: here nothing is divided by √d"
WEIGHTS = [  # of (scores, real, softmax): weights with a mistake
    (lambda e, real, softmax: softmax(e), UNMASKED),
    (lambda e, real, softmax: softmax(e) * real, LESS),
    (lambda e, real, softmax: softmax(e * real), ZERO),
    (lambda e, real, softmax: softmax(e - 1.0 * (1 - real)), "−1 is not enough: take −∞"),
    (lambda e, real, softmax: softmax(e - 1e9 * real), INVERTED),
    (lambda e, real, softmax: softmax(e - 1e9 * real) * (1 - real), INVERTED),
    (lambda e, real, softmax: softmax(e, -2), TRANSPOSED),
    (lambda e, real, softmax: softmax(e - 1e9 * (1 - real), -2), TRANSPOSED),
    (lambda e, real, softmax: e * real, "these are the scores: the softmax is missing"),
]


def _dot(weigh=None, average=lambda a, e, s, h: a @ h, give=lambda a, c: (a, c), score=None):
    """Dot attention in NumPy with other weights, averages, results or scores."""

    def answer(s, h, mask):
        e, real = (score or _scores)(s, h), mask[:, None, :].astype(float)
        alpha = weigh(e, real, _softmax) if weigh else _softmax(e - 1e9 * (1 - real))
        return give(alpha, average(alpha, e, s, h))

    return answer


def _over(powers, total):
    return powers / total(powers, axis=-1, keepdims=True)


def _scores(s, h):
    return s @ h.swapaxes(1, 2)


def _softmax(scores, axis=-1):
    return lecture_05.softmax(scores) if axis == -1 else lecture_05.softmax(scores.mT).mT


@exercise(
    "05.4",
    lecture_05.dot_attention,
    mistakes=[
        *[(_dot(weigh), told) for weigh, told in WEIGHTS],
        (_dot(lambda e, real, _: np.exp(e) * real), "divide each row by its sum"),
        (_dot(lambda e, real, softmax: _over(softmax(e - 1e9 * (1 - real)), np.max)),
         "divide each row by its sum"),
        (_dot(lambda e, real, _: _over(np.where(real, np.exp(e), 0), np.sum)),
         "NaN for large scores: take each row's largest score off first"),
        (_dot(lambda e, real, softmax: softmax(e, -2) + 0 * np.log(real)), TRANSPOSED),
        (_dot(lambda e, real, softmax: softmax(e - 1e9 * real)
              + 0 * np.log(1 - real.min(axis=-1, keepdims=True))), INVERTED),
        (_dot(score=lambda s, h: s @ h.reshape(len(h), h.shape[2], -1)),
         "reshape does not exchange axes: np.swapaxes(h, 1, 2)"),
        (_dot(lambda e, real, softmax: softmax(e + (1 - real) * -np.inf)),
         "0 · ∞ is NaN: put −∞ in place of a score with np.where, do not multiply"),
        (_dot(score=lambda s, h: 3**-0.5 * _scores(s, h)), SCALED),
        (_dot(average=lambda a, e, s, h: e @ h), "average by the weights, not by the scores"),
        (_dot(average=lambda a, e, s, h: a.mT @ s), "average the encoder's states, h"),
        (_dot(average=lambda a, e, s, h: a @ s), "average the encoder's states, h"),
        (_dot(give=lambda a, c: c), "return two arrays: weights, contexts"),
        (_dot(lambda e, real, softmax: softmax(np.where(real, e, -10))),
         "−10 is not enough: take −∞"),
        (_dot(give=lambda a, c: (a.mT, c)), "the weights are (batch, T, S), not (batch, S, T)"),
        (_dot(give=lambda a, c: (c, a)), "the weights come first, then the contexts"),
    ],
    takes=8,
    level=2,
    hints=["s @ np.swapaxes(h, 1, 2) has all scores; mask[:, None, :] fits them.",
           "np.where(…, scores, -np.inf), then exp, then divide by the sums of the rows."],
    reasoning="−∞ in place of a score gives the weight 0, and the others share the whole.",
    solved="Compare, softmax, average: that is all of attention.",
    run=_quietly,
)  # fmt: skip
def _states(draw):
    for T, S, d in [(4, 3, 3), (3, 3, 3), (2, 6, 3)]:
        mask = np.arange(S) < np.array([[S], [S - 1], [1]])
        yield draw.normal(size=(3, T, d)), draw.normal(size=(3, S, d)), mask
    s, h = (40 * np.abs(draw.normal(size=(3, n, 3))) for n in (2, 7))  # exp overflows
    mask = np.arange(7) < np.array([[7], [6], [1]])
    yield s, h * mask[..., None], mask


def _weigh(scores, value_mask, weigh=None):
    real = 1.0 if value_mask is None else ops.cast(value_mask[:, None], scores.dtype)
    return weigh(scores, real, ops.softmax) if weigh else ops.softmax(scores - 1e9 * (1 - real))


def _pair(vector, weights, asked):
    return (vector, weights) if asked else vector


def _luong(weigh=None, project=None, average=ops.matmul, join=None, give=_pair):
    """Luong's layer with other weights, scores, averages, attention vectors or results."""

    class Layer(LuongAttention):
        def call(self, query, value, value_mask=None, return_attention_scores=False):
            s = query if self.score == "dot" else ops.matmul(query, self.W)
            s = project(self, query, s) if project else s
            scores = ops.matmul(s, ops.swapaxes(value, -1, -2))
            weights = _weigh(scores, value_mask, weigh)
            c = average(weights, value)
            vector = self.W_c(ops.concatenate([c, query], axis=-1))
            vector = join(self, c, query, s) if join else vector
            return give(vector, weights, return_attention_scores)

    return _named(Layer, LuongAttention)


def _named(Layer, like):
    """The layer under the student's class's name, so that Keras' errors read the same."""
    Layer.__name__ = like.__name__
    return Layer


def _joined(order=lambda c, q, s: [c, q], squash=lambda x: x):
    return lambda self, *given: squash(self.W_c(ops.concatenate(order(*given), axis=-1)))


def _attend(Layer, arguments, s, h, mask):
    """Run a layer with drawn weights, asked for its weights and not; return both."""
    layer = Layer(*arguments)
    layer.build(s.shape, h.shape)
    draw = np.random.default_rng(0)
    layer.set_weights([draw.normal(0, 0.5, weight.shape) for weight in layer.weights])
    both = layer(s, h, value_mask=mask, return_attention_scores=True)
    try:
        alone = layer(s, h)
    except Exception as error:
        raise Wrong("it fails without a mask: value_mask may be None") from error
    some = tuple | list
    pair = isinstance(both, some) and len(both) == 2
    require(pair, "with return_attention_scores=True return two things")
    require(not isinstance(alone, some), "without return_attention_scores return one thing")
    return tuple(both)


GIVES = [
    (lambda v, a, asked: v, "return two things"),
    (lambda v, a, asked: (v, a), "return one thing"),
    (lambda v, a, asked: (a, v) if asked else v, "the weights come second"),
]


@exercise(
    "05.5",
    LuongAttention,
    mistakes=[
        *[(_luong(weigh), told) for weigh, told in WEIGHTS],
        *[(_luong(give=give), told) for give, told in GIVES],
        (_luong(project=lambda self, query, s: query), "the general score needs W: s · (W h)"),
        (_luong(project=lambda self, query, s: ops.matmul(query, ops.transpose(self.W))
                if self.score == "general" else s),
         "that is Wᵀ: the decoder's state meets W's rows, s @ W"),
        (_luong(project=lambda self, query, s: s / query.shape[-1] ** 0.5), SCALED),
        (_luong(join=lambda self, c, q, s: c), "return ã = tanh(W_c [c; s]), not the context"),
        (_luong(join=_joined(lambda c, q, s: [q, c])), "c comes first in [c; s]"),
        (_luong(join=_joined(lambda c, q, s: [c, c])), "c meets the state s: [c; s]"),
        (_luong(join=_joined(lambda c, q, s: [c, s])), "ã joins c and s itself, not s W"),
        (_luong(join=_joined(squash=ops.tanh)), "W_c has its tanh already: not twice"),
    ],
    takes=8,
    level=3,
    hints=["scores = ops.matmul(query or query W, ops.swapaxes(value, -1, -2)).",
           "masked_softmax(scores, value_mask[:, None]); mind that the mask may be None."],
    reasoning="The NumPy of 05.4, with W for the general score and W_c for the vector.",
    solved="Every translator below that says dot or general runs on this layer.",
    run=_attend,
    limit=120,
)  # fmt: skip
def _luong_inputs(draw):
    for score, d_s, d_h in [("dot", 4, 4), ("general", 4, 4), ("general", 4, 5)]:
        mask = np.arange(5) < np.array([[5], [3]])
        shapes = (2, 3, d_s), (2, 5, d_h)
        yield ((6, score), *(draw.normal(size=x).astype("float32") for x in shapes), mask)


def _bahdanau(
    hidden=lambda q, k: ops.tanh(q + k),
    weigh=None,
    average="value",
    give=_pair,
    project=lambda self, query: self.W_s(query),
    score=lambda self, x: self.v(x)[..., 0],
):
    class Layer(BahdanauAttention):
        def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
            scores = score(self, hidden(project(self, query)[:, :, None], keys[:, None]))
            weights = _weigh(scores, value_mask, weigh)
            c = ops.matmul(weights, value if average == "value" else keys)
            return give(c, weights, return_attention_scores)

    return _named(Layer, BahdanauAttention)


def _attend_doubled(Layer, *given):
    """Hand `attend` other keys than W_h h, so that one that makes its own is found out."""

    class Doubled(Layer):
        def attend(self, query, keys, *rest):
            return super().attend(query, 2 * keys, *rest)

    return _attend(_named(Doubled, BahdanauAttention), *given)


@exercise(
    "05.6",
    BahdanauAttention,
    mistakes=[
        *[(_bahdanau(weigh=weigh), told) for weigh, told in WEIGHTS],
        *[(_bahdanau(give=give), told) for give, told in GIVES],
        (_bahdanau(lambda q, k: q + k), "the tanh is missing: it is of the whole sum"),
        (_bahdanau(lambda q, k: ops.tanh(q * k)), "additive: add the two, do not multiply"),
        (_bahdanau(lambda q, k: ops.tanh(q - k)), "additive: add the two, do not subtract"),
        (_bahdanau(lambda q, k: ops.relu(q + k)), "squash by tanh, not by a ReLU"),
        (_bahdanau(lambda q, k: ops.sigmoid(q + k)), "squash by tanh, not by the sigmoid"),
        (_bahdanau(lambda q, k: ops.tanh(k + 0 * q)), "the query has to stand inside the tanh"),
        (_bahdanau(lambda q, k: ops.tanh(q + 0 * k)), "the keys, W_h h, are missing"),
        (_bahdanau(average="keys"), "average the values h; the keys are only compared"),
        (_bahdanau(lambda q, k: ops.tanh(q + k / 2)), "the keys are given: W_h not once more"),
        (_bahdanau(project=lambda self, query: query), "W_s is missing: self.W_s(query)"),
        (_bahdanau(score=lambda self, x: ops.sum(x, axis=-1)), "v weighs the units: self.v"),
        (_bahdanau(lambda q, k: q + k, score=lambda self, x: ops.tanh(self.v(x)[..., 0])),
         "the tanh stands inside: v · tanh(…)"),
    ],
    takes=7,
    level=3,
    hints=["self.W_s(query)[:, :, None] + keys[:, None] has (batch, T, S, units).",
           "self.v makes (batch, T, S, 1) of its tanh: drop the last axis, then as in 05.5."],
    reasoning="Every query meets every key by broadcasting; v turns each sum into one score.",
    solved="The translator of Bahdanau's paper attends with these lines.",
    run=_attend_doubled,
    limit=120,
)  # fmt: skip
def _bahdanau_inputs(draw):
    mask = np.arange(5) < np.array([[5], [3]])
    for d_s, d_h in ((4, 6), (6, 6)):
        shapes = (2, 3, d_s), (2, 5, d_h)
        yield ((6,), *(draw.normal(size=x).astype("float32") for x in shapes), mask)


def _reaches(train):
    """Run a student's training and say what is missing; True where 0.90 is reached."""
    if train is lecture_05.train_translator:  # trained in the notebook, not at every check
        return True
    with contextlib.redirect_stdout(io.StringIO()):
        pairs = data.load_pairs(max_words=9)
    keras.utils.set_random_seed(0)
    shown, unseen = (pairs.val.take(slice(start, None, 2)) for start in (0, 1))
    new = lecture_05.translator("dot", pairs, lecture_05.OWN)
    try:
        model = train(new, dataclasses.replace(pairs, val=shown))
    except ValueError as error:
        told = "pairs.train is no batch: fit takes cu.data.length_buckets(pairs.train, 64)"
        require("Split(" not in str(error), told)
        raise
    require(isinstance(model, keras.Model), "return the trained model")
    require_loss(model)
    texts = translation.translate(model, unseen.inputs["source"], pairs.vocabulary, 20)
    right = translation.exact_match(texts, unseen.columns["references"])
    require(
        right >= 0.9,
        f"exact match on validation sentences is {right:.2f}, and 0.90 is asked. If the loss "
        "falls slowly, try a learning rate three times as large or more epochs; if it stays "
        "above 1 or jumps up and down, a smaller one, or one that falls to 0.",
    )
    return True


def require_loss(model):
    """Refuse a model that is not compiled, or whose loss is another one than the lecture's."""
    require(getattr(model, "optimizer", None), "compile the model first, then train it")
    logits, words = np.array([[[0.0, 2.0, 1.0]] * 2]), np.array([[1, 0]])
    loss = float(model.compute_loss(y=words, y_pred=ops.convert_to_tensor(logits)))
    require(abs(loss - 1.4076) > 1e-3, "pads count in the loss: ignore_class=0")
    require(
        abs(loss - 0.4076) < 1e-3,
        "the loss is not the cross-entropy of logits averaged over real words: "
        "SparseCategoricalCrossentropy with from_logits=True and ignore_class=0",
    )


def compiled(**how):
    """A training that only compiles, with such a cross-entropy."""

    def train(model, data):
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**how))
        return model

    return train


@exercise(
    "05.7",
    lecture_05.train_translator,
    mistakes=[
        (lambda model, pairs: {}, "return the trained model"),
        (lambda model, pairs: model, "compile the model first"),
        (compiled(), "from_logits=True"),
        (compiled(from_logits=True), "ignore_class=0"),
        (compiled(from_logits=True, ignore_class=0), "try a learning rate"),
    ],
    takes=8,
    level=3,
    hints=["SparseCategoricalCrossentropy(from_logits=True, ignore_class=0) is the loss.",
           "Fifteen epochs, and cu.schedules.WarmupCosine(0.008, steps), which ends at 0."],
    reasoning="Keras' embeddings start small, so the usual 0.001 leaves the plateau too late.",
    solved="Nobody told it which word belongs to which.",
    run=_reaches,
    limit=600,
)  # fmt: skip
def no_arguments(draw):
    yield ()


def _encode(mask=None, masked=True, shown=lambda mask: mask, zeroed=False):
    """Reading with another mask, without one, with pads of zeros, or returning another."""

    def encode(model, source):
        words = model.source_embedding(source)
        found = mask(source, words) if mask else ops.not_equal(source, 0)
        words = ops.where(found[..., None], words, 0.0) if zeroed else words
        encoded, last = model.encoder(words, mask=found if masked else None)
        return encoded, last, shown(found)

    return encode


class Reader:
    """What `encode` needs of a translator, with an encoder that takes no time to compile."""

    def __init__(self):
        self.table = np.random.default_rng(0).normal(size=(12, 5)).astype("float32")

    def source_embedding(self, ids):
        return ops.take(self.table, ids, axis=0)

    def encoder(self, words, mask=None):
        state, states = ops.zeros_like(words[:, 0]), []
        for t in range(words.shape[1]):
            new = ops.tanh(words[:, t] + 0.5 * state)
            state = new if mask is None else ops.where(mask[:, t, None], new, state)
            states.append(state)
        return ops.stack(states, axis=1), state


def _read(encode, source):
    """What `encode` returns; of the states only those at real words."""
    given = encode(Reader(), source)
    three = isinstance(given, tuple | list) and len(given) == 3
    require(three, "return three things: all states, the last, the mask")
    encoded, last, mask = map(ops.convert_to_numpy, given)
    require(encoded.ndim == 3, "all states come first, then the last one")
    return encoded * (source != 0)[..., None], last, mask


WORDS = "row 0 of an embedding is trained like any other, so no vector is zero: mask the ids"


@exercise(
    "05.8",
    lecture_05.encode,
    mistakes=[
        (_encode(lambda ids, words: ops.any(ops.not_equal(words, 0.0), axis=-1)), WORDS),
        (_encode(lambda ids, words: ops.any(ops.abs(words) > 1e-6, axis=-1)), WORDS),
        (_encode(lambda ids, words: ops.equal(ids, 0)), "the mask is True at real words"),
        (_encode(lambda ids, words: ops.not_equal(ids, 1)), "a pad is 0; 1 is <unknown>"),
        (_encode(lambda ids, words: ids > 3), "0 alone is a pad; <unknown> is a word"),
        (_encode(masked=False, zeroed=True), "a pad of zeros still makes the encoder step"),
        (_encode(masked=False), "the encoder reads the pads, too: hand the mask on"),
        (_encode(shown=ops.ones_like), "attention needs the mask, too: return it"),
        (_encode(shown=lambda mask: mask[..., None]), "the mask has the shape (batch, S)"),
    ],
    takes=6,
    level=2,
    hints=["Print the mask of a padded sentence.", "What is the vector of the word 0?"],
    reasoning="Whether a position is a pad is known of the ids; vectors have forgotten it.",
    solved="Append pads and compare: a model with right masks does not notice.",
    run=_read,
)
def _sources(draw):
    source = draw.integers(1, 12, size=(3, 6)).astype("int32")
    source[0, 2], source[1, 1] = 1, 2
    yield source * (np.arange(6) < np.array([[3], [6], [1]]))
    yield source[:2]
