"""Lecture 05, attention: its NumPy, and the trainings of its translators.

Shapes: s (…, T, d) are the decoder's states, h (…, S, d) the encoder's; scores and weights α
(…, T, S) have a row for each target token and a column for each source token. Rows are
multiplied from the left, so that a W is Keras' kernel. A mask is True at real tokens.

Sources: Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
translate" (2015), equations 5 and 6, appendix A.1.2; Luong, Pham and Manning, "Effective
approaches to attention-based neural machine translation" (2015), equations 5 and 8.
"""

import keras
import numpy as np
from keras import ops

from course_utils import data, results, schedules, training
from course_utils.data.base import END, START
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import ADJECTIVES, NOUNS
from lectures.lecture_05.translators import (
    ClassmatesTranslator,
    EqualTranslator,
    RecurrentTranslator,
)

LECTURE = "05_attention"
LEARNING_RATES = (0.002, 0.004, 0.008, 0.016)
OWN = {"embed_dim": 64, "units": 128, "epochs": 8, "max_length": 40}
FIXED = OWN | {"epochs": 16}  # without attention: nobody can say that it had too little time
WIDE = OWN | {  # about as many parameters as with the dot score
    **{"epochs": 32, "units": 143},
    "one_seed_because": "it asks whether time or size is missing, not which arm wins",
}
CLASSMATES = OWN | {"one_seed_because": "its map is shown, as one network's"}
BINS = ((4, 8), (9, 13), (14, 18), (19, 25))  # words in the source
LONG = 13  # a sentence of more words than this is a long one
TRANSLATORS = {
    "plain": {},
    "wide": {"units": WIDE["units"]},
    "dot": {"attention": "dot"},
    "classmate": {"attention": "dot"},
    "equal": {"attention": "dot"},
    "bahdanau": {"attention": "bahdanau"},
}
CLASSES = {"classmate": ClassmatesTranslator, "equal": EqualTranslator}
SWEPT = {"plain": 12, "dot": 12}  # epochs of their sweeps; the others' are those of the run
TUNED_AS = {"wide": "plain", "classmate": "dot"}  # at their learning rate
ARTICLES = ("the", "a", "an", "some", "any", "this", "these", "my")
ALIKE = [  # words that may stand in each other's place
    *(NOUNS[::2], NOUNS[1::2], ADJECTIVES),
    *(
        words.split()
        for words in (
            "the my / a this / some these / often always / wait sleep / waits sleeps / "
            "find like see hear follow watch / finds likes sees hears follows watches"
        ).split(" / ")
    ),
]


def shift(sentences):
    """Return what the decoder reads and what it should write, for teacher forcing.

    Args:
        sentences: a list of lists of word ids, without START and END, which are 2 and 3.

    Returns:
        Two int arrays (sentences, longest + 1): START and the words; the words and END. Both
        are filled with 0 at the end of shorter sentences.
    """
    width = 1 + max(map(len, sentences))
    read = [[START, *ids] + [0] * (width - 1 - len(ids)) for ids in sentences]
    write = [[*ids, END] + [0] * (width - 1 - len(ids)) for ids in sentences]
    return np.array(read), np.array(write)


def masked_loss(logits, targets):
    """Return the mean cross-entropy over the real targets, one number.

    Args:
        logits: (batch, T, words), before the softmax, of any size.
        targets: (batch, T), the ids of the right words; 0 at pads, which do not count.
    """
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    losses = -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    real = targets != 0
    return losses[real].sum() / max(1, real.sum())


def decode(step, state, max_length):
    """Write the most probable word at every step, until END; return the list of ids.

    Args:
        step: function of a token and a state that returns (logits, state): the logits (words,)
            of the next token, and the state for the next step.
        state: the state for the first step, whose token is START.
        max_length: how many words to write at most; END ends the sentence before.

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


def softmax(scores, mask=None):
    """Turn each row of scores into weights that sum to 1; a masked position gets exactly 0.

    The mask, which has to fit (…, T, S), works before the exponential. A row without any open
    position becomes all zeros.
    """
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total > 0, total, 1)


def dot_attention(s, h, mask):
    """Return the attention weights and the contexts of the dot score.

    Args:
        s: (batch, T, d), the decoder's states.
        h: (batch, S, d), the encoder's states.
        mask: (batch, S), True where a source token is real; each row has one at least.

    Returns:
        The weights, a NumPy array (batch, T, S), 0 at pads, each row of which sums to 1, and
        the contexts (batch, T, d), the averages of the encoder's states by these weights.
    """
    scores = s @ np.swapaxes(h, 1, 2)
    scores = np.where(mask[:, None, :], scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights, weights @ h


def additive_score(s, h, W_s, W_h, v):
    """Return v · tanh(s W_s + h W_h), with W_s (d_s, units), W_h (d_h, units), v (units,)."""
    sums = (s @ W_s)[..., :, None, :] + (h @ W_h)[..., None, :, :]
    return np.tanh(sums) @ v


def encode(model, source):
    """Read a batch of sources with the layers of a translator.

    Args:
        model: its `source_embedding` makes (batch, S, channels) of ids; its
            `encoder(words, mask=mask)` returns all states (batch, S, units) and the last one
            (batch, units).
        source: int (batch, S), 0 at pads.

    Returns:
        All states, the last state, and the mask (batch, S), True at real words.
    """
    mask = ops.not_equal(source, 0)
    encoded, last = model.encoder(model.source_embedding(source), mask=mask)
    return encoded, last, mask


def train_translator(model, pairs):
    """Compile a new translator and train it on pairs; return it.

    Args:
        model: logits (batch, T, words) of {"source": (batch, S), "target": (batch, T)}.
        pairs: the `Dataset`, with pads of class 0 in its targets.
    """
    parts, same = (pairs.train, pairs.val), ("target", "targets")
    batches = [data.length_buckets(part, 64, same_steps=same) for part in parts]
    schedule = schedules.WarmupCosine(0.008, steps=15 * len(batches[0]))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
    training.fit(model, batches, epochs=15, resume=False)
    return model


def translator(name, pairs, settings, kinds=TRANSLATORS):
    """Return a new translator whose weights are made."""
    sizes = [len(pairs.vocabulary[side]) for side in ("source", "target")]
    shape = {"embed_dim": settings["embed_dim"], "units": settings["units"]}
    Translator = CLASSES.get(name, RecurrentTranslator)
    model = Translator(*sizes, **shape | kinds[name], name=name)
    model({key: ids[:8] for key, ids in pairs.test.inputs.items()})
    return model


def train(model, pairs, settings, learning_rate):
    """Train a translator, all in the same way: warm-up of 100 batches, then a cosine."""
    parts, same = (pairs.train, pairs.val), ("target", "targets")
    batches = [data.length_buckets(part, 64, same_steps=same) for part in parts]
    steps = settings["epochs"] * len(batches[0])
    schedule = schedules.WarmupCosine(learning_rate, steps)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
    how = {"source": pairs.source, "settings": settings | {"learning_rate": learning_rate}}
    return training.fit(model, batches, settings["epochs"], **how)


def tune(name, build, pairs, settings, seed, lecture):
    """Train a new model of `build()`; return it, its run and its learning rate.

    Seed 0 tries every learning rate, takes the one of the lowest validation loss, and records
    the table; the other seeds take the same, and so do models that are `TUNED_AS` another.
    """

    def loss(row):
        return row["loss"]

    def trained(rate, epochs):
        keras.utils.set_random_seed(seed)
        model = build()
        return model, train(model, pairs, settings | {"epochs": epochs}, rate)

    epochs = settings["epochs"]
    swept = SWEPT.get(name, epochs)
    tried, kept = {}, TUNED_AS.get(name, name)
    if not seed and kept == name:
        tried = {rate: trained(rate, swept) for rate in LEARNING_RATES}
        rows = [{"rate": rate, "loss": run.history["val_loss"][-1]}
                for rate, (_, run) in tried.items()]  # fmt: skip
        note = f"{name}: validation loss of seed 0 after {swept} epochs"
        results.record_table(lecture, f"rates-{name}", rows, note)
    rate = min(results.load_table(lecture, f"rates-{kept}"), key=loss)["rate"]
    model, run = tried[rate] if tried and swept == epochs else trained(rate, epochs)
    return model, run, rate


def by_length(hypotheses, references, lengths, bins):
    """Return exact match and BLEU by the length of the source.

    Args:
        hypotheses, references: as for `translation.bleu`.
        lengths: words of each source.
        bins: pairs (fewest, most) of words.

    Returns:
        One row per bin: {"words": "4–8", "sentences": int, "exact_match": float,
        "bleu": float}; the figures of a bin without sentences are None.
    """
    hypotheses, references = translation.compared(hypotheses, references)
    lengths, rows = np.asarray(lengths), []
    for fewest, most in bins:
        inside = np.flatnonzero((fewest <= lengths) & (lengths <= most))
        said, wanted = [hypotheses[k] for k in inside], [references[k] for k in inside]
        row = {"words": f"{fewest}–{most}", "sentences": len(said)}
        row["exact_match"] = translation.exact_match(said, wanted) if said else None
        row["bleu"] = translation.bleu(said, wanted) if said else None
        rows.append(row)
    return rows


def judge(model, pairs, bins=BINS, beams=True):
    """Translate the test part greedily, and with four beams; return what is recorded."""
    split, words = pairs.test, pairs.test.columns["words"]
    references, long = split.columns["references"], words > LONG

    def said(num_beams):
        source, length = split.inputs["source"], OWN["max_length"]
        return translation.translate(
            model, source, pairs.vocabulary, length, num_beams=num_beams
        )

    greedy, next_word = said(1), translation.next_word_accuracy(model, split)
    found = {
        "exact_match": translation.exact_match(greedy, references),
        "bleu": translation.bleu(greedy, references),
        "exact_long": translation.exact_match(np.array(greedy)[long], references[long]),
        "next_word": next_word.mean(),
        "next_word_long": next_word[long].mean(),
    }
    if beams:
        beam = said(4)
        found |= {
            "beam_exact_match": translation.exact_match(beam, references),
            "beam_bleu": translation.bleu(beam, references),
            "beam_changed": np.mean(np.array(greedy) != np.array(beam)),
        }
    for row in by_length(greedy, references, words, bins):
        found |= {f"exact {row['words']}": row["exact_match"]}
        found |= {f"bleu {row['words']}": row["bleu"]}
    return found


def on_pads(model, pairs, most=8):
    """Return what pads do to sentences of up to so many words.

    `alone`: exact match if each length is translated in batches of its own, without any pad.
    `pad_weight`: the share of attention on pads if all stand in one batch with the longest.
    """
    source, words = pairs.test.inputs["source"], pairs.test.columns["words"]
    references, hits = pairs.test.columns["references"], 0
    for length in range(words.min(), most + 1):
        rows = np.flatnonzero(words == length)
        texts = translation.translate(model, source[rows, :length], pairs.vocabulary, 40)
        hits += len(rows) * translation.exact_match(texts, references[rows])
    short = pairs.test.take(np.flatnonzero(words <= most))
    weights = model.alignment(short.inputs["source"], short.inputs["target"])
    on = (ops.convert_to_numpy(weights) * (short.inputs["source"] == 0)[:, None]).sum(axis=-1)
    return {"alone": hits / len(short), "pad_weight": on[short.targets != 0].mean()}


def swaps(source, vocabulary, position):
    """Return a copy of ids in which the word at `position` is another one of its kind.

    Rows whose word there has none of its kind are left as they are.
    """
    source, draw = source.copy(), np.random.default_rng(position)
    for words in ALIKE:
        ids = np.array(vocabulary.encode(words))
        rows = np.flatnonzero(np.isin(source[:, position], ids))
        at = np.searchsorted(np.sort(ids), source[rows, position])
        other = (at + draw.integers(1, len(ids), len(rows))) % len(ids)
        source[rows, position] = np.sort(ids)[other]
    return source


def influence(model, source, target, targets, vocabulary):
    """Return how much each target word's probability changes when a source word is swapped.

    Shapes: source (rows, S), target and targets (rows, T); the result is (rows, T, S), 0 where
    a word has no other of its kind.
    """

    def probability(source):
        inputs = {"source": source, "target": target}
        p = ops.convert_to_numpy(ops.softmax(model.predict(inputs, batch_size=100, verbose=0)))
        return np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]

    before = probability(source)
    moved = [np.abs(probability(swaps(source, vocabulary, position)) - before)
             for position in range(source.shape[1])]  # fmt: skip
    return np.stack(moved, axis=-1)


def aligned(model, pairs, rows=300):
    """Return where correct words attend most, and which source word changes them most."""
    split = pairs.test.take(np.arange(rows))
    source, positions = split.inputs["source"], split.columns["alignment"]
    logits = model.predict(split.inputs, batch_size=100, verbose=0)
    told = (logits.argmax(axis=-1) == split.targets) & (positions >= 0)
    weights = ops.convert_to_numpy(model.alignment(source, split.inputs["target"]))
    vocabulary = pairs.vocabulary["source"]
    moved = influence(model, source, split.inputs["target"], split.targets, vocabulary)
    own = np.take_along_axis(source, np.maximum(positions, 0), axis=1)
    kinds = {"nouns": NOUNS, "adjectives": ADJECTIVES, "articles": ARTICLES}
    found = {}
    for kind, words in kinds.items():
        chosen = told & np.isin(own, vocabulary.encode(words))
        for measure, map_ in (("aligned", weights), ("moved", moved)):
            hits = (map_.argmax(axis=-1) == positions)[chosen]
            found[f"{measure}_{kind}"] = hits.mean()
    return found
