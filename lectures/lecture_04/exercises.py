"""The exercises of lecture 04: convolutions, what a stack sees, masks, a GRU on top."""

from functools import partial
from types import SimpleNamespace

import keras
import numpy as np
from keras import layers, ops

from course_utils.checks import (
    kept_back,
    predicted,
    redrawn,
    require_alike,
    require_weights,
    step,
    watched_training,
)
from course_utils.exercises import exercise, require
from course_utils.watching import floored
from lectures import lecture_04
from lectures.lecture_04 import convolve

SPAN = "a window spans (k - 1) · dilation + 1 steps: count the windows with that"


@exercise(
    "04.1",
    convolve,
    mistakes=[
        ("K[j]", "K[-1 - j]", "the kernel is not flipped: K[0] meets a window's first step"),
        ("wide =", "stride = 1; wide =",
         "the stride is missing: every stride-th window starts"),
        ("wide =", "dilation = 1; wide =",
         "the dilation is missing: x[:, t · stride + j · dilation]"),
        ("= j * dilation", "= j", "position j reads j · dilation steps further on"),
        ("y += x", "y = b + x",
         "add the products of all positions up: only the last one is left"),
        ("(len(K) - 1) * dilation + 1", "len(K)", SPAN),
        (")) + b", "))", "the bias b is missing"),
        (")) + b", ")) + len(K) * b", "add b once, not at each position of the window"),
        ("return y", "return y[:, :-1]", "the last window is missing"),
        ("windows =",
         "x = np.pad(x, ((0, 0), ((wide - 1) // 2, wide // 2), (0, 0))); windows =",
         "no zeros: windows lie inside the sequence"),
        ("start + (windows - 1) * stride + 1 : stride", "start + windows",
         "window t starts at t · stride, not at t"),
        ("K[j]", "K[-j]", "position j meets K[j]; K[-j] counts from the end"),
    ],
    takes=8,
    level=3,
    hints=[
        "Loop over the positions j of the window: x[:, …] @ K[j] does all windows at once.",
        "Position j reads every stride-th step of x, from step j · dilation on.",
    ],
    reasoning="One product per position of the window serves all windows at the same time.",
    compares="the outputs",
    solved="The loop is as long as the window, however long the text is.",
)  # fmt: skip
def _windows(draw):
    for batch, steps, channels, filters, k, s, d in [
        (1, 5, 1, 1, 3, 1, 1),
        (2, 13, 4, 5, 3, 2, 1),
        (1, 14, 2, 3, 5, 2, 1),  # here and below some words at the end are left over
        (3, 14, 2, 3, 4, 1, 3),
        (2, 19, 3, 2, 3, 3, 2),
        (2, 6, 3, 2, 1, 1, 1),  # a window of one step
    ]:
        sizes = (batch, steps, channels), (k, channels, filters), filters
        yield *(draw.normal(size=size).round(1) for size in sizes), s, d


GAPS = "(len(K) - 1) * dilation"
ZEROS = "((0, 0), (before, 0), (0, 0))"
REST = "K, b, dilation=dilation"
MANY = "too many zeros: (k - 1) · dilation before x, so that K[-1] meets the present step"


@exercise(
    "04.2",
    lecture_04.causal_convolution,
    mistakes=[
        (GAPS, "len(K) - 1",
         "the kernel has holes: it needs (k - 1) · dilation zeros before x, not k - 1"),
        (GAPS, "len(K) * dilation", MANY),
        ("(before, 0)", "(before, before)", MANY),
        ("(before, 0)", "(0, before)", "zeros come before x, not after: this sees the future"),
        ("(before, 0)", "(before // 2, before - before // 2)", "all zeros come before x"),
        (f"convolve(np.pad(x, {ZEROS}), {REST})", f"np.pad(convolve(x, {REST}), {ZEROS})",
         "zeros come before x, not before the outputs"),
        (f"{REST})", "K, b)", "pass the dilation on"),
        (REST, "K[::-1], b, dilation=dilation", "K[-1], not K[0], is the present"),
        (REST, "K, 0 * b, dilation=dilation", "the bias b is missing"),
        (REST, "K, b, dilation",
         "the fourth argument of `convolve` is the stride: pass dilation=dilation"),
        (GAPS, "len(K) * dilation - 1", "(k - 1) · dilation zeros, not k · dilation − 1"),
    ],
    takes=6,
    level=3,
    hints=["How many zeros belong before x?", "Pad x on the left, then call `convolve`."],
    reasoning="With (k - 1) · dilation zeros before x, K[-1] meets the present step.",
    compares="the outputs",
    solved="A model of such layers can forecast, and generate a sequence step by step.",
)  # fmt: skip
def _sequences(draw):
    for batch, steps, channels, filters, k, d in [
        (1, 4, 1, 1, 3, 1),
        (2, 12, 4, 5, 4, 3),
        (1, 9, 2, 2, 2, 2),
        (2, 3, 2, 2, 3, 4),  # more zeros than steps
        (2, 5, 3, 2, 1, 1),  # no zeros
    ]:
        sizes = (batch, steps, channels), (k, channels, filters), filters
        yield *(draw.normal(size=size).round(1) for size in sizes), d


KERNEL = "(kernel - 1) * dilation"
ADDS = "windows overlap: a layer adds (k - 1) · d · jump"


@exercise(
    "04.3",
    lecture_04.receptive_field,
    mistakes=[
        (" * dilation", "", "dilation makes a kernel wider: (k - 1) · d"),
        (" * jump", "", "multiply by all strides below the layer"),
        ("= 1, 1", "= 0, 1", f"{KERNEL} * jump", "kernel",
         f"you add up the kernels, but {ADDS}"),
        (f"+= {KERNEL} * jump", "*= kernel", f"kernels do not multiply: {ADDS}"),
        ("(kernel - 1)", "kernel", f"not k: {ADDS}"),
        (KERNEL, "(kernel * dilation - 1)", "k · d is too wide: (k - 1) · d"),
        ("* jump", "* jump * stride", "its stride is for layers above"),
        (f"seen += {KERNEL} * jump", f"seen = seen * stride + {KERNEL}",
         "a stride multiplies what the layers above it add, not what is seen already"),
        ("jump *= stride", "jump = stride", "jumps multiply: after strides 2 and 3 it is 6"),
        ("jump *=", "jump +=", "jumps multiply, they do not add up"),
        ("return seen", "return seen * jump", "the jump scales what a layer adds"),
        ("= 1, 1", "= 0, 1", "start with 1, the word itself"),
        ("in stack:", "in stack[::-1]:", "begin with the lowest layer"),
    ],
    takes=6,
    level=3,
    hints=["Carry two numbers upwards: what is seen, and how far apart neighbours are.", ADDS],
    reasoning="A kernel reaches k - 1 gaps further; a gap is d neighbours, each a jump apart.",
    compares="the receptive field",
    solved="Depth adds to the field; strides multiply what the layers above add.",
)  # fmt: skip
def _stacks(draw):
    yield ([(5, 1, 1)],)
    yield ([(7, 1, 1), (5, 5, 1), (7, 1, 1)],)
    yield ([(3, 2, 4), (1, 2, 1), (3, 1, 2)],)
    yield ([(4, 2, 1), (3, 3, 2), (3, 2, 3), (2, 1, 2)],)
    yield ([(3, 1, 2**layer) for layer in range(9)],)


FOUND = "ids[text[:, None], start[:, None] + np.arange(width)]"
FLAT = "responses.reshape(-1, filters)"


@exercise(
    "04.4",
    lecture_04.strongest_windows,
    mistakes=[
        ("argmax", "argmin", "the largest response, not the smallest"),
        (FLAT, "abs(responses).reshape(-1, filters)",
         "the largest response: one far below 0 is a weak one"),
        (FLAT, "responses[0]", "look in all texts, not in the first one alone"),
        (FOUND, "ids.reshape(-1)[best[:, None] + np.arange(width)]",
         "a text has fewer windows than words: turn a place among all windows into text and "
         "window, by the number of windows"),
        ("+ np.arange(width)", "- width + 1 + np.arange(width)",
         "t is where a window begins, not where it ends"),
        (FOUND, "start[:, None] + np.arange(width)", "return the ids of words, not positions"),
        (FOUND, "start", "return the words of each window, not where it begins"),
        (FOUND, "ids[text, start]", "all words of the window, not the first one alone"),
        (FOUND, FOUND + ".T", "a row for each filter, a column for each word of its window"),
        ("np.arange(width)", "np.arange(width)[::-1]", "the words in the order of the text"),
        (FLAT + ".argmax(axis=0)", FLAT + "[::-1].argmax(axis=0); best = len(responses) * "
         "windows - 1 - best", "of equal responses the first one counts, not the last"),
    ],
    takes=4,
    level=2,
    hints=[
        "Each text has as many windows: text, start = np.divmod(best, windows).",
        "Filter f has the words ids[text[f], start[f] : start[f] + width].",
    ],
    reasoning="A maximum over positions keeps one window; its words say what the filter seeks.",
    compares="the windows",
    solved="This works for every filter of a first layer: look at what excites it.",
)  # fmt: skip
def _responses(draw):
    for texts, words, filters, width in [
        (1, 6, 2, 3),
        (4, 9, 3, 2),
        (5, 14, 7, 5),
        (3, 4, 2, 4),
    ]:
        responses = draw.integers(-9, 6, size=(texts, words - width + 1, filters))  # some equal
        ids = draw.permutation(texts * words).reshape(texts, words) + 2
        yield responses.astype("float32"), ids, width


def _built(model, ids, size, dim):
    """Require a model with one output and two convolutions; draw all its weights."""
    require(isinstance(model, keras.Model), "return a keras.Model, not compiled")
    require(
        not model.compiled, "return the model before it is compiled: a later cell does that"
    )
    shape = tuple(model(ids).shape)
    require(shape == (len(ids), 1), f"one probability per review, {(len(ids), 1)}, not {shape}")
    wanted = (size, dim), (7, dim, 32), (32,), (7, 32, 32), (32,), (32, 1), (1,)
    require_weights(model, wanted)
    try:
        model(ids[:, :-1])
    except Exception:
        require(False, "a review of any length: Input((None,))")

    def of_layer(weight):
        layer = weight.path.rpartition("/")[0]
        shapes = (one.shape for one in model.weights if one.path.startswith(f"{layer}/"))
        return sorted(map(tuple, shapes))

    # Both biases have one shape; their kernels tell which is which, however they were made.
    redrawn(SimpleNamespace(weights=sorted(model.weights, key=of_layer)), 0.2)
    return model


def _trains(reference, size, dim, *more):
    """Return a property: a new model at each call, which trains as the reference does."""
    draw = np.random.default_rng(4)
    ids, targets = draw.integers(1, size, (5, 61)), np.arange(5)[:, None] % 2

    def after(build):
        model = _built(build(size, *more), ids, size, dim)
        return step(model, ids, targets, "binary_crossentropy")

    def holds(build):
        one, other = (build(size, *more) for _ in range(2))
        one(ids), other(ids)  # makes their weights
        before, others = one.get_weights(), other.get_weights()
        told = "make a new model at each call, with weights of its own, and set no seed inside"
        require(not all(map(np.array_equal, before, others)), told)
        told = "leave the initial weights as Keras draws them: of a new model "
        loss = np.mean(keras.losses.binary_crossentropy(targets, one(ids)))
        require(loss < 1.5, f"{told}the loss is {loss:.1f}, and not near ln 2 = 0.69")
        step(one, ids, targets, "binary_crossentropy")
        told += "some weights do not change in the first step of training"
        require(not any(map(np.array_equal, before, one.get_weights())), told)
        require_alike(partial(after, build), partial(after, reference))

    return holds


def _fixed(build, vocab_size, ids):
    return _built(build(vocab_size), ids, vocab_size, 128)(ids, training=True)  # shows dropout


@exercise(
    "04.5",
    lecture_04.slides_network,
    mistakes=[
        (', activation="sigmoid"', "",
         "the outputs are not probabilities yet: some lie below 0 or above 1"),
        ("sigmoid", "softmax", "a softmax over one number is always 1"),
        ("sigmoid", "tanh", "tanh gives numbers below 0: a probability lies from 0 to 1"),
        ("Dense(1", "Dense(2", "sigmoid", "softmax", "one probability per review"),
        ('float32"),', 'float32"), layers.Activation("sigmoid"),', "one sigmoid, not two"),
        (', activation="sigmoid"', "",
         "GlobalMaxPooling1D(),", 'GlobalMaxPooling1D(), layers.Activation("sigmoid"),',
         "the sigmoid comes after the Dense layer, not before it"),
        ('"relu"', "None", "both convolutions keep their ReLU"),
        ("(32, 7,", '(32, 7, padding="same",', "the convolutions stay without padding"),
        ("GlobalMax", "GlobalAverage", "the global maximum, not the average"),
    ],
    takes=3,
    level=2,
    hints=[
        "binary_crossentropy expects a number from 0 to 1. What comes out of Dense(1)?",
        'Dense(1, activation="sigmoid").',
    ],
    reasoning="Outside 0 to 1 the loss is clipped, and a clipped loss has no gradient.",
    compares="the probabilities",
    solved="The alternative is to keep the raw score and say from_logits=True in the loss.",
    properties=[_trains(lecture_04.slides_network, 11, 128)],
    run=_fixed,
)  # fmt: skip
def _long(draw):
    for size, batch, words in ((11, 7, 60), (8, 3, 200)):
        yield size, draw.integers(1, size, size=(batch, words))


def _invariant(build, size, dim, dilation, ids):
    model = _built(build(size, dim, dilation), ids, size, dim)
    told = "the model answers otherwise in training: nothing in it depends on that"
    one, other = (np.asarray(model(ids, training=on)) for on in (True, False))
    require(np.allclose(one, other, atol=1e-4), told)
    more = (0, 1, 2, 7)
    return tuple(model(np.pad(ids, ((0, 0), (0, pads))), training=True) for pads in more)


# Edits that leave out a mask: before or after the first convolution or the second one.
IN_1, OUT_1 = ('"relu")(x * real)', '"relu")(x)'), (") * real\n", ")\n")
IN_2, OUT_2 = ("again(x * real)", "again(x)"), (") * real)", "))")
AFTER = "after a convolution padding answers with its bias: multiply by the mask after it, too"
BEFORE = "before a convolution padding still has a vector: multiply by the mask before it, too"


@exercise(
    "04.6",
    lecture_04.text_convnet,
    mistakes=[
        (*IN_1, *OUT_1, *IN_2, *OUT_2, "nothing is masked yet"),
        (*OUT_1, *OUT_2, AFTER),
        (*OUT_1, AFTER),
        (*IN_1, BEFORE),
        (*IN_2, *OUT_2, "the second convolution needs the mask as well, pooled"),
        ("pool_real(x, 5), pool_real(real, 5)", "map(layers.MaxPooling1D(5), (x, real))",
         "MaxPooling1D drops the last words: use pool_real"),
        ("pool_real(real, 5)", "real", "pool the mask as well, with pool_real"),
        ("GlobalMax", "GlobalAverage", "the global maximum, not the average"),
        ("dilation_rate=dilation, ", "", "the dilation of the second convolution is missing"),
        ('"relu"', "None", "both convolutions keep their ReLU"),
        ("real_words(ids)", "1 - real_words(ids)", "the mask is 1 at words, 0 at padding"),
    ],
    takes=7,
    level=4,
    hints=[
        "Pool the mask like the vectors: real = pool_real(real, 5).",
        "Multiply by the pooled mask before and after the second convolution.",
    ],
    reasoning="Before, so that no window reads padding; after, so that no bias wins a maximum.",
    compares=tuple(
        f"the probabilities{more}"
        for more in ("", ", with one pad more", ", with two pads more", ", with seven more")
    ),
    solved="Keras drops the mask at a convolution without an error: this test finds it.",
    properties=[_trains(lecture_04.text_convnet, 9, 4, 4, 2)],
    run=_invariant,
)  # fmt: skip
def _short(draw):
    for batch, words, size, dim, dilation in (
        (3, 12, 9, 4, 1),
        (4, 23, 7, 3, 2),
        (4, 90, 6, 2, 1),
        (3, 230, 5, 2, 1),
    ):
        ids = draw.integers(1, size, size=(batch, words))
        ids[0, words // 3 :] = 0
        ids[1, words // 2 :] = 0
        ids[-1, :3] = ids[-1, words // 2] = 0  # in front and in the middle
        yield size, dim, dilation, ids


def _turns(train, data):
    """Require that 95 % of the reviews that turn are read right, whatever the pads."""
    shown, unseen = kept_back(data)
    with watched_training(shown, unseen=unseen, called="reviews") as training:
        model = training.trained(train(shown))
    chances = predicted(model, unseen.inputs, (1,), "one probability per review")
    probable = chances.min() >= 0 and chances.max() <= 1
    require(probable, "the outputs are logits: end with a sigmoid, for a probability")
    inside = model._flatten_layers(include_self=False)
    told = "no layer of the model is recurrent: a GRU or another one follows the pooling"
    require(any(isinstance(layer, layers.RNN) for layer in inside), told)
    told = "no layer of the model is a convolution: the GRU reads what the convolution found"
    require(any(hasattr(layer, "kernel_size") for layer in inside), told)
    model(unseen.inputs[:2])  # fails, not being compiled, where a mask was not pooled
    right = (chances[:, 0] > 0.5) == unseen.targets
    kinds = unseen.columns["phenomenon"]
    turn, plain = (right[kinds == kind].mean() for kind in ("turn", "plain"))
    alone = turn < 0.75 < plain
    advice = "Does the recurrent layer get the mask?" if alone else training.advice()
    require(
        turn >= 0.95,
        f"accuracy on validation reviews that turn is {floored(turn)}, and 0.95 is asked; on "
        f"plain ones it is {plain:.2f}. {advice}",
    )
    # Long reviews leave few pads; with another vector for them, each one counts.
    for table in (layer for layer in inside if isinstance(layer, layers.Embedding)):
        kept = table.get_weights()[0]
        table.set_weights([np.where(np.arange(len(kept))[:, None], kept, 5.0)])
        change = model.predict(unseen.inputs, verbose=0) - chances
        table.set_weights([kept])
        require(
            np.abs(change).max() < 1e-3,
            "padding changes the probability: mask the convolution before and after, and hand "
            "the GRU its mask, mask=ops.squeeze(real, -1) > 0",
        )
    pads = (50, "fifty more pads change the probability: hand the GRU its mask, "
            "mask=ops.squeeze(real, -1) > 0"), (51, "one pad more moves or drops words: use "
            "pool_real, MaxPooling1D places its windows by the length")  # fmt: skip
    for more, told in pads:
        longer = np.pad(unseen.inputs, ((0, 0), (0, more)))
        try:
            change = np.asarray(model.predict(longer, verbose=0)) - chances
        except Exception:
            told = "reviews of any length: Input((None,)), and pool the mask by pool_real"
            require(False, told)
        require(np.abs(change).max() < 1e-4, told)
    told = "without its pads a review is read otherwise: pool by pool_real, which drops no "
    told += "word, and mask what the convolution gives, too"
    lengths = unseen.inputs.shape[1] - (unseen.inputs[:, ::-1] != 0).argmax(axis=1)
    for one in np.unique(lengths % 5, return_index=True)[1]:  # pooling by five leaves a rest
        alone = ops.convert_to_numpy(model(unseen.inputs[one, None, : lengths[one]]))
        require(np.abs(alone - chances[one]).max() < 1e-4, told)
    training.require_learned()


def _one_batch(build, data):
    model = build(len(data.vocabulary))
    model.compile("adam", "binary_crossentropy")
    model.fit(data.train.inputs[:64], data.train.targets[:64], verbose=0)
    return model


FIT = "training.fit(model, data, epochs=4, batch_size=64)"
ONE = "model.fit(data.train.inputs[:64], data.train.targets[:64], verbose=0)"


@exercise(
    "04.7",
    lecture_04.train_conv_gru,
    mistakes=[
        (lambda data: _one_batch(lecture_04.slides_network, data), "is recurrent: a GRU"),
        ("Dense(1", "Dense(2", FIT, ONE, "one probability per review"),
        ('"sigmoid"', "lambda x: x - 5", FIT, ONE, "are logits"),
        (FIT, ONE, "train longer"),
        (FIT, "", "the model is not trained"),
        (lambda data: {}, "return the trained model"),
    ],
    takes=10,
    level=4,
    hints=[
        "Take your convnet of 04.6, and put layers.GRU(32) where the second block was.",
        "GRU(32)(x, mask=ops.squeeze(real, -1) > 0); Adam(0.01, clipnorm=1.0), 4 epochs.",
    ],
    reasoning="The convolution can find the verdicts, the GRU remember which came last.",
    solved="A GRU on a fifth of the steps reads order over a distance, without any edge.",
    trains=_turns,
    limit=300,
)  # fmt: skip
def _framed(draw):
    yield (lecture_04.framed_reviews(),)
