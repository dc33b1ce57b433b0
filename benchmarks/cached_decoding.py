"""Compare writing with kept keys and values with running the whole target again for each word.

    python -m benchmarks.cached_decoding

The encoder–decoder Transformer with fresh weights writes 40 words greedily, in three ways that
give the same words: with the cache; again with the target padded to its full length; again with
a target that grows by a word a step. All steps are compiled; the encoder runs once in each.
"""

import keras
import numpy as np
from keras import ops

import course_utils as cu
from benchmarks.timing import interleaved
from course_utils.decoding import compiled

LECTURE = "06_transformer"
WORDS, LENGTH = 1_000, 40
SIZES = ((1, 64, 2), (32, 128, 2), (8, 256, 4))  # batch, width, blocks


def translator(width, blocks):
    """A fresh translator of that size; feed-forward twice as wide."""
    keras.utils.set_random_seed(0)
    shape = {"dim": width, "heads": 4, "hidden": 2 * width, "blocks": blocks}
    model = cu.models.Transformer(WORDS, WORDS, **shape, length=LENGTH)
    model.build()
    return model


def decode(model, encoded, mask, target):
    """Logits of every target token, the encoder's part given."""
    x = model.embed(model.target_embedding, target)
    for block in model.decoder:
        x = block(x, encoded, encoded_mask=mask)
    return model.logits(x)


def ways(model, source):
    """Return three ways to write `LENGTH` words, by name: functions giving (batch, LENGTH)."""
    step = compiled(model.step, model)
    again = compiled(lambda *given: decode(model, *given), model)
    source = ops.convert_to_tensor(source)

    def cached():
        state, words = model.start(source, LENGTH), _int32(np.full(len(source), cu.data.START))
        written = []
        for position in range(LENGTH):
            logits, state = step(words, _int32(position), state)
            words = ops.cast(ops.argmax(logits, axis=-1), "int32")
            written.append(ops.convert_to_numpy(words))
        return np.stack(written, axis=1)

    def rerun(width):
        encoded, mask = model.encode(source)
        target = np.zeros((len(source), LENGTH + 1), "int32")
        target[:, 0] = cu.data.START
        for position in range(LENGTH):
            logits = again(encoded, mask, _int32(target[:, : width(position)]))
            best = ops.argmax(logits[:, position], axis=-1)
            target[:, position + 1] = ops.convert_to_numpy(best)
        return target[:, 1:]

    return {
        "cached": cached,
        "again, padded": lambda: rerun(lambda position: LENGTH),
        "again, growing": lambda: rerun(lambda position: position + 1),
    }


def _int32(array):
    return ops.convert_to_tensor(np.asarray(array, "int32"))


def main(repeats=7):
    """Measure, print and record."""
    session = cu.start(seed=0)
    rows = []
    for batch, width, blocks in SIZES:
        draw = np.random.default_rng(0)
        source = draw.integers(4, WORDS, size=(batch, LENGTH)).astype("int32")
        cases = ways(translator(width, blocks), source)
        taken = {name: s * 1000 for name, s in interleaved(cases, repeats).items()}
        row = {"batch": batch, "width": width, "blocks": blocks}
        row |= {f"{name}, ms": f"{value:.0f}" for name, value in taken.items()}
        for name in ("padded", "growing"):
            row[f"{name} / cached"] = f"{taken[f'again, {name}'] / taken['cached']:.1f}"
        rows.append(row)
        print(row, flush=True)
    suffix = "" if session.backend == "tensorflow" else f"-{session.backend}"
    note = (
        f"milliseconds to write {LENGTH} words greedily with {session.backend}, same words, "
        f"compiled steps; median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"cached-decoding{suffix}", rows, note)


if __name__ == "__main__":
    main()
