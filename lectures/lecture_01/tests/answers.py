"""Answers to the exercises of lecture 01, right and wrong, as students might write them."""

from collections import Counter, defaultdict

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils.layers import MaskedAveragePooling1D
from lectures.lecture_01 import skip_gram_model, with_noise

# 01.1


@right("01.1")
def build_vocabulary(reviews, size):
    counts = defaultdict(int)
    for review in reviews:
        for word in review:
            counts[word] += 1
    words = sorted(sorted(counts), key=counts.get, reverse=True)
    vocabulary = {}
    for word in words:
        if len(vocabulary) + 2 < size:
            vocabulary[word] = len(vocabulary) + 2
    return vocabulary


@right("01.1")
def build_vocabulary(reviews, size):
    counts = Counter()
    for review in reviews:
        counts.update(review)
    pairs = sorted(((-n, word) for word, n in counts.items()))[: size - 2]
    return dict(zip([word for _, word in pairs], range(2, size)))


@right("01.1")
def build_vocabulary(reviews, size):
    words, counts = np.unique(sum(reviews, []), return_counts=True)
    order = np.lexsort((words, -counts))[: size - 2]
    return {str(words[i]): int(n) + 2 for n, i in enumerate(order)}


@right("01.1")
def build_vocabulary(reviews, size):
    words = [w for r in reviews for w in r]
    unique = sorted(set(words), key=lambda w: (-words.count(w), w))
    return {w: 2 + unique.index(w) for w in unique if 2 + unique.index(w) < size}


@wrong("01.1", says="the most frequent word comes first")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (counts[w], w))
    return {w: i for i, w in enumerate(ranked[: size - 2], start=2)}


@wrong("01.1", says="alphabetically")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    return {w: i for i, (w, _) in enumerate(counts.most_common(size - 2), start=2)}


@wrong("01.1", says="counts 0 and 1 too")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate(ranked[:size], start=2)}


@wrong("01.1", says="begin at 2")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate(ranked[: size - 2])}


@wrong("01.1", says="stops in the line `counts = Counter(reviews)`")
def build_vocabulary(reviews, size):
    counts = Counter(reviews)
    return {w: i for i, w in enumerate(sorted(counts), start=2)}


@wrong("01.1", says="the vocabulary")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i + 2 for i, w in enumerate(ranked[: size - 1])}


@wrong("01.1", says="return a dictionary")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    return sorted(counts, key=lambda w: (-counts[w], w))[: size - 2]


@wrong("01.1", says="the vocabulary")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews[:1] for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate(ranked[: size - 2], start=2)}


@wrong("01.1", says="is a `return` missing")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    {w: i for i, w in enumerate(sorted(counts), start=2)}


@wrong("01.1", says="the vocabulary")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: counts[w] for w in ranked[: size - 2]}


@wrong("01.1", says="the vocabulary")
def build_vocabulary(reviews, size):
    counts = Counter(letter for r in reviews for w in r for letter in w)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate(ranked[: size - 2], start=2)}


@wrong("01.1", says="the vocabulary")
def build_vocabulary(reviews, size):
    words = sorted({w for r in reviews for w in r})
    return {w: i for i, w in enumerate(words[: size - 2], start=2)}


@wrong("01.1", says="in that order")
def build_vocabulary(reviews, size):
    counts = Counter(w for r in reviews for w in r)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))[: size - 2]
    return {w: ranked.index(w) + 2 for w in sorted(ranked)}


@wrong("01.1")
def build_vocabulary(reviews, size):
    first, second = reviews[:2]
    counts = Counter(first + second)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    return {w: i for i, w in enumerate(ranked[: size - 2], start=2)}


# 01.2


@right("01.2")
def fool_every_counter():
    return ("It is not dull it is great", 1), ("It is not great it is dull", 0)


@right("01.2")
def fool_every_counter():
    return (
        ("a superb film because it is not dull", 1),
        ("not a superb film because it is dull", 0),
    )


@right("01.2")
def fool_every_counter():
    return [["never boring or weak", 1], ["boring or never weak", 0]][:0] or (
        ("never dull, always charming", 1),
        ("never charming, always dull", 0),
    )


@right("01.2")
def fool_every_counter():
    praise = "Hardly a weak moment, and a brilliant end!"
    blame = "Hardly a brilliant moment, and a weak end!"
    return ((blame, 0), (praise, 1))


@wrong("01.2", says="a negator before what it denies")
def fool_every_counter():
    return ("Dull it was not, it was great.", 1), ("Great it was not, it was dull.", 0)


@wrong("01.2", says="one review praises")
def fool_every_counter():
    return ("not dull", 1), ("not dull", 1)


@wrong("01.2", says="a counter sees different words")
def fool_every_counter():
    return ("the film was great", 1), ("the film was dull", 0)


@wrong("01.2", says="reads otherwise than its label")
def fool_every_counter():
    return ("it was dull and hardly superb", 1), ("it was superb and hardly dull", 0)


@wrong("01.2", says="return two pairs")
def fool_every_counter():
    return "not dull but great", "not great but dull"


@wrong("01.2", says="a count of each word")
def fool_every_counter():
    return ("not dull but great great", 1), ("not great but dull dull", 0)


@wrong("01.2", says="no verdict read")
def fool_every_counter():
    return ("a fine film not an ugly one", 1), ("an ugly film not a fine one", 0)


@wrong("01.2", says="one review praises")
def fool_every_counter():
    return ("not dull but great", "praise"), ("not great but dull", "blame")


@wrong("01.2", says="return two pairs")
def fool_every_counter():
    return {"not dull but great": 1, "not great but dull": 0}


@wrong("01.2", says="the same words in the same order")
def fool_every_counter():
    return ("not dull but great.", 1), ("Not dull, but great", 0)


@wrong("01.2", says="a counter sees different words")
def fool_every_counter():
    return ("it was not dull and great", 1), ("it was dull and never great", 0)


# 01.3


@right("01.3")
def tf_idf(counts, document_frequency, num_documents):
    idf = 1 + np.log1p(num_documents) - np.log1p(document_frequency)
    weighted = np.einsum("dw,w->dw", counts, idf)
    length = np.sqrt((weighted**2).sum(axis=1, keepdims=True))
    return np.divide(weighted, length, out=np.zeros_like(weighted), where=length > 0)


@right("01.3")
def tf_idf(counts, document_frequency, num_documents):
    rows = []
    for row in counts:
        weights = row * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
        length = np.linalg.norm(weights)
        rows.append(weights / length if length else weights)
    return np.array(rows)


@right("01.3")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts @ np.diag(np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    return weighted / np.maximum(np.linalg.norm(weighted, axis=1), 1e-12)[:, None]


@right("01.3")
def tf_idf(counts, document_frequency, num_documents):
    idf = np.log((num_documents + 1.0) / (document_frequency + 1.0)) + 1.0
    out = np.copy(counts).astype(float)
    out *= idf[None, :]
    for i in range(len(out)):
        total = sum(v * v for v in out[i]) ** 0.5
        if total > 0:
            out[i] /= total
    return out


@wrong("01.3", says="keepdims=True")
def tf_idf(counts, document_frequency, num_documents):
    idf = np.log((1 + num_documents) / (1 + document_frequency)) + 1
    weighted = counts * idf
    return weighted / np.linalg.norm(weighted, axis=1)


@wrong("01.3", says="keeps its zeros")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    return weighted / np.linalg.norm(weighted, axis=1, keepdims=True)


@wrong("01.3", says="Euclidean length 1")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    return weighted / np.maximum(weighted.sum(axis=1, keepdims=True), 1e-9)


@wrong("01.3", says="Euclidean length 1")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    return weighted / np.linalg.norm(weighted)


@wrong("01.3", says="Euclidean length 1")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    length = np.linalg.norm(weighted, axis=0, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


@wrong("01.3", says="the weights of the words")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + document_frequency) / (1 + num_documents)) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


@wrong("01.3", says="the weights of the words")
def tf_idf(counts, document_frequency, num_documents):
    share = counts / np.maximum(counts.sum(axis=0), 1)
    weighted = share * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


@wrong("01.3", says="natural logarithm")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log10((1 + num_documents) / (1 + document_frequency)) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


@wrong("01.3", says="changes an argument in place")
def tf_idf(counts, document_frequency, num_documents):
    counts *= np.log((1 + num_documents) / (1 + document_frequency)) + 1
    length = np.linalg.norm(counts, axis=1, keepdims=True)
    return counts / np.where(length > 0, length, 1)


@wrong("01.3", says="scale rows")
def tf_idf(counts, document_frequency, num_documents):
    length = np.linalg.norm(counts, axis=1, keepdims=True)
    scaled = counts / np.where(length > 0, length, 1)
    return scaled * (np.log((1 + num_documents) / (1 + document_frequency)) + 1)


@wrong("01.3", says="the weights of the words")
def tf_idf(counts, document_frequency, num_documents):
    return np.log((1 + num_documents) / (1 + document_frequency)) + 1


@wrong("01.3", says="the weights of the words")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log((1 + len(counts)) / (1 + document_frequency)) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


@wrong("01.3")
def tf_idf(counts, document_frequency, num_documents):
    weighted = counts * (np.log(16 / (1 + document_frequency)) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


# 01.4


@right("01.4")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    real = ops.cast(ids != 0, "float32")[..., None]
    average = ops.sum(vectors * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@right("01.4")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, embed_dim, mask_zero=True)(ids)
    x = layers.Rescaling(embed_dim**0.5)(x)
    x = layers.GlobalAveragePooling1D()(x, mask=ops.not_equal(ids, 0))
    return keras.Model(ids, layers.Dense(1, "sigmoid")(x))


@right("01.4")
def averaging_network(vocab_size, embed_dim=16):
    class Averaging(keras.Model):
        def __init__(self):
            super().__init__()
            self.verdict = layers.Dense(1, activation="sigmoid")
            self.vectors = layers.Embedding(vocab_size, embed_dim)
            self.pool = MaskedAveragePooling1D()

        def call(self, ids):
            vectors = self.vectors(ids) * embed_dim**0.5
            return self.verdict(self.pool(vectors, mask=ops.not_equal(ids, 0)))

    return Averaging()


@right("01.4")
def averaging_network(vocab_size, embed_dim=16):
    class Scaled(layers.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, x):
            return x * embed_dim**0.5

    return keras.Sequential(
        [
            layers.Embedding(vocab_size, embed_dim, mask_zero=True),
            Scaled(),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


@wrong("01.4", says="mask does not reach")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim, mask_zero=True)(ids)
    vectors = vectors * embed_dim**0.5
    average = layers.GlobalAveragePooling1D()(vectors)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="mask does not reach")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ops.ones_like(ids))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="True at words")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ops.equal(ids, 0))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="factor")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids)
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="probabilities")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return keras.Model(ids, layers.Dense(1)(average))


@wrong("01.4", says="a weight should have the shape (5, 1)")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    hidden = layers.Dense(8, "relu")(average)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(hidden))


@wrong("01.4", says="return a keras.Model")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return layers.Dense(1, activation="sigmoid")(average)


@wrong("01.4", says="use keras.ops")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    real = np.not_equal(ids, 0)
    average = MaskedAveragePooling1D()(vectors, mask=real)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="the probabilities")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="a weight should have the shape (9, 5)")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, 16)(ids) * 4.0
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="the probabilities")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    real = ops.cast(ids > 1, "float32")[..., None]
    average = ops.sum(vectors * real, axis=1) / ops.maximum(ops.sum(real, axis=1), 1)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4", says="(None, 6)")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((6,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ids != 0)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


@wrong("01.4")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, embed_dim)(ids) * 5**0.5
    x = MaskedAveragePooling1D()(x, mask=ops.not_equal(ids, 0))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


@wrong("01.4", says="acts in training alone")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, embed_dim)(ids) * embed_dim**0.5
    x = layers.Dropout(0.3)(MaskedAveragePooling1D()(x, mask=ops.not_equal(ids, 0)))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


@wrong("01.4", says="the probabilities")
def averaging_network(vocab_size, embed_dim=16):
    ids = keras.Input((None,), dtype="int32")
    first = ids[:, :100]
    x = layers.Embedding(vocab_size, embed_dim)(first) * embed_dim**0.5
    x = MaskedAveragePooling1D()(x, mask=ops.not_equal(first, 0))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


# 01.5


@right("01.5")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if i != j:
                found.append((tokens[i], tokens[j]))
    return found


@right("01.5")
def skip_gram_pairs(tokens, window):
    found = []
    for distance in range(1, window + 1):
        for a, b in zip(tokens, tokens[distance:]):
            found += [(a, b), (b, a)]
    return found


@right("01.5")
def skip_gram_pairs(tokens, window):
    found = []
    for i, centre in enumerate(tokens):
        context = tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]
        found.extend((centre, word) for word in context)
    return found


@right("01.5")
def skip_gram_pairs(tokens, window):
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < abs(i - j) <= window]


@wrong("01.5", says="no position is its own context")
def skip_gram_pairs(tokens, window):
    return [
        (tokens[i], tokens[j])
        for i in range(len(tokens))
        for j in range(len(tokens))
        if abs(i - j) <= window
    ]


@wrong("01.5", says="range leaves its end out")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window)):
            if i != j:
                found.append((tokens[i], tokens[j]))
    return found


@wrong("01.5", says="IndexError")
def skip_gram_pairs(tokens, window):
    return [
        (tokens[i], tokens[i + d])
        for i in range(len(tokens))
        for d in range(-window, window + 1)
        if d
    ]


@wrong("01.5", says="equal words are pairs")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if tokens[i] != tokens[j]:
                found.append((tokens[i], tokens[j]))
    return found


@wrong("01.5", says="the list of sorted pairs")
def skip_gram_pairs(tokens, window):
    return [(b, a) for a, b in zip(tokens, tokens[1:])] + list(zip(tokens, tokens[1:]))


@wrong("01.5", says="return a list of pairs")
def skip_gram_pairs(tokens, window):
    return [tokens[max(0, i - window) : i + window + 1] for i in range(len(tokens))]


@wrong("01.5", says="the list of sorted pairs")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(window, len(tokens) - window):
        for j in range(i - window, i + window + 1):
            if i != j:
                found.append((tokens[i], tokens[j]))
    return found


@wrong("01.5", says="no set")
def skip_gram_pairs(tokens, window):
    places = range(len(tokens))
    return {(tokens[i], tokens[j]) for i in places for j in places if 0 < abs(i - j) <= window}


@wrong("01.5", says="return only after the loop")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(len(tokens)):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if i != j:
                found.append((tokens[i], tokens[j]))
        return found


@wrong("01.5", says="the list of sorted pairs")
def skip_gram_pairs(tokens, window):
    found = []
    for i in range(len(tokens)):
        for j in range(len(tokens)):
            if i != j:
                found.append((tokens[i], tokens[j]))
    return found


@wrong("01.5", says="the list of sorted pairs")
def skip_gram_pairs(tokens, window):
    half = window // 2
    places = range(len(tokens))
    return [(tokens[i], tokens[j]) for i in places for j in places if 0 < abs(i - j) <= half]


@wrong("01.5", says="pairs of words")
def skip_gram_pairs(tokens, window):
    places = range(len(tokens))
    return [(i, j) for i in places for j in places if 0 < abs(i - j) <= window]


@wrong("01.5")
def skip_gram_pairs(tokens, window):
    pairs = []
    for i, word in enumerate(tokens):
        for near in tokens[max(0, i - window) : i] + tokens[i + 1 : i + window + 1]:
            pairs.append((str(word), str(near)))
    return pairs


# 01.6


@right("01.6")
def skip_gram_model(vocab_size, embed_dim):
    candidates = keras.Input((None,), dtype="int32")
    centre = keras.Input((), dtype="int32")
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    scores = ops.einsum("bd,bwd->bw", u, v)
    return keras.Model([centre, candidates], layers.Activation("sigmoid")(scores))


@right("01.6")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = ops.squeeze(ops.matmul(v, ops.expand_dims(u, -1)), -1)
    return keras.Model([centre, candidates], 1 / (1 + ops.exp(-scores)))


@right("01.6")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = layers.Dot(axes=(1, 2))([u, v])
    return keras.Model(inputs=[centre, candidates], outputs=ops.sigmoid(scores))


@right("01.6")
def skip_gram_model(vocab_size, embed_dim):
    class SkipGram(keras.Model):
        def __init__(self):
            super().__init__()
            self.v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")
            self.u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")

        def call(self, inputs):
            centre, candidates = inputs
            return ops.sigmoid(ops.sum(self.u(centre)[:, None] * self.v(candidates), -1))

    return SkipGram()


@wrong("01.6", says="u needs an axis")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    return keras.Model([centre, candidates], ops.sigmoid(ops.sum(u * v, axis=-1)))


@wrong("01.6", says="you share one")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    table = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")
    scores = ops.sum(table(centre)[:, None] * table(candidates), axis=-1)
    return keras.Model([centre, candidates], ops.sigmoid(scores))


@wrong("01.6", says="should be one of the two tables")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim)(centre)
    v = layers.Embedding(vocab_size, embed_dim)(candidates)
    return keras.Model([centre, candidates], ops.sigmoid(ops.sum(u[:, None] * v, axis=-1)))


@wrong("01.6", says="model.get_layer('centre_vectors') should be one of the two tables")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u, v = (
        keras.Sequential([layers.Embedding(vocab_size, embed_dim, name=f"{one}_vectors")])
        for one in ("centre", "context")
    )
    scores = ops.einsum("bd,bwd->bw", u(centre), v(candidates))
    return keras.Model([centre, candidates], ops.sigmoid(scores))


@wrong("01.6", says="the first input is the centre")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    return keras.Model([candidates, centre], ops.sigmoid(ops.sum(u[:, None] * v, axis=-1)))


@wrong("01.6", says="the probabilities")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    return keras.Model([centre, candidates], ops.sigmoid(ops.sum(u[:, None] * v, axis=1)))


@wrong("01.6", says="sigmoid")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    return keras.Model([centre, candidates], ops.sum(u[:, None] * v, axis=-1))


@wrong("01.6", says="a layer is not asked for")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = layers.Dense(1)(u[:, None] * v)
    return keras.Model([centre, candidates], ops.sigmoid(ops.squeeze(scores, -1)))


@wrong("01.6", says="return a keras.Model")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    return ops.sigmoid(ops.sum(u[:, None] * v, axis=-1))


@wrong("01.6", says="not the cosine")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = layers.Dot(axes=(1, 2), normalize=True)([u, v])
    return keras.Model([centre, candidates], ops.sigmoid(scores))


@wrong("01.6", says="the probabilities")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = ops.sum(u[:, None] * v, axis=-1) / embed_dim**0.5
    return keras.Model([centre, candidates], ops.sigmoid(scores))


@wrong("01.6", says="the probabilities")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = ops.sum(u[:, None] + v, axis=-1)
    return keras.Model([centre, candidates], ops.sigmoid(scores))


@wrong("01.6", says="acts in training alone")
def skip_gram_model(vocab_size, embed_dim):
    centre = keras.Input((), dtype="int32")
    candidates = keras.Input((None,), dtype="int32")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    u = layers.Dropout(0.2)(u)
    return keras.Model([centre, candidates], ops.sigmoid(ops.sum(u[:, None] * v, axis=-1)))


# 01.7


def trained(pairs, frequencies, rate=0.01, epochs=3, size=1024, dim=16):
    centre, candidates, targets = with_noise(pairs, frequencies)
    model = skip_gram_model(len(frequencies), dim)
    model.compile(keras.optimizers.Adam(rate), "binary_crossentropy")
    model.fit([centre, candidates], targets, batch_size=size, epochs=epochs, verbose=0)
    return model


@right("01.7", trains=True)
def train_vectors(pairs, frequencies):
    model = trained(pairs, frequencies, rate=0.005, epochs=6, dim=24)
    return model.get_layer("centre_vectors").get_weights()[0]


@right("01.7", trains=True)
def train_vectors(pairs, frequencies):
    class SkipGram(keras.Model):
        def __init__(self):
            super().__init__()
            self.u = layers.Embedding(len(frequencies), 16, name="centre_vectors")
            self.v = layers.Embedding(len(frequencies), 16, name="context_vectors")

        def call(self, inputs):
            return ops.sigmoid(ops.sum(self.u(inputs[0])[:, None] * self.v(inputs[1]), -1))

    model = SkipGram()
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy")
    centre, candidates, targets = with_noise(pairs, frequencies, seed=3)
    model.fit([centre, candidates], targets, batch_size=1024, epochs=4, verbose=0)
    return ops.convert_to_numpy(model.u.embeddings)


@wrong("01.7", says="other pairs than you were given", trains=True)
def train_vectors(pairs, frequencies):
    other = np.random.default_rng(0).permutation(pairs.ravel()).reshape(pairs.shape)
    return trained(other, frequencies).get_layer("centre_vectors").get_weights()[0]


@wrong("01.7", says="other pairs than you were given", trains=True)
def train_vectors(pairs, frequencies):
    from lectures.lecture_01 import small_corpus

    model = trained(*small_corpus()[1:], epochs=1)
    return model.get_layer("centre_vectors").get_weights()[0]


@wrong("01.7", says="how often they occur", trains=True)
def train_vectors(pairs, frequencies):
    model = trained(pairs, np.ones(len(frequencies)), epochs=1)
    return model.get_layer("centre_vectors").get_weights()[0]


@wrong("01.7", says="all your targets are 1", trains=True)
def train_vectors(pairs, frequencies):
    model = skip_gram_model(len(frequencies), 16)
    model.compile("adam", "binary_crossentropy")
    model.fit([pairs[:, 0], pairs[:, 1:]], np.ones((len(pairs), 1)), batch_size=1024, verbose=0)
    return model.get_layer("centre_vectors").get_weights()[0]


@wrong("01.7", says="no model was trained")
def train_vectors(pairs, frequencies):
    counts = np.zeros((len(frequencies),) * 2)
    np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    return np.linalg.svd(np.log1p(counts))[0][:, :16]


@wrong("01.7", says="return a NumPy array")
def train_vectors(pairs, frequencies):
    return skip_gram_model(len(frequencies), 16).get_layer("centre_vectors").embeddings


@wrong("01.7", says="not the vectors of the model", trains=True)
def train_vectors(pairs, frequencies):
    trained(pairs[:20_000], frequencies, epochs=1)
    return np.random.default_rng(0).normal(size=(len(frequencies), 16))


@wrong("01.7", says="the loss", trains=True)
def train_vectors(pairs, frequencies):
    model = trained(pairs, frequencies, rate=1e-5, epochs=1)
    return model.get_layer("centre_vectors").get_weights()[0]


@wrong("01.7", says="table of the contexts", trains=True)
def train_vectors(pairs, frequencies):
    return trained(pairs, frequencies, epochs=1).get_layer("context_vectors").get_weights()[0]


@wrong("01.7", says="not the model", trains=True)
def train_vectors(pairs, frequencies):
    return trained(pairs[:30_000], frequencies, epochs=1)
