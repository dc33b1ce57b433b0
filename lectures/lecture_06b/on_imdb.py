"""Lab 06b on real text: an encoder pre-trained on IMDB, then few labels of SST-2."""

import re

import keras
import numpy as np
from keras import ops
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.linear_model import LogisticRegression

from course_utils import models, results, training
from course_utils.data import base
from lectures.lecture_06b import (
    LECTURE,
    PARTS,
    FewLabels,
    Tuner,
    balanced_sample,
    contaminated,
    pooled,
    pretraining,
    sequence_classifier,
    tokenizers,
)
from lectures.lecture_06b.phrases import load_phrases
from lectures.lecture_06b.pretraining import word_embedding
from lectures.lecture_06b.probes import best_probe, count_words, labelled
from lectures.lecture_06b.shipped import load_encoder, pack, unpack
from lectures.lecture_06b.texts import imdb_texts
from lectures.lecture_06b.tokenizers import SPECIAL

ENCODER = {"vocab_size": 8_000, "embed_dim": 128, "num_heads": 4, "mlp_dim": 256}
ENCODER |= {"num_layers": 4}
TRAINING = {"batch_size": 64, "masked": 12, "learning_rate": 1.5e-3, "steps": 250}
EPOCHS, TOKENS = 10, 64
COUNTS = (200, 1_000)
RATES = {"fine-tuned": (5e-5, 1e-4, 2e-4, 4e-4), "scratch": (5e-4, 1e-3, 2e-3)}
PASSES = {"fine-tuned": 6, "scratch": 12}  # epochs over the labels, at most


@keras.saving.register_keras_serializable(package="course_utils")
class WarmupStableDecay(keras.optimizers.schedules.LearningRateSchedule):
    """From 0 to `learning_rate` in `warmup_steps`, level, then to 0 over the share `falling`.

    Where a budget is not known beforehand, the level part can simply go on: a snapshot taken
    there needs only a short fall of its own.

    Source: Hägele et al., "Scaling laws and compute-optimal training beyond fixed training
    durations" (2024).
    """

    def __init__(self, learning_rate, steps, warmup_steps=400, falling=0.3):
        self.settings = {"learning_rate": learning_rate, "steps": steps}
        self.settings |= {"warmup_steps": warmup_steps, "falling": falling}

    def __call__(self, step):
        step = ops.cast(step, "float32")
        learning_rate, steps, warmup_steps, falling = self.settings.values()
        rising = (step + 1) / warmup_steps
        left = (steps - step) / max(falling * steps, 1)
        return learning_rate * ops.minimum(1.0, ops.minimum(rising, ops.maximum(left, 0.0)))

    def get_config(self):
        return self.settings


def corpus():
    """IMDB's reviews but those of its test part, without the line breaks' marks."""
    return [str(text).replace("<br />", " ") for text in imdb_texts()]


def ppmi_vectors(rows, vocab_size, embed_dim, window=8):
    """Word vectors from counts, float32 (vocab_size, embed_dim), each of length 1 or 0.

    Counts which tokens occur within `window` of each other, a pair at distance d counting
    1 − (d − 1)/window; takes the positive pointwise mutual information, its noise smoothed by
    the power 0.75; and keeps the largest `embed_dim` singular vectors times √(singular value).

    rows: int (rows, tokens), 0 for padding. Source: Levy and Goldberg (2014), section 5.
    """
    counts = csr_matrix((vocab_size, vocab_size))
    for distance in range(1, window + 1):
        left, right = rows[:, :-distance].ravel(), rows[:, distance:].ravel()
        words = (left >= len(SPECIAL)) & (right >= len(SPECIAL))
        weights = np.full(words.sum(), 1 - (distance - 1) / window)
        counts += csr_matrix((weights, (left[words], right[words])), counts.shape)
    counts = (counts + counts.T).tocoo()
    total = np.asarray(counts.sum(axis=1)).ravel()
    noise = total**0.75 / (total**0.75).sum()
    pmi = np.log(counts.data / (total[counts.row] * noise[counts.col]))
    positive = csr_matrix((np.maximum(pmi, 0), (counts.row, counts.col)), counts.shape)
    left, values, _ = svds(positive, k=embed_dim, random_state=0)
    vectors = left * np.sqrt(values)
    vectors -= vectors[total > 0].mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(total[:, None] > 0, vectors / lengths, 0).astype("float32")


def in_windows(pieces, texts):
    """Rows of ids for validation and training."""
    rows = pretraining.windows(pieces, texts, TOKENS)
    np.random.default_rng(0).shuffle(rows)
    return rows[:512], rows[512:]


def start_from_counts(embedding, rows):
    """Put `ppmi_vectors` of rows into an embedding; a token without one keeps its own."""
    vectors = ppmi_vectors(rows, *embedding.embeddings.shape)
    drawn = embedding.get_weights()[0]
    embedding.set_weights([np.where(vectors == 0, drawn, vectors)])


def pretrain_on_imdb():
    """Pre-train with masks on 64-token windows, record the run, ship encoder and tokenizer.

    Embeddings start as `ppmi_vectors`, the bias as log frequencies; a rare token is masked more
    often than a frequent one.
    """
    texts, size = corpus(), ENCODER["vocab_size"]
    pieces = tokenizers.train("byte_bpe_lower", texts[:20_000], size)
    val, train = in_windows(pieces, texts)
    share = np.bincount(train.ravel(), minlength=size) / train.size
    share[: len(SPECIAL)] = 0
    keras.utils.set_random_seed(0)
    encoder = models.transformer_encoder(**ENCODER)
    model = pretraining.PretrainingModel(encoder, name="real_masked")
    model({"ids": val[:1], "positions": val[:1, :1]})
    start_from_counts(model.embedding, train)
    model.bias.assign(np.log(share + 1e-8))
    batch_size, masked, learning_rate, steps = TRAINING.values()
    how = {"count": masked, "chances": np.minimum(1, np.sqrt(3e-4 / np.maximum(share, 1e-9)))}
    batches = [
        pretraining.PretrainingBatches(train, size, batch_size=batch_size, steps=steps, **how),
        pretraining.PretrainingBatches(val, size, batch_size=128, shuffle=False, **how),
    ]
    schedule = WarmupStableDecay(learning_rate, steps * EPOCHS)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.01, beta_2=0.98, clipnorm=1.0)
    model.compile(optimizer, pretraining.word_loss(), jit_compile=True)
    settings = ENCODER | TRAINING | {"epochs": EPOCHS, "window": TOKENS}
    settings["one_seed_because"] = "the encoder is one, the draws of labels are three"
    about = {"source": "IMDB, no labels", "settings": settings}
    run = training.fit(model, batches, EPOCHS, monitor="val_loss", **about)
    guess = pretraining.unigram_loss(train[:50_000], batches[1])
    run.record(LECTURE, "real_masked", "imdb_texts", guess=guess, seconds=run.seconds)
    ship(pieces, encoder, val)


def ship(pieces, encoder, rows):
    """Write the encoder and its tokenizer to results/shipped, rounded to 16 bits.

    What the rounding changes is measured on rows of ids and written beside it.
    """
    arrays = pack(encoder, pieces, ENCODER)
    exact, rounded = (
        one.predict(rows, batch_size=128, verbose=0)[-1] for one in (encoder, unpack(arrays)[1])
    )
    changed = {
        "mean_size_of_a_state": float(np.abs(exact).mean()),
        "largest_change_by_rounding": float(np.abs(exact - rounded).max()),
    }
    made_by = f"{LECTURE}/real_masked-imdb_texts-seed0"
    models.save_pretrained("imdb_encoder", arrays, made_by, **ENCODER, **changed)


def readable(texts):
    """SST-2's sentences as reviews are written: "do n't" becomes "don't"."""
    endings = re.compile(r" (n't|'s|'re|'ve|'ll|'d|'m)\b")
    return [endings.sub(r"\1", text) for text in base.texts("texts", texts)]


class FineTuner(Tuner):
    """A `Tuner` of this lab's encoder that starts from a probe and chooses its epoch, too."""

    def __init__(self, few):
        def head(encoder, classes, **how):
            return sequence_classifier(encoder, classes, pool="mean", dropout=0.1)

        keras.utils.set_random_seed(0)
        self.encoder = models.transformer_encoder(**ENCODER)
        super().__init__(few, self.encoder, head=head)
        ids = self.model.input
        states = [pooled(layer, ids, "mean") for layer in self.encoder(ids)]
        self.vectors = keras.Model(ids, states)

    def probe(self, start, rows):
        """A logistic regression on the mean states of each layer: scores, weights of the last.

        The vectors are scaled to variance 1; C is chosen on validation. Returns (validation,
        test) a layer, the embeddings first, and the weights of an output layer of two logits
        that answers as the regression on the last layer does.
        """
        self.restart(start, 0)
        ids, labels, scores = self.few.ids, self.few.labels, []
        parts = [self.vectors.predict(ids[part], batch_size=256, verbose=0) for part in PARTS]
        for layer in zip(*parts, strict=True):
            found, best, mean, deviation = regression(layer, labels, rows)
            scores.append(found)
        direction, signs = best.coef_[0] / deviation, np.array([-0.5, 0.5])
        offset = best.intercept_[0] - direction @ mean
        return scores, [direction[:, None] * signs, offset * signs]

    def best_epoch(self, start, head, rows, seed, rates, epochs):
        """(validation, test) at the learning rate and epoch that validation prefers.

        head: weights of the output layer to start from; None: sampled ones.
        """
        best = (0, 0)
        x, y = self.few.ids["train"][rows], self.few.labels["train"][rows]
        for rate in rates:
            self.restart(start, rate)
            if head:
                self.model.layers[-1].set_weights(head)
            keras.utils.set_random_seed(seed)
            for epoch in range(epochs + 1):
                if epoch:
                    self.model.fit(x, y, batch_size=self.batch, verbose=0)
                if (val := self.accuracy("val")) > best[0]:
                    best = (val, self.accuracy("test"))
        return best


def regression(parts, labels, rows):
    """(validation, test) of the best logistic regression, which, and what it was scaled by.

    parts: vectors for training, of which it gets `rows`, for validation and for test.
    """
    x, *others = parts
    mean, deviation = x[rows].mean(axis=0), x[rows].std(axis=0) + 1e-6
    x, *others = ((part - mean) / deviation for part in (x[rows], *others))
    fitted = [
        LogisticRegression(C=C, max_iter=1_000).fit(x, labels["train"][rows])
        for C in np.logspace(-5, 0, 6)
    ]
    held_out = [(part, labels[name]) for part, name in zip(others, PARTS[1:], strict=True)]
    best = max(fitted, key=lambda one: one.score(*held_out[0]))
    return tuple(best.score(*part) for part in held_out), best, mean, deviation


def compare_on_sst2(seed):
    """Record accuracy with few labels: counts, layers, fine-tuned, from scratch.

    Each arm chooses on the same 800 validation sentences: tf-idf and LSA, fitted to the corpus
    of pre-training, words or pairs, 100 or 300 numbers and C; networks learning rate and epoch.
    A seed draws labelled sentences; the pre-trained encoder is the shipped one.
    """
    texts, (pieces, encoder) = corpus(), load_encoder()
    sentences, source = few_sentences(pieces)
    labels, read = sentences.labels, sentences.texts
    tuner = FineTuner(sentences)
    start = encoder.get_weights()
    tuner.encoder.set_weights(start)
    met = int(contaminated(read["test"], texts).sum())
    words = count_words(texts, (100, 300))
    held = [texts_or_labels[part] for part in PARTS[1:] for texts_or_labels in (read, labels)]
    found = {"reviews that share eight words with a test sentence": met}
    for count in COUNTS:
        rows = balanced_sample(labels["train"], count, seed)
        few = [read["train"][row] for row in rows]
        for name, ways in words.items():
            scores = best_probe(ways, few, labels["train"][rows], *held)
            found |= labelled(f"{name}, {count}", scores)
        layers, head = tuner.probe(start, rows)
        for number, scores in enumerate(layers):
            found |= labelled(f"layer {number}, {count}", scores)
        for name, given in {"fine-tuned": start, "scratch": None}.items():
            how = rows, seed, RATES[name], PASSES[name]
            reached = tuner.best_epoch(given, head if given else None, *how)
            found |= labelled(f"{name}, {count}", reached)
    results.record(LECTURE, "few_labels", "sst2", found, seed=seed, source=source)


def few_sentences(pieces):
    """SST-2's whole sentences, validation and test sentences, and their source."""
    phrases = load_phrases()
    whole = phrases.train.take(phrases.train.columns["whole"])
    parts = dict(zip(PARTS, (whole, phrases.val, phrases.test), strict=True))
    read = {part: readable(split.inputs) for part, split in parts.items()}
    labels = {part: split.targets for part, split in parts.items()}
    ids = {part: pieces.encode(x, TOKENS) for part, x in read.items()}
    return FewLabels(pieces, {}, ids, labels, read), phrases.source


def probe_the_start():
    """Record what the encoder's embeddings know before training: the vectors from counts.

    The same samples of labels as in `compare_on_sst2`, the same probe.
    """
    pieces, _ = load_encoder()
    sentences, source = few_sentences(pieces)
    tuner = FineTuner(sentences)
    start_from_counts(word_embedding(tuner.encoder), in_windows(pieces, corpus())[1])
    embeddings = keras.Model(tuner.vectors.input, tuner.vectors.outputs[0])
    parts = [
        embeddings.predict(sentences.ids[part], batch_size=256, verbose=0) for part in PARTS
    ]
    for seed in range(3):
        found = {}
        for count in COUNTS:
            rows = balanced_sample(sentences.labels["train"], count, seed)
            scores, *_ = regression(parts, sentences.labels, rows)
            found |= labelled(f"counts, {count}", scores)
        results.record(LECTURE, "start", "sst2", found, seed=seed, source=source)
