"""What the full profile of lecture 06 records.

Translators, also with a leak or without a part, a rival, readers, and gradients.
"""

from functools import partial

import keras
import numpy as np
from keras import layers, ops

from course_utils import data, models, results, schedules, training
from lectures.lecture_05 import BINS, by_length, judge, translation, tune
from lectures.lecture_05.pairs import decode_sentence, load_pairs
from lectures.lecture_05b import REAL_BINS
from lectures.lecture_06 import (
    LECTURE,
    READERS,
    REAL,
    REAL_PAIRS,
    REAL_TRAINING,
    TRANSLATOR,
    LeakyTransformer,
    compile_translator,
    gradient_norms,
    review_reader,
    sharpness,
    translator,
    without,
)

SHORT = {"leak": LeakyTransformer, "sound": models.Transformer}
SMALL = {  # translators of one block: what is left out, and how many heads there are
    "small": (models.Transformer, 4),
    "small_no_scale": (without("√d_k"), 4),
    "one_head": (models.Transformer, 1),
    "one_head_no_scale": (without("√d_k"), 1),
    "no_positions": (without("positions"), 4),
    "no_residual": (without("residual"), 4),
    "no_norm": (without("norm"), 4),
}
SMALL_RATES = (0.002, 0.004, 0.008)
WINDOW_RATES = (0.003, 0.01, 0.03)


def record_all(seed):
    """Train and record what the lecture shows as recorded."""
    record_scale()
    tune_and_record(seed)
    for name in SHORT:
        train_short(name, seed)
    for name in SMALL:
        train_small(name, seed)
    train_window(seed)
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


def short(part, longest):
    """The pairs with sources of at most so many words, without columns that are all pads.

    All batches have one shape, which compiles once.
    """
    part = part.take(part.columns["words"] <= longest)
    ids = [part.inputs["source"][:, :longest], part.inputs["target"], part.targets]
    width = (ids[2] > 0).sum(axis=1).max()
    return {"source": ids[0], "target": ids[1][:, :width]}, ids[2][:, :width]


def train_short(name, seed):
    """Train a kind of `SHORT` on the pairs of at most 13 words; record loss and exact match.

    Both are of 200 validation sentences.
    """
    epochs, longest = 2, 13
    pairs = load_pairs()
    inputs, targets = short(pairs.train, longest)
    keras.utils.set_random_seed(seed)
    model = translator(pairs, TRANSLATOR, SHORT[name])
    compile_translator(model, 0.008, epochs * -(-len(targets) // 64))
    model.fit(inputs, targets, batch_size=64, epochs=epochs, verbose=2)
    val = pairs.val.take(pairs.val.columns["words"] <= longest).take(slice(200))
    loss = model.evaluate(val.inputs, val.targets, batch_size=200, verbose=0)
    said = translation.translate(model, val.inputs["source"], pairs.vocabulary, 30)
    found = {"loss": float(loss)}
    found["exact_match"] = translation.exact_match(said, val.columns["target_text"])
    settings = TRANSLATOR | {"epochs": epochs, "learning_rate": 0.008, "words": longest}
    results.record(LECTURE, name, pairs.name, found, seed=seed, settings=settings)


def train_small(name, seed):
    """Train a translator of one block without a part; record exact match on short sentences.

    Seed 0 tries every learning rate, and takes that of the lowest validation loss.
    """
    kind, heads = SMALL[name]
    epochs, longest = 4, 13
    pairs = load_pairs()
    inputs, targets = short(pairs.train, longest)
    val = short(pairs.val, longest)
    sizes = TRANSLATOR | {"num_layers": 1, "num_heads": heads}
    rates, tried = SMALL_RATES, {}
    if seed:
        rows = results.load_table(LECTURE, f"rates-{name}")
        rates = [min(rows, key=lambda row: row["loss"])["rate"]]
    for rate in rates:
        keras.utils.set_random_seed(seed)
        model = translator(pairs, sizes, kind)
        compile_translator(model, rate, epochs * -(-len(targets) // 64))
        model.fit(inputs, targets, batch_size=64, epochs=epochs, verbose=2)
        tried[rate] = float(model.evaluate(*val, batch_size=121, verbose=0)), model
    if not seed:
        rows = [{"rate": rate, "loss": loss} for rate, (loss, _) in tried.items()]
        note = f"{name}: validation loss of seed 0 after {epochs} epochs"
        results.record_table(LECTURE, f"rates-{name}", rows, note)
    rate = min(tried, key=lambda one: tried[one][0])
    loss, model = tried[rate]
    test = pairs.test.take(pairs.test.columns["words"] <= longest)
    said = translation.translate(model, test.inputs["source"], pairs.vocabulary, 30)
    found = {"val_loss": loss}
    found["exact_match"] = translation.exact_match(said, test.columns["references"])
    settings = sizes | {"epochs": epochs, "learning_rate": rate, "words": longest}
    results.record(LECTURE, name, pairs.name, found, seed=seed, settings=settings)


def window(source, target, vocabulary):
    """What the rival reads to predict the word after each target token: int (rows, T, 15).

    Numbers of a table's rows: the nine source words around the token's own place, the last
    three target words, and the last target word paired with the one before it and with two
    source words.
    """
    words = [len(vocabulary[side]) for side in ("source", "target")]
    rows, T = target.shape
    padded = np.pad(source, [(0, 0), (4, T + 5)])
    around = [padded[:, place : place + T] for place in range(9)]
    before = np.pad(target, [(0, 0), (2, 0)])
    last = [before[:, 2 - back : 2 - back + T] for back in range(3)]
    pairs = [last[0] * words[1] + last[1], *(last[0] * words[0] + around[k] for k in (4, 5))]
    columns = [(one, words[0]) for one in around] + [(one, words[1]) for one in last]
    columns += [(pairs[0], words[1] ** 2), *((one, words[1] * words[0]) for one in pairs[1:])]
    starts = np.cumsum([0] + [size for _, size in columns])
    found = [one + start for (one, _), start in zip(columns, starts, strict=False)]
    return np.stack(found, axis=-1), int(starts[-1])


def train_window(seed):
    """Train and record the rival: a linear classifier of a window, which writes word by word.

    Seed 0 tries every learning rate, and takes that of the lowest validation loss.
    """
    pairs, epochs = load_pairs(), 4
    words, parts = len(pairs.vocabulary["target"]), []
    for part in (pairs.train, pairs.val):
        rows, size = window(part.inputs["source"], part.inputs["target"], pairs.vocabulary)
        real = part.targets > 0
        parts.append((rows[real], part.targets[real]))
    (x, y), val = parts
    rates, tried = WINDOW_RATES, {}
    if seed:
        table = results.load_table(LECTURE, "rates-window")
        rates = [min(table, key=lambda row: row["loss"])["rate"]]
    for rate in rates:
        keras.utils.set_random_seed(seed)
        ids = keras.Input((x.shape[1],), dtype="int32")
        logits = layers.Embedding(size, words, embeddings_initializer="zeros")(ids)
        model = keras.Model(ids, ops.sum(logits, axis=1), name="window")
        schedule = schedules.WarmupCosine(rate, epochs * -(-len(y) // 512))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(schedule), loss)
        model.fit(x, y, batch_size=512, epochs=epochs, verbose=2)
        tried[rate] = float(model.evaluate(*val, batch_size=512, verbose=0)), model
    if not seed:
        table = [{"rate": rate, "loss": loss} for rate, (loss, _) in tried.items()]
        note = f"window: validation loss of seed 0 after {epochs} epochs"
        results.record_table(LECTURE, "rates-window", table, note)
    rate = min(tried, key=lambda one: tried[one][0])
    loss, model = tried[rate]
    table, test = model.get_weights()[0], pairs.test
    written = np.full((len(test.targets), 1), data.START, "int32")
    for _ in range(40):
        rows, _ = window(test.inputs["source"], written, pairs.vocabulary)
        best = table[rows[:, -1]].sum(axis=1).argmax(axis=-1)
        written = np.concatenate([written, best[:, None]], axis=1)
    said = [decode_sentence(row, pairs.vocabulary["target"]) for row in written[:, 1:]]
    references, lengths = test.columns["references"], test.columns["words"]
    found = {"val_loss": loss, "exact_match": translation.exact_match(said, references)}
    for row in by_length(said, references, lengths, BINS):
        found[f"exact {row['words']}"] = row["exact_match"]
    settings = {"epochs": epochs, "learning_rate": rate}
    results.record(LECTURE, "window", pairs.name, found, seed=seed, settings=settings)


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
