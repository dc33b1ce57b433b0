"""Lab 06d, a decoder of today: its parts as Keras layers, its cache, sampling, one ablation.

In NumPy: a mixture of experts, and attention over one block of keys after another.

Shapes: x (batch, tokens, embed_dim); queries (batch, num_heads, tokens, d_k), keys and values
(batch, num_kv_heads, tokens, d_k).

Sources: Su et al., "RoFormer" (2021), equation 34; Zhang and Sennrich, "Root mean square layer
normalization" (2019), equation 4; Shazeer, "GLU variants improve Transformer" (2020), equation
6; Ainslie et al., "GQA" (2023); Holtzman et al., "The curious case of neural text degeneration"
(2020); Fedus et al., "Switch Transformers" (2021), equations 1, 2 and 4 to 6; Dao et al.,
"FlashAttention" (2022), section 3.1.
"""

from collections import Counter, defaultdict

import keras
import numpy as np
from keras import layers, ops

from course_utils import data, schedules
from course_utils.decoding import log_softmax
from course_utils.layers import ScaledDotProductAttention, SinusoidalPositions
from course_utils.models.transformer import token_embedding
from lectures.lecture_05 import softmax
from lectures.lecture_05.pairs import sentence_vocabulary, tokenize_sentence

LECTURE = "06d_lab_decoder_today"
WIDTH = 64  # tokens of a training row
LONG = 256  # tokens of a row that is longer than those of training
PARTS = ((1, 8), (9, 16), (17, 32), (33, 64), (65, 128), (129, 256))  # of a long row
SHAPE = {"embed_dim": 64, "num_heads": 4, "num_layers": 2}
LEARNING_RATES = (0.006, 0.012, 0.024, 0.048)
OLD = {"rope": False, "rms": False, "swiglu": False, "num_kv_heads": 4}
NEW = {"rope": True, "rms": True, "swiglu": True, "num_kv_heads": 2}
ARMS = {  # what differs from the decoder of 2018
    "2018": {},
    "rotary positions": {"rope": True},
    "RMSNorm": {"rms": True},
    "SwiGLU": {"swiglu": True},
    "2 key-value heads": {"num_kv_heads": 2},
    "all four": NEW,
}


def rotate(x, positions, base=10_000.0):
    """Turn each pair of channels of queries or keys by an angle that grows with the position.

    Channels 2i and 2i + 1 are a point in the plane; at position p it is turned by the angle
    p · base^(−2i / d_k), counterclockwise.

    Args:
        x: (batch, heads, tokens, d_k).
        positions: the tokens' positions, (tokens,), whole numbers in a layer.

    Returns:
        The turned queries or keys, of the same shape.
    """
    d_k = x.shape[-1]
    speeds = (base ** (-np.arange(0, d_k, 2) / d_k)).astype("float32")
    angles = ops.cast(positions, "float32")[:, None] * speeds
    cosine, sine = ops.cast(ops.cos(angles), x.dtype), ops.cast(ops.sin(angles), x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    pairs = ops.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1)
    return ops.reshape(pairs, ops.shape(x))


class RMSNorm(layers.Layer):
    """Divide each token's vector by its root mean square, then scale each channel.

    Call: x (…, channels) → the same shape: x / √(mean of x² + epsilon) · scale. Unlike
    LayerNorm it subtracts no mean and adds no shift.
    """

    def __init__(self, epsilon=1e-6, **kwargs):
        super().__init__(**kwargs)
        self.epsilon = epsilon
        self.supports_masking = True

    def build(self, x_shape):
        self.scale = self.add_weight(shape=(x_shape[-1],), initializer="ones", name="scale")

    def call(self, x):
        mean_square = ops.mean(ops.square(x), axis=-1, keepdims=True)
        return x * ops.rsqrt(mean_square + self.epsilon) * self.scale


class SwiGLU(layers.Layer):
    """The gated feed-forward network (silu(x W_gate) · x W_up) W_down, without biases.

    Call: x (…, channels) → the same shape. silu(a) = a · sigmoid(a); `gate`, `up` and `down`
    are Dense layers. mlp_dim: units of the gate.
    """

    def __init__(self, mlp_dim, **kwargs):
        super().__init__(**kwargs)
        self.mlp_dim = mlp_dim
        self.supports_masking = True

    def build(self, x_shape):
        self.gate = layers.Dense(self.mlp_dim, use_bias=False, name="gate")
        self.up = layers.Dense(self.mlp_dim, use_bias=False, name="up")
        self.down = layers.Dense(x_shape[-1], use_bias=False, name="down")
        hidden = (*x_shape[:-1], self.mlp_dim)
        for layer, shape in ((self.gate, x_shape), (self.up, x_shape), (self.down, hidden)):
            layer.build(shape)

    def call(self, x):
        return self.down(ops.silu(self.gate(x)) * self.up(x))


class GroupProjections(layers.Layer):
    """What surrounds `GroupedAttention`: its projections, the rotation, the causal mask.

    `query`, `key`, `value` and `output_` are Dense layers without biases. rope: turn queries
    and keys by their positions.
    """

    rotate = staticmethod(rotate)

    def __init__(self, embed_dim, num_heads, num_kv_heads, rope=True, **kwargs):
        super().__init__(**kwargs)
        if embed_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError(
                "num_heads has to divide embed_dim, and num_kv_heads num_heads: got "
                f"{embed_dim}, {num_heads}, {num_kv_heads}"
            )
        self.d_k, self.num_heads, self.num_kv_heads = (
            embed_dim // num_heads,
            num_heads,
            num_kv_heads,
        )
        self.rope = rope
        few = num_kv_heads * self.d_k
        self.query, self.output_ = (layers.Dense(embed_dim, use_bias=False) for _ in range(2))
        self.key, self.value = (layers.Dense(few, use_bias=False) for _ in range(2))
        self.attention = ScaledDotProductAttention()

    def build(self, x_shape):
        for layer in (self.query, self.key, self.value, self.output_):
            layer.build(x_shape)

    def project(self, x, positions):
        """Queries (batch, num_heads, tokens, d_k), keys and values (batch, num_kv_heads, …)."""

        def split(x, heads):
            shape = (-1, ops.shape(x)[1], heads, self.d_k)
            return ops.transpose(ops.reshape(x, shape), (0, 2, 1, 3))

        q, k = split(self.query(x), self.num_heads), split(self.key(x), self.num_kv_heads)
        if self.rope:
            q, k = self.rotate(q, positions), self.rotate(k, positions)
        return q, k, split(self.value(x), self.num_kv_heads)

    def call(self, x):
        positions = ops.arange(ops.shape(x)[1])
        return self.attend(*self.project(x, positions), positions[:, None] >= positions)


class GroupedAttention(GroupProjections):
    """Causal self-attention in which groups of query heads share their keys and values.

    Call: x (batch, tokens, embed_dim) → the same shape.
    """

    rotate = staticmethod(rotate)  # in the notebook yours, of exercise 06d.1

    def attend(self, q, k, v, mask):
        """Let group after group of query heads attend to one key and value head.

        Args:
            q: (batch, num_heads, T, d_k). k, v: (batch, num_kv_heads, S, d_k).
            mask: True where a query may attend to a key, (T, S).

        Returns:
            The output, (batch, T, embed_dim), after `output_`.
        """
        group = self.num_heads // self.num_kv_heads
        k, v = ops.repeat(k, group, axis=1), ops.repeat(v, group, axis=1)
        context = ops.transpose(self.attention(q, v, k, attention_mask=mask), (0, 2, 1, 3))
        shape = (-1, ops.shape(context)[1], self.num_heads * self.d_k)
        return self.output_(ops.reshape(context, shape))


class CachedAttention(GroupedAttention):
    """Grouped attention that can also be computed token by token, with a cache."""

    def start(self, batch, max_length):
        """An empty cache: keys and values (batch, num_kv_heads, max_length, d_k) each."""
        empty = ops.zeros((batch, self.num_kv_heads, max_length, self.d_k), self.compute_dtype)
        return {"keys": empty, "values": empty}

    def step(self, x, cache, position):
        """Attend from one new token to itself and to all before it.

        Args:
            x: (batch, 1, embed_dim).
            cache: "keys" and "values", (batch, num_kv_heads, max_length, d_k) each, filled
                before `position`.
            position: where the token stands, counted from 0: a number or a tensor ().

        Returns:
            The output (batch, 1, embed_dim), and the cache with the token's key and value.
        """
        q, k, v = self.project(x, ops.reshape(position, (1,)))
        keys = ops.slice_update(cache["keys"], (0, 0, position, 0), k)
        values = ops.slice_update(cache["values"], (0, 0, position, 0), v)
        written = (ops.arange(ops.shape(keys)[2]) <= position)[None]
        return self.attend(q, keys, values, written), {"keys": keys, "values": values}


class DecoderParts(keras.Model):
    """What surrounds `Decoder`: its layers, the embedding, the caches, decoding by steps.

    rope: rotary positions, else waves added to the embeddings. rms: RMSNorm, else LayerNorm.
    swiglu: SwiGLU of 128 units, else GELU of 192, which has as many weights. num_kv_heads: how
    many of the heads have keys and values of their own. attention, norm, network: the classes
    of the parts of today.
    """

    def __init__(
        self, vocab_size, embed_dim, num_heads, num_layers, rope, rms, swiglu, num_kv_heads,
        attention=CachedAttention, norm=RMSNorm, network=SwiGLU, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.embed_dim = embed_dim
        self.tokens = token_embedding(vocab_size, embed_dim, "tokens")
        self.positions = None if rope else SinusoidalPositions(512)
        self.blocks = []
        for _ in range(num_layers):
            attend = attention(embed_dim, num_heads, num_kv_heads, rope)
            gelu = [layers.Dense(3 * embed_dim, "gelu"), layers.Dense(embed_dim)]
            feed = network(2 * embed_dim) if swiglu else keras.Sequential(gelu)
            norms = [norm() if rms else layers.LayerNormalization() for _ in range(2)]
            self.blocks.append([norms[0], attend, norms[1], feed])
        self.final_norm = norm() if rms else layers.LayerNormalization()

    def embed(self, ids, start=0):
        x = self.tokens(ids) * self.embed_dim**0.5
        return self.positions(x, start=start) if self.positions else x

    def start(self, batch, max_length):
        """The empty caches of all blocks."""
        caches = [block[1].start(batch, max_length) for block in self.blocks]
        return {f"block_{number}": cache for number, cache in enumerate(caches)}

    def step(self, tokens, position, state):
        """Logits (batch, words) after one token each, int (batch,), and the new caches."""
        x, state = self.embed(ops.expand_dims(tokens, 1), start=position), dict(state)
        for number, (norm, attend, norm_2, feed) in enumerate(self.blocks):
            name = f"block_{number}"
            attended, state[name] = attend.step(norm(x), dict(state[name]), position)
            x = x + attended
            x = x + feed(norm_2(x))
        return self.tokens(self.final_norm(x), reverse=True)[:, 0], state


class Decoder(DecoderParts):
    """A language model of pre-norm blocks: int (batch, T) → logits (batch, T, words)."""

    def call(self, ids):
        x = self.embed(ids)
        for norm, attend, norm_2, feed in self.blocks:
            x = x + attend(norm(x))
            x = x + feed(norm_2(x))
        return self.tokens(self.final_norm(x), reverse=True)


def next_word_probabilities(logits, temperature=1.0, top_p=1.0):
    """Return the probabilities that the next word is drawn from.

    Args:
        logits: (words,), of any size.
        temperature: divides the logits before the softmax; above 0.
        top_p: only the most probable words may come, as few as have together at least this
            probability (after the temperature); what is left is scaled to sum 1.

    Returns:
        The probabilities, (words,).
    """
    powers = np.exp((logits - np.max(logits)) / temperature)
    probabilities = powers / powers.sum()
    order = np.argsort(-probabilities)
    before = np.cumsum(probabilities[order]) - probabilities[order]
    probabilities[order[before >= top_p]] = 0.0
    return probabilities / probabilities.sum()


def mixture_of_experts(x, router, experts):
    """Send each token to one of several feed-forward networks, the experts.

    Args:
        x: the tokens, (tokens, d).
        router: a matrix, (d, experts), whose product with a token is a row of logits.
        experts: a list of functions, (tokens, d) → (tokens, d), for any number of tokens.

    Returns:
        The output, (tokens, d); the share f of the tokens that each expert gets, (experts,);
        and the load-balance loss, a number.
    """
    probabilities, output = softmax(x @ router), np.zeros_like(x)
    chosen = np.argmax(probabilities, axis=-1)
    for number, expert in enumerate(experts):
        mine = chosen == number
        output[mine] = probabilities[mine, number, None] * expert(x[mine])
    shares = np.bincount(chosen, minlength=len(experts)) / len(x)
    return output, shares, len(experts) * np.sum(shares * np.mean(probabilities, axis=0))


def attention_by_blocks(q, k, v, block):
    """softmax(q kᵀ / √d_k) v, with the scores of one block of keys at a time.

    Args:
        q: queries, (T, d_k).
        k: keys, (S, d_k).
        v: values, (S, d_v).
        block: keys at a time; the last block may have fewer.

    Returns:
        The context vectors, (T, d_v).
    """
    largest, total, context = -np.inf, 0.0, 0.0
    for start in range(0, len(k), block):
        scores = q @ k[start : start + block].T / q.shape[-1] ** 0.5
        before, largest = largest, np.maximum(largest, np.max(scores, -1, keepdims=True))
        powers, shrink = np.exp(scores - largest), np.exp(before - largest)
        total = shrink * total + np.sum(powers, axis=-1, keepdims=True)
        context = shrink * context + powers @ v[start : start + block]
    return context / total


def review_rows():
    """Return the vocabulary and, by part, rows of WIDTH + 1 tokens, cut from one long text."""
    texts = data.load_reviews(form="text")
    tokens = {
        part: [tokenize_sentence(text) for text in getattr(texts, part).inputs]
        for part in ("train", "val", "test")
    }
    vocabulary, rows = sentence_vocabulary(tokens["train"]), {}
    for part, reviews in tokens.items():
        ids = np.concatenate(
            [[data.START, *vocabulary.encode(row), data.END] for row in reviews]
        )
        count = len(ids) // (WIDTH + 1)
        rows[part] = ids[: count * (WIDTH + 1)].reshape(count, WIDTH + 1).astype("int32")
    return vocabulary, rows


def sentences(text):
    """Split a text at full stops and "and the"; leave out both ends, which may be cut."""
    text = text.replace("<eos> <sos> ", "").replace(" and the ", " . the ")
    return text.split(" . ")[1:-1]


def train_decoder(vocabulary, rows, wiring, learning_rate, batches, kind=Decoder, **more):
    """Train a decoder on so many batches of 32 rows; return it and its perplexity."""
    model = kind(len(vocabulary), **SHAPE, **wiring, **more)
    schedule = schedules.WarmupCosine(learning_rate, batches, 50)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
    order = np.random.default_rng(0).permutation(np.arange(32 * batches) % len(rows["train"]))
    train = rows["train"][order]
    model.fit(train[:, :-1], train[:, 1:], batch_size=32, verbose=0, shuffle=False)
    return model, perplexity(model, rows["val"])


def perplexity(model, rows):
    """e to the mean cross-entropy of the next word."""
    return float(np.exp(model.evaluate(rows[:, :-1], rows[:, 1:], batch_size=256, verbose=0)))


def token_losses(model, rows):
    """The cross-entropy of each next word, (rows, tokens)."""
    logits = model.predict(rows[:, :-1], batch_size=64, verbose=0)
    return -np.take_along_axis(log_softmax(logits), rows[:, 1:, None], axis=-1)[..., 0]


def count_words(rows, longest):
    """Count which words followed the 0, 1, … last ones: {context: how often which} each."""
    ids, counts = tuple(map(int, rows.ravel())), []
    for words in range(longest):
        counts.append(defaultdict(Counter))
        for at in range(words, len(ids)):
            counts[-1][ids[at - words : at]][ids[at]] += 1
    return counts


def counted_losses(counts, rows, symbols, strength):
    """The cross-entropy of each next word of a row by the counts of n-grams, (rows, tokens).

    Lecture 2's interpolation, p ← (c + strength · T · p) / (N + strength · T) from the shortest
    context to the longest; strength was 1 there.
    """

    def loss(row, at):
        p = 1 / symbols
        for words, table in enumerate(counts[: at + 1]):
            if seen := table.get(row[at - words : at]):
                total, prior = seen.total(), strength * len(seen)
                p = (seen[row[at]] + prior * p) / (total + prior)
        return -np.log(p)

    rows = [tuple(map(int, row)) for row in rows]
    return np.array([[loss(row, at) for at in range(1, len(row))] for row in rows])
