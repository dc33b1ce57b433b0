"""The course's side of `peers`: its models, on this process' backend.

python -m benchmarks.peers_ours <file of weights>
"""

import sys
from pathlib import Path

import keras
import numpy as np
from keras import layers, ops

import course_utils as cu
from benchmarks import worker
from benchmarks.worker import serve


def text_reader(layer):
    """Vectors of a text, a recurrent layer, one logit."""
    vectors = keras.Input((worker.TEXT["tokens"], worker.TEXT["channels"]))
    return keras.Model(vectors, layers.Dense(1, name="logits")(layer(vectors)))


def stack(block):
    """Vectors through blocks and their mean, one logit; a decoder encodes nothing else."""
    size = dict(worker.BLOCKS)
    tokens, num_layers = size.pop("tokens"), size.pop("num_layers")
    x = vectors = keras.Input((tokens, size["embed_dim"]))
    decodes = block is cu.layers.TransformerDecoderBlock
    for number in range(num_layers):
        given = (x, vectors) if decodes else (x,)
        x = block(**size, name=f"block_{number}")(*given)
    return keras.Model(vectors, layers.Dense(1, name="logits")(ops.mean(x, axis=1)))


class WideHeads(keras.layers.Layer):
    """Attention of keras.io's example: each of its heads is as wide as the whole token."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.heads = layers.MultiHeadAttention(num_heads, embed_dim)

    def build(self, query_shape, value_shape):
        self.heads.build(query_shape, value_shape)

    def call(self, query, value, value_mask=None, use_causal_mask=False):
        return self.heads(query, value, value_mask=value_mask, use_causal_mask=use_causal_mask)


class WideEncoderBlock(cu.layers.TransformerEncoderBlock):
    """The course's encoder block with these heads."""

    attention_layer = WideHeads


class WideDecoderBlock(cu.layers.TransformerDecoderBlock):
    """The course's decoder block with these heads."""

    attention_layer = WideHeads


class WideTranslator(cu.models.Transformer):
    """The translator of keras.io's example."""

    encoder_block, decoder_block = WideEncoderBlock, WideDecoderBlock

    def start(self, source, max_length):
        """It writes without a cache, as the example does: a state is all that is known."""
        return source, ops.zeros((ops.shape(source)[0], max_length), "int32")

    def step(self, tokens, position, state):
        source, target = state
        here = ops.arange(target.shape[1]) == position
        target = ops.where(here, ops.cast(tokens, "int32")[:, None], target)
        logits = self({"source": source, "target": target})
        return ops.take(logits, position, axis=1), (source, target)


def translator(kind=cu.models.Transformer, norm="post", **changes):
    """A translator of the sizes of keras.io's example; changes: other tokens or words."""
    size = worker.PAIRS | changes
    tokens, words = size.pop("tokens"), size.pop("words")
    return kind(words, words, **size, num_layers=1, max_length=tokens, norm=norm)


def keras_hub_encoder():
    """KerasHub's encoder blocks at the sizes of `stack`."""
    import keras_hub

    size = worker.BLOCKS
    x = vectors = keras.Input((size["tokens"], size["embed_dim"]))
    for _ in range(size["num_layers"]):
        x = keras_hub.layers.TransformerEncoder(
            size["mlp_dim"], size["num_heads"], layer_norm_epsilon=1e-6, normalize_first=True
        )(x)
    return keras.Model(vectors, layers.Dense(1, name="logits")(ops.mean(x, axis=1)))


MODELS = {
    "Vision Transformer": lambda: cu.models.vision_transformer(**worker.IMAGE, **worker.VIT),
    "Mixer": lambda: cu.models.mixer_model(**worker.IMAGE, **worker.MIXER),
    "gMLP": lambda: cu.models.gmlp_model(**worker.IMAGE, **worker.GMLP),
    "LSTM": lambda: text_reader(layers.LSTM(worker.TEXT["units"], name="recurrent")),
    "GRU": lambda: text_reader(layers.GRU(worker.TEXT["units"], name="recurrent")),
    "encoder": lambda: stack(cu.layers.TransformerEncoderBlock),
    "decoder": lambda: stack(cu.layers.TransformerDecoderBlock),
    "translator": translator,
}
THEIRS = {"encoder": keras_hub_encoder, "translator": lambda: translator(WideTranslator)}


def side(models, jit, weights):
    """Return a side for `serve`: those models, with XLA or without.

    Which of the course's is made first leaves its weights in the file `weights`, for all the
    others.
    """

    def make(name):
        keras.utils.set_random_seed(0)
        keras.backend.clear_session()
        model, (x, y) = models[name](), worker.batches(name)
        size = worker.BATCHES[name]
        first = keras.tree.map_structure(lambda array: array[:8], x)
        model(first)  # which builds it
        if models is MODELS:
            if not weights.exists():
                found = [ops.convert_to_numpy(weight) for weight in model.weights]
                names = [f"{k:03} {weight.path}" for k, weight in enumerate(model.weights)]
                np.savez(weights, **dict(zip(names, found, strict=True)))
            kept = np.load(weights)
            model.set_weights([kept[name] for name in sorted(kept.files)])
        outputs = ops.convert_to_numpy(model(first)).ravel()[:100].tolist()
        many = name in worker.IMAGES or name == "translator"
        kind = (
            keras.losses.SparseCategoricalCrossentropy
            if many
            else keras.losses.BinaryCrossentropy
        )
        model.compile("adam", kind(from_logits=True), jit_compile=jit)

        def train(steps):
            ticks = [after_batches(steps)]
            model.fit(x, y, size, verbose=0, shuffle=False, callbacks=ticks)

        def infer(steps):
            model.predict(x, size, verbose=0, callbacks=[after_batches(steps)])

        return {"train": train, "infer": infer}, model.count_params(), outputs

    return make


def after_batches(steps):
    """A callback that ticks after each batch."""
    callback = keras.callbacks.Callback()
    callback.on_train_batch_end = callback.on_predict_batch_end = steps.tick
    return callback


def matmul(name):
    """A side for `serve`: the largest product that this backend computes at full speed."""
    x = ops.convert_to_tensor(
        np.random.default_rng(0).random((2, worker.SQUARE, worker.SQUARE), "f")
    )

    def multiply(steps):
        for _ in range(worker.STEPS):
            ops.convert_to_numpy(ops.matmul(x[0], x[1])[0, 0])
            steps.tick()

    return {"train": multiply, "infer": multiply}, 0, []


if __name__ == "__main__":
    file = Path(sys.argv[1])
    serve(
        {
            "matmul": matmul,
            "plain": side(MODELS, False, file),
            "compiled": side(MODELS, True, file),
            "theirs": side(THEIRS, False, file),
            "theirs compiled": side(THEIRS, True, file),
        }
    )
