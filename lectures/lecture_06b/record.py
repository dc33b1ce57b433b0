"""Lab 06b, its recorded experiments: objectives and starts compared on short reviews."""

import keras
import numpy as np

from course_utils import data, models, results
from lectures.lecture_06b import (
    BUDGETS,
    COUNTS,
    LECTURE,
    OBJECTIVES,
    PARTS,
    PRETRAINING_RATES,
    LanguageBatches,
    Tuner,
    add_adapters,
    balanced_sample,
    compare_tokenizers,
    few_reviews,
    freeze,
    new_encoder,
    next_tokens,
    pooled,
    pretrain,
    shipped_reader,
    tokenizers,
)
from lectures.lecture_06b.on_imdb import (
    compare_on_sst2,
    pretrain_on_imdb,
    probe_the_start,
    regression,
)
from lectures.lecture_06b.probes import best_probe, count_words, labelled
from lectures.lecture_06b.sizes import train_largest, train_sizes

DRAWS = 3  # samples of the labels per seed


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    compare_objectives(seed)
    if not seed:  # the encoders are one each; the labels are drawn anew by each seed
        ship_causal_reader()
        ship_masked_reader()
        probe_masked_reader()
        pretrain_on_imdb()
        record_tokenizers()
        record_rules()
        probe_the_start()
    compare_on_sst2(seed)
    train_sizes(seed)
    train_largest(seed)


def ship_causal_reader():
    """Pre-train the causal encoder of four epochs that comes with the course."""
    few = few_reviews()
    keras.utils.set_random_seed(0)
    reader = new_encoder(few.tokenizer, causal=True)
    pretrain(few, reader, next_tokens, 1.0, epochs=4)
    ship("causal_reader", reader.get_weights(), 4)


def ship_masked_reader():
    """Pre-train the masked encoder of sixteen epochs that comes with the course."""
    objective = "masked, 15 %"
    kept, _ = pretrained(few_reviews(), objective, chosen_rate(objective), 0)
    ship("masked_reader", kept[max(BUDGETS)], max(BUDGETS))


def probe_masked_reader():
    """Record logistic regressions on the mean of its last states, for each seed's labels."""
    few = few_reviews()
    encoder = shipped_reader(few.tokenizer, "masked_reader")
    means = keras.Model(encoder.input, pooled(encoder.output[-1], encoder.input, "mean"))
    parts = [means.predict(few.ids[part], batch_size=200, verbose=0) for part in PARTS]
    for seed in range(3):
        found = {}
        for count in COUNTS:
            rows = [balanced_sample(few.labels["train"], count, draw) for draw in draws(seed)]
            scores = [regression(parts, few.labels, some)[0] for some in rows]
            found |= labelled(f"frozen, {count}", np.mean(scores, axis=0))
        settings = {"draws of the labels": DRAWS}
        results.record(LECTURE, "frozen", "short_reviews", found, seed=seed, settings=settings)


def ship(name, weights, epochs):
    """Write an encoder's weights to results/shipped."""
    arrays = {f"{number:02}": weight for number, weight in enumerate(weights)}
    made_by = f"{LECTURE}/objectives-short_reviews-seed0"
    models.save_pretrained(name, arrays, made_by, epochs=epochs)


def record_tokenizers():
    """Record how every kind of tokenizer, trained on 3,800 reviews of IMDB, splits others."""
    imdb, rows = data.load_imdb("text"), []
    for kind, label in tokenizers.KINDS.items():
        for size in (1_000, 8_000)[: 1 if kind == "characters" else 2]:
            one = tokenizers.train(kind, imdb.train.inputs[:3_800], size)
            rows += compare_tokenizers({label: one}, imdb.val.inputs[:1_900])
    results.record_table(LECTURE, "tokenizers-imdb", rows)


def record_rules():
    """Record BPE's tokens a word on IMDB, of bytes or characters, split by either rule."""
    imdb, rows = data.load_imdb("text"), []
    for of_bytes in (False, True):
        for rule in tokenizers.RULES:
            row = {"tokens of": "bytes" if of_bytes else "characters", "split by": rule}
            for size in (1_000, 8_000):
                one = tokenizers.byte_pairs(of_bytes, rule, imdb.train.inputs[:3_800], size)
                [found] = compare_tokenizers({rule: one}, imdb.val.inputs[:1_900])
                row[f"{size:,} entries"] = found["tokens a word"]
            rows.append(row)
    results.record_table(LECTURE, "bpe-rules", rows, "tokens a word on 1,900 reviews of IMDB")


class Keep(keras.callbacks.Callback):
    """Keeps an encoder's weights after the epochs of `BUDGETS`."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.kept = encoder, {}

    def on_epoch_end(self, epoch, logs=None):
        if epoch + 1 in BUDGETS:
            self.kept[epoch + 1] = self.encoder.get_weights()


def draws(seed):
    """The seeds of the samples of labels over which a seed's figures are averaged."""
    return range(DRAWS * seed, DRAWS * (seed + 1))


def pretrained(few, name, learning_rate, seed):
    """Pre-train a new encoder: its weights after each of `BUDGETS`, its losses by epoch."""
    make, share = OBJECTIVES[name]
    keras.utils.set_random_seed(seed)
    encoder = new_encoder(few.tokenizer, make is next_tokens)
    keep = Keep(encoder)
    how = {"learning_rate": learning_rate, "seed": seed, "callbacks": [keep]}
    history = pretrain(few, encoder, make, share, max(BUDGETS), **how)
    return keep.kept, history["val_loss"]


def chosen_rate(objective):
    """The learning rate of pre-training that `compare_objectives` chose."""
    table = results.load_table(LECTURE, "rates-pretraining")
    return next(r["rate"] for r in table if r["chosen"] and r["objective"] == objective)


def compare_objectives(seed):
    """Record accuracy with 200 labels after each budget of each objective; then few labels.

    Seed 0 tries every learning rate of pre-training, takes for each objective the one of the
    lowest validation loss, and records the table; the other seeds take the same. The learning
    rate of fine-tuning is chosen on validation for each start, seed and draw of the labels.
    """
    few, found, losses, last, rows = few_reviews(), {}, {}, {}, []
    keras.utils.set_random_seed(seed)
    tuners = {
        causal: Tuner(few, new_encoder(few.tokenizer, causal), seed=seed) for causal in (0, 1)
    }
    table = results.load_table(LECTURE, "rates-pretraining") if seed else []
    chosen = {row["objective"]: [row["rate"]] for row in table if row["chosen"]}
    for name, (make, share) in OBJECTIVES.items():
        tried = {
            rate: pretrained(few, name, rate, seed)
            for rate in chosen.get(name, PRETRAINING_RATES)
        }
        final = {rate: history[-1] for rate, (_, history) in tried.items()}
        best = min(final, key=final.get)
        rows += [
            {"objective": name, "rate": rate, "loss": loss, "chosen": rate == best}
            for rate, loss in final.items()
        ]
        kept, losses[name] = tried[best]
        last[name] = kept[max(BUDGETS)]
        batches = LanguageBatches(few.rows["train"], len(few.tokenizer), make, share)
        found[f"{name}: predictions"] = batches.predictions()
        for budget, start in kept.items():
            tuner = tuners[make is next_tokens]
            scores = [tuner.best(start, 200, draw) for draw in draws(seed)]
            found |= labelled(f"{name}, {budget}", np.mean(scores, axis=0))
    if not seed:
        note = f"validation loss of seed 0 after {max(BUDGETS)} epochs of pre-training"
        results.record_table(LECTURE, "rates-pretraining", rows, note)
    settings = {f"rate, {row['objective']}": row["rate"] for row in rows if row["chosen"]}
    settings |= {"draws of the labels": DRAWS}
    how = {"history": losses, "seed": seed, "settings": settings}
    results.record(LECTURE, "objectives", "short_reviews", found, **how)
    compare_starts(few, tuners, last, seed, settings)


def compare_starts(few, tuners, starts, seed, settings):
    """Record ways to use few labels, each tuned on validation, on the same labels."""
    masked, causal = starts["masked, 15 %"], starts["causal, all positions"]
    arms = {"from scratch": (tuners[0], None), "masked": (tuners[0], masked)}
    arms["causal"] = tuners[1], causal
    for how, adapt in (("low rank", add_adapters), ("head alone", freeze)):
        arms[how] = Tuner(few, new_encoder(few.tokenizer), adapt, seed=seed), masked
    found, words = {}, count_words(few.texts["unlabelled"])
    held_out = [part[name] for name in PARTS[1:] for part in (few.texts, few.labels)]
    words["tfidf of words"] = words["tfidf"][:1]

    def counted(ways, count, draw):
        rows = balanced_sample(few.labels["train"], count, draw)
        texts = [few.texts["train"][row] for row in rows]
        return best_probe(ways, texts, few.labels["train"][rows], *held_out)

    for count in COUNTS:
        for name, (tuner, start) in arms.items():
            scores = [tuner.best(start, count, draw) for draw in draws(seed)]
            found |= labelled(f"{name}, {count}", np.mean(scores, axis=0))
        for name, ways in words.items():
            scores = [counted(ways, count, draw) for draw in draws(seed)]
            found |= labelled(f"{name}, {count}", np.mean(scores, axis=0))
    for name, (tuner, _) in arms.items():
        trained = sum(int(np.prod(v.shape)) for v in tuner.model.trainable_variables)
        found[f"{name}: trained weights"] = trained
    results.record(LECTURE, "few_labels", "short_reviews", found, seed=seed, settings=settings)
