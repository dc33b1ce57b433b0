"""Answers to the exercises of lecture 05, as students write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import ops

from course_utils import data, schedules, training
from course_utils.data.base import END, START
from course_utils.layers.attention import masked_softmax, zero_hidden
from lectures import lecture_05
from lectures.lecture_05.pairs import load_pairs


@right("05.1")
def shift(sentences):
    longest = max(len(ids) for ids in sentences) + 1
    read = np.zeros((len(sentences), longest), dtype=int)
    write = np.zeros_like(read)
    for row, ids in enumerate(sentences):
        read[row, 0] = START
        read[row, 1 : len(ids) + 1] = ids
        write[row, : len(ids)] = ids
        write[row, len(ids)] = END
    return read, write


@right("05.1")
def shift(sentences):
    both = [[START, *ids, END] for ids in sentences]
    width = max(map(len, both)) - 1
    read = [row[:-1] + [0] * (width - len(row) + 1) for row in both]
    write = [row[1:] + [0] * (width - len(row) + 1) for row in both]
    return np.array(read, "int32"), np.array(write, "int32")


@right("05.1")
def shift(sentences):
    pad = keras.utils.pad_sequences
    read = pad([[START] + list(ids) for ids in sentences], padding="post")
    return read, pad([list(ids) + [END] for ids in sentences], padding="post")


@right("05.1")
def shift(sentences):
    width = 1 + max(len(ids) for ids in sentences)
    write = np.stack([np.pad([*ids, END], (0, width - 1 - len(ids))) for ids in sentences])
    read = np.roll(write, 1, axis=1)
    read[:, 0] = START
    return np.where(read == END, 0, read), write


@right("05.1")
def shift(sentences):
    width = 1 + max(len(ids) for ids in sentences)
    read, write = (np.zeros((len(sentences), width), np.int64) for _ in range(2))
    for r, w, ids in zip(read, write, sentences):
        r[: len(ids) + 1] = [START] + ids
        w[: len(ids) + 1] = ids + [END]
    return [read, write]


@wrong("05.1", "whole numbers")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    read, write = np.zeros((len(sentences), width)), np.zeros((len(sentences), width))
    for row, ids in enumerate(sentences):
        read[row, : len(ids) + 1] = [START, *ids]
        write[row, : len(ids) + 1] = [*ids, END]
    return read, write


@wrong("05.1", "NumPy arrays")
def shift(sentences):
    width = max(len(ids) for ids in sentences)
    read = [[START, *ids] + [0] * (width - len(ids)) for ids in sentences]
    return read, [[*ids, END] + [0] * (width - len(ids)) for ids in sentences]


@wrong("05.1", "<eos> is missing")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    read = [[START, *ids] + [0] * (width - 1 - len(ids)) for ids in sentences]
    return np.array(read), np.array([row[1:] + [0] for row in read])


@wrong("05.1")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    read = [[START, *ids] + [END] * (width - 1 - len(ids)) for ids in sentences]
    write = [[*ids, END] + [END] * (width - 1 - len(ids)) for ids in sentences]
    return np.array(read), np.array(write)


@wrong("05.1")
def shift(sentences):
    pad = keras.utils.pad_sequences
    return pad([[START, *ids] for ids in sentences]), pad([[*ids, END] for ids in sentences])


@wrong("05.1")
def shift(sentences):
    read = np.array([[START, *ids] for ids in sentences])
    return read, np.array([[*ids, END] for ids in sentences])


@wrong("05.1")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 2
    both = np.array([[START, *ids, END] + [0] * (width - 2 - len(ids)) for ids in sentences])
    return both[:, :-1], both[:, 1:]


@wrong("05.1", "two")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    return np.array([[START, *ids] + [0] * (width - 1 - len(ids)) for ids in sentences])


@wrong("05.1")
def shift(sentences):
    width = len(sentences[0]) + 1
    read = [([START, *ids] + [0] * width)[:width] for ids in sentences]
    return np.array(read), np.array([([*ids, END] + [0] * width)[:width] for ids in sentences])


@wrong("05.1")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    read = [[END, *ids] + [0] * (width - 1 - len(ids)) for ids in sentences]
    write = [[*ids, START] + [0] * (width - 1 - len(ids)) for ids in sentences]
    return np.array(read), np.array(write)


@wrong("05.1")
def shift(sentences):
    width = max(len(ids) for ids in sentences) + 1
    read = np.array([[1, *ids] + [0] * (width - 1 - len(ids)) for ids in sentences])
    return read, np.array([[*ids, 2] + [0] * (width - 1 - len(ids)) for ids in sentences])


@wrong("05.1")
def shift(sentences):
    for ids in sentences:
        ids.append(END)
    width = max(map(len, sentences))
    write = np.array([ids + [0] * (width - len(ids)) for ids in sentences])
    read = np.array([[START] + ids[:-1] + [0] * (width - len(ids)) for ids in sentences])
    return read, write


@right("05.2")
def masked_loss(logits, targets):
    largest = logits.max(-1)
    normaliser = largest + np.log(np.exp(logits - largest[..., None]).sum(-1))
    chosen = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    real = targets > 0
    return ((normaliser - chosen) * real).sum() / real.sum()


@right("05.2")
def masked_loss(logits, targets):
    total, count = 0.0, 0
    for rows, words in zip(logits, targets, strict=True):
        for row, word in zip(rows, words, strict=True):
            if word != 0:
                total += np.logaddexp.reduce(row) - row[word]
                count += 1
    return total / count


@right("05.2")
def masked_loss(logits, targets):
    flat, words = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    flat, words = flat[words != 0], words[words != 0]
    shifted = flat - flat.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(words)), words])


@right("05.2")
def masked_loss(logits, targets):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    return float(loss(targets, logits))


@right("05.2")
def masked_loss(logits, targets):
    logits = logits.astype("float32")
    losses = keras.losses.sparse_categorical_crossentropy(targets, logits, from_logits=True)
    return np.average(ops.convert_to_numpy(losses), weights=targets != 0)


@wrong("05.2")
def masked_loss(logits, targets):
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    chosen = np.take_along_axis(p, targets[..., None], -1)[..., 0]
    return -np.log(chosen)[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max()
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return losses[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    real = targets != 0
    return ((losses * real).sum(1) / real.sum(1)).mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log2(np.exp(z).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return losses[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    return -log_p[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    losses = -log_p[:, :, targets]
    return losses[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    guesses = logits.argmax(-1)
    return (guesses != targets)[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    return keras.losses.SparseCategoricalCrossentropy(ignore_class=0)(targets, logits)


@wrong("05.2")
def masked_loss(logits, targets):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return loss(targets, logits, sample_weight=targets != 0)


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return losses[targets > 3].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    z = logits - logits.max(-1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    chosen = np.take_along_axis(p, targets[..., None], -1)[..., 0]
    return -np.log(np.clip(chosen, 1e-7, 1))[targets != 0].mean()


@wrong("05.2")
def masked_loss(logits, targets):
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    return losses[targets > 2].mean()


@right("05.3")
def decode(step, state, max_length):
    written, token = [], START
    while len(written) < max_length:
        logits, state = step(token, state)
        token = int(logits.argmax())
        if token == END:
            return written
        written.append(token)
    return written


@right("05.3")
def decode(step, state, max_length):
    words = [START]
    for _ in range(max_length):
        logits, state = step(words[-1], state)
        words.append(int(np.argsort(logits)[-1]))
        if words[-1] == END:
            break
    return [word for word in words if word not in (START, END)]


@right("05.3")
def decode(step, state, max_length):
    token, written = START, np.zeros(0, int)
    for _ in range(max_length):
        logits, state = step(token, state)
        token = np.argmax(logits)
        if token == END:
            break
        written = np.append(written, token)
    return written


@right("05.3")
def decode(step, state, max_length, token=START):
    if max_length == 0:
        return []
    logits, state = step(token, state)
    word = int(ops.argmax(logits))
    return [] if word == END else [word, *decode(step, state, max_length - 1, word)]


@wrong("05.3", "the state")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, new = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3", "state")
def decode(step, state, max_length):
    token, written = START, []
    for number in range(max_length):
        logits, _ = step(token, number)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    while token != END:
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        written.append(token)
    return written[:-1]


@wrong("05.3")
def decode(step, state, max_length):
    written = []
    for _ in range(max_length):
        logits, state = step(START, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        written.append(token)
        if token == END:
            break
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        state, logits = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
        return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(written, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length - 1):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = float(np.max(logits))
        if token == END:
            break
        written.append(token)
    return written


@wrong("05.3")
def decode(step, state, max_length):
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return " ".join(map(str, written))


@right("05.4")
def dot_attention(s, h, mask):
    scores = np.einsum("btd,bsd->bts", s, h)
    scores = np.where(mask[:, np.newaxis], scores, -np.inf)
    scores = scores - np.max(scores, axis=2, keepdims=True)
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=2, keepdims=True)
    return weights, np.einsum("bts,bsd->btd", weights, h)


@right("05.4")
def dot_attention(s, h, mask):
    scores = s @ h.transpose(0, 2, 1)
    scores[~np.broadcast_to(mask[:, None], scores.shape)] = -1e30
    powers = np.exp(scores - scores.max(-1)[..., None])
    weights = powers / powers.sum(-1)[..., None]
    return weights, weights @ h


@right("05.4")
def dot_attention(s, h, mask):
    weights = np.zeros((len(s), s.shape[1], h.shape[1]))
    for b in range(len(s)):
        scores = s[b] @ h[b, mask[b]].T
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights[b][:, mask[b]] = powers / powers.sum(axis=1, keepdims=True)
    return weights, np.matmul(weights, h)


@right("05.4")
def dot_attention(s, h, mask):
    scores = (s[:, :, None] * h[:, None]).sum(-1) + np.where(mask, 0, -np.inf)[:, None]
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - largest) * mask[:, None]
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights, (weights[..., None] * h[:, None]).sum(axis=2)


@right("05.4")
def dot_attention(s, h, mask):
    scores = ops.matmul(s, ops.transpose(h, (0, 2, 1)))
    weights = ops.softmax(ops.where(mask[:, None, :], scores, -np.inf), axis=-1)
    return ops.convert_to_numpy(weights), ops.convert_to_numpy(weights) @ h


@wrong("05.4", "swapaxes")
def dot_attention(s, h, mask):
    scores = s @ h.T
    scores = np.where(mask[:, None, :], scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4", "an axis for")
def dot_attention(s, h, mask):
    scores = s @ np.swapaxes(h, 1, 2)
    scores = np.where(mask, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4", "own sum")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum()
    return weights, weights @ h


@wrong("05.4", "own sum")
def dot_attention(s, h, mask):
    e = np.exp(np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf))
    weights = e / e.sum()
    return weights, weights @ h


@wrong("05.4", "largest")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max())
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4", "mask first")
def dot_attention(s, h, mask):
    scores = s @ h.swapaxes(1, 2)
    scores -= scores.max(axis=-1, keepdims=True)
    e = np.exp(np.where(mask[:, None], scores, -np.inf))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4", "no further division")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h / h.shape[1]


@wrong("05.4")
def dot_attention(s, h, mask):
    e = np.exp(s @ h.swapaxes(1, 2))
    weights = e / e.sum(axis=-1, keepdims=True) * mask[:, None]
    return weights, weights @ h


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights, weights @ h


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), 0)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -100)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], h @ s.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, weights @ h


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights, (weights * h).sum(axis=1)


@wrong("05.4")
def dot_attention(s, h, mask):
    scores = np.where(mask[:, None], s @ h.swapaxes(1, 2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("05.4", says="a NumPy array is asked for, not a tensor")
def dot_attention(s, h, mask):
    scores = ops.matmul(s, ops.transpose(h, (0, 2, 1)))
    weights = ops.softmax(ops.where(mask[:, None, :], scores, -np.inf), axis=-1)
    return weights, ops.matmul(weights, h)


@right("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    q = query
    if self.score == "general":
        q = query @ self.W
    scores = ops.einsum("btd,bsd->bts", q, value)
    if value_mask is not None:
        value_mask = ops.expand_dims(value_mask, 1)
    alpha = masked_softmax(scores, value_mask)
    c = ops.einsum("bts,bsd->btd", alpha, value)
    result = self.W_c(ops.concatenate([c, query], -1))
    if return_attention_scores:
        return result, alpha
    return result


@right("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    keys = value
    if self.score == "general":
        keys = ops.matmul(value, ops.transpose(self.W))
    scores = ops.matmul(query, ops.transpose(keys, (0, 2, 1)))
    mask = None if value_mask is None else value_mask[:, None, :]
    weights = masked_softmax(scores, mask)
    context = ops.matmul(weights, value)
    vector = self.W_c(ops.concatenate([context, query], axis=2))
    return [vector, weights] if return_attention_scores else vector


@right("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = ops.dot(query, self.W) if self.score == "general" else query
    scores = ops.sum(projected[:, :, None] * value[:, None], axis=-1)
    if value_mask is not None:
        scores = ops.where(value_mask[:, None], scores, -1e9)
    weights = ops.softmax(scores)
    context = ops.sum(weights[..., None] * value[:, None], axis=2)
    vector = self.W_c(ops.concatenate((context, query), axis=-1))
    return (vector, weights) if return_attention_scores else vector


@right("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    if self.score == "dot":
        scores = query @ ops.swapaxes(value, 1, 2)
    else:
        scores = query @ self.W @ ops.swapaxes(value, 1, 2)
    mask = value_mask
    if mask is not None:
        mask = ops.repeat(mask[:, None], ops.shape(query)[1], axis=1)
    weights = masked_softmax(scores, mask)
    vector = self.W_c(ops.concatenate([weights @ value, query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "Wᵀ")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    keys = value if self.score == "dot" else ops.matmul(value, self.W)
    scores = ops.matmul(query, ops.swapaxes(keys, -1, -2))
    mask = None if value_mask is None else value_mask[:, None]
    weights = masked_softmax(scores, mask)
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "a row for each")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(value, ops.swapaxes(projected, -1, -2))
    mask = None if value_mask is None else value_mask[:, None]
    weights = masked_softmax(scores, mask)
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "None")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "mask")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, value_mask)
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "tanh")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = ops.tanh(self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1)))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.matmul(weights, value) + query)
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, value.T)
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), projected], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", "NumPy")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = np.matmul(np.asarray(projected), np.swapaxes(np.asarray(value), 1, 2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", says="where value_mask is None")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    if value_mask is None:
        weights = ops.ones_like(scores) / ops.cast(ops.shape(scores)[-1], "float32")
    else:
        weights = masked_softmax(scores, value_mask[:, None])
    vector = self.W_c(ops.concatenate([ops.matmul(weights, value), query], axis=-1))
    return (vector, weights) if return_attention_scores else vector


@wrong("05.5", says="the same vectors are asked")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    projected = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(projected, ops.swapaxes(value, -1, -2))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    if not return_attention_scores:
        return context
    return self.W_c(ops.concatenate([context, query], axis=-1)), weights


@right("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    q = ops.expand_dims(self.W_s(query), 2)
    k = ops.expand_dims(keys, 1)
    scores = self.v(ops.tanh(q + k))[..., 0]
    if value_mask is not None:
        value_mask = ops.expand_dims(value_mask, 1)
    weights = masked_softmax(scores, value_mask)
    context = weights @ value
    if return_attention_scores:
        return context, weights
    return context


@right("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None, :] + keys[:, None, :, :])
    scores = ops.squeeze(self.v(hidden), axis=3)
    mask = None if value_mask is None else value_mask[:, None, :]
    weights = masked_softmax(scores, mask)
    context = ops.einsum("bts,bsd->btd", weights, value)
    return [context, weights] if return_attention_scores else context


@right("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = ops.sum(hidden * self.v.kernel[:, 0], axis=-1)
    if value_mask is not None:
        scores = ops.where(value_mask[:, None], scores, -1e9)
    weights = ops.softmax(scores, axis=-1)
    context = ops.sum(weights[..., None] * value[:, None], axis=2)
    return (context, weights) if return_attention_scores else context


@right("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(keys[:, None] + self.W_s(query)[:, :, None])
    scores = ops.reshape(self.v(hidden), ops.shape(hidden)[:-1])
    mask = value_mask[:, None] if value_mask is not None else None
    weights = masked_softmax(scores, mask)
    context = ops.matmul(weights, zero_hidden(value, mask))
    return (context, weights) if return_attention_scores else context


@wrong("05.6", "axis of the queries")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = ops.squeeze(self.v(hidden))
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6", "length 1")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    weights = ops.softmax(self.v(hidden))[..., 0]
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6", "drop it")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = self.v(hidden)
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights[..., 0], value)
    return (context, weights[..., 0]) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query) + keys)
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, None] + keys[:, :, None])
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = self.v(ops.tanh(self.W_s(query)[:, :, None] + keys[:, None]))[..., 0]
    weights = ops.softmax(hidden, axis=1)
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = ops.sum(hidden, axis=-1)
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.relu(self.W_s(query)[:, :, None] + keys[:, None])
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(value)[:, :, None] + keys[:, None])
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@wrong("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = self.v(hidden)[..., 0]
    weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    return context


@wrong("05.6", says="where value_mask is None")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = ops.squeeze(self.v(hidden), -1)
    if value_mask is None:
        weights = ops.sigmoid(scores)
    else:
        weights = masked_softmax(scores, value_mask[:, None])
    context = ops.matmul(weights, value)
    return (context, weights) if return_attention_scores else context


@right("05.8")
def encode(model, source):
    mask = source != 0
    states, last = model.encoder(model.source_embedding(source), mask=mask)
    return states, last, mask


@right("05.8")
def encode(model, source):
    mask = ops.greater(ops.convert_to_tensor(source), 0)
    vectors = model.source_embedding(source)
    return (*model.encoder(vectors, mask=mask), mask)


@right("05.8")
def encode(model, source):
    mask = ops.cast(source, "bool")
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return [encoded, last, mask]


@right("05.8")
def encode(model, source):
    lengths = (np.asarray(source) != 0).sum(axis=1)
    mask = np.arange(source.shape[1]) < lengths[:, None]
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    vectors = model.source_embedding(source)
    mask = ops.any(vectors != 0, axis=-1)
    encoded, last = model.encoder(vectors, mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    vectors = model.source_embedding(source) * ops.cast(mask, "float32")[..., None]
    encoded, last = model.encoder(vectors)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, encoded[:, -1] * 0, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(source, mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    vectors = model.source_embedding(source)
    mask = vectors.sum(axis=-1) != 0
    encoded, last = model.encoder(vectors, mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask)
    return encoded, last, ops.logical_not(mask)


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    last, encoded = model.encoder(model.source_embedding(source), mask=mask)
    return last, encoded, ops.any(mask, axis=1)


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, END)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, source[:, -1:])
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


@wrong("05.8")
def encode(model, source):
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded * 0.5, last, mask


@wrong("05.8")
def encode(model, source):
    words = ops.sum(ops.cast(ops.not_equal(source, 0), "int32"), axis=1, keepdims=True)
    mask = ops.arange(6) < words
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


@wrong("05.8", says="each position of the batch")
def encode(model, source):
    source = source[:, : int((source != 0).sum(axis=1).max())]
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


LOSS = {"from_logits": True, "ignore_class": 0}


def batches_of(part):
    return data.length_buckets(part, 64, same_steps=("target", "targets"))


def own_loss(targets, logits):
    log_p = ops.log_softmax(logits)
    words = ops.cast(targets, "int32")
    losses = -ops.take_along_axis(log_p, words[..., None], axis=-1)[..., 0]
    real = ops.cast(words != 0, "float32")
    return ops.sum(losses * real) / ops.maximum(ops.sum(real), 1.0)


@right("05.7", trains=True)
def train_translator(model, pairs):
    train, val = batches_of(pairs.train), batches_of(pairs.val)
    decay = keras.optimizers.schedules.CosineDecay(0.006, 16 * len(train))
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.Adam(decay, clipnorm=1.0), loss)
    model.fit(train, validation_data=val, epochs=16, verbose=0)
    return model


@right("05.7", trains=True)
def train_translator(model, pairs):
    batches = batches_of(pairs.train)
    schedule = schedules.WarmupCosine(0.008, 15 * len(batches))
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), own_loss, metrics=["acc"])
    model.fit(batches, epochs=15, verbose=0)
    return model


@right("05.7", trains=True)
def train_translator(model, pairs):
    batches = batches_of(pairs.train)
    schedule = schedules.WarmupCosine(0.008, 15 * len(batches))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)

    def weighted():
        for _ in range(15):
            for number in range(len(batches)):
                inputs, targets = batches[number]
                yield inputs, targets, (targets != 0).astype("float32")
            batches.on_epoch_end()

    model.fit(weighted(), steps_per_epoch=len(batches), epochs=15, verbose=0)
    return model


@right("05.7", trains=True)
def train_translator(model, pairs):
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.Adam(0.008, clipnorm=1.0), loss)
    ids, targets = pairs.train.inputs, pairs.train.targets

    def rate(epoch, now):
        return 0.008 * (1 - epoch / 15) + 1e-5

    callback = keras.callbacks.LearningRateScheduler(rate)
    model.fit(ids, targets, batch_size=64, epochs=15, callbacks=[callback], verbose=0)
    return model


@wrong("05.7", "validation sentences", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(batches_of(pairs.val), verbose=0)
    return model


@wrong("05.7", "test sentences", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(pairs.train.inputs, pairs.train.targets, steps_per_epoch=2, verbose=0)
    model.fit(pairs.test.inputs, pairs.test.targets, verbose=0)
    return model


@wrong("05.7", "counted from 0", trains=True)
def train_translator(model, pairs):
    more = load_pairs()
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(more.train.inputs, more.train.targets, steps_per_epoch=2, verbose=0)
    return model


@wrong("05.7", "keras.ops", trains=True)
def train_translator(model, pairs):
    model.compile("adam", lambda targets, logits: lecture_05.masked_loss(logits, targets))
    model.fit(batches_of(pairs.train), verbose=0)
    return model


@wrong("05.7", "no batch", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    model.fit(pairs.train, epochs=2, verbose=0)
    return model


@wrong("05.7", "pads count", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(batches_of(pairs.train), steps_per_epoch=2, verbose=0)
    return model


@wrong("05.7", "from_logits", trains=True)
def train_translator(model, pairs):
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(batches_of(pairs.train), steps_per_epoch=2, verbose=0)
    return model


@wrong("05.7", "model that you", trains=True)
def train_translator(model, pairs):
    new = lecture_05.translator("dot", pairs, lecture_05.OWN)
    new.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    new.fit(batches_of(pairs.train), steps_per_epoch=2, verbose=0)
    return new


@wrong("05.7", "model that you", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    return model.fit(batches_of(pairs.train), steps_per_epoch=2, verbose=0)


@wrong("05.7", "not trained", trains=True)
def train_translator(model, pairs):
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(**LOSS))
    return model


@wrong("05.7", "0.8 is asked", trains=True)
def train_translator(model, pairs):
    loss = keras.losses.SparseCategoricalCrossentropy(**LOSS)
    model.compile(keras.optimizers.Adam(1e-4), loss)
    model.fit(batches_of(pairs.train), epochs=1, verbose=0)
    return model


@wrong("05.1")
def shift(sentences):
    width = max(len(s) for s in sentences) + 1
    read = np.zeros((len(sentences), width), "int8")
    write = np.zeros((len(sentences), width), "int8")
    for i, ids in enumerate(sentences):
        read[i, : len(ids) + 1] = [START, *ids]
        write[i, : len(ids) + 1] = [*ids, END]
    return read, write


@right("05.1")
def shift(sentences):
    from itertools import zip_longest

    read = np.array(list(zip_longest(*[[START, *s] for s in sentences], fillvalue=0))).T
    write = np.array(list(zip_longest(*[[*s, END] for s in sentences], fillvalue=0))).T
    return read, write


@right("05.1")
def shift(sentences):
    width = 1 + max(len(s) for s in sentences)
    rows = np.zeros((len(sentences), width + 1), dtype=np.int32)
    for row, ids in zip(rows, sentences):
        row[0] = START
        row[1 : len(ids) + 1] = ids
        row[len(ids) + 1] = END
    write = rows[:, 1:]
    read = np.where(rows == END, 0, rows)[:, :-1]
    return read, write


@wrong("05.2")
def masked_loss(logits, targets):
    total, n = 0.0, 0
    for t in range(targets.shape[1]):
        for b in range(len(targets)):
            if targets[b, t] == 0:
                break
            z = logits[b, t] - logits[b, t].max()
            total -= z[targets[b, t]] - np.log(np.exp(z).sum())
            n += 1
    return total / n


@wrong("05.3")
def decode(step, state, max_length):
    token, out = START, []
    for _ in range(min(6, max_length)):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        out.append(token)
    return out


@wrong("05.3")
def decode(step, state, max_length):
    token, out = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = int(np.argmax(np.abs(logits)))
        if token == END:
            break
        out.append(token)
    return out


@right("05.3")
def decode(step, state, max_length):
    def rest(token, state, left):
        if not left:
            return []
        logits, state = step(token, state)
        token = int(ops.argmax(logits))
        return [] if token == END else [token, *rest(token, state, left - 1)]

    return rest(START, state, max_length)


@wrong("05.5", "the mask counts there, too")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    q = query if self.score == "dot" else ops.matmul(query, self.W)
    scores = ops.matmul(q, ops.transpose(value, (0, 2, 1)))
    if not return_attention_scores:
        weights = masked_softmax(scores)
    else:
        weights = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
    context = ops.matmul(weights, value)
    out = self.W_c(ops.concatenate([context, query], -1))
    return (out, weights) if return_attention_scores else out


@wrong("05.5", "open")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    q = query if self.score == "dot" else ops.matmul(query, self.W)
    b, t, d = query.shape
    scores = ops.matmul(q, ops.transpose(value, (0, 2, 1)))
    mask = None
    if value_mask is not None:
        mask = ops.broadcast_to(value_mask[:, None], (b, t, value.shape[1]))
    weights = masked_softmax(scores, mask)
    context = ops.matmul(weights, value)
    out = self.W_c(ops.concatenate([context, query], -1))
    return (out, weights) if return_attention_scores else out


@right("05.5")
def call(self, query, value, value_mask=None, return_attention_scores=False):
    q = query
    if self.score != "dot":
        q = ops.tensordot(query, self.W, axes=1)
    scores = ops.sum(q[:, :, None] * value[:, None], axis=-1)
    if value_mask is not None:
        scores = ops.where(ops.cast(value_mask, "bool")[:, None], scores, -1e9)
    alpha = ops.softmax(scores, axis=-1)
    c = ops.sum(alpha[..., None] * value[:, None], axis=2)
    out = self.W_c(ops.concatenate([c, query], axis=-1))
    return (out, alpha) if return_attention_scores else out


@wrong("05.6", "the mask counts there, too")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    hidden = ops.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = self.v(hidden)[..., 0]
    if return_attention_scores:
        w = masked_softmax(scores, None if value_mask is None else value_mask[:, None])
        return ops.matmul(w, value), w
    return ops.matmul(ops.softmax(scores), value)


@right("05.6")
def attend(self, query, keys, value, value_mask=None, return_attention_scores=False):
    if value_mask is None:
        value_mask = ops.ones(ops.shape(value)[:2], dtype="bool")
    h = keras.activations.tanh(self.W_s(query)[:, :, None] + keys[:, None])
    scores = ops.max(self.v(h), axis=-1)
    w = masked_softmax(scores, value_mask[:, None])
    c = ops.matmul(w, value)
    return (c, w) if return_attention_scores else c
