"""Lecture 06, the Transformer: its NumPy, what it costs by formula, and its trainings.

    post-norm, as published:   x = norm(x + sublayer(x))
    pre-norm, as most today:   x = x + sublayer(norm(x))

Shapes: query (…, T, d), keys (…, S, d), values (…, S, d_v), weights α (…, T, S). Leading axes
(batch, heads) go along. A mask is True where a token may be attended to, as in Keras, and fits
(…, T, S), a side of 1 standing for all.

Sources: Vaswani et al., "Attention is all you need" (2017): equation 1, sections 3.2 to 3.5, 5,
tables 2 and 3; pre-norm: Xiong et al., "On layer normalization in the Transformer architecture"
(2020); Ba, Kiros and Hinton, "Layer normalization" (2016), equation 4.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils import models, plotting, schedules, training
from course_utils.data.base import one_of
from course_utils.layers import (
    MaskedAveragePooling1D,
    MultiHeadAttention,
    ScaledDotProductAttention,
    SinusoidalPositions,
    TransformerDecoderBlock,
    TransformerEncoderBlock,
)
from lectures.lecture_05 import softmax

LECTURE = "06_transformer"
NORMS = ("pre", "post")
WORDS = 37_000  # section 5.1: one byte-pair vocabulary for both languages
TRANSLATOR = {"embed_dim": 64, "num_heads": 4, "mlp_dim": 128, "num_layers": 2}
REAL = {"embed_dim": 128, "num_heads": 4, "mlp_dim": 512, "num_layers": 2}
REAL_TRAINING = {"learning_rate": 2e-3, "warm-up": 400, "epochs": 3, "bias": "log frequencies"}
REAL_PAIRS = {"pairs": 80_000, "vocab_size": 6_000}
READERS = {  # a data set: the encoder that reads it, and how it is trained
    "reviews": (
        {"embed_dim": 64, "num_heads": 4, "mlp_dim": 128, "num_layers": 2, "max_length": 200},
        {"learning_rate": 3e-3, "warm-up": 100, "epochs": 16},
    ),
    "imdb": (
        {"embed_dim": 32, "num_heads": 2, "mlp_dim": 64, "num_layers": 1, "max_length": 550,
         "words_dropped": 0.3, "dropout": 0.5},
        {"learning_rate": 2e-3, "warm-up": 300, "epochs": 5, "texts": 500, "vocab_size": 5_000},
    ),
}  # fmt: skip


def scaled_dot_product(query, keys, values, mask=None):
    """softmax(QKᵀ / √d_k) V: the output (…, T, d_v) and the weights (…, T, S)."""
    scores = query @ np.swapaxes(keys, -1, -2) / query.shape[-1] ** 0.5
    weights = softmax(scores, mask)
    return weights @ values, weights


def split_heads(x, num_heads):
    """Cut each vector into heads: (…, tokens, d) becomes (…, num_heads, tokens, d / num_heads).

    Head i gets the i-th group of neighbouring columns of every token.

    Raises:
        ValueError: where d cannot be cut into so many equal parts.
    """
    *batch, tokens, embed_dim = x.shape
    if embed_dim % num_heads:
        raise ValueError(
            f"embed_dim has to be divisible by num_heads, "
            f"got embed_dim={embed_dim}, num_heads={num_heads}"
        )
    return np.swapaxes(x.reshape(*batch, tokens, num_heads, embed_dim // num_heads), -3, -2)


def merge_heads(x):
    """Lay the heads side by side again: (…, heads, tokens, d_k) becomes (…, tokens, d)."""
    x = np.swapaxes(x, -3, -2)
    return x.reshape(*x.shape[:-2], -1)


def multi_head(query, values, weights, num_heads, mask=None):
    """Look from all query tokens (…, T, d) at all values (…, S, d), in several heads at once.

    For self-attention the values are the query; keys are made of the values as well. weights:
    W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O; each W (d, d), each b (d,). mask: (…, T, S).
    Returns the output (…, T, d) and the weights α (…, heads, T, S).
    """
    W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, b_O = weights
    Q = split_heads(query @ W_Q + b_Q, num_heads)
    K = split_heads(values @ W_K + b_K, num_heads)
    V = split_heads(values @ W_V + b_V, num_heads)
    mask = None if mask is None else mask[..., None, :, :]
    found, alpha = scaled_dot_product(Q, K, V, mask)
    return merge_heads(found) @ W_O + b_O, alpha


def frequencies(embed_dim):
    """How many radians each pair of channels turns a token: (embed_dim / 2,), from 1 downwards.

    Raises ValueError for an odd embed_dim; sine and cosine come in pairs.
    """
    if embed_dim % 2 or embed_dim < 2:
        raise ValueError(f"embed_dim has to be even and at least 2, got {embed_dim}")
    return 10000.0 ** (-np.arange(0, embed_dim, 2) / embed_dim)


def sinusoidal_positions(tokens, embed_dim):
    """A vector for each position 0 … tokens - 1: (tokens, embed_dim), sine, cosine by turns."""
    angles = np.arange(tokens)[:, None] * frequencies(embed_dim)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, embed_dim)


def rotation(embed_dim, k):
    """The matrix R_k (embed_dim, embed_dim) with PE(p + k) = R_k PE(p) for every p.

    Each pair (sine, cosine) is turned by its own angle, k times its frequency.
    """
    R = np.zeros((embed_dim, embed_dim))
    for pair, angle in enumerate(k * frequencies(embed_dim)):
        sine, cosine = np.sin(angle), np.cos(angle)
        here = slice(2 * pair, 2 * pair + 2)
        R[here, here] = [[cosine, sine], [-sine, cosine]]
    return R


def layer_norm(x, gain, shift, epsilon=1e-6):
    """Bring each token's vector to mean 0 and deviation 1, then stretch and shift it."""
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gain + shift


def feed_forward(x, W_1, b_1, W_2, b_2):
    """max(0, x W_1 + b_1) W_2 + b_2, for each token alone; W_1 (d, hidden), W_2 (hidden, d)."""
    return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2


def residual(x, part, norm_weights, norm):
    """Add to x what a part of the block makes of it, with the norm "pre" (before) or "post"."""
    if norm == "pre":
        return x + part(layer_norm(x, *norm_weights))
    return layer_norm(x + part(x), *norm_weights)


def encoder_block(x, weights, num_heads, mask=None, norm="pre"):
    """Attention between all tokens, then the same network for each: (…, T, d)."""
    one_of("norm", norm, NORMS)

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads, mask)[0]

    def transform(y):
        return feed_forward(y, *weights["feed_forward"])

    x = residual(x, attend, weights["attention_norm"], norm)
    return residual(x, transform, weights["feed_forward_norm"], norm)


def transformer_parameters(
    embed_dim, mlp_dim, num_layers, vocab_size=WORDS, shared=True, attention_bias=False
):
    """Count an encoder–decoder's weights, part by part; their sum is the whole.

    num_layers: how many in the encoder, and as many in the decoder. shared: one table for
    source, target and output, as published; else three. attention_bias: whether W^Q, W^K, W^V
    and W^O have biases; published: no. Norms come after each part of a block (post-norm).
    """
    attention = 4 * (embed_dim * embed_dim + attention_bias * embed_dim)
    feed_forward = 2 * embed_dim * mlp_dim + mlp_dim + embed_dim
    return {
        "embeddings": vocab_size * embed_dim * (1 if shared else 2),
        "encoder attention": num_layers * attention,
        "encoder feed-forward": num_layers * feed_forward,
        "decoder attention": num_layers * attention,
        "decoder cross-attention": num_layers * attention,
        "decoder feed-forward": num_layers * feed_forward,
        "norms": num_layers * (2 + 3) * 2 * embed_dim,
        "output": 0 if shared else vocab_size * embed_dim,
    }


def sharpness(d_k, scaled, draws):
    """Attend with random queries to 32 random keys; return two arrays, one number per draw.

    The entropy of the weights α in nats, and the norm of their derivative by the scores,
    diag(α) − ααᵀ.
    """
    draw, scale = np.random.default_rng(d_k), np.sqrt(d_k) if scaled else 1.0
    q, K = draw.normal(size=(draws, 1, d_k)), draw.normal(size=(draws, 32, d_k))
    alpha = softmax(q @ np.swapaxes(K, 1, 2) / scale)[:, 0]
    entropy = -(alpha * np.log(alpha + 1e-30)).sum(axis=1)
    slopes = alpha[:, :, None] * (np.eye(32) - alpha[:, None])
    return entropy, np.linalg.norm(slopes, axis=(1, 2))


def lookahead(model, source, target):
    """Measure how many tokens ahead a decoder sees: 0 for one without a leak.

    Args:
        model: gives logits (batch, T, words) for {"source": source, "target": target}.
        source: int (batch, S).
        target: int (batch, T), without pads; word 4 and word 5 are ordinary words.

    Returns:
        The largest k for which the logits at some position t change when token t + k does.
    """

    def logits(ids):
        return ops.convert_to_numpy(model({"source": source, "target": ids}))

    before, furthest = logits(target), 0
    for place in range(1, target.shape[1]):
        changed = target.copy()
        changed[:, place] = np.where(target[:, place] == 4, 5, 4)
        moved = np.abs(logits(changed) - before).max(axis=(0, 2)) > 1e-5
        moved[place] = True  # where nothing has moved, nothing was seen
        furthest = max(furthest, place - int(moved.argmax()))
    return furthest


class OffByOneBlock(TransformerDecoderBlock):
    """A decoder block with a bug: its mask lets every token see the next one."""

    def call(self, x, encoded=None, encoded_mask=None):
        def attend(x):
            positions = ops.arange(ops.shape(x)[1])
            return self.attention(x, x, attention_mask=positions[:, None] + 1 >= positions)

        def attend_across(x):
            return self.cross_attention(x, encoded, value_mask=encoded_mask)

        x = self.residual(x, self.attention_norm, attend)
        x = self.residual(x, self.cross_norm, attend_across)
        return self.residual(x, self.feed_forward_norm, self.feed_forward)


def block_weights(block):
    """Return the weights of an encoder block as `encoder_block` takes them."""
    parts = ("query", "key", "value", "output_projection")
    heads = [w for part in parts for w in getattr(block.attention, part).get_weights()]
    others = ("attention_norm", "feed_forward", "feed_forward_norm")
    return {"attention": heads} | {name: getattr(block, name).get_weights() for name in others}


def wired(x, sublayer, wiring):
    """Wire one sublayer in one of four ways, by the name of the wiring."""
    norm = layers.LayerNormalization(epsilon=1e-6)
    return {
        "no residual": lambda: sublayer(x),
        "residual": lambda: x + sublayer(x),
        "pre-norm": lambda: x + sublayer(norm(x)),
        "post-norm": lambda: norm(x + sublayer(x)),
    }[wiring]()


def gradient_norms(vocab_size, rows, depth, wiring):
    """Return the norm of the first gradient in the first and the last block of a new stack.

    It is read off one step of gradient descent with a learning rate of 1, which subtracts it.
    rows: ids (batch, at least 33), whose next words are predicted.
    """
    ids, d = keras.Input((32,), dtype="int32"), 64
    narrow = keras.initializers.RandomNormal(stddev=d**-0.5)
    x = layers.Embedding(vocab_size, d, embeddings_initializer=narrow)(ids)
    x = SinusoidalPositions(32)(layers.Rescaling(d**0.5)(x))
    last = []  # the feed-forward networks' last layers
    for _ in range(depth):
        attention = MultiHeadAttention(d, num_heads=4)
        last.append(layers.Dense(d))
        x = wired(x, lambda y, f=attention: f(y, y, use_causal_mask=True), wiring)
        x = wired(x, lambda y, f=last[-1]: f(layers.Dense(2 * d, "relu")(y)), wiring)
    if wiring == "pre-norm":
        x = layers.LayerNormalization(epsilon=1e-6)(x)
    model = keras.Model(ids, layers.Dense(vocab_size)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.SGD(1.0), loss, run_eagerly=True)
    watched = {"first block": last[0].kernel, "last block": last[-1].kernel}
    before = {name: ops.convert_to_numpy(weight) for name, weight in watched.items()}
    model.train_on_batch(rows[:, :32], rows[:, 1:33])
    return {
        f"feed-forward, {name}": float(np.linalg.norm(ops.convert_to_numpy(w) - before[name]))
        for name, w in watched.items()
    }


class LeakyTransformer(models.Transformer):
    """A Transformer with a bug in its decoder: `OffByOneBlock`."""

    decoder_block = OffByOneBlock


class UnscaledAttention(ScaledDotProductAttention):
    """softmax(QKᵀ) V: the division by √d_k is undone before it happens."""

    def call(self, query, *given, **more):
        return super().call(query * query.shape[-1] ** 0.5, *given, **more)


class UnscaledHeads(MultiHeadAttention):
    """Several heads of `UnscaledAttention`."""

    attention_layer = UnscaledAttention


class UnscaledEncoderBlock(TransformerEncoderBlock):
    """An encoder block of `UnscaledHeads`."""

    attention_layer = UnscaledHeads


class UnscaledDecoderBlock(TransformerDecoderBlock):
    """A decoder block of `UnscaledHeads`."""

    attention_layer = UnscaledHeads


class UnscaledTransformer(models.Transformer):
    """A Transformer whose scores are not divided by √d_k."""

    encoder_block, decoder_block = UnscaledEncoderBlock, UnscaledDecoderBlock


class NoPositions(SinusoidalPositions):
    """Adds nothing: a table of zeros."""

    def build(self, input_shape):
        self.table = np.zeros((self.max_length, input_shape[-1]), "float32")


class NoPositionsTransformer(models.Transformer):
    """A Transformer whose tokens are not told their positions."""

    positions_layer = NoPositions


class NoResiduals:
    """What turns a block's residual connections off: sublayer(norm(x))."""

    def residual(self, x, norm, sublayer):
        return self.dropout(sublayer(norm(x)))


class NoResidualsEncoderBlock(NoResiduals, TransformerEncoderBlock):
    """An encoder block without residual connections."""


class NoResidualsDecoderBlock(NoResiduals, TransformerDecoderBlock):
    """A decoder block without residual connections."""


class NoResidualsTransformer(models.Transformer):
    """A Transformer without residual connections."""

    encoder_block, decoder_block = NoResidualsEncoderBlock, NoResidualsDecoderBlock


def translator(pairs, settings, kind=models.Transformer, **more):
    """Return a new encoder–decoder Transformer for these pairs."""
    sizes = [len(pairs.vocabulary[side]) for side in ("source", "target")]
    return kind(*sizes, **settings, name="transformer", **more)


def compile_translator(model, learning_rate, steps, warmup_steps=100):
    """Compile as lecture 5 does: warm-up, cosine, loss over real tokens."""
    schedule = schedules.WarmupCosine(learning_rate, steps, warmup_steps)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)


def two_epochs(model, batches):
    """Compile a new translator and train it for two epochs; return it.

    Args:
        model: gives logits (batch, T, words) for {"source": (batch, S), "target": (batch, T)}.
        batches: the training pairs in batches of 64, for `training.fit(model, (batches, None),
            epochs=2, monitor="loss", resume=False)`; their targets are 0 at pads.
    """
    schedule = schedules.WarmupCosine(0.008, 2 * len(batches))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
    training.fit(model, (batches, None), epochs=2, monitor="loss", resume=False)
    return model


def trained_weights():
    """Return the weights of the recorded translator of seed 0, in `set_weights`' order."""
    arrays = models.load_pretrained("translator_transformer")
    return [arrays[name].astype("float32") for name in sorted(arrays)]


def trained_translator(pairs):
    """Return the course's translator with the weights of the recorded run of seed 0."""
    model = translator(pairs, TRANSLATOR)
    model.build()
    model.set_weights(trained_weights())
    return model


def inside_head(model, ids, head):
    """Return Q, K and V (tokens, d_k) of a head in the encoder's last block, for one sentence.

    ids: int (1, tokens), without pads.
    """
    x, last = model.embed(model.source_embedding, ids), model.encoder[-1]
    for block in model.encoder[:-1]:
        x = block(x)
    x, attention = last.attention_norm(x), last.attention
    projections = attention.query, attention.key, attention.value
    return [ops.convert_to_numpy(attention.split(W(x)))[0, head] for W in projections]


def show_query(words, asking, scores, weights):
    """Draw one query, the keys that it meets, and the share that it takes of each value.

    asking: the place of the word whose query it is. scores, weights: a number for each word.
    """
    figure, axis = plotting.figure(9.5, 3.4)
    places = range(len(words))
    boxed = {
        "ha": "center",
        "va": "center",
        "bbox": {"boxstyle": "round", "facecolor": "#EEEEEE"},
    }
    axis.text(asking, 3, f"query of “{words[asking]}”", **boxed | {"ha": "left"})
    for place, word in enumerate(words):
        line = {"linewidth": 0.6 + 8 * weights[place], "color": plotting.COLOURS[0]}
        axis.plot([asking + 0.6, place], [2.8, 1.75], alpha=0.6, **line)
        axis.text(place, 1.5, word, **boxed)
        axis.text(place, 0.8, f"{scores[place]:.1f}", ha="center", va="center")
        axis.text(place, 0.2, f"{weights[place]:.2f}", ha="center", va="center")
    for height, name in ((1.5, "keys of"), (0.8, "score"), (0.2, "weight")):
        axis.text(-0.8, height, name, ha="right", va="center")
    axis.set(xlim=(-1.8, len(words) - 0.4), ylim=(-0.1, 3.4))
    axis.axis("off")
    told = ", ".join(f"{words[k]} {scores[k]:.1f}, {weights[k]:.2f}" for k in places)
    what = (
        f"The query of “{words[asking]}” meets {len(words)} keys, lines as thick as the weights"
    )
    plotting.show(figure, f"{what}. Scores and weights: {told}.")


def review_reader(
    vocab_size, embed_dim, num_heads, mlp_dim, num_layers, max_length,
    words_dropped=0.0, dropout=0.0, masked=True, block=TransformerEncoderBlock,
):  # fmt: skip
    """Return an encoder that reads reviews (batch, words): probabilities of praise."""
    ids = keras.Input((None,), dtype="int32")
    mask = ops.not_equal(ids, 0) if masked else ops.ones_like(ids, "bool")
    narrow = keras.initializers.RandomNormal(stddev=embed_dim**-0.5)
    x = layers.Embedding(vocab_size, embed_dim, embeddings_initializer=narrow)(ids)
    x = layers.Rescaling(embed_dim**0.5)(x)
    x = layers.Dropout(words_dropped, noise_shape=(None, None, 1))(x)
    x = SinusoidalPositions(max_length)(x)
    for _ in range(num_layers):
        x = block(embed_dim, num_heads, mlp_dim)(x, mask=mask)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    x = layers.Dropout(dropout)(MaskedAveragePooling1D()(x, mask=mask))
    verdict = layers.Dense(1, activation="sigmoid", dtype="float32")(x)
    return keras.Model(ids, verdict, name="encoder" if masked else "encoder_unmasked")
