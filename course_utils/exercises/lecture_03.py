"""Exercises of lecture 03: the steps of LSTM and GRU, a starting bias, a recaller, a bug."""

from itertools import product

import keras
import numpy as np
from keras import layers, ops

from course_utils.exercises import exercise, require
from course_utils.layers.recurrent import LSTMCell
from course_utils.lectures import lecture_03
from course_utils.lectures.lecture_03 import sigmoid

ORDER = "take each block once, in the order input gate, forget gate, candidate, output gate"
MIXED = [order for order in product(range(4), repeat=4)  # exchanged, or one taken twice
         if len({*order}) == 4 or sum(np.not_equal(order, range(4))) == 1]  # fmt: skip


def arrays(draw, blocks, states=1, rows=()):
    """Yield x, h, (c,) W, U, b twice for a cell with so many blocks of columns."""
    for batch, inputs, units in ((5, 2, 3), (7, 4, 5)):
        shapes = [(batch, inputs), *[(batch, units)] * states]
        shapes += [(height, blocks * units) for height in (inputs, units)]
        yield tuple(draw.normal(size=shape) for shape in [*shapes, (*rows, blocks * units)])


def lstm(new_c=None, new_h=None, order=(0, 1, 2, 3), g=np.tanh, gate=sigmoid, use=(1, 1, 1)):
    """An LSTM step in which something differs: new_c(i, f, g, c, h), new_h(o, new c, c, f)."""

    def step(x, h, c, W, U, b):
        sums = np.split(use[0] * x @ W + use[1] * h @ U + use[2] * b, 4, axis=-1)
        i, f, candidate, o = (sums[k] for k in order)
        i, f, o, candidate = gate(i), gate(f), gate(o), g(candidate)
        new = new_c(i, f, candidate, c, h) if new_c else f * c + i * candidate
        return new_h(o, new, c, f) if new_h else o * np.tanh(new), new

    return step


def reshaped(a):
    """Columns as they are read by reshape(…, units, 4) in place of a split."""
    return a.reshape(*a.shape[:-1], -1, 4).swapaxes(-1, -2).reshape(a.shape)


CELL_STATES = [
    (lambda i, f, g, c, h: f * c + g, "the input gate is missing: i · g is added"),
    (lambda i, f, g, c, h: c + i * g, "the forget gate is missing: f · c is kept"),
    (lambda i, f, g, c, h: i * c + f * g, "f keeps the old cell state and i admits g"),
    (lambda i, f, g, c, h: f * c + (1 - f) * g, "the input gate is one of its own, not 1 − f"),
    (lambda i, f, g, c, h: f * h + i * g, "the forget gate keeps c, not h"),
    (lambda i, f, g, c, h: (1 - f) * c + i * g, "f is what is kept, so f · c"),
    (lambda i, f, g, c, h: f * (c + i * g), "the forget gate scales the old c alone"),
    (lambda i, f, g, c, h: np.tanh(f * c + i * g), "no tanh around the new cell state"),
]
HIDDEN_STATES = [
    (lambda o, new, old, f: o * np.tanh(old), "h shows the new cell state, not the old one"),
    (lambda o, new, old, f: o * new, "h = o · tanh(c): the tanh is missing"),
    (lambda o, new, old, f: o * old, "h = o · tanh(c), with the new c: two mistakes"),
    (lambda o, new, old, f: np.tanh(new), "h = o · tanh(c): the output gate is missing"),
    (lambda o, new, old, f: o * sigmoid(new), "h = o · tanh(c): tanh, not the sigmoid"),
    (lambda o, new, old, f: np.tanh(o * new), "h = o · tanh(c): the gate comes after the tanh"),
    (lambda o, new, old, f: f * np.tanh(new), "the output gate is the last block, not f"),
]


@exercise(
    "03.1",
    lecture_03.lstm_step,
    mistakes=[
        (lambda *given: lecture_03.lstm_step(*given)[::-1], "return h first, then c"),
        *((lstm(new_c=wrong), said) for wrong, said in CELL_STATES),
        *((lstm(new_h=wrong), said) for wrong, said in HIDDEN_STATES),
        *((lstm(order=order), ORDER) for order in MIXED if order != (0, 1, 2, 3)),
        (lstm(g=sigmoid), "the candidate takes tanh, not the sigmoid: it may be negative"),
        (lstm(g=np.asarray), "the candidate is squashed by tanh"),
        (lstm(g=lambda a: np.maximum(a, 0)), "the candidate is squashed by tanh"),
        (lstm(g=lambda a: np.tanh(sigmoid(a))), "the candidate takes tanh alone, no sigmoid"),
        (lstm(gate=np.tanh), "a gate lies between 0 and 1: use the sigmoid, not tanh"),
        (lstm(gate=np.asarray), "a gate lies between 0 and 1: the sigmoid is missing"),
        (lstm(use=(1, 1, 0)), "the bias b is missing"),
        (lstm(use=(1, 0, 1)), "all four blocks read the last state, too: add h U"),
        (lstm(use=(0, 1, 1)), "all four blocks read the input: add x W"),
        (lambda x, h, c, W, U, b: lecture_03.lstm_step(x, c, c, W, U, b),
         "the gates read h, not c"),
        (lambda x, h, c, W, U, b: lstm()(0 * x, 0 * h, c, W, U, x @ W * (h @ U) + b),
         "add the two products: x W + h U"),
        (lambda x, h, c, W, U, b: np.split(x @ W + h @ U + b, 4), "split columns: axis=-1"),
        (lambda x, h, c, *given: lecture_03.lstm_step(x, h, c, *map(reshaped, given)),
         "a block's columns stand side by side: split them, do not reshape"),
    ],
    takes=10,
    level=2,
    hints=[
        "np.split(x @ W + h @ U + b, 4, axis=-1) gives the four blocks, not squashed yet.",
        "First c = f · c + i · g with sigmoid(f), sigmoid(i), tanh(g); then h from the new c.",
    ],
    reasoning="One product makes all four blocks; then two lines, one a state, are the LSTM.",
    solved="Every LSTM of this lecture now runs on these lines.",
)  # fmt: skip
def lstm_arguments(draw):
    yield from arrays(draw, 4, states=2)


def kept(i, f, g, c, h):
    return f * c + i * g


def in_keras(
    new_c=kept, new_h=lambda o, c, old: o * ops.tanh(c),
    states=lambda h, c, old_h, old_c: (h, [h, c]),
    order=(0, 1, 2, 3), gate=ops.sigmoid, squash=ops.tanh, given=lambda h, c: (h, h, c),
):  # fmt: skip
    """An LSTM cell with another c(i, f, g, c, h) or h(o, new c, old c), or other returns."""

    class Cell(LSTMCell):
        def call(self, inputs, old):
            read, h, c = given(*old)
            sums = self.sums(inputs, read)
            i, f, g, o = (sums[k] for k in order)
            new = new_c(gate(i), gate(f), squash(g), c, h)
            return states(new_h(gate(o), new, c), new, h, c)

    return Cell


SWAPPED = "h first, then c: in the states that you are given, and in those that you return"


def run_cell(Cell, units, x, mask):
    layer = layers.RNN(Cell(units), return_sequences=True)
    layer.build(x.shape)
    draw = np.random.default_rng(0)
    layer.set_weights([draw.normal(0, 0.5, weight.shape) for weight in layer.weights])
    return layer(x, mask=mask)


@exercise(
    "03.2",
    LSTMCell,
    mistakes=[
        (in_keras(states=lambda h, c, *old: (h, [c, h])), SWAPPED),
        (in_keras(given=lambda h, c: (c, c, h)), SWAPPED),
        (in_keras(states=lambda h, c, *old: (c, [h, c])), "the cell's output is h, not c"),
        (in_keras(states=lambda h, c, *old: h), "return two things: h and [h, c]"),
        (in_keras(states=lambda h, c, *old: (h, [h])), "the states are two, [h, c]"),
        (in_keras(states=lambda h, c, *old: (h, h, c)), "return two things: h and [h, c]"),
        (in_keras(states=lambda h, c, was, _: (h, [was, c])), "hand on the new h, not the old"),
        (in_keras(states=lambda h, c, _, was: (h, [h, was])), "hand on the new c, not the old"),
        (in_keras(states=lambda h, c, *old: (h, [*old])), "hand on h and c as they are now"),
        *((in_keras(wrong), said) for wrong, said in CELL_STATES[:5]),
        (in_keras(lambda i, f, g, c, h: np.e * f / (1 + (np.e - 1) * f) * c + i * g),
         "the forget bias is in `sums` already: add no 1"),
        (in_keras(kept, lambda o, c, old: o * ops.tanh(old)), "h shows the new cell state"),
        (in_keras(kept, lambda o, c, old: o * c), "h = o · tanh(c): the tanh is missing"),
        (in_keras(kept, lambda o, c, old: ops.tanh(c)), "the output gate is missing"),
        (in_keras(order=(1, 0, 2, 3)), ORDER),
        (in_keras(order=(0, 1, 3, 2)), ORDER),
        (in_keras(gate=ops.copy, squash=ops.copy), "`sums` are not squashed: sigmoid and tanh"),
        (in_keras(gate=ops.copy), "the gates are not squashed: ops.sigmoid"),
        (in_keras(squash=ops.copy), "the candidate is not squashed: ops.tanh"),
        (in_keras(squash=ops.sigmoid), "the candidate takes tanh, not the sigmoid"),
        (in_keras(squash=ops.relu), "the candidate takes tanh, not relu"),
        (in_keras(gate=ops.hard_sigmoid), "the gates take ops.sigmoid, not hard_sigmoid"),
        (in_keras(given=lambda h, c: (c, h, c)), "the gates read h: self.sums(inputs, h)"),
    ],
    takes=6,
    level=2,
    hints=[
        "self.sums(inputs, h) gives the four blocks; the rest is exercise 03.1 with `ops`.",
        "Use ops.sigmoid and ops.tanh, and return h, [h, c].",
    ],
    reasoning="Keras' RNN calls the cell once a step and hands the states on, masks included.",
    solved="A cell says what one step does; keras.layers.RNN does the rest.",
    run=run_cell,
)  # fmt: skip
def cells(draw):
    mask = np.arange(5) < np.array([[5], [3], [1]])  # an RNN takes its time: one case a seed
    yield 4, draw.normal(size=(3, 5, 2)).astype("float32"), mask


RIGHT = lecture_03.forget_bias


def logit(p):
    return np.log(p / (1 - p))


@exercise(
    "03.3",
    RIGHT,
    mistakes=[
        (lambda n: 0.5 ** (1 / n), "that is the gate; find the bias whose sigmoid it is"),
        (lambda n: sigmoid(0.5 ** (1 / n)), "the gate is the sigmoid's result: invert it"),
        (lambda n: np.log(0.5) / n, "the inverse of the sigmoid is ln(f / (1 − f)), not ln f"),
        (lambda n: -RIGHT(n), "the sign is wrong: a negative bias forgets within a few steps"),
        (lambda n: logit(np.exp(-1 / n)), "after n steps 1/e = 0.37 is left, not 0.5"),
        *((lambda n, k=k: logit(1 - k / n), "each step takes a share of what is left: fⁿ = 0.5")
          for k in (0.5, 1)),
        (lambda n: logit(0.5**n), "0.5ⁿ is n halvings; the gate needs n steps for one"),
        (lambda n: RIGHT(n) - 1, "return the whole bias, not what is added to Keras' 1"),
        *((lambda n, k=k: RIGHT(n) / np.log(k), "take the natural logarithm") for k in (2, 10)),
        (lambda n: n, "with so large a bias the gate is 1: solve sigmoid(b)ⁿ = 0.5 for b"),
        *((lambda n, k=k: np.log(k * n), "near, but not exact: solve sigmoid(b)ⁿ = 0.5 for b")
          for k in (1, 2, 1 / np.log(2))),
        (lambda n: RIGHT(50), "that is the bias of 50 steps: compute it from half_life"),
        (lambda n: RIGHT(n / 2), "fⁿ = 0.5, not f to the power n/2"),
        (lambda n: np.arctanh(0.5 ** (1 / n)), "the gate is a sigmoid: invert that, not tanh"),
    ],
    takes=5,
    level=2,
    hints=["First find the gate f with fⁿ = 0.5.", "Then the bias whose sigmoid is f."],
    reasoning="The gate is the n-th root of 0.5; the bias is its logit, ln(f / (1 − f)).",
    solved="A gate of 0.986 sounds like nearly everything; fifty steps on, half is gone.",
)  # fmt: skip
def half_lives(draw):
    yield from ((50,), (7,), (int(draw.integers(100, 300)),))


def accuracy(model, **task):
    """The share of 2,000 new sequences whose marked symbol the model names."""
    x, answers, _ = lecture_03.marked_symbols(2_000, seed=2, **task)
    probabilities = model.predict(x, batch_size=500, verbose=0)
    sums = probabilities.sum(axis=-1)
    said = "the output should be probabilities, which sum to 1: softmax in the last layer"
    require(np.allclose(sums, 1, atol=1e-3) and probabilities.min() >= 0, said)
    return float((probabilities.argmax(axis=-1) == answers).mean())


def recalls(course, advice, **task):
    """Return a `run` that trains and says what is missing; True where 0.99 is reached."""

    def run(train):
        if train is course:  # trained in the tests, not at every check
            return True
        model = train()
        require(isinstance(model, keras.Model), "return the trained model")
        said = f"the output should be (batch, 4), four probabilities, not {model.output_shape}"
        more = "return_sequences stays False, and a Dense layer of 4 follows"
        require(model.output_shape == (None, 4), f"{said}: {more}")
        reached = accuracy(model, **task)
        said = f"accuracy on new sequences is {reached:.2f}, and 0.99 is asked. {advice}"
        require(reached >= 0.99, said)
        return True

    return run


def untrained(outputs=4):
    sequence = keras.Input((100, 5))
    state = layers.RNN(LSTMCell(32))(sequence)
    return keras.Model(sequence, layers.Dense(outputs, activation="softmax")(state))


@exercise(
    "03.4",
    lecture_03.train_recaller,
    mistakes=[
        (lambda: untrained(32), "a Dense layer of 4 follows"),
        (untrained, "give it more batches"),
        (lambda: {}, "return the trained model"),
    ],
    takes=10,
    level=3,
    hints=[
        "layers.RNN(LSTMCell(32, forget_bias=forget_bias(10))), then Dense(4, softmax).",
        "marked_symbols(64 * 600, seed=1) makes the data; Adam(0.01, clipnorm=1.0), one epoch.",
    ],
    reasoning="Half-lives of some ten steps let it learn near marks first, then farther ones.",
    solved="A memory shorter than the distance was enough: training lengthens it.",
    run=recalls(
        lecture_03.train_recaller,
        "Near 0.25: was it trained, on new sequences only? Then try a half-life ten times "
        "shorter or longer. Near 0.5 or 0.75 the network is learning: give it more batches.",
    ),
    limit=300,
)
def no_arguments(draw):
    yield ()


NEW = {  # the new state, from z, h and the candidate g
    "in this course z = 1 keeps the old state": lambda z, h, g: (1 - z) * h + z * g,
    "the old state is missing: z·h + (1 − z)·g": lambda z, h, g: (1 - z) * g,
    "the candidate is scaled by 1 − z": lambda z, h, g: z * h + g,
    "the old state is scaled by z": lambda z, h, g: h + (1 - z) * g,
    "the old state is scaled by z, not by 1 − z": lambda z, h, g: (1 - z) * (h + g),
    "the update gate is not used: z·h + (1 − z)·g": lambda z, h, g: g,
    "no tanh around the new state": lambda z, h, g: np.tanh(z * h + (1 - z) * g),
}


def before(
    new=None, inner=None, squash=np.tanh, order=(0, 1, 2), bias=(1, 1, 1), gates=2 * [sigmoid],
    kept=lambda r, h: h,
):  # fmt: skip
    """Cho's GRU step in which something differs; inner(x_g, r, h, U_g) is what tanh gets."""

    def step(x, h, W, U, b):
        biased = x @ W + np.repeat(bias, len(U)) * b
        x_z, x_r, x_g = (np.split(biased, 3, axis=-1)[k] for k in order)
        U_z, U_r, U_g = (np.split(U, 3, axis=-1)[k] for k in order)
        z, r = gates[0](x_z + h @ U_z), gates[1](x_r + h @ U_r)
        g = squash(inner(x_g, r, h, U_g) if inner else x_g + (r * h) @ U_g)
        return new(z, h, g) if new else z * kept(r, h) + (1 - z) * g

    return step


def reset_bias(x, h, W, U, b):
    outside = np.repeat((1, 1, 0), len(U)) * b
    return lecture_03.gru_step_reset_after(x, h, W, U, np.stack([outside, b - outside]))


@exercise(
    "03.5",
    lecture_03.gru_step,
    mistakes=[
        *((before(new=wrong), said) for said, wrong in NEW.items()),
        (before(inner=lambda x, r, h, U: x + r * (h @ U)),
         "reset first, multiply afterwards: (r · h) U"),
        (reset_bias, "reset first, multiply afterwards: (r · h) U; the bias is not scaled"),
        (before(kept=lambda r, h: r * h), "z keeps h itself: r · h is for the candidate alone"),
        (before(inner=lambda x, r, h, U: x + h @ U), "the reset gate r is not used"),
        (before(inner=lambda x, r, h, U: r * (x + h @ U)), "r scales the old state alone"),
        (before(inner=lambda x, r, h, U: r * x + h @ U), "r scales the old state, not x W"),
        (before(inner=lambda x, r, h, U: x), "the candidate reads the old state: + (r · h) U"),
        (before(inner=lambda x, r, h, U: x + ((1 - r) * h) @ U), "r · h, not (1 − r) · h"),
        (before(inner=lambda x, r, h, U: r * x + (r * h) @ U), "r scales h, not x W"),
        (before(gates=(np.tanh, sigmoid)), "a gate lies between 0 and 1: z takes the sigmoid"),
        (before(gates=(sigmoid, np.tanh)), "a gate lies between 0 and 1: r takes the sigmoid"),
        *((before(order=order), "take each block once, in the order z, r, candidate")
          for order in product(range(3), repeat=3) if order != (0, 1, 2)),
        (before(squash=sigmoid), "the candidate needs tanh: it must be able to be negative"),
        (before(squash=np.asarray), "the candidate is squashed by tanh"),
        (before(bias=(0, 0, 0)), "the bias b is missing"),
        (before(bias=(1, 1, 0)), "the candidate's bias is missing"),
        (lambda x, h, W, U, b: np.split(x @ W + h @ U + b, 3), "split columns: axis=-1"),
    ],
    takes=8,
    level=2,
    hints=[
        "Split x W + b and U into three blocks each: z, r, candidate.",
        "tanh(x_g + (r · h) @ U_g) is the candidate; then z · h + (1 − z) · candidate.",
    ],
    reasoning="z shares each unit between the old state and the candidate.",
    solved="Two gates and one state: the GRU keeps and writes with the same number.",
)  # fmt: skip
def gru_arguments(draw):
    yield from arrays(draw, 3)


def ends(forward, backward):
    """Take other steps of the two halves: functions of (steps, words) that give a step."""

    def wrong(states, mask):
        units, words, rows = states.shape[-1] // 2, mask.sum(axis=1), np.arange(len(states))
        steps = [np.broadcast_to(one(mask.shape[1], words), words.shape)
                 for one in (forward, backward)]  # fmt: skip
        halves = states[rows, steps[0], :units], states[rows, steps[1], units:]
        return np.concatenate(halves, axis=-1)

    return wrong


TWO = "take the states of two steps: of the last word and of the first"
LAST = "Bidirectional returns zeros at pads, so [:, -1] is zero for every padded text"


@exercise(
    "03.6",
    lecture_03.both_ends,
    mistakes=[
        (lambda states, mask: states[:, -1], LAST),
        (ends(lambda t, n: t - 1, lambda t, n: 0), f"the forward half: {LAST}"),
        (ends(lambda t, n: n - 1, lambda t, n: n - 1),
         "at the last word the backward half has read one word: take it at the first"),
        (ends(lambda t, n: 0, lambda t, n: 0),
         "at the first word the forward half has read one word: take it at the last"),
        (ends(lambda t, n: n, lambda t, n: 0), "n words: the last one stands at step n − 1"),
        (ends(lambda t, n: n - 2, lambda t, n: 0), "the last word stands at step n − 1"),
        (ends(lambda t, n: 0, lambda t, n: n - 1),
         "there each direction has read one word: exchange the two steps"),
        (ends(lambda t, n: n - 1, lambda t, n: t - 1), "the backward half ends at step 0"),
        (lambda states, mask: np.roll(lecture_03.both_ends(states, mask),
                                      states.shape[-1] // 2, axis=-1),
         "the forward half comes first"),
        *((lambda states, mask, k=k: ends(
            lambda *_: np.maximum(mask.argmin(axis=1) - k, 0), lambda *_: 0)(states, mask),
         "argmin finds the first pad, or 0 where there is none: count the words")
          for k in (0, 1)),
        (lambda states, mask: ends(lambda t, n: n[0] - 1, lambda t, n: 0)(states, mask),
         "each text has its own length"),
        (lambda states, mask: states.mean(axis=1), TWO),
        (lambda states, mask: (states * mask[..., None]).sum(axis=1), TWO),
        (lambda states, mask: (states * mask[..., None]).max(axis=1), TWO),
        (lambda states, mask: states.sum(axis=1) / mask.sum(axis=1, keepdims=True), TWO),
        (lambda states, mask: lecture_03.both_ends(
            np.concatenate([states[..., ::2], states[..., 1::2]], axis=-1), mask),
         "the first half of the columns is the forward direction, not every second"),
    ],
    takes=8,
    level=3,
    hints=[
        "mask.sum(axis=1) counts the words of each text.",
        "states[np.arange(batch), last, :units] picks one step a text; the other half: step 0.",
    ],
    reasoning="A direction has read everything at the end that it reaches last.",
    solved="That is what Keras returns with return_sequences=False: leave the choice to it.",
)  # fmt: skip
def padded(draw):
    for batch, steps, units in ((3, 4, 2), (4, 7, 3)):
        words = np.append(draw.integers(1, steps - 1, size=batch - 2), [steps - 1, steps])
        mask = np.arange(steps) < words[:, None]
        yield draw.normal(size=(batch, steps, 2 * units)) * mask[..., None], mask
