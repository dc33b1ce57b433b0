"""Answers to the exercises of lab 06c, as students write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils.layers.attention import MASK_VALUE
from lectures.lecture_06b import freeze, pooled
from lectures.lecture_06c import (
    END,
    START,
    OneRowAChoice,
    load_entities,
    spans,
    tagged_rows,
    token_classifier,
    two_block_encoder,
)


@right("06c.1")
def align_tags(tags, word_ids):
    return [
        -1 if word is None or (k and word_ids[k - 1] == word) else tags[word]
        for k, word in enumerate(word_ids)
    ]


@right("06c.1")
def align_tags(tags, word_ids):
    seen, aligned = set(), []
    for word in word_ids:
        if word is None or word in seen:
            aligned.append(-1)
        else:
            seen.add(word)
            aligned.append(tags[word])
    return aligned


@right("06c.1")
def align_tags(tags, word_ids):
    aligned = [-1] * len(word_ids)
    for word in range(len(tags)):
        if word in word_ids:
            aligned[word_ids.index(word)] = tags[word]
    return aligned


@right("06c.1")
def align_tags(tags, word_ids):
    aligned, last = [], -1
    for word in word_ids:
        if word is not None and word > last:
            aligned.append(int(tags[word]))
            last = word
        else:
            aligned.append(-1)
    return np.array(aligned)


@wrong("06c.1")
def align_tags(tags, word_ids):
    return [-1 if word is None else tags[word] for word in word_ids]


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids:
        aligned.append(tags[word] if word is not None and word != before else 0)
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids:
        aligned.append(tags[word] if word and word != before else -1)
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids:
        if word != before:
            aligned.append(tags[word])
        else:
            aligned.append(-1)
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned = []
    for k, word in enumerate(word_ids):
        last = k + 1 == len(word_ids) or word_ids[k + 1] != word
        aligned.append(tags[word] if word is not None and last else -1)
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    words = [word for word in word_ids if word is not None]
    return [tags[word] for word in sorted(set(words))]


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, k = [], 0
    for word in word_ids:
        if word is None:
            aligned.append(-1)
        elif k < len(tags):
            aligned.append(tags[k])
            k += 1
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids:
        aligned.append(None if word is None or word == before else tags[word])
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids:
        aligned.append(word if word is not None and word != before else -1)
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], 0
    for word in word_ids:
        aligned.append(-1 if word is None or word == before else tags[word])
        before = word
    return aligned


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, before = [], None
    for word in word_ids[1:-1]:
        aligned.append(tags[word] if word is not None and word != before else -1)
        before = word
    return aligned


@right("06c.2")
def token_classifier(encoder, classes):
    ids = layers.Input(shape=(None,), dtype="int32")
    states = encoder(ids)[-1]
    return keras.Model(inputs=ids, outputs=layers.Dense(classes, use_bias=True)(states))


@right("06c.2")
def token_classifier(encoder, classes):
    class Tagger(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder, self.head = encoder, layers.Dense(classes)

        def call(self, ids):
            return self.head(self.encoder(ids)[-1])

    return Tagger()


@right("06c.2")
def token_classifier(encoder, classes):
    states = encoder.outputs[-1]
    x = layers.Dropout(0.1)(states)
    return keras.Model(encoder.inputs, layers.Dense(classes, dtype="float32")(x))


@right("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    logits = layers.TimeDistributed(layers.Dense(classes))(x)
    return keras.Model(ids, logits)


@right("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Conv1D(classes, 1)(encoder(ids)[-1]))


@right("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    scores = [layers.Dense(1)(x) for _ in range(classes)]
    return keras.Model(ids, layers.concatenate(scores, axis=-1))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Dense(classes)(encoder(ids)))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Dense(classes, "softmax")(encoder(ids)[-1]))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.GlobalAveragePooling1D()(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes)(x))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Dense(classes)(encoder(ids)[0]))


@wrong("06c.2")
def token_classifier(encoder, classes):
    encoder.trainable = False
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Dense(classes)(encoder(ids)[-1]))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return layers.Dense(classes)(encoder(ids)[-1])


@wrong("06c.2")
def token_classifier(encoder, classes):
    return keras.Sequential([encoder, layers.Dense(classes)])


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, layers.Dense(classes + 1)(encoder(ids)[-1]))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dense(64, "relu")(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes)(x))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    new = two_block_encoder(range(300), 48)
    return keras.Model(ids, layers.Dense(classes)(new(ids)[-1]))


@wrong("06c.2")
def token_classifier(encoder, classes):
    ids = keras.Input((None,))
    x = layers.LSTM(8, return_sequences=True)(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes)(x))


@right("06c.3")
def span_f1(true, predicted):
    a = {(k, *span) for k, tags in enumerate(true) for span in spans(tags)}
    b = {(k, *span) for k, tags in enumerate(predicted) for span in spans(tags)}
    return 2 * len(a & b) / (len(a) + len(b)) if a & b else 0


@right("06c.3")
def span_f1(true, predicted):
    hits = wanted = found = 0
    for right_tags, guessed in zip(true, predicted):
        a, b = spans(right_tags), spans(guessed)
        hits, wanted, found = hits + len(a & b), wanted + len(a), found + len(b)
    if hits == 0:
        return 0.0
    precision, recall = hits / found, hits / wanted
    return 2 * precision * recall / (precision + recall)


@right("06c.3")
def span_f1(true, predicted):
    tp = fp = fn = 0
    for one, other in zip(true, predicted, strict=True):
        a, b = spans(one), spans(other)
        tp += len(a.intersection(b))
        fp += len(b.difference(a))
        fn += len(a.difference(b))
    return tp / (tp + 0.5 * (fp + fn)) if tp else 0.0


@right("06c.3")
def span_f1(true, predicted):
    counts = np.zeros(3)
    for a, b in zip(map(spans, true), map(spans, predicted)):
        counts += len(a & b), len(a), len(b)
    return 2 * counts[0] / max(1, counts[1] + counts[2])


@wrong("06c.3")
def span_f1(true, predicted):
    a, b = np.concatenate(true), np.concatenate(predicted)
    hits = ((a == b) & (a != "O")).sum()
    return 2 * hits / ((a != "O").sum() + (b != "O").sum())


@wrong("06c.3")
def span_f1(true, predicted):
    a = set().union(*map(spans, true))
    b = set().union(*map(spans, predicted))
    return 2 * len(a & b) / (len(a) + len(b))


@wrong("06c.3")
def span_f1(true, predicted):
    scores = []
    for a, b in zip(map(spans, true), map(spans, predicted)):
        total = len(a) + len(b)
        scores.append(2 * len(a & b) / total if total else 1.0)
    return np.mean(scores)


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    wanted, found = (sum(len(spans(t)) for t in side) for side in (true, predicted))
    return (hits / wanted + hits / found) / 2 if hits else 0.0


@wrong("06c.3", "ZeroDivision")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    wanted, found = (sum(len(spans(t)) for t in side) for side in (true, predicted))
    precision, recall = hits / found, hits / wanted
    return 2 * precision * recall / (precision + recall)


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    return hits / sum(len(spans(t)) for t in true)


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    return hits / sum(len(spans(a) | spans(b)) for a, b in zip(true, predicted))


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    total = sum(len(spans(t)) for t in [*true, *predicted])
    return 100 * 2 * hits / total


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(spans(a) == spans(b) for a, b in zip(true, predicted))
    return hits / len(true)


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(len(spans(a) & spans(b)) for a, b in zip(true, predicted))
    total = sum(len(spans(t)) for t in [*true, *predicted])
    return hits / total


@wrong("06c.3")
def span_f1(true, predicted):
    a, b = spans(sum(true, [])), spans(sum(predicted, []))
    return 2 * len(a & b) / (len(a) + len(b)) if a & b else 0.0


@wrong("06c.3")
def span_f1(true, predicted):
    hits = sum(
        bool({x[:2] for x in spans(a)} & {x[:2] for x in spans(b)})
        for a, b in zip(true, predicted)
    )
    return 2 * hits / sum(len(spans(t)) for t in [*true, *predicted])


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    pads = ops.equal(ids, 0)
    start, end = layers.Dense(1)(x)[..., 0], layers.Dense(1)(x)[..., 0]
    start = ops.where(pads, MASK_VALUE, start)
    end = ops.where(pads, MASK_VALUE, end)
    return keras.Model(ids, {"start": start, "end": end})


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2, use_bias=False)(x)
    real = ops.cast(ops.not_equal(ids, 0), "float32")
    scores = scores + (1 - real)[..., None] * MASK_VALUE
    return keras.Model(ids, {"start": scores[:, :, 0], "end": scores[:, :, 1]})


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    class Answerer(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder, self.ends = encoder, layers.Dense(2)
            self.dropout = layers.Dropout(dropout)

        def call(self, ids):
            scores = self.ends(self.dropout(self.encoder(ids)[-1]))
            scores = ops.where(ops.not_equal(ids, 0)[..., None], scores, MASK_VALUE)
            return {"start": scores[..., 0], "end": scores[..., 1]}

    return Answerer()


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    ends = ops.transpose(layers.Dense(2)(x), (2, 0, 1))
    ends = ops.where(ops.expand_dims(ops.not_equal(ids, 0), 0), ends, MASK_VALUE)
    return keras.Model(ids, {"start": ends[0], "end": ends[1]})


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    class Ends(layers.Layer):
        def build(self, states_shape, ids_shape):
            self.start = self.add_weight(shape=(states_shape[-1],), name="start")
            self.end = self.add_weight(shape=(states_shape[-1],), name="end")

        def call(self, states, ids):
            pads = ops.equal(ids, 0)
            start = ops.einsum("btc,c->bt", states, self.start)
            end = ops.einsum("btc,c->bt", states, self.end)
            return {
                "start": ops.where(pads, MASK_VALUE, start),
                "end": ops.where(pads, MASK_VALUE, end),
            }

    ids = keras.Input((None,), dtype="int32")
    return keras.Model(ids, Ends()(layers.Dropout(dropout)(encoder(ids)[-1]), ids))


@wrong("06c.5", "NaN")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], layers.Dense(2)(x), -np.inf)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5", "shape")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], layers.Dense(2)(x), MASK_VALUE)
    return keras.Model(ids, {"start": scores[..., :1], "end": scores[..., 1:]})


@wrong("06c.5", "shape")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], layers.Dense(2)(x), MASK_VALUE)
    return keras.Model(ids, {"start": scores, "end": scores})


@wrong("06c.5", "not_equal")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ids == 0, MASK_VALUE, layers.Dense(2)(x))
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2)(x)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], layers.Dense(2)(x), MASK_VALUE)
    return keras.Model(ids, [scores[..., 0], scores[..., 1]])


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0), layers.Dense(2)(x), MASK_VALUE)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.softmax(layers.Dense(2)(x), axis=1)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(1)(x)[..., 0]
    scores = ops.where(ops.not_equal(ids, 0), scores, MASK_VALUE)
    return keras.Model(ids, {"start": scores, "end": scores})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1][:, 0])
    scores = layers.Dense(2)(x)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2)(x) * ops.cast(ops.not_equal(ids, 0), "float32")[..., None]
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.5")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], layers.Dense(2)(x), MASK_VALUE)
    return {"start": scores[..., 0], "end": scores[..., 1]}


@right("06c.6")
def best_span(start, end, allowed):
    best = np.zeros((len(start), 2), int)
    for row, (s, e, ok) in enumerate(zip(start, end, allowed)):
        top = -np.inf
        for i in np.flatnonzero(ok):
            for j in np.flatnonzero(ok):
                if i <= j and s[i] + e[j] > top:
                    top, best[row] = s[i] + e[j], (i, j)
    return best


@right("06c.6")
def best_span(start, end, allowed):
    start = np.where(allowed, start, -np.inf)
    end = np.where(allowed, end, -np.inf)
    scores = start[:, :, None] + end[:, None]
    n = start.shape[1]
    scores[:, np.tril_indices(n, -1)[0], np.tril_indices(n, -1)[1]] = -np.inf
    return np.array([np.unravel_index(row.argmax(), (n, n)) for row in scores])


@right("06c.6")
def best_span(start, end, allowed):
    s = np.where(allowed, start, -1e30)
    first = np.maximum.accumulate(s, axis=1)
    last = np.where(allowed, first + end, -1e30).argmax(axis=1)
    rows = []
    for row, j in enumerate(last):
        rows.append((int(s[row, : j + 1].argmax()), int(j)))
    return np.array(rows)


@right("06c.6")
def best_span(start, end, allowed):
    tokens = start.shape[1]
    i, j = np.triu_indices(tokens)
    scores = np.where(allowed[:, i] & allowed[:, j], start[:, i] + end[:, j], -np.inf)
    best = scores.argmax(axis=1)
    return np.stack([i[best], j[best]], axis=-1)


@wrong("06c.6")
def best_span(start, end, allowed):
    s = np.where(allowed, start, -np.inf).argmax(axis=1)
    e = np.where(allowed, end, -np.inf).argmax(axis=1)
    return np.stack([s, e], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    s = np.where(allowed, start, -np.inf).argmax(axis=1)
    after = np.arange(start.shape[1]) >= s[:, None]
    e = np.where(allowed & after, end, -np.inf).argmax(axis=1)
    return np.stack([s, e], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    s = np.where(allowed, start, -np.inf).argmax(axis=1)
    e = np.where(allowed, end, -np.inf).argmax(axis=1)
    return np.sort(np.stack([s, e], axis=1), axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = np.triu(start[:, :, None] + end[:, None])
    scores = np.where(allowed[:, :, None] & allowed[:, None], scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best // n, best % n], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.tril(np.ones((n, n))) > 0, scores, -np.inf)
    scores = np.where(allowed[:, :, None] & allowed[:, None], scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best // n, best % n], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.triu(allowed[:1, :, None] & allowed[:1, None]), scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best // n, best % n], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, None] + end[:, :, None]
    scores = np.where(np.triu(allowed[:, :, None] & allowed[:, None]), scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best // n, best % n], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.triu(allowed[:, :, None] & allowed[:, None]), scores, -np.inf)
    best = scores.argmax()
    return np.array([[best // n, best % n]])


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.triu(np.ones((n, n))) > 0, scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best // n, best % n], axis=1)


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.triu(allowed[:, :, None] & allowed[:, None]), scores, -np.inf)
    best = scores.reshape(len(start), -1).max(axis=1)
    return best


@wrong("06c.6")
def best_span(start, end, allowed):
    n = start.shape[1]
    scores = start[:, :, None] + end[:, None]
    scores = np.where(np.triu(allowed[:, :, None] & allowed[:, None]), scores, -np.inf)
    best = scores.reshape(len(start), -1).argmax(axis=1)
    return np.stack([best % n, best // n], axis=1)


@right("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    rows = ops.reshape(ids, (-1, ops.shape(ids)[2]))
    rows = OneRowAChoice()(ids)
    x = pooled(encoder(rows)[-1], rows, pool)
    scores = layers.Dense(1)(layers.Dropout(dropout)(x))
    return keras.Model(ids, layers.Reshape((choices,))(ops.reshape(scores, (-1, choices))))


@right("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    score = layers.Dense(1, use_bias=False)
    scores = []
    for k in range(choices):
        x = pooled(encoder(ids[:, k])[-1], ids[:, k], pool)
        scores.append(score(layers.Dropout(dropout)(x)))
    return keras.Model(ids, layers.Concatenate()(scores))


@right("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    class Scorer(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder, self.score = encoder, layers.Dense(1)
            self.rows, self.dropout = OneRowAChoice(), layers.Dropout(dropout)

        def call(self, ids):
            rows = self.rows(ids)
            x = self.dropout(pooled(self.encoder(rows)[-1], rows, pool))
            return ops.reshape(self.score(x), (-1, choices))

    return Scorer()


@right("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    states = encoder(flat)[-1]
    x = layers.Dropout(dropout)(pooled(states, flat, pool))
    x = ops.reshape(x, (-1, choices, states.shape[-1]))
    return keras.Model(ids, layers.Dense(1)(x)[..., 0])


@wrong("06c.7", "pool")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(encoder(flat)[-1][:, 0])
    return keras.Model(ids, ops.reshape(layers.Dense(1)(x), (-1, choices)))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    return keras.Model(ids, layers.Dense(1)(x))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    return keras.Model(ids, ops.reshape(layers.Dense(choices)(x), (-1, choices)))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    scores = ops.reshape(layers.Dense(1)(x), (choices, -1))
    return keras.Model(ids, ops.transpose(scores))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    scores = ops.reshape(layers.Dense(1)(x), (-1, choices))
    return keras.Model(ids, ops.softmax(scores))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], ids, pool))
    return keras.Model(ids, ops.reshape(layers.Dense(1, "sigmoid")(x), (-1, choices)))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    x = layers.Dropout(dropout)(pooled(encoder(ids)[-1], ids, pool))
    return keras.Model(ids, ops.reshape(layers.Dense(1)(x), (-1, choices)))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[0], flat, pool))
    return keras.Model(ids, ops.reshape(layers.Dense(1)(x), (-1, choices)))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    scores = []
    for k in range(choices):
        x = pooled(encoder(ids[:, k])[-1], ids[:, k], pool)
        scores.append(layers.Dense(1)(x))
    return keras.Model(ids, layers.Concatenate()(scores))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = ops.reshape(ids, (-1, choices * 7))
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    return keras.Model(ids, layers.Dense(choices)(x))


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    return ops.reshape(layers.Dense(1)(x), (-1, choices))


LOSS = {"from_logits": True, "ignore_class": -1}


def tagger_of(data, tokenizer, head, **how):
    model = head(two_block_encoder(tokenizer, 48, 0.1), len(data.class_names))
    loss = keras.losses.SparseCategoricalCrossentropy(**how)
    model.compile(keras.optimizers.Adam(2e-3, clipnorm=1.0), loss)
    return model


@right("06c.4", trains=True)
def train_tagger(data, tokenizer, epochs=5, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    val = tagged_rows(data.val, tokenizer, 48)
    ids, tags = tagged_rows(data.train, tokenizer, 48)
    model.fit(ids, tags, batch_size=32, epochs=epochs, validation_data=val, verbose=0)
    return model


@right("06c.4", trains=True)
def train_tagger(data, tokenizer, epochs=5, head=token_classifier):
    model = tagger_of(data, tokenizer, head, from_logits=True)
    ids, tags = tagged_rows(data.train, tokenizer, 48)
    asked = (tags >= 0).astype("float32")
    targets = np.maximum(tags, 0)
    model.fit(ids, targets, sample_weight=asked, batch_size=32, epochs=epochs, verbose=0)
    return model


@right("06c.4", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    def loss(tags, logits):
        asked = ops.cast(tags >= 0, "float32")
        tags = ops.maximum(tags, 0)
        entropy = keras.losses.sparse_categorical_crossentropy
        losses = entropy(tags, logits, from_logits=True)
        return ops.sum(losses * asked) / ops.maximum(ops.sum(asked), 1.0)

    model = head(two_block_encoder(tokenizer, 48, 0.1), len(data.class_names))
    model.compile(keras.optimizers.AdamW(2e-3, clipnorm=1.0), loss, metrics=["accuracy"])
    model.fit(*tagged_rows(data.train, tokenizer, 48), batch_size=32, epochs=epochs, verbose=0)
    return model


@wrong("06c.4", "hold no -1", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, from_logits=True)
    ids, tags = tagged_rows(data.train.take(slice(200)), tokenizer, 48)
    model.fit(ids, np.maximum(tags, 0), batch_size=32, verbose=0)
    return model


@wrong("06c.4", "ignore_class=-1", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, from_logits=True)
    ids, tags = tagged_rows(data.train.take(slice(200)), tokenizer, 48)
    model.fit(ids, tags, batch_size=32, verbose=0)
    return model


@wrong("06c.4", "from_logits", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, ignore_class=-1)
    ids, tags = tagged_rows(data.train.take(slice(200)), tokenizer, 48)
    model.fit(ids, tags, batch_size=32, verbose=0)
    return model


@wrong("06c.4", "validation sentences", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    model.fit(*tagged_rows(data.train.take(slice(200)), tokenizer, 48), verbose=0)
    model.fit(*tagged_rows(data.val, tokenizer, 48), verbose=0)
    return model


@wrong("06c.4", "test sentences", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    model.fit(*tagged_rows(data.test, tokenizer, 40), verbose=0)
    return model


@wrong("06c.4", "validation sentences", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    model.fit(*tagged_rows(load_entities().val, tokenizer, 48), verbose=0)
    return model


@wrong("06c.4", "keep the arguments", trains=True)
def train_tagger(data, tokenizer):
    return tagger_of(data, tokenizer, token_classifier, **LOSS)


@wrong("06c.4", "not trained", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    return tagger_of(data, tokenizer, head, **LOSS)


@wrong("06c.4", "trained model", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    return model.fit(*tagged_rows(data.test, tokenizer, 48), verbose=0)


@wrong("06c.4", "0.9 is asked", trains=True)
def train_tagger(data, tokenizer, epochs=4, head=token_classifier):
    model = tagger_of(data, tokenizer, head, **LOSS)
    model.fit(*tagged_rows(data.train.take(slice(320)), tokenizer, 48), verbose=0)
    return model


@wrong("06c.2", "shape")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(4, dtype="float32")(x))


@wrong("06c.2", "regularizer")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(0.1)(encoder(ids)[-1])
    dense = layers.Dense(classes, dtype="float32", kernel_regularizer="l2")
    return keras.Model(ids, dense(x))


@wrong("06c.5", "the head has to learn")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(encoder(ids)[-1])
    scores = layers.Dense(2, dtype="float32", trainable=False)(x)
    scores = ops.where(ops.expand_dims(ops.not_equal(ids, 0), -1), scores, MASK_VALUE)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@wrong("06c.6")
def best_span(start, end, allowed):
    found = []
    for s, e, may in zip(start, end, allowed, strict=True):
        pairs = [(i, j) for i in range(len(s)) for j in range(i, min(i + 5, len(s)))]
        pairs = [(i, j) for i, j in pairs if may[i] and may[j]]
        found.append(max(pairs, key=lambda pair: s[pair[0]] + e[pair[1]]))
    return np.array(found)


@wrong("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    x = layers.Dropout(dropout)(pooled(encoder(flat)[-1], flat, pool))
    return keras.Model(ids, ops.reshape(layers.Dense(1)(x), (2, choices)))


@right("06c.8")
def told_apart(base, arm):
    if all(one < other for one in arm for other in base):
        return "below"
    if all(one > other for one in arm for other in base):
        return "above"
    return "overlap"


@right("06c.8")
def told_apart(base, arm):
    base, arm = np.sort(base), np.sort(arm)
    return "below" if arm[-1] < base[0] else "above" if arm[0] > base[-1] else "overlap"


@wrong("06c.8", "means")
def told_apart(base, arm):
    if np.mean(arm) < np.mean(base):
        return "below"
    return "above" if np.mean(arm) > np.mean(base) else "overlap"


@wrong("06c.8")
def told_apart(base, arm):
    if all(one < other for one, other in zip(arm, base)):
        return "below"
    return "above" if all(one > other for one, other in zip(arm, base)) else "overlap"


@wrong("06c.8", "arm")
def told_apart(base, arm):
    if max(base) < min(arm):
        return "below"
    return "above" if min(base) > max(arm) else "overlap"


@wrong("06c.8")
def told_apart(base, arm):
    return max(arm) < min(base)


@wrong("06c.1")
def align_tags(tags, word_ids):
    aligned, last = [], -1
    for word in word_ids:
        first = word == last + 1
        aligned.append(tags[word] if first else IGNORE)
        last += first
    return aligned


@wrong("06c.2", "no gradient reaches")
def token_classifier(encoder, classes):
    ids = keras.Input((None,), dtype="int32")
    states = ops.stop_gradient(encoder(ids)[-1])
    return keras.Model(ids, layers.Dense(classes)(states))


@right("06c.2")
def token_classifier(encoder, classes):
    return keras.Model(encoder.inputs, layers.Dense(classes)(encoder.outputs[-1]))


@wrong("06c.5", "`dropout` is the share")
def span_answerer(encoder, dropout=0.1):
    ids = keras.Input((None,), dtype="int32")
    scores = layers.Dense(2)(encoder(ids)[-1])
    scores = ops.where(ops.not_equal(ids, 0)[..., None], scores, MASK_VALUE)
    return keras.Model(ids, {"start": scores[..., 0], "end": scores[..., 1]})


@right("06c.5")
def span_answerer(encoder, dropout=0.1):
    class Reader(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder, self.drop = encoder, layers.Dropout(dropout)
            self.start, self.end = layers.Dense(1), layers.Dense(1)

        def call(self, ids, training=None):
            x = self.drop(self.encoder(ids, training=training)[-1], training=training)
            pads = 1e9 * ops.cast(ops.equal(ids, 0), "float32")
            return {"end": self.end(x)[..., 0] - pads, "start": self.start(x)[..., 0] - pads}

    return Reader()


@wrong("06c.7", "`dropout` is the share")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    ids = keras.Input((choices, None), dtype="int32")
    flat = OneRowAChoice()(ids)
    scores = layers.Dense(1)(pooled(encoder(flat)[-1], flat, pool))
    return keras.Model(ids, ops.reshape(scores, (-1, choices)))


@right("06c.7")
def choice_scorer(encoder, choices, pool="first", dropout=0.1):
    row = keras.Input((None,), dtype="int32")
    x = layers.Dropout(dropout)(pooled(encoder(row)[-1], row, pool))
    reader = keras.Model(row, layers.Dense(1)(x)[:, 0])
    ids = keras.Input((choices, None), dtype="int32")
    return keras.Model(ids, ops.stack([reader(ids[:, k]) for k in range(choices)], axis=1))


@wrong("06c.8")
def told_apart(base, arm):
    base, arm = np.round(base, 2), np.round(arm, 2)
    if max(arm) < min(base):
        return "below"
    return "above" if min(arm) > max(base) else "overlap"


@right("06c.9")
def pair_row(premise, hypothesis, length):
    ids = [START] + list(premise) + [END] + list(hypothesis)
    if len(premise) == 0 or len(hypothesis) == 0 or len(ids) > length:
        raise ValueError("this is no pair")
    first = ids.index(END) + 1
    pads = [0] * (length - len(ids))
    return ids + pads, [0] * first + [1] * (len(ids) - first) + pads


@right("06c.9")
def pair_row(premise, hypothesis, length):
    if not len(premise) or not len(hypothesis):
        raise ValueError("two sentences, please")
    ids, segments = np.zeros((2, length), "int32")
    both = [START, *premise, END, *hypothesis]
    ids[: len(both)] = both  # NumPy raises a ValueError where it does not fit
    segments[len(premise) + 2 : len(both)] = 1
    return ids, segments


@wrong("06c.9", "segment 0")
def pair_row(premise, hypothesis, length):
    ids = [START, *premise, END, *hypothesis]
    if not premise or not hypothesis or len(ids) > length:
        raise ValueError("this is no pair")
    segments = [0] * (len(premise) + 1) + [1] * (len(hypothesis) + 1)
    pads = [0] * (length - len(ids))
    return ids + pads, segments + pads


@wrong("06c.9", "does not fit")
def pair_row(premise, hypothesis, length):
    if not premise or not hypothesis:
        raise ValueError("an empty sentence")
    ids = [START, *premise, END, *hypothesis][:length]
    segments = ([0] * (len(premise) + 2) + [1] * len(hypothesis))[:length]
    pads = [0] * (length - len(ids))
    return ids + pads, segments + pads


@wrong("06c.9", "empty")
def pair_row(premise, hypothesis, length):
    ids = [START, *premise, END, *hypothesis]
    if len(ids) > length:
        raise ValueError("too long")
    pads = [0] * (length - len(ids))
    return ids + pads, [0] * (len(premise) + 2) + [1] * len(hypothesis) + pads


@right("06c.9")
def pair_row(premise, hypothesis, length):  # preallocated
    if len(premise) + len(hypothesis) + 2 > length:
        raise ValueError("too long")
    if [] in (premise, hypothesis):
        raise ValueError("empty")
    ids, segments = [0] * length, [0] * length
    ids[0] = START
    for t, token in enumerate(premise, start=1):
        ids[t] = token
    ids[len(premise) + 1] = END
    for t, token in enumerate(hypothesis, start=len(premise) + 2):
        ids[t], segments[t] = token, 1
    return ids, segments


@right("06c.9")
def pair_row(premise, hypothesis, length):  # zip
    pairs = (
        [(START, 0)]
        + [(one, 0) for one in premise]
        + [(END, 0)]
        + [(one, 1) for one in hypothesis]
    )
    if not (premise and hypothesis) or len(pairs) > length:
        raise ValueError("no")
    pairs += [(0, 0)] * (length - len(pairs))
    ids, segments = zip(*pairs)
    return list(ids), list(segments)


@wrong("06c.9", says="empty")
def pair_row(premise, hypothesis, length):  # both empty
    ids = [START, *premise, END, *hypothesis]
    if not premise and not hypothesis or len(ids) > length:
        raise ValueError
    return filled(ids, length), filled([0] * (len(premise) + 2) + [1] * len(hypothesis), length)


@wrong("06c.9")
def pair_row(premise, hypothesis, length):  # in the hypothesis' words
    ids = [START, *premise, END, *hypothesis]
    if not premise or not hypothesis or len(ids) > length:
        raise ValueError
    return filled(ids, length), filled([int(one in hypothesis) for one in ids], length)


@wrong("06c.9", says="two lists")
def pair_row(premise, hypothesis, length):  # returns one list of pairs
    ids = [START, *premise, END, *hypothesis]
    if not premise or not hypothesis or len(ids) > length:
        raise ValueError
    return list(
        zip(
            filled(ids, length),
            filled([0] * (len(premise) + 2) + [1] * len(hypothesis), length),
        )
    )
