"""The exercises of lecture 02: a count, a step, the last real state, two gradients of U."""

import numpy as np

from course_utils.exercises import exercise
from course_utils.lectures import lecture_02


def _counted(less):
    """A count with less; less: of vocab_size v, embed_dim d and units u."""
    return lambda v, d, u: lecture_02.parameters(v, d, u) - less(v, d, u)


@exercise(
    "02.1",
    lecture_02.parameters,
    mistakes=[
        (_counted(lambda v, d, u: u * (d - u)), "W is not (units, units): its rows are inputs"),
        (_counted(lambda v, d, u: u * (d - v)), "W reads vectors of `embed_dim` numbers"),
        (_counted(lambda v, d, u: u * u), "the matrix of the state, U, is missing"),
        (_counted(lambda v, d, u: u * d), "the matrix of the input, W, is missing"),
        (_counted(lambda v, d, u: u), "the loop's bias is missing, or the neuron"),
        (_counted(lambda v, d, u: u - d), "the neuron reads the state, `units` numbers"),
        (_counted(lambda v, d, u: 1), "the output neuron has a bias, too"),
        (_counted(lambda v, d, u: v * d), "the embedding is missing, a vector for each word"),
        (_counted(lambda v, d, u: -u), "the loop has one bias, not one for W and one for U"),
    ],
    takes=3,
    level=1,
    hints=["Six arrays, two of them biases.", "Which shapes have W and U? The neuron reads h."],
    reasoning="W turns embed_dim numbers into units, U units into units; the steps share them.",
    solved="Nearly all of it is embedding; the loop costs the same for 5 words and for 500.",
)
def _sizes(draw):
    yield 10, 3, 2
    yield 10_000, 32, 10
    yield 500, 7, int(draw.integers(9, 20))


def _step(inside=lambda x, h, W, U, b: x @ W + h @ U + b, squash=np.tanh):
    return lambda *arrays: squash(inside(*arrays))


SUM = "squash the whole sum, not a part of it"


@exercise(
    "02.2",
    lecture_02.rnn_step,
    mistakes=[
        (_step(lambda x, h, W, U, b: x @ W + h @ U.T + b), "the state is a row: no transpose"),
        (_step(lambda x, h, W, U, b: np.tanh(x @ W) + h @ U + b, np.array), SUM),
        (_step(lambda x, h, W, U, b: np.tanh(x @ W + b) + h @ U, np.array), SUM),
        (_step(lambda x, h, W, U, b: np.tanh(x @ W + h @ U) + b, np.array), SUM),
        (_step(squash=np.array), "the tanh is missing"),
        (_step(squash=lambda y: 1 / (1 + np.exp(-y))), "that is the sigmoid: squash by tanh"),
        (_step(squash=lambda y: np.maximum(y, 0)), "that is ReLU: squash by tanh"),
        (_step(lambda x, h, W, U, b: x @ W + h @ U), "the bias is missing"),
        (_step(lambda x, h, W, U, b: x @ W + b), "the state before is missing"),
        (_step(lambda x, h, W, U, b: h @ U + b), "the input is missing"),
        (_step(lambda x, h, W, U, b: W @ x + U @ h + b), "rows are multiplied from the left"),
        (_step(lambda x, h, W, U, b: h @ W + x @ U + b), "W belongs to the input, U to h"),
        (_step(lambda x, h, W, U, b: x * W + h * U + b), "take `@`, the product of matrices"),
    ],
    takes=2,
    level=1,
    hints=["Rows are multiplied from the left.", "Three terms are added, then squashed."],
    reasoning="Each row of x and h is one text, so one line steps a whole batch.",
    solved="One line, and all of the network: put it in a loop and it reads any text.",
)
def _steps(draw):
    for batch, inputs, units in [(2, 3, 4), (4, 3, 5)]:
        shapes = [(batch, inputs), (batch, units), (inputs, units), (units, units), units]
        yield tuple(draw.normal(size=shape) for shape in shapes)


def _picked(step):
    return lambda h, n: h[np.arange(len(h)), step(h, n)]


@exercise(
    "02.3",
    lecture_02.last_real_state,
    mistakes=[
        (lambda h, n: h[:, -1], "that is the state after the pads"),
        (_picked(lambda h, n: n), "steps are counted from 0: a text of 4 words ends at step 3"),
        (_picked(lambda h, n: n - 2), "one step too early"),
        (_picked(lambda h, n: -n), "-n counts from the end, pads included"),
        (lambda h, n: h[:, n - 1], "that takes all lengths of each text: index texts, too"),
        (lambda h, n: h[n - 1], "the first axis is the texts, the second the steps"),
        (lambda h, n: h[:, n.max() - 1], "each text has a length of its own"),
        (lambda h, n: _picked(lambda h, n: n - 1)(h, n)[:, None], "there is an axis too many"),
        (lambda h, n: h.mean(axis=1), "that is the mean of all states, pads included"),
    ],
    takes=3,
    level=2,
    hints=["A text of four words ends at step …, counted from 0?", "h[[0, 1], [3, 5]] pairs."],
    reasoning="Two arrays of indices are read in pairs: text 0 with its step, text 1 with its.",
    solved="A mask does this for you, at every step, and batches of any lengths.",
)
def _padded(draw):
    yield draw.normal(size=(2, 4, 3)), np.array([1, 3])
    yield draw.normal(size=(3, 6, 2)), np.array([4, 2, 5])
    yield draw.normal(size=(4, 6, 3)), np.array([6, 4, 1, 5])


def _before(h):
    return np.concatenate([0 * h[:1], h[:-1]])


def _gradient(met=_before, slope=lambda h: 1 - h**2, out=np.array):
    return lambda h, g: out(met(h).T @ (slope(h) * g))


@exercise(
    "02.4",
    lecture_02.gradient_of_U,
    mistakes=[
        (_gradient(np.array), "U met the state before: at step t that is h_(t-1)"),
        (_gradient(slope=np.ones_like), "the gradient passes the tanh first: its slope"),
        (_gradient(np.array, np.ones_like), "U met h_(t-1), and the gradient passes the tanh"),
        (_gradient(lambda h: np.roll(h, 1, axis=0)), "at the first step U met h_0 = 0"),
        (_gradient(lambda h: np.concatenate([h[1:], 0 * h[:1]])), "that is the state after"),
        (_gradient(slope=lambda h: 1 - _before(h) ** 2), "the slope at step t is that of h_t"),
        (_gradient(slope=lambda h: 1 - h), "tanh's slope is 1 - h squared"),
        (_gradient(slope=lambda h: 1 - np.tanh(h) ** 2), "h is a tanh already: no second one"),
        (_gradient(out=np.transpose), "transposed: rows belong to the state that U met"),
        (_gradient(out=lambda g: g / 7), "the steps are added up, not averaged"),
        (lambda h, g: np.outer(h[-2], (1 - h[-1] ** 2) * g[-1]), "all steps add up"),
    ],
    takes=8,
    level=3,
    hints=["First through the tanh.", "Which state did U meet at step t, and at step 1?"],
    reasoning="At step t, U met h_(t-1); the sum over steps is one product of matrices.",
    solved="Every matrix gets what it met, times the error behind it.",
)
def _reached(draw):
    yield np.tanh(draw.normal(size=(7, 2))), draw.normal(size=(7, 2))
    yield np.tanh(draw.normal(size=(7, 4))), draw.normal(size=(7, 4))


def _truncated(
    met=lambda h, t, k: h[t - 1] * (t > 0),
    cut=lambda t, k: t % k == 0,
    slope=1,
    back=np.transpose,
):
    def gradient(h, errors, U, V, k):
        total, carried = np.zeros_like(U), np.zeros(len(U))
        for t in reversed(range(len(h))):
            inner = (1 - slope * h[t] ** 2) * (errors[t] @ V.T + carried)
            total += np.outer(met(h, t, k), inner)
            carried = inner @ back(U) * (not cut(t, k))
        return total

    return gradient


def _late(first):
    def gradient(h, errors, U, V, k):
        kept = errors * (np.arange(len(h)) >= first(len(h), k))[:, None]
        return lecture_02.truncated_gradient_of_U(h, kept, U, V, k)

    return gradient


ON = "the state goes on: a chunk's first step met the one before; the gradient stops"
LATE = "the early losses are missing: every step's error counts, within its own chunk"
WHERE = "cut at the wrong step: counted from 0, chunks begin at 0, k, 2k, …"


@exercise(
    "02.5",
    lecture_02.truncated_gradient_of_U,
    mistakes=[
        (_truncated(lambda h, t, k: h[t - 1] * (t % k > 0)), ON),
        (_late(lambda steps, k: (steps - 1) // k * k), LATE),
        (_late(lambda steps, k: steps - 1), LATE),
        (_truncated(cut=lambda t, k: False), "nothing is cut: what is carried has to become 0"),
        (_truncated(cut=lambda t, k: True), "inside a chunk the gradient is carried back"),
        (_truncated(cut=lambda t, k: t % k == k - 1), WHERE),
        (_truncated(slope=0), "the gradient passes the tanh first: its slope"),
        (_truncated(lambda h, t, k: h[t - 1]), "at the first step U met h_0 = 0"),
        (_truncated(lambda h, t, k: h[t]), "U met the state before, h_(t-1)"),
        (_truncated(back=np.array), "back through U it goes with the transpose of U"),
        (lambda *a: _truncated()(*a).T, "transposed: rows belong to the state that U met"),
    ],
    takes=15,
    level=4,
    hints=["Go from the last step to the first.", "At which t do you drop what is carried?"],
    reasoning="What is carried out of a chunk's first step would reach the chunk before.",
    solved="The state goes on from chunk to chunk; only the gradient stops.",
)
def _chunks(draw):
    for steps, units, symbols, k in [(5, 2, 3, 2), (8, 3, 4, 3), (11, 4, 5, 4), (6, 2, 3, 1)]:
        h = np.tanh(draw.normal(size=(steps, units)))
        errors = draw.normal(size=(steps, symbols))
        yield h, errors, draw.normal(size=(units, units)), draw.normal(size=(units, symbols)), k
