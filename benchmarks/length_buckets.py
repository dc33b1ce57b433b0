"""Compare an epoch in batches of like length with one padded to 500 words throughout.

    python -m benchmarks.length_buckets

Real reviews, since their lengths decide: the first 2,560 of IMDB's training part, the same in
both forms; forward, backward and update. The networks are those of lectures 3 and 4, without
their dropout.
"""

import keras
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved

LECTURE = "03_lstm_gru"
WORDS, LENGTH, BATCH, REVIEWS, EPOCH = 5_000, 500, 128, 2_560, 20_000


def convolution_and_pooling():
    """The first block of lecture 4's networks."""
    return [layers.Conv1D(32, 7, padding="same", activation="relu"), layers.MaxPooling1D(5)]


# Embedding size, whether it makes a mask, and the layers that read it.
NETWORKS = {
    "SimpleRNN(32)": (32, True, lambda: [layers.SimpleRNN(32)]),
    "LSTM(32)": (32, True, lambda: [layers.LSTM(32)]),
    "GRU(32)": (32, True, lambda: [layers.GRU(32)]),
    "Bidirectional(LSTM(32))": (32, True, lambda: [layers.Bidirectional(layers.LSTM(32))]),
    "two blocks of Conv1D(32, 7)": (
        128,
        False,
        lambda: [
            *convolution_and_pooling(),
            layers.Conv1D(32, 7, padding="same", activation="relu"),
            layers.GlobalMaxPooling1D(),
        ],
    ),
    "Conv1D(32, 7), GRU(32)": (
        128,
        False,
        lambda: [*convolution_and_pooling(), layers.GRU(32)],
    ),
}


def epoch(network, batches):
    """Return a function that trains one epoch of a network of `NETWORKS` on `batches`."""
    size, mask, make = NETWORKS[network]
    words = layers.Embedding(WORDS, size, mask_zero=mask)
    verdict = layers.Dense(1, activation="sigmoid")
    model = keras.Sequential([keras.Input((None,), dtype="int32"), words, *make(), verdict])
    model.compile("adam", "binary_crossentropy")
    return lambda: model.fit(batches, verbose=0)


def main(repeats=5):
    """Measure, print and record."""
    session = cu.start(seed=0)
    imdb = cu.data.load_imdb(length=LENGTH, vocab_size=WORDS)
    some = imdb.train.take(slice(REVIEWS))
    forms = {
        "in buckets": cu.data.length_buckets(some, BATCH),
        f"padded to {LENGTH}": cu.data.length_buckets(some, BATCH, boundaries=[LENGTH]),
    }
    rows = []
    for name in NETWORKS:
        cases = {form: epoch(name, batches) for form, batches in forms.items()}
        taken = interleaved(cases, repeats)
        buckets, padded = taken.values()
        seconds = {form: value * EPOCH / REVIEWS for form, value in taken.items()}
        rows.append({"network": name, **seconds, "ratio": padded / buckets})
        print(f"{name:28} {padded / buckets:.2f} times as long padded", flush=True)
    note = (
        f"seconds an epoch of {EPOCH:,} real reviews with {session.backend} (scaled from "
        f"{REVIEWS:,}), in length buckets and padded; median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"length-buckets-{session.backend}", rows, note)


if __name__ == "__main__":
    main()
