"""Exercises of lab 06d: the parts of a decoder of today, a cache, sampling."""

import numpy as np
from keras import ops

from course_utils.exercises import exercise, require
from course_utils.exercises.lecture_05b import symbolic
from course_utils.exercises.lecture_06 import arrays, ready, vectors
from course_utils.lectures import lecture_06d


def turning(
    angle=lambda p, i, d, base: p * base ** (-2 * i / d),
    turn=lambda e, o, c, s: (e * c - o * s, e * s + o * c),
    halves=False,
    apart=False,
):
    """A `rotate` with a difference: angle(position, pair, d_k, base), turn(even, odd, …)."""

    def wrong(x, positions, base=10_000.0):
        x, d = np.asarray(x), x.shape[-1]
        angles = angle(np.asarray(positions)[:, None], np.arange(d // 2), d, base)
        even, odd = (
            (x[..., : d // 2], x[..., d // 2 :]) if halves else (x[..., ::2], x[..., 1::2])
        )
        pair = turn(even, odd, np.cos(angles), np.sin(angles))
        if halves or apart:
            return np.concatenate(pair, axis=-1)
        return np.stack(pair, axis=-1).reshape(x.shape)

    return wrong


@exercise(
    "06d.1",
    lecture_06d.rotate,
    mistakes=[
        (turning(turn=lambda e, o, c, s: (e * c + o * s, o * c - e * s)),
         "turned clockwise: the even channel is even · cos − odd · sin"),
        (turning(halves=True), "a pair is channels 2i and 2i + 1, side by side"),
        (turning(lambda p, i, d, base: p * base ** (-i / d)), "the exponent is −2i / d_k"),
        (turning(lambda p, i, d, base: p * base ** (2 * i / d)), "the exponent is negative"),
        (turning(lambda p, i, d, base: p * 10_000.0 ** (-2 * i / d)),
         "use the argument base in place of 10,000"),
        (turning(lambda p, i, d, base: p * 1.0 + 0 * i), "every pair has a speed of its own"),
        (turning(lambda p, i, d, base: (p + 1) * base ** (-2 * i / d)),
         "use the positions as they are given"),
        (turning(lambda p, i, d, base: np.arange(len(p))[:, None] * base ** (-2 * i / d)),
         "the tokens stand at `positions`, which need not begin at 0"),
        (turning(turn=lambda e, o, c, s: (e * c, o * s)), "each new channel mixes both"),
        (turning(turn=lambda e, o, c, s: (e * c + o * s, o * c + e * s)),
         "one minus is missing: the even channel is even · cos − odd · sin"),
        (turning(turn=lambda e, o, c, s: (e * s - o * c, e * c + o * s)),
         "cosine and sine are exchanged"),
        (turning(turn=lambda e, o, c, s: (e + e * c - o * s, o + e * s + o * c)),
         "return the turned vector alone, without adding x"),
        (turning(turn=lambda e, o, c, s: (e + s, o + c)), "rotate; do not add waves"),
        (turning(lambda p, i, d, base: p * base ** (-4 * i / d)),
         "the exponent is −2i / d_k: i counts pairs, 0, 1, 2, …"),
        (turning(turn=lambda e, o, c, s: (e * c - o * s, (e * c - o * s) * s + o * c)),
         "the odd channel needs the even one as it was, not turned already"),
        (lambda x, positions, base=10_000.0: x, "nothing is turned"),
        (turning(apart=True), "the pairs have to be interleaved again"),
    ],
    takes=8,
    level=3,
    hints=[
        "angles = positions[:, None] * base ** (-np.arange(0, d_k, 2) / d_k).",
        "ops.stack([even·cos − odd·sin, even·sin + odd·cos], axis=-1), then ops.reshape.",
    ],
    reasoning="Stacking on a last axis and reshaping interleaves the pairs again.",
    solved="Scores now know the distance of two tokens, and nothing else of their positions.",
    properties=[symbolic(lambda rotate: lambda x: rotate(x[:, None], ops.arange(3)))],
)  # fmt: skip
def turned(draw):
    yield vectors(draw, 1, 1, 2, 4), np.array([1.0, 3.0], "float32")
    yield vectors(draw, 2, 3, 4, 6), np.array([5.0, 6.0, 7.0, 8.0], "float32"), 100.0


def layer_with(base, call):
    return type(base.__name__, (base,), {"call": call})


def rms(
    x, root=lambda m: (m + 1e-6) ** -0.5, axis=-1, scale=lambda x, g: x * g, mean=ops.mean,
    self=None,
):  # fmt: skip
    return scale(x * root(mean(x * x, axis=axis, keepdims=True)), self.scale)


def norm_with(**how):
    return layer_with(lecture_06d.RMSNorm, lambda self, x: rms(x, self=self, **how))


def _run_norm(Layer, x):
    return arrays(ready(Layer, (), x.shape)(x))


@exercise(
    "06d.2",
    lecture_06d.RMSNorm,
    mistakes=[
        (norm_with(root=lambda m: 1 / (m + 1e-6)), "divide by the root of the mean square"),
        (norm_with(scale=lambda x, g: x), "the learned scale is missing: self.scale"),
        (norm_with(scale=lambda x, g: x + g), "multiply by self.scale, do not add it"),
        (norm_with(axis=(-3, -2, -1)), "each token is normalised alone: the last axis"),
        (norm_with(axis=-2), "the mean runs over the channels, the last axis"),
        (norm_with(root=lambda m: (m + 1e-6) ** 0.5), "divide by the root, do not multiply"),
        (norm_with(root=lambda m: m**-0.5), "epsilon is missing: tiny vectors are blown up"),
        (norm_with(root=lambda m: 1 / (m**0.5 + 1e-6)), "epsilon belongs under the root"),
        (layer_with(lecture_06d.RMSNorm, lambda self, x: rms(
            x - ops.mean(x, axis=-1, keepdims=True), self=self)),
         "that is LayerNorm: RMSNorm subtracts no mean"),
        (norm_with(mean=ops.sum), "the mean of the squares, not their sum"),
        (layer_with(lecture_06d.RMSNorm, lambda self, x: x * self.scale / (1e-6 + ops.mean(
            ops.abs(x), axis=-1, keepdims=True))), "the root mean square, not the mean size"),
        (layer_with(lecture_06d.RMSNorm, lambda self, x: x * self.scale * ops.rsqrt(
            ops.mean(x, axis=-1, keepdims=True) ** 2 + 1e-6)),
         "square first, then take the mean"),
        (layer_with(lecture_06d.RMSNorm, lambda self, x: x * self.scale * ops.rsqrt(
            ops.var(x, axis=-1, keepdims=True) + 1e-6)),
         "the mean of the squares, not the variance, which subtracts the mean"),
        (layer_with(lecture_06d.RMSNorm, lambda self, x: x * self.scale / ops.norm(
            x, axis=-1, keepdims=True)), "that is the norm: take the mean, and add epsilon"),
    ],
    takes=4,
    level=1,
    hints=["The mean of ops.square(x) over the last axis.", "x * ops.rsqrt(… + self.epsilon)."],
    reasoning="What LayerNorm does without the mean and the shift.",
    solved="One line less than LayerNorm.",
    properties=[symbolic(lambda Layer: ready(Layer, (), (2, 3, 8)))],
    run=_run_norm,
)  # fmt: skip
def to_norm(draw):
    yield from ((vectors(draw, 2, 3, 4) + 1,), (vectors(draw, 3, 2, 5) * 3,))
    yield (vectors(draw, 1, 2, 3) * 1e-3,)


def gated(call):
    return layer_with(lecture_06d.SwiGLU, call)


def _run_gated(Layer, x):
    return arrays(ready(Layer, (5,), x.shape)(x))


@exercise(
    "06d.3",
    lecture_06d.SwiGLU,
    mistakes=[
        (gated(lambda s, x: s.down(ops.silu(s.up(x)) * s.gate(x))), "silu belongs to the gate"),
        (gated(lambda s, x: s.down(ops.sigmoid(s.gate(x)) * s.up(x))),
         "silu(a) = a · sigmoid(a); the sigmoid alone is GLU"),
        (gated(lambda s, x: s.down(s.gate(x) * s.up(x))), "the silu is missing"),
        (gated(lambda s, x: s.down(ops.silu(s.gate(x)) + s.up(x))), "gate times up, not plus"),
        (gated(lambda s, x: s.down(ops.silu(s.gate(x)))), "the second product, up, is missing"),
        (gated(lambda s, x: s.down(ops.relu(s.gate(x)) * s.up(x))), "silu, not ReLU"),
        (gated(lambda s, x: s.down(ops.gelu(s.gate(x)) * s.up(x))), "silu, not GELU"),
        (gated(lambda s, x: x + s.down(ops.silu(s.gate(x)) * s.up(x))),
         "the residual connection is the block's, not yours to add"),
        (gated(lambda s, x: ops.silu(s.gate(x)) * s.up(x)), "down is missing"),
        (gated(lambda s, x: s.down(ops.silu(s.gate(x) * s.up(x)))), "silu on the gate alone"),
        (gated(lambda s, x: s.down(ops.silu(s.gate(x)) * ops.silu(s.up(x)))),
         "silu on the gate alone, not on up"),
        (gated(lambda s, x: s.down(s.gate(x) * ops.sigmoid(s.up(x)))),
         "silu(a) = a · sigmoid(a), with the same a: the gate"),
        (gated(lambda s, x: ops.silu(s.down(s.gate(x) * s.up(x)))),
         "silu on the gate alone, before down"),
    ],
    takes=3,
    level=1,
    hints=["ops.silu(self.gate(x)) is what opens.", "Times self.up(x), then self.down."],
    reasoning="One product opens, another passes, a third returns to the width of the tokens.",
    solved="The gate of lecture 3, without a state.",
    properties=[symbolic(lambda Layer: ready(Layer, (5,), (2, 3, 8)))],
    run=_run_gated,
)  # fmt: skip
def to_gate(draw):
    yield from ((vectors(draw, 1, 2, 3),), (vectors(draw, 2, 3, 4),))


def _repeated(x, group):
    return ops.repeat(x, group, axis=1)


def _tiled(x, group):
    return ops.tile(x, (1, group, 1, 1))


def grouped(
    share=_repeated, values=None, mask=lambda m: m, out=True, join=True, swap=False, keys=True
):
    """A GroupedAttention whose `attend` differs: share(k, group) repeats the heads."""

    def attend(self, q, k, v, given):
        group = self.num_heads // self.num_kv_heads
        k, v = share(k, group), (values or share)(v, group)
        pair = (k, v) if swap else (v, k if keys else v)
        context = self.attention(q, *pair, attention_mask=mask(given))
        context = ops.transpose(context, (0, 2, 1, 3)) if join else context
        shape = (-1, ops.shape(q)[2], self.num_heads * self.d_k)
        joined = ops.reshape(context, shape)
        return self.output_(joined) if out else joined

    return type("GroupedAttention", (lecture_06d.GroupedAttention,), {"attend": attend})


def _run_grouped(Layer, heads, kv_heads, d_k, x):
    return arrays(ready(Layer, (heads * d_k, heads, kv_heads), x.shape)(x))


@exercise(
    "06d.4",
    lecture_06d.GroupedAttention,
    mistakes=[
        (grouped(_tiled),
         "neighbouring query heads share a pair: repeat each head, do not tile them all"),
        (grouped(lambda x, g: ops.repeat(x[:, :1], g * x.shape[1], axis=1)),
         "that is multi-query attention: all heads share the first pair"),
        (grouped(lambda x, g: ops.flip(ops.repeat(x, g, axis=1), axis=1)),
         "the first group of query heads shares key-value head 0"),
        (grouped(values=_tiled), "repeat the values as you repeat the keys"),
        (grouped(values=lambda x, g: x), "repeat the values as you repeat the keys"),
        (grouped(lambda x, g: x), "repeat each key-value head for its group of query heads"),
        (grouped(mask=ops.transpose), "the mask is (T, S), as it is: do not transpose it"),
        (grouped(mask=lambda m: None), "the mask is not passed on"),
        (grouped(mask=ops.logical_not), "the mask is True where a query may attend"),
        (grouped(out=False), "the output projection is missing: self.output_"),
        (grouped(join=False), "transpose the heads behind the tokens before the reshape"),
        (grouped(swap=True), "self.attention takes query, value, key, in this order"),
        (grouped(keys=False), "self.attention is not given the keys"),
    ],
    takes=8,
    level=3,
    hints=[
        "ops.repeat(k, self.num_heads // self.num_kv_heads, axis=1), and the same for v.",
        "self.attention(q, v, k, attention_mask=mask), transpose, reshape, self.output_.",
    ],
    reasoning="After the repetition it is ordinary attention; only the cache got smaller.",
    solved="With one key-value head it is multi-query attention, with all of them multi-head.",
    properties=[symbolic(lambda Layer: ready(Layer, (8, 4, 2), (2, 3, 8)))],
    run=_run_grouped,
)  # fmt: skip
def groups(draw):
    yield 4, 2, 2, vectors(draw, 2, 3, 8)
    yield 6, 2, 4, vectors(draw, 1, 5, 24)


def stepping(
    place=lambda p: p, write=lambda p: p, sees=lambda s, p: s <= p, swap=False, keep=True,
    cross=False, old=False, twice=False, forget=False, flat=False,
):  # fmt: skip
    """A CachedAttention whose `step` differs."""

    def step(self, x, cache, position):
        where = ops.reshape(place(position), (1,))
        q, k, v = self.project(x, where)
        k = self.rotate(k, where) if twice else k
        at = (0, 0, write(position), 0)
        pair = (v, k) if swap else (k, v)
        keys = ops.slice_update(cache["keys"], at, pair[0])
        values = ops.slice_update(cache["values"], at, pair[1])
        mask = sees(ops.arange(ops.shape(keys)[2]), position)[None]
        new = {"keys": keys, "values": values} if keep else cache
        new = new | {"values": cache["values"]} if forget else new
        pair = (cache["keys"], cache["values"]) if old else (keys, values)
        output = self.attend(q, *(pair[::-1] if cross else pair), mask)
        return output[:, 0] if flat else output, new

    return type("CachedAttention", (lecture_06d.CachedAttention,), {"step": step})


def _new_alone(self, x, cache, position):
    q, k, v = self.project(x, ops.reshape(position, (1,)))
    return self.attend(q, k, v, ops.ones((1, 1), "bool")), cache


def _run_steps(Layer, x, places):
    layer = ready(Layer, (8, 4, 2), x.shape)
    cache, said = layer.start(len(x), x.shape[1] + 2), []
    for place in range(places):
        stepped = layer.step(x[:, place : place + 1], cache, place)
        pair = isinstance(stepped, tuple | list) and len(stepped) == 2
        require(
            pair and isinstance(stepped[1], dict),
            "return two things: the output, then the cache",
        )
        output, cache = stepped
        said.append(ops.convert_to_numpy(output))
    return np.concatenate(said, axis=1), arrays(cache)


def _step_of(Layer):
    """One step whose position is a tensor, as when decoding is compiled."""
    layer = ready(Layer, (8, 4, 2), (2, 3, 8))

    def step(x):
        return layer.step(x[:, :1], layer.start(2, 4), ops.cast(0 * x[0, 0, 0], "int32"))[0]

    return step


@exercise(
    "06d.5",
    lecture_06d.CachedAttention,
    mistakes=[
        (stepping(place=lambda p: 0 * p, write=lambda p: 0, sees=lambda s, p: s <= 0),
         "the position is always 0: every token is rotated as the first and overwrites it"),
        (stepping(place=lambda p: 0 * p), "the token is rotated as if it stood at position 0"),
        (stepping(write=lambda p: 0), "every key overwrites the first: write at position"),
        (stepping(sees=lambda s, p: s < p), "a token attends to itself, too: up to position"),
        (stepping(sees=lambda s, p: s >= 0), "the empty rest of the cache must not be seen"),
        (stepping(sees=lambda s, p: s == p), "it attends to all tokens before it"),
        (stepping(sees=lambda s, p: s >= p), "it sees the tokens up to position"),
        (stepping(place=lambda p: p + 1), "the first token stands at position 0: do not add 1"),
        (stepping(write=lambda p: p + 1), "write at position, not one behind"),
        (stepping(sees=lambda s, p: s <= p + 1), "a token sees one slot too many"),
        (stepping(twice=True), "project has turned the key already"),
        (stepping(forget=True), "the new value belongs into the cache, too"),
        (stepping(flat=True), "the output is (batch, 1, embed_dim)"),
        (stepping(swap=True), "keys and values are exchanged in the cache"),
        (stepping(cross=True), "self.attend takes q, k, v, in this order"),
        (stepping(old=True), "attend to the new keys and values, not to the old cache"),
        (stepping(keep=False), "return the grown cache, not the old one"),
        (type("CachedAttention", (lecture_06d.CachedAttention,), {"step": _new_alone}),
         "the cache is not used"),
    ],
    takes=10,
    level=3,
    hints=[
        "self.project(x, ops.reshape(position, (1,))), then ops.slice_update at "
        "(0, 0, position, 0), for keys and for values.",
        "The mask is True up to position: (ops.arange(max_length) <= position)[None].",
    ],
    reasoning="Each key and value is computed once, at the position where its token stands.",
    solved="Every token is computed once; what is kept is two small arrays a layer.",
    run=_run_steps,
    properties=[symbolic(_step_of, "`position` is a tensor: ops.reshape(position, (1,))")],
)  # fmt: skip
def tokens_in_turn(draw):
    yield vectors(draw, 1, 3, 8), 3
    yield vectors(draw, 2, 5, 8), 5


def sampling(scale=lambda z, t: z / t, keep=lambda p, before, top: before < top, rescale=True):
    """`next_word_probabilities` with one part changed; p and before are sorted."""

    def wrong(logits, temperature=1.0, top_p=1.0):
        scaled = scale(logits, temperature)
        p = np.exp(scaled - scaled.max())
        p /= p.sum()
        order = np.argsort(-p)
        before = np.cumsum(p[order]) - p[order]
        p[order[~keep(p[order], before, top_p)]] = 0.0
        return p / max(p.sum(), 1e-12) if rescale else p

    return wrong


def _temperature_last(logits, temperature=1.0, top_p=1.0):
    p = lecture_06d.next_word_probabilities(logits, 1.0, top_p) ** (1 / temperature)
    return p / p.sum()


def _again(dropped):
    """A second softmax: over logits in which dropped words have another, or over p."""

    def wrong(logits, temperature=1.0, top_p=1.0):
        p = sampling(rescale=False)(logits, temperature, top_p)
        scaled = p if dropped is None else np.where(p > 0, logits / temperature, dropped)
        return np.exp(scaled) / np.exp(scaled).sum()

    return wrong


def _in_given_order(logits, temperature=1.0, top_p=1.0):
    p = lecture_06d.next_word_probabilities(logits, temperature)
    p = np.where(np.cumsum(p) - p < top_p, p, 0)
    return p / p.sum()


@exercise(
    "06d.6",
    lecture_06d.next_word_probabilities,
    mistakes=[
        (sampling(scale=lambda z, t: z * t), "divide the logits by the temperature"),
        (sampling(scale=lambda z, t: z), "the temperature is not used"),
        (sampling(keep=lambda p, b, top: b + p <= top),
         "the word that reaches top_p belongs to the nucleus"),
        (sampling(keep=lambda p, b, top: b + p < top),
         "the word that reaches top_p belongs to the nucleus"),
        (sampling(keep=lambda p, b, top: p >= top),
         "top_p adds probabilities up, from the most probable word on"),
        (sampling(keep=lambda p, b, top: np.arange(len(p)) <= (b < top).sum()),
         "one word too many: the nucleus ends with the word that reaches top_p"),
        (_again(0), "a dropped word's probability is 0: its logit would be −∞, not 0"),
        (_again(None), "divide by the sum: no second softmax"),
        (sampling(keep=lambda p, b, top: b >= 0), "top_p is not used"),
        (sampling(keep=lambda p, b, top: p >= 1 - top),
         "top_p adds probabilities up, from the most probable word on"),
        (sampling(keep=lambda p, b, top: b > 1 - top), "begin with the most probable word"),
        (sampling(keep=lambda p, b, top: 1 - b - p < top), "begin with the most probable word"),
        (_in_given_order, "sort the words first, the most probable one in front"),
        (lambda *how: np.sort(lecture_06d.next_word_probabilities(*how))[::-1],
         "give each word its probability at its own place, not sorted"),
        (lambda logits, t=1.0, top=1.0: logits / t, "those are logits: the softmax is missing"),
        (lambda logits, *how: np.eye(len(logits))[np.argmax(logits)],
         "that is greedy decoding: one word takes all"),
        (sampling(rescale=False), "scale what is left to sum 1"),
        (_temperature_last, "the temperature comes first, then top_p"),
    ],
    takes=7,
    level=2,
    hints=[
        "Sort the probabilities; np.cumsum gives what the words up to each one have together.",
        "A word stays if those before it have less than top_p together.",
    ],
    reasoning="A word is kept while the ones before it do not reach top_p yet.",
    solved="Few words where the model is sure, many where it is not.",
)  # fmt: skip
def to_sample(draw):
    for words, temperature, top_p in (
        (4, 0.5, 1.0),
        (5, 1.0, 0.7),
        (9, 2.0, 0.6),
        (30, 0.8, 0.9),
    ):
        yield draw.normal(0, 2, words), temperature, top_p
