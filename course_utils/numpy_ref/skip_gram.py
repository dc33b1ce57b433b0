"""Skip-gram in plain NumPy: pairs, full softmax, negative sampling, neighbours, analogies.

Sources: Mikolov, Chen, Corrado and Dean (2013), "Efficient Estimation of Word Representations
in Vector Space"; Mikolov, Sutskever, Chen, Corrado and Dean (2013), "Distributed
Representations of Words and Phrases and their Compositionality"; Levy and Goldberg (2014),
"Neural Word Embedding as Implicit Matrix Factorization".
"""

import numpy as np


def pairs(tokens, window):
    """Return all (centre, context) pairs at most `window` words apart, from left to right."""
    return [
        (centre, tokens[place + offset])
        for place, centre in enumerate(tokens)
        for offset in range(-window, window + 1)
        if offset != 0 and 0 <= place + offset < len(tokens)
    ]


def softmax_loss(centre, context, inputs, outputs):
    """Return the full softmax's loss for one pair: the context against the whole vocabulary.

    Args:
        centre, context: two ids.
        inputs: (vocabulary, dimensions), the vectors we are after.
        outputs: (dimensions, vocabulary), a second set, for words in the part of context.
    """
    logits = inputs[centre] @ outputs
    return np.log(np.exp(logits).sum()) - logits[context]


def sampled_loss(centre, context, noise, inputs, outputs):
    """Return negative sampling's loss for one pair: one yes, and one no for each noise word.

    Args:
        centre, context: two ids.
        noise: (negatives,) ids drawn at random.
        inputs, outputs: as in `softmax_loss`.
    """
    yes = inputs[centre] @ outputs[:, context]
    no = inputs[centre] @ outputs[:, noise]
    return np.log1p(np.exp(-yes)) + np.log1p(np.exp(no)).sum()


def count_pairs(ids, size, window):
    """Count every pair of a long text at once; a pair at distance d counts 1 − (d − 1)/window.

    Args:
        ids: int, (tokens,); 0 and 1 are no words. Zeros between two reviews, `window` of them,
            keep pairs from crossing.
        size: entries of the vocabulary.
        window: how many words to either side are context.

    Returns:
        float32, (size, size), symmetric.
    """
    table = np.zeros((size, size), "float32")
    for distance in range(1, window + 1):
        left, right = ids[:-distance], ids[distance:]
        words = (left > 1) & (right > 1)
        cells = left[words].astype("int64") * size + right[words]
        found = np.bincount(cells, minlength=size * size).reshape(size, size)
        table += np.float32(1 - (distance - 1) / window) * found.astype("float32")
    return table + table.T


def subsample(table, frequencies, threshold=1e-4):
    """Count frequent words less, as if some of their occurrences had been left out.

    Args:
        table: (size, size) pair counts.
        frequencies: (size,) occurrences of each word.
        threshold: share of the text above which a word is thinned.
    """
    share = np.maximum(frequencies / frequencies.sum(), 1e-12)
    keep = np.minimum(1, np.sqrt(threshold / share)).astype("float32")
    return table * keep[:, None] * keep


def noise_distribution(frequencies):
    """Return how often each word is drawn as noise: frequency to the power 0.75, float32."""
    flattened = frequencies**0.75
    return (flattened / flattened.sum()).astype("float32")


def expected_loss(inputs, outputs, table, noise, negatives=5):
    """Return negative sampling's loss over all pairs, noise averaged rather than drawn.

    Pair (i, j) says yes `table[i, j]` times; word i meets word j as noise `negatives` times the
    row's sum times `noise[j]`. Its minimum over free logits is log(table / (negatives · row ·
    noise)): the pointwise mutual information, shifted (Levy and Goldberg).

    Args:
        inputs: (rows, dimensions). outputs: (dimensions, size). table: (rows, size).
    """
    logits = inputs @ outputs
    refused = negatives * table.sum(axis=1, keepdims=True) * noise
    return (table * np.log1p(np.exp(-logits)) + refused * np.log1p(np.exp(logits))).sum()


def expected_gradients(inputs, outputs, table, noise, negatives=5, weights=1):
    """Return the gradients of `expected_loss` in the inputs and in the outputs.

    Args:
        weights: (rows, 1) or 1: how much each centre word counts.

    Returns:
        (rows, dimensions) and (dimensions, size).
    """
    probability = 1 / (1 + np.exp(-np.clip(inputs @ outputs, -15, 15)))
    refused = negatives * table.sum(axis=1, keepdims=True) * noise
    error = weights * (probability * (table + refused) - table)
    return error @ outputs.T, inputs.T @ error


def train(table, noise, embed_dim, epochs, negatives=5, rows=500, learning_rate=0.01, seed=0):
    """Minimise the expected loss with Adam, `rows` centre words a step.

    A row counts by the root of its pairs, so that rare words learn too; the rate falls to zero.

    Args:
        table: float32, (size, size) pair counts. noise: (size,), see `noise_distribution`.

    Returns:
        float32, (size, dimensions): the input vectors.
    """
    generator = np.random.default_rng(seed)
    size = len(table)
    inputs = generator.normal(0, 0.1, (size, embed_dim)).astype("float32")
    outputs = generator.normal(0, 0.1, (embed_dim, size)).astype("float32")
    adam_inputs, adam_outputs = _Adam(inputs), _Adam(outputs)
    weights = 1 / np.sqrt(table.sum(axis=1, keepdims=True) + 1)
    for epoch in range(epochs):
        step = np.float32(learning_rate * max(0.05, 1 - epoch / epochs))
        for chosen in np.array_split(generator.permutation(size), -(-size // rows)):
            gradients = expected_gradients(
                inputs[chosen], outputs, table[chosen], noise, negatives, weights[chosen]
            )
            adam_inputs.update(step, gradients[0], chosen)
            adam_outputs.update(step, gradients[1])
    return inputs


class _Adam:
    """Steps against a running mean of the gradient, over the root of its running square."""

    def __init__(self, values):
        self.values = values
        self.mean = np.zeros_like(values)
        self.square = np.zeros_like(values)

    def update(self, learning_rate, gradient, chosen=...):
        self.mean[chosen] = 0.9 * self.mean[chosen] + 0.1 * gradient
        self.square[chosen] = 0.99 * self.square[chosen] + 0.01 * gradient**2
        self.values[chosen] -= (
            learning_rate * self.mean[chosen] / (np.sqrt(self.square[chosen]) + 1e-6)
        )


def unit(vectors):
    """Return the vectors (size, dimensions), each divided by its length."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def neighbours(word, words, vectors, count=5):
    """Return the `count` words whose vectors point most nearly the same way, with the cosine.

    Args:
        words: list or array of str. vectors: (len(words), dimensions).

    Raises:
        KeyError: for a word that is not in the vocabulary.
    """
    directions, place = unit(vectors), _place(word, words)
    cosine = directions @ directions[place]
    cosine[place] = -1
    return [(str(words[i]), float(cosine[i])) for i in np.argsort(-cosine)[:count]]


def analogy(first, second, third, words, vectors, count=1):
    """Return the words that best complete "first is to second as third is to …".

    All vectors get length 1; the answer's points most nearly along second − first + third; the
    three words of the question are no answers.

    Raises:
        KeyError: for a word that is not in the vocabulary.
    """
    directions = unit(vectors)
    asked = [_place(word, words) for word in (first, second, third)]
    cosine = directions @ (directions[asked[1]] - directions[asked[0]] + directions[asked[2]])
    cosine[asked] = -np.inf
    return [str(words[i]) for i in np.argsort(-cosine)[:count]]


def _place(word, words):
    found = np.flatnonzero(np.asarray(words) == word)
    if not len(found):
        raise KeyError(f"{word!r} is not in the vocabulary")
    return found[0]
