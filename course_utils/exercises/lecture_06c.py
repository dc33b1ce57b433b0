"""Exercises of lab 06c: alignment, a token head, F1 by span, a span head, pairs, choices."""

import dataclasses

import keras
import numpy as np
from keras import layers, ops

from course_utils import tokenizers
from course_utils.exercises import exercise, require
from course_utils.layers.attention import MASK_VALUE
from course_utils.lectures import lecture_06c
from course_utils.lectures.lecture_06b import freeze, pooled
from course_utils.lectures.lecture_06c import (
    OneRowAChoice,
    align_tags,
    best_span,
    span_f1,
    spans,
)
from course_utils.models import transformer_encoder


def aligned(keep=lambda word, before: word is not None and word != before, other=-1, none=-1):
    """`align_tags` that keeps the tag of other tokens, or fills with other numbers."""

    def changed(tags, word_ids):
        found, before = [], None
        for word in word_ids:
            fill = none if word is None else other
            found.append(tags[word] if keep(word, before) else fill)
            before = word
        return found

    return changed


def real(word, before):
    return word is not None


@exercise(
    "06c.1",
    align_tags,
    mistakes=[
        (aligned(real), "only a word's first token carries its tag: long words would count "
         "more than once"),
        (aligned(other=0), "0 is the tag O: what is not asked gets -1"),
        (aligned(none=0), "special tokens get -1; 0 is the tag O"),
        (aligned(other=0, none=0), "0 is the tag O: what is not asked gets -1"),
        (aligned(other=None, none=None), "what is not asked gets -1, not None"),
        (aligned(none=None), "special tokens get -1, not None"),
        (aligned(other=-100, none=-100), "this loss skips -1, not -100"),
        (lambda tags, ids: aligned()(tags, ids)[::-1], "the order of the tokens stays"),
        (aligned(lambda word, before: word and word != before),
         "word 0 is a word: compare with None"),
        (lambda tags, ids: [tags[w] + (k > 0 and w == ids[k - 1]) if w is not None else -1
                            for k, w in enumerate(ids)], "the other tokens of a word get -1"),
        (lambda tags, ids: [t for t, w in zip(aligned()(tags, ids), ids, strict=True)
                            if w is not None], "one entry a token, special ones too"),
        (lambda tags, ids: aligned()(tags, ids[::-1])[::-1],
         "the first token of a word, not its last one"),
        (lambda tags, ids: [tags[w or 0] if k == 0 or w != ids[k - 1] else -1
                            for k, w in enumerate(ids)], "None is no word: -1"),
        (lambda tags, ids: [w if t >= 0 else -1 for t, w in zip(aligned()(tags, ids), ids,
                            strict=True)], "return the tag, tags[word], not the word's number"),
    ],
    takes=5,
    level=2,
    hints=["Remember the word of the token before.", "A tag is due where the word changes."],
    reasoning="One question a word, at its first token; all other tokens are left out.",
    solved="Words are tagged, tokens are read: the first token speaks for its word.",
)  # fmt: skip
def tags_and_words(draw):
    yield [3, 0, 4], [None, 0, 0, 1, 2, 2, 2, None, None]
    yield [2], [None, 0, 0, None]
    lengths = draw.integers(1, 4, 5)
    words = [None, *np.repeat(np.arange(5), lengths).tolist(), None]
    yield draw.integers(1, 9, 5).tolist(), words


def tiny():
    keras.utils.set_random_seed(0)
    return transformer_encoder(30, 8, 2, 16, 1, 12)


def head_outputs(answer, ids, *arguments):
    """Scores under drawn weights; for a single output also how many weights are trained.

    One Dense layer gets the columns that several narrower ones get, one after another.
    """
    encoder = tiny()
    model = answer(encoder, *arguments)
    require(isinstance(model, keras.Model), "return a keras.Model, from ids to scores")
    draw, seen = np.random.default_rng(0), {1: 0, 2: 0}
    for weight in encoder.weights:
        weight.assign(draw.normal(0, 0.4, weight.shape))
    columns = {2: draw.normal(0, 0.4, (8, 99)), 1: draw.normal(0, 0.4, 99)}
    inner = {id(weight) for weight in encoder.weights}
    for weight in (weight for weight in model.weights if id(weight) not in inner):
        rank, width = min(2, len(weight.shape)), weight.shape[-1]  # a Conv1D of width 1: 3 axes
        drawn = columns[rank][..., seen[rank] : seen[rank] + width]
        fits = drawn.size == np.prod(weight.shape)
        drawn = drawn if fits else draw.normal(0, 0.4, weight.shape)
        weight.assign(np.reshape(drawn, weight.shape))
        seen[rank] += width
    found = model(ids, training=False)
    shown = keras.tree.map_structure(ops.convert_to_numpy, found)
    if isinstance(shown, dict) and all(scores.shape == ids.shape for scores in shown.values()):
        # A bias cancels in the softmax, which column is which is learned, and how far below the
        # rest a pad scores does not matter.
        require(seen[2] <= 2, "two columns are enough: one for the start, one for the end")
        pair = [np.maximum(scores - scores[:, :1], MASK_VALUE / 2) for scores in shown.values()]
        return dict(zip(sorted(shown), sorted(pair, key=lambda x: x[0, 1]), strict=True))
    return shown, len(model.trainable_weights)


def on_states(build, layer=-1):
    """A head: build(a layer's states, ids, *arguments) → its outputs."""

    def head(encoder, *arguments):
        ids = keras.Input((None,), dtype="int32")
        return keras.Model(ids, build(encoder(ids)[layer], ids, *arguments))

    return head


def some_ids(draw, *shape):
    ids = draw.integers(5, 30, shape)
    ids[..., 0] = 2
    ids[(0,) * (len(shape) - 1)][-3:] = 0
    return ids.astype("int32")


def dense(*settings, **more):
    return layers.Dense(*settings, dtype="float32", **more)


@exercise(
    "06c.2",
    lecture_06c.token_classifier,
    mistakes=[
        (on_states(lambda x, ids, n: dense(n)(x), layer=0),
         "encoder(ids) is a list of layers: take the last one, [-1]"),
        (on_states(lambda x, ids, n: dense(n)(x[:, 0])),
         "one answer a token: do not take the first state alone"),
        (on_states(lambda x, ids, n: dense(n)(pooled(x, ids, "mean"))),
         "one answer a token: no pooling"),
        (on_states(lambda x, ids, n: dense(n, activation="softmax")(x)),
         "return logits: the loss applies the softmax"),
        (on_states(lambda x, ids, n: dense(1)(x)), "`classes` scores for each token"),
        (on_states(lambda x, ids, n: dense(n, activation="relu")(x)), "no activation"),
        (on_states(lambda x, ids, n: dense(n, activation="sigmoid")(x)),
         "plain scores: no sigmoid, the loss applies a softmax"),
        (on_states(lambda x, ids, n: dense(n)(dense(16)(x))), "one Dense layer is enough"),
        (on_states(lambda x, ids, n: dense(n, use_bias=False)(x)), "keep the bias of Dense"),
        (on_states(lambda x, ids, n: dense(n)(ops.max(x, axis=1))),
         "one answer a token: no maximum over them"),
        (lambda encoder, n: lecture_06c.token_classifier(freeze(encoder), n),
         "the head trains the encoder too: do not freeze it"),
        (lambda encoder, n: encoder.outputs[-1], "return a keras.Model"),
    ],
    takes=5,
    level=2,
    hints=["ids = keras.Input((None,), dtype='int32'); encoder(ids)[-1] are the states.",
           "Dropout(0.1), then Dense(classes, dtype='float32') on all states."],
    reasoning="A Dense layer works on the last axis, so it answers at every token.",
    solved="A head is one Dense layer; the encoder below it does the work.",
    run=head_outputs,
    limit=120,
)  # fmt: skip
def rows_and_classes(draw):
    yield some_ids(draw, 2, 7), 4


def f1(key=lambda span: span, find=spans, factor=2):
    """F1 over what `find` gives, two being equal where their `key` is."""

    def score(true, predicted):
        found = [[{*map(key, find(row))} for row in tags] for tags in (true, predicted)]
        hits = sum(len(t & p) for t, p in zip(*found, strict=True))
        return factor * hits / max(1, sum(len(row) for tags in found for row in tags))

    return score


def overlapping(true, predicted):
    """F1 where a span is right that shares a token with a true one."""
    found = [[spans(row) for row in tags] for tags in (true, predicted)]
    hits = sum(
        any(a[2] == b[2] and a[0] <= b[1] and b[0] <= a[1] for a in t)
        for t, p in zip(*found, strict=True)
        for b in p
    )
    return 2 * hits / max(1, sum(len(row) for tags in found for row in tags))


def first_tags(tags):
    return {(place, tag) for place, tag in enumerate(tags) if tag[0] == "B"}


def single_tags(tags):
    return {(place, tag) for place, tag in enumerate(tags) if tag != "O"}


def one_set(true, predicted):
    true, predicted = [set().union(*map(spans, tags)) for tags in (true, predicted)]
    return 2 * len(true & predicted) / max(1, len(true) + len(predicted))


def share_of(which):
    def score(true, predicted):
        hits = sum(len(spans(t) & spans(p)) for t, p in zip(true, predicted, strict=True))
        return hits / max(1, sum(len(spans(row)) for row in (true, predicted)[which]))

    return score


ENDS = "a span with one wrong end is wrong: both ends have to match"


@exercise(
    "06c.3",
    span_f1,
    mistakes=[
        (lambda t, p: np.mean(np.concatenate(t) == np.concatenate(p)), "that is accuracy"),
        (f1(find=single_tags), "you count single tags, not spans"),
        (f1(find=first_tags), "you compare the starts alone: both ends have to match"),
        (overlapping, "spans that only overlap are no hit: both ends have to match"),
        (lambda t, p: 100 * span_f1(t, p), "a share between 0 and 1, not in percent"),
        (lambda t, p: span_f1(t, p) / (2 - span_f1(t, p)),
         "hits over the union of both sets is the Jaccard index, not F1"),
        (f1(key=lambda span: span[::2]), ENDS),
        (f1(key=lambda span: span[1:]), ENDS),
        (f1(key=lambda span: span[:2]), "the type has to match as well"),
        (f1(factor=1), "a hit is in both sums of spans: it counts twice"),
        (lambda t, p: np.mean([span_f1([a], [b]) for a, b in zip(t, p, strict=True)]),
         "a mean over sentences weighs a sentence with one name like one with five: sum first"),
        (one_set, "equal spans of two sentences are two spans: count sentence by sentence"),
        (share_of(0), "that is recall alone"),
        (share_of(1), "that is precision alone"),
        (lambda t, p: (share_of(0)(t, p) + share_of(1)(t, p)) / 2,
         "the harmonic mean of precision and recall, not the arithmetic one"),
        (lambda t, p: span_f1(t, p) or np.nan, "0 where there is no hit at all"),
    ],
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
        B-film O O|B-film O B-place"""
    pairs = [[tags.split() for tags in pair.split("|")] for pair in sentences.split(",")]
    for some in (pairs[:1], pairs[1:2], pairs[3:5], pairs, pairs[2:], pairs[1:4]):
        yield tuple(map(list, zip(*some, strict=True)))


def two_columns(mask=lambda ids: ops.not_equal(ids, 0), fill=MASK_VALUE, one=False, layer=-1):
    """A span head with another mask or layer, or one column for both ends."""

    def build(x, ids):
        scores = dense(2)(x)
        if mask:
            scores = ops.where(ops.expand_dims(mask(ids), -1), scores, fill)
        return {"start": scores[..., 0], "end": scores[..., 0 if one else 1]}

    head = on_states(build, layer)
    head.scores = build
    return head


@exercise(
    "06c.5",
    lecture_06c.span_answerer,
    mistakes=[
        (two_columns(mask=None), "pads need the score MASK_VALUE, or an answer may lie there"),
        (two_columns(fill=0.0), "a score of 0 beats negative ones: pads need MASK_VALUE"),
        (two_columns(mask=lambda ids: ops.equal(ids, 0)), "the mask is the wrong way round"),
        (two_columns(mask=lambda ids: ops.greater(ids, 4)), "mask the pads alone, ids != 0"),
        (two_columns(fill=-10.0), "-10 is not low enough beside many tokens: MASK_VALUE"),
        (two_columns(layer=0), "encoder(ids) is a list of layers: take the last one, [-1]"),
        (on_states(lambda x, ids: dict(enumerate(two_columns().scores(x, ids).values()))),
         "return a dictionary with the keys 'start', 'end'"),
        (on_states(lambda x, ids: {k: ops.softmax(v) for k, v in two_columns().scores(x, ids)
                                   .items()}), "return scores: the loss applies the softmax"),
        (two_columns(one=True), "each end has a column of its own"),
        (on_states(lambda x, ids: dense(2)(pooled(x, ids, "mean"))),
         "a score for every token, not one for the text"),
        (on_states(lambda x, ids: {k: v for k, v in zip(("start", "end"), ops.split(
            ops.softmax(dense(2)(x), axis=-1), 2, axis=-1), strict=True)}),
         "the softmax runs over the tokens, not over the two columns; return plain scores"),
    ],
    takes=8,
    level=3,
    hints=["layers.Dense(2, dtype='float32') gives two scores a token.",
           "ops.where(ops.expand_dims(ids != 0, -1), scores, MASK_VALUE); slices [..., 0], 1."],
    reasoning="Two vectors are compared with every state; the softmax runs over positions.",
    solved="As many classes as tokens, from a head of two columns.",
    run=head_outputs,
    limit=120,
)  # fmt: skip
def rows_only(draw):
    yield (some_ids(draw, 2, 7),)


def pairs(start, end, allowed, order=True, inside="se", strict=False, join=np.add):
    """The best pair under some of the conditions."""
    tokens = start.shape[1]
    scores = join(start[:, :, None], end[:, None, :])
    possible = np.ones_like(scores, bool)
    if "s" in inside:
        possible &= allowed[:, :, None]
    if "e" in inside:
        possible &= allowed[:, None, :]
    if order:
        possible &= np.triu(np.ones((tokens, tokens), bool), 1 if strict else 0)
    best = np.where(possible, scores, -np.inf).reshape(len(scores), -1).argmax(axis=1)
    return np.stack([best // tokens, best % tokens], axis=1)


def first_start(start, end, allowed):
    s = np.where(allowed, start, -np.inf).argmax(axis=1)
    behind = allowed & (np.arange(start.shape[1]) >= s[:, None])
    return np.stack([s, np.where(behind, end, -np.inf).argmax(axis=1)], axis=1)


def last_end(start, end, allowed):
    return (
        len(start[0]) - 1 - first_start(*(x[:, ::-1] for x in (end, start, allowed)))[:, ::-1]
    )


def zeros_win(start, end, allowed):
    possible = np.triu(allowed[:, :, None] & allowed[:, None, :])
    scores = (start[:, :, None] + end[:, None, :]) * possible
    return np.stack(np.divmod(scores.reshape(len(scores), -1).argmax(1), start.shape[1]), 1)


ORDER = "the end stands before the start: only pairs with start ≤ end are answers"


@exercise(
    "06c.6",
    best_span,
    mistakes=[
        (lambda s, e, a: np.stack([s.argmax(1), e.argmax(1)], 1),
         "two independent maxima: the end may stand before the start, or in the question"),
        (lambda s, e, a: pairs(s, e, a, order=False), ORDER),
        (lambda s, e, a: pairs(e, s, a)[:, ::-1], "the start stands first, then the end"),
        (lambda s, e, a: best_span(s, e, a)[:, ::-1], "return (start, end), in this order"),
        (last_end, "the best pair need not hold the best end: try all pairs"),
        (zeros_win, "a forbidden pair with score 0 beats negative scores: give it -inf"),
        (lambda s, e, a: pairs(np.exp(s), np.exp(e), a), "add the scores as they are"),
        (lambda s, e, a: pairs(s, e, a, join=np.multiply), "add the scores, do not multiply"),
        (lambda s, e, a: np.repeat(best_span(s, e, a)[:1], len(s), axis=0),
         "one pair a row: each row has its own maximum"),
        (lambda s, e, a: pairs(s, e, a, inside=""), "both ends have to be `allowed`"),
        (lambda s, e, a: pairs(s, e, a, inside="s"), "the end, too, has to be `allowed`"),
        (lambda s, e, a: pairs(s, e, a, inside="e"), "the start, too, has to be `allowed`"),
        (lambda s, e, a: pairs(s, e, a, join=np.maximum), "the sum of the two scores counts"),
        (lambda s, e, a: pairs(s, e, a, strict=True), "an answer may have one token"),
        (first_start, "the best pair need not hold the best start: try all pairs"),
        (lambda s, e, a: pairs(e, s, a), "start and end are swapped"),
        (lambda s, e, a: np.sort(pairs(s, e, a, order=False), axis=1),
         "sorting the two ends afterwards does not give the best pair"),
        (lambda s, e, a: best_span(s, e, a) + [0, 1], "the end is inclusive"),
        (lambda s, e, a: best_span(s, e, a).T, "the shape is (batch, 2)"),
    ],
    takes=8,
    level=3,
    hints=["scores = start[:, :, None] + end[:, None, :] holds all pairs.",
           "np.triu keeps start ≤ end; np.where(possible, scores, -np.inf); argmax, divmod."],
    reasoning="Of all pairs that are in order and in the text, the one with the largest sum.",
    solved="The head scores ends; what makes them an answer is decided here.",
)  # fmt: skip
def scores(draw):
    for batch, tokens in ((1, 4), (4, 9), (3, 12)):
        start, end = draw.normal(0, 2, (2, batch, tokens))
        allowed = np.arange(tokens) >= draw.integers(1, 3, (batch, 1))
        allowed[:, -1] = tokens < 9
        start[:, 0] += 3
        if batch > 1:
            start[1, -2] += 9
            end[1, 3] += 9
            end[2, -1] += 9
            start[0, 4], end[0, 4] = 9, 9
        yield start, end, allowed
        yield start - 30, end - 30, allowed  # all scores are below zero


def chooser(back=None, pool="first", layer=-1):
    """A choice head with other reshapes."""

    def head(encoder, choices):
        ids = keras.Input((choices, None), dtype="int32")
        flat = OneRowAChoice()(ids)
        scores = dense(1)(pooled(encoder(flat)[layer], flat, pool))
        finish = back or (lambda scores, n: ops.reshape(scores, (-1, n)))
        return keras.Model(ids, finish(scores, choices))

    return head


def one_each(encoder, choices):
    ids = keras.Input((choices, None), dtype="int32")
    first = [encoder(ids[:, place])[-1][:, 0] for place in range(choices)]
    return keras.Model(ids, ops.concatenate([dense(1)(state) for state in first], axis=1))


def last_token(encoder, choices):
    ids = keras.Input((choices, None), dtype="int32")
    scores = dense(1)(encoder(OneRowAChoice()(ids))[-1][:, -1])
    return keras.Model(ids, ops.reshape(scores, (-1, choices)))


def turned(scores, choices):
    return ops.transpose(ops.reshape(scores, (choices, -1)))


@exercise(
    "06c.7",
    lecture_06c.choice_scorer,
    mistakes=[
        (chooser(back=turned), "the choices of one question stand together: (-1, choices)"),
        (chooser(back=lambda scores, n: ops.softmax(ops.reshape(scores, (-1, n)))),
         "return scores: the loss applies the softmax"),
        (chooser(back=lambda scores, n: ops.sigmoid(ops.reshape(scores, (-1, n)))),
         "plain scores: one softmax over the choices, not a sigmoid for each"),
        (chooser(back=lambda scores, n: scores), "move the choices back beside each other"),
        (one_each, "one Dense layer for all choices: the place of a choice must not matter"),
        (chooser(layer=0), "encoder(rows) is a list of layers: take the last one, [-1]"),
        (chooser(back=lambda x, n: ops.tanh(ops.reshape(x, (-1, n)))), "no activation"),
        (last_token, "read the first token's state: the last one may be a pad"),
        (chooser(pool="mean"), "read the state of the first token"),
    ],
    takes=7,
    level=3,
    hints=["OneRowAChoice()(ids) moves the choices into the batch.",
           "Dense(1) on the first state, then ops.reshape(scores, (-1, choices))."],
    reasoning="Each choice is read by itself; only the softmax of the loss compares them.",
    solved="The same head can choose among any number of answers.",
    run=head_outputs,
    limit=120,
)  # fmt: skip
def choices(draw):
    yield some_ids(draw, 2, 3, 7), 3


def f1_on_validation(model, data, tokenizer):
    """The span F1 of a tagger on the validation sentences."""
    names = data.class_names
    guess = lecture_06c.tags_of(model, data.val, tokenizer, names)
    return span_f1([[names[tag] for tag in row] for row in data.val.targets], guess)


def _tags(train):
    """Run a student's training and say what is missing; True at a span F1 of 0.9."""
    if train is lecture_06c.train_tagger:  # trained in the tests, not at every check
        return True
    data = lecture_06c.load_entities()
    kept_back = dataclasses.replace(data, val=data.train.take(slice(-300, None)))
    data = dataclasses.replace(data, train=data.train.take(slice(-300)))
    texts = [" ".join(words) for words in data.train.inputs]
    tokenizer = tokenizers.train("wordpiece_cased", texts, 300)
    model = train(data, tokenizer)
    require(isinstance(model, keras.Model), "return the trained model")
    classes = len(data.class_names)
    require(
        model.output_shape[1:] == (None, classes) or model.output_shape[2:] == (classes,),
        f"the output should be (batch, tokens, {classes}), not {model.output_shape}",
    )
    reached = f1_on_validation(model, kept_back, tokenizer)
    require(
        reached >= 0.9,
        f"span F1 on 300 new sentences is {reached:.2f}, and 0.9 is asked. At 0 the tagger "
        "says O everywhere: is ignore_class=-1 in the loss? Above it, train longer.",
    )
    return True


def _untrained(data, tokenizer, epochs=4):
    return lecture_06c.token_classifier(lecture_06c.new_encoder(tokenizer, 48), 9)


@exercise(
    "06c.4",
    lecture_06c.train_tagger,
    mistakes=[
        (lambda data, tokenizer, epochs=4: {}, "return the trained model"),
        (_untrained, "train longer"),
    ],
    takes=8,
    level=3,
    hints=["SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1) skips -1.",
           "Adam(2e-3, clipnorm=1.0), batches of 32, four epochs."],
    reasoning="The loss may look only at first tokens of words; the rest has no answer.",
    solved="Half of the test names are new: the tagger reads what stands around them.",
    run=_tags,
    limit=400,
)  # fmt: skip
def no_arguments(draw):
    yield ()
