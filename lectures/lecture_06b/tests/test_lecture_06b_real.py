"""Lab 06b on real text: vectors from counts, chances of hiding, the head from a probe."""

import keras
import numpy as np
import pytest

from lectures.lecture_06b import PARTS, FewLabels
from lectures.lecture_06b import on_imdb as real
from lectures.lecture_06b.pretraining import mask_tokens
from lectures.lecture_06b.tokenizers import SPECIAL

FIRST = len(SPECIAL)


def test_ppmi_vectors_are_those_of_the_dense_matrix():
    draw = np.random.default_rng(0)
    size, window = FIRST + 9, 3
    rows = draw.integers(FIRST, size - 1, (40, 11))  # the last token never occurs
    rows[:, 8:] *= draw.random((40, 1)) < 0.5
    counts = np.zeros((size, size))
    for row in rows:
        for place, token in enumerate(row):
            for distance in range(1, window + 1):
                for other in (place - distance, place + distance):
                    if 0 <= other < len(row) and token and row[other]:
                        counts[token, row[other]] += 1 - (distance - 1) / window
    noise = counts.sum(1) ** 0.75 / (counts.sum(1) ** 0.75).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        ppmi = np.nan_to_num(np.log(counts / np.outer(counts.sum(1), noise)), neginf=0).clip(0)
    left, values, _ = np.linalg.svd(ppmi)
    expected = left[:, :4] * np.sqrt(values[:4])
    seen = counts.sum(1) > 0
    expected -= expected[seen].mean(0)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vectors = real.ppmi_vectors(rows, size, 4, window)
    assert not vectors[~seen].any() and seen.sum() == 8
    cosines = vectors[seen] @ vectors[seen].T  # singular vectors have no sign of their own
    assert np.allclose(cosines, expected[seen] @ expected[seen].T, atol=1e-5)


def test_tokens_are_hidden_by_their_chances():
    ids = np.tile(np.arange(FIRST, FIRST + 10), (4_000, 1))
    chances = np.ones(FIRST + 10)
    chances[FIRST], chances[FIRST + 1] = 0.25, 0
    _, _, targets = mask_tokens(ids, FIRST + 10, np.random.default_rng(0), 0.1, chances)
    share = np.bincount(targets.ravel(), minlength=FIRST + 10)[FIRST:] / 4_000
    assert share[1] == 0 and np.isclose(share[0], 0.25 / 8.25, atol=0.012)
    assert np.allclose(share[2:], 1 / 8.25, atol=0.025)


@pytest.mark.slow
def test_the_probes_head_answers_as_the_regression_does(monkeypatch):
    monkeypatch.setattr(real, "ENCODER", {"vocab_size": 40, "embed_dim": 8, "num_heads": 2}
                        | {"mlp_dim": 16, "num_layers": 1})  # fmt: skip
    draw = np.random.default_rng(0)
    ids = [draw.integers(FIRST, 40, (n, 7)).astype("int32") for n in (60, 40, 40)]
    labels = [(part[:, 2] > 20).astype("int32") for part in ids]
    ids, labels = (dict(zip(PARTS, parts, strict=True)) for parts in (ids, labels))
    tuner = real.FineTuner(FewLabels(None, {}, ids, labels, {}))
    start, rows = tuner.encoder.get_weights(), np.arange(50)
    scores, head = tuner.probe(start, rows)
    assert len(scores) == 2
    tuner.model.layers[-1].set_weights(head)
    assert np.allclose([tuner.accuracy(part) for part in PARTS[1:]], scores[-1], atol=1e-6)
    tuner.model.fit(ids["train"], labels["train"], verbose=0)
    tuner.restart(start, 0.1)
    again = zip(start, tuner.encoder.get_weights(), strict=True)
    assert all(np.array_equal(was, now) for was, now in again)
    assert keras.ops.convert_to_numpy(tuner.model.optimizer.iterations) == 0


def test_sentences_are_made_readable():
    assert real.readable(["it does n't , but she 'll"]) == ["it doesn't , but she'll"]
