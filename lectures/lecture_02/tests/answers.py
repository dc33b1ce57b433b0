"""Answers to the exercises of lecture 02, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

# 02.1


@right("02.1")
def rnn_step(x, h, W, U, b):
    return np.tanh(np.concatenate([x, h], axis=1) @ np.concatenate([W, U]) + b)


@right("02.1")
def rnn_step(x, h, W, U, b):
    a = np.einsum("bi,ij->bj", x, W) + np.einsum("bi,ij->bj", h, U) + b
    return (np.exp(2 * a) - 1) / (np.exp(2 * a) + 1)


@right("02.1")
def rnn_step(x, h, W, U, b):
    a = np.dot(x, W)
    a += np.dot(h, U)
    a += b
    return np.tanh(a)


@right("02.1")
def rnn_step(x, h, W, U, b):
    return np.tanh(np.stack([W.T @ x_t + U.T @ h_t for x_t, h_t in zip(x, h)]) + b)


@right("02.1")
def rnn_step(x, h, W, U, b):
    a = x @ W + h @ U + b
    return 2 / (1 + np.exp(-2 * a)) - 1


@wrong("02.1", says="the tanh is missing")
def rnn_step(x, h, W, U, b):
    return x @ W + h @ U + b


@wrong("02.1", says="no transpose")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W + h @ U.T + b)


@wrong("02.1", says="a part of it")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W) + np.tanh(h @ U + b)


@wrong("02.1", says="rows are multiplied from the left")
def rnn_step(x, h, W, U, b):
    return np.tanh(W @ x + U @ h + b)


@wrong("02.1", says="the new state")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W + b) @ U


@wrong("02.1", says="the new state")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W - h @ U + b)


@wrong("02.1", says="do not fit")
def rnn_step(x, h, W, U, b):
    return np.tanh(x * W + h * U + b)


@wrong("02.1", says="the new state")
def rnn_step(x, h, W, U, b):
    return np.maximum(0, x @ W + h @ U + b)


@wrong("02.1", says="the new state is (an array of the shape (2, 4)")
def rnn_step(x, h, W, U, b):
    new = np.tanh(x @ W + h @ U + b)
    return new, new


@wrong("02.1", says="return")
def rnn_step(x, h, W, U, b):
    h = np.tanh(x @ W + h @ U + b)


@wrong("02.1", says="the new state")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W + h @ U + b).mean(axis=0)


@wrong("02.1", says="the new state")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ W + h @ U + 2 * b)


@wrong("02.1", says="NameError")
def rnn_step(x, h, W, U, b):
    return np.tanh(x @ w + h @ U + b)


@wrong("02.1", says="a NumPy array is asked for, not a tensor")
def rnn_step(x, h, W, U, b):
    return ops.tanh(ops.add(ops.add(ops.matmul(x, W), ops.matmul(h, U)), b))


@wrong("02.1", says="ops.cast makes them alike")
def rnn_step(x, h, W, U, b):
    return ops.convert_to_numpy(ops.tanh(ops.matmul(x, W) + ops.matmul(h, U) + b))


# 02.2


@right("02.2")
def forward(x, W, U, b, mask=None, return_sequences=True):
    mask = np.ones(x.shape[:2], bool) if mask is None else mask
    states = np.zeros((len(x), x.shape[1] + 1, len(U)))
    for t in range(x.shape[1]):
        real, h = mask[:, t][:, None], states[:, t]
        states[:, t + 1] = real * rnn_step(x[:, t], h, W, U, b) + ~real * h
    return states[:, 1:] if return_sequences else states[:, -1]


@right("02.2")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h = np.zeros((x.shape[0], U.shape[0]))
    all_states = []
    for t in range(x.shape[1]):
        before = h.copy()
        h = rnn_step(x[:, t, :], h, W, U, b)
        if mask is not None:
            pads = np.logical_not(mask[:, t])
            h[pads] = before[pads]
        all_states += [h]
    if not return_sequences:
        return h
    return np.array(all_states).transpose(1, 0, 2)


@right("02.2")
def forward(x, W, U, b, mask=None, return_sequences=True):
    rows = []
    for i, text in enumerate(x):
        h, row = np.zeros((1, len(U))), []
        for t, word in enumerate(text):
            if mask is None or mask[i, t]:
                h = rnn_step(word[None], h, W, U, b)
            row.append(h[0])
        rows.append(row)
    states = np.array(rows)
    return states if return_sequences else states[:, -1]


@right("02.2")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h = np.zeros((len(x), len(b)), x.dtype)
    kept = np.empty((len(x), x.shape[1], len(b)), x.dtype)
    for t, column in enumerate(np.swapaxes(x, 0, 1)):
        new = rnn_step(column, h, W, U, b)
        h = new if mask is None else np.where(np.expand_dims(mask[:, t], 1), new, h)
        kept[:, t] = h
    return kept if return_sequences else h


@wrong("02.2", says="use the mask")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W, U, b)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="not 0")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        h = rnn_step(x[:, t], h, W, U, b)
        if mask is not None:
            h = h * mask[:, t, None]
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="an axis for the units")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="neither true nor false")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = np.where(mask[:, t, None], new, h) if mask else new
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="overwrites")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h[:] = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="axis 1")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.array(states) if return_sequences else h


@wrong("02.2", says="the states have the shape (2, 2, 4)")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(len(x)):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states) if return_sequences else states[x.shape[1]]


@wrong("02.2", says="the states")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), [np.zeros((len(x), len(U)))]
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="the states")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in reversed(range(x.shape[1])):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="the states")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.ones((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="the states")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        if mask is not None:
            x = x * mask[..., None]
        h = rnn_step(x[:, t], h, W, U, b)
        states.append(h)
    return np.stack(states, axis=1) if return_sequences else h


@wrong("02.2", says="the states")
def forward(x, W, U, b, mask=None, return_sequences=True):
    h, states = np.zeros((len(x), len(U))), []
    for t in range(x.shape[1]):
        new = rnn_step(x[:, t], h, W, U, b)
        h = new if mask is None else np.where(mask[:, t, None], new, h)
        states.append(h)
    states = np.stack(states, axis=1)
    return states if return_sequences else states[-1]


# 02.3


def compiled(model):
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@right("02.3")
def build_writer(symbols):
    return keras.Sequential(
        [
            layers.Embedding(symbols, 16),
            layers.SimpleRNN(64, return_sequences=True),
            layers.Dense(symbols, activation="softmax"),
        ]
    )


@right("02.3")
def build_writer(symbols):
    model = keras.Sequential()
    model.add(keras.Input((None,)))
    model.add(layers.Embedding(symbols, 16))
    model.add(layers.RNN(layers.SimpleRNNCell(64), return_sequences=True))
    model.add(layers.TimeDistributed(layers.Dense(symbols)))
    model.add(layers.Softmax())
    return compiled(model)


@right("02.3")
def build_writer(symbols):
    class Writer(keras.Model):
        def __init__(self):
            super().__init__()
            self.embedding = layers.Embedding(symbols, 16)
            self.loop = layers.SimpleRNN(64, return_sequences=True)
            self.out = layers.Dense(symbols, activation="softmax")

        def call(self, ids):
            return self.out(self.loop(self.embedding(ids)))

    return Writer()


@right("02.3")
def build_writer(symbols):
    ids = keras.Input((None,), dtype="int32")
    body = keras.Sequential(
        [layers.Embedding(symbols, 16), layers.SimpleRNN(64, return_sequences=True)]
    )
    output = ops.softmax(layers.Dense(symbols)(body(ids)))
    return compiled(keras.Model(ids, output))


def written_by(symbols, *middle):
    return keras.Sequential([keras.Input((None,)), layers.Embedding(symbols, 16), *middle])


@right("02.3")
def build_writer(symbols):
    ids = keras.Input((None,), dtype="int32")
    states = layers.SimpleRNN(64, return_sequences=True)(layers.Embedding(symbols, 16)(ids))
    output = layers.Dense(symbols, activation="softmax", name="symbol")(states)
    model = keras.Model(ids, output)
    decay = keras.optimizers.schedules.ExponentialDecay(0.005, 100, 0.9)
    model.compile(keras.optimizers.Adam(decay), {"symbol": "sparse_categorical_crossentropy"})
    return model


@wrong("02.3", says="the softmax goes over the symbols")
def build_writer(symbols):
    loop = layers.SimpleRNN(64, return_sequences=True)
    return written_by(symbols, loop, layers.Dense(symbols), layers.Softmax(axis=1))


@wrong("02.3", says="every step answers")
def build_writer(symbols):
    return written_by(symbols, layers.SimpleRNN(64), layers.Dense(symbols, "softmax"))


@wrong("02.3", says="the future leaks")
def build_writer(symbols):
    loop = layers.SimpleRNN(64, return_sequences=True)
    return written_by(symbols, layers.Bidirectional(loop), layers.Dense(symbols, "softmax"))


@wrong("02.3", says="a weight should have the shape")
def build_writer(symbols):
    loop = layers.SimpleRNN(32, return_sequences=True)
    return written_by(symbols, loop, layers.Dense(symbols, "softmax"))


@wrong("02.3", says="add the softmax")
def build_writer(symbols):
    loop = layers.SimpleRNN(64, return_sequences=True)
    return written_by(symbols, loop, layers.Dense(symbols))


@wrong("02.3", says="a unit for each symbol")
def build_writer(symbols):
    loop = layers.SimpleRNN(64, return_sequences=True)
    return written_by(symbols, loop, layers.Dense(1, "sigmoid"))


@wrong("02.3", says="a layer is not asked for")
def build_writer(symbols):
    loops = [layers.SimpleRNN(64, return_sequences=True) for _ in range(2)]
    return written_by(symbols, *loops, layers.Dense(symbols, "softmax"))


@wrong("02.3", says="no mask")
def build_writer(symbols):
    ids = keras.Input((None,))
    x = layers.Embedding(symbols, 16, mask_zero=True)(ids)
    x = layers.SimpleRNN(64, return_sequences=True)(x)
    return keras.Model(ids, layers.Dense(symbols, activation="softmax")(x))


@wrong("02.3", says="return the keras.Model")
def build_writer(symbols):
    loop = layers.SimpleRNN(64, return_sequences=True)
    return written_by(symbols, loop, layers.Dense(symbols, "softmax")).summary()


@wrong("02.3", says="in the order of the shapes")
def build_writer(symbols):
    class Writer(keras.Model):
        def __init__(self):
            super().__init__()
            self.out = layers.Dense(symbols, activation="softmax")
            self.loop = layers.SimpleRNN(64, return_sequences=True)
            self.embedding = layers.Embedding(symbols, 16)

        def call(self, ids):
            return self.out(self.loop(self.embedding(ids)))

    return Writer()


# 02.4


@right("02.4")
def write(first, length, choose, embedding, W, U, b, V, c):
    h = np.zeros((1, U.shape[0]))
    ids = [first]
    while len(ids) <= length:
        h = rnn_step(embedding[ids[-1]][None, :], h, W, U, b)
        ids.append(choose(predict(h, V, c).ravel()))
    return ids[1:]


@right("02.4")
def write(first, length, choose, embedding, W, U, b, V, c):
    h = np.zeros(len(b))
    written = np.zeros(length, int)
    symbol = first
    for k in range(length):
        h = np.tanh(embedding[symbol] @ W + h @ U + b)
        e = np.exp(h @ V + c)
        symbol = written[k] = choose(e / e.sum())
    return written.tolist()


@right("02.4")
def write(first, length, choose, embedding, W, U, b, V, c):
    def go_on(symbol, h, left):
        if left == 0:
            return []
        h = rnn_step(embedding[[symbol]], h, W, U, b)
        chosen = choose(np.squeeze(predict(h, V, c), 0))
        return [chosen, *go_on(chosen, h, left - 1)]

    return go_on(first, np.zeros((1, len(U))), length)


@right("02.4")
def write(first, length, choose, embedding, W, U, b, V, c):
    written, read = [], [first]
    for _ in range(length):
        states = forward(embedding[np.array(read)][None], W, U, b)
        last = choose(predict(states[:, -1], V, c)[0])
        written.append(last)
        read.append(last)
    return written


@right("02.4")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, written = np.zeros((1, len(U))), []
    for _ in range(length):
        h = rnn_step(embedding[[first]], h, W, U, b)
        first = choose(ops.softmax(h @ V + c)[0])
        written.append(first)
    return tuple(written)


@wrong("02.4", says="keep the state that rnn_step returns")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        new = rnn_step(embedding[[last]], h, W, U, b)
        last = choose(predict(h, V, c)[0])
        written.append(last)
    return written


@wrong("02.4", says="the state has to go on")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        new = rnn_step(embedding[[last]], h, W, U, b)
        last = choose(predict(new, V, c)[0])
        written.append(last)
    return written


@wrong("02.4", says="read the symbol that was written last")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, written = np.zeros((1, len(U))), []
    for _ in range(length):
        h = rnn_step(embedding[[first]], h, W, U, b)
        written.append(choose(predict(h, V, c)[0]))
    return written


@wrong("02.4", says="the first symbol is read twice")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = rnn_step(embedding[[first]], np.zeros((1, len(U))), W, U, b), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = choose(predict(h, V, c)[0])
        written.append(last)
    return written


@wrong("02.4", says="return the list of the written ids")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, ""
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = choose(predict(h, V, c)[0])
        written += str(last)
    return written


@wrong("02.4", says="choose takes probabilities of the shape (5,)")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = choose(predict(h, V, c))
        written.append(last)
    return written


@wrong("02.4", says="`predict` makes them")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = choose((h @ V + c)[0])
        written.append(last)
    return written


@wrong("02.4", says="call choose once for each symbol")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        last = predict(h, V, c)[0].argmax()
        written.append(last)
    return written


@wrong("02.4", says="call choose once for each symbol")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U, b)
        written.append(choose(predict(h, V, c)[0]))
        last = choose(predict(h, V, c)[0])
    return written


@wrong("02.4", says="`first` does not belong")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, written = np.zeros((1, len(U))), [first]
    for _ in range(length):
        h = rnn_step(embedding[[written[-1]]], h, W, U, b)
        written.append(choose(predict(h, V, c)[0]))
    return written


@wrong("02.4", says="the written ids are [")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(embedding[[last]], h, W, U.T, b)
        last = choose(predict(h, V, c)[0])
        written.append(last)
    return written


@wrong("02.4", says="in the line")
def write(first, length, choose, embedding, W, U, b, V, c):
    h, last, written = np.zeros((1, len(U))), first, []
    for _ in range(length):
        h = rnn_step(last, h, W, U, b)
        last = choose(predict(h, V, c)[0])
        written.append(last)
    return written


# 02.5


@right("02.5")
def through_time(errors, states, U, V):
    n, T, H = states.shape
    a = np.zeros((n, T, H))
    a_next = np.zeros((n, H))
    for t in range(T - 1, -1, -1):
        g = errors[:, t] @ V.T + a_next @ U.T
        a[:, t] = (1 - states[:, t] ** 2) * g
        a_next = a[:, t]
    return a


@right("02.5")
def through_time(errors, states, U, V):
    a = np.zeros_like(states)
    a_next = 0
    for t in reversed(range(states.shape[1])):
        g = np.einsum("bo,ho->bh", errors[:, t], V) + a_next
        a[:, t] = g - g * states[:, t] ** 2
        a_next = np.einsum("bg,hg->bh", a[:, t], U)
    return a


@right("02.5")
def through_time(errors, states, U, V):
    rows = []
    for d, h in zip(errors, states):
        a = np.zeros_like(h)
        for t in range(len(h) - 1, -1, -1):
            g = V @ d[t] + (U @ a[t + 1] if t + 1 < len(h) else 0)
            a[t] = (1 - h[t] * h[t]) * g
        rows.append(a)
    return np.stack(rows)


@right("02.5")
def through_time(errors, states, U, V):
    reached, slopes = errors @ V.T, 1 - np.square(states)
    found = [reached[:, -1] * slopes[:, -1]]
    for t in range(states.shape[1] - 1)[::-1]:
        found.insert(0, (reached[:, t] + found[0] @ U.transpose()) * slopes[:, t])
    return np.stack(found, axis=1)


@wrong("02.5", says="a_t is what passes through the tanh")
def through_time(errors, states, U, V):
    a, a_next = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = errors[:, t] @ V.T + a_next
        a_next = a[:, t] @ U.T
    return a


@wrong("02.5", says="return a_t, not g_t")
def through_time(errors, states, U, V):
    every_g, a_next = np.zeros_like(states), np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        g = errors[:, t] @ V.T + a_next @ U.T
        a_next = (1 - states[:, t] ** 2) * g
        every_g[:, t] = g
    return every_g


@wrong("02.5", says="every step has an error of its own")
def through_time(errors, states, U, V):
    a, a_next = np.zeros_like(states), np.zeros_like(states[:, 0])
    for t in reversed(range(states.shape[1])):
        g = errors[:, -1] @ V.T + a_next @ U.T
        a[:, t] = a_next = (1 - states[:, t] ** 2) * g
    return a


@wrong("02.5", says="the slope at step t")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - states[:, t - 1] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="without another tanh")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - np.tanh(states[:, t]) ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="from the last step to the first")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in range(states.shape[1]):
        a[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="go down to t = 0")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in range(states.shape[1] - 1, 0, -1):
        a[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="the transpose of U")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U
    return a


@wrong("02.5", says="5 columns meet 2 rows")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="the gradient inside the tanh")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - states[:, t]) ** 2 * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T
    return a


@wrong("02.5", says="the gradient inside the tanh")
def through_time(errors, states, U, V):
    found, carried = [], 0
    for t in reversed(range(states.shape[1])):
        a = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a @ U.T
        found.append(a)
    return np.stack(found, axis=1)


@wrong("02.5", says="return")
def through_time(errors, states, U, V):
    a, carried = np.zeros_like(states), 0
    for t in reversed(range(states.shape[1])):
        a[:, t] = (1 - states[:, t] ** 2) * (errors[:, t] @ V.T + carried)
        carried = a[:, t] @ U.T


# 02.6


def padded(texts):
    ids = np.zeros((len(texts), max(map(len, texts))), int)
    for row, text in zip(ids, texts):
        row[: len(text)] = text
    return ids


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


@right("02.6")
def judge(texts, embedding, W, U, b, V, c):
    answers = []
    for text in texts:
        h = forward(embedding[text][None], W, U, b, return_sequences=False)
        answers.append(sigmoid(h @ V + c)[0, 0])
    return np.array(answers)


@right("02.6")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    lengths = np.array([len(text) for text in texts])
    states = forward(embedding[ids], W, U, b)
    h = states[np.arange(len(ids)), lengths - 1]
    return sigmoid(h @ V + c).ravel()


@right("02.6")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    mask = np.array([[t < len(text) for t in range(ids.shape[1])] for text in texts])
    h = forward(embedding[ids], W, U, b, mask)[:, -1]
    return sigmoid(h @ V + c)[:, 0]


@right("02.6")
def judge(texts, embedding, W, U, b, V, c):
    longest = max(len(text) for text in texts)
    ids = np.stack([np.pad(text, (longest - len(text), 0)) for text in texts])
    h = forward(embedding[ids], W, U, b, ids != 0, return_sequences=False)
    return np.squeeze(sigmoid(h @ V + c), axis=1)


@right("02.6")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    table = embedding.copy()
    table[0] = 0
    x = table[ids]
    mask = (x != 0).any(axis=-1)
    h = forward(x, W, U, b, mask, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="is it False at the pads")
def judge(texts, embedding, W, U, b, V, c):
    x = embedding[padded(texts)]
    h = forward(x, W, U, b, np.any(x != 0, axis=-1), return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="is it False at the pads")
def judge(texts, embedding, W, U, b, V, c):
    h = forward(embedding[padded(texts)], W, U, b, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="the loop still steps there")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids] * (ids > 0)[:, :, None], W, U, b)[:, -1]
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="True at words")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids], W, U, b, ids == 0, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="before the first word")
def judge(texts, embedding, W, U, b, V, c):
    longest = max(len(text) for text in texts)
    ids = np.stack([np.pad(text, (longest - len(text), 0)) for text in texts])
    h = forward(embedding[ids], W, U, b, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="counted from 0")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    lengths = np.count_nonzero(ids, axis=1)
    h = forward(embedding[ids], W, U, b)[np.arange(len(ids)), lengths - 2]
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="the sigmoid is missing")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids], W, U, b, ids > 0, return_sequences=False)
    return (h @ V + c)[:, 0]


@wrong("02.6", says="one number for each text")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids], W, U, b, ids > 0, return_sequences=False)
    return sigmoid(h @ V + c)


@wrong("02.6", says="in the order of `texts`")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(sorted(texts, key=len))
    h = forward(embedding[ids], W, U, b, ids > 0, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="the probabilities")
def judge(texts, embedding, W, U, b, V, c):
    shortest = min(len(text) for text in texts)
    ids = np.stack([text[-shortest:] for text in texts])
    h = forward(embedding[ids], W, U, b, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="a NumPy array is asked for")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids], W, U, b, ids > 0, return_sequences=False)
    return list(sigmoid(h @ V + c)[:, 0])


@wrong("02.6", says="not off a mean")
def judge(texts, embedding, W, U, b, V, c):
    h = forward(embedding[padded(texts)], W, U, b).mean(axis=1)
    return sigmoid(h @ V + c)[:, 0]


@wrong("02.6", says="the probabilities")
def judge(texts, embedding, W, U, b, V, c):
    ids = padded(texts)
    h = forward(embedding[ids], W, U, b, ids > 1, return_sequences=False)
    return sigmoid(h @ V + c)[:, 0]
