"""Masked and causal batches, the model that guesses, and the shipped encoder."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest
from encoders import LENGTH, WORDS, array, small_encoder, some_ids
from redrawn import in_policy

from lectures import lecture_05, lecture_06b, lecture_07b
from lectures.lecture_06b import pretraining
from lectures.lecture_06b import tokenizers as cut
from lectures.lecture_06b.pretraining import PretrainingBatches, mask_tokens, windows
from lectures.lecture_06b.tokenizers import START

SPECIAL, MASK, VOCABULARY = (0, 1, 2, 3), 4, 300
WIDTH = 12
TEXTS = [
    "The plot was superb and the cast was splendid.",
    "The music was never dull, the script was hardly weak.",
    "We saw it on a Friday with my sister; the hall was half full.",
] * 5


def batch(rows=400, length=64):
    draw = np.random.default_rng(0)
    ids = draw.integers(5, VOCABULARY, (rows, length))
    ids[:, 0] = 2
    for row, stop in enumerate(draw.integers(2, length + 1, rows)):
        ids[row, stop - 1] = 3
        ids[row, stop:] = 0
    return ids


def test_masking_keeps_special_tokens_and_says_what_stood_there():
    ids = batch(2_000)
    before = ids.copy()
    inputs, positions, targets = mask_tokens(ids, VOCABULARY, np.random.default_rng(1))
    assert (ids == before).all() and positions.shape == targets.shape == (2_000, 10)
    asked, rows = targets > 0, np.repeat(np.arange(2_000)[:, None], 10, axis=1)
    true, shown = targets[asked], inputs[rows, positions][asked]
    assert (true == ids[rows, positions][asked]).all() and not np.isin(true, SPECIAL).any()
    chosen = np.zeros(ids.shape, bool)
    chosen[rows[asked], positions[asked]] = True
    assert chosen.sum() == asked.sum() and (inputs[~chosen] == ids[~chosen]).all()
    assert abs((shown == MASK).mean() - 0.8) < 0.01
    assert abs((shown == true).mean() - 0.1) < 0.01
    assert abs(asked.sum() / (~np.isin(ids, SPECIAL)).sum() - 0.15) < 0.01
    others = shown[(shown != MASK) & (shown != true)]
    assert len(np.unique(others)) > 250 and others.min() >= 5


def test_each_row_with_an_ordinary_token_is_asked_and_no_other():
    ids = np.array([[2, 3, 0, 0], [2, 7, 3, 0], [0, 0, 0, 0]])
    inputs, positions, targets = mask_tokens(ids, VOCABULARY, np.random.default_rng(0))
    assert (targets > 0).sum(axis=1).tolist() == [0, 1, 0]
    assert targets[1, 0] == 7 and positions[1, 0] == 1
    assert (inputs[[0, 2]] == ids[[0, 2]]).all()


def batches(**settings):
    return PretrainingBatches(some_ids(16), WORDS, batch_size=8, **settings)


def test_masked_batches_ask_for_ordinary_tokens_at_a_fixed_number_of_places():
    data = batches(count=4)
    inputs, targets = data[0]
    assert inputs["ids"].shape == (8, LENGTH)
    assert inputs["positions"].shape == targets.shape == (8, 4)
    assert ((targets == 0) | (targets >= 5)).all() and (targets > 0).any()
    assert np.array_equal(data[0][0]["ids"], inputs["ids"])
    data.on_epoch_end()
    assert not np.array_equal(data[0][0]["ids"], inputs["ids"])


def test_causal_batches_ask_for_the_next_token():
    for count in (None, 5):
        inputs, targets = batches(objective="causal", count=count, shuffle=False)[0]
        rows = np.arange(8)[:, None]
        assert np.array_equal(inputs["ids"][rows, inputs["positions"] + 1], targets)
    with pytest.raises(ValueError, match="causal"):
        batches(objective="left to right")


def test_the_next_sentence_task_joins_halves():
    inputs, targets = batches(count=3, next_sentence=True)[0]
    assert set(targets) == {"words", "next"} and set(targets["next"]) <= {0.0, 1.0}
    assert ((inputs["ids"] == 3).sum(axis=1) >= 1).all()


def test_the_guesser_scores_with_its_embedding_and_bias():
    encoder = small_encoder()
    model = pretraining.PretrainingModel(encoder)
    bias = np.linspace(-1, 1, WORDS)
    model.bias.assign(bias)
    data = batches(count=4, shuffle=False)
    scores = array(model(data[0][0]))
    assert scores.shape == (8, 4, WORDS)
    states = array(encoder(data[0][0]["ids"])[-1])
    table = array(pretraining.word_embedding(encoder).embeddings)
    row, place = 3, data[0][0]["positions"][3, 2]
    assert np.allclose(scores[row, 2], states[row, place] @ table.T + bias, atol=1e-4)
    assert 3 < pretraining.unigram_loss(some_ids(16), data) < 5
    rows = np.array([[5, 6, 7]])
    assert pretraining.unigram_loss(rows, [(None, np.array([[9]]))]) > 20
    assert pretraining.unigram_loss(rows, [(None, np.zeros((1, 2), int))]) == 0


@pytest.mark.slow
def test_the_guesser_scores_in_float32_over_an_encoder_in_16_bits_and_learns():
    with in_policy("mixed_bfloat16"):
        model = pretraining.PretrainingModel(small_encoder())
    data = batches(count=4, shuffle=False)
    scores = model(data[0][0])
    assert keras.backend.standardize_dtype(scores.dtype) == "float32"
    model.compile(keras.optimizers.Adam(1e-2), pretraining.word_loss(), jit_compile=False)
    losses = model.fit(data, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < losses[0] - 0.2 and np.any(model.bias.numpy())


@pytest.mark.slow
def test_an_encoder_comes_back_from_its_file_with_its_tokenizer(tmp_path):
    from lectures.lecture_06b import shipped

    tokenizer = cut.train("wordpiece", TEXTS, 50)
    settings = {"vocab_size": WORDS, "embed_dim": 16, "num_heads": 2, "mlp_dim": 32}
    settings |= {"num_layers": 2, "max_length": LENGTH}
    encoder = small_encoder()
    arrays = shipped.pack(encoder, tokenizer, settings)
    assert not any(array.dtype.hasobject for array in arrays.values())
    np.savez_compressed(tmp_path / "packed.npz", **arrays)
    with np.load(tmp_path / "packed.npz", allow_pickle=False) as file:
        again, copy = shipped.unpack(dict(file))
    assert again.ids(TEXTS[0]) == tokenizer.ids(TEXTS[0])
    ids = tokenizer.encode(TEXTS[:3], 16)
    for left, right in zip(encoder(ids), copy(ids), strict=True):
        assert np.abs(array(left) - array(right)).max() < 0.02  # float16
    with pytest.raises(ValueError, match="encoder"):
        shipped.pack(encoder, tokenizer, settings | {"num_layers": 3})


def test_windows_hold_each_text_in_order_and_drop_short_ends():
    # A stand-in for a tokenizer: one id a letter, the first letter 5.
    letters = SimpleNamespace(ids=lambda text: [ord(letter) - ord("a") + 5 for letter in text])
    rows = windows(letters, ["abc", "abcdefghijklmnopqrstuvwxyz", ""], WIDTH)
    assert rows.dtype == np.int32 and rows.shape == (4, WIDTH) and (rows[:, 0] == START).all()
    assert rows[0].tolist() == [START, 5, 6, 7] + [0] * 8
    # 26 letters: 11 and 11; the last four are 8 or fewer and are dropped.
    assert rows[1, 1:].tolist() == list(range(5, 16))
    assert rows[2, 1:].tolist() == list(range(16, 27))
    assert not rows[3, 1:].any()
    long = windows(letters, ["abcdefghijklmnopqrst"], WIDTH)
    assert long.shape == (2, WIDTH) and np.count_nonzero(long[1]) == 10
    assert len(windows(letters, ["abcdefghijklmnopqrs"], WIDTH)) == 1  # eight are left
    with pytest.raises(ValueError, match="at least 2"):
        windows(letters, ["abc"], 1)


def test_an_epoch_of_some_batches_goes_on_where_the_last_one_stopped():
    ids = np.full((12, 6), 9, "int32")
    ids[:, 0], ids[:, 1] = START, np.arange(20, 32)  # the second token names the row
    data = PretrainingBatches(ids, WORDS, "causal", None, batch_size=4, steps=2)
    seen = []
    for _ in range(3):  # three epochs of two batches: twice all three batches
        seen += [data[number][0]["ids"][:, 1] for number in range(len(data))]
        data.on_epoch_end()
    for lap in (seen[:3], seen[3:]):
        assert sorted(np.concatenate(lap)) == list(range(20, 32))
    assert not np.array_equal(np.concatenate(seen[:3]), np.concatenate(seen[3:]))


@pytest.mark.parametrize(
    "loss",
    [
        pretraining.word_loss(),
        lecture_06b.prediction_loss,
        lecture_07b.masked_loss,
        lambda targets, logits: lecture_05.masked_loss(logits, targets),
    ],
)
def test_a_loss_without_a_target_is_0(loss):
    logits = np.random.default_rng(0).normal(size=(2, 3, 7)).astype("float32")
    assert float(loss(np.zeros((2, 3), "int32"), logits)) == 0
    targets = np.array([[3, 0, 0], [0, 4, 2]])  # places without a target do not count
    asked = targets != 0
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    expected = -logs[asked][np.arange(3), targets[asked]].mean()
    assert float(loss(targets, logits)) == pytest.approx(expected, rel=1e-5)
