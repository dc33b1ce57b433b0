"""Exercises of lab 05b: BLEU, beam search, a reversing bug, input feeding, a bias, tuning."""

from collections import Counter

import numpy as np
from keras import ops

from course_utils.checks import open_shapes, parts, ready, symbolic, vectors
from course_utils.data.base import END, START
from course_utils.exercises import exercise, require
from lectures import lecture_05b
from lectures.lecture_05 import translation
from lectures.lecture_05.translators import LuongDecoder, reverse_words

COUNTED = "(runs & known).total()"
SHARES = "np.log(shared / all_runs)"
MEAN = f"np.exp({SHARES}.mean())"
PENALTY = "min(1.0, np.exp(1 - needed / written))"


def _clipped_over_the_set(hypotheses, references):
    """BLEU that lets an n-gram of one sentence be found in another one's reference."""
    logs = []
    for n in range(1, 5):
        said, known = (
            Counter(tuple(t[k : k + n]) for t in texts for k in range(len(t) - n + 1))
            for texts in (hypotheses, references)
        )
        logs.append(np.log((said & known).total() / said.total()))
    written, needed = (sum(map(len, texts)) for texts in (hypotheses, references))
    return 100 * min(1.0, np.exp(1 - needed / written)) * np.exp(np.mean(logs))


OWN = "compare each sentence with its own reference alone"
PRECISION = "precision: divide by the n-grams of the hypotheses"


@exercise(
    "05b.1",
    lecture_05b.bleu,
    mistakes=[
        (COUNTED, "sum(times for run, times in runs.items() if run in known)",
         "not clipped: an n-gram counts at most as often as its reference has it"),
        (COUNTED, "len(runs.keys() & known.keys())",
         "count every occurrence, not each different n-gram once"),
        (lambda h, r: np.mean([lecture_05b.bleu([x], [y]) for x, y in zip(h, r, strict=True)]),
         "count over the whole set, then divide once"),
        (PENALTY, "1.0", "the brevity penalty is missing"),
        (PENALTY, "np.exp(1 - needed / written)", "the penalty is at most 1"),
        (MEAN, "np.mean(shared / all_runs)", "a geometric mean: the product's fourth root"),
        (MEAN, "np.prod(shared / all_runs)", "the fourth root of the product is missing"),
        (SHARES, f"{SHARES}[:2]", "n-grams of one to four words"),
        ("100 * ", "", "from 0 to 100"),
        (lambda h, r: lecture_05b.bleu(r, h), PRECISION),
        ("+= runs.total()", "+= known.total()", PRECISION),
        ("needed / written", "written / needed",
         "the penalty is for translations that are short: exp(1 − r / l)"),
        (MEAN, "np.prod(shared / all_runs) / 4", "** 1 / 4 divides by 4: write ** (1 / 4)"),
        (lambda h, r: lecture_05b.bleu([sum(h, [])], [sum(r, [])]),
         "no n-gram runs over the end of a sentence"),
        ("min(1.0", "max(1.0", "the penalty is at most 1: min, not max"),
        (MEAN, f"{SHARES}.mean()", "exp is missing: that is the mean of the logarithms"),
        ("len(words) - n + 1", "len(words)",
         "the runs at the end are shorter than n words: there are len(words) − n + 1"),
        ("len(words) - n + 1", "len(words) - n",
         "the last n-gram is missing: there are len(words) − n + 1"),
        ("(said, wanted)", "(said, sum(([*text, None] for text in references), []))", OWN),
        (_clipped_over_the_set, OWN),
    ],
    compares="BLEU",
    takes=12,
    level=3,
    hints=["collections.Counter of tuples counts n-grams; (a & b) takes the smaller counts.",
           "Sum both counts over the set for each n, divide, then the geometric mean."],
    reasoning="Four precisions over the set, clipped, their geometric mean, and the penalty.",
    solved="sacrebleu gives the same number for texts that are tokenised alike.",
)  # fmt: skip
def _texts(draw):
    for hypotheses, references in (
        (
            ["le chat noir dort", "a a b c d e f"],
            ["le chat noir dort ici", "a b c d e f g h i"],
        ),
        (["a b c d e", "x y x y z w u"], ["a b c d", "x y z w v"]),
        (["a b c d e", "x y", "z"], ["a b c d e f", "x y w", "z"]),  # shorter than four words
    ):
        yield [x.split() for x in hypotheses], [x.split() for x in references]
    words = [[str(word) for word in draw.integers(0, 2, 30)] for _ in range(4)]
    yield words[:2], [words[2][:25], words[3]]


class Chain:
    """A language model over a few tokens: log-probabilities that hang on the last two."""

    def __init__(self, seed, words=6, end=0.6):
        draw = np.random.default_rng(seed)
        self.table = draw.normal(size=(words, words, words)) * 1.5
        self.table[..., : START + 1] = -9  # no pads, no <sos>
        self.table[..., END] += end

    def __repr__(self):
        return f"a model of {len(self.table)} words"

    def step(self, token, state):
        scores = self.table[state, token]
        return scores - np.log(np.exp(scores).sum()), token


IN_ALL = "keep num_beams candidates in all, not of each beginning: else they multiply"


def _searched(search, chain, /, num_beams, max_length):
    calls = []

    def step(token, state):
        calls.append(1)
        require(len(calls) <= num_beams * (max_length + 1), IN_ALL)
        return chain.step(int(token), int(state))

    given = search(step, START, num_beams, max_length)
    words, score = parts(given, "return two: the words and the score")
    require(np.ndim(words) == 1 and np.ndim(score) == 0, "the words come first, as a list")
    return [int(word) for word in words], score


SCORE = "total / ((5 + length) / 6) ** 0.6"
GROWN = "[(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]"
BY = "key=lambda one: one[0], reverse=True)"
OPEN = "[one for one in kept if one[1][-1] != END]"
ASIDE = (  # edits: what is finished stays in the beam
    "for total, tokens, before in open_:",
    "for total, tokens, before in open_:\n            if tokens and tokens[-1] == END:\n"
    "                grown.append((total, tokens, before))\n                continue",
    f"open_ = {OPEN}", "open_ = kept",
    "else [one for one in kept if one[1][-1] == END]", "else []",
    "5 + length", "5 + len(tokens)",
    "finished grow no more and are put aside: they take no place in the next beam",
)  # fmt: skip


@exercise(
    "05b.2",
    lecture_05b.beam_search,
    mistakes=[
        (SCORE, "total", "the length penalty is missing"),
        (SCORE, "total / length", "divide by ((5 + n) / 6)^0.6, not by n"),
        (SCORE, "total", "one: one[0])\n    return",
         "one: one[0] / ((5 + len(one[1])) / 6) ** 0.6)\n    return",
         "return the score that won: divided by ((5 + n) / 6)^0.6"),
        ("5 + length", "4 + length", "n counts END, too"),
        ("5 + length", "6 + length", "n does not count START"),
        ("[:num_beams]", "[:1]", "that is greedy decoding: keep num_beams candidates"),
        ("if not open_:", "if not open_ or len(finished) >= num_beams:",
         "it stops at num_beams finished ones: an open one may still win"),
        ("[:num_beams]", "[: num_beams - len(finished)]",
         "the beam keeps its width: num_beams at every step"),
        ("if not open_:", "if not open_ or finished:",
         "it stops at the first finished one: a better one may be open"),
        ("kept if length == max_length else", "",
         "max(finished", f"max(finished or [({SCORE}, tokens) for total, tokens, _ in kept]",
         "what is still open at the end counts as finished"),
        (" + 1):", " + 2):", "== max_length", "== max_length + 1",
         "max_length tokens at most: yours is one too many"),
        ("total + p", "p", "add up the log-probabilities of all tokens"),
        ("total + p", "total - p", "the log-probabilities of the tokens are added"),
        ("[:num_beams]", "", GROWN, f"sorted({GROWN}, {BY}[:num_beams]", IN_ALL),
        ("after) for", "(after, total)) for",
         "START, before)", "START, before[0] if tokens else before)",
         f"grown, {BY}", "grown, key=lambda one: one[0] - one[2][1], reverse=True)",
         "sort by the log-probability of all tokens, not by that of the last word"),
        ASIDE,
        ("lambda one: one[0], r", "lambda one: one[0] / ((5 + len(one[1])) / 6) ** 0.6, r",
         *ASIDE),
        ("if not open_:", "if not open_ or finished and max(finished)[0] >= "
         "max(one[0] for one in open_) / ((5 + length) / 6) ** 0.6:",
         "it stops while an open one may still win: its score can rise as it grows"),
        ("word], after)", "word], before)",
         "each beginning goes on with the state of its own step"),
        ("tokens[-1] if tokens else START", "START",
         "a beginning's last token is what its step reads"),
        ("[token for token in tokens if token != END]", "tokens", "leave END out of the words"),
    ],
    compares=("the list of words", "the score"),
    takes=20,
    level=4,
    hints=["Keep a list of (log-probability, tokens, state); start with [(0.0, [], state)].",
           "Grow all, sort, keep num_beams; those that end in END move to a list of finished."],
    reasoning="Log-probabilities add up; a beginning carries its own state along.",
    solved="With one beam it is greedy decoding; with all of them it would be exact.",
    run=_searched,
)  # fmt: skip
def _searches(draw):
    for beams, length, end in ((3, 6, 0.6), (2, 3, -2.0), (4, 7, 1.5), (1, 5, 0.6)):
        yield Chain(int(draw.integers(1, 1000)), end=end), beams, length
    yield Chain(191, words=8, end=-1.0), 9, 4  # other words, and more beams than these
    yield Chain(172, end=0.3), 2, 6  # a finished one leaves one beam fewer: another result
    yield Chain(11, end=0.3), 2, 6  # the best log-probability is not the best score
    yield Chain(60), 3, 6  # what is finished, or pruned by beginnings, changes the result
    yield Chain(41, end=0.3), 2, 6  # the best open one's score rises again
    yield Chain(8, end=0.3), 2, 6  # the last word alone misleads
    yield Chain(20, end=0.3), 2, 6


def _of_ids(reverse_words):
    return lambda x: reverse_words(ops.cast(x, "int32"))


TURNED = "ops.where(positions < words, words - 1 - positions, positions)"


@exercise(
    "05b.3",
    reverse_words,
    mistakes=[
        (lambda ids: ids[:, ::-1], "the pads stand in front now: leave them at the end"),
        (lambda ids: ids[::-1], "that reverses the sentences of the batch, not their words"),
        (lambda ids: ids[::-1, ::-1], "reverse each row; the sentences keep their order"),
        (lambda ids: [row[row != 0][::-1] for row in ids], "fill the rows up with pads again"),
        (lambda ids: ids, "nothing is reversed"),
        (lambda ids: ids[:, ::-1] * (ids != 0), "the pads moved in front, under the mask"),
        (TURNED, "ops.maximum(words - 1 - positions, 0)", "pads are 0"),
        ("keepdims=True)", "keepdims=True) - 1", "the last word moves"),
        ("positions < words, words - 1", "(positions > 0) & (positions < words), words",
         "the first word moves"),
    ],
    properties=[open_shapes(_of_ids, (None,), advice="use `ops` alone, no NumPy, and "
                            "ops.shape(ids)")],
    compares="the rows of ids",
    takes=6,
    level=3,
    hints=["Word k of a row with n words moves to position n − 1 − k; a pad stays.",
           "positions = ops.arange(ids.shape[1]); ops.where(…); ops.take_along_axis."],
    reasoning="Each row has its own number of words, so each row has its own new positions.",
    solved="Where pads stand is part of a tensor's meaning: check it after every reordering.",
)  # fmt: skip
def _rows(draw):
    for batch, tokens in ((3, 4), (4, 6), (1, 5)):
        ids = draw.integers(4, 30, size=(batch, tokens))
        ids[0, :2] = 1, 3  # <unknown> and <eos> are no pads
        yield ids * (np.arange(tokens) < np.array([[tokens], [tokens - 2], [1], [0]])[:batch])


def _reading(Decoder):
    layer = ready(Decoder, (4,), (2, 3, 8), (2, 8), (2, 3, 4))
    return lambda x: layer.call(x, x[:, 0], x[..., :4], x[..., 0] < 9)[0]


def _decoded(Decoder, words, state, encoded, mask):
    layer = ready(Decoder, (encoded.shape[-1],), words.shape, state.shape, encoded.shape)
    return layer.step(*map(ops.convert_to_tensor, (state, words, encoded, mask)))


STEPPED = "state = self.cell(ops.concatenate([word, found], axis=-1), [state])[0]"
LOOKED = "found = self.attend(state[:, None], encoded, value_mask=mask)[:, 0]"
AFTER = "ops.concatenate([state, found], axis=-1)"


@exercise(
    "05b.4",
    LuongDecoder,
    mistakes=[
        ("[state])[0]", "[state])", "self.cell returns the new state and a list: take [0]"),
        (AFTER, "(state, found)", "return both side by side, one tensor: ops.concatenate"),
        (f"{STEPPED}\n        {LOOKED}", f"{LOOKED}\n        {STEPPED}",
         "first step, then attend, with the new state"),
        ("ops.concatenate([word, found], axis=-1)", "word",
         "the GRU reads ã of the last step, too: [word; ã]"),
        ("state[:, None], encoded, value_mask=mask)[:, 0]", "state, encoded, value_mask=mask)",
         "self.attend takes (batch, 1, units): state[:, None], and [:, 0] takes it back"),
        ("[word, found]", "[word, 0 * found]",
         "the GRU reads ã of the last step, too: [word; ã]"),
        ("[word, found]", "[word, state]",
         "the GRU is fed with ã, not once more with the state"),
        ("[word, found]", "[found, word]", "the word comes first in [word; ã]"),
        ("state[:, None]", "before[:, None, : self.units]", "Luong attends with the new state"),
        ("value_mask=mask)[", "value_mask=None)[", "hand the mask of the source on"),
        ("[state, found]", "[found, state]", "return [s; ã], the state first"),
        ("found = self", "self", "return the new attention vector"),
        ("[state, found]", "[before[:, : self.units], found]",
         "return the new state, not the old one"),
        (" state, found =", " found, state =", "before is [s; ã], the state first"),
        (AFTER, "found", "return [s; ã], both"),
        (AFTER, f"{AFTER}[:, None]", "take the axis of the one step away: (batch, 2 · units)"),
    ],
    compares="[s; ã]",
    takes=8,
    level=3,
    hints=["ops.split(before, 2, axis=-1) gives s and ã.",
           "self.cell(inputs, [s])[0] is the new s; query it as [:, None], take [:, 0] back."],
    reasoning="One more input, and the state of the loop is the pair of both vectors.",
    solved="The next step now knows where this one attended.",
    run=_decoded,
    properties=[symbolic(_reading)],
    limit=120,
)  # fmt: skip
def _steps(draw):
    for batch, units, channels in ((2, 4, 4), (3, 5, 3), (1, 4, 3)):
        S = 8 - batch
        mask = np.arange(S) < np.array([[S], [3], [1]])[:batch]
        states = vectors(draw, batch, 2 * units), vectors(draw, batch, S, units)
        yield vectors(draw, batch, channels), *states, mask


SHARE = "counts / counts.sum()"


@exercise(
    "05b.6",
    translation.log_frequencies,
    mistakes=[
        ("targets[targets != PAD]", "targets.ravel()", "leave out pads"),
        (" + 0.5", "", "−∞: add 0.5 to a count"),
        ("+ 0.5", "+ 1", "half an occurrence, 0.5, not a whole one"),
        ("counts.sum()", "(targets != PAD).sum()", "divide by these counts' own sum"),
        ("+ 0.5", "+ 0.5 * (np.arange(vocab_size) > 0)", "0.5 for the pad, too"),
        (" + 0.5", "", SHARE, f"{SHARE} + 0.5", "add 0.5 to the counts, before you divide"),
        (SHARE, "counts[1:] / counts[1:].sum()", "the pad has an entry, too"),
        ("np.log", "", "the logarithm is missing"),
        (SHARE, "counts", "divide by the sum: these are counts, not shares"),
        ("np.log", "np.log2", "the softmax uses e: np.log"),
        (SHARE, f"{SHARE} / (1 - {SHARE})",
         "log(p / (1 − p)) suits a sigmoid; for a softmax the bias is log p"),
        ("return np", "return -np", "the sign: frequent, large bias"),
        (", minlength=vocab_size", "", "words that never occur need an entry, too: minlength"),
    ],
    compares="the bias",
    takes=5,
    level=2,
    hints=["np.bincount(…, minlength=…) counts.", "log(count / sum of all counts)."],
    reasoning="softmax(log p) = p, so with no other input the layer says the frequencies.",
    solved="The layer starts where it would have gone first.",
)  # fmt: skip
def _targets(draw):
    for words, rows, T in ((6, 3, 5), (9, 2, 7)):
        targets = draw.integers(1, words - 1, size=(rows, T))
        targets[0, 0] = 1  # <unknown> counts, too
        yield targets * (np.arange(T) < np.array([[T], [3], [1]])[:rows]), words


LUCK = {5: (0, 40, -30), 2: (-9, 9, -9), 6: (-12, -12, 60)}  # by setting and seed


def _tuned(choose, settings, seeds):
    """The chosen setting, and what the training, whose loss hangs on luck, was asked."""
    asked = []

    def validation_loss(setting, seed):
        asked.append((setting, seed))
        return (setting - 3) ** 2 + LUCK.get(setting, (0, 0, 0))[seed % 3]

    return choose(validation_loss, list(settings), list(seeds)), sorted(asked)


CHOICE = "settings[int(np.argmin(means))]"


def _voted(validation_loss, settings, seeds):
    """The setting that wins with most seeds."""
    losses = np.array([[validation_loss(one, seed) for seed in seeds] for one in settings])
    return settings[int(np.bincount(losses.argmin(axis=0)).argmax())]


@exercise(
    "05b.5",
    lecture_05b.best_setting,
    mistakes=[
        ("np.mean", "min", "the best seed decides: that rewards luck; take the mean"),
        ("np.mean", "max", "the worst seed decides; take the mean"),
        ("argmin", "argmax", "the lowest loss is the best"),
        ("in seeds]", "in seeds[:1]]", "every setting gets all seeds"),
        ("np.mean", "np.median", "the mean, not the median"),
        ("np.mean", "", "in seeds]", "in seeds][-1]", "the last seed decides; take the mean"),
        ("in seeds]", "in range(len(seeds))]",
         "train with the seeds of the list, not with their positions in it"),
        (CHOICE, "int(np.argmin(means))", "return the setting, not its index"),
        (CHOICE, "min(means)", "return the setting, not its loss"),
        (_voted, "a vote of the seeds: it ignores by how much; take the mean"),
    ],
    compares=("the chosen setting", "the list of trainings"),
    takes=5,
    level=1,
    hints=["A mean for each setting over the seeds.", "np.argmin says which is the lowest."],
    reasoning="Equal budgets for all, and a choice that one lucky seed does not decide.",
    solved="The test part had no say in it: it is read once, after the choice.",
    run=_tuned,
)  # fmt: skip
def _grids(draw):
    yield [1, 5, 4, 2], [0, 1, 2]
    yield [8, 6, 4], [0, 1, 2]
    yield [9, 6, 5], [0, 1, 2]  # the worst seed decides otherwise than the mean square
    yield [8, 5, 7, 4], [2, 1]
    yield [8, 6, 5, 4], [2, 0, 1]
    yield [0.001, 0.008, 0.004], [0]  # learning rates, as below
    yield [60, 2, 5, 6], [4, 3, 5, 8]
    yield [70, 50, 90], [1, 2]  # all losses are large
