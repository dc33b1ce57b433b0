"""Lecture 01: vocabulary, bag of words, tf-idf, embeddings, skip-gram, analogies.

Sources: Wang and Manning (2012), "Baselines and Bigrams"; Mikolov, Sutskever, Chen, Corrado and
Dean (2013), "Distributed Representations of Words and Phrases and their Compositionality"; Levy
and Goldberg (2014), "Neural Word Embedding as Implicit Matrix Factorization".
"""

import contextlib
import io
from collections import Counter

import keras
import numpy as np
from keras import layers, ops

from course_utils.data import base, load_reviews, tokenize
from course_utils.data.reviews import DAMNING, FILM_SUBJECTS, OTHER_SUBJECTS, PRAISING, SLOTS
from course_utils.layers import MaskedAveragePooling1D


def build_vocabulary(reviews, size):
    """Give each of the most frequent words a number.

    Args:
        reviews: a list of lists of words.
        size: how many numbers there are in all, 0 and 1 included.

    Returns:
        A dictionary, word → id, in the order of the ids. 0 is kept for padding and 1 for
        unknown words, so the most frequent word gets 2. Of equally frequent words the
        alphabetically first comes first.
    """
    counts = Counter(word for review in reviews for word in review)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(ranked[: size - 2], start=2)}


def encode(review, vocabulary):
    """Return the ids of a list of words; a word that is not in the vocabulary becomes 1."""
    return [vocabulary.get(word, 1) for word in base.texts("review", review)]


def multi_hot(reviews, size):
    """Say of each of `size` words whether it stands in each review: (reviews, size), 1 or 0.

    Args:
        reviews: int, (reviews, length), filled up with 0, which is no word.
        size: entries of the vocabulary.
    """
    table = np.zeros((len(reviews), size), "float32")
    for row, ids in zip(table, reviews, strict=True):
        row[ids[ids != 0]] = 1
    return table


def ngrams(tokens, longest):
    """Return all runs of 1 to `longest` neighbouring tokens, each joined by blanks."""
    tokens = base.texts("tokens", tokens)
    return [
        " ".join(tokens[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(tokens) - size + 1)
    ]


def tf_idf(counts, document_frequency, num_documents):
    """Weight word counts by how rare each word is, and scale each row to length 1.

    Args:
        counts: float, (documents, words): how often each word occurs in each document.
        document_frequency: (words,): in how many *training* documents each word occurs.
        num_documents: how many training documents there are.

    Returns:
        NumPy array (documents, words): counts * (log((1 + N) / (1 + df)) + 1), every row
        divided by its Euclidean length; a row of zeros stays zero.
    """
    idf = np.log((1 + num_documents) / (1 + document_frequency)) + 1
    weighted = counts * idf
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1)


def log_ratios(features, targets):
    """Return each feature's naive-Bayes log ratio: float64, (size,), above 0 for class 1.

    Add one to each count, so that no feature is impossible; turn the counts of each class into
    shares; take the logarithm of their ratio (Wang and Manning, 2012).

    Args:
        features: (reviews, size), NumPy or SciPy sparse.
        targets: 0 or 1, (reviews,).
    """
    praised = 1 + np.asarray(features[targets == 1].sum(axis=0)).ravel()
    damned = 1 + np.asarray(features[targets == 0].sum(axis=0)).ravel()
    return np.log((praised / praised.sum()) / (damned / damned.sum()))


def averaging_network(vocab_size, embed_dim=16):
    """Return a classifier that averages the vectors of a review's words.

    Args:
        vocab_size: entries of the vocabulary, padding (0) included.
        embed_dim: numbers per word.

    Returns:
        Keras model: ids (batch, length), 0 at padding → probability of praise (batch, 1). It
        gives the same probability however much padding follows the review.
    """
    ids = keras.Input((None,), dtype="int32")
    vectors = layers.Embedding(vocab_size, embed_dim)(ids)
    vectors = vectors * embed_dim**0.5
    average = MaskedAveragePooling1D()(vectors, mask=ops.not_equal(ids, 0))
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(average))


def flatten_network(length=20):
    """Return the slides' network: ids (batch, length) → probability of praise (batch, 1)."""
    return keras.Sequential(
        [
            keras.Input((length,), dtype="int32"),
            layers.Embedding(10_000, 8),
            layers.Flatten(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def skip_gram_pairs(tokens, window):
    """List all pairs of a word and one that stands at most `window` words from it.

    Args:
        tokens: a list of words.
        window: how many words to either side are context.

    Returns:
        A list of tuples (centre, context), in any order; a pair that comes up twice stands
        there twice.
    """
    return [
        (centre, tokens[place + offset])
        for place, centre in enumerate(tokens)
        for offset in range(-window, window + 1)
        if offset != 0 and 0 <= place + offset < len(tokens)
    ]


def skip_gram_model(vocab_size, embed_dim):
    """Return a Keras model that tells real contexts from noise words.

    Args:
        vocab_size: entries of the vocabulary.
        embed_dim: numbers per vector.

    Returns:
        Keras model of two inputs, in this order: `centre`, int (batch,), and `candidates`, int
        (batch, words). Output: (batch, words), the probability σ(u · v) that each candidate is
        a real context. u is the centre's row of an Embedding named "centre_vectors", v the
        candidate's row of a second one, named "context_vectors".
    """
    centre = keras.Input((), dtype="int32", name="centre")
    candidates = keras.Input((None,), dtype="int32", name="candidates")
    u = layers.Embedding(vocab_size, embed_dim, name="centre_vectors")(centre)
    v = layers.Embedding(vocab_size, embed_dim, name="context_vectors")(candidates)
    scores = ops.sum(u[:, None, :] * v, axis=-1)
    return keras.Model([centre, candidates], ops.sigmoid(scores))


def with_noise(pairs, frequencies, seed=0):
    """Add noise words to skip-gram pairs: what `skip_gram_model` trains on.

    Args:
        pairs: int, (pairs, 2), centre and context.
        frequencies: (size,), occurrences of each id.
        seed: of the noise.

    Returns:
        Centres (pairs,), candidates (pairs, 6), the real context first, then five noise words,
        and targets of that shape: 1 for the real context, 0 for noise.
    """
    generator = np.random.default_rng(seed)
    shape, chances = (len(pairs), 5), noise_distribution(frequencies)
    noise = generator.choice(len(frequencies), size=shape, p=chances)
    candidates = np.concatenate([pairs[:, 1:], noise], axis=1)
    targets = np.zeros(candidates.shape, "float32")
    targets[:, 0] = 1
    return pairs[:, 0], candidates, targets


DAYS = ("monday", "tuesday", "friday")
GROUPS = (DAYS, SLOTS["hero"], FILM_SUBJECTS, OTHER_SUBJECTS, PRAISING + DAMNING)


def small_corpus():
    """Return the words, skip-gram pairs and frequencies of 1,000 reviews of the course's own.

    words: list, index = id. pairs: int, (pairs, 2), window 2, of ids. frequencies: (size,).
    """
    with contextlib.redirect_stdout(io.StringIO()):  # the lecture has said what it loads
        texts = load_reviews(form="text").train.inputs[:1_000]
    reviews = [tokenize(text) for text in texts]
    vocabulary = build_vocabulary(reviews, 1_000)
    ids = [encode(review, vocabulary) for review in reviews]
    pairs = np.array([pair for review in ids for pair in skip_gram_pairs(review, 2)])
    frequencies = np.bincount(np.concatenate(ids), minlength=len(vocabulary) + 2)
    return ["<pad>", "<unknown>", *vocabulary], pairs, frequencies


def in_their_group(words, vectors):
    """Count the words of `GROUPS` whose nearest neighbour belongs to the same group."""
    nearest = {w: neighbours(w, words, vectors)[0][0] for group in GROUPS for w in group}
    return sum(nearest[word] in group for group in GROUPS for word in group)


def train_vectors(pairs, frequencies):
    """Train `skip_gram_model` by `fit` until words of one kind are neighbours.

    Args:
        pairs: int, (pairs, 2): centre and context of each skip-gram pair.
        frequencies: (vocabulary,): how often each id occurs.

    Returns:
        NumPy array (vocabulary, dimensions): the table of centre vectors,
        `model.get_layer("centre_vectors").get_weights()[0]`.
    """
    centre, candidates, targets = with_noise(pairs, frequencies)
    model = skip_gram_model(len(frequencies), embed_dim=16)
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy")
    model.fit([centre, candidates], targets, batch_size=1024, epochs=3, verbose=0)
    return model.get_layer("centre_vectors").get_weights()[0]


def noise_distribution(frequencies):
    """Return how often each word is sampled as noise: frequency to the power 0.75."""
    flattened = frequencies**0.75
    return flattened / flattened.sum()


def unit(vectors):
    """Return the vectors (size, dimensions), each divided by its length."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def neighbours(word, words, vectors):
    """Return all other words with their cosines, the nearest first.

    Args:
        word: one of the words.
        words: list or array of str.
        vectors: (words, dimensions).

    Raises:
        KeyError: for another word.
    """
    if word not in words:
        raise KeyError(f"{word!r} is not in the vocabulary")
    directions, place = unit(vectors), list(words).index(word)
    cosine = directions @ directions[place]
    return [(str(words[i]), float(cosine[i])) for i in np.argsort(-cosine) if i != place]


def analogy(first, second, third, words, vectors):
    """Complete "first is to second as third is to …".

    Args:
        first, second, third: three of the words.
        words: NumPy array or list of str.
        vectors: (words, dimensions), of any lengths.

    Returns:
        A list of all other words than the three, the best answer first: by the cosine with
        second − first + third, every vector scaled to length 1 before.
    """
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = (list(words).index(word) for word in (first, second, third))
    closeness = directions @ (directions[b] - directions[a] + directions[c])
    ranked = np.argsort(-closeness)
    return [str(words[place]) for place in ranked if place not in (a, b, c)]


def fool_every_counter():
    """Return two reviews with opposite verdicts, as ((text, label), (text, label)).

    Label 1 is praise, 0 blame. Every word counter must score both texts alike. So that the
    check can read the verdicts: praise with great, superb, brilliant or charming, blame with
    dull, boring, weak or awful, and put not, never or hardly before what it denies. Of several
    verdicts the last one counts.
    """
    return (
        ("the plot was superb and hardly dull", 1),
        ("the plot was dull and hardly superb", 0),
    )
