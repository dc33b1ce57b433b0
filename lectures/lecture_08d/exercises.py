"""Exercises of lab 08d: a kernel, a scan's operator, minGRU by a scan, log space, recall."""

import sys
from collections import Counter

import keras
import numpy as np
from keras import layers, ops

from course_utils.checks import learns_alike, open_shapes, parts, ready, redrawn, vectors
from course_utils.exercises import exercise, require, within
from lectures import lecture_08d
from lectures.lecture_03.exercises import recalls, tried
from lectures.lecture_08d import recurrences
from lectures.lecture_08d.recurrences import MinGRUCell, MinGRUGates, ScannedRNN

POWERS = "a ** np.arange(steps)[:, None]"


@exercise(
    "08d.1",
    lecture_08d.recurrence_kernel,
    mistakes=[
        ("np.arange(steps)", "np.arange(1, steps + 1)",
         "one step too many: an input is not multiplied by a before it stands in h_t"),
        ("np.arange(steps)", "np.arange(steps)[::-1]",
         "turned around: row 0 is the input of t itself, the last row the oldest"),
        ("b * ", "", "b is missing: each input is multiplied by it once"),
        ("b * a ** np", "(b * a) ** np", "b is multiplied once, not at every step: b · aᵏ"),
        ("a ** np.arange(steps)[:, None]", "np.cumsum(a ** np.arange(steps)[:, None], axis=0)",
         "that is the answer to an input of 1 at every step; one input alone is asked"),
        (POWERS, "(1 - a) ** np.arange(steps)[:, None]", "a is what is kept, not what is lost"),
        (POWERS, "a * np.ones((steps, 1))", "after k steps a has been multiplied k times: aᵏ"),
        (POWERS, "np.arange(steps)[:, None] * a", "kept k times is aᵏ, not k · a"),
        ("b * a ** np.arange(steps)[:, None]", "(b * a ** np.arange(steps)[:, None]).T",
         "the axes are exchanged: (steps, channels)"),
    ],
    takes=5,
    level=2,
    hints=["Write h_2 with x_2, x_1 and x_0 alone.", "k steps later an input counts b · aᵏ."],
    reasoning="Each step multiplies what is kept by a; b comes in once.",
    compares="the kernel",
    solved="With a fixed a it is a convolution, whose kernel takes two numbers a channel.",
)  # fmt: skip
def kernels(draw):
    yield np.array([0.0, 1.0, 0.5]), draw.normal(size=3), 3
    for channels, steps in ((1, 4), (3, 6), (2, 1)):
        yield draw.uniform(0.1, 0.95, channels), draw.normal(size=channels), steps


def _pair(draw, shape):
    return draw.uniform(0.1, 1, shape), draw.normal(size=shape)


def run_combine(answer, x, y, z):
    """One pair of two steps, and one of three."""
    x, y, z = (tuple(map(ops.convert_to_tensor, pair)) for pair in (x, y, z))
    told = "return two things: the pair (a, b)"
    two = parts(answer(x, y), told)
    three = parts(answer(two, z), told)
    shapes = all(np.shape(part) == np.shape(x[0]) for part in (*two, *three))
    require(shapes, "a and b keep their shape: multiply and add, number by number")
    return *two, *three


def _combined(answer):
    return layers.Lambda(lambda x: recurrences.doubling_scan(ops.sigmoid(x), x, answer))


@exercise(
    "08d.2",
    recurrences.combine,
    mistakes=[
        ("a_later * b_earlier + b_later", "a_earlier * b_later + b_earlier",
         "the order is exchanged: what the earlier step left is multiplied by the later a"),
        ("a_later * b_earlier + b_later", "b_earlier + b_later",
         "the later step also multiplies what the earlier one left: a_later · b_earlier"),
        ("a_later * b_earlier + b_later", "a_later * b_earlier", "b_later is added at the end"),
        ("a_later * b_earlier + b_later", "a_later * a_earlier * b_earlier + b_later",
         "b_earlier has passed its own step: multiply it by a_later alone"),
        ("a_later * b_earlier + b_later", "a_earlier * b_earlier + b_later",
         "b_earlier has passed its own step: multiply it by a_later alone"),
        ("a_later * a_earlier, ", "a_later, ", "h passes both steps: a_later · a_earlier"),
        ("a_later * a_earlier, ", "a_earlier + a_later, ",
         "factors multiply: a_later · a_earlier"),
        ("return a_later * a_earlier, a_later * b_earlier + b_later",
         "return a_later * b_earlier + b_later, a_later * a_earlier",
         "the pair is (a, b): the factor first"),
        ("return a_later * a_earlier, a_later * b_earlier + b_later",
         "return a_later * b_earlier + b_later", "return two things: the pair (a, b)"),
    ],
    takes=6,
    level=3,
    hints=[
        "Put a_1·h + b_1 into a_2·(…) + b_2.",
        "Sort by h: what multiplies it, what is left?",
    ],
    reasoning="a_2 (a_1 h + b_1) + b_2 = (a_2 a_1) h + (a_2 b_1 + b_2).",
    compares=("the factor a", "the summand b", "a of three steps", "b of three steps"),
    run=run_combine,
    properties=[learns_alike(recurrences.combine, _combined, (5, 2))],
    solved="It does not matter which neighbours are combined first: so all can be at once.",
)  # fmt: skip
def steps(draw):
    for shape in ((3,), (2, 3)):
        yield tuple(_pair(draw, shape) for _ in range(3))


def run_gates(Cell, units, x):
    """The gates of all steps and of one, the weights drawn."""
    cell = ready(Cell, (units,), (len(x), x.shape[-1]))
    told = "return two things: kept, written"
    found = parts(cell.gates(ops.convert_to_tensor(x)), told)
    one = parts(cell.gates(ops.convert_to_tensor(x[:, 0])), told)
    shape = (*x.shape[:-1], units)
    for part in found:
        require(tuple(np.shape(part)) == shape, f"kept and written should each be {shape}")
    return *found, *one


def _loop(Cell):
    return redrawn(_built(layers.RNN(Cell(4))))


def _gated(Gates):
    return _loop(type("Cell", (Gates,), {"call": MinGRUCell.call}))


def _built(loop):
    loop.build((None, None, 2))
    return loop


SUMS = "ops.matmul(inputs, self.kernel) + self.bias"


@exercise(
    "08d.3",
    MinGRUGates,
    mistakes=[
        ("z, g = ops", "g, z = ops", "the columns of z come first, then those of g"),
        ("z = ops.sigmoid(z)\n", "pass\n", "z is a gate: σ is missing"),
        ("return 1 - z, z * g", "return z, (1 - z) * g", "exchanged: z is the share written"),
        ("return 1 - z, z * g", "return 1 - z, g", "of g the share z is written: z · g"),
        ("z * g", "z * ops.tanh(g)", "g is not squashed: no tanh"),
        ("return 1 - z, z * g", "return z, z * g", "what is not written is kept: 1 − z"),
        (" + self.bias", "", "the bias is missing"),
        ("return 1 - z, z * g", "return z * g, 1 - z", "kept first, then written"),
        ("return 1 - z, z * g", "return 1 - z, z * ops.sigmoid(g)", "g is no gate: no σ"),
        ("z = ops.sigmoid(z)", "z, g = ops.sigmoid(z), ops.sigmoid(g)", "g is no gate: no σ"),
        ("z = ops.sigmoid(z)", "z = ops.tanh(z)", "a gate lies between 0 and 1: σ, not tanh"),
    ],
    takes=5,
    level=2,
    hints=[
        "ops.split(…, 2, axis=-1) cuts the sums in two.",
        "kept is 1 − z, written is z ⊙ g.",
    ],
    reasoning="Without h in the gates, all of them are one matrix product.",
    compares=(
        "what is kept, all steps",
        "what is written, all steps",
        "what is kept, one step",
        "what is written, one step",
    ),
    run=run_gates,
    properties=[learns_alike(MinGRUGates, _gated, (4, 2))],
    solved="All gates of a text are known before the first state is.",
)  # fmt: skip
def cells(draw):
    for units, batch, steps, channels in ((3, 2, 5, 2), (2, 1, 3, 4)):
        yield units, vectors(draw, batch, steps, channels)


def run_step(Cell, units, x):
    """One step from states that differ."""
    draw = np.random.default_rng(1)
    h = ops.convert_to_tensor(vectors(draw, len(x), units))
    cell, told = ready(Cell, (units,), x.shape), "return two things: h and [h]"
    output, states = parts(cell.call(ops.convert_to_tensor(x), [h]), told)
    (new,) = parts(states, "return the states as a list of one: [h]", count=1)
    shape = tuple(np.shape(output))
    require(shape == tuple(h.shape), f"the output should be {tuple(h.shape)}, not {shape}")
    return output, new


@exercise(
    "08d.4",
    MinGRUCell,
    mistakes=[
        ("h = kept * states[0] + written", "h = kept + written",
         "the old state is multiplied by kept: kept · states[0] + written"),
        ("h = kept * states[0] + written", "h = states[0] + written",
         "the old state is kept in part: kept · states[0]"),
        ("h = kept * states[0] + written", "h = kept * states[0]", "written is added"),
        ("h = kept * states[0] + written", "h = written * states[0] + kept",
         "exchanged: kept multiplies the old state"),
        ("return h, [h]", "return h, h", "return the states as a list of one: [h]"),
        ("return h, [h]", "return h, states", "the new state is returned, not the old one"),
        ("return h, [h]", "return h", "return two things: h and [h]"),
        ("return h, [h]", "return written, [h]", "the output is h_t"),
    ],
    takes=4,
    level=2,
    hints=["kept, written = self.gates(inputs)", "h = kept · states[0] + written: (h, [h])"],
    reasoning="The step of lecture 2 is still there: one token costs the same at any length.",
    compares=("the output of one step", "the new state"),
    run=run_step,
    properties=[learns_alike(MinGRUCell, _loop, (4, 2))],
    solved="To train: all steps at once. To write: one step, and one state to carry.",
)  # fmt: skip
def one_step(draw):
    for units, batch, channels in ((3, 2, 2), (2, 3, 4)):
        yield units, vectors(draw, batch, channels)


def run_scanned(Loop, x, mask, before):
    """All states, forwards and backwards, with and without masks and a state before them."""
    found = []
    for backwards in (False, True):
        loop = Loop(
            _cell(before.shape[1], x.shape[-1]), go_backwards=backwards, return_sequences=True
        )
        loop.build(x.shape)
        for hidden in (None, ops.convert_to_tensor(mask)):
            for state in (np.zeros_like(before), before):
                told = "return three things: the last state, all states, [the last state]"
                sequences, state = ops.convert_to_tensor(x), [ops.convert_to_tensor(state)]
                last, states, new = parts(
                    loop.inner_loop(sequences, state, hidden), told, count=3
                )
                (new,) = parts(new, "the third thing is a list of one state: [last]", count=1)
                shape = (*x.shape[:2], before.shape[1])
                said = f"all states should be {shape}, not {tuple(states.shape)}"
                require(tuple(states.shape) == shape, said)
                found += [states, last, new]
    return tuple(found)


def _cell(units, channels):
    cell = MinGRUCell(units)
    cell.build((None, channels))
    return redrawn(cell)


def _scanned(Loop):
    return redrawn(_built(Loop(MinGRUCell(4), return_sequences=True)))


def _computes_at_once(Loop):
    """Refuse a loop over the steps, whose lines run once a step."""
    lines, file = Counter(), Loop.inner_loop.__code__.co_filename

    def count(frame, event, _):
        lines[frame.f_lineno] += event == "line" and frame.f_code.co_filename == file
        return count

    loop, before = _scanned(Loop), sys.gettrace()
    sys.settrace(count)
    try:
        loop(np.zeros((1, 200, 2), "float32"))
    finally:
        sys.settrace(before)
    told = "the numbers are right, but by a loop over the steps: use `linear_scan`"
    require(max(lines.values(), default=0) < 100, told)


class _Hiding(layers.Layer):
    """A loop that starts at a state computed from the inputs, and hides some steps."""

    def __init__(self, loop):
        super().__init__()
        self.loop = loop

    def call(self, inputs):
        before = ops.tile(inputs[:, 0], (1, 2))
        return self.loop(inputs, initial_state=[before], mask=inputs[..., 0] > 0)


HIDES = "kept, written = ops.where(real, kept, 1), ops.where(real, written, 0)"
TURNED = "kept, written = ops.flip(kept, axis=1), ops.flip(written, axis=1)"
FIRST = "written[:, :1] + kept[:, :1] * initial_state[0][:, None]"
STARTED = "ops.concatenate([first, written[:, 1:]], axis=1)"


@exercise(
    "08d.5",
    ScannedRNN,
    mistakes=[
        (HIDES, "written = ops.where(real, written, 0)",
         "a hidden step has to keep the whole state: kept is 1 there"),
        (HIDES, "kept = ops.where(real, kept, 1)",
         "a hidden step writes nothing: written is 0 there"),
        (HIDES, "kept, written = ops.where(real, kept, 0), ops.where(real, written, 0)",
         "a hidden step must not forget: kept is 1 there, not 0"),
        (HIDES, "pass", "the mask is not used: a hidden step leaves h as it is"),
        (HIDES, "kept, written = ops.where(real, 1, kept), ops.where(real, 0, written)",
         "True is a real token: the others keep 1 and write 0"),
        (TURNED, "pass", "with go_backwards the sequence is read from its end"),
        (TURNED, f"{TURNED}\n            initial_state = [0 * initial_state[0]]",
         "with go_backwards the state before the first step read counts, too"),
        (FIRST, "written[:, :1]",
         "the state before the first step is missing: kept_0 · h_{−1} is what it leaves"),
        (FIRST, "written[:, :1] + initial_state[0][:, None]",
         "of the state before, the first step keeps its share: kept_0 · h_{−1}"),
        (STARTED, "written + kept * initial_state[0][:, None]",
         "the state before comes in once, at the first step"),
        (f"linear_scan(kept, {STARTED})",
         "initial_state[0][:, None] + linear_scan(kept, written)",
         "the state before is forgotten, too: let it come in at the first step alone"),
        (HIDES, "if not self.go_backwards:\n                " + HIDES,
         TURNED, TURNED + "\n            if mask is not None:\n                " + HIDES,
         "with go_backwards the mask is turned around with the sequence"),
        ("return states[:, -1], states,", "return states[:, 0], states,",
         "the last state is the last one computed: states[:, -1]"),
    ],
    takes=15,
    level=4,
    hints=[
        "A hidden step: kept = 1, written = 0 (ops.where with mask[..., None]).",
        "The first step writes written_0 + kept_0 ⊙ initial_state[0]; ops.flip turns axis 1.",
    ],
    reasoning="A mask is one more step of the same form, h → 1·h + 0, and so is the start.",
    compares=tuple(
        f"{what}{way}{hidden}{state}"
        for way in (" read forwards", " read backwards")
        for hidden in ("", " with a mask")
        for state in ("", " after a state that is not 0")
        for what in ("all states", "the last state", "the state to carry")
    ),
    run=run_scanned,
    properties=[
        _computes_at_once,
        learns_alike(ScannedRNN, lambda Loop: _Hiding(_scanned(Loop)), (4, 2)),
        open_shapes(_scanned, (6, 2)),
    ],
    solved="Keras' interface, masks and directions, and no loop.",
)  # fmt: skip
def sequences(draw):
    # After 200 steps the product of what is kept is 0.
    for batch, steps, channels, units in ((2, 5, 2, 3), (3, 1, 3, 2), (2, 200, 2, 3)):
        mask = np.arange(steps) < np.array([[steps], [1 + steps // 2], [1]])[:batch]
        mask[:, steps // 3] = steps < 3  # hidden in the middle, too
        mask[1, 0] = False  # and at the start
        yield vectors(draw, batch, steps, channels), mask, vectors(draw, batch, units)


SUM = "np.logaddexp.accumulate(log_written - L, axis=1)"


@exercise(
    "08d.6",
    lecture_08d.log_space_scan,
    mistakes=[
        (SUM, "np.log(np.cumsum(np.exp(log_written - L), axis=1))",
         "exp(log w − L) overflows: add in log space, np.logaddexp.accumulate"),
        ("np.exp(L + ", "np.exp(L) * np.exp(",
         "exp(L) is 0 and its partner infinite: add the logarithms, then one exp"),
        ("log_written - L", "log_written", "each part is divided by its own product: − L_s"),
        ("log_written - L", "log_written + L", "division is a minus in log space: − L_s"),
        ("np.exp(L + ", "np.exp(", "the sum is multiplied by A_t: + L_t"),
        ("return np.exp(", "return (", "return the states, not their logarithms: np.exp"),
        ("L = np.cumsum(log_kept, axis=1)", "L = log_kept",
         "L_t adds up all the logarithms up to t: np.cumsum(…, axis=1)"),
        ("L = np.cumsum(log_kept, axis=1)", "L = np.cumsum(log_kept, axis=0)",
         "the steps are axis 1: axis 0 is the batch"),
        (SUM, "np.maximum.accumulate(log_written - L, axis=1)",
         "the largest part is not the sum: np.logaddexp.accumulate"),
        (SUM, "np.logaddexp.accumulate(log_written - L, axis=0)",
         "the steps are axis 1: axis 0 is the batch"),
        (SUM, "np.cumsum(log_written - L, axis=1)",
         "a sum of logarithms is a product: np.logaddexp.accumulate adds the numbers"),
        ("L = np.cumsum(log_kept, axis=1)", "L = np.log(np.cumprod(np.exp(log_kept), axis=1))",
         "the product becomes 0 before its logarithm is taken: add up the logarithms"),
    ],
    takes=9,
    level=4,
    hints=[
        "L = np.cumsum(log_kept, axis=1) never overflows.",
        "np.logaddexp.accumulate(x, axis=1) is the running log Σ exp x.",
    ],
    reasoning="Only the small difference L_t − L_s counts; log space takes it before any exp.",
    compares="the states",
    equal=within(1e-2),  # float32 adds up 1,500 logarithms to three digits
    solved="The numbers were right all along; only their order of computation was not.",
)  # fmt: skip
def logarithms(draw):
    for shape, low, high in (
        ((2, 4, 2), 0.5, 0.95),
        ((1, 1_500, 2), 0.1, 0.95),
        ((3, 300, 3), 0.98, 1),  # what was written first still counts
    ):
        kept, written = draw.uniform(low, high, shape), draw.uniform(0.1, 2, shape)
        yield np.log(kept), np.log(written)


def _untrained():
    inputs = keras.Input((100, 5))
    state = ScannedRNN(MinGRUCell(32))(inputs)
    return keras.Model(inputs, layers.Dense(4, activation="softmax")(state))


@exercise(
    "08d.7",
    lecture_08d.train_recaller,
    mistakes=[
        (lambda: tried(_untrained()), "first train longer"),
        (_untrained, "the model is not trained"),
        (lambda: {}, "return the trained model"),
    ],
    takes=9,
    level=3,
    hints=[
        "The gate of a new cell keeps 0.95 a step: the learning rate is left to choose.",
        "A Dense(32) before the recurrence, Adam(0.01, clipnorm=1.0), 500 batches.",
    ],
    reasoning="The gate sees the mark, so it can open for this one step and stay closed.",
    solved="A network without a recurrent matrix, which recalls a hundred steps back.",
    trains=recalls(
        "Near 0.25 nothing was learned: try another of the three learning rates.",
        own="ScannedRNN(MinGRUCell(32))",
    ),
    limit=300,
)  # fmt: skip
def no_arguments(draw):
    yield ()
