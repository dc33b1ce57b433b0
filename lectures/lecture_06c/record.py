"""Lab 06c, its recorded experiments: taggers, heads, their rivals, ablations."""

import keras
import numpy as np

from course_utils import results, schedules
from lectures import lecture_06b
from lectures.lecture_06b import pretraining, tokenizers
from lectures.lecture_06b.probes import labelled
from lectures.lecture_06c import (
    ABLATIONS,
    IGNORE,
    LECTURE,
    best_span,
    choice_rows,
    choice_scorer,
    load_choices,
    load_entities,
    load_questions,
    look_up_tags,
    pair_runs,
    question_rows,
    rivals,
    span_answerer,
    span_f1,
    tagged_rows,
    tags_of,
    token_classifier,
    two_block_encoder,
)
from lectures.lecture_06c.pairs import load_sentence_pairs

EPOCHS, RATES = 2, (0.003, 0.01)
TAGGERS = {"embedded": (300, 10), "wnut17": (4_000, 12)}  # vocabulary, epochs


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    if not seed:
        record_linear()
        record_rates()
        record_pairs()
    record_taggers(seed)
    record_heads(seed)
    record_ablations(seed)


def pretrain_on_rows(encoder, rows, vocab_size, epochs, seed):
    """Pre-train an encoder on rows of ids without their answers: masked tokens."""
    model = pretraining.PretrainingModel(encoder)
    batches = pretraining.PretrainingBatches(rows, vocab_size, count=10, seed=seed)
    model.compile(keras.optimizers.Adam(2e-3, clipnorm=1.0), pretraining.word_loss())
    model.fit(batches, epochs=epochs, verbose=0)


def fit(model, ids, targets, epochs):
    """Train a head and its encoder in batches of 32: warm-up, then a cosine down to 0."""
    schedule = schedules.WarmupCosine(1e-3, epochs * len(ids) // 32, 300)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(
        keras.optimizers.Adam(schedule, clipnorm=1.0),
        {"start": loss, "end": loss} if isinstance(targets, dict) else loss,
    )
    model.fit(ids, targets, batch_size=32, epochs=epochs, verbose=0)
    return model


def record_taggers(seed):
    """Record accuracy and span F1 of a tagger, of a look-up table, and of always O."""
    for source, (size, epochs) in TAGGERS.items():
        data = load_entities(source)
        names = data.class_names
        texts = [" ".join(words) for words in data.train.inputs]
        tokenizer = tokenizers.train("wordpiece_cased", texts, size)
        ids, tags = tagged_rows(data.train, tokenizer, 48)
        keras.utils.set_random_seed(seed)
        model = token_classifier(two_block_encoder(tokenizer, 48, dropout=0.1), len(names))
        asked = {"from_logits": True, "ignore_class": IGNORE}
        loss = keras.losses.SparseCategoricalCrossentropy(**asked)
        model.compile(keras.optimizers.Adam(2e-3, clipnorm=1.0), loss)
        model.fit(ids, tags, batch_size=32, epochs=epochs, verbose=0)
        true = [[names[tag] for tag in row] for row in data.test.targets]
        looked_up = look_up_tags(data.train, data.test.inputs)
        answers = {"tagger": tags_of(model, data.test, tokenizer, names)}
        answers["look_up"] = [[names[tag] for tag in row] for row in looked_up]
        metrics = {"always_o": np.mean(np.concatenate(true) == "O")}
        for name, answer in answers.items():
            same = np.concatenate(answer) == np.concatenate(true)
            metrics |= {f"{name}_accuracy": same.mean(), f"{name}_f1": span_f1(true, answer)}
        results.record(LECTURE, "tagger", data.name, metrics, seed=seed, source=data.source)


def record_linear():
    """Record the regressions of `rivals` on the same data."""
    for source in TAGGERS:
        data = load_entities(source)
        true = [[data.class_names[tag] for tag in row] for row in data.test.targets]
        tags = rivals.linear_tags(data)
        same = np.concatenate(tags) == np.concatenate(true)
        keep_linear(
            data.name, {"window: f1": span_f1(true, tags), "window: accuracy": same.mean()}
        )
    record_linear_heads()


def record_linear_heads():
    """Record regressions on questions and choices."""
    data = load_questions()
    found = {"window": rivals.linear_spans(data, asked=False)}
    keep_linear(data.name, found | {"window by question": rivals.linear_spans(data)})
    data = load_choices()
    ways = {"pairs": rivals.pairs_of_words, "adjectives": rivals.adjectives}
    ways |= {"verdicts": rivals.verdicts}
    found = {name: rivals.linear_choices(data, way) for name, way in ways.items()}
    keep_linear(data.name, found)


def keep_linear(dataset, found):
    """Record what regressions reached."""
    settings = {"strengths": rivals.STRENGTHS, "one_seed_because": "nothing in it is random"}
    results.record(LECTURE, "linear", dataset, found, seed=0, settings=settings)


def record_pairs():
    """Record what each arm reaches on pairs of sentences: seed 0 trains all three seeds."""
    data = load_sentence_pairs()
    keep_linear(data.name, pair_runs.linear_pairs(data))
    for name, new_arm in pair_runs.ARMS.items():
        pair_runs.record_pair_arm(LECTURE, name, new_arm, data)


def record_heads(seed):
    """Record spans and choices, from scratch and after pre-training on their own rows.

    From scratch: twice as many epochs with answers, so that all read the questions' rows
    equally often. Of the choices' rows pre-training reads one of the four of each review.
    """
    for first in (0, 6):
        epochs = 12 - first
        keras.utils.set_random_seed(seed)
        data, kind = load_questions(), "pretrained" if first else "scratch"
        texts = [" ".join(row) for part in data.train.inputs.values() for row in part]
        tokenizer = tokenizers.train("wordpiece", texts, 500)
        train, test = [question_rows(part, tokenizer, 80) for part in (data.train, data.test)]
        encoder = two_block_encoder(tokenizer, 80)
        pretrain_on_rows(encoder, train[0], len(tokenizer), first, seed)
        targets = {"start": train[1][:, 0], "end": train[1][:, 1]}
        model = fit(span_answerer(encoder, dropout=0.0), train[0], targets, epochs)
        scores = model.predict(test[0], batch_size=100, verbose=0)
        right = (best_span(scores["start"], scores["end"], test[2]) == test[1]).all(axis=1)
        found = {"exact_match": right.mean()}
        results.record(LECTURE, f"span_{kind}", "questions", found, seed=seed)

        keras.utils.set_random_seed(seed)
        data = load_choices()
        texts = [" ".join(row) for row in data.train.inputs["text"]]
        texts += [" ".join(end) for row in data.train.inputs["endings"] for end in row]
        tokenizer = tokenizers.train("wordpiece", texts, 300)
        train, test = [choice_rows(part, tokenizer, 56) for part in (data.train, data.test)]
        encoder, rows = two_block_encoder(tokenizer, 56), np.arange(len(train))
        pretrain_on_rows(encoder, train[rows, rows % 4], len(tokenizer), first, seed)
        model = choice_scorer(encoder, choices=4, pool="mean", dropout=0.0)
        model = fit(model, train, data.train.targets, epochs)
        chosen = model.predict(test, batch_size=100, verbose=0).argmax(-1)
        found = {"exact_match": (chosen == data.test.targets).mean()}
        results.record(LECTURE, f"choice_{kind}", "choices", found, seed=seed)


def pretrain_arm(few, name, learning_rate, seed):
    """An encoder of `ABLATIONS` after pre-training: its weights, its loss on validation."""
    causal, changes, next_part = ABLATIONS[name]
    keras.utils.set_random_seed(seed)
    encoder = lecture_06b.new_encoder(few.tokenizer, causal, **changes)
    if not next_part:
        make = lecture_06b.next_tokens if causal else lecture_06b.hide_tokens
        losses = lecture_06b.pretrain(few, encoder, make, 0.15, EPOCHS, learning_rate, seed)
        return encoder.get_weights(), losses["val_loss"][-1]
    how, size = {"count": 6, "next_sentence": True}, len(few.tokenizer)
    train = pretraining.PretrainingBatches(few.rows["train"], size, seed=seed, **how)
    val = pretraining.PretrainingBatches(few.rows["val"], size, shuffle=False, **how)
    model = pretraining.PretrainingModel(encoder, True)
    belongs = keras.losses.BinaryCrossentropy(from_logits=True)
    adam = keras.optimizers.Adam(learning_rate, clipnorm=1.0)
    model.compile(adam, {"words": pretraining.word_loss(), "next": belongs})
    losses = model.fit(train, validation_data=val, epochs=EPOCHS, verbose=0).history
    return encoder.get_weights(), losses["val_words_loss"][-1]


def record_rates():
    """Record each arm's loss on validation at the learning rates, and the best one; seed 0."""
    few, rows = lecture_06b.few_reviews(), []
    for name in ABLATIONS:
        losses = {str(rate): pretrain_arm(few, name, rate, 0)[1] for rate in RATES}
        rows.append({"arm": name} | losses | {"best": min(RATES, key=lambda r: losses[str(r)])})
    results.record_table(LECTURE, "ablation-rates", rows, "loss of the words, 2 epochs")


def record_ablations(seed):
    """Record accuracy with 200 labels of each of the `ABLATIONS`.

    The learning rate of pre-training is each arm's own, from `record_rates`; that of
    fine-tuning is chosen on validation.
    """
    few, found = lecture_06b.few_reviews(), {}
    rates = {row["arm"]: row["best"] for row in results.load_table(LECTURE, "ablation-rates")}
    for name, (causal, changes, _) in ABLATIONS.items():
        start, _ = pretrain_arm(few, name, rates[name], seed)
        encoder = lecture_06b.new_encoder(few.tokenizer, causal, **changes)
        found |= labelled(name, lecture_06b.Tuner(few, encoder).best(start, 200, seed))
    settings = {"learning_rates": rates, "epochs": EPOCHS}
    results.record(LECTURE, "ablations", "short_reviews", found, seed=seed, settings=settings)
