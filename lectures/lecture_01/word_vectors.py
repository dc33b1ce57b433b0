"""The word vectors that lecture 1 ships: skip-gram on IMDB, from the table of all pair counts.

With a few thousand words the counts of all pairs fit into memory, so each step uses the
expected value of the loss of negative sampling instead of sampled noise words. The texts are
those of the training and the unlabelled reviews, never of the test.

Sources: Mikolov, Sutskever, Chen, Corrado and Dean (2013); Levy and Goldberg (2014).
"""

import numpy as np

from course_utils import models, results, training
from course_utils.data import Vocabulary, imdb
from lectures.lecture_01 import analogy, noise_distribution

LECTURE = "01_imdb_embeddings"
SHIPPED = 4_000
# Fixed before any vector was trained; nothing was taken out because it failed.
QUESTIONS = """
man woman actor actress;     man woman he she;            man woman father mother
man woman husband wife;      boy girl son daughter;       man woman king queen
prince princess king queen;  brother sister uncle aunt;   husband wife boyfriend girlfriend
good better bad worse;       good best bad worst;         big bigger small smaller
old older young younger;     movie movies film films;     actor actors actress actresses
child children man men;      is was are were;             go went come came
make made take took;         see seen do done;            think thought say said
play played act acted;       france french italy italian; germany german japan japanese
england london france paris; comedy funny horror scary;   book author film director
song singer script writer;   good bad interesting boring; he his she her
one first two second;        him himself her herself
"""


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


@training.handmade
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


def train_on_imdb_corpus(size=6_000, embed_dim=100, window=5, epochs=150, seed=0):
    """Return words, their skip-gram vectors, and how many words of text they were learned from.

    The shipped vectors were made so, from the training and the unlabelled reviews of IMDB,
    never from the test texts.
    """
    parts = [imdb.tokens("train"), imdb.tokens("unsupervised")]
    vocabulary = Vocabulary.from_counts(parts[0].counts() + parts[1].counts(), size)
    text = np.concatenate([part.ids_in(vocabulary) for part in parts])
    ends = np.cumsum(np.concatenate([part.lengths for part in parts]), dtype="int64")[:-1]
    ids = np.insert(text, np.repeat(ends, window), 0)
    frequencies = np.bincount(ids, minlength=size) * 1.0
    frequencies[:2] = 0
    table = subsample(count_pairs(ids, size, window), frequencies)
    noise = noise_distribution(frequencies).astype("float32")
    vectors = train_skip_gram(table, noise, embed_dim, epochs, learning_rate=0.02, seed=seed)
    return np.array(vocabulary.words[2:]), vectors[2:], len(text)


def record_skip_gram(seed):
    """Train on IMDB and record the analogies; seed 0 comes with the course."""
    words, vectors, text_length = train_on_imdb_corpus(seed=seed)
    lines = QUESTIONS.replace("\n", ";").split(";")
    questions = [line.split() for line in lines if line.strip()]
    known = [question for question in questions if np.isin(question, words).all()]
    answers = {" ".join(q): analogy(*q[:3], words, vectors)[:1] for q in known}
    right = sum(answers[" ".join(q)] == q[3:] for q in known)
    metrics = {"analogies_right": right, "analogies_asked": len(known)}
    settings = {"words_of_text": text_length, "answers": answers}
    about = {"parameters": 2 * vectors.size, "settings": settings, "seed": seed}
    results.record(LECTURE, "skip_gram", "imdb", metrics, **about)
    arrays = {"words": words[:SHIPPED], "vectors": vectors[:SHIPPED].astype("float16")}
    note = "the most frequent words; never the test texts"
    run = f"{LECTURE}/skip_gram-imdb-seed0"
    models.save_pretrained("skip_gram_imdb", arrays, run, words_of_text=text_length, which=note)
