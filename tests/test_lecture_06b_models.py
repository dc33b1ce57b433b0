"""Lab 06b: byte pairs, masking, spans, pre-training, heads, restarts, the shipped encoder."""

import os
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import keras
import numpy as np
import pytest
from redrawn import in_policy

from course_utils import data, pretraining
from course_utils import tokenizers as cut
from course_utils.lectures import lecture_06b
from course_utils.lectures.lecture_06b import (
    END,
    FEATURES,
    Restart,
    apply_merges,
    balanced_sample,
    best_span,
    choice_rows,
    choice_scorer,
    compare_tokenizers,
    feature_classifier,
    greedy_continue,
    init_head_by_probe,
    question_rows,
    same_answers,
    sequence_classifier,
    span_answerer,
    span_f1,
    spans,
    summary_rows,
    tagged_rows,
    token_classifier,
    train_bpe,
)
from course_utils.pretraining import SHORTEST, PretrainingBatches, mask_tokens, windows
from course_utils.tokenizers import START

pytest.importorskip("tokenizers")
pytest.importorskip("sentencepiece")

WIDTH = 12
TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
OVERLAPPING = {"aaa": 3, "aaaaa": 2, "abab": 4, "ababab": 1, "baa": 2, "bbbb": 3}
ACCENTS = {"été": 3, "étés": 2, "naïve": 4, "été😀": 1, "سلام": 2}


@pytest.fixture(scope="module")
def review_words():
    texts = data.load_reviews(form="text").train.inputs[:300]
    return dict(Counter(word for text in texts for word in data.tokenize(text)))


def library_merges(counts, merges):
    """What the library learns from the same words, and its tokenizer."""
    import json

    import tokenizers

    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    letters = len({letter for word in counts for letter in word})
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=letters + merges, show_progress=False)
    texts = [" ".join([word] * count) for word, count in counts.items()]
    tokenizer.train_from_iterator(texts, trainer)
    found = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(pair) for pair in found], tokenizer


@pytest.mark.parametrize("counts", [TEXTBOOK, OVERLAPPING, ACCENTS])
@pytest.mark.parametrize("merges", [1, 4, 8])
def test_merges_equal_the_library(counts, merges):
    assert train_bpe(counts, merges) == library_merges(counts, merges)[0]


@pytest.mark.slow
def test_merges_and_cuts_equal_the_library_on_reviews(review_words):
    found = train_bpe(review_words, 200)
    merges, tokenizer = library_merges(review_words, 200)
    assert found == merges
    for word in [*review_words, "unforgettable", "replays", "dullest", "aaaa"]:
        known = "".join(letter for letter in word if tokenizer.token_to_id(letter) is not None)
        assert apply_merges(known, found) == tokenizer.encode(known).tokens


def test_the_textbook_by_hand():
    # es: newest 6 + widest 3 = 9, as often as st; e has the lower code point.
    assert train_bpe(TEXTBOOK, 3) == [("e", "s"), ("es", "t"), ("l", "o")]
    assert apply_merges("lowest", train_bpe(TEXTBOOK, 4)) == ["low", "est"]


def test_merging_ends_where_nothing_is_left_to_join():
    assert train_bpe({"ab": 1, "c": 5}, 9) == [("a", "b")]
    assert train_bpe({}, 3) == [] and apply_merges("", []) == []
    with pytest.raises(ValueError, match="at least 0"):
        train_bpe(TEXTBOOK, -1)


SPECIAL, MASK, VOCABULARY = (0, 1, 2, 3), 4, 300


def batch(rows=400, length=64):
    draw = np.random.default_rng(0)
    ids = draw.integers(5, VOCABULARY, (rows, length))
    ids[:, 0] = 2
    for row, stop in enumerate(draw.integers(2, length + 1, rows)):
        ids[row, stop - 1] = 3
        ids[row, stop:] = 0
    return ids


def test_masking_keeps_special_tokens_and_says_what_stood_there():
    ids = batch()
    before = ids.copy()
    got = mask_tokens(ids, SPECIAL, MASK, VOCABULARY, np.random.default_rng(1))
    assert (ids == before).all()
    assert got.places.shape == got.targets.shape == got.weights.shape == (400, 10)
    asked = got.weights > 0
    rows = np.repeat(np.arange(400)[:, None], 10, axis=1)
    assert (got.targets[asked] == ids[rows, got.places][asked]).all()
    assert not np.isin(got.targets[asked], SPECIAL).any() and (got.targets[~asked] == 0).all()
    chosen = np.zeros(ids.shape, bool)
    chosen[rows[asked], got.places[asked]] = True
    assert chosen.sum() == asked.sum()
    assert (got.inputs[~chosen] == ids[~chosen]).all()
    assert not np.isin(got.inputs[chosen], SPECIAL).any()


def test_eighty_ten_ten_and_the_share():
    ids = batch(2_000)
    got = mask_tokens(ids, SPECIAL, MASK, VOCABULARY, np.random.default_rng(1))
    asked = got.weights > 0
    shown = np.take_along_axis(got.inputs, got.places, axis=1)[asked]
    true = got.targets[asked]
    assert abs((shown == MASK).mean() - 0.8) < 0.01
    assert abs((shown == true).mean() - 0.1) < 0.01
    assert abs(asked.sum() / (~np.isin(ids, SPECIAL)).sum() - 0.15) < 0.01
    others = shown[(shown != MASK) & (shown != true)]
    assert len(np.unique(others)) > 250 and others.min() >= 5


def test_each_row_with_an_ordinary_token_is_asked_and_no_other():
    ids = np.array([[2, 3, 0, 0], [2, 7, 3, 0], [0, 0, 0, 0]])
    got = mask_tokens(ids, SPECIAL, MASK, VOCABULARY, np.random.default_rng(0))
    assert got.weights.sum(axis=1).tolist() == [0, 1, 0]
    assert got.targets[1, 0] == 7 and got.places[1, 0] == 1
    assert (got.inputs[[0, 2]] == ids[[0, 2]]).all()


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("O O", set()),
        ("B-film I-film O B-film", {(0, 1, "film"), (3, 3, "film")}),
        ("B-film B-film", {(0, 0, "film"), (1, 1, "film")}),
        ("B-film I-place", {(0, 0, "film"), (1, 1, "place")}),
        ("O I-film I-film", {(1, 2, "film")}),
        ("B-creative-work I-creative-work", {(0, 1, "creative-work")}),
        ("", set()),
    ],
)
def test_spans(tags, found):
    assert spans(tags.split()) == found


def test_span_f1_by_hand():
    true = ["B-a I-a O B-b".split(), "B-a O".split()]
    predicted = ["B-a I-a O B-a".split(), "O O".split()]
    # One hit; three true spans, two predicted: precision 1/2, recall 1/3.
    assert span_f1(true, predicted) == pytest.approx(0.4)
    assert span_f1(true, true) == 1
    assert span_f1(true, [["O"] * 4, ["O"] * 2]) == 0
    assert span_f1([["O"]], [["O"]]) == 0


WORDS, LENGTH = 60, 20
TEXTS = [
    "The plot was superb and the cast was splendid.",
    "The music was never dull, the script was hardly weak.",
    "We saw it on a Friday with my sister; the hall was half full.",
] * 5
STRANGE = "The ending was 👍, сказал Иван."


def array(tensor):
    return keras.ops.convert_to_numpy(tensor)


def small_encoder(causal=False, num_layers=2, **more):
    from course_utils.models import transformer_encoder

    keras.utils.set_random_seed(0)
    return transformer_encoder(WORDS, 16, 2, 32, num_layers, LENGTH, causal=causal, **more)


def some_ids(rows=6, seed=0):
    draw = np.random.default_rng(seed)
    ids = draw.integers(5, WORDS, size=(rows, LENGTH)).astype("int32")
    ids[:, 0] = cut.START
    lengths = draw.integers(6, LENGTH - 3, size=(rows, 1))
    return ids * (np.arange(LENGTH) < lengths)


@pytest.mark.parametrize("kind", cut.KINDS)
def test_a_tokenizer_knows_its_own_texts_and_is_the_same_again(kind):
    first, again = (cut.train(kind, TEXTS, 300) for _ in range(2))
    for cutting in ("tokens", "ids"):
        found = [[getattr(one, cutting)(text) for text in TEXTS] for one in (first, again)]
        assert found[0] == found[1]
    for text in TEXTS[:3]:
        assert cut.SPECIAL[1] not in first.tokens(text)
        assert len(first.tokens(text)) == len(first.ids(text))
        assert max(first.ids(text)) < len(first)
    if kind in ("bpe", "byte_bpe", "wordpiece", "sentencepiece"):
        assert 0 not in first.ids("a <pad> b")
    rows = first.encode(TEXTS[:2], 12)
    assert rows.shape == (2, 12) and (rows[:, 0] == cut.START).all()


@pytest.mark.parametrize("kind", cut.KINDS)
def test_only_bytes_know_characters_never_seen(kind):
    tokenizer = cut.train(kind, TEXTS, 400)
    survives = kind in ("byte_bpe", "sentencepiece_bytes")
    assert (tokenizer.text(tokenizer.ids(STRANGE)) == STRANGE) == survives
    assert (1 in tokenizer.ids(STRANGE)) != ("byte" in kind)


def test_bad_arguments_of_tokenizers_are_refused():
    for given, telling in (
        (("word piece", TEXTS), "wordpiece"),
        (("bpe", TEXTS, 5), "at least 6"),
        (("bpe", [""]), "texts"),
        (("words", "one text"), "one text"),
    ):
        with pytest.raises(ValueError, match=telling):
            cut.train(*given)


def test_unigram_ids_are_the_same_in_every_process():
    code = (
        "from course_utils import tokenizers as cut; "
        f"print(cut.train('unigram', {TEXTS}, 60).ids({TEXTS[0]!r}))"
    )
    hashes = [{**os.environ, "PYTHONHASHSEED": str(seed)} for seed in range(3)]
    told = [subprocess.check_output([sys.executable, "-c", code], env=env) for env in hashes]
    assert told[0] == told[1] == told[2]


def test_the_table_counts_by_words_and_pieces():
    characters = cut.train("characters", TEXTS)
    [row] = compare_tokenizers({"characters": characters}, ["plot plot", "plöt"])
    assert row["tokens a word"] == pytest.approx(13 / 3)
    assert row["unknown %"] == pytest.approx(100 / 13)
    assert row["round trip %"] == 50


def test_words_cut_one_by_one_know_their_place():
    tokenizer = cut.train("wordpiece", TEXTS, 60)
    ids, places = tokenizer.of_words(["the", "splendid", "hall"])
    assert len(ids) == len(places) and set(places) == {0, 1, 2} and places == sorted(places)


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


def test_the_guesser_scores_with_its_embedding():
    encoder = small_encoder()
    model = pretraining.PretrainingModel(encoder)
    data = batches(count=4, shuffle=False)
    scores = array(model(data[0][0]))
    assert scores.shape == (8, 4, WORDS)
    states = array(encoder(data[0][0]["ids"])[-1])
    table = array(pretraining.word_embedding(encoder).embeddings)
    row, place = 3, data[0][0]["positions"][3, 2]
    assert np.allclose(scores[row, 2], states[row, place] @ table.T, atol=1e-4)
    assert 3 < pretraining.unigram_loss(some_ids(16), data) < 5


def test_a_guesser_comes_back_from_its_file_with_all_its_heads(tmp_path):
    model = pretraining.PretrainingModel(small_encoder(), True)
    inputs = batches(count=4, shuffle=False)[0][0]
    before = model(inputs)
    model.save(tmp_path / "model.keras")
    after = keras.models.load_model(tmp_path / "model.keras")(inputs)
    for name, values in before.items():
        np.testing.assert_array_equal(np.asarray(values), np.asarray(after[name]))


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
def test_the_causal_guesser_sees_no_later_token():
    encoder = small_encoder(causal=True)
    ids = np.maximum(some_ids(4), 5)
    changed = ids.copy()
    changed[:, 9] = 5 + (ids[:, 9] - 4) % (WORDS - 5)
    before, after = ([*map(array, encoder(rows))] for rows in (ids, changed))
    for left, right in zip(before, after, strict=True):
        assert np.abs(left[:, :9] - right[:, :9]).max() < 1e-6
        assert np.abs(left[:, 9:] - right[:, 9:]).max() > 1e-4


HEADS = {
    "sequence, first": lambda encoder: sequence_classifier(encoder, 3),
    "sequence, mean": lambda encoder: sequence_classifier(encoder, 3, pool="mean"),
    "token": lambda encoder: token_classifier(encoder, 4),
    "span": span_answerer,
}
HEADS |= {name: lambda e, name=name: feature_classifier(e, name, 2) for name in FEATURES}


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADS)
def test_pads_change_no_answer_and_a_saved_head_reloads(name, tmp_path):
    model = HEADS[name](small_encoder(num_layers=4))
    ids = some_ids()
    longest = int((ids > 0).sum(axis=1).max())
    words = ids[:, :longest, None] > 0 if name == "token" else True  # at pads it may differ

    def answers(model, rows):
        found = keras.tree.flatten(keras.tree.map_structure(array, model(rows)))
        return [part[:, :longest] * words for part in found]

    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    before = answers(model, ids)
    for after in (answers(model, ids[:, :longest]), answers(again, ids)):
        assert all(np.abs(x - y).max() < 1e-5 for x, y in zip(before, after, strict=True))


def test_every_choice_is_scored_by_itself():
    model = choice_scorer(small_encoder(), choices=3, pool="mean")
    ids = some_ids(6).reshape(2, 3, LENGTH)
    scores = array(model(ids))
    assert scores.shape == (2, 3)
    turned = array(model(ids[:, ::-1]))
    assert np.allclose(scores, turned[:, ::-1], atol=1e-5)


def test_the_best_span_never_ends_before_it_starts():
    start, end = np.zeros((1, 5)), np.zeros((1, 5))
    start[0, 3], end[0, 1], end[0, 4] = 5, 9, 3
    everywhere = np.ones((1, 5), bool)
    assert best_span(start, end, everywhere).tolist() == [[0, 1]]
    start[0, 3] = 12
    assert best_span(start, end, everywhere).tolist() == [[3, 4]]
    assert best_span(start, end, np.arange(5)[None] < 3).tolist() == [[0, 1]]


@pytest.mark.slow
def test_frozen_features_train_the_head_alone_and_need_enough_layers():
    encoder = small_encoder(num_layers=4)
    model = feature_classifier(encoder, "sum of all", 2)
    assert len(model.trainable_weights) == 3  # one number a layer, kernel, bias
    with pytest.raises(ValueError, match="four blocks"):
        feature_classifier(small_encoder(), "sum of the last four", 2)
    with pytest.raises(ValueError, match="second to last"):
        feature_classifier(small_encoder(), "first", 2)


@pytest.mark.slow
def test_a_restart_is_as_good_as_new():
    encoder = small_encoder()
    model = sequence_classifier(encoder, 2, dropout=0.0)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-2), loss, jit_compile=False)
    restart = Restart(model, encoder)
    ids, labels = some_ids(), np.array([0, 1] * 3)
    runs = [restart().fit(ids, labels, epochs=3, shuffle=False, verbose=0) for _ in range(2)]
    assert np.allclose(*(run.history["loss"] for run in runs), atol=1e-6)
    other = [weight + 0.1 for weight in encoder.get_weights()]
    restart(other)
    assert np.allclose(encoder.get_weights()[0], other[0])


def test_the_draw_is_balanced_and_the_same_for_every_arm():
    labels = np.array([0, 1, 1] * 20)
    rows = balanced_sample(labels, 10, 3)
    assert np.array_equal(rows, balanced_sample(labels, 10, 3))
    assert len(set(rows)) == 10 and labels[rows].sum() == 5
    with pytest.raises(ValueError, match="even"):
        balanced_sample(labels, 11, 3)
    with pytest.raises(ValueError, match="20"):
        balanced_sample(labels, 42, 3)


def test_an_encoder_comes_back_from_its_file_with_its_tokenizer(tmp_path):
    from course_utils.models import pretrained

    tokenizer = cut.train("wordpiece", TEXTS, 50)
    settings = {"vocab_size": WORDS, "embed_dim": 16, "num_heads": 2, "mlp_dim": 32}
    settings |= {"num_layers": 2, "max_length": LENGTH}
    encoder = small_encoder()
    arrays = pretrained.pack(encoder, tokenizer, settings)
    assert not any(array.dtype.hasobject for array in arrays.values())
    np.savez_compressed(tmp_path / "packed.npz", **arrays)
    with np.load(tmp_path / "packed.npz", allow_pickle=False) as file:
        again, copy = pretrained.unpack(dict(file))
    assert again.ids(TEXTS[0]) == tokenizer.ids(TEXTS[0])
    ids = tokenizer.encode(TEXTS[:3], 16)
    for left, right in zip(encoder(ids), copy(ids), strict=True):
        assert np.abs(array(left) - array(right)).max() < 0.02  # float16
    with pytest.raises(ValueError, match="encoder"):
        pretrained.pack(encoder, tokenizer, settings | {"num_layers": 3})


def words_of(*parts):
    return [" ".join(words) for part in parts for words in part]


def test_tags_stand_at_the_first_piece_of_each_word():
    part = lecture_06b.load_entities().train.take(slice(30))
    tokenizer = cut.train("wordpiece_cased", words_of(part.inputs), 60)
    ids, tags = tagged_rows(part, tokenizer, 160)
    assert ids.shape == tags.shape == (30, 160)
    for row, true in zip(tags, part.targets, strict=True):
        assert list(row[row >= 0]) == list(true)
    assert ((tags >= 0) <= (ids > 0)).all() and (ids[:, 0] == cut.START).all()
    short, _ = tagged_rows(part, tokenizer, 4)
    assert np.array_equal(short, ids[:, :4])


def test_the_span_of_pieces_holds_the_answer():
    part = lecture_06b.load_questions().train.take(slice(30))
    texts = words_of(part.inputs["text"], part.inputs["question"])
    tokenizer = cut.train("wordpiece", texts, 90)
    ids, found, allowed = question_rows(part, tokenizer, 160)
    for row, (first, last), text, span in zip(
        ids, found, part.inputs["text"], part.targets, strict=True
    ):
        pieces = [tokenizer.text([number]) for number in row[first : last + 1]]
        letters = "".join(pieces).replace("##", "").replace(" ", "")
        assert letters == "".join(text[span[0] : span[1] + 1])
    rows = np.arange(len(ids))
    assert allowed[rows, found[:, 0]].all() and allowed[rows, found[:, 1]].all()
    assert not allowed[:, :3].any() and not (allowed & (ids == 0)).any()
    with pytest.raises(ValueError, match="do not fit"):
        question_rows(part, tokenizer, 20)


def test_every_ending_stands_behind_its_review():
    part = lecture_06b.load_choices().train.take(slice(30))
    tokenizer = cut.train("wordpiece", words_of(part.inputs["text"]), 80)
    ids = choice_rows(part, tokenizer, 120)
    assert ids.shape == (30, 4, 120) and ((ids == END).sum(axis=-1) == 1).all()
    assert (ids[:, 0, :10] == ids[:, 3, :10]).all()


@pytest.mark.slow
def test_summaries_are_asked_for_behind_the_review_only():
    from course_utils.models import LanguageModel

    part = lecture_06b.load_summaries().test.take(slice(5))
    tokenizer = cut.train("wordpiece", [*part.inputs, *part.targets], 60)
    ids, targets, starts = summary_rows(part, tokenizer, 260)
    for row, asked, start, summary in zip(ids, targets, starts, part.targets, strict=True):
        assert not asked[: start - 1].any() and row[start - 1] == END
        assert np.array_equal(asked[start - 1 : -1], row[start:])
        answer = row[start : start + list(row[start:]).index(END)]
        assert tokenizer.text(answer).replace(",", " ,") == summary
    keras.utils.set_random_seed(0)
    model = LanguageModel(60, 8, 2, 8, 1, 260)
    new = greedy_continue(model, ids, starts)
    before = np.arange(260) < starts[:, None]
    assert np.array_equal(new[before], ids[before])
    assert same_answers(ids, ids, starts).all()
    assert not same_answers(new, ids, starts).any()


def test_windows_hold_each_text_in_order_and_drop_short_ends():
    # A stand-in for a tokenizer: one id a letter, the first letter 5.
    letters = SimpleNamespace(ids=lambda text: [ord(letter) - ord("a") + 5 for letter in text])
    rows = windows(letters, ["abc", "abcdefghijklmnopqrstuvwxyz", ""], WIDTH)
    assert rows.dtype == np.int32 and rows.shape == (4, WIDTH) and (rows[:, 0] == START).all()
    assert rows[0].tolist() == [START, 5, 6, 7] + [0] * 8
    # 26 letters: 11 and 11; the last four are fewer than SHORTEST and are dropped.
    assert rows[1, 1:].tolist() == list(range(5, 16))
    assert rows[2, 1:].tolist() == list(range(16, 27))
    assert not rows[3, 1:].any() and SHORTEST == 8
    long = windows(letters, ["abcdefghijklmnopqrst"], WIDTH)
    assert long.shape == (2, WIDTH) and np.count_nonzero(long[1]) == 10
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


def test_a_fitted_head_tells_labels_apart_and_leaves_the_encoder_alone():
    encoder = small_encoder()
    model = sequence_classifier(encoder, 2, pool="mean")
    draw = np.random.default_rng(0)
    labels = np.arange(60) % 2
    ids = draw.integers(5, 30, (60, LENGTH)).astype("int32") + 25 * labels[:, None]
    before = encoder.get_weights()
    init_head_by_probe(model, ids.astype("int32"), labels)
    assert (array(model(ids)).argmax(-1) == labels).mean() > 0.95
    for left, right in zip(before, encoder.get_weights(), strict=True):
        assert np.array_equal(left, right)


def test_places_without_a_target_do_not_count_in_the_loss():
    logits = np.random.default_rng(0).normal(size=(2, 3, 5)).astype("float32")
    targets = np.array([[3, 0, 0], [0, 4, 2]])
    asked = targets != 0
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    expected = -logs[asked][np.arange(3), targets[asked]].mean()
    assert float(pretraining.word_loss()(targets, logits)) == pytest.approx(expected, abs=1e-5)
