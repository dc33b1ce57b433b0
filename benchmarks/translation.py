"""Compare what the translators of `peers` learn: heads of embed_dim / num_heads, or wide ones.

    python -m benchmarks.translation

Both have the sizes of keras.io's example and the same real pairs, for the same epochs; each
takes the learning rate of three that has the lowest validation loss with seed 0. The test part
is translated once a training, greedily. About three quarters of an hour on two cores.
"""

import keras

import course_utils as cu
from benchmarks import peers_ours
from course_utils import translation
from course_utils.lectures import lecture_06

PAIRS, VOCAB_SIZE, EPOCHS, WARMUP_STEPS = 24_000, 6_000, 3, 400
LEARNING_RATES, SEEDS = (5e-4, 1e-3, 2e-3), (0, 1, 2)
MODELS = {
    "the course's": cu.models.Transformer,
    "keras.io's": peers_ours.WideTranslator,
}


def train(kind, pairs, learning_rate, seed):
    """Return a translator of this kind, trained, and its run."""
    keras.utils.set_random_seed(seed)
    model = peers_ours.translator(kind, words=VOCAB_SIZE, tokens=64)
    model.build()
    model.to_words.bias.assign(translation.log_frequencies(pairs.train.targets, VOCAB_SIZE))
    batches = [cu.data.length_buckets(part, 64) for part in (pairs.train, pairs.val)]
    lecture_06.compile_translator(model, learning_rate, EPOCHS * len(batches[0]), WARMUP_STEPS)
    return model, cu.training.fit(model, batches, EPOCHS, monitor="val_loss", resume=False)


def measured(name, pairs):
    """Return a row a seed: the rate that validation chose, the loss, the BLEU."""
    tried = {rate: train(MODELS[name], pairs, rate, SEEDS[0]) for rate in LEARNING_RATES}
    losses = {rate: run.history["val_loss"][-1] for rate, (_, run) in tried.items()}
    print(name, losses, flush=True)
    best, rows = min(losses, key=losses.get), []
    for seed in SEEDS:
        model, run = train(MODELS[name], pairs, best, seed) if seed else tried[best]
        test = pairs.test
        said = translation.translate(model, test.inputs["source"], pairs.vocabulary, 40)
        row = {
            "model": name,
            "seed": seed,
            "parameters": model.count_params(),
            "learning rate": best,
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
    pairs = cu.data.load_pairs("french", "from_english", **sides, max_pairs=PAIRS)
    rows = [row for name in MODELS for row in measured(name, pairs)]
    note = (
        f"{pairs.source}: {PAIRS:,} pairs, {EPOCHS} epochs, each at the best of "
        f"{len(LEARNING_RATES)} learning rates; BLEU of the test part, read greedily"
    )
    cu.results.record_table("speed", "translation", rows, note)


if __name__ == "__main__":
    main()
