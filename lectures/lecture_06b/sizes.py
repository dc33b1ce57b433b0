"""Lab 06b on real text: causal language models of several widths read the same tokens once."""

import keras
import numpy as np

from course_utils import models, results
from lectures.lecture_06b import LECTURE, language_model, prediction_loss, tokenizers
from lectures.lecture_06b.on_imdb import WarmupStableDecay, corpus
from lectures.lecture_06b.pretraining import windows, word_embedding

WIDTHS, LARGEST = (8, 16, 24, 40), 64  # the last one's loss is predicted from the others'
ENTRIES, TOKENS, BATCH, STEPS = 512, 64, 32, 600
READ, KEPT = 4_000, 800  # reviews to train on; others to choose on, and to test on
RATES = (0.005, 0.015, 0.05, 0.15)


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
    parts, found, rows = reviews_in_windows(), {}, []
    table = results.load_table(LECTURE, f"rates-{name}") if seed else []
    chosen = {row["width"]: [row["rate"]] for row in table if row["chosen"]}
    for width in widths:
        tried = {rate: trained(width, rate, parts, seed) for rate in chosen.get(width, RATES)}
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
    settings = {"entries": ENTRIES, "window": TOKENS, "batch_size": BATCH, "steps": STEPS}
    settings |= {f"rate, width {row['width']}": row["rate"] for row in rows if row["chosen"]}
    settings["predictions"] = int(np.count_nonzero(parts["train"][1]))
    about = {"seed": seed, "settings": settings, "source": "IMDB, no labels"}
    results.record(LECTURE, name, "imdb_texts", found, **about)


def reviews_in_windows():
    """Inputs and targets, int32 (windows, tokens) each: {"train", "val", "test"}.

    The parts hold windows of different reviews. A target is the next token; 0 is not asked.
    """
    texts = corpus()[: READ + KEPT]
    pieces = tokenizers.train("byte_bpe_lower", texts[:READ], ENTRIES)
    train, others = (windows(pieces, some, TOKENS) for some in (texts[:READ], texts[READ:]))
    np.random.default_rng(0).shuffle(train)
    parts = {"train": train[: STEPS * BATCH], "val": others[:1_024], "test": others[-4_096:]}
    return {part: (ids, np.pad(ids[:, 1:], ((0, 0), (0, 1)))) for part, ids in parts.items()}


def trained(width, learning_rate, parts, seed):
    """A causal language model of two blocks that has read the training windows once."""
    keras.utils.set_random_seed(seed)
    shape = {"embed_dim": width, "mlp_dim": 4 * width, "num_heads": 2, "num_layers": 2}
    model = language_model(
        models.transformer_encoder(ENTRIES, max_length=TOKENS, causal=True, **shape)
    )
    schedule = WarmupStableDecay(learning_rate, STEPS, warmup_steps=STEPS // 10)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), prediction_loss)
    model.fit(*parts["train"], batch_size=BATCH, verbose=0)
    return model


def loss_on(part, model):
    """The mean cross-entropy of the next tokens, in nats."""
    return float(model.evaluate(*part, batch_size=256, verbose=0))


def without_embedding(model):
    """Number of parameters without the embedding, which is the output layer, too."""
    return model.count_params() - word_embedding(model).count_params()
