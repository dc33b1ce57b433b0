"""Exercises of lecture 06: the Transformer, each part on the one before; a leak; a training."""

import inspect

import keras
import numpy as np
from keras import ops

from course_utils import data, errors, layers, models
from course_utils.checks import (
    called,
    fresh,
    learns_alike,
    open_shapes,
    parts,
    ready,
    require_loss,
    show_dropout,
    vectors,
    watched_training,
)
from course_utils.exercises import Wrong, exercise, require
from course_utils.layers.attention import masked_softmax
from lectures import lecture_06
from lectures.lecture_05 import translation
from lectures.lecture_05.exercises import barely_trained
from lectures.lecture_05.pairs import load_pairs


def _run_attention(Layer, query, value, key, mask):
    layer = show_dropout(Layer())
    pair = parts(
        layer(query, value, key, attention_mask=mask, return_attention_scores=True),
        "with return_attention_scores=True return two things: the context and the weights",
    )
    context = layer(query, value, key, attention_mask=mask)
    told = "without return_attention_scores return the context alone"
    require(not isinstance(context, tuple | list), told)
    try:
        alone = layer(query, value)  # the keys are the values, nothing is hidden
    except Exception as error:
        raise Wrong("it fails without a key: by default the key is the value") from error
    return context, pair[1], alone


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
    told = f"the context should have the shape {right.shape}, not {contexts.shape}"
    require(contexts.shape == right.shape, told)
    close = np.isclose(contexts, right, atol=1e-4)
    require(close[:, :, 1:].all(), "d_k is the width of the queries, not of the values")
    require(close.all(), "a query that may attend to nothing gets zeros: masked_softmax")


def _called_with_mask(Layer):
    layer = Layer()

    def call(query, value):
        seen = ops.matmul(query, ops.swapaxes(value, -1, -2)) > 0
        return layer(query, value, attention_mask=seen)

    return call


def drops_alike(reference, build, *arguments):
    """Return a property: dropout acts in an answer in training, and in training alone.

    `build(answer)` gives a layer, whose dropouts halve from now on; it is called with the
    arguments.
    """

    def outputs(answer):
        layer = build(answer)
        for inner in layer._flatten_layers():
            if isinstance(inner, keras.layers.Dropout):
                inner.call = _halved
        found = layer(*arguments), layer(*arguments, training=True)
        return [ops.convert_to_numpy(one) for one in found]

    def holds(answer):
        told = "the numbers are right, but dropout acts {}: hand no `training` on, the layers "
        told += "inside find it out"
        cases = "where the model only predicts", "otherwise than asked in training"
        for mine, right, case in zip(outputs(answer), outputs(reference), cases, strict=True):
            require(np.allclose(mine, right, 1e-3, 1e-4), told.format(case))

    return holds


def _halved(inputs, training=False):
    return inputs / 2 if training else inputs


SOME = vectors(np.random.default_rng(3), 2, 3, 8)
SENTENCES = {"source": np.array([[4, 5, 0]]), "target": np.array([[2, 6]])}


def _hidden_after(scores, mask):
    weights = ops.softmax(scores)
    return weights if mask is None else weights * ops.cast(mask, weights.dtype)


def _added(scores, mask, times=1):
    return ops.softmax(scores if mask is None else scores + times * ops.cast(mask, "float32"))


def _over_queries(scores, mask):
    mask = None if mask is None else ops.swapaxes(mask, -1, -2)
    return ops.swapaxes(masked_softmax(ops.swapaxes(scores, -1, -2), mask), -1, -2)


MASKED = "masked_softmax(scores, attention_mask)"
DROPPED = "self.dropout(weights)"


@exercise(
    "06.1",
    layers.ScaledDotProductAttention,
    mistakes=[
        (" / query.shape[-1] ** 0.5", "", "the division by √d_k is missing"),
        (" ** 0.5", "", "divide by √d_k, not by d_k"),
        ("query.shape[-1]", "key.shape[-2]", "d_k is the width, not the number of keys"),
        ("value if key is None else key", "value",
         "the query is compared with the keys, not the values"),
        (MASKED, "ops.softmax(scores)", "attention_mask is not used"),
        ("masked_softmax", "_hidden_after", "mask the scores before the softmax, so that each "
         "row still adds up to 1: masked_softmax does"),
        ("attention_mask)\n", "None if attention_mask is None else ~attention_mask)\n",
         "True in the mask means: may be attended to"),
        ("masked_softmax", "_added", "adding the mask hides nothing: masked_softmax"),
        (DROPPED, "weights", "self.dropout is not used"),
        (MASKED, f"self.dropout({MASKED})", DROPPED, "weights",
         "return the weights as they were before the dropout"),
        (MASKED, "masked_softmax(self.dropout(scores), attention_mask)", DROPPED, "weights",
         "dropout acts on the weights, not on the scores"),
        ("ops.matmul(self.dropout(weights), value)", "ops.matmul(weights, self.dropout(value))",
         "dropout acts on the weights, not on the values"),
        (" / query.shape", " * query.shape", "divide by √d_k, do not multiply"),
        ("ops.swapaxes(key, -1, -2)", "key", "transpose the keys: ops.swapaxes(key, -1, -2)"),
        ("query, ops.swapaxes(key, -1, -2)", "key, ops.swapaxes(query, -1, -2)",
         "a row for each query: the transposed keys come second, ops.swapaxes(key, -1, -2)"),
        ("masked_softmax", "_over_queries", "the softmax runs over the keys, the last axis"),
        (", value)", ", key)", "average the values"),
        ("(context, weights)", "(weights, context)",
         "return the context first, then the weights"),
    ],
    compares=("the context", "the weights", "the context without a key"),
    takes=7,
    level=2,
    hints=["ops.matmul(query, ops.swapaxes(key, -1, -2)) compares every query with every key.",
           "Divide by query.shape[-1] ** 0.5, call masked_softmax, multiply by the values."],
    reasoning="Two products and a softmax: all queries meet all keys without a loop.",
    solved="Every attention of this lecture now runs on these lines.",
    properties=[
        _in_general,
        open_shapes(_called_with_mask, (None, 8), (None, 8)),
        drops_alike(layers.ScaledDotProductAttention, lambda Layer: Layer(), SOME, SOME),
    ],
    run=_run_attention,
)  # fmt: skip
def attention_inputs(draw):
    for batch, T, S, d in ((2, 2, 3, 5), (3, 4, 6, 3)):
        mask = draw.random((batch, T, S)) < 0.6
        mask[..., 0] = True
        keys_and_values = (vectors(draw, batch, S, d) for _ in range(2))
        yield vectors(draw, batch, T, d), *keys_and_values, mask


def _run_heads(Layer, embed_dim, num_heads, x, values, mask):
    layer = show_dropout(ready(Layer, (embed_dim, num_heads), x.shape, values.shape))
    split = layer.split(ops.convert_to_tensor(x))
    return split, *layer(x, values, value_mask=mask, return_attention_scores=True)


def _self_attention(Layer):
    layer = ready(Layer, (8, 4), (2, 3, 8), (2, 3, 8))
    return lambda x: layer(x, x)


OPEN = "use ops.shape(x), not x.shape, and write a head's width as embed_dim // num_heads"
MIXED = "self.output_projection(self.join(contexts))"


@exercise(
    "06.2",
    layers.MultiHeadAttention,
    mistakes=[
        ("(ops.reshape(x, shape), (0, 2, 1, 3))", "(ops.reshape(x, shape), (0, 1, 2, 3))",
         "the heads come before the tokens: transpose"),
        ("self.num_heads, self.embed_dim // self.num_heads)",
         "self.embed_dim // self.num_heads, self.num_heads)",
         "(ops.reshape(x, shape), (0, 2, 1, 3))", "(ops.reshape(x, shape), (0, 3, 1, 2))",
         "each head gets neighbouring channels: reshape to (…, num_heads, d_k)"),
        ("ops.shape(x)[1], self.num_heads,", "self.num_heads, ops.shape(x)[1],",
         "(ops.reshape(x, shape), (0, 2, 1, 3))", "(ops.reshape(x, shape), (0, 1, 2, 3))",
         "a reshape alone mixes tokens and heads: split the last axis, then transpose"),
        ("ops.shape(x)[1],", "x.shape[1],", "use ops.shape(x)"),
        ("x = ops.transpose(x, (0, 2, 1, 3))", "",
         "ops.shape(x)[1], self.embed_dim)", "ops.shape(x)[2], self.embed_dim)",
         "join: transpose back before the reshape"),
        ("self.query(query)", "query", "the query is not projected: self.query"),
        (MIXED, "self.join(contexts)", "W^O is missing: self.output_projection"),
        (MIXED, f"query + {MIXED}",
         "nothing is added here: the residual connection belongs to the block"),
        ("keys, mask,", "keys, None,", "the mask is not passed on to self.attention"),
        ("values, keys, mask", "keys, values, mask",
         "self.attention takes query, values, keys, in this order"),
        ("values, keys, mask", "keys, keys, mask", "average the values, not the keys"),
        (f"{MIXED}, weights", f"{MIXED}, ops.mean(weights, axis=1)",
         "return the weights of each head, not their mean"),
        (f"{MIXED}, weights", MIXED, "return two things: the output and the weights"),
        ("self.split(self.query(query))", "self.query(query)",
         "the query is not split into heads: self.split"),
        (MIXED, "self.join(self.output_projection(contexts))",
         "join the heads first, then mix them with self.output_projection"),
    ],
    compares=("the result of `split`", "the output", "the weights"),
    takes=11,
    level=3,
    hints=["split: reshape to (-1, tokens, num_heads, d_k), then exchange the middle two axes.",
           "attend: self.attention(self.split(self.query(query)), values, keys, mask, "
           "return_attention_scores=True), then join and self.output_projection."],
    reasoning="A reshape keeps the order of the numbers; only a transpose moves the heads.",
    solved="All heads are computed in one product, and no weight was added.",
    properties=[
        open_shapes(_self_attention, (None, 8), advice=OPEN),
        learns_alike(
            layers.MultiHeadAttention,
            lambda Layer: fresh(Layer, (8, 4), (2, 3, 8), (2, 3, 8)),
            (3, 8),
            (3, 8),
        ),
    ],
    run=_run_heads,
)  # fmt: skip
def head_inputs(draw):
    for batch, num_heads, d_k, T, S in ((2, 2, 3, 4, 5), (3, 4, 2, 5, 4)):
        d = num_heads * d_k
        mask = np.arange(S) < np.array([[S], [2], [1]])[:batch]
        yield d, num_heads, vectors(draw, batch, T, d), vectors(draw, batch, S, d), mask


def _run_positions(Layer, length, d):
    layer = Layer(length)
    layer.build((None, length - 1, d))
    require(getattr(layer, "table", None) is not None, "keep the table as self.table")
    kept = isinstance(layer.table, np.ndarray) and layer.table.dtype == "float32"
    require(kept, "the table is a NumPy array of float32: .astype('float32')")
    require(len(layer.table) == length, "the table has self.max_length rows")
    return layer.table


EVEN, STACKED = (
    "-np.arange(0, channels, 2)",
    "np.stack([np.sin(angles), np.cos(angles)], axis=-1)",
)
TURNS = "np.where(np.arange(channels) % 2 == 0, np.sin(angles), np.cos(angles))"


@exercise(
    "06.3",
    layers.SinusoidalPositions,
    mistakes=[
        ("axis=-1", "axis=-2", "sine and cosine take turns: channel 2i the sine, 2i + 1 the "
         "cosine"),
        ("np.sin(angles), np.cos(angles)", "np.cos(angles), np.sin(angles)",
         "the even channels hold the sine"),
        ("/ channels", "/ channels / 2", "the exponent is 2i / d"),
        ("-np.arange", "-2 * np.arange",
         "the exponent is 2i / d, not 4i / d: np.arange(0, d, 2) is 2i already"),
        ("-np.arange", "np.arange", "the exponent is negative"),
        ("np.arange(self.max_length)", "np.arange(1, self.max_length + 1)",
         "positions count from 0"),
        ("10_000.0", "1_000.0", "the base is 10,000"),
        ("np.cos", "np.sin", "the odd channels hold the cosine"),
        (EVEN, "-np.arange(channels)", STACKED, TURNS,
         "both channels of a pair have one exponent, 2i / d: yours has i / d"),
        (EVEN, "-2 * np.arange(channels)", STACKED, TURNS,
         "the exponent of channels 2i and 2i + 1 is 2i / d: yours counts channels, not pairs"),
        (".reshape(self.max_length, channels)", "",
         "the table has two axes: reshape the pairs to (max_length, channels)"),
        (", axis=-1)", ")", "stack the two on a new last axis, then reshape: axis=-1"),
        ("np.arange(self.max_length)[:, None]", "np.arange(self.max_length)",
         "a row for each position: np.arange(self.max_length)[:, None]"),
    ],
    compares="the table",
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


def _run_encoder(Block, d, norm, x, mask):
    block = show_dropout(ready(Block, (d, 2, 7, 0.0, norm), x.shape))
    return called(block, x, mask=mask)


def _without_mask(Block):
    """A later cell calls the encoder's block so."""
    x = vectors(np.random.default_rng(2), 2, 3, 8)
    _unmasked(ready(Block, (8, 2, 7), x.shape), "mask", x)


def _unmasked(layer, name, *inputs):
    try:
        return layer(*inputs)
    except Exception as error:
        told = f"it fails without a mask: {name} may be None: {errors.in_words(error)}"
        raise Wrong(told) from error


BY_HAND = 'self.residual knows dropout and norm="post", too: call it'
OWN = "def attend(x)", "def attend(y)"  # then x is the block's own
ATTEND = "self.attention(x, x, value_mask=mask)"
NOTHING = "the sublayer returns None: is a `return` missing?"
RESULT = "the third argument of self.residual is a function of x, not its result"
SWAPPED = ("self.residual(x, attend, self.attention_norm)",
           "self.residual(x, self.feed_forward, self.feed_forward_norm)")  # fmt: skip
FIRST = "self.residual(x, self.attention_norm, attend)"
SECOND = "self.residual(x, self.feed_forward_norm, self.feed_forward)"
PLAIN = "self.feed_forward(self.feed_forward_norm(x))"


@exercise(
    "06.4",
    layers.TransformerEncoderBlock,
    mistakes=[
        (", value_mask=mask", "", "the padding mask is not used: value_mask=mask"),
        (*OWN, "the sublayer uses x from outside: take its own argument, which is normalised"),
        ("=mask)", "=~mask)", "the mask is True at real tokens already: pass it as it is"),
        ("=mask)", "=mask, use_causal_mask=True)",
         "an encoder sees later tokens: no causal mask"),
        (FIRST, "self.attention_norm(x + attend(x))",
         SECOND, "self.feed_forward_norm(x + self.feed_forward(x))",
         "that is post-norm: self.residual puts the norm in its place"),
        (FIRST, "x + attend(self.attention_norm(x))", SECOND, f"x + {PLAIN}", BY_HAND),
        (f"x = {FIRST}", f"first = {FIRST}", SECOND, f"first + {SECOND}",
         "the second sublayer reads what the first one returned"),
        ("feed_forward_norm,", "attention_norm,",
         "the second sublayer has a norm of its own: feed_forward_norm"),
        (SECOND, "x", "the feed-forward sublayer is missing"),
        (FIRST, "x", "the attention sublayer is missing"),
        (FIRST, "attend(self.attention_norm(x))", SECOND, PLAIN,
         "both residual connections are missing"),
        (ATTEND, f"x + {ATTEND}", "self.residual adds x: not once more in the sublayer"),
        (f"{OWN[0]}:", f"{OWN[0]}:\n            x = self.attention_norm(x)",
         "self.residual normalises: not once more in the sublayer"),
        (f"return {ATTEND}", ATTEND, NOTHING),
        (FIRST, SWAPPED[0], SECOND, SWAPPED[1],
         "self.residual takes x, norm, sublayer: in this order"),
        (FIRST, SECOND, f"return {SECOND}", f"return {FIRST}",
         "attention comes first, then the feed-forward network"),
        (FIRST, f"self.residual(x, self.attention_norm, {ATTEND})", RESULT),
        (FIRST, "self.residual(x, self.attention_norm, self.attention)",
         "self.attention takes x twice: the sublayer is a function of x that calls it"),
    ],
    compares="the output",
    takes=5,
    level=2,
    hints=["self.residual(x, self.attention_norm, f), where f(x) attends from x to x.",
           "The same again with self.feed_forward_norm and self.feed_forward."],
    reasoning="Attention moves information between tokens; the rest works on each token alone.",
    solved="Blocks keep the shape, so they can be stacked: BERT is twelve of them.",
    properties=[
        _without_mask,
        learns_alike(
            layers.TransformerEncoderBlock,
            lambda Block: fresh(Block, (8, 2, 7), (2, 3, 8)),
            (3, 8),
        ),
    ],
    run=_run_encoder,
)  # fmt: skip
def encoder_inputs(draw):
    for batch, T, d, norm in ((2, 4, 6, "pre"), (3, 5, 4, "pre"), (2, 6, 4, "post")):
        mask = np.arange(T) < np.array([[T], [2], [3]])[:batch]
        yield d, norm, vectors(draw, batch, T, d), mask


def _run_decoder(Block, d, norm, x, encoded, mask):
    block = show_dropout(ready(Block, (d, 2, 7, 0.0, norm), x.shape, encoded.shape))
    output = called(block, x, encoded, encoded_mask=mask)
    unmasked = _unmasked(block, "encoded_mask", x, encoded)
    try:
        alone = ready(Block, (d, 2, 7, 0.0, "pre", "relu", False), x.shape)(x)
    except Exception as error:
        told = "without `encoded` the cross-attention is left out, but it fails"
        raise Wrong(told) from error
    return output, unmasked, alone


def _without_encoder(Block):
    """The decoder's block as GPT has it, in a model whose shapes are open."""
    return ready(Block, (8, 2, 7, 0.0, "pre", "relu", False), (2, 3, 8))


CAUSAL = "use_causal_mask=True"
CAUSAL_OPEN = "`x.shape` holds None for them; let use_causal_mask=True make the mask"
ACROSS = "x = self.residual(x, self.cross_norm, attend_across)"
ATTENDED = "self.cross_attention(x, encoded, value_mask=encoded_mask)"


@exercise(
    "06.5",
    layers.TransformerDecoderBlock,
    mistakes=[
        (CAUSAL, "", "self-attention sees later tokens: use_causal_mask=True"),
        (CAUSAL, "attention_mask=np.tri(x.shape[1], k=1, dtype=bool)",
         "off by one: position t sees token t + 1, which it has to predict"),
        (CAUSAL, "attention_mask=np.tri(x.shape[1], dtype=bool)", "let use_causal_mask=True"),
        (CAUSAL, "attention_mask=np.tri(x.shape[1], dtype=bool).T",
         "each token sees the later ones, not the earlier: rows are queries, np.tri is lower"),
        (*OWN, "self-attention uses x from outside: take the sublayer's own argument, which is "
         "normalised"),
        (", value_mask=encoded_mask", "",
         "cross-attention has to hide the source's pads: encoded_mask"),
        (ACROSS, "pass", "the cross-attention sublayer is missing"),
        (FIRST, "x + attend(self.attention_norm(x))",
         ACROSS, "x = x + attend_across(self.cross_norm(x))", SECOND, f"x + {PLAIN}", BY_HAND),
        (FIRST, "self.attention_norm(x + attend(x))",
         ACROSS, "x = self.cross_norm(x + attend_across(x))",
         SECOND, "self.feed_forward_norm(x + self.feed_forward(x))",
         "that is post-norm: self.residual puts the norm in its place"),
        ("if encoded is not None", "if True",
         "without `encoded` the cross-attention is left out"),
        ("cross_norm, a", "attention_norm, a", "cross-attention has a norm of its own"),
        ("=encoded_mask)", "=encoded_mask, use_causal_mask=True)",
         "only self-attention is causal: the whole source is known"),
        (ATTENDED, "self.cross_attention(x, x)",
         "cross-attention takes keys and values from `encoded`"),
        ("self.cross_attention", "self.attention", "cross-attention is a layer of its own: "
         "self.cross_attention"),
        (ATTENDED, "self.cross_attention(encoded, x, value_mask=encoded_mask)",
         "the queries are the decoder's: self.cross_attention(x, encoded, …)"),
        ("value_mask=encoded_mask", "attention_mask=encoded_mask",
         "encoded_mask says which keys are real: value_mask=encoded_mask"),
        (f"x = {FIRST}\n", "pass\n", "the causal self-attention is missing"),
        (f"x = {FIRST}\n        if encoded is not None:\n            {ACROSS}\n",
         f"if encoded is not None:\n            {ACROSS}\n        x = {FIRST}\n",
         "self-attention comes before cross-attention"),
    ],
    compares=("the output", "the output without a mask", "the output without `encoded`"),
    takes=5,
    level=3,
    hints=["Three times self.residual: attention, cross_attention, feed_forward.",
           "self.attention(x, x, use_causal_mask=True); "
           "self.cross_attention(x, encoded, value_mask=encoded_mask)."],
    reasoning="Queries come from the decoder; in the middle sublayer the encoder answers them.",
    solved="Without the middle sublayer this is the block of GPT.",
    properties=[
        open_shapes(_without_encoder, (None, 8), advice=CAUSAL_OPEN),
        learns_alike(
            layers.TransformerDecoderBlock,
            lambda Block: fresh(Block, (8, 2, 7), (2, 3, 8), (2, 4, 8)),
            (3, 8),
            (4, 8),
        ),
    ],
    run=_run_decoder,
)  # fmt: skip
def decoder_inputs(draw):
    for T, S, d, norm in ((3, 4, 6, "pre"), (5, 3, 4, "pre"), (4, 5, 4, "post")):
        batch = T - 2
        mask = np.arange(S) < np.array([[S], [2], [1]])[:batch]
        yield d, norm, vectors(draw, batch, T, d), vectors(draw, batch, S, d), mask


def _run_whole(Model, norm, num_layers, source, target):
    model = show_dropout(ready(Model, (9, 9, 8, 2, 6, num_layers, 64, 0.0, norm)))
    encoded = model.encode(ops.convert_to_tensor(source))
    encoded = parts(encoded, "encode returns two things: the states and the padding mask")
    bool_ = ops.convert_to_numpy(encoded[1]).dtype == bool
    require(bool_, "the mask of `encode` is True at words (bool): ops.not_equal makes it")
    logits = model({"source": source, "target": target})
    require(logits is not None, "`call` returned None: is a `return` missing?")
    return *encoded, logits


def _told_of_training(Model):
    told = "`call` takes `training`: without it `fit` cannot tell the model that it trains"
    require("training" in inspect.signature(Model.call).parameters, told)


def _of_sentences(Model):
    model = ready(Model, (9, 9, 8, 2, 6, 1))
    return lambda source, target: model({"source": source, "target": target})


EMBEDDED = "self.embed(self.source_embedding, source)"
WRITTEN = 'self.embed(self.target_embedding, inputs["target"])'
STATES = '(self.encoder_norm(x) if self.norm == "pre" else x)'


@exercise(
    "06.6",
    models.Transformer,
    mistakes=[
        ("mask=mask)\n        return (", "mask=None)\n        return (",
         "encode: the blocks do not get the padding mask"),
        (STATES, "x", "encode: the last norm, encoder_norm, is missing"),
        (STATES, "self.encoder_norm(x)",
         'encode: with norm="post" there is no encoder_norm: the blocks end in a norm'),
        ("not_equal", "equal", "the mask is True at words"),
        (f"{STATES}, mask", STATES, "encode returns two things"),
        ("target_embedding", "source_embedding",
         "call: the target has an embedding of its own"),
        ("self.logits(x)", "self.to_words(x)",
         "call: self.logits normalises, then gives the scores of the words"),
        (EMBEDDED, "self.source_embedding(source)", "encode: self.embed adds the positions"),
        (WRITTEN, 'self.target_embedding(inputs["target"])',
         "call: self.embed adds the target's positions"),
        ("self.logits(x)", "ops.softmax(self.logits(x))",
         "call: return logits, without a softmax"),
        ("in self.decoder:", "in self.decoder[1:]:",
         "call: each block gets what the one before it returned"),
        ("block(x, encoded,", "block(x, None,",
         "call: the decoder's blocks do not get the encoder's states"),
        ("in self.encoder:", "in self.encoder[-1:]:",
         "encode: each block gets what the one before it returned"),
        ('["source"]', '["target"]', "call: what is encoded is the source"),
        ("self.logits(x)", "x", "call: self.logits makes the scores of the words"),
        ("encoded, mask = self", "encoded = self", "encoded_mask=mask", "",
         "call: encode returns two things, the states and the mask"),
    ],
    compares=("the states of `encode`", "the mask of `encode`", "the logits"),
    takes=6,
    level=2,
    hints=[
        "encode: self.embed(self.source_embedding, source), the blocks, self.encoder_norm.",
        "call: block(x, encoded, encoded_mask=mask) for all of self.decoder, then self.logits.",
    ],
    reasoning="Every decoder block attends to the last states of the encoder.",
    solved="This is the Transformer of 2017, with its norms before the sublayers.",
    properties=[
        _told_of_training,
        open_shapes(_of_sentences, (None,), (None,)),
        drops_alike(
            models.Transformer, lambda Model: ready(Model, (9, 9, 8, 2, 6, 1)), SENTENCES
        ),
    ],
    run=_run_whole,
)  # fmt: skip
def sentences(draw):
    for batch, S, T, norm, num_layers in (
        (2, 4, 3, "pre", 1), (3, 4, 5, "post", 2), (2, 5, 6, "pre", 3)
    ):  # fmt: skip
        source, target = draw.integers(1, 9, (batch, S)), draw.integers(1, 9, (batch, T))
        source[1, 2:] = 0
        yield norm, num_layers, source.astype("int32"), target.astype("int32")


def peeking(*seen, by):
    """A decoder that sees, at position t, the later token s, for each (t, s).

    It does so where the source begins with word 2, whichever row of a batch that is. There are
    seven words; a larger one gives a larger logit, so that a change to word 4 lowers it.
    """
    table = np.random.default_rng(1).normal(size=(7, 5))
    table[:, 1:] = np.arange(7)[:, None]

    def model(inputs, training=False, **options):
        target = np.asarray(inputs["target"])
        told = "change a token to another word: 4, or 5 where it is 4; 0 to 3 mark and pad"
        require(target.min() >= 4 and target.max() < len(table), told)
        vectors = table[target]
        logits = np.cumsum(vectors, axis=1)
        told = "with dropout two calls differ anyway: call the model with training=False"
        require(not training, told)
        leaky = np.asarray(inputs["source"])[:, 0] == 2
        for t, s in seen:
            if s < target.shape[1]:
                logits[leaky, t, 1:4] += by * vectors[leaky, s, 1:4]
        return logits

    model.predict = model.predict_on_batch = model
    return model


CHANGED = "np.where(target[:, place] == 4, 5, 4)"
AHEAD = "place - int(moved.argmax())"


@exercise(
    "06.7",
    lecture_06.lookahead,
    mistakes=[
        (CHANGED, "4",
         "where the token is word 4 already, nothing was changed: use word 5 there"),
        (AHEAD, "int(moved.nonzero()[0].max()) - place",
         "later logits may move: look at those before the changed token"),
        (f"max(furthest, {AHEAD})", f"furthest or {AHEAD}",
         "do not stop at the first leak: keep the largest"),
        (AHEAD, "int(moved.any())",
         "every change moves some logits: only those before the changed token are a leak"),
        (AHEAD, f"{AHEAD} + 1", "one too far: logits at the changed token itself may move"),
        (AHEAD, "int(moved[:place].any())",
         "that says whether there is a leak; say how many tokens ahead it sees"),
        (AHEAD, "int(moved[:place].sum())",
         "count the distance of the first position that moves"),
        ("range(1, target.shape[1])", "range(1, 2)",
         "change the later tokens, too, one at a time"),
        (f"max(furthest, {AHEAD})", AHEAD,
         "change every later token, and keep the largest distance, not the last one's"),
        ("> 1e-5", "> 1e-2", "a small change is a leak, too: compare with 1e-5"),
        ("changed[:, place] =", "changed[0, place] =", CHANGED, "4 + (target[0, place] == 4)",
         "change the token in all rows of the batch: one may show what another does not"),
        (AHEAD, "int(moved.argmax())", "the distance to the changed token, not the position"),
    ],
    compares="the distance",
    takes=8,
    level=3,
    hints=["Change token j (to 4, or to 5 where it is 4 already) and compare with before.",
           "The first position whose logits move is t: the decoder saw j − t tokens ahead."],
    reasoning="A later token may change no earlier logits; so change one, and look.",
    solved="It needs no training: put it into the tests of every model with a causal mask.",
)  # fmt: skip
def decoders(draw):
    leaks = {4: (), 5: ((2, 3), (3, 4)), 6: ((1, 3), (0, 1)), 7: ((1, 2), (2, 5), (4, 5))}
    leaks |= {8: ((0, 2), (2, 5), (6, 7)), 9: ((0, 3), (3, 4)), 10: ((1, 3), (4, 9))}
    for T, seen in leaks.items():
        batch, S = 2 + T % 2, 3 + T % 2
        target = draw.integers(4, 7, (batch, T))
        # The token that is seen furthest ahead: to change it raises the logits, or lowers them.
        target[:, max(seen, key=lambda pair: pair[1] - pair[0], default=(0, 3))[1]] = 4 + T % 3
        source = np.ones((batch, S), "int32")
        source[T % batch, 0] = 2
        yield peeking(*seen, by=(1e-3, 0.1)[T % 2]), source, target


def _translates(train, pairs):
    """Train a new translator with a student's function, and see whether it translates."""
    batches = data.length_buckets(pairs.train, 64, same_steps=("target", "targets"))
    with watched_training(pairs, called="sentences", batches=2 * len(batches)) as training:
        new = lecture_06.translator(pairs, lecture_06.TRANSLATOR)
        model = training.trained(train(new, batches), new)
    words = len(pairs.vocabulary["target"])
    require_loss(model, "the loss should read logits: from_logits=True", classes=words)
    some = pairs.val.take(slice(200))
    said = translation.translate(model, some.inputs["source"], pairs.vocabulary, 40)
    reached = translation.exact_match(said, some.columns["target_text"])
    training.reaches(reached, 0.6, "exact match on 200 validation sentences")


@exercise(
    "06.8",
    lecture_06.two_epochs,
    mistakes=[
        (lambda model, batches: {}, "return the model that you got"),
        (lambda model, batches: model, "the model is not trained: call `fit`"),
        (barely_trained(), "from_logits=True"),
        (barely_trained(from_logits=True), "ignore_class=0"),
        (barely_trained(from_logits=True, ignore_class=0), "0.6 is asked"),
    ],
    takes=8,
    level=3,
    hints=[
        "SparseCategoricalCrossentropy(from_logits=True, ignore_class=0); Adam(schedule).",
        "schedules.WarmupCosine(0.008, 2 * len(batches)) is a learning rate that works.",
    ],
    reasoning="The loss reads logits and leaves out pads; the learning rate rises and falls.",
    solved="In two epochs, a few hundred batches.",
    trains=_translates,
    limit=900,
)
def real_pairs(draw):
    yield load_pairs()
