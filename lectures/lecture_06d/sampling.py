"""Text from a language model, its words drawn at random.

The model has `start` and `step`, as `course_utils.decoding` describes them.
"""

import numpy as np
from keras import ops

from course_utils.data.base import END, PAD, not_negative, share, whole_number
from course_utils.decoding import compiled, log_softmax, possible, scores_of


def next_tokens(logits, generator, temperature=1.0, top_p=None):
    """Draw the next token of each row from the softmax of its logits.

    Args:
        logits: float (batch, words), −∞ where a word cannot come.
        generator: a NumPy generator.
        temperature: divides the logits; 0 takes the likeliest.
        top_p: keeps only the likeliest tokens, as few as have a probability of p together
            (after temperature).

    Returns:
        int32 (batch,).

    Raises:
        ValueError: for logits that are NaN, ∞ or, in a whole row, −∞.

    Source: Holtzman et al., "The curious case of neural text degeneration" (2020).
    """
    logits = possible(np.asarray(logits, float))
    temperature = not_negative("temperature", temperature)
    if top_p is not None and not share("top_p", top_p):
        raise ValueError(f"top_p has to be above 0, got {top_p!r}")
    if temperature == 0:
        return logits.argmax(axis=-1).astype("int32")
    order = np.argsort(-logits, axis=-1, kind="stable")
    ranked = np.take_along_axis(logits, order, axis=-1)
    with np.errstate(over="ignore"):  # a tiny temperature makes −∞ of all but the likeliest
        ranked = np.exp(log_softmax((ranked - ranked[:, :1]) / temperature))
    if top_p is not None:
        before = np.cumsum(ranked, axis=-1) - ranked
        ranked[before >= top_p] = 0.0
        ranked /= ranked.sum(axis=-1, keepdims=True)
    drawn = (generator.random((len(ranked), 1)) > np.cumsum(ranked, axis=-1)).sum(axis=-1)
    rank = np.minimum(drawn, (ranked > 0).sum(axis=-1) - 1)
    return np.take_along_axis(order, rank[:, None], axis=-1)[:, 0].astype("int32")


def generate(model, prompts, max_length, seed=0, temperature=1.0, top_p=None):
    """Continue prompts until each row's <eos>, or until it has `max_length` tokens.

    Args:
        prompts: int (batch, at least one token each), all of one length.
        max_length: tokens in all, those of the prompt among them.
        temperature, top_p: as in `next_tokens`.

    Returns:
        int32 (batch, at most max_length), with 0 after an end.
    """
    prompts = np.asarray(prompts)
    ids = prompts.ndim == 2 and prompts.size and prompts.dtype.kind in "iu"
    if not ids or (prompts == PAD).any():
        raise ValueError("prompts are rows of at least one id, all of one length, no pads")
    max_length = whole_number("max_length", max_length, at_least=prompts.shape[1] + 1)
    generator = np.random.default_rng(seed)
    step, state = compiled(model.step, model), model.start(len(prompts), max_length)
    written, open_rows = list(prompts.T), np.ones(len(prompts), bool)
    for position in range(max_length - 1):
        tokens = ops.convert_to_tensor(written[position], "int32")
        logits, state = step(tokens, ops.convert_to_tensor(position, "int32"), state)
        if position + 1 < prompts.shape[1]:
            continue
        drawn = next_tokens(scores_of(logits), generator, temperature, top_p)
        written.append(np.where(open_rows, drawn, PAD).astype("int32"))
        open_rows &= drawn != END
        if not open_rows.any():
            break
    return np.stack(written, axis=1)
