"""Lab 06b: byte pairs, masked and causal language models, fine-tuning, low-rank adapters."""

from __future__ import annotations

import json
from collections import Counter
from typing import NamedTuple

import keras
import numpy as np
import tokenizers as library
from keras import layers, ops

from course_utils import models
from course_utils.data import (
    base,
    load_reviews,
    tokenize,
)
from course_utils.data.base import UNKNOWN, one_of
from course_utils.layers.attention import masked_mean
from lectures.lecture_06b.pretraining import word_embedding
from lectures.lecture_06b.texts import unlabelled_reviews
from lectures.lecture_06b.tokenizers import MASK, SPECIAL, Tokenizer

LECTURE = "06b_lab_pretraining"
SHORT = {"mixture": {"plain": 0.5, "negation": 0.5}, "before": (0, 1), "after": (0, 1)}
LENGTH, MERGES = 40, 200
ENCODER = {"embed_dim": 32, "num_heads": 4, "mlp_dim": 64, "num_layers": 2}
BUDGETS, COUNTS = (1, 2, 4, 8, 16), (50, 200, 800)
TUNING_RATES, PRETRAINING_RATES = (0.0005, 0.002, 0.008), (0.001, 0.003, 0.01, 0.03)
POOLS, PARTS = ("first", "mean"), ("train", "val", "test")


def merge(tokens, left, right):
    """Join each `left` that stands directly before a `right`; return the new list.

    From left to right, no token used twice: a a a with the pair a, a becomes aa a.

    Args:
        tokens: list of str, which stays as it is.
        left, right: the pair, str each.
    """
    joined, place = [], 0
    while place < len(tokens):
        found = tokens[place : place + 2] == [left, right]
        joined.append(left + right if found else tokens[place])
        place += 2 if found else 1
    return joined


def count_pairs(words, counts):
    """Return how often each pair of neighbours occurs, each word as often as it occurs.

    words: dict from a word to its list of tokens. counts: dict from a word to a number.
    """
    pairs = Counter()
    for word, tokens in words.items():
        for pair in zip(tokens, tokens[1:], strict=False):
            pairs[pair] += counts[word]
    return pairs


def train_bpe(counts, merges, merge=merge):
    """Learn byte-pair merges: start from characters; again and again join the commonest pair.

    The vocabulary starts with all characters, sorted; each new token is appended to it. Of
    pairs that are equally common take the one whose left token stands earlier in the
    vocabulary, then the one whose right token does. Stop early when no pair is left.

    Args:
        counts: dict from a word to how often it occurs.
        merges: how many merges to learn.
        merge: your function of exercise 06b.1.

    Returns:
        list of pairs (left, right), the first learned first. `count_pairs(words, counts)`
        counts the pairs; words is a dict from a word to its list of tokens.
    """
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        if "".join(best) not in vocabulary:
            vocabulary.append("".join(best))
    return learned


class BytePairs(Tokenizer):
    """The tokenizer of a list of merges: lower-cased words, each cut by the merges.

    The ids: the special tokens, then the characters of `texts`, then what each merge makes.
    """

    def __init__(self, merges, texts):
        characters = sorted(set("".join(tokenize(" ".join(texts)))))
        self.rank = {pair: number for number, pair in enumerate(merges)}
        self.entries = [*SPECIAL, *dict.fromkeys([*characters, *map("".join, merges)])]
        self.index = {entry: number for number, entry in enumerate(self.entries)}
        self.cut = {}

    def __len__(self):
        return len(self.entries)

    def word(self, word):
        """Cut a word: from its characters on, join the pair that was learned earliest."""
        tokens = list(word)
        while found := set(zip(tokens, tokens[1:], strict=False)) & self.rank.keys():
            tokens = merge(tokens, *min(found, key=self.rank.get))
        return tokens

    def tokens(self, text):
        words = tokenize(text)
        self.cut |= {word: self.word(word) for word in {*words} - self.cut.keys()}
        return [token for word in words for token in self.cut[word]]

    def ids(self, text):
        return [self.index.get(token, UNKNOWN) for token in self.tokens(text)]


def library_merges(counts, merges):
    """What the library `tokenizers` learns from words and how often each occurs."""
    inner = library.Tokenizer(library.models.BPE())
    inner.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    letters = len(set().union(*counts)) if counts else 0
    trainer = library.trainers.BpeTrainer(vocab_size=letters + merges, show_progress=False)
    inner.train_from_iterator((" ".join([w] * n) for w, n in counts.items()), trainer)
    return [tuple(pair) for pair in json.loads(inner.to_str())["model"]["merges"]]


def compare_tokenizers(tokenizers, texts):
    """Rows of a table on held-out texts, one per tokenizer (a dict from names to them).

    tokens a word: tokens over words, a word being what stands between blanks. unknown %: of the
    tokens. round trip %: of the texts that come back letter for letter.
    """
    texts = base.texts("texts", texts)
    words, rows = sum(len(text.split()) for text in texts), []
    for name, tokenizer in tokenizers.items():
        encoded = [tokenizer.ids(text) for text in texts]
        count = sum(map(len, encoded))
        unknown = sum(ids.count(UNKNOWN) for ids in encoded)
        same = sum(map(str.__eq__, map(tokenizer.text, encoded), texts))
        row = {"tokenizer": name, "vocabulary": len(tokenizer), "tokens a word": count / words}
        row |= {"unknown %": 100 * unknown / count, "round trip %": 100 * same / len(texts)}
        rows.append(row)
    return rows


def hide_tokens(ids, chance, noise, share=0.15):
    """Hide tokens for a masked language model; all random numbers are sampled beforehand.

    A position is *chosen* where `chance` is below `share` and the token is an ordinary one
    (its id is at least 5; ids 0 to 4 are <pad>, <unknown>, <sos>, <eos>, <mask>). Of the range
    below `share`, the first 80 % become <mask> (id 4), the next 10 % the id in `noise`; the
    last 10 % stay as they are.

    Args:
        ids: int (batch, tokens), which stays as it is.
        chance: float (batch, tokens), from 0 to 1.
        noise: int (batch, tokens), ids of random tokens.
        share: of the ordinary tokens that are chosen.

    Returns:
        inputs and targets, NumPy arrays of int (batch, tokens); targets hold the original id at
        all chosen positions and 0 elsewhere.
    """
    chosen = (chance < share) & (ids >= len(SPECIAL))
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), MASK, inputs)
    return inputs, np.where(chosen, ids, 0)


def next_tokens(ids, chance, noise, share=1.0):
    """The same for a causal model: the next token at a share of the positions, 0 elsewhere."""
    following = np.pad(ids[:, 1:], ((0, 0), (0, 1)))
    return ids, np.where(chance < share, following, 0)


OBJECTIVES = {  # how targets are made, and for which share of the positions
    "masked, 15 %": (hide_tokens, 0.15),
    "causal, 15 %": (next_tokens, 0.15),
    "causal, all positions": (next_tokens, 1.0),
}


class LanguageBatches(keras.utils.PyDataset):
    """Batches of 32 inputs and targets, int32 (batch, tokens) each, others in every epoch.

    ids: int (texts, tokens). make: `hide_tokens` or `next_tokens`; share: its argument.
    With shuffle=False (for validation) every epoch is the same.
    """

    def __init__(self, ids, vocab_size, make, share, seed=0, shuffle=True):
        super().__init__()
        self.ids, self.vocab_size, self.make, self.share = ids, vocab_size, make, share
        self.seed, self.shuffle, self.epoch, self.batch_size = seed, shuffle, 0, 32
        self.examples = len(self) * self.batch_size

    def __len__(self):
        return len(self.ids) // self.batch_size

    def on_epoch_end(self):
        self.epoch += self.shuffle

    def __getitem__(self, number):
        order = np.arange(len(self.ids))
        if self.shuffle:
            np.random.default_rng([self.seed, self.epoch]).shuffle(order)
        ids = self.ids[order[number * self.batch_size :][: self.batch_size]]
        generator = np.random.default_rng([self.seed, self.epoch, number])
        noise = generator.integers(len(SPECIAL), self.vocab_size, ids.shape)
        made = self.make(ids, generator.random(ids.shape), noise, self.share)
        return tuple(array.astype("int32") for array in made)

    def predictions(self):
        """How many predictions an epoch asks for."""
        return sum(np.count_nonzero(self[number][1]) for number in range(len(self)))


def prediction_loss(targets, logits):
    """Return the mean cross-entropy of the tokens that were asked for.

    Positions whose target is 0 were not asked for and do not count, neither in the sum nor in
    the number by which it is divided. There is at least one position that counts.

    Args:
        targets: int (batch, tokens); `fit` hands the same numbers over as float32.
        logits: float (batch, tokens, vocabulary), before the softmax.

    Returns:
        a scalar, computed with `keras.ops`.
    """
    asked = ops.cast(ops.not_equal(targets, 0), "float32")
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return ops.sum(losses * asked) / ops.maximum(ops.sum(asked), 1)


def language_model(encoder):
    """Token ids → a score for every word at every position, by the encoder's own embedding.

    At the bottom the matrix E (words, channels) turns ids into vectors; at the top the last
    state h is compared with all of its rows: h Eᵀ ("tied weights").
    """
    ids = keras.Input((None,), dtype="int32")
    states = encoder(ids)[-1] + 0.0  # a sum carries no padding mask; the loss skips pads
    return keras.Model(ids, word_embedding(encoder)(states, reverse=True))


def sequence_classifier(encoder, classes, pool="first", dropout=0.1):
    """One answer per text: ids (batch, tokens) → logits (batch, classes).

    pool: "first" reads the state of the first token, <sos>, as BERT does; "mean" the mean
    of all states but the pads'. Raises ValueError for another pool.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(pooled(encoder(ids)[-1], ids, pool))
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name="classifier")


def pooled(states, ids, pool):
    """One vector per text, (batch, channels): its "first" state, or their "mean"."""
    one_of("pool", pool, POOLS)
    if pool == "first":
        return states[:, 0]
    return masked_mean(states, ops.not_equal(ids, 0))


class OnDense(keras.layers.Layer):
    """A built Dense layer, and what is added to it: `rank` columns and rows, times `scale`."""

    def __init__(self, dense, rank=4, scale=1.0, **kwargs):
        super().__init__(**kwargs)
        self.dense, self.rank, self.scale = dense, rank, scale
        self.supports_masking = True


class LowRank(OnDense):
    """A low-rank adapter (LoRA): a frozen Dense layer plus a small trained update.

        y = dense(x) + scale · (x A) B

    `self.dense` is the layer, already built, with `self.dense.units` units; `self.rank` and
    `self.scale` are numbers.
    """

    def build(self, input_shape):
        """Freeze `self.dense`; add the weights A (inputs, rank), sampled, and B (rank, units).

        B starts at zero, so that a new adapter changes nothing. Inputs: `input_shape[-1]`.
        """
        self.dense.trainable = False
        self.A = self.add_weight(
            shape=(input_shape[-1], self.rank), initializer="he_uniform", name="A"
        )
        self.B = self.add_weight(
            shape=(self.rank, self.dense.units), initializer="zeros", name="B"
        )

    def call(self, x):
        """x (batch, tokens, inputs) → y (batch, tokens, units)."""
        return self.dense(x) + self.scale * ops.matmul(ops.matmul(x, self.A), self.B)


def add_adapters(encoder, adapter=LowRank):
    """Freeze an encoder; put adapters of rank 4 on the queries and values of its attention."""
    for layer in encoder.layers:
        layer.trainable = False
    for block in (layer for layer in encoder.layers if hasattr(layer, "attention")):
        block.trainable = True
        for part in (block.attention_norm, block.feed_forward, block.feed_forward_norm):
            part.trainable = False
        attention = block.attention
        attention._tracker.unlock()  # Keras lets a built layer take no new part, unless asked
        for name in ("query", "key", "value", "output_projection"):
            dense = getattr(attention, name)
            dense.trainable = False
            if name in ("query", "value"):
                added = adapter(dense, 4, name=f"{name}_adapter")
                added.build((None, None, dense.kernel.shape[0]))
                setattr(attention, name, added)
        attention._tracker.lock()
    return encoder


class FewLabels(NamedTuple):
    """Short reviews: the tokenizer, rows for pre-training, and labelled rows and texts.

    rows: {"train", "val"} without labels; ids, labels, texts: {"train", "val", "test"} each.
    """

    tokenizer: Tokenizer
    rows: dict
    ids: dict
    labels: dict
    texts: dict


def few_reviews(tokenizer=None):
    """Load them; by default with a tokenizer of 200 merges."""
    reviews = load_reviews(form="text", **SHORT)
    texts = {part: list(map(str, reviews.split(part).inputs)) for part in PARTS}
    if tokenizer is None:
        counts = Counter(word for text in texts["train"] for word in tokenize(text))
        tokenizer = BytePairs(train_bpe(counts, MERGES), texts["train"])
    held_out = {*texts["val"], *texts["test"]}
    unlabelled = [text for text in unlabelled_reviews(6_500, **SHORT)
                  if text not in held_out][:6_000]  # fmt: skip
    rows = tokenizer.encode(unlabelled, LENGTH)
    ids = {part: tokenizer.encode(texts[part], LENGTH) for part in PARTS}
    labels = {part: reviews.split(part).targets for part in PARTS}
    texts["unlabelled"] = unlabelled
    return FewLabels(tokenizer, {"train": rows[:-400], "val": rows[-400:]}, ids, labels, texts)


def new_encoder(tokenizer, causal=False, **changes):
    """An untrained encoder of the lab's size."""
    settings = ENCODER | changes
    return models.transformer_encoder(
        len(tokenizer), max_length=LENGTH, causal=causal, **settings
    )


def shipped_reader(tokenizer, name):
    """An encoder that comes with the course: "masked_reader" or "causal_reader"."""
    encoder = new_encoder(tokenizer, causal=name == "causal_reader")
    arrays = models.load_pretrained(name)
    encoder.set_weights([arrays[number] for number in sorted(arrays)])
    return encoder


def pretrain(few, encoder, make, share, epochs, learning_rate=3e-3, seed=0, callbacks=()):
    """Pre-train an encoder on the reviews without labels; return the losses by epoch."""
    model, size = language_model(encoder), len(few.tokenizer)
    adam = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(adam, prediction_loss)
    train = LanguageBatches(few.rows["train"], size, make, share, seed=seed)
    val = LanguageBatches(few.rows["val"], size, make, share, shuffle=False)
    options = {"epochs": epochs, "verbose": 0, "callbacks": list(callbacks)}
    return model.fit(train, validation_data=val, **options).history


def balanced_sample(labels, count, seed):
    """Rows of `count` examples, as many of one label as of the other, none twice.

    labels: int (examples,), 0 or 1. All arms of a comparison get the same draw: same seed, same
    rows. Raises ValueError for an odd count or too few examples.
    """
    groups = [np.flatnonzero(labels == label) for label in (0, 1)]
    fewest = min(map(len, groups))
    if count % 2 or count // 2 > fewest:
        raise ValueError(f"count has to be even and at most twice {fewest}, got {count}")
    generator = np.random.default_rng(seed)
    rows = [generator.choice(group, count // 2, replace=False) for group in groups]
    return generator.permutation(np.concatenate(rows))


def freeze(encoder):
    """Train nothing of an encoder."""
    encoder.trainable = False
    return encoder


class Tuner:
    """Fine-tunes one classifier again and again: from given weights, on given labels.

    A new Keras model for every row of a table would be compiled each time; the same model with
    its first weights and an empty optimizer is as good as new.
    adapt: what is done to the encoder first, such as `freeze` or `add_adapters`.
    """

    def __init__(
        self, few, encoder, adapt=None, steps=300, batch=16, head=sequence_classifier, seed=0
    ):
        self.few, self.steps, self.batch = few, steps, batch
        self.encoder_weights = list(encoder.weights)
        keras.utils.set_random_seed(seed)
        encoder = adapt(encoder) if adapt else encoder
        self.model = head(encoder, 2, pool="mean", dropout=0.0)
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])
        self.model.optimizer.build(self.model.trainable_variables)
        self.variables = [*self.model.variables, *self.model.optimizer.variables]
        self.fresh = [ops.convert_to_numpy(variable) for variable in self.variables]

    def __call__(self, start, count, learning_rate, seed):
        """Train from an encoder's weights (None: untrained); accuracy on validation and test.

        count: of labels, half of each kind, drawn by `balanced_sample` with this seed.
        """
        self.restart(start, learning_rate)
        rows = balanced_sample(self.few.labels["train"], count, seed)
        keras.utils.set_random_seed(seed)
        ids, labels = self.few.ids["train"][rows], self.few.labels["train"][rows]
        epochs = self.steps * self.batch // count
        self.model.fit(ids, labels, batch_size=self.batch, epochs=epochs, verbose=0)
        return [self.accuracy(part) for part in ("val", "test")]

    def restart(self, start, learning_rate):
        """Give the encoder the weights `start` (None: untrained), the rest its first values."""
        for variable, value in zip(self.variables, self.fresh, strict=True):
            variable.assign(value)
        for variable, value in zip(self.encoder_weights, start or [], strict=bool(start)):
            variable.assign(value)
        self.model.optimizer.learning_rate = learning_rate

    def accuracy(self, part):
        """The share of correct answers on a part."""
        logits = self.model.predict(self.few.ids[part], batch_size=200, verbose=0)
        return float((logits.argmax(-1) == self.few.labels[part]).mean())

    def best(self, start, count, seed):
        """(validation, test) at the learning rate that validation prefers."""
        tried = [self(start, count, rate, seed) for rate in TUNING_RATES]
        return max(tried, key=lambda one: one[0])


def contaminated(corpus, texts, run=8):
    """Return which texts share a run of consecutive words with a corpus: bool (texts,).

    Words are what `tokenize(text)` gives: lower case, no punctuation. A run lies within one
    text of the corpus. A text of fewer words than `run` counts as clean.

    Args:
        corpus, texts: lists of str.
        run: how many words in a row have to be the same.
    """

    def runs(text):
        words = tokenize(text)
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.array([not known.isdisjoint(runs(text)) for text in texts])


def collected_reviews(few):
    """The unlabelled reviews, 240 of them exchanged for test reviews in capitals."""
    generator = np.random.default_rng(0)
    texts = list(few.texts["unlabelled"])
    copies = generator.choice(few.texts["test"], 240, replace=False)
    for place, copy in zip(generator.permutation(len(texts)), copies, strict=False):
        texts[place] = str(copy).upper().replace(".", "!")
    return texts


def train_reader(few, count=400):
    """Pre-train an encoder and fine-tune a classifier; return the classifier.

    Args:
        few: what `few_reviews` returns; `few.rows` has no labels.
        count: how many labels it may use: the rows `balanced_sample(labels, count, seed=0)` of
            `few.ids["train"]` and `labels = few.labels["train"]`.

    Returns:
        a Keras model, int (batch, tokens) → logits (batch, 2), such as
        `sequence_classifier(encoder, 2, pool=…)` gives: it holds the encoder itself, so build
        it first. `new_encoder(few.tokenizer, causal=…)` makes an untrained encoder;
        `pretrain(few, encoder, hide_tokens, 0.15, epochs)` or, for a causal one,
        `pretrain(few, encoder, next_tokens, 1.0, epochs)` trains it.
    """
    keras.utils.set_random_seed(0)
    encoder = new_encoder(few.tokenizer, causal=True)
    model = sequence_classifier(encoder, 2, pool="mean", dropout=0.0)
    pretrain(few, encoder, next_tokens, 1.0, epochs=4)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-3), loss, metrics=["accuracy"])
    rows = balanced_sample(few.labels["train"], count, seed=0)
    ids, labels = few.ids["train"][rows], few.labels["train"][rows]
    model.fit(ids, labels, batch_size=16, epochs=6_400 // count, verbose=0)
    return model
