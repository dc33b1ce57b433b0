"""The exercises of lecture 04: convolutions, what a stack sees, masks, a GRU on top."""

import contextlib
import dataclasses
import io
import itertools
import math
from operator import mul

import keras
import numpy as np
from keras import layers

from course_utils.exercises import exercise, require
from course_utils.lectures import lecture_04
from course_utils.lectures.lecture_04 import convolve, pool_real, real_words


def _gaps(k, d):
    return (k - 1) * d


def _sliding(stride=0, dilation=0, flip=0, start=mul, wide=_gaps, add=lambda b, k: b, keep=1):
    """A wrong convolution: other starts, stride or dilation left out, other biases."""

    def answer(x, K, b, s=1, d=1):
        s, d = stride or s, dilation or d
        kernel = K[::-1] if flip else K
        count = (x.shape[1] - wide(len(K), d) - 1) // s + 1
        y = np.zeros((len(x), count, K.shape[2]))
        for j in range(len(K)):
            y *= keep
            y += x[:, start(j, d) :][:, : (count - 1) * s + 1 : s] @ kernel[j]
        return y + add(b, len(K))

    return answer


def _padded(before=_gaps, after=lambda k, d: 0, step=None, truncate=False, mode="constant"):
    """A convolution with other zeros around x, or another dilation."""

    def answer(x, K, b, s=1, d=1):
        ends = before(len(K), d), after(len(K), d)
        padded = np.pad(x, ((0, 0), ends, (0, 0)), mode)
        return convolve(padded, K, b, s, step or d)[:, : x.shape[1] if truncate else None]

    return answer


_same = _padded(lambda k, d: (k - 1) * d // 2, lambda k, d: -((1 - k) * d // 2))


def _then(change):
    return lambda x, K, b, s=1, d=1: change(convolve(x, K, b, s, d))


START = "window t starts at t · stride, not at t"
SPAN = "a window spans (k - 1) · dilation + 1 steps: count the windows with that"


@exercise(
    "04.1",
    convolve,
    mistakes=[
        (_sliding(flip=True), "the kernel is not flipped: K[0] meets a window's first step"),
        (_sliding(stride=1), "the stride is missing: every stride-th window starts"),
        (_sliding(dilation=1), "the dilation is missing: x[:, t · stride + j · dilation]"),
        (_sliding(1, 1), "use stride and dilation"),
        (_sliding(start=lambda j, d: j), "position j reads j · dilation steps further on"),
        (_sliding(start=lambda j, d: 0), "every position of the window reads another step"),
        (_sliding(keep=0), "add the products of all positions up: only the last one is left"),
        (_sliding(wide=lambda k, d: k - 1), SPAN),
        (_sliding(wide=lambda k, d: k * d - 1), SPAN),
        (_sliding(add=lambda b, k: 0 * b), "the bias b is missing"),
        (_sliding(add=lambda b, k: k * b), "add b once, not at each position of the window"),
        (lambda x, K, b, s=1, d=1: convolve(x, K, b, d, s), "stride and dilation are swapped"),
        (_then(lambda y: y[:, :-1]), "the last window is missing"),
        (_then(lambda y: y[:, 1:]), "the first window is missing"),
        *[(wrong, "no zeros: windows lie inside the sequence") for wrong in (_same, _padded())],
        (lambda x, K, b, s=1, d=1: convolve(x, K, b, len(K), d), "windows overlap"),
        (_then(lambda y: np.maximum(y, 0)), "no ReLU here"),
        (
            lambda x, K, *more: convolve(x, K / len(K), *more),
            "products are added, not averaged",
        ),
        (lambda *a: convolve(*a[:3], 1, *a[4:])[:, : convolve(*a).shape[1]], START),
        (
            lambda x, K, b, s=1, d=1: convolve(x[:, ::d], K, b, s),
            "the windows stay close: d is within them",
        ),
        (_then(lambda y: y[0]), "keep the batch: the first axis"),
        (_then(lambda y: y.swapaxes(1, 2)), "(batch, windows, filters), not filters first"),
    ],
    takes=10,
    level=3,
    hints=[
        "Loop over the positions j of the window: x[:, …] @ K[j] does all windows at once.",
        "(steps - wide) // stride + 1 windows, wide = (k - 1) · dilation + 1. Position j reads "
        "a slice of x: it starts at j · dilation and takes every stride-th step.",
    ],
    reasoning="One product a position of the window serves all windows at the same time.",
    solved="The loop is as long as the window, however long the text is.",
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


def _late(x, K, b, s, d):
    return np.pad(convolve(x, K, b, s, d), ((0, 0), (_gaps(len(K), d), 0), (0, 0)))


def _rolled(x, K, b, s, d):
    return sum(np.roll(x, j * d, axis=1) @ K[-1 - j] for j in range(len(K))) + b


def _batch(x, K, b, s, d):
    return convolve(np.pad(x, ((_gaps(len(K), d), 0), (0, 0), (0, 0))), K, b, s, d)


FEW = "the kernel has holes: it needs (k - 1) · dilation zeros before x, not k - 1"
MANY = "too many zeros: (k - 1) · dilation before x, so that K[-1] meets the present step"
NOT_CAUSAL = [
    (_padded(lambda k, d: k - 1), FEW),
    *[(_padded(lambda k, d: k * d, truncate=n), MANY) for n in (False, True)],
    *[(_padded(lambda k, d: _gaps(k, d) + 1, truncate=n), MANY) for n in (False, True)],
    (_padded(after=_gaps), MANY),
    (_padded(lambda k, d: 0, _gaps), "zeros come before x, not after: this sees the future"),
    (_same, "all zeros come before x"),
    (convolve, "put zeros before x"),
    (_late, "zeros come before x, not before the outputs"),
    (_rolled, "np.roll brings the last steps to the front: put zeros there"),
    (_batch, "pad the axis of the steps, the second one"),
    (_padded(mode="edge"), "steps before the first are zeros, not copies of it"),
    *[(_padded(step=1, truncate=n), "pass the dilation on") for n in (False, True)],
    (lambda x, K, b, s, d: _padded()(x, K, b), "the dilation is missing"),
    (lambda x, K, b, s, d: _padded()(x, K[::-1], b, s, d), "K[-1], not K[0], is the present"),
    (lambda x, K, b, s, d: _padded()(x, K, 0 * b, s, d), "the bias b is missing"),
]


@exercise(
    "04.2",
    lecture_04.causal_convolution,
    mistakes=[(lambda *args, f=f: f(*args[:3], 1, args[3]), told) for f, told in NOT_CAUSAL],
    takes=6,
    level=3,
    hints=["How many zeros belong before x?", "Pad x on the left, then call `convolve`."],
    reasoning="With (k - 1) · dilation zeros before x, K[-1] meets the present step.",
    solved="A model of such layers can forecast, and generate a sequence step by step.",
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


ONE = (0, 1)
FIELD = lecture_04.receptive_field
ADDS = "windows overlap: a layer adds (k - 1) · d · jump"


@exercise(
    "04.3",
    lecture_04.receptive_field,
    mistakes=[
        (_seen(lambda k, s, d, j: (k - 1) * j), "dilation makes a kernel wider: (k - 1) · d"),
        (_seen(lambda k, s, d, j: (k - 1) * d), "multiply by all strides below the layer"),
        (_seen(lambda k, s, d, j: k, start=0), f"you add up the kernels, but {ADDS}"),
        (lambda stack: math.prod(k for k, _, _ in stack), f"kernels do not multiply: {ADDS}"),
        *[(_seen(lambda k, s, d, j: k * d * j, start=n), f"not k: {ADDS}") for n in ONE],
        (_seen(lambda k, s, d, j: (k * d - 1) * j), "k · d is too wide: (k - 1) · d"),
        *[(_seen(lambda k, s, d, j: _added(k, s, d, j) + j, start=n), ADDS) for n in ONE],
        (_seen(lambda k, s, d, j: _added(k, s, d, j) * s), "its stride is for layers above"),
        (_seen(_added, lambda j, s, d: s), "jumps multiply: after strides 2 and 3 it is 6"),
        (_seen(_added, lambda j, s, d: j + s), "jumps multiply, they do not add up"),
        (_seen(_added, lambda j, s, d: j + s - 1), "jumps multiply, they do not add up"),
        (_seen(_added, lambda j, s, d: j * s * d), "the jump grows by the stride alone, not d"),
        (_seen(_added, lambda j, s, d: j * d), "the jump grows by the stride, not by d"),
        (lambda stack: FIELD([(k, k, d) for k, _, d in stack]), "jumps grow by strides alone"),
        (
            lambda stack: FIELD(stack) * math.prod(s for _, s, _ in stack),
            "the jump scales what a layer adds",
        ),
        (
            _seen(lambda k, s, d, j: _added(k, s, d, j) + s - 1),
            "its stride is for layers above",
        ),
        (_seen(_added, start=0), "start with 1, the word itself"),
        (lambda stack: FIELD(stack[::-1]), "begin with the lowest layer"),
    ],
    takes=6,
    level=3,
    hints=["Carry two numbers upwards: what is seen, and how far apart neighbours are.", ADDS],
    reasoning="A kernel reaches k - 1 gaps further; a gap is d neighbours, each a jump apart.",
    solved="Depth adds to the field; strides multiply what the layers above add.",
)
def _stacks(draw):
    yield ([(5, 1, 1)],)
    yield ([(7, 1, 1), (5, 5, 1), (7, 1, 1)],)
    yield ([(4, 2, 1), (3, 3, 2), (3, 2, 3), (2, 1, 2)],)


def _grown(words, factor=2, first=1, field=lambda d: 1 + 2 * sum(d)):
    dilations = [first]
    while field(dilations) < words:
        dilations.append(dilations[-1] * factor if factor > 1 else dilations[-1] + 1)
    return dilations


TWICE = "each dilation is twice the one below"
EQUAL = "at least `words`: stop when the field equals them; the word itself counts, too"
LAYERS = "n layers see 2ⁿ⁺¹ − 1 words; round up"


@exercise(
    "04.4",
    lecture_04.dilations_for,
    mistakes=[
        (lambda n: _grown(n, field=sum), "one layer too many: each adds 2 · dilation words"),
        (lambda n: _grown(n)[:-1], "the receptive field is too small"),
        (lambda n: _grown(n + 1), EQUAL),
        (lambda n: _grown(n, field=lambda d: 1 + 2 * d[-1]), "all layers add up"),
        (lambda n: _grown(n, first=2), "the lowest layer has dilation 1"),
        (lambda n: [2 * d for d in _grown(n)], "the lowest layer has dilation 1"),
        (lambda n: _grown(n, factor=1), TWICE),
        (lambda n: _grown(n, factor=3), f"{TWICE}, not three times"),
        (lambda n: [1] * (n // 2), TWICE),
        (lambda n: [2**k for k in range(math.ceil(math.log2(n)))], LAYERS),
        (lambda n: [2**k for k in range(round(math.log2((n + 1) / 2)))], LAYERS),
        (lambda n: len(_grown(n)), "return the list of dilations, not their number"),
        (lambda n: 1 + 2 * sum(_grown(n)), "return the list of dilations, not what it sees"),
        (lambda n: [*range(len(_grown(n)))], "the dilations 1, 2, 4, not their exponents"),
        (lambda n: _grown(n - 2) if n > 3 else [], "without any layer one word is seen"),
        (lambda n: [(3, 1, d) for d in _grown(n)], "the dilations alone, such as [1, 2, 4]"),
        (lambda n: _grown(n)[::-1], "from the input upwards: 1 comes first"),
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


TOP = layers.GlobalMaxPooling1D


def chain(last=(1, "sigmoid"), pool=5, act="relu", padding="valid", top=TOP):
    """The slides' network with another end, pooling, activation or padding."""

    def build(vocab_size):
        return keras.Sequential(
            [
                keras.Input((None,), dtype="int32"),
                layers.Embedding(vocab_size, 128),
                layers.Conv1D(32, 7, padding=padding, activation=act),
                layers.MaxPooling1D(pool),
                layers.Conv1D(32, 7, padding=padding, activation=act),
                top(),
                layers.Dense(*last),
            ]
        )

    return build


def _squashed():
    return keras.Sequential([TOP(), layers.Activation("sigmoid")])


def _twice(vocab_size):
    return keras.Sequential([chain()(vocab_size), layers.Activation("sigmoid")])


def _built(model, ids, *wanted):
    """Require a model with one output and weights of such shapes; fill all of them."""
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    require(model.inputs[0].shape[1] is None, "a review of any length: Input((None,))")
    shape = tuple(model(ids).shape)
    require(shape == (len(ids), 1), f"one probability a review, {(len(ids), 1)}, not {shape}")
    shapes = [tuple(weight.shape) for weight in model.weights]
    for found, right in itertools.zip_longest(shapes, wanted):
        said = f"a weight should have the shape {right}, not {found}"
        said = said if right else f"a layer is not asked for: it has a weight of shape {found}"
        require(found == right, said if found else f"a weight of shape {right} is missing")
    draw = np.random.default_rng(1)
    model.set_weights([draw.normal(0, 0.2, shape) for shape in shapes])
    return model


def _mended(build, vocab_size, ids):
    wanted = (vocab_size, 128), (7, 128, 32), (32,), (7, 32, 32), (32,), (32, 1), (1,)
    return _built(build(vocab_size), ids, *wanted)(ids, training=True)  # shows a dropout


@exercise(
    "04.5",
    lecture_04.slides_network,
    mistakes=[
        (chain((1,)), "the outputs are not probabilities yet: some lie below 0 or above 1"),
        (chain((1, "softmax")), "a softmax over one number is always 1"),
        (chain((1, "tanh")), "tanh gives numbers below 0: a probability lies from 0 to 1"),
        (chain((1, "hard_sigmoid")), "near, but flat at both ends again: the smooth sigmoid"),
        (chain((2, "softmax")), "one probability a review"),
        (_twice, "one sigmoid, not two"),
        (chain((1,), top=_squashed), "the sigmoid comes after the Dense layer, not before it"),
        (chain((1,), act="sigmoid"), "the sigmoid belongs to the last layer"),
        (chain(act=None), "both convolutions keep their ReLU"),
        (chain(padding="same"), "the convolutions stay without padding"),
        (chain(top=layers.GlobalAveragePooling1D), "the global maximum, not the average"),
        *[(chain(pool=size), "pool by 5, as before") for size in (2, 3, 4)],
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


def masked(
    at=(1, 1, 1, 1), pool=pool_real, pool_mask=None, end="sigmoid", top=TOP, dilated=(0, 1),
    read=real_words, act="relu",
):  # fmt: skip
    """The two-block convnet; at: whether input and output of both convolutions are masked."""

    def build(vocab_size, embed_dim=16, dilation=1):
        ids = keras.Input((None,), dtype="int32")
        x, real = layers.Embedding(vocab_size, embed_dim)(ids), read(ids)
        for block in (0, 2):
            d = dilation if dilated[block // 2] else 1
            if block:
                x, real = pool(x, 5), (pool_mask or pool)(real, 5)
            x = x * real if at[block] else x
            x = layers.Conv1D(32, 7, 1, "same", dilation_rate=d, activation=act)(x)
            x = x * real if at[block + 1] else x
        return keras.Model(ids, layers.Dense(1, activation=end)(top()(x)))

    return build


def _invariant(build, size, dim, dilation, ids):
    wanted = (size, dim), (7, dim, 32), (32,), (7, 32, 32), (32,), (32, 1), (1,)
    model = _built(build(size, dim, dilation), ids, *wanted)
    return [model(np.pad(ids, ((0, 0), (0, pads))), training=True) for pads in (0, 1, 2, 7)]


def _pool(padding):
    return lambda x, size: layers.MaxPooling1D(size, padding=padding)(x)


def _pool_least(x, size):
    return -pool_real(-x, size)


AFTER = "after a convolution padding answers with its bias: multiply by the mask after it, too"
BEFORE = "before a convolution padding still has a vector: multiply by the mask before it, too"
SECOND = "the second convolution needs the mask as well, pooled"


@exercise(
    "04.6",
    lecture_04.text_convnet,
    mistakes=[
        (masked((0, 0, 0, 0)), "nothing is masked yet"),
        *[(masked(at), AFTER) for at in ((1, 0, 1, 0), (1, 0, 0, 0), (1, 0, 1, 1))],
        *[(masked(at), BEFORE) for at in ((0, 1, 0, 1), (0, 1, 1, 1), (0, 1, 1, 0))],
        *[(masked(at), SECOND) for at in ((1, 1, 0, 0), (1, 1, 1, 0))],
        (masked(pool=_pool("same")), "pooling with padding='same' shifts windows: pool_real"),
        (masked(pool=_pool("valid")), "MaxPooling1D drops the last words: use pool_real"),
        (masked(pool_mask=lambda x, size: x), "pool the mask as well, with pool_real"),
        (masked(pool_mask=_pool_least), "a pooled step is real if one of its words is"),
        (masked(top=layers.GlobalAveragePooling1D), "the global maximum, not the average"),
        (masked(dilated=(0, 0)), "the dilation of the second convolution is missing"),
        *[(masked(dilated=on), "only the second one is dilated") for on in ((1, 1), (1, 0))],
        (masked(act=None), "both convolutions keep their ReLU"),
        (masked(read=lambda ids: 1 - real_words(ids)), "the mask is 1 at words, 0 at padding"),
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
    for batch, words, size, dim, dilation in ((3, 12, 9, 4, 1), (4, 23, 7, 3, 2)):
        ids = draw.integers(1, size, size=(batch, words))
        ids[0, words // 3 :] = 0
        ids[1, words // 2 :] = 0
        yield size, dim, dilation, ids


def _turns(train, data):
    """Train as the student does; True where 95 % of the reviews that turn are read right."""
    if train is lecture_04.train_conv_gru:  # trained in the tests, not at every check
        return True
    seen, unseen = (data.val.take(slice(start, None, 2)) for start in (0, 1))
    model = train(dataclasses.replace(data, val=seen))  # who trains on it gains nothing
    require(isinstance(model, keras.Model), "return the trained model")
    require(model.output_shape == (None, 1), "the output is one probability, (batch, 1)")
    chances = model.predict(unseen.inputs, verbose=0)
    probable = chances.min() >= 0 and chances.max() <= 1
    require(probable, "the outputs are logits: end with a sigmoid, for a probability")
    found = lecture_04.by_phenomenon(model, unseen)
    require(
        found["turn"] >= 0.95,
        f"accuracy on validation reviews that turn is {found['turn']:.2f}, and 0.95 is asked; "
        f"on plain ones it is {found['plain']:.2f}. Both low: train longer. Plain ones alone "
        "right: is there a recurrent layer after the pooling, and does it get the mask?",
    )
    # Long reviews leave few pads; with another vector for them, each one counts.
    for table in (layer for layer in model.layers if isinstance(layer, layers.Embedding)):
        kept = table.get_weights()[0]
        table.set_weights([np.where(np.arange(len(kept))[:, None], kept, 5.0)])
        change = model.predict(unseen.inputs, verbose=0) - chances
        table.set_weights([kept])
        require(
            np.abs(change).max() < 1e-3,
            "padding changes the probability: mask the convolution before and after, and hand "
            "the GRU its mask, mask=ops.squeeze(real, -1) > 0",
        )
    return True


@exercise(
    "04.7",
    lecture_04.train_conv_gru,
    mistakes=[
        (
            lambda data: chain()(len(data.vocabulary)),
            "is there a recurrent layer after the pooling",
        ),
        (lambda data: chain((2,))(len(data.vocabulary)), "the output is one probability"),
        (lambda data: chain((1, lambda x: x - 5))(len(data.vocabulary)), "are logits"),
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
