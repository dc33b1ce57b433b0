"""The exercises of lecture 02: a step, the loop, a writer, five gradients, a bug of pads."""

import keras
import numpy as np
from keras import layers

from course_utils.exercises import exercise, require, same
from course_utils.lectures import lecture_02
from course_utils.lectures.lecture_02 import forward, predict, rnn_step
from course_utils.session import full_precision


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
        (_step(lambda x, h, W, U, b: x @ W + np.tanh(h @ U) + b, np.array), SUM),
        (_step(lambda x, h, W, U, b: x @ W + np.tanh(h @ U + b), np.array), SUM),
        (_step(lambda x, h, W, U, b: np.tanh(x @ W + h @ U) + b, np.array), SUM),
        (_step(lambda x, h, W, U, b: np.tanh(x @ W) + np.tanh(h @ U) + b, np.array), SUM),
        (_step(lambda x, h, W, U, b: h + np.tanh(x @ W + h @ U + b), np.array),
         "the new state replaces the old one, which is not added"),
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
)  # fmt: skip
def _steps(draw):
    for batch, inputs, units in [(2, 3, 4), (4, 3, 5)]:
        shapes = [(batch, inputs), (batch, units), (inputs, units), (units, units), units]
        yield tuple(draw.normal(size=shape) for shape in shapes)


def _loop(start=np.zeros, hold=np.where, order=1, read=None, forgets=False, show=None):
    """The loop with another start, mask or order, reading one step, or showing other states."""

    def run(x, W, U, b, mask=None, return_sequences=True):
        h, states = start((len(x), len(U))), []
        for t in range(x.shape[1])[::order]:
            old = 0 * h if forgets else h
            new = rnn_step(x[:, t if read is None else read], old, W, U, b)
            real = np.ones((len(x), 1), bool) if mask is None else mask[:, t, None]
            shown = show(real, new, h) if show else None
            h = new if mask is None else hold(real, new, h)
            states.append(h if shown is None else shown)
        return np.stack(states, axis=1) if return_sequences else h

    return run


def _seen(change, *always):
    """The loop with its states or inputs changed, or with `return_sequences` of its own."""

    def run(x, W, U, b, mask=None, every=True):
        return change(x, W, U, b, mask, *(always or [every]))

    return run


@exercise(
    "02.2",
    forward,
    mistakes=[
        (_loop(hold=lambda real, new, h: new), "at a pad the old state goes on: use the mask"),
        (_loop(hold=lambda real, new, h: new * real), "at a pad the old state goes on, not 0"),
        (_loop(hold=lambda real, new, h: np.where(real, h, new)), "True is a real step"),
        *((_loop(hold=lambda real, new, h, of=of: np.where(of(real), new, h)),
           "each text has a mask of its own") for of in (np.all, lambda real: real[:1])),
        (_loop(show=lambda real, new, h: new * real), "a pad shows the old state, too, not 0"),
        (_loop(show=np.where, hold=lambda real, new, h: new),
         "at a pad the state that goes on is the old one, not only the state that is shown"),
        (_seen(lambda x, W, U, b, mask, every: forward(
            x if mask is None else x * mask[..., None], W, U, b, None, every)),
         "an input of zeros is no pad: the loop takes a step all the same"),
        (_loop(show=lambda real, new, h: h), "keep the state after the step, not before it"),
        (_seen(lambda x, W, U, b, mask, every: np.swapaxes(
            forward(x.swapaxes(0, 1), W, U, b, None, every), 0, 1 if every else 0)),
         "go along axis 1, the steps, not along the batch"),
        (_loop(start=np.ones), "the first state is zeros"),
        (_loop(order=-1), "go from the first step to the last"),
        (_loop(read=0), "step t reads x[:, t]"),
        *((_loop(forgets=True, hold=hold), "each step gets the state of the step before")
          for hold in (np.where, lambda real, new, h: new)),
        (_seen(forward, True), "return_sequences=False: the last state alone"),
        (_seen(forward, False), "return_sequences=True: all states"),
        (_seen(lambda *given: forward(*given).swapaxes(0, 1) if given[5] else forward(*given)),
         "stack the states along axis 1: (batch, steps, units)"),
    ],
    takes=8,
    level=2,
    hints=[
        "h = np.zeros((len(x), len(U))); then for t in range(x.shape[1]): one rnn_step.",
        "np.where(mask[:, t, None], new, h) keeps the old state at a pad.",
    ],
    reasoning="One step is put in a loop, and what a mask does is one line of it.",
    solved="That is all that keras.layers.SimpleRNN does.",
)  # fmt: skip
def _texts(draw):
    for batch, steps, inputs, units in ((2, 3, 2, 4), (3, 5, 4, 2)):
        x, W = draw.normal(size=(batch, steps, inputs)), draw.normal(size=(inputs, units))
        U, b = draw.normal(size=(units, units)), draw.normal(size=units)
        mask = np.arange(steps) < np.array([[steps], [1], [2]])[:batch]
        mask[0, 1] = False  # in the middle: a state of zeros differs from a shown zero
        for arguments in ((), (mask,), (mask, False)):
            yield (x, W, U, b, *arguments)


def _built(build, symbols, ids, targets):
    """What a student's model is like: its shapes, its numbers, how it is compiled."""
    with full_precision():
        model = build(symbols)
        require(isinstance(model, keras.Model), "return the compiled keras.Model")
        steps = model.inputs[0].shape[1:]
        require(steps in ((None,), (6,)), "any number of steps: Input((None,))")
        later = np.where(np.arange(6) < 5, ids, (ids + 1) % symbols)
        both = np.asarray(model(np.concatenate([ids, later])))
        given, wanted = both[: len(ids)], (*ids.shape, symbols)
        require(
            given.shape == wanted,
            f"for ids {ids.shape} the output should be {wanted}, not {given.shape}: every step "
            "answers (return_sequences=True), by a Dense layer with a unit for each symbol",
        )
        leak = "a later symbol changes an earlier prediction: the future leaks (Bidirectional?)"
        require(np.allclose(given[:, :5], both[len(ids) :, :5], atol=1e-6), leak)
        shapes = [tuple(weight.shape) for weight in model.weights]
        wanted = [(symbols, 16), (16, 64), (64, 64), (64,), (64, symbols), (symbols,)]
        parts = "an embedding of 16 numbers, a SimpleRNN of 64 units and a Dense layer"
        require(shapes == wanted, f"{parts} have weights of the shapes {wanted}, not {shapes}")
        draw = np.random.default_rng(0)
        model.set_weights([draw.normal(0, 0.3, shape) for shape in shapes])
        given = np.asarray(model(ids, training=True))
    sums = np.allclose(given.sum(axis=-1), 1, atol=1e-4)
    require(sums, "the outputs are probabilities: add the softmax")
    embedding, *loop, V, c = model.get_weights()
    right = predict(forward(embedding[ids], *loop), V, c)
    other = "with your model's weights, the loop of 02.2 gives other numbers: tanh in the "
    other += "SimpleRNN, softmax over the symbols; no dropout; no mask, since id 0 is a symbol"
    require(np.allclose(given, right, atol=1e-3), other)
    rule = getattr(model, "optimizer", None)
    require(rule is not None, "compile the model before you return it")
    own = f"{type(rule).__name__}({float(np.asarray(rule.learning_rate)):.3g}, "
    own += f"clipnorm={rule.clipnorm and float(rule.clipnorm)})"
    asked = "Adam(0.005, clipnorm=1.0)"
    require(own == asked, f"the optimizer is to be {asked}, not {own}")
    try:
        loss = np.mean(np.asarray(keras.losses.get(model.loss)(targets, given)))
    except Exception:  # a loss that these shapes do not suit
        loss = np.nan
    right = -np.log(np.take_along_axis(given, targets[..., None], axis=-1)).mean()
    require(np.isclose(loss, right, rtol=1e-3), "loss: sparse_categorical_crossentropy")
    metrics = str(model.get_compile_config()["metrics"]).lower()
    require("accuracy" in metrics, 'compile it with metrics=["accuracy"]')
    return True


def _model(change=lambda x, n: _dense(_loops()(x), n), rate=0.005, clip=1.0,
           loss="sparse_categorical_crossentropy", metrics=("accuracy",)):  # fmt: skip
    """A writer in which something differs: `change` makes layers of (embedded, symbols)."""

    def build(symbols):
        ids = keras.Input((None,), dtype="int32")
        model = keras.Model(ids, change(layers.Embedding(symbols, 16)(ids), symbols))
        model.compile(keras.optimizers.Adam(rate, clipnorm=clip), loss, metrics=list(metrics))
        return model

    return build


def _dense(x, symbols, activation="softmax"):
    return layers.Dense(symbols, activation=activation)(x)


def _loops(kind=layers.SimpleRNN, units=64, **settings):
    return kind(units, **{"return_sequences": True, **settings})


@exercise(
    "02.3",
    lecture_02.build_writer,
    mistakes=[
        (_model(lambda x, n: _dense(_loops(return_sequences=False)(x), n)), "step answers"),
        (_model(lambda x, n: _dense(_loops()(x), n, None)), "add the softmax"),
        (_model(lambda x, n: _dense(layers.Bidirectional(_loops())(x), n)), "the future leaks"),
        (_model(lambda x, n: _dense(_loops()(x), n + 1)), "a unit for each symbol"),
        (_model(lambda x, n: _dense(_loops(layers.LSTM)(x), n)), "a SimpleRNN of 64 units"),
        (_model(lambda x, n: _dense(_loops(activation="relu")(x), n)), "tanh in the SimpleRNN"),
        (_model(lambda x, n: _dense(layers.Dropout(0.5)(_loops()(x)), n)), "no dropout; "),
        (_model(rate=0.001), "not Adam(0.001, clipnorm=1.0)"),
        (_model(clip=None), "not Adam(0.005, clipnorm=None)"),
        (_model(loss="mean_squared_error"), "loss: sparse"),
        (_model(metrics=()), "compile it with metrics"),
        (lambda n: keras.Model(*2 * [keras.Input((None,))]), "every step answers"),
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
    require(np.ndim(written) == 1, "return the list of the written ids: is a `return` missing?")
    require(len(asked) == length, "call choose once for each symbol, and not more often")
    return np.array([int(one) for one in written]), np.array(asked)


def _writer(
    state=lambda h, new: new, read=lambda ids: ids[-1], keep=slice(1, None), start=0.0,
    tell=lambda old, new, V, c: predict(new, V, c)
):  # fmt: skip
    """A writer that carries, reads, chooses from or returns something else."""

    def write(first, length, choose, embedding, W, U, b, V, c):
        h, ids = np.full((1, len(U)), start), [first]
        for _ in range(length):
            new = rnn_step(embedding[[read(ids)]], h, W, U, b)
            ids.append(int(choose(tell(h, new, V, c)[0])))
            h = state(h, new)
        return ids[keep]

    return write


@exercise(
    "02.4",
    lecture_02.write,
    mistakes=[
        (_writer(state=lambda h, new: 0 * h), "the state has to go on from symbol to symbol"),
        (_writer(read=lambda ids: ids[0]), "read the symbol that was written last"),
        *((_writer(keep=part), "`first` does not belong to what is returned")
          for part in (slice(0, None), slice(0, -1))),
        (_writer(state=lambda h, new: 0 * h, read=lambda ids: ids[0]),
         "every symbol needs a step of its own before it is chosen"),
        (_writer(tell=lambda old, new, V, c: predict(old, V, c)),
         "choose by the state after the step, not before it"),
        (_writer(tell=lambda old, new, V, c: predict(new, V, 0)), "the bias c is missing"),
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
)  # fmt: skip
def _weights(draw):
    for symbols, inputs, units in ((5, 3, 4), (7, 2, 6)):
        shapes = [(symbols, inputs), (inputs, units), (units, units), (units,)]
        shapes += [(units, symbols), (symbols,)]
        arrays = [draw.normal(size=shape) for shape in shapes]
        yield (int(draw.integers(symbols)), 6, 3, *arrays)


def _back(
    met=0, slope=lambda h: 1 - h**2, carry=lambda g, a: a, error=lambda p, y: p - y,
    turn=np.transpose, order=-1, share=lambda errors: 1, add=lambda g, later, slope: slope * g,
    told=lambda g, a: a,
):  # fmt: skip
    """The five gradients with one thing otherwise."""

    def gradients(x, states, probabilities, targets, U, V):
        errors = error(probabilities, np.eye(probabilities.shape[-1])[targets])
        moved = np.pad(states, ((0, 0), (1, 1), (0, 0)))[:, met : met + states.shape[1]]
        before = np.roll(states, 1, axis=1) if met == 3 else moved
        inner, carried = np.zeros_like(states), np.zeros_like(states[:, 0])
        for t in range(states.shape[1])[::order]:
            reached = errors[:, t] @ V.T + carried
            a = add(reached, carried, slope(states[:, t]))
            inner[:, t], carried = told(reached, a), carry(reached, a) @ turn(U)
        found = {
            "c": errors.sum(axis=(0, 1)),
            "b": inner.sum(axis=(0, 1)),
            "V": np.einsum("bth,bto->ho", states, errors),
            "W": np.einsum("bti,bth->ih", x, inner),
            "U": np.einsum("btg,bth->gh", before, inner),
        }
        return {name: value / share(errors) for name, value in found.items()}

    return gradients


@exercise(
    "02.5",
    lecture_02.backward,
    mistakes=[
        (_back(met=1), "U met the state before: at step t that is h_(t-1)"),
        (_back(met=2), "U met the state before, not the one after"),
        (_back(met=3), "at the first step U met h_0 = 0"),
        (_back(slope=np.ones_like), "a_t is what passes through the tanh: its slope, 1 − h²"),
        *((_back(slope=slope), "the slope is 1 − h²: 1 minus the square of h")
          for slope in (lambda h: 1 - h, lambda h: (1 - h) ** 2)),
        (_back(add=lambda g, later, slope: slope * (g - later) + later),
         "both parts of g_t pass through the tanh: add first, then multiply by 1 − h²"),
        (_back(told=lambda g, a: g), "the sums for b, W and U take a_t, not g_t"),
        (_back(slope=lambda h: 1 - np.tanh(h) ** 2), "h is a tanh already: no second one"),
        (_back(slope=lambda h: h * (1 - h)), "h (1 − h) is the slope of the sigmoid"),
        (_back(carry=lambda g, a: 0 * a), "g_t has two parts: δ_t Vᵀ and a_(t+1) Uᵀ"),
        (_back(carry=lambda g, a: g), "what goes on through U is a, behind the tanh, not g"),
        (_back(turn=lambda U: np.eye(len(U))), "to the step before it goes through Uᵀ"),
        (_back(order=1), "go from the last step to the first"),
        (_back(turn=np.asarray), "back through U it goes with the transpose of U"),
        (_back(error=lambda p, y: y - p), "the error is p minus one-hot(y), not the reverse"),
        (_back(error=lambda p, y: p), "subtract the one-hot targets from the probabilities"),
        (_back(error=lambda p, y: (p - y) * (np.arange(len(p[0])) == len(p[0]) - 1)[:, None]),
         "every step has a loss, not only the last"),
        *((_back(share=share), "the gradients are sums over steps and batch, not means")
          for share in (len, lambda errors: errors[..., 0].size)),
        (lambda *given: (found := lecture_02.backward(*given)) | {"U": found["U"].T},
         "∇U is transposed: rows belong to what U met"),
        (lambda x, h, p, y, U, V: lecture_02.backward(x, h, p, y, U, V) | {"V": np.einsum(
            "bth,bto->ho", h[:, :-1], (p - np.eye(p.shape[-1])[y])[:, 1:])},
         "V met the state of its own step, h_t"),
        (lambda *given: (found := lecture_02.backward(*given)) | {"V": found["V"].T},
         "∇V is transposed: rows belong to what V met"),
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


def _real(h, n):
    return h * (np.arange(h.shape[1]) < n[:, None])[..., None]


@exercise(
    "02.6",
    lecture_02.last_real_state,
    mistakes=[
        (lambda h, n: h[:, -1], "that is the state after the pads"),
        *((_picked(step), "steps are counted from 0: a text of 4 words ends at step 3")
          for step in (lambda h, n: n, lambda h, n: np.minimum(n, h.shape[1] - 1))),
        (lambda h, n: h[:, 0], "that is the state after the first word"),
        (lambda h, n: _real(h, n)[:, -1], "with the pads erased, the last step is still a pad"),
        *((lambda h, n, by=by: by(h, n), "one state is asked for, not a mean, sum or maximum")
          for by in (lambda h, n: h.mean(axis=1), lambda h, n: _real(h, n).sum(axis=1),
                     lambda h, n: h.max(axis=1), lambda h, n: _real(h, n).max(axis=1),
                     lambda h, n: _real(h, n).sum(axis=1) / n[:, None])),
        (_picked(lambda h, n: n - 2), "one step too early"),
        (_picked(lambda h, n: -n), "-n counts from the end, pads included"),
        (lambda h, n: h[:, n - 1], "that takes all lengths of each text: index texts, too"),
        (lambda h, n: h[n - 1], "the first axis is the texts, the second the steps"),
        *((lambda h, n, of=of: h[:, of(n) - 1], "each text has a length of its own")
          for of in (np.max, np.min, lambda n: n[0])),
        (lambda h, n: _picked(lambda h, n: n - 1)(h, n)[:, None], "there is an axis too many"),
    ],
    takes=6,
    level=2,
    hints=["A text of four words ends at step …, counted from 0?", "h[[0, 1], [3, 5]] pairs."],
    reasoning="Two arrays of indices are read in pairs: text 0 with its step, text 1 with its.",
    solved="A mask does this for you, at every step, and batches of any lengths.",
)  # fmt: skip
def _padded(draw):
    yield draw.normal(size=(2, 4, 3)), np.array([1, 3])
    yield draw.normal(size=(3, 6, 2)), np.array([4, 2, 5])
    yield draw.normal(size=(4, 6, 3)), np.array([6, 4, 1, 5])
