"""Translate texts with a trained model, and judge translations by exact match and BLEU.

Hypotheses and references are tokenised texts, with blanks between the tokens. A reference is
one text, or several where a sentence has several right translations: then the best one counts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np
import sacrebleu

from course_utils import decoding
from course_utils.data.base import PAD, pad, texts, whole_ids
from lectures.lecture_05.pairs import decode_sentence, encode_sentence

BATCH = 256  # sentences that are translated at a time


def exact_match(hypotheses: Iterable[str], references: Iterable) -> float:
    """Return the share of hypotheses that are a reference of theirs, word for word.

    Args:
        references: for each hypothesis a text, or several texts.
    """
    said, allowed = compared(hypotheses, references)
    hits = [text in right for text, right in zip(said, allowed, strict=True)]
    return sum(hits) / len(hits)


def bleu(hypotheses: Iterable[str], references: Iterable) -> float:
    """Return the BLEU of the whole set by sacrebleu, from 0 to 100.

    The tokens are those that the blanks separate (sacrebleu's tokenize="none"), so the figure
    cannot be compared with one of detokenised text. With several references an n-gram counts
    that is in any of them, and the one next in length decides on the brevity penalty: more
    references, a higher figure.

    Args:
        references: for each hypothesis a text, or several texts.

    Source: Papineni et al., "BLEU: a method for automatic evaluation of machine translation"
    (2002); Post, "A call for clarity in reporting BLEU scores" (2018).
    """
    said, allowed = compared(hypotheses, references)
    most = max(map(len, allowed))
    # One list for the first reference of every hypothesis, one for the second, …
    streams = [[texts[k] if k < len(texts) else None for texts in allowed] for k in range(most)]
    found = sacrebleu.corpus_bleu(said, streams, tokenize="none", force=True)
    return min(found.score, 100.0)


def log_frequencies(targets: np.ndarray, vocab_size: int) -> np.ndarray:
    """Return the output bias that predicts each word as often as it is a target.

    Every count gets half an occurrence more, so that the logarithm of a word that never occurs
    is finite.

    Args:
        targets: int (sentences, T), 0 at pads, which are not counted.

    Returns:
        float32 (vocab_size,), the logarithm of each word's share.
    """
    counts = np.bincount(targets[targets != PAD], minlength=vocab_size) + 0.5
    return np.log(counts / counts.sum()).astype("float32")


def next_word_accuracy(model, split):
    """Return each sentence's share of right next words, given the true words before them."""
    logits = model.predict(split.inputs, batch_size=100, verbose=0)
    padding_mask = split.targets != 0
    right = (logits.argmax(axis=-1) == split.targets) & padding_mask
    return right.sum(axis=1) / np.maximum(padding_mask.sum(axis=1), 1)


def translate(model, source, vocabulary: dict, max_length=None, num_beams=1) -> list[str]:
    """Translate texts, rows of ids or images.

    Args:
        model: any with `start` and `step`, see `course_utils.decoding`.
        source: a text, a list of texts, int (sentences, S) with 0 at the end, or images
            (images, height, width, channels).
        vocabulary: a dataset's, {"source": …, "target": …}; images need no source's.
        max_length: tokens of a translation at most; None is twice the longest source plus 8,
            and images need a number.
        num_beams: 1 is greedy, more is beam search.

    Returns:
        The translations as tokens with blanks between them.
    """
    rows = _rows(source, vocabulary.get("source"))
    if max_length is None and rows.ndim == 2:
        max_length = 2 * rows.shape[1] + 8
    batch_size = min(BATCH, len(rows))
    step = decoding.compiled(model.step, model)
    translations = []
    for start in range(0, len(rows), batch_size):
        part = rows[start : start + batch_size]
        # Repeats of the last row, thrown away afterwards: all batches have one shape.
        filled = np.concatenate([part, np.repeat(part[-1:], batch_size - len(part), axis=0)])
        if num_beams == 1:
            tokens = decoding.greedy(model, filled, max_length, step=step)
        else:
            tokens, _ = decoding.beam_search(model, filled, max_length, num_beams, step=step)
        said = tokens[: len(part)]
        translations += [decode_sentence(row, vocabulary["target"]) for row in said]
    return translations


def _rows(source, vocabulary) -> np.ndarray:
    if isinstance(source, np.ndarray) and source.ndim == 4 and len(source):
        return source
    if isinstance(source, np.ndarray) and np.issubdtype(source.dtype, np.integer):
        if source.ndim != 2 or not len(source):
            raise ValueError(
                f"ids have to be rows (sentences, words), got the shape {source.shape}"
            )
        whole_ids(np.unique(source), len(vocabulary))
        return source
    sentences = [source] if isinstance(source, str) else texts("source", source)
    if not sentences:
        raise ValueError("there is no text to translate")
    encoded = [encode_sentence(text, vocabulary)[0] for text in sentences]
    return pad(encoded, max(map(len, encoded)))


def compared(hypotheses, references) -> tuple[list[str], list[list[str]]]:
    """Return hypotheses and the references of each, in one form where texts are equal."""
    hypotheses = texts("hypotheses", hypotheses)
    if isinstance(references, (str, bytes)) or not isinstance(references, Iterable):
        raise ValueError(f"references have to be a list of texts, got {references!r}")
    references = list(references)
    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(
            "there have to be as many references as hypotheses, at least one: "
            f"got {len(hypotheses)} hypotheses and {len(references)} references"
        )
    allowed = [
        [one] if isinstance(one, str) else texts("the references of a hypothesis", one)
        for one in references
    ]
    if not all(allowed):
        raise ValueError("every hypothesis needs at least one reference")
    return list(map(_one_form, hypotheses)), [list(map(_one_form, row)) for row in allowed]


def _one_form(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))
