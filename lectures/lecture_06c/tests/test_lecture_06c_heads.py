"""Lab 06c: spans and F1, the heads, the rows that they read, the tagger's figure."""

import numpy as np
import pytest
from encoders import LENGTH, array, small_encoder, some_ids

from lectures import lecture_06c
from lectures.lecture_06b import tokenizers as cut
from lectures.lecture_06c import (
    END,
    best_span,
    choice_rows,
    choice_scorer,
    question_rows,
    span_f1,
    spans,
    tagged_rows,
)

pytest.importorskip("tokenizers")


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


def test_mistakes_by_their_kind():
    true = ["B-a I-a O B-b".split(), "B-a O O".split(), "B-a O B-b".split()]
    guess = ["B-a O O B-a".split(), "O O B-a".split(), "B-a O B-b".split()]
    found = lecture_06c.mistakes(true, guess)
    assert found == {"ends wrong": [0], "type wrong": [0], "missed": [1], "invented": [1]}


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


def words_of(*parts):
    return [" ".join(words) for part in parts for words in part]


def test_tags_stand_at_the_first_piece_of_each_word():
    part = lecture_06c.load_entities().train.take(slice(30))
    tokenizer = cut.train("wordpiece_cased", words_of(part.inputs), 60)
    ids, tags = tagged_rows(part, tokenizer, 160)
    assert ids.shape == tags.shape == (30, 160)
    for row, true in zip(tags, part.targets, strict=True):
        assert list(row[row >= 0]) == list(true)
    assert ((tags >= 0) <= (ids > 0)).all() and (ids[:, 0] == cut.START).all()
    short, _ = tagged_rows(part, tokenizer, 4)
    assert np.array_equal(short, ids[:, :4])


def test_the_span_of_pieces_holds_the_answer():
    part = lecture_06c.load_questions().train.take(slice(30))
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
    part = lecture_06c.load_choices().train.take(slice(30))
    tokenizer = cut.train("wordpiece", words_of(part.inputs["text"]), 80)
    ids = choice_rows(part, tokenizer, 120)
    assert ids.shape == (30, 4, 120) and ((ids == END).sum(axis=-1) == 1).all()
    assert (ids[:, 0, :10] == ids[:, 3, :10]).all()
