"""Attention in plain NumPy: scores, weights, an average of states; a masked loss; decoding.

Shapes: query (…, T, d_s), the decoder states s; keys (…, S, d_h), the encoder states h; scores
and weights α (…, T, S), a row for each target token, a column for each source token. Leading
axes (a batch, heads) go along. Rows are multiplied from the left, so that a W is Keras' kernel.
A mask is True where a token may be looked at, as in Keras.

Sources: Luong, Pham and Manning, "Effective approaches to attention-based neural machine
translation" (2015), equations 5 and 8; Bahdanau, Cho and Bengio, "Neural machine translation by
jointly learning to align and translate" (2015), equations 5 and 6, appendix A.1.2.
"""

import numpy as np

from course_utils.data.base import END, START


def dot_score(query, keys):
    """Return s · h, for states of equal width (Luong, "dot")."""
    return query @ np.swapaxes(keys, -1, -2)


def general_score(query, keys, W):
    """Return the scores s W h of all pairs of states, (…, T, S) (Luong, "general").

    Args:
        query: (…, T, d_s), the decoder's states; leading axes, such as a batch, go along.
        keys: (…, S, d_h), the encoder's.
        W: (d_s, d_h), without a bias.
    """
    return query @ W @ np.swapaxes(keys, -1, -2)


def concat_score(query, keys, W_c, v):
    """Return v · tanh([s; h] W_c), W_c (d_s + d_h, units), v (units,) (Luong, "concat")."""
    T, S = query.shape[-2], keys.shape[-2]
    queries = np.repeat(query[..., :, None, :], S, axis=-2)
    keys = np.repeat(keys[..., None, :, :], T, axis=-3)
    return np.tanh(np.concatenate([queries, keys], axis=-1) @ W_c) @ v


def additive_score(query, keys, W_s, W_h, v):
    """Return v · tanh(s W_s + h W_h), W_s (d_s, units), W_h (d_h, units) (Bahdanau).

    The same numbers as `concat_score` with W_c = [W_s; W_h], the one laid above the other.
    """
    sums = (query @ W_s)[..., :, None, :] + (keys @ W_h)[..., None, :, :]
    return np.tanh(sums) @ v


def softmax(scores, mask=None):
    """Turn each row of scores into weights that sum to 1; a masked place gets exactly 0.

    The mask, which has to fit (…, T, S), works before the exponential. A row without any open
    place becomes all zeros.
    """
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total > 0, total, 1)


def attention_vector(context, query, W_c):
    """Return Luong's ã_t = tanh([c_t; s_t] W_c), with W_c (d_h + d_s, units) and no bias."""
    return np.tanh(np.concatenate([context, query], axis=-1) @ W_c)


def dot_attention(states, encoded):
    """Return the weights and the contexts of the dot score, unscaled.

    Args:
        states: (T, d), the decoder's states.
        encoded: (S, d), the encoder's states.

    Returns:
        Two arrays: the weights (T, S), each row of which sums to 1, and the contexts (T, d),
        the averages of the encoder's states by these weights.
    """
    powers = np.exp(states @ encoded.T)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights, weights @ encoded


def masked_weights(scores, mask):
    """Return the softmax over the source tokens, (batch, T, S), with weight 0 at pads.

    Args:
        scores: (batch, T, S), of any size: the exponentials must not overflow.
        mask: (batch, S), True where a source token is real; each row has one at least.
    """
    scores = np.where(mask[:, None, :], scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def masked_loss(logits, targets):
    """Return the mean cross-entropy over the real targets, one number.

    Args:
        logits: (batch, T, words), before the softmax, of any size.
        targets: (batch, T), the ids of the right words; 0 at pads, which do not count.
    """
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_chances = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_chances, targets[..., None], axis=-1)[..., 0]
    return losses[targets != 0].mean()


def decode(step, state, max_length):
    """Write the likeliest word at every step; return the list of ids.

    Args:
        step: function of a token and a state that returns (logits, state): the logits (words,)
            of the next token, and the state for the next step.
        state: the state for the first step, whose token is START.
        max_length: how many words to write at most, if END does not come before.

    Returns:
        The ids of the words, without START and END.
    """
    token, written = START, []
    for _ in range(max_length):
        logits, state = step(token, state)
        token = int(np.argmax(logits))
        if token == END:
            break
        written.append(token)
    return written
