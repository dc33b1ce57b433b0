"""Compare what the translators of `peers` learn in equal time: the course's, and keras.io's.

    python -m benchmarks.translation

Both have the sizes of keras.io's example: heads of embed_dim / num_heads in the course's, heads
as wide as the whole token in the example's. Both read the same real pairs; each takes the
learning rate and the dropout that have the lowest validation loss with seed 0. The example
trains for `EPOCHS`; the course's for as many, and again for as many as take the same time,
judged by batches of both in turn. The test part is translated once a training, greedily. About
two hours on two cores.
"""

import itertools

import keras

import course_utils as cu
from benchmarks import peers_ours
from benchmarks.timing import interleaved
from lectures import lecture_06
from lectures.lecture_05 import translation
from lectures.lecture_05.pairs import load_pairs

PAIRS, VOCAB_SIZE, EPOCHS, WARMUP_STEPS, BATCHES = 24_000, 6_000, 3, 400, 30
SETTINGS, SEEDS = tuple(itertools.product((1e-3, 2e-3), (0, 0.2))), (0, 1, 2)
MODELS = {  # as each is made: the example's norms stand behind its sublayers
    "keras.io's": (peers_ours.WideTranslator, "post"),
    "the course's": (cu.models.Transformer, "pre"),
}


def translator(name, pairs, setting, epochs, seed):
    """A new translator, compiled, and its batches; setting: learning rate and dropout."""
    learning_rate, dropout = setting
    keras.utils.set_random_seed(seed)
    kind, norm = MODELS[name]
    size = {"words": VOCAB_SIZE, "tokens": 64, "dropout": dropout}
    model = peers_ours.translator(kind, norm, **size)
    model.build()
    model.to_words.bias.assign(translation.log_frequencies(pairs.train.targets, VOCAB_SIZE))
    parts, same = (pairs.train, pairs.val), ("target", "targets")
    batches = [cu.data.length_buckets(part, 64, same_steps=same) for part in parts]
    lecture_06.compile_translator(model, learning_rate, epochs * len(batches[0]), WARMUP_STEPS)
    return model, batches


def paces(pairs):
    """Milliseconds that a batch of training takes each, measured in turn."""

    def case(name):
        model, (batches, _) = translator(name, pairs, SETTINGS[0], EPOCHS, seed=0)
        some = list(itertools.islice(batches, BATCHES))
        return lambda: [model.train_on_batch(*batch) for batch in some]

    taken = interleaved({name: case(name) for name in MODELS}, repeats=5)
    return {name: 1000 * seconds / BATCHES for name, seconds in taken.items()}


def train(name, pairs, setting, epochs, seed):
    """Return a translator, trained, and its run."""
    model, batches = translator(name, pairs, setting, epochs, seed)
    return model, cu.training.fit(model, batches, epochs, monitor="val_loss", resume=False)


def measured(name, epochs, milliseconds, pairs):
    """Return a row a seed: the setting that validation chose, the loss, the BLEU."""
    tried = {setting: train(name, pairs, setting, epochs, SEEDS[0]) for setting in SETTINGS}
    losses = {setting: run.history["val_loss"][-1] for setting, (_, run) in tried.items()}
    print(name, epochs, losses, flush=True)
    best, rows = min(losses, key=losses.get), []
    for seed in SEEDS:
        model, run = train(name, pairs, best, epochs, seed) if seed else tried[best]
        test = pairs.test
        said = translation.translate(model, test.inputs["source"], pairs.vocabulary, 40)
        row = {
            "model": name,
            "epochs": epochs,
            "seed": seed,
            "parameters": model.count_params(),
            "learning rate": best[0],
            "dropout": best[1],
            "milliseconds a batch": milliseconds,
            "validation loss": run.history["val_loss"][-1],
            "BLEU": translation.bleu(said, test.columns["references"]),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def main():
    """Train, print and record."""
    cu.start(seed=0)
    sides = {"source_vocab_size": VOCAB_SIZE, "target_vocab_size": VOCAB_SIZE}
    pairs = load_pairs("french", **sides, max_pairs=PAIRS)
    pace = paces(pairs)
    print(pace, flush=True)
    theirs, ours = MODELS
    as_long = int(EPOCHS * pace[theirs] / pace[ours])
    note = (
        f"{pairs.source}: {PAIRS:,} pairs; keras.io's sizes, {EPOCHS} epochs, and the course's "
        f"for {as_long}, which take no longer, and for {EPOCHS}; each at the best of "
        f"{len(SETTINGS)} settings (rate, dropout); BLEU of the test part, read greedily"
    )
    rows = []
    for name, epochs in ((theirs, EPOCHS), (ours, as_long), (ours, EPOCHS)):
        rows += measured(name, epochs, pace[name], pairs)
        cu.results.record_table("speed", "translation", rows, note)  # an arm is half an hour


if __name__ == "__main__":
    main()
