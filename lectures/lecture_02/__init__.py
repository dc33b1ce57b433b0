"""Lecture 02 in plain NumPy: the simple recurrent network, its loss, learning through it.

One notation: W on the input, U on the state, V on the way out; b and c the biases. Rows are
multiplied from the left, as Keras does, so `W` is Keras' kernel and `U` its recurrent_kernel.

Shapes: x (batch, steps, inputs), states (batch, steps, units), probabilities and targets
(batch, steps) over `outputs` symbols, mask (batch, steps) with True where a step is real;
W (inputs, units), U (units, units), b (units,), V (units, outputs), c (outputs,).

Source: Elman, "Finding structure in time" (1990), with the state fed back; the gradients are
those of Goodfellow, Bengio and Courville, "Deep Learning" (2016), equations 10.22 to 10.28
(there U is on the input and W on the state).
"""

import re
from collections import Counter, defaultdict
from pathlib import Path

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import data
from course_utils.data.reviews import FILM_SUBJECTS, NEGATORS, make_reviews

LECTURE = "02_simple_rnn"
IMDB = {  # the recorded variants: a mask or none, and where the pads stand
    "simple_rnn_32": {"mask": True, "pads": "last"},
    "simple_rnn_32_no_mask": {"mask": False, "pads": "last"},
    "simple_rnn_32_pads_first": {"mask": False, "pads": "first"},
}
VERDICT = re.compile(
    rf"the ({'|'.join(FILM_SUBJECTS)}) was ({'|'.join(NEGATORS)})? ?\w+", re.IGNORECASE
)


def rnn_step(x, h, W, U, b):
    """Take one step of the loop for a batch: h_t = tanh(x_t W + h_{t-1} U + b).

    Args:
        x, h: x_t, (batch, inputs), and h_{t-1}, (batch, units).
        W, U, b: (inputs, units), (units, units), (units,).

    Returns:
        h_t, a NumPy array (batch, units).
    """
    return np.tanh(x @ W + h @ U + b)


def forward(x, W, U, b, mask=None, return_sequences=True):
    """Run `rnn_step` over all steps, starting from a state of zeros.

    Args:
        x: (batch, steps, inputs).
        W, U, b: (inputs, units), (units, units), (units,).
        mask: bool (batch, steps), True where a step is real; at a pad the state is handed on
            unchanged. None: every step is real.
        return_sequences: True for all states, False for the last one.

    Returns:
        NumPy array: all states, (batch, steps, units), or the last one, (batch, units).
    """
    h, states = np.zeros((len(x), len(U)), x.dtype), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


def predict(states, V, c):
    """Turn each state into probabilities over the symbols, (batch, steps, outputs)."""
    # The softmax; taking the largest logit off changes nothing and keeps exp from overflowing.
    logits = states @ V + c
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def through_time(errors, states, U, V):
    """Carry the errors back through time; return the gradient inside the tanh of every step.

    Args:
        errors: δ_t, (batch, steps, symbols).
        states: h_t, (batch, steps, units).
        U, V: (units, units), (units, symbols).

    Returns:
        a_t, a NumPy array (batch, steps, units).
    """
    inner, carried = np.zeros_like(states), np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        inner[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = inner[:, t] @ U.T
    return inner


def backward(x, states, probabilities, targets, U, V):
    """Return the five gradients of the summed cross-entropy; h_0 is zero."""
    errors = probabilities - np.eye(probabilities.shape[-1])[targets]
    a = through_time(errors, states, U, V)
    before = np.pad(states, ((0, 0), (1, 0), (0, 0)))[:, :-1]  # h_{t-1}
    return {
        "c": errors.sum(axis=(0, 1)),
        "b": a.sum(axis=(0, 1)),
        "V": np.einsum("bth,bto->ho", states, errors),  # summed over batch and steps
        "W": np.einsum("bti,bth->ih", x, a),
        "U": np.einsum("btg,bth->gh", before, a),
    }


def gradient_by_distance(carry, radius, tanh=True):
    """Carry an error at the last of 91 steps back through random loops of 32 units.

    Args:
        carry: the function `through_time`.
        radius: spectral radius of U; 0 for an orthogonal matrix.
        tanh: False leaves its slope out, to see what the matrix does by itself.

    Returns:
        The norm of a_{T-k}, divided by that of a_T, for k = 0 … 90: a geometric mean over ten
        loops and eight sequences, since norms of products spread over orders of magnitude.
    """
    norms = []
    for seed in range(10):
        draw = np.random.default_rng(seed)
        U, W = draw.normal(size=(32, 32)), draw.normal(size=(32, 32)) / np.sqrt(32)
        largest = np.abs(np.linalg.eigvals(U)).max()
        U = U * (radius / largest) if radius else np.linalg.qr(U)[0]
        states = forward(0.5 * draw.normal(size=(8, 91, 32)), W, U, np.zeros(32))
        errors = np.zeros_like(states)
        errors[:, -1] = draw.normal(size=(8, 32))
        a = carry(errors, states if tanh else np.zeros_like(states), U, np.eye(32))
        norms.append(np.linalg.norm(a, axis=-1))
    logs = np.log(np.concatenate(norms)).mean(axis=0)[::-1]
    return np.exp(logs - logs[0])


def build_writer(symbols):
    """Build a network that predicts the next symbol at every step; return the Keras model.

    Input: ids, int (batch, steps), of any number of steps. Output: probabilities of the symbol
    that follows each of them, (batch, steps, symbols). In between: an embedding of 16 numbers
    and a SimpleRNN of 64 units.

    Args:
        symbols: how many different symbols there are.
    """
    ids = keras.Input((None,), dtype="int32")
    states = layers.SimpleRNN(64, return_sequences=True)(layers.Embedding(symbols, 16)(ids))
    output = layers.Dense(symbols, activation="softmax", dtype="float32")(states)
    return keras.Model(ids, output, name="writer")


def write(first, length, choose, embedding, W, U, b, V, c):
    """Write symbols one after the other: each is read to choose the next, the state goes on.

    Args:
        first: the id of the symbol to begin with.
        length: how many symbols to write.
        choose: function of probabilities, (symbols,), that returns an id.
        embedding: (symbols, inputs), the vector of each symbol.
        W, U, b: (inputs, units), (units, units), (units,), as in `rnn_step`.
        V, c: (units, symbols) and (symbols,): probabilities are softmax(h V + c).

    Returns:
        A list of the `length` written ids, without `first`.
    """
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = int(choose(predict(h, V, c)[0]))
        written.append(last)
    return written


def judge_in_a_batch(texts, embedding, W, U, b, V, c):
    """Return the probability of praise of each text (a list of arrays of ids), one batch."""
    ids = np.zeros((len(texts), max(map(len, texts))), "int32")
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = text
    x = embedding[ids]
    mask = (x != 0).any(axis=-1)  # True where there is a word
    h = forward(x, W, U, b, mask, return_sequences=False)
    return 1 / (1 + np.exp(-(h @ V + c)[:, 0]))


def judge(texts, embedding, W, U, b, V, c):
    """Return the probability of praise of each text, alone or in a batch the same.

    Args:
        texts: a list of texts of any lengths, each an int array of the ids of its words; every
            text has a word, and the ids of words begin at 1.
        embedding: (ids, inputs), the vector of each id.
        W, U, b: (inputs, units), (units, units), (units,), as in `rnn_step`.
        V, c: (units, 1) and (1,): the probability is sigmoid(h V + c), h the last state.

    Returns:
        NumPy array (texts,), in the order of `texts`.
    """
    ids = np.zeros((len(texts), max(map(len, texts))), "int32")
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = text
    h = forward(embedding[ids], W, U, b, ids > 0, return_sequences=False)
    return 1 / (1 + np.exp(-(h @ V + c)[:, 0]))


def verdicts(text):
    """Return where a review's verdicts on the film end: the indices of their last words."""
    ends = [found.end() for found in VERDICT.finditer(text)]
    return [len(data.tokenize(text[:end])) - 1 for end in ends]


def late_turns(vocabulary):
    """Make turns whose second verdict is followed by 0 to 74 words.

    Returns:
        Their texts; their ids, a list of lists; their labels; and how many tens of words follow
        the second verdict, int (texts,).
    """
    made = make_reviews(1_500, seed=1, mixture={"turn": 1.0}, after_turn=(0, 65))
    ids = [vocabulary.encode(data.tokenize(text)) for text in made["text"]]
    after = [
        len(one) - 1 - verdicts(text)[-1] for one, text in zip(ids, made["text"], strict=True)
    ]
    return made["text"], ids, made["label"], np.array(after) // 10


def last_words(texts, count):
    """Return each text's last words, as one string."""
    return [" ".join(text.split()[-count:]) for text in texts]


def count_words(train, longest, window, strength):
    """Fit a logistic regression on which n-grams occur in the last words of texts.

    Args:
        train: a `Split` of texts.
        longest: 1 for words alone, 2 for bigrams, too, 3 for trigrams.
        window: how many words of a text are read, from its end.
        strength: C; the smaller, the smaller the weights.

    Returns:
        A function of a list of texts that returns their labels, int (texts,).
    """
    counter = CountVectorizer(ngram_range=(1, longest), binary=True)
    model = LogisticRegression(C=strength, max_iter=1000)
    model.fit(counter.fit_transform(last_words(train.inputs, window)), train.targets)
    return lambda texts: model.predict(counter.transform(last_words(texts, window)))


def count_contexts(train, held_out, symbols, longest=5):
    """Predict each symbol from counts of the last ones: n-grams, up to `longest` symbols.

    Of the counts c(symbol) after a context, N in all, T of different symbols, and of the
    probability p by the context that is shorter by one: (c + T · p) / (N + T), which is
    Witten and Bell's interpolation (1991). The shortest p is 1 / symbols.

    Returns:
        The perplexities on `held_out` of 1-, 2-, … grams, and how many counts the last needs.
    """
    train, held_out = tuple(map(int, train)), tuple(map(int, held_out))
    guesses, perplexities, kept = np.full(len(held_out), 1 / symbols), [], 0
    for before in range(longest):
        counts = defaultdict(Counter)
        for at in range(before, len(train)):
            counts[train[at - before : at]][train[at]] += 1
        kept += sum(map(len, counts.values()))
        for at in range(before, len(held_out)):
            if seen := counts.get(held_out[at - before : at]):
                total, different = seen.total(), len(seen)
                share = seen[held_out[at]] + different * guesses[at]
                guesses[at] = share / (total + different)
        perplexities.append(float(np.exp(-np.log(guesses).mean())))
    return perplexities, kept


def prose():
    """Return paragraphs of this course's lectures as one text, in mixed order (ASCII)."""
    return Path(__file__).with_name("prose.txt").read_text(encoding="ascii")


def next_characters():
    """Split the prose into windows of 48 characters, and their targets, the next characters.

    Returns:
        The training and the held-out part, `Split`s of ids (windows, 48): the last tenth of
        the windows is held out; and the alphabet, a sorted list.
    """
    stream, window = prose(), 48
    alphabet = sorted(set(stream))
    ids = np.array([alphabet.index(character) for character in stream], "int32")
    rows = ids[: (len(ids) - 1) // window * window].reshape(-1, window)
    following = ids[1 : rows.size + 1].reshape(-1, window)
    held = len(rows) // 10
    train = data.Split(rows[:-held], following[:-held])
    return [train, data.Split(rows[-held:], following[-held:])], alphabet


def review_model(vocab_size, mask=True, dropout=0.0, name="simple_rnn_32"):
    """Read a review, ids (batch, words); return the probability of praise (batch, 1)."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, 32, mask_zero=mask)(ids)
    x = layers.SpatialDropout1D(dropout)(x)
    x = layers.SimpleRNN(32)(x)
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name=name)


def add_pads(ids, pads, count=10):
    """Return the texts with so many more pads, "first" (in front) or "last" (at the end)."""
    return np.pad(ids, ((0, 0), (count, 0) if pads == "first" else (0, count)))
