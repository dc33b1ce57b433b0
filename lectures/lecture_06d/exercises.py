"""Exercises of lab 06d: parts of a decoder of today, a cache, sampling, experts, blocks."""

import tracemalloc

import numpy as np
from keras import ops

from course_utils.checks import (
    open_shapes,
    parts,
    ready,
    require_learning,
    symbolic,
    vectors,
)
from course_utils.exercises import exercise, require
from lectures import lecture_06d
from lectures.lecture_05 import softmax

EVEN = "even * cosine - odd * sine"
PAIR = f"{EVEN}, even * sine + odd * cosine"


def _turns_whole_numbers(turn):
    """A layer's positions are whole numbers, which a backend may keep in a product."""
    x, places = vectors(np.random.default_rng(0), 1, 2, 5, 8), np.arange(5)
    given = ops.convert_to_tensor(places, "int32"), places.astype("float32")
    one, other = (ops.convert_to_numpy(turn(x, positions)) for positions in given)
    told = "a tensor of whole positions turns by other angles: cast the positions to float32 "
    told += "before you multiply"
    require(np.allclose(one, other, atol=1e-4), told)


@exercise(
    "06d.1",
    lecture_06d.rotate,
    mistakes=[
        ("sin(angles)", "sin(-angles)",
         "turned clockwise: the even channel is even · cos − odd · sin"),
        ("x[..., ::2], x[..., 1::2]", "x[..., : d_k // 2], x[..., d_k // 2 :]",
         "ops.stack", "ops.concatenate", "a pair is channels 2i and 2i + 1, side by side"),
        ("/ d_k", "/ d_k / 2", "the exponent is −2i / d_k"),
        ("-np.arange", "np.arange", "the exponent is negative"),
        ("(base **", "(10_000.0 **", "use the argument base in place of 10,000"),
        ("cast(positions", "cast(np.arange(len(positions))",
         "the tokens stand at `positions`, which need not begin at 0"),
        ("- odd * sine", "+ odd * sine",
         "one minus is missing: the even channel is even · cos − odd · sin"),
        ("cosine, sine =", "sine, cosine =", "cosine and sine are exchanged"),
        ("-np.arange", "-2 * np.arange",
         "the exponent is −2i / d_k: i counts pairs, 0, 1, 2, …"),
        (PAIR, f"{EVEN}, ({EVEN}) * sine + odd * cosine",
         "the odd channel needs the even one as it was, not turned already"),
        ("ops.stack", "ops.concatenate", "the pairs have to be interleaved again"),
    ],
    compares="the turned vectors",
    takes=8,
    level=3,
    hints=["angles = ops.cast(positions, \"float32\")[:, None] * speeds, with speeds = "
           "(base ** (-np.arange(0, d_k, 2) / d_k)).astype(\"float32\").",
           "ops.stack([even·cos − odd·sin, even·sin + odd·cos], axis=-1), then ops.reshape."],
    reasoning="Stacking on a last axis and reshaping interleaves the pairs again.",
    solved="A score now knows how far apart two tokens are, and nothing else of positions.",
    properties=[
        open_shapes(lambda turn: lambda x: turn(x[:, None], ops.arange(3)), (3, 8)),
        _turns_whole_numbers,
    ],
)  # fmt: skip
def turned(draw):
    yield vectors(draw, 1, 1, 2, 4), np.array([1.0, 3.0], "float32")
    yield vectors(draw, 2, 3, 4, 6), np.array([5.0, 6.0, 7.0, 8.0], "float32"), 100.0
    yield vectors(draw, 3, 2, 3, 8), np.array([0, 7, 4]), 50.0


def _all_learn(*settings):
    """Return a property: a new layer's weights learn, and nothing else stands in the loss."""

    def holds(Layer):
        layer = Layer(*settings)
        layer.build((2, 3, 8))
        require_learning(layer)

    return holds


def _one_at_first(Norm):
    norm = Norm()
    norm.build((2, 3, 8))
    told = "a new scale changes nothing: its weights are 1"
    require(all(np.allclose(weight, 1) for weight in norm.weights), told)


DIVIDED = "* ops.rsqrt(mean_square + self.epsilon)"
MEAN = "ops.mean(ops.square(x), axis=-1, keepdims=True)"


@exercise(
    "06d.2",
    lecture_06d.RMSNorm,
    mistakes=[
        ("* ops.rsqrt", "/ ", "divide by the root of the mean square"),
        (" * self.scale", "", "the learned scale is missing: self.scale"),
        ("axis=-1", "axis=-2", "the mean runs over the channels, the last axis"),
        (", keepdims=True", "", "keepdims=True keeps the axis, so that x can be divided"),
        ("rsqrt", "sqrt", "divide by the root, do not multiply"),
        (" + self.epsilon", "", "epsilon is missing: tiny vectors are blown up"),
        (DIVIDED, "/ (ops.sqrt(mean_square) + self.epsilon)", "epsilon belongs under the root"),
        ("self.epsilon)", "1e-6)", "use self.epsilon, which the layer was made with, not 1e-6"),
        ("* self.scale", "+ self.scale", "multiply by the scale, do not add it"),
        ("mean_square =", "x = x - ops.mean(x, axis=-1, keepdims=True)\n        mean_square =",
         "that is LayerNorm: RMSNorm subtracts no mean"),
        ("ops.mean", "ops.sum", "the mean of the squares, not their sum"),
        (MEAN, "ops.square(ops.mean(x, axis=-1, keepdims=True))",
         "square first, then take the mean"),
        (MEAN, "ops.var(x, axis=-1, keepdims=True)",
         "the mean of the squares, not the variance, which subtracts the mean"),
        (DIVIDED, "/ ops.norm(x, axis=-1, keepdims=True)",
         "divide by the root of the mean square, not by the length: d is missing"),
        (DIVIDED, "/ (ops.std(x, axis=-1, keepdims=True) + self.epsilon)",
         "that is the standard deviation, which subtracts the mean: RMSNorm does not"),
    ],
    compares="the normalised vectors",
    takes=4,
    level=1,
    hints=["The mean of ops.square(x) over the last axis.", "x * ops.rsqrt(… + self.epsilon)."],
    reasoning="It is LayerNorm without the mean and the shift.",
    solved="One line less than LayerNorm.",
    properties=[
        symbolic(lambda Layer: ready(Layer, (), (2, 3, 8))),
        _all_learn(),
        _one_at_first,
    ],
    run=lambda Layer, x: ready(Layer, (0.02,), x.shape)(x),
)  # fmt: skip
def to_norm(draw):
    yield from ((vectors(draw, 2, 3, 4) + 1,), (vectors(draw, 3, 2, 5) * 3,))
    yield from ((vectors(draw, 1, 2, 3) * 0.1,), (vectors(draw, 2, 2, 3) * 1e-3,))


CALL = "self.down(ops.silu(self.gate(x)) * self.up(x))"


@exercise(
    "06d.3",
    lecture_06d.SwiGLU,
    mistakes=[
        (CALL, "self.down(ops.silu(self.up(x)) * self.gate(x))", "silu belongs to the gate"),
        ("ops.silu", "ops.sigmoid", "silu(a) = a · sigmoid(a); the sigmoid alone is GLU"),
        ("ops.silu", "", "the silu is missing"),
        ("* self.up", "+ self.up", "gate times up, not plus"),
        (" * self.up(x)", "", "the second product, up, is missing"),
        (CALL, f"x + {CALL}", "the residual connection is the block's, not yours to add"),
        ("self.down(ops", "(ops", "down is missing"),
        (CALL, "self.down(ops.silu(self.gate(x) * self.up(x)))", "silu on the gate alone"),
        ("* self.up(x)", "* ops.silu(self.up(x))", "silu on the gate alone, not on up"),
        ("ops.silu", "ops.gelu", "silu, not gelu"),
        ("ops.silu", "ops.relu", "silu, not relu"),
        ("ops.silu", "ops.tanh", "silu, not tanh"),
        ("self.up(x)", "x", "the gate opens self.up(x), not x"),
    ],
    compares="the output",
    takes=3,
    level=1,
    hints=["ops.silu(self.gate(x)) is what opens.", "Times self.up(x), then self.down."],
    reasoning="One product opens, another passes, a third returns to the width of the tokens.",
    solved="The gate of lecture 3, without a state.",
    properties=[symbolic(lambda Layer: ready(Layer, (5,), (2, 3, 8))), _all_learn(5)],
    run=lambda Layer, mlp_dim, x: ready(Layer, (mlp_dim,), x.shape)(x),
)  # fmt: skip
def to_gate(draw):
    yield from ((5, vectors(draw, 1, 2, 3)), (7, vectors(draw, 2, 3, 4)))


def _run_grouped(Layer, heads, kv_heads, d_k, x):
    layer = ready(Layer, (heads * d_k, heads, kv_heads), x.shape)
    draw = np.random.default_rng(3)
    q, k, v = (vectors(draw, 2, *shape, d_k) for shape in ((heads, 1), *2 * ((kv_heads, 4),)))
    one = layer.attend(q, k, v, ops.convert_to_tensor([[True, False, True, False]]))
    return layer(x), one


GIVEN = "use the mask that `attend` is given: with a cache one query meets many keys"
OWN = "self.attention(q, v, k, attention_mask=mask)"
LATE = "ops.softmax(q @ ops.swapaxes(k, 2, 3) / self.d_k**0.5) * ops.cast(mask, q.dtype) @ v"
KEYS, VALUES = "ops.repeat(k, group, axis=1)", "ops.repeat(v, group, axis=1)"


@exercise(
    "06d.4",
    lecture_06d.GroupedAttention,
    mistakes=[
        (KEYS, "ops.tile(k, (1, group, 1, 1))", VALUES, "ops.tile(v, (1, group, 1, 1))",
         "neighbouring query heads share a pair: repeat each head, do not tile them all"),
        ("(k, group", "(k[:, :1], self.num_heads", "(v, group", "(v[:, :1], self.num_heads",
         "that is multi-query attention: all heads share the first pair"),
        (VALUES, "v", "repeat the values as you repeat the keys"),
        (KEYS, "k", VALUES, "v", "repeat each key-value head for its group of query heads"),
        ("=mask)", "=ops.arange(q.shape[2])[:, None] >= ops.arange(k.shape[2]))", GIVEN),
        ("=mask)", "=ops.tril(ops.ones((q.shape[2], q.shape[2]))))", GIVEN),
        ("=mask)", "=None)", "the mask is not passed on"),
        (OWN, LATE, "the mask comes before the softmax: the weights have to sum to 1"),
        ("attention(q,", "attention(q * self.d_k**0.5,", "the scores are not divided by √d_k"),
        ("=mask)", "=ops.logical_not(mask))", "the mask is True where a query may attend"),
        ("self.output_(ops", "(ops", "the output projection is missing: self.output_"),
        ("(0, 2, 1, 3)", "(0, 1, 2, 3)", "(context)[1]", "(context)[2]",
         "transpose the heads after the tokens before the reshape"),
        ("q, v, k", "q, k, v", "self.attention takes query, value, key, in this order"),
        ("q, v, k", "q, v, v", "self.attention is not given the keys"),
        (KEYS, "ops.repeat(k, group, axis=2)", VALUES, "ops.repeat(v, group, axis=2)",
         "repeat the heads, axis 1, not the tokens"),
        (KEYS, "ops.repeat(k, self.num_kv_heads, axis=1)",
         VALUES, "ops.repeat(v, self.num_kv_heads, axis=1)",
         "each key-value head serves num_heads // num_kv_heads query heads"),
    ],
    compares=("the output", "the output of one query under a mask"),
    takes=8,
    level=3,
    hints=["ops.repeat(k, self.num_heads // self.num_kv_heads, axis=1), and the same for v.",
           "self.attention(q, v, k, attention_mask=mask), transpose, reshape, self.output_."],
    reasoning="After the repetition it is ordinary attention; only the cache got smaller.",
    solved="With one key-value head it is multi-query attention, with all of them multi-head.",
    properties=[open_shapes(lambda Layer: ready(Layer, (8, 4, 2), (2, 3, 8)), (3, 8))],
    run=_run_grouped,
)  # fmt: skip
def groups(draw):
    yield 4, 2, 2, vectors(draw, 2, 3, 8)
    yield 6, 2, 4, vectors(draw, 1, 5, 24)
    yield 3, 1, 2, vectors(draw, 3, 2, 6)
    yield 2, 2, 4, vectors(draw, 1, 4, 8)


def _run_steps(Layer, heads, kv_heads, x, places):
    layer = ready(Layer, (x.shape[-1], heads, kv_heads), x.shape)
    cache, said = layer.start(len(x), x.shape[1] + 2), []
    for place in range(places):
        told = "return two things: the output, then the cache"
        output, cache = parts(layer.step(x[:, place : place + 1], cache, place), told)
        require(isinstance(cache, dict), told)
        said.append(ops.convert_to_numpy(output))
    return np.concatenate(said, axis=1), cache


def _step_of(Layer):
    """One step whose position is a tensor, as when decoding is compiled."""
    layer = ready(Layer, (8, 4, 2), (2, 3, 8))

    def step(x):
        return layer.step(x[:, :1], layer.start(2, 4), ops.cast(0 * x[0, 0, 0], "int32"))[0]

    return step


WRITE = "(0, 0, position, 0)"
ATTENDED = "q, keys, values, written"
CACHE = '{"keys": keys, "values": values}'


def _of_fixed_shape(Layer):
    """JAX compiles no array whose size hangs on a number that it does not know yet."""

    class Watched(Layer):
        def attend(self, q, k, v, mask):
            told = "attend to the whole cache: a size that hangs on `position` cannot be "
            told += "compiled on every backend; the mask hides what is not written yet"
            require(k.shape[2] == v.shape[2] == 7, told)
            return super().attend(q, k, v, mask)

    layer = ready(Watched, (8, 4, 2), (2, 3, 8))
    layer.step(vectors(np.random.default_rng(0), 2, 1, 8), layer.start(2, 7), 2)


@exercise(
    "06d.5",
    lecture_06d.CachedAttention,
    mistakes=[
        ("q, k, v =", "position = 0\n        q, k, v =",
         "each token attends only to itself: is the position always 0, does the mask show one "
         "slot alone, or is the old cache lost?"),
        ("(position, (1,))", "(0, (1,))", "the token is rotated as if it stood at position 0"),
        (WRITE, "(0, 0, 0, 0)", "every key overwrites the first: write at position"),
        ("<= position", "< position", "a token attends to itself, too: up to position"),
        ("<= position", ">= 0", "the empty rest of the cache must not be seen"),
        (WRITE, "(0, 0, position + 1, 0)", "write at position, not one place later"),
        ('"values": values', '"values": cache["values"]',
         "the new value belongs into the cache, too"),
        ("written), ", "written)[:, 0], ", "the output is (batch, 1, embed_dim)"),
        ("q, k, v =", "q, v, k =", "keys and values are exchanged in the cache"),
        (ATTENDED, "q, values, keys, written", "self.attend takes q, k, v, in this order"),
        (ATTENDED, 'q, cache["keys"], cache["values"], written',
         "attend to the new keys and values, not to the old cache"),
        (CACHE, "cache", "return the grown cache, not the old one"),
        (f", {CACHE}", "", "return two things: the output, then the cache"),
        ("(position, (1,))", "(position + 1, (1,))",
         "positions count from 0: the token stands at `position`"),
        ("[None]\n", "\n", "the mask has the shape (1, max_length): a row for the one query"),
        ('cache["keys"], (0', 'cache["values"], (0', "the key goes into cache[\"keys\"]"),
        ("values =", "v = self.rotate(v, ops.reshape(position, (1,)))\n        values =",
         "values are not rotated, only queries and keys"),
        ("position, 0), v)", "position, 0), k)", "the new value goes into cache[\"values\"]"),
    ],
    compares=("the outputs", "the cache"),
    takes=10,
    level=3,
    hints=["self.project(x, ops.reshape(position, (1,))), then ops.slice_update at "
           "(0, 0, position, 0), for keys and for values.",
           "The mask is True up to position: (ops.arange(max_length) <= position)[None]."],
    reasoning="Each key and value is computed once, at the position where its token stands.",
    solved="Every token is computed once; what is kept is two small arrays a layer.",
    run=_run_steps,
    properties=[
        _of_fixed_shape,
        symbolic(_step_of, "`position` is a tensor: ops.reshape(position, (1,))"),
    ],
)  # fmt: skip
def tokens_in_turn(draw):
    yield 4, 2, vectors(draw, 1, 3, 8), 3
    yield 3, 1, vectors(draw, 2, 5, 12), 5


def _reached(answer):
    """Equal probabilities add up to top_p without a rounding error."""
    kept = np.sort(answer(np.zeros(4), 1.0, 0.5))
    require(np.allclose(kept, [0, 0, 0.5, 0.5]), EXACTLY)


def _can_be_drawn_from(answer):
    """NumPy draws from probabilities that sum to 1 within 1.5e-8."""
    draw = np.random.default_rng(0)
    for _ in range(10):
        p = answer(draw.normal(0, 2, 126), 1.0, 1.0)
        try:
            draw.choice(126, p=p)
        except ValueError:
            require(False, "the probabilities have to sum to 1: do not round them")


EXACTLY = (
    "two words of probability 0.25 reach top_p = 0.5 exactly: the nucleus ends with the second"
)
DROPPED = "before >= top_p"
RETURNED = "return probabilities / probabilities.sum()"


@exercise(
    "06d.6",
    lecture_06d.next_word_probabilities,
    mistakes=[
        ("/ temperature", "* temperature", "divide the logits by the temperature"),
        ("np.exp((logits - np.max(logits)) / temperature)", "np.exp(logits / temperature)",
         "∞ or NaN for large logits: take the largest off first"),
        ("order[before >= top_p]", "order[len(order) - int(top_p * len(order)) :]",
         "top_p is a probability, not a share of the words"),
        ("/ temperature", "", "the temperature is not used"),
        (DROPPED, "before > top_p", EXACTLY),
        (DROPPED, "before + probabilities[order] >= top_p",
         "the word that reaches top_p belongs to the nucleus"),
        (DROPPED, "probabilities[order] < top_p",
         "top_p adds probabilities up, from the most probable word on"),
        (RETURNED, "powers = np.exp(np.where(probabilities > 0, logits / temperature, 0))\n"
         "    return powers / powers.sum()",
         "a dropped word's probability is 0: its logit would be −∞, not 0"),
        (RETURNED, "return np.exp(probabilities) / np.exp(probabilities).sum()",
         "divide by the sum: no second softmax"),
        (DROPPED, "before <= 1 - top_p", "begin with the most probable word"),
        ("np.argsort(-probabilities)", "np.arange(len(logits))",
         "sort the words first, the most probable one in front"),
        (lambda *how: np.sort(lecture_06d.next_word_probabilities(*how))[::-1],
         "give each word its probability at its own place, not sorted"),
        (RETURNED, "return probabilities", "scale what is left to sum 1"),
        ("/ temperature", "",
         RETURNED, f"probabilities **= 1 / temperature\n    {RETURNED}",
         "the temperature comes first, then top_p"),
    ],
    compares="the probabilities",
    takes=7,
    level=2,
    hints=["Sort the probabilities; np.cumsum adds up those of the words up to each one.",
           "A word stays if those before it have less than top_p together."],
    reasoning="A word is kept while the ones before it do not reach top_p yet.",
    solved="Few words where the model is sure, many where it is not.",
    properties=[_reached, _can_be_drawn_from],
)  # fmt: skip
def to_sample(draw):
    yield draw.normal(0, 2, 4), 0.5, 1.0
    yield draw.normal(0, 2, 5), 1.0, 0.7
    yield draw.normal(0, 2, 9), 2.0, 0.6
    yield draw.normal(0, 2, 30), 0.8, 0.9
    yield draw.normal(2_000, 2, 6), 0.5, 0.9
    yield 20 * draw.normal(0, 1, 7), 4.0, 1.0


def _experts(matrices):
    """One network of two layers per matrix (d, d), each with its own answer to a zero."""
    return [lambda x, W=W, n=n: np.tanh(x @ W + n) @ W.T for n, W in enumerate(matrices, 1)]


def _route(answer, x, router, matrices):
    return answer(x, router, _experts(matrices))


def _each_token_once(answer):
    """Every token is computed by one expert: that is what makes more weights cheap."""
    draw, computed = np.random.default_rng(0), []

    def expert(x):
        computed.append(np.size(x) // 3)
        return x

    answer(draw.normal(size=(7, 3)), draw.normal(size=(3, 4)), [expert] * 4)
    told = f"the numbers are right, but the experts compute {sum(computed)} tokens for 7: hand "
    require(sum(computed) == 7, f"{told}each expert its own tokens alone")


GATED = "probabilities[mine, number, None] * expert(x[mine])"
BALANCE = "len(experts) * np.sum(shares * np.mean(probabilities, axis=0))"
P_ALL = "P is the mean probability of each expert, over all tokens"
NO_FACTOR = "the loss is multiplied by the number of experts, so that equal shares give 1"


def _all_experts(x, router, experts):
    output, *rest = lecture_06d.mixture_of_experts(x, router, experts)
    weights = softmax(x @ router)
    mixed = sum(weights[:, i, None] * expert(x) for i, expert in enumerate(experts))
    return mixed, *rest


def _of_its_own(x, router, experts):
    output, shares, _ = lecture_06d.mixture_of_experts(x, router, experts)
    weights = softmax(x @ router)
    best = weights == weights.max(axis=1, keepdims=True)
    means = (weights * best).sum(axis=0) / np.maximum(best.sum(axis=0), 1)
    return output, shares, len(experts) * np.sum(shares * means)


@exercise(
    "06d.7",
    lecture_06d.mixture_of_experts,
    mistakes=[
        (GATED, "expert(x[mine])",
         "an expert's output is multiplied by its probability, or the router learns nothing"),
        (_all_experts, "one expert per token, the most probable one, not a sum over all"),
        ("softmax(x @ router)", "softmax((x @ router).T).T",
         "the softmax of a token runs over the experts, the last axis"),
        ("probabilities[mine, number, None]", "(x @ router)[mine, number, None]",
         "multiply by the probability, not by the logit"),
        ("softmax(x @ router)", "1 / (1 + np.exp(-(x @ router)))",
         "a softmax over the experts, not a sigmoid of each"),
        ("argmax(probabilities", "argmin(probabilities",
         "each token goes to the expert with the largest probability"),
        (BALANCE, "np.sum(shares * np.mean(probabilities, axis=0))", NO_FACTOR),
        (BALANCE, "np.mean(shares * np.mean(probabilities, axis=0))", NO_FACTOR),
        (BALANCE, "len(experts) * np.sum(shares**2)",
         "P is a mean of probabilities, not the share again: a count has no gradient"),
        (BALANCE, "len(experts) * np.sum(np.mean(probabilities, axis=0) ** 2)",
         "f is the share of the tokens that an expert gets, not a mean of probabilities"),
        (_of_its_own, f"{P_ALL}, not over those that chose it"),
        (BALANCE, "len(experts) * np.sum(shares * np.sum(probabilities, axis=0))",
         f"{P_ALL}, not their sum"),
        (" / len(x)", "", "f is a share: divide the counts by the number of tokens"),
        (" / len(x)", " / len(experts)", "f is a share of the tokens: divide by their number"),
        (", minlength=len(experts)", "", "an expert that gets no token has the share 0"),
        ("return output", "return x + output",
         "the residual connection is the block's, not yours to add"),
        (f", {BALANCE}", "", "return three: the output, the shares, the load-balance loss"),
    ],
    compares=("the output", "the shares", "the load-balance loss"),
    takes=9,
    level=3,
    hints=["probabilities = softmax(x @ router); chosen = np.argmax(probabilities, axis=-1). "
           "Then expert by expert: mine = chosen == number.",
           "np.bincount(chosen, minlength=len(experts)) counts; P is "
           "np.mean(probabilities, axis=0)."],
    reasoning="Each expert gets its own tokens in one product; the probability in front of its "
              "output is what lets the router learn, as the choice itself has no gradient.",
    solved="The weights grow with the number of experts, the work per token hardly does.",
    run=_route,
    properties=[_each_token_once],
)  # fmt: skip
def to_route(draw):
    yield draw.normal(size=(5, 2)), draw.normal(size=(2, 3)), draw.normal(size=(3, 2, 2))
    yield draw.normal(size=(9, 3)), draw.normal(size=(3, 4)), draw.normal(size=(4, 3, 3))
    far = np.abs(draw.normal(size=(6, 4))) + 1  # the last experts get none
    router = np.stack([np.full(4, 2.0), np.full(4, 1.5), *np.zeros((3, 4))], axis=1)
    yield far, router, draw.normal(size=(5, 4, 4))


def _never_all_scores(answer):
    """Of 100 queries and 4,000 keys, a table of all scores takes 1.6 MB in float32."""
    draw = np.random.default_rng(0)
    q, k, v = (draw.normal(size=(rows, 4)).astype("float32") for rows in (100, 4_000, 4_000))
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        most = []
        for block in (50, len(k)):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            answer(q, k, v, block)
            most.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not was_tracing:
            tracemalloc.stop()
    told = "the numbers are right, but all scores are kept at a time: a block's scores have to "
    require(most[0] < 1_200_000, f"{told}go before the next block's are computed")
    told = "the numbers are right, but blocks of 50 keys take the memory of one block of all: "
    require(most[1] - most[0] > 8_000, f"{told}take `block` keys at a time")


def _means_of_blocks(q, k, v, block):
    starts = range(0, len(k), block)
    parts_ = [(k[at : at + block], v[at : at + block]) for at in starts]
    return np.mean([softmax(q @ K.T / q.shape[-1] ** 0.5) @ V for K, V in parts_], axis=0)


LARGEST = "np.maximum(largest, np.max(scores, -1, keepdims=True))"
SHRINK = "np.exp(before - largest)"
STALE = "what was summed under the old maximum has to shrink by e^(old − new)"
NO_NUMBERS = "∞ or 0 / 0 where scores are large"


@exercise(
    "06d.8",
    lecture_06d.attention_by_blocks,
    mistakes=[
        ("total = shrink * total", "total = total", f"the running sum: {STALE}"),
        ("context = shrink * context", "context = context", f"the running context: {STALE}"),
        ("= shrink * ", "= ", f"both running sums: {STALE}"),
        (SHRINK, "np.exp(largest - before)",
         "the factor is e^(old − new), at most 1, not its inverse"),
        (_means_of_blocks,
         "the blocks' own softmaxes cannot be averaged: each has another sum"),
        (LARGEST, "np.max(scores, -1, keepdims=True)",
         f"{NO_NUMBERS}: the maximum is that of all blocks so far"),
        (LARGEST, "np.maximum(largest, np.max(scores))",
         f"{NO_NUMBERS}: each query has a maximum of its own"),
        (LARGEST, "0.0", SHRINK, "1.0", f"{NO_NUMBERS}: subtract the running maximum"),
        ("largest, total, context = -np.inf,", "largest, total, context = 0.0,",
         f"{NO_NUMBERS}: the maximum begins at −∞, as all scores may lie far below 0"),
        ("before, largest = largest,", "before, largest = -np.inf,",
         "only the last block counts: the old maximum is lost"),
        ("before, largest = largest,", "before, largest = -np.inf,",
         LARGEST, "np.max(scores, -1, keepdims=True)",
         "only the last block counts: the old maximum is lost"),
        (" / q.shape[-1] ** 0.5", "", "the scores are not divided by √d_k"),
        ("q.shape[-1] ** 0.5", "q.shape[-1]", "the scores are divided by √d_k, not by d_k"),
        ("q.shape[-1] ** 0.5", "v.shape[-1] ** 0.5",
         "d_k is the width of queries and keys, not of the values"),
        ("len(k), block", "len(k) - block + 1, block",
         "the last block, which may have fewer keys, is left out"),
        ("range(0, len(k), block)", "range(0, block)",
         "a block begins every `block` keys, up to the last key"),
        ("context = shrink * context + powers @ v[start : start + block]",
         "context = (shrink * context + powers @ v[start : start + block]) / total",
         "return context / total", "return context",
         "divide by the sum once, after the last block"),
        ("return context / total", "return context", "divide by the running sum at the end"),
        ("scores, -1, keepdims", "scores, 0, keepdims", "powers, axis=-1", "powers, axis=0",
         "maximum and sum run over the keys, the last axis"),
    ],
    compares="the context vectors",
    takes=9,
    level=4,
    hints=["Keep three things per query: the largest score so far, the sum of e^(score − "
           "largest), and the same sum with values.",
           "When the maximum grows from old to new, multiply both sums by np.exp(old − new), "
           "then add the block's."],
    reasoning="Both sums are relative to the largest score so far; when it grows, one factor "
              "corrects them, and the quotient at the end does not depend on it.",
    solved="Softmax never needed the whole row at a time.",
    properties=[_never_all_scores],
)  # fmt: skip
def to_attend_by_blocks(draw):
    yield draw.normal(size=(2, 3)), draw.normal(size=(5, 3)), draw.normal(size=(5, 2)), 2
    yield draw.normal(size=(3, 4)), draw.normal(size=(6, 4)), draw.normal(size=(6, 3)), 3
    spread = np.array([[900.0], [1.0], [-900.0]])  # e to such scores is no number any more
    keys = np.linspace(-1, 1, 7)[draw.permutation(7), None] + np.zeros(2)
    yield spread * np.ones(2), keys, draw.normal(size=(7, 4)), 2
    yield -spread[:1], 3 + keys[:, :1], draw.normal(size=(7, 3)), 4  # far below 0
    yield draw.normal(size=(4, 5)), draw.normal(size=(3, 5)), draw.normal(size=(3, 1)), 2
