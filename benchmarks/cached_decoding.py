"""Compare writing with kept keys and values with running the whole target again for each word.

    python -m benchmarks.cached_decoding

The encoder–decoder Transformer with fresh weights writes 40 words greedily, in three ways that
give the same words:

- cached: the decoder runs over one new word, and looks at kept keys and values
- again, padded: the decoder runs over the target padded to its full length, for every word
- again, growing: the decoder runs over what is written so far, a new shape for every word

In each the encoder runs once, everything is compiled, the likeliest word is chosen inside the
compiled step, and the words come back to Python one step at a time. One thread: a second core
speeds up the large products of the re-runs, and hardly the small ones of a cached step.
"""

import keras
import numpy as np
from keras import ops

import course_utils as cu
from benchmarks.timing import interleaved, record
from course_utils.decoding import compiled

LECTURE = "06_transformer"
WORDS, LENGTH = 1_000, 40
SIZES = ((1, 64, 2), (32, 128, 2), (8, 256, 4))  # batch, width, blocks


def translator(width, num_layers):
    """A fresh translator of that size; feed-forward twice as wide."""
    keras.utils.set_random_seed(0)
    shape = {"embed_dim": width, "num_heads": 4, "mlp_dim": 2 * width, "num_layers": num_layers}
    model = cu.models.Transformer(WORDS, WORDS, **shape, max_length=LENGTH)
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

    def next_word(words, position, state):
        logits, state = model.step(words, position, state)
        return likeliest(logits), state

    def next_word_again(encoded, mask, target, position):
        logits = decode(model, encoded, mask, target)
        return likeliest(ops.take(logits, position, axis=1))

    start = compiled(lambda source: model.start(source, LENGTH), model)
    encode = compiled(model.encode, model)
    step, again = compiled(next_word, model), compiled(next_word_again, model)
    source = _int32(source)

    def cached():
        state, words = start(source), _int32(np.full(len(source), cu.data.START))
        written = []
        for position in range(LENGTH):
            words, state = step(words, _int32(position), state)
            written.append(ops.convert_to_numpy(words))
        return np.stack(written, axis=1)

    def rerun(width):
        encoded, mask = encode(source)
        target = np.zeros((len(source), LENGTH + 1), "int32")
        target[:, 0] = cu.data.START
        for position in range(LENGTH):
            words = again(encoded, mask, _int32(target[:, : width(position)]), _int32(position))
            target[:, position + 1] = ops.convert_to_numpy(words)
        return target[:, 1:]

    return {
        "cached": cached,
        "again, padded": lambda: rerun(lambda position: LENGTH),
        "again, growing": lambda: rerun(lambda position: position + 1),
    }


def likeliest(logits):
    """The next word of each row: int32 (batch,)."""
    return ops.cast(ops.argmax(logits, axis=-1), "int32")


def _int32(array):
    return ops.convert_to_tensor(np.asarray(array, "int32"))


def use_one_thread():
    """Keep TensorFlow to one core; has to come before its first operation."""
    if keras.backend.backend() == "tensorflow":
        import tensorflow

        tensorflow.config.threading.set_intra_op_parallelism_threads(1)
        tensorflow.config.threading.set_inter_op_parallelism_threads(1)


def main(repeats=7):
    """Measure, print and record."""
    use_one_thread()
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
    note = (
        f"milliseconds to write {LENGTH} words greedily with {session.backend}, same words, "
        f"everything compiled, the encoder once in each, one thread; median of {repeats}"
    )
    record(LECTURE, "cached-decoding", rows, note, session.backend)


if __name__ == "__main__":
    main()
