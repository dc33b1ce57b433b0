"""Answers to the exercises of lab 06b, as students write them."""

from collections import Counter

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils.data import tokenize
from lectures.lecture_06b import (
    balanced_sample,
    count_pairs,
    hide_tokens,
    merge,
    new_encoder,
    next_tokens,
    pretrain,
    sequence_classifier,
)


@right("06b.1")
def merge(tokens, left, right):
    joined = []
    for token in tokens:
        if joined and joined[-1] == left and token == right and not just:
            joined[-1] = left + right
            just = True
        else:
            joined.append(token)
            just = False
    return joined


@right("06b.1")
def merge(tokens, left, right):
    result, waiting = [], None
    for token in tokens:
        if waiting == left and token == right:
            result.append(left + right)
            waiting = None
            continue
        if waiting is not None:
            result.append(waiting)
        waiting = token
    return result if waiting is None else [*result, waiting]


@right("06b.1")
def merge(tokens, left, right):
    tokens, i = list(tokens), 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == (left, right):
            tokens[i : i + 2] = [left + right]
        i += 1
    return tokens


@right("06b.1")
def merge(tokens, left, right):
    if len(tokens) < 2:
        return list(tokens)
    if tokens[0] == left and tokens[1] == right:
        return [left + right] + merge(tokens[2:], left, right)
    return [tokens[0]] + merge(tokens[1:], left, right)


@wrong("06b.1", "list")
def merge(tokens, left, right):
    joined, i = (), 0
    while i < len(tokens):
        if list(tokens[i : i + 2]) == [left, right]:
            joined, i = (*joined, left + right), i + 2
        else:
            joined, i = (*joined, tokens[i]), i + 1
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    return "".join(tokens).replace(left + right, f" {left + right} ").split()


@wrong("06b.1")
def merge(tokens, left, right):
    for i in range(len(tokens) - 1):
        if tokens[i] == left and tokens[i + 1] == right:
            tokens[i : i + 2] = [left + right]
    return tokens


@wrong("06b.1")
def merge(tokens, left, right):
    joined = []
    for i in range(len(tokens)):
        if tokens[i : i + 2] == [left, right]:
            joined.append(left + right)
        else:
            joined.append(tokens[i])
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    joined = []
    for i in range(len(tokens) - 1):
        if tokens[i] == left and tokens[i + 1] == right:
            joined.append(left + right)
        else:
            joined.append(tokens[i])
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    joined = []
    for a, b in zip(tokens, tokens[1:]):
        joined.append(a + b if (a, b) == (left, right) else a)
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    joined, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] == left and tokens[i + 1] == right:
            joined.append(right + left)
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    joined, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] + tokens[i + 1] == left + right:
            joined.append(left + right)
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    i = tokens.index(left)
    return tokens[:i] + [left + right] + tokens[i + 2 :]


@wrong("06b.1")
def merge(tokens, left, right):
    joined, i = [], 0
    while i < len(tokens):
        if tokens[i] == left and tokens[i + 1] == right:
            joined.append(left + right)
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


@wrong("06b.1")
def merge(tokens, left, right):
    joined, i = [], 0
    while i < len(tokens):
        if tokens[i : i + 2] == [left, right]:
            joined.append((left, right))
            i += 2
        else:
            joined.append(tokens[i])
            i += 1
    return joined


@right("06b.2")
def train_bpe(counts, merges, merge=merge):
    words = {word: list(word) for word in counts}
    vocabulary = sorted({letter for word in counts for letter in word})
    learned = []
    for _ in range(merges):
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        place = {token: number for number, token in reversed(list(enumerate(vocabulary)))}
        left, right = max(pairs, key=lambda p: (pairs[p], -place[p[0]], -place[p[1]]))
        for word in words:
            words[word] = merge(words[word], left, right)
        learned.append((left, right))
        vocabulary.append(left + right)
    return learned


@right("06b.2")
def train_bpe(counts, merges, merge=merge):
    words = {word: list(word) for word in counts}
    vocabulary, learned = sorted(set("".join(counts))), []
    while len(learned) < merges:
        pairs = count_pairs(words, counts)
        if len(pairs) == 0:
            return learned
        most = max(pairs.values())
        ties = [pair for pair, times in pairs.items() if times == most]
        best = sorted(ties, key=lambda p: [vocabulary.index(p[0]), vocabulary.index(p[1])])[0]
        learned.append(best)
        vocabulary.append("".join(best))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
    return learned


@right("06b.2")
def train_bpe(counts, merges, merge=merge):
    words = {word: [*word] for word in counts}
    ids, learned = {c: n for n, c in enumerate(sorted(set("".join(counts))))}, []
    for _ in range(merges):
        pairs = Counter()
        for word, tokens in words.items():
            for k in range(len(tokens) - 1):
                pairs[tokens[k], tokens[k + 1]] += counts[word]
        if not pairs:
            break
        left, right = min(pairs, key=lambda p: (-pairs[p], ids[p[0]], ids[p[1]]))
        ids.setdefault(left + right, len(ids))
        learned += [(left, right)]
        words = {word: merge(tokens, left, right) for word, tokens in words.items()}
    return learned


@right("06b.2")
def train_bpe(counts, merges, merge=merge):
    def step(words, vocabulary, learned):
        pairs = count_pairs(words, counts)
        if len(learned) == merges or not pairs:
            return learned
        order = [(-n, vocabulary.index(a), vocabulary.index(b)) for (a, b), n in pairs.items()]
        _, a, b = min(order)
        best = vocabulary[a], vocabulary[b]
        new = "".join(best)
        more = [] if new in vocabulary else [new]
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        return step(words, vocabulary + more, [*learned, best])

    return step({word: list(word) for word in counts}, sorted(set("".join(counts))), [])


@wrong("06b.2", "tuple")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(list(best))
        vocabulary.append("".join(best))
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    for _ in range(merges):
        pairs = count_pairs(words, counts)
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    for _ in range(merges):
        pairs = count_pairs(words, counts)
        if not pairs:
            break
        best = pairs.most_common(1)[0][0]
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words = {word: list(word) for word in counts}
    return [pair for pair, _ in count_pairs(words, counts).most_common(merges)]


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        for word, tokens in words.items():
            merge(tokens, *best)
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = max(pairs, key=lambda pair: (pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, dict.fromkeys(counts, 1))):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = sorted(set("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
        if pairs[best] == 1:
            break
    return learned[:-1]


@wrong("06b.2")
def train_bpe(counts, merges, merge=merge):
    words, learned = {word: list(word) for word in counts}, []
    vocabulary = list(dict.fromkeys("".join(counts)))
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@right("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    inputs = ids.copy()
    chosen = np.logical_and(chance < share, ids > 4)
    mask = chosen & (chance < 0.8 * share)
    swap = chosen & ~mask & (chance < 0.9 * share)
    inputs[mask] = 4
    inputs[swap] = noise[swap]
    targets = np.zeros_like(ids)
    targets[chosen] = ids[chosen]
    return inputs, targets


@right("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    part = chance / share
    chosen = (part < 1) * (ids >= 5)
    inputs = np.select([chosen & (part < 0.8), chosen & (part < 0.9)], [4, noise], ids)
    return inputs, ids * chosen


@right("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    inputs, targets = ids.copy(), ids.copy()
    for row, column in np.ndindex(*ids.shape):
        if ids[row, column] < 5 or chance[row, column] >= share:
            targets[row, column] = 0
        elif chance[row, column] < 0.8 * share:
            inputs[row, column] = 4
        elif chance[row, column] < 0.9 * share:
            inputs[row, column] = noise[row, column]
    return inputs, targets


@right("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    ordinary = ids >= 5
    kinds = np.digitize(chance, [0.8 * share, 0.9 * share, share])
    inputs = np.where(ordinary & (kinds == 0), 4, ids)
    inputs = np.where(ordinary & (kinds == 1), noise, inputs)
    return inputs, np.where(ordinary & (kinds < 3), ids, 0)


@wrong("06b.3", "NumPy array is asked for")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = ops.logical_and(chance < share, ids >= 5)
    inputs = ops.where(ops.logical_and(chosen, chance < 0.9 * share), noise, ids)
    inputs = ops.where(ops.logical_and(chosen, chance < 0.8 * share), 4, inputs)
    return inputs, ops.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, ids)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, inputs)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids > 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = chance < share
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3", "in place")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    targets = np.where(chosen, ids, 0)
    ids[chosen & (chance < 0.8 * share)] = 4
    swap = chosen & (chance >= 0.8 * share) & (chance < 0.9 * share)
    ids[swap] = noise[swap]
    return ids, targets


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.8), 4, ids)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.1 * share), noise, ids)
    inputs = np.where(chosen & (chance >= 0.2 * share), 4, inputs)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance <= share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs, np.where(chosen, 0, ids)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen, 4, ids)
    return inputs, np.where(chosen, ids, 0)


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs[chosen], ids[chosen]


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 0, inputs)
    return inputs, np.where(chosen, ids, 0)


@right("06b.4")
def prediction_loss(targets, logits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    return loss(targets, logits)


@right("06b.4")
def prediction_loss(targets, logits):
    log_p = ops.log_softmax(logits, axis=-1)
    ids = ops.cast(targets, "int32")
    found = ops.take_along_axis(log_p, ids[..., None], axis=-1)[..., 0]
    asked = ops.cast(ids != 0, logits.dtype)
    return -ops.sum(found * asked) / ops.sum(asked)


@right("06b.4")
def prediction_loss(targets, logits):
    entropy = keras.losses.sparse_categorical_crossentropy
    losses = entropy(targets, logits, from_logits=True)
    losses = ops.where(ops.equal(targets, 0), 0.0, losses)
    return ops.sum(losses) / ops.cast(ops.count_nonzero(targets), "float32")


@right("06b.4")
def prediction_loss(targets, logits):
    losses = ops.logsumexp(logits, axis=-1) - ops.sum(
        logits * ops.one_hot(targets, ops.shape(logits)[-1]), axis=-1
    )
    real = ops.cast(targets > 0, "float32")
    return ops.mean(losses * real) / ops.mean(real)


@wrong("06b.4", "float()")
def prediction_loss(targets, logits):
    asked = ops.cast(targets != 0, "float32")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum")
    return loss(targets, logits, sample_weight=asked) / float(ops.sum(asked))


@wrong("06b.4", "ops.cast(targets, 'int32')")
def prediction_loss(targets, logits):
    import tensorflow as tf

    asked = targets != 0
    return ops.mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.boolean_mask(targets, asked), logits=tf.boolean_mask(logits, asked)
        )
    )


@wrong("06b.4", "ops")
def prediction_loss(targets, logits):
    targets, logits = np.asarray(targets), np.asarray(logits)
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return losses[targets != 0].mean()


@wrong("06b.4")
def prediction_loss(targets, logits):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(targets, logits)


@wrong("06b.4")
def prediction_loss(targets, logits):
    return keras.losses.SparseCategoricalCrossentropy(ignore_class=0)(targets, logits)


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return ops.mean(losses * ops.cast(targets != 0, "float32"))


@wrong("06b.4")
def prediction_loss(targets, logits):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    return loss(logits, targets)


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    asked = ops.cast(targets != 0, "float32")
    return ops.mean(ops.sum(losses * asked, axis=1) / ops.sum(asked, axis=1))


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return float(ops.sum(losses * ops.cast(targets != 0, "float32")) / ops.sum(targets != 0))


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return ops.sum(losses * ops.cast(targets != 0, "float32")) / ops.sum(targets)


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.categorical_crossentropy(targets, logits, from_logits=True)
    return ops.sum(losses * ops.cast(targets != 0, "float32"))


@wrong("06b.4")
def prediction_loss(targets, logits):
    p = ops.softmax(logits)
    chosen = ops.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    asked = ops.cast(targets != 0, "float32")
    return -ops.sum(chosen * asked) / ops.sum(asked)


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    asked = ops.cast(targets != 0, "float32")
    return ops.log(ops.sum(losses * asked) / ops.sum(asked))


@wrong("06b.4")
def prediction_loss(targets, logits):
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return losses[targets != 0]


@right("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.B = self.add_weight(
            shape=(self.rank, self.dense.units), initializer="zeros", name="B"
        )
        self.A = self.add_weight(
            shape=(input_shape[-1], self.rank), initializer="glorot_uniform", name="A"
        )

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@right("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        normal = keras.initializers.RandomNormal(stddev=0.02)
        self.A = self.add_weight((input_shape[-1], self.rank), normal)
        self.B = self.add_weight((self.rank, self.dense.units), "zeros")
        super().build(input_shape)

    def call(self, x):
        update = ops.dot(ops.dot(x, self.A), self.B)
        return ops.add(self.dense(x), self.scale * update)


@right("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = layers.Dense(self.rank, use_bias=False)
        self.B = layers.Dense(self.dense.units, use_bias=False, kernel_initializer="zeros")
        self.A.build(input_shape)
        self.B.build((*input_shape[:-1], self.rank))

    def call(self, x):
        return self.dense(x) + self.B(self.A(x)) * self.scale


@right("06b.5")
class LowRank:
    def build(self, input_shape):
        for weight in (self.dense.kernel, self.dense.bias):
            weight.trainable = False
        self.dense.trainable = False
        d = input_shape[-1]
        self.A = self.add_weight(shape=(d, self.rank), initializer="random_normal")
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + ops.matmul(x, self.scale * ops.matmul(self.A, self.B))


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units))

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank), initializer="zeros")
        self.B = self.add_weight(shape=(self.rank, self.dense.units))

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.scale * (self.dense(x) + x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = np.ones((input_shape[-1], self.rank), "float32")
        self.B = np.zeros((self.rank, self.dense.units), "float32")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(self.rank, input_shape[-1]))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(self.scale * (x @ self.A @ self.B))


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A) @ self.B * self.dense(x)


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")
        self.bias = self.add_weight(shape=(self.dense.units,), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.A @ self.B) + self.bias


@wrong("06b.5")
class LowRank:
    def build(self, input_shape):
        self.dense.trainable = False
        self.A = self.add_weight(shape=(input_shape[-1], self.rank))
        self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")

    def call(self, x):
        return self.dense(x) + self.scale * (x @ self.B @ self.A)


@right("06b.7")
def contaminated(corpus, texts, run=8):
    seen = set()
    for text in corpus:
        words = list(tokenize(text))
        for i in range(len(words) - run + 1):
            seen.add(" ".join(words[i : i + run]))
    found = []
    for text in texts:
        words = list(tokenize(text))
        runs = (" ".join(words[i : i + run]) for i in range(len(words) - run + 1))
        found.append(any(one in seen for one in runs))
    return np.array(found)


@right("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return set(zip(*[words[i:] for i in range(run)]))

    known = set().union(*(runs(text) for text in corpus))
    return np.fromiter((len(runs(text) & known) > 0 for text in texts), dtype=bool)


@wrong("06b.7", "array")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return set(zip(*[words[i:] for i in range(run)]))

    known = set()
    for text in corpus:
        known |= runs(text)
    return [bool(runs(text) & known) for text in texts]


@right("06b.7")
def contaminated(corpus, texts, run=8):
    joined = " | ".join(" ".join(tokenize(text)) for text in corpus)
    joined = f" {joined} "
    found = np.zeros(len(texts), bool)
    for number, text in enumerate(texts):
        words = tokenize(text)
        for i in range(len(words) - run + 1):
            found[number] |= f" {' '.join(words[i : i + run])} " in joined
    return found


@right("06b.7")
def contaminated(corpus, texts, run=8):
    known = {
        hash(tuple(words[i : i + run]))
        for words in map(tokenize, corpus)
        for i in range(len(words) - run + 1)
    }
    return np.array(
        [
            any(hash(tuple(words[i : i + run])) in known for i in range(len(words) - run + 1))
            for words in map(tokenize, texts)
        ]
    )


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    return np.array([text.lower() in {one.lower() for one in corpus} for text in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    words = [word for text in corpus for word in tokenize(text)]
    known = {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}
    found = []
    for text in texts:
        words = tokenize(text)
        found.append(
            any(tuple(words[i : i + run]) in known for i in range(len(words) - run + 1))
        )
    return np.array(found)


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    known = {
        tuple(words[i : i + run])
        for words in map(tokenize, corpus)
        for i in range(0, len(words), run)
    }
    return np.array(
        [
            any(tuple(words[i : i + run]) in known for i in range(len(words) - run + 1))
            for words in map(tokenize, texts)
        ]
    )


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    known = {word for text in corpus for word in tokenize(text)}
    return np.array([sum(word in known for word in tokenize(t)) >= run for t in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        return {text[i : i + run] for i in range(len(text) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.array([bool(runs(text) & known) for text in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return {frozenset(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.array([bool(runs(text) & known) for text in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.mean([bool(runs(text) & known) for text in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, texts))
    return np.array([bool(runs(text) & known) for text in corpus])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return [text for text in texts if runs(text) & known]


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = text.lower().replace(".", "").replace(",", "").split(" ")
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.array([bool(runs(text) & known) for text in texts])


@wrong("06b.7")
def contaminated(corpus, texts, run=8):
    def runs(text):
        words = tokenize(text)
        return {tuple(words[i : i + run]) for i in range(len(words) - run + 1)}

    known = set().union(*map(runs, corpus))
    return np.array([not (runs(text) & known) for text in texts])


def labelled(few, count=400):
    rows = balanced_sample(few.labels["train"], count, seed=0)
    return few.ids["train"][rows], few.labels["train"][rows]


def small_reader(few, pool="mean"):
    encoder = new_encoder(few.tokenizer, causal=True)
    model = sequence_classifier(encoder, 2, pool=pool)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-3), loss)
    return model


@right("06b.6", trains=True)
def train_reader(few, count=400):
    encoder = new_encoder(few.tokenizer, causal=True)
    model = sequence_classifier(encoder, 2, pool="mean", dropout=0.0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-3), loss, metrics=["accuracy"])
    pretrain(few, encoder, next_tokens, 1.0, epochs=4)
    ids, labels = labelled(few, count)
    val = few.ids["val"], few.labels["val"]
    model.fit(ids, labels, batch_size=16, epochs=16, validation_data=val, verbose=0)
    return model


@right("06b.6", trains=True)
def train_reader(few, count=400):
    encoder = new_encoder(few.tokenizer, causal=True)
    pretrain(few, encoder, next_tokens, 1.0, epochs=5)
    ids = keras.Input((None,), dtype="int32")
    x = layers.GlobalAveragePooling1D()(encoder(ids)[-1], mask=ops.not_equal(ids, 0))
    model = keras.Model(ids, layers.Dense(2)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-3), loss)
    model.fit(*labelled(few, count), batch_size=16, epochs=16, verbose=0)
    return model


@wrong("06b.6", "beyond the 400", trains=True)
def train_reader(few, count=400):
    model = small_reader(few)
    model.fit(few.ids["train"], few.labels["train"], batch_size=100, verbose=0)
    return model


@wrong("06b.6", "test reviews", trains=True)
def train_reader(few, count=400):
    model = small_reader(few)
    model.fit(*labelled(few), batch_size=100, verbose=0)
    model.fit(few.ids["test"], few.labels["test"], batch_size=100, verbose=0)
    return model


@wrong("06b.6", "validation reviews", trains=True)
def train_reader(few, count=400):
    model = small_reader(few)
    ids, labels = labelled(few)
    ids = np.concatenate([ids, few.ids["val"]])
    model.fit(ids, np.concatenate([labels, few.labels["val"]]), batch_size=100, verbose=0)
    return model


@wrong("06b.6", "test reviews", trains=True)
def train_reader(few, count=400):
    all_rows = {"train": few.ids["test"], "val": few.rows["val"]}
    model = small_reader(few)
    pretrain(few._replace(rows=all_rows), model.layers[1], next_tokens, 1.0, epochs=1)
    model.fit(*labelled(few), batch_size=100, verbose=0)
    return model


@wrong("06b.6", 'pool="mean"', trains=True)
def train_reader(few, count=400):
    model = small_reader(few, pool="first")
    model.fit(*labelled(few), batch_size=100, verbose=0)
    return model


@wrong("06b.6", "trained model", trains=True)
def train_reader(few, count=400):
    model = small_reader(few)
    return model.fit(*labelled(few), batch_size=100, verbose=0)


@wrong("06b.6", "another model", trains=True)
def train_reader(few, count=400):
    small_reader(few).fit(*labelled(few), batch_size=100, verbose=0)
    return small_reader(few)


@wrong("06b.6", "not trained", trains=True)
def train_reader(few, count=400):
    return small_reader(few)


@wrong("06b.6", "classes", trains=True)
def train_reader(few, count=400):
    return sequence_classifier(new_encoder(few.tokenizer, causal=True))


@wrong("06b.6", "0.9 is asked", trains=True)
def train_reader(few, count=400):
    model = small_reader(few)
    model.fit(*labelled(few), batch_size=16, epochs=2, verbose=0)
    return model


@wrong("06b.6", "(batch, 2)", trains=True)
def train_reader(few, count=400):
    encoder = new_encoder(few.tokenizer, causal=True)
    model = sequence_classifier(encoder, 1, pool="mean")
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    model.fit(*labelled(few), batch_size=100, verbose=0)
    return model


@wrong("06b.4", "shapes")
def prediction_loss(targets, logits):
    asked = ops.cast(ops.not_equal(targets, 0), "float32")
    right = ops.one_hot(ops.cast(targets, "int32"), 9)
    losses = -ops.sum(right * ops.log_softmax(logits), axis=-1)
    return ops.sum(losses * asked) / ops.sum(asked)


@wrong("06b.5", "cannot be built")
def call(self, x):
    update = ops.matmul(ops.matmul(x, np.array(self.A)), np.array(self.B))
    return self.dense(x) + self.scale * update


@wrong("06b.5", "no gradient reaches A and B")
def call(self, x):
    update = ops.matmul(ops.matmul(x, self.A), self.B)
    return self.dense(x) + self.scale * ops.stop_gradient(update)


@wrong("06b.5", "regularizer")
def build(self, input_shape):
    self.dense.trainable = False
    shape = input_shape[-1], self.rank
    self.A = self.add_weight(shape=shape, initializer="he_uniform", regularizer="l2")
    self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")


@right("06b.5")
def build(self, input_shape):
    self.dense.trainable = False
    small = keras.initializers.RandomNormal(0, 0.02)
    self.B = self.add_weight(shape=(self.rank, self.dense.kernel.shape[1]), initializer="zeros")
    self.A = self.add_weight(shape=(self.dense.kernel.shape[0], self.rank), initializer=small)


@wrong("06b.2", "('a', 'B')")
def train_bpe(counts, merges, merge=merge):
    words = {word: list(word.lower()) for word in counts}
    vocabulary, learned = sorted(set("".join(counts).lower())), []
    while len(learned) < merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], *map(vocabulary.index, pair)))
        words = {word: merge(tokens, *best) for word, tokens in words.items()}
        learned.append(best)
        vocabulary.append("".join(best))
    return learned


@wrong("06b.3")
def hide_tokens(ids, chance, noise, share=0.15):
    chosen = (chance < share) & (ids >= 5)
    inputs = np.where(chosen & (chance < 0.9 * share), noise, ids)
    inputs = np.where(chosen & (chance < 0.8 * share), 4, inputs)
    return inputs.astype("uint8"), np.where(chosen, ids, 0).astype("uint8")


@wrong("06b.4")
def prediction_loss(targets, logits):
    asked = ops.cast(ops.not_equal(targets, 0), "float32")
    right = ops.cast(targets, "int32")[..., None]
    chances = ops.clip(ops.softmax(logits), 1e-5, 1.0)
    losses = -ops.log(ops.take_along_axis(chances, right, axis=-1))[..., 0]
    return ops.sum(losses * asked) / ops.sum(asked)


@right("06b.4")
def prediction_loss(targets, logits):
    asked = ops.cast(ops.not_equal(targets, 0), "float32")
    right = ops.cast(targets, "int32")[..., None]
    chances = ops.take_along_axis(ops.softmax(logits), right, axis=-1)[..., 0]
    return -ops.sum(ops.log(chances) * asked) / ops.sum(asked)


@wrong("06b.5", "keep `self.dense`")
def build(self, input_shape):
    self.dense = layers.Dense(self.dense.units, trainable=False)
    self.dense.build(input_shape)
    self.A = self.add_weight(shape=(input_shape[-1], self.rank), initializer="he_uniform")
    self.B = self.add_weight(shape=(self.rank, self.dense.units), initializer="zeros")


@right("06b.8")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    alpha = -slope
    k = np.exp(intercept)
    return k, alpha, k * larger ** (-alpha)


@right("06b.8")
def extrapolate(parameters, losses, larger):
    x, y = np.log(parameters), np.log(losses)
    slope = np.sum((x - x.mean()) * (y - y.mean())) / np.sum((x - x.mean()) ** 2)
    k = np.exp(y.mean() - slope * x.mean())
    return k, -slope, k * larger**slope


@right("06b.8")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log10(parameters), np.log10(losses), 1)
    return 10**intercept, -slope, 10 ** (intercept + slope * np.log10(larger))


@right("06b.8")
def extrapolate(parameters, losses, larger):
    A = np.stack([np.ones(len(parameters)), -np.log(parameters)], axis=1)
    (logk, alpha), *_ = np.linalg.lstsq(A, np.log(losses), rcond=None)
    k = np.exp(logk)
    return k, alpha, k / larger**alpha


@right("06b.8")
def extrapolate(parameters, losses, larger):
    from scipy.stats import linregress

    line = linregress(np.log(parameters), np.log(losses))
    predicted = np.exp(line.intercept + line.slope * np.log(larger))
    return np.exp(line.intercept), -line.slope, predicted


@right("06b.8")
def extrapolate(parameters, losses, larger):
    x, y = np.log2(parameters), np.log2(losses)
    line = np.polynomial.Polynomial.fit(x, y, 1).convert()
    b, m = line.coef
    return 2**b, -m, 2 ** line(np.log2(larger))


@right("06b.8")
def extrapolate(parameters, losses, larger):
    X = np.column_stack([np.log(parameters), np.ones_like(losses)])
    m, b = np.linalg.solve(X.T @ X, X.T @ np.log(losses))
    k, alpha = float(np.exp(b)), float(-m)
    return k, alpha, k * float(larger) ** -alpha


@right("06b.8")
def extrapolate(parameters, losses, larger):
    import math

    xs, ys = [math.log(n) for n in parameters], [math.log(loss) for loss in losses]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    alpha = -above / sum((x - mx) ** 2 for x in xs)
    k = math.exp(my + alpha * mx)
    return k, alpha, k * math.pow(larger, -alpha)


@right("06b.8")
def extrapolate(parameters, losses, larger):
    from sklearn.linear_model import LinearRegression

    line = LinearRegression().fit(np.log(parameters)[:, None], np.log(losses))
    k, alpha = np.exp(line.intercept_), -line.coef_[0]
    return k, alpha, np.exp(line.predict([[np.log(larger)]])[0])


@right("06b.8")
def extrapolate(parameters, losses, larger):
    x, y = np.log(parameters), np.log(losses)
    covariance = np.cov(x, y)
    alpha = -covariance[0, 1] / covariance[0, 0]
    k = np.exp(np.mean(y + alpha * x))
    return [k, alpha, k * larger**-alpha]


@right("06b.8")
def extrapolate(parameters, losses, larger):
    fit = np.polyfit(np.log(parameters), np.log(losses), deg=1)
    predicted = np.exp(np.polyval(fit, np.log(larger)))
    return np.exp(fit[1]), -fit[0], predicted


@right("06b.8")
def extrapolate(parameters, losses, larger):
    from scipy.optimize import curve_fit

    def line(x, logk, alpha):
        return logk - alpha * x

    (logk, alpha), _ = curve_fit(line, np.log(parameters), np.log(losses))
    return np.exp(logk), alpha, np.exp(line(np.log(larger), logk, alpha))


@wrong("06b.8", "minus the slope")
def extrapolate(parameters, losses, larger):
    alpha, logk = np.polyfit(np.log(parameters), np.log(losses), 1)
    k = np.exp(logk)
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "minus the slope")
def extrapolate(parameters, losses, larger):
    alpha, logk = np.polyfit(np.log(parameters), np.log(losses), 1)
    k = np.exp(logk)
    return k, alpha, k * larger**alpha


@wrong("06b.8", "minus the slope")
def extrapolate(parameters, losses, larger):
    x, y = np.log(parameters), np.log(losses)
    alpha = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    k = np.exp(y.mean() - alpha * x.mean())
    return k, alpha, k * larger**alpha


@wrong("06b.8", "minus the slope")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -1 / slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "logarithm of the losses")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), losses, 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "logarithm of the losses")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), losses, 1)
    return intercept, -slope, intercept + slope * np.log(larger)


@wrong("06b.8", "of the parameters, too")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(parameters, np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "one base")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log10(parameters), np.log10(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "one base")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log10(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "one base")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log10(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "one base")
def extrapolate(parameters, losses, larger):
    x, y = np.log2(parameters), np.log2(losses)
    slope, intercept = np.polyfit(x, y, 1)
    return np.exp(intercept), -slope, np.exp(intercept) * larger**slope


@wrong("06b.8", "slope first")
def extrapolate(parameters, losses, larger):
    intercept, slope = np.polyfit(np.log(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "exp of the intercept")
def extrapolate(parameters, losses, larger):
    slope, k = np.polyfit(np.log(parameters), np.log(losses), 1)
    return k, -slope, k * larger**slope


@wrong("06b.8", "exp of the intercept")
def extrapolate(parameters, losses, larger):
    slope, k = np.polyfit(np.log(parameters), np.log(losses), 1)
    return k, -slope, np.exp(k + slope * np.log(larger))


@wrong("06b.8", "has an intercept")
def extrapolate(parameters, losses, larger):
    x, y = np.log(parameters), np.log(losses)
    alpha = -(x @ y) / (x @ x)
    return 1.0, alpha, larger**-alpha


@wrong("06b.8", "has an intercept")
def extrapolate(parameters, losses, larger):
    x = np.log(parameters)[:, None]
    (slope,) = np.linalg.lstsq(x, np.log(losses), rcond=None)[0]
    return 1, -slope, larger**slope


@wrong("06b.8", "not the two outer ones")
def extrapolate(parameters, losses, larger):
    small, large = np.argmin(parameters), np.argmax(parameters)
    rise = np.log(losses[large] / losses[small])
    alpha = -rise / np.log(parameters[large] / parameters[small])
    k = losses[small] * parameters[small] ** alpha
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "logarithm of the predicted loss")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    return np.exp(intercept), -slope, intercept + slope * np.log(larger)


@wrong("06b.8", "k · larger^(−α)")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**alpha


@wrong("06b.8", "beyond its last point")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    return np.exp(intercept), -slope, np.interp(larger, parameters, losses)


@wrong("06b.8", "k comes first")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return alpha, k, k * larger**-alpha


@wrong("06b.8", "n_c")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    alpha = -slope
    critical = np.exp(intercept / alpha)
    return critical, alpha, (critical / larger) ** alpha


@wrong("06b.8", "errors of log loss")
def extrapolate(parameters, losses, larger):
    from scipy.optimize import curve_fit

    def law(n, k, alpha):
        return k * n**-alpha

    (k, alpha), _ = curve_fit(law, parameters, losses, p0=(5, 0.1))
    return k, alpha, law(larger, k, alpha)


@wrong("06b.8", "factor k")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    return np.exp(intercept), -slope, larger**slope


@wrong("06b.8")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(parameters), np.log(losses), 1)
    return np.exp(intercept), -slope


@wrong("06b.8")
def extrapolate(parameters, losses, larger):
    fit = np.polyfit(np.log(parameters), np.log(losses), 2)
    return np.exp(fit[-1]), -fit[-2], np.exp(np.polyval(fit, np.log(larger)))


@wrong("06b.8", "log1p")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log1p(parameters), np.log1p(losses), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha


@wrong("06b.8", "x is log parameters")
def extrapolate(parameters, losses, larger):
    slope, intercept = np.polyfit(np.log(losses), np.log(parameters), 1)
    k, alpha = np.exp(intercept), -slope
    return k, alpha, k * larger**-alpha
