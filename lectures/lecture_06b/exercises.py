"""Exercises of lab 06b: byte pairs, masking, its loss, adapters, a reader, a leak, a law."""

import contextlib
import io
from collections import Counter
from unittest import mock

import keras
import numpy as np
from keras import ops
from scipy.optimize import curve_fit

from course_utils import models
from course_utils.checks import (
    learns_alike,
    loss_learns_alike,
    open_shapes,
    predicted,
    redrawn,
    require_no_penalty,
    vectors,
    watched_training,
)
from course_utils.data.base import Split
from course_utils.exercises import Wrong, exercise, require
from lectures import lecture_06b
from lectures.lecture_06b import (
    LowRank,
    balanced_sample,
    contaminated,
    count_pairs,
    merge,
    scaling,
    shipped,
)

FOUND = "tokens[place : place + 2] == [left, right]"
LIST = "return a list of tokens"
AS_FOUND = "left + right", '"".join(tokens[place : place + 2])'


def _list_of_tokens(merge, tokens, left, right):
    found = merge(tokens, left, right)
    require(found is None or isinstance(found, list), LIST)
    return found


@exercise(
    "06b.1",
    merge,
    mistakes=[
        ("2 if found else 1", "1", "after a merge move on by two: the right token is used up"),
        ("< len(tokens)", "< len(tokens) - 1", "the last token is lost where it is not merged"),
        (FOUND, "tokens[place] == left and place + 1 < len(tokens)", *AS_FOUND,
         "compare both tokens of the pair, not the left one alone"),
        ("== [left, right]", "== [right, left]", "`left` stands before `right`"),
        (FOUND, f"{FOUND} and left + right not in joined",
         "every occurrence of the pair is joined, not only the first"),
        (FOUND, '"".join(tokens[place : place + 2]) == left + right', *AS_FOUND,
         "compare both tokens of the pair: other two can give the same string"),
        ("left + right if", "right + left if", "the left token comes first"),
        ("return joined", 'return "".join(joined)', LIST),
        ("return joined", "return tuple(joined)", LIST),
        (lambda t, a, b: "".join(t).replace(a + b, f" {a + b} ").split(),
         "compare whole tokens: inside one joined string their boundaries are lost"),
        (lambda t, a, b: " ".join(t).replace(f"{a} {b}", a + b).split(" "),
         "only whole tokens may be joined: do not replace inside a string"),
    ],
    compares="the list of tokens",
    takes=5,
    level=2,
    hints=["By how much does the position move on?", "Compare tokens[place : place + 2]."],
    reasoning="A merge uses up two tokens; comparing whole ones keeps earlier boundaries.",
    solved="A byte-pair tokenizer is this merge, a few thousand times.",
    run=_list_of_tokens,
)  # fmt: skip
def tokens_and_pair(draw):
    cases = "a:a a, a a a:a a, n e w:x y, l o l o w:l o, ab c b c:b c, lo w:lo w, b a b a:a b"
    cases += ", a a b:a b, l ow:l o, w l ow:w l"
    cases += ", l a l o:l o, l ow lo w:lo w"
    for case in cases.split(", "):
        tokens, pair = case.split(":")
        yield tokens.split(), *pair.split()


def once_per_word(words, counts):
    """`count_pairs`, but each pair once per word, however often it stands in it."""
    pairs = Counter()
    for word, tokens in words.items():
        for pair in set(zip(tokens, tokens[1:], strict=False)):
            pairs[pair] += counts[word]
    return pairs


AGAIN = "count again after every merge: a merge changes the pairs"
TIES = "of equally common pairs take the one whose left token stands earlier in the vocabulary"
KEY = "(-pairs[pair], *map(vocabulary.index, pair))"


def _list_of_pairs(train_bpe, counts, merges, *more):
    found = train_bpe(counts, merges, *more)
    pairs = isinstance(found, list) and all(isinstance(pair, tuple) for pair in found)
    require(found is None or pairs, PAIRS)
    return found


PAIRS = "return a list of pairs, tuples (left, right)"
WHILE = "while len(learned) < merges and (pairs := count_pairs(words, counts)):"


@exercise(
    "06b.2",
    lecture_06b.train_bpe,
    mistakes=[
        ("words, learned", "pairs = None\n    words, learned",
         "pairs := ", "pairs := pairs or ",
         "learned.append(best)", "learned.append(best)\n        del pairs[best]",
         AGAIN),
        ("(words, counts)", "(words, dict.fromkeys(counts, 1))",
         "a word's pairs count as often as the word occurs"),
        ("count_pairs(", "once_per_word(",
         "a pair counts once per occurrence, also within one word"),
        ("-pairs", "pairs", "join the commonest pair"),
        (KEY, "-pairs[pair]", TIES),
        (KEY, "(-pairs[pair], pair)", TIES),
        (KEY, "(-pairs[pair], *map(vocabulary.index, pair[::-1]))", TIES),
        ("vocabulary.append(", "vocabulary.insert(0, ",
         "append a new token to the vocabulary: it stands last"),
        (lambda counts, merges, merge=merge: [pair for pair, _ in count_pairs(
            {word: list(word) for word in counts}, counts).most_common(merges)], AGAIN),
        (WHILE, "while len(learned) < merges:\n        pairs = count_pairs(words, counts)",
         "stop when no pair is left"),
        ("words = {word: merge(tokens, *best) for word, tokens in words.items()}", "",
         "merge returns a new list: every word of `words` needs it"),
        ('vocabulary.append("".join(best))', "pass",
         "the new token goes into the vocabulary: it decides ties"),
        ("min(pairs", "max(pairs", "-pairs", "pairs", TIES),
        ("sorted(set(", "list(dict.fromkeys(", "the vocabulary starts sorted"),
        ("return learned", 'return ["".join(pair) for pair in learned]', PAIRS),
        ("return learned", "return list(map(list, learned))", PAIRS),
        ("< merges", "< merges + 1", "that is one merge too many"),
    ],
    compares="the list of pairs",
    takes=8,
    level=3,
    hints=["Repeat: count_pairs(words, counts); min(pairs, key=…); merge in every word.",
           "key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)) settles ties, too."],
    reasoning="The commonest pair is joined everywhere, then everything is counted again.",
    solved="The library learns the same list; it only updates its counts more cleverly.",
    run=_list_of_pairs,
)  # fmt: skip
def words_and_merges(draw):
    yield {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 4, merge
    yield {"low": 5, "lower": 2, "newest": 6, "widest": 3}, 8
    yield {"aaa": 3, "aaaaa": 2, "abab": 4, "ababab": 1, "baa": 2, "bbbb": 3}, 6
    yield {"aB": 1, "c": 5}, 9  # letters stay as they are
    letters = draw.choice(list("abcd"), (9, 5))
    numbers = draw.integers(1, 9, 9).tolist()
    yield dict(zip(map("".join, letters), numbers, strict=True)), 7


NOISE, MASKS = "0.9 * share), noise, ", "0.8 * share), MASK, "
TARGETS = "np.where(chosen, ids, 0)"


@exercise(
    "06b.3",
    lecture_06b.hide_tokens,
    mistakes=[
        (f"inputs, {TARGETS}", f"{TARGETS}, inputs", "the inputs come first, then the targets"),
        ("len(SPECIAL)", "0", "never choose special tokens (ids 0 to 4)"),
        (TARGETS, "np.where(chosen, inputs, 0)",
         "the targets hold the ids from before the hiding"),
        (TARGETS, "np.where(chosen & (chance < 0.8 * share), ids, 0)",
         "positions that stay as they are were chosen, too: they have a target"),
        ("0.8 * share", "share", "only the first 80 % become <mask>"),
        ("0.9 * share", "0", "from 80 to 90 % the id of `noise` is due"),
        ("0.9 * share", "share", "the last 10 % stay as they are"),
        (f"{NOISE}ids", f"{MASKS}ids", f"{MASKS}inputs", f"{NOISE}inputs",
         "the noise has overwritten the masks"),
        ("chosen =", "share = 0.15\n    chosen =", "use `share`, not 0.15"),
        (TARGETS, "ids", "only chosen positions have a target: copying the others is free"),
        (TARGETS, "np.where(chosen, ids, -1)", "where nothing is asked, the target is 0"),
        (TARGETS, "np.where(chosen, 0, ids)",
         "the targets hold the ids at the chosen positions, and 0 elsewhere"),
        ("ids >= len", "ids > len", "5 is the first ordinary id: ids >= 5"),
        ("len(SPECIAL)", "MASK", "<mask>, id 4, is a special token, too: ids >= 5"),
        ("(chance < share)", "(chance <= share)", "chosen is where chance is *below* share"),
    ],
    compares=("the inputs", "the targets"),
    takes=7,
    level=3,
    hints=["Which positions are chosen, and what do the targets hold there?",
           "Inputs: noise where chance < 0.9 · share, then the mask where < 0.8 · share."],
    reasoning="All chosen positions are predicted, so every token needs a good state.",
    solved="One chosen position in ten is predicted although nothing was hidden there.",
)  # fmt: skip
def rows_to_hide(draw):
    for shape, share, size in [((1, 8), 0.15, 60), ((6, 40), 0.4, 50_000)]:
        ids, noise = draw.integers(5, size, shape), draw.integers(size, size + 39, shape)
        ids[:, 0], ids[:, 1], ids[::2, -3:], ids[-1, 2:4] = 2, 5, 0, (4, 1)
        parts = np.array([0.05, 0.3, 0.7, 0.83, 0.93, 1.5, 3]) * share
        chance = draw.choice(np.minimum(parts, 0.99), shape)
        chance[:, :6] = np.array([0.3, 0.3, 0.83, 0.93, 0.7, 0.93])[None] * share
        chance[0, 4 if len(ids) == 1 else 9] = share
        ids[3:, 0] = 7  # a row that does not begin with <sos>
        ids[0, 3] = 3
        yield ids, chance, noise, share


def scalar(answer, targets, logits):
    """The loss, which has to be one number, and a tensor."""
    found = answer(ops.convert_to_tensor(targets), ops.convert_to_tensor(logits))
    told = "return a tensor that `ops` has computed: training needs its gradient"
    require(found is None or ops.is_tensor(found), told)
    require(found is None or found.ndim == 0, "return one number, not one for each position")
    return found


ASKED = "ops.not_equal(targets, 0)"
LOGITS = "logits, from_logits=True)"
NUMBER = "ops.maximum(ops.sum(asked), 1)"
MEAN = f"ops.sum(losses * asked) / {NUMBER}"
IN_FIT = (
    "`fit` trains so, and hands over targets as float32: take `ops` alone, without float() or "
    "a loop over rows, and ops.cast(targets, 'int32') where whole numbers are needed"
)


@exercise(
    "06b.4",
    lecture_06b.prediction_loss,
    mistakes=[
        (ASKED, "ops.ones_like(targets)", "positions with target 0 do not count"),
        (MEAN, "ops.mean(losses * asked)", "divide by the number of positions asked for"),
        (NUMBER, "len(targets)", "divide by the number of positions, not of texts"),
        (f" / {NUMBER}", "", "that is the sum: divide by the number asked for"),
        (MEAN, f"float({MEAN})", "return a tensor"),
        # From what ops.softmax returns Keras would take the logits again.
        ("logits, from", "ops.exp(ops.log_softmax(logits)), from",
         "the logits went through a softmax twice"),
        (", from_logits=True", "", "the scores are logits: say from_logits=True"),
        ("not_equal", "equal", "those with target 0 are left out, not kept"),
        (MEAN, "losses * asked", "one number, not one for each position"),
        (MEAN, "ops.mean(ops.sum(losses * asked, axis=1) / ops.sum(asked, axis=1))",
         "a mean of the texts' means overrates texts with few targets: sum first"),
        (LOGITS, "ops.exp(logits) / ops.sum(ops.exp(logits), axis=-1, keepdims=True))",
         "exp of a large logit is infinite: hand the logits over, or take ops.log_softmax"),
        (LOGITS, "ops.softmax(logits) + 1e-7)",
         "an epsilon or a clipped probability bounds the loss: take ops.log_softmax"),
    ],
    compares="the loss",
    takes=4,
    level=2,
    hints=["keras.losses.sparse_categorical_crossentropy(…, from_logits=True) has no mean yet.",
           "Multiply by ops.cast(targets != 0, 'float32'); divide one sum by the other."],
    reasoning="Pads and unasked positions would be easy or meaningless questions.",
    solved="The denominator matters: a masked model is asked at few positions of a text.",
    properties=[
        open_shapes(lambda loss: loss, (None,), (None, 9), advice=IN_FIT),
        loss_learns_alike(lecture_06b.prediction_loss, 4, 9),
    ],
    run=scalar,
)  # fmt: skip
def targets_and_logits(draw):
    for *shape, words in ((2, 3, 9), (3, 7, 6)):
        targets = draw.integers(1, words, shape)
        targets[0, 1:] = 0
        targets[1, 0], targets[1, 1], targets[-1, -1] = 0, 2, 0
        logits = vectors(draw, *shape, words)
        yield targets.astype("int32"), 2 * logits
    yield targets.astype("int32"), 8 * logits + 300  # exp is infinite, losses are large


def adapted(Adapter, inputs, units, rank, scale, x):
    """What an adapter with drawn weights returns; a new one changes nothing, trains A and B."""
    dense = keras.layers.Dense(units)
    dense.build((None, inputs))
    before = ops.convert_to_numpy(dense(x))
    layer = Adapter(dense, rank, scale)
    new = np.abs(ops.convert_to_numpy(layer(x)) - before).max()
    told = "keep `self.dense`, the pre-trained layer: do not put a new one in its place"
    require(layer.dense is dense, told)
    kernel = any(weight is dense.kernel for weight in layer.trainable_weights)
    require(not kernel, "freeze the layer: self.dense.trainable = False")
    shapes = sorted(tuple(weight.shape) for weight in layer.trainable_weights)
    right = sorted([(inputs, rank), (rank, units)])
    require(
        shapes == right,
        f"with {inputs} inputs, rank {rank} and {units} units the trained weights are A "
        f"({inputs}, {rank}) and B ({rank}, {units}); "
        + (f"yours have the shapes {shapes}" if shapes else "yours has none"),
    )
    require(
        new < 1e-5,
        "a new adapter changes nothing: B starts at zero, y is dense(x) plus the update, and "
        "`scale` multiplies the update alone",
    )
    A, B = (next(w for w in layer.trainable_weights if tuple(w.shape) == s)
            for s in ((inputs, rank), (rank, units)))  # fmt: skip
    first = ops.convert_to_numpy(A)
    require(np.any(first), "A is sampled: if A is zero, B = 0 receives no gradient")
    require(first.size < 2 or np.ptp(first), "A is sampled: equal columns stay equal forever")
    draw = np.random.default_rng(0)
    for weight in (A, B, dense.kernel, dense.bias):
        weight.assign(draw.normal(0, 0.5, weight.shape))
    return layer(x)


def _both_learn(Adapter):
    """No gradient stops on the way to A and B, and nothing else stands in the loss."""
    layer, x = _on_eight(Adapter), np.ones((2, 3, 8), "float32")
    redrawn(layer)
    model = keras.Sequential([keras.Input((3, 8)), layer])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    before = [ops.convert_to_numpy(weight) for weight in layer.trainable_weights]
    with contextlib.suppress(ValueError):  # no gradient at all
        model.train_on_batch(x, np.zeros((2, 3, 5)))
    moved = [np.any(ops.convert_to_numpy(weight) != was)
             for weight, was in zip(layer.trainable_weights, before, strict=True)]  # fmt: skip
    require(all(moved), "no gradient reaches A and B: compute with `ops` on the weights")
    require_no_penalty(layer)
    told = "A and B are the only weights besides those of `dense`"
    require(len(layer.weights) == 4, told)


def _on_eight(Adapter):
    dense = keras.layers.Dense(5)
    dense.build((None, 8))
    layer = Adapter(dense, 2, 0.5)
    layer.build((None, None, 8))
    return layer


UPDATE = "self.scale * ops.matmul(ops.matmul(x, self.A), self.B)"


@exercise(
    "06b.5",
    LowRank,
    mistakes=[
        ("trainable = False", "trainable = True",
         "freeze the layer: self.dense.trainable = False"),
        ('"zeros"', '"ones"', "B starts at zero"),
        ("he_uniform", "zeros", "A is sampled: if A is zero"),
        ("he_uniform", "ones", "equal columns stay equal"),
        ("self.dense(x)", "ops.matmul(x, self.dense.kernel)",
         "the layer's bias is missing: call self.dense(x)"),
        ("self.dense(x) + ", "", "plus the update"),
        ("self.scale * ", "", "the factor `scale`"),
        (f" + {UPDATE}", "", "the update x A B is not added"),
        ("self.scale *", "self.scale / self.rank *",
         "here `scale` is the whole factor: do not divide by the rank"),
        ("ops.matmul(x, self.A)", "ops.relu(ops.matmul(x, self.A))",
         "no activation between A and B"),
    ],
    compares="the output",
    takes=8,
    level=3,
    hints=["Which shapes have A and B? self.add_weight takes shape and initializer.",
           "call: self.dense(x) + self.scale * ops.matmul(ops.matmul(x, self.A), self.B)."],
    reasoning="B = 0 keeps the pre-trained function; A ≠ 0 lets B receive a gradient.",
    solved="A matrix with d·d weights is tuned with 2·r·d; x A comes first, so it is cheap.",
    properties=[
        open_shapes(_on_eight, (None, 8)),
        _both_learn,
        learns_alike(LowRank, lambda Adapter: redrawn(_on_eight(Adapter)), (3, 8)),
    ],
    run=adapted,
)  # fmt: skip
def dense_layers(draw):
    for inputs, units, rank, scale, *texts in ((3, 2, 1, 0.5, 2, 4), (6, 5, 2, 3.0, 1, 3)):
        yield inputs, units, rank, scale, vectors(draw, *texts, inputs)


BEYOND = "reviews beyond the 400 whose labels you may use"


def _reads(train, few):
    """Run a student's training on 400 labels, and judge it on reviews that it may not use."""
    ids, labels = few.ids["train"], few.labels["train"]
    rows = balanced_sample(labels, 400, seed=0)
    others = np.setdiff1d(np.arange(len(ids)), rows)
    parts = {"train": Split(ids[rows], labels[rows]), BEYOND: ids[others]}
    parts |= {"validation": few.ids["val"], "test": few.ids["test"]}
    with watched_training(parts, called="reviews") as training, _nothing_shipped():
        model = training.trained(train(few))
    new, right = ids[others[:1000]], labels[others[:1000]]
    begun = np.where(np.arange(new.shape[1]) < 1, new, 0)
    logits, first = (predicted(model, ids, (2,), "logits") for ids in (new, begun))
    told = "the answer depends on the first token alone, which sees nothing in a causal encoder"
    require(not np.allclose(logits, first), f'{told}: sequence_classifier(…, pool="mean")')
    reached = (logits.argmax(-1) == right).mean()
    advice = (
        "Near 0.5 the encoder has learned too little or is not fine-tuned: look at the plot, "
        "how many epochs does pre-training need? Above it, train longer."
    )
    training.reaches(reached, 0.9, "accuracy on 1,000 new reviews", advice)


@contextlib.contextmanager
def _nothing_shipped():
    """Refuse the course's encoders, which are pre-trained."""

    def refused(*given, **settings):
        raise Wrong(told, told)

    told = "pre-train an encoder of your own: you load one that the course ships"
    with (
        mock.patch.object(models, "load_pretrained", refused),
        mock.patch.object(shipped, "load_pretrained", refused),
    ):
        yield


def _barely_trained(few, outputs=2, part="train", rows=slice(16), **how):
    encoder = lecture_06b.new_encoder(few.tokenizer, causal=True)
    model = lecture_06b.sequence_classifier(encoder, outputs, **how)
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    if part == "train":
        rows = balanced_sample(few.labels["train"], 400, seed=0)[rows]
    model.train_on_batch(few.ids[part][rows], few.labels[part][rows])
    return model


@exercise(
    "06b.6",
    lecture_06b.train_reader,
    mistakes=[
        (lambda few: {}, "return the trained model"),
        (lambda few: _barely_trained(few, 3), "the output should be (batch, 2), logits"),
        (lambda few: _barely_trained(few, part="val"), "you train on the validation reviews"),
        (lambda few: _barely_trained(few, part="test"), "you train on the test reviews"),
        (lambda few: _barely_trained(few, pool="first"), "sequence_classifier(…, pool="),
        (lambda few: _barely_trained(few, pool="mean"), "train longer"),
    ],
    takes=10,
    level=3,
    hints=[
        "Which curve is highest after four epochs? Four epochs of it are enough.",
        "sequence_classifier(encoder, 2, pool='mean'), Adam(2e-3), batches of 16, 16 epochs.",
    ],
    reasoning="At equal epochs the causal model that is asked everywhere is ahead on average.",
    solved="400 labels are enough for an encoder that has read 5,600 reviews before.",
    trains=_reads,
    limit=900,
)
def short_reviews(draw):
    with contextlib.redirect_stdout(io.StringIO()):  # the notebook has announced them
        few = lecture_06b.few_reviews()
    yield (few,)


def _flags(contaminated, corpus, texts, run):
    found = contaminated(corpus, texts, run)
    told = "return an array of bool, one for each text: np.array(…)"
    one_each = isinstance(found, np.ndarray) and found.dtype == bool and found.ndim == 1
    require(found is None or one_each, told)
    return found


def _keeps_nothing(contaminated):
    """What an earlier corpus held does not count for a later one."""
    texts = ["the end was near"]
    first, second = (contaminated([one], texts, 3)[0] for one in (texts[0], "we saw it twice"))
    told = "a run of an earlier corpus is still known: make the set anew at each call"
    require(first and not second, told)


RUN = "tuple(words[i : i + run])"
STARTS = "range(len(words) - run + 1)"
RUNS = f"{RUN} for i in {STARTS}"
WORDS = "words = tokenize(text)"
HIT = "not known.isdisjoint(runs(text))"


@exercise(
    "06b.7",
    contaminated,
    mistakes=[
        (RUNS, "tuple(words)",
         "whole texts hide a copy that is longer or shorter. Compare runs"),
        ("(runs(text))", "({tuple(tokenize(text)[:run])})",
         "look up every run of a text, not only the first one"),
        (STARTS, "range(0, len(words) - run + 1, run)",
         "a run may start at every word: runs overlap"),
        (STARTS, "range(len(words))", "the last runs of your list are shorter than `run`"),
        (STARTS, "range(max(len(words) - run, 0) + 1)",
         "a text of fewer words than `run` counts as clean"),
        (HIT, "any(len({*tokenize(one)} & {*tokenize(text)}) >= run for one in corpus)",
         "the words have to stand in a row, not somewhere in the same text"),
        (WORDS, "words = text.split()",
         "compare what `tokenize` gives: case and punctuation may differ"),
        (WORDS, "words = text.lower().split()", "punctuation may differ: use `tokenize`"),
        ("tuple(words[", '"".join(words[',
         "joined without blanks, other words can give the same string"),
        (STARTS, "range(len(words) - run)", "the last run of a text is missing"),
        (HIT, "bool(runs(text)) and runs(text) <= known", "one common run is enough, not all"),
        (HIT, f"len(tokenize(text)) < run or {HIT}",
         "a text of fewer words than `run` counts as clean"),
        (lambda c, t, n: contaminated(c, t, 8), "use `run`, not 8"),
        ("tuple(words[", "frozenset(words[", "the words of a run have an order: tuples"),
        ("*map(runs, corpus)", 'runs(" ".join(corpus))',
         "a run lies within one text of the corpus"),
        (HIT, "known.isdisjoint(runs(text))", "True is a text that shares a run"),
        (WORDS, "words = text", "runs of words, not of letters"),
        (WORDS, 'words = text.lower().replace(".", "").replace(",", "").split()',
         "other punctuation may differ, too: use `tokenize`"),
        (lambda c, t, n: contaminated(t, c, n), "say it of each text, not of the corpus"),
    ],
    compares="the array of bool",
    takes=6,
    level=2,
    hints=["Make a set of all runs of the corpus, tuples of words.",
           "{tuple(words[i : i + run]) for i in range(len(words) - run + 1)}"],
    reasoning="Runs of words survive changes of case, punctuation, headers and footers.",
    solved="Check every pre-training corpus against every test set, before you train.",
    run=_flags,
    properties=[_keeps_nothing],
)  # fmt: skip
def corpora(draw):
    corpus = ["the end was near", "we saw it twice"]
    yield corpus, ["So the end was, near;", "near was the end"], 4
    yield corpus, ["It was: THE END?", "near we saw", "the end"], 2
    yield corpus, ["the end near us", "was near we saw"], 3
    words = [f"w{number}" for number in range(40)]
    corpus = [" ".join(draw.choice(words, 12)) for _ in range(6)]
    cut = corpus[0].split()
    texts = [corpus[0].upper() + "!", "so " + ", ".join(cut[2:8]) + " w1 w1", corpus[1]]
    texts += [" ".join(draw.choice(words, 12)), " ".join(cut[:3]), " ".join(cut[::-1])]
    texts += [" ".join(corpus[2].split()[-3:] + corpus[3].split()[:3]), " ".join(cut[:5])]
    texts += ["w1 w2 " + " ".join(cut[2:8]), "w1 " + " ".join(cut[1:10]) + " w2"]
    corpus += ["under stand the long sea now", "so the plot was never dull in fact"]
    texts += ["understand the long sea no w", "the plot was never dull i"]
    texts.append("and now " + " ".join(corpus[4].split()[-5:]))  # one word short of a run of 6
    corpus += ["understand the long sea now so", "it's a well made sea now"]
    texts += [
        "stand the long sea now so",
        "it's a well-made sea, now",
        "its a well made sea now",
    ]
    corpus.append("so long")  # shorter than a run, in both
    texts.append("So long!")
    yield corpus, texts, 6
    yield corpus, texts, 4


def _line_of_losses(parameters, losses, larger):
    """Least squares of the losses themselves, over the logarithm of the parameters."""
    slope, intercept = np.polyfit(np.log(parameters), losses, 1)
    return intercept, -slope, intercept + slope * np.log(larger)


def _curve(parameters, losses, larger):
    """Least squares of the losses themselves, of the right curve."""
    start = scaling.extrapolate(parameters, losses, larger)[:2]
    (k, alpha), _ = curve_fit(lambda n, k, alpha: k * n**-alpha, parameters, losses, start)
    return k, alpha, k * larger**-alpha


def _through_the_origin(parameters, losses, larger):
    x, y = np.log(parameters), np.log(losses)
    alpha = -np.sum(x * y) / np.sum(x * x)
    return 1.0, alpha, larger**-alpha


def _through_two(parameters, losses, larger):
    """The line through the smallest and the largest model."""
    ends = [np.argmin(parameters), np.argmax(parameters)]
    return scaling.extrapolate(parameters[ends], losses[ends], larger)


BOTH = "np.log(parameters), np.log(losses)"
PREDICTED = "k * larger**-alpha"
BASES = "one base in both logarithms and in the power that undoes them: np.exp undoes np.log"
SIGN = "α is minus the slope: loss = k · parameters^(−α) falls where α is above zero"
LOGS = "fit the line to the logarithm of the losses, not to the losses"
NEEDS_K = "the line has an intercept: k is exp of it, and not 1"
EXP = "k is exp of the intercept"


@exercise(
    "06b.8",
    scaling.extrapolate,
    mistakes=[
        ("-slope", "slope", SIGN),
        ("-slope", "-1 / slope", SIGN),
        ("-slope", "slope", "-alpha", "alpha", SIGN),
        ("larger**-alpha", "larger**alpha", "the prediction is k · larger^(−α)"),
        ("np.log(losses)", "losses", LOGS),
        (_line_of_losses, LOGS),
        (_curve, "least squares of the logarithms: the errors of log loss count alike"),
        ("np.log(parameters)", "parameters", "take the logarithm of the parameters, too"),
        (BOTH, BOTH.replace("log", "log10"), BASES),
        (BOTH, BOTH.replace("log", "log2"), BASES),
        ("np.log(parameters)", "np.log10(parameters)", BASES),
        ("np.log(losses)", "np.log10(losses)", BASES),
        ("np.log(", "np.log1p(", "np.log1p adds 1 first: take np.log"),
        (BOTH, "np.log(losses), np.log(parameters)", "x is log parameters, y is log loss"),
        ("slope, intercept =", "intercept, slope =",
         "np.polyfit returns the slope first, then the intercept"),
        ("np.exp(intercept)", "intercept", EXP),
        (f"alpha, {PREDICTED}", "alpha, np.exp(k) * larger**-alpha",
         "np.exp(intercept)", "intercept", EXP),
        (_through_the_origin, NEEDS_K),
        (PREDICTED, "larger**-alpha", "the factor k is missing from the prediction"),
        (_through_two, "least squares takes all the models, not the two outer ones"),
        (lambda n, loss, m: scaling.extrapolate(n[:-1], loss[:-1], m),
         "the last model is left out of the fit"),
        (PREDICTED, "np.log(k) - alpha * np.log(larger)",
         "that is the logarithm of the predicted loss"),
        (PREDICTED, "np.interp(larger, parameters, losses)",
         "np.interp knows nothing beyond its last point: predict with k and α"),
        (PREDICTED, "k * np.max(parameters) ** -alpha", "predict the loss of `larger`"),
        ("return k, alpha", "return alpha, k", "k comes first, then α"),
        ("return k, alpha", "return k ** (1 / alpha), alpha",
         "that is the constant of (N_c / N)^α, as Kaplan et al. write it: k = N_c^α"),
        ("return k, alpha", "return np.log(k), alpha", EXP),
    ],
    compares=("k", "α", "the predicted loss"),
    takes=10,
    level=2,
    hints=["np.polyfit(x, y, 1) returns slope and intercept. What are x and y?",
           "log loss = intercept + slope · log parameters: α = −slope, k = np.exp(intercept)."],
    reasoning="A power law is a straight line in logarithms: slope −α, height log k.",
    solved="Write a prediction down before you train the model that it is about.",
)  # fmt: skip
def small_models(draw):
    """Losses around a power law; with few models and much scatter, wrong fits differ."""
    yield np.array([1_760, 6_560, 39_440]), np.array([5.1, 4.2, 4.05]), 100_096
    for count, k, alpha in ((4, 9.0, 0.08), (6, 3.0, 0.4)):
        parameters = draw.permutation(np.geomspace(300, 90_000, count).astype(int))
        scatter = np.exp(draw.normal(0, 0.2, count))
        yield parameters, k * parameters**-alpha * scatter, int(draw.integers(200_000, 900_000))
