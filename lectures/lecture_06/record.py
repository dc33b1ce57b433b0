"""What the full profile of lecture 06 records.

Translators, also with a leak or without a part, readers, and gradients.
"""

from functools import partial

import keras
import numpy as np
from keras import ops

from course_utils import data, models, results, schedules, training
from lectures.lecture_05 import judge, translation, tune
from lectures.lecture_05.pairs import load_pairs
from lectures.lecture_05b import REAL_BINS
from lectures.lecture_06 import (
    LECTURE,
    READERS,
    REAL,
    REAL_PAIRS,
    REAL_TRAINING,
    TRANSLATOR,
    LeakyTransformer,
    NoPositionsTransformer,
    NoResidualsTransformer,
    UnscaledTransformer,
    compile_translator,
    gradient_norms,
    review_reader,
    sharpness,
    translator,
)

KINDS = {
    "one_head": models.Transformer,
    "one_head_no_scale": UnscaledTransformer,
    "one_head_no_positions": NoPositionsTransformer,
    "one_head_no_residuals": NoResidualsTransformer,
}
SMALL = {"words": 8, "epochs": 4}
SMALL_RATES, SMALL_SEEDS = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.016), (0, 1, 2)


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    record_scale()
    tune_and_record(seed)
    train_leak(seed)
    if not seed:
        for name in KINDS:
            train_small(name)
    record_gradients(seed)
    train_on_pairs(seed)
    for dataset, masked in (("reviews", True), ("imdb", True), ("imdb", False)):
        train_reader(dataset, masked, seed)


def record_gradients(seed):
    """Record the first gradients of new stacks, by wiring and depth."""
    reviews, rows = data.load_reviews(), []
    for wiring in ("no residual", "residual", "pre-norm", "post-norm"):
        found = {}
        for depth in (2, 6, 12, 24):
            keras.utils.set_random_seed(seed)
            some = reviews.train.inputs[:64]
            found[depth] = gradient_norms(len(reviews.vocabulary), some, depth, wiring)
        for name in found[2]:
            norms = {f"{depth} blocks": found[depth][name] for depth in found}
            rows.append({"wiring": wiring, "gradient of": name, **norms})
    note = "norm of the first gradient of a fresh stack, d 64, 64 reviews, next word"
    results.record_table(LECTURE, f"norm-gradients-{seed}", rows, note)


def tune_and_record(seed):
    """Train the translator on the own pairs by lecture 5's protocol, and record it.

    The test part is read once.
    """
    pairs, settings = load_pairs(), TRANSLATOR | {"epochs": 12}
    build = partial(translator, pairs, TRANSLATOR)
    model, run, _ = tune("transformer", build, pairs, settings, seed, LECTURE)
    run.record(LECTURE, "transformer", pairs.name, **judge(model, pairs, beams=False))
    if seed:
        return
    arrays = {f"{k:03}": array.astype("float16") for k, array in enumerate(model.get_weights())}
    made_by = f"{LECTURE}/transformer-{pairs.name}-seed0"
    models.save_pretrained("translator_transformer", arrays, made_by, **run.settings)


def train_leak(seed):
    """Train with the leak on the pairs of at most 13 words; record loss and exact match.

    Both are of 200 validation sentences. All batches have one shape, which compiles once.
    """
    epochs, longest = 2, 13

    def short(part):
        part = part.take(part.columns["words"] <= longest)
        ids = [part.inputs["source"][:, :longest], part.inputs["target"], part.targets]
        width = (ids[2] > 0).sum(axis=1).max()
        return {"source": ids[0], "target": ids[1][:, :width]}, ids[2][:, :width]

    pairs = load_pairs()
    inputs, targets = short(pairs.train)
    keras.utils.set_random_seed(seed)
    model = translator(pairs, TRANSLATOR, LeakyTransformer)
    compile_translator(model, 0.008, epochs * -(-len(targets) // 64))
    model.fit(inputs, targets, batch_size=64, epochs=epochs, verbose=2)
    val = pairs.val.take(pairs.val.columns["words"] <= longest).take(slice(200))
    loss = model.evaluate(val.inputs, val.targets, batch_size=200, verbose=0)
    said = translation.translate(model, val.inputs["source"], pairs.vocabulary, 30)
    found = {"loss": float(loss)}
    found["exact_match"] = translation.exact_match(said, val.columns["target_text"])
    settings = TRANSLATOR | {"epochs": epochs, "learning_rate": 0.008, "words": longest}
    results.record(LECTURE, "leak", pairs.name, found, seed=seed, settings=settings)


def shortest(part):
    """The pairs with sources of at most 8 words, without columns that are all pads.

    All batches have one shape, which compiles once.
    """
    part = part.take(part.columns["words"] <= SMALL["words"])
    source, target = part.inputs["source"][:, : SMALL["words"]], part.inputs["target"]
    width = (part.targets > 0).sum(axis=1).max()
    inputs = {"source": source, "target": target[:, :width]}
    return part, inputs, part.targets[:, :width]


def train_small(name):
    """Train translators of one block and one head on short sentences; record exact match.

    The first seed tries every learning rate; all take that of the lowest validation loss. They
    share one compiled model, whose weights and optimizer begin again each time.
    """
    kind = KINDS[name]
    pairs, epochs = load_pairs(), SMALL["epochs"]
    sizes = TRANSLATOR | {"num_layers": 1, "num_heads": 1}
    (_, inputs, targets), (_, *val), (test, asked, _) = map(
        shortest, (pairs.train, pairs.val, pairs.test)
    )
    model = translator(pairs, sizes, kind)
    model.build()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    model.compile(keras.optimizers.Adam(clipnorm=1.0), loss)

    def trained(rate, seed):
        keras.utils.set_random_seed(seed)
        new = translator(pairs, sizes, kind)
        new.build()
        model.set_weights(new.get_weights())
        for variable in model.optimizer.variables:
            variable.assign(ops.zeros(variable.shape, variable.dtype))
        model.optimizer.learning_rate = rate
        falls = keras.callbacks.LearningRateScheduler(lambda epoch: rate * (1 - epoch / epochs))
        how = {"batch_size": 64, "epochs": epochs, "verbose": 2, "callbacks": [falls]}
        model.fit(inputs, targets, **how)
        return float(model.evaluate(*val, batch_size=len(val[1]), verbose=0))

    def record_run(rate, seed, loss):
        said = translation.translate(model, asked["source"], pairs.vocabulary, 16)
        found = {"val_loss": loss}
        found["exact_match"] = translation.exact_match(said, test.columns["references"])
        settings = sizes | SMALL | {"learning_rate": rate}
        results.record(LECTURE, name, pairs.name, found, seed=seed, settings=settings)

    losses = {rate: trained(rate, SMALL_SEEDS[0]) for rate in SMALL_RATES}
    rows = [{"rate": rate, "loss": loss} for rate, loss in losses.items()]
    note = f"{name}: validation loss of seed 0 after {epochs} epochs"
    results.record_table(LECTURE, f"rates-{name}", rows, note)
    rate = min(losses, key=losses.get)
    for seed in SMALL_SEEDS:
        record_run(rate, seed, trained(rate, seed))


def train_on_pairs(seed):
    """Train and record a translator on real pairs; the test set is read once, at the end."""
    count = REAL_PAIRS["vocab_size"]
    sizes = {"source_vocab_size": count, "target_vocab_size": count}
    real = load_pairs("french", **sizes, max_pairs=REAL_PAIRS["pairs"])
    keras.utils.set_random_seed(seed)
    model = translator(real, REAL)
    model.build()
    model.to_words.bias.assign(translation.log_frequencies(real.train.targets, count))
    parts, same = (real.train, real.val), ("target", "targets")
    batches = [data.length_buckets(part, 64, same_steps=same) for part in parts]
    rate, warmup_steps, epochs, _ = REAL_TRAINING.values()
    compile_translator(model, rate, epochs * len(batches[0]), warmup_steps)
    how = {"source": real.source, "settings": REAL | REAL_TRAINING | REAL_PAIRS}
    run = training.fit(model, batches, epochs, monitor="val_loss", **how)
    run.record(LECTURE, None, real.name, **judge(model, real, REAL_BINS, beams=False))


def train_reader(dataset, masked, seed):
    """Train an encoder on "reviews" or "imdb", read the test set once, and record."""
    shape, how = READERS[dataset]
    if dataset == "imdb":
        reviews = data.load_imdb("ids", how["vocab_size"], how["texts"])
        vocab_size = how["vocab_size"]
    else:
        reviews = data.load_reviews()
        vocab_size = len(reviews.vocabulary)
    train, val = [data.length_buckets(part, 64) for part in (reviews.train, reviews.val)]
    keras.utils.set_random_seed(seed)
    model = review_reader(vocab_size, **shape, masked=masked)
    epochs = how["epochs"]
    rising = schedules.WarmupCosine(how["learning_rate"], epochs * len(train), how["warm-up"])
    optimizer = keras.optimizers.Adam(rising, beta_2=0.98, clipnorm=1.0)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    patience = epochs if dataset == "imdb" else None
    about = {"source": reviews.source, "settings": shape | how}
    run = training.fit(model, (train, val), epochs, patience=patience, **about)
    praise = model.predict(reviews.test.inputs, batch_size=500, verbose=0)[:, 0] > 0.5
    correct = praise == reviews.test.targets
    found = {"test_accuracy": float(correct.mean())}
    for kind in np.unique((reviews.test.columns or {}).get("phenomenon", [])):
        found[kind] = float(correct[reviews.test.columns["phenomenon"] == kind].mean())
    run.record(LECTURE, dataset=dataset, **found)


def record_scale():
    """Record what the division by √d_k does, in numbers, for each width of a head."""
    rows = []
    for d in (4, 8, 16, 32, 64, 128, 256, 512):
        for name, scaled in (("without", False), ("with", True)):
            entropy, gradient = sharpness(d, scaled, draws=1_000)
            row = {"d_k": d, "scale": name, "entropy": entropy.mean()}
            rows.append(row | {"median gradient": np.median(gradient)})
    results.record_table(LECTURE, "softmax-scale", rows, "32 random keys, 1,000 draws")
