"""What the full profile of lab 06d records: one change of the decoder at a time."""

import keras

from course_utils import results
from lectures.lecture_06d import (
    ARMS,
    LEARNING_RATES,
    LECTURE,
    OLD,
    SHAPE,
    WIDTH,
    perplexity,
    review_rows,
    train_decoder,
)


def record_all(seed):
    """Train and record what the lab shows as recorded."""
    record_ablation(seed)


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
