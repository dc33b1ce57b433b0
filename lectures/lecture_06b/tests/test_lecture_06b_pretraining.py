"""Lab 06b: byte pairs, masking and its loss, adapters, tuning again and again, the leak."""

from collections import Counter

import keras
import numpy as np
import pytest
from encoders import LENGTH, WORDS, array, small_encoder, some_ids

from course_utils import data
from lectures import lecture_06b
from lectures.lecture_06b import (
    LowRank,
    Tuner,
    add_adapters,
    balanced_sample,
    compare_tokenizers,
    freeze,
    hide_tokens,
    library_merges,
    next_tokens,
    sequence_classifier,
    train_bpe,
)
from lectures.lecture_06b import tokenizers as cut

pytest.importorskip("tokenizers")

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
OVERLAPPING = {"aaa": 3, "aaaaa": 2, "abab": 4, "ababab": 1, "baa": 2, "bbbb": 3}
ACCENTS = {"été": 3, "étés": 2, "naïve": 4, "été😀": 1, "سلام": 2}


@pytest.mark.parametrize("counts", [TEXTBOOK, OVERLAPPING, ACCENTS])
@pytest.mark.parametrize("merges", [1, 4, 8])
def test_merges_equal_the_library(counts, merges):
    assert train_bpe(counts, merges) == library_merges(counts, merges)


@pytest.mark.slow
def test_merges_and_cuts_equal_the_library_on_reviews():
    texts = data.load_reviews(form="text").train.inputs[:300]
    counts = Counter(word for text in texts for word in data.tokenize(text))
    merges = train_bpe(counts, 200)
    assert merges == library_merges(counts, 200)
    ours, kinds = lecture_06b.BytePairs(merges, texts), cut.library
    theirs = kinds.Tokenizer(
        kinds.models.BPE({entry: n for n, entry in enumerate(ours.entries)}, merges)
    )
    for word in [*counts, "unforgettable", "replays", "dullest", "aaaa"]:
        assert ours.word(word) == theirs.encode(word).tokens


def test_the_textbook_by_hand():
    # es: newest 6 + widest 3 = 9, as often as st; e has the lower code point.
    assert train_bpe(TEXTBOOK, 3) == [("e", "s"), ("es", "t"), ("l", "o")]
    assert lecture_06b.BytePairs(train_bpe(TEXTBOOK, 4), TEXTBOOK).word("lowest") == [
        "low",
        "est",
    ]
    assert train_bpe({"ab": 1, "c": 5}, 9) == [("a", "b")] and train_bpe({}, 3) == []


def test_a_tokenizer_of_merges_reads_all_its_characters():
    tokenizer = lecture_06b.BytePairs(train_bpe(TEXTBOOK, 5), TEXTBOOK)
    ids = tokenizer.ids("Lowest newer 7")
    assert "".join(tokenizer.entries[i] for i in ids[:-1]) == "lowestnewer" and ids[-1] == 1
    assert min(ids[:-1]) >= 5 and max(ids) < len(tokenizer)


def test_the_table_counts_by_words_and_tokens():
    characters = cut.train("characters", ["The plot was superb and the cast was splendid."])
    [row] = compare_tokenizers({"characters": characters}, ["plot plot", "plöt"])
    assert row["tokens a word"] == pytest.approx(13 / 3)
    assert row["unknown %"] == pytest.approx(100 / 13) and row["round trip %"] == 50


def test_hiding_is_eighty_ten_ten_and_leaves_special_tokens():
    draw = np.random.default_rng(0)
    ids = draw.integers(0, 300, (400, 50))
    inputs, targets = hide_tokens(ids, draw.random(ids.shape), draw.integers(5, 300, ids.shape))
    chosen = targets > 0
    assert (targets[chosen] == ids[chosen]).all() and (targets[chosen] >= 5).all()
    assert (inputs[~chosen] == ids[~chosen]).all()
    assert abs(chosen.sum() / (ids >= 5).sum() - 0.15) < 0.01
    assert abs((inputs[chosen] == 4).mean() - 0.8) < 0.02
    assert abs((inputs[chosen] == ids[chosen]).mean() - 0.1) < 0.02


def test_causal_targets_are_the_next_tokens():
    ids = np.array([[2, 7, 8, 0], [2, 9, 0, 0]])
    inputs, targets = next_tokens(ids, np.zeros(ids.shape), None)
    assert (inputs == ids).all() and targets.tolist() == [[7, 8, 0, 0], [9, 0, 0, 0]]
    assert not next_tokens(ids, np.ones(ids.shape), None, 0.5)[1].any()


def test_batches_differ_by_epoch_and_both_objectives_ask_equally_often():
    ids = np.random.default_rng(0).integers(5, WORDS, (640, LENGTH)).astype("int32")
    asked = {}
    for make in (hide_tokens, next_tokens):
        batches = lecture_06b.LanguageBatches(ids, WORDS, make, 0.15)
        before, asked[make] = batches[0], batches.predictions()
        assert np.array_equal(batches[0][1], before[1])
        batches.on_epoch_end()
        assert not np.array_equal(batches[0][0], before[0])
    assert abs(asked[hide_tokens] / asked[next_tokens] - 1) < 0.1


def test_the_language_model_scores_with_its_embedding():
    encoder, ids = small_encoder(), some_ids()
    scores = array(lecture_06b.language_model(encoder)(ids))
    table = array(lecture_06b.word_embedding(encoder).embeddings)
    assert np.allclose(scores, array(encoder(ids)[-1]) @ table.T, atol=1e-4)


def test_an_adapter_equals_keras_own():
    x = np.random.default_rng(0).normal(size=(3, 4, 6)).astype("float32")
    dense, own = keras.layers.Dense(5), keras.layers.Dense(5)
    for layer in (dense, own):
        layer.build((None, 6))
    own.set_weights(dense.get_weights())
    own.enable_lora(2)
    ours = LowRank(dense, rank=2, scale=1.0)
    assert np.allclose(array(ours(x)), array(own(x)), atol=1e-6)
    for mine, theirs in zip(ours.trainable_weights, own.trainable_weights[-2:], strict=True):
        mine.assign(np.random.default_rng(1).normal(size=mine.shape))
        theirs.assign(mine)
    assert np.allclose(array(ours(x)), array(own(x)), atol=1e-5)


@pytest.mark.slow
def test_adapters_start_where_the_encoder_is_and_train_little():
    encoder, ids = small_encoder(), some_ids()
    before, kernel = array(encoder(ids)[-1]), encoder.get_weights()[0]
    model = sequence_classifier(add_adapters(encoder), 2)
    assert np.allclose(before, array(encoder(ids)[-1]), atol=1e-6)
    trained = sum(int(np.prod(weight.shape)) for weight in model.trainable_weights)
    assert trained == 2 * 2 * 2 * 16 * 4 + 16 * 2 + 2  # blocks, layers, A and B; the head
    model.compile("adam", "mse")
    model.fit(ids, np.zeros((6, 2)), verbose=0)
    assert np.array_equal(kernel, encoder.get_weights()[0])
    assert np.abs(before - array(encoder(ids)[-1])).max() > 0


def few(rows=40):
    ids, labels = some_ids(rows), np.arange(rows) % 2
    parts = ("train", "val", "test")
    return lecture_06b.FewLabels(
        None, {}, dict.fromkeys(parts, ids), dict.fromkeys(parts, labels), {}
    )


@pytest.mark.weekly
@pytest.mark.parametrize("adapt", [None, freeze, add_adapters])
def test_tuning_again_is_as_good_as_new(adapt):
    encoder = small_encoder()
    start = [weight + 0.01 for weight in encoder.get_weights()]
    tuner = Tuner(few(), encoder, adapt, steps=6, batch=8)
    found = []
    for _ in range(2):
        tuner(start, 8, 0.01, 0)
        found.append(tuner.model.get_weights())
        tuner(None, 8, 0.01, 1)
    for first, second in zip(*found, strict=True):
        assert np.allclose(first, second, atol=1e-6)


def test_the_draw_is_balanced_and_the_same_for_every_arm():
    labels = np.array([0, 1, 1] * 20)
    for seed in range(5):
        rows = balanced_sample(labels, 10, seed)
        assert np.array_equal(rows, balanced_sample(labels, 10, seed))
        assert len(set(rows)) == 10 and labels[rows].sum() == 5
    for count in (11, 42):
        with pytest.raises(ValueError, match="even and at most twice 20"):
            balanced_sample(labels, count, 3)


def test_the_leak_is_seen_by_long_runs_and_not_by_whole_texts():
    short = lecture_06b.few_reviews(cut.train("words", ["a"], 6))
    test, collected = short.texts["test"], lecture_06b.collected_reviews(short)
    assert not {*collected} & {*test}
    leaked = lecture_06b.contaminated(collected, test, 18).mean()
    clean = lecture_06b.contaminated(short.texts["unlabelled"], test, 18).mean()
    assert leaked > 0.04 and clean < 0.01


@pytest.mark.parametrize(
    "name, objective, within",
    [
        ("causal_reader", "causal, all positions", 1.1),
        ("masked_reader", "masked, 15 %", 1.2),
    ],
)
def test_the_shipped_readers_fit_and_predict(name, objective, within):
    few = lecture_06b.few_reviews()
    model = lecture_06b.language_model(lecture_06b.shipped_reader(few.tokenizer, name))
    make, share = lecture_06b.OBJECTIVES[objective]
    batches = lecture_06b.LanguageBatches(
        few.rows["val"], len(few.tokenizer), make, share, shuffle=False
    )
    ids, targets = batches[0]
    assert float(lecture_06b.prediction_loss(targets, model(ids))) < within


def test_byte_pairs_differ_in_one_thing_at_a_time():
    texts = ["it's good, it's good!", "we've seen it"] * 3
    for of_bytes in (False, True):
        blanks, rule = (cut.byte_pairs(of_bytes, name, texts, 400) for name in cut.RULES)
        assert any("," in token and len(token) > 1 for token in blanks.tokens(texts[0]))
        assert "," in rule.tokens(texts[0]) and "'s" in rule.tokens(texts[0])
        for one in (blanks, rule):
            assert one.text(one.ids(texts[0])) == texts[0]
            assert (1 in one.ids("👍")) != of_bytes
