"""From a trained model to tokens: greedy decoding and beam search.

Any model with `start` and `step` will do: the state that `start` returns holds tensors with
the batch in front; `step(tokens, position, state)` returns the logits for the next token and
the new state.
"""

from operator import itemgetter

import keras
import numpy as np
from keras import ops, tree

from course_utils.data.base import END, PAD, START, not_negative, whole_number


def compiled(function, model):
    """Return the function as one compiled graph that reads the model's weights at every call.

    Args:
        function: takes and returns tensors, numbers as 0-dimensional arrays.
    """
    backend = keras.backend.backend()
    if backend == "tensorflow":
        import tensorflow

        return tensorflow.function(function, reduce_retracing=True)
    if backend == "jax":
        import jax

        def with_weights(values, *arguments):
            pairs = zip(model.variables, values, strict=True)
            with keras.StatelessScope(state_mapping=list(pairs)):
                return function(*arguments)

        jitted = jax.jit(with_weights)
        return lambda *arguments: jitted([each.value for each in model.variables], *arguments)
    return function


def greedy(model, source, max_length, step=None):
    """Translate by taking the likeliest token at every step.

    Args:
        source: int (batch, S) with 0 at the end, or images (batch, height, width, channels)
            where the model reads such.
        max_length: tokens at most: a model that never says <eos> is stopped there.
        step: `compiled(model.step, model)`, to compile it once for several calls.

    Returns:
        int32 (batch, at most max_length): the tokens without <sos>, <eos> last where the model
        said it, then 0.

    Raises:
        ValueError: for a source without a token, and for logits that are NaN.
    """
    max_length = whole_number("max_length", max_length, at_least=1)
    source = _source(source)
    step = step or compiled(model.step, model)
    state = model.start(ops.convert_to_tensor(source), max_length)
    tokens = np.full(len(source), START, "int32")
    open_rows = np.ones(len(source), bool)
    written = []
    for position in range(max_length):
        logits, state = step(_tensor(tokens), _tensor(position), state)
        tokens = scores_of(logits).argmax(axis=-1).astype("int32")
        written.append(np.where(open_rows, tokens, PAD))
        open_rows &= tokens != END
        if not open_rows.any():
            break
    return np.stack(written, axis=1)


def beam_search(model, source, max_length, num_beams=4, length_penalty=0.6, step=None):
    """Translate by keeping the `num_beams` likeliest beginnings at every step.

    A finished translation of n tokens, <eos> included, is judged by its log-probability divided
    by ((5 + n) / 6)^length_penalty: 0 prefers short ones, 1 is close to the mean per token. The
    search ends with as many finished ones as beams, unless an unfinished one is still better as
    it stands; so one beam is `greedy`. A row without a finished translation gives the best
    unfinished one, `max_length` tokens long.

    Args:
        source, max_length, step: as in `greedy`.

    Returns:
        (tokens, scores): int32 (batch, at most max_length) as of `greedy`, and float (batch,).

    Source: Wu et al., "Google's neural machine translation system" (2016), equation 14, without
    the coverage penalty.
    """
    max_length = whole_number("max_length", max_length, at_least=1)
    num_beams = whole_number("num_beams", num_beams, at_least=1)
    length_penalty = not_negative("length_penalty", length_penalty)
    source = _source(source)
    step = step or compiled(model.step, model)
    batch = len(source)
    repeated = np.repeat(source, num_beams, axis=0)
    state = model.start(ops.convert_to_tensor(repeated), max_length)
    tokens = np.full((batch, num_beams, 0), PAD, "int32")
    scores = np.full((batch, num_beams), -np.inf)
    scores[:, 0] = 0.0
    best, finished = [(-np.inf, None)] * batch, np.zeros(batch, int)
    going = np.ones(batch, bool)
    last = np.full(batch * num_beams, START, "int32")
    for position in range(max_length):
        logits, state = step(_tensor(last), _tensor(position), state)
        step_scores = log_softmax(scores_of(logits)).reshape(batch, num_beams, -1)
        total = (scores[..., None] + step_scores).reshape(batch, -1)
        chosen = _largest(total, 2 * num_beams)
        parents, words = np.divmod(chosen, step_scores.shape[-1])
        total = np.take_along_axis(total, chosen, axis=1)
        grown = np.concatenate(
            [np.take_along_axis(tokens, parents[..., None], axis=1), words[..., None]], axis=2
        ).astype("int32")
        divisor = ((6 + position) / 6) ** length_penalty
        for row, candidate in zip(*np.nonzero(words == END), strict=True):
            score = total[row, candidate] / divisor
            if candidate < num_beams and going[row] and score > -np.inf:
                finished[row] += 1
                best[row] = max(best[row], (score, grown[row, candidate]), key=itemgetter(0))
        # The best `num_beams` of the 2 * num_beams candidates go on, finished ones last.
        order = np.argsort(words == END, axis=1, kind="stable")[:, :num_beams]
        tokens = np.take_along_axis(grown, order[..., None], axis=1)
        scores = np.take_along_axis(total, order, axis=1)
        parents = np.take_along_axis(parents, order, axis=1)
        found = np.array([score for score, _ in best])
        attainable = scores[:, 0] / ((5 + max_length) / 6) ** length_penalty
        ahead = scores[:, 0] / divisor > found
        going &= (attainable > found) & (ahead | (finished < num_beams))
        if not going.any():
            break
        rows = (np.arange(batch)[:, None] * num_beams + parents).ravel()
        state = tree.map_structure(lambda part, rows=rows: ops.take(part, rows, axis=0), state)
        last = tokens[:, :, -1].ravel()
    return _finished(best, tokens, scores / divisor)


def _source(source):
    source = np.asarray(source)
    if source.ndim == 4 and len(source):  # images: each holds something to be read
        return source
    if source.ndim != 2 or not len(source) or not (source != PAD).any(axis=1).all():
        raise ValueError(f"a source is rows of at least one token, or images: {source.shape}")
    if source.dtype.kind not in "iu":
        raise ValueError(f"a source holds ids, whole numbers: got {source.dtype}")
    return source.astype("int32")


def possible(scores):
    """Return scores (batch, words) of which each row allows at least one word.

    Raises:
        ValueError: for NaN, ∞ or a row of −∞.
    """
    if not np.isfinite(scores.max(axis=-1)).all():
        raise ValueError(
            "logits have to be numbers, or -inf where a word cannot come: these are NaN, inf, "
            "or -inf for every word. Has a loss become NaN in training?"
        )
    return scores


def scores_of(logits):
    """Return logits as float32 (batch, words), −∞ for <pad>: no text has it inside."""
    scores = np.array(ops.convert_to_numpy(logits), "float32")
    scores[:, PAD] = -np.inf
    return possible(scores)


def log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def _tensor(value):
    return ops.convert_to_tensor(value, "int32")


def _largest(values, count):
    """The places of the `count` largest values of each row, the largest first."""
    count = min(count, values.shape[1])
    places = np.argpartition(-values, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1)


def _finished(best, tokens, scores):
    rows = [
        (score, row) if row is not None else (scores[number, 0], tokens[number, 0])
        for number, (score, row) in enumerate(best)
    ]
    width = max(len(row) for _, row in rows)
    padded = np.stack([np.pad(row, (0, width - len(row))) for _, row in rows])
    return padded.astype("int32"), np.array([score for score, _ in rows])
