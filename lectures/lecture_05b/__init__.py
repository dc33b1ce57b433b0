"""Lab 05b, translation for real: BLEU, beam search for one sentence, trainings on Tatoeba."""

from collections import Counter

import numpy as np

from course_utils import models
from course_utils.data.base import END, START
from course_utils.decoding import log_softmax
from lectures import lecture_05
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import load_pairs

LECTURE = "05b_lab_translation"
TRICKS = {  # each beside the model that it changes, which lecture 5 tuned on the same grid
    "reversed": {"reverse": True},
    "dot_fed": {"attention": "dot", "feed": True},
}
REAL = {
    "pairs": 80_000,
    "vocab_size": 6_000,
    "embed_dim": 96,
    "units": 128,
    "learning_rate": 5e-3,
    "bias": "log frequencies",
    "epochs": 3,
    "max_length": 40,
}
REAL_BINS = ((1, 5), (6, 9), (10, 14), (15, 25))


def bleu(hypotheses, references):
    """Return BLEU of a set of translations, from 0 to 100.

        BLEU = 100 · min(1, exp(1 − r / l)) · (p_1 · p_2 · p_3 · p_4)^(1/4)

    p_n: over the whole set, how many of the hypotheses' n-grams their references have, divided
    by how many n-grams the hypotheses have. An n-gram counts at most as often as its own
    reference has it. l and r: the words of all hypotheses and of all references.

    Args:
        hypotheses, references: lists of as many lists of words; at least one 4-gram is
            shared.
    """
    shared, all_runs = np.zeros(4), np.zeros(4)
    for said, wanted in zip(hypotheses, references, strict=True):
        for n in range(1, 5):
            runs, known = (
                Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
                for words in (said, wanted)
            )
            shared[n - 1] += (runs & known).total()
            all_runs[n - 1] += runs.total()
    written, needed = (sum(map(len, texts)) for texts in (hypotheses, references))
    penalty = min(1.0, np.exp(1 - needed / written))
    return 100 * penalty * np.exp(np.log(shared / all_runs).mean())


def beam_search(step, state, num_beams, max_length):
    """Return the best translation that a beam finds, and its score.

    At every step each open beginning grows by every word of the vocabulary; the `num_beams`
    candidates of the largest log-probability are kept. Those that end in END are finished:
    they are put aside and grow no more. The search ends when no beginning is open, or at
    `max_length` tokens. A finished translation of n tokens, END among them, scores its
    log-probability divided by ((5 + n) / 6)^0.6; the best score wins. What is still open at the
    end counts as finished, with the n tokens that it has.

    Args:
        step: function of a token and a state that returns (log_p, state): the log-probabilities
            (words,) of the next token, and the state for the step after it. The first token is
            START.
        state: the state for the first step.
        num_beams: how many candidates are kept at each step.
        max_length: the most tokens, END among them.

    Returns:
        The list of word ids, without START and END, and the score, a number.
    """
    open_, finished = [(0.0, [], state)], []
    for length in range(1, max_length + 1):
        grown = []
        for total, tokens, before in open_:
            log_p, after = step(tokens[-1] if tokens else START, before)
            grown += [(total + p, [*tokens, word], after) for word, p in enumerate(log_p)]
        kept = sorted(grown, key=lambda one: one[0], reverse=True)[:num_beams]
        open_ = [one for one in kept if one[1][-1] != END]
        done = kept if length == max_length else [one for one in kept if one[1][-1] == END]
        finished += [(total / ((5 + length) / 6) ** 0.6, tokens) for total, tokens, _ in done]
        if not open_:
            break
    score, tokens = max(finished, key=lambda one: one[0])
    return [token for token in tokens if token != END], score


def shipped(name, pairs):
    """Return a recorded translator of lecture 5, seed 0."""
    model = lecture_05.translator(name, pairs, lecture_05.OWN)
    arrays = models.load_pretrained(f"translator_{name}")
    model.set_weights([arrays[key] for key in sorted(arrays)])
    return model


def scores(model, source, texts, vocabulary):
    """Return what a beam search compares: each text's log p over ((5 + n) / 6)^0.6.

    source: (sentences, S), ids. texts: a translation of each. n: its tokens, with END.
    """
    read, write = lecture_05.shift([vocabulary.encode(text.split()) for text in texts])
    logits = model.predict({"source": source, "target": read}, batch_size=100, verbose=0)
    log_p = np.take_along_axis(log_softmax(logits), write[..., None], axis=-1)[..., 0]
    real = write != 0
    return (log_p * real).sum(axis=1) / ((5 + real.sum(axis=1)) / 6) ** 0.6


def errors(model, pairs, num_beams):
    """Return the shares of test sentences that are right, a search error, a model error."""
    source, target = pairs.test.inputs["source"], pairs.vocabulary["target"]
    texts = translation.translate(model, source, pairs.vocabulary, 40, num_beams=num_beams)
    right = np.array(texts) == pairs.test.columns["target_text"]
    found = scores(model, source, texts, target)
    correct = scores(model, source, pairs.test.columns["target_text"], target)
    missed = ~right & (correct > found)  # the model prefers the right one: it was not found
    return {"right": right.mean(), "search error": missed.mean(),
            "model error": (~right & ~missed).mean()}  # fmt: skip


def best_setting(validation_loss, settings, seeds):
    """Return the setting whose mean validation loss over the seeds is the lowest.

    Args:
        validation_loss: function of a setting and a seed that trains and returns a loss.
        settings: a list of settings.
        seeds: a list of seeds, all of which each setting gets.
    """
    means = [
        np.mean([validation_loss(setting, seed) for seed in seeds]) for setting in settings
    ]
    return settings[int(np.argmin(means))]


def real_pairs(pairs=None):
    """Return English–French sentence pairs from Tatoeba."""
    sizes = {f"{side}_vocab_size": REAL["vocab_size"] for side in ("source", "target")}
    return load_pairs("french", **sizes, max_pairs=pairs or REAL["pairs"])
