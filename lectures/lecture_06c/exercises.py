"""Exercises of lab 06c: alignment, three heads, F1 by span, pairs of ends, ablations."""

import inspect
from dataclasses import replace
from functools import cache

import keras
import numpy as np
from keras import ops

from course_utils.checks import (
    kept_back,
    parts,
    predicted,
    require_no_penalty,
    three_logits,
    watched_training,
)
from course_utils.data.base import Split
from course_utils.exercises import Wrong, exercise, require
from course_utils.layers.attention import MASK_VALUE
from course_utils.models import transformer_encoder
from lectures import lecture_06c
from lectures.lecture_06b import freeze, tokenizers
from lectures.lecture_06c import align_tags, best_span, span_f1

CHANNELS = 8  # of the encoder that the checks of heads take


@exercise(
    "06c.1",
    align_tags,
    mistakes=[
        (" and word != before", "",
         "only a word's first token carries its tag: long words would count more than once"),
        ("IGNORE", "IGNORE if word is None else 0",
         "0 is the tag O: what is not asked gets -1"),
        ("IGNORE", "0 if word is None else IGNORE", "special tokens get -1; 0 is the tag O"),
        ("IGNORE", "0", "0 is the tag O: what is not asked gets -1"),
        ("IGNORE", "-100", "this loss skips -1, not -100"),
        ("word is not None", "word", "word 0 is a word: compare with None"),
        ("aligned.append", "if word is not None:\n            aligned.append",
         "one entry per token, special ones too"),
        ("tags[word]", "word", "return the tag, tags[word], not the word's number"),
        ("word is not None and ", "", "a special token has no word, None: it gets -1"),
        (lambda tags, words: align_tags(tags, words[::-1])[::-1],
         "a word's *first* token carries its tag, not its last one"),
        (lambda tags, words: [-1 if word is None else next(left, -1)
                              for left in [iter(tags)] for word in words],
         "move on to the next tag where the word changes, not at every token"),
        ("aligned, before = [], None", "aligned, before, left = [], None, [*tags]",
         "tags[word]", "left.pop(0)",
         "a word may have no token: take its own tag, tags[word], not the next one"),
        ("before = [], None", "before = [], word_ids[-1]",
         "the first token has none before it: word_ids[-1] is the last one"),
    ],
    compares="the list of tags",
    takes=5,
    level=2,
    hints=["Remember the word of the token before.", "A tag is due where the word changes."],
    reasoning="One question per word, at its first token; all other tokens are left out.",
    solved="Words are tagged, tokens are read: the first token speaks for its word.",
)  # fmt: skip
def tags_and_words(draw):
    yield [3, 0, 4], [None, 0, 0, 1, 2, 2, 2, None, None]
    yield [2], [None, 0, 0, None]
    yield [3], [0, 0]  # the token before the first one is not the last one
    yield [4, 1], [0, 0, 1]
    yield [5, 2, 6, 1], [None, 1, 1, 3, None]  # a row that was cut: two words have no token
    lengths = draw.integers(1, 4, 5)
    words = [None, *np.repeat(np.arange(5), lengths).tolist(), None]
    yield draw.integers(1, 9, 5).tolist(), words


@cache
def _encoder(blocks):
    return transformer_encoder(30, CHANNELS, 2, 16, blocks, 12)


def _with_drawn_weights(answer, ids, *arguments):
    """The answer's model, and how many columns its head has. Biases are zero, so that a layer
    without one is as good; one Dense layer gets the columns that several narrower ones get, one
    after another, and a vector as long as a state is a column, too.
    """
    keras.utils.set_random_seed(0)
    blocks = 1 + (len(ids) == 3)  # the last states are not always the second ones
    encoder = _encoder(blocks)
    encoder.trainable = True
    model = answer(encoder, *arguments)
    require(isinstance(model, keras.Model), "return a keras.Model, from ids to scores")
    model(ids)  # where it is a subclass, this makes the weights
    inner = {id(weight) for weight in encoder.weights}
    above = [weight for weight in model.weights if id(weight) not in inner]
    told = "the head stands on the encoder that it is given: the model has to hold it"
    require(len(above) + len(inner) == len(model.weights), told)
    trained = len(encoder.trainable_weights) == len(encoder.weights)
    require(trained, "the head trains the encoder too: do not freeze it")
    learns = len(model.trainable_weights) == len(model.weights)
    told = "the head has to learn, all of its weights: no trainable=False, no averages"
    require(learns, told)
    require_no_penalty(model)
    draw, seen = np.random.default_rng(0), 0
    for weight in encoder.weights:
        weight.assign(draw.normal(0, 0.4, weight.shape))
    columns = draw.normal(0, 0.4, (CHANNELS, 99))
    for weight in above:
        shape = tuple(weight.shape)
        if len(shape) < 2 and shape != (CHANNELS,):
            weight.assign(ops.zeros_like(weight))
            continue
        width = shape[-1] if len(shape) > 1 else 1
        drawn = columns[:, seen : seen + width]
        fits = drawn.size == np.prod(shape)  # a Conv1D of width 1 has three axes
        drawn = drawn if fits else draw.normal(0, 0.4, shape)
        weight.assign(np.reshape(drawn, shape))
        seen += width
    return model, seen


def trains_below(ids, *arguments):
    """Return a property: a step of training changes the encoder, too."""

    def holds(answer):
        model, _ = _with_drawn_weights(answer, ids, *arguments)
        before = [ops.convert_to_numpy(weight) for weight in _encoder(1).weights]
        targets = keras.tree.map_structure(lambda one: one + 1, model(ids, training=False))
        model.compile(keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
        model.train_on_batch(ids, targets)
        after = [ops.convert_to_numpy(weight) for weight in _encoder(1).weights]
        told = "no gradient reaches the encoder: leave out ops.stop_gradient, and use `ops`"
        require(any(map(np.any, map(np.not_equal, before, after))), told)

    return holds


def drops(ids, *arguments):
    """Return a property: of states of which nearly all are dropped, scores are the bias, 0."""

    def holds(answer):
        model, _ = _with_drawn_weights(answer, ids, *arguments, 0.999)
        scores = keras.tree.flatten(model(ids, training=True))
        left = [np.median(np.abs(ops.convert_to_numpy(one))) for one in scores]
        told = "`dropout` is the share of the states that training drops: Dropout(dropout)"
        require(max(left) < 1e-6, told)

    return holds


def head_outputs(answer, ids, classes, *pool):
    """Scores under drawn weights, and how many columns the head has."""
    model, columns = _with_drawn_weights(answer, ids, classes, *pool)
    return model(ids, training=False), columns


def choice_outputs(answer, ids, choices, *pool):
    """Scores of choices; what is added to all of a question cancels in the softmax."""
    scores, columns = head_outputs(answer, ids, choices, *pool)
    return scores - ops.mean(scores, axis=-1, keepdims=True), columns


def span_outputs(answer, ids):
    """Scores of the two ends; which column is which is learned, and pads are far below."""
    model, columns = _with_drawn_weights(answer, ids)
    found = model(ids, training=False)
    told = "return a dictionary with the keys 'start' and 'end'"
    require(isinstance(found, dict) and found.keys() == {"start", "end"}, told)
    for name, scores in found.items():
        shape = tuple(scores.shape)
        told = f"{name!r} should have the shape of the ids, (batch, tokens): take a column"
        require(shape == ids.shape, f"{told}, [..., 0]; for ids {ids.shape} it has {shape}")
    require(columns <= 2, "two columns are enough: one for the start, one for the end")
    pair = [ops.convert_to_numpy(found[name]) for name in ("start", "end")]
    told = "−∞ gives NaN in a row of pads alone: give pads MASK_VALUE"
    require(not np.isinf(pair).any(), told)
    pair = [np.maximum(scores - scores[:, :1], MASK_VALUE / 2) for scores in pair]
    return tuple(sorted(pair, key=lambda x: x[0, 1]))


def some_ids(draw, *shape):
    ids = draw.integers(5, 30, shape)
    ids[..., 0], ids[..., 1] = 2, 1  # <unknown> is a token
    ids[(0,) * (len(shape) - 1)][-3:] = 0
    return ids.astype("int32")


ONE_ROW = np.array([[2, 7, 9, 12, 5]], "int32")
SCORES = 'layers.Dense(classes, dtype="float32")(x)'


@exercise(
    "06c.2",
    lecture_06c.token_classifier,
    mistakes=[
        ("[-1]", "[0]", "encoder(ids) is a list of layers: take the last one, [-1]"),
        ("[-1]", "[1]", "[1] is the last layer of one block alone: [-1] of any number"),
        ("(x), name", "(x[:, 0]), name",
         "one answer per token: do not take the first state alone"),
        ("(x), name", '(pooled(x, ids, "mean")), name', "one answer per token: no pooling"),
        (SCORES, f"ops.softmax({SCORES})", "return logits: the loss applies the softmax"),
        ("Dense(classes", "Dense(1", "`classes` scores for each token"),
        ("(x), name", "(layers.Dense(16)(x)), name", "one Dense layer is enough"),
        (lambda encoder, n: lecture_06c.token_classifier(freeze(encoder), n),
         "the head trains the encoder too: do not freeze it"),
        (lambda encoder, n: encoder.outputs[-1], "return a keras.Model"),
    ],
    compares=("the logits", "the number of the head's columns"),
    takes=5,
    level=2,
    hints=["ids = keras.Input((None,), dtype='int32'); encoder(ids)[-1] are the states.",
           "Dropout(0.1), then Dense(classes, dtype='float32') on all states."],
    reasoning="A Dense layer works on the last axis, so it answers at every token.",
    solved="A head is one Dense layer; the encoder below it does the work.",
    run=head_outputs,
    properties=[trains_below(ONE_ROW, 4)],
    limit=120,
)  # fmt: skip
def rows_and_classes(draw):
    yield some_ids(draw, 2, 7), 4
    yield some_ids(draw, 3, 5), 3


def single_tags(tags):
    return {(place, tag) for place, tag in enumerate(tags) if tag != "O"}


@exercise(
    "06c.3",
    span_f1,
    mistakes=[
        (lambda t, p: np.mean(np.concatenate(t) == np.concatenate(p)), "that is accuracy"),
        ("map(spans", "map(single_tags", "you count single tags, not spans"),
        ("right & guess", "{a[::2] for a in right} & {b[::2] for b in guess}",
         "a span with one wrong end is wrong: both ends have to match"),
        ("right & guess", "{a[1:] for a in right} & {b[1:] for b in guess}",
         "a span with one wrong end is wrong: both ends have to match"),
        ("right & guess", "{a[:2] for a in right} & {b[:2] for b in guess}",
         "the type has to match as well"),
        ("2 * hits", "hits", "a hit is in both sums of spans: it counts twice"),
        ("in zip(map(spans, true), map(spans, predicted), strict=True)",
         "in (pair for pair in zip(map(spans, true), map(spans, predicted)) if pair[0])",
         "a name found in a sentence without names is wrong, too: skip no sentence"),
        (lambda t, p: np.mean([span_f1([a], [b]) for a, b in zip(t, p, strict=True)]),
         "a mean over sentences weighs a sentence with one name like one with five: sum first"),
        ("map(spans, true)", "[set().union(*map(spans, true))]",
         "map(spans, predicted)", "[set().union(*map(spans, predicted))]",
         "equal spans of two sentences are two spans: count sentence by sentence"),
        ("2 * hits", "hits", " + len(guess)", "", "that is recall alone"),
        ("2 * hits", "hits", "len(right) + ", "", "that is precision alone"),
        (lambda t, p: span_f1([sum(t, [])], [sum(p, [])]),
         "a span ends with its sentence: do not join the sentences"),
        (" if hits else 0.0", "", "0 where there is no hit: do not divide by 0"),
        ("len(right) + len(guess)", "np.array([len(right), len(guess)])",
         "2 * hits / total", "np.mean(hits / total)",
         "the harmonic mean of precision and recall, not the arithmetic one"),
    ],
    compares="F1",
    takes=8,
    level=2,
    hints=["What do two sets of spans share?", "Add up over sentences; divide once."],
    reasoning="This is the harmonic mean of precision and recall, over whole spans.",
    solved="Report it beside always-O, whose span F1 is 0.",
)  # fmt: skip
def tagged_sentences(draw):
    sentences = """B-film O|O O, O O O|O O O, O B-film I-film I-film|O B-film I-film I-film,
        B-person I-person O B-film O|B-person I-person O B-place O, B-film O O|B-film O O,
        B-person O B-place I-place|B-person O B-place O, O O B-film I-film|O O O B-film,
        O B-place O O O B-film|O B-person O O B-film O, O O B-place I-place|O O O I-place,
        B-film O O|B-film O B-place, O B-film|O B-film, I-film O|O O, O O|B-place O"""
    pairs = [[tags.split() for tags in pair.split("|")] for pair in sentences.split(",")]
    for some in (pairs[:1], pairs[1:2], pairs[3:5], pairs, pairs[2:], pairs[1:4]):
        yield tuple(map(list, zip(*some, strict=True)))


NOT_PAD = "ops.not_equal(ids, 0)"
MASKED = f"ops.where(ops.expand_dims({NOT_PAD}, -1), scores, MASK_VALUE)"


@exercise(
    "06c.5",
    lecture_06c.span_answerer,
    mistakes=[
        (MASKED, "scores", "pads need the score MASK_VALUE, or an answer may lie there; in a "
         "model `ids != 0` is plain True: ops.not_equal(ids, 0)"),
        ("MASK_VALUE", "0.0", "a score of 0 beats negative ones: pads need MASK_VALUE"),
        ("not_equal", "equal", "the mask is the wrong way round"),
        (NOT_PAD, "ops.greater(ids, 1)", "pads alone, id 0, are hidden: <unknown> is a token"),
        (NOT_PAD, "ops.greater(ids, 4)", "pads alone, id 0, are hidden, not each special one"),
        ("[-1]", "[0]", "encoder(ids) is a list of layers: take the last one, [-1]"),
        ("[-1]", "[1]", "[1] is the last layer of one block alone: [-1] of any number"),
        ('"start":', "0:", '"end":', "1:",
         "return a dictionary with the keys 'start' and 'end'"),
        ("(ids, ends", "(ids, {end: ops.softmax(ends[end]) for end in ends}",
         "return scores: the loss applies the softmax"),
        ("[..., 1]", "[..., 0]", "each end has a column of its own"),
        ("Dropout(dropout)", "Dropout(0.1)", "`dropout` is the share of the states"),
        ("ops.expand_dims(ops.not_equal(ids, 0), -1)", "ops.not_equal(ids, 0)",
         "the mask needs an axis for the two columns: ops.expand_dims(…, -1)"),
        (MASKED, "ops.softmax(scores)",
         "the softmax runs over the tokens, not over the two columns; return plain scores"),
        ("Dense(2, ", 'Dense(2, "softmax", ',
         "the softmax runs over the tokens, not over the two columns; return plain scores"),
    ],
    compares=("the scores of one end", "the scores of the other end"),
    takes=8,
    level=3,
    hints=["layers.Dense(2, dtype='float32') gives two scores per token.",
           "keep = ops.not_equal(ids, 0); ops.where(keep[..., None], scores, MASK_VALUE)."],
    reasoning="Two vectors are compared with every state; the softmax runs over positions.",
    solved="As many classes as tokens, from a head of two columns.",
    run=span_outputs,
    properties=[trains_below(ONE_ROW), drops(ONE_ROW)],
    limit=120,
)  # fmt: skip
def rows_only(draw):
    yield (some_ids(draw, 2, 7),)
    yield (some_ids(draw, 3, 5),)


def _greedy(start, end, allowed):
    """The best start, then the best end that does not stand before it."""
    first = np.where(allowed, start, -np.inf).argmax(axis=1)
    after = allowed & (np.arange(start.shape[1]) >= first[:, None])
    return np.stack([first, np.where(after, end, -np.inf).argmax(axis=1)], axis=1)


BELOW = "a forbidden pair with score 0 beats negative scores: give it -inf"
SUMS = "start[:, :, None] + end[:, None, :]"


@exercise(
    "06c.6",
    best_span,
    mistakes=[
        (lambda s, e, a: np.stack([s.argmax(1), e.argmax(1)], 1),
         "two independent maxima: the end may stand before the start, or in the question"),
        ("np.triu", "",
         "the end stands before the start: only pairs with start ≤ end are answers"),
        (lambda s, e, a: best_span(s, e, a)[:, ::-1], "return (start, end), in this order"),
        # A million times as heavy, one end decides and the other only follows.
        ("+ end", "+ 1e6 * end", "the best pair need not hold the best end: try all pairs"),
        ("np.where(possible, scores, -np.inf)", "(possible * scores)",
         BELOW),
        (SUMS, "start[:, :, None] * end[:, None, :]", "add the scores, do not multiply"),
        (lambda s, e, a: best_span(s, e, a | True), "both ends have to be `allowed`"),
        ("allowed[:, None, :]", "(allowed | True)[:, None, :]",
         "the end, too, has to be `allowed`"),
        ("allowed[:, :, None]", "(allowed | True)[:, :, None]",
         "the start, too, has to be `allowed`"),
        ("None, :])\n    best", "None, :], 1)\n    best", "an answer may have one token"),
        ("np.triu", "",
         "best // tokens, best % tokens", "*np.sort([best // tokens, best % tokens], axis=0)",
         "sorting the two ends afterwards does not give the best pair"),
        (lambda s, e, a: best_span(s, e, a) + [0, 1], "the end is inclusive"),
        ("np.triu", "np.tril", "start ≤ end is the upper triangle: np.triu"),
        (SUMS, "start[:, None, :] + end[:, :, None]",
         "axis 1 is the start, axis 2 the end: start[:, :, None] + end[:, None, :]"),
        (SUMS, f"np.triu({SUMS})", "np.triu(allowed[:, :, None] & allowed[:, None, :])",
         "allowed[:, :, None] & allowed[:, None, :]", BELOW),
        (_greedy, "the best end after the best start is not the best pair: try all pairs"),
        ("allowed[:, :, None] & allowed[:, None", "allowed[:1, :, None] & allowed[:1, None",
         "each row has its own `allowed` tokens"),
    ],
    compares="the array of spans",
    takes=8,
    level=3,
    hints=["scores = start[:, :, None] + end[:, None, :] holds all pairs.",
           "np.triu keeps start ≤ end; np.where(possible, scores, -np.inf); argmax, divmod."],
    reasoning="Of all pairs that are in order and in the text, the one with the largest sum.",
    solved="The head scores ends; what makes them an answer is decided here.",
)  # fmt: skip
def scores(draw):
    for batch, tokens in ((1, 4), (4, 9), (3, 12), (2, 11)):
        start, end = draw.normal(0, 2, (2, batch, tokens))
        allowed = np.arange(tokens) >= np.resize([2, 1, 3], (batch, 1))
        allowed[:, -1] = tokens < 9
        start[:, 0] += 3
        if batch == 2:  # long answers
            start[:, 3], end[:, -2] = 20, 20
        elif batch > 1:
            start[1, -2] += 12  # the best end stands before it: the start decides
            end[1, 3] += 9
            start[-1, -3] += 9  # the best end stands before it and decides
            end[-1, 5] += 12
            end[2, -1] += 9
            start[2, 2] += 9  # in its question, but in no other row's
            start[0, 4], end[0, 4] = 9, 9
        yield start, end, allowed
        yield start - 3_000, end - 3_000, allowed  # all scores are far below zero


BACK = "ops.reshape(scores, (-1, choices))"


@exercise(
    "06c.7",
    lecture_06c.choice_scorer,
    mistakes=[
        (BACK, "ops.transpose(ops.reshape(scores, (choices, -1)))",
         "the choices of one question stand together: (-1, choices)"),
        (BACK, f"ops.softmax({BACK})", "return scores: the loss applies the softmax"),
        (BACK, "scores", "move the choices back beside each other"),
        (BACK, "ops.concatenate([layers.Dense(1)(encoder(ids[:, place])[-1][:, 0]) "
         "for place in range(choices)], axis=1)",
         "one Dense layer for all choices: the place of a choice must not matter"),
        ("[-1]", "[0]", "encoder(rows) is a list of layers: take the last one, [-1]"),
        ("pooled(encoder(flat)[-1], flat, pool)", "encoder(flat)[-1][:, -1]",
         "read the first token's state: the last one may be a pad"),
        ("flat, pool)", 'flat, "mean")', "read the state of the first token"),
        ("Dropout(dropout)", "Dropout(0.1)", "`dropout` is the share of the states"),
        ("flat, pool)", 'flat, "first")', "`pool` says what is read: pooled(…, rows, pool)"),
        ("layers.Dense(1, dtype", "layers.Dense(1, \"sigmoid\", dtype",
         "return scores: the loss applies the softmax"),
    ],
    compares=("the scores after their mean is taken off", "the number of the head's columns"),
    takes=7,
    level=3,
    hints=["OneRowAChoice()(ids) moves the choices into the batch.",
           "Dense(1) on the first state, then ops.reshape(scores, (-1, choices))."],
    reasoning="Each choice is read by itself; only the softmax of the loss compares them.",
    solved="The same head can choose among any number of answers.",
    run=choice_outputs,
    properties=[trains_below(ONE_ROW[None], 1), drops(ONE_ROW[None], 1, "mean")],
    limit=120,
)  # fmt: skip
def choices(draw):
    yield some_ids(draw, 2, 3, 7), 3
    yield some_ids(draw, 1, 2, 5), 2, "mean"
    yield some_ids(draw, 3, 4, 6), 4, "first"


def _batches(train, data, tokenizer, epochs):
    """How many batches an answer trains on 64 sentences; it has to use the head it is given."""
    made = []

    def head(encoder, classes):
        made.append(lecture_06c.token_classifier(encoder, classes))
        return made[-1]

    with watched_training() as training:
        model = train(replace(data, train=data.train.take(slice(64))), tokenizer, epochs, head)
    if isinstance(model, keras.Model):  # else it is told later
        told = "return the model that `head(encoder, classes)` makes: your own one of 06c.2"
        require(any(model is one for one in made), told)
    return len(training.losses)


def _tags(train, data, tokenizer):
    """Run a student's training, and judge it on sentences that it never got."""
    try:
        inspect.signature(train).bind(data, tokenizer, 2, head=None)
    except TypeError as error:
        told = (
            "keep the arguments (data, tokenizer, epochs, head): the cell below hands over all"
        )
        raise Wrong(told) from error
    given = data
    data, unseen = kept_back(data)
    parts = {"train": data.train, "validation": data.val, "test": data.test}
    rows = {name: Split(*lecture_06c.tagged_rows(part, tokenizer, 48))
            for name, part in (parts | {"unseen": unseen}).items()}  # fmt: skip
    new = rows.pop("unseen")
    with watched_training(rows, unseen=new, called="sentences") as training:
        try:
            model = training.trained(train(data, tokenizer))
        except Exception as error:
            require("label value of -1" not in str(error), f"the loss has to {SKIPS}")
            raise
    names = data.class_names
    predicted(model, new.inputs, (48, len(names)), "one logit per tag and token")
    skipped = training.weighted or (np.asarray(training.given[1]) == lecture_06c.IGNORE).any()
    require(skipped, "the targets hold no -1: where no word begins, nothing is asked")
    logits = ops.convert_to_tensor([[three_logits(len(names))] * 2])
    tags = np.array([[1, -1]])
    if training.weighted:
        logits, tags = logits[:, :1], tags[:, :1]
    loss = float(np.mean(ops.convert_to_numpy(model.compute_loss(y=tags, y_pred=logits))))
    require(abs(loss - 0.4076) < 0.02, f"the loss should read logits and {SKIPS}")
    true = [[names[tag] for tag in row] for row in unseen.targets]
    reached = span_f1(true, lecture_06c.tags_of(model, unseen, tokenizer, names))
    said = "At 0 the tagger says O everywhere. " if reached < 0.01 else ""
    what = f"span F1 on {len(unseen)} new sentences"
    training.reaches(reached, 0.9, what, f"{said}{training.advice()}")
    few = [_batches(train, given, tokenizer, epochs) for epochs in (1, 3)]
    told = f"`epochs` says how often to pass over the sentences: 1 takes {few[0]} batches, 3 "
    require(few[1] == 3 * few[0], f"{told}take {few[1]}")


def barely(part="train", fill=-1, **how):
    """A training on one batch of a part, whose loss is such a cross-entropy."""

    def train(data, tokenizer, epochs=4, head=None):
        some = getattr(data, part).take(slice(32))
        ids, tags = lecture_06c.tagged_rows(some, tokenizer, 48)
        encoder = lecture_06c.two_block_encoder(tokenizer, 48)
        model = lecture_06c.token_classifier(encoder, len(data.class_names))
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**how))
        model.train_on_batch(ids, np.maximum(tags, fill))
        return model

    return train


SKIPS = "skip -1: from_logits=True, ignore_class=-1"
RIGHT_LOSS = {"from_logits": True, "ignore_class": -1}


@exercise(
    "06c.4",
    lecture_06c.train_tagger,
    mistakes=[
        (lambda data, tokenizer, epochs=4, head=None: {}, "return the trained model"),
        (lambda data, tokenizer: {}, "keep the arguments"),
        (barely(from_logits=True), "ignore_class=-1"),
        (barely(ignore_class=-1), "from_logits=True"),
        (barely(from_logits=True, fill=0), "the targets hold no -1"),
        (barely(part="val", **RIGHT_LOSS), "you train on the validation sentences"),
        (barely(part="test", **RIGHT_LOSS), "you train on the test sentences"),
        ("epochs=epochs", "epochs=0", "the model is not trained: call `fit`"),
        (barely(**RIGHT_LOSS), "0.9 is asked"),
    ],
    takes=8,
    level=3,
    hints=["SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1) skips -1.",
           "Adam(2e-3, clipnorm=1.0), batches of 32, four epochs."],
    reasoning="The loss may look only at first tokens of words; the rest has no answer.",
    solved="Half of the test names are new: the tagger cannot have memorised them.",
    trains=_tags,
    limit=900,
)  # fmt: skip
def entities(draw):
    data = lecture_06c.load_entities()
    texts = [" ".join(words) for words in data.train.inputs]
    yield data, tokenizers.train("wordpiece_cased", texts, 300)


@exercise(
    "06c.8",
    lecture_06c.told_apart,
    mistakes=[
        ("max(arm) < min(base)", "np.mean(arm) < np.mean(base)",
         "min(arm) > max(base)", "np.mean(arm) > np.mean(base)",
         "means hide the spread: compare the highest run with the lowest"),
        ("max(arm) < min(base)", "all(np.less(sorted(arm), sorted(base)[:len(arm)]))",
         "min(arm) > max(base)", "all(np.greater(sorted(arm), sorted(base)[-len(arm):]))",
         "every run of one arm against every run of the other, not pair by pair"),
        ("max(arm) < min(base)", "max(arm) < max(base)",
         "min(arm) > max(base)", "max(arm) > max(base)",
         "the best runs alone say nothing about the others"),
        ("max(arm) < min(base)", "min(arm) < min(base)",
         "min(arm) > max(base)", "max(arm) > max(base)",
         "one run below all others is not enough: all have to lie there"),
        ("max(arm) < min(base)", "max(base) < min(arm)",
         "min(arm) > max(base)", "min(base) > max(arm)",
         "it is the arm that lies below or above, not the base model"),
        ("max(arm) < min(base)", "max(arm) <= min(base)",
         "min(arm) > max(base)", "min(arm) >= max(base)",
         "equal runs touch: they are not told apart"),
        ("max(arm) < min(base)", "max(arm) < min(base) - 0.01",
         "min(arm) > max(base)", "min(arm) > max(base) + 0.01",
         "a gap may be small: compare the numbers as they are, without a margin"),
    ],
    compares="the word",
    takes=3,
    level=1,
    hints=["Which run of the arm comes closest to the base model, if it lies below?",
           "below: max(arm) < min(base)."],
    reasoning="Two ranges are apart if the highest of one is below the lowest of the other.",
    solved="Three dots below three others: for independent dots chance does it 1 time in 20.",
)  # fmt: skip
def runs(draw):
    yield [0.84, 0.87, 0.91], [0.72, 0.78, 0.74]
    yield [0.84, 0.87, 0.91], [0.95, 0.93, 0.98]
    yield [0.80, 0.90, 0.85], [0.86, 0.87, 0.86]  # a higher mean, a lower best run
    yield [0.84, 0.87, 0.91], [0.80, 0.90, 0.95]  # one run below, a higher mean
    yield [0.84, 0.87, 0.91], [0.69, 0.79, 0.88]
    yield [0.84, 0.87, 0.91], [0.93, 0.92, 0.90]
    yield [0.84, 0.87, 0.91], [0.80, 0.82, 0.84]
    yield [0.84, 0.87, 0.91], [0.95, 0.91, 0.98]
    yield [0.84, 0.87, 0.91], [0.80, 0.82, 0.838]
    yield [0.84, 0.87, 0.91], [0.95, 0.912, 0.98]
    yield [0.80, 0.90, 0.85], [0.79, 0.84, 0.89]
    yield [0.80, 0.90, 0.85], [0.81, 0.86, 0.92]
    yield [0.91, 0.84, 0.87, 0.88], [0.86, 0.85]
    base, arm = draw.random(5), draw.random(4)
    yield base.tolist(), arm.tolist()
    yield base.tolist(), (arm - 1.1).tolist()
    yield base.tolist(), (arm + 1.1).tolist()


def joined_or_refused(answer, premise, hypothesis, length):
    """Whether a pair is refused; if not, its ids and segments."""
    try:
        found = answer(premise, hypothesis, length)
    except ValueError:
        return True, [], []
    ids, segments = parts(found, "return two lists: the ids and the segments")
    return False, list(map(int, ids)), list(map(int, segments))


@exercise(
    "06c.9",
    lecture_06c.pair_row,
    mistakes=[
        ("[0] * (len(premise) + 2) + [1] * len(hypothesis)",
         "[0] * (len(premise) + 1) + [1] * (len(hypothesis) + 1)",
         "the separator belongs to segment 0, as the premise does"),
        ("[0] * (len(premise) + 2)", "[0] * len(premise)",
         "<sos> and <eos> belong to segment 0, as the premise does"),
        ("filled(segments, length)", "segments + [1] * (length - len(ids))",
         "pads have the segment 0"),
        ("[0] * (len(premise) + 2) + [1] * len(hypothesis)",
         "[1] * (len(premise) + 2) + [2] * len(hypothesis)",
         "the segments are 0 and 1"),
        ("[0] * (len(premise) + 2) + [1] * len(hypothesis)",
         "[1] * (len(premise) + 2) + [0] * len(hypothesis)",
         "the premise is segment 0, the hypothesis segment 1"),
        ("*premise, END, *hypothesis", "*hypothesis, END, *premise",
         "the premise comes first"),
        ("[START, *premise, END", "[*premise, END",
         "the row begins with <sos>"),
        ("premise, END, *hypothesis", "premise, *hypothesis",
         "<eos> stands between the two sentences: without it nobody knows where one ends"),
        ("if not premise or not hypothesis:", "if False:",
         "raise ValueError for an empty sentence"),
        ("return filled(ids, length), filled(segments, length)",
         "return filled(ids[:length], length), filled(segments[:length], length)",
         "raise ValueError where a row does not fit: cutting it would lose the hypothesis"),
    ],
    compares=("whether the pair is refused", "the ids", "the segments"),
    takes=5,
    level=1,
    hints=["ids = [START, *premise, END, *hypothesis]; `filled(row, length)` adds the zeros.",
           "len(premise) + 2 tokens have the segment 0."],
    reasoning="One row holds both sentences; the segment says to which one a token belongs.",
    solved="Now every token of the hypothesis can attend to every token of the premise.",
    run=joined_or_refused,
)  # fmt: skip
def two_sentences(draw):
    yield [7, 5, 9], [8, 6], 10
    yield [7], [8, 6, 5, 11], 7
    for premise, hypothesis in ((6, 3), (2, 5)):
        yield (*(draw.integers(5, 40, size).tolist() for size in (premise, hypothesis)), 12)
    yield [], [8, 6], 10
    yield [8, 6], [], 10
    yield [7, 5, 9, 11], [8, 6, 5], 8
