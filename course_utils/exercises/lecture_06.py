"""Exercises of lecture 06: the Transformer, each part on the one before; a leak; a training."""

from functools import cache

import keras
import numpy as np
from keras import ops

from course_utils import data, layers, models, translation
from course_utils.exercises import Wrong, exercise, require
from course_utils.exercises.lecture_05 import compiled, require_loss
from course_utils.layers.attention import masked_softmax
from course_utils.lectures import lecture_06


def redrawn(layer):
    """Draw all weights of a built layer anew, the same for layers of one structure."""
    draw = np.random.default_rng(0)
    layer.set_weights([draw.normal(0, 0.5, weight.shape) for weight in layer.weights])
    return layer


@cache
def ready(kind, settings, *shapes):
    """Return kind(*settings), built for these shapes, its weights drawn anew."""
    layer = kind(*settings)
    layer.build(*shapes)
    return redrawn(layer)


def arrays(results):
    return keras.tree.map_structure(ops.convert_to_numpy, results)


def called(layer, *inputs, **masks):
    """What a layer returns. A None is refused first: Keras would give it a mask, and fail."""
    inputs = [ops.convert_to_tensor(one) for one in inputs]
    output = layer.call(*inputs, **masks)
    require(output is not None, "`call` returned None: is a `return` missing?")
    return layer(*inputs, **masks)


def vectors(draw, *shape):
    return draw.normal(size=shape).astype("float32")


def dot_product(
    scale=lambda d, T, S: d**0.5,
    scores=lambda q, k: ops.matmul(q, ops.swapaxes(k, -1, -2)),
    weigh=masked_softmax,
    average=lambda weights, key, value: ops.matmul(weights, value),
    use_key=True,
    swap=False,
    drop=lambda dropout, weights: (weights, dropout(weights)),
    after=lambda dropout, context: context,
):
    """A class like ScaledDotProductAttention in which something differs."""

    class Attention(layers.ScaledDotProductAttention):
        def call(
            self, query, value, key=None, attention_mask=None, return_attention_scores=False
        ):
            key = value if key is None or not use_key else key
            sizes = query.shape[-1], query.shape[-2], key.shape[-2]
            weights = weigh(scores(query, key) / scale(*sizes), attention_mask)
            weights, dropped = drop(self.dropout, weights)
            context = after(self.dropout, average(dropped, key, value))
            pair = (weights, context) if swap else (context, weights)
            return pair if return_attention_scores else context

    return Attention


def _run_attention(Layer, query, value, key, mask):
    layer = Layer()
    layer.dropout = keras.layers.Rescaling(2.0, 0.5)  # so that one sees where dropout acts
    layer.dropout.built = True
    pair = layer(query, value, key, attention_mask=mask, return_attention_scores=True)
    require(
        isinstance(pair, tuple | list) and len(pair) == 2,
        "with return_attention_scores=True return two things: the context and the weights",
    )
    context = layer(query, value, key, attention_mask=mask)
    require(
        not isinstance(context, tuple | list),
        "without return_attention_scores return the context alone",
    )
    try:
        alone = layer(query, value)  # the keys are the values, nothing is hidden
    except Exception as error:
        raise Wrong("it fails without a key: by default the key is the value") from error
    return arrays((context, pair[1], alone))


def _in_general(Layer):
    """Hold the layer to its docstring: axes in front, values of another width, empty rows."""
    draw = np.random.default_rng(2)
    query, key, value = (vectors(draw, 2, 3, n, d) for n, d in ((4, 5), (6, 5), (6, 2)))
    mask = np.arange(4)[:, None] > np.arange(6)  # query 0 may attend to nothing
    given = query, value, key, mask
    try:
        contexts = ops.convert_to_numpy(Layer()(*given))
    except Exception as error:
        told = "it fails with a heads' axis in front: transpose the last two axes of the keys"
        raise Wrong(told) from error
    right = ops.convert_to_numpy(layers.ScaledDotProductAttention()(*given))
    close = np.isclose(contexts, right, atol=1e-4)
    require(close[:, :, 1:].all(), "d_k is the width of the queries, not of the values")
    require(close.all(), "a query that may attend to nothing gets zeros: masked_softmax")


def _hidden_after(scores, mask):
    weights = ops.softmax(scores, axis=-1)
    return weights if mask is None else weights * ops.cast(mask, weights.dtype)


def _inverted(scores, mask):
    return masked_softmax(scores, None if mask is None else np.logical_not(mask))


def _shifted(by):
    """Softmax of the scores with `by` times the mask added."""
    return lambda s, m: ops.softmax(s if m is None else s + by * ops.cast(m, s.dtype))


@exercise(
    "06.1",
    layers.ScaledDotProductAttention,
    mistakes=[
        (dot_product(scale=lambda d, T, S: 1), "the division by √d_k is missing"),
        (dot_product(scale=lambda d, T, S: d), "divide by √d_k, not by d_k"),
        (dot_product(scale=lambda d, T, S: d**-0.5), "divide by √d_k, do not multiply"),
        (dot_product(scale=lambda d, T, S: S**0.5), "d_k is the width, not the number of keys"),
        (dot_product(use_key=False), "the query is compared with the keys, not the values"),
        (dot_product(weigh=lambda s, m: ops.softmax(s, axis=-1)), "attention_mask is not used"),
        (dot_product(weigh=_hidden_after), "mask the scores before the softmax, so that each "
         "row still adds up to 1: masked_softmax does"),
        (dot_product(weigh=_inverted), "True in the mask means: may be attended to"),
        (dot_product(weigh=_shifted(-1e9)), "True means: may be attended to; masked_softmax "
         "takes the mask as it is"),
        (dot_product(weigh=_shifted(1)), "adding the mask hides nothing: masked_softmax"),
        (dot_product(weigh=lambda s, m: ops.softmax(
            s if m is None else s * ops.cast(m, s.dtype))),
         "a score of 0 still gets a weight: masked_softmax hides it"),
        (dot_product(lambda d, T, S: 1, average=lambda w, k, v: w @ v / k.shape[-1] ** 0.5),
         "divide the scores by √d_k, before the softmax"),
        (dot_product(drop=lambda dropout, w: (w, w)), "self.dropout is not used"),
        (dot_product(drop=lambda dropout, w: (w, w), after=lambda dropout, c: dropout(c)),
         "dropout is for the weights: self.dropout(weights)"),
        (dot_product(drop=lambda dropout, w: (dropout(w),) * 2),
         "return the weights as they are before dropout"),
        (dot_product(weigh=lambda s, m: ops.swapaxes(masked_softmax(
            ops.swapaxes(s, -1, -2), None if m is None else np.swapaxes(m, -1, -2)), -1, -2)),
         "the softmax runs over the keys, the last axis"),
        (dot_product(weigh=lambda s, m: s), "the softmax is missing"),
        (dot_product(average=lambda w, k, v: ops.matmul(w, k)), "average the values"),
        (dot_product(swap=True), "return the context first, then the weights"),
    ],
    takes=7,
    level=2,
    hints=[
        "ops.matmul(query, ops.swapaxes(key, -1, -2)) compares every query with every key.",
        "Divide by query.shape[-1] ** 0.5, call masked_softmax, multiply by the values.",
    ],
    reasoning="Two products and a softmax: all queries meet all keys without a loop.",
    solved="Every attention of this lecture now runs on these lines.",
    properties=[_in_general],
    run=_run_attention,
)  # fmt: skip
def attention_inputs(draw):
    for T, S, d in ((2, 3, 5), (4, 6, 3)):
        mask = draw.random((2, T, S)) < 0.6
        mask[..., 0] = True
        yield vectors(draw, 2, T, d), vectors(draw, 2, S, d), vectors(draw, 2, S, d), mask


def heads(split=None, join=None, attend=None):
    """A class like MultiHeadAttention with another method: functions of (layer, …)."""
    methods = {"split": split, "join": join, "attend": attend}
    methods = {name: method for name, method in methods.items() if method}
    return type("Heads", (layers.MultiHeadAttention,), methods)


def _tokens_first(self, x):
    return ops.reshape(
        x, (-1, ops.shape(x)[1], self.num_heads, self.embed_dim // self.num_heads)
    )


def _every_hth(self, x):
    shape = (-1, ops.shape(x)[1], self.embed_dim // self.num_heads, self.num_heads)
    return ops.transpose(ops.reshape(x, shape), (0, 3, 1, 2))


def _no_transpose(self, x):
    d_k = self.embed_dim // self.num_heads
    return ops.reshape(x, (-1, self.num_heads, ops.shape(x)[1], d_k))


def _joined_without_transpose(self, x):
    return ops.reshape(x, (-1, ops.shape(x)[2], self.embed_dim))


def attending(
    project=lambda self, query: self.split(self.query(query)),
    pair=lambda keys, values: (values, keys),
    mix=lambda self, joined, query: self.output_projection(joined),
    mask=True,
    give=lambda output, weights: (output, weights),
):
    """An `attend` in which something is left out or exchanged."""

    def attend(self, query, keys, values, given=None):
        contexts, weights = self.attention(
            project(self, query), *pair(keys, values), given if mask else None,
            return_attention_scores=True,
        )  # fmt: skip
        return give(mix(self, self.join(contexts), query), weights)

    return attend


def _run_heads(Layer, embed_dim, num_heads, x, values, mask):
    layer = ready(Layer, (embed_dim, num_heads), x.shape, values.shape)
    split = layer.split(ops.convert_to_tensor(x))
    output, weights = layer(x, values, value_mask=mask, return_attention_scores=True)
    return arrays((split, output, weights))


@exercise(
    "06.2",
    layers.MultiHeadAttention,
    mistakes=[
        (heads(split=_tokens_first), "the heads come before the tokens: transpose"),
        (heads(split=_every_hth),
         "each head gets neighbouring channels: reshape to (…, num_heads, d_k)"),
        (heads(split=_no_transpose),
         "a reshape alone mixes tokens and heads: split the last axis, then transpose"),
        (heads(join=_joined_without_transpose), "join: transpose back before the reshape"),
        (heads(attend=attending(lambda self, q: self.split(q))),
         "the query is not projected: self.query"),
        (heads(attend=attending(lambda self, q: self.split(self.key(q)))),
         "the query has a projection of its own: self.query"),
        (heads(attend=attending(
            lambda self, q: self.split(self.query(q)) * (self.num_heads / q.shape[-1]) ** 0.5)),
         "self.attention divides by √d_k already"),
        (heads(attend=attending(mix=lambda self, x, q: x)),
         "W^O is missing: self.output_projection"),
        (heads(attend=attending(mix=lambda self, x, q: q + self.output_projection(x))),
         "nothing is added here: the residual connection belongs to the block"),
        (heads(attend=attending(mask=False)), "the mask is not passed on to self.attention"),
        (heads(attend=attending(pair=lambda keys, values: (keys, values))),
         "self.attention takes query, values, keys, in this order"),
        (heads(attend=attending(pair=lambda keys, values: (keys, keys))),
         "average the values, not the keys"),
        (heads(attend=attending(pair=lambda keys, values: (values, None))),
         "self.attention is not given the keys"),
        (heads(attend=attending(give=lambda x, w: (x, ops.mean(w, axis=1)))),
         "return the weights of each head, not their mean"),
        (heads(attend=attending(give=lambda x, w: (w, x))),
         "return the output first, then the weights"),
        (heads(attend=attending(give=lambda x, w: x)),
         "return two things: the output and the weights"),
    ],
    takes=11,
    level=3,
    hints=[
        "split: reshape to (-1, tokens, num_heads, d_k), then exchange the middle two axes.",
        "attend: self.attention(self.split(self.query(query)), values, keys, mask, "
        "return_attention_scores=True), then join and self.output_projection.",
    ],
    reasoning="A reshape keeps the order of the numbers; only a transpose moves the heads.",
    solved="All heads are computed in one product, and no weight was added.",
    run=_run_heads,
)  # fmt: skip
def head_inputs(draw):
    for batch, num_heads, d_k, T, S in ((2, 2, 3, 4, 5), (3, 3, 2, 5, 4)):
        d = num_heads * d_k
        mask = np.arange(S) < np.array([[S], [2], [1]])[:batch]
        yield d, num_heads, vectors(draw, batch, T, d), vectors(draw, batch, S, d), mask


def waves(angle=lambda p, c, d: p * 10_000.0 ** (-(c - c % 2) / d), even=np.sin, odd=np.cos):
    """A class like SinusoidalPositions with another table: angle(position, channel, d)."""

    class Positions(layers.SinusoidalPositions):
        def build(self, input_shape):
            d = input_shape[-1]
            p, c = np.arange(self.max_length)[:, None], np.arange(d)
            angles = angle(p, c, d)
            self.table = np.where(c % 2, odd(angles), even(angles)).astype("float32")

    return Positions


class _Halves(layers.SinusoidalPositions):
    def build(self, input_shape):
        super().build(input_shape)
        self.table = np.concatenate([self.table[:, ::2], self.table[:, 1::2]], axis=1)


def _run_positions(Layer, length, d):
    layer = Layer(length)
    layer.build((None, length - 1, d))
    require(getattr(layer, "table", None) is not None, "keep the table as self.table")
    require(len(layer.table) == length, "the table has self.max_length rows")
    return ops.convert_to_numpy(layer.table)


@exercise(
    "06.3",
    layers.SinusoidalPositions,
    mistakes=[
        (_Halves, "sine and cosine take turns: channel 2i the sine, 2i + 1 the cosine"),
        (waves(even=np.cos, odd=np.sin), "the even channels hold the sine"),
        (waves(lambda p, c, d: p * 10_000.0 ** (-c / d)), "a pair of channels has one angle"),
        (waves(lambda p, c, d: p * 10_000.0 ** (-(c // 2) / d)), "the exponent is 2i / d"),
        (waves(lambda p, c, d: p * 10_000.0 ** (-2 * (c - c % 2) / d)),
         "the exponent is 2i / d, not 4i / d: np.arange(0, d, 2) is 2i already"),
        (waves(lambda p, c, d: p * 10_000.0 ** ((c - c % 2) / d)), "the exponent is negative"),
        (waves(lambda p, c, d: (p + 1) * 10_000.0 ** (-(c - c % 2) / d)),
         "positions count from 0"),
        (waves(lambda p, c, d: p * 1_000.0 ** (-(c - c % 2) / d)), "the base is 10,000"),
        (waves(odd=np.sin), "the odd channels hold the cosine"),
    ],
    takes=5,
    level=2,
    hints=[
        "angles = np.arange(self.max_length)[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d)",
        "np.stack([np.sin(angles), np.cos(angles)], axis=-1), reshaped to (max_length, d).",
    ],
    reasoning="Stacking on a last axis and reshaping lets the two take turns.",
    solved="The order of the words now has a place in the vectors.",
    run=_run_positions,
)  # fmt: skip
def tables(draw):
    yield from ((3, 4), (7, 10))


def encoder(sublayers):
    """A class like TransformerEncoderBlock with another call: sublayers(block, x, attend)."""

    class Block(layers.TransformerEncoderBlock):
        def call(self, x, mask=None):
            return sublayers(self, x, lambda x: self.attention(x, x, value_mask=mask))

    return Block


def attending_by(attend):
    """The block with another first sublayer: attend(self.attention, normalised, x, mask)."""

    class Block(layers.TransformerEncoderBlock):
        def call(self, x, mask=None):
            return _both(self, x, lambda y: attend(self.attention, y, x, mask))

    return Block


def _both(self, x, attend):
    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.feed_forward_norm, self.feed_forward)


def _post_norm(self, x, attend):
    x = self.attention_norm(x + attend(x))
    return self.feed_forward_norm(x + self.feed_forward(x))


def _pre_norm(self, x, attend):
    x = x + attend(self.attention_norm(x))
    return x + self.feed_forward(self.feed_forward_norm(x))


def _side_by_side(self, x, attend):
    attended = self.residual(x, self.attention_norm, attend)
    return attended + self.residual(x, self.feed_forward_norm, self.feed_forward)


def _one_norm(self, x, attend):
    x = self.residual(x, self.attention_norm, attend)
    return self.residual(x, self.attention_norm, self.feed_forward)


def _from_input(self, x, attend):
    attended = self.residual(x, self.attention_norm, attend)
    return attended + self.feed_forward(self.feed_forward_norm(x))


def _norms_exchanged(self, x, attend):
    x = self.residual(x, self.feed_forward_norm, attend)
    return self.residual(x, self.attention_norm, self.feed_forward)


def _feed_forward_first(self, x, attend):
    x = self.residual(x, self.feed_forward_norm, self.feed_forward)
    return self.residual(x, self.attention_norm, attend)


def _run_encoder(Block, d, norm, x, mask):
    return arrays(called(ready(Block, (d, 2, 7, 0.0, norm), x.shape), x, mask=mask))


BY_HAND = 'self.residual knows dropout and norm="post", too: call it'


@exercise(
    "06.4",
    layers.TransformerEncoderBlock,
    mistakes=[
        (attending_by(lambda f, y, x, m: f(y, y)),
         "the padding mask is not used: value_mask=mask"),
        (attending_by(lambda f, y, x, m: f(x, x, value_mask=m)),
         "the sublayer uses x from outside: take its own argument, which is normalised"),
        (attending_by(lambda f, y, x, m: f(y, x, value_mask=m)),
         "the keys and values are x from outside: take the sublayer's argument for all three"),
        (attending_by(lambda f, y, x, m: f(x, y, value_mask=m)),
         "the query is x from outside: take the sublayer's argument for all three"),
        (attending_by(lambda f, y, x, m: f(y, y, value_mask=~m)),
         "the mask is True at real tokens already: pass it as it is"),
        (attending_by(lambda f, y, x, m: f(y, y, value_mask=m, use_causal_mask=True)),
         "an encoder sees later tokens: no causal mask"),
        (encoder(_post_norm), "that is post-norm: self.residual puts the norm in its place"),
        (encoder(_pre_norm), BY_HAND),
        (encoder(_side_by_side), "the second sublayer reads what the first one returned"),
        (encoder(_one_norm), "the second sublayer has a norm of its own: feed_forward_norm"),
        (encoder(lambda b, x, attend: b.residual(x, b.attention_norm, attend)),
         "the feed-forward sublayer is missing"),
        (encoder(lambda b, x, attend: b.residual(x, b.feed_forward_norm, b.feed_forward)),
         "the attention sublayer is missing"),
        (encoder(_from_input), "the second sublayer reads what the first one returned"),
        (encoder(_norms_exchanged), "the two norms are exchanged"),
        (encoder(_feed_forward_first), "attention comes first, then the feed-forward network"),
        (encoder(lambda b, x, attend: b.feed_forward(b.feed_forward_norm(
            attend(b.attention_norm(x))))), "both residual connections are missing"),
        (encoder(lambda b, x, attend: b.feed_forward(b.feed_forward_norm(
            b.residual(x, b.attention_norm, attend)))), "the second residual is missing"),
        (encoder(lambda b, x, attend: b.residual(
            attend(b.attention_norm(x)), b.feed_forward_norm, b.feed_forward)),
         "the first residual connection is missing"),
        (encoder(lambda b, x, attend: b.feed_forward_norm(_both(b, x, attend))),
         "a norm too many: residual has one, and the last one stands behind the stack"),
        (encoder(lambda b, x, attend: x + _both(b, x, attend)), "x is added once too often"),
        (encoder(lambda b, x, attend: _both(b, b.attention_norm(x), attend)),
         "only what goes into the sublayer is normalised, not the x that is added"),
    ],
    takes=5,
    level=2,
    hints=[
        "self.residual(x, self.attention_norm, f), where f(x) attends from x to x.",
        "The same again with self.feed_forward_norm and self.feed_forward.",
    ],
    reasoning="Attention moves information between tokens; the rest works on each token alone.",
    solved="Blocks keep the shape, so they can be stacked: BERT is twelve of them.",
    run=_run_encoder,
)  # fmt: skip
def encoder_inputs(draw):
    for T, d, norm in ((4, 6, "pre"), (5, 4, "pre"), (6, 4, "post")):
        yield d, norm, vectors(draw, 2, T, d), np.arange(T) < np.array([[T], [2]])


def decoder(
    mask=lambda T: np.tri(T, dtype=bool), cross=True, keep=slice(None), feed=9, always=False,
    within=None, across=None, norm_of_cross="cross_norm",
    join=lambda self, x, norm, sublayer: self.residual(x, norm, sublayer),
):  # fmt: skip
    """A class like TransformerDecoderBlock in which something differs."""

    class Block(layers.TransformerDecoderBlock):
        def call(self, x, encoded=None, encoded_mask=None):
            first = x

            def look(x):
                if within:
                    return within(self, x, first)
                return self.attention(x, x, attention_mask=mask(x.shape[1]))

            def look_across(x):
                if across:
                    return across(self, x, encoded, encoded_mask)
                return self.cross_attention(x, encoded, value_mask=encoded_mask)

            steps = [(self.attention_norm, look)]
            if always or (cross and encoded is not None):
                steps.append((getattr(self, norm_of_cross), look_across))
            steps = steps[keep]
            if feed:
                steps.insert(feed, (self.feed_forward_norm, self.feed_forward))
            for norm, sublayer in steps:
                x = join(self, x, norm, sublayer)
            return x

    return Block


def _run_decoder(Block, d, norm, x, encoded, mask):
    block = ready(Block, (d, 2, 7, 0.0, norm), x.shape, encoded.shape)
    output = called(block, x, encoded, encoded_mask=mask)
    try:
        alone = ready(Block, (d, 2, 7, 0.0, "pre", "relu", False), x.shape)(x)
    except Exception as error:
        raise Wrong(
            "without `encoded` the cross-attention is left out, but it fails"
        ) from error
    return arrays((output, alone))


@exercise(
    "06.5",
    layers.TransformerDecoderBlock,
    mistakes=[
        (decoder(mask=lambda T: None),
         "self-attention sees later tokens: use_causal_mask=True"),
        (decoder(mask=lambda T: np.tri(T, k=1, dtype=bool)),
         "off by one: position t sees token t + 1, which it has to predict"),
        (decoder(mask=lambda T: np.tri(T, k=-1, dtype=bool)), "a token may attend to itself"),
        (decoder(mask=lambda T: np.tri(T, dtype=bool).T),
         "each token sees the later ones, not the earlier: rows are queries, np.tri is lower"),
        (decoder(keep=slice(1, None)), "the self-attention sublayer is missing"),
        (decoder(within=lambda b, x, first: b.attention(first, first, use_causal_mask=True)),
         "self-attention uses x from outside: take the sublayer's own argument, which is "
         "normalised"),
        (decoder(across=lambda b, x, e, m: b.cross_attention(x, e)),
         "cross-attention has to hide the source's pads: encoded_mask"),
        (decoder(across=lambda b, x, e, m: b.cross_attention(x, e, value_mask=~m)),
         "the mask is True at real tokens already: pass it as it is"),
        (decoder(cross=False), "the cross-attention sublayer is missing"),
        (decoder(feed=0), "the feed-forward sublayer is missing"),
        (decoder(feed=1), "cross-attention comes before the feed-forward network"),
        (decoder(join=lambda b, x, norm, f: f(norm(x)) if f is b.feed_forward
                 else b.residual(x, norm, f)), "the last residual connection is missing"),
        (decoder(join=lambda b, x, norm, f: x + f(norm(x))), BY_HAND),
        (decoder(join=lambda b, x, norm, f: norm(x + f(x))),
         "that is post-norm: self.residual puts the norm in its place"),
        (decoder(keep=slice(None, None, -1)),
         "self-attention comes first, then cross-attention"),
        (decoder(always=True), "without `encoded` the cross-attention is left out"),
        (decoder(norm_of_cross="attention_norm"), "cross-attention has a norm of its own"),
        (decoder(across=lambda b, x, e, m: b.cross_attention(
            x, e, value_mask=m, use_causal_mask=True)),
         "only self-attention is causal: the whole source is known"),
        (decoder(across=lambda b, x, e, m: b.attention(x, e, value_mask=m)),
         "cross-attention has weights of its own: self.cross_attention"),
        (decoder(across=lambda b, x, e, m: b.cross_attention(x, x)),
         "cross-attention takes keys and values from `encoded`"),
        (decoder(across=lambda b, x, e, m: b.cross_attention(
            x, b.cross_norm(e), value_mask=m)), "`encoded` is normalised already"),
    ],
    takes=5,
    level=3,
    hints=[
        "Three times self.residual: attention, cross_attention, feed_forward.",
        "self.attention(x, x, use_causal_mask=True); "
        "self.cross_attention(x, encoded, value_mask=encoded_mask).",
    ],
    reasoning="Queries come from the decoder; in the middle sublayer the encoder answers them.",
    solved="Without the middle sublayer this is the block of GPT.",
    run=_run_decoder,
)  # fmt: skip
def decoder_inputs(draw):
    for T, S, d, norm in ((3, 4, 6, "pre"), (5, 3, 4, "pre"), (5, 4, 4, "post")):
        mask = np.arange(S) < np.array([[S], [2]])
        yield d, norm, vectors(draw, 2, T, d), vectors(draw, 2, S, d), mask


def whole(encode=None, call=None):
    """A class like Transformer with another method."""
    methods = {"encode": encode, "call": call}
    return type("Whole", (models.Transformer,), {k: v for k, v in methods.items() if v})


def encoding(
    mask=True,
    norm=True,
    blocks=slice(None),
    pads=lambda ids: ids != 0,
    plain=False,
    often=False,
    embedding="source_embedding",
):
    def encode(self, source):
        padding, words = pads(source), getattr(self, embedding)
        x = words(source) if plain else self.embed(words, source)
        for block in self.encoder[blocks]:
            x = block(x, mask=padding if mask else None)
            x = self.encoder_norm(x) if often else x
        return (self.encoder_norm(x) if norm else x), padding

    return encode


def decoding(
    embedding="target_embedding", blocks=slice(None), last=None, source=None, plain=False
):
    def call(self, inputs):
        encoded, padding = self.encode(inputs["source"])
        if source:
            encoded = source(self, inputs["source"])
        embedding_, ids = getattr(self, embedding), inputs["target"]
        x = embedding_(ids) if plain else self.embed(embedding_, ids)
        for block in self.decoder[blocks]:
            x = block(x, encoded, encoded_mask=padding)
        return last(self, x) if last else self.logits(x)

    return call


def _run_whole(Model, source, target):
    model = ready(Model, (9, 9, 8, 2, 6, 2))
    encoded = model.encode(ops.convert_to_tensor(source))
    require(
        isinstance(encoded, tuple | list) and len(encoded) == 2,
        "encode returns two things: the states and the padding mask",
    )
    logits = model({"source": source, "target": target})
    require(logits is not None, "`call` returned None: is a `return` missing?")
    return arrays((*encoded, logits))


@exercise(
    "06.6",
    models.Transformer,
    mistakes=[
        (whole(encode=encoding(mask=False)), "encode: the blocks do not get the padding mask"),
        (whole(encode=encoding(norm=False)), "encode: the last norm, encoder_norm, is missing"),
        (whole(encode=encoding(blocks=slice(1))), "encode: run all the blocks"),
        (whole(encode=encoding(pads=lambda ids: ids == 0)), "the mask is True at words"),
        (whole(encode=lambda self, ids: encoding()(self, ids)[0]), "encode returns two things"),
        (whole(call=decoding(embedding="source_embedding")),
         "call: the target has an embedding of its own"),
        (whole(call=decoding(blocks=slice(1))), "call: run all the decoder's blocks"),
        (whole(call=decoding(last=lambda self, x: self.to_words(x))),
         "call: self.logits normalises, then gives the scores of the words"),
        (whole(call=decoding(last=lambda self, x: x)), "call: the logits are missing"),
        (whole(encode=encoding(plain=True)), "encode: self.embed adds the positions"),
        (whole(call=decoding(plain=True)), "call: self.embed adds the target's positions"),
        (whole(encode=encoding(embedding="target_embedding")),
         "encode: the source has an embedding of its own"),
        (whole(encode=lambda self, ids: encoding()(self, ids)[::-1]),
         "encode returns the states first, then the mask"),
        *[(wrong, "the blocks run in the order of their list, the first one first")
          for backwards in (slice(None, None, -1),) for wrong in (
            whole(encode=encoding(blocks=backwards)), whole(call=decoding(blocks=backwards)))],
        (whole(call=decoding(last=lambda self, x: self.logits(x)[:, -1])),
         "call: a row of logits for every target token, not for the last alone"),
        (whole(encode=encoding(norm=False, often=True)),
         "encode: the last norm comes once, after all the blocks"),
        (whole(call=decoding(last=lambda self, x: ops.softmax(self.logits(x)))),
         "call: return logits, without a softmax"),
        (whole(call=decoding(last=lambda self, x: self.logits(self.encoder_norm(x)))),
         "call: encoder_norm belongs to the encoder"),
        (whole(call=decoding(blocks=slice(1, None))),
         "call: each block gets what the one before it returned"),
        (whole(encode=encoding(blocks=slice(1, None))),
         "encode: each block gets what the one before it returned"),
        (whole(call=decoding(source=lambda self, ids: None)),
         "call: the decoder's blocks do not get the encoder's states"),
        (whole(call=decoding(source=lambda self, ids: self.embed(self.source_embedding, ids))),
         "call: the decoder attends to what `encode` returns"),
    ],
    takes=6,
    level=2,
    hints=[
        "encode: self.embed(self.source_embedding, source), the blocks, self.encoder_norm.",
        "call: block(x, encoded, encoded_mask=mask) for all of self.decoder, then self.logits.",
    ],
    reasoning="Every decoder block attends to the last states of the encoder.",
    solved="This is the Transformer of 2017, with its norms before the sublayers.",
    run=_run_whole,
)  # fmt: skip
def sentences(draw):
    for S, T in ((4, 3), (5, 6)):
        source, target = draw.integers(1, 9, (2, S)), draw.integers(1, 9, (2, T))
        source[1, 2:] = 0
        yield source.astype("int32"), target.astype("int32")


def measure(
    change=lambda ids, place: np.where(ids[:, place] == 4, 5, 4),
    distance=lambda place, moved: place - int(np.append(moved[:place], True).argmax()),
    places=lambda T: range(1, T),
    together=max,
):
    """A `lookahead` in which something differs."""

    def wrong(model, source, target):
        def logits(ids):
            return ops.convert_to_numpy(model({"source": source, "target": ids}))

        before, furthest = logits(target), 0
        for place in places(target.shape[1]):
            changed = target.copy()
            changed[:, place] = change(target, place)
            moved = np.abs(logits(changed) - before).max(axis=(0, 2)) > 1e-5
            furthest = together(furthest, distance(place, moved))
        return furthest

    return wrong


def peeking(*seen):
    """A decoder whose last row sees, at position t, the later token s, for each (t, s)."""
    table = np.random.default_rng(1).normal(size=(12, 5))

    def model(inputs, training=False, **options):
        vectors = table[np.asarray(inputs["target"])]
        logits = np.cumsum(vectors, axis=1)
        told = "with dropout two calls differ anyway: call the model with training=False"
        require(not training, told)
        for t, s in seen:
            logits[-1, t, 1:] += 1e-3 * vectors[-1, s, 1:]
        return logits

    model.predict = model
    return model


@exercise(
    "06.7",
    lecture_06.lookahead,
    mistakes=[
        (measure(distance=lambda place, moved: 0), "no leak is found where there is one: "
         "in all rows and words, count every difference of the logits above rounding, 1e-5"),
        (measure(change=lambda ids, place: 4),
         "where the token is word 4 already, nothing was changed: use word 5 there"),
        (measure(change=lambda ids, place: 4, distance=lambda place, moved: place - int(
            moved.argmax())),
         "where the token is word 4 already, nothing was changed: use word 5 there"),
        (measure(distance=lambda place, moved: int(moved.nonzero()[0].max()) - place),
         "later logits may move: look at those before the changed token"),
        (measure(distance=lambda place, moved: int(np.abs(moved.nonzero()[0] - place).max())),
         "later logits may move: look at those before the changed token"),
        (measure(together=lambda a, b: a or b),
         "do not stop at the first leak: keep the largest"),
        (measure(distance=lambda place, moved: int(moved.sum())),
         "count how far before the changed token logits move, not how many positions move"),
        (measure(distance=lambda place, moved: int(moved.any())),
         "every change moves some logits: only those before the changed token are a leak"),
        (measure(distance=lambda place, moved: place - int(moved.argmax()) + 1),
         "one too far: logits at the changed token itself may move"),
        (measure(distance=lambda place, moved: int(moved[:place].any())),
         "that says whether there is a leak; say how many tokens ahead it sees"),
        (measure(distance=lambda place, moved: int(moved[:place].sum())),
         "count the distance of the first position that moves"),
        (measure(places=lambda T: range(1, 2)), "change the later tokens, too, one at a time"),
        (measure(together=lambda a, b: b),
         "change every later token, and keep the largest distance, not the last one's"),
    ],
    takes=8,
    level=3,
    hints=[
        "Change token j (to 4, or to 5 where it is 4 already) and compare with before.",
        "The first position whose logits move is t: the decoder saw j − t tokens ahead.",
    ],
    reasoning="A later token may change no earlier logits; so change one, and look.",
    solved="Four lines find every leak; they belong into the tests of every causal model.",
)  # fmt: skip
def decoders(draw):
    leaks = {4: (), 5: ((2, 3), (3, 4)), 6: ((1, 3), (0, 1)), 7: ((1, 2), (2, 5), (4, 5))}
    leaks |= {8: ((0, 2), (2, 5), (6, 7)), 9: ((0, 3), (3, 4))}
    for T, seen in leaks.items():
        target = draw.integers(4, 7, (2, T))
        target[:, 3] = 4
        yield peeking(*seen), np.ones((2, 3), "int32"), target


def _translates(train):
    """Train a new translator with a student's function; True where it reaches the figure."""
    if train is lecture_06.two_epochs:  # trained in the tests, not at every check
        return True
    pairs = data.load_pairs()
    keras.utils.set_random_seed(0)
    model = lecture_06.translator(pairs, lecture_06.TRANSLATOR)
    trained = train(model, data.length_buckets(pairs.train, 64))
    require(trained is model, "train the model that you are given, and return it")
    require_loss(model)
    steps = int(model.optimizer.iterations)
    require(steps <= 2 * 188, f"that were {steps} batches, more than two epochs")
    require(steps > 0, "the model has been compiled, but not trained: call fit")
    some = pairs.val.take(slice(200))
    said = translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
    reached = translation.exact_match(said, some.columns["target_text"])
    require(
        reached >= 0.6,
        f"{reached:.0%} of 200 validation sentences are right, and 60 % are asked: try another "
        "learning rate, larger or smaller by a factor of two to four",
    )
    return True


@exercise(
    "06.8",
    lecture_06.two_epochs,
    mistakes=[
        (lambda model, batches: {}, "train the model that you are given, and return it"),
        (lambda model, batches: model, "compile the model first"),
        (compiled(), "from_logits=True"),
        (compiled(from_logits=True), "ignore_class=0"),
        (compiled(from_logits=True, ignore_class=0), "call fit"),
    ],
    takes=8,
    level=3,
    hints=[
        "SparseCategoricalCrossentropy(from_logits=True, ignore_class=0); Adam(schedule).",
        "schedules.WarmupCosine(0.008, 2 * len(batches)) is a learning rate that works.",
    ],
    reasoning="Two epochs are few, so the learning rate has to be as large as training bears.",
    solved="In two epochs, a few hundred batches.",
    run=_translates,
    limit=900,
)
def no_arguments(draw):
    yield ()
