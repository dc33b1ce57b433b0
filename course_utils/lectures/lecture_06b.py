"""Lab 06b: byte pairs, spans, fair comparisons, rows of ids, and heads on an encoder.

An encoder is a model from ids, int (batch, tokens), 0 for padding, to a list of hidden states
(batch, tokens, channels), the embeddings first, the last layer last. A head shares its weights,
so that training the head's model trains the encoder too, unless `encoder.trainable` is False.
Rows of ids begin with <sos>; `tokenizer` is one of `course_utils.tokenizers`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

import keras
import numpy as np
from keras import layers, ops
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.linear_model import LogisticRegression

from course_utils.data.base import (
    UNKNOWN,
    Dataset,
    Split,
    one_of,
    read_table,
    rows_of,
    whole_number,
)
from course_utils.data.download import download
from course_utils.data.imdb import _read
from course_utils.layers.attention import MASK_VALUE
from course_utils.models.transformer import transformer_encoder
from course_utils.pretraining import (
    PretrainingBatches,
    PretrainingModel,
    unigram_loss,
    windows,
    word_loss,
)
from course_utils.schedules import WarmupStableDecay
from course_utils import tokenizers
from course_utils.training import fit
from course_utils.tokenizers import SPECIAL, START, Tokenizer, library

END = SPECIAL.index("<eos>")
IGNORE = -1
FEATURES = ("embeddings", "second to last", "last", "sum of the last four")
FEATURES += ("concatenation of the last four", "sum of all")
POOLS = ("first", "mean")


def tokens_per_word(ids, texts):
    """Return how many tokens a tokenizer needs per word, over all texts together.

    Args:
        ids: int (texts, length), 0 behind the end of each text; no other id is padding.
        texts: the same texts as list of str; words are what `str.split` gives.
    """
    return (ids != 0).sum() / sum(len(text.split()) for text in texts)


def merge(pieces, left, right):
    """Return the pieces with each `left` that stands before a `right` joined to it.

    From left to right, no piece used twice: a a a with a, a becomes aa a.

    Args:
        pieces: list of str, which stays as it is. left, right: str.
    """
    joined, place = [], 0
    while place < len(pieces):
        found = pieces[place : place + 2] == [left, right]
        joined.append(left + right if found else pieces[place])
        place += 2 if found else 1
    return joined


def count_pairs(pieces, counts):
    """Return how often each pair of neighbours occurs, words counted as often as they occur.

    pieces: dict from word to its list of pieces. counts: dict from word to a number.
    """
    pairs = Counter()
    for word, parts in pieces.items():
        for pair in zip(parts, parts[1:], strict=False):
            pairs[pair] += counts[word]
    return pairs


def train_bpe(counts, merges):
    """Learn so many merges of byte pair encoding, or as many as there are pairs to join.

    It starts from single characters and joins, again and again, the most frequent pair. Ties:
    the pair whose left piece has the lowest number, then the right one; characters are numbered
    by code point, joined pieces behind them. So all merges equal those of `tokenizers`.

    counts: dict from word to how often it occurs. merges: how many, 0 or more, else ValueError.
    Returns a list of (left piece, right piece), the first learnt first.

    Source: Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword
    units" (2016), algorithm 1.
    """
    whole_number("merges", merges, at_least=0)
    numbers = {c: n for n, c in enumerate(sorted({c for word in counts for c in word}))}
    pieces = {word: list(word) for word in counts}
    learnt = []
    for _ in range(merges):
        pairs = count_pairs(pieces, counts)
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], numbers[p[0]], numbers[p[1]]))
        learnt.append(best)
        numbers.setdefault("".join(best), len(numbers))
        pieces = {word: merge(parts, *best) for word, parts in pieces.items()}
    return learnt


def apply_merges(word, merges):
    """Cut a word into pieces: from its characters, join the pair that was learnt earliest."""
    rank = {pair: number for number, pair in enumerate(map(tuple, merges))}
    pieces = list(word)
    while pairs := [pair for pair in zip(pieces, pieces[1:], strict=False) if pair in rank]:
        pieces = merge(pieces, *min(pairs, key=rank.get))
    return pieces


def hide_tokens(ids, special, mask_id, chance, noise):
    """Hide tokens for a masked language model; `chance` and `noise` are drawn beforehand.

    A position is chosen where chance < 0.15 and its id is not in `special`. A chosen one is
    replaced by `mask_id` where chance < 0.12 and by its id in `noise` where 0.12 <= chance <
    0.135; otherwise it stays as it is.

    Args:
        ids: int (batch, length).
        special: ids that are never chosen. mask_id: the id of the mask.
        chance: float (batch, length) from 0 to 1. noise: int (batch, length).

    Returns:
        Two arrays like ids: the inputs, and the targets, which hold the old id at all chosen
        positions and -1 elsewhere.
    """
    chosen = (chance < 0.15) & ~np.isin(ids, special)
    inputs = np.where(chosen & (chance < 0.135), noise, ids)
    inputs = np.where(chosen & (chance < 0.12), mask_id, inputs)
    return inputs, np.where(chosen, ids, -1)


def spans(tags):
    """Return the set of (start, end, type) of a sentence's BIO tags; both ends inclusive.

    "B-film" begins a film, "I-film" goes on with it, "O" is outside; ValueError for another. As
    in the published scorer, an "I-film" behind neither of the two begins a film as well.
    Source: Ramshaw and Marcus, "Text chunking using transformation-based learning" (1995).
    """
    found, start, kind = set(), None, None
    for place, tag in enumerate([*tags, "O"]):
        letter, _, name = str(tag).partition("-")
        if tag != "O" and (letter not in ("B", "I") or not name):
            raise ValueError(f"a tag is 'O', 'B-…' or 'I-…', got {tag!r}")
        goes_on = letter == "I" and name == kind
        if kind is not None and not goes_on:
            found.add((start, place - 1, kind))
            kind = None
        if tag != "O" and not goes_on:
            start, kind = place, name
    return found


def span_f1(true, predicted):
    """Return F1 over the spans of all sentences: both ends and the type have to be right.

    Args:
        true, predicted: lists of lists of BIO tags, sentence by sentence. `spans` gives the
            set of (start, end, type) of one sentence.

    Returns:
        2 · hits / (true spans + predicted spans), the harmonic mean of precision and recall;
        0 where there is no hit.
    """
    hits = total = 0
    for right, guess in zip(map(spans, true), map(spans, predicted), strict=True):
        hits += len(right & guess)
        total += len(right) + len(guess)
    return 2 * hits / total if hits else 0.0


def compare_arms(arms, labels, count, seed):
    """Compare ways to train ("arms") on the same few labelled examples.

    Args:
        arms: dict from a name to a function `train(rows)`, which returns {"val_accuracy":
            list, "test_accuracy": list}, a number an epoch each. Every arm is trained once.
        labels: int (examples,), 0 or 1; rows are positions in it.
        count: how many different rows to draw from `np.random.default_rng(seed)`, half of
            each label, the same for all arms: an int array (count,).

    Returns:
        dict from a name to the test accuracy of the epoch with the best validation accuracy.
    """
    generator = np.random.default_rng(seed)
    groups = [np.flatnonzero(labels == label) for label in (0, 1)]
    rows = [generator.choice(group, count // 2, replace=False) for group in groups]
    table = {}
    for name, train in arms.items():
        history = train(np.concatenate(rows))
        table[name] = history["test_accuracy"][int(np.argmax(history["val_accuracy"]))]
    return table


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


def init_head_by_probe(model, ids, labels):
    """Set a classifier's last layer to a logistic regression on what goes into it.

    A fresh head sends large, aimless gradients through the encoder and spoils what it knew.
    Fine-tuning that starts from a fitted head changes it with care.

    model: ends in a Dense layer of two logits. ids: int (examples, tokens), labels: 0 or 1.
    Source: Kumar et al., "Fine-tuning can distort pretrained features" (2022).
    """
    head = model.layers[-1]
    features = keras.Model(model.input, head.input).predict(ids, verbose=0)
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
    fitted = LogisticRegression(C=0.01, max_iter=2_000)
    fitted.fit((features - mean) / deviation, labels)
    direction = fitted.coef_[0] / deviation
    offset = fitted.intercept_[0] - direction @ mean
    signs = np.array([-0.5, 0.5])
    head.set_weights([direction[:, None] * signs, offset * signs])


class Restart:
    """Set a compiled model back to its start: `Restart(model, encoder)(encoder_weights)`.

    A new model for every row of a table would be traced and compiled anew each time; the same
    model with its first weights, and with empty optimizer slots, is as good as new.
    encoder: the part whose weights a call may replace; None keeps the first ones.
    """

    def __init__(self, model: keras.Model, encoder: keras.Model):
        self.model, self.encoder = model, encoder
        model.optimizer.build(model.trainable_variables)
        self.weights = model.get_weights()
        self.slots = [keras.ops.convert_to_numpy(slot) for slot in model.optimizer.variables]

    def __call__(self, encoder_weights=None):
        self.model.set_weights(self.weights)
        if encoder_weights is not None:
            self.encoder.set_weights(encoder_weights)
        for slot, value in zip(self.model.optimizer.variables, self.slots, strict=True):
            slot.assign(value)
        return self.model


def align_tags(tags, word_ids):
    """Return a tag for each piece of a sentence: a word's at its first piece, else -1.

    tags: one a word. word_ids: for each piece the place of its word, None for special ones.
    """
    aligned, before = [], None
    for word in word_ids:
        first = word is not None and word != before
        aligned.append(tags[word] if first else IGNORE)
        before = word
    return aligned


def look_up_tags(train, sentences):
    """The baseline without a context: each word's most frequent tag in training, else O."""
    counts = defaultdict(Counter)
    for words, tags in zip(train.inputs, train.targets, strict=True):
        for word, tag in zip(words, tags, strict=True):
            counts[word][tag] += 1
    best = {
        word: min(found, key=lambda tag: (-found[tag], tag)) for word, found in counts.items()
    }
    return [[best.get(word, 0) for word in words] for words in sentences]


def frequent_answers(questions):
    """The share of test answers found by the most frequent one that the review holds."""

    def answered(part):
        asked = part.inputs["text"], part.targets, part.columns["question_kind"]
        for text, (first, last), kind in zip(*asked, strict=True):
            yield f" {' '.join(text)} ", " ".join(text[first : last + 1]), kind

    counts, hits = defaultdict(Counter), 0
    for _, answer, kind in answered(questions.train):
        counts[kind][answer] += 1
    for text, answer, kind in answered(questions.test):
        likely = (found for found, _ in counts[kind].most_common() if f" {found} " in text)
        hits += next(likely, None) == answer
    return hits / len(questions.test)


def endings_alone(choices):
    """Test accuracy of choosing endings by their words, as counted in training."""
    scores = Counter()
    train, test = choices.train, choices.test
    for endings, right in zip(train.inputs["endings"], train.targets, strict=True):
        for place, ending in enumerate(endings):
            for word in ending:
                scores[word] += 1 if place == right else -1 / 3
    rows = test.inputs["endings"]
    sums = [[sum(scores[word] for word in ending) for ending in endings] for endings in rows]
    return float((np.argmax(sums, axis=1) == test.targets).mean())


def filled(row, length):
    """The row with 0 behind it, `length` long. Raises ValueError where it does not fit."""
    if len(row) > length:
        raise ValueError(f"{len(row)} pieces do not fit into a length of {length}")
    return [*row, *[0] * (length - len(row))]


def tagged_rows(part, tokenizer, length):
    """Sentences cut to `length`: ids (sentences, length), and tags, -1 where no word begins."""
    ids = np.zeros((len(part), length), "int32")
    targets = np.full((len(part), length), IGNORE, "int32")
    for row, (words, tags) in enumerate(zip(part.inputs, part.targets, strict=True)):
        pieces, places = tokenizer.of_words(words)
        pieces = [START, *pieces][:length]
        aligned = align_tags(tags, [None, *places])[:length]
        ids[row, : len(pieces)], targets[row, : len(aligned)] = pieces, aligned
    return ids, targets


def joined(first, second, tokenizer, length):
    """<sos> first <eos> second: ids, and each piece's word in `second` (its place, or None)."""
    before, (behind, places) = tokenizer.of_words(first)[0], tokenizer.of_words(second)
    row = filled([START, *before, END, *behind], length)
    return row, [None] * (len(before) + 2) + places


def question_rows(part, tokenizer, length):
    """Questions: ids (reviews, length), spans of pieces (reviews, 2), where the text stands."""
    ids, found, allowed = [], [], []
    pairs = zip(part.inputs["question"], part.inputs["text"], part.targets, strict=True)
    for question, text, (first, last) in pairs:
        row, places = joined(question, text, tokenizer, length)
        ids.append(row)
        found.append((places.index(first), len(places) - 1 - places[::-1].index(last)))
        allowed.append(filled([place is not None for place in places], length))
    return np.array(ids, "int32"), np.array(found, "int32"), np.array(allowed, bool)


def choice_rows(part, tokenizer, length):
    """Choices: ids (reviews, endings, length), each ending behind its review."""
    pairs = zip(part.inputs["text"], part.inputs["endings"], strict=True)
    rows = [[joined(text, one, tokenizer, length)[0] for one in ends] for text, ends in pairs]
    return np.array(rows, "int32")


def summary_rows(part, tokenizer, length):
    """<sos> review <eos> summary <eos>: ids, the next tokens, and where the summary begins.

    Before it the next tokens are 0, which the loss leaves out: nobody has to write reviews.
    """
    ids, targets, starts = [], [], []
    for text, summary in zip(part.inputs, part.targets, strict=True):
        front = [START, *tokenizer.ids(text), END]
        answer = [*tokenizer.ids(summary), END]
        ids.append(filled([*front, *answer], length))
        targets.append(filled([0] * (len(front) - 1) + answer, length))
        starts.append(len(front))
    return np.array(ids, "int32"), np.array(targets, "int32"), np.array(starts)


def greedy_continue(model, ids, starts):
    """Let a language model write 24 tokens, the likeliest each, behind `starts`: like `ids`."""
    rows, places = np.arange(len(ids)), starts.copy()
    new = np.where(np.arange(ids.shape[1]) < starts[:, None], ids, 0)
    for _ in range(24):
        logits = model.predict(new, batch_size=100, verbose=0)
        new[rows, places] = logits[rows, places - 1].argmax(-1)
        places = np.minimum(places + 1, ids.shape[1] - 1)
    return new


def same_answers(new, right, starts):
    """Which rows of `new` hold the right answer, from `starts` up to the next <eos>: bool."""
    same = []
    for row, true, start in zip(new, right, starts, strict=True):
        stop = start + list(true[start:]).index(END) + 1
        same.append(bool((row[start:stop] == true[start:stop]).all()))
    return np.array(same)


def sequence_classifier(encoder, classes, pool="first", dropout=0.1):
    """One answer a text: ids (batch, tokens) → logits (batch, classes).

    pool: "first" reads the state of the first token, <sos>, as BERT does; "mean" the mean
    of all states but the pads'. Raises ValueError for another pool.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(pooled(encoder(ids)[-1], ids, pool))
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name="classifier")


def token_classifier(encoder, classes):
    """One answer a token: ids (batch, tokens) → logits (batch, tokens, classes)."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name="tagger")


def span_answerer(encoder, dropout=0.1):
    """Where an answer starts and ends: ids (batch, tokens) → {"start", "end"}.

    Both are scores, (batch, tokens). Question and text stand in one row; each end has a
    vector of its own, compared with every token's state. Pads score far below the rest.
    Source: Devlin et al. (2019), section 4.2.
    """
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2, dtype="float32", name="ends")(x)
    scores = ops.where(ops.expand_dims(ops.not_equal(ids, 0), -1), scores, MASK_VALUE)
    ends = {"start": scores[..., 0], "end": scores[..., 1]}
    return keras.Model(ids, ends, name="span_answerer")


def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    """Which of some answers fits: ids (batch, choices, tokens) → logits (batch, choices).

    Every choice is read by itself, with the question, and gets one number; the softmax
    runs over the choices. Source: Devlin et al. (2019), section 4.4.
    """
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    scores = layers.Dense(1, dtype="float32", name="score")(x)
    return keras.Model(ids, ops.reshape(scores, (-1, choices)), name="choice_scorer")


@keras.saving.register_keras_serializable(package="course_utils")
class OneRowAChoice(keras.layers.Layer):
    """(batch, choices, tokens) → (batch · choices, tokens)."""

    def call(self, ids):
        return ops.reshape(ids, (-1, ops.shape(ids)[-1]))


def feature_classifier(encoder, features, classes, pool="mean"):
    """A classifier on frozen hidden layers: ids (batch, tokens) → logits (batch, classes).

    features: one of `FEATURES` (the rows of BERT's table 7); the weights of a sum are learned,
    softmax of one number a layer. Raises ValueError for others, and for too few hidden layers.
    """
    one_of("features", features, FEATURES)
    encoder.trainable = False
    ids = keras.Input((None,), dtype="int32")
    states = encoder(ids, training=False)
    if "four" in features and len(states) < 5:
        raise ValueError(f"{features} needs an encoder of four blocks, not {len(states) - 1}")
    x = pooled(combined(states, features), ids, pool)
    return keras.Model(ids, layers.Dense(classes, dtype="float32")(x), name="features")


def combined(states, features):
    """The hidden states, one of `FEATURES`, that a frozen encoder hands to its head."""
    if features == "embeddings":
        return states[0]
    if features in ("last", "second to last"):
        return states[-1 if features == "last" else -2]
    if features.startswith("concatenation"):
        return layers.Concatenate()(states[-4:])
    return LayerMix()(states[-4:] if "four" in features else states)


@keras.saving.register_keras_serializable(package="course_utils")
class LayerMix(keras.layers.Layer):
    """Σ_l softmax(w)_l · h_l: a weighted sum of layers, with one learned number a layer.

    Call: a list of (batch, tokens, channels) → (batch, tokens, channels).
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_mask(self, states, mask=None):
        return mask[0] if mask else None

    def build(self, shapes):
        self.scores = self.add_weight(shape=(len(shapes),), initializer="zeros", name="scores")

    def call(self, states):
        shares = ops.cast(ops.softmax(self.scores), states[0].dtype)
        return ops.tensordot(shares, ops.stack(states), axes=1)

    def compute_output_shape(self, shapes):
        return shapes[0]


def pooled(states, ids, pool):
    """One vector a text, (batch, channels), from its states: "first" token's, or the "mean"."""
    one_of("pool", pool, POOLS)
    if pool == "first":
        return states[:, 0]
    padding_mask = ops.expand_dims(ops.cast(ops.not_equal(ids, 0), states.dtype), -1)
    words = ops.maximum(ops.sum(padding_mask, axis=1), 1)
    return ops.sum(states * padding_mask, axis=1) / words


def best_span(start, end, allowed):
    """The best pair of ends, NumPy: start and end (batch, tokens) → int (batch, 2).

    The largest start + end score of all pairs whose end does not stand before their start.
    allowed: bool (batch, tokens), where an answer may lie: in the text, not in the question.
    """
    start, end = np.asarray(start, "float64"), np.asarray(end, "float64")
    tokens = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    possible = np.triu(allowed[:, :, None] & allowed[:, None, :])
    best = np.where(possible, scores, -np.inf).reshape(len(scores), -1).argmax(axis=1)
    return np.stack([best // tokens, best % tokens], axis=1)


PARTS = ("train", "val", "test")
TYPES = ("person", "film", "place", "organisation")
WNUT17_TYPES = ("person", "location", "group", "creative-work", "corporation", "product")
WNUT17 = "https://raw.githubusercontent.com/leondz/emerging_entities_17/master/"
WNUT17_FILES = (
    ("wnut17train.conll", "731820e13f71af324c6b55a1575ec2ce59fbaa2a0806f8f0400b98d56cd6a7a5"),
    ("emerging.dev.conll", "e053b752b8155113ca66e7db08af5f2f5f43ab993694e4774f1ec5bad42312d8"),
    (
        "emerging.test.annotated",
        "2aa79b764e56ec9264a1b30fdd9b70195bd00ff400b62edd8f399d5f13c178f0",
    ),
)


def load_entities(source: str = "embedded") -> Dataset:
    """Sentences with named entities, a BIO tag a word.

    Inputs: an object array of lists of str, capitals kept. Targets: an object array of lists of
    tag ids; `class_names[id]` is the tag, and "O" is 0.
    source: "embedded", 6,000 / 300 / 500 sentences by a grammar (person, film, place,
        organisation), with the column "new" (bool): the sentence holds a name that no training
        sentence has. Or "wnut17", 3,394 / 1,009 / 1,287 messages and comments (Derczynski et
        al., 2017; six types), whose entities hardly ever occur twice.
    Raises ValueError for another source, ConnectionError without WNUT17.
    """
    one_of("source", source, ("embedded", "wnut17"))
    types = TYPES if source == "embedded" else WNUT17_TYPES
    tags = ("O", *(f"{letter}-{name}" for name in types for letter in "BI"))

    def tagged(words, names, **columns):
        index = {tag: number for number, tag in enumerate(tags)}
        ids = [[index[name] for name in row] for row in names]
        return Split(rows_of(words), rows_of(ids), columns=columns or None)

    if source == "embedded":

        def sentences(words, names, new):
            return tagged(map(str.split, words), map(str.split, names), new=new == "1")

        return _kept("entities", sentences, tags)
    source = "https://github.com/leondz/emerging_entities_17 (Derczynski et al., 2017)"
    parts = (tagged(*_wnut17(*file, tags)) for file in WNUT17_FILES)
    dataset = Dataset("wnut17", *parts, None, tags, source, "CC BY 4.0")
    return dataset.announce(f"; {source}")


def load_questions() -> Dataset:
    """Span answering: 8,000 / 300 / 500 reviews, each with a question.

    Inputs {"text", "question"}: object arrays of lists of str, lower case, a full stop being a
    word of its own. Targets: int32 (reviews, 2), the first and the last word of the answer,
    both inclusive. Column "question_kind": the question without what differs from review to
    review. Half of the names in val and test occur in no training review.
    """

    def questions(texts, asked, kinds, first, last):
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["question"] = rows_of(map(str.split, asked))
        spans = np.stack([first, last], axis=1).astype("int32")
        return Split(inputs, spans, columns={"question_kind": np.array(kinds)})

    return _kept("questions", questions)


def load_choices() -> Dataset:
    """Multiple choice: 8,000 / 300 / 500 reviews with four endings, of which one fits.

    Inputs {"text": object array of lists of str, "endings": object array (reviews, 4) of lists
    of str}, lower case. Targets: int32 (reviews,), the place of the ending that fits, 0 to 3.
    """

    def choices(texts, endings, fits):
        words = [ending.split() for row in endings for ending in row.split("|")]
        inputs = {"text": rows_of(map(str.split, texts))}
        inputs["endings"] = rows_of(words).reshape(len(fits), -1)
        return Split(inputs, np.array(fits).astype("int32"))

    return _kept("choices", choices)


def load_summaries() -> Dataset:
    """Conditional generation: 4,000 / 300 / 500 reviews and what they say, briefly.

    Inputs: an object array of str, the reviews; targets: an object array of str, such as
    "acting good , plot bad".
    """
    return _kept("summaries", lambda *pair: Split(*(np.array(side, object) for side in pair)))


def _kept(name: str, split, class_names=None) -> Dataset:
    """The frozen set of this name; `split` makes a Split of its columns but the first."""

    def arrange(table):
        where = np.array(table.pop("split"))
        columns = [np.array(column, object) for column in table.values()]
        return [split(*(c[where == part] for c in columns)) for part in PARTS]

    source, parts = f"made by tools.make_data.{name}", read_table(f"{name}.csv.xz", arrange)
    dataset = Dataset(name, *parts, class_names=class_names, source=source, licence="CC0")
    return dataset.announce(f"; {source}")


def _wnut17(name: str, sha256: str, tags: Sequence[str]):
    instead = "load_entities('embedded') needs no download."
    path = download(WNUT17 + name, sha256, "datasets/course/wnut17", instead)
    return read_conll(path.read_text("utf-8"), tags)


def read_conll(text: str, tags: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Words and tags of a file with "word<tab>tag" a line, a blank line between sentences.
    Raises ValueError, which names the line, for another line or an unknown tag.
    """
    sentences: list[list[tuple[str, str]]] = [[]]
    for number, line in enumerate(text.split("\n"), start=1):
        word, tab, tag = line.rstrip("\r").partition("\t")
        if not line.strip():
            sentences.append([])
        elif tab and tag in tags:
            sentences[-1].append((word, tag))
        else:
            raise ValueError(f"line {number} is no word with one of {', '.join(tags)}")
    pairs = [tuple(zip(*sentence, strict=True)) for sentence in sentences if sentence]
    return [list(words) for words, _ in pairs], [list(tags) for _, tags in pairs]


def compare_tokenizers(tokenizers: dict[str, Tokenizer], texts: Sequence[str]) -> list[dict]:
    """Rows of a table on held-out texts, one a tokenizer.

    tokens a word: pieces over words, a word being what stands between blanks. unknown %: of the
    pieces. round trip %: of the texts that come back letter for letter.
    """
    words = sum(len(text.split()) for text in texts)
    rows = []
    for name, tokenizer in tokenizers.items():
        encoded = [tokenizer.ids(text) for text in texts]
        count = sum(map(len, encoded))
        unknown = sum(ids.count(UNKNOWN) for ids in encoded)
        same = sum(map(str.__eq__, map(tokenizer.text, encoded), texts))
        row = {"tokenizer": name, "vocabulary": len(tokenizer), "tokens a word": count / words}
        row |= {"unknown %": 100 * unknown / count, "round trip %": 100 * same / len(texts)}
        rows.append(row)
    return rows


def library_merges(counts: dict[str, int], merges: int) -> list[tuple[str, str]]:
    """What the library's BPE learns from words and how often each occurs: (left, right) pairs.

    Words are cut at blanks and get no mark for their start, so that the merges can be compared
    with `lecture_06b.train_bpe`.
    """
    module = library()
    inner = module.Tokenizer(module.models.BPE())
    inner.pre_tokenizer = module.pre_tokenizers.WhitespaceSplit()
    letters = len(set().union(*counts)) if counts else 0
    trainer = module.trainers.BpeTrainer(vocab_size=letters + merges, show_progress=False)
    inner.train_from_iterator((" ".join([w] * n) for w, n in counts.items()), trainer)
    return [tuple(pair) for pair in json.loads(inner.to_str())["model"]["merges"]]


REAL = {"vocab_size": 8_000, "embed_dim": 128, "num_heads": 4, "mlp_dim": 256, "num_layers": 4}
"""The encoder that is pre-trained on IMDB; rows of 64 tokens."""
REAL_TRAINING = {"batch_size": 64, "masked": 12, "learning_rate": 1.5e-3, "steps": 250}


def ppmi_vectors(rows, vocab_size, embed_dim, window=8):
    """Word vectors from counts, float32 (vocab_size, embed_dim), each of length 1.

    Counts which tokens occur within `window` of each other, a pair at distance d counting
    1 − (d − 1)/window; takes the positive pointwise mutual information, its noise smoothed by
    the power 0.75; and keeps the largest `embed_dim` singular vectors times √(singular value).

    rows: int (rows, tokens), 0 for padding. Source: Levy and Goldberg (2014), section 5.
    """
    counts = csr_matrix((vocab_size, vocab_size))
    for distance in range(1, window + 1):
        left, right = rows[:, :-distance].ravel(), rows[:, distance:].ravel()
        words = (left >= len(SPECIAL)) & (right >= len(SPECIAL))
        weights = np.full(words.sum(), 1 - (distance - 1) / window)
        counts += csr_matrix((weights, (left[words], right[words])), counts.shape)
    counts = (counts + counts.T).tocoo()
    total = np.asarray(counts.sum(axis=1)).ravel()
    noise = total**0.75 / (total**0.75).sum()
    pmi = np.log(counts.data / (total[counts.row] * noise[counts.col]))
    positive = csr_matrix((np.maximum(pmi, 0), (counts.row, counts.col)), counts.shape)
    left, values, _ = svds(positive, k=embed_dim, random_state=0)
    vectors = left * np.sqrt(values)
    vectors -= vectors[total > 0].mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(total[:, None] > 0, vectors / lengths, 0).astype("float32")


def pretrain_on_imdb(lecture, seed, epochs, folder):
    """Pre-train an encoder on IMDB's training and unlabelled reviews; record the run.

    An epoch is 250 batches; the encoder's weights after each 2,000 batches lie in `folder`.
    Returns tokenizer and encoder.
    """
    texts = [str(text).replace("<br />", " ") for text in [*_read("unsupervised")[0], *_read("train")[0]]]
    tokenizer = tokenizers.train("byte_bpe_lower", texts[:20_000], REAL["vocab_size"])
    rows = windows(tokenizer, texts, 64)
    np.random.default_rng(0).shuffle(rows)
    val, train = rows[:512], rows[512:]
    share = np.bincount(train.ravel(), minlength=REAL["vocab_size"]) / train.size
    share[: len(SPECIAL)] = 0
    keras.utils.set_random_seed(seed)
    encoder = transformer_encoder(**REAL)
    model = PretrainingModel(encoder, name="real_masked")
    model({"ids": val[:1], "positions": val[:1, :1]})
    vectors = ppmi_vectors(train, REAL["vocab_size"], REAL["embed_dim"])
    model.embedding.set_weights([np.where(vectors == 0, model.embedding.get_weights()[0], vectors)])
    model.bias.assign(np.log(share + 1e-8))
    batch_size, masked, learning_rate, steps = REAL_TRAINING.values()
    how = {"count": masked, "chances": np.minimum(1, np.sqrt(3e-4 / np.maximum(share, 1e-9)))}
    size = REAL["vocab_size"]
    batches = [
        PretrainingBatches(train, size, batch_size=batch_size, seed=seed, steps=steps, **how),
        PretrainingBatches(val, size, batch_size=128, shuffle=False, **how),
    ]
    schedule = WarmupStableDecay(learning_rate, steps * epochs)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.01, beta_2=0.98, clipnorm=1.0)
    model.compile(optimizer, word_loss(), jit_compile=True)
    folder.mkdir(parents=True, exist_ok=True)
    keep = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: (
            None
            if (epoch + 1) * steps % 1_000
            else encoder.save_weights(folder / f"seed{seed}-{(epoch + 1) * steps}.weights.h5")
        )
    )
    options = {"monitor": "val_loss", "callbacks": [keep], "source": "IMDB, no labels"}
    run = fit(model, batches, epochs, **options)
    guess = unigram_loss(train[:50_000], batches[1])
    settings = REAL | REAL_TRAINING | {"epochs": epochs, "window": 64}
    run.record(lecture, "real_masked", "imdb_texts", settings, guess=guess, seconds=run.seconds)
    return tokenizer, encoder
