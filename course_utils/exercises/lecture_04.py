"""The exercises of lecture 04: convolutions, what a stack sees, masks, a GRU on top."""

import contextlib
import io

import keras
import numpy as np
from keras import layers

from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_04
from course_utils.lectures.lecture_04 import convolve, pool_real, real_words


def _slides(
    start=lambda j, d: j * d, stride=None, dilation=None, add=lambda b, k: b, flip=False
):
    """A wrong convolution: other starts, stride or dilation left out, other biases."""

    def answer(x, K, b, s=1, d=1):
        s, d = stride or s, dilation or d
        kernel = K[::-1] if flip else K
        count = (x.shape[1] - (len(K) - 1) * d - 1) // s + 1
        y = np.zeros((len(x), count, K.shape[2])) + add(b, len(K))
        for j in range(len(K)):
            y += x[:, start(j, d) :][:, : (count - 1) * s + 1 : s] @ kernel[j]
        return y

    return answer


def _blocks(x, K, b, s=1, d=1):
    """Windows that do not overlap."""
    return convolve(x, K, b, len(K), d)


def _same(x, K, b, s=1, d=1):
    wide = (len(K) - 1) * d
    padded = np.pad(x, ((0, 0), (wide // 2, wide - wide // 2), (0, 0)))
    return convolve(padded, K, b, s, d)


@exercise(
    "04.1",
    convolve,
    mistakes=[
        (
            _slides(flip=True),
            "the kernel is not flipped: K[0] meets the first step of a window",
        ),
        (_slides(stride=1), "the stride is missing: every stride-th window starts"),
        (_slides(dilation=1), "the dilation is missing: place j reads step t·s + j·dilation"),
        (_slides(start=lambda j, d: j), "place j reads j · dilation steps further on, not j"),
        (_slides(start=lambda j, d: 0), "every place of the window reads another step"),
        (_slides(add=lambda b, k: 0 * b), "the bias b is missing"),
        (_slides(add=lambda b, k: k * b), "add b once, not for each place of the window"),
        (lambda x, K, b, s=1, d=1: convolve(x, K, b, d, s), "stride and dilation are swapped"),
        (
            lambda x, K, b, s=1, d=1: convolve(x, K, b, s, d)[:, :-1],
            "the last window is missing",
        ),
        (
            lambda x, K, b, s=1, d=1: convolve(x, K, b, s, d)[:, 1:],
            "the first window is missing",
        ),
        (_same, "add no zeros: windows lie inside the sequence"),
        (_blocks, "windows overlap: the next one starts `stride` steps later"),
        (lambda x, K, b, s=1, d=1: np.maximum(convolve(x, K, b, s, d), 0), "no ReLU here"),
        (
            lambda x, K, b, s=1, d=1: convolve(x, K, b, s, d)[0],
            "keep the batch: the first axis",
        ),
    ],
    takes=10,
    level=3,
    hints=[
        "Loop over the places j of the window, not the text: x[:, …] @ K[j] does all steps.",
        "count = (steps − wide) // stride + 1; place j: x[:, j·d : j·d + (count−1)·s + 1 : s].",
    ],
    reasoning="One product a place of the window computes it for all windows at the same time.",
    solved="The loop has as many rounds as the window has places, however long the text is.",
)
def _windows(draw):
    for batch, steps, channels, filters, k, s, d in [
        (1, 5, 1, 1, 3, 1, 1),
        (2, 13, 4, 5, 3, 2, 1),
        (3, 14, 2, 3, 4, 1, 3),
        (2, 17, 3, 2, 3, 3, 2),
    ]:
        sizes = (batch, steps, channels), (k, channels, filters), filters
        yield *(draw.normal(size=size).round(1) for size in sizes), s, d


def _front(zeros, after=lambda k, d: 0, step=None, times=0):
    """A loop with so many zeros in front; times: how often b is added besides."""

    def answer(x, K, b, d=1):
        padded = np.pad(x, ((0, 0), (zeros(len(K), d), after(len(K), d)), (0, 0)))
        y = np.zeros((len(x), x.shape[1], K.shape[2])) + b + times * b
        for start, part in zip(range(0, 99, step or d), K, strict=False):
            y += padded[:, start : start + x.shape[1]] @ part
        return y

    return answer


def _gaps(k, d):
    return (k - 1) * d


def _few(x, K, b, d=1):
    padded = np.pad(x, ((0, 0), (len(K) - 1, 0), (0, 0)))
    return sum(padded[:, j * d : j * d + x.shape[1]] @ K[j] for j in range(len(K))) + b


def _late(x, K, b, d=1):
    return np.pad(convolve(x, K, b, dilation=d), ((0, 0), (_gaps(len(K), d), 0), (0, 0)))


def _rolled(x, K, b, d=1):
    return sum(np.roll(x, j * d, axis=1) @ K[-1 - j] for j in range(len(K))) + b


causal = _front(_gaps)
FEW = "the kernel has holes: it needs (k - 1) · dilation zeros in front, not k - 1"
MANY = "too many zeros in front: K[-1] is for the present step"


@exercise(
    "04.2",
    lecture_04.causal_convolution,
    mistakes=[
        (_few, FEW),
        *[(_front(lambda k, d: k - 1, n), FEW) for n in (lambda k, d: 0, lambda k, d: k * d)],
        *[(_front(n), MANY) for n in (lambda k, d: k * d, lambda k, d: _gaps(k, d) + 1)],
        (_front(lambda k, d: 0, _gaps), "zeros come before x, not after: this sees the future"),
        (lambda x, K, b, d=1: _same(x, K, b, 1, d), "all zeros come before x"),
        (lambda x, K, b, d=1: convolve(x, K, b, 1, d), "put zeros before x"),
        (_late, "zeros come before x, not before the outputs"),
        (_rolled, "np.roll brings the last steps to the front: put zeros there"),
        (lambda x, K, b, d=1: causal(x, K[::-1], b, d), "K[-1], not K[0], is for the present"),
        (_front(_gaps, step=1), "place j reads j · dilation steps further on"),
        (lambda x, K, b, d=1: causal(x, K, b, 1), "dilation is missing"),
        (lambda x, K, b, d=1: causal(x, K, 0 * b, d), "the bias b is missing"),
        *[(_front(_gaps, times=n), "add b once, not for each place of K") for n in (2, 3)],
    ],
    takes=6,
    level=3,
    hints=["How many zeros belong before x?", "Pad x in front, then call `convolve`."],
    reasoning="With (k - 1) · dilation zeros in front the last place meets the present step.",
    solved="With this, a convolution may forecast, and write.",
)
def _sequences(draw):
    for batch, steps, channels, filters, k, d in [(1, 4, 1, 1, 3, 1), (2, 12, 4, 5, 3, 3)]:
        sizes = (batch, steps, channels), (k, channels, filters), filters
        yield *(draw.normal(size=size).round(1) for size in sizes), d


def _seen(add, jump=lambda j, s, d: j * s, start=1):
    """A receptive field; add: what a layer adds; jump: the jump above it."""

    def answer(stack):
        seen, now = start, 1
        for k, s, d in stack:
            seen += add(k, s, d, now)
            now = jump(now, s, d)
        return seen

    return answer


def _added(k, s, d, j):
    return (k - 1) * d * j


ADDS = "windows overlap: a layer adds (k - 1) · d · jump"


@exercise(
    "04.3",
    lecture_04.receptive_field,
    mistakes=[
        (_seen(lambda k, s, d, j: (k - 1) * j), "dilation makes a kernel wider: (k - 1) · d"),
        (_seen(lambda k, s, d, j: (k - 1) * d), "multiply by all strides below the layer"),
        (_seen(lambda k, s, d, j: k, start=0), f"you add up the kernels, but {ADDS}"),
        (_seen(lambda k, s, d, j: k * d * j), f"k places have k - 1 gaps: {ADDS}"),
        (_seen(lambda k, s, d, j: (k * d - 1) * j), "k · d is too wide: (k - 1) · d"),
        *[(_seen(lambda k, s, d, j: _added(k, s, d, j) + j, start=n), ADDS) for n in (0, 1)],
        (
            _seen(lambda k, s, d, j: _added(k, s, d, j) * s),
            "its own stride is for layers above",
        ),
        (_seen(_added, lambda j, s, d: s), "jumps multiply: after strides 2 and 3 it is 6"),
        (_seen(_added, lambda j, s, d: j + s - 1), "jumps multiply, they do not add up"),
        (_seen(_added, lambda j, s, d: j * s * d), "the jump grows by the stride alone, not d"),
        (_seen(_added, lambda j, s, d: j * d), "the jump grows by the stride, not by d"),
        (_seen(_added, start=0), "start with 1, the word itself"),
        (lambda stack: lecture_04.receptive_field(stack[::-1]), "begin with the lowest layer"),
    ],
    takes=6,
    level=3,
    hints=["Carry two numbers upwards: what is seen, and how far apart neighbours are.", ADDS],
    reasoning="A kernel reaches k - 1 gaps further; a gap is d neighbours, each a jump apart.",
    solved="Depth adds, a stride multiplies, doubled dilations double.",
)
def _stacks(draw):
    yield ([(5, 1, 1)],)
    yield ([(7, 1, 1), (5, 5, 1), (7, 1, 1)],)
    yield ([(4, 2, 1), (3, 3, 2), (3, 2, 3), (2, 1, 2)],)


def _grown(words, factor=2, first=1, extra=0):
    dilations = [first]
    while 1 + 2 * sum(dilations) < words:
        dilations.append(dilations[-1] * factor if factor > 1 else dilations[-1] + 1)
    return dilations + [dilations[-1] * 2] * extra


@exercise(
    "04.4",
    lecture_04.dilations_for,
    mistakes=[
        (lambda words: _grown(words, extra=1), "the shortest list: one layer is too many"),
        (lambda words: _grown(words)[:-1] or [1, 2], "the receptive field is too small"),
        (lambda words: _grown(words, first=2), "the lowest layer has dilation 1"),
        (lambda words: _grown(words, factor=1), "each dilation is twice the one below"),
        (
            lambda words: _grown(words, factor=3),
            "each dilation is twice the one below, not three",
        ),
        (lambda words: [1] * (words // 2), "each dilation is twice the one below"),
        (lambda words: len(_grown(words)), "return the list of dilations, not their number"),
        (
            lambda words: [(3, 1, d) for d in _grown(words)],
            "return the dilations alone, such as [1, 2, 4]",
        ),
        (lambda words: _grown(words)[::-1], "from the input upwards: 1 comes first"),
    ],
    takes=5,
    level=2,
    hints=[
        "receptive_field([(3, 1, d) for d in dilations]) says how far a list sees.",
        "Start with [1] and append twice the last one until it sees far enough.",
    ],
    reasoning="n layers see 2ⁿ⁺¹ − 1 words, so their number grows with the logarithm.",
    solved="WaveNet is built like this: ten layers see two thousand steps.",
)
def _spans(draw):
    yield from ((3,), (15,), (16,), (120,), (int(draw.integers(200, 900)),))


def chain(last=(1, "sigmoid"), pool=5, first=7, more=()):
    """The slides' network with another end, pooling or width."""

    def build(vocab_size):
        return keras.Sequential(
            [
                keras.Input((None,), dtype="int32"),
                layers.Embedding(vocab_size, 128),
                layers.Conv1D(32, first, activation="relu"),
                layers.MaxPooling1D(pool),
                layers.Conv1D(32, 7, activation="relu"),
                layers.GlobalMaxPooling1D(),
                layers.Dense(*last),
                *more,
            ]
        )

    return build


def _filled(model, seed=1):
    """Give every weight a value, biases included: zeros would hide what padding does."""
    draw = np.random.default_rng(seed)
    model.set_weights([draw.normal(0, 0.2, weight.shape) for weight in model.weights])
    return model


def _mended(build, vocab_size, ids):
    model = build(vocab_size)
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    shape = model.output_shape
    require(shape == (None, 1), f"one probability a review, (batch, 1), not {shape}")
    shapes = [tuple(weight.shape) for weight in model.weights]
    wanted = [(vocab_size, 128), (7, 128, 32), (32,), (7, 32, 32), (32,), (32, 1), (1,)]
    require(shapes == wanted, f"the weights should have the shapes {wanted}, not {shapes}")
    return _filled(model)(ids)


@exercise(
    "04.5",
    lecture_04.slides_network,
    mistakes=[
        (chain((1,)), "the outputs are not probabilities yet: some lie below 0 or above 1"),
        (chain((1, "softmax")), "a softmax over one number is always 1"),
        (chain((1, "tanh")), "tanh gives numbers below 0: a probability lies from 0 to 1"),
        (chain((1, "hard_sigmoid")), "near, but flat at both ends again: the smooth sigmoid"),
        (chain((2, "softmax")), "one probability a review"),
        (chain((1, "sigmoid"), more=[layers.Activation("sigmoid")]), "one sigmoid, not two"),
        (chain(pool=4), "pool by 5, as before"),
    ],
    takes=3,
    level=2,
    hints=[
        "binary_crossentropy expects a number from 0 to 1. What comes out of Dense(1)?",
        'Dense(1, activation="sigmoid").',
    ],
    reasoning="Outside 0 to 1 the loss is clipped, and a clipped loss has no gradient.",
    solved="The alternative is to keep the raw score and say from_logits=True in the loss.",
    run=_mended,
)
def _long(draw):
    yield 11, draw.integers(1, 11, size=(7, 60))


def masked(before=True, after=True, pool=pool_real, pool_mask=None, second=True, end="sigmoid"):
    """The two-block convnet with something left out."""

    def build(vocab_size, embed_dim=16):
        ids = keras.Input((None,), dtype="int32")
        x, real = layers.Embedding(vocab_size, embed_dim)(ids), real_words(ids)
        convolution = {"padding": "same", "activation": "relu"}
        x = layers.Conv1D(32, 7, **convolution)(x * real if before else x)
        x = x * real if after else x
        x, real = pool(x, 5), (pool_mask or pool)(real, 5)
        x = layers.Conv1D(32, 7, **convolution)(x * real if second and before else x)
        x = layers.GlobalMaxPooling1D()(x * real if second and after else x)
        return keras.Model(ids, layers.Dense(1, activation=end)(x))

    return build


def _invariant(build, size, dim, ids):
    model = build(size, dim)
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    shapes = [tuple(weight.shape) for weight in model.weights]
    wanted = [(size, dim), (7, dim, 32), (32,), (7, 32, 32), (32,), (32, 1), (1,)]
    require(shapes == wanted, f"the weights should have the shapes {wanted}, not {shapes}")
    _filled(model)
    return [model(np.pad(ids, ((0, 0), (0, pads)))) for pads in (0, 1, 2, 7)]


def _pool_least(x, size):
    """A pooled step counts only if all of its words are real."""
    return -pool_real(-x, size)


AFTER = "after a convolution padding answers with its bias: multiply by the mask after it, too"
BEFORE = "before a convolution padding still has a vector: multiply by the mask before it, too"


@exercise(
    "04.6",
    lecture_04.text_convnet,
    mistakes=[
        (masked(before=False, after=False), "nothing is masked yet"),
        (masked(after=False), AFTER),
        (masked(before=False), BEFORE),
        (masked(second=False), "the second convolution needs the mask as well, pooled"),
        (
            masked(pool=lambda x, size: layers.MaxPooling1D(size, padding="same")(x)),
            "padding='same' of a pooling layer shifts the windows: use pool_real",
        ),
        (
            masked(pool=lambda x, size: layers.MaxPooling1D(size)(x)),
            "MaxPooling1D drops the last words of a text: use pool_real",
        ),
        (masked(pool_mask=_pool_least), "a pooled step is real if one of its words is"),
        (masked(end=None), "a probability needs a sigmoid"),
    ],
    takes=12,
    level=4,
    hints=[
        "real_words(ids) is the mask, (batch, words, 1): multiply by it before and after.",
        "Pool the mask like the vectors: real = pool_real(real, 5).",
    ],
    reasoning="Before, so that no window reads padding; after, so that no bias wins a maximum.",
    solved="Keras drops the mask at a convolution without an error: this test finds it.",
    run=_invariant,
)
def _short(draw):
    for batch, words, size, dim in ((3, 12, 9, 4), (4, 23, 7, 3)):
        ids = draw.integers(1, size, size=(batch, words))
        ids[0, words // 3 :] = 0
        ids[1, words // 2 :] = 0
        yield size, dim, ids


def _turns(train, data):
    """Train as the student does; True where 95 % of the reviews that turn are read right."""
    if train is lecture_04.train_conv_gru:  # trained in the tests, not at every check
        return True
    model = train(data)
    require(isinstance(model, keras.Model), "return the trained model")
    require(model.output_shape == (None, 1), "the output is one probability, (batch, 1)")
    found = lecture_04.by_phenomenon(model, data.val)
    require(
        found["turn"] >= 0.95,
        f"accuracy on validation reviews that turn is {found['turn']:.2f}, and 0.95 is asked; "
        f"on plain ones it is {found['plain']:.2f}. Near 0.5, the network does not know what "
        "comes last: is there a recurrent layer behind the pooling? Above 0.6, train longer.",
    )
    ids = data.val.inputs[:50]
    longer = model.predict(np.pad(ids, ((0, 0), (0, 7))), verbose=0)
    require(
        np.abs(longer - model.predict(ids, verbose=0)).max() < 1e-3,
        "seven more zeros of padding change the probability: mask the convolution, and hand "
        "the GRU its mask, mask=ops.squeeze(real, -1) > 0",
    )
    return True


def untrained(outputs=1):
    def train(data):
        ids = keras.Input((None,), dtype="int32")
        x = layers.GlobalMaxPooling1D()(layers.Embedding(len(data.vocabulary), 4)(ids))
        return keras.Model(ids, layers.Dense(outputs, activation="sigmoid")(x))

    return train


@exercise(
    "04.7",
    lecture_04.train_conv_gru,
    mistakes=[
        (untrained(), "is there a recurrent layer behind the pooling?"),
        (untrained(2), "the output is one probability"),
        (lambda data: {}, "return the trained model"),
    ],
    takes=10,
    level=4,
    hints=[
        "Take your convnet of 04.6, and put layers.GRU(32) where the second block was.",
        "GRU(32)(x, mask=ops.squeeze(real, -1) > 0); Adam(0.01, clipnorm=1.0), 4 epochs.",
    ],
    reasoning="The convolution finds the verdicts, the GRU remembers which came last.",
    solved="A fifth of the steps, and the order of what was found: the two share the work.",
    run=_turns,
    limit=300,
)
def _framed(draw):
    with contextlib.redirect_stdout(io.StringIO()):  # the lecture has said what it loads
        data = lecture_04.framed_reviews()
    yield (data,)
