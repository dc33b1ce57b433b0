"""Compare an epoch in batches of like length with one padded to 500 words throughout.

    python -m benchmarks.length_buckets

Real reviews, since their lengths decide: the first 3,840 of IMDB's training part, the same in
both forms; forward, backward and update.
"""

import keras
from keras import layers

import course_utils as cu
from benchmarks.timing import interleaved

LECTURE = "03_lstm_gru"
WORDS, LENGTH, BATCH, REVIEWS = 10_000, 500, 128, 3_840
LAYERS = {
    "SimpleRNN(32)": lambda: layers.SimpleRNN(32),
    "LSTM(32)": lambda: layers.LSTM(32),
    "GRU(32)": lambda: layers.GRU(32),
    "Bidirectional(LSTM(32))": lambda: layers.Bidirectional(layers.LSTM(32)),
}


def epoch(layer, batches, mask):
    """Return a function that trains one epoch on `batches`."""
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(WORDS, 32, mask_zero=mask)(ids)
    model = keras.Model(ids, layers.Dense(1, activation="sigmoid")(layer(x)))
    model.compile("adam", "binary_crossentropy")
    return lambda: model.fit(batches, verbose=0)


def main(repeats=3):
    """Measure, print and record."""
    session = cu.start(seed=0)
    imdb = cu.data.load_reviews(source="imdb", length=LENGTH, vocabulary_size=WORDS)
    some = imdb.train.take(slice(REVIEWS))
    forms = {
        "buckets": cu.data.length_buckets(some, BATCH),
        "padded": cu.data.length_buckets(some, BATCH, boundaries=[LENGTH]),
    }
    rows = []
    for name, make in LAYERS.items():
        cases = {form: epoch(make(), batches, True) for form, batches in forms.items()}
        taken = interleaved(cases, repeats)
        ratio = taken["padded"] / taken["buckets"]
        rows.append({"layer": name, **taken, "padded / buckets": ratio})
        print(f"{name:26} {ratio:.2f} times as long when padded to {LENGTH}", flush=True)
    note = (
        f"seconds for {REVIEWS:,} real reviews with {session.backend}, masked: in length "
        f"buckets, and padded to {LENGTH} words; median of {repeats}"
    )
    cu.results.record_table(LECTURE, f"length-buckets-{session.backend}", rows, note)


if __name__ == "__main__":
    main()
