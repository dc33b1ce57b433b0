"""Answers to the exercises of lecture 04, right and wrong, as students might write them."""

import keras
import numpy as np
from answers import right, wrong
from keras import layers, ops

from course_utils import training
from lectures.lecture_04 import pool_real, real_words

# 04.1


@right("04.1")
def convolve(x, K, b, stride=1, dilation=1):
    k, channels, filters = K.shape
    last = x.shape[1] - (k - 1) * dilation
    out = []
    for t in range(0, last, stride):
        window = x[:, t : t + (k - 1) * dilation + 1 : dilation]
        out.append(np.einsum("bkc,kcf->bf", window, K) + b)
    return np.stack(out, axis=1)


@right("04.1")
def convolve(x, K, b, stride=1, dilation=1):
    wide = (len(K) - 1) * dilation + 1
    starts = np.arange(0, x.shape[1] - wide + 1, stride)
    places = starts[:, None] + np.arange(len(K)) * dilation
    return np.tensordot(x[:, places], K, [(2, 3), (0, 1)]) + b


@right("04.1")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    y = sum(x[:, j * dilation : j * dilation + full] @ K[j] for j in range(len(K))) + b
    return y[:, ::stride]


@right("04.1")
def convolve(x, K, b, stride=1, dilation=1):
    wide = (len(K) - 1) * dilation + 1
    windows = np.lib.stride_tricks.sliding_window_view(x, wide, axis=1)
    windows = windows[:, ::stride, :, ::dilation]
    return np.einsum("btck,kcf->btf", windows, K) + b


def convolved(x, K, b, stride, dilation, wide=None, kernel=None):
    wide = (len(K) - 1) * dilation + 1 if wide is None else wide
    windows = (x.shape[1] - wide) // stride + 1
    y, kernel = np.zeros((len(x), windows, K.shape[2])), kernel or K.__getitem__
    for j in range(len(K)):
        start = j * dilation
        y += x[:, start : start + (windows - 1) * stride + 1 : stride] @ kernel(j)
    return y + b


@wrong("04.1", says="K[-j] counts from the end")
def convolve(x, K, b, stride=1, dilation=1):
    return convolved(x, K, b, stride, dilation, kernel=lambda j: K[-j])


@wrong("04.1", says="the kernel is not flipped")
def convolve(x, K, b, stride=1, dilation=1):
    return convolved(x, K[::-1], b, stride, dilation)


@wrong("04.1", says="the stride is missing")
def convolve(x, K, b, stride=1, dilation=1):
    wide = (len(K) - 1) * dilation + 1
    windows = x.shape[1] - wide + 1
    y = np.zeros((len(x), windows, K.shape[2])) + b
    for j in range(len(K)):
        y += x[:, j * dilation : j * dilation + windows] @ K[j]
    return y


@wrong("04.1", says="do not fit")
def convolve(x, K, b, stride=1, dilation=1):
    wide = (len(K) - 1) * dilation + 1
    windows = x.shape[1] - wide + 1
    y = np.zeros((len(x), windows, K.shape[2])) + b
    for j in range(len(K)):
        y += x[:, j * dilation : j * dilation + windows * stride : stride] @ K[j]
    return y


@wrong("04.1", says="a window spans")
def convolve(x, K, b, stride=1, dilation=1):
    return convolved(x, K, b, stride, dilation, wide=len(K))


@wrong("04.1", says="the outputs")
def convolve(x, K, b, stride=1, dilation=1):
    y = convolved(x, K, b, 1, dilation)
    return y[:, :: stride + 1]


@wrong("04.1", says="only the last one is left")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    for j in range(len(K)):
        y = x[:, j * dilation : j * dilation + full] @ K[j] + b
    return y[:, ::stride]


@wrong("04.1", says="add b once")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    y = sum(x[:, j * dilation : j * dilation + full] @ K[j] + b for j in range(len(K)))
    return y[:, ::stride]


@wrong("04.1", says="the outputs")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    y = sum(x[:, j * dilation : j * dilation + full] @ K[j] for j in range(len(K))) + b
    return np.maximum(y[:, ::stride], 0)


@wrong("04.1", says="the dilation is missing")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - len(K) + 1
    y = sum(x[:, j : j + full] @ K[j] for j in range(len(K))) + b
    return y[:, ::stride]


@wrong("04.1", says="the outputs have the shape")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    y = [x[:, j * dilation : j * dilation + full] @ K[j] for j in range(len(K))]
    return np.stack(y)[:, :, ::stride] + b


@wrong("04.1", says="do not fit")
def convolve(x, K, b, stride=1, dilation=1):
    full = x.shape[1] - (len(K) - 1) * dilation
    y = np.zeros((len(x), full, K.shape[2])) + b
    for j in range(len(K)):
        y += x[:, j * dilation : full] @ K[j]
    return y[:, ::stride]


# 04.2


@right("04.2")
def causal_convolution(x, K, b, dilation=1):
    zeros = np.zeros((len(x), (len(K) - 1) * dilation, x.shape[2]))
    return convolve(np.concatenate([zeros, x], axis=1), K, b, 1, dilation)


@right("04.2")
def causal_convolution(x, K, b, dilation=1):
    y = np.zeros((*x.shape[:2], K.shape[2])) + b
    for j in range(len(K)):
        back = (len(K) - 1 - j) * dilation
        if back < x.shape[1]:
            y[:, back:] += x[:, : x.shape[1] - back] @ K[j]
    return y


@right("04.2")
def causal_convolution(x, K, b, dilation=1):
    wide = (len(K) - 1) * dilation + 1
    padded = np.pad(x, [(0, 0), (wide, 0), (0, 0)])
    return convolve(padded, K, b, dilation=dilation)[:, 1:]


@right("04.2")
def causal_convolution(x, K, b, dilation=1):
    rows = []
    for t in range(x.shape[1]):
        total = np.tile(b, (len(x), 1))
        for j in range(len(K)):
            s = t - (len(K) - 1 - j) * dilation
            if s >= 0:
                total = total + x[:, s] @ K[j]
        rows.append(total)
    return np.swapaxes(np.array(rows), 0, 1)


def padded(x, before, after=0):
    return np.pad(x, ((0, 0), (before, after), (0, 0)))


@wrong("04.2", says="is the stride")
def causal_convolution(x, K, b, dilation=1):
    return convolve(padded(x, (len(K) - 1) * dilation), K, b, dilation)


@wrong("04.2", says="(k - 1) · dilation zeros")
def causal_convolution(x, K, b, dilation=1):
    return convolve(padded(x, len(K) * dilation - 1), K, b, dilation=dilation)


@wrong("04.2", says="too many zeros")
def causal_convolution(x, K, b, dilation=1):
    return convolve(padded(x, len(K) * dilation), K, b, dilation=dilation)


@wrong("04.2", says="this sees the future")
def causal_convolution(x, K, b, dilation=1):
    return convolve(padded(x, 0, (len(K) - 1) * dilation), K, b, dilation=dilation)


@wrong("04.2", says="the kernel has holes")
def causal_convolution(x, K, b, dilation=1):
    return convolve(padded(x, len(K) - 1), K, b, dilation=dilation)


@wrong("04.2", says="the outputs have the shape")
def causal_convolution(x, K, b, dilation=1):
    return convolve(x, K, b, dilation=dilation)


@wrong("04.2", says="all zeros come before x")
def causal_convolution(x, K, b, dilation=1):
    before = (len(K) - 1) * dilation
    return convolve(padded(x, before // 2, before - before // 2), K, b, dilation=dilation)


@wrong("04.2", says="the outputs")
def causal_convolution(x, K, b, dilation=1):
    before = np.repeat(x[:, :1], (len(K) - 1) * dilation, axis=1)
    return convolve(np.concatenate([before, x], axis=1), K, b, dilation=dilation)


@wrong("04.2", says="is the present")
def causal_convolution(x, K, b, dilation=1):
    x = padded(x, (len(K) - 1) * dilation)
    return convolve(x, np.flip(K, axis=0), b, dilation=dilation)


@wrong("04.2", says="in the line `return convolve(np.pad(x")
def causal_convolution(x, K, b, dilation=1):
    return convolve(np.pad(x, (len(K) - 1) * dilation), K, b, dilation=dilation)


@wrong("04.2", says="is a `return` missing")
def causal_convolution(x, K, b, dilation=1):
    y = convolve(padded(x, (len(K) - 1) * dilation), K, b, dilation=dilation)


# 04.3


@right("04.3")
def receptive_field(stack):
    seen = 1
    for kernel, stride, dilation in reversed(stack):
        seen = (seen - 1) * stride + (kernel - 1) * dilation + 1
    return seen


@right("04.3")
def receptive_field(stack):
    strides = [1]
    for _, stride, _ in stack:
        strides.append(strides[-1] * stride)
    return 1 + sum((k - 1) * d * jump for (k, _, d), jump in zip(stack, strides))


@right("04.3")
def receptive_field(stack):
    if not stack:
        return 1
    (kernel, stride, dilation), *above = stack
    return (kernel - 1) * dilation + (receptive_field(above) - 1) * stride + 1


@right("04.3")
def receptive_field(stack):
    places = {0}
    for kernel, stride, dilation in stack[::-1]:
        places = {p * stride + j * dilation for p in places for j in range(kernel)}
    return max(places) - min(places) + 1


@wrong("04.3", says="the receptive field is")
def receptive_field(stack):
    seen = 1
    for k, stride, d in stack:
        seen = seen * stride + (k - 1) * d
    return seen


@wrong("04.3", says="dilation makes a kernel wider")
def receptive_field(stack):
    seen, jump = 1, 1
    for k, s, d in stack:
        seen += (k - 1) * jump
        jump *= s
    return seen


@wrong("04.3", says="multiply by all strides")
def receptive_field(stack):
    return 1 + sum((k - 1) * d for k, s, d in stack)


@wrong("04.3", says="start with 1")
def receptive_field(stack):
    seen, jump = 0, 1
    for k, s, d in stack:
        seen += (k - 1) * d * jump
        jump *= s
    return seen


@wrong("04.3", says="its stride is for layers above")
def receptive_field(stack):
    seen, jump = 1, 1
    for k, s, d in stack:
        jump *= s
        seen += (k - 1) * d * jump
    return seen


@wrong("04.3", says="kernels")
def receptive_field(stack):
    return sum(k for k, s, d in stack)


@wrong("04.3", says="the receptive field is")
def receptive_field(stack):
    seen = 1
    for k, s, d in stack:
        seen *= k * s
    return seen


@wrong("04.3", says="jumps multiply, they do not add")
def receptive_field(stack):
    seen, jump = 1, 1
    for k, s, d in stack:
        seen += (k - 1) * d * jump
        jump += s
    return seen


@wrong("04.3", says="begin with the lowest layer")
def receptive_field(stack):
    seen, jump = 1, 1
    for k, s, d in reversed(stack):
        seen += (k - 1) * d * jump
        jump *= s
    return seen


@wrong("04.3", says="whole numbers")
def receptive_field(stack):
    seen, jump = 1.0, 1
    for k, s, d in stack:
        seen += (k - 1) * d * jump
        jump *= s
    return seen


@wrong("04.3", says="the receptive field is")
def receptive_field(stack):
    k, s, d = stack[0]
    return (k - 1) * d + 1


@wrong("04.3", says="return")
def receptive_field(stack):
    seen, jump = 1, 1
    for k, s, d in stack:
        seen += (k - 1) * d * jump
        jump *= s
    print(seen)


# 04.4


@right("04.4")
def strongest_windows(responses, ids, width):
    found = []
    for f in range(responses.shape[2]):
        n, t = np.unravel_index(responses[:, :, f].argmax(), responses.shape[:2])
        found.append(ids[n, t : t + width])
    return np.array(found)


@right("04.4")
def strongest_windows(responses, ids, width):
    views = np.lib.stride_tricks.sliding_window_view(ids, width, axis=1)
    best = responses.reshape(-1, responses.shape[-1]).argmax(0)
    return views.reshape(-1, width)[best]


@right("04.4")
def strongest_windows(responses, ids, width):
    first = responses.max(axis=1).argmax(axis=0)
    rows = []
    for f, n in enumerate(first):
        t = int(np.argmax(responses[n, :, f]))
        rows.append([int(one) for one in ids[n, t : t + width]])
    return np.array(rows, "int32")


@wrong("04.4", says="the largest response")
def strongest_windows(responses, ids, width):
    best = np.abs(responses).reshape(-1, responses.shape[-1]).argmax(0)
    text, start = np.divmod(best, responses.shape[1])
    return ids[text[:, None], start[:, None] + np.arange(width)]


@wrong("04.4", says="fewer windows than words")
def strongest_windows(responses, ids, width):
    best = responses.reshape(-1, responses.shape[-1]).argmax(0)
    return np.stack([ids.reshape(-1)[b : b + width] for b in best])


@wrong("04.4", says="not positions")
def strongest_windows(responses, ids, width):
    start = responses.reshape(-1, responses.shape[-1]).argmax(0) % responses.shape[1]
    return start[:, None] + np.arange(width)


@wrong("04.4", says="a row for each filter")
def strongest_windows(responses, ids, width):
    text, start = np.divmod(
        responses.reshape(-1, responses.shape[-1]).argmax(0), responses.shape[1]
    )
    return np.stack([ids[text, start + j] for j in range(width)])


@wrong("04.4", says="the first one counts")
def strongest_windows(responses, ids, width):
    flat = responses.reshape(-1, responses.shape[-1])
    best = len(flat) - 1 - flat[::-1].argmax(0)
    text, start = np.divmod(best, responses.shape[1])
    return ids[text[:, None], start[:, None] + np.arange(width)]


@wrong("04.4", says="the first one alone")
def strongest_windows(responses, ids, width):
    start = responses[0].argmax(axis=0)
    return ids[0][start[:, None] + np.arange(width)]


@wrong("04.4", says="the windows")
def strongest_windows(responses, ids, width):
    best = responses.sum(axis=2).reshape(-1).argmax()
    text, start = np.divmod(best, responses.shape[1])
    return np.tile(ids[text, start : start + width], (responses.shape[2], 1))


# 04.5


def network(*last, pool=layers.GlobalMaxPooling1D, **how):
    def build(vocab_size):
        return keras.Sequential(
            [
                keras.Input((None,), dtype="int32"),
                layers.Embedding(vocab_size, 128),
                layers.Conv1D(32, 7, activation="relu", **how),
                layers.MaxPooling1D(5),
                layers.Conv1D(32, 7, activation="relu", **how),
                pool(),
                *(one() for one in last),
            ]
        )

    return build


@right("04.5")
def slides_network(vocab_size):
    model = keras.Sequential()
    model.add(layers.Embedding(vocab_size, 128))
    model.add(layers.Conv1D(32, 7, activation="relu"))
    model.add(layers.MaxPooling1D(5))
    model.add(layers.Conv1D(32, 7, activation="relu"))
    model.add(layers.GlobalMaxPooling1D())
    model.add(layers.Dense(1))
    model.add(layers.Activation("sigmoid"))
    return model


@right("04.5")
def slides_network(vocab_size):
    class Network(keras.Model):
        def __init__(self):
            super().__init__()
            self.verdict = layers.Dense(1, activation="sigmoid")
            self.one = layers.Conv1D(32, 7, activation="relu")
            self.two = layers.Conv1D(32, 7, activation="relu")
            self.words = layers.Embedding(vocab_size, 128)
            self.pool = layers.MaxPooling1D(5)

        def call(self, ids):
            x = self.two(self.pool(self.one(self.words(ids))))
            return self.verdict(ops.max(x, axis=1))

    return Network()


@right("04.5")
def slides_network(vocab_size):
    ids = keras.Input((None,))
    x = layers.Embedding(vocab_size, 128)(ids)
    x = keras.activations.relu(layers.Conv1D(32, 7)(x))
    x = layers.MaxPool1D(5)(x)
    x = layers.ReLU()(layers.Conv1D(32, 7)(x))
    x = layers.GlobalMaxPool1D()(x)
    return keras.Model(ids, ops.sigmoid(layers.Dense(1)(x)))


@right("04.5")
def slides_network(vocab_size):
    convolutions = keras.Sequential(
        [
            layers.Conv1D(32, 7, activation="relu"),
            layers.MaxPooling1D(5),
            layers.Conv1D(32, 7, activation="relu"),
        ]
    )
    return keras.Sequential(
        [
            layers.Embedding(vocab_size, 128),
            convolutions,
            layers.GlobalMaxPooling1D(),
            layers.Dense(1, "sigmoid"),
        ]
    )


@wrong("04.5", says="not probabilities yet")
def slides_network(vocab_size):
    return network(lambda: layers.Dense(1))(vocab_size)


@wrong("04.5", says="one number is always 1")
def slides_network(vocab_size):
    return network(lambda: layers.Dense(1, "softmax"))(vocab_size)


@wrong("04.5", says="one probability per review")
def slides_network(vocab_size):
    return network(lambda: layers.Dense(2, "softmax"))(vocab_size)


@wrong("04.5", says="not the average")
def slides_network(vocab_size):
    verdict = lambda: layers.Dense(1, "sigmoid")
    return network(verdict, pool=layers.GlobalAveragePooling1D)(vocab_size)


@wrong("04.5", says="the probabilities differ")
def slides_network(vocab_size):
    return network(lambda: layers.Dropout(0.5), lambda: layers.Dense(1, "sigmoid"))(vocab_size)


@wrong("04.5", says="without padding")
def slides_network(vocab_size):
    return network(lambda: layers.Dense(1, "sigmoid"), padding="same")(vocab_size)


@wrong("04.5", says="a layer is not asked for")
def slides_network(vocab_size):
    hidden = lambda: layers.Dense(1, "relu")
    return network(lambda: layers.Dense(1), hidden)(vocab_size)


@wrong("04.5", says="a weight should have the shape")
def slides_network(vocab_size):
    hidden = lambda: layers.Dense(8, "relu")
    return network(hidden, lambda: layers.Dense(1, "sigmoid"))(vocab_size)


@wrong("04.5", says="in the line `return network(verdict")
def slides_network(vocab_size):
    verdict = lambda: layers.Dense(1, "sigmoid")
    return network(verdict, pool=layers.Flatten)(vocab_size)


@wrong("04.5", says="a review of any length")
def slides_network(vocab_size):
    ids = keras.Input((60,))
    x = layers.Embedding(vocab_size, 128)(ids)
    x = layers.MaxPooling1D(5)(layers.Conv1D(32, 7, activation="relu")(x))
    x = layers.GlobalMaxPooling1D()(layers.Conv1D(32, 7, activation="relu")(x))
    return keras.Model(ids, layers.Dense(1, "sigmoid")(x))


@wrong("04.5", says="return a keras.Model")
def slides_network(vocab_size):
    model = network(lambda: layers.Dense(1, "sigmoid"))(vocab_size)
    return model.compile("adam", "binary_crossentropy")


@wrong("04.5", says="the probabilities")
def slides_network(vocab_size):
    return network(lambda: layers.Dense(1, "hard_sigmoid"))(vocab_size)


@wrong("04.5", says="do not change in the first step")
def slides_network(vocab_size):
    last = lambda: layers.Dense(1, activation="sigmoid")
    return network(last, kernel_initializer="zeros")(vocab_size)


@wrong("04.5", says="not near ln 2 = 0.69")
def slides_network(vocab_size):
    sure = keras.initializers.Constant(50)
    last = lambda: layers.Dense(1, activation="sigmoid", bias_initializer=sure)
    return network(last)(vocab_size)


# 04.6


@right("04.6")
class text_convnet(keras.Model):
    def __init__(self, vocab_size, embed_dim=16, dilation=1):
        super().__init__()
        how = {"padding": "same", "activation": "relu"}
        self.second = layers.Conv1D(32, 7, dilation_rate=dilation, **how)
        self.first = layers.Conv1D(32, 7, **how)
        self.words = layers.Embedding(vocab_size, embed_dim)
        self.verdict = layers.Dense(1, activation="sigmoid")

    def call(self, ids):
        real = real_words(ids)
        x = self.first(self.words(ids) * real) * real
        x, real = pool_real(x, 5), pool_real(real, 5)
        return self.verdict(ops.max(self.second(x * real) * real, axis=1))


@right("04.6")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    real = ops.cast(ops.expand_dims(ids != 0, -1), "float32")
    x = layers.Embedding(vocab_size, embed_dim)(ids)
    x = layers.Multiply()([x, real])
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x)
    x = layers.Multiply()([x, real])
    x, real = pool_real(x, 5), pool_real(real, 5)
    again = layers.Conv1D(32, 7, padding="same", activation="relu", dilation_rate=dilation)
    x = layers.GlobalMaxPooling1D()(again(x * real) * real)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


@right("04.6")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    class Convnet(keras.Model):
        def __init__(self):
            super().__init__()
            self.verdict = layers.Dense(1, activation="sigmoid")
            self.words = layers.Embedding(vocab_size, embed_dim)
            how = {"padding": "same", "activation": "relu"}
            self.blocks = [
                layers.Conv1D(32, 7, **how),
                layers.Conv1D(32, 7, dilation_rate=dilation, **how),
            ]

        def call(self, ids):
            real = real_words(ids)
            x = self.blocks[0](self.words(ids) * real) * real
            x, real = pool_real(x, 5), pool_real(real, 5)
            x = self.blocks[1](x * real) * real
            return self.verdict(ops.max(x, axis=1))

    return Convnet()


@right("04.6")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    real = real_words(ids)
    x = ops.where(real > 0, layers.Embedding(vocab_size, embed_dim)(ids), 0.0)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x)
    x = ops.where(real > 0, x, 0.0)
    x = pool_real(x, 5)
    real = pool_real(real, 5)
    again = layers.Conv1D(32, 7, padding="same", activation="relu", dilation_rate=dilation)
    x = ops.where(real > 0, again(x), 0.0)
    return keras.Model(ids, layers.Dense(1, "sigmoid")(layers.GlobalMaxPooling1D()(x)))


@right("04.6")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    for number, rate in enumerate((1, dilation)):
        if number:
            x, real = pool_real(x, 5), pool_real(real, 5)
        x = ops.relu(layers.Conv1D(32, 7, padding="same", dilation_rate=rate)(x * real)) * real
    return keras.Model(ids, layers.Dense(1, "sigmoid")(layers.GlobalMaxPooling1D()(x)))


def convnet(vocab_size, embed_dim, dilation, one=(1, 1), two=(1, 1), pool=pool_real, **how):
    how = {"padding": "same", "activation": "relu"} | how
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, **how)(x * real if one[0] else x)
    x = x * real if one[1] else x
    x, real = pool(x, 5), pool(real, 5)
    x = layers.Conv1D(32, 7, dilation_rate=dilation, **how)(x * real if two[0] else x)
    x = layers.GlobalMaxPooling1D()(x * real if two[1] else x)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


@wrong("04.6", says="nothing is masked yet")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, (0, 0), (0, 0))


@wrong("04.6", says="nothing is masked yet")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab_size, embed_dim, mask_zero=True)(ids)
    x = pool_real(layers.Conv1D(32, 7, padding="same", activation="relu")(x), 5)
    x = layers.Conv1D(32, 7, padding="same", activation="relu", dilation_rate=dilation)(x)
    return keras.Model(ids, layers.Dense(1, "sigmoid")(layers.GlobalMaxPooling1D()(x)))


@wrong("04.6", says="answers with its bias")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, (1, 0), (1, 0))


@wrong("04.6", says="the second convolution needs the mask")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, (1, 1), (0, 0))


@wrong("04.6", says="the second convolution needs the mask")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, (1, 1), (1, 0))


@wrong("04.6", says="drops the last words")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    pool = lambda x, size: layers.MaxPooling1D(size)(x)
    return convnet(vocab_size, embed_dim, dilation, pool=pool)


@wrong("04.6", says="the probabilities are")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    pool = lambda x, size: layers.MaxPooling1D(size, padding="same")(x)
    return convnet(vocab_size, embed_dim, dilation, pool=pool)


@wrong("04.6", says="the dilation of the second convolution")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, 1)


@wrong("04.6", says="ReLU")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, activation=None)


@wrong("04.6", says="the probabilities are")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, padding="causal")


@wrong("04.6", says="do not fit")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    return convnet(vocab_size, embed_dim, dilation, padding="valid")


@wrong("04.6", says="Pool the mask as well")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x = pool_real(x, 5)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    return keras.Model(ids, layers.Dense(1, "sigmoid")(layers.GlobalMaxPooling1D()(x)))


@wrong("04.6", says="one probability per review")
def text_convnet(vocab_size, embed_dim=16, dilation=1):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    return keras.Model(ids, layers.Dense(1, "sigmoid")(x))


# 04.7


def reader(data, recurrent=True, mask=True, last="sigmoid", rate=0.01):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x, real = pool_real(x, 5), pool_real(real, 5)
    if recurrent:
        x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0 if mask else None)
    else:
        for dilation in (1, 2, 4, 8):
            how = {"padding": "causal", "dilation_rate": dilation, "activation": "relu"}
            x = x + layers.Conv1D(32, 3, **how)(x * real)
        x = ops.max(x * real, axis=1)
    model = keras.Model(ids, layers.Dense(1, activation=last)(x))
    adam = keras.optimizers.Adam(rate, clipnorm=1.0)
    model.compile(adam, "binary_crossentropy", metrics=["accuracy"])
    return model


def fitted(model, split, epochs=4):
    model.fit(split.inputs, split.targets, batch_size=64, epochs=epochs, verbose=0)
    return model


def both(*splits):
    import numpy as np

    from course_utils.data import Split

    names = ("inputs", "targets")
    return Split(*(np.concatenate([getattr(one, name) for one in splits]) for name in names))


@right("04.7", trains=True)
def train_conv_gru(data):
    model = reader(data)
    return fitted(model, data.train, epochs=6)


@right("04.7", trains=True)
def train_conv_gru(data):
    class Reader(keras.Model):
        def __init__(self):
            super().__init__()
            self.words = layers.Embedding(len(data.vocabulary), 16)
            self.convolve = layers.Conv1D(32, 7, padding="same", activation="relu")
            self.memory = layers.Bidirectional(layers.LSTM(32))
            self.verdict = layers.Dense(1, activation="sigmoid")

        def call(self, ids):
            real = real_words(ids)
            x = self.convolve(self.words(ids) * real) * real
            x, real = pool_real(x, 5), pool_real(real, 5)
            return self.verdict(self.memory(x, mask=ops.squeeze(real, -1) > 0))

    model = Reader()
    adam = keras.optimizers.Adam(0.01, clipnorm=1.0)
    model.compile(adam, "binary_crossentropy", metrics=["acc"])
    model.fit(data.train.inputs, data.train.targets, batch_size=32, epochs=6, verbose=0)
    return model


@wrong("04.7", says="you train on the validation reviews", trains=True)
def train_conv_gru(data):
    return fitted(reader(data), both(data.train, data.val), epochs=1)


@wrong("04.7", says="you train on the test reviews", trains=True)
def train_conv_gru(data):
    return fitted(reader(data), both(data.train, data.test), epochs=1)


@wrong("04.7", says="no layer of the model is recurrent", trains=True)
def train_conv_gru(data):
    return fitted(reader(data, recurrent=False), data.train, epochs=1)


@wrong("04.7", says="padding changes the probability", trains=True)
def train_conv_gru(data):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), pool_real(real_words(ids), 5)
    x = pool_real(layers.Conv1D(32, 7, padding="same", activation="relu")(x), 5)
    x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "binary_crossentropy")
    return fitted(model, data.train, epochs=5)


@wrong("04.7", says="without its pads", trains=True)
def train_conv_gru(data):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real)  # not masked after
    x = layers.GRU(32)(pool_real(x, 5), mask=ops.squeeze(pool_real(real, 5), -1) > 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "binary_crossentropy")
    return fitted(model, data.train)


@wrong("04.7", says="without its pads", trains=True)
def train_conv_gru(data):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x, real = layers.MaxPooling1D(5)(x), layers.MaxPooling1D(5)(real)
    x = layers.GRU(32)(x, mask=ops.squeeze(real, -1) > 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "binary_crossentropy")
    return fitted(model, data.train)


@wrong("04.7", says="pool the mask", trains=True)
def train_conv_gru(data):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x = layers.GRU(32)(pool_real(x, 5), mask=ids[:, 4::5] != 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "binary_crossentropy")
    return fitted(model, data.train)


@wrong("04.7", says="a recurrent layer reads 40 steps, and its mask has 200", trains=True)
def train_conv_gru(data):
    ids = keras.Input((None,), dtype="int32")
    x, real = layers.Embedding(len(data.vocabulary), 16)(ids), real_words(ids)
    x = layers.Conv1D(32, 7, padding="same", activation="relu")(x * real) * real
    x = layers.GRU(32)(pool_real(x, 5), mask=ops.squeeze(real, -1) > 0)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))
    model.compile(keras.optimizers.Adam(0.01, clipnorm=1.0), "binary_crossentropy")
    return fitted(model, data.train, epochs=1)


@wrong("04.7", says="the model is not trained")
def train_conv_gru(data):
    return reader(data)


@wrong("04.7", says="are logits", trains=True)
def train_conv_gru(data):
    model = reader(data, last=None)
    model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))
    return fitted(model, data.train, epochs=1)


@wrong("04.7", says="the loss", trains=True)
def train_conv_gru(data):
    return fitted(reader(data, rate=1e-5), data.train, epochs=1)


@wrong("04.7", says="another model", trains=True)
def train_conv_gru(data):
    fitted(reader(data), data.train.take(slice(100)), epochs=1)
    return reader(data)


@wrong("04.7", says="other reviews than you got", trains=True)
def train_conv_gru(data):
    from lectures.lecture_01 import encode

    model = reader(data)
    draw = np.random.default_rng(0).integers(2, len(data.vocabulary), size=(500, 200))
    model.fit(draw, np.zeros(500), verbose=0)
    return model
