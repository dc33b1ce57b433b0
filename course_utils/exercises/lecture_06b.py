"""Exercises of lab 06b: byte pairs, masking and its loss, adapters, a reader, a leak."""

import keras
import numpy as np
from keras import ops

from course_utils.data import tokenize
from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_06b
from course_utils.lectures.lecture_06b import LowRank, balanced_sample, contaminated, merge


def merged(forward=2, often=99, same=lambda two, pair: two == pair):
    """`merge` that moves on by `forward`, merges `often` times, or compares differently."""

    def changed(tokens, left, right):
        tokens, joined, place, times = list(tokens), [], 0, 0
        while place < len(tokens):
            two = tokens[place : place + 2]
            hit = times < often and same(two, [left, right])
            joined.append("".join(two) if hit else tokens[place])
            place, times = place + (forward if hit else 1), times + hit
        return joined

    return changed


@exercise(
    "06b.1",
    merge,
    mistakes=[
        (merged(forward=1), "after a merge move on by two: the right token is used up"),
        (lambda t, a, b: merge(t, a, b)[: None if t[-2:] == [a, b] else -1],
         "the last token is lost where it is not merged"),
        (merged(same=lambda two, pair: len(two) == 2 and two[0] == pair[0]),
         "compare both tokens of the pair, not the left one alone"),
        (merged(same=lambda two, pair: sorted(two) == sorted(pair)),
         "the order counts: `left` stands before `right`"),
        (lambda t, a, b: [b + a if x == a + b else x for x in merge(t, a, b)],
         "the new token is left + right, in this order and with nothing between"),
        (merged(often=1), "every occurrence of the pair is joined, not only the first"),
        (lambda t, a, b: merge(t[::-1], b, a)[::-1], "go from left to right"),
        (lambda t, a, b: "".join(merge(t, a, b)), "return a list of tokens"),
        (lambda t, a, b: "".join(t).replace(a + b, f" {a + b} ").split(),
         "compare whole tokens: inside one joined string their boundaries are lost"),
        (lambda t, a, b: " ".join(t).replace(f"{a} {b}", a + b).split(" "),
         "only whole tokens may be joined: do not replace inside of a string"),
        (lambda t, a, b: [x for x in merge(t, a, b) if x == a + b], "keep the other tokens"),
        (lambda t, a, b: merge(t, b, a), "`left` stands before `right`"),
    ],
    takes=5,
    level=2,
    hints=["By how much does the position move on?", "Compare tokens[place : place + 2]."],
    reasoning="A merge uses up two tokens; comparing whole ones keeps earlier boundaries.",
    solved="A byte-pair tokenizer is this merge, a few thousand times.",
)  # fmt: skip
def tokens_and_pair(draw):
    cases = "a:a a, a a a:a a, n e w:x y, l o l o w:l o, ab c b c:b c, lo w:lo w, b a b a:a b"
    cases += ", l a l o:l o"
    for case in cases.split(", "):
        tokens, pair = case.split(":")
        yield tokens.split(), *pair.split()


def bpe(best=None, count=lecture_06b.count_pairs, once=False, born="end"):
    """`train_bpe` with another choice of the best pair, another count, or another order."""

    def changed(counts, merges, merge=merge):
        words, learned = {word: list(word) for word in counts}, []
        vocabulary, pairs = sorted(set("".join(counts))), None
        while len(learned) < merges:
            pairs = pairs if once and pairs else count(words, counts)
            if not pairs:
                break
            choose = best or (lambda p, pairs, v: (-pairs[p], *map(v.index, p)))
            pair = min(pairs, key=lambda p: choose(p, pairs, vocabulary))
            learned.append(pair)
            words = {word: merge(tokens, *pair) for word, tokens in words.items()}
            if once:
                pairs = {p: n for p, n in pairs.items() if p != pair}
            if "".join(pair) not in vocabulary:
                vocabulary.insert(len(vocabulary) if born == "end" else 0, "".join(pair))
        return learned

    return changed


def each_once(words, counts):
    return lecture_06b.count_pairs(words, dict.fromkeys(counts, 1))


def once_a_word(words, counts):
    pairs = lecture_06b.count_pairs(words, counts)
    return {
        pair: sum(
            counts[word] for word, t in words.items() if pair in zip(t, t[1:], strict=False)
        )
        for pair in pairs
    }


TIES = "of equally common pairs take the one whose left token stands earlier in the vocabulary"


@exercise(
    "06b.2",
    lecture_06b.train_bpe,
    mistakes=[
        (bpe(once=True), "count anew after every merge: a merge changes the pairs"),
        (bpe(count=each_once), "a word's pairs count as often as the word occurs"),
        (bpe(count=once_a_word), "a pair counts once an occurrence, also within one word"),
        (bpe(lambda p, pairs, v: (pairs[p], *map(v.index, p))), "join the commonest pair"),
        (bpe(lambda p, pairs, v: -pairs[p]), TIES),
        (bpe(lambda p, pairs, v: (-pairs[p], p)), TIES),
        (bpe(lambda p, pairs, v: (-pairs[p], *[-v.index(x) for x in p])), TIES),
        (bpe(lambda p, pairs, v: (-pairs[p], *map(v.index, p[::-1]))),
         "ties: the left token's place decides first, then the right token's"),
        (bpe(lambda p, pairs, v: (-pairs[p], v.index(p[0]), -v.index(p[1]))),
         "ties: where the left tokens are the same, the earlier right token wins"),
        (bpe(born="start"), "append a new token to the vocabulary: it stands last"),
        (lambda c, n, m=merge: ["".join(p) for p in lecture_06b.train_bpe(c, n)],
         "return pairs (left, right), not the joined tokens"),
        (lambda c, n, m=merge: lecture_06b.train_bpe(c, n)[:-1], "that is one merge short"),
        (lambda c, n, m=merge: lecture_06b.train_bpe(c, n + 1), "that is one merge too many"),
        (lambda c, n, m=merge: lecture_06b.train_bpe(c, 1) * n,
         "apply each merge to all words before you count again"),
    ],
    takes=8,
    level=3,
    hints=[
        "Repeat: count_pairs(words, counts); min(pairs, key=…); merge in every word.",
        "key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)) settles ties as well.",
    ],
    reasoning="The commonest pair is joined everywhere, then everything is counted anew.",
    solved="The library learns the same list; it only updates its counts more cleverly.",
)  # fmt: skip
def words_and_merges(draw):
    yield {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 4
    yield {"low": 5, "lower": 2, "newest": 6, "widest": 3}, 8
    yield {"aaa": 3, "aaaaa": 2, "abab": 4, "ababab": 1, "baa": 2, "bbbb": 3}, 6
    yield {"ab": 1, "c": 5}, 9
    letters = draw.choice(list("abcd"), (9, 5))
    yield (
        {
            "".join(word): int(n)
            for word, n in zip(letters, draw.integers(1, 9, 9), strict=True)
        },
        7,
    )


def hide(ids, chance, noise, share=0.15, mask=0.8, other=0.9, asked=1.0, turns=1, first=5):
    chosen, inputs = (chance < share) & (ids >= first), ids
    for bound, new in [(other, noise), (mask, 4)][::turns]:
        inputs = np.where(chosen & (chance < bound * share), new, inputs)
    return inputs, np.where(chosen & (chance < asked * share), ids, 0)


def unchosen(ids, chance, noise, share):
    chosen = (chance > share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    return inputs, np.where(chosen, ids, 0)


def turned_round(ids, chance, noise, share):
    inputs, targets = hide(ids, chance, noise, share, mask=0.9)
    return np.where((targets > 0) & (chance < 0.1 * share), noise, inputs), targets


def late(*given):
    inputs, targets = hide(*given)
    return inputs, np.where(targets > 0, inputs, 0)


UNCHANGED = "positions that stay as they are were chosen, too: they have a target"


@exercise(
    "06b.3",
    lecture_06b.hide_tokens,
    mistakes=[
        (lambda *given: hide(*given)[::-1], "the inputs come first, then the targets"),
        (lambda *given: hide(*given, first=0), "never choose special tokens (ids 0 to 4)"),
        (lambda *given: hide(*given, first=4), "never choose special tokens (ids 0 to 4)"),
        (lambda *given: hide(*given, first=6), "ordinary ids begin at 5: 5 may be chosen"),
        (late, "the targets were read after the hiding: they hold the ids from before"),
        (lambda *given: hide(*given, asked=0.8), UNCHANGED),
        (lambda *given: hide(*given, asked=0.9), UNCHANGED),
        (lambda *given: hide(*given, mask=1.0), "only the first 80 % become <mask>"),
        (lambda *given: hide(*given, other=0), "from 80 to 90 % the id of `noise` is due"),
        (lambda *given: hide(*given, other=1.0), "the last 10 % stay as they are"),
        (unchosen, "chosen is where `chance` is below `share`, not above"),
        (lambda i, c, n, s: hide(i, np.where(c == s, 0.95 * s, c), n, s),
         "`chance` has to be below `share`: an equal one is not chosen"),
        (lambda *given: hide(*given, mask=0.1), "the first 80 % become <mask>, not 10 %"),
        (lambda i, c, n, s: [np.where(hide(i, c, n, s)[0] == 4, 0, i), hide(i, c, n, s)[1]],
         "hidden is <mask>, id 4, not <pad>, id 0"),
        (turned_round, "the first 80 % become <mask>, the next 10 % the noise: in this order"),
        (lambda *given: (hide(*given)[0], hide(*given)[1] > 0),
         "targets hold the original ids, not True and False"),
        (lambda *given: hide(*given, turns=-1), "the noise has overwritten the masks"),
        (lambda i, c, n, s=0.15: hide(i, c, n, 0.15), "use `share`, not 0.15"),
        (lambda *given: (hide(*given)[0], given[0]),
         "only chosen positions have a target: copying the others is free"),
        (lambda *given: (hide(*given)[0], np.where(hide(*given)[1] > 0, hide(*given)[1], -1)),
         "where nothing is asked the target is 0, not -1"),
    ],
    takes=7,
    level=3,
    hints=[
        "chosen = (chance < share) & (ids >= 5); targets = np.where(chosen, ids, 0).",
        "Inputs: noise where chance < 0.9 · share, then the mask where chance < 0.8 · share.",
    ],
    reasoning="All chosen positions are predicted, so every token needs a good state.",
    solved="One chosen position in ten is predicted although nothing was hidden there.",
)  # fmt: skip
def rows_to_hide(draw):
    for shape, share in [((1, 8), 0.15), ((6, 40), 0.4)]:
        ids, noise = draw.integers(5, 60, shape), draw.integers(60, 99, shape)
        ids[:, 0], ids[:, 1], ids[::2, -3:], ids[-1, 2:4] = 2, 5, 0, (4, 1)
        parts = np.array([0.05, 0.3, 0.7, 0.83, 0.93, 1.5, 3]) * share
        chance = draw.choice(np.minimum(parts, 0.99), shape)
        chance[:, :6] = np.array([0.3, 0.3, 0.83, 0.93, 0.7, 0.93])[None] * share
        chance[0, 4 if len(ids) == 1 else 9] = share
        yield ids, chance, noise, share


def loss_like(weigh=lambda y: y != 0, over=None, sign=-1, prepare=lambda z: z):
    """A loss with another weight, another denominator, sign or logits."""

    def loss(targets, logits):
        z = prepare(np.asarray(logits, float))
        logs = z - np.log(np.exp(z).sum(-1, keepdims=True))
        picked = np.take_along_axis(logs, np.asarray(targets)[..., None], -1)[..., 0]
        weights = weigh(np.asarray(targets)).astype(float)
        return sign * (picked * weights).sum() / (over or np.sum)(weights)

    return loss


def softmaxed(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def twice(targets, logits):
    """Cross-entropy of logits that are taken for probabilities."""
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits)
    asked = ops.cast(ops.not_equal(targets, 0), "float32")
    return ops.sum(losses * asked) / ops.sum(asked)


def scalar(answer, targets, logits):
    """The loss, which has to be one number."""
    found = answer(ops.convert_to_tensor(targets), ops.convert_to_tensor(logits))
    found = None if found is None else ops.convert_to_numpy(found)
    require(found is None or found.ndim == 0, "return one number, not one for each position")
    return found


def by_rows(targets, logits):
    losses = [loss_like()(t[None], z[None]) for t, z in zip(targets, logits, strict=True)]
    return np.mean(losses)


@exercise(
    "06b.4",
    lecture_06b.prediction_loss,
    mistakes=[
        (loss_like(lambda y: np.ones(y.shape)), "positions with target 0 do not count"),
        (loss_like(over=np.size), "divide by the number of positions that were asked for"),
        (loss_like(over=len), "divide by the number of positions, not of texts"),
        (loss_like(over=lambda w: 1.0), "that is the sum: divide by the number asked for"),
        (loss_like(sign=1), "a loss is minus the log-probability"),
        (loss_like(prepare=softmaxed), "the logits went through a softmax twice"),
        (twice, "the scores are logits: say from_logits=True"),
        (loss_like(lambda y: y == 0), "those with target 0 are left out, not kept"),
        (lambda y, z: np.exp(loss_like()(y, z)), "that is the perplexity: leave out the exp"),
        (lambda y, z: loss_like()(y, z) / np.log(2), "in nats, as Keras gives it, not in bits"),
        (loss_like(lambda y: y), "each position weighs the same, whatever its id"),
        (lambda y, z: np.mean((z.argmax(-1) == y)[y > 0]), "that is accuracy, not the loss"),
        (lambda y, z: ops.cast(y != 0, "float32"), "one number, not one for each position"),
        (by_rows, "a mean of the texts' means overrates texts with few targets: sum first"),
        (loss_like(lambda y: y >= 5), "every target but 0 counts"),
    ],
    takes=4,
    level=2,
    hints=[
        "keras.losses.sparse_categorical_crossentropy(…, from_logits=True) has no mean yet.",
        "Multiply by ops.cast(targets != 0, 'float32'); divide one sum by the other.",
    ],
    reasoning="Pads and unasked positions would be easy or meaningless questions.",
    solved="The denominator matters: a masked model is asked at few positions of a text.",
    run=scalar,
)
def targets_and_logits(draw):
    for shape in ((2, 3), (3, 7)):
        targets = draw.integers(1, 9, shape)
        targets[0, 1:] = 0
        targets[1, 0], targets[1, 1], targets[-1, -1] = 0, 2, 0
        yield targets.astype("int32"), draw.normal(0, 2, (*shape, 9)).astype("float32")


def low_rank(call=None, start="zeros", first="he_uniform", frozen=True, shapes=lambda i, r, u:
             ((i, r), (r, u))):  # fmt: skip
    """An adapter in which something differs."""

    class Adapter(lecture_06b.OnDense):
        def build(self, input_shape):
            self.dense.trainable = not frozen
            a, b = shapes(input_shape[-1], self.rank, self.dense.units)
            self.A = self.add_weight(shape=a, initializer=first, name="A")
            self.B = self.add_weight(shape=b, initializer=start, name="B")

        def call(self, x):
            update = ops.matmul(ops.matmul(x, self.A), self.B)
            return call(self, x, update) if call else self.dense(x) + self.scale * update

    return Adapter


def adapted(Adapter, inputs, units, rank, scale, x):
    """What an adapter gives with drawn weights; a new one changes nothing and trains A, B."""
    dense = keras.layers.Dense(units)
    dense.build((None, inputs))
    before = ops.convert_to_numpy(dense(x))
    layer = Adapter(dense, rank, scale)
    new = np.abs(ops.convert_to_numpy(layer(x)) - before).max()
    kernel = any(weight is dense.kernel for weight in layer.trainable_weights)
    require(not kernel, "freeze the layer: self.dense.trainable = False")
    shapes = sorted(tuple(weight.shape) for weight in layer.trainable_weights)
    right = sorted([(inputs, rank), (rank, units)])
    require(
        shapes == right,
        f"with {inputs} inputs, rank {rank} and {units} units the trained weights are A "
        f"({inputs}, {rank}) and B ({rank}, {units}); yours have the shapes {shapes}",
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
    require(first.size < 2 or np.ptp(first), "A is sampled: equal columns stay equal for ever")
    draw = np.random.default_rng(0)
    for weight in (A, B, dense.kernel, dense.bias):
        weight.assign(draw.normal(0, 0.5, weight.shape))
    return ops.convert_to_numpy(layer(x))


@exercise(
    "06b.5",
    LowRank,
    mistakes=[
        (low_rank(frozen=False), "freeze the layer: self.dense.trainable = False"),
        (low_rank(start="ones"), "B starts at zero"),
        (low_rank(first="zeros"), "A is sampled: if A is zero"),
        (low_rank(first="ones"), "equal columns stay equal"),
        (low_rank(lambda self, x, u: self.dense(x) - self.scale * u), "add the update"),
        (low_rank(lambda self, x, u: ops.matmul(x, self.dense.kernel) + self.scale * u),
         "the layer's bias is missing: call self.dense(x)"),
        (low_rank(lambda self, x, u: self.dense(x) * (1 + self.scale * u)),
         "the update is added, not multiplied with the layer's output"),
        (low_rank(lambda self, x, u: self.scale * (self.dense(x) + u)),
         "`scale` multiplies the update alone"),
        (low_rank(lambda self, x, update: self.scale * update), "plus the update"),
        (low_rank(shapes=lambda i, r, u: ((i, 4), (4, u))), "the trained weights are A"),
        (low_rank(lambda self, x, update: self.dense(x) + update), "the factor `scale`"),
        (low_rank(lambda self, x, update: self.dense(x)), "the update x A B is not added"),
        (low_rank(lambda self, x, update: self.dense(x) + self.scale**2 * update),
         "the factor `scale` comes in once"),
        (low_rank(lambda self, x, update: self.dense(x) + self.scale / self.rank * update),
         "here `scale` is the whole factor: do not divide by the rank"),
        (low_rank(lambda self, x, update: self.dense(x) + ops.relu(self.scale * update)),
         "no activation between A and B, nor behind them: the update is linear"),
        (low_rank(lambda self, x, u: self.dense(x) + self.scale * ops.matmul(
            ops.relu(ops.matmul(x, self.A)), self.B)), "no activation between A and B"),
    ],
    takes=8,
    level=3,
    hints=[
        "self.A = self.add_weight(shape=(input_shape[-1], self.rank), initializer=…, name='A')",
        "call: self.dense(x) + self.scale * ops.matmul(ops.matmul(x, self.A), self.B).",
    ],
    reasoning="B = 0 keeps the pre-trained function; A ≠ 0 lets B receive a gradient.",
    solved="A matrix with d·d weights is tuned with 2·r·d; x A comes first, so it is cheap.",
    run=adapted,
)  # fmt: skip
def dense_layers(draw):
    for inputs, units, rank, scale in ((3, 2, 1, 0.5), (6, 5, 2, 3.0)):
        x = draw.normal(size=(2, 4, inputs)).astype("float32")
        yield inputs, units, rank, scale, x


def _reads(train):
    """Run a student's training on 400 labels and say what is missing; True at 0.9."""
    if train is lecture_06b.train_reader:  # trained in the solved notebook, not here
        return True
    few = lecture_06b.few_reviews()
    rows = balanced_sample(few.labels["train"], 400, seed=0)
    ids = few.ids["train"].copy()  # outside the rows, labels and reviews do not belong together
    others = np.setdiff1d(np.arange(len(ids)), rows)
    ids[others] = ids[np.random.default_rng(9).permutation(others)]
    new = few.ids["train"][others[:1000]], few.labels["train"][others[:1000]]
    model = train(few._replace(ids=few.ids | {"train": ids}))
    require(isinstance(model, keras.Model), "return the trained classifier")
    shape = model.output_shape
    require(shape == (None, 2), f"the output should be logits (batch, 2), not {shape}")
    logits = model.predict(new[0], batch_size=200, verbose=0)
    reached = (logits.argmax(-1) == new[1]).mean()
    require(
        reached >= 0.9,
        f"accuracy on 1,000 new reviews is {reached:.2f}, and 0.9 is asked. Near 0.5 the "
        "encoder has learned too little or is not fine-tuned: look at the plot, how many "
        "epochs does pre-training need? Above it, train longer.",
    )
    return True


def _never_trained(few, count=400, outputs=2):
    encoder = lecture_06b.new_encoder(few.tokenizer)
    return lecture_06b.sequence_classifier(encoder, outputs, pool="mean")


@exercise(
    "06b.6",
    lecture_06b.train_reader,
    mistakes=[
        (lambda few, count=400: {}, "return the trained classifier"),
        (lambda few, count=400: _never_trained(few, outputs=3), "logits (batch, 2)"),
        (_never_trained, "train longer"),
    ],
    takes=10,
    level=3,
    hints=[
        "Which curve is highest after four epochs? Four epochs of it are enough.",
        "sequence_classifier(encoder, 2, pool='mean'), Adam(2e-3), batches of 16, 16 epochs.",
    ],
    reasoning="A causal model that is asked at all positions learns most from an epoch.",
    solved="400 labels are enough for an encoder that has read 5,600 reviews before.",
    run=_reads,
    limit=400,
)
def no_arguments(draw):
    yield ()


def leaking(words=tokenize, size=0, joined=False, share=False, anywhere=False, places=None,
            order=list, glue=False):  # fmt: skip
    """`contaminated` with other words, lengths or places, or over the edges of texts."""

    def found(corpus, texts, run=8):
        n = run + size

        def runs(text):
            cut = words(text)
            if anywhere:
                return {(word,) for word in cut}
            starts = places(len(cut), n) if places else range(len(cut) - n + 1)
            found = {tuple(order(cut[i : i + n])) for i in starts}
            return {"".join(run) for run in found} if glue else found

        known = set().union(*map(runs, [" ".join(corpus)] if joined else corpus))
        hits = np.array([not known.isdisjoint(runs(text)) for text in texts])
        return hits.mean() if share else hits

    return found


def by_runs(hit):
    """`contaminated` that judges a text by all of its runs: hit(corpus, runs, run)."""

    def found(corpus, texts, run=8):
        cuts = map(tokenize, texts)
        runs = [[" ".join(c[i : i + run]) for i in range(len(c) - run + 1)] for c in cuts]
        return np.array([bool(one) and hit(corpus, one, run) for one in runs])

    return found


def inside(corpus, runs, run):
    return any(one in " ".join(tokenize(text)) for text in corpus for one in runs)


def stripped(text):
    return [word.strip(".,!?") for word in text.split()]


def unordered(corpus, texts, run=8):
    """Texts that share `run` words with a text, in whatever order."""
    known = [set(tokenize(text)) for text in corpus]
    return np.array([any(len(one & {*tokenize(t)}) >= run for one in known) for t in texts])


def whole_texts(corpus, texts, run=8):
    known = [tokenize(text) for text in corpus]
    return np.array([tokenize(text) in known for text in texts])


def only_starts(corpus, texts, run=8):
    """Only the first run of each text is looked up."""
    starts = [" ".join(tokenize(text)[:run]) for text in texts]
    return contaminated(corpus, starts, run)


@exercise(
    "06b.7",
    contaminated,
    mistakes=[
        (lambda corpus, texts, run=8: np.isin(texts, corpus), "whole texts, compared exactly: "
         "one changed letter hides a copy. Compare runs of words"),
        (whole_texts, "whole texts hide a copy that is longer or shorter. Compare runs"),
        (only_starts, "look up every run of a text, not only the first one"),
        (leaking(places=lambda length, n: range(0, length - n + 1, n)),
         "a run may start at every word: runs overlap"),
        (leaking(places=lambda length, n: range(length)),
         "the last runs of your list are shorter than `run`"),
        (unordered, "the words have to stand in a row, not somewhere in the same text"),
        (leaking(str.split), "compare what `tokenize` gives: case and punctuation may differ"),
        (leaking(lambda t: t.lower().split()), "punctuation may differ: use `tokenize`"),
        (leaking(list), "runs of words, not of characters"),
        (leaking(stripped), "case may differ: use `tokenize`"),
        (leaking(glue=True), "joined without blanks, other words can give the same string"),
        (by_runs(inside), "a string is found inside a longer word too: compare lists of words"),
        (leaking(order=sorted), "the order of the words counts"),
        (leaking(places=lambda k, n: range(k - n)), "the last run of a text is missing"),
        (by_runs(lambda c, runs, run: contaminated(c, runs, run).all()),
         "one common run is enough: any, not all"),
        (lambda c, t, run=8: contaminated(c, t, run) | [len(tokenize(x)) < run for x in t],
         "a text of fewer words than `run` counts as clean"),
        (leaking(size=1), "a run has `run` words, yours one more"),
        (leaking(size=-1), "a run has `run` words, yours one less"),
        (leaking(joined=True), "a run lies within one text: do not join the corpus"),
        (leaking(share=True), "return True or False for each text, not the share"),
        (leaking(anywhere=True), "`run` words in a row, not single words"),
        (lambda c, t, run=8: ~contaminated(c, t, run), "True means contaminated"),
        (lambda c, t, run=8: contaminated(c, t, 8), "use `run`, not 8"),
        (lambda c, t, run=8: contaminated(t, c, run), "one answer for each of `texts`"),
    ],
    takes=6,
    level=2,
    hints=["Make a set of all runs of the corpus, tuples of words.",
           "{tuple(words[i : i + run]) for i in range(len(words) - run + 1)}"],
    reasoning="Runs of words survive changes of case, punctuation, headers and footers.",
    solved="Check every pre-training corpus against every test set, before you train.",
)  # fmt: skip
def corpora(draw):
    words = [f"w{number}" for number in range(40)]
    corpus = [" ".join(draw.choice(words, 12)) for _ in range(6)]
    cut = corpus[0].split()
    texts = [corpus[0].upper() + "!", "so " + ", ".join(cut[2:8]) + " w1 w1", corpus[1]]
    texts += [" ".join(draw.choice(words, 12)), " ".join(cut[:3]), " ".join(cut[::-1])]
    texts += [" ".join(corpus[2].split()[-3:] + corpus[3].split()[:3]), " ".join(cut[:5])]
    texts += ["w1 w2 " + " ".join(cut[2:8]), "w1 " + " ".join(cut[1:10]) + " w2"]
    corpus += ["under stand the long sea now", "so the plot was never dull in fact"]
    texts += ["understand the long sea no w", "the plot was never dull i"]
    yield corpus, texts, 6
    yield corpus, texts, 4
