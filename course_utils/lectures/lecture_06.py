"""Lecture 06: the Transformer in plain NumPy, and what it costs by formula.

    post-norm, as published:   x = norm(x + part(x))
    pre-norm, as most today:   x = x + part(norm(x))

Shapes: query (…, T, d), keys (…, S, d), values (…, S, d_v), weights α (…, T, S). Leading axes
(batch, heads) go along. A mask is True where a token may be attended to, as in Keras, and fits
(…, T, S), a side of 1 standing for all. A block's weights are a dictionary: "attention" holds
the eight of `multi_head`, "feed_forward" holds W_1, b_1, W_2, b_2; "attention_norm" and
"feed_forward_norm" hold gain and shift.

Sources: Vaswani et al., "Attention is all you need" (2017): equation 1, sections 3.2 to 3.5, 5,
tables 2 and 3; pre-norm: Xiong et al., "On layer normalization in the Transformer architecture"
(2020); Ba, Kiros and Hinton, "Layer normalization" (2016), equation 4.
"""

import numpy as np

from course_utils.data.base import one_of
from course_utils.lectures.lecture_05 import softmax
from course_utils.models import SIZES

WORDS = 37_000  # section 5.1: one byte-pair vocabulary for both languages
TOKENS = 25_000  # section 5.1: of the source in a batch, and as many of the target

# "printed": what the paper's tables say; the rest of a row is where the formulas start.
BASE, BIG = {"steps": 100_000, "hours": 12}, {"steps": 300_000, "hours": 84}
RUNS = {
    "base": BASE | {"printed": {"parameters": 65e6, "operations": 3.3e18}},
    "big": BIG | {"printed": {"parameters": 213e6, "operations": 2.3e19}},
}
PAPER = {size: SIZES["transformer"][size] | run for size, run in RUNS.items()}
NORMS = ("pre", "post")


def scaled_scores(Q, K, num_heads):
    """Return the scaled scores of one head, before the softmax.

    Args:
        Q: the head's queries, (T, d_k).
        K: the head's keys, (S, d_k).
        num_heads: how many such heads the layer has.

    Returns:
        The scores QKᵀ, (T, S), scaled as in the paper.
    """
    return Q @ K.T / np.sqrt(Q.shape[-1])


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


def causal_attention_mask(T):
    """Return which tokens a token may attend to: itself and all earlier ones.

    Returns:
        bool (T, T): True where the token of the row may attend to the token of the column.
    """
    return np.tril(np.ones((T, T), bool))


def decoder_mask(ids):
    """Return which tokens a decoder's tokens may attend to: no later token, and no pad.

    Args:
        ids: int (batch, T), 0 for pads, which may stand anywhere.

    Returns:
        bool (batch, T, T): True where the token of the row may attend to the token of the
        column. The rows of pads obey the same rule as all others: nothing reads them.
    """
    T = ids.shape[-1]
    return np.tril(np.ones((T, T), bool)) & (ids != 0)[..., None, :]


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
    one_of("norm", norm, NORMS)
    if norm == "pre":
        return x + part(layer_norm(x, *norm_weights))
    return layer_norm(x + part(x), *norm_weights)


def encoder_block(x, weights, num_heads, mask=None, norm="pre"):
    """Every token looks at all others, then thinks for itself: (…, T, d)."""

    def attend(y):
        return multi_head(y, y, weights["attention"], num_heads, mask)[0]

    def think(y):
        return feed_forward(y, *weights["feed_forward"])

    x = residual(x, attend, weights["attention_norm"], norm)
    return residual(x, think, weights["feed_forward_norm"], norm)


def cached_step(x, positions, keys, values, W_Q, W_K, W_V):
    """Run one head of causal self-attention on one new token, with cached keys and values.

    Args:
        x: the new token's embedding, (d,), its position not yet added.
        positions: the table of positions, (max_length, d); row p belongs to the p-th token.
        keys, values: those of the t tokens before, (t, d_k) each.
        W_Q, W_K, W_V: (d, d_k) each.

    Returns:
        The new token's output, (d_k,), then all keys and all values so far, (t + 1, d_k) each.
    """
    x = x + positions[len(keys)]
    keys = np.concatenate([keys, [x @ W_K]])
    values = np.concatenate([values, [x @ W_V]])
    weights = softmax(keys @ (x @ W_Q) / np.sqrt(keys.shape[1]))
    return weights @ values, keys, values


def transformer_parameters(
    embed_dim, mlp_dim, num_layers, vocab_size=WORDS, shared=True, attention_bias=False
):
    """Count an encoder–decoder's weights, part by part; their sum is the whole.

    num_layers: how many in the encoder, and as many in the decoder. shared: one table for
    source, target and output, as published; else three. attention_bias: whether W^Q, W^K, W^V
    and W^O have biases; published: no. Norms stand behind each part of a block (post-norm).
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


def training_operations(embed_dim, mlp_dim, num_layers, steps, length=30):
    """Count the additions and multiplications of a training run, part by part.

    A weight that a token passes costs 6: one multiplication and one addition forwards, twice
    as many backwards. Looking a word up costs nothing; the output table is multiplied in full.
    Scores and averages, "pairs", have no weights: forwards 4·d for each pair of tokens, 12·d in
    all, with nothing saved for the causal mask.

    length: tokens of a sentence, for the pairs (our assumption; the paper says nothing).
    """
    count = transformer_parameters(embed_dim, mlp_dim, num_layers)
    passes = 6 * TOKENS * steps
    return {
        "encoder": passes * (count["encoder attention"] + count["encoder feed-forward"]),
        "decoder": passes
        * sum(count[f"decoder {x}"] for x in ("attention", "cross-attention", "feed-forward")),
        "output": passes * WORDS * embed_dim,
        "pairs": 3 * num_layers * 12 * embed_dim * length * TOKENS * steps,
    }


def machine_operations(hours):
    """The paper's own estimate: eight P100s of 9.5e12 operations a second, an upper bound."""
    return hours * 3600 * 8 * 9.5e12
