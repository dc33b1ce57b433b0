"""Lab 06b in plain Python: BPE against the tokenizers library, masking, spans by hand."""

from collections import Counter

import numpy as np
import pytest

from course_utils.data import load_reviews, tokenize
from course_utils.numpy_ref import byte_pairs, masking, spans

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
OVERLAPPING = {"aaa": 3, "aaaaa": 2, "abab": 4, "ababab": 1, "baa": 2, "bbbb": 3}
ACCENTS = {"été": 3, "étés": 2, "naïve": 4, "été😀": 1, "سلام": 2}


@pytest.fixture(scope="module")
def review_words():
    texts = load_reviews(form="text").train.inputs[:300]
    return dict(Counter(word for text in texts for word in tokenize(text)))


def library_merges(counts, merges):
    """What the library learns from the same words, without a mark for their start."""
    import json

    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    letters = len({letter for word in counts for letter in word})
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=letters + merges, show_progress=False)
    tokenizer.train_from_iterator(
        [" ".join([word] * count) for word, count in counts.items()], trainer
    )
    found = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(pair) for pair in found], tokenizer


@pytest.mark.parametrize("counts", [TEXTBOOK, OVERLAPPING, ACCENTS])
@pytest.mark.parametrize("merges", [1, 4, 8])
def test_merges_equal_the_library(counts, merges):
    assert byte_pairs.train_bpe(counts, merges) == library_merges(counts, merges)[0]


@pytest.mark.slow
def test_merges_and_cuts_equal_the_library_on_reviews(review_words):
    found = byte_pairs.train_bpe(review_words, 200)
    merges, tokenizer = library_merges(review_words, 200)
    assert found == merges
    for word in [*review_words, "unforgettable", "replays", "dullest", "aaaa"]:
        known = "".join(letter for letter in word if tokenizer.token_to_id(letter) is not None)
        assert byte_pairs.apply_merges(known, found) == tokenizer.encode(known).tokens


def test_the_textbook_by_hand():
    # es: newest 6 + widest 3 = 9, as often as st; e has the lower code point.
    assert byte_pairs.train_bpe(TEXTBOOK, 3) == [("e", "s"), ("es", "t"), ("l", "o")]
    assert byte_pairs.apply_merges("lowest", byte_pairs.train_bpe(TEXTBOOK, 4)) == [
        "low",
        "est",
    ]


def test_merging_ends_where_nothing_is_left_to_join():
    assert byte_pairs.train_bpe({"ab": 1, "c": 5}, 9) == [("a", "b")]
    assert byte_pairs.train_bpe({}, 3) == [] and byte_pairs.apply_merges("", []) == []
    with pytest.raises(ValueError, match="at least 0"):
        byte_pairs.train_bpe(TEXTBOOK, -1)


@pytest.mark.parametrize(
    ("pieces", "pair", "joined"),
    [
        ("a a a", "a a", "aa a"),
        ("a a a a a", "a a", "aa aa a"),
        ("ab c b c", "b c", "ab c bc"),
        ("l o w", "x y", "l o w"),
        ("", "a b", ""),
    ],
)
def test_one_merge(pieces, pair, joined):
    assert byte_pairs.merge(pieces.split(), *pair.split()) == joined.split()


SPECIAL, MASK, WORDS = (0, 1, 2, 3), 4, 300


def batch(rows=400, length=64):
    draw = np.random.default_rng(0)
    ids = draw.integers(5, WORDS, (rows, length))
    ids[:, 0] = 2
    for row, stop in enumerate(draw.integers(2, length + 1, rows)):
        ids[row, stop - 1] = 3
        ids[row, stop:] = 0
    return ids


def test_masking_keeps_special_tokens_and_says_what_stood_there():
    ids = batch()
    before = ids.copy()
    got = masking.mask_tokens(ids, SPECIAL, MASK, WORDS, np.random.default_rng(1))
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
    got = masking.mask_tokens(ids, SPECIAL, MASK, WORDS, np.random.default_rng(1))
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
    got = masking.mask_tokens(ids, SPECIAL, MASK, WORDS, np.random.default_rng(0))
    assert got.weights.sum(axis=1).tolist() == [0, 1, 0]
    assert got.targets[1, 0] == 7 and got.places[1, 0] == 1
    assert (got.inputs[[0, 2]] == ids[[0, 2]]).all()


@pytest.mark.parametrize(
    ("change", "telling"),
    [
        ({"share": 15}, "share"),
        ({"mask_id": 300}, "from 0 to 299"),
        ({"ids": np.array([1, 2])}, "batch, tokens"),
        ({"ids": np.array([[301]])}, "from 0 to 299"),
    ],
)
def test_masking_refuses(change, telling):
    given = {
        "ids": batch(2),
        "special": SPECIAL,
        "mask_id": MASK,
        "vocab_size": WORDS,
        **change,
    }
    with pytest.raises(ValueError, match=telling):
        masking.mask_tokens(generator=np.random.default_rng(0), **given)


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
    assert spans.spans(tags.split()) == found


def test_span_f1_by_hand():
    true = ["B-a I-a O B-b".split(), "B-a O".split()]
    predicted = ["B-a I-a O B-a".split(), "O O".split()]
    # One hit; three true spans, two predicted: precision 1/2, recall 1/3.
    assert spans.span_f1(true, predicted) == pytest.approx(0.4)
    assert spans.span_f1(true, true) == 1
    assert spans.span_f1(true, [["O"] * 4, ["O"] * 2]) == 0
    assert spans.span_f1([["O"]], [["O"]]) == 0


@pytest.mark.parametrize(
    ("true", "predicted", "telling"),
    [
        ([["O"]], [], "sentences"),
        ([["O"]], [["O", "O"]], "1 true and 2 predicted"),
        ([["B"]], [["O"]], "'B'"),
        ([[0]], [["O"]], "0"),
    ],
)
def test_span_f1_refuses(true, predicted, telling):
    with pytest.raises(ValueError, match=telling):
        spans.span_f1(true, predicted)
