"""The exercises of lecture 01: vocabulary, tf-idf, a lost mask, skip-gram."""

import re

import keras
import numpy as np
from keras import ops

from course_utils.checks import give_weights, require_weights, watched_training
from course_utils.data import tokenize
from course_utils.data.reviews import DAMNING, NEGATORS, PRAISING
from course_utils.exercises import exercise, require
from lectures import lecture_01

KEY = "(-counts[word], word)"


def _in_order_of_ids(answer):
    found = answer([["b", "b", "c", "a"], ["c", "a", "c"]], 9)
    told = "the ids are right, but later cells list the words by them: put them in that order"
    require([*found.values()] == [2, 3, 4], told)


@exercise(
    "01.1",
    lecture_01.build_vocabulary,
    mistakes=[
        (f"sorted(counts, key=lambda word: {KEY})",
         f"sorted(dict(counts.most_common(size - 2)), key=lambda word: {KEY})",
         "most_common cuts ties by first occurrence: sort all words, then cut"),
        (f"key=lambda word: {KEY}", "key=lambda word: (counts[word], word), reverse=True",
         "reverse=True turns the alphabet round, too: sort by (-count, word)"),
        *(("- 2]", f"- {cut}]", "start=2", "start=0",
           "0 is padding and 1 is every unknown word: begin at 2") for cut in (0, 2)),
        ("start=2", "start=1", "1 stands for every unknown word: the first word gets 2"),
        ("- 2]", "- 0]", "`size` counts 0 and 1 too, so `size − 2` words have room"),
        ("-counts", "counts", "the most frequent word comes first"),
        (f"sorted(counts, key=lambda word: {KEY})", "list(counts)",
         "order by frequency, not by first occurrence"),
        (KEY, "-counts[word]", "equally frequent words: alphabetically"),
        ("in review)", "in set(review))",
         "count every occurrence, not the reviews with the word"),
        ("ranked[: size - 2]", "ranked", "keep `size − 2` words, the most frequent"),
        ("return {", "return {'<pad>': 0, '<unknown>': 1} | {",
         "padding and unknown are no words: leave them out"),
        ("word: number", "number: word", "word → id, not id → word"),
        ("return {word: number", "return [word", "=2)}", "=2)]",
         "return a dictionary, word → id"),
    ],
    takes=6,
    level=2,
    hints=[
        "collections.Counter counts; sorted(…, key=lambda word: (-counts[word], word)) ranks.",
        "Number the first size − 2 ranked words with enumerate(…, start=2).",
    ],
    reasoning="A rule for ties makes the ids the same on every machine.",
    compares="the vocabulary",
    solved="Two ids have no word: 0 stands for padding, 1 for every unknown word.",
    properties=[_in_order_of_ids],
)  # fmt: skip
def _reviews(draw):
    yield [["b", "b", "a"], ["c", "b", "a"]], 10
    words = "was dull the plot never dull cast film film film was".split()
    yield [draw.permutation(words).tolist() + ["the"], ["dull", "was", "zoom"]], 6
    yield [["so"], [], ["dull", "so", "so"], ["good", "good"]], 4
    yield [["c", "b", "a"]], 4
    yield [["don't", "10", "don't"]], 9


def _rows(answer, counts, document_frequency, num_documents):
    found = answer(counts, document_frequency, num_documents)
    sparse = "a NumPy array is asked for, not a sparse matrix: .toarray() makes one"
    require(not hasattr(found, "toarray"), sparse)
    if np.shape(found) == counts.shape:
        length = np.linalg.norm(np.asarray(found), axis=1)
        words, finite = counts.any(axis=1), np.isfinite(length)
        # Of a word of no training document 0 · ∞ is another mistake.
        empty = np.asarray(found)[~words][:, document_frequency > 0]
        require(np.isfinite(empty).all(), "a document without a known word keeps its zeros")
        one = not finite.all() or np.allclose(length[words], 1, atol=1e-3)
        require(one, f"scale rows to Euclidean length 1, last; yours have {length.round(3)}")
    return found


N, DF = "(1 + num_documents)", "(1 + document_frequency)"
IDF = f"np.log({N} / {DF}) + 1"
WEIGHTED = "counts * idf"


@exercise(
    "01.3",
    lecture_01.tf_idf,
    mistakes=[
        (" / np.where(length > 0, length, 1)", "", "scale rows to Euclidean length 1"),
        (IDF, f"np.log({N} / {DF})", "the + 1 after the logarithm"),
        (IDF, f"np.log({N} / {DF} + 1)", "the + 1 stands after the logarithm, not inside it"),
        (f"{N} / {DF}", "num_documents / document_frequency", "1 is added to N and to df"),
        (N, "num_documents", "1 is added to N as well"),
        (DF, "document_frequency", "1 is added to df as well"),
        ("np.log(", "(", "take the logarithm of the ratio"),
        *(("np.log(", f"np.{log}(", "the natural logarithm") for log in ("log10", "log2")),
        (WEIGHTED, "counts", "multiply by the idf before you scale"),
        (WEIGHTED, "(counts > 0) * idf", "a word that occurs twice counts twice"),
        (DF, "(1 + (counts > 0).sum(axis=0))",
         "use the frequencies that are given: these documents may be test texts"),
        ("length, 1)", "length, np.nan)", "a document without a known word keeps its zeros"),
        (", keepdims=True", "", "keep the axis of the words: keepdims=True"),
    ],
    takes=6,
    level=2,
    hints=[
        "First idf, one number per word; then counts * idf.",
        "np.linalg.norm(weighted, axis=1, keepdims=True); replace lengths of 0 by 1.",
    ],
    reasoning="A word of every document has idf 1, the least; scaling makes texts comparable.",
    solved="That is what scikit-learn's TfidfTransformer computes.",
    compares="the weights of the words",
    run=_rows,
)  # fmt: skip
def _counts(draw):
    for documents, words, empty, training, last in ((3, 5, 0, 15, 2), (6, 4, 2, 40, 0)):
        counts = draw.integers(0, 4, size=(documents, words)).astype(float)
        counts[:, -1], counts[empty], counts[1, 0] = 1, 0, 3
        yield counts, np.append(draw.integers(1, 15, size=words - 1), last), training
    # As CountVectorizer counts: whole numbers.
    yield np.array([[3, 1, 0], [0, 0, 0], [2, 0, 1], [1, 1, 2]]), np.array([9, 4, 1]), 10


GOOD, BAD = {*PRAISING, "good", "clever"}, {*DAMNING, "bad"}


def reads_as(text):
    """How a text may be read by its last verdict: a set of 1 and 0, empty without a verdict.

    A negator turns the next verdict, or all of its clause ("never dull or boring").
    """
    verdicts = set()
    for clause in re.split(r"[.,:;!?]|\b(?:and|but)\b", text.lower()):
        words = tokenize(clause)
        if words and words[-1] in NEGATORS:
            return set()
        next_one, clause_turned, joined = False, False, True
        for word in words:
            next_one ^= word in NEGATORS
            clause_turned ^= word in NEGATORS
            joined |= word in ("or", "nor")
            if word in GOOD | BAD:
                turned = {next_one, clause_turned} if joined else {next_one}
                verdicts = {int((word in GOOD) != one) for one in turned}
                next_one = joined = False
    return verdicts


NO_VERDICT = "no verdict read: use the words named above, a negator before what it denies"
READ = "a text reads otherwise than its label: the last verdict counts, and a negator reverses "
READ += "the one that follows it"
NOT_FOOLED = [
    (lambda: ("dull", "good"), "return two pairs, ((text, 1), (text, 0))"),
    (lambda: (("not bad", 1), ("bad", 1)), "one review praises (label 1), the other does not"),
    (lambda: (("not bad", 1), ("Not bad!", 0)), "they have the same words in the same order"),
    (lambda: (("not bad", 1), ("not good", 0)), "a counter sees different words: sort both"),
    (lambda: (("not bad", 1), ("bad, bad, not", 0)), "a count of each word tells them apart"),
    (lambda: (("ever so", 1), ("so ever", 0)), NO_VERDICT),
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
    as_told = all(label in one for label, one in zip((praise, blame), read, strict=True))
    holds += [sorted(first) == sorted(second), set() not in read, as_told]
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
    solved="No weights on single words can separate this pair. Can weights on pairs?",
    compares=("the first review", "the second review"),
    equal=lambda given, expected: True,
    properties=[_fools],
)
def _nothing(draw):
    yield ()


def _probabilities(model, inputs):
    found, learning = model(inputs), model(inputs, training=True)
    inside = ops.all((found >= 0) & (found <= 1))
    require(inside, "return probabilities: a sigmoid at the end")
    told = "a layer that acts in training alone is not asked for, such as Dropout"
    require(ops.max(ops.abs(found - learning)) < 1e-5, told)
    return found


def _average(build, weights, ids):
    model = build(*weights[0].shape)
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    model(ids)  # a subclass has no weights before
    require_weights(model, [weight.shape for weight in weights])
    give_weights(model, weights)
    return _probabilities(model, ids), model(np.pad(ids, ((0, 0), (0, 3))))


MASK = ", mask=ops.not_equal(ids, 0)"
AVERAGE = f"MaskedAveragePooling1D()(vectors{MASK})"
REAL = "ops.cast(ids != 0, 'float32')[..., None]"


@exercise(
    "01.4",
    lecture_01.averaging_network,
    mistakes=[
        (MASK, "", "more padding still changes the probability: the mask does not reach the "
         "pooling layer"),
        (MASK, "", "embed_dim**0.5", f"embed_dim**0.5 * {REAL}",
         "pads add nothing any more, but the average still divides by the padded length"),
        (" * embed_dim**0.5", "", "keep the factor √embed_dim"),
        (AVERAGE, f"ops.sum(vectors * {REAL}, axis=1)",
         "divide the sum by the number of words"),
        ("not_equal", "equal", "mask: True at words, ids ≠ 0"),
        (AVERAGE, "ops.max(vectors, axis=1)", "average the words; that is their maximum"),
        (', activation="sigmoid"', "", "return probabilities"),
        (AVERAGE, "vectors[:, 0]", "average the words; that is the first one"),
    ],
    takes=6,
    level=3,
    hints=[
        "Which layer makes the mask, which one needs it, and what stands between them?",
        "GlobalAveragePooling1D takes it as well: layer(vectors, mask=ops.not_equal(ids, 0)).",
    ],
    reasoning="Keras hands masks on from layer to layer; the bare product is not a layer. "
    "MaskedAveragePooling1D is Keras' GlobalAveragePooling1D, but for a review without a word: "
    "its average is 0, not 0/0.",
    solved="One line tests it for every model that reads padding: add pads, compare.",
    compares=("the probabilities", "the probabilities with three more pads"),
    run=_average,
)  # fmt: skip
def _padded(draw):
    ids = draw.integers(1, 9, size=(3, 6))
    ids[0, 2:], ids[1:, 5:], ids[1, 0] = 0, 0, 1  # a pad in each: an inverted mask is not empty
    long = draw.integers(1, 9, size=(2, 600))  # no limit to what is read
    long[0, 590:] = 0
    more = np.pad(ids[[0, 1, 2, 2]], ((0, 0), (0, 1)))
    for size, dim, rows in ((9, 5, ids), (12, 7, more), (9, 5, long)):
        yield [0.7 * draw.normal(size=shape) for shape in ((size, dim), (dim, 1), (1,))], rows


def _in_order(answer, tokens, window):
    found = answer(tokens, window)
    if found is None:
        return None
    found = [pair.tolist() if hasattr(pair, "tolist") else pair for pair in found]
    pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in found)
    require(pairs, "return a list of pairs (centre, context)")
    return sorted(tuple(pair) for pair in found)


FIRST = "for centre in tokens for place in [tokens.index(centre)]"
PAIR = "(centre, tokens[place + offset])"
OTHER = "len(tokens)", "len(tokens) and tokens[place + offset] != centre"


@exercise(
    "01.5",
    lecture_01.skip_gram_pairs,
    mistakes=[
        ("offset != 0 and ", "", "no position is its own context"),
        ("-window", "1", "you look only to the right"),
        ("window + 1", "0", "you look only to the left"),
        ("window + 1", "window", "range leaves its end out"),
        (*OTHER, "equal words are pairs"),
        ("for place, centre in enumerate(tokens)", FIRST, "index finds the first"),
        ("enumerate(tokens)", "enumerate(tokens[:1])", "return only after the loop"),
        (PAIR, "(place, place + offset)", "pairs of words, not of positions"),
        (lambda t, w: [
            (a, t[max(0, i - w) : i] + t[i + 1 : i + w + 1]) for i, a in enumerate(t)],
         "a pair holds one context word"),
        ("0 <= place", "place", "a position under 0 counts from the end: nothing stands there"),
        ("offset != 0", "(offset > 0 or offset < 0 and place >= window)",
         "tokens[i - window : i] is empty where i - window is under 0"),
        ("return [", "return {", "    ]", "    }", "equal pairs count: return a list, no set"),
    ],
    takes=5,
    level=2,
    hints=["Loop over positions with enumerate.", "tokens[max(0, i - window) : i]: the left."],
    reasoning="At the edges there are fewer neighbours: `0 <= place + offset` sees to it.",
    solved="Every word is centre once and context several times, and no label was needed.",
    compares="the list of sorted pairs",
    run=_in_order,
)  # fmt: skip
def _sentences(draw):
    yield ["no", "no", "film"], 1
    yield "a very dull film indeed".split(), 2
    yield "the plot was dull and the cast was dull".split(), 3
    yield [4, 9, 2, 4, 7, 3, 8, 5, 4], 5  # a later cell lists pairs of ids
    yield ["film"], 2


def _scores(build, tables, centre, candidates):
    model = build(*tables[0].shape)
    require(isinstance(model, keras.Model), "return a keras.Model([centre, candidates], …)")
    ranks = [len(each.shape) for each in getattr(model, "inputs", None) or ()]
    require(len(ranks) in (0, 2), "the model has two inputs: centre and candidates")
    require(ranks != [2, 1], "the first input is the centre, the second the candidates")
    model([centre, candidates])  # a subclass has no weights before
    require(len(model.weights) != 1, "centre and context need a table each: you share one")
    require_weights(model, [table.shape for table in tables])
    told = "with tables of zeros u and v never move: leave the initializer"
    require(all(np.ptp(ops.convert_to_numpy(one)) > 0 for one in model.weights), told)
    names = {layer.name: layer for layer in model.layers}
    for name, table in zip(("centre_vectors", "context_vectors"), tables, strict=True):
        require(name in names, f"model.get_layer({name!r}) should be one of the two tables")
        names[name].set_weights([table])
    return _probabilities(model, [centre, candidates])


U = 'layers.Embedding(vocab_size, embed_dim, name="centre_vectors")'
V = U.replace("centre", "context")
SCORES = "ops.sum(u[:, None, :] * v, axis=-1)"


@exercise(
    "01.6",
    lecture_01.skip_gram_model,
    mistakes=[
        (U, f"(table := {U})", V, "table",
         "centre and context need a table each: you share one"),
        ("ops.sigmoid(scores)", "scores", "return probabilities: a sigmoid at the end"),
        ("scores)", "ops.sigmoid(scores))", "one sigmoid is enough"),
        (U, "other", V, U, "other", V, "the names are exchanged"),
        (SCORES, "-ops.sum((u[:, None, :] - v) ** 2, axis=-1)", "no distance: u · v"),
        ("ops.sigmoid", "ops.softmax", "each candidate is a yes or no of its own: sigmoid"),
        ("u[:, None, :] * v", "ops.normalize(u)[:, None, :] * ops.normalize(v)",
         "the score is the dot product, not the cosine"),
        ("ops.sum", "ops.mean", "sum the products"),
        (SCORES, "u[:, None, :] * v", "sum over the dimensions: axis=-1"),
        ("u[:, None, :] * v", "u * v",
         "u needs an axis for the candidates: u[:, None, :]"),
    ],
    takes=10,
    level=3,
    hints=[
        "u has shape (batch, dim), v (batch, words, dim): u[:, None, :] * v multiplies them.",
        "ops.sum(…, axis=-1) gives one score per candidate; then ops.sigmoid.",
    ],
    reasoning="Two tables: with one, u · u ≥ 0 makes each word a likely neighbour of itself.",
    solved="Two embeddings and a dot product: that is word2vec.",
    compares="the probabilities",
    run=_scores,
)  # fmt: skip
def _candidates(draw):
    for size, dim, batch, words in ((7, 3, 4, 5), (11, 5, 2, 3)):
        tables, centre = [*draw.normal(size=(2, size, dim))], draw.integers(size, size=batch)
        yield tables, centre, draw.integers(size, size=(batch, words))
    # The last batch of an epoch may hold a single pair.
    tables = [*draw.normal(size=(2, 6, 4))]
    yield tables, draw.integers(6, size=1), draw.integers(6, size=(1, 4))


def _groups(train, pairs, frequencies):
    """Require that 40 of 44 words get a neighbour of their group."""
    with watched_training() as training:
        found = train(pairs, frequencies)
    vectors = np.asarray(found)
    not_this = "the model" if isinstance(found, keras.Model) else vectors.shape
    require(
        vectors.ndim == 2 and len(vectors) == len(frequencies),
        f"return the centre vectors, (vocabulary, dimensions) = ({len(frequencies)}, …), "
        f"not {not_this}",
    )
    told = "return a NumPy array: keras.ops.convert_to_numpy makes one of a tensor"
    require(isinstance(found, np.ndarray), told)
    require(np.isfinite(vectors).all(), "some vectors are not numbers: a smaller learning rate")
    told = "no model was trained by `fit`: train `skip_gram_model` on the pairs"
    require(training.losses, told)
    model = training.models[-1]
    tables = {one.path: ops.convert_to_numpy(one) for one in model.weights}
    same = [path for path, table in tables.items() if np.array_equal(table, vectors)]
    told = "return centre_vectors as the model has them after the training"
    require(same, f"these are not the vectors of the model that you trained: {told}")
    told = "that is the table of the contexts: return centre_vectors"
    require("context_vectors" not in same[0], told)
    centres, candidates, _ = lecture_01.with_noise(pairs[::200], frequencies, seed=1)
    score = np.asarray(model.predict_on_batch([centres, candidates]))
    more = score[:, 0].mean() - score[:, 1:].mean()
    told = "your model prefers noise: a real context has the target 1, noise 0"
    require(more > -0.1, told)
    _require_known(training.given, pairs, frequencies)
    told = "your model does not tell contexts from noise. "
    require(more > 0.05, told + training.advice())
    words = lecture_01.small_corpus()[0]
    right = lecture_01.in_their_group(words, vectors)
    require(
        right >= 40,
        f"{right} of 44 words have a nearest neighbour of their own group, and 40 are asked. "
        + training.advice(),
    )
    training.require_learned()


def _require_known(given, pairs, frequencies):
    """Require that what was trained on are pairs of the student's, and noise by frequency."""
    try:
        (centre, candidates), targets = given
        centre, candidates, targets = map(np.asarray, (centre, candidates, targets))
        real = targets.reshape(candidates.shape) == 1
    except ValueError:  # given in another form
        return
    told = "all your targets are 1: train on noise words, too, whose target is 0"
    require(not real.all(), told)
    rows, columns = np.nonzero(real)
    found = zip(centre.ravel()[rows].tolist(), candidates[rows, columns].tolist(), strict=True)
    told = "you train on other pairs than you were given"
    require({*found} <= {*map(tuple, pairs.tolist())}, told)
    told = "noise words are drawn by how often they occur: with_noise(pairs, frequencies)"
    frequent = frequencies[candidates[~real]].mean() > 1.3 * frequencies.mean()
    require(frequent, told)


def untrained(pairs, frequencies):
    return np.random.default_rng(0).normal(size=(len(frequencies), 16))


ONE = "epochs=3", "epochs=1"


@exercise(
    "01.7",
    lecture_01.train_vectors,
    mistakes=[
        (*ONE, "], targets", "], 1 - targets", "your model prefers noise"),
        (*ONE, "], targets", "], 0 * targets", "your model does not tell contexts from noise"),
        (*ONE, "centre_vectors", "context_vectors", "that is the table of the contexts"),
        (untrained, "no model was trained"),
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
    trains=_groups,
    limit=300,
)
def _corpus(draw):
    _, pairs, frequencies = lecture_01.small_corpus()
    # Without a few that are rare: who loads them anew is known by it.
    _, which, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    yield pairs[~np.isin(which.ravel(), np.argsort(counts, kind="stable")[:20])], frequencies
