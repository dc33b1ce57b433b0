"""The exercises of lecture 02: a step, the loop, a writer, five gradients, a bug of pads."""

import keras
import numpy as np
from keras import layers

from course_utils.exercises import exercise, require, same
from course_utils.lectures import lecture_02
from course_utils.lectures.lecture_02 import predict, rnn_step


def _step(inside=lambda x, h, W, U, b: x @ W + h @ U + b, squash=np.tanh):
    return lambda *arrays: squash(inside(*arrays))


SUM = "squash the whole sum, not a part of it"


@exercise(
    "02.1",
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
    takes=4,
    level=1,
    hints=["Rows are multiplied from the left.", "Three terms are added, then squashed."],
    reasoning="Each row of x and h is one text, so one line steps a whole batch.",
    solved="One line, and all of the network: put it in a loop and it reads any text.",
)
def _steps(draw):
    for batch, inputs, units in [(2, 3, 4), (4, 3, 5)]:
        shapes = [(batch, inputs), (batch, units), (inputs, units), (units, units), units]
        yield tuple(draw.normal(size=shape) for shape in shapes)


def _loop(start=np.zeros, hold=np.where, order=1, read=None, forgets=False):
    """The loop with another start, mask or order, or reading always the same step."""

    def run(x, W, U, b, mask=None, return_sequences=True):
        h, states = start((len(x), len(U))), []
        steps = range(x.shape[1])[::order]
        for t in steps:
            last = 0 * h if forgets else h
            new = rnn_step(x[:, t if read is None else read], last, W, U, b)
            h = new if mask is None else hold(mask[:, t, None], new, h)
            states.append(h)
        return np.stack(states, axis=1) if return_sequences else h

    return run


def _always(all_states):
    def run(x, W, U, b, mask=None, return_sequences=True):
        return lecture_02.forward(x, W, U, b, mask, all_states)

    return run


@exercise(
    "02.2",
    lecture_02.forward,
    mistakes=[
        (
            _loop(hold=lambda real, new, old: new),
            "at a pad the old state goes on: use the mask",
        ),
        (
            _loop(hold=lambda real, new, old: new * real),
            "at a pad the old state goes on, not 0",
        ),
        (_loop(hold=lambda real, new, old: np.where(real, old, new)), "True is a real step"),
        (_loop(start=np.ones), "the first state is zeros"),
        (_loop(order=-1), "go from the first step to the last"),
        (_loop(read=0), "step t reads x[:, t]"),
        *(
            (_loop(forgets=True, hold=hold), "each step gets the state of the step before")
            for hold in (np.where, lambda real, new, old: new)
        ),
        (_always(True), "return_sequences=False asks for the last state alone"),
        (_always(False), "return_sequences=True asks for all states"),
        (
            lambda x, W, U, b, mask=None, return_sequences=True: (
                _loop()(x, W, U, b, mask).swapaxes(0, 1)
                if return_sequences
                else _loop()(x, W, U, b, mask, False)
            ),
            "stack the states along axis 1: (batch, steps, units)",
        ),
    ],
    takes=8,
    level=2,
    hints=[
        "h = np.zeros((len(x), len(U))); then for t in range(x.shape[1]): one rnn_step.",
        "np.where(mask[:, t, None], new, h) keeps the old state at a pad.",
    ],
    reasoning="One step is put in a loop, and what a mask does is one line of it.",
    solved="That is all that keras.layers.SimpleRNN does.",
)
def _texts(draw):
    for batch, steps, inputs, units in ((2, 3, 2, 4), (3, 5, 4, 2)):
        x, W = draw.normal(size=(batch, steps, inputs)), draw.normal(size=(inputs, units))
        U, b = draw.normal(size=(units, units)), draw.normal(size=units)
        mask = np.arange(steps) < np.array([[steps], [1], [2]])[:batch]
        for arguments in ((), (mask,), (mask, False)):
            yield (x, W, U, b, *arguments)


def _built(build, symbols, ids, targets):
    """What a student's model is like: the shape, what it leaks, how it is compiled."""
    keras.utils.set_random_seed(0)
    model = build(symbols)
    require(isinstance(model, keras.Model), "return the compiled keras.Model")
    output = np.asarray(model(ids))
    shape = (*ids.shape, symbols)
    require(
        output.shape == shape,
        f"for ids {ids.shape} the output should be {shape}, not {output.shape}: every step "
        "answers (return_sequences=True), by a Dense layer with a unit for each symbol",
    )
    sums = output.sum(axis=-1)
    require(np.allclose(sums, 1, atol=1e-4), "the outputs are probabilities: add the softmax")
    later = ids.copy()
    later[:, -1] = (ids[:, -1] + 1) % symbols
    changed = np.asarray(model(later))
    require(
        np.allclose(output[:, :-1], changed[:, :-1], atol=1e-6),
        "a later symbol changes an earlier prediction: the future leaks (Bidirectional?)",
    )
    early = ids.copy()
    early[:, 0] = (ids[:, 0] + 1) % symbols
    require(
        not np.allclose(output[:, 2], np.asarray(model(early))[:, 2], atol=1e-7),
        "an earlier symbol changes no later prediction: is the recurrent layer missing?",
    )
    require(
        getattr(model, "optimizer", None) is not None, "compile the model before you return it"
    )
    before = model.evaluate(ids, targets, verbose=0)
    require(isinstance(before, list), 'compile it with metrics=["accuracy"]')
    model.fit(ids, targets, epochs=20, verbose=0)
    after = model.evaluate(ids, targets, verbose=0)
    require(
        after[0] < before[0], "twenty epochs did not lower the loss: look at optimizer, loss"
    )
    return True


def _model(change):
    """A writer in which something differs: `change` makes layers of (embedded, symbols)."""

    def build(symbols):
        ids = keras.Input((None,), dtype="int32")
        model = keras.Model(ids, change(layers.Embedding(symbols, 16)(ids), symbols))
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    return build


def _dense(x, symbols, activation="softmax"):
    return layers.Dense(symbols, activation=activation)(x)


def _loops(**settings):
    return layers.SimpleRNN(64, **{"return_sequences": True, **settings})


@exercise(
    "02.3",
    lecture_02.build_writer,
    mistakes=[
        (_model(lambda x, n: _dense(_loops(return_sequences=False)(x), n)), "step answers"),
        (_model(lambda x, n: _dense(_loops()(x), n, None)), "add the softmax"),
        (_model(lambda x, n: _dense(layers.Bidirectional(_loops())(x), n)), "the future leaks"),
        (_model(lambda x, n: _dense(x, n)), "is the recurrent layer missing?"),
        (_model(lambda x, n: _dense(_loops()(x), n + 1)), "a unit for each symbol"),
        (lambda n: keras.Sequential([layers.Embedding(n, 16), _loops(),
                                     layers.Dense(n, activation="softmax")]),
         "compile the model"),
        (lambda n: 0, "return the compiled keras.Model"),
    ],
    takes=8,
    level=2,
    hints=[
        "keras.Input((None,), dtype='int32'), Embedding, SimpleRNN (all states), Dense.",
        "The Dense layer has `symbols` units and a softmax; compile before you return.",
    ],
    reasoning="With return_sequences=True each of the steps is an example of its own.",
    solved="The same five lines, with better layers, are a language model.",
    run=_built,
)  # fmt: skip
def _ids(draw):
    symbols = int(draw.integers(7, 11))
    ids = draw.integers(symbols, size=(8, 6)).astype("int32")
    yield symbols, ids, np.roll(ids, -1, axis=1)


def _written(write, first, length, seed, *arrays):
    """Let a student's function write, with choices drawn from the probabilities."""
    draw = np.random.default_rng(seed)
    asked = []

    def choose(probabilities):
        require(
            np.shape(probabilities) == (arrays[-1].size,),
            f"choose takes probabilities of the shape {(arrays[-1].size,)}, "
            f"not {np.shape(probabilities)}",
        )
        asked.append(np.asarray(probabilities, float))
        return int(draw.choice(arrays[-1].size, p=asked[-1] / asked[-1].sum()))

    written = [int(one) for one in write(first, length, choose, *arrays)]
    return np.array(written), np.array(asked)


def _writer(
    state=lambda h, new: new, read=lambda written, first: written[-1], keep=1, start=0.0
):
    """A writer that forgets its state, reads another symbol, or returns another part."""

    def write(first, length, choose, embedding, W, U, b, V, c):
        h, ids = np.full((1, len(U)), start), [first]
        for _ in range(length):
            h = state(h, rnn_step(embedding[[read(ids, first)]], h, W, U, b))
            ids.append(int(choose(predict(h, V, c)[0])))
            if state is _forgets:
                h = np.zeros_like(h)
        return ids[keep:]

    return write


def _forgets(h, new):
    return new


@exercise(
    "02.4",
    lecture_02.write,
    mistakes=[
        (_writer(state=_forgets), "the state has to go on from symbol to symbol"),
        (_writer(read=lambda ids, first: first), "read the symbol that was written last"),
        (_writer(keep=0), "`first` does not belong to what is returned"),
        (
            _writer(state=lambda h, new: h),
            "the state is never changed: h is what rnn_step returns",
        ),
        (_writer(start=1.0), "the first state is zeros"),
    ],
    takes=8,
    level=3,
    hints=[
        "h = np.zeros((1, units)); embedding[[last]] is the last symbol's vector, (1, inputs).",
        "In a loop: h = rnn_step(…), probabilities predict(h, V, c)[0], choose, append.",
    ],
    reasoning="What was written last is the next input; all that came before is in the state.",
    solved="One to many: from a single symbol, a state and a choice at every step.",
    run=_written,
)
def _weights(draw):
    for symbols, inputs, units in ((5, 3, 4), (7, 2, 6)):
        shapes = [(symbols, inputs), (inputs, units), (units, units), (units,)]
        shapes += [(units, symbols), (symbols,)]
        arrays = [draw.normal(size=shape) for shape in shapes]
        yield (int(draw.integers(symbols)), 6, 3, *arrays)


def _back(met=0, slope=lambda h: 1 - h**2, carry=1, error=None, turn=np.transpose, mean=False):
    """The five gradients with one thing otherwise."""

    def gradients(x, states, probabilities, targets, U, V):
        one_hot = np.eye(probabilities.shape[-1])[targets]
        errors = error(probabilities, one_hot) if error else probabilities - one_hot
        zero = np.zeros_like(states[:, :1])
        before = [
            np.concatenate([zero, states[:, :-1]], axis=1),
            states,
            np.concatenate([states[:, 1:], zero], axis=1),
            np.roll(states, 1, axis=1),
        ][met]
        inner, carried = np.zeros_like(states), np.zeros_like(states[:, 0])
        for t in reversed(range(states.shape[1])):
            inner[:, t] = slope(states[:, t]) * (errors[:, t] @ V.T + carry * carried)
            carried = inner[:, t] @ turn(U)
        share = 1 / errors[..., 0].size if mean else 1
        found = {
            "c": errors.sum(axis=(0, 1)),
            "b": inner.sum(axis=(0, 1)),
            "V": np.einsum("bth,bto->ho", states, errors),
            "W": np.einsum("bti,bth->ih", x, inner),
            "U": np.einsum("btg,bth->gh", before, inner),
        }
        return {name: share * value for name, value in found.items()}

    return gradients


def _transposed(name):
    def gradients(*given):
        found = lecture_02.backward(*given)
        return {**found, name: found[name].T}

    return gradients


@exercise(
    "02.5",
    lecture_02.backward,
    mistakes=[
        (_back(met=1), "U met the state before: at step t that is h_(t-1)"),
        (_back(met=2), "U met the state before, not the one after"),
        (_back(met=3), "at the first step U met h_0 = 0"),
        (_back(slope=np.ones_like), "a_t is what passes through the tanh: its slope, 1 − h²"),
        (_back(slope=lambda h: 1 - h), "tanh's slope is 1 − h squared"),
        (_back(slope=lambda h: 1 - np.tanh(h) ** 2), "h is a tanh already: no second one"),
        (_back(carry=0), "g_t has two parts: the error of its step, and a_(t+1) Uᵀ"),
        (_back(turn=np.asarray), "back through U it goes with the transpose of U"),
        (_back(error=lambda p, y: y - p), "the error is p minus one-hot(y), not the reverse"),
        (_back(error=lambda p, y: p), "subtract the one-hot targets from the probabilities"),
        (_back(mean=True), "the gradients are sums over steps and batch, not means"),
        *((_transposed(name), f"∇{name} is transposed: rows belong to what {name} met")
          for name in "UV"),
    ],
    takes=15,
    level=4,
    hints=[
        "From the last step to the first: g = δ Vᵀ + a_next Uᵀ, then a = (1 − h²) · g.",
        "∇W = Σ x_tᵀ a_t: np.einsum('bti,bth->ih', x, a); for U take h_(t-1), zeros at first.",
    ],
    reasoning="Every matrix gets what it met, times the error behind it, added over the steps.",
    solved="You wrote back-propagation through time; `fit` does nothing else.",
    equal=lambda given, expected: same(given, expected, 1e-3),
)  # fmt: skip
def _losses(draw):
    for batch, steps, inputs, units, symbols in ((2, 3, 4, 2, 5), (3, 6, 2, 4, 3)):
        x, W = draw.normal(size=(batch, steps, inputs)), draw.normal(size=(inputs, units))
        U, V = draw.normal(size=(units, units)), draw.normal(size=(units, symbols))
        states = lecture_02.forward(x, W, U, draw.normal(size=units))
        probabilities = predict(states, V, draw.normal(size=symbols))
        yield x, states, probabilities, draw.integers(symbols, size=(batch, steps)), U, V


def _picked(step):
    return lambda h, n: h[np.arange(len(h)), step(h, n)]


@exercise(
    "02.6",
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
    takes=6,
    level=2,
    hints=["A text of four words ends at step …, counted from 0?", "h[[0, 1], [3, 5]] pairs."],
    reasoning="Two arrays of indices are read in pairs: text 0 with its step, text 1 with its.",
    solved="A mask does this for you, at every step, and batches of any lengths.",
)
def _padded(draw):
    yield draw.normal(size=(2, 4, 3)), np.array([1, 3])
    yield draw.normal(size=(3, 6, 2)), np.array([4, 2, 5])
    yield draw.normal(size=(4, 6, 3)), np.array([6, 4, 1, 5])
