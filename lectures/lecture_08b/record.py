"""Lab 08b, its recorded experiments: gates, leaks, recall, pairs of sentences.

Every compared arm is trained alike: its learning rate is the best of one grid on validation
with seed 0; then three seeds read the test part once.
"""

from functools import partial

import keras
import numpy as np

from course_utils import results
from lectures.lecture_06b import pretraining
from lectures.lecture_06c.pair_runs import record_pair_arm
from lectures.lecture_06c.pairs import load_sentence_pairs
from lectures.lecture_08b import (
    AROUND,
    BATCHES,
    BEFORE,
    GATES_TRIED,
    LECTURE,
    RECALL_ARMS,
    RECALL_MODEL,
    TEXT_MODEL,
    counted_losses,
    neighbours,
    plays,
    read_text,
    recall_rows,
    recaller,
    rows_of,
    train_recaller,
    with_and_without_future,
)
from lectures.lecture_08b.pair_runs import PAIR_ARMS

SEEDS = range(3)
LEAK_BATCHES = 500
STRENGTHS = (1, 2, 4, 8, 16, 32, 64)  # of the counts of fewer neighbours
LEARNING_RATES = (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2)
RECALL_TASKS = ((32, False), (16, True), (32, True))  # names, and whether the pair moves
RECALL_RATES = (2e-3, 4e-3, 8e-3)


def record_all(seed):
    """Train and record what the lab shows as recorded: seed 0 trains all three seeds."""
    if seed:
        return
    record_gates()
    record_counts()
    record_leaks()
    record_recall()
    record_pairs()


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


def record_counts():
    """Record the losses of counting neighbours in the batches that the gMLPs were given."""
    text = plays()
    for name, objective, offsets, batches in (
        ("counts_masked", "masked", AROUND, BATCHES),
        ("counts_next", "causal", BEFORE, LEAK_BATCHES),
    ):
        train = neighbours(rows_of(text, "train", objective, steps=batches), offsets)
        val, test = (
            neighbours(rows_of(text, part, objective), offsets) for part in ("val", "test")
        )
        losses = counted_losses(train, val, STRENGTHS)
        best, used = np.unravel_index(losses.argmin(), losses.shape)
        loss = float(counted_losses(train, test, [STRENGTHS[best]])[0, used])
        found = {"val_loss": float(losses[best, used]), "test_loss": loss}
        found["perplexity"] = float(np.exp(loss))
        how = {"strength": STRENGTHS[best], "neighbours": int(used), "examples": len(train)}
        how["one_seed_because"] = "counts: nothing is sampled but which characters are masked"
        results.record(LECTURE, name, "characters", found, source=text.source, settings=how)


def record_leaks():
    """Predict next characters with a free and a causal W; record what the future is worth."""
    text = plays()
    for name, causal in (("next_free", False), ("next_causal", True)):
        settings = GATES_TRIED["split"] | {"causal": causal}
        for seed in SEEDS:
            model, run = read_text(text, settings, 4e-3, seed, LEAK_BATCHES, "causal")
            run.seed = seed
            run.settings = TEXT_MODEL | settings | {"learning_rate": 4e-3}
            found = with_and_without_future(model, text.test)
            found["unigram_loss"] = pretraining.unigram_loss(
                text.train, rows_of(text, "test", "causal")
            )
            run.record(LECTURE, name, "characters", **found)


def record_recall():
    """Record all arms on all tasks; that of one wide block on the hardest one alone."""
    for names, moves in RECALL_TASKS:
        for name in ("gmlp", "gmlp_tiny", "transformer"):
            record_arm(name, names, moves)
    record_arm("gmlp_wide", 32, True, (*RECALL_RATES, 1.6e-2))


def record_arm(name, names, moves, rates=RECALL_RATES):
    """Tune a model on recall, and record each seed's accuracy on 4,096 test rows."""
    dataset = f"recall_{names}_{'moves' if moves else 'stays'}"
    test = recall_rows(4_096, names, moves, np.random.default_rng(1_002))
    settings = RECALL_ARMS[name]
    train = partial(_new_recaller, settings, names, moves)
    rate, runs = tune(name, dataset, train, "val_accuracy", rates)
    for seed, model, run in runs:
        run.seed = seed
        right = model.evaluate(*test, batch_size=512, verbose=0)[1]
        run.settings = RECALL_MODEL | settings | {"learning_rate": rate}
        run.record(LECTURE, name, dataset, test_accuracy=right)


def _new_recaller(settings, names, moves, learning_rate, seed):
    keras.utils.set_random_seed(seed)
    model = recaller(names, **settings)
    return model, train_recaller(model, names, moves, learning_rate, seed)


def record_pairs():
    """Record what gMLP, aMLP and a Transformer reach on pairs of sentences."""
    for name in PAIR_ARMS:
        record_pairs_with(name)


def record_pairs_with(name):
    """Tune one of `PAIR_ARMS`, and record three seeds on the test pairs."""
    new_arm, rates = PAIR_ARMS[name]
    record_pair_arm(LECTURE, name, new_arm, load_sentence_pairs(), rates)
