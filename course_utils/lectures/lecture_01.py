"""Lecture 01 in plain NumPy: counting words, an embedding as a lookup, skip-gram.

Sources: Wang and Manning (2012), "Baselines and Bigrams"; Mikolov, Sutskever, Chen, Corrado and
Dean (2013), "Distributed Representations of Words and Phrases and their Compositionality"; Levy
and Goldberg (2014), "Neural Word Embedding as Implicit Matrix Factorization".
"""

import numpy as np


def multi_hot_row(ids, size):
    """Write the multi-hot row of one review.

    Args:
        ids: a list of word ids such as [5, 3, 5, 0, 0]; 0 is padding, no word.
        size: entries of the vocabulary.

    Returns:
        NumPy array (size,): 1 where the word occurs, else 0.
    """
    row = np.zeros(size)
    row[[number for number in ids if number != 0]] = 1
    return row


def multi_hot(reviews, size):
    """Say of each of `size` words whether it stands in each review: (reviews, size), 1 or 0.

    reviews: int, (reviews, length), filled up with 0, which is no word.
    """
    table = np.zeros((len(reviews), size), "float32")
    for row, ids in zip(table, reviews, strict=True):
        row[ids[ids != 0]] = 1
    return table


def ngrams(tokens, longest):
    """Return all runs of 1 to `longest` neighbouring tokens, each joined by blanks."""
    return [
        " ".join(tokens[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(tokens) - size + 1)
    ]


def log_ratios(features, targets):
    """Return each feature's naive-Bayes log ratio: float64, (size,), above 0 for class 1.

    Add one to each count, so that no feature is impossible; turn the counts of each class into
    shares; take the logarithm of their ratio (Wang and Manning, 2012).

    features: (reviews, size), NumPy or SciPy sparse. targets: 0 or 1, (reviews,).
    """
    praised = 1 + np.asarray(features[targets == 1].sum(axis=0)).ravel()
    damned = 1 + np.asarray(features[targets == 0].sum(axis=0)).ravel()
    return np.log((praised / praised.sum()) / (damned / damned.sum()))


def lookup_by_product(ids, matrix):
    """Look vectors up by multiplication, without indexing into `matrix`.

    Args:
        ids: int, (words,). matrix: (vocabulary, dimensions), one row a word.

    Returns:
        Two arrays: the one-hot rows of `ids`, (words, vocabulary), and their product with
        `matrix`, (words, dimensions).
    """
    one_hot = np.zeros((len(ids), len(matrix)))
    one_hot[np.arange(len(ids)), ids] = 1
    return one_hot, one_hot @ matrix


def lookup(ids, matrix):
    """Return the rows of `matrix` (vocabulary, dimensions) that `ids`, of any shape, name."""
    return matrix[ids]


def lookup_gradient(ids, gradient, size):
    """Return the matrix' gradient, (size, dimensions): each word gathers what arrives at it.

    ids: int, any shape. gradient: of the looked-up vectors, that shape plus (dimensions,).
    """
    total = np.zeros((size, gradient.shape[-1]), gradient.dtype)
    np.add.at(total, ids, gradient)
    return total


def masked_mean(vectors, mask):
    """Average each review's vectors over its real words; zeros for a review without a word.

    vectors: (reviews, length, dimensions). mask: (reviews, length), True at real words.
    """
    kept = vectors * mask[..., None]
    return kept.sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)


def flatten_dense(ids, matrix, kernel, bias):
    """Look up, lay side by side, weigh and squash: the probability of praise, (reviews, 1).

    ids: int, (reviews, length). matrix: (vocabulary, dimensions). bias: (1,).
    kernel: (length · dimensions, 1), its own weights for every place.
    """
    flat = lookup(ids, matrix).reshape(len(ids), -1)
    return 1 / (1 + np.exp(-(flat @ kernel + bias)))


def skip_gram_pairs(tokens, window):
    """List all pairs of a word and one that stands at most `window` words from it.

    Args:
        tokens: a list of words. window: how many words to either side are context.

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


def softmax_loss(centre, context, inputs, outputs):
    """Return the full softmax's loss for one pair: the context against the whole vocabulary.

    centre, context: two ids. inputs: (vocabulary, dimensions), the vectors we are after.
    outputs: (dimensions, vocabulary), a second set, for words in the part of context.
    """
    logits = inputs[centre] @ outputs
    return np.log(np.exp(logits).sum()) - logits[context]


def sampled_loss(centre, context, noise, inputs, outputs):
    """Return negative sampling's loss for one pair: one yes, and one no for each noise word.

    noise: (negatives,) ids drawn at random; the others as in `softmax_loss`.
    """
    yes = inputs[centre] @ outputs[:, context]
    no = inputs[centre] @ outputs[:, noise]
    return np.log1p(np.exp(-yes)) + np.log1p(np.exp(no)).sum()


def count_pairs(ids, size, window):
    """Count all pairs of a long text, (size, size); at distance d 1 − (d − 1)/window each.

    ids: int, (tokens,); 0 and 1 are no words: `window` zeros keep two reviews apart.
    """
    table = np.zeros((size, size), "float32")
    for distance in range(1, window + 1):
        left, right = ids[:-distance], ids[distance:]
        words = (left > 1) & (right > 1)
        cells = left[words].astype("int64") * size + right[words]
        found = np.bincount(cells, minlength=size * size).reshape(size, size)
        table += np.float32(1 - (distance - 1) / window) * found.astype("float32")
    return table + table.T


def subsample(table, frequencies):
    """Count the pairs of words of more than 1 in 10,000 less, as if some had been left out.

    table: (size, size) pair counts. frequencies: (size,) occurrences of each word.
    """
    share = np.maximum(frequencies / frequencies.sum(), 1e-12)
    keep = np.minimum(1, np.sqrt(1e-4 / share)).astype("float32")
    return table * keep[:, None] * keep


def noise_distribution(frequencies):
    """Return how often each word is drawn as noise: frequency to the power 0.75, float32."""
    flattened = frequencies**0.75
    return (flattened / flattened.sum()).astype("float32")


def expected_gradients(inputs, outputs, table, noise, weights=1):
    """Return the gradients of negative sampling's loss over all pairs, its noise averaged.

    Pair (i, j) says yes `table[i, j]` times; word i meets word j as noise 5 times the row's sum
    times `noise[j]`. Free logits would settle at log(table / (5 · row · noise)), the pointwise
    mutual information, shifted (Levy and Goldberg).

    inputs: (rows, dimensions). outputs: (dimensions, size). table: (rows, size).
    noise: (size,). weights: (rows, 1) or 1: how much each centre word counts.
    """
    probability = 1 / (1 + np.exp(-np.clip(inputs @ outputs, -15, 15)))
    refused = 5 * table.sum(axis=1, keepdims=True) * noise
    error = weights * (probability * (table + refused) - table)
    return error @ outputs.T, inputs.T @ error


def train_skip_gram(table, noise, embed_dim, epochs, learning_rate=0.01, seed=0):
    """Return word vectors, float32 (size, embed_dim): Adam, 500 centre words a step.

    A row counts by the root of its pairs, so that rare words learn too; the rate falls.
    table: float32, (size, size) pair counts. noise: (size,), see `noise_distribution`.
    """
    generator = np.random.default_rng(seed)
    size = len(table)
    inputs = generator.normal(0, 0.1, (size, embed_dim)).astype("float32")
    outputs = generator.normal(0, 0.1, (embed_dim, size)).astype("float32")
    adam_inputs, adam_outputs = _Adam(inputs), _Adam(outputs)
    weights = 1 / np.sqrt(table.sum(axis=1, keepdims=True) + 1)
    for epoch in range(epochs):
        step = np.float32(learning_rate * max(0.05, 1 - epoch / epochs))
        for chosen in np.array_split(generator.permutation(size), -(-size // 500)):
            in_inputs, in_outputs = expected_gradients(
                inputs[chosen], outputs, table[chosen], noise, weights[chosen]
            )
            adam_inputs.update(step, in_inputs, chosen)
            adam_outputs.update(step, in_outputs)
    return inputs


class _Adam:
    """Steps against a running mean of the gradient, over the root of its running square."""

    def __init__(self, values):
        self.values, self.mean, self.square = values, 0 * values, 0 * values

    def update(self, learning_rate, gradient, chosen=...):
        self.mean[chosen] = 0.9 * self.mean[chosen] + 0.1 * gradient
        self.square[chosen] = 0.99 * self.square[chosen] + 0.01 * gradient**2
        root = np.sqrt(self.square[chosen]) + 1e-6
        self.values[chosen] -= learning_rate * self.mean[chosen] / root


def unit(vectors):
    """Return the vectors (size, dimensions), each divided by its length."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def neighbours(word, words, vectors):
    """Return all other words with their cosines, the nearest first.

    words: list or array of str. vectors: (words, dimensions). Raises KeyError for no such word.
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
        words: NumPy array or list of str. vectors: (words, dimensions), of any lengths.

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

    Label 1 is praise, 0 blame. Every word counter must score both texts alike.
    """
    return (
        ("the plot was clever and hardly ever dull", 1),
        ("the plot was dull and hardly ever clever", 0),
    )
