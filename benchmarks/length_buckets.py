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


def convolution():
    """A convolution of lecture 4's networks."""
    return layers.Conv1D(32, 7, padding="same", activation="relu")


def convolutions(last):
    """The first block of these networks, and what reads it."""
    return [convolution(), layers.MaxPooling1D(5), *last]


NETWORKS = {  # recurrent ones read embeddings of 32 numbers with a mask, the others of 128
    "SimpleRNN(32)": lambda: [layers.SimpleRNN(32)],
    "LSTM(32)": lambda: [layers.LSTM(32)],
    "GRU(32)": lambda: [layers.GRU(32)],
    "Bidirectional(LSTM(32))": lambda: [layers.Bidirectional(layers.LSTM(32))],
    "two blocks of Conv1D(32, 7)": lambda: convolutions(
        [convolution(), layers.GlobalMaxPooling1D()]
    ),
    "Conv1D(32, 7), GRU(32)": lambda: convolutions([layers.GRU(32)]),
}


def epoch(network, batches):
    """Return a function that trains one epoch of a network of `NETWORKS` on `batches`."""
    mask = "Conv1D" not in network
    words = layers.Embedding(WORDS, 32 if mask else 128, mask_zero=mask)
    verdict = layers.Dense(1, activation="sigmoid")
    model = keras.Sequential(
        [keras.Input((None,), dtype="int32"), words, *NETWORKS[network](), verdict]
    )
    model.compile("adam", "binary_crossentropy")
    return lambda: model.fit(batches, verbose=0)


def main(repeats=3):
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
