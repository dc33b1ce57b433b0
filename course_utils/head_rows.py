"""Rows of ids for the heads: sentences with tags, questions and texts, choices, summaries.

`tokenizer` is one of `course_utils.tokenizers` throughout; rows begin with <sos>, and 0
stands behind their last piece. What does not fit into `length` raises ValueError.
"""

import numpy as np

from course_utils.data.entities import align_tags
from course_utils.data.questions import token_span
from course_utils.tokenizers import SPECIAL, START

END = SPECIAL.index("<eos>")


def filled(row, length):
    """The row with 0 behind it, `length` long."""
    if len(row) > length:
        raise ValueError(f"{len(row)} pieces do not fit into a length of {length}")
    return [*row, *[0] * (length - len(row))]


def tagged_rows(part, tokenizer, length):
    """Sentences with tags: ids (sentences, length) and tags, -1 where no word begins.

    A sentence that is too long loses its end, tags and all.
    """
    ids = np.zeros((len(part), length), "int32")
    targets = np.full((len(part), length), -1, "int32")
    for row, (words, tags) in enumerate(zip(part.inputs, part.targets, strict=True)):
        pieces, places = tokenizer.of_words(words)
        pieces = [START, *pieces][:length]
        aligned = align_tags(tags, [None, *places])[:length]
        ids[row, : len(pieces)], targets[row, : len(aligned)] = pieces, aligned
    return ids, targets


def joined(first, second, tokenizer, length):
    """<sos> first <eos> second: ids, and each piece's word in `second` (its place, or None)."""
    before, (behind, places) = tokenizer.of_words(first)[0], tokenizer.of_words(second)
    row = [START, *before, END, *behind]
    return filled(row, length), [None] * (len(before) + 2) + places


def question_rows(part, tokenizer, length):
    """Questions: ids (reviews, length), spans of pieces (reviews, 2), where the text stands."""
    ids, spans, allowed = [], [], []
    pairs = zip(part.inputs["question"], part.inputs["text"], part.targets, strict=True)
    for question, text, span in pairs:
        row, places = joined(question, text, tokenizer, length)
        ids.append(row)
        spans.append(token_span(span, places))
        allowed.append(
            [place is not None for place in places] + [False] * (length - len(places))
        )
    return np.array(ids, "int32"), np.array(spans, "int32"), np.array(allowed)


def choice_rows(part, tokenizer, length):
    """Choices: ids (reviews, endings, length), each ending behind its review."""
    rows = [
        [joined(text, ending, tokenizer, length)[0] for ending in endings]
        for text, endings in zip(part.inputs["text"], part.inputs["endings"], strict=True)
    ]
    return np.array(rows, "int32")


def summary_rows(part, tokenizer, length):
    """<sos> review <eos> summary <eos>: ids, the next tokens, and where the summary begins.

    The next tokens are 0, which the loss leaves out, before the summary: the model is not asked
    to write reviews.
    """
    ids, targets, starts = [], [], []
    for text, summary in zip(part.inputs, part.targets, strict=True):
        front = [START, *tokenizer.ids(text), END]
        answer = [*tokenizer.ids(summary), END]
        ids.append(filled([*front, *answer], length))
        targets.append(filled([0] * (len(front) - 1) + answer, length))
        starts.append(len(front))
    return np.array(ids, "int32"), np.array(targets, "int32"), np.array(starts)


def greedy_continue(model, ids, starts, steps=24):
    """Let a language model go on behind `starts`, by the likeliest token: new ids like `ids`.

    What stands in `ids` from `starts` on is not shown to it.
    """
    rows, places = np.arange(len(ids)), starts.copy()
    new = np.where(np.arange(ids.shape[1]) < starts[:, None], ids, 0)
    for _ in range(steps):
        logits = model.predict(new, batch_size=100, verbose=0)
        new[rows, places] = logits[rows, places - 1].argmax(-1)
        places = np.minimum(places + 1, ids.shape[1] - 1)
    return new


def same_answers(new, right, starts):
    """Which rows of `new` hold the right answer, from `starts` up to the next <eos>: bool."""
    same = []
    for row, true, start in zip(new, right, starts, strict=True):
        stop = start + list(true[start:]).index(END) + 1
        same.append(bool((row[start:stop] == true[start:stop]).all()))
    return np.array(same)
