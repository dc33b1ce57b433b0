"""From a trained model to tokens: greedy, beam search, sampling.

Any model with `start` and `step` will do: the state that `start` returns holds tensors with
the batch in front; `step(tokens, position, state)` returns the logits for the next token and
the new state.
"""

from operator import itemgetter

import keras
import numpy as np
from keras import ops, tree

from course_utils.data.base import END, PAD, START, not_negative, share, whole_number


def compiled(function, model):
    """The same function as one compiled graph that reads the model's weights at every call.

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

    source: int (batch, S), 0 behind, or pictures (batch, height, width, channels) where the
    model reads such. max_length: the most tokens of a translation: a model that never says
    <eos> is stopped there. step: `compiled(model.step, model)`, to compile it once for several
    calls.
    Returns int32 (batch, at most max_length): the tokens without <sos>, <eos> last where the
    model said it, 0 behind it. Raises ValueError for a max_length under 1, for a source without
    a single token or of numbers that are no ids, and for logits that are NaN.
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
        tokens = _possible(_scores(logits)).argmax(axis=-1).astype("int32")
        written.append(np.where(open_rows, tokens, PAD))
        open_rows &= tokens != END
        if not open_rows.any():
            break
    return np.stack(written, axis=1)


def beam_search(model, source, max_length, num_beams=4, length_penalty=0.6, step=None):
    """Translate by keeping the `num_beams` likeliest beginnings at every step.

    A finished translation of n tokens, <eos> included, is judged by its log-probability divided
    by ((5 + n) / 6)^length_penalty: 0 prefers short ones, 1 is close to the mean a token. The
    search ends with as many finished ones as beams, unless an unfinished one is still better as
    it stands; so one beam is `greedy`. A row without a finished translation gives the best
    unfinished one, `max_length` tokens long.
    Returns (tokens, scores): int32 (batch, at most max_length) as `greedy`, float (batch,).
    Raises ValueError for num_beams or a max_length under 1, a penalty below 0 or infinite, and
    where `greedy` does.

    Source: Wu et al., "Google's neural machine translation system" (2016), equation 14, without
    the coverage penalty.
    """
    max_length = whole_number("max_length", max_length, at_least=1)
    num_beams = whole_number("num_beams", num_beams, at_least=1)
    length_penalty = _finite("length_penalty", length_penalty)
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
        step_scores = _log_softmax(_possible(_scores(logits))).reshape(batch, num_beams, -1)
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
        # What is not finished goes on: the best `beams` of the 2 * beams candidates.
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


def next_tokens(logits, generator, temperature=1.0, top_p=None):
    """Draw the next token of each row from the softmax of its logits.

    logits: float (batch, words), −∞ where a word cannot come. generator: a NumPy generator.
    temperature: divides the logits; 0 takes the likeliest. top_p: only the likeliest ones, as
    few as make up a probability of p or more (after temperature).
    Returns int32 (batch,). Raises ValueError for a temperature below 0 or infinite, top_p
    outside 0 < p <= 1, and logits that are NaN, ∞ or, in a whole row, −∞.

    Source: Holtzman et al., "The curious case of neural text degeneration" (2020).
    """
    logits = _possible(np.asarray(logits, float))
    temperature = _finite("temperature", temperature)
    if top_p is not None and not share("top_p", top_p):
        raise ValueError(f"top_p has to be above 0, got {top_p!r}")
    if temperature == 0:
        return logits.argmax(axis=-1).astype("int32")
    order = np.argsort(-logits, axis=-1, kind="stable")
    ranked = np.take_along_axis(logits, order, axis=-1)
    with np.errstate(over="ignore"):  # a tiny temperature makes −∞ of all but the likeliest
        ranked = np.exp(_log_softmax((ranked - ranked[:, :1]) / temperature))
    if top_p is not None:
        before = np.cumsum(ranked, axis=-1) - ranked
        ranked[before >= top_p] = 0.0
        ranked /= ranked.sum(axis=-1, keepdims=True)
    drawn = (generator.random((len(ranked), 1)) > np.cumsum(ranked, axis=-1)).sum(axis=-1)
    rank = np.minimum(drawn, (ranked > 0).sum(axis=-1) - 1)
    return np.take_along_axis(order, rank[:, None], axis=-1)[:, 0].astype("int32")


def generate(model, prompts, max_length, seed=0, temperature=1.0, top_p=None, step=None):
    """Go on writing behind prompts of one length: int (batch, at least 1 token each).

    max_length: tokens in all, the prompt among them, at which the writing ends at the latest; a
    row also ends behind its <eos>.
    Returns int32 (batch, at most max_length), 0 behind an end. Raises ValueError for an empty
    prompt and for a max_length that leaves no room.
    """
    prompts = np.asarray(prompts)
    if prompts.ndim != 2 or not prompts.size or (prompts == PAD).any():
        raise ValueError("prompts are rows of at least one token, all of one length, no pads")
    prompts = _ids("prompts", prompts)
    max_length = whole_number("max_length", max_length, at_least=prompts.shape[1] + 1)
    generator = np.random.default_rng(seed)
    step = step or compiled(model.step, model)
    state = model.start(len(prompts), max_length)
    written, open_rows = list(prompts.T), np.ones(len(prompts), bool)
    for position in range(max_length - 1):
        logits, state = step(_tensor(written[position]), _tensor(position), state)
        if position + 1 < prompts.shape[1]:
            continue
        drawn = next_tokens(_scores(logits), generator, temperature, top_p)
        written.append(np.where(open_rows, drawn, PAD).astype("int32"))
        open_rows &= drawn != END
        if not open_rows.any():
            break
    return np.stack(written, axis=1)


def _source(source):
    source = np.asarray(source)
    if source.ndim == 4 and len(source):  # pictures: each holds something to be read
        return source
    if source.ndim != 2 or not len(source) or not (source != PAD).any(axis=1).all():
        raise ValueError(f"a source is rows of at least one token, or images: {source.shape}")
    return _ids("a source", source)


def _ids(name, values):
    if not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"{name} holds ids, which are whole numbers: got {values.dtype}")
    return values.astype("int32")


def _finite(name, value):
    if not_negative(name, value) == np.inf:
        raise ValueError(f"{name} has to be finite, got {value!r}")
    return float(value)


def _possible(scores):
    """The scores (batch, words), of which each row allows at least one word."""
    if not np.isfinite(scores.max(axis=-1)).all():
        raise ValueError(
            "logits have to be numbers, or -inf where a word cannot come: these are NaN, inf, "
            "or -inf for every word. Has a loss become NaN in training?"
        )
    return scores


def _tensor(value):
    return ops.convert_to_tensor(value, "int32")


def _scores(logits):
    """The logits as float32 (batch, words), with none for <pad>: no text has it inside."""
    scores = np.array(ops.convert_to_numpy(logits), "float32")
    scores[:, PAD] = -np.inf
    return scores


def _log_softmax(logits):
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


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
