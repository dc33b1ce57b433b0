"""Exercises of lecture 03: the steps of LSTM and GRU, a starting bias, a recaller, a bug."""

import contextlib
from unittest import mock

import keras
import numpy as np
from keras import layers, ops

from course_utils.checks import (
    layer_outputs,
    learns_alike,
    open_shapes,
    parts,
    predicted,
    ready,
    redrawn,
    vectors,
    watched_training,
)
from course_utils.exercises import exercise, require
from lectures import lecture_03
from lectures.lecture_03.cells import LSTMCell

ORDER = "take each block once, in the order input gate, forget gate, candidate, output gate"


def arrays(draw, blocks, states=1, rows=()):
    """Yield x, h, (c,) W, U, b for a cell with so many blocks of columns."""
    batch_of_one = () if rows else ((1, 3, 4),)  # to which two rows of b could be added
    for batch, inputs, units in ((5, 2, 3), *batch_of_one, (7, 6, 5)):
        shapes = [(batch, inputs), *[(batch, units)] * states]
        shapes += [(height, blocks * units) for height in (inputs, units)]
        yield tuple(draw.normal(size=shape) for shape in [*shapes, (*rows, blocks * units)])


OLD = "c = sigmoid", "old, c = c, sigmoid"  # then the old c has a name


@exercise(
    "03.1",
    lecture_03.lstm_step,
    mistakes=[
        ("return h, c", "return c, h", "return h first, then c"),
        ("sigmoid(i) * ", "", "the input gate is missing: i · g is added"),
        ("sigmoid(f) * ", "", "the forget gate is missing: f · c is kept"),
        ("i, f, g, o", "f, i, g, o", "f keeps the old cell state and i admits g"),
        ("    h = ", "    c = np.tanh(c)\n    h = ", "no tanh around the new cell state"),
        (*OLD, "np.tanh(c)", "np.tanh(old)", "h shows the new cell state, not the old one"),
        ("np.tanh(c)", "c", "h = o · tanh(c): the tanh is missing"),
        ("sigmoid(o) * ", "", "h = o · tanh(c): the output gate is missing"),
        *(("i, f, g, o", order, ORDER) for order in ("i, f, o, g", "i, g, f, o", "f, i, o, g")),
        ("np.split(x @ W + h @ U + b, 4", "np.split(sigmoid(x @ W + h @ U + b), 4",
         "sigmoid(f)", "f", "sigmoid(i)", "i", "sigmoid(o)", "o",
         "split first: the sigmoid is for the three gates, the candidate takes tanh alone"),
        ("np.tanh(g)", "sigmoid(g)",
         "the candidate takes tanh, not the sigmoid: it may be negative"),
        ("sigmoid", "", "a gate lies between 0 and 1: the sigmoid is missing"),
        (" + b,", ",", "the bias b is missing"),
        (" + h @ U", "", "all four blocks read the last state, too: add h U"),
        (", axis=-1", "", "split columns: axis=-1"),
        ("sigmoid(f)", "sigmoid(f + 1)", "the forget bias is in b already: add no 1"),
        ("x @ W + h @ U + b", "(x @ W + b) + (h @ U + b)", "add the bias b once"),
    ],
    takes=10,
    level=2,
    hints=[
        "np.split(x @ W + h @ U + b, 4, axis=-1) gives the four blocks, not squashed yet.",
        "First c = f · c + i · g with sigmoid(f), sigmoid(i), tanh(g); then h from the new c.",
    ],
    reasoning="One product makes all four blocks; then two lines, one per state, are the LSTM.",
    compares=("the hidden state h", "the cell state c"),
    solved="Every LSTM of this lecture now runs on these lines.",
)  # fmt: skip
def lstm_arguments(draw):
    for x, h, c, *weights in arrays(draw, 4, states=2):
        yield x, h, 3 * c, *weights  # a cell state may lie beyond ±1


def run_cell(Cell, units, x, mask):
    """One step from states that differ, and several in Keras' loop."""
    told = "the cell has no weights: `fresh` says how the bias of each block starts"
    require(getattr(Cell(units), "fresh", True), told)
    h, c = map(ops.convert_to_tensor, vectors(np.random.default_rng(1), 2, len(x), units))
    cell, told = ready(Cell, (units,), x[:, 0].shape), "return two things: h and [h, c]"
    output, states = parts(cell(ops.convert_to_tensor(x[:, 0]), [h, c]), told)
    new = parts(states, "return the states as a list: h, [h, c]")
    require(ops.is_tensor(output), "compute with ops.sigmoid and ops.tanh, not with NumPy")
    shape = tuple(output.shape)
    require(shape == h.shape, f"the output of one step should be {h.shape}, not {shape}")
    loop = layer_outputs(lambda: layers.RNN(Cell(units), return_sequences=True), x, mask=mask)
    return output, *new, loop


def _loop(Cell):
    loop = layers.RNN(Cell(4))
    loop.build((None, None, 2))
    return loop


def new_loop(Cell):
    return redrawn(_loop(Cell))


in_models = open_shapes(_loop, (None, 2))


def _starts(Cell):
    """The property that the forget gate's bias starts as it is asked, all others at 0."""
    cell = Cell(2, forget_bias=3.0)
    cell.build((None, 3))
    starts = np.array_equal(cell.get_weights()[-1], [0, 0, 3, 3, 0, 0, 0, 0])
    require(starts, "right, but leave __init__: forget_bias is the start of the forget gate's")


CELL = (
    "the output of one step",
    "the new hidden state h",
    "the new cell state c",
    "the outputs along a text",
)


@exercise(
    "03.2",
    LSTMCell,
    mistakes=[
        *((*exchanged, "h first, then c: in the states that you are given, and in "
           "those that you return")
          for exchanged in (("h, [h, c]", "h, [c, h]"), ("h, c = states", "c, h = states"),
                            ("h, c = states", "c, h = states", "h, [h, c]", "h, [c, h]"))),
        ("return h", "return c", "the cell's output is h, not c"),
        ("h, [h, c]", "h", "return two things: h and [h, c]"),
        ("ops.sigmoid(i) * ", "", "the input gate is missing: i · g is added"),
        ("ops.sigmoid(f) * ", "", "the forget gate is missing: f · c is kept"),
        ("i, f, g, o", "f, i, g, o", "f keeps the old cell state and i admits g"),
        ("(f)", "(f + 1)", "the forget bias is in `sums` already: add no 1"),
        ("ops.tanh(c)", "ops.tanh(states[1])", "h shows the new cell state"),
        ("ops.tanh(c)", "c", "h = o · tanh(c): the tanh is missing"),
        ("ops.sigmoid(o) * ", "", "the output gate is missing"),
        ("i, f, g, o", "i, f, o, g", ORDER),
        ("ops.sigmoid", "", "the gates are not squashed: ops.sigmoid"),
        ("h, [h, c]", "h, c", "return the states as a list: h, [h, c]"),
    ],
    takes=5,
    level=2,
    hints=[
        "self.sums(inputs, h) gives the four blocks; the rest is exercise 03.1 with `ops`.",
        "Use ops.sigmoid and ops.tanh, and return h, [h, c].",
    ],
    reasoning="Keras' RNN calls the cell once per step and hands states on, masks included.",
    compares=CELL,
    solved="A cell says what one step does; keras.layers.RNN does the rest.",
    run=run_cell,
    properties=[_starts, in_models, learns_alike(LSTMCell, new_loop, (4, 2))],
)  # fmt: skip
def cells(draw):
    more = int(draw.integers(2))  # an RNN takes its time: one case a seed, of other sizes
    steps = 5 - more
    mask = np.arange(steps) < np.array([[steps], [3], [1]])[: 3 - more]
    yield 4 - more, vectors(draw, 3 - more, steps, 2 + more), mask


LOGIT = "np.log(gate / (1 - gate))"


@exercise(
    "03.3",
    lecture_03.forget_bias,
    mistakes=[
        (LOGIT, "gate", "that is the gate; find the bias whose sigmoid it is"),
        (LOGIT, "sigmoid(gate)", "the gate is the sigmoid's result: invert it"),
        (LOGIT, "np.log(gate)", "the inverse of the sigmoid is ln(f / (1 − f)), not ln f"),
        (LOGIT, f"-{LOGIT}", "the sign is wrong: a negative bias forgets within a few steps"),
        ("0.5 **", "np.exp(-1) **", "after n steps 1/e = 0.37 is left, not 0.5"),
        *(("0.5 ** (1 / half_life)", f"1 - {lost} / half_life",
           "each step takes a share of what is left: fⁿ = 0.5") for lost in (0.5, 1)),
        ("0.5 ** (1 / half_life)", "0.5**1 / half_life",
         "0.5 ** 1 / n is 0.5 / n: write 0.5 ** (1 / n)"),
        ("(1 / half_life)", "half_life", "0.5ⁿ is n halvings; the gate needs n steps for one"),
        (LOGIT, f"{LOGIT} - 1", "return the whole bias, not what is added to Keras' 1"),
        *(("np.log", log, "take the natural logarithm") for log in ("np.log2", "np.log10", "")),
        ("1 / half_life", "1 / 50", "that is the bias of 50 steps: compute it from half_life"),
    ],
    takes=5,
    level=2,
    hints=["First find the gate f with fⁿ = 0.5.", "Then the bias whose sigmoid is f."],
    reasoning="The gate is the n-th root of 0.5; the bias is its logit, ln(f / (1 − f)).",
    compares="the bias",
    solved="A gate of 0.986 sounds like nearly everything; fifty steps on, half is gone.",
)  # fmt: skip
def half_lives(draw):
    yield from ((50,), (7,), (1,), (0.9,), (2,), (1000,), (int(draw.integers(100, 300)),))


LOOP = "layers.RNN(LSTMCell(32, …))"


def recalls(advice, own="", **task):
    """Return a `trains` that requires an accuracy of 0.99; `own` shows a loop of one's own."""

    def trains(train):
        with watched_training(called="sequences") as training:
            model = training.trained(train())
        x, answers, _ = lecture_03.marked_symbols(2_000, seed=2, **task)
        given = predicted(
            model, x, (4,), "four probabilities: a Dense layer of 4 follows one state, the last"
        )
        said = "the output should be probabilities, which sum to 1: softmax in the last layer"
        require(np.allclose(given.sum(axis=-1), 1, atol=1e-3) and given.min() >= 0, said)
        inside = model._flatten_layers(include_self=False)
        recurrent = any(isinstance(layer, layers.RNN) for layer in inside)
        such = own or "layers.GRU(32), for example"
        require(recurrent, f"no layer of the model is recurrent: {such}")
        cells = [layer for layer in inside if hasattr(layer, "state_size")]
        keras_only = all(type(cell).__module__.startswith("keras.") for cell in cells)
        require(not own or not keras_only, f"the reader is not your own: {own}")
        loops = [layer for layer in inside if isinstance(layer, layers.RNN)]
        _require_all_read(model, loops, x[:8])
        last = loops[-1]
        told = "the Dense layer reads more than the last state: at the mark nothing has to be "
        told += "remembered. Leave return_sequences out in the last recurrent layer"
        alone = not last.return_sequences or _reads_last_alone(model, last, x[:20])
        require(alone, told)
        reached = (given.argmax(axis=-1) == answers).mean()
        batches = len(training.losses)
        longer = f"{batches} batches are few: first train longer."
        more = "" if own else f" {training.advice()}"  # 03.4 gives the learning rate
        said = f"{advice}{more}" if batches >= 500 else longer
        training.reaches(reached, 0.99, "accuracy on new sequences", said)

    return trains


def _read(model, loops, x):
    """What the first recurrent layer gets: the sequences, a mask, an initial state."""
    got = []

    def seen(call):
        def read(sequences, initial_state=None, mask=None, **options):
            got.append((ops.convert_to_numpy(sequences), mask, initial_state))
            return call(sequences, initial_state=initial_state, mask=mask, **options)

        return read

    with contextlib.ExitStack() as patched:
        for loop in loops:
            patched.enter_context(mock.patch.object(loop, "call", seen(loop.call)))
        model(x)
    return got[0]


def _require_all_read(model, loops, x):
    """Require that the first recurrent layer gets the symbols as they are, in their order."""
    other = x.copy()
    other[:, 40:, :4] = x[:, 40:, 3::-1]  # other symbols from step 40 on
    (one, skipped, state), (two, *_) = (_read(model, loops, these) for these in (x, other))
    told = "hand your recurrent layer no initial state: it starts from 0"
    require(state is None, told)
    told = "a mask lets your layer skip steps: then nothing has to be remembered"
    require(skipped is None or np.all(skipped), told)
    steps, told = x.shape[1], "symbols, one after the other: hand it the input as it is"
    told = f"your recurrent layer does not read all {steps} {told}"
    all_read = one.shape[1] == steps and (one != two).any(axis=-1)[:, 40:].all()
    require(all_read and np.allclose(one[:, :40], two[:, :40]), told)


def _reads_last_alone(model, layer, x):
    """Whether a layer's states before the last one change nothing."""
    call = layer.call

    def last(*inputs, **options):
        states = call(*inputs, **options)
        return ops.concatenate([0 * states[:, :-1], states[:, -1:]], axis=1)

    before = ops.convert_to_numpy(model(x))
    with mock.patch.object(layer, "call", last):
        return np.allclose(before, ops.convert_to_numpy(model(x)), atol=1e-4)


def untrained(outputs=4, steps=100):
    sequence = keras.Input((steps, 5))
    state = layers.RNN(LSTMCell(32))(sequence)
    return keras.Model(sequence, layers.Dense(outputs, activation="softmax")(state))


def tried(model):
    """A model after two batches."""
    model.compile("adam", "sparse_categorical_crossentropy")
    shape = (128, *model.inputs[0].shape[1:])
    model.fit(np.zeros(shape), np.zeros(128), batch_size=64, verbose=0)
    return model


@exercise(
    "03.4",
    lecture_03.train_recaller,
    mistakes=[
        (lambda: tried(untrained(32)), "a Dense layer of 4 follows one state"),
        (lambda: tried(untrained()), "first train longer"),
        (untrained, "the model is not trained"),
        (lambda: {}, "return the trained model"),
    ],
    takes=7,
    level=2,
    hints=[
        "model = recall_model(LSTMCell(32, forget_bias=forget_bias(10)))",
        "marked_symbols(64 * 600, seed=1) makes the data for one epoch of model.fit.",
    ],
    reasoning="Half-lives of 2 and 14 steps learned in every recorded run at 0.01.",
    solved="A starting half-life shorter than the distance was enough.",
    trains=recalls(
        "Near 0.25 try a half-life ten times shorter or longer; well above it, more batches.",
        own=LOOP,
    ),
    limit=300,
)
def no_arguments(draw):
    yield ()


NEW = "z * h + (1 - z) * g"


@exercise(
    "03.5",
    lecture_03.gru_step,
    mistakes=[
        (NEW, "(1 - z) * h + z * g", "in this course z = 1 keeps the old state"),
        (NEW, "(1 - z) * g", "the old state is missing: z·h + (1 − z)·g"),
        (NEW, "z * h + g", "the candidate is scaled by 1 − z"),
        (NEW, "g", "the update gate is not used: z·h + (1 − z)·g"),
        ("(r * h) @ U_g", "r * (h @ U_g)", "reset first, multiply afterwards: (r · h) U"),
        ("z * h", "z * r * h", "z keeps h itself: r · h is for the candidate alone"),
        ("(r * h)", "h", "the reset gate r is not used"),
        (" + (r * h) @ U_g", "", "the candidate reads the old state: + (r · h) U"),
        ("x_z, x_r, x_g =", "x_r, x_z, x_g =", "U_z, U_r, U_g =", "U_r, U_z, U_g =",
         "the columns stand in the order z, r, candidate"),
        ("np.tanh", "sigmoid", "the candidate needs tanh: it must be able to be negative"),
        (" + b,", ",", "the bias b is missing"),
        (", axis=-1", "", "split columns: axis=-1"),
    ],
    takes=4,
    level=2,
    hints=[
        "The candidate is the tanh of a sum: x_g, and a product of r · h with its block of U.",
        "tanh(x_g + (r · h) @ U_g) is the candidate; then z · h + (1 − z) · candidate.",
    ],
    reasoning="z shares each unit between the old state and the candidate.",
    compares="the new state",
    solved="Two gates and one state: the GRU keeps and writes with the same number.",
)  # fmt: skip
def gru_arguments(draw):
    yield from arrays(draw, 3)


TWO = "take the states of two steps: of the last word and of the first"
LAST = "Bidirectional returns zeros at pads, so [:, -1] is zero for every padded text"
AT_LAST = "np.arange(len(states)), last"


@exercise(
    "03.6",
    lecture_03.both_ends,
    mistakes=[
        (lambda states, mask: states[:, -1], LAST),
        (":, 0", AT_LAST,
         "at the last word the backward half has read one word: take it at the first"),
        (AT_LAST, ":, 0",
         "at the first word the forward half has read one word: take it at the last"),
        (" - 1", "", "n words: the last one stands at step n − 1"),
        (":, 0", AT_LAST, f"{AT_LAST}, :", ":, 0, :",
         "there each direction has read one word: exchange the two steps"),
        (":, 0", ":, -1", "the backward half ends at step 0"),
        ("[forward, states[:, 0, units:]]", "[states[:, 0, units:], forward]",
         "the forward half comes first"),
        ("mask.sum(axis=1) - 1", "mask.argmin(axis=1)",
         "argmin finds the first pad, or 0 where there is none: count the words"),
        (" - 1", "[0] - 1", "each text has its own length"),
        (lambda states, mask: states.mean(axis=1), TWO),
    ],
    takes=8,
    level=3,
    hints=[
        "mask.sum(axis=1) counts the words of each text.",
        "states[np.arange(batch), last, :units] picks a step of each text; else step 0.",
    ],
    reasoning="A direction has read everything at the end that it reaches last.",
    compares="the states of both ends",
    solved="That is what Keras returns with return_sequences=False: leave the choice to it.",
)  # fmt: skip
def padded(draw):
    for batch, steps, units in ((4, 4, 3), (5, 7, 2)):
        words = np.append(draw.integers(1, steps - 1, size=batch - 3), [steps - 1, steps, 1])
        mask = np.arange(steps) < words[:, None]
        states = draw.normal(size=(batch, steps, 2 * units)) * mask[..., None]
        states[0, words[0] - 1] = 0  # a word may leave zeros, too: only the mask tells pads
        yield states, mask
