"""What the full profile of lab 06d records: one change of the decoder at a time."""

import keras
import numpy as np

from course_utils import results
from lectures.lecture_06d import (
    ARMS,
    LEARNING_RATES,
    LECTURE,
    LONG,
    OLD,
    PARTS,
    SHAPE,
    WIDTH,
    CachedAttention,
    count_words,
    counted_losses,
    perplexity,
    review_rows,
    token_losses,
    train_decoder,
)

STRENGTHS = (0.25, 1, 4, 16, 64)
LONGEST = 10  # words of an n-gram
LONGER = 600  # batches, three times those of the ablation


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    record_ablation(seed)
    record_positions(seed)
    record_longer(seed)
    if not seed:
        record_counting()


def record_ablation(seed):
    """Train every arm with the same tokens; record its test perplexity.

    Seed 0 tries every learning rate and takes the best on the validation part; the other seeds
    take the same.
    """
    vocabulary, rows = review_rows()
    found, chosen, batches = {}, {}, 200
    if seed:
        table = results.load_table(LECTURE, "rates")
        chosen = {row["arm"]: [row["rate"]] for row in table}
    for arm, difference in ARMS.items():
        tried = {}
        for rate in chosen.get(arm, LEARNING_RATES):
            keras.utils.set_random_seed(seed)
            tried[rate] = train_decoder(vocabulary, rows, OLD | difference, rate, batches)
            found[f"{arm}, {rate}: validation"] = tried[rate][1]
        rate = min(tried, key=lambda rate: tried[rate][1])
        model = tried[rate][0]
        found[f"{arm}: test"] = perplexity(model, rows["test"])
        found[f"{arm}: parameters"] = model.count_params()
        chosen[arm] = [rate]
    if not seed:
        best = [{"arm": arm, "rate": rates[0]} for arm, rates in chosen.items()]
        results.record_table(LECTURE, "rates", best, "best on the validation part, seed 0")
    settings = SHAPE | {"batches": batches, "batch": 32, "tokens": WIDTH}
    results.record(LECTURE, "ablation", "reviews", found, seed=seed, settings=settings)


def unrotated(embed_dim, num_heads, num_kv_heads, rope):
    """Attention that learns nothing of positions but what the causal mask tells."""
    return CachedAttention(embed_dim, num_heads, num_kv_heads, rope=False)


TOLD = {  # how a decoder is told positions: what differs from the base, and its attention
    "no positions": ({"rope": True}, {"attention": unrotated}),
    "waves": ({}, {}),
    "rotary": ({"rope": True}, {}),
}


def by_position(arm, losses):
    """Perplexities of the parts of long rows."""
    return {
        f"{arm}, {first}–{last}: test": float(np.exp(losses[:, first - 1 : last].mean()))
        for first, last in PARTS
    }


def long_rows(rows):
    """The test part again, cut into rows of LONG + 1 tokens."""
    ids = rows["test"].ravel()
    return ids[: len(ids) // (LONG + 1) * (LONG + 1)].reshape(-1, LONG + 1)


def record_positions(seed):
    """Train decoders that differ in their positions; record what they know by position.

    Waves and rotary positions take the ablation's learning rate; without positions seed 0 tries
    the same grid.
    """
    vocabulary, rows = review_rows()
    rates = {row["arm"]: [row["rate"]] for row in results.load_table(LECTURE, "rates")}
    grids = {"waves": rates["2018"], "rotary": rates["rotary positions"]}
    if seed:
        [row] = results.load_table(LECTURE, "rate-without-positions")
        grids["no positions"] = [row["rate"]]
    found, batches = {}, 200
    for arm, (difference, more) in TOLD.items():
        tried = {}
        for rate in grids.get(arm, LEARNING_RATES):
            keras.utils.set_random_seed(seed)
            wiring = OLD | difference
            tried[rate] = train_decoder(vocabulary, rows, wiring, rate, batches, **more)
            found[f"{arm}, {rate}: validation"] = tried[rate][1]
        rate = min(tried, key=lambda rate: tried[rate][1])
        model = tried[rate][0]
        found[f"{arm}: test"] = perplexity(model, rows["test"])
        found |= by_position(arm, token_losses(model, long_rows(rows)))
        if arm not in grids:
            best = [{"arm": arm, "rate": rate}]
            note = "best on the validation part, seed 0"
            results.record_table(LECTURE, "rate-without-positions", best, note)
    settings = SHAPE | {"batches": batches, "batch": 32, "tokens": WIDTH, "long": LONG}
    results.record(LECTURE, "positions", "reviews", found, seed=seed, settings=settings)


def record_longer(seed):
    """Train the same three on more batches, at the learning rates chosen for fewer."""
    vocabulary, rows = review_rows()
    rates = {row["arm"]: row["rate"] for row in results.load_table(LECTURE, "rates")}
    [row] = results.load_table(LECTURE, "rate-without-positions")
    chosen = (row["rate"], rates["2018"], rates["rotary positions"])
    found = {}
    for (arm, (difference, more)), rate in zip(TOLD.items(), chosen, strict=True):
        keras.utils.set_random_seed(seed)
        wiring = OLD | difference
        model, reached = train_decoder(vocabulary, rows, wiring, rate, LONGER, **more)
        found[f"{arm}, {rate}: validation"] = reached
        found[f"{arm}: test"] = perplexity(model, rows["test"])
        found |= by_position(arm, token_losses(model, long_rows(rows)))
    settings = SHAPE | {"batches": LONGER, "batch": 32, "tokens": WIDTH, "long": LONG}
    results.record(LECTURE, "longer", "reviews", found, seed=seed, settings=settings)


def record_counting():
    """Record n-grams, their length and smoothing chosen on the validation part."""
    vocabulary, rows = review_rows()
    counts, symbols = count_words(rows["train"], LONGEST), len(vocabulary)

    def losses(rows, words, strength):
        return counted_losses(counts[:words], rows, symbols, strength)

    tried = {
        (words, strength): losses(rows["val"], words, strength).mean()
        for words in range(1, LONGEST + 1)
        for strength in STRENGTHS
    }
    words, strength = best = min(tried, key=tried.get)
    found = {
        "n-grams: validation": float(np.exp(tried[best])),
        "n-grams: test": float(np.exp(losses(rows["test"], *best).mean())),
    } | by_position("n-grams", losses(long_rows(rows), *best))
    settings = {"words": words, "strength": strength, "symbols": symbols}
    settings["one_seed_because"] = "nothing in it is random"
    results.record(LECTURE, "counting", "reviews", found, seed=0, settings=settings)
