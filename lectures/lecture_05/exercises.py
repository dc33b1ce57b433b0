"""Exercises of lecture 05: teacher forcing, a loss, decoding, attention, training, a bug."""

import keras
import numpy as np
from keras import ops

from course_utils import data
from course_utils.checks import (
    kept_back,
    open_shapes,
    parts,
    ready,
    require_loss,
    vectors,
    watched_training,
)
from course_utils.data.base import END
from course_utils.exercises import Wrong, exercise, require
from course_utils.layers import BahdanauAttention, LuongAttention
from lectures import lecture_05
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import load_pairs

READ, WRITE, BOTH = "[START, *ids]", "[*ids, END]", "[START, *ids, END]"
PADS = "[0] * (width - 1 - len(ids))"


def _ids(shift, sentences):
    """What is read and what is to be written: arrays of int, which name words."""
    told = "return two arrays: what the decoder reads, and what it should write"
    both = parts(shift(sentences), told)
    for ids in both:
        require(isinstance(ids, np.ndarray), "return NumPy arrays: np.array(…)")
        require(ids.dtype.kind in "iu", "ids are whole numbers: make arrays of int, not float")
    return both


@exercise(
    "05.1",
    lecture_05.shift,
    mistakes=[
        (WRITE, READ, "not shifted: it would learn to copy its input"),
        (WRITE, BOTH, "(write)", "(write)[:, :-1]", "<sos> is read, never written"),
        (READ, BOTH, "(read)", "(read)[:, :-1]", "the decoder never reads <eos>"),
        ("np.array(read), np.array(write)", "np.array(write), np.array(read)",
         "exchanged: it reads <sos> first and writes <eos> last"),
        (WRITE, "[*ids, 0]", "<eos> is missing: it could never stop"),
        (READ, "[*ids, 0]", "the first word that it reads is <sos>"),
        (f"{READ} + {PADS}", f"{PADS} + {READ}", f"{WRITE} + {PADS}", f"{PADS} + {WRITE}",
         "the pads stand at the end of a row"),
        ("(read)", "(read)[:, :-1]", "(write)", "(write)[:, :-1]",
         "the longest sentence needs one more column for its mark"),
        (f"{WRITE} + {PADS}", f"ids + {PADS} + [END]",
         "<eos> stands right after the last word, before the pads"),
        (f"{READ} + {PADS}", READ.replace("]", "] + [END] * (width - 1 - len(ids))"),
         f"{WRITE} + {PADS}", WRITE.replace("]", "] + [END] * (width - 1 - len(ids))"),
         "a pad is 0; END stands once in a row"),
        (" + [0] * (width - 1 - len(ids))", "", "fill the shorter rows up with 0"),
        ("1 + max(map(len, sentences))", "1 + len(sentences[0])",
         f"{READ} + {PADS}", f"({READ} + [0] * width)[:width]",
         f"{WRITE} + {PADS}", f"({WRITE} + [0] * width)[:width]",
         "the longest sentence sets the width, not the first one"),
    ],
    compares=("the decoder's input", "the decoder's target"),
    takes=5,
    level=1,
    hints=["A row is as wide as the longest sentence, plus one.", "[START, *ids], [*ids, END]"],
    reasoning="In each column stands what has just been read and what has to come next.",
    solved="One shift by one turns a sentence into as many predictions as it has words.",
    run=_ids,
)  # fmt: skip
def _id_lists(draw):
    yield ([[5, 7], [4]],)
    yield ([list(map(int, draw.integers(4, 30, n))) for n in (3, 6, 1)],)
    yield ([[1], []],)
    yield ([[9, 1, 8, 8]],)
    yield ([[7, 70_000], [5]],)  # more words than a small int can count


LARGEST_OFF = "logits = logits - logits.max(axis=-1, keepdims=True)"
LOG_P = "logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))"
MEAN = "losses[real].sum() / max(1, real.sum())"
AVERAGES = [
    ("losses.mean()", "the pads' losses take part: leave out the targets that are 0"),
    ("(losses * (targets != 0)).mean()", "more pads, less loss: divide by the real targets"),
    ("losses[targets != 0].sum()", "that is the sum: divide by the number of real targets"),
    ("(losses * (targets != 0)).sum() / len(targets)",
     "divide by all real targets, not sentences"),
    (f"-{MEAN}", "the sign: a loss is minus the logarithm"),
    ("losses * (targets != 0)", "one number is asked: the mean over the real targets"),
]  # fmt: skip
NAIVE = (LARGEST_OFF, "")  # right for small logits


@exercise(
    "05.2",
    lecture_05.masked_loss,
    mistakes=[
        *[(*edits, MEAN, average, told)
          for edits in ((), NAIVE) for average, told in AVERAGES],
        *[(*edits, "∞ or NaN for large logits: logits - log(sum(exp(logits))), the largest off "
           "first") for edits in (NAIVE, ("(log_p,", "(np.log(np.exp(log_p)),"))],
        ("(log_p,", "(np.log(np.exp(log_p) + 1e-9),",
         "a number added to p cuts large losses off: take logits - log(sum(exp(logits)))"),
        ("losses =", f"logits = np.exp(log_p); log_p = {LOG_P}; losses =",
         "the softmax is taken twice: a cross-entropy of logits has its own"),
        ("(log_p,", "(np.exp(log_p),", "take −log of p"),
        (LARGEST_OFF, "", LOG_P, "logits", "the softmax is missing"),
        ("axis=-1, k", "axis=1, k", "softmax over the words, axis -1"),
        ("logits.max(axis=-1, keepdims=True)", "logits.max()",
         "each position has its own largest logit: max(axis=-1, keepdims=True)"),
        (MEAN, "(losses.sum(axis=1) / real.sum(axis=1)).mean()",
         "a mean of the sentences' means: divide the sum of all by the number of all"),
        ("np.log(np.exp", "np.log2(np.exp", "the loss is in nats: np.log, not np.log2"),
        ("(log_p,", "(np.log(np.clip(np.exp(log_p), 1e-7, 1)),",
         "clipping p cuts large losses off: take logits - log(sum(exp(logits)))"),
        ("-np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]", "-log_p",
         MEAN, "losses[real].mean()",
         "the loss is −log p of the target alone: np.take_along_axis"),
    ],
    compares="the loss",
    takes=8,
    level=2,
    hints=["−log softmax at the target: np.take_along_axis.", "Divide by how many?"],
    reasoning="Losses of real positions alone are averaged; the largest logit off, none is ∞.",
    solved="Append pads to a batch: a right loss does not move.",
)  # fmt: skip
def _sentences(draw):
    sizes = ((3, 2), 5, 1), ((4,), 6, 1), ((6, 3, 2), 8, 3), ((4, 6, 2), 7, 400)
    for lengths, words, factor in sizes:
        targets = draw.integers(4, words, size=(len(lengths), max(lengths)))
        targets[0, 0] = 1  # an unknown word is one, too
        for row, length in zip(targets, lengths, strict=True):
            row[length - 1 :] = 0
            row[length - 1] = END
        yield factor * draw.normal(size=(*targets.shape, words)), targets


UNBOUND = "bound the loop: <eos> need not come, and at most max_length words are asked"


def _run(answer, script, max_length):
    """What the answer writes for a model that says the script, and what it fed the model."""
    tokens, states = [], []

    def step(token, state):
        require(len(tokens) < max_length + 9, UNBOUND)
        one = np.size(token) == 1 and np.asarray(token).dtype.kind in "iu"
        require(one, f"step takes the id of one word, the last one; yours gets {token!r}")
        tokens.append(int(np.asarray(token).reshape(())))
        states.append(state)
        logits = np.linspace(-0.9, -0.8, 9)  # below 0, as all of them may be
        logits[script[min(len(tokens), len(script)) - 1]] = -0.5
        return logits, f"state {len(tokens)}"

    return answer(step, "state 0", max_length), tokens, states


ENDED = "break", "return [*written, END]"


@exercise(
    "05.3",
    lecture_05.decode,
    mistakes=[
        ("range(max_length)", "range(max_length + 99)", UNBOUND),
        ("return written", "return None", "break", "return written",
         "return the words after the loop, too: <eos> need not come"),
        ("range(max_length)", "range(max_length + 1)",
         "at most max_length words: yours is one too many"),
        ("== END", "== -1", "it writes on after <eos>: stop there"),
        ("== END", "in (0, END)", "<eos> alone ends a sentence"),
        ("argmax", "argmin", "the most probable word has the largest logit"),
        ("return written", "", "return the list of words"),
        (*ENDED, "<eos> is a signal, not a word: leave it out"),
        ("START, []", "START, [START]", "<sos> was not written: no word"),
        ("step(token,", "step(START,", "step has to read the word that was just written"),
        ("logits, state = step", "logits, _ = step",
         "the state that step returns goes into the next step"),
        ("token, written = START", "token, written = 0", "the first token is <sos>, START"),
        ("range(max_length)", "range(max_length - 1)",
         "max_length words may be written: yours is one too few"),
        ("append(token)\n    return", "append(token)\n        return",
         "the `return` stands inside the loop: it ends after one word"),
        ("logits, state = step", "state, logits = step", "step returns the logits first"),
        ("logits, state = step", "logits = step", "step returns two things: logits, state"),
    ],
    compares=(
        "the list of words",
        "the list of tokens that `step` reads",
        "the list of states that `step` gets",
    ),
    takes=7,
    level=2,
    hints=["Four things can be forgotten.", "The state, the own word, the end, the bound."],
    reasoning="Each step reads the last word and state; END or the bound ends the loop.",
    solved="Its own words in, one word out, and a bound: so any model writes.",
    run=_run,
)  # fmt: skip
def _models(draw):
    yield [5, 7, 4, END, 6, 6, 6], 6
    yield [5, 8], 4
    yield [END, 5, 5], 6
    yield [5, 0, 6, 1, END], 6
    yield [7, 7], 1
    yield [6, 8], 30


TRANSPOSED = "the softmax goes over the source words, the last axis"
SCALED = "that is the scaled score of lecture 6: here nothing is divided by √d"
WEIGHTS = [  # of the scores; `real` is 1 at real tokens and 0 at pads
    ("soft(scores)", "nothing is masked yet: pads have weights"),
    ("soft(scores) * real",
     "mask the scores, before the softmax: so the rows sum to less than 1"),
    ("soft(scores * real)",
     "a score of 0 still gets the weight e⁰ = 1: a masked score has to be −∞"),
    ("soft(scores - 1e9 * real)", "you mask the real words: True means real"),
    ("soft(scores - 1e9 * (1 - real), -2)", TRANSPOSED),
    ("scores * real", "these are the scores: the softmax is missing"),
]  # fmt: skip
ROWS = "scores have a row for each word written: s @ hᵀ, not h @ sᵀ"
LARGEST, OWN_SUM = " - scores.max(axis=-1, keepdims=True)", "powers.sum(axis=-1, keepdims=True)"
ONE_SUM = "each row has its own sum: axis=-1, keepdims=True"
MASKED = "np.where(mask[:, None, :], scores, -np.inf)"
WEIGHED = (  # edits, before one of the weights above
    f"scores = {MASKED}", "real, soft = mask[:, None, :].astype(float), _softmax",
    "powers / powers.sum(axis=-1, keepdims=True)",
)  # fmt: skip


def _softmax(scores, axis=-1):
    return lecture_05.softmax(scores) if axis == -1 else lecture_05.softmax(scores.mT).mT


@exercise(
    "05.4",
    lecture_05.dot_attention,
    mistakes=[
        *[(*WEIGHED, weights, told) for weights, told in WEIGHTS],
        (LARGEST, "", MASKED, f"{MASKED}{LARGEST}",
         "NaN where a pad has the largest score: mask first, then take the largest off"),
        (LARGEST, " - scores.max()",
         "each row has its own largest score: scores.max(axis=-1, keepdims=True)"),
        ("-np.inf", "-100", "a score may be below −100: a masked one has to be −∞"),
        ("weights @ h", "weights @ h / h.shape[1]",
         "each row of weights sums to 1 already: no further division"),
        ("s @ np.swapaxes(h, 1, 2)", "h @ np.swapaxes(s, 1, 2)", ROWS),
        (LARGEST, "", "NaN for large scores: take each row's largest score off first"),
        (LARGEST, "", OWN_SUM, "powers.sum()", ONE_SUM),
        ("np.swapaxes(h, 1, 2)", "h.reshape(len(h), h.shape[2], -1)",
         "reshape does not exchange axes: np.swapaxes(h, 1, 2)"),
        (MASKED, "scores + (1 - mask[:, None, :]) * -np.inf",
         "0 · ∞ is NaN: put −∞ in place of a score with np.where, do not multiply"),
        ("(h, 1, 2)", "(h, 1, 2) / h.shape[-1] ** 0.5", SCALED),
        ("weights @ h", "weights @ s", "average the encoder's states, h"),
        ("weights, weights @ h", "weights @ h, weights",
         "the weights come first, then the contexts"),
        (OWN_SUM, "powers.sum()", ONE_SUM),
        ("mask[:, None, :]", "mask",
         "the mask needs an axis for the decoder's steps: mask[:, None, :]"),
        ("np.swapaxes(h, 1, 2)", "h.T", "h.T reverses all three axes: np.swapaxes(h, 1, 2)"),
    ],
    compares=("the weights", "the contexts"),
    takes=8,
    level=2,
    hints=["s @ np.swapaxes(h, 1, 2) has all scores; mask[:, None, :] fits them.",
           "np.where(…, scores, -np.inf), then exp, then divide by the sums of the rows."],
    reasoning="−∞ in place of a score gives the weight 0, and the others share the whole.",
    solved="Compare, softmax, average: that is all of attention.",
)  # fmt: skip
def _states(draw):
    for batch, T, S, d in [(1, 2, 3, 4), (2, 4, 3, 5), (3, 2, 6, 4)]:
        mask = np.arange(S) < np.array([[S - 1], [S], [1]])[:batch]
        mask[0, 0] = d == 4  # a mask tells pads, wherever they stand
        yield draw.normal(size=(batch, T, d)), draw.normal(size=(batch, S, d)), mask
    s, h = (40 * np.abs(draw.normal(size=(3, n, 4))) for n in (2, 7))  # exp overflows
    mask = np.arange(7) < np.array([[7], [6], [1]])
    yield s, np.where(mask[..., None], h, 900), mask
    yield s, -h, mask


def _attend(Layer, settings, s, h, mask):
    """Run a layer with drawn weights, asked for its weights and not; return both."""
    layer = ready(Layer, settings, s.shape, h.shape)
    both = layer(s, h, value_mask=mask, return_attention_scores=True)
    try:
        alone = layer(s, h)
    except Exception as error:
        raise Wrong("it fails without a mask: value_mask may be None") from error
    one = not isinstance(alone, tuple | list)
    require(one, "without return_attention_scores return one thing")
    return parts(both, "with return_attention_scores=True return two things")


def _general(Layer):
    return ready(Layer, (4, "general"), (2, 3, 4), (2, 5, 4))


def _additive(Layer):
    return ready(Layer, (4,), (2, 3, 4), (2, 5, 4))


def _masked(layer):
    """A layer of both kinds as a function of s and h, called without a mask and with one."""

    def call(s, h):
        layer(s, h)
        firsts = h[..., 0]
        return layer(s, h, value_mask=firsts < ops.max(firsts, axis=1, keepdims=True))

    return call


def _alike(one, other):
    return bool(ops.max(ops.abs(one - other)) < 1e-4)


def _any_way(build):
    """The property that no mask is one of ones, and the vectors are those asked alone."""

    def holds(answer):
        layer, draw = build(answer), np.random.default_rng(0)
        s, h, ones = vectors(draw, 2, 3, 4), vectors(draw, 2, 5, 4), np.ones((2, 5), bool)
        vector, weights = layer(s, h, value_mask=ones, return_attention_scores=True)
        told = "right, but not where value_mask is None: then all positions count"
        same = _alike(weights, layer(s, h, return_attention_scores=True)[1])
        require(same, told)
        told = "right, but without return_attention_scores the same vectors are asked"
        require(_alike(vector, layer(s, h, value_mask=ones)), told)
        some = np.arange(5) < np.array([[3], [4]])
        vector, _ = layer(s, h, value_mask=some, return_attention_scores=True)
        told += ": the mask counts there, too"
        require(_alike(vector, layer(s, h, value_mask=some)), told)

    return holds


def _real(mask):
    return 1.0 if mask is None else ops.cast(mask[:, None], "float32")


NO_TANH = "W_c has its tanh: not once more"
IN_LAYER = (  # edits, before one of the weights above
    "mask = None if value_mask is None else value_mask[:, None]",
    "mask, real, soft = None, _real(value_mask), ops.softmax",
    "masked_softmax(scores, mask)",
)
GIVES = [
    ("if return_attention_scores", "if False", "return two things"),
    ("if return_attention_scores", "if True", "return one thing"),
    ("weights) if", "weights)[::-1] if", "the weights come second"),
]
TRANSPOSE = "that is Wᵀ: the decoder's state meets W's rows, s @ W"
AXIS = "the mask needs an axis for the decoder's steps: value_mask[:, None]"
PROJECTED = 'query if self.score == "dot" else ops.matmul(query, self.W)'
VECTOR = "self.W_c(ops.concatenate([context, query], axis=-1))"


@exercise(
    "05.5",
    LuongAttention,
    mistakes=[
        *[(*IN_LAYER, weights, told) for weights, told in WEIGHTS],
        *GIVES,
        (PROJECTED, "query", "the general score needs W: (s W) · h"),
        ("(query, self.W)", "(query, ops.transpose(self.W))", TRANSPOSE),
        ("(projected,", "(projected / query.shape[-1] ** 0.5,", SCALED),
        (VECTOR, "context", "return ã = tanh([c; s] W_c), not the context"),
        ("[context, query]", "[query, context]", "c comes first in [c; s]"),
        ("[context, query]", "[context, context]", "c meets the state s: [c; s]"),
        ("[context, query]", "[context, projected]", "c meets the state s, not W's product"),
        (PROJECTED, "query", "swapaxes(value,",
         'swapaxes(value if self.score == "dot" else ops.matmul(value, self.W),', TRANSPOSE),
        ("projected, ops.swapaxes(value, -1, -2)", "value, ops.swapaxes(projected, -1, -2)",
         ROWS),
        (VECTOR, f"ops.tanh({VECTOR})", NO_TANH),
        (PROJECTED, "ops.matmul(query, self.W)", "only the general score has a W: self.score"),
        ("value_mask[:, None]", "value_mask", AXIS),
    ],
    properties=[
        _any_way(_general),
        open_shapes(lambda Layer: _masked(_general(Layer)), (None, 4), (None, 4)),
    ],
    compares=("the attention vectors", "the weights"),
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
    sizes = ("dot", 2, 4, 4), ("general", 2, 4, 4), ("general", 3, 5, 6)
    for score, batch, d_s, d_h in sizes:
        T, S = 2 * batch - 1, 3 + batch
        mask = np.arange(S) < np.array([[S], [3], [1]])[:batch]
        mask[0, 0] = batch == 2  # wherever the pads stand
        states = vectors(draw, batch, T, d_s), vectors(draw, batch, S, d_h)
        yield (4 + batch, score), *states, mask


def _attend_doubled(Layer, settings, s, h, mask):
    """Hand `attend` other keys than h W_h, so that one that makes its own is found out."""

    class Doubled(Layer):
        def attend(self, query, keys, *rest):
            return super().attend(query, 2 * keys, *rest)

    Doubled.__name__ = "BahdanauAttention"  # so that Keras' errors read the same
    return _attend(Doubled, settings, s, h, mask)


SCORES = "ops.squeeze(self.v(hidden), -1)"
LAST = "self.v leaves a last axis of length 1: drop it before the softmax, ops.squeeze(…, -1)"
EVERY = "every query meets every key: s W_s needs an axis for the keys, [:, :, None]"
ROWS_OF = "rows are queries, columns keys: self.W_s(query)[:, :, None] + keys[:, None]"


@exercise(
    "05.6",
    BahdanauAttention,
    mistakes=[
        *[(*IN_LAYER, weights, told) for weights, told in WEIGHTS],
        *GIVES,
        ("ops.tanh", "", "the tanh is missing: it is of the whole sum"),
        ("+ keys", "* keys", "additive: add the two, do not multiply"),
        ("zero_hidden(value, mask)", "keys",
         "average the values h; the keys are only compared"),
        ("+ keys", "+ self.W_h(value)", "the keys are given: W_h not once more"),
        ("self.W_s(query)", "query", "W_s is missing: self.W_s(query)"),
        ("ops.tanh", "", SCORES, f"ops.tanh({SCORES})", "the tanh stands inside: v · tanh(…)"),
        (SCORES, "ops.squeeze(self.v(hidden))",
         "with one query the axis of the queries goes, too: ops.squeeze(…, -1)"),
        (SCORES, "self.v(hidden)", "masked_softmax(scores, mask)",
         "ops.squeeze(ops.softmax(scores), -1)", LAST),
        (SCORES, "self.v(hidden)", LAST),
        (SCORES, "ops.sum(hidden, axis=-1)", "v is missing: self.v makes a score of the tanh"),
        ("[:, :, None] + keys[:, None]", "+ keys", EVERY),
        ("[:, :, None] + keys[:, None]", "[:, None] + keys[:, :, None]", ROWS_OF),
        ("value_mask[:, None]", "value_mask", AXIS),
    ],
    properties=[
        _any_way(_additive),
        open_shapes(lambda Layer: _masked(_additive(Layer)), (None, 4), (None, 4)),
    ],
    compares=("the contexts", "the weights"),
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
    for batch, T, d_s, d_h in ((2, 3, 4, 6), (3, 1, 5, 5)):
        S = 3 + batch
        mask = np.arange(S) < np.array([[S], [3], [1]])[:batch]
        mask[0, 0] = batch == 2  # wherever the pads stand
        states = vectors(draw, batch, T, d_s), vectors(draw, batch, S, d_h)
        yield (6,), *states, mask


def _reaches(train, pairs):
    """Require an exact match of 0.80 on sentences that the student's function never got."""
    shown, unseen = kept_back(pairs)
    with watched_training(shown, unseen=unseen, called="sentences") as training:
        new = lecture_05.translator("dot", pairs, lecture_05.OWN)
        try:
            model = training.trained(train(new, shown), new)
        except (TypeError, ValueError) as error:
            told = "pairs.train is no batch: fit takes cu.data.length_buckets(pairs.train, 64"
            require("Split" not in str(error), f"{told}, …)")
            raise
    require_loss(
        model,
        "the loss is not the cross-entropy of logits averaged over real words: "
        "SparseCategoricalCrossentropy with from_logits=True and ignore_class=0",
        len(pairs.vocabulary["target"]),
        words=not training.weighted,  # weights of 0 leave the pads out, too
    )
    texts = translation.translate(model, unseen.inputs["source"], pairs.vocabulary, 20)
    right = translation.exact_match(texts, unseen.columns["references"])
    training.reaches(right, 0.8, "exact match on new sentences")


def barely_trained(**how):
    """A training of one batch, with such a cross-entropy."""

    def train(model, given):
        if not isinstance(given, keras.utils.PyDataset):
            given = data.length_buckets(given.train, 64, same_steps=("target", "targets"))
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**how))
        model.train_on_batch(*given[0])
        return model

    return train


@exercise(
    "05.7",
    lecture_05.train_translator,
    mistakes=[
        (lambda model, pairs: {}, "return the model that you got"),
        (lambda model, pairs: model, "the model is not trained: call `fit`"),
        (barely_trained(), "from_logits=True"),
        (barely_trained(from_logits=True), "ignore_class=0"),
        (barely_trained(from_logits=True, ignore_class=0), "and 0.8 is asked"),
    ],
    takes=8,
    level=3,
    hints=["SparseCategoricalCrossentropy(from_logits=True, ignore_class=0) is the loss.",
           "Fifteen epochs, and cu.schedules.WarmupCosine(0.008, steps), which ends at 0."],
    reasoning="0.008 was the best of four rates on validation; the schedule ends at 0.",
    solved="Nobody told it which word belongs to which.",
    trains=_reaches,
    limit=600,
)  # fmt: skip
def pairs(draw):
    yield (load_pairs(max_words=9),)


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
    given = parts(given, "return three things: all states, the last, the mask", 3)
    encoded, last, mask = map(ops.convert_to_numpy, given)
    require(encoded.ndim == 3, "all states come first, then the last one")
    told = "return a state for each position of the batch, pads too"
    require(encoded.shape[:2] == source.shape, told)
    return encoded * (source != 0)[..., None], last, mask


REAL, WORDS = "ops.not_equal(source, 0)", "model.source_embedding(source)"


@exercise(
    "05.8",
    lecture_05.encode,
    mistakes=[
        (REAL, f"ops.any(ops.not_equal({WORDS}, 0.0), axis=-1)", "row 0 of an embedding is "
         "trained like any other, so no vector is zero: mask the ids"),
        ("not_equal", "equal", "the mask is True at real words"),
        ("(source, 0)", "(source, 1)", "a pad is 0; 1 is <unknown>"),
        (REAL, "source > 3", "0 alone is a pad; <unknown> is a word"),
        (f"{WORDS}, mask=mask", f"ops.where(mask[..., None], {WORDS}, 0.0)",
         "a pad of zeros still makes the encoder step"),
        (", mask=mask", "", "the encoder reads the pads, too: hand the mask on"),
        ("last, mask", "last, ops.ones_like(mask)", "attention needs the mask, too: return it"),
        ("last, mask", "last, mask[..., None]", "the mask has the shape (batch, S)"),
    ],
    compares=("the states", "the last state", "the mask"),
    takes=6,
    level=2,
    hints=["Print the mask of a padded sentence.", "What is the vector of the word 0?"],
    reasoning="Whether a position is a pad is known of the ids; vectors have forgotten it.",
    solved="Append pads and compare: a model with right masks does not notice.",
    run=_read,
)  # fmt: skip
def _sources(draw):
    source = draw.integers(1, 12, size=(3, 6)).astype("int32")
    source[0, 2], source[1, 1] = 1, 2
    yield source * (np.arange(6) < np.array([[3], [6], [1]]))
    yield source[:2]
    yield source[1:] * (np.arange(6) < 4)  # a batch that is padded further than it needs
    yield source[1:2, :4]
