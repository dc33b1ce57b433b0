"""Lab 06b on real text: causal language models of several widths read the same text once."""

import functools

import keras
import numpy as np

from course_utils import models, results
from course_utils.data import imdb
from lectures.lecture_06b import (
    LECTURE,
    language_model,
    next_tokens,
    prediction_loss,
    tokenizers,
)
from lectures.lecture_06b.on_imdb import WarmupStableDecay
from lectures.lecture_06b.pretraining import windows, word_embedding

WIDTHS, LARGEST = (8, 12, 20, 32), 48  # the last one's loss is predicted from the others'
TOKENS, BATCH, STEPS = 64, 32, 800
READ, VALIDATION, TEST = 1_600, 100, 300  # reviews
RATES = (0.005, 0.015, 0.04, 0.1)


def train_sizes(seed):
    """Train and record the models to which the power law is fitted."""
    record_widths("sizes", WIDTHS, seed)


def train_largest(seed):
    """Train and record the model that the power law predicts."""
    record_widths("largest", (LARGEST,), seed)


def record_widths(name, widths, seed):
    """Record test losses by width, each with the learning rate that seed 0 chose for it.

    Seed 0 tries all `RATES` for each width, and records the table of validation losses.
    """
    tokenizer, parts = characters_read_once()
    table = results.load_table(LECTURE, f"rates-{name}") if seed else []
    chosen = {row["width"]: [row["rate"]] for row in table if row["chosen"]}
    found, rows = {}, []
    for width in widths:
        tried = {
            rate: trained(tokenizer, width, rate, parts["train"], seed)
            for rate in chosen.get(width, RATES)
        }
        losses = {rate: loss_on(parts["val"], model) for rate, model in tried.items()}
        best = min(losses, key=losses.get)
        rows += [
            {"width": width, "rate": rate, "loss": loss, "chosen": rate == best}
            for rate, loss in losses.items()
        ]
        found[f"width {width}: parameters"] = without_embedding(tried[best])
        found[f"width {width}: loss"] = loss_on(parts["test"], tried[best])
    if not seed:
        results.record_table(LECTURE, f"rates-{name}", rows, "validation loss of seed 0")
    settings = {"window": TOKENS, "batch_size": BATCH, "steps": STEPS}
    settings |= {f"rate, width {row['width']}": row["rate"] for row in rows if row["chosen"]}
    found |= {"entries": len(tokenizer), "predictions": np.count_nonzero(parts["train"][1])}
    about = {"seed": seed, "settings": settings, "source": "IMDB, no labels"}
    results.record(LECTURE, name, "imdb_texts", found, **about)


@functools.cache
def characters_read_once():
    """The tokenizer; inputs and targets, int32 (windows, tokens): {"train", "val", "test"}.

    The parts hold windows of different reviews of IMDB, cut into characters. A target is the
    next token, and 0 where there is none.
    """
    texts = [str(text).replace("<br />", " ") for text in imdb.read("train")[0]]
    tokenizer = tokenizers.train("characters", texts[:READ])
    cut = np.split(texts[: READ + VALIDATION + TEST], (READ, READ + VALIDATION))
    train, val, test = (windows(tokenizer, part, TOKENS) for part in cut)
    np.random.default_rng(0).shuffle(train)
    parts = {"train": train[: STEPS * BATCH], "val": val, "test": test}
    return tokenizer, {part: next_tokens(rows, 0, None) for part, rows in parts.items()}


def trained(tokenizer, width, learning_rate, train, seed):
    """A causal language model of two blocks that has read the training windows once."""
    keras.utils.set_random_seed(seed)
    shape = {"embed_dim": width, "mlp_dim": 4 * width, "num_heads": 2, "num_layers": 2}
    encoder = models.transformer_encoder(
        len(tokenizer), max_length=TOKENS, causal=True, **shape
    )
    model = language_model(encoder)
    schedule = WarmupStableDecay(learning_rate, STEPS, warmup_steps=STEPS // 10)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), prediction_loss)
    model.fit(*train, batch_size=BATCH, verbose=0)
    return model


def loss_on(part, model):
    """The mean cross-entropy of the next tokens, in nats."""
    return float(model.evaluate(*part, batch_size=256, verbose=0))


def without_embedding(model):
    """Number of parameters without the embedding, which is the output layer, too."""
    return model.count_params() - word_embedding(model).count_params()
