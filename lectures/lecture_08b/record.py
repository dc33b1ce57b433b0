"""Lab 08b, its recorded experiments: gates, leaks, recall, phrases.

Every compared arm is trained alike: its learning rate is the best of one grid on validation
with seed 0; then three seeds read the test part once.
"""

from functools import partial

import keras
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from course_utils import data, results, training
from lectures.lecture_06b import pretraining, tokenizers
from lectures.lecture_06b.phrases import load_phrases
from lectures.lecture_06b.shipped import load_encoder
from lectures.lecture_08b import (
    GATES_TRIED,
    LECTURE,
    LENGTH,
    PHRASE_DROPOUT,
    RECALL_ARMS,
    RECALL_MODEL,
    TEXT_MODEL,
    classifier_of_contexts,
    classifier_of_words,
    optimizer,
    plays,
    read_text,
    recall_rows,
    recaller,
    rows_of,
    train_recaller,
    with_and_without_future,
)

SEEDS = range(3)
LEARNING_RATES = (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2)
RECALL_TASKS = ((32, False), (16, True), (32, True))  # names, and whether the pair moves
RECALL_RATES = (2e-3, 4e-3, 8e-3)
PHRASE_MODEL = {"max_length": LENGTH, "embed_dim": 64, "num_layers": 1, "mlp_dim": 256}
PHRASE_RATES = (5e-4, 1e-3, 2e-3, 4e-3)
PHRASE_EPOCHS = 2


def record_all(seed):
    """Train and record what the lab shows as recorded: seed 0 trains all three seeds."""
    if seed:
        return
    record_gates()
    record_leaks()
    record_recall()
    record_word_counts()
    record_phrases()


def tune(name, dataset, train, monitor, rates=LEARNING_RATES):
    """Try the learning rates with seed 0 and record the table; return the rate and the runs.

    train: a function of a learning rate and a seed that returns a model and its `Run`.
    monitor: the validation metric after the last epoch that chooses; a loss should be low.
    Returns the best rate and a list of (seed, model, run), one for each of `SEEDS`.
    """
    tried = {rate: train(rate, 0) for rate in rates}
    reached = {rate: run.history[monitor][-1] for rate, (_, run) in tried.items()}
    best = (min if monitor.endswith("loss") else max)(reached, key=reached.get)
    rows = [{"learning_rate": rate, monitor: value} for rate, value in reached.items()]
    results.record_table(LECTURE, f"rates-{name}-{dataset}", rows, f"{name}, {dataset}, seed 0")
    others = [(seed, *train(best, seed)) for seed in SEEDS if seed]
    return best, [(0, *tried[best]), *others]


def record_gates():
    """Tune gates on tiny Shakespeare; record every seed's loss and perplexity on test rows."""
    text = plays()
    test = rows_of(text, "test")
    for name, settings in GATES_TRIED.items():
        train = partial(read_text, text, settings)
        rate, runs = tune(name, "characters", train, "val_loss")
        for seed, model, run in runs:
            run.seed = seed
            loss = model.evaluate(test, verbose=0)
            found = {"test_loss": loss, "perplexity": float(np.exp(loss))}
            found["unigram_loss"] = pretraining.unigram_loss(text.train, test)
            run.settings = TEXT_MODEL | settings | {"learning_rate": rate}
            run.record(LECTURE, name, "characters", **found)


def record_leaks():
    """Predict next characters with a free and a causal W; record what the future is worth."""
    text = plays()
    for name, causal in (("next_free", False), ("next_causal", True)):
        settings = GATES_TRIED["split"] | {"causal": causal}
        for seed in SEEDS:
            model, run = read_text(text, settings, 4e-3, seed, 500, "causal")
            run.seed = seed
            run.settings = TEXT_MODEL | settings | {"learning_rate": 4e-3}
            found = with_and_without_future(model, text.test)
            found["unigram_loss"] = pretraining.unigram_loss(
                text.train, rows_of(text, "test", "causal")
            )
            run.record(LECTURE, name, "characters", **found)


def record_recall():
    """Tune all arms on recall, and record each seed's accuracy on 4,096 test rows."""
    for names, moves in RECALL_TASKS:
        dataset = f"recall_{names}_{'moves' if moves else 'stays'}"
        test = recall_rows(4_096, names, moves, np.random.default_rng(1_002))
        for name, settings in RECALL_ARMS.items():
            train = partial(_new_recaller, settings, names, moves)
            rate, runs = tune(name, dataset, train, "val_accuracy", RECALL_RATES)
            for seed, model, run in runs:
                run.seed = seed
                right = model.evaluate(*test, batch_size=512, verbose=0)[1]
                run.settings = RECALL_MODEL | settings | {"learning_rate": rate}
                run.record(LECTURE, name, dataset, test_accuracy=right)


def _new_recaller(settings, names, moves, learning_rate, seed):
    keras.utils.set_random_seed(seed)
    model = recaller(names, **settings)
    return model, train_recaller(model, names, moves, learning_rate, seed)


def record_phrases():
    """Tune a gMLP on SST-2, from scratch and on lab 6b's encoder; record test accuracies."""
    phrases, size = load_phrases(), PHRASE_MODEL | {"dropout": PHRASE_DROPOUT}
    for name in ("scratch", "contextual"):
        if name == "scratch":
            tokenizer = tokenizers.train("words", phrases.train.inputs, 14_000)
            encode = partial(tokenizer.encode, length=LENGTH)
            build = partial(classifier_of_words, len(tokenizer), **size)
        else:
            tokenizer, frozen = load_encoder()
            last = keras.Model(frozen.inputs, frozen.outputs[-1])
            encode = partial(contexts, tokenizer, last)
            build = partial(classifier_of_contexts, last.output.shape[-1], **size)
        parts = {
            part: data.Split(encode(split.inputs), split.targets)
            for part, split in (
                (part, phrases.split(part)) for part in ("train", "val", "test")
            )
        }
        train = partial(train_on_phrases, build, parts, phrases.source)
        rate, runs = tune(name, "sst2", train, "val_accuracy", PHRASE_RATES)
        for seed, model, run in runs:
            run.seed = seed
            test = parts["test"]
            right = model.evaluate(test.inputs, test.targets, 218, verbose=0)[1]
            run.settings = size | {"learning_rate": rate}
            run.record(LECTURE, name, "sst2", test_accuracy=right)


def record_word_counts():
    """Record tf-idf of words and word pairs on SST-2, its regression tuned on validation."""
    phrases = load_phrases()
    features = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+")
    train = features.fit_transform(phrases.train.inputs)
    val, test = (features.transform(part.inputs) for part in (phrases.val, phrases.test))
    fitted = [
        LogisticRegression(C=C, max_iter=2_000).fit(train, phrases.train.targets)
        for C in (0.3, 1, 3, 10, 30, 100)
    ]
    best = max(fitted, key=lambda model: model.score(val, phrases.val.targets))
    found = {
        "val_accuracy": best.score(val, phrases.val.targets),
        "test_accuracy": best.score(test, phrases.test.targets),
    }
    how = {"C": best.C, "one_seed_because": "a regression: the seed changes nothing"}
    results.record(LECTURE, "tfidf_pairs", "sst2", found, source=phrases.source, settings=how)


def train_on_phrases(build, parts, source, learning_rate, seed):
    """Train the new classifier `build()`; return it and its `Run`."""
    keras.utils.set_random_seed(seed)
    model = build()
    batches = PHRASE_EPOCHS * -(-len(parts["train"]) // 64)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer(learning_rate, batches, 0.05), loss, metrics=["accuracy"])
    pair = parts["train"], parts["val"]
    return model, training.fit(model, pair, PHRASE_EPOCHS, source=source, resume=False)


def contexts(tokenizer, encoder, texts):
    """Contextual embeddings (texts, 64, channels) of a frozen encoder, 0 at pads."""
    ids = tokenizer.encode(texts, LENGTH)
    states = encoder.predict(ids, batch_size=256, verbose=0)
    return np.where(ids[..., None] > 0, states, 0)
