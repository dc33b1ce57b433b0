"""The exercises of lecture 01: vocabulary, tf-idf, a lost mask, skip-gram."""

import re
from unittest import mock

import keras
import numpy as np
from keras import layers, ops

from course_utils.data import tokenize
from course_utils.data.reviews import DAMNING, NEGATORS, PRAISING
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_01
from course_utils.lectures.lecture_01 import build_vocabulary, skip_gram_pairs, tf_idf


def _vocabulary(start=2, cut=2, rank=lambda word, n, i: (-n, word), flat=list):
    """A wrong vocabulary: numbers from another start, another order, other words counted."""

    def build(reviews, size):
        words = [word for review in reviews for word in flat(review)]
        keys = {word: rank(word, words.count(word), words.index(word)) for word in words}
        return {w: n for n, w in enumerate(sorted(keys, key=keys.get)[: size - cut], start)}

    return build


@exercise(
    "01.1",
    build_vocabulary,
    mistakes=[
        *[(_vocabulary(0, cut), "0 is padding and 1 is every unknown word: begin at 2")
          for cut in (0, 2)],
        *[(_vocabulary(1, cut), "1 is every unknown word: the first word gets 2")
          for cut in (1, 2)],
        *[(_vocabulary(start), "begin at 2: only 0 and 1 are taken") for start in (3, 4)],
        *[(_vocabulary(cut=cut), "`size` counts 0 and 1 too, so `size − 2` words have room")
          for cut in (0, 1)],
        (_vocabulary(cut=3), "one word too few: `size − 2` have room"),
        (_vocabulary(rank=lambda w, n, i: (n, w)), "the most frequent word comes first"),
        (_vocabulary(rank=lambda w, n, i: w), "order by frequency first, then by the alphabet"),
        (_vocabulary(rank=lambda w, n, i: i), "order by frequency, not by first occurrence"),
        (_vocabulary(rank=lambda w, n, i: (-n, i)), "equally frequent words: alphabetically"),
        (_vocabulary(rank=lambda w, n, i: (-n, [-ord(letter) for letter in w])),
         "equally frequent words: from a to z"),
        (_vocabulary(flat=set), "count every occurrence, not the reviews with the word"),
        (_vocabulary(flat="".join), "count words, not letters"),
        (lambda r, s: build_vocabulary(r, 10**6), "keep `size − 2` words, the most frequent"),
        (lambda r, s: build_vocabulary(r[:1], s), "count the words of all reviews"),
        (lambda r, s: {"<pad>": 0, "<unknown>": 1, **build_vocabulary(r, s)},
         "padding and unknown are no words: leave them out"),
        (lambda r, s: {n: word for word, n in build_vocabulary(r, s).items()},
         "word → id, not id → word"),
        (lambda r, s: {word: sum(r, []).count(word) for word in build_vocabulary(r, s)},
         "word → id, not word → how often it occurs"),
        (lambda r, s: {word: n for n, word in enumerate(sorted(build_vocabulary(r, s)), 2)},
         "number by frequency; the alphabet decides only between equally frequent words"),
        (lambda r, s: list(build_vocabulary(r, s)), "return a dictionary, word → id"),
    ],
    takes=6,
    level=2,
    hints=[
        "collections.Counter counts; sorted(…, key=lambda word: (-counts[word], word)) ranks.",
        "Number the first size − 2 ranked words with enumerate(…, start=2).",
    ],
    reasoning="A rule for ties makes the ids the same on every machine.",
    solved="Two ids have no word: 0 stands for padding, 1 for every unknown word.",
)  # fmt: skip
def _reviews(draw):
    yield [["b", "b", "a"], ["c", "b", "a"]], 10
    words = "was dull the plot never dull cast film film film was".split()
    yield [draw.permutation(words).tolist() + ["the"], ["dull", "was", "zoom"]], 6


def _idf(df, n):
    return np.log((1 + n) / (1 + df)) + 1


def _scaled(rows):
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)


def _weighted(idf):
    return lambda counts, df, n: _scaled(counts * idf(df, n))


def _rows(answer, counts, *others):
    found = answer(counts, *others)
    if np.shape(found) == counts.shape:
        length = np.linalg.norm(np.asarray(found), axis=1)
        require(np.isfinite(length).all(), "a document without a known word keeps its zeros")
        one = np.allclose(length[counts.any(axis=1)], 1, atol=1e-3)
        require(one, f"scale rows to Euclidean length 1, last; yours have {length.round(3)}")
    return found


@exercise(
    "01.3",
    tf_idf,
    mistakes=[
        (lambda c, df, n: c * _idf(df, n), "scale rows to Euclidean length 1"),
        (_weighted(lambda df, n: _idf(df, n) - 1), "the + 1 after the logarithm"),
        (lambda c, df, n: _scaled(c * (_idf(df, n) - 1) + 1),
         "the + 1 belongs to the idf: counts * (log(…) + 1)"),
        (_weighted(lambda df, n: np.log((1 + n) / (1 + df) + 1)), "+ 1 behind the logarithm"),
        (_weighted(lambda df, n: 1 / _idf(df, n)), "multiply by the idf, do not divide"),
        (_weighted(lambda df, n: _idf(df, n) ** 2), "multiply by the idf once"),
        *[(lambda c, df, n, log=log: tf_idf(np.where(c > 0, log(c + (c == 0)), 0), df, n),
           "tf is the count itself") for log in (np.log1p, lambda c: 1 + np.log(c))],
        (_weighted(lambda df, n: np.log(n / df) + 1), "1 is added to N and to df"),
        (_weighted(lambda df, n: np.log(n / (1 + df)) + 1), "1 is added to N as well"),
        (_weighted(lambda df, n: np.log((1 + n) / df) + 1), "1 is added to df as well"),
        (_weighted(lambda df, n: (1 + n) / (1 + df) + 1), "take the logarithm of the ratio"),
        *[(_weighted(lambda df, n, base=base: (_idf(df, n) - 1) / np.log(base) + 1),
           "the natural logarithm") for base in (2, 10)],
        *[(_weighted(lambda df, n, ratio=ratio: np.log(ratio(df, n)) + 1),
           "brackets: (1 + N) / (1 + df)")
          for ratio in (lambda df, n: 1 + n / 1 + df, lambda df, n: 1 + n / (1 + df))],
        (_weighted(lambda df, n: 2 - _idf(df, n)), "rare words weigh more"),
        (_weighted(lambda df, n: 1), "multiply by the idf before you scale"),
        (lambda c, df, n: tf_idf(c > 0, df, n), "a word that occurs twice counts twice"),
        *[(lambda c, df, n, own=own: tf_idf(c, (c > 0).sum(axis=0), len(c) if own else n),
           "use the frequencies that are given: these documents may be test texts")
          for own in (False, True)],
        (lambda c, df, n: tf_idf(c, df, len(c)), "N counts the training documents"),
        (lambda c, df, n: np.where(c.any(1, keepdims=True), tf_idf(c, df, n), np.nan),
         "a document without a known word keeps its zeros"),
    ],
    takes=6,
    level=2,
    hints=[
        "First idf, one number a word; then counts * idf.",
        "np.linalg.norm(weighted, axis=1, keepdims=True); replace lengths of 0 by 1.",
    ],
    reasoning="A word of every document has idf 1, the least; scaling makes texts comparable.",
    solved="That is what scikit-learn's TfidfTransformer computes.",
    run=_rows,
)  # fmt: skip
def _counts(draw):
    for documents, words in ((3, 5), (6, 4)):
        counts = draw.integers(0, 4, size=(documents, words)).astype(float)
        counts[0], counts[1, 0] = 0, 3
        yield counts, draw.integers(1, 15, size=words), 15


GOOD, BAD = {*PRAISING, "good", "clever"}, {*DAMNING, "bad"}


def reads_as(text):
    """The last verdict of a text, 1 or 0, else None; a negator turns the rest of its clause."""
    verdict = None
    for clause in re.split(r"[.,:;!?]|\b(?:and|but)\b", text.lower()):
        turned, words = False, tokenize(clause)
        if words and words[-1] in NEGATORS:
            return None
        for word in words:
            turned ^= word in NEGATORS
            if word in GOOD | BAD:
                verdict = int((word in GOOD) != turned)
    return verdict


READ = "a text reads otherwise than its label: the last verdict counts, a negator reverses it"
NOT_FOOLED = [
    (lambda: ("dull", "good"), "return two pairs, ((text, 1), (text, 0))"),
    (lambda: (("not bad", 1), ("bad", 1)), "one review praises (label 1), the other does not"),
    (lambda: (("not bad", 1), ("Not bad!", 0)), "they have the same words in the same order"),
    (lambda: (("not bad", 1), ("not good", 0)), "a counter sees different words: sort both"),
    (lambda: (("not bad", 1), ("bad, bad, not", 0)), "a count of each word tells them apart"),
    (lambda: (("ever so", 1), ("so ever", 0)), "no verdict read: use the words named above"),
    (lambda: (("good, great", 1), ("great, good", 0)), READ),
]


def _fools(answer):
    try:
        (one, praise), (other, blame) = answer()
        first, second, labels = tokenize(one), tokenize(other), {praise, blame}
    except (AttributeError, TypeError, ValueError):
        require(False, NOT_FOOLED[0][1])
    read = [reads_as(one), reads_as(other)]
    holds = [True, labels == {0, 1}, first != second, set(first) == set(second)]
    holds += [sorted(first) == sorted(second), None not in read, read == [praise, blame]]
    for right, (_, meaning) in zip(holds, NOT_FOOLED, strict=True):
        require(right, meaning)


@exercise(
    "01.2",
    lecture_01.fool_every_counter,
    mistakes=NOT_FOOLED,
    takes=3,
    level=1,
    hints=["Sort the words of both: they must match.", "Exchange what is denied and what not."],
    reasoning="A sum over words is the same in every order; here only the order differs.",
    solved="No weights on words can separate this pair: only reading in order can.",
    equal=lambda given, expected: True,
    properties=[_fools],
)
def _nothing(draw):
    yield ()


def averager(
    vectors=lambda v, ids, dim: v * dim**0.5, pool=None, masked=False, out=ops.sigmoid
):
    """A classifier in which the vectors are made or pooled otherwise."""

    def build(vocab_size, embed_dim=16):
        ids = keras.Input((None,), dtype="int32")
        table = layers.Embedding(vocab_size, embed_dim, mask_zero=masked)(ids)
        table = vectors(table, ids, embed_dim)
        pooled = pool(table, ids) if pool else layers.GlobalAveragePooling1D()(table)
        return keras.Model(ids, layers.Dense(1, activation=out)(pooled))

    return build


def _real(ids):
    return ops.cast(ops.not_equal(ids, 0), "float32")[..., None]


def _probabilities(found):
    found = ops.convert_to_numpy(found)
    require(((found > 0) & (found < 1)).all(), "return probabilities: a sigmoid at the end")
    return found


def mean(real):
    return lambda v, ids: layers.GlobalAveragePooling1D()(v, mask=real(ids))


def _average(build, weights, ids):
    model = build(*weights[0].shape)
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    model(ids)  # a subclass has no weights before
    shapes = [tuple(weight.shape) for weight in model.weights]
    require(
        shapes == [weight.shape for weight in weights],
        "the weights stay as they were: an Embedding (vocab_size, embed_dim), then Dense(1)",
    )
    model.set_weights(weights)
    found = model(ids), model(np.pad(ids, ((0, 0), (0, 3))))
    _probabilities(found[0])
    return found


STILL = "more padding still changes the probability: the mask does not reach the pooling layer"


@exercise(
    "01.4",
    lecture_01.averaging_network,
    mistakes=[
        (averager(), STILL),
        (averager(masked=True), STILL),
        (averager(lambda v, ids, dim: v * dim**0.5 * _real(ids)),
         "pads add nothing any more, but the average still divides by the padded length"),
        (averager(lambda v, ids, dim: v, masked=True), "keep the factor √embed_dim"),
        *[(averager(lambda v, ids, dim, f=f: v * f(dim), mean(lambda ids: ids != 0)),
           "multiply by √embed_dim")
          for f in (lambda d: d, lambda d: 4, lambda d: d**-0.5)],
        (averager(pool=lambda v, ids: ops.sum(v * _real(ids), axis=1)),
         "divide the sum by the number of words"),
        (averager(pool=mean(lambda ids: ops.equal(ids, 0))), "mask: True at words, ids ≠ 0"),
        (averager(pool=mean(lambda ids: ids > 1)), "1 is an unknown word, and no padding"),
        *[(averager(pool=lambda v, ids, low=low: ops.max(v - low * (1 - _real(ids)), axis=1)),
           "average the words; that is their maximum") for low in (0, 1e4)],
        (averager(pool=mean(lambda ids: ids != 0), out=None), "return probabilities"),
        (averager(pool=lambda v, ids: v[:, 0]), "average the words; that is the first one"),
    ],
    takes=6,
    level=3,
    hints=[
        "Which layer makes the mask, which one needs it, and what stands between them?",
        "GlobalAveragePooling1D takes it as well: layer(vectors, mask=ops.not_equal(ids, 0)).",
    ],
    reasoning="Keras hands masks on from layer to layer; the bare product is not a layer.",
    solved="One line tests it for every model that reads padding: add pads, compare.",
    run=_average,
)  # fmt: skip
def _padded(draw):
    ids = draw.integers(1, 9, size=(3, 6))
    ids[0, 2:], ids[1:, 5:], ids[1, 0] = 0, 0, 1  # a pad in each: an inverted mask is not empty
    yield [draw.normal(size=shape) for shape in ((9, 5), (5, 1), (1,))], ids


def _pairs(near):
    """Wrong pairs; near: of tokens t, places i and j, window w."""
    return lambda t, w: [
        (t[i], t[j]) for i in range(len(t)) for j in range(len(t)) if near(t, i, j, w)
    ]


def _in_order(found):
    if found is None:
        return None
    found = [pair.tolist() if hasattr(pair, "tolist") else pair for pair in found]
    pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in found)
    require(pairs, "return a list of pairs (centre, context)")
    return sorted(tuple(pair) for pair in found)


@exercise(
    "01.5",
    skip_gram_pairs,
    mistakes=[
        (_pairs(lambda t, i, j, w: abs(j - i) <= w), "no position is its own context"),
        (_pairs(lambda t, i, j, w: 0 < j - i <= w), "you look only to the right"),
        (_pairs(lambda t, i, j, w: 0 < i - j <= w), "you look only to the left"),
        (_pairs(lambda t, i, j, w: j != i and -w <= j - i < w), "range leaves its end out"),
        (_pairs(lambda t, i, j, w: j != i and -w < j - i <= w), "the left side is one short"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < w), "your window is one too small"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < w + 2), "your window is one too large"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) < 3), "use `window`, not always 2"),
        (_pairs(lambda t, i, j, w: t[i] != t[j] and abs(j - i) <= w), "equal words are pairs"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - t.index(t[i])) <= w), "index finds the first"),
        (_pairs(lambda t, i, j, w: t[i] != t[j] and abs(j - t.index(t[i])) <= w),
         "index finds the first"),
        (_pairs(lambda t, i, j, w: w <= i < len(t) - w and 0 < abs(j - i) <= w),
         "the first and the last words are centres, too"),
        *[(_pairs(lambda t, i, j, w, f=f: 0 < abs(j - i) <= f(w)),
           "`window` words to the left and `window` to the right")
          for f in (lambda w: w // 2, lambda w: max(w // 2, 1), lambda w: 2 * w)],
        (_pairs(lambda t, i, j, w: i == 0 and 0 < j <= w), "return only after the loop"),
        (lambda t, w: skip_gram_pairs(range(len(t)), w), "pairs of words, not of positions"),
        (lambda t, w: [f"{a} {b}" for a, b in skip_gram_pairs(t, w)], "return a list of pairs"),
        (_pairs(lambda t, i, j, w: i != j), "only words within the window"),
        (_pairs(lambda t, i, j, w: abs(i - j) == w), "all words within the window"),
        (lambda t, w: [
            (a, t[max(0, i - w) : i] + t[i + 1 : i + w + 1]) for i, a in enumerate(t)],
         "a pair holds one context word"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) <= w or i + len(t) - j <= w),
         "a position under 0 counts from the end: nothing stands there"),
        (_pairs(lambda t, i, j, w: 0 < abs(j - i) <= w and (j > i or i >= w)),
         "tokens[i - window : i] is empty where i - window is under 0"),
        (lambda t, w: [(b, a) for a, b in _pairs(lambda t, i, j, w: 0 < j - i <= w)(t, w)],
         "you look only to the left"),
        (lambda t, w: list(zip(t, t[1:], strict=False)), "all words within the window"),
        (lambda t, w: set(skip_gram_pairs(t, w)), "equal pairs count: return a list, no set"),
    ],
    takes=5,
    level=2,
    hints=["Loop over positions with enumerate.", "tokens[max(0, i - window) : i]: the left."],
    reasoning="At the edges there are fewer neighbours: `0 <= place + offset` sees to it.",
    solved="Every word is centre once and context several times, and no label was needed.",
    run=lambda answer, *arguments: _in_order(answer(*arguments)),
)  # fmt: skip
def _sentences(draw):
    yield ["no", "no", "film"], 1
    yield "a very dull film indeed".split(), 2
    yield "the plot was dull and the cast was dull".split(), 3


TABLES = ("centre_vectors", "context_vectors")


def scorer(score=lambda u, v: ops.sum(u[:, None] * v, -1), out=ops.sigmoid, names=TABLES):
    """A skip-gram model with another score of u and v, another output, or one table."""

    def build(vocab_size, embed_dim):
        centre, candidates = keras.Input((), dtype="int32"), keras.Input((None,), dtype="int32")
        tables = {name: layers.Embedding(vocab_size, embed_dim, name=name) for name in names}
        u, v = tables[names[0]](centre), tables[names[1]](candidates)
        return keras.Model([centre, candidates], out(score(u, v)))

    return build


def _scores(build, tables, centre, candidates):
    model = build(*tables[0].shape)
    require(isinstance(model, keras.Model), "return a keras.Model([centre, candidates], …)")
    ranks = [len(each.shape) for each in getattr(model, "inputs", None) or ()]
    require(len(ranks) in (0, 2), "the model has two inputs: centre and candidates")
    require(ranks != [2, 1], "the first input is the centre, the second the candidates")
    model([centre, candidates])  # a subclass has no weights before
    shapes = [tuple(weight.shape) for weight in model.weights]
    require(len(shapes) != 1, "centre and context need a table each: you share one")
    require(
        shapes == [tables[0].shape] * 2,
        f"the weights are two tables {tables[0].shape} and nothing else, not {shapes}",
    )
    names = {layer.name: layer for layer in model.layers}
    for name, table in zip(TABLES, tables, strict=True):
        require(name in names, f"one of the two tables should have the name {name}")
        names[name].set_weights([table])
    return _probabilities(model([centre, candidates]))


@exercise(
    "01.6",
    lecture_01.skip_gram_model,
    mistakes=[
        (scorer(names=TABLES[:1] * 2), "centre and context need a table each: you share one"),
        (scorer(out=lambda scores: scores), "return probabilities: a sigmoid at the end"),
        (scorer(out=lambda scores: ops.sigmoid(ops.sigmoid(scores))), "one sigmoid is enough"),
        (scorer(out=lambda scores: ops.sigmoid(-scores)), "σ(u · v), without a minus"),
        (scorer(names=TABLES[::-1]), "the names are exchanged"),
        (scorer(lambda u, v: ops.sum(u[:, None] * v, -1) / u.shape[-1] ** 0.5),
         "the score is u · v, without a factor"),
        (scorer(lambda u, v: -ops.sum((u[:, None] - v) ** 2, -1)), "no distance: u · v"),
        (scorer(lambda u, v: ops.max(u[:, None] * v, -1)), "sum the products"),
        (scorer(out=ops.softmax), "each candidate is a yes or no of its own: sigmoid"),
        (
            scorer(lambda u, v: ops.sum(ops.normalize(u)[:, None] * ops.normalize(v), axis=-1)),
            "the score is the dot product, not the cosine",
        ),
        (scorer(score=lambda u, v: ops.mean(u[:, None] * v, axis=-1)), "sum the products"),
        (scorer(score=lambda u, v: ops.sum(u[:, None] + v, axis=-1)), "multiply u and v"),
        (scorer(score=lambda u, v: u[:, None] * v), "sum over the dimensions: axis=-1"),
        (scorer(score=lambda u, v: ops.sum(u[:, None] * v, axis=1)), "sum over the last axis"),
    ],
    takes=10,
    level=3,
    hints=[
        "u has shape (batch, dim), v (batch, words, dim): u[:, None, :] * v multiplies them.",
        "ops.sum(…, axis=-1) gives a score a candidate; then ops.sigmoid.",
    ],
    reasoning="Two tables: with one, a word would have to be a likely neighbour of itself.",
    solved="Two embeddings and a dot product: that is word2vec.",
    run=_scores,
)  # fmt: skip
def _candidates(draw):
    for size, dim, batch, words in ((7, 3, 4, 5), (11, 5, 2, 3)):
        yield (
            [draw.normal(size=(size, dim)) for _ in range(2)],
            draw.integers(0, size, size=batch),
            draw.integers(0, size, size=(batch, words)),
        )


def _groups(train, pairs, frequencies):
    """Train as the student does; True where 40 of 44 words have a neighbour of their group."""
    if train is lecture_01.train_vectors:  # trained in the tests, not at every check
        return True
    trained, fit = [], keras.Model.fit

    def watched(model, *arguments, **options):
        trained.append(model)
        return fit(model, *arguments, **options)

    with mock.patch.object(keras.Model, "fit", watched):
        vectors = np.asarray(train(pairs, frequencies))
    require(
        vectors.ndim == 2 and len(vectors) == len(frequencies),
        f"return the centre vectors, (vocabulary, dimensions) = ({len(frequencies)}, …), "
        f"not {vectors.shape}",
    )
    require(np.isfinite(vectors).all(), "some vectors are not numbers: a smaller learning rate")
    require((vectors % 1).any(), "these are counts: train `skip_gram_model` on the pairs")
    for model in trained[-1:]:
        centres, candidates, _ = lecture_01.with_noise(pairs[::200], frequencies, seed=1)
        score = np.asarray(model.predict_on_batch([centres, candidates]))
        more = score[:, 0].mean() - score[:, 1:].mean()
        require(
            more > -0.1, "your model prefers noise: a real context has the target 1, noise 0"
        )
        told = "tell contexts from noise: train longer, on all that with_noise gives"
        require(more > 0.05, f"your model does not {told}")
        contexts = [one for one in model.weights if "context_vectors" in one.path]
        require(
            not any(np.array_equal(vectors, ops.convert_to_numpy(one)) for one in contexts),
            "that is the table of the contexts: return centre_vectors",
        )
    words = lecture_01.small_corpus()[0]
    right = lecture_01.in_their_group(words, vectors)
    require(
        right >= 40,
        f"{right} of 44 words have a nearest neighbour of their own group, and 40 are asked. "
        "Train longer, or with another learning rate.",
    )
    return True


def untrained(pairs, frequencies):
    return np.random.default_rng(0).normal(size=(len(frequencies), 16))


def shortly(table="centre_vectors", targets=lambda given: given):
    """Train for one epoch, with other targets, or return another table."""

    def train(pairs, frequencies):
        centres, candidates, given = lecture_01.with_noise(pairs, frequencies)
        model = lecture_01.skip_gram_model(len(frequencies), 8)
        model.compile(keras.optimizers.Adam(0.05), "binary_crossentropy")
        model.fit([centres, candidates], targets(given), batch_size=1024, verbose=0)
        return model.get_layer(table).get_weights()[0]

    return train


@exercise(
    "01.7",
    lecture_01.train_vectors,
    mistakes=[
        (shortly(targets=lambda given: 1 - given), "your model prefers noise"),
        (
            shortly(targets=lambda given: given * 0),
            "your model does not tell contexts from noise",
        ),
        (shortly("context_vectors"), "that is the table of the contexts"),
        (untrained, "have a nearest neighbour of their own group"),
        (lambda pairs, f: untrained(pairs, f).T, "return the centre vectors"),
        (lambda pairs, f: untrained(pairs, f) * np.nan, "some vectors are not numbers"),
    ],
    takes=8,
    level=3,
    hints=[
        "with_noise(pairs, frequencies) gives centres, candidates and targets for model.fit.",
        'Adam(0.01), "binary_crossentropy", 3 epochs, batches of 1,024 are enough.',
    ],
    reasoning="Three million yes-or-no questions, five sixths of them about noise, teach it.",
    solved="No label was used: the text asked the questions and gave the answers.",
    run=_groups,
    limit=300,
)
def _corpus(draw):
    yield lecture_01.small_corpus()[1:]
