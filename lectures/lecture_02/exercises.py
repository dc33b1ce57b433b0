"""The exercises of lecture 02: a step, the loop, a writer, errors sent back, a bug to find."""

import keras
import numpy as np

from course_utils.checks import redrawn, require_weights
from course_utils.exercises import exercise, require, within
from course_utils.session import full_precision
from lectures import lecture_02
from lectures.lecture_02 import forward, predict

STEP = "np.tanh(x @ W + h @ U + b)"


@exercise(
    "02.1",
    lecture_02.rnn_step,
    mistakes=[
        ("@ U", "@ U.T", "the state is a row: no transpose"),
        *((STEP, partly, "squash the whole sum, not a part of it")
          for partly in ("np.tanh(x @ W) + h @ U + b", "np.tanh(x @ W + h @ U) + b",
                         "np.tanh(x @ W) + np.tanh(h @ U) + b",
                         "np.tanh(x @ W) + np.tanh(h @ U + b)",
                         "np.tanh(x @ W + b) + np.tanh(h @ U)")),
        (STEP, f"h + {STEP}", "the new state replaces the old one, which is not added"),
        ("np.tanh", "", "the tanh is missing"),
        (STEP, "1 / (1 + np.exp(-x @ W - h @ U - b))", "that is the sigmoid: squash by tanh"),
        (" + b)", ")", "the bias is missing"),
        (" + h @ U", "", "the state before is missing"),
        ("x @ W + ", "", "the input is missing"),
        ("x @ W + h @ U", "W @ x + U @ h", "rows are multiplied from the left"),
        ("x @ W + h @ U", "h @ W + x @ U", "W belongs to the input, U to h"),
    ],
    takes=4,
    level=1,
    hints=["Rows are multiplied from the left.", "Three terms are added, then squashed."],
    reasoning="Each row of x and h is one text, so one line steps a whole batch.",
    compares="the new state",
    solved="One line, and all of the network: put it in a loop and it reads any text.",
)  # fmt: skip
def _steps(draw):
    for batch, inputs, units, kind in [(2, 3, 4, "float64"), (4, 2, 5, "float32")]:
        shapes = [(batch, units), (batch, inputs), (inputs, units), (units, units), units]
        h, x, W, U, b = (draw.normal(size=shape) for shape in shapes)
        x[-1] = 0  # a step like any other
        # Keras' weights are float32, and a loop's first zeros may be float64.
        yield x.astype(kind), h, W.astype(kind), U.astype(kind), b.astype(kind)


HELD = "new if mask is None else np.where(mask[:, t, None], new, h)"


@exercise(
    "02.2",
    forward,
    mistakes=[
        (HELD, "new", "at a pad the old state goes on: use the mask"),
        ("np.where(mask[:, t, None], new, h)", "new * mask[:, t, None]",
         "at a pad the old state goes on, not 0"),
        ("new, h)", "h, new)", "True is a real step"),
        ("mask[:, t, None]", "mask[:, t].all()", "each text has a mask of its own"),
        ("h = new", "shown = new", "append(h)", "append(shown)\n        h = new",
         "at a pad the state that goes on is the old one, not only the state that is shown"),
        ("h = new", "old, h = h, new", "append(h)", "append(old)",
         "keep the state after the step, not before it"),
        ("t], h", "t], 0 * h", "each step gets the state of the step before"),
        (" if return_sequences else h", "", "return_sequences=False: the last state alone"),
        ("np.stack(states, axis=1) if return_sequences else h", "h",
         "return_sequences=True: all states"),
        ("axis=1", "axis=0", "stack the states along axis 1: (batch, steps, units)"),
        ("mask[:, t, None]", "mask[:, t]",
         "the mask needs an axis for the units: mask[:, t, None]"),
        (HELD, "np.where(mask[:, t, None], new, h) if mask else new",
         "ask `if mask is None`: a whole array is neither true nor false"),
        ("h = new", "h[:] = new",
         "all states are one array, which every step overwrites: make a new one"),
    ],
    takes=8,
    level=2,
    hints=[
        "h = np.zeros((len(x), len(U))); then for t in range(x.shape[1]): one rnn_step.",
        "np.where(mask[:, t, None], new, h) keeps the old state at a pad.",
    ],
    reasoning="One step is put in a loop, and what a mask does is one line of it.",
    compares="the states",
    solved="That is all that keras.layers.SimpleRNN does.",
)  # fmt: skip
def _texts(draw):
    for batch, steps, inputs, units in ((2, 3, 2, 4), (3, 5, 4, 2)):
        x, W = draw.normal(size=(batch, steps, inputs)), draw.normal(size=(inputs, units))
        U, b = draw.normal(size=(units, units)), draw.normal(size=units)
        mask = np.arange(steps) < np.array([[steps], [1], [2]])[:batch]
        mask[0, 1] = False  # in the middle: a state of zeros differs from a shown zero
        mask[-1, 0] = False  # in front
        for arguments in ((), (mask,), (mask, False), (None, False), (None, True)):
            yield (x, W, U, b, *arguments)


def _built(build, symbols, ids):
    """What a student's model is like: its shapes and its numbers."""
    with full_precision():
        model = build(symbols)
        require(isinstance(model, keras.Model), "return the keras.Model")
        last = ids.shape[1] - 1
        later = np.where(np.arange(last + 1) < last, ids, (ids + 1) % symbols)
        both = np.asarray(model(np.concatenate([ids, later])))
        given, wanted = both[: len(ids)], (*ids.shape, symbols)
        require(
            given.shape == wanted,
            f"for ids {ids.shape} the output should be {wanted}, not {given.shape}: every step "
            "answers (return_sequences=True), by a Dense layer with a unit for each symbol",
        )
        sums = np.allclose(given.sum(axis=-1), 1, atol=1e-4)
        steps = np.allclose(both.sum(axis=1), 1, atol=1e-4)
        require(sums or not steps, "the softmax goes over the symbols, not over the steps")
        leak = "a later symbol changes an earlier prediction: the future leaks (Bidirectional?)"
        require(np.allclose(given[:, :last], both[len(ids) :, :last], atol=1e-6), leak)
        loop = (16, 64), (64, 64), (64,)
        wanted = [(symbols, 16), *loop, (64, symbols), (symbols,)]
        require_weights(model, wanted, ordered=True)
        try:
            model(ids[:, :4])
        except Exception:
            require(False, "any number of steps: Input((None,))")
        given = np.asarray(redrawn(model, 0.3)(ids, training=True))
    sums = np.allclose(given.sum(axis=-1), 1, atol=1e-4)
    require(sums, "the outputs are probabilities: add the softmax")
    embedding, *loop, V, c = model.get_weights()
    right = predict(forward(embedding[ids], *loop), V, c)
    other = "with your model's weights, the loop of 02.2 gives other numbers: tanh in the "
    other += "SimpleRNN, softmax over the symbols; no dropout; no mask, since id 0 is a symbol"
    require(np.allclose(given, right, atol=1e-3), other)
    return True


@exercise(
    "02.3",
    lecture_02.build_writer,
    mistakes=[
        ("return_sequences=True", "return_sequences=False", "step answers"),
        ('activation="softmax", ', "", "add the softmax"),
        ("layers.SimpleRNN(64, return_sequences=True)",
         "layers.Bidirectional(layers.SimpleRNN(64, return_sequences=True))",
         "the future leaks"),
        ("Dense(symbols", "Dense(symbols + 1", "a unit for each symbol"),
        ("SimpleRNN", "LSTM", "a weight should have the shape (16, 64)"),
        ("SimpleRNN(64", 'SimpleRNN(64, "relu"', "tanh in the SimpleRNN"),
        ("(states)", "(layers.Dropout(0.5)(states))", "no dropout; "),
        (lambda n: 0, "return the keras.Model"),
    ],
    takes=4,
    level=2,
    hints=[
        "Two layers remain, SimpleRNN (all states) and Dense; then keras.Model(ids, output).",
        "The Dense layer has `symbols` units and a softmax.",
    ],
    reasoning="With return_sequences=True each of the steps is an example of its own.",
    solved="The same four layers, with better ones in the middle, are a language model.",
    run=_built,
)  # fmt: skip
def _ids(draw):
    symbols = int(draw.integers(7, 11))
    shape = (symbols - 1, symbols - 2)
    ids = draw.integers(symbols, size=shape).astype("int32")
    yield symbols, ids


def _written(write, first, length, seed, *arrays):
    """Let a student's function write, with choices drawn from the probabilities."""
    draw, symbols = np.random.default_rng(seed), arrays[-1].size
    asked = []

    def choose(probabilities):
        asked.append(np.asarray(probabilities, float))
        require(
            asked[-1].shape == (symbols,),
            f"choose takes probabilities of the shape {(symbols,)}, not {asked[-1].shape}",
        )
        sound = asked[-1].min() >= 0 and np.isclose(asked[-1].sum(), 1, atol=1e-4)
        require(sound, "choose takes probabilities: `predict` makes them of a state")
        return int(draw.choice(symbols, p=asked[-1] / asked[-1].sum()))

    written = write(first, length, choose, *arrays)
    listed = np.ndim(written) == 1 and not isinstance(written, str)
    require(listed, "return the list of the written ids: is a `return` missing?")
    require(len(asked) == length, "call choose once for each symbol, and not more often")
    whole = all(hasattr(one, "__index__") for one in written)
    require(whole, "the written ids are whole numbers (int), so that one can look them up")
    return np.array([int(one) for one in written]), np.array(asked)


@exercise(
    "02.4",
    lecture_02.write,
    mistakes=[
        ("[[last]], h", "[[last]], 0 * h", "the state has to go on from symbol to symbol"),
        ("[[last]]", "[[first]]", "read the symbol that was written last"),
        ("first, []", "first, [first]", "`first` does not belong to what is returned"),
        ("first, []", "first, [first]", "return written", "return written[:-1]",
         "`first` does not belong to what is returned"),
        ("[[last]], h", "[[first]], 0 * h",
         "every symbol needs a step of its own before it is chosen"),
        ("h = rnn_step", "old, h = h, rnn_step", "predict(h", "predict(old",
         "choose by the state after the step, not before it"),
        ("V, c)[0]", "V, 0)[0]", "the bias c is missing"),
        ("np.zeros((1, len(U))),",
         "rnn_step(embedding[[first]], np.zeros((1, len(U))), W, U, b),",
         "the first symbol is read twice: the loop reads it, too"),
        ("np.zeros", "np.ones", "the first state is zeros"),
        ("h = rnn_step", "rnn_step", "keep the state that rnn_step returns"),
    ],
    takes=8,
    level=3,
    hints=[
        "h = np.zeros((1, units)); embedding[[last]] is the last symbol's vector, (1, inputs).",
        "In a loop: h = rnn_step(…), probabilities predict(h, V, c)[0], choose, append.",
    ],
    reasoning="What was written last is the next input; all that came before is in the state.",
    compares=("the written ids", "the probabilities from which they are chosen"),
    solved="One to many: from a single symbol, a state and a choice at every step.",
    run=_written,
)  # fmt: skip
def _weights(draw):
    for symbols, inputs, units, length in ((5, 3, 4, 6), (7, 2, 6, 9), (5, 3, 8, 60)):
        shapes = [(symbols, inputs), (inputs, units), (units, units), (units,)]
        shapes += [(units, symbols), (symbols,)]
        arrays = [draw.normal(size=shape) for shape in shapes]
        arrays[2] *= 2 if length == 60 else 1  # what was read long ago still counts
        yield (int(draw.integers(symbols)), length, int(draw.integers(99)), *arrays)


SLOPE = "(1 - states[:, t] ** 2)"


@exercise(
    "02.5",
    lecture_02.through_time,
    mistakes=[
        (f"{SLOPE} * ", "", "a_t is what passes through the tanh: its slope, 1 − h²"),
        (SLOPE, "(1 - np.tanh(states[:, t]) ** 2)",
         "h has passed the tanh already: its slope is 1 − h², without another tanh"),
        ("reversed(range(states.shape[1]))", "reversed(range(1, states.shape[1]))",
         "the first step counts, too: go down to t = 0"),
        ("reversed(range(states.shape[1]))", "range(states.shape[1])",
         "go from the last step to the first: a_(t+1) has to be known at step t"),
        (SLOPE, "(1 - states[:, t - 1] ** 2)",
         "the slope at step t is that of h_t, not of the state before"),
        (" + carried)", ") + carried",
         "both parts of g_t pass through the tanh: add first, then multiply by 1 − h²"),
        (f"{SLOPE} * (errors[:, t] @ V.T + carried)", "errors[:, t] @ V.T + carried",
         "inner[:, t] @ U.T", f"({SLOPE} * inner[:, t]) @ U.T",
         "return a_t, not g_t: what has passed through the tanh of its own step, too"),
        (" + carried", "", "g_t has two parts: δ_t Vᵀ and a_(t+1) Uᵀ"),
        ("carried = inner[:, t] @", "carried = carried + inner[:, t] @",
         "what comes from step t + 1 replaces what came from t + 2: it is in a_(t+1) already"),
        ("U.T", "U", "back through U it goes with the transpose of U"),
        ("errors[:, t] @ V.T", "errors[:, -1] @ V.T",
         "every step has an error of its own: errors[:, t]"),
        ("return inner", "return inner.sum(axis=(0, 1))",
         "return a_t of every step, without summing: (batch, steps, units)"),
    ],
    takes=8,
    level=3,
    hints=[
        "An array of zeros for all a, zeros for a_next; then for t in reversed(range(steps)):",
        "g = errors[:, t] @ V.T + a_next @ U.T, then a[:, t] = (1 − h²) · g, then a_next.",
    ],
    reasoning="At each step what the later steps sent back is added to the step's own error. "
    "One pass from the last step to the first serves all five gradients.",
    compares="the gradient inside the tanh",
    solved="You wrote back-propagation through time; `fit` adds sums and the optimizer.",
    equal=within(1e-3),
)  # fmt: skip
def _losses(draw):
    for batch, steps, units, symbols in ((2, 3, 2, 5), (3, 10, 4, 3)):
        U, V = draw.normal(size=(units, units)), draw.normal(size=(units, symbols))
        states = np.tanh(draw.normal(size=(batch, steps, units)))
        probabilities = predict(states, V, draw.normal(size=symbols))
        targets = draw.integers(symbols, size=(batch, steps))
        yield probabilities - np.eye(symbols)[targets], states, U, V


MASK = "ids > 0"
LAST = ", return_sequences=False"
PLANTED = "(embedding[ids] != 0).any(axis=-1)"


@exercise(
    "02.6",
    lecture_02.judge,
    mistakes=[
        (MASK, PLANTED,
         "a text's answer depends on its batch: print the mask; is it False at the pads?"),
        ("embedding[ids]", "embedding[ids] * (ids > 0)[..., None]", f", {MASK}", "",
         "a pad's vector is 0 now, but the loop still steps there: h U + b moves the state"),
        (MASK, "ids == 0", "the mask is True at words, False at pads"),
        ("row[: len(text)] = text", "row[len(row) - len(text) :] = text", f", {MASK}", "",
         "pads in front move the state, too, before the first word is read"),
        (f"b, {MASK}{LAST})", "b).mean(axis=1)",
         "the verdict is read off the state after the last word, not off a mean"),
        (f"b, {MASK}{LAST})", "b)[np.arange(len(ids)), [len(text) - 2 for text in texts]]",
         "steps are counted from 0: a text of 4 words ends at step 3"),
        ("1 / (1 + np.exp(-(h @ V + c)[:, 0]))", "(h @ V + c)[:, 0]",
         "those are the logits: the sigmoid is missing"),
        ("(h @ V + c)[:, 0]", "(h @ V + c)", "one number for each text: (texts,)"),
        ("texts, strict", "sorted(texts, key=len), strict",
         "the answers come in the order of `texts`"),
    ],
    takes=8,
    level=3,
    hints=[
        "Read one review alone and in a batch, state by state: after which word do they part?",
        "Print `mask` for a batch of a short and a long review. Where should it be False?",
    ],
    reasoning="The planted mask asks whether a vector is 0. The vector of id 0 is a row of the "
    "embedding like any other, random at first. The ids themselves say what is a pad.",
    compares="the probabilities",
    solved="mask_zero=True makes the same mask from the ids, for every layer that follows.",
)  # fmt: skip
def _companies(draw):
    # One text alone, two without a pad, and one longer than most.
    few = [(lengths, 7, 3, 4) for lengths in ((4,), (3, 3), (130, 2))]
    for lengths, words, inputs, units in (((5, 2, 4), 7, 3, 4), ((1, 6, 3, 4), 9, 2, 3), *few):
        texts = [draw.integers(1, words, size=length) for length in lengths]
        shapes = (words, inputs), (inputs, units), (units, units), (units,), (units, 1), (1,)
        yield (texts, *(draw.normal(size=shape) for shape in shapes))
