"""Lab 06b on real text: pre-training on IMDB's unlabelled reviews, few labels of SST-2."""

import keras
import numpy as np
from sklearn.linear_model import LogisticRegression

from course_utils import ROOT, models, pretraining, results, schedules, tokenizers, training
from course_utils.data import load_imdb_unlabelled, load_phrases
from course_utils.lectures.lecture_06b import (
    LECTURE,
    REAL_COUNTS,
    balanced_sample,
    sequence_classifier,
)
from course_utils.models.pretrained import save_reviews_encoder

ENCODER = {"vocab_size": 6_000, "embed_dim": 128, "num_heads": 4, "mlp_dim": 256}
ENCODER |= {"num_layers": 4, "max_length": 64}
EPOCHS, EPOCH = (2, 6, 12, 20, 28), 500  # an epoch is so many batches, not the whole corpus
BUDGETS = tuple(EPOCH * epochs for epochs in EPOCHS)
TRAINING = {"batch": 64, "places": 12, "learning_rate": 2e-3, "steps": EPOCH}


def snapshot(steps, seed):
    """Where the encoder's weights lie after so many batches."""
    return ROOT / "build" / LECTURE / f"real_masked-seed{seed}-{steps}.weights.h5"


def pretrain_on_imdb(seed):
    """Pre-train on 64-token windows, keep the weights at each budget: (tokenizer, encoder)."""
    keras.utils.set_random_seed(seed)
    texts = [str(text).replace("<br />", " ") for text in load_imdb_unlabelled()]
    pieces = tokenizers.train("byte_bpe_lower", texts[:12_000], ENCODER["vocab_size"])
    rows = pretraining.windows(pieces, texts, ENCODER["max_length"])
    np.random.default_rng(0).shuffle(rows)
    encoder, how = models.transformer_encoder(**ENCODER), {"count": TRAINING["places"]}
    train = pretraining.PretrainingBatches(
        rows[1_024:], ENCODER["vocab_size"], **how, batch_size=64, seed=seed, steps=EPOCH
    )
    val = pretraining.PretrainingBatches(
        rows[:1_024], ENCODER["vocab_size"], **how, batch_size=128, shuffle=False
    )
    rate = schedules.WarmupStableDecay(TRAINING["learning_rate"], BUDGETS[-1])
    adam = keras.optimizers.AdamW(rate, weight_decay=0.01, beta_2=0.98, clipnorm=1.0)
    model = pretraining.PretrainingModel(encoder, name="real_masked")
    model.compile(adam, pretraining.word_loss())
    snapshot(0, seed).parent.mkdir(parents=True, exist_ok=True)

    def keep(epoch, logs):
        if epoch + 1 in EPOCHS:
            encoder.save_weights(snapshot(EPOCH * (epoch + 1), seed))

    callbacks = [keras.callbacks.LambdaCallback(on_epoch_end=keep)]
    options = {"monitor": "val_loss", "callbacks": callbacks, "source": "IMDB, unlabelled"}
    run = training.fit(model, [train, val], EPOCHS[-1], **options)
    guess = pretraining.unigram_loss(rows[1_024:51_024], val)
    settings = ENCODER | TRAINING | {"epochs": EPOCHS[-1]}
    run.record(LECTURE, "real_masked", "imdb_unlabelled", settings, guess=guess)
    return pieces, encoder


def init_head_by_probe(model, ids, labels):
    """Set a classifier's last layer to a logistic regression on what goes into it.

    A fresh head sends large, aimless gradients through the encoder and spoils what it knew.
    Source: Kumar et al., "Fine-tuning can distort pretrained features" (2022).
    """
    head = model.layers[-1]
    features = keras.Model(model.input, head.input).predict(ids, verbose=0)
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-6
    fitted = LogisticRegression(C=0.01, max_iter=2_000)
    fitted.fit((features - mean) / deviation, labels)
    direction = fitted.coef_[0] / deviation
    offset = fitted.intercept_[0] - direction @ mean
    signs = np.array([-0.5, 0.5])
    head.set_weights([direction[:, None] * signs, offset * signs])


def fine_tune(pieces, steps, few, test, seed):
    """Accuracy with the encoder of a budget (None: untrained): head alone, then all weights."""
    keras.utils.set_random_seed(seed)
    encoder = models.transformer_encoder(**ENCODER)
    if steps:
        encoder.load_weights(snapshot(steps, seed))
    model = sequence_classifier(encoder, 2, pool="mean", dropout=0.0 if steps else 0.1)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(2e-4 if steps else 1e-3), loss, metrics=["accuracy"])
    ids, test_ids = (pieces.encode(part.inputs, ENCODER["max_length"]) for part in (few, test))
    if steps:
        init_head_by_probe(model, ids, few.targets)
    probed = model.evaluate(test_ids, test.targets, 256, verbose=0)[1]
    model.fit(ids, few.targets, batch_size=16, epochs=5 if steps else 15, verbose=0)
    return probed, model.evaluate(test_ids, test.targets, 256, verbose=0)[1]


def record_all(seed):
    """Pre-train, ship the encoder of seed 0, and record SST-2 from scratch and by budget."""
    pieces, encoder = pretrain_on_imdb(seed)
    run = f"{LECTURE}/real_masked-imdb_unlabelled-seed0"
    save_reviews_encoder(encoder, pieces, ENCODER, run)
    phrases = load_phrases()
    whole = phrases.train.take(phrases.train.columns["whole"])
    for steps in (None, *BUDGETS):
        found = {}
        for count in REAL_COUNTS:
            few = whole.take(balanced_sample(whole.targets, count, seed))
            scores = fine_tune(pieces, steps, few, phrases.test, seed)
            kinds = ("probe", "labels") if steps else (None, "labels")
            found |= {f"{k}_{count}": s for k, s in zip(kinds, scores, strict=True) if k}
        name = f"fine_tuned_{steps}" if steps else "scratch"
        results.record(LECTURE, name, "sst2", found, seed=seed, source=phrases.source)
