"""Exercises of lab 08b: a gate's start, W tied and causal, leaks, tiny attention, recall."""

from functools import partial

import keras
import numpy as np
from keras import ops

from course_utils import layers
from course_utils.checks import (
    layer_outputs,
    open_shapes,
    parts,
    predicted,
    require_no_penalty,
    vectors,
    watched_training,
)
from course_utils.exercises import exercise, require
from course_utils.layers.mlp import GATES
from lectures import lecture_08, lecture_08b


def _effects(answer, S):
    """What W and b of each gate do at the start, in words."""
    made = [answer(gate, S, np.random.default_rng(1)) for gate in GATES]
    pairs = [parts(pair, "return two arrays, W and b") for pair in made]
    arrays = all(isinstance(one, np.ndarray) for pair in pairs for one in pair)
    require(arrays, "return two NumPy arrays, W and b")
    return tuple(_effect(S, *pair) for pair in pairs)


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


def _sampled(answer):
    """W has to come from `draw`; where it is near 0, it may be 0."""

    def made(gate, seed):
        return np.asarray(answer(gate, 8, np.random.default_rng(seed))[0])

    for gate in GATES:
        again = np.array_equal(made(gate, 1), made(gate, 1))
        require(again, "W is another one though `draw` begins alike: sample it from `draw`")
    other = not np.array_equal(made("linear", 1), made("linear", 2))
    require(other, "a linear gate's W is the same for every `draw`: sample it from `draw`")


@exercise(
    "08b.1",
    lecture_08b.initial_weights,
    mistakes=[
        ("np.ones", "np.zeros", "the gate is shut: f is about 0 and multiplies; let b be 1"),
        ("np.zeros", "np.ones", "b = 1 is added here, to every number: let b be 0"),
        ("(3 / S) ** 0.5", "1e-4 / S",
         "a linear gate with W near 0 returns nothing: give it an ordinary W"),
        ("(3 / S) ** 0.5", "1e-4 / S", "(\"multi", "(\"linear\", \"multi",
         "a linear gate with W near 0 returns b, the same for all: give it an ordinary W"),
        ("1e-4 / S", "(3 / S) ** 0.5",
         "W scrambles the tokens: let it be near 0, and b decide"),
        ("size, (S, S))", "size, (1, S)).repeat(S, axis=0)",
         "the rows of W are alike, so the tokens come out alike: sample around 0"),
        ("(3 / S) ** 0.5", "3**0.5",
         "a sum of S products of size 1 has the size √S: divide W by √S"),
        ("(3 / S) ** 0.5", "3**0.5 / S",
         "a sum of S products has the size √S, not S: divide W by √S"),
        ("size, (S, S)), b", "size, (S, S))", "return two arrays, W and b"),
    ],
    compares=(
        "the start of the linear gate",
        "the start of the additive gate",
        "the start of the multiplicative gate",
        "the start of the split gate",
    ),
    takes=8,
    level=3,
    hints=["What is f if W is near 0?", "A sum of S independent products has the size √S."],
    reasoning="With W near 0, f is b; a linear gate has only W, its variance is 1/S.",
    solved="What a gate does before it has learned anything is your decision.",
    properties=[_sampled],
    run=_effects,
)  # fmt: skip
def _tokens(draw):
    yield 8
    yield 64


NO_SOFTMAX = "no softmax follows: what does not count is 0, not −∞"


def run_matrix(Unit, W, t):
    """The four matrices: free and Toeplitz, then both of them causal."""

    def matrix(causal, toeplitz, weights):
        unit = Unit(causal=causal, toeplitz=toeplitz)
        unit.build((None, len(W), 4))
        try:
            if unit.matrix() is None:
                return None
            before = np.array(ops.convert_to_numpy(unit.matrix()))
            unit.W.assign(weights)
            matrix = unit.matrix()
            stays = before.any() and np.array_equal(before, ops.convert_to_numpy(matrix))
            require(not stays, "the matrix stays when W changes: make it of self.W anew")
            return matrix
        except Exception as error:
            if isinstance(error, IndexError) or "is not in [0" in str(error):
                return "an index beyond the end of t"
            raise

    causal = matrix(True, False, W), matrix(True, True, t[: len(W)])
    return matrix(False, False, W), matrix(False, True, t), *causal


def learns(Unit):
    """The gradient of each matrix has to reach the weights that are trained."""
    kinds = [(causal, toeplitz) for causal in (False, True) for toeplitz in (False, True)]
    units = [Unit("additive", causal, toeplitz) for causal, toeplitz in kinds]
    x = np.arange(3, dtype="float32")[:, None]
    try:
        model = keras.Sequential([keras.Input((3, 4)), *units])
        before = [ops.convert_to_numpy(unit.W) for unit in units]
        model.compile(keras.optimizers.SGD(1.0), "mse", jit_compile=False)
        model.train_on_batch(np.tile(x, (2, 1, 4)) ** 2 + np.arange(4), np.ones((2, 3, 4)))
        after = [ops.convert_to_numpy(unit.W) for unit in units]
        moved = all(np.any(one != other) for one, other in zip(before, after, strict=True))
    except Exception:  # a NumPy array in `matrix` cannot be made while Keras builds its graph
        moved = False
    require(
        moved,
        "no gradient reaches W or t: take it with ops.take, and do not turn it into a NumPy "
        "array",
    )
    require_no_penalty(model)


INDEX = "distance + S - 1)"
CAUSAL_INDEX = "np.maximum(distance, 0)"
KEPT = "ops.where(distance >= 0, W, 0.0) if self.causal else W"


@exercise(
    "08b.2",
    layers.SpatialGatingUnit,
    mistakes=[
        (INDEX, "S - 1 - distance)", CAUSAL_INDEX, "-distance",
         "mirrored: row i, column j takes t[i − j + S − 1], not t[j − i + S − 1]"),
        (INDEX, "distance)", "a negative index counts from the end: add S − 1 to i − j"),
        (INDEX, "np.abs(distance))", "left and right have different weights: no abs"),
        (INDEX, "distance % S)", "not a circle: −1 and S − 1 are two distances"),
        (INDEX, "distance + S - 2)", "one index off: the token itself takes t[S − 1]"),
        (">=", "<=", "the wrong triangle: token i may read j where j ≤ i"),
        (">=", ">", "a token may read itself: keep the diagonal"),
        (KEPT, "W", "with causal nothing above the diagonal may count: set it to 0"),
        ("W, 0.0", "W, -np.inf", NO_SOFTMAX),
        (CAUSAL_INDEX, "distance + S - 1",
         "a causal t is (S,), and W[i, j] = t[i − j]: no S − 1 is added"),
        (" if self.causal else W", "",
         "only with self.causal does nothing above the diagonal count"),
        ("ops.convert_to_tensor(self.W)", "ops.transpose(self.W)",
         "a free W is used as it is, not transposed"),
    ],
    compares=(
        "the free matrix",
        "the Toeplitz matrix",
        "the causal matrix",
        "the causal Toeplitz matrix",
    ),
    takes=8,
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
)  # fmt: skip
def _weights(draw):
    for S in (3, 5):
        yield draw.normal(size=(S, S)), draw.normal(size=2 * S - 1)


NEW = "ids[place] % (vocab_size - 1) + 1"
PLACES = "range(1, len(ids))"
CHANGED = "(encode(other, 1e4) != before)[:place].any()"
BY = "(encode(other, 1e4) - before)[:place]"
SMALL = "a new W is near 0 and hides its leak: call encode with a scale of 10,000"


@exercise(
    "08b.3",
    lecture_08b.reads_future,
    mistakes=[
        (", 1e4", "", SMALL),
        (CHANGED, f"(np.abs({BY}) > 1e-5).any()", ", 1e4", "", SMALL),
        ("encode(other, 1e4)", "encode(other)",
         "both states have to be of one model: the same scale in both calls"),
        ("encode(ids, 1e4)", "encode(ids)",
         "both states have to be of one model: the same scale in both calls"),
        ("[:place]", "", "the changed token and later ones may change: compare only the states "
         "before it"),
        (PLACES, "[len(ids) - 1]",
         "replace every token in turn: some leaks do not start at the last one"),
        (PLACES, "range(1, len(ids) - 1)", "the last token is left out: replace it, too"),
        ("[:place]", "[0]", "compare all states before the changed token, not only the first"),
        ("[:place]", "[place - 1]",
         "compare all states before the changed token, not only its neighbour"),
        (CHANGED, f"({BY} > 0).any()", "a state may rise or fall: compare by !="),
        (CHANGED, f"abs({BY}.sum()) > 1e-9",
         "changes cancel in a sum: look at each number"),
        (".any()", ".all()", "one changed number is a leak: any, not all"),
        (CHANGED, f"(np.abs({BY}) > 0.01).any()", "the limit is too high: leaks may be small"),
        (CHANGED, f"(np.abs({BY}) > 0.0005).any()",
         "the limit is too high: leaks may be small"),
        (NEW, "0", "0 is padding, which a mask hides: replace a token by another id"),
        (NEW, "ids[place] + 1", "the largest id has none above it: stay below vocab_size"),
        (NEW, "1", "an id that is 1 already is not replaced: take another one"),
        ("            return True", "            return True\n        return False",
         "return False only after the loop: a later token may leak, too"),
        ("return True\n    return False", "return False\n    return True",
         "exchanged: True says that the future is read"),
    ],
    compares="the answer",
    takes=7,
    level=3,
    hints=["For each position from 1 on: copy ids, replace that one token, encode again.",
           "Compare encode(other, 1e4)[:place] with encode(ids, 1e4)[:place]."],
    reasoning="A causal state may change only where its own token or an earlier one changes. "
    "With W scaled up, a leak is as large as the states, whatever the weights are.",
    solved="Ten lines that every language model deserves before it is trained.",
)  # fmt: skip
def _encoders(draw):
    S, C, size = 6, 3, 10
    table = draw.normal(size=(size, C))
    table[0] = 0  # padding
    ids = draw.integers(1, size, S)

    def leaky(*entries, table=table, grows=1e-4):
        """Causal states, and besides what row i reads of a later token j, by a weight."""

        def encode(ids, scale=1):
            states = table[ids]
            out = np.cumsum(states, axis=0) * (1 + grows * scale)
            for row, column, weight in entries:
                out[row] += np.dot(states[column], weight)
            return out

        return encode

    def switched(at, place, by):
        """The states at `at` change, always alike, once token `place` is another one."""

        def encode(given, scale=1):
            out = leaky()(given, scale)
            out[at] += by * (given[place] != ids[place])
            return out

        return encode

    def hidden(place):
        """A new W, of 4e-6, lets all earlier tokens read one; numbers of 16 bits hide it."""

        def encode(given, scale=1):
            out = 1 + np.abs(np.cumsum(table[given], axis=0))
            out = out.astype("float16").astype("float64")
            out[:place] += 4e-6 * scale * (given[place] != ids[place])
            return out.astype("float16").astype("float64")

        return encode

    def skips_padding(ids):
        """A leak of token 3 that a pad cannot show: 0 adds nothing, nor did the token."""

        def encode(given, scale=1):
            out = leaky()(given, scale)
            out[1] += 1.0 * (given[3] not in (0, ids[3]))
            return out

        return encode, ids, size

    one_channel = np.diag([0, 0, 1])
    opposite_channels = np.outer([1, 0, 0], [1, -1, 0])
    for encode in (
        leaky(),
        hidden(5),
        hidden(1),
        leaky(*((0, later, 1.0) for later in range(1, S))),  # from all tokens
        leaky((0, 5, 1.0)),  # from the last token to the first
        leaky((3, 4, 1.0)),  # between neighbours
        leaky((0, 1, 1.0)),
        leaky((2, 4, 1e-3)),
        leaky((2, 4, 1e-4)),
        leaky((1, 3, one_channel)),
        leaky((1, 4, opposite_channels)),
        leaky((0, 5, 1.0), (1, 5, -1.0)),
        switched((2, 1), 4, -0.5),
        switched((0, 0), 1, 1.0),
    ):
        yield encode, ids, size
    for leaks in (ids[3], size - 1, 1, size // 2):  # the last one equals size − itself
        yield skips_padding(np.where(np.arange(S) == 3, leaks, ids))
    few = draw.integers(1, 4, 3)
    for weight in (0.0, 1.0):
        yield leaky((0, 2, weight), table=table[:4], grows=0), few, 4  # an id of 4 is none


def over_tokens(z, std=0):
    """The bug: mean and deviation of Z_2 are taken over all tokens, the later ones included."""
    return (z - z.mean(axis=0, keepdims=True)) / z.std(axis=std, keepdims=True)


Z_1, Z_2 = "z[:, :half]", "z[:, half:]"
NORMED = f"norm({Z_2})"


@exercise(
    "08b.4",
    lecture_08b.causal_gate,
    mistakes=[
        (NORMED, f"over_tokens({Z_2})",
         "the norm over axis 0 still uses later tokens' mean and deviation: axis=-1"),
        (NORMED, f"over_tokens({Z_2}, std=1)", "the norm still uses later tokens' mean"),
        (Z_1, "z[:, half:]", NORMED, "norm(z[:, :half])",
         "the halves are exchanged: Z_1 passes, Z_2 is read"),
        (f"np.tril(W) @ {NORMED}", f"norm(np.tril(W) @ {Z_2})", "the norm comes before W"),
        (NORMED, Z_2, "the norm is missing: each token over its own channels"),
        (NORMED, "norm(z)[:, half:]", "normalise Z_2 alone: split first"),
        ("np.tril(W)", "W", "W still reads later tokens: np.tril(W)"),
        ("np.tril(W)", "np.tril(W, 1)",
         "each token still reads the next one: np.tril(W), without an offset"),
        ("np.tril", "np.triu", "the wrong triangle: np.tril keeps j ≤ i"),
        ("np.tril(W)", "np.tril(W, -1)", "a token may read itself: keep the diagonal"),
        ("np.tril(W)", "np.tril(W.T)", "W is transposed: its rows are output tokens"),
        ("b[:, None]", "b", "one number per token needs a second axis: b[:, None]"),
        (NORMED, f"({Z_2} - {Z_2}.mean()) / {Z_2}.std()",
         "one mean of all numbers still uses later tokens: each token over its channels"),
        (NORMED, f"({Z_2} - {Z_2}.mean(axis=1, keepdims=True))",
         "the norm also divides by each token's deviation: norm(z_2)"),
        (f"{Z_1} *", f"{Z_1} +", "the gate multiplies Z_1"),
        (f"{NORMED} + b[:, None])", f"{NORMED}) + b[:, None]",
         "b is added before Z_1 multiplies"),
        (Z_1, "norm(z)[:, :half]", NORMED, "norm(z)[:, half:]",
         "normalise Z_2 alone: split first"),
        (Z_1, f"norm({Z_1})", "Z_1 passes as it is: only Z_2 is normalised"),
        (" + b[:, None]", "", "b is missing"),
    ],
    compares="the output of the gate",
    takes=5,
    level=2,
    hints=["Go through the lines: which of them computes one number from several tokens?",
           "`norm(z_2)` normalises every token over its channels."],
    reasoning="Mean and deviation over axis 0 are taken over all tokens, later ones included.",
    solved="A causal matrix does not make a causal model: every line has to be.",
)  # fmt: skip
def _gates(draw):
    for S, D in [(3, 8), (4, 10)]:  # deviations so large that an epsilon in the norm is small
        yield 9 * draw.normal(size=(S, D)), draw.normal(size=(S, S)), draw.normal(size=S)


def run_attention(Attention, output_dim, key_dim, x, mask):
    """Four results: no mask; a mask; causal; causal with a mask."""
    results = []
    for causal in (False, True):
        build = partial(Attention, output_dim, key_dim=key_dim, causal=causal)
        results += [layer_outputs(build, x)[0], layer_outputs(build, x, mask)[mask]]
    return tuple(results)


def _on_three(Attention, causal=True):
    """A built layer as a function of x; its mask is made of x."""
    layer = Attention(5, key_dim=4, causal=causal)
    layer.build((None, 3, 6))
    require_no_penalty(layer)
    return lambda x: layer(x, mask=ops.any(ops.not_equal(x, 0), axis=-1))


ORDER = "query, key, value ="
MASKED = 'ops.cast(mask, "bool")'
CAUSAL = "causal_mask(x.shape[1], x.shape[1])"


@exercise(
    "08b.5",
    layers.TinyAttention,
    mistakes=[
        (ORDER, "query, value, key =", "key and value are exchanged: the parts are query, key, "
         "value, and self.attention(query, value, key) takes the value before the key"),
        (ORDER, "key, query, value =", "query and key are exchanged: the parts are query, key, "
         "value"),
        (ORDER, "value, key, query =", "the parts are query, key, value, in this order"),
        ("value, key, all_of", "key, key, all_of", "the values are missing: query, value, key"),
        ("self.attention(query,", "self.attention(query / self.key_dim**0.5,",
         "self.attention divides by √d_k already"),
        ("return self.output_projection(", "return (",
         "the output projection is missing: the result has output_dim channels"),
        ("[:, None]]", "]", "the padding mask lacks the axis of the queries: mask[:, None]"),
        (MASKED, "ops.logical_not(mask)",
         "inverted: a mask is True where a token may be attended to"),
        ("if mask is None", "if True",
         "no token may attend to a pad: the padding mask is on the keys, mask[:, None]"),
        ("all_of(masks)", "ops.logical_or(masks[0], masks[-1]) if masks else None",
         "both masks have to allow it: and, not or"),
        ("if mask is None", "if mask is None or self.causal",
         "the padding mask counts with self.causal, too: join both"),
        ("if self.causal", "if False",
         "with self.causal no token attends to a later one: causal_mask(S, S)"),
        ("if self.causal", "if True", "the causal mask belongs to self.causal only"),
        ("all_of(masks)", "None",
         "the masks are missing: pads, and later tokens with self.causal"),
        (CAUSAL, f"ops.transpose({CAUSAL})",
         "the wrong triangle: a token attends to itself and to earlier ones"),
    ],
    compares=(
        "the output without a mask",
        "the output with a mask",
        "the causal output",
        "the causal output with a mask",
    ),
    takes=8,
    level=3,
    hints=["query, key, value = ops.split(self.query_key_value(x), 3, axis=-1)",
           "mask[:, None] is (batch, 1, S), and causal_mask(S, S)[None] is (1, S, S)."],
    reasoning="One head: lecture 6's scaled dot product, brought to the gate's width.",
    solved="W is a parameter; these weights are computed for each text.",
    properties=[open_shapes(_on_three, (3, 6))],
    run=run_attention,
)  # fmt: skip
def _texts(draw):
    # Pads at the end, or in front, where all read it.
    for output_dim, key_dim, S, C, pads in ((5, 4, 3, 6, [-1, 2]), (3, 2, 4, 5, [-1, 0, 1])):
        mask = np.arange(S) != np.array(pads)[:, None]
        yield output_dim, key_dim, vectors(draw, len(pads), S, C), mask


def tried(make):
    """Train a student's recaller, and see how often it is right."""
    keras.utils.set_random_seed(0)
    model, learning_rate = parts(make(32), "return two things: the model and the learning rate")
    predicted(model, np.ones((2, 33), "int32"), (8,), "logits")
    inside = model._flatten_layers(include_self=False)
    heads = [layer for layer in inside if hasattr(layer, "num_heads")]
    require(not heads, "a gMLP is asked for, not a Transformer: leave num_heads out")
    require(getattr(model, "optimizer", None) is None, "return the model untrained")
    count = model.count_params()
    require(count <= 23_000, f"{count:,} parameters, and 23,000 are allowed")
    try:
        make(4)[0].predict(np.ones((2, 5), "int32"), verbose=0)
        takes_others = True
    except ValueError:
        takes_others = False
    require(takes_others, "a row has `names` pairs and a question: use names")
    with watched_training() as training:
        run = lecture_08b.train_recaller(model, 32, True, learning_rate, batches=1_000)
    attends = any(getattr(layer, "attention", None) is not None for layer in inside)
    reached = run.history["val_accuracy"][-1]
    told = "no arrangement of W alone is known to reach it: tiny_attention=16"
    training.reaches(reached, 0.65, "accuracy", None if attends else told)


@exercise(
    "08b.6",
    lecture_08b.make_recaller,
    mistakes=[
        (lambda names: lecture_08b.recaller(names), "return two things"),
        (lambda names: (lecture_08b.recaller(names, mlp_dim=512), 4e-3), "are allowed"),
        (lambda names: (lecture_08b.recaller(names, num_heads=2, mlp_dim=64), 4e-3),
         "not a Transformer"),
    ],
    takes=8,
    level=3,
    hints=["`recaller(names, tiny_attention=16)`: everything else may stay as it is.",
           "Try the learning rates 0.001, 0.004, 0.016."],
    reasoning="Attention compares the question with every pair, wherever it stands.",
    solved="It finds the pair wherever it stands.",
    trains=tried,
    limit=300,
)  # fmt: skip
def no_arguments(draw):
    yield ()
