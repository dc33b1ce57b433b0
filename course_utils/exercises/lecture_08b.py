"""Exercises of lab 08b: a gate's start, W tied and causal, leaks, tiny attention, recall."""

import keras
import numpy as np
from keras import ops

from course_utils import layers
from course_utils.exercises import exercise, layer_outputs, require
from course_utils.layers.attention import all_of, causal_mask
from course_utils.layers.mlp import GATES
from course_utils.lectures import lecture_08, lecture_08b
from course_utils.lectures.lecture_08 import norm


def _start(ones=("multiplicative", "split"), wide=("linear",), rows=None, power=0.5):
    """A start with b = 1 for some gates and an ordinary W for some; rows: different ones."""

    def start(gate, S, draw):
        size = 3**0.5 / S**power if gate in wide else 1e-4 / S
        W = draw.uniform(-size, size, (rows or S, S)) + np.zeros((S, S))
        return W, np.full(S, float(gate in ones))

    return start


def _effects(answer, S):
    """What W and b of each gate do at the start, in words."""
    made = [answer(gate, S, np.random.default_rng(1)) for gate in GATES]
    pairs = all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in made)
    require(pairs, "return two arrays, W and b")
    return tuple(_effect(S, *pair) for pair in made)


def _effect(S, W, b):
    W, b = np.asarray(W, dtype=float), np.asarray(b, dtype=float)
    if W.shape != (S, S) or b.shape != (S,):
        return f"the shapes {W.shape} and {b.shape}, not {(S, S)} and {(S,)}"
    mixed = W @ lecture_08.norm(np.random.default_rng(2).normal(size=(S, 32)))
    sizes = [("nothing", 0.003), ("little", 0.45), ("as much as it reads", 2), ("more", np.inf)]
    size = next(name for name, limit in sizes if mixed.std() < limit)
    if mixed.mean(axis=0).std() > 0.7 * mixed.std() > 0.003:
        size = "nearly the same to all tokens"
    near = [value for value in (0, 1) if np.abs(b - value).max() < 0.01]
    return f"W adds {size}, b is {near[0] if near else 'neither 0 nor 1'}"


@exercise(
    "08b.1",
    lecture_08b.initial_weights,
    mistakes=[
        (_start(ones=()), "the gate is shut: f is about 0 and multiplies; let b be 1"),
        (_start(ones=GATES), "b = 1 is added here, to every number: let b be 0"),
        (_start(ones=GATES[1:]), "b = 1 is added here, to every number: let b be 0"),
        (_start(wide=()), "a linear gate with W near 0 returns nothing: give it an ordinary W"),
        (_start(wide=GATES), "W scrambles the tokens: let it be near 0, and b decide"),
        (_start(wide=GATES, ones=()), "W near 0, or it scrambles; b = 1 if it multiplies"),
        (
            _start(rows=1),
            "the rows of W are alike, so the tokens come out alike: sample around 0",
        ),
        (_start(power=0), "a sum of S products of size 1 has the size √S: divide W by √S"),
        (_start(power=1), "a sum of S products has the size √S, not S: divide W by √S"),
        (lambda gate, S, draw: _start()(gate, S, draw)[0], "return two arrays, W and b"),
    ],
    takes=8,
    level=3,
    hints=["What is f if W is near 0?", "A sum of S independent products has the size √S."],
    reasoning="With W near 0, f is b; a linear gate has only W, its variance is 1/S.",
    solved="What a gate does before it has learned anything is your decision.",
    run=_effects,
)
def _tokens(draw):
    yield 8
    yield 64


def tied(
    index,
    causal_index=None,
    above=0.0,
    keep=lambda distance: distance >= 0,
    free=None,
    always=False,
):
    """A class like SpatialGatingUnit whose matrix() takes t at other indices."""

    class Unit(layers.SpatialGatingUnit):
        def matrix(self):
            S, W = self.tokens, ops.convert_to_numpy(self.W)
            distance = np.arange(S)[:, None] - np.arange(S)
            if self.toeplitz:
                W = W[
                    (causal_index or index)(distance, S) if self.causal else index(distance, S)
                ]
            elif free:
                W = free(W)
            return np.where(keep(distance), W, above) if self.causal or always else W

    return Unit


def _right(distance, S):
    return distance + S - 1


def _clipped(distance, S):
    return np.maximum(distance, 0)


SIDES = "left and right have different weights: no abs"
ABOVE = "with causal nothing above the diagonal may count: set it to 0"
NO_SOFTMAX = "no softmax follows: what does not count is 0, not −∞"


def run_matrix(Unit, W, t):
    """The four matrices: free and Toeplitz, then both of them causal."""

    def matrix(causal, toeplitz, weights):
        unit = Unit(causal=causal, toeplitz=toeplitz)
        unit.build((None, len(W), 4))
        unit.W.assign(weights)
        try:
            return ops.convert_to_numpy(unit.matrix())
        except Exception as error:
            if isinstance(error, IndexError) or "is not in [0" in str(error):
                return "an index beyond the end of t"
            raise

    causal = matrix(True, False, W), matrix(True, True, t[: len(W)])
    return matrix(False, False, W), matrix(False, True, t), *causal


def learns(Unit):
    """The gradient of the matrix has to reach the weights that are trained."""
    unit = Unit(toeplitz=True)
    unit.build((None, 3, 4))
    x = np.arange(3, dtype="float32")[:, None]
    model = keras.Sequential([keras.Input((3, 4)), unit])
    before = ops.convert_to_numpy(unit.W)
    try:
        model.compile(keras.optimizers.SGD(1.0), "mse")
        model.train_on_batch(np.tile(x, (2, 1, 4)) ** 2 + np.arange(4), np.ones((2, 3, 2)))
    except Exception:  # a NumPy array in `matrix` cannot be made while Keras builds its graph
        moved = False
    else:
        moved = np.abs(ops.convert_to_numpy(unit.W) - before).max() > 0
    require(
        moved,
        "no gradient reaches t: take it with ops.take, and do not turn it into a NumPy array",
    )


@exercise(
    "08b.2",
    layers.SpatialGatingUnit,
    mistakes=[
        (
            tied(lambda d, S: S - 1 - d, lambda d, S: -d),
            "mirrored: row i, column j takes t[i − j + S − 1], not t[j − i + S − 1]",
        ),
        (
            tied(lambda d, S: d, _clipped),
            "a negative index counts from the end: add S − 1 to i − j",
        ),
        (
            tied(lambda d, S: d % (2 * S - 1), _clipped),
            "a negative index counts from the end: add S − 1 to i − j",
        ),
        (tied(lambda d, S: np.abs(d), _clipped), SIDES),
        (tied(lambda d, S: np.abs(d) + S - 1, _clipped), SIDES),
        (tied(lambda d, S: d % S, _clipped), "not a circle: −1 and S − 1 are two distances"),
        (
            tied(lambda d, S: (d + S) % (2 * S - 1), _clipped),
            "one index off: the token itself takes t[S − 1]",
        ),
        (
            tied(lambda d, S: (d + S - 2) % (2 * S - 1), _clipped),
            "one index off: the token itself takes t[S − 1]",
        ),
        (
            tied(_right, lambda d, S: np.abs(d), keep=lambda d: d <= 0),
            "the wrong triangle: token i may read j where j ≤ i",
        ),
        (
            tied(_right, _clipped, keep=lambda d: d <= 0),
            "the wrong triangle: token i may read j where j ≤ i",
        ),
        (
            tied(_right, _clipped, keep=lambda d: d > 0),
            "a token may read itself: keep the diagonal",
        ),
        (
            tied(_right, _clipped, keep=lambda d: d >= -1),
            "token i reads i + 1, the answer: nothing above the diagonal counts",
        ),
        (tied(_right, _clipped, keep=lambda d: d == d), ABOVE),
        (tied(_right, lambda d, S: np.abs(d), keep=lambda d: d == d), ABOVE),
        (tied(_right, lambda d, S: d % S, keep=lambda d: d == d), ABOVE),
        (tied(_right, _clipped, above=-np.inf), NO_SOFTMAX),
        (tied(_right, _clipped, above=-1e9), NO_SOFTMAX),
        (
            tied(_right, lambda d, S: np.maximum(-d, 0)),
            "a causal t is (S,), and W[i, j] = t[i − j]: no S − 1 is added",
        ),
        (
            tied(_right, lambda d, S: np.minimum(np.maximum(d + S - 1, 0), S - 1)),
            "a causal t is (S,), and W[i, j] = t[i − j]: no S − 1 is added",
        ),
        (
            tied(_right, lambda d, S: S - 1 - np.maximum(d, 0)),
            "a causal t is (S,), and W[i, j] = t[i − j]: no S − 1 is added",
        ),
        (
            tied(_right, lambda d, S: d + S - 1),
            "a causal t is (S,), and W[i, j] = t[i − j]: no S − 1 is added",
        ),
        (
            tied(_right, _clipped, always=True),
            "only with self.causal does nothing above the diagonal count",
        ),
        (
            tied(_right, _clipped, free=np.transpose),
            "a free W is used as it is, not transposed",
        ),
    ],
    takes=10,
    level=3,
    hints=[
        "np.arange(S)[:, None] - np.arange(S) is i − j; ops.take(self.W, index) takes many.",
        "Causal: ops.where(distance >= 0, W, 0.0); for t clip the negative distances first.",
    ],
    reasoning="i − j is the distance, and + S − 1 makes the smallest one the index 0. "
    "`ops.take` adds up the gradients of all entries that share a weight.",
    solved="2S − 1 weights in place of S², and no answer from the future.",
    properties=[learns],
    run=run_matrix,
)
def _weights(draw):
    for S in (3, 5):
        yield draw.normal(size=(S, S)), draw.normal(size=2 * S - 1)


UNSEEN = "nothing that counts is changed: replace each token after the first by another id"
SMALL = (
    "one small change in a large state is missed: look at each number, np.allclose with rtol=0"
)
PADDING = "0 is padding, which a mask hides: replace a token by another id"
SIGN = "a state may rise or fall: take np.abs first"
ROUNDING = "a leak exceeds 0.00001 in a single number: less is rounding, a norm adds it up"
STAYS = "a token that has this id already stays: take another id"
AFTER = "the changed token and later ones may change: compare only the states before it"


def _leak(
    others=lambda ids, vocab_size: range(1, len(ids)),
    new=lambda ids, place, size: ids[place] % (size - 1) + 1,
    seen=lambda changes, place: (np.abs(changes[:place]) > 1e-5).any(),
    out=any,
    relative=0.0,
):
    def test(encode, ids, vocab_size):
        before, found = encode(ids), []
        for place in others(ids, vocab_size):
            other = np.array(ids)
            other[place] = new(ids, place, vocab_size)
            changes = encode(other) - before
            changes[np.abs(changes) <= relative * np.abs(before)] = 0
            found.append(bool(seen(changes, place)))
        return out(found)

    return test


@exercise(
    "08b.3",
    lecture_08b.reads_future,
    mistakes=[
        (
            _leak(seen=lambda c, p: (np.abs(c[: p + 1]) > 1e-5).any()),
            AFTER,
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c) > 1e-5).any()),
            AFTER,
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c[p + 1 :]) > 1e-5).any()),
            AFTER,
        ),
        (
            _leak(others=lambda ids, size: [len(ids) - 1]),
            "replace every token in turn: some leaks do not start at the last one",
        ),
        (
            _leak(others=lambda ids, size: [len(ids) // 2]),
            "replace every token in turn: some leaks do not start in the middle",
        ),
        (
            _leak(others=lambda ids, size: [1]),
            "replace every token in turn: some leaks do not start at the second",
        ),
        (
            _leak(others=lambda ids, size: [0]),
            UNSEEN,
        ),
        (
            _leak(others=lambda ids, size: range(2, len(ids))),
            "the second token is left out: the first state may read it",
        ),
        (
            _leak(others=lambda ids, size: range(1, len(ids) - 1)),
            "the last token is left out: replace it, too",
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c[p - 1]) > 1e-5).any()),
            "compare all states before the changed token, not only its neighbour's",
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c[0]) > 1e-5).any()),
            "compare all states before the changed token, not only the first",
        ),
        (_leak(seen=lambda c, p: (c[:p] > 1e-5).any()), SIGN),
        (_leak(seen=lambda c, p: (-c[:p] > 1e-5).any()), SIGN),
        (
            _leak(seen=lambda c, p: abs(c[:p].sum()) > 1e-5),
            "changes cancel in a sum: look at each number",
        ),
        (
            _leak(seen=lambda c, p: abs(c[:p].mean()) > 1e-5),
            "changes cancel in a sum: look at each number",
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c[:p, 0]) > 1e-5).any()),
            "compare all channels, not only the first",
        ),
        (
            _leak(seen=lambda c, p: abs(c[:p].mean(axis=1)).max() > 1e-5),
            "changes cancel in a sum: look at each number",
        ),
        (
            _leak(seen=lambda c, p: abs(c[:p].sum(axis=1)).max() > 1e-5),
            "changes cancel in a sum: look at each number",
        ),
        (
            _leak(seen=lambda c, p: c[:p].sum() > 1e-5),
            "changes cancel in a sum: look at each number",
        ),
        (
            _leak(seen=lambda c, p: (np.abs(c[:p]) > 1e-5).all()),
            "one changed number is a leak: any, not all",
        ),
        (_leak(out=all), "one token that leaks is enough: any, not all"),
        (
            _leak(seen=lambda c, p: np.abs(c[:p]).max() > 0.1),
            "a small leak is a leak: more than 0.00001",
        ),
        (
            _leak(seen=lambda c, p: np.abs(c[:p]).max() > 0.01),
            "a small leak is a leak: more than 0.00001",
        ),
        (
            _leak(seen=lambda c, p: np.abs(c[:p]).mean() > 1e-5),
            SMALL,
        ),
        (
            _leak(relative=1e-5),
            SMALL,
        ),
        (
            _leak(relative=1e-5, seen=lambda c, p: (np.abs(c[:p]) > 1e-8).any()),
            "np.allclose has limits of its own: rtol=0, atol=1e-5",
        ),
        (
            _leak(seen=lambda c, p: np.linalg.norm(c[:p]) > 1e-5),
            ROUNDING,
        ),
        (
            _leak(seen=lambda c, p: np.abs(c[:p]).max() > 0),
            ROUNDING,
        ),
        (_leak(new=lambda ids, place, size: 0), PADDING),
        (_leak(new=lambda ids, place, size: (ids[place] + 1) % size), PADDING),
        (
            _leak(new=lambda ids, place, size: ids[place] + 1),
            "the largest id has none above it: stay below vocab_size",
        ),
        (
            _leak(new=lambda ids, place, size: 1),
            STAYS,
        ),
        (_leak(new=lambda ids, place, size: size - 1), STAYS),
        (_leak(new=lambda ids, place, size: size - ids[place]), STAYS),
        (
            _leak(new=lambda ids, place, size: ids[place]),
            UNSEEN,
        ),
        (
            _leak(out=lambda found: not any(found)),
            "exchanged: True says that the future is read",
        ),
    ],
    takes=7,
    level=3,
    hints=[
        "For each position from 1 on: copy ids, replace that one token, encode again.",
        "Compare encode(other)[:place] with encode(ids)[:place].",
    ],
    reasoning="A causal state may change only where its own token or an earlier one changes. "
    "Each token is replaced alone, since a leak may start at any of them.",
    solved="Ten lines that every language model deserves before it is trained.",
)
def _encoders(draw):
    S, C, size = 6, 3, 10
    table = draw.normal(size=(size, C))
    table[0] = 0  # padding
    ids = draw.integers(1, size, S)

    def leaky(*entries, channel=slice(None), sign=1.0, by=lambda states: states):
        """Causal states, and besides what row i reads of a later token j."""

        def encode(ids):
            states = table[ids]
            out = np.tril(np.ones((S, S))) @ states
            for row, column, weight in entries:
                change = weight * by(states)[column]
                out[row, channel] += sign * change[channel]
            return out

        return encode

    def hops(states):
        """Numbers that sum to 0 over the channels."""
        return states[:, [0, 0, 0]] * [1, -1, 0]

    def rounding(ids):
        """No channel changes by more than 0.00001, but their norm does."""
        out = leaky()(ids)
        out[0] += 8e-6 * (ids[5] != tokens[5])
        return out

    def opposite(ids):
        """Two states change by opposite numbers."""
        return leaky((0, 5, 1.0), (1, 5, -1.0))(ids)

    def falling(ids):
        out = leaky()(ids)
        out[2, 1] -= float(ids[4] != tokens[4]) * 0.5
        return out

    def one_number(ids):
        out = leaky()(ids)
        out[0, 0] += float(ids[1] != tokens[1])
        return out

    def skips_padding(place, tokens):
        """A leak that a pad cannot show: what is 0 adds nothing, and neither did this token."""

        def encode(ids):
            out = leaky()(ids)
            out[1] += 1.0 * (ids[place] not in (0, tokens[place]))
            return out

        return encode

    def tiny(ids):
        """A leak of 0.00003 in one of many large numbers."""
        out = leaky()(ids) + 100
        out[0, 0] += 3e-5 * (ids[5] != tokens[5])
        return out

    tokens = ids.copy()
    ends = np.where(np.arange(S) == 3, size - 1, ids)  # the largest id leaks
    ones = np.where(np.arange(S) == 3, 1, ids)  # the smallest id leaks
    half = np.where(np.arange(S) == 3, size // 2, ids)  # this id equals size − id
    yield leaky(), ids, size
    yield rounding, ids, size
    yield leaky(*((0, later, 1.0) for later in range(1, S))), ids, size  # from all tokens
    yield leaky((0, 5, 1.0)), ids, size  # from the last token to the first
    yield leaky((3, 4, 1.0)), ids, size  # between neighbours
    yield leaky((0, 1, 1.0)), ids, size
    yield leaky((2, 4, 1e-3)), ids, size
    yield leaky((1, 3, 1.0), channel=2), ids, size
    yield leaky((1, 4, 1.0), by=hops), ids, size
    yield opposite, ids, size
    yield falling, ids, size
    yield one_number, ids, size
    yield tiny, ids, size
    yield skips_padding(3, tokens), ids, size
    yield skips_padding(3, ends), ends, size
    yield skips_padding(3, ones), ones, size
    yield skips_padding(3, half), half, size


def _causal(
    read=lambda z: norm(z[:, z.shape[1] // 2 :]),
    W=np.tril,
    passed=lambda z: z[:, : z.shape[1] // 2],
    f=lambda W, y, b: W @ y + b[:, None],
    out=lambda a, f: a * f,
):
    return lambda z, W_, b: out(passed(z), f(W(W_), read(z), b))


def over_tokens(z, mean=0, std=0):
    """The bug: mean and deviation of Z_2 are taken over all tokens, the later ones included."""
    z = z[:, z.shape[1] // 2 :]
    return (z - z.mean(axis=mean, keepdims=True)) / z.std(axis=std, keepdims=True)


AXIS_0 = "the norm over axis 0 still uses later tokens' mean or deviation: axis=-1"


def over_all(z):
    z = z[:, z.shape[1] // 2 :]
    return (z - z.mean()) / z.std()


@exercise(
    "08b.4",
    lecture_08b.causal_gate,
    mistakes=[
        (_causal(over_tokens), AXIS_0),
        (_causal(lambda z: over_tokens(z, std=1)), AXIS_0),
        (_causal(lambda z: over_tokens(z, mean=1)), AXIS_0),
        (_causal(over_all), "the norm still mixes tokens: each over its own channels, axis=-1"),
        (
            _causal(lambda z: z[:, z.shape[1] // 2 :]),
            "the norm is missing: each token over its own channels",
        ),
        (
            _causal(lambda z: norm(z)[:, z.shape[1] // 2 :]),
            "normalise Z_2 alone: split first",
        ),
        (
            _causal(
                lambda z: norm(z)[:, z.shape[1] // 2 :],
                passed=lambda z: norm(z)[:, : z.shape[1] // 2],
            ),
            "normalise Z_2 alone: split first",
        ),
        (_causal(W=lambda W: W), "W still reads later tokens: np.tril(W)"),
        (_causal(over_tokens, W=lambda W: W), "W still reads later tokens: np.tril(W)"),
        (
            _causal(W=lambda W: np.tril(W, 1)),
            "each token still reads the next one: np.tril(W), without an offset",
        ),
        (_causal(W=np.triu), "the wrong triangle: np.tril keeps j ≤ i"),
        (_causal(W=lambda W: np.tril(W, -1)), "a token may read itself: keep the diagonal"),
        (_causal(W=lambda W: np.tril(W.T)), "W is transposed: its rows are output tokens"),
        (_causal(W=lambda W: np.tril(W).T), "W is transposed: its rows are output tokens"),
        (
            _causal(W=lambda W: np.where(np.tri(len(W)) > 0, W, -1e9)),
            "no softmax follows: what does not count is 0, not −∞",
        ),
        (
            _causal(f=lambda W, y, b: W @ y + b),
            "one number a token needs a second axis: b[:, None], keepdims=True",
        ),
        (
            _causal(
                lambda z: z[:, z.shape[1] // 2 :]
                - z[:, z.shape[1] // 2 :].mean(axis=1, keepdims=True)
            ),
            "divide by the standard deviation, too",
        ),
        (
            _causal(
                lambda z: (
                    norm(z[:, z.shape[1] // 2 :])
                    / z[:, z.shape[1] // 2 :].std(axis=1, keepdims=True)
                )
            ),
            "divide by the standard deviation, not by the variance",
        ),
        (
            _causal(passed=lambda z: norm(z[:, : z.shape[1] // 2])),
            "Z_1 passes as it is: only Z_2 is normalised",
        ),
        (
            _causal(
                lambda z: z[:, z.shape[1] // 2 :],
                f=lambda W, y, b: norm(W @ y) + b[:, None],
            ),
            "normalise Z_2 before W reads it",
        ),
        (
            _causal(lambda z: norm(z[:, 1::2]), passed=lambda z: z[:, ::2]),
            "the halves are the first and the last D/2 channels",
        ),
        (_causal(f=lambda W, y, b: W @ y), "b is missing"),
        (_causal(out=lambda a, f: a + f), "that is a sum: a gate multiplies"),
        (
            _causal(lambda z: norm(z[:, : z.shape[1] // 2]), passed=lambda z: np.array_split(
                z, 2, axis=1)[1]),
            "the halves are exchanged: Z_1 passes",
        ),
    ],
    takes=6,
    level=2,
    hints=[
        "Go through the lines: which of them computes one number from several tokens?",
        "`norm(z_2)` normalises every token over its channels.",
    ],
    reasoning="Mean and deviation over axis 0 are taken over all tokens of the row, those to "
    "come included. LayerNorm takes them over the channels of one token.",
    solved="A causal matrix does not make a causal model: every line has to be.",
)  # fmt: skip
def _gates(draw):
    for S, D in [(3, 8), (4, 10)]:  # deviations so large that an epsilon in the norm is small
        yield 9 * draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


def attending(
    order=(0, 1, 2),
    axis=-1,
    masks=lambda mask, S, causal: _masks(mask, S, causal),
    project=lambda layer, y: layer.output_projection(y),
):
    """A class like TinyAttention with the three parts in another order, or other masks."""

    class Attention(layers.TinyAttention):
        def call(self, x, mask=None):
            parts = ops.split(self.query_key_value(x), 3, axis=axis)
            query, key, value = (parts[number] for number in order)
            joined = all_of(masks(mask, x.shape[1], self.causal))
            return project(self, self.attention(query, value, key, joined))

    return Attention


def _masks(mask, S, causal):
    padding = [] if mask is None else [ops.cast(mask, "bool")[:, None]]
    return [*padding, causal_mask(S, S)[None]] if causal else padding


def run_attention(Attention, x, mask):
    """Four results: no mask; a mask; causal; causal with a mask."""
    asked = [(None, False), (mask, False), (None, True), (mask, True)]
    return tuple(_attended(Attention, x, *one) for one in asked)


def _attended(Attention, x, mask, causal):
    class Masked(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Attention(5, key_dim=4, causal=causal)

        def call(self, x):
            return self.inner(x, mask=mask)

        def build(self, shape):
            self.inner.build(shape)

    return layer_outputs(Masked, x)[0 if mask is None else mask]


@exercise(
    "08b.5",
    layers.TinyAttention,
    mistakes=[
        (attending(order=(0, 2, 1)), "key and value are exchanged: query, key, value in order"),
        (attending(order=(1, 0, 2)), "query and key are exchanged: query, key, value in order"),
        (
            attending(order=(2, 1, 0)),
            "query and value are exchanged: query, key, value in order",
        ),
        (attending(order=(0, 0, 0)), "take all three parts, each of d_k channels"),
        (
            attending(project=lambda layer, y: y),
            "the output projection is missing: the result has output_dim channels",
        ),
        (
            attending(
                masks=lambda m, S, c: _masks(None if m is None else ops.logical_not(m), S, c)
            ),
            "inverted: a mask is True where a token may be attended to",
        ),
        (
            attending(
                masks=lambda m, S, c: (
                    [ops.logical_not(causal_mask(S, S))[None]] if c else _masks(m, S, c)
                )
            ),
            "inverted: a mask is True where a token may be attended to",
        ),
        (
            attending(masks=lambda m, S, c: _masks(None, S, c)),
            "no token may attend to a pad: the padding mask is on the keys, mask[:, None]",
        ),
        (
            attending(
                masks=lambda m, S, c: (
                    [ops.logical_or(*_masks(m, S, c))]
                    if c and m is not None
                    else _masks(m, S, c)
                )
            ),
            "both masks have to allow it: and, not or",
        ),
        (
            attending(masks=lambda m, S, c: _masks(None if c else m, S, c)),
            "the padding mask counts with self.causal, too: join both",
        ),
        (
            attending(masks=lambda m, S, c: _masks(m, S, False)),
            "with self.causal no token attends to a later one: causal_mask(S, S)",
        ),
        (
            attending(masks=lambda m, S, c: _masks(m, S, True)),
            "the causal mask belongs to self.causal only",
        ),
        (
            attending(masks=lambda m, S, c: []),
            "the masks are missing: pads, and later tokens with self.causal",
        ),
        (
            attending(
                masks=lambda m, S, c: [
                    *([] if m is None else [ops.cast(m, "bool")[:, :, None]]),
                    *([causal_mask(S, S)[None]] if c else []),
                ]
            ),
            "no token may attend to a pad: the padding mask is on the keys, mask[:, None]",
        ),
        (
            attending(
                masks=lambda m, S, c: [
                    *([] if m is None else [ops.cast(m, "bool")[:, None]]),
                    *([ops.transpose(causal_mask(S, S))[None]] if c else []),
                ]
            ),
            "the wrong triangle: a token attends to itself and to earlier ones",
        ),
    ],
    takes=9,
    level=3,
    hints=[
        "query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)",
        "mask[:, None] is (batch, 1, S), and causal_mask(S, S)[None] is (1, S, S).",
    ],
    reasoning="One head: lecture 6's scaled dot product, whose result is brought to the gate's "
    "width.",
    solved="W is a parameter; these weights are computed for each text.",
    run=run_attention,
)
def _texts(draw):
    for S in (3, 4):
        x = draw.normal(size=(2, S, 6)).astype("float32")
        pad = [[-1], [S - 1 if S == 3 else 0]]  # at the end, or in front, where all read it
        yield x, np.arange(S) != np.array(pad)


ASKED, ROOM = 0.95, 20_000


def tried(make):
    """Train a student's recaller and say what is missing; True where it reaches the figure."""
    if make is lecture_08b.make_recaller:  # trained in the tests, not at every check
        return True
    keras.utils.set_random_seed(0)
    made = make(16)
    pair = isinstance(made, tuple | list) and len(made) == 2
    require(pair, "return two things: the model and the learning rate")
    model, learning_rate = made
    require(
        isinstance(model, keras.Model), "the first thing is the model that `recaller` makes"
    )
    said = f"the model should give logits (batch, 8), not {model.output_shape}"
    require(model.output_shape == (None, 8), said)
    heads = [layer for layer in _layers(model) if hasattr(layer, "num_heads")]
    require(not heads, "a gMLP is asked for, not a Transformer: leave num_heads out")
    require(getattr(model, "optimizer", None) is None, "return the model untrained")
    count = model.count_params()
    require(count <= ROOM, f"{count:,} parameters, and {ROOM:,} are allowed")
    require(
        make(4)[0].input_shape == (None, 5), "a row has `names` pairs and a question: use names"
    )
    run = lecture_08b.train_recaller(model, 16, True, learning_rate, batches=1_000)
    reached = run.history["val_accuracy"][-1]
    why = "another learning rate, and tiny_attention=16 if it does not attend yet"
    require(reached >= ASKED, f"accuracy is {reached:.2f}, and {ASKED:.2f} is asked: try {why}")
    return True


def _layers(model):
    return model._flatten_layers(include_self=False)


@exercise(
    "08b.6",
    lecture_08b.make_recaller,
    mistakes=[
        (lambda names: lecture_08b.recaller(names), "return two things"),
        (lambda names: (lecture_08b.recaller(names, mlp_dim=512), 4e-3), "are allowed"),
        (
            lambda names: (lecture_08b.recaller(names, num_heads=2, mlp_dim=64), 4e-3),
            "not a Transformer",
        ),
    ],
    takes=8,
    level=3,
    hints=[
        "`recaller(names, tiny_attention=16)`: everything else may stay as it is.",
        "Try the learning rates 0.002, 0.004, 0.008, 0.016.",
    ],
    reasoning="Attention compares the question with every pair; 1,000 batches are few, so the "
    "learning rate has to be as large as training bears.",
    solved="It finds the pair wherever it stands.",
    run=tried,
    limit=300,
)
def no_arguments(draw):
    yield ()
