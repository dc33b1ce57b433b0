"""Time other ways to compute what peers compute faster, beside the course's way.

    python -m benchmarks.kernels

The blocks of the Vision Transformer at the sizes of `peers`, without its class token, with
attention computed otherwise,
and its LSTM, with the products of a step arranged otherwise. All ways of a model start from the
same weights and have to give the same numbers. They train and infer in turn, through `fit` and
`predict`, compiled with XLA.
"""

import math
import statistics

import keras
import numpy as np
from keras import layers, ops

import course_utils as cu
from benchmarks import worker
from benchmarks.peers_ours import after_batches
from benchmarks.timing import processor
from course_utils import results

SIZE = worker.VIT | {"tokens": (worker.IMAGE["image"] // worker.IMAGE["patch"]) ** 2}
TOGETHER = 4  # steps of the LSTM in one pass of its loop


class KerasAttention(cu.layers.MultiHeadAttention):
    """Keras' own product of queries, keys and values, which a backend may fuse."""

    def attend(self, query, keys, values, mask=None):
        """As the course's, but without weights to return."""
        heads = [
            ops.transpose(x, (0, 2, 1, 3))
            for x in (self.split(self.query(query)), keys, values)
        ]
        found = ops.dot_product_attention(*heads)
        return self.output_projection(ops.reshape(found, (-1, *query.shape[1:]))), None


class HeadsInPlace(cu.layers.MultiHeadAttention):
    """Heads are not moved beside the batch: sums over named axes find them where they are."""

    def split(self, x):
        """Return (batch, tokens, heads, d_k)."""
        return ops.reshape(
            x, (-1, x.shape[1], self.num_heads, self.embed_dim // self.num_heads)
        )

    def attend(self, query, keys, values, mask=None):
        """As the course's, but without weights to return."""
        query = self.split(self.query(query)) / math.sqrt(keys.shape[-1])
        weights = ops.softmax(ops.einsum("bqhd,bkhd->bhqk", query, keys))
        found = ops.einsum("bhqk,bkhd->bqhd", weights, values)
        return self.output_projection(
            ops.reshape(found, (-1, found.shape[1], self.embed_dim))
        ), None


class OneProduct(cu.layers.MultiHeadAttention):
    """Queries, keys and values by one product with the three matrices side by side."""

    def keys_and_values(self, value, key=None):
        """All three at once; the query is the value here."""
        parts = (self.query, self.key, self.value)
        kernel = ops.concatenate([one.kernel for one in parts], axis=1)
        bias = ops.concatenate([one.bias for one in parts])
        self.projected, *found = ops.split(ops.matmul(value, kernel) + bias, 3, axis=-1)
        return [self.split(one) for one in found]

    def attend(self, query, keys, values, mask=None):
        """As the course's, with the query that is there already."""
        contexts, weights = self.attention(
            self.split(self.projected), values, keys, mask, return_attention_scores=True
        )
        return self.output_projection(self.join(contexts)), weights


class OnePass(cu.layers.ScaledDotProductAttention):
    """The exponentials are summed as they are, and no pass looks for the largest score."""

    def call(self, query, value, key, attention_mask=None, return_attention_scores=False):
        """As the course's, for scores that are small."""
        scores = ops.matmul(query, ops.swapaxes(key, -1, -2)) / math.sqrt(query.shape[-1])
        weights = ops.exp(scores)
        weights = weights / ops.sum(weights, axis=-1, keepdims=True)
        return ops.matmul(weights, value), weights


class WithOnePass(cu.layers.MultiHeadAttention):
    """The course's heads with `OnePass` inside."""

    attention_layer = OnePass


def blocks(attention):
    """Return a new model: vectors of tokens through the ViT's blocks with that attention."""
    size = dict(SIZE)
    tokens, number = size.pop("tokens"), size.pop("num_layers")
    Block = type("Block", (cu.layers.TransformerEncoderBlock,), {"attention_layer": attention})
    x = vectors = keras.Input((tokens, size["embed_dim"]))
    for _ in range(number):
        x = Block(**size)(x)
    return keras.Model(vectors, layers.Dense(1)(ops.mean(x, axis=1)))


class Cell(layers.Layer):
    """One step of an LSTM, as lecture 3 writes it; subclasses arrange its products otherwise.

    The weights are those of `keras.layers.LSTMCell`.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.state_size, self.output_size = (units, units), units
        self.units = units

    def build(self, shape):
        for name, rows in (
            ("kernel", worker.TEXT["channels"]),
            ("recurrent_kernel", self.units),
        ):
            setattr(self, name, self.add_weight((rows, 4 * self.units), name=name))
        self.bias = self.add_weight((4 * self.units,), name="bias")

    def sums(self, inputs, h):
        """Return the sums of all gates: (batch, 4 · units)."""
        return (
            ops.matmul(inputs, self.kernel) + ops.matmul(h, self.recurrent_kernel) + self.bias
        )

    def call(self, inputs, states):
        h, c = states
        i, f, g, o = ops.split(self.sums(inputs, h), 4, axis=-1)
        c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
        h = ops.sigmoid(o) * ops.tanh(c)
        return h, [h, c]


class OneProductCell(Cell):
    """Input and state side by side, one product."""

    def sums(self, inputs, h):
        """Return the sums of all gates: (batch, 4 · units)."""
        kernel = ops.concatenate([self.kernel, self.recurrent_kernel])
        return ops.matmul(ops.concatenate([inputs, h], axis=-1), kernel) + self.bias


class InputsFirst(Cell):
    """The inputs' products of all steps are computed before the loop."""

    def sums(self, inputs, h):
        """Return the sums of all gates: (batch, 4 · units)."""
        return inputs + ops.matmul(h, self.recurrent_kernel)


class SeveralSteps(Cell):
    """Several steps in one pass of the loop: inputs (batch, steps · channels)."""

    def call(self, inputs, states):
        for one in ops.split(inputs, TOGETHER, axis=-1):
            h, states = super().call(one, states)
        return h, states


def reader(cell):
    """Return a new model: vectors through an LSTM with that cell, or Keras' own, one logit."""
    size = worker.TEXT
    x = vectors = keras.Input((size["tokens"], size["channels"]))
    if cell is None:
        return keras.Model(vectors, layers.Dense(1)(layers.LSTM(size["units"])(x)))
    one = cell(size["units"])
    one.build(None)
    if cell is InputsFirst:
        x = ops.matmul(x, one.kernel) + one.bias
    if cell is SeveralSteps:
        x = ops.reshape(x, (-1, size["tokens"] // TOGETHER, TOGETHER * size["channels"]))
    return keras.Model(vectors, layers.Dense(1)(layers.RNN(one)(x)))


WAYS = {
    "blocks of the Vision Transformer": (
        blocks,
        {
            "the course's attention": cu.layers.MultiHeadAttention,
            "ops.dot_product_attention": KerasAttention,
            "heads in place": HeadsInPlace,
            "one product for Q, K and V": OneProduct,
            "softmax in one pass": WithOnePass,
        },
    ),
    "LSTM": (
        reader,
        {
            "layers.LSTM": None,
            "a cell of our own": Cell,
            "one product a step": OneProductCell,
            "inputs' products first": InputsFirst,
            f"{TOGETHER} steps a pass": SeveralSteps,
        },
    ),
}


def measured(make, ways, batch, x, repeats=7):
    """Return {(way, "train" or "infer"): milliseconds of a step}, all ways in turn."""
    models, weights, outputs = {}, None, None
    y = np.random.default_rng(1).integers(2, size=(len(x), 1))
    for way, kind in ways.items():
        keras.utils.set_random_seed(0)
        models[way] = make(kind)
        weights = weights or models[way].get_weights()
        models[way].set_weights(weights)
        found = ops.convert_to_numpy(models[way](x[:batch]))
        outputs = found if outputs is None else outputs
        np.testing.assert_allclose(found, outputs, atol=1e-5, err_msg=way)
        loss = keras.losses.BinaryCrossentropy(from_logits=True)
        models[way].compile("adam", loss, jit_compile=True)
    taken = {}
    for number in range(1 + repeats):
        for way, model in models.items():
            for call in ("train", "infer"):
                steps = worker.Steps()
                told = {"verbose": 0, "callbacks": [after_batches(steps)]}
                if call == "train":
                    model.fit(x, y, batch, shuffle=False, **told)
                else:
                    model.predict(x, batch, **told)
                if number:  # the first one compiles
                    taken.setdefault((way, call), []).append(1e3 * steps.seconds())
    return {key: statistics.median(found) for key, found in taken.items()}


def main():
    """Measure, print and record."""
    session, rows, draw = cu.start(seed=0), [], np.random.default_rng(0)
    for model, (make, ways) in WAYS.items():
        reads = make is reader
        size, batch = (worker.TEXT, 128) if reads else (SIZE, 64)
        shape = (
            worker.STEPS * batch,
            size["tokens"],
            size["channels" if reads else "embed_dim"],
        )
        found = measured(make, ways, batch, draw.normal(size=shape).astype("float32"))
        for way in ways:
            row = {"model": model, "way": way, "backend": session.backend}
            row |= {f"{call}, ms": f"{found[way, call]:.1f}" for call in ("train", "infer")}
            rows.append(row)
            print(row, flush=True)
    note = "milliseconds a step with XLA, ways in turn, equal weights and outputs; median of 7"
    results.record_table("speed", f"kernels-{session.backend}-{processor()}", rows, note)


if __name__ == "__main__":
    main()
